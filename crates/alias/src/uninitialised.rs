//! Which pointers may be read before anything was assigned to them.
//!
//! A pointer that nobody set may lead anywhere, which is to say, outside of the program. To say so of all local variables would
//! be of no use, so it is said of those that a path from the start of their procedure, or from their
//! declaration, leads to a use of. Only registers are looked at: memory that nobody wrote holds no addresses, unless nobody ever writes
//! pointers there (`Solver::lead_unset_outside`).

use hardbop_ir::{Arbitrary, ExprKind, LocationId, Procedure, Program, Statement, VarId, visit};
use rustc_hash::{FxHashMap, FxHashSet};

/// The local pointers of a procedure, in registers, that may be used without a value.
pub(crate) fn used_without_value(
    program: &Program,
    procedure: &Procedure,
    is_register: impl Fn(VarId) -> bool,
) -> Vec<VarId> {
    let is_tracked = |var: &VarId| program.is_pointer(program.variables[*var].ty) && is_register(*var);
    let tracked: Vec<VarId> = procedure.locals.iter().copied().filter(is_tracked).collect();
    if tracked.is_empty() {
        return Vec::new();
    }
    let mut leaving: FxHashMap<LocationId, Vec<&Statement>> = FxHashMap::default();
    let mut targets: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    for edge in procedure.edges.values() {
        leaving.entry(edge.source).or_default().push(&edge.statement);
        targets.entry(edge.source).or_default().push(edge.target);
    }
    let mut unset: FxHashMap<LocationId, FxHashSet<VarId>> = FxHashMap::default();
    unset.insert(procedure.entry, tracked.iter().copied().collect());
    let (mut open, mut found) = (vec![procedure.entry], FxHashSet::default());
    while let Some(location) = open.pop() {
        let before = unset[&location].clone();
        let statements = leaving.get(&location).into_iter().flatten();
        for (statement, &target) in statements.zip(targets.get(&location).into_iter().flatten()) {
            found.extend(used(program, statement).into_iter().filter(|var| before.contains(var)));
            let mut after = before.clone();
            match assigned(program, statement) {
                Some((var, true)) => _ = after.remove(&var),
                Some((var, false)) if tracked.contains(&var) => _ = after.insert(var),
                _ => {}
            }
            let is_new = !unset.contains_key(&target);
            let known = unset.entry(target).or_default();
            let size = known.len();
            known.extend(after);
            if is_new || known.len() > size {
                open.push(target);
            }
        }
    }
    let mut found: Vec<VarId> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// The variable that a statement sets as a whole, and whether to a value.
fn assigned(program: &Program, statement: &Statement) -> Option<(VarId, bool)> {
    match *statement {
        Statement::Assign(place, _) => Some((program.whole_variable(place)?, true)),
        Statement::Havoc(place, ref kind) => {
            Some((program.whole_variable(place)?, *kind != Arbitrary::Uninitialised))
        }
        _ => Some((visit::result(statement)?, true)),
    }
}

/// The variables whose values a statement uses.
fn used(program: &Program, statement: &Statement) -> Vec<VarId> {
    let mut found = Vec::new();
    visit::exprs(program, visit::roots(program, statement), &mut |expr| {
        if let ExprKind::Load(place) = program.expr(expr).kind {
            found.extend(program.whole_variable(place));
        }
    });
    found
}
