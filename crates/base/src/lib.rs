//! What every crate needs and none owns: typed ids and arenas, source positions, diagnostics,
//! resource budgets, searches in graphs, the data model, and what the readers of all text formats share.
//!
//! Invariants:
//! - plain data only: no files, no clock, no terminal, no global state;
//! - positions are 1-based lines and 1-based *byte* columns of the text that was read; a
//!   [`LineMap`] translates them to the file and line the programmer wrote;
//! - nothing here knows C, logic or boolean programs.

mod arena;
mod budget;
mod data_model;
mod diagnostics;
pub mod graph;
mod shared;
mod source;
pub mod text;

pub use arena::{Arena, Id};
pub use budget::{Budget, Stop};
pub use data_model::DataModel;
pub use diagnostics::{Diagnostic, Diagnostics, Severity};
pub use shared::Shared;
pub use source::{FileId, LineIndex, LineMap, Origin, SourceFile, Sources, Span};
