//! Ghost variables for symbolic constants (`000…` §4.3): what a variable held at an annotated label.
//!
//! Where a context speaks of a value that nothing in scope determines any more, a variable is added that
//! remembers it: each time the label is passed, the ghost gets the value of the annotated variable. Nothing
//! reads a ghost but predicates, so every run of the program is one of the program with ghosts, and the other
//! way round.
//!
//! The paper asks for paths without repeated labels. A ghost that is assigned or not, as one likes, could stand for
//! any visit of a repeated one; but then no trace is excluded by what it says, since the same trace is there in which
//! it was not assigned. So it stands for the last visit.

use hardbop_base::{Budget, Stop};
use hardbop_ir::{Edge, ExprKind, LocationId, PlaceBase, ProcId, Program, Statement, VarId};
use hardbop_predicate::{Ghost, Predicate, instrument_ghosts, own_variables, variables};
use hardbop_semantics::path::PathStep;
use hardbop_semantics::{Cell, Frame, Subject};
use rustc_hash::FxHashSet;

use crate::Path;
use crate::context::simulate;
use crate::projection::Projection;
use crate::propose::activations;
use crate::relations::{Remembered, facts_along, undetermined};

/// The most ghosts that one path asks for.
const MAX_GHOSTS: usize = 4;

/// What the names of ghosts start with.
const GHOST: &str = "$ghost_";

/// What a path asks to remember.
pub struct Auxiliary {
    /// The ghosts.
    pub ghosts: Vec<Ghost>,
    /// The program with them.
    pub program: Program,
    /// Predicates that speak of them.
    pub predicates: Vec<Predicate>,
}

/// Ghosts for what the contexts of a projection speak of and nothing in scope determines; nothing if there are none that the
/// program has not yet.
pub fn ghosts(
    subject: Subject<'_>,
    path: &Path,
    projection: &Projection,
    budget: &Budget,
) -> Result<Option<Box<Auxiliary>>, Stop> {
    let mut missing: FxHashSet<(Frame, String)> = FxHashSet::default();
    let contexts = simulate(subject, path, projection, budget, &mut |coder, point| {
        if projection.keeps(point.step) {
            missing.extend(undetermined(coder, point).into_iter().map(|name| (point.frame, name)));
        }
    })?;
    let positions = activations(path);
    let mut annotations: Vec<(usize, Frame, VarId, String)> = Vec::new();
    for (step, change) in contexts.changes.iter().enumerate() {
        for &(cell, constant) in &change.annotations {
            if let Cell::Local(frame, var) = cell
                && let Some(name) = contexts.encoder.terms.symbol_name(constant)
                && missing.contains(&(frame, name.to_owned()))
            {
                annotations.push((step, frame, var, name.to_owned()));
            }
        }
    }
    let program = subject.program;
    let mut ghosts: Vec<Ghost> = Vec::new();
    let mut remembered = Vec::new();
    for (step, frame, of, constant) in annotations.into_iter().take(MAX_GHOSTS) {
        let (PathStep::Edge(edge) | PathStep::Enter(edge, _)) = path.steps[step] else { continue };
        let procedure = positions[step];
        let location = program.procedures[procedure].edges[edge].source;
        if let Some(ghost) = new_ghost(program, procedure, location, of, &ghosts) {
            // Its variable comes behind those of the program and of the ghosts before it.
            let variable = VarId::from_usize(program.variables.len() + ghosts.len());
            ghosts.push(ghost);
            remembered.push(Remembered { step, frame, constant, ghost: variable });
        }
    }
    if ghosts.is_empty() {
        return Ok(None);
    }
    let Ok(with_ghosts) = instrument_ghosts(program, &ghosts) else { return Ok(None) };
    let mut predicates =
        facts_along(Subject { program: &with_ghosts, ..subject }, path, projection, &remembered, budget)?;
    let is_new = |var: &VarId| var.index() >= program.variables.len();
    predicates.retain(|predicate| variables(&with_ghosts, predicate.expr).iter().any(is_new));
    Ok(Some(Box::new(Auxiliary { ghosts, program: with_ghosts, predicates })))
}

/// A variable that is to remember another at a location; nothing if there is one already.
fn new_ghost(
    program: &Program,
    procedure: ProcId,
    location: LocationId,
    of: VarId,
    others: &[Ghost],
) -> Option<Ghost> {
    let name = format!("{GHOST}{}_{}", program.variables[of].name, location.index());
    let mut own = own_variables(&program.procedures[procedure]);
    let is_known = is_remembered(program, procedure, location, of)
        || own.any(|var| program.variables[var].name == name)
        || others.iter().any(|ghost| ghost.procedure == procedure && ghost.name == name);
    (!is_known).then_some(Ghost { procedure, name, of, location })
}

/// Whether the ghosts that get their values just before a location remember a variable already.
fn is_remembered(program: &Program, procedure: ProcId, mut location: LocationId, of: VarId) -> bool {
    let edges = &program.procedures[procedure].edges;
    let value = |edge: &Edge| match edge.statement {
        Statement::Assign(place, value) => match program.place(place).base {
            PlaceBase::Var(var) if program.variables[var].name.starts_with(GHOST) => Some(value),
            _ => None,
        },
        _ => None,
    };
    let before =
        |at| edges.values().find_map(|edge| Some((edge.source, value(edge).filter(|_| edge.target == at)?)));
    while let Some((source, value)) = before(location) {
        if program.expr(value).kind == ExprKind::Load(program.var_place(of)) {
            return true;
        }
        location = source;
    }
    false
}
