//! What pointers point to, and what follows from it.
//!
//! ```text
//! Alias::of(&program, &budget) ─▶ Alias      points-to sets, registers, the call graph
//! Regions::of(&program, &alias, places) ─▶ Regions   memory cut into regions; what procedures read and write
//! ```
//!
//! The analysis is flow- and context-insensitive, and sensitive to fields: it knows positions in
//! objects, not types, because C programs cast.
//!
//! Invariants:
//! - every access that a run of the interpreter performs lies in an object and at a position that the
//!   analysis gives for the place accessed; [`Checker`] watches a run and compares the two. The one assumption
//!   behind that is stated in `flow.rs`: addresses are not made up;
//! - accesses outside of an object end the run, so positions there are left out; nothing else is;
//! - the result does not depend on the order of hash tables: objects and regions are numbered in the order of
//!   the program.
//!
//! This crate knows programs, not logic and not predicates.

mod access;
mod calls;
mod check;
mod effects;
mod flow;
mod grid;
mod lives;
mod location;
mod object;
mod observed;
mod partition;
mod query;
mod ranges;
mod region;
mod show;
mod solve;
mod uninitialised;
mod walk;

pub use access::{BulkKind, Footprint, footprint};
pub use calls::CallGraph;
pub use check::{Checker, Violation};
pub use grid::{Grid, Row};
pub use location::{AccessBytes, Location};
pub use object::{Object, ObjectId, ObjectKind, Objects};
pub use query::Alias;
pub use region::{Bulk, Effects, Leaf, NotCovered, Region, RegionId, RegionKind, Regions, Target};
pub use show::show;
