//! Leaping loops: must-reachability through loops of any length, without unrolling them.
//!
//! Ball, Kupferman and Sagiv, "Leaping loops in the presence of abstraction" (CAV 2007). Abstraction shows that a loop
//! may be left, not that it is. If the states of the loop are finitely many, and its transitions form
//! chains that cannot be entered but at an entry port nor end but at an exit port, then every chain leads from one
//! port to the other, however long it is. That is checked on the abstraction, by questions to a solver.
//!
//! ```text
//!  program ──system──▶ transitions from cut to cut ──mts──▶ may, must⁺, must⁻ between abstract states
//!                                                    │
//!        inputs of a run ◀──plan── chain ◀──cross──── path (leap)
//!                                            │
//!                     choice, inverse, theorem, invariant, simplify
//! ```
//!
//! - `system`: what a transition is; `set`: sets of states; `query`: questions about them;
//! - `mts`: the modal transition system over predicates (§2); `leap`: which paths are tried (§4.3);
//! - `chain`: ports along a path, and the one flip (§4.1, footnote 3); `cross`: one loop, and refinement;
//! - `theorem`: the conditions of Theorems 1 and 2 (§3, §4.2); `inverse`: strongest postconditions;
//!   `invariant`: bounds that refinement adds; `choice`: determinisation (§5);
//! - `range`: integers that a machine holds (§3);
//! - `plan`: what to feed to the program so that it goes that way.
//!
//! The same system tells what no run leaves: `inductive` finds conditions at loops that keep errors away, from what
//! the program compares and from what `sample`s have in common (`affine`).
//!
//! Sound by construction: a claim is made only if the solver proved its conditions. Even so a claim is no verdict:
//! who reports an error makes the run first. What the paper prints wrongly and what is done instead is
//! said in the files.
//!
//! The crate knows nothing of refinement, of certificates and of its callers.

mod affine;
mod chain;
mod choice;
mod cross;
mod inductive;
mod invariant;
mod inverse;
mod leap;
mod mts;
mod plan;
mod query;
mod range;
mod sample;
mod set;
pub mod show;
mod simplify;
mod system;
mod theorem;

pub use chain::{Chain, Link, follow};
pub use choice::{LeapStep, Resolution, Schedule, procedure_of_choice};
pub use cross::{Crossing, Direction};
pub use inductive::{Proposals, inductive};
pub use leap::{Joined, Leap, LeapOptions, Leaper, Where};
pub use mts::{Move, Mts};
pub use plan::Plan;
pub use query::Query;
pub use set::Set;
pub use system::{Branch, Draw, Failure, Kind, Node, NodeId, System, Use};
