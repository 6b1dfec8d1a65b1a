//! Steps that have nothing to do with the predicates are not executed, and nothing is lost by that.

#[path = "../../predicate/tests/common/mod.rs"]
mod common;

use common::{lowered, read};
use hardbop_abstraction::{AbstractionOptions, Abstractor};
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel};
use hardbop_bp::{Goal, resolve};
use hardbop_predicate::places;
use hardbop_reach::{Answer, bdd};
use hardbop_semantics::Subject;

/// Whether the abstraction has an error, and how many questions it took.
fn abstracted(text: &str, predicates: &str, opaque: &[&str]) -> (bool, u64) {
    let (program, _) = lowered(text, DataModel::Lp64).expect("a program");
    let (predicates, messages) = read(&program, predicates);
    assert_eq!(messages, "");
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).unwrap();
    let regions = Regions::of(&program, &alias, &places(&program, &predicates), &budget).unwrap();
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let mut abstractor = Abstractor::new(AbstractionOptions::default(), budget.clone());
    let is_opaque = |name: &str| opaque.contains(&name);
    let procedures = program.procedures.iter().filter(|(_, p)| is_opaque(&p.name)).map(|(id, _)| id);
    abstractor.set_opaque(&procedures.collect());
    let abstraction = abstractor.run(subject, &predicates).unwrap();
    let flow = resolve(&abstraction.program).expect("a boolean program");
    let answer = bdd::check(&flow, &Goal::Assertion, &bdd::BddOptions::default(), &budget).answer;
    (matches!(answer, Answer::Reachable(_)), abstraction.statistics.counts.queries)
}

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); int lock;";

#[test]
fn branches_about_other_things_ask_no_questions() {
    let branches = |count: usize| -> String {
        (0..count).map(|i| format!("if (*p > {i} && n < {i}) n = n + *p;")).collect()
    };
    let text = |count: usize| {
        let branches = branches(count);
        format!(
            "{HEAD} int main(void) {{ int n = __VERIFIER_nondet_int(), m = n, *p = &m; lock = 1;
             {branches} if (lock != 1) reach_error(); return n; }}"
        )
    };
    let (few, many) =
        (abstracted(&text(1), "global: lock == 1;", &[]), abstracted(&text(20), "global: lock == 1;", &[]));
    assert_eq!((few.0, many.0), (false, false));
    assert_eq!(few.1, many.1);
}

#[test]
fn what_contradicts_itself_is_still_blocked() {
    let text = format!(
        "{HEAD} int main(void) {{ int n; lock = __VERIFIER_nondet_int();
         L: n = 3; if (n == 4) reach_error(); return 0; }}"
    );
    assert!(!abstracted(&text, "global: lock == 1;", &[]).0);
    assert!(!abstracted(&text, "", &[]).0);
    assert!(abstracted(&text.replace("n = 3", "n = lock"), "", &[]).0);
}

#[test]
fn what_an_opaque_procedure_may_change_is_arbitrary_behind_it() {
    let text = format!(
        "{HEAD} int other; static void sets(void) {{ lock = 1; }} static void minds(void) {{ other = 1; }}
         int main(void) {{ lock = 1; sets(); minds(); if (lock != 1) reach_error(); return 0; }}"
    );
    assert!(!abstracted(&text, "global: lock == 1;", &[]).0);
    assert!(!abstracted(&text, "global: lock == 1;", &["minds"]).0);
    assert!(abstracted(&text, "global: lock == 1;", &["sets"]).0);
}
