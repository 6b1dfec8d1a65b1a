//! Checkers for boolean programs: can an assertion fail, or a label be reached?
//!
//! One question, one answer type, three engines that are tested against each other:
//! - [`explicit`]: context-free-language reachability over single states, the reference;
//! - [`bdd`]: path edges and summaries as relations, for real work;
//! - [`sat`]: a satisfiability problem made from weakest-precondition equations.
//!
//! This crate never sees C, predicates or solvers of arithmetic.

mod answer;
pub mod bdd;
mod diagram;
pub mod explicit;
mod manager;
pub mod sat;

pub use answer::{Answer, Invariant, Reason, Report, Stat};
pub use diagram::{Diagram, NodeId, Slot};
