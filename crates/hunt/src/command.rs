//! The command line: what to hunt in, for how long, and the summary.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool talks to the terminal")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use hardbop_ir::testing::Random;
use regex_lite::Regex;

use crate::checker::Executable;
use crate::corpus::{self, Entry};
use crate::random::oracle::Oracle;
use crate::random::{self, Field};
use crate::report::Report;
use crate::session;

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Where random choices start.
    pub seed: u64,
    /// The most programs.
    pub count: usize,
    /// The most plants in all.
    pub plants_in_all: u64,
    /// The most seconds.
    pub seconds: u64,
    /// Only programs whose name matches.
    pub only: Option<String>,
    /// Plants for each program.
    pub plants: usize,
    /// Seconds for each check.
    pub timeout: f64,
    /// How many programs at a time.
    pub jobs: usize,
    /// Where findings are saved.
    pub out: PathBuf,
    /// The executable that is tested.
    pub hardbop: PathBuf,
    /// The root of the workspace.
    pub root: PathBuf,
    /// The folder of the benchmarks.
    pub bench: PathBuf,
    /// Of a process that hunts in one program: its name, files, and how they are read.
    pub one: Option<Entry>,
}

const USAGE: &str = "hunt [random] [--seed N] [--count N] [--seconds N] [--only REGEX] [--plants N] \
    [--plants-in-all N] [--timeout SECONDS] [--jobs N] [--out DIR] [--hardbop FILE] [--root DIR] [--bench DIR]";

impl Asked {
    /// Reads arguments.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut asked = Asked {
            seed: clock_seed(),
            count: usize::MAX,
            plants_in_all: u64::MAX,
            seconds: u64::MAX,
            only: None,
            plants: 10,
            timeout: 2.0,
            jobs: 2,
            out: PathBuf::from("target/hunt"),
            hardbop: PathBuf::from("target/release/hardbop"),
            root: PathBuf::from("."),
            bench: PathBuf::from("../shared/bench"),
            one: None,
        };
        let mut one = Entry { name: String::new(), files: Vec::new(), bits: None, sv_comp: false };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut next = || words.next().cloned().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--seed" => asked.seed = number(word, &next()?)?,
                "--count" => asked.count = number(word, &next()?)?,
                "--seconds" => asked.seconds = number(word, &next()?)?,
                "--only" => asked.only = Some(next()?),
                "--plants" => asked.plants = number(word, &next()?)?,
                "--plants-in-all" => asked.plants_in_all = number(word, &next()?)?,
                "--timeout" => asked.timeout = number(word, next()?.trim_end_matches('s'))?,
                "--jobs" => asked.jobs = number::<usize>(word, &next()?)?.clamp(1, 2),
                "--out" => asked.out = next()?.into(),
                "--hardbop" => asked.hardbop = next()?.into(),
                "--root" => asked.root = next()?.into(),
                "--bench" => asked.bench = next()?.into(),
                "--name" => one.name = next()?,
                "--bits" => one.bits = Some(number(word, &next()?)?),
                "--sv-comp" => one.sv_comp = true,
                "--file" => one.files.push(next()?.into()),
                _ => return Err(format!("unexpected argument `{word}`; usage: {USAGE}")),
            }
        }
        if !one.files.is_empty() {
            asked.one = Some(one);
        }
        Ok(asked)
    }
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{option} needs a number, not `{text}`"))
}

fn clock_seed() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(1, |time| time.as_nanos() as u64 % 1_000_000_000)
}

/// Runs the command; whether nothing was found.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let (kind, rest) = match arguments.split_first() {
        Some((word, rest)) if !word.starts_with('-') => (word.as_str(), rest),
        _ => ("", arguments),
    };
    let asked = Asked::parse(rest)?;
    match kind {
        "" => hunt(&asked),
        "random" => random_programs(&asked),
        "one" => one(&asked),
        _ => Err(format!("unexpected argument `{kind}`; usage: {USAGE}")),
    }
}

/// The hunt in all programs, over and over, until what was asked for is done.
fn hunt(asked: &Asked) -> Result<bool, String> {
    println!("seed {}", asked.seed);
    let mut random = Random::new(asked.seed);
    let only = only(asked)?;
    let folder = asked.out.join("work");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut entries = corpus::entries(&asked.root, &asked.bench);
    entries.extend(corpus::csmith(&folder, 40.min(asked.count), &mut random));
    entries.retain(|entry| only.as_ref().is_none_or(|only| only.is_match(&entry.name)));
    if entries.is_empty() {
        return Err("there is no such program".to_owned());
    }
    shuffle(&mut entries, &mut random);
    let start = Instant::now();
    let until = Duration::from_secs(asked.seconds);
    let total = if asked.seconds == u64::MAX && asked.plants_in_all == u64::MAX {
        asked.count.min(entries.len())
    } else {
        asked.count
    };
    let next = AtomicUsize::new(0);
    let report = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for _ in 0..asked.jobs {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let plants = report.lock().map_or(0, |report| report.number("plants"));
                    if number >= total || plants >= asked.plants_in_all || start.elapsed() >= until {
                        break;
                    }
                    let entry = &entries[number % entries.len()];
                    let seed = asked.seed.wrapping_add(number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let left = until.saturating_sub(start.elapsed());
                    let found = in_process(asked, entry, seed, left);
                    for finding in &found.findings {
                        println!("FOUND {finding}");
                    }
                    if let Ok(mut report) = report.lock() {
                        report.merge(found);
                    }
                }
            });
        }
    });
    let report = report.into_inner().unwrap_or_default();
    summary(asked, &report, start.elapsed());
    Ok(report.findings.is_empty())
}

fn only(asked: &Asked) -> Result<Option<Regex>, String> {
    asked.only.as_deref().map(Regex::new).transpose().map_err(|e| format!("--only: {e}"))
}

/// The hunt in random programs.
fn random_programs(asked: &Asked) -> Result<bool, String> {
    println!("seed {}", asked.seed);
    let start = Instant::now();
    let until = Duration::from_secs(asked.seconds);
    let only = only(asked)?;
    let total = if asked.count == usize::MAX && asked.seconds == u64::MAX { 200 } else { asked.count };
    let next = AtomicUsize::new(0);
    let report = Mutex::new(Report::default());
    let found = std::thread::scope(|scope| {
        let workers = (0..asked.jobs).map(|job| {
            let (next, report, only) = (&next, &report, &only);
            scope.spawn(move || {
                let folder = asked.out.join(format!("random-{}-{job}", std::process::id()));
                let oracle = Oracle::new(&folder)?;
                let bits: Vec<u32> = [64, 32].into_iter().filter(|&bits| oracle.can(bits)).collect();
                if bits.is_empty() {
                    return Err("gcc with its sanitizers does not work here".to_owned());
                }
                let checker = Executable::new(&asked.hardbop, &folder, asked.timeout);
                let out = asked.out.clone();
                let field = Field {
                    oracle: &oracle,
                    checker: &checker,
                    bits: &bits,
                    folder: folder.clone(),
                    out,
                    patience: Duration::from_secs(60),
                    only: only.clone(),
                };
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= total || start.elapsed() >= until {
                        break;
                    }
                    let mut found = Report::default();
                    random::hunt(&field, asked.seed.wrapping_add(number as u64), &mut found);
                    for finding in &found.findings {
                        println!("FOUND {finding}");
                    }
                    if let Ok(mut report) = report.lock() {
                        report.merge(found);
                    }
                }
                let _ = std::fs::remove_dir_all(&folder);
                Ok(())
            })
        });
        let workers: Vec<_> = workers.collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?)
    });
    found?;
    let report = report.into_inner().unwrap_or_default();
    counts(asked, &report, start.elapsed());
    println!("{} random programs, {} findings", report.number("random programs"), report.findings.len());
    for finding in &report.findings {
        println!("FOUND {finding}");
    }
    Ok(report.findings.is_empty())
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for i in (1..items.len()).rev() {
        items.swap(i, random.below(i + 1));
    }
}

/// Hunts in one program by a process of its own, which may use so much memory and time.
fn in_process(asked: &Asked, entry: &Entry, seed: u64, left: Duration) -> Report {
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => return note(format!("{}: {error}", entry.name)),
    };
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 6000000; exec \"$@\"", "sh"]).arg(own).arg("one");
    command.args(["--seed", &seed.to_string(), "--plants", &asked.plants.to_string()]);
    command.args(["--timeout", &asked.timeout.to_string()]).arg("--out").arg(&asked.out);
    command.arg("--hardbop").arg(&asked.hardbop).args(["--name", &entry.name]);
    if let Some(bits) = entry.bits {
        command.args(["--bits", &bits.to_string()]);
    }
    if entry.sv_comp {
        command.arg("--sv-comp");
    }
    for file in &entry.files {
        command.arg("--file").arg(file);
    }
    let output = asked.out.join("work").join(format!("report-{seed}"));
    let file = match std::fs::File::create(&output) {
        Ok(file) => file,
        Err(error) => return note(format!("{}: {error}", output.display())),
    };
    command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
    let patience = Duration::from_secs_f64(60.0 + asked.plants as f64 * asked.timeout * 6.0);
    let ended = match command.spawn() {
        Ok(child) => wait(child, patience.min(left.saturating_add(Duration::from_secs(1)))),
        Err(error) => return note(format!("{}: {error}", entry.name)),
    };
    let text = std::fs::read_to_string(&output).unwrap_or_default();
    let _ = std::fs::remove_file(&output);
    let mut report = Report::from_lines(&text);
    match ended {
        Ended::Well => {}
        Ended::Late if left < patience => report.count("programs not finished: the time is up"),
        Ended::Late => report.count("programs not finished: too slow"),
        Ended::Badly(how) => {
            report.count("programs not finished: crashed");
            report.notes.push(format!("{} (--seed {seed}): the hunt crashed, {how}", entry.name));
        }
    }
    report
}

fn note(text: String) -> Report {
    Report { notes: vec![text], ..Report::default() }
}

enum Ended {
    Well,
    Badly(String),
    Late,
}

fn wait(mut child: Child, patience: Duration) -> Ended {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ended::Well,
            Ok(Some(status)) => return Ended::Badly(status.to_string()),
            Err(error) => return Ended::Badly(error.to_string()),
            Ok(None) if start.elapsed() > patience => {
                let _ = child.kill();
                let _ = child.wait();
                return Ended::Late;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// The process that hunts in one program.
fn one(asked: &Asked) -> Result<bool, String> {
    let entry = asked.one.as_ref().ok_or("which program?")?;
    let work = || {
        let mut random = Random::new(asked.seed);
        let lowered = lower(&asked.hardbop, entry, &mut random);
        let folder = asked.out.join("work");
        let checker = Executable::new(&asked.hardbop, &folder, asked.timeout);
        match lowered {
            Ok(text) => {
                let options = session::HuntOptions {
                    seed: random.bits(),
                    plants: asked.plants,
                    seconds: asked.timeout,
                    out: asked.out.clone(),
                    patience: Duration::from_secs(60),
                };
                session::hunt(&entry.name, &text, &checker, &options, &mut |report| {
                    print!("{}", report.to_lines());
                });
            }
            Err(reason) => {
                let mut report = Report::default();
                report.count("programs skipped: they do not lower");
                report.notes.push(format!("{} does not lower: {reason}", entry.name));
                print!("{}", report.to_lines());
            }
        }
    };
    // Symbolic terms may be deep.
    let builder = std::thread::Builder::new().stack_size(1 << 30);
    std::thread::scope(|scope| {
        let thread = builder.spawn_scoped(scope, work).map_err(|error| error.to_string())?;
        thread.join().map(|()| true).map_err(|_| "the hunt panicked".to_owned())
    })
}

/// The program in text form, for its own data model mostly.
fn lower(hardbop: &Path, entry: &Entry, random: &mut Random) -> Result<String, String> {
    let own = entry.bits.unwrap_or(if random.one_in(2) { 32 } else { 64 });
    let bits = if entry.bits.is_some() && random.one_in(4) { 96 - own } else { own };
    corpus::lower(hardbop, entry, bits).or_else(|_| corpus::lower(hardbop, entry, 96 - bits))
}

/// Says how often what happened.
fn counts(asked: &Asked, report: &Report, time: Duration) {
    for line in &report.notes {
        println!("note: {line}");
    }
    println!("\nseed {}, {:.0} s, {} at a time", asked.seed, time.as_secs_f64(), asked.jobs);
    for (name, number) in &report.counts {
        println!("  {number:>8}  {name}");
    }
}

/// Says what was done.
fn summary(asked: &Asked, report: &Report, time: Duration) {
    counts(asked, report, time);
    println!(
        "{} programs, {} plants: FALSE {}, UNKNOWN {}, TRUE (wrong) {}; {} findings",
        report.number("programs"),
        report.number("plants"),
        report.number("verdicts: FALSE"),
        report.number("verdicts: UNKNOWN"),
        report.number("verdicts: TRUE"),
        report.findings.len()
    );
    for finding in &report.findings {
        println!("FOUND {finding}");
    }
}
