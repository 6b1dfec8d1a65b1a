//! Strongest postconditions along the path: what is known so far.

use hardbop_base::Stop;
use hardbop_path::{explain_core, relations};
use hardbop_predicate::Predicate;

use super::{Proposal, Source};
use crate::learn::Impossible;

pub(crate) struct Contexts;

impl Source for Contexts {
    fn propose(&self, path: &mut Impossible<'_>, _: &[Predicate]) -> Result<Proposal, Stop> {
        let found = match explain_core(path.subject, path.path, path.core, path.budget)? {
            Some(explanation) => relations(path.subject, path.path, &explanation.icpp, path.budget)?,
            None => Vec::new(),
        };
        Ok(Proposal::Predicates(found))
    }
}
