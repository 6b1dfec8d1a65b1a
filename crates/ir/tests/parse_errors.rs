//! What the parser says about texts that are no programs.

use expect_test::{Expect, expect};
use hardbop_base::{Diagnostics, Id, Sources};
use hardbop_ir::text::{MAX_DEPTH, MAX_TYPE_DEPTH};
use hardbop_ir::{Program, text, verify};

fn read(text: &str) -> Result<Program, Diagnostics> {
    text::parse(Id::from_usize(0), text)
}

fn errors(text: &str) -> String {
    let mut sources = Sources::new();
    sources.add("p.ir", text);
    match read(text) {
        Ok(_) => "no error".into(),
        Err(errors) => errors.render(&sources),
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&errors(text));
}

/// A program whose `main` has these variables and edges.
fn main_with(variables: &str, edges: &str) -> String {
    format!(
        "program 1 LP64\n\
         struct s size 8 align 4 {{\n  a: i32 at 0\n  b: [2 x u16] at 4\n}}\n\
         fn main() {{\n{variables}\n  locations 9 entry L0 exit L1\n{edges}\n}}\n\
         entry main\n"
    )
}

#[test]
fn the_smallest_program() {
    assert_eq!(errors("program 1 ILP32\n"), "no error");
    assert_eq!(errors("program 1 LP64 // nothing\n\n  // at all\n"), "no error");
    assert_eq!(errors("program 1 LP64"), "no error");
}

#[test]
fn every_line_is_read() {
    check(
        "program 2 LP64\n\
         glob x: i32 = zero\n\
         global y i32 = zero\n\
         global z: i333 = zero\n\
         global ok: i32 = 3000000000\n\
         fn f() {\n  locations 3 entry L0 exit L1\n  L0 -> L7: skip\n  L0 -> L2: a := 1\n  L2 -> L1: return return\n}\n\
         fn f() {\n  locations 2 entry L0 exit L1\n}\n\
         entry g\n",
        expect![[r#"
            p.ir:1:9: error: this is version 1 of the text form
                program 2 LP64
                        ^
            p.ir:2:1: error: expected a definition (file, struct, union, global, static, fn, extern, entry), found `glob`
                glob x: i32 = zero
                ^~~~
            p.ir:3:10: error: expected `:`, found `i32`
                global y i32 = zero
                         ^~~
            p.ir:4:11: error: expected a type, found `i333`
                global z: i333 = zero
                          ^~~~
            p.ir:5:18: error: no constant of type i32: it is out of range
                global ok: i32 = 3000000000
                                 ^~~~~~~~~~
            p.ir:8:9: error: there is no such location; the procedure has 3
                  L0 -> L7: skip
                        ^~
            p.ir:9:13: error: there is no variable `a`
                  L0 -> L2: a := 1
                            ^
            p.ir:10:20: error: expected the end of the line, found `return`
                  L2 -> L1: return return
                                   ^~~~~~
            p.ir:12:4: error: procedure `f` is already defined
                fn f() {
                   ^
            p.ir:15:7: error: there is no procedure `g`
                entry g
                      ^
        "#]],
    );
}

#[test]
fn names_that_are_missing_or_defined_twice() {
    check(
        "program 1 LP64\n\
         struct s size 4 align 4 {\n  a: union s at 0\n  b: struct q at 0\n}\n\
         union s size 4 align 4 {\n}\n\
         global x: i32 = zero\n\
         global x: i32 = zero\n\
         fn f(a: i32, a: i32) {\n  locations 2 entry L0 exit L1\n}\n\
         fn g() {\n  local b: i32\n  local b: i32\n  locations 2 entry L0 exit L1\n}\n\
         entry f\nentry g\nentry g\n",
        expect![[r#"
            p.ir:3:12: error: `s` is defined as the other kind of record
                  a: union s at 0
                           ^
            p.ir:4:13: error: there is no record `q`
                  b: struct q at 0
                            ^
            p.ir:6:7: error: record `s` is already defined
                union s size 4 align 4 {
                      ^
            p.ir:9:8: error: global `x` is already defined
                global x: i32 = zero
                       ^
            p.ir:10:14: error: `a` is already declared in this procedure
                fn f(a: i32, a: i32) {
                             ^
            p.ir:15:9: error: `b` is already declared in this procedure
                  local b: i32
                        ^
            p.ir:20:7: error: there is already an entry
                entry g
                      ^
        "#]],
    );
}

/// Each statement with the line and column of the message about it; the statement starts at 12:13.
/// Length: a table of statements and messages.
#[test]
fn statements() {
    let variables = "  local x: i32\n  local p: ptr struct s\n  local f: f64\n  temp t: i32";
    let statements = [
        "x := y",
        "x = 5",
        "x := (x > 1)",
        "x := (x + 1 + 2)",
        "x := x + 1",
        "x := if x then 1 else 2",
        "x := *x",
        "x := p->c",
        "x := p->#2",
        "x := p.a",
        "x := x[0]",
        "x := &5",
        "5 := x",
        "x := 256:u8",
        "x := -1:u8",
        "x := 1.5",
        "f := 1",
        "p->b := 1",
        "p->a := call main()",
        "call nobody()",
        "call main(1",
        "t := allocate cloud 4",
        "havoc x from nowhere",
        "error \"x\"",
        "skip @0:1:1-1:2",
        "skip @0:1",
        "unsupported \"open",
        "unsupported \"\\q\"",
        "unsupported \"\\xff\"",
        "x := 5x",
        "x := §",
    ];
    let mut report = String::new();
    for statement in statements {
        let text = main_with(variables, &format!("  L0 -> L2: {statement}"));
        let errors = read(&text).err().unwrap_or_default();
        for error in errors.iter() {
            let (line, column) = (error.span.line, error.span.column);
            report += &format!("{statement}\n    {line}:{column}: {}\n", error.message);
        }
    }
    expect![[r#"
        x := y
            12:18: there is no variable `y`
        x = 5
            12:15: expected `:=`, found `=`
        x := (x > 1)
            12:21: expected `<` or `<=` with the operands exchanged, found `>`
        x := (x + 1 + 2)
            12:25: expected `)` (every operator has its own parentheses), found `+`
        x := x + 1
            12:20: expected the end of the line, found `+`
        x := if x then 1 else 2
            12:18: write `(if … then … else …)` in parentheses
        x := *x
            12:18: a value of type i32 does not point to anything
        x := p->c
            12:21: struct s has no such field
        x := p->#2
            12:21: struct s has no such field
        x := p.a
            12:19: ptr struct s has no fields
        x := x[0]
            12:19: i32 has no elements
        x := &5
            12:18: only a place has an address
        5 := x
            12:13: this is a value, not a place to store one
        x := 256:u8
            12:18: no constant of type u8: it is out of range
        x := -1:u8
            12:19: no constant of type u8: it is out of range
        x := 1.5
            12:18: no constant of type i32: it has a point or an exponent; write the type behind `:`
        f := 1
            12:18: no constant of type f64: write it with a point (f32, f64) or as its bits in hexadecimal
        p->b := 1
            12:21: no constant of type [2 x u16]: numbers have integer, float or pointer types
        p->a := call main()
            12:13: what `call` gives goes into a variable
        call nobody()
            12:18: there is no procedure `nobody`
        call main(1
            13:1: expected `,`, found `}`
        t := allocate cloud 4
            12:27: expected `heap`, `zeroed` or `stack`, found `cloud`
        havoc x from nowhere
            12:26: expected `nondet`, `uninitialised`, `external`, `assembly` or `library`, found `nowhere`
        error "x"
            12:19: expected `function`, `assertion` or `label`, found `"x"`
        skip @0:1:1-1:2
            12:18: there is no file 0
        skip @0:1
            12:18: a span is written @file:line:column-line:column
        unsupported "open
            12:25: the quotes are not closed in this line
        unsupported "\q"
            12:25: the escapes are \n \t \\ \" and \xHH
        unsupported "\xff"
            12:25: the bytes are not valid UTF-8
        x := 5x
            12:18: letters right behind a number
        x := §
            12:18: unexpected character
    "#]]
    .assert_eq(&report);
}

#[test]
fn absurd_sizes() {
    check(
        "program 1 ILP32\n\
         global a: [3000000000 x u8] = zero\n\
         global b: [99999999999999999999999 x u8] = zero\n\
         global c: [65536 x [65536 x i32]] = zero\n\
         global d: u8 = {\n  at 18446744073709551615: \"ab\":u8\n}\n\
         fn f() {\n  locations 4000000000 entry L0 exit L1\n}\n\
         struct s size 340282366920938463463374607431768211456 align 1 {\n}\n",
        expect![[r#"
            p.ir:2:12: error: the array is larger than the address space allows
                global a: [3000000000 x u8] = zero
                           ^~~~~~~~~~
            p.ir:3:12: error: 99999999999999999999999 is too large for the length of an array
                global b: [99999999999999999999999 x u8] = zero
                           ^~~~~~~~~~~~~~~~~~~~~~~
            p.ir:4:12: error: the array is larger than the address space allows
                global c: [65536 x [65536 x i32]] = zero
                           ^~~~~
            p.ir:6:6: error: bytes do not fit here
                  at 18446744073709551615: "ab":u8
                     ^~~~~~~~~~~~~~~~~~~~
            p.ir:9:13: error: more locations than the text has bytes
                  locations 4000000000 entry L0 exit L1
                            ^~~~~~~~~~
            p.ir:11:15: error: the number has more than 128 bits
                struct s size 340282366920938463463374607431768211456 align 1 {
                              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
        "#]],
    );
}

#[test]
fn braces_and_stray_bytes() {
    check(
        "program 1 LP64\nfn f() {\n  locations 2 entry L0 exit L1\n",
        expect![[r#"
        p.ir:2:1: error: a `{` of this definition is never closed
            fn f() {
            ^~
    "#]],
    );
    check(
        "program 1 LP64\n}\n\0\u{feff}\nfn",
        expect![[r#"
            p.ir:2:1: error: expected a definition (file, struct, union, global, static, fn, extern, entry), found `}`
                }
                ^
            p.ir:3:1: error: unexpected character
                ?﻿
                ^
            p.ir:4:3: error: expected a name, found the end of the text
                fn
                  ^
        "#]],
    );
    assert!(errors("").contains("p.ir:1:1: error: a program starts with `program 1 LP64`"));
}

#[test]
fn a_flood_of_errors_is_cut() {
    let text = format!("program 1 LP64\n{}", "?\n".repeat(100_000));
    let count = read(&text).err().map_or(0, |errors| errors.iter().count());
    assert_eq!(count, 201);
}

/// Nests `inner` and checks that the text is read up to the limit and refused behind it.
fn check_depth(variables: &str, statement: impl Fn(usize) -> String, per_level: u32) {
    let levels = (MAX_DEPTH / per_level) as usize;
    let text = main_with(variables, &format!("  L0 -> L2: {}", statement(levels - 2)));
    let program = read(&text).unwrap_or_else(|_| panic!("{}", &errors(&text)[..200]));
    assert_eq!(verify(&program), []);
    let printed = text::print(&program);
    assert!(!printed.contains("..."));
    let again = read(&printed).unwrap_or_else(|_| panic!("{}", &errors(&printed)[..200]));
    assert_eq!(text::print(&again), printed);
    for levels in [levels + 2, 100_000] {
        let text = main_with(variables, &format!("  L0 -> L2: {}", statement(levels)));
        assert!(errors(&text).contains("nested more than 500 deep"));
    }
}

#[test]
fn nesting_is_limited() {
    let nested = |open: &'static str, inner: &'static str, close: &'static str| {
        move |n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let int = "  local x: i32";
    check_depth(int, |n| format!("x := {}", nested("(", "x", " + 1)")(n)), 1);
    check_depth(int, |n| format!("x := {}", nested("(1 + ", "x", ")")(n)), 1);
    check_depth(int, |n| format!("x := {}", nested("-", "(5)", "")(n)), 1);
    check_depth(int, |n| format!("x := {}", nested("cast<i32>(", "x", ")")(n)), 1);
    check_depth(int, |n| format!("x := {}", nested("*&", "x", "")(n)), 2);
    check_depth("  local a: [9 x i32]", |n| format!("havoc {} from assembly", nested("a[", "0", "]")(n)), 1);
    let list = "  local l: ptr ptr i32\n  local x: i32";
    check_depth(list, |n| format!("x := **{}", nested("cast<ptr ptr i32>(*", "l", ")")(n)), 2);
}

#[test]
fn chains_and_groups_are_limited_too() {
    let record = "program 1 LP64\nstruct n size 8 align 8 {\n  next: ptr struct n at 0\n}\n\
                  fn main() {\n  local p: ptr struct n\n  locations 3 entry L0 exit L1\n  L0 -> L2: p := ";
    let chain = |n: usize| format!("{record}p{}\n}}\n", "->next".repeat(n));
    assert_eq!(errors(&chain(MAX_DEPTH as usize - 1)), "no error");
    assert!(errors(&chain(MAX_DEPTH as usize)).contains("nested more than"));
    let groups = format!("{record}{}p{}\n}}\n", "(".repeat(100_000), ")".repeat(100_000));
    assert!(errors(&groups).contains("nested more than"));
    let pointers = |n: usize| format!("program 1 LP64\nglobal p: {}i32 = zero\n", "ptr ".repeat(n));
    assert_eq!(errors(&pointers(MAX_TYPE_DEPTH as usize - 1)), "no error");
    assert!(errors(&pointers(100_000)).contains("the type is nested too deeply"));
}

/// Found by fuzzing.
#[test]
fn one_bit_with_a_sign() {
    let with = |value: &str| errors(&format!("program 1 LP64\nglobal x: i1 = {value}\n"));
    assert_eq!(with("0"), "no error");
    assert_eq!(with("-1"), "no error");
    assert!(with("1").contains("out of range"));
}
