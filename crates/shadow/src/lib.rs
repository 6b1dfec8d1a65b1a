//! Runs of the interpreter, followed by the encoder: the two must agree about every step.
//!
//! A [`Shadow`] watches a run. It keeps a model that gives each cell of the encoder's store the value
//! that it has in the run, executes each step symbolically, and evaluates what comes out in that model:
//!
//! - what a run must satisfy to get past the step (guards, definedness, facts about addresses) must hold,
//!   since the run got past it;
//! - registers, and memory that is alive, must hold what they hold in the run: all of it after each step,
//!   so that a write that the encoder misses is seen although nothing reads it.
//!
//! Values that the encoder leaves open are read off the run. So the model is a witness that the run is one
//! that the encoder allows; tests of what is made from the encoder's terms (predicates, preconditions,
//! abstract steps) evaluate them in it.
//!
//! What the run leaves open is fixed by [`Draws`]: storage that was never written holds the same byte
//! everywhere, so that it has a value in the model before the run first reads it. Memory that is no longer
//! alive keeps what it held.
//!
//! Nothing here is part of the tool.

mod actual;
mod draws;
mod matching;
mod predicates;
mod programs;
mod shadow;
mod trail;

pub use draws::Draws;
pub use predicates::{Atoms, random_predicates};
pub use programs::{c_files, lowered, lowered_file};
pub use shadow::{Event, Followed, Shadow, Watch, follow};
pub use trail::{Trail, trail};
