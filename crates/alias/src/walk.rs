//! Walking through the expressions and places of a statement.

use hardbop_ir::{Callee, ExprId, ExprKind, Halt, PlaceBase, PlaceId, Program, Projection, Statement};

/// The place that a statement writes and the expressions that it evaluates, without those in the place.
pub(crate) fn operands(statement: &Statement) -> (Option<PlaceId>, Vec<ExprId>) {
    match statement {
        Statement::Assign(place, expr) => (Some(*place), vec![*expr]),
        Statement::Havoc(place, _) => (Some(*place), Vec::new()),
        Statement::Assume(expr) | Statement::Free(expr) | Statement::Halt(Halt::Exit(expr)) => {
            (None, vec![*expr])
        }
        Statement::Call { callee, arguments, .. } => {
            let pointer = match callee {
                Callee::Indirect(pointer) => Some(*pointer),
                Callee::Direct(_) => None,
            };
            (None, arguments.iter().copied().chain(pointer).collect())
        }
        Statement::Allocate { size, .. } => (None, vec![*size]),
        Statement::Copy { target, source, length } => (None, vec![*target, *source, *length]),
        Statement::CopyObject { target, source } => (None, vec![*target, *source]),
        Statement::Fill { target, byte, length } => (None, vec![*target, *byte, *length]),
        Statement::Output { arguments, .. } => (None, arguments.clone()),
        Statement::Skip
        | Statement::Return
        | Statement::Halt(Halt::Abort | Halt::Unreachable)
        | Statement::Error(_)
        | Statement::Unsupported(_) => (None, Vec::new()),
    }
}

/// The expressions directly inside a place.
pub(crate) fn place_operands(program: &Program, place: PlaceId) -> impl Iterator<Item = ExprId> {
    let place = program.place(place);
    let base = match place.base {
        PlaceBase::Deref(pointer) => Some(pointer),
        PlaceBase::Var(_) => None,
    };
    let indices = place.path.iter().filter_map(|step| match *step {
        Projection::Index(index) => Some(index),
        Projection::Field(_) => None,
    });
    base.into_iter().chain(indices)
}

/// Visits an expression and all expressions inside it, those in places included. `seen` says which were
/// visited before and is kept up to date.
pub(crate) fn exprs(program: &Program, root: ExprId, seen: &mut [bool], visit: &mut impl FnMut(ExprId)) {
    let mut pending = vec![root];
    while let Some(expr) = pending.pop() {
        if std::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        visit(expr);
        match program.expr(expr).kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
            ExprKind::Load(place) | ExprKind::AddressOf(place) => {
                pending.extend(place_operands(program, place));
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => pending.push(a),
            ExprKind::Binary(_, a, b) => pending.extend([a, b]),
            ExprKind::If(c, a, b) => pending.extend([c, a, b]),
        }
    }
}

/// Visits all expressions of a statement.
pub(crate) fn statement_exprs(
    program: &Program,
    statement: &Statement,
    seen: &mut [bool],
    visit: &mut impl FnMut(ExprId),
) {
    let (place, roots) = operands(statement);
    for expr in place.into_iter().flat_map(|place| place_operands(program, place)).chain(roots) {
        exprs(program, expr, seen, visit);
    }
}
