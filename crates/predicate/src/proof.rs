//! Proofs as data: predicates, and how they are related at the cut points of a program.
//!
//! What makes such a proof right is in `certify`, which checks it. Others only build, print and read it, and need no
//! solver for that.

use hardbop_ir::{EdgeId, LocationId, ProcId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Ghost, Predicate};

/// A predicate, by its position in the list, at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// When the procedure was entered.
    Entry(usize),
    /// Now.
    Now(usize),
}

/// A relation as a decision diagram: a node tests a slot and goes to its low or high successor.
/// Nodes 0 and 1 are false and true and are not listed; node n is at position n − 2 and refers only
/// to nodes before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relation {
    /// The nodes.
    pub nodes: Vec<(Slot, usize, usize)>,
    /// Where to start.
    pub root: usize,
}

/// A proof that no error can be reached.
#[derive(Debug, Clone)]
pub struct Proof {
    /// Where the program starts.
    pub entry: ProcId,
    /// Variables that remember what others held; predicates may speak of them.
    pub ghosts: Vec<Ghost>,
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The relation of each cut point: entry and exit of procedures, and the heads of loops
    /// ([`hardbop_ir::Order`]), of the program with the ghosts. That of the exit is the summary. Points that are missing cannot be
    /// reached; relations of other locations are not looked at.
    pub relations: FxHashMap<(ProcId, LocationId), Relation>,
    /// Statements that the proof does not rely on: what they do is done, but that they can be executed is not used, and
    /// branches at them are taken at will. Any set is sound; the larger it is, the easier the triples are, and the
    /// fewer of them hold.
    pub unused: FxHashSet<(ProcId, EdgeId)>,
}

impl Relation {
    /// The relation that admits everything.
    pub fn anything() -> Self {
        Relation { nodes: Vec::new(), root: 1 }
    }

    /// Whether it plainly admits everything.
    pub fn is_anything(&self) -> bool {
        self.root == 1
    }
}
