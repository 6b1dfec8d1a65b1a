//! Texts and what the parser says about them.

use expect_test::{Expect, expect};
use hardbop_base::{Id, Sources};
use hardbop_teach::{MAX_NESTING, parse};

/// The program as the printer writes it, or the messages.
fn read(text: &str) -> String {
    let mut sources = Sources::new();
    let file = sources.add("t.x", text);
    let (program, messages) = parse(text, file);
    if messages.has_errors() {
        return messages.render(&sources);
    }
    let printed = program.to_string();
    let (again, messages) = parse(&printed, file);
    assert!(messages.is_empty() && again == program, "not read back: {messages:?}\n{printed}");
    printed
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text));
}

/// Statements of a procedure, without its header.
fn check_body(text: &str, expected: Expect) {
    let printed = read(&format!("f() {{\n{text}\n}}\n"));
    let body = printed.strip_prefix("procedure f() {\n").and_then(|rest| rest.strip_suffix("}\n"));
    let body: Option<String> = body.map(|body| {
        let lines = body.lines().map(|line| line.strip_prefix("  ").unwrap_or(line));
        lines.flat_map(|line| [line, "\n"]).collect()
    });
    expected.assert_eq(&body.unwrap_or(printed));
}

/// An expression as the printer writes it.
fn check_expr(text: &str, expected: &str) {
    let printed = read(&format!("f() {{ x := {text} }}"));
    let printed = printed.trim_start_matches("procedure f() {\n  x := ").trim_end_matches(";\n}\n");
    assert_eq!(printed, expected);
}

#[test]
fn items() {
    check(
        "enum S { a, b }
         x, y: int; done: bool := F; s: S := b;
         p() { }
         void q(a, b: int, out c, d: S, ref e: bool): int { return a }
         procedure r(): S { }",
        expect![[r#"
            enum S { a, b };
            x, y: int;
            done: bool := false;
            s: S := b;

            procedure p() {
            }

            procedure q(a: int, b: int, out c: S, out d: S, ref e: bool): int {
              return a;
            }

            procedure r(): S {
            }
        "#]],
    );
}

#[test]
fn statements() {
    check_body(
        "skip; x := 1; x, *f, y := 1, 2, ?; g(); h(1, x); x := g(2); *f := g();
         [1] [two] three: skip
         z: int; u, v: bool := T, F; w: int := g(3);
         assert(x = 1); assert x = 1; assume(b); assume ?;
         return; return 1; return -x; x++; *f--; ;;",
        expect![[r#"
            t.x:4:10: error: expected `;`, found `z`
                         z: int; u, v: bool := T, F; w: int := g(3);
                         ^
        "#]],
    );
    check_body(
        "skip; x := 1; x, *f, y := 1, 2, ?; g(); h(1, x); x := g(2); *f := g();
         [1] [two] three: skip;
         z: int; u, v: bool := T, F; w: int := g(3);
         assert(x = 1); assert x = 1; assume(b); assume ?;
         return; return 1; return -x; x++; *f--; ;;",
        expect![[r#"
              skip;
              x := 1;
              x, *f, y := 1, 2, ?;
              g();
              h(1, x);
              x := g(2);
              *f := g();
              [1] [two] [three] skip;
              z: int;
              u, v: bool := true, false;
              w: int := g(3);
              assert(x = 1);
              assert(x = 1);
              assume(b);
              assume(?);
              return;
              return 1;
              return -x;
              x := x + 1;
              *f := *f - 1;
        "#]],
    );
}

#[test]
fn control() {
    check_body(
        "if (a) x := 1; else x := 2;
         if a then x := 1 else if b then { x := 2 } else { if c x := 3; [4] }
         if (a) if (b) x := 1; else x := 2;
         if (a) *f := 1;
         if (a) *f, *g := 1, 2 else skip;
         while (a) x := 1;
         while a do { x := 1; y := 2 }
         while a do do { skip } while b;
         do x++; while (x < 3);
         {x := 1 | y := 2; z := 3 |};
         { x := 1 }
         case { a: x := 1; b && c: { x := 2; y := 3 } d: x := 1 | skip else: skip }
         case { }",
        expect![[r#"
              if (a) {
                x := 1;
              } else {
                x := 2;
              }
              if (a) {
                x := 1;
              } else if (b) {
                x := 2;
              } else {
                if (c) {
                  x := 3;
                }
                [4] skip;
              }
              if (a) {
                if (b) {
                  x := 1;
                } else {
                  x := 2;
                }
              }
              if (a) {
                *f := 1;
              }
              if (a) {
                *f, *g := 1, 2;
              } else {
                skip;
              }
              while (a) {
                x := 1;
              }
              while (a) {
                x := 1;
                y := 2;
              }
              while (a) {
                do {
                  skip;
                } while (b);
              }
              do {
                x := x + 1;
              } while (x < 3);
              {
                x := 1;
              |
                y := 2;
                z := 3;
              |
              }
              {
                x := 1;
              }
              case {
                a: {
                  x := 1;
                }
                b && c: {
                  x := 2;
                  y := 3;
                }
                d: {
                  x := 1;
                |
                  skip;
                }
                else: {
                  skip;
                }
              }
              case {
              }
        "#]],
    );
}

#[test]
fn declarations_and_labels_are_told_apart() {
    check(
        "enum S { a }
         f() { x: int; L: x := 1; s: S := a; M: s := a; N: f(); t: S; O: { skip } }",
        expect![[r#"
            enum S { a };

            procedure f() {
              x: int;
              [L] x := 1;
              s: S := a;
              [M] s := a;
              [N] f();
              t: S;
              [O] {
                skip;
              }
            }
        "#]],
    );
}

#[test]
fn operators() {
    check_expr("((a))", "a");
    check_expr("a + b - c * d / e mod f", "a + b - c * d / e mod f");
    check_expr("a - (b - c) - (d * e)", "a - (b - c) - d * e");
    check_expr("a * (b + c) % d", "a * (b + c) mod d");
    check_expr("a => b => c", "a => b => c");
    check_expr("(a => b) => c", "(a => b) => c");
    check_expr("a || b && c || d", "a || b && c || d");
    check_expr("(a || b) && (c || d)", "(a || b) && (c || d)");
    check_expr("(a == b) != (c < d)", "(a = b) != (c < d)");
    check_expr("!a && !(b && c)", "!a && !(b && c)");
    check_expr("- - a - -1", "--a - -1");
    check_expr("-(a * b) + -a * b", "-(a * b) + -a * b");
    check_expr("*f * *g - -*h", "*f * *g - -*h");
    check_expr("¬a ∧ b ∨ c ≠ d ∨ e ≤ f ∨ g ≥ h", "!a && b || c != d || e <= f || g >= h");
    check_expr("T => F => true => false => ?", "true => false => true => false => ?");
    check_expr("170141183460469231731687303715884105727", "170141183460469231731687303715884105727");
}

#[test]
fn comparisons_do_not_chain() {
    check(
        "f() { x := a && b == c < d }",
        expect![[r#"
        t.x:1:24: error: comparisons do not chain; use `&&` or parentheses
            f() { x := a && b == c < d }
                                   ^
    "#]],
    );
}

#[test]
fn comments_and_layout_do_not_matter() {
    check(
        "// one\nf/**/(/* two\n*/)\t{\u{b}x:=1/2// three\n}",
        expect![[r#"
            procedure f() {
              x := 1 / 2;
            }
        "#]],
    );
    check("", expect![""]);
}

/// Length: one text with many errors, and all messages.
#[test]
fn all_errors_are_reported() {
    check(
        "int x;
         y: ;
         f( { skip; }
         g() { x := ; y = 3; if (a { skip } while do x := 1; z := 1 w := 2; }
         h() { x := 1 + f(2); y := f(1) + 2; [ 3; f }
         enum E { };
         k() { x := 99999999999999999999999999999999999999999; y := 2n; z := a & b; u := a $ b }
         case: int; l() { case { a x := 1; b: y := 2; else: skip; else: skip; c: skip } }
         m() { else skip; } n() { a | b } o() { *x: int; a, b++ }
         p() {",
        expect![[r#"
            t.x:1:1: error: expected a declaration or a procedure, found `int`
                int x;
                ^~~
            t.x:2:13: error: expected a type, found `;`
                         y: ;
                            ^
            t.x:3:13: error: expected a name, found `{`
                         f( { skip; }
                            ^
            t.x:4:21: error: expected an expression, found `;`
                         g() { x := ; y = 3; if (a { skip } while do x := 1; z := 1 w := 2; }
                                    ^
            t.x:4:25: error: an assignment is written with `:=`
                         g() { x := ; y = 3; if (a { skip } while do x := 1; z := 1 w := 2; }
                                        ^
            t.x:4:36: error: expected `)`, found `{`
                         g() { x := ; y = 3; if (a { skip } while do x := 1; z := 1 w := 2; }
                                                   ^
            t.x:4:51: error: expected an expression, found `do`
                         g() { x := ; y = 3; if (a { skip } while do x := 1; z := 1 w := 2; }
                                                                  ^~
            t.x:4:69: error: expected `;`, found `w`
                         g() { x := ; y = 3; if (a { skip } while do x := 1; z := 1 w := 2; }
                                                                                    ^
            t.x:5:25: error: a call is a statement of its own: `x := f(…)`
                         h() { x := 1 + f(2); y := f(1) + 2; [ 3; f }
                                        ^
            t.x:5:36: error: a call is a statement of its own: `x := f(…)`
                         h() { x := 1 + f(2); y := f(1) + 2; [ 3; f }
                                                   ^
            t.x:5:49: error: expected `]`, found `;`
                         h() { x := 1 + f(2); y := f(1) + 2; [ 3; f }
                                                                ^
            t.x:5:53: error: expected `:=`, found `}`
                         h() { x := 1 + f(2); y := f(1) + 2; [ 3; f }
                                                                    ^
            t.x:6:19: error: expected a name, found `}`
                         enum E { };
                                  ^
            t.x:7:21: error: numbers are written up to 2^127 - 1
                         k() { x := 99999999999999999999999999999999999999999; y := 2n; z := a & b; u := a $ b }
                                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
            t.x:7:69: error: a name cannot follow a number directly; products need `*`
                         k() { x := 99999999999999999999999999999999999999999; y := 2n; z := a & b; u := a $ b }
                                                                                    ^~
            t.x:7:80: error: unexpected character `&`; `&&` is conjunction
                         k() { x := 99999999999999999999999999999999999999999; y := 2n; z := a & b; u := a $ b }
                                                                                               ^
            t.x:7:82: error: expected `;`, found `b`
                         k() { x := 99999999999999999999999999999999999999999; y := 2n; z := a & b; u := a $ b }
                                                                                                 ^
            t.x:7:92: error: unexpected character `$`
                         k() { x := 99999999999999999999999999999999999999999; y := 2n; z := a & b; u := a $ b }
                                                                                                           ^
            t.x:7:94: error: expected `;`, found `b`
                         k() { x := 99999999999999999999999999999999999999999; y := 2n; z := a & b; u := a $ b }
                                                                                                             ^
            t.x:8:10: error: expected a declaration or a procedure, found `case`
                         case: int; l() { case { a x := 1; b: y := 2; else: skip; else: skip; c: skip } }
                         ^~~~
            t.x:8:36: error: expected `:`, found `x`
                         case: int; l() { case { a x := 1; b: y := 2; else: skip; else: skip; c: skip } }
                                                   ^
            t.x:8:67: error: a `case` has one `else`
                         case: int; l() { case { a x := 1; b: y := 2; else: skip; else: skip; c: skip } }
                                                                                  ^~~~
            t.x:8:79: error: `else` comes last
                         case: int; l() { case { a x := 1; b: y := 2; else: skip; else: skip; c: skip } }
                                                                                              ^
            t.x:9:16: error: `else` belongs to no `if`
                         m() { else skip; } n() { a | b } o() { *x: int; a, b++ }
                               ^~~~
            t.x:9:37: error: expected `:=`, found `|`
                         m() { else skip; } n() { a | b } o() { *x: int; a, b++ }
                                                    ^
            t.x:9:37: error: a choice needs braces of its own: `{ … | … }`
                         m() { else skip; } n() { a | b } o() { *x: int; a, b++ }
                                                    ^
            t.x:9:41: error: expected `:=`, found `}`
                         m() { else skip; } n() { a | b } o() { *x: int; a, b++ }
                                                        ^
            t.x:9:50: error: `*` has no place in a declaration
                         m() { else skip; } n() { a | b } o() { *x: int; a, b++ }
                                                                 ^
            t.x:9:58: error: only one variable is counted up or down
                         m() { else skip; } n() { a | b } o() { *x: int; a, b++ }
                                                                         ^~~~~~
            t.x:10:15: error: expected `}`, found the end of the text
                         p() {
                              ^
        "#]],
    );
}

#[test]
fn braces_that_do_not_match() {
    for text in [
        "f() {",
        "f() { {",
        "f() { } }",
        "}",
        "f() { if (a) { }",
        "{",
        "f() { case {",
        "/* never",
        "f() { [",
        "f(",
        "f() { x := (",
        "enum E {",
    ] {
        assert!(read(text).contains("error: "), "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let message = format!("nested more than {MAX_NESTING} levels deep");
    let deep = |open: &str, inside: &str, close: &str, n: usize| {
        read(&format!("f() {{ {}{inside}{} }}", open.repeat(n), close.repeat(n)))
    };
    for (open, inside, close) in [
        ("{", "", "}"),
        ("if (a) ", "skip", ""),
        ("if (a) { ", "skip", "}"),
        ("while (a) ", "skip", ""),
        ("if (a) skip; else ", "skip", ""),
        ("do ", "skip;", " while (a);"),
        ("case { a: ", "skip", "}"),
        ("case { a: skip | ", "skip", "}"),
        ("{ skip | ", "skip", "}"),
    ] {
        let fine = deep(open, inside, close, MAX_NESTING - 2);
        assert!(!fine.contains("error"), "{open}: {fine}");
        for n in [MAX_NESTING + 1, 100_000] {
            let text = deep(open, inside, close, n);
            assert!(text.contains(&message) && text.lines().count() < 5, "{open}: {text}");
        }
    }
    for (open, inside, close) in [
        ("(", "1", ")"),
        ("-", "1", ""),
        ("!", "a", ""),
        ("1 + ", "1", ""),
        ("", "1", " + 1"),
        ("a => ", "a", ""),
        ("", "a", " && a"),
    ] {
        let fine = deep_expr(open, inside, close, MAX_NESTING - 2);
        assert!(!fine.contains("error"), "{open}{close}: {fine}");
        for n in [MAX_NESTING + 1, 100_000] {
            let text = deep_expr(open, inside, close, n);
            assert!(text.contains(&message) && text.lines().count() < 5, "{open}{close}: {text}");
        }
    }
}

fn deep_expr(open: &str, inside: &str, close: &str, n: usize) -> String {
    read(&format!("f() {{ x := {}{inside}{} }}", open.repeat(n), close.repeat(n)))
}

#[test]
fn any_bytes_are_read() {
    let file = Id::from_usize(0);
    for byte in 0..=255u8 {
        for text in
            [vec![byte], vec![b'f', b'(', byte], vec![byte; 7], [b"f() { x := ", &[byte][..]].concat()]
        {
            let (program, messages) = parse(&text, file);
            assert!(messages.has_errors() || parse(program.to_string(), file).0 == program, "{text:?}");
        }
    }
}

/// Every prefix of a program, and every program with a token less, is read without a panic.
#[test]
fn broken_programs_are_read() {
    let text = include_str!("../../../examples/lock.x");
    let file = Id::from_usize(0);
    for end in 0..text.len() {
        let _ = parse(&text[..end], file);
        let without: String = text.chars().enumerate().filter(|(i, _)| *i != end).map(|(_, c)| c).collect();
        let (program, messages) = parse(&without, file);
        assert!(messages.has_errors() || parse(program.to_string(), file).0 == program, "{without}");
    }
}
