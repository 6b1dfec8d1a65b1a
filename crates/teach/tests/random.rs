//! Random programs: they come back from their text, satisfy the verifier when lowered, and run as the
//! direct interpreter of syntax trees says.

mod common;

use std::collections::HashMap;

use common::{End, Reference};
use hardbop_base::Sources;
use hardbop_ir::interpret::{Interpreter, Limits, Outcome, Request, RunOptions, Source};
use hardbop_ir::testing::Random;
use hardbop_ir::{Program, Property, Undefined, verify};
use hardbop_teach::testing::{Size, random_program};
use hardbop_teach::{TeachOptions, ast, check, lower, parse};

fn lowered(program: &ast::Program, text: &str, error_labels: &[&str]) -> Program {
    let mut sources = Sources::new();
    sources.add("random.x", text);
    let error_labels = error_labels.iter().map(|&label| label.to_owned()).collect();
    let options = TeachOptions { error_labels, ..TeachOptions::default() };
    match lower(program, &sources, &options) {
        Ok(program) => program,
        Err(errors) => panic!("{}\n{text}", errors.render(&sources)),
    }
}

/// Small numbers, so that enumerations get values and conditions hold now and then.
fn inputs(seed: u64) -> impl FnMut(&Request<'_>) -> u128 {
    let mut random = Random::new(seed);
    move |request| match request.source {
        Source::Choice(_) => random.below(4) as u128,
        _ => match random.below(12) {
            0 => (random.below(9) as u128).wrapping_neg(),
            1 => u128::from(random.bits() >> 34),
            _ => random.below(3) as u128,
        },
    }
}

fn end_of(outcome: &Outcome) -> End {
    match outcome {
        Outcome::Returned(value) => End::Returned(*value),
        Outcome::Error { property: Property::Assertion(text), .. } => End::AssertionFailed(text.clone()),
        Outcome::Error { property: Property::ErrorLabel(label), .. } => End::LabelReached(label.clone()),
        Outcome::Blocked { .. } => End::Blocked,
        Outcome::Undefined { what: Undefined::DivisionByZero, .. } => End::DivisionByZero,
        Outcome::Unsupported { reason, .. } if reason.contains("more than 128 bits") => End::TooLarge,
        other => panic!("a run ends with {other:?}"),
    }
}

#[test]
fn programs_come_back_from_their_text() {
    for seed in 0..1000 {
        let size = Size { nesting: 2 + seed as usize % 4, ..Size::default() };
        let program = random_program(seed, size);
        assert!(!check(&program).has_errors(), "{seed}: {:?}\n{program}", check(&program));
        let text = program.to_string();
        let (again, errors) = parse(&text, hardbop_base::Id::from_usize(0));
        assert!(errors.is_empty(), "{seed}: {errors:?}\n{text}");
        assert!(again == program, "{seed}:\n{text}\n{again}");
        assert_eq!(again.to_string(), text, "{seed}");
    }
}

#[test]
fn lowered_programs_satisfy_the_verifier() {
    for seed in 0..1000 {
        let text = random_program(seed, Size::default()).to_string();
        let (program, _) = parse(&text, hardbop_base::Id::from_usize(0));
        let lowered = lowered(&program, &text, &[]);
        let violations: Vec<String> = verify(&lowered).iter().map(|v| v.show(&lowered)).collect();
        assert!(violations.is_empty(), "{seed}: {violations:#?}\n{text}");
        let printed = hardbop_ir::text::print(&lowered);
        let again = hardbop_ir::text::parse(hardbop_base::Id::from_usize(0), &printed);
        let again = again.unwrap_or_else(|errors| panic!("{seed}: {errors:?}\n{printed}"));
        assert_eq!(hardbop_ir::text::print(&again), printed, "{seed}");
    }
}

#[test]
fn runs_agree_with_the_tree() {
    let mut ends: HashMap<std::mem::Discriminant<End>, usize> = HashMap::new();
    let mut too_large_here_only = 0;
    for seed in 0..2000 {
        let program = random_program(seed, Size::default());
        let text = program.to_string();
        let labels: Vec<String> = (0..60).map(|n| format!("error{n}")).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let lowered = lowered(&program, &text, &labels);
        let interpreter = Interpreter::new(&lowered);
        for draw in 0..4 {
            let limits = Limits { steps: 1_000_000, ..Limits::default() };
            let options = RunOptions { limits, ..RunOptions::default() };
            let run = interpreter.run(&mut inputs(seed * 31 + draw), options);
            let end = end_of(&run.outcome);
            let (expected, left) = Reference::run(&program, "main", &labels, &run.draws);
            // Both operands of `&&` are evaluated if that is the only consequence.
            if end == End::TooLarge && expected != end {
                too_large_here_only += 1;
                continue;
            }
            *ends.entry(std::mem::discriminant(&expected)).or_default() += 1;
            // Its `?` are drawn before the operations of an expression, which may end the run.
            let stuck = matches!(expected, End::DivisionByZero | End::TooLarge);
            assert_eq!(end, expected, "{seed}, {draw}:\n{text}");
            assert!(left == 0 || stuck, "{seed}, {draw}: {left} values are left\n{text}");
        }
    }
    assert!(ends.len() >= 6, "all ends occur: {ends:?}");
    assert!(ends.values().all(|&n| n > 10), "and often: {ends:?}");
    assert!(too_large_here_only < 100, "{too_large_here_only}");
}
