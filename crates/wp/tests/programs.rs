//! The programs of `examples/wp`: both engines decide them, and find the predicates written down beside
//! them.
//!
//! To add one, add a program whose first line is `// VERDICT: TRUE` or `// VERDICT: FALSE`, and run the
//! tests with `UPDATE_EXPECT=1`. Where the other engine does not get far enough, the line says so; it
//! decides some of the programs by random or bounded runs only, and then there are no predicates.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use expect_test::expect_file;
use hardbop_base::{Budget, Sources, Stop};
use hardbop_ir::Program;
use hardbop_portfolio::{PortfolioOptions, RefinementOptions};
use hardbop_predicate::{Scope, show};
use hardbop_verdict::{CheckOutcome, Verdict};

fn lowered(file: &Path) -> Program {
    let mut sources = Sources::new();
    let text = fs::read_to_string(file).unwrap();
    let file = sources.add(file.file_name().unwrap().to_str().unwrap(), text);
    hardbop_teach::load(&sources, file, &hardbop_teach::TeachOptions::default()).unwrap()
}

/// The verdict, and the predicates, each with its procedure if it has one.
type Run = (CheckOutcome, Vec<String>);

/// With predicates alone, and if that is not enough, or will not be, in full. Some programs would never
/// end.
fn slam(program: Program, is_hard: bool) -> Run {
    let refinement = RefinementOptions { max_iterations: 6, ..Default::default() };
    let full = PortfolioOptions { refinement, pdr: false, ..Default::default() };
    let alone = PortfolioOptions { probes: 0, unroll: false, leap: false, ..full };
    let mut outcome = hardbop_portfolio::check(&program.clone(), &[], &alone, &limited(is_hard), &mut |_| {});
    if matches!(outcome.verdict, Verdict::Unknown(_)) {
        outcome = hardbop_portfolio::check(&program, &[], &full, &limited(is_hard), &mut |_| {});
        outcome.predicates.clear();
    }
    let program = &outcome.program;
    let shown = outcome.predicates.iter().map(|predicate| match predicate.scope {
        Scope::Global => show(program, predicate.expr),
        Scope::Procedure(p) => format!("{}: {}", program.procedures[p].name, show(program, predicate.expr)),
    });
    let shown = shown.collect();
    (outcome, shown)
}

fn limited(is_hard: bool) -> Budget {
    let budget = Budget::unlimited();
    let watched = budget.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(if is_hard { 1 } else { 60 }));
        watched.stop(Stop::Time);
    });
    budget
}

fn wp(program: Program, _: bool) -> Run {
    let options = hardbop_wp::WpOptions::default();
    let found =
        hardbop_portfolio::backward::check(&program, &[], &options, true, &Budget::unlimited(), &mut |_| {});
    let name = |p| &found.outcome.program.procedures[p].name;
    let shown = found.predicates.iter().map(|p| format!("{}: {}", name(p.procedure), p.text)).collect();
    (found.outcome, shown)
}

fn described(outcome: &CheckOutcome) -> String {
    match &outcome.verdict {
        Verdict::True(_) => "TRUE".to_owned(),
        Verdict::False(_) => "FALSE".to_owned(),
        Verdict::Unknown(_) => "UNKNOWN".to_owned(),
    }
}

fn programs() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/wp");
    let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut programs: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|x| x == "x")).collect();
    programs.sort();
    programs
}

#[test]
fn both_engines_decide_the_programs() {
    let programs = programs();
    assert!(programs.len() >= 30, "the programs are there");
    let mut wrong = String::new();
    let mut decided = 0;
    for file in programs {
        let text = fs::read_to_string(&file).unwrap();
        let first = text.lines().next().and_then(|line| line.strip_prefix("// VERDICT: ")).unwrap();
        let (expected, is_hard) = match first.strip_suffix(" (slam: UNKNOWN)") {
            Some(expected) => (expected, true),
            None => (first, false),
        };
        let mut found = String::new();
        for (engine, run) in [("slam", slam as fn(Program, bool) -> Run), ("wp", wp)] {
            let program = lowered(&file);
            // z3 has a store for each thread, and what was asked before is not without influence.
            let thread = std::thread::Builder::new().stack_size(1 << 26);
            let thread = thread.spawn(move || run(program, is_hard)).unwrap();
            let (outcome, predicates) = thread.join().unwrap();
            let verdict = described(&outcome);
            writeln!(found, "{engine}: {verdict}").unwrap();
            predicates.iter().for_each(|predicate| writeln!(found, "  {predicate}").unwrap());
            let wanted = if is_hard && engine == "slam" { "UNKNOWN" } else { expected };
            decided += usize::from(verdict == expected);
            if verdict != wanted {
                writeln!(wrong, "{} by {engine}: {verdict}", file.display()).unwrap();
            }
        }
        expect_file![file.with_extension("x.out")].assert_eq(&found);
    }
    assert_eq!(wrong, "");
    assert!(decided >= 2 * 27, "{decided}");
}

/// The cover of whole pre-images, not only of what stays in a loop, finds less, but nothing else.
#[test]
fn both_forms_of_the_cover_agree() {
    let mut decided = 0;
    for file in programs() {
        let text = fs::read_to_string(&file).unwrap();
        let options = hardbop_wp::WpOptions { sharp: false, max_iterations: 6 };
        let found = hardbop_portfolio::backward::check(
            &lowered(&file),
            &[],
            &options,
            true,
            &limited(true),
            &mut |_| {},
        );
        let verdict = described(&found.outcome);
        let expected = text.starts_with(&format!("// VERDICT: {verdict}"));
        assert!(expected || verdict == "UNKNOWN", "{}: {verdict}", file.display());
        decided += usize::from(expected);
    }
    assert!(decided >= 15, "{decided}");
}
