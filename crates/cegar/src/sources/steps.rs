//! Steps of the abstraction that are possible for its predicates and for nothing else: they become stronger.

use hardbop_base::Stop;
use hardbop_predicate::Predicate;

use super::{Proposal, Source};
use crate::learn::Impossible;

pub(crate) struct Steps;

impl Source for Steps {
    fn propose(&self, path: &mut Impossible<'_>, tracked: &[Predicate]) -> Result<Proposal, Stop> {
        Ok(Proposal::Stronger((path.strengthen)(tracked)?))
    }
}
