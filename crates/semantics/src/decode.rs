//! From terms back to expressions of the program.
//!
//! A term over the initial values of cells is a condition on a state, and what a path analysis finds
//! out comes in that form. As an expression it can be a predicate: it has a scope, it can be printed
//! as C, and it can be read again. Encoding what comes out of here gives a term that means the same;
//! tests compare the two.
//!
//! Terms that mention anything else (arbitrary values, results of unknown functions, cells of other
//! frames, arrays as a whole) have no expression.

use hardbop_alias::{Alias, ObjectKind, RegionId, RegionKind, Regions};
use hardbop_ir::{BinaryOp, ExprId, PlaceId, Program, Type, TypeId, UnaryOp};
use hardbop_logic::{BvOp, Node, Sort, Term};
use rustc_hash::FxHashMap;

use crate::coder::{Encoder, MAX_UNIT, Meaning, Object, Subject};
use crate::state::{Cell, Frame};

/// Expressions with more parts than this are of no use as predicates.
const MAX_PARTS: usize = 200;

/// Translates terms of an encoder to expressions of the program, which gets new ones.
pub struct Decoder<'a> {
    encoder: &'a Encoder,
    program: &'a Program,
    alias: &'a Alias,
    regions: &'a Regions,
    known: FxHashMap<Term, ExprId>,
    parts: usize,
}

impl<'a> Decoder<'a> {
    /// A decoder for the terms of an encoder.
    pub fn new(encoder: &'a Encoder, Subject { program, alias, regions }: Subject<'a>) -> Self {
        Decoder { encoder, program, alias, regions, known: FxHashMap::default(), parts: 0 }
    }

    /// The expression for a term, as seen from the only frame.
    pub fn decode(&mut self, term: Term) -> Option<ExprId> {
        self.parts = 0;
        self.expr(term)
    }

    fn expr(&mut self, term: Term) -> Option<ExprId> {
        if let Some(&known) = self.known.get(&term) {
            return Some(known);
        }
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return None;
        }
        let expr = match self.encoder.terms.sort(term) {
            Sort::Bool => self.truth(term),
            Sort::Int => self.integer(term),
            Sort::BitVec(width) => self.bits(term, width),
            Sort::Array(..) => None,
        }?;
        self.known.insert(term, expr);
        Some(expr)
    }

    fn truth(&mut self, term: Term) -> Option<ExprId> {
        match *self.encoder.terms.node(term) {
            Node::Bool(value) => Some(self.program.truth(value)),
            Node::Not(inner) => {
                let inner = self.expr(inner)?;
                Some(self.program.not(inner))
            }
            Node::And(ref members) => {
                let members = members.clone();
                let mut exprs = Vec::new();
                for &member in &members {
                    exprs.push(self.expr(member)?);
                }
                exprs.into_iter().reduce(|a, b| self.program.binary(BinaryOp::And, a, b))
            }
            Node::Eq(a, b) => self.equality(a, b),
            Node::IntLe(a, b) => self.integer_order(a, b),
            Node::BvUle(a, b) => self.compare(BinaryOp::Le, a, b, Some(false)),
            Node::BvSle(a, b) => self.compare(BinaryOp::Le, a, b, Some(true)),
            Node::Ite(c, a, b) => self.choice(c, a, b),
            Node::Symbol { .. } => self.symbol(term),
            Node::Select(array, index) => self.select(array, index),
            _ => None,
        }
    }

    fn choice(&mut self, c: Term, a: Term, b: Term) -> Option<ExprId> {
        let (c, a) = (self.expr(c)?, self.expr(a)?);
        let ty = self.program.expr(a).ty;
        let b = self.expr(b)?;
        let b = self.as_type(b, ty);
        Some(self.program.if_then_else(c, a, b))
    }

    /// Pointers are compared as pointers, numbers in the type of the operand that is no constant.
    fn equality(&mut self, a: Term, b: Term) -> Option<ExprId> {
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let ty =
            if self.program.as_int(a).is_some() { self.program.expr(b).ty } else { self.program.expr(a).ty };
        let (a, b) = (self.as_type(a, ty), self.as_type(b, ty));
        Some(self.program.binary(BinaryOp::Eq, a, b))
    }

    fn compare(&mut self, op: BinaryOp, a: Term, b: Term, signed: Option<bool>) -> Option<ExprId> {
        let (mut x, mut y) = (self.expr(a)?, self.expr(b)?);
        if let Some(signed) = signed {
            let pointers = !signed
                && self.program.is_pointer(self.program.expr(x).ty)
                && self.program.is_pointer(self.program.expr(y).ty);
            let ty = if pointers {
                self.program.expr(x).ty
            } else {
                let width = self.encoder.terms.width(a);
                self.machine(width, signed)?
            };
            (x, y) = (self.as_type(x, ty), self.as_type(y, ty));
        }
        Some(self.program.binary(op, x, y))
    }

    /// `a ≤ b − 1` is written as `a < b`.
    fn integer_order(&mut self, a: Term, b: Term) -> Option<ExprId> {
        let Node::IntSum(sum) = self.encoder.terms.node(b) else {
            return self.compare(BinaryOp::Le, a, b, None);
        };
        if sum.constant != -1 {
            return self.compare(BinaryOp::Le, a, b, None);
        }
        let parts = sum.parts.to_vec();
        let ty = self.program.intern_type(Type::Integer);
        let (a, b) = (self.expr(a)?, self.sum(&parts, 0, ty)?);
        Some(self.program.binary(BinaryOp::Lt, a, b))
    }

    fn machine(&mut self, width: u32, signed: bool) -> Option<TypeId> {
        let allowed = width <= 64 || width == 128;
        allowed.then(|| self.program.machine(width as u16, signed))
    }

    /// Reads the same bits in another type of the same width.
    fn as_type(&mut self, expr: ExprId, ty: TypeId) -> ExprId {
        match self.program.as_int(expr) {
            Some(value) if matches!(self.program.ty(ty), Type::Machine { .. } | Type::Pointer(_)) => {
                self.program.int(value, ty)
            }
            _ => self.program.cast(expr, ty),
        }
    }

    fn integer(&mut self, term: Term) -> Option<ExprId> {
        let ty = self.program.intern_type(Type::Integer);
        match *self.encoder.terms.node(term) {
            Node::Int(value) => Some(self.program.int(value, ty)),
            Node::IntSum(ref sum) => {
                let (parts, constant) = (sum.parts.clone(), sum.constant);
                let parts: Vec<(i128, Term)> = parts.to_vec();
                self.sum(&parts, constant, ty)
            }
            Node::IntMul(a, b) => self.arithmetic(BinaryOp::Mul, a, b),
            // The divisor is a positive constant, or rounding would differ.
            Node::IntDiv(a, b) if self.is_positive(b) => self.arithmetic(BinaryOp::Div, a, b),
            Node::IntMod(a, b) if self.is_positive(b) => self.arithmetic(BinaryOp::Rem, a, b),
            Node::Ite(c, a, b) => self.choice(c, a, b),
            Node::Symbol { .. } => self.symbol(term),
            Node::Select(array, index) => self.select(array, index),
            _ => None,
        }
    }

    fn is_positive(&self, term: Term) -> bool {
        self.encoder.terms.as_int(term).is_some_and(|value| value > 0)
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<ExprId> {
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        Some(self.program.binary(op, a, b))
    }

    /// `Σ coefficient · part + constant` in a type that wraps or is unbounded.
    fn sum(&mut self, parts: &[(i128, Term)], constant: i128, ty: TypeId) -> Option<ExprId> {
        let mut total: Option<ExprId> = None;
        // What is added comes first, so that less is negated.
        let (added, subtracted): (Vec<_>, Vec<_>) = parts.iter().partition(|(c, _)| *c > 0);
        for &(coefficient, part) in added.iter().chain(&subtracted) {
            let part = self.expr(part)?;
            let part = self.as_type(part, ty);
            let magnitude = coefficient.checked_abs()?;
            let scaled = match magnitude {
                1 => part,
                _ => {
                    let factor = self.program.int(magnitude, ty);
                    self.program.binary(BinaryOp::Mul, part, factor)
                }
            };
            total = Some(match (total, coefficient > 0) {
                (None, true) => scaled,
                (None, false) => self.program.unary(UnaryOp::Neg, scaled),
                (Some(total), true) => self.program.binary(BinaryOp::Add, total, scaled),
                (Some(total), false) => self.program.binary(BinaryOp::Sub, total, scaled),
            });
        }
        let Some(total) = total else { return Some(self.program.int(constant, ty)) };
        Some(match constant {
            0 => total,
            _ if constant > 0 => {
                let constant = self.program.int(constant, ty);
                self.program.binary(BinaryOp::Add, total, constant)
            }
            _ => {
                let constant = self.program.int(constant.checked_neg()?, ty);
                self.program.binary(BinaryOp::Sub, total, constant)
            }
        })
    }

    fn bits(&mut self, term: Term, width: u32) -> Option<ExprId> {
        let unsigned = self.machine(width, false)?;
        match *self.encoder.terms.node(term) {
            Node::BitVec { value, .. } => {
                let signed = self.machine(width, true)?;
                Some(self.program.int(value.cast_signed(), signed))
            }
            Node::BvSum(ref sum) => {
                let ty = self.sum_type(&sum.parts.iter().map(|p| p.1).collect::<Vec<_>>(), width)?;
                let signed = |value: u128| hardbop_ir::wrap(width as u16, true, value.cast_signed());
                let parts: Vec<(i128, Term)> = sum.parts.iter().map(|&(c, part)| (signed(c), part)).collect();
                let constant = signed(sum.constant);
                self.sum(&parts, constant, ty)
            }
            Node::BvNot(a) => {
                let a = self.expr(a)?;
                let a = self.number(a, width)?;
                Some(self.program.unary(UnaryOp::BitNot, a))
            }
            Node::Bv(op, a, b) => self.operator(op, a, b, width),
            Node::Concat(high, low) => self.concat(high, low, width),
            Node::Extract { high, low, of } => {
                let from = self.encoder.terms.width(of);
                let (of, wide) = (self.expr(of)?, self.machine(from, false)?);
                let of = self.as_type(of, wide);
                let amount = self.program.int(i128::from(low), wide);
                let shifted = if low == 0 { of } else { self.program.binary(BinaryOp::Shr, of, amount) };
                let narrow = self.machine(high - low + 1, false)?;
                Some(self.program.cast(shifted, narrow))
            }
            Node::ZeroExtend { of, .. } => self.extend(of, false, unsigned),
            Node::SignExtend { of, .. } => {
                let to = self.machine(width, true)?;
                self.extend(of, true, to)
            }
            Node::Ite(c, a, b) => self.choice(c, a, b),
            Node::Symbol { .. } => self.symbol(term),
            Node::Select(array, index) => self.select(array, index),
            _ => None,
        }
    }

    fn extend(&mut self, of: Term, signed: bool, to: TypeId) -> Option<ExprId> {
        let from = self.encoder.terms.width(of);
        let (of, ty) = (self.expr(of)?, self.machine(from, signed)?);
        let of = self.as_type(of, ty);
        Some(self.program.cast(of, to))
    }

    fn concat(&mut self, high: Term, low: Term, width: u32) -> Option<ExprId> {
        let (whole, shift) = (self.machine(width, false)?, self.encoder.terms.width(low));
        let high = self.extend(high, false, whole)?;
        let low = self.extend(low, false, whole)?;
        let amount = self.program.int(i128::from(shift), whole);
        let high = self.program.binary(BinaryOp::Shl, high, amount);
        Some(self.program.binary(BinaryOp::Or, high, low))
    }

    /// Signed if a part is a signed number, so that sums print as they were written.
    fn sum_type(&mut self, parts: &[Term], width: u32) -> Option<TypeId> {
        let mut signed = false;
        for &part in parts {
            let part = self.expr(part)?;
            let ty = self.program.expr(part).ty;
            signed |= matches!(self.program.ty(ty), Type::Machine { signed: true, .. });
        }
        self.machine(width, signed)
    }

    /// A machine integer of the width, whatever the type was.
    fn number(&mut self, expr: ExprId, width: u32) -> Option<ExprId> {
        if matches!(self.program.ty(self.program.expr(expr).ty), Type::Machine { .. }) {
            return Some(expr);
        }
        let ty = self.machine(width, false)?;
        Some(self.as_type(expr, ty))
    }

    fn operator(&mut self, op: BvOp, a: Term, b: Term, width: u32) -> Option<ExprId> {
        // SMT-LIB's division by zero and long shifts have values where the program has none, so
        // only constants that avoid both are translated.
        let constant = self.encoder.terms.as_bits(b);
        let (op, signed) = match op {
            BvOp::Mul => (BinaryOp::Mul, None),
            BvOp::And => (BinaryOp::And, None),
            BvOp::Or => (BinaryOp::Or, None),
            BvOp::Xor => (BinaryOp::Xor, None),
            BvOp::Udiv => (BinaryOp::Div, Some(false)),
            BvOp::Urem => (BinaryOp::Rem, Some(false)),
            BvOp::Sdiv => (BinaryOp::Div, Some(true)),
            BvOp::Srem => (BinaryOp::Rem, Some(true)),
            BvOp::Shl => (BinaryOp::Shl, Some(false)),
            BvOp::Lshr => (BinaryOp::Shr, Some(false)),
            BvOp::Ashr => (BinaryOp::Shr, Some(true)),
        };
        match op {
            BinaryOp::Div | BinaryOp::Rem => {
                let ones = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
                constant.filter(|&c| c != 0 && c != ones)?;
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                constant.filter(|&c| c < u128::from(width))?;
            }
            _ => {}
        }
        let (x, y) = (self.expr(a)?, self.expr(b)?);
        let ty = match signed {
            Some(signed) => self.machine(width, signed)?,
            None => {
                let x = self.number(x, width)?;
                self.program.expr(x).ty
            }
        };
        let (x, y) = (self.as_type(x, ty), self.as_type(y, ty));
        Some(self.program.binary(op, x, y))
    }

    fn symbol(&mut self, term: Term) -> Option<ExprId> {
        match *self.encoder.meanings.get(&term)? {
            Meaning::Cell(Cell::Global(var) | Cell::Local(Frame::ONLY, var)) => Some(self.program.var(var)),
            Meaning::Cell(Cell::Region(region)) => self.single(region),
            Meaning::Address(Object::Variable(Frame::ONLY, var)) => {
                let place = self.program.var_place(var);
                Some(self.program.address_of(place))
            }
            Meaning::Address(Object::Procedure(procedure)) => Some(self.program.function_address(procedure)),
            _ => None,
        }
    }

    /// A region of one place is a part of a variable.
    fn single(&mut self, region: RegionId) -> Option<ExprId> {
        let &[(object, cell)] = &self.regions.region(region).cells[..] else { return None };
        let ObjectKind::Variable(var) = self.alias.objects()[object].kind else { return None };
        let ty = match self.regions.region(region).scalar {
            Some(ty) => ty,
            None => self.machine(8 * u32::try_from(cell.width).ok()?, false)?,
        };
        let start = self.program.var_place(var);
        let of = self.program.variables[var].ty;
        let place = match self.part(start, of, cell.offset, ty) {
            Some(place) => place,
            None => {
                let address = self.program.address_of(start);
                let number = self.program.address_type();
                let address = self.program.cast(address, number);
                let offset = self.program.int(i128::from(cell.offset), number);
                let address = self.program.binary(BinaryOp::Add, address, offset);
                let pointer = self.program.pointer_to(ty);
                let address = self.program.cast(address, pointer);
                self.program.deref(address)
            }
        };
        Some(self.program.load(place))
    }

    fn select(&mut self, array: Term, index: Term) -> Option<ExprId> {
        let Some(&Meaning::Cell(Cell::Region(region))) = self.encoder.meanings.get(&array) else {
            return None;
        };
        let scalar = match (self.regions.region(region).kind, self.regions.region(region).scalar) {
            (RegionKind::Bytes, _) => self.machine(8, false)?,
            (RegionKind::Typed(bytes), _) if bytes > MAX_UNIT => self.machine(8, false)?,
            (_, Some(ty)) => ty,
            (RegionKind::Typed(bytes), None) => self.machine(8 * bytes as u32, false)?,
        };
        let place = self.place_at(index, scalar)?;
        Some(self.program.load(place))
    }

    /// A place of the type at an address: a field of what a pointer points to where that fits.
    fn place_at(&mut self, address: Term, ty: TypeId) -> Option<PlaceId> {
        if let Some((base, offset)) = self.base_and_offset(address) {
            let base = self.expr(base)?;
            if let Some(target) = self.program.pointee(self.program.expr(base).ty) {
                let start = match self.program.expr(base).kind {
                    hardbop_ir::ExprKind::AddressOf(place) => place,
                    _ => self.program.deref(base),
                };
                if let Some(place) = self.part(start, target, offset, ty) {
                    return Some(place);
                }
            }
        }
        let address = self.expr(address)?;
        let pointer = self.program.pointer_to(ty);
        let address = self.as_type(address, pointer);
        Some(self.program.deref(address))
    }

    fn base_and_offset(&self, address: Term) -> Option<(Term, u64)> {
        match self.encoder.terms.node(address) {
            Node::BvSum(sum) => match sum.parts[..] {
                [(1, base)] => Some((base, u64::try_from(sum.constant).ok()?)),
                _ => None,
            },
            _ => Some((address, 0)),
        }
    }

    /// The part of a place at an offset that has the type.
    fn part(&mut self, place: PlaceId, of: TypeId, offset: u64, ty: TypeId) -> Option<PlaceId> {
        if offset == 0 && of == ty {
            return Some(place);
        }
        match *self.program.ty(of) {
            Type::Record(record) => {
                let fields = self.program.records[record].fields.clone();
                for (n, field) in fields.iter().enumerate() {
                    let size = self.program.size_of(field.ty);
                    let inside = field.offset <= offset && offset < field.offset + size;
                    if inside && field.bits.is_none() {
                        let next = self.program.field(place, n as u32);
                        if let Some(found) = self.part(next, field.ty, offset - field.offset, ty) {
                            return Some(found);
                        }
                    }
                }
                None
            }
            Type::Array { element, length } => {
                let size = self.program.size_of(element);
                let index = offset.checked_div(size)?;
                if index >= length {
                    return None;
                }
                let index_type = self.program.distance_type();
                let expr = self.program.int(i128::from(index), index_type);
                let next = self.program.index(place, expr);
                self.part(next, element, offset % size, ty)
            }
            _ => None,
        }
    }
}
