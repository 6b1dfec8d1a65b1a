//! C text to a typed syntax tree.
//!
//! The third-party front end (the `rucc-*` crates) is an implementation detail: no type of it
//! appears in the interface, so it can be replaced without touching any other crate.
//!
//! Invariants of the tree (see [`ast`]):
//! - every expression has a type, every conversion is a node of its own, names are resolved, `sizeof`
//!   and enumerators are folded;
//! - record layouts are those of gcc for the data model asked for;
//! - every span speaks of the text that was read.
//!
//! This crate knows neither the program representation nor logic.

pub mod ast;
