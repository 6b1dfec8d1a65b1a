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
//! This crate knows neither the program representation nor logic. It touches no files and runs no
//! process: text that needs preprocessing is for the caller to preprocess.

pub mod ast;
mod convert;
mod frontend;
mod markers;
mod options;
mod spans;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hardbop_base::{Diagnostic, Diagnostics, FileId, Severity, Sources, Span};

pub use options::{Options, Standard};

/// Messages beyond this many are only counted.
const MESSAGE_LIMIT: usize = 50;

/// Reads a text that is already in `sources`: the tree and warnings, or messages with at least one
/// error. Line markers in the text become the file's line map.
pub fn parse(
    sources: &mut Sources,
    file: FileId,
    options: &Options,
) -> Result<(ast::Unit, Diagnostics), Diagnostics> {
    let text = sources.file(file).text.clone().unwrap_or_default();
    read(sources, file, text.as_bytes(), options)
}

/// Adds a text of any bytes to `sources` and reads it. Bytes that are not UTF-8 are shown as `?`
/// but keep their value in literals.
pub fn parse_bytes(
    sources: &mut Sources,
    name: &str,
    bytes: &[u8],
    options: &Options,
) -> (FileId, Result<(ast::Unit, Diagnostics), Diagnostics>) {
    let file = sources.add(name, printable(bytes));
    (file, read(sources, file, bytes, options))
}

fn read(
    sources: &mut Sources,
    file: FileId,
    bytes: &[u8],
    options: &Options,
) -> Result<(ast::Unit, Diagnostics), Diagnostics> {
    let lines = spans::Lines::new(file, bytes);
    let result = catch_unwind(AssertUnwindSafe(|| {
        let output = frontend::run(bytes, &lines, options);
        let unit = output.typed.map(|typed| convert::unit(&typed, &lines, file, options.data_model));
        (unit, output.lines, output.diagnostics)
    }));
    let Ok((unit, map, found)) = result else {
        let message = "internal defect in the C front end";
        return Err([Diagnostic::error(Span::none(), message)].into_iter().collect());
    };
    sources.set_lines(file, map);
    let diagnostics = limited(found);
    match unit {
        Some(unit) if !diagnostics.has_errors() => Ok((unit, diagnostics)),
        _ => Err(diagnostics),
    }
}

/// The messages in the order of the text, errors before all else if there are too many.
fn limited(mut found: Vec<Diagnostic>) -> Diagnostics {
    found.sort_by_key(|d| (d.span.line, d.span.column));
    if found.len() > MESSAGE_LIMIT {
        found.sort_by_key(|d| std::cmp::Reverse(d.severity));
        let more = found.len() - MESSAGE_LIMIT;
        found.truncate(MESSAGE_LIMIT);
        found.push(Diagnostic {
            severity: Severity::Note,
            ..Diagnostic::error(Span::none(), format!("{more} more messages are not shown"))
        });
    }
    found.into_iter().collect()
}

/// The bytes as text of the same length.
fn printable(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    out
}
