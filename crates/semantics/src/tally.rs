//! How many heap objects of a kind are alive, and in which order they came: ghost cells that the encoder keeps itself besides those of
//! [`crate::live`], if it is told to ([`Encoder::tally_heap`]).
//!
//! Of each kind there are two counts: of the objects that are alive, and of those that were ever made, modulo a power of two. Each object
//! gets both counts as they are when it is made, itself included: its *height* and its *number*. Behind "the counter of the list is the number
//! of nodes" and "the node behind the first one is the one before the last that was pushed" stand facts about one object each:
//! of a stack, heights fall by one from node to node, and the first is as high as there are nodes; of a queue numbers grow by one. That no two
//! objects have the same is said by two more arrays, which have for each count the object that got it last.
//!
//! The objects that are alive have different addresses, none of which is zero. So there are fewer than addresses, and the count of them does not
//! overflow. That is a condition of each allocation.

use hardbop_alias::ObjectId;
use hardbop_logic::{Scalar, Sort, Term};

use crate::coder::{Coder, Encoder};
use crate::state::{Cell, State};

/// What is kept of the heap objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tally {
    /// How many are alive.
    Alive,
    /// How many were made, modulo a power of two.
    Made,
    /// For each address: how many were alive when the last object there was made.
    Height,
    /// For each height: the address of the object that got it last.
    AtHeight,
    /// For each address: how many had been made when the last object there was made.
    Number,
    /// For each number: the address of the object that got it last.
    AtNumber,
}

impl Tally {
    /// All of them.
    pub const ALL: [Tally; 6] =
        [Tally::Alive, Tally::Made, Tally::Height, Tally::AtHeight, Tally::Number, Tally::AtNumber];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Tally::Alive => "alive",
            Tally::Made => "made",
            Tally::Height => "height",
            Tally::AtHeight => "at_height",
            Tally::Number => "number",
            Tally::AtNumber => "at_number",
        }
    }

    fn is_count(self) -> bool {
        matches!(self, Tally::Alive | Tally::Made)
    }
}

impl Encoder {
    /// Keeps count of the heap objects that are kept track of from now on.
    pub fn tally_heap(&mut self) {
        self.tallies_heap = self.tracks_heap();
    }

    /// Whether heap objects are counted.
    pub fn tallies_heap(&self) -> bool {
        self.tallies_heap
    }
}

impl Coder<'_> {
    /// The sort of a cell.
    pub(crate) fn tally_sort(&self, tally: Tally) -> Sort {
        let count = Scalar::BitVec(self.pointer_bits());
        if tally.is_count() { count.into() } else { Sort::Array(count, count) }
    }

    /// There is nothing yet.
    pub(crate) fn start_tally(&mut self, state: &mut State, kind: ObjectId) {
        if !self.encoder.tallies_heap {
            return;
        }
        let zero = self.constant(0, self.pointer_bits());
        self.set(state, Cell::Tally(Tally::Alive, kind), zero);
        self.set(state, Cell::Tally(Tally::Made, kind), zero);
    }

    /// An object was made at an address, unless that fails.
    pub(crate) fn tally_new(
        &mut self,
        state: &mut State,
        kind: ObjectId,
        address: Term,
        fails: Option<Term>,
        conditions: &mut Vec<Term>,
    ) {
        if !self.encoder.tallies_heap {
            return;
        }
        let (zero, one) = (self.constant(0, self.pointer_bits()), self.constant(1, self.pointer_bits()));
        for (count, of, at) in
            [(Tally::Alive, Tally::Height, Tally::AtHeight), (Tally::Made, Tally::Number, Tally::AtNumber)]
        {
            let [count, of, at] = [count, of, at].map(|tally| Cell::Tally(tally, kind));
            let before = self.get(state, count);
            let after = self.terms().bv_add(before, one);
            if count == Cell::Tally(Tally::Alive, kind) {
                let mut fits = self.terms().ne(after, zero);
                if let Some(fails) = fails {
                    fits = self.terms().or(&[fails, fits]);
                }
                conditions.push(fits);
            }
            let (of_all, at_all) = (self.get(state, of), self.get(state, at));
            let written = [
                (count, before, after),
                (of, of_all, self.terms().store(of_all, address, after)),
                (at, at_all, self.terms().store(at_all, after, address)),
            ];
            for (cell, old, mut new) in written {
                if let Some(fails) = fails {
                    new = self.terms().ite(fails, old, new);
                }
                self.set(state, cell, new);
            }
        }
    }

    /// What lies at an address is freed, if it was alive.
    pub(crate) fn tally_freed(&mut self, state: &mut State, kind: ObjectId, was_alive: Term) {
        if !self.encoder.tallies_heap {
            return;
        }
        let count = Cell::Tally(Tally::Alive, kind);
        let before = self.get(state, count);
        let one = self.constant(1, self.pointer_bits());
        let terms = self.terms();
        let fewer = terms.bv_sub(before, one);
        let after = terms.ite(was_alive, fewer, before);
        self.set(state, count, after);
    }
}
