//! One trivector per location, with join (`003…` §5–6 and §9.1).
//!
//! The value of a location is the join of what its predecessors make of theirs; the least such values
//! are found by a worklist. Procedures are handled as the paper says, "essentially in the same way as
//! assignment statements", and without contexts: the entry of a procedure joins the arguments of all
//! calls, and a call continues with the caller's locals and what is known at the callee's exit.

use std::collections::VecDeque;

use hardbop_base::Budget;
use hardbop_bp::{EdgeId, FlowStep, LocId};

use super::Halt;
use super::cube::Cube;
use super::model::Model;

/// The trivectors of all locations; none where control cannot be.
pub(super) struct Join<'a> {
    model: &'a Model<'a>,
    budget: &'a Budget,
    /// Per location.
    values: Vec<Option<Cube>>,
    queue: VecDeque<LocId>,
    queued: Vec<bool>,
    pub(super) joins: usize,
}

impl<'a> Join<'a> {
    pub(super) fn new(model: &'a Model<'a>, budget: &'a Budget) -> Self {
        let locations = model.flow.locations.len();
        Join {
            model,
            budget,
            values: vec![None; locations],
            queue: VecDeque::new(),
            queued: vec![false; locations],
            joins: 0,
        }
    }

    /// Computes the least fixpoint above the start of `main`.
    pub(super) fn run(&mut self) -> Result<(), Halt> {
        let (model, flow) = (self.model, self.model.flow);
        let entry = flow.procedures[flow.main].entry;
        model.settle(flow.main, &model.fresh(flow.main), &mut |cube| self.add(entry, &cube))?;
        while let Some(location) = self.queue.pop_front() {
            self.queued[location.index()] = false;
            self.budget.check().map_err(Halt::Stopped)?;
            for &edge in &flow.locations[location].successors {
                self.follow(edge)?;
            }
            let procedure = flow.procedure_of(location);
            if location == procedure.exit {
                for &caller in &procedure.callers {
                    self.return_to(caller)?;
                }
            }
        }
        Ok(())
    }

    fn follow(&mut self, edge: EdgeId) -> Result<(), Halt> {
        let (model, flow) = (self.model, self.model.flow);
        let Some(from) = self.values[flow.edges[edge].source.index()].clone() else { return Ok(()) };
        let FlowStep::Call(call) = &flow.edges[edge].step else {
            return model.step(edge, &from, &mut |next| self.add(flow.edges[edge].target, &next));
        };
        let entry = flow.procedures[call.callee].entry;
        model.enter(edge, call, &from, &mut |_, callee| {
            model.settle(call.callee, &callee, &mut |cube| self.add(entry, &cube))
        })?;
        self.return_to(edge)
    }

    fn return_to(&mut self, edge: EdgeId) -> Result<(), Halt> {
        let (model, flow) = (self.model, self.model.flow);
        let FlowStep::Call(call) = &flow.edges[edge].step else { return Ok(()) };
        let exit = flow.procedures[call.callee].exit;
        let (Some(caller), Some(exit)) = (self.value(flow.edges[edge].source), self.value(exit)) else {
            return Ok(());
        };
        let returned = model.leave(call, caller, exit);
        let target = flow.edges[edge].target;
        model.settle(flow.edges[edge].procedure, &returned, &mut |cube| self.add(target, &cube))
    }

    fn add(&mut self, location: LocId, cube: &Cube) -> Result<(), Halt> {
        let value = &mut self.values[location.index()];
        let joined = match value {
            Some(value) => {
                let mut joined = value.clone();
                joined.join(cube);
                joined
            }
            None => cube.clone(),
        };
        if value.as_ref() != Some(&joined) {
            *value = Some(joined);
            self.joins += 1;
            if !std::mem::replace(&mut self.queued[location.index()], true) {
                self.queue.push_back(location);
            }
        }
        Ok(())
    }

    /// The trivector of a location.
    pub(super) fn value(&self, location: LocId) -> Option<&Cube> {
        self.values[location.index()].as_ref()
    }
}
