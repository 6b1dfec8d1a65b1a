//! Linear sums: the normal form of addition, subtraction, negation and multiplication by constants.
//!
//! A sum is kept as a constant and a sorted list of coefficients and terms, over the integers or modulo
//! a power of two. Thus `(p + 4) + 4` is `p + 8`, `x + 1 − x` is 1, and whether two addresses with one
//! base differ is seen from their constants. Integers whose combination would not fit are left alone:
//! operations return nothing, and the caller builds a sum of the unchanged operands.

use crate::bits;
use crate::{Node, Sort, Sum, Term, Terms};

/// Sums with more parts than this are not taken apart again, so that adding up `n` terms one by one
/// stays linear in `n`.
const MAX_PARTS: usize = 64;

/// Numbers that sums are made of.
pub trait Ring: Copy {
    type Number: Copy + Eq;
    fn zero(self) -> Self::Number;
    fn one(self) -> Self::Number;
    fn add(self, a: Self::Number, b: Self::Number) -> Option<Self::Number>;
    fn mul(self, a: Self::Number, b: Self::Number) -> Option<Self::Number>;
    fn neg(self, a: Self::Number) -> Option<Self::Number>;
    /// Whether a coefficient looks better on the other side of an equation.
    fn is_negative(self, a: Self::Number) -> bool;
}

/// The integers, as far as `i128` goes.
#[derive(Clone, Copy)]
pub struct Integers;

/// The integers modulo a power of two.
#[derive(Clone, Copy)]
pub struct Modular {
    pub width: u32,
}

impl Ring for Integers {
    type Number = i128;
    fn zero(self) -> i128 {
        0
    }
    fn one(self) -> i128 {
        1
    }
    fn add(self, a: i128, b: i128) -> Option<i128> {
        a.checked_add(b)
    }
    fn mul(self, a: i128, b: i128) -> Option<i128> {
        a.checked_mul(b)
    }
    fn neg(self, a: i128) -> Option<i128> {
        a.checked_neg()
    }
    fn is_negative(self, a: i128) -> bool {
        a < 0
    }
}

impl Ring for Modular {
    type Number = u128;
    fn zero(self) -> u128 {
        0
    }
    fn one(self) -> u128 {
        1
    }
    fn add(self, a: u128, b: u128) -> Option<u128> {
        Some(a.wrapping_add(b) & bits::mask(self.width))
    }
    fn mul(self, a: u128, b: u128) -> Option<u128> {
        Some(a.wrapping_mul(b) & bits::mask(self.width))
    }
    fn neg(self, a: u128) -> Option<u128> {
        Some(bits::neg(a, self.width))
    }
    fn is_negative(self, a: u128) -> bool {
        bits::signed(a, self.width) < 0
    }
}

/// A sum while it is worked on.
#[derive(Clone, Debug)]
pub struct Linear<R: Ring> {
    pub constant: R::Number,
    pub parts: Vec<(R::Number, Term)>,
}

impl<R: Ring> Linear<R> {
    fn constant(constant: R::Number) -> Self {
        Linear { constant, parts: Vec::new() }
    }

    fn term(ring: R, term: Term) -> Self {
        Linear { constant: ring.zero(), parts: vec![(ring.one(), term)] }
    }

    pub fn scale(mut self, ring: R, factor: R::Number) -> Option<Self> {
        self.constant = ring.mul(self.constant, factor)?;
        for (coefficient, _) in &mut self.parts {
            *coefficient = ring.mul(*coefficient, factor)?;
        }
        self.parts.retain(|(coefficient, _)| *coefficient != ring.zero());
        Some(self)
    }

    pub fn negate(mut self, ring: R) -> Option<Self> {
        self.constant = ring.neg(self.constant)?;
        for (coefficient, _) in &mut self.parts {
            *coefficient = ring.neg(*coefficient)?;
        }
        Some(self)
    }

    pub fn plus(self, ring: R, other: Self) -> Option<Self> {
        let constant = ring.add(self.constant, other.constant)?;
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut left, mut right) = (self.parts.into_iter().peekable(), other.parts.into_iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (Some(&(a, s)), Some(&(b, t))) if s == t => {
                    let coefficient = ring.add(a, b)?;
                    if coefficient != ring.zero() {
                        parts.push((coefficient, s));
                    }
                    left.next();
                    right.next();
                }
                (Some(&(_, s)), Some(&(_, t))) if s < t => parts.extend(left.next()),
                (_, Some(_)) => parts.extend(right.next()),
                (Some(_), None) => parts.extend(left.next()),
                (None, None) => return Some(Linear { constant, parts }),
            }
        }
    }

    pub fn minus(self, ring: R, other: Self) -> Option<Self> {
        self.plus(ring, other.negate(ring)?)
    }

    /// Two sums whose equality says that this one is zero: what has a positive coefficient, and the
    /// negation of the rest.
    pub fn split(self, ring: R) -> Option<(Self, Self)> {
        let (negative, positive) =
            self.parts.into_iter().partition(|(coefficient, _)| ring.is_negative(*coefficient));
        let left = Linear { constant: ring.zero(), parts: positive };
        let right = Linear { constant: self.constant, parts: negative }.negate(ring)?;
        Some((left, right))
    }

    /// Whether the first part has a negative coefficient.
    pub fn leads_negative(&self, ring: R) -> bool {
        self.parts.first().is_some_and(|(coefficient, _)| ring.is_negative(*coefficient))
    }
}

impl Linear<Modular> {
    /// Whether no values of the parts make the sum zero: all coefficients are multiples of a power of
    /// two that the constant is no multiple of.
    pub fn is_never_zero(&self) -> bool {
        let common = self.parts.iter().map(|(coefficient, _)| coefficient.trailing_zeros()).min();
        self.constant != 0 && common.is_none_or(|common| self.constant.trailing_zeros() < common)
    }
}

impl Linear<Integers> {
    /// The greatest common divisor of the coefficients; zero if there are none.
    pub fn divisor(&self) -> Option<i128> {
        let mut divisor = 0u128;
        for (coefficient, _) in &self.parts {
            divisor = gcd(divisor, coefficient.unsigned_abs());
        }
        i128::try_from(divisor).ok()
    }

    /// Whether no values of the parts make the sum zero.
    pub fn is_never_zero(&self) -> bool {
        match self.divisor() {
            Some(0) => self.constant != 0,
            Some(divisor) => self.constant % divisor != 0,
            None => false,
        }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Terms {
    /// Whether a term's linear form says more than the term.
    pub(crate) fn is_linear(&self, t: Term) -> bool {
        match self.node(t) {
            Node::BvNot(_) => true,
            Node::BvSum(sum) => sum.parts.len() <= MAX_PARTS,
            Node::IntSum(sum) => sum.parts.len() <= MAX_PARTS,
            _ => false,
        }
    }

    pub(crate) fn bv_linear(&self, t: Term) -> Linear<Modular> {
        let ring = Modular { width: self.width(t) };
        match self.node(t) {
            &Node::BitVec { value, .. } => Linear::constant(value),
            Node::BvSum(sum) if sum.parts.len() <= MAX_PARTS => {
                Linear { constant: sum.constant, parts: sum.parts.to_vec() }
            }
            &Node::BvNot(of) => {
                let ones = bits::mask(ring.width);
                Linear { constant: ones, parts: vec![(ones, of)] }
            }
            _ => Linear::term(ring, t),
        }
    }

    pub(crate) fn int_linear(&self, t: Term) -> Linear<Integers> {
        match self.node(t) {
            &Node::Int(value) => Linear::constant(value),
            Node::IntSum(sum) if sum.parts.len() <= MAX_PARTS => {
                Linear { constant: sum.constant, parts: sum.parts.to_vec() }
            }
            _ => Linear::term(Integers, t),
        }
    }

    /// The term of a sum.
    pub(crate) fn bv_from_linear(&mut self, linear: Linear<Modular>, width: u32) -> Term {
        let ones = bits::mask(width);
        match (linear.constant, linear.parts.as_slice()) {
            (constant, []) => self.bv(constant, width),
            (0, &[(1, part)]) => part,
            (constant, &[(coefficient, part)]) if constant == ones && coefficient == ones => {
                self.intern(Node::BvNot(part), Sort::BitVec(width))
            }
            (constant, parts) => {
                self.intern(Node::BvSum(Sum { constant, parts: parts.into() }), Sort::BitVec(width))
            }
        }
    }

    /// The term of a sum.
    pub(crate) fn int_from_linear(&mut self, linear: Linear<Integers>) -> Term {
        match (linear.constant, linear.parts.as_slice()) {
            (constant, []) => self.int(constant),
            (0, &[(1, part)]) => part,
            (constant, parts) => self.intern(Node::IntSum(Sum { constant, parts: parts.into() }), Sort::Int),
        }
    }

    /// The constant and the parts of a term that is written as a sum.
    fn bv_sum(&self, t: Term) -> Option<(u128, &[(u128, Term)])> {
        match self.node(t) {
            &Node::BitVec { value, .. } => Some((value, &[])),
            Node::BvSum(sum) => Some((sum.constant, &sum.parts)),
            _ => None,
        }
    }

    /// Whether two terms differ in every model, as far as their shape tells.
    pub(crate) fn is_different(&self, a: Term, b: Term) -> bool {
        match self.sort(a) {
            Sort::Bool => matches!((self.as_bool(a), self.as_bool(b)), (Some(a), Some(b)) if a != b),
            Sort::Int => {
                let difference = self.int_linear(a).minus(Integers, self.int_linear(b));
                difference.is_some_and(|difference| difference.is_never_zero())
            }
            Sort::BitVec(width) => {
                // Addresses in one object, which are compared by far the most often.
                if let (Some((a, parts)), Some((b, others))) = (self.bv_sum(a), self.bv_sum(b))
                    && parts == others
                {
                    return a != b;
                }
                let difference = self.bv_linear(a).minus(Modular { width }, self.bv_linear(b));
                difference.is_some_and(|difference| difference.is_never_zero())
            }
            Sort::Array(..) => false,
        }
    }
}
