//! What a boolean program stands for is known in control-flow form, too.

#[path = "../../predicate/tests/common/mod.rs"]
mod common;

use common::{lowered, read};
use hardbop_abstraction::{Abstraction, AbstractionOptions, Abstractor, Granularity, Method, Origin};
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Id};
use hardbop_bp::{Flow, FlowStep, VarKind, load, resolve};
use hardbop_ir::Program;
use hardbop_predicate::{Predicate, places, show};
use hardbop_semantics::Subject;
use std::collections::BTreeSet;

const TEXT: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
    int g;
    int twice(int n) { int m = n; if (g > 0) m = m + n; else m = 2 * n; g = n; return m; }
    void again(void) { g = g + 1; if (g < 3) again(); }
    int main(void) {
      int x = __VERIFIER_nondet_int() & 7;
      int y = twice(x);
      while (x < 4) { if (y >= 8) reach_error(); x = x + 1; again(); }
      return 0;
    }";

const PREDICATES: &str = "global: g > 0, g < 3;
    proc main: x < 4, y < 8, g + x > 0; proc twice: n < 4, m < 8, return < 8, 0 <= n;";

/// Checks the abstraction under all options that matter to its form.
fn check(text: &str, predicates: &str) {
    let (program, _) = lowered(text, DataModel::Lp64).expect("a program");
    let (predicates, messages) = read(&program, predicates);
    assert_eq!(messages, "");
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).unwrap();
    let regions = Regions::of(&program, &alias, &places(&program, &predicates), &budget).unwrap();
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    for granularity in [Granularity::Chain, Granularity::Statement] {
        for method in [Method::Cartesian, Method::Boolean] {
            let options = AbstractionOptions { granularity, method, ..AbstractionOptions::default() };
            let abstraction = Abstractor::new(options, budget.clone()).run(subject, &predicates).unwrap();
            let flow = resolve(&abstraction.program).expect("a boolean program");
            check_statements(&program, &abstraction, &flow);
            check_variables(&program, &predicates, &abstraction, &flow);
            check_points(&program, &abstraction, &flow);
            check_text(&abstraction, &flow);
        }
    }
}

/// Each edge has a tag, each tag an edge, and what it stands for is of the right procedure.
fn check_statements(program: &Program, Abstraction { back, .. }: &Abstraction, flow: &Flow) {
    let mut tags = BTreeSet::new();
    for edge in flow.edges.values() {
        let tag = edge.tag.unwrap_or_else(|| panic!("{} has no tag", edge.text));
        tags.insert(tag.index());
        let (procedure, origin) = back.origin(tag).unwrap_or_else(|| panic!("{}", edge.text));
        assert_eq!(back.procedure(edge.procedure), Some(*procedure), "{}", edge.text);
        assert_eq!(
            matches!(origin, Origin::Call(_)),
            matches!(edge.step, FlowStep::Call(_)),
            "{}",
            edge.text
        );
        let edges = match origin {
            Origin::Guard(edges) | Origin::Edges(edges) => &edges[..],
            Origin::Call(edge) | Origin::Failure(edge) => std::slice::from_ref(edge),
            Origin::Nothing | Origin::Return => &[],
        };
        let known = &program.procedures[*procedure].edges;
        assert!(edges.iter().all(|&edge| known.get(edge).is_some()), "{}", edge.text);
    }
    assert!(tags.into_iter().eq(0..back.statements()));
}

/// What ids say is what names say.
fn check_variables(
    program: &Program,
    predicates: &[Predicate],
    Abstraction { back, .. }: &Abstraction,
    flow: &Flow,
) {
    for (id, procedure) in flow.procedures.iter() {
        let meant = back.procedure(id).unwrap_or_else(|| panic!("{}", procedure.name));
        assert_eq!(program.procedures[meant].name, procedure.name);
    }
    assert_eq!(back.procedure(flow.main), Some(back.entry));
    let mut found = BTreeSet::new();
    for (id, variable) in flow.variables.iter() {
        let Some(i) = back.predicate(id) else {
            let own = ["{to ", "{from ", "{in a call}"].iter().any(|start| variable.name.starts_with(start));
            assert!(own || variable.kind == VarKind::Result, "{}", variable.name);
            continue;
        };
        assert!(found.insert(i), "two variables for {}", variable.name);
        assert_eq!(variable.name, format!("{{{}}}", show(program, predicates[i].expr)));
        assert_eq!(variable.owner.and_then(|p| back.procedure(p)), predicates[i].scope.procedure());
    }
    assert!(found.into_iter().eq(0..predicates.len()));
}

/// Entries and exits are where they belong.
fn check_points(program: &Program, Abstraction { back, .. }: &Abstraction, flow: &Flow) {
    let points: Vec<_> = back.points(flow).collect();
    for (id, procedure) in flow.procedures.iter() {
        let meant = back.procedure(id).expect("a procedure");
        assert!(points.contains(&(meant, program.procedures[meant].entry, procedure.entry)));
        assert!(points.iter().any(|point| (point.0, point.1) == (meant, program.procedures[meant].exit)));
    }
    for (procedure, _, location) in points {
        assert_eq!(back.procedure(flow.locations[location].procedure), Some(procedure));
    }
}

/// Ids, unlike tags, are those of the printed text.
fn check_text(abstraction: &Abstraction, flow: &Flow) {
    let text = abstraction.program.to_string();
    let read = load(&text, Id::from_usize(0)).expect("a boolean program");
    assert!(read.edges.values().all(|edge| edge.tag.is_none()));
    assert_eq!(read.to_string(), flow.to_string());
    let names = |flow: &Flow| -> Vec<String> { flow.variables.values().map(|v| v.name.clone()).collect() };
    assert_eq!(names(&read), names(flow));
}

#[test]
fn tags_have_origins_and_ids_agree_with_names() {
    check(TEXT, PREDICATES);
}

#[test]
fn without_predicates() {
    check(TEXT, "");
}
