//! Functions of the C library in verdicts: what has a model is exact, and what has none never makes a FALSE, and
//! never a TRUE by doing nothing.

mod common;

use common::{Done, Folder};

const DECLARATIONS: &str =
    "extern int __VERIFIER_nondet_int(void); extern double __VERIFIER_nondet_double(void);
extern void reach_error(void); extern int *__errno_location(void); typedef unsigned long size_t;
#define errno (*__errno_location())
";

fn check(text: &str, options: &str) -> Done {
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{text}"))]);
    let timeout = if options.contains("--timeout") { "" } else { "--timeout 60s" };
    folder.hardbop(&format!("check a.c {timeout} {options}"))
}

fn verdict(done: &Done) -> &str {
    done.stdout.lines().last().and_then(|line| line.strip_prefix("VERDICT: ")).unwrap_or_default()
}

#[track_caller]
fn decides(text: &str, expected: &str) {
    let done = check(text, "");
    assert_eq!(verdict(&done), expected, "{text}\n{done:?}");
}

/// Whatever engine is asked, and whatever is assumed of other functions, nothing is known, for the reason given.
#[track_caller]
fn is_unknown(text: &str, reason: &str) {
    let options =
        ["", "--externals pure", "--no-run", "--no-run --no-unroll", "--engine wp --externals pure"];
    for options in options {
        let done = check(text, options);
        assert_eq!(verdict(&done), "UNKNOWN", "{options}: {text}\n{done:?}");
        let unfit = options.contains("wp") && done.stdout.contains("does not take such programs");
        assert!(unfit || done.stdout.contains(reason), "{options}: {text}\n{done:?}");
    }
}

#[test]
fn no_error_depends_on_a_function_without_a_model() {
    is_unknown(
        "extern double sin(double); int main(void) { if (sin(1.0) == 2.0) reach_error(); return 0; }",
        "", // which value a float must have is not known to begin with
    );
    is_unknown(
        "extern int getpid(void); int twice(int x) { return 2 * x; }
         int main(void) { int a[2]; a[1] = twice(getpid()); if (a[1] == -4) reach_error(); return 0; }",
        "depends on `getpid`",
    );
    is_unknown(
        "extern int gethostname(char *, size_t);
         int main(void) { char b[8]; gethostname(b, 8); if (b[0] == 'y') reach_error(); return 0; }",
        "depends on `gethostname`",
    );
    is_unknown(
        "extern int optind; int main(void) { if (optind == 17) reach_error(); return 0; }",
        "depends on `optind`",
    );
}

#[test]
fn an_error_beside_such_a_function_is_found() {
    decides(
        "extern double sin(double); extern int getpid(void); int seen;
         int main(void) { double s = sin(1.0); seen = getpid() + (int)sizeof s; s = s + 1;
         if (__VERIFIER_nondet_int() == 77) reach_error(); return 0; }",
        "FALSE",
    );
}

#[test]
fn such_a_function_writes_to_its_arguments() {
    is_unknown(
        "extern char *fgets(char *, int, void *); static char b[4];
         int main(void) { fgets(b, 4, 0); if (b[0]) reach_error(); return 0; }",
        "depends on `fgets`",
    );
    // But not to variables of the program that it was not given.
    let text = "extern char *fgets(char *, int, void *); int other;
         int main(void) { char b[4]; fgets(b, 4, 0); if (other) reach_error(); return 0; }";
    assert_eq!(verdict(&check(text, "--externals pure")), "TRUE");
}

#[test]
fn mathematical_functions_are_exact() {
    decides(
        "extern double ceil(double), modf(double, double *), remainder(double, double), fdim(double, double);
         extern int __fpclassify(double), __finite(double), __isinff(float);
         int main(void) { double w; if (ceil(1.5) == 2 && modf(2.25, &w) == 0.25 && w == 2
           && remainder(5, 3) == -1 && fdim(1, 3) == 0 && __fpclassify(0.0) == 2 && !__finite(1e308 * 10)
           && __isinff(-1e38f * 10) == -1) reach_error(); return 0; }",
        "FALSE",
    );
}

#[test]
fn the_number_of_the_last_error_changes() {
    is_unknown(
        "extern int close(int); int main(void) { errno = 0; close(-1); if (errno) reach_error(); return 0; }",
        "depends on `close`",
    );
    decides(
        "extern long strtol(const char *, char **, int);
         int main(void) { errno = 0; strtol(\"99999999999999999999\", 0, 10); if (errno == 34) reach_error();
         return 0; }",
        "FALSE",
    );
    decides(
        "extern void *malloc(size_t);
         int main(void) { errno = 0; if (!malloc(8) && errno == 12) reach_error(); return 0; }",
        "FALSE",
    );
    decides(
        "extern void helper(void); int main(void) { errno = 0; helper(); if (errno == 5) reach_error(); return 0; }",
        "FALSE",
    );
}

#[test]
fn functions_that_are_given_away_are_called() {
    decides(
        "extern void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
         static int by(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
         int main(void) { int a[3] = {3, 1, 2}; qsort(a, 3, 4, by); if (a[0] == 1 && a[2] == 3) reach_error();
         return 0; }",
        "FALSE",
    );
    decides(
        "extern int atexit(void (*)(void)); extern void exit(int); static int n;
         static void last(void) { if (n == 1) reach_error(); } static void first(void) { n++; }
         int main(void) { atexit(last); atexit(first); exit(0); }",
        "FALSE",
    );
    decides(
        "extern int on_exit(void (*)(int, void *), void *);
         static void end(int status, void *p) { if (status == 3 && *(int *)p == 4) reach_error(); }
         static int x = 4; int main(void) { on_exit(end, &x); return 3; }",
        "FALSE",
    );
    decides(
        "extern void (*signal(int, void (*)(int)))(int); extern int raise(int); static int hit;
         static void h(int n) { hit = n; } int main(void) { signal(10, h); raise(10); if (hit == 10) reach_error();
         return 0; }",
        "FALSE",
    );
    // Nobody knows when a signal arrives.
    is_unknown(
        "extern void (*signal(int, void (*)(int)))(int); static int hit; static void h(int n) { hit = 1; }
         int main(void) { signal(2, h); if (hit) reach_error(); return 0; }",
        "a handler of `signal`",
    );
    is_unknown(
        "extern void *tsearch(const void *, void **, int (*)(const void *, const void *)); static int hit;
         static int c(const void *a, const void *b) { hit = 1; return 0; }
         int main(void) { void *root = 0; tsearch(&hit, &root, c); tsearch(&hit, &root, c);
         if (hit) reach_error(); return 0; }",
        "`tsearch`",
    );
}

#[test]
fn formats_that_store_are_noticed() {
    for call in ["printf(f, &k)", "fprintf(0, f, &k)", "printf(\"ab%n\", &k)", "printf(\"a%-5hhn\", &k)"] {
        is_unknown(
            &format!(
                "extern int printf(const char *, ...), fprintf(void *, const char *, ...);
                 int main(void) {{ int k = 0; const char *f = \"ab%n\"; {call}; if (k) reach_error(); return 0; }}"
            ),
            "printf`",
        );
    }
    decides(
        "extern int printf(const char *, ...); int main(void) { int k = 0; printf(\"%d%%n %p\", k, &k);
         if (k) reach_error(); return 0; }",
        "TRUE",
    );
}

#[test]
fn what_is_written_into_buffers_is_exact() {
    let start = "extern int sprintf(char *, const char *, ...), snprintf(char *, size_t, const char *, ...);
         int main(void) { char b[16]; int x = __VERIFIER_nondet_int();";
    let text = |rest: &str| format!("{start} {rest} reach_error(); return x; }}");
    decides(&text("sprintf(b, \"%c-%s\", 'a', \"bc\"); if (b[2] == 'b' && !b[4])"), "FALSE");
    decides(&text("if (snprintf(b, 3, \"%03d\", 7) == 3 && b[1] == '0' && !b[2])"), "FALSE");
    // What it writes may be looked at without harm.
    decides(&text("int s = 0; sprintf(b, \"%d\", x); if (b[0] == '-') s = 1; if (s == 2)"), "TRUE");
    // The proof is hard, but there is no error.
    let wrong = check(&text("sprintf(b, \"%c-%s\", 'a', \"bc\"); if (b[2] != 'b')"), "--timeout 5s");
    assert_ne!(verdict(&wrong), "FALSE", "{wrong:?}");
    is_unknown(&text("sprintf(b, \"%g\", 1.0); if (b[0] == 'x')"), "depends on `sprintf`");
}

#[test]
fn what_is_read_from_strings_is_exact() {
    let start =
        "extern int sscanf(const char *, const char *, ...); int main(void) { int x = 0, y = 0; char w[8];";
    let text = |rest: &str| format!("{start} {rest} reach_error(); return x; }}");
    decides(&text("if (sscanf(\"12 ab\", \"%d%2s\", &x, w) == 2 && x == 12 && w[1] == 'b')"), "FALSE");
    decides(&text("if (sscanf(\"7,-x\", \"%d,%d\", &x, &y) != 1 || x != 7 || y)"), "TRUE");
    decides(
        &text("char c = __VERIFIER_nondet_int(), s[2] = {c, 0}; if (sscanf(s, \"%d\", &x) == 1 && x == 6)"),
        "FALSE",
    );
    is_unknown(&text("sscanf(\"6\", \"%i\", &x); if (x == 6)"), "depends on `sscanf`");
}

#[test]
fn what_the_world_gives_keeps_its_contract() {
    decides(
        "extern int rand(void), getchar(void); int a[10];
         int main(void) { int i = rand() % 10, c = getchar(); if (i < 0 || i > 9 || c < -1 || c > 255) reach_error();
         return a[i]; }",
        "TRUE",
    );
    is_unknown(
        "extern int rand(void); int main(void) { if (rand() == 17) reach_error(); return 0; }",
        "depends on `rand`",
    );
    decides(
        "extern int rand(void), getchar(void); int seen;
         int main(void) { seen = rand() + getchar(); if (__VERIFIER_nondet_int() == 77) reach_error(); return 0; }",
        "FALSE",
    );
}

#[test]
fn strings_are_cut_into_tokens() {
    let start = "extern char *strtok(char *, const char *); int main(void) { char s[] = \"a,b\";
         char *p = strtok(s, \",\"), *q = strtok(0, \",\");";
    decides(&format!("{start} if (*p == 'a' && *q == 'b') reach_error(); return 0; }}"), "FALSE");
    decides(&format!("{start} if (*p != 'a' || *q != 'b') reach_error(); return 0; }}"), "TRUE");
}

#[test]
fn no_error_depends_on_a_builtin_that_is_not_known() {
    let text = "int main(void) { if (__builtin_ia32_stmxcsr() == 17) reach_error(); return 0; }";
    assert_eq!(verdict(&check(text, "")), "UNKNOWN");
}
