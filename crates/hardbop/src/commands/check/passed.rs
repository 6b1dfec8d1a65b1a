//! What a proof is about: the procedures and loops that something is known to pass.
//!
//! A proof of code that no run reaches is worth nothing, and looks like any other. So runs are made, with any
//! inputs; of what they do not pass the proof is asked whether it admits a state there. What is left is
//! named.

use std::collections::HashSet;

use hardbop_alias::{Alias, Regions};
use hardbop_base::Budget;
use hardbop_certify::proof::{Proof, admits};
use hardbop_ir::Order;
use hardbop_ir::interpret::{Interpreter, Limits, ListInputs, Observer, Options, SeededInputs, View};
use hardbop_ir::{LocationId, ProcId, Program};
use hardbop_predicate::places;
use hardbop_semantics::Subject;
use hardbop_solver::certifiers;
use hardbop_verdict::Evidence;

/// Runs that are tried.
const PROBES: u64 = 16;
/// Steps of such a run.
const PROBE_STEPS: u64 = 20_000;
/// Places that are named.
const NAMED: usize = 5;

/// The places that runs pass.
#[derive(Default)]
struct Passed {
    locations: HashSet<(ProcId, LocationId)>,
}

impl Observer for Passed {
    fn step(&mut self, view: &View<'_, '_>) {
        let procedure = view.procedure();
        let source = view.program().procedures[procedure].edges[view.edge()].source;
        self.locations.insert((procedure, source));
    }
}

/// What to say of procedures and loops that nothing is known to pass.
pub(super) fn note(program: &Program, evidence: &Evidence, budget: &Budget) -> Option<String> {
    let alias = Alias::of(program, budget).ok()?;
    let passed = passed(program, budget);
    let mut open = Vec::new();
    for (procedure, p) in program.procedures.iter() {
        // The library is not what anybody asks about.
        let origin = program.files.origin(p.span);
        let is_own = origin.line > 0 && origin.file != hardbop_lower::LIBRARY_NAME;
        if p.external.is_some() || !alias.calls().is_reached(procedure) || !is_own {
            continue;
        }
        if !passed.locations.contains(&(procedure, p.entry)) {
            open.push((procedure, p.entry));
            continue;
        }
        let order = Order::of(p);
        let heads = order.cuts().into_iter().filter(|&location| order.is_head(location));
        open.extend(heads.map(|head| (procedure, head)).filter(|at| !passed.locations.contains(at)));
    }
    match evidence {
        Evidence::Invariants(proof) => open.retain(|&at| !is_admitted(program, &alias, proof, at, budget)),
        Evidence::Unrolled(_, passed) => open.retain(|at| !passed.contains(at)),
        Evidence::Backward(_) => {}
    }
    let names: Vec<String> = open.iter().take(NAMED).map(|&at| name(program, at)).collect();
    let more = open.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("no run is known to pass {}{more}", names.join(", ")))
}

fn passed(program: &Program, budget: &Budget) -> Passed {
    let interpreter = Interpreter::new(program);
    let mut passed = Passed::default();
    for seed in 0..PROBES {
        let limits = Limits { steps: PROBE_STEPS, memory: 1 << 26, depth: 1000, ..Limits::default() };
        let options = Options { limits, budget: budget.clone(), sink: None };
        let run = match seed {
            0 => interpreter.observe(&mut ListInputs::all([]), options, &mut passed),
            _ => interpreter.observe(&mut SeededInputs::new(seed), options, &mut passed),
        };
        if run.draws.is_empty() {
            break;
        }
    }
    passed
}

fn is_admitted(
    program: &Program,
    alias: &Alias,
    proof: &Proof,
    at: (ProcId, LocationId),
    budget: &Budget,
) -> bool {
    let places = places(program, &proof.predicates);
    let Ok(regions) = Regions::of(program, alias, &places, budget) else { return true };
    let subject = Subject { program, alias, regions: &regions };
    let mut solvers = certifiers(program.uses_integers(), budget);
    // Where nobody can tell, nothing is said.
    admits(subject, proof, at, &mut solvers, budget).unwrap_or(true)
}

fn name(program: &Program, (procedure, location): (ProcId, LocationId)) -> String {
    let p = &program.procedures[procedure];
    if location == p.entry {
        return format!("`{}`", p.name);
    }
    let span = p.edges.values().find(|e| e.source == location).map_or(p.span, |e| e.span);
    format!("the loop at {}", program.files.origin(span))
}
