//! Boolean programs for tests: random ones, all of a tiny shape, and a slow reference explorer.

mod explore;
mod random;
mod tiny;

pub use explore::explore;
pub use random::{Options, random};
pub use tiny::tiny;
