//! Small C programs of a few families, some of which can reach an error.

use hardbop_ir::testing::Random;

const PRELUDE: &str = "extern int nondet(void); extern void reach_error(void);\n";

/// A number of a small range.
fn number(random: &mut Random, range: std::ops::Range<u64>) -> u64 {
    range.start + random.bits() % (range.end - range.start)
}

/// The program of a seed. About one in three has an error that runs reach.
pub fn program(random: &mut Random) -> String {
    let families = [lock, counter, clamp, recursion, bounded, machine, guess, pointer, pair];
    let body = families[number(random, 0..families.len() as u64) as usize](random);
    format!("{PRELUDE}{body}")
}

/// Now and then something that makes a program wrong.
fn fault<'a>(random: &mut Random, good: &'a str, bad: &'a str) -> &'a str {
    if number(random, 0..4) == 0 { bad } else { good }
}

fn lock(random: &mut Random) -> String {
    let again = fault(random, "if (x) release();", "if (x > 3) release();");
    let last = fault(random, "release();", "acquire();");
    format!(
        "int held;
void acquire(void) {{ if (held) reach_error(); held = 1; }}
void release(void) {{ if (!held) reach_error(); held = 0; }}
int main(void) {{ int x; do {{ acquire(); x = nondet(); {again} }} while (x); {last} return 0; }}"
    )
}

fn counter(random: &mut Random) -> String {
    let (step, start) = (number(random, 1..4), number(random, 0..5));
    let wrong = fault(random, "i < n", "i > n + 2");
    format!(
        "int main(void) {{ int i = {start}, n = nondet(), seen = 0;
if (n < {start} || n > 1000) return 0;
while (i < n) {{ if (!({wrong}) && i >= n) reach_error(); i += {step}; seen = 1; }}
if (i < n) reach_error(); if (seen && i == {start}) reach_error(); return 0; }}"
    )
}

fn clamp(random: &mut Random) -> String {
    let (low, high) = (number(random, 0..10), number(random, 20..40));
    let checked = fault(random, "<", "<=");
    let bound = if checked == "<" { low } else { high };
    let test = if checked == "<" { format!("r < {bound}") } else { format!("r >= {bound} && x == {bound}") };
    format!(
        "int clamp(int x) {{ if (x < {low}) return {low}; if (x > {high}) return {high}; return x; }}
int main(void) {{ int x = nondet(), r, k = 0; while (nondet()) {{ r = clamp(x); if ({test}) reach_error(); k++; }} return 0; }}"
    )
}

fn recursion(random: &mut Random) -> String {
    let base = number(random, 0..3);
    let add = fault(random, "+ 1", "+ 2");
    format!(
        "int depth(int n) {{ if (n <= 0) return {base}; return depth(n - 1) {add}; }}
int main(void) {{ int n = nondet(); if (n < 0 || n > 5) return 0; if (depth(n) < {base}) reach_error();
if (depth(0) != {base}) reach_error(); if (n == 3 && depth(3) != {base} + 3) reach_error(); return 0; }}"
    )
}

fn bounded(random: &mut Random) -> String {
    let count = number(random, 2..6);
    let sum: u64 = (0..count).sum();
    let claim = fault(random, "!=", "==");
    format!(
        "int main(void) {{ int s = 0, b = nondet() != 0; for (int k = 0; k < {count}; k++) s += k;
if (s + b {claim} {sum} + b) reach_error(); return 0; }}"
    )
}

fn machine(random: &mut Random) -> String {
    let states = number(random, 3..6);
    let mut text = String::from("int main(void) { int s = 0, flag = 0; while (1) { int c = nondet();\n");
    for state in 0..states {
        let next = (state + 1) % states;
        let act = if state == 1 { "flag = 1;" } else { "" };
        let check = if state == 2 { "if (!flag) reach_error();" } else { "" };
        text += &format!("if (s == {state}) {{ {check} if (c) {{ s = {next}; {act} }} continue; }}\n");
    }
    let skip = fault(random, "reach_error();", "s = 2;");
    text + &format!("{skip} }} return 0; }}")
}

fn guess(random: &mut Random) -> String {
    let (a, b) = (number(random, 5..500), number(random, 1..9));
    let last = fault(random, "y > x", "y > x && y < x");
    format!(
        "int main(void) {{ int x = nondet(), y = nondet(), z = 0;
if (x == {a} && {last}) {{ while (z < {b}) z++; if (z == {b}) reach_error(); }} return 0; }}"
    )
}

fn pointer(random: &mut Random) -> String {
    let value = number(random, 1..20);
    let other = fault(random, "b = 1;", "*p = 0;");
    format!(
        "int a, b; void set(int *p, int v) {{ *p = v; }}
int main(void) {{ int *p = &a; set(p, {value}); while (nondet()) {{ {other} }}
if (a != {value}) reach_error(); return 0; }}"
    )
}

fn pair(random: &mut Random) -> String {
    let step = number(random, 1..5);
    let other = fault(random, "y += ", "y -= ");
    format!(
        "int main(void) {{ int x = 0, y = 0; while (nondet()) {{ x += {step}; {other}{step}; if (x > 1000) break; }}
if (x != y) reach_error(); return 0; }}"
    )
}
