//! A verdict for each error of a program.

use hardbop_base::{Budget, DataModel, Sources};
use hardbop_ir::Program;
use hardbop_portfolio::{PortfolioOptions, check, check_each};
use hardbop_verdict::{EngineStatus, Verdict};

fn lowered(text: &str) -> Program {
    let declared = "extern int nondet(void);
        extern void __assert_fail(const char *, const char *, unsigned, const char *);";
    let failing = "__assert_fail(\"\", \"t.c\", 1, \"main\")";
    let text = format!("{declared}\n{}", text.replace("FAIL", failing));
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "t.c", text.as_bytes(), &options).1.unwrap().0;
    hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default()).unwrap().freeze()
}

#[test]
fn errors_are_told_apart() {
    let program = lowered(
        "int main(void) { int x = nondet(), n = 0; if (x == 7) FAIL; while (n < x && n < 100) n++;
         if (n > 100) FAIL; if (x > 5 && n <= 6) FAIL; return 0; }",
    );
    let errors = program.errors();
    assert_eq!(errors.len(), 3);
    let options = PortfolioOptions { probes: 0, ..PortfolioOptions::default() };
    let outcomes = check_each(&program, &errors, &[], &options, &Budget::unlimited(), &mut |_| {});
    let mut failed: Vec<_> = Vec::new();
    let mut proved: Vec<_> = Vec::new();
    for outcome in &outcomes {
        match outcome.verdict {
            Verdict::True(_) => proved.extend(&outcome.errors),
            Verdict::False(_) => failed.extend(&outcome.errors),
            Verdict::Unknown(_) => panic!("{outcome:?}"),
        }
    }
    failed.sort_unstable();
    // x is 7 in one run, and 6 in another.
    assert_eq!((failed, proved), (vec![errors[0], errors[2]], vec![errors[1]]));
    // Nobody asks: nothing is answered.
    assert!(check_each(&program, &[], &[], &options, &Budget::unlimited(), &mut |_| {}).is_empty());
}

#[test]
fn the_team_says_who_decided() {
    let program = lowered("int main(void) { int x = nondet(); if (x > 3 && x <= 2) FAIL; return 0; }");
    let options = PortfolioOptions { probes: 0, ..PortfolioOptions::default() };
    let outcome = check(&program, &[], &options, &Budget::unlimited(), &mut |_| {});
    assert!(matches!(outcome.verdict, Verdict::True(_)), "{outcome:?}");
    let names: Vec<&str> = outcome.team.iter().map(|member| member.engine).collect();
    assert_eq!(names, ["slam", "unroll", "leap", "pdr"]);
    assert_eq!(outcome.team.iter().filter(|member| member.did == EngineStatus::Decided).count(), 1);
    let alone = PortfolioOptions { unroll: false, leap: false, pdr: false, ..options };
    let outcome = check(&program, &[], &alone, &Budget::unlimited(), &mut |_| {});
    let did: Vec<EngineStatus> = outcome.team.iter().map(|member| member.did).collect();
    assert_eq!(did, [EngineStatus::Decided]);
}

/// Fourteen elements are put in one after the other before the first error: seldom where all places draw in the same way.
#[test]
fn random_runs_differ_in_what_they_do_most() {
    let program = lowered(
        "static unsigned rd, wr, used; static int slot[13];
         static void put(int v) { if (used == 13) return; if (wr > 12) FAIL; slot[wr] = v; if (++wr > 13) wr = 0; used++; }
         static int get(void) { if (!used) return 0; int v = slot[rd]; if (++rd > 12) rd = 0; used--; return v; }
         int main(void) { while (nondet()) if (nondet()) put(nondet()); else get(); return 0; }",
    );
    let outcome = check(&program, &[], &PortfolioOptions::default(), &Budget::unlimited(), &mut |_| {});
    assert!(matches!(outcome.verdict, Verdict::False(_)), "{outcome:?}");
    assert!(outcome.team.is_empty(), "an engine had to look for it: {:?}", outcome.team);
}
