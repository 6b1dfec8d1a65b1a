//! Small programs whose error a compiled run reaches, one for each way in which such programs were once proved.
//! TRUE is wrong for all of them, whatever the options.

mod common;

use common::Folder;

const OPTIONS: [&str; 4] = ["", "--no-run", "--no-unroll", "--engine wp"];

/// What all programs begin with.
const HEAD: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
typedef __SIZE_TYPE__ word; extern void *malloc(word), *calloc(word, word), *realloc(void *, word), free(void *);
extern void *memset(void *, int, word), *memcpy(void *, const void *, word);
";

fn never_proved(name: &str, text: &str) {
    let folder = Folder::new(&[("a.c", format!("{HEAD}{text}"))]);
    for options in OPTIONS {
        for width in ["-m 64", "-m 32"] {
            let done = folder.hardbop(&format!("check a.c {options} {width} --timeout 5s"));
            assert!(!done.stdout.contains("VERDICT: TRUE"), "{name} {options} {width}: {}", done.stdout);
            assert!(done.code == 1 || done.code == 2, "{name} {options} {width}: {done:?}");
        }
    }
}

#[test]
fn bulk_writes_change_the_scalars_at_their_edges() {
    never_proved(
        "fill",
        "short a[6]; int main(void) { int i = __VERIFIER_nondet_int(); if (i < 0 || i > 3) return 0;
         memset(&a[i], 0xff, 3); if (a[i + 1] == 0xff) reach_error(); return 0; }",
    );
    never_proved(
        "misaligned copy",
        "long long a[3]; char s[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
         int main(void) { int i = __VERIFIER_nondet_int(); if (i < 0 || i > 1) return 0;
         memcpy((char *)&a[i] + 3, s, 9); if (a[i + 1] == 0x09080706) reach_error(); return 0; }",
    );
    never_proved(
        "record through a cast",
        "struct S { char x[5]; }; int a[4]; int main(void) { int i = __VERIFIER_nondet_int();
         if (i < 0 || i > 2) return 0; struct S v = {{1, 2, 3, 4, 5}}; *(struct S *)&a[i] = v;
         if (a[i + 1] == 5) reach_error(); return 0; }",
    );
}

#[test]
fn huge_allocations_fail_and_the_run_goes_on() {
    never_proved(
        "one",
        "int main(void) { char *p = malloc((word)-3); if (!p && __VERIFIER_nondet_int() == 77777) reach_error();
         return 0; }",
    );
    never_proved(
        "several, each too large for the others",
        "int main(void) { char *p = malloc((word)-1 / 2), *q = malloc((word)-1 / 2), *r = calloc((word)-1 / 2, 1);
         if (!p && !q && !r && __VERIFIER_nondet_int() == 77777) reach_error(); return 0; }",
    );
}

/// A compiled program goes on behind a shift by too much, with some value.
#[test]
fn runs_go_on_behind_shifts_by_too_much() {
    never_proved(
        "the value matters",
        "int main(void) { int n = __VERIFIER_nondet_int(); unsigned a = 1u << n; if (n == 40 && a == 256) reach_error();
         return 0; }",
    );
    never_proved(
        "the amount is told",
        "int main(void) { int n = __VERIFIER_nondet_int(); short s = 3; int r = s >> n; if (n < 0 || n > 31) reach_error();
         return r; }",
    );
    never_proved(
        "in a loop, beside shifts that are not",
        "int main(void) { int k = 0, m = 0; while (k < 70 && __VERIFIER_nondet_int()) { m |= 1 << (k & 7); k++; }
         long long r = -8ll >> k; if (k > 63) reach_error(); return (int)r + m; }",
    );
    let folder = Folder::new(&[(
        "a.c",
        format!(
            "{HEAD}int main(void) {{ unsigned long m = 0; int held = 0; while (__VERIFIER_nondet_int()) {{ if (held)
             reach_error(); held = 1; m |= 1ul << __VERIFIER_nondet_int(); held = 0; }} return (int)m; }}"
        ),
    )]);
    for options in OPTIONS {
        let done = folder.hardbop(&format!("check a.c {options} --timeout 20s"));
        assert!(done.stdout.contains("VERDICT: TRUE"), "{options}: {}", done.stdout);
        assert!(!done.stdout.contains("shift"), "{options}: {}", done.stdout);
    }
}

/// Symbols of the encoder had names that variables can have, too, and a variable was equal to a part of memory by its name.
#[test]
fn names_of_variables_are_names_of_nothing_else() {
    let pads = ["", "int pad0;", "int pad0, pad1;"].map(|pad| ("memory", pad));
    for (name, pad) in pads.into_iter().chain(["guard", "any", "watched", "turn"].map(|name| (name, ""))) {
        let text = format!(
            "{HEAD}static struct {{ int a, b; }} s; {pad}
             int main(void) {{ int {name} = 0; unsigned i = 0;
               while (__VERIFIER_nondet_int()) {{ if ({name} != s.b) reach_error();
                 i++; s.a = __VERIFIER_nondet_int(); if (i > 50000) {name} = 1; if (i > 90000) s.b = s.a; }}
               return 0; }}"
        );
        let folder = Folder::new(&[("a.c", text)]);
        for options in ["", "--engine pdr"] {
            let done = folder.hardbop(&format!("check a.c {options} --timeout 1s"));
            assert!(done.code == 1 || done.code == 2, "{name} {options}: {done:?}");
        }
    }
}

#[test]
fn addresses_are_used_again() {
    never_proved(
        "after free",
        "int main(void) { long *p = malloc(24); if (!p) return 0; word a = (word)p; free(p); long *q = malloc(24);
         if (q && (word)q == a) reach_error(); return 0; }",
    );
    never_proved(
        "by realloc",
        "int main(void) { char *p = malloc(40); if (!p) return 0; word a = (word)p; char *q = realloc(p, 20);
         if (q && (word)q == a) reach_error(); return 0; }",
    );
    never_proved(
        "by an array of another round",
        "int main(void) { word last = 0; for (int i = 0; i < 3; i++) { int n = 4; char v[n]; v[0] = i;
         if (last == (word)v) reach_error(); last = (word)v; } return 0; }",
    );
    never_proved(
        "by variables of functions in turn",
        "word s; void f(void) { int x = 1, *p = &x; s = (word)p; *p = 2; }
         void g(void) { int y = 1, *p = &y; if (s == (word)p) reach_error(); *p = 2; }
         int main(void) { f(); g(); return 0; }",
    );
}

/// A run learns where an object lies by computing with its address, too.
#[test]
fn addresses_are_told_by_what_is_computed_with_them() {
    never_proved(
        "the distance that realloc moved",
        "int main(void) { char *b = malloc(8); if (!b) return 0; char *old = b; b = realloc(b, 16); if (!b) return 0;
         long by = b - old; if (by == 0) reach_error(); return 0; }",
    );
    never_proved(
        "the same in a loop",
        "int main(void) { char *b = malloc(1); if (!b) return 0; for (int i = 0; i < 20; i++) { char *o = b;
         b = realloc(b, i + 2); if (!b) return 0; long by = b - o; if (by == 0) reach_error(); } return 0; }",
    );
    never_proved(
        "the distance of variables of two activations",
        "static char *f(void) { char x; char *volatile y = &x; x = 1; return y; }
         static char *g(void) { char pad[200]; pad[0] = 0; char *r = f(); return r; }
         int main(void) { char *a = f(), *b = g(); long used = a - b; if (used != 0) reach_error(); return 0; }",
    );
    // Whether an object lies where another one did, as 0 or 1, without a comparison.
    let again =
        "char x[4]; char *p = malloc(8); if (!p) return 0; word a = (word)p; free(p); char *q = malloc(8);
         if (!q) return 0; word d = (word)q ^ a, other = (d | -d) >> (8 * sizeof d - 1);";
    for (how, end) in [
        ("a divisor", "volatile int z = 1 / (int)(1 - other); reach_error();"),
        ("a pointer that may be null", "char *y = (char *)((word)x & (other - 1)); *y = 1; reach_error();"),
        (
            "the size of an allocation",
            "char *r = malloc(other << (8 * sizeof d - 1) | 1); if (r) reach_error();",
        ),
        (
            "the size of an array",
            "char v[other << (8 * sizeof d - 1) | 1]; v[0] = 1; if (v[0] == 1) reach_error();",
        ),
    ] {
        never_proved(how, &format!("int main(void) {{ {again} {end} return 0; }}"));
    }
}

#[test]
fn activations_have_their_variables_where_they_like() {
    never_proved(
        "two depths",
        "word s; void f(void) { long x = 0, *p = &x; if (s && s != (word)p) reach_error(); s = (word)p; }
         void g(void) { char pad[200]; pad[0] = 1; f(); } int main(void) { f(); g(); return 0; }",
    );
}

#[test]
fn what_nothing_is_known_to_pass_is_named() {
    let text = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += 2; return s; }
        int main(void) { int n = __VERIFIER_nondet_int(), m = 0; while (m < n) m++;
        if (n > 5 && n < 3 && f(n) == 7) reach_error(); if (m < 0) reach_error(); return 0; }";
    let folder = Folder::new(&[("a.c", format!("{HEAD}{text}"))]);
    let done = folder.hardbop("check a.c --timeout 30s");
    assert!(done.stdout.contains("VERDICT: TRUE"), "{done:?}");
    assert!(done.stdout.contains("warning: no run is known to pass `f`"), "{}", done.stdout);
}

/// A number may happen to be the address of an object: no run counts that rests on it.
#[test]
fn addresses_are_not_made_up() {
    for (how, text) in [
        (
            "an input",
            "unsigned a = __VERIFIER_nondet_uint(); if (a < 0x10000000 || a > 0x10000100) return 0; *(int *)(a & ~3u) = 7;",
        ),
        ("a sum", "unsigned a = __VERIFIER_nondet_uint() % 64 * 4 + 0x10000000; *(int *)a = 7;"),
        ("no input", "unsigned a = 0x10000000; for (int i = 0; i < 64; i++, a += 4) *(int *)a = 7;"),
        ("memory that nobody set", "int **p = malloc(4), *q; if (!p) return 0; q = *p; *q = 7;"),
    ] {
        let folder = Folder::new(&[(
            "a.c",
            format!(
                "extern unsigned __VERIFIER_nondet_uint(void); extern void *malloc(unsigned); extern void reach_error(void);
                 static int x, *volatile p; int main(void) {{ p = &x; {text} if (x == 7) reach_error(); return 0; }}"
            ),
        )]);
        let done = folder.hardbop("check a.c -m32 --timeout 20s");
        assert!(!done.stdout.contains("VERDICT: FALSE"), "{how}: {}", done.stdout);
    }
}

/// What is supposed of indices has to be confirmed: by numbers that were stored signed and are compared unsigned, and in code that intervals
/// alone might take for dead.
#[test]
fn indices_leave_their_arrays() {
    for (how, read) in [
        ("through a pointer", "int d = n; unsigned *u = (unsigned *)&d;"),
        ("through a union", "union { int s; unsigned u; } d; d.s = n; unsigned *u = &d.u;"),
    ] {
        never_proved(
            how,
            &format!(
                "static struct {{ unsigned char x[4], c; }} r;
                 int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < -2000000000 || n > -1) return 0; {read}
                 if (*u >= 4294967294u && r.c == 0) r.x[*u - 4294967291u] = (unsigned char)__VERIFIER_nondet_int();
                 if (r.c == 93) reach_error(); return 0; }}"
            ),
        );
    }
    never_proved(
        "the index is behind the array",
        "static struct { int x[4]; unsigned in; int flag; } r;
         static void put(int v) { r.x[r.in] = v; r.in = r.in < 5 ? r.in + 1 : 0; }
         int main(void) { while (__VERIFIER_nondet_int()) put(__VERIFIER_nondet_int());
         if (r.flag) reach_error(); return 0; }",
    );
}

/// In 32 bits some steps lead around the address space.
#[test]
fn bounded_steps_lead_around_the_address_space() {
    let text = "typedef struct { int a, b, c; } S; static S s[3];
        static unsigned some(void) { unsigned i = (unsigned)__VERIFIER_nondet_int(); return i > 178956960u ? 0 : i; }
        int main(void) { S *p = s; p = p + some(); p = p + some(); p = p + some(); p = p + some(); p = p + some();
        p->a = 5; if (s[0].b == 5) reach_error(); return 0; }";
    let folder = Folder::new(&[("a.c", format!("{HEAD}{text}"))]);
    for options in OPTIONS {
        let done = folder.hardbop(&format!("check a.c {options} -m 32 --timeout 5s"));
        assert!(!done.stdout.contains("VERDICT: TRUE"), "{options}: {}", done.stdout);
    }
}
