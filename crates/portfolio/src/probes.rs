//! Concrete runs before any abstraction: shallow errors are found at once.

use hardbop_base::Budget;
use hardbop_certify::replay::replay;
use hardbop_ir::Program;
use hardbop_ir::interpret::{
    Interpreter, Limits, ListInputs, Outcome, Run, RunOptions, SeededInputs, SwarmInputs,
};

/// Steps of a single probe.
const PROBE_STEPS: u64 = 200_000;
/// More probes are made for each that was asked for, as long as all of these took no more than so many steps: runs of small programs cost
/// nothing.
const MORE: u32 = 64;
const MORE_STEPS: u64 = 1_000_000;
/// Runs to an error that count for nothing, before no more are made.
const MAX_REFUSED: u32 = 8;

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
    let (mut refused, mut refusals, mut steps) = (None, 0, 0);
    for seed in 0..probes.saturating_mul(MORE) {
        if budget.check().is_err() || seed >= probes && steps > MORE_STEPS {
            break;
        }
        let limits =
            Limits { steps: PROBE_STEPS, draws: 1 << 16, memory: 1 << 26, depth: 2000, ..Limits::default() };
        let options = RunOptions { limits, budget: budget.clone(), sink: None };
        let run = match seed {
            0 => interpreter.run(&mut ListInputs::all([]), options),
            _ if seed < probes => interpreter.run(&mut SeededInputs::new(seed.into()), options),
            _ => interpreter.run(&mut SwarmInputs::new(seed.into()), options),
        };
        steps += run.steps;
        if matches!(run.outcome, Outcome::Error { .. }) {
            match replay(program, &mut ListInputs::replay(&run.draws), budget) {
                Ok(run) => return Explored { run: Some(run), refused: None },
                Err(end) => {
                    refused = refused.or_else(|| Some(end.describe(program)));
                    refusals += 1;
                    if refusals == MAX_REFUSED {
                        break;
                    }
                }
            }
        }
        if run.draws.is_empty() {
            // Nothing to choose: every run is this one.
            break;
        }
    }
    Explored { run: None, refused }
}
