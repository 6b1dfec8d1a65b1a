//! Predicates as a language: C expressions over what is in scope, read from files and printed back.
//!
//! A [`Predicate`] is an expression of the program of type bool, and a scope: all of the program, or one
//! procedure. `docs/predicates.md` describes the files, whose expressions are C's:
//!
//! ```text
//! global: locked == 1, queue != NULL;
//! proc send: n > 0 && buffer[n - 1] == 0, return == -1;
//! ```
//!
//! The parts: `lex` makes tokens, `parse` and `type_names` read them, `types` knows C's conversions,
//! `scope` knows what names mean, and `print` with `forms` writes predicates so that they are read back as
//! what they were. What predicates speak of need not be there: a [`Ghost`] is a variable that remembers it.
//!
//! What is shown with predicates is data here, without what checks it: a [`Proof`] relates them at the cut points of a
//! program, and [`AtLoop`] is what is known at a loop as text.

mod at_loop;
mod forms;
mod ghost;
mod lex;
mod mentions;
mod parse;
mod print;
mod proof;
mod scope;
mod type_names;
mod types;

use hardbop_ir::{ExprId, ProcId};

pub use at_loop::{AtLoop, Literal};
pub use ghost::{Ghost, GhostFault, instrument_ghosts, is_of_ghost, own_variables};
pub use mentions::{places, variables};
pub use parse::{Lined, parse_block, parse_lines, parse_predicates};
pub use print::{Printer, Section, print_predicates, sections, show};
pub use proof::{Proof, Relation, Slot};

/// How deep operators may be nested in the text of a predicate.
pub const MAX_NESTING: u32 = 500;

/// Where a predicate has a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Everywhere: it speaks of globals only.
    Global,
    /// In one procedure: it may speak of its variables, too.
    Procedure(ProcId),
}

impl Scope {
    /// The procedure, if it is one.
    pub fn procedure(self) -> Option<ProcId> {
        match self {
            Scope::Global => None,
            Scope::Procedure(id) => Some(id),
        }
    }
}

/// A condition on the state of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Predicate {
    /// Where it has a meaning.
    pub scope: Scope,
    /// The condition, of type bool.
    pub expr: ExprId,
}
