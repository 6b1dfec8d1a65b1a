//! The printers: what they write, and that gcc reads the same out of it.

use std::fmt::Write;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use hardbop_logic::c::{self, Name};
use hardbop_logic::{BvOp, Model, Node, Scalar, Sort, Term, Terms, Value, smtlib};
use hardbop_testkit::Rng;
use hardbop_testkit::formula::{Recipe, Shape};

/// Symbols that begin with `u` are unsigned.
fn name(terms: &Terms, t: Term) -> Name {
    let text = terms.symbol_name(t).unwrap().to_owned();
    Name { signed: !text.starts_with('u'), text }
}

fn check_c(build: impl FnOnce(&mut Terms) -> Vec<Term>, expected: Expect) {
    let mut terms = Terms::new();
    let built = build(&mut terms);
    let lines: Vec<String> =
        built.iter().map(|&t| c::expression(&terms, t, |symbol| name(&terms, symbol)).unwrap()).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn expressions_read_like_c() {
    check_c(
        |t| {
            let (x, y) = (t.symbol("x", Sort::BitVec(32)), t.symbol("y", Sort::BitVec(32)));
            let (u, c) = (t.symbol("u", Sort::BitVec(32)), t.symbol("c", Sort::BitVec(8)));
            let (p, n) = (t.symbol("p", Sort::Bool), t.symbol("ull", Sort::BitVec(64)));
            let [one, three, five, minus] = [1, 3, 5, u128::MAX].map(|value| t.bv(value, 32));
            let (before, wide, after) = (t.bv_sub(x, one), t.sign_extend(32, c), t.bv_add(y, three));
            let (mixed, low) = (t.bv_mul(x, u), t.extract(7, 0, x));
            let (half, half_up) = (t.bv_lshr(x, three), t.bv_ashr(x, three));
            let (masked, converted) = (t.bv_and(x, five), t.sign_extend(64, x));
            let product = t.bv_mul(three, after);
            let (lt, gt) = (t.bv_slt(x, y), t.bv_ult(five, x));
            let (negated, quotient) = (t.bv_not(x), t.bv_udiv(x, y));
            let choice = t.ite(lt, x, before);
            let either = t.or(&[p, lt]);
            let same = t.eq(before, y);
            vec![
                before,
                product,
                lt,
                gt,
                t.bv_ule(u, five),
                t.bv_sle(minus, x),
                t.bv_slt(u, x),
                same,
                t.ne(u, minus),
                t.eq(wide, x),
                t.bv_slt(wide, x),
                t.eq(mixed, minus),
                t.eq(low, c),
                t.bv_sle(half, y),
                t.bv_sle(half_up, y),
                t.eq(masked, five),
                t.eq(converted, n),
                t.eq(negated, quotient),
                t.implies(p, lt),
                t.and(&[either, same]),
                t.eq(choice, y),
            ]
        },
        expect![[r#"
            x - 1
            3 * y + 9
            x < y
            (unsigned int)x > 5
            u <= 5
            x >= -1
            (int)u < x
            x == y + 1
            u != 4294967295u
            x == c
            c < x
            x * u == 4294967295u
            c == (signed char)x
            (int)((unsigned int)x >> 3) <= y
            x >> 3 <= y
            (x & 5) == 5
            (long long)ull == x
            x + (unsigned int)x / (unsigned int)y == 4294967295u
            !p || x < y
            (x < y || p) && x == y + 1
            y == (y <= x ? x - 1 : x)"#]],
    );
}

#[test]
fn integers_read_like_mathematics() {
    check_c(
        |t| {
            let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
            let (one, two) = (t.int(1), t.int(2));
            let (next, double, minus) = (t.int_add(x, one), t.int_mul(two, x), t.int_neg(y));
            let (half, difference) = (t.int_div(x, two), t.int_sub(one, x));
            vec![
                next,
                t.int_sub(double, y),
                minus,
                difference,
                t.int_lt(x, y),
                t.int_le(y, x),
                t.int_le(x, two),
                t.int_lt(two, x),
                t.eq(half, y),
                t.ne(double, y),
            ]
        },
        expect![[r#"
            x + 1
            2 * x - y
            -y
            1 - x
            x < y
            x >= y
            x <= 2
            x > 2
            y == div(x, 2)
            y != 2 * x"#]],
    );
}

#[test]
fn scripts_share_subterms() {
    let mut t = Terms::new();
    let (x, y) = (t.symbol("x|1", Sort::BitVec(8)), t.symbol("$y", Sort::BitVec(5)));
    let memory = t.symbol("m", Sort::Array(Scalar::BitVec(8), Scalar::Bool));
    let (i, zero) = (t.symbol("i", Sort::Int), t.int(0));
    let wide = t.zero_extend(8, y);
    let product = t.bv_mul(x, wide);
    let square = t.bv_mul(product, product);
    let less = t.bv_slt(square, product);
    let (falsehood, quotient) = (t.bool(false), t.int_div(i, i));
    let empty = t.constant_array(Scalar::BitVec(8), falsehood);
    let written = t.store(memory, product, less);
    let same = t.eq(written, empty);
    let negative = t.int_lt(quotient, zero);
    let either = t.or(&[same, negative]);
    expect![[r#"
        (set-logic ALL)
        (declare-const |x%7c1| (_ BitVec 8))
        (declare-const |$y| (_ BitVec 5))
        (declare-const |m| (Array (_ BitVec 8) Bool))
        (declare-const |i| Int)
        (define-fun $$0 () (_ BitVec 8) (bvmul |x%7c1| ((_ zero_extend 3) |$y|)))
        (define-fun $$1 () Bool (bvslt (bvmul $$0 $$0) $$0))
        (assert (or (<= (ite (= |i| 0) 0 (div |i| |i|)) (- 1)) (= ((as const (Array (_ BitVec 8) Bool)) false) (store |m| $$0 $$1))))
        (assert $$1)
        (check-sat)
    "#]].assert_eq(&smtlib::script(&t, &[either, less]));
    expect!["(let (($$0 (bvmul |x%7c1| ((_ zero_extend 3) |$y|)))) (bvslt (bvmul $$0 $$0) $$0))"]
        .assert_eq(&smtlib::term(&t, less));
}

/// Doubling a term a hundred times makes a tree that no disk would hold.
#[test]
fn sharing_keeps_scripts_short() {
    let mut t = Terms::new();
    let mut x = t.symbol("x", Sort::BitVec(32));
    for _ in 0..100 {
        x = t.bv_mul(x, x);
    }
    let zero = t.bv(0, 32);
    let formula = t.eq(x, zero);
    assert!(smtlib::script(&t, &[formula]).len() < 10_000);
    assert!(smtlib::term(&t, formula).len() < 10_000);
    assert_eq!(c::expression(&t, formula, |symbol| name(&t, symbol)), None);
}

/// Random truth values as C, compiled by gcc, against their evaluation.
#[test]
#[allow(clippy::print_stderr)]
fn gcc_agrees() {
    if Command::new("gcc").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: no gcc");
        return;
    }
    let mut checks = String::new();
    let mut count = 0;
    for seed in 0..250 {
        let mut rng = Rng::new(seed);
        let widths = if seed % 3 == 0 { vec![8, 24, 32, 40, 64] } else { vec![8, 16, 32, 64] };
        let shape = Shape {
            steps: 45,
            widths,
            arrays: false,
            integers: false,
            array_equalities: false,
            products: true,
        };
        let recipe = Recipe::random(&mut rng, &shape);
        let mut terms = Terms::new();
        let cooked = recipe.cook(&mut terms);
        for _ in 0..4 {
            let model = recipe.random_model(&mut rng, &mut terms);
            for &step in recipe.truths().iter().rev().take(6) {
                if !is_defined(&terms, cooked[step], &model) {
                    continue;
                }
                let signed = seed % 2 == 0;
                let symbol_name = |t: Term| Name { text: terms.symbol_name(t).unwrap().into(), signed };
                let Some(text) = c::expression(&terms, cooked[step], symbol_name) else { continue };
                count += 1;
                check_text(
                    &terms,
                    cooked[step],
                    &model,
                    signed,
                    &format!("{seed}, {step}"),
                    &text,
                    &mut checks,
                );
            }
        }
    }
    assert!(count > 2000, "only {count} expressions");
    run_c(&format!("#include <stdio.h>\nint main(void) {{\n  int wrong = 0;\n{checks}  return wrong;\n}}\n"));
}

/// Whether no division or shift leaves what C defines.
fn is_defined(terms: &Terms, t: Term, model: &Model) -> bool {
    terms.subterms(&[t]).into_iter().all(|t| {
        let Node::Bv(op, a, b) = *terms.node(t) else { return true };
        let (a, b, width) = (terms.evaluate(a, model), terms.evaluate(b, model), terms.width(t));
        let bits = b.as_bits().unwrap();
        match op {
            BvOp::Udiv | BvOp::Urem => bits != 0,
            BvOp::Sdiv | BvOp::Srem => {
                bits != 0 && (b.as_signed() != Some(-1) || a.as_bits() != Some(1 << (width - 1)))
            }
            BvOp::Shl | BvOp::Lshr | BvOp::Ashr => bits < u128::from(width),
            _ => true,
        }
    })
}

fn check_text(
    terms: &Terms,
    t: Term,
    model: &Model,
    signed: bool,
    label: &str,
    text: &str,
    checks: &mut String,
) {
    checks.push_str("  {\n");
    for symbol in terms.symbols(t) {
        let name = terms.symbol_name(symbol).unwrap();
        let value = terms.evaluate(symbol, model);
        let _ = match (terms.sort(symbol), value) {
            (Sort::BitVec(width), Value::BitVec { value, .. }) => {
                let prefix = if signed { "" } else { "unsigned " };
                let kind = match width {
                    8 if signed => "signed char",
                    8 => "char",
                    16 => "short",
                    24 | 32 => "int",
                    _ => "long long",
                };
                let spare = if width <= 32 { 32 - width } else { 64 - width };
                let container = if width <= 32 { "int" } else { "long long" };
                match width {
                    24 | 40 => {
                        // A symbol of an odd width lives in a wider type, with its value.
                        let shift = format!("({prefix}{container})({value}ull << {spare}) >> {spare}");
                        writeln!(checks, "    volatile {prefix}{container} {name} = {shift};")
                    }
                    _ => writeln!(checks, "    volatile {prefix}{kind} {name} = ({prefix}{kind}){value}ull;"),
                }
            }
            (_, value) => {
                writeln!(checks, "    volatile int {name} = {};", u8::from(value.as_bool().unwrap()))
            }
        };
    }
    let expected = u8::from(terms.evaluate(t, model).as_bool().unwrap());
    let _ = writeln!(
        checks,
        "    if (!!({text}) != {expected}) {{ wrong = 1; printf(\"%s\\n\", {:?}); }}\n  }}",
        format!("{label}: {text}")
    );
}

fn run_c(source: &str) {
    let folder = std::env::temp_dir().join(format!("hardbop-print-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (file, program) = (folder.join("checks.c"), folder.join("checks"));
    std::fs::write(&file, source).unwrap();
    let gcc =
        Command::new("gcc").args(["-O0", "-fwrapv", "-w", "-o"]).arg(&program).arg(&file).output().unwrap();
    let messages = String::from_utf8_lossy(&gcc.stderr);
    assert!(gcc.status.success(), "{}", &messages[..messages.len().min(3000)]);
    let run = Command::new(&program).output().unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "wrong:\n{}", &output[..output.len().min(3000)]);
    std::fs::remove_dir_all(&folder).unwrap();
}
