//! The models of the functions of `<math.h>`, against glibc: one program for each floating-point type prints what
//! they give for edge cases and random numbers, compiled by gcc and run by the interpreter.

use std::path::Path;
use std::process::Command;

use hardbop_base::{DataModel, Sources};
use hardbop_ir::interpret::{Interpreter, Limits, Outcome, RunOptions, WrittenInputs};

const PROGRAM: &str = include_str!("math/compare.c");
const ROUNDING: &str = include_str!("math/rounding.c");

const FLOAT: [i32; 4] = [4, 24, -126, 127];
const DOUBLE: [i32; 4] = [8, 53, -1022, 1023];
const LONG_DOUBLE: [i32; 4] = [10, 64, -16382, 16383];

/// A program for one type.
fn program(text: &str, real: &str, end: &str, numbers: [i32; 4], random: usize) -> String {
    let [bytes, digits, small, large] = numbers;
    text.replace("REAL", real)
        .replace("ROOTS", if end == "l" { "0" } else { "1" })
        .replace('@', end)
        .replace("BYTES", &bytes.to_string())
        .replace("DIGITS", &digits.to_string())
        .replace("SMALL", &format!("({small})"))
        .replace("LARGE", &large.to_string())
        .replace("RANDOM", &random.to_string())
}

fn of_gcc(name: &str, text: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, executable) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&source, text).expect("a file in the target folder");
    let done = Command::new("gcc")
        .args(["-O0", "-w", "-fno-builtin", "-fwrapv", "-frounding-math", "-std=gnu17", "-o"])
        .args([&executable, &source])
        .arg("-lm")
        .output()
        .ok()?;
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let run = Command::new(&executable).output().expect("an executable");
    Some(String::from_utf8(run.stdout).expect("text"))
}

fn of_interpreter(text: &str) -> String {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let parsed = hardbop_syntax::parse_bytes(&mut sources, "compare.c", text.as_bytes(), &options).1;
    let unit = parsed.unwrap_or_else(|errors| panic!("{}", errors.render(&sources))).0;
    let program = hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default())
        .expect("a program");
    let limits = Limits { steps: 4_000_000_000, output: 1 << 28, draws: 1 << 24, ..Limits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let run = Interpreter::new(&program).run(&mut WrittenInputs::default(), options);
    assert!(matches!(run.outcome, Outcome::Returned(0)), "{}", run.outcome.describe(&program));
    String::from_utf8(run.output).expect("text")
}

fn compare(name: &str, text: &str) {
    let Some(expected) = of_gcc(name, text) else { return };
    let found = of_interpreter(text);
    let differences: Vec<String> = expected
        .lines()
        .zip(found.lines())
        .filter(|(a, b)| a != b)
        .map(|(a, b)| format!("glibc: {a}\nmodel: {b}"))
        .collect();
    assert_eq!(expected.lines().count(), found.lines().count());
    assert!(expected.lines().count() > 8_000, "{}", expected.lines().count());
    let shown = differences.iter().take(4).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {}:\n{shown}", differences.len(), expected.lines().count());
}

#[test]
fn doubles_are_as_in_glibc() {
    compare("math_double", &program(PROGRAM, "double", "", DOUBLE, 3000));
}

#[test]
fn floats_are_as_in_glibc() {
    compare("math_float", &program(PROGRAM, "float", "f", FLOAT, 3000));
}

#[test]
fn long_doubles_are_as_in_glibc() {
    compare("math_long_double", &program(PROGRAM, "long double", "l", LONG_DOUBLE, 500));
}

#[test]
fn modes_round_doubles_as_in_glibc() {
    compare("rounding_double", &program(ROUNDING, "double", "", DOUBLE, 1000));
}

#[test]
fn modes_round_floats_as_in_glibc() {
    compare("rounding_float", &program(ROUNDING, "float", "f", FLOAT, 1000));
}

#[test]
fn modes_round_long_doubles_as_in_glibc() {
    compare("rounding_long_double", &program(ROUNDING, "long double", "l", LONG_DOUBLE, 300));
}
