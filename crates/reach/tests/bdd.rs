//! The BDD engine against the reference explorer: same answers, traces as short, all of them replayed,
//! and invariants that hold exactly the states that can be reached.
//!
//! `HARDBOP_RANDOM=20000 cargo test --release -p hardbop-reach --test bdd` tries more random programs.

use std::collections::HashSet;
use std::fs;

use expect_test::expect;
use hardbop_base::{Budget, Id, Stop};
use hardbop_bp::{Flow, Goal, State, VarKind, load, replay, resolve};
use hardbop_reach::bdd::{BddOptions, Heuristic, check};
use hardbop_reach::{Answer, Invariant, Reason, Report, Slot};
use hardbop_testkit::boolean::{self, explore, families, path_edges, random, tiny};

fn flow(text: &str) -> Flow {
    load(text, Id::from_usize(0)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn run(flow: &Flow, goal: &Goal, options: &BddOptions) -> Report {
    check(flow, goal, options, &Budget::unlimited())
}

fn with_trace() -> BddOptions {
    BddOptions { trace: true, ..BddOptions::default() }
}

fn with_invariants() -> BddOptions {
    BddOptions { invariants: true, ..BddOptions::default() }
}

/// How many random programs to try.
fn seeds(default: u64) -> std::ops::Range<u64> {
    0..std::env::var("HARDBOP_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Traces that need not be short still replay.
fn finds_some_trace(name: &str, flow: &Flow, goal: &Goal, expected: &Answer) {
    let options = BddOptions { shortest: false, ..with_trace() };
    match (run(flow, goal, &options).answer, expected) {
        (Answer::Reachable(Some(trace)), Answer::Reachable(_)) => {
            replay(flow, &trace, goal).unwrap_or_else(|e| panic!("{name}: {e}\n{}", trace.display(flow)));
        }
        (Answer::Unreachable, Answer::Unreachable) => {}
        (answer, _) => panic!("{name}: {answer:?}"),
    }
}

/// Compares with the explorer, which sees only runs of at most `max_depth` open calls.
fn agrees(name: &str, flow: &Flow, goal: &Goal, max_depth: usize) {
    let expected = explore(flow, goal, max_depth);
    let fast = run(flow, goal, &BddOptions::default());
    finds_some_trace(name, flow, goal, &fast.answer);
    match run(flow, goal, &with_trace()).answer {
        Answer::Reachable(Some(trace)) => {
            assert_eq!(fast.answer, Answer::Reachable(None), "{name}");
            replay(flow, &trace, goal).unwrap_or_else(|e| panic!("{name}: {e}\n{}", trace.display(flow)));
            let depth = trace.steps.iter().map(|step| step.state.depth).max().unwrap_or(0);
            match expected {
                Some(expected) if depth <= max_depth => {
                    assert_eq!(trace.len(), expected.len(), "{name}\n{}", trace.display(flow));
                }
                Some(expected) => assert!(trace.len() <= expected.len(), "{name}\n{}", trace.display(flow)),
                None => assert!(depth > max_depth, "{name}: no such run\n{}", trace.display(flow)),
            }
        }
        Answer::Unreachable => {
            assert_eq!(fast.answer, Answer::Unreachable, "{name}");
            assert!(expected.is_none(), "{name}: missed a run");
        }
        answer => panic!("{name}: {answer:?}"),
    }
}

/// All valuations of the slots of a location's relation.
fn pairs_of(flow: &Flow, invariant: &Invariant) -> HashSet<(Vec<bool>, State)> {
    let mut found = HashSet::new();
    for (&location, &node) in &invariant.locations {
        let procedure = flow.locations[location].procedure;
        let scope: Vec<_> = flow.scope(procedure).collect();
        let entry: Vec<_> = scope.iter().copied().filter(|&v| has_entry(flow, v)).collect();
        for bits in 0..1u32 << (scope.len() + entry.len()) {
            let bit = |i: usize| bits >> i & 1 == 1;
            let value = |slot: Slot| match slot {
                Slot::Now(v) => scope.iter().position(|&s| s == v).map(bit).expect("in scope"),
                Slot::Entry(v) => {
                    entry.iter().position(|&s| s == v).map(|i| bit(scope.len() + i)).expect("has an entry")
                }
            };
            if invariant.diagram.eval(node, value) {
                let now: Vec<bool> = (0..scope.len()).map(bit).collect();
                let (globals, locals) = now.split_at(flow.globals.len());
                let now = State { location, depth: 0, globals: globals.to_vec(), locals: locals.to_vec() };
                found.insert(((0..entry.len()).map(|i| bit(scope.len() + i)).collect(), now));
            }
        }
    }
    found
}

fn has_entry(flow: &Flow, variable: hardbop_bp::VarId) -> bool {
    matches!(flow.variables[variable].kind, VarKind::Global | VarKind::Formal)
}

/// Compares the invariant with the explorer; exact where all calls are within `max_depth`.
fn invariant_is_exact(name: &str, flow: &Flow, max_depth: usize, all_seen: bool) {
    let report = run(flow, &Goal::Assertion, &with_invariants());
    let invariant = report.invariant.unwrap_or_else(|| panic!("{name}: no invariant"));
    let actual = pairs_of(flow, &invariant);
    let expected: HashSet<(Vec<bool>, State)> = path_edges(flow, max_depth)
        .into_iter()
        .map(|(entry, now)| {
            let procedure = flow.locations[now.location].procedure;
            let kept = flow.scope(procedure).filter(|&v| has_entry(flow, v));
            (kept.map(|v| entry.value(flow, v)).collect(), now)
        })
        .collect();
    if all_seen {
        assert!(actual.is_subset(&expected), "{name}: {:?}", actual.difference(&expected).next());
    }
    assert!(expected.is_subset(&actual), "{name}: {:?}", expected.difference(&actual).next());
    for (id, procedure) in flow.procedures.iter() {
        let exits = invariant.locations.contains_key(&procedure.exit);
        assert_eq!(invariant.summaries.contains_key(&id), exits, "{name}: {}", procedure.name);
    }
}

#[test]
fn tiny_programs() {
    for (i, text) in tiny(2).enumerate() {
        agrees(&format!("tiny {i}\n{text}"), &flow(&text), &Goal::Assertion, 3);
    }
}

#[test]
fn tiny_invariants() {
    for (i, text) in tiny(1).enumerate() {
        // Those bodies of `f` that call `f` are recursive.
        let recursive =
            text.matches("f(").count() > 2 || text.contains("g := f(!x)") || text.contains("f(g)");
        invariant_is_exact(&format!("tiny {i}\n{text}"), &flow(&text), 3, !recursive);
    }
}

#[test]
fn random_programs() {
    let options =
        boolean::BooleanOptions { globals: 2, locals: 1, formals: 1, ..boolean::BooleanOptions::default() };
    for seed in seeds(600) {
        let program = random(seed, &options);
        let flow = resolve(&program).expect("a valid program");
        agrees(&format!("seed {seed}\n{program}"), &flow, &Goal::Assertion, 2);
    }
}

#[test]
fn random_programs_with_more_results_and_globals() {
    let options = boolean::BooleanOptions {
        globals: 3,
        locals: 1,
        recursion: false,
        ..boolean::BooleanOptions::default()
    };
    for seed in seeds(200) {
        let program = random(seed + 1_000_000, &options);
        let flow = resolve(&program).expect("a valid program");
        agrees(&format!("seed {seed}\n{program}"), &flow, &Goal::Assertion, 3);
    }
}

#[test]
fn random_invariants() {
    let options = boolean::BooleanOptions {
        globals: 2,
        locals: 1,
        formals: 1,
        results: 1,
        recursion: false,
        ..boolean::BooleanOptions::default()
    };
    for seed in seeds(100) {
        let program = random(seed + 2_000_000, &options);
        let flow = resolve(&program).expect("a valid program");
        invariant_is_exact(&format!("seed {seed}\n{program}"), &flow, 3, true);
    }
}

#[test]
fn labels_are_goals() {
    let options =
        boolean::BooleanOptions { globals: 2, locals: 1, formals: 1, ..boolean::BooleanOptions::default() };
    for seed in seeds(100) {
        let program = random(seed + 3_000_000, &options);
        let flow = resolve(&program).expect("a valid program");
        for label in ["L0", "L1", "L2"] {
            agrees(&format!("seed {seed} {label}\n{program}"), &flow, &Goal::Label(label.to_owned()), 2);
        }
    }
}

#[test]
fn benchmarks() {
    let Some(folder) = hardbop_testkit::bench_folder("boolean") else { return };
    let tasks = fs::read_to_string(folder.join("tasks.csv")).expect("tasks.csv");
    for task in tasks.lines().skip(1) {
        let fields: Vec<&str> = task.split(',').collect();
        let flow = flow(&fs::read_to_string(folder.join(fields[0])).expect(fields[0]));
        let goal = match fields[2].strip_prefix("-l ") {
            Some(label) => Goal::Label(label.to_owned()),
            None => Goal::Assertion,
        };
        let reachable = matches!(run(&flow, &goal, &BddOptions::default()).answer, Answer::Reachable(_));
        assert_eq!(reachable, fields[1] == "false", "{}", fields[0]);
        agrees(fields[0], &flow, &goal, 4);
    }
}

#[test]
fn families_have_their_verdicts() {
    let cases = |safe| {
        [
            families::level_family(30, safe),
            families::dense_family(12, 40, safe),
            families::chain_family(300, 5, safe),
            families::recursion_family(5, safe),
        ]
    };
    for safe in [true, false] {
        for text in cases(safe) {
            let flow = flow(&text);
            for order in [Heuristic::Force, Heuristic::Declared, Heuristic::Shuffled] {
                let report = run(&flow, &Goal::Assertion, &BddOptions { order, ..with_trace() });
                assert_eq!(report.answer == Answer::Unreachable, safe, "{text}\n{:?}", report.answer);
                assert_eq!(matches!(report.answer, Answer::Reachable(Some(_))), !safe, "{:?}", report.answer);
            }
        }
    }
}

#[test]
fn limits_are_kept() {
    let flow = flow(&families::dense_family(30, 200, true));
    let budget = Budget::unlimited();
    budget.stop(Stop::Time);
    let report = check(&flow, &Goal::Assertion, &BddOptions::default(), &budget);
    assert_eq!(report.answer, Answer::Unknown(Reason::Stopped(Stop::Time)));
    for node_capacity in [0, 1, 50, 300] {
        let report = run(&flow, &Goal::Assertion, &BddOptions { node_capacity, ..BddOptions::default() });
        assert_eq!(report.answer, Answer::Unknown(Reason::Nodes(node_capacity)), "{node_capacity}");
    }
}

/// The program of Fig. 5 of the paper on boolean programs, as its text describes it.
const FIGURE_5: &str = "decl g;
void main() begin
  1: A(g);
  2: skip;
  3: B(!g);
  4: skip;
end
void A(a) begin
  5: C(a);
  6: skip;
  7: return;
end
void B(b) begin
  8: C(!b);
  9: skip;
  10: return;
end
void C(c) begin
  11: if (c) then 12: skip; else 13: g := !g; fi
  14: return;
end
";

/// Label 12 can be reached at once where `g` starts true; from `g` false, as the figure has it, only in
/// the second call of `C`.
#[test]
fn figure_5() {
    let goal = Goal::Label("12".to_owned());
    agrees("figure 5", &flow(FIGURE_5), &goal, 4);
    let from_false = flow(&FIGURE_5.replace("  1: A(g);", "  assume(!g);\n  1: A(g);"));
    let Answer::Reachable(Some(trace)) = run(&from_false, &goal, &with_trace()).answer else {
        panic!("label 12 is reachable");
    };
    expect![[r#"
        start in main  g=0
        3: assume(!g);
        4: A(g);  enter A  a=0
          10: C(a);  enter C  c=0
            20: if (c)  fails
            20: g := !g;  g=1
            21: return;
          10: return to A  g=1
          11: skip;
          12: return;
        4: return to main  g=1
        5: skip;
        6: B(!g);  enter B  b=0
          15: C(!b);  enter C  c=1
            20: if (c)  holds
    "#]]
    .assert_eq(&trace.display(&from_false).to_string());
}

/// Untouched globals, dead values and recursion of `main` meet in one trace.
#[test]
fn traces_show_all_values() {
    let from = |text: &str| {
        let flow = flow(text);
        agrees(text, &flow, &Goal::Assertion, 4);
    };
    from(
        "decl g, h, k;
        bool f(x) begin decl d; d := x; d := *; x := !x; return x; end
        void main() begin decl a; k := T; a := f(h); h := *; h, g := g, a constrain 'h != 'g;
          if (*) then main(); fi assert(k & (a | !g)); end",
    );
    from(
        "decl g;
        void main() begin decl a, b; a, b := *, * constrain 'a = 'b; b := !a; assert(b); end",
    );
}

/// The second entry of `p` is found when rings of the first are made already; its rings start over at
/// zero and must not contain the others.
#[test]
fn late_entries_start_over() {
    let text = "decl g, h;
        void main() begin
          decl a;
          while (a) do
            if ((a & T) ^ !(!a => !a)) then if (!h) then L: p(*); fi skip; fi
            goto L;
          od
        end
        void p(x) begin
          decl b;
          if (x) then assume(!x != T); fi
          assert(x | g | !h);
          if (b & T) then skip; fi
          assert(b | g);
        end";
    agrees(text, &flow(text), &Goal::Assertion, 4);
}
