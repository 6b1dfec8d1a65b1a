//! Whether linear constraints have a rational solution, and if not, multipliers that show it (Farkas).
//!
//! The general simplex method: each constraint gets a variable of its own that stands for its sum, with
//! the constraint as its bound. Original variables are free. Rows express basic variables by the others;
//! a basic variable out of its bounds is exchanged for one that can move, the smallest first, so that the
//! method ends (Bland). Where none can move, the row itself is the contradiction, and its coefficients
//! are the multipliers.

use std::cmp::Ordering;

use hardbop_base::{Budget, Stop};
use rustc_hash::FxHashMap;

use crate::rational::Rational;

/// `Σ coefficient · variable ≤ bound`, or `=`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row<V> {
    pub(crate) parts: Vec<(i128, V)>,
    pub(crate) bound: i128,
    pub(crate) equality: bool,
}

/// What becomes of some constraints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Solution<V> {
    /// Values of the variables.
    Feasible(Vec<(V, Rational)>),
    /// For each constraint a multiplier, not negative for inequalities. The sum of the multiplied
    /// constraints has no variable left and a negative bound.
    Infeasible(Vec<Rational>),
    /// The numbers became too large.
    Overflow,
}

/// Solves constraints over the rationals.
pub(crate) fn solve<V: Copy + Eq + std::hash::Hash>(
    rows: &[Row<V>],
    budget: &Budget,
) -> Result<Solution<V>, Stop> {
    let mut tableau = Tableau::new(rows);
    loop {
        budget.check()?;
        match tableau.improve() {
            None => return Ok(Solution::Overflow),
            Some(Move::Changed) => {}
            Some(Move::Solved) => return Ok(Solution::Feasible(tableau.solution())),
            Some(Move::Stuck(multipliers)) => return Ok(Solution::Infeasible(multipliers)),
        }
    }
}

enum Move {
    Changed,
    Solved,
    Stuck(Vec<Rational>),
}

struct Tableau<'a, V> {
    constraints: &'a [Row<V>],
    /// The original variables; they come first, then one variable for each constraint.
    originals: Vec<V>,
    /// Variables outside the basis: those of the columns.
    columns: Vec<usize>,
    /// Variables of the basis, each with its row of coefficients.
    basis: Vec<(usize, Vec<Rational>)>,
    /// The current value of every variable.
    values: Vec<Rational>,
}

impl<'a, V: Copy + Eq + std::hash::Hash> Tableau<'a, V> {
    fn new(constraints: &'a [Row<V>]) -> Self {
        let mut numbers: FxHashMap<V, usize> = FxHashMap::default();
        let mut originals = Vec::new();
        for &(_, variable) in constraints.iter().flat_map(|row| &row.parts) {
            numbers.entry(variable).or_insert_with(|| {
                originals.push(variable);
                originals.len() - 1
            });
        }
        let count = originals.len();
        let basis = constraints.iter().enumerate().map(|(i, row)| {
            let mut coefficients = vec![Rational::ZERO; count];
            for (coefficient, variable) in &row.parts {
                coefficients[numbers[variable]] = Rational::integer(*coefficient);
            }
            (count + i, coefficients)
        });
        Tableau {
            constraints,
            columns: (0..count).collect(),
            basis: basis.collect(),
            values: vec![Rational::ZERO; count + constraints.len()],
            originals,
        }
    }

    fn constraint(&self, variable: usize) -> Option<&'a Row<V>> {
        self.constraints.get(variable.checked_sub(self.originals.len())?)
    }

    /// How a variable lies to its bounds: too large, too small, or right.
    fn fault(&self, variable: usize) -> Option<Ordering> {
        let Some(row) = self.constraint(variable) else { return Some(Ordering::Equal) };
        let order = self.values[variable].compare(Rational::integer(row.bound))?;
        Some(if row.equality || order == Ordering::Greater { order } else { Ordering::Equal })
    }

    /// Whether a variable outside the basis may become larger, or smaller.
    fn may_move(&self, variable: usize, up: bool) -> Option<bool> {
        let Some(row) = self.constraint(variable) else { return Some(true) };
        let order = self.values[variable].compare(Rational::integer(row.bound))?;
        Some(match up {
            true => order == Ordering::Less,
            false => !row.equality || order == Ordering::Greater,
        })
    }

    /// One exchange; nothing if numbers become too large.
    fn improve(&mut self) -> Option<Move> {
        let mut worst: Option<(usize, usize, Ordering)> = None;
        for (i, &(variable, _)) in self.basis.iter().enumerate() {
            let fault = self.fault(variable)?;
            if fault != Ordering::Equal && worst.is_none_or(|(_, other, _)| variable < other) {
                worst = Some((i, variable, fault));
            }
        }
        let Some((i, variable, fault)) = worst else { return Some(Move::Solved) };
        // The basic variable has to grow if it is too small.
        let grow = fault == Ordering::Less;
        let mut entering: Option<(usize, usize)> = None;
        for (j, &column) in self.columns.iter().enumerate() {
            let coefficient = self.basis[i].1[j];
            if coefficient.is_zero() {
                continue;
            }
            let up = coefficient.is_negative() != grow;
            if self.may_move(column, up)? && entering.is_none_or(|(_, other)| column < other) {
                entering = Some((j, column));
            }
        }
        match entering {
            Some((j, _)) => {
                let bound = Rational::integer(self.constraint(variable)?.bound);
                self.exchange(i, j, bound)?;
                Some(Move::Changed)
            }
            None => Some(Move::Stuck(self.multipliers(i, variable, grow)?)),
        }
    }

    /// Gives the basic variable of a row a value, by moving the variable of a column, and exchanges them.
    fn exchange(&mut self, i: usize, j: usize, value: Rational) -> Option<()> {
        let (leaving, entering) = (self.basis[i].0, self.columns[j]);
        let pivot = self.basis[i].1[j];
        let change = value.sub(self.values[leaving])?.div(pivot)?;
        for (variable, coefficients) in &self.basis {
            let moved = coefficients[j].mul(change)?;
            self.values[*variable] = self.values[*variable].add(moved)?;
        }
        self.values[entering] = self.values[entering].add(change)?;
        // entering = (leaving − Σ others) / pivot
        let mut row = std::mem::take(&mut self.basis[i].1);
        let inverse = Rational::ONE.div(pivot)?;
        for (k, coefficient) in row.iter_mut().enumerate() {
            *coefficient = if k == j { inverse } else { coefficient.mul(inverse)?.neg()? };
        }
        for (k, (_, coefficients)) in self.basis.iter_mut().enumerate() {
            if k == i || coefficients[j].is_zero() {
                continue;
            }
            let factor = coefficients[j];
            for (l, coefficient) in coefficients.iter_mut().enumerate() {
                let product = factor.mul(row[l])?;
                *coefficient = if l == j { product } else { coefficient.add(product)? };
            }
        }
        self.basis[i] = (entering, row);
        self.columns[j] = leaving;
        Some(())
    }

    /// The row of a variable that cannot be moved into its bounds, as multipliers of constraints.
    fn multipliers(&self, i: usize, variable: usize, grow: bool) -> Option<Vec<Rational>> {
        let mut multipliers = vec![Rational::ZERO; self.constraints.len()];
        let count = self.originals.len();
        let own = if grow { Rational::ONE.neg()? } else { Rational::ONE };
        multipliers[variable - count] = own;
        for (j, &column) in self.columns.iter().enumerate() {
            let coefficient = self.basis[i].1[j];
            if !coefficient.is_zero() {
                multipliers[column - count] = if grow { coefficient } else { coefficient.neg()? };
            }
        }
        Some(multipliers)
    }

    fn solution(&self) -> Vec<(V, Rational)> {
        self.originals.iter().copied().zip(self.values.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(parts: &[(i128, char)], bound: i128, equality: bool) -> Row<char> {
        Row { parts: parts.to_vec(), bound, equality }
    }

    /// The multiplied constraints add up to a contradiction.
    fn contradicts(rows: &[Row<char>], multipliers: &[Rational]) -> bool {
        let mut sums: FxHashMap<char, Rational> = FxHashMap::default();
        let mut bound = Rational::ZERO;
        for (row, &multiplier) in rows.iter().zip(multipliers) {
            assert!(row.equality || !multiplier.is_negative());
            for &(coefficient, variable) in &row.parts {
                let sum = sums.entry(variable).or_insert(Rational::ZERO);
                *sum = sum.add(multiplier.mul(Rational::integer(coefficient)).unwrap()).unwrap();
            }
            bound = bound.add(multiplier.mul(Rational::integer(row.bound)).unwrap()).unwrap();
        }
        sums.values().all(|sum| sum.is_zero()) && bound.is_negative()
    }

    #[test]
    fn contradictions_come_with_multipliers() {
        let cases: [&[Row<char>]; 4] = [
            &[row(&[(1, 'x')], 0, false), row(&[(-1, 'x')], -1, false)],
            &[
                row(&[(1, 'x'), (-1, 'y')], 0, true),
                row(&[(1, 'y'), (-1, 'z')], 0, true),
                row(&[(1, 'z'), (-1, 'x')], -1, false),
            ],
            &[
                row(&[(2, 'x'), (3, 'y')], 6, false),
                row(&[(-1, 'x')], -2, false),
                row(&[(-1, 'y')], -1, false),
            ],
            &[row(&[(1, 'x')], 3, true), row(&[(1, 'x')], 4, true)],
        ];
        for rows in cases {
            match solve(rows, &Budget::unlimited()) {
                Ok(Solution::Infeasible(multipliers)) => assert!(contradicts(rows, &multipliers)),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn solutions_satisfy() {
        let rows = [
            row(&[(1, 'x'), (1, 'y')], 10, true),
            row(&[(1, 'x'), (-1, 'y')], -3, false),
            row(&[(-1, 'x')], 0, false),
        ];
        let Ok(Solution::Feasible(values)) = solve(&rows, &Budget::unlimited()) else {
            panic!("there is a solution");
        };
        let value = |v: char| values.iter().find(|&&(w, _)| w == v).unwrap().1;
        for row in &rows {
            let sum = row.parts.iter().fold(Rational::ZERO, |sum, &(c, v)| {
                sum.add(value(v).mul(Rational::integer(c)).unwrap()).unwrap()
            });
            let order = sum.compare(Rational::integer(row.bound)).unwrap();
            assert!(if row.equality { order == Ordering::Equal } else { order != Ordering::Greater });
        }
    }
}
