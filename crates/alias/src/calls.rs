//! The call graph: which procedures each call can reach, which procedures can run at all, and which can be
//! active more than once at a time.

use hardbop_base::graph;
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

    /// Whether a call goes through a pointer that may come from outside of the program. Functions that are not part of it
    /// are then [one](Program::outside) of the callees.
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

/// The strongly connected components of a graph, successors first; each in order.
fn components(next: &[Vec<ProcId>]) -> Vec<Vec<ProcId>> {
    let successors: Vec<Vec<usize>> =
        next.iter().map(|next| next.iter().map(|p| p.index()).collect()).collect();
    let found = graph::components(&successors, 0..next.len(), |_| true).into_iter().map(|mut component| {
        component.sort_unstable();
        component.into_iter().map(ProcId::from_usize).collect()
    });
    found.collect()
}
