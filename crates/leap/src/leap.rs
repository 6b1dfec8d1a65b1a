//! The search for a path that can be leaped along (§4.3).
//!
//! Paths are those of the modal transition system: shortest ones first; then the shortest with each strongly connected component
//! as one abstract state, which is how nested loops are crossed; then the one whose states are the layers of a
//! breadth-first search.

use std::ops::Range;

use hardbop_base::{Budget, Span, Stop};
use hardbop_ir::Order;
use hardbop_ir::{Procedure, Statement};
use hardbop_logic::Term;
use hardbop_predicate::Predicate;
use hardbop_semantics::Subject;
use rustc_hash::FxHashSet;

use crate::chain::{Chain, follow};
use crate::choice::{LeapStep, Schedule, open_step};
use crate::invariant::bounds;
use crate::mts::{Mts, compared, goes_round, read};
use crate::plan::{Plan, guess, plan};
use crate::query::Query;
use crate::range::within;
use crate::set::Set;
use crate::show;
use crate::system::{Failure, Kind, NodeId, System};

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct LeapOptions {
    /// Predicates of the abstract states; without any, a loop is seen as going on or not.
    pub predicates: Vec<Predicate>,
    /// Whether a loop is also seen in parts, by what its branches compare.
    pub fine: bool,
    /// Further predicates, of nodes whatever the others are: the conditions of where to start and to end.
    pub conditions: Vec<Predicate>,
    /// Where a search will start if not where the program does. Nothing has to lead there (§4).
    pub from: Option<(Where, Option<Predicate>)>,
    /// Where the program keeps its mathematical integers at all times.
    pub range: Option<Range<i128>>,
    /// How choices are resolved, where the user says so.
    pub schedule: Schedule,
    /// Whether to find out more than a leap needs: must-transitions between all abstract states, and the other theorem
    /// where one holds.
    pub thorough: bool,
}

/// A place of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// Where it starts.
    Start,
    /// Where it ends without an error.
    End,
    /// Any error.
    Error,
    /// The loop, the procedure that calls itself or the error in this line.
    Line(u32),
}

/// Paths that are tried.
const MAX_PATHS: usize = 6;

/// A program made ready.
pub struct Leaper<'a> {
    /// What asks the solver.
    pub query: Query<'a>,
    /// The program as a transition system.
    pub system: System,
    /// Its abstraction.
    pub mts: Mts,
    /// The symbols that matter.
    pub relevant: Vec<Term>,
    /// The transitions that are left when bounds that hold in all runs are known; paths from the start follow these.
    likely: Vec<(usize, usize)>,
    thorough: bool,
}

/// A path: for each of its states, the abstract states of which it is the union.
pub type Joined = Vec<Vec<usize>>;

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Leap {
    /// The paths that were tried, each state as the abstract states that it joins, and what is known of them; the last
    /// one reaches its end if any does.
    pub chains: Vec<(Joined, Chain)>,
    /// If there is no path, the transitions of the abstraction that would make one but that no run from the start takes.
    pub excluded: Vec<(usize, usize)>,
    /// The limit that ended the search.
    pub stopped: Option<Stop>,
}

impl Leap {
    /// The chain that reaches its end.
    pub fn found(&self) -> Option<&Chain> {
        self.chains.last().map(|(_, chain)| chain).filter(|chain| chain.flip.is_some())
    }

    /// What was found, if no limit ended the search.
    pub fn completed(self) -> Result<Leap, Stop> {
        self.stopped.map_or(Ok(self), Err)
    }
}

impl<'a> Leaper<'a> {
    /// Makes a program ready.
    pub fn new(subject: Subject<'a>, options: &LeapOptions, budget: &'a Budget) -> Result<Self, Failure> {
        let mut query = Query::new(subject, budget);
        let system = System::of(subject, &mut query.encoder, &options.schedule, budget)?;
        let mut extra = Vec::new();
        for node in 0..system.nodes.len() {
            extra.extend(read(&mut query, &system, node, &options.predicates));
            extra.extend(read(&mut query, &system, node, &options.conditions));
        }
        let relevant = relevant(&query, &system, &extra);
        let predicates = |query: &mut Query<'_>, node: NodeId| {
            let mut found = match system.nodes[node].kind {
                Kind::Start | Kind::End => return Ok(Vec::new()),
                Kind::Error(_) => Vec::new(),
                Kind::Head | Kind::Recursion if options.predicates.is_empty() => {
                    goes_round(query, &system, node)?
                }
                Kind::Head | Kind::Recursion => read(query, &system, node, &options.predicates),
            };
            if options.fine {
                compared(query, &system, node, &mut found);
            }
            found.extend(read(query, &system, node, &options.conditions));
            Ok(found)
        };
        let range = options.range.as_ref();
        let range = range.map(|range| within(&mut query.encoder, &relevant, range)).unwrap_or_default();
        let mts = Mts::of(&mut query, &system, &relevant, (&predicates, &range), options.thorough)?;
        let mts = mts.ok_or(Failure::TooLarge)?;
        let thorough = options.thorough;
        let mut leaper = Leaper { query, system, mts, relevant, likely: Vec::new(), thorough };
        let mut roots = leaper.states_at(|kind| kind == Kind::Start);
        if let Some((place, condition)) = options.from {
            roots.extend(leaper.select(place, condition)?);
        }
        leaper.mts.keep_reachable(roots);
        leaper.likely = likely(&mut leaper.query, &leaper.system, &leaper.mts, &leaper.relevant)?;
        Ok(leaper)
    }

    /// The abstract states at a place, those that imply a condition.
    pub fn select(&mut self, place: Where, condition: Option<Predicate>) -> Result<Vec<usize>, Stop> {
        let mut found = Vec::new();
        for state in 0..self.mts.states.len() {
            let Some((node, here)) = self.mts.states[state].iter().next() else { continue };
            let fits = match (place, self.system.nodes[node].kind) {
                (Where::Start, Kind::Start) | (Where::End, Kind::End) | (Where::Error, Kind::Error(_)) => {
                    true
                }
                (Where::Line(line), Kind::Head | Kind::Recursion | Kind::Error(_)) => {
                    show::line(&self.query, &self.system, node) == Some(line)
                }
                _ => false,
            };
            let wanted = match condition {
                Some(condition) => read(&mut self.query, &self.system, node, &[condition]),
                None => Vec::new(),
            };
            let implied = match wanted[..] {
                [wanted] => self.query.implies(&[here], wanted)?,
                _ => condition.is_none(),
            };
            if fits && implied {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// Whether there is such a place in the program, reachable or not.
    pub fn has_place(&self, place: Where) -> bool {
        let Where::Line(line) = place else { return true };
        let program = self.query.subject.program;
        let is_there = |span: Span| program.files.origin(span).line == line;
        let in_procedure = |p: &Procedure| {
            let order = Order::of(p);
            p.edges.iter().any(|(id, edge)| {
                let is_head = order.is_head(edge.source) && order.leaving(edge.source).first() == Some(&id);
                (is_head || matches!(edge.statement, Statement::Error(_))) && is_there(edge.span)
            })
        };
        let named = |node: NodeId| show::line(&self.query, &self.system, node) == Some(line);
        (0..self.system.nodes.len()).any(named) || program.procedures.values().any(in_procedure)
    }

    /// The abstract states of some nodes.
    pub fn states_at(&self, wanted: impl Fn(Kind) -> bool) -> Vec<usize> {
        let has = |set: &Set| set.nodes().any(|node| wanted(self.system.nodes[node].kind));
        (0..self.mts.states.len()).filter(|&state| has(&self.mts.states[state])).collect()
    }

    /// Looks for a way from some abstract states to others.
    pub fn search(&mut self, from: &[usize], to: &[usize]) -> Leap {
        let starts = self.states_at(|kind| kind == Kind::Start);
        // Elsewhere it is not known how a run got there (§4), so what holds in all runs must not be used.
        let from_start = from.iter().all(|state| starts.contains(state));
        let moves = if from_start { self.likely.clone() } else { self.mts.pairs() };
        let paths = self.paths(&moves, from, to);
        let excluded = match paths.is_empty() && from_start {
            true => self.excluded(from, to),
            false => Vec::new(),
        };
        Leap { excluded, ..self.along(paths) }
    }

    /// Tries paths in turn.
    pub fn along(&mut self, paths: Vec<Joined>) -> Leap {
        let mut leap = Leap::default();
        for path in paths {
            let sets: Vec<Set> = path.iter().map(|states| self.union(states)).collect();
            match follow(&mut self.query, &self.system, &self.relevant, &sets, self.thorough) {
                Ok(chain) => leap.chains.push((path, chain)),
                Err(stop) => leap.stopped = Some(stop),
            }
            if leap.found().is_some() || leap.stopped.is_some() {
                break;
            }
        }
        leap
    }

    /// Where ways between abstract states end because bounds on all runs exclude the next transition.
    fn excluded(&self, from: &[usize], to: &[usize]) -> Vec<(usize, usize)> {
        let all = self.mts.pairs();
        let back: Vec<(usize, usize)> = all.iter().map(|&(source, target)| (target, source)).collect();
        let (behind, before) = (reachable(&self.likely, from), reachable(&back, to));
        let on_a_way = |&(source, target): &(usize, usize)| {
            behind.contains(&source) && before.contains(&target) && !self.likely.contains(&(source, target))
        };
        all.into_iter().filter(on_a_way).collect()
    }

    /// Whether a chain leads from the start of the program to an error.
    pub fn is_failure(&self, chain: &Chain) -> bool {
        let kind = |node: NodeId| self.system.nodes[node].kind;
        let [first, .., last] = &chain.links[..] else { return false };
        first.state.nodes().all(|node| kind(node) == Kind::Start)
            && last.state.nodes().all(|node| matches!(kind(node), Kind::Error(_)))
    }

    /// Inputs that lead along a chain.
    pub fn plan(&mut self, chain: &Chain) -> Result<Option<Plan>, Stop> {
        plan(&mut self.query, &self.system, &self.relevant, chain)
    }

    /// Inputs that may lead along a chain that is not shown to reach its end.
    pub fn guess(&mut self, chain: &Chain) -> Result<Option<Plan>, Stop> {
        guess(&mut self.query, &self.system, &self.relevant, chain)
    }

    /// The paths to try.
    fn paths(&self, moves: &[(usize, usize)], from: &[usize], to: &[usize]) -> Vec<Joined> {
        let all = 0..self.mts.states.len();
        let plain: Vec<usize> = all.clone().collect();
        let mut paths: Vec<Joined> = Vec::new();
        for path in shortest(moves, from, to, &plain) {
            paths.push(path.into_iter().map(|state| vec![state]).collect());
        }
        // Where to start and where to end is not joined with anything.
        let apart = |state: usize| from.contains(&state) || to.contains(&state);
        let components: Vec<usize> = self.mts.components();
        let components: Vec<usize> = all
            .clone()
            .map(|state| if apart(state) { state } else { all.len() + components[state] })
            .collect();
        for path in shortest(moves, from, to, &components) {
            let members = |number: usize| all.clone().filter(|&state| components[state] == number).collect();
            paths.push(path.into_iter().map(members).collect());
        }
        paths.extend(self.layers(moves, from, to));
        let mut seen: FxHashSet<Joined> = FxHashSet::default();
        paths.retain(|path| path.len() > 1 && seen.insert(path.clone()));
        paths
    }

    fn union(&mut self, states: &[usize]) -> Set {
        let mut all = Set::new();
        for &state in states {
            all = all.or(&mut self.query.encoder.terms, &self.mts.states[state]);
        }
        all
    }

    /// Breadth-first: each state is the union of all that the one before leads to.
    fn layers(&self, moves: &[(usize, usize)], from: &[usize], to: &[usize]) -> Option<Joined> {
        let mut seen: FxHashSet<usize> = from.iter().copied().collect();
        let mut layer = from.to_vec();
        let mut path = Vec::new();
        while !layer.is_empty() && path.len() < self.mts.states.len() {
            if layer.iter().any(|state| to.contains(state)) {
                layer.retain(|state| to.contains(state));
                path.push(layer);
                return Some(path);
            }
            path.push(layer.clone());
            let next: FxHashSet<usize> = layer.iter().flat_map(|&state| successors(moves, state)).collect();
            layer = next.into_iter().filter(|&state| seen.insert(state)).collect();
            layer.sort_unstable();
        }
        None
    }
}

fn successors(moves: &[(usize, usize)], from: usize) -> impl Iterator<Item = usize> + '_ {
    moves.iter().filter(move |&&(source, _)| source == from).map(|&(_, target)| target)
}

/// The states that moves lead to from some, and these.
fn reachable(moves: &[(usize, usize)], from: &[usize]) -> FxHashSet<usize> {
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut open = from.to_vec();
    while let Some(state) = open.pop() {
        if seen.insert(state) {
            open.extend(successors(moves, state));
        }
    }
    seen
}

/// The shortest simple paths, where states of one group are one.
fn shortest(moves: &[(usize, usize)], from: &[usize], to: &[usize], group: &[usize]) -> Vec<Vec<usize>> {
    let goals: FxHashSet<usize> = to.iter().map(|&state| group[state]).collect();
    let mut open: std::collections::VecDeque<Vec<usize>> =
        from.iter().map(|&state| vec![group[state]]).collect();
    let mut found = Vec::new();
    let mut tries = 0;
    while let Some(path) = open.pop_front() {
        tries += 1;
        let last = path[path.len() - 1];
        if goals.contains(&last) {
            found.push(path);
            if found.len() == MAX_PATHS {
                break;
            }
            continue;
        }
        if tries > 2000 {
            break;
        }
        let mut next: Vec<usize> = (0..group.len())
            .filter(|&state| group[state] == last)
            .flat_map(|state| successors(moves, state))
            .map(|state| group[state])
            .filter(|state| !path.contains(state))
            .collect();
        next.sort_unstable();
        next.dedup();
        open.extend(next.into_iter().map(|state| {
            let mut longer = path.clone();
            longer.push(state);
            longer
        }));
    }
    found
}

/// The may-transitions that bounds on all runs leave.
fn likely(
    query: &mut Query<'_>,
    system: &System,
    mts: &Mts,
    relevant: &[Term],
) -> Result<Vec<(usize, usize)>, Stop> {
    let mut everything = Set::new();
    let truth = query.encoder.terms.bool(true);
    for node in 0..system.nodes.len() {
        everything.add(&mut query.encoder.terms, node, truth);
    }
    let steps: Vec<LeapStep> = system
        .branches
        .iter()
        .enumerate()
        .map(|(number, branch)| open_step(query, number, branch, relevant))
        .collect();
    let start = Set::at(0, truth);
    let bounds = bounds(query, system, &steps, &start, &everything, relevant)?;
    let mut found = Vec::new();
    for m in &mts.moves {
        let (from, to) = (&mts.states[m.from], &mts.states[m.to]);
        let mut possible = false;
        for step in &steps {
            let (here, known) = (
                from.get(&mut query.encoder.terms, step.source),
                bounds.get(&mut query.encoder.terms, step.source),
            );
            let pre = step.pre(query, to);
            possible |= query.possible(&[here, known, pre])? != Some(false);
        }
        if possible {
            found.push((m.from, m.to));
        }
    }
    Ok(found)
}

/// The symbols on which it depends whether an error is reached: those of conditions, and what goes into them.
pub(crate) fn relevant(query: &Query<'_>, system: &System, extra: &[Term]) -> Vec<Term> {
    let mut found: FxHashSet<Term> = query.state_symbols(extra).into_iter().collect();
    for branch in &system.branches {
        found.extend(query.state_symbols(&branch.conditions));
    }
    loop {
        let before = found.len();
        for branch in &system.branches {
            for (symbol, &value) in &branch.updates {
                if found.contains(symbol) {
                    found.extend(query.state_symbols(&[value]));
                }
            }
        }
        if found.len() == before {
            break;
        }
    }
    let mut all: Vec<Term> = found.into_iter().collect();
    all.sort_unstable();
    all
}
