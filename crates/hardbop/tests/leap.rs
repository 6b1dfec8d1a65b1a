//! `hardbop leap`, and leaps of `hardbop check`.

mod common;

use common::Folder;
use expect_test::expect;

const COUNT: &str = "procedure main(n: int) {
  x: int := 0;
  assume n >= 1000;
  while (x < n) do x := x + 1;
  assert false
}
";

#[test]
fn places_have_conditions() {
    let folder = Folder::new(&[("a.x", COUNT)]);
    let run = folder.hardbop("leap a.x --from 4:x==7 --to 4:x==1000&&n>1000");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("one flip"), "{}", run.stdout);
    assert!(run.stdout.ends_with("LEAP: REACHED\n"), "{}", run.stdout);
    // It never comes back.
    let run = folder.hardbop("leap a.x --from 4:x==7 --to 4:x==6&&n>1000");
    assert_eq!((run.code, run.stdout.contains("REACHED")), (2, false), "{}", run.stdout);
    let run = folder.hardbop("leap a.x --to end");
    assert_eq!((run.code, run.stdout.ends_with("LEAP: NO PATH\n")), (2, true), "{}", run.stdout);
}

#[test]
fn states_that_are_not_there_are_not_reached() {
    let folder = Folder::new(&[("a.x", COUNT)]);
    for places in ["--to 4:x<0", "--to 4:x<0&&x>0", "--from 4:x<x", "--from 4:x<x --to 4:x>5", "--to 5:x<n"] {
        let run = folder.hardbop(&format!("leap a.x {places}"));
        assert_eq!((run.code, run.stderr.as_str()), (2, ""), "{places}");
        assert!(run.stdout.ends_with("LEAP: NO PATH\n"), "{places}: {}", run.stdout);
    }
    // Nothing leads to the second loop.
    folder.write("a.x", "main(x: int) {\nassume false;\nwhile (x < 9) do x := x + 1;\nassert false }");
    for line in [3, 4] {
        let run = folder.hardbop(&format!("leap a.x --to {line}"));
        assert!(run.code == 2 && run.stdout.ends_with("LEAP: NO PATH\n"), "{}", run.stdout);
    }
    assert_eq!(folder.hardbop("leap a.x --to 2").code, 64);
}

#[test]
fn paths_are_those_of_the_abstraction_unless_it_is_said_why_not() {
    let folder = Folder::new(&[("a.x", "main() { x: int := 0; while (true) do x := 1 - x; }")]);
    // In runs from the start x is 0 or 1.
    let run = folder.hardbop("leap a.x --to 1:x==2");
    assert!(run.stdout.contains("s2 -> s1  must-\n"), "{}", run.stdout);
    let end = "\nno path: bounds on all runs from the start exclude s2 -> s1\nLEAP: NO PATH\n";
    assert!(run.code == 2 && run.stdout.ends_with(end), "{}", run.stdout);
    // Elsewhere it is whatever is asked about, and -1 leads to 2.
    let run = folder.hardbop("leap a.x --from 1:x==-1 --to 1:x==2");
    assert!(run.code == 0 && run.stdout.ends_with("LEAP: REACHED\n"), "{}", run.stdout);
    // There is none at all.
    let run = folder.hardbop("leap a.x --to end");
    assert!(run.code == 2 && run.stdout.ends_with("\nno path\nLEAP: NO PATH\n"), "{}", run.stdout);
}

#[test]
fn what_was_found_is_told_when_time_is_up() {
    let program = "main() { x: int := 0; while (x < 30000000000) do x := x + 1; assert false }";
    let folder = Folder::new(&[("a.x", program)]);
    let run = folder.hardbop("leap a.x --timeout 4");
    assert_eq!((run.code, run.stderr.as_str()), (2, ""));
    assert!(run.stdout.contains("must+*: s3 is reached from s0"), "{}", run.stdout);
    let end = "\na run could not confirm it: time limit reached\nLEAP: UNKNOWN\n";
    assert!(run.stdout.ends_with(end), "{}", run.stdout);
    // Wherever that happens.
    let run = folder.hardbop("leap a.x --timeout 1ms");
    assert!(run.code == 2 && run.stdout.ends_with("time limit reached\nLEAP: UNKNOWN\n"), "{run:?}");
}

#[test]
fn an_exit_that_is_not_reached_is_not_claimed() {
    let programs = [
        // Steps over the exit.
        "main() { x: int := 0; while (x != 1001) do x := x + 2; assert false }",
        // Never comes to an end: as often up as down.
        "main(n: int) { x: int := 0; while (x < 1000) do { x := x + 1; x := x - 1 } assert false }",
        // Unbounded integers have no end to wrap at.
        "main() { x: int := 0; while (x >= 0) do x := x + 1; assert false }",
        // Depends on the parity of what is not known.
        "main() { x: int := 0; while (x < 1000) do x := x + 2; if x = 1001 then assert false }",
        "main() { x: int := 5; y: int := 0; while (y < 1000) do { x := 0 - x; y := y + 1 } if x < 0 - 5 then assert false }",
    ];
    for program in programs {
        let folder = Folder::new(&[("a.x", program)]);
        let run = folder.hardbop("leap a.x");
        assert!(!run.stdout.contains("REACHED"), "{program}\n{}", run.stdout);
        assert_ne!(run.code, 1, "{program}");
    }
}

#[test]
fn a_range_makes_integers_finite() {
    let folder =
        Folder::new(&[("a.x", "main() { x: int := 0; while (x >= 0) do x := x + 1; assert false }")]);
    let run = folder.hardbop("leap a.x --overflow wrap --width 8");
    assert!(run.stdout.contains("must+*: s3 is reached from s0"), "{}", run.stdout);
    assert_eq!((run.code, run.stdout.ends_with("LEAP: REACHED\n")), (1, true), "{}", run.stdout);
    let run = folder.hardbop("leap a.x --overflow stop --width 8");
    assert!(!run.stdout.contains("is reached from"), "{}", run.stdout);
}

#[test]
fn every_operation_minds_the_range() {
    let answer = |program: &str, policy: &str| {
        let folder = Folder::new(&[("a.x", program)]);
        let run = folder.hardbop(&format!("leap a.x --overflow {policy}"));
        (run.code, run.stdout.clone(), folder.hardbop(&format!("run a.x --overflow {policy}")).stdout)
    };
    // Inside of the loop, before anything is stored, and in conditions.
    let beyond = "main() { x: int := 0; while (x >= 0) do { x := x + 1; if x > 127 then assert false } }";
    let (code, text, _) = answer(beyond, "wrap --width 9");
    assert_eq!(code, 1, "{text}");
    // There is no such number.
    let folder = Folder::new(&[("a.x", beyond)]);
    assert_eq!(folder.hardbop("leap a.x --overflow wrap --width 8").code, 2);
    let negative = "main() { x: int := 0; while (x >= 0) do { x := x + 1; if x < 0 then assert false } }";
    let (code, text, run) = answer(negative, "wrap --width 8");
    assert_eq!(code, 1, "{text}");
    assert!(run.contains("OUTCOME: error"), "{run}");
    let (code, text, run) = answer(negative, "stop --width 8");
    assert_eq!(code, 2, "{text}");
    assert!(run.contains("OUTCOME: no way on"), "{run}");
    let passing = "main() { x: int := 0; while (x < 100) do { x := x + 100; x := x - 99 } assert false }";
    assert_eq!(answer(passing, "stop --width 8").0, 2);
    assert_eq!(answer(passing, "stop --width 9").0, 1);
    let compared = "main() { x: int := 0; while (x + 1 > x) do x := x + 1; assert false }";
    let (code, text, _) = answer(compared, "wrap --width 4");
    assert_eq!(code, 1, "{text}");
    assert!(!text.contains("s1 -> s1  must+"), "{text}");
    // What is evaluated only if the first operand does not decide.
    let skipped = "main() { x: int := 7; while (x > 0) do x := x - 1; if x = 0 || x - 7 - x - 7 > 3 then assert false }";
    assert_eq!(answer(skipped, "stop --width 4").0, 1);
    let folder = Folder::new(&[("a.x", "main() {\n  x: int := 200;\n}")]);
    let run = folder.hardbop("run a.x --overflow wrap --width 8");
    assert_eq!(run.code, 65);
    assert!(
        run.stderr.contains("a.x:2:13: error: 200 is not in the range of integers, which is -128 to 127"),
        "{run:?}"
    );
    let folder = Folder::new(&[("a.x", "main() { x: int := -128; assert x = -128 }")]);
    assert_eq!(folder.hardbop("check a.x --overflow stop --width 8").code, 0);
}

/// Two successors, one of which is in the exit port: steps that do for Theorem 2 do not for Theorem 1.
#[test]
fn the_first_theorem_wants_one_successor() {
    let program = "main() { x: int := 0; y: int := 0;
      while (x < 10) do case {
        y = 0: x := x + 1; y = 1 && x = 9: x := 10;
        y = 1 && x = 0: x := 1; y = 1 && x = 1: { x := 0 | x := 9 } }
      assert false }";
    let predicates =
        "proc main: x >= 10, (y == 0 && x >= 0 && x < 10) || (y == 1 && (x == 0 || x == 1 || x == 9));";
    let folder = Folder::new(&[("a.x", program), ("p", predicates)]);
    let run = folder.hardbop("leap a.x --predicates p");
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("Theorem 1: no: "), "{}", run.stdout);
    assert!(!run.stdout.contains("Theorem 1: must-*"), "{}", run.stdout);
}

/// Whoever makes the exit port smaller asks again from where it is reached.
#[test]
fn the_second_theorem_is_about_the_port_that_is_shown() {
    let program = "main() { x: int := 0; y: int; z: int := 0; assume y = 0 || y = 1;
      while (x < 10) do case {
        y = 0 && x < 9: { x := x + 1 | x := 100 } y = 0 && x = 9: x := 100;
        y = 1 && x < 2: { x := x + 1 | x := 100 } y = 1 && x = 2: { x := 1 | x := 100 } }
      while (z < 50) do { z := z + 1; if z = 7 then z := 3 }
      assert false }";
    let predicates = "proc main: x >= 10, z < 50, (y == 0 && x >= 0 && x < 10) || (y == 1 && (x == 0 || x == 1 || x == 2));";
    let folder = Folder::new(&[("a.x", program), ("p", predicates)]);
    let run = folder.hardbop("leap a.x --predicates p");
    assert!(run.stdout.contains("Theorem 1: must-*(entry, exit)"), "{}", run.stdout);
    // From y = 1 nothing leads to x = 9.
    assert!(!run.stdout.contains("Theorem 2: must+*"), "{}", run.stdout);
}

/// Theorem 1 says that there are inputs, not which.
#[test]
fn what_is_reached_backwards_is_run() {
    let program = "main(n: int) { i, j, k: int := 0, 0, 0; assume n = 40;
      while i < n do { j := 0; while j < n do { k := 0; while k < n do k := k + 1; j := j + 1 } i := i + 1 }
      assert k != n }";
    let folder = Folder::new(&[("a.x", program)]);
    let run = folder.hardbop("leap a.x");
    assert_eq!((run.code, run.stdout.ends_with("LEAP: REACHED\n")), (1, true), "{}", run.stdout);
}

#[test]
fn recursion_is_a_loop() {
    let program = "procedure down(n: int) { if n <= 0 then assert false else down(n - 1) }
      procedure main(n: int) { assume n >= 20000 && n <= 30000; down(n) }";
    let folder = Folder::new(&[("a.x", program)]);
    let run = folder.hardbop("leap a.x");
    assert!(run.stdout.contains("down in line 1"), "{}", run.stdout);
    assert_eq!((run.code, run.stdout.ends_with("LEAP: REACHED\n")), (1, true), "{}", run.stdout);
    let other = program.replace("assert false", "skip");
    folder.write("a.x", &other);
    assert_eq!(folder.hardbop("leap a.x").code, 2);
}

#[test]
fn what_is_drawn_in_a_loop_is_chosen() {
    // The loop is left when somebody says so, and that must be at the right moment.
    let program = "extern int nondet(void); extern void reach_error(void);
      int main(void) { unsigned x = 0; while (nondet()) x++; if (x == 30000) reach_error(); return 0; }";
    let folder = Folder::new(&[("a.c", program)]);
    let run = folder.hardbop("leap a.c --externals pure");
    assert_eq!((run.code, run.stdout.ends_with("LEAP: REACHED\n")), (1, true), "{}", run.stdout);
}

#[test]
fn a_changed_parameter_has_its_current_value() {
    let program = "main(x: int) { while (x < 20) do x := x + 1; assert false }";
    let folder = Folder::new(&[("a.x", program), ("p", "proc main: x > 3, x$in == 0;")]);
    let run = folder.hardbop("leap a.x --predicates p --to 1:x==5&&x$in==0");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("loop in line 1: x > 3 && x$in == 0"), "{}", run.stdout);
    assert!(run.stdout.ends_with("LEAP: REACHED\n"), "{}", run.stdout);
}

/// The choice is open where `x` is odd; the cases around it exclude each other, which their form does not tell.
const JUMP: &str = "main(n: int) {
  x: int := 0;
  assume n >= 100;
  while (x < n) do
    case {
      x mod 2 = 1: { x := x + 1 | x := x + 3 }
      x mod 4 = 0: x := x + 1;
      x mod 4 = 2: x := x + 3
    }
  assert false
}
";

#[test]
fn a_schedule_is_for_the_open_choice_of_its_line() {
    let folder = Folder::new(&[("a.x", JUMP)]);
    let leap = |program: &str, schedule: &str| {
        folder.write("a.x", program);
        folder.write("s", schedule);
        let run = folder.hardbop("leap a.x --schedule s");
        assert_eq!(run.stderr, "", "{schedule}");
        (run.code, run.stdout)
    };
    // 0, 1, 2, 5, 6, 9, …
    let (code, text) = leap(JUMP, "// When to go on by 1.\n6: x % 4 == 1, x % 4 != 1;");
    assert!(text.contains("s1  loop in line 4: n > x\n"), "{text}");
    assert!(code == 1 && text.ends_with("LEAP: REACHED\n"), "{text}");
    assert!(!text.contains("prefers") && !text.contains("takes turns"), "{text}");
    // As many cases as alternatives.
    let two = JUMP.replace("x mod 4 = 0: x := x + 1;", "").replace("x mod 4 = 2: x", "x mod 2 = 0: x");
    let (code, text) = leap(&two, "6: true, false;");
    assert!(code == 1 && text.contains("s1  loop in line 4: n > x\n"), "{text}");
    // What is there twice counts twice, and where two predicates hold the choice remains open.
    let three = JUMP.replace("x := x + 3 }", "x := x + 3 | x := x - 5 }");
    let (code, text) = leap(&three, "6: x % 4 == 1, x % 4 == 1, x % 4 == 3;");
    assert!(code == 1 && text.contains("prefers x := "), "{text}");
    // Where none holds no run goes on.
    let (code, text) = leap(JUMP, "6: false, false;");
    assert!(code == 2 && text.ends_with("LEAP: NO PATH\n"), "{text}");
    assert!(
        text.contains("s1  loop in line 4: n > x && mod(x, 4) == 2 || n > x && mod(x, 4) == 0\n"),
        "{text}"
    );
}

#[test]
fn a_schedule_that_fits_no_choice_is_refused() {
    let twice = "main(n: int) {\n{ {n := 1 | n := 2} | n := 3 }\ncase { n > 1: n := 2; n > 2: skip }\n}
      f(x: int) { { x := 1 | x := 2 } } g(y: int) { { y := 1 | y := 2 } }";
    let folder = Folder::new(&[("a.x", JUMP), ("b.x", twice)]);
    let cases = [
        (
            "a.x",
            "6: x > 0;",
            "s:1:1: error: the choice in line 6 has 2 alternatives, and here is 1 predicate",
        ),
        (
            "a.x",
            "\n 6: x > 0, x > 1, x > 2;",
            "s:2:2: error: the choice in line 6 has 2 alternatives, and here are 3",
        ),
        ("a.x", "6:;", "has 2 alternatives, and here are 0 predicates"),
        (
            "a.x",
            "6: x > 0, x <= 0;\n6: x > 1, x <= 1;",
            "s:2:1: error: the choice in line 6 is scheduled already",
        ),
        ("a.x", "4: x > 0, x <= 0;", "s:1:1: error: no choice of the program starts in line 4"),
        ("a.x", "7: x > 0, x <= 0;", "no choice of the program starts in line 7"),
        ("a.x", "77: x > 0;", "no choice of the program starts in line 77"),
        ("a.x", "6: x +, x;", "s:1:7: error"),
        ("a.x", "6: x > 0, y > 0;", "s:1:11: error: `y` is not known here"),
        ("a.x", "6: x > 0, x < 0", "s:1:16: error: expected"),
        ("b.x", "2: n > 0, n <= 0;", "line 2 has several choices between 2 alternatives"),
        ("b.x", "5: true, true;", "several procedures have a choice in line 5"),
    ];
    for (program, schedule, message) in cases {
        folder.write("s", schedule);
        let run = folder.hardbop(&format!("leap {program} --schedule s"));
        assert_eq!((run.code, run.stdout.as_str()), (65, ""), "{schedule}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{schedule}: {}", run.stderr);
    }
    // The case is open.
    folder.write("s", "3: n > 5, n <= 5;");
    assert_eq!(folder.hardbop("leap b.x --schedule s").code, 2);
    let exclusive = JUMP.replace("{ x := x + 1 | x := x + 3 }", "x := x + 1;");
    folder.write("a.x", exclusive);
    folder.write("s", "6: x > 0, x > 1, x > 2;");
    let run = folder.hardbop("leap a.x --schedule s");
    assert!(run.stderr.contains("in line 6 only one alternative can be taken at a time"), "{}", run.stderr);
}

#[test]
fn the_picture_is_for_graphviz() {
    let folder = Folder::new(&[("a.x", COUNT)]);
    expect![[r#"
        digraph mts {
          node [shape=box];
          s0 [label="s0\nstart"];
          s1 [label="s1\nloop in line 4: n > x"];
          s2 [label="s2\nloop in line 4: n <= x"];
          s3 [label="s3\nerror in line 5"];
          s0 -> s1 [style=dashed, label=may];
          s1 -> s1 [label="must-"];
          s1 -> s2 [style=dashed, label=may];
          s2 -> s3 [label="must+"];
        }
    "#]]
    .assert_eq(&folder.hardbop("leap a.x --dot").stdout);
}

#[test]
fn bad_input_is_reported() {
    let folder = Folder::new(&[
        ("a.x", COUNT),
        ("a.c", "int main(void) { return 0; }"),
        ("odd", "x == 0;"),
        ("p", "proc main: y > 0;"),
    ]);
    let cases = [
        ("leap a.x --from nowhere", 64, "a place is start, end, error or a line"),
        ("leap a.x --from start:x>0", 64, "there are no conditions at start"),
        ("leap a.x --to 2:x>0", 64, "--to 2:x>0: there is no loop, no error and no procedure"),
        ("leap a.x --to 4:z>0", 65, "--to:1:"),
        ("leap a.x --to 4:x>", 65, "--to:1:"),
        ("leap a.x --path 0,9", 64, "`9` is no abstract state; there are 0 to 3"),
        ("leap a.x --path 0", 64, "a path has a first and a last state"),
        ("leap a.x --path x", 64, "`x` is no abstract state"),
        ("leap a.x --schedule odd", 65, "odd:1:1: error: expected `LINE:`, found `x`"),
        ("leap a.x --schedule missing", 65, "missing"),
        ("leap a.x --predicates p", 65, "p:1:12"),
        ("leap a.x --path 0,1 --from 4", 64, "cannot be used with"),
        ("leap a.x --path 0,1 --to error", 64, "cannot be used with"),
        ("leap a.x --path 0,1 --dot", 64, "cannot be used with"),
        ("leap a.x --width 8", 64, "--overflow <OVERFLOW>"),
        ("leap a.x --width 1", 64, "1 is not in 2..=64"),
        ("leap a.c --overflow wrap", 64, "--overflow is for X programs"),
        ("leap a.x --entry other", 65, "there is no procedure `other`"),
    ];
    for (command, code, message) in cases {
        let run = folder.hardbop(command);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{command}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{command}: {}", run.stderr);
    }
}

#[test]
fn check_leaps_and_the_story_is_short() {
    let program = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
      int main(void) { unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0;
        if (n < 100000 || n > 200000) return 0;
        while (x < n) { x++; y += 2; }
        if (y == 2 * n) reach_error();
        return 0; }";
    let folder = Folder::new(&[("a.c", program)]);
    let run = folder.hardbop("check a.c --harness h.c --witness w.yml");
    assert_eq!((run.code, run.stdout.ends_with("VERDICT: FALSE\n")), (1, true), "{}", run.stdout);
    assert!(run.stdout.lines().count() < 40, "{}", run.stdout);
    assert!(folder.read("h.c").contains("__VERIFIER_nondet_uint"));
    assert!(folder.read("w.yml").contains("violation"));
}
