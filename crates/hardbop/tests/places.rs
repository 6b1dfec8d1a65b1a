//! Programs that depend on where their objects lie, each in another way. Bounded runs and their certificates give other objects
//! numbers for addresses, so none of these may be taken for one whose objects may lie anywhere: TRUE is wrong for all of them.

mod common;

use common::Folder;

const HEAD: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
typedef __SIZE_TYPE__ word; extern void *malloc(word), free(void *), *memcpy(void *, const void *, word);
";

fn never_proved(name: &str, text: &str) {
    let folder = Folder::new(&[("a.c", format!("{HEAD}{text}"))]);
    for options in ["", "--engine unroll", "--engine unroll -m32"] {
        let done = folder.hardbop(&format!("check a.c {options} --timeout 5s"));
        assert!(done.code == 1 || done.code == 2, "{name} {options}: {done:?}");
    }
}

#[test]
fn runs_that_depend_on_places() {
    never_proved("bits", "int main(void) { int a; if ((word)&a & 63) reach_error(); return 0; }");
    never_proved(
        "a bit as an index",
        "int t[2]; int main(void) { int a; t[((word)&a >> 4) & 1] = 1; if (t[1]) reach_error(); return 0; }",
    );
    never_proved(
        "a remainder",
        "int main(void) { int a; int k = (word)&a % 48; if (k != 0 && k != 16) reach_error(); return 0; }",
    );
    never_proved(
        "a narrow integer",
        "int main(void) { char *p = malloc(4); if (p && (unsigned)(word)p > 0x10000000u) reach_error(); return 0; }",
    );
    never_proved(
        "a divisor",
        "int main(void) { int x; int q = 1 / (int)(((word)&x >> 4) & 1); reach_error(); return q; }",
    );
    never_proved(
        "a size",
        "int main(void) { int x; char *p = malloc((word)&x); if (p) reach_error(); return 0; }",
    );
    never_proved(
        "bytes",
        "int main(void) { int x, *p = &x; unsigned char b[sizeof p]; memcpy(b, &p, sizeof p); if (b[1]) reach_error(); return 0; }",
    );
    never_proved(
        "a byte that is replaced",
        "char big[1024]; int main(void) { char *p = big + 512; big[512] = 1; *(unsigned char *)&p = 0;
         if (*p == 0) reach_error(); return 0; }",
    );
    never_proved(
        "a bit-field",
        "struct F { unsigned a : 5; }; int main(void) { int x; struct F f; f.a = (word)&x >> 4; if (f.a) reach_error(); return 0; }",
    );
    never_proved(
        "a float",
        "int main(void) { int x; double d = (double)(word)&x; if (d != 4294967296.0) reach_error(); return 0; }",
    );
    never_proved(
        "a distance",
        "int a[4], b[4]; int main(void) { long d = (char *)b - (char *)a; if (d != 128 && d != -128) reach_error(); return 0; }",
    );
    never_proved(
        "a distance from null",
        "int main(void) { char x, *q = 0, *p = &x; long d = p - q; char b[2] = {0, 0}; b[(d >> 4) & 1] = 1;
         if (b[1]) reach_error(); return 0; }",
    );
    never_proved(
        "an order",
        "int a, b; int main(void) { if (&b < &a) reach_error(); if (&a < &b && __VERIFIER_nondet_int() == 9) reach_error(); return 0; }",
    );
    never_proved(
        "behind the end",
        "int a[2], b[2]; int main(void) { int *p = a + 2, *q = b, *r = b + 2, *s = a; if (p == q || r == s) reach_error(); return 0; }",
    );
    never_proved(
        "string literals",
        "const char *f(void) { return \"abc\"; } const char *g(void) { return \"abc\"; }
         int main(void) { if (f() == g()) reach_error(); return 0; }",
    );
    never_proved(
        "an address that is used again",
        "struct N { struct N *next; }; int main(void) { struct N *a = malloc(sizeof *a), *keep = a; free(a);
         struct N *b = malloc(sizeof *b); if (b && b == keep) reach_error(); return 0; }",
    );
    never_proved(
        "a local of two calls",
        "int *keep; int f(void) { int x = 0, *p = &x, r = keep == p; keep = p; return r; }
         int main(void) { f(); if (f()) reach_error(); return 0; }",
    );
    never_proved(
        "code",
        "void f(void) {} void g(void) {} int main(void) { if ((word)f > (word)g && __VERIFIER_nondet_int() == 9) reach_error();
         if ((word)f < (word)g) reach_error(); return 0; }",
    );
}

/// The others: what they do is the same wherever their objects lie, and bounded runs prove it.
#[test]
fn runs_that_do_not() {
    let proved = |name: &str, text: &str| {
        let folder = Folder::new(&[("a.c", format!("{HEAD}{text}"))]);
        for options in ["--engine unroll", "--engine unroll -m32"] {
            let done = folder.hardbop(&format!("check a.c {options} --timeout 20s"));
            assert!(done.stdout.contains("VERDICT: TRUE"), "{name} {options}: {done:?}");
        }
    };
    proved(
        "handles that share objects",
        "struct O { int refs; }; static struct O objects[2]; static struct O *handle[3];
         static void put(struct O *o) { if (o->refs <= 0) reach_error(); o->refs--; }
         static void open(int h, int o) { if (handle[h]) return; objects[o].refs++; handle[h] = &objects[o]; }
         static void close(int h) { if (!handle[h]) return; put(handle[h]); handle[h] = 0; }
         static void copy(int from, int to) { if (!handle[from] || from == to) return; close(to);
           handle[to] = handle[from]; handle[to]->refs++; }
         int main(void) { for (int step = 0; step < 3; step++) {
           unsigned a = (unsigned)__VERIFIER_nondet_int() % 3, b = (unsigned)__VERIFIER_nondet_int() % 3;
           switch (__VERIFIER_nondet_int()) { case 0: open(a, b % 2); break; case 1: copy(a, b); break; case 2: close(a); } }
           for (int i = 0; i < 3; i++) close(i);
           if (objects[0].refs || objects[1].refs) reach_error(); return 0; }",
    );
    proved(
        "a queue of a few nodes, with an end that is compared",
        "struct N { short key; struct N *next; }; int main(void) { struct N end, *head = &end; int length = 0; end.next = 0;
         for (int i = 0; i < 4; i++) { if (__VERIFIER_nondet_int()) { struct N *n = malloc(sizeof *n); if (!n) break;
             n->key = i; n->next = head; head = n; length++; }
           else if (head != &end) { struct N *n = head; head = n->next; length--; } }
         int count = 0; for (struct N *n = head; n != &end; n = n->next) count++;
         if (count != length) reach_error(); return 0; }",
    );
}
