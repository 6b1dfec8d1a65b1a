//! Blocks of a program and the order in which their function terms are taken up.
//!
//! A block starts where paths meet or come back, and at labels if asked; it ends where the next ones
//! start, so it is a tree of edges rather than the paper's sequence of statements. Branches are part of
//! it, and so are calls: the block goes on in the inlined callee.
//!
//! Within a procedure, locations are numbered so that every edge leads forward, except those that come
//! back within a strongly connected component. The components are numbered in topological order.

use hardbop_bp::flow::Procedure;
use hardbop_bp::{Flow, FlowStep, LocId, ProcId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Blocks;

/// The place of a location within its procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Place {
    /// The strongly connected component.
    pub component: u32,
    /// The rank in reverse postorder.
    pub rank: u32,
}

impl Place {
    /// Whether an edge from here to there comes back.
    pub fn retreats_to(self, target: Place) -> bool {
        self.component == target.component && target.rank <= self.rank
    }
}

/// Places and block starts of all locations.
#[derive(Debug)]
pub(super) struct Order {
    places: Vec<Place>,
    starts: Vec<bool>,
}

impl Order {
    pub fn new(flow: &Flow, blocks: Blocks) -> Self {
        let mut order = Order {
            places: vec![Place::default(); flow.locations.len()],
            starts: vec![false; flow.locations.len()],
        };
        for (id, procedure) in flow.procedures.iter() {
            let ranked = reverse_postorder(flow, procedure.entry);
            order.number(flow, &ranked);
            order.mark_starts(flow, id, procedure, &ranked, blocks);
        }
        order
    }

    pub fn place(&self, location: LocId) -> Place {
        self.places[location.index()]
    }

    /// Whether a block starts at the location.
    pub fn starts_block(&self, location: LocId) -> bool {
        self.starts[location.index()]
    }

    /// How many blocks there are once all calls are inlined, if that number can be written down.
    pub fn count_inlined(&self, flow: &Flow, bottom_up: &[ProcId]) -> Option<u64> {
        let mut copies = vec![0u64; flow.procedures.len()];
        copies[flow.main.index()] = 1;
        let mut total = 0u64;
        for &id in bottom_up.iter().rev() {
            let procedure = &flow.procedures[id];
            let starts = procedure.locations.iter().filter(|l| self.starts_block(**l)).count() as u64;
            let here = copies[id.index()];
            total = total.checked_add(here.checked_mul(starts)?)?;
            for &edge in &procedure.edges {
                if let FlowStep::Call(call) = &flow.edges[edge].step {
                    let callee = &mut copies[call.callee.index()];
                    *callee = callee.checked_add(here)?;
                }
            }
        }
        Some(total)
    }

    /// Numbers ranks and, by a second search against the edges, components.
    fn number(&mut self, flow: &Flow, ranked: &[LocId]) {
        let mut component_of = FxHashMap::default();
        for (rank, &location) in ranked.iter().enumerate() {
            self.places[location.index()].rank = rank as u32;
            component_of.insert(location, None);
        }
        let mut components = 0;
        for &root in ranked {
            if component_of[&root].is_some() {
                continue;
            }
            let mut stack = vec![root];
            while let Some(location) = stack.pop() {
                // Locations that cannot be reached are not in the table.
                if let Some(component @ None) = component_of.get_mut(&location) {
                    *component = Some(components);
                    self.places[location.index()].component = components;
                    let sources = &flow.locations[location].predecessors;
                    stack.extend(sources.iter().map(|edge| flow.edges[*edge].source));
                }
            }
            components += 1;
        }
    }

    fn mark_starts(
        &mut self,
        flow: &Flow,
        id: ProcId,
        procedure: &Procedure,
        ranked: &[LocId],
        blocks: Blocks,
    ) {
        for &location in ranked {
            let here = self.place(location);
            let (mut paths, mut retreat) = (0, false);
            for &edge in &flow.locations[location].predecessors {
                let source = flow.edges[edge].source;
                // A location that cannot be reached was given no place of its own.
                let known = ranked.get(self.place(source).rank as usize) == Some(&source);
                paths += usize::from(known);
                retreat |= known && self.place(source).retreats_to(here);
            }
            let labelled = blocks == Blocks::Labels && !flow.locations[location].labels.is_empty();
            let main = id == flow.main && location == procedure.entry;
            self.starts[location.index()] = paths > 1 || retreat || labelled || main;
        }
    }
}

/// The locations that can be reached from the entry, each before those it leads forward to.
fn reverse_postorder(flow: &Flow, entry: LocId) -> Vec<LocId> {
    let mut seen = FxHashSet::default();
    let mut finished = Vec::new();
    let mut stack = vec![(entry, 0)];
    seen.insert(entry);
    while let Some((location, next)) = stack.last_mut() {
        // Later edges first, so that ranks follow the text.
        let successors = &flow.locations[*location].successors;
        match successors.len().checked_sub(*next + 1).map(|i| successors[i]) {
            Some(edge) => {
                *next += 1;
                let target = flow.edges[edge].target;
                if seen.insert(target) {
                    stack.push((target, 0));
                }
            }
            None => {
                finished.push(*location);
                stack.pop();
            }
        }
    }
    finished.reverse();
    finished
}
