//! `hardbop run` from outside: inputs, limits, traces, outcomes and their exit codes.

mod common;

use common::{Done, Folder};

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
extern void abort(void); extern void exit(int); extern void __VERIFIER_assume(int);
extern void *malloc(unsigned long); extern void free(void *); int printf(const char *, ...);
";

/// Runs a program of one file, with declarations of what it may call.
fn run(text: &str, options: &str) -> Done {
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{text}"))]);
    folder.hardbop(&format!("run a.c {options}"))
}

#[track_caller]
fn ends(text: &str, options: &str, code: i32, outcome: &str) {
    let done = run(text, options);
    assert_eq!((done.code, done.outcome(), done.stderr.as_str()), (code, outcome, ""), "{text}");
}

#[test]
fn outcomes_and_exit_codes() {
    ends("int main(void) { return 3; }", "", 0, "returned 3");
    ends("int main(void) { exit(4); }", "", 0, "exited with status 4");
    ends("int main(void) { abort(); }", "", 0, "aborted in main at a.c:4:18");
    ends(
        "int main(void) { __builtin_unreachable(); }",
        "",
        0,
        "reached a point that is declared unreachable in main at a.c:4:18",
    );
    ends("int main(void) { reach_error(); }", "", 1, "error: reach_error was called in main at a.c:4:18");
    ends(
        "int main(void) { goto ERROR; ERROR: return 0; }",
        "",
        1,
        "error: label ERROR was reached in main at a.c:4:30",
    );
    ends(
        "int main(void) { __VERIFIER_assume(0); }",
        "",
        0,
        "no way on: an assumption does not hold in main at a.c:4:18",
    );
    ends(
        "int main(void) { return *(int *)0; }",
        "",
        0,
        "null pointer dereference: read of 4 bytes at 0x0 in main at a.c:4:18",
    );
    let twice = run("int main(void) { int *p = malloc(4); free(p); free(p); }", "");
    assert_eq!(twice.code, 0);
    assert!(twice.outcome().starts_with("invalid free of 0x"), "{twice:?}");
    assert!(twice.outcome().ends_with("(4 bytes) in main at a.c:4:47"), "{twice:?}");
    ends(
        "int main(void) { int z = 0; return 1 / z; }",
        "",
        0,
        "undefined: division by zero in main at a.c:4:29",
    );
    ends(
        "int f(int n) { return f(n + 1); } int main(void) { return f(0); }",
        "",
        2,
        "stack overflow in f at a.c:4:23",
    );
    ends(
        "int fork(void); int main(void) { return fork(); }",
        "",
        2,
        "unsupported: a call of `fork` in main at a.c:4:41",
    );
}

#[test]
fn what_is_printed_comes_before_the_outcome() {
    let done = run("int main(void) { printf(\"%d %s\\n\", 42, \"bottles\"); return 0; }", "");
    assert_eq!(
        done,
        Done { code: 0, stdout: "42 bottles\nOUTCOME: returned 0\n".into(), stderr: String::new() }
    );
}

const CHOOSE: &str = "#pragma x
    int main(void) {
      int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
      if (x == 5 && y < -1000) reach_error();
      return x + y;
    }";

#[test]
fn inputs_from_a_file() {
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{CHOOSE}"))]);
    let error = "OUTCOME: error: reach_error was called in main at a.c:7:32\n";
    for (text, code, outcome) in [
        ("5 -1001", 1, error),
        ("5, -1001", 1, error),
        ("# x and y\n0x5 # x\n-1001\n", 1, error),
        ("5 0xfffff000 77", 1, error),
        ("5.0 -2e3", 1, error),
        ("5", 0, "OUTCOME: returned 5\n"),
        ("# none", 0, "OUTCOME: returned 0\n"),
        ("6 -7", 0, "OUTCOME: returned -1\n"),
        ("all 5 -1001", 1, error),
    ] {
        folder.write("in", text);
        folder.check("run a.c --inputs in", code, outcome, "");
    }
    folder.write("in", "5\n7 seven");
    folder.check("run a.c --inputs in", 65, "", "hardbop: in: line 2: `seven` is not a number\n");
    folder.write("in", "");
    folder.check("run a.c --inputs in", 65, "", "hardbop: in: file is empty\n");
    folder.check("run a.c --inputs none", 65, "", "hardbop: none: no such file or directory\n");
    assert_eq!(folder.hardbop_with("run a.c --inputs -", "5 -1001").stdout, error);
    assert_eq!(folder.hardbop_with("run - --inputs in2", "").code, 65);
    folder.check("run a.c", 0, "OUTCOME: returned 0\n", "");
}

#[test]
fn usage_errors() {
    let folder = Folder::new(&[("a.c", "int main(void) { return 0; }"), ("in", "1")]);
    for arguments in [
        "run",
        "run a.c --inputs",
        "run a.c --seed x",
        "run a.c --inputs in --seed 1",
        "run a.c --max-steps many",
        "run a.c --timeout soon",
    ] {
        let done = folder.hardbop(arguments);
        assert_eq!((done.code, done.stdout.as_str()), (64, ""), "{arguments}");
    }
}

#[test]
fn seeds_give_runs_that_can_be_replayed() {
    let text = "int global; int elsewhere(void);
        int main(void) {
          int uninitialised, *p = malloc(4);
          float f = elsewhere();
          global = elsewhere();
          printf(\"%d %d %d %g\\n\", __VERIFIER_nondet_int(), uninitialised, p == 0, f);
          return global ^ elsewhere();
        }";
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{text}"))]);
    let mut seen = Vec::new();
    for seed in 0..20 {
        let first = folder.hardbop(&format!("run a.c --seed {seed} --save-inputs in"));
        assert_eq!(first.code, 0, "{first:?}");
        assert_eq!(folder.hardbop(&format!("run a.c --seed {seed}")), first, "seeds determine the run");
        assert_eq!(folder.hardbop("run a.c --inputs in --save-inputs again"), first, "seed {seed}");
        assert_eq!(folder.read("in"), folder.read("again"));
        if !seen.contains(&first.stdout) {
            seen.push(first.stdout);
        }
    }
    assert!(seen.len() > 10, "seeds vary");
    let saved = folder.read("in");
    assert!(saved.starts_with("all\n"), "{saved}");
    assert!(saved.contains("  # __VERIFIER_nondet_int at a.c:9:"), "{saved}");
    assert!(saved.contains("  # uninitialised storage at a.c:9:"), "{saved}");
    assert!(saved.contains("  # whether an allocation fails at a.c:6:"), "{saved}");
    let lost = "hardbop: no/such: no such file or directory\n";
    folder.check("run a.c --save-inputs no/such", 64, "0 0 0 0\n", lost);
}

#[test]
fn seeds_find_a_simple_error() {
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{CHOOSE}"))]);
    assert!((0..200).any(|seed| folder.hardbop(&format!("run a.c --seed {seed}")).code == 1));
}

#[test]
fn limits_end_a_run() {
    let forever = "int main(void) { for (unsigned i = 0;; i++) ; }";
    ends(forever, "--max-steps 1000", 2, "step limit reached");
    ends("int main(void) { return 0; }", "--max-steps 0", 2, "step limit reached");
    let done = run(forever, "--timeout 300ms");
    assert_eq!((done.code, done.outcome()), (2, "stopped: time limit reached"));
    ends(
        "int main(void) { for (;;) *(char *)malloc(1 << 20) = 1; }",
        "--malloc never-fails",
        2,
        "out of memory: no room for 1048576 bytes in main at a.c:4:36",
    );
}

#[test]
fn traces_show_each_step_with_its_values() {
    let folder = Folder::new(&[(
        "a.c",
        "int twice(int x) { return x + x; }\nint main(void) {\n  int y = twice(4);\n  return y;\n}\n",
    )]);
    let done = folder.hardbop("run a.c --trace");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    let expected = [
        "a.c:2:5: $start: $1 := call main()",
        "  a.c:3:11: main: $1 := call twice(4)",
        "    a.c:1:20: twice: $result := (x + x)   // 8",
        "    a.c:1:20: twice: return",
        "  a.c:3:7: main: y := $1   // 8",
        "  a.c:4:3: main: $result := y   // 8",
        "  a.c:4:3: main: return",
        "a.c:2:5: $start: $result := $1   // 8",
        "a.c:2:5: $start: return",
        "OUTCOME: returned 8",
    ];
    assert_eq!(done.stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn what_counts_as_an_error_can_be_chosen() {
    let text = "void bug(void) { } void fine(void) { }
        int main(void) { fine(); if (__VERIFIER_nondet_int()) goto FAIL; bug(); return 0; FAIL: reach_error(); return 1; }";
    ends(text, "", 0, "returned 0");
    ends(text, "--error-function bug", 1, "error: bug was called in main at a.c:5:74");
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{text}")), ("in", "1".to_owned())]);
    let outcome = |options: &str| folder.hardbop(&format!("run a.c --inputs in {options}"));
    assert_eq!(outcome("").outcome(), "error: reach_error was called in main at a.c:5:97");
    assert_eq!(outcome("--error-label FAIL").outcome(), "error: label FAIL was reached in main at a.c:5:91");
    // Naming a function replaces the usual ones, which are then functions as others.
    assert_eq!(outcome("--error-function bug").outcome(), "returned 1");
    assert_eq!(outcome("--error-function bug --error-function reach_error").code, 1);
    assert_eq!(outcome("--error-label ERROR --error-label FAIL").code, 1);
    ends("int main(void) { ERROR: return 0; }", "--error-label OTHER", 0, "returned 0");
}

#[test]
fn what_outside_functions_do_can_be_chosen() {
    let folder = Folder::new(&[
        ("a.c", "int x = 1; void outside(void); int main(void) { outside(); return x; }"),
        ("m.c", "void *malloc(unsigned long); int main(void) { return malloc(4) == 0; }"),
        ("in", "all 1 1 1 1 1 1 1 1"),
        ("nine", "all 9 9 9 9"),
    ]);
    assert_eq!(folder.hardbop("run a.c --inputs nine").outcome(), "returned 9");
    assert_eq!(folder.hardbop("run a.c --inputs nine --externals havoc").outcome(), "returned 9");
    assert_eq!(folder.hardbop("run a.c --inputs nine --externals pure").outcome(), "returned 1");
    assert_eq!(folder.hardbop("run m.c --inputs in").outcome(), "returned 1");
    assert_eq!(folder.hardbop("run m.c --inputs in --malloc may-fail").outcome(), "returned 1");
    assert_eq!(folder.hardbop("run m.c --inputs in --malloc never-fails").outcome(), "returned 0");
}

#[test]
fn any_function_can_be_the_entry() {
    let text = "int sum(int a, int b) { return a + b; } int main(void) { return 0; }";
    let folder = Folder::new(&[("a.c", text), ("in", "40 2")]);
    folder.check("run a.c --entry sum --inputs in", 0, "OUTCOME: returned 42\n", "");
    folder.check("run a.c --entry main --inputs in", 0, "OUTCOME: returned 0\n", "");
    let missing = "hardbop: a.c: there is no function `none` to start with; see --entry\n";
    folder.check("run a.c --entry none", 65, "", missing);
}

#[test]
fn programs_from_standard_input() {
    let folder = Folder::new::<&str>(&[]);
    let run = |text| folder.hardbop_with("run -", text);
    assert_eq!(run("int main(void) { return 7; }").stdout, "OUTCOME: returned 7\n");
    let done = run("int main(void) { return }");
    assert_eq!(done.code, 65);
    assert!(done.stderr.contains("<stdin>:1:25: error: expected an expression"), "{}", done.stderr);
    if common::has_gcc() {
        assert_eq!(run("#define X 8\nint main(void) { return X; }").stdout, "OUTCOME: returned 8\n");
    }
}
