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

/// Operators and functions that round to a whole number follow the mode that is set.
#[test]
fn rounding_modes_decide_what_is_computed() {
    let head = "extern int fegetround(void); extern double rint(double), floor(double), nearbyint(double);
                extern long lrint(double); extern float ceilf(float), rintf(float);";
    let twins = [
        (
            "float x = __VERIFIER_nondet_float(); if (x != 1e-20f) return 0; fesetround(0x800);
             if (x + 1 == 1) reach_error();",
            "float x = __VERIFIER_nondet_float(); if (x != 1e-20f) return 0; fesetround(0x400);
             if (x + 1 == 1) reach_error();",
        ),
        (
            "double d = __VERIFIER_nondet_double(); if (d != d) return 0; int old = fegetround(); fesetround(0x400);
             double r = nearbyint(d); fesetround(old); if (r != floor(d)) reach_error();",
            "double d = __VERIFIER_nondet_double(); if (d != d) return 0; int old = fegetround(); fesetround(0x400);
             fesetround(old); double r = nearbyint(d); if (r != floor(d)) reach_error();",
        ),
        (
            "float f = __VERIFIER_nondet_float(); int up = __VERIFIER_nondet_int(); if (!(f > -9 && f < 9)) return 0;
             if (up) fesetround(0x800); if (rintf(f) != ceilf(f) && up) reach_error();",
            "float f = __VERIFIER_nondet_float(); int up = __VERIFIER_nondet_int(); if (!(f > -9 && f < 9)) return 0;
             if (up) fesetround(0x800); if (rintf(f) != ceilf(f)) reach_error();",
        ),
        (
            "double z = __VERIFIER_nondet_double(); if (z != 5) return 0; fesetround(0xc00); z = z - 2.5;
             if (fesetround(1) == 0 || fegetround() != 0xc00 || lrint(-z) != -2) reach_error();",
            "double z = __VERIFIER_nondet_double(); if (z != 5) return 0; fesetround(0xc00); z = z - 2.5;
             if (fesetround(1) == 0 || fegetround() != 0xc00 || lrint(-z) == -2) reach_error();",
        ),
        (
            "float x = __VERIFIER_nondet_float(); if (x != 0.1f) return 0; fesetround(0x800); float up = x * x;
             fesetround(0x400); if (!(x * x < up && x / 3 > 0)) reach_error();",
            "float x = __VERIFIER_nondet_float(); if (x != 0.5f) return 0; fesetround(0x800); float up = x * x;
             fesetround(0x400); if (!(x * x < up && x / 3 > 0)) reach_error();",
        ),
        (
            "double d = __VERIFIER_nondet_double(); int n = __VERIFIER_nondet_int(); fesetround(0x400); float f = d, g = n;
             if (d == d && (f > d || g > n)) reach_error();",
            "double d = __VERIFIER_nondet_double(); int n = __VERIFIER_nondet_int(); fesetround(0x400); float f = d, g = n;
             if (f >= d && g > (double)n - 1 && n > 1 << 25 && n & 7) reach_error();",
        ),
    ];
    for (right, wrong) in twins {
        assert_eq!(verdicts(&format!("{head} {right}"), ""), ["TRUE", "TRUE"], "{right}");
        assert_eq!(verdicts(&format!("{head} {wrong}"), ""), ["FALSE", "FALSE"], "{wrong}");
    }
}

/// What may round otherwise and has no model is not decided, wherever it stands.
#[test]
fn other_rounding_modes_decide_no_long_products() {
    for condition in ["(long double)x * x > 0", "1 / (long double)x < 3", "a[(int)(x * 2)]"] {
        for negated in ["", "!"] {
            let body = format!(
                "float x = __VERIFIER_nondet_float(); int a[9] = {{0}}; if (x != 1.5f) return 0; fesetround(0x800);
                 if ({negated}({condition})) reach_error();"
            );
            assert_eq!(verdicts(&body, ""), ["UNKNOWN", "UNKNOWN"], "{body}");
        }
    }
    let exact = "float x = __VERIFIER_nondet_float(); int n = __VERIFIER_nondet_int(); fesetround(0xc00);
                 double y = x, m = n; if (x == x && (y != x || -y != -x || m != n || (int)m != n)) reach_error();";
    assert_eq!(verdicts(exact, ""), ["TRUE", "TRUE"]);
}

/// Square roots are exact.
#[test]
fn square_roots_are_computed() {
    let head = "extern double sqrt(double); extern float sqrtf(float);";
    for (right, wrong) in [
        (
            "double x = sqrt(2); if (x * x == 2 || x < 1.41421356 || x > 1.41421357) reach_error();",
            "double x = sqrt(2); if (x * x != 2) reach_error();",
        ),
        (
            "int n = __VERIFIER_nondet_int(); if (n < 0 || n > 40) return 0; if (sqrtf(n * n) != n) reach_error();",
            "int n = __VERIFIER_nondet_int(); if (n < -3 || n > 40) return 0; if (sqrtf(n * n) != n) reach_error();",
        ),
    ] {
        assert_eq!(verdicts(&format!("{head} {right}"), ""), ["TRUE", "TRUE"], "{right}");
        assert_eq!(verdicts(&format!("{head} {wrong}"), ""), ["FALSE", "FALSE"], "{wrong}");
    }
}
