//! What a caller knows is said in the callee by what was passed.

mod common;

use common::Straight;
use hardbop_base::Budget;
use hardbop_path::{PathVerdict, analyse};
use hardbop_predicate::Scope;

/// The predicates that are proposed for a procedure, as text.
fn proposed(text: &str, procedure: &str) -> Vec<String> {
    let straight = Straight::new(text);
    let verdict = analyse(straight.subject(), &straight.path, &Budget::unlimited()).unwrap();
    let PathVerdict::Infeasible { proposals, .. } = verdict else { panic!("{verdict:?}") };
    let program = &straight.program;
    let of = |scope: Scope| matches!(scope, Scope::Procedure(id) if program.procedures[id].name == procedure);
    proposals.iter().filter(|predicate| of(predicate.scope)).map(|p| program.show_expr(p.expr)).collect()
}

/// `main` passes something near its own variable to `outer`, which passes something near that on.
const NEAR: &str = "w: int := 0;
    inner(k: int) { w := k; }
    outer(l: int) { inner(l + 1); }
    main() { d: int := ?; outer(d + 2); assert(w = d + 3); }";

#[test]
fn values_near_those_that_were_passed_have_names_in_callees() {
    let outer = proposed(NEAR, "outer");
    assert!(outer.iter().any(|p| p == "(l == (w - 1))"), "{outer:?}");
}

#[test]
fn values_are_followed_through_all_callers() {
    let inner = proposed(NEAR, "inner");
    assert!(inner.iter().any(|p| p == "(k == w)"), "{inner:?}");
}
