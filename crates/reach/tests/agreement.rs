//! The engines against each other and against the reference explorer of the test kit: benchmarks, all
//! programs of a tiny shape, and random ones.
//!
//! `HARDBOP_RANDOM` is the number of random programs: 2,000 unless set; long runs take 20,000 or more.

use std::collections::BTreeSet;
use std::fs;

use hardbop_base::{Budget, Id};
use hardbop_bp::{Flow, Goal, LocId, VarId, VarKind, load, replay, resolve};
use hardbop_reach::explicit::{self, Focus, Values};
use hardbop_reach::{Answer, Invariant, NodeId, Reason, Report, Slot, bdd, sat};
use hardbop_testkit::boolean::{BooleanOptions, explore, random, tiny};

/// An engine under test.
struct Engine {
    name: &'static str,
    check: fn(&Flow, &Goal) -> Report,
    /// Whether its traces are shortest.
    shortest: bool,
}

/// The engines that must give the right answer wherever they give one.
fn engines() -> Vec<Engine> {
    vec![
        Engine {
            name: "explicit",
            check: |flow, goal| explicitly(flow, goal, Values::Choice),
            shortest: true,
        },
        Engine { name: "bdd", check: by_bdd, shortest: true },
        Engine { name: "sat", check: by_sat, shortest: false },
    ]
}

fn by_bdd(flow: &Flow, goal: &Goal) -> Report {
    let options = bdd::BddOptions { trace: true, invariants: true, ..Default::default() };
    bdd::check(flow, goal, &options, &Budget::unlimited())
}

fn by_sat(flow: &Flow, goal: &Goal) -> Report {
    sat::check(flow, goal, &sat::SatOptions::default(), &Budget::unlimited())
}

fn explicitly(flow: &Flow, goal: &Goal, values: Values) -> Report {
    let options = explicit::ExplicitOptions { values, trace: true, invariants: true, ..Default::default() };
    explicit::check(flow, goal, &options, &Budget::unlimited())
}

/// Whether the goal is reachable; `None` if the engine does not handle the program. Traces must replay.
fn verdict(name: &str, flow: &Flow, goal: &Goal, engine: &str, report: &Report) -> Option<bool> {
    match &report.answer {
        Answer::Reachable(trace) => {
            if let Some(trace) = trace {
                replay(flow, trace, goal)
                    .unwrap_or_else(|e| panic!("{engine}: {e}\n{name}\n{}", trace.display(flow)));
            }
            Some(true)
        }
        Answer::Unreachable => Some(false),
        Answer::Unknown(Reason::Unsupported(_)) => None,
        Answer::Unknown(reason) => panic!("{engine}: {reason:?}\n{name}"),
    }
}

/// The states of each location that can be reached, over globals, formals and locals.
type States = Vec<BTreeSet<Vec<bool>>>;

fn states(flow: &Flow, invariant: &Invariant) -> States {
    flow.locations
        .ids()
        .map(|location| match invariant.locations.get(&location) {
            Some(&node) => states_at(flow, invariant, location, node),
            None => BTreeSet::new(),
        })
        .collect()
}

fn states_at(flow: &Flow, invariant: &Invariant, location: LocId, node: NodeId) -> BTreeSet<Vec<bool>> {
    let scope: Vec<VarId> = flow
        .scope(flow.locations[location].procedure)
        .filter(|&variable| flow.variables[variable].kind != VarKind::Result)
        .collect();
    let mut found = BTreeSet::new();
    for cube in invariant.diagram.cubes(node) {
        let value = |variable| cube.iter().find(|(slot, _)| *slot == Slot::Now(variable)).map(|(_, v)| *v);
        let fixed: Vec<Option<bool>> = scope.iter().map(|&variable| value(variable)).collect();
        found.extend((0..1u32 << scope.len()).filter_map(|bits| {
            let state: Vec<bool> = (0..scope.len()).map(|i| bits >> i & 1 == 1).collect();
            state.iter().zip(&fixed).all(|(v, fixed)| fixed.is_none_or(|f| f == *v)).then_some(state)
        }));
    }
    found
}

fn includes(large: &States, small: &States) -> bool {
    large.iter().zip(small).all(|(large, small)| large.is_superset(small))
}

/// All engines and all value semantics on one program.
fn check(name: &str, flow: &Flow, goal: &Goal) -> bool {
    let reference = explicitly(flow, goal, Values::Choice);
    let expected = verdict(name, flow, goal, "choice", &reference).expect("choice handles everything");
    let expected_states = states(flow, reference.invariant.as_ref().expect("the states"));
    let length = |report: &Report| match &report.answer {
        Answer::Reachable(trace) => trace.as_ref().map(|trace| trace.len()),
        _ => None,
    };
    for engine in engines() {
        let report = (engine.check)(flow, goal);
        let Some(found) = verdict(name, flow, goal, engine.name, &report) else { continue };
        assert_eq!(found, expected, "{}\n{name}", engine.name);
        if engine.shortest {
            assert_eq!(length(&report), length(&reference), "{}\n{name}", engine.name);
        }
        if let Some(invariant) = &report.invariant {
            assert!(states(flow, invariant) == expected_states, "{}\n{name}", engine.name);
        }
    }
    let abstractly = |values: Values| {
        let report = explicitly(flow, goal, values.clone());
        let found = verdict(name, flow, goal, "abstract", &report).expect("an answer");
        let states = states(flow, report.invariant.as_ref().expect("the states"));
        assert!(found || !expected, "{values:?} misses an error\n{name}");
        assert!(includes(&states, &expected_states), "{values:?} misses a state\n{name}");
        (found, states)
    };
    abstractly(Values::Kleene);
    let (joined, joined_states) = abstractly(Values::Trivector);
    let (set, set_states) = abstractly(Values::TrivectorSet(Focus::None));
    assert!(joined || !set, "sets of trivectors are not coarser than one\n{name}");
    assert!(includes(&joined_states, &set_states), "sets of trivectors are not coarser than one\n{name}");
    abstractly(Values::TrivectorSet(Focus::Variables(flow.globals.clone())));
    let (focused, focused_states) = abstractly(Values::TrivectorSet(Focus::Total));
    assert_eq!(focused, expected, "total focus is exact\n{name}");
    assert!(focused_states == expected_states, "total focus is exact\n{name}");
    expected
}

#[test]
fn benchmarks() {
    let Some(folder) = hardbop_testkit::bench_folder("boolean") else { return };
    let tasks = fs::read_to_string(folder.join("tasks.csv")).expect("tasks.csv");
    for task in tasks.lines().skip(1) {
        let fields: Vec<&str> = task.split(',').collect();
        let text = fs::read_to_string(folder.join(fields[0])).expect(fields[0]);
        let flow = load(&text, Id::from_usize(0)).unwrap_or_else(|e| panic!("{}: {e:?}", fields[0]));
        let goal = match fields[2].strip_prefix("-l ") {
            Some(label) => Goal::Label(label.to_owned()),
            None => Goal::Assertion,
        };
        assert_eq!(check(fields[0], &flow, &goal), fields[1] == "false", "{}", fields[0]);
    }
}

#[test]
fn all_tiny_programs() {
    for text in tiny(2) {
        let flow = load(&text, Id::from_usize(0)).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let found = check(&text, &flow, &Goal::Assertion);
        check_against_explorer(&text, &flow, found);
    }
}

/// The explorer has a bound on open calls: within it, verdicts and lengths of traces are the same.
fn check_against_explorer(name: &str, flow: &Flow, found: bool) {
    const DEPTH: usize = 3;
    let explored = explore(flow, &Goal::Assertion, DEPTH);
    assert!(found || explored.is_none(), "the explorer finds an error\n{name}");
    let Answer::Reachable(Some(trace)) = explicitly(flow, &Goal::Assertion, Values::Choice).answer else {
        assert!(!found, "no trace\n{name}");
        return;
    };
    let depth = trace.steps.iter().map(|step| step.state.depth).max().unwrap_or(0);
    let length = explored.map(|explored| explored.len());
    if depth <= DEPTH {
        assert_eq!(length, Some(trace.len()), "the shortest traces differ in length\n{name}");
    } else {
        assert!(length.is_none_or(|length| trace.len() <= length), "a shorter trace exists\n{name}");
    }
}

fn random_count() -> u64 {
    std::env::var("HARDBOP_RANDOM").ok().and_then(|count| count.parse().ok()).unwrap_or(2_000)
}

/// Three shapes, so that deep calls, wide scopes and long bodies all occur.
fn shape(seed: u64) -> BooleanOptions {
    let small = BooleanOptions { globals: 2, locals: 1, formals: 1, ..BooleanOptions::default() };
    match seed % 4 {
        0 => BooleanOptions { globals: 1, procedures: 4, ..small },
        1 => BooleanOptions { statements: 7, nesting: 3, results: 1, ..small },
        2 => BooleanOptions { locals: 2, formals: 2, ..small },
        _ => small,
    }
}

#[test]
fn random_programs() {
    let mut failing = 0;
    for seed in 0..random_count() {
        let program = random(seed, &shape(seed));
        let flow = resolve(&program).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        let name = format!("seed {seed}\n{program}");
        failing += u64::from(check(&name, &flow, &Goal::Assertion));
    }
    let count = random_count();
    assert!(failing > count / 10 && failing < count - count / 10, "{failing} of {count} programs fail");
}

#[test]
fn random_programs_against_the_explorer() {
    for seed in 0..random_count() / 4 {
        let options =
            BooleanOptions { globals: 2, procedures: 1, locals: 1, formals: 1, ..BooleanOptions::default() };
        let program = random(seed, &options);
        let flow = resolve(&program).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        let report = explicitly(&flow, &Goal::Assertion, Values::Choice);
        let found = matches!(report.answer, Answer::Reachable(_));
        check_against_explorer(&format!("seed {seed}\n{program}"), &flow, found);
    }
}

/// Labels in the middle of procedures, too, not only failing assertions.
#[test]
fn random_labels() {
    for seed in 0..random_count() / 4 {
        let program = random(seed, &shape(seed));
        let flow = resolve(&program).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        let labels = flow.locations.values().flat_map(|location| &location.labels);
        for label in labels.collect::<BTreeSet<_>>().into_iter().take(2) {
            check(&format!("seed {seed}, {label}\n{program}"), &flow, &Goal::Label(label.clone()));
        }
    }
}
