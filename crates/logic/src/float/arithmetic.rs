//! Sum, difference, product, quotient.

use crate::{Term, Terms};

use super::{FloatFormat, FloatOp, Parts, native};

impl Terms {
    /// An operation, rounded once; `nan` where the result is not a number.
    pub fn float_arithmetic(
        &mut self,
        format: FloatFormat,
        op: FloatOp,
        a: Term,
        b: Term,
        nan: Term,
    ) -> Term {
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b))
            && let Some(result) = native::arithmetic(format, op, x, y)
        {
            return result.map_or(nan, |bits| self.bv(bits, format.width()));
        }
        match op {
            FloatOp::Add => self.float_add(format, a, b, nan),
            FloatOp::Sub => {
                let negated = self.float_neg(format, b);
                self.float_add(format, a, negated, nan)
            }
            FloatOp::Mul => self.float_mul(format, a, b, nan),
            FloatOp::Div => match self.float_reciprocal(format, b) {
                Some(factor) => self.float_mul(format, a, factor, nan),
                None => self.float_div(format, a, b, nan),
            },
        }
    }

    /// One divided by a constant, if that is a normal number without rounding.
    fn float_reciprocal(&mut self, format: FloatFormat, a: Term) -> Option<Term> {
        let bits = self.as_bits(a)?;
        let magnitude = bits & ((1 << format.magnitude_bits()) - 1);
        let (exponent, fraction) = (magnitude >> format.fraction, magnitude & ((1 << format.fraction) - 1));
        let inverse = (2 * format.bias()).checked_sub(exponent)?;
        let is_normal = |exponent: u128| exponent > 0 && exponent < format.special();
        let exact = fraction == 0 && is_normal(exponent) && is_normal(inverse);
        let sign = bits & 1 << format.magnitude_bits();
        exact.then(|| self.bv(sign | inverse << format.fraction, format.width()))
    }

    fn float_add(&mut self, format: FloatFormat, a: Term, b: Term, nan: Term) -> Term {
        let (x, y) = (self.float_parts(format, a), self.float_parts(format, b));
        let swap = self.bv_ult(x.magnitude, y.magnitude);
        let exchanged = |terms: &mut Terms, of: fn(&Parts) -> Term| {
            let (of_x, of_y) = (of(&x), of(&y));
            (terms.ite(swap, of_y, of_x), terms.ite(swap, of_x, of_y))
        };
        let (large_exponent, small_exponent) = exchanged(self, |parts| parts.exponent);
        let (large, small) = exchanged(self, |parts| parts.significand);
        let (sign, _) = exchanged(self, |parts| parts.sign);
        let subtracts = self.xor(x.sign, y.sign);

        // Three more bits suffice: if more than one bit cancels, the operands were at most one bit apart.
        let distance = self.bv_sub(large_exponent, small_exponent);
        let (large, small) =
            (self.float_pad(large, format.fraction + 4), self.float_pad(small, format.fraction + 4));
        let small = self.float_shift_down(small, distance);
        let wide = format.fraction + 5;
        let (large, small) = (self.zero_extend(wide, large), self.zero_extend(wide, small));
        let negated = self.bv_neg(small);
        let other = self.ite(subtracts, negated, small);
        let sum = self.bv_add(large, other);
        let exponent = self.zero_extend(format.wide_exponent(), large_exponent);
        let one = self.bv(1, format.wide_exponent());
        let exponent = self.bv_add(exponent, one);
        let (word, exponent) = self.float_normalise(sum, exponent, wide - 1, true);
        // A sum below the normal numbers is exact.
        let rounded = self.float_round(format, sign, exponent, word, false);

        let same = self.eq(x.magnitude, y.magnitude);
        let cancels = self.and(&[subtracts, same]);
        let zero = self.bv(0, format.width());
        let finite = self.ite(cancels, zero, rounded);
        let infinite = self.or(&[x.is_infinite, y.is_infinite]);
        let with_sign = self.float_signed_constant(format, sign, format.infinity());
        let value = self.ite(infinite, with_sign, finite);
        let opposite = self.and(&[x.is_infinite, y.is_infinite, subtracts]);
        let none = self.or(&[x.is_nan, y.is_nan, opposite]);
        self.ite(none, nan, value)
    }

    fn float_mul(&mut self, format: FloatFormat, a: Term, b: Term, nan: Term) -> Term {
        let (x, y) = (self.float_parts(format, a), self.float_parts(format, b));
        let sign = self.xor(x.sign, y.sign);
        let (wide, bits) = (2 * format.fraction + 2, format.wide_exponent());
        let (p, q) = (self.zero_extend(wide, x.significand), self.zero_extend(wide, y.significand));
        let product = self.bv_mul(p, q);
        // The highest bit of the product stands for 2 at the sum of the exponents.
        let (p, q) = (self.zero_extend(bits, x.exponent), self.zero_extend(bits, y.exponent));
        let sum = self.bv_add(p, q);
        let bias = self.bv(format.bias() - 1, bits);
        let exponent = self.bv_sub(sum, bias);
        let (word, exponent) = self.float_normalise(product, exponent, wide - 1, true);
        let finite = self.float_round(format, sign, exponent, word, true);

        let zero = self.or(&[x.is_zero, y.is_zero]);
        let nothing = self.float_signed_constant(format, sign, 0);
        let value = self.ite(zero, nothing, finite);
        let infinite = self.or(&[x.is_infinite, y.is_infinite]);
        let endless = self.float_signed_constant(format, sign, format.infinity());
        let value = self.ite(infinite, endless, value);
        let invalid = self.and(&[infinite, zero]);
        let none = self.or(&[x.is_nan, y.is_nan, invalid]);
        self.ite(none, nan, value)
    }

    fn float_div(&mut self, format: FloatFormat, a: Term, b: Term, nan: Term) -> Term {
        let (x, y) = (self.float_parts(format, a), self.float_parts(format, b));
        let sign = self.xor(x.sign, y.sign);
        let bits = format.wide_exponent();
        let (p, q) = (self.zero_extend(bits, x.exponent), self.zero_extend(bits, y.exponent));
        let (dividend, p) = self.float_normalise(x.significand, p, format.fraction, false);
        let (divisor, q) = self.float_normalise(y.significand, q, format.fraction, false);
        let quotient = self.float_long_division(dividend, divisor, format.fraction + 3);
        let difference = self.bv_sub(p, q);
        let bias = self.bv(format.bias(), bits);
        let exponent = self.bv_add(difference, bias);
        let (word, exponent) = self.float_normalise(quotient, exponent, 1, false);
        let finite = self.float_round(format, sign, exponent, word, true);

        let nothing = self.float_signed_constant(format, sign, 0);
        let endless = self.float_signed_constant(format, sign, format.infinity());
        let vanishes = self.or(&[x.is_zero, y.is_infinite]);
        let value = self.ite(vanishes, nothing, finite);
        let grows = self.or(&[x.is_infinite, y.is_zero]);
        let value = self.ite(grows, endless, value);
        let zeros = self.and(&[x.is_zero, y.is_zero]);
        let infinities = self.and(&[x.is_infinite, y.is_infinite]);
        let none = self.or(&[x.is_nan, y.is_nan, zeros, infinities]);
        self.ite(none, nan, value)
    }

    /// The quotient of two words with their highest bits set: one bit before the point, the others behind it, and a last one that
    /// stands for the remainder.
    fn float_long_division(&mut self, dividend: Term, divisor: Term, digits: u32) -> Term {
        let wide = self.width(dividend) + 1;
        let divisor = self.zero_extend(wide, divisor);
        let mut rest = self.zero_extend(wide, dividend);
        let two = self.bv(2, wide);
        let mut quotient: Option<Term> = None;
        for _ in 0..digits {
            let fits = self.bv_ule(divisor, rest);
            let digit = self.float_bit(fits);
            quotient = Some(quotient.map_or(digit, |high| self.concat(high, digit)));
            let smaller = self.bv_sub(rest, divisor);
            rest = self.ite(fits, smaller, rest);
            rest = self.bv_mul(two, rest);
        }
        let inexact = self.float_any(rest);
        let sticky = self.float_bit(inexact);
        quotient.map_or(sticky, |high| self.concat(high, sticky))
    }
}
