//! Equality of terms of any sort.

use crate::bits;
use crate::linear::{Integers, Linear, Modular};
use crate::{BvOp, Node, Sort, Term, Terms};

/// How deep an equality is pushed into its operands.
const DEPTH: u32 = 64;

impl Terms {
    /// `a = b`, of any sort.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.expect_same_sort(a, b);
        self.eq_within(a, b, DEPTH)
    }

    /// `a ≠ b`, of any sort.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }

    fn eq_within(&mut self, a: Term, b: Term, depth: u32) -> Term {
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.bool(true);
        }
        if self.is_constant(a) {
            return self.bool(false);
        }
        if depth == 0 {
            return self.eq_as_is(a, b);
        }
        match self.sort(a) {
            Sort::Bool => self.iff(a, b),
            Sort::Array(..) => self.eq_arrays(a, b),
            Sort::Int | Sort::BitVec(_) => {
                let simpler = self.eq_choice(a, b, depth).or_else(|| self.eq_choice(b, a, depth));
                if let Some(simpler) = simpler {
                    return simpler;
                }
                let simpler = match self.sort(a) {
                    Sort::BitVec(width) => {
                        self.eq_slices(a, b, depth).or_else(|| self.eq_bv_sums(a, b, width, depth))
                    }
                    _ => self.eq_int_sums(a, b, depth),
                };
                simpler.unwrap_or_else(|| self.eq_as_is(a, b))
            }
        }
    }

    fn eq_as_is(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.ordered(a, b);
        self.intern(Node::Eq(a, b), Sort::Bool)
    }

    /// `ite(c, x, y) = b` where an arm is `b` or both sides are constants or choices of constants.
    fn eq_choice(&mut self, a: Term, b: Term, depth: u32) -> Option<Term> {
        let Node::Ite(condition, yes, no) = *self.node(a) else { return None };
        let decided = |arm| arm == b || self.is_constant(arm) && self.is_constant(b);
        let both_constant = self.constant_arms(a).is_some() && self.constant_arms(b).is_some();
        if !(decided(yes) || decided(no) || both_constant) {
            return None;
        }
        let yes = self.eq_within(yes, b, depth - 1);
        let no = self.eq_within(no, b, depth - 1);
        Some(self.ite(condition, yes, no))
    }

    /// Extended, joined and masked bit-vectors.
    fn eq_slices(&mut self, a: Term, b: Term, depth: u32) -> Option<Term> {
        let width = self.width(a);
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::ZeroExtend { of, .. }, Node::BitVec { value, .. }) => {
                let narrow = self.width(of);
                if value > bits::mask(narrow) {
                    return Some(self.bool(false));
                }
                let value = self.bv(value, narrow);
                Some(self.eq_within(of, value, depth - 1))
            }
            (Node::SignExtend { of, .. }, Node::BitVec { value, .. }) => {
                let narrow = self.width(of);
                if bits::wrap(bits::signed(value, narrow), width) != value {
                    return Some(self.bool(false));
                }
                let value = self.bv(value, narrow);
                Some(self.eq_within(of, value, depth - 1))
            }
            (Node::ZeroExtend { of: x, .. }, Node::ZeroExtend { of: y, .. }) => {
                let wider = self.width(x).max(self.width(y));
                let (x, y) = (self.zero_extend(wider, x), self.zero_extend(wider, y));
                Some(self.eq_within(x, y, depth - 1))
            }
            (Node::SignExtend { of: x, .. }, Node::SignExtend { of: y, .. }) => {
                let wider = self.width(x).max(self.width(y));
                let (x, y) = (self.sign_extend(wider, x), self.sign_extend(wider, y));
                Some(self.eq_within(x, y, depth - 1))
            }
            (Node::Concat(high, low), Node::BitVec { value, .. }) => {
                let (high_value, low_value) =
                    (self.bv(value >> self.width(low), self.width(high)), self.bv(value, self.width(low)));
                let high = self.eq_within(high, high_value, depth - 1);
                let low = self.eq_within(low, low_value, depth - 1);
                Some(self.and(&[high, low]))
            }
            (Node::Concat(h1, l1), Node::Concat(h2, l2)) if self.width(l1) == self.width(l2) => {
                let high = self.eq_within(h1, h2, depth - 1);
                let low = self.eq_within(l1, l2, depth - 1);
                Some(self.and(&[high, low]))
            }
            (Node::Bv(BvOp::Xor, x, y), Node::BitVec { value: 0, .. }) => {
                Some(self.eq_within(x, y, depth - 1))
            }
            (Node::Bv(BvOp::Xor, x, y), Node::BitVec { value, .. }) => {
                let mask = self.as_bits(y)?;
                let value = self.bv(value ^ mask, width);
                Some(self.eq_within(x, value, depth - 1))
            }
            _ => None,
        }
    }

    fn eq_bv_sums(&mut self, a: Term, b: Term, width: u32, depth: u32) -> Option<Term> {
        if !self.is_linear(a) && !self.is_linear(b) {
            return None;
        }
        let ring = Modular { width };
        let mut difference = self.bv_linear(a).minus(ring, self.bv_linear(b))?;
        if difference.is_never_zero() {
            return Some(self.bool(false));
        }
        if let [(coefficient, part)] = difference.parts[..]
            && coefficient & 1 == 1
        {
            let inverse = bits::inverse(coefficient, width);
            let value = bits::neg(difference.constant, width).wrapping_mul(inverse);
            let value = self.bv(value, width);
            return Some(self.eq_within(part, value, depth - 1));
        }
        if difference.leads_negative(ring) {
            difference = difference.negate(ring)?;
        }
        let (left, right) = difference.split(ring)?;
        let (left, right) = (self.bv_from_linear(left, width), self.bv_from_linear(right, width));
        Some(self.eq_sides(left, right, depth))
    }

    fn eq_int_sums(&mut self, a: Term, b: Term, depth: u32) -> Option<Term> {
        if !self.is_linear(a) && !self.is_linear(b) {
            return None;
        }
        let mut difference: Linear<Integers> = self.int_linear(a).minus(Integers, self.int_linear(b))?;
        if difference.is_never_zero() {
            return Some(self.bool(false));
        }
        let divisor = difference.divisor()?;
        if divisor == 0 {
            return Some(self.bool(true));
        }
        difference.constant /= divisor;
        for (coefficient, _) in &mut difference.parts {
            *coefficient /= divisor;
        }
        if difference.leads_negative(Integers) {
            difference = difference.negate(Integers)?;
        }
        let (left, right) = difference.split(Integers)?;
        let (left, right) = (self.int_from_linear(left), self.int_from_linear(right));
        Some(self.eq_sides(left, right, depth))
    }

    /// The equality of the two sides that a difference was split into. Only sides that are no sums may
    /// hide something else to simplify.
    fn eq_sides(&mut self, left: Term, right: Term, depth: u32) -> Term {
        if left == right {
            self.bool(true)
        } else if self.is_linear(left) || self.is_linear(right) {
            self.eq_as_is(left, right)
        } else {
            self.eq_within(left, right, depth - 1)
        }
    }

    fn eq_arrays(&mut self, a: Term, b: Term) -> Term {
        match (self.node(a), self.node(b)) {
            (&Node::Store(base, index, value), _) if base == b => {
                let element = self.select(base, index);
                self.eq(element, value)
            }
            (_, &Node::Store(base, index, value)) if base == a => {
                let element = self.select(base, index);
                self.eq(element, value)
            }
            (&Node::ConstantArray { value: x, .. }, &Node::ConstantArray { value: y, .. }) => self.eq(x, y),
            (&Node::Store(x, i, u), &Node::Store(y, j, v)) if x == y && i == j => self.eq(u, v),
            _ => self.eq_as_is(a, b),
        }
    }
}
