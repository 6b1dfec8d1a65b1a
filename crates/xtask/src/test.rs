//! `cargo xtask test`: everything that must hold, in stages, with a count at the end.
//!
//! A failing stage does not stop the later ones. Stages count like tests in the last line, so that a
//! formatting error is a failure too.

use std::time::Instant;

use crate::metadata;
use crate::process::{cargo, run as run_program, run_watching};
use crate::{Outcome, architecture, expect_none, fuzz_lower, hunt, licences, order, setup};

/// A name, and what to do.
type Stage = (&'static str, fn() -> Outcome);

/// What `--long` adds.
const LONG: [Stage; 1] = [("all limits of address space", room)];

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    let long = arguments.first().is_some_and(|argument| argument == "--long");
    expect_none(&arguments[usize::from(long)..])?;
    let mut report = Report::default();
    report.stage("setup", setup::for_tests);
    report.stage("format", || {
        run_program(&mut cargo(["fmt", "--all", "--check"]))?;
        run_program(&mut cargo(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))
    });
    report.stage("lint", || {
        run_program(&mut cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    });
    report.stage("documentation", || {
        run_program(cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
    });
    report.stage("licences", || licences::check(&metadata::load()?));
    report.stage("order of the crates", || order::check(&metadata::load()?));
    report.stage("architecture", || architecture::check(&metadata::load()?));
    let mut counts = Counts::default();
    report.stage("tests", || {
        run_watching(&mut cargo(["test", "--workspace", "--no-fail-fast"]), |line| counts.add(line))
    });
    report.stage("comparison with gcc", fuzz_lower::some);
    report.stage("hunt for wrong verdicts", if long { hunt::much } else { hunt::some });
    for (name, work) in LONG.into_iter().filter(|_| long) {
        report.stage(name, work);
    }
    report.finish(counts)
}

/// Each limit from 50,000 to 1,000,000 KiB in steps of 10,000 gives a verdict or says why not, within 5 seconds.
fn room() -> Outcome {
    let sweep = ["test", "--release", "-p", "hardbop", "--test", "limits", "--", "--ignored"];
    run_program(&mut cargo(sweep))
}

/// How the stages went.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    counts: Counts,
}

impl Report {
    fn stage(&mut self, name: &str, work: impl FnOnce() -> Outcome) {
        println!("\n== {name}");
        let start = Instant::now();
        let result = work();
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(()) => {
                self.counts.passed += 1;
                self.lines.push(format!("ok      {seconds:>7.1} s  {name}"));
            }
            Err(message) => {
                self.counts.failed += 1;
                self.lines.push(format!("FAILED  {seconds:>7.1} s  {name}: {message}"));
                println!("{message}");
            }
        }
    }

    fn finish(self, tests: Counts) -> Outcome {
        println!("\n{}\n", self.lines.join("\n"));
        let passed = self.counts.passed + tests.passed;
        let failed = self.counts.failed + tests.failed;
        if tests.ignored > 0 {
            println!("{} tests ignored", tests.ignored);
        }
        println!("{passed} passed, {failed} failed");
        if failed == 0 { Ok(()) } else { Err("something failed, see above".to_owned()) }
    }
}

/// Sums of what `cargo test` reports per test program.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Counts {
    /// Adds up lines such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    fn add(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for count in counts.split("; ") {
            match count.split_once(' ').map(|(number, word)| (number.parse::<u64>(), word)) {
                Some((Ok(number), "passed")) => self.passed += number,
                Some((Ok(number), "failed")) => self.failed += number,
                Some((Ok(number), "ignored")) => self.ignored += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn sums_up_results() {
        let mut counts = Counts::default();
        counts.add("running 3 tests");
        counts.add(
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.2s",
        );
        counts.add("test result: FAILED. 2 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(counts, Counts { passed: 5, failed: 4, ignored: 1 });
    }
}
