//! The call graph: which procedures each call can reach, which procedures can run at all, and which can be
//! active more than once at a time.

use hardbop_ir::{EdgeId, ProcId, Program};
use rustc_hash::FxHashMap;

/// Who calls whom.
#[derive(Debug, Clone)]
pub struct CallGraph {
    callees: FxHashMap<(ProcId, EdgeId), Vec<ProcId>>,
    /// Calls through pointers that may be the address of something outside of the program.
    unknown: Vec<(ProcId, EdgeId)>,
    /// The procedures that calls through pointers can find but do not fit.
    misfits: FxHashMap<(ProcId, EdgeId), Vec<ProcId>>,
    callers: Vec<Vec<(ProcId, EdgeId)>>,
    reached: Vec<bool>,
    components: Vec<Vec<ProcId>>,
    component: Vec<usize>,
    recursive: Vec<bool>,
}

impl CallGraph {
    pub(crate) fn new(program: &Program) -> Self {
        let count = program.procedures.len();
        CallGraph {
            callees: FxHashMap::default(),
            unknown: Vec::new(),
            misfits: FxHashMap::default(),
            callers: vec![Vec::new(); count],
            reached: vec![false; count],
            components: Vec::new(),
            component: vec![usize::MAX; count],
            recursive: vec![false; count],
        }
    }

    /// Notes that a procedure can run; whether that is new.
    pub(crate) fn reach(&mut self, procedure: ProcId) -> bool {
        !std::mem::replace(&mut self.reached[procedure.index()], true)
    }

    /// Notes that a call can reach a procedure; whether that is new.
    pub(crate) fn add(&mut self, procedure: ProcId, edge: EdgeId, target: ProcId) -> bool {
        let known = self.callees.entry((procedure, edge)).or_default();
        let new = !known.contains(&target);
        if new {
            known.push(target);
        }
        new
    }

    pub(crate) fn add_unknown(&mut self, procedure: ProcId, edge: EdgeId) {
        if !self.unknown.contains(&(procedure, edge)) {
            self.unknown.push((procedure, edge));
        }
    }

    /// Notes that a call can find a procedure that it does not fit.
    pub(crate) fn add_misfit(&mut self, procedure: ProcId, edge: EdgeId, target: ProcId) {
        let known = self.misfits.entry((procedure, edge)).or_default();
        if !known.contains(&target) {
            known.push(target);
        }
    }

    /// Sorts everything, once all calls are known.
    pub(crate) fn finish(&mut self, program: &Program) {
        self.callees.values_mut().for_each(|targets| targets.sort_unstable());
        let mut calls: Vec<_> = self.callees.iter().collect();
        calls.sort_unstable();
        let mut next: Vec<Vec<ProcId>> = vec![Vec::new(); program.procedures.len()];
        for (&(procedure, edge), targets) in calls {
            for &target in targets {
                self.callers[target.index()].push((procedure, edge));
                next[procedure.index()].push(target);
            }
        }
        self.unknown.sort_unstable();
        self.misfits.values_mut().for_each(|targets| targets.sort_unstable());
        self.components = components(&next);
        for (number, component) in self.components.iter().enumerate() {
            for &procedure in component {
                self.component[procedure.index()] = number;
                self.recursive[procedure.index()] =
                    component.len() > 1 || next[procedure.index()].contains(&procedure);
            }
        }
    }

    /// The procedures that a call can reach, in order; none if it always ends the run, or is no call. What it
    /// does not fit is replaced by the [misfit](Program::misfit).
    pub fn callees(&self, procedure: ProcId, edge: EdgeId) -> &[ProcId] {
        self.callees.get(&(procedure, edge)).map_or(&[], Vec::as_slice)
    }

    /// Whether a call goes through a pointer that may be arbitrary. Calling anything but a procedure of the
    /// program ends the run.
    pub fn may_call_unknown(&self, procedure: ProcId, edge: EdgeId) -> bool {
        self.unknown.binary_search(&(procedure, edge)).is_ok()
    }

    /// The procedures that a call through a pointer can find but does not fit, in order. If there are any, the
    /// [misfit](Program::misfit) is among the callees and stands for all of them.
    pub fn misfits(&self, procedure: ProcId, edge: EdgeId) -> &[ProcId] {
        self.misfits.get(&(procedure, edge)).map_or(&[], Vec::as_slice)
    }

    /// The calls that can reach a procedure, in order.
    pub fn callers(&self, procedure: ProcId) -> &[(ProcId, EdgeId)] {
        &self.callers[procedure.index()]
    }

    /// Whether a procedure with a body can run at all.
    pub fn is_reached(&self, procedure: ProcId) -> bool {
        self.reached[procedure.index()]
    }

    /// The strongly connected components, callees before callers.
    pub fn components(&self) -> &[Vec<ProcId>] {
        &self.components
    }

    /// The number of the component that a procedure belongs to.
    pub fn component(&self, procedure: ProcId) -> usize {
        self.component[procedure.index()]
    }

    /// Whether more than one activation of a procedure can exist at a time.
    pub fn is_recursive(&self, procedure: ProcId) -> bool {
        self.recursive[procedure.index()]
    }
}

/// The strongly connected components of a graph, successors first (Tarjan 1972, without recursion).
fn components(next: &[Vec<ProcId>]) -> Vec<Vec<ProcId>> {
    const NEW: usize = usize::MAX;
    let mut number = vec![NEW; next.len()];
    let mut low = vec![0; next.len()];
    let mut on_stack = vec![false; next.len()];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..next.len() {
        if number[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some(&mut (node, ref mut at)) = path.last_mut() {
            if number[node] == NEW {
                (number[node], low[node], on_stack[node]) = (count, count, true);
                stack.push(node);
                count += 1;
            }
            if let Some(successor) = next[node].get(*at).map(|p| p.index()) {
                *at += 1;
                if number[successor] == NEW {
                    path.push((successor, 0));
                } else if on_stack[successor] {
                    low[node] = low[node].min(number[successor]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == number[node] {
                let first = stack.iter().rposition(|&n| n == node).unwrap_or(0);
                let mut component: Vec<ProcId> = stack.drain(first..).map(ProcId::from_usize).collect();
                component.iter().for_each(|p| on_stack[p.index()] = false);
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found
}
