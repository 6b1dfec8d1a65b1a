//! Atoms of weakest preconditions along the path: what is needed later.

use hardbop_base::Stop;
use hardbop_predicate::Predicate;

use super::{Proposal, Source};
use crate::learn::Impossible;

pub(crate) struct Preconditions;

impl Source for Preconditions {
    fn propose(&self, path: &mut Impossible<'_>, _: &[Predicate]) -> Result<Proposal, Stop> {
        Ok(Proposal::Predicates(path.proposals.to_vec()))
    }
}
