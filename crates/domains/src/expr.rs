//! What expressions can be, and what conditions say.

use hardbop_ir::{BinaryOp, ExprId, ExprKind, PlaceId, Program, Type, UnaryOp};

use crate::Interval;

/// How many operators of one expression are looked at; what lies deeper is any value of its type.
const MAX_OPERATORS: u32 = 4096;
/// How deep operators may be nested.
const MAX_DEPTH: u32 = 128;
/// How deep choices are looked into: each is looked at with its condition, and again for each choice around it.
const MAX_CHOICES: u32 = 12;

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
    Evaluation { program, load, left: MAX_OPERATORS, conditions: true }.value(expr, MAX_DEPTH)
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
    /// Whether choices are looked at with their conditions.
    conditions: bool,
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
            ExprKind::If(condition, a, b) => {
                let a = self.value_where(condition, true, a, depth - 1);
                let b = self.value_where(condition, false, b, depth - 1);
                a.zip(b).map_or(a.or(b), |(a, b)| Some(a.join(b)))
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

    /// What an expression can be where a condition holds, or where it does not; nothing where that is impossible.
    fn value_where(&mut self, condition: ExprId, holds: bool, expr: ExprId, depth: u32) -> Option<Interval> {
        let all = any(self.program, expr)?;
        if depth < MAX_DEPTH - MAX_CHOICES {
            return Some(all);
        }
        if !self.conditions {
            return self.value(expr, depth);
        }
        let program = self.program;
        let mut known = Narrowed { load: &mut *self.load, places: Vec::new() };
        let mut assumption = Assumption { program, known: &mut known, conditions: false };
        if !assumption.truth(condition, holds, MAX_DEPTH) {
            return None;
        }
        let load = &mut |place| known.load(place);
        let mut inside = Evaluation { program, load, left: self.left, conditions: true };
        let found = inside.value(expr, depth);
        self.left = inside.left;
        found
    }

    fn is_truth(&self, expr: ExprId) -> bool {
        matches!(self.program.ty(self.program.expr(expr).ty), Type::Bool)
    }
}

/// What is known about places, and what a condition adds to it.
struct Narrowed<'a> {
    load: &'a mut dyn FnMut(PlaceId) -> Option<Interval>,
    places: Vec<(PlaceId, Interval)>,
}

impl Environment for Narrowed<'_> {
    fn load(&mut self, place: PlaceId) -> Option<Interval> {
        let known = (self.load)(place);
        let narrowed = self.places.iter().filter(|(other, _)| *other == place).map(|&(_, values)| values);
        narrowed
            .fold(known, |known, values| Some(known.and_then(|known| known.meet(values)).unwrap_or(values)))
    }

    fn narrow(&mut self, place: PlaceId, values: Interval) -> bool {
        self.places.push((place, values));
        true
    }
}

/// Learns from a condition that it holds, or that it does not; whether that is possible.
pub fn assume(program: &Program, condition: ExprId, holds: bool, known: &mut dyn Environment) -> bool {
    Assumption { program, known, conditions: true }.truth(condition, holds, MAX_DEPTH)
}

struct Assumption<'a> {
    program: &'a Program,
    known: &'a mut dyn Environment,
    /// Whether choices are looked at with their conditions.
    conditions: bool,
}

impl Assumption<'_> {
    fn value(&mut self, expr: ExprId) -> Option<Interval> {
        let (known, conditions) = (&mut *self.known, self.conditions);
        let load = &mut |place| known.load(place);
        Evaluation { program: self.program, load, left: MAX_OPERATORS, conditions }.value(expr, MAX_DEPTH)
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

#[cfg(test)]
mod tests {
    use hardbop_base::Span;
    use hardbop_ir::{DataModel, Place, PlaceBase, VarKind, Variable};

    use super::*;

    /// A program with one variable of 32 bits without a sign, and a maker of expressions of its type.
    fn program() -> (Program, PlaceId) {
        let mut program = Program::new(DataModel::Lp64);
        let ty = program.intern_type(Type::Machine { width: 32, signed: false });
        let var = program.variables.push(Variable {
            name: "x".into(),
            ty,
            kind: VarKind::Static,
            span: Span::none(),
            align: 0,
            initial: hardbop_ir::Initial::Arbitrary,
        });
        let place = program.intern_place(Place { base: PlaceBase::Var(var), path: Vec::new(), ty });
        (program, place)
    }

    fn load(program: &Program, place: PlaceId) -> ExprId {
        program.intern_expr(ExprKind::Load(place), program.place(place).ty)
    }

    fn number(program: &Program, place: PlaceId, n: i128) -> ExprId {
        program.intern_expr(ExprKind::Int(n), program.place(place).ty)
    }

    fn truth(program: &Program, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = program.intern_type(Type::Bool);
        program.intern_expr(ExprKind::Binary(op, a, b), ty)
    }

    /// `x == 9 ? 0 : x + 1` keeps 0 to 9.
    #[test]
    fn choices_are_looked_at_with_their_condition() {
        let (program, place) = program();
        let ty = program.place(place).ty;
        let (x, nine) = (load(&program, place), number(&program, place, 9));
        let (zero, one) = (number(&program, place, 0), number(&program, place, 1));
        let condition = truth(&program, BinaryOp::Eq, x, nine);
        let next = program.intern_expr(ExprKind::Binary(BinaryOp::Add, x, one), ty);
        let step = program.intern_expr(ExprKind::If(condition, zero, next), ty);
        let found = value(&program, step, &mut |_| Interval::between(0, 9));
        assert_eq!(found, Interval::between(0, 9));
        let found = value(&program, step, &mut |_| Interval::between(0, 10));
        assert_eq!(found, Interval::between(0, 11));
    }

    /// Conditions narrow what they mention, through conversions and sums, and some are impossible.
    #[test]
    fn conditions_narrow() {
        struct One(Option<Interval>);
        impl Environment for One {
            fn load(&mut self, _: PlaceId) -> Option<Interval> {
                self.0
            }
            fn narrow(&mut self, _: PlaceId, values: Interval) -> bool {
                self.0 = Some(values);
                true
            }
        }
        let (program, place) = program();
        let wide = program.intern_type(Type::Machine { width: 64, signed: true });
        let x = load(&program, place);
        let cast = program.intern_expr(ExprKind::Cast(x), wide);
        let ten = program.intern_expr(ExprKind::Int(10), wide);
        let three = program.intern_expr(ExprKind::Int(3), wide);
        let moved = program.intern_expr(ExprKind::Binary(BinaryOp::Add, cast, three), wide);
        let below = truth(&program, BinaryOp::Lt, moved, ten);
        let after = |start: Option<Interval>, holds: bool| {
            let mut known = One(start);
            assume(&program, below, holds, &mut known).then_some(known.0)
        };
        let all = Interval::of_type(32, false);
        assert_eq!(after(all, true), Some(Interval::between(0, 6)));
        assert_eq!(after(all, false), Some(Interval::between(7, u32::MAX.into())));
        assert_eq!(after(Interval::between(8, 9), true), None);
        assert_eq!(after(None, true), Some(Interval::between(0, 6)));
    }
}
