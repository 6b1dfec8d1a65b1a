//! All that can be reached: the least fixpoint of path edges and summaries.
//!
//! This is the algorithm of Bebop (`000…` §3, after Reps, Horwitz and Sagiv): path edges start where a
//! procedure is entered, steps extend them, a path edge at an exit becomes a summary, and summaries
//! carry path edges of callers over their calls. Where it departs from the textbook:
//!
//! - only what is new at a location moves on;
//! - locations wait in an order that finishes callees before callers and loop bodies before what comes
//!   after the loop, so that summaries are complete, up to recursion, when callers use them;
//! - path edges are kept only where they are needed again: at joins, entries and calls (and everywhere,
//!   if the invariant is asked for). Along a chain the relation just moves;
//! - values that cannot matter any more are forgotten ([`super::liveness`]), unless they are to be shown.
//!
//! Traces of the fewest steps need [`super::rings`]. Some trace comes cheaper: if what is new is recorded
//! with the time of its arrival, everything but the start follows from something earlier.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hardbop_bp::{EdgeId, Flow, FlowStep, LocId};

use super::frames::Frames;
use super::layers::{ByKey, Layers};
use super::model::{EdgeModel, Model};
use super::space::{Bdd, BddResult};

/// The path edges and summaries of a program, as far as computed.
pub(super) struct Fixpoint<'a> {
    model: &'a Model<'a>,
    ranks: &'a Ranks,
    /// Path edges per location, where kept.
    pub reached: Vec<Bdd>,
    /// Path edges per location that have not moved on.
    pending: Vec<Bdd>,
    /// Entry values per procedure.
    pub entries: Vec<Bdd>,
    /// Summaries per procedure.
    pub summaries: Vec<Bdd>,
    /// Per call, the relation that the callee's summary gives it; nothing before the first.
    instances: Vec<Option<Bdd>>,
    waiting: BinaryHeap<Reverse<usize>>,
    goals: Vec<bool>,
    /// What was new when; only if asked for.
    record: Option<Layers>,
    time: usize,
    /// How often a location's path edges moved on.
    pub moves: usize,
}

impl<'a> Fixpoint<'a> {
    /// Nothing reached yet.
    pub fn new(model: &'a Model<'a>, ranks: &'a Ranks, goals: &[LocId]) -> Self {
        let flow = model.flow;
        let no = model.space.no();
        let mut is_goal = vec![false; flow.locations.len()];
        goals.iter().for_each(|goal| is_goal[goal.index()] = true);
        Fixpoint {
            model,
            ranks,
            reached: vec![no.clone(); flow.locations.len()],
            pending: vec![no.clone(); flow.locations.len()],
            entries: vec![no.clone(); flow.procedures.len()],
            summaries: vec![no; flow.procedures.len()],
            instances: vec![None; flow.edges.len()],
            waiting: BinaryHeap::new(),
            goals: is_goal,
            record: None,
            time: 0,
            moves: 0,
        }
    }

    /// The same, and records what is new when.
    pub fn recording(model: &'a Model<'a>, ranks: &'a Ranks, goals: &[LocId]) -> Self {
        Fixpoint { record: Some(Layers::new(model.flow)), ..Fixpoint::new(model, ranks, goals) }
    }

    /// What was recorded.
    pub fn into_record(self) -> Option<Layers> {
        self.record
    }

    /// Computes until nothing is new or, unless `complete`, a goal is reached; whether one is.
    pub fn run(&mut self, complete: bool) -> BddResult<bool> {
        let main = self.model.flow.main;
        let mut found = false;
        let entries = self.model.initial_entries();
        self.entries[main.index()] = entries.clone();
        self.note(|layers| &mut layers.entries[main.index()], &entries);
        let start = self.model.start(main, &entries)?;
        self.arrive(self.model.flow.procedures[main].entry, start, &mut found)?;
        while let Some(Reverse(rank)) = self.waiting.pop() {
            if found && !complete {
                break;
            }
            self.model.space.poll()?;
            self.moves += 1;
            self.move_on(self.ranks.order[rank], &mut found)?;
        }
        Ok(found)
    }

    /// Path edges come to a location.
    fn arrive(&mut self, location: LocId, states: Bdd, found: &mut bool) -> BddResult<()> {
        let space = self.model.space;
        let at = location.index();
        let states = self.model.forget_dead(location, states)?;
        let new = if self.keeps(location) {
            let new = space.minus(&states, &self.reached[at])?;
            if !space.is_empty(&new) {
                self.reached[at] = space.or(&self.reached[at], &new)?;
            }
            new
        } else {
            states
        };
        if space.is_empty(&new) {
            return Ok(());
        }
        *found |= self.goals[at];
        self.note(|layers| &mut layers.rings[at], &new);
        if space.is_empty(&self.pending[at]) {
            self.waiting.push(Reverse(self.ranks.rank[at]));
            self.pending[at] = new;
        } else {
            self.pending[at] = space.or(&self.pending[at], &new)?;
        }
        Ok(())
    }

    /// Records something new, if asked to.
    fn note(&mut self, part: impl FnOnce(&mut Layers) -> &mut ByKey, new: &Bdd) {
        if let Some(layers) = &mut self.record {
            part(layers).insert(self.time, new.clone());
            self.time += 1;
        }
    }

    fn keeps(&self, location: LocId) -> bool {
        self.model.keeps_all() || self.record.is_some() || self.ranks.kept[location.index()]
    }

    /// What is new at a location takes all its steps.
    fn move_on(&mut self, location: LocId, found: &mut bool) -> BddResult<()> {
        let flow = self.model.flow;
        let states = std::mem::replace(&mut self.pending[location.index()], self.model.space.no());
        for &edge in &flow.locations[location].successors {
            match self.model.edge(edge)? {
                EdgeModel::Step(step) => {
                    let after = self.model.step(step, &states)?;
                    self.arrive(flow.edges[edge].target, after, found)?;
                }
                EdgeModel::Call(_) => self.call(edge, &states, found)?,
            }
        }
        if flow.procedure_of(location).exit == location {
            self.leave(location, &states, found)?;
        }
        Ok(())
    }

    /// New states at a call enter the callee and pass it where its summary is known.
    fn call(&mut self, edge: EdgeId, states: &Bdd, found: &mut bool) -> BddResult<()> {
        let (model, space) = (self.model, self.model.space);
        let EdgeModel::Call(call) = model.edge(edge)? else { return Ok(()) };
        let callee = call.callee.index();
        let flow = model.flow;
        let entries = model.enter(flow.edges[edge].procedure, call, states)?;
        let new = space.minus(&entries, &self.entries[callee])?;
        if !space.is_empty(&new) {
            self.entries[callee] = space.or(&self.entries[callee], &new)?;
            self.note(|layers| &mut layers.entries[callee], &new);
            let start = model.start(call.callee, &new)?;
            self.arrive(flow.procedures[call.callee].entry, start, found)?;
        }
        if space.is_empty(&self.summaries[callee]) {
            return Ok(());
        }
        if self.instances[edge.index()].is_none() {
            let summary = model.for_callers(call.callee, &self.summaries[callee])?;
            self.instances[edge.index()] = Some(model.instance(call, &summary)?);
        }
        let Some(instance) = &self.instances[edge.index()] else { return Ok(()) };
        let after = model.back(call, states, instance)?;
        self.arrive(flow.edges[edge].target, after, found)
    }

    /// New states at an exit extend the summary and carry all callers on.
    fn leave(&mut self, exit: LocId, states: &Bdd, found: &mut bool) -> BddResult<()> {
        let (model, space) = (self.model, self.model.space);
        let flow = model.flow;
        let procedure = flow.locations[exit].procedure;
        let at = procedure.index();
        let summary = model.summarize(procedure, states)?;
        let new = space.minus(&summary, &self.summaries[at])?;
        if space.is_empty(&new) {
            return Ok(());
        }
        self.summaries[at] = space.or(&self.summaries[at], &new)?;
        let new = model.for_callers(procedure, &new)?;
        self.note(|layers| &mut layers.summaries[at], &new);
        for &edge in &flow.procedures[procedure].callers {
            let source = &self.reached[flow.edges[edge].source.index()];
            if space.is_empty(source) {
                continue;
            }
            let EdgeModel::Call(call) = model.edge(edge)? else { continue };
            let instance = model.instance(call, &new)?;
            let after = model.back(call, source, &instance)?;
            // A call that was not taken since the summary exists makes its instance when it is.
            if let Some(known) = &mut self.instances[edge.index()] {
                *known = space.or(known, &instance)?;
            }
            self.arrive(flow.edges[edge].target, after, found)?;
        }
        Ok(())
    }
}

/// The order in which locations move on, and where path edges are kept.
pub(super) struct Ranks {
    order: Vec<LocId>,
    rank: Vec<usize>,
    kept: Vec<bool>,
}

impl Ranks {
    pub fn new(flow: &Flow, frames: &Frames) -> Self {
        let mut ranks = Ranks {
            order: Vec::new(),
            rank: vec![0; flow.locations.len()],
            kept: vec![false; flow.locations.len()],
        };
        let mut seen = vec![false; flow.locations.len()];
        for &id in &frames.bottom_up {
            let procedure = &flow.procedures[id];
            let first = ranks.order.len();
            postorder(flow, procedure.entry, &mut seen, &mut ranks.order);
            ranks.order[first..].reverse();
            for &location in &procedure.locations {
                let location_data = &flow.locations[location];
                let calls = |edge: &EdgeId| matches!(flow.edges[*edge].step, FlowStep::Call(_));
                ranks.kept[location.index()] = location == procedure.entry
                    || location_data.predecessors.len() > 1
                    || location_data.successors.iter().any(calls);
            }
        }
        for (rank, location) in ranks.order.iter().enumerate() {
            ranks.rank[location.index()] = rank;
        }
        ranks
    }

    /// The number of locations that control may come to.
    pub fn len(&self) -> usize {
        self.order.len()
    }
}

/// Locations after all that follow them, but for loops.
fn postorder(flow: &Flow, entry: LocId, seen: &mut [bool], order: &mut Vec<LocId>) {
    seen[entry.index()] = true;
    let mut stack = vec![(entry, flow.locations[entry].successors.clone())];
    while let Some((location, successors)) = stack.last_mut() {
        // The last successor of a loop head leaves the loop; visited first, it comes last.
        match successors.pop() {
            None => {
                order.push(*location);
                stack.pop();
            }
            Some(edge) => {
                let target = flow.edges[edge].target;
                if !std::mem::replace(&mut seen[target.index()], true) {
                    stack.push((target, flow.locations[target].successors.clone()));
                }
            }
        }
    }
}
