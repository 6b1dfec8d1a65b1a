//! `hardbop check` on records with arrays in them, and indices beside them: an index that stays in its array does not
//! change other members. Each program has a twin in which one can, which is FALSE.

mod common;

use common::Folder;

const DECLARATIONS: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
void *memset(void *s, int c, unsigned long n);
";

#[track_caller]
fn decides(text: &str, verdict: &str) {
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{text}"))]);
    let done = folder.hardbop("check a.c --timeout 60s");
    let last = done.stdout.lines().last().unwrap_or_default();
    assert_eq!(last, format!("VERDICT: {verdict}"), "{text}\n{}{}", done.stdout, done.stderr);
}

/// A ring buffer behind a pointer, with a step that keeps the head in bounds or not.
fn ring(element: &str, size: u32, step: &str) -> String {
    format!(
        "struct ring {{ {element} cells[{size}]; unsigned head, tail, count; }};
static void put(struct ring *r, {element} x) {{
  if (r->count == {size}) return;
  r->cells[r->head] = x; r->head = {step}; r->count++;
}}
static void get(struct ring *r, {element} *x) {{
  if (r->count == 0) return;
  *x = r->cells[r->tail]; r->tail = (r->tail + 1) % {size}; r->count--;
}}
int main(void) {{
  struct ring r; {element} x = 0;
  memset(&r, 0, sizeof r);
  while (__VERIFIER_nondet_int()) {{
    if (__VERIFIER_nondet_int()) put(&r, ({element})__VERIFIER_nondet_uint()); else get(&r, &x);
    if (r.count > {size}) reach_error();
  }}
  return 0;
}}"
    )
}

#[test]
fn rings_behind_pointers() {
    decides(&ring("unsigned char", 16, "(r->head + 1) % 16"), "TRUE");
    decides(&ring("short", 10, "r->head == 9 ? 0 : r->head + 1"), "TRUE");
    decides(&ring("unsigned", 8, "(r->head + 1) & 7"), "TRUE");
    decides(&ring("unsigned", 4, "(r->head + 1) % 8"), "FALSE");
}

/// A member before or behind an array that a loop fills.
fn filled(length: u32) -> String {
    format!(
        "struct log {{ int before; int lines[12]; int behind; }} log;
int main(void) {{
  log.behind = 5;
  log.before = 6;
  for (int i = 0; i < {length}; i++) log.lines[i] = __VERIFIER_nondet_int();
  if (log.behind != 5 || log.before != 6) reach_error();
  return 0;
}}"
    )
}

#[test]
fn loops_over_member_arrays() {
    decides(&filled(12), "TRUE");
    decides(&filled(13), "FALSE");
}

/// A table of records with arrays in them, at an index of some type.
fn table(index: &str) -> String {
    format!(
        "struct entry {{ unsigned char used; unsigned char name[8]; unsigned char refs; }} table[6];
int main(void) {{
  for (;;) {{
    unsigned i = __VERIFIER_nondet_uint() % 6, j = {index};
    table[i].refs = 1;
    table[i].name[j] = __VERIFIER_nondet_uchar();
    if (table[i].refs != 1) reach_error();
  }}
}}"
    )
}

#[test]
fn arrays_in_records_of_a_table() {
    decides(&table("__VERIFIER_nondet_uint() & 7"), "TRUE");
    decides(&table("__VERIFIER_nondet_uchar() >> 5"), "TRUE");
    decides(&table("__VERIFIER_nondet_uint() % 9"), "FALSE");
}

/// The program's own condition is the predicate that is missing.
fn guarded(mask: u32, set: u32) -> String {
    format!(
        "static unsigned port, shadow, direction;
static void hw(unsigned v) {{ port = v; }}
static void wr(void) {{ if (!(direction & {mask})) return; shadow |= {mask}; hw(shadow); }}
int main(void) {{
  while (__VERIFIER_nondet_int()) {{
    if (__VERIFIER_nondet_int()) direction |= {set};
    wr();
    if (direction & {mask} ? port != shadow : shadow != 0) reach_error();
  }}
  return 0;
}}"
    )
}

#[test]
fn conditions_of_the_program_are_predicates() {
    decides(&guarded(4, 4), "TRUE");
    decides(&guarded(32, 33), "TRUE");
}
