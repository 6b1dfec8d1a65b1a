//! Objects that come and go: heap, lists, trees, variable arrays, locals of activations, recursion.

use crate::random::case::{Case, HEADER, Writer};

/// Lists and trees on the heap, arrays that grow, memory that is zeroed.
pub fn heap(mut w: Writer) -> Case {
    let mut text = HEADER.to_owned();
    w.line("struct node { int value; struct node *next, *other; };");
    w.line("static struct node *head;");
    w.line("static int push(int v) {");
    w.line("struct node *n = malloc(sizeof *n);");
    w.line("if (!n) exit(0);");
    w.line("n->value = v;");
    w.line("n->next = head;");
    w.line("n->other = head ? head->next : 0;");
    w.line("head = n;");
    w.line("return v;");
    w.line("}");
    w.line("static struct node *insert(struct node *t, int v) {");
    w.line("if (!t) {");
    w.line("t = calloc(1, sizeof *t);");
    w.line("if (!t) exit(0);");
    w.line("t->value = v;");
    w.line("} else if (v < t->value) t->next = insert(t->next, v);");
    w.line("else t->other = insert(t->other, v);");
    w.line("return t;");
    w.line("}");
    w.line("static int depth(struct node *t) {");
    w.line("if (!t) return 0;");
    w.line("int a = depth(t->next), b = depth(t->other);");
    w.line("return 1 + (a > b ? a : b);");
    w.line("}");
    w.main(&["x", "y"]);
    w.line("int sum = 0, n = 0;");
    match w.below(3) {
        0 => list(&mut w),
        1 => tree(&mut w),
        _ => grow(&mut w),
    }
    w.check("sum");
    w.check("n");
    w.end();
    text += &w.take();
    Case { kind: "heap", files: vec![text], inputs: 2, range: w.range, layout: false }
}

fn list(w: &mut Writer) {
    let count = 1 + w.below(3);
    let value = w.value(&["i", "x", "y"]);
    w.line(format!("for (int i = 0; i < x + {count}; i++)"));
    w.line(format!("  push({value});"));
    if w.one_in(2) {
        w.line("struct node *r = 0;");
        w.line("while (head) {");
        w.line("struct node *t = head->next;");
        w.line("head->next = r;");
        w.line("r = head;");
        w.line("head = t;");
        w.line("}");
        w.line("head = r;");
    }
    if w.one_in(2) {
        w.line("if (head->next && y > 0) {");
        w.line("struct node *t = head->next;");
        w.line("head->next = t->next;");
        w.line("free(t);");
        w.line("push(y);");
        w.line("}");
    }
    if w.one_in(2) {
        w.line("for (struct node **p = &head; *p; p = &(*p)->next)");
        w.line("  if ((*p)->value == y) { *p = (*p)->next; break; }");
    }
    w.line("for (struct node *p = head; p; p = p->next) {");
    w.line("n++;");
    let op = w.pick(&["sum += p->value", "sum = sum * 3 + p->value", "sum ^= p->value + n"]);
    w.line(format!("{op};"));
    w.line("}");
    w.check("head ? head->value : -1");
}

fn tree(w: &mut Writer) {
    w.line("struct node *root = 0;");
    for _ in 0..2 + w.below(3) {
        let value = w.value(&["x", "y"]);
        w.line(format!("root = insert(root, {value});"));
    }
    w.line("n = depth(root);");
    w.line("for (struct node *t = root; t; t = y & 1 ? t->next : t->other)");
    w.line("  sum = sum * 7 + t->value;");
    w.check("root->value");
}

fn grow(w: &mut Writer) {
    let zeroed = w.one_in(2);
    let first = if zeroed { "calloc(x + 1, sizeof(int))" } else { "malloc((x + 1) * sizeof(int))" };
    w.line(format!("int *v = {first}, *old;"));
    w.line("if (!v) return 0;");
    if !zeroed {
        w.line("for (int i = 0; i <= x; i++) v[i] = i + y;");
    }
    w.line("v[x] = 5;");
    for _ in 0..1 + w.below(3) {
        let more = 2 + w.below(9);
        w.line("old = v;");
        w.line(format!("v = realloc(v, (x + {more}) * sizeof(int));"));
        w.line("if (!v) return 0;");
        w.line("v[0] += x;");
        w.line("v[x] ^= y;");
    }
    if w.one_in(2) {
        let huge = w.pick(&["(size_t)-1", "(size_t)-1 - x", "((size_t)-1 >> 1) + y"]);
        w.line(format!("char *p = malloc({huge});"));
        w.line("if (!p) n = 3;");
    }
    w.line("for (int i = 0; i <= x; i++) sum = sum * 5 + v[i];");
    w.check("v[x]");
}

/// Where objects lie that do not live at the same time, or at several depths of the stack.
pub fn places(mut w: Writer) -> Case {
    let mut text = HEADER.to_owned();
    w.line("static unsigned long seen[8];");
    w.line("static int count;");
    w.line("static void note(void *p) { if (count < 8) seen[count++] = (unsigned long)p; }");
    w.line("static int first(int n) { int here = n; note(&here); return here; }");
    w.line("static int second(int n) { int there = n * 2; note(&there); return there + first(n); }");
    w.line("static int deep(int n) { int v[2] = { n, n }; note(v); return n > 0 ? deep(n - 1) + v[1] : 0; }");
    w.line("static void blocks(int n) {");
    w.line("{ int a = n; note(&a); }");
    w.line("{ int b = n + 1; note(&b); }");
    w.line("}");
    w.main(&["x", "y"]);
    w.line("int n = 0;");
    for _ in 0..2 + w.below(3) {
        match w.below(8) {
            0 => w.line("n += first(x);"),
            1 => w.line("n += second(y);"),
            2 => w.line("n += deep(x);"),
            3 => w.line("blocks(y);"),
            4 => {
                let p = w.name("p");
                w.line(format!("void *{p} = malloc(x + 8);"));
                w.line(format!("if ({p}) {{ note({p}); free({p}); }}"));
                w.line(format!("{p} = malloc(x + 8);"));
                w.line(format!("note({p});"));
            }
            5 => {
                w.line("for (int i = 0; i < x + 1; i++) {");
                w.line("char v[y + 4];");
                w.line("v[i & 3] = i;");
                w.line("note(v);");
                w.line("n += v[i & 3];");
                w.line("}");
            }
            6 => {
                w.line("for (int i = 0; i < 2; i++) {");
                w.line("char *v = __builtin_alloca(x + 16);");
                w.line("v[x] = y;");
                w.line("note(v);");
                w.line("n += v[x];");
                w.line("}");
            }
            _ => {
                let q = w.name("q");
                w.line(format!("char *{q} = malloc(16);"));
                w.line(format!("if ({q}) {{ note({q}); {q} = realloc({q}, y + 1); note({q}); }}"));
            }
        }
    }
    let (a, b) = (w.below(4), w.below(4));
    w.check(format!("seen[{a}] == seen[{b}]"));
    w.check(format!("seen[{a}] < seen[{b}]"));
    w.check(format!("(seen[{a}] - seen[{b}]) & 7"));
    w.check(format!("(seen[{a}] == seen[{b}]) * 16 + (n & 15)"));
    w.check("n");
    w.end();
    text += &w.take();
    Case { kind: "places", files: vec![text], inputs: 2, range: w.range, layout: true }
}

/// Recursion: results, globals, and pointers to locals of activations that wait.
pub fn recursion(mut w: Writer) -> Case {
    let mut text = HEADER.to_owned();
    let (a, b, c) = (1 + w.below(3), w.below(10), 1 + w.below(2));
    w.line("static int calls, deepest;");
    w.line("static int odd(int n);");
    w.line("static int even(int n) { calls++; return n == 0 ? 1 : odd(n - 1); }");
    w.line("static int odd(int n) { return n == 0 ? 0 : even(n - 1); }");
    w.line("static int fold(int n, int acc) {");
    w.line("if (n > deepest) deepest = n;");
    w.line(format!("if (n <= 0) return acc + {b};"));
    w.line(format!("return fold(n - {c}, acc * {a} + n) + calls;"));
    w.line("}");
    w.line("static void up(int n, int *out, int *before) {");
    w.line("int here = *before + n;");
    w.line("if (n == 0) { *out = here; return; }");
    w.line("up(n - 1, out, &here);");
    w.line("*out += here;");
    w.line("if (before != out) *before += 1;");
    w.line("}");
    w.line("static int count(int n) { return n < 2 ? n : count(n - 1) + count(n - 2); }");
    w.main(&["x", "y"]);
    w.line("int out = 0, start = y, r = 0;");
    for _ in 0..1 + w.below(4) {
        match w.below(6) {
            0 => w.line("r += even(x + y);"),
            1 => w.line("r = fold(x, r);"),
            2 => w.line("up(x, &out, &start);"),
            3 => w.line("r = r * 2 + count(y + 1);"),
            4 => w.line("up(y, &out, &out);"),
            _ => w.line("r ^= odd(x);"),
        }
    }
    for what in ["r", "out + start", "calls * 8 + deepest", "start"] {
        w.check(what);
    }
    w.end();
    text += &w.take();
    Case { kind: "recursion", files: vec![text], inputs: 2, range: w.range, layout: false }
}
