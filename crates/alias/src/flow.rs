//! Where the address in a value can come from.
//!
//! One table of rules, used both to set up the constraints and to answer questions about expressions
//! afterwards. Copies, casts and additions keep the position in the object; any other arithmetic (masks,
//! products, parts of an address in narrow integers, in bit-fields or in floats) keeps the object and
//! forgets the position. So a pointer may be copied byte by byte, hidden in an integer or exclusive-ored with
//! another one, and its object is not lost.
//!
//! An address may also be told by control flow and put together again: bit by bit through branches, by a
//! search, from the entries of a table. As in the provenance model of C that speaks of exposed addresses
//! (PNVI-ae: Memarian and others, "Exploring C semantics and pointer provenance", POPL 2019), such an address
//! is *told* where it is compared as a number, selects an element, amounts to a shift or divides, and an integer that
//! becomes a pointer may be any address that was told ([`Flow::tells`], [`Source::Told`]).
//!
//! What is *not* followed is the assumption that the analysis rests on: **addresses are not guessed**. The
//! address of an object does not come out of numbers, of arbitrary or uninitialised values that happen to be
//! one, or of stepping with a pointer out of one object into another.

use hardbop_domains::{Interval, value};
use hardbop_ir::{
    BinaryOp, BitRange, ExprId, ExprKind, PlaceBase, PlaceId, ProcId, Program, Projection, Type, TypeId,
    UnaryOp,
};

use crate::access::footprint;
use crate::grid::Grid;
use crate::location::{Length, MAX_EXTENT, Space, Step, gcd, power_of_two_in};
use crate::object::can_hold_address;
use crate::ranges::Bounds;

/// Nothing lies below this address.
const LOWEST: u128 = 1 << 12;

/// A source of the address in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The address of a procedure.
    Procedure(ProcId),
    /// The address of a place.
    Address(PlaceId),
    /// What is stored in a place.
    Load(PlaceId),
    /// The value of another expression, and a step from there.
    Value(ExprId, Step),
    /// Any address that control flow was told.
    Told,
}

/// An expression that tells control flow something about an address in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tells {
    pub(crate) expr: ExprId,
    pub(crate) what: What,
}

/// What control flow is told of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct What {
    /// Whether it is told of whole addresses too. That an address is not null says nothing; a bit of it, or
    /// how it compares with something else, does.
    pub(crate) whole: bool,
    /// Whether it is told of the address as a number, which leads back to it; not just how two pointers
    /// compare.
    pub(crate) number: bool,
}

/// How two pointers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Whether they are equal.
    Equality,
    /// Which of them is less.
    Order,
}

impl What {
    const ALL: What = What { whole: true, number: true };
}

/// A place as a start and a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) base: PlaceBase,
    pub(crate) step: Step,
    /// Indices that may be addresses themselves, where the base is no variable.
    pub(crate) indices: Vec<ExprId>,
    /// The bits, if the place is a bit-field.
    pub(crate) bits: Option<BitRange>,
}

/// How programs compute with addresses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow<'p> {
    pub(crate) program: &'p Program,
    pub(crate) space: Space,
    bounds: Option<&'p Bounds>,
}

impl<'p> Flow<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Flow { program, space: Space::new(program.data_model.pointer_bits()), bounds: None }
    }

    /// The same where indices are known to be bounded.
    pub(crate) fn within(program: &'p Program, bounds: &'p Bounds) -> Self {
        Flow { bounds: Some(bounds), ..Flow::new(program) }
    }

    /// Where the address in the value of an expression can come from.
    pub(crate) fn sources(self, expr: ExprId) -> Vec<Source> {
        let e = self.program.expr(expr);
        if !can_hold_address(self.program, e.ty) {
            return Vec::new();
        }
        match e.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) => Vec::new(),
            ExprKind::Function(procedure) => vec![Source::Procedure(procedure)],
            ExprKind::Load(place) => vec![Source::Load(place)],
            ExprKind::AddressOf(place) => vec![Source::Address(place)],
            ExprKind::Unary(UnaryOp::Not, _) => Vec::new(),
            ExprKind::Unary(_, a) => vec![Source::Value(a, Step::ANYWHERE)],
            ExprKind::Binary(op, a, b) => self.binary(expr, op, a, b),
            ExprKind::Cast(a) => {
                let from = self.program.expr(a).ty;
                let whole = self.holds_whole_address(e.ty) && self.holds_whole_address(from);
                let mut sources = vec![Source::Value(a, if whole { Step::NONE } else { Step::ANYWHERE })];
                if self.program.is_pointer(e.ty) && !self.program.is_pointer(from) && !self.is_constant(a) {
                    sources.push(Source::Told);
                }
                sources
            }
            ExprKind::If(_, a, b) => vec![Source::Value(a, Step::NONE), Source::Value(b, Step::NONE)],
        }
    }

    fn holds_whole_address(self, ty: TypeId) -> bool {
        self.program
            .machine_shape(ty)
            .is_some_and(|(width, _)| width >= self.program.data_model.pointer_bits())
    }

    fn is_constant(self, expr: ExprId) -> bool {
        self.program.as_int(expr).is_some()
    }

    /// Whether an expression is null or an error code: a small negative number in place of an address.
    fn is_no_address(self, expr: ExprId) -> bool {
        self.program
            .as_int(expr)
            .is_some_and(|n| (-(LOWEST as i128)..=0).contains(&self.space.distance(n).into()))
    }

    /// What an expression tells control flow about addresses in its operands.
    pub(crate) fn tells(self, expr: ExprId) -> Vec<Tells> {
        let e = self.program.expr(expr);
        let number = |expr: ExprId| !self.program.is_pointer(self.program.expr(expr).ty);
        let told = match e.kind {
            ExprKind::Cast(a) if matches!(self.program.ty(e.ty), Type::Bool) => {
                vec![Tells { expr: a, what: What { whole: false, number: number(a) } }]
            }
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le, a, b) => {
                let whole = !self.is_no_address(a) && !self.is_no_address(b);
                let what = What { whole, number: number(a) };
                vec![Tells { expr: a, what }, Tells { expr: b, what }]
            }
            ExprKind::Binary(
                BinaryOp::Shl | BinaryOp::Shr | BinaryOp::PointerAdd | BinaryOp::Div | BinaryOp::Rem,
                _,
                b,
            ) => {
                vec![Tells { expr: b, what: What::ALL }]
            }
            ExprKind::Load(place) | ExprKind::AddressOf(place) => return self.told_by_indices(place),
            _ => Vec::new(),
        };
        told.into_iter().filter(|told| self.can_tell(told.expr)).collect()
    }

    /// What a place tells by the elements that it selects.
    pub(crate) fn told_by_indices(self, place: PlaceId) -> Vec<Tells> {
        let indices = self.program.place(place).path.iter().filter_map(|step| match *step {
            Projection::Index(expr) if self.can_tell(expr) => Some(Tells { expr, what: What::ALL }),
            _ => None,
        });
        indices.collect()
    }

    /// Pointers that an expression compares with each other, and how.
    pub(crate) fn compares(self, expr: ExprId) -> Option<(ExprId, ExprId, Comparison)> {
        let ExprKind::Binary(op, a, b) = self.program.expr(expr).kind else { return None };
        let how = match op {
            BinaryOp::Eq | BinaryOp::Ne => Comparison::Equality,
            BinaryOp::Lt | BinaryOp::Le => Comparison::Order,
            _ => return None,
        };
        let is_pointer = |it| self.program.is_pointer(self.program.expr(it).ty) && !self.is_no_address(it);
        (is_pointer(a) && is_pointer(b)).then_some((a, b, how))
    }

    /// The values that an expression computes with such that an address in them is no longer a position in an object: its result depends
    /// on where the object lies.
    pub(crate) fn scrambles(self, expr: ExprId) -> Vec<ExprId> {
        let e = self.program.expr(expr);
        let constant = |e| self.is_constant(e);
        let operands = match e.kind {
            ExprKind::Unary(op, a) if op != UnaryOp::Not => vec![a],
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::PointerAdd => Vec::new(),
                // One of them may be null: then their difference is the other.
                BinaryOp::PointerDiff => vec![a, b],
                BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => Vec::new(),
                BinaryOp::Add if constant(a) || constant(b) => Vec::new(),
                BinaryOp::Sub if constant(b) => Vec::new(),
                _ => vec![a, b],
            },
            // What a truth value tells is another matter.
            ExprKind::Cast(_) if matches!(self.program.ty(e.ty), Type::Bool) => Vec::new(),
            ExprKind::Cast(a) if !self.holds_whole_address(e.ty) => vec![a],
            ExprKind::Load(_) if !self.holds_whole_address(e.ty) => vec![expr],
            _ => Vec::new(),
        };
        operands.into_iter().filter(|&operand| self.can_tell(operand)).collect()
    }

    pub(crate) fn can_tell(self, expr: ExprId) -> bool {
        can_hold_address(self.program, self.program.expr(expr).ty) && !self.is_constant(expr)
    }

    fn binary(self, expr: ExprId, op: BinaryOp, a: ExprId, b: ExprId) -> Vec<Source> {
        let ty = self.program.expr(expr).ty;
        let constant = |e| self.program.as_int(e);
        match op {
            BinaryOp::PointerAdd => self.pointer_add(expr, a, b),
            BinaryOp::Add | BinaryOp::Sub if self.holds_whole_address(ty) => match (constant(a), constant(b))
            {
                (None, Some(c)) => {
                    let c = if op == BinaryOp::Add { c } else { c.wrapping_neg() };
                    vec![Source::Value(a, self.shift(c))]
                }
                (Some(c), None) if op == BinaryOp::Add => vec![Source::Value(b, self.shift(c))],
                _ => {
                    let spread = |other| Step::spread(self.factor(other).max(1));
                    // What is subtracted counts backwards.
                    let second = if op == BinaryOp::Add { spread(a) } else { Step::ANYWHERE };
                    vec![Source::Value(a, spread(b)), Source::Value(b, second)]
                }
            },
            BinaryOp::PointerDiff | BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => Vec::new(),
            // The amount of a shift is no part of the result.
            BinaryOp::Shl | BinaryOp::Shr => vec![Source::Value(a, Step::ANYWHERE)],
            _ => vec![Source::Value(a, Step::ANYWHERE), Source::Value(b, Step::ANYWHERE)],
        }
    }

    fn shift(self, bytes: i128) -> Step {
        Step::by(self.space.distance(bytes))
    }

    /// The bytes that the index of a sum counts.
    fn unit(self, sum: ExprId) -> u64 {
        self.program.pointee(self.program.expr(sum).ty).map_or(1, |target| self.program.size_of(target))
    }

    /// The step from a pointer to the sum with an index that can be one of these; nothing if the index may be the
    /// address.
    pub(crate) fn sum_within(self, sum: ExprId, index: ExprId, values: Option<Interval>) -> Option<Step> {
        let size = self.unit(sum);
        match self.program.as_int(index) {
            Some(constant) => Some(self.shift(constant.wrapping_mul(size.into()))),
            None if self.can_be_address(size, index) && bounded(size, values).is_none() => None,
            None => Some(bounded(size, values).unwrap_or_else(|| self.spread(size, index))),
        }
    }

    fn pointer_add(self, sum: ExprId, pointer: ExprId, index: ExprId) -> Vec<Source> {
        let size = self.unit(sum);
        if let Some(constant) = self.program.as_int(index) {
            return vec![Source::Value(pointer, self.shift(constant.wrapping_mul(size.into())))];
        }
        // `(char *)0 + address`
        if let Some(constant) = self.program.as_int(pointer) {
            let step = if size == 1 { self.shift(constant) } else { Step::ANYWHERE };
            return vec![Source::Value(index, step), Source::Told];
        }
        let values = self.bounds.and_then(|bounds| bounds.of_sum(sum)).or_else(|| self.values(index));
        let step = bounded(size, values).unwrap_or_else(|| self.spread(size, index));
        let mut sources = vec![Source::Value(pointer, step)];
        // The same, with a null pointer that is no constant.
        if self.can_be_address(size, index) {
            sources.push(Source::Value(index, Step::ANYWHERE));
        }
        sources
    }

    /// Whether `index * size` can be an address, by its range.
    fn can_be_address(self, size: u64, index: ExprId) -> bool {
        let reach = self.magnitude(index).checked_mul(size.into());
        self.holds_whole_address(self.program.expr(index).ty) && reach.is_none_or(|reach| reach > LOWEST)
    }

    /// All steps of `index * size`.
    fn spread(self, size: u64, index: ExprId) -> Step {
        let spread = self.space.element_spread(size, self.magnitude(index));
        Step::spread(self.space.repeated_spread(spread))
    }

    /// What an index can be, by itself.
    fn values(self, index: ExprId) -> Option<Interval> {
        value(self.program, index, &mut |place| bit_field_values(self.program, place))
    }

    /// A place as a start and a step.
    pub(crate) fn path(self, place: PlaceId) -> Path {
        self.path_within(place, &mut |index| {
            self.bounds.and_then(|bounds| bounds.of_index(place, index)).or_else(|| self.values(index))
        })
    }

    /// The same, with what indices can be.
    pub(crate) fn path_within(
        self,
        place: PlaceId,
        values: &mut dyn FnMut(ExprId) -> Option<Interval>,
    ) -> Path {
        let program = self.program;
        let place = program.place(place);
        let mut ty = match place.base {
            PlaceBase::Var(var) => Some(program.variables[var].ty),
            PlaceBase::Deref(pointer) => program.pointee(program.expr(pointer).ty),
        };
        let mut path = Path { base: place.base, step: Step::NONE, indices: Vec::new(), bits: None };
        for projection in &place.path {
            let step;
            (ty, step) = match (*projection, ty.map(|ty| program.ty(ty))) {
                (Projection::Field(n), Some(&Type::Record(record))) => {
                    let field = program.records[record].fields.get(n as usize);
                    path.bits = field.and_then(|f| f.bits);
                    (field.map(|f| f.ty), self.shift(field.map_or(0, |f| f.offset).into()))
                }
                (Projection::Index(index), Some(&Type::Array { element, .. })) => {
                    path.bits = None;
                    (Some(element), self.element(element, index, values, &mut path.indices))
                }
                // The verifier rejects such a place.
                _ => (None, Step::ANYWHERE),
            };
            path.step = path.step.then(step, self.space);
        }
        if matches!(place.base, PlaceBase::Var(_)) {
            path.indices.clear();
        }
        path
    }

    fn element(
        self,
        element: TypeId,
        index: ExprId,
        values: &mut dyn FnMut(ExprId) -> Option<Interval>,
        indices: &mut Vec<ExprId>,
    ) -> Step {
        let size = self.program.size_of(element);
        match self.program.as_int(index) {
            Some(constant) => self.shift(constant.wrapping_mul(size.into())),
            None => {
                if self.can_be_address(size, index) {
                    indices.push(index);
                }
                bounded(size, values(index)).unwrap_or_else(|| self.spread(size, index))
            }
        }
    }

    /// The number of bytes that an expression says.
    pub(crate) fn length(self, expr: ExprId) -> Length {
        match self.program.as_int(expr).and_then(|n| u64::try_from(n).ok()) {
            Some(bytes) => Length::Known(bytes),
            None => Length::Multiple(self.factor(expr).max(1)),
        }
    }

    /// A number that divides the value of a machine integer, whatever it is; a power of two.
    fn factor(self, expr: ExprId) -> u64 {
        let e = self.program.expr(expr);
        let both = |a, b| gcd(self.factor(a), self.factor(b));
        match e.kind {
            ExprKind::Int(value) => power_of_two_in(value as u64),
            ExprKind::Cast(a) if self.program.machine_shape(self.program.expr(a).ty).is_some() => {
                self.factor(a)
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => both(a, b),
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                self.factor(a).checked_mul(self.factor(b)).filter(|&f| f < 1 << 20).unwrap_or(1 << 20)
            }
            ExprKind::Binary(BinaryOp::Shl, a, b) => match self.program.as_int(b) {
                Some(amount @ 0..20) => self.factor(a).saturating_mul(1 << amount).min(1 << 20),
                _ => self.factor(a),
            },
            ExprKind::If(_, a, b) => both(a, b),
            _ => 1,
        }
    }

    /// A bound on the absolute value of a machine integer, taken modulo the address space.
    fn magnitude(self, expr: ExprId) -> u128 {
        let program = self.program;
        let e = program.expr(expr);
        let Some((width, signed)) = program.machine_shape(e.ty) else { return 1 };
        let bits = u32::from(width.min(127));
        let any = if signed { 1 << (bits - 1) } else { 1u128 << bits };
        let constant = |e| program.as_int(e).map(i128::unsigned_abs);
        let found = match e.kind {
            ExprKind::Int(value) => value.unsigned_abs(),
            ExprKind::Cast(a) => match program.machine_shape(program.expr(a).ty) {
                Some((from, from_signed)) => {
                    let keeps = from < width && (!from_signed || signed);
                    // A negative number that becomes a huge one is as good as a negative address.
                    let wraps = width >= program.data_model.pointer_bits() && from <= width;
                    if keeps || wraps { self.magnitude(a) } else { any }
                }
                None if matches!(program.ty(program.expr(a).ty), Type::Bool) => 1,
                None => any,
            },
            ExprKind::Binary(BinaryOp::And, a, b) if !signed => {
                constant(a).or(constant(b)).unwrap_or(any).min(any)
            }
            ExprKind::Binary(BinaryOp::And, a, b) => match program.as_int(a).or(program.as_int(b)) {
                Some(mask @ 0..) => mask.unsigned_abs(),
                _ => any,
            },
            ExprKind::Binary(BinaryOp::Rem, _, b) => constant(b).unwrap_or(any),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) if signed => {
                self.magnitude(a).saturating_add(self.magnitude(b))
            }
            ExprKind::Load(place) => match self.path(place).bits {
                Some(bits) => 1u128 << bits.width.min(127),
                None => any,
            },
            ExprKind::If(_, a, b) => self.magnitude(a).max(self.magnitude(b)),
            _ => any,
        };
        found.min(any)
    }

    /// The bytes that an access to a scalar place touches, from the place's address on.
    pub(crate) fn width(self, place: PlaceId) -> u64 {
        match self.path(place).bits {
            Some(bits) => bit_field_bytes(bits),
            None => self.scalar_width(self.program.place(place).ty),
        }
    }

    /// The bytes of a scalar in memory that hold its value. An x87 float has padding behind them.
    pub(crate) fn scalar_width(self, ty: TypeId) -> u64 {
        match self.program.ty(ty) {
            Type::Float(hardbop_ir::FloatKind::F80) => 10,
            _ => self.program.size_of(ty),
        }
    }
}

/// The steps to elements of a size with these indices, if they are few enough to be bounded.
fn bounded(size: u64, values: Option<Interval>) -> Option<Step> {
    let Interval { low, high } = values?;
    let count = u64::try_from(high - low).ok()?;
    let extent = count.checked_mul(size).filter(|&extent| extent < MAX_EXTENT)?;
    let shift = i64::try_from(low.checked_mul(size.into())?).ok()?;
    Some(Step { shift, spread: 0, grid: Grid::row(size, extent) })
}

/// What a bit-field can hold; nothing if the place is none.
pub(crate) fn bit_field_values(program: &Program, place: PlaceId) -> Option<Interval> {
    let (_, width) = footprint(program, place).bits?;
    let (_, signed) = program.machine_shape(program.place(place).ty)?;
    Interval::of_type(u16::try_from(width).ok()?, signed)
}

/// The number of bytes that a bit-field touches.
pub(crate) fn bit_field_bytes(bits: BitRange) -> u64 {
    (u64::from(bits.first) + u64::from(bits.width)).div_ceil(8)
}
