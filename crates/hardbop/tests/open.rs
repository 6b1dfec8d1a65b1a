//! `hardbop check --entry foo`: a function that others call at any time. Variables hold anything, and pointers are null, or
//! lead to memory that others may share; `--closed`, property files and constants keep what the program says.

mod common;

use common::Folder;

fn report(text: &str, options: &str) -> String {
    let folder = Folder::new(&[("a.c", format!("extern void reach_error(void);\n{text}"))]);
    folder.hardbop(&format!("check a.c --entry foo {options}")).stdout
}

#[track_caller]
fn decides_with(text: &str, options: &str, verdict: &str) -> String {
    let mut all = String::new();
    for model in ["-m32", "-m64"] {
        all = report(text, &format!("{model} {options}"));
        let last = all.lines().last().unwrap_or_default();
        assert_eq!(last, format!("VERDICT: {verdict}"), "{text} {model}\n{all}");
    }
    all
}

#[track_caller]
fn decides(text: &str, verdict: &str) -> String {
    decides_with(text, "", verdict)
}

#[test]
fn variables_hold_anything_unless_they_are_constant() {
    let text = "int w; void foo(int *p) { if (w) reach_error(); }";
    let trace = decides(text, "FALSE");
    assert!(trace.contains(", w is ") && trace.contains(" at the start"), "{trace}");
    decides_with(text, "--closed", "TRUE");
    decides(&format!("const {text}"), "TRUE");
    decides("int w = 5; void foo(void) { if (w != 5) reach_error(); }", "FALSE");
    decides("void foo(void) { static int n; n++; if (n == 7) reach_error(); }", "FALSE");
    decides(
        "int w; __attribute__((constructor)) void c(void) { w = 0; } void foo(void) { if (w == 1) reach_error(); }",
        "FALSE",
    );
    decides(
        "static const int t[] = {1, 2, 3, 4}; void foo(unsigned i) { if (t[i % 4] == 0) reach_error(); }",
        "TRUE",
    );
    let proof = decides(
        "int lock; void foo(int n) { lock = 0; if (n > 0) lock++; if (n > 0) lock--; if (lock) reach_error(); }",
        "TRUE",
    );
    assert!(proof.contains("assuming: `foo` is called at any time"), "{proof}");
}

#[test]
fn pointers_are_null_or_lead_to_memory() {
    decides("void foo(int *p) { if (!p) reach_error(); }", "FALSE");
    decides("void foo(int *p) { if (p && *p == 3) reach_error(); }", "FALSE");
    decides("void foo(int *p) { if (!p) return; int a = *p; if (a != *p) reach_error(); }", "TRUE");
    decides(
        "struct s { int x, *p; }; void foo(struct s s) { if (s.p && *s.p == s.x) reach_error(); }",
        "FALSE",
    );
    decides("struct d { int st; } *cur; void foo(void) { if (cur && cur->st == 9) reach_error(); }", "FALSE");
    decides(
        "struct s { int x, y; }; void foo(void *p) { struct s *s = p; if (s && s->y == 8) reach_error(); }",
        "FALSE",
    );
    let proof = decides(
        "void foo(int *p, short *q) { if (!p || !q) return; *p = 1; *q = 2; if (*p != 1) reach_error(); }",
        "TRUE",
    );
    assert!(proof.contains("assuming: a pointer that is given to it"), "{proof}");
}

#[test]
fn memory_may_be_shared() {
    let two =
        "void foo(int *p, int *q) { if (!p || !q) return; *p = 1; *q = 2; if (*p != 1) reach_error(); }";
    let trace = decides(two, "FALSE");
    assert!(
        trace.contains("what q points to (0: nothing, 1: an object of its own, 2: what p may point to) = 2"),
        "{trace}"
    );
    decides(&two.replace("!p || !q", "!p || !q || p == q"), "TRUE");
    let global = "int g; void foo(int *p) { if (!p) return; g = 1; *p = 2; if (g != 1) reach_error(); }";
    decides(global, "FALSE");
    decides(&format!("static {global}"), "TRUE");
    let taken = "static int g; void foo(int *p) { int *h = &g; if (!p) return; *h = 1; *p = 2; if (g != 1) reach_error(); }";
    decides(taken, "FALSE");
    decides(
        "struct s { int a, b; } g; void foo(int *p) { if (!p) return; g.b = 1; *p = 2; if (g.b != 1) reach_error(); }",
        "FALSE",
    );
    decides(
        "int t[4]; void foo(int *p) { if (!p) return; t[2] = 1; *p = 2; if (t[2] != 1) reach_error(); }",
        "FALSE",
    );
    let held = "struct d { int st; }; static struct d *cur; void foo(struct d *p) { if (!cur || !p) return;
      cur->st = 1; p->st = 2; if (cur->st != 1) reach_error(); }";
    decides(held, "FALSE");
}

#[test]
fn memory_holds_pointers() {
    let list =
        "struct s { int a; struct s *next; }; void foo(struct s *p) { if (!p || !p->next) return; CODE }";
    decides(&list.replace("CODE", "if (p->next->a == 5 && p->a == 4) reach_error();"), "FALSE");
    decides(&list.replace("CODE", "if (p->next == p) reach_error();"), "FALSE");
    decides(&list.replace("CODE", "p->a = 1; p->next->a = 2; if (p->a != 1) reach_error();"), "FALSE");
    decides(
        &list.replace("CODE", "p->a = 1; p->next->a = 2; if (p->a != 1 && p->next != p) reach_error();"),
        "TRUE",
    );
    // What is farther away is not made before the call, but is memory outside.
    let far = "struct s *q = p->next->next; if (q && q != p && q != p->next && q->a == 5) reach_error();";
    let outside = decides(&list.replace("CODE", far), "FALSE");
    assert!(outside.contains("memory outside of the program"), "{outside}");
    let operations = "static int a(void) { return 1; } static int b(void) { return 2; } int (*op)(void) = a;
      int (*other)(void) = b; void foo(void) { if (op && op() == 2) reach_error(); }";
    decides(operations, "FALSE");
    decides(
        "static int a(void) { return 1; } static int (*const op)(void) = a; void foo(void) { if (op() != 1) reach_error(); }",
        "TRUE",
    );
}

#[test]
fn memory_is_an_array_where_pointers_are_computed_with() {
    decides("void foo(int *a) { if (a && a[5] == 7) reach_error(); }", "FALSE");
    let array =
        "void foo(int *a, int n) { if (!a || n < 0 || n > 3) return; for (int i = 0; i < n; i++) a[i] = i;
      for (int i = 0; i < n; i++) if (a[i] != VALUE) reach_error(); }";
    decides(&array.replace("VALUE", "i"), "TRUE");
    decides(&array.replace("VALUE", "0"), "FALSE");
    let text =
        "unsigned long strlen(const char *); void foo(const char *s) { if (s && CONDITION) reach_error(); }";
    decides(&text.replace("CONDITION", "s[0] == 0 && strlen(s) != 0"), "TRUE");
    decides(&text.replace("CONDITION", "strlen(s) == 3"), "FALSE");
}

#[test]
fn properties_and_main_are_closed() {
    let files = [
        (
            "a.c",
            "extern void reach_error(void); int w; void foo(void) { if (w) reach_error(); } int main(void) { foo(); }",
        ),
        ("p.prp", "CHECK( init(foo()), LTL(G ! call(reach_error())) )\n"),
    ];
    let folder = Folder::new(&files);
    for (options, verdict) in
        [("--property p.prp", "TRUE"), ("--entry foo", "FALSE"), ("--entry main", "TRUE"), ("", "TRUE")]
    {
        let done = folder.hardbop(&format!("check a.c {options}"));
        assert!(done.stdout.ends_with(&format!("VERDICT: {verdict}\n")), "{options}: {done:?}");
    }
    assert_eq!(folder.hardbop("check a.c --entry foo --proof p").code, 1);
    assert_eq!(folder.hardbop("certify a.c --entry foo --proof p").code, 0);
    assert_eq!(folder.hardbop("certify a.c --entry foo --closed --proof p").code, 65);
}

#[test]
fn a_harness_sets_variables_and_calls_the_entry() {
    let text = "extern void reach_error(void); int w = 3; void foo(int *p, int n, char c) { if (w == 77 && n == 5 && c == 'x') reach_error(); }";
    let folder = Folder::new(&[("a.c", text)]);
    let done = folder.hardbop("check a.c --entry foo --harness h.c");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(!done.stderr.contains("not reproduced"), "{done:?}");
    let gcc = std::process::Command::new("gcc")
        .args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "a.c", "h.c", "-o", "a.out"])
        .current_dir(folder.path("."))
        .status();
    if gcc.is_ok_and(|status| status.success()) {
        let status = std::process::Command::new(folder.path("a.out")).status().unwrap();
        assert_eq!(status.code(), Some(107));
    }
}
