//! From literals to linear constraints, and back.
//!
//! What is not linear is a variable of its own: products, elements of arrays, and also quotients and
//! remainders by constants, which come with what defines them. Bit-vectors are read as integers, as if
//! nothing ever wrapped around: that is a guess, which the check of the result confirms or refuses.

use std::collections::BTreeMap;

use hardbop_logic::{Node, Sort, Term, Terms, bits};

use crate::rational::gcd;
use crate::simplex::Row;

/// A constraint over terms.
pub(crate) type Constraint = Row<Term>;

/// Summands: coefficients and variables.
type Parts = Vec<(i128, Term)>;

/// How bit-vectors are compared; integers need nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reading {
    /// Whether some comparison is one of signed numbers.
    pub(crate) signed: bool,
    /// Whether some comparison is one of unsigned numbers.
    pub(crate) unsigned: bool,
}

/// The constraints of a literal, with those that define what it mentions. Nothing for what is not
/// linear, and for "not equal", which is no conjunction of constraints.
pub(crate) fn constraints(terms: &mut Terms, literal: Term, reading: &mut Reading) -> Vec<Constraint> {
    let (atom, holds) = match *terms.node(literal) {
        Node::Not(atom) => (atom, false),
        _ => (literal, true),
    };
    let (small, large, equality) = match *terms.node(atom) {
        Node::IntLe(a, b) => (a, b, false),
        Node::BvSle(a, b) => {
            reading.signed = true;
            (a, b, false)
        }
        Node::BvUle(a, b) => {
            reading.unsigned = true;
            (a, b, false)
        }
        Node::Eq(a, b) if holds && matches!(terms.sort(a), Sort::Int | Sort::BitVec(_)) => (a, b, true),
        _ => return Vec::new(),
    };
    let signed = !matches!(terms.node(atom), Node::BvUle(..));
    let mut sum = Sum::default();
    let sides = if holds { [(1, small), (-1, large)] } else { [(-1, small), (1, large)] };
    for (factor, side) in sides {
        if sum.add(terms, factor, side, signed).is_none() {
            return Vec::new();
        }
    }
    // a − b ≤ 0, or b − a ≤ −1 where it does not hold.
    let Some(bound) = sum.constant.checked_neg().and_then(|c| c.checked_sub(i128::from(!holds))) else {
        return Vec::new();
    };
    let opaque: Vec<Term> = sum.parts.keys().copied().collect();
    let mut rows = vec![Row { parts: sum.row_parts(), bound, equality }];
    for term in opaque {
        rows.extend(definition(terms, term));
    }
    rows
}

/// What a quotient or remainder by a constant is.
fn definition(terms: &mut Terms, term: Term) -> Vec<Constraint> {
    let (dividend, divisor) = match *terms.node(term) {
        Node::IntDiv(a, b) | Node::IntMod(a, b) => (a, b),
        _ => return Vec::new(),
    };
    let Some(number) = terms.as_int(divisor).filter(|&n| n != 0 && n != i128::MIN) else { return Vec::new() };
    let (quotient, remainder) = (terms.int_div(dividend, divisor), terms.int_mod(dividend, divisor));
    let mut sum = Sum::default();
    let added = sum
        .add(terms, 1, dividend, true)
        .and_then(|()| sum.add_part(-number, quotient))
        .and_then(|()| sum.add_part(-1, remainder));
    let (Some(()), Some(bound)) = (added, sum.constant.checked_neg()) else { return Vec::new() };
    vec![
        Row { parts: sum.row_parts(), bound, equality: true },
        Row { parts: vec![(1, remainder)], bound: number.abs() - 1, equality: false },
        Row { parts: vec![(-1, remainder)], bound: 0, equality: false },
    ]
}

/// A linear sum over integers.
#[derive(Debug, Default)]
struct Sum {
    constant: i128,
    parts: BTreeMap<Term, i128>,
}

impl Sum {
    fn add_part(&mut self, factor: i128, term: Term) -> Option<()> {
        let coefficient = self.parts.entry(term).or_insert(0);
        *coefficient = coefficient.checked_add(factor)?;
        Some(())
    }

    fn add_constant(&mut self, factor: i128, constant: i128) -> Option<()> {
        self.constant = self.constant.checked_add(factor.checked_mul(constant)?)?;
        Some(())
    }

    fn add(&mut self, terms: &Terms, factor: i128, term: Term, signed: bool) -> Option<()> {
        match terms.node(term) {
            &Node::Int(value) => self.add_constant(factor, value),
            &Node::BitVec { value, width } => {
                let value = if signed { bits::signed(value, width) } else { i128::try_from(value).ok()? };
                self.add_constant(factor, value)
            }
            Node::IntSum(sum) => {
                self.add_constant(factor, sum.constant)?;
                for &(coefficient, part) in &sum.parts {
                    self.add(terms, factor.checked_mul(coefficient)?, part, signed)?;
                }
                Some(())
            }
            Node::BvSum(sum) => {
                let width = terms.width(term);
                self.add_constant(factor, bits::signed(sum.constant, width))?;
                for &(coefficient, part) in &sum.parts {
                    let coefficient = bits::signed(coefficient, width);
                    self.add(terms, factor.checked_mul(coefficient)?, part, signed)?;
                }
                Some(())
            }
            &Node::ZeroExtend { of, .. }
            | &Node::SignExtend { of, .. }
            | &Node::Extract { low: 0, of, .. } => self.add(terms, factor, of, signed),
            _ => self.add_part(factor, term),
        }
    }

    fn row_parts(&self) -> Vec<(i128, Term)> {
        self.parts.iter().filter(|&(_, &c)| c != 0).map(|(&term, &c)| (c, term)).collect()
    }
}

/// The formula of a constraint.
pub(crate) fn formula(terms: &mut Terms, row: &Constraint, reading: Reading) -> Option<Term> {
    let (positive, negative, constant) = sides(row)?;
    let width = widest(terms, row);
    let left = side(terms, &positive, (-constant).max(0), width, reading)?;
    let right = side(terms, &negative, constant.max(0), width, reading)?;
    Some(match (row.equality, width) {
        (true, _) => terms.eq(left, right),
        (false, None) => terms.int_le(left, right),
        (false, Some(_)) if is_signed(reading) => terms.bv_sle(left, right),
        (false, Some(_)) => terms.bv_ule(left, right),
    })
}

/// The formula "the sum is congruent to its bound modulo a number".
pub(crate) fn congruence(
    terms: &mut Terms,
    row: &Constraint,
    modulus: i128,
    reading: Reading,
) -> Option<Term> {
    let parts: Vec<(i128, Term)> =
        row.parts.iter().map(|&(c, t)| (c.rem_euclid(modulus), t)).filter(|&(c, _)| c != 0).collect();
    let remainder = row.bound.rem_euclid(modulus);
    let width = widest(terms, row);
    let sum = side(terms, &parts, 0, width, reading)?;
    Some(match width {
        None => {
            let modulus = terms.int(modulus);
            let sum = terms.int_mod(sum, modulus);
            let remainder = terms.int(remainder);
            terms.eq(sum, remainder)
        }
        Some(width) => {
            let modulus = terms.bv(u128::try_from(modulus).ok()?, width);
            let sum = terms.bv_urem(sum, modulus);
            let remainder = terms.bv(u128::try_from(remainder).ok()?, width);
            terms.eq(sum, remainder)
        }
    })
}

/// Summands with positive coefficients, those with negative ones on the other side, and the constant
/// there; without common divisors.
fn sides(row: &Constraint) -> Option<(Parts, Parts, i128)> {
    let mut divisor = 0;
    for &(coefficient, _) in &row.parts {
        divisor = gcd(divisor, coefficient)?;
    }
    let divisor = if divisor == 0 || row.equality && row.bound % divisor != 0 { 1 } else { divisor };
    let parts = row.parts.iter().map(|&(c, t)| (c / divisor, t));
    let (positive, negative): (Vec<_>, Vec<_>) = parts.partition(|&(c, _)| c > 0);
    let negative = negative.into_iter().map(|(c, t)| (-c, t)).collect();
    Some((positive, negative, row.bound.div_euclid(divisor)))
}

fn is_signed(reading: Reading) -> bool {
    reading.signed || !reading.unsigned
}

/// The width of the widest bit-vector in a constraint; nothing for integers.
fn widest(terms: &Terms, row: &Constraint) -> Option<u32> {
    let width = |&(_, t): &(i128, Term)| match terms.sort(t) {
        Sort::BitVec(width) => Some(width),
        _ => None,
    };
    row.parts.iter().filter_map(width).max()
}

fn side(
    terms: &mut Terms,
    parts: &[(i128, Term)],
    constant: i128,
    width: Option<u32>,
    reading: Reading,
) -> Option<Term> {
    let Some(width) = width else {
        let mut sum = terms.int(constant);
        for &(coefficient, term) in parts {
            if terms.sort(term) != Sort::Int {
                return None;
            }
            let coefficient = terms.int(coefficient);
            let product = terms.int_mul(coefficient, term);
            sum = terms.int_add(sum, product);
        }
        return Some(sum);
    };
    let mut sum = terms.bv(bits::wrap(constant, width), width);
    for &(coefficient, term) in parts {
        if !matches!(terms.sort(term), Sort::BitVec(_)) {
            return None;
        }
        let narrow = terms.width(term) < width;
        let term = match narrow {
            true if is_signed(reading) => terms.sign_extend(width, term),
            true => terms.zero_extend(width, term),
            false => term,
        };
        let coefficient = terms.bv(bits::wrap(coefficient, width), width);
        let product = terms.bv_mul(coefficient, term);
        sum = terms.bv_add(sum, product);
    }
    Some(sum)
}
