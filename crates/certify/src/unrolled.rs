//! Programs whose runs are all bounded, by executing them once more.
//!
//! All ways are executed until none is left; each that may reach an error must be impossible. Ways that
//! happen to be at the same place of the same activations are merged. The order in which that is done
//! ([`Order`]) decides only how many can be merged: nothing here relies on it, so that a mistake in
//! the unrolling that found the verdict is not made again.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hardbop_alias::{Alias, Regions};
use hardbop_base::Budget;
use hardbop_ir::{EdgeId, Key, LocationId, Order, ProcId, Program, Statement, are_exclusive};
use hardbop_logic::{Sort, Term};
use hardbop_semantics::{Encoder, End, Frame, State, Subject};
use hardbop_solver::{Answer, Solver, certifiers};
use rustc_hash::FxHashMap;

use crate::ask::has_model;
use crate::broken::{Broken, Refusal, To};
use crate::proof::Rejection;

/// Steps after which the check of a complete unrolling is given up: merging may be less lucky here.
const STEPS: u64 = 10_000_000;

/// Checks that the unrolling of a program is complete and reaches no error, by solvers that searches do not use: what the runs
/// pass.
pub fn confirm(
    program: &Program,
    alias: &Alias,
    budget: &Budget,
) -> Result<Vec<(ProcId, LocationId)>, Rejection> {
    let regions = Regions::of(program, alias, &[], budget)?;
    let subject = Subject { program, alias, regions: &regions };
    check(subject, STEPS, &mut certifiers(program.uses_integers(), budget), budget)
}

/// Checks that all runs of a program end within so many steps of execution, and that none of them
/// reaches an error. Each of the solvers, all fresh, is asked in turn until one decides it. The result is the
/// entries and heads of loops that some of the runs pass.
pub fn check(
    subject: Subject<'_>,
    steps: u64,
    solvers: &mut [Box<dyn Solver>],
    budget: &Budget,
) -> Result<Vec<(ProcId, LocationId)>, Rejection> {
    match examine(subject, steps, solvers, budget) {
        Ok(checked) => Ok(checked.passed),
        Err(refusal) => Err(refusal.rejection),
    }
}

/// What is said when the steps do not suffice.
pub const LONGER: &str = "there may be longer runs";

/// What the check of an unrolling finds out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrolled {
    /// The entries and heads of loops that some of the runs pass.
    pub passed: Vec<(ProcId, LocationId)>,
    /// The steps of execution that it took.
    pub steps: u64,
}

/// Like [`check`], and says which error may be reached, and how many steps it took.
pub fn examine(
    subject: Subject<'_>,
    steps: u64,
    solvers: &mut [Box<dyn Solver>],
    budget: &Budget,
) -> Result<Unrolled, Refusal> {
    let mut last = Rejection::Undecided("no solver".to_owned());
    for solver in solvers {
        let mut encoder = Encoder::default();
        solver.push();
        let mut runs = Runs {
            subject,
            encoder: &mut encoder,
            solver: &mut **solver,
            budget,
            orders: FxHashMap::default(),
            pending: BTreeMap::new(),
            objects: 0,
            facts: Vec::new(),
            passed: BTreeSet::new(),
            frames: 0,
            taken: 0,
            broken: None,
        };
        let decided = runs.all(steps);
        let Runs { facts, passed, taken, broken, .. } = runs;
        solver.pop();
        match decided {
            Ok(()) if !has_model(&encoder, std::slice::from_mut(solver), &facts, budget)? => {
                let contradiction = "what is assumed of addresses contradicts itself".to_owned();
                return Err(Rejection::Wrong(contradiction).into());
            }
            Ok(()) => return Ok(Unrolled { passed: passed.into_iter().collect(), steps: taken }),
            Err(undecided @ Rejection::Undecided(_)) if taken <= steps => last = undecided,
            Err(rejection) => return Err(Refusal { rejection, broken: broken.map(Box::new) }),
        }
    }
    Err(last.into())
}

/// An activation that waits for the one it called.
struct Caller {
    procedure: ProcId,
    edge: EdgeId,
    frame: Frame,
    /// The location of the call, in order.
    key: Key,
    callers: Option<Rc<Caller>>,
}

/// Runs that are at one place.
struct Way {
    procedure: ProcId,
    location: LocationId,
    /// The location in order, within the activation.
    key: Key,
    callers: Option<Rc<Caller>>,
    state: State,
    guard: Term,
}

struct Runs<'a> {
    subject: Subject<'a>,
    encoder: &'a mut Encoder,
    solver: &'a mut dyn Solver,
    budget: &'a Budget,
    orders: FxHashMap<ProcId, Rc<Order>>,
    pending: BTreeMap<Key, Way>,
    /// Objects whose addresses the solver knows about.
    objects: usize,
    /// What it knows about them.
    facts: Vec<Term>,
    /// Entries and heads of loops that some run passes.
    passed: BTreeSet<(ProcId, LocationId)>,
    frames: u32,
    /// Steps of execution so far.
    taken: u64,
    /// The error that may be reached.
    broken: Option<Broken>,
}

impl Runs<'_> {
    fn all(&mut self, steps: u64) -> Result<(), Rejection> {
        let Some(entry) = self.subject.program.entry else {
            return Err(Rejection::Wrong("there is no program".to_owned()));
        };
        let mut state = State::new(Frame::ONLY);
        let mut conditions = Vec::new();
        self.encoder.on(self.subject).initialise(&mut state, &mut conditions);
        let guard = self.encoder.terms.and(&conditions);
        self.enter(entry, None, state, guard);
        while let Some((_, way)) = self.pending.pop_first() {
            self.budget.check()?;
            self.taken += 1;
            if self.taken > steps {
                return Err(Rejection::Undecided(LONGER.to_owned()));
            }
            self.advance(way)?;
        }
        Ok(())
    }

    fn order(&mut self, procedure: ProcId) -> Rc<Order> {
        let program = self.subject.program;
        let make = || Rc::new(Order::of(&program.procedures[procedure]));
        self.orders.entry(procedure).or_insert_with(make).clone()
    }

    /// Starts an activation in the frame of the state.
    fn enter(&mut self, procedure: ProcId, callers: Option<Rc<Caller>>, mut state: State, guard: Term) {
        let location = self.subject.program.procedures[procedure].entry;
        self.encoder.on(self.subject).enter(&mut state, procedure);
        let key = self.order(procedure).first(location);
        self.add(Way { procedure, location, key, callers, state, guard });
    }

    /// Keeps runs for later, together with others at the same place.
    fn add(&mut self, mut way: Way) {
        if self.encoder.terms.as_bool(way.guard) == Some(false) {
            return;
        }
        let mut place = Vec::new();
        let mut caller = way.callers.as_ref();
        while let Some(c) = caller {
            // Frames are never used twice: the same frame is the same activation.
            place.push([&c.key[..], &[c.frame.0, way.procedure.index() as u32][..]].concat());
            caller = c.callers.as_ref();
        }
        place.reverse();
        let mut place = place.concat();
        place.extend(&way.key);
        place.extend([way.state.frame().0, way.location.index() as u32]);
        if let Some(other) = self.pending.remove(&place) {
            let mut coder = self.encoder.on(self.subject);
            way.state = coder.merge(other.guard, &other.state, &way.state);
            way.guard = self.encoder.terms.or(&[other.guard, way.guard]);
        }
        self.pending.insert(place, way);
    }

    fn advance(&mut self, mut way: Way) -> Result<(), Rejection> {
        let p = &self.subject.program.procedures[way.procedure];
        let order = self.order(way.procedure);
        if way.location == p.exit {
            self.leave(way);
            return Ok(());
        }
        way.guard = self.named(way.guard);
        if order.is_head(way.location) && self.is_impossible(way.guard)? {
            return Ok(());
        }
        if way.location == p.entry || order.is_head(way.location) {
            self.passed.insert((way.procedure, way.location));
        }
        let edges = order.leaving(way.location);
        let mut rest = way.guard;
        let exclusive = are_exclusive(self.subject.program, p, edges);
        for (i, &edge) in edges.iter().enumerate() {
            let mut guard = rest;
            if !exclusive && i + 1 < edges.len() {
                let this = self.encoder.on(self.subject).arbitrary(Sort::Bool);
                guard = self.encoder.terms.and(&[rest, this]);
                let other = self.encoder.terms.not(this);
                rest = self.encoder.terms.and(&[rest, other]);
            }
            let target = p.edges[edge].target;
            let next = Way {
                procedure: way.procedure,
                location: target,
                key: order.next(way.location, &way.key, target),
                callers: way.callers.clone(),
                state: way.state.clone(),
                guard,
            };
            self.take(edge, &way.key, next)?;
        }
        Ok(())
    }

    /// Executes an edge; the runs are kept for later at its target.
    fn take(&mut self, edge: EdgeId, key: &Key, mut way: Way) -> Result<(), Rejection> {
        let statement = &self.subject.program.procedures[way.procedure].edges[edge].statement;
        if let Statement::Call { .. } = statement {
            return self.call(edge, key, &way);
        }
        let mut conditions = vec![way.guard];
        let mut coder = self.encoder.on(self.subject);
        let end = coder.execute(&mut way.state, way.procedure, edge, &mut conditions);
        way.guard = self.encoder.terms.and(&conditions);
        match end {
            End::Continues => self.add(way),
            End::Stops => {}
            End::Error(_) | End::Unsupported(_) => {
                if !self.is_impossible(way.guard)? {
                    self.broken = Some(Broken::at(way.procedure, To::Edge(edge)));
                    return Err(Rejection::Wrong("an error may be reached".to_owned()));
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, edge: EdgeId, key: &Key, after: &Way) -> Result<(), Rejection> {
        let program = self.subject.program;
        let caller = after.procedure;
        for callee in self.subject.alias.callees(caller, edge).to_vec() {
            let mut state = after.state.clone();
            let mut conditions = vec![after.guard];
            let mut coder = self.encoder.on(self.subject);
            coder.require_callee(&state, caller, edge, callee, &mut conditions);
            if program.procedures[callee].external.is_some() {
                coder.execute(&mut state, caller, edge, &mut conditions);
                let guard = self.encoder.terms.and(&conditions);
                let Way { procedure, location, ref key, ref callers, .. } = *after;
                self.add(Way {
                    procedure,
                    location,
                    key: key.clone(),
                    callers: callers.clone(),
                    state,
                    guard,
                });
                continue;
            }
            self.frames += 1;
            let (outer, frame) = (state.frame(), Frame(self.frames));
            coder.pass_arguments(&mut state, (caller, edge), callee, frame, &mut conditions);
            state.enter(frame);
            let guard = self.encoder.terms.and(&conditions);
            let guard = self.named(guard);
            if self.is_impossible(guard)? {
                continue;
            }
            let callers = after.callers.clone();
            let waiting = Caller { procedure: caller, edge, frame: outer, key: key.clone(), callers };
            self.enter(callee, Some(Rc::new(waiting)), state, guard);
        }
        Ok(())
    }

    /// Ends an activation; the end of the first one is the end of the program.
    fn leave(&mut self, mut way: Way) {
        let Some(caller) = way.callers else { return };
        let frame = way.state.frame();
        way.state.enter(caller.frame);
        let mut conditions = vec![way.guard];
        let call = (caller.procedure, caller.edge);
        let mut coder = self.encoder.on(self.subject);
        coder.take_result(&mut way.state, call, way.procedure, frame, &mut conditions);
        way.state.drop_locals(frame);
        let guard = self.encoder.terms.and(&conditions);
        let e = &self.subject.program.procedures[caller.procedure].edges[caller.edge];
        let key = self.order(caller.procedure).next(e.source, &caller.key, e.target);
        self.add(Way {
            procedure: caller.procedure,
            location: e.target,
            key,
            callers: caller.callers.clone(),
            state: way.state,
            guard,
        });
    }

    /// Whether no run satisfies a guard. Doubt ends the check.
    fn is_impossible(&mut self, guard: Term) -> Result<bool, Rejection> {
        if let Some(value) = self.encoder.terms.as_bool(guard) {
            return Ok(!value);
        }
        let mut coder = self.encoder.on(self.subject);
        if coder.object_count() > self.objects {
            self.objects = coder.object_count();
            self.facts = coder.all_axioms();
            for &axiom in &self.facts {
                self.solver.assert(&self.encoder.terms, axiom);
            }
        }
        match self.solver.check(&self.encoder.terms, &[guard]) {
            Answer::Sat => Ok(false),
            Answer::Unsat => Ok(true),
            Answer::Unknown(reason) => {
                self.budget.check()?;
                Err(Rejection::Undecided(reason.to_string()))
            }
        }
    }

    /// A guard under a short name.
    fn named(&mut self, guard: Term) -> Term {
        if !self.encoder.is_long(guard) {
            return guard;
        }
        let name = self.encoder.on(self.subject).arbitrary(Sort::Bool);
        let definition = self.encoder.terms.iff(name, guard);
        self.solver.assert(&self.encoder.terms, definition);
        name
    }
}
