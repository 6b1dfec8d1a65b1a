//! The command line of Hardbop: arguments, files, limits, exit codes.
//!
//! Invariants:
//! - this is the only crate that touches files, the clock, the environment or the terminal;
//! - every way to end is an [`Exit`]: a panic is an internal defect (70), a fault in third-party
//!   code that ends the process is seen by a parent process and reported ([`worker`]);
//! - standard output carries results, standard error carries messages that start with `hardbop: `
//!   or with a source position; a closed pipe on either never panics ([`output`]);
//! - completions and the man page are produced from the argument definitions ([`Cli`]).

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod assignment;
pub mod commands;
mod crash_message;
pub mod defect;
mod devices;
mod evidence;
pub mod exit;
pub mod frontend;
pub mod input;
pub mod limits;
pub mod listing;
pub mod output;
mod predicates;
pub mod preprocess;
mod proofs;
pub mod room;
pub mod stack;
pub mod worker;

use std::process::ExitCode;

use hardbop_base::Stop;

pub use commands::Cli;
pub use exit::{Exit, Failure};

/// The whole program: parses the arguments of the process, runs the command, reports its failure.
pub fn main() -> ExitCode {
    let panics = defect::PanicLog::install();
    match stack::on_big_stack(run) {
        Ok(exit) => exit.into(),
        // Where there is no room, hardly a library fails in good order.
        Err(_) if room::is_short() => out_of_room(),
        Err(_) => {
            panics.report();
            Exit::Defect.into()
        }
    }
}

/// A worker leaves it to its parent to say so.
fn out_of_room() -> ExitCode {
    if worker::is_worker() {
        return ExitCode::from(worker::NO_MEMORY);
    }
    report_failure(&Failure::Stopped(Stop::Memory)).into()
}

fn run() -> Exit {
    match commands::run(std::env::args_os()) {
        Ok(result) => result.unwrap_or_else(|failure| report_failure(&failure)),
        Err(stop) => report_usage(&stop),
    }
}

fn report_failure(failure: &Failure) -> Exit {
    match failure {
        // The diagnostics said it, and a reader that went away knows that it did.
        Failure::InputReported | Failure::BrokenPipe => {}
        _ => output::complain(failure),
    }
    failure.exit()
}

/// Prints what clap has to say: help and version are a success, everything else is a usage error.
fn report_usage(stop: &clap::Error) -> Exit {
    // Nothing is left to be told if even this cannot be printed.
    let _ = stop.print();
    if stop.use_stderr() { Exit::Usage } else { Exit::Ok }
}
