//! A reference for tests: breadth-first search over whole stacks, choices tried one by one.
//!
//! Slow on purpose: it follows the semantics word by word and shares nothing with the engines or the
//! replayer but the data types. The depth of the stack is bounded, so with recursion "not found" means
//! "not found within the bound".

use std::collections::{HashMap, HashSet, VecDeque};

use hardbop_bp::{Action, Edge, EdgeId, Expr, Flow, FlowStep, Goal, LocId, ProcId, State, Trace, VarId};

#[derive(Clone, PartialEq, Eq, Hash)]
struct Config {
    globals: Vec<bool>,
    /// Bottom first: location, locals, and the call edge that made the next frame.
    frames: Vec<(LocId, Vec<bool>, Option<EdgeId>)>,
}

/// A shortest trace to the goal among runs with at most `max_depth` open calls.
pub fn explore(flow: &Flow, goal: &Goal, max_depth: usize) -> Option<Trace> {
    let goals = flow.goal_locations(goal);
    let mut parents: HashMap<Config, Option<(Config, Action)>> = HashMap::new();
    let mut queue = VecDeque::new();
    for config in starts(flow) {
        parents.insert(config.clone(), None);
        queue.push_back(config);
    }
    while let Some(config) = queue.pop_front() {
        if config.frames.last().is_some_and(|frame| goals.contains(&frame.0)) {
            return Some(trace_to(&parents, config));
        }
        for (action, next) in successors(flow, &config) {
            if next.frames.len() <= max_depth + 1 && enforced(flow, &next) && !parents.contains_key(&next) {
                parents.insert(next.clone(), Some((config.clone(), action)));
                queue.push_back(next);
            }
        }
    }
    None
}

/// All states of runs with at most `max_depth` open calls, each with the state in which the procedure
/// it is in was entered. Depths are left out (0).
pub fn path_edges(flow: &Flow, max_depth: usize) -> HashSet<(State, State)> {
    let flat = |config: &Config| State { depth: 0, ..state(config) };
    let mut found = HashSet::new();
    let mut queue: Vec<(Config, Vec<State>)> =
        starts(flow).map(|config| (config.clone(), vec![flat(&config)])).collect();
    let mut seen: HashSet<(Config, Vec<State>)> = queue.iter().cloned().collect();
    while let Some((config, entries)) = queue.pop() {
        found.insert((entries.last().expect("a frame").clone(), flat(&config)));
        for (action, next) in successors(flow, &config) {
            let mut entries = entries.clone();
            match action {
                Action::Edge(_) => {}
                Action::Call(_) => entries.push(flat(&next)),
                Action::Return(_) => drop(entries.pop()),
            }
            let next = (next, entries);
            if next.0.frames.len() <= max_depth + 1 && enforced(flow, &next.0) && seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    found
}

fn starts(flow: &Flow) -> impl Iterator<Item = Config> {
    let entry = flow.procedures[flow.main].entry;
    valuations(flow.globals.len())
        .flat_map(move |globals| {
            let frames = entry_locals(flow, flow.main, None)
                .into_iter()
                .map(move |locals| vec![(entry, locals, None)]);
            frames.map(move |frames| Config { globals: globals.clone(), frames })
        })
        .filter(|config| enforced(flow, config))
}

fn trace_to(parents: &HashMap<Config, Option<(Config, Action)>>, mut config: Config) -> Trace {
    let mut steps = Vec::new();
    while let Some((before, action)) = &parents[&config] {
        steps.push((*action, state(&config)));
        config = before.clone();
    }
    let mut trace = Trace::new(state(&config));
    steps.into_iter().rev().for_each(|(action, state)| trace.push(action, state));
    trace
}

fn state(config: &Config) -> State {
    let (location, locals, _) = config.frames.last().expect("a frame").clone();
    State { location, depth: config.frames.len() - 1, globals: config.globals.clone(), locals }
}

fn successors(flow: &Flow, config: &Config) -> Vec<(Action, Config)> {
    let here = state(config);
    let mut found = Vec::new();
    for &id in &flow.locations[here.location].successors {
        step(flow, config, &here, id, &flow.edges[id], &mut found);
    }
    let depth = config.frames.len();
    if depth > 1 && flow.procedure_of(here.location).exit == here.location {
        let id = config.frames[depth - 2].2.expect("an open call");
        let FlowStep::Call(call) = &flow.edges[id].step else { unreachable!() };
        let mut next = config.clone();
        next.frames.pop();
        next.frames[depth - 2].0 = flow.edges[id].target;
        next.frames[depth - 2].2 = None;
        for (target, &result) in call.targets.iter().zip(flow.procedures[call.callee].results()) {
            if let Some(target) = target {
                assign(flow, &mut next, *target, here.value(flow, result));
            }
        }
        found.push((Action::Return(id), next));
    }
    found
}

fn step(
    flow: &Flow,
    config: &Config,
    here: &State,
    id: EdgeId,
    edge: &Edge,
    found: &mut Vec<(Action, Config)>,
) {
    let mut next = config.clone();
    let top = next.frames.len() - 1;
    next.frames[top].0 = edge.target;
    match &edge.step {
        FlowStep::Skip => found.push((Action::Edge(id), next)),
        FlowStep::Assume(e) => {
            if values(flow, e, here, here).contains(&true) {
                found.push((Action::Edge(id), next));
            }
        }
        FlowStep::Assign(assign_step) => {
            let choices: Vec<_> =
                assign_step.updates.iter().map(|(_, e)| values(flow, e, here, here)).collect();
            for new in product(&choices) {
                let mut next = next.clone();
                for ((variable, _), value) in assign_step.updates.iter().zip(new) {
                    assign(flow, &mut next, *variable, value);
                }
                let constrained = assign_step.constrain.as_ref();
                if constrained.is_none_or(|e| values(flow, e, here, &state(&next)).contains(&true)) {
                    found.push((Action::Edge(id), next));
                }
            }
        }
        FlowStep::Call(call) => {
            let choices: Vec<_> = call.args.iter().map(|e| values(flow, e, here, here)).collect();
            for args in product(&choices) {
                for locals in entry_locals(flow, call.callee, Some(&args)) {
                    let mut next = config.clone();
                    next.frames[top].2 = Some(id);
                    next.frames.push((flow.procedures[call.callee].entry, locals, None));
                    found.push((Action::Call(id), next));
                }
            }
        }
    }
}

fn assign(flow: &Flow, config: &mut Config, variable: VarId, value: bool) {
    let variable = &flow.variables[variable];
    match variable.owner {
        None => config.globals[variable.slot] = value,
        Some(_) => config.frames.last_mut().expect("a frame").1[variable.slot] = value,
    }
}

fn enforced(flow: &Flow, config: &Config) -> bool {
    let here = state(config);
    flow.procedure_of(here.location)
        .enforce
        .as_ref()
        .is_none_or(|e| values(flow, e, &here, &here).contains(&true))
}

/// All values of a frame at entry: given formals or any, any locals, results `F`.
fn entry_locals(flow: &Flow, procedure: ProcId, args: Option<&[bool]>) -> Vec<Vec<bool>> {
    let procedure = &flow.procedures[procedure];
    let free = procedure.locals.len() - procedure.result_count;
    valuations(free)
        .filter(|values| args.is_none_or(|args| values.starts_with(args)))
        .map(|mut values| {
            values.resize(procedure.locals.len(), false);
            values
        })
        .collect()
}

fn valuations(n: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << n).map(move |bits| (0..n).map(|i| bits >> i & 1 == 1).collect())
}

fn product(choices: &[Vec<bool>]) -> Vec<Vec<bool>> {
    choices.iter().fold(vec![Vec::new()], |rows, options| {
        rows.iter().flat_map(|row| options.iter().map(move |&v| [row.as_slice(), &[v]].concat())).collect()
    })
}

/// The values that an expression takes over all outcomes of its choices.
fn values(flow: &Flow, e: &Expr, old: &State, new: &State) -> Vec<bool> {
    let mut count = 0;
    e.visit(&mut |part| count += usize::from(matches!(part, Expr::Choice | Expr::Schoose(..))));
    let mut found: Vec<bool> = valuations(count)
        .map(|choices| {
            let mut choices = choices.into_iter();
            eval(flow, e, old, new, &mut || choices.next().expect("a choice"))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn eval(flow: &Flow, e: &Expr, old: &State, new: &State, choose: &mut dyn FnMut() -> bool) -> bool {
    let mut go = |e: &Expr| eval(flow, e, old, new, choose);
    match e {
        Expr::Const(value) => *value,
        Expr::Var(variable) => old.value(flow, *variable),
        Expr::Next(variable) => new.value(flow, *variable),
        Expr::Choice => choose(),
        Expr::Schoose(yes, no) => {
            let (yes, no) = (go(yes), go(no));
            let any = choose();
            yes || (!no && any)
        }
        Expr::Not(e) => !go(e),
        Expr::And(operands) => operands.iter().all(go),
        Expr::Or(operands) => operands.iter().any(go),
        Expr::Xor(operands) => operands.iter().fold(false, |odd, e| go(e) ^ odd),
        Expr::Eq(a, b) => go(a) == go(b),
        Expr::Implies(a, b) => {
            let (a, b) = (go(a), go(b));
            !a || b
        }
    }
}
