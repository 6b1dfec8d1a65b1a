//! Boolean programs for tests: random ones, all of a tiny shape, families that
//! grow, a slow reference explorer, and programs as Horn clauses.

mod explore;
pub mod families;
mod horn;
mod random;
mod tiny;

pub use explore::{explore, path_edges};
pub use horn::horn;
pub use random::{BooleanOptions, random};
pub use tiny::tiny;
