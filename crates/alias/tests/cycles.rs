//! Long cycles of pointers: their constraints become one node, and nothing is lost or made up by that.

mod common;

use std::fmt::Write as _;

use hardbop_alias::{Alias, ObjectKind};
use hardbop_base::{Budget, DataModel};
use hardbop_ir::{Effect, Program};

/// So many that cycles are looked for.
const COUNT: usize = 250;

/// Objects whose addresses go round through pointers, each from one to the next by an expression.
fn text(next: &str) -> String {
    let mut text = "extern int __VERIFIER_nondet_int(void); int apart, *other;\n".to_owned();
    for i in 0..COUNT {
        let _ = writeln!(text, "struct s{i} {{ int a, b; }} o{i}; int *p{i};");
    }
    text.push_str("int main(void) { other = &apart;\n");
    for i in 0..COUNT {
        let _ = writeln!(text, "if (__VERIFIER_nondet_int()) p{i} = &o{i}.b;");
    }
    text.push_str("while (__VERIFIER_nondet_int()) {\n");
    for i in 0..COUNT {
        let from = (i + COUNT - 1) % COUNT;
        let _ = writeln!(text, "p{i} = {};", next.replace('$', &format!("p{from}")));
    }
    text.push_str("}\n return *other; }\n");
    text
}

/// The names of the variables that a global can point to, and whether it does to one position of each.
fn pointees(program: &Program, alias: &Alias, name: &str) -> (Vec<String>, bool) {
    let (var, _) = program.variables.iter().find(|(_, v)| v.name == name).expect("a variable");
    let found = alias.points_to(program, program.var(var));
    let names = found.iter().map(|at| match alias.objects()[at.object].kind {
        ObjectKind::Variable(var) => program.variables[var].name.clone(),
        other => format!("{other:?}"),
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    (names, found.iter().all(|at| at.stride == 0))
}

fn check(next: &str, exact: bool) {
    let program =
        common::lower_text(text(next).as_bytes(), DataModel::Lp64, Effect::Pure).expect("a program");
    let alias = Alias::of(&program, &Budget::unlimited()).expect("time enough");
    let mut all: Vec<String> = (0..COUNT).map(|i| format!("o{i}")).collect();
    all.sort();
    for i in 0..COUNT {
        assert_eq!(pointees(&program, &alias, &format!("p{i}")), (all.clone(), exact), "p{i}");
    }
    assert_eq!(pointees(&program, &alias, "other"), (vec!["apart".to_owned()], true));
}

#[test]
fn all_pointers_of_a_cycle_point_to_the_same() {
    check("$", true);
}

#[test]
fn a_cycle_on_which_positions_are_forgotten_is_about_whole_objects() {
    check("(int *)((unsigned long)$ ^ 8UL)", false);
}
