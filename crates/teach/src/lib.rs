//! The X language: one small language for the programs of the papers, over mathematical integers.
//!
//! ```text
//!  .x text ──parse──▶ ast::Program ──check──▶ typed program ──lower──▶ ir::Program
//!     ◀──Display──
//! ```
//!
//! - [`parse`] reads a text and reports all syntax errors; printing (`to_string`) is its inverse.
//! - [`check`] reports everything else that is wrong, all of it.
//! - [`load`] does all there is to do, from a text to a program that satisfies the verifier.
//!
//! The name and the core of the language (labels, parallel assignment, `?`, call by value) are those
//! of Ball and Rajamani, *Boolean Programs* (2000), §2; references are from Ball, *Formalizing
//! Counterexample-driven Refinement* (2004), §7; choice and `case` from Ball, Kupferman and Sagiv,
//! *Leaping Loops* (2007). `docs/x.md` has the grammar and the meaning, and says where they depart.
//!
//! The crate knows nothing of C or of logic, and does no input or output.

pub mod ast;
mod check;
mod lexer;
mod lower;
mod parser;
mod print;
pub mod testing;
mod typed;

use hardbop_base::{Diagnostics, FileId, Sources};
use hardbop_ir as ir;

pub use check::check;
pub use lower::{Integers, TeachOptions};
pub use parser::{MAX_NESTING, parse};

/// Reads a program: a text that is free of errors becomes a program of the representation.
///
/// # Errors
/// All syntax errors, or else all other errors, of the text.
pub fn load(sources: &Sources, file: FileId, options: &TeachOptions) -> Result<ir::Program, Diagnostics> {
    let text = sources.file(file).text.as_deref().unwrap_or_default();
    let (program, diagnostics) = parse(text, file);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    lower(&program, sources, options)
}

/// Checks and lowers a program that was read or built.
///
/// # Errors
/// All errors that syntax does not exclude.
pub fn lower(
    program: &ast::Program,
    sources: &Sources,
    options: &TeachOptions,
) -> Result<ir::Program, Diagnostics> {
    let typed = check::resolve(program)?;
    lower::lower(&typed, sources, options)
}
