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

use expect_test::{Expect, expect, expect_file};

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

const PROGRAM: &str = "int g, *p; struct pair { int first; } s;
static int f(int x) { int i = x; { int i = g; g = i; } return i + s.first + *p; }
int main(void) { return f(g); }
";

/// What standard error says about predicates of the program above, with exit code 65 and no output.
#[track_caller]
fn rejected(predicates: &str, message: Expect) {
    let folder = common::Folder::new(&[("a.c", PROGRAM), ("a.preds", predicates)]);
    let done = folder.hardbop("abstract a.c --predicates a.preds");
    assert_eq!((done.code, done.stdout.as_str()), (65, ""), "{}", done.stderr);
    message.assert_eq(&done.stderr);
    let done = folder.hardbop("abstract a.c --predicates a.preds --output a.bp");
    assert_eq!(done.code, 65);
    assert_eq!(folder.names(), ["a.c", "a.preds"], "nothing is written");
}

#[test]
fn bad_predicate_files_are_rejected() {
    rejected(
        "global g == 1;\n",
        expect![[r#"
        a.preds:1:8: error: expected `:`, found `g`
            global g == 1;
                   ^
    "#]],
    );
    rejected(
        "global: g == 1\nproc f: x > 0;\n",
        expect![[r#"
        a.preds:2:1: error: expected an operator, `,` or `;`, found `proc`
            proc f: x > 0;
            ^~~~
    "#]],
    );
    rejected(
        "global: g == , g == 2;\n",
        expect![[r#"
        a.preds:1:14: error: expected an expression, found `,`
            global: g == , g == 2;
                         ^
    "#]],
    );
    rejected(
        "global: g == 08;\n",
        expect![[r#"
        a.preds:1:14: error: not a number: the suffixes are u, l, ul, ll and ull
            global: g == 08;
                         ^~
    "#]],
    );
    rejected(
        "predicates: g;\n",
        expect![[r#"
        a.preds:1:1: error: expected `global:` or `proc NAME:`, found `predicates`
            predicates: g;
            ^~~~~~~~~~
    "#]],
    );
    rejected(
        "global: g == 1; /* no end\n",
        expect![[r#"
        a.preds:1:17: error: this comment is not closed
            global: g == 1; /* no end
                            ^~~~~~~~~
    "#]],
    );
    rejected(
        "\"global\": g;",
        expect![[r#"
        a.preds:1:1: error: expected `global:` or `proc NAME:`, found `"global"`
            "global": g;
            ^~~~~~~~
    "#]],
    );
}

#[test]
fn names_out_of_scope_are_rejected() {
    rejected(
        "global: x == 1;\n",
        expect![[r#"
        a.preds:1:9: error: `x` is not a global; for the one of `f` write `proc f:`
            global: x == 1;
                    ^
    "#]],
    );
    rejected(
        "proc main: x == 1, i == 2;\n",
        expect![[r#"
        a.preds:1:12: error: `x` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
            proc main: x == 1, i == 2;
                       ^
        a.preds:1:20: error: `i` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
            proc main: x == 1, i == 2;
                               ^
    "#]],
    );
    rejected(
        "proc f: i == 2;\n",
        expect![[r#"
        a.preds:1:9: error: `i` is ambiguous; write `"i"` for the one of a.c:2:27, or `i$2` for the one of a.c:2:40
            proc f: i == 2;
                    ^
    "#]],
    );
    rejected(
        "proc h: g == 2;\n",
        expect![[r#"
        a.preds:1:6: error: the program has no procedure `h`
            proc h: g == 2;
                 ^
    "#]],
    );
    rejected(
        "global: return == 1;\n",
        expect![[r#"
        a.preds:1:9: error: `return` is the result of a procedure; write `proc NAME:` before its predicates
            global: return == 1;
                    ^~~~~~
    "#]],
    );
    rejected(
        "global: unknown > 0, printf == 0;\n",
        expect![[r#"
        a.preds:1:9: error: `unknown` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
            global: unknown > 0, printf == 0;
                    ^~~~~~~
        a.preds:1:22: error: `printf` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
            global: unknown > 0, printf == 0;
                                 ^~~~~~
    "#]],
    );
}

#[test]
fn ill_typed_predicates_are_rejected() {
    rejected(
        "global: p == 5, *g == 1, s == 1, s.second;\n",
        expect![[r#"
        a.preds:1:11: error: a value of type int and a value of type int * do not go together; convert one of them
            global: p == 5, *g == 1, s == 1, s.second;
                      ^~
        a.preds:1:17: error: a value of type int does not point to anything
            global: p == 5, *g == 1, s == 1, s.second;
                            ^
        a.preds:1:28: error: a value of type struct pair is no number, pointer or truth value
            global: p == 5, *g == 1, s == 1, s.second;
                                       ^~
        a.preds:1:36: error: struct pair has no member `second`
            global: p == 5, *g == 1, s == 1, s.second;
                                               ^~~~~~
    "#]],
    );
    rejected(
        "global: g = 1;\n",
        expect![[r#"
        a.preds:1:11: error: a predicate assigns nothing; `==` compares
            global: g = 1;
                      ^
    "#]],
    );
    rejected(
        "proc main: f(1) == 2, g++ == 1;\n",
        expect![[r#"
        a.preds:1:13: error: a predicate calls no functions
            proc main: f(1) == 2, g++ == 1;
                        ^
        a.preds:1:24: error: a predicate has no side effects
            proc main: f(1) == 2, g++ == 1;
                                   ^~
    "#]],
    );
}

#[test]
fn unreadable_predicate_files_are_rejected() {
    let folder =
        common::Folder::new(&[("a.c", PROGRAM.as_bytes()), ("latin.preds", b"global: g; // \xe4\n")]);
    folder.check(
        "abstract a.c --predicates none.preds",
        65,
        "",
        "hardbop: none.preds: no such file or directory\n",
    );
    folder.check(
        "abstract a.c --predicates latin.preds",
        65,
        "",
        "hardbop: latin.preds: not valid UTF-8 at line 1, column 15\n",
    );
}

#[test]
fn wrong_usage() {
    let folder = common::Folder::new(&[("a.c", PROGRAM), ("a.preds", "global: g;")]);
    for arguments in [
        "abstract a.c",
        "abstract --predicates a.preds",
        "abstract a.c --predicates a.preds --skeleton",
        "abstract a.c --predicates a.preds --cube-limit 0",
        "abstract a.c --predicates a.preds --cube-limit all",
        "abstract a.c --predicates a.preds --threads 0",
        "abstract a.c --predicates a.preds --abstraction exact",
        "abstract a.c --predicates a.preds --output nowhere/a.bp",
    ] {
        let done = folder.hardbop(arguments);
        assert_eq!((done.code, done.stdout.as_str()), (64, ""), "{arguments}: {}", done.stderr);
        assert!(!done.stderr.is_empty(), "{arguments}");
    }
    let done = folder.hardbop("abstract a.c --skeleton --entry nobody");
    assert_eq!(done.code, 65, "{}", done.stderr);
}

/// A limit ends in UNKNOWN, and an output file is whole or absent.
#[test]
fn limits_are_kept() {
    // A product of this width is too much for any solver.
    let hard = "unsigned long a, b; int main(void) { while (a * b != 0x7ff3a5c1d2e4b697) { a += b; b ^= a; } return 0; }";
    let predicates = "global: a * b == 0x7ff3a5c1d2e4b697, a * a == b * b + 0x1234567, a > 1, b > 1;";
    let folder = common::Folder::new(&[("a.c", hard), ("a.preds", predicates)]);
    for limit in ["--timeout 300ms", "--timeout 1s --threads 2", "--timeout 1s --solver z3"] {
        let done = folder.hardbop(&format!("abstract a.c --predicates a.preds {limit} --output a.bp"));
        let expected = (2, "", "hardbop: time limit reached\n");
        assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), expected, "{limit}");
        assert_eq!(folder.names(), ["a.c", "a.preds"], "{limit}");
    }
    let easy =
        common::Folder::new(&[("a.c", PROGRAM), ("a.preds", "global: g == 1;"), ("a.bp", "what was there")]);
    let done = easy.hardbop("abstract a.c --predicates a.preds --output a.bp --timeout 60");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    let text = easy.read("a.bp");
    assert!(text.starts_with("decl {g == 1};\n") && text.ends_with("end\n"), "{text}");
    assert_eq!(easy.hardbop("abstract a.c --predicates a.preds").stdout, text);
}

#[test]
fn figures_are_printed_on_request() {
    let folder = common::Folder::new(&[("a.c", PROGRAM), ("a.preds", "global: g == 1;")]);
    let done = folder.hardbop("abstract a.c --predicates a.preds --stats -o a.bp");
    let names: Vec<&str> = done.stderr.lines().map(|line| line.split("  ").next().unwrap_or("")).collect();
    let first = ["procedures", "steps", "predicates", "solver queries", "decided by a model", "remembered"];
    assert_eq!(names[..6], first, "{}", done.stderr);
}
