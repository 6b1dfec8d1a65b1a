//! `cargo xtask bench`: measurements. Each prints a table, and writes it as CSV below `target`.

mod deciders;
mod reach;
mod report;

use crate::Outcome;

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        Some((what, rest)) if what == "reach" => reach::run(rest),
        _ => Err("there is `bench reach [--quick] [--install-spacer]`".to_owned()),
    }
}
