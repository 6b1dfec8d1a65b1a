//! The tests, and the C programs that are run.

use super::*;

const PROGRAMS: [&str; 4] = [
    // Pointers, records and calls.
    "struct node { int value; struct node *next; };
     struct node a, b;
     int limit;
     int nondet(void);
     void set(struct node *n, int v) { n->value = v; if (v > limit) limit = v; }
     int sum(struct node *n) { int s = 0; while (n) { s += n->value; n = n->next; } return s; }
     extern int __VERIFIER_nondet_int(void);
     int main(void) {
         int x = __VERIFIER_nondet_int();
         a.next = &b;
         b.next = 0;
         set(&a, x);
         set(a.next, 7);
         int *p = &a.value;
         if (x > 3) p = &b.value;
         *p = 1;
         if (sum(&a) == 8 && limit < 5) { __VERIFIER_error(); }
         return 0;
     }
     void __VERIFIER_error(void);",
    // Recursion, arrays, globals that callees change.
    "int g, data[4];
     extern int __VERIFIER_nondet_int(void);
     extern void __VERIFIER_error(void);
     int down(int n) { int keep = n; if (n <= 0) { g = 1; return 0; } g++; int r = down(n - 1); return r + keep; }
     void fill(int from) { for (int i = from; i < 4; i++) data[i] = i * g; }
     int main(void) {
         int n = __VERIFIER_nondet_int() & 3;
         int r = down(n);
         fill(n);
         int i = r & 3;
         data[i]++;
         if (data[i] > r || g != 1) __VERIFIER_error();
         return data[0];
     }",
    // Function pointers, records by value, unions.
    "struct pair { short a; int b : 5; unsigned c : 3; };
     union word { int n; unsigned char bytes[4]; };
     extern int __VERIFIER_nondet_int(void);
     static int calls;
     struct pair swap(struct pair p) { struct pair q = {p.b, p.a, 1}; calls++; return q; }
     int inc(int x) { calls++; return x + 1; }
     int twice(int x) { calls += 2; return 2 * x; }
     int main(void) {
         int (*f)(int) = __VERIFIER_nondet_int() > 0 ? inc : twice;
         struct pair p = {f(3), 2, 3};
         p = swap(p);
         union word w;
         w.n = p.a;
         w.bytes[1] = f(p.b);
         for (int i = 0; i < 2; i++) { w.n = f(w.n); p = swap(p); }
         return w.n + p.c + calls;
     }",
    // The heap, external procedures.
    "typedef unsigned long size_t;
     void *malloc(size_t);
     void free(void *);
     extern void change(int *);
     extern int __VERIFIER_nondet_int(void);
     struct list { int value; struct list *next; } *head;
     int count;
     void push(int v) {
         struct list *n = malloc(sizeof *n);
         if (!n) return;
         n->value = v;
         n->next = head;
         head = n;
         count++;
     }
     int pop(void) { struct list *n = head; if (!n) return -1; int v = n->value; head = n->next; free(n); count--; return v; }
     int main(void) {
         int x = __VERIFIER_nondet_int();
         push(x);
         push(x + 1);
         int y = pop();
         change(&y);
         if (y == x) push(3);
         while (head) y = pop();
         return y;
     }",
];

fn expect_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_run_is_a_run_of_the_abstraction() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for round in 0..rounds() {
        for (n, text) in PROGRAMS.iter().enumerate() {
            for variant in 0..4 {
                let model = if variant % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
                let program = lowered(text, model).expect("a program");
                let seed = round * 100 + variant;
                let options = options(round + variant * 5 + n as u64);
                wrong.extend(check(&format!("program {n}"), program, seed, (options, 9), &mut tally).err());
            }
        }
    }
    expect_none(&wrong);
    assert!(tally.segments > 2_000 && tally.failures > 10, "{tally:?}");
}

#[test]
fn every_run_of_a_random_program_is_one_of_its_abstraction() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in 0..24 * rounds() {
        let text = hardbop_testkit::program::random(seed, 6, 0).text;
        let program = lowered(&text, DataModel::Lp64).expect("a program");
        let name = format!("random {seed}");
        wrong.extend(check(&name, program, seed, (options(seed), 9), &mut tally).err());
    }
    expect_none(&wrong);
    assert!(tally.segments > 10_000 && tally.failures > 20 && tally.excluded > 20, "{tally:?}");
}

/// Programs of all types, expressions, statements and names, that make no sense. Few of their runs get far.
#[test]
fn every_run_of_senseless_code_is_one_of_its_abstraction() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in 0..5 * rounds() {
        let size = Size { depth: 1 + (seed % 3) as usize, ..Size::default() };
        let program = random_program(seed, size);
        let limits = Limits { work: Some(200), ..Limits::default() };
        let options = AbstractionOptions { cube_limit: Some(1), limits, ..options(seed) };
        wrong.extend(check(&format!("senseless {seed}"), program, seed, (options, 3), &mut tally).err());
    }
    expect_none(&wrong);
    assert!(tally.segments > 10, "{tally:?}");
}

/// The globals are not what they were at first when the program's entry is called once more.
#[test]
fn an_entry_that_is_called_again() {
    let text = "extern void __VERIFIER_error(void);
         static int g, h = 2;
         int main(void) { if (g) { if (h == 3) __VERIFIER_error(); return 1; } g = 1; h++; return main(); }";
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for number in 0..16 {
        let mut program = lowered(text, DataModel::Lp64).expect("a program");
        program.entry = program.procedures.iter().find(|(_, p)| p.name == "main").map(|(id, _)| id);
        wrong.extend(check("recursive entry", program, number, (options(number), 9), &mut tally).err());
    }
    expect_none(&wrong);
    assert_eq!(tally.failures, tally.runs);
}

/// Mathematical integers and references.
#[test]
fn every_run_of_an_x_program_is_one_of_its_abstraction() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in 2..10 * rounds() {
        let tree = hardbop_teach::testing::random_program(seed, Default::default());
        let program = hardbop_teach::lower(&tree, &Sources::new(), &hardbop_teach::TeachOptions::default());
        let program = program.unwrap_or_else(|_| panic!("X program {seed}"));
        // z3 has the answers at hand, and gives up late.
        let options = AbstractionOptions { cube_limit: Some(2), limits: Limits::default(), ..options(seed) };
        wrong.extend(check(&format!("X {seed}"), program, seed, (options, 4), &mut tally).err());
    }
    expect_none(&wrong);
    assert!(tally.segments > 200, "{tally:?}");
}
