//! Programs with floats that bounded runs decide, each with a twin whose error can be reached.

mod common;

use common::Folder;

const HEAD: &str = "extern void reach_error(void); extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern double fmod(double, double); extern int fesetround(int); extern void *memcpy(void *, const void *, __SIZE_TYPE__);
";

/// The verdict of a program that is the body of `main`, for both data models.
fn verdicts(body: &str, options: &str) -> [String; 2] {
    let folder = Folder::new(&[("a.c", format!("{HEAD}int main(void) {{ {body} return 0; }}"))]);
    ["-m 64", "-m 32"].map(|width| {
        let done = folder.hardbop(&format!("check a.c {options} {width} --timeout 60s"));
        match done.code {
            0 => "TRUE",
            1 => "FALSE",
            2 => "UNKNOWN",
            _ => panic!("{body}: {done:?}"),
        }
        .to_owned()
    })
}

/// Programs without a reachable error, and twins with one.
const TWINS: [(&str, &str, &str); 10] = [
    (
        "conversion there and back",
        "float f = __VERIFIER_nondet_float(); double d = f; if (f == f && (float)d != f) reach_error();",
        "double d = __VERIFIER_nondet_double(); float f = d; if (d == d && (double)f != d) reach_error();",
    ),
    (
        "doubling",
        "float x = __VERIFIER_nondet_float(); if (x >= 0 && x <= 10 && x * 2 < x) reach_error();",
        "float x = __VERIFIER_nondet_float(); if (x >= -10 && x <= 10 && x * 2 < x) reach_error();",
    ),
    (
        "adding one",
        "float x = __VERIFIER_nondet_float(); if (x >= 0 && x < 16777216 && x + 1 == x) reach_error();",
        "float x = __VERIFIER_nondet_float(); if (x >= 0 && x <= 16777216 && x + 1 == x) reach_error();",
    ),
    (
        "whole numbers",
        "int i = __VERIFIER_nondet_int(); if (i > 16777216 || i < -16777216) return 0;
         if ((int)(float)i != i) reach_error();",
        "int i = __VERIFIER_nondet_int(); if (i > 16777217 || i < -16777216) return 0;
         if ((int)(float)i != i) reach_error();",
    ),
    (
        "truncation",
        "double d = __VERIFIER_nondet_double(); if (!(d > -1 && d < 256)) return 0;
         unsigned char c = d; if (c > d && d >= 0) reach_error();",
        "double d = __VERIFIER_nondet_double(); if (!(d > -1 && d < 256)) return 0;
         unsigned char c = d; if (c > d) reach_error();",
    ),
    (
        "division by zeros",
        "float x = __VERIFIER_nondet_float(), r = 1 / x; if (x == 0 && !(r > 1e30f || r < -1e30f)) reach_error();",
        "float x = __VERIFIER_nondet_float(), r = 1 / x; if (x == 0 && !(r > 1e30f)) reach_error();",
    ),
    (
        "no number",
        "double x = __VERIFIER_nondet_double(); if (x != x && (x <= 0 || x > 0 || x == x)) reach_error();",
        "double x = __VERIFIER_nondet_double(); if (x != x && !(x <= 0)) reach_error();",
    ),
    (
        "remainder",
        "double x = __VERIFIER_nondet_double(); if (x > 0 && x < 3 && fmod(x, 3) != x) reach_error();",
        "double x = __VERIFIER_nondet_double(); if (x > 0 && x <= 3 && fmod(x, 3) != x) reach_error();",
    ),
    (
        "sums of tenths",
        "int n = __VERIFIER_nondet_int(); double s = 0; for (int i = 0; i < 10; i++) s += 0.1;
         if (n > 5 && s == 1) reach_error();",
        "int n = __VERIFIER_nondet_int(); double s = 0; for (int i = 0; i < 10; i++) s += 0.1;
         if (n > 5 && s != 1) reach_error();",
    ),
    (
        "the sign as a bit",
        "union { float f; unsigned u; } a, b; a.f = __VERIFIER_nondet_float(); b.f = -a.f;
         if ((a.u ^ b.u) != 0x80000000u) reach_error();",
        "union { float f; unsigned u; } a, b; a.f = __VERIFIER_nondet_float(); b.f = 0 - a.f;
         if (a.f == a.f && (a.u ^ b.u) != 0x80000000u) reach_error();",
    ),
];

#[test]
fn programs_are_told_from_their_twins() {
    for (name, right, wrong) in TWINS {
        assert_eq!(verdicts(right, ""), ["TRUE", "TRUE"], "{name}");
        assert_eq!(verdicts(wrong, ""), ["FALSE", "FALSE"], "{name}");
        assert!(!verdicts(right, "--no-unroll").contains(&"FALSE".to_owned()), "{name}");
        assert!(!verdicts(wrong, "--no-unroll").contains(&"TRUE".to_owned()), "{name}");
    }
}

/// What machines and compilers differ in is not promised.
#[test]
fn bits_of_what_is_no_number_are_open() {
    for sign in ["==", "!="] {
        let body = format!(
            "float z = __VERIFIER_nondet_float(), n; unsigned u; if (z != 0) return 0; n = z / z;
             memcpy(&u, &n, 4); if (u >> 31 {sign} 0) reach_error();"
        );
        assert!(!verdicts(&body, "").contains(&"TRUE".to_owned()), "{sign}");
    }
}

/// Compiled programs go on behind a conversion out of range, and runs of the interpreter end there.
#[test]
fn conversions_out_of_range_decide_nothing() {
    let body = "float x = __VERIFIER_nondet_float(); int i = x; if (x > 3e9f && i != 5) reach_error();";
    assert_eq!(verdicts(body, ""), ["UNKNOWN", "UNKNOWN"]);
}

/// Results are those of rounding to nearest; a program that chooses another mode is not decided.
#[test]
fn other_rounding_modes_decide_nothing() {
    for condition in ["x + 1 != 1", "x + 1 == 1"] {
        let body = format!(
            "float x = __VERIFIER_nondet_float(); if (x != 1e-20f) return 0; fesetround(0x800);
             if ({condition}) reach_error();"
        );
        assert_eq!(verdicts(&body, ""), ["UNKNOWN", "UNKNOWN"], "{condition}");
    }
}
