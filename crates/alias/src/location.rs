//! Positions in objects: the location sets of Wilson and Lam ("Efficient context-sensitive pointer
//! analysis for C programs", PLDI 1995, §3).
//!
//! A [`Location`] is an object, an offset and a stride. Without a stride it is one position; with stride `s`
//! it stands for all positions of the object that are congruent to the offset modulo `s`. An [`AccessBytes`] is the
//! same without the object but with a width: the bytes that an access touches.
//!
//! Where an index is known to stay within bounds (see `ranges.rs`), the positions are few: from each of those
//! above on, at every multiple of a *grain* up to an *extent*. So an element of an array that is a member of a record
//! does not meet the other members, and an element of an array in each record of a table does not, either.
//!
//! Departures: offsets may lie outside of their object (C programs compute such pointers and come back),
//! so they are kept modulo the size of the address space, and it is the access that sorts them out. A
//! multiplication `index * size` can wrap around the address space and then leaves only the power of
//! two in `size`; see [`Space::element_spread`].

use rustc_hash::FxHashMap;

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
    /// The distance of the further positions from each of these on; 0 if there are none.
    pub grain: u64,
    /// How far they go: a multiple of the grain, less than the stride if there is one.
    pub extent: u64,
}

/// The bytes that an access to one object touches: `width` of them from each position on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccessBytes {
    /// As in [`Location`].
    pub offset: u64,
    /// As in [`Location`].
    pub stride: u64,
    /// As in [`Location`].
    pub grain: u64,
    /// As in [`Location`].
    pub extent: u64,
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
            value: i128::from(cell.offset) - from - i128::from(start.extent),
            step: gcd(start.stride, cell.stride),
            grain: gcd(start.grain, cell.grain),
            extent: start.extent.saturating_add(cell.extent),
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

/// All numbers that are this one modulo a step (just this one if the step is 0), and from each of them on those at
/// multiples of a grain, up to an extent.
#[derive(Clone, Copy)]
struct Distance {
    value: i128,
    step: u64,
    grain: u64,
    extent: u64,
}

/// So many positions are looked at one by one; if there are more, one of them is taken to fit.
const MAX_TRIED: i128 = 64;

impl Distance {
    /// Whether one of them lies between two numbers, and is neither.
    fn is_between(self, low: i128, high: i128) -> bool {
        let (step, extent) = (i128::from(self.step), i128::from(self.extent));
        if step == 0 {
            return self.is_one_between(self.value, low, high);
        }
        if high == i128::MAX {
            return true;
        }
        let grain = i128::from(self.grain.max(1));
        let next = |value: i128, step: i128| low + 1 + (value - low - 1).rem_euclid(step);
        let (more, common) = (extent / grain, i128::from(gcd(self.step, self.grain.max(1))));
        // Periods that meet again and again in all that grains can reach are one, of smaller steps.
        if more + 1 >= step / common {
            return next(self.value, common) < high;
        }
        if more < MAX_TRIED {
            return (0..=more).any(|i| next(self.value + i * grain, step) < high);
        }
        // The first period that ends behind the one number, and the first that starts behind the other.
        let before = (self.value + extent - low - 1).rem_euclid(step);
        let first = low + 1 + before - extent;
        let periods = (high - first + step - 1).div_euclid(step);
        periods > MAX_TRIED || (0..periods).any(|i| self.is_one_between(first + i * step, low, high))
    }

    /// The same for those from one number on.
    fn is_one_between(self, value: i128, low: i128, high: i128) -> bool {
        let (grain, extent) = (i128::from(self.grain.max(1)), i128::from(self.extent));
        let missing = (low + 1 - value).max(0);
        let skipped = (missing + grain - 1).div_euclid(grain) * grain;
        skipped <= extent && value + skipped < high
    }
}

/// A step from one position to others: a distance, then all multiples of a spread (if that is not 0), and from each
/// of these on those at multiples of a grain, up to an extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Step {
    pub(crate) shift: i64,
    pub(crate) spread: u64,
    pub(crate) grain: u64,
    pub(crate) extent: u64,
}

impl Step {
    /// Nowhere.
    pub(crate) const NONE: Step = Step::by(0);
    /// Anywhere in the same object.
    pub(crate) const ANYWHERE: Step = Step::spread(1);

    /// By so many bytes.
    pub(crate) const fn by(shift: i64) -> Step {
        Step { shift, spread: 0, grain: 0, extent: 0 }
    }

    /// By all multiples of this.
    pub(crate) const fn spread(spread: u64) -> Step {
        Step { shift: 0, spread, grain: 0, extent: 0 }
    }

    pub(crate) fn then(self, next: Step) -> Step {
        let step = Step {
            shift: self.shift.wrapping_add(next.shift),
            spread: gcd(self.spread, next.spread),
            grain: gcd(self.grain, next.grain),
            extent: self.extent.saturating_add(next.extent),
        };
        if step.extent >= MAX_EXTENT || step.spread != 0 && step.extent >= step.spread {
            return step.without_bounds();
        }
        step
    }

    /// All multiples of the grain, instead of a few.
    pub(crate) fn without_bounds(self) -> Step {
        Step { spread: gcd(self.spread, self.grain), grain: 0, extent: 0, ..self }
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
        let (stride, grain) = (gcd(from.stride, step.spread), gcd(from.grain, step.grain));
        let extent = from.extent.saturating_add(step.extent);
        if stride == 0 && extent < MAX_EXTENT {
            return Location { object: from.object, offset: self.offset(start), stride, grain, extent };
        }
        if stride == 0 || extent >= stride {
            return self.strided(from.object, start, gcd(stride, grain));
        }
        Location { grain, extent, ..self.strided(from.object, start, stride) }
    }

    /// All positions of an object from a start on, before and behind it, at a distance.
    pub(crate) fn strided(self, object: ObjectId, start: i128, stride: u64) -> Location {
        let stride = stride.max(1);
        let offset = start.rem_euclid(stride.into()) as u64;
        Location { object, offset, stride, grain: 0, extent: 0 }
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

    /// Whether the one location includes the other.
    pub(crate) fn covers(self, all: Location, part: Location) -> bool {
        if all.object != part.object || all.stride == 0 && all.extent == 0 {
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
        let (distance, grain, extent) = match all.stride {
            0 => (distance, all.grain, all.extent),
            stride if all.extent == 0 => {
                return distance.rem_euclid(stride.into()) == 0 && part.grain.is_multiple_of(stride);
            }
            stride => (distance.rem_euclid(stride.into()), all.grain, all.extent),
        };
        (0..=i128::from(extent) - i128::from(part.extent)).contains(&distance)
            && distance.rem_euclid(grain.into()) == 0
            && part.grain.is_multiple_of(grain)
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
        let Location { offset, stride, grain, extent, .. } = at;
        if stride == 0 && extent != 0 {
            return self.bounded_cell(at, last, width);
        }
        if extent != 0 {
            return Some(AccessBytes { offset, stride, grain, extent, width });
        }
        // If only the first of the positions is inside, it is that one.
        let stride = if offset.saturating_add(stride) > last { 0 } else { stride };
        (offset <= last).then_some(AccessBytes { offset, stride, grain, extent, width })
    }

    /// The same for bounded positions: those from 0 to the last one.
    fn bounded_cell(self, at: Location, last: u64, width: u64) -> Option<AccessBytes> {
        let (start, grain) = (i128::from(self.signed(at.offset)), i128::from(at.grain));
        let end = (start + i128::from(at.extent)).min(last.into());
        let first = start + (-start).max(0).div_euclid(grain) * grain;
        let first = if first < 0 { first + grain } else { first };
        if first > end {
            return None;
        }
        let extent = (end - first).div_euclid(grain) * grain;
        let offset = first as u64;
        if first < grain && first + extent + grain > last.into() && extent > 0 {
            return Some(AccessBytes { offset, stride: at.grain, grain: 0, extent: 0, width });
        }
        let grain = if extent == 0 { 0 } else { at.grain };
        Some(AccessBytes { offset, stride: 0, grain, extent: extent as u64, width })
    }
}

impl Location {
    /// One position.
    pub(crate) fn exact(object: ObjectId, offset: u64) -> Self {
        Location { object, offset, stride: 0, grain: 0, extent: 0 }
    }

    /// All positions.
    pub(crate) fn anywhere(object: ObjectId) -> Self {
        Location { stride: 1, ..Location::exact(object, 0) }
    }
}

impl AccessBytes {
    /// Some bytes at one position.
    pub fn exact(offset: u64, width: u64) -> Self {
        AccessBytes { offset, stride: 0, grain: 0, extent: 0, width }
    }

    /// All bytes of an object, one by one.
    pub(crate) fn every_byte() -> Self {
        AccessBytes { stride: 1, ..AccessBytes::exact(0, 1) }
    }

    /// Whether it is at one position.
    pub fn is_exact(self) -> bool {
        self.stride == 0 && self.extent == 0
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
        let further = if self.extent == 0 { 0 } else { self.extent / self.grain };
        let first = i128::from(self.offset) - i128::from(self.stride);
        (0..periods).flat_map(move |i| {
            let start = first + (i128::from(i) + i128::from(self.stride == 0)) * i128::from(self.stride);
            (0..=further).filter_map(move |j| {
                let at = u64::try_from(start + i128::from(j) * i128::from(self.grain)).ok()?;
                last.is_some_and(|last| at <= last).then_some(at)
            })
        })
    }

    /// The same positions as a location.
    pub(crate) fn location(self, object: ObjectId) -> Location {
        let AccessBytes { offset, stride, grain, extent, .. } = self;
        Location { object, offset, stride, grain, extent }
    }

    /// How this and another cell of one object can meet.
    pub(crate) fn meets(self, other: AccessBytes) -> Meeting {
        let (width, other_width) = (i128::from(self.width), i128::from(other.width));
        let distance = Distance {
            value: i128::from(other.offset) - i128::from(self.offset) - i128::from(self.extent),
            step: gcd(self.stride, other.stride),
            grain: gcd(self.grain, other.grain),
            extent: self.extent.saturating_add(other.extent),
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
        near(self.stride)
            || near(self.grain)
            // The last position of one period and the first of the next.
            || self.stride != 0 && self.extent.saturating_add(self.width) > self.stride
    }
}

impl Meeting {
    pub(crate) fn is_possible(self) -> bool {
        self.equal || self.partial
    }
}

pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
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
        let new = if new.extent == 0 { new } else { self.without_growth(space, new) };
        let known = self.by_object.entry(new.object).or_default();
        let is_whole = known.first().is_some_and(|old| old.stride == 1 && old.extent == 0);
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
        if *count > MAX_POSITIONS { space.moved(new, Step::spread(new.grain)) } else { new }
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
        gcd(gcd(gcd(stride, l.stride), l.grain), u64::try_from(distance).unwrap_or(1))
    });
    space.strided(locations[0].object, first, space.repeated_spread(stride))
}

#[cfg(test)]
mod tests {
    use hardbop_base::Id;

    use super::*;

    /// Positions of a cell as sets of bytes, those before the start of the object included.
    fn positions(cell: AccessBytes) -> Vec<Vec<i64>> {
        let [offset, stride, width] = [cell.offset, cell.stride, cell.width].map(u64::cast_signed);
        let [grain, extent] = [cell.grain, cell.extent].map(u64::cast_signed);
        let periods = if stride == 0 { 0..1 } else { -12..13 };
        let further = 0..=extent.checked_div(grain).unwrap_or(0);
        let starts = periods.flat_map(|i| further.clone().map(move |j| offset + i * stride + j * grain));
        starts.map(|start| (start..start + width).collect()).collect()
    }

    /// Small cells of all kinds.
    fn small_cells(widths: &[u64]) -> Vec<AccessBytes> {
        let mut cells = Vec::new();
        for stride in [0, 1, 2, 3, 4, 6] {
            for offset in 0..(if stride == 0 { 9 } else { stride }) {
                for (grain, extent) in [(0, 0), (1, 1), (1, 3), (2, 4), (3, 3), (4, 8)] {
                    if stride == 0 || extent < stride {
                        let cell = |&width| AccessBytes {
                            stride,
                            grain,
                            extent,
                            ..AccessBytes::exact(offset, width)
                        };
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
        let cells = small_cells(&[1, 2, 4]);
        let of_cells: Vec<_> = cells.iter().map(|&cell| positions(cell)).collect();
        for (&a, of_a) in cells.iter().zip(&of_cells) {
            for (&b, of_b) in cells.iter().zip(&of_cells) {
                let (mut equal, mut partial) = (false, false);
                for x in of_a {
                    for y in of_b {
                        equal |= x == y;
                        partial |= x != y && x[0] < y[0] + y.len() as i64 && y[0] < x[0] + x.len() as i64;
                    }
                }
                let found = a.meets(b);
                let is_exact = a.extent == 0 && b.extent == 0;
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
        let starts = starts.chain([Location { grain: 2, extent: 6, ..Location::exact(object, 1) }]);
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
                let is_exact = start.extent == 0 && cell.extent == 0;
                assert!(found.whole >= whole && found.cut >= cut, "{start:?} {length:?} {cell:?}");
                assert!(!is_exact || found == RangeMeeting { whole, cut }, "{start:?} {length:?} {cell:?}");
            }
        }
    }

    /// Positions in an object, against the definition.
    /// However many periods and grains there are: those of 1,000 elements are more than are tried one by one.
    #[test]
    fn positions_between_two_numbers_are_found() {
        for n in 0..200 {
            let (step, grain) = ([1, 2, 3, 4, 6, 8, 12, 300][n % 8], [1, 2, 3, 4, 8][n / 8 % 5]);
            let extent = [0, 3, 8, 24, 3996][n / 40];
            let distance = Distance { value: 2, step, grain, extent };
            for (low, high) in (-9..9).flat_map(|low| (low + 1..low + 12).map(move |high| (low, high))) {
                let (step, grain, extent) = (i128::from(step), i128::from(grain), i128::from(extent));
                let at = |n: i128, i: i128| (n - 2 - i * grain).rem_euclid(step) == 0;
                let found = (low + 1..high).any(|n| (0..=extent / grain).any(|i| at(n, i)));
                assert_eq!(distance.is_between(low, high), found, "{step} {grain} {extent}: {low} {high}");
            }
        }
    }

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
        let bounded = Location { grain: 3, extent: 6, ..Location::exact(object, 2) };
        let nested = Location { grain: 2, extent: 4, ..space.strided(object, 1, 12) };
        let exact = [Location::exact(object, 8), space.strided(object, 2, 6), space.strided(object, 0, 4)];
        for start in exact.into_iter().chain([bounded, nested]) {
            for (shift, spread) in (-9..9).flat_map(|shift| [0, 1, 4, 6, 10].map(|spread| (shift, spread))) {
                for (grain, extent) in [(0, 0), (2, 2), (4, 8)] {
                    let step = Step { shift, spread, grain, extent };
                    let reached = space.moved(start, step);
                    for from in (-30..30).filter(|&p| has(start, p)) {
                        for (i, j) in (-3..3).flat_map(|i| (0..=2).map(move |j| (i, j))) {
                            if j * grain <= extent {
                                let to = from + shift + i * spread.cast_signed() + (j * grain).cast_signed();
                                assert!(has(reached, to), "{start:?} {step:?} {to}");
                            }
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
