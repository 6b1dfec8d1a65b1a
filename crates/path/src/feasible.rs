//! Whether a path can be run: one query for the whole path, and if it fails, which steps are at fault.

use std::collections::VecDeque;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_ir::interpret::{Inputs, Request, Source};
use hardbop_ir::{Arbitrary, EdgeId, ProcId, Program, Type, VarId};
use hardbop_logic::{Evaluator, Model, Term, Value};
use hardbop_semantics::path::Walk;
use hardbop_semantics::{Cell, Encoder, Subject};
use hardbop_solver::{Answer, Blaster, Solver, Z3};
use rustc_hash::FxHashMap;

use crate::Path;

/// Inputs that lead along a path.
#[derive(Debug, Clone, Default)]
pub struct Guide {
    /// For each edge, the values that it drew, in order.
    values: FxHashMap<(ProcId, EdgeId), VecDeque<u128>>,
    /// For each location with several enabled edges, by the first that leaves it, which was chosen.
    choices: FxHashMap<(ProcId, EdgeId), VecDeque<u128>>,
    /// Values of variables that are read before they are written, one for each activation.
    unset: FxHashMap<VarId, VecDeque<u128>>,
}

impl Guide {
    /// The next value that an edge draws.
    pub fn draw(&mut self, site: (ProcId, EdgeId), value: &Value) {
        if let Some(bits) = bits(value) {
            self.values.entry(site).or_default().push_back(bits);
        }
    }

    /// Which of the enabled edges is taken next where several leave a location; the site is the first.
    pub fn choose(&mut self, site: (ProcId, EdgeId), value: &Value) {
        if let Some(bits) = bits(value) {
            self.choices.entry(site).or_default().push_back(bits);
        }
    }

    /// What a local of the next activation holds before it is written.
    pub fn start_with(&mut self, variable: VarId, value: &Value) {
        if let Some(bits) = bits(value) {
            self.unset.entry(variable).or_default().push_back(bits);
        }
    }
}

/// A guide for a run in which edges draw these values.
pub fn guide(values: impl IntoIterator<Item = ((ProcId, EdgeId), u128)>) -> Guide {
    let mut guide = Guide::default();
    for (site, value) in values {
        guide.values.entry(site).or_default().push_back(value);
    }
    guide
}

impl Inputs for Guide {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        let site = (request.site.procedure, request.site.edge);
        match request.source {
            Source::Value(Arbitrary::Uninitialised) => {
                let variable = request.storage.and_then(|storage| storage.variable);
                let values = variable.and_then(|variable| self.unset.get_mut(&variable));
                values.and_then(VecDeque::pop_front).unwrap_or(0)
            }
            Source::Value(_) | Source::AllocationFails => {
                self.values.get_mut(&site).and_then(VecDeque::pop_front).unwrap_or(0)
            }
            Source::Choice(_) => self.choices.get_mut(&site).and_then(VecDeque::pop_front).unwrap_or(0),
            Source::Address { .. } => 0,
        }
    }
}

pub(crate) enum Decided {
    Feasible(Guide),
    Infeasible(Vec<usize>),
    Unknown(String),
}

pub(crate) fn decide(
    program: &Program,
    alias: &Alias,
    regions: &Regions,
    path: &Path,
    budget: &Budget,
) -> Result<Decided, Stop> {
    let mut encoder = Encoder::default();
    let subject = Subject { program, alias, regions };
    let mut coder = encoder.on(subject);
    let mut walk = Walk::from_start(&mut coder, path.entry);
    for &step in &path.steps {
        walk.step(&mut coder, step);
    }
    let terms: Vec<Term> = walk.conditions.iter().map(|&(_, term)| term).collect();
    let axioms = coder.axioms(&terms);
    let mut solver = new_solver(program, budget);
    let plain: Vec<Term> = axioms.iter().chain(&terms).copied().collect();
    match solver.check(&encoder.terms, &plain) {
        Answer::Sat => {
            let model = solver.model(&encoder.terms);
            Ok(Decided::Feasible(read(&encoder, &walk, &model)))
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

pub(crate) fn new_solver(program: &Program, budget: &Budget) -> Box<dyn Solver> {
    let unbounded = program.types().values().any(|ty| matches!(ty, Type::Integer));
    if unbounded { Box::new(Z3::new(budget)) } else { Box::new(Blaster::new(budget)) }
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

/// The inputs of a model.
fn read(encoder: &Encoder, walk: &Walk, model: &Model) -> Guide {
    let mut guide = Guide::default();
    let mut evaluator = Evaluator::new();
    for draw in &walk.draws {
        if let Some(value) = evaluator.value(&encoder.terms, draw.value, model) {
            guide.draw((draw.procedure, draw.edge), &value);
        }
    }
    for frame in walk.frames() {
        for (cell, symbol) in encoder.read_in(frame) {
            if let (Cell::Local(_, var), Some(value)) = (cell, evaluator.value(&encoder.terms, symbol, model))
            {
                guide.start_with(var, &value);
            }
        }
    }
    guide
}

fn bits(value: &Value) -> Option<u128> {
    match *value {
        Value::Bool(value) => Some(value.into()),
        Value::Int(value) => Some(value.cast_unsigned()),
        Value::BitVec { value, .. } => Some(value),
        Value::Array { .. } => None,
    }
}
