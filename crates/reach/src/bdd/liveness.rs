//! Which values can no longer matter at a location.
//!
//! A value that every continuation overwrites before reading it can be forgotten, which keeps path edges
//! small; Bebop does so too. This is the textbook backward analysis, per procedure, with calls reading
//! the globals that the callee touches. It serves the fixpoint only: traces and invariants show all
//! values.
//!
//! What may be forgotten is the *current* value of a variable. A variable with a single copy in a
//! procedure that others call stands for its entry value as well and stays.

use hardbop_bp::{EdgeId, Flow, LocId, ProcId, Step, VarId, VarKind};
use rustc_hash::FxHashMap;

use super::frames::{Bits, Frames, expressions, mentioned, targets};

/// For every location, the variables to forget there.
pub(super) struct Liveness {
    forgotten: Vec<Vec<VarId>>,
}

impl Liveness {
    /// Analyses the procedures that can be called.
    pub fn new(flow: &Flow, frames: &Frames) -> Self {
        let mut forgotten = vec![Vec::new(); flow.locations.len()];
        for &procedure in &frames.bottom_up {
            Analysis::new(flow, frames, procedure).run(&mut forgotten);
        }
        Liveness { forgotten }
    }

    /// The variables whose current values are forgotten at a location.
    pub fn forgotten(&self, location: LocId) -> &[VarId] {
        &self.forgotten[location.index()]
    }
}

/// The analysis of one procedure; variables are numbered from 0.
struct Analysis<'a> {
    flow: &'a Flow,
    frames: &'a Frames,
    id: ProcId,
    scope: Vec<VarId>,
    numbers: FxHashMap<VarId, usize>,
    /// Live from here on, by location.
    live: FxHashMap<LocId, Bits>,
    /// Live everywhere: what `enforce` reads.
    always: Bits,
}

impl<'a> Analysis<'a> {
    fn new(flow: &'a Flow, frames: &'a Frames, id: ProcId) -> Self {
        let procedure = &flow.procedures[id];
        let scope: Vec<VarId> = frames.touched(flow, id).chain(procedure.locals.iter().copied()).collect();
        let numbers = scope.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let empty = Bits::new(scope.len());
        let mut analysis =
            Analysis { flow, frames, id, scope, numbers, live: FxHashMap::default(), always: empty };
        if let Some(enforce) = &procedure.enforce {
            let mut always = Bits::new(analysis.scope.len());
            mentioned(enforce, &mut |v| analysis.mark(&mut always, v));
            analysis.always = always;
        }
        analysis
    }

    fn mark(&self, set: &mut Bits, variable: VarId) {
        if let Some(&number) = self.numbers.get(&variable) {
            set.add(number);
        }
    }

    fn run(mut self, forgotten: &mut [Vec<VarId>]) {
        let procedure = &self.flow.procedures[self.id];
        let is_called = !procedure.callers.is_empty();
        let mut at_exit = self.always.clone();
        let seen_by_caller =
            |v: VarId| matches!(self.flow.variables[v].kind, VarKind::Global | VarKind::Result);
        for (i, _) in self.scope.iter().enumerate().filter(|(_, v)| is_called && seen_by_caller(**v)) {
            at_exit.add(i);
        }
        self.live.insert(procedure.exit, at_exit);
        // Later locations mostly have later numbers, so few rounds are needed.
        let mut waiting: Vec<LocId> = procedure.locations.clone();
        let mut is_waiting: FxHashMap<LocId, bool> = waiting.iter().map(|&l| (l, true)).collect();
        while let Some(location) = waiting.pop() {
            is_waiting.insert(location, false);
            let mut live = self.live.get(&location).unwrap_or(&self.always).clone();
            for &edge in &self.flow.locations[location].successors {
                live.add_all(&self.before(edge));
            }
            if self.live.get(&location) != Some(&live) {
                self.live.insert(location, live);
                for &edge in &self.flow.locations[location].predecessors {
                    let source = self.flow.edges[edge].source;
                    if is_waiting.insert(source, true) == Some(false) {
                        waiting.push(source);
                    }
                }
            }
        }
        for &location in &procedure.locations {
            forgotten[location.index()] = self.forgotten(location);
        }
    }

    /// What is live before an edge.
    fn before(&self, edge: EdgeId) -> Bits {
        let edge = &self.flow.edges[edge];
        let mut live = self.live.get(&edge.target).unwrap_or(&self.always).clone();
        for target in targets(edge) {
            if let Some(&number) = self.numbers.get(&target) {
                live.remove(number);
            }
        }
        live.add_all(&self.always);
        for e in expressions(edge) {
            // The next value of an assigned variable is not its current one, but may count as such.
            mentioned(e, &mut |v| self.mark(&mut live, v));
        }
        if let Step::Call(call) = &edge.step {
            for global in self.frames.touched(self.flow, call.callee) {
                self.mark(&mut live, global);
            }
        }
        live
    }

    /// What dies on some edge into a location.
    fn forgotten(&self, location: LocId) -> Vec<VarId> {
        let procedure = &self.flow.procedures[self.id];
        let Some(live) = self.live.get(&location) else { return Vec::new() };
        let mut present = Bits::new(self.scope.len());
        for &edge in &self.flow.locations[location].predecessors {
            let edge = &self.flow.edges[edge];
            if let Some(before) = self.live.get(&edge.source) {
                present.add_all(before);
            }
            targets(edge).into_iter().for_each(|v| self.mark(&mut present, v));
        }
        let at_entry = location == procedure.entry;
        let is_dead = |i: usize| !live.has(i) && (at_entry || present.has(i));
        let dead = self.scope.iter().enumerate().filter(|(i, _)| is_dead(*i)).map(|(_, &v)| v);
        dead.filter(|&v| self.has_own_copy(v)).collect()
    }

    /// Whether the current value is no more than that.
    fn has_own_copy(&self, variable: VarId) -> bool {
        let procedure = &self.flow.procedures[self.id];
        procedure.callers.is_empty()
            || match self.flow.variables[variable].kind {
                VarKind::Global => self.frames.writes(self.flow, self.id, variable),
                VarKind::Formal => self.frames.assigns(variable),
                VarKind::Local | VarKind::Result => true,
            }
    }
}
