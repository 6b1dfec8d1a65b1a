//! The fixpoint as plain data.
//!
//! Variables that a procedure never changes have one copy while computing; here they get their entry
//! values back, and results, which are `F` until the exit, their values everywhere.

use hardbop_bp::{ProcId, VarId, VarKind};
use oxidd::VarNo;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fixpoint::Fixpoint;
use super::model::Model;
use super::space::{Bdd, BddResult};
use crate::{Diagram, Invariant, NodeId, Slot};

/// The reachable states, from a fixpoint that kept all path edges over all globals.
pub(super) fn export(model: &Model, fixpoint: &Fixpoint) -> BddResult<Invariant> {
    let mut invariant = Invariant::default();
    for &procedure in &model.frames.bottom_up {
        let mut exporter = Exporter::new(model, procedure)?;
        for &location in &model.flow.procedures[procedure].locations {
            let states = &fixpoint.reached[location.index()];
            if !model.space.is_empty(states) {
                let is_exit = location == model.flow.procedures[procedure].exit;
                let states = exporter.complete(states, is_exit)?;
                let node = exporter.node(&mut invariant.diagram, &states)?;
                invariant.locations.insert(location, node);
            }
        }
        let summary = &fixpoint.summaries[procedure.index()];
        if !model.space.is_empty(summary) {
            let summary = exporter.complete(summary, true)?;
            let summary = model.space.exists(&summary, &exporter.formals)?;
            let node = exporter.node(&mut invariant.diagram, &summary)?;
            invariant.summaries.insert(procedure, node);
        }
    }
    Ok(invariant)
}

struct Exporter<'a> {
    model: &'a Model<'a>,
    slots: FxHashMap<VarNo, Slot>,
    /// Entry values of the variables that have one copy.
    unchanged: Bdd,
    /// Results are false.
    no_results: Bdd,
    /// The current values of formals.
    formals: Bdd,
    done: FxHashMap<Bdd, NodeId>,
}

impl<'a> Exporter<'a> {
    fn new(model: &'a Model<'a>, procedure: ProcId) -> BddResult<Self> {
        let (flow, layout) = (model.flow, model.layout);
        let doubled: FxHashSet<VarId> = model.procedure(procedure)?.doubled.iter().copied().collect();
        let has_entry = |v: VarId| matches!(flow.variables[v].kind, VarKind::Global | VarKind::Formal);
        let single = flow.scope(procedure).filter(|v| has_entry(*v) && !doubled.contains(v));
        let mut slots = FxHashMap::default();
        for variable in flow.scope(procedure) {
            slots.insert(layout.now(variable), Slot::Now(variable));
            if has_entry(variable) {
                slots.insert(layout.entry(variable), Slot::Entry(variable));
            }
        }
        let data = &flow.procedures[procedure];
        Ok(Exporter {
            model,
            slots,
            unchanged: model.encoder().all_equal(single.map(|v| (layout.entry(v), layout.now(v))))?,
            no_results: model.space.literals(data.results().iter().map(|&v| (layout.now(v), false)))?,
            formals: model.encoder().now_cube(data.formals().iter().copied())?,
            done: FxHashMap::default(),
        })
    }

    fn complete(&self, states: &Bdd, is_exit: bool) -> BddResult<Bdd> {
        let states = self.model.space.and(states, &self.unchanged)?;
        if is_exit { Ok(states) } else { self.model.space.and(&states, &self.no_results) }
    }

    fn node(&mut self, diagram: &mut Diagram, f: &Bdd) -> BddResult<NodeId> {
        let Some((level, low, high)) = self.model.space.decision(f) else {
            return Ok(if self.model.space.is_empty(f) { NodeId::FALSE } else { NodeId::TRUE });
        };
        if let Some(&node) = self.done.get(f) {
            return Ok(node);
        }
        let (low, high) = (self.node(diagram, &low)?, self.node(diagram, &high)?);
        // Relations mention nothing but what is in scope.
        let node = match self.slots.get(&level) {
            Some(&slot) => diagram.node(slot, low, high),
            None => low,
        };
        self.done.insert(f.clone(), node);
        Ok(node)
    }
}
