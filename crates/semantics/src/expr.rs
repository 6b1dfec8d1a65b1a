//! Values of expressions.
//!
//! Each operator of the IR has one translation here. Where it is partial, the condition under which
//! it is defined goes to `conditions`; the value is then that of SMT-LIB's total operator.

use hardbop_ir::{BinaryOp, ExprId, ExprKind, ProcId, Type, TypeId, UnaryOp};
use hardbop_logic::{Sort, Term};

use crate::coder::{Coder, Object};
use crate::state::State;

impl Coder<'_> {
    /// The value of a scalar expression in a state. Conditions under which the evaluation is
    /// defined are appended.
    pub fn value(&mut self, state: &State, expr: ExprId, conditions: &mut Vec<Term>) -> Term {
        let program = self.program;
        let e = program.expr(expr);
        match e.kind {
            ExprKind::Int(value) => self.integer_constant(value, e.ty),
            ExprKind::Bool(value) => self.terms().bool(value),
            ExprKind::Float(bits) => {
                let sort = self.scalar_sort(e.ty);
                let Sort::BitVec(width) = sort else { unreachable!("floats are bit-vectors") };
                self.terms().bv(bits, width)
            }
            ExprKind::Load(place) => self.read(state, place, conditions),
            ExprKind::AddressOf(place) => self.address(state, place, conditions),
            ExprKind::Function(procedure) => self.address_of_object(Object::Procedure(procedure)),
            ExprKind::Unary(op, operand) => self.unary(state, op, operand, conditions),
            ExprKind::Binary(op, a, b) => self.binary(state, op, a, b, conditions),
            ExprKind::Cast(operand) => {
                let value = self.value(state, operand, conditions);
                self.cast(value, program.expr(operand).ty, e.ty, conditions)
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.value(state, condition, conditions);
                let negated = self.terms().not(condition);
                let then = self.guarded(state, condition, then, conditions);
                let otherwise = self.guarded(state, negated, otherwise, conditions);
                self.terms().ite(condition, then, otherwise)
            }
        }
    }

    /// The value of an expression that is evaluated only if `guard` holds.
    fn guarded(&mut self, state: &State, guard: Term, expr: ExprId, conditions: &mut Vec<Term>) -> Term {
        let mut inner = Vec::new();
        let value = self.value(state, expr, &mut inner);
        if !inner.is_empty() {
            let defined = self.terms().and(&inner);
            let condition = self.terms().implies(guard, defined);
            conditions.push(condition);
        }
        value
    }

    /// A predicate read in a state: total, whatever may be undefined in it.
    pub fn holds(&mut self, state: &State, predicate: ExprId) -> Term {
        let open = std::mem::replace(&mut self.encoder.open_shifts, false);
        let value = self.value(state, predicate, &mut Vec::new());
        self.encoder.open_shifts = open;
        value
    }

    pub(crate) fn scalar_sort(&self, ty: TypeId) -> Sort {
        self.sort_of(ty).expect("the verifier lets only scalars be computed with")
    }

    fn integer_constant(&mut self, value: i128, ty: TypeId) -> Term {
        match self.scalar_sort(ty) {
            Sort::BitVec(width) => self.constant(value, width),
            _ => self.terms().int(value),
        }
    }

    /// A bit-vector constant from its two's complement value.
    pub(crate) fn constant(&mut self, value: i128, width: u32) -> Term {
        let mask = if width >= 128 { u128::MAX } else { (1u128 << width) - 1 };
        self.terms().bv(value.cast_unsigned() & mask, width)
    }

    fn unary(&mut self, state: &State, op: UnaryOp, operand: ExprId, conditions: &mut Vec<Term>) -> Term {
        let value = self.value(state, operand, conditions);
        match (op, self.expr_type(operand)) {
            (UnaryOp::Not, _) => self.terms().not(value),
            (UnaryOp::BitNot, _) => self.terms().bv_not(value),
            (UnaryOp::Neg, Type::Integer) => self.terms().int_neg(value),
            (UnaryOp::Neg, Type::Float(_)) => self.flip_sign(value),
            (UnaryOp::Neg, _) => self.terms().bv_neg(value),
        }
    }

    /// Negation of a float changes its sign bit, also of a NaN.
    fn flip_sign(&mut self, value: Term) -> Term {
        let width = self.width(value);
        let sign = self.terms().bv(1u128 << (width - 1), width);
        self.terms().bv_xor(value, sign)
    }

    pub(crate) fn width(&self, term: Term) -> u32 {
        match self.encoder.terms.sort(term) {
            Sort::BitVec(width) => width,
            other => unreachable!("{other:?} is no bit-vector"),
        }
    }

    fn binary(
        &mut self,
        state: &State,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        conditions: &mut Vec<Term>,
    ) -> Term {
        let program = self.program;
        let (x, y) = (self.value(state, a, conditions), self.value(state, b, conditions));
        let ty = program.expr(a).ty;
        match *program.ty(ty) {
            Type::Bool => self.truth_operation(op, x, y),
            Type::Integer => self.unbounded_operation(op, x, y, conditions),
            Type::Float(kind) => self.float_operation(kind, op, x, y),
            Type::Pointer(target) => {
                let size = program.size_of(target);
                match op {
                    BinaryOp::PointerAdd => {
                        let index = self.resize(y, program.expr(b).ty, self.pointer_bits());
                        self.displaced(x, index, size)
                    }
                    BinaryOp::PointerDiff => self.distance(x, y, size, conditions),
                    _ => self.machine_operation(op, false, x, y, conditions),
                }
            }
            Type::Machine { signed, .. } if matches!(op, BinaryOp::Shl | BinaryOp::Shr) => {
                self.shift(op, signed, x, y, conditions)
            }
            Type::Machine { signed, .. } => self.machine_operation(op, signed, x, y, conditions),
            ref other => unreachable!("operator on {other:?}"),
        }
    }

    fn truth_operation(&mut self, op: BinaryOp, x: Term, y: Term) -> Term {
        let terms = self.terms();
        match op {
            BinaryOp::And => terms.and(&[x, y]),
            BinaryOp::Or => terms.or(&[x, y]),
            BinaryOp::Eq => terms.iff(x, y),
            BinaryOp::Xor | BinaryOp::Ne => terms.xor(x, y),
            _ => unreachable!("{op:?} of truth values"),
        }
    }

    fn unbounded_operation(&mut self, op: BinaryOp, x: Term, y: Term, conditions: &mut Vec<Term>) -> Term {
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            return self.floor_division(op, x, y, conditions);
        }
        let terms = self.terms();
        match op {
            BinaryOp::Add => terms.int_add(x, y),
            BinaryOp::Sub => terms.int_sub(x, y),
            BinaryOp::Mul => terms.int_mul(x, y),
            BinaryOp::Eq => terms.eq(x, y),
            BinaryOp::Ne => terms.ne(x, y),
            BinaryOp::Lt => terms.int_lt(x, y),
            BinaryOp::Le => terms.int_le(x, y),
            _ => unreachable!("{op:?} of mathematical integers"),
        }
    }

    /// SMT-LIB's remainder is never negative; ours has the sign of the divisor.
    fn floor_division(&mut self, op: BinaryOp, x: Term, y: Term, conditions: &mut Vec<Term>) -> Term {
        let terms = self.terms();
        let zero = terms.int(0);
        let defined = terms.ne(y, zero);
        let rest = terms.int_mod(x, y);
        let inexact = terms.ne(rest, zero);
        let negative = terms.int_lt(y, zero);
        let correct = terms.and(&[inexact, negative]);
        let value = if op == BinaryOp::Div {
            let quotient = terms.int_div(x, y);
            let one = terms.int(1);
            let lower = terms.int_sub(quotient, one);
            terms.ite(correct, lower, quotient)
        } else {
            let shifted = terms.int_add(rest, y);
            terms.ite(correct, shifted, rest)
        };
        conditions.push(defined);
        value
    }

    fn machine_operation(
        &mut self,
        op: BinaryOp,
        signed: bool,
        x: Term,
        y: Term,
        conditions: &mut Vec<Term>,
    ) -> Term {
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            self.require_quotient(signed, x, y, conditions);
        }
        let terms = self.terms();
        match (op, signed) {
            (BinaryOp::Add, _) => terms.bv_add(x, y),
            (BinaryOp::Sub, _) => terms.bv_sub(x, y),
            (BinaryOp::Mul, _) => terms.bv_mul(x, y),
            (BinaryOp::Div, true) => terms.bv_sdiv(x, y),
            (BinaryOp::Div, false) => terms.bv_udiv(x, y),
            (BinaryOp::Rem, true) => terms.bv_srem(x, y),
            (BinaryOp::Rem, false) => terms.bv_urem(x, y),
            (BinaryOp::Shl, _) => terms.bv_shl(x, y),
            (BinaryOp::Shr, true) => terms.bv_ashr(x, y),
            (BinaryOp::Shr, false) => terms.bv_lshr(x, y),
            (BinaryOp::And, _) => terms.bv_and(x, y),
            (BinaryOp::Or, _) => terms.bv_or(x, y),
            (BinaryOp::Xor, _) => terms.bv_xor(x, y),
            (BinaryOp::Eq, _) => terms.eq(x, y),
            (BinaryOp::Ne, _) => terms.ne(x, y),
            (BinaryOp::Lt, true) => terms.bv_slt(x, y),
            (BinaryOp::Lt, false) => terms.bv_ult(x, y),
            (BinaryOp::Le, true) => terms.bv_sle(x, y),
            (BinaryOp::Le, false) => terms.bv_ule(x, y),
            (BinaryOp::PointerAdd | BinaryOp::PointerDiff, _) => unreachable!("{op:?} of machine integers"),
        }
    }

    /// The divisor is not zero, and the quotient is in range.
    fn require_quotient(&mut self, signed: bool, x: Term, y: Term, conditions: &mut Vec<Term>) {
        let width = self.width(x);
        let terms = self.terms();
        let zero = terms.bv(0, width);
        let nonzero = terms.ne(y, zero);
        conditions.push(nonzero);
        if signed {
            let least = terms.bv(1u128 << (width - 1), width);
            let minus_one = terms.bv_not(zero);
            let (a, b) = (terms.ne(x, least), terms.ne(y, minus_one));
            let in_range = terms.or(&[a, b]);
            conditions.push(in_range);
        }
    }

    /// A shift by an amount of any type. A negative amount is huge, and a huge one ends the run or gives anything.
    fn shift(
        &mut self,
        op: BinaryOp,
        signed: bool,
        x: Term,
        amount: Term,
        conditions: &mut Vec<Term>,
    ) -> Term {
        let (width, amount_width) = (self.width(x), self.width(amount));
        let resized = self.resize_unsigned(amount, width);
        let shifted = self.machine_operation(op, signed, x, resized, conditions);
        // If the amount's type cannot hold the width, each of its values is in range.
        if amount_width < 128 && u128::from(width) >= 1u128 << amount_width {
            return shifted;
        }
        let limit = self.terms().bv(u128::from(width), amount_width);
        let in_range = self.terms().bv_ult(amount, limit);
        if !self.encoder.open_shifts {
            conditions.push(in_range);
            return shifted;
        }
        if self.terms().as_bool(in_range) == Some(true) {
            return shifted;
        }
        self.encoder.saw_open_shift = true;
        let anything = self.arbitrary(Sort::BitVec(width));
        self.terms().ite(in_range, shifted, anything)
    }

    /// `pointer + index · size`.
    pub(crate) fn displaced(&mut self, pointer: Term, index: Term, size: u64) -> Term {
        let width = self.width(pointer);
        let size = self.constant(i128::from(size), width);
        let terms = self.terms();
        let bytes = terms.bv_mul(index, size);
        terms.bv_add(pointer, bytes)
    }

    fn distance(&mut self, x: Term, y: Term, size: u64, conditions: &mut Vec<Term>) -> Term {
        let width = self.width(x);
        let bytes = self.terms().bv_sub(x, y);
        match size {
            0 => {
                // Objects without a size have no distance.
                let never = self.terms().bool(false);
                conditions.push(never);
                bytes
            }
            1 => bytes,
            _ if u128::from(size) >> (width - 1) != 0 => self.constant(0, width),
            _ => {
                let size = self.constant(i128::from(size), width);
                self.terms().bv_sdiv(bytes, size)
            }
        }
    }

    /// The address of a procedure.
    pub fn procedure_address(&mut self, procedure: ProcId) -> Term {
        self.address_of_object(Object::Procedure(procedure))
    }

    /// Converts a value between scalar types.
    pub(crate) fn cast(&mut self, value: Term, from: TypeId, to: TypeId, conditions: &mut Vec<Term>) -> Term {
        let program = self.program;
        let sort = self.scalar_sort(to);
        match (program.ty(from), program.ty(to)) {
            (Type::Float(a), Type::Float(b)) if a == b => value,
            (Type::Float(_), _) | (_, Type::Float(_)) => self.float_cast(value, from, to, conditions),
            (Type::Bool, Type::Integer) => {
                let (one, zero) = (self.terms().int(1), self.terms().int(0));
                self.terms().ite(value, one, zero)
            }
            (Type::Bool, _) => {
                let Sort::BitVec(width) = sort else { return value };
                let (one, zero) = (self.constant(1, width), self.constant(0, width));
                self.terms().ite(value, one, zero)
            }
            _ => match sort {
                Sort::BitVec(width) => self.resize(value, from, width),
                _ => value,
            },
        }
    }

    /// Keeps the low bits, or extends as the type of the value asks.
    pub(crate) fn resize(&mut self, value: Term, ty: TypeId, to: u32) -> Term {
        let signed = self.program.machine_shape(ty).is_some_and(|(_, signed)| signed);
        if signed && self.width(value) < to {
            return self.terms().sign_extend(to, value);
        }
        self.resize_unsigned(value, to)
    }

    pub(crate) fn resize_unsigned(&mut self, value: Term, to: u32) -> Term {
        let width = self.width(value);
        match width.cmp(&to) {
            std::cmp::Ordering::Less => self.terms().zero_extend(to, value),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.terms().extract(to - 1, 0, value),
        }
    }
}
