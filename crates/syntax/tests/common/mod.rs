//! What the tests that compare with gcc share.

#![allow(dead_code, clippy::print_stderr, reason = "each test uses a part; what is skipped is said")]

pub mod contract;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hardbop_base::{DataModel, Sources};
use hardbop_syntax::{SyntaxOptions, ast, parse_bytes};

pub const MODELS: [(DataModel, &str); 2] = [(DataModel::Ilp32, "-m32"), (DataModel::Lp64, "-m64")];

/// Runs gcc on a text; its standard output, or its messages.
pub fn gcc(arguments: &[&str], text: &[u8]) -> Result<String, String> {
    let mut child = Command::new("gcc")
        .args(arguments)
        .args(["-x", "c", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut input = child.stdin.take().expect("a pipe");
    let text = text.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&text));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    // gcc may stop reading at an error.
    let _ = writer.join();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(messages)
    }
}

/// Whether gcc can compile for a data model; says so if not.
pub fn has_gcc(flag: &str) -> bool {
    let works = gcc(&[flag, "-fsyntax-only"], b"int x;").is_ok();
    if !works {
        eprintln!("skipped: no gcc {flag}");
    }
    works
}

/// The benchmark set beside the workspace, if it is there.
pub fn corpus() -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/svcomp");
    if directory.join("tasks.csv").exists() {
        return Some(directory);
    }
    let other = std::env::var_os("HARDBOP_SVCOMP").map(PathBuf::from);
    let found = other.filter(|directory| directory.join("tasks.csv").exists());
    if found.is_none() {
        eprintln!("skipped: no ../shared/bench/svcomp, nor $HARDBOP_SVCOMP");
    }
    found
}

/// The C files of the benchmark set and their data models.
pub fn tasks(directory: &Path) -> Vec<(String, DataModel)> {
    let table = std::fs::read_to_string(directory.join("tasks.csv")).expect("the table of tasks");
    let row = |line: &str| {
        let mut columns = line.split(',');
        let (task, model) = (columns.next()?, columns.nth(1)?);
        Some((task.to_owned(), if model == "LP64" { DataModel::Lp64 } else { DataModel::Ilp32 }))
    };
    table.lines().skip(1).filter_map(row).collect()
}

/// Reads a text that is expected to be fine.
#[track_caller]
pub fn unit(text: &[u8], model: DataModel) -> ast::Unit {
    let mut sources = Sources::new();
    match parse_bytes(&mut sources, "test.c", text, &SyntaxOptions::new(model)).1 {
        Ok((unit, _)) => unit,
        Err(errors) => panic!("{}", errors.render(&sources)),
    }
}
