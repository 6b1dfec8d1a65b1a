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

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_ir::{
    Edge, EdgeId, Initial, Location, LocationId, ProcId, Procedure, Program, Statement, VarId, VarKind,
    Variable,
};
use hardbop_predicate::Predicate;
use hardbop_predicate::variables;
use hardbop_semantics::path::Step;
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

/// Whether a variable is a ghost.
pub fn is_ghost(program: &Program, var: VarId) -> bool {
    program.variables[var].name.starts_with(GHOST)
}

/// A variable that remembers what another one held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ghost {
    /// The procedure of both.
    pub procedure: ProcId,
    /// Where it gets its value.
    location: LocationId,
    /// What it remembers.
    of: VarId,
    /// The ghost itself.
    pub ghost: VarId,
}

/// Ghosts for what the contexts of a projection speak of and nothing in scope determines, and predicates about
/// them. The program gets the variables; [`haunt`] lets them get their values.
pub fn ghosts(
    program: &mut Program,
    alias: &Alias,
    regions: &Regions,
    path: &Path,
    projection: &Projection,
    budget: &Budget,
) -> Result<(Vec<Ghost>, Vec<Predicate>), Stop> {
    let mut missing: FxHashSet<(Frame, String)> = FxHashSet::default();
    let subject = Subject { program, alias, regions };
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
    let mut ghosts = Vec::new();
    let mut remembered = Vec::new();
    for (step, frame, of, constant) in annotations.into_iter().take(MAX_GHOSTS) {
        let (Step::Edge(edge) | Step::Enter(edge, _)) = path.steps[step] else { continue };
        let procedure = positions[step].0;
        let location = program.procedures[procedure].edges[edge].source;
        if let Some(ghost) = summon(program, procedure, location, of) {
            ghosts.push(Ghost { procedure, location, of, ghost });
            remembered.push(Remembered { step, frame, constant, ghost });
        }
    }
    if ghosts.is_empty() {
        return Ok((ghosts, Vec::new()));
    }
    let mut predicates = facts_along(program, alias, regions, path, projection, &remembered, budget)?;
    let is_ghost = |var: &VarId| ghosts.iter().any(|ghost| ghost.ghost == *var);
    predicates.retain(|predicate| variables(program, predicate.expr).iter().any(is_ghost));
    Ok((ghosts, predicates))
}

/// A new variable that is to remember another at a location; nothing if there is one already.
fn summon(program: &mut Program, procedure: ProcId, location: LocationId, of: VarId) -> Option<VarId> {
    let Variable { name, ty, span, .. } = program.variables[of].clone();
    let name = format!("{GHOST}{name}_{}", location.index());
    let p = &program.procedures[procedure];
    if p.locals.iter().any(|&local| program.variables[local].name == name) {
        return None;
    }
    let (kind, initial) = (VarKind::Local, Initial::Arbitrary);
    let ghost = program.variables.push(Variable { name, ty, kind, span, align: 0, initial });
    program.procedures[procedure].locals.push(ghost);
    Some(ghost)
}

/// The code that gives a ghost its value.
#[derive(Debug, Clone, Copy)]
pub struct Haunting {
    procedure: ProcId,
    location: LocationId,
    behind: LocationId,
    edge: EdgeId,
}

impl Haunting {
    /// Whether an edge belongs to it.
    pub fn contains(&self, procedure: ProcId, edge: EdgeId) -> bool {
        self.procedure == procedure && self.edge == edge
    }
}

/// Lets a ghost get its value whenever its location is passed.
pub fn haunt(program: &mut Program, ghost: &Ghost) -> Haunting {
    let &Ghost { procedure, location, of, ghost } = ghost;
    let value = program.var(of);
    let place = program.var_place(ghost);
    let span = program.variables[of].span;
    let p = &mut program.procedures[procedure];
    let behind = p.locations.push(Location { labels: Vec::new() });
    move_edges(p, location, behind);
    let statement = Statement::Assign(place, value);
    let edge = p.edges.push(Edge { source: location, target: behind, statement, span });
    Haunting { procedure, location, behind, edge }
}

/// Takes the code of a ghost out again, the latest first. What is left of it cannot be reached.
pub fn lay(program: &mut Program, haunting: &Haunting) {
    let p = &mut program.procedures[haunting.procedure];
    move_edges(p, haunting.behind, haunting.location);
    p.edges[haunting.edge].source = haunting.behind;
    p.edges[haunting.edge].statement = Statement::Skip;
}

/// Edges that leave a location leave another one from now on.
fn move_edges(procedure: &mut Procedure, from: LocationId, to: LocationId) {
    for (_, edge) in procedure.edges.iter_mut() {
        if edge.source == from {
            edge.source = to;
        }
    }
}
