//! Reachability as a satisfiability problem: K. R. M. Leino, *A SAT characterization of
//! boolean-program correctness*.
//!
//! A block `B` of the program is a boolean function of the state it starts in: `B(w)` says that no run
//! from there goes wrong. These functions are the weakest solution of the blocks' weakest-precondition
//! equations. Starting from the first block with symbolic initial values, the equations are
//! instantiated for just those *function terms*, blocks with arguments, that occur (`instantiate`).
//! Arguments are functions of the initial values and compared as decision diagrams (`args`). Each
//! occurrence of a term becomes a variable of a propositional problem; those that could only be met on
//! a detour are `true`, which picks the weakest solution (`closure`). The problem is satisfiable iff
//! a run can go wrong, and a solution tells how (`trace`).
//!
//! Where this departs from the paper:
//! - Equation (12) needs ∨ between its two halves (an error for *some* value of the argument).
//! - Sharing of triples is described in `closure`; the paper leaves its conditions open.
//! - A block is everything up to where paths meet (`order`), over the richer language: the form of
//!   Figure 0 is never written down. Calls are inlined as they are got to (`inline`).
//! - Values that are chosen nondeterministically stay unchosen until they are read (`args`).
//! - Arguments that cannot matter are left out (`relevance`); [`SatOptions::paper`] turns that off.
//! - Equations are passed to the solver as they are made, and it is asked in between (`closure`).
//! - Occurrences of terms that no run gets to, or only after another one, are cut (`coverage`).
//!
//! Recursion is not supported. Terms can be doubly exponential in the number of variables, or singly
//! with [`Arguments::Initial`]; the budget and the limits of [`SatOptions`] then end in an unknown answer.

mod args;
mod circuit;
mod closure;
mod coverage;
mod eval;
mod inline;
mod instantiate;
mod order;
mod relevance;
mod solver;
mod stamp;
mod terms;
mod text;
mod trace;

use hardbop_base::{Budget, Stop};
use hardbop_bp::{Flow, Goal, ProcId, Trace, VarId, VarKind, replay};

use crate::{Answer, Reason, Report, Stat};
use args::{Arg, Args};
use circuit::Circuit;
use closure::Closure;
use inline::{ContextId, Contexts};
use instantiate::Maker;
use order::Order;
use relevance::Relevance;
use terms::{TermId, Terms};

/// How the engine works.
#[derive(Debug, Clone)]
pub struct SatOptions {
    /// Which arguments stay symbolic.
    pub arguments: Arguments,
    /// Where blocks start.
    pub blocks: Blocks,
    /// Whether arguments that cannot matter are left out, and blocks that cannot lead to the goal.
    pub slice: bool,
    /// Whether the solver is asked before all terms are known.
    pub incremental: bool,
    /// Whether triples are cut by asking the solver if a run gets to them that got to no earlier triple
    /// of the same term.
    pub prune: bool,
    /// The most nodes of decision diagrams at a time.
    pub nodes: usize,
    /// The most copies of procedures that inlining may make.
    pub copies: usize,
    /// The most occurrences of function terms.
    pub triples: usize,
}

impl Default for SatOptions {
    fn default() -> Self {
        SatOptions {
            arguments: Arguments::Symbolic,
            blocks: Blocks::Joins,
            slice: true,
            incremental: true,
            prune: true,
            nodes: 1 << 20,
            copies: 1 << 17,
            triples: 1 << 22,
        }
    }
}

impl SatOptions {
    /// As in the paper: all variables in scope, a block per label, one question to the solver.
    pub fn paper() -> Self {
        SatOptions {
            blocks: Blocks::Labels,
            slice: false,
            incremental: false,
            prune: false,
            ..SatOptions::default()
        }
    }
}

/// Which arguments are replaced by their two values, by equation (12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// None.
    Symbolic,
    /// Those that depend on more initial values than this (the paper's first heuristic).
    AtMost(usize),
    /// All but the initial value of the variable that the argument is for (its second heuristic).
    Initial,
    /// All, even the initial values at the start.
    Explicit,
}

/// Where blocks start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// Where paths meet or come back.
    Joins,
    /// There, and at every label.
    Labels,
}

/// Why a run of the engine ended without an answer.
#[derive(Debug)]
enum Halt {
    Stopped(Stop),
    Nodes(usize),
    Limit(String),
    Defect(String),
}

impl From<Halt> for Reason {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped(stop) => Reason::Stopped(stop),
            Halt::Nodes(nodes) => Reason::Nodes(nodes),
            Halt::Limit(what) => Reason::Unsupported(what),
            Halt::Defect(what) => Reason::Defect(what),
        }
    }
}

/// Decides whether the goal can be reached; if so, with a trace, which was replayed.
pub fn check(flow: &Flow, goal: &Goal, options: &SatOptions, budget: &Budget) -> Report {
    let Some(bottom_up) = flow.bottom_up() else {
        let reason = Reason::Unsupported("recursion cannot be inlined".to_owned());
        return Report { answer: Answer::Unknown(reason), invariant: None, stats: Vec::new() };
    };
    let mut closure = match prepare(flow, goal, options, budget) {
        Ok(closure) => closure,
        Err(halt) => {
            return Report { answer: Answer::Unknown(halt.into()), invariant: None, stats: Vec::new() };
        }
    };
    let answer = match closure.run() {
        Ok(false) => Answer::Unreachable,
        Ok(true) => match trace_of(&mut closure, goal) {
            Ok(trace) => Answer::Reachable(Some(trace)),
            Err(halt) => Answer::Unknown(halt.into()),
        },
        Err(halt) => Answer::Unknown(halt.into()),
    };
    Report { answer, invariant: None, stats: stats(&closure, &bottom_up) }
}

/// The equations of a program as text, one line per triple, in the order they are made. Nothing if the
/// engine cannot make them.
pub fn equations(flow: &Flow, goal: &Goal, options: &SatOptions, budget: &Budget) -> Option<String> {
    flow.bottom_up()?;
    let mut closure = prepare(flow, goal, options, budget).ok()?;
    closure.run().ok()?;
    Some(text::equations(&closure))
}

fn trace_of(closure: &mut Closure, goal: &Goal) -> Result<Trace, Halt> {
    let trace = trace::extract(closure)?;
    match replay(closure.maker.flow, &trace, goal) {
        Ok(()) => Ok(trace),
        Err(error) => Err(Halt::Defect(format!("the trace does not replay: {error}"))),
    }
}

/// A run of the engine before its first step.
fn prepare<'a>(
    flow: &'a Flow,
    goal: &Goal,
    options: &'a SatOptions,
    budget: &'a Budget,
) -> Result<Closure<'a>, Halt> {
    let relevance = Relevance::new(flow, goal, options.slice);
    let main = &flow.procedures[flow.main];
    let initial: Vec<VarId> = flow
        .scope(flow.main)
        .filter(|v| flow.variables[*v].kind != VarKind::Result && relevance.is_needed(main.entry, *v))
        .collect();
    let mut maker = Maker {
        flow,
        budget,
        order: Order::new(flow, options.blocks),
        relevance,
        contexts: Contexts::new(flow, options.copies.max(1)),
        args: Args::new(initial.len(), options.nodes)?,
        circuit: Circuit::new(initial.len()),
        terms: Terms::new(initial),
    };
    let first = first_term(&mut maker);
    Closure::new(maker, options, first)
}

/// The first block with the symbolic initial values.
fn first_term(maker: &mut Maker) -> TermId {
    let entry = maker.flow.procedures[maker.flow.main].entry;
    let block = maker.terms.block(maker.flow, &maker.relevance, &maker.contexts, ContextId::MAIN, entry);
    let variables = maker.relevance.globals(entry).iter().chain(maker.relevance.locals(entry));
    // What is not initial is a result variable, which starts false.
    let arg = |v: &VarId| maker.terms.number(*v).map_or(Arg::FALSE, |number| maker.args.initial(number));
    let args = variables.map(arg).collect();
    maker.terms.intern(block, args)
}

fn stats(closure: &Closure, bottom_up: &[ProcId]) -> Vec<Stat> {
    let maker = &closure.maker;
    let blocks = maker.terms.blocks();
    let inlined = maker.order.count_inlined(maker.flow, bottom_up);
    let arguments: usize = blocks.iter().map(|block| block.initial.len()).sum();
    vec![
        ("blocks", inlined.map_or_else(|| "too many to count".to_owned(), |count| count.to_string())),
        ("blocks met", blocks.len().to_string()),
        ("global variables", maker.flow.globals.len().to_string()),
        ("variables per block", format!("{:.1}", arguments as f64 / blocks.len().max(1) as f64)),
        ("function terms", maker.terms.len().to_string()),
        ("triples", closure.triples.len().to_string()),
        ("fixpoint triples", closure.fixpoints.to_string()),
        ("copies of procedures", maker.contexts.len().to_string()),
        ("clauses", closure.problem.clauses.to_string()),
        ("solver calls", closure.problem.calls.to_string()),
        ("solver calls to cut", closure.coverage.problem.calls.to_string()),
    ]
}
