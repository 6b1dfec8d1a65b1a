#![allow(clippy::print_stdout, reason = "x")]
use hardbop_base::{DataModel, Sources};
use hardbop_syntax::Options;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[2].parse().unwrap();
    let mb: usize = a[3].parse().unwrap();
    let text = make(&a[1], n);
    let h = std::thread::Builder::new()
        .stack_size(mb << 20)
        .spawn(move || {
            let mut s = Sources::new();
            let t = std::time::Instant::now();
            let (_, r) =
                hardbop_syntax::parse_bytes(&mut s, "t.c", text.as_bytes(), &Options::new(DataModel::Lp64));
            match r {
                Ok((u, d)) => println!(
                    "ok exprs {} stmts {} warnings {} {:?}",
                    u.exprs.len(),
                    u.stmts.len(),
                    d.iter().count(),
                    t.elapsed()
                ),
                Err(d) => println!(
                    "err {} {:?}: {}",
                    d.iter().count(),
                    t.elapsed(),
                    d.iter()
                        .take(3)
                        .map(|d| format!("{}:{} {}", d.span.line, d.span.column, d.message))
                        .collect::<Vec<_>>()
                        .join(" | ")
                ),
            }
        })
        .unwrap();
    h.join().unwrap();
}
fn make(kind: &str, n: usize) -> String {
    let r = |s: &str| s.repeat(n);
    match kind {
        "paren" => format!("int x = {}1{};", r("("), r(")")),
        "block" => format!("void f(void) {{ {} {} }}", r("{"), r("}")),
        "brace" => format!("int x = {}1{};", r("{"), r("}")),
        "declpar" => format!("int {}x{};", r("("), r(")")),
        "star" => format!("int {}x;", r("*")),
        "array" => format!("int x{};", r("[1]")),
        "fnptr" => format!("int {}x{};", r("(*"), r(")(void)")),
        "minus" => format!("int f(int x) {{ return {}x; }}", r("- ")),
        "not" => format!("int f(int x) {{ return {}x; }}", r("!")),
        "plus" => format!("int f(int x) {{ return {}x; }}", r("+ ")),
        "deref" => format!("int f(int x) {{ return {}&x; }}", r("*&")),
        "cast" => format!("int f(int x) {{ return {}x; }}", r("(int)")),
        "sizeof" => format!("int f(int x) {{ return {}x; }}", r("sizeof ")),
        "extension" => format!("int f(int x) {{ return {}x; }}", r("__extension__ ")),
        "ifelse" => format!("void f(int x) {{ {} ; }}", r("if (x) ; else ")),
        "ifnest" => format!("void f(int x) {{ {} ; }}", r("if (x) ")),
        "while" => format!("void f(int x) {{ {} ; }}", r("while (x) ")),
        "for" => format!("void f(int x) {{ {} ; }}", r("for (;;) ")),
        "do" => format!("void f(int x) {{ {} ; {} }}", r("do "), r("while(x);")),
        "switch" => format!("void f(int x) {{ {} ; }}", r("switch(x) ")),
        "add" => format!("int f(int a) {{ return a{}; }}", r("+a")),
        "addc" => format!("int x = 1{};", r("+1")),
        "and" => format!("int f(int a) {{ return a{}; }}", r("&&a")),
        "shl" => format!("int f(int a) {{ return a{}; }}", r("<<a")),
        "comma" => format!("int f(int a) {{ return (a{}); }}", r(",a")),
        "assign" => format!("int f(int a) {{ return {}1; }}", r("a=")),
        "cond" => format!("int f(int a) {{ return {}1; }}", r("a?a:")),
        "condm" => format!("int f(int a) {{ return {}a{}; }}", r("a?"), r(":1")),
        "elvis" => format!("int f(int a) {{ return {}1; }}", r("a?:")),
        "case" => format!(
            "void f(int a) {{ switch (a) {{ {} ; }} }}",
            (0..n).map(|i| format!("case {i}: ")).collect::<String>()
        ),
        "cases" => format!(
            "void f(int a) {{ switch (a) {{ {} ; }} }}",
            (0..n).map(|i| format!("case {i}: break; ")).collect::<String>()
        ),
        "label" => format!("void f(int a) {{ {} ; }}", (0..n).map(|i| format!("l{i}: ")).collect::<String>()),
        "call" => format!("typedef void *(*g)(); void f(g x) {{ x{}; }}", r("()")),
        "callnest" => format!("int g(int); int f(int x) {{ return {}x{}; }}", r("g("), r(")")),
        "index" => format!("int f(int *x) {{ return {}0{}; }}", r("x["), r("]")),
        "member" => {
            format!("struct s {{ struct s *n; }}; struct s* f(struct s*x) {{ return x{}; }}", r("->n"))
        }
        "stmtexpr" => format!("int f(int x) {{ return {}x{}; }}", r("({"), r(";})")),
        "struct" => format!("{} int x; {}", r("struct {"), r("} y;")),
        "typeof" => format!("int x; {} x {} y;", r("__typeof__("), r(")")),
        "attr" => format!("int x __attribute__(({}1{}));", r("a("), r(")")),
        "addr" => format!("void f(int x) {{ {}x; }}", r("&*&")),
        "inc" => format!("int f(int x) {{ return x{}; }}", r("++")),
        "typedefs" => {
            (0..n)
                .map(
                    |i| {
                        if i == 0 {
                            "typedef int t0;".to_owned()
                        } else {
                            format!("typedef t{} *t{i};", i - 1)
                        }
                    },
                )
                .collect::<String>()
                + &format!("t{} x;", n - 1)
        }
        "typedeff" => {
            (0..n)
                .map(|i| {
                    if i == 0 {
                        "typedef int t0;".to_owned()
                    } else {
                        format!("typedef t{} (*t{i})(int);", i - 1)
                    }
                })
                .collect::<String>()
                + &format!("t{} x;", n - 1)
        }
        "typedefa" => {
            (0..n)
                .map(|i| {
                    if i == 0 { "typedef int t0;".to_owned() } else { format!("typedef t{} t{i}[1];", i - 1) }
                })
                .collect::<String>()
                + &format!("t{} x;", n - 1)
        }
        "recs" => {
            (0..n)
                .map(|i| {
                    if i == 0 {
                        "struct t0{int x;};".to_owned()
                    } else {
                        format!("struct t{i} {{ struct t{} a; }};", i - 1)
                    }
                })
                .collect::<String>()
                + &format!("struct t{} x = {{1}};", n - 1)
        }
        "recp" => {
            (0..n)
                .map(|i| {
                    if i == 0 {
                        "struct t0{int x;};".to_owned()
                    } else {
                        format!("struct t{i} {{ struct t{} *a; }};", i - 1)
                    }
                })
                .collect::<String>()
                + &format!("struct t{} x;", n - 1)
        }
        "strcat" => format!("char *x = {};", r("\"a\" ")),
        "decls" => format!("int x{};", r(",x")),
        "params" => format!("void f(int{});", r(",int")),
        "generic" => format!("int f(int x) {{ return {}x{}; }}", r("_Generic(x, int: "), r(")")),
        "desig" => format!("int x[1] = {{ {} = 1 }};", r("[0]")),
        "errors" => r("int x = ;\n"),
        "undecl" => {
            format!("void f(void) {{ {} }}", (0..n).map(|i| format!("x{i} = 1;\n")).collect::<String>())
        }
        "line" => format!("int x = 1; {}", r("a")),
        "space" => r(" "),
        "ptrarr" => format!("int {}x{};", r("(*"), r(")[1]")),
        "init" => format!("int x[] = {{ {} }};", r("1,")),
        _ => panic!("kind"),
    }
}
