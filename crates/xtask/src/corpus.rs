//! `cargo xtask corpus`: lowers every task of the SV-COMP sample and says what became of it.
//!
//! Each file is lowered by the release executable in a process of its own, with the result verified
//! and sent through its text form and back. Fails if fewer files than [`LOWERED`] lower, fewer than
//! [`CLEAN`] do so without anything unsupported, or a program does not survive its text form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::process::{cargo, root, run as run_program};
use crate::{Outcome, expect_none, metadata, setup};

/// How many of the tasks have to lower.
const LOWERED: usize = 465;
/// How many of them have to lower without anything unsupported.
const CLEAN: usize = 420;
/// How many files are lowered at a time.
const WORKERS: usize = 2;

/// A task of the sample.
struct Task {
    file: String,
    bits: &'static str,
}

/// What became of a task.
struct Lowered {
    file: String,
    time: Duration,
    /// The figures that `lower --json-stats` prints, or why there are none.
    stats: Result<serde_json::Value, String>,
}

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    expect_none(arguments)?;
    setup::for_demo()?;
    let Some(folder) = bench_folder("svcomp") else { return Ok(()) };
    run_program(&mut cargo(["build", "--release", "--package", "hardbop"]))?;
    let hardbop = metadata::load()?.target_directory.join("release").join("hardbop");
    let tasks = read_tasks(&folder)?;
    let mut results = lower_all(&hardbop, &folder, &tasks);
    results.sort_by(|a, b| a.file.cmp(&b.file));
    report(&results)
}

/// A folder of the benchmark data beside the workspace; says so if it is not there.
pub fn bench_folder(name: &str) -> Option<PathBuf> {
    let bench =
        std::env::var_os("HARDBOP_BENCH").map_or_else(|| root().join("../shared/bench"), PathBuf::from);
    let folder = bench.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: there is no benchmark data in ../shared/bench/{name}");
    None
}

fn read_tasks(folder: &Path) -> Result<Vec<Task>, String> {
    let index = folder.join("tasks.csv");
    let text = std::fs::read_to_string(&index).map_err(|e| format!("{}: {e}", index.display()))?;
    let task = |line: &str| {
        let mut columns = line.split(',');
        let file = columns.next()?.to_owned();
        let bits = if columns.nth(1)? == "ILP32" { "-m32" } else { "-m64" };
        Some(Task { file, bits })
    };
    Ok(text.lines().skip(1).filter_map(task).collect())
}

fn lower_all(hardbop: &Path, folder: &Path, tasks: &[Task]) -> Vec<Lowered> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(tasks.len()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let lowered = lower(hardbop, folder, task);
                    if let Ok(mut all) = results.lock() {
                        all.push(lowered);
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_default()
}

fn lower(hardbop: &Path, folder: &Path, task: &Task) -> Lowered {
    let start = Instant::now();
    let done = Command::new(hardbop)
        .args([
            "lower",
            task.bits,
            "--externals",
            "pure",
            "--malloc",
            "never-fails",
            "--check",
            "--json-stats",
        ])
        .args(["--timeout", "60s"])
        .arg(folder.join(&task.file))
        .stdin(Stdio::null())
        .output();
    let time = start.elapsed();
    let stats = match done {
        Ok(done) if done.status.success() => {
            serde_json::from_slice(&done.stdout).map_err(|e| format!("unreadable figures: {e}"))
        }
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            let line =
                said.lines().find(|l| l.contains("error")).or(said.lines().next()).unwrap_or("nothing said");
            Err(format!("{}: {line}", done.status))
        }
        Err(e) => Err(e.to_string()),
    };
    Lowered { file: task.file.clone(), time, stats }
}

fn report(results: &[Lowered]) -> Outcome {
    let mut constructs: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut clean = 0;
    for result in results {
        let Ok(stats) = &result.stats else { continue };
        let unsupported = stats["unsupported"].as_array().map_or(&[][..], Vec::as_slice);
        clean += usize::from(unsupported.is_empty());
        for entry in unsupported {
            let reason = entry["reason"].as_str().unwrap_or("?").to_owned();
            let at = entry["at"].as_str().unwrap_or("?");
            constructs.entry(reason).or_insert_with(|| (0, format!("{} ({at})", result.file))).0 += 1;
        }
    }
    println!("\nunsupported constructs:");
    let mut constructs: Vec<_> = constructs.into_iter().collect();
    constructs.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (reason, (count, example)) in &constructs {
        println!("  {count:5}  {reason}, as in {example}");
    }
    if constructs.is_empty() {
        println!("  none");
    }
    println!("\nnot lowered:");
    for result in results {
        if let Err(reason) = &result.stats {
            println!("  {}: {reason}", result.file);
        }
    }
    slowest(results);
    alias(results);
    let lowered = results.iter().filter(|r| r.stats.is_ok()).count();
    println!("\n{lowered} of {} files lowered, {clean} of them without anything unsupported", results.len());
    if lowered < LOWERED || clean < CLEAN {
        return Err(format!(
            "at least {LOWERED} have to lower, {CLEAN} of them without anything unsupported"
        ));
    }
    Ok(())
}

/// What the alias analysis found and how long it took.
fn alias(results: &[Lowered]) {
    let figure = |result: &Lowered, name: &str| {
        result.stats.as_ref().ok().and_then(|stats| stats["alias"][name].as_f64()).unwrap_or(0.0)
    };
    let total = |name: &str| results.iter().map(|result| figure(result, name)).sum::<f64>();
    println!(
        "\nalias analysis: {:.1} s in total, {} regions, {} of them of bytes; slowest:",
        total("seconds"),
        total("regions"),
        total("byte_regions")
    );
    let mut order: Vec<&Lowered> = results.iter().collect();
    order.sort_by(|a, b| figure(b, "seconds").total_cmp(&figure(a, "seconds")));
    for result in order.iter().take(5) {
        println!(
            "  {:6.2} s, {:6.2} s of it points-to, {:5} objects, {:5} regions  {}",
            figure(result, "seconds"),
            figure(result, "points_to_seconds"),
            figure(result, "objects"),
            figure(result, "regions"),
            result.file
        );
    }
    for result in results {
        if let Some(stop) = result.stats.as_ref().ok().and_then(|stats| stats["alias"]["stopped"].as_str()) {
            println!("  {}: {stop}", result.file);
        }
    }
}

fn slowest(results: &[Lowered]) {
    let mut order: Vec<&Lowered> = results.iter().collect();
    order.sort_by_key(|r| std::cmp::Reverse(r.time));
    println!("\nslowest (with check of the text form):");
    for result in order.iter().take(5) {
        let figure =
            |name: &str| result.stats.as_ref().ok().and_then(|s| s[name].as_f64()).unwrap_or(f64::NAN);
        println!(
            "  {:6.2} s, {:6.2} s to lower, {:5.0} MB  {}",
            result.time.as_secs_f64(),
            figure("seconds"),
            figure("peak_memory") / 1e6,
            result.file
        );
    }
    let total: Duration = results.iter().map(|r| r.time).sum();
    println!("total: {:.1} s, {WORKERS} at a time", total.as_secs_f64());
}
