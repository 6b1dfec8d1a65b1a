//! `cargo xtask demo`: from a fresh checkout to hardbop at work.

use std::path::Path;
use std::process::Command;

use crate::process::{cargo, run as run_program};
use crate::{Outcome, expect_none, metadata, setup};

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    expect_none(arguments)?;
    setup::for_demo()?;
    run_program(&mut cargo(["build", "--release", "--package", "hardbop"]))?;
    let executable = metadata::load()?.target_directory.join("release").join("hardbop");
    show(&executable)
}

/// What the demo shows.
fn show(hardbop: &Path) -> Outcome {
    run_program(Command::new(hardbop).arg("--version"))
}
