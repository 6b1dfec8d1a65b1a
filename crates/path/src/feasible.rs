//! Whether a path can be run: one query for the whole path, and if it fails, which steps are at fault.

use hardbop_base::{Budget, Stop};
use hardbop_ir::open_locations;
use hardbop_logic::Term;
use hardbop_semantics::path::{PathStep, Walk};
use hardbop_semantics::{Choice, Encoder, Fresh, Guide, Subject};
use hardbop_solver::{Answer, Solver, model_with, new_solver};
use rustc_hash::FxHashMap;

use crate::Path;

pub(crate) enum Decided {
    Feasible(Box<Guide>),
    Infeasible(Vec<usize>),
    Unknown(String),
}

pub(crate) fn decide(subject: Subject<'_>, path: &Path, budget: &Budget) -> Result<Decided, Stop> {
    let mut encoder = Encoder::default();
    let (walk, _) = follow(&mut encoder, subject, path);
    let mut coder = encoder.on(subject);
    let terms: Vec<Term> = walk.conditions.iter().map(|&(_, term)| term).collect();
    let axioms = coder.axioms(&terms);
    let mut solver = new_solver(subject.program.uses_integers(), budget);
    let plain: Vec<Term> = axioms.iter().chain(&terms).copied().collect();
    match solver.check(&encoder.terms, &plain) {
        Answer::Sat => {
            let model = solver.model(&encoder.terms);
            // Once more with the same names, to see what storage held.
            encoder.restart_names();
            encoder.record_fresh();
            let (walk, choices) = follow(&mut encoder, subject, path);
            let followed: Vec<&Fresh> = walk.fresh.iter().map(|(_, fresh)| fresh).collect();
            let wishes = encoder.outside_wishes(subject.program.data_model, followed, &model);
            let model = model_with(&encoder.terms, &mut *solver, &plain, wishes).unwrap_or(model);
            Ok(Decided::Feasible(Box::new(Guide::of_walk(&encoder, &walk, &choices, &model))))
        }
        Answer::Unknown(reason) => {
            budget.check()?;
            Ok(Decided::Unknown(reason.to_string()))
        }
        Answer::Unsat => {
            let core = minimal_core(&encoder, &mut *solver, &axioms, &walk, budget)?;
            Ok(Decided::Infeasible(core))
        }
    }
}

/// Executes a path, and says where it had a choice.
fn follow(encoder: &mut Encoder, subject: Subject<'_>, path: &Path) -> (Walk, Vec<Choice>) {
    let mut coder = encoder.on(subject);
    let mut walk = Walk::from_start(&mut coder, path.entry);
    let mut open = FxHashMap::default();
    let mut choices = Vec::new();
    for &step in &path.steps {
        if let PathStep::Edge(edge) | PathStep::Enter(edge, _) = step {
            let procedure = walk.procedure();
            let open = open.entry(procedure).or_insert_with(|| open_locations(subject.program, procedure));
            let source = subject.program.procedures[procedure].edges[edge].source;
            if let Some(edges) = open.get(&source)
                && let Some(taken) = edges.iter().position(|&other| other == edge)
            {
                let enabled = coder.enabled(&walk.state, procedure, edges);
                choices.push(Choice { site: (procedure, edges[0]), enabled, taken });
            }
        }
        walk.step(&mut coder, step);
    }
    (walk, choices)
}

/// The steps of a minimal set of conditions that contradict each other, found by deletion from the
/// solver's core, the earliest first: late steps explain better.
fn minimal_core(
    encoder: &Encoder,
    solver: &mut dyn Solver,
    axioms: &[Term],
    walk: &Walk,
    budget: &Budget,
) -> Result<Vec<usize>, Stop> {
    let given = axioms.len();
    let mut kept: Vec<usize> =
        solver.core().iter().filter(|&&i| i >= given).map(|&i| walk.conditions[i - given].0).collect();
    kept.sort_unstable();
    kept.dedup();
    let mut i = 0;
    while i < kept.len() {
        budget.check()?;
        let mut fewer = kept.clone();
        fewer.remove(i);
        let conditions = walk.conditions.iter().filter(|(step, _)| fewer.binary_search(step).is_ok());
        let assumptions: Vec<Term> =
            axioms.iter().copied().chain(conditions.map(|&(_, term)| term)).collect();
        match solver.check(&encoder.terms, &assumptions) {
            Answer::Unsat => kept = fewer,
            _ => i += 1,
        }
    }
    Ok(kept)
}
