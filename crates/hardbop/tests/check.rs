//! `hardbop check` from outside: verdicts, exit codes, predicates, limits and bad input.

mod common;

use common::{Done, Folder};

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
";

fn check(text: &str, options: &str) -> Done {
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{text}"))]);
    folder.hardbop(&format!("check a.c {options}"))
}

#[track_caller]
fn decides(text: &str, code: i32, verdict: &str) {
    let done = check(text, "");
    let last = done.stdout.lines().last().unwrap_or_default().to_owned();
    assert_eq!(
        (done.code, last.as_str()),
        (code, format!("VERDICT: {verdict}").as_str()),
        "{text}\n{done:?}"
    );
}

#[test]
fn a_loop_with_a_lock_is_safe() {
    decides(
        "int lock; int main(void) { int x; do { if (lock) reach_error(); lock = 1; x = __VERIFIER_nondet_int();
         if (x) { lock = 0; } } while (x); if (!lock) reach_error(); return 0; }",
        0,
        "TRUE",
    );
}

#[test]
fn the_same_lock_forgotten_is_not() {
    decides(
        "int lock; int main(void) { int x; do { if (lock) reach_error(); lock = 1; x = __VERIFIER_nondet_int();
         if (x > 1000) { lock = 0; } } while (x); return 0; }",
        1,
        "FALSE",
    );
}

#[test]
fn an_error_behind_an_unlikely_input_is_found() {
    decides(
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x * 3 == 741) reach_error(); return 0; }",
        1,
        "FALSE",
    );
}

#[test]
fn recursion_pointers_and_wrapping_numbers() {
    decides(
        "int down(int n) { if (n <= 0) return 0; return down(n - 1); }
         int main(void) { if (down(__VERIFIER_nondet_int()) != 0) reach_error(); return 0; }",
        0,
        "TRUE",
    );
    decides(
        "void set(int *p) { *p = 7; } int main(void) { int x = 1; set(&x); if (x != 7) reach_error(); return 0; }",
        0,
        "TRUE",
    );
    decides(
        "int main(void) { unsigned x = __VERIFIER_nondet_int(); unsigned y = x + 1; if (y == 0 && x != 4294967295u)
         reach_error(); return 0; }",
        0,
        "TRUE",
    );
}

#[test]
fn what_is_unsupported_is_unknown() {
    let done = check(
        "int pthread_create(void *, void *, void *(*)(void *), void *);
         int main(void) { pthread_create(0, 0, 0, 0); reach_error(); return 0; }",
        "",
    );
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stdout.contains("unsupported"), "{done:?}");
}

#[test]
fn limits_end_in_unknown() {
    let text =
        "int main(void) { unsigned n = __VERIFIER_nondet_int(), s = 0, i; for (i = 0; i < n; i++) s += i * i;
                if (s == 77) { if (n * s * s == 12345) reach_error(); } return 0; }";
    let done = check(text, "--timeout 1s");
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stdout.ends_with("VERDICT: UNKNOWN\n"), "{done:?}");
}

#[test]
fn bad_predicates_are_shown_where_they_are() {
    let folder =
        Folder::new(&[("a.c", "int main(void) { return 0; }"), ("p.preds", "global: nothing == 0;")]);
    let done = folder.hardbop("check a.c --predicates p.preds");
    assert_eq!(done.code, 65, "{done:?}");
    assert!(done.stderr.contains("p.preds:1:9"), "{done:?}");
}

#[test]
fn predicates_are_saved_and_used_again() {
    let text = format!(
        "{DECLARATIONS}int main(void) {{ int x = __VERIFIER_nondet_int(); int y = x;
         if (x > 3) {{ if (y <= 3) reach_error(); }} return 0; }}"
    );
    let folder = Folder::new(&[("a.c", text)]);
    let first = folder.hardbop("check a.c --save-predicates p.preds --stats");
    assert_eq!(first.code, 0, "{first:?}");
    let second = folder.hardbop("check a.c --predicates p.preds --stats");
    assert_eq!(second.code, 0, "{second:?}");
    assert!(second.stdout.contains("iterations: 1\n"), "{second:?}");
}

#[test]
fn a_label_before_the_end_of_the_program_is_a_place_to_jump_to() {
    decides(
        "extern void abort(void); int main(void) { int x = 0;
         while (__VERIFIER_nondet_int()) { if (x > 3) goto out; if (x < 0) goto out; }
         if (x != 0) reach_error(); return 0; out: abort(); }",
        0,
        "TRUE",
    );
}

#[test]
fn programs_whose_runs_are_all_bounded_are_unrolled() {
    let sum = "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
        int main(void) { int a[8], i, s = 0; for (i = 0; i < 8; i++) a[i] = __VERIFIER_nondet_int() & 7;
        for (i = 0; i < 8; i++) s += a[i]; if (s > 56 + f(6) - 8) reach_error(); return 0; }";
    let done = check(sum, "");
    assert!(done.stdout.contains("all runs are bounded"), "{done:?}");
    decides(&sum.replace("> 56", "> 55"), 1, "FALSE");
    decides("int main(void) { int x; if (x == 4711) reach_error(); return 0; }", 1, "FALSE");
}

#[test]
fn bounds_take_the_place_of_endless_constants() {
    let text = "int main(void) { int i = 0; while (i < 1000000) { i++; } if (i != 1000000) reach_error(); return 0; }";
    let done = check(text, "--no-unroll --save-predicates p");
    assert_eq!(done.code, 0, "{done:?}");
}

#[test]
fn the_backward_engine_knows_its_options() {
    let folder = Folder::new(&[("a.x", "main() { x: int := 0; while x < 1000000 do x := x + 1; assert F }")]);
    for option in ["--no-run", "--no-unroll"] {
        let done = folder.hardbop(&format!("check a.x --engine wp {option}"));
        assert_eq!((done.code, done.stdout.as_str()), (64, ""), "{done:?}");
        assert!(done.stderr.contains("for --engine slam"), "{done:?}");
    }
    assert_eq!(folder.hardbop("check a.x --engine wp").code, 1);
    assert_eq!(folder.hardbop("check a.x --engine wp --no-leap").code, 2);
}

#[test]
fn invariants_are_guessed_from_what_runs_have_in_common() {
    let text = "int main(void) { int i = 0, a = 0, b = 0, n = __VERIFIER_nondet_int();
        if (n < 0 || n > 1000000) return 0;
        while (i < n) { if (__VERIFIER_nondet_int()) { a += 1; b += 2; } else { a += 2; b += 1; } i++; }
        if (a + b != 3 * n) reach_error(); return 0; }";
    let done = check(text, "--invariants --timeout 60");
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("a + b == i * 3"), "{done:?}");
    // One of the runs that are not among the samples.
    let wrong = text.replace("a += 2; b += 1;", "a += 2; b += i == 99999 ? 2 : 1;");
    let done = check(&wrong, "--no-leap --no-unroll --timeout 5");
    assert_ne!(done.code, 0, "{done:?}");
    // Differences, in a second loop, and a function that asks.
    let text = "void want(int c) { if (!c) { reach_error(); } }
        int main(void) { int i = 0, j = 0;
        while (__VERIFIER_nondet_int() && i < 1000000) i++;
        if (i >= 100) return 0;
        while (__VERIFIER_nondet_int() && i < 1000000) { i++; j++; }
        if (j >= 100) return 0;
        want(i < 200); return 0; }";
    let done = check(text, "--invariants --no-unroll --timeout 60");
    assert_eq!(done.code, 0, "{done:?}");
}

#[test]
fn the_backward_engine_answers_in_the_same_way() {
    let text = "int g; void add(int n) { if (n > 0) { g++; add(n - 1); } }
        int main(void) { int n = __VERIFIER_nondet_int() & 7; add(n); if (g LIMIT 7) reach_error(); return 0; }";
    let done = check(&text.replace("LIMIT", "=="), "--engine wp");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stdout.contains("VERDICT: FALSE"), "{done:?}");

    let text = "int main(void) { int x = __VERIFIER_nondet_int(), y = x;
        while (__VERIFIER_nondet_int()) { x++; y++; } if (x != y) reach_error(); return 0; }";
    let text = format!("{DECLARATIONS}{text}");
    let folder = Folder::new(&[("a.c", text)]);
    let first = folder.hardbop("check a.c --engine wp --json --save-predicates p.preds");
    let report: serde_json::Value = serde_json::from_str(&first.stdout).unwrap();
    assert_eq!(
        (report["verdict"].as_str(), report["engine"].as_str()),
        (Some("TRUE"), Some("wp")),
        "{first:?}"
    );
    let invariants = report["proof"]["invariants"].as_array().unwrap();
    assert!(invariants.iter().any(|known| known["kind"] == "loop"), "{first:?}");
    assert!(!report["predicates"].as_array().unwrap().is_empty(), "{first:?}");
    let second = folder.hardbop("check a.c --engine wp --predicates p.preds --stats");
    assert!(second.stdout.contains("engine: wp\niterations: 1\n"), "{second:?}");
}
