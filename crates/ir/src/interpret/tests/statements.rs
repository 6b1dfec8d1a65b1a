//! Statements and operators that the other files do not cover.

use super::*;
use crate::{Arbitrary, MemoryKind, UnaryOp, Undefined};

fn undefined(op: BinaryOp, width: u16, signed: bool, x: i128, y: i128) -> Outcome {
    let mut b = Builder::new();
    let ty = b.p.machine(width, signed);
    let (a, c) = (b.local("a", ty), b.local("c", ty));
    b.nondet(a);
    b.nondet(c);
    let (va, vc) = (b.var(a), b.var(c));
    let value = b.bin(op, va, vc);
    b.ret(value);
    b.outcome(&[x as u128, y as u128])
}

#[test]
fn undefined_operations_end_the_run() {
    let what = |outcome: Outcome| match outcome {
        Outcome::Undefined { what, site } => {
            assert_eq!(site.span.line, 3);
            what
        }
        other => panic!("{other:?}"),
    };
    for width in [8, 16, 32, 64, 128] {
        for signed in [false, true] {
            for op in [BinaryOp::Div, BinaryOp::Rem] {
                assert_eq!(what(undefined(op, width, signed, 5, 0)), Undefined::DivisionByZero);
            }
            for op in [BinaryOp::Shl, BinaryOp::Shr] {
                assert_eq!(what(undefined(op, width, signed, 1, width.into())), Undefined::ShiftOutOfRange);
                assert_eq!(what(undefined(op, width, true, 1, -1)), Undefined::ShiftOutOfRange);
                assert_eq!(name(&undefined(op, width, signed, 1, i128::from(width) - 1)), "returned");
            }
        }
        let least = i128::MIN >> (128 - width);
        assert_eq!(what(undefined(BinaryOp::Div, width, true, least, -1)), Undefined::DivisionOverflow);
        assert_eq!(what(undefined(BinaryOp::Rem, width, true, least, -1)), Undefined::DivisionOverflow);
        assert_eq!(name(&undefined(BinaryOp::Div, width, false, least, -1)), "returned");
    }
}

#[test]
fn overflow_wraps() {
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    b.nondet(x);
    let (vx, one) = (b.var(x), b.num(1));
    let more = b.bin(BinaryOp::Add, vx, one);
    b.ret(more);
    assert_eq!(b.outcome(&[i32::MAX as u128]), Outcome::Returned(i32::MIN.into()));
}

#[test]
fn copies_and_fills() {
    let mut b = Builder::new();
    let byte = b.p.machine(8, false);
    let (array, pointer) = (b.p.array_of(byte, 8), b.p.pointer_to(byte));
    let a = b.global("a", array);
    let place = b.p.var_place(a);
    for i in 0..8 {
        let (index, value) = (b.num(i), b.p.int(i, byte));
        let element = b.p.index(place, index);
        b.store(element, value);
    }
    let start = b.p.address_of(place);
    let start = b.p.cast(start, pointer);
    let (two, five) = (b.num(2), b.num(5));
    let target = b.bin(BinaryOp::PointerAdd, start, two);
    // Overlapping: 0 1 0 1 2 3 4 7
    b.push(Statement::Copy { target, source: start, length: five });
    let nine = b.p.int(0x109, byte);
    let one = b.num(1);
    // 0 1 9 1 2 3 4 7
    b.push(Statement::Fill { target, byte: nine, length: one });
    // Nothing is accessed where nothing is copied.
    let (null, zero) = (b.p.int(0, pointer), b.num(0));
    b.push(Statement::Copy { target: null, source: null, length: zero });
    b.push(Statement::Fill { target: null, byte: nine, length: zero });
    let mut sum = b.num(0);
    let ten = b.num(10);
    for i in 0..8 {
        let index = b.num(i);
        let element = b.p.index(place, index);
        let value = b.p.load(element);
        let value = b.p.cast(value, b.int);
        let shifted = b.bin(BinaryOp::Mul, sum, ten);
        sum = b.bin(BinaryOp::Add, shifted, value);
    }
    b.check(sum, 1_912_347);
}

#[test]
fn copies_and_fills_stay_in_bounds() {
    for (length, fill) in [(9, false), (9, true), (-1, false), (-1, true)] {
        let mut b = Builder::new();
        let byte = b.p.machine(8, false);
        let (array, pointer) = (b.p.array_of(byte, 8), b.p.pointer_to(byte));
        let (a, c) = (b.global("a", array), b.global("c", array));
        let [a, c] = [a, c].map(|var| {
            let place = b.p.var_place(var);
            let address = b.p.address_of(place);
            b.p.cast(address, pointer)
        });
        let (length, zero) = (b.num(length), b.p.int(0, byte));
        b.push(if fill {
            Statement::Fill { target: a, byte: zero, length }
        } else {
            Statement::Copy { target: a, source: c, length }
        });
        let zero = b.num(0);
        b.ret(zero);
        assert_eq!(name(&b.outcome(&[])), "out-of-bounds");
    }
}

#[test]
fn copied_bytes_get_values() {
    let mut b = Builder::new();
    let pointer = b.p.pointer_to(b.int);
    let size = b.num(8);
    let [p, q] = [(); 2].map(|()| {
        let result = b.temp(pointer);
        b.push(Statement::Allocate { result, size, kind: MemoryKind::Heap, may_fail: false });
        b.var(result)
    });
    b.push(Statement::Copy { target: q, source: p, length: size });
    let [x, y] = [p, q].map(|pointer| {
        let place = b.p.deref(pointer);
        b.p.load(place)
    });
    let difference = b.bin(BinaryOp::Sub, x, y);
    b.ret(difference);
    let run = b.run(&[0, 0, 123]);
    assert_eq!((run.outcome, run.draws.len()), (Outcome::Returned(0), 3));
    assert_eq!(run.draws[2].width, 64);
}

#[test]
fn havoc_draws_scalars_at_once() {
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    let g = b.global("g", b.int);
    for kind in [Arbitrary::Nondet("n".into()), Arbitrary::External("e".into()), Arbitrary::Assembly] {
        for var in [x, g] {
            let place = b.p.var_place(var);
            b.havoc(place, kind.clone());
        }
    }
    let (vx, vg) = (b.var(x), b.var(g));
    let sum = b.bin(BinaryOp::Add, vx, vg);
    b.ret(sum);
    let run = b.run(&[1, 2, 3, 4, 5, 6]);
    assert_eq!((run.outcome, run.draws.len()), (Outcome::Returned(11), 6));
}

#[test]
fn output_goes_to_result_or_sink() {
    let mut b = Builder::new();
    let char = b.p.machine(8, true);
    let array = b.p.array_of(char, 8);
    let text = b.variable("literal", array, VarKind::Static);
    b.p.globals.push(text);
    let values = b"x=%d\n".iter().enumerate();
    let values = values.map(|(i, &c)| crate::InitialValue {
        offset: i as u64,
        bits: None,
        value: b.p.int(c.into(), char),
    });
    let values = values.collect();
    b.p.variables[text].initial = Initial::Values(values);
    let place = b.p.var_place(text);
    let address = b.p.address_of(place);
    let (answer, zero) = (b.num(42), b.num(0));
    b.push(Statement::Output { function: "printf".into(), arguments: vec![address, answer] });
    b.push(Statement::Output { function: "unheard_of".into(), arguments: vec![address] });
    b.ret(zero);
    let program = b.build();
    let run = super::super::run(&program, &mut ListInputs::default(), Limits::default());
    assert_eq!(run.output, b"x=42\n");
    let mut shown = Vec::new();
    let mut sink = |bytes: &[u8]| shown.extend_from_slice(bytes);
    let options = RunOptions { sink: Some(&mut sink), ..RunOptions::default() };
    let run = Interpreter::new(&program).run(&mut ListInputs::default(), options);
    assert!(run.output.is_empty());
    assert_eq!(shown, b"x=42\n");
    let limits = Limits { output: 3, ..Limits::default() };
    assert_eq!(super::super::run(&program, &mut ListInputs::default(), limits).output, b"x=4");
}

#[test]
fn mathematical_integers_do_not_wrap() {
    let mut b = Builder::new();
    let integer = b.p.intern_type(crate::Type::Integer);
    let (g, x) = (b.global("g", integer), b.local("x", integer));
    let (big, seven) = (b.p.int(i128::from(i64::MAX), integer), b.p.int(-7, integer));
    b.set(g, big);
    let vg = b.var(g);
    let product = b.bin(BinaryOp::Mul, vg, vg);
    b.set(x, product);
    let vx = b.var(x);
    let back = b.bin(BinaryOp::Div, vx, vg);
    let same = b.bin(BinaryOp::Eq, back, vg);
    b.push(Statement::Assume(same));
    b.set(g, seven);
    let two = b.p.int(2, integer);
    let down = b.bin(BinaryOp::Div, vg, two);
    let rest = b.bin(BinaryOp::Rem, vg, two);
    let ten = b.p.int(10, integer);
    let value = b.bin(BinaryOp::Mul, down, ten);
    let value = b.bin(BinaryOp::Add, value, rest);
    let value = b.p.unary(UnaryOp::Neg, value);
    b.ret(value);
    assert_eq!(b.outcome(&[]), Outcome::Returned(39));
}

#[test]
fn mathematical_integers_have_a_limit() {
    let mut b = Builder::new();
    let integer = b.p.intern_type(crate::Type::Integer);
    let g = b.global("g", integer);
    b.p.variables[g].initial = Initial::Arbitrary;
    let vg = b.var(g);
    let square = b.bin(BinaryOp::Mul, vg, vg);
    let negative = b.p.unary(UnaryOp::Neg, square);
    let zero = b.p.int(0, integer);
    let holds = b.bin(BinaryOp::Lt, negative, zero);
    b.push(Statement::Assume(holds));
    let zero = b.num(0);
    b.ret(zero);
    let program = b.build();
    let go = |value| super::super::run(&program, &mut ListInputs::all([value]), Limits::default()).outcome;
    assert_eq!(go(5), Outcome::Returned(0));
    assert_eq!(name(&go(1 << 100)), "unsupported");
}

#[test]
fn truth_values_live_in_memory_too() {
    let mut b = Builder::new();
    let bool = b.p.bool();
    let g = b.global("g", bool);
    let truth = b.p.truth(true);
    b.set(g, truth);
    let vg = b.var(g);
    let not = b.p.not(vg);
    let x = b.local("x", bool);
    b.set(x, not);
    let vx = b.var(x);
    let both = b.p.intern_expr(crate::ExprKind::Binary(BinaryOp::Or, vx, vg), bool);
    let value = b.p.cast(both, b.int);
    b.check(value, 1);
}

#[test]
fn mathematical_integers_can_be_reached_through_pointers() {
    let mut b = Builder::new();
    let integer = b.p.intern_type(crate::Type::Integer);
    let pointer = b.p.pointer_to(integer);
    let (g, x, p) = (b.global("g", integer), b.local("x", integer), b.local("p", pointer));
    b.p.variables[g].initial = Initial::Arbitrary;
    let unset = b.p.var_place(g);
    // x = 2^100; p = &x; *p = *p * 4; p = &g; *p = *p + x
    let big = b.p.int(1 << 100, integer);
    b.set(x, big);
    for (var, factor) in [(x, 4), (g, 1)] {
        let place = b.p.var_place(var);
        let address = b.p.address_of(place);
        b.set(p, address);
        let vp = b.var(p);
        let target = b.p.deref(vp);
        let (old, factor, vx) = (b.p.load(target), b.p.int(factor, integer), b.var(x));
        let mut new = b.bin(BinaryOp::Mul, old, factor);
        if var == g {
            new = b.bin(BinaryOp::Add, new, vx);
        }
        b.push(Statement::Assign(target, new));
    }
    // return g / 2^100
    let value = b.p.load(unset);
    let value = b.bin(BinaryOp::Div, value, big);
    b.ret(value);
    let program = b.build();
    let go = |value| super::super::run(&program, &mut ListInputs::all([value]), Limits::default());
    assert_eq!(go(3 << 100).outcome, Outcome::Returned(7));
    assert_eq!(go(u128::MAX).outcome, Outcome::Returned(3), "the global was -1 before");
    assert_eq!(go(0).draws.len(), 1, "the global is drawn once, as a whole");
    assert_eq!(go(0).draws[0].ty, Some(integer));
}

#[test]
fn mathematical_integers_can_be_elements() {
    let mut b = Builder::new();
    let integer = b.p.intern_type(crate::Type::Integer);
    let array = b.p.array_of(integer, 3);
    let a = b.local("a", array);
    let whole = b.p.var_place(a);
    let elements: Vec<_> = (0..3)
        .map(|i| {
            let index = b.num(i);
            b.p.index(whole, index)
        })
        .collect();
    for (i, &element) in elements.iter().enumerate() {
        let value = b.p.int((i as i128 + 1) << 90, integer);
        b.push(Statement::Assign(element, value));
    }
    let (first, last) = (b.p.load(elements[0]), b.p.load(elements[2]));
    let ratio = b.bin(BinaryOp::Div, last, first);
    b.ret(ratio);
    assert_eq!(b.outcome(&[]), Outcome::Returned(3));
}
