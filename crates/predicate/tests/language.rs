//! The language of predicates: what texts mean, how expressions are written, and what is an error.

mod common;

use common::{lowered, read};
use expect_test::{Expect, expect};
use hardbop_base::{DataModel, Id};
use hardbop_ir::{BinaryOp, ExprKind, Program, text, verify_exprs};
use hardbop_predicate::{MAX_NESTING, Predicate, Printer, print_predicates};

const PROGRAM: &str = "
struct inner { short s; char c; };
struct node {
    struct node *next;
    union { int i; float f; };
    struct inner in[3];
    unsigned flags : 3;
    unsigned long long wide : 40;
};
union number { int i; char bytes[4]; };
struct node *head, table[4];
union number number;
int x, y, *p, *q, a[10], m[3][4];
unsigned char c;
unsigned u;
long l;
unsigned long ul;
float f;
double d;
void *v;
int x_of_f;
int get(int n, int k) { static int count; count += n; return count + k; }
int change(int n, int *out)
{
    int x = n;
    for (int i = 0; i < n; i++)
        n--;
    { int n = 3; int long_array[x]; *out = n + long_array[0]; }
    return x;
}
int (*fp)(int, int);
int main(void)
{
    x = y + *p + *q + a[1] + m[1][2] + c + u + l + ul + f + d + (v != 0) + table[1].i + number.i + x_of_f;
    fp = get;
    return change(x, &y) + get(1, 2) + head->in[1].s;
}
";

fn program() -> Program {
    lowered(PROGRAM, DataModel::Lp64).expect("a program").0
}

/// Reads a file that must be right.
fn good(program: &mut Program, text: &str) -> Vec<Predicate> {
    let (found, messages) = read(program, text);
    assert_eq!(messages, "", "{text}");
    found
}

/// What predicates are read as.
fn means(section: &str, cases: &[(&str, &str)]) {
    let mut program = program();
    for (source, wanted) in cases {
        let found = good(&mut program, &format!("{section} {source};"));
        assert_eq!(program.show_expr(found[0].expr), *wanted, "{source}");
    }
}

#[test]
fn conversions_are_those_of_c() {
    means(
        "global:",
        &[
            ("x == 5", "(x == 5)"),
            ("u == 5", "(u == 5)"),
            ("c == 5", "(cast<i32>(c) == 5)"),
            ("c", "(c != 0)"),
            ("!c", "(c == 0)"),
            ("c + 1 > 255", "(255 < (cast<i32>(c) + 1))"),
            ("x < u", "(cast<u32>(x) < u)"),
            ("x < l", "(cast<i64>(x) < l)"),
            ("u < l", "(cast<i64>(u) < l)"),
            ("ul - x > 0", "(0 < (ul - cast<u64>(x)))"),
            ("~c == -1", "(~cast<i32>(c) == -1)"),
            ("-1 < u", "(4294967295 < u)"),
            ("f < d", "(cast<f64>(f) < d)"),
            ("f == x", "(f == cast<f32>(x))"),
            ("(x < y) == (y < x)", "(cast<i32>((x < y)) == cast<i32>((y < x)))"),
            ("(x < y) + 1 == 2", "((cast<i32>((x < y)) + 1) == 2)"),
            ("l << c", "((l << cast<i32>(c)) != 0)"),
            ("c << l == 1", "((cast<i32>(c) << l) == 1)"),
            ("head->flags < 5", "(cast<i32>(head->flags) < 5)"),
            ("head->wide > 5", "(5 < cast<u40>(head->wide))"),
            ("x == 'a'", "(x == 97)"),
            ("x == '\\n' || x == '\\0'", "((x == 10) | (x == 0))"),
            ("x == 0x10", "(x == 16)"),
            ("x == 010", "(x == 8)"),
            ("l == 0xffffffff", "(l == 4294967295)"),
            ("x == 0xffffffff", "(cast<u32>(x) == 4294967295)"),
            ("x == 4294967295", "(cast<i64>(x) == 4294967295)"),
            ("x == 1u", "(cast<u32>(x) == 1)"),
            ("ul == sizeof(struct node)", "(ul == 32)"),
            ("ul == sizeof a", "(ul == 40)"),
            ("ul == sizeof(a[0]) + sizeof(size_t)", "(ul == 12)"),
        ],
    );
}

#[test]
fn pointers_and_parts() {
    means(
        "global:",
        &[
            ("p", "(p != 0)"),
            ("p == 0", "(p == 0)"),
            ("NULL != p", "(0 != p)"),
            ("*p == p[0]", "(*p == *p)"),
            ("p[2] == 1", "(*(p + 2) == 1)"),
            ("p + 1 == q - 1", "((p + 1) == (q + -1))"),
            ("p - q > 3", "(3 < (p - q))"),
            ("2 + p == a", "((p + 2) == &a[0])"),
            ("*a == 1", "(a[0] == 1)"),
            ("2[a] == 1", "(*(&a[0] + 2) == 1)"),
            ("m[1][x] == 0", "(m[1][x] == 0)"),
            ("&m[1][2] == p", "(&m[1][2] == p)"),
            ("*&x == 1", "(x == 1)"),
            ("&*p == q", "(p == q)"),
            ("v == p", "(v == cast<ptr void>(p))"),
            ("head->i == 1", "(head->#1.i == 1)"),
            ("(*head).in[c].s < 2", "(cast<i32>(head->in[cast<i32>(c)].s) < 2)"),
            ("table->next == &table[1]", "(table[0].next == &table[1])"),
            ("fp == get", "(fp == fn get)"),
            ("(int *)v == p", "(cast<ptr i32>(v) == p)"),
            ("((struct node *)v)->flags", "(cast<ptr struct node>(v)->flags != 0)"),
            ("(long)p % 4 == 0", "((cast<i64>(p) % 4) == 0)"),
            ("(unsigned char)x == c", "(cast<i32>(cast<u8>(x)) == cast<i32>(c))"),
            ("number.bytes[1] == 0", "(cast<i32>(number.bytes[1]) == 0)"),
        ],
    );
}

#[test]
fn only_what_is_needed_is_evaluated() {
    means(
        "global:",
        &[
            ("x && y", "((x != 0) & (y != 0))"),
            ("p && *p", "(if (p != 0) then (*p != 0) else false)"),
            ("!p || *p == 1", "(if (p == 0) then true else (*p == 1))"),
            ("x ? *p : y", "((if (x != 0) then *p else y) != 0)"),
            ("x ? y == 1 : true", "(if (x != 0) then (y == 1) else true)"),
            ("x != 0 && 10 / x > 1", "(if (x != 0) then (1 < (10 / x)) else false)"),
        ],
    );
}

#[test]
fn names_of_a_procedure() {
    means(
        "proc change:",
        &[
            ("x == ::x", "(x == x)"),
            ("\"n\" == n$in", "(n == n$in)"),
            ("n$2 == 3", "(n$2 == 3)"),
            ("return == y", "($result == y)"),
            ("out == out$in", "(out == out)"),
            ("i < 3", "(i < 3)"),
            ("*(int *)long_array$address == 0", "(*cast<ptr i32>(long_array$address) == 0)"),
            ("get$count == 0", "(get$count == 0)"),
            ("$1", "($1 != 0)"),
            ("x_of_f == 0", "(x_of_f == 0)"),
        ],
    );
    means("proc get:", &[("count > k", "(k < get$count)"), ("n == n$in", "(n == n)")]);
}

/// What a programmer would write is printed as it is.
#[test]
fn printed_as_people_write() {
    let mut program = program();
    let texts = [
        "x == 5",
        "x > 0",
        "y <= x",
        "x < 0",
        "c",
        "!c",
        "c == 5",
        "c + 1 > 255",
        "p != NULL",
        "p == NULL",
        "p != NULL && *p > 0",
        "x != 0 && y != 0 && u > 3",
        "(x != 0 && y != 0) || u == 3",
        "x == 1 && (y == 2 || y == 3)",
        "x - (y - 1) == 0",
        "x - y - 1 == 0",
        "(x + y) * 2 == u",
        "x * y / 3 == 1",
        "x * (y / 3) == 1",
        "(x & 1) == 0",
        "(x | 1) == y",
        "(x & y & 3) == 1",
        "x << 2 == y",
        "(x + 1) << 2 == y",
        "~x == y",
        "-x < y",
        "-(-x) == y",
        "x + -1 == 0",
        "p + 1 == q",
        "p - 1 == q",
        "p - x == q",
        "p - q > 2",
        "*p == 0",
        "**(int **)v == 0",
        "p[2] == 0",
        "a[c] == 0",
        "m[1][x] == 0",
        "a == p",
        "&a[1] == p",
        "&x == p",
        "head->next->i == 0",
        "head->in[1].s == 0",
        "table[1].next == head",
        "head[1].flags == 3",
        "f < 0.5f",
        "d == 1.5",
        "x == (y != 0)",
        "(x < y) == (y < 3)",
        "(x < y) + 1 == 2",
        "!(f < d)",
        "x != 0 ? y == 1 : true",
        "(x != 0 ? y : u) == 3",
        "(unsigned char)x == c",
        "(char)x == 3",
        "(long)p % 8 == 0",
        "(int *)v == p",
        "fp == get",
        "x == -2147483647",
        "ul == 18446744073709551615U",
        "u == 4294967295",
        "l == -1",
        "(struct node *)v == head",
        "x != 0 ? p == q : true",
    ];
    for text in texts {
        let found = good(&mut program, &format!("global: {text};"));
        assert_eq!(Printer::new(&program).show(found[0].scope, found[0].expr), text);
    }
}

#[test]
fn both_data_models() {
    let (mut program, _) = lowered(PROGRAM, DataModel::Ilp32).expect("a program");
    let found = good(&mut program, "global: u < l, (long)p == l, ul == sizeof(long long), l == 4294967296;");
    let shown: Vec<_> = found.iter().map(|p| program.show_expr(p.expr)).collect();
    let wanted = ["(u < cast<u32>(l))", "(cast<i32>(p) == l)", "(ul == 8)", "(cast<i64>(l) == 4294967296)"];
    assert_eq!(shown, wanted);
}

const TWICE: &str = "program 1 LP64
file 0 \"a.c\"
struct s size 4 align 4 {  @0:1:1-1:9
  a: i32 at 0
}
struct s$2 size 8 align 4 {  @0:9:1-9:9
  b: i32 at 4
}
struct s$3 size 8 align 4 {  @0:1:1-1:9
  a: i32 at 0
}
global v: ptr void = zero
static z: i32 = zero  @0:2:1-2:2
static z$2: i32 = zero  @0:12:1-12:2
fn f() {  @0:3:1-4:2
  local \"odd name\": i32
  local sizeof: i32
  locations 2 entry L0 exit L1
}
fn f$2() {  @0:13:1-14:2
  locations 2 entry L0 exit L1
}
";

/// Things of the same name in several units are told apart.
#[test]
fn names_that_occur_twice() {
    let mut program = text::parse(Id::from_usize(0), TWICE).expect("a program");
    let right =
        "proc \"f\": \"odd name\" == \"sizeof\", z$2 == 1, \"z\" == 1; proc f$2: ((struct \"s\" *)v)->a;
        global: ((struct s$2 *)v)->b == 1, ((struct s$3 *)v)->a == 1;";
    let found = good(&mut program, right);
    assert_eq!(found.len(), 6);
    let printed = print_predicates(&program, &found);
    let mut again = good(&mut program, &printed);
    let mut found = found;
    again.sort();
    found.sort();
    assert_eq!(again, found, "{printed}");
    let (_, messages) = read(&mut program, "proc f: z; global: z == 1, (struct s *)v == v;");
    expect![[r#"
        t.preds:1:6: error: `f` is ambiguous; write `"f"` for the one of a.c:3:1, or `f$2` for the one of a.c:13:1
            proc f: z; global: z == 1, (struct s *)v == v;
                 ^
        t.preds:1:20: error: `z` is ambiguous; write `"z"` for the one of a.c:2:1, or `z$2` for the one of a.c:12:1
            proc f: z; global: z == 1, (struct s *)v == v;
                               ^
        t.preds:1:36: error: `s` is ambiguous; write `"s"` for the one of a.c:1:1, or `s$2` for the one of a.c:9:1
            proc f: z; global: z == 1, (struct s *)v == v;
                                               ^
    "#]].assert_eq(&messages);
}

const MATHEMATICAL: &str = "program 1 LP64
global x: int = zero
global y: int = zero
global b: bool = arbitrary
global done: bool = arbitrary
global n: i32 = zero
fn main() {
  locations 3 entry L0 exit L1
  L0 -> L1: return
}
entry main
";

#[test]
fn mathematical_integers_and_truth_values() {
    let mut program = text::parse(Id::from_usize(0), MATHEMATICAL).expect("a program");
    let cases = [
        ("x % 2 == 1", "((x % 2) == 1)"),
        ("x + 1 < 2 * y", "((x + 1) < (2 * y))"),
        ("x > 123456789012345678901234567890", "(123456789012345678901234567890 < x)"),
        ("-x >= -3", "(-3 <= -x)"),
        ("b", "b"),
        ("!b", "!b"),
        ("b == done", "(b == done)"),
        ("b && !done", "(b & !done)"),
        ("b ^ done", "(b ^ done)"),
        ("b == (x < y)", "(b == (x < y))"),
        ("b ? done : x == y", "(if b then done else (x == y))"),
        ("x == b", "(x == cast<int>(b))"),
        ("n == b", "(n == cast<i32>(b))"),
        ("x", "(x != 0)"),
    ];
    for (source, wanted) in cases {
        let found = good(&mut program, &format!("global: {source};"));
        assert_eq!(program.show_expr(found[0].expr), wanted, "{source}");
        assert_eq!(verify_exprs(&program, &[(None, found[0].expr)]), []);
        let printed = print_predicates(&program, &found);
        assert_eq!(good(&mut program, &printed), found, "{printed}");
        assert!(!printed.contains('@'), "{printed}");
    }
}

fn messages(text: &str, wanted: &Expect) {
    let (_, messages) = read(&mut program(), text);
    wanted.assert_eq(&messages);
}

#[test]
fn errors_in_names() {
    messages(
        "global: i == 0, nowhere == x, return == 0, count, ::nobody, \"x$7\";
proc change: n == 0, long_array[0] == 1, count == 1;
proc nobody: x; proc 5: x;
",
        &expect![[r#"
            t.preds:1:9: error: `i` is not a global; for the one of `change` write `proc change:`
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                        ^
            t.preds:1:17: error: `nowhere` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                ^~~~~~~
            t.preds:1:31: error: `return` is the result of a procedure; write `proc NAME:` before its predicates
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                              ^~~~~~
            t.preds:1:44: error: `count` is not known here; did you mean the static variable `get$count`?
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                                           ^~~~~
            t.preds:1:53: error: `nobody` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                                                    ^~~~~~
            t.preds:1:61: error: `x$7` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                                                            ^~~~~
            t.preds:2:14: error: `n` is ambiguous; write `"n"` for the one of test.c:23:16, or `n$2` for the one of test.c:28:11
                proc change: n == 0, long_array[0] == 1, count == 1;
                             ^
            t.preds:2:22: error: `long_array` is a variable-length array; `long_array$address` is the address of its first element
                proc change: n == 0, long_array[0] == 1, count == 1;
                                     ^~~~~~~~~~
            t.preds:2:42: error: `count` is not known here; did you mean the static variable `get$count`?
                proc change: n == 0, long_array[0] == 1, count == 1;
                                                         ^~~~~
            t.preds:3:6: error: the program has no procedure `nobody`
                proc nobody: x; proc 5: x;
                     ^~~~~~
            t.preds:3:22: error: expected the name of a procedure, found `5`
                proc nobody: x; proc 5: x;
                                     ^
        "#]],
    );
}

#[test]
fn errors_in_types() {
    messages(
        "global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p, (float)p,
  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
proc get: &n == p;
",
        &expect![[r#"
            t.preds:1:18: error: a value of type struct node is no number, pointer or truth value
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                 ^~
            t.preds:1:33: error: two pointers are added
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                ^
            t.preds:1:44: error: struct node has no member `nothing`
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                           ^~~~~~~
            t.preds:1:55: error: a value of type int has no members
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                      ^
            t.preds:1:60: error: a pointer has no members; write `->` (int *)
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                           ^
            t.preds:1:64: error: a value of type int does not point to anything
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                               ^~
            t.preds:1:69: error: a value of type int does not point to anything
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                                    ^
            t.preds:1:73: error: only an object has an address
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                                        ^
            t.preds:1:82: error: a bit-field has no address
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                                                 ^
            t.preds:2:8: error: two pointers are added
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                       ^
            t.preds:2:18: error: a value of type int * is no number
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                 ^
            t.preds:2:24: error: neither an array nor a pointer is subscripted here
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                       ^
            t.preds:2:31: error: a value of type int and a value of type int * do not go together; convert one of them
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                              ^~
            t.preds:2:39: error: a value of type int * is no number
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                                      ^
            t.preds:2:44: error: `~` does not apply to a value of type float
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                                           ^
            t.preds:2:50: error: this operator does not apply to values of type float
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                                                 ^
            t.preds:2:57: error: this operator does not apply to values of type float
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p, (flo
                                                                        ^
            t.preds:2:62: error: a value of type int cannot be converted to type struct node
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p, (float)p,
                                                                             ^
            t.preds:2:91: error: the program uses no struct `nobody`
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p, (float)p,
                                                                                                          ^~~~~~
            t.preds:2:103: error: a value of type int * cannot be converted to type float
                , f & 1, (struct node)x == 1, (struct nobody *)p, (float)p,
                                                                  ^
            t.preds:3:3: error: a value of type int cannot be converted to type void
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                  ^
            t.preds:3:12: error: a bit-field has no size
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                           ^~~~~~
            t.preds:3:33: error: `-` does not apply to a value of type int *
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                                                ^
            t.preds:3:37: error: `+` does not apply to a value of type int *
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                                                    ^
            t.preds:3:44: error: a value of type float is no index
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                                                           ^
            t.preds:3:51: error: a value of type int and a value of type int * do not go together; convert one of them
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                                                                  ^
            t.preds:3:60: error: a value of type void is no number, pointer or truth value
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                           ^~
            t.preds:3:70: error: struct node has only 5 members
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                                     ^
            t.preds:3:76: error: a value of type float and a value of type int * do not go together; convert one of them
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                                           ^
            t.preds:3:86: error: pointers to arrays and to functions cannot be written here; `@(…)` takes any type
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                                                     ^
            t.preds:3:97: error: enumeration types are not known; they are int or unsigned
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                                                                ^~~~
            t.preds:4:4: error: this is not a type of C, or it has a size that nothing has
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                   ^~~~~~~
            t.preds:4:32: error: no object has 40 bits
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                               ^
            t.preds:4:38: error: this is not a type of C, or it has a size that nothing has
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                                     ^~~~~~~~
            t.preds:4:58: error: a value of type double and a value of type ptr [4 x i32] do not go together; convert one of them
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                                                         ^~
            t.preds:4:66: error: a value of type struct node is no number, pointer or truth value
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                                                                 ^~~~~~~~
            t.preds:4:78: error: a value of type double cannot take part in a shift
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                                                                             ^~
            t.preds:5:11: error: `n` has no address, since the program never takes it
                proc get: &n == p;
                          ^
        "#]],
    );
}

#[test]
fn errors_in_syntax() {
    messages(
        "locked == 1;
global x;
global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
global: \"a\\q\", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
global: x == 3
proc get: n == 1; global: x, \"y; y
; /* open
",
        &expect![[r#"
            t.preds:1:1: error: expected `global:` or `proc NAME:`, found `locked`
                locked == 1;
                ^~~~~~
            t.preds:2:8: error: expected `:`, found `x`
                global x;
                       ^
            t.preds:3:11: error: a predicate assigns nothing; `==` compares
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                          ^
            t.preds:3:17: error: a predicate has no side effects
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                ^~
            t.preds:3:26: error: expected an expression, found `,`
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                         ^
            t.preds:3:35: error: expected `)`, found `,`
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                                  ^
            t.preds:3:40: error: a predicate calls no functions
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                                       ^
            t.preds:3:60: error: expected an operator, `,` or `;`, found `y`
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                                                           ^
            t.preds:3:66: error: expected `]`, found `;`
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                                                                 ^
            t.preds:4:9: error: the escapes in a name are \n \t \\ \" and \xHH
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                        ^~~~~
            t.preds:4:16: error: no character constant: one byte, or an escape, between two `'`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                               ^
            t.preds:4:27: error: no character constant: one byte, or an escape, between two `'`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                                          ^
            t.preds:4:36: error: not a number: the suffixes are u, l, ul, ll and ull
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                                                   ^~
            t.preds:4:45: error: constants of type long double are written as their bits, `@(0x…:f80)`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                                                            ^~~~
            t.preds:4:61: error: not an integer of at most 128 bits
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                            ^~
            t.preds:4:65: error: not a number: the suffixes are u, l, ul, ll and ull
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                ^~
            t.preds:4:74: error: not a floating-point number
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                         ^~~~~
            t.preds:4:86: error: expected an expression, found `{`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                                     ^
            t.preds:4:91: error: unexpected character
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                                          ^~
            t.preds:4:100: error: no character constant: one byte, or an escape, between two `'`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                                                  ^
            t.preds:5:10: error: expected `(`, found `x`
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                         ^
            t.preds:5:18: error: expected an expression, found `)`
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                                 ^
            t.preds:5:21: error: `(x + ul)` has an operand of type u64
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                                    ^~~~~~~~~
            t.preds:5:40: error: there is no variable `nobody`
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                                                       ^~~~~~
            t.preds:5:60: error: expected an operator or `)`, found `;`
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                                                                           ^
            t.preds:7:1: error: expected an operator, `,` or `;`, found `proc`
                proc get: n == 1; global: x, "y; y
                ^~~~
            t.preds:7:27: warning: this predicate is there already
                proc get: n == 1; global: x, "y; y
                                          ^
            t.preds:7:30: error: the quotes are not closed in this line
                proc get: n == 1; global: x, "y; y
                                             ^~~~~
            t.preds:8:3: error: this comment is not closed
                ; /* open
                  ^~~~~~~
        "#]],
    );
}

#[test]
fn warnings() {
    messages(
        "global: 1 < 2, &x != NULL, x == 1, y == 1, x == 1; global: x == 1 && false, 1 == x; proc main: x == 1;",
        &expect![[r#"
            t.preds:1:9: warning: this predicate is always true
                global: 1 < 2, &x != NULL, x == 1, y == 1, x == 1; global: x == 1 && false, 1 == x; proc main: x == 
                        ^~~~~
            t.preds:1:44: warning: this predicate is there already
                global: 1 < 2, &x != NULL, x == 1, y == 1, x == 1; global: x == 1 && false, 1 == x; proc main: x == 
                                                           ^~~~~~
        "#]],
    );
    let mut program = program();
    let (found, _) = read(&mut program, "global: x == 1, x == 1; proc main: x == 1; global: true;");
    assert_eq!(found.len(), 3);
}

#[test]
fn empty_files_and_sections() {
    let mut program = program();
    for text in ["", " \n", "// nothing", "global:;", "proc main: ; global: ;", "global: x,;"] {
        assert!(good(&mut program, text).len() < 2);
    }
}

#[test]
fn many_errors() {
    for piece in ["(,", "nobody,", "global: +;", "proc x y z;", "a[,("] {
        let text = format!("global: {}", piece.repeat(4_000));
        let (_, messages) = read(&mut program(), &text);
        let count = messages.lines().filter(|line| line.contains("error: ")).count();
        assert!((200..210).contains(&count), "{piece}: {count}");
        assert!(messages.contains("too many errors; the rest is not read"));
    }
}

/// Nesting up to the limit is read (on the stack of a test), beyond it is an error.
#[test]
fn deep_nesting() {
    let limit = MAX_NESTING as usize;
    let mut program = program();
    let nested =
        |open: &str, close: &str, n: usize| format!("global: {}x{};", open.repeat(n), close.repeat(n));
    for (open, close, levels) in [
        ("(", ")", limit),
        ("!", "", limit - 1),
        ("a[", "]", limit / 2 - 1),
        ("-(", ")", limit - 2),
        ("(y + ", ")", limit - 2),
        ("y ? 1 : ", "", limit - 4),
        ("y ? ", " : 1", limit - 4),
        ("(1 && ", ")", limit - 2),
    ] {
        good(&mut program, &nested(open, close, levels));
        for count in [limit + 20, 100_000] {
            let (found, messages) = read(&mut program, &nested(open, close, count));
            assert_eq!(found, [], "{open}");
            assert!(messages.contains("nested more than 500 deep"), "{open} {count}: {messages:.300}");
        }
    }
    for text in
        ["global: x + x * x".to_owned() + &" - x + x".repeat(100_000) + ";", nested("f(", ")", 100_000)]
    {
        let (found, messages) = read(&mut program, &text);
        assert!(found.is_empty() && messages.contains("error"));
    }
    let stars = format!("global: (int {})p == 0;", "*".repeat(100_000));
    assert!(read(&mut program, &stars).1.contains("nested too deeply"));
}

/// What is too deep for the text is still printed and read, by way of the exact form.
#[test]
fn deep_expressions_come_back() {
    let mut program = program();
    let base = good(&mut program, "global: x;")[0];
    let ExprKind::Binary(_, mut sum, one) = program.expr(base.expr).kind else { panic!("x != 0") };
    for _ in 0..490 {
        sum = program.binary(BinaryOp::Sub, one, sum);
    }
    let expr = program.nonzero(sum);
    let deep = [Predicate { expr, ..base }];
    let printed = print_predicates(&program, &deep);
    assert_eq!(good(&mut program, &printed), deep);
}
