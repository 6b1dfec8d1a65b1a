//! Measurements as a table, as CSV, and what they say about growth.

use std::fmt::Write;

use super::deciders::{Measurement, Verdict};
use super::reach::{Case, Row};

/// Where linear growth starts and ends, in levels.
const LINEAR: (usize, usize) = (250, 4000);
/// How much more than linear still counts as linear.
const TOLERANCE: f64 = 1.25;
/// This many levels have to be decided within so many seconds.
const PROMPT: (usize, f64) = (1000, 2.0);

/// All measurements; the ratio is to the BDD engine.
pub fn table(cases: &[Case], rows: &[Row]) -> String {
    let head = ["program", "engine", "verdict", "time (s)", "ratio", "size", "memory (MB)", ""];
    let mut lines: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    for row in rows {
        let m = &row.measurement;
        lines.push(vec![
            cases[row.case].name(),
            row.decider.to_owned(),
            verdict(m.verdict).to_owned(),
            m.seconds.map_or(String::new(), |seconds| format!("{seconds:.3}")),
            ratio(rows, row).map_or(String::new(), |ratio| format!("{ratio:.1}")),
            m.size.clone().unwrap_or_default(),
            m.megabytes.map_or(String::new(), |megabytes| format!("{megabytes:.0}")),
            m.reason.clone(),
        ]);
    }
    align(&lines)
}

/// Columns of equal width; numbers to the right.
fn align(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if (3..7).contains(&column) { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// A measurement while others are still to come.
pub fn line(measurement: &Measurement) -> String {
    let seconds = measurement.seconds.map_or(String::new(), |seconds| format!("{seconds:.3} s"));
    format!("{:7} {seconds} {}", verdict(measurement.verdict), measurement.reason).trim_end().to_owned()
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "safe",
        Verdict::Error => "error",
        Verdict::Unknown => "unknown",
    }
}

/// How much longer than the BDD engine a decider took for its verdict.
fn ratio(rows: &[Row], row: &Row) -> Option<f64> {
    let decided = |row: &Row| row.measurement.seconds.filter(|_| row.measurement.verdict != Verdict::Unknown);
    let reference = rows.iter().find(|other| other.case == row.case && other.decider == "bdd")?;
    Some(decided(row)? / decided(reference)?)
}

/// How the time of the BDD engine grows with the level family.
pub fn growth(cases: &[Case], rows: &[Row]) -> String {
    let mut text = String::new();
    for safe in [true, false] {
        let times: Vec<(usize, f64)> = rows
            .iter()
            .filter(|row| row.decider == "bdd" && cases[row.case].family == "level")
            .filter(|row| cases[row.case].safe == safe && cases[row.case].sizes[0] >= LINEAR.0)
            .filter_map(|row| Some((cases[row.case].sizes[0], row.measurement.seconds?)))
            .collect();
        let name = if safe { "level safe" } else { "level error" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}, bdd: {}", steps(&times));
        let time = |size| times.iter().find(|(n, _)| *n == size).map(|(_, seconds)| *seconds);
        if let (Some(first), Some(last)) = (time(LINEAR.0), time(LINEAR.1)) {
            let (times, sizes) = (last / first, LINEAR.1 as f64 / LINEAR.0 as f64);
            let answer = if times <= sizes * TOLERANCE { "yes" } else { "NO" };
            let _ = writeln!(
                text,
                "  linear from {} to {} within 25 %: {answer} ({times:.1} times the time for {sizes:.0} times \
                 the size)",
                LINEAR.0, LINEAR.1
            );
        }
        if let Some(seconds) = time(PROMPT.0) {
            let answer = if seconds <= PROMPT.1 { "yes" } else { "NO" };
            let _ = writeln!(text, "  {} levels within {} s: {answer} ({seconds:.2} s)", PROMPT.0, PROMPT.1);
        }
    }
    text
}

/// From each size to the next: how much more time.
fn steps(times: &[(usize, f64)]) -> String {
    let steps = times.windows(2).map(|pair| {
        let [(small, before), (large, after)] = [pair[0], pair[1]];
        format!("{small} to {large}: x{:.2}", after / before)
    });
    steps.collect::<Vec<_>>().join(", ")
}

/// All measurements, with commas.
pub fn csv(cases: &[Case], rows: &[Row]) -> String {
    let mut text = "family,size,expected,engine,verdict,processor_seconds,wall_seconds,ratio_to_bdd,\
        peak_size,peak_megabytes,reason\n"
        .to_owned();
    for row in rows {
        let (case, m) = (&cases[row.case], &row.measurement);
        let number = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.4}"));
        let fields = [
            case.family.to_owned(),
            case.sizes[0].to_string(),
            case.verdict().to_owned(),
            row.decider.to_owned(),
            verdict(m.verdict).to_owned(),
            number(m.seconds),
            number(m.wall),
            number(ratio(rows, row)),
            m.size.clone().unwrap_or_default(),
            number(m.megabytes),
            m.reason.replace(',', ";"),
        ];
        text += &fields.join(",");
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(case: usize, decider: &'static str, seconds: f64) -> Row {
        let unknown = Measurement::unknown("");
        let measurement = Measurement { verdict: Verdict::Safe, seconds: Some(seconds), ..unknown };
        Row { case, decider, measurement }
    }

    fn level(size: usize) -> Case {
        Case { family: "level", sizes: vec![size], safe: true }
    }

    #[test]
    fn ratios_are_to_bdd() {
        let cases = [level(8)];
        let mut rows = vec![row(0, "bdd", 0.5), row(0, "sat", 2.0)];
        rows.push(Row { case: 0, decider: "spacer", measurement: Measurement::unknown("not within 60 s") });
        let expected = "program       engine  verdict  time (s)  ratio  size  memory (MB)\n\
            level 8 safe  bdd     safe        0.500    1.0\n\
            level 8 safe  sat     safe        2.000    4.0\n\
            level 8 safe  spacer  unknown                                      not within 60 s\n";
        assert_eq!(table(&cases, &rows), expected);
        assert!(csv(&cases, &rows).contains("\nlevel,8,safe,sat,safe,2.0000,,4.0000,,,\n"));
    }

    #[test]
    fn growth_is_judged() {
        let cases = [level(250), level(1000), level(4000)];
        let text = growth(&cases, &[row(0, "bdd", 0.1), row(1, "bdd", 0.4), row(2, "bdd", 2.0)]);
        assert!(text.contains("250 to 1000: x4.00, 1000 to 4000: x5.00\n"), "{text}");
        assert!(text.contains("within 25 %: yes (20.0 times"), "{text}");
        assert!(text.contains("1000 levels within 2 s: yes (0.40 s)"), "{text}");
        let text = growth(&cases, &[row(0, "bdd", 0.1), row(1, "bdd", 2.1), row(2, "bdd", 2.1)]);
        assert!(text.contains("within 25 %: NO"), "{text}");
        assert!(text.contains("within 2 s: NO"), "{text}");
    }
}
