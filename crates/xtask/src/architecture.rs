//! The architecture check: what `ARCHITECTURE.md` promises of the source, held against the source.
//!
//! - each crate uses only those above it ([`crate::order`]);
//! - a crate does not reach, along any chain of dependencies, what it must know nothing of ([`layers`]);
//! - a manifest names no crate that its sources do not mention ([`unused`]);
//! - programs are changed only where they are made ([`mutable`]);
//! - only the command line and developers' tools touch files and clocks ([`world`]);
//! - no file and no function is longer than can be read in one go ([`size`]).
//!
//! Exceptions are data with a reason, and an exception that is no longer needed is an offence too, so that the
//! lists can only shrink.

mod layers;
mod mutable;
mod size;
pub mod sources;
mod unused;
mod world;

use std::fs;

use crate::Outcome;
use crate::metadata::{Metadata, Package};
use crate::process::root;
use sources::Source;

/// Names every offence of every check.
pub fn check(metadata: &Metadata) -> Outcome {
    let names = crate::order::names()?;
    let map = fs::read_to_string(root().join("ARCHITECTURE.md"))
        .map_err(|error| format!("cannot read ARCHITECTURE.md: {error}"))?;
    let members = members(metadata, &names)?;
    let mut offences = layers::offences(&members);
    offences.extend(layers::table_offences(&members, &map));
    let mut all = Vec::new();
    for member in &members {
        let sources = sources::read(&member.folder)?;
        offences.extend(unused::offences(member, &sources));
        all.extend(sources);
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all.dedup_by(|a, b| a.path == b.path);
    let all: Vec<&Source> = all.iter().collect();
    offences.extend(mutable::offences(&all, mutable::EXCEPTIONS));
    offences.extend(world::offences(&all));
    offences.extend(size::offences(&all));
    if offences.is_empty() {
        println!("{} crates and {} source files are as ARCHITECTURE.md says", members.len(), all.len());
        return Ok(());
    }
    Err(format!("against the architecture:\n  {}", offences.join("\n  ")))
}

/// The members of the workspace, in the order of the root `Cargo.toml`.
pub fn members<'m>(metadata: &'m Metadata, names: &[String]) -> Result<Vec<&'m Package>, String> {
    let find = |name: &String| {
        let mut ours = metadata.packages.iter().filter(|package| package.member);
        ours.find(|package| package.name == *name)
            .ok_or_else(|| format!("cargo does not know the member {name}"))
    };
    names.iter().map(find).collect()
}

/// The name of a crate without the prefix that all of ours have.
pub fn short(name: &str) -> &str {
    name.strip_prefix("hardbop-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_source_is_as_the_architecture_says() {
        crate::metadata::load().and_then(|metadata| super::check(&metadata)).unwrap();
    }
}
