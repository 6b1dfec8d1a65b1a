//! Where arbitrary values come from.
//!
//! Whenever a run needs a value that the program does not determine, it asks an [`Inputs`] with a
//! [`Request`] and records the answer as a [`Draw`]. The answers are the run's only input: the same
//! program with the same answers takes the same steps. Zero is always a legal answer, and the dull
//! one: the value zero, success of an allocation, an address chosen by the interpreter, the first
//! of several enabled edges.

use super::outcome::Site;
use super::outside::OutsideMemory;
use crate::{Arbitrary, EdgeId, FloatKind, ProcId, Program, Type, TypeId, VarId};

/// A source of arbitrary values.
pub trait Inputs {
    /// The value asked for. Bits beyond the width asked for are ignored.
    fn next(&mut self, request: &Request<'_>) -> u128;

    /// The declaration of a variable is passed: what it holds from now on is asked for when it is read.
    fn renewed(&mut self, _: VarId) {}

    /// A function outside, called by this step, may have changed memory outside of the program: what it holds from now on is asked
    /// for when it is read.
    fn changed_outside(&mut self, _: (ProcId, EdgeId)) {}
}

/// A demand for a value.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The program that runs.
    pub program: &'a Program,
    /// How many values were drawn before.
    pub index: u64,
    /// What the value is for.
    pub source: Source<'a>,
    /// The type of the value, where it is one of the program's.
    pub ty: Option<TypeId>,
    /// How many bits are used, at most 128.
    pub width: u16,
    /// The storage that is read and has no value.
    pub storage: Option<Storage>,
    /// The step that needs it.
    pub site: Site,
}

/// What a value is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'a> {
    /// A value of the program.
    Value(&'a Arbitrary),
    /// Whether an allocation fails (1) or not (0).
    AllocationFails,
    /// The address of a new object: 0 leaves it to the interpreter, and so does an address that
    /// cannot be used.
    Address {
        /// The object's size in bytes.
        size: u64,
        /// The alignment that it must have.
        align: u64,
    },
    /// Which of so many enabled edges to take, counted from 0 (modulo their number).
    Choice(u32),
}

impl Source<'_> {
    /// Whether the program leaves this open on purpose: a value from the verification harness, or
    /// which way to go.
    pub fn is_deliberate(self) -> bool {
        matches!(self, Source::Value(Arbitrary::Nondet(_)) | Source::Choice(_))
    }
}

/// An answer, with what it was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// The value, cut to its width.
    pub value: u128,
    /// What it was for.
    pub source: DrawSource,
    /// The type of the value, where it is one of the program's.
    pub ty: Option<TypeId>,
    /// How many bits count.
    pub width: u16,
    /// The storage that was read and had no value.
    pub storage: Option<Storage>,
    /// The procedure that needed it.
    pub procedure: ProcId,
    /// The step that needed it.
    pub edge: EdgeId,
}

/// Storage that got its value when it was first read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    /// The variable that it belongs to; none for allocated memory.
    pub variable: Option<VarId>,
    /// The address of the variable or object; 0 if it is not in memory.
    pub base: u64,
    /// The step that allocated it, if it is no variable.
    pub allocated: Option<(ProcId, EdgeId)>,
    /// Which object of its kind it is: of a variable, the number of its activation among those of its
    /// procedure; of allocated memory, the number of the allocation among those of the step; both counted
    /// from 0. 0 for globals.
    pub serial: u64,
    /// Bytes from the start of the variable or object.
    pub offset: u64,
}

/// What a drawn value was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawSource {
    /// A value of the program; the number is a position in [`Run::kinds`](super::Run::kinds).
    Value(u32),
    /// Whether an allocation failed.
    AllocationFails,
    /// An address for a new object, 0 for the interpreter's choice.
    Address,
    /// Which of several enabled edges to take.
    Choice,
}

/// Any function from requests to values is a source of values.
impl<F: FnMut(&Request<'_>) -> u128> Inputs for F {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        self(request)
    }
}

/// Values from a list, then zeros.
#[derive(Debug, Clone, Default)]
pub struct ListInputs {
    values: std::collections::VecDeque<u128>,
    only_nondet: bool,
}

impl ListInputs {
    /// Answers every request, of whatever source, from the list: what replays a run.
    pub fn all(values: impl IntoIterator<Item = u128>) -> Self {
        ListInputs { values: values.into_iter().collect(), only_nondet: false }
    }

    /// Answers only what the program leaves open on purpose ([`Source::is_deliberate`]) from the
    /// list, and everything else with zero: what a user writes by hand.
    pub fn nondet(values: impl IntoIterator<Item = u128>) -> Self {
        ListInputs { values: values.into_iter().collect(), only_nondet: true }
    }

    /// Replays the run that drew these values.
    pub fn replay(draws: &[Draw]) -> Self {
        ListInputs::all(draws.iter().map(|draw| draw.value))
    }

    /// How many values are left.
    pub fn remaining(&self) -> usize {
        self.values.len()
    }
}

impl Inputs for ListInputs {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        if self.only_nondet && !request.source.is_deliberate() {
            return 0;
        }
        self.values.pop_front().unwrap_or(0)
    }
}

/// Pseudo-random values that favour what finds errors: small numbers, the ends of the range, powers
/// of two, values seen before, memory outside of the program. Allocations fail rarely, addresses are left to the interpreter.
#[derive(Debug, Clone)]
pub struct SeededInputs {
    state: u64,
    recent: [u128; 4],
}

impl SeededInputs {
    /// The sequence of values that belongs to a seed.
    pub fn new(seed: u64) -> Self {
        SeededInputs { state: seed, recent: [0; 4] }
    }

    /// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.random()) * u128::from(n)) >> 64) as u64
    }

    fn integer(&mut self, width: u16) -> u128 {
        let width = u32::from(width.clamp(1, 128));
        let value = match self.below(16) {
            0..=5 => u128::from(self.below(16)),
            6 => u128::from(self.below(256)),
            7 | 8 => u128::from(self.below(8)).wrapping_neg(),
            // The ends of the signed and the unsigned range.
            9 => (1u128 << (width - 1)).wrapping_add(u128::from(self.below(3))).wrapping_sub(1),
            10 => (1u128 << self.below(u64::from(width)))
                .wrapping_add(u128::from(self.below(3)))
                .wrapping_sub(1),
            11 | 12 => {
                let pick = self.below(4) as usize;
                self.recent[pick].wrapping_add(u128::from(self.below(3))).wrapping_sub(1)
            }
            _ => (u128::from(self.random()) << 64) | u128::from(self.random()),
        };
        let slot = self.below(4) as usize;
        self.recent[slot] = value;
        value
    }

    fn float(&mut self, kind: FloatKind) -> u128 {
        let value = match self.below(8) {
            0..=2 => self.below(16) as f64,
            3 => -(self.below(16) as f64),
            4 => self.below(1000) as f64 / 8.0,
            5 => [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0, f64::MAX, f64::MIN_POSITIVE]
                [self.below(6) as usize],
            _ => return (u128::from(self.random()) << 64) | u128::from(self.random()),
        };
        super::float::from_f64(kind, value)
    }
}

/// Whether a pointer that is asked for may be one from outside. In memory that nobody wrote there is none that a run should rely on: the
/// analyses leave that open.
fn may_lead_outside(request: &Request<'_>) -> bool {
    let is_outside = |storage: Storage| storage.variable.is_none() && storage.allocated.is_none();
    request.storage.is_none_or(|storage| storage.base == 0 || is_outside(storage))
}

impl Inputs for SeededInputs {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        match request.source {
            Source::Value(_) => match request.ty.map(|ty| request.program.ty(ty)) {
                Some(&Type::Float(kind)) => self.float(kind),
                Some(Type::Bool) => u128::from(self.random() & 1),
                // Mathematical integers: mostly small, seldom beyond what arithmetic can hold.
                Some(Type::Integer) => self.integer(32) as i32 as i128 as u128,
                Some(Type::Pointer(pointee)) if may_lead_outside(request) && self.below(4) != 0 => {
                    // One of two objects outside of the program for each type.
                    let outside = OutsideMemory::of(request.program.data_model);
                    let number = (2 * pointee.index() as u64 + self.below(2)) % outside.capacity();
                    outside.address(number).unwrap_or(0).into()
                }
                _ => self.integer(request.width),
            },
            Source::AllocationFails => u128::from(self.below(16) == 0),
            Source::Address { .. } => 0,
            Source::Choice(n) => u128::from(self.below(u64::from(n.max(1)))),
        }
    }
}

/// Pseudo-random values of which each place in the program asks for its own kind, another one in each run (Groce et al., *Swarm testing*,
/// 2012): in one run a loop goes on nearly for ever and a choice is one of two, in the next it is the other way round.
#[derive(Debug, Clone)]
pub struct SwarmInputs {
    seed: u64,
    values: SeededInputs,
}

impl SwarmInputs {
    /// The sequence of values that belongs to a seed.
    pub fn new(seed: u64) -> Self {
        SwarmInputs { seed, values: SeededInputs::new(seed) }
    }

    /// A number that belongs to a place and this run.
    fn habit(&self, site: Site) -> u64 {
        let place = (site.procedure.index() as u64) << 32 | site.edge.index() as u64;
        SeededInputs::new(self.seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15)).random()
    }
}

impl Inputs for SwarmInputs {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        let is_integer = request
            .ty
            .is_some_and(|ty| matches!(request.program.ty(ty), Type::Machine { .. } | Type::Integer));
        if !is_integer || !matches!(request.source, Source::Value(_)) {
            return self.values.next(request);
        }
        let seldom = self.values.below(32) == 0;
        match self.habit(request.site) % 8 {
            0..=2 => self.values.next(request),
            3 => (if seldom { 0 } else { 1 + self.values.below(4) }).into(),
            4 => (if seldom { 1 + self.values.below(4) } else { 0 }).into(),
            5 => self.values.below(2).into(),
            6 => self.values.below(4).into(),
            _ => self.values.below(12).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataModel;
    use hardbop_base::{Id, Span};

    fn ask<I: Inputs>(inputs: &mut I, source: Source<'_>, width: u16) -> u128 {
        let program = Program::new(DataModel::Lp64);
        let site = Site { procedure: Id::from_usize(0), edge: Id::from_usize(0), span: Span::none() };
        inputs.next(&Request { program: &program, index: 0, source, ty: None, width, storage: None, site })
    }

    #[test]
    fn lists_end_in_zeros() {
        let nondet = Arbitrary::Nondet("f".into());
        let mut list = ListInputs::all([7, 8]);
        assert_eq!(ask(&mut list, Source::AllocationFails, 1), 7);
        assert_eq!(ask(&mut list, Source::Value(&nondet), 8), 8);
        assert_eq!(ask(&mut list, Source::Value(&nondet), 8), 0);
        let mut list = ListInputs::nondet([1, 7]);
        assert_eq!(ask(&mut list, Source::Choice(2), 32), 1);
        assert_eq!(ask(&mut list, Source::AllocationFails, 1), 0);
        assert_eq!(ask(&mut list, Source::Value(&Arbitrary::Uninitialised), 8), 0);
        assert_eq!(ask(&mut list, Source::Value(&nondet), 8), 7);
    }

    #[test]
    fn seeds_determine_and_vary() {
        let draw = |seed| {
            let mut inputs = SeededInputs::new(seed);
            (0..64)
                .map(|_| ask(&mut inputs, Source::Value(&Arbitrary::Assembly), 32) as u32)
                .collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let many: Vec<u32> = (0..100).flat_map(draw).collect();
        for expected in [0, 1, 2, u32::MAX, 1 << 31, (1 << 31) - 1] {
            assert!(many.contains(&expected), "{expected}");
        }
    }

    #[test]
    fn closures_are_inputs() {
        let mut count = 0;
        let mut inputs = |request: &Request<'_>| {
            count += 1;
            u128::from(request.width)
        };
        assert_eq!(ask(&mut inputs, Source::Choice(3), 9), 9);
        assert_eq!(count, 1);
    }
}
