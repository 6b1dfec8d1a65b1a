//! Proofs as text: what a verdict rests on, in a file that another process reads and checks from scratch.
//!
//! `docs/proof.md` describes the format. A file says for which program it is (hashes of its inputs, the options that
//! determine its meaning, a hash of its text form) and one kind of evidence:
//!
//! - `invariants`: predicates, ghosts, and a relation for each cut point ([`certify::proof`](hardbop_certify::proof));
//! - `backward`: sets of failing states and summaries ([`certify::backward`](hardbop_certify::backward));
//! - `unrolled`: the number of steps within which all runs end ([`certify::unrolled`](hardbop_certify::unrolled));
//! - `run`: the inputs of a run that reaches an error ([`certify::replay`](hardbop_certify::replay)).
//!
//! Invariants:
//! - what is printed is read back to evidence that says the same about the same program;
//! - reading checks form only (names, positions, scopes, sorts); whether the evidence holds is asked of
//!   `certify` alone, by [`judge`], with solvers that start afresh;
//! - whatever the text says, reading it neither panics nor recurses deeper than a fixed limit;
//! - nothing here knows how a proof was found, or files and clocks.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod body;
mod cursor;
mod header;
mod inputs;
mod judge;
mod place;
mod print;
mod relation;
mod terms;

use hardbop_base::{Diagnostics, FileId};
use hardbop_certify::backward::Backward;
use hardbop_certify::proof::Proof;
use hardbop_ir::Program;

pub use header::{Header, Input, Kind, fingerprint, sha256};
pub use inputs::{ErrorAt, InputAt, RunInputs};
pub use judge::{Judgement, Refused, judge};
pub use place::{edge_position, location_position, span_position};
pub use print::{Shown, Unprintable, print};

/// The version of the format, which stands in the first line.
pub const VERSION: u64 = 1;

/// How deep parentheses may be nested.
const MAX_NESTING: usize = 200;

/// What a verdict rests on.
#[derive(Debug)]
pub enum Evidence {
    /// Relations for each cut point of the program with ghosts.
    Invariants(Box<Proof>),
    /// Sets of failing states, and summaries.
    Backward(Box<Backward>),
    /// All runs end within so many steps of execution, and none of them reaches an error.
    Unrolled(u64),
    /// A run that reaches an error.
    Run(RunInputs),
}

impl Evidence {
    /// Its kind, as the first line of a file names it.
    pub fn kind(&self) -> Kind {
        self.shown().kind()
    }

    /// The evidence to be written.
    pub fn shown(&self) -> Shown<'_> {
        match self {
            Evidence::Invariants(proof) => Shown::Invariants(proof),
            Evidence::Backward(proof) => Shown::Backward(proof),
            Evidence::Unrolled(steps) => Shown::Unrolled(*steps),
            Evidence::Run(run) => Shown::Run(run),
        }
    }
}

/// A file of which the header is known.
pub struct Opened<'t> {
    /// What it says about itself and the program.
    pub header: Header,
    file: FileId,
    text: &'t str,
    rest: u32,
}

/// Reads the header of a file.
pub fn open(file: FileId, text: &str) -> Result<Opened<'_>, Diagnostics> {
    let mut cursor = cursor::Cursor::new(file, text);
    match header::parse(&mut cursor) {
        Ok(header) => Ok(Opened { header, file, text, rest: cursor.token.start }),
        Err(_) => Err(cursor.diagnostics),
    }
}

impl Opened<'_> {
    /// Reads the evidence, for the program that the header names; also gives that program with the ghosts of the
    /// evidence and the expressions that it mentions.
    pub fn evidence(
        &self,
        program: &Program,
        budget: &hardbop_base::Budget,
    ) -> Result<(Program, Evidence), Unreadable> {
        let mut cursor = cursor::Cursor::new(self.file, self.text);
        cursor.go_to(self.rest);
        match body::parse(&mut cursor, self.header.kind, program, budget) {
            Ok(read) => Ok(read),
            Err(body::Fault::Stopped(stop)) => Err(Unreadable::Stopped(stop)),
            Err(body::Fault::Said) => Err(Unreadable::Malformed(cursor.diagnostics)),
        }
    }
}

/// Why there is no evidence.
#[derive(Debug)]
pub enum Unreadable {
    /// The text is wrong, or does not fit the program.
    Malformed(Diagnostics),
    /// A limit was reached.
    Stopped(hardbop_base::Stop),
}
