//! `cargo xtask bench abstract`: predicate abstraction of a generated driver.
//!
//! The reference is `003…` §10: 350 lines and 35 predicates in under a minute, on a machine of 2001. Here
//! that takes about a second, and so does each growth: ten times the lines, twice the predicates. Both
//! backends, one and two threads; and what one more predicate costs when the others are done.
//!
//! The program is made and abstracted by the example `abstraction` of the test kit. It also compares the
//! boolean program that came about by adding a predicate with the one made at once. Times are processor
//! times; with two threads the time on the wall is what counts, so that is there too.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::{cargo, read, run as run_program};
use crate::{Outcome, metadata};

/// The sizes: lines and predicates. The first is the one that the others are compared with.
const SIZES: [(usize, usize); 3] = [(350, 35), (3500, 35), (350, 70)];

/// So much time for the first size, in seconds.
const PROMPT: f64 = 1.0;

/// One more predicate costs at most this part of the whole.
const SMALL: f64 = 0.15;

/// Figures by name.
type Figures = BTreeMap<String, f64>;

/// A run: size, backend, threads, and what came out.
struct Row {
    size: (usize, usize),
    backend: &'static str,
    threads: usize,
    figures: Figures,
}

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    let quick = match arguments {
        [] => false,
        [only] if only == "--quick" => true,
        _ => return Err("`bench abstract` has one option, --quick".to_owned()),
    };
    let example = ["build", "--release", "--package", "hardbop-testkit", "--example", "abstraction"];
    run_program(&mut cargo(example))?;
    let target = metadata::load()?.target_directory;
    let program = target.join("release/examples/abstraction");
    let mut rows = Vec::new();
    for size in SIZES.into_iter().take(if quick { 1 } else { SIZES.len() }) {
        for (backend, threads) in [("blast", 1), ("blast", 2), ("z3", 1), ("z3", 2)] {
            rows.push(Row { size, backend, threads, figures: measure(&program, size, backend, threads)? });
            println!("{} lines, {} predicates, {backend}, {threads} threads", size.0, size.1);
        }
    }
    println!("\n{}\n{}", table(&rows), findings(&rows));
    let csv = target.join("bench-abstract.csv");
    fs::write(&csv, as_csv(&rows)).map_err(|e| format!("{}: {e}", csv.display()))?;
    println!("the same as CSV: {}", csv.display());
    Ok(())
}

fn measure(program: &Path, size: (usize, usize), backend: &str, threads: usize) -> Result<Figures, String> {
    let mut command = Command::new(program);
    command.args([size.0.to_string(), size.1.to_string(), backend.to_owned(), threads.to_string()]);
    figures(&read(&mut command)?)
}

/// Reads lines of a name and a number.
fn figures(text: &str) -> Result<Figures, String> {
    let pair = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    text.lines().map(|line| pair(line).ok_or_else(|| format!("what is `{line}`?"))).collect()
}

impl Row {
    fn figure(&self, name: &str) -> f64 {
        self.figures.get(name).copied().unwrap_or(f64::NAN)
    }
}

/// The columns: head, figure, digits.
const COLUMNS: [(&str, &str, usize); 9] = [
    ("steps", "steps", 0),
    ("queries", "whole-queries", 0),
    ("by model", "whole-by-model", 0),
    ("gave up", "whole-gave-up", 0),
    ("time (s)", "whole-processor-seconds", 3),
    ("wall (s)", "whole-seconds", 3),
    ("one more: queries", "more-queries", 0),
    ("time (s)", "more-processor-seconds", 3),
    ("wall (s)", "more-seconds", 3),
];

fn table(rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = Vec::new();
    let head = ["lines", "predicates", "solver", "threads"].into_iter().chain(COLUMNS.iter().map(|c| c.0));
    lines.push(head.map(str::to_owned).collect());
    for row in rows {
        let mut line: Vec<String> =
            [row.figure("lines"), row.figure("predicates")].map(|n| n.to_string()).into();
        line.extend([row.backend.to_owned(), row.threads.to_string()]);
        line.extend(COLUMNS.iter().map(|&(_, name, digits)| format!("{:.*}", digits, row.figure(name))));
        lines.push(line);
    }
    let widths: Vec<usize> =
        (0..lines[0].len()).map(|i| lines.iter().map(|line| line[i].len()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        text += &cells.collect::<Vec<_>>().join("  ");
        text.push('\n');
    }
    text
}

/// What the figures say.
fn findings(rows: &[Row]) -> String {
    let mut text = String::new();
    for backend in ["blast", "z3"] {
        let find = |size, threads| {
            rows.iter().find(|row| row.size == size && row.backend == backend && row.threads == threads)
        };
        let Some(first) = find(SIZES[0], 1) else { continue };
        let seconds = first.figure("whole-processor-seconds");
        let answer = if seconds <= PROMPT { "yes" } else { "NO" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{backend}: 350 lines and 35 predicates within {PROMPT} s: {answer} ({seconds:.2} s)"
        );
        for (size, what) in [(SIZES[1], "ten times the lines"), (SIZES[2], "twice the predicates")] {
            if let Some(row) = find(size, 1) {
                let times = |name| row.figure(name) / first.figure(name);
                let _ = writeln!(
                    text,
                    "  {what}: x{:.1} the time, x{:.1} the queries",
                    times("whole-processor-seconds"),
                    times("whole-queries")
                );
            }
        }
        for size in SIZES {
            let (Some(one), two) = (find(size, 1), find(size, 2)) else { continue };
            let part = one.figure("more-processor-seconds") / one.figure("whole-processor-seconds");
            let small = if part <= SMALL { "" } else { ", NOT small" };
            let _ = writeln!(
                text,
                "  {} lines, {} predicates: one more predicate costs {:.0} % of the time, {:.0} % of the queries{small}",
                size.0,
                size.1,
                100.0 * part,
                100.0 * one.figure("more-queries") / one.figure("whole-queries")
            );
            if let Some(two) = two {
                let gain = one.figure("whole-seconds") / two.figure("whole-seconds");
                let _ = writeln!(text, "    two threads: x{gain:.2} as fast on the wall");
            }
        }
    }
    text
}

fn as_csv(rows: &[Row]) -> String {
    let mut names: Vec<&String> = rows.iter().flat_map(|row| row.figures.keys()).collect();
    names.sort();
    names.dedup();
    let mut text = "solver,threads".to_owned();
    names.iter().for_each(|name| text += &format!(",{name}"));
    text.push('\n');
    for row in rows {
        text += &format!("{},{}", row.backend, row.threads);
        names.iter().for_each(|name| text += &format!(",{}", row.figure(name)));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(size: (usize, usize), threads: usize, time: f64) -> Row {
        let text = format!(
            "lines {}\npredicates {}\nwhole-queries 100\nmore-queries 5\nwhole-processor-seconds {time}\n\
             whole-seconds {time}\nmore-processor-seconds 0.05",
            size.0, size.1
        );
        Row { size, backend: "blast", threads, figures: figures(&text).unwrap_or_default() }
    }

    #[test]
    fn growth_is_stated() {
        let rows = [row(SIZES[0], 1, 0.5), row(SIZES[0], 2, 0.25), row(SIZES[1], 1, 5.0)];
        let text = findings(&rows);
        assert!(text.contains("35 predicates within 1 s: yes (0.50 s)"), "{text}");
        assert!(text.contains("ten times the lines: x10.0 the time, x1.0 the queries"), "{text}");
        assert!(text.contains("one more predicate costs 10 % of the time, 5 % of the queries\n"), "{text}");
        assert!(text.contains("two threads: x2.00 as fast"), "{text}");
    }

    #[test]
    fn what_is_no_figure_is_an_error() {
        assert!(figures("steps 5\n").is_ok());
        assert_eq!(figures("steps many"), Err("what is `steps many`?".to_owned()));
    }
}
