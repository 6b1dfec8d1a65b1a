//! Walking through the expressions of statements, with one table of what was visited for many walks.

use hardbop_ir::{ExprId, Program, Statement, visit};

/// Visits an expression and all expressions inside it, those in places included. `seen` says which were
/// visited before and is kept up to date.
pub(crate) fn exprs(program: &Program, root: ExprId, seen: &mut [bool], visit: &mut impl FnMut(ExprId)) {
    let mut pending = vec![root];
    while let Some(expr) = pending.pop() {
        if std::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        visit(expr);
        pending.extend(visit::parts(program, expr));
    }
}

/// Visits all expressions of a statement.
pub(crate) fn statement_exprs(
    program: &Program,
    statement: &Statement,
    seen: &mut [bool],
    visit: &mut impl FnMut(ExprId),
) {
    let (place, roots) = visit::operands(statement);
    for expr in place.into_iter().flat_map(|place| visit::place_parts(program, place)).chain(roots) {
        exprs(program, expr, seen, visit);
    }
}
