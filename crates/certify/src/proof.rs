//! Proofs, as Hoare triples.
//!
//! Let I(p, l) be the relation of location l of procedure p, over the predicates at entry (E) and now
//! (N). For each path from a cut point l to the next ones, executed from an arbitrary state s:
//!
//! - where it ends at a cut point l′ in state s′: I(p, l)(E, s) and the path's conditions imply
//!   I(p, l′)(E, s′);
//! - where it calls q in state s₁: they imply I(q, entry)(s₁, s₁), predicates of q read after its
//!   formals got their values; behind the call everything that q may change is arbitrary, except
//!   that the relation of q's exit holds between s₁ and the state after;
//! - where it ends in an error, or in something unsupported: they contradict each other.
//!
//! The program starts in an arbitrary state that agrees with the initial values of its globals.
//! E consists of free truth values: a relation holds for whatever the predicates were at entry.

use hardbop_abstraction::predicate::{Predicate, Scope};
use hardbop_base::{Budget, Stop};
use hardbop_ir::{Callee, EdgeId, LocationId, PlaceBase, ProcId, Statement};
use hardbop_logic::{Sort, Term, Terms};
use hardbop_semantics::{Encoder, End, Frame, State, Subject};
use hardbop_solver::{Answer, Solver};
use rustc_hash::FxHashMap;

/// The frame of callees.
const CALLEE: Frame = Frame(1);

/// A predicate, by its position in the list, at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// When the procedure was entered.
    Entry(usize),
    /// Now.
    Now(usize),
}

/// A relation as a decision diagram: a node tests a slot and goes to its low or high successor.
/// Nodes 0 and 1 are false and true and are not listed; node n is at position n − 2 and refers only
/// to nodes before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relation {
    /// The nodes.
    pub nodes: Vec<(Slot, usize, usize)>,
    /// Where to start.
    pub root: usize,
}

/// A proof that no error can be reached.
#[derive(Debug, Clone)]
pub struct Proof {
    /// Where the program starts.
    pub entry: ProcId,
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The relation of each cut point. The exit of a procedure is one; its relation is the summary.
    /// Points that are missing cannot be reached.
    pub relations: FxHashMap<(ProcId, LocationId), Relation>,
    /// All cut points, reachable or not.
    pub cuts: FxHashMap<ProcId, Vec<LocationId>>,
}

/// Why a proof is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// A triple does not hold, or the proof is incomplete.
    Wrong(String),
    /// The solver gave up on a triple.
    Undecided(String),
    /// The budget is spent.
    Stopped(Stop),
}

impl From<Stop> for Rejection {
    fn from(stop: Stop) -> Self {
        Rejection::Stopped(stop)
    }
}

/// Counts about a check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checked {
    /// Triples that were verified.
    pub triples: usize,
}

/// Checks a proof. Each triple is asked of the solvers in turn until one decides it.
pub fn check(
    subject: Subject<'_>,
    proof: &Proof,
    solvers: &mut [Box<dyn Solver>],
    encoder: &mut Encoder,
    budget: &Budget,
) -> Result<Checked, Rejection> {
    if let Some(fault) = malformed(subject, proof) {
        return Err(Rejection::Wrong(fault));
    }
    let mut checker = Checker {
        subject,
        proof,
        solvers,
        encoder,
        budget,
        checked: Checked::default(),
        meanings: FxHashMap::default(),
    };
    for (&procedure, cuts) in &proof.cuts {
        for &location in cuts {
            checker.from(procedure, location)?;
        }
    }
    Ok(checker.checked)
}

/// What is wrong with the form of a proof.
fn malformed(subject: Subject<'_>, proof: &Proof) -> Option<String> {
    for (&(procedure, _), relation) in &proof.relations {
        for (n, &(slot, low, high)) in relation.nodes.iter().enumerate() {
            let (Slot::Entry(i) | Slot::Now(i)) = slot;
            if low >= n + 2 || high >= n + 2 || !in_scope(proof, procedure).any(|j| j == i) {
                return Some("a relation is malformed".to_owned());
            }
        }
        if relation.root >= relation.nodes.len() + 2 {
            return Some("a relation is malformed".to_owned());
        }
    }
    if !starts_at(subject, proof.entry) {
        return Some("the program starts elsewhere".to_owned());
    }
    let p = &subject.program.procedures[proof.entry];
    if !proof.relations.contains_key(&(proof.entry, p.entry)) {
        return Some("the start of the program is not covered".to_owned());
    }
    None
}

/// Whether a run of the program is one of this procedure: it is the entry, or the entry does nothing
/// but call it, and nobody else does.
fn starts_at(subject: Subject<'_>, procedure: ProcId) -> bool {
    let Some(entry) = subject.program.entry else { return false };
    if entry == procedure {
        return true;
    }
    let p = &subject.program.procedures[entry];
    let harmless = p.edges.values().all(|e| match &e.statement {
        Statement::Skip | Statement::Return => true,
        Statement::Call { callee, arguments, .. } => {
            *callee == Callee::Direct(procedure) && arguments.is_empty() && e.source == p.entry
        }
        // What it returns is nobody's concern.
        Statement::Assign(place, _) => {
            Some(subject.program.place(*place).base) == p.result.map(PlaceBase::Var)
        }
        _ => false,
    });
    let calls = p.edges.values().filter(|e| matches!(e.statement, Statement::Call { .. })).count();
    harmless && calls == 1 && subject.alias.calls().callers(procedure).len() == 1
}

struct Checker<'a> {
    subject: Subject<'a>,
    proof: &'a Proof,
    solvers: &'a mut [Box<dyn Solver>],
    encoder: &'a mut Encoder,
    budget: &'a Budget,
    checked: Checked,
    /// Relations as terms over truth values of certain names.
    meanings: FxHashMap<(ProcId, LocationId, [Name; 2]), Term>,
}

/// The family of truth values that stand for predicates at some moment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    /// At the entry of the procedure whose path it is.
    Entry,
    /// At the start of the path.
    Start,
    /// At its end.
    End,
    /// At the entry of a callee, by the number of the call.
    Called(u32),
    /// When the callee has returned.
    Returned(u32),
}

/// A path under way.
#[derive(Clone)]
struct Way {
    procedure: ProcId,
    state: State,
    /// What is known: the relation at the start, and the conditions since.
    given: Vec<Term>,
    length: usize,
    calls: u32,
}

/// A path without a cut point is not longer than this.
const MAX_LENGTH: usize = 100_000;

impl Checker<'_> {
    /// Checks all paths from a cut point.
    fn from(&mut self, procedure: ProcId, location: LocationId) -> Result<(), Rejection> {
        let p = &self.subject.program.procedures[procedure];
        if !self.proof.relations.contains_key(&(procedure, location)) {
            // Nothing holds here: it must not be reached, which is checked where it could be.
            return Ok(());
        }
        self.encoder.restart_names();
        let mut way =
            Way { procedure, state: State::new(Frame::ONLY), given: Vec::new(), length: 0, calls: 0 };
        let starts = procedure == self.proof.entry && location == p.entry;
        if starts {
            self.encoder.on(self.subject).initialise(&mut way.state, &mut way.given);
            self.tie(procedure, &way.state, Name::Entry, &mut way.given);
        } else {
            let relation = self.meaning(procedure, location, [Name::Entry, Name::Start]);
            way.given.extend(relation);
            self.tie(procedure, &way.state, Name::Start, &mut way.given);
        }
        if location == p.entry {
            self.encoder.on(self.subject).enter(&mut way.state, procedure);
        }
        self.follow(way, location)
    }

    /// That truth values stand for the predicates of a procedure in a state.
    fn tie(&mut self, procedure: ProcId, state: &State, name: Name, given: &mut Vec<Term>) {
        let mut coder = self.encoder.on(self.subject);
        for i in in_scope(self.proof, procedure) {
            let predicate = coder.holds(state, self.proof.predicates[i].expr);
            let value = truth_value(&mut coder.encoder.terms, name, i);
            let same = coder.encoder.terms.iff(value, predicate);
            given.push(same);
        }
    }

    /// The relation of a location over truth values with the names of its two moments; nothing if it
    /// cannot be reached.
    fn meaning(&mut self, procedure: ProcId, location: LocationId, names: [Name; 2]) -> Option<Term> {
        let relation = self.proof.relations.get(&(procedure, location))?;
        if let Some(&known) = self.meanings.get(&(procedure, location, names)) {
            return Some(known);
        }
        let store = &mut self.encoder.terms;
        let mut terms = vec![store.bool(false), store.bool(true)];
        for &(slot, low, high) in &relation.nodes {
            let test = match slot {
                Slot::Entry(i) => truth_value(store, names[0], i),
                Slot::Now(i) => truth_value(store, names[1], i),
            };
            let (low, high) = (terms[low], terms[high]);
            terms.push(store.ite(test, high, low));
        }
        let term = terms[relation.root];
        self.meanings.insert((procedure, location, names), term);
        Some(term)
    }

    fn follow(&mut self, way: Way, location: LocationId) -> Result<(), Rejection> {
        // A stack of our own: paths may be long.
        let mut pending = vec![(way, location)];
        while let Some((way, location)) = pending.pop() {
            self.budget.check()?;
            if way.length > MAX_LENGTH {
                return Err(Rejection::Wrong("a loop has no cut point".to_owned()));
            }
            let p = &self.subject.program.procedures[way.procedure];
            for (edge, e) in p.edges.iter().filter(|(_, e)| e.source == location) {
                for next in self.step(way.clone(), edge)? {
                    if self.is_cut(way.procedure, e.target) {
                        self.arrive(&next, e.target)?;
                    } else {
                        pending.push((next, e.target));
                    }
                }
            }
        }
        Ok(())
    }

    fn is_cut(&self, procedure: ProcId, location: LocationId) -> bool {
        self.proof.cuts.get(&procedure).is_some_and(|cuts| cuts.contains(&location))
    }

    /// Takes an edge; a call may have several callees, an end has no successor.
    fn step(&mut self, mut way: Way, edge: EdgeId) -> Result<Vec<Way>, Rejection> {
        way.length += 1;
        let program = self.subject.program;
        if let Statement::Call { .. } = program.procedures[way.procedure].edges[edge].statement {
            return self.call(way, edge);
        }
        let mut coder = self.encoder.on(self.subject);
        match coder.execute(&mut way.state, way.procedure, edge, &mut way.given) {
            End::Continues => Ok(if self.is_hopeless(&way) { Vec::new() } else { vec![way] }),
            End::Stops => Ok(Vec::new()),
            End::Error(_) | End::Unsupported(_) => {
                let never = self.encoder.terms.bool(false);
                self.verify(&way, never, "an error location may be reached")?;
                Ok(Vec::new())
            }
        }
    }

    /// Whether the conditions are plainly contradictory.
    fn is_hopeless(&mut self, way: &Way) -> bool {
        let all = self.encoder.terms.and(&way.given);
        self.encoder.terms.as_bool(all) == Some(false)
    }

    fn call(&mut self, way: Way, edge: EdgeId) -> Result<Vec<Way>, Rejection> {
        let program = self.subject.program;
        let callees = self.subject.alias.callees(way.procedure, edge).to_vec();
        let mut next = Vec::new();
        for callee in callees {
            let mut way = way.clone();
            if program.procedures[callee].external.is_some() {
                let mut coder = self.encoder.on(self.subject);
                coder.execute(&mut way.state, way.procedure, edge, &mut way.given);
                next.push(way);
                continue;
            }
            next.extend(self.enter_and_leave(way, edge, callee)?);
        }
        Ok(next)
    }

    fn enter_and_leave(
        &mut self,
        mut way: Way,
        edge: EdgeId,
        callee: ProcId,
    ) -> Result<Option<Way>, Rejection> {
        let p = &self.subject.program.procedures[callee];
        let call = (way.procedure, edge);
        way.calls += 1;
        let mut coder = self.encoder.on(self.subject);
        coder.require_callee(&way.state, way.procedure, edge, callee, &mut way.given);
        coder.pass_arguments(&mut way.state, call, callee, CALLEE, &mut way.given);
        let (called, returned) = (Name::Called(way.calls), Name::Returned(way.calls));
        way.state.enter(CALLEE);
        self.tie(callee, &way.state, called, &mut way.given);
        way.state.enter(Frame::ONLY);
        let entry = self.meaning(callee, p.entry, [called, called]);
        let goal = entry.unwrap_or_else(|| self.encoder.terms.bool(false));
        self.verify(&way, goal, "a call is not covered by its callee's entry")?;
        let Some(summary) = self.meaning(callee, p.exit, [called, returned]) else { return Ok(None) };
        let mut coder = self.encoder.on(self.subject);
        coder.forget_modified(&mut way.state, callee);
        way.state.enter(CALLEE);
        coder.forget_locals(&mut way.state, callee);
        self.tie(callee, &way.state, returned, &mut way.given);
        way.given.push(summary);
        way.state.enter(Frame::ONLY);
        let mut coder = self.encoder.on(self.subject);
        coder.take_result(&mut way.state, call, callee, CALLEE, &mut way.given);
        Ok(Some(way))
    }

    fn arrive(&mut self, way: &Way, location: LocationId) -> Result<(), Rejection> {
        let mut way = way.clone();
        let (procedure, state) = (way.procedure, way.state.clone());
        self.tie(procedure, &state, Name::End, &mut way.given);
        let goal = self.meaning(procedure, location, [Name::Entry, Name::End]);
        let goal = goal.unwrap_or_else(|| self.encoder.terms.bool(false));
        self.verify(&way, goal, "an invariant is not preserved")
    }

    /// That what is given implies the goal.
    fn verify(&mut self, way: &Way, goal: Term, complaint: &str) -> Result<(), Rejection> {
        self.checked.triples += 1;
        let mut assumptions = way.given.clone();
        assumptions.push(self.encoder.terms.not(goal));
        let all = self.encoder.terms.and(&assumptions);
        match self.encoder.terms.as_bool(all) {
            Some(false) => return Ok(()),
            Some(true) => return Err(Rejection::Wrong(complaint.to_owned())),
            None => {}
        }
        let axioms = self.encoder.on(self.subject).axioms(&assumptions);
        assumptions.extend(axioms);
        let mut reason = "no solver".to_owned();
        for solver in &mut *self.solvers {
            match solver.check(&self.encoder.terms, &assumptions) {
                Answer::Unsat => return Ok(()),
                Answer::Sat => {
                    let name = &self.subject.program.procedures[way.procedure].name;
                    return Err(Rejection::Wrong(format!("{complaint} in `{name}`")));
                }
                Answer::Unknown(why) => {
                    self.budget.check()?;
                    reason = why.to_string();
                }
            }
        }
        Err(Rejection::Undecided(reason))
    }
}

/// The predicates that a procedure sees.
fn in_scope(proof: &Proof, procedure: ProcId) -> impl Iterator<Item = usize> {
    proof
        .predicates
        .iter()
        .enumerate()
        .filter(move |(_, p)| p.scope == Scope::Global || p.scope == Scope::Procedure(procedure))
        .map(|(i, _)| i)
}

/// The truth value that stands for a predicate at a moment.
fn truth_value(terms: &mut Terms, name: Name, i: usize) -> Term {
    terms.symbol(&format!("predicate {i} {name:?}"), Sort::Bool)
}
