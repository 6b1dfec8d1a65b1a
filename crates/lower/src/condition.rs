//! Conditions and choices: truth values, branches, `&&`, `||` and `?:`.

use hardbop_base::Span;
use hardbop_ir::{BinaryOp, ExprId, LocationId, Type, TypeId};
use hardbop_syntax::ast;

use crate::body::Body;
use crate::order::is_comparison;

impl Body<'_, '_> {
    // --- conditions ---

    /// An expression as a truth value, without splitting control where that is possible.
    pub(crate) fn truth(&mut self, expr: ast::ExprId) -> ExprId {
        let unit = self.unit;
        let e = &unit.exprs[expr];
        match e.kind {
            ast::ExprKind::Unary(ast::UnaryOp::Not, operand) => {
                let truth = self.truth(operand);
                self.ir().not(truth)
            }
            ast::ExprKind::Cast(operand) if self.keeps_truth(operand, e.ty) => self.truth(operand),
            ast::ExprKind::Binary(op @ (ast::BinaryOp::And | ast::BinaryOp::Or), a, b) => {
                self.connective(op, a, b, e.span)
            }
            ast::ExprKind::Binary(op, a, b) if is_comparison(op) => {
                let (x, y) = self.operands(op, a, b);
                let truth = self.compare(op, x, y);
                self.shallow(truth, e.span)
            }
            _ => {
                let value = self.value(expr);
                let ty = self.ir().expr(value).ty;
                if !self.ir().is_scalar(ty) {
                    self.unsupported(e.span, "a condition that is not a scalar");
                    return self.ir().truth(false);
                }
                self.ir().nonzero(value)
            }
        }
    }

    /// Whether converting cannot turn a value that is not zero into zero.
    fn keeps_truth(&self, operand: ast::ExprId, to: ast::TypeId) -> bool {
        let from = &self.unit.types[self.unit.exprs[operand].ty];
        match (from, &self.unit.types[to]) {
            (
                ast::Type::Int { .. } | ast::Type::Bool | ast::Type::Float(_) | ast::Type::Pointer(_),
                ast::Type::Bool,
            ) => true,
            (ast::Type::Int { width: from, .. }, ast::Type::Int { width: to, .. }) => to >= from,
            (ast::Type::Bool, ast::Type::Int { .. }) => true,
            (ast::Type::Pointer(_), ast::Type::Pointer(_)) => true,
            _ => false,
        }
    }

    /// `a && b` and `a || b` as a value: strict where `b` may be evaluated in any case.
    fn connective(&mut self, op: ast::BinaryOp, a: ast::ExprId, b: ast::ExprId, span: Span) -> ExprId {
        let first = self.truth(a);
        let before = self.here();
        // What evaluating `b` emits, if anything, starts at a location of its own.
        let more = self.location();
        self.continue_at(more);
        let second = self.truth(b);
        let after = self.here();
        self.continue_at(before);
        let is_and = op == ast::BinaryOp::And;
        if after == more {
            let value = if self.ir().is_total(second) {
                let op = if is_and { BinaryOp::And } else { BinaryOp::Or };
                self.ir().binary(op, first, second)
            } else {
                let known = self.ir().truth(!is_and);
                let (then, otherwise) = if is_and { (second, known) } else { (known, second) };
                self.ir().if_then_else(first, then, otherwise)
            };
            return self.shallow(value, span);
        }
        let ty = self.ir().bool();
        let result = self.temp(ty, span);
        let (join, decided) = (self.location(), self.location());
        let (yes, no) = if is_and { (more, decided) } else { (decided, more) };
        self.split(first, yes, no, span);
        let known = self.ir().truth(!is_and);
        for (end, value) in [(decided, known), (after, second)] {
            self.continue_at(end);
            self.set(result, value, span);
            self.jump(join, span);
        }
        self.continue_at(join);
        self.ir().var(result)
    }

    /// Splits control by an expression.
    pub(crate) fn branch(&mut self, expr: ast::ExprId, yes: LocationId, no: LocationId) {
        let unit = self.unit;
        let e = &unit.exprs[expr];
        match e.kind {
            ast::ExprKind::Unary(ast::UnaryOp::Not, operand) => self.branch(operand, no, yes),
            ast::ExprKind::Cast(operand) if self.keeps_truth(operand, e.ty) => self.branch(operand, yes, no),
            ast::ExprKind::Binary(op @ (ast::BinaryOp::And | ast::BinaryOp::Or), a, b) => {
                let more = self.location();
                match op {
                    ast::BinaryOp::And => self.branch(a, more, no),
                    _ => self.branch(a, yes, more),
                }
                self.continue_at(more);
                self.branch(b, yes, no);
            }
            ast::ExprKind::Comma(first, second) => {
                self.effect(first);
                self.branch(second, yes, no);
            }
            _ => {
                let truth = self.truth(expr);
                self.split(truth, yes, no, e.span);
            }
        }
    }

    // --- choices ---

    pub(crate) fn choice_value(&mut self, expr: ast::ExprId, ty: TypeId) -> ExprId {
        let unit = self.unit;
        let e = &unit.exprs[expr];
        if matches!(self.ir().ty(ty), Type::Void) {
            self.choice_effect(expr);
            return self.ir().int(0, ty);
        }
        let (truth, first, otherwise) = match e.kind {
            ast::ExprKind::Conditional { condition, then, otherwise } => {
                (self.truth(condition), Err(then), otherwise)
            }
            ast::ExprKind::Elvis { value, otherwise } => {
                let value = self.value(value);
                let value = self.keep(value, e.span);
                (self.ir().nonzero(value), Ok(value), otherwise)
            }
            _ => return self.ir().int(0, ty),
        };
        let before = self.here();
        // What the arms emit, if anything, starts at locations of their own.
        let arms = [first, Err(otherwise)].map(|arm| {
            let start = self.location();
            self.continue_at(start);
            let value = match arm {
                Ok(value) => value,
                Err(arm) => self.value(arm),
            };
            let value = self.converted(value, ty, e.span);
            (start, self.here(), value)
        });
        self.continue_at(before);
        let [(yes, yes_end, a), (no, no_end, b)] = arms;
        if yes == yes_end && no == no_end && self.ir().is_scalar(ty) {
            return self.ir().if_then_else(truth, a, b);
        }
        let (result, join) = (self.temp(ty, e.span), self.location());
        self.split(truth, yes, no, e.span);
        for (end, value) in [(yes_end, a), (no_end, b)] {
            self.continue_at(end);
            self.set(result, value, e.span);
            self.jump(join, e.span);
        }
        self.continue_at(join);
        self.ir().var(result)
    }

    /// A choice whose value nobody wants.
    pub(crate) fn choice_effect(&mut self, expr: ast::ExprId) {
        let unit = self.unit;
        let e = &unit.exprs[expr];
        let join = self.location();
        match e.kind {
            ast::ExprKind::Conditional { condition, then, otherwise } => {
                let (yes, no) = (self.location(), self.location());
                self.branch(condition, yes, no);
                for (start, arm) in [(yes, then), (no, otherwise)] {
                    self.continue_at(start);
                    self.effect(arm);
                    self.jump(join, e.span);
                }
            }
            ast::ExprKind::Binary(_, a, b) | ast::ExprKind::Elvis { value: a, otherwise: b } => {
                let more = self.location();
                match e.kind {
                    ast::ExprKind::Binary(ast::BinaryOp::And, ..) => self.branch(a, more, join),
                    _ => self.branch(a, join, more),
                }
                self.continue_at(more);
                self.effect(b);
                self.jump(join, e.span);
            }
            _ => self.jump(join, e.span),
        }
        self.continue_at(join);
    }
}
