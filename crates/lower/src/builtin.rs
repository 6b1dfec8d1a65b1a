//! Builtins that the front end recognises: bit counting, exact arithmetic, atomics, floating-point
//! classification.

use hardbop_base::Span;
use hardbop_ir::{
    Arbitrary, BinaryOp, ExprId, ExprKind, FloatKind, Halt, MemoryKind, Statement, Type, TypeId, UnaryOp,
};
use hardbop_syntax::ast::{self, AtomicOp, AtomicUpdate, Builtin};

use crate::body::Body;

impl Body<'_, '_> {
    /// Lowers a builtin; one without a value gives 0.
    pub(crate) fn builtin(
        &mut self,
        builtin: Builtin,
        operands: &[ast::ExprId],
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        match (builtin, operands) {
            (Builtin::Abs, &[x]) => {
                let x = self.value(x);
                let x = self.ir().cast(x, ty);
                let zero = self.ir().int(0, ty);
                let negative = self.ir().binary(BinaryOp::Lt, x, zero);
                let minus = self.ir().unary(UnaryOp::Neg, x);
                self.ir().if_then_else(negative, minus, x)
            }
            (Builtin::ByteSwap, &[x]) => {
                let x = self.kept_value(x, span);
                let swapped = self.byte_swap(x);
                self.ir().cast(swapped, ty)
            }
            (
                Builtin::LeadingZeros
                | Builtin::TrailingZeros
                | Builtin::PopCount
                | Builtin::Parity
                | Builtin::FirstSet
                | Builtin::RedundantSignBits,
                &[x],
            ) => {
                let x = self.kept_value(x, span);
                let count = self.bit_count(builtin, x, span);
                self.ir().cast(count, ty)
            }
            (Builtin::Overflow { op, stores, .. }, &[a, b, target]) => {
                self.overflow(op, [a, b, target], stores, ty, span)
            }
            (Builtin::Atomic(op), _) => self.atomic(op, operands, ty, span),
            (Builtin::Expect, &[value, ref hints @ ..]) => {
                let value = self.value(value);
                hints.iter().for_each(|&hint| self.effect(hint));
                self.ir().cast(value, ty)
            }
            (Builtin::Prefetch, _) => {
                operands.iter().for_each(|&o| self.effect(o));
                self.ir().int(0, ty)
            }
            (Builtin::Unreachable, _) => self.stop(Halt::Unreachable, ty, span),
            (Builtin::Trap, _) => self.stop(Halt::Abort, ty, span),
            (Builtin::Alloca, &[size]) => {
                let size = self.value(size);
                let number = self.ir().address_type();
                let size = self.ir().cast(size, number);
                let address = self.allocate(size, MemoryKind::Stack, false, span);
                self.ir().cast(address, ty)
            }
            (Builtin::ConstantP, _) => self.ir().int(0, ty),
            (Builtin::ObjectSize, _) => self.ir().int(-1, ty),
            (Builtin::FrameAddress, _) => self.arbitrary(ty, Arbitrary::Uninitialised, span),
            _ => self.float_builtin(builtin, operands, ty, span),
        }
    }

    fn stop(&mut self, why: Halt, ty: TypeId, span: Span) -> ExprId {
        self.emit_last(Statement::Halt(why), span);
        self.ir().int(0, ty)
    }

    fn kept_value(&mut self, operand: ast::ExprId, span: Span) -> ExprId {
        let value = self.value(operand);
        self.keep(value, span)
    }

    // --- bits ---

    fn byte_swap(&mut self, x: ExprId) -> ExprId {
        let ty = self.ir().expr(x).ty;
        let Some((width, _)) = self.ir().machine_shape(ty) else { return x };
        let ty = self.ir().machine(width, false);
        let x = self.ir().cast(x, ty);
        let mask = self.ir().int(0xff, ty);
        let mut result = self.ir().int(0, ty);
        for byte in 0..width / 8 {
            let down = self.ir().int(i128::from(byte * 8), ty);
            let up = self.ir().int(i128::from(width - 8 - byte * 8), ty);
            let low = self.ir().binary(BinaryOp::Shr, x, down);
            let low = self.ir().binary(BinaryOp::And, low, mask);
            let moved = self.ir().binary(BinaryOp::Shl, low, up);
            result = self.ir().binary(BinaryOp::Or, result, moved);
        }
        result
    }

    fn bit_count(&mut self, builtin: Builtin, x: ExprId, span: Span) -> ExprId {
        let ty = self.ir().expr(x).ty;
        let Some((width, _)) = self.ir().machine_shape(ty) else { return x };
        let (unsigned, signed) = (self.ir().machine(width, false), self.ir().machine(width, true));
        let u = self.ir().cast(x, unsigned);
        let (zero, one) = (self.ir().int(0, unsigned), self.ir().int(1, unsigned));
        if matches!(builtin, Builtin::LeadingZeros | Builtin::TrailingZeros) {
            // Undefined for zero: the run ends there.
            let (fine, bad) = (self.location(), self.location());
            let some = self.ir().binary(BinaryOp::Ne, u, zero);
            self.split(some, fine, bad, span);
            self.continue_at(bad);
            self.emit_last(Statement::Halt(Halt::Unreachable), span);
            self.continue_at(fine);
        }
        match builtin {
            Builtin::PopCount => self.population(u, span),
            Builtin::Parity => {
                let count = self.population(u, span);
                self.ir().binary(BinaryOp::And, count, one)
            }
            Builtin::LeadingZeros => self.leading_zeros(u, span),
            Builtin::TrailingZeros => self.trailing_zeros(u, span),
            Builtin::FirstSet => {
                let zeros = self.trailing_zeros(u, span);
                let position = self.ir().binary(BinaryOp::Add, zeros, one);
                let none = self.ir().binary(BinaryOp::Eq, u, zero);
                self.ir().if_then_else(none, zero, position)
            }
            _ => {
                let s = self.ir().cast(x, signed);
                let sign_bit = self.ir().int(i128::from(width - 1), signed);
                let sign = self.ir().binary(BinaryOp::Shr, s, sign_bit);
                let folded = self.ir().binary(BinaryOp::Xor, s, sign);
                let folded = self.ir().cast(folded, unsigned);
                let folded = self.keep_in_temp(folded, span);
                let zeros = self.leading_zeros(folded, span);
                self.ir().binary(BinaryOp::Sub, zeros, one)
            }
        }
    }

    /// The number of ones, by adding neighbouring fields of 1, 2, 4, … bits.
    fn population(&mut self, x: ExprId, span: Span) -> ExprId {
        let ty = self.ir().expr(x).ty;
        let Some((width, _)) = self.ir().machine_shape(ty) else { return x };
        let mut sum = x;
        let mut field = 1;
        while field < width {
            let mut mask = 0u128;
            let mut bit = 0;
            while bit < width {
                mask |= ((1u128 << field) - 1) << bit;
                bit += 2 * field;
            }
            let mask = self.ir().int(mask as i128, ty);
            let by = self.ir().int(i128::from(field), ty);
            let low = self.ir().binary(BinaryOp::And, sum, mask);
            let high = self.ir().binary(BinaryOp::Shr, sum, by);
            let high = self.ir().binary(BinaryOp::And, high, mask);
            let added = self.ir().binary(BinaryOp::Add, low, high);
            sum = self.keep_in_temp(added, span);
            field *= 2;
        }
        sum
    }

    /// Zeros above the highest one; the width for zero.
    fn leading_zeros(&mut self, x: ExprId, span: Span) -> ExprId {
        let ty = self.ir().expr(x).ty;
        let Some((width, _)) = self.ir().machine_shape(ty) else { return x };
        let mut smeared = x;
        let mut by = 1;
        while by < width {
            let amount = self.ir().int(i128::from(by), ty);
            let moved = self.ir().binary(BinaryOp::Shr, smeared, amount);
            let both = self.ir().binary(BinaryOp::Or, smeared, moved);
            smeared = self.keep_in_temp(both, span);
            by *= 2;
        }
        let above = self.ir().unary(UnaryOp::BitNot, smeared);
        let above = self.keep_in_temp(above, span);
        self.population(above, span)
    }

    /// Zeros below the lowest one; the width for zero.
    fn trailing_zeros(&mut self, x: ExprId, span: Span) -> ExprId {
        let ty = self.ir().expr(x).ty;
        let one = self.ir().int(1, ty);
        let minus = self.ir().unary(UnaryOp::Neg, x);
        let lowest = self.ir().binary(BinaryOp::And, x, minus);
        let below = self.ir().binary(BinaryOp::Sub, lowest, one);
        let below = self.keep_in_temp(below, span);
        self.population(below, span)
    }

    // --- arithmetic that tells whether it fits ---

    fn overflow(
        &mut self,
        op: ast::BinaryOp,
        operands: [ast::ExprId; 3],
        stores: bool,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let [a, b, target] = operands;
        let target_value = self.kept_value(target, span);
        let (b, a) = (self.kept_value(b, span), self.kept_value(a, span));
        let target_ty = self.ir().expr(target_value).ty;
        let kind = if stores { self.ir().pointee(target_ty) } else { Some(target_ty) };
        let shapes = [a, b].map(|x| {
            let ty = self.ir().expr(x).ty;
            self.ir().machine_shape(ty)
        });
        let (Some(kind), [Some((wa, sa)), Some((wb, sb))]) = (kind, shapes) else {
            return self.unsupported_value(ty, span, "exact arithmetic on this type");
        };
        if wa > 64 || wb > 64 || self.ir().machine_shape(kind).is_none_or(|(w, _)| w > 64) {
            return self.unsupported_value(ty, span, "exact arithmetic on more than 64 bits");
        }
        // 128 bits hold every sum, difference and product of 64-bit values, unsigned products only
        // without a sign.
        let signed = op != ast::BinaryOp::Mul || sa || sb;
        let wide = self.ir().machine(128, signed);
        let (x, y) = (self.ir().cast(a, wide), self.ir().cast(b, wide));
        let op = match op {
            ast::BinaryOp::Add => BinaryOp::Add,
            ast::BinaryOp::Sub => BinaryOp::Sub,
            _ => BinaryOp::Mul,
        };
        let exact = self.ir().binary(op, x, y);
        let exact = self.keep(exact, span);
        let cut = self.ir().cast(exact, kind);
        if stores {
            let place = self.ir().deref(target_value);
            self.emit(Statement::Assign(place, cut), span);
        }
        let back = self.ir().cast(cut, wide);
        let lost = self.ir().binary(BinaryOp::Ne, back, exact);
        self.ir().cast(lost, ty)
    }

    // --- atomics, as plain code ---

    fn atomic(&mut self, op: AtomicOp, operands: &[ast::ExprId], ty: TypeId, span: Span) -> ExprId {
        if op == AtomicOp::Fence {
            return self.ir().int(0, ty);
        }
        let mut values: Vec<ExprId> = operands.iter().rev().map(|&o| self.kept_value(o, span)).collect();
        values.reverse();
        let Some(&pointer) = values.first() else { return self.ir().int(0, ty) };
        let object = self.ir().deref(pointer);
        let object_ty = self.ir().place(object).ty;
        if !self.ir().is_scalar(object_ty) {
            return self.unsupported_value(ty, span, "an atomic operation on an aggregate");
        }
        let old = self.ir().load(object);
        match (op, &values[1..]) {
            (AtomicOp::Load, _) => {
                let value = self.keep_in_temp(old, span);
                self.ir().cast(value, ty)
            }
            (AtomicOp::LoadInto, &[into]) => self.store_through(into, old, ty, span),
            (AtomicOp::Store, &[value, ..]) => self.store_through(pointer, value, ty, span),
            (AtomicOp::Exchange | AtomicOp::ExchangeInto, &[value, ref into @ ..]) => {
                let found = self.keep_in_temp(old, span);
                self.store_through(pointer, value, ty, span);
                match (op, into) {
                    (AtomicOp::ExchangeInto, &[into, ..]) => self.store_through(into, found, ty, span),
                    _ => self.ir().cast(found, ty),
                }
            }
            (AtomicOp::TestAndSet, _) => self.test_and_set(pointer, ty, span),
            (
                AtomicOp::CompareExchange | AtomicOp::SwapBool | AtomicOp::SwapValue,
                &[expected, desired, ..],
            ) => self.compare_exchange(op, pointer, expected, desired, (ty, span)),
            (AtomicOp::Fetch(update) | AtomicOp::Update(update), &[value, ..]) => {
                let found = self.keep_in_temp(old, span);
                let new = self.updated(update, found, value);
                let new = self.keep(new, span);
                self.store_through(pointer, new, ty, span);
                let answer = if matches!(op, AtomicOp::Fetch(_)) { found } else { new };
                self.ir().cast(answer, ty)
            }
            _ => self.unsupported_value(ty, span, "this atomic operation"),
        }
    }

    fn store_through(&mut self, pointer: ExprId, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        let place = self.ir().deref(pointer);
        let stored = self.ir().place(place).ty;
        let value = self.converted(value, stored, span);
        self.emit(Statement::Assign(place, value), span);
        if matches!(self.ir().ty(ty), Type::Machine { .. } | Type::Pointer(_)) {
            return self.ir().int(0, ty);
        }
        let int = self.ir().machine(32, true);
        self.ir().int(0, int)
    }

    fn test_and_set(&mut self, pointer: ExprId, ty: TypeId, span: Span) -> ExprId {
        let byte = self.ir().machine(8, false);
        let byte_pointer = self.ir().pointer_to(byte);
        let pointer = self.ir().cast(pointer, byte_pointer);
        let place = self.ir().deref(pointer);
        let old = self.ir().load(place);
        let old = self.keep_in_temp(old, span);
        let one = self.ir().int(1, byte);
        self.emit(Statement::Assign(place, one), span);
        let set = self.ir().nonzero(old);
        self.ir().cast(set, ty)
    }

    fn compare_exchange(
        &mut self,
        op: AtomicOp,
        pointer: ExprId,
        expected: ExprId,
        desired: ExprId,
        (ty, span): (TypeId, Span),
    ) -> ExprId {
        let object = self.ir().deref(pointer);
        let object_ty = self.ir().place(object).ty;
        let found = self.ir().load(object);
        let found = self.keep_in_temp(found, span);
        let wanted = if op == AtomicOp::CompareExchange {
            let place = self.ir().deref(expected);
            let value = self.ir().load(place);
            self.keep_in_temp(value, span)
        } else {
            expected
        };
        let wanted = self.converted(wanted, object_ty, span);
        let same = self.ir().binary(BinaryOp::Eq, found, wanted);
        let (yes, no, join) = (self.location(), self.location(), self.location());
        self.split(same, yes, no, span);
        self.continue_at(yes);
        self.store_through(pointer, desired, ty, span);
        self.jump(join, span);
        self.continue_at(no);
        if op == AtomicOp::CompareExchange {
            self.store_through(expected, found, ty, span);
        }
        self.jump(join, span);
        self.continue_at(join);
        let answer = if op == AtomicOp::SwapValue { found } else { same };
        self.ir().cast(answer, ty)
    }

    fn updated(&mut self, update: AtomicUpdate, old: ExprId, value: ExprId) -> ExprId {
        let ty = self.ir().expr(old).ty;
        // Pointers are changed by bytes.
        let number = if self.ir().is_pointer(ty) { self.ir().address_type() } else { ty };
        let (x, y) = (self.ir().cast(old, number), self.ir().cast(value, number));
        let new = match update {
            AtomicUpdate::Add => self.ir().binary(BinaryOp::Add, x, y),
            AtomicUpdate::Sub => self.ir().binary(BinaryOp::Sub, x, y),
            AtomicUpdate::And => self.ir().binary(BinaryOp::And, x, y),
            AtomicUpdate::Or => self.ir().binary(BinaryOp::Or, x, y),
            AtomicUpdate::Xor => self.ir().binary(BinaryOp::Xor, x, y),
            AtomicUpdate::Nand => {
                let both = self.ir().binary(BinaryOp::And, x, y);
                self.ir().unary(UnaryOp::BitNot, both)
            }
        };
        self.ir().cast(new, ty)
    }

    // --- floating point ---

    fn float_builtin(
        &mut self,
        builtin: Builtin,
        operands: &[ast::ExprId],
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let mut values: Vec<ExprId> = operands.iter().rev().map(|&o| self.kept_value(o, span)).collect();
        values.reverse();
        let Some(&x) = values.first() else {
            return self.unsupported_value(ty, span, "this builtin");
        };
        let float_ty = self.ir().expr(x).ty;
        let Type::Float(kind) = *self.ir().ty(float_ty) else {
            return self.unsupported_value(ty, span, "this builtin on something that is not a float");
        };
        let truth = match (builtin, values.get(1).copied()) {
            (Builtin::IsNan, _) => self.ir().binary(BinaryOp::Ne, x, x),
            (Builtin::IsInfinite, _) => {
                let [low, high] = self.infinite(x, kind);
                self.ir().binary(BinaryOp::Or, low, high)
            }
            (Builtin::IsFinite, _) => self.finite(x, kind),
            (Builtin::IsNormal, _) => self.normal(x, kind),
            (Builtin::Unordered, Some(y)) => {
                let (a, b) = (self.ir().binary(BinaryOp::Ne, x, x), self.ir().binary(BinaryOp::Ne, y, y));
                self.ir().binary(BinaryOp::Or, a, b)
            }
            (Builtin::LessGreater, Some(y)) => {
                let (a, b) = (self.ir().binary(BinaryOp::Lt, x, y), self.ir().binary(BinaryOp::Lt, y, x));
                self.ir().binary(BinaryOp::Or, a, b)
            }
            (Builtin::SignBit, _) => self.sign_bit(x, kind, span),
            (Builtin::InfiniteSign, _) => {
                let [low, high] = self.infinite(x, kind);
                let [one, minus, zero] = [1, -1, 0].map(|v| self.ir().int(v, ty));
                let other = self.ir().if_then_else(low, minus, zero);
                return self.ir().if_then_else(high, one, other);
            }
            (Builtin::FloatClass, _) => return self.float_class(&values, kind, ty, span),
            (Builtin::FloatAbs, _) => {
                let negative = self.sign_bit(x, kind, span);
                return self.with_sign(x, negative, ty);
            }
            (Builtin::CopySign, Some(y)) => {
                let (own, other) = (self.sign_bit(x, kind, span), self.sign_bit(y, kind, span));
                let differ = self.ir().binary(BinaryOp::Xor, own, other);
                return self.with_sign(x, differ, ty);
            }
            _ => return self.unsupported_value(ty, span, "this builtin"),
        };
        self.ir().cast(truth, ty)
    }

    /// The answer among those for a NaN, an infinity, a normal, a subnormal number and zero.
    fn float_class(&mut self, values: &[ExprId], kind: FloatKind, ty: TypeId, span: Span) -> ExprId {
        let &[x, nan, infinite, normal, subnormal, zero] = values else {
            return self.unsupported_value(ty, span, "this builtin");
        };
        let [nan, infinite, normal, subnormal, zero] =
            [nan, infinite, normal, subnormal, zero].map(|v| self.ir().cast(v, ty));
        let is_nan = self.ir().binary(BinaryOp::Ne, x, x);
        let [low, high] = self.infinite(x, kind);
        let is_infinite = self.ir().binary(BinaryOp::Or, low, high);
        let is_some = self.ir().nonzero(x);
        let is_normal = self.normal(x, kind);
        let small = self.ir().if_then_else(is_some, subnormal, zero);
        let finite = self.ir().if_then_else(is_normal, normal, small);
        let number = self.ir().if_then_else(is_infinite, infinite, finite);
        self.ir().if_then_else(is_nan, nan, number)
    }

    fn with_sign(&mut self, x: ExprId, flip: ExprId, ty: TypeId) -> ExprId {
        let minus = self.ir().unary(UnaryOp::Neg, x);
        let value = self.ir().if_then_else(flip, minus, x);
        self.ir().cast(value, ty)
    }

    /// Whether it is minus infinity, and whether it is infinity.
    fn infinite(&mut self, x: ExprId, kind: FloatKind) -> [ExprId; 2] {
        let ty = self.ir().expr(x).ty;
        let high = self.ir().intern_expr(ExprKind::Float(infinity(kind)), ty);
        let low = self.ir().unary(UnaryOp::Neg, high);
        [low, high].map(|bound| self.ir().binary(BinaryOp::Eq, x, bound))
    }

    fn normal(&mut self, x: ExprId, kind: FloatKind) -> ExprId {
        let ty = self.ir().expr(x).ty;
        let least = self.ir().intern_expr(ExprKind::Float(least_normal(kind)), ty);
        let minus = self.ir().unary(UnaryOp::Neg, least);
        let above = self.ir().binary(BinaryOp::Le, least, x);
        let below = self.ir().binary(BinaryOp::Le, x, minus);
        let large = self.ir().binary(BinaryOp::Or, above, below);
        let finite = self.finite(x, kind);
        self.ir().binary(BinaryOp::And, large, finite)
    }

    fn finite(&mut self, x: ExprId, kind: FloatKind) -> ExprId {
        let ty = self.ir().expr(x).ty;
        let high = self.ir().intern_expr(ExprKind::Float(infinity(kind)), ty);
        let low = self.ir().unary(UnaryOp::Neg, high);
        let above = self.ir().binary(BinaryOp::Lt, low, x);
        let below = self.ir().binary(BinaryOp::Lt, x, high);
        self.ir().binary(BinaryOp::And, above, below)
    }

    /// The sign bit, read from memory: comparisons do not tell that of zeros and NaNs.
    fn sign_bit(&mut self, x: ExprId, kind: FloatKind, span: Span) -> ExprId {
        let ty = self.ir().expr(x).ty;
        let stored = self.local("$float", ty, span);
        self.set(stored, x, span);
        let place = self.ir().var_place(stored);
        let byte = self.ir().machine(8, false);
        let pointer = self.ir().pointer_to(byte);
        let last = match kind {
            FloatKind::F32 => 3,
            FloatKind::F64 => 7,
            FloatKind::F80 => 9,
        };
        let address = self.cx.address_at(place, last, pointer);
        let place = self.ir().deref(address);
        let value = self.ir().load(place);
        let value = self.keep_in_temp(value, span);
        let limit = self.ir().int(0x80, byte);
        self.ir().binary(BinaryOp::Le, limit, value)
    }
}

fn infinity(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::F32 => u128::from(f32::INFINITY.to_bits()),
        FloatKind::F64 => u128::from(f64::INFINITY.to_bits()),
        FloatKind::F80 => 0x7fff_8000_0000_0000_0000,
    }
}

fn least_normal(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::F32 => u128::from(f32::MIN_POSITIVE.to_bits()),
        FloatKind::F64 => u128::from(f64::MIN_POSITIVE.to_bits()),
        FloatKind::F80 => 0x0001_8000_0000_0000_0000,
    }
}
