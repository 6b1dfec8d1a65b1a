//! IEEE 754 arithmetic as terms over bit-vectors: the format is data, rounding is to nearest, ties to even.
//!
//! An operation takes its operands apart, computes on wide whole numbers, and hands sign, exponent and an exact or sticky
//! significand to one place that rounds and packs ([`round`]). A sticky significand ends in a bit that stands for all that was
//! cut off: rounding only asks whether that is zero. Nothing but bit-vectors is left in the result, so that every solver
//! and every printer understands it.
//!
//! What bits a result has that is not a number is the caller's choice (`nan`): machines differ in that.
//!
//! Formats have at least two bits of exponent and of fraction, and at most what 128 bits hold of a product (`binary64`).

mod arithmetic;
mod compare;
mod convert;
mod native;
mod round;

use crate::{Term, Terms};

/// A binary floating-point format of IEEE 754: a sign, an exponent, a fraction with a hidden bit in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatFormat {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction, as they are stored.
    pub fraction: u32,
}

/// The four operations of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
}

impl FloatFormat {
    /// C's `float`.
    pub const BINARY32: FloatFormat = FloatFormat { exponent: 8, fraction: 23 };
    /// C's `double`.
    pub const BINARY64: FloatFormat = FloatFormat { exponent: 11, fraction: 52 };

    /// The bits of a number.
    pub fn width(self) -> u32 {
        1 + self.magnitude_bits()
    }

    /// The bits without the sign. As whole numbers, they are ordered like the absolute values.
    fn magnitude_bits(self) -> u32 {
        self.exponent + self.fraction
    }

    /// The stored exponent of numbers from 1 to 2.
    fn bias(self) -> u128 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The stored exponent of infinities and of what is not a number.
    fn special(self) -> u128 {
        (1 << self.exponent) - 1
    }

    /// Infinity without a sign.
    fn infinity(self) -> u128 {
        self.special() << self.fraction
    }

    /// Bits for signed exponents on the way to a result: products of two exponents, and shifts over a product, fit.
    fn wide_exponent(self) -> u32 {
        let shifts = u32::BITS - (2 * self.fraction + 8).leading_zeros();
        self.exponent.max(shifts) + 3
    }
}

/// A number, taken apart.
#[derive(Debug, Clone, Copy)]
struct Parts {
    /// Whether the sign is set.
    sign: Term,
    /// All bits but the sign.
    magnitude: Term,
    /// The stored exponent, that of the smallest normal numbers where it is 0.
    exponent: Term,
    /// The fraction behind its hidden bit.
    significand: Term,
    is_nan: Term,
    is_infinite: Term,
    is_zero: Term,
}

impl Terms {
    fn float_parts(&mut self, format: FloatFormat, a: Term) -> Parts {
        let magnitude = self.extract(format.magnitude_bits() - 1, 0, a);
        let stored = self.extract(format.magnitude_bits() - 1, format.fraction, a);
        let fraction = self.extract(format.fraction - 1, 0, a);
        let (none, one) = (self.bv(0, format.exponent), self.bv(1, format.exponent));
        let tiny = self.eq(stored, none);
        let normal = self.not(tiny);
        let hidden = self.float_bit(normal);
        let infinity = self.bv(format.infinity(), format.magnitude_bits());
        let zero = self.bv(0, format.magnitude_bits());
        Parts {
            sign: self.float_sign(a),
            magnitude,
            exponent: self.ite(tiny, one, stored),
            significand: self.concat(hidden, fraction),
            is_nan: self.bv_ult(infinity, magnitude),
            is_infinite: self.eq(magnitude, infinity),
            is_zero: self.eq(magnitude, zero),
        }
    }

    /// Whether the number is none.
    fn float_is_nan(&mut self, format: FloatFormat, a: Term) -> Term {
        let magnitude = self.extract(format.magnitude_bits() - 1, 0, a);
        let infinity = self.bv(format.infinity(), format.magnitude_bits());
        self.bv_ult(infinity, magnitude)
    }

    /// Some bits that are not a number, quiet, with sign and payload from other bits.
    pub fn float_quiet_nan(&mut self, format: FloatFormat, other: Term) -> Term {
        let sign = self.extract(format.width() - 1, format.width() - 1, other);
        let payload = self.extract(format.fraction - 2, 0, other);
        let quiet = self.bv(format.special() << 1 | 1, format.exponent + 1);
        let low = self.concat(quiet, payload);
        self.concat(sign, low)
    }

    /// The number with its sign turned, also if it is none.
    fn float_neg(&mut self, format: FloatFormat, a: Term) -> Term {
        let sign = self.bv(1 << (format.width() - 1), format.width());
        self.bv_xor(a, sign)
    }

    /// Whether the highest bit is set.
    fn float_sign(&mut self, a: Term) -> Term {
        let top = self.width(a) - 1;
        self.float_bit_at(a, top)
    }

    /// Whether a bit is set.
    fn float_bit_at(&mut self, a: Term, at: u32) -> Term {
        let (bit, one) = (self.extract(at, at, a), self.bv(1, 1));
        self.eq(bit, one)
    }

    /// A truth value as a bit.
    fn float_bit(&mut self, condition: Term) -> Term {
        let (one, zero) = (self.bv(1, 1), self.bv(0, 1));
        self.ite(condition, one, zero)
    }

    /// A sign with a magnitude.
    fn float_signed(&mut self, sign: Term, magnitude: Term) -> Term {
        let sign = self.float_bit(sign);
        self.concat(sign, magnitude)
    }

    /// An infinity or a zero, signed.
    fn float_signed_constant(&mut self, format: FloatFormat, sign: Term, magnitude: u128) -> Term {
        let magnitude = self.bv(magnitude, format.magnitude_bits());
        self.float_signed(sign, magnitude)
    }

    /// Whether any bit is set.
    fn float_any(&mut self, a: Term) -> Term {
        let zero = self.bv(0, self.width(a));
        self.ne(a, zero)
    }
}
