//! What statements, expressions and places are made of.
//!
//! Whoever only looks for something in a program walks with these, so that a new kind of statement or expression is
//! described here once. Whoever gives each kind a meaning of its own (the interpreter, the encoder, printers) matches
//! on the kinds, and the compiler names them when there is a new one.
//!
//! Nothing here recurses. Parts come in the order in which they are written; expressions are shared, so a walk that
//! shall visit each once must remember where it was, as [`exprs`] does.

use rustc_hash::FxHashSet;

use crate::{Callee, ExprId, ExprKind, Halt, PlaceBase, PlaceId, Program, Projection, Statement, VarId};

/// The place that a statement writes, and the expressions that it evaluates, without those in the place. The
/// pointer of an indirect call comes last.
pub fn operands(statement: &Statement) -> (Option<PlaceId>, Vec<ExprId>) {
    match *statement {
        Statement::Assign(place, expr) => (Some(place), vec![expr]),
        Statement::Havoc(place, _) => (Some(place), Vec::new()),
        Statement::Assume(expr) | Statement::Free(expr) | Statement::Halt(Halt::Exit(expr)) => {
            (None, vec![expr])
        }
        Statement::Call { callee, ref arguments, .. } => {
            let pointer = match callee {
                Callee::Indirect(pointer) => Some(pointer),
                Callee::Direct(_) => None,
            };
            (None, arguments.iter().copied().chain(pointer).collect())
        }
        Statement::Allocate { size, .. } => (None, vec![size]),
        Statement::Copy { target, source, length } => (None, vec![target, source, length]),
        Statement::CopyObject { target, source } => (None, vec![target, source]),
        Statement::Fill { target, byte, length } => (None, vec![target, byte, length]),
        Statement::Output { ref arguments, .. } => (None, arguments.clone()),
        Statement::Skip
        | Statement::Return
        | Statement::Halt(Halt::Abort | Halt::Unreachable)
        | Statement::Error(_)
        | Statement::Unsupported(_) => (None, Vec::new()),
    }
}

/// The variable that a statement sets as a whole without a place for it: the result of a call or of an allocation.
pub fn result(statement: &Statement) -> Option<VarId> {
    match *statement {
        Statement::Call { result, .. } => result,
        Statement::Allocate { result, .. } => Some(result),
        _ => None,
    }
}

/// The expressions directly inside a place: the pointer that it starts from, then the indices.
pub fn place_parts(program: &Program, place: PlaceId) -> impl DoubleEndedIterator<Item = ExprId> {
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

/// The place that an expression loads or takes the address of.
pub fn place_of(kind: &ExprKind) -> Option<PlaceId> {
    match *kind {
        ExprKind::Load(place) | ExprKind::AddressOf(place) => Some(place),
        _ => None,
    }
}

/// The operands of an operator; none of what loads or takes an address.
pub fn operator_parts(kind: &ExprKind) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
    let parts = match *kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Float(_)
        | ExprKind::Function(_)
        | ExprKind::Load(_)
        | ExprKind::AddressOf(_) => [None, None, None],
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => [Some(a), None, None],
        ExprKind::Binary(_, a, b) => [Some(a), Some(b), None],
        ExprKind::If(a, b, c) => [Some(a), Some(b), Some(c)],
    };
    parts.into_iter().flatten()
}

/// The expressions directly inside an expression, those in its place included.
pub fn parts(program: &Program, expr: ExprId) -> impl DoubleEndedIterator<Item = ExprId> {
    let kind = &program.expr(expr).kind;
    let inside = place_of(kind).into_iter().flat_map(|place| place_parts(program, place));
    inside.chain(operator_parts(kind))
}

/// Visits expressions and all inside them once, each before its parts.
pub fn exprs(program: &Program, roots: impl IntoIterator<Item = ExprId>, visit: &mut impl FnMut(ExprId)) {
    let mut seen = FxHashSet::default();
    let mut pending: Vec<ExprId> = roots.into_iter().collect();
    pending.reverse();
    while let Some(expr) = pending.pop() {
        if seen.insert(expr) {
            visit(expr);
            pending.extend(parts(program, expr).rev());
        }
    }
}

/// Visits all places of an expression once, those inside of others included.
pub fn places(program: &Program, expr: ExprId, visit: &mut impl FnMut(PlaceId)) {
    exprs(program, [expr], &mut |part| {
        if let Some(place) = place_of(&program.expr(part).kind) {
            visit(place);
        }
    });
}

/// The expressions that a statement evaluates, those inside the place that it writes included, without their parts.
pub fn roots(program: &Program, statement: &Statement) -> Vec<ExprId> {
    let (place, mut exprs) = operands(statement);
    exprs.extend(place.into_iter().flat_map(|place| place_parts(program, place)));
    exprs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, DataModel, Place, Type, UnaryOp};

    /// A program, three constants, and a place with all that can be inside one: `a->[1][b]`.
    fn program() -> (Program, [ExprId; 3], PlaceId) {
        let program = Program::new(DataModel::Lp64);
        let ty = program.intern_type(Type::Machine { width: 32, signed: true });
        let constants = [1, 2, 3].map(|n| program.intern_expr(ExprKind::Int(n), ty));
        let path = vec![Projection::Field(1), Projection::Index(constants[1])];
        let place = program.intern_place(Place { base: PlaceBase::Deref(constants[0]), path, ty });
        (program, constants, place)
    }

    #[test]
    fn each_kind_has_its_parts() {
        let (program, [a, b, c], place) = program();
        let ty = program.expr(a).ty;
        for (kind, wanted) in [
            (ExprKind::Int(7), vec![]),
            (ExprKind::Load(place), vec![a, b]),
            (ExprKind::AddressOf(place), vec![a, b]),
            (ExprKind::Unary(UnaryOp::Neg, a), vec![a]),
            (ExprKind::Cast(b), vec![b]),
            (ExprKind::Binary(BinaryOp::Add, b, a), vec![b, a]),
            (ExprKind::If(c, a, b), vec![c, a, b]),
        ] {
            let expr = program.intern_expr(kind.clone(), ty);
            assert_eq!(parts(&program, expr).collect::<Vec<_>>(), wanted, "{kind:?}");
        }
    }

    #[test]
    fn a_walk_visits_each_once_and_from_left_to_right() {
        let (program, [a, b, c], place) = program();
        let ty = program.expr(a).ty;
        let load = program.intern_expr(ExprKind::Load(place), ty);
        let sum = program.intern_expr(ExprKind::Binary(BinaryOp::Add, load, b), ty);
        let root = program.intern_expr(ExprKind::If(sum, load, c), ty);
        let mut visited = Vec::new();
        exprs(&program, [root, sum], &mut |expr| visited.push(expr));
        assert_eq!(visited, [root, sum, load, a, b, c]);
        let mut found = Vec::new();
        places(&program, root, &mut |place| found.push(place));
        assert_eq!(found, [place]);
    }

    #[test]
    fn statements_evaluate_their_operands() {
        let (program, [a, b, c], place) = program();
        let (target, source, length) = (a, b, c);
        let call = Statement::Call { result: None, callee: Callee::Indirect(c), arguments: vec![a, b] };
        for (statement, wanted) in [
            (Statement::Assign(place, c), vec![c, a, b]),
            (Statement::Assume(a), vec![a]),
            (call, vec![a, b, c]),
            (Statement::Copy { target, source, length }, vec![a, b, c]),
            (Statement::Halt(Halt::Exit(b)), vec![b]),
            (Statement::Skip, vec![]),
        ] {
            assert_eq!(roots(&program, &statement), wanted, "{statement:?}");
        }
    }
}
