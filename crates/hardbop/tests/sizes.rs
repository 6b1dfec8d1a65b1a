//! Arrays and allocations that are too large for any object, or for memory: runs end there, and nothing that is said
//! of addresses contradicts itself.

mod common;

use common::Folder;

const HEAD: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
extern void *malloc(__SIZE_TYPE__), *alloca(__SIZE_TYPE__);
";

/// The verdict of a program that is the body of `main`, and why there is none.
fn check(body: &str, options: &str) -> (&'static str, String) {
    let folder = Folder::new(&[("a.c", format!("{HEAD}int main(void) {{ {body} return 0; }}"))]);
    let done = folder.hardbop(&format!("check a.c {options} --timeout 60s"));
    let verdict = match done.code {
        0 => "TRUE",
        1 => "FALSE",
        2 => "UNKNOWN",
        _ => panic!("{body}: {done:?}"),
    };
    (verdict, done.stdout)
}

/// What fits with 64 bits and does not with 32.
#[test]
fn no_run_gets_behind_an_array_that_is_too_large() {
    for body in [
        "int n = __VERIFIER_nondet_int(); if (n != 1000) return 0; int a[n][n][n]; a[1][2][3] = 4; reach_error();",
        "int n = __VERIFIER_nondet_int(); if (n != 1100) return 0; short a[n][n][n]; a[n - 1][0][3] = n;
         if (a[n - 1][0][3] == n) reach_error();",
        // The product goes round, to less than 4 MB.
        "int n = 1626; char a[n][n][n]; a[0][0][0] = 1; if (__VERIFIER_nondet_int() == 7) reach_error();",
        "unsigned n = 0x80000000; char *p = alloca(n); *p = 1; if (__VERIFIER_nondet_int() == 7) reach_error();",
        "int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); if (m < 65536 || n != m) return 0;
         char a[m][n]; reach_error();",
    ] {
        assert_eq!(check(body, "-m 32").0, "TRUE", "{body}");
        assert!(matches!(check(body, "-m 64").0, "FALSE" | "UNKNOWN"), "{body}");
        for options in ["--engine pdr", "--engine wp", "--no-run --no-unroll"] {
            assert_ne!(check(body, &format!("{options} -m 32")).0, "FALSE", "{body}");
            assert_ne!(check(body, &format!("{options} -m 64")).0, "TRUE", "{body}");
        }
    }
}

#[test]
fn lengths_are_not_negative() {
    for width in ["-m 32", "-m 64"] {
        let negative = "int n = __VERIFIER_nondet_int(); if (n > -1) return 0; char a[n]; reach_error();";
        let empty = "int n = __VERIFIER_nondet_int(); if (n > 0) return 0; int a[n]; reach_error();";
        let product = "int n = __VERIFIER_nondet_int(); if (n > -1) return 0; int a[n][n]; reach_error();";
        assert_eq!(check(negative, width).0, "TRUE");
        assert_eq!(check(product, width).0, "TRUE");
        assert_eq!(check(empty, width).0, "FALSE");
    }
}

#[test]
fn loops_over_arrays_that_are_too_large_are_not_passed() {
    let body = "int n = 1000, i, j, k; int a[n][n][n];
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) a[i][j][k] = i;
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) if (a[i][j][k] != i) reach_error();";
    let (verdict, text) = check(body, "-m 32");
    assert_eq!(verdict, "TRUE", "{text}");
    assert!(text.contains("no run is known to pass"), "{text}");
}

/// Each is an object that can be, but there is no room for all.
#[test]
fn what_memory_has_no_room_for_is_not_decided() {
    let body = "int n = __VERIFIER_nondet_int(); if (n != 1500000000) return 0; char a[n], b[n], c[n];
                a[5] = b[6] = c[7] = 1; if (a + 1 == b || b + 1 == c || c + 1 == a) return 0; reach_error();";
    for options in ["", "--engine pdr", "--no-run --no-unroll"] {
        let (verdict, text) = check(body, &format!("-m 32 {options}"));
        assert_eq!(verdict, "UNKNOWN", "{text}");
        assert!(!text.contains("contradicts itself"), "{options}: {text}");
    }
    let two = body.replace(", c[n]", ", *c = a").replace("b[6] = ", "").replace("c + 1 == a", "0");
    assert_ne!(check(&two, "-m 32").0, "TRUE");
}

#[test]
fn allocations_that_are_too_large_give_null() {
    for size in ["3000000000u", "(unsigned)n"] {
        let start =
            format!("int n = __VERIFIER_nondet_int(); if (n >= 0) return 0; char *p = malloc({size});");
        assert_eq!(check(&format!("{start} if (p) reach_error();"), "-m 32").0, "TRUE");
        assert_eq!(check(&format!("{start} if (!p) reach_error();"), "-m 32").0, "FALSE");
        assert_ne!(check(&format!("{start} if (p) reach_error();"), "-m 64").0, "TRUE");
    }
}
