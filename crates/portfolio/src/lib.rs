//! Who decides a program, beside whom.
//!
//! ```text
//!   probes ──▶ a run ──────────────────────────────────────────────▶ FALSE
//!   slice ──▶ refinement, beside it unrolling and, when loops are hard, leaping ──▶ the first certified verdict
//!        └──▶ if that is not conclusive: the whole program in the same way
//! ```
//!
//! [`team::FORWARD`] and [`team::BACKWARD`] say who is in the team and when each begins. Nothing here decides anything by itself. A verdict whose
//! certificate is refused is unknown, and so is one that a limit or something unsupported stands in the way of.

pub mod alone;
pub mod backward;
mod leaping;
mod probes;
mod pushing;
pub mod team;
mod unrolling;
pub mod vacuity;

pub use hardbop_cegar::RefinementOptions;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_certify::unrolled;
use hardbop_ir::{ErrorSite, Program};
use hardbop_predicate::Predicate;
use hardbop_slice::{Ground, Slice, slice};
use hardbop_verdict::{CheckOutcome, Evidence, Progress, Reason, Verdict, failed};

use crate::leaping::leaped;
use crate::probes::{Explored, explore};
use crate::pushing::Pushing;
use crate::team::{Engine, FORWARD, Task, Team, together};
use crate::unrolling::{Unrolled, unroll};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct PortfolioOptions {
    /// How refinement works.
    pub refinement: RefinementOptions,
    /// Random runs to try before anything else.
    pub probes: u32,
    /// Whether to leave out first what cannot matter.
    pub slice: bool,
    /// Whether bounded runs are looked at beside refinement.
    pub unroll: bool,
    /// Whether loops are leaped when neither gets anywhere.
    pub leap: bool,
    /// Whether states that lead to errors are pushed back from loop to loop then.
    pub pdr: bool,
}

impl Default for PortfolioOptions {
    fn default() -> Self {
        let refinement = RefinementOptions::default();
        PortfolioOptions { refinement, probes: 64, slice: true, unroll: true, leap: true, pdr: true }
    }
}

/// Decides whether an error of the program can be reached. `given` are predicates to start with.
pub fn check(
    program: &Program,
    given: &[Predicate],
    options: &PortfolioOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress<'_>),
) -> CheckOutcome {
    let mut outcome = CheckOutcome::new(program, given);
    progress(Progress { iteration: 0, predicates: 0, statements: 0, doing: "running" });
    let Explored { run, refused } = explore(program, options.probes, budget);
    outcome.verdict = match run {
        Some(run) => failed(run),
        None => match decide(&mut outcome, program, options, budget, progress) {
            Ok(verdict) => verdict,
            // A run that cannot count for an error says more than the end of a search.
            Err(reason) => Verdict::Unknown(refused.map_or(reason, Reason::NotReplayed)),
        },
    };
    outcome
}

/// Decides each of some errors of the program; outcomes say which they are about. An error that is found ends the run from then
/// on, and the others are asked about again.
pub fn check_each(
    program: &Program,
    errors: &[ErrorSite],
    given: &[Predicate],
    options: &PortfolioOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Vec<CheckOutcome> {
    let mut open = errors.to_vec();
    let mut outcomes = Vec::new();
    while !open.is_empty() {
        let mut outcome = check(&program.with_errors(&open), given, options, budget, progress);
        if let Verdict::False(counterexample) = &outcome.verdict
            && let Some(found) = counterexample.site()
            && open.contains(&found)
        {
            open.retain(|&error| error != found);
            outcome.errors = vec![found];
        } else {
            open.clear();
        }
        outcomes.push(outcome);
    }
    outcomes
}

/// Decides with what matters of the program, and if that is not conclusive, with all of it.
fn decide(
    outcome: &mut CheckOutcome,
    program: &Program,
    options: &PortfolioOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Verdict, Reason> {
    let alias = &Alias::of(program, budget)?;
    if options.slice {
        let given = outcome.predicates.clone();
        let regions = Regions::of(program, alias, &[], budget)?;
        let slice = slice(program, alias, &regions, budget)?;
        drop(regions);
        let ground = Ground { whole: program, alias, slice: &slice };
        let found = attempt(outcome, ground, options, budget, progress);
        let again = is_inconclusive(&slice, &found);
        outcome.slice = Some(slice);
        if !again {
            return found;
        }
        outcome.predicates = given;
    }
    let ground = Ground { whole: program, alias, slice: &Slice::whole(program, alias) };
    attempt(outcome, ground, options, budget, progress)
}

/// Whether the whole program may tell more than its slice.
fn is_inconclusive(slice: &Slice, found: &Result<Verdict, Reason>) -> bool {
    use Reason::{Certificate, NoProgress, NotReplayed};
    slice.is_proper() && matches!(found, Err(NotReplayed(_) | Certificate(_) | NoProgress(_)))
}

/// Lets the team decide a slice, or the whole program if nothing is left out.
fn attempt(
    outcome: &mut CheckOutcome,
    ground: Ground<'_>,
    options: &PortfolioOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Verdict, Reason> {
    let mut others: Vec<Box<dyn Engine + Send>> = Vec::new();
    if options.unroll {
        others.push(Box::new(Unrolling));
    }
    if options.leap {
        others.push(Box::new(Leaping));
    }
    if options.pdr {
        others.push(Box::new(Pushing));
    }
    let mut team = Team::new(&FORWARD);
    let mut lead = Refinement { outcome, options: &options.refinement, progress };
    let found = together(&mut lead, others, ground, budget, &mut team);
    team.report(outcome);
    found
}

/// Predicates, refined along impossible paths.
struct Refinement<'a> {
    outcome: &'a mut CheckOutcome,
    options: &'a RefinementOptions,
    progress: &'a mut dyn FnMut(Progress<'_>),
}

impl Engine for Refinement<'_> {
    fn name(&self) -> &'static str {
        "slam"
    }

    fn decide(&mut self, task: &Task<'_>) -> Result<Option<Verdict>, Reason> {
        let Task { ground, budget, ring } = *task;
        hardbop_cegar::search(self.outcome, ground, self.options, budget, ring, self.progress).map(Some)
    }

    fn ends_the_search(&self, task: &Task<'_>, found: &Result<Option<Verdict>, Reason>) -> bool {
        let inconclusive = |reason: &Reason| is_inconclusive(task.ground.slice, &Err(reason.clone()));
        found.as_ref().map_or_else(inconclusive, Option::is_some)
    }
}

/// All runs up to a bound, deeper and deeper.
struct Unrolling;

impl Engine for Unrolling {
    fn name(&self) -> &'static str {
        "unroll"
    }

    fn decide(&mut self, task: &Task<'_>) -> Result<Option<Verdict>, Reason> {
        let Task { ground: Ground { whole, alias, slice }, budget, ring } = *task;
        let mut found = unroll(&slice.program, whole, alias, ring, budget)?;
        if slice.is_proper() && matches!(found, Unrolled::Unconfirmed) {
            found = unroll(whole, whole, alias, ring, budget)?;
        }
        Ok(match found {
            Unrolled::Error(run) => Some(failed(run)),
            Unrolled::Complete(bounds) => {
                let _alone = budget.go_alone();
                let passed = unrolled::confirm(whole, alias, budget)?;
                Some(Verdict::True(Evidence::Unrolled(bounds, passed)))
            }
            Unrolled::Unconfirmed | Unrolled::Nothing => None,
        })
    }
}

/// Errors behind loops of any length.
struct Leaping;

impl Engine for Leaping {
    fn name(&self) -> &'static str {
        "leap"
    }

    fn decide(&mut self, task: &Task<'_>) -> Result<Option<Verdict>, Reason> {
        let Ground { whole, alias, slice } = task.ground;
        let run = leaped(&slice.program, whole, alias, task.budget)?;
        Ok(run.map(failed))
    }
}

/// Whether loops seem to be the trouble of an engine that gave up.
pub(crate) fn is_stuck(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::NoProgress(_) | Reason::Divergence(_) | Reason::NotReplayed(_) | Reason::Checker(_)
    )
}

/// The reason where no engine gave one.
pub(crate) fn nothing() -> Reason {
    Reason::Stopped(Stop::Interrupt)
}
