//! Who resolves choices (§5): schedules that the user gives, and the steps of a loop made deterministic.
//!
//! The theorems ask for at most one successor inside of the abstract state. Where several branches stay
//! inside (Lemma 2, with the stronger question whether the successors differ), a smaller program is tried:
//! one branch is preferred wherever it stays inside, which disables the others; or the branches
//! take turns; or the user says which is taken when. Values from outside are chosen in the same manner, by a
//! witness: a constant or a term over the state for each value drawn.

use std::collections::hash_map::Entry;

use hardbop_base::Stop;
use hardbop_ir::{EdgeId, ExprId, ProcId, Program, are_exclusive};
use hardbop_logic::{Node, Sort, Term};
use hardbop_semantics::{Frame, State};
use rustc_hash::FxHashMap;

use crate::query::{Query, TURN};
use crate::set::Set;
use crate::system::{Branch, Kind, NodeId, System, Use, zero};
use crate::theorem::Holds;

/// For some choices, the predicate under which each alternative is taken. Where several hold, the choice remains open
/// between these; where none does, no run goes on.
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    /// By procedure and first edge of the choice: one predicate for each edge.
    choices: FxHashMap<(ProcId, EdgeId), Vec<ExprId>>,
}

impl Schedule {
    /// The predicates for the edges that leave a location, if there are any.
    pub fn at(&self, procedure: ProcId, edges: &[EdgeId]) -> Option<&[ExprId]> {
        let predicates = self.choices.get(&(procedure, *edges.first()?))?;
        Some(&predicates[..])
    }

    /// Schedules the choice of a line. If several start there, it is the one that some state leaves open and that
    /// has as many alternatives as there are predicates; else it is said why there is none.
    pub fn add(&mut self, query: &mut Query<'_>, line: u32, predicates: &[ExprId]) -> Result<Holds, Stop> {
        let mut open = Vec::new();
        for choice in choices(query.subject.program, line) {
            if choice.is_open(query)? {
                open.push(choice);
            }
        }
        if open.is_empty() {
            return Ok(Err(match choices(query.subject.program, line).is_empty() {
                true => no_choice(line),
                false => format!("in line {line} only one alternative can be taken at a time"),
            }));
        }
        let given = predicates.len();
        let fitting: Vec<&Choice> = open.iter().filter(|choice| choice.edges.len() == given).collect();
        let [choice] = fitting[..] else {
            return Ok(Err(if fitting.is_empty() {
                let counts: Vec<String> = open.iter().map(|choice| choice.edges.len().to_string()).collect();
                let are =
                    if given == 1 { "is 1 predicate".to_owned() } else { format!("are {given} predicates") };
                format!("the choice in line {line} has {} alternatives, and here {are}", counts.join(" or "))
            } else {
                format!(
                    "line {line} has several choices between {given} alternatives; write them in different lines"
                )
            }));
        };
        match self.choices.entry((choice.procedure, choice.edges[0])) {
            Entry::Occupied(_) => Ok(Err(format!("the choice in line {line} is scheduled already"))),
            Entry::Vacant(entry) => {
                entry.insert(predicates.to_vec());
                Ok(Ok(()))
            }
        }
    }
}

/// Edges that leave one location and that do not exclude each other by their form.
struct Choice {
    procedure: ProcId,
    edges: Vec<EdgeId>,
}

impl Choice {
    /// Whether two of the edges can be taken in one state, as far as their guards tell.
    fn is_open(&self, query: &mut Query<'_>) -> Result<bool, Stop> {
        let subject = query.subject;
        let state = State::new(Frame::ONLY);
        let enabled = query.encoder.on(subject).enabled(&state, self.procedure, &self.edges);
        for (i, &one) in enabled.iter().enumerate() {
            for &other in &enabled[..i] {
                if !query.impossible(&[one, other])? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// The choices whose first alternatives start in a line.
fn choices(program: &Program, line: u32) -> Vec<Choice> {
    let mut found = Vec::new();
    for (procedure, p) in program.procedures.iter() {
        let mut leaving: Vec<Vec<EdgeId>> = vec![Vec::new(); p.locations.len()];
        for (edge, e) in p.edges.iter() {
            leaving[e.source.index()].push(edge);
        }
        let starts_there = |edges: &Vec<EdgeId>| {
            edges.first().is_some_and(|&first| program.files.origin(p.edges[first].span).line == line)
        };
        let is_choice = |edges: &Vec<EdgeId>| starts_there(edges) && !are_exclusive(program, p, edges);
        found.extend(leaving.into_iter().filter(is_choice).map(|edges| Choice { procedure, edges }));
    }
    found
}

/// The procedure whose choices start in a line; else it is said why there is none.
pub fn procedure_of_choice(program: &Program, line: u32) -> Result<ProcId, String> {
    let found = choices(program, line);
    let first = found.first().ok_or_else(|| no_choice(line))?.procedure;
    match found.iter().all(|choice| choice.procedure == first) {
        true => Ok(first),
        false => Err(format!("several procedures have a choice in line {line}")),
    }
}

fn no_choice(line: u32) -> String {
    format!("no choice of the program starts in line {line}")
}

/// A branch with a value for all that it draws: at most one successor for each state.
#[derive(Debug, Clone)]
pub struct LeapStep {
    /// The branch, by position.
    pub branch: usize,
    /// Where it starts.
    pub source: NodeId,
    /// Where it ends.
    pub target: NodeId,
    /// When it is taken.
    pub condition: Term,
    /// What it changes.
    pub updates: FxHashMap<Term, Term>,
    /// The values drawn: what for, when, and which.
    pub draws: Vec<(Use, Term, Term)>,
}

impl LeapStep {
    /// A set of states read after the step, without the step's own condition.
    pub fn after(&self, query: &mut Query<'_>, set: &Set) -> Term {
        let condition = set.get(&mut query.encoder.terms, self.target);
        query.encoder.terms.substitute(condition, &self.updates)
    }

    /// Where the step leads into a set.
    pub fn pre(&self, query: &mut Query<'_>, set: &Set) -> Term {
        let after = self.after(query, set);
        query.encoder.terms.and(&[self.condition, after])
    }
}

/// Witnesses tried for one branch.
const MAX_WITNESSES: usize = 6;

/// The steps of some branches: for each branch that can be taken in `from` and then leads into `to`, one for each
/// witness that is useful there; the best first.
pub fn steps(
    query: &mut Query<'_>,
    system: &System,
    relevant: &[Term],
    (from, to): (&Set, &Set),
    many: bool,
) -> Result<Vec<LeapStep>, Stop> {
    let mut found = Vec::new();
    for (number, branch) in system.branches.iter().enumerate() {
        let terms = &mut query.encoder.terms;
        let (here, there) = (from.get(terms, branch.source), to.get(terms, branch.target));
        if !branch.exact || terms.as_bool(here) == Some(false) || terms.as_bool(there) == Some(false) {
            continue;
        }
        let there = terms.substitute(there, &branch.updates);
        let mut goal = branch.conditions.clone();
        goal.push(there);
        let mut all = goal.clone();
        all.push(here);
        if query.possible(&all)? == Some(false) {
            continue;
        }
        let mut kept = 0;
        let free = system.nodes[branch.source].kind == Kind::Start;
        for witness in witnesses(query, branch, here, &goal, free)? {
            let mut step = instance(query, number, branch, &witness);
            step.updates.retain(|symbol, _| relevant.contains(symbol));
            let pre = step.pre(query, to);
            if query.possible(&[here, pre])? != Some(true) {
                continue;
            }
            found.push(step);
            kept += 1;
            if !many || kept >= 3 {
                break;
            }
        }
    }
    Ok(found)
}

/// A branch as it is, with what it draws left open.
pub fn open_step(query: &mut Query<'_>, number: usize, branch: &Branch, relevant: &[Term]) -> LeapStep {
    let mut step = instance(query, number, branch, &FxHashMap::default());
    step.updates.retain(|symbol, _| relevant.contains(symbol));
    step
}

/// A branch with witnesses for what it draws.
fn instance(
    query: &mut Query<'_>,
    number: usize,
    branch: &Branch,
    witness: &FxHashMap<Term, Term>,
) -> LeapStep {
    let terms = &mut query.encoder.terms;
    let condition = terms.and(&branch.conditions);
    let condition = terms.substitute(condition, witness);
    let updates =
        branch.updates.iter().map(|(&symbol, &value)| (symbol, terms.substitute(value, witness))).collect();
    let draws = branch.draws.iter().map(|draw| {
        let guard = terms.substitute(draw.guard, witness);
        (draw.purpose, guard, terms.substitute(draw.value, witness))
    });
    let draws = draws.collect();
    LeapStep { branch: number, source: branch.source, target: branch.target, condition, updates, draws }
}

/// Values for what a branch draws, those first that serve every state in which the rest of the goal holds. What is
/// drawn at the start of the program stays open: it is part of the state from which all is reached.
fn witnesses(
    query: &mut Query<'_>,
    branch: &Branch,
    here: Term,
    goal: &[Term],
    free: bool,
) -> Result<Vec<FxHashMap<Term, Term>>, Stop> {
    let drawn: Vec<Term> = branch
        .draws
        .iter()
        .map(|draw| draw.value)
        .filter(|&value| matches!(query.encoder.terms.node(value), Node::Symbol { .. }))
        .collect();
    if drawn.is_empty() {
        return Ok(vec![FxHashMap::default()]);
    }
    if free {
        return Ok(vec![FxHashMap::default()]);
    }
    let used = query.encoder.terms.symbols_of(goal);
    let mut candidates = vec![constant(query, &drawn, 0), constant(query, &drawn, 1)];
    let bounds = bounds(query, &drawn, goal);
    for (symbol, terms) in bounds {
        for term in terms {
            let mut witness = constant(query, &drawn, 0);
            witness.insert(symbol, term);
            candidates.push(witness);
        }
    }
    let mut all = goal.to_vec();
    all.push(here);
    if let Ok(Some(model)) = query.model(&all) {
        let mut witness = FxHashMap::default();
        for &symbol in &drawn {
            let value = query.encoder.terms.evaluate(symbol, &model);
            let term = literal(query, &value, symbol);
            witness.insert(symbol, term);
        }
        candidates.push(witness);
    }
    let (about, rest): (Vec<Term>, Vec<Term>) = goal.iter().partition(|&&part| {
        let symbols = query.encoder.terms.symbols(part);
        symbols.iter().any(|symbol| drawn.contains(symbol))
    });
    let mut always = Vec::new();
    let mut sometimes = Vec::new();
    for witness in candidates {
        if drawn.iter().all(|symbol| used.binary_search(symbol).is_err()) {
            return Ok(vec![witness]);
        }
        let wanted = query.encoder.terms.and(&about);
        let wanted = query.encoder.terms.substitute(wanted, &witness);
        let mut premises = rest.clone();
        premises.push(here);
        match query.implies(&premises, wanted)? {
            true => always.push(witness),
            false => sometimes.push(witness),
        }
        if always.len() >= 2 || always.len() + sometimes.len() >= 2 * MAX_WITNESSES {
            break;
        }
    }
    always.extend(sometimes);
    Ok(always)
}

/// The same small number for all.
fn constant(query: &mut Query<'_>, symbols: &[Term], number: u8) -> FxHashMap<Term, Term> {
    let value = |&symbol: &Term| {
        let terms = &mut query.encoder.terms;
        let value = match terms.sort(symbol) {
            Sort::Bool => terms.bool(number != 0),
            Sort::Int => terms.int(number.into()),
            Sort::BitVec(width) => terms.bv(number.into(), width),
            sort @ Sort::Array(..) => zero(&mut query.encoder, sort),
        };
        (symbol, value)
    };
    symbols.iter().map(value).collect()
}

/// A value as a term of the sort of another.
pub(crate) fn literal(query: &mut Query<'_>, value: &hardbop_logic::Value, symbol: Term) -> Term {
    use hardbop_logic::Value;
    let sort = query.encoder.terms.sort(symbol);
    let terms = &mut query.encoder.terms;
    match *value {
        Value::Bool(value) => terms.bool(value),
        Value::Int(value) => terms.int(value),
        Value::BitVec { value, width } => terms.bv(value, width),
        Value::Array { .. } => zero(&mut query.encoder, sort),
    }
}

/// For values drawn, terms over the state that the goal compares them with, and their neighbours.
fn bounds(query: &mut Query<'_>, drawn: &[Term], goal: &[Term]) -> Vec<(Term, Vec<Term>)> {
    let mut found: Vec<(Term, Vec<Term>)> = Vec::new();
    for t in query.encoder.terms.subterms(goal) {
        let (a, b) = match *query.encoder.terms.node(t) {
            Node::Eq(a, b) | Node::IntLe(a, b) | Node::BvUle(a, b) | Node::BvSle(a, b) => (a, b),
            _ => continue,
        };
        for (symbol, other) in [(a, b), (b, a)] {
            let symbols = query.encoder.terms.symbols(other);
            if !drawn.contains(&symbol) || symbols.iter().any(|symbol| drawn.contains(symbol)) {
                continue;
            }
            let mut near = vec![other];
            let terms = &mut query.encoder.terms;
            match terms.sort(symbol) {
                Sort::Int => {
                    let one = terms.int(1);
                    near.extend([terms.int_add(other, one), terms.int_sub(other, one)]);
                }
                Sort::BitVec(width) => {
                    let one = terms.bv(1, width);
                    near.extend([terms.bv_add(other, one), terms.bv_sub(other, one)]);
                }
                _ => {}
            }
            match found.iter_mut().find(|(known, _)| *known == symbol) {
                Some((_, terms)) => terms.extend(near),
                None => found.push((symbol, near)),
            }
        }
    }
    found.truncate(3);
    found.iter_mut().for_each(|(_, terms)| terms.truncate(MAX_WITNESSES));
    found
}

/// How choices among the steps of a loop are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// There are none: no state has two successors inside (Lemma 2).
    Deterministic,
    /// These steps, by position, are preferred to those they compete with.
    Prefer(Vec<usize>),
    /// Those that compete take turns.
    RoundRobin,
}

/// Groups of steps that compete: from one state, two of them lead to different states of a set.
pub fn competitors(query: &mut Query<'_>, steps: &[LeapStep], inside: &Set) -> Result<Vec<Vec<usize>>, Stop> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for i in 0..steps.len() {
        for j in 0..i {
            let (a, b) = (&steps[j], &steps[i]);
            if a.source != b.source {
                continue;
            }
            let here = inside.get(&mut query.encoder.terms, a.source);
            let (one, other) = (a.pre(query, inside), b.pre(query, inside));
            let differ = differ(query, a, b);
            if query.impossible(&[here, one, other, differ])? {
                continue;
            }
            let with = |groups: &[Vec<usize>], n: usize| groups.iter().position(|group| group.contains(&n));
            match (with(&groups, j), with(&groups, i)) {
                (None, None) => groups.push(vec![j, i]),
                (Some(g), None) => groups[g].push(i),
                (None, Some(g)) => groups[g].push(j),
                (Some(g), Some(h)) if g != h => {
                    let moved = groups.remove(g.max(h));
                    groups[g.min(h)].extend(moved);
                }
                _ => {}
            }
        }
    }
    Ok(groups)
}

/// When two steps from one state lead to different states.
pub fn differ(query: &mut Query<'_>, a: &LeapStep, b: &LeapStep) -> Term {
    if a.target != b.target {
        return query.encoder.terms.bool(true);
    }
    let mut symbols: Vec<Term> = a.updates.keys().chain(b.updates.keys()).copied().collect();
    symbols.sort_unstable();
    symbols.dedup();
    let terms = &mut query.encoder.terms;
    let mut different = Vec::new();
    for symbol in symbols {
        let (x, y) = (a.updates.get(&symbol).unwrap_or(&symbol), b.updates.get(&symbol).unwrap_or(&symbol));
        different.push(terms.ne(*x, *y));
    }
    terms.or(&different)
}

/// The ways to try, for groups of competing steps.
pub fn resolutions(groups: &[Vec<usize>]) -> Vec<Resolution> {
    const MAX_RESOLUTIONS: usize = 16;
    if groups.is_empty() {
        return vec![Resolution::Deterministic];
    }
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
    for group in groups {
        let mut longer = Vec::new();
        for before in &chosen {
            for &step in group {
                let mut more = before.clone();
                more.push(step);
                longer.push(more);
            }
        }
        longer.truncate(MAX_RESOLUTIONS);
        chosen = longer;
    }
    let mut all: Vec<Resolution> = chosen.into_iter().map(Resolution::Prefer).collect();
    all.push(Resolution::RoundRobin);
    all
}

/// The steps with choices resolved, each with the condition that it stays in the set; and symbols that were added to the state,
/// each with the number of its values.
pub fn resolve(
    query: &mut Query<'_>,
    steps: &[LeapStep],
    groups: &[Vec<usize>],
    resolution: &Resolution,
    inside: &Set,
) -> (Vec<LeapStep>, Vec<(Term, u32)>) {
    let mut result: Vec<LeapStep> = steps.to_vec();
    let stays: Vec<Term> = steps.iter().map(|step| step.pre(query, inside)).collect();
    for (step, &stays) in result.iter_mut().zip(&stays) {
        step.condition = stays;
    }
    let mut turns = Vec::new();
    for (g, group) in groups.iter().enumerate() {
        match resolution {
            Resolution::Deterministic => {}
            Resolution::Prefer(preferred) => {
                let mut order = group.clone();
                order.sort_by_key(|step| !preferred.contains(step));
                for (i, &step) in order.iter().enumerate() {
                    let terms = &mut query.encoder.terms;
                    let mut parts = vec![stays[step]];
                    for &before in &order[..i] {
                        if steps[before].source == steps[step].source {
                            parts.push(terms.not(stays[before]));
                        }
                    }
                    result[step].condition = terms.and(&parts);
                }
            }
            Resolution::RoundRobin => {
                let turn = query.turn(&format!("{TURN}{g}"));
                turns.push((turn, group.len() as u32));
                for (i, &step) in group.iter().enumerate() {
                    let mine = query.small(i as u8);
                    let next = query.small(((i + 1) % group.len()) as u8);
                    let terms = &mut query.encoder.terms;
                    let my_turn = terms.eq(turn, mine);
                    result[step].condition = terms.and(&[stays[step], my_turn]);
                    result[step].updates.insert(turn, next);
                }
            }
        }
    }
    (result, turns)
}
