//! Context-free-language reachability over the exploded graph (`000…` §3), by tabulation.
//!
//! The algorithm is that of Reps, Horwitz and Sagiv, which the paper names: it works forward from
//! `main` and keeps *path edges*, each from the entry of a procedure in some *context* (the values of
//! globals and formals there) to a state at a location of the same procedure. A call enters a context;
//! the path edges from the context to the exit are its summaries, and they serve every caller. The
//! matching of calls and returns that the paper's grammar expresses, with the caller's locals in the
//! terminals, is the list of callers of a context.
//!
//! Beyond the paper: traces are shortest. The distance of a path edge is the fewest steps from the
//! start of the program, and path edges are taken in order of distance, as in Dijkstra's algorithm. A
//! step adds one; a call adds one; a return into a caller adds two to the distance of the call plus
//! the length of the summary, which is the distance of the exit minus that of its context. A context
//! is entered first by the caller that is nearest to it, and a summary is known before any return that
//! uses it is due, so no distance is ever corrected after its path edge has been taken. Distances can
//! be exponential in the size of the program; they saturate.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hardbop_base::Budget;
use hardbop_bp::{Call, EdgeId, FlowStep, LocId, ProcId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Halt;
use super::cube::Cube;
use super::model::{Model, slot};
use super::split::Split;

/// Everything found out, and what is still to be looked at.
pub(super) struct Tabulation<'a> {
    model: &'a Model<'a>,
    budget: &'a Budget,
    /// How many path edges, contexts and callers there may be.
    limit: usize,
    size: usize,
    states: States,
    pub(super) contexts: Vec<Context>,
    context_ids: FxHashMap<(ProcId, StateId), ContextId>,
    pub(super) path_edges: Vec<PathEdge>,
    path_edge_ids: FxHashMap<(ContextId, LocId, StateId), PathEdgeId>,
    queue: BinaryHeap<Reverse<(u64, PathEdgeId)>>,
}

pub(super) type ContextId = u32;
pub(super) type PathEdgeId = u32;
pub(super) type StateId = u32;

/// The values with which a procedure is entered; its locals may have any.
pub(super) struct Context {
    pub(super) entry: StateId,
    /// The fewest steps to enter it.
    distance: u64,
    /// The call that entered it first; nothing at the start of the program.
    pub(super) entered: Option<(PathEdgeId, EdgeId)>,
    callers: Vec<Caller>,
    exits: Vec<PathEdgeId>,
}

#[derive(Clone, Copy)]
struct Caller {
    path_edge: PathEdgeId,
    edge: EdgeId,
    /// The part of the caller's state that enters this context.
    state: StateId,
}

/// From the entry of a procedure to a location of it.
pub(super) struct PathEdge {
    pub(super) context: ContextId,
    pub(super) location: LocId,
    pub(super) state: StateId,
    pub(super) parent: Parent,
    pub(super) distance: u64,
    taken: bool,
}

/// The last step of a shortest way to a path edge.
#[derive(Clone, Copy)]
pub(super) enum Parent {
    /// It is at the entry.
    Entry,
    /// A step within the procedure.
    Step { from: PathEdgeId, edge: EdgeId },
    /// A return from a call.
    Return { caller: PathEdgeId, edge: EdgeId, exit: PathEdgeId },
}

impl<'a> Tabulation<'a> {
    pub(super) fn new(model: &'a Model<'a>, limit: usize, budget: &'a Budget) -> Self {
        Tabulation {
            model,
            budget,
            limit,
            size: 0,
            states: States::default(),
            contexts: Vec::new(),
            context_ids: FxHashMap::default(),
            path_edges: Vec::new(),
            path_edge_ids: FxHashMap::default(),
            queue: BinaryHeap::new(),
        }
    }

    /// Starts at the entry of `main`: in one context, or, so that the entry values are remembered, in
    /// one context per valuation of globals and formals.
    pub(super) fn start(&mut self, remember_entry: bool) -> Result<(), Halt> {
        let flow = self.model.flow;
        let formals = flow.procedures[flow.main].formals();
        let mut slots: Vec<usize> = flow.globals.iter().chain(formals).map(|&v| slot(flow, v)).collect();
        if !remember_entry {
            slots.clear();
        }
        for context in Split::new(self.model.fresh(flow.main), &[], &slots, self.budget) {
            self.enter(flow.main, context?, 0, None)?;
        }
        Ok(())
    }

    /// Takes path edges until none is left or one reaches a goal and it may `stop_at_goal`; the first
    /// such path edge is nearest.
    pub(super) fn run(&mut self, goals: &[LocId], stop_at_goal: bool) -> Result<Option<PathEdgeId>, Halt> {
        let goals: FxHashSet<LocId> = goals.iter().copied().collect();
        let mut reached = None;
        while let Some(Reverse((distance, id))) = self.queue.pop() {
            let path_edge = &mut self.path_edges[id as usize];
            if path_edge.taken || path_edge.distance < distance {
                continue;
            }
            path_edge.taken = true;
            self.budget.check().map_err(Halt::Stopped)?;
            if reached.is_none() && goals.contains(&path_edge.location) {
                reached = Some(id);
                if stop_at_goal {
                    return Ok(reached);
                }
            }
            self.take(id)?;
        }
        Ok(reached)
    }

    fn take(&mut self, id: PathEdgeId) -> Result<(), Halt> {
        let (model, flow) = (self.model, self.model.flow);
        let PathEdge { context, location, state, distance, .. } = self.path_edges[id as usize];
        let from = self.states.cube(state).clone();
        for &edge in &flow.locations[location].successors {
            if let FlowStep::Call(call) = &flow.edges[edge].step {
                model.enter(edge, call, &from, &mut |caller, callee| {
                    let state = self.states.intern(caller);
                    let caller = Caller { path_edge: id, edge, state };
                    let entered = (distance.saturating_add(1), Some((id, edge)));
                    let context = self.enter(call.callee, callee, entered.0, entered.1)?;
                    self.add_caller(context, caller, call)
                })?;
            } else {
                let target = flow.edges[edge].target;
                model.step(edge, &from, &mut |next| {
                    let parent = Parent::Step { from: id, edge };
                    self.reach(context, target, next, distance.saturating_add(1), parent)
                })?;
            }
        }
        if location == flow.procedure_of(location).exit {
            self.add_exit(context, id)?;
        }
        Ok(())
    }

    /// The context of these entry values, with path edges to its entry.
    fn enter(
        &mut self,
        procedure: ProcId,
        entry: Cube,
        distance: u64,
        entered: Option<(PathEdgeId, EdgeId)>,
    ) -> Result<ContextId, Halt> {
        let state = self.states.intern(entry.clone());
        if let Some(&known) = self.context_ids.get(&(procedure, state)) {
            return Ok(known);
        }
        self.grow()?;
        let id = self.contexts.len() as ContextId;
        let (callers, exits) = (Vec::new(), Vec::new());
        self.contexts.push(Context { entry: state, distance, entered, callers, exits });
        self.context_ids.insert((procedure, state), id);
        let location = self.model.flow.procedures[procedure].entry;
        let model = self.model;
        model.settle(procedure, &entry, &mut |state| {
            self.reach(id, location, state, distance, Parent::Entry)
        })?;
        Ok(id)
    }

    fn add_caller(&mut self, context: ContextId, caller: Caller, call: &Call) -> Result<(), Halt> {
        self.grow()?;
        self.contexts[context as usize].callers.push(caller);
        for i in 0..self.contexts[context as usize].exits.len() {
            let exit = self.contexts[context as usize].exits[i];
            self.return_to(context, caller, call, exit)?;
        }
        Ok(())
    }

    fn add_exit(&mut self, context: ContextId, exit: PathEdgeId) -> Result<(), Halt> {
        let flow = self.model.flow;
        self.contexts[context as usize].exits.push(exit);
        for i in 0..self.contexts[context as usize].callers.len() {
            let caller = self.contexts[context as usize].callers[i];
            if let FlowStep::Call(call) = &flow.edges[caller.edge].step {
                self.return_to(context, caller, call, exit)?;
            }
        }
        Ok(())
    }

    /// Goes from a call to its return by a summary.
    fn return_to(
        &mut self,
        context: ContextId,
        caller: Caller,
        call: &Call,
        exit: PathEdgeId,
    ) -> Result<(), Halt> {
        self.budget.check().map_err(Halt::Stopped)?;
        let (model, edge) = (self.model, &self.model.flow.edges[caller.edge]);
        let exit_edge = &self.path_edges[exit as usize];
        let length = exit_edge.distance.saturating_sub(self.contexts[context as usize].distance);
        let call_edge = &self.path_edges[caller.path_edge as usize];
        let (into, distance) =
            (call_edge.context, call_edge.distance.saturating_add(length).saturating_add(2));
        let parent = Parent::Return { caller: caller.path_edge, edge: caller.edge, exit };
        let returned = model.leave(call, self.states.cube(caller.state), self.states.cube(exit_edge.state));
        model.settle(edge.procedure, &returned, &mut |state| {
            self.reach(into, edge.target, state, distance, parent)
        })
    }

    /// Adds a path edge, or shortens the way to it.
    fn reach(
        &mut self,
        context: ContextId,
        location: LocId,
        state: Cube,
        distance: u64,
        parent: Parent,
    ) -> Result<(), Halt> {
        let state = self.states.intern(state);
        let key = (context, location, state);
        let id = match self.path_edge_ids.get(&key) {
            Some(&known) => {
                let path_edge = &mut self.path_edges[known as usize];
                if path_edge.taken || path_edge.distance <= distance {
                    return Ok(());
                }
                (path_edge.distance, path_edge.parent) = (distance, parent);
                known
            }
            None => {
                self.grow()?;
                let new = self.path_edges.len() as PathEdgeId;
                self.path_edges.push(PathEdge { context, location, state, parent, distance, taken: false });
                self.path_edge_ids.insert(key, new);
                new
            }
        };
        self.queue.push(Reverse((distance, id)));
        Ok(())
    }

    /// Counts what takes memory; the limit also keeps all ids within 32 bits.
    fn grow(&mut self) -> Result<(), Halt> {
        self.size += 1;
        if self.size > self.limit.min(u32::MAX as usize / 2) { Err(Halt::Limit) } else { Ok(()) }
    }

    /// The values of a state.
    pub(super) fn cube(&self, state: StateId) -> &Cube {
        self.states.cube(state)
    }

    /// How many different valuations were seen.
    pub(super) fn state_count(&self) -> usize {
        self.states.cubes.len()
    }

    /// How many path edges lead from entry to exit.
    pub(super) fn summary_count(&self) -> usize {
        self.contexts.iter().map(|context| context.exits.len()).sum()
    }
}

/// All cubes seen, each once. Cubes of different procedures may share an entry.
#[derive(Default)]
struct States {
    cubes: Vec<Cube>,
    ids: FxHashMap<Cube, StateId>,
}

impl States {
    fn intern(&mut self, cube: Cube) -> StateId {
        if let Some(&id) = self.ids.get(&cube) {
            return id;
        }
        // Each path edge, context and caller interns one cube, so their limit holds here too.
        let id = self.cubes.len() as StateId;
        self.ids.insert(cube.clone(), id);
        self.cubes.push(cube);
        id
    }

    fn cube(&self, id: StateId) -> &Cube {
        &self.cubes[id as usize]
    }
}
