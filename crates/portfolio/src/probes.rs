//! Concrete runs before any abstraction: shallow errors are found at once.

use hardbop_base::Budget;
use hardbop_certify::replay::replay;
use hardbop_ir::Program;
use hardbop_ir::interpret::{Interpreter, Limits, ListInputs, Outcome, Run, RunOptions, SeededInputs};

/// Steps of a single probe.
const PROBE_STEPS: u64 = 200_000;

/// What such runs found.
pub struct Explored {
    /// A run that reaches an error, replayed.
    pub run: Option<Run>,
    /// Why a run that reached an error does not count.
    pub refused: Option<String>,
}

/// Runs the program with dull and with random inputs.
pub fn explore(program: &Program, probes: u32, budget: &Budget) -> Explored {
    let interpreter = Interpreter::new(program);
    let mut refused = None;
    for seed in 0..probes {
        if budget.check().is_err() {
            break;
        }
        let limits =
            Limits { steps: PROBE_STEPS, draws: 1 << 16, memory: 1 << 26, depth: 2000, ..Limits::default() };
        let options = RunOptions { limits, budget: budget.clone(), sink: None };
        let run = match seed {
            0 => interpreter.run(&mut ListInputs::all([]), options),
            _ => interpreter.run(&mut SeededInputs::new(seed.into()), options),
        };
        if matches!(run.outcome, Outcome::Error { .. }) {
            match replay(program, &mut ListInputs::replay(&run.draws), budget) {
                Ok(run) => return Explored { run: Some(run), refused: None },
                Err(end) => refused = refused.or_else(|| Some(end.describe(program))),
            }
        }
        if run.draws.is_empty() {
            // Nothing to choose: every run is this one.
            break;
        }
    }
    Explored { run: None, refused }
}
