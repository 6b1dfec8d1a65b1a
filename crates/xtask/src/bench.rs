//! `cargo xtask bench`: measurements. Each prints a table, and writes it as CSV below `target`.

mod abstraction;
mod deciders;
mod everyday;
mod reach;
mod report;
mod svcomp;

use crate::Outcome;

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        Some((what, rest)) if what == "reach" => reach::run(rest),
        Some((what, rest)) if what == "abstract" => abstraction::run(rest),
        Some((what, rest)) if what == "svcomp" => svcomp::run(rest),
        Some((what, rest)) if what == "everyday" => everyday::run(rest),
        _ => Err("there are `bench reach [--quick] [--install-spacer]`, `bench abstract [--quick]`, and `bench svcomp` and \
                  `bench everyday [--category NAME] \
                  [--only REGEX] [--expected true|false] [--limit SECONDS] [--jobs N] [--against EXECUTABLE] [--compare FILE] [--harness] \
                  [-- OPTIONS OF CHECK]`"
            .to_owned()),
    }
}
