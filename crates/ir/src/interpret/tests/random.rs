//! Compiled code against the reference evaluator on random expressions, and replay of random runs.

use super::*;
use crate::{BitRange, ExprKind, Field, FloatKind, Record, RecordKind, Type, UnaryOp};

/// A small generator of random expressions over some variables.
struct Generator {
    state: u64,
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % n
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// An expression of the given type.
    fn expr(&mut self, b: &mut Builder, leaves: &[ExprId], ty: TypeId, depth: usize) -> ExprId {
        let kind = b.p.ty(ty).clone();
        if depth == 0 {
            return self.leaf(b, leaves, ty);
        }
        let depth = depth - 1;
        if self.below(6) == 0 {
            let bool = b.p.bool();
            let c = self.expr(b, leaves, bool, depth);
            let (x, y) = (self.expr(b, leaves, ty, depth), self.expr(b, leaves, ty, depth));
            return b.p.if_then_else(c, x, y);
        }
        match kind {
            Type::Bool => {
                let operand = self.scalar_type(b);
                let (x, y) = (self.expr(b, leaves, operand, depth), self.expr(b, leaves, operand, depth));
                let op = self.pick(&[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le]);
                let compared = b.bin(op, x, y);
                if self.below(4) == 0 {
                    b.p.intern_expr(ExprKind::Unary(UnaryOp::Not, compared), ty)
                } else {
                    compared
                }
            }
            Type::Float(_) => {
                let x = self.expr(b, leaves, ty, depth);
                match self.below(3) {
                    0 => b.p.unary(UnaryOp::Neg, x),
                    1 => self.cast(b, leaves, ty, depth),
                    _ => {
                        let y = self.expr(b, leaves, ty, depth);
                        let op = self.pick(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div]);
                        b.bin(op, x, y)
                    }
                }
            }
            _ => self.machine(b, leaves, ty, depth),
        }
    }

    fn machine(&mut self, b: &mut Builder, leaves: &[ExprId], ty: TypeId, depth: usize) -> ExprId {
        let x = self.expr(b, leaves, ty, depth);
        match self.below(8) {
            0 => b.p.unary(UnaryOp::Neg, x),
            1 => b.p.unary(UnaryOp::BitNot, x),
            2 | 3 => self.cast(b, leaves, ty, depth),
            4 => {
                let amount_type = self.machine_type(b);
                let amount = self.expr(b, leaves, amount_type, depth.min(1));
                // Mostly in range.
                let mask = b.p.int(7, amount_type);
                let amount = if self.below(8) == 0 { amount } else { b.bin(BinaryOp::And, amount, mask) };
                let op = self.pick(&[BinaryOp::Shl, BinaryOp::Shr]);
                b.bin(op, x, amount)
            }
            _ => {
                let y = self.expr(b, leaves, ty, depth);
                let one = b.p.int(1, ty);
                use BinaryOp::{Add, And, Div, Mul, Or, Rem, Sub, Xor};
                let op = self.pick(&[Add, Sub, Mul, And, Or, Xor, Div, Rem]);
                let mostly_nonzero = matches!(op, Div | Rem) && self.below(8) != 0;
                let y = if mostly_nonzero { b.bin(BinaryOp::Or, y, one) } else { y };
                b.bin(op, x, y)
            }
        }
    }

    fn cast(&mut self, b: &mut Builder, leaves: &[ExprId], ty: TypeId, depth: usize) -> ExprId {
        let from = self.scalar_type(b);
        let x = self.expr(b, leaves, from, depth);
        b.p.cast(x, ty)
    }

    fn machine_type(&mut self, b: &mut Builder) -> TypeId {
        let (width, signed) = (self.pick(&[8, 16, 32, 64, 128]), self.below(2) == 0);
        b.p.machine(width, signed)
    }

    fn scalar_type(&mut self, b: &mut Builder) -> TypeId {
        match self.below(5) {
            0 => {
                let kind = self.pick(&[FloatKind::F32, FloatKind::F64, FloatKind::F80]);
                b.p.intern_type(Type::Float(kind))
            }
            _ => self.machine_type(b),
        }
    }

    fn leaf(&mut self, b: &mut Builder, leaves: &[ExprId], ty: TypeId) -> ExprId {
        match *b.p.ty(ty) {
            Type::Bool => {
                let value = self.below(2) == 0;
                b.p.truth(value)
            }
            Type::Float(kind) if self.below(3) == 0 => {
                let value = self.pick(&[0.0, 1.0, -2.5, 1e10, 1e-10, 0.1]);
                b.p.intern_expr(ExprKind::Float(super::super::float::from_f64(kind, value)), ty)
            }
            Type::Machine { .. } if self.below(3) == 0 => {
                let value =
                    self.pick(&[0, 1, -1, 2, 7, 127, 128, 255, 1 << 15, 1 << 31, i64::MAX.into(), i128::MIN]);
                b.p.int(value, ty)
            }
            _ => {
                let leaf = self.pick(leaves);
                b.p.cast(leaf, ty)
            }
        }
    }
}

/// Checks at every step that the value about to be assigned is what the reference computes.
struct Reference {
    expr: ExprId,
    target: VarId,
    expected: Option<Result<Value, NoValue>>,
    got: Option<Value>,
}

impl Observer for Reference {
    fn step(&mut self, view: &View<'_, '_>) {
        let edge = &view.program().procedures[view.procedure()].edges[view.edge()];
        match edge.statement {
            Statement::Assign(_, expr) if expr == self.expr => self.expected = Some(view.value(expr)),
            Statement::Skip => self.got = view.variable(self.target).ok(),
            _ => {}
        }
    }
}

fn same(a: Value, b: Value) -> bool {
    match (a, b) {
        // The sign and payload of a not-a-number are not compared: the host may choose them.
        (Value::Float(kind, x), Value::Float(_, y)) => {
            let nan = |v| !super::super::float::compare(kind, BinaryOp::Eq, v, v);
            x == y || nan(x) && nan(y)
        }
        _ => a == b,
    }
}

#[test]
fn compiled_expressions_agree_with_the_reference() {
    let mut undefined = 0;
    for seed in 0..1500 {
        let mut g = Generator { state: seed };
        let mut b = Builder::for_model(if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 });
        // Variables in slots and in memory, and a bit-field.
        let mut leaves = Vec::new();
        for i in 0..6 {
            let ty = g.scalar_type(&mut b);
            let var = if i % 2 == 0 { b.local("x", ty) } else { b.global("x", ty) };
            b.nondet(var);
            leaves.push(b.var(var));
        }
        leaves.push(bit_field(&mut b, &mut g));
        let ty = g.scalar_type(&mut b);
        let target = b.local("target", ty);
        let expr = g.expr(&mut b, &leaves, ty, 4);
        b.set(target, expr);
        b.push(Statement::Skip);
        let zero = b.num(0);
        b.ret(zero);
        let program = b.build();
        let interpreter = Interpreter::new(&program);
        for input in 0..3 {
            let mut watch = Reference { expr, target, expected: None, got: None };
            let mut inputs = SeededInputs::new(seed * 3 + input);
            let run = interpreter.observe(&mut inputs, RunOptions::default(), &mut watch);
            match watch.expected.expect("the assignment is reached") {
                Ok(expected) => {
                    let got = watch.got.expect("the assignment is done");
                    assert!(same(expected, got), "seed {seed} {input}: {got} instead of {expected}");
                    assert_eq!(run.outcome, Outcome::Returned(0));
                }
                Err(NoValue::Undefined(expected)) => {
                    undefined += 1;
                    assert!(
                        matches!(run.outcome, Outcome::Undefined { what, .. } if what == expected),
                        "seed {seed} {input}: {:?} instead of {expected:?}",
                        run.outcome
                    );
                }
                Err(other) => panic!("seed {seed} {input}: {other:?}"),
            }
            check_replay(&program, &run, Limits::default());
        }
    }
    assert!(undefined > 100, "{undefined}");
}

fn bit_field(b: &mut Builder, g: &mut Generator) -> ExprId {
    let ty = g.machine_type(b);
    let declared = 8 * b.p.size_of(ty) as u8;
    let (first, width) = (g.below(8) as u8, 1 + g.below(usize::from(declared)) as u8);
    let record = b.p.records.push(Record {
        name: "r".into(),
        kind: RecordKind::Struct,
        fields: vec![Field { name: "f".into(), ty, offset: 1, bits: Some(BitRange { first, width }) }],
        size: 32,
        align: 1,
        span: Span::none(),
    });
    let ty = b.p.intern_type(Type::Record(record));
    let var = b.global("r", ty);
    let place = b.p.var_place(var);
    let place = b.p.field(place, 0);
    b.havoc(place, crate::Arbitrary::Nondet("bits".into()));
    b.p.load(place)
}

/// Checks assignments to whole variables and guards against the reference, all along a run.
#[derive(Default)]
struct Checker {
    expected: Option<(usize, ProcId, PlaceId, Value)>,
    checked: usize,
}

impl Observer for Checker {
    fn step(&mut self, view: &View<'_, '_>) {
        let program = view.program();
        if let Some((depth, procedure, place, expected)) = self.expected.take()
            && (depth, procedure) == (view.depth(), view.procedure())
        {
            let got = view.place(place).expect("what was assigned has a value");
            assert!(same(expected, got), "{got} instead of {expected}");
            self.checked += 1;
        }
        match program.procedures[view.procedure()].edges[view.edge()].statement {
            Statement::Assign(place, expr) if program.place(place).path.is_empty() => {
                let is_variable = matches!(program.place(place).base, crate::PlaceBase::Var(_));
                if let (true, Ok(value)) = (is_variable, view.value(expr)) {
                    self.expected = Some((view.depth(), view.procedure(), place, value));
                }
            }
            Statement::Assume(condition) => {
                let value = view.value(condition);
                assert!(!matches!(value, Ok(Value::Truth(false))), "a guard that does not hold");
            }
            _ => {}
        }
    }
}

/// No program that the verifier accepts makes the interpreter panic; observing it changes nothing;
/// its draws replay it.
#[test]
fn verified_programs_run() {
    let (mut checked, mut outcomes) = (0, std::collections::BTreeMap::new());
    for seed in 0..600 {
        let mut program = crate::testing::random_program(seed, crate::testing::Size::default());
        let interpreter_entries: Vec<ProcId> = program.procedures.ids().collect();
        let limits = Limits { steps: 2000, memory: 1 << 24, draws: 10_000, depth: 50, ..Limits::default() };
        for entry in interpreter_entries {
            if !program.procedures[entry].formals.is_empty() {
                continue;
            }
            program.entry = Some(entry);
            let interpreter = Interpreter::new(&program);
            for inputs in 0..4 {
                let options = || RunOptions { limits, ..RunOptions::default() };
                let run = interpreter.run(&mut SeededInputs::new(inputs), options());
                let mut checker = Checker::default();
                let observed = interpreter.observe(&mut SeededInputs::new(inputs), options(), &mut checker);
                assert_eq!(run, observed, "seed {seed}, entry {entry:?}, inputs {inputs}");
                checked += checker.checked;
                *outcomes.entry(name(&run.outcome)).or_insert(0) += 1;
                check_replay(&program, &run, limits);
            }
        }
    }
    assert!(checked > 100, "{checked}");
    assert!(outcomes.len() > 8, "{outcomes:?}");
}
