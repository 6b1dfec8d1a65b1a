//! Programs as Horn clauses mean what the programs mean: Z3's Spacer agrees with the explorer.
//!
//! Needs the Python package `z3-solver`; without it the tests that ask the solver are skipped.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use expect_test::expect;
use hardbop_base::Id;
use hardbop_bp::{Flow, Goal, load, resolve};
use hardbop_testkit::boolean::{BooleanOptions, explore, families, horn, random};

/// A fresh folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hardbop-horn-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for temporary files");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind is temporary anyway.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether the solver finds that each program reaches its goal; nothing where there is no solver.
#[allow(clippy::print_stderr)]
fn reachable(name: &str, flows: &[(Flow, Goal)]) -> Option<Vec<bool>> {
    let there = Command::new("python3").args(["-c", "import z3"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: Python's package z3-solver is not installed");
        return None;
    }
    let folder = Folder::new(name);
    let files = flows.iter().enumerate().map(|(i, (flow, goal))| {
        let file = folder.0.join(format!("{i}.smt2"));
        fs::write(&file, horn(flow, goal)).expect("a temporary file");
        file
    });
    let mut command = Command::new("python3");
    command.args(["-c", include_str!("../src/boolean/spacer.py"), "60", "1000"]).args(files);
    let output = command.output().expect("python3");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = String::from_utf8(output.stdout).expect("text");
    let verdicts = lines.lines().map(|line| match line.split(' ').next() {
        Some("sat") => false,
        Some("unsat") => true,
        _ => panic!("{line}\n{said}"),
    });
    let verdicts: Vec<bool> = verdicts.collect();
    assert_eq!(verdicts.len(), flows.len(), "{said}");
    Some(verdicts)
}

fn flow(text: &str) -> Flow {
    load(text, Id::from_usize(0)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

#[test]
fn clauses_of_a_small_program() {
    let text = "decl g; bool f(x) begin enforce x | g; return * & x; end
        void main() begin g := f(!g); g := T constrain 'g != g; assert(g); end";
    expect![[r#"
        (set-logic HORN)
        (declare-fun at0 (Bool Bool Bool Bool) Bool)
        (declare-fun at1 (Bool Bool Bool Bool Bool) Bool)
        (declare-fun at2 (Bool) Bool)
        (declare-fun at3 (Bool) Bool)
        (declare-fun at4 (Bool Bool Bool Bool) Bool)
        (declare-fun at5 (Bool) Bool)
        (declare-fun at6 (Bool) Bool)
        (declare-fun at7 (Bool) Bool)
        (declare-fun summary0 (Bool Bool Bool Bool) Bool)
        (declare-fun summary1 (Bool Bool) Bool)
        (assert (forall ((v0 Bool)) (at2 v0)))
        (assert (forall ((e0 Bool) (e1 Bool) (v0 Bool) (v1 Bool) (c1 Bool) (n2 Bool)) (=> (and (at0 e0 e1 v0 v1) (= n2 (and c1 v1)) (or v1 v0)) (at1 e0 e1 v0 v1 n2))))
        (assert (forall ((v0 Bool) (n1 Bool)) (=> (and (at2 v0) (= n1 (not v0)) (or n1 v0)) (at0 v0 n1 v0 n1))))
        (assert (forall ((v0 Bool) (n1 Bool) (x0 Bool) (x2 Bool)) (=> (and (at2 v0) (= n1 (not v0)) (summary0 v0 n1 x0 x2)) (at5 x2))))
        (assert (forall ((v0 Bool) (n0 Bool)) (=> (and (at5 v0) (= n0 true) (xor n0 v0)) (at6 n0))))
        (assert (forall ((v0 Bool)) (=> (and (at6 v0) v0) (at3 v0))))
        (assert (forall ((v0 Bool)) (=> (and (at6 v0) (not v0)) (at7 v0))))
        (assert (forall ((e0 Bool) (e1 Bool) (v0 Bool) (v1 Bool) (v2 Bool)) (=> (at1 e0 e1 v0 v1 v2) (summary0 e0 e1 v0 v2))))
        (assert (forall ((v0 Bool)) (=> (at7 v0) false)))
        (check-sat)
    "#]].assert_eq(&horn(&flow(text), &Goal::Assertion));
}

#[test]
fn random_programs_without_recursion() {
    let options = BooleanOptions { recursion: false, locals: 1, ..BooleanOptions::default() };
    let programs: Vec<_> = (0..150).map(|seed| random(seed, &options)).collect();
    let flows: Vec<_> =
        programs.iter().map(|program| (resolve(program).expect("valid"), Goal::Assertion)).collect();
    let Some(verdicts) = reachable("random", &flows) else { return };
    for ((program, (flow, goal)), verdict) in programs.iter().zip(&flows).zip(verdicts) {
        assert_eq!(explore(flow, goal, options.procedures).is_some(), verdict, "{program}");
    }
}

/// With recursion the explorer, whose depth is bounded, may miss what can be reached; nearly all of it
/// is found early.
#[test]
fn random_programs_with_recursion() {
    let options = BooleanOptions { globals: 1, locals: 1, formals: 1, ..BooleanOptions::default() };
    let programs: Vec<_> = (1_000..1_150).map(|seed| random(seed, &options)).collect();
    let flows: Vec<_> =
        programs.iter().map(|program| (resolve(program).expect("valid"), Goal::Assertion)).collect();
    let Some(verdicts) = reachable("recursive", &flows) else { return };
    let mut missed = 0;
    for ((program, (flow, goal)), verdict) in programs.iter().zip(&flows).zip(verdicts) {
        let found = explore(flow, goal, 3).is_some();
        assert!(verdict || !found, "{program}");
        missed += usize::from(verdict && !found);
    }
    assert!(missed <= 3, "the explorer misses {missed} of 150 errors");
}

#[test]
fn families_and_labels() {
    let mut cases = Vec::new();
    for safe in [true, false] {
        for text in [
            families::level_family(4, safe),
            families::dense_family(8, 20, safe),
            families::chain_family(50, 3, safe),
            families::recursion_family(3, safe),
        ] {
            cases.push(((flow(&text), Goal::Assertion), !safe));
        }
    }
    let text = "decl g; void main() begin goto A, B; A: assume(g & !g); C: skip; B: D: skip; end";
    for (label, expected) in [("A", true), ("C", false), ("D", true)] {
        cases.push(((flow(text), Goal::Label(label.to_owned())), expected));
    }
    let (flows, expected): (Vec<_>, Vec<_>) = cases.into_iter().unzip();
    if let Some(verdicts) = reachable("families", &flows) {
        assert_eq!(verdicts, expected);
    }
}
