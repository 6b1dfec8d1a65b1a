//! The result of checking a program, independent of the engine that found it: the verdict, its evidence, and the reason
//! where there is none.
//!
//! Nothing here decides anything. A verdict that is made of these types was checked by `certify`: a proof, or a run.

mod reason;

use std::time::Duration;

use hardbop_base::{Span, Stop};
use hardbop_certify::backward::Backward;
use hardbop_certify::proof::Proof;
use hardbop_ir::interpret::{Outcome as RunOutcome, Run};
use hardbop_ir::{ErrorSite, LocationId, ProcId, Program, Property};
use hardbop_predicate::Predicate;
use hardbop_slice::Slice;

pub use hardbop_predicate::{AtLoop, Literal};
pub use reason::{Reason, stopped};

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
    Backward(Box<BackwardEvidence>),
    /// All runs are bounded, and none of them does; the entries and heads of loops that some of them pass.
    Unrolled(hardbop_unroll::UnrollOptions, Vec<(ProcId, LocationId)>),
}

/// A backward proof, and what it says in words.
#[derive(Debug)]
pub struct BackwardEvidence {
    /// The proof.
    pub proof: Backward,
    /// What holds at loops, and what recursive procedures do.
    pub invariants: Vec<KnownInvariant>,
    /// What holds at loops, in parts, for those who can name only some variables.
    pub loops: Vec<AtLoop>,
}

/// Something that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownInvariant {
    /// Whether it is about the head of a loop; else it is the summary of the procedure.
    pub is_loop: bool,
    /// The procedure.
    pub procedure: ProcId,
    /// Where.
    pub span: Span,
    /// What holds; in summaries `old(…)` marks values when the procedure is entered, and `\result` is
    /// what it returns.
    pub text: String,
}

/// A run that breaks the property.
#[derive(Debug)]
pub struct Counterexample {
    /// What is broken.
    pub property: Property,
    /// The run, with all values that it drew.
    pub run: Run,
}

impl Counterexample {
    /// Where the run breaks it.
    pub fn site(&self) -> Option<ErrorSite> {
        let site = self.run.outcome.site()?;
        Some(ErrorSite { procedure: site.procedure, edge: site.edge })
    }
}

/// A verdict with how it was found.
#[derive(Debug)]
pub struct CheckOutcome {
    /// The answer.
    pub verdict: Verdict,
    /// The predicates in use at the end.
    pub predicates: Vec<Predicate>,
    /// Refinements made.
    pub iterations: usize,
    /// Hoare triples that the certificate took.
    pub triples: usize,
    /// How long the engine that has the verdict took to certify what it found.
    pub certifying: Duration,
    /// Certificates that were refused: each is a defect, whoever has the verdict.
    pub refused: Vec<String>,
    /// Defects of engines without which there is a verdict all the same.
    pub defects: Vec<String>,
    /// Who worked on it, in the order of the team.
    pub team: Vec<Member>,
    /// The errors that the verdict is about.
    pub errors: Vec<ErrorSite>,
    /// What slicing left; nothing if it was not asked for, or if it was not needed.
    pub slice: Option<Slice>,
    /// The program, with the expressions of its predicates and the ghosts of its proof.
    pub program: Program,
}

impl CheckOutcome {
    /// Nothing is known yet of a program, and nothing of it but predicates is given.
    pub fn new(program: &Program, given: &[Predicate]) -> Self {
        CheckOutcome {
            verdict: Verdict::Unknown(Reason::Stopped(Stop::Interrupt)),
            predicates: given.to_vec(),
            iterations: 0,
            triples: 0,
            certifying: Duration::ZERO,
            refused: Vec::new(),
            defects: Vec::new(),
            team: Vec::new(),
            errors: program.errors(),
            slice: None,
            program: program.overlay(),
        }
    }
}

/// An engine of the team that worked on a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub engine: &'static str,
    /// When it begins.
    pub begins: &'static str,
    /// What it did.
    pub did: EngineStatus,
}

/// What an engine did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineStatus {
    /// It has the verdict.
    Decided,
    /// It ended without one, or another engine was faster.
    Ended,
    /// What it found was refused by its certificate.
    Refused,
    /// It waited for a bell that was not rung.
    NotCalled,
    /// It had a defect.
    Panicked,
}

impl EngineStatus {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            EngineStatus::Decided => "decided",
            EngineStatus::Ended => "ended without a verdict",
            EngineStatus::Refused => "found what its certificate refused",
            EngineStatus::NotCalled => "was not started",
            EngineStatus::Panicked => "had a defect",
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

/// The verdict of a run that was replayed.
pub fn failed(run: Run) -> Verdict {
    match run.outcome.clone() {
        RunOutcome::Error { property, .. } => Verdict::False(Box::new(Counterexample { property, run })),
        other => Verdict::Unknown(Reason::NotReplayed(other.name().to_owned())),
    }
}
