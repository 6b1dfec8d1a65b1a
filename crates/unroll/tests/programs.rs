//! Small programs: what is reached within a bound, and whether that is all.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_certify::replay::replay;
use hardbop_certify::unrolled;
use hardbop_ir::Program;
use hardbop_semantics::Subject;
use hardbop_solver::{Blaster, Solver};
use hardbop_unroll::{Bounded, UnrollOptions, decide};

fn lowered(text: &str) -> Program {
    let text = format!("extern int nondet(void); extern void reach_error(void);\n{text}");
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default()).unwrap()
}

/// What is found within a bound, by a solver that is looked at afterwards.
fn unrolled_by(solver: &mut Blaster, program: &Program, bound: u32) -> Bounded {
    let budget = Budget::unlimited();
    let alias = Alias::of(program, &budget).unwrap();
    let regions = Regions::of(program, &alias, &[], &budget).unwrap();
    let subject = Subject { program, alias: &alias, regions: &regions };
    let options = UnrollOptions { bound, steps: 10_000, depth: 100 };
    decide(subject, solver, options, &budget).unwrap()
}

/// "error" (replayed), "safe", "safe so far", or what else there is to say.
fn outcome(text: &str, bound: u32) -> String {
    let program = lowered(text);
    match unrolled_by(&mut Blaster::new(&Budget::unlimited()), &program, bound) {
        Bounded::Reaches(mut guide) => match replay(&program, &mut *guide, &Budget::unlimited()) {
            Ok(_) => "error".to_owned(),
            Err(end) => format!("not replayed: {}", end.name()),
        },
        Bounded::Safe { complete: true, .. } => "safe".to_owned(),
        Bounded::Safe { complete: false, .. } => "safe so far".to_owned(),
        other => format!("{other:?}"),
    }
}

/// The error of the third round is found, though each of hundreds of rounds behind it has one, too.
#[test]
fn the_first_error_is_found() {
    let text =
        "int main(void) { int n = 0; for (;;) { if (nondet() == 7) n++; if (n >= 3) reach_error(); } }";
    let program = lowered(text);
    let Bounded::Reaches(mut guide) = unrolled_by(&mut Blaster::new(&Budget::unlimited()), &program, 1)
    else {
        panic!("no error was found");
    };
    let run = replay(&program, &mut *guide, &Budget::unlimited()).expect("the run that was found");
    // Errors are asked about in groups.
    assert!(run.draws.len() < 50, "{} rounds", run.draws.len());
}

/// Globals that a pointer may lead to are told apart before anything is read, when they have no addresses yet.
#[test]
fn globals_that_are_mistaken_for_each_other() {
    let text = |bad: i32| {
        format!(
            "static struct S {{ int kind; long rest; }} a, b, c;
             int main(void) {{ struct S *p = nondet() ? &a : nondet() ? &b : &c; p->kind = 2; p->rest = nondet();
               if (a.kind + b.kind + c.kind == {bad}) reach_error(); return 0; }}"
        )
    };
    assert_eq!(outcome(&text(2), 1), "error");
    assert_eq!(outcome(&text(4), 1), "safe");
}

/// A run that the solver has found goes on without it.
#[test]
fn rounds_of_an_endless_loop_are_no_questions() {
    let text = "int main(void) { int n = 0; for (;;) { if (n > 5) n -= 5; if (nondet()) n++; } }";
    let mut solver = Blaster::new(&Budget::unlimited());
    assert!(matches!(unrolled_by(&mut solver, &lowered(text), 1), Bounded::Safe { complete: false, .. }));
    let queries = solver.statistics().queries;
    assert!(queries < 10, "{queries} queries");
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
