//! Starting programs, visibly.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Outcome;

/// The root of the workspace.
pub fn root() -> PathBuf {
    // Cargo sets the variable at run time too, which stays right if the checkout was moved.
    let own = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let own = PathBuf::from(own);
    own.ancestors().nth(2).unwrap_or(Path::new(".")).to_owned()
}

/// A cargo of the same toolchain, started at the root of the workspace.
pub fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(arguments).current_dir(root());
    command
}

/// Prints and runs; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Outcome {
    announce(command);
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", show(command))) }
}

/// Prints and runs, and hands each line of standard output on after printing it.
pub fn run_watching(command: &mut Command, mut watch: impl FnMut(&str)) -> Outcome {
    announce(command);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| cannot_start(command, &error))?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            watch(&line);
        }
    }
    let status = child.wait().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", show(command))) }
}

/// Runs silently and gives standard output.
pub fn read(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        return Err(format!("`{}` failed: {}", show(command), output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{}` does not print UTF-8", show(command)))
}

/// Runs silently and says whether it succeeded; a program that is not there did not.
pub fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

fn announce(command: &Command) {
    println!("$ {}", show(command));
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start `{}`: {error}", show(command))
}

/// The command as one would type it, without the directory of the program.
fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
