//! Postconditions about values that nothing in scope determines any more, which ghosts remember.

use hardbop_base::Stop;
use hardbop_path::{explain_core, ghosts};
use hardbop_predicate::Predicate;

use super::{Proposal, Source};
use crate::learn::Impossible;

pub(crate) struct Ghosts;

impl Source for Ghosts {
    fn propose(&self, path: &mut Impossible<'_>, _: &[Predicate]) -> Result<Proposal, Stop> {
        Ok(Proposal::Remember(match explain_core(path.subject, path.path, path.core, path.budget)? {
            Some(explanation) => ghosts(path.subject, path.path, &explanation.icpp, path.budget)?,
            None => None,
        }))
    }
}
