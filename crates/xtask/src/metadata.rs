//! What `cargo metadata` knows about the workspace, as far as the checks need it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::process::{cargo, read};

/// The packages of the dependency graph and where cargo builds.
pub struct Metadata {
    pub packages: Vec<Package>,
    pub target_directory: PathBuf,
}

/// A package, ours or not.
#[derive(Default)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub licence: Option<String>,
    /// Whether it is a member of the workspace.
    pub member: bool,
    /// Names of the packages it needs to be built; those only its tests need are left out.
    pub dependencies: Vec<String>,
    /// Names of the packages that only its tests need.
    pub test_dependencies: Vec<String>,
    /// Where its manifest is.
    pub folder: PathBuf,
    /// What the architecture check reads from its manifest: what it must not reach,
    pub knows_nothing_of: Vec<String>,
    /// what it still reaches all the same, with the reasons,
    pub not_yet: BTreeMap<String, String>,
    /// and which dependencies it needs without mentioning them, with the reasons.
    pub unmentioned: BTreeMap<String, String>,
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
    let (tests, needed): (Vec<&Value>, Vec<&Value>) =
        package["dependencies"].as_array()?.iter().partition(|one| one["kind"].as_str() == Some("dev"));
    let names =
        |all: &[&Value]| all.iter().filter_map(|one| one["name"].as_str()).map(str::to_owned).collect();
    let ours = &package["metadata"]["hardbop"];
    let manifest = Path::new(package["manifest_path"].as_str()?);
    Some(Package {
        name: package["name"].as_str()?.to_owned(),
        version: package["version"].as_str()?.to_owned(),
        licence: package["license"].as_str().map(str::to_owned),
        member: members.contains(&package["id"].as_str()?),
        dependencies: names(&needed),
        test_dependencies: names(&tests),
        folder: manifest.parent()?.to_owned(),
        knows_nothing_of: strings(&ours["knows_nothing_of"]),
        not_yet: reasons(&ours["not_yet"]),
        unmentioned: reasons(&ours["unmentioned"]),
    })
}

fn strings(value: &Value) -> Vec<String> {
    let entries = value.as_array().into_iter().flatten();
    entries.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn reasons(value: &Value) -> BTreeMap<String, String> {
    let entries = value.as_object().into_iter().flatten();
    entries.filter_map(|(name, reason)| Some((name.clone(), reason.as_str()?.to_owned()))).collect()
}
