//! Of a path, what its contradiction depends on is looked at, however long the rest is.

mod common;

use common::Straight;
use hardbop_base::Budget;
use hardbop_path::{PathVerdict, analyse};
use hardbop_predicate::Scope;

/// The predicates that are proposed, with the procedure that they belong to, as text.
fn proposed(text: &str) -> Vec<(String, String)> {
    let straight = Straight::new(text);
    let verdict = analyse(straight.subject(), &straight.path, &Budget::unlimited()).unwrap();
    let PathVerdict::Infeasible { proposals, .. } = verdict else { panic!("{verdict:?}") };
    let program = &straight.program;
    let of = |scope: Scope| match scope {
        Scope::Procedure(id) => program.procedures[id].name.clone(),
        Scope::Global => "all".to_owned(),
    };
    proposals.iter().map(|predicate| (of(predicate.scope), program.show_expr(predicate.expr))).collect()
}

#[test]
fn what_lives_for_one_step_of_a_long_path_is_found() {
    let noise = "n := n + 1; ".repeat(150);
    let counts: String = (0..8).map(|i| format!("{noise} t{i} := g; g := t{i} + 1; ")).collect();
    let declared: String = (0..8).map(|i| format!("t{i}: int; ")).collect();
    let text = format!("g: int := 0; main() {{ n: int := 0; {declared} {counts} assert(g = 8); }}");
    let found = proposed(&text);
    for i in 0..8 {
        let wanted = format!("(t{i} == {i})");
        assert!(found.iter().any(|(of, text)| of == "main" && *text == wanted), "{wanted}: {found:?}");
    }
    assert!(found.iter().all(|(_, text)| !text.contains("n ")), "{found:?}");
}

#[test]
fn callees_that_could_change_it_know_what_their_callers_rely_on() {
    let found = proposed(
        "w: int := 0; other: int := 0;
         could(k: int) { if (k != 5) skip else w := 0; }
         cannot(l: int) { if (l != 5) skip else other := 0; }
         main() { d: int := ?; w := d; could(d); cannot(d); assert(w = d); }",
    );
    assert!(found.iter().any(|(of, _)| of == "could"), "{found:?}");
    assert!(found.iter().all(|(of, _)| of != "cannot"), "{found:?}");
}
