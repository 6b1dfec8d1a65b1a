//! Interpolants of literals that contradict each other, from one proof for all places between them.
//!
//! The literals belong to parts, one after the other. An interpolant between two parts is implied by
//! those before it, contradicts those after it, and is about what both mention. Three kinds of proof:
//!
//! - a literal and its negation;
//! - multipliers under which linear constraints add up to a contradiction (Farkas): the sum of those
//!   before is the interpolant, since what only they mention has to vanish from it;
//! - multipliers under which equations have whole coefficients and a bound that is not whole: the sum of
//!   those before, without its denominator, is a congruence.
//!
//! Where there is a rational solution but no whole one, a variable is split at it: both halves are
//! refuted. The split belongs to the first part that mentions the variable, so that the interpolants
//! between all parts come from one proof: each follows from the one before and the part between them.

use hardbop_base::{Budget, Stop};
use hardbop_logic::{Node, Term, Terms};
use rustc_hash::FxHashMap;

use crate::lattice;
use crate::linear::{Constraint, Reading, congruence, constraints, formula};
use crate::rational::{Rational, common_denominator};
use crate::simplex::{Solution, solve};

/// How often a variable is split.
const MAX_SPLITS: usize = 24;

/// The interpolants between the parts: one fewer than parts. Nothing if no proof is found.
pub(crate) fn refute(
    terms: &mut Terms,
    literals: &[(usize, Term)],
    parts: usize,
    budget: &Budget,
) -> Result<Option<Vec<Term>>, Stop> {
    if let Some(found) = clash(terms, literals, parts) {
        return Ok(Some(found));
    }
    let mut reading = Reading::default();
    let mut rows = Vec::new();
    for &(part, literal) in literals {
        rows.extend(constraints(terms, literal, &mut reading).into_iter().map(|row| (part, row)));
    }
    let mut first: FxHashMap<Term, usize> = FxHashMap::default();
    for (part, row) in &rows {
        for &(_, variable) in &row.parts {
            let known = first.entry(variable).or_insert(*part);
            *known = (*known).min(*part);
        }
    }
    Refuter { terms, reading, parts, first, budget, splits: 0 }.refute(&mut rows)
}

/// A literal that is there with its negation, or is false by itself.
fn clash(terms: &mut Terms, literals: &[(usize, Term)], parts: usize) -> Option<Vec<Term>> {
    let mut earliest: FxHashMap<Term, usize> = FxHashMap::default();
    for &(part, literal) in literals {
        if terms.as_bool(literal) == Some(false) {
            return Some((1..parts).map(|cut| terms.bool(part >= cut)).collect());
        }
        earliest.entry(literal).and_modify(|p| *p = part.min(*p)).or_insert(part);
    }
    for (&literal, &part) in &earliest {
        let Node::Not(atom) = *terms.node(literal) else { continue };
        if let Some(&other) = earliest.get(&atom) {
            let between = if part < other { literal } else { atom };
            let (low, high) = (part.min(other), part.max(other));
            return Some(
                (1..parts)
                    .map(|cut| if cut > high || cut <= low { terms.bool(cut <= low) } else { between })
                    .collect(),
            );
        }
    }
    None
}

struct Refuter<'a> {
    terms: &'a mut Terms,
    reading: Reading,
    parts: usize,
    /// The first part that mentions a variable.
    first: FxHashMap<Term, usize>,
    budget: &'a Budget,
    splits: usize,
}

impl Refuter<'_> {
    fn refute(&mut self, rows: &mut Vec<(usize, Constraint)>) -> Result<Option<Vec<Term>>, Stop> {
        let plain: Vec<Constraint> = rows.iter().map(|(_, row)| row.clone()).collect();
        match solve(&plain, self.budget)? {
            Solution::Overflow => Ok(None),
            Solution::Infeasible(multipliers) => Ok(self.sums(rows, &multipliers)),
            Solution::Feasible(values) => {
                let equations: Vec<usize> = (0..rows.len()).filter(|&i| plain[i].equality).collect();
                let system: Vec<&Constraint> = equations.iter().map(|&i| &plain[i]).collect();
                if let Some(found) = lattice::unsolvable(&system) {
                    let multipliers: Vec<(usize, Rational)> = equations.into_iter().zip(found).collect();
                    return Ok(self.congruences(rows, &multipliers));
                }
                self.split(rows, &values)
            }
        }
    }

    /// Refutes both halves of a variable that has no whole value.
    fn split(
        &mut self,
        rows: &mut Vec<(usize, Constraint)>,
        values: &[(Term, Rational)],
    ) -> Result<Option<Vec<Term>>, Stop> {
        let Some(&(variable, value)) = values.iter().find(|(_, value)| !value.is_integer()) else {
            return Ok(None);
        };
        self.splits += 1;
        let floor = value.floor();
        let (Some(above), true) =
            (floor.checked_add(1).and_then(i128::checked_neg), self.splits <= MAX_SPLITS)
        else {
            return Ok(None);
        };
        let part = self.first[&variable];
        let mut halves = Vec::new();
        for (coefficient, bound) in [(1, floor), (-1, above)] {
            rows.push((part, Constraint { parts: vec![(coefficient, variable)], bound, equality: false }));
            let half = self.refute(rows)?;
            rows.pop();
            let Some(half) = half else { return Ok(None) };
            halves.push(half);
        }
        let joined = (1..self.parts).map(|cut| {
            let both = [halves[0][cut - 1], halves[1][cut - 1]];
            if part < cut { self.terms.or(&both) } else { self.terms.and(&both) }
        });
        Ok(Some(joined.collect()))
    }

    /// For each place between parts, the sum of the constraints before it.
    fn sums(&mut self, rows: &[(usize, Constraint)], multipliers: &[Rational]) -> Option<Vec<Term>> {
        let scale = common_denominator(multipliers.iter().copied())?;
        let whole: Option<Vec<(usize, i128)>> =
            multipliers.iter().enumerate().map(|(i, m)| Some((i, m.times(scale)?))).collect();
        let used: Vec<(usize, i128)> = whole?.into_iter().filter(|&(_, m)| m != 0).collect();
        let mut found = Vec::new();
        for cut in 1..self.parts {
            let before = used.iter().filter(|&&(i, _)| rows[i].0 < cut);
            let sum = combination(before.map(|&(i, m)| (m, &rows[i].1)))?;
            found.push(formula(self.terms, &sum, self.reading)?);
        }
        Some(found)
    }

    /// For each place between parts, the sum of the equations before it, which says what it is modulo
    /// its denominator.
    fn congruences(
        &mut self,
        rows: &[(usize, Constraint)],
        multipliers: &[(usize, Rational)],
    ) -> Option<Vec<Term>> {
        let modulus = common_denominator(multipliers.iter().map(|&(_, m)| m))?;
        let mut found = Vec::new();
        for cut in 1..self.parts {
            let mut before = Vec::new();
            for &(i, multiplier) in multipliers.iter().filter(|&&(i, _)| rows[i].0 < cut) {
                before.push((multiplier.times(modulus)?, &rows[i].1));
            }
            let sum = combination(before)?;
            found.push(congruence(self.terms, &sum, modulus, self.reading)?);
        }
        Some(found)
    }
}

/// The sum of multiplied constraints: an equation if all of them are.
fn combination<'a>(rows: impl IntoIterator<Item = (i128, &'a Constraint)>) -> Option<Constraint> {
    let mut sum: std::collections::BTreeMap<Term, i128> = std::collections::BTreeMap::new();
    let mut bound: i128 = 0;
    let mut equality = true;
    for (multiplier, row) in rows {
        for &(coefficient, variable) in &row.parts {
            let entry = sum.entry(variable).or_insert(0);
            *entry = entry.checked_add(coefficient.checked_mul(multiplier)?)?;
        }
        bound = bound.checked_add(row.bound.checked_mul(multiplier)?)?;
        equality &= row.equality;
    }
    let parts = sum.into_iter().filter(|&(_, c)| c != 0).map(|(variable, c)| (c, variable)).collect();
    Some(Constraint { parts, bound, equality })
}
