//! Times the BDD engine on the families of `hardbop-testkit`.
//!
//! `cargo run --release --example families -- level 1000 safe [trace|any] [invariants] [declared|shuffled]`

#![allow(clippy::print_stdout)]

use std::time::Instant;

use hardbop_base::{Budget, Id};
use hardbop_bp::{Goal, load};
use hardbop_reach::Answer;
use hardbop_reach::bdd::{Heuristic, Options, check};
use hardbop_testkit::boolean::families;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| args.iter().any(|arg| arg == word);
    let number = |i: usize| args.get(i).and_then(|arg| arg.parse().ok()).unwrap_or(100);
    let safe = has("safe");
    let text = match args.first().map(String::as_str) {
        Some("level") => families::level_family(number(1), safe),
        Some("dense") => families::dense_family(number(1), number(2), safe),
        Some("chain") => families::chain_family(number(1), number(2), safe),
        Some("recursion") => families::recursion_family(number(1), safe),
        Some(file) => std::fs::read_to_string(file).unwrap_or_default(),
        None => return println!("level|dense|chain|recursion SIZE… safe|error [trace|any] [invariants]"),
    };
    let start = Instant::now();
    let Ok(flow) = load(&text, Id::from_usize(0)) else { return println!("not a program") };
    println!("read: {:?}", start.elapsed());
    let order = if has("declared") {
        Heuristic::Declared
    } else if has("shuffled") {
        Heuristic::Shuffled
    } else {
        Heuristic::Force
    };
    let options = Options {
        trace: has("trace") || has("any"),
        shortest: !has("any"),
        invariants: has("invariants"),
        order,
        ..Options::default()
    };
    let start = Instant::now();
    let report = check(&flow, &Goal::Assertion, &options, &Budget::unlimited());
    println!("time: {:?}", start.elapsed());
    match &report.answer {
        Answer::Reachable(Some(trace)) => println!("reachable in {} steps", trace.len()),
        answer => println!("{answer:?}"),
    }
    for (name, value) in &report.stats {
        println!("{name}: {value}");
    }
}
