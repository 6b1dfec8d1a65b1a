//! gcc as the oracle: a program is compiled twice, plainly and with sanitizers, and run on all inputs.
//!
//! A value counts as observed only in runs that the sanitizers let pass: after undefined
//! behaviour anything may happen, so what is seen there says nothing about the checker.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::random::case::Case;

/// How C is meant here.
const GCC: [&str; 8] =
    ["-O0", "-g0", "-fwrapv", "-fno-strict-aliasing", "-fcommon", "-w", "-std=gnu11", "-Dmain=hunt_main"];

/// What is not allowed in a run. Misaligned accesses and shifts of negative numbers have a meaning here.
const SANITIZERS: [&str; 4] = [
    "-fsanitize=address,undefined",
    "-fsanitize=float-cast-overflow",
    "-fno-sanitize=alignment,shift-base,object-size,null,nonnull-attribute",
    "-fno-sanitize-recover=all",
];

/// What the sanitizers let pass although it is out of the ordinary.
const SANITIZER_OPTIONS: &str = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=64";

/// Flags for a data model: doubles are doubles also where registers would have room for more.
fn model(bits: u32) -> &'static [&'static str] {
    if bits == 32 { &["-m32", "-msse2", "-mfpmath=sse"] } else { &["-m64"] }
}

/// What gcc's program observes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observed {
    /// The values at each point, in runs that are well defined.
    pub clean: Vec<BTreeSet<i64>>,
    /// The values at each point in any run.
    pub any: Vec<BTreeSet<i64>>,
    /// Whether all runs are well defined.
    pub all_clean: bool,
}

/// The compiler and where it works.
#[derive(Debug, Clone)]
pub struct Oracle {
    folder: PathBuf,
}

impl Oracle {
    /// An oracle that works in a folder.
    pub fn new(folder: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let driver = folder.join("oracle.c");
        std::fs::write(&driver, include_str!("oracle.c"))
            .map_err(|e| format!("{}: {e}", driver.display()))?;
        Ok(Oracle { folder: folder.to_owned() })
    }

    /// Whether programs of so many bits can be compiled and run.
    pub fn can(&self, bits: u32) -> bool {
        let plain = "int main(void) { return 0; }\n".to_owned();
        let case = Case { kind: "", files: vec![plain], inputs: 0, range: 1, layout: false };
        self.observe(&case, bits).is_ok()
    }

    /// Runs a program on all its inputs.
    pub fn observe(&self, case: &Case, bits: u32) -> Result<Observed, String> {
        let files = self.write(&case.observed())?;
        let plain = self.run(&files, case, bits, &[])?;
        let watched = self.run(&files, case, bits, &SANITIZERS)?;
        let points = case.points();
        let mut observed = Observed {
            clean: vec![BTreeSet::new(); points],
            any: vec![BTreeSet::new(); points],
            all_clean: true,
        };
        for (run, watched) in plain.iter().zip(&watched) {
            let clean = run.status == 0 && watched.status == 0;
            observed.all_clean &= clean;
            for &(point, value) in &run.values {
                if point < points {
                    observed.any[point].insert(value);
                    if clean {
                        observed.clean[point].insert(value);
                    }
                }
            }
        }
        Ok(observed)
    }

    fn write(&self, files: &[String]) -> Result<Vec<PathBuf>, String> {
        let mut paths = Vec::new();
        for (number, text) in files.iter().enumerate() {
            let path = self.folder.join(format!("observed-{number}.c"));
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
            paths.push(path);
        }
        Ok(paths)
    }

    /// The driver, compiled once for each way.
    fn driver(&self, bits: u32, flags: &[&str]) -> Result<PathBuf, String> {
        let kind = if flags.is_empty() { "plain" } else { "watched" };
        let object = self.folder.join(format!("oracle-{bits}-{kind}.o"));
        if !object.is_file() {
            let mut command = Command::new("gcc");
            command.args(["-O1", "-w", "-c"]).args(model(bits)).args(flags);
            run_quietly(command.arg(self.folder.join("oracle.c")).arg("-o").arg(&object))?;
        }
        Ok(object)
    }

    fn run(&self, files: &[PathBuf], case: &Case, bits: u32, flags: &[&str]) -> Result<Vec<OneRun>, String> {
        let driver = self.driver(bits, flags)?;
        let program = self.folder.join("observed");
        let mut command = Command::new("gcc");
        command.args(GCC).args(model(bits)).args(flags).args(files).arg(driver);
        run_quietly(command.arg("-o").arg(&program).arg("-lm"))?;
        let mut command = Command::new(&program);
        command.args([case.inputs.to_string(), case.range.to_string()]);
        command.env("ASAN_OPTIONS", SANITIZER_OPTIONS).stdin(Stdio::null()).stderr(Stdio::null());
        let done = command.output().map_err(|e| e.to_string())?;
        Ok(runs_of(&String::from_utf8_lossy(&done.stdout)))
    }
}

/// What one run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OneRun {
    values: Vec<(usize, i64)>,
    status: i32,
}

fn runs_of(text: &str) -> Vec<OneRun> {
    let mut runs: Vec<OneRun> = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        match (words.next(), runs.last_mut()) {
            (Some("run"), _) => runs.push(OneRun { status: -1, ..OneRun::default() }),
            (Some("v"), Some(run)) => {
                let point = words.next().and_then(|word| word.parse().ok());
                let value = words.next().and_then(|word| word.parse().ok());
                run.values.extend(point.zip(value));
            }
            (Some("end"), Some(run)) => {
                run.status = words.next().and_then(|word| word.parse().ok()).unwrap_or(-1);
            }
            _ => {}
        }
    }
    runs
}

fn run_quietly(command: &mut Command) -> Result<(), String> {
    let done = command.stdin(Stdio::null()).output().map_err(|e| e.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(said.lines().find(|line| line.contains("error")).unwrap_or("gcc failed").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read() {
        let runs = runs_of("run 0\nv 1 -5\nv 0 7\nend 0\nrun 1\nend 1006\nrun 2\n");
        assert_eq!(runs[0], OneRun { values: vec![(1, -5), (0, 7)], status: 0 });
        assert_eq!((runs[1].status, runs[2].status), (1006, -1));
    }
}
