//! What `cargo metadata` knows about the workspace, as far as the checks need it.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::process::{cargo, read};

/// The packages of the dependency graph and where cargo builds.
pub struct Metadata {
    pub packages: Vec<Package>,
    pub target_directory: PathBuf,
}

/// A package, ours or not.
pub struct Package {
    pub name: String,
    pub version: String,
    pub licence: Option<String>,
    /// Whether it is a member of the workspace.
    pub member: bool,
    /// Names of the packages it needs to be built; those only its tests need are left out.
    pub dependencies: Vec<String>,
}

/// Asks cargo, for this platform only: other platforms' packages are not part of what we build.
pub fn load() -> Result<Metadata, String> {
    let host = host()?;
    let text = read(&mut cargo(["metadata", "--format-version", "1", "--filter-platform", &host]))?;
    parse(&text).ok_or_else(|| "cannot understand the output of `cargo metadata`".to_owned())
}

fn host() -> Result<String, String> {
    let version = read(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`rustc -vV` does not name the host".to_owned())
}

fn parse(text: &str) -> Option<Metadata> {
    let value: Value = serde_json::from_str(text).ok()?;
    let members: Vec<&str> =
        value["workspace_members"].as_array()?.iter().filter_map(Value::as_str).collect();
    let packages = value["packages"].as_array()?.iter().map(|package| parse_package(package, &members));
    Some(Metadata {
        packages: packages.collect::<Option<_>>()?,
        target_directory: value["target_directory"].as_str()?.into(),
    })
}

fn parse_package(package: &Value, members: &[&str]) -> Option<Package> {
    let needed = |dependency: &&Value| dependency["kind"].as_str() != Some("dev");
    let dependencies = package["dependencies"].as_array()?.iter().filter(needed);
    Some(Package {
        name: package["name"].as_str()?.to_owned(),
        version: package["version"].as_str()?.to_owned(),
        licence: package["license"].as_str().map(str::to_owned),
        member: members.contains(&package["id"].as_str()?),
        dependencies: dependencies.filter_map(|one| one["name"].as_str()).map(str::to_owned).collect(),
    })
}
