//! Path edges in layers, so that a trace can be found backwards.
//!
//! A layer is keyed by the number of steps from the entry of the procedure ([`super::rings`]) or by the
//! time at which it was new ([`super::fixpoint`]). Either way a path edge that is not at a start follows
//! from path edges and summaries with smaller keys.

use std::collections::BTreeMap;

use hardbop_bp::Flow;

use super::space::{Bdd, BddResult, Space};

/// Sets by key.
pub(super) type ByKey = BTreeMap<usize, Bdd>;

/// All layers of a program.
pub(super) struct Layers {
    /// Path edges, by location.
    pub rings: Vec<ByKey>,
    /// Summaries in the terms of callers, by procedure.
    pub summaries: Vec<ByKey>,
    /// Entry values, by procedure. Keys are steps from the start of the program, or times.
    pub entries: Vec<ByKey>,
}

impl Layers {
    /// Nothing yet.
    pub fn new(flow: &Flow) -> Self {
        Layers {
            rings: vec![ByKey::new(); flow.locations.len()],
            summaries: vec![ByKey::new(); flow.procedures.len()],
            entries: vec![ByKey::new(); flow.procedures.len()],
        }
    }
}

/// Layers with the unions of neighbours, of neighbours of neighbours, and so on, so that the first layer
/// with some property is found without looking at all of them.
pub(super) struct Index {
    keys: Vec<usize>,
    /// The layers, then unions of two, of four, ….
    levels: Vec<Vec<Bdd>>,
}

impl Index {
    /// Makes the unions.
    pub fn new(space: &Space, layers: &ByKey) -> BddResult<Self> {
        let mut levels = vec![layers.values().cloned().collect::<Vec<_>>()];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let pairs = last.chunks(2).map(|pair| match pair {
                [a, b] => space.or(a, b),
                _ => Ok(pair[0].clone()),
            });
            let unions = pairs.collect::<BddResult<_>>()?;
            levels.push(unions);
        }
        Ok(Index { keys: layers.keys().copied().collect(), levels })
    }

    /// All layers together; nothing if there is none.
    pub fn union(&self) -> Option<&Bdd> {
        self.levels.last()?.first()
    }

    /// The first of what is found in layers below a key. A union in which `select` leaves nothing is
    /// passed over; `found` gets the key of a layer and what `select` leaves of it.
    pub fn first<T>(
        &self,
        space: &Space,
        below: usize,
        select: &dyn Fn(&Bdd) -> BddResult<Bdd>,
        found: &mut dyn FnMut(usize, &Bdd) -> BddResult<Option<T>>,
    ) -> BddResult<Option<T>> {
        let end = self.keys.partition_point(|&key| key < below);
        let mut stack = vec![(self.levels.len() - 1, 0)];
        while let Some((level, i)) = stack.pop() {
            let Some(union) = self.levels[level].get(i).filter(|_| i << level < end) else { continue };
            let states = select(union)?;
            if space.is_empty(&states) {
                continue;
            }
            if level > 0 {
                stack.extend([(level - 1, 2 * i + 1), (level - 1, 2 * i)]);
            } else if let Some(result) = found(self.keys[i], &states)? {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }
}
