//! The backward engine at the head of a team.

use hardbop_alias::Alias;
use hardbop_base::Budget;
use hardbop_ir::Program;
use hardbop_predicate::Predicate;
use hardbop_slice::{Ground, Slice};
use hardbop_verdict::{Progress, Reason, Verdict};
use hardbop_wp::{WpOptions, WpOutcome};

use crate::team::{BACKWARD, Engine, Task, Team, together};
use crate::{Leaping, is_stuck, nothing};

/// Decides a program backwards. If that ends without a verdict and loops seem to be the trouble, they are leaped, if that is
/// wanted.
pub fn check(
    program: &Program,
    given: &[Predicate],
    options: &WpOptions,
    leap: bool,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress<'_>),
) -> WpOutcome {
    let mut found = WpOutcome::nothing(program, given);
    let alias = match Alias::of(program, budget) {
        Ok(alias) => alias,
        Err(stop) => {
            found.outcome.verdict = Verdict::Unknown(stop.into());
            return found;
        }
    };
    let ground = Ground { whole: program, alias: &alias, slice: &Slice::whole(program, &alias) };
    let mut lead = Backward { found: &mut found, given, options, progress };
    let mut team = Team::new(&BACKWARD);
    let others: Vec<Box<dyn Engine + Send>> = if leap { vec![Box::new(Leaping)] } else { Vec::new() };
    let decided = together(&mut lead, others, ground, budget, &mut team);
    found.outcome.verdict = decided.unwrap_or_else(Verdict::Unknown);
    team.report(&mut found.outcome);
    found
}

/// Weakest preconditions, covered at loops.
struct Backward<'a> {
    found: &'a mut WpOutcome,
    given: &'a [Predicate],
    options: &'a WpOptions,
    progress: &'a mut dyn FnMut(Progress<'_>),
}

impl Engine for Backward<'_> {
    fn name(&self) -> &'static str {
        "wp"
    }

    fn decide(&mut self, task: &Task<'_>) -> Result<Option<Verdict>, Reason> {
        *self.found =
            hardbop_wp::check(task.ground.whole, self.given, self.options, task.budget, self.progress);
        match std::mem::replace(&mut self.found.outcome.verdict, Verdict::Unknown(nothing())) {
            Verdict::Unknown(reason) => Err(reason),
            verdict => Ok(Some(verdict)),
        }
    }

    fn ends_the_search(&self, _: &Task<'_>, found: &Result<Option<Verdict>, Reason>) -> bool {
        found.as_ref().map_or_else(|reason| !is_stuck(reason), Option::is_some)
    }
}
