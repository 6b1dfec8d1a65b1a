//! Concrete runs before any abstraction: shallow errors are found at once.

use hardbop_base::Budget;
use hardbop_certify::replay::replay;
use hardbop_ir::Program;
use hardbop_ir::interpret::{Interpreter, Limits, ListInputs, Options, Outcome, Run, SeededInputs};

/// Steps of a single probe.
const PROBE_STEPS: u64 = 200_000;

/// Runs the program with dull and with random inputs; a run that reaches an error, replayed.
pub fn explore(program: &Program, probes: u32, budget: &Budget) -> Option<Run> {
    let interpreter = Interpreter::new(program);
    for seed in 0..probes {
        if budget.check().is_err() {
            return None;
        }
        let limits =
            Limits { steps: PROBE_STEPS, draws: 1 << 16, memory: 1 << 26, depth: 2000, ..Limits::default() };
        let options = Options { limits, budget: budget.clone(), sink: None };
        let run = match seed {
            0 => interpreter.run(&mut ListInputs::all([]), options),
            _ => interpreter.run(&mut SeededInputs::new(seed.into()), options),
        };
        if matches!(run.outcome, Outcome::Error { .. }) {
            return replay(program, &mut ListInputs::replay(&run.draws), budget).ok();
        }
        if run.draws.is_empty() {
            // Nothing to choose: every run is this one.
            return None;
        }
    }
    None
}
