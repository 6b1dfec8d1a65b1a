//! Integers: sums, products, Euclidean division, comparison.

use crate::linear::{Integers, Linear};
use crate::{Node, Sort, Sum, Term, Terms};

impl Terms {
    /// `−a`.
    pub fn int_neg(&mut self, a: Term) -> Term {
        let minus_one = self.int(-1);
        self.int_mul(minus_one, a)
    }

    /// `a + b`.
    pub fn int_add(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Int);
        self.expect_sort(b, Sort::Int);
        match self.int_linear(a).plus(Integers, self.int_linear(b)) {
            Some(sum) => self.int_from_linear(sum),
            None => self.int_sum_as_is(1, a, 1, b),
        }
    }

    /// `a − b`.
    pub fn int_sub(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Int);
        self.expect_sort(b, Sort::Int);
        match self.int_linear(a).minus(Integers, self.int_linear(b)) {
            Some(sum) => self.int_from_linear(sum),
            None => self.int_sum_as_is(1, a, -1, b),
        }
    }

    /// A sum of operands whose numbers are too large to combine.
    fn int_sum_as_is(&mut self, ca: i128, a: Term, cb: i128, b: Term) -> Term {
        let parts = match a.cmp(&b) {
            std::cmp::Ordering::Less => vec![(ca, a), (cb, b)],
            std::cmp::Ordering::Greater => vec![(cb, b), (ca, a)],
            std::cmp::Ordering::Equal if ca + cb == 0 => return self.int(0),
            std::cmp::Ordering::Equal => vec![(ca + cb, a)],
        };
        self.intern(Node::IntSum(Sum { constant: 0, parts: parts.into() }), Sort::Int)
    }

    /// `a · b`.
    pub fn int_mul(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Int);
        self.expect_sort(b, Sort::Int);
        let scaled = match (self.as_int(a), self.as_int(b)) {
            (Some(factor), _) => self.int_linear(b).scale(Integers, factor),
            (_, Some(factor)) => self.int_linear(a).scale(Integers, factor),
            (None, None) => return self.int_product(a, b),
        };
        match scaled {
            Some(sum) => self.int_from_linear(sum),
            None => self.int_mul_as_is(a, b),
        }
    }

    /// A product without constants; factors of the operands come out.
    fn int_product(&mut self, a: Term, b: Term) -> Term {
        let ((ca, pa), (cb, pb)) = (self.int_factor(a), self.int_factor(b));
        match ca.checked_mul(cb) {
            Some(1) | None => self.int_mul_as_is(a, b),
            Some(factor) => {
                let product = self.int_mul_as_is(pa, pb);
                self.int_from_linear(Linear { constant: 0, parts: vec![(factor, product)] })
            }
        }
    }

    fn int_factor(&self, t: Term) -> (i128, Term) {
        match self.node(t) {
            Node::IntSum(sum) if sum.constant == 0 && sum.parts.len() == 1 => sum.parts[0],
            _ => (1, t),
        }
    }

    fn int_mul_as_is(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.ordered(a, b);
        self.intern(Node::IntMul(a, b), Sort::Int)
    }

    /// Euclidean quotient of `a` by `b`; 0 if `b` is 0.
    pub fn int_div(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Int);
        self.expect_sort(b, Sort::Int);
        match (self.as_int(a), self.as_int(b)) {
            (_, Some(0)) => return self.int(0),
            (_, Some(1)) => return a,
            (_, Some(-1)) => return self.int_neg(a),
            (Some(0), _) => return a,
            (Some(x), Some(y)) => {
                if let Some(quotient) = x.checked_div_euclid(y) {
                    return self.int(quotient);
                }
            }
            _ => {}
        }
        self.intern(Node::IntDiv(a, b), Sort::Int)
    }

    /// Euclidean remainder of `a` by `b`, never negative; `a` if `b` is 0.
    pub fn int_mod(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Int);
        self.expect_sort(b, Sort::Int);
        match (self.as_int(a), self.as_int(b)) {
            (_, Some(0)) | (Some(0), _) => return a,
            (_, Some(1 | -1)) => return self.int(0),
            (Some(x), Some(y)) => {
                if let Some(remainder) = x.checked_rem_euclid(y) {
                    return self.int(remainder);
                }
            }
            _ => {}
        }
        self.intern(Node::IntMod(a, b), Sort::Int)
    }

    /// `a ≤ b`.
    ///
    /// Normal form: the difference divided by the common divisor of its coefficients, with a positive
    /// first coefficient; the other direction is its negation, so that complements are seen.
    pub fn int_le(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Int);
        self.expect_sort(b, Sort::Int);
        match self.int_le_normal(a, b) {
            Some(normal) => normal,
            None => self.intern(Node::IntLe(a, b), Sort::Bool),
        }
    }

    /// `a < b`.
    pub fn int_lt(&mut self, a: Term, b: Term) -> Term {
        let reverse = self.int_le(b, a);
        self.not(reverse)
    }

    fn int_le_normal(&mut self, a: Term, b: Term) -> Option<Term> {
        let mut difference = self.int_linear(a).minus(Integers, self.int_linear(b))?;
        let divisor = difference.divisor()?;
        if divisor == 0 {
            return Some(self.bool(difference.constant <= 0));
        }
        for (coefficient, _) in &mut difference.parts {
            *coefficient /= divisor;
        }
        // Σ + k ≤ 0 where g divides Σ: Σ/g ≤ ⌊−k/g⌋.
        difference.constant = difference.constant.checked_neg()?.div_euclid(divisor).checked_neg()?;
        let negated = difference.leads_negative(Integers);
        if negated {
            // ¬(−Σ − k + 1 ≤ 0)
            difference = difference.negate(Integers)?;
            difference.constant = difference.constant.checked_add(1)?;
        }
        let (left, right) = difference.split(Integers)?;
        let (left, right) = (self.int_from_linear(left), self.int_from_linear(right));
        let atom = self.int_le_atom(left, right);
        Some(if negated { self.not(atom) } else { atom })
    }

    fn int_le_atom(&mut self, left: Term, right: Term) -> Term {
        if let (Some(bound), &Node::Ite(condition, yes, no)) = (self.as_int(right), self.node(left))
            && let (Some(yes), Some(no)) = (self.as_int(yes), self.as_int(no))
        {
            let (yes, no) = (self.bool(yes <= bound), self.bool(no <= bound));
            return self.ite(condition, yes, no);
        }
        self.intern(Node::IntLe(left, right), Sort::Bool)
    }
}
