//! Positions in arrays of arrays, and whether some of them lie between two numbers.

/// The multiples of a grain from 0 to an extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Row {
    /// The distance of two of them; 0 if there is only the 0.
    pub grain: u64,
    /// The last one.
    pub extent: u64,
}

/// Sums of a number of each of two rows: positions in an array in each element of another array. The outer one has elements that
/// are larger than the inner array; it is empty if the inner one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Grid {
    /// That with the smaller grain.
    pub inner: Row,
    /// That with the larger grain.
    pub outer: Row,
}

/// So many positions are looked at one by one; if there are more, one of them is taken to fit.
const MAX_TRIED: i128 = 64;

impl Row {
    pub(crate) const NONE: Row = Row { grain: 0, extent: 0 };

    /// Multiples of a grain, up to this one.
    pub(crate) fn new(grain: u64, extent: u64) -> Row {
        if extent == 0 || grain == 0 { Row::NONE } else { Row { grain, extent } }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.extent == 0
    }

    /// How many numbers there are.
    fn count(self) -> u64 {
        (self.extent / self.grain.max(1)).saturating_add(1)
    }

    /// A row with all sums of a number of this one and one of another, and more if there is no such row.
    fn sum(self, other: Row) -> Row {
        Row::new(gcd(self.grain, other.grain), self.extent.saturating_add(other.extent))
    }

    /// Whether there are no other numbers in the sum with a row of a larger grain, or the same.
    fn continues_in(self, coarse: Row) -> bool {
        coarse.grain.is_multiple_of(self.grain) && coarse.grain - self.grain <= self.extent
    }

    /// Whether one of the numbers, added to a value, lies between two others, and is neither.
    fn is_between(self, value: i128, low: i128, high: i128) -> bool {
        let grain = i128::from(self.grain.max(1));
        let missing = low.saturating_add(1).saturating_sub(value).max(0);
        let skipped = (missing + grain - 1).div_euclid(grain) * grain;
        skipped <= i128::from(self.extent) && value + skipped < high
    }
}

impl Grid {
    /// Just the 0.
    pub(crate) const NONE: Grid = Grid { inner: Row::NONE, outer: Row::NONE };

    /// A single row.
    pub(crate) fn row(grain: u64, extent: u64) -> Grid {
        Grid { inner: Row::new(grain, extent), outer: Row::NONE }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.inner.is_empty()
    }

    /// The last number.
    pub(crate) fn extent(self) -> u64 {
        self.inner.extent.saturating_add(self.outer.extent)
    }

    /// What divides all numbers; 0 if there is only the 0.
    pub(crate) fn grain(self) -> u64 {
        gcd(self.inner.grain, self.outer.grain)
    }

    /// How many numbers there are.
    pub(crate) fn count(self) -> u64 {
        self.inner.count().saturating_mul(self.outer.count())
    }

    /// The row with the largest grain, and what is left without it.
    pub(crate) fn without_outermost(self) -> (Row, Grid) {
        match self.outer.is_empty() {
            true => (self.inner, Grid::NONE),
            false => (self.outer, Grid { outer: Row::NONE, ..self }),
        }
    }

    /// All sums of a number of each of two grids, and more if these are no grid.
    pub(crate) fn sum(self, other: Grid) -> Grid {
        let mut rows = vec![self.inner, self.outer, other.inner, other.outer];
        rows.retain(|row| !row.is_empty());
        loop {
            rows.sort_unstable();
            if let Some(at) = (1..rows.len()).find(|&at| rows[at - 1].continues_in(rows[at])) {
                rows[at - 1] = rows[at - 1].sum(rows[at]);
                rows.remove(at);
                continue;
            }
            let overlap = |at: usize| rows[at].grain <= rows[at - 1].extent;
            if rows.len() <= 2 && !(1..rows.len()).any(overlap) {
                break;
            }
            // Two rows become one, those which do so with the fewest numbers.
            let merged = (1..rows.len()).min_by_key(|&at| rows[at - 1].sum(rows[at]).count());
            let Some(at) = merged else { break };
            rows[at - 1] = rows[at - 1].sum(rows[at]);
            rows.remove(at);
        }
        let row = |at: usize| rows.get(at).copied().unwrap_or_default();
        Grid { inner: row(0), outer: row(1) }
    }

    /// The numbers, in order.
    pub(crate) fn numbers(self) -> impl Iterator<Item = u64> {
        (0..self.outer.count()).flat_map(move |i| {
            (0..self.inner.count()).map(move |j| i * self.outer.grain + j * self.inner.grain)
        })
    }

    /// Whether a number is one of them.
    fn has(self, number: i128) -> bool {
        let Some((_, rest)) = self.split(number) else { return false };
        rest <= i128::from(self.inner.extent) && rest.rem_euclid(self.inner.grain.max(1).into()) == 0
    }

    /// A number as a multiple of the outer grain and a rest.
    fn split(self, number: i128) -> Option<(i128, i128)> {
        let grain = i128::from(self.outer.grain.max(1));
        let of_outer =
            number.div_euclid(grain).min((self.outer.extent / self.outer.grain.max(1)).into()) * grain;
        (number >= 0).then_some((of_outer, number - of_outer))
    }

    /// Whether all numbers of another grid, with this one added, are in this grid. For many numbers that may be missed.
    pub(crate) fn covers(self, shift: i128, other: Grid) -> bool {
        if other.count() <= MAX_TRIED as u64 {
            return other.numbers().all(|number| self.has(shift + i128::from(number)));
        }
        let Some((of_outer, rest)) = self.split(shift) else { return false };
        let fits = |part: Row, start: i128, all: Row| {
            start.saturating_add(part.extent.into()) <= i128::from(all.extent)
                && start.rem_euclid(all.grain.max(1).into()) == 0
                && part.grain.is_multiple_of(all.grain.max(1))
        };
        let (coarse, fine) = match other.outer.is_empty() {
            // A row of many numbers is part of the inner row, or its numbers are elements of the outer one.
            true if fits(other.inner, rest, self.inner) => return true,
            true => (other.inner, Row::NONE),
            false => (other.outer, other.inner),
        };
        !self.outer.is_empty() && fits(coarse, of_outer, self.outer) && fits(fine, rest, self.inner)
    }

    /// The multiples of the outer grain to which an inner number, added to a value, can be between two others.
    fn outer_between(self, value: i128, low: i128, high: i128) -> std::ops::RangeInclusive<i128> {
        let grain = i128::from(self.outer.grain.max(1));
        let last = i128::from(self.outer.count()) - 1;
        let missing = low.saturating_add(1) - value - i128::from(self.inner.extent);
        let first = missing.max(0).saturating_add(grain - 1).div_euclid(grain);
        first..=last.min(high.saturating_sub(1).saturating_sub(value).div_euclid(grain))
    }

    /// What of a grid, moved by a value, starts within two bounds (the second one included): parts that are grids, each with its start.
    pub(crate) fn within(self, value: i128, low: i128, high: i128) -> Vec<(i128, Grid)> {
        let mut parts: Vec<(i128, Grid)> = Vec::new();
        let (grain, inner) = (i128::from(self.outer.grain), i128::from(self.inner.grain.max(1)));
        let all = self.outer_between(value, low - 1, high.saturating_add(1));
        // Of these all is inside.
        let is_whole = |start: i128| start >= low && start + i128::from(self.inner.extent) <= high;
        let (first, last) = (*all.start(), *all.end());
        let mut at = first;
        while at <= last {
            let start = value + at * grain;
            if is_whole(start) {
                let end = last.min((high - i128::from(self.inner.extent) - value).div_euclid(grain.max(1)));
                let extent = ((end - at) * grain) as u64;
                let grid = Grid { outer: Row::new(self.outer.grain, extent), ..self };
                parts.push((start, if self.inner.is_empty() { Grid::NONE } else { grid }));
                at = end + 1;
                continue;
            }
            let skipped = ((low - start).max(0) + inner - 1).div_euclid(inner) * inner;
            let end = (high - start).min(self.inner.extent.into()).div_euclid(inner) * inner;
            if skipped <= end {
                parts.push((start + skipped, Grid::row(self.inner.grain, (end - skipped) as u64)));
            }
            at += 1;
        }
        parts
    }

    /// Whether one of the numbers, added to a value, lies between two others, and is neither.
    fn is_between(self, value: i128, low: i128, high: i128) -> bool {
        if high == i128::MAX {
            return value.saturating_add(self.extent().into()) > low;
        }
        let mut outer = self.outer_between(value, low, high);
        let (grain, count) = (i128::from(self.outer.grain), outer.end() - outer.start());
        count >= MAX_TRIED || outer.any(|i| self.inner.is_between(value + i * grain, low, high))
    }
}

/// All numbers that are this one modulo a step (just this one if the step is 0), and the sums of each of them and a number of a grid.
#[derive(Clone, Copy)]
pub(crate) struct Distance {
    pub(crate) value: i128,
    pub(crate) step: u64,
    pub(crate) grid: Grid,
}

impl Distance {
    /// Whether one of them lies between two numbers, and is neither.
    pub(crate) fn is_between(self, low: i128, high: i128) -> bool {
        if self.step == 0 {
            return self.grid.is_between(self.value, low, high);
        }
        if high == i128::MAX {
            return true;
        }
        // Periods that meet again and again in all that a row can reach are one, of smaller steps.
        let (mut step, mut rows) = (self.step, [self.grid.inner, self.grid.outer]);
        for row in rows.iter_mut().rev() {
            let common = gcd(step, row.grain.max(1));
            if !row.is_empty() && row.count() >= step / common {
                (step, *row) = (common, Row::NONE);
            }
        }
        let grid = match rows {
            [inner, outer] if inner.is_empty() => Grid { inner: outer, outer: Row::NONE },
            [inner, outer] => Grid { inner, outer },
        };
        let (step, extent) = (i128::from(step), i128::from(grid.extent()));
        let next = |value: i128| low + 1 + (value - low - 1).rem_euclid(step);
        if grid.count() <= MAX_TRIED as u64 {
            return grid.numbers().any(|number| next(self.value + i128::from(number)) < high);
        }
        // The first period that ends behind the one number, and the first that starts behind the other.
        let before = (self.value + extent - low - 1).rem_euclid(step);
        let first = low + 1 + before - extent;
        let periods = (high - first + step - 1).div_euclid(step);
        periods > MAX_TRIED || (0..periods).any(|i| grid.is_between(first + i * step, low, high))
    }
}

pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Small grids of all kinds.
    pub(crate) fn small_grids() -> Vec<Grid> {
        let rows = [(0, 0), (1, 1), (1, 3), (2, 4), (3, 3), (4, 8)];
        let outer = [(0, 0), (4, 8), (5, 5), (12, 24)];
        let both = rows.iter().flat_map(|&(g, e)| outer.map(|(h, f)| Grid::row(g, e).sum(Grid::row(h, f))));
        let mut all: Vec<Grid> = both.collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn sums_have_all_sums() {
        for a in small_grids() {
            for b in small_grids() {
                let sum = a.sum(b);
                for (x, y) in a.numbers().flat_map(|x| b.numbers().map(move |y| (x, y))) {
                    assert!(sum.has((x + y).into()), "{a:?} {b:?}: {sum:?} has no {x} + {y}");
                }
                assert!(sum.outer.is_empty() || sum.outer.grain > sum.inner.extent, "{sum:?}");
                assert!(sum.outer.is_empty() || !sum.inner.is_empty(), "{sum:?}");
            }
        }
        // An array in each record of a table, and a table of rows without gaps.
        let sum = Grid::row(1, 7).sum(Grid::row(16, 48));
        assert_eq!((sum.inner, sum.outer), (Row::new(1, 7), Row::new(16, 48)));
        assert_eq!(Grid::row(4, 28).sum(Grid::row(32, 96)), Grid::row(4, 124));
        assert_eq!(sum.sum(sum), Grid { inner: Row::new(1, 14), outer: Row::new(16, 96) });
    }

    #[test]
    fn numbers_of_other_grids_are_covered() {
        for a in small_grids() {
            let all: Vec<u64> = a.numbers().collect();
            for b in small_grids() {
                for shift in -5..30 {
                    let inside =
                        b.numbers().all(|n| all.iter().any(|&m| i128::from(m) == shift + i128::from(n)));
                    assert_eq!(a.covers(shift, b), inside, "{a:?} {shift} {b:?}");
                }
            }
        }
        let large = Grid { inner: Row::new(4, 60), outer: Row::new(100, 9900) };
        assert!(large.covers(208, Grid { inner: Row::new(8, 48), outer: Row::new(200, 9600) }));
        assert!(!large.covers(208, Grid { inner: Row::new(8, 56), outer: Row::new(200, 9600) }));
        assert!(large.covers(100, Grid::row(100, 9800)) && !large.covers(104, Grid::row(50, 9000)));
    }

    #[test]
    fn parts_within_bounds_are_found() {
        for grid in small_grids() {
            for value in -20..6 {
                for (low, high) in (-3..12).flat_map(|low| (low..12).map(move |high| (low, high))) {
                    let mut found: Vec<i128> = Vec::new();
                    for (start, part) in grid.within(value, low, high) {
                        found.extend(part.numbers().map(|n| start + i128::from(n)));
                    }
                    let inside = |n: &i128| (low..=high).contains(n);
                    let expected: Vec<i128> =
                        grid.numbers().map(|n| value + i128::from(n)).filter(inside).collect();
                    assert_eq!(found, expected, "{grid:?} {value} {low} {high}");
                }
            }
        }
    }

    /// However many periods and grains there are: those of 1,000 elements are more than are tried one by one.
    #[test]
    fn positions_between_two_numbers_are_found() {
        for n in 0..200 {
            let (step, grain) = ([1, 2, 3, 4, 6, 8, 12, 300][n % 8], [1, 2, 3, 4, 8][n / 8 % 5]);
            let extent = [0, 3, 8, 24, 3996][n / 40];
            let extent = extent / grain * grain;
            let distance = Distance { value: 2, step, grid: Grid::row(grain, extent) };
            for (low, high) in (-9..9).flat_map(|low| (low + 1..low + 12).map(move |high| (low, high))) {
                let (step, grain, extent) = (i128::from(step), i128::from(grain), i128::from(extent));
                let at = |n: i128, i: i128| (n - 2 - i * grain).rem_euclid(step) == 0;
                let found = (low + 1..high).any(|n| (0..=extent / grain).any(|i| at(n, i)));
                assert_eq!(distance.is_between(low, high), found, "{step} {grain} {extent}: {low} {high}");
            }
        }
        for grid in small_grids() {
            for (step, value) in
                [0, 1, 3, 40, 64].into_iter().flat_map(|step| (-30..4).map(move |v| (step, v)))
            {
                let distance = Distance { value, step, grid };
                for (low, high) in [(-1, 1), (-4, 0), (0, 2), (-1, 12), (3, 9)] {
                    let is_inside = |n: u64| {
                        let n = value + i128::from(n);
                        (low + 1..high).any(|x| n == x || step != 0 && (x - n).rem_euclid(step.into()) == 0)
                    };
                    let expected = grid.numbers().any(is_inside);
                    assert_eq!(
                        distance.is_between(low, high),
                        expected,
                        "{step} {value} {grid:?}: {low} {high}"
                    );
                }
            }
        }
    }
}
