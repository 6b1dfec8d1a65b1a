//! Property-directed reachability, as an engine.

use hardbop_alias::Regions;
use hardbop_certify::backward;
use hardbop_semantics::Subject;
use hardbop_slice::Ground;
use hardbop_solver::splitting_certifiers;
use hardbop_verdict::{Evidence, Reason, Verdict};

use crate::team::{Engine, Task};

/// Invariants of loops, from the states that lead to errors. Nothing is left out of the program: what cannot matter is in
/// no question that is asked.
pub(crate) struct Pushing;

impl Engine for Pushing {
    fn name(&self) -> &'static str {
        "pdr"
    }

    fn decide(&mut self, task: &Task<'_>) -> Result<Option<Verdict>, Reason> {
        let Task { ground: Ground { whole, alias, .. }, budget, .. } = *task;
        let regions = Regions::of(whole, alias, &[], budget)?;
        let subject = Subject { program: whole, alias, regions: &regions };
        let Some(mut found) = hardbop_pdr::prove(subject, budget)? else {
            return Err(Reason::NoProgress("no invariants were found".to_owned()));
        };
        let _alone = budget.go_alone();
        let mut solvers = splitting_certifiers(whole.uses_integers(), budget);
        backward::check(subject, &mut found.proof, &mut solvers, budget)?;
        Ok(Some(Verdict::True(Evidence::Backward(Box::new(found)))))
    }
}
