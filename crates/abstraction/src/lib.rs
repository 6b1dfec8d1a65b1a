//! Predicate abstraction: a program and a set of predicates give a boolean program.
//!
//! So far this crate holds the predicates themselves, see [`predicate`].

pub mod predicate;
