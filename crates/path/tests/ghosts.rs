//! Ghost variables: what nothing in scope determines any more is remembered.

mod common;

use common::Straight;
use hardbop_alias::{Regions, Target};
use hardbop_base::Budget;
use hardbop_ir::{Statement, VarId};
use hardbop_path::{Auxiliary, explain, ghosts, relations};
use hardbop_predicate::{Ghost, instrument_ghosts, is_of_ghost, show};
use hardbop_semantics::Subject;

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
    let main = Straight::new(TEXT);
    let budget = Budget::unlimited();
    let icpp = explain(main.subject(), &main.path, &budget).unwrap().unwrap().icpp;
    let Straight { program, alias, regions, path, .. } = &main;
    let known = relations(main.subject(), path, &icpp, &budget).unwrap();
    let known: Vec<String> = known.iter().map(|p| show(program, p.expr)).collect();
    let found = ghosts(main.subject(), path, &icpp, &budget).unwrap();
    let Auxiliary { ghosts: found, program: with, predicates } = *found.unwrap();
    assert_eq!(found.len(), 1, "{known:?}");
    let texts: Vec<String> = predicates.iter().map(|p| show(&with, p.expr)).collect();
    let name = &found[0].name;
    assert!(texts.iter().any(|text| text.contains(name) && text.contains('x')), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains(name) && text.contains('y')), "{texts:?}");
    // The same path asks for the same ghost no second time.
    let subject = Subject { program: &with, alias, regions };
    assert!(ghosts(subject, path, &icpp, &budget).unwrap().is_none());
}

#[test]
fn a_ghost_changes_nothing_else() {
    let main = Straight::new(TEXT);
    let budget = Budget::unlimited();
    let icpp = explain(main.subject(), &main.path, &budget).unwrap().unwrap().icpp;
    let found = ghosts(main.subject(), &main.path, &icpp, &budget).unwrap();
    let Auxiliary { ghosts: found, program: with, .. } = *found.unwrap();
    let entry = found[0].procedure;
    let (before, after) = (&main.program.procedures[entry], &with.procedures[entry]);
    let own: Vec<_> =
        after.edges.iter().filter(|(edge, _)| is_of_ghost(&main.program, entry, *edge)).collect();
    let [(_, new)] = own[..] else { panic!("{own:?}") };
    assert!(matches!(new.statement, Statement::Assign(..)));
    assert_eq!(new.source, found[0].location);
    for (edge, old) in before.edges.iter() {
        let now = &after.edges[edge];
        let source = if old.source == new.source { new.target } else { old.source };
        assert_eq!((now.source, now.target, &now.statement), (source, old.target, &old.statement));
    }
    assert_eq!(after.locals.last(), Some(&VarId::from_usize(main.program.variables.len())));
    // Who adds it to the program a second time gets the same program.
    let again = instrument_ghosts(&main.program, &found).unwrap();
    assert_eq!(*again.procedures, *with.procedures);
    assert!(instrument_ghosts(&again, &found).is_err());
}

/// The analysis of pointers is older than the ghost: what lies behind it is memory that nothing of the program writes.
#[test]
fn what_a_ghost_points_to_is_not_followed() {
    let main = Straight::new("set(out r: int) { *r := 1 } main() { x: int; set(x); assert(x = 2) }");
    let (set, procedure) = main.program.procedures.iter().find(|(_, p)| p.name == "set").unwrap();
    let (of, location) = (procedure.formals[0], procedure.entry);
    let ghost = Ghost { procedure: set, name: "$ghost_r".into(), of, location };
    let with = instrument_ghosts(&main.program, &[ghost]).unwrap();
    let behind = |var: VarId| with.deref(with.var(var));
    let places = [behind(of), behind(VarId::from_usize(main.program.variables.len()))];
    let regions = Regions::of(&with, &main.alias, &places, &Budget::unlimited()).unwrap();
    let [formal, ghost] = places.map(|place| regions.target(&with, &main.alias, place).unwrap());
    let (Target::Region(formal), Target::Region(ghost)) = (formal, ghost) else {
        panic!("{formal:?}, {ghost:?}")
    };
    assert_ne!(formal, ghost);
    assert_eq!(regions.region(ghost).objects(), [main.alias.objects().world()]);
}
