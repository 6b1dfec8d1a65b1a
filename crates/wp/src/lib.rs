//! The backward engine: from the errors back to the start of the program, by pre-images that are exact
//! but for an exterior cover at loops and at recursive procedures (T. Ball, *Formalizing
//! Counterexample-driven Refinement with Weakest Preconditions*, 2004, `001…`).
//!
//! ```text
//!   predicates ──rounds──▶ the start is not reached ──certify──▶ TRUE
//!        ▲            └──▶ reached in k rounds ──bounded──▶ some run fails ──certify──▶ FALSE
//!        └────────── atoms of interpolants ◀─────────────────┘ none does
//! ```
//!
//! - `space`: cut points, and what happens between them; procedures, references;
//! - `memory`: references;
//! - `pre`: pre-images, and summaries;
//! - `cover`: the exterior cover;
//! - `fixpoint`: rounds, and the least number of them that reaches the start;
//! - `bounded`: all runs of so many rounds;
//! - `holes`: summaries in them, and predicates for summaries;
//! - `interp`: pairs (A, B), interpolants, predicates;
//! - `arrays`: memory in these;
//! - `relate`: what is done about refinement that does not end.
//!
//! Each file says where the paper's text is not followed because the definitions behind it say
//! otherwise.
//!
//! The crate decides nothing by itself: a proof is checked by `certify`, and so is a run.

mod arrays;
mod ask;
mod bounded;
mod cover;
mod engine;
mod fit;
mod fixpoint;
mod holes;
mod interp;
mod memory;
mod pre;
mod relate;
mod show;
mod space;
#[cfg(test)]
mod tests;

pub use engine::{WpOptions, WpOutcome, check};
pub use show::Tracked;
