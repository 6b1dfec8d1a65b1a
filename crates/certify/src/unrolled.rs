//! Programs whose runs are all bounded, by unrolling them once more.

use hardbop_base::Budget;
use hardbop_semantics::Subject;
use hardbop_solver::Solver;
use hardbop_unroll::{Bounded, Options, decide};

use crate::proof::Rejection;

/// Checks that a bound covers all runs of a program and that none of them reaches an error. Each of
/// the solvers, all fresh, is asked in turn until one decides it.
pub fn check(
    subject: Subject<'_>,
    options: Options,
    solvers: &mut [Box<dyn Solver>],
    budget: &Budget,
) -> Result<(), Rejection> {
    let mut reason = "no solver".to_owned();
    for solver in solvers {
        match decide(subject, &mut **solver, options, budget)? {
            Bounded::Safe { complete: true } => return Ok(()),
            Bounded::Reaches(_) => return Err(Rejection::Wrong("an error may be reached".to_owned())),
            Bounded::Unsupported(what) => {
                return Err(Rejection::Wrong(format!("something unsupported may be reached: {what}")));
            }
            Bounded::Safe { complete: false } => reason = "there may be longer runs".to_owned(),
            Bounded::Unknown(why) => reason = why,
        }
    }
    Err(Rejection::Undecided(reason))
}
