//! Predicates that were tracked once, and that others took the place of.

use hardbop_base::Stop;
use hardbop_predicate::Predicate;

use super::{Proposal, Source};
use crate::learn::Impossible;

pub(crate) struct Replaced;

impl Source for Replaced {
    fn propose(&self, path: &mut Impossible<'_>, tracked: &[Predicate]) -> Result<Proposal, Stop> {
        let lost = path.proposals.iter().filter(|predicate| !tracked.contains(predicate));
        Ok(Proposal::Again(lost.copied().collect()))
    }
}
