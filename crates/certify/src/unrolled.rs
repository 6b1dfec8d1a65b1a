//! Programs whose runs are all bounded, by executing them once more.
//!
//! All ways are executed until none is left; each that may reach an error must be impossible. Ways that
//! happen to be at the same place of the same activations are merged (`walk`). Nothing here relies on the order in
//! which that is done, so that a mistake in the unrolling that found the verdict is not made again.

use std::collections::BTreeSet;

use hardbop_alias::{Alias, Regions};
use hardbop_base::Budget;
use hardbop_ir::{EdgeId, LocationId, ProcId, Program};
use hardbop_logic::Term;
use hardbop_semantics::{Coder, Encoder, Frame, State, Subject};
use hardbop_solver::{Answer, Solver, certifiers};

use crate::ask::{contradiction, has_model};
use crate::broken::{Broken, Refusal, To};
use crate::proof::Rejection;
use crate::walk::{Check, Place, Places, Way, follow, named};

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
        encoder.leave_shifts_open(true);
        encoder.fix_addresses();
        encoder.compute_floats();
        solver.push();
        let mut runs = Runs {
            subject,
            encoder: &mut encoder,
            solver: &mut **solver,
            budget,
            places: Places::new(subject, budget),
            steps,
            objects: 0,
            facts: Vec::new(),
            passed: BTreeSet::new(),
            frames: 0,
            taken: 0,
            broken: None,
        };
        let decided = runs.all();
        let Runs { facts, passed, taken, broken, .. } = runs;
        solver.pop();
        match decided {
            Ok(()) if !has_model(&encoder, std::slice::from_mut(solver), &facts, budget)? => {
                return Err(contradiction(&encoder).into());
            }
            Ok(()) => return Ok(Unrolled { passed: passed.into_iter().collect(), steps: taken }),
            Err(undecided @ Rejection::Undecided(_)) if taken <= steps => last = undecided,
            Err(rejection) => {
                return Err(Refusal { rejection: rejection.seen_by(&encoder), broken: broken.map(Box::new) });
            }
        }
    }
    Err(last.into())
}

struct Runs<'a> {
    subject: Subject<'a>,
    encoder: &'a mut Encoder,
    solver: &'a mut dyn Solver,
    budget: &'a Budget,
    places: Places<'a>,
    /// How many steps of execution there may be.
    steps: u64,
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
    fn all(&mut self) -> Result<(), Rejection> {
        let program = self.subject.program;
        let Some(entry) = program.entry else {
            return Err(Rejection::Wrong("there is no program".to_owned()));
        };
        let mut state = State::new(Frame::ONLY);
        let mut conditions = Vec::new();
        let mut coder = self.encoder.on(self.subject);
        coder.initialise(&mut state, &mut conditions);
        let guard = coder.encoder.terms.and(&conditions);
        coder.enter(&mut state, entry);
        let start = self.places.first(None, entry, program.procedures[entry].entry);
        self.places.add(&mut coder, start, Way { state, guard });
        follow(self)
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
            Answer::Unsat => {
                let never = self.encoder.terms.not(guard);
                self.solver.assert(&self.encoder.terms, never);
                Ok(true)
            }
            Answer::Unknown(reason) => {
                self.budget.check()?;
                Err(Rejection::Undecided(reason.to_string()))
            }
        }
    }

    /// A guard under a short name.
    fn named(&mut self, guard: Term) -> Term {
        let (name, definition) = named(&mut self.encoder.on(self.subject), guard);
        definition.into_iter().for_each(|it| self.solver.assert(&self.encoder.terms, it));
        name
    }
}

impl<'a> Check<'a> for Runs<'a> {
    fn parts(&mut self) -> (Coder<'_>, &mut Places<'a>) {
        (self.encoder.on(self.subject), &mut self.places)
    }

    fn pass(&mut self, place: &Place, mut way: Way) -> Result<Option<Way>, Rejection> {
        self.taken += 1;
        if self.taken > self.steps {
            return Err(Rejection::Undecided(LONGER.to_owned()));
        }
        let &Place { procedure, location, .. } = place;
        let p = &self.subject.program.procedures[procedure];
        if location == p.exit {
            return Ok(Some(way));
        }
        way.guard = self.named(way.guard);
        let is_head = self.places.order(procedure).is_head(location);
        if is_head && self.is_impossible(way.guard)? {
            return Ok(None);
        }
        if location == p.entry || is_head {
            self.passed.insert((procedure, location));
        }
        Ok(Some(way))
    }

    fn arrive(&mut self, place: Place, way: Way) -> Result<(), Rejection> {
        self.places.add(&mut self.encoder.on(self.subject), place, way);
        Ok(())
    }

    fn call(&mut self, at: (&Place, EdgeId), callee: ProcId, mut way: Way) -> Result<Option<Way>, Rejection> {
        let (place, edge) = at;
        self.frames += 1;
        // Frames are never used twice: the same frame is the same activation.
        let (outer, frame) = (way.state.frame(), Frame(self.frames));
        let mut conditions = vec![way.guard];
        let mut coder = self.encoder.on(self.subject);
        coder.pass_arguments(&mut way.state, (place.procedure, edge), callee, frame, &mut conditions);
        way.state.enter(frame);
        let guard = self.encoder.terms.and(&conditions);
        way.guard = self.named(guard);
        if !self.is_impossible(way.guard)? {
            let mut coder = self.encoder.on(self.subject);
            coder.enter(&mut way.state, callee);
            let entry = self.places.entered(place, edge, outer, callee);
            self.places.add(&mut coder, entry, way);
        }
        Ok(None)
    }

    fn error(&mut self, procedure: ProcId, edge: EdgeId, way: &Way) -> Result<(), Rejection> {
        if self.is_impossible(way.guard)? {
            return Ok(());
        }
        self.broken = Some(Broken::at(procedure, To::Edge(edge)));
        Err(Rejection::Wrong("an error may be reached".to_owned()))
    }
}
