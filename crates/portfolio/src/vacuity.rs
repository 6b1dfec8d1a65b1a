//! Whether a proof says something.
//!
//! A proof of code that no run reaches is worth nothing, and looks like any other. So runs are made, with any inputs.
//!
//! If all of them end at assumptions, the question is asked of the program in which getting past one of those is the
//! error, instead of what was an error. Otherwise, of the procedures and loops that they do not pass, the proof is asked
//! whether it admits a state there.

use std::collections::HashSet;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Span};
use hardbop_certify::proof::{Proof, Relation, admits};
use hardbop_ir::interpret::{
    Interpreter, Limits, ListInputs, Observer, Outcome, RunOptions, SeededInputs, View,
};
use hardbop_ir::{Edge, Location, LocationId, Order, ProcId, Program, Property, Statement};
use hardbop_predicate::places;
use hardbop_semantics::Subject;
use hardbop_solver::certifiers;
use hardbop_verdict::{Evidence, Verdict};

use crate::{PortfolioOptions, RefinementOptions, check};

/// Runs that are tried.
const PROBES: u64 = 24;
/// Steps of such a run.
const PROBE_STEPS: u64 = 20_000;
/// Refinements for the question whether assumptions can be passed.
const REFINEMENTS: usize = 20;

/// What may be wrong with a proof that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// No run gets past the assumptions at these places, so the verdict is vacuous.
    Vacuous(Vec<Span>),
    /// No run is known to pass these entries of procedures and heads of loops.
    NotPassed(Vec<(ProcId, LocationId)>),
}

/// What is doubtful about a proof; `is_own` says which procedures the user's own code consists of.
pub fn doubt(
    program: &Program,
    evidence: &Evidence,
    is_own: &dyn Fn(ProcId) -> bool,
    budget: &Budget,
) -> Option<Doubt> {
    let probed = probe(program, budget);
    if let Some(ends) = probed.blocked
        && !can_pass(program, &ends, budget)
    {
        return Some(Doubt::Vacuous(ends.into_iter().map(|end| end.span).collect()));
    }
    let open = not_passed(program, evidence, &probed.passed, is_own, budget)?;
    (!open.is_empty()).then_some(Doubt::NotPassed(open))
}

/// Where a run ended at an assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BlockedAt {
    procedure: ProcId,
    location: LocationId,
    span: Span,
}

/// What some runs did.
struct Probed {
    /// Where they ended, if all of them ended at assumptions.
    blocked: Option<Vec<BlockedAt>>,
    passed: Passed,
}

/// The locations that runs pass.
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

fn probe(program: &Program, budget: &Budget) -> Probed {
    let interpreter = Interpreter::new(program);
    let mut probed = Probed { blocked: Some(Vec::new()), passed: Passed::default() };
    for seed in 0..PROBES {
        let limits = Limits { steps: PROBE_STEPS, memory: 1 << 26, depth: 1000, ..Limits::default() };
        let options = RunOptions { limits, budget: budget.clone(), sink: None };
        let run = match seed {
            0 => interpreter.observe(&mut ListInputs::all([]), options, &mut probed.passed),
            _ => interpreter.observe(&mut SeededInputs::new(seed), options, &mut probed.passed),
        };
        match (run.outcome, &mut probed.blocked) {
            (Outcome::Blocked { procedure, location, span }, Some(ends)) => {
                let end = BlockedAt { procedure, location, span };
                if !ends.contains(&end) {
                    ends.push(end);
                }
            }
            (_, blocked) => *blocked = None,
        }
        if run.draws.is_empty() {
            break;
        }
    }
    probed
}

/// Whether some run gets past one of the assumptions; yes, too, if that could not be decided.
fn can_pass(program: &Program, ends: &[BlockedAt], budget: &Budget) -> bool {
    let all = PortfolioOptions::default();
    let refinement = RefinementOptions { max_iterations: REFINEMENTS, ..all.refinement };
    let options = PortfolioOptions { refinement, ..all };
    let asked = behind(program, ends);
    !matches!(check(&asked, &[], &options, budget, &mut |_| {}).verdict, Verdict::True(_))
}

/// The program in which it is an error to get past an assumption at one of these locations.
fn behind(program: &Program, ends: &[BlockedAt]) -> Program {
    let mut program = program.with_errors(&[]);
    for end in ends {
        let procedure = &mut program.procedures[end.procedure];
        let passed = procedure.locations.push(Location::default());
        let last = procedure.locations.push(Location::default());
        for (_, edge) in procedure.edges.iter_mut().filter(|(_, edge)| edge.source == end.location) {
            edge.target = passed;
        }
        let statement = Statement::Error(Property::ErrorLabel("behind the assumption".to_owned()));
        procedure.edges.push(Edge { source: passed, target: last, statement, span: end.span });
    }
    program
}

/// The procedures and loops that no run passed, and where the proof admits no state either.
fn not_passed(
    program: &Program,
    evidence: &Evidence,
    passed: &Passed,
    is_own: &dyn Fn(ProcId) -> bool,
    budget: &Budget,
) -> Option<Vec<(ProcId, LocationId)>> {
    let alias = Alias::of(program, budget).ok()?;
    let mut open = Vec::new();
    for (procedure, p) in program.procedures.iter() {
        if p.external.is_some() || !alias.calls().is_reached(procedure) || !is_own(procedure) {
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
        Evidence::Invariants(proof) => retain_empty(&mut open, program, &alias, proof, budget),
        Evidence::Unrolled(_, passed) => open.retain(|at| !passed.contains(at)),
        Evidence::Backward(_) => {}
    }
    Some(open)
}

/// Keeps the places at which a proof admits no state. Where it claims nothing, or says that nobody gets there, that is plain;
/// about the others solvers are asked, and where they give up, no doubt is reported.
fn retain_empty(
    open: &mut Vec<(ProcId, LocationId)>,
    program: &Program,
    alias: &Alias,
    proof: &Proof,
    budget: &Budget,
) {
    open.retain(|at| !proof.relations.get(at).is_some_and(Relation::is_anything));
    if open.iter().all(|at| !proof.relations.contains_key(at)) {
        return;
    }
    let places = places(program, &proof.predicates);
    let Ok(regions) = Regions::of(program, alias, &places, budget) else { return open.clear() };
    let subject = Subject { program, alias, regions: &regions };
    open.retain(|&at| {
        let mut solvers = certifiers(program.uses_integers(), budget);
        !admits(subject, proof, at, &mut solvers, budget).unwrap_or(true)
    });
}
