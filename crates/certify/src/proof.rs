//! Proofs, as Hoare triples.
//!
//! Let I(p, l) be the relation of location l of procedure p, over the predicates at entry (E) and now
//! (N). For all paths from a cut point l to the next ones, executed from an arbitrary state s (where
//! paths meet, they go on as one, with choices between their values):
//!
//! - where they end at a cut point l′ in state s′: I(p, l)(E, s) and the paths' conditions imply
//!   I(p, l′)(E, s′);
//! - where they call q in state s₁: they imply I(q, entry)(s₁, s₁), predicates of q read after its
//!   formals got their values; behind the call everything that q may change is arbitrary, except
//!   that the relation of q's exit holds between s₁ and the state after;
//! - where they end in an error, or in something unsupported: they contradict each other.
//!
//! The program starts in an arbitrary state that agrees with the initial values of its globals. The proof may be
//! about a procedure that its entry calls once (`main`, and what comes before it): then this one starts in the states
//! in which it is called, and of the entry no relations are needed.
//! E consists of free truth values: a relation holds for whatever the predicates were at entry.
//!
//! All triples of a cut point are asked about at once (`goals`). A procedure of which nothing is claimed, whose
//! relations admit everything, needs no triples.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use hardbop_base::{Budget, Stop};
use hardbop_ir::{EdgeId, ExprId, LocationId, Order, ProcId, Statement};
use hardbop_logic::{Model, Sort, Term, Terms};
use hardbop_predicate::{Scope, instrument_ghosts};
use hardbop_semantics::{Coder, Encoder, Frame, State, Subject};
use hardbop_solver::Solver;
use rustc_hash::FxHashMap;

use crate::ask::{Background, has_model, refute};
use crate::broken::{Broken, Reading, Refusal, To};
use crate::goals::{Facts, Goal};
use crate::walk::{Check, Place, Places, Way, follow, is_open, join, named};

pub use crate::rejection::Rejection;
pub use hardbop_predicate::{Proof, Relation, Slot};

/// Room for nested calls in a thread.
const STACK: usize = 1 << 28;

/// Counts about a check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checked {
    /// Triples that were verified.
    pub triples: usize,
}

/// Checks a proof about a program. Its ghosts are added to a copy here, so that what is certified is the program as it was
/// loaded. Each triple is asked of the solvers in turn until one decides it.
pub fn check(
    subject: Subject<'_>,
    proof: &Proof,
    solvers: &mut [Box<dyn Solver>],
    encoder: &mut Encoder,
    budget: &Budget,
) -> Result<Checked, Rejection> {
    examine(subject, proof, solvers, encoder, budget).map_err(|refusal| refusal.rejection)
}

/// Checks a proof, and says more of a triple that does not hold.
pub fn examine(
    subject: Subject<'_>,
    proof: &Proof,
    solvers: &mut [Box<dyn Solver>],
    encoder: &mut Encoder,
    budget: &Budget,
) -> Result<Checked, Refusal> {
    on_certified(subject, proof, |subject| {
        let mut checker = Checker::new(subject, proof, solvers, encoder, budget);
        let mut parts = 0..=subject.program.procedures.len();
        let checked = checker.all(&mut || parts.next()).map_err(|why| why.seen_by(checker.encoder));
        checker.encoder.leave_shifts_open(false);
        match checked {
            Ok(()) => Ok(checker.checked),
            Err(rejection) => Err(Refusal { rejection, broken: checker.broken.map(Box::new) }),
        }
    })
}

/// Checks a proof with two threads, each of which takes the next procedure, and asks solvers of its own.
pub fn check_by_two(
    subject: Subject<'_>,
    proof: &Proof,
    solvers: &(dyn Fn() -> Vec<Box<dyn Solver>> + Sync),
    budget: &Budget,
) -> Result<Checked, Rejection> {
    let (next, budget) = (AtomicUsize::new(0), budget.part());
    let checked = on_certified(subject, proof, |subject| {
        let work = || {
            let (mut solvers, mut encoder) = (solvers(), Encoder::default());
            let mut checker = Checker::new(subject, proof, &mut solvers, &mut encoder, &budget);
            let parts = subject.program.procedures.len();
            let found = checker.all(&mut || {
                let part = next.fetch_add(1, Ordering::Relaxed);
                (part <= parts).then_some(part)
            });
            if found.is_err() {
                budget.stop(Stop::Interrupt);
            }
            found.map(|()| checker.checked.triples).map_err(|why| why.seen_by(checker.encoder))
        };
        std::thread::scope(|scope| {
            // If no thread can be started, there is one.
            let other = std::thread::Builder::new().stack_size(budget.stack(STACK)).spawn_scoped(scope, work);
            let own = work();
            let other =
                other.map_or(Ok(0), |other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            match (own, other) {
                (Ok(own), Ok(other)) => Ok(Checked { triples: own + other }),
                // Who was told to stop says no more than that.
                (Err(Rejection::Stopped(_)), Err(why)) | (Err(why), _) | (_, Err(why)) => Err(why.into()),
            }
        })
    });
    checked.map_err(|refusal| refusal.rejection)
}

/// Does something with what is certified: the program as it was loaded, and the ghosts of a proof that is well formed.
fn on_certified(
    subject: Subject<'_>,
    proof: &Proof,
    check: impl FnOnce(Subject<'_>) -> Result<Checked, Refusal>,
) -> Result<Checked, Refusal> {
    let with_ghosts;
    let subject = if proof.ghosts.is_empty() {
        subject
    } else {
        with_ghosts = instrument_ghosts(subject.program, &proof.ghosts)
            .map_err(|fault| Rejection::Wrong(format!("a ghost cannot be added: {fault}")))?;
        Subject { program: &with_ghosts, ..subject }
    };
    match malformed(subject, proof) {
        Some(fault) => Err(Rejection::Wrong(fault).into()),
        None => check(subject),
    }
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

/// Whether every run of this procedure is one that the start of the program leads to: it is the entry, or the
/// entry, which nobody calls, has the only call of it.
fn starts_at(subject: Subject<'_>, procedure: ProcId) -> bool {
    let Some(entry) = subject.program.entry else { return false };
    let callers = |procedure| subject.alias.calls().callers(procedure);
    entry == procedure
        || callers(entry).is_empty()
            && matches!(callers(procedure), [(caller, _)] if *caller == entry)
            && subject.program.procedures[procedure].formals.is_empty()
}

struct Checker<'a> {
    subject: Subject<'a>,
    proof: &'a Proof,
    solvers: &'a mut [Box<dyn Solver>],
    encoder: &'a mut Encoder,
    budget: &'a Budget,
    checked: Checked,
    places: Places<'a>,
    /// The paths to each cut point that they end at.
    arrived: BTreeMap<LocationId, Way>,
    /// Relations as terms over truth values of certain names.
    meanings: FxHashMap<(ProcId, LocationId, [Name; 2]), Term>,
    /// What holds on all ways from the cut point at hand: its relation, and what names stand for.
    facts: Facts,
    /// What is to be shown of them.
    goals: Vec<Goal>,
    /// What is taken for granted besides.
    background: Background,
    /// Calls since that cut point.
    calls: u32,
    /// How the entry of the program gets to the call of the procedure that the proof starts with, and what holds then.
    start: Option<(Way, Facts)>,
    /// The cut point at hand, and the state there; nothing where the start of the program leads.
    from: Option<(LocationId, State)>,
    /// What is known of the triple that does not hold.
    broken: Option<Broken>,
}

/// The family of truth values that stand for predicates at some moment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    /// At the entry of the procedure whose path it is.
    Entry,
    /// At the start of the path.
    Start,
    /// At its end, by the number of the location.
    End(u32),
    /// At the entry of a callee, by the number of the call.
    Called(u32),
    /// When the callee has returned.
    Returned(u32),
}

impl<'a> Checker<'a> {
    fn new(
        subject: Subject<'a>,
        proof: &'a Proof,
        solvers: &'a mut [Box<dyn Solver>],
        encoder: &'a mut Encoder,
        budget: &'a Budget,
    ) -> Self {
        encoder.leave_shifts_open(true);
        Checker {
            subject,
            proof,
            solvers,
            encoder,
            budget,
            checked: Checked::default(),
            places: Places::new(subject, budget),
            arrived: BTreeMap::new(),
            meanings: FxHashMap::default(),
            facts: Facts::default(),
            goals: Vec::new(),
            background: Background::default(),
            calls: 0,
            start: None,
            from: None,
            broken: None,
        }
    }
}

impl Checker<'_> {
    /// Checks parts of a proof, as long as there is a next one: how the program starts is the first, the others are its
    /// procedures.
    fn all(&mut self, next: &mut dyn FnMut() -> Option<usize>) -> Result<(), Rejection> {
        while let Some(part) = next() {
            match part.checked_sub(1) {
                None => self.lead_in()?,
                Some(procedure) => self.procedure(ProcId::from_usize(procedure))?,
            }
        }
        Ok(())
    }

    fn procedure(&mut self, id: ProcId) -> Result<(), Rejection> {
        let p = &self.subject.program.procedures[id];
        if p.external.is_some() || self.leads_in(id) {
            return Ok(());
        }
        let order = Order::of(p);
        if self.claims_nothing(id, &order) {
            return Ok(());
        }
        order.cuts().into_iter().try_for_each(|location| self.from(id, &order, location))
    }

    /// Whether a procedure is the entry of the program, but the proof starts with one that it calls.
    fn leads_in(&self, procedure: ProcId) -> bool {
        procedure != self.proof.entry && self.subject.program.entry == Some(procedure)
    }

    /// Whether all triples of a procedure plainly hold: its relations admit everything, those of the entries that it
    /// calls too, and nothing in it is an error. Where the program starts there is more to check.
    fn claims_nothing(&self, procedure: ProcId, order: &Order) -> bool {
        let admits = |point| self.proof.relations.get(&point).is_some_and(Relation::is_anything);
        let procedures = &self.subject.program.procedures;
        let is_open = |callee: ProcId| {
            procedures[callee].external.is_some() || admits((callee, procedures[callee].entry))
        };
        procedure != self.proof.entry
            && order.cuts().into_iter().all(|location| admits((procedure, location)))
            && procedures[procedure].edges.iter().all(|(edge, e)| match e.statement {
                Statement::Error(_) | Statement::Unsupported(_) => false,
                Statement::Call { .. } => {
                    self.subject.alias.callees(procedure, edge).iter().copied().all(is_open)
                }
                _ => true,
            })
    }

    /// Follows the entry of the program up to its end, and where it calls the procedure that the proof starts with,
    /// remembers how. There is nothing to know at its end, as nobody called it; a loop in it is not covered.
    fn lead_in(&mut self) -> Result<(), Rejection> {
        let Some(entry) = self.subject.program.entry.filter(|&entry| self.leads_in(entry)) else {
            return Ok(());
        };
        let p = &self.subject.program.procedures[entry];
        let mut state = State::new(Frame::ONLY);
        let mut conditions = Vec::new();
        let mut coder = self.encoder.on(self.subject);
        coder.initialise(&mut state, &mut conditions);
        coder.enter(&mut state, entry);
        self.can_start(&conditions)?;
        self.facts.require(conditions);
        let guard = self.encoder.terms.bool(true);
        self.follow(entry, p.entry, Way { state, guard })?;
        let (start, order) =
            (self.proof.entry, Order::of(&self.subject.program.procedures[self.proof.entry]));
        // If it is not called, it does not run.
        let Some((mut way, facts)) = self.start.take() else { return Ok(()) };
        self.facts = facts;
        let at_entry = self.slots(start, order.cuts(), is_entry);
        self.tie(&at_entry, &way.state, Name::Entry);
        self.encoder.on(self.subject).enter(&mut way.state, start);
        self.follow(start, self.subject.program.procedures[start].entry, way)?;
        self.background.confirm(self.encoder, self.solvers, self.budget)
    }

    /// Checks all paths from a cut point.
    fn from(&mut self, procedure: ProcId, order: &Order, location: LocationId) -> Result<(), Rejection> {
        let p = &self.subject.program.procedures[procedure];
        let starts = procedure == self.proof.entry && location == p.entry;
        let leads = self.subject.program.entry != Some(procedure);
        if starts && leads {
            // It is called only once, and that was checked.
            return Ok(());
        }
        if starts {
            self.paths_from(procedure, order, location, true)?;
        }
        // Others may call it later.
        if starts && self.subject.alias.calls().callers(procedure).is_empty() {
            return Ok(());
        }
        self.paths_from(procedure, order, location, false)
    }

    /// Checks all paths from the initial state of the program, or from any state that the relation of
    /// a cut point admits.
    fn paths_from(
        &mut self,
        procedure: ProcId,
        order: &Order,
        location: LocationId,
        initial: bool,
    ) -> Result<(), Rejection> {
        let p = &self.subject.program.procedures[procedure];
        if !self.proof.relations.contains_key(&(procedure, location)) {
            // Nothing holds here: it must not be reached, which is checked where it could be.
            return Ok(());
        }
        self.encoder.restart_names();
        self.facts.clear();
        self.calls = 0;
        let mut state = State::new(Frame::ONLY);
        let mut conditions = Vec::new();
        if initial {
            self.encoder.on(self.subject).initialise(&mut state, &mut conditions);
            self.facts.require(conditions.iter().copied());
            let at_entry = self.slots(procedure, order.cuts(), is_entry);
            self.tie(&at_entry, &state, Name::Entry);
        } else {
            let relation = self.meaning(procedure, location, [Name::Entry, Name::Start]);
            self.facts.require(relation);
            let now = self.slots(procedure, [location], is_now);
            self.tie(&now, &state, Name::Start);
        }
        if location == p.entry {
            self.encoder.on(self.subject).enter(&mut state, procedure);
        }
        if initial {
            self.can_start(&conditions)?;
        }
        self.from = (!initial).then(|| (location, state.clone()));
        let guard = self.encoder.terms.bool(true);
        self.follow(procedure, location, Way { state, guard })?;
        self.background.confirm(self.encoder, self.solvers, self.budget)
    }

    /// That some state is one in which the program starts.
    fn can_start(&mut self, conditions: &[Term]) -> Result<(), Rejection> {
        let mut given = conditions.to_vec();
        given.extend(self.encoder.on(self.subject).axioms(conditions));
        match has_model(self.encoder, self.solvers, &given, self.budget)? {
            true => Ok(()),
            false => Err(Rejection::Wrong("the program cannot start".to_owned())),
        }
    }

    /// The predicates that relations of a procedure mention in slots of some kind.
    fn slots(
        &self,
        procedure: ProcId,
        locations: impl IntoIterator<Item = LocationId>,
        wanted: fn(Slot) -> bool,
    ) -> Vec<usize> {
        let relations = locations.into_iter().filter_map(|at| self.proof.relations.get(&(procedure, at)));
        let slots = relations.flat_map(|relation| &relation.nodes).map(|&(slot, ..)| slot);
        let mut found: Vec<usize> = slots
            .filter(|&slot| wanted(slot))
            .map(|slot| match slot {
                Slot::Entry(i) | Slot::Now(i) => i,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// That truth values stand for some predicates in a state.
    fn tie(&mut self, predicates: &[usize], state: &State, name: Name) {
        let mut coder = self.encoder.on(self.subject);
        for &i in predicates {
            let predicate = coder.holds(state, self.proof.predicates[i].expr);
            let value = truth_value(&mut coder.encoder.terms, name, i);
            let same = coder.encoder.terms.iff(value, predicate);
            self.facts.define(value, same);
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

    /// Follows all paths up to the next cut points.
    fn follow(&mut self, procedure: ProcId, start: LocationId, way: Way) -> Result<(), Rejection> {
        let start = self.places.first(None, procedure, start);
        self.places.add(&mut self.encoder.on(self.subject), start, way);
        follow(self)?;
        for (location, way) in std::mem::take(&mut self.arrived) {
            self.end(procedure, location, way);
        }
        let goals = std::mem::take(&mut self.goals);
        self.all_hold(&goals)
    }

    /// A call as the relations of the callee's entry and exit tell it.
    fn enter_and_leave(
        &mut self,
        call @ (procedure, edge): (ProcId, EdgeId),
        callee: ProcId,
        mut way: Way,
    ) -> Option<Way> {
        let p = &self.subject.program.procedures[callee];
        let is_used = !self.proof.unused.contains(&call);
        if self.leads_in(procedure) && callee == self.proof.entry {
            self.start = Some((way.clone(), self.facts.clone()));
        }
        self.calls += 1;
        // Another one for each call: variables of two activations need not lie at the same place.
        let frame = Frame(self.calls);
        let (called, returned) = (Name::Called(self.calls), Name::Returned(self.calls));
        let mut conditions = vec![way.guard];
        let mut coder = self.encoder.on(self.subject);
        coder.pass_arguments(&mut way.state, call, callee, frame, &mut conditions);
        if is_used {
            way.guard = self.encoder.terms.and(&conditions);
        }
        way.state.enter(frame);
        let mut at_entry = self.slots(callee, [p.entry], |_| true);
        at_entry.extend(self.slots(callee, [p.exit], is_entry));
        at_entry.sort_unstable();
        at_entry.dedup();
        self.tie(&at_entry, &way.state, called);
        let entry = self.meaning(callee, p.entry, [called, called]);
        let goal = entry.unwrap_or_else(|| self.encoder.terms.bool(false));
        let complaint = format!("a call is not covered by the entry of `{}`", p.name);
        self.verify((procedure, To::Call(edge, callee)), way.clone(), goal, complaint);
        let summary = self.meaning(callee, p.exit, [called, returned])?;
        let mut coder = self.encoder.on(self.subject);
        way.state.enter(Frame::ONLY);
        coder.forget_modified(&mut way.state, callee);
        way.state.enter(frame);
        coder.forget_locals(&mut way.state, callee);
        let now = self.slots(callee, [p.exit], is_now);
        self.tie(&now, &way.state, returned);
        way.state.enter(Frame::ONLY);
        let mut conditions = vec![way.guard, summary];
        let mut coder = self.encoder.on(self.subject);
        coder.take_result(&mut way.state, call, callee, frame, &mut conditions);
        way.state.drop_locals(frame);
        if !is_used {
            conditions.truncate(2);
        }
        way.guard = self.encoder.terms.and(&conditions);
        Some(way)
    }

    /// That the relation of a cut point holds where paths end there.
    fn end(&mut self, procedure: ProcId, location: LocationId, way: Way) {
        if self.leads_in(procedure) && location == self.subject.program.procedures[procedure].exit {
            return;
        }
        let name = Name::End(location.index() as u32);
        let now = self.slots(procedure, [location], is_now);
        self.tie(&now, &way.state, name);
        let goal = self.meaning(procedure, location, [Name::Entry, name]);
        let goal = goal.unwrap_or_else(|| self.encoder.terms.bool(false));
        let complaint = "an invariant is not preserved".to_owned();
        self.verify((procedure, To::Location(location)), way, goal, complaint);
    }

    /// The goal is to hold on all ways to a place.
    fn verify(&mut self, at: (ProcId, To), way: Way, goal: Term, complaint: String) {
        self.checked.triples += 1;
        let fails = self.encoder.terms.not(goal);
        let fails = self.encoder.terms.and(&[way.guard, fails]);
        if is_open(&self.encoder.terms, fails) {
            self.goals.push(Goal { at, way, fails, complaint });
        }
    }

    /// That goals hold: all at once, or each half of them, or each by itself.
    fn all_hold(&mut self, goals: &[Goal]) -> Result<(), Rejection> {
        if let [goal] = goals {
            return self.holds(goal);
        }
        if goals.is_empty() || self.hold_together(goals)? {
            return Ok(());
        }
        let (some, others) = goals.split_at(goals.len() / 2);
        self.all_hold(some)?;
        self.all_hold(others)
    }

    /// Whether the first solver says at once that several goals hold. If there is no other one, each goal is its own
    /// question: nobody else would answer one that is hard because of all the others.
    fn hold_together(&mut self, goals: &[Goal]) -> Result<bool, Rejection> {
        let fails: Vec<Term> = goals.iter().map(|goal| goal.fails).collect();
        let any = self.encoder.terms.or(&fails);
        let given = self.facts.with(&self.encoder.terms, any);
        let Checker { encoder, solvers, background, .. } = self;
        let [first, _, ..] = &mut **solvers else { return Ok(false) };
        let first = std::slice::from_mut(first);
        match refute(encoder, self.subject, first, background, given, self.budget) {
            Ok(found) => Ok(found.is_none()),
            Err(Rejection::Undecided(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// That a goal holds.
    fn holds(&mut self, goal: &Goal) -> Result<(), Rejection> {
        let given = self.facts.with(&self.encoder.terms, goal.fails);
        let Checker { encoder, solvers, background, .. } = self;
        let Some(model) = refute(encoder, self.subject, solvers, background, given, self.budget)? else {
            return Ok(());
        };
        self.broken = Some(self.what_breaks(goal.at, &goal.way, &model));
        let name = &self.subject.program.procedures[goal.at.0].name;
        Err(Rejection::Wrong(format!("{} in `{name}`", goal.complaint)))
    }

    /// A triple that a model breaks: what predicates speak of has which values before and after.
    fn what_breaks(&mut self, (procedure, to): (ProcId, To), way: &Way, model: &Model) -> Broken {
        let from = self.from.clone();
        let predicates: Vec<ExprId> =
            in_scope(self.proof, procedure).map(|i| self.proof.predicates[i].expr).collect();
        let mut read = Reading { subject: self.subject, encoder: self.encoder, model };
        let before = from.as_ref().map(|(_, state)| read.values(state, &predicates)).unwrap_or_default();
        let after = match to {
            To::Location(_) => read.values(&way.state, &predicates),
            To::Edge(_) => Vec::new(),
            To::Call(_, callee) => {
                let own = in_scope(self.proof, callee).map(|i| self.proof.predicates[i].expr);
                read.values(&way.state, &own.collect::<Vec<_>>())
            }
        };
        let from = from.map(|(location, _)| (procedure, location));
        Broken { from, to: (procedure, to), before, after }
    }
}

impl<'a> Check<'a> for Checker<'a> {
    fn parts(&mut self) -> (Coder<'_>, &mut Places<'a>) {
        (self.encoder.on(self.subject), &mut self.places)
    }

    fn pass(&mut self, _: &Place, mut way: Way) -> Result<Option<Way>, Rejection> {
        let (guard, definition) = named(&mut self.encoder.on(self.subject), way.guard);
        if let Some(definition) = definition {
            self.facts.define(guard, definition);
        }
        way.guard = guard;
        Ok(Some(way))
    }

    fn arrive(&mut self, place: Place, way: Way) -> Result<(), Rejection> {
        let (mut coder, location) = (self.encoder.on(self.subject), place.location);
        if self.places.order(place.procedure).is_cut(location) {
            let all = join(&mut coder, self.arrived.remove(&location), way);
            self.arrived.insert(location, all);
        } else {
            self.places.add(&mut coder, place, way);
        }
        Ok(())
    }

    fn call(&mut self, at: (&Place, EdgeId), callee: ProcId, way: Way) -> Result<Option<Way>, Rejection> {
        Ok(self.enter_and_leave((at.0.procedure, at.1), callee, way))
    }

    fn relies_on(&self, procedure: ProcId, edge: EdgeId) -> bool {
        !self.proof.unused.contains(&(procedure, edge))
    }

    fn error(&mut self, procedure: ProcId, edge: EdgeId, way: &Way) -> Result<(), Rejection> {
        let never = self.encoder.terms.bool(false);
        let complaint = "an error location may be reached".to_owned();
        self.verify((procedure, To::Edge(edge)), way.clone(), never, complaint);
        Ok(())
    }
}

/// Whether the relation of a cut point, and what is assumed of addresses, admit a state. One that admits none
/// says that no run gets there.
pub fn admits(
    subject: Subject<'_>,
    proof: &Proof,
    (procedure, location): (ProcId, LocationId),
    solvers: &mut [Box<dyn Solver>],
    budget: &Budget,
) -> Result<bool, Rejection> {
    let mut encoder = Encoder::default();
    let mut checker = Checker::new(subject, proof, solvers, &mut encoder, budget);
    let Some(relation) = checker.meaning(procedure, location, [Name::Entry, Name::Start]) else {
        return Ok(false);
    };
    let now = checker.slots(procedure, [location], is_now);
    checker.tie(&now, &State::new(Frame::ONLY), Name::Start);
    let facts = checker.facts;
    let mut given = facts.with(&encoder.terms, relation);
    given.extend(encoder.on(subject).axioms(&given));
    has_model(&encoder, solvers, &given, budget)
}

fn is_entry(slot: Slot) -> bool {
    matches!(slot, Slot::Entry(_))
}

fn is_now(slot: Slot) -> bool {
    matches!(slot, Slot::Now(_))
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
