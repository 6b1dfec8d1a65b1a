//! Checkers for boolean programs: can an assertion fail, or a label be reached?
//!
//! One question, one answer type, three engines that are tested against each other:
//! - [`explicit`]: context-free-language reachability over single states, the reference;
//! - [`bdd`]: path edges and summaries as relations, for real work;
//! - [`sat`]: a satisfiability problem made from weakest-precondition equations.
//!
//! ```
//! use hardbop_base::{Budget, Id};
//! use hardbop_bp::{Goal, load, replay};
//! use hardbop_reach::{Answer, bdd};
//!
//! let check = |text: &str| {
//!     let flow = load(text, Id::from_usize(0)).unwrap();
//!     let options = bdd::BddOptions { trace: true, ..Default::default() };
//!     let answer = bdd::check(&flow, &Goal::Assertion, &options, &Budget::unlimited()).answer;
//!     (flow, answer)
//! };
//! let good = "decl a, b;\nvoid main() begin\n  a := *;\n  b := !a;\n  assert(a | b);\nend\n";
//! assert_eq!(check(good).1, Answer::Unreachable);
//!
//! // An error comes with a trace, which code that shares nothing with the engine replays.
//! let (flow, answer) = check(&good.replace("!a", "*"));
//! let Answer::Reachable(Some(trace)) = answer else { panic!("{answer:?}") };
//! assert_eq!(replay(&flow, &trace, &Goal::Assertion), Ok(()));
//! ```
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
