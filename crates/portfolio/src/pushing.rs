//! Property-directed reachability: in the team, and by itself.

use hardbop_alias::{Alias, Regions};
use hardbop_base::Budget;
use hardbop_certify::backward;
use hardbop_ir::Program;
use hardbop_semantics::Subject;
use hardbop_slice::{Ground, Slice};
use hardbop_solver::certifiers;
use hardbop_verdict::{CheckOutcome, Evidence, Reason, Verdict};

use crate::team::{Engine, PUSHING, Task, Team, together};

/// Decides a program by nothing else. It finds proofs only.
pub fn check(program: &Program, budget: &Budget) -> CheckOutcome {
    let mut outcome = CheckOutcome::new(program, &[]);
    let decided = Alias::of(program, budget).map_err(Reason::from).and_then(|alias| {
        let ground = Ground { whole: program, alias: &alias, slice: &Slice::whole(program, &alias) };
        let mut team = Team::new(&PUSHING);
        let found = together(&mut Pushing, Vec::new(), ground, budget, &mut team);
        team.report(&mut outcome);
        found
    });
    outcome.verdict = decided.unwrap_or_else(Verdict::Unknown);
    outcome
}

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
        let mut solvers = certifiers(whole.uses_integers(), budget);
        backward::check(subject, &mut found.proof, &mut solvers, budget)?;
        Ok(Some(Verdict::True(Evidence::Backward(Box::new(found)))))
    }
}
