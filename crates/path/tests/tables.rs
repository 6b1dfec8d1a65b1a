//! What is in large tables counts, although it is looked at last.

use std::fmt::Write as _;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel};
use hardbop_ir::{Callee, LocationId, Program, Statement};
use hardbop_path::{Path, PathVerdict, analyse};
use hardbop_semantics::Subject;
use hardbop_semantics::path::PathStep;
use hardbop_shadow::lowered;

/// The only path to the call that fails, from the start of its procedure.
fn to_error(program: &Program) -> Path {
    let (entry, p) = program.procedures.iter().find(|(_, p)| p.name == "main").expect("a procedure");
    let into = |location: LocationId| p.edges.iter().find(|(_, edge)| edge.target == location);
    let fails = |statement: &Statement| match *statement {
        Statement::Error(_) => true,
        Statement::Call { callee: Callee::Direct(callee), .. } => {
            program.procedures[callee].name == "reach_error"
        }
        _ => false,
    };
    let mut next = p.edges.iter().find(|(_, edge)| fails(&edge.statement));
    let mut steps = Vec::new();
    while let Some((id, edge)) = next {
        steps.insert(0, PathStep::Edge(id));
        next = if edge.source == p.entry { None } else { into(edge.source) };
    }
    // The call itself is not part of it.
    assert!(steps.pop().is_some() && !steps.is_empty());
    Path { entry, steps }
}

/// How many conditions contradict each other on the way to an error behind some conditions; none if it can be reached.
fn contradiction(conditions: &[&str]) -> usize {
    let mut text = "extern int __VERIFIER_nondet_int(void); int table[200] = {".to_owned();
    (0..200).for_each(|i| _ = write!(text, "{}, ", 2 * i));
    text.push_str(
        "}; int main(void) { unsigned i = __VERIFIER_nondet_int(); int x = __VERIFIER_nondet_int();\n",
    );
    conditions.iter().for_each(|condition| _ = writeln!(text, "if (!({condition})) return 0;"));
    text.push_str("reach_error(); return 1; }");
    let program =
        lowered(&format!("extern void reach_error(void); {text}"), DataModel::Lp64).expect("a program");
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).expect("no limit");
    let regions = Regions::of(&program, &alias, &[], &budget).expect("no limit");
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    match analyse(subject, &to_error(&program), &budget).expect("no limit") {
        PathVerdict::Feasible(_) => 0,
        PathVerdict::Infeasible { core, .. } => core.len(),
        PathVerdict::Unknown(reason) => panic!("{reason}"),
    }
}

#[test]
fn what_tables_hold_decides_a_path() {
    assert_eq!(contradiction(&["i < 200", "table[i] == 34"]), 0);
    assert_eq!(contradiction(&["i < 200", "table[i] == 33"]), 1);
}

#[test]
fn what_has_nothing_to_do_with_tables_is_found_without_them() {
    assert_eq!(contradiction(&["i < 200", "x > 3", "table[i] == 34", "x < 2"]), 2);
}
