//! The loop: abstract, check, try the trace, refine; and the verdict, after it was checked.
//!
//! ```text
//!   predicates ──abstraction──▶ boolean program ──reach──▶ unreachable ──certify──▶ TRUE
//!        ▲                                            └──▶ trace ──path──▶ feasible ──certify──▶ FALSE
//!        └──────────────────────────── proposals ◀──────────┘ infeasible
//! ```
//!
//! Nothing here decides anything by itself. A verdict whose certificate is refused is unknown, and so
//! is one that a limit or something unsupported stands in the way of.

mod bounded;
mod divergence;
mod evidence;
mod explore;
mod guess;
mod leap;
mod learn;
mod machine;
mod refine;
mod single;
mod trace;

use hardbop_base::{Budget, Stop};
use hardbop_certify::backward::Backward;
use hardbop_certify::proof::Proof;
use hardbop_ir::interpret::Run;
use hardbop_ir::{LocationId, ProcId, Program, Property};
use hardbop_predicate::Predicate;

pub use bounded::certify as certify_unrolled;
pub use explore::{Explored, explore};
pub use hardbop_slice::Slice;
pub use leap::leaped;
pub use refine::{check, failed};
pub use single::{ErrorPath, error_path};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How predicates are abstracted.
    pub abstraction: hardbop_abstraction::Options,
    /// Random runs to try before anything else.
    pub probes: u32,
    /// The most refinements.
    pub max_iterations: usize,
    /// Whether to leave out first what cannot matter.
    pub slice: bool,
    /// Whether bounded runs are looked at beside refinement.
    pub unroll: bool,
    /// Whether loops are leaped when neither gets anywhere.
    pub leap: bool,
    /// Whether invariants of loops are guessed when refinement gets nowhere.
    pub guess: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            abstraction: hardbop_abstraction::Options { keep_dead: false, ..Default::default() },
            probes: 64,
            max_iterations: 1000,
            slice: true,
            unroll: true,
            leap: true,
            guess: true,
        }
    }
}

/// The answer.
#[derive(Debug)]
pub enum Verdict {
    /// No run breaks the property.
    True(Evidence),
    /// This run does.
    False(Box<Counterexample>),
    /// Neither was shown.
    Unknown(Reason),
}

/// Why no run breaks the property.
#[derive(Debug)]
pub enum Evidence {
    /// These invariants and summaries hold.
    Invariants(Box<Proof>),
    /// No state from which an error is reached is reached itself.
    Backward(Box<Backward>),
    /// All runs are bounded, and none of them does; the entries and heads of loops that some of them pass.
    Unrolled(hardbop_unroll::Options, Vec<(ProcId, LocationId)>),
}

/// A run that breaks the property.
#[derive(Debug)]
pub struct Counterexample {
    /// What is broken.
    pub property: Property,
    /// The run, with all values that it drew.
    pub run: Run,
}

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A limit was reached.
    Stopped(Stop),
    /// A run may reach something that has no meaning here.
    Unsupported(String),
    /// Refinement finds nothing new.
    NoProgress(String),
    /// Refinement finds ever more predicates of one form.
    Divergence(String),
    /// The checker of boolean programs gave up.
    Checker(String),
    /// A solver gave up.
    Solver(String),
    /// A path can be run in logic, but not in the interpreter.
    NotReplayed(String),
    /// The engine is not made for such programs.
    Unfit(String),
    /// A certificate was refused: a defect.
    Certificate(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Stopped(stop) => write!(f, "{stop}"),
            Reason::Unsupported(what) => write!(f, "a run may reach something unsupported: {what}"),
            Reason::NoProgress(why) => write!(f, "no progress: {why}"),
            Reason::Divergence(form) => {
                write!(f, "divergence: ever more predicates `{form}`, each with other constants")
            }
            Reason::Checker(why) => write!(f, "{why}"),
            Reason::Solver(why) => write!(f, "the solver gave up: {why}"),
            Reason::NotReplayed(why) => {
                write!(f, "a possible error could not be confirmed by running it: {why}")
            }
            Reason::Unfit(why) => write!(f, "the engine does not take such programs: {why}"),
            Reason::Certificate(why) => write!(f, "the certificate was refused: {why}"),
        }
    }
}

/// A verdict with how it was found.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// The predicates in use at the end.
    pub predicates: Vec<Predicate>,
    /// Refinements made.
    pub iterations: usize,
    /// Hoare triples that the certificate took.
    pub triples: usize,
    /// What slicing left; nothing if it was not asked for, or if it was not needed.
    pub slice: Option<Slice>,
    /// The program, with the expressions of its predicates.
    pub program: Program,
}

impl Outcome {
    /// Nothing is known yet of a program, and nothing of it but predicates is given.
    pub fn new(program: Program, given: &[Predicate]) -> Self {
        Outcome {
            verdict: Verdict::Unknown(Reason::Stopped(Stop::Interrupt)),
            predicates: given.to_vec(),
            iterations: 0,
            triples: 0,
            slice: None,
            program,
        }
    }
}

/// What the loop is doing.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Which iteration, counted from 1.
    pub iteration: usize,
    /// How many predicates there are.
    pub predicates: usize,
    /// How many statements the boolean program has; 0 if there is none.
    pub statements: usize,
    /// What it is doing now.
    pub doing: &'a str,
}

/// Whether a budget is spent, as a reason.
pub(crate) fn stopped(budget: &Budget) -> Option<Reason> {
    budget.check().err().map(Reason::Stopped)
}
