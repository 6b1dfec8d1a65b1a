//! Memory outside of the program: programs in a folder, with what is to be said of them in their first line.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Folder, has_gcc};

/// The programs, with their names.
fn programs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    let name = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|file| (name(file), fs::read_to_string(file).unwrap())).collect()
}

fn verdict(stdout: &str) -> &str {
    stdout.lines().last().unwrap_or_default().trim_start_matches("VERDICT: ")
}

/// Whether the program that gcc makes with the harness reaches the error; nothing if gcc cannot make it.
fn is_reproduced(folder: &Folder, bits: &str) -> Option<bool> {
    let mut gcc = Command::new("gcc");
    gcc.args([bits, "-O0", "-fwrapv", "-fno-strict-aliasing", "-w", "-o"]).arg(folder.path("a.out"));
    if !folder.read("h.c").contains("stands for the whole program") {
        gcc.arg(folder.path("a.c"));
    }
    let done = gcc.arg(folder.path("h.c")).output().ok()?;
    if !done.status.success() {
        assert_eq!(bits, "-m32", "{}", String::from_utf8_lossy(&done.stderr));
        return None;
    }
    Some(Command::new(folder.path("a.out")).output().ok()?.status.code() == Some(107))
}

/// One program after the other, with all that is asked of it.
#[test]
fn programs_follow_pointers_from_outside() {
    for (name, text) in programs() {
        let expected = text.trim_start_matches("/* ").split(':').next().unwrap().to_owned();
        let folder = Folder::new(&[("a.c", text)]);
        for bits in ["-m64", "-m32"] {
            for externals in ["havoc", "pure"] {
                let options = format!("{bits} --externals {externals}");
                let done = folder.hardbop(&format!("check a.c --timeout 60s --harness h.c {options}"));
                let found = verdict(&done.stdout);
                if expected == "not FALSE" {
                    assert_ne!(found, "FALSE", "{name} {options}: {}", done.stdout);
                    continue;
                }
                assert_eq!(found, expected, "{name} {options}: {}", done.stdout);
                assert!(done.stdout.contains("memory outside of the program, with any contents"), "{name}");
                if name != "function_outside.c" && has_gcc() {
                    let reproduced = is_reproduced(&folder, bits);
                    assert_ne!(reproduced, Some(false), "{name} {options}: {}", folder.read("h.c"));
                }
            }
        }
    }
}

/// The error is never excluded, whatever engine looks at it.
#[test]
fn no_engine_excludes_memory_outside() {
    for (name, text) in programs().into_iter().filter(|(_, text)| text.starts_with("/* FALSE")) {
        let folder = Folder::new(&[("a.c", text)]);
        for options in ["--engine wp", "--engine pdr", "--no-run --no-unroll"] {
            let done = folder.hardbop(&format!("check a.c --timeout 10s {options}"));
            assert_ne!(verdict(&done.stdout), "TRUE", "{name} {options}: {}", done.stdout);
        }
    }
}
