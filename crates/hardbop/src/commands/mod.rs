//! The subcommands, one file each.
//!
//! A subcommand is a struct of arguments with a `run` method. To add one: a file, a variant of
//! [`Command`], a line in [`Command::run`]. Completions and the man page follow by themselves.

mod abstraction;
mod certify;
mod check;
mod completions;
mod fault;
mod leap;
mod lower;
mod man;
mod path;
mod reach;
mod run;

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{Exit, Failure};

/// Decides whether a C program can break a safety rule.
#[derive(Debug, Parser)]
#[command(name = "hardbop", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0   the property holds, or the command succeeded
  1   the property is violated
  2   unknown: a limit was reached, or no verdict was found
  64  wrong usage, or an output that cannot be written
  65  an input cannot be used
  70  a defect in hardbop";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Translate C or X to the program representation and print it
    Lower(lower::Lower),
    /// Execute a program with chosen inputs
    Run(run::Run),
    /// Decide whether a program can break a property
    Check(check::Check),
    /// Check a proof that `check --proof` wrote, from scratch
    ///
    /// The program is read with the same options as for `check`. The first line of the answer is `PROOF: ACCEPTED`
    /// (exit code 0); `PROOF: REFUSED` (1), with the part of the proof that does not hold and a state that shows it;
    /// or `PROOF: UNKNOWN` (2) if a limit was reached. A proof that is malformed, or about another program, is a
    /// wrong input (65).
    Certify(certify::Certify),
    /// Make a boolean program from a program and predicates
    Abstract(abstraction::Abstract),
    /// Decide whether an assertion of a boolean program can fail, or a label be reached
    Reach(reach::Reach),
    /// Try the shortest error trace of the abstraction on the program, and explain why it cannot be run
    Path(path::PathCommand),
    /// Look for a way through loops of any length, by must-transitions between abstract states
    Leap(leap::LeapCommand),
    /// Print a completion script for a shell
    Completions(completions::Completions),
    /// Print the manual page, or that of a subcommand
    Man(man::Man),
}

/// Parses `arguments`, the first of which is the name of the program, and runs the subcommand.
///
/// `Err` is what clap has to say instead: help, the version or a usage error. The subcommand `fault`
/// is added only here, so that neither help nor completions nor the manual know of it.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<Result<Exit, Failure>, clap::Error> {
    let fault = fault::Fault::augment_args(clap::Command::new(FAULT).hide(true));
    let mut definitions = Cli::command().subcommand(fault);
    let matches = definitions.try_get_matches_from_mut(arguments.into_iter().map(spelled_for_clap))?;
    if let Some((FAULT, matches)) = matches.subcommand() {
        return Ok(fault::Fault::from_arg_matches(matches)?.run());
    }
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut definitions))?;
    Ok(cli.command.run())
}

const FAULT: &str = "fault";

/// gcc's `-std=NAME` has one dash, which would be a bundle of short options here.
fn spelled_for_clap(argument: OsString) -> OsString {
    match argument.to_str().and_then(|text| text.strip_prefix("-std=")) {
        Some(name) => format!("--std={name}").into(),
        None => argument,
    }
}

impl Command {
    /// Runs the subcommand.
    pub fn run(self) -> Result<Exit, Failure> {
        match self {
            Command::Lower(command) => command.run(),
            Command::Run(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Certify(command) => command.run(),
            Command::Abstract(command) => command.run(),
            Command::Reach(command) => command.run(),
            Command::Path(command) => command.run(),
            Command::Leap(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
