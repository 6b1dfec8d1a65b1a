//! Assignments, compound assignments, `++` and `--`.
//!
//! Each is one statement where its value is not wanted, so that later stages see `x := x + 1` as
//! the source has it.

use hardbop_base::Span;
use hardbop_ir::{self as ir, BinaryOp, ExprId, ExprKind, FloatKind, PlaceId, Type, TypeId};
use hardbop_syntax::ast::{self, StepOp};

use crate::body::Body;

impl Body<'_, '_> {
    /// `target = value` as a statement.
    pub(crate) fn assign_effect(&mut self, target: ast::ExprId, value: ast::ExprId, span: Span) {
        let (place, value) = self.assign_operands(target, value, span);
        self.write(target, place, value, span);
    }

    /// `target = value` as an expression.
    pub(crate) fn assign_value(&mut self, target: ast::ExprId, value: ast::ExprId, span: Span) -> ExprId {
        let (place, value) = self.assign_operands(target, value, span);
        let value = self.keep(value, span);
        self.write(target, place, value, span);
        self.stored_value(place, value)
    }

    fn assign_operands(&mut self, target: ast::ExprId, value: ast::ExprId, span: Span) -> (PlaceId, ExprId) {
        let mut value = value;
        while let ast::ExprKind::Comma(first, second) = self.unit.exprs[value].kind {
            self.effect(first);
            value = second;
        }
        let (place, value) = match self.call_in(value, self.unit.exprs[target].ty) {
            Some(call) => self.call_operands(target, call, span),
            None => {
                let late = self.is_register_read(value);
                let mut kept = self.value(value);
                if self.has_effects(target) && !late {
                    kept = self.keep(kept, span);
                }
                (self.place(target), kept)
            }
        };
        let ty = self.ir().place(place).ty;
        (place, self.converted(value, ty, span))
    }

    /// The place is found between evaluating the arguments and calling.
    fn call_operands(&mut self, target: ast::ExprId, call: ast::ExprId, span: Span) -> (PlaceId, ExprId) {
        let e = &self.unit.exprs[call];
        let ast::ExprKind::Call { callee, arguments } = &e.kind else {
            let value = self.value(call);
            return (self.place(target), value);
        };
        let prepared = self.prepare_call(*callee, arguments, e.ty, e.span, true);
        let place = self.place(target);
        let place = self.keep_place(place, span);
        let value = self.finish_call(prepared, e.ty, e.span);
        let value = value.unwrap_or_else(|| {
            let ty = self.ty(e.ty);
            self.ir().int(0, ty)
        });
        (place, value)
    }

    /// The call that a value is, seen through conversions that lead back to its type and lose nothing.
    fn call_in(&mut self, value: ast::ExprId, target: ast::TypeId) -> Option<ast::ExprId> {
        let mut inner = value;
        while let ast::ExprKind::Cast(operand) = self.unit.exprs[inner].kind {
            inner = operand;
        }
        if !matches!(self.unit.exprs[inner].kind, ast::ExprKind::Call { .. }) {
            return None;
        }
        let ty = self.ty(self.unit.exprs[inner].ty);
        let mut outer = value;
        while let ast::ExprKind::Cast(operand) = self.unit.exprs[outer].kind {
            let through = self.ty(self.unit.exprs[outer].ty);
            let widths = [through, ty].map(|t| self.ir().machine_shape(t).map(|(width, _)| width));
            if through != ty && !matches!(widths, [Some(a), Some(b)] if a >= b) {
                return None;
            }
            outer = operand;
        }
        (inner == value || ty == self.ty(target)).then_some(inner)
    }

    /// The value that a place holds after a store: a bit-field keeps only its low bits.
    pub(crate) fn stored_value(&mut self, place: PlaceId, value: ExprId) -> ExprId {
        let Some(bits) = self.bit_field_width(place) else { return value };
        let ty = self.ir().expr(value).ty;
        let Some((width, _)) = self.ir().machine_shape(ty) else { return value };
        let unused = self.ir().int(i128::from(width - u16::from(bits)), ty);
        let high = self.ir().binary(BinaryOp::Shl, value, unused);
        self.ir().binary(BinaryOp::Shr, high, unused)
    }

    fn bit_field_width(&mut self, place: PlaceId) -> Option<u8> {
        let p = self.ir().place(place).clone();
        let ir::Projection::Field(field) = *p.path.last()? else { return None };
        let mut ty = match p.base {
            ir::PlaceBase::Var(variable) => self.ir().variables[variable].ty,
            ir::PlaceBase::Deref(pointer) => {
                let pointer = self.ir().expr(pointer).ty;
                self.ir().pointee(pointer)?
            }
        };
        for step in &p.path[..p.path.len() - 1] {
            ty = match (step, self.ir().ty(ty).clone()) {
                (ir::Projection::Field(f), Type::Record(id)) => {
                    self.ir().records[id].fields.get(*f as usize)?.ty
                }
                (ir::Projection::Index(_), Type::Array { element, .. }) => element,
                _ => return None,
            };
        }
        match *self.ir().ty(ty) {
            Type::Record(id) => Some(self.ir().records[id].fields.get(field as usize)?.bits?.width),
            _ => None,
        }
    }

    /// `target op= value`; its value only if wanted (else 0).
    pub(crate) fn assign_op(
        &mut self,
        op: ast::BinaryOp,
        computation: ast::TypeId,
        (target, value): (ast::ExprId, ast::ExprId),
        span: Span,
        wanted: bool,
    ) -> ExprId {
        let unit = self.unit;
        let effects = self.has_effects(value);
        let mut operand = effects.then(|| self.value(value));
        if self.has_effects(target) {
            operand = operand.map(|o| self.keep(o, span));
        }
        let mut place = self.place(target);
        // A value without effects is evaluated last, with the old value.
        let operand = operand.unwrap_or_else(|| self.value(value));
        if wanted {
            place = self.keep_place(place, span);
        }
        let old = self.read(target, place, span);
        let (ty, operand_ty) = (self.ir().place(place).ty, unit.exprs[value].ty);
        let is_pointer = self.ir().is_pointer(ty);
        let (old_ty, result_ty) = if is_pointer {
            (unit.exprs[target].ty, unit.exprs[target].ty)
        } else {
            (computation, computation)
        };
        let computed = self.ty(old_ty);
        let old = self.converted(old, computed, span);
        let new = self.arithmetic(op, (old, old_ty), (operand, operand_ty), result_ty);
        let new = self.stored_as(new, unit.exprs[target].ty, ty, span);
        self.store(target, place, new, span, wanted)
    }

    /// A computed value as one of the target's type: `_Bool` asks whether it is not zero.
    fn stored_as(&mut self, value: ExprId, target: ast::TypeId, ty: TypeId, span: Span) -> ExprId {
        if matches!(self.unit.types[target], ast::Type::Bool) {
            let truth = self.ir().nonzero(value);
            return self.ir().cast(truth, ty);
        }
        self.converted(value, ty, span)
    }

    fn store(
        &mut self,
        target: ast::ExprId,
        place: PlaceId,
        new: ExprId,
        span: Span,
        wanted: bool,
    ) -> ExprId {
        if !wanted {
            self.write(target, place, new, span);
            return new;
        }
        let new = self.keep(new, span);
        self.write(target, place, new, span);
        self.stored_value(place, new)
    }

    /// `++` and `--`; the value only if wanted (else meaningless).
    pub(crate) fn step(&mut self, op: StepOp, operand: ast::ExprId, span: Span, wanted: bool) -> ExprId {
        let mut place = self.place(operand);
        if wanted {
            place = self.keep_place(place, span);
        }
        let mut old = self.read(operand, place, span);
        let postfix = matches!(op, StepOp::PostIncrement | StepOp::PostDecrement);
        if wanted && postfix {
            old = self.keep_in_temp(old, span);
        }
        let up = matches!(op, StepOp::PreIncrement | StepOp::PostIncrement);
        let new = self.stepped(old, self.unit.exprs[operand].ty, up, span);
        let stored = self.store(operand, place, new, span, wanted && !postfix);
        if wanted && postfix { old } else { stored }
    }

    fn stepped(&mut self, old: ExprId, source: ast::TypeId, up: bool, span: Span) -> ExprId {
        let ty = self.ir().expr(old).ty;
        match (self.unit.types[source].clone(), self.ir().ty(ty).clone()) {
            (ast::Type::Bool, _) if up => self.ir().int(1, ty),
            (ast::Type::Bool, _) => {
                let zero = self.ir().int(0, ty);
                let unset = self.ir().binary(BinaryOp::Eq, old, zero);
                self.ir().cast(unset, ty)
            }
            (ast::Type::Pointer(element), _) => {
                let distance = self.ir().distance_type();
                let one = self.ir().int(if up { 1 } else { -1 }, distance);
                self.pointer_add(old, one, element)
            }
            (_, Type::Float(kind)) => {
                let one = self.ir().intern_expr(ExprKind::Float(one_bits(kind)), ty);
                self.ir().binary(if up { BinaryOp::Add } else { BinaryOp::Sub }, old, one)
            }
            (_, Type::Machine { .. }) => {
                let one = self.ir().int(1, ty);
                self.ir().binary(if up { BinaryOp::Add } else { BinaryOp::Sub }, old, one)
            }
            _ => self.unsupported_value(ty, span, "`++` or `--` on this type"),
        }
    }
}

/// The bits of 1.0.
fn one_bits(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::F32 => u128::from(1f32.to_bits()),
        FloatKind::F64 => u128::from(1f64.to_bits()),
        FloatKind::F80 => 0x3fff_8000_0000_0000_0000,
    }
}
