//! What matters at a location: the variables that become arguments, and whether the goal lies ahead.
//!
//! The paper passes all variables in scope. Here those are left out, if asked, whose value can no
//! longer have an effect (a backward analysis over the procedures as they stand, calls and returns
//! joined from all sides), and locations from which control cannot get to a goal count as correct.
//! Both only make more terms equal. A variable that is assigned but not needed does not make the
//! variables of the assigned expression needed.

use hardbop_bp::{Assign, EdgeId, Expr, Flow, FlowStep, Goal, LocId, VarId};
use rustc_hash::FxHashSet;

/// The answers for all locations.
#[derive(Debug)]
pub(super) struct Relevance {
    sliced: bool,
    goals: Vec<bool>,
    ahead: Vec<bool>,
    needed: Vec<FxHashSet<VarId>>,
    globals: Vec<Vec<VarId>>,
    locals: Vec<Vec<VarId>>,
}

impl Relevance {
    pub fn new(flow: &Flow, goal: &Goal, sliced: bool) -> Self {
        let mut goals = vec![false; flow.locations.len()];
        let goal_locations = flow.goal_locations(goal);
        goal_locations.iter().for_each(|location| goals[location.index()] = true);
        let mut relevance = Relevance {
            sliced,
            goals,
            ahead: vec![!sliced; flow.locations.len()],
            needed: vec![FxHashSet::default(); flow.locations.len()],
            globals: Vec::new(),
            locals: Vec::new(),
        };
        if sliced {
            relevance.look_ahead(flow, goal_locations);
            relevance.find_needed(flow);
        }
        for location in flow.locations.ids() {
            let procedure = &flow.procedures[flow.locations[location].procedure];
            let needed = |v: &&VarId| relevance.is_needed(location, **v);
            let globals = flow.globals.iter().filter(needed).copied().collect();
            let locals = procedure.locals.iter().filter(needed).copied().collect();
            relevance.globals.push(globals);
            relevance.locals.push(locals);
        }
        relevance
    }

    pub fn is_goal(&self, location: LocId) -> bool {
        self.goals[location.index()]
    }

    /// Whether control may get from the location to a goal.
    pub fn goal_ahead(&self, location: LocId) -> bool {
        self.ahead[location.index()]
    }

    /// Whether the value that a variable has at the location may matter.
    pub fn is_needed(&self, location: LocId, variable: VarId) -> bool {
        !self.sliced || self.needed[location.index()].contains(&variable)
    }

    /// The globals that are arguments at the location.
    pub fn globals(&self, location: LocId) -> &[VarId] {
        &self.globals[location.index()]
    }

    /// The locals that are arguments at the location.
    pub fn locals(&self, location: LocId) -> &[VarId] {
        &self.locals[location.index()]
    }

    /// The locals of the caller that a call must give back: those needed after it that it does not
    /// assign.
    pub fn kept(&self, flow: &Flow, edge: EdgeId) -> impl Iterator<Item = VarId> + Clone {
        let edge = &flow.edges[edge];
        let targets: &[Option<VarId>] = match &edge.step {
            FlowStep::Call(call) => &call.targets,
            _ => &[],
        };
        self.locals(edge.target).iter().copied().filter(|local| !targets.contains(&Some(*local)))
    }

    fn look_ahead(&mut self, flow: &Flow, mut work: Vec<LocId>) {
        while let Some(location) = work.pop() {
            if !std::mem::replace(&mut self.ahead[location.index()], true) {
                work.extend(dependents(flow, location));
            }
        }
    }

    fn find_needed(&mut self, flow: &Flow) {
        let mut work: Vec<LocId> = flow.locations.ids().collect();
        let mut waiting = vec![true; flow.locations.len()];
        while let Some(location) = work.pop() {
            waiting[location.index()] = false;
            let needed = self.needed_at(flow, location);
            if needed.len() > self.needed[location.index()].len() {
                self.needed[location.index()] = needed;
                for dependent in dependents(flow, location) {
                    if !std::mem::replace(&mut waiting[dependent.index()], true) {
                        work.push(dependent);
                    }
                }
            }
        }
    }

    fn needed_at(&self, flow: &Flow, location: LocId) -> FxHashSet<VarId> {
        let mut needed = FxHashSet::default();
        if !self.goal_ahead(location) {
            return needed;
        }
        let procedure = flow.procedure_of(location);
        if let Some(enforce) = &procedure.enforce {
            read(enforce, &mut needed);
        }
        if self.is_goal(location) {
            return needed;
        }
        for &edge in &flow.locations[location].successors {
            if self.goal_ahead(flow.edges[edge].target) || matches!(flow.edges[edge].step, FlowStep::Call(_))
            {
                self.before(flow, edge, &mut needed);
            }
        }
        if procedure.exit == location {
            for &caller in &procedure.callers {
                let edge = &flow.edges[caller];
                let FlowStep::Call(call) = &edge.step else { continue };
                let after = &self.needed[edge.target.index()];
                let kept = after.iter().filter(|v| !call.targets.contains(&Some(**v)));
                needed.extend(kept.filter(|v| flow.variables[**v].owner.is_none()));
                let results = call.targets.iter().zip(procedure.results());
                needed
                    .extend(results.filter(|(t, _)| t.is_some_and(|t| after.contains(&t))).map(|(_, r)| *r));
            }
        }
        needed
    }

    /// Adds what an edge needs at its source.
    fn before(&self, flow: &Flow, edge: EdgeId, needed: &mut FxHashSet<VarId>) {
        let target = flow.edges[edge].target;
        let after = &self.needed[target.index()];
        match &flow.edges[edge].step {
            FlowStep::Skip => needed.extend(after),
            FlowStep::Assume(e) => {
                needed.extend(after);
                read(e, needed);
            }
            FlowStep::Assign(assign) => {
                needed.extend(after.iter().filter(|v| !assign.updates.iter().any(|(t, _)| t == *v)));
                for (variable, value) in &assign.updates {
                    if self.is_needed(target, *variable) || constrains(assign, *variable) {
                        read(value, needed);
                    }
                }
                if let Some(constrain) = &assign.constrain {
                    // Assigned variables are not read: their new values are.
                    constrain.visit(&mut |e| match e {
                        Expr::Next(v) if assign.updates.iter().all(|(t, _)| t != v) => {
                            needed.insert(*v);
                        }
                        Expr::Var(v) => {
                            needed.insert(*v);
                        }
                        _ => {}
                    });
                }
            }
            FlowStep::Call(call) => {
                let callee = &flow.procedures[call.callee];
                let inside = &self.needed[callee.entry.index()];
                needed.extend(inside.iter().filter(|v| flow.variables[**v].owner.is_none()));
                for (formal, arg) in callee.formals().iter().zip(&call.args) {
                    if inside.contains(formal) {
                        read(arg, needed);
                    }
                }
                let kept = after.iter().filter(|v| !call.targets.contains(&Some(**v)));
                needed.extend(kept.filter(|v| flow.variables[**v].owner.is_some()));
            }
        }
    }
}

/// Whether `constrain` speaks of the new value of the variable.
pub(super) fn constrains(assign: &Assign, variable: VarId) -> bool {
    let mut found = false;
    if let Some(constrain) = &assign.constrain {
        constrain.visit(&mut |e| found |= *e == Expr::Next(variable));
    }
    found
}

/// Adds the variables that an expression reads.
fn read(expr: &Expr, variables: &mut FxHashSet<VarId>) {
    expr.visit(&mut |e| {
        if let Expr::Var(variable) = e {
            variables.insert(*variable);
        }
    });
}

/// The locations whose answers depend on those of this one: before edges into it, before calls of the
/// procedure it enters, and at the end of calls that return to it.
fn dependents(flow: &Flow, location: LocId) -> Vec<LocId> {
    let mut found = Vec::new();
    for &edge in &flow.locations[location].predecessors {
        found.push(flow.edges[edge].source);
        if let FlowStep::Call(call) = &flow.edges[edge].step {
            found.push(flow.procedures[call.callee].exit);
        }
    }
    let procedure = flow.procedure_of(location);
    if procedure.entry == location {
        found.extend(procedure.callers.iter().map(|edge| flow.edges[*edge].source));
    }
    found
}
