//! Traces: runs of a boolean program, step by step, with all values.
//!
//! A trace lists every step of every procedure it enters. Entering a procedure and returning from it
//! are steps of their own, so the length of a trace is the number of edges taken plus one for each
//! return. Checkers that promise shortest traces minimise [`Trace::len`].

use std::fmt::{self, Display, Formatter};

use crate::flow::{Edge, EdgeId, Flow, LocId, Procedure, VarId, VarKind};

/// A run from the start of `main`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// At the entry of `main`.
    pub start: State,
    /// What happens, in order.
    pub steps: Vec<TraceStep>,
}

/// One step and the state it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceStep {
    /// What is done.
    pub action: Action,
    /// The state afterwards.
    pub state: State,
}

/// What a step of a trace does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Follows an edge that is not a call.
    Edge(EdgeId),
    /// Enters the procedure that the edge calls.
    Call(EdgeId),
    /// Returns from the procedure that the edge called.
    Return(EdgeId),
}

impl Action {
    /// The edge.
    pub fn edge(self) -> EdgeId {
        match self {
            Action::Edge(edge) | Action::Call(edge) | Action::Return(edge) => edge,
        }
    }
}

/// A location and the values of the variables in scope there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// Where control is.
    pub location: LocId,
    /// How many calls are open; 0 in the first activation of `main`.
    pub depth: usize,
    /// The values of [`Flow::globals`].
    pub globals: Vec<bool>,
    /// The values of [`Procedure::locals`] of the location's procedure.
    pub locals: Vec<bool>,
}

impl State {
    /// The value of a variable, which must be a global or a local of the state's procedure.
    pub fn value(&self, flow: &Flow, variable: VarId) -> bool {
        let variable = &flow.variables[variable];
        if variable.owner.is_none() { self.globals[variable.slot] } else { self.locals[variable.slot] }
    }

    /// Changes the value of a variable, which must be a global or a local of the state's procedure.
    pub fn set(&mut self, flow: &Flow, variable: VarId, value: bool) {
        let variable = &flow.variables[variable];
        let values = if variable.owner.is_none() { &mut self.globals } else { &mut self.locals };
        values[variable.slot] = value;
    }
}

impl Trace {
    /// A run that has not moved yet.
    pub fn new(start: State) -> Self {
        Trace { start, steps: Vec::new() }
    }

    /// Adds a step.
    pub fn push(&mut self, action: Action, state: State) {
        self.steps.push(TraceStep { action, state });
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether the run has not moved.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The state it ends in.
    pub fn last(&self) -> &State {
        self.steps.last().map_or(&self.start, |step| &step.state)
    }

    /// The trace as text: one line per step with its line in the source and the values it changed,
    /// indented by call depth. Very deep calls show their depth as a number instead.
    pub fn display<'a>(&'a self, flow: &'a Flow) -> impl Display + 'a {
        TraceText { trace: self, flow }
    }
}

struct TraceText<'a> {
    trace: &'a Trace,
    flow: &'a Flow,
}

impl Display for TraceText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let start = &self.trace.start;
        write!(f, "start in {}", self.procedure(start).name)?;
        self.write_values(f, start, |_| true)?;
        // The state before each open call, to show what a return changes.
        let mut open: Vec<&State> = Vec::new();
        let mut before = start;
        for TraceStep { action, state } in &self.trace.steps {
            let edge = &self.flow.edges[action.edge()];
            write_indentation(f, before.depth.min(state.depth))?;
            match action {
                Action::Edge(_) => {
                    write_edge(f, edge)?;
                    self.write_changes(f, before, state)?;
                }
                Action::Call(_) => {
                    open.push(before);
                    write_edge(f, edge)?;
                    write!(f, "  enter {}", self.procedure(state).name)?;
                    self.write_values(f, state, |variable| self.flow.variables[variable].owner.is_some())?;
                }
                Action::Return(_) => {
                    let caller = open.pop().unwrap_or(before);
                    write!(f, "{}: return to {}", edge.span.line, self.procedure(state).name)?;
                    self.write_changes(f, caller, state)?;
                }
            }
            before = state;
        }
        Ok(())
    }
}

impl TraceText<'_> {
    fn procedure(&self, state: &State) -> &Procedure {
        self.flow.procedure_of(state.location)
    }

    fn write_changes(&self, f: &mut Formatter<'_>, before: &State, after: &State) -> fmt::Result {
        let at_exit = self.procedure(after).exit == after.location;
        self.write_values(f, after, |variable| match self.flow.variables[variable].kind {
            VarKind::Result => at_exit,
            _ => before.value(self.flow, variable) != after.value(self.flow, variable),
        })
    }

    fn write_values(
        &self,
        f: &mut Formatter<'_>,
        state: &State,
        show: impl Fn(VarId) -> bool,
    ) -> fmt::Result {
        let at_exit = self.procedure(state).exit == state.location;
        let mut separator = "  ";
        for id in self.flow.scope(self.flow.locations[state.location].procedure) {
            let variable = &self.flow.variables[id];
            if show(id) && (at_exit || variable.kind != VarKind::Result) {
                write!(f, "{separator}{}={}", variable.name, u8::from(state.value(self.flow, id)))?;
                separator = " ";
            }
        }
        writeln!(f)
    }
}

/// Calls that are open beyond this number do not move the text any further to the right.
const MAX_INDENTATION: usize = 40;

fn write_indentation(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * depth.min(MAX_INDENTATION))?;
    if depth > MAX_INDENTATION { write!(f, "[{depth}] ") } else { Ok(()) }
}

fn write_edge(f: &mut Formatter<'_>, edge: &Edge) -> fmt::Result {
    write!(f, "{}: {}", edge.span.line, edge.text)?;
    match edge.branch {
        Some(true) => f.write_str("  holds"),
        Some(false) => f.write_str("  fails"),
        None => Ok(()),
    }
}
