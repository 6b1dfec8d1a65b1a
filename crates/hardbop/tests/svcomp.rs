//! A fixed sample of SV-COMP tasks that are decided quickly: all right, with evidence.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hardbop_testkit::bench_folder;

/// The tasks, below the folder `c` of the benchmark.
const TASKS: &str = include_str!("svcomp.txt");

/// Far more than any of them needs, for slow machines.
const LIMIT: &str = "60s";

#[test]
fn quick_tasks_are_decided() {
    let Some(folder) = bench_folder("svcomp") else { return };
    let table = std::fs::read_to_string(folder.join("tasks.csv")).unwrap();
    let tasks: Vec<&str> = TASKS.lines().collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = table.lines().find(|row| row.starts_with(&format!("c/{task},")));
                    let fields: Vec<&str> =
                        row.unwrap_or_else(|| panic!("no task {task}")).split(',').collect();
                    let found = verdict(&folder.join("c").join(task), fields[2]);
                    if found != format!("VERDICT: {}", fields[4].to_uppercase()) {
                        wrong.lock().unwrap().push(format!("{task}: {found}, expected {}", fields[4]));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(tasks.len() >= 100 && wrong.is_empty(), "{wrong:#?}");
}

/// The last line of a check, as SV-COMP means it.
fn verdict(file: &Path, data_model: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .args(["check", "--externals", "pure", "--malloc", "never-fails", "--memory", "4G"])
        .args(["--timeout", LIMIT, "--data-model", data_model])
        .arg(file)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
}
