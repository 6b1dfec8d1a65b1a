//! Only the command line and the tools of developers touch files, clocks, the environment or other processes.
//!
//! Engines learn that time is up from a budget, and get texts as strings, so that what they answer depends on what they
//! are given alone.

use regex_lite::Regex;

use super::sources::Source;

/// Crates that may, and why.
const TOUCHES: [(&str, &str); 5] = [
    ("crates/hardbop/", "the command line"),
    ("crates/xtask/", "developer commands"),
    ("crates/hunt/", "runs gcc, and writes what it finds"),
    ("crates/shadow/", "reads the programs of tests"),
    ("crates/testkit/", "where benchmarks are is said by the environment"),
];

/// Sources that touch the world without leave, and leaves that nobody needs.
pub fn offences(sources: &[&Source]) -> Vec<String> {
    offences_but(sources, &TOUCHES)
}

fn offences_but(sources: &[&Source], touches: &[(&str, &str)]) -> Vec<String> {
    let touching: Vec<(&str, String)> = sources
        .iter()
        .filter_map(|source| Some((source.path.as_str(), first_touch(&source.code)?)))
        .collect();
    let may = |path: &str| touches.iter().any(|(folder, _)| path.starts_with(folder));
    let mut found: Vec<String> = touching
        .iter()
        .filter(|(path, _)| !may(path))
        .map(|(path, what)| format!("{path} mentions {what}, which is for the command line"))
        .collect();
    let idle =
        touches.iter().filter(|(folder, _)| !touching.iter().any(|(path, _)| path.starts_with(folder)));
    found.extend(
        idle.map(|(folder, _)| format!("{folder} touches nothing: drop it from the list of those who may")),
    );
    found
}

/// The first mention of files, the environment, processes, the network or a clock.
fn first_touch(code: &str) -> Option<String> {
    let touch = Regex::new(r"\bstd::(?:fs|env|process|net)\b|\b(?:Instant|SystemTime)::now\b").ok()?;
    touch.find(code).map(|found| found.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touches_are_found() {
        let sources = [
            Source::new("crates/ir/src/a.rs", "use std::fs;", false),
            Source::new("crates/ir/src/b.rs", "use std::time::Duration; fn stdfs() {} // std::fs", false),
            Source::new("crates/ir/tests/c.rs", "use std::fs;", true),
            Source::new("crates/hardbop/src/d.rs", "let now = Instant::now();", false),
        ];
        let sources: Vec<&Source> = sources.iter().collect();
        assert_eq!(
            offences_but(&sources, &[("crates/hardbop/", "why"), ("crates/hunt/", "why")]),
            [
                "crates/ir/src/a.rs mentions std::fs, which is for the command line",
                "crates/hunt/ touches nothing: drop it from the list of those who may",
            ]
        );
    }
}
