//! What is known at the heads of loops, as text: for reports, which may be able to name only some of the variables.

use hardbop_ir::{LocationId, ProcId, VarId};

/// What holds at the head of a loop, for all chains of calls that lead there, as far as variables that hold machine
/// integers can say it: one of these conjunctions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtLoop {
    /// The procedure.
    pub procedure: ProcId,
    /// The head.
    pub head: LocationId,
    /// The conjunctions.
    pub cubes: Vec<Vec<Literal>>,
}

/// A condition on variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The condition as an expression of C.
    pub text: String,
    /// The variables that it mentions.
    pub variables: Vec<VarId>,
}
