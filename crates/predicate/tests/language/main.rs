//! The language of predicates: what texts mean, how expressions are written, and what is an error.

#[path = "../common/mod.rs"]
mod common;
mod errors;

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
fn good(program: &Program, text: &str) -> Vec<Predicate> {
    let (found, messages) = read(program, text);
    assert_eq!(messages, "", "{text}");
    found
}

/// What predicates are read as.
fn means(section: &str, cases: &[(&str, &str)]) {
    let program = program();
    for (source, wanted) in cases {
        let found = good(&program, &format!("{section} {source};"));
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
    let program = program();
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
        let found = good(&program, &format!("global: {text};"));
        assert_eq!(Printer::new(&program).show(found[0].scope, found[0].expr), text);
    }
}

#[test]
fn both_data_models() {
    let (program, _) = lowered(PROGRAM, DataModel::Ilp32).expect("a program");
    let found = good(&program, "global: u < l, (long)p == l, ul == sizeof(long long), l == 4294967296;");
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
    let program = text::parse(Id::from_usize(0), TWICE).expect("a program");
    let right =
        "proc \"f\": \"odd name\" == \"sizeof\", z$2 == 1, \"z\" == 1; proc f$2: ((struct \"s\" *)v)->a;
        global: ((struct s$2 *)v)->b == 1, ((struct s$3 *)v)->a == 1;";
    let found = good(&program, right);
    assert_eq!(found.len(), 6);
    let printed = print_predicates(&program, &found);
    let mut again = good(&program, &printed);
    let mut found = found;
    again.sort();
    found.sort();
    assert_eq!(again, found, "{printed}");
    let (_, messages) = read(&program, "proc f: z; global: z == 1, (struct s *)v == v;");
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
    let program = text::parse(Id::from_usize(0), MATHEMATICAL).expect("a program");
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
        let found = good(&program, &format!("global: {source};"));
        assert_eq!(program.show_expr(found[0].expr), wanted, "{source}");
        assert_eq!(verify_exprs(&program, &[(None, found[0].expr)]), []);
        let printed = print_predicates(&program, &found);
        assert_eq!(good(&program, &printed), found, "{printed}");
        assert!(!printed.contains('@'), "{printed}");
    }
}

/// Nesting up to the limit is read (on the stack of a test), beyond it is an error.
#[test]
fn deep_nesting() {
    let limit = MAX_NESTING as usize;
    let program = program();
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
        good(&program, &nested(open, close, levels));
        for count in [limit + 20, 100_000] {
            let (found, messages) = read(&program, &nested(open, close, count));
            assert_eq!(found, [], "{open}");
            assert!(messages.contains("nested more than 500 deep"), "{open} {count}: {messages:.300}");
        }
    }
    for text in
        ["global: x + x * x".to_owned() + &" - x + x".repeat(100_000) + ";", nested("f(", ")", 100_000)]
    {
        let (found, messages) = read(&program, &text);
        assert!(found.is_empty() && messages.contains("error"));
    }
    let stars = format!("global: (int {})p == 0;", "*".repeat(100_000));
    assert!(read(&program, &stars).1.contains("nested too deeply"));
}

/// What is too deep for the text is still printed and read, by way of the exact form.
#[test]
fn deep_expressions_come_back() {
    let program = program();
    let base = good(&program, "global: x;")[0];
    let ExprKind::Binary(_, mut sum, one) = program.expr(base.expr).kind else { panic!("x != 0") };
    for _ in 0..490 {
        sum = program.binary(BinaryOp::Sub, one, sum);
    }
    let expr = program.nonzero(sum);
    let deep = [Predicate { expr, ..base }];
    let printed = print_predicates(&program, &deep);
    assert_eq!(good(&program, &printed), deep);
}
