//! Small programs: what is reached within a bound, and whether that is all.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_certify::unrolled;
use hardbop_ir::Program;
use hardbop_semantics::Subject;
use hardbop_solver::Blaster;
use hardbop_unroll::{Bounded, UnrollOptions, decide};

fn lowered(text: &str) -> Program {
    let text = format!("extern int nondet(void); extern void reach_error(void);\n{text}");
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default()).unwrap()
}

/// "error" (replayed), "safe", "safe so far", or what else there is to say.
fn outcome(text: &str, bound: u32) -> String {
    let program = lowered(text);
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).unwrap();
    let regions = Regions::of(&program, &alias, &[], &budget).unwrap();
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let options = UnrollOptions { bound, steps: 10_000, depth: 100 };
    match decide(subject, &mut Blaster::new(&budget), options, &budget).unwrap() {
        Bounded::Reaches(mut guide) => {
            match hardbop_certify::replay::replay(&program, &mut *guide, &budget) {
                Ok(_) => "error".to_owned(),
                Err(end) => format!("not replayed: {}", end.name()),
            }
        }
        Bounded::Safe { complete: true, .. } => "safe".to_owned(),
        Bounded::Safe { complete: false, .. } => "safe so far".to_owned(),
        other => format!("{other:?}"),
    }
}

#[test]
fn values_of_all_iterations_are_different() {
    for n in 1..6 {
        let text = format!(
            "int main(void) {{ int i, x = 0, y = 0; for (i = 0; i < {n}; i++) {{ y = x; x = nondet(); }}
             if (x == 1000 && y == {}) reach_error(); return 0; }}",
            if n == 1 { 0 } else { 2000 }
        );
        assert_eq!(outcome(&text, 0), "error", "{n}");
    }
}

/// A loop that does not end takes no more than its share of the steps.
#[test]
fn endless_loops_leave_steps_for_other_ways() {
    let text = "int g = -1, n;
        void p(void) { if (nondet()) while (g < 3) n++; }
        int main(void) { int i; p(); p(); for (i = 0; i < 3; i++) p(); if (i == 3) reach_error(); return 0; }";
    assert_eq!(outcome(text, 1), "error");
    let safe = text.replace("i == 3", "i == 4");
    assert_eq!(outcome(&safe, 1), "safe so far");
}

/// In the check of an unrolling what is called comes before what is behind the call, however deep the call is: all
/// ways through an iteration meet at its end.
#[test]
fn ways_past_a_nested_call_meet() {
    let text = "int g(int x) { return x + 1; }
        int f(int x) { int i; for (i = 0; i < 9; i++) { if (nondet()) x = g(x); if (nondet()) x--; } return x; }
        int main(void) { return f(0); }";
    let program = lowered(text);
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).unwrap();
    let regions = Regions::of(&program, &alias, &[], &budget).unwrap();
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let checked = unrolled::examine(subject, 10_000, &mut [Box::new(Blaster::new(&budget))], &budget);
    let steps = checked.map(|checked| checked.steps).map_err(|refusal| refusal.rejection);
    assert!(steps.clone().is_ok_and(|steps| steps < 200), "{steps:?}");
}
