//! Errors behind loops of too many iterations to unroll.
//!
//! Refinement that diverges and unrolling that gets deep both mean that a loop goes round too often. Then the loops are
//! leaped: if the error is must-reachable, the chain says with which inputs, and the run is made. Nothing is
//! believed without it.
//!
//! Where no chain is shown to reach the error, a few runs are made all the same: with the inputs that take the
//! program to the first loop of a path, and with the same value all the time at each place that draws. Leaps are along such
//! runs too, where what they would need to know (of arrays, say, or of sums) is beyond the conditions.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_certify::replay::replay_within;
use hardbop_ir::interpret::{
    Inputs, Interpreter, Limits, ListInputs, Outcome, Request, Run, RunOptions, Source,
};
use hardbop_ir::{EdgeId, ProcId, Program};
use hardbop_leap::{Failure, Kind, LeapOptions, Leaper};
use hardbop_semantics::Subject;

/// Steps of a run that a chain promises.
const PROMISED: u64 = 40_000_000_000;

/// Steps of a run that nothing promises, if there is only one run, and otherwise.
const ONLY_RUN: u64 = 4_000_000_000;
const TRIED_RUN: u64 = 50_000_000;

/// The most runs that are tried.
const MAX_TRIED: u32 = 24;

/// A run of the whole program that reaches an error behind loops, as a slice of it tells; the alias analysis is that
/// of the slice.
pub fn leaped(
    program: &Program,
    whole: &Program,
    alias: &Alias,
    budget: &Budget,
) -> Result<Option<Run>, Stop> {
    if let Some(run) = promised(program, whole, alias, budget)? {
        return Ok(Some(run));
    }
    Ok(stationary(whole, budget))
}

/// The run of a chain of leaps.
fn promised(program: &Program, whole: &Program, alias: &Alias, budget: &Budget) -> Result<Option<Run>, Stop> {
    let regions = Regions::of(program, alias, &[], budget)?;
    let subject = Subject { program, alias, regions: &regions };
    for fine in [false, true] {
        let options = LeapOptions { fine, ..LeapOptions::default() };
        let mut leaper = match Leaper::new(subject, &options, budget) {
            Ok(leaper) => leaper,
            Err(Failure::TooLarge) => return Ok(None),
            Err(Failure::Stopped(stop)) => return Err(stop),
        };
        let from = leaper.states_at(|kind| kind == Kind::Start);
        let to = leaper.states_at(|kind| matches!(kind, Kind::Error(_)));
        let leap = leaper.search(&from, &to).completed()?;
        if let Some(chain) = leap.found()
            && let Some(mut plan) = leaper.plan(chain)?
            && let Ok(run) = replay_within(whole, &mut plan, PROMISED, budget)
        {
            return Ok(Some(run));
        }
        for (_, chain) in &leap.chains {
            if let Some(mut plan) = leaper.guess(chain)?
                && let Ok(run) = replay_within(whole, &mut plan, TRIED_RUN, budget)
            {
                return Ok(Some(run));
            }
        }
    }
    Ok(None)
}

/// A run in which each place draws the same value all the time.
fn stationary(program: &Program, budget: &Budget) -> Option<Run> {
    let interpreter = Interpreter::new(program);
    let limits = |steps| Limits { steps, draws: 1 << 21, ..Limits::default() };
    let mut sites: Vec<(ProcId, EdgeId)> = Vec::new();
    for number in 0..MAX_TRIED {
        budget.check().ok()?;
        let mut inputs = Stationary { number, sites: std::mem::take(&mut sites) };
        let options = RunOptions { limits: limits(TRIED_RUN), budget: budget.clone(), sink: None };
        let run = interpreter.run(&mut inputs, options);
        if let Outcome::Error { .. } = run.outcome {
            return replay_within(program, &mut ListInputs::replay(&run.draws), TRIED_RUN, budget).ok();
        }
        if run.draws.is_empty() {
            let limited = matches!(run.outcome, Outcome::StepLimit);
            let mut none = ListInputs::all([]);
            return if limited { replay_within(program, &mut none, ONLY_RUN, budget).ok() } else { None };
        }
        sites = inputs.sites;
        // Where there are more places than can be tried, trying some says little.
        let wanted = 2 * sites.len() as u32 + 1;
        if number > wanted || number > 0 && wanted >= MAX_TRIED {
            return None;
        }
    }
    None
}

/// What each place draws, by the number of the run: zero everywhere, one everywhere, then one place that
/// differs from all others.
struct Stationary {
    number: u32,
    sites: Vec<(ProcId, EdgeId)>,
}

impl Inputs for Stationary {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        if !matches!(request.source, Source::Value(_) | Source::Choice(_)) {
            return 0;
        }
        let site = (request.site.procedure, request.site.edge);
        let position = self.sites.iter().position(|&known| known == site).unwrap_or_else(|| {
            self.sites.push(site);
            self.sites.len() - 1
        });
        let special = self.number >= 2 && position as u32 == (self.number - 2) / 2;
        u128::from((self.number % 2 == 1) != special)
    }
}
