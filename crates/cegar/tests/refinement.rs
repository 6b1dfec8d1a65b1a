//! Which predicates refinement ends with, where one of its sources is all there is.

use hardbop_base::{Budget, DataModel, Sources};
use hardbop_portfolio::{PortfolioOptions, check};
use hardbop_predicate::show;
use hardbop_verdict::{CheckOutcome, Verdict};

/// The predicates that the program is proved with.
fn proved(text: &str) -> Vec<String> {
    let text = format!(
        "extern unsigned __VERIFIER_nondet_uint(void);
         extern void reach_error(void);\n{text}"
    );
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    let program =
        hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default()).unwrap();
    let options = PortfolioOptions { unroll: false, pdr: false, ..PortfolioOptions::default() };
    let outcome = check(&program, &[], &options, &Budget::unlimited(), &mut |_| {});
    let CheckOutcome { verdict, predicates, program, .. } = outcome;
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

/// The state lies in memory, so that it is not encoded before; when a few of its values turn out to matter, all are.
#[test]
fn a_state_machine_in_memory_is_encoded() {
    let found = proved(
        "struct machine { int state, flag; };
         static void start(struct machine *m) { m->state = 10; m->flag = 0; }
         int main(void) {
           struct machine m;
           start(&m);
           for (;;) {
             if (m.state == 10) m.state = 20;
             else if (m.state == 20) m.state = __VERIFIER_nondet_uint() ? 30 : 10;
             else if (m.state == 30) { m.flag = 1; m.state = 40; }
             else if (m.state == 40) m.state = 50;
             else if (m.state == 50) m.state = 60;
             else if (m.state == 60) { if (!m.flag) reach_error(); m.state = 70; }
             else if (m.state == 70) m.state = 80;
             else if (m.state == 80) return 0;
             else reach_error();
           }
         }",
    );
    assert!(found.iter().any(|p| p.contains("m.state == 10 || m.state == 30")), "{found:?}");
    assert!(!found.iter().any(|p| p == "m.state == 60"), "{found:?}");
}
