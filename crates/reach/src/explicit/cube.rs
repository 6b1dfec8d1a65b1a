//! Cubes, packed: for each slot the set of truth values it may have, in two bits.
//!
//! A state is a cube with one value per slot. A trivector of `003…` §5 is a cube in which `*` stands
//! for both values, and so is a three-valued state of `000…` §2. Slots are positions: the globals, then
//! the frame of the procedure ([`hardbop_bp::Flow::scope`]); what else a cube holds its user decides.

use std::fmt;

/// A set of truth values; never empty in a cube.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Value(u8);

impl Value {
    pub(super) const FALSE: Value = Value(1);
    pub(super) const TRUE: Value = Value(2);
    pub(super) const BOTH: Value = Value(3);

    /// The set of one value.
    pub(super) fn only(value: bool) -> Self {
        if value { Value::TRUE } else { Value::FALSE }
    }

    /// The set with the values that are allowed.
    pub(super) fn of(can_be_false: bool, can_be_true: bool) -> Self {
        Value(u8::from(can_be_false) | u8::from(can_be_true) << 1)
    }

    pub(super) fn allows(self, value: bool) -> bool {
        self.0 & Value::only(value).0 != 0
    }

    /// The only value there is, if it is only one.
    pub(super) fn definite(self) -> Option<bool> {
        match self {
            Value::FALSE => Some(false),
            Value::TRUE => Some(true),
            _ => None,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["∅", "0", "1", "*"][usize::from(self.0)])
    }
}

const SLOTS_PER_WORD: usize = 32;

/// Values of slots. Two cubes may be compared only if they have the same width, which is not stored.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Cube {
    words: Words,
}

/// Most programs need one word per state, which then lives in the table of states itself.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Words {
    One([u64; 1]),
    Many(Box<[u64]>),
}

impl Words {
    fn zero(count: usize) -> Self {
        if count <= 1 { Words::One([0]) } else { Words::Many(vec![0; count].into_boxed_slice()) }
    }
}

impl Cube {
    /// A cube with the same set in every slot.
    pub(super) fn new(width: usize, value: Value) -> Self {
        let mut cube = Cube { words: Words::zero(width.div_ceil(SLOTS_PER_WORD)) };
        for slot in 0..width {
            cube.set(slot, value);
        }
        cube
    }

    fn words(&self) -> &[u64] {
        match &self.words {
            Words::One(words) => words,
            Words::Many(words) => words,
        }
    }

    fn words_mut(&mut self) -> &mut [u64] {
        match &mut self.words {
            Words::One(words) => words,
            Words::Many(words) => words,
        }
    }

    pub(super) fn get(&self, slot: usize) -> Value {
        let word = self.words()[slot / SLOTS_PER_WORD];
        Value((word >> (2 * (slot % SLOTS_PER_WORD)) & 3) as u8)
    }

    pub(super) fn set(&mut self, slot: usize, value: Value) {
        let shift = 2 * (slot % SLOTS_PER_WORD);
        let word = &mut self.words_mut()[slot / SLOTS_PER_WORD];
        *word = *word & !(3 << shift) | u64::from(value.0) << shift;
    }

    /// The part of the cube in which a slot has this value.
    pub(super) fn with(&self, slot: usize, value: bool) -> Self {
        let mut part = self.clone();
        part.set(slot, Value::only(value));
        part
    }

    /// The smallest cube that contains both: the join of trivectors.
    pub(super) fn join(&mut self, other: &Cube) {
        for (word, more) in self.words_mut().iter_mut().zip(other.words()) {
            *word |= more;
        }
    }

    /// The first `width` slots; if there are fewer, the new ones are empty and must be set.
    pub(super) fn resized(&self, width: usize) -> Self {
        let mut words = Words::zero(width.div_ceil(SLOTS_PER_WORD));
        let mut cube = {
            let target = match &mut words {
                Words::One(words) => &mut words[..],
                Words::Many(words) => words,
            };
            for (word, from) in target.iter_mut().zip(self.words()) {
                *word = *from;
            }
            Cube { words }
        };
        let rest = width % SLOTS_PER_WORD;
        if (rest > 0 || width == 0)
            && let Some(last) = cube.words_mut().last_mut()
        {
            *last &= (1 << (2 * rest)) - 1;
        }
        cube
    }

    /// The first of the given slots that may have both values.
    pub(super) fn first_open(&self, mut slots: impl Iterator<Item = usize>) -> Option<usize> {
        slots.find(|&slot| self.get(slot) == Value::BOTH)
    }

    /// The cube as text, for messages of failing tests.
    #[cfg(test)]
    pub(super) fn text(&self, width: usize) -> String {
        (0..width).map(|slot| format!("{:?}", self.get(slot))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_independent_in_narrow_and_wide_cubes() {
        for width in [1, 31, 32, 33, 70] {
            let mut cube = Cube::new(width, Value::BOTH);
            cube.set(width - 1, Value::TRUE);
            assert_eq!(cube.get(width - 1), Value::TRUE);
            assert!((0..width - 1).all(|slot| cube.get(slot) == Value::BOTH));
            assert_eq!(cube.with(0, false).get(0), Value::FALSE);
        }
    }

    #[test]
    fn resizing_forgets_what_lies_behind() {
        for (wide, narrow) in [(40, 3), (40, 32), (3, 2), (70, 64), (5, 0)] {
            let cube = Cube::new(wide, Value::BOTH);
            assert!(cube.resized(narrow) == Cube::new(narrow, Value::BOTH), "{wide} to {narrow}");
            let back = cube.resized(narrow).resized(wide);
            assert!((0..wide).all(|slot| (back.get(slot) == Value::BOTH) == (slot < narrow)));
        }
    }

    #[test]
    fn joins_are_slotwise() {
        let mut cube = Cube::new(3, Value::FALSE).with(2, true);
        cube.join(&Cube::new(3, Value::FALSE).with(1, true));
        assert_eq!(cube.text(3), "0**");
    }
}
