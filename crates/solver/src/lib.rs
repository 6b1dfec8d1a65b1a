//! Deciding terms: whether some values of the symbols make them all true.
//!
//! Two backends share one trait, [`Solver`], and nothing else: [`Z3`], for all sorts, and [`Blaster`],
//! which turns bit-vectors and arrays into clauses for CaDiCaL. So one can check what the other said.
//! On top, whatever the backend: [`Cached`] remembers answers and tries old models first,
//! [`minimise_core`] makes cores small.
//!
//! ```
//! use hardbop_base::Budget;
//! use hardbop_logic::{Sort, Terms, Value};
//! use hardbop_solver::{Answer, Blaster, Solver, Z3};
//!
//! let mut terms = Terms::new();
//! let x = terms.symbol("x", Sort::BitVec(8));
//! let (seven, limit) = (terms.bv(7, 8), terms.bv(10, 8));
//! let product = terms.bv_mul(x, seven);
//! let is_one = { let one = terms.bv(1, 8); terms.eq(product, one) };
//! let is_small = terms.bv_ult(x, limit);
//!
//! let solvers: [Box<dyn Solver>; 2] =
//!     [Box::new(Z3::new(&Budget::unlimited())), Box::new(Blaster::new(&Budget::unlimited()))];
//! for mut solver in solvers {
//!     // 7 has one inverse among the numbers of 8 bits: 7 * 183 = 1281 = 5 * 256 + 1.
//!     assert_eq!(solver.check(&terms, &[is_one]), Answer::Sat);
//!     assert_eq!(solver.model(&terms).get(x), Some(&Value::bv(183, 8)));
//!     assert_eq!(solver.check(&terms, &[is_one, is_small]), Answer::Unsat);
//! }
//! ```
//!
//! Invariants:
//! - "sat" and "unsat" are only said when they hold; everything else, a limit above all, is
//!   [`Answer::Unknown`] with its reason;
//! - a solver belongs to one [`Terms`] store: terms of another one would be mistaken for its own;
//! - a solver belongs to one thread; solvers of different threads share nothing;
//! - a stopped [`Budget`](hardbop_base::Budget) ends a running query soon and all later ones at once;
//! - nothing here knows programs; nothing here looks at a clock of its own: a caller that wants times passes
//!   a [`Clock`].

mod blast;
mod cache;
mod choice;
mod minimise;
mod split;
mod wish;
mod z3;

use std::fmt;
use std::time::Duration;

use hardbop_base::Stop;
use hardbop_logic::{Model, Term, Terms};

pub use crate::blast::Blaster;
pub use crate::cache::Cached;
pub use crate::choice::{certifiers, new_solver, new_splitting_solver, splitting_certifiers};
pub use crate::minimise::minimise_core;
pub use crate::wish::model_with;
pub use crate::z3::Z3;

/// What a solver says to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Some values of the symbols make all terms true; [`Solver::model`] has them.
    Sat,
    /// There are no such values; [`Solver::core`] has assumptions that suffice for that.
    Unsat,
    /// The solver gave up.
    Unknown(Reason),
}

/// Why a solver gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time or work for the query is up, or the time of the whole budget.
    Time,
    /// The memory is up.
    Memory,
    /// Somebody interrupted the work.
    Interrupted,
    /// The solver's method does not decide this query.
    Incomplete(String),
    /// The query has something that the solver does not know.
    Unsupported(String),
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        match stop {
            Stop::Time => Reason::Time,
            Stop::Memory => Reason::Memory,
            Stop::Interrupt => Reason::Interrupted,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time => f.write_str("the time for the query is up"),
            Reason::Memory => f.write_str("the memory is up"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Incomplete(why) => write!(f, "undecided: {why}"),
            Reason::Unsupported(what) => write!(f, "not supported: {what}"),
        }
    }
}

/// What a single query may cost. By default there is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Time on the wall. z3 measures it itself, for an answer and once more for its core; [`Blaster`]
    /// needs a [`Clock`] and ignores it otherwise.
    pub time: Option<Duration>,
    /// A number of steps, which ends a query at the same point in every run. A step takes about a
    /// microsecond: it is one unit of z3's resource count, or the hundredth part of a conflict of the
    /// SAT solver. Where arrays need several rounds, it is the limit of each.
    pub work: Option<u64>,
}

/// A clock that never goes back: the time since some fixed moment.
pub type Clock = fn() -> Duration;

/// What a solver has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// All queries.
    pub queries: u64,
    /// Queries that were satisfiable.
    pub sat: u64,
    /// Queries that were unsatisfiable.
    pub unsat: u64,
    /// Queries without an answer.
    pub unknown: u64,
    /// Queries that a remembered model answered.
    pub by_model: u64,
    /// Queries that were asked before.
    pub by_query: u64,
    /// The time that queries took; zero without a [`Clock`].
    pub time: Duration,
}

impl Statistics {
    /// Counts an answer.
    fn count(&mut self, answer: &Answer) {
        self.queries += 1;
        match answer {
            Answer::Sat => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}

/// Something that decides terms. All terms are of one store.
pub trait Solver {
    /// The name, for messages and statistics.
    fn name(&self) -> &'static str;

    /// Requires a term of sort Bool until the level it is asserted at is left.
    fn assert(&mut self, terms: &Terms, t: Term);

    /// Enters a new level.
    fn push(&mut self);

    /// Leaves the last level that was entered; nothing happens if there is none.
    fn pop(&mut self);

    /// Whether the asserted terms and the assumptions, any terms of sort Bool, can all be true.
    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer;

    /// After "unsat": positions of assumptions that cannot all be true with what is asserted. Sorted,
    /// not necessarily as few as possible.
    fn core(&self) -> &[usize];

    /// After "sat" and before anything else happens: values of the symbols that make the query true.
    /// Symbols without a value are false, zero, or zero everywhere.
    fn model(&mut self, terms: &Terms) -> Model;

    /// Limits each later query.
    fn set_limits(&mut self, limits: Limits);

    /// What was done so far.
    fn statistics(&self) -> Statistics;
}

/// A backend that is chosen while the program runs.
impl<S: Solver + ?Sized> Solver for Box<S> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn assert(&mut self, terms: &Terms, t: Term) {
        (**self).assert(terms, t);
    }

    fn push(&mut self) {
        (**self).push();
    }

    fn pop(&mut self) {
        (**self).pop();
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        (**self).check(terms, assumptions)
    }

    fn core(&self) -> &[usize] {
        (**self).core()
    }

    fn model(&mut self, terms: &Terms) -> Model {
        (**self).model(terms)
    }

    fn set_limits(&mut self, limits: Limits) {
        (**self).set_limits(limits);
    }

    fn statistics(&self) -> Statistics {
        (**self).statistics()
    }
}

/// Measures queries, if there is a clock.
#[derive(Clone, Debug, Default)]
struct Meter {
    clock: Option<Clock>,
    statistics: Statistics,
}

impl Meter {
    fn now(&self) -> Duration {
        self.clock.map_or(Duration::ZERO, |clock| clock())
    }

    fn finish(&mut self, start: Duration, answer: Answer) -> Answer {
        self.statistics.time += self.now().saturating_sub(start);
        self.statistics.count(&answer);
        answer
    }
}
