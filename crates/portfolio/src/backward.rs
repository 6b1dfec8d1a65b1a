//! The backward engine, and what is done when it is stuck in loops.

use hardbop_alias::Alias;
use hardbop_base::Budget;
use hardbop_ir::Program;
use hardbop_predicate::Predicate;
use hardbop_verdict::{Progress, Verdict, failed};
use hardbop_wp::{Found, Options};

use crate::is_stuck;
use crate::leaping::leaped;

/// Decides a program backwards. If that ends without a verdict and loops seem to be the trouble, they are leaped, if that is
/// wanted.
pub fn check(
    program: &Program,
    given: &[Predicate],
    options: &Options,
    leap: bool,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Found {
    let mut found = hardbop_wp::check(program, given, options, budget, progress);
    let is_stuck = matches!(&found.outcome.verdict, Verdict::Unknown(reason) if is_stuck(reason));
    if leap && is_stuck {
        let run = Alias::of(program, budget).and_then(|alias| leaped(program, program, &alias, budget));
        match run {
            Ok(Some(run)) => found.outcome.verdict = failed(run),
            Ok(None) => {}
            Err(stop) => found.outcome.verdict = Verdict::Unknown(stop.into()),
        }
    }
    found
}
