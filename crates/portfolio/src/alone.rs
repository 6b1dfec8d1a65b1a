//! One engine by itself.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_ir::Program;
use hardbop_slice::{Ground, Slice, slice};
use hardbop_verdict::{CheckOutcome, Reason, Verdict};

use crate::Unrolling;
use crate::pushing::Pushing;
use crate::team::{Engine, PUSHING, Seat, Team, UNROLLING, together};

/// An engine that can be asked by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alone {
    /// Property-directed reachability; it finds proofs only. Nothing is left out of the program.
    Pdr,
    /// Bounded runs.
    Unroll,
}

impl Alone {
    fn parts(self) -> (&'static [Seat], Box<dyn Engine>) {
        match self {
            Alone::Pdr => (&PUSHING, Box::new(Pushing)),
            Alone::Unroll => (&UNROLLING, Box::new(Unrolling)),
        }
    }
}

/// Decides a program by one engine and nothing else.
pub fn check(program: &Program, engine: Alone, budget: &Budget) -> CheckOutcome {
    let mut outcome = CheckOutcome::new(program, &[]);
    let verdict = decide(&mut outcome, program, engine, budget);
    outcome.verdict = verdict.unwrap_or_else(Verdict::Unknown);
    outcome
}

fn decide(
    outcome: &mut CheckOutcome,
    program: &Program,
    engine: Alone,
    budget: &Budget,
) -> Result<Verdict, Reason> {
    let alias = &Alias::of(program, budget)?;
    let of_interest = match engine {
        Alone::Pdr => Slice::whole(program, alias),
        Alone::Unroll => slice(program, alias, &Regions::of(program, alias, &[], budget)?, budget)?,
    };
    let ground = Ground { whole: program, alias, slice: &of_interest };
    let (seats, mut lead) = engine.parts();
    let mut team = Team::new(seats);
    let found = together(&mut *lead, Vec::new(), ground, budget, &mut team);
    team.report(outcome);
    outcome.slice = of_interest.is_proper().then_some(of_interest);
    match found {
        // Nobody has stopped it: it has nothing to say.
        Err(Reason::Stopped(Stop::Interrupt)) if budget.check().is_ok() => {
            Err(Reason::NoProgress("bounded runs decide nothing".to_owned()))
        }
        found => found,
    }
}
