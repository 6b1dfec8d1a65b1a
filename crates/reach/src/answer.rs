//! What every engine answers.

use hardbop_base::Stop;
use hardbop_bp::{LocId, ProcId, Trace};
use rustc_hash::FxHashMap;

use crate::{Diagram, NodeId};

/// The answer to "can the goal be reached?".
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Yes, and a trace that shows it if the engine was asked for one (or makes one anyway). Engines
    /// with over-approximating value semantics answer `Reachable` without a trace.
    Reachable(Option<Trace>),
    /// No.
    Unreachable,
    /// Not found out.
    Unknown(Reason),
}

/// Why an engine gave up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The budget was spent.
    Stopped(Stop),
    /// The BDD manager ran out of nodes.
    Nodes(usize),
    /// The explicit engine visited this many nodes of the exploded graph.
    States(usize),
    /// The engine contradicts itself: a defect of ours.
    Defect(String),
    /// The engine does not handle this program, for the reason given.
    Unsupported(String),
}

/// Everything an engine has to say.
#[derive(Debug, Clone)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// The reachable states, if asked for and if the engine computes them.
    pub invariant: Option<Invariant>,
    /// Figures, in the order to print them.
    pub stats: Vec<Stat>,
}

/// A figure about a run: a name and a value.
pub type Stat = (&'static str, String);

/// The states that can be reached, as relations between the entry of a procedure and a location of
/// it: a state is in the relation if some activation entered with the entry values gets there with
/// the current values.
#[derive(Debug, Clone, Default)]
pub struct Invariant {
    /// Holds all relations.
    pub diagram: Diagram,
    /// Per location; what is missing cannot be reached.
    pub locations: FxHashMap<LocId, NodeId>,
    /// Per procedure: from entry to exit, over globals, formals (at entry) and results (at exit).
    pub summaries: FxHashMap<ProcId, NodeId>,
}
