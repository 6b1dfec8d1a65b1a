//! The path of a run, executed by the encoder from end to end, as the engines do: one formula, in which
//! nothing is read off the run.

use std::cmp::Ordering;

use hardbop_ir::interpret::{
    Inputs, Interpreter, Limits, Observer, Run, RunOptions, Value as Concrete, View,
};
use hardbop_ir::{EdgeId, ProcId, Statement, VarId};
use hardbop_logic::{Node, Sort, Term, Value};
use hardbop_semantics::path::{PathStep, Walk};
use hardbop_semantics::{Cell, Coder, Encoder, End, Meaning, Object, Subject};
use rustc_hash::FxHashMap;

use crate::actual::value_of;

/// The formula of a run's path.
pub struct Trail {
    /// The encoder that made it.
    pub encoder: Encoder,
    /// What runs along the path satisfy.
    pub conditions: Vec<Term>,
    /// Facts about the addresses, but for those that the addresses of the run contradict.
    pub axioms: Vec<Term>,
    /// How many of the facts those were. They say that objects lie apart that did not live at the same time.
    pub contradicted: usize,
    /// For globals that are registers what they hold at the end of the run, and that they hold it.
    pub results: Vec<(VarId, Value, Term)>,
    /// The run.
    pub run: Run,
}

/// Notes the steps of a run, where its objects are, and what globals hold before each step.
struct Recorder<'a> {
    subject: Subject<'a>,
    steps: Vec<(ProcId, EdgeId, usize)>,
    wanted: Vec<(VarId, Sort)>,
    values: Vec<Option<Value>>,
    /// Addresses of variables: all that they ever had.
    variables: FxHashMap<VarId, Vec<u64>>,
    /// Addresses of what was allocated, in order; nothing where that failed.
    allocations: Vec<Option<u64>>,
    procedures: Vec<u64>,
}

impl Recorder<'_> {
    fn note_addresses(&mut self, view: &View<'_, '_>, vars: &[VarId]) {
        for &var in vars {
            let known = self.variables.entry(var).or_default();
            if let Ok(address) = view.address(var)
                && !known.contains(&address)
            {
                known.push(address);
            }
        }
    }

    fn note_step(&mut self, view: &View<'_, '_>) {
        let program = self.subject.program;
        let before = self.steps.last().copied();
        if let Some((procedure, edge, _)) = before {
            if let Statement::Allocate { result, .. } = program.procedures[procedure].edges[edge].statement {
                let address = match view.variable(result) {
                    Ok(Concrete::Address(address)) if address != 0 => Some(address),
                    _ => None,
                };
                self.allocations.push(address);
            }
        } else {
            self.note_addresses(view, &program.globals);
            self.procedures = program.procedures.ids().map(|id| view.procedure_address(id)).collect();
        }
        if before.is_none_or(|(.., depth)| depth < view.depth()) {
            let procedure = &program.procedures[view.procedure()];
            let own = procedure.formals.iter().chain(&procedure.locals).chain(&procedure.result);
            self.note_addresses(view, &own.copied().collect::<Vec<_>>());
        }
    }

    /// Where an object is in the run, if that is the same all along.
    fn address(&self, object: Object) -> Option<u64> {
        match object {
            Object::Variable(_, var) => match self.variables.get(&var).map(Vec::as_slice) {
                Some(&[address]) => Some(address),
                _ => None,
            },
            Object::Procedure(id) => self.procedures.get(id.index()).copied(),
            Object::Allocated(new) => *self.allocations.get(new.number as usize)?,
        }
    }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, view: &View<'_, '_>) {
        self.note_step(view);
        self.steps.push((view.procedure(), view.edge(), view.depth()));
        self.values.clear();
        let values = self.wanted.iter().map(|&(var, sort)| value_of(view.variable(var).ok()?, sort));
        self.values.extend(values);
    }
}

/// The path of a run up to its last step, and what the globals that are wanted hold there. Objects are where
/// they are in the run.
///
/// # Errors
/// The encoder does not get along the path.
pub fn trail(
    subject: Subject<'_>,
    inputs: &mut dyn Inputs,
    steps: u64,
    wanted: impl Fn(&str) -> bool,
) -> Result<Trail, String> {
    let Subject { program, alias, .. } = subject;
    let mut encoder = Encoder::default();
    let globals = program.globals.iter().copied();
    let globals = globals.filter(|&var| !alias.in_memory(var) && wanted(&program.variables[var].name));
    let mut coder = encoder.on(subject);
    let wanted: Vec<(VarId, Sort)> = globals.map(|var| (var, coder.cell_sort(Cell::Global(var)))).collect();
    let mut recorder = Recorder {
        subject,
        steps: Vec::new(),
        wanted,
        values: Vec::new(),
        variables: FxHashMap::default(),
        allocations: Vec::new(),
        procedures: Vec::new(),
    };
    let options =
        RunOptions { limits: Limits { steps, depth: 200, ..Limits::default() }, ..RunOptions::default() };
    let run = Interpreter::new(program).observe(inputs, options, &mut recorder);
    let walk = walked(&mut coder, &recorder.steps)?;
    let mut results = results(&mut coder, &walk, &recorder);
    let mut conditions: Vec<Term> = walk.conditions.iter().map(|&(_, condition)| condition).collect();
    let mut axioms = coder.all_axioms();
    let terms = conditions.iter_mut().chain(&mut axioms).chain(results.iter_mut().map(|(.., term)| term));
    place_objects(&mut encoder, &recorder, terms.collect());
    let all = axioms.len();
    axioms.retain(|&axiom| !matches!(encoder.terms.node(axiom), Node::Bool(false)));
    let contradicted = all - axioms.len();
    Ok(Trail { encoder, conditions, axioms, contradicted, results, run })
}

/// Executes the steps of a run but the last, which may not come to an end.
fn walked(coder: &mut Coder<'_>, steps: &[(ProcId, EdgeId, usize)]) -> Result<Walk, String> {
    let Some(&(entry, ..)) = steps.first() else { return Err("the run has no steps".into()) };
    let mut walk = Walk::from_start(coder, entry);
    for pair in steps.windows(2) {
        let [(_, edge, depth), (procedure, _, next)] = [pair[0], pair[1]];
        let step = match next.cmp(&depth) {
            Ordering::Greater => PathStep::Enter(edge, procedure),
            Ordering::Equal => PathStep::Edge(edge),
            Ordering::Less => PathStep::Leave,
        };
        let end = walk.step(coder, step);
        if end != End::Continues {
            return Err(format!("the run goes on after {end:?}"));
        }
    }
    Ok(walk)
}

/// That globals hold what they hold in the run.
fn results(coder: &mut Coder<'_>, walk: &Walk, recorder: &Recorder<'_>) -> Vec<(VarId, Value, Term)> {
    let mut results = Vec::new();
    for (&(var, _), value) in recorder.wanted.iter().zip(&recorder.values) {
        let Some(value) = value else { continue };
        let term = coder.get(&walk.state, Cell::Global(var));
        let terms = &mut coder.encoder.terms;
        let constant = match (value, terms.sort(term)) {
            (Value::Bool(value), _) => terms.bool(*value),
            (Value::Int(value), _) => terms.int(*value),
            (value, Sort::BitVec(width)) => terms.bv(value.as_bits().unwrap_or(0), width),
            _ => continue,
        };
        results.push((var, value.clone(), terms.eq(term, constant)));
    }
    results
}

/// Replaces addresses by those of the run.
fn place_objects(encoder: &mut Encoder, recorder: &Recorder<'_>, formulas: Vec<&mut Term>) {
    let mut known = FxHashMap::default();
    for term in &formulas {
        for symbol in encoder.terms.symbols(**term) {
            if let Some(Meaning::Address(object)) = encoder.meaning_of(symbol)
                && let Some(address) = recorder.address(object)
            {
                let width = encoder.terms.width(symbol);
                known.insert(symbol, encoder.terms.bv(address.into(), width));
            }
        }
    }
    for term in formulas {
        *term = encoder.terms.substitute(*term, &known);
    }
}
