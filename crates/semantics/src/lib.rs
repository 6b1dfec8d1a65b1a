//! The one encoder from programs to logic: abstraction, path analysis and certification all use it,
//! so they cannot disagree about what a statement means.
//!
//! A [`State`] says, for each cell of the program's store, which term is its value. Executing
//! statements on it ([`Coder::execute`]) changes the terms; conditions that a run must satisfy to get
//! that far (guards, and the definedness of everything that was evaluated) are collected on the
//! side. Everything else follows from that one operation:
//!
//! - the weakest precondition of a predicate is the predicate read in the state after the statement,
//!   under the conditions collected ([`Coder::wp`]);
//! - the strongest postcondition is the conditions, with the state's terms equated to the new values
//!   ([`Coder::sp`]);
//! - a path is one state executed from end to end, with a fresh frame for each activation
//!   ([`path`]);
//! - all paths of a procedure are executed side by side, and go on as one where they meet ([`walk`]).
//!
//! # Cells
//!
//! A scalar variable whose address is never taken is a cell of its own (a *register*). Memory is cut
//! into regions by `alias`; a region is one cell that holds an array from addresses to values (of
//! one width, or bytes where widths mix), or just a value where the region is known to be a single
//! place of a single object. Reading what was written at another address is Morris' axiom: the
//! array's read-over-write compares the two addresses.
//!
//! # What is exact, what is not
//!
//! Machine arithmetic is bit-precise, `Type::Integer` is unbounded. An evaluation that the language
//! leaves undefined (division by zero, a shift by too much) ends the run: its condition joins the
//! collected ones. The same holds for an access through the null pointer, or outside of
//! the variable that it names. Compiled programs go on behind a shift by too much, so for proofs it gives anything
//! ([`Encoder::leave_shifts_open`]). Read in a predicate, an undefined operation has the value that
//! SMT-LIB gives it, so that a predicate is either true or false in every state.
//!
//! Over-approximated, so that more runs are possible here than in the program: whether a pointer
//! that is used points into a live object, unless heap objects are kept track of ([`Encoder::track_heap`]); results of
//! floating-point operations, unless they are asked for ([`Encoder::compute_floats`]; else, and for `long double`, some function of the
//! operands), and the sign and the payload of those that are not a number; copies and fills of many cells or of unknown length (the regions become
//! arbitrary). Addresses of objects are symbols; of those that a query mentions, the ones of objects that are
//! alive at the same time are asserted to be disjoint ([`Coder::axioms`]).
//!
//! The crate knows nothing of predicates as a set, of solvers, or of who asks.

mod aggregate;
mod axioms;
mod coder;
mod decode;
mod expr;
mod float;
mod fresh;
mod guide;
mod layout;
mod live;
mod outside;
mod place;
mod state;
mod statement;
mod tally;
mod watched;

pub mod path;
pub mod walk;

pub use coder::{Allocation, Application, Coder, Encoder, Function, Meaning, Object, Subject};
pub use decode::Decoder;
pub use fresh::{Fresh, FreshKind};
pub use guide::{Choice, Guide, guide};
pub use state::{Cell, Frame, State};
pub use statement::End;
pub use tally::Tally;
