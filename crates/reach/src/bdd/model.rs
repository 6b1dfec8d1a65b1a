//! A program as relations: how procedures are entered, left and stepped through.
//!
//! A path edge of a procedure relates the values at its entry to the values now. Variables that it
//! touches and may change have two copies, *entry* and *now*; those it only reads have one, *now*,
//! which stands for both; globals it never touches have none. Locals other than formals have no entry
//! value that matters. The first `main`, if nothing calls it, needs no entry copies at all.
//!
//! A call meets the callee's summary in terms of the caller: the callee's entry globals become the
//! caller's current values, its exit globals the next values, its formals and results pass through the
//! *entry* levels of their own places, which the summary's instance at the call quantifies before it
//! meets a relation of the caller. So a call is one more step from current to next values.

use std::cell::OnceCell;

use hardbop_bp::{Call, EdgeId, Flow, FlowStep, LocId, ProcId, VarId};
use rustc_hash::FxHashSet;

use super::frames::{Frames, mentioned, targets};
use super::liveness::Liveness;
use super::order::Layout;
use super::space::{Bdd, BddResult, Renaming, Space};
use super::transfer::{Encoder, Shift, Transfer};

/// The relations of a program, made when first asked for.
pub(super) struct Model<'a> {
    pub flow: &'a Flow,
    pub frames: &'a Frames,
    pub layout: &'a Layout,
    pub space: &'a Space<'a>,
    /// What is forgotten where. Nothing if all values matter everywhere, which includes entry values
    /// that no caller asks for.
    liveness: Option<&'a Liveness>,
    procedures: Vec<OnceCell<ProcedureModel>>,
    edges: Vec<OnceCell<EdgeModel>>,
    /// By location, the cube of what is forgotten.
    forgotten: Vec<OnceCell<Bdd>>,
}

/// What is needed to enter and leave a procedure.
pub(super) struct ProcedureModel {
    /// The variables with an entry copy.
    pub doubled: Vec<VarId>,
    /// The globals with an entry copy: those that a call may change.
    pub written: Vec<VarId>,
    /// Entry values are the current ones, and `enforce` holds.
    start: Bdd,
    enforce: Option<Bdd>,
    enforce_reads: FxHashSet<VarId>,
    /// The entry copies.
    pub entry_cube: Bdd,
    /// What the caller never sees.
    frame_cube: Bdd,
    /// From a caller's terms to entry values.
    from_caller: Renaming,
    /// From a summary to the caller's terms.
    to_caller: Renaming,
}

/// An edge as a relation.
pub(super) enum EdgeModel {
    Step(StepModel),
    Call(CallModel),
}

/// An edge within a procedure.
pub(super) struct StepModel {
    transfer: Transfer,
    enforce: Option<Bdd>,
}

/// A call.
pub(super) struct CallModel {
    pub callee: ProcId,
    /// What the call may change: written globals and targets.
    pub changed: Vec<VarId>,
    /// Formals of the callee (entry levels) take values of the arguments.
    pub args: Bdd,
    /// What of the caller's current values the callee does not see.
    hidden: Bdd,
    /// Arguments are passed and targets get the results.
    pub passing: Bdd,
    /// Formals and results of the callee.
    pub passing_cube: Bdd,
    /// Globals that the callee leaves with a value which the call overwrites.
    pub overwritten: Bdd,
    forget: Bdd,
    shift: Shift,
    enforce: Option<Bdd>,
}

impl<'a> Model<'a> {
    pub fn new(
        flow: &'a Flow,
        frames: &'a Frames,
        layout: &'a Layout,
        space: &'a Space<'a>,
        liveness: Option<&'a Liveness>,
    ) -> Self {
        let procedures = (0..flow.procedures.len()).map(|_| OnceCell::new()).collect();
        let edges = (0..flow.edges.len()).map(|_| OnceCell::new()).collect();
        let forgotten = (0..flow.locations.len()).map(|_| OnceCell::new()).collect();
        Model { flow, frames, layout, space, liveness, procedures, edges, forgotten }
    }

    pub fn encoder(&self) -> Encoder<'_> {
        Encoder { space: self.space, layout: self.layout }
    }

    /// The relations of a procedure.
    pub fn procedure(&self, id: ProcId) -> BddResult<&ProcedureModel> {
        let cell = &self.procedures[id.index()];
        match cell.get() {
            Some(model) => Ok(model),
            None => {
                let model = self.make_procedure(id)?;
                Ok(cell.get_or_init(|| model))
            }
        }
    }

    /// The relations of an edge.
    pub fn edge(&self, id: EdgeId) -> BddResult<&EdgeModel> {
        let cell = &self.edges[id.index()];
        match cell.get() {
            Some(model) => Ok(model),
            None => {
                let model = self.make_edge(id)?;
                Ok(cell.get_or_init(|| model))
            }
        }
    }

    /// The states in which `main` starts.
    pub fn initial_entries(&self) -> Bdd {
        self.space.yes()
    }

    /// The path edges at the entry of a procedure for these entry values.
    pub fn start(&self, procedure: ProcId, entries: &Bdd) -> BddResult<Bdd> {
        self.space.and(entries, &self.procedure(procedure)?.start)
    }

    /// Path edges at a location without the values that cannot matter there.
    pub fn forget_dead(&self, location: LocId, states: Bdd) -> BddResult<Bdd> {
        let dead = self.liveness.map_or(&[][..], |liveness| liveness.forgotten(location));
        if dead.is_empty() {
            return Ok(states);
        }
        let cell = &self.forgotten[location.index()];
        if cell.get().is_none() {
            let cube = self.encoder().now_cube(dead.iter().copied())?;
            cell.get_or_init(|| cube);
        }
        match cell.get() {
            Some(cube) => self.space.exists(&states, cube),
            None => Ok(states),
        }
    }

    /// Whether path edges at a location say nothing of the variable's current value.
    pub fn is_dead(&self, location: LocId, variable: VarId) -> bool {
        self.liveness.is_some_and(|liveness| liveness.is_dead(self.flow, location, variable))
    }

    /// Whether all values are kept, for all to see.
    pub fn keeps_all(&self) -> bool {
        self.liveness.is_none()
    }

    /// The entry values with which states at a call enter the callee.
    pub fn enter(&self, caller: ProcId, call: &CallModel, states: &Bdd) -> BddResult<Bdd> {
        let space = self.space;
        let states = space.exists(states, &self.procedure(caller)?.entry_cube)?;
        let passed = space.and_exists(&states, &call.args, &call.hidden)?;
        space.rename(&passed, &self.procedure(call.callee)?.from_caller)
    }

    /// The summary tuples of path edges at the exit.
    pub fn summarize(&self, procedure: ProcId, at_exit: &Bdd) -> BddResult<Bdd> {
        self.space.exists(at_exit, &self.procedure(procedure)?.frame_cube)
    }

    /// A summary in the terms of callers.
    pub fn for_callers(&self, procedure: ProcId, summary: &Bdd) -> BddResult<Bdd> {
        self.space.rename(summary, &self.procedure(procedure)?.to_caller)
    }

    /// A summary in the terms of callers as the relation of one call, from current to next values.
    pub fn instance(&self, call: &CallModel, summary: &Bdd) -> BddResult<Bdd> {
        let summary = self.space.exists(summary, &call.overwritten)?;
        self.space.and_exists(&summary, &call.passing, &call.passing_cube)
    }

    /// The states after an edge that is no call.
    pub fn step(&self, step: &StepModel, states: &Bdd) -> BddResult<Bdd> {
        let after = step.transfer.apply(self.space, states)?;
        self.enforced(after, step.enforce.as_ref())
    }

    /// The states after a call by an instance of the callee's summary.
    pub fn back(&self, call: &CallModel, states: &Bdd, instance: &Bdd) -> BddResult<Bdd> {
        let after = self.space.and_exists(states, instance, &call.forget)?;
        let after = call.shift.apply(self.space, &after)?;
        self.enforced(after, call.enforce.as_ref())
    }

    fn enforced(&self, states: Bdd, enforce: Option<&Bdd>) -> BddResult<Bdd> {
        match enforce {
            Some(enforce) => self.space.and(&states, enforce),
            None => Ok(states),
        }
    }

    fn make_procedure(&self, id: ProcId) -> BddResult<ProcedureModel> {
        let (flow, layout, space) = (self.flow, self.layout, self.space);
        let procedure = &flow.procedures[id];
        let encoder = self.encoder();
        let enforce = procedure.enforce.as_ref().map(|e| encoder.current(e)).transpose()?;
        let enforce = enforce.map(|values| values.yes);
        let mut enforce_reads = FxHashSet::default();
        if let Some(e) = &procedure.enforce {
            mentioned(e, &mut |variable| {
                enforce_reads.insert(variable);
            });
        }
        let has_entries = self.liveness.is_none() || !procedure.callers.is_empty();
        let (mut written, mut doubled_formals, mut kept_formals) = (Vec::new(), Vec::new(), Vec::new());
        if has_entries {
            written.extend(self.frames.touched(flow, id).filter(|&g| self.frames.writes(flow, id, g)));
            (doubled_formals, kept_formals) =
                procedure.formals().iter().partition(|formal| self.frames.assigns(**formal));
        }
        let doubled: Vec<VarId> = written.iter().chain(&doubled_formals).copied().collect();
        let start = encoder.all_equal(doubled.iter().map(|&v| (layout.entry(v), layout.now(v))))?;
        let start = self.enforced(start, enforce.as_ref())?;
        let inner = &procedure.locals[..procedure.locals.len() - procedure.result_count];
        let frame = inner.iter().filter(|local| !kept_formals.contains(local)).copied();
        let from_caller = written.iter().map(|&g| (layout.now(g), layout.entry(g)));
        let from_caller = from_caller.chain(kept_formals.iter().map(|&f| (layout.entry(f), layout.now(f))));
        let to_caller = written
            .iter()
            .flat_map(|&g| [(layout.entry(g), layout.now(g)), (layout.now(g), layout.next(g))])
            .chain(kept_formals.iter().chain(procedure.results()).map(|&f| (layout.now(f), layout.entry(f))));
        Ok(ProcedureModel {
            start,
            enforce,
            enforce_reads,
            entry_cube: space.cube(doubled.iter().map(|&v| layout.entry(v)))?,
            frame_cube: encoder.now_cube(frame)?,
            from_caller: space.renaming(&from_caller.collect::<Vec<_>>()),
            to_caller: space.renaming(&to_caller.collect::<Vec<_>>()),
            doubled,
            written,
        })
    }

    fn make_edge(&self, id: EdgeId) -> BddResult<EdgeModel> {
        let edge = &self.flow.edges[id];
        let encoder = self.encoder();
        let transfer = match &edge.step {
            FlowStep::Call(call) => return self.make_call(edge.procedure, call).map(EdgeModel::Call),
            FlowStep::Skip => Transfer::Skip,
            FlowStep::Assume(e) => Transfer::Guard(encoder.current(e)?.yes),
            FlowStep::Assign(assign) => Transfer::assign(encoder, assign)?,
        };
        let enforce = self.enforce_after(edge.procedure, &targets(edge))?;
        Ok(EdgeModel::Step(StepModel { transfer, enforce }))
    }

    /// The `enforce` of a procedure, if a change of these variables can break it.
    fn enforce_after(&self, procedure: ProcId, changed: &[VarId]) -> BddResult<Option<Bdd>> {
        let model = self.procedure(procedure)?;
        let matters = changed.iter().any(|variable| model.enforce_reads.contains(variable));
        Ok(if matters { model.enforce.clone() } else { None })
    }

    fn make_call(&self, caller: ProcId, call: &Call) -> BddResult<CallModel> {
        let (flow, layout, space) = (self.flow, self.layout, self.space);
        let encoder = self.encoder();
        let callee = &flow.procedures[call.callee];
        let written = &self.procedure(call.callee)?.written;
        let mut args = space.yes();
        for (formal, arg) in callee.formals().iter().zip(&call.args) {
            let passed = encoder.takes(layout.entry(*formal), &encoder.current(arg)?)?;
            args = space.and(&args, &passed)?;
        }
        let results = callee.results().iter().zip(&call.targets);
        let results = results.filter_map(|(result, target)| Some((*result, (*target)?)));
        let received = results.map(|(result, target)| (layout.entry(result), layout.next(target)));
        let received = encoder.all_equal(received)?;
        let targets: Vec<VarId> = call.targets.iter().flatten().copied().collect();
        let overwritten = targets.iter().filter(|target| written.contains(target));
        let untargeted = written.iter().filter(|global| !targets.contains(global));
        let changed: Vec<VarId> = targets.iter().chain(untargeted).copied().collect();
        let unseen = self.frames.touched(flow, caller);
        let unseen = unseen.filter(|&global| !self.frames.touches(flow, call.callee, global));
        let hidden = encoder.now_cube(unseen.chain(flow.procedures[caller].locals.iter().copied()))?;
        let through = callee.formals().iter().chain(callee.results());
        Ok(CallModel {
            callee: call.callee,
            passing: space.and(&args, &received)?,
            passing_cube: space.cube(through.map(|&variable| layout.entry(variable)))?,
            args,
            hidden,
            overwritten: space.cube(overwritten.map(|&target| layout.next(target)))?,
            forget: encoder.now_cube(changed.iter().copied())?,
            shift: Shift::new(encoder, &changed)?,
            enforce: self.enforce_after(caller, &changed)?,
            changed,
        })
    }
}
