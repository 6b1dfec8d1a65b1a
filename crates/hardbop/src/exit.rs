//! How the program ends: the exit codes, and the failures that lead to them.
//!
//! The codes are a contract with scripts and benchmark runners. Those above 63 follow `sysexits.h`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hardbop_base::Stop;

/// The exit codes, all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// The property holds, or the command did what it was asked.
    Ok,
    /// The property is violated.
    False,
    /// No verdict: a limit was reached or the tool gave up.
    Unknown,
    /// The command line is wrong, or names an output that cannot be written.
    Usage,
    /// An input file cannot be used.
    BadInput,
    /// A defect in Hardbop.
    Defect,
}

impl Exit {
    const ALL: [Exit; 6] = [Exit::Ok, Exit::False, Exit::Unknown, Exit::Usage, Exit::BadInput, Exit::Defect];

    /// The number given to the system.
    pub fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::False => 1,
            Exit::Unknown => 2,
            Exit::Usage => 64,
            Exit::BadInput => 65,
            Exit::Defect => 70,
        }
    }

    /// The inverse of [`Exit::code`], for the exit status of a worker process.
    pub fn from_code(code: i32) -> Option<Exit> {
        Exit::ALL.into_iter().find(|exit| i32::from(exit.code()) == code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// Why a command could not do its work. The text says what the user can do something about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// An input file cannot be used.
    Input {
        /// The file as the user named it.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The inputs cannot be used, and the diagnostics that say why are printed already.
    InputReported,
    /// An output file cannot be written.
    Output {
        /// The file as the user named it.
        file: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// The arguments fit the grammar of the command line but not each other.
    Usage(String),
    /// A limit was reached or the user interrupted, and no partial result is worth keeping.
    Stopped(Stop),
    /// A check of our own work failed.
    Defect(String),
    /// Whoever read our standard output is gone.
    BrokenPipe,
}

impl Failure {
    /// A failure to use an input file, where `-` is standard input.
    pub fn input(file: &Path, reason: impl Into<String>) -> Self {
        let file = if file == Path::new("-") { Path::new("standard input") } else { file };
        Failure::Input { file: file.to_owned(), reason: reason.into() }
    }

    /// A failure to write an output file.
    pub fn output(file: &Path, reason: impl Into<String>) -> Self {
        Failure::Output { file: file.to_owned(), reason: reason.into() }
    }

    /// The exit code that goes with it.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Input { .. } | Failure::InputReported => Exit::BadInput,
            Failure::Output { .. } | Failure::Usage(_) => Exit::Usage,
            Failure::Defect(_) => Exit::Defect,
            // Not 0: a verdict that could not be written must not count as TRUE.
            Failure::Stopped(_) | Failure::BrokenPipe => Exit::Unknown,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input { file, reason } | Failure::Output { file, reason } => {
                write!(f, "{}: {reason}", file.display())
            }
            Failure::InputReported => f.write_str("the input cannot be used"),
            Failure::Usage(reason) => f.write_str(reason),
            Failure::Defect(what) => write!(f, "internal defect: {what}"),
            Failure::Stopped(stop) => stop.fmt(f),
            Failure::BrokenPipe => f.write_str("standard output was closed"),
        }
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_invertible() {
        for exit in Exit::ALL {
            assert_eq!(Exit::from_code(i32::from(exit.code())), Some(exit));
        }
        assert_eq!(Exit::from_code(3), None);
    }

    #[test]
    fn failures_name_the_file_and_the_code() {
        let input = Failure::input(Path::new("a.c"), "file is empty");
        assert_eq!(input.to_string(), "a.c: file is empty");
        assert_eq!(input.exit(), Exit::BadInput);
        assert_eq!(Failure::output(Path::new("o"), "no space").exit(), Exit::Usage);
        assert_eq!(Failure::Stopped(Stop::Time).exit(), Exit::Unknown);
        assert_eq!(Failure::BrokenPipe.exit(), Exit::Unknown);
    }
}
