//! In which order the locations of a procedure are executed, so that all ways to a location have
//! arrived when it is its turn.
//!
//! A weak topological order: strongly connected components in topological order; within one, its head
//! first, then the rest without the edges back to the head, in the same manner. An edge against the
//! order leads to the head of a component that contains its source: it starts the next iteration.

use std::rc::Rc;

use hardbop_base::graph::components;
use rustc_hash::FxHashMap;

use crate::{EdgeId, LocationId, ProcId, Procedure, Program};

/// The locations of a procedure in order.
#[derive(Debug)]
pub struct Order {
    /// For each location, the edges that leave it.
    out: Vec<Vec<EdgeId>>,
    /// For each location, its position; nothing for those that cannot be reached.
    position: Vec<u32>,
    /// For each location, the positions of the heads of the loops around it, the outermost first.
    loops: Vec<Vec<u32>>,
    entry: LocationId,
    exit: LocationId,
}

/// A location in some iteration of each loop around it. Keys are executed in ascending order.
pub type Key = Vec<u32>;

impl Order {
    /// Orders the locations of a procedure.
    pub fn of(procedure: &Procedure) -> Order {
        let count = procedure.locations.len();
        let mut out = vec![Vec::new(); count];
        let mut successors = vec![Vec::new(); count];
        for (edge, e) in procedure.edges.iter() {
            out[e.source.index()].push(edge);
            successors[e.source.index()].push(e.target.index());
        }
        let (position, loops) = (vec![u32::MAX; count], vec![Vec::new(); count]);
        let mut order = Order { out, position, loops, entry: procedure.entry, exit: procedure.exit };
        let all: Vec<usize> = (0..count).collect();
        order.arrange(&successors, &[procedure.entry.index()], &all, &[], &mut 0);
        order
    }

    /// Orders those members of a part that the starts lead to.
    fn arrange(
        &mut self,
        successors: &[Vec<usize>],
        starts: &[usize],
        members: &[usize],
        around: &[u32],
        next: &mut u32,
    ) {
        let mut inside = vec![false; successors.len()];
        members.iter().for_each(|&member| inside[member] = true);
        for component in components(successors, starts.iter().copied(), |node| inside[node]).into_iter().rev()
        {
            let Some((&head, rest)) = component.split_first() else { continue };
            self.position[head] = *next;
            let mut around = around.to_vec();
            if !rest.is_empty() || successors[head].contains(&head) {
                around.push(*next);
            }
            *next += 1;
            self.loops[head].clone_from(&around);
            self.arrange(successors, &successors[head], rest, &around, next);
        }
    }

    /// The key of a location that is reached for the first time.
    pub fn first(&self, location: LocationId) -> Key {
        self.with_iterations(location, |_| 0)
    }

    /// The key of the target of an edge that is taken at `key`.
    pub fn next(&self, source: LocationId, key: &[u32], target: LocationId) -> Key {
        let shared = self.shared(source, target);
        let again = self.position[target.index()] <= self.position[source.index()];
        let depth = self.loops[target.index()].len();
        self.with_iterations(target, |level| match level < shared {
            // Back to a head: its loop is the innermost one around it.
            true => key[2 * level + 1] + u32::from(again && level + 1 == depth),
            false => 0,
        })
    }

    /// How many loops both locations are in.
    pub fn shared(&self, a: LocationId, b: LocationId) -> usize {
        let (a, b) = (&self.loops[a.index()], &self.loops[b.index()]);
        a.iter().zip(b).take_while(|(a, b)| a == b).count()
    }

    /// How many loops a location is in.
    pub fn depth(&self, location: LocationId) -> usize {
        self.loops[location.index()].len()
    }

    /// Whether a location is in the loop of a head.
    pub fn is_in_loop(&self, location: LocationId, head: LocationId) -> bool {
        self.shared(location, head) == self.depth(head)
    }

    /// Whether an edge enters a loop elsewhere than at its head.
    pub fn enters_beside_head(&self, source: LocationId, target: LocationId) -> bool {
        let entered = self.depth(target) - self.shared(source, target);
        entered > usize::from(self.is_head(target))
    }

    /// The edges that leave a location.
    pub fn leaving(&self, location: LocationId) -> &[EdgeId] {
        &self.out[location.index()]
    }

    /// The position of a location; all that cannot be reached have the same, beyond the others.
    pub fn position(&self, location: LocationId) -> u32 {
        self.position[location.index()]
    }

    /// Whether a location is entry, exit or the head of a loop: every cycle has one of these.
    pub fn is_cut(&self, location: LocationId) -> bool {
        location == self.entry || location == self.exit || self.is_head(location)
    }

    /// Entry, exit and the heads of loops.
    pub fn cuts(&self) -> Vec<LocationId> {
        (0..self.out.len()).map(LocationId::from_usize).filter(|&location| self.is_cut(location)).collect()
    }

    /// Whether a location is the head of a loop.
    pub fn is_head(&self, location: LocationId) -> bool {
        self.loops[location.index()].last() == Some(&self.position[location.index()])
    }

    fn with_iterations(&self, location: LocationId, iteration: impl Fn(usize) -> u32) -> Key {
        let mut key = Vec::new();
        for (level, &head) in self.loops[location.index()].iter().enumerate() {
            key.extend([head, iteration(level)]);
        }
        key.push(self.position[location.index()]);
        key
    }
}

/// The orders of procedures, each made when it is first needed.
#[derive(Debug, Default)]
pub struct Orders(FxHashMap<ProcId, Rc<Order>>);

impl Orders {
    /// The order of a procedure.
    pub fn of(&mut self, program: &Program, procedure: ProcId) -> Rc<Order> {
        let make = || Rc::new(Order::of(&program.procedures[procedure]));
        Rc::clone(self.0.entry(procedure).or_insert_with(make))
    }
}
