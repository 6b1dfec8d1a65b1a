//! The text form: what is read, how it is printed, and what is said about bad input.

use expect_test::{Expect, expect};
use hardbop_base::{Id, Sources};
use hardbop_bp::{MAX_NESTING, Program, parse, verify};

/// Reads and prints; the print must read back as the same program.
fn check_print(text: &str, expected: Expect) {
    let program = read(text);
    expected.assert_eq(&program.to_string());
    assert_eq!(read(&program.to_string()), program);
}

fn read(text: &str) -> Program {
    let (program, errors) = parse(text, Id::from_usize(0));
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    program
}

/// All messages about a text: of the parser or, if it has nothing to say, of the verifier.
fn check_errors(text: &str, expected: Expect) {
    let mut sources = Sources::new();
    let file = sources.add("t.bp", text);
    let (program, mut errors) = parse(text, file);
    if errors.is_empty() {
        errors = verify(&program);
    }
    let short: String = errors
        .render(&sources)
        .lines()
        .filter(|l| !l.starts_with("    "))
        .map(|l| format!("{l}\n"))
        .collect();
    expected.assert_eq(&short);
}

#[test]
fn everything_once() {
    check_print(
        "/* a */ decl g, {x == y}; // b
         decl h;
         bool<2> f(a, b) begin decl c; enforce !(a & b) ; decl d;
           a,b := !a, schoose[a,*] constrain 'a => 'b & g;
           return a, b
         end
         bool k() begin return 1; end;
         void main() begin
           decl x;
           if x then skip else fi;
           if (x) then g := 0; elsif {x == y} then od: skip2: ; else L: assert(true) fi
           while * do _, x := f(x, F); f(x, *); M: od
           abortif ~x; dead g, {x == y}; assume x;
           1: goto L, M, 1;
           return;
         end"
        .replace("od:", "ode:")
        .as_str(),
        expect![[r#"
            decl g, {x == y};
            decl h;

            bool<2> f(a, b) begin
              decl c;
              enforce !(a & b);
              decl d;
              a, b := !a, schoose[a, *] constrain 'a => 'b & g;
              return a, b;
            end

            bool k() begin
              return T;
            end

            void main() begin
              decl x;
              if (x) then
                skip;
              else
              fi;
              if (x) then
                g := F;
              elsif ({x == y}) then
                ode: skip2: ;
              else
                L: assert(T);
              fi;
              while (*) do
                _, x := f(x, F);
                f(x, *);
                M: ;
              od;
              abortif !x;
              dead g, {x == y};
              assume(x);
              1: goto L, M, 1;
              return;
            end
        "#]],
    );
}

#[test]
fn operators_bind_as_documented() {
    check_print(
        "void main() begin
           assume(a | b & c ^ d = e => f != g);
           assume((a = b) = c); assume(a = (b = c)); assume((a & b) & c); assume(!(a | b) & !!c);
           assume(a & (b | c)); assume((a & b) | c); assume('x == y || z && w);
         end",
        expect![[r#"
            void main() begin
              assume(a | b & c ^ d = e => f != g);
              assume((a = b) = c);
              assume(a = b = c);
              assume((a & b) & c);
              assume(!(a | b) & !!c);
              assume(a & (b | c));
              assume(a & b | c);
              assume('x = y | z & w);
            end
        "#]],
    );
}

#[test]
fn block_form() {
    check_print(
        "var x, y;
         A: x := true; goto B;
         B: assert x; x := x ∧ ¬y; goto B or C;
         0: assume x; goto 0, C;
         C:",
        expect![[r#"
            var x, y;
            A:
              x := T;
              goto B;
            B:
              assert(x);
              x := x & !y;
              goto B or C;
            0:
              assume(x);
              goto 0 or C;
            C:
        "#]],
    );
}

#[test]
fn all_syntax_errors_are_reported() {
    check_errors(
        "decl a b;
void f( begin x := ; skip end
bool<0> g() begin a := b c; a := ?; return; end
foo
void main() begin
  if then a := 1; fi
  while a begin skip; od;
  a := 2; start_thread f(); skip
  goto ; assert a); a, := b; {x = 1; 
  a := f(b) constrain c;
  fi
",
        expect![[r#"
            t.bp:1:8: error: expected `;`, found `b`
            t.bp:2:9: error: expected a variable's name, found `begin`
            t.bp:2:20: error: expected an expression, found `;`
            t.bp:3:6: error: the number of results must be between 1 and 65536
            t.bp:3:26: error: expected `;`, found `c`
            t.bp:3:34: error: unexpected character `?`
            t.bp:3:35: error: expected an expression, found `;`
            t.bp:4:1: error: expected `decl` or a procedure, found `foo`
            t.bp:6:6: error: expected an expression, found `then`
            t.bp:7:11: error: expected `do`, found `begin`
            t.bp:7:23: error: `od` closes nothing
            t.bp:8:8: error: expected `0` or `1`, found `2`
            t.bp:8:11: error: `start_thread`: threads are not supported
            t.bp:9:3: error: expected `;`, found `goto`
            t.bp:9:8: error: expected a label, found `;`
            t.bp:9:18: error: expected `;`, found `)`
            t.bp:9:24: error: expected a variable's name, found `:=`
            t.bp:9:30: error: `{` without `}` on the same line, or text that is not UTF-8
            t.bp:10:13: error: `constrain` belongs to assignments, not to calls
            t.bp:11:3: error: `fi` closes nothing
            t.bp:12:1: error: expected `end`, found the end of the text
        "#]],
    );
}

#[test]
fn block_form_errors() {
    check_errors(
        "var x y; A: if x then skip; fi; goto A; skip; B: x := ; C: goto A B; x",
        expect![[r#"
        t.bp:1:7: error: expected `;`, found `y`
        t.bp:1:13: error: `if` has no place in a program of blocks
        t.bp:1:29: error: expected a statement, found `fi`
        t.bp:1:41: error: expected the label of the next block after `goto`
        t.bp:1:55: error: expected an expression, found `;`
        t.bp:1:67: error: expected `;`, found `B`
        t.bp:1:71: error: expected `:=`, found the end of the text
    "#]],
    );
    check_errors(
        "var x;",
        expect![[r#"
            t.bp:1:7: error: expected a block, found the end of the text
        "#]],
    );
}

#[test]
fn all_other_errors_are_reported() {
    check_errors(
        "decl g, g;
bool<2> f(a, a) begin decl b, a; return a; end
void f() begin return T; end
void h() begin
  g, g := T, F;
  g := T, F;
  x := y & 'g;
  g := T constrain 'z;
  L: skip; L: goto L, M;
  skip; enforce g;
  g := f(T, F);
  g, x := f(T);
  g := h();
  k();
  dead g, g;
  if (*) then decl b; else decl b; fi;
end
",
        expect![[r#"
            error: there is no procedure `main`
            t.bp:1:9: error: global variable `g` is declared twice
            t.bp:1:6: note: first declared here
            t.bp:2:14: error: local variable `a` is declared twice
            t.bp:2:11: note: first declared here
            t.bp:2:31: error: local variable `a` is declared twice
            t.bp:2:11: note: first declared here
            t.bp:2:34: error: `f` returns 2 values, not 1
            t.bp:3:6: error: procedure `f` is declared twice
            t.bp:2:1: note: first declared here
            t.bp:3:16: error: `f` returns 0 values, not 1
            t.bp:5:6: error: `g` is assigned twice
            t.bp:5:3: note: first assigned here
            t.bp:6:3: error: 2 values assigned to 1 variable
            t.bp:7:3: error: unknown variable `x`
            t.bp:7:8: error: unknown variable `y`
            t.bp:7:12: error: `'g` is allowed only in `constrain`
            t.bp:8:21: error: unknown variable `z`
            t.bp:9:12: error: label `L` is declared twice
            t.bp:9:3: note: first declared here
            t.bp:9:23: error: unknown label `M`
            t.bp:10:9: error: `enforce` must come before the first statement of a procedure, without a label
            t.bp:11:3: error: `f` returns 2 values, not 1
            t.bp:12:3: error: `f` takes 2 arguments, not 1
            t.bp:12:6: error: unknown variable `x`
            t.bp:13:3: error: `h` returns 0 values, not 1
            t.bp:14:3: error: unknown procedure `k`
            t.bp:15:11: error: `g` is assigned twice
            t.bp:15:8: note: first assigned here
            t.bp:16:33: error: local variable `b` is declared twice
            t.bp:16:20: note: first declared here
        "#]],
    );
    check_errors(
        "",
        expect![[r#"
        error: there is no procedure `main`
    "#]],
    );
    check_errors(
        "var x; A: x := y; goto B; A: f();",
        expect![[r#"
            t.bp:1:16: error: unknown variable `y`
            t.bp:1:24: error: unknown label `B`
            t.bp:1:27: error: label `A` is declared twice
            t.bp:1:8: note: first declared here
            t.bp:1:30: error: unknown procedure `f`
        "#]],
    );
}

#[test]
fn programs_in_the_documentation_are_valid() {
    let document = include_str!("../../../docs/boolean-programs.md");
    let is_program = |block: &&str| block.starts_with("\ndecl") || block.starts_with("\nvar");
    let programs: Vec<&str> = document.split("```").skip(1).step_by(2).filter(is_program).collect();
    assert_eq!(programs.len(), 2);
    for text in programs {
        let errors = verify(&read(text));
        assert!(errors.is_empty(), "{errors:?}\n{text}");
    }
}

#[test]
fn main_may_have_formals_and_results() {
    assert!(verify(&read("bool main(a, b) begin assert(a | b); end")).is_empty());
}

#[test]
fn deep_nesting_is_an_error_and_long_chains_are_not() {
    let deep = 100_000;
    let texts = [
        format!("void main() begin assume({}a{}); end", "(".repeat(deep), ")".repeat(deep)),
        format!("void main() begin assume({}a); end", "!".repeat(deep)),
        format!("void main() begin assume(a{}); end", " => a".repeat(deep)),
        format!("void main() begin assume({}", "schoose[".repeat(deep)),
        format!("void main() begin {}", "while a do ".repeat(deep)),
        format!("void main() begin {}", "if a then ".repeat(deep)),
        format!("void main() begin {}", "if a then skip; else ".repeat(deep)),
    ];
    for text in &texts {
        let (_, errors) = parse(text, Id::from_usize(0));
        let messages: Vec<&str> = errors.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, [format!("nested more than {MAX_NESTING} levels deep; the rest is not read")]);
    }
    let chain = |symbol: &str| vec!["a"; deep].join(symbol);
    let elsifs = "elsif a then skip; ".repeat(deep);
    let text = format!(
        "decl a; void main() begin assume({} = {}); if a then {elsifs} fi; end",
        chain(" & "),
        chain(" ^ ")
    );
    let program = read(&text);
    assert!(verify(&program).is_empty());
    assert_eq!(read(&program.to_string()), program);
}

#[test]
fn nesting_up_to_the_limit_is_read_printed_and_resolved() {
    let n = MAX_NESTING - 2;
    let expr = format!("{}a{}", "!(a & (b ^ ".repeat(n / 3), "))".repeat(n / 3));
    let text = format!(
        "decl a, b; void main() begin assume({expr}); {} {} end",
        "if a then while b do ".repeat(n / 2),
        "od; fi; ".repeat(n / 2)
    );
    let program = read(&text);
    assert!(verify(&program).is_empty());
    assert_eq!(read(&program.to_string()), program);
}

#[test]
fn any_bytes_are_accepted() {
    let parts = [
        "decl",
        "void",
        "bool<2>",
        "main",
        "f",
        "(",
        ")",
        "begin",
        "end",
        "if",
        "then",
        "else",
        "elsif",
        "fi",
        "while",
        "do",
        "od",
        "goto",
        "L",
        ":",
        ";",
        ":=",
        ",",
        "*",
        "'",
        "{",
        "}",
        "a b",
        "schoose",
        "[",
        "]",
        "!",
        "&",
        "|",
        "=>",
        "assume",
        "assert",
        "constrain",
        "return",
        "enforce",
        "var",
        "or",
        "/*",
        "*/",
        "//",
        "\n",
        "\u{7f}",
        "é",
        "7",
        "0",
        "dead",
        "_",
        "skip",
        "=",
        "\0",
        "∧",
    ];
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for round in 0..3_000 {
        let mut text: Vec<u8> = if round % 2 == 0 { b"var x; A: ".to_vec() } else { Vec::new() };
        for _ in 0..below(60) {
            text.extend(parts[below(parts.len())].bytes());
            text.extend(if below(4) == 0 { b"" } else { b" ".as_slice() });
            if below(40) == 0 {
                text.push(u8::try_from(below(256)).unwrap_or(0));
            }
        }
        let (program, errors) = parse(&text, Id::from_usize(0));
        if errors.is_empty() {
            assert_eq!(read(&program.to_string()), program);
            verify(&program);
        }
    }
}
