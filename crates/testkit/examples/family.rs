//! Prints a program of a family, as a boolean program or as Horn clauses.
//!
//! `cargo run --release -p hardbop-testkit --example family -- level 1000 safe [horn]`

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use hardbop_base::Id;
use hardbop_bp::{Goal, load};
use hardbop_testkit::boolean::{families, horn};

const USAGE: &str = "family level LEVELS safe|error [horn]
family dense VARIABLES STATEMENTS safe|error [horn]
family chain STATEMENTS VARIABLES safe|error [horn]
family recursion BITS safe|error [horn]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match text(&words) {
        Some(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("{USAGE}");
            ExitCode::FAILURE
        }
    }
}

fn text(words: &[&str]) -> Option<String> {
    let (words, as_horn) = match words {
        [words @ .., "horn"] => (words, true),
        _ => (words, false),
    };
    let (verdict, words) = words.split_last()?;
    let safe = match *verdict {
        "safe" => true,
        "error" => false,
        _ => return None,
    };
    let number = |word: &str| word.parse().ok();
    let text = match words {
        ["level", levels] => families::level_family(number(levels)?, safe),
        ["dense", variables, statements] => {
            families::dense_family(number(variables)?, number(statements)?, safe)
        }
        ["chain", statements, variables] => {
            families::chain_family(number(statements)?, number(variables)?, safe)
        }
        ["recursion", bits] => families::recursion_family(number(bits)?, safe),
        _ => return None,
    };
    if !as_horn {
        return Some(text);
    }
    let flow = load(&text, Id::from_usize(0)).ok()?;
    Some(horn(&flow, &Goal::Assertion))
}
