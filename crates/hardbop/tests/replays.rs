//! Runs of tasks of the SV-COMP sample: inputs that are known to reach the error of a `false` task do
//! so, and no inputs reach an error of a `true` task.
//!
//! To add a replay, add a file to `replays`: its first line is a comment that names the task, its second
//! says what happens, the rest are inputs for `hardbop run`.

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Done, bench_folder, finish};

/// A task of the sample.
struct Task {
    file: String,
    bits: &'static str,
    holds: bool,
    bytes: u64,
}

fn tasks(folder: &Path) -> Vec<Task> {
    let index = fs::read_to_string(folder.join("tasks.csv")).unwrap();
    let task = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        Task {
            file: columns[0].to_owned(),
            bits: if columns[2] == "ILP32" { "-m32" } else { "-m64" },
            holds: columns[4] == "true",
            bytes: columns[5].parse().unwrap(),
        }
    };
    index.lines().skip(1).map(task).collect()
}

/// Runs a task as its definition says.
fn run(folder: &Path, task: &Task, options: &[&str]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    let definition = Path::new(&task.file).with_extension("yml");
    finish(command.current_dir(folder).args(["run", task.bits]).arg(definition).args(options))
}

#[test]
fn known_inputs_reach_the_error() {
    let Some(folder) = bench_folder("svcomp") else { return };
    let tasks = tasks(&folder);
    let by_name: HashMap<&str, &Task> = tasks.iter().map(|task| (task.file.as_str(), task)).collect();
    let replays = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replays");
    let mut files: Vec<PathBuf> = fs::read_dir(replays).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 12, "the replays are there");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let name = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap();
        let task = by_name[name];
        assert!(!task.holds, "{name}");
        let done = run(&folder, task, &["--inputs", file.to_str().unwrap()]);
        assert_eq!(done.code, 1, "{name}: {done:?}");
        assert!(done.outcome().starts_with("error: __VERIFIER_error was called in "), "{name}: {done:?}");
        // Without them there is none: they matter.
        assert_ne!(run(&folder, task, &["--max-steps", "100000"]).code, 1, "{name}");
    }
}

#[test]
fn safe_programs_reach_no_error() {
    let Some(folder) = bench_folder("svcomp") else { return };
    let tasks = tasks(&folder);
    let safe: Vec<&Task> = tasks.iter().filter(|task| task.holds && task.bytes < 80_000).collect();
    // A sample of all families: the index is sorted by them.
    let step = (safe.len() / 45).max(1);
    let mut runs = 0;
    for task in safe.into_iter().step_by(step) {
        for seed in ["1", "2", "3"] {
            let done = run(&folder, task, &["--seed", seed, "--max-steps", "200000"]);
            // Very few tasks of the sample cannot be read.
            assert!(matches!(done.code, 0 | 2 | 65), "{}, seed {seed}: {done:?}", task.file);
            runs += usize::from(done.code != 65);
        }
    }
    assert!(runs >= 120, "{runs} runs");
}
