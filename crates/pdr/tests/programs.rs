//! Programs as people write them: what is found is accepted by the checker, and programs with an error have no proof.

mod common;

use common::expect;

/// A ring buffer in a record, through pointers: positions and count stay in their range.
fn ring(full: &str) -> String {
    format!(
        "struct ring {{ unsigned char d[8]; unsigned head, tail, count; }}; static struct ring r;
         static int put(struct ring *q, unsigned char v) {{
           if (q->count {full} 8) return -1;
           q->d[q->head] = v; q->head = (q->head + 1) % 8; q->count++; return 0; }}
         static int get(struct ring *q, unsigned char *v) {{
           if (!q->count) return -1;
           *v = q->d[q->tail]; q->tail = (q->tail + 1) % 8; q->count--; return 0; }}
         int main(void) {{ unsigned char v;
           while (__VERIFIER_nondet_int()) {{
             if (__VERIFIER_nondet_int()) put(&r, (unsigned char)__VERIFIER_nondet_int()); else get(&r, &v);
             assert(r.count <= 8 && r.head < 8); }}
           return 0; }}"
    )
}

#[test]
fn a_ring_buffer_keeps_its_count() {
    expect(&ring("=="), true);
    expect(&ring(">="), true);
    expect(&ring(">"), false);
}

/// A table of functions, and one of states.
fn machine(enter: &str) -> String {
    format!(
        "static const int next[3][2] = {{ {{ 1, 0 }}, {{ 1, 2 }}, {{ 1, 0 }} }}; static int motor;
         static void on(void) {{ motor = 1; }} static void off(void) {{ motor = 0; }}
         static void (*const enter[3])(void) = {{ off, on, {enter} }};
         int main(void) {{ int s = 0;
           for (;;) {{ int e = __VERIFIER_nondet_int(); if (e < 0 || e > 1) break;
             int t = next[s][e]; if (t != s) enter[t](); s = t;
             assert(motor == (s == 1)); }}
           return 0; }}"
    )
}

#[test]
fn functions_are_called_through_tables() {
    expect(&machine("off"), true);
    expect(&machine("on"), false);
}

/// A lock in a record, taken by a helper, on one of two devices.
fn lock(release: &str) -> String {
    format!(
        "struct lock {{ int held; }}; struct chan {{ struct lock l; int busy; }};
         static void take(struct lock *l) {{ assert(!l->held); l->held = 1; }}
         static void give(struct lock *l) {{ assert(l->held); l->held = 0; }}
         static int transfer(struct chan *c, int n) {{ int rc = 0; take(&c->l);
           if (c->busy) {{ rc = -1; goto out; }}
           c->busy = 1; give(&c->l);
           for (int i = 0; i < n; i++) if (__VERIFIER_nondet_int()) {{ rc = -5; break; }}
           take(&c->l); c->busy = 0;
         out: {release} return rc; }}
         int main(void) {{ static struct chan a, b;
           while (__VERIFIER_nondet_int()) {{ struct chan *c = __VERIFIER_nondet_int() ? &a : &b;
             transfer(c, __VERIFIER_nondet_int()); assert(!a.l.held && !b.l.held); }}
           return 0; }}"
    )
}

#[test]
fn helpers_take_pointers() {
    expect(&lock("give(&c->l);"), true);
    expect(&lock("if (!rc) give(&c->l);"), false);
}

/// Slots of a small table, found by loops whose rounds are counted.
fn slots(size: u32, limit: u32) -> String {
    format!(
        "static short used[{size}]; static int open;
         static int take(void) {{ for (int i = 0; i < {size}; i++) if (!used[i]) {{ used[i] = 1; open++; return i; }}
           return -1; }}
         static void give(int i) {{ if (i < 0 || i >= {size} || !used[i]) return; used[i] = 0; open--; }}
         int main(void) {{
           while (__VERIFIER_nondet_int()) {{ if (__VERIFIER_nondet_int()) take(); else give(__VERIFIER_nondet_int());
             assert(open <= {limit}); }}
           return 0; }}"
    )
}

#[test]
fn slots_are_counted() {
    expect(&slots(3, 3), true);
    expect(&slots(3, 2), false);
}

#[test]
fn loops_in_callees_belong_to_their_calls() {
    let program = |claim: &str| {
        format!(
            "static int count(int n) {{ int i = 0; while (i < n) i++; return i; }}
             int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0;
               int a = count(n), b = count(5); assert({claim}); return 0; }}"
        )
    };
    expect(&program("a <= 3 && b == 5"), true);
    expect(&program("a != 2"), false);
}

#[test]
fn recursion_is_left_to_others() {
    expect(
        "static int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); }
         int main(void) { assert(f(__VERIFIER_nondet_int()) >= 0); return 0; }",
        false,
    );
}

/// Cells that nothing writes to keep their values at loops; these are written to, from afar.
#[test]
fn what_is_written_somewhere_is_no_constant() {
    let constant = "static short t[4] = { 1, 2, 3, 4 };
        int main(void) { while (__VERIFIER_nondet_int()) assert(t[__VERIFIER_nondet_int() & 3] < 5); return 0; }";
    expect(constant, true);
    for write in ["put((char *)t + 1)", "ext(t)", "*(int *)((unsigned long)t ^ 0) = 77777"] {
        let text = format!(
            "void ext(short *);
             static void put(char *p) {{ *p = 9; }}
             static short t[4] = {{ 1, 2, 3, 4 }};
             int main(void) {{ int n = 0;
               while (__VERIFIER_nondet_int()) {{ if (++n == 2) {write}; assert(t[0] == 1 && t[1] == 2); }}
               return 0; }}"
        );
        expect(&text, false);
    }
}

/// Pins: what is driven is a part of what is an output, and the register is what is remembered.
fn pins(ty: &str, pins: u32, clear: &str) -> String {
    format!(
        "static {ty} shadow, direction, port;
         static void out({ty} v) {{ port = v; }}
         static {ty} in(void) {{ return port; }}
         static void configure(unsigned pin, int output) {{
           if (pin >= {pins}) return;
           if (output) {{ direction |= ({ty})(1u << pin); return; }}
           direction &= ({ty})~(1u << pin);
           {clear} }}
         static void drive(unsigned pin, int value) {{
           if (pin >= {pins} || !(direction & (1u << pin))) return;
           if (value) shadow |= ({ty})(1u << pin); else shadow &= ({ty})~(1u << pin);
           out(shadow); }}
         int main(void) {{
           while (__VERIFIER_nondet_int()) {{
             unsigned pin = (unsigned)__VERIFIER_nondet_int();
             if (__VERIFIER_nondet_int()) configure(pin, __VERIFIER_nondet_int());
             else drive(pin, __VERIFIER_nondet_int());
             assert(in() == shadow);
             assert((shadow & ~direction) == 0); }}
           return 0; }}"
    )
}

#[test]
fn bits_of_one_word_are_bits_of_another() {
    let clear = |ty: &str| format!("shadow &= ({ty})~(1u << pin); out(shadow);");
    expect(&pins("unsigned short", 16, &clear("unsigned short")), true);
    expect(&pins("unsigned", 32, &clear("unsigned")), true);
    expect(&pins("unsigned char", 8, ""), false);
}

#[test]
fn counters_stay_between_their_bounds() {
    let text = |last: &str| {
        format!(
            "int main(void) {{ int n = __VERIFIER_nondet_int(), lim, i, j;
               if (n <= 0 || n >= 2147483647) return 0;
               lim = n;
               for (i = 0; i <= lim; i++) {{ assert(0 <= i); assert(i {last} n + 1);
                 for (j = i; j < lim; j++) assert(j >= 0 && j < n); }}
               return 0; }}"
        )
    };
    expect(&text("<"), true);
    expect(&text("<="), true);
}

/// The end of a text that is set before the loop stops the loop.
#[test]
fn an_element_at_a_fixed_place_keeps_its_value() {
    let text = |end: &str| {
        format!(
            "static char line[13];
             static int length(const char *s) {{ int i = 0; while (s[i]) i++; return i; }}
             int main(void) {{ int i;
               for (i = 0; i < 12; i++) line[i] = (char)__VERIFIER_nondet_int();
               line[{end}] = 0;
               assert(length(line) <= 11);
               return 0; }}"
        )
    };
    expect(&text("11"), true);
    expect(&text("12"), false);
}

/// What several loops count together: nothing that is tested says how the counters are related.
#[test]
fn equations_hold_between_counters() {
    let loops = |put: i32, took: i32| {
        format!(
            "int main(void) {{ unsigned n = (unsigned)__VERIFIER_nondet_int(), m = (unsigned)__VERIFIER_nondet_int();
               unsigned done, rest, left = 0;
               for (done = 0; done < n; done++) left++;
               for (rest = 0; rest < m; rest++) left += {put};
               for (; done > 0; done--) left--;
               for (; rest > 0; rest--) left -= {took};
               assert(left == 0); return 0; }}"
        )
    };
    expect(&loops(2, 2), true);
    expect(&loops(40, 40), true);
    expect(&loops(3, 2), false);
    let logs = |ty: &str, size: i32, removed: i32| {
        format!(
            "struct log {{ {ty} bytes, records; }}; static struct log in, out; static {ty} kept;
             static void put(struct log *l, {ty} n) {{ l->bytes += {size} * n; l->records += n; }}
             int main(void) {{
               while (__VERIFIER_nondet_int()) {{
                 if (__VERIFIER_nondet_int()) {{ put(&in, 1); kept += {size}; }}
                 else if (kept) {{ put(&out, 1); kept -= {removed}; }}
                 assert(in.bytes - out.bytes == kept);
                 assert(in.bytes == {size} * in.records); }}
               return 0; }}"
        )
    };
    expect(&logs("long", 12, 12), true);
    expect(&logs("unsigned", 7, 7), true);
    expect(&logs("long", 12, 11), false);
}

/// Sequence numbers that were seen are bits of a window behind the highest one.
#[test]
fn a_window_follows_the_highest_number() {
    let window = |ty: &str, width: u32, newest: &str| {
        format!(
            "struct window {{ unsigned top; {ty} map; }}; static struct window w;
             static int accept(struct window *w, unsigned n) {{
               if (n == 0) return 0;
               if (n > w->top) {{ unsigned by = n - w->top;
                 w->map = by < {width} ? w->map << by | {newest} : 1; w->top = n; return 1; }}
               unsigned age = w->top - n;
               if (age >= {width} || (w->map >> age & 1)) return 0;
               w->map |= ({ty})1 << age; return 1; }}
             int main(void) {{ unsigned old, max = 0;
               while (__VERIFIER_nondet_int()) {{ unsigned n = (unsigned)__VERIFIER_nondet_int(); old = w.top;
                 int ok = accept(&w, n);
                 assert(w.top >= old);
                 if (ok) assert(w.top >= n && (w.map >> (w.top - n) & 1));
                 if (ok && n > max) max = n;
                 assert(max == w.top);
                 if (w.top) assert(w.map & 1); }}
               return 0; }}"
        )
    };
    expect(&window("unsigned long", 64, "1"), true);
    expect(&window("unsigned", 32, "1"), true);
    expect(&window("unsigned", 32, "0"), false);
}

#[test]
fn elements_that_inputs_choose_keep_their_bound() {
    let levels = |size: u32, test: &str| {
        format!(
            "static unsigned char level[{size}];
             int main(void) {{
               while (__VERIFIER_nondet_int()) {{
                 unsigned i = (unsigned)__VERIFIER_nondet_int() % {size}, j = (unsigned)__VERIFIER_nondet_int() % {size};
                 if (__VERIFIER_nondet_int()) {{ if (level[i] {test} 9) level[i]++; }} else level[i] = level[j];
                 assert(level[j] <= 9); }}
               return 0; }}"
        )
    };
    expect(&levels(5, "<"), true);
    expect(&levels(40, "<"), true);
    expect(&levels(5, "<="), false);
}
