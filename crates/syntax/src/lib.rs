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
//! process: text that [needs preprocessing](needs_preprocessing) is for the caller to preprocess.
//!
//! What gcc 12 accepts by default is accepted, implicit declarations and mixed-up pointers included,
//! with these exceptions: brackets nested more than 256 deep that mean something, anything else nested more than
//! 150,000 deep, and global register variables other than the stack pointer. A `switch` takes time quadratic in the number of its cases (100,000: seconds).
//!
//! Where the front end differs from gcc on what programs mean, and this crate does not make up for
//! it: the layout of records with `ms_struct` for ILP32, with both `packed` and `#pragma pack`, or
//! with `aligned` on a bit-field; `__alignof__` of 8-byte types for ILP32. The tests hold these cases.
//! Also the values of hexadecimal floating constants with exponents near 2³¹.
//!
//! The front end is not trusted: it runs on a stack of its own that is large enough for the text,
//! and a panic in it is reported as an internal defect.

pub mod ast;
mod complete;
mod convert;
mod depth;
mod dump;
mod flatten;
mod frontend;
mod hoist;
mod markers;
mod options;
mod preprocess;
mod rewrite;
mod spans;
mod stub;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hardbop_base::{Diagnostic, Diagnostics, FileId, Severity, Sources, Span};
use rustc_hash::FxHashSet;

pub use dump::dump;
pub use options::{Standard, SyntaxOptions};
pub use preprocess::{PreprocessorOption, gcc_arguments, needs_preprocessing};

/// Messages beyond this many are only counted.
const MESSAGE_LIMIT: usize = 50;

/// Reads a text that is already in `sources`: the tree and warnings, or messages with at least one
/// error. Line markers in the text become the file's line map.
pub fn parse(
    sources: &mut Sources,
    file: FileId,
    options: &SyntaxOptions,
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
    options: &SyntaxOptions,
) -> (FileId, Result<(ast::Unit, Diagnostics), Diagnostics>) {
    let file = sources.add(name, printable(bytes));
    (file, read(sources, file, bytes, options))
}

/// The stack that the front end gets in any case, and on top for each level of nesting of
/// expressions and statements and of types, in bytes. Twice what the worst constructs were seen to
/// use.
const BASE_STACK: usize = 64 << 20;
const STACK_PER_LEVEL: usize = 4 << 10;
const STACK_PER_TYPE: usize = 2 << 10;

/// Texts that nest more deeply are rejected.
const MAX_LEVELS: usize = 150_000;

fn read(
    sources: &mut Sources,
    file: FileId,
    bytes: &[u8],
    options: &SyntaxOptions,
) -> Result<(ast::Unit, Diagnostics), Diagnostics> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(single(Span::none(), "the text is larger than 4 GB"));
    }
    let lines = spans::Lines::new(file, bytes);
    let mut lexed = match catch_unwind(AssertUnwindSafe(|| frontend::lex(bytes, &lines, options))) {
        Ok(lexed) => lexed,
        Err(_) => return Err(defect()),
    };
    sources.set_lines(file, std::mem::take(&mut lexed.lines));
    let depth = match lexed.depth(MAX_LEVELS) {
        Ok(depth) => depth,
        Err(at) => {
            let message =
                format!("expressions, statements or types nested more deeply than {MAX_LEVELS} levels");
            return Err(single(frontend::span(&lines, at), message));
        }
    };
    let stack = BASE_STACK + STACK_PER_LEVEL * depth.levels + STACK_PER_TYPE * depth.types;
    let data_model = options.data_model;
    let work = move || {
        let (typed, mut found) = frontend::check(lexed, &lines);
        let unit = typed.map(|typed| convert::unit(&typed, &lines, file, data_model));
        found.extend(unit.iter().flat_map(complete::void_parameters));
        (unit, found)
    };
    let (unit, found) = on_stack(stack, work)?;
    let diagnostics = limited(found);
    match unit {
        Some(unit) if !diagnostics.has_errors() => Ok((unit, diagnostics)),
        _ => Err(diagnostics),
    }
}

/// Runs the front end on a stack of its own, so that neither its recursion nor a panic in it is a
/// concern of the caller. (The message of a panic still goes to standard error, by the process's
/// panic hook.)
fn on_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Result<T, Diagnostics> {
    let mut work = Some(work);
    // The address space may be limited. What is generous for the base is then less so.
    for spared in [0, BASE_STACK / 2, BASE_STACK / 4 * 3, BASE_STACK / 8 * 7] {
        let builder = std::thread::Builder::new().name("c-front-end".to_owned());
        let thread = builder.stack_size(bytes.saturating_sub(spared));
        let started = std::thread::scope(|scope| {
            let run = || work.take().map(|work| work());
            thread.spawn_scoped(scope, run).map(std::thread::ScopedJoinHandle::join)
        });
        if let Ok(result) = started {
            return result.ok().flatten().ok_or_else(defect);
        }
    }
    let message = format!("no thread with {} MB of stack for the C front end", bytes >> 20);
    Err(single(Span::none(), message))
}

fn defect() -> Diagnostics {
    single(Span::none(), "internal defect in the C front end")
}

fn single(span: Span, message: impl Into<String>) -> Diagnostics {
    [Diagnostic::error(span, message)].into_iter().collect()
}

/// The messages in the order of the text, errors before all else if there are too many.
fn limited(mut found: Vec<Diagnostic>) -> Diagnostics {
    // An error that repeats a warning is the one to keep.
    found.sort_by_key(|d| (d.span.line, d.span.column, std::cmp::Reverse(d.severity)));
    let mut seen = FxHashSet::default();
    found.retain(|d| seen.insert((d.span, d.message.clone())));
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

/// The bytes as text of the same length that can be shown.
fn printable(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.extend(chunk.valid().chars().map(|c| if c == '\0' { '?' } else { c }));
        out.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    out
}
