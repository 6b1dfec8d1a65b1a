//! Joining, cutting and extending bit-vectors.

use crate::bits;
use crate::{Node, Sort, Term, Terms};

impl Terms {
    /// The bits of `high` above those of `low`. Chains lean to the right.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        assert!(
            width <= 128,
            "bit-vectors of {high_width} and {low_width} bits do not fit into 128 together"
        );
        match (self.node(high).clone(), self.node(low).clone()) {
            (Node::BitVec { value: x, .. }, Node::BitVec { value: y, .. }) => {
                return self.bv(x << low_width | y, width);
            }
            (Node::BitVec { value: 0, .. }, _) => return self.zero_extend(width, low),
            (Node::Concat(first, second), _) => {
                let rest = self.concat(second, low);
                return self.concat(first, rest);
            }
            (Node::ZeroExtend { of, .. }, _) => {
                let joined = self.concat(of, low);
                return self.zero_extend(width, joined);
            }
            (_, Node::Concat(first, second)) => {
                if let Some(joined) = self.join(high, first) {
                    return self.concat(joined, second);
                }
            }
            _ => {
                if let Some(joined) = self.join(high, low) {
                    return joined;
                }
            }
        }
        self.intern(Node::Concat(high, low), Sort::BitVec(width))
    }

    /// Adjacent constants, or adjacent bits of one term.
    fn join(&mut self, high: Term, low: Term) -> Option<Term> {
        let (high_width, low_width) = (self.width(high), self.width(low));
        match (self.node(high), self.node(low)) {
            (&Node::BitVec { value: x, .. }, &Node::BitVec { value: y, .. }) => {
                Some(self.bv(x << low_width | y, high_width + low_width))
            }
            (&Node::Extract { high, low: middle, of }, &Node::Extract { high: below, low, of: same })
                if of == same && middle == below + 1 =>
            {
                Some(self.extract(high, low, of))
            }
            _ => None,
        }
    }

    /// The bits `high_bit` down to `low_bit`, counted from 0.
    pub fn extract(&mut self, high_bit: u32, low_bit: u32, t: Term) -> Term {
        let whole = self.width(t);
        assert!(low_bit <= high_bit && high_bit < whole, "no bits {high_bit} to {low_bit} of {whole}");
        let width = high_bit - low_bit + 1;
        if width == whole {
            return t;
        }
        match *self.node(t) {
            Node::BitVec { value, .. } => self.bv(value >> low_bit, width),
            Node::Extract { low, of, .. } => self.extract(low + high_bit, low + low_bit, of),
            Node::Concat(high, low) => self.extract_joined(high_bit, low_bit, high, low),
            Node::ZeroExtend { of, .. } => self.extract_extended(high_bit, low_bit, of, false),
            Node::SignExtend { of, .. } => self.extract_extended(high_bit, low_bit, of, true),
            Node::Ite(..) if self.constant_arms(t).is_some() => {
                self.map_arms(t, |terms, arm| terms.extract(high_bit, low_bit, arm))
            }
            _ => {
                let simpler = if low_bit == 0 { self.extract_sum(width, t) } else { None };
                simpler.unwrap_or_else(|| {
                    self.intern(Node::Extract { high: high_bit, low: low_bit, of: t }, Sort::BitVec(width))
                })
            }
        }
    }

    fn extract_joined(&mut self, high_bit: u32, low_bit: u32, high: Term, low: Term) -> Term {
        let middle = self.width(low);
        if high_bit < middle {
            self.extract(high_bit, low_bit, low)
        } else if low_bit >= middle {
            self.extract(high_bit - middle, low_bit - middle, high)
        } else {
            let high = self.extract(high_bit - middle, 0, high);
            let low = self.extract(middle - 1, low_bit, low);
            self.concat(high, low)
        }
    }

    fn extract_extended(&mut self, high_bit: u32, low_bit: u32, of: Term, signed: bool) -> Term {
        let (inner, width) = (self.width(of), high_bit - low_bit + 1);
        if high_bit < inner {
            return self.extract(high_bit, low_bit, of);
        }
        if !signed && low_bit >= inner {
            return self.bv(0, width);
        }
        let kept = self.extract(inner - 1, low_bit.min(inner - 1), of);
        if signed { self.sign_extend(width, kept) } else { self.zero_extend(width, kept) }
    }

    /// The low bits of a sum of extended terms: the sum of their low bits.
    fn extract_sum(&mut self, width: u32, t: Term) -> Option<Term> {
        let is_extended = |part: Term| match *self.node(part) {
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } => self.width(of) >= width,
            _ => false,
        };
        let linear = match self.node(t) {
            Node::BvSum(_) | Node::BvNot(_) if self.is_linear(t) => self.bv_linear(t),
            _ => return None,
        };
        if !linear.parts.iter().all(|&(_, part)| is_extended(part)) {
            return None;
        }
        let mut sum = self.bv(linear.constant, width);
        for (coefficient, part) in linear.parts {
            let (coefficient, part) = (self.bv(coefficient, width), self.extract(width - 1, 0, part));
            let product = self.bv_mul(coefficient, part);
            sum = self.bv_add(sum, product);
        }
        Some(sum)
    }

    /// The term with zeros above it, `to_width` bits in all.
    pub fn zero_extend(&mut self, to_width: u32, t: Term) -> Term {
        let width = self.width(t);
        assert!((width..=128).contains(&to_width), "{width} bits cannot be extended to {to_width}");
        match *self.node(t) {
            _ if to_width == width => t,
            Node::BitVec { value, .. } => self.bv(value, to_width),
            Node::ZeroExtend { of, .. } => self.zero_extend(to_width, of),
            Node::Ite(..) if self.constant_arms(t).is_some() => {
                self.map_arms(t, |terms, arm| terms.zero_extend(to_width, arm))
            }
            _ => self.intern(Node::ZeroExtend { width: to_width, of: t }, Sort::BitVec(to_width)),
        }
    }

    /// The term with copies of its highest bit above it, `to_width` bits in all.
    pub fn sign_extend(&mut self, to_width: u32, t: Term) -> Term {
        let width = self.width(t);
        assert!((width..=128).contains(&to_width), "{width} bits cannot be extended to {to_width}");
        match *self.node(t) {
            _ if to_width == width => t,
            Node::BitVec { value, .. } => self.bv(bits::wrap(bits::signed(value, width), to_width), to_width),
            Node::SignExtend { of, .. } => self.sign_extend(to_width, of),
            Node::ZeroExtend { of, .. } => self.zero_extend(to_width, of),
            Node::Ite(..) if self.constant_arms(t).is_some() => {
                self.map_arms(t, |terms, arm| terms.sign_extend(to_width, arm))
            }
            _ => self.intern(Node::SignExtend { width: to_width, of: t }, Sort::BitVec(to_width)),
        }
    }

    /// A choice with a function applied to both arms.
    pub(crate) fn map_arms(&mut self, t: Term, mut map: impl FnMut(&mut Terms, Term) -> Term) -> Term {
        let Node::Ite(condition, yes, no) = *self.node(t) else { return map(self, t) };
        let (yes, no) = (map(self, yes), map(self, no));
        self.ite(condition, yes, no)
    }
}

impl Terms {
    /// The term multiplied by a power of two.
    pub(crate) fn shift_left(&mut self, t: Term, by: u32) -> Term {
        let width = self.width(t);
        let factor = self.bv(bits::shl(1, u128::from(by), width), width);
        self.bv_mul(factor, t)
    }

    /// The term without its lowest bits, with zeros above.
    pub(crate) fn shift_right(&mut self, t: Term, by: u32) -> Term {
        let width = self.width(t);
        if by >= width {
            return self.bv(0, width);
        }
        let kept = self.extract(width - 1, by, t);
        self.zero_extend(width, kept)
    }

    /// The lowest bits of a term, with zeros above.
    pub(crate) fn keep_low(&mut self, t: Term, count: u32) -> Term {
        let width = self.width(t);
        if count == 0 {
            return self.bv(0, width);
        }
        let kept = self.extract(count - 1, 0, t);
        self.zero_extend(width, kept)
    }
}
