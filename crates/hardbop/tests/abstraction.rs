//! Predicate abstraction from outside. Files of predicates under `examples` name the commands to run, in
//! comments that start with `// $ `, and the file beside them has all that is printed.
//!
//! To add an example, add a program and its predicates; `UPDATE_EXPECT=1 cargo test -p hardbop --test
//! abstraction` writes down what is printed.

mod common;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Runs a shell command in a folder, with our executable on the path: all it prints, and its exit code.
fn shell(command: &str, folder: &Path) -> (String, i32) {
    let own = Path::new(env!("CARGO_BIN_EXE_hardbop")).parent().unwrap().to_owned();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&inherited))).unwrap();
    let mut process = Command::new("sh");
    process.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(folder).env("PATH", path);
    let output = process.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

/// Runs what the files of predicates in a folder ask for; at least so many are there.
fn check_examples(folder: &Path, at_least: usize) {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "preds")).collect();
    files.sort();
    assert!(files.len() >= at_least, "the examples are there");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// $ ")).collect();
        assert!(!commands.is_empty(), "{} names no command", file.display());
        let mut printed = String::new();
        for command in commands {
            let (output, code) = shell(command, folder);
            writeln!(printed, "$ {command}\n{output}exit code {code}\n").unwrap();
        }
        expect_file![file.with_extension("out")].assert_eq(&printed);
    }
}

#[test]
fn the_worked_examples_of_the_papers() {
    check_examples(&examples().join("papers/abstract"), 11);
}

/// Each proves its property with the predicates given, and not when it has a bug.
#[test]
fn the_examples() {
    let folder = examples().join("abstract");
    check_examples(&folder, 5);
    for name in ["locks", "dispatch", "recursion", "pointers", "wrap"] {
        let command = |flags: &str| {
            format!(
                "hardbop abstract {name}.c --predicates {name}.preds {flags} | hardbop reach - | tail -n 1"
            )
        };
        assert_eq!(shell(&command(""), &folder).0, "VERDICT: TRUE\n", "{name}");
        assert_eq!(shell(&command("-DBUG"), &folder).0, "VERDICT: FALSE\n", "{name}");
    }
}

/// Abstracts a program and asks whether an assertion can fail: the verdict.
fn verdict(program: &str, predicates: &str, options: &str) -> String {
    let folder = common::Folder::new(&[("a.c", program), ("a.preds", predicates)]);
    let abstracted = folder.hardbop(&format!("abstract a.c --predicates a.preds {options} -o a.bp"));
    assert_eq!((abstracted.code, abstracted.stderr.as_str()), (0, ""), "{program}");
    let reached = folder.hardbop("reach a.bp");
    reached.stdout.lines().last().unwrap_or_default().to_owned()
}

/// A function of another unit may change globals that it can see, although nobody takes their address.
#[test]
fn externals_change_globals() {
    let program = |kind: &str| {
        format!(
            "extern void other(void); extern void reach_error(void); {kind} int z;
             int main(void) {{ z = 0; other(); if (z != 0) reach_error(); return z; }}"
        )
    };
    let predicates = "global: z == 0;";
    assert_eq!(verdict(&program(""), predicates, ""), "VERDICT: FALSE");
    assert_eq!(verdict(&program(""), predicates, "--externals pure"), "VERDICT: TRUE");
    assert_eq!(verdict(&program("static"), predicates, ""), "VERDICT: TRUE");
}

/// Labels of the program keep their names, whatever they are.
#[test]
fn labels_do_not_clash() {
    let program = "int main(void) { int i = 0; L0: L1: L2: L0_1: C1: if (i < 3) { i++; goto L0; }
                   L3: if (i != 3) ERROR: return 1; L4: return 0; }";
    let folder = common::Folder::new(&[("a.c", program), ("a.preds", "proc main: i <= 3, i < 3;")]);
    assert_eq!(folder.hardbop("abstract a.c --predicates a.preds -o a.bp").code, 0);
    for (label, code) in [("L0", 1), ("L2", 1), ("C1", 1), ("L3", 1), ("L4", 1)] {
        assert_eq!(folder.hardbop(&format!("reach a.bp --label {label}")).code, code, "{label}");
    }
    assert_eq!(folder.hardbop("reach a.bp").code, 0);
}
