//! `cargo xtask hunt`: hunts for wrong verdicts, in all programs there are or in random ones.
//!
//! The work is done by the crate `hunt`, whose executable is built in release mode first, because this crate
//! has next to no dependencies.

use std::path::PathBuf;
use std::process::Command;

use crate::process::{cargo, root, run as run_program};
use crate::{Outcome, metadata, setup};

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    setup::for_demo()?;
    start(arguments)
}

/// The share of the tests: other programs each time.
pub fn some() -> Outcome {
    start(&words("--plants-in-all 100 --plants 4 --timeout 1 --seconds 70"))?;
    start(&words("random --count 60 --timeout 1 --seconds 45"))
}

/// What is done when there is time.
pub fn much() -> Outcome {
    start(&words("--plants-in-all 5000 --plants 10 --timeout 2 --seconds 14400"))?;
    start(&words("random --count 2000 --timeout 2 --seconds 14400"))
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn start(arguments: &[String]) -> Outcome {
    run_program(&mut cargo(["build", "--release", "--package", "hardbop", "--package", "hardbop-hunt"]))?;
    let target = metadata::load()?.target_directory;
    let bench =
        std::env::var_os("HARDBOP_BENCH").map_or_else(|| root().join("../shared/bench"), PathBuf::from);
    let (kind, options) = match arguments.split_first() {
        Some((word, rest)) if !word.starts_with('-') => (Some(word), rest),
        _ => (None, arguments),
    };
    let mut command = Command::new(target.join("release").join("hardbop-hunt"));
    command.args(kind).arg("--hardbop").arg(target.join("release").join("hardbop"));
    command.arg("--root").arg(root()).arg("--bench").arg(bench);
    command.arg("--out").arg(target.join("hunt")).args(options);
    run_program(&mut command)
}
