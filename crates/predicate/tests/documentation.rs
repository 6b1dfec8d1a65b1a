//! The examples in `docs/predicates.md` are right.

mod common;

use common::{lowered, read};
use hardbop_base::DataModel;
use hardbop_ir::verify;
use hardbop_predicate::print_predicates;

const TEXT: &str = include_str!("../../../docs/predicates.md");

/// The blocks of a language, in order.
fn blocks(language: &str) -> Vec<&'static str> {
    let start = format!("```{language}\n");
    TEXT.split(start.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

#[test]
fn examples_are_right() {
    let (program, _) = lowered(blocks("c")[0], DataModel::Lp64).expect("a program");
    let examples = blocks("preds");
    assert_eq!(examples.len(), 3);
    let mut count = 0;
    for example in examples {
        let (mut found, messages) = read(&program, example);
        assert_eq!(messages, "", "{example}");
        let printed = print_predicates(&program, &found);
        let (again, messages) = read(&program, &printed);
        assert_eq!(messages, "", "{example}");
        found.sort_by_key(|predicate| predicate.scope);
        assert_eq!(again, found, "{example}");
        count += found.len();
    }
    assert_eq!(count, 20);
    assert_eq!(verify(&program), []);
}

#[test]
fn mistakes_are_reported_as_shown() {
    let (program, _) = lowered(blocks("c")[0], DataModel::Lp64).expect("a program");
    let (found, messages) = read(&program, blocks("wrong")[0]);
    assert_eq!(found, []);
    let firsts: String =
        messages.lines().filter(|line| line.contains(": error: ")).map(|l| format!("{l}\n")).collect();
    assert_eq!(firsts, blocks("text")[0]);
}
