//! Floating-point programs.

use super::*;
use crate::{FloatKind, Type, UnaryOp, Undefined};

/// `(to)((from)x OP (from)y)` with `x` and `y` drawn.
fn compute(kind: FloatKind, op: BinaryOp, x: u128, y: u128) -> u128 {
    let mut b = Builder::new();
    let ty = b.p.intern_type(Type::Float(kind));
    let wide = b.p.machine(128, false);
    let g = b.global("g", ty);
    let (a, c) = (b.local("a", ty), b.local("c", ty));
    b.nondet(a);
    b.nondet(c);
    let (va, vc) = (b.var(a), b.var(c));
    let value = b.bin(op, va, vc);
    b.set(g, value);
    let zero = b.num(0);
    b.push(Statement::Skip);
    b.ret(zero);
    let _ = wide;
    let program = b.build();
    let mut watch = Last { var: g, bits: 0 };
    let run =
        Interpreter::new(&program).observe(&mut ListInputs::all([x, y]), RunOptions::default(), &mut watch);
    assert_eq!(run.outcome, Outcome::Returned(0));
    watch.bits
}

struct Last {
    var: VarId,
    bits: u128,
}

impl Observer for Last {
    fn step(&mut self, view: &View<'_, '_>) {
        if let Ok(Value::Float(_, bits)) = view.variable(self.var) {
            self.bits = bits;
        }
    }
}

#[test]
fn arithmetic_in_three_formats() {
    for (x, y) in [(1.5f64, 2.25f64), (1.0, 3.0), (-1e300, 1e300), (0.1, 0.2)] {
        let got = compute(FloatKind::F64, BinaryOp::Div, x.to_bits().into(), y.to_bits().into());
        assert_eq!(f64::from_bits(got as u64), x / y);
        let (sx, sy) = (x as f32, y as f32);
        let got = compute(FloatKind::F32, BinaryOp::Mul, sx.to_bits().into(), sy.to_bits().into());
        assert_eq!(f32::from_bits(got as u32), sx * sy);
    }
    let of = |v| super::super::float::from_f64(FloatKind::F80, v);
    let third = compute(FloatKind::F80, BinaryOp::Div, of(1.0), of(3.0));
    assert_eq!(third, 0x3ffd_aaaa_aaaa_aaaa_aaab);
}

#[test]
fn conversions_truncate_or_end_the_run() {
    let go = |kind: FloatKind, value: f64, width: u16, signed: bool| {
        let mut b = Builder::new();
        let (ty, to) = (b.p.intern_type(Type::Float(kind)), b.p.machine(width, signed));
        let long = b.p.machine(64, true);
        b.next_procedure("main", Some(long));
        let x = b.local("x", ty);
        b.nondet(x);
        let vx = b.var(x);
        let whole = b.p.cast(vx, to);
        b.ret(whole);
        b.outcome(&[super::super::float::from_f64(kind, value)])
    };
    for kind in [FloatKind::F32, FloatKind::F64, FloatKind::F80] {
        assert_eq!(go(kind, -3.75, 32, true), Outcome::Returned(-3));
        assert_eq!(go(kind, 200.5, 8, false), Outcome::Returned(200));
        assert_eq!(go(kind, -0.75, 8, false), Outcome::Returned(0));
        for bad in [1e20, -1e20, f64::NAN, f64::INFINITY] {
            let outcome = go(kind, bad, 64, true);
            assert!(
                matches!(outcome, Outcome::Undefined { what: Undefined::FloatConversion, .. }),
                "{outcome:?}"
            );
        }
    }
}

#[test]
fn integers_convert_and_floats_negate() {
    let mut b = Builder::new();
    let double = b.p.intern_type(Type::Float(FloatKind::F64));
    let extended = b.p.intern_type(Type::Float(FloatKind::F80));
    let x = b.local("x", b.int);
    b.nondet(x);
    let vx = b.var(x);
    let value = b.p.cast(vx, extended);
    let value = b.p.unary(UnaryOp::Neg, value);
    let value = b.p.cast(value, double);
    let half = b.p.intern_expr(crate::ExprKind::Float(0.5f64.to_bits().into()), double);
    let value = b.bin(BinaryOp::Mul, value, half);
    let less = b.bin(BinaryOp::Lt, value, half);
    let less = b.p.cast(less, b.int);
    let whole = b.p.cast(value, b.int);
    let ten = b.num(10);
    let whole = b.bin(BinaryOp::Mul, whole, ten);
    let sum = b.bin(BinaryOp::Add, whole, less);
    b.ret(sum);
    assert_eq!(b.outcome(&[15]), Outcome::Returned(-69));
}

#[test]
fn not_a_number_takes_one_way() {
    // Neither x < y nor !(x < y) may be taken twice.
    let mut b = Builder::new();
    let double = b.p.intern_type(Type::Float(FloatKind::F64));
    let x = b.local("x", double);
    b.nondet(x);
    let vx = b.var(x);
    let less = b.bin(BinaryOp::Le, vx, vx);
    let not = b.p.not(less);
    let fork = b.here();
    for (value, guard) in [(1, less), (2, not)] {
        let arm = b.location();
        b.edge(fork, arm, Statement::Assume(guard));
        b.goto(arm);
        let value = b.num(value);
        b.ret(value);
    }
    let program = b.build();
    let go = |x: f64| {
        super::super::run(&program, &mut ListInputs::all([x.to_bits().into()]), Limits::default()).outcome
    };
    assert_eq!(go(1.0), Outcome::Returned(1));
    assert_eq!(go(f64::NAN), Outcome::Returned(2));
}
