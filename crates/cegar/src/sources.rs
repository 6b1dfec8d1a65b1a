//! Sources of predicates: what a path that cannot be run may teach, from one after the other.
//!
//! [`ORDER`] is who is asked, and when: the next only if those before had nothing new. A source may propose anything. What
//! is of no use costs time, and never makes a verdict wrong.

mod contexts;
mod ghosts;
mod guards;
mod interpolants;
mod preconditions;
mod replaced;
mod steps;

use hardbop_base::Stop;
use hardbop_path::Auxiliary;
use hardbop_predicate::Predicate;

use crate::learn::Impossible;

pub(crate) use interpolants::Interpolants;

/// Somebody who explains why a path cannot be run.
pub(crate) trait Source: Sync {
    /// What it has to say, the most promising first.
    fn propose(&self, path: &mut Impossible<'_>, tracked: &[Predicate]) -> Result<Proposal, Stop>;
}

/// What a source has to say.
pub(crate) enum Proposal {
    /// These predicates; what was tracked before is dropped from them.
    Predicates(Vec<Predicate>),
    /// These predicates, though they were tracked before.
    Again(Vec<Predicate>),
    /// Predicates about ghosts, if there are some.
    Remember(Option<Box<Auxiliary>>),
    /// Nothing new; but whether steps of the trace became stronger.
    Stronger(bool),
}

/// A source, and how many predicates are taken from it at once.
pub(crate) struct Turn {
    pub(crate) source: &'static dyn Source,
    pub(crate) most: usize,
}

/// New predicates of one refinement.
pub(crate) const MOST: usize = 24;

/// Who is asked, in this order.
pub(crate) const ORDER: [Turn; 7] = [
    Turn { source: &preconditions::Preconditions, most: MOST },
    Turn { source: &contexts::Contexts, most: MOST },
    // The predicates say why, but the steps may have lost it.
    Turn { source: &steps::Steps, most: 0 },
    Turn { source: &interpolants::Interpolants, most: MOST },
    // What relations took the place of is needed after all.
    Turn { source: &replaced::Replaced, most: MOST },
    Turn { source: &guards::Guards, most: MOST },
    Turn { source: &ghosts::Ghosts, most: MOST },
];
