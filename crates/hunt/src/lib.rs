//! Hunts for wrong verdicts.
//!
//! - [`session`]: runs as an oracle. A program is run, on random inputs and on inputs that a solver chose; where a
//!   run passes, an error is planted that it reaches ([`plant`]). Whatever engine is asked, with whatever options:
//!   TRUE is wrong. What proofs claim is compared with runs ([`invariants`]), and so is what the encoder says
//!   of their steps ([`opinion`]).
//! - [`random`]: random C programs, run by gcc on all inputs of a small range.
//! - What is found is made smaller ([`shrink`]) and saved with a line that shows it.
//!
//! Each program is hunted in by a process of its own, so that a crash costs nothing but that program.
//! Everything follows from a seed.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod candidates;
pub mod checker;
pub mod chosen;
pub mod clock;
pub mod command;
pub mod corpus;
pub mod inputs;
pub mod invariants;
pub mod opinion;
pub mod plant;
pub mod random;
pub mod record;
pub mod report;
pub mod session;
pub mod shrink;
