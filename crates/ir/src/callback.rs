//! Calls that functions without a definition make of procedures of the program.
//!
//! Such a function calls what it knows: procedures whose addresses it was given, or can reach. That is written into the
//! program itself, as a body for the external procedure (`hardbop_lower::with_callbacks`), so that only one question is
//! left that no statement can ask: whether an address is known outside *by now*. The external procedure [`KNOWN`] answers it. In
//! a run the interpreter knows ([`crate::interpret`]); for the analyses its result is arbitrary, as that of any pure
//! external procedure, so that they reckon with more calls and never with fewer.

use crate::{Effect, Procedure, Program};

/// The name of the external procedure that says whether the procedure whose address it is given is known outside of the
/// program: 0 or 1. Its effect is [`Effect::Pure`].
pub const KNOWN: &str = "$known";

/// What the name of an external procedure ends in that stands for what a function without a definition does itself, where
/// the procedure of its name is that and the calls that it makes of the program.
pub const ITSELF: &str = "$itself";

/// What the name of an external procedure ends in whose result is an argument of a call from outside.
pub const GIVEN: &str = "$given";

/// What an input of a run says of which procedure is called from outside; the procedures follow.
pub const WHICH: &str = "which function of the program is called from outside (0: none";

/// Whether a value of the input [`WHICH`], with its whole text, means that nothing is called.
pub fn calls_nothing(text: &str, value: u128) -> bool {
    value == 0 || value > text.matches(", ").count() as u128
}

impl Program {
    /// Whether some external procedure calls procedures of the program.
    pub fn has_callbacks(&self) -> bool {
        self.procedures.values().any(Procedure::asks_what_is_known)
    }
}

impl Procedure {
    /// Whether this is the procedure [`KNOWN`].
    pub fn asks_what_is_known(&self) -> bool {
        self.name == KNOWN && self.external == Some(Effect::Pure)
    }

    /// What the source calls the function that this procedure stands for.
    pub fn source_name(&self) -> &str {
        self.name.strip_suffix(ITSELF).filter(|_| self.external.is_some()).unwrap_or(&self.name)
    }
}
