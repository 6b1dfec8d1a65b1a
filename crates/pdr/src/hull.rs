//! The smallest set of points that linear equations modulo a power of two describe, and that contains some points.
//!
//! Equations of points are the null space of a matrix over the integers modulo 2^w, where only odd numbers have inverses: a
//! column is eliminated with the entry that the fewest powers of two divide (Müller-Olm and Seidl, *Analysis of modular
//! arithmetic*, 2005; Elder, Lim, Sharma, Andersen and Reps, *Abstract domains of affine relations*, 2014). `2^(w-1) x = 0` says that `x` is even,
//! so parities and the like are equations, too.

/// A linear equation: factors of values, and a summand, that add up to zero.
pub(crate) type Row = Vec<u128>;

/// Points with numbers of one width as coordinates.
#[derive(Debug, Clone)]
pub(crate) struct Hull {
    width: u32,
    /// Each with a 1 at its end.
    points: Vec<Row>,
}

impl Hull {
    /// The hull of no points.
    pub(crate) fn new(width: u32) -> Self {
        Hull { width, points: Vec::new() }
    }

    /// How many points were added.
    pub(crate) fn points(&self) -> usize {
        self.points.len()
    }

    /// Adds a point.
    pub(crate) fn add(&mut self, mut point: Row) {
        point.push(1);
        self.points.push(point);
    }

    /// The equations, simple ones if there are such. There must be a point.
    pub(crate) fn equations(&self) -> Vec<Row> {
        let ring = Ring { mask: mask(self.width), width: self.width };
        let mut rows = ring.null_space(self.points.clone());
        ring.reduce(&mut rows);
        ring.simplify(&mut rows);
        rows.retain(|row| row.iter().any(|&factor| factor != 0));
        rows
    }
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The integers modulo a power of two.
#[derive(Clone, Copy)]
struct Ring {
    mask: u128,
    width: u32,
}

impl Ring {
    fn negative(self, a: u128) -> u128 {
        a.wrapping_neg() & self.mask
    }

    fn product(self, a: u128, b: u128) -> u128 {
        a.wrapping_mul(b) & self.mask
    }

    /// The inverse of an odd number (Newton's method: each round doubles the bits that are right).
    fn inverse(self, odd: u128) -> u128 {
        let mut inverse = odd;
        for _ in 0..7 {
            inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        inverse & self.mask
    }

    /// How large a number is, positive or negative.
    fn size(self, a: u128) -> u128 {
        a.min(self.negative(a))
    }

    /// By what to multiply `by`, which is not zero, to get `a`; `by` must have no more factors of two.
    fn quotient(self, a: u128, by: u128) -> u128 {
        let powers = by.trailing_zeros();
        self.product(a >> powers, self.inverse(by >> powers))
    }

    /// Adds a multiple of one row to another.
    fn add_multiple(self, rows: &mut [Row], (from, factor): (usize, u128), to: usize) {
        if factor == 0 {
            return;
        }
        let source = rows[from].clone();
        for (entry, summand) in rows[to].iter_mut().zip(source) {
            *entry = entry.wrapping_add(self.product(summand, factor)) & self.mask;
        }
    }

    /// What rows give zero with each row of a matrix: these generate all that do.
    fn null_space(self, mut matrix: Vec<Row>) -> Vec<Row> {
        let columns = matrix.first().map_or(0, Vec::len);
        // What was made of each column, as a combination of the columns at the start.
        let mut made: Vec<Row> =
            (0..columns).map(|i| (0..columns).map(|j| u128::from(i == j)).collect()).collect();
        let mut pivots: Vec<u128> = Vec::new();
        loop {
            let done = pivots.len();
            let entries = (done..matrix.len()).flat_map(|i| (done..columns).map(move |j| (i, j)));
            let pivot = entries
                .filter(|&(i, j)| matrix[i][j] != 0)
                .min_by_key(|&(i, j)| matrix[i][j].trailing_zeros());
            let Some((i, j)) = pivot else { break };
            matrix.swap(done, i);
            matrix.iter_mut().for_each(|row| row.swap(done, j));
            made.swap(done, j);
            let pivot = matrix[done][done];
            for j in done + 1..columns {
                let factor = self.negative(self.quotient(matrix[done][j], pivot));
                for row in &mut matrix {
                    row[j] = row[j].wrapping_add(self.product(row[done], factor)) & self.mask;
                }
                self.add_multiple(&mut made, (done, factor), j);
            }
            for i in done + 1..matrix.len() {
                let factor = self.negative(self.quotient(matrix[i][done], pivot));
                self.add_multiple(&mut matrix, (done, factor), i);
            }
            pivots.push(pivot);
        }
        let mut found = made.split_off(pivots.len());
        for (mut row, pivot) in made.into_iter().zip(pivots) {
            // What the pivot makes zero.
            let powers = pivot.trailing_zeros();
            if powers > 0 {
                row.iter_mut().for_each(|entry| *entry = self.product(*entry, 1 << (self.width - powers)));
                found.push(row);
            }
        }
        found
    }

    /// Eliminates variables, so that each row has one that no other row has, if their factors allow that.
    fn reduce(self, rows: &mut Vec<Row>) {
        let mut done = 0;
        while done < rows.len() {
            let columns = rows[done].len() - 1;
            let entries = (done..rows.len()).flat_map(|i| (0..columns).map(move |j| (i, j)));
            let best = entries.filter(|&(i, j)| rows[i][j] != 0).min_by_key(|&(i, j)| {
                let scaled = self.scaled(&rows[i], j);
                (rows[i][j].trailing_zeros(), self.cost(&scaled))
            });
            let Some((i, j)) = best else { break };
            rows.swap(done, i);
            self.pivot(rows, done, j);
            done += 1;
        }
        rows.truncate(done);
    }

    /// A row times what makes a factor a power of two.
    fn scaled(self, row: &Row, column: usize) -> Row {
        let odd = row[column] >> row[column].trailing_zeros();
        let inverse = self.inverse(odd);
        row.iter().map(|&entry| self.product(entry, inverse)).collect()
    }

    /// Scales a row for one of its columns, and eliminates that in the others where its factor divides theirs, or makes theirs small.
    fn pivot(self, rows: &mut [Row], at: usize, column: usize) {
        rows[at] = self.scaled(&rows[at], column);
        let pivot = rows[at][column];
        for other in (0..rows.len()).filter(|&other| other != at) {
            // The pivot is a power of two.
            let times = rows[other][column].wrapping_add(pivot / 2) >> pivot.trailing_zeros();
            self.add_multiple(rows, (at, self.negative(times)), other);
        }
    }

    /// The size of the largest factor, without powers of two.
    fn cost(self, row: &Row) -> u128 {
        let variables = row.iter().take(row.len() - 1);
        let odd = |&entry: &u128| match self.size(entry) {
            0 => 0,
            size => size >> size.trailing_zeros(),
        };
        variables.map(odd).max().unwrap_or(0)
    }

    /// Solves rows for other variables as long as that makes factors smaller.
    fn simplify(self, rows: &mut Vec<Row>) {
        let total = |rows: &[Row]| rows.iter().map(|row| self.cost(row)).fold(0, u128::saturating_add);
        let mut best = total(rows);
        'again: loop {
            for at in 0..rows.len() {
                for column in 0..rows[at].len() - 1 {
                    if rows[at][column].is_multiple_of(2) {
                        continue;
                    }
                    let mut other = rows.clone();
                    self.pivot(&mut other, at, column);
                    let cost = total(&other);
                    if cost < best {
                        (*rows, best) = (other, cost);
                        continue 'again;
                    }
                }
            }
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hull(width: u32, points: &[&[i64]]) -> Hull {
        let mut hull = Hull::new(width);
        for point in points {
            hull.add(point.iter().map(|&x| x as i128 as u128 & mask(width)).collect());
        }
        hull
    }

    /// The equations with signed factors.
    fn equations(width: u32, points: &[&[i64]]) -> Vec<Vec<i128>> {
        let signed = |a: u128| match a >> (width - 1) {
            0 => a as i128,
            _ => a as i128 - (1 << width),
        };
        let rows = hull(width, points).equations();
        let mut rows: Vec<Vec<i128>> =
            rows.into_iter().map(|row| row.into_iter().map(signed).collect()).collect();
        for row in &mut rows {
            if row.iter().find(|&&factor| factor != 0).is_some_and(|&factor| factor < 0) {
                row.iter_mut().for_each(|factor| *factor = -*factor);
            }
        }
        rows.sort();
        rows
    }

    #[test]
    fn sums_and_multiples_are_found() {
        assert_eq!(equations(32, &[&[5, 7]]), [[0, 1, -7], [1, 0, -5]]);
        assert_eq!(equations(32, &[&[0, 0, 0], &[1, 0, 1], &[1, 1, 2]]), [[1, 1, -1, 0]]);
        assert_eq!(equations(32, &[&[0, 0, 0], &[1, 3, 5], &[2, 6, 10]]), [[3, -1, 0, 0], [5, 0, -1, 0]]);
        // The first number is even.
        assert_eq!(equations(16, &[&[0, -4], &[10, -24]]), [[2, 1, 4], [0x8000, 0, 0]]);
    }

    #[test]
    fn all_equations_of_small_points_are_implied() {
        // Of all equations modulo 8 with two variables, those that hold of the points are the combinations of those that are found.
        let ring = Ring { mask: 7, width: 3 };
        let mut seed = 1u128;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) & 7
        };
        for round in 0..300 {
            let mut hull = Hull::new(3);
            for _ in 0..=round % 4 {
                hull.add(vec![next(), next()]);
            }
            let rows = hull.equations();
            let mut spanned = vec![false; 512];
            spanned[0] = true;
            for row in &rows {
                let code = |row: &[u128]| (row[0] | row[1] << 3 | row[2] << 6) as usize;
                for known in 0..512usize {
                    if !spanned[known] {
                        continue;
                    }
                    let start = [known as u128 & 7, known as u128 >> 3 & 7, known as u128 >> 6];
                    for factor in 0..8 {
                        let sum: Vec<u128> =
                            start.iter().zip(row).map(|(&a, &b)| (a + ring.product(b, factor)) & 7).collect();
                        spanned[code(&sum)] = true;
                    }
                }
            }
            for (code, &is_spanned) in spanned.iter().enumerate() {
                let row = [code as u128 & 7, code as u128 >> 3 & 7, code as u128 >> 6];
                let holds = |point: &Row| point.iter().zip(row).map(|(&x, c)| x * c).sum::<u128>() & 7 == 0;
                assert_eq!(hull.points.iter().all(holds), is_spanned, "{:?} {row:?} {rows:?}", hull.points);
            }
        }
    }
}
