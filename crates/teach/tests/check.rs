//! What the checker says about programs that are well-formed but wrong.

use expect_test::{Expect, expect};
use hardbop_base::Sources;
use hardbop_teach::ast::{Expr, ExprKind, Item, Name, Procedure, Program, Stmt, StmtKind};
use hardbop_teach::{TeachOptions, check, load, parse};

fn complaints(text: &str) -> String {
    let mut sources = Sources::new();
    let file = sources.add("t.x", text);
    let (program, messages) = parse(text, file);
    assert!(!messages.has_errors(), "{}", messages.render(&sources));
    check(&program).render(&sources)
}

fn rejected(text: &str, expected: Expect) {
    let complaints = complaints(text);
    assert!(!complaints.is_empty());
    expected.assert_eq(&complaints);
}

#[test]
fn names() {
    rejected(
        "enum E { a, E }
         x: int; x: bool;
         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a := 2; g(); y(); q: Q; }
         f() { [1] skip; [1] skip; v := 1; v: int; v := v }
         h(b: G): H { }",
        expect![[r#"
            t.x:1:13: error: `E` is declared twice
                enum E { a, E }
                            ^
            t.x:1:6: note: first declared here
                enum E { a, E }
                     ^
            t.x:2:18: error: `x` is declared twice
                         x: int; x: bool;
                                 ^
            t.x:2:10: note: first declared here
                         x: int; x: bool;
                         ^
            t.x:3:12: error: `a` is declared twice
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a :
                           ^
            t.x:1:10: note: first declared here
                enum E { a, E }
                         ^
            t.x:3:28: error: `y` is declared twice
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a :
                                           ^
            t.x:3:20: note: first declared here
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a :
                                   ^
            t.x:3:46: error: `z` is declared twice
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a :
                                                             ^
            t.x:3:38: note: first declared here
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a :
                                                     ^
            t.x:3:54: error: `x` is declared twice
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a := 2
                                                                     ^
            t.x:2:10: note: first declared here
                         x: int; x: bool;
                         ^
            t.x:3:74: error: `u` cannot be seen here, only in the block behind its declaration
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a := 2; g(); y(); q: Q; }
                                                                                         ^
            t.x:3:82: error: `w` is not declared
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a := 2; g(); y(); q: Q; }
                                                                                                 ^
            t.x:3:90: error: `f` is not a variable
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a := 2; g(); y(); q: Q; }
                                                                                                         ^
            t.x:3:106: error: there is no procedure `g`
                 int; { u: int; } u := 1; w := 1; f := 2; a := 2; g(); y(); q: Q; }
                                                                  ^
            t.x:3:111: error: there is no procedure `y`
                 { u: int; } u := 1; w := 1; f := 2; a := 2; g(); y(); q: Q; }
                                                                  ^
            t.x:3:119: error: there is no type `Q`
                t; } u := 1; w := 1; f := 2; a := 2; g(); y(); q: Q; }
                                                                  ^
            t.x:4:10: error: `f` is declared twice
                         f() { [1] skip; [1] skip; v := 1; v: int; v := v }
                         ^
            t.x:3:10: note: first declared here
                         f(a: int, y: int, y: int) { z: int; z: int; x: int; { u: int; } u := 1; w := 1; f := 2; a :
                         ^
            t.x:4:27: error: label `1` stands twice in this procedure
                         f() { [1] skip; [1] skip; v := 1; v: int; v := v }
                                          ^
            t.x:4:17: note: the other one is here
                         f() { [1] skip; [1] skip; v := 1; v: int; v := v }
                                ^
            t.x:4:36: error: `v` is not declared
                         f() { [1] skip; [1] skip; v := 1; v: int; v := v }
                                                   ^
            t.x:5:15: error: there is no type `G`
                         h(b: G): H { }
                              ^
            t.x:5:19: error: there is no type `H`
                         h(b: G): H { }
                                  ^
        "#]],
    );
}

/// Length: one text with many errors, and all messages.
#[test]
fn types() {
    rejected(
        "enum E { a, b }
         enum D { c }
         x: int := T; y: bool := 1; e: E := c; k: int := x; m, n: int := 1; o: int := f(1, T);
         f(i: int, j: bool): int {
           x := T; y := 1; e := 1; e := c; x := y; y := e; x, y := y, x;
           if (x) skip; while (1) skip; assert(x); assume(e); case { 1: skip; }
           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?) = ?;
           x := 1, 2; x, x := 1, 2;
           f(1); f(T, 1); y := f(1, T); g(1); x := g(); x, y := f(1, T); z: E := f(1, T);
           return; return T;
         }
         g() { return 1; }",
        expect![[r#"
            t.x:3:20: error: expected a value of type `int`, found one of type `bool`
                         x: int := T; y: bool := 1; e: E := c; k: int := x; m, n: int := 1; o: int := f(1, T);
                                   ^
            t.x:3:34: error: expected a value of type `bool`, found one of type `int`
                         x: int := T; y: bool := 1; e: E := c; k: int := x; m, n: int := 1; o: int := f(1, T);
                                                 ^
            t.x:3:45: error: expected a value of type `E`, found one of type `D`
                         x: int := T; y: bool := 1; e: E := c; k: int := x; m, n: int := 1; o: int := f(1, T);
                                                            ^
            t.x:3:58: error: a global starts with a constant or with `?`
                         x: int := T; y: bool := 1; e: E := c; k: int := x; m, n: int := 1; o: int := f(1, T);
                                                                         ^
            t.x:3:74: error: 1 value for 2 variables
                         x: int := T; y: bool := 1; e: E := c; k: int := x; m, n: int := 1; o: int := f(1, T);
                                                                                         ^
            t.x:3:87: error: a global starts with a constant or with `?`
                         x: int := T; y: bool := 1; e: E := c; k: int := x; m, n: int := 1; o: int := f(1, T);
                                                                                                      ^~~~~~~
            t.x:5:17: error: expected a value of type `int`, found one of type `bool`
                           x := T; y := 1; e := 1; e := c; x := y; y := e; x, y := y, x;
                                ^
            t.x:5:25: error: expected a value of type `bool`, found one of type `int`
                           x := T; y := 1; e := 1; e := c; x := y; y := e; x, y := y, x;
                                        ^
            t.x:5:33: error: expected a value of type `E`, found one of type `int`
                           x := T; y := 1; e := 1; e := c; x := y; y := e; x, y := y, x;
                                                ^
            t.x:5:41: error: expected a value of type `E`, found one of type `D`
                           x := T; y := 1; e := 1; e := c; x := y; y := e; x, y := y, x;
                                                        ^
            t.x:5:49: error: expected a value of type `int`, found one of type `bool`
                           x := T; y := 1; e := 1; e := c; x := y; y := e; x, y := y, x;
                                                                ^
            t.x:5:57: error: expected a value of type `bool`, found one of type `E`
                           x := T; y := 1; e := 1; e := c; x := y; y := e; x, y := y, x;
                                                                        ^
            t.x:5:68: error: expected a value of type `int`, found one of type `bool`
                           x := T; y := 1; e := 1; e := c; x := y; y := e; x, y := y, x;
                                                                                   ^
            t.x:5:71: error: expected a value of type `bool`, found one of type `int`
                           x := T; y := 1; e := 1; e := c; x := y; y := e; x, y := y, x;
                                                                                      ^
            t.x:6:16: error: expected a value of type `bool`, found one of type `int`
                           if (x) skip; while (1) skip; assert(x); assume(e); case { 1: skip; }
                               ^
            t.x:6:32: error: expected a value of type `bool`, found one of type `int`
                           if (x) skip; while (1) skip; assert(x); assume(e); case { 1: skip; }
                                               ^
            t.x:6:48: error: expected a value of type `bool`, found one of type `int`
                           if (x) skip; while (1) skip; assert(x); assume(e); case { 1: skip; }
                                                               ^
            t.x:6:59: error: expected a value of type `bool`, found one of type `E`
                           if (x) skip; while (1) skip; assert(x); assume(e); case { 1: skip; }
                                                                          ^
            t.x:6:70: error: expected a value of type `bool`, found one of type `int`
                           if (x) skip; while (1) skip; assert(x); assume(e); case { 1: skip; }
                                                                                     ^
            t.x:7:18: error: expected a value of type `bool`, found one of type `int`
                           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?
                                 ^
            t.x:7:27: error: expected a value of type `int`, found one of type `bool`
                           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?
                                          ^
            t.x:7:35: error: expected a value of type `int`, found one of type `bool`
                           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?
                                                  ^
            t.x:7:39: error: expected a value of type `int`, found one of type `bool`
                           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?
                                                      ^
            t.x:7:51: error: expected a value of type `int`, found one of type `bool`
                           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?
                                                                  ^
            t.x:7:59: error: expected a value of type `int`, found one of type `E`
                           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?) = ?;
                                                                          ^
            t.x:7:63: error: expected a value of type `int`, found one of type `E`
                           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?) = ?;
                                                                              ^
            t.x:7:75: error: expected a value of type `E`, found one of type `int`
                           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?) = ?;
                                                                                          ^
            t.x:7:83: error: nothing says of which type these `?` are
                           x := !x; y := -y; y := y + y; y := x < y; y := e < a; y := e = x; y := ? = ?; y := (? < ?) = ?;
                                                                                                  ^~~~~
            t.x:8:12: error: 2 values for 1 variable
                           x := 1, 2; x, x := 1, 2;
                           ^~~~~~~~~
            t.x:8:26: error: `x` is assigned twice
                           x := 1, 2; x, x := 1, 2;
                                         ^
            t.x:9:12: error: procedure `f` takes 2 arguments, not 1
                           f(1); f(T, 1); y := f(1, T); g(1); x := g(); x, y := f(1, T); z: E := f(1, T);
                           ^~~~
            t.x:4:10: note: declared here
                         f(i: int, j: bool): int {
                         ^~~~~~~~~~~~~~~~~~~~~~~
            t.x:9:20: error: expected a value of type `int`, found one of type `bool`
                           f(1); f(T, 1); y := f(1, T); g(1); x := g(); x, y := f(1, T); z: E := f(1, T);
                                   ^
            t.x:9:23: error: expected a value of type `bool`, found one of type `int`
                           f(1); f(T, 1); y := f(1, T); g(1); x := g(); x, y := f(1, T); z: E := f(1, T);
                                      ^
            t.x:9:32: error: expected a value of type `bool`, found one of type `int`
                           f(1); f(T, 1); y := f(1, T); g(1); x := g(); x, y := f(1, T); z: E := f(1, T);
                                               ^~~~~~~
            t.x:9:41: error: procedure `g` takes 0 arguments, not 1
                           f(1); f(T, 1); y := f(1, T); g(1); x := g(); x, y := f(1, T); z: E := f(1, T);
                                                        ^~~~
            t.x:12:10: note: declared here
                         g() { return 1; }
                         ^~~
            t.x:9:52: error: procedure `g` has no result
                           f(1); f(T, 1); y := f(1, T); g(1); x := g(); x, y := f(1, T); z: E := f(1, T);
                                                                   ^~~
            t.x:9:65: error: a call gives one value
                           f(1); f(T, 1); y := f(1, T); g(1); x := g(); x, y := f(1, T); z: E := f(1, T);
                                                                                ^~~~~~~
            t.x:9:82: error: expected a value of type `E`, found one of type `int`
                           f(1); f(T, 1); y := f(1, T); g(1); x := g(); x, y := f(1, T); z: E := f(1, T);
                                                                                                 ^~~~~~~
            t.x:10:12: error: this procedure returns a value of type `int`
                           return; return T;
                           ^~~~~~
            t.x:10:27: error: expected a value of type `int`, found one of type `bool`
                           return; return T;
                                          ^
            t.x:12:23: error: this procedure has no result
                         g() { return 1; }
                                      ^
        "#]],
    );
}

#[test]
fn references() {
    rejected(
        "enum E { a }
         x: int; b: bool;
         f(out r: int, ref s: bool, v: int) {
           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r < r;
           f(1, s, v); f(b, b, 1); f(x + 1, b, 1); f(*r, s, 1); f(r, r, 1); f(a, s, 1); f(v, *s, 1);
           r++; *a := 1; r, *r := 1, 2; *r, *r := 1, 2;
         }",
        expect![[r#"
            t.x:4:12: error: `r` is a reference; `*r` is what it refers to
                           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r <
                           ^
            t.x:4:25: error: `r` is a reference; `*r` is what it refers to
                           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r <
                                        ^
            t.x:4:29: error: `x` is not a reference: `*` is for `ref` and `out` parameters
                           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r <
                                            ^
            t.x:4:42: error: `v` is not a reference: `*` is for `ref` and `out` parameters
                           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r <
                                                         ^~
            t.x:4:47: error: `v` is not a reference: `*` is for `ref` and `out` parameters
                           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r <
                                                              ^
            t.x:4:60: error: references to different types are never equal
                           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r < r;
                                                                           ^~~~~
            t.x:4:72: error: `r` is a reference; `*r` is what it refers to
                           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r < r;
                                                                                       ^
            t.x:4:89: error: expected a value of type `int`, found one of type `bool`
                           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r < r;
                                                                                                        ^~
            t.x:4:98: error: `r` is a reference; `*r` is what it refers to
                           r := 1; x := r; *x := 1; x := *v; *v := 2; b := r = s; b := r = v; b := *r = *s; b := r < r;
                                                                                                                 ^
            t.x:4:102: error: `r` is a reference; `*r` is what it refers to
                2; b := r = s; b := r = v; b := *r = *s; b := r < r;
                                                                  ^
            t.x:5:14: error: only a variable or a reference can be passed by reference
                           f(1, s, v); f(b, b, 1); f(x + 1, b, 1); f(*r, s, 1); f(r, r, 1); f(a, s, 1); f(v, *s, 1);
                             ^
            t.x:5:26: error: expected a variable of type `int`, found one of type `bool`
                           f(1, s, v); f(b, b, 1); f(x + 1, b, 1); f(*r, s, 1); f(r, r, 1); f(a, s, 1); f(v, *s, 1);
                                         ^
            t.x:5:38: error: only a variable or a reference can be passed by reference
                           f(1, s, v); f(b, b, 1); f(x + 1, b, 1); f(*r, s, 1); f(r, r, 1); f(a, s, 1); f(v, *s, 1);
                                                     ^~~~~
            t.x:5:54: error: only a variable or a reference can be passed by reference
                           f(1, s, v); f(b, b, 1); f(x + 1, b, 1); f(*r, s, 1); f(r, r, 1); f(a, s, 1); f(v, *s, 1);
                                                                     ^~
            t.x:5:70: error: expected a variable of type `bool`, found one of type `int`
                           f(1, s, v); f(b, b, 1); f(x + 1, b, 1); f(*r, s, 1); f(r, r, 1); f(a, s, 1); f(v, *s, 1);
                                                                                     ^
            t.x:5:79: error: only a variable or a reference can be passed by reference
                           f(1, s, v); f(b, b, 1); f(x + 1, b, 1); f(*r, s, 1); f(r, r, 1); f(a, s, 1); f(v, *s, 1);
                                                                                              ^
            t.x:5:94: error: only a variable or a reference can be passed by reference
                           f(1, s, v); f(b, b, 1); f(x + 1, b, 1); f(*r, s, 1); f(r, r, 1); f(a, s, 1); f(v, *s, 1);
                                                                                                             ^~
            t.x:6:12: error: `r` is a reference; `*r` is what it refers to
                           r++; *a := 1; r, *r := 1, 2; *r, *r := 1, 2;
                           ^
            t.x:6:18: error: `a` is not a reference: `*` is for `ref` and `out` parameters
                           r++; *a := 1; r, *r := 1, 2; *r, *r := 1, 2;
                                 ^
            t.x:6:26: error: `r` is a reference; `*r` is what it refers to
                           r++; *a := 1; r, *r := 1, 2; *r, *r := 1, 2;
                                         ^
            t.x:6:46: error: `*r` is assigned twice
                           r++; *a := 1; r, *r := 1, 2; *r, *r := 1, 2;
                                                             ^
        "#]],
    );
}

#[test]
fn good_programs_are_accepted() {
    for text in [
        "enum E { a, b } x: E := a; f(): E { return ?; } main() { x := f(); assert(x = b || x != b); }",
        "f(out r: int, ref s: int): bool { t: bool := r = s; g(r, s); return t && *r = *s; } g(ref a, b: int) { f(a, b); }",
        "main() { { x: int; } { y: int := 1; { z: int := y; } } case { } }",
        "x: int := -5; y: int := ?; b: bool := F;",
        "f() { g(); } g() { f(); }",
    ] {
        assert_eq!(complaints(text), "", "{text}");
    }
}

#[test]
fn names_that_cannot_be_read_back() {
    let span = hardbop_base::Span::none();
    let mut stmt = Stmt::new(StmtKind::Assume(Expr::new(ExprKind::Bool(true))));
    stmt.labels.push(Name::new("a b"));
    let procedure =
        Procedure { name: Name::new("if"), formals: vec![], result: None, body: vec![stmt], span, end: span };
    let program = Program { items: vec![Item::Procedure(procedure)] };
    let messages: Vec<String> = check(&program).iter().map(|d| d.message.clone()).collect();
    assert_eq!(messages, ["`if` is not a name", "`a b` is not a label"]);
}

#[test]
fn execution_cannot_start_with_references() {
    let mut sources = Sources::new();
    let file = sources.add("t.x", "main(n: int, out r: int) { }");
    let errors = load(&sources, file, &TeachOptions::default()).unwrap_err();
    expect![[r#"
        t.x:1:18: error: execution cannot start in `main`, which takes a reference
            main(n: int, out r: int) { }
                             ^
    "#]]
    .assert_eq(&errors.render(&sources));
    let other = TeachOptions { entry: "nothing".into(), ..TeachOptions::default() };
    assert_eq!(load(&sources, file, &other).unwrap().entry, None);
}
