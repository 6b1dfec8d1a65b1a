//! Functions as disjunctions of cubes, for reports.
//!
//! The order of a diagram's slots is the engine's business; a reader wants that of the program. The
//! paths of the diagram in another order are found without making it: fixing a slot gives the function
//! below, which is reduced again, so every branch that is followed leads to a cube.

use hardbop_base::{Budget, Stop};
use rustc_hash::FxHashMap;

use super::{Diagram, NodeId, Slot};

/// Paths to true, and whether these are all of them.
pub type SomeCubes = (Vec<Vec<(Slot, bool)>>, bool);

impl Diagram {
    /// Like [`Diagram::cubes`], but the paths of the diagram that has its slots in this order (slots that
    /// it does not list come last), and at most `limit` of them: there can be exponentially many.
    pub fn some_cubes(
        &mut self,
        node: NodeId,
        order: &[Slot],
        limit: usize,
        budget: &Budget,
    ) -> Result<SomeCubes, Stop> {
        let mut found = Vec::new();
        let mut stack = vec![(node, 0, Vec::new())];
        while let Some((node, level, path)) = stack.pop() {
            budget.check()?;
            let Some((first, ..)) = self.decision(node) else {
                match node {
                    NodeId::FALSE => continue,
                    _ if found.len() == limit => return Ok((found, false)),
                    _ => found.push(path),
                }
                continue;
            };
            let slot = order.get(level).copied().unwrap_or(first);
            let [low, high] = [false, true].map(|value| self.restrict(node, slot, value));
            if low == high {
                stack.push((node, level + 1, path));
                continue;
            }
            for (value, next) in [(true, high), (false, low)] {
                let mut longer = path.clone();
                longer.push((slot, value));
                stack.push((next, level + 1, longer));
            }
        }
        Ok((found, true))
    }

    /// The function where a slot has this value; it no longer depends on the slot.
    pub fn restrict(&mut self, node: NodeId, slot: Slot, value: bool) -> NodeId {
        self.restrict_below(node, slot, value, &mut FxHashMap::default())
    }

    fn restrict_below(
        &mut self,
        node: NodeId,
        slot: Slot,
        value: bool,
        known: &mut FxHashMap<NodeId, NodeId>,
    ) -> NodeId {
        let Some((first, low, high)) = self.decision(node) else { return node };
        if first == slot {
            return if value { high } else { low };
        }
        if let Some(&restricted) = known.get(&node) {
            return restricted;
        }
        let below = [low, high].map(|node| self.restrict_below(node, slot, value, known));
        let restricted = self.node(first, below[0], below[1]);
        known.insert(node, restricted);
        restricted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    fn slot(i: usize) -> Slot {
        Slot::Now(Id::from_usize(i))
    }

    /// The function with this truth table (bit `b` for the slots that are set in `b`), in an order.
    fn function(diagram: &mut Diagram, order: &[usize], table: u8, fixed: usize) -> NodeId {
        let Some((first, rest)) = order.split_first() else {
            return if table >> fixed & 1 == 1 { NodeId::TRUE } else { NodeId::FALSE };
        };
        let low = function(diagram, rest, table, fixed);
        let high = function(diagram, rest, table, fixed | 1 << first);
        diagram.node(slot(*first), low, high)
    }

    /// All functions of three slots, all pairs of orders.
    #[test]
    fn cubes_are_those_of_the_other_order() {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for table in 0..=u8::MAX {
            for order in &orders {
                let mut diagram = Diagram::default();
                let node = function(&mut diagram, order, table, 0);
                for other in &orders {
                    let mut expected = Diagram::default();
                    let reference = function(&mut expected, other, table, 0);
                    let budget = Budget::unlimited();
                    let cubes = diagram.some_cubes(node, &other.map(slot), 8, &budget);
                    assert_eq!(cubes, Ok((expected.cubes(reference), true)), "{table:b} {order:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn cubes_are_cut_off() {
        let mut diagram = Diagram::default();
        let parity = function(&mut diagram, &[0, 1, 2], 0b1001_0110, 0);
        let all = diagram.cubes(parity);
        let mut some = |limit| diagram.some_cubes(parity, &[], limit, &Budget::unlimited());
        assert_eq!(some(4), Ok((all.clone(), true)));
        assert_eq!(some(3), Ok((all[..3].to_vec(), false)));
    }
}
