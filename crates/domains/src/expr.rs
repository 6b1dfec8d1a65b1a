//! What expressions can be, and what conditions say.

use hardbop_ir::{BinaryOp, ExprId, ExprKind, PlaceId, Program, Type, UnaryOp};

use crate::Interval;

/// How many operators of one expression are looked at; what lies deeper is any value of its type.
const MAX_OPERATORS: u32 = 4096;
/// How deep operators may be nested.
const MAX_DEPTH: u32 = 128;

/// What is known about places.
pub trait Environment {
    /// What a place of a machine integer type can hold; nothing if it can hold anything.
    fn load(&mut self, place: PlaceId) -> Option<Interval>;

    /// Learns that a place holds one of these; whether that is possible.
    fn narrow(&mut self, place: PlaceId, values: Interval) -> bool;
}

/// What a machine integer can be; nothing if the expression is none, or if it is too wide.
pub fn value(
    program: &Program,
    expr: ExprId,
    load: &mut dyn FnMut(PlaceId) -> Option<Interval>,
) -> Option<Interval> {
    Evaluation { program, load, left: MAX_OPERATORS }.value(expr, MAX_DEPTH)
}

/// All values of the type of an expression.
fn any(program: &Program, expr: ExprId) -> Option<Interval> {
    let (width, signed) = program.machine_shape(program.expr(expr).ty)?;
    if program.is_pointer(program.expr(expr).ty) {
        return None;
    }
    Interval::of_type(width, signed)
}

struct Evaluation<'a> {
    program: &'a Program,
    load: &'a mut dyn FnMut(PlaceId) -> Option<Interval>,
    left: u32,
}

impl Evaluation<'_> {
    fn value(&mut self, expr: ExprId, depth: u32) -> Option<Interval> {
        let all = any(self.program, expr)?;
        self.left = self.left.saturating_sub(1);
        if self.left == 0 || depth == 0 {
            return Some(all);
        }
        let found = match self.program.expr(expr).kind {
            ExprKind::Int(value) => Some(Interval::exact(value)),
            ExprKind::Load(place) => (self.load)(place),
            ExprKind::Unary(op, a) => self.value(a, depth - 1).and_then(|a| Interval::unary(op, a, all)),
            ExprKind::Binary(op, a, b) => self.binary(op, (a, b), all, depth),
            ExprKind::Cast(a) if self.is_truth(a) => Interval::between(0, 1),
            ExprKind::Cast(a) => self.value(a, depth - 1),
            ExprKind::If(_, a, b) => {
                let a = self.value(a, depth - 1)?;
                self.value(b, depth - 1).map(|b| a.join(b))
            }
            _ => None,
        };
        Some(found.map_or(all, |found| found.in_type(all)))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (a, b): (ExprId, ExprId),
        all: Interval,
        depth: u32,
    ) -> Option<Interval> {
        let (a, b) = (self.value(a, depth - 1)?, self.value(b, depth - 1)?);
        Interval::binary(op, a, b, all)
    }

    fn is_truth(&self, expr: ExprId) -> bool {
        matches!(self.program.ty(self.program.expr(expr).ty), Type::Bool)
    }
}

/// Learns from a condition that it holds, or that it does not; whether that is possible.
pub fn assume(program: &Program, condition: ExprId, holds: bool, known: &mut dyn Environment) -> bool {
    Assumption { program, known }.truth(condition, holds, MAX_DEPTH)
}

struct Assumption<'a> {
    program: &'a Program,
    known: &'a mut dyn Environment,
}

impl Assumption<'_> {
    fn value(&mut self, expr: ExprId) -> Option<Interval> {
        let known = &mut *self.known;
        value(self.program, expr, &mut |place| known.load(place))
    }

    fn truth(&mut self, condition: ExprId, holds: bool, depth: u32) -> bool {
        if depth == 0 {
            return true;
        }
        match self.program.expr(condition).kind {
            ExprKind::Bool(value) => value == holds,
            ExprKind::Unary(UnaryOp::Not, a) => self.truth(a, !holds, depth - 1),
            ExprKind::Binary(BinaryOp::And, a, b) if holds => {
                self.truth(a, true, depth - 1) && self.truth(b, true, depth - 1)
            }
            ExprKind::Binary(BinaryOp::Or, a, b) if !holds => {
                self.truth(a, false, depth - 1) && self.truth(b, false, depth - 1)
            }
            ExprKind::Binary(op, a, b) => self.comparison(op, (a, b), holds, depth),
            _ => true,
        }
    }

    fn comparison(&mut self, op: BinaryOp, (a, b): (ExprId, ExprId), holds: bool, depth: u32) -> bool {
        // A truth value as a number, compared with 0.
        let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if let (true, Some(0), ExprKind::Cast(inner)) =
            (is_equality, self.program.as_int(b), &self.program.expr(a).kind)
            && matches!(self.program.ty(self.program.expr(*inner).ty), Type::Bool)
        {
            return self.truth(*inner, (op == BinaryOp::Ne) == holds, depth - 1);
        }
        let (Some(x), Some(y)) = (self.value(a), self.value(b)) else { return true };
        let below = |a: Interval, b: Interval, by: i128| {
            (Interval::between(a.low, b.high - by), Interval::between(a.low + by, b.high))
        };
        let (x, y) = match (op, holds) {
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => (x.meet(y), x.meet(y)),
            (BinaryOp::Ne, true) | (BinaryOp::Eq, false) => (without(x, y), without(y, x)),
            (BinaryOp::Lt, true) => below(x, y, 1),
            (BinaryOp::Le, true) => below(x, y, 0),
            (BinaryOp::Lt, false) => swap(below(y, x, 0)),
            (BinaryOp::Le, false) => swap(below(y, x, 1)),
            _ => return true,
        };
        let (Some(x), Some(y)) = (x, y) else { return false };
        self.narrow(a, x, depth) && self.narrow(b, y, depth)
    }

    /// Learns that an expression has one of these values.
    fn narrow(&mut self, expr: ExprId, values: Interval, depth: u32) -> bool {
        let Some(before) = self.value(expr) else { return true };
        let Some(values) = before.meet(values) else { return false };
        if depth == 0 || values == before {
            return true;
        }
        match self.program.expr(expr).kind {
            ExprKind::Load(place) => self.known.narrow(place, values),
            // A conversion that keeps the value.
            ExprKind::Cast(a) => match (self.value(a), any(self.program, expr)) {
                (Some(inner), Some(all)) if all.includes(inner) => self.narrow(a, values, depth - 1),
                _ => true,
            },
            // A sum that does not wrap around.
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                match (self.value(a), self.program.as_int(b), any(self.program, expr)) {
                    (Some(inner), Some(by), Some(all)) => {
                        let by = if op == BinaryOp::Add { by } else { -by };
                        let moved = |i: Interval, by: i128| Interval { low: i.low + by, high: i.high + by };
                        !all.includes(moved(inner, by)) || self.narrow(a, moved(values, -by), depth - 1)
                    }
                    _ => true,
                }
            }
            _ => true,
        }
    }
}

fn swap<T>((a, b): (T, T)) -> (T, T) {
    (b, a)
}

/// An interval without a number at one of its ends.
fn without(all: Interval, other: Interval) -> Option<Interval> {
    match other.number() {
        Some(n) if n == all.low => Interval::between(all.low + 1, all.high),
        Some(n) if n == all.high => Interval::between(all.low, all.high - 1),
        _ => Some(all),
    }
}
