//! Cycles of the constraints.
//!
//! What a driver keeps in its records goes round: from a cell through a register back to a cell. All nodes of a cycle
//! whose edges change nothing have the same facts in the end, so they become one node (Fähndrich, Foster, Su and Aiken,
//! "Partial online cycle elimination in inclusion constraint graphs", PLDI 1998). The same is true if some of the edges
//! forget positions: then each fact comes back as one about its whole object, which includes what it was before, so the
//! node that stands for all of them keeps nothing else.
//!
//! Departure: cycles are not looked for edge by edge, but all at once whenever as many facts were sent on as make
//! the search cheap in comparison.

use hardbop_base::graph;
use rustc_hash::FxHashSet;

use super::{Node, NodeId, Solver};
use crate::location::Step;

/// So many facts are sent on before cycles are looked for; those that every program has are not worth it.
pub(super) const PATIENCE: usize = 20_000;

/// Facts that are sent on for each edge until cycles are looked for again.
const SENT_PER_EDGE: usize = 4;

impl Solver<'_> {
    /// The step as far as it makes a difference between two nodes: to facts about whole objects none does.
    pub(super) fn visible(&self, from: NodeId, to: NodeId, step: Step) -> Step {
        let spreads = |node: NodeId| self.nodes[node as usize].spreads;
        if spreads(from) || spreads(to) { Step::NONE } else { step }
    }

    /// Makes one node of each cycle.
    pub(super) fn merge_cycles(&mut self) {
        let next = |node: &Node| {
            let whole =
                node.successors.iter().filter(|(_, step)| matches!(*step, Step::NONE | Step::ANYWHERE));
            whole.map(|&(to, _)| self.at(to)).collect()
        };
        let successors: Vec<Vec<usize>> = self.nodes.iter().map(next).collect();
        let is_root = |node: usize| self.roots[node] as usize == node;
        let found = graph::components(&successors, 0..self.nodes.len(), is_root);
        let cycles: Vec<Vec<usize>> = found.into_iter().filter(|component| component.len() > 1).collect();
        let parts: Vec<(NodeId, Node)> = cycles.iter().flat_map(|cycle| self.merge(cycle)).collect();
        if !cycles.is_empty() {
            for node in 0..self.roots.len() {
                self.roots[node] = self.roots[self.roots[node] as usize];
            }
            self.rename_edges();
        }
        for (root, part) in parts {
            part.facts.log.into_iter().for_each(|fact| self.add(root, fact));
            part.successors.into_iter().for_each(|(to, step)| self.connect(root, to, step));
            part.uses.into_iter().for_each(|what| self.attach(root, what));
        }
        self.sent = 0;
        // Where there are none, there may never be any.
        let patience = if cycles.is_empty() { 2 * self.patience } else { PATIENCE };
        self.patience = patience.max(SENT_PER_EDGE * self.edges.len());
    }

    /// Lets the node of a cycle with which most was done stand for all of them; what the others were remains to be added.
    fn merge(&mut self, cycle: &[usize]) -> Vec<(NodeId, Node)> {
        let members: FxHashSet<usize> = cycle.iter().copied().collect();
        let forgets = |&node: &usize| {
            let node = &self.nodes[node];
            let mut edges = node.successors.iter();
            node.spreads || edges.any(|&(to, step)| step == Step::ANYWHERE && members.contains(&self.at(to)))
        };
        let spreads = cycle.iter().any(forgets);
        let done = |&&node: &&usize| {
            let Node { done, successors, uses, .. } = &self.nodes[node];
            done * (successors.len() + uses.len())
        };
        let Some(&root) = cycle.iter().max_by_key(done) else { return Vec::new() };
        if spreads && !std::mem::replace(&mut self.nodes[root].spreads, true) {
            let facts = self.nodes[root].facts.log.clone();
            facts.into_iter().for_each(|fact| self.add(root as NodeId, fact));
        }
        let mut parts = Vec::new();
        for &node in cycle.iter().filter(|&&node| node != root) {
            self.roots[node] = root as NodeId;
            parts.push((root as NodeId, std::mem::take(&mut self.nodes[node])));
        }
        parts
    }

    /// Lets edges lead between the nodes that stand for others, each once.
    fn rename_edges(&mut self) {
        self.edges.clear();
        for node in 0..self.nodes.len() {
            let from = node as NodeId;
            for (to, step) in std::mem::take(&mut self.nodes[node].successors) {
                let to = self.roots[to as usize];
                let step = self.visible(from, to, step);
                if (to != from || step != Step::NONE) && self.edges.insert((from, to, step)) {
                    self.nodes[node].successors.push((to, step));
                }
            }
        }
    }
}
