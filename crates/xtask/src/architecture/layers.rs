//! What a crate must know nothing of, along any chain of dependencies.
//!
//! Each manifest says it, by names of other crates:
//!
//! ```toml
//! [package.metadata.hardbop]
//! knows_nothing_of = ["path", "bp"]
//! not_yet = { bp = "abstraction brings it along" }
//! ```
//!
//! `not_yet` lists promises that are still broken, with the reason; a promise that is kept must not be listed.
//! Dependencies of tests are exempt. The table of crates in `ARCHITECTURE.md` names the same crates in its third
//! column, in backticks, between whatever else it says there.

use std::collections::{BTreeMap, BTreeSet};

use super::short;
use crate::metadata::Package;

/// Promises that are broken, or that cannot be.
pub fn offences(members: &[&Package]) -> Vec<String> {
    let known: BTreeSet<&str> = members
        .iter()
        .flat_map(|package| package.dependencies.iter().chain([&package.name]))
        .map(|name| short(name))
        .collect();
    members.iter().flat_map(|package| offences_of(package, members, &known)).collect()
}

fn offences_of(package: &Package, members: &[&Package], known: &BTreeSet<&str>) -> Vec<String> {
    let name = short(&package.name);
    let chains = chains(package, members);
    let mut found = Vec::new();
    for other in &package.knows_nothing_of {
        let excused = package.not_yet.contains_key(other);
        match chains.get(other.as_str()) {
            _ if !known.contains(other.as_str()) => {
                found.push(format!("{name} must know nothing of {other}, which does not exist"));
            }
            Some(chain) if !excused => {
                found.push(format!("{name} must know nothing of {other}, but {}", chain.join(" uses ")));
            }
            None if excused => found.push(format!("{name} knows nothing of {other} now: drop its `not_yet`")),
            Some(_) | None => {}
        }
    }
    let idle = package.not_yet.keys().filter(|other| !package.knows_nothing_of.contains(other));
    found.extend(idle.map(|other| format!("{name}: `not_yet` names {other}, which it may know")));
    found
}

/// For each crate that is reached, one of the shortest chains that lead there. Chains go through our own crates.
fn chains<'m>(start: &'m Package, members: &[&'m Package]) -> BTreeMap<&'m str, Vec<&'m str>> {
    let mut chains = BTreeMap::from([(short(&start.name), vec![short(&start.name)])]);
    let mut pending = std::collections::VecDeque::from([start]);
    while let Some(package) = pending.pop_front() {
        let Some(here) = chains.get(short(&package.name)).cloned() else { continue };
        for used in &package.dependencies {
            if chains.contains_key(short(used)) {
                continue;
            }
            chains.insert(short(used), here.iter().copied().chain([short(used)]).collect());
            pending.extend(members.iter().find(|member| member.name == *used));
        }
    }
    chains.remove(short(&start.name));
    chains
}

/// Where the table of crates and the manifests say different things.
pub fn table_offences(members: &[&Package], map: &str) -> Vec<String> {
    let rows = rows(map);
    let listed: Vec<&str> = rows.iter().flat_map(|row| row.crates.iter().copied()).collect();
    let ours: Vec<&str> = members.iter().map(|package| short(&package.name)).collect();
    if listed != ours {
        let (listed, ours) = (listed.join(", "), ours.join(", "));
        return vec![format!("ARCHITECTURE.md lists the crates {listed}; the root Cargo.toml {ours}")];
    }
    let mut found = Vec::new();
    for row in &rows {
        for package in members.iter().filter(|package| row.crates.contains(&short(&package.name))) {
            let said: BTreeSet<&str> = row.unknown.iter().copied().collect();
            let promised: BTreeSet<&str> = package.knows_nothing_of.iter().map(String::as_str).collect();
            if said != promised {
                let name = short(&package.name);
                let (said, promised) = (list(&said), list(&promised));
                found.push(format!(
                    "{name} knows nothing of {said} in ARCHITECTURE.md, {promised} in its manifest"
                ));
            }
        }
    }
    found
}

fn list(names: &BTreeSet<&str>) -> String {
    if names.is_empty() {
        return "no crate".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A row of the table of crates.
struct Row<'t> {
    crates: Vec<&'t str>,
    unknown: Vec<&'t str>,
}

/// The rows of the table whose head is `| crate | owns | knows nothing of |`.
fn rows(map: &str) -> Vec<Row<'_>> {
    let table = map.lines().skip_while(|line| !line.starts_with("| crate | owns | knows nothing of |"));
    let lines = table.skip(2).take_while(|line| line.starts_with('|'));
    let row = |line| {
        let columns: Vec<&str> = str::split(line, '|').collect();
        let column = |index: usize| columns.get(index).map_or_else(Vec::new, |column| quoted(column));
        Row { crates: column(1), unknown: column(3) }
    };
    lines.map(row).collect()
}

/// What stands in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, uses: &[&str], unknown: &[&str], not_yet: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            member: true,
            dependencies: uses.iter().map(|&used| used.to_owned()).collect(),
            knows_nothing_of: unknown.iter().map(|&other| other.to_owned()).collect(),
            not_yet: not_yet.iter().map(|&other| (other.to_owned(), "because".to_owned())).collect(),
            ..Package::default()
        }
    }

    #[test]
    fn chains_are_followed() {
        let base = package("hardbop-base", &["sat"], &[], &[]);
        let ir = package("hardbop-ir", &["hardbop-base"], &[], &[]);
        let top = package("hardbop-top", &["hardbop-ir"], &["base", "sat", "nothing"], &[]);
        assert_eq!(
            offences(&[&base, &ir, &top]),
            [
                "top must know nothing of base, but top uses ir uses base",
                "top must know nothing of sat, but top uses ir uses base uses sat",
                "top must know nothing of nothing, which does not exist",
            ]
        );
    }

    #[test]
    fn excuses_are_needed() {
        let base = package("hardbop-base", &[], &[], &[]);
        let kept = package("hardbop-kept", &[], &["base"], &["base"]);
        let broken = package("hardbop-broken", &["hardbop-base"], &["base"], &["base", "kept"]);
        assert_eq!(
            offences(&[&base, &kept, &broken]),
            [
                "kept knows nothing of base now: drop its `not_yet`",
                "broken: `not_yet` names kept, which it may know"
            ]
        );
    }

    #[test]
    fn the_table_agrees() {
        let base = package("hardbop-base", &[], &[], &[]);
        let ir = package("hardbop-ir", &[], &["logic"], &[]);
        let head = "| crate | owns | knows nothing of |\n|---|---|---|\n";
        let good =
            format!("# Map\n\n{head}| `base` | ids | files |\n| `ir` | programs | C, `logic` |\n\nText\n");
        assert_eq!(table_offences(&[&base, &ir], &good), [""; 0]);
        let other = good.replace("`logic`", "logic");
        assert_eq!(
            table_offences(&[&base, &ir], &other),
            ["ir knows nothing of no crate in ARCHITECTURE.md, `logic` in its manifest"]
        );
        let short = good.replace("| `base` | ids | files |\n", "");
        assert_eq!(
            table_offences(&[&base, &ir], &short),
            ["ARCHITECTURE.md lists the crates ir; the root Cargo.toml base, ir"]
        );
    }
}
