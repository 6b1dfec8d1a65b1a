//! What decides a program: an engine of the release executable, or Z3's Spacer.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::root;

/// Runs that take less, in seconds, are repeated.
const SHORT: f64 = 5.0;
/// How many times its limit of processor time a run may take where others want the processors too.
const PATIENCE: u64 = 5;
/// The most memory a decider may use.
const MEGABYTES: u64 = 4096;

/// Something that decides programs within a limit of seconds of processor time.
pub struct Decider {
    kind: Kind,
    limit: u64,
}

enum Kind {
    Bdd(PathBuf),
    Sat(PathBuf),
    SpacerInPython,
    SpacerExecutable,
}

/// What a decider found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Safe,
    Error,
    Unknown,
}

/// A run, or the median of several.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    pub verdict: Verdict,
    /// Why there is no verdict.
    pub reason: String,
    /// Processor time in seconds.
    pub seconds: Option<f64>,
    /// Wall-clock time in seconds.
    pub wall: Option<f64>,
    /// How large it became, in units of its own.
    pub size: Option<String>,
    /// The most memory used.
    pub megabytes: Option<f64>,
}

impl Measurement {
    /// Nothing was found out.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Measurement {
            verdict: Verdict::Unknown,
            reason: reason.into(),
            seconds: None,
            wall: None,
            size: None,
            megabytes: None,
        }
    }
}

impl Decider {
    pub fn bdd(hardbop: &Path, limit: u64) -> Self {
        Decider { kind: Kind::Bdd(hardbop.to_owned()), limit }
    }

    pub fn sat(hardbop: &Path, limit: u64) -> Self {
        Decider { kind: Kind::Sat(hardbop.to_owned()), limit }
    }

    pub fn spacer_in_python(limit: u64) -> Self {
        Decider { kind: Kind::SpacerInPython, limit }
    }

    pub fn spacer_executable(limit: u64) -> Self {
        Decider { kind: Kind::SpacerExecutable, limit }
    }

    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Bdd(_) => "bdd",
            Kind::Sat(_) => "sat",
            Kind::SpacerInPython | Kind::SpacerExecutable => "spacer",
        }
    }

    /// Whether it handles the programs of a family at all.
    pub fn applies(&self, family: &str) -> bool {
        !(matches!(self.kind, Kind::Sat(_)) && family == "recursion")
    }

    /// Whether it reads Horn clauses instead of boolean programs.
    pub fn reads_horn(&self) -> bool {
        matches!(self.kind, Kind::SpacerInPython | Kind::SpacerExecutable)
    }

    /// Decides the program of a file.
    pub fn measure(&self, file: &Path) -> Measurement {
        let first = self.once(file);
        if first.verdict == Verdict::Unknown || first.seconds.is_none_or(|seconds| seconds > SHORT) {
            return first;
        }
        let mut runs = [first, self.once(file), self.once(file)];
        runs.sort_by(|a, b| a.seconds.unwrap_or(f64::MAX).total_cmp(&b.seconds.unwrap_or(f64::MAX)));
        let [_, median, _] = runs;
        median
    }

    fn once(&self, file: &Path) -> Measurement {
        let mut command = self.command();
        let output = match command.arg(file).stdin(Stdio::null()).stderr(Stdio::null()).output() {
            Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
            Err(error) => return Measurement::unknown(error.to_string()),
        };
        let read = match self.kind {
            Kind::Bdd(_) | Kind::Sat(_) => read_json(&output),
            Kind::SpacerInPython => read_line(&output),
            Kind::SpacerExecutable => read_statistics(&output),
        };
        match read {
            Some(mut read) if read.verdict == Verdict::Unknown => {
                let out_of_time = ["", "time limit reached", "timeout", "canceled"];
                if out_of_time.contains(&read.reason.as_str()) {
                    read.reason = self.out_of_time();
                }
                read
            }
            Some(read) => read,
            None => Measurement::unknown(self.out_of_time()),
        }
    }

    fn out_of_time(&self) -> String {
        format!("not within {} s", self.limit)
    }

    /// The limit is one of processor time, so that a busy machine does not change what can be decided.
    fn command(&self) -> Command {
        let (limit, patience) = (self.limit, PATIENCE * self.limit);
        let mut command = Command::new("timeout");
        command.args(["--kill-after", "5", &(patience + 10).to_string()]);
        command.args(["sh", "-c", &format!("ulimit -t {limit}; exec \"$@\""), "sh"]);
        match &self.kind {
            Kind::Bdd(hardbop) | Kind::Sat(hardbop) => {
                command.arg(hardbop).args(["reach", "--json", "--stats", "--engine", self.name()]);
                command.args(["--timeout", &format!("{patience}s"), "--memory", &format!("{MEGABYTES}M")]);
            }
            Kind::SpacerInPython => {
                let script = root().join("crates/testkit/src/boolean/spacer.py");
                command.arg("python3").arg(script).args([patience.to_string(), MEGABYTES.to_string()]);
            }
            Kind::SpacerExecutable => {
                command.args(["z3", "-st", &format!("-T:{patience}"), &format!("-memory:{MEGABYTES}")]);
            }
        }
        command
    }
}

/// What `hardbop reach --json` prints.
fn read_json(text: &str) -> Option<Measurement> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let stat = |name: &str| document["stats"][name].as_str();
    let figure = |name: &str| stat(name)?.split(' ').next()?.parse::<f64>().ok();
    let terms = || stat("function terms").map(|terms| format!("{terms} terms"));
    let verdict = match document["verdict"].as_str()? {
        "TRUE" => Verdict::Safe,
        "FALSE" => Verdict::Error,
        _ => Verdict::Unknown,
    };
    Some(Measurement {
        verdict,
        reason: document["reason"].as_str().filter(|_| verdict == Verdict::Unknown).unwrap_or("").to_owned(),
        seconds: figure("processor time").map(|millis| millis / 1e3),
        wall: figure("time").map(|millis| millis / 1e3),
        size: stat("peak nodes").map(|nodes| format!("{nodes} nodes")).or_else(terms),
        megabytes: figure("peak memory"),
    })
}

/// What `spacer.py` prints.
fn read_line(text: &str) -> Option<Measurement> {
    let mut words = text.split_whitespace();
    let verdict = horn_verdict(words.next()?);
    let mut figure = || words.next()?.parse::<f64>().ok();
    let (seconds, wall) = (figure(), figure());
    let megabytes = figure().map(|kilobytes| kilobytes * 1024.0 / 1e6);
    let reason: Vec<&str> = words.collect();
    Some(Measurement { verdict, seconds, wall, megabytes, ..Measurement::unknown(reason.join(" ")) })
}

/// What `z3 -st` prints: the verdict, then a list such as `(:max-memory 18.3 … :total-time 0.2)`.
fn read_statistics(text: &str) -> Option<Measurement> {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|w| !w.is_empty()).collect();
    let verdict = horn_verdict(words.first()?);
    let figure = |name: &str| {
        let place = words.iter().position(|word| *word == name)?;
        words.get(place + 1)?.parse::<f64>().ok()
    };
    let seconds = figure(":total-time").or(figure(":time"));
    Some(Measurement {
        verdict,
        seconds,
        wall: seconds,
        megabytes: figure(":max-memory"),
        ..Measurement::unknown("")
    })
}

/// The clauses have a model iff the error cannot be reached.
fn horn_verdict(word: &str) -> Verdict {
    match word {
        "sat" => Verdict::Safe,
        "unsat" => Verdict::Error,
        _ => Verdict::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_hardbop_prints() {
        let text = r#"{"verdict": "TRUE", "reason": "no assertion can fail", "stats": {"time": "12.5 ms",
            "processor time": "10.0 ms", "peak nodes": "321", "peak memory": "20.5 MB"}}"#;
        let expected = Measurement {
            verdict: Verdict::Safe,
            reason: String::new(),
            seconds: Some(0.01),
            wall: Some(0.0125),
            size: Some("321 nodes".to_owned()),
            megabytes: Some(20.5),
        };
        assert_eq!(read_json(text), Some(expected));
        let unknown = read_json(r#"{"verdict": "UNKNOWN", "reason": "time limit reached"}"#);
        assert_eq!(unknown, Some(Measurement::unknown("time limit reached")));
        assert_eq!(read_json(""), None);
    }

    #[test]
    fn reads_what_z3_prints() {
        let line = read_line("unsat 0.2500 0.3000 2000\n").unwrap_or(Measurement::unknown(""));
        assert_eq!((line.verdict, line.seconds, line.wall), (Verdict::Error, Some(0.25), Some(0.3)));
        assert_eq!(line.megabytes, Some(2.048));
        let line = read_line("unknown 1 1 1000 out of memory\n").unwrap_or(Measurement::unknown(""));
        assert_eq!((line.verdict, line.reason.as_str()), (Verdict::Unknown, "out of memory"));
        let text = "sat\n(:max-memory   18.50\n :time   0.01\n :total-time   0.02)\n";
        let list = read_statistics(text).unwrap_or(Measurement::unknown(""));
        assert_eq!((list.verdict, list.seconds, list.megabytes), (Verdict::Safe, Some(0.02), Some(18.5)));
        assert_eq!(read_statistics("timeout\n").map(|read| read.verdict), Some(Verdict::Unknown));
        assert_eq!(read_line(""), None);
    }
}
