//! Functions without a definition that call functions of the program.

mod common;

use std::process::Command;

use common::{Folder, has_gcc};

/// What comes before each program.
const BEFORE: &str = "extern void reach_error(void);
extern void reg(void (*)(int)), run(void), tell(const char *, ...);
struct ops { const char *name; void (*act)(int); };
extern void use(struct ops *);
static int state, other;
";

/// Programs, with the verdict and the one if nothing is called back.
const PROGRAMS: [(&str, &str, &str); 17] = [
    ("called twice", "static void f(int k) { state++; if (state == 2 && k == 7) reach_error(); }
      int main(void) { reg(f); return 0; }", "FALSE TRUE"),
    ("called later", "static void f(int k) { if (state == 1 && k == 9) reach_error(); }
      int main(void) { reg(f); state = 1; run(); return 0; }", "FALSE TRUE"),
    ("not called when it would have to be", "static void f(int k) { if (state) reach_error(); }
      int main(void) { reg(f); state = 1; state = 0; run(); return 0; }", "TRUE TRUE"),
    ("not known yet", "static void f(int k) { if (state) reach_error(); }
      int main(void) { state = 1; run(); state = 0; reg(f); run(); return 0; }", "TRUE TRUE"),
    ("behind a pointer", "static void f(int k) { if (k == 5) reach_error(); }
      int main(void) { static struct ops o; use(&o); run(); o.act = f; run(); return 0; }", "FALSE TRUE"),
    ("in a table that nobody was given", "static void f(int k) { state = 1; }
      static struct ops table[] = { { \"f\", f } };
      int main(void) { tell(table[0].name); if (state) reach_error(); table[0].act(1); return 0; }", "TRUE TRUE"),
    ("in a table that somebody was given", "static void f(int k) { state = 1; }
      static struct ops table[] = { { \"f\", f } };
      int main(void) { use(&table[0]); if (state) reach_error(); return 0; }", "FALSE TRUE"),
    ("by a variable that others see", "static void f(int k) { state = 1; } void (*hook)(int) = f;
      int main(void) { run(); if (state) reach_error(); return 0; }", "FALSE TRUE"),
    ("by a variable that others do not see", "static void f(int k) { state = 1; } static void (*hook)(int) = f;
      int main(void) { run(); if (state) reach_error(); hook(1); return 0; }", "TRUE TRUE"),
    ("among other arguments", "static void f(int k) { state = k; }
      int main(void) { tell(\"\", 1, f); if (state == 3) reach_error(); return 0; }", "FALSE TRUE"),
    ("it calls back itself", "static void f(int k) { state++; if (state < 3) run(); if (state == 4) reach_error(); }
      int main(void) { reg(f); return 0; }", "FALSE TRUE"),
    ("an invariant that callbacks keep", "static void f(int k) { if (k > 0 && state < 10) { state++; run(); } }
      int main(void) { reg(f); run(); if (state > 10) reach_error(); return 0; }", "TRUE TRUE"),
    ("one of two", "static void f(int k) { if (other) state = 1; } static void g(int k) { other = k == 2; }
      int main(void) { reg(f); reg(g); if (state) reach_error(); return 0; }", "FALSE TRUE"),
    ("one of two, which the other one needs", "static void f(int k) { if (other) state = 1; } static void g(int k) { other = k == 2; }
      int main(void) { reg(f); if (state) reach_error(); other = 0; reg(g); return 0; }", "TRUE TRUE"),
    ("a function that does not return", "extern void forever(void (*)(int)) __attribute__((noreturn));
      static void f(int k) { if (k == 77) reach_error(); } int main(void) { forever(f); }", "FALSE TRUE"),
    ("a condition tells nobody", "static void f(int k) { state = 1; } extern void (*hook)(int);
      int main(void) { if (hook == f) other = 1; run(); if (state) reach_error(); return 0; }", "TRUE TRUE"),
    ("a library function calls what it is given and no more", "static int f(const void *a, const void *b) { state++; return 0; }
      extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
      int main(void) { int a[1] = { 1 }; qsort(a, 1, sizeof *a, f); run(); if (state) reach_error(); return 0; }", "TRUE TRUE"),
];

fn verdict(stdout: &str) -> &str {
    stdout.lines().last().unwrap_or_default().trim_start_matches("VERDICT: ")
}

#[test]
fn functions_outside_call_what_they_know() {
    for (name, program, verdicts) in PROGRAMS {
        let folder = Folder::new(&[("a.c", format!("{BEFORE}{program}\n"))]);
        let (called, never) = verdicts.split_once(' ').unwrap();
        for (options, expected) in
            [("", called), ("--no-run", called), ("--callbacks never", never), ("--externals pure", never)]
        {
            // Backwards and without probes it may take longer, and only has to be right.
            let done = folder.hardbop(&format!("check a.c --timeout 60s {options}"));
            assert_eq!(verdict(&done.stdout), expected, "{name} {options}: {}{}", done.stdout, done.stderr);
        }
        for engine in ["wp", "pdr"] {
            let done = folder.hardbop(&format!("check a.c --timeout 5s --engine {engine}"));
            assert!(["UNKNOWN", called].contains(&verdict(&done.stdout)), "{name} {engine}: {}", done.stdout);
        }
    }
}

#[test]
fn what_is_assumed_of_callbacks_is_said() {
    let program =
        format!("{BEFORE}static void f(int k) {{ state = k; }} int main(void) {{ reg(f); return 0; }}\n");
    let folder = Folder::new(&[("a.c", program)]);
    let said = folder.hardbop("check a.c").stdout;
    assert!(said.contains("and it may call `f` once it can know the address"), "{said}");
    let said = folder.hardbop("check a.c --callbacks never").stdout;
    assert!(said.contains("and it calls no function of the program"), "{said}");
}

#[test]
fn proofs_with_callbacks_are_checked_again() {
    let (_, program, _) = PROGRAMS[11];
    let folder = Folder::new(&[("a.c", format!("{BEFORE}{program}\n"))]);
    folder.hardbop("check a.c --proof p --timeout 60s");
    let said = folder.hardbop("certify a.c --proof p").stdout;
    assert!(said.starts_with("PROOF: ACCEPTED"), "{said}");
    // It was made for a program that is called back.
    let said = folder.hardbop("certify a.c --proof p --callbacks never");
    assert!(!said.stdout.contains("ACCEPTED"), "{}", said.stdout);
}

/// Other files can name variables that the program itself does not use.
#[test]
fn unused_variables_tell_addresses() {
    let program =
        "static int x; int *p = &x; int main(void) { x = 1; run(); if (x != 1) reach_error(); return 0; }";
    let folder = Folder::new(&[("a.c", format!("{BEFORE}{program}\n"))]);
    assert_ne!(verdict(&folder.hardbop("check a.c").stdout), "TRUE");
    let folder = Folder::new(&[("a.c", format!("{BEFORE}{}\n", program.replace("int *p", "static int *p")))]);
    assert_eq!(verdict(&folder.hardbop("check a.c").stdout), "TRUE");
}

/// A run without callbacks is repeated as before; one with callbacks is said to be none that a harness makes.
#[test]
fn harnesses_say_what_they_cannot_call() {
    let program = "extern int get(void (*)(int)); static void f(int k) { if (k == 8) state = 3; }
      int main(void) { int x = get(f); if (x == 41 && state == LIMIT) reach_error(); return 0; }";
    for (limit, reproduced) in [("0", true), ("3", false)] {
        let folder = Folder::new(&[("a.c", format!("{BEFORE}{}\n", program.replace("LIMIT", limit)))]);
        let done = folder.hardbop("check a.c --harness h.c --timeout 60s");
        assert_eq!(verdict(&done.stdout), "FALSE", "{}", done.stdout);
        assert_eq!(!done.stderr.contains("not reproduced"), reproduced, "{}", done.stderr);
        if has_gcc() && reproduced {
            let mut gcc = Command::new("gcc");
            gcc.args(["-w", "-O0", "-o"]).args(["a.out", "a.c", "h.c"].map(|file| folder.path(file)));
            assert!(gcc.status().unwrap().success());
            let status = Command::new(folder.path("a.out")).output().unwrap().status.code();
            assert_eq!(status, Some(107), "{}", folder.read("h.c"));
        }
    }
}
