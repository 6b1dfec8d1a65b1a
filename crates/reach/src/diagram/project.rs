//! What is left of a diagram when some slots do not matter: for reports, which speak of current values.
//!
//! A diagram does not know the order of its slots, only that there is one. Any order that fits all its
//! nodes will do, so one is found by sorting the slots topologically.

use std::collections::BTreeMap;

use hardbop_base::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Diagram, NodeId, Slot};

impl Diagram {
    /// Removes all slots but those kept: the new functions are true where the old ones are for some
    /// values of the removed slots. Gives a new diagram and the roots in it.
    pub fn project(
        &self,
        roots: &[NodeId],
        keep: impl Fn(Slot) -> bool,
        budget: &Budget,
    ) -> Result<(Diagram, Vec<NodeId>), Stop> {
        let mut projection = Projection {
            from: self,
            to: Diagram::default(),
            levels: self.levels(roots),
            keep,
            projected: FxHashMap::default(),
            unions: FxHashMap::default(),
            budget,
        };
        let roots = roots.iter().map(|&root| projection.project(root)).collect::<Result<_, _>>()?;
        Ok((projection.to, roots))
    }

    /// A number for each slot below some roots, ascending along every path.
    fn levels(&self, roots: &[NodeId]) -> FxHashMap<Slot, usize> {
        let mut below: BTreeMap<Slot, FxHashSet<Slot>> = BTreeMap::new();
        let mut above: BTreeMap<Slot, usize> = BTreeMap::new();
        let mut seen = FxHashSet::default();
        let mut pending = roots.to_vec();
        while let Some(node) = pending.pop() {
            let Some((slot, low, high)) = self.decision(node).filter(|_| seen.insert(node)) else { continue };
            pending.extend([low, high]);
            above.entry(slot).or_default();
            for child in [low, high] {
                if let Some((next, ..)) = self.decision(child)
                    && below.entry(slot).or_default().insert(next)
                {
                    *above.entry(next).or_default() += 1;
                }
            }
        }
        let mut ready: Vec<Slot> = above.iter().filter(|(_, n)| **n == 0).map(|(slot, _)| *slot).collect();
        let mut levels = FxHashMap::default();
        while let Some(slot) = ready.pop() {
            levels.insert(slot, levels.len());
            for next in below.get(&slot).into_iter().flatten() {
                if let Some(n) = above.get_mut(next) {
                    *n -= 1;
                    if *n == 0 {
                        ready.push(*next);
                    }
                }
            }
        }
        levels
    }
}

struct Projection<'a, K> {
    from: &'a Diagram,
    to: Diagram,
    levels: FxHashMap<Slot, usize>,
    keep: K,
    projected: FxHashMap<NodeId, NodeId>,
    unions: FxHashMap<(NodeId, NodeId), NodeId>,
    budget: &'a Budget,
}

impl<K: Fn(Slot) -> bool> Projection<'_, K> {
    fn project(&mut self, node: NodeId) -> Result<NodeId, Stop> {
        let Some((slot, low, high)) = self.from.decision(node) else { return Ok(node) };
        if let Some(&known) = self.projected.get(&node) {
            return Ok(known);
        }
        self.budget.check()?;
        let (low, high) = (self.project(low)?, self.project(high)?);
        let result = if (self.keep)(slot) { self.to.node(slot, low, high) } else { self.union(low, high)? };
        self.projected.insert(node, result);
        Ok(result)
    }

    fn union(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, Stop> {
        if a == b || b == NodeId::FALSE || a == NodeId::TRUE {
            return Ok(a);
        }
        if a == NodeId::FALSE || b == NodeId::TRUE {
            return Ok(b);
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return Ok(known);
        }
        self.budget.check()?;
        let slot = [a, b].into_iter().filter_map(|node| self.to.decision(node)).map(|(slot, ..)| slot);
        let Some(slot) = slot.min_by_key(|slot| self.levels.get(slot)) else { return Ok(a) };
        let part = |node: NodeId, value: bool| match self.to.decision(node) {
            Some((first, low, high)) if first == slot => {
                if value {
                    high
                } else {
                    low
                }
            }
            _ => node,
        };
        let parts = [false, true].map(|value| (part(a, value), part(b, value)));
        let low = self.union(parts[0].0, parts[0].1)?;
        let high = self.union(parts[1].0, parts[1].1)?;
        let result = self.to.node(slot, low, high);
        self.unions.insert(key, result);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    fn slot(i: usize) -> Slot {
        if i.is_multiple_of(2) {
            Slot::Entry(Id::from_usize(i / 2))
        } else {
            Slot::Now(Id::from_usize(i / 2))
        }
    }

    /// The function with this truth table over `count` slots, in descending order of the slots.
    fn function(diagram: &mut Diagram, count: usize, table: u64) -> NodeId {
        if count == 0 {
            return if table & 1 == 1 { NodeId::TRUE } else { NodeId::FALSE };
        }
        let half = 1 << (count - 1);
        let low = function(diagram, count - 1, table & ((1 << half) - 1));
        let high = function(diagram, count - 1, table >> half);
        diagram.node(slot(count - 1), low, high)
    }

    /// All functions of three slots, all sets of slots.
    #[test]
    fn projects_as_quantification_does() {
        for table in 0..256u64 {
            let mut diagram = Diagram::default();
            let root = function(&mut diagram, 3, table);
            for kept in 0..8usize {
                let keep = |s: Slot| (0..3).any(|i| kept >> i & 1 == 1 && slot(i) == s);
                let (projected, roots) =
                    diagram.project(&[root], keep, &Budget::unlimited()).expect("an unlimited budget");
                for bits in 0..8usize {
                    let value = |s: Slot| (0..3).any(|i| bits >> i & 1 == 1 && slot(i) == s);
                    let expected = (0..8).any(|other| other & kept == bits & kept && table >> other & 1 == 1);
                    assert_eq!(projected.eval(roots[0], value), expected, "{table:b} {kept:b} {bits:b}");
                }
            }
        }
    }
}
