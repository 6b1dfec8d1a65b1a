//! Soundness by execution: every run of the program is a run of its abstraction.
//!
//! A run of the interpreter is followed by the encoder (`hardbop-shadow`), which gives each predicate a
//! value at each moment. From these a trace of the boolean program is built, segment by segment, and
//! `bp::replay` says whether it is a run of it. A predicate that reads storage without a value, or
//! memory that is no longer alive, has the value that the encoder's memory gives it there.
//!
//! `HARDBOP_RANDOM` is the number of rounds, each with other predicates and inputs: 1 unless set.

mod programs;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_bp::{Action, Fault, Flow, FlowStep, Goal, LocId, State, Trace, VarKind, replay, resolve};
use hardbop_ir::interpret::{Outcome, View};
use hardbop_ir::testing::{Size, random_program};
use hardbop_ir::{EdgeId, LocationId, ProcId, Program};
use hardbop_semantics::Subject;
use hardbop_shadow::{Draws, Event, Followed, Shadow, Watch, follow, lowered, random_predicates};
use hardbop_solver::Limits;
use hardbop_testkit::Rng;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::abstractor::effective_entry;
use crate::segment::{Finish, Segment, Start, segments};
use crate::signature::Signatures;
use crate::step::Variable;
use crate::{Abstraction, AbstractionOptions, Abstractor, Granularity, Method, Origin};
use hardbop_predicate::{Predicate, Scope, places};

/// What a boolean variable stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Value(Variable),
    /// Whether own predicates are those of before a call.
    Calling,
    /// The result of a procedure at this position.
    Result(usize),
}

/// An activation of a procedure, in the run and in its abstraction.
struct Activation {
    procedure: ProcId,
    /// The segment under way.
    start: Start,
    edges: Vec<EdgeId>,
    /// The values of the predicates in scope at the current moment.
    now: FxHashMap<usize, bool>,
    /// The step that is taken next.
    next: EdgeId,
    /// The values of the boolean variables.
    locals: Vec<bool>,
    /// The edge of the boolean program that called the next activation.
    call: Option<hardbop_bp::EdgeId>,
}

/// Builds the trace.
struct Tracer<'a> {
    program: &'a Program,
    predicates: &'a [Predicate],
    signatures: &'a Signatures,
    abstraction: &'a Abstraction,
    flow: &'a Flow,
    entry: ProcId,
    segments: FxHashMap<ProcId, Vec<Segment>>,
    roles: FxHashMap<hardbop_bp::VarId, Role>,
    stack: Vec<Activation>,
    globals: Vec<bool>,
    trace: Option<Trace>,
    is_over: bool,
    segments_taken: u64,
}

impl Watch for Tracer<'_> {
    fn moment(&mut self, shadow: &mut Shadow<'_>, view: &View<'_, '_>, event: Event) -> Result<(), String> {
        if self.is_over {
            return Ok(());
        }
        match event {
            Event::Start if shadow.procedure() == self.entry => self.begin(shadow),
            Event::Passed(_, callee) if self.trace.is_none() && callee == self.entry => self.begin(shadow),
            _ if self.trace.is_none() => return Ok(()),
            Event::Start | Event::Enter(..) => {}
            Event::Edge(edge) => {
                self.update(shadow);
                let target = self.program.procedures[self.top().procedure].edges[edge].target;
                self.top().edges.push(edge);
                self.arrive(target)?;
            }
            Event::Passed(edge, callee) => self.call(shadow, edge, callee)?,
            Event::Leave(edge, callee) => self.leave(shadow, edge, callee)?,
        }
        if let Some(top) = self.stack.last_mut() {
            top.next = view.edge();
        }
        Ok(())
    }
}

impl<'a> Tracer<'a> {
    fn top(&mut self) -> &mut Activation {
        self.stack.last_mut().expect("an activation")
    }

    /// The values that the predicates in scope have now.
    fn values(&self, shadow: &mut Shadow<'_>, procedure: ProcId) -> FxHashMap<usize, bool> {
        let own = self.signatures.of(procedure).own.iter();
        own.chain(&self.signatures.globals).map(|&i| (i, shadow.holds(self.predicates[i].expr))).collect()
    }

    fn update(&mut self, shadow: &mut Shadow<'_>) {
        let procedure = self.top().procedure;
        self.top().now = self.values(shadow, procedure);
    }

    fn activation(&self, procedure: ProcId, now: FxHashMap<usize, bool>) -> Activation {
        let entry = self.program.procedures[procedure].entry;
        let mut activation = Activation {
            procedure,
            start: Start::Location(entry),
            edges: Vec::new(),
            now,
            next: hardbop_base::Id::from_usize(0),
            locals: Vec::new(),
            call: None,
        };
        let callee = self.flow_procedure(procedure);
        for &variable in &self.flow.procedures[callee].locals {
            activation.locals.push(match self.roles[&variable] {
                Role::Value(Variable::Predicate(i)) => activation.now[&i],
                _ => false,
            });
        }
        activation
    }

    fn flow_procedure(&self, procedure: ProcId) -> hardbop_bp::ProcId {
        let stands_for = |&id: &hardbop_bp::ProcId| self.abstraction.back.procedure(id) == Some(procedure);
        self.flow.procedures.ids().find(stands_for).expect("its boolean procedure")
    }

    fn begin(&mut self, shadow: &mut Shadow<'_>) {
        let now = self.values(shadow, self.entry);
        for &variable in &self.flow.globals {
            let Role::Value(Variable::Predicate(i)) = self.roles[&variable] else { unreachable!("a global") };
            self.globals.push(now[&i]);
        }
        let activation = self.activation(self.entry, now);
        self.stack.push(activation);
        let location = self.flow.procedures[self.flow.main].entry;
        self.trace = Some(Trace::new(self.state(location)));
    }

    fn state(&self, location: LocId) -> State {
        let locals = self.stack.last().expect("an activation").locals.clone();
        State { location, depth: self.stack.len() - 1, globals: self.globals.clone(), locals }
    }

    fn push(&mut self, action: Action, location: LocId) {
        let state = self.state(location);
        self.trace.as_mut().expect("a trace").push(action, state);
    }

    fn location(&self) -> LocId {
        self.trace.as_ref().expect("a trace").last().location
    }

    /// The run has come to a location of the current activation. If a segment ends there, the abstraction
    /// follows.
    fn arrive(&mut self, location: LocationId) -> Result<(), String> {
        let top = self.stack.last().expect("an activation");
        let all = &self.segments[&top.procedure];
        let ends = |s: &&Segment| s.start == top.start && s.edges == top.edges;
        let Some(segment) = all.iter().find(ends).cloned() else {
            let covered = all.iter().any(|s| s.start == top.start && s.edges.starts_with(&top.edges));
            return if covered { Ok(()) } else { Err(format!("no segment goes along {:?}", top.edges)) };
        };
        if segment.finish != Finish::Location(location) {
            return Ok(());
        }
        self.take(&segment, &[])?;
        let top = self.top();
        (top.start, top.edges) = (Start::Location(location), Vec::new());
        Ok(())
    }

    /// Follows a segment in the boolean program. Own and global variables get the values of now.
    fn take(&mut self, segment: &Segment, arguments: &[(usize, bool)]) -> Result<(), String> {
        self.segments_taken += 1;
        let goal = self.goal(segment.finish);
        let Some(path) = self.path(self.location(), segment, &goal, &mut Vec::new()) else {
            return Err(format!("no step for {:?} to {:?}", segment.edges, segment.finish));
        };
        if path.is_empty() {
            let before = self.state(self.location());
            self.change(segment, arguments);
            let same = self.state(self.location()) == before;
            return if same { Ok(()) } else { Err(format!("{:?} changes nothing", segment.start)) };
        }
        let is_assignment = |&e: &hardbop_bp::EdgeId| matches!(self.flow.edges[e].step, FlowStep::Assign(_));
        let change = path.iter().rposition(is_assignment).unwrap_or(path.len() - 1);
        for (n, &edge) in path.iter().enumerate() {
            if n == change {
                self.change(segment, arguments);
            }
            self.push(Action::Edge(edge), self.flow.edges[edge].target);
        }
        Ok(())
    }

    /// The locations of the boolean program at which a segment has come to its end.
    fn goal(&self, finish: Finish) -> Vec<LocId> {
        let procedure = self.stack.last().expect("an activation").procedure;
        let own = self.flow_procedure(procedure);
        let edges = self.flow.edges.iter().filter(|(_, edge)| edge.procedure == own);
        match finish {
            Finish::Failure => self.flow.procedures[own].error.into_iter().collect(),
            Finish::Location(location) => {
                let points = self.abstraction.back.points(self.flow);
                points.filter(|(p, l, _)| (*p, *l) == (procedure, location)).map(|p| p.2).collect()
            }
            Finish::Call(call, callee) => {
                let target = self.flow_procedure(callee);
                let calls = |(id, edge): &(hardbop_bp::EdgeId, &hardbop_bp::flow::Edge)| {
                    matches!(&edge.step, FlowStep::Call(c) if c.callee == target)
                        && self.origin(*id) == Some(&Origin::Call(call))
                };
                edges.filter(calls).map(|(_, edge)| edge.source).collect()
            }
        }
    }

    /// The edges of the boolean program that stand for a segment.
    fn path(
        &self,
        from: LocId,
        segment: &Segment,
        goal: &[LocId],
        before: &mut Vec<hardbop_bp::EdgeId>,
    ) -> Option<Vec<hardbop_bp::EdgeId>> {
        let stands_for = |&e: &hardbop_bp::EdgeId| matches!(self.origin(e), Some(Origin::Edges(edges)) if *edges == segment.edges);
        if goal.contains(&from) && (segment.edges.is_empty() || before.iter().any(stands_for)) {
            return Some(before.clone());
        }
        for &edge in &self.flow.locations[from].successors {
            let fits = match self.origin(edge) {
                Some(Origin::Nothing) => true,
                Some(Origin::Edges(edges) | Origin::Guard(edges)) => *edges == segment.edges,
                Some(Origin::Failure(failed)) => segment.edges.last() == Some(failed),
                _ => false,
            };
            if fits && before.len() < 8 && !before.contains(&edge) {
                before.push(edge);
                if let Some(found) = self.path(self.flow.edges[edge].target, segment, goal, before) {
                    return Some(found);
                }
                before.pop();
            }
        }
        None
    }

    fn origin(&self, edge: hardbop_bp::EdgeId) -> Option<&'a Origin> {
        self.abstraction.back.origin(self.flow.edges[edge].tag?).map(|(_, origin)| origin)
    }

    /// The values of the boolean variables after a segment.
    fn change(&mut self, segment: &Segment, arguments: &[(usize, bool)]) {
        let flow = self.flow;
        let top = self.stack.last_mut().expect("an activation");
        for (slot, &variable) in flow.globals.iter().enumerate() {
            if let Role::Value(Variable::Predicate(i)) = self.roles[&variable] {
                self.globals[slot] = top.now[&i];
            }
        }
        let is_call = matches!(segment.finish, Finish::Call(..));
        let updated = !is_call || matches!(segment.start, Start::Call(..));
        let after_call = matches!(segment.start, Start::Call(..));
        let at_entry = segment.start == Start::Location(self.program.procedures[top.procedure].entry);
        let procedure = flow.locations[self.trace.as_ref().expect("a trace").last().location].procedure;
        for (slot, &variable) in flow.procedures[procedure].locals.iter().enumerate() {
            let value = &mut top.locals[slot];
            match self.roles[&variable] {
                Role::Value(Variable::Predicate(i)) if updated && segment.finish != Finish::Failure => {
                    *value = top.now[&i];
                }
                Role::Value(Variable::Argument(i)) => {
                    if let Some((_, passed)) = arguments.iter().find(|(j, _)| *j == i) {
                        *value = *passed;
                    }
                }
                Role::Calling if is_call => *value = true,
                Role::Calling if segment.finish != Finish::Failure && (after_call || at_entry) => {
                    *value = false;
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, shadow: &mut Shadow<'_>, edge: EdgeId, callee: ProcId) -> Result<(), String> {
        let mut inside = self.values(shadow, callee);
        let entry = &self.signatures.of(callee).entry;
        let arguments: Vec<(usize, bool)> = entry.iter().map(|&i| (i, inside[&i])).collect();
        let top = self.stack.last().expect("an activation");
        let finish = Finish::Call(edge, callee);
        let ends = |s: &&Segment| s.start == top.start && s.edges == top.edges && s.finish == finish;
        let Some(segment) = self.segments[&top.procedure].iter().find(ends).cloned() else {
            return Err(format!("no segment {:?} {:?} to {finish:?}", top.start, top.edges));
        };
        for &i in &self.signatures.globals {
            // Global variables are those of the moment of the call.
            inside.insert(i, top.now[&i]);
        }
        self.take(&segment, &arguments)?;
        let target = self.flow_procedure(callee);
        let location = &self.flow.locations[self.location()];
        let calls = |&&e: &&hardbop_bp::EdgeId| matches!(&self.flow.edges[e].step, FlowStep::Call(call) if call.callee == target);
        let Some(&call) = location.successors.iter().find(calls) else {
            return Err("no call where one should be".to_owned());
        };
        self.top().call = Some(call);
        let activation = self.activation(callee, inside);
        self.stack.push(activation);
        self.push(Action::Call(call), self.flow.procedures[target].entry);
        Ok(())
    }

    fn leave(&mut self, shadow: &mut Shadow<'_>, edge: EdgeId, callee: ProcId) -> Result<(), String> {
        let exit = self.program.procedures[callee].exit;
        let next = self.top().next;
        self.top().edges.push(next);
        self.arrive(exit)?;
        if self.top().start != Start::Location(exit) {
            return Err("the exit is no end of a segment".to_owned());
        }
        let results = self.return_values(callee);
        let procedure = self.flow_procedure(callee);
        let exit = self.flow.procedures[procedure].exit;
        let returns = |&&e: &&hardbop_bp::EdgeId| self.flow.edges[e].target == exit;
        let Some(&edge_to_exit) = self.flow.locations[self.location()].successors.iter().find(returns) else {
            return Err("no return where one should be".to_owned());
        };
        self.push(Action::Edge(edge_to_exit), exit);
        self.stack.pop();
        if self.stack.is_empty() {
            self.is_over = true;
            return Ok(());
        }
        let call = self.top().call.take().expect("it called");
        let caller = self.flow.edges[call].procedure;
        for (slot, &variable) in self.flow.procedures[caller].locals.iter().enumerate() {
            if let Role::Value(Variable::Result(i)) = self.roles[&variable]
                && let Some((_, value)) = results.iter().find(|(j, _)| *j == i)
            {
                self.top().locals[slot] = *value;
            }
        }
        self.push(Action::Return(call), self.flow.edges[call].target);
        self.update(shadow);
        let caller = self.top().procedure;
        let target = self.program.procedures[caller].edges[edge].target;
        (self.top().start, self.top().edges) = (Start::Call(edge, callee), Vec::new());
        self.arrive(target)
    }

    /// Sets the result variables of the current activation; the predicates returned.
    fn return_values(&mut self, procedure: ProcId) -> Vec<(usize, bool)> {
        let results = &self.signatures.of(procedure).results;
        let target = self.flow_procedure(procedure);
        let top = self.stack.last_mut().expect("an activation");
        let values: Vec<(usize, bool)> = results.iter().map(|&i| (i, top.now[&i])).collect();
        for (slot, variable) in self.flow.procedures[target].locals.iter().enumerate() {
            if let Role::Result(n) = self.roles[variable] {
                top.locals[slot] = values[n].1;
            }
        }
        values
    }

    /// The run has ended at a statement that fails.
    fn fail(&mut self) -> Result<(), String> {
        if self.is_over || self.stack.is_empty() {
            return Ok(());
        }
        let next = self.top().next;
        self.top().edges.push(next);
        let top = self.stack.last().expect("an activation");
        let all = &self.segments[&top.procedure];
        let ends = |s: &&Segment| s.start == top.start && s.edges == top.edges && s.finish == Finish::Failure;
        let Some(segment) = all.iter().find(ends).cloned() else {
            return Err("no segment fails here".to_owned());
        };
        self.take(&segment, &[])
    }
}

/// What the variables of a boolean program stand for, by their names.
fn roles(
    flow: &Flow,
    abstraction: &Abstraction,
    predicates: &[Predicate],
    signatures: &Signatures,
) -> FxHashMap<hardbop_bp::VarId, Role> {
    let mut roles = FxHashMap::default();
    let quoted = |text: String| format!("{{{text}}}");
    for (id, variable) in flow.variables.iter() {
        let known = abstraction.back.variable(id);
        if variable.kind == VarKind::Result {
            let owner = variable.owner.expect("a result belongs to a procedure");
            let results = flow.procedures[owner].results();
            let n = results.iter().position(|&r| r == id).expect("one of its results");
            assert_eq!(known, None, "the meaning of a result");
            roles.insert(id, Role::Result(n));
            continue;
        }
        if variable.name == "{in a call}" {
            assert_eq!(known, None, "the meaning of {}", variable.name);
            roles.insert(id, Role::Calling);
            continue;
        }
        let owner = variable.owner.map(|p| abstraction.back.procedure(p).expect("a procedure"));
        for (i, predicate) in predicates.iter().enumerate() {
            let name = &signatures.names[i];
            let own = predicate.scope.procedure() == owner && variable.name == quoted(name.clone());
            let foreign = |direction: &str| {
                let is_callee = |p| abstraction.back.procedure(p) == predicate.scope.procedure();
                let names = flow.procedures.iter().filter(|&(p, _)| is_callee(p)).map(|(_, p)| &p.name);
                names.into_iter().any(|p| variable.name == quoted(format!("{direction} {p}: {name}")))
            };
            let role = if own {
                Variable::Predicate(i)
            } else if owner.is_some() && foreign("to") {
                Variable::Argument(i)
            } else if owner.is_some() && foreign("from") {
                Variable::Result(i)
            } else {
                continue;
            };
            let before = roles.insert(id, Role::Value(role));
            assert_eq!(before, None, "two meanings of {}", variable.name);
        }
        assert_eq!(roles.get(&id).copied(), known.map(Role::Value), "the meaning of {}", variable.name);
        assert!(known.is_some(), "the meaning of {}", variable.name);
    }
    roles
}

/// What was checked.
#[derive(Debug, Default)]
struct Tally {
    runs: u64,
    segments: u64,
    steps: u64,
    failures: u64,
    /// Combinations that steps were strengthened by.
    excluded: usize,
}

/// Up to so many random predicates of all scopes; fewer where many would take too long.
fn some_predicates(program: &Program, seed: u64, options: AbstractionOptions, most: usize) -> Vec<Predicate> {
    let count = match (options.method, options.cube_limit) {
        (_, None) => 5,
        (Method::Boolean, Some(_)) => 6,
        (Method::Cartesian, Some(_)) => 9,
    };
    let (all, count) = (random_predicates(program, seed, 4), count.min(most));
    let kept = (0..all.len()).filter(|i| i * count % all.len() < count);
    kept.map(|i| all[i])
        .map(|(scope, expr)| Predicate { scope: scope.map_or(Scope::Global, Scope::Procedure), expr })
        .collect()
}

fn check(
    name: &str,
    program: Program,
    seed: u64,
    (options, most): (AbstractionOptions, usize),
    tally: &mut Tally,
) -> Result<(), String> {
    let budget = Budget::unlimited();
    let predicates = some_predicates(&program, seed, options, most);
    let alias = Alias::of(&program, &budget).expect("no limit");
    let regions = Regions::of(&program, &alias, &places(&program, &predicates), &budget).expect("no limit");
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let mut abstractor = Abstractor::new(options, budget);
    let told = |e: String| format!("{name}, predicates {seed}, {options:?}: {e}");
    let abstraction = abstractor.run(subject, &predicates).expect("no limit");
    let (flow, traces) = runs(subject, &predicates, &abstraction, seed, options, tally).map_err(told)?;
    // The same with steps that were strengthened against something like these runs.
    let mut rng = Rng::new(seed);
    let mut excluded = 0;
    for trace in traces.iter().take(2) {
        let twisted = twisted(&mut rng, trace);
        excluded +=
            abstractor.strengthen(subject, &predicates, &abstraction, (&flow, &twisted)).expect("no limit");
    }
    if excluded > 0 {
        tally.excluded += excluded;
        let stronger = abstractor.run(subject, &predicates).expect("no limit");
        runs(subject, &predicates, &stronger, seed, options, tally)
            .map_err(|e| told(format!("strengthened: {e}")))?;
    }
    Ok(())
}

/// A trace with other values here and there.
fn twisted(rng: &mut Rng, trace: &Trace) -> Trace {
    let mut twisted = trace.clone();
    for step in &mut twisted.steps {
        let State { globals, locals, .. } = &mut step.state;
        for value in globals.iter_mut().chain(locals) {
            *value ^= rng.one_in(5);
        }
    }
    twisted
}

/// Follows some runs in an abstraction; the traces that they are.
fn runs(
    subject: Subject<'_>,
    predicates: &[Predicate],
    abstraction: &Abstraction,
    seed: u64,
    options: AbstractionOptions,
    tally: &mut Tally,
) -> Result<(Flow, Vec<Trace>), String> {
    let Subject { program, alias, .. } = subject;
    let flow = resolve(&abstraction.program).map_err(|e| e.render(&Sources::new()))?;
    let signatures = Signatures::new(program, alias, predicates);
    let roles = roles(&flow, abstraction, predicates, &signatures);
    let cut = |p: ProcId| (p, segments(program, alias, (p, &FxHashSet::default()), options.granularity));
    let all: FxHashMap<ProcId, Vec<Segment>> = abstraction.back.procedures.iter().map(|&p| cut(p)).collect();
    let mut traces = Vec::new();
    for run_seed in 0..8 {
        let mut tracer = Tracer {
            program,
            predicates,
            signatures: &signatures,
            abstraction,
            flow: &flow,
            entry: effective_entry(program, alias).expect("an entry"),
            segments: all.clone(),
            roles: roles.clone(),
            stack: Vec::new(),
            globals: Vec::new(),
            trace: None,
            is_over: false,
            segments_taken: 0,
        };
        let told = |e: String| format!("run {run_seed}: {e}");
        let mut draws = Draws::new(seed.wrapping_mul(31) + run_seed);
        let Followed { run, steps, .. } = follow(subject, &mut draws, 400, 1, &mut tracer).map_err(told)?;
        if matches!(run.outcome, Outcome::Error { .. }) {
            tracer.fail().map_err(told)?;
            tally.failures += 1;
        }
        tally.runs += 1;
        tally.segments += tracer.segments_taken;
        tally.steps += steps;
        if let Some(trace) = &tracer.trace {
            replayed(&flow, trace).map_err(told)?;
        }
        traces.extend(tracer.trace);
    }
    Ok((flow, traces))
}

fn replayed(flow: &Flow, trace: &Trace) -> Result<(), String> {
    let Err(error) = replay(flow, trace, &Goal::Assertion) else { return Ok(()) };
    if error.fault == Fault::Goal {
        return Ok(());
    }
    let mut text = format!("{error}\n");
    if let Some(step) = error.step.checked_sub(1).and_then(|n| trace.steps.get(n)) {
        let edge = &flow.edges[step.action.edge()];
        let before = if error.step > 1 { &trace.steps[error.step - 2].state } else { &trace.start };
        text += &format!(
            "{:?} {}\nenforce {:?}\n",
            step.action, edge.text, flow.procedures[edge.procedure].enforce
        );
        for (when, state) in [("before", before), ("after", &step.state)] {
            let procedure = flow.locations[state.location].procedure;
            let values: Vec<String> = flow
                .scope(procedure)
                .map(|v| format!("{} = {}", flow.variables[v].name, u8::from(state.value(flow, v))))
                .collect();
            text += &format!("{when}: {}\n", values.join(", "));
        }
    }
    Err(text)
}

fn rounds() -> u64 {
    std::env::var("HARDBOP_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// One of all combinations of options.
fn options(number: u64) -> AbstractionOptions {
    AbstractionOptions {
        method: if number.is_multiple_of(2) { Method::Cartesian } else { Method::Boolean },
        granularity: if (number / 2).is_multiple_of(2) { Granularity::Chain } else { Granularity::Statement },
        cube_limit: [Some(2), Some(1), Some(3), None][(number / 4 % 4) as usize],
        keep_dead: !number.is_multiple_of(3),
        limits: Limits { work: Some(1_000), ..Limits::default() },
        ..AbstractionOptions::default()
    }
}
