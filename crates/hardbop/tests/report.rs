//! What `hardbop check` says and leaves behind: reports, JSON, witnesses, harnesses; and how it ends when it
//! is stopped.

mod common;

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Done, Folder, bench_folder, has_gcc};
use serde_json::Value;

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); \
                            extern void __VERIFIER_assume(int);\n";

/// A program whose loops are not bounded and over numbers that no simple relation tells apart.
const HARD: &str = "int main(void) { unsigned n = __VERIFIER_nondet_int(), s = 0, i;
  for (i = 0; i < n; i++) s += i * i; if (s == 77) { if (n * s * s == 12345) reach_error(); } return 0; }\n";

fn folder(text: &str) -> Folder {
    Folder::new(&[("a.c", format!("{DECLARATIONS}{text}"))])
}

fn check(text: &str, options: &str) -> Done {
    folder(text).hardbop(&format!("check a.c {options}"))
}

fn json(text: &str, options: &str) -> (i32, Value) {
    let done = check(text, &format!("--json {options}"));
    (done.code, serde_json::from_str(&done.stdout).unwrap())
}

#[track_caller]
fn says(done: &Done, code: i32, lines: &[&str]) {
    assert_eq!(done.code, code, "{done:?}");
    for line in lines {
        assert!(done.stdout.lines().any(|said| said.trim() == *line), "`{line}` in\n{}", done.stdout);
    }
}

#[test]
fn loops_are_folded() {
    let done = check(
        "int main(void) { int s = 0;
           for (int i = 0; i < 15; i++)
             s += 2;
           if (s == 30) reach_error(); return 0; }",
        "",
    );
    let lines = [
        "3 for (int i = 0; i < 15; i++)                       // i = 0; true: i = 0",
        "4 s += 2;                                           // s = 2",
        "… 13 more iterations",
        "3 for (int i = 0; i < 15; i++)                       // i = 15; false: i = 15",
        "5 if (s == 30) reach_error(); return 0; }           // true: s = 30; <-- here",
        "VERDICT: FALSE",
    ];
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said: Vec<String> = done.stdout.lines().map(squeeze).collect();
    for line in lines {
        assert!(said.contains(&squeeze(line)), "`{line}` in\n{}", done.stdout);
    }
}

#[test]
fn calls_are_indented_and_what_does_not_matter_is_left_out() {
    let done = check(
        "int noise; void other(void) { for (int i = 0; i < 9; i++) noise += i; }
         int twice(int x) {
           return 2 * x;
         }
         int main(void) {
           other();
           noise = 3;
           int y = twice(21);
           if (y == 42) reach_error();
           return 0;
         }",
        "",
    );
    assert_eq!(done.code, 1, "{done:?}");
    assert!(!done.stdout.contains("noise") && !done.stdout.contains("other"), "{}", done.stdout);
    assert!(done.stdout.contains("    4   return 2 * x; "), "{}", done.stdout);
    assert!(done.stdout.contains("// returns 42\n"), "{}", done.stdout);
}

#[test]
fn recursion_is_folded() {
    let done = check(
        "int down(int n) {
           if (n == 0) return 0;
           return down(n - 1);
         }
         int main(void) { if (down(20) == 0) reach_error(); return 0; }",
        "",
    );
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stdout.contains("more calls of itself\n"), "{}", done.stdout);
    assert!(done.stdout.lines().count() < 25, "{}", done.stdout);
}

#[test]
fn conditions_are_told_as_they_stand_in_the_text() {
    let done = check(
        "int main(void) {
           int a = __VERIFIER_nondet_int(), b = 7;
           __VERIFIER_assume(a == 5);
           if (!(a == 4))
             if (a > 3 && b != 8)
               reach_error();
           return 0;
         }",
        "",
    );
    assert_eq!(done.code, 1, "{done:?}");
    for note in ["// passed: a = 5\n", "// true: a = 5\n", "// a > 3 is true: a = 5; b != 8 is true: b = 7\n"]
    {
        assert!(done.stdout.contains(note), "{note} in\n{}", done.stdout);
    }
}

#[test]
fn inputs_are_listed() {
    let done = check(
        "int main(void) { int u; if (__VERIFIER_nondet_int() == -3 && u == 12) reach_error(); return 0; }",
        "",
    );
    says(
        &done,
        1,
        &[
            "inputs:",
            "__VERIFIER_nondet_int() = -3 at a.c:2",
            "uninitialised u = 12 at a.c:2",
            "VERDICT: FALSE",
        ],
    );
    assert!(done.stdout.contains("u is uninitialised, say 12"), "{}", done.stdout);
}

#[test]
fn proofs_say_what_they_rest_on() {
    let done = check(
        "int other(void); int main(void) { int *p = 0; int x = other(); if (x != x) reach_error(); return p != 0; }",
        "",
    );
    says(
        &done,
        0,
        &[
            "assuming: signed arithmetic wraps, and operands are evaluated in the order of gcc -O0",
            "assuming: addresses are not made up: that of an object is only computed from an address of it",
            "VERDICT: TRUE",
        ],
    );
    assert!(done.stdout.contains("`other`"), "{}", done.stdout);
    let none = check("int main(void) { return 0; }", "");
    says(&none, 0, &["no run reaches an error: there is none in the program"]);
}

#[test]
fn invariants_are_shown_on_request() {
    let text = "int lock; int main(void) { int x; do { if (lock) reach_error(); lock = 1;
        x = __VERIFIER_nondet_int(); if (x) { lock = 0; } } while (x); if (!lock) reach_error(); return 0; }";
    let done = check(text, "--invariants");
    says(&done, 0, &["loop at a.c:2 in main: lock == 0"]);
    assert!(!check(text, "").stdout.contains("loop at"));
}

#[test]
fn vacuous_proofs_are_noticed() {
    let warning = "warning: the verdict is vacuous: no run gets past the assumption at a.c:2:40";
    let vacuous = "int main(void) { int x = 1; for (;;) { __VERIFIER_assume(x == 2); reach_error(); } }";
    says(&check(vacuous, ""), 0, &[warning]);
    // Passed rarely, but it can be.
    let rarely = "int main(void) { __VERIFIER_assume(__VERIFIER_nondet_int() == 123456); int y = 0;
        if (y) reach_error(); return 0; }";
    let done = check(rarely, "");
    assert!(done.code == 0 && !done.stdout.contains("vacuous"), "{done:?}");
    let forever = "int main(void) { __VERIFIER_assume(__VERIFIER_nondet_int() == 123456); int y = 0;
        for (;;) if (y) reach_error(); }";
    let done = check(forever, "");
    assert!(done.code == 0 && !done.stdout.contains("vacuous"), "{done:?}");
    let reacts = "int main(void) { int x = 0; for (;;) { if (x) reach_error(); } }";
    assert!(!check(reacts, "").stdout.contains("vacuous"));
}

#[test]
fn the_report_is_json_on_request() {
    let (code, report) = json(
        "int f(int x) { return x + 1; }
         int main(void) { int y = f(__VERIFIER_nondet_int()); if (y == 9) reach_error(); return 0; }",
        "",
    );
    assert_eq!((code, report["verdict"].as_str()), (1, Some("FALSE")));
    let failure = &report["failure"];
    assert_eq!(failure["location"]["line"], 3);
    assert_eq!(failure["inputs"][0]["of"], "__VERIFIER_nondet_int()");
    assert_eq!(failure["inputs"][0]["value"], "8");
    let trace = failure["trace"].as_array().unwrap();
    assert!(trace.iter().any(|event| event["call"]["function"] == "f"), "{trace:?}");
    assert_eq!(trace.last().unwrap()["breaks"], true);
    let (code, report) = json(
        "int s; int main(void) { while (__VERIFIER_nondet_int()) { if (s) reach_error(); } return 0; }",
        "",
    );
    assert_eq!((code, report["verdict"].as_str()), (0, Some("TRUE")));
    assert!(!report["proof"]["assumptions"].as_array().unwrap().is_empty());
    let (code, report) = json(HARD, "--timeout 300ms");
    assert_eq!((code, report["verdict"].as_str()), (2, Some("UNKNOWN")));
    assert!(report["reason"].is_string() && report["advice"].is_array(), "{report}");
}

#[test]
fn witnesses_name_places_of_the_text() {
    let folder = folder(
        "int main(void) {
           int x = __VERIFIER_nondet_int();
           if (x == 77) reach_error();
           return 0;
         }",
    );
    assert_eq!(folder.hardbop("check a.c --witness w.yml").code, 1);
    let witness = folder.read("w.yml");
    let flat = witness.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "entry_type: \"violation_sequence\"",
        "input_files: - \"a.c\"",
        "line: 3 column: 42 function: \"main\" constraint: value: \"\\\\result == 77\"",
        "type: \"target\" action: \"follow\" location: file_name: \"a.c\" line: 4 column: 25",
    ] {
        assert!(flat.contains(part), "{part} in\n{witness}");
    }
}

#[test]
fn witnesses_of_proofs_have_the_invariants_of_loops() {
    let folder = folder(
        "int lock;
         int main(void) {
           while (__VERIFIER_nondet_int()) {
             if (lock) reach_error();
             lock = 1; lock = 0;
           }
           return 0;
         }",
    );
    assert_eq!(folder.hardbop("check a.c --witness w.yml").code, 0);
    let flat = folder.read("w.yml").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("entry_type: \"invariant_set\""), "{flat}");
    let done = folder.hardbop("check a.x --witness w.yml");
    assert_eq!((done.code, done.stdout.as_str()), (64, ""), "{done:?}");
}

/// The lines and values of the invariants that the backward engine leaves behind.
fn backward_invariants(program: &str) -> Vec<(String, String)> {
    let folder = folder(program);
    let done = folder.hardbop("check a.c --engine wp --witness w.yml");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{done:?}");
    let witness = folder.read("w.yml");
    let all = |key: &str| {
        let found = witness.lines().filter_map(|line| line.trim().strip_prefix(key));
        found.map(str::to_owned).collect::<Vec<_>>()
    };
    all("line: ").into_iter().zip(all("value: ")).collect()
}

#[test]
fn witnesses_of_backward_proofs_have_the_invariants_of_loops() {
    // What holds in one of the calls of a function, or in the other.
    let found = backward_invariants(
        "int lock;
         static void hold(void) { for (int i = 0; i != 9; i++) if (lock != 1 && lock != 2) reach_error(); }
         int main(void) {
           while (__VERIFIER_nondet_int()) { if (lock) reach_error(); lock = 1; hold(); lock = 2; hold(); lock = 0; }
           return 0;
         }",
    );
    let [(main, outer), (hold, inner)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((main.as_str(), hold.as_str()), ("5", "3"));
    assert!(outer.contains("lock"), "{outer}");
    assert!(inner.contains("lock == 1") && inner.contains("lock == 2"), "{inner}");
    // At the inner loop the outer x has no name.
    let found = backward_invariants(
        "int main(void) {
           int x = 3;
           while (__VERIFIER_nondet_int()) {
             if (x != 3) reach_error();
             { int x = 1; while (__VERIFIER_nondet_int()) x = 2; }
           }
           return 0;
         }",
    );
    let [(line, value)] = &found[..] else { panic!("{found:?}") };
    assert!(line == "4" && value.contains('x'), "{value}");
}

#[test]
fn harnesses_reach_the_error() {
    if !has_gcc() {
        return;
    }
    let program = "int main(void) { int u; if (__VERIFIER_nondet_int() * 3 == 741 && u == 5) reach_error(); return 0; }";
    let folder = folder(program);
    let done = folder.hardbop("check a.c --harness h.c");
    assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
    let executable = folder.path("a.out");
    let gcc = Command::new("gcc")
        .args(["-w", "-fwrapv"])
        .arg(folder.path("h.c"))
        .arg("-o")
        .arg(&executable)
        .output();
    assert!(gcc.unwrap().status.success());
    assert_eq!(Command::new(executable).output().unwrap().status.code(), Some(107));
}

#[test]
fn evidence_is_written_whole_or_not_at_all() {
    let folder = folder("int main(void) { reach_error(); return 0; }");
    for option in ["--harness", "--witness", "--save-predicates"] {
        let done = folder.hardbop(&format!("check a.c {option} no/such/folder/file"));
        assert_eq!(done.code, 64, "{done:?}");
        assert!(done.stderr.contains("no/such/folder/file"), "{done:?}");
    }
    let safe = Folder::new(&[("a.c", "int main(void) { return 0; }")]);
    assert_eq!(safe.hardbop("check a.c --harness h.c").code, 0);
    assert_eq!(safe.names(), ["a.c"]);
}

#[test]
fn predicates_can_be_read_back_even_if_there_are_none() {
    let folder = Folder::new(&[("a.c", "int main(void) { return 0; }")]);
    assert_eq!(folder.hardbop("check a.c --save-predicates p").code, 0);
    assert_eq!(folder.hardbop("check a.c --predicates p").code, 0);
}

#[test]
fn wrong_input_has_a_place() {
    let folder = Folder::new(&[
        ("a.c", "int main(void) { return x; }\n"),
        ("bad.prp", "CHECK( init(main()), LTL(G ! cal(reach_error())) )\n"),
        ("bad.yml", "format_version: '2.0'\ninput_files: [\n"),
    ]);
    for (arguments, place) in [
        ("check a.c", "a.c:1:25"),
        ("check --property bad.prp a.c", "bad.prp:1:"),
        ("check bad.yml", "bad.yml:"),
        ("check missing.c", "missing.c: no such file"),
    ] {
        let done = folder.hardbop(arguments);
        assert_eq!((done.code, done.stdout.as_str()), (65, ""), "{arguments}: {done:?}");
        assert!(done.stderr.contains(place), "{arguments}: {done:?}");
    }
}

#[test]
fn limits_of_time_and_memory_are_unknown() {
    let start = Instant::now();
    let done = check(HARD, "--timeout 1s");
    assert_eq!(done.code, 2, "{done:?}");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert!(done.stdout.contains("reason: ") && done.stdout.ends_with("VERDICT: UNKNOWN\n"), "{done:?}");
    let done = check(HARD, "--memory 200M --timeout 3s");
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stdout.ends_with("VERDICT: UNKNOWN\n"), "{done:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_unknown() {
    let folder = folder(HARD);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    command.arg("check").arg(folder.path("a.c")).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let id = child.id().to_string();
    if child.try_wait().unwrap().is_some() {
        // Somebody learned to decide it; there is nothing to interrupt.
        return;
    }
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(status.code(), Some(2), "{text}");
    assert!(text.contains("reason: interrupted") && text.ends_with("VERDICT: UNKNOWN\n"), "{text}");
}

#[test]
fn tasks_are_checked_as_sv_comp_means_them() {
    let folder = Folder::new(&[
        (
            "a.c",
            "extern void reach_error(void); extern void *malloc(unsigned); extern void other(int *);
             int main(void) { int x = 0; other(&x); if (x || !malloc(4)) reach_error(); return 0; }",
        ),
        ("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"),
        (
            "t.yml",
            "format_version: '2.0'\ninput_files: a.c\nproperties:\n  - property_file: p.prp\n    \
             expected_verdict: true\noptions:\n  language: C\n  data_model: ILP32\n",
        ),
    ]);
    for arguments in ["check t.yml", "check a.c --property p.prp --data-model ILP32"] {
        let done = folder.hardbop(arguments);
        assert_eq!(done.code, 0, "{arguments}: {done:?}");
        assert!(done.stdout.contains("assuming: memory allocation never fails"), "{done:?}");
    }
    assert_eq!(folder.hardbop("check a.c -m32").code, 1);
    assert_eq!(folder.hardbop("check t.yml --externals havoc").code, 1);
    assert_eq!(folder.hardbop("check t.yml --data-model LP64").code, 64);
}

/// Tasks of the sample that are quick to decide; none may be wrong.
#[test]
fn quick_tasks_of_the_sample() {
    let Some(bench) = bench_folder("svcomp") else { return };
    let tasks = [
        "locks/test_locks_6",
        "locks/test_locks_15-1",
        "ldv-regression/alias_of_return.c_1",
        "ldv-regression/1_3",
        "recursive-simple/fibo_5-2",
        "bitvector-regression/signextension-1",
        "loops/sum01-1",
    ];
    let index = std::fs::read_to_string(bench.join("tasks.csv")).unwrap();
    for task in tasks {
        let row = index.lines().find(|row| row.starts_with(&format!("c/{task}."))).unwrap();
        let file = bench.join("c").join(format!("{task}.yml"));
        let bits = if row.contains("LP64") { "-m64" } else { "-m32" };
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
        let done = common::finish(command.args(["check", bits, "--timeout", "20s"]).arg(&file));
        let expected = if row.contains(",true,") { 0 } else { 1 };
        assert_eq!(done.code, expected, "{task}: {done:?}");
    }
}

/// Runs whose inputs are found by reasoning, not by trying: storage of every kind may be what matters.
#[test]
fn counterexamples_cover_storage_of_every_kind() {
    let programs = [
        "int main(void) { int x; if (x * 3 == 741) reach_error(); return 0; }",
        // Calls and allocations that do not matter come before.
        "int noise; void *malloc(__SIZE_TYPE__);
         void other(int n) { int a[2]; noise += a[1]; noise += *(int *)malloc(4); if (n) other(n - 1); }
         int f(void) { int a[2]; return a[1]; }
         int main(void) { other(3); int x = f(); other(2); int *p = malloc(4);
           if (x * 3 == 741 && p && *p * 3 == 744 && f() * 3 == 747) reach_error(); return 0; }",
        "int main(void) { int a[4]; if (a[2] * 3 == 741) reach_error(); return 0; }",
        "int main(void) { for (int i = 0; i < 3; i++) { int x; if (i == 2 && x * 3 == 741) reach_error(); } return 0; }",
        "int main(void) { for (int i = 0; i < 3; i++) { int a[3]; if (i == 1 && a[i] * 3 == 741) reach_error(); } return 0; }",
        "struct s { char c; int i; }; int main(void) { struct s s; if (s.i * 3 == 741) reach_error(); return 0; }",
        "union u { int i; char c[4]; };
         int main(void) { union u u; if (u.i * 3 == 741 && u.c[0] == (char)247) reach_error(); return 0; }",
        "int main(void) { unsigned char a[4]; if (*(unsigned *)a * 3 == 741) reach_error(); return 0; }",
        "int get(int *p) { return *p; } int main(void) { int x; if (get(&x) * 3 == 741) reach_error(); return 0; }",
        "int f(int n) { int x; if (n == 0) return x; return f(n - 1) == 3 ? x : 0; }
         int main(void) { if (f(2) * 3 == 741) reach_error(); return 0; }",
        "int main(void) { int a[40]; unsigned i = __VERIFIER_nondet_int();
           if (i < 40 && i > 20 && a[i] * 3 == 741) reach_error(); return 0; }",
        "void *malloc(__SIZE_TYPE__); int main(void) { int *p = malloc(16), *q = malloc(8);
           if (p && q && p[2] * 3 == 741 && q[1] * 3 == 744) reach_error(); return 0; }",
        "void *malloc(__SIZE_TYPE__); int main(void) { int *p = malloc(16), *q = malloc(8);
           if (p && !q && __VERIFIER_nondet_int() * 3 == 741) reach_error(); return 0; }",
        "int other(int);
         int main(void) { if (other(1) * 3 == 741 && other(2) * 3 == 744) reach_error(); return 0; }",
        "void other(int *); int main(void) { int x = 0; other(&x); if (x * 3 == 741) reach_error(); return 0; }",
        "void other(void); int g; int main(void) { other(); if (g * 3 == 741) reach_error(); return 0; }",
        "int other(void); int g; int main(void) { if (other() * 3 == 741 && g * 3 == 744) reach_error(); return 0; }",
        "extern int g; int main(void) { if (g * 3 == 741) reach_error(); return 0; }",
        "int main(void) { int x, n = __VERIFIER_nondet_int();
           while (n > 0) { n--; if (x * 3 == 741 && n == 7) reach_error(); } return 0; }",
    ];
    for program in programs {
        let done = check(program, "--timeout 20s");
        assert_eq!(done.code, 1, "{program}\n{done:?}");
    }
}
