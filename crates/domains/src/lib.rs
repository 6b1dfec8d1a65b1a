//! Abstract values: sets of numbers that are cheap to compute with.
//!
//! ```text
//! Interval                        all integers from one to another
//! value(program, expr, loads)     what an expression can be, given what loads can give
//! assume(program, condition, env) what a condition says about the places in it
//! ```
//!
//! Who knows about memory and control flow (`alias::ranges`) brings both along; here are the laws of the operators. All
//! results include what the interpreter computes: values of machine integers wrap around, so whatever could leave its
//! type may be anything of that type.
//!
//! This crate knows expressions, not logic and not memory.

mod expr;
mod interval;

pub use expr::{Environment, assume, value};
pub use interval::Interval;
