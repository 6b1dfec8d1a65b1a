//! Whether linear equations have a solution in whole numbers, and if not, multipliers that show it.
//!
//! Column operations bring the matrix into triangular form (Hermite); solving it from the top gives a
//! number that is not whole somewhere. The row of the inverse that computes this number has the
//! property wanted: multiplied with it, all coefficients are whole and the bound is not.

use hardbop_logic::Term;

use crate::linear::Constraint;
use crate::rational::Rational;

/// Multipliers of equations that have rational solutions but no whole one; nothing if there is a whole
/// one, or if numbers become too large.
pub(crate) fn unsolvable(equations: &[&Constraint]) -> Option<Vec<Rational>> {
    let mut variables: Vec<Term> =
        equations.iter().flat_map(|row| &row.parts).map(|&(_, variable)| variable).collect();
    variables.sort_unstable();
    variables.dedup();
    let mut matrix: Vec<Vec<i128>> = Vec::new();
    for row in equations {
        let mut coefficients = vec![0i128; variables.len()];
        for (coefficient, variable) in &row.parts {
            coefficients[variables.binary_search(variable).ok()?] = *coefficient;
        }
        matrix.push(coefficients);
    }
    // Of each row that does not depend on those before: its position.
    let mut leading: Vec<usize> = Vec::new();
    for i in 0..matrix.len() {
        let rank = leading.len();
        if rank < variables.len() && triangulate(&mut matrix, i, rank)? {
            leading.push(i);
        }
    }
    let mut inverse: Vec<Vec<Rational>> = Vec::new();
    for (k, &i) in leading.iter().enumerate() {
        // Row k of the inverse: (e_i − Σ matrix[i][j] · inverse[j]) / matrix[i][k].
        let mut row = vec![Rational::ZERO; equations.len()];
        row[i] = Rational::ONE;
        for (j, known) in inverse.iter().enumerate() {
            let factor = Rational::integer(matrix[i][j]);
            for (entry, &other) in row.iter_mut().zip(known) {
                *entry = entry.sub(factor.mul(other)?)?;
            }
        }
        let pivot = Rational::integer(matrix[i][k]);
        for entry in &mut row {
            *entry = entry.div(pivot)?;
        }
        let mut value = Rational::ZERO;
        for (&entry, equation) in row.iter().zip(equations) {
            value = value.add(entry.mul(Rational::integer(equation.bound))?)?;
        }
        if !value.is_integer() {
            return Some(row);
        }
        inverse.push(row);
    }
    None
}

/// Makes all of a row zero from a column on but that column itself, by operations on columns; says
/// whether that is not zero then. Nothing if numbers become too large.
fn triangulate(matrix: &mut [Vec<i128>], i: usize, column: usize) -> Option<bool> {
    let width = matrix[i].len();
    loop {
        let others = (column..width).filter(|&j| matrix[i][j] != 0);
        let Some(smallest) = others.min_by_key(|&j| matrix[i][j].unsigned_abs()) else { return Some(false) };
        for row in matrix.iter_mut() {
            row.swap(column, smallest);
        }
        let mut done = true;
        for j in column + 1..width {
            let factor = matrix[i][j] / matrix[i][column];
            for row in matrix.iter_mut() {
                row[j] = row[j].checked_sub(factor.checked_mul(row[column])?)?;
            }
            done &= matrix[i][j] == 0;
        }
        if done {
            return Some(true);
        }
    }
}
