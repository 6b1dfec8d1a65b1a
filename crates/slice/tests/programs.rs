//! What remains of small programs.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_ir::{Program, Statement};
use hardbop_slice::{Slice, slice};

fn lowered(text: &str) -> Program {
    let text =
        format!("extern int nondet(void); extern void reach_error(void); extern void abort(void);\n{text}");
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    let options = hardbop_lower::LowerOptions { externals: hardbop_ir::Effect::Pure, ..Default::default() };
    hardbop_lower::lower(&mut sources, vec![unit], &options).unwrap()
}

/// The slice, and the names of the variables that are still assigned somewhere.
fn sliced(text: &str) -> (Program, Slice, Vec<String>) {
    let program = lowered(text);
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).unwrap();
    let regions = Regions::of(&program, &alias, &[], &budget).unwrap();
    let slice = slice(&program, &alias, &regions, &budget).unwrap();
    let mut names = Vec::new();
    for edge in slice.program.procedures.values().flat_map(|p| p.edges.values()) {
        if let Statement::Assign(place, _) | Statement::Havoc(place, _) = edge.statement
            && let hardbop_ir::PlaceBase::Var(var) = program.place(place).base
        {
            names.push(program.variables[var].name.clone());
        }
    }
    names.retain(|name| !name.starts_with('$') && name != "return");
    names.sort_unstable();
    names.dedup();
    (program, slice, names)
}

#[test]
fn what_nobody_asks_for_disappears() {
    let (.., names) = sliced(
        "int count; void log(int v) { count = count + v; }
         int main(void) { int lock = 0, other = 0; while (nondet()) { log(other); other = other + lock;
         if (lock) reach_error(); lock = nondet() > 5; if (lock) { lock = 0; } } return other; }",
    );
    assert_eq!(names, ["lock"]);
}

#[test]
fn calls_without_consequences_are_not_made() {
    let (_, slice, _) = sliced(
        "int g, h; void f(void) { g = g + 1; } void k(void) { f(); h = 2; }
         int main(void) { k(); f(); if (h == 3) reach_error(); return 0; }",
    );
    assert_eq!((slice.all_procedures, slice.procedures, slice.unneeded.len()), (4, 3, 1));
}

#[test]
fn assumptions_stay_if_they_are_about_what_matters() {
    let text = "void assume(int c) { if (!c) abort(); }
         int good(int v) { int r; if (v > 2) r = 1; else r = 0; return r; }
         int main(void) { int x = nondet(), y = nondet(); int ok = good(x); assume(ok); if (y <= 0) abort();
         if (x == 1) reach_error(); void (*stop)(void) = abort; if (y) stop(); return 0; }";
    let (.., names) = sliced(text);
    assert_eq!(names, ["ok", "r", "x"]);
    // A run that goes round for ever and does nothing has ended.
    for forever in ["for (;;) {}", "{ again: goto again; }", "{ do {} while (1); }"] {
        let (.., names) = sliced(&text.replace("if (!c) abort();", &format!("if (!c) {forever}")));
        assert_eq!(names, ["ok", "r", "x"], "{forever}");
    }
}

#[test]
fn writes_through_pointers_count() {
    let (.., names) = sliced(
        "int main(void) { int a = 0, b = 0, n = 7; int *p = nondet() ? &a : &b; *p = n; b = 3;
         if (a == 7) reach_error(); return 0; }",
    );
    assert!(["a", "n", "p"].iter().all(|name| names.iter().any(|n| n == name)), "{names:?}");
}

#[test]
fn the_program_stays_as_it_was() {
    let text = "int g; int main(void) { g = 3; if (nondet()) reach_error(); return g; }";
    let original = lowered(text);
    let (program, slice, _) = sliced(text);
    assert!(slice.is_proper() && slice.statements < slice.all_statements);
    assert_eq!(*program.procedures, *original.procedures);
    // The slice has the same edges, some of which do nothing, and shares the rest.
    assert_ne!(*slice.program.procedures, *program.procedures);
    assert!(slice.program.variables.is_same(&program.variables));
    for (id, p) in program.procedures.iter() {
        for (edge, e) in p.edges.iter() {
            let left = &slice.program.procedures[id].edges[edge];
            assert_eq!((left.source, left.target), (e.source, e.target));
            assert!(left.statement == e.statement || left.statement == Statement::Skip);
        }
    }
}

#[test]
fn a_loop_without_an_end_does_not_make_its_error_certain() {
    let (.., names) = sliced("int main(void) { int x = 0; for (;;) { if (x) reach_error(); } }");
    assert_eq!(names, ["x"]);
}

#[test]
fn a_loop_behind_an_error_does_not_make_it_certain() {
    let (.., names) = sliced("int main(void) { int x = nondet(); if (x == 3) reach_error(); for (;;) {} }");
    assert_eq!(names, ["x"]);
}
