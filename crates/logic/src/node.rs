//! What terms are made of.
//!
//! The operators are few on purpose; the constructors of [`Terms`](crate::Terms) express the others by
//! them: disjunction is negated conjunction, `a < b` is `¬(b ≤ a)`, subtraction and negation are sums,
//! shifts by constants are products or slices. A function thus has one spelling more often.

use crate::{Scalar, Sort};

/// A term of a store. Numbers order terms topologically: operands come before their users.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Ord, PartialOrd)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The position in its store, from 0 on.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `constant + Σ coefficient · term`: parts sorted by term, none twice, no coefficient zero.
///
/// A sum is never a constant or a single plain term, unless the numbers are too large to combine.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Sum<C> {
    /// The constant summand.
    pub constant: C,
    /// The other summands.
    pub parts: Box<[(C, Term)]>,
}

/// Operators on two bit-vectors of one width that give a third.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Ord, PartialOrd)]
pub enum BvOp {
    /// Product; neither operand is a constant.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Quotient of unsigned numbers; all ones if the divisor is zero.
    Udiv,
    /// Remainder of unsigned numbers; the dividend if the divisor is zero.
    Urem,
    /// Quotient of signed numbers, rounded to zero; 1 or −1 if the divisor is zero.
    Sdiv,
    /// Remainder with the sign of the dividend, which it is if the divisor is zero.
    Srem,
    /// Shift to the left; zero from the width on.
    Shl,
    /// Shift to the right that brings in zeros; zero from the width on.
    Lshr,
    /// Shift to the right that brings in the sign; all signs from the width on.
    Ashr,
}

impl BvOp {
    /// Whether the operands may change places; they are sorted then.
    pub fn is_commutative(self) -> bool {
        matches!(self, BvOp::Mul | BvOp::And | BvOp::Or | BvOp::Xor)
    }
}

/// An operator with its operands.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum Node {
    /// A free symbol. Its name is unique in the store.
    Symbol {
        /// The name.
        name: Box<str>,
        /// The sort.
        sort: Sort,
    },
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A bit-vector.
    BitVec {
        /// The bits; those beyond the width are zero.
        value: u128,
        /// The width.
        width: u32,
    },
    /// Negation.
    Not(Term),
    /// Conjunction of at least two terms, sorted. Disjunction is its negation over negations.
    And(Box<[Term]>),
    /// Equality of two terms of one sort, also "if and only if"; constants stand on the right.
    Eq(Term, Term),
    /// The second where the first holds, else the third.
    Ite(Term, Term, Term),
    /// A linear sum of integers.
    IntSum(Sum<i128>),
    /// A product of integers.
    IntMul(Term, Term),
    /// Euclidean quotient; zero if the divisor is zero.
    IntDiv(Term, Term),
    /// Euclidean remainder, never negative; the dividend if the divisor is zero.
    IntMod(Term, Term),
    /// Integer comparison ≤.
    IntLe(Term, Term),
    /// A linear sum of bit-vectors, modulo two to the power of the width.
    BvSum(Sum<u128>),
    /// Complement of all bits.
    BvNot(Term),
    /// The other operators on bit-vectors of one width.
    Bv(BvOp, Term, Term),
    /// Unsigned ≤.
    BvUle(Term, Term),
    /// Signed ≤.
    BvSle(Term, Term),
    /// The first operand's bits above those of the second.
    Concat(Term, Term),
    /// Some adjacent bits.
    Extract {
        /// The highest bit taken, counted from 0.
        high: u32,
        /// The lowest bit taken.
        low: u32,
        /// What they are taken from.
        of: Term,
    },
    /// More bits, all zero.
    ZeroExtend {
        /// The new width.
        width: u32,
        /// What is extended.
        of: Term,
    },
    /// More bits, all equal to the highest.
    SignExtend {
        /// The new width.
        width: u32,
        /// What is extended.
        of: Term,
    },
    /// The element of the array (first) at the index (second).
    Select(Term, Term),
    /// The array (first) with another element (third) at the index (second).
    Store(Term, Term, Term),
    /// The array that has one element everywhere.
    ConstantArray {
        /// The sort of its indices.
        index: Scalar,
        /// The element.
        value: Term,
    },
}

impl Node {
    /// Calls a function for each operand, from left to right.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Term)) {
        match self {
            Node::Symbol { .. } | Node::Bool(_) | Node::Int(_) | Node::BitVec { .. } => {}
            &Node::Not(a) | &Node::BvNot(a) => visit(a),
            &Node::Extract { of, .. } | &Node::ZeroExtend { of, .. } | &Node::SignExtend { of, .. } => {
                visit(of)
            }
            &Node::ConstantArray { value, .. } => visit(value),
            Node::And(members) => members.iter().copied().for_each(visit),
            Node::IntSum(sum) => sum.parts.iter().for_each(|&(_, part)| visit(part)),
            Node::BvSum(sum) => sum.parts.iter().for_each(|&(_, part)| visit(part)),
            &Node::Ite(a, b, c) | &Node::Store(a, b, c) => [a, b, c].into_iter().for_each(visit),
            &Node::Eq(a, b)
            | &Node::IntMul(a, b)
            | &Node::IntDiv(a, b)
            | &Node::IntMod(a, b)
            | &Node::IntLe(a, b)
            | &Node::Bv(_, a, b)
            | &Node::BvUle(a, b)
            | &Node::BvSle(a, b)
            | &Node::Concat(a, b)
            | &Node::Select(a, b) => [a, b].into_iter().for_each(visit),
        }
    }

    /// Whether the term is a truth value, an integer or a bit-vector, written out.
    pub fn is_constant(&self) -> bool {
        matches!(self, Node::Bool(_) | Node::Int(_) | Node::BitVec { .. })
    }
}
