//! `hardbop path` from outside, on C programs. The papers' paths are under `examples/papers`.

mod common;

use common::{Done, Folder};
use expect_test::expect;

const HEADER: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

fn path(program: &str, options: &str) -> Done {
    let folder = Folder::new(&[("a.c", format!("{HEADER}{program}"))]);
    folder.hardbop(&format!("path a.c {options}"))
}

fn last_line(done: &Done) -> &str {
    done.stdout.lines().last().unwrap_or_default()
}

#[test]
fn answers_and_exit_codes() {
    let none = path("int main(void) { return 0; }", "");
    assert_eq!((none.code, last_line(&none), none.stderr.as_str()), (0, "PATH: NONE", ""));
    let impossible = path("int main(void) { int i = 1; if (i != 1) reach_error(); return 0; }", "");
    assert_eq!((impossible.code, last_line(&impossible)), (0, "PATH: INFEASIBLE"));
    let possible = path("int main(void) { if (__VERIFIER_nondet_int() == 77) reach_error(); return 0; }", "");
    assert_eq!((possible.code, last_line(&possible)), (1, "PATH: FEASIBLE"));
    assert!(possible.stdout.contains("inputs: 77\n"), "{}", possible.stdout);
}

#[test]
fn what_is_unsupported_is_said() {
    let program = "extern int fork(void); int main(void) { fork(); reach_error(); return 0; }";
    let done = path(program, "");
    assert_eq!((done.code, last_line(&done)), (2, "PATH: UNKNOWN"));
    assert!(done.stdout.contains("a run may reach something unsupported: "), "{}", done.stdout);
}

/// With the predicates that it proposes, the next path is another one.
#[test]
fn proposals_exclude_the_path() {
    let program = format!("{HEADER}int main(void) {{ int i = 1; if (i != 1) reach_error(); return 0; }}");
    let folder = Folder::new(&[("a.c", program)]);
    let first = folder.hardbop("path a.c").stdout;
    let proposals =
        first.split("predicates from contexts:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    folder.write("a.preds", proposals.unwrap());
    assert_eq!(folder.hardbop("path a.c --predicates a.preds").stdout.lines().last(), Some("PATH: NONE"));
}

#[test]
fn errors_have_their_places() {
    let folder = Folder::new(&[("a.c", "int main(void) { return 0; }"), ("a.preds", "proc main: x == 1;")]);
    let done = folder.hardbop("path a.c --predicates a.preds");
    assert_eq!((done.code, done.stdout.as_str()), (65, ""));
    assert!(done.stderr.starts_with("a.preds:1:12: error: "), "{}", done.stderr);
    assert_eq!(folder.hardbop("path b.c").code, 65);
    assert_eq!(folder.hardbop("path").code, 64);
}

/// Records behind pointers, arrays, and results of calls.
/// Length: one program and the whole output.
#[test]
fn contexts_of_memory_and_calls() {
    let program = "struct pair { int x, y; };
int limit = 3;
int table[4];
void set(struct pair *p, int v) { p->x = v; p->y = v + 1; }
int add(int a, int b) { return a + b; }
int main(void) {
  struct pair s;
  int i = __VERIFIER_nondet_int();
  set(&s, i);
  if (i >= 0 && i < 4) {
    table[i] = limit;
    int r = add(table[i], s.y);
    if (r != limit + i + 1) reach_error();
  }
  return 0;
}";
    let done = path(program, "");
    assert_eq!(done.code, 0, "{}", done.stderr);
    expect![[r#"
        a.c:9:11: main: havoc $1 from nondet __VERIFIER_nondet_int
        a.c:9:7: main: i := $1
            Ω  $1 = θ$1, i = θ$1
        a.c:10:11: main: $2 := i
            Ω  $2 = θ$1
        a.c:10:7: main: $3 := &s
            Ω  $3 = &s
        a.c:10:3: main: call set($3, $2)
            Ω  p = &s, v = θ$1
          a.c:5:35: set: p->x := v
              Ω  s.x = θ$1
              Φ  &s != 0
          a.c:5:45: set: p->y := (v + 1)
              Ω  s.y = θ$1 + 1
              Φ  &s != 0
        a.c:11:7: main: assume (0 <= i)
            Φ  θ$1 >= 0
        a.c:11:17: main: assume (i < 4)
            Φ  θ$1 < 4
        a.c:12:5: main: table[i] := limit
            Ω  limit = 3, memory.2 = store(constant(0), &table + 4 * (long long)θ$1, 3)
            Π  memory.2 = constant(0)
            Φ  (unsigned long long)(4 * (long long)θ$1) <= 12
        a.c:13:27: main: $4 := s.y
            Ω  $4 = θ$1 + 1
        a.c:13:17: main: $5 := table[i]
            Ω  $5 = 3
            Φ  (unsigned long long)(4 * (long long)θ$1) <= 12
        a.c:13:13: main: $6 := call add($5, $4)
            Ω  a = 3, b = θ$1 + 1
          a.c:6:25: add: $result := (a + b)
              Ω  $result = θ$1 + 4
        a.c:13:13: main: $6 := call add($5, $4) returns
            Ω  $6 = θ$1 + 4
        a.c:13:9: main: r := $6
            Ω  r = θ$1 + 4
        a.c:14:9: main: assume (r != ((limit + i) + 1))
            Φ  false
        a.c:14:29: main: error function reach_error

        what its conditions refer to:
        a.c:9:7: main: i := $1
            Ω  $1 = θ$1, i = θ$1
        a.c:10:11: main: $2 := i
            Ω  $2 = θ$1
        a.c:10:7: main: $3 := &s
            Ω  $3 = &s
        a.c:10:3: main: call set($3, $2)
            Ω  p = &s, v = θ$1
          a.c:5:35: set: p->x := v
              Ω  s.x = θ$1
              Φ  &s != 0
          a.c:5:45: set: p->y := (v + 1)
              Ω  s.y = θ$1 + 1
              Φ  &s != 0
        a.c:11:7: main: assume (0 <= i)
            Φ  θ$1 >= 0
        a.c:11:17: main: assume (i < 4)
            Φ  θ$1 < 4
        a.c:12:5: main: table[i] := limit
            Ω  limit = 3, memory.2 = store(constant(0), &table + 4 * (long long)θ$1, 3)
            Π  memory.2 = constant(0)
            Φ  (unsigned long long)(4 * (long long)θ$1) <= 12
        a.c:13:27: main: $4 := s.y
            Ω  $4 = θ$1 + 1
        a.c:13:17: main: $5 := table[i]
            Ω  $5 = 3
            Φ  (unsigned long long)(4 * (long long)θ$1) <= 12
        a.c:13:13: main: $6 := call add($5, $4)
            Ω  a = 3, b = θ$1 + 1
          a.c:6:25: add: $result := (a + b)
              Ω  $result = θ$1 + 4
        a.c:13:13: main: $6 := call add($5, $4) returns
            Ω  $6 = θ$1 + 4
        a.c:13:9: main: r := $6
            Ω  r = θ$1 + 4
        a.c:14:9: main: assume (r != ((limit + i) + 1))
            Φ  false

        what contradicts itself:
        a.c:10:11: main: $2 := i
            Ω  i = θi, $2 = θi
        a.c:10:3: main: call set($3, $2)
            Ω  $3 = θ$3, p = θ$3, v = θi
          a.c:5:45: set: p->y := (v + 1)
              Ω  s.y = θi + 1
              Φ  θ$3 != 0, &s == θ$3
        a.c:12:5: main: table[i] := limit
            Ω  limit = 3, memory.2 = store(constant(0), &table + 4 * (long long)θi, 3)
            Π  memory.2 = constant(0)
            Φ  (unsigned long long)(4 * (long long)θi) <= 12
        a.c:13:27: main: $4 := s.y
            Ω  $4 = θi + 1
        a.c:13:17: main: $5 := table[i]
            Ω  $5 = 3
            Φ  (unsigned long long)(4 * (long long)θi) <= 12
        a.c:13:13: main: $6 := call add($5, $4)
            Ω  a = 3, b = θi + 1
          a.c:6:25: add: $result := (a + b)
              Ω  $result = θi + 4
        a.c:13:13: main: $6 := call add($5, $4) returns
            Ω  $6 = θi + 4
        a.c:13:9: main: r := $6
            Ω  r = θi + 4
        a.c:14:9: main: assume (r != ((limit + i) + 1))
            Φ  false

        predicates from weakest preconditions:
        proc main:
          r == limit + i + 1,
          $6 == limit + i + 1,
          limit + i + 1 == $5 + $4,
          i + limit == *(int *)((long)&table + i * 4L) + $4 - 1,
          s.y + *(int *)((long)&table + i * 4L) == i + limit + 1,
          i == s.y - 1;
        proc set:
          v == ::"s".y - 1;

        predicates from contexts:
        global:
          limit == 3;
        proc main:
          $3 == NULL,
          i * 4L <= 12UL,
          i == $2,
          i == r - 4,
          i == $4 - 1,
          $5 == 3,
          i == $6 - 4,
          i == s.y - 1,
          *(int *)((long)&table + i * 4L) == 3;
        proc set:
          p == NULL,
          v == ::"s".y - 1;
        proc add:
          (b - 1) * 4L <= 12UL,
          a == 3,
          b == return - 3,
          ::"s".y == b,
          *(int *)((long)&table + (b - 1) * 4L) == 3;

        PATH: INFEASIBLE
    "#]]
    .assert_eq(&done.stdout);
}
