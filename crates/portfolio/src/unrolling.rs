//! Bounded symbolic unrolling, deeper and deeper.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_certify::replay::replay;
use hardbop_ir::Program;
use hardbop_ir::interpret::Run;
use hardbop_semantics::Subject;
use hardbop_solver::new_solver;
use hardbop_unroll::{Bounded, UnrollOptions, decide};

/// What unrolling found out.
pub(crate) enum Unrolled {
    /// A run that reaches an error.
    Error(Run),
    /// With these bounds all runs are covered, and none reaches an error.
    Complete(UnrollOptions),
    /// A run that could not be confirmed.
    Unconfirmed,
    /// Nothing; unrolling further makes no sense.
    Nothing,
}

/// Edges executed at most for the first bound, and for any.
const STEPS: (u64, u64) = (20_000, 10_000_000);

/// How often the bound is doubled.
const MAX_ROUNDS: u32 = 20;

/// How deeply calls are nested.
const MAX_DEPTH: usize = 300;

/// A loop that is unrolled more often than this should be leaped.
const DEEP: u32 = 8;

/// Unrolls a slice until something is found; a run is one of the whole program. When loops are unrolled deeply,
/// `deep` is called.
pub(crate) fn unroll(
    program: &Program,
    whole: &Program,
    alias: &Alias,
    deep: &dyn Fn(),
    budget: &Budget,
) -> Result<Unrolled, Stop> {
    let regions = Regions::of(program, alias, &[], budget)?;
    let subject = Subject { program, alias, regions: &regions };
    let mut steps = STEPS.0;
    for bound in (1..=MAX_ROUNDS).map(|round| 1 << round) {
        if bound > DEEP {
            deep();
        }
        let mut solver = new_solver(program.uses_integers(), budget);
        let options = UnrollOptions { bound, steps, depth: MAX_DEPTH };
        match decide(subject, &mut *solver, options, budget)? {
            Bounded::Reaches(mut guide) => {
                if let Ok(run) = replay(whole, &mut *guide, budget) {
                    return Ok(Unrolled::Error(run));
                }
                // What is not modelled exactly shows in the shortest runs already.
                return Ok(Unrolled::Unconfirmed);
            }
            Bounded::Safe { complete: true, .. } => return Ok(Unrolled::Complete(options)),
            Bounded::Unsupported(_) => return Ok(Unrolled::Nothing),
            Bounded::Safe { out_of_steps: true, .. } if steps == STEPS.1 => return Ok(Unrolled::Nothing),
            Bounded::Safe { out_of_steps: true, .. } | Bounded::Unknown(_) => deep(),
            Bounded::Safe { .. } => {}
        }
        steps = STEPS.1.min(4 * steps);
    }
    Ok(Unrolled::Nothing)
}
