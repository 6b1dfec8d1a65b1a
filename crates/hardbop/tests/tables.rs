//! `hardbop check` on programs that look something up in constant tables, or reach one of several arrays through a
//! pointer. Each has a twin with one wrong entry or one step less, which is FALSE.

mod common;

use common::Folder;

const DECLARATIONS: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
";

fn last_line(text: &str, options: &str) -> (String, String) {
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{text}"))]);
    let done = folder.hardbop(&format!("check a.c {options}"));
    (done.stdout.lines().last().unwrap_or_default().to_owned(), done.stdout)
}

#[track_caller]
fn decides(text: &str, verdict: &str) {
    let (last, all) = last_line(text, "");
    assert_eq!(last, format!("VERDICT: {verdict}"), "{text}\n{all}");
}

/// Entries of a table, of which one may be wrong.
fn entries(count: usize, wrong: Option<usize>, entry: impl Fn(usize) -> usize) -> String {
    let entries = (0..count).map(|i| entry(i) + usize::from(wrong == Some(i)));
    entries.map(|entry| entry.to_string()).collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn decides_with_and_without_error(program: impl Fn(Option<usize>) -> String, wrong: usize) {
    decides(&program(None), "TRUE");
    decides(&program(Some(wrong)), "FALSE");
}

#[test]
fn an_index_bounded_by_a_remainder() {
    let program = |wrong| {
        format!(
            "static const short t[100] = {{{}}};
             int main(void) {{ unsigned k = __VERIFIER_nondet_uint() % 100;
             if (t[k] != (short)(3 * k + 1)) reach_error(); return 0; }}",
            entries(100, wrong, |i| 3 * i + 1)
        )
    };
    decides_with_and_without_error(program, 77);
}

#[test]
fn a_table_for_each_byte() {
    let shifted = |crc: usize| ((2 * crc) & 255) ^ if crc & 128 == 0 { 0 } else { 7 };
    let crc = |byte: usize| (0..8).fold(byte, |crc, _| shifted(crc));
    let program = |wrong| {
        format!(
            "static const unsigned char t[256] = {{{}}};
             int main(void) {{ unsigned char m = __VERIFIER_nondet_uint(), a = m;
             for (int i = 0; i < 8; i++) a = (a & 0x80) ? (a << 1) ^ 7 : a << 1;
             if (t[m] != a) reach_error(); return 0; }}",
            entries(256, wrong, crc)
        )
    };
    decides_with_and_without_error(program, 128);
}

#[test]
fn records_and_a_table_in_a_record() {
    let program = |wrong| {
        format!(
            "struct codec {{ int id; unsigned short map[90]; int n; }};
             static struct codec c = {{ 4, {{{}}}, 90 }};
             int main(void) {{ int k = __VERIFIER_nondet_int(); if (k < 0 || k >= c.n) return 0;
             if (c.map[k] != 5 * k || c.id != 4) reach_error(); return 0; }}",
            entries(90, wrong, |i| 5 * i)
        )
    };
    decides_with_and_without_error(program, 89);
    let rows = |wrong: Option<usize>| {
        let rows =
            (0..70).map(|i| format!("{{1, {}, {}}}", 4 * i, 4 * i + 3 + usize::from(wrong == Some(i))));
        format!(
            "struct row {{ char tag; int low; int high; }};
             static const struct row rows[70] = {{{}}};
             int main(void) {{ unsigned k = __VERIFIER_nondet_uint(); if (k >= 70) return 0;
             if (rows[k].high - rows[k].low != 3 || rows[k].tag != 1) reach_error(); return 0; }}",
            rows.collect::<Vec<_>>().join(", ")
        )
    };
    decides_with_and_without_error(rows, 33);
}

#[test]
fn a_pointer_to_one_of_two_tables() {
    let program = |wrong| {
        format!(
            "static const unsigned char low[16] = {{{}}}, high[16] = {{{}}};
             static unsigned char get(const unsigned char *p, unsigned i) {{ return p[i]; }}
             int main(void) {{ unsigned k = __VERIFIER_nondet_uint() & 31;
             const unsigned char *p = k < 16 ? low : high;
             if (get(p, k & 15) != k / 2) reach_error(); return 0; }}",
            entries(16, None, |i| i / 2),
            entries(16, wrong, |i| 8 + i / 2)
        )
    };
    decides_with_and_without_error(program, 9);
}

#[test]
fn a_pointer_to_one_of_two_matrices() {
    let program = |calls: &str| {
        format!(
            "static int a[3][3]; static int z[3][3];
             static void turn(int (*m)[3]) {{ for (int i = 0; i < 3; i++) for (int j = i + 1; j < 3; j++)
             {{ int t = m[i][j]; m[i][j] = m[j][i]; m[j][i] = t; }} }}
             int main(void) {{ int i, j; for (i = 0; i < 3; i++) for (j = 0; j < 3; j++)
             a[i][j] = z[i][j] = __VERIFIER_nondet_int(); {calls}
             for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) if (a[i][j] != z[j][i]) reach_error(); return 0; }}"
        )
    };
    decides(&program("turn(z); turn(a); turn(a);"), "TRUE");
    decides(&program("turn(z); turn(a);"), "FALSE");
}

#[test]
fn a_table_that_is_too_large_is_named() {
    let program = format!(
        "static const unsigned char huge[66000] = {{{}}};
         int main(void) {{ unsigned k = __VERIFIER_nondet_uint() % 66000; if (huge[k] == 0) reach_error(); return 0; }}",
        entries(66_000, None, |i| 1 + i % 200)
    );
    let (last, all) = last_line(&program, "");
    assert_eq!(last, "VERDICT: UNKNOWN", "{all}");
    assert!(all.contains("more initial values than are followed: `huge`"), "{all}");
}
