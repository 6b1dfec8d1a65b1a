//! What a proof says about itself and about the program that it is for.

use std::fmt::Write;

use hardbop_base::text::Parse;
use hardbop_ir::{Program, text};
use sha2::{Digest, Sha256};

use crate::VERSION;
use crate::cursor::{Cursor, Pieces, quoted};

/// The kinds of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Relations for each cut point.
    Invariants,
    /// Sets of failing states, and summaries.
    Backward,
    /// A bound within which all runs end.
    Unrolled,
    /// The inputs of a run that reaches an error.
    Run,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Invariants, Kind::Backward, Kind::Unrolled, Kind::Run];

    /// The word in the first line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Invariants => "invariants",
            Kind::Backward => "backward",
            Kind::Unrolled => "unrolled",
            Kind::Run => "run",
        }
    }

    /// Whether it shows that no error can be reached.
    pub fn is_true(self) -> bool {
        self != Kind::Run
    }
}

/// An input file of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its name, without folders.
    pub name: String,
    /// The hash of its bytes.
    pub sha256: String,
}

/// What a proof is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The kind of evidence.
    pub kind: Kind,
    /// Who made it.
    pub producer: String,
    /// The files of the program, in order.
    pub inputs: Vec<Input>,
    /// What else determines the program's meaning: names with values.
    pub options: Vec<(String, Vec<String>)>,
    /// The [`fingerprint`] of the program.
    pub program: String,
}

/// The SHA-256 hash of some bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A hash of the text form of a program, without the names of the files that it was made from.
pub fn fingerprint(program: &Program) -> String {
    let text = text::print(program);
    let mut hash = Sha256::new();
    let is_of_files = |line: &str| line.starts_with("file ") || line.starts_with("  line ");
    for line in text.lines().filter(|line| !is_of_files(line)) {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn print(header: &Header, out: &mut String) {
    let Header { kind, producer, inputs, options, program } = header;
    // Writing to a String cannot fail.
    let _ = writeln!(out, "proof {VERSION} {};\n", kind.name());
    let _ = writeln!(out, "producer {};", quoted(producer));
    for Input { name, sha256 } in inputs {
        let _ = writeln!(out, "input {} sha256 {};", quoted(name), quoted(sha256));
    }
    for (name, values) in options {
        let values: String = values.iter().map(|value| format!(" {}", quoted(value))).collect();
        let _ = writeln!(out, "option {name}{values};");
    }
    let _ = writeln!(out, "program sha256 {};\n", quoted(program));
}

pub(crate) fn parse(cursor: &mut Cursor<'_>) -> Parse<Header> {
    cursor.expect_word("proof")?;
    let span = cursor.here();
    let version: u64 = cursor.number("the version of the format")?;
    if version != VERSION {
        let message = format!("the format has version {version}; only version {VERSION} is known");
        return Err(cursor.error(span, message));
    }
    let span = cursor.here();
    let word = cursor.word("a kind of evidence")?;
    let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == word) else {
        let names = Kind::ALL.map(Kind::name).join(", ");
        return Err(cursor.error(span, format!("`{word}` is no kind of evidence; there are {names}")));
    };
    cursor.expect(";")?;
    cursor.expect_word("producer")?;
    let producer = cursor.text("the name of the producer in quotes")?;
    cursor.expect(";")?;
    let mut inputs = Vec::new();
    while cursor.eat_word("input") {
        let name = cursor.text("the name of a file in quotes")?;
        let sha256 = hash(cursor)?;
        inputs.push(Input { name, sha256 });
    }
    let mut options = Vec::new();
    while cursor.eat_word("option") {
        let name = cursor.word("the name of an option")?.to_owned();
        let mut values = Vec::new();
        while !cursor.at(";") {
            values.push(cursor.text("a value in quotes or `;`")?);
        }
        cursor.expect(";")?;
        options.push((name, values));
    }
    if !cursor.at_word("program") {
        return Err(cursor.unexpected("`input`, `option` or `program`"));
    }
    cursor.advance();
    let program = hash(cursor)?;
    Ok(Header { kind, producer, inputs, options, program })
}

/// `sha256 "…";`
fn hash(cursor: &mut Cursor<'_>) -> Parse<String> {
    cursor.expect_word("sha256")?;
    let span = cursor.here();
    let hash = cursor.text("a hash in quotes")?;
    if hash.len() != 64 || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(cursor.error(span, "a hash has 64 hexadecimal digits"));
    }
    cursor.expect(";")?;
    Ok(hash.to_ascii_lowercase())
}
