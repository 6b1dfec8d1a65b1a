//! Developer commands: `cargo xtask <command>`.
//!
//! One table, [`COMMANDS`], lists them; a command is a function from its arguments to a result in
//! its own file. They print every program they start. This crate has next to no dependencies, because
//! it is the first thing a newcomer waits for.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool talks to the terminal")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod architecture;
mod bench;
mod corpus;
mod demo;
mod drivers;
mod fuzz;
mod fuzz_lower;
mod graph;
mod hunt;
mod licences;
mod metadata;
mod order;
mod process;
mod setup;
mod test;

use std::process::ExitCode;

/// What went wrong, in words for the developer.
type Outcome = Result<(), String>;

struct Command {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Outcome,
}

const COMMANDS: [Command; 10] = [
    Command {
        name: "demo",
        help: "install what is missing, build in release mode, and show hardbop at work",
        run: demo::run,
    },
    Command {
        name: "test",
        help: "install what is missing, then format, lint, documentation, licence and order checks, all tests, and \
               a short hunt [--long: a long one, and all limits of memory]",
        run: test::run,
    },
    Command {
        name: "corpus",
        help: "lower every task of ../shared/bench/svcomp and report what is unsupported, slow or rejected",
        run: corpus::run,
    },
    Command {
        name: "fuzz-lower",
        help: "compare `hardbop run` with gcc on random programs of csmith [--count N] [--seed N]",
        run: fuzz_lower::run,
    },
    Command {
        name: "bench",
        help: "measure; `bench reach [--quick]`: the engines for boolean programs on programs that grow; \
               `bench abstract [--quick]`: predicate abstraction of a driver that grows; \
               `bench svcomp [--limit SECONDS]`: the verdicts on the SV-COMP sample; \
               `bench everyday [--limit SECONDS] [--against EXECUTABLE]`: those on everyday programs",
        run: bench::run,
    },
    Command {
        name: "fuzz",
        help: "feed mutated inputs to a fuzz target (lower, ir_text, bp, inputs) [--seconds N]",
        run: fuzz::run,
    },
    Command {
        name: "hunt",
        help: "look for wrong verdicts: errors planted where runs of all programs pass [--seed N] [--count N] \
               [--seconds N] [--only REGEX] [--plants N] [--timeout SECONDS] [--jobs N] [--out DIR]; \
               `hunt random`: random programs that gcc runs on all inputs",
        run: hunt::run,
    },
    Command {
        name: "drivers",
        help: "check a driver of Debian with and without its unlock; --lower: lower the sources of its *-dkms packages",
        run: drivers::run,
    },
    Command {
        name: "graph",
        help: "draw the crates and what flows between them to docs/crates.svg",
        run: graph::run,
    },
    Command {
        name: "setup",
        help: "install what the other commands need (Debian and Ubuntu, as root); elsewhere say what is missing",
        run: setup::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let Some((name, rest)) = arguments.split_first() else {
        eprint!("{}", usage());
        return ExitCode::from(64);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprint!("xtask: there is no command `{name}`\n\n{}", usage());
        return ExitCode::from(64);
    };
    match (command.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask {name}: {message}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let lines: String =
        COMMANDS.iter().map(|command| format!("  {:<12} {}\n", command.name, command.help)).collect();
    format!("Usage: cargo xtask <command>\n\nCommands:\n{lines}")
}

/// For commands without arguments.
fn expect_none(arguments: &[String]) -> Outcome {
    match arguments.first() {
        None => Ok(()),
        Some(argument) => Err(format!("unexpected argument `{argument}`")),
    }
}
