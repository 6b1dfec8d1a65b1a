//! Lengths of lists on the heap, and lists of segments: each program with twins that have an error, which must have no proof.

mod common;

use common::{expect, expect_none};

const HEAP: &str = "typedef unsigned long size_t; void *malloc(size_t); void free(void *);\n";

/// A stack with a counter, in one record: what is done besides when something is pushed and popped, and what is said in the end.
fn stack(pushed: &str, popped: &str, said: &str) -> String {
    format!(
        "{HEAP} struct cell {{ unsigned char tag; struct cell *down; }};
         static struct {{ long size; struct cell *top; }} st;
         static int push(unsigned char t) {{ struct cell *c = malloc(sizeof *c); if (!c) return -1;
           c->tag = t; c->down = st.top; st.top = c; {pushed} return 0; }}
         static int pop(void) {{ struct cell *c = st.top; if (!c) return -1; st.top = c->down; {popped} free(c); return 0; }}
         int main(void) {{
           while (__VERIFIER_nondet_int()) {{ if (__VERIFIER_nondet_int()) push(3); else pop(); }}
           {said} return 0; }}"
    )
}

const DRAINED: &str = "while (st.top) pop(); assert(st.size == 0);";
const COUNTED: &str = "long c = 0; for (struct cell *p = st.top; p; p = p->down) c++; assert(c == st.size);";

#[test]
fn the_counter_of_a_stack_is_the_number_of_its_nodes() {
    expect(&stack("st.size++;", "st.size--;", DRAINED), true);
    expect(&stack("st.size++;", "st.size--;", COUNTED), true);
}

#[test]
fn counters_that_are_wrong_sometimes() {
    // Never counted down, twice, not for the last one, and a node that is lost.
    expect_none(&stack("st.size++;", "", DRAINED));
    expect_none(&stack("st.size++;", "st.size -= 1 + (__VERIFIER_nondet_int() == 5);", DRAINED));
    expect_none(&stack("st.size++;", "if (c->down) st.size--;", COUNTED));
    expect_none(&stack(
        "st.size++; if (__VERIFIER_nondet_int() == 9) st.top = c->down;",
        "st.size--;",
        COUNTED,
    ));
}

#[test]
fn nodes_of_one_loop_are_counted_in_another() {
    let text = |link: &str| {
        format!(
            "{HEAP} struct d {{ int a; struct d *p, *q; }};
             int main(void) {{ struct d *h = 0; int n = 0;
               while (__VERIFIER_nondet_int()) {{ struct d *x = malloc(sizeof *x); if (!x) return 0;
                 x->p = h; x->q = 0; h = x; n++; }}
               while (h) {{ struct d *t = h->{link}; free(h); h = t; n--; }}
               assert(n == 0); return 0; }}"
        )
    };
    expect(&text("p"), true);
    expect_none(&text("q"));
}

/// The last node is behind the others, and the first is freed first.
#[test]
fn queues_have_as_many_nodes_as_were_appended_and_not_freed() {
    let text = |freed: &str| {
        format!(
            "{HEAP} struct r {{ short s; struct r *nx; }};
             int main(void) {{ struct r *first = malloc(sizeof *first), *last = first; if (!first) return 0;
               int n = 1; first->nx = 0; first->s = 0;
               while (__VERIFIER_nondet_int()) {{ struct r *x = malloc(sizeof *x); if (!x) return 0;
                 x->nx = 0; last->nx = x; last = x; n++; }}
               while (first) {{ struct r *t = first->nx; free(first); first = t; {freed} }}
               assert(n == 0); return 0; }}"
        )
    };
    expect(&text("n--;"), true);
    expect_none(&text("if (t) n--;"));
}

/// Nodes of one value, then of another, then one of a third.
#[test]
fn segments_of_a_list_come_in_order() {
    let text = |ty: &str, [first, second, last]: [i32; 3], changed: &str, skipped: i32| {
        format!(
            "{HEAP} struct e {{ {ty} k; struct e *to; }};
             int main(void) {{ struct e *a = malloc(sizeof *a), *p, *t; if (!a) return 0; p = a;
               while (__VERIFIER_nondet_int()) {{ p->k = {first}; t = malloc(sizeof *t); if (!t) return 0; p->to = t; p = t; }}
               while (__VERIFIER_nondet_int()) {{ p->k = {second}; t = malloc(sizeof *t); if (!t) return 0; p->to = t; p = t; }}
               p->k = {last}; {changed} p = a;
               while (p->k == {first}) p = p->to;
               while (p->k == {skipped}) p = p->to;
               assert(p->k == {last}); return 0; }}"
        )
    };
    expect(&text("int", [1, 2, 3], "", 2), true);
    expect(&text("unsigned char", [7, 40, 0], "", 40), true);
    expect_none(&text("int", [1, 2, 3], "", 1));
    expect_none(&text("unsigned char", [7, 40, 0], "if (a != p) a->to->k = 9;", 40));
}

/// Which value all nodes have is decided by a variable.
#[test]
fn values_of_nodes_depend_on_a_flag() {
    let text = |ty: &str, [yes, no, last]: [i32; 3], changed: &str| {
        format!(
            "{HEAP} struct e {{ {ty} k; struct e *to; }};
             int main(void) {{ int flag = __VERIFIER_nondet_int(); struct e *a = malloc(sizeof *a), *p, *t; if (!a) return 0; p = a;
               while (__VERIFIER_nondet_int()) {{ if (flag) p->k = {yes}; else p->k = {no}; {changed}
                 t = malloc(sizeof *t); if (!t) return 0; p->to = t; p = t; }}
               p->k = {last}; p = a;
               if (flag) while (p->k == {yes}) p = p->to; else while (p->k == {no}) p = p->to;
               assert(p->k == {last}); return 0; }}"
        )
    };
    expect(&text("int", [1, 2, 3], ""), true);
    expect(&text("short", [100, -5, 0], ""), true);
    expect_none(&text("int", [1, 2, 3], "flag = 0;"));
}

/// What holds of the nodes of a list says nothing of those of a tree.
#[test]
fn nodes_of_two_kinds() {
    let text = |changed: &str| {
        format!(
            "{HEAP} struct e {{ int k; struct e *to; }}; struct tree {{ struct tree *l, *r; int w; }};
             int main(void) {{ struct tree *root = 0; struct e *a = 0, *x;
               while (__VERIFIER_nondet_int()) {{ struct tree *n = malloc(sizeof *n); if (!n) return 0;
                 n->l = root; n->r = 0; n->w = 5; root = n; }}
               while (__VERIFIER_nondet_int()) {{ x = malloc(sizeof *x); if (!x) return 0; x->k = 4; x->to = a; a = x; }}
               {changed}
               for (; a; a = a->to) assert(a->k == 4);
               for (; root; root = root->l) assert(root->w == 5);
               return 0; }}"
        )
    };
    expect(&text(""), true);
    expect_none(&text("if (root && root->l) root->l->w = 4;"));
}
