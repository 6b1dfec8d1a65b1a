//! Boolean programs end to end: benchmarks, random and tiny programs are printed and read back,
//! verified, explored, and every trace found must replay.

use std::fs;

use hardbop_base::Id;
use hardbop_bp::{Goal, Program, load, parse, replay, resolve};
use hardbop_testkit::boolean::{BooleanOptions, explore, random, tiny};

fn read(name: &str, text: &str) -> Program {
    let (program, errors) = parse(text, Id::from_usize(0));
    assert!(errors.is_empty(), "{name}: {errors:?}\n{text}");
    program
}

fn check_roundtrip(name: &str, program: &Program) {
    let printed = program.to_string();
    let again = read(name, &printed);
    assert_eq!(program, &again, "{name}\n{printed}");
    assert_eq!(printed, again.to_string(), "{name}");
}

/// Whether the goal is reachable with few open calls.
fn reachable(name: &str, program: &Program, goal: &Goal, max_depth: usize) -> bool {
    let flow = resolve(program).unwrap_or_else(|errors| panic!("{name}: {errors:?}\n{program}"));
    let trace = explore(&flow, goal, max_depth);
    if let Some(trace) = &trace {
        replay(&flow, trace, goal)
            .unwrap_or_else(|e| panic!("{name}: {e}\n{program}\n{}", trace.display(&flow)));
    }
    trace.is_some()
}

#[test]
fn benchmarks_have_the_expected_verdict() {
    let Some(folder) = hardbop_testkit::bench_folder("boolean") else { return };
    let tasks = fs::read_to_string(folder.join("tasks.csv")).expect("tasks.csv");
    for task in tasks.lines().skip(1) {
        let fields: Vec<&str> = task.split(',').collect();
        let text = fs::read_to_string(folder.join(fields[0])).expect(fields[0]);
        let program = read(fields[0], &text);
        check_roundtrip(fields[0], &program);
        let goal = match fields[2].strip_prefix("-l ") {
            Some(label) => Goal::Label(label.to_owned()),
            None => Goal::Assertion,
        };
        assert_eq!(reachable(fields[0], &program, &goal, 4), fields[1] == "false", "{}", fields[0]);
    }
}

#[test]
fn random_programs_are_valid_and_survive_printing() {
    let large = BooleanOptions {
        globals: 6,
        procedures: 5,
        locals: 5,
        statements: 6,
        nesting: 4,
        ..BooleanOptions::default()
    };
    for (options, seeds) in [(BooleanOptions::default(), 0..2_000), (large, 0..200)] {
        for seed in seeds {
            let program = random(seed, &options);
            let name = format!("seed {seed}");
            check_roundtrip(&name, &program);
            resolve(&program).unwrap_or_else(|errors| panic!("{name}: {errors:?}\n{program}"));
        }
    }
}

#[test]
fn random_programs_without_recursion_have_none() {
    let options = BooleanOptions { recursion: false, procedures: 4, ..BooleanOptions::default() };
    for seed in 0..500 {
        let flow = resolve(&random(seed, &options)).expect("a valid program");
        assert!(flow.bottom_up().is_some(), "seed {seed}");
    }
}

#[test]
fn random_programs_have_both_verdicts_and_their_traces_replay() {
    let options = BooleanOptions { globals: 2, locals: 1, formals: 1, ..BooleanOptions::default() };
    let failing = (0..400)
        .filter(|&seed| reachable(&format!("seed {seed}"), &random(seed, &options), &Goal::Assertion, 2))
        .count();
    assert!((100..300).contains(&failing), "{failing} of 400 programs fail");
}

#[test]
fn tiny_programs_are_valid_and_distinct() {
    let texts: Vec<String> = tiny(2).collect();
    assert_eq!(texts.len(), 16 * 16 * 16);
    for text in &texts {
        load(text, Id::from_usize(0)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    }
    let distinct: std::collections::HashSet<&String> = texts.iter().collect();
    assert_eq!(distinct.len(), texts.len());
}

#[test]
fn tiny_programs_have_both_verdicts_and_their_traces_replay() {
    let programs: Vec<Program> = tiny(1).map(|text| read(&text, &text)).collect();
    let failing = programs.iter().filter(|p| reachable("tiny", p, &Goal::Assertion, 3)).count();
    assert!(failing > 50 && failing < programs.len() - 50, "{failing} of {} programs fail", programs.len());
}
