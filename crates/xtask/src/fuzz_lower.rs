//! `cargo xtask fuzz-lower`: random C programs must behave as gcc makes them behave.
//!
//! csmith writes programs that print a checksum of their variables. Each is compiled by gcc as DESIGN
//! fixes the meaning of C (`-O0 -fwrapv -fno-strict-aliasing`), for 32 and for 64 bits, and run by
//! `hardbop run`; the two outputs must be equal. Seeds count up from the first, so a run can be
//! repeated. With `--check-alias`, all accesses to memory are compared with what the alias analysis says of
//! them. Programs that gcc's executable does not finish within seconds are passed over.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::process::{cargo, run as run_program, succeeds};
use crate::{Outcome, metadata, setup};

const CSMITH: [&str; 7] = [
    "--no-argc",
    "--packed-struct",
    "--bitfields",
    "--unions",
    "--volatiles",
    "--volatile-pointers",
    "--concise",
];
const GCC: [&str; 5] = ["-O0", "-fwrapv", "-fno-strict-aliasing", "-w", "-I/usr/include/csmith"];
/// How long the compiled program may run, in seconds; ours may take a good deal longer.
const GCC_SECONDS: u64 = 2;
const WORKERS: usize = 2;

/// What to run.
struct Plan {
    count: u64,
    first_seed: u64,
    /// Whether to compare all accesses with the alias analysis, which takes longer.
    check_alias: bool,
}

/// What became of a program for one data model.
enum Comparison {
    Equal,
    Different(String),
    /// The reference has no result.
    Skipped,
}

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    let mut plan = Plan { count: 300, first_seed: 1, check_alias: false };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse().ok()).ok_or(format!("{word} needs a number"));
        match word.as_str() {
            "--count" => plan.count = number()?,
            "--seed" => plan.first_seed = number()?,
            "--check-alias" => plan.check_alias = true,
            _ => {
                let known = "--count N, --seed N and --check-alias";
                return Err(format!("unexpected argument `{word}`; there are {known}"));
            }
        }
    }
    setup::for_tests()?;
    compare(&plan)
}

/// The share of the tests: few programs, always the same.
pub fn some() -> Outcome {
    compare(&Plan { count: 60, first_seed: 1, check_alias: false })
}

fn compare(plan: &Plan) -> Outcome {
    if !succeeds(Command::new("csmith").arg("--version")) || !Path::new("/usr/include/csmith").is_dir() {
        println!("skipped: csmith is not installed");
        return Ok(());
    }
    run_program(&mut cargo(["build", "--release", "--package", "hardbop"]))?;
    let target = metadata::load()?.target_directory;
    let hardbop = target.join("release").join("hardbop");
    let folder = target.join("fuzz-lower");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let models: &[&str] = if can_compile_32() { &["-m64", "-m32"] } else { &["-m64"] };
    let start = Instant::now();
    let (seed, equal, skipped) = (AtomicU64::new(plan.first_seed), AtomicU64::new(0), AtomicU64::new(0));
    let different = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while equal.load(Ordering::Relaxed) < plan.count {
                    let seed = seed.fetch_add(1, Ordering::Relaxed);
                    // csmith finds a program for most seeds; this ends the search if it finds none.
                    if seed - plan.first_seed > 4 * plan.count + 20 {
                        break;
                    }
                    let results =
                        models.iter().map(|model| one(&hardbop, &folder, seed, model, plan.check_alias));
                    match worst(results.collect()) {
                        Comparison::Equal => drop(equal.fetch_add(1, Ordering::Relaxed)),
                        Comparison::Skipped => drop(skipped.fetch_add(1, Ordering::Relaxed)),
                        Comparison::Different(message) => {
                            println!("seed {seed}: {message}");
                            if let Ok(mut all) = different.lock() {
                                all.push(seed);
                            }
                        }
                    }
                }
            });
        }
    });
    let different = different.into_inner().unwrap_or_default();
    println!(
        "csmith: {} programs agree with gcc ({}), {} differ, {} passed over, {:.0} s",
        equal.load(Ordering::Relaxed),
        models.join(" and "),
        different.len(),
        skipped.load(Ordering::Relaxed),
        start.elapsed().as_secs_f64()
    );
    if !different.is_empty() {
        return Err(format!(
            "different results for the seeds {different:?}; the programs are in {}",
            folder.display()
        ));
    }
    if equal.load(Ordering::Relaxed) < plan.count {
        return Err("too few programs could be compared".to_owned());
    }
    Ok(())
}

fn can_compile_32() -> bool {
    succeeds(Command::new("gcc").args(["-m32", "-xc", "-include", "stdio.h", "-fsyntax-only", "/dev/null"]))
}

/// Equal only if all are; a difference counts most.
fn worst(results: Vec<Comparison>) -> Comparison {
    let mut worst = Comparison::Equal;
    for result in results {
        match (&worst, &result) {
            (Comparison::Different(_), _) | (_, Comparison::Equal) => {}
            _ => worst = result,
        }
    }
    worst
}

fn one(hardbop: &Path, folder: &Path, seed: u64, model: &str, check_alias: bool) -> Comparison {
    let program = folder.join(format!("{seed}.c"));
    let binary = folder.join(format!("{seed}{model}"));
    if !program.exists() && !generate(&program, seed) {
        return Comparison::Skipped;
    }
    let mut compile = Command::new("gcc");
    compile.args(GCC).arg(model).arg(&program).arg("-o").arg(&binary);
    if !succeeds(&mut compile) {
        return Comparison::Skipped;
    }
    let expected = output(&mut Command::new(&binary), Duration::from_secs(GCC_SECONDS));
    // The binaries are large and quick to make again.
    let _ = std::fs::remove_file(&binary);
    let Some(expected) = expected else { return Comparison::Skipped };
    let mut run = Command::new(hardbop);
    run.args(["run", model, "-I", "/usr/include/csmith", "--externals", "pure"]).arg(&program);
    if check_alias {
        run.arg("--check-alias");
    }
    let Some(found) = output(&mut run, Duration::from_secs(60 * GCC_SECONDS)) else {
        return Comparison::Different(format!("{model}: no result in time"));
    };
    if let Some(defect) = found.lines().find(|line| line.contains("internal defect")) {
        return Comparison::Different(format!("{model}: {defect}"));
    }
    let first = |text: &str| text.lines().next().unwrap_or("nothing").to_owned();
    if first(&expected) == first(&found) {
        let _ = std::fs::remove_file(folder.join(format!("{seed}{model}.out")));
        return Comparison::Equal;
    }
    Comparison::Different(format!("{model}: gcc `{}`, hardbop `{}`", first(&expected), first(&found)))
}

fn generate(program: &PathBuf, seed: u64) -> bool {
    let mut csmith = Command::new("csmith");
    csmith.args(CSMITH).args(["--seed", &seed.to_string()]);
    // csmith leaves a file in the current folder.
    if let Some(folder) = program.parent() {
        csmith.current_dir(folder);
    }
    match output(&mut csmith, Duration::from_secs(20)) {
        Some(text) if text.contains("int main") => std::fs::write(program, text).is_ok(),
        _ => false,
    }
}

/// Standard output (with standard error behind it) of a program that ends in time.
fn output(command: &mut Command, limit: Duration) -> Option<String> {
    let mut timed = Command::new("timeout");
    timed.arg(format!("{}", limit.as_secs())).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        timed.current_dir(folder);
    }
    let done = timed.stdin(Stdio::null()).output().ok()?;
    // `timeout` itself ends with 124.
    if done.status.code() == Some(124) || done.status.code().is_none() {
        return None;
    }
    let mut text = String::from_utf8_lossy(&done.stdout).into_owned();
    text += &String::from_utf8_lossy(&done.stderr);
    Some(text)
}
