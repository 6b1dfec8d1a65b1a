//! A decision diagram as plain data: engines return it as their result, and nothing is computed with it.
//!
//! Ordered and reduced: equal functions over one diagram have equal nodes.

mod cubes;
mod project;

use hardbop_bp::VarId;
use rustc_hash::FxHashMap;

/// A value that a relation speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// A variable when the procedure was entered.
    Entry(VarId),
    /// A variable now.
    Now(VarId),
}

/// A function of a [`Diagram`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The function that is false everywhere.
    pub const FALSE: NodeId = NodeId(0);
    /// The function that is true everywhere.
    pub const TRUE: NodeId = NodeId(1);
}

/// A table of decision nodes.
#[derive(Debug, Clone, Default)]
pub struct Diagram {
    nodes: Vec<(Slot, NodeId, NodeId)>,
    ids: FxHashMap<(Slot, NodeId, NodeId), NodeId>,
}

impl Diagram {
    /// The function that is `low` where the slot is false and `high` where it is true. Callers keep
    /// one order of slots throughout a diagram.
    pub fn node(&mut self, slot: Slot, low: NodeId, high: NodeId) -> NodeId {
        if low == high {
            return low;
        }
        let next = NodeId(u32::try_from(self.nodes.len() + 2).unwrap_or(u32::MAX));
        let id = *self.ids.entry((slot, low, high)).or_insert(next);
        if id == next {
            self.nodes.push((slot, low, high));
        }
        id
    }

    /// The decision of a node that is not a constant.
    pub fn decision(&self, node: NodeId) -> Option<(Slot, NodeId, NodeId)> {
        self.nodes.get((node.0 as usize).checked_sub(2)?).copied()
    }

    /// The value of a function.
    pub fn eval(&self, mut node: NodeId, value: impl Fn(Slot) -> bool) -> bool {
        while let Some((slot, low, high)) = self.decision(node) {
            node = if value(slot) { high } else { low };
        }
        node == NodeId::TRUE
    }

    /// The paths to true: each a conjunction of slots with their values, together the function.
    pub fn cubes(&self, node: NodeId) -> Vec<Vec<(Slot, bool)>> {
        let mut found = Vec::new();
        let mut stack = vec![(node, Vec::new())];
        while let Some((node, path)) = stack.pop() {
            match self.decision(node) {
                Some((slot, low, high)) => {
                    for (value, next) in [(true, high), (false, low)] {
                        let mut longer = path.clone();
                        longer.push((slot, value));
                        stack.push((next, longer));
                    }
                }
                None if node == NodeId::TRUE => found.push(path),
                None => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    #[test]
    fn equal_functions_are_equal_nodes() {
        let (a, b) = (Slot::Now(Id::from_usize(0)), Slot::Now(Id::from_usize(1)));
        let mut d = Diagram::default();
        let x = d.node(b, NodeId::FALSE, NodeId::TRUE);
        let both = d.node(a, NodeId::FALSE, x);
        assert_eq!(d.node(a, NodeId::FALSE, x), both);
        assert_eq!(d.node(a, x, x), x);
        assert!(d.eval(both, |_| true));
        assert!(!d.eval(both, |slot| slot == a));
        assert_eq!(d.cubes(both), [vec![(a, true), (b, true)]]);
    }
}
