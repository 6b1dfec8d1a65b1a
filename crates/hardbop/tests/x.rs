//! X programs on the command line.

mod common;

use common::Folder;
use expect_test::expect;

const LOOP: &str = "procedure main() {\n  x: int;\n  [1] while (x > 0) { [2] x--; }\n  ERROR: skip;\n}\n";

#[test]
fn programs_are_lowered_and_run() {
    let folder = Folder::new(&[("a.x", LOOP), ("three", "3")]);
    let lowered = folder.hardbop("lower --check a.x");
    assert_eq!((lowered.code, lowered.stderr.as_str()), (0, ""));
    folder.check("lower a.x -o a.ir", 0, "", "");
    assert_eq!(folder.read("a.ir"), lowered.stdout);
    for file in ["a.x", "a.ir"] {
        let label = "OUTCOME: error: label ERROR was reached in main at a.x:4:10\n";
        folder.check(&format!("run {file} --inputs three"), 1, label, "");
    }
    folder.check("run a.x --inputs three --error-label 3", 0, "OUTCOME: returned 0\n", "");
    let inside = "OUTCOME: error: label 2 was reached in main at a.x:3:27\n";
    folder.check("run a.x --inputs three --error-label 3 --error-label 2", 1, inside, "");
    let stats = folder.hardbop("lower --json-stats -m32 a.x").stdout;
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    assert_eq!((&stats["data_model"], &stats["error_edges"]), (&"ILP32".into(), &1.into()));
}

#[test]
fn traces_show_labels_and_values() {
    let folder = Folder::new(&[("a.x", LOOP), ("one", "1")]);
    expect![[r#"
        a.x:1:1: $start: call main()
          a.x:2:3: main: havoc x from nondet x   // 1
          a.x:3:14: main: [1] assume (0 < x)
          a.x:3:27: main: [2] x := (x - 1)   // 0
          a.x:3:14: main: [1] assume (x <= 0)
          a.x:4:10: main: [ERROR] error label ERROR
        OUTCOME: error: label ERROR was reached in main at a.x:4:10
    "#]]
    .assert_eq(&folder.hardbop("run a.x --inputs one --trace").stdout);
    // A value that is drawn by the last step is not lost.
    folder.write("b.x", "main() { x: int; assume(x > 0); }");
    expect![[r#"
        b.x:1:1: $start: call main()
          b.x:1:10: main: havoc x from nondet x   // 0
        OUTCOME: no way on: an assumption does not hold in main at b.x:1:18
    "#]]
    .assert_eq(&folder.hardbop("run b.x --trace").stdout);
}

#[test]
fn the_source_is_printed_back() {
    let folder = Folder::new(&[("a.x", LOOP), ("a.c", "int x;"), ("bad.x", "f() { x := 1 }")]);
    let source = folder.hardbop("lower --source a.x").stdout;
    expect![[r#"
        procedure main() {
          x: int;
          [1] while (x > 0) {
            [2] x := x - 1;
          }
          [ERROR] skip;
        }
    "#]]
    .assert_eq(&source);
    folder.check("lower --source a.x -o b.x", 0, "", "");
    assert_eq!(folder.read("b.x"), source);
    folder.check("lower --source b.x", 0, &source, "");
    folder.check("lower --source a.c", 64, "", "hardbop: a.c: --source is for X programs\n");
    folder.check("lower --source a.x b.x", 64, "", "hardbop: --source is for one X program\n");
    assert_eq!(folder.hardbop("lower --source bad.x").code, 65);
    assert_eq!(folder.hardbop("lower --source --check a.x").code, 64);
}

#[test]
fn a_program_is_one_file() {
    let folder =
        Folder::new(&[("a.x", LOOP), ("b.x", "f() { }"), ("a.c", "int x;"), ("p.ir", "program 1 LP64\n")]);
    for (files, alone) in [("a.x b.x", "a.x"), ("a.c a.x", "a.x"), ("a.x a.c", "a.x"), ("a.x p.ir", "a.x")] {
        let message = format!("hardbop: {alone}: an X program stands alone\n");
        folder.check(&format!("lower {files}"), 64, "", &message);
        folder.check(&format!("run {files}"), 64, "", &message);
    }
}

#[test]
fn execution_starts_where_it_is_told() {
    let folder = Folder::new(&[
        ("a.x", "f(n: int, b: bool): int { if (b) return n; return -n }\ng(out r: int) { *r := 1 }\n"),
        ("in", "5 1"),
    ]);
    folder.check("run a.x --entry f --inputs in", 0, "OUTCOME: returned 5\n", "");
    let reason = "there is no procedure `main` to start with; see --entry";
    folder.check("run a.x", 65, "", &format!("hardbop: a.x: {reason}\n"));
    assert_eq!(folder.hardbop("lower --check a.x").code, 0);
    let done = folder.hardbop("run a.x --entry g");
    assert_eq!((done.code, done.stdout.as_str()), (65, ""));
    expect![[r#"
        a.x:2:7: error: execution cannot start in `g`, which takes a reference
            g(out r: int) { *r := 1 }
                  ^
    "#]]
    .assert_eq(&done.stderr);
}

#[test]
fn bad_programs_are_rejected() {
    let deep = format!("f() {{ x := {}1 }}", "(".repeat(1_000_000));
    let cases: [(&str, &[u8], &str); 8] = [
        (
            "syntax.x",
            b"f() { x := ; }\ng() { y = 1; }\n",
            "syntax.x:1:12: error: expected an expression, found `;`",
        ),
        (
            "syntax.x",
            b"f() { x := ; }\ng() { y = 1; }\n",
            "syntax.x:2:9: error: an assignment is written with `:=`",
        ),
        ("names.x", b"f() { x := 1; }\ng() { h(); }\n", "names.x:2:7: error: there is no procedure `h`"),
        (
            "types.x",
            b"b: bool;\nf() { b := 1 + b; }\n",
            "types.x:2:16: error: expected a value of type `int`",
        ),
        ("empty.x", b"", "hardbop: empty.x: file is empty"),
        ("binary.x", b"f() {\0}", "hardbop: binary.x: NUL byte at line 1, column 6: not a text file"),
        ("latin.x", b"f() { } // \xe4", "hardbop: latin.x: not valid UTF-8 at line 1, column 12"),
        ("deep.x", deep.as_bytes(), "error: nested more than 200 levels deep; the rest is not read"),
    ];
    for (name, content, message) in cases {
        let folder = Folder::new(&[(name, content)]);
        for command in ["lower", "run", "lower --source"] {
            let done = folder.hardbop(&format!("{command} {name}"));
            assert_eq!((done.code, done.stdout.as_str()), (65, ""), "{command} {name}");
            assert!(done.stderr.contains(message), "{command} {name}: {}", done.stderr);
        }
    }
    let folder = Folder::new::<&str>(&[]);
    folder.check("run none.x", 65, "", "hardbop: none.x: no such file or directory\n");
}

/// A pointer to a mathematical integer without a value may lead outside of the program, where memory is bytes.
#[test]
fn integers_behind_pointers_without_a_value_are_arbitrary() {
    let text = "program 1 ILP32\n\nfn main() {
  local x: int\n  temp p: ptr int\n  temp go: bool\n  locations 8 entry L0 exit L1
  L0 -> L2: havoc go from nondet go\n  L2 -> L3: assume go\n  L2 -> L4: assume !go\n  L3 -> L4: p := &x
  L4 -> L5: *p := 3\n  L5 -> L6: assume (*p == 3)\n  L5 -> L1: return\n  L6 -> L7: error function reach_error
}\n\nentry main\n";
    let folder = Folder::new(&[("a.ir", text)]);
    for options in ["", "--no-run --no-unroll", "--engine pdr"] {
        let done = folder.hardbop(&format!("check a.ir {options} --timeout 5s"));
        assert!(done.code == 1 || done.code == 2, "{options}: {done:?}");
    }
}
