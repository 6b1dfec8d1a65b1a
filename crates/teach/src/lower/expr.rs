//! Expressions. Those of the representation are strict, so what must not be evaluated in vain, or
//! draws a value, becomes control flow; and they are shallow, so deep ones are cut by temporaries.

use hardbop_base::{Id, Span};
use hardbop_ir::{BinaryOp, ExprId, Statement, UnaryOp, visit};

use super::Integers;
use super::body::Body;
use crate::typed::{Arithmetic, Compare, Constant, Expr, ExprKind, Logical, Target, Ty};

/// Expressions deeper than this are cut by a temporary.
const MAX_DEPTH: u16 = 64;

impl Expr {
    /// Whether evaluating it has no consequences: it draws no value and cannot end the run.
    fn is_harmless(&self, integers: Integers) -> bool {
        match &self.kind {
            ExprKind::Any => false,
            ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::Behind(_) | ExprKind::Same(..) => true,
            ExprKind::Arithmetic(..) | ExprKind::Negate(_) if matches!(integers, Integers::Stop(_)) => false,
            ExprKind::Negate(e) | ExprKind::Not(e) => e.is_harmless(integers),
            ExprKind::Arithmetic(Arithmetic::Div | Arithmetic::Mod, a, b) => {
                a.is_harmless(integers) && matches!(b.kind, ExprKind::Constant(Constant::Int(1..)))
            }
            ExprKind::Arithmetic(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Logical(_, a, b) => {
                a.is_harmless(integers) && b.is_harmless(integers)
            }
        }
    }

    /// Whether storing to a target may change the value.
    pub(super) fn may_read(&self, target: Target) -> bool {
        match &self.kind {
            ExprKind::Constant(_) | ExprKind::Any | ExprKind::Same(..) => false,
            ExprKind::Variable(var) => match target {
                Target::Variable(written) => *var == written,
                Target::Behind(_) => true,
            },
            // It may refer to any variable.
            ExprKind::Behind(_) => true,
            ExprKind::Negate(e) | ExprKind::Not(e) => e.may_read(target),
            ExprKind::Arithmetic(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Logical(_, a, b) => {
                a.may_read(target) || b.may_read(target)
            }
        }
    }
}

impl Body<'_, '_> {
    pub(super) fn expr(&mut self, source: &Expr) -> ExprId {
        let value = match &source.kind {
            ExprKind::Constant(constant) => {
                self.cx.require_in_range(*constant, source.ty, source.span);
                self.cx.constant(*constant)
            }
            ExprKind::Any => {
                let temp = self.temp_of(source.ty, source.span);
                let place = self.cx.program.var_place(temp);
                self.havoc(place, source.ty, "?", source.span);
                self.cx.program.var(temp)
            }
            ExprKind::Variable(var) => {
                let place = self.variable(*var);
                self.cx.program.load(place)
            }
            ExprKind::Behind(reference) => {
                let place = self.behind(*reference);
                self.cx.program.load(place)
            }
            ExprKind::Negate(operand) => {
                // The least number is written as the opposite of one that is beyond the range.
                if let ExprKind::Constant(Constant::Int(value)) = operand.kind {
                    let negative = Expr { kind: ExprKind::Constant(Constant::Int(-value)), ..*source };
                    return self.expr(&negative);
                }
                let operand = self.expr(operand);
                let value = self.cx.program.unary(UnaryOp::Neg, operand);
                self.in_range(value, source.span)
            }
            ExprKind::Not(operand) => {
                let operand = self.expr(operand);
                self.cx.program.not(operand)
            }
            ExprKind::Same(a, b) => {
                let [a, b] = [a, b].map(|var| self.cx.variables[var.index()]);
                let (a, b) = (self.cx.program.var(a), self.cx.program.var(b));
                self.cx.program.binary(BinaryOp::Eq, a, b)
            }
            ExprKind::Arithmetic(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let op = match op {
                    Arithmetic::Add => BinaryOp::Add,
                    Arithmetic::Sub => BinaryOp::Sub,
                    Arithmetic::Mul => BinaryOp::Mul,
                    Arithmetic::Div => BinaryOp::Div,
                    Arithmetic::Mod => BinaryOp::Rem,
                };
                let value = self.cx.program.binary(op, a, b);
                self.in_range(value, source.span)
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let (op, a, b) = match op {
                    Compare::Eq => (BinaryOp::Eq, a, b),
                    Compare::Ne => (BinaryOp::Ne, a, b),
                    Compare::Lt => (BinaryOp::Lt, a, b),
                    Compare::Le => (BinaryOp::Le, a, b),
                    Compare::Gt => (BinaryOp::Lt, b, a),
                    Compare::Ge => (BinaryOp::Le, b, a),
                };
                self.cx.program.binary(op, a, b)
            }
            ExprKind::Logical(op, a, b) if b.is_harmless(self.cx.options.integers) => {
                let (mut a, b) = (self.expr(a), self.expr(b));
                if *op == Logical::Implies {
                    a = self.cx.program.not(a);
                }
                let op = if *op == Logical::And { BinaryOp::And } else { BinaryOp::Or };
                self.cx.program.binary(op, a, b)
            }
            ExprKind::Logical(op, a, b) => self.short_circuit(*op, a, b, source.span),
        };
        self.shallow(value, source.span)
    }

    /// Evaluates the second operand only if the first does not decide.
    fn short_circuit(&mut self, op: Logical, a: &Expr, b: &Expr, span: Span) -> ExprId {
        let first = self.expr(a);
        let result = self.temp_of(Ty::Bool, span);
        let not_first = self.cx.program.not(first);
        let (goes_on, decided) = match op {
            Logical::And | Logical::Implies => (first, not_first),
            Logical::Or => (not_first, first),
        };
        let (fork, joined) = (self.here(), self.location());
        self.emit(Statement::Assume(goes_on), a.span);
        let second = self.expr(b);
        self.set(result, second, b.span);
        self.join(joined, span);
        self.resume(fork);
        self.emit(Statement::Assume(decided), a.span);
        let value = self.cx.program.truth(op != Logical::And);
        self.set(result, value, a.span);
        self.join(joined, span);
        self.resume(joined);
        self.cx.program.var(result)
    }

    /// The same value, not deeper than later stages like it.
    pub(super) fn shallow(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.depth(value) < MAX_DEPTH { value } else { self.keep(value, span) }
    }

    fn depth(&mut self, expr: ExprId) -> u16 {
        while self.cx.depths.len() <= expr.index() {
            let next: ExprId = Id::from_usize(self.cx.depths.len());
            let parts = visit::parts(&self.cx.program, next);
            let below = parts.map(|part| self.cx.depths[part.index()]).max().unwrap_or(0);
            self.cx.depths.push(below.saturating_add(1));
        }
        self.cx.depths[expr.index()]
    }
}
