//! What holds of all elements of arrays: each program with a twin that has an error, which must have no proof.

mod common;

use common::expect;

/// Inputs that fill an array, up to a bound that is an input, too.
fn filled(ty: &str, length: u32) -> String {
    format!(
        "static {ty} a[{length}], b[{length}];
         static int fill(void) {{ int i, n = __VERIFIER_nondet_int(); if (n < 1 || n > {length}) return 0;
           for (i = 0; i < n; i++) a[i] = ({ty})__VERIFIER_nondet_int();
           return n; }}\n"
    )
}

#[test]
fn what_a_loop_writes_another_one_reads() {
    for (ty, length, value) in [("int", 1000, 7), ("unsigned char", 300, 255), ("long long", 20, -1)] {
        let text = |from: &str| {
            format!(
                "{} int main(void) {{ int i, n = fill();
                   for (i = 0; i < n; i++) b[i] = {value};
                   for (i = {from}; i < n; i++) assert(b[i] == {value});
                   return 0; }}",
                filled(ty, length)
            )
        };
        expect(&text("0"), true);
    }
    let wrong =
        "static int b[4]; int main(void) { int i, n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0;
        for (i = 0; i < n; i++) b[i] = 7;
        for (i = 0; i <= n; i++) assert(b[i] == 7);
        return 0; }";
    expect(wrong, false);
}

#[test]
fn copies_are_equal() {
    let text = |length: u32, index: &str| {
        format!(
            "{} int main(void) {{ int i, n = fill();
               for (i = 0; i < n; i++) b[i] = a[i];
               for (i = 0; i < n; i++) assert(b[i] == a[{index}]);
               return 0; }}",
            filled("short", length)
        )
    };
    expect(&text(500, "i"), true);
    expect(&text(2, "n - 1 - i"), false);
}

/// Through a pointer that is passed, with the place of the largest element instead of its value.
#[test]
fn no_element_is_above_the_largest() {
    let text = |length: u32, first: u32| {
        format!(
            "{} static int largest(const int *v, int n) {{ int best = 0, i;
               for (i = {first}; i < n; i++) if (v[i] > v[best]) best = i;
               return best; }}
             int main(void) {{ int n = fill(), k = __VERIFIER_nondet_int(), m;
               if (!n) return 0;
               m = largest(a, n);
               if (k >= 0 && k < n) assert(a[k] <= a[m]);
               return 0; }}",
            filled("int", length)
        )
    };
    expect(&text(1000, 1), true);
    expect(&text(3, 2), false);
}

/// Members of records keep one of the values that are written to them.
#[test]
fn members_of_a_table_have_few_values() {
    let text = |other: u32| {
        format!(
            "struct slot {{ char used; short kind; int value; }}; static struct slot t[16];
             int main(void) {{ unsigned i; for (i = 0; i < 16; i++) t[i].kind = 3;
               while (__VERIFIER_nondet_int()) {{ unsigned k = (unsigned)__VERIFIER_nondet_int() % 16;
                 if (__VERIFIER_nondet_int()) t[k].kind = 5;
                 else if (__VERIFIER_nondet_int()) t[k].value = {other};
                 else assert(t[k].kind == 3 || t[k].kind == 5); }}
               return 0; }}"
        )
    };
    expect(&text(9), true);
    expect(&text(9).replace("t[k].value = 9", "t[k].kind = 4"), false);
}

/// Bounds that variables hold, and two dimensions.
#[test]
fn rows_and_columns_are_written_one_after_the_other() {
    // More rounds than are executed one after the other.
    let text = |rows: &str, columns: &str, last: &str| {
        format!(
            "int main(void) {{ int i, j, m = {rows}, n = {columns}; static int t[70][90]; int c = __VERIFIER_nondet_int();
               if (m < 0 || m > 70 || n < 0 || n > 90) return 0;
               for (i = 0; i < m; i++) for (j = 0; j < {last}; j++) t[i][j] = c;
               for (i = 0; i < m; i++) for (j = 0; j < n; j++) assert(t[i][j] == c);
               return 0; }}"
        )
    };
    expect(&text("70", "90", "n"), true);
    expect(&text("1 + !__VERIFIER_nondet_int()", "1 + !__VERIFIER_nondet_int()", "n - 1"), false);
}

/// What is known where the flag is not set.
#[test]
fn a_flag_tells_of_all_elements() {
    let text = |bound: &str| {
        format!(
            "{} int main(void) {{ int i, flag = 0, n = fill();
               for (i = 0; i < {bound}; i++) if (a[i] != 0) flag = 1;
               for (i = 0; i < n; i++) if (flag == 0) assert(a[i] == 0);
               return 0; }}",
            filled("int", if bound == "n" { 400 } else { 2 })
        )
    };
    expect(&text("n"), true);
    expect(&text("n - 1"), false);
}

/// A counter and the slots that it counts, which are found by a search.
#[test]
fn slots_that_are_taken_are_counted() {
    let text = |size: u32, give: &str| {
        format!(
            "struct timer {{ int armed; unsigned left; }}; static struct timer t[{size}]; static int count;
             static void start(int k) {{ if (t[k].armed == 0) {{ t[k].armed = 1; count++; }} t[k].left = 5; }}
             static void stop(int k) {{ if (t[k].armed == 1) {{ t[k].armed = 0; {give} }} }}
             int main(void) {{
               while (__VERIFIER_nondet_int()) {{ int k = __VERIFIER_nondet_int(), i, n = 0;
                 if (k < 0 || k >= {size}) continue;
                 if (__VERIFIER_nondet_int()) start(k); else stop(k);
                 for (i = 0; i < {size}; i++) n += t[i].armed == 1;
                 assert(n == count); }}
               return 0; }}"
        )
    };
    expect(&text(4, "count--;"), true);
    expect(&text(7, "count--;"), true);
    expect(&text(2, ""), false);
}

/// A loop that steps over elements tells nothing of those.
#[test]
fn elements_between_steps_are_left_alone() {
    let text = |length: u32, step: u32, checked: u32| {
        format!(
            "static int a[{length}], b[{length}];
             int main(void) {{ int i, n = __VERIFIER_nondet_int(); if (n < 0 || n > {length}) return 0;
               for (i = 0; i < n; i += {step}) {{ a[i] = __VERIFIER_nondet_int(); if (a[i] == 10) b[i] = 20; }}
               for (i = 0; i < n; i += {checked}) if (a[i] == 10) assert(b[i] == 20);
               return 0; }}"
        )
    };
    expect(&text(1000, 2, 2), true);
    expect(&text(999, 3, 3), true);
    let wrong = text(4, 2, 1).replace("static int a[4]", "static int a[4] = { 0, 10 }");
    expect(&wrong, false);
}

/// Sums of elements at places that inputs choose: what is hard for a solver as a whole, and easy for each place.
#[test]
fn sums_of_elements_are_kept() {
    let ledger = |size: u32, given: &str| {
        let sum: Vec<String> = (0..size).map(|i| format!("held[{i}]")).collect();
        format!(
            "static unsigned held[{size}], total;
             static void add(unsigned i, unsigned n) {{ held[i % {size}] += n; total += n; }}
             static int move(unsigned i, unsigned j, unsigned n) {{
               i %= {size}; j %= {size};
               if (held[i] < n) return -1;
               held[i] -= n; held[j] += {given}; return 0; }}
             int main(void) {{
               while (__VERIFIER_nondet_int()) {{
                 unsigned i = (unsigned)__VERIFIER_nondet_int(), n = (unsigned)__VERIFIER_nondet_int();
                 if (__VERIFIER_nondet_int()) add(i, n); else move(i, (unsigned)__VERIFIER_nondet_int(), n);
                 assert({} == total); }}
               return 0; }}",
            sum.join(" + ")
        )
    };
    expect(&ledger(8, "n"), true);
    expect(&ledger(5, "n"), true);
    expect(&ledger(4, "(n & 7)"), false);
}
