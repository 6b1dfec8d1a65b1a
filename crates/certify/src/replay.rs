//! Counterexamples, by running them.

use hardbop_base::Budget;
use hardbop_ir::Program;
use hardbop_ir::interpret::{Inputs, Interpreter, Limits, ListInputs, Options, Outcome, Run};

/// Steps after which a run that should reach an error is given up.
const MAX_STEPS: u64 = 200_000_000;

/// Runs the program with the inputs, and once more with the list of all values drawn: the result is
/// there only if both runs reach the error.
pub fn replay(program: &Program, inputs: &mut dyn Inputs, budget: &Budget) -> Result<Run, Outcome> {
    let interpreter = Interpreter::new(program);
    let run = interpreter.run(&mut Borrowed(inputs), options(budget));
    if !matches!(run.outcome, Outcome::Error { .. }) {
        return Err(run.outcome);
    }
    let again = interpreter.run(&mut ListInputs::replay(&run.draws), options(budget));
    if again.outcome == run.outcome && again.steps == run.steps { Ok(run) } else { Err(again.outcome) }
}

fn options(budget: &Budget) -> Options<'static> {
    let limits = Limits { steps: MAX_STEPS, ..Limits::default() };
    Options { limits, budget: budget.clone(), sink: None }
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
