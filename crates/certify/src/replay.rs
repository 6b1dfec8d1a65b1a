//! Counterexamples, by running them.
//!
//! A run may have memory outside of the program: objects that pointers lead to which nobody set, or which came from functions without
//! a definition. The interpreter has such memory wherever inputs ask for it. Whether a pointer of the program can lead there is what the
//! proofs assume about it, too: the run is compared with the alias analysis, so that no FALSE contradicts a TRUE.

use hardbop_alias::{Alias, Checker, Regions};
use hardbop_base::Budget;
use hardbop_ir::Program;
use hardbop_ir::interpret::{Inputs, Interpreter, Limits, ListInputs, Outcome, Run, RunOptions};

use crate::dependence::on_library;

/// Steps after which a run that should reach an error is given up.
const MAX_STEPS: u64 = 200_000_000;

/// Runs the program with the inputs, and once more with the list of all values drawn: the result is
/// there only if both runs reach the error, and do so whatever standard functions without a model do.
pub fn replay(program: &Program, inputs: &mut dyn Inputs, budget: &Budget) -> Result<Run, Outcome> {
    replay_within(program, inputs, MAX_STEPS, budget)
}

/// The same for runs of up to so many steps.
pub fn replay_within(
    program: &Program,
    inputs: &mut dyn Inputs,
    steps: u64,
    budget: &Budget,
) -> Result<Run, Outcome> {
    let interpreter = Interpreter::new(program);
    let run = interpreter.run(&mut Borrowed(inputs), options(steps, budget));
    if !matches!(run.outcome, Outcome::Error { .. }) {
        return Err(run.outcome);
    }
    let unsupported = |reason: String| Outcome::Unsupported { reason, site: run.outcome.site() };
    // Without values from outside there is only this run.
    if !run.draws.is_empty() {
        let again = interpreter.run(&mut ListInputs::replay(&run.draws), options(steps, budget));
        if again.outcome != run.outcome || again.steps != run.steps {
            return Err(again.outcome);
        }
        if let Some(name) = on_library(program, &run, budget) {
            return Err(unsupported(format!(
                "the error depends on `{name}`, a standard function without a model"
            )));
        }
    }
    if let Err(reason) = explained(program, &run, budget) {
        return Err(unsupported(reason));
    }
    Ok(run)
}

/// Whether the memory of the program, and outside of it, that a run has is accessed by pointers only that may lead there. An arbitrary value
/// may happen to be the address of an object.
fn explained(program: &Program, run: &Run, budget: &Budget) -> Result<(), String> {
    if run.outside(program).is_empty() && !run.may_make_up_addresses(program) {
        return Ok(());
    }
    let stopped = |_| "where the pointers of the run lead could not be checked in time".to_owned();
    let alias = Alias::of(program, budget).map_err(stopped)?;
    let regions = Regions::of(program, &alias, &[], budget).map_err(stopped)?;
    let mut checker = Checker::new(program, &alias, &regions);
    let limits = Limits { steps: run.steps.saturating_add(1), ..Limits::default() };
    let mut discard = |_: &[u8]| {};
    let options = RunOptions { limits, budget: budget.clone(), sink: Some(&mut discard) };
    let again = Interpreter::new(program).observe(&mut ListInputs::replay(&run.draws), options, &mut checker);
    if again.outcome != run.outcome {
        return Err("the run cannot be repeated".to_owned());
    }
    match checker.violations().first() {
        None => Ok(()),
        Some(violation) => {
            Err(format!("memory is reached in a way that nothing explains: {}", violation.show(program)))
        }
    }
}

fn options(steps: u64, budget: &Budget) -> RunOptions<'static> {
    let limits = Limits { steps, ..Limits::default() };
    RunOptions { limits, budget: budget.clone(), sink: None }
}

struct Borrowed<'a>(&'a mut dyn Inputs);

impl Inputs for Borrowed<'_> {
    fn next(&mut self, request: &hardbop_ir::interpret::Request<'_>) -> u128 {
        self.0.next(request)
    }

    fn renewed(&mut self, var: hardbop_ir::VarId) {
        self.0.renewed(var);
    }

    fn changed_outside(&mut self, by: (hardbop_ir::ProcId, hardbop_ir::EdgeId)) {
        self.0.changed_outside(by);
    }
}
