//! Predicate abstraction (c2bp): from a program and predicates to a boolean program that has every
//! run the program has, and more.
//!
//! ```text
//!  ir::Program + predicates ──segment──▶ steps to abstract ──step──▶ covers ──emit──▶ bp::Program
//!                                                             │                       + BackMap
//!                                                       contradiction ──▶ solver
//! ```
//!
//! - a procedure is cut into segments (`segment`), each abstracted as one step (`step`) with what
//!   `semantics` says it does;
//! - everything asked of the solver has one form, and every answer is kept (`contradiction`);
//! - `signature` says which predicates pass between caller and callee;
//! - `emit` writes the boolean program; `back` says what its parts stand for;
//! - `strengthen` excludes from single steps what comes back although no run does it.
//!
//! Sound by construction: a cube is used only if the solver proved it; what it could not decide, or
//! what is longer than the limit, makes the result less precise, never wrong.
//!
//! The crate does not know who chose the predicates, nor what becomes of the boolean program.

mod abstractor;
mod back;
mod cells;
mod contradiction;
mod emit;
mod execution;
mod finite;
mod live;
mod plain;
mod print;
mod segment;
mod signature;
mod single;
#[cfg(test)]
mod soundness;
mod step;
mod strengthen;
mod untouched;

pub use abstractor::{Abstraction, AbstractionOptions, Abstractor, Backend, Method, Statistics};
pub use back::{BackMap, Origin};
pub use contradiction::Counts;
pub use finite::{finite_predicates, finite_variables, one_of_few};
pub use live::Liveness;
pub use print::print;
pub use segment::Granularity;

pub(crate) use abstractor::Context;
