//! Contexts and explanations of random paths, against running them with small numbers.

mod common;

use common::Straight;
use hardbop_base::Budget;
use hardbop_ir::testing::Random;
use hardbop_logic::{Evaluator, Model, Value};
use hardbop_path::{Contexts, Projection, explain, is_infeasible, without};
use hardbop_semantics::Cell;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

type Values = [i128; 4];

/// A statement over four variables.
enum Line {
    /// `target := factor * source + other + constant`
    Assign { target: usize, source: usize, factor: i128, other: Option<usize>, constant: i128 },
    /// `left < right + constant`, or `=` instead
    Assume { left: usize, right: usize, constant: i128, equal: bool },
}

impl Line {
    fn random(random: &mut Random) -> Self {
        let mut variable = || random.below(4);
        let (x, y, z) = (variable(), variable(), variable());
        let constant = random.below(5) as i128 - 2;
        if random.one_in(2) {
            Line::Assume { left: x, right: y, constant, equal: random.one_in(3) }
        } else {
            let factor = random.below(4) as i128 - 1;
            Line::Assign { target: x, source: y, factor, other: random.one_in(2).then_some(z), constant }
        }
    }

    fn text(&self) -> String {
        match *self {
            Line::Assign { target, source, factor, other, constant } => {
                let other = other.map_or(String::new(), |other| format!(" + {}", NAMES[other]));
                format!("{} := {factor} * {}{other} + {constant};", NAMES[target], NAMES[source])
            }
            Line::Assume { left, right, constant, equal } => {
                let sign = if equal { "=" } else { "<" };
                format!("assume({} {sign} {} + {constant});", NAMES[left], NAMES[right])
            }
        }
    }

    /// Executes it; says whether a run gets past it.
    fn run(&self, values: &mut Values) -> bool {
        match *self {
            Line::Assign { target, source, factor, other, constant } => {
                let other = other.map_or(0, |other| values[other]);
                values[target] = factor * values[source] + other + constant;
                true
            }
            Line::Assume { left, right, constant, equal } => {
                let (left, right) = (values[left], values[right] + constant);
                if equal { left == right } else { left < right }
            }
        }
    }
}

/// Values with which a run gets to the end, at the start and there.
fn runs(lines: &[Line], random: &mut Random) -> Option<(Values, Values)> {
    (0..400).find_map(|_| {
        let start: Values = std::array::from_fn(|_| random.below(9) as i128 - 4);
        let mut values = start;
        lines.iter().all(|line| line.run(&mut values)).then_some((start, values))
    })
}

fn variable(straight: &Straight, cell: Cell) -> usize {
    let Cell::Local(_, var) = cell else { panic!("{cell:?} is no local") };
    NAMES.iter().position(|name| *name == straight.program.variables[var].name).unwrap()
}

/// Ω has the values of the run at its end, and Φ holds.
fn check_contexts(straight: &Straight, start: Values, end: Values, text: &str) {
    let (path, budget) = (&straight.path, Budget::unlimited());
    let contexts = Contexts::along(straight.subject(), path, &Projection::whole(path), &budget).unwrap();
    let mut model = Model::default();
    for &(constant, cell) in &contexts.constants {
        model.values.insert(constant, Value::Int(start[variable(straight, cell)]));
    }
    let terms = &contexts.encoder.terms;
    let mut evaluator = Evaluator::new();
    for (&cell, &value) in &contexts.last.store {
        let expected = Value::Int(end[variable(straight, cell)]);
        assert_eq!(evaluator.value(terms, value, &model), Some(expected), "{text}");
    }
    for &condition in &contexts.last.conditions {
        assert_eq!(evaluator.value(terms, condition, &model), Some(Value::Bool(true)), "{text}");
    }
}

/// The explanation of a path cannot be run, and can be without any of its statements.
fn check_explanation(straight: &Straight, text: &str) -> bool {
    let (subject, path, budget) = (straight.subject(), &straight.path, Budget::unlimited());
    let Some(explanation) = explain(subject, path, &budget).unwrap() else { return false };
    let infeasible = |projection: &Projection| is_infeasible(subject, path, projection, &budget);
    assert_eq!(infeasible(&explanation.referenced), Ok(Some(true)), "{text}");
    assert_eq!(infeasible(&explanation.icpp), Ok(Some(true)), "{text}");
    for step in explanation.icpp.steps() {
        let fewer = without(subject, path, &explanation.icpp, &[step]);
        assert_eq!(infeasible(&fewer), Ok(Some(false)), "{text}");
    }
    true
}

#[test]
fn random_paths() {
    let (mut possible, mut impossible) = (0, 0);
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let lines: Vec<Line> = (0..8).map(|_| Line::random(&mut random)).collect();
        let body: Vec<String> = lines.iter().map(Line::text).collect();
        let text = format!("main() {{ a, b, c, d: int; {} [end] assert(F); }}", body.join(" "));
        let straight = Straight::new(&text);
        match runs(&lines, &mut random) {
            Some((start, end)) => {
                possible += 1;
                check_contexts(&straight, start, end, &text);
                assert!(!check_explanation(&straight, &text), "{text}");
            }
            None => impossible += usize::from(check_explanation(&straight, &text)),
        }
    }
    assert!(possible > 10 && impossible > 20, "{possible} possible, {impossible} not");
}
