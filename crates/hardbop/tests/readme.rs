//! The README tells the truth: every command that it shows with its output prints that output.
//!
//! `UPDATE_EXPECT=1 cargo test -p hardbop --test readme` writes down what is printed.

mod common;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a shell prints, both streams, with our executable on its path.
fn shell(command: &str) -> String {
    let own = Path::new(env!("CARGO_BIN_EXE_hardbop")).parent().unwrap().to_owned();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&inherited))).unwrap();
    let mut process = Command::new("sh");
    process.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(root()).env("PATH", path);
    String::from_utf8(process.output().unwrap().stdout).unwrap()
}

/// Runs the commands of the `console` blocks of a document that show output.
fn check(document: &str) {
    let file = root().join(document);
    let text = fs::read_to_string(&file).unwrap();
    let mut real = String::new();
    let mut shown = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(real, "{line}").unwrap();
        if line != "```console" {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let shows_output = block.iter().any(|line| !line.starts_with("$ "));
        for line in &block {
            match line.strip_prefix("$ ") {
                Some(command) if shows_output => {
                    shown += 1;
                    write!(real, "{line}\n{}", shell(command)).unwrap();
                }
                Some(_) => writeln!(real, "{line}").unwrap(),
                None => {}
            }
        }
        writeln!(real, "```").unwrap();
    }
    assert!(shown > 0, "{document} shows a command with its output");
    expect_file![file].assert_eq(&real);
}

#[test]
fn the_readme_shows_real_output() {
    check("README.md");
}

#[test]
fn the_guides_show_real_output() {
    check("docs/run.md");
    check("docs/check.md");
    check("docs/c.md");
    check("docs/x.md");
    check("docs/abstract.md");
    check("docs/path.md");
    check("docs/wp.md");
    check("docs/leap.md");
    check("docs/debugging.md");
}

/// Documents whose links are followed.
const LINKED: [&str; 20] = [
    "README.md",
    "docs/run.md",
    "docs/c.md",
    "docs/x.md",
    "docs/check.md",
    "docs/properties.md",
    "docs/abstract.md",
    "docs/path.md",
    "docs/wp.md",
    "docs/leap.md",
    "docs/debugging.md",
    "docs/glossary.md",
    "docs/bibliography.md",
    "docs/how-to/statement.md",
    "docs/how-to/library-function.md",
    "docs/how-to/property.md",
    "docs/how-to/predicate-source.md",
    "docs/how-to/engine.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
];

#[test]
fn links_lead_somewhere() {
    for document in LINKED {
        let file = root().join(document);
        let text = fs::read_to_string(&file).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                assert!(file.parent().unwrap().join(target).exists(), "{document}: {link}");
            }
        }
    }
}

/// What guides for developers name in backticks as a file of ours is there: `crates/ir/src/lib.rs`, or
/// `ir/src/lib.rs`, or `ir`'s folder.
#[test]
fn guides_name_files_that_exist() {
    let guides = LINKED.iter().filter(|name| {
        name.contains("how-to")
            || ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/debugging.md", "docs/bibliography.md"]
                .contains(name)
    });
    let mut named = 0;
    for document in guides {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for name in text
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| name.contains("/src/") || name.contains("/tests"))
        {
            if name.contains([' ', '*', '{']) || name.contains("X/") || name.starts_with("src") {
                continue;
            }
            named += 1;
            let exists = root().join(name).exists() || root().join("crates").join(name).exists();
            assert!(exists, "{document} names {name}");
        }
    }
    assert!(named > 20, "{named}");
}

/// The C programs of the guides are programs: they lower.
#[test]
fn the_guides_show_real_programs() {
    for document in ["docs/run.md", "docs/c.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for block in text.split("```c\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            let folder = common::Folder::new(&[("a.c", block)]);
            let done = folder.hardbop("lower --check a.c");
            assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{document}:\n{block}");
        }
    }
}

/// The guide to X begins with an example, and that is the one its command runs.
#[test]
fn the_guide_to_x_shows_the_example() {
    let guide = fs::read_to_string(root().join("docs/x.md")).unwrap();
    let shown = guide.split("```x\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    expect_file![root().join("examples/lock.x")].assert_eq(shown);
}

/// The guide to the backward engine shows the program that its commands run.
#[test]
fn the_guide_to_wp_shows_the_example() {
    let guide = fs::read_to_string(root().join("docs/wp.md")).unwrap();
    let shown = guide.split("```x\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    expect_file![root().join("examples/wp/recursion-global.x")].assert_eq(shown);
}

/// What documents show of an example is in it.
#[test]
fn excerpts_are_from_the_examples() {
    for (document, example) in [
        ("README.md", "examples/lock.c"),
        ("docs/abstract.md", "examples/abstract/locks.c"),
        ("docs/debugging.md", "examples/debug/turns.c"),
    ] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        let example = fs::read_to_string(root().join(example)).unwrap();
        let excerpts: Vec<&str> =
            text.split("```c\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!excerpts.is_empty(), "{document}");
        assert!(excerpts.iter().all(|excerpt| example.contains(excerpt)), "{document}");
    }
}
