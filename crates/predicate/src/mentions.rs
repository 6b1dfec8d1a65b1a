//! What expressions and predicates mention.

use hardbop_base::Id;
use hardbop_ir::{ExprId, PlaceBase, PlaceId, Program, VarId, visit};

use crate::Predicate;

/// The variables that an expression mentions, by value or by address.
pub fn variables(program: &Program, expr: ExprId) -> Vec<VarId> {
    let mut found = Vec::new();
    visit::places(program, expr, &mut |place| {
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
        visit::places(program, predicate.expr, &mut |place| {
            if program.is_scalar(program.place(place).ty) {
                found.push(place);
            }
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}
