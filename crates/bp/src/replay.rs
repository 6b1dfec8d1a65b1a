//! Checks that a trace is a run of the program, step by step, straight from the semantics.
//!
//! This is the referee of the engines and shares no code with them. It decides each step exactly:
//! every `*` is a choice of its own and occurs once in its expression, so which values an expression
//! can take follows from which values its operands can take.

use std::fmt;

use crate::flow::{Assign, Call, EdgeId, Expr, Flow, FlowStep, Goal, ProcId, VarId};
use crate::trace::{Action, State, Trace};

/// Why a trace is no run that answers the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayError {
    /// The offending step, counted from 1; 0 is the start.
    pub step: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What can be wrong with a step of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The run does not start at the entry of `main` with no call open.
    Start,
    /// The state has the wrong number of values or an unknown location.
    Shape,
    /// The action names an unknown edge, one that does not leave the current location, or one that is
    /// (or is not) a call.
    Edge,
    /// The state is not at the location that the action leads to.
    Target,
    /// The state has the wrong call depth.
    Depth,
    /// A return without being at the exit of the procedure that the edge called.
    Return,
    /// The condition of the step cannot hold.
    Condition,
    /// The variable cannot get this value.
    Value(String),
    /// The old and new values cannot satisfy `constrain`.
    Constrain,
    /// The state cannot satisfy the `enforce` of its procedure.
    Enforce,
    /// The run does not end at the goal.
    Goal,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: ", self.step)?;
        match &self.fault {
            Fault::Start => f.write_str("the run does not start at the entry of main"),
            Fault::Shape => f.write_str("the state does not fit its location"),
            Fault::Edge => f.write_str("the edge cannot be taken here"),
            Fault::Target => f.write_str("the state is not where the step leads"),
            Fault::Depth => f.write_str("the call depth is wrong"),
            Fault::Return => f.write_str("the return does not match the open call"),
            Fault::Condition => f.write_str("the condition cannot hold"),
            Fault::Value(name) => write!(f, "`{name}` cannot get this value"),
            Fault::Constrain => f.write_str("`constrain` cannot hold"),
            Fault::Enforce => f.write_str("`enforce` cannot hold"),
            Fault::Goal => f.write_str("the run does not end at the goal"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// Checks that the trace is a run of the program that ends where the goal asks.
pub fn replay(flow: &Flow, trace: &Trace, goal: &Goal) -> Result<(), ReplayError> {
    let at = |step| move |fault| ReplayError { step, fault };
    let mut replayer = Replayer { flow, open: Vec::new() };
    replayer.start(&trace.start).map_err(at(0))?;
    let mut before = &trace.start;
    for (i, step) in trace.steps.iter().enumerate() {
        replayer.step(before, step.action, &step.state).map_err(at(i + 1))?;
        before = &step.state;
    }
    if flow.goal_locations(goal).contains(&before.location) {
        Ok(())
    } else {
        Err(at(trace.steps.len())(Fault::Goal))
    }
}

struct Replayer<'a> {
    flow: &'a Flow,
    /// The open calls with the values of the caller's locals.
    open: Vec<(EdgeId, &'a [bool])>,
}

impl<'a> Replayer<'a> {
    fn start(&self, state: &State) -> Result<(), Fault> {
        check(self.fits(state), Fault::Shape)?;
        let entry = self.flow.procedures[self.flow.main].entry;
        check(state.location == entry && state.depth == 0, Fault::Start)?;
        self.fresh_results(self.flow.main, state)?;
        self.enforced(state)
    }

    fn step(&mut self, before: &'a State, action: Action, after: &'a State) -> Result<(), Fault> {
        check(self.fits(after), Fault::Shape)?;
        let edge = self.flow.edges.get(action.edge()).ok_or(Fault::Edge)?;
        match (action, &edge.step) {
            (Action::Return(id), FlowStep::Call(call)) => {
                check(after.location == edge.target, Fault::Target)?;
                self.leave(id, call, before, after)?;
            }
            (Action::Call(id), FlowStep::Call(call)) => {
                check(before.location == edge.source, Fault::Edge)?;
                check(after.location == self.flow.procedures[call.callee].entry, Fault::Target)?;
                self.enter(call, before, after)?;
                self.open.push((id, &before.locals));
            }
            (Action::Edge(_), FlowStep::Skip | FlowStep::Assume(_) | FlowStep::Assign(_)) => {
                check(before.location == edge.source, Fault::Edge)?;
                check(after.location == edge.target, Fault::Target)?;
                self.follow(&edge.step, before, after)?;
            }
            _ => return Err(Fault::Edge),
        }
        check(after.depth == self.open.len(), Fault::Depth)?;
        self.enforced(after)
    }

    /// A step within a procedure.
    fn follow(&self, step: &FlowStep, before: &State, after: &State) -> Result<(), Fault> {
        let nothing = Assign { updates: Vec::new(), constrain: None };
        let assign = match step {
            FlowStep::Assume(e) => {
                check(self.possible(e, before, before).yes, Fault::Condition)?;
                &nothing
            }
            FlowStep::Assign(assign) => assign,
            FlowStep::Skip | FlowStep::Call(_) => &nothing,
        };
        let mut expected = before.clone();
        for (variable, value) in &assign.updates {
            let new = after.value(self.flow, *variable);
            self.check_value(self.possible(value, before, before).allows(new), *variable)?;
            expected.set(self.flow, *variable, new);
        }
        let procedure = self.flow.locations[before.location].procedure;
        self.same_values(procedure, &expected, after)?;
        match &assign.constrain {
            Some(e) => check(self.possible(e, before, after).yes, Fault::Constrain),
            None => Ok(()),
        }
    }

    fn enter(&self, call: &Call, before: &State, after: &State) -> Result<(), Fault> {
        let callee = &self.flow.procedures[call.callee];
        for &global in &self.flow.globals {
            self.check_value(before.value(self.flow, global) == after.value(self.flow, global), global)?;
        }
        for (formal, arg) in callee.formals().iter().zip(&call.args) {
            let value = after.value(self.flow, *formal);
            self.check_value(self.possible(arg, before, before).allows(value), *formal)?;
        }
        self.fresh_results(call.callee, after)
    }

    fn leave(&mut self, id: EdgeId, call: &Call, before: &State, after: &State) -> Result<(), Fault> {
        let callee = &self.flow.procedures[call.callee];
        check(before.location == callee.exit, Fault::Return)?;
        let (open, locals) = self.open.pop().ok_or(Fault::Return)?;
        check(open == id, Fault::Return)?;
        let mut expected =
            State { globals: before.globals.clone(), locals: locals.to_vec(), ..after.clone() };
        for (target, result) in call.targets.iter().zip(callee.results()) {
            if let Some(target) = target {
                expected.set(self.flow, *target, before.value(self.flow, *result));
            }
        }
        self.same_values(self.flow.edges[id].procedure, &expected, after)
    }

    fn same_values(&self, procedure: ProcId, expected: &State, actual: &State) -> Result<(), Fault> {
        self.flow.scope(procedure).try_for_each(|variable| {
            let same = expected.value(self.flow, variable) == actual.value(self.flow, variable);
            self.check_value(same, variable)
        })
    }

    fn fresh_results(&self, procedure: ProcId, state: &State) -> Result<(), Fault> {
        for &result in self.flow.procedures[procedure].results() {
            self.check_value(!state.value(self.flow, result), result)?;
        }
        Ok(())
    }

    fn enforced(&self, state: &State) -> Result<(), Fault> {
        match &self.flow.procedure_of(state.location).enforce {
            Some(e) => check(self.possible(e, state, state).yes, Fault::Enforce),
            None => Ok(()),
        }
    }

    fn fits(&self, state: &State) -> bool {
        self.flow.locations.get(state.location).is_some_and(|location| {
            state.globals.len() == self.flow.globals.len()
                && state.locals.len() == self.flow.procedures[location.procedure].locals.len()
        })
    }

    fn check_value(&self, right: bool, variable: VarId) -> Result<(), Fault> {
        if right { Ok(()) } else { Err(Fault::Value(self.flow.variables[variable].name.clone())) }
    }

    /// Which values an expression can take for some outcome of its choices.
    fn possible(&self, e: &Expr, old: &State, new: &State) -> Possible {
        let go = |e: &Expr| self.possible(e, old, new);
        match e {
            Expr::Const(value) => Possible::only(*value),
            Expr::Var(variable) => Possible::only(old.value(self.flow, *variable)),
            Expr::Next(variable) => Possible::only(new.value(self.flow, *variable)),
            Expr::Choice => Possible { yes: true, no: true },
            Expr::Schoose(yes, no) => {
                // yes ∨ (¬no ∧ *)
                let (yes, no) = (go(yes), go(no));
                Possible { yes: yes.yes || no.no, no: yes.no }
            }
            Expr::Not(e) => go(e).negated(),
            Expr::And(operands) => operands
                .iter()
                .map(go)
                .fold(Possible::only(true), |a, b| Possible { yes: a.yes && b.yes, no: a.no || b.no }),
            Expr::Or(operands) => operands
                .iter()
                .map(go)
                .fold(Possible::only(false), |a, b| Possible { yes: a.yes || b.yes, no: a.no && b.no }),
            Expr::Xor(operands) => operands.iter().map(go).fold(Possible::only(false), Possible::xor),
            Expr::Eq(a, b) => go(a).xor(go(b)).negated(),
            Expr::Implies(a, b) => {
                let (a, b) = (go(a), go(b));
                Possible { yes: a.no || b.yes, no: a.yes && b.no }
            }
        }
    }
}

/// A non-empty set of truth values.
#[derive(Debug, Clone, Copy)]
struct Possible {
    yes: bool,
    no: bool,
}

impl Possible {
    fn only(value: bool) -> Self {
        Possible { yes: value, no: !value }
    }

    fn allows(self, value: bool) -> bool {
        if value { self.yes } else { self.no }
    }

    fn negated(self) -> Self {
        Possible { yes: self.no, no: self.yes }
    }

    fn xor(self, other: Self) -> Self {
        Possible {
            yes: (self.yes && other.no) || (self.no && other.yes),
            no: (self.yes && other.yes) || (self.no && other.no),
        }
    }
}

fn check(holds: bool, fault: Fault) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(fault) }
}
