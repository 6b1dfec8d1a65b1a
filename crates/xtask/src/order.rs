//! The order check: a crate uses only crates that the root `Cargo.toml` lists above it.
//!
//! Dependencies of tests are exempt: test helpers come last and everybody's tests may use them.

use std::fs;

use crate::Outcome;
use crate::metadata::Metadata;
use crate::process::root;

/// Names every dependency that points down the list.
pub fn check(metadata: &Metadata) -> Outcome {
    let names = names()?;
    let ours = metadata.packages.iter().filter(|package| package.member);
    let uses = ours
        .flat_map(|package| package.dependencies.iter().map(|used| (package.name.as_str(), used.as_str())));
    let offenders = offenders(&names, uses);
    if offenders.is_empty() {
        println!("{} members, each uses only those above it", names.len());
        return Ok(());
    }
    Err(format!("dependencies against the order of the root Cargo.toml:\n  {}", offenders.join("\n  ")))
}

/// The names of the members, in the order of the root `Cargo.toml`.
pub fn names() -> Result<Vec<String>, String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))
        .map_err(|error| format!("cannot read the root Cargo.toml: {error}"))?;
    let members = members(&manifest).ok_or("the root Cargo.toml has no plain list of members")?;
    members.iter().map(|member| package_name(member)).collect()
}

fn offenders<'a>(order: &[String], uses: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let place = |name: &str| order.iter().position(|listed| listed == name);
    let wrong = uses.filter(|(user, used)| match (place(user), place(used)) {
        (Some(user), Some(used)) => used >= user,
        (None, _) => true,
        (Some(_), None) => false,
    });
    wrong.map(|(user, used)| format!("{user} uses {used}")).collect()
}

/// The quoted strings of `members = [ … ]`.
fn members(manifest: &str) -> Option<Vec<String>> {
    let (_, list) = manifest.split_once("\nmembers = [")?;
    let (list, _) = list.split_once(']')?;
    let lines = list.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    let entries = lines.flat_map(|line| line.split(',')).map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(|entry| Some(entry.strip_prefix('"')?.strip_suffix('"')?.to_owned())).collect()
}

/// The name that the manifest of a member gives its package.
fn package_name(member: &str) -> Result<String, String> {
    let manifest = fs::read_to_string(root().join(member).join("Cargo.toml"))
        .map_err(|error| format!("cannot read {member}/Cargo.toml: {error}"))?;
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    name.map(str::to_owned).ok_or_else(|| format!("{member}/Cargo.toml does not name its package"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_list() {
        let manifest = "[workspace]\nmembers = [\n    \"a\", # first\n    \"b\",\n]\nother = [\"c\"]\n";
        assert_eq!(members(manifest), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(members("[package]\n"), None);
    }

    #[test]
    fn finds_what_points_down() {
        let order = ["base".to_owned(), "ir".to_owned()];
        let uses = [("ir", "base"), ("base", "ir"), ("ir", "ir"), ("ir", "serde")];
        assert_eq!(offenders(&order, uses.into_iter()), ["base uses ir", "ir uses ir"]);
    }
}
