//! Positions in objects: the location sets of Wilson and Lam ("Efficient context-sensitive pointer
//! analysis for C programs", PLDI 1995, §3).
//!
//! A [`Location`] is an object, an offset and a stride. Without a stride it is one position; with stride `s`
//! it stands for all positions of the object that are congruent to the offset modulo `s`. An [`AccessBytes`] is the
//! same without the object but with a width: the bytes that an access touches.
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
}

/// The bytes that an access to one object touches: `width` of them from each position on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccessBytes {
    /// As in [`Location`].
    pub offset: u64,
    /// As in [`Location`].
    pub stride: u64,
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
        let step = gcd(start.stride, cell.stride);
        // Where the cell is, counted from the start of the range: at this distance, modulo the step.
        let at = Distance { value: i128::from(cell.offset) - from, step };
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
                let from_end = Distance { value: at.value, step: gcd(step, factor) };
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

/// All numbers that are this one modulo a step; just this one if the step is 0.
#[derive(Clone, Copy)]
struct Distance {
    value: i128,
    step: u64,
}

impl Distance {
    /// Whether one of them lies between two numbers, and is neither.
    fn is_between(self, low: i128, high: i128) -> bool {
        if self.step == 0 {
            return low < self.value && self.value < high;
        }
        let first = low + 1 + (self.value - low - 1).rem_euclid(self.step.into());
        first < high
    }
}

/// A step from one position to others: a distance, then all multiples of a spread (if that is not 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Step {
    pub(crate) shift: i64,
    pub(crate) spread: u64,
}

impl Step {
    /// Nowhere.
    pub(crate) const NONE: Step = Step { shift: 0, spread: 0 };
    /// Anywhere in the same object.
    pub(crate) const ANYWHERE: Step = Step { shift: 0, spread: 1 };

    pub(crate) fn then(self, next: Step) -> Step {
        let spread = gcd(self.spread, next.spread);
        Step { shift: self.shift.wrapping_add(next.shift), spread }
    }
}

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
        if from.stride == 0 && step.spread == 0 {
            let offset = self.offset(i128::from(from.offset) + i128::from(step.shift));
            return Location { offset, ..from };
        }
        let start = if from.stride == 0 { self.signed(from.offset).into() } else { i128::from(from.offset) };
        self.strided(from.object, start + i128::from(step.shift), gcd(from.stride, step.spread))
    }

    /// All positions of an object from a start on, before and behind it, at a distance.
    pub(crate) fn strided(self, object: ObjectId, start: i128, stride: u64) -> Location {
        let stride = stride.max(1);
        Location { object, offset: start.rem_euclid(stride.into()) as u64, stride }
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
        if all.object != part.object || all.stride == 0 {
            return all == part;
        }
        let start = if part.stride == 0 { self.signed(part.offset).into() } else { i128::from(part.offset) };
        part.stride.is_multiple_of(all.stride)
            && start.rem_euclid(all.stride.into()) == i128::from(all.offset)
    }

    /// The bytes that an access of a width touches, if it can stay inside of the object at all.
    pub(crate) fn cell(self, objects: &Objects, at: Location, width: u64) -> Option<AccessBytes> {
        let object = &objects[at.object];
        if !object.is_memory() {
            return None;
        }
        let end = at.offset.checked_add(width)?;
        // An object of unknown size is smaller than half of the address space.
        let size = object.size.unwrap_or(1 << (self.bits - 1));
        // If only the first of the positions is inside, it is that one.
        let stride = if end.saturating_add(at.stride) > size { 0 } else { at.stride };
        (end <= size).then_some(AccessBytes { offset: at.offset, stride, width })
    }
}

impl Location {
    /// One position.
    pub(crate) fn exact(object: ObjectId, offset: u64) -> Self {
        Location { object, offset, stride: 0 }
    }

    /// All positions.
    pub(crate) fn anywhere(object: ObjectId) -> Self {
        Location { object, offset: 0, stride: 1 }
    }
}

impl AccessBytes {
    /// The same positions as a location.
    pub(crate) fn location(self, object: ObjectId) -> Location {
        Location { object, offset: self.offset, stride: self.stride }
    }

    /// How this and another cell of one object can meet.
    pub(crate) fn meets(self, other: AccessBytes) -> Meeting {
        let (width, other_width) = (i128::from(self.width), i128::from(other.width));
        let distance = i128::from(other.offset) - i128::from(self.offset);
        let step = i128::from(gcd(self.stride, other.stride));
        let same_width = self.width == other.width;
        let overlaps = |d: i128| -other_width < d && d < width;
        if step == 0 {
            let equal = distance == 0 && same_width;
            return Meeting { equal, partial: overlaps(distance) && !equal };
        }
        let rest = distance.rem_euclid(step);
        let equal = rest == 0 && same_width;
        let next = if equal { step } else { rest };
        Meeting { equal, partial: overlaps(next) || overlaps(rest - step) }
    }

    /// Whether different positions of this cell have bytes in common.
    pub(crate) fn overlaps_itself(self) -> bool {
        self.stride != 0 && self.stride < self.width
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
}

impl Facts {
    /// Adds a location unless it is there; whether the set grew. If an object has too many positions, they
    /// become a stride.
    pub(crate) fn insert(&mut self, space: Space, new: Location) -> bool {
        let known = self.by_object.entry(new.object).or_default();
        if known.iter().any(|&old| space.covers(old, new)) {
            return false;
        }
        known.retain(|&old| !space.covers(new, old));
        known.push(new);
        self.log.push(new);
        if known.len() > MAX_POSITIONS {
            let all = collapse(space, known);
            known.clear();
            known.push(all);
            self.log.push(all);
        }
        true
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
        gcd(gcd(stride, l.stride), u64::try_from(distance).unwrap_or(1))
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
        let numbers = if stride == 0 { 0..1 } else { -12..13 };
        numbers.map(|i| (offset + i * stride..offset + i * stride + width).collect()).collect()
    }

    /// All pairs of small cells against sets of bytes.
    #[test]
    fn cells_meet_as_their_bytes_do() {
        let mut cells = Vec::new();
        for stride in [0, 1, 2, 3, 4, 6] {
            for offset in 0..(if stride == 0 { 9 } else { stride }) {
                cells.extend([1, 2, 3, 4].map(|width| AccessBytes { offset, stride, width }));
            }
        }
        for &a in &cells {
            for &b in &cells {
                let (mut equal, mut partial) = (false, false);
                for x in positions(a) {
                    for y in positions(b) {
                        equal |= x == y;
                        partial |= x != y && x.iter().any(|byte| y.contains(byte));
                    }
                }
                assert_eq!(a.meets(b), Meeting { equal, partial }, "{a:?} {b:?}");
            }
        }
    }

    /// All small ranges and cells against sets of bytes.
    #[test]
    fn ranges_meet_cells_as_their_bytes_do() {
        let (space, object) = (Space::new(64), Id::from_usize(1));
        let starts = (0..6).map(|p| Location::exact(object, p));
        let starts = starts.chain([1, 2, 4, 6].map(|stride| space.strided(object, 1, stride)));
        let lengths = (0..10).map(Length::Known).chain([1, 2, 4, 8].map(Length::Multiple));
        for (start, length) in starts.flat_map(|s| lengths.clone().map(move |l| (s, l))) {
            let ends: Vec<i64> = match length {
                Length::Known(bytes) => vec![bytes.cast_signed()],
                Length::Multiple(factor) => (0..40).map(|n| n * factor.cast_signed()).collect(),
            };
            let from: Vec<i64> = (-40..40)
                .filter(|&p: &i64| space.covers(start, Location::exact(object, p.cast_unsigned())))
                .collect();
            for stride in [0, 1, 2, 3, 4, 8] {
                for offset in 0..(if stride == 0 { 9 } else { stride }) {
                    for width in [1, 2, 4] {
                        let cell = AccessBytes { offset, stride, width };
                        let (mut whole, mut cut) = (false, false);
                        for bytes in positions(cell) {
                            for (&start, &end) in from.iter().flat_map(|s| ends.iter().map(move |e| (s, e))) {
                                let inside = bytes.iter().filter(|&&b| start <= b && b < start + end).count();
                                whole |= inside == bytes.len();
                                cut |= 0 < inside && inside < bytes.len();
                            }
                        }
                        let found = Range { start, length }.meets(space, cell);
                        assert_eq!(found, RangeMeeting { whole, cut }, "{start:?} {length:?} {cell:?}");
                    }
                }
            }
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
        let starts = [Location::exact(object, 8), space.strided(object, 2, 6), space.strided(object, 0, 4)];
        for start in starts {
            for shift in -9..9 {
                for spread in [0, 1, 4, 6, 10] {
                    let reached = space.moved(start, Step { shift, spread });
                    for from in (-30..30).filter(|&p| has(start, p)) {
                        for i in -3..3 {
                            let to = from + shift + i * spread.cast_signed();
                            assert!(has(reached, to), "{start:?} {shift} {spread} {to}");
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
        assert_eq!(facts.locations(), [Location { object, offset: 4, stride: 8 }]);
        assert!(facts.log.len() < 100);
    }
}
