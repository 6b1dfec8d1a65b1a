//! The exploded graph, made on demand: the arcs of a boolean program between cubes of values.
//!
//! A *relation* is the step of one edge, compiled: which slots get new values, and the guards on old
//! and new values. What a relation does to a cube is up to a [`Domain`]; everything else, the
//! bookkeeping of calls and returns (`000…` Table 2), is the same for all of them and is done here.

use hardbop_bp::{Call, EdgeId, Expr, Flow, FlowStep, LocId, ProcId, VarId, VarKind};

use super::Halt;
use super::cube::{Cube, Value};
use super::formula::Formula;

/// Where a domain puts the cubes that it finds.
pub(super) type Emit<'a> = dyn FnMut(Cube) -> Result<(), Halt> + 'a;

/// A value semantics: what a relation does to a cube.
pub(super) trait Domain {
    /// The pairs of old and new values that the relation makes of `from`: its slots, refined or not,
    /// followed by one slot per update.
    fn pairs(&self, relation: &Relation, from: &Cube, emit: &mut Emit<'_>) -> Result<(), Halt>;
}

/// A step as a relation between a cube and the values it assigns.
#[derive(Debug)]
pub(super) struct Relation {
    /// The number of slots of the old values.
    width: usize,
    /// The assigned slots (for a call, slots of the callee), each with its value. The new value of
    /// the update `i` is in slot `width + i`.
    pub(super) updates: Vec<(usize, Formula)>,
    /// Must be possible of old and new values: the `enforce` before the step, the condition, the
    /// `constrain`, the `enforce` after the step.
    pub(super) guards: Vec<Formula>,
    /// All slots, of old values and new.
    pub(super) slots: Vec<usize>,
    /// The slots of old values to focus on.
    pub(super) focus: Vec<usize>,
    /// The slots of old and new values to focus on.
    pub(super) pair_focus: Vec<usize>,
}

impl Relation {
    fn new(width: usize, updates: Vec<(usize, Formula)>, guards: Vec<Formula>) -> Self {
        let slots = (0..width + updates.len()).collect();
        Relation { width, updates, guards, slots, focus: Vec::new(), pair_focus: Vec::new() }
    }

    /// Focuses on the slots chosen; an update belongs to its target if that is a slot of this cube.
    fn focused(mut self, chosen: &[bool], own_targets: bool) -> Self {
        self.focus = (0..self.width).filter(|&slot| chosen[slot]).collect();
        self.pair_focus = self.focus.clone();
        for (i, (target, _)) in self.updates.iter().enumerate() {
            if own_targets && chosen[*target] {
                self.pair_focus.push(self.width + i);
            }
        }
        self
    }

    /// The old values and the value of each update by the function.
    pub(super) fn pair(
        &self,
        from: &Cube,
        mut value: impl FnMut(&Formula) -> Result<Value, Halt>,
    ) -> Result<Cube, Halt> {
        let mut pair = from.resized(self.width + self.updates.len());
        for (i, (_, formula)) in self.updates.iter().enumerate() {
            pair.set(self.width + i, value(formula)?);
        }
        Ok(pair)
    }

    fn assign(&self, pair: &Cube, to: &mut Cube) {
        for (i, (target, _)) in self.updates.iter().enumerate() {
            to.set(*target, pair.get(self.width + i));
        }
    }
}

/// A program with its edges compiled, under a value semantics.
pub(super) struct Model<'a> {
    pub(super) flow: &'a Flow,
    domain: &'a dyn Domain,
    /// Per edge.
    relations: Vec<Relation>,
    /// Per procedure: `enforce`, as a relation that assigns nothing.
    enforced: Vec<Relation>,
}

impl<'a> Model<'a> {
    /// Compiles a program; `focus` says which variables to focus on.
    pub(super) fn new(flow: &'a Flow, domain: &'a dyn Domain, focus: impl Fn(VarId) -> bool) -> Self {
        let chosen: Vec<Vec<bool>> =
            flow.procedures.ids().map(|procedure| flow.scope(procedure).map(&focus).collect()).collect();
        let enforced = flow.procedures.ids().map(|procedure| {
            let relation = Relation::new(width(flow, procedure), Vec::new(), enforce(flow, procedure));
            relation.focused(&chosen[procedure.index()], true)
        });
        let enforced = enforced.collect();
        let relations = flow.edges.values().map(|edge| {
            let own_targets = !matches!(edge.step, FlowStep::Call(_));
            relation(flow, edge.procedure, &edge.step).focused(&chosen[edge.procedure.index()], own_targets)
        });
        let relations = relations.collect();
        Model { flow, domain, relations, enforced }
    }

    /// What is known where runs start: nothing, but that results are `F`.
    pub(super) fn fresh(&self, procedure: ProcId) -> Cube {
        let mut cube = Cube::new(width(self.flow, procedure), Value::BOTH);
        for &result in self.flow.procedures[procedure].results() {
            cube.set(slot(self.flow, result), Value::FALSE);
        }
        cube
    }

    /// The states of a cube at a location of the procedure, as the domain sees them.
    pub(super) fn settle(&self, procedure: ProcId, cube: &Cube, emit: &mut Emit<'_>) -> Result<(), Halt> {
        self.domain.pairs(&self.enforced[procedure.index()], cube, emit)
    }

    /// The successors by an edge that is not a call.
    pub(super) fn step(&self, edge: EdgeId, from: &Cube, emit: &mut Emit<'_>) -> Result<(), Halt> {
        let relation = &self.relations[edge.index()];
        self.domain.pairs(relation, from, &mut |pair| {
            let mut next = pair.resized(relation.width);
            relation.assign(&pair, &mut next);
            emit(next)
        })
    }

    /// The contexts that a call enters, each with the caller's values that go with it.
    pub(super) fn enter(
        &self,
        edge: EdgeId,
        call: &Call,
        from: &Cube,
        emit: &mut dyn FnMut(Cube, Cube) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let relation = &self.relations[edge.index()];
        self.domain.pairs(relation, from, &mut |pair| {
            let mut callee = self.fresh(call.callee);
            (0..self.flow.globals.len()).for_each(|global| callee.set(global, pair.get(global)));
            relation.assign(&pair, &mut callee);
            emit(pair.resized(relation.width), callee)
        })
    }

    /// The caller's values after a return; [`Model::settle`] is still to be applied.
    pub(super) fn leave(&self, call: &Call, caller: &Cube, exit: &Cube) -> Cube {
        let mut next = caller.clone();
        (0..self.flow.globals.len()).for_each(|global| next.set(global, exit.get(global)));
        for (target, &result) in call.targets.iter().zip(self.flow.procedures[call.callee].results()) {
            if let Some(target) = target {
                next.set(slot(self.flow, *target), exit.get(slot(self.flow, result)));
            }
        }
        next
    }

    /// `enforce` at a location, as a formula over its cube.
    pub(super) fn enforced_at(&self, location: LocId) -> &[Formula] {
        &self.enforced[self.flow.locations[location].procedure.index()].guards
    }
}

/// The number of slots of a procedure's cubes.
pub(super) fn width(flow: &Flow, procedure: ProcId) -> usize {
    flow.globals.len() + flow.procedures[procedure].locals.len()
}

/// The slot of a variable in the cubes of a procedure that sees it.
pub(super) fn slot(flow: &Flow, variable: VarId) -> usize {
    let variable = &flow.variables[variable];
    match variable.kind {
        VarKind::Global => variable.slot,
        _ => flow.globals.len() + variable.slot,
    }
}

fn enforce(flow: &Flow, procedure: ProcId) -> Vec<Formula> {
    let clause = flow.procedures[procedure].enforce.as_ref();
    clause.map(|e| current(flow, e)).into_iter().collect()
}

/// A formula over old values.
fn current(flow: &Flow, e: &Expr) -> Formula {
    Formula::new(e, &|variable| slot(flow, variable), &|variable| slot(flow, variable))
}

fn relation(flow: &Flow, procedure: ProcId, step: &FlowStep) -> Relation {
    let width = width(flow, procedure);
    let mut guards = enforce(flow, procedure);
    let mut updates = Vec::new();
    match step {
        FlowStep::Skip => {}
        FlowStep::Assume(e) => guards.push(current(flow, e)),
        FlowStep::Assign(assign) => {
            for (variable, value) in &assign.updates {
                updates.push((slot(flow, *variable), current(flow, value)));
            }
            let now = |variable| slot(flow, variable);
            let next = |variable| {
                let own = slot(flow, variable);
                let update = updates.iter().position(|(target, _)| *target == own);
                update.map_or(own, |i| width + i)
            };
            guards.extend(assign.constrain.as_ref().map(|e| Formula::new(e, &now, &next)));
            let after = flow.procedures[procedure].enforce.as_ref();
            guards.extend(after.map(|e| Formula::new(e, &next, &next)));
        }
        FlowStep::Call(call) => {
            for (formal, value) in flow.procedures[call.callee].formals().iter().zip(&call.args) {
                updates.push((slot(flow, *formal), current(flow, value)));
            }
        }
    }
    Relation::new(width, updates, guards)
}
