//! Inputs that a solver chooses: runs to places that random runs do not reach.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_ir::interpret::Outcome;
use hardbop_ir::testing::Random;
use hardbop_ir::{EdgeId, ProcId, Program};
use hardbop_semantics::Subject;
use hardbop_solver::new_solver;
use hardbop_unroll::{Bounded, UnrollOptions, decide};
use rustc_hash::FxHashSet;

use crate::plant::error_behind;
use crate::record::{Recorded, run};

/// How far all runs are unrolled together.
const UNROLLED: UnrollOptions = UnrollOptions { bound: 4, steps: 20_000, depth: 60 };

/// The edges of procedures that runs came to, or that lead on from there, and that no run took.
pub fn untaken(program: &Program, runs: &[Recorded]) -> Vec<(ProcId, EdgeId)> {
    let taken: FxHashSet<(ProcId, EdgeId)> =
        runs.iter().flat_map(|run| &run.steps).map(|step| (step.procedure, step.edge)).collect();
    let entered: FxHashSet<ProcId> = taken.iter().map(|&(procedure, _)| procedure).collect();
    let mut edges = Vec::new();
    for (id, procedure) in program.procedures.iter() {
        if entered.contains(&id) {
            edges.extend(procedure.edges.ids().map(|edge| (id, edge)).filter(|step| !taken.contains(step)));
        }
    }
    edges
}

/// The values of a run to an edge, found by bounded unrolling and confirmed by running it.
pub fn inputs_to(
    program: &Program,
    (procedure, edge): (ProcId, EdgeId),
    budget: &Budget,
) -> Result<Option<Vec<u128>>, Stop> {
    let Some(target) = error_behind(program, procedure, edge) else { return Ok(None) };
    let alias = Alias::of(&target, budget)?;
    let regions = Regions::of(&target, &alias, &[], budget)?;
    let subject = Subject { program: &target, alias: &alias, regions: &regions };
    let mut solver = new_solver(target.uses_integers(), budget);
    let Bounded::Reaches(mut guide) = decide(subject, &mut *solver, UNROLLED, budget)? else {
        return Ok(None);
    };
    let reached = run(&target, &mut *guide, budget);
    let arrived = matches!(reached.outcome, Outcome::Error { .. });
    Ok(arrived.then(|| reached.draws.iter().map(|draw| draw.value).collect()))
}

/// Targets in random order.
pub fn some(mut targets: Vec<(ProcId, EdgeId)>, count: usize, random: &mut Random) -> Vec<(ProcId, EdgeId)> {
    let mut chosen = Vec::new();
    while chosen.len() < count && !targets.is_empty() {
        chosen.push(targets.swap_remove(random.below(targets.len())));
    }
    chosen
}
