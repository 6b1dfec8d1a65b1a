//! Hostile and broken texts: each is read without a crash, within bounds, on the small stack that
//! test threads have.

use hardbop_base::{DataModel, Diagnostics, Sources};
use hardbop_syntax::{SyntaxOptions, ast, parse_bytes};

fn read(text: &[u8]) -> Result<(ast::Unit, Diagnostics), String> {
    let mut sources = Sources::new();
    let result = parse_bytes(&mut sources, "test.c", text, &SyntaxOptions::new(DataModel::Lp64)).1;
    result.map_err(|errors| errors.render(&sources))
}

/// `before`, then `unit` n times, then `after`; `close` n times is put between them.
fn nested(n: usize, before: &str, unit: &str, middle: &str, close: &str, after: &str) -> String {
    format!("{before}{}{middle}{}{after}", unit.repeat(n), close.repeat(n))
}

#[track_caller]
fn rejected(text: &str, message: &str) {
    match read(text.as_bytes()) {
        Ok(_) => panic!("accepted"),
        Err(errors) => {
            assert!(errors.contains(message), "{}", &errors[..errors.len().min(500)]);
            assert!(errors.lines().count() < 200, "{} lines", errors.lines().count());
        }
    }
}

#[test]
fn brackets_nest_to_a_limit() {
    for n in [1_000, 10_000, 100_000] {
        let too_deep = "nested more deeply than";
        rejected(&nested(n, "int x = ", "(1 + ", "1", ")", ";"), too_deep);
        rejected(&nested(n, "void f(void) {", "{", "", "}", "}"), too_deep);
        rejected(&nested(n, "void f(int x) {", "{ x;", "", "}", "}"), too_deep);
        rejected(&nested(n, "int x = ", "{", "1", "}", ";"), too_deep);
        rejected(&nested(n, "int ", "(*", "x", ")", ";"), too_deep);
        rejected(&nested(n, "int ", "(*", "x", ")(void)", ";"), too_deep);
        rejected(&nested(n, "int g(int); int x = ", "g(", "1", ")", ";"), too_deep);
        rejected(&nested(n, "int f(int *x) { return ", "x[", "0", "]", ";}"), too_deep);
        rejected(&nested(n, "int f(int x) { return ", "({", "x", ";})", ";}"), too_deep);
        rejected(&nested(n, "", "struct {", "int x;", "} y;", ""), too_deep);
        rejected(&nested(n, "int x __attribute__((", "a(", "1", ")", "));"), too_deep);
    }
    // Unclosed ones too.
    for unit in ["(", "{", "[", "({", "struct {", "if (x) {", "int f(", "sizeof("] {
        assert!(read(unit.repeat(20_000).as_bytes()).is_err());
        assert!(read(format!("void f(int x) {{ {}", unit.repeat(20_000)).as_bytes()).is_err());
    }
}

#[test]
fn brackets_that_mean_nothing_nest_more_deeply() {
    for (before, unit, middle, close, after) in [
        ("int x = ", "(", "1", ")", ";"),
        ("void f(int x) {", "{", "x;", "}", "}"),
        ("void f(int x) { if (x) ;", "else { if (x) { x; }", "else { x; }", "}", "}"),
        ("int f(int x) { return ", "((", "x", "))", ";}"),
    ] {
        let text = |n| nested(n, before, unit, middle, close, after);
        assert!(read(text(1_000).as_bytes()).is_ok(), "{unit}");
        rejected(&text(100_000), "nested more deeply than");
    }
}

#[test]
fn chains_may_be_long() {
    for unit in [
        "- ",
        "! ",
        "~ ",
        "+ ",
        "x + ",
        "x && ",
        "x, ",
        "x = ",
        "x ?: ",
        "sizeof ",
        "__extension__ ",
        "(int) ",
    ] {
        let text = nested(30_000, "int f(int x) { return ", unit, "x", "", "; }");
        assert!(read(text.as_bytes()).is_ok(), "{unit}");
    }
    for unit in ["if (x) ; else ", "if (x) { } else ", "if (x) ", "while (x) ", "switch (x) "] {
        assert!(read(nested(10_000, "void f(int x) { ", unit, ";", "", "}").as_bytes()).is_ok(), "{unit}");
    }
    let (unit, _) =
        read(nested(100_000, "int f(int a) { return a", "+a", "", "", ";}").as_bytes()).expect("a sum");
    let sums = unit.exprs.values().filter(|e| matches!(e.kind, ast::ExprKind::Binary(..))).count();
    assert_eq!(sums, 100_000);
    assert!(read(nested(10_000, "int ", "*", "x", "", ";").as_bytes()).is_ok());
    assert!(read(nested(1_000, "int x", "[1]", "", "", ";").as_bytes()).is_ok());
    let labels: String = (0..10_000).map(|n| format!("l{n}: ")).collect();
    assert!(read(format!("void f(void) {{ {labels}; }}").as_bytes()).is_ok());
    let cases: String = (0..10_000).map(|n| format!("case {n}: ")).collect();
    assert!(read(format!("void f(int x) {{ switch (x) {{ {cases}; }} }}").as_bytes()).is_ok());
    rejected(
        &nested(1_000_000, "int f(int a) { return a", "+a", "", "", ";}"),
        "nested more deeply than 150000",
    );
}

#[test]
fn types_may_be_built_in_long_chains() {
    let chain = |first: &str, next: &dyn Fn(usize) -> String, last: String| {
        let text: String =
            std::iter::once(first.to_owned()).chain((1..10_000).map(next)).chain([last]).collect();
        assert!(read(text.as_bytes()).is_ok(), "{first}");
    };
    let name = |n| format!("typedef t{} *t{n};", n - 1);
    chain("typedef int t0;", &name, "t9999 x;".to_owned());
    let record = |n| format!("struct t{n} {{ struct t{} *p; }};", n - 1);
    chain("struct t0 { int x; };", &record, "struct t9999 x;".to_owned());
    let value = |n| format!("struct t{n} {{ struct t{} v; }};", n - 1);
    chain("struct t0 { int x; };", &value, "struct t9999 x = { 1 };".to_owned());
}

#[test]
fn sizes_do_not_matter() {
    // One line of 50 MB; columns are of the right size.
    let mut line = b"int x = 1;".repeat(10);
    line.resize(50 << 20, b' ');
    line.extend_from_slice(b"int y = ;");
    let errors = read(&line).expect_err("a missing expression");
    assert!(errors.contains("test.c:1:52428809: error: expected an expression"), "{}", &errors[..200]);
    assert!(errors.len() < 1000);
    let long_name = format!("int {};", "a".repeat(10 << 20));
    assert!(read(long_name.as_bytes()).is_ok());
    let long_string = format!("char s[] = \"{}\";", "a".repeat(10 << 20));
    assert!(read(long_string.as_bytes()).is_ok());
    let table = format!("int t[] = {{ {} }};", "1, ".repeat(300_000));
    assert!(read(table.as_bytes()).is_ok());
}

#[test]
fn nothing_is_a_unit() {
    for text in ["", "\n", "   ", "// x", "/* x */", ";", "\u{feff}", "# 1 \"x.c\"\n", "#\n", "\\\n"] {
        let (unit, _) = read(text.as_bytes()).expect(text);
        assert!(unit.top_level.is_empty(), "{text}");
    }
}

#[test]
fn texts_may_end_anywhere() {
    let ends = [
        "\\", "\\\n", "\\\r\n", "\\ \n", "\\\n\\\n", "\\\n ", "/", "/\\\n", "/*", "/*\\\n", "//", "//\\\n",
        "?", "??/\n",
    ];
    let starts = [
        "", "x", "int x", "int x;", "\"", "\"a", "'", "L'", "u8\"", "0x", "1.e", "1e+", "#", "# 1", "# 1 \"",
        "#pragma",
    ];
    for start in starts {
        for end in ends {
            for start in [start.to_owned(), format!("int y; {start}"), format!("int y;\n{start}")] {
                let text = format!("{start}{end}");
                let result = read(text.as_bytes());
                assert!(result.as_ref().err().is_none_or(|e| !e.contains("defect")), "{text:?}");
            }
        }
    }
}

#[test]
fn all_errors_are_reported_up_to_a_limit() {
    let errors = read("int x = ;\n".repeat(10).as_bytes()).expect_err("ten errors");
    assert_eq!(errors.matches("error:").count(), 10);
    let errors = read("int x = ;\n".repeat(300).as_bytes()).expect_err("three hundred errors");
    assert_eq!(errors.matches("error:").count(), 50);
    assert!(errors.contains("note: 250 more messages are not shown"), "{errors}");
}

/// Every prefix of a text with a bit of everything, and the text with each byte changed.
#[test]
fn broken_texts_do_not_crash() {
    let text: &[u8] = br#"# 1 "a.c" 3
typedef struct s { int x : 3, y[2]; struct s *n; union { char c; }; } t; enum e { A = 'a', B };
static t g = { 1, { [0] = 2 }, &g, .c = "x"[0] }; extern void abort(void) __attribute__((noreturn));
int f(int n, ...) { int a[n], *p = &a[1]; l: switch (n ?: 1) { case 1 ... 3: break; default: goto l; }
 for (int i = 0; i < 2; i++) *p++ += ({ 1; }) + sizeof(a) - (t){ 1 }.x; asm("" : "=r"(n) : "m"(*p));
 return n ? f(1, 2.5f, L"w") : __builtin_offsetof(t, y[1]); }
#pragma pack(1)
int k(c, d) char c; float d; { if (c) while (d) do ; while (0); else return _Generic(c, int: 1, default: 2); }
"#;
    assert!(read(text).is_ok(), "{}", read(text).unwrap_err());
    for end in 0..text.len() {
        let _ = read(&text[..end]);
        let mut changed = text.to_vec();
        for byte in [b'(', b'}', b'"', b'*', 0, 0xff] {
            changed[end] = byte;
            let _ = read(&changed);
        }
        changed.remove(end);
        let _ = read(&changed);
    }
}

/// Tokens of C in an order that a fixed pseudo-random sequence chooses.
#[test]
fn token_soup_does_not_crash() {
    const TOKENS: &[&str] = &[
        "int",
        "char",
        "struct",
        "union",
        "enum",
        "typedef",
        "static",
        "extern",
        "void",
        "if",
        "else",
        "while",
        "for",
        "do",
        "switch",
        "case",
        "default",
        "return",
        "goto",
        "break",
        "sizeof",
        "typeof",
        "_Generic",
        "asm",
        "__attribute__",
        "__extension__",
        "x",
        "y",
        "s",
        "1",
        "2.5",
        "'a'",
        "\"s\"",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        ":",
        "?",
        "=",
        "+",
        "-",
        "*",
        "&",
        "!",
        "~",
        ".",
        "->",
        "...",
        "<<",
        "==",
        "&&",
        "+=",
        "++",
        "\n",
        "__builtin_va_arg",
        "__builtin_offsetof",
        "packed",
        "aligned",
        "({",
        "})",
        "((",
        "))",
        "_Static_assert",
    ];
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut choose = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    for round in 0..4_000 {
        let mut text =
            if round % 2 == 0 { "int s; void f(int x, char *y) { ".to_owned() } else { String::new() };
        for _ in 0..choose(40) {
            text.push_str(TOKENS[choose(TOKENS.len())]);
            text.push(' ');
        }
        let _ = read(text.as_bytes());
    }
}

/// Found by fuzzing: the lexer warns about the quote and the parser repeats it as an error.
#[test]
fn a_repeated_warning_stays_an_error() {
    rejected("int main(void) {\n'   return 0;\n}\n", "error: ");
}

/// Found by fuzzing.
#[test]
fn parameters_of_definitions_are_not_void() {
    let message = "error: parameter `x` has incomplete type";
    rejected("int f(void x) { return 0; }", message);
    rejected("int f(int a, void x) { return 0; }", message);
    rejected("int f(x) void x; { return 0; }", message);
    assert!(read(b"int f(void x);").is_ok());
}
