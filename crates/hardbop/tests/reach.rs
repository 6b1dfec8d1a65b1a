//! `hardbop reach` from outside: every option, the exit codes, bad inputs and limits. The engines are
//! compared in `engines.rs`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use expect_test::{Expect, expect};
use serde_json::Value;
use tempfile::TempDir;

const SAFE: &str = "decl g; void main() begin g := T; assert(g); end\n";

const UNSAFE: &str = "decl g;

bool flip(x) begin
  return !x;
end

void main() begin
  g := T;
  g := flip(g);
  L: assert(g);
end
";

/// More states than anybody waits for.
fn endless() -> String {
    let names: Vec<String> = (0..60).map(|i| format!("a{i}")).collect();
    format!("decl {}; void main() begin assert(T); end\n", names.join(","))
}

struct Case {
    _folder: TempDir,
    file: PathBuf,
}

impl Case {
    fn new(text: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.bp");
        fs::write(&file, text).unwrap();
        Case { _folder: folder, file }
    }

    fn run(&self, options: &[&str]) -> Output {
        // In the folder of the program, so that messages do not depend on where it is.
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
        command.current_dir(self.file.parent().unwrap()).env_remove("RUST_BACKTRACE");
        command.args(["reach", "p.bp", "--engine", "explicit"]).args(options).output().unwrap()
    }
}

/// Runs on a program and compares the exit code and all of standard output.
#[track_caller]
fn check(text: &str, options: &[&str], code: i32, expected: Expect) {
    let output = Case::new(text).run(options);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{options:?}");
    expected.assert_eq(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(output.status.code(), Some(code), "{options:?}");
}

/// Runs on a program that is refused and compares the exit code and all of standard error.
#[track_caller]
fn refuse(text: impl AsRef<[u8]>, options: &[&str], code: i32, expected: Expect) {
    let output = Case::new(text).run(options);
    expected.assert_eq(&String::from_utf8(output.stderr).unwrap());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{options:?}");
    assert_eq!(output.status.code(), Some(code), "{options:?}");
}

fn json(text: &str, options: &[&str]) -> Value {
    let output = Case::new(text).run(&[&["--json"], options].concat());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The last line of the report.
fn verdict(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn verdicts_and_exit_codes() {
    check(
        SAFE,
        &[],
        0,
        expect![[r#"
            program:  p.bp
            property: no assertion can fail
            engine:   explicit, choice values
            reason:   no assertion can fail
            VERDICT: TRUE
        "#]],
    );
    check(
        UNSAFE,
        &[],
        1,
        expect![[r#"
            program:  p.bp
            property: no assertion can fail
            engine:   explicit, choice values
            reason:   an assertion can fail
            VERDICT: FALSE
        "#]],
    );
}

#[test]
fn traces() {
    check(
        UNSAFE,
        &["--trace"],
        1,
        expect![[r#"
            program:  p.bp
            property: no assertion can fail
            engine:   explicit, choice values

            trace of 5 steps:
              start in main  g=0
              8: g := T;  g=1
              9: g := flip(g);  enter flip  x=1
                4: return !x;  return=0
              9: return to main  g=0
              10: assert(g);  fails

            reason:   the assertion of line 10 fails after 5 steps
            VERDICT: FALSE
        "#]],
    );
    // A proof has no trace.
    assert!(!String::from_utf8_lossy(&Case::new(SAFE).run(&["--trace"]).stdout).contains("trace"));
}

#[test]
fn labels() {
    let output = Case::new(UNSAFE).run(&["--label", "L", "--trace"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("reason:   label L is reached after 4 steps\n"));
    let output = Case::new("void main() begin assume(F); L: skip; end").run(&["--label", "L"]);
    assert_eq!((output.status.code(), verdict(&output).as_str()), (Some(0), "VERDICT: TRUE"));
    refuse(
        UNSAFE,
        &["--label", "M"],
        64,
        expect![[r#"
            hardbop: --label: the program has no label `M`
        "#]],
    );
}

#[test]
fn invariants() {
    check(
        UNSAFE,
        &["--invariants"],
        1,
        expect![[r#"
            program:  p.bp
            property: no assertion can fail
            engine:   explicit, choice values

            reachable states:
              flip:
                 4: return !x;  g & x
                    exit        g & x & !return
              main:
                 8: g := T;           T
                 9: g := flip(g);     g
                10: L: assert(g);     !g
                    exit              unreachable
                    failed assertion  !g

            summaries, from values at entry (x) to values at exit ('x):
              flip(x)  g & 'g & x & !'return
              main()   never returns

            reason:   an assertion can fail
            VERDICT: FALSE
        "#]],
    );
}

#[test]
fn statistics() {
    let output = Case::new(UNSAFE).run(&["--stats"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let table: Vec<&str> = text.lines().skip_while(|line| *line != "statistics:").skip(1).collect();
    let names =
        ["path edges", "states", "contexts", "summaries", "steps", "time", "processor time", "peak memory"];
    assert_eq!(table.iter().take_while(|line| !line.is_empty()).count(), names.len(), "{text}");
    for (line, name) in table.iter().zip(names) {
        assert!(line.starts_with(&format!("  {name:14}  ")), "{text}");
    }
}

/// What sets of values lose: verdicts are UNKNOWN where the error may be an artefact.
#[test]
fn value_semantics() {
    let equal = "decl x, y; void main() begin assume(x = y); if (x) then assert(y); fi end";
    let tautology = "decl x, y; void main() begin x := y | !y; assert(x); end";
    let cases: [(&[&str], [&str; 3]); 6] = [
        (&["--values", "choice"], ["TRUE", "TRUE", "FALSE"]),
        (&["--values", "trivector"], ["UNKNOWN", "TRUE", "UNKNOWN"]),
        (&["--values", "trivector-set"], ["UNKNOWN", "TRUE", "UNKNOWN"]),
        (&["--values", "trivector-set", "--focus", "x,y"], ["TRUE", "TRUE", "UNKNOWN"]),
        (&["--values", "trivector-set", "--focus", "total"], ["TRUE", "TRUE", "FALSE"]),
        (&["--values", "kleene"], ["TRUE", "UNKNOWN", "UNKNOWN"]),
    ];
    for (options, expected) in cases {
        for (program, expected) in [equal, tautology, UNSAFE].into_iter().zip(expected) {
            let options = if program == UNSAFE && options.contains(&"x,y") {
                &["--values", "trivector-set", "--focus", "g,flip.x"]
            } else {
                options
            };
            let output = Case::new(program).run(options);
            assert_eq!(verdict(&output), format!("VERDICT: {expected}"), "{options:?}\n{program}");
            let code = ["TRUE", "FALSE", "UNKNOWN"].iter().position(|v| *v == expected).unwrap();
            assert_eq!(output.status.code(), Some(code as i32), "{options:?}\n{program}");
        }
    }
    check(
        UNSAFE,
        &["--values", "kleene", "--trace"],
        2,
        expect![[r#"
            program:  p.bp
            property: no assertion can fail
            engine:   explicit, kleene values
            reason:   an assertion can fail with kleene values, which over-approximate the program
            VERDICT: UNKNOWN
        "#]],
    );
}

#[test]
fn wrong_usage_is_64() {
    let cases: [(&[&str], Expect); 3] = [
        (&["--focus", "total"], expect![["hardbop: --focus is for --values trivector-set\n"]]),
        (
            &["--values", "trivector-set", "--focus", "g,h"],
            expect![["hardbop: --focus: the program has no variable `h`\n"]],
        ),
        (
            &["--values", "kleene", "--focus", "total"],
            expect![["hardbop: --focus is for --values trivector-set\n"]],
        ),
    ];
    for (options, expected) in cases {
        refuse(UNSAFE, options, 64, expected);
    }
    for options in [&["--values", "some"][..], &["--nodes", "0"], &["--nodes", "many"], &["--timeout", "x"]] {
        assert_eq!(Case::new(SAFE).run(options).status.code(), Some(64), "{options:?}");
    }
    let mut other = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    let output = other.args(["reach", "p.bp", "--engine", "bdd", "--values", "choice"]).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
}

#[test]
fn json_documents() {
    let document = json(UNSAFE, &["--trace", "--invariants"]);
    assert_eq!(document["verdict"], "FALSE");
    assert_eq!(document["property"]["kind"], "assertion");
    assert_eq!(document["engine"], "explicit");
    assert_eq!(document["values"], "choice");
    assert_eq!(document["reason"], "the assertion of line 10 fails after 5 steps");
    let steps = document["trace"]["steps"].as_array().unwrap();
    let actions: Vec<_> = steps.iter().map(|step| step["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["step", "call", "step", "return", "step"]);
    assert_eq!(steps[1]["text"], "g := flip(g);");
    assert_eq!((&steps[1]["line"], &steps[1]["column"]), (&9.into(), &3.into()));
    assert_eq!(steps[1]["state"]["procedure"], "flip");
    assert_eq!(steps[1]["state"]["depth"], 1);
    assert_eq!(steps[1]["state"]["locals"]["x"], true);
    assert_eq!(steps[2]["state"]["locals"]["return"], false);
    assert_eq!(steps[4]["holds"], false);
    assert_eq!(steps[4]["state"]["globals"]["g"], false);
    let flip = &document["invariants"]["procedures"][0];
    assert_eq!(flip["name"], "flip");
    assert_eq!(flip["locations"][0]["states"]["cubes"][0][0]["name"], "g");
    assert_eq!(flip["summary"]["complete"], true);
    assert!(document["stats"]["path edges"].is_string());

    let document = json(SAFE, &["--stats"]);
    assert_eq!(document["verdict"], "TRUE");
    assert!(document.get("trace").is_none() && document.get("invariants").is_none());
    let document = json("void main() begin L: skip; end", &["--label", "L"]);
    assert_eq!(document["property"]["label"], "L");
    let document = json(&endless(), &["--timeout", "50ms"]);
    assert_eq!(
        (&document["verdict"], &document["reason"]),
        (&"UNKNOWN".into(), &"time limit reached".into())
    );
}

#[test]
fn standard_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .args(["reach", "-", "--engine", "explicit"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(UNSAFE.as_bytes()).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
}

#[test]
fn limits_end_in_unknown() {
    let endless = Case::new(endless());
    let cases: [(&[&str], &str); 3] = [
        (&["--timeout", "100ms"], "time limit reached"),
        (&["--memory", "40M", "--timeout", "60s"], "memory limit reached"),
        (&["--nodes", "1000"], "node limit reached: 1000 nodes of the exploded graph"),
    ];
    for (options, reason) in cases {
        let output = endless.run(options);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.ends_with(&format!("reason:   {reason}\nVERDICT: UNKNOWN\n")), "{options:?}\n{text}");
        assert_eq!(output.status.code(), Some(2), "{options:?}");
    }
    // Where the states are too many one by one, cubes still do.
    assert_eq!(endless.run(&["--values", "trivector-set"]).status.code(), Some(0));
}

#[test]
fn all_errors_are_reported_with_their_places() {
    refuse(
        "decl g;\nvoid main() begin\n  g := h;\n  goto M;\n  f(g);\nend\n",
        &[],
        65,
        expect![[r#"
            p.bp:3:8: error: unknown variable `h`
                  g := h;
                       ^
            p.bp:4:8: error: unknown label `M`
                  goto M;
                       ^
            p.bp:5:3: error: unknown procedure `f`
                  f(g);
                  ^
        "#]],
    );
    refuse(
        "decl ;\nvoid main() begin\n  g := ;\n  skip\nend\n",
        &["--json"],
        65,
        expect![[r#"
            p.bp:1:6: error: expected a variable's name, found `;`
                decl ;
                     ^
            p.bp:3:8: error: expected an expression, found `;`
                  g := ;
                       ^
        "#]],
    );
}

#[test]
fn bad_files_are_65() {
    refuse("", &[], 65, expect![["hardbop: p.bp: file is empty\n"]]);
    refuse(
        "void main()\nbe\0gin end",
        &[],
        65,
        expect![["hardbop: p.bp: NUL byte at line 2, column 3: not a text file\n"]],
    );
    refuse(b"decl g;\n// \xe4\n", &[], 65, expect![["hardbop: p.bp: not valid UTF-8 at line 2, column 4\n"]]);
    let folder = tempfile::tempdir().unwrap();
    for (name, reason) in [("none.bp", "no such file or directory"), (".", "is a directory")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
        let output = command.current_dir(folder.path()).args(["reach", name]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("hardbop: {name}: {reason}\n"));
        assert_eq!(output.status.code(), Some(65));
    }
}

#[test]
fn huge_and_deep_files_are_65() {
    let line = Case::new(format!("decl {}; void main() begin assert(b); end", "a".repeat(50 << 20)));
    let nested = Case::new(format!("void main() begin assert({}T); end", "(".repeat(1 << 20)));
    let negated = Case::new(format!("void main() begin assert({}T); end", "!".repeat(1 << 20)));
    let body = "if (*) then ".repeat(100_000);
    let statements = Case::new(format!("void main() begin {body}"));
    for case in [line, nested, negated, statements] {
        let output = case.run(&[]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(65), "{message}");
        assert!(message.starts_with("p.bp:1:") && message.len() < 10_000, "{message}");
    }
}
