//! What holds of all heap objects that are alive: each program with twins that have an error, which must have no proof.

mod common;

use common::expect;

const NODE: &str =
    "typedef unsigned long size_t; void *malloc(size_t); void free(void *); void *realloc(void *, size_t);
    struct node { int v; struct node *next; };\n";

/// A list of nodes, what happens to each behind its allocation, and what is said of each in the end.
fn list(prepare: &str, said: &str) -> String {
    format!(
        "{NODE} int main(void) {{ struct node *h = 0, *other = 0;
           while (__VERIFIER_nondet_int()) {{
             struct node *x = malloc(sizeof *x); if (!x) return 0;
             {prepare}
             x->next = h; h = x; }}
           for (struct node *p = h; p; p = p->next) assert({said});
           while (h) {{ struct node *t = h->next; free(h); h = t; }}
           return 0; }}"
    )
}

#[test]
fn what_is_written_to_all_nodes_holds_of_all_nodes() {
    expect(&list("x->v = 1;", "p->v == 1"), true);
    expect(&list("x->v = __VERIFIER_nondet_int() ? 3 : 5;", "p->v == 3 || p->v == 5"), true);
    expect(&list("x->v = 1; if (__VERIFIER_nondet_int() == 7) x->v = 2;", "p->v == 1"), false);
    expect(&list("if (__VERIFIER_nondet_int()) x->v = 1;", "p->v == 1"), false);
    // Another name of the same node.
    expect(&list("x->v = 1; if (other) other->v = 4; other = x;", "p->v == 1"), false);
    // A node that is not on the heap.
    let wrong = list("x->v = 1;", "p->v == 1").replace("*h = 0", "s = { 2, 0 }, *h = &s");
    expect(&wrong.replace("while (h) {", "while (h && h != &s) {"), false);
}

#[test]
fn nodes_are_changed_in_other_ways() {
    for prepare in [
        "x->v = 1; int *inside = &x->v; if (__VERIFIER_nondet_int()) *inside = 5;",
        "x->v = 1; if (__VERIFIER_nondet_int()) ((char *)&x->v)[1] = 1;",
        "x->v = 1; if (__VERIFIER_nondet_int()) { extern struct node *get(void); x = get(); if (!x) return 0; }",
    ] {
        expect(&list(prepare, "p->v == 1"), false);
    }
}

#[test]
fn nodes_of_other_types_with_two_links() {
    let text = |wrong: &str| {
        format!(
            "{NODE} struct item {{ struct item *left, *right; unsigned char kind; long weight; }};
             static struct item *first;
             static void push(unsigned char kind) {{
               struct item *x = malloc(sizeof *x); if (!x) return;
               x->kind = kind; x->weight = 100; x->left = 0; x->right = first;
               if (first) first->left = x;
               first = x; {wrong} }}
             int main(void) {{
               while (__VERIFIER_nondet_int()) push(9);
               for (struct item *p = first; p; p = p->right) {{ assert(p->kind == 9); assert(p->weight >= 50); }}
               return 0; }}"
        )
    };
    expect(&text(""), true);
    expect(&text("if (x->right) x->right->weight = 7;"), false);
}

/// The size of an object is known though the allocation is in a function that is given it.
#[test]
fn nodes_of_functions_that_allocate() {
    let text = |count: &str, value: &str| {
        format!(
            "{NODE} void *calloc(size_t, size_t); static struct node *first;
             static void *get(size_t count, size_t size) {{ void *p = calloc(count, size); return p; }}
             int main(void) {{
               while (__VERIFIER_nondet_int()) {{
                 struct node *x = get({count}, sizeof *x); if (!x) return 0;
                 {value} x->next = first; first = x; }}
               for (struct node *p = first; p; p = p->next) assert(p->v == 0);
               return 0; }}"
        )
    };
    expect(&text("1", ""), true);
    expect(&text("3", ""), true);
    expect(&text("1", "if (__VERIFIER_nondet_int() == 4) x->v++;"), false);
    expect(&text("(size_t)__VERIFIER_nondet_int()", "x->v = 1;"), false);
}

/// Nodes are queued and taken out again in one loop.
#[test]
fn queued_nodes_have_one_state() {
    let text = |done: &str| {
        format!(
            "{NODE} static struct node *queue;
             int main(void) {{
               while (__VERIFIER_nondet_int()) {{
                 if (__VERIFIER_nondet_int()) {{
                   struct node *r = malloc(sizeof *r);
                   if (r) {{ r->v = 1; r->next = queue; queue = r; }}
                 }} else if (queue) {{
                   struct node *r = queue;
                   assert(r->v == 1); r->v = 2; {done} }} }}
               return 0; }}"
        )
    };
    expect(&text("queue = r->next; free(r);"), true);
    // It stays in the queue.
    expect(&text("if (__VERIFIER_nondet_int()) { queue = r->next; free(r); }"), false);
}

/// A new object may lie where one lay that was freed, but not where one is that is alive.
#[test]
fn addresses_are_used_again() {
    let text = |freed: &str| {
        format!(
            "{NODE} int main(void) {{ struct node *a = malloc(sizeof *a), *b = 0; if (!a) return 0;
               while (__VERIFIER_nondet_int()) {{
                 {freed}
                 b = malloc(sizeof *b); if (!b) return 0;
                 assert(a != b);
                 a = b; }}
               return 0; }}"
        )
    };
    expect(&text(""), true);
    expect(&text("free(a);"), false);
    let moved = "int main(void) { while (__VERIFIER_nondet_int()) {
        char *x = malloc(16); if (!x) return 0;
        char *y = realloc(x, 8); if (!y) return 0;
        assert(x != y); free(y); } return 0; }";
    expect(&format!("{NODE} {moved}"), false);
}

/// What is known outside may be freed there.
#[test]
fn functions_from_outside_may_free() {
    let text = |passed: &str| {
        format!(
            "{NODE} extern void use(void *);
             int main(void) {{ struct node *a = 0, *b;
               while (__VERIFIER_nondet_int()) {{
                 b = malloc(sizeof *b); if (!b) return 0;
                 assert(a != b);
                 a = b; use({passed}); }}
               return 0; }}"
        )
    };
    expect(&text("a"), false);
}
