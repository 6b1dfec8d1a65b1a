//! Floating-point operations: some function of their operands, or, if that is asked for, what IEEE 754 says.
//!
//! As a function of which only the name is known, equal operands give equal results, and nothing else is known: that is
//! what predicates can be made of. Computed ([`crate::Encoder::compute_floats`]), `float` and `double` are exact, rounded to nearest
//! as everywhere in the interpreter. Which bits a result has that is not a number is left open but for its being quiet: they are
//! taken from the unknown function. Operations on `long double` stay unknown unless the operands are constants.
//!
//! A float out of the range of an integer type ends the run of a search, like that of the interpreter. Compiled programs go on with some
//! value, and so do proofs.

use hardbop_ir::interpret::{converted, float_operation};
use hardbop_ir::{BinaryOp, FloatKind, Type, TypeId};
use hardbop_logic::{FloatFormat, FloatOp, Sort, Term};

use crate::coder::{Application, Coder, Function, Meaning};

/// The format of a type that is computed with.
fn format_of(kind: FloatKind) -> Option<FloatFormat> {
    match kind {
        FloatKind::F32 => Some(FloatFormat::BINARY32),
        FloatKind::F64 => Some(FloatFormat::BINARY64),
        FloatKind::F80 => None,
    }
}

/// Whether bits of the x87 format are not a number.
fn is_extended_nan(bits: u128) -> bool {
    bits >> 64 & 0x7fff == 0x7fff && bits << 65 != 0
}

/// Whether bits of a type are not a number, if it is one of floats.
fn is_nan(ty: &Type, bits: u128) -> bool {
    match *ty {
        Type::Float(FloatKind::F32) => bits & 0x7fff_ffff > 0x7f80_0000,
        Type::Float(FloatKind::F64) => bits & u128::from(u64::MAX >> 1) > 0x7ff << 52,
        Type::Float(FloatKind::F80) => is_extended_nan(bits),
        _ => false,
    }
}

impl Coder<'_> {
    /// An operation on two floats of a type.
    pub(crate) fn float_operation(&mut self, kind: FloatKind, op: BinaryOp, x: Term, y: Term) -> Term {
        if op == BinaryOp::Ne {
            let equal = self.float_operation(kind, BinaryOp::Eq, x, y);
            return self.terms().not(equal);
        }
        if self.encoder.exact_floats
            && let Some(format) = format_of(kind)
            && let Some(result) = self.float_computed((kind, format), op, x, y)
        {
            return result;
        }
        self.float_unknown(kind, op, x, y)
    }

    fn float_computed(
        &mut self,
        (kind, format): (FloatKind, FloatFormat),
        op: BinaryOp,
        x: Term,
        y: Term,
    ) -> Option<Term> {
        let op = match op {
            BinaryOp::Eq => return Some(self.terms().float_eq(format, x, y)),
            BinaryOp::Lt => return Some(self.terms().float_lt(format, x, y)),
            BinaryOp::Le => return Some(self.terms().float_le(format, x, y)),
            BinaryOp::Add => (op, FloatOp::Add),
            BinaryOp::Sub => (op, FloatOp::Sub),
            BinaryOp::Mul => (op, FloatOp::Mul),
            BinaryOp::Div => (op, FloatOp::Div),
            BinaryOp::Rem => return Some(self.float_remainder((kind, format), x, y)),
            _ => return None,
        };
        let unknown = self.float_unknown(kind, op.0, x, y);
        let nan = self.terms().float_quiet_nan(format, unknown);
        Some(self.terms().float_arithmetic(format, op.1, x, y, nan))
    }

    /// What `fmod` gives: known as long as the divisor goes in once at most, and some function of the operands beyond.
    fn float_remainder(&mut self, (kind, format): (FloatKind, FloatFormat), x: Term, y: Term) -> Term {
        let unknown = self.float_unknown(kind, BinaryOp::Rem, x, y);
        let terms = self.terms();
        let nan = terms.float_quiet_nan(format, unknown);
        let top = format.width() - 1;
        let (a, b) = (terms.extract(top - 1, 0, x), terms.extract(top - 1, 0, y));
        let infinity = terms.bv(((1 << format.exponent) - 1) << format.fraction, top);
        let zero = terms.bv(0, top);
        let sign = terms.extract(top, top, x);
        let nothing = terms.concat(sign, zero);
        let (below, same) = (terms.bv_ult(a, b), terms.eq(a, b));
        let rest = terms.ite(same, nothing, unknown);
        let value = terms.ite(below, x, rest);
        let (finite, divisor) = (terms.bv_ult(a, infinity), terms.bv_ule(b, infinity));
        let nonzero = terms.ne(b, zero);
        let number = terms.and(&[finite, divisor, nonzero]);
        terms.ite(number, value, nan)
    }

    /// Some function of the operands.
    fn float_unknown(&mut self, kind: FloatKind, op: BinaryOp, x: Term, y: Term) -> Term {
        let sort = match op {
            BinaryOp::Eq | BinaryOp::Lt | BinaryOp::Le => Sort::Bool,
            _ => self.encoder.terms.sort(x),
        };
        let terms = &mut self.encoder.terms;
        if kind == FloatKind::F80
            && self.encoder.exact_floats
            && let (Some(a), Some(b)) = (terms.as_bits(x), terms.as_bits(y))
        {
            let bits = float_operation(kind, op, a, b);
            if sort == Sort::Bool || !is_extended_nan(bits) {
                return self.float_constant(sort, bits);
            }
        }
        self.function(&format!("float.{op:?}"), Function::Float(kind, op), &[x, y], sort)
    }

    fn float_constant(&mut self, sort: Sort, bits: u128) -> Term {
        match sort {
            Sort::BitVec(width) => self.terms().bv(bits, width),
            _ => self.terms().bool(bits != 0),
        }
    }

    /// A conversion from or to a float.
    pub(crate) fn float_cast(
        &mut self,
        value: Term,
        from: TypeId,
        to: TypeId,
        conditions: &mut Vec<Term>,
    ) -> Term {
        let program = self.program;
        let (source, target) = (program.ty(from), program.ty(to));
        let formats = (self.computed_format(source), self.computed_format(target));
        match (source, target, formats) {
            (_, _, (Some(a), Some(b))) => {
                let unknown = self.float_cast_unknown(value, from, to);
                let nan = self.terms().float_quiet_nan(b, unknown);
                self.terms().float_convert(a, b, value, nan)
            }
            (_, Type::Bool, (Some(format), _)) => {
                let terms = self.terms();
                let zero = terms.bv(0, format.width());
                let equal = terms.float_eq(format, value, zero);
                terms.not(equal)
            }
            (_, &Type::Machine { width, signed }, (Some(format), _)) => {
                let (whole, held) = self.terms().float_to_bits(format, value, width.into(), signed);
                if !self.encoder.open_shifts {
                    conditions.push(held);
                    return whole;
                }
                if self.terms().as_bool(held) == Some(true) {
                    return whole;
                }
                let anything = self.float_cast_unknown(value, from, to);
                self.terms().ite(held, whole, anything)
            }
            (Type::Bool, _, (_, Some(format))) => {
                let terms = self.terms();
                let (one, zero) = (terms.bv(1, 1), terms.bv(0, 1));
                let bit = terms.ite(value, one, zero);
                terms.float_from_bits(format, false, bit)
            }
            (&Type::Machine { signed, .. }, _, (_, Some(format))) => {
                self.terms().float_from_bits(format, signed, value)
            }
            _ => self.float_cast_unknown(value, from, to),
        }
    }

    /// The format of a type, if it is one of floats and they are computed with.
    fn computed_format(&self, ty: &Type) -> Option<FloatFormat> {
        match *ty {
            Type::Float(kind) if self.encoder.exact_floats => format_of(kind),
            _ => None,
        }
    }

    /// Some function of the operand.
    fn float_cast_unknown(&mut self, value: Term, from: TypeId, to: TypeId) -> Term {
        let program = self.program;
        let (source, target) = (program.ty(from), program.ty(to));
        let sort = self.scalar_sort(to);
        let is_extended = |ty: &Type| matches!(ty, Type::Float(FloatKind::F80));
        if self.encoder.exact_floats
            && (is_extended(source) || is_extended(target))
            && let Some(bits) = self.encoder.terms.as_bits(value)
            && matches!(sort, Sort::BitVec(_) | Sort::Bool)
            && let Some(result) = converted(program, from, to, bits)
            && !is_nan(target, result)
        {
            return self.float_constant(sort, result);
        }
        let name = match (source, target) {
            (Type::Float(kind), target) => format!("from.{kind:?}.{target:?}"),
            (source, target) => format!("to.{target:?}.{source:?}"),
        };
        self.function(&name, Function::Convert(from, to), &[value], sort)
    }

    /// The result of a function of which only its name is known. The same terms give the same
    /// symbol; terms that are equal for another reason need not, which loses precision only.
    fn function(&mut self, name: &str, function: Function, arguments: &[Term], sort: Sort) -> Term {
        let mut symbol = name.to_owned();
        for argument in arguments {
            symbol.push_str(&format!("#{}", argument.index()));
        }
        let term = self.terms().symbol(&symbol, sort);
        self.encoder.meanings.insert(term, Meaning::Function);
        let application = || Application { function, arguments: arguments.to_vec() };
        self.encoder.applications.entry(term).or_insert_with(application);
        term
    }
}
