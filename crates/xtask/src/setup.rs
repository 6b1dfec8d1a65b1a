//! `cargo xtask setup`: installs what building, the demo and the tests need.
//!
//! On Debian and its relatives, as root, missing packages are installed. Elsewhere the command says
//! what is missing and goes on: tests that need an absent program skip themselves and say so.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::{cargo, run as run_program, succeeds};
use crate::{Outcome, expect_none};

/// Something from outside that we use.
struct Need {
    /// The Debian package.
    package: &'static str,
    /// What it is for, to tell those who must install it themselves.
    purpose: &'static str,
    /// A command that succeeds where it is installed, whatever the system.
    probe: &'static [&'static str],
    /// Whether nothing works without it.
    required: bool,
}

const GCC: Need = Need {
    package: "gcc",
    purpose: "preprocesses C files and is the reference for how they behave",
    probe: &["gcc", "--version"],
    required: true,
};

const Z3: Need = Need {
    package: "libz3-dev",
    purpose: "is the SMT solver, linked into the program",
    probe: &["gcc", "-xc", "-include", "z3.h", "-fsyntax-only", "/dev/null"],
    required: true,
};

const CXX: Need =
    Need { package: "g++", purpose: "compiles libFuzzer", probe: &["g++", "--version"], required: true };

/// The tests' needs on top of gcc. None is required: Debian has them for some processors only.
const FOR_TESTS: [Need; 3] = [
    Need {
        package: "gcc-multilib",
        purpose: "lets gcc compile for 32 bits, to compare with",
        probe: &["gcc", "-m32", "-xc", "-include", "stdio.h", "-fsyntax-only", "/dev/null"],
        required: false,
    },
    Need {
        package: "csmith",
        purpose: "generates random C programs for differential tests",
        probe: &["csmith", "--version"],
        required: false,
    },
    Need {
        package: "libcsmith-dev",
        purpose: "holds the headers of the programs that csmith generates",
        probe: &["test", "-d", "/usr/include/csmith"],
        required: false,
    },
];

/// The command: everything.
pub fn run(arguments: &[String]) -> Outcome {
    expect_none(arguments)?;
    for_tests()
}

/// What the demo needs.
pub fn for_demo() -> Outcome {
    provide(&[&GCC, &Z3])
}

/// What fuzzing needs, apart from cargo-fuzz.
pub fn for_fuzzing() -> Outcome {
    provide(&[&GCC, &CXX])
}

/// What the tests need.
pub fn for_tests() -> Outcome {
    let needs: Vec<&Need> = [&GCC, &Z3].into_iter().chain(&FOR_TESTS).collect();
    provide(&needs)?;
    components()
}

fn provide(needs: &[&Need]) -> Outcome {
    let missing: Vec<&Need> = needs.iter().copied().filter(|need| !is_there(need)).collect();
    let names = |needs: &[&Need]| needs.iter().map(|need| need.package).collect::<Vec<_>>().join(" ");
    println!("needed: {}", names(needs));
    if missing.is_empty() {
        println!("nothing is missing");
        return Ok(());
    }
    println!("missing: {}", names(&missing));
    if is_debian() && is_root() {
        install(&missing);
    } else {
        println!("packages can only be installed for you on Debian or Ubuntu, and as root");
    }
    let missing: Vec<&Need> = missing.into_iter().filter(|need| !is_there(need)).collect();
    for need in &missing {
        println!("please install `{}` (Debian's name): it {}", need.package, need.purpose);
    }
    match missing.iter().find(|need| need.required) {
        Some(need) => Err(format!("`{}` is missing", need.package)),
        None => Ok(()),
    }
}

/// Installs all at once; if that fails one by one, so that a package that a processor lacks does not keep
/// the others out.
fn install(missing: &[&Need]) {
    if !has_package_lists() {
        update_lists();
    }
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    if apt_get(&packages).is_ok() {
        return;
    }
    println!("the package lists may be out of date");
    update_lists();
    for package in packages {
        if let Err(message) = apt_get(&[package]) {
            println!("{message}");
        }
    }
}

fn apt_get(packages: &[&str]) -> Outcome {
    let mut command = Command::new("apt-get");
    command.args(["install", "-y", "--no-install-recommends"]).args(packages);
    run_program(command.env("DEBIAN_FRONTEND", "noninteractive"))
}

fn update_lists() {
    if let Err(message) = run_program(Command::new("apt-get").arg("update")) {
        println!("{message}");
    }
}

fn has_package_lists() -> bool {
    fs::read_dir("/var/lib/apt/lists").is_ok_and(|mut lists| {
        lists.any(|list| list.is_ok_and(|list| list.file_name().to_string_lossy().contains("_Packages")))
    })
}

/// Whether dpkg knows the package, or the thing itself works (built from source, other systems).
fn is_there(need: &Need) -> bool {
    is_installed(need.package)
        || need.probe.split_first().is_some_and(|(program, rest)| succeeds(Command::new(program).args(rest)))
}

fn is_installed(package: &str) -> bool {
    let output = Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status}", package]).output();
    output.is_ok_and(|output| output.stdout == b"installed")
}

fn is_debian() -> bool {
    Path::new("/etc/debian_version").exists() && succeeds(Command::new("apt-get").arg("--version"))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// The components of the toolchain that a minimal rustup leaves out.
fn components() -> Outcome {
    for component in ["fmt", "clippy"] {
        if succeeds(&mut cargo([component, "--version"])) {
            continue;
        }
        let name = if component == "fmt" { "rustfmt" } else { component };
        println!("missing: {name}");
        run_program(Command::new("rustup").args(["component", "add", name])).map_err(|message| {
            format!("please install the component {name} of your Rust toolchain: {message}")
        })?;
    }
    Ok(())
}
