//! Interpolants between the parts of a path: what separates what was from what would have to be.

use hardbop_base::Stop;
use hardbop_path::interpolants;
use hardbop_predicate::Predicate;

use super::{Proposal, Source};
use crate::learn::Impossible;

pub(crate) struct Interpolants;

impl Interpolants {
    /// The predicates themselves.
    pub(crate) fn of(path: &Impossible<'_>) -> Result<Vec<Predicate>, Stop> {
        interpolants(path.subject, path.path, path.core, path.budget)
    }
}

impl Source for Interpolants {
    fn propose(&self, path: &mut Impossible<'_>, _: &[Predicate]) -> Result<Proposal, Stop> {
        Ok(Proposal::Predicates(Interpolants::of(path)?))
    }
}
