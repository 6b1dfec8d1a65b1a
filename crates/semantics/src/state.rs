//! States: which term each cell of the store holds.

use hardbop_alias::{ObjectId, RegionId};
use hardbop_ir::VarId;
use hardbop_logic::Term;
use rustc_hash::FxHashMap;

use crate::tally::Tally;

/// An activation of a procedure. Locals of different frames are different cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame(pub u32);

impl Frame {
    /// The only frame where one activation is looked at.
    pub const ONLY: Frame = Frame(0);
}

/// A part of the store that changes as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// A global scalar whose address is never taken.
    Global(VarId),
    /// A scalar of an activation whose address is never taken.
    Local(Frame, VarId),
    /// A region of memory.
    Region(RegionId),
    /// Which addresses are those of heap objects of a kind that are alive ([`Encoder::track_heap`](crate::Encoder::track_heap)). The kind is
    /// told by its first object.
    Live(ObjectId),
    /// How many there are, or in which order they came ([`Encoder::tally_heap`](crate::Encoder::tally_heap)).
    Tally(Tally, ObjectId),
}

/// The values of all cells. A cell that is not listed still has the value it started with.
#[derive(Debug, Clone, Default)]
pub struct State {
    pub(crate) values: FxHashMap<Cell, Term>,
    pub(crate) frame: Frame,
}

impl Default for Frame {
    fn default() -> Self {
        Frame::ONLY
    }
}

impl State {
    /// The state in which every cell has its initial value, as seen from an activation.
    pub fn new(frame: Frame) -> Self {
        State { values: FxHashMap::default(), frame }
    }

    /// The activation whose locals are meant.
    pub fn frame(&self) -> Frame {
        self.frame
    }

    /// Looks at the same store from another activation.
    pub fn enter(&mut self, frame: Frame) {
        self.frame = frame;
    }

    /// Forgets the locals of an activation that is over.
    pub fn drop_locals(&mut self, frame: Frame) {
        self.values.retain(|cell, _| !matches!(*cell, Cell::Local(of, _) if of == frame));
    }

    /// Whether a cell was written.
    pub fn is_written(&self, cell: Cell) -> bool {
        self.values.contains_key(&cell)
    }

    /// The cells that were written, with their terms, in a fixed order.
    pub fn written(&self) -> Vec<(Cell, Term)> {
        let mut cells: Vec<_> = self.values.iter().map(|(&cell, &term)| (cell, term)).collect();
        cells.sort_unstable();
        cells
    }
}
