//! `cargo xtask bench reach`: the engines for boolean programs, and Z3's Spacer, on families of programs.
//!
//! The programs are made by the example `family` of the test kit, the engines are those of the release
//! executable, each run is a process of its own. Times are processor times, with reading the program:
//! all deciders use one thread, and this does not depend on what else the machine does. Of short runs
//! the median of three counts. A decider that gave up on a program is not tried on larger ones.
//!
//! Fails if a verdict is wrong. Whether the level family grows as it should is only stated.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::deciders::{Decider, Measurement, Verdict};
use super::report;
use crate::process::{cargo, read, run as run_program, succeeds};
use crate::{Outcome, metadata};

/// A program to decide.
pub struct Case {
    /// Which family it is of.
    pub family: &'static str,
    /// The parameters of the family; the first is its size.
    pub sizes: Vec<usize>,
    /// Whether its assertion holds.
    pub safe: bool,
}

impl Case {
    /// The arguments of the generator.
    fn words(&self) -> Vec<String> {
        let sizes = self.sizes.iter().map(usize::to_string);
        std::iter::once(self.family.to_owned()).chain(sizes).chain([self.verdict().to_owned()]).collect()
    }

    /// `safe` or `error`.
    pub fn verdict(&self) -> &'static str {
        if self.safe { "safe" } else { "error" }
    }

    /// The program in a few words.
    pub fn name(&self) -> String {
        self.words().join(" ")
    }
}

/// What a decider made of a program.
pub struct Row {
    pub case: usize,
    pub decider: &'static str,
    pub measurement: Measurement,
}

#[derive(Default)]
struct ReachBenchOptions {
    quick: bool,
    install_spacer: bool,
}

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    let mut options = ReachBenchOptions::default();
    for argument in arguments {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--install-spacer" => options.install_spacer = true,
            _ => {
                return Err(format!(
                    "unexpected argument `{argument}`; there are --quick and --install-spacer"
                ));
            }
        }
    }
    run_program(&mut cargo(["build", "--release", "--package", "hardbop"]))?;
    run_program(&mut cargo(["build", "--release", "--package", "hardbop-testkit", "--example", "family"]))?;
    let target = metadata::load()?.target_directory;
    let limit = if options.quick { 10 } else { 60 };
    let hardbop = target.join("release/hardbop");
    let mut deciders = vec![Decider::bdd(&hardbop, limit), Decider::sat(&hardbop, limit)];
    deciders.extend(spacer(&options, limit));
    let cases = cases(options.quick);
    let rows = measure_all(&cases, &deciders, &target)?;
    println!("\n{}", report::table(&cases, &rows));
    println!("{}", report::growth(&cases, &rows));
    let csv = target.join("bench-reach.csv");
    fs::write(&csv, report::csv(&cases, &rows)).map_err(|e| format!("{}: {e}", csv.display()))?;
    println!("the same as CSV: {}", csv.display());
    wrong_verdicts(&cases, &rows)
}

fn cases(quick: bool) -> Vec<Case> {
    let plan: [(&'static str, &[&[usize]]); 4] = if quick {
        [
            ("level", &[&[8], &[250], &[1000]]),
            ("dense", &[&[40, 400]]),
            ("chain", &[&[2500, 20]]),
            ("recursion", &[&[4], &[12]]),
        ]
    } else {
        [
            ("level", &[&[8], &[250], &[500], &[1000], &[2000], &[4000]]),
            ("dense", &[&[40, 400], &[60, 600], &[80, 800]]),
            ("chain", &[&[2500, 20], &[10_000, 20]]),
            ("recursion", &[&[4], &[12], &[16], &[20]]),
        ]
    };
    let mut cases = Vec::new();
    for (family, sizes) in plan {
        for safe in [true, false] {
            cases.extend(sizes.iter().map(|sizes| Case { family, sizes: sizes.to_vec(), safe }));
        }
    }
    cases
}

/// Z3, if there is one.
fn spacer(options: &ReachBenchOptions, limit: u64) -> Option<Decider> {
    let in_python = || succeeds(Command::new("python3").args(["-c", "import z3"]));
    if options.install_spacer && !in_python() {
        let pip = ["-m", "pip", "install", "z3-solver"];
        if let Err(message) = run_program(Command::new("python3").args(pip)) {
            println!("{message}");
        }
    }
    if in_python() {
        return Some(Decider::spacer_in_python(limit));
    }
    if succeeds(Command::new("z3").arg("--version")) {
        return Some(Decider::spacer_executable(limit));
    }
    println!(
        "without Z3's Spacer, which is not installed: `pip install z3-solver`, or pass --install-spacer"
    );
    None
}

fn measure_all(cases: &[Case], deciders: &[Decider], target: &Path) -> Result<Vec<Row>, String> {
    let folder = target.join("bench-reach");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let generator = target.join("release/examples/family");
    let mut rows: Vec<Row> = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let program = generate(&generator, &folder, case, false)?;
        for decider in deciders {
            if !decider.applies(case.family) {
                continue;
            }
            let gave_up = rows.iter().any(|row| {
                let smaller = &cases[row.case];
                row.decider == decider.name()
                    && (smaller.family, smaller.safe) == (case.family, case.safe)
                    && row.measurement.verdict == Verdict::Unknown
            });
            let measurement = if gave_up {
                Measurement::unknown("not tried: gave up on a smaller one")
            } else if decider.reads_horn() {
                decider.measure(&generate(&generator, &folder, case, true)?)
            } else {
                decider.measure(&program)
            };
            println!("{:24} {:7} {}", case.name(), decider.name(), report::line(&measurement));
            rows.push(Row { case: index, decider: decider.name(), measurement });
        }
    }
    Ok(rows)
}

/// Writes the program, as boolean program or as Horn clauses, and gives the file.
fn generate(generator: &Path, folder: &Path, case: &Case, horn: bool) -> Result<PathBuf, String> {
    let extension = if horn { "smt2" } else { "bp" };
    let file = folder.join(format!("{}.{extension}", case.words().join("-")));
    let mut command = Command::new(generator);
    command.args(case.words());
    if horn {
        command.arg("horn");
    }
    let text = read(&mut command)?;
    fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}

fn wrong_verdicts(cases: &[Case], rows: &[Row]) -> Outcome {
    let right = |row: &Row| match row.measurement.verdict {
        Verdict::Safe => cases[row.case].safe,
        Verdict::Error => !cases[row.case].safe,
        Verdict::Unknown => true,
    };
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| !right(row))
        .map(|row| format!("{} on {}", row.decider, cases[row.case].name()))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("wrong verdicts: {}", wrong.join("; "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_grow() {
        for quick in [true, false] {
            let cases = cases(quick);
            for pair in cases.windows(2) {
                let same = (pair[0].family, pair[0].safe) == (pair[1].family, pair[1].safe);
                assert!(!same || pair[0].sizes < pair[1].sizes, "{}", pair[1].name());
            }
        }
    }

    #[test]
    fn a_contradiction_is_an_error() {
        let cases = [Case { family: "level", sizes: vec![8], safe: true }];
        let row = |verdict| Row {
            case: 0,
            decider: "bdd",
            measurement: Measurement { verdict, ..Measurement::unknown("") },
        };
        assert!(wrong_verdicts(&cases, &[row(Verdict::Safe), row(Verdict::Unknown)]).is_ok());
        let wrong = wrong_verdicts(&cases, &[row(Verdict::Error)]);
        assert_eq!(wrong, Err("wrong verdicts: bdd on level 8 safe".to_owned()));
    }
}
