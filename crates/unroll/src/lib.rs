//! Bounded symbolic unrolling: all runs of a program up to a bound, as one formula.
//!
//! The program is executed symbolically from its start. Where ways meet, their states are merged: a cell
//! that differs gets a choice between its values, by the condition of the way. Loops are unrolled and
//! calls are inlined, as often as a bound allows; an iteration that cannot be left, because the
//! condition of the loop is decided by constants, does not count. What is beyond the bound is cut
//! off, with the condition under which a run gets there.
//!
//! - An error whose condition can be satisfied gives the inputs of a run to it.
//! - If no error can be reached and nothing was cut off, there is no error at all.
//!
//! The crate asks a solver only whether a way that would be unrolled further can be taken.

mod decide;
mod unroll;

pub use decide::{Bounded, decide};
pub use unroll::{Drawn, Entered, Failure, UnrollOptions, Unrolling, unroll};
