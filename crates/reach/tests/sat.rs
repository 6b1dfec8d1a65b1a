//! The SAT engine: the paper's examples, the benchmarks, and agreement with the reference explorer.

use std::fs;

use expect_test::{Expect, expect};
use hardbop_base::{Budget, Id, Stop};
use hardbop_bp::{Flow, Goal, load, replay, resolve};
use hardbop_reach::sat::{Arguments, Blocks, SatOptions, check, equations};
use hardbop_reach::{Answer, Reason};
use hardbop_testkit::boolean::{self, explore, random, tiny};

fn flow(text: &str) -> Flow {
    load(text, Id::from_usize(0)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// Settings of the engine that make different equations. Those without pruning may not end in time, so
/// all are limited.
fn settings() -> Vec<SatOptions> {
    let default = SatOptions { triples: 20_000, ..SatOptions::default() };
    let paper = SatOptions { triples: 20_000, ..SatOptions::paper() };
    let mut settings = vec![default.clone(), paper.clone()];
    for arguments in [Arguments::Symbolic, Arguments::AtMost(1), Arguments::Initial, Arguments::Explicit] {
        settings.push(SatOptions { arguments, ..default.clone() });
        settings.push(SatOptions { arguments, prune: false, ..default.clone() });
    }
    settings.push(SatOptions { arguments: Arguments::Initial, ..paper });
    settings.push(SatOptions { blocks: Blocks::Labels, incremental: false, slice: false, ..default });
    settings
}

/// Whether the goal is reachable, according to the engine; nothing if a limit was met.
fn reachable(name: &str, flow: &Flow, goal: &Goal, options: &SatOptions) -> Option<bool> {
    match check(flow, goal, options, &Budget::unlimited()).answer {
        Answer::Reachable(trace) => {
            let trace = trace.unwrap_or_else(|| panic!("{name}: no trace"));
            replay(flow, &trace, goal).unwrap_or_else(|e| panic!("{name}: {e}"));
            Some(true)
        }
        Answer::Unreachable => Some(false),
        Answer::Unknown(Reason::Unsupported(_)) => None,
        Answer::Unknown(reason) => panic!("{name}: {reason:?} with {options:?}"),
    }
}

fn check_equations(text: &str, options: &SatOptions, expected: Expect) {
    let text = equations(&flow(text), &Goal::Assertion, options, &Budget::unlimited());
    expected.assert_eq(&text.unwrap_or_default());
}

const PROGRAM_0: &str = "var x, y;
A: x := true; goto B;
B: assert x; x := x ∧ y; goto B or C;
C:";

const FOOTNOTE_4: &str = "var k;
J: goto L or M;
L: k := true; goto M;
M: assert k; goto M;";

#[test]
fn program_0_has_the_equations_of_the_paper() {
    check_equations(
        PROGRAM_0,
        &SatOptions::paper(),
        expect![[r#"
        A(x, y)#0 = B(true, y)#1
        B(true, y)#1 = B(y, y)#2 ∧ C(y, y)#3
        B(y, y)#2 = y ∧ B(y, y)#4 ∧ C(y, y)#3
        C(y, y)#3 = true
        B(y, y)#4 = true  (fixpoint)
    "#]],
    );
    check_equations(
        PROGRAM_0,
        &SatOptions::default(),
        expect![[r#"
        A(y)#0 = B(true, y)#1
        B(true, y)#1 = B(y, y)#2
        B(y, y)#2 = y ∧ B(y, y)#3
        B(y, y)#3 = true  (fixpoint)
    "#]],
    );
}

#[test]
fn program_0_with_explicit_arguments() {
    check_equations(
        PROGRAM_0,
        &SatOptions { arguments: Arguments::Initial, ..SatOptions::paper() },
        expect![[r#"
            A(x, y)#0 = B(true, y)#1
            B(true, y)#1 = B(y, y)#2 ∧ C(y, y)#3
            B(y, y)#2 = (¬y ⇒ B(false, y)#4) ∧ (y ⇒ B(true, y)#5)
            C(y, y)#3 = (¬y ⇒ C(false, y)#6) ∧ (y ⇒ C(true, y)#7)
            B(false, y)#4 = false
            B(true, y)#5 = true  (fixpoint)
            C(false, y)#6 = true
            C(true, y)#7 = true
        "#]],
    );
    check_equations(
        PROGRAM_0,
        &SatOptions { arguments: Arguments::Explicit, ..SatOptions::paper() },
        expect![[r#"
            A(x, y)#0 = (¬x ⇒ A(false, y)#1) ∧ (x ⇒ A(true, y)#2)
            A(false, y)#1 = (¬y ⇒ A(false, false)#3) ∧ (y ⇒ A(false, true)#4)
            A(true, y)#2 = (¬y ⇒ A(true, false)#5) ∧ (y ⇒ A(true, true)#6)
            A(false, false)#3 = B(true, false)#7
            A(false, true)#4 = B(true, true)#8
            A(true, false)#5 = B(true, false)#7
            A(true, true)#6 = B(true, true)#8
            B(true, false)#7 = B(false, false)#9 ∧ C(false, false)#10
            B(true, true)#8 = B(true, true)#11 ∧ C(true, true)#12
            B(false, false)#9 = false
            C(false, false)#10 = true
            B(true, true)#11 = true  (fixpoint)
            C(true, true)#12 = true
        "#]],
    );
}

#[test]
fn footnote_4_has_the_equations_of_the_paper() {
    check_equations(
        FOOTNOTE_4,
        &SatOptions::paper(),
        expect![[r#"
        J(k)#0 = L(k)#1 ∧ M(k)#2
        L(k)#1 = M(true)#3
        M(k)#2 = k ∧ M(k)#4
        M(true)#3 = M(true)#5
        M(k)#4 = true  (fixpoint)
        M(true)#5 = true  (fixpoint)
    "#]],
    );
}

#[test]
fn program_0_goes_wrong_in_the_second_round() {
    let flow = flow(PROGRAM_0);
    let report = check(&flow, &Goal::Assertion, &SatOptions::paper(), &Budget::unlimited());
    let Answer::Reachable(Some(trace)) = &report.answer else { panic!("{:?}", report.answer) };
    expect![[r#"
        start in main  x=0 y=0
        2: x := T;  x=1
        2: goto B;
        3: assert(x);  holds
        3: x := x & y;  x=0
        3: goto B, C;
        3: assert(x);  fails
    "#]]
    .assert_eq(&trace.display(&flow).to_string());
    let stats: Vec<String> = report.stats.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    expect![[r#"
        blocks: 3
        blocks met: 3
        global variables: 2
        variables per block: 2.0
        function terms: 4
        triples: 5
        fixpoint triples: 1
        copies of procedures: 1
        clauses: 6
        solver calls: 1
        solver calls to cut: 0
    "#]]
    .assert_eq(&stats.concat());
}

#[test]
fn benchmarks_have_the_expected_verdict() {
    let Some(folder) = hardbop_testkit::bench_folder("boolean") else { return };
    let tasks = fs::read_to_string(folder.join("tasks.csv")).expect("tasks.csv");
    for task in tasks.lines().skip(1) {
        let fields: Vec<&str> = task.split(',').collect();
        let flow = flow(&fs::read_to_string(folder.join(fields[0])).expect(fields[0]));
        let goal = match fields[2].strip_prefix("-l ") {
            Some(label) => Goal::Label(label.to_owned()),
            None => Goal::Assertion,
        };
        for options in settings() {
            let found = reachable(fields[0], &flow, &goal, &options);
            assert_eq!(found, Some(fields[1] == "false"), "{} with {options:?}", fields[0]);
        }
    }
}

#[test]
fn tiny_programs_agree_with_the_reference() {
    let (mut decided, settings) = (0, settings());
    for (i, text) in tiny(2).enumerate() {
        let flow = flow(&text);
        let expected = explore(&flow, &Goal::Assertion, 3).is_some();
        for options in [&settings[0], &settings[i % settings.len()]] {
            if let Some(found) = reachable(&text, &flow, &Goal::Assertion, options) {
                assert_eq!(found, expected, "{text}\n{options:?}");
                decided += 1;
            }
        }
    }
    assert!(decided > 4096, "{decided}");
}

/// Compares random programs with the reference, in all settings.
fn check_random(options: &boolean::BooleanOptions, seeds: std::ops::Range<u64>) {
    let (mut failing, mut limited) = (0, 0);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let program = random(seed, options);
        let flow = resolve(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{program}"));
        let name = format!("seed {seed}\n{program}");
        let expected = explore(&flow, &Goal::Assertion, 4).is_some();
        failing += u64::from(expected);
        for settings in settings() {
            match reachable(&name, &flow, &Goal::Assertion, &settings) {
                Some(found) => assert_eq!(found, expected, "{name}\n{settings:?}"),
                None => {
                    assert!(!settings.prune, "{name}\n{settings:?}");
                    limited += 1;
                }
            }
        }
    }
    assert!(failing * 10 > count && failing * 10 < 9 * count, "{failing} of {count} programs fail");
    assert!(limited * 10 < count, "{limited} of {count} programs met a limit");
}

#[test]
fn random_programs_agree_with_the_reference() {
    check_random(&boolean::BooleanOptions { recursion: false, ..Default::default() }, 0..600);
}

fn loops() -> boolean::BooleanOptions {
    boolean::BooleanOptions {
        procedures: 0,
        globals: 3,
        locals: 1,
        statements: 6,
        nesting: 3,
        recursion: false,
        ..Default::default()
    }
}

#[test]
fn random_loops_agree_with_the_reference() {
    check_random(&loops(), 0..400);
}

/// Here all conditions are symbolic.
#[test]
fn random_loops_without_choices_agree_with_the_reference() {
    check_random(&boolean::BooleanOptions { choice: false, constrain: false, ..loops() }, 0..400);
}

/// More initial values than are sampled exhaustively.
#[test]
fn random_loops_over_many_variables_agree_with_the_reference() {
    check_random(&boolean::BooleanOptions { globals: 6, locals: 3, choice: false, ..loops() }, 0..100);
}

/// `B` is met with the same arguments in the first round where `y` holds and in the second where it
/// does not. Sharing the first occurrence, which lies on no path to the second, would miss the error.
#[test]
fn a_term_met_again_in_other_initial_states_is_no_fixpoint() {
    let text = "decl c, y;
        void main() begin
          c := F;
          A: if (c) then goto B; fi
          if (y) then c := T; goto B; fi
          c := T; goto A;
          B: assert(y); goto A;
        end";
    for options in settings() {
        assert_eq!(reachable(text, &flow(text), &Goal::Assertion, &options), Some(true), "{options:?}");
        let correct = text.replace("assert(y)", "assert(c)");
        assert_eq!(reachable(text, &flow(&correct), &Goal::Assertion, &options), Some(false), "{options:?}");
    }
}

/// Programs that grow with a number, decided by default in a moment.
fn check_family(text: &str, expected: bool, most_terms: usize) {
    let options = SatOptions::default();
    let report = check(&flow(text), &Goal::Assertion, &options, &Budget::unlimited());
    assert_eq!(matches!(report.answer, Answer::Reachable(Some(_))), expected, "{:?}\n{text}", report.answer);
    assert_eq!(report.answer == Answer::Unreachable, !expected, "{:?}\n{text}", report.answer);
    let terms = report.stats.iter().find(|(name, _)| *name == "function terms");
    let terms: usize = terms.and_then(|(_, value)| value.parse().ok()).unwrap_or(usize::MAX);
    assert!(terms <= most_terms, "{terms} terms\n{text}");
}

/// Full inlining would make two to the number of levels copies; runs get to few of them.
#[test]
fn calls_are_inlined_where_runs_get_to() {
    let levels = 60;
    let mut text = "decl g;\n".to_owned();
    for level in 1..=levels {
        let next = format!("level{}();", level + 1);
        let calls = if level == levels { "skip;".to_owned() } else { next.repeat(2) };
        text += &format!(
            "void level{level}() begin decl a, b;
              if (g) then a, b := F, F; while (!a | !b) do a, b := !a, a ^ b; od else {calls} fi
              g := !g; end\n"
        );
    }
    check_family(
        &format!("{text} void main() begin g := T; level1(); level1(); assert(g); end"),
        false,
        1_000,
    );
    check_family(&format!("{text} void main() begin g := T; level1(); assert(g); end"), true, 1_000);
}

#[test]
fn symbolic_arguments_keep_wide_loops_small() {
    let half = 15;
    let names: Vec<String> = (0..half).map(|i| format!("a{i}, b{i}")).collect();
    let equal: Vec<String> = (0..half).map(|i| format!("(a{i} = b{i})")).collect();
    let steps: Vec<String> =
        (0..half).map(|i| format!("a{i}, b{i} := a{i} & a{j}, b{i} & b{j};", j = (i + 1) % half)).collect();
    let text = format!(
        "decl {}; void main() begin assume({}); while (*) do {} od assert(a0 = b0); end",
        names.join(", "),
        equal.join(" & "),
        steps.join(" ")
    );
    check_family(&text, false, 100);
    check_family(&text.replace("assert(a0 = b0)", "assert(a0 | !b1)"), true, 100);
}

/// All values are chosen anew in each round; most of them are never looked at.
#[test]
fn values_are_chosen_when_they_are_read() {
    let names: Vec<String> = (0..30).map(|i| format!("v{i}")).collect();
    let text = format!(
        "decl {names}; void main() begin while (*) do dead {names}; od assert(v3 | v7 | !v11); end",
        names = names.join(", ")
    );
    check_family(&text, true, 20);
    check_family(&text.replace("!v11", "!v3"), false, 20);
}

#[test]
fn recursion_is_not_supported() {
    let flow = flow("void main() begin main(); assert(F); end");
    let report = check(&flow, &Goal::Assertion, &SatOptions::default(), &Budget::unlimited());
    assert!(matches!(report.answer, Answer::Unknown(Reason::Unsupported(_))), "{:?}", report.answer);
}

#[test]
fn limits_end_in_unknown() {
    let text = "decl a, b, c; void f() begin L: a := !a; goto L, M; M: skip; end
        void main() begin f(); f(); assert(a = b | c); end";
    let flow = flow(text);
    let answer =
        |options: &SatOptions, budget: &Budget| check(&flow, &Goal::Assertion, options, budget).answer;
    let few_copies = SatOptions { copies: 2, ..SatOptions::default() };
    let unknown = answer(&few_copies, &Budget::unlimited());
    assert!(matches!(unknown, Answer::Unknown(Reason::Unsupported(_))), "{unknown:?}");
    let spent = Budget::unlimited();
    spent.stop(Stop::Time);
    assert_eq!(answer(&SatOptions::default(), &spent), Answer::Unknown(Reason::Stopped(Stop::Time)));
}
