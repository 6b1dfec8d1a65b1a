//! Evidence for others: what a verdict rests on, in forms that people and other tools read.
//!
//! - [`summary`] is a verdict with what stands behind it, as data and as text;
//! - [`invariants`] writes down what a proof says;
//! - [`story`] tells a run that reaches an error as a programmer would;
//! - [`witness`] writes witnesses in the YAML format 2.0 of SV-COMP, for proofs and for errors;
//! - [`harness`] writes a C file that makes a compiled program take the inputs of a run.
//!
//! Invariants:
//! - plain data in, text out: no files, no clock, no random numbers; the caller supplies identifiers,
//!   times and the bytes of files;
//! - the same data gives the same text;
//! - what the text cannot reproduce is said.
//!
//! This crate knows proofs and predicates as data. It knows nothing of how a verdict was found, of logic,
//! or of boolean programs.

pub mod harness;
pub mod invariants;
mod names;
pub mod story;
pub mod summary;
pub mod witness;
