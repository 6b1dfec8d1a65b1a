//! Boolean programs for tests: random ones, all of a tiny shape, families that
//! grow, and a slow reference explorer.

mod explore;
pub mod families;
mod random;
mod tiny;

pub use explore::{explore, path_edges};
pub use random::{Options, random};
pub use tiny::tiny;
