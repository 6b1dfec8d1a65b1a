//! Ghost variables: what nothing in scope determines any more is remembered.

mod common;

use common::Straight;
use hardbop_base::Budget;
use hardbop_ir::Statement;
use hardbop_path::{explain, ghosts, haunt, is_ghost, lay, relations};
use hardbop_predicate::show;

/// Both x and y come from what b was, and b is something else now.
const TEXT: &str = "main() {
  b, x, y: int;
  x := b mod 7;
  y := b mod 7 + 1;
  b := ?;
  assume(y < x);
  assert(F);
}";

#[test]
fn a_ghost_relates_what_nothing_else_does() {
    let mut main = Straight::new(TEXT);
    let budget = Budget::unlimited();
    let icpp = explain(main.subject(), &main.path, &budget).unwrap().unwrap().icpp;
    let Straight { program, alias, regions, path, .. } = &mut main;
    let known = relations(program, alias, regions, path, &icpp, &budget).unwrap();
    let known: Vec<String> = known.iter().map(|p| show(program, p.expr)).collect();
    let (found, predicates) = ghosts(program, alias, regions, path, &icpp, &budget).unwrap();
    assert_eq!(found.len(), 1, "{known:?}");
    assert!(is_ghost(program, found[0].ghost));
    let texts: Vec<String> = predicates.iter().map(|p| show(program, p.expr)).collect();
    let name = &program.variables[found[0].ghost].name;
    assert!(texts.iter().any(|text| text.contains(name) && text.contains('x')), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains(name) && text.contains('y')), "{texts:?}");
    // The same path asks for the same ghost no second time.
    assert!(ghosts(program, alias, regions, path, &icpp, &budget).unwrap().0.is_empty());
}

#[test]
fn the_code_of_a_ghost_comes_and_goes() {
    let mut main = Straight::new(TEXT);
    let budget = Budget::unlimited();
    let icpp = explain(main.subject(), &main.path, &budget).unwrap().unwrap().icpp;
    let Straight { program, alias, regions, path, .. } = &mut main;
    let (found, _) = ghosts(program, alias, regions, path, &icpp, &budget).unwrap();
    let entry = found[0].procedure;
    let before = program.procedures[entry].clone();
    let haunting = haunt(program, &found[0]);
    let edges = &program.procedures[entry].edges;
    let (edge, new) = edges.iter().find(|(edge, _)| haunting.contains(entry, *edge)).unwrap();
    assert!(matches!(new.statement, Statement::Assign(..)));
    assert!(before.edges.iter().all(|(old, _)| old != edge));
    assert!(edges.values().filter(|e| e.source == new.source).count() == 1);
    assert!(edges.values().any(|e| e.source == new.target));
    lay(program, &haunting);
    let after = &program.procedures[entry];
    assert!(before.edges.iter().all(|(edge, e)| after.edges[edge] == *e));
    assert!(after.edges.values().filter(|e| e.target == after.edges[edge].target).count() == 1);
}
