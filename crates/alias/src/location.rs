//! Positions in objects: the location sets of Wilson and Lam ("Efficient context-sensitive pointer
//! analysis for C programs", PLDI 1995, §3).
//!
//! A [`Location`] is an object, an offset and a stride. Without a stride it is one position; with stride `s`
//! it stands for all positions of the object that are congruent to the offset modulo `s`. An [`AccessBytes`] is the
//! same without the object but with a width: the bytes that an access touches.
//!
//! Where an index is known to stay within bounds (see `ranges.rs`), the positions are few: from each of those
//! above on, those of a [`Grid`]. So an element of an array that is a member of a record does not meet the other members, and an
//! element of an array in each record of a table does not, either.
//!
//! Departures: offsets may lie outside of their object (C programs compute such pointers and come back),
//! so they are kept modulo the size of the address space, and it is the access that sorts them out. A
//! multiplication `index * size` can wrap around the address space and then leaves only the power of
//! two in `size`; see [`Space::element_spread`].

use rustc_hash::FxHashMap;

pub(crate) use crate::grid::gcd;
use crate::grid::{Distance, Grid};
use crate::{ObjectId, Objects};

/// Some or all positions of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The object.
    pub object: ObjectId,
    /// Bytes from its start, modulo the size of the address space; less than the stride if there is one.
    pub offset: u64,
    /// 0 for a single position, else the distance of the positions.
    pub stride: u64,
    /// The further positions from each of these on; less than the stride if there is one.
    pub grid: Grid,
}

/// The bytes that an access to one object touches: `width` of them from each position on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccessBytes {
    /// As in [`Location`].
    pub offset: u64,
    /// As in [`Location`].
    pub stride: u64,
    /// As in [`Location`].
    pub grid: Grid,
    /// In bytes.
    pub width: u64,
}

/// How two accesses to one object can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// They may touch the same bytes.
    pub(crate) equal: bool,
    /// They may have some bytes in common, but not all.
    pub(crate) partial: bool,
}

/// The number of bytes of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Length {
    Known(u64),
    /// Some multiple of this.
    Multiple(u64),
}

impl Length {
    pub(crate) fn known(self) -> Option<u64> {
        match self {
            Length::Known(bytes) => Some(bytes),
            Length::Multiple(_) => None,
        }
    }
}

/// A range of bytes: so many of them from a location on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Range {
    pub(crate) start: Location,
    pub(crate) length: Length,
}

impl Range {
    /// How the range can meet a cell of the same object: whether it can have all of its bytes, and whether
    /// it can have some of them without the others.
    pub(crate) fn meets(self, space: Space, cell: AccessBytes) -> RangeMeeting {
        let (start, width) = (self.start, i128::from(cell.width));
        let from =
            if start.stride == 0 { space.signed(start.offset).into() } else { i128::from(start.offset) };
        // Where the cell is, counted from the start of the range.
        let at = Distance {
            value: i128::from(cell.offset) - from - i128::from(start.grid.extent()),
            step: gcd(start.stride, cell.stride),
            grid: start.grid.sum(cell.grid),
        };
        let cut_by_start = at.is_between(-width, 0);
        match self.length {
            Length::Known(0) => RangeMeeting { whole: false, cut: false },
            Length::Known(length) => {
                let end = i128::from(length);
                let cut_by_end = at.is_between((end - width).max(-1), end);
                RangeMeeting { whole: at.is_between(-1, end - width + 1), cut: cut_by_start || cut_by_end }
            }
            Length::Multiple(factor) => {
                // How far the end is behind the cell's start, for some multiple.
                let from_end = Distance { step: gcd(at.step, factor), ..at };
                let cut_by_end = from_end.is_between(-width, 0) && at.is_between(-1, i128::MAX);
                RangeMeeting { whole: at.is_between(-1, i128::MAX), cut: cut_by_start || cut_by_end }
            }
        }
    }
}

/// How a range can meet a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RangeMeeting {
    /// It can have all bytes of the cell.
    pub(crate) whole: bool,
    /// It can have some bytes of the cell and not others.
    pub(crate) cut: bool,
}

/// A step from one position to others: a distance, then all multiples of a spread (if that is not 0), and from each
/// of these on those of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Step {
    pub(crate) shift: i64,
    pub(crate) spread: u64,
    pub(crate) grid: Grid,
}

impl Step {
    /// Nowhere.
    pub(crate) const NONE: Step = Step::by(0);
    /// Anywhere in the same object.
    pub(crate) const ANYWHERE: Step = Step::spread(1);

    /// By so many bytes.
    pub(crate) const fn by(shift: i64) -> Step {
        Step { shift, spread: 0, grid: Grid::NONE }
    }

    /// By all multiples of this.
    pub(crate) const fn spread(spread: u64) -> Step {
        Step { shift: 0, spread, grid: Grid::NONE }
    }

    pub(crate) fn then(self, next: Step, space: Space) -> Step {
        let (spread, grid) = space.within_stride(gcd(self.spread, next.spread), self.grid.sum(next.grid));
        Step { shift: self.shift.wrapping_add(next.shift), spread, grid }
    }
}

/// What reaches as far as this has no bounds.
pub(crate) const MAX_EXTENT: u64 = 1 << 31;

/// The address space, as far as arithmetic on positions has to know it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Space {
    bits: u16,
}

impl Space {
    pub(crate) fn new(pointer_bits: u16) -> Self {
        Space { bits: pointer_bits }
    }

    pub(crate) fn pointer_bytes(self) -> u64 {
        u64::from(self.bits / 8)
    }

    /// A distance that is the same in the address space.
    pub(crate) fn distance(self, bytes: i128) -> i64 {
        hardbop_ir::wrap(self.bits, true, bytes) as i64
    }

    /// An offset as a distance from the start of the object, before it or behind it.
    pub(crate) fn signed(self, offset: u64) -> i64 {
        self.distance(offset.into())
    }

    fn offset(self, distance: i128) -> u64 {
        hardbop_ir::wrap(self.bits, false, distance) as u64
    }

    /// Where a step leads.
    pub(crate) fn moved(self, from: Location, step: Step) -> Location {
        let start = if from.stride == 0 { self.signed(from.offset).into() } else { i128::from(from.offset) };
        let start = start + i128::from(step.shift);
        let (stride, grid) = self.within_stride(gcd(from.stride, step.spread), from.grid.sum(step.grid));
        match stride {
            0 => Location { object: from.object, offset: self.offset(start), stride, grid },
            _ => Location { grid, ..self.strided(from.object, start, stride) },
        }
    }

    /// All positions of an object from a start on, before and behind it, at a distance.
    pub(crate) fn strided(self, object: ObjectId, start: i128, stride: u64) -> Location {
        let stride = stride.max(1);
        let offset = start.rem_euclid(stride.into()) as u64;
        Location { object, offset, stride, grid: Grid::NONE }
    }

    /// The distance of the elements of an array that an index of at most this magnitude can select.
    ///
    /// If `index * size` can leave the address space, it can come back at every multiple of the power of
    /// two in `size`.
    pub(crate) fn element_spread(self, size: u64, magnitude: u128) -> u64 {
        let limit = 1u128 << (self.bits - 1);
        match magnitude.checked_mul(size.into()) {
            Some(reach) if reach <= limit => size,
            _ => power_of_two_in(size),
        }
    }

    /// The distance that repeated steps of this size can make up. In 32 bits a loop can walk around the
    /// whole address space. That it does so in 64 bits, step by step outside of every object, counts as making
    /// up an address.
    pub(crate) fn repeated_spread(self, size: u64) -> u64 {
        if self.bits < 64 { power_of_two_in(size) } else { size }
    }

    /// A stride and a grid of what is less than the stride, if there is one. Rows that are larger become part of the stride: what goes so far
    /// may go around the address space.
    fn within_stride(self, mut stride: u64, mut grid: Grid) -> (u64, Grid) {
        while !grid.is_empty() && grid.extent() >= if stride == 0 { MAX_EXTENT } else { stride } {
            let (row, rest) = grid.without_outermost();
            (stride, grid) = (gcd(stride, self.repeated_spread(row.grain)), rest);
        }
        (stride, grid)
    }

    /// Whether the one location includes the other.
    pub(crate) fn covers(self, all: Location, part: Location) -> bool {
        if all.object != part.object || all.is_exact() {
            return all == part;
        }
        if all.stride == 0 && part.stride != 0 || all.stride != 0 && !part.stride.is_multiple_of(all.stride) {
            return false;
        }
        let start = |at: Location| match at.stride {
            0 => i128::from(self.signed(at.offset)),
            _ => i128::from(at.offset),
        };
        let distance = start(part) - start(all);
        match all.stride {
            0 => all.grid.covers(distance, part.grid),
            stride if all.grid.is_empty() => {
                distance.rem_euclid(stride.into()) == 0 && part.grid.grain().is_multiple_of(stride)
            }
            stride => all.grid.covers(distance.rem_euclid(stride.into()), part.grid),
        }
    }

    /// The bytes that an access of a width touches, if it can stay inside of the object at all.
    pub(crate) fn cell(self, objects: &Objects, at: Location, width: u64) -> Option<AccessBytes> {
        let object = &objects[at.object];
        if !object.is_memory() {
            return None;
        }
        // An object of unknown size is smaller than half of the address space.
        let size = object.size.unwrap_or(1 << (self.bits - 1));
        let last = size.checked_sub(width)?;
        let Location { offset, stride, grid, .. } = at;
        if stride == 0 && !grid.is_empty() {
            return self.bounded_cell(at, last, width);
        }
        if !grid.is_empty() {
            return Some(AccessBytes { offset, stride, grid, width });
        }
        // If only the first of the positions is inside, it is that one.
        let stride = if offset.saturating_add(stride) > last { 0 } else { stride };
        (offset <= last).then_some(AccessBytes { offset, stride, grid, width })
    }

    /// The same for bounded positions: those from 0 to the last one.
    fn bounded_cell(self, at: Location, last: u64, width: u64) -> Option<AccessBytes> {
        let (start, last) = (i128::from(self.signed(at.offset)), i128::from(last));
        let parts = at.grid.within(start, 0, last);
        let &(first, grid) = parts.first()?;
        let (end, behind) = parts.last().copied()?;
        let grid = match parts.len() {
            1 => grid,
            // Elements of which only some lie inside are taken for whole ones.
            _ => Grid::row(at.grid.grain(), (end + i128::from(behind.extent()) - first) as u64),
        };
        let offset = first as u64;
        // What goes on beyond both ends of the object needs no bounds.
        let (row, rest) = grid.without_outermost();
        let [grain, extent] = [row.grain, row.extent].map(i128::from);
        let before = first - grain + i128::from(rest.extent());
        if before < 0 && first + extent + grain > last && !row.is_empty() {
            return Some(AccessBytes { offset, stride: row.grain, grid: rest, width });
        }
        Some(AccessBytes { offset, stride: 0, grid, width })
    }
}

impl Location {
    /// One position.
    pub(crate) fn exact(object: ObjectId, offset: u64) -> Self {
        Location { object, offset, stride: 0, grid: Grid::NONE }
    }

    /// All positions.
    pub(crate) fn anywhere(object: ObjectId) -> Self {
        Location { stride: 1, ..Location::exact(object, 0) }
    }

    /// Whether it is one position.
    pub fn is_exact(self) -> bool {
        self.stride == 0 && self.grid.is_empty()
    }
}

impl AccessBytes {
    /// Some bytes at one position.
    pub fn exact(offset: u64, width: u64) -> Self {
        AccessBytes { offset, stride: 0, grid: Grid::NONE, width }
    }

    /// All bytes of an object, one by one.
    pub(crate) fn every_byte() -> Self {
        AccessBytes { stride: 1, ..AccessBytes::exact(0, 1) }
    }

    /// Whether it is at one position.
    pub fn is_exact(self) -> bool {
        self.stride == 0 && self.grid.is_empty()
    }

    /// The positions in an object of a size, in no order.
    pub fn positions(self, size: u64) -> impl Iterator<Item = u64> {
        let last = size.checked_sub(self.width);
        // Those of the period before the first one may reach into the object.
        let periods = match last {
            None => 0,
            Some(_) if self.stride == 0 => 1,
            Some(last) => last / self.stride + 2,
        };
        let first = i128::from(self.offset) - i128::from(self.stride);
        (0..periods).flat_map(move |i| {
            let start = first + (i128::from(i) + i128::from(self.stride == 0)) * i128::from(self.stride);
            self.grid.numbers().filter_map(move |number| {
                let at = u64::try_from(start + i128::from(number)).ok()?;
                last.is_some_and(|last| at <= last).then_some(at)
            })
        })
    }

    /// The same positions as a location.
    pub(crate) fn location(self, object: ObjectId) -> Location {
        let AccessBytes { offset, stride, grid, .. } = self;
        Location { object, offset, stride, grid }
    }

    /// How this and another cell of one object can meet.
    pub(crate) fn meets(self, other: AccessBytes) -> Meeting {
        let (width, other_width) = (i128::from(self.width), i128::from(other.width));
        let distance = Distance {
            value: i128::from(other.offset) - i128::from(self.offset) - i128::from(self.grid.extent()),
            step: gcd(self.stride, other.stride),
            grid: self.grid.sum(other.grid),
        };
        let beside = |low, high| distance.is_between(low, high);
        if self.width != other.width {
            return Meeting { equal: false, partial: beside(-other_width, width) };
        }
        Meeting { equal: beside(-1, 1), partial: beside(-other_width, 0) || beside(0, width) }
    }

    /// Whether different positions of this cell have bytes in common.
    pub(crate) fn overlaps_itself(self) -> bool {
        let near = |distance: u64| distance != 0 && distance < self.width;
        let Grid { inner, outer } = self.grid;
        near(self.stride)
            || near(inner.grain)
            // The last position in one element and the first in the next.
            || !outer.is_empty() && inner.extent.saturating_add(self.width) > outer.grain
            // The last position of one period and the first of the next.
            || self.stride != 0 && self.grid.extent().saturating_add(self.width) > self.stride
    }
}

impl Meeting {
    pub(crate) fn is_possible(self) -> bool {
        self.equal || self.partial
    }
}

/// The largest power of two that divides a number.
pub(crate) fn power_of_two_in(n: u64) -> u64 {
    n & n.wrapping_neg()
}

/// More positions of one object than this become a stride.
const MAX_POSITIONS: usize = 24;

/// A growing set of locations, none of which includes another.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    /// All that were ever added, in order: what came later is at the end. Some may be included in others.
    pub(crate) log: Vec<Location>,
    by_object: FxHashMap<ObjectId, Vec<Location>>,
    /// For each object, how often bounded positions were added.
    bounded: FxHashMap<ObjectId, usize>,
}

impl Facts {
    /// Adds a location unless it is there; whether the set grew. If an object has too many positions, they
    /// become a stride.
    pub(crate) fn insert(&mut self, space: Space, new: Location) -> bool {
        let new = if new.grid.is_empty() { new } else { self.without_growth(space, new) };
        let known = self.by_object.entry(new.object).or_default();
        let is_whole = known.first().is_some_and(|old| old.stride == 1 && old.grid.is_empty());
        if is_whole || known.contains(&new) || known.iter().any(|&old| space.covers(old, new)) {
            return false;
        }
        known.retain(|&old| !space.covers(new, old));
        known.push(new);
        self.log.push(new);
        if known.len() > MAX_POSITIONS {
            let all = collapse(space, known);
            *known = vec![all];
            self.log.push(all);
        }
        true
    }

    /// Bounded positions, unless there were so many for the same object that they seem to grow with each step.
    fn without_growth(&mut self, space: Space, new: Location) -> Location {
        let known = self.by_object.get(&new.object).map_or(&[][..], Vec::as_slice);
        if known.iter().any(|&old| space.covers(old, new)) {
            return new;
        }
        let count = self.bounded.entry(new.object).or_default();
        *count += 1;
        match *count {
            ..=MAX_POSITIONS => new,
            // What grows may be the index of the records or that in each of them.
            count if count <= 2 * MAX_POSITIONS => {
                let grain = new.grid.without_outermost().0.grain;
                space.moved(new, Step::spread(space.repeated_spread(grain)))
            }
            _ => space.moved(new, Step::spread(space.repeated_spread(new.grid.grain()))),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.log.is_empty()
    }

    /// The locations without those that others include, in order.
    pub(crate) fn locations(&self) -> Vec<Location> {
        let mut all: Vec<Location> = self.by_object.values().flatten().copied().collect();
        all.sort_unstable();
        all
    }
}

/// One location that includes several of one object.
fn collapse(space: Space, locations: &[Location]) -> Location {
    let start =
        |l: &Location| if l.stride == 0 { space.signed(l.offset).into() } else { i128::from(l.offset) };
    let first = start(&locations[0]);
    let stride = locations.iter().fold(0, |stride, l| {
        let distance = (start(l) - first).unsigned_abs();
        gcd(gcd(gcd(stride, l.stride), l.grid.grain()), u64::try_from(distance).unwrap_or(1))
    });
    space.strided(locations[0].object, first, space.repeated_spread(stride))
}

#[cfg(test)]
mod tests {
    use hardbop_base::Id;

    use super::*;
    use crate::grid::tests::small_grids;

    /// Positions of a cell as sets of bytes, those before the start of the object included.
    fn positions(cell: AccessBytes) -> Vec<Vec<i64>> {
        let [offset, stride, width] = [cell.offset, cell.stride, cell.width].map(u64::cast_signed);
        let periods = if stride == 0 { 0..1 } else { -12..13 };
        let starts =
            periods.flat_map(|i| cell.grid.numbers().map(move |n| offset + i * stride + n.cast_signed()));
        starts.map(|start| (start..start + width).collect()).collect()
    }

    /// Small cells of all kinds.
    fn small_cells(widths: &[u64]) -> Vec<AccessBytes> {
        let mut cells = Vec::new();
        for stride in [0, 1, 2, 3, 4, 6, 15] {
            for offset in [0, 1, 3].into_iter().filter(|&offset| stride == 0 || offset < stride) {
                for grid in small_grids() {
                    if stride == 0 || grid.extent() < stride {
                        let cell = |&width| AccessBytes { stride, grid, ..AccessBytes::exact(offset, width) };
                        cells.extend(widths.iter().map(cell));
                    }
                }
            }
        }
        cells
    }

    /// All pairs of small cells against sets of bytes. Where periods and bounds mix, more may be claimed.
    #[test]
    fn cells_meet_as_their_bytes_do() {
        const MIDDLE: i64 = 400;
        let cells = small_cells(&[1, 4]);
        let starts = |&cell| -> Vec<usize> {
            positions(cell).iter().map(|bytes| (bytes[0] + MIDDLE) as usize).collect()
        };
        let of_cells: Vec<Vec<usize>> = cells.iter().map(starts).collect();
        for (&a, of_a) in cells.iter().zip(&of_cells) {
            let mut has = [false; 2 * MIDDLE as usize];
            of_a.iter().for_each(|&start| has[start] = true);
            let (width, same) = (a.width as usize, |b: AccessBytes| a.width == b.width);
            for (&b, of_b) in cells.iter().zip(&of_cells) {
                let (mut equal, mut partial) = (false, false);
                for &y in of_b {
                    equal |= same(b) && has[y];
                    let near = y + 1 - width..y + b.width as usize;
                    partial |= near.into_iter().any(|x| has[x] && !(same(b) && x == y));
                }
                let found = a.meets(b);
                let is_exact = a.grid.is_empty() && b.grid.is_empty();
                assert!(found.equal >= equal && found.partial >= partial, "{a:?} {b:?}");
                assert!(!is_exact || found == Meeting { equal, partial }, "{a:?} {b:?}");
            }
        }
    }

    /// All small ranges and cells against sets of bytes.
    #[test]
    fn ranges_meet_cells_as_their_bytes_do() {
        let (space, object) = (Space::new(64), Id::from_usize(1));
        let starts = (0..6).map(|p| Location::exact(object, p));
        let starts = starts.chain([1, 2, 4, 6].map(|stride| space.strided(object, 1, stride)));
        let bounded = |grid| Location { grid, ..Location::exact(object, 1) };
        let nested = Grid::row(1, 1).sum(Grid::row(5, 10));
        let starts = starts.chain([Grid::row(2, 6), nested].map(bounded));
        let lengths = (0..10).map(Length::Known).chain([1, 2, 4, 8].map(Length::Multiple));
        let cells = small_cells(&[1, 4]);
        for (start, length) in starts.flat_map(|s| lengths.clone().map(move |l| (s, l))) {
            let ends: Vec<i64> = match length {
                Length::Known(bytes) => vec![bytes.cast_signed()],
                Length::Multiple(factor) => (0..40).map(|n| n * factor.cast_signed()).collect(),
            };
            let from: Vec<i64> = (-40..40)
                .filter(|&p: &i64| space.covers(start, Location::exact(object, p.cast_unsigned())))
                .collect();
            for &cell in &cells {
                let (mut whole, mut cut) = (false, false);
                for bytes in positions(cell) {
                    for (&start, &end) in from.iter().flat_map(|s| ends.iter().map(move |e| (s, e))) {
                        let inside = bytes.iter().filter(|&&b| start <= b && b < start + end).count();
                        whole |= inside == bytes.len();
                        cut |= 0 < inside && inside < bytes.len();
                    }
                }
                let found = Range { start, length }.meets(space, cell);
                let is_exact = start.grid.is_empty() && cell.grid.is_empty();
                assert!(found.whole >= whole && found.cut >= cut, "{start:?} {length:?} {cell:?}");
                assert!(!is_exact || found == RangeMeeting { whole, cut }, "{start:?} {length:?} {cell:?}");
            }
        }
    }

    /// Positions in an object, against the definition.
    #[test]
    fn cells_list_their_positions() {
        for cell in small_cells(&[1, 2]) {
            let mut listed: Vec<u64> = cell.positions(10).collect();
            let inside = |bytes: &Vec<i64>| bytes[0] >= 0 && bytes[0] + bytes.len() as i64 <= 10;
            let starts = positions(cell).into_iter().filter(inside).map(|b| b[0].cast_unsigned());
            let mut expected: Vec<u64> = starts.collect();
            listed.sort_unstable();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(listed, expected, "{cell:?}");
        }
    }

    /// Steps against sets of positions around 0.
    #[test]
    fn steps_lead_where_they_should() {
        let space = Space::new(64);
        let object = Id::from_usize(1);
        let has = |at: Location, position: i64| {
            let exact = Location::exact(object, position.cast_unsigned());
            space.covers(at, exact)
        };
        let bounded = Location { grid: Grid::row(3, 6), ..Location::exact(object, 2) };
        let nested = Location { grid: Grid::row(2, 4), ..space.strided(object, 1, 12) };
        let records = Grid::row(2, 4).sum(Grid::row(9, 18));
        let table = Location { grid: records, ..Location::exact(object, 1) };
        let tables = Location { grid: records, ..space.strided(object, 1, 30) };
        let exact = [Location::exact(object, 8), space.strided(object, 2, 6), space.strided(object, 0, 4)];
        for start in exact.into_iter().chain([bounded, nested, table, tables]) {
            for (shift, spread) in (-9..9).flat_map(|shift| [0, 1, 4, 6, 10].map(|spread| (shift, spread))) {
                for grid in [Grid::NONE, Grid::row(2, 2), Grid::row(4, 8), records, Grid::row(9, 27)] {
                    let step = Step { shift, spread, grid };
                    let reached = space.moved(start, step);
                    for from in (-30..30).filter(|&p| has(start, p)) {
                        for (i, n) in (-3..3).flat_map(|i| grid.numbers().map(move |n| (i, n))) {
                            let to = from + shift + i * spread.cast_signed() + n.cast_signed();
                            assert!(has(reached, to), "{start:?} {step:?} {to}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn products_that_wrap_leave_a_power_of_two() {
        let (narrow, wide) = (Space::new(32), Space::new(64));
        assert_eq!(wide.element_spread(12, 1 << 31), 12);
        assert_eq!(wide.element_spread(12, 1 << 63), 4);
        assert_eq!(narrow.element_spread(12, 1 << 31), 4);
        assert_eq!(narrow.element_spread(12, 1 << 8), 12);
        // The index that does it: a multiple of 12 that is 4 in 32 bits.
        assert_eq!(12u32.wrapping_mul(0xaaaa_aaab), 4);
    }

    #[test]
    fn many_positions_become_a_stride() {
        let space = Space::new(64);
        let object = Id::from_usize(1);
        let mut facts = Facts::default();
        for i in 0..1000u64 {
            facts.insert(space, Location::exact(object, 4 + 8 * i));
        }
        assert_eq!(facts.locations(), [space.strided(object, 4, 8)]);
        assert!(facts.log.len() < 100);
    }
}
