//! The loop: abstract, check, try the trace, refine; and the verdict, after it was checked.
//!
//! ```text
//!   predicates ──abstraction──▶ boolean program ──reach──▶ unreachable ──certify──▶ TRUE
//!        ▲                                            └──▶ trace ──path──▶ feasible ──certify──▶ FALSE
//!        └──────────────────────────── proposals ◀──────────┘ infeasible
//! ```
//!
//! Nothing here decides anything by itself. A verdict whose certificate is refused is unknown, and so
//! is one that a limit or something unsupported stands in the way of.

mod divergence;
mod dormant;
mod evidence;
mod flags;
mod frame;
mod guess;
mod learn;
mod machine;
mod opaque;
mod refine;
mod single;
mod sources;
mod trace;

pub use refine::search;
pub use single::{ErrorPath, error_path};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct RefinementOptions {
    /// How predicates are abstracted.
    pub abstraction: hardbop_abstraction::AbstractionOptions,
    /// The most refinements.
    pub max_iterations: usize,
    /// Whether invariants of loops are guessed when refinement gets nowhere.
    pub guess: bool,
}

impl Default for RefinementOptions {
    fn default() -> Self {
        RefinementOptions {
            abstraction: hardbop_abstraction::AbstractionOptions { keep_dead: false, ..Default::default() },
            max_iterations: 1000,
            guess: true,
        }
    }
}
