//! The guards of the edges that leave one location: which exclude each other.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    BinaryOp, EdgeId, ExprId, ExprKind, LocationId, ProcId, Procedure, Program, Statement, Type, UnaryOp,
};

/// Whether at most one of some edges can be taken, as far as their form tells: there is only one, or
/// the guards of two negate each other, or they are the cases of a switch.
pub fn are_exclusive(program: &Program, procedure: &Procedure, edges: &[EdgeId]) -> bool {
    match *edges {
        [] | [_] => true,
        [first, second] if are_complements(program, procedure, first, second) => true,
        _ => find_switch(program, procedure, edges).is_some(),
    }
}

/// Whether the guards of two edges negate each other.
pub(crate) fn are_complements(
    program: &Program,
    procedure: &Procedure,
    first: EdgeId,
    second: EdgeId,
) -> bool {
    match (&procedure.edges[first].statement, &procedure.edges[second].statement) {
        (Statement::Assume(a), Statement::Assume(b)) => is_negation(program, *a, *b),
        _ => false,
    }
}

/// Whether one condition is the negation of the other, as [`Program::not`] writes it.
pub(crate) fn is_negation(program: &Program, a: ExprId, b: ExprId) -> bool {
    let is_float = |e: ExprId| matches!(program.ty(program.expr(e).ty), Type::Float(_));
    match (&program.expr(a).kind, &program.expr(b).kind) {
        (ExprKind::Unary(UnaryOp::Not, inner), _) if *inner == b => true,
        (_, ExprKind::Unary(UnaryOp::Not, inner)) if *inner == a => true,
        (ExprKind::Bool(x), ExprKind::Bool(y)) => x != y,
        (&ExprKind::Binary(op, a1, a2), &ExprKind::Binary(other, b1, b2)) => match (op, other) {
            (BinaryOp::Eq, BinaryOp::Ne) | (BinaryOp::Ne, BinaryOp::Eq) => (a1, a2) == (b1, b2),
            (BinaryOp::Lt, BinaryOp::Le) | (BinaryOp::Le, BinaryOp::Lt) => {
                (a1, a2) == (b2, b1) && !is_float(a1)
            }
            _ => false,
        },
        _ => false,
    }
}

/// What [`find_switch`] finds: the expression compared, the edge of each constant, the other edge.
pub(crate) type SwitchParts = (ExprId, Vec<(u64, EdgeId)>, EdgeId);

/// Outgoing edges that are the cases of a switch: `e == c` for different constants `c` of one slot,
/// and exactly one other whose guard is the conjunction of all `e != c`.
pub(crate) fn find_switch(program: &Program, procedure: &Procedure, edges: &[EdgeId]) -> Option<SwitchParts> {
    let guard = |edge: EdgeId| match procedure.edges[edge].statement {
        Statement::Assume(condition) => Some(condition),
        _ => None,
    };
    let mut subject = None;
    let mut cases = Vec::new();
    let mut default = None;
    for &edge in edges {
        match compared(program, guard(edge)?, BinaryOp::Eq) {
            Some((e, c)) if *subject.get_or_insert(e) == e => cases.push((c, edge)),
            _ if default.is_none() => default = Some(edge),
            _ => return None,
        }
    }
    let (subject, default) = (subject?, default?);
    let mut excluded = FxHashSet::default();
    let mut pending = vec![guard(default)?];
    while let Some(condition) = pending.pop() {
        match program.expr(condition).kind {
            ExprKind::Binary(BinaryOp::And, a, b) => pending.extend([a, b]),
            _ => match compared(program, condition, BinaryOp::Ne) {
                Some((e, c)) if e == subject => {
                    excluded.insert(c);
                }
                _ => return None,
            },
        }
        if excluded.len() > cases.len() {
            return None;
        }
    }
    let constants: FxHashSet<u64> = cases.iter().map(|&(c, _)| c).collect();
    (constants.len() == cases.len() && constants == excluded).then_some((subject, cases, default))
}

/// The expression and the constant (of one slot) that a comparison compares.
fn compared(program: &Program, condition: ExprId, op: BinaryOp) -> Option<(ExprId, u64)> {
    match program.expr(condition).kind {
        ExprKind::Binary(actual, e, c) if actual == op => {
            let ty = program.expr(e).ty;
            let narrow = matches!(program.ty(ty), Type::Machine { .. } | Type::Pointer(_))
                && matches!(program.machine_shape(ty)?, (1..=64, _));
            let constant = program.as_int(c)?;
            narrow.then_some((e, constant as u64))
        }
        _ => None,
    }
}

/// The locations of a procedure that may have several enabled edges, with these.
pub fn open_locations(program: &Program, procedure: ProcId) -> FxHashMap<LocationId, Vec<EdgeId>> {
    let p = &program.procedures[procedure];
    let mut leaving: FxHashMap<LocationId, Vec<EdgeId>> = FxHashMap::default();
    for (id, edge) in p.edges.iter() {
        leaving.entry(edge.source).or_default().push(id);
    }
    leaving.retain(|_, edges| !are_exclusive(program, p, edges));
    leaving
}
