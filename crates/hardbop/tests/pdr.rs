//! `hardbop check --engine pdr`: what it proves, what it says of it, and what it leaves to others.

use std::fs;
use std::process::Command;

fn check(text: &str, options: &[&str]) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.c");
    fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    let output = command.arg("check").arg(&file).args(options).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

/// A lock behind a helper, on one of two channels.
const LOCK: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
struct chan { int held; int busy; };
static void take(int *l) { if (*l) reach_error(); *l = 1; }
static void give(int *l) { if (!*l) reach_error(); *l = 0; }
int main(void) {
  static struct chan a, b;
  while (__VERIFIER_nondet_int()) {
    struct chan *c = __VERIFIER_nondet_int() ? &a : &b;
    take(&c->held);
    if (c->busy) { give(&c->held); continue; }
    c->busy = 1;
    give(&c->held);
    c->busy = 0;
  }
  return 0;
}
";

#[test]
fn a_proof_is_found_shown_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (file, proof) = (folder.path().join("a.c"), folder.path().join("a.proof"));
    fs::write(&file, LOCK).unwrap();
    let hardbop = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
        let output = command.arg(arguments[0]).arg(&file).args(&arguments[1..]).output().unwrap();
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    };
    let path = proof.to_str().unwrap();
    let (text, code) = hardbop(&["check", "--engine", "pdr", "--invariants", "--proof", path]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("held") && text.contains("VERDICT: TRUE"), "{text}");
    let (text, code) = hardbop(&["certify", "--proof", path]);
    assert_eq!(code, Some(0), "{text}");
    // A proof that claims nothing of the loop is none.
    let said = fs::read_to_string(&proof).unwrap();
    let Some((start, rest)) = said.split_once("fails: ") else { panic!("{said}") };
    let Some((_, rest)) = rest.split_once(';') else { panic!("{said}") };
    fs::write(&proof, format!("{start}fails: false;{rest}")).unwrap();
    let (text, code) = hardbop(&["certify", "--proof", path]);
    assert_eq!(code, Some(1), "{text}");
}

/// A claim about the number of nodes is written, read again, and refused if it is about the number that were ever made.
#[test]
fn claims_about_counted_nodes_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (file, proof) = (folder.path().join("a.c"), folder.path().join("a.proof"));
    let text = "#include <stdlib.h>
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); struct d { struct d *p; };
int main(void) { struct d *h = 0; int n = 0;
  while (__VERIFIER_nondet_int()) { struct d *x = malloc(sizeof *x); if (!x) return 0; x->p = h; h = x; n++; }
  while (h) { struct d *t = h->p; free(h); h = t; n--; }
  if (n) reach_error(); return 0; }
";
    fs::write(&file, text).unwrap();
    let hardbop = |command: &str, options: &[&str]| {
        let mut hardbop = Command::new(env!("CARGO_BIN_EXE_hardbop"));
        let output =
            hardbop.arg(command).arg(&file).args(["--proof", proof.to_str().unwrap()]).args(options).output();
        output.unwrap().status.code()
    };
    assert_eq!(hardbop("check", &["--engine", "pdr"]), Some(0));
    assert_eq!(hardbop("certify", &[]), Some(0));
    let said = fs::read_to_string(&proof).unwrap();
    let changed = said.replace("(alive ", "(made ");
    assert_ne!(said, changed);
    fs::write(&proof, changed).unwrap();
    assert_eq!(hardbop("certify", &[]), Some(1));
}

/// A claim about all elements is written, read again, and refused if it is made of one element only, or of another value.
#[test]
fn claims_about_all_elements_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (file, proof) = (folder.path().join("a.c"), folder.path().join("a.proof"));
    let text = "extern void reach_error(void); short a[500];
int main(void) { int i; for (i = 0; i < 500; i++) a[i] = 77; for (i = 0; i < 500; i++) if (a[i] != 77) reach_error(); return 0; }
";
    fs::write(&file, text).unwrap();
    let hardbop = |command: &str, options: &[&str]| {
        let mut hardbop = Command::new(env!("CARGO_BIN_EXE_hardbop"));
        let output =
            hardbop.arg(command).arg(&file).args(["--proof", proof.to_str().unwrap()]).args(options).output();
        output.unwrap().status.code()
    };
    assert_eq!(hardbop("check", &["--engine", "pdr"]), Some(0));
    assert_eq!(hardbop("certify", &[]), Some(0));
    let said = fs::read_to_string(&proof).unwrap();
    assert!(said.contains("(any 0 32)"), "{said}");
    for (from, to) in [("(any 0 32)", "#x00000005"), ("#x004d", "#x004e")] {
        let changed = said.replace(from, to);
        assert_ne!(said, changed);
        fs::write(&proof, changed).unwrap();
        assert_eq!(hardbop("certify", &[]), Some(1), "{to}");
    }
    fs::write(&proof, said.replace("(any 0 32)", "(any 0 0)")).unwrap();
    assert_eq!(hardbop("certify", &[]), Some(65));
}

#[test]
fn what_has_an_error_is_not_proved() {
    let wrong = LOCK.replace("give(&c->held); continue;", "continue;").replace("c->busy = 0;", "");
    let (text, code) = check(&wrong, &["--engine", "pdr"]);
    assert_eq!(code, Some(2), "{text}");
    let (text, code) = check(&wrong, &[]);
    assert_eq!(code, Some(1), "{text}");
}

#[test]
fn options_of_other_engines_are_refused() {
    for options in [
        &["--engine", "pdr", "--no-run"][..],
        &["--engine", "pdr", "--no-leap"],
        &["--engine", "wp", "--no-pdr"],
    ] {
        let (text, code) = check(LOCK, options);
        assert_eq!(code, Some(64), "{options:?}: {text}");
    }
}
