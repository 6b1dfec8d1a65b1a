//! Comparisons: zeros are equal, and what is not a number is neither equal to nor below anything.

use crate::{Term, Terms};

use super::FloatFormat;

impl Terms {
    /// `a == b`.
    pub fn float_eq(&mut self, format: FloatFormat, a: Term, b: Term) -> Term {
        let (ordered, zeros) = self.float_ordered(format, a, b);
        let same = self.eq(a, b);
        let equal = self.or(&[zeros, same]);
        self.and(&[ordered, equal])
    }

    /// `a < b`.
    pub fn float_lt(&mut self, format: FloatFormat, a: Term, b: Term) -> Term {
        let (ordered, zeros) = self.float_ordered(format, a, b);
        let apart = self.not(zeros);
        let below = self.float_below(format, a, b, Terms::bv_ult);
        self.and(&[ordered, apart, below])
    }

    /// `a <= b`.
    pub fn float_le(&mut self, format: FloatFormat, a: Term, b: Term) -> Term {
        let (ordered, zeros) = self.float_ordered(format, a, b);
        let below = self.float_below(format, a, b, Terms::bv_ule);
        let either = self.or(&[zeros, below]);
        self.and(&[ordered, either])
    }

    /// Whether both are numbers, and whether both are zeros.
    fn float_ordered(&mut self, format: FloatFormat, a: Term, b: Term) -> (Term, Term) {
        let zero = self.bv(0, format.magnitude_bits());
        let facts = [a, b].map(|operand| {
            let none = self.float_is_nan(format, operand);
            let number = self.not(none);
            let magnitude = self.extract(format.magnitude_bits() - 1, 0, operand);
            (number, self.eq(magnitude, zero))
        });
        (self.and(&[facts[0].0, facts[1].0]), self.and(&[facts[0].1, facts[1].1]))
    }

    /// Compares signs, then magnitudes; they are no zeros of different signs.
    fn float_below(
        &mut self,
        format: FloatFormat,
        a: Term,
        b: Term,
        order: fn(&mut Terms, Term, Term) -> Term,
    ) -> Term {
        let (negative, other) = (self.float_sign(a), self.float_sign(b));
        let (x, y) = (
            self.extract(format.magnitude_bits() - 1, 0, a),
            self.extract(format.magnitude_bits() - 1, 0, b),
        );
        let (upwards, downwards) = (order(self, x, y), order(self, y, x));
        let same_sign = self.ite(negative, downwards, upwards);
        let differ = self.xor(negative, other);
        self.ite(differ, negative, same_sign)
    }
}
