//! Linear equations that some points satisfy (Karr, "Affine relationships among variables of a program"), found in a
//! prime field and read back as small whole numbers.

/// A prime; products of two residues fit into 128 bits.
const PRIME: i128 = (1 << 61) - 1;

/// The largest coefficient, and the largest denominator on the way.
const MAX_COEFFICIENT: i128 = 1 << 22;
const MAX_DENOMINATOR: i128 = 64;

/// Equations that all points satisfy, with as few variables each as elimination leaves: the coefficients, and then the
/// constant, of a sum that is zero.
pub fn equations(points: &[Vec<i128>]) -> Vec<Vec<i128>> {
    let Some(first) = points.first() else { return Vec::new() };
    let columns = first.len() + 1;
    // The constant comes first, so that it is the last to be solved for.
    let mut rows: Vec<Vec<i128>> = Vec::new();
    let mut pivots: Vec<usize> = Vec::new();
    for point in points {
        let mut row: Vec<i128> = point.iter().map(|value| value.rem_euclid(PRIME)).collect();
        row.insert(0, 1);
        for (known, &pivot) in rows.iter().zip(&pivots) {
            subtract(&mut row, known, pivot);
        }
        let Some(pivot) = row.iter().position(|&value| value != 0) else { continue };
        let inverse = inverse(row[pivot]);
        row.iter_mut().for_each(|value| *value = *value * inverse % PRIME);
        for known in &mut rows {
            subtract(known, &row, pivot);
        }
        rows.push(row);
        pivots.push(pivot);
    }
    let free = (0..columns).filter(|column| !pivots.contains(column));
    let solutions = free.filter_map(|column| {
        let mut solution = vec![0; columns];
        solution[column] = 1;
        for (row, &pivot) in rows.iter().zip(&pivots) {
            solution[pivot] = (PRIME - row[column]) % PRIME;
        }
        let mut whole = whole(&solution)?;
        let constant = whole.remove(0);
        whole.push(constant);
        points.iter().all(|point| is_zero(&whole, point)).then_some(whole)
    });
    solutions.collect()
}

fn is_zero(equation: &[i128], point: &[i128]) -> bool {
    let mut total = equation.last().copied();
    for (&coefficient, &value) in equation.iter().zip(point) {
        total = total.and_then(|total| total.checked_add(coefficient.checked_mul(value)?));
    }
    total == Some(0)
}

/// Makes an entry zero, by a row that has one there.
fn subtract(row: &mut [i128], known: &[i128], pivot: usize) {
    let factor = row[pivot];
    if factor != 0 {
        for (value, &known) in row.iter_mut().zip(known) {
            *value = (*value + (PRIME - factor) * known) % PRIME;
        }
    }
}

fn inverse(value: i128) -> i128 {
    let (mut result, mut base, mut exponent) = (1, value, PRIME - 2);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        exponent /= 2;
    }
    result
}

/// Residues as fractions with a common denominator, times that.
fn whole(residues: &[i128]) -> Option<Vec<i128>> {
    for denominator in 1..=MAX_DENOMINATOR {
        let scaled = residues.iter().map(|&residue| {
            let value = residue * denominator % PRIME;
            let value = if value > PRIME / 2 { value - PRIME } else { value };
            (value.abs() <= MAX_COEFFICIENT).then_some(value)
        });
        if let Some(whole) = scaled.collect::<Option<Vec<i128>>>() {
            return Some(whole);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_of_a_loop() {
        // i, a, b, n of a loop that adds 1 and 2, or 2 and 1.
        let points = [[0, 0, 0, 7], [1, 1, 2, 7], [2, 3, 3, 7], [3, 5, 4, 9], [1, 2, 1, -4]].map(Vec::from);
        assert_eq!(equations(&points), [vec![-3, 1, 1, 0, 0]]);
        // 2x = y + 1, and z is 5.
        let points = [[1, 1, 5], [2, 3, 5], [11, 21, 5]].map(Vec::from);
        assert_eq!(equations(&points), [vec![-2, 1, 0, 1], vec![0, 0, 1, -5]]);
        // Negative numbers, and nothing in common.
        let points = [[-1, -3], [-2, -6], [4, 12]].map(Vec::from);
        assert_eq!(equations(&points), [vec![-3, 1, 0]]);
        let points = [[0, 0], [1, 5], [2, 3]].map(Vec::from);
        assert!(equations(&points).is_empty());
        assert!(equations(&[]).is_empty());
        // Coefficients that are no small fractions.
        let points = [[0, 0], [1_000_003, 999_983]].map(Vec::from);
        assert!(equations(&points).is_empty());
    }
}
