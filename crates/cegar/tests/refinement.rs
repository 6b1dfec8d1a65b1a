//! Which predicates refinement ends with, where one of its sources is all there is.

use hardbop_abstraction::predicate::show;
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_cegar::{Options, Outcome, Verdict, check};

/// The predicates that the program is proved with.
fn proved(text: &str) -> Vec<String> {
    let text = format!(
        "extern unsigned __VERIFIER_nondet_uint(void);
         extern void reach_error(void);\n{text}"
    );
    let mut sources = Sources::new();
    let options = hardbop_syntax::Options::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    let program = hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::Options::default()).unwrap();
    let options = Options { unroll: false, ..Options::default() };
    let outcome = check(program, &[], &options, &Budget::unlimited(), &mut |_| {});
    let Outcome { verdict, predicates, program, .. } = outcome;
    assert!(matches!(verdict, Verdict::True(_)), "{verdict:?}");
    predicates.iter().map(|predicate| show(&program, predicate.expr)).collect()
}

/// Each time round the loop gives other constants; what they have in common is an interpolant.
#[test]
fn counters_are_related() {
    let found = proved(
        "int main(void) {
           unsigned n = __VERIFIER_nondet_uint(), x = n, y = 0;
           while (x > 0) { x--; y++; }
           if (y != n) reach_error();
           return 0;
         }",
    );
    assert!(found.iter().any(|predicate| predicate == "n == x + y"), "{found:?}");
}
