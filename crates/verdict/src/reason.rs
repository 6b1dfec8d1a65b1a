//! Why there is no verdict.

use hardbop_base::{Budget, Stop};
use hardbop_certify::proof::Rejection;

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A limit was reached.
    Stopped(Stop),
    /// A run may reach something that has no meaning here.
    Unsupported(String),
    /// Refinement finds nothing new.
    NoProgress(String),
    /// Refinement finds ever more predicates of one form.
    Divergence(String),
    /// The checker of boolean programs gave up.
    Checker(String),
    /// A solver gave up.
    Solver(String),
    /// A path can be run in logic, but not in the interpreter.
    NotReplayed(String),
    /// The engine is not made for such programs.
    Unfit(String),
    /// A certificate was refused, and a shift may be by too much: it may hold only if none is.
    Shift(String),
    /// A certificate was refused: a defect.
    Certificate(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Stopped(stop) => write!(f, "{stop}"),
            Reason::Unsupported(what) => write!(f, "a run may reach something unsupported: {what}"),
            Reason::NoProgress(why) => write!(f, "no progress: {why}"),
            Reason::Divergence(form) => {
                write!(f, "divergence: ever more predicates `{form}`, each with other constants")
            }
            Reason::Checker(why) => write!(f, "{why}"),
            Reason::Solver(why) => write!(f, "the solver gave up: {why}"),
            Reason::NotReplayed(why) => {
                write!(f, "a possible error could not be confirmed by running it: {why}")
            }
            Reason::Unfit(why) => write!(f, "the engine does not take such programs: {why}"),
            Reason::Shift(why) => {
                write!(f, "a shift may be by too much, and what it then gives may matter: {why}")
            }
            Reason::Certificate(why) => write!(f, "the certificate was refused: {why}"),
        }
    }
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Self {
        Reason::Stopped(stop)
    }
}

impl From<Rejection> for Reason {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::Stopped(stop) => Reason::Stopped(stop),
            Rejection::Undecided(why) => Reason::Solver(why),
            Rejection::Wrong(why) => Reason::Certificate(why),
            Rejection::Open(why) => Reason::Shift(why),
        }
    }
}

/// Whether a budget is spent, as a reason.
pub fn stopped(budget: &Budget) -> Option<Reason> {
    budget.check().err().map(Reason::Stopped)
}
