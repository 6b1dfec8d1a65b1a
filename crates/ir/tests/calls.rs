//! Which procedures calls through pointers execute, and where runs may end.

use hardbop_base::Id;
use hardbop_ir::interpret::{Limits, ListInputs, Outcome, run};
use hardbop_ir::{End, Program, ends, text, verify};

fn read(text: &str) -> Program {
    let program = text::parse(Id::from_usize(0), text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let violations: Vec<String> = verify(&program).iter().map(|v| v.show(&program)).collect();
    assert_eq!(violations, Vec::<String>::new());
    assert_eq!(text::print(&read_again(&program)), text::print(&program));
    program
}

fn read_again(program: &Program) -> Program {
    text::parse(Id::from_usize(0), &text::print(program)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Calls `f(-1, 44)` through a pointer; `callee` is the header and `value` the result of `f`.
fn called(model: &str, callee: &str, value: &str, pointer: &str, result: &str) -> Outcome {
    let returns = if value.is_empty() { String::new() } else { format!("L0 -> L2: r := {value}") };
    let skip = if value.is_empty() { "L0 -> L2: skip" } else { &returns };
    let program = read(&format!(
        "program 1 {model}\n\nfn f{callee} {{\n  locations 3 entry L0 exit L1\n  {skip}\n  L2 -> L1: return\n}}\n
fn main() -> out: i64 {{\n  temp p: ptr fn{pointer}\n  temp x: {result}\n  locations 5 entry L0 exit L1
  L0 -> L2: p := cast<ptr fn{pointer}>(fn f)\n  L2 -> L3: x := call *p(-1, 44)
  L3 -> L4: out := cast<i64>(x)\n  L4 -> L1: return\n}}\n\nentry main\n"
    ));
    run(&program, &mut ListInputs::all([77]), Limits::default()).outcome
}

#[track_caller]
fn gives(expected: i128, callee: &str, value: &str, pointer: &str, result: &str) {
    assert_eq!(called("LP64", callee, value, pointer, result), Outcome::Returned(expected), "{callee}");
}

#[track_caller]
fn is_unsupported(model: &str, callee: &str, value: &str, pointer: &str, result: &str) {
    match called(model, callee, value, pointer, result) {
        Outcome::Unsupported { reason, .. } => {
            assert_eq!(reason, "a call of f through a pointer of another type");
        }
        other => panic!("{callee} as {pointer}: {other:?}"),
    }
}

#[test]
fn arguments_are_passed_as_the_convention_says() {
    let pointer = "(i32, i32) -> i32";
    gives(-1, "(a: i32, b: i32) -> r: i32", "a", pointer, "i32");
    // Another sign: the same bits.
    gives(-1, "(a: u32, b: i32) -> r: u32", "a", pointer, "i32");
    gives(0xffff_ffff, "(a: u32, b: u32) -> r: i64", "cast<i64>(a)", "(i32, i32) -> i64", "i64");
    // Low bits, and what the caller extends.
    gives(255, "(a: u8, b: i32) -> r: i32", "cast<i32>(a)", pointer, "i32");
    gives(-1, "(a: i32, b: i32) -> r: i32", "a", "(i8, i8) -> i32", "i32");
    gives(-1, "(a: i32, b: i32) -> r: i32", "a", "(i64, i64) -> i32", "i32");
    // One too many is dropped.
    gives(-1, "(a: i32) -> r: i32", "a", pointer, "i32");
    // Addresses are numbers.
    gives(
        0xffff_ffff_ffff_ffff_u64 as i64 as i128,
        "(a: ptr i8, b: i64) -> r: ptr i8",
        "a",
        "(i64, i64) -> i64",
        "i64",
    );
}

#[test]
fn results_are_taken_as_the_convention_says() {
    let pointer = "(i32, i32) -> i32";
    gives(-1, "(a: i32, b: i32) -> r: i64", "cast<i64>(a)", pointer, "i32");
    // Anything, where there is none.
    gives(77, "(a: i32, b: i32)", "", pointer, "i32");
    is_unsupported("LP64", "(a: i32, b: i32) -> r: i32", "a", "(i32, i32) -> i64", "i64");
    is_unsupported("LP64", "(a: i32, b: i32) -> r: f64", "1.0:f64", pointer, "i32");
}

#[test]
fn what_no_convention_says_is_unsupported() {
    let pointer = "(i32, i32) -> i32";
    for model in ["LP64", "ILP32"] {
        is_unsupported(model, "(a: i32, b: i32, c: i32) -> r: i32", "a", pointer, "i32");
        is_unsupported(model, "(a: i64, b: i32) -> r: i32", "b", pointer, "i32");
        is_unsupported(model, "(a: f32, b: i32) -> r: i32", "b", pointer, "i32");
        is_unsupported(model, "(a: i32, b: ptr u8) variadic -> r: i32", "a", "(i32, i64) -> i32", "i32");
    }
    // Two slots of the stack are not one.
    is_unsupported("ILP32", "(a: i32, b: i32) -> r: i32", "a", "(i64, i32) -> i32", "i32");
}

/// The kinds of ends of a program that does one thing.
fn found(statement: &str) -> Vec<&'static str> {
    let program = read(&format!(
        "program 1 LP64\n\nglobal a: [8 x i32] = zero\nglobal d: f64 = zero\n
fn f() {{\n  locations 2 entry L0 exit L1\n  L0 -> L1: return\n}}\n
fn unused(p: ptr i32) {{\n  local x: i32\n  locations 3 entry L0 exit L1\n  L0 -> L2: x := *p\n  L2 -> L1: return\n}}\n
fn main() {{\n  local x: i32\n  local u: u8\n  local p: ptr i32\n  temp q: ptr fn() -> void\n
  locations 3 entry L0 exit L1\n  L0 -> L2: {statement}\n  L2 -> L1: return\n}}\n\nentry main\n"
    ));
    ends(&program).iter().map(|end: &End| end.kind.name()).collect()
}

#[test]
fn places_where_runs_may_end_are_found() {
    for (statement, kinds) in [
        ("x := *p", vec!["access"]),
        ("*p := 1", vec!["access"]),
        ("x := a[x]", vec!["index"]),
        ("x := a[8]", vec!["index"]),
        ("x := (x / x)", vec!["division"]),
        ("x := (x % -1)", vec!["division"]),
        ("x := (1 << x)", vec![]),
        ("x := (1 << 32)", vec![]),
        ("x := cast<i32>(d)", vec!["conversion"]),
        ("x := (*p / a[x])", vec!["access", "index", "division"]),
        ("call *q()", vec!["call"]),
        ("free(p)", vec!["free"]),
        ("copy(&a, p, 4)", vec!["block"]),
        ("unreachable", vec!["unreachable"]),
    ] {
        assert_eq!(found(statement), kinds, "{statement}");
    }
}

#[test]
fn what_cannot_end_a_run_is_not_listed() {
    for statement in [
        "x := a[7]",
        "x := a[(x & 7)]",
        "x := a[(u % 8)]",
        "x := *(&a[1] + 6:i64)",
        "x := (x / 3)",
        "x := (x >> 31)",
        "x := (x + x)",
        "fill(&a, 0:i32, 32)",
        "call f()",
        "x := cast<i32>(u)",
    ] {
        assert_eq!(found(statement), Vec::<&str>::new(), "{statement}");
    }
}
