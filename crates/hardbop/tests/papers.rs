//! The worked examples of the papers: each program in `examples/papers` names the commands to run on
//! it, in comments that start with `// $ `, and the file beside it has all they print. The guide shows
//! some of them, with real output.
//!
//! To add an example, add a program; `UPDATE_EXPECT=1 cargo test -p hardbop --test papers` writes down
//! what is printed.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;

/// Runs `hardbop …` in a folder: what it prints, and its exit code.
fn run(command: &str, folder: &Path) -> (String, i32) {
    let mut words = command.split(' ');
    assert_eq!(words.next(), Some("hardbop"), "{command}");
    let mut process = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    let output = process.args(words).current_dir(folder).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command}");
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_examples_print_what_is_expected() {
    let folder = root().join("examples/papers");
    let mut programs: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bp" || extension == "x"))
        .collect();
    programs.sort();
    assert!(programs.len() >= 30, "the examples are there");
    for program in programs {
        let name = program.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&program).unwrap();
        let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// $ ")).collect();
        assert!(!commands.is_empty(), "{name} names no command");
        let mut printed = String::new();
        for command in commands {
            let (stdout, code) = run(&format!("{command} {name}"), &folder);
            writeln!(printed, "$ {command} {name}\n{stdout}exit code {code}\n").unwrap();
        }
        // A figure can be there as a boolean program and as an X program.
        let is_x = program.extension().is_some_and(|extension| extension == "x");
        let beside = program.with_extension(if is_x { "x.out" } else { "out" });
        expect_file![beside].assert_eq(&printed);
    }
}

#[test]
fn the_guide_shows_real_output() {
    let guide = root().join("docs/reach.md");
    let text = fs::read_to_string(&guide).unwrap();
    let mut real = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(real, "{line}").unwrap();
        if line == "```console" {
            let command = lines.next().unwrap().strip_prefix("$ ").unwrap();
            writeln!(real, "$ {command}\n{}```", run(command, &root()).0).unwrap();
            lines.by_ref().find(|line| *line == "```").unwrap();
        }
    }
    expect_file![guide].assert_eq(&real);
}
