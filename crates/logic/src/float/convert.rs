//! Conversions between formats, and from and to whole numbers.

use crate::{Term, Terms};

use super::{FloatFormat, native};

impl Terms {
    /// The number in another format, rounded once; `nan`, which has that format, for what is not a number.
    pub fn float_convert(&mut self, from: FloatFormat, to: FloatFormat, a: Term, nan: Term) -> Term {
        if let Some(bits) = self.as_bits(a)
            && let Some(result) = native::convert(from, to, bits)
        {
            return result.map_or(nan, |bits| self.bv(bits, to.width()));
        }
        let x = self.float_parts(from, a);
        let bits = from.wide_exponent().max(to.wide_exponent());
        let exponent = self.zero_extend(bits, x.exponent);
        let (word, exponent) = self.float_normalise(x.significand, exponent, from.fraction, false);
        let (old, new) = (self.bv(from.bias(), bits), self.bv(to.bias(), bits));
        let exponent = self.bv_sub(exponent, old);
        let exponent = self.bv_add(exponent, new);
        let always_normal = to.bias() > from.bias() + u128::from(from.fraction);
        let finite = self.float_round(to, x.sign, exponent, word, !always_normal);
        let nothing = self.float_signed_constant(to, x.sign, 0);
        let value = self.ite(x.is_zero, nothing, finite);
        let endless = self.float_signed_constant(to, x.sign, to.infinity());
        let value = self.ite(x.is_infinite, endless, value);
        self.ite(x.is_nan, nan, value)
    }

    /// A whole number of machine arithmetic as a float, rounded once.
    pub fn float_from_bits(&mut self, format: FloatFormat, signed: bool, a: Term) -> Term {
        let width = self.width(a);
        if let Some(value) = self.as_bits(a)
            && let Some(bits) = native::from_bits(format, signed, value, width)
        {
            return self.bv(bits, format.width());
        }
        let negative = if signed { self.float_sign(a) } else { self.bool(false) };
        let negated = self.bv_neg(a);
        let magnitude = self.ite(negative, negated, a);
        let bits = format.wide_exponent().max(11);
        let exponent = self.bv(format.bias() + u128::from(width - 1), bits);
        let (word, exponent) = self.float_normalise(magnitude, exponent, width - 1, false);
        let rounded = self.float_round(format, negative, exponent, word, false);
        let nothing = self.bv(0, format.width());
        let any = self.float_any(a);
        self.ite(any, rounded, nothing)
    }

    /// The whole part of a number in machine arithmetic, and whether the type can hold it.
    pub fn float_to_bits(&mut self, format: FloatFormat, a: Term, width: u32, signed: bool) -> (Term, Term) {
        let x = self.float_parts(format, a);
        let wide = width.max(format.fraction + 1);
        let bits = format.exponent.max(8) + 2;
        let word = self.float_pad(x.significand, wide);
        // The highest bit of the word stands for `2^(wide - 1)`.
        let top = self.bv(format.bias() + u128::from(wide - 1), bits);
        let exponent = self.zero_extend(bits, x.exponent);
        let by = self.bv_sub(top, exponent);
        let zero = self.bv(0, bits);
        let too_large = self.bv_slt(by, zero);
        let magnitude = self.float_whole(word, by);
        let negated = self.bv_neg(magnitude);
        let value = self.ite(x.sign, negated, magnitude);
        let value = self.extract(width - 1, 0, value);

        let (largest, lowest) = if signed {
            (crate::bits::signed_max(width), crate::bits::signed_min(width))
        } else {
            (crate::bits::mask(width), 0)
        };
        let (largest, lowest) = (self.bv(largest, wide), self.bv(lowest, wide));
        let limit = self.ite(x.sign, lowest, largest);
        let held = self.bv_ule(magnitude, limit);
        let small = self.not(too_large);
        // Infinities and what is not a number have exponents beyond all types but 128 bits of a `binary32`.
        let special = self.or(&[x.is_nan, x.is_infinite]);
        let finite = self.not(special);
        let in_range = self.and(&[held, small, finite]);
        (value, in_range)
    }

    /// The word moved down by a number that is not negative; what falls out is lost.
    fn float_whole(&mut self, word: Term, by: Term) -> Term {
        let width = self.width(word);
        let mut moved = word;
        let mut beyond = Vec::new();
        for stage in (0..self.width(by)).rev() {
            let bit = self.float_bit_at(by, stage);
            match 1u32.checked_shl(stage).filter(|&distance| distance < width) {
                Some(distance) => {
                    let kept = self.extract(width - 1, distance, moved);
                    let lower = self.zero_extend(width, kept);
                    moved = self.ite(bit, lower, moved);
                }
                None => beyond.push(bit),
            }
        }
        let (beyond, zero) = (self.or(&beyond), self.bv(0, width));
        self.ite(beyond, zero, moved)
    }
}
