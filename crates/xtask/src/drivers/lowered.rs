//! `cargo xtask drivers --lower`: what becomes of each source of each package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::kernel;
use super::packages::Packages;
use crate::Outcome;

/// How many sources have to lower.
const ENOUGH: usize = 40;
/// How many are lowered at a time.
const WORKERS: usize = 2;

/// What became of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    /// It lowers, and all of it is understood.
    Lowered,
    /// It lowers; something in it has no meaning for us. The first such thing.
    Unsupported(String),
    /// gcc accepts it, we do not. The first message.
    Rejected(String),
    /// gcc does not accept it: it is for another kernel, or needs to be configured.
    NotForUs(String),
}

/// A source with its fate.
struct Row {
    package: &'static str,
    file: PathBuf,
    lines: usize,
    fate: Fate,
    seconds: f64,
}

/// The command.
pub fn run(hardbop: &Path, packages: &Packages) -> Outcome {
    let sources = packages
        .modules
        .iter()
        .flat_map(|&package| packages.sources(package).into_iter().map(move |source| (package, source)));
    let sources: Vec<(&'static str, PathBuf)> = sources.collect();
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::with_capacity(sources.len()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((package, source)) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = lower(hardbop, packages, package, source);
                    println!("{}", line(&row));
                    if let Ok(mut rows) = rows.lock() {
                        rows.push(row);
                    }
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_default();
    rows.sort_by(|a, b| (a.package, &a.file).cmp(&(b.package, &b.file)));
    println!("\n{}", summary(&rows));
    let lowered = rows.iter().filter(|row| row.is_lowered()).count();
    if lowered < ENOUGH {
        return Err(format!("{lowered} sources lower; at least {ENOUGH} have to"));
    }
    Ok(())
}

fn lower(hardbop: &Path, packages: &Packages, package: &'static str, source: &Path) -> Row {
    let lines = fs::read(source).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
    let preprocessed = kernel::preprocess(packages, package, source);
    let start = Instant::now();
    let fate = match preprocessed {
        Ok(file) => fate(hardbop, &file),
        Err(message) => Fate::NotForUs(message),
    };
    let file = source.strip_prefix(packages.of(package).join("usr/src")).unwrap_or(source).to_owned();
    Row { package, file, lines, fate, seconds: start.elapsed().as_secs_f64() }
}

fn fate(hardbop: &Path, file: &Path) -> Fate {
    let mut command = Command::new(hardbop);
    command.args(["lower", "-m64", "--json-stats", "--timeout", "120s"]).arg(file).stdin(Stdio::null());
    match command.output() {
        Ok(done) if done.status.success() => understood(&String::from_utf8_lossy(&done.stdout)),
        Ok(done) => Fate::Rejected(complaint(&String::from_utf8_lossy(&done.stderr))),
        Err(e) => Fate::Rejected(e.to_string()),
    }
}

/// Reads the figures of `lower --json-stats`.
fn understood(figures: &str) -> Fate {
    let Ok(figures) = serde_json::from_str::<serde_json::Value>(figures) else {
        return Fate::Rejected("unreadable figures".to_owned());
    };
    match figures["unsupported"].as_array().and_then(|all| all.first()) {
        None => Fate::Lowered,
        Some(first) => Fate::Unsupported(first["reason"].as_str().unwrap_or("?").to_owned()),
    }
}

/// The first complaint, without its place.
fn complaint(said: &str) -> String {
    let error = said.lines().find_map(|line| line.split_once("error: ")).map(|(_, message)| message);
    error.or(said.lines().next()).unwrap_or("nothing said").to_owned()
}

impl Row {
    fn is_lowered(&self) -> bool {
        matches!(self.fate, Fate::Lowered | Fate::Unsupported(_))
    }
}

fn line(row: &Row) -> String {
    let (fate, message) = match &row.fate {
        Fate::Lowered => ("lowered", ""),
        Fate::Unsupported(message) => ("unsupported", message.as_str()),
        Fate::Rejected(message) => ("REJECTED", message.as_str()),
        Fate::NotForUs(message) => ("gcc rejects", message.as_str()),
    };
    let text = format!(
        "{:22} {:60} {:6} {fate:12} {:6.1} s  {message}",
        row.package,
        row.file.display(),
        row.lines,
        row.seconds
    );
    text.trim_end().to_owned()
}

/// Rejected ones first, then the counts.
fn summary(rows: &[Row]) -> String {
    let rejected: Vec<&Row> = rows.iter().filter(|row| matches!(row.fate, Fate::Rejected(_))).collect();
    let mut text: String = rejected.iter().map(|row| line(row) + "\n").collect();
    let lowered: Vec<&Row> = rows.iter().filter(|row| row.is_lowered()).collect();
    let mut packages: Vec<&str> = lowered.iter().map(|row| row.package).collect();
    packages.dedup();
    let clean = rows.iter().filter(|row| row.fate == Fate::Lowered).count();
    text += &format!(
        "{} of {} sources that gcc accepts lower ({} lines of {} packages), {clean} of them without anything unsupported; \
         {} rejected, {} not for this kernel",
        lowered.len(),
        lowered.len() + rejected.len(),
        lowered.iter().map(|row| row.lines).sum::<usize>(),
        packages.len(),
        rejected.len(),
        rows.len() - lowered.len() - rejected.len(),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(file: &str, fate: Fate) -> Row {
        Row { package: "p-dkms", file: file.into(), lines: 10, fate, seconds: 1.0 }
    }

    #[test]
    fn what_we_reject_comes_first() {
        let rows = [
            row("a.c", Fate::Lowered),
            row("b.c", Fate::Unsupported("vectors".into())),
            row("c.c", Fate::Rejected("no such type".into())),
            row("d.c", Fate::NotForUs("too old".into())),
        ];
        let text = summary(&rows);
        assert!(text.starts_with("p-dkms"), "{text}");
        assert!(text.contains("REJECTED        1.0 s  no such type\n"), "{text}");
        let counts = "2 of 3 sources that gcc accepts lower (20 lines of 1 packages), 1 of them without anything \
                      unsupported; 1 rejected, 1 not for this kernel";
        assert!(text.ends_with(counts), "{text}");
    }

    #[test]
    fn figures_and_complaints_are_read() {
        assert_eq!(understood("{\"unsupported\": []}"), Fate::Lowered);
        let some = "{\"unsupported\": [{\"at\": \"x\", \"reason\": \"vectors\"}]}";
        assert_eq!(understood(some), Fate::Unsupported("vectors".into()));
        assert_eq!(complaint("a.i:3:4: error: no such type\n"), "no such type");
        assert_eq!(complaint("time limit reached\n"), "time limit reached");
    }
}
