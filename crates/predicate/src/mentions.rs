//! What expressions and predicates mention.

use hardbop_base::Id;
use hardbop_ir::{ExprId, ExprKind, PlaceBase, PlaceId, Program, Projection, VarId};

use crate::Predicate;

/// The variables that an expression mentions, by value or by address.
pub fn variables(program: &Program, expr: ExprId) -> Vec<VarId> {
    let mut found = Vec::new();
    each_place(program, expr, &mut |place| {
        if let PlaceBase::Var(var) = program.place(place).base {
            found.push(var);
        }
    });
    found.sort_unstable_by_key(|var: &VarId| Id::index(*var));
    found.dedup();
    found
}

/// The scalar places in memory or registers that predicates read.
pub fn places(program: &Program, predicates: &[Predicate]) -> Vec<PlaceId> {
    let mut found = Vec::new();
    for predicate in predicates {
        each_place(program, predicate.expr, &mut |place| {
            if program.is_scalar(program.place(place).ty) {
                found.push(place);
            }
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Visits all places of an expression.
pub fn each_place(program: &Program, expr: ExprId, visit: &mut impl FnMut(PlaceId)) {
    match program.expr(expr).kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
        ExprKind::Load(place) | ExprKind::AddressOf(place) => {
            visit(place);
            let place = program.place(place);
            if let PlaceBase::Deref(pointer) = place.base {
                each_place(program, pointer, visit);
            }
            for step in &place.path {
                if let Projection::Index(index) = *step {
                    each_place(program, index, visit);
                }
            }
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => each_place(program, a, visit),
        ExprKind::Binary(_, a, b) => {
            each_place(program, a, visit);
            each_place(program, b, visit);
        }
        ExprKind::If(a, b, c) => {
            each_place(program, a, visit);
            each_place(program, b, visit);
            each_place(program, c, visit);
        }
    }
}
