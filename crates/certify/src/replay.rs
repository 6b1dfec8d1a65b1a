//! Counterexamples, by running them.

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
    if run.draws.is_empty() {
        // Without values from outside there is only this run.
        return Ok(run);
    }
    let again = interpreter.run(&mut ListInputs::replay(&run.draws), options(steps, budget));
    if again.outcome != run.outcome || again.steps != run.steps {
        return Err(again.outcome);
    }
    match on_library(program, &run, budget) {
        None => Ok(run),
        Some(name) => {
            let reason = format!("the error depends on `{name}`, a standard function without a model");
            Err(Outcome::Unsupported { reason, site: run.outcome.site() })
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
}
