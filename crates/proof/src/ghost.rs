//! Ghosts: variables that remember what others held at a location, for proofs that speak of it.
//!
//! A ghost is a new variable of a procedure. Each time its location is passed, it gets the value of another variable
//! of the procedure; nothing of the program reads it. So every run of the program is one of the program with
//! ghosts, and the other way round. [`add_ghosts`] makes that program from the loaded one and nothing else;
//! [`recover_ghosts`] finds the ghosts in a program that somebody else added them to.

use hardbop_base::Id;
use hardbop_ir::{
    Edge, ExprKind, Initial, Location, LocationId, PlaceBase, ProcId, Procedure, Program, Statement, VarId,
    VarKind, Variable,
};
use rustc_hash::FxHashMap;

use crate::place::own_variables;

/// A variable that remembers what another one held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ghost {
    /// The procedure of both.
    pub procedure: ProcId,
    /// The name of the new variable.
    pub name: String,
    /// What it remembers.
    pub of: VarId,
    /// Where it gets its value, in the program with the ghosts before it.
    pub location: LocationId,
}

/// Why a ghost cannot be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GhostFault {
    /// The procedure has a variable of that name.
    Known,
    /// What it is to remember is no scalar variable of the procedure.
    NoScalar,
    /// The location is none that edges leave.
    NoPlace,
}

impl std::fmt::Display for GhostFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            GhostFault::Known => "there is a variable of that name",
            GhostFault::NoScalar => "only a scalar variable of the procedure can be remembered",
            GhostFault::NoPlace => "no edge leaves the location of the ghost",
        })
    }
}

/// Adds ghosts to a program, in their order.
pub fn add_ghosts(program: &mut Program, ghosts: &[Ghost]) -> Result<(), GhostFault> {
    ghosts.iter().try_for_each(|ghost| add_ghost(program, ghost))
}

pub(crate) fn add_ghost(program: &mut Program, ghost: &Ghost) -> Result<(), GhostFault> {
    let &Ghost { procedure, ref name, of, location } = ghost;
    let p = &program.procedures[procedure];
    let own: Vec<VarId> = own_variables(p).collect();
    let globals = program.globals.iter();
    if own.iter().chain(globals).any(|&var| program.variables[var].name == *name) {
        return Err(GhostFault::Known);
    }
    let Variable { ty, span, .. } = program.variables[of].clone();
    if !own.contains(&of) || !program.is_scalar(ty) {
        return Err(GhostFault::NoScalar);
    }
    let Some(first) = p.edges.values().find(|edge| edge.source == location) else {
        return Err(GhostFault::NoPlace);
    };
    let edge_span = first.span;
    let (kind, initial) = (VarKind::Local, Initial::Arbitrary);
    let ghost = program.variables.push(Variable { name: name.clone(), ty, kind, span, align: 0, initial });
    let (value, place) = (program.var(of), program.var_place(ghost));
    let p = &mut program.procedures[procedure];
    p.locals.push(ghost);
    let behind = p.locations.push(Location { labels: Vec::new() });
    move_edges(p, location, behind);
    let statement = Statement::Assign(place, value);
    p.edges.push(Edge { source: location, target: behind, statement, span: edge_span });
    Ok(())
}

/// Edges that leave a location leave another one from now on.
fn move_edges(procedure: &mut Procedure, from: LocationId, to: LocationId) {
    for (_, edge) in procedure.edges.iter_mut() {
        if edge.source == from {
            edge.source = to;
        }
    }
}

/// What is found in a program that somebody added ghosts to.
#[derive(Debug, Default)]
pub struct Recovered {
    /// The ghosts.
    pub ghosts: Vec<Ghost>,
    /// Locations of that program in the one that [`add_ghosts`] makes, where they differ.
    pub moved: FxHashMap<(ProcId, LocationId), LocationId>,
}

/// The ghosts of a program that was made from another by adding them; nothing if it differs otherwise. Code of ghosts
/// that was taken out again may be left in it, as edges that nothing leads to.
pub fn recover_ghosts(loaded: &Program, found: &Program) -> Option<Recovered> {
    let mut recovered = Recovered::default();
    if loaded.procedures.len() != found.procedures.len() {
        return None;
    }
    for (id, before) in loaded.procedures.iter() {
        let ghosts = of_procedure(loaded, found, id, before, &mut recovered.moved)?;
        recovered.ghosts.extend(ghosts);
    }
    Some(recovered)
}

fn of_procedure(
    loaded: &Program,
    found: &Program,
    id: ProcId,
    before: &Procedure,
    moved: &mut FxHashMap<(ProcId, LocationId), LocationId>,
) -> Option<Vec<Ghost>> {
    let mut now = found.procedures.get(id)?.clone();
    let extra = now.edges.len().checked_sub(before.edges.len())?;
    if now.locations.len() != before.locations.len() + extra {
        return None;
    }
    // Undone from the last to the first, each is seen as it was when it was added.
    let mut ghosts = Vec::new();
    for number in (0..extra).rev() {
        let edge_id = Id::from_usize(before.edges.len() + number);
        let behind = Id::from_usize(before.locations.len() + number);
        let edge = now.edges[edge_id].clone();
        if edge.target != behind {
            return None;
        }
        if edge.source != behind {
            ghosts.push(ghost(loaded, found, id, &edge, number)?);
            move_edges(&mut now, behind, edge.source);
        }
        now.edges[edge_id].source = behind;
    }
    ghosts.reverse();
    let mut result = Vec::new();
    for (next, (number, mut ghost)) in (before.locations.len()..).zip(ghosts) {
        let behind = Id::from_usize(before.locations.len() + number);
        ghost.location = moved.get(&(id, ghost.location)).copied().unwrap_or(ghost.location);
        moved.insert((id, behind), Id::from_usize(next));
        result.push(ghost);
    }
    Some(result)
}

/// The ghost that an edge gives its value, with the number of the edge.
fn ghost(
    loaded: &Program,
    found: &Program,
    procedure: ProcId,
    edge: &Edge,
    number: usize,
) -> Option<(usize, Ghost)> {
    let Statement::Assign(place, value) = edge.statement else { return None };
    let ExprKind::Load(of) = found.expr(value).kind else { return None };
    let variable = |place| match found.place(place) {
        place if place.path.is_empty() => match place.base {
            PlaceBase::Var(var) => Some(var),
            PlaceBase::Deref(_) => None,
        },
        _ => None,
    };
    let (ghost, of) = (variable(place)?, variable(of)?);
    // Ghosts of ghosts are not made.
    loaded.variables.get(of)?;
    let name = found.variables[ghost].name.clone();
    Some((number, Ghost { procedure, name, of, location: edge.source }))
}
