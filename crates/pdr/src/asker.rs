//! Questions about one segment: a solver that knows what its names stand for and where its objects lie.

use hardbop_base::{Budget, Stop};
use hardbop_logic::{Model, Term};
use hardbop_semantics::{Encoder, Meaning, Subject};
use hardbop_solver::{Answer, Solver, new_splitting_solver};
use rustc_hash::FxHashSet;

use crate::system::{Pins, Segment, pinned};

/// What a solver says.
pub(crate) enum Found {
    /// Values for which all terms hold.
    Model(Model),
    /// The positions of terms that contradict each other.
    Core(Vec<usize>),
}

/// Why there is no answer.
pub(crate) enum Silent {
    /// The budget is spent.
    Stopped(Stop),
    /// The solver gave up.
    Undecided,
}

impl From<Stop> for Silent {
    fn from(stop: Stop) -> Self {
        Silent::Stopped(stop)
    }
}

/// A solver for one segment.
pub(crate) struct Asker {
    solver: Box<dyn Solver>,
    /// The terms whose objects it knows about.
    about: Vec<Term>,
    seen: FxHashSet<Term>,
    addresses: FxHashSet<Term>,
    axioms: FxHashSet<Term>,
}

impl Asker {
    pub(crate) fn new(
        encoder: &mut Encoder,
        subject: Subject<'_>,
        segment: &Segment,
        pins: &Pins,
        budget: &Budget,
    ) -> Self {
        let mut asker = Asker {
            solver: new_splitting_solver(subject.program.uses_integers(), budget),
            about: Vec::new(),
            seen: FxHashSet::default(),
            addresses: FxHashSet::default(),
            axioms: FxHashSet::default(),
        };
        let definitions = segment.definitions.iter().map(|&(_, definition)| definition);
        let guards = segment.exits.iter().map(|exit| exit.guard);
        let all: Vec<Term> =
            definitions.clone().chain(guards).chain(segment.errors.iter().copied()).collect();
        asker.locate(encoder, subject, &all);
        definitions.for_each(|definition| asker.solver.assert(&encoder.terms, definition));
        for pin in pinned(encoder, subject, pins) {
            asker.locate(encoder, subject, &[pin]);
            asker.solver.assert(&encoder.terms, pin);
        }
        asker
    }

    /// Tells the solver where the objects lie that terms mention.
    fn locate(&mut self, encoder: &mut Encoder, subject: Subject<'_>, terms: &[Term]) {
        let new: Vec<Term> = terms.iter().copied().filter(|&term| self.seen.insert(term)).collect();
        let symbols = encoder.terms.symbols_of(&new);
        let is_address = |symbol: &Term| matches!(encoder.meaning_of(*symbol), Some(Meaning::Address(_)));
        let addresses: Vec<Term> = symbols.into_iter().filter(is_address).collect();
        self.about.extend(&new);
        if addresses.into_iter().filter(|&address| self.addresses.insert(address)).count() == 0 {
            return;
        }
        for axiom in encoder.on(subject).axioms(&self.about) {
            if self.axioms.insert(axiom) {
                self.solver.assert(&encoder.terms, axiom);
            }
        }
    }

    /// Whether terms can hold at the same time.
    pub(crate) fn ask(
        &mut self,
        encoder: &mut Encoder,
        subject: Subject<'_>,
        terms: &[Term],
        budget: &Budget,
    ) -> Result<Found, Silent> {
        budget.check()?;
        if let Some(at) = terms.iter().position(|&term| encoder.terms.as_bool(term) == Some(false)) {
            return Ok(Found::Core(vec![at]));
        }
        self.locate(encoder, subject, terms);
        match self.solver.check(&encoder.terms, terms) {
            Answer::Sat => Ok(Found::Model(self.solver.model(&encoder.terms))),
            Answer::Unsat => Ok(Found::Core(self.solver.core().to_vec())),
            Answer::Unknown(_) => {
                budget.check()?;
                Err(Silent::Undecided)
            }
        }
    }
}
