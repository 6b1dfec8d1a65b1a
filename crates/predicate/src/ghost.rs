//! Ghosts: auxiliary variables that remember what others held at a location, for predicates that speak of it.
//!
//! A ghost is a new variable of a procedure. Each time its location is passed, it gets the value of another variable
//! of the procedure; nothing of the program reads it. So every run of the program is one of the program with
//! ghosts, and the other way round. [`instrument_ghosts`] makes that program from another one, which stays as it is, and
//! does nothing else to it. Locations, edges and variables of the program keep their numbers; those of ghosts come behind.

use hardbop_ir::{
    Edge, EdgeId, Initial, Location, LocationId, ProcId, Procedure, Program, Statement, VarId, VarKind,
    Variable,
};

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

/// The program with ghosts, added in their order.
pub fn instrument_ghosts(program: &Program, ghosts: &[Ghost]) -> Result<Program, GhostFault> {
    let mut with_ghosts = program.overlay();
    for ghost in ghosts {
        let (variable, span) = checked(&with_ghosts, ghost)?;
        let id = with_ghosts.variables.push(variable);
        let (value, place) = (with_ghosts.var(ghost.of), with_ghosts.var_place(id));
        let p = &mut with_ghosts.procedures[ghost.procedure];
        p.locals.push(id);
        let behind = p.locations.push(Location::default());
        p.edges.iter_mut().filter(|(_, e)| e.source == ghost.location).for_each(|(_, e)| e.source = behind);
        let statement = Statement::Assign(place, value);
        p.edges.push(Edge { source: ghost.location, target: behind, statement, span });
    }
    Ok(with_ghosts)
}

/// The variable that a ghost is, and the place where it gets its value.
fn checked(program: &Program, ghost: &Ghost) -> Result<(Variable, hardbop_base::Span), GhostFault> {
    let p = &program.procedures[ghost.procedure];
    let own = || own_variables(p);
    if own().chain(program.globals.iter().copied()).any(|var| program.variables[var].name == ghost.name) {
        return Err(GhostFault::Known);
    }
    let Variable { ty, span, .. } = program.variables[ghost.of];
    if !own().any(|var| var == ghost.of) || !program.is_scalar(ty) {
        return Err(GhostFault::NoScalar);
    }
    let first = p.edges.values().find(|edge| edge.source == ghost.location).ok_or(GhostFault::NoPlace)?;
    let (name, kind, initial) = (ghost.name.clone(), VarKind::Local, Initial::Arbitrary);
    Ok((Variable { name, ty, kind, span, align: 0, initial }, first.span))
}

/// The variables of a procedure.
pub fn own_variables(p: &Procedure) -> impl Iterator<Item = VarId> {
    p.formals.iter().chain(&p.locals).chain(&p.result).copied()
}

/// Whether an edge only gives a ghost its value: it is none of the program without ghosts.
pub fn is_of_ghost(without: &Program, procedure: ProcId, edge: EdgeId) -> bool {
    without.procedures[procedure].edges.get(edge).is_none()
}
