//! Unsigned and signed comparison of bit-vectors. `a < b` is `¬(b ≤ a)`.

use crate::bits;
use crate::{Node, Sort, Term, Terms};

impl Terms {
    /// Unsigned `a < b`.
    pub fn bv_ult(&mut self, a: Term, b: Term) -> Term {
        let reverse = self.bv_ule(b, a);
        self.not(reverse)
    }

    /// Unsigned `a ≤ b`.
    pub fn bv_ule(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        if a == b {
            return self.bool(true);
        }
        let ones = bits::mask(width);
        match (self.as_bits(a), self.as_bits(b)) {
            (Some(x), Some(y)) => return self.bool(x <= y),
            (Some(0), _) => return self.bool(true),
            (_, Some(y)) if y == ones => return self.bool(true),
            (_, Some(0)) => return self.eq(a, b),
            (Some(x), _) if x == ones => return self.eq(a, b),
            (Some(1), _) => {
                let zero = self.bv(0, width);
                return self.ne(b, zero);
            }
            (_, Some(y)) if y == ones - 1 => {
                let ones = self.bv(ones, width);
                return self.ne(a, ones);
            }
            _ => {}
        }
        let simpler = self.compare_choices(a, b, Terms::bv_ule).or_else(|| self.ule_extended(a, b));
        simpler.unwrap_or_else(|| self.intern(Node::BvUle(a, b), Sort::Bool))
    }

    /// Comparisons of extended numbers with each other, or with constants.
    fn ule_extended(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.node(a), self.node(b)) {
            (&Node::ZeroExtend { of: x, .. }, &Node::ZeroExtend { of: y, .. }) => {
                let wider = self.width(x).max(self.width(y));
                let (x, y) = (self.zero_extend(wider, x), self.zero_extend(wider, y));
                Some(self.bv_ule(x, y))
            }
            // Sign extension keeps the unsigned order, too: negative numbers stay above the others.
            (&Node::SignExtend { of: x, .. }, &Node::SignExtend { of: y, .. }) => {
                let wider = self.width(x).max(self.width(y));
                let (x, y) = (self.sign_extend(wider, x), self.sign_extend(wider, y));
                Some(self.bv_ule(x, y))
            }
            (&Node::ZeroExtend { of, .. }, &Node::BitVec { value, .. }) => {
                let narrow = self.width(of);
                let bound = self.bv(value.min(bits::mask(narrow)), narrow);
                Some(self.bv_ule(of, bound))
            }
            (&Node::BitVec { value, .. }, &Node::ZeroExtend { of, .. }) => {
                let narrow = self.width(of);
                if value > bits::mask(narrow) {
                    return Some(self.bool(false));
                }
                let bound = self.bv(value, narrow);
                Some(self.bv_ule(bound, of))
            }
            _ => None,
        }
    }

    /// Signed `a < b`.
    pub fn bv_slt(&mut self, a: Term, b: Term) -> Term {
        let reverse = self.bv_sle(b, a);
        self.not(reverse)
    }

    /// Signed `a ≤ b`.
    pub fn bv_sle(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        if a == b {
            return self.bool(true);
        }
        let (min, max) = (bits::signed_min(width), bits::signed_max(width));
        match (self.as_bits(a), self.as_bits(b)) {
            (Some(x), Some(y)) => return self.bool(bits::signed(x, width) <= bits::signed(y, width)),
            (Some(x), _) if x == min => return self.bool(true),
            (_, Some(y)) if y == max => return self.bool(true),
            (Some(x), _) if x == max => return self.eq(a, b),
            (_, Some(y)) if y == min => return self.eq(a, b),
            _ => {}
        }
        let simpler = self.compare_choices(a, b, Terms::bv_sle).or_else(|| self.sle_extended(a, b));
        simpler.unwrap_or_else(|| self.intern(Node::BvSle(a, b), Sort::Bool))
    }

    fn sle_extended(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        match (self.node(a), self.node(b)) {
            // Numbers with a leading zero compare the same either way.
            (Node::ZeroExtend { .. }, Node::ZeroExtend { .. }) => Some(self.bv_ule(a, b)),
            (&Node::SignExtend { of: x, .. }, &Node::SignExtend { of: y, .. }) => {
                let wider = self.width(x).max(self.width(y));
                let (x, y) = (self.sign_extend(wider, x), self.sign_extend(wider, y));
                Some(self.bv_sle(x, y))
            }
            (Node::ZeroExtend { .. }, &Node::BitVec { value, .. }) => {
                Some(match bits::signed(value, width) {
                    ..0 => self.bool(false),
                    0.. => self.bv_ule(a, b),
                })
            }
            (&Node::BitVec { value, .. }, Node::ZeroExtend { .. }) => {
                Some(match bits::signed(value, width) {
                    ..=0 => self.bool(true),
                    1.. => self.bv_ule(a, b),
                })
            }
            (&Node::SignExtend { of, .. }, &Node::BitVec { value, .. }) => {
                let narrow = self.width(of);
                let (value, max) = (bits::signed(value, width), bits::signed_max(narrow) as i128);
                if value < -max - 1 {
                    return Some(self.bool(false));
                }
                let bound = self.bv(value.min(max) as u128, narrow);
                Some(self.bv_sle(of, bound))
            }
            (&Node::BitVec { value, .. }, &Node::SignExtend { of, .. }) => {
                let narrow = self.width(of);
                let (value, max) = (bits::signed(value, width), bits::signed_max(narrow) as i128);
                if value > max {
                    return Some(self.bool(false));
                }
                let bound = self.bv(value.max(-max - 1) as u128, narrow);
                Some(self.bv_sle(bound, of))
            }
            _ => None,
        }
    }

    /// A comparison of a choice between constants with a constant.
    fn compare_choices(
        &mut self,
        a: Term,
        b: Term,
        compare: fn(&mut Terms, Term, Term) -> Term,
    ) -> Option<Term> {
        let (condition, yes, no) = if self.is_constant(b) {
            let (condition, yes, no) = self.constant_arms(a)?;
            (condition, compare(self, yes, b), compare(self, no, b))
        } else if self.is_constant(a) {
            let (condition, yes, no) = self.constant_arms(b)?;
            (condition, compare(self, a, yes), compare(self, a, no))
        } else {
            return None;
        };
        Some(self.ite(condition, yes, no))
    }
}
