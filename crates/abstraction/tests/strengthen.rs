//! A step that is strengthened keeps a trace from coming back.

#[path = "../../predicate/tests/common/mod.rs"]
mod common;

use common::{lowered, read};
use hardbop_abstraction::{Abstraction, AbstractionOptions, Abstractor};
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel};
use hardbop_bp::{Flow, Goal, Trace, resolve};
use hardbop_predicate::places;
use hardbop_reach::{Answer, bdd};
use hardbop_semantics::Subject;

/// A trace to an error of the abstraction.
fn trace(abstraction: &Abstraction) -> (Flow, Option<Trace>) {
    let flow = resolve(&abstraction.program).expect("a boolean program");
    let options = bdd::BddOptions { trace: true, ..bdd::BddOptions::default() };
    let trace = match bdd::check(&flow, &Goal::Assertion, &options, &Budget::unlimited()).answer {
        Answer::Reachable(trace) => trace,
        Answer::Unreachable => None,
        Answer::Unknown(reason) => panic!("{reason:?}"),
    };
    (flow, trace)
}

/// How often the steps of a trace are strengthened until none is left. `Err` if that does not help.
fn strengthenings(text: &str, predicates: &str) -> Result<usize, usize> {
    let (program, _) = lowered(text, DataModel::Lp64).expect("a program");
    let (predicates, messages) = read(&program, predicates);
    assert_eq!(messages, "");
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).unwrap();
    let regions = Regions::of(&program, &alias, &places(&program, &predicates), &budget).unwrap();
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let mut abstractor = Abstractor::new(AbstractionOptions::default(), budget);
    for count in 0.. {
        let abstraction = abstractor.run(subject, &predicates).unwrap();
        let (flow, Some(trace)) = trace(&abstraction) else { return Ok(count) };
        if abstractor.strengthen(subject, &predicates, &abstraction, (&flow, &trace)).unwrap() == 0 {
            return Err(count);
        }
    }
    unreachable!("there are finitely many combinations")
}

/// The step that sets x and y sets each by itself.
#[test]
fn new_values_that_belong_together() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        int main(void) {
          int n = __VERIFIER_nondet_int();
          int x = n & 12, y = (n & 12) + 1;
        L: if (x < 5) { if (y >= 10) reach_error(); }
          return 0;
        }";
    assert_eq!(strengthenings(text, "proc main: x < 5, y < 10;"), Ok(1));
    assert_eq!(strengthenings(text, "proc main: x < 5;"), Err(0));
    // Real errors stay.
    let wrong = text.replace("(n & 12) + 1", "(n & 13) + 9");
    assert_eq!(strengthenings(&wrong, "proc main: x < 5, y < 10;"), Err(0));
}

/// Four values that imply a fifth are more than a cube has room for.
#[test]
fn old_values_that_block_a_step() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        int main(void) {
          int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
          int c = __VERIFIER_nondet_int(), d = __VERIFIER_nondet_int();
          if (a > 0) { if (b > 0) { if (c > 0) { if (d > 0) {
            if (a < 9) { if (b < 9) { if (c < 9) { if (d < 9) {
            L: if (a + b + c + d < 4) reach_error(); }}}} }}}}
          return 0;
        }";
    let predicates = "proc main: a > 0, b > 0, c > 0, d > 0, a < 9, b < 9, c < 9, d < 9;";
    assert!(matches!(strengthenings(text, predicates), Ok(1..)));
    assert!(strengthenings(&text.replace("< 4)", "< 5)"), predicates).is_err());
}

/// What is passed, what is returned and what was known before belong together.
#[test]
fn values_across_a_call() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        int g;
        int twice(int n) { g = n; return n + n; }
        int main(void) {
          int x = __VERIFIER_nondet_int() & 7;
          int y = twice(x);
        L: if (x < 4) { if (y >= 8) reach_error(); }
          return 0;
        }";
    let predicates = "proc main: x < 4, y < 8; proc twice: n < 4, return < 8, 0 <= n;";
    let found = strengthenings(text, predicates);
    assert!(found.is_ok(), "{found:?}");
}
