//! Whether a proof says nothing, because no run gets past an assumption.
//!
//! First some runs are tried. Only if all of them end at assumptions, the question is asked of the program in
//! which getting past one of those is the error, instead of what was an error.

use hardbop_base::Budget;
use hardbop_ir::interpret::{Interpreter, Limits, ListInputs, Options as RunOptions, Outcome, SeededInputs};
use hardbop_ir::{Edge, Halt, Location, LocationId, ProcId, Program, Property, Statement};
use hardbop_portfolio::{Options, RefinementOptions, check};
use hardbop_verdict::Verdict;

/// Runs that are tried.
const PROBES: u64 = 24;
/// Steps of such a run.
const PROBE_STEPS: u64 = 20_000;
/// Refinements for the question.
const REFINEMENTS: usize = 20;

/// What to say if no run gets past the assumptions where runs end.
pub(super) fn warning(program: &Program, budget: &Budget) -> Option<String> {
    let blocked = blocked(program, budget)?;
    let at = blocked.iter().map(|(_, _, place)| place.as_str()).collect::<Vec<_>>().join(", ");
    let all = Options::default();
    let refinement = RefinementOptions { max_iterations: REFINEMENTS, ..all.refinement };
    let options = Options { refinement, ..all };
    match check(&behind(program, &blocked), &[], &options, budget, &mut |_| {}).verdict {
        Verdict::True(_) => Some(format!("the verdict is vacuous: no run gets past the assumption at {at}")),
        Verdict::False(_) | Verdict::Unknown(_) => None,
    }
}

/// Where runs end, if all that are tried end at assumptions.
fn blocked(program: &Program, budget: &Budget) -> Option<Vec<(ProcId, LocationId, String)>> {
    let interpreter = Interpreter::new(program);
    let mut ends = Vec::new();
    for seed in 0..PROBES {
        let limits = Limits { steps: PROBE_STEPS, memory: 1 << 26, depth: 1000, ..Limits::default() };
        let options = RunOptions { limits, budget: budget.clone(), sink: None };
        let run = match seed {
            0 => interpreter.run(&mut ListInputs::all([]), options),
            _ => interpreter.run(&mut SeededInputs::new(seed), options),
        };
        let Outcome::Blocked { procedure, location, span } = run.outcome else { return None };
        let end = (procedure, location, program.files.origin(span).to_string());
        if !ends.contains(&end) {
            ends.push(end);
        }
        if run.draws.is_empty() {
            break;
        }
    }
    Some(ends)
}

/// The program in which it is an error to get past an assumption at one of these locations.
fn behind(program: &Program, blocked: &[(ProcId, LocationId, String)]) -> Program {
    let mut program = program.clone();
    for (_, procedure) in program.procedures.iter_mut() {
        for (_, edge) in procedure.edges.iter_mut() {
            if matches!(edge.statement, Statement::Error(_)) {
                edge.statement = Statement::Halt(Halt::Abort);
            }
        }
    }
    for (id, location, _) in blocked {
        let procedure = &mut program.procedures[*id];
        let passed = procedure.locations.push(Location::default());
        let end = procedure.locations.push(Location::default());
        let mut span = procedure.span;
        for (_, edge) in procedure.edges.iter_mut().filter(|(_, edge)| edge.source == *location) {
            edge.target = passed;
            span = edge.span;
        }
        let statement = Statement::Error(Property::ErrorLabel("behind the assumption".to_owned()));
        procedure.edges.push(Edge { source: passed, target: end, statement, span });
    }
    program
}
