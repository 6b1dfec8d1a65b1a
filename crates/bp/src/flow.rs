//! The control-flow form that all engines share: variables, procedures, locations and edges.
//!
//! [`crate::resolve`] makes it from the text form; every name is resolved, every structured statement
//! is lowered, and only four kinds of steps remain ([`FlowStep`]). What each of them means is defined in
//! the documentation of the crate.
//!
//! Invariants:
//! - an edge stays within one procedure; a call is an edge from the call to the place it returns to;
//! - entry and exit of a procedure differ; no edge leaves an exit or an error location; the entry may
//!   have edges into it;
//! - an expression mentions only globals and variables of its edge's procedure, never a result
//!   variable; [`Expr::Next`] occurs only in `constrain`;
//! - the targets of an assignment or call are distinct, result variables are assigned only by edges
//!   into the exit, and edges into the exit of a procedure with results assign all of them;
//! - a call passes one argument per formal and names one target (or nothing) per result;
//! - ids of procedures and variables follow from the text: procedures in order of definition; globals in
//!   order of declaration, then the variables of each procedure, in the order of [`Procedure::locals`].

use std::sync::Arc;

use hardbop_base::{Arena, Id, Span};
use rustc_hash::FxHashSet;

use crate::ast::Tag;

/// A variable of the program.
pub type VarId = Id<Variable>;
/// A procedure of the program.
pub type ProcId = Id<Procedure>;
/// A location of the program; each belongs to one procedure.
pub type LocId = Id<Location>;
/// An edge of the program; each belongs to one procedure.
pub type EdgeId = Id<Edge>;

/// A program that passed the verifier.
#[derive(Debug, Clone)]
pub struct Flow {
    /// All variables: globals, then those of each procedure.
    pub variables: Arena<Variable>,
    /// The globals, in order of declaration.
    pub globals: Vec<VarId>,
    /// All procedures, in order of definition.
    pub procedures: Arena<Procedure>,
    /// All locations.
    pub locations: Arena<Location>,
    /// All edges.
    pub edges: Arena<Edge>,
    /// Where runs start.
    pub main: ProcId,
}

/// A variable.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name; result variables are called `return` or `return.0`, `return.1`, ….
    pub name: String,
    /// What it is.
    pub kind: VarKind,
    /// The procedure it is local to; nothing for a global.
    pub owner: Option<ProcId>,
    /// Its position in [`Flow::globals`] or in its owner's [`Procedure::locals`].
    pub slot: usize,
    /// Where it is declared.
    pub span: Span,
}

/// The kinds of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VarKind {
    /// Shared by all procedures; arbitrary at the start.
    Global,
    /// A parameter; it is an ordinary local that starts with the value passed.
    Formal,
    /// Arbitrary at each entry of the procedure.
    Local,
    /// What the procedure returns: `F` from entry on, set by the edge into the exit, and not visible
    /// to any expression.
    Result,
}

/// A procedure.
#[derive(Debug, Clone)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// All variables of a frame: formals, then locals, then results; each in order of declaration.
    pub locals: Vec<VarId>,
    /// How many of [`Procedure::locals`] are formals.
    pub formal_count: usize,
    /// How many of [`Procedure::locals`] are results.
    pub result_count: usize,
    /// Where a call starts.
    pub entry: LocId,
    /// Where a call returns from.
    pub exit: LocId,
    /// Where failed assertions go; nothing if there are none.
    pub error: Option<LocId>,
    /// Cuts off every state at a location of this procedure in which it cannot be true.
    pub enforce: Option<Expr>,
    /// All its locations.
    pub locations: Vec<LocId>,
    /// All its edges.
    pub edges: Vec<EdgeId>,
    /// The edges, of any procedure, that call it.
    pub callers: Vec<EdgeId>,
    /// Its header in the text.
    pub span: Span,
}

impl Procedure {
    /// The formal parameters.
    pub fn formals(&self) -> &[VarId] {
        &self.locals[..self.formal_count]
    }

    /// The result variables.
    pub fn results(&self) -> &[VarId] {
        &self.locals[self.locals.len() - self.result_count..]
    }
}

/// A point of control.
#[derive(Debug, Clone)]
pub struct Location {
    /// The procedure it belongs to.
    pub procedure: ProcId,
    /// The labels written there.
    pub labels: Vec<String>,
    /// The edges that leave it.
    pub successors: Vec<EdgeId>,
    /// The edges that enter it.
    pub predecessors: Vec<EdgeId>,
    /// The statement that starts there; the word `end` for an exit.
    pub span: Span,
}

/// A step from one location to another.
#[derive(Debug, Clone)]
pub struct Edge {
    /// The procedure it belongs to.
    pub procedure: ProcId,
    /// Where it starts.
    pub source: LocId,
    /// Where it ends.
    pub target: LocId,
    /// What it does.
    pub step: FlowStep,
    /// The statement it comes from; of a structured statement the part up to the condition.
    pub span: Span,
    /// The tag of that statement.
    pub tag: Option<Tag>,
    /// The statement as text, in one line.
    pub text: Arc<str>,
    /// Of edges made from a condition (`if`, `while`, `assert`): whether it holds on this edge.
    pub branch: Option<bool>,
}

/// What an edge does to the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowStep {
    /// Nothing.
    Skip,
    /// Passes only states in which the expression can be true.
    Assume(Expr),
    /// A parallel assignment.
    Assign(Assign),
    /// A call, with everything that happens until it returns.
    Call(Call),
}

/// `targets := values constrain e`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assign {
    /// Distinct variables, each with its new value.
    pub updates: Vec<(VarId, Expr)>,
    /// Must be possible of the old ([`Expr::Var`]) and new ([`Expr::Next`]) values.
    pub constrain: Option<Expr>,
}

/// `targets := callee(args)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The procedure.
    pub callee: ProcId,
    /// The values of its formals, in order.
    pub args: Vec<Expr>,
    /// Where its results go, in order; a result may be dropped.
    pub targets: Vec<Option<VarId>>,
}

/// A boolean expression. Every occurrence of [`Expr::Choice`] is an arbitrary value of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// `T` or `F`.
    Const(bool),
    /// The value of a variable before the step.
    Var(VarId),
    /// The value of a variable after the assignment; only in `constrain`.
    Next(VarId),
    /// `*`
    Choice,
    /// `schoose[yes, no]`: true if `yes`, else false if `no`, else arbitrary.
    Schoose(Box<Expr>, Box<Expr>),
    /// Negation.
    Not(Box<Expr>),
    /// Conjunction of two or more.
    And(Vec<Expr>),
    /// Disjunction of two or more.
    Or(Vec<Expr>),
    /// Parity of two or more; of two, inequality.
    Xor(Vec<Expr>),
    /// Equality.
    Eq(Box<Expr>, Box<Expr>),
    /// Implication.
    Implies(Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The operands, from left to right.
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Expr::Const(_) | Expr::Var(_) | Expr::Next(_) | Expr::Choice => Vec::new(),
            Expr::Not(e) => vec![e],
            Expr::And(operands) | Expr::Or(operands) | Expr::Xor(operands) => operands.iter().collect(),
            Expr::Schoose(a, b) | Expr::Eq(a, b) | Expr::Implies(a, b) => vec![a, b],
        }
    }

    /// Calls the function on this expression and all its parts, parents first.
    pub fn visit(&self, f: &mut impl FnMut(&Expr)) {
        f(self);
        for operand in self.operands() {
            operand.visit(f);
        }
    }

    /// Whether its value depends on the state alone. A `schoose` counts as a choice.
    pub fn is_deterministic(&self) -> bool {
        !matches!(self, Expr::Choice | Expr::Schoose(..))
            && self.operands().iter().all(|e| e.is_deterministic())
    }
}

/// What is asked about a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Goal {
    /// Can an assertion fail?
    Assertion,
    /// Can this label, of any procedure, be reached?
    Label(String),
}

impl Flow {
    /// The locations that answer the goal; none if no assertion or no such label exists.
    pub fn goal_locations(&self, goal: &Goal) -> Vec<LocId> {
        match goal {
            Goal::Assertion => self.procedures.values().filter_map(|p| p.error).collect(),
            Goal::Label(label) => {
                self.locations.iter().filter(|(_, l)| l.labels.contains(label)).map(|(id, _)| id).collect()
            }
        }
    }

    /// The procedure with this name.
    pub fn procedure(&self, name: &str) -> Option<ProcId> {
        self.procedures.iter().find(|(_, p)| p.name == name).map(|(id, _)| id)
    }

    /// The procedure that a location belongs to.
    pub fn procedure_of(&self, location: LocId) -> &Procedure {
        &self.procedures[self.locations[location].procedure]
    }

    /// The variables that an expression of the procedure may mention, and its results: globals first,
    /// then the frame.
    pub fn scope(&self, procedure: ProcId) -> impl Iterator<Item = VarId> + '_ {
        self.globals.iter().chain(&self.procedures[procedure].locals).copied()
    }

    /// The procedures that a procedure calls, in order and without repetition.
    pub fn callees(&self, procedure: ProcId) -> Vec<ProcId> {
        let mut seen = FxHashSet::default();
        let mut callees = Vec::new();
        for &edge in &self.procedures[procedure].edges {
            if let FlowStep::Call(call) = &self.edges[edge].step
                && seen.insert(call.callee)
            {
                callees.push(call.callee);
            }
        }
        callees
    }

    /// The procedures that `main` may call, directly or not, and `main` itself: callees before
    /// callers. Nothing if there is recursion among them.
    pub fn bottom_up(&self) -> Option<Vec<ProcId>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.procedures.len()];
        let mut order = Vec::new();
        let mut stack = vec![(self.main, self.callees(self.main))];
        marks[self.main.index()] = Mark::Open;
        while let Some((procedure, callees)) = stack.last_mut() {
            match callees.pop() {
                None => {
                    marks[procedure.index()] = Mark::Done;
                    order.push(*procedure);
                    stack.pop();
                }
                Some(callee) => match marks[callee.index()] {
                    Mark::Open => return None,
                    Mark::Done => {}
                    Mark::New => {
                        marks[callee.index()] = Mark::Open;
                        stack.push((callee, self.callees(callee)));
                    }
                },
            }
        }
        Some(order)
    }
}
