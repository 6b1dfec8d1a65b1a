//! What counts as an error in a program.
//!
//! - [`prp`] reads property files (`.prp`), the specification language of SV-COMP;
//! - [`task`] reads task definitions (`.yml`), which name the files of a program, their data model and
//!   the properties to check;
//! - a [`Specification`] says which functions, labels and assertions are errors, and [`select`] makes a
//!   program in which exactly those are.
//!
//! Invariants:
//! - texts come in as strings; the caller reads files and knows what their paths are relative to;
//! - whatever the text is, the answer is a value or located errors, in time linear in its length
//!   (task definitions are limited to [`yaml::MAX_BYTES`] and [`yaml::MAX_DEPTH`]);
//! - a property that is known but not supported is a value with its name, never taken for another one.
//!
//! The exact rules are documented in `docs/properties.md`. This crate knows nothing of C syntax, of
//! logic, or of how a property is decided.

pub mod prp;
mod specification;
pub mod task;
pub mod yaml;

pub use specification::{Specification, select};
