//! Shifts that forget nothing that matters, and the one place that rounds.

use crate::{Term, Terms};

use super::FloatFormat;

impl Terms {
    /// The highest `bits` of a word; the last stands for all that is cut off. Shorter words get zeros behind.
    pub(super) fn float_jam(&mut self, a: Term, bits: u32) -> Term {
        let width = self.width(a);
        if width <= bits {
            return self.float_pad(a, bits);
        }
        let kept = self.extract(width - 1, width - bits + 1, a);
        let rest = self.extract(width - bits, 0, a);
        let any = self.float_any(rest);
        let sticky = self.float_bit(any);
        self.concat(kept, sticky)
    }

    /// The word with zeros behind it.
    pub(super) fn float_pad(&mut self, a: Term, bits: u32) -> Term {
        let width = self.width(a);
        if width == bits {
            return a;
        }
        let zeros = self.bv(0, bits - width);
        self.concat(a, zeros)
    }

    /// The word moved down; its last bit stands for all that falls out.
    pub(super) fn float_shift_down(&mut self, a: Term, by: Term) -> Term {
        let width = self.width(a);
        let (mut word, mut lost, mut beyond) = (a, Vec::new(), Vec::new());
        for stage in (0..self.width(by)).rev() {
            let bit = self.float_bit_at(by, stage);
            match 1u32.checked_shl(stage).filter(|&distance| distance < width) {
                Some(distance) => {
                    let rest = self.extract(distance - 1, 0, word);
                    let any = self.float_any(rest);
                    lost.push(self.and(&[bit, any]));
                    let kept = self.extract(width - 1, distance, word);
                    let moved = self.zero_extend(width, kept);
                    word = self.ite(bit, moved, word);
                }
                None => beyond.push(bit),
            }
        }
        let beyond = self.or(&beyond);
        let any = self.float_any(a);
        let last = self.float_bit_at(word, 0);
        lost.push(last);
        let lost = self.or(&lost);
        let sticky = self.ite(beyond, any, lost);
        let sticky = self.float_bit(sticky);
        let zero = self.bv(0, width - 1);
        let high = self.extract(width - 1, 1, word);
        let high = self.ite(beyond, zero, high);
        self.concat(high, sticky)
    }

    /// Moves a word up until its highest bit is set, by `most` bits at most, and lowers the exponent as much.
    /// With `keep`, an exponent of 1 or more does not get lower than 1.
    pub(super) fn float_normalise(
        &mut self,
        mut word: Term,
        mut exponent: Term,
        most: u32,
        keep: bool,
    ) -> (Term, Term) {
        let (width, exponent_bits) = (self.width(word), self.width(exponent));
        let mut stage = u32::BITS - most.leading_zeros();
        while stage > 0 {
            stage -= 1;
            let distance = 1 << stage;
            if distance >= width {
                continue;
            }
            let top = self.extract(width - 1, width - distance, word);
            let zero = self.bv(0, distance);
            let mut moves = self.eq(top, zero);
            let by = self.bv(u128::from(distance), exponent_bits);
            if keep {
                let room = self.bv_slt(by, exponent);
                moves = self.and(&[moves, room]);
            }
            let low = self.extract(width - distance - 1, 0, word);
            let moved = self.float_pad(low, width);
            let lower = self.bv_sub(exponent, by);
            word = self.ite(moves, moved, word);
            exponent = self.ite(moves, lower, exponent);
        }
        (word, exponent)
    }

    /// Rounds and packs. The highest bit of the significand stands for 1 at the (signed) exponent; where it is not set, the
    /// exponent is 1 or less. Exponents below 1 are expected only if `tiny`.
    pub(super) fn float_round(
        &mut self,
        format: FloatFormat,
        sign: Term,
        mut exponent: Term,
        significand: Term,
        tiny: bool,
    ) -> Term {
        let FloatFormat { exponent: exponent_bits, fraction } = format;
        let mut word = self.float_jam(significand, fraction + 3);
        let bits = self.width(exponent);
        let (zero, one) = (self.bv(0, bits), self.bv(1, bits));
        if tiny {
            let below = self.bv_slt(exponent, one);
            let missing = self.bv_sub(one, exponent);
            let by = self.ite(below, missing, zero);
            word = self.float_shift_down(word, by);
            exponent = self.ite(below, one, exponent);
        }
        let kept = self.extract(fraction + 2, 2, word);
        let half = self.float_bit_at(word, 1);
        let (more, odd) = (self.float_bit_at(word, 0), self.float_bit_at(word, 2));
        let up = self.or(&[more, odd]);
        let up = self.and(&[half, up]);
        // The hidden bit, and what is carried out of the fraction, count into the exponent.
        let below = self.bv_sub(exponent, one);
        let below = self.extract(exponent_bits - 1, 0, below);
        let base = self.float_pad(below, format.magnitude_bits());
        let kept = self.zero_extend(format.magnitude_bits(), kept);
        let up = self.float_bit(up);
        let up = self.zero_extend(format.magnitude_bits(), up);
        let sum = self.bv_add(base, kept);
        let sum = self.bv_add(sum, up);
        let largest = self.bv(format.special() - 1, bits);
        let overflows = self.bv_slt(largest, exponent);
        let infinity = self.bv(format.infinity(), format.magnitude_bits());
        let magnitude = self.ite(overflows, infinity, sum);
        self.float_signed(sign, magnitude)
    }
}
