//! Why certificates of all kinds are refused.

use hardbop_base::Stop;
use hardbop_semantics::Encoder;

/// Why a proof is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// A triple does not hold, or the proof is incomplete.
    Wrong(String),
    /// A triple does not hold, and a shift was executed that may be by too much: it may be that
    /// the search took the run to end there.
    Open(String),
    /// The solver gave up on a triple.
    Undecided(String),
    /// The budget is spent.
    Stopped(Stop),
}

impl Rejection {
    /// The same, with what is known of shifts.
    pub(crate) fn seen_by(self, encoder: &Encoder) -> Self {
        match self {
            Rejection::Wrong(why) if encoder.saw_open_shift() => Rejection::Open(why),
            other => other,
        }
    }
}

impl From<Stop> for Rejection {
    fn from(stop: Stop) -> Self {
        Rejection::Stopped(stop)
    }
}
