//! Bad and hostile programs, as C and in text form: each ends in a clear message and exit code 65, or is
//! processed; nothing crashes.

mod common;

use std::time::{Duration, Instant};

use common::Folder;
use expect_test::{Expect, expect};

/// What standard error says about a file that is rejected.
#[track_caller]
fn complaint(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new(&[(name, content)]);
    let done = folder.hardbop(&format!("lower {name}"));
    assert_eq!((done.code, done.stdout.as_str()), (65, ""), "{}", clip(&done.stderr));
    let run = folder.hardbop(&format!("run {name}"));
    assert_eq!(run, done, "all commands read in the same way");
    done.stderr
}

#[track_caller]
fn rejected(content: impl AsRef<[u8]>, message: Expect) {
    message.assert_eq(&complaint("a.c", content));
}

fn clip(text: &str) -> &str {
    text.char_indices().nth(2000).map_or(text, |(end, _)| &text[..end])
}

#[test]
fn errors_show_the_line_and_go_on() {
    rejected(
        "int f(void) {\n  return 1 +;\n}\nint g(void) { return unknown; }\nint h(void) {\n  int x = 2\n  return x;\n}\n",
        expect![[r#"
            a.c:2:13: error: expected an expression, found `;`
                  return 1 +;
                            ^
            a.c:6:12: error: expected `;`, found `return`
                  int x = 2
                           ^
        "#]],
    );
}

#[test]
fn errors_are_shown_where_the_text_came_from() {
    rejected(
        "# 1 \"dir/header.h\" 1\nint x;\n# 7 \"a.c\" 2\nint y = ;\n",
        expect![[r#"
        a.c:7:9: error: expected an expression, found `;`
            int y = ;
                    ^
    "#]],
    );
}

#[test]
fn errors_in_the_text_form_show_the_line_and_go_on() {
    let text = "program 1 LP64\n\nfn f() {\n  local x: i33x\n  locations 2 entry L0 exit L1\n  L0 -> L1: y := 1\n}\n\nglobal g: [3 x\n";
    let message = complaint("a.ir", text);
    expect![[r#"
        a.ir:4:12: error: expected a type, found `i33x`
              local x: i33x
                       ^~~~
        a.ir:6:13: error: there is no variable `y`
              L0 -> L1: y := 1
                        ^
        a.ir:10:1: error: expected a type, found the end of the text
    "#]]
    .assert_eq(&message);
    // Well-formed, but not a program.
    let text = "program 1 LP64\n\nfn f() {\n  locations 2 entry L0 exit L1\n  L0 -> L0: skip\n}\n";
    expect![[r#"
        hardbop: a.ir: procedure `f`, L0 -> L0: an edge enters the entry
    "#]]
    .assert_eq(&complaint("a.ir", text));
    assert!(complaint("a.ir", "int main(void) { return 0; }").contains("a.ir:1:1: error: "));
}

#[test]
fn files_that_cannot_be_read() {
    let folder =
        Folder::new(&[("empty.c", ""), ("empty.ir", ""), ("secret.c", "int x;"), ("ok.c", "int x;")]);
    std::fs::create_dir(folder.path("dir.c")).unwrap();
    for (file, reason) in [
        ("none.c", "no such file or directory"),
        ("none.ir", "no such file or directory"),
        ("ok.c/x.c", "not a directory"),
        ("dir.c", "is a directory"),
        ("empty.c", "file is empty"),
        ("empty.ir", "file is empty"),
    ] {
        for command in ["lower", "run"] {
            folder.check(&format!("{command} {file}"), 65, "", &format!("hardbop: {file}: {reason}\n"));
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder.path("secret.c"), std::fs::Permissions::from_mode(0o000)).unwrap();
        // Nothing is unreadable to root.
        if std::fs::read(folder.path("secret.c")).is_err() {
            folder.check("lower secret.c", 65, "", "hardbop: secret.c: permission denied\n");
        }
    }
}

#[test]
fn bytes_that_are_not_text() {
    assert_eq!(
        complaint("a.c", b"int x;\n\0"),
        "hardbop: a.c: NUL byte at line 2, column 1: not a text file\n"
    );
    assert_eq!(
        complaint("a.ir", b"prog\0"),
        "hardbop: a.ir: NUL byte at line 1, column 5: not a text file\n"
    );
    assert_eq!(complaint("a.ir", b"program \xff"), "hardbop: a.ir: not valid UTF-8 at line 1, column 9\n");
    rejected(
        b"int x; \xff int y;\n",
        expect![[r#"
        a.c:1:8: error: source is not valid UTF-8 here
            int x; ? int y;
                   ^
        a.c:1:9: error: expected `;`, found `int`
            int x; ? int y;
                    ^
    "#]],
    );
    let folder = Folder::new(&[("a.c", b"/* \xe4 */ int main(void) { return \"\xe4\"[0] + 28; } // \xff\n")]);
    folder.check("run a.c", 0, "OUTCOME: returned 0\n", "");
    // The start of an executable, without its NUL bytes.
    let mut state = 1_u32;
    let garbage: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(100_000)
    .map(|byte| byte.max(1))
    .collect();
    for name in ["a.i", "a.ir"] {
        let message = complaint(name, &garbage);
        assert!(message.len() < 50_000 && message.contains(name), "{} bytes", message.len());
    }
    let executable = std::fs::read(env!("CARGO_BIN_EXE_hardbop")).unwrap();
    assert!(complaint("a.c", &executable[..100_000]).contains("NUL byte at line 1"));
}

#[test]
fn unterminated_texts() {
    rejected(
        "int x;\n/* no end",
        expect![[r#"
        a.c:2:1: error: unterminated comment
            /* no end
            ^~~~~~~~~
    "#]],
    );
    rejected(
        "char *s = \"no end;\nint x;\n",
        expect![[r#"
            a.c:1:10: error: expected `;`, found `int`
                char *s = "no end;
                         ^
            a.c:1:11: error: missing terminating " character
                char *s = "no end;
                          ^~~~~~~~
            a.c:2:1: error: expected an expression, found `int`
                int x;
                ^~~
        "#]],
    );
    rejected(
        "char c = 'a;\n",
        expect![[r#"
            a.c:1:9: error: expected `;`, found end of file
                char c = 'a;
                        ^
            a.c:1:10: error: missing terminating ' character
                char c = 'a;
                         ^~~
            a.c:2:1: error: expected an expression, found end of file
        "#]],
    );
    rejected(
        "int main(void) {\n",
        expect![[r#"
        a.c:2:1: error: expected `}`, found end of file
    "#]],
    );
    rejected(
        "int f(",
        expect![[r#"
        a.c:1:7: error: expected `)`, found end of file
            int f(
                  ^
        a.c:1:7: error: expected `;`, found end of file
            int f(
                  ^
    "#]],
    );
}

#[test]
fn directives_that_fail() {
    if !common::has_gcc() {
        return;
    }
    let missing = complaint("a.c", "#include \"none.h\"\nint main(void) { return 0; }\n");
    assert!(missing.starts_with("a.c:1:10: fatal error: none.h: No such file or directory\n"), "{missing}");
    let asked = complaint("a.c", "#error this is wrong\nint x;\n");
    assert!(asked.starts_with("a.c:1:2: error: #error this is wrong\n"), "{asked}");
    let own = complaint("a.c", "#include \"a.c\"\n");
    assert!(own.contains("#include nested depth"), "{}", clip(&own));
    let unbalanced = complaint("a.c", "#if 1\nint x;\n");
    assert!(unbalanced.contains("unterminated #if"), "{unbalanced}");
    let after = complaint("a.c", "#define X (\nint x = X;\n");
    assert!(after.starts_with("a.c:2:"), "{after}");
}

/// `before`, then `unit` n times, `middle`, `close` n times, and `after`.
fn nested(n: usize, [before, unit, middle, close, after]: [&str; 5]) -> String {
    format!("{before}{}{middle}{}{after}", unit.repeat(n), close.repeat(n))
}

const MAIN: &str = "int main(void) { int x = 0; ";

#[test]
fn brackets_nested_too_deeply() {
    let shapes = [
        [MAIN, "{", "", "}", "}"],
        ["int x = ", "(", "1", ")", ";"],
        ["int x = ", "{", "1", "}", ";"],
        ["int ", "(", "x", ")", ";"],
        ["int ", "(*", "x", ")(void)", ";"],
        ["int f(int x) { return ", "f(", "x", ")", "; }"],
        ["int f(int *x) { return ", "x[", "0", "]", "; }"],
        ["int f(int x) { return ", "({", "x", ";})", "; }"],
        ["", "struct {", "int x;", "} y;", ""],
        [MAIN, "for (;;) ", ";", "", "}"],
    ];
    for shape in shapes {
        let message = complaint("a.c", nested(10_000, shape));
        assert!(message.contains("nested more deeply than"), "{shape:?}: {}", clip(&message));
        assert!(message.len() < 20_000, "{shape:?}: {} bytes", message.len());
    }
    let million = complaint("a.c", nested(1_000_000, [MAIN, "x = -", "1", "", "; }"]));
    assert!(million.contains("nested more deeply than 150000 levels"), "{}", clip(&million));
}

/// Lowers, checks and runs what nests deeply without brackets.
#[test]
fn deep_nesting_without_brackets_works() {
    let statements = [
        (["", "if (x == 1) x = 2; else ", "x = 3;", "", "return x; }"], 100_000, 3),
        (["", "if (!x) ", "x = 3;", "", "return x; }"], 100_000, 3),
        (["", "while (x) ", "x = 3;", "", "return x; }"], 100_000, 0),
        (["", "do ", "x = 3;", "while (!x);", "return x; }"], 50_000, 3),
        (["", "switch (x) case 0: ", "x = 3;", "", "return x; }"], 30_000, 3),
    ];
    let expressions = [
        (["return ", "- ", "5", "", "; }"], 140_000, 5),
        (["return ", "!", "x", "", "; }"], 140_000, 0),
        (["return ", "~", "x", "", "; }"], 140_000, 0),
        (["return x", "+ 1", "", "", "; }"], 100_000, 100_000),
        (["return ", "1 - ", "x", "", "; }"], 100_000, -99_998),
        (["return ", "x = ", "7", "", "; }"], 100_000, 7),
        (["return ", "x |= ", "1", "", "; }"], 100_000, 1),
        (["return ", "x && ", "1", "", "; }"], 100_000, 0),
        (["return ", "x || ", "1", "", "; }"], 100_000, 1),
        (["if (", "x || ", "1", "", ") return 9; }"], 100_000, 9),
        (["return ", "x ? 1 : ", "2", "", "; }"], 50_000, 2),
        (["return ", "x ?: ", "2", "", "; }"], 50_000, 2),
        (["return ", "x++, ", "x", "", "; }"], 50_000, 50_000),
        (["return ", "(char)", "x", "", "; }"], 30_000, 0),
    ];
    for (shape, n, returned) in statements.into_iter().chain(expressions) {
        let start = Instant::now();
        let folder = Folder::new(&[("a.c", format!("{MAIN}{}", nested(n, shape)))]);
        folder.check("lower --check a.c -o a.ir", 0, "", "");
        folder.check("run a.ir", 0, &format!("OUTCOME: returned {returned}\n"), "");
        assert!(start.elapsed() < Duration::from_secs(60), "{shape:?} takes {:?}", start.elapsed());
    }
}

#[test]
fn long_lines() {
    const LENGTH: usize = 50 << 20;
    let line = |start: &str, filler: &str, end: &str| {
        Folder::new(&[("a.c", format!("{start}{}{end}", filler.repeat(LENGTH / filler.len())))])
    };
    let blanks = line("int main(void) {", " ", "return 1; }");
    blanks.check("run a.c", 0, "OUTCOME: returned 1\n", "");
    let comment = line("int main(void) { /*", "x", "*/ return 2; }");
    comment.check("run a.c", 0, "OUTCOME: returned 2\n", "");
    let string = line("char s[] = \"", "x", "\"; int main(void) { return sizeof s >> 20; }");
    string.check("run a.c", 0, "OUTCOME: returned 50\n", "");
    let wrong = line("int main(void) {", " ", "return }").hardbop("lower a.c");
    assert_eq!(wrong.code, 65);
    assert!(
        wrong.stderr.contains("a.c:1:52428824: error: expected an expression"),
        "{}",
        clip(&wrong.stderr)
    );
    assert!(wrong.stderr.len() < 1000);
    let sum = line("int main(void) { int x = 1; return x", "+x", "; }").hardbop("lower a.c");
    assert_eq!(sum.code, 65);
    assert!(sum.stderr.contains("nested more deeply than 150000 levels"), "{}", clip(&sum.stderr));
}
