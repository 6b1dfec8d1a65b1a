//! Arithmetic and bitwise operators on bit-vectors.

use crate::bits;
use crate::linear::{Linear, Modular};
use crate::{BvOp, Node, Sort, Term, Terms};

impl Terms {
    /// `−a`.
    pub fn bv_neg(&mut self, a: Term) -> Term {
        let zero = self.bv(0, self.width(a));
        self.bv_sub(zero, a)
    }

    /// All bits of `a` complemented, which is `−a − 1`.
    pub fn bv_not(&mut self, a: Term) -> Term {
        if self.constant_arms(a).is_some() {
            return self.map_arms(a, Terms::bv_not);
        }
        let ones = self.bv(u128::MAX, self.width(a));
        self.bv_sub(ones, a)
    }

    /// `a + b`.
    pub fn bv_add(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        let sum = self.bv_linear(a).plus(Modular { width }, self.bv_linear(b));
        self.bv_from_exact(sum, width)
    }

    /// `a − b`.
    pub fn bv_sub(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        let sum = self.bv_linear(a).minus(Modular { width }, self.bv_linear(b));
        self.bv_from_exact(sum, width)
    }

    /// `a · b`.
    pub fn bv_mul(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        let (factor, other) = match (self.as_bits(a), self.as_bits(b)) {
            (Some(factor), _) => (factor, b),
            (_, Some(factor)) => (factor, a),
            (None, None) => return self.bv_product(a, b, width),
        };
        let sum = self.bv_linear(other).scale(Modular { width }, factor);
        self.bv_from_exact(sum, width)
    }

    /// A product without constants; factors of the operands come out.
    fn bv_product(&mut self, a: Term, b: Term, width: u32) -> Term {
        let ((ca, pa), (cb, pb)) = (self.bv_factor(a), self.bv_factor(b));
        let (pa, pb) = self.ordered(pa, pb);
        let product = self.intern(Node::Bv(BvOp::Mul, pa, pb), Sort::BitVec(width));
        let sum = Linear { constant: 0, parts: vec![(ca, product)] }.scale(Modular { width }, cb);
        self.bv_from_exact(sum, width)
    }

    fn bv_factor(&self, t: Term) -> (u128, Term) {
        match self.node(t) {
            Node::BvSum(sum) if sum.constant == 0 && sum.parts.len() == 1 => sum.parts[0],
            _ => (1, t),
        }
    }

    /// The term of a sum modulo a power of two, which always exists.
    fn bv_from_exact(&mut self, sum: Option<Linear<Modular>>, width: u32) -> Term {
        let sum = sum.expect("numbers modulo a power of two do not overflow");
        self.bv_from_linear(sum, width)
    }

    /// Bitwise and.
    pub fn bv_and(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        let (a, b) = self.ordered(a, b);
        match self.as_bits(b) {
            Some(0) => return b,
            Some(mask) if mask == bits::mask(width) => return a,
            // A mask of low bits cuts them out.
            Some(mask) if mask & (mask + 1) == 0 => return self.keep_low(a, mask.count_ones()),
            _ => {}
        }
        self.bitwise(BvOp::And, a, b)
    }

    /// Bitwise or.
    pub fn bv_or(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        let (a, b) = self.ordered(a, b);
        match self.as_bits(b) {
            Some(0) => a,
            Some(mask) if mask == bits::mask(width) => b,
            _ => self.bitwise(BvOp::Or, a, b),
        }
    }

    /// Bitwise exclusive or.
    pub fn bv_xor(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        let (a, b) = self.ordered(a, b);
        match self.as_bits(b) {
            Some(0) => return a,
            Some(mask) if mask == bits::mask(width) => return self.bv_not(a),
            _ => {}
        }
        match (self.node(a), self.node(b)) {
            (&Node::BvNot(x), &Node::BvNot(y)) => self.bv_xor(x, y),
            (&Node::BvNot(x), _) => {
                let xor = self.bv_xor(x, b);
                self.bv_not(xor)
            }
            (_, &Node::BvNot(y)) => {
                let xor = self.bv_xor(a, y);
                self.bv_not(xor)
            }
            _ => self.bitwise(BvOp::Xor, a, b),
        }
    }

    /// What the bitwise operators have in common; operands are ordered.
    fn bitwise(&mut self, op: BvOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if a == b {
            return if op == BvOp::Xor { self.bv(0, width) } else { a };
        }
        if self.is_complement(a, b) {
            return self.bv(if op == BvOp::And { 0 } else { u128::MAX }, width);
        }
        // Constants meet at the outside.
        if let (&Node::Bv(inner, x, y), Some(outer)) = (self.node(a), self.as_bits(b))
            && inner == op
            && let Some(mask) = self.as_bits(y)
        {
            let mask = self.bv(fold(op, mask, outer, width), width);
            return match op {
                BvOp::And => self.bv_and(x, mask),
                BvOp::Or => self.bv_or(x, mask),
                _ => self.bv_xor(x, mask),
            };
        }
        self.bv_operator(op, a, b)
    }

    fn is_complement(&self, a: Term, b: Term) -> bool {
        let width = self.width(a);
        let sum = self.bv_linear(a).plus(Modular { width }, self.bv_linear(b));
        sum.is_some_and(|sum| sum.parts.is_empty() && sum.constant == bits::mask(width))
    }

    /// Unsigned quotient; all ones if `b` is zero.
    pub fn bv_udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        match self.as_bits(b) {
            Some(0) => self.bv(u128::MAX, width),
            Some(divisor) if divisor.is_power_of_two() => self.shift_right(a, divisor.trailing_zeros()),
            _ => self.bv_operator(BvOp::Udiv, a, b),
        }
    }

    /// Unsigned remainder; `a` if `b` is zero.
    pub fn bv_urem(&mut self, a: Term, b: Term) -> Term {
        self.common_width(a, b);
        match self.as_bits(b) {
            Some(0) => a,
            Some(divisor) if divisor.is_power_of_two() => self.keep_low(a, divisor.trailing_zeros()),
            _ => self.bv_operator(BvOp::Urem, a, b),
        }
    }

    /// Signed quotient, rounded to zero; −1 or, for negative `a`, 1 if `b` is zero.
    pub fn bv_sdiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        match self.as_bits(b) {
            Some(0) => {
                let (zero, one, minus_one) =
                    (self.bv(0, width), self.bv(1, width), self.bv(u128::MAX, width));
                let negative = self.bv_slt(a, zero);
                self.ite(negative, one, minus_one)
            }
            // Of width 1, the divisor 1 is −1.
            Some(divisor) if divisor == bits::mask(width) => self.bv_neg(a),
            Some(1) => a,
            _ => self.bv_operator(BvOp::Sdiv, a, b),
        }
    }

    /// Signed remainder, with the sign of `a`; `a` if `b` is zero.
    pub fn bv_srem(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        match self.as_bits(b) {
            Some(0) => a,
            Some(divisor) if divisor == 1 || divisor == bits::mask(width) => self.bv(0, width),
            _ => self.bv_operator(BvOp::Srem, a, b),
        }
    }

    /// `a` shifted to the left by `b`; zero if `b` is at least the width.
    pub fn bv_shl(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        match self.as_bits(b) {
            Some(by) if by >= u128::from(width) => self.bv(0, width),
            Some(by) => self.shift_left(a, by as u32),
            None => self.bv_operator(BvOp::Shl, a, b),
        }
    }

    /// `a` shifted to the right by `b`, with zeros from above; zero if `b` is at least the width.
    pub fn bv_lshr(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        match self.as_bits(b) {
            Some(by) => self.shift_right(a, by.min(u128::from(width)) as u32),
            None => self.bv_operator(BvOp::Lshr, a, b),
        }
    }

    /// `a` shifted to the right by `b`, with copies of its highest bit from above.
    pub fn bv_ashr(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        match self.as_bits(b) {
            Some(by) => {
                let kept = self.extract(width - 1, by.min(u128::from(width) - 1) as u32, a);
                self.sign_extend(width, kept)
            }
            None => self.bv_operator(BvOp::Ashr, a, b),
        }
    }

    /// Constants, choices between constants, and the operator itself.
    fn bv_operator(&mut self, op: BvOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            return self.bv(fold(op, x, y, width), width);
        }
        let shifts = matches!(op, BvOp::Shl | BvOp::Lshr | BvOp::Ashr | BvOp::Urem | BvOp::Srem);
        if shifts && self.as_bits(a) == Some(0) {
            return a;
        }
        if let Some(choice) = self.fold_choices(op, a, b) {
            return choice;
        }
        self.intern(Node::Bv(op, a, b), Sort::BitVec(width))
    }

    /// An operator on constants and choices between constants, one of them at least; of two choices, each
    /// is between 0 and 1, as truth values are.
    fn fold_choices(&mut self, op: BvOp, a: Term, b: Term) -> Option<Term> {
        match (self.constant_arms(a), self.constant_arms(b)) {
            (Some(_), None) if self.is_constant(b) => {
                Some(self.map_arms(a, |terms, arm| terms.bv_operator(op, arm, b)))
            }
            (None, Some(_)) if self.is_constant(a) => {
                Some(self.map_arms(b, |terms, arm| terms.bv_operator(op, a, arm)))
            }
            (Some((c, c1, c0)), Some((d, d1, d0))) => {
                let [c1, c0, d1, d0] = [c1, c0, d1, d0].map(|arm| self.as_bits(arm));
                if (c1, c0, d1, d0) != (Some(1), Some(0), Some(1), Some(0)) {
                    return None;
                }
                let condition = match op {
                    BvOp::And => self.and(&[c, d]),
                    BvOp::Or => self.or(&[c, d]),
                    BvOp::Xor => self.xor(c, d),
                    _ => return None,
                };
                let width = self.width(a);
                let (one, zero) = (self.bv(1, width), self.bv(0, width));
                Some(self.ite(condition, one, zero))
            }
            _ => None,
        }
    }
}

/// An operator applied to two numbers.
pub fn fold(op: BvOp, a: u128, b: u128, width: u32) -> u128 {
    match op {
        BvOp::Mul => a.wrapping_mul(b) & bits::mask(width),
        BvOp::And => a & b,
        BvOp::Or => a | b,
        BvOp::Xor => a ^ b,
        BvOp::Udiv => bits::udiv(a, b, width),
        BvOp::Urem => bits::urem(a, b),
        BvOp::Sdiv => bits::sdiv(a, b, width),
        BvOp::Srem => bits::srem(a, b, width),
        BvOp::Shl => bits::shl(a, b, width),
        BvOp::Lshr => bits::lshr(a, b, width),
        BvOp::Ashr => bits::ashr(a, b, width),
    }
}
