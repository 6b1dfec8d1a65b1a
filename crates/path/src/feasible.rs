//! Whether a path can be run: one query for the whole path, and if it fails, which steps are at fault.
//!
//! Most paths through large programs fail at their end, for a reason that has nothing to do with most of them. So
//! what shares no symbol with the last condition, however indirectly, is left out of a first query; then a
//! condition that is plainly false needs none. Nor has it mostly to do with the tables of a driver, each entry of which
//! is a write to memory: first nothing is known of what is in them.

use hardbop_base::{Budget, Stop};
use hardbop_ir::open_locations;
use hardbop_logic::{Term, Terms};
use hardbop_semantics::path::{PathStep, Walk};
use hardbop_semantics::{Choice, Encoder, Fresh, Guide, Subject};
use hardbop_solver::{Answer, Solver, model_with, new_solver};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Path;

/// Regions with more initial values than this are tables.
const TABLE: usize = 64;

pub(crate) enum Decided {
    Feasible(Box<Guide>),
    Infeasible(Vec<usize>),
    Unknown(String),
}

pub(crate) fn decide(subject: Subject<'_>, path: &Path, budget: &Budget) -> Result<Decided, Stop> {
    if let Some(core) = without_tables(subject, path, budget)? {
        return Ok(Decided::Infeasible(core));
    }
    let mut encoder = Encoder::default();
    let (walk, _) = follow(&mut encoder, subject, path);
    let mut solver = new_solver(subject.program.uses_integers(), budget);
    let last = with_the_last(&encoder.terms, &walk.conditions);
    if last.len() < walk.conditions.len()
        && let Some(core) = contradiction(&mut encoder, subject, &mut *solver, &last, budget)?
    {
        return Ok(Decided::Infeasible(core));
    }
    if let Some(core) = plain_contradiction(&encoder.terms, &walk.conditions) {
        return Ok(Decided::Infeasible(core));
    }
    let mut coder = encoder.on(subject);
    let terms: Vec<Term> = walk.conditions.iter().map(|&(_, term)| term).collect();
    let axioms = coder.axioms(&terms);
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
            let core = minimal_core(&encoder, &mut *solver, &axioms, &walk.conditions, budget)?;
            Ok(Decided::Infeasible(core))
        }
    }
}

/// The steps that contradict each other whatever is in tables, if there are tables and such steps.
fn without_tables(subject: Subject<'_>, path: &Path, budget: &Budget) -> Result<Option<Vec<usize>>, Stop> {
    let mut encoder = Encoder::default();
    let mut coder = encoder.on(subject);
    let (mut walk, has_tables) = Walk::from_start_up_to(TABLE, &mut coder, path.entry);
    if !has_tables {
        return Ok(None);
    }
    for &step in &path.steps {
        walk.step(&mut coder, step);
    }
    let mut solver = new_solver(subject.program.uses_integers(), budget);
    let last = with_the_last(&encoder.terms, &walk.conditions);
    let found = contradiction(&mut encoder, subject, &mut *solver, &last, budget)?;
    if found.is_some() || last.len() == walk.conditions.len() {
        return Ok(found);
    }
    contradiction(&mut encoder, subject, &mut *solver, &walk.conditions, budget)
}

/// The conditions that share a symbol with the last one, directly or through others.
fn with_the_last(terms: &Terms, conditions: &[(usize, Term)]) -> Vec<(usize, Term)> {
    let Some((last, others)) = conditions.split_last() else { return Vec::new() };
    let mut reached: FxHashSet<Term> = terms.symbols(last.1).iter().copied().collect();
    let mut rest: Vec<(usize, Term)> = others.to_vec();
    let mut found = vec![*last];
    loop {
        let known = found.len();
        rest.retain(|&(step, term)| {
            let symbols = terms.symbols(term);
            let touches = symbols.iter().any(|symbol| reached.contains(symbol));
            if touches {
                reached.extend(symbols.iter().copied());
                found.push((step, term));
            }
            !touches
        });
        if found.len() == known {
            found.sort_unstable_by_key(|&(step, _)| step);
            return found;
        }
    }
}

/// The steps of some conditions that contradict each other, if they do.
fn contradiction(
    encoder: &mut Encoder,
    subject: Subject<'_>,
    solver: &mut dyn Solver,
    conditions: &[(usize, Term)],
    budget: &Budget,
) -> Result<Option<Vec<usize>>, Stop> {
    if let Some(core) = plain_contradiction(&encoder.terms, conditions) {
        return Ok(Some(core));
    }
    let terms: Vec<Term> = conditions.iter().map(|&(_, term)| term).collect();
    let axioms = encoder.on(subject).axioms(&terms);
    let all: Vec<Term> = axioms.iter().chain(&terms).copied().collect();
    match solver.check(&encoder.terms, &all) {
        Answer::Unsat => Ok(Some(minimal_core(encoder, solver, &axioms, conditions, budget)?)),
        Answer::Sat | Answer::Unknown(_) => Ok(None),
    }
}

/// The step of the last condition that is false whatever symbols stand for.
fn plain_contradiction(terms: &Terms, conditions: &[(usize, Term)]) -> Option<Vec<usize>> {
    let is_false = |&&(_, term): &&(usize, Term)| terms.as_bool(term) == Some(false);
    conditions.iter().rev().find(is_false).map(|&(step, _)| vec![step])
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
/// solver's core, the earliest first: late steps explain better. Of what is true anyway, what the first core has is used.
fn minimal_core(
    encoder: &Encoder,
    solver: &mut dyn Solver,
    axioms: &[Term],
    conditions: &[(usize, Term)],
    budget: &Budget,
) -> Result<Vec<usize>, Stop> {
    let given = axioms.len();
    let (used, needed): (Vec<usize>, Vec<usize>) = solver.core().iter().partition(|&&i| i < given);
    let used: Vec<Term> = used.into_iter().map(|i| axioms[i]).collect();
    let mut kept: Vec<usize> = needed.into_iter().map(|i| conditions[i - given].0).collect();
    kept.sort_unstable();
    kept.dedup();
    let mut i = 0;
    while i < kept.len() {
        budget.check()?;
        let mut fewer = kept.clone();
        fewer.remove(i);
        let wanted = conditions.iter().filter(|(step, _)| fewer.binary_search(step).is_ok());
        let assumptions: Vec<Term> = used.iter().copied().chain(wanted.map(|&(_, term)| term)).collect();
        match solver.check(&encoder.terms, &assumptions) {
            Answer::Unsat => kept = fewer,
            _ => i += 1,
        }
    }
    Ok(kept)
}
