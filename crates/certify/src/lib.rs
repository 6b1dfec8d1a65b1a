//! Checks verdicts before anybody sees them, with code that did not produce them.
//!
//! - A proof is a relation for each cut point of each procedure, between the predicates when the
//!   procedure was entered and the predicates now. [`proof::check`] verifies it as a set of Hoare
//!   triples, one for each path between cut points: calls, recursion, the start of the program and
//!   error locations included. A solver is asked that the search did not use.
//! - A proof that goes backwards has sets of states from which errors are reached, and summaries of values;
//!   [`backward::check`] verifies it in the same manner.
//! - A counterexample is a list of inputs. [`replay::replay`] runs the program with them and looks
//!   whether the error is reached, without depending on what standard functions without a model may do.
//!
//! A refusal says which triple does not hold, and for which values ([`broken`]).
//!
//! Nothing is shared with abstraction, the checkers of boolean programs or path analysis but the
//! encoder (`semantics`) and the predicates themselves. Paths are followed by a walker of its own (`walk`).

mod ask;
pub mod backward;
pub mod broken;
mod dependence;
mod goals;
pub mod proof;
mod rejection;
pub mod replay;
pub mod unrolled;
mod walk;
