//! Witnesses: the YAML format 2.0 of SV-COMP (Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl, Strejček,
//! "Software Verification Witnesses 2.0", SPIN 2024).
//!
//! A violation witness describes runs that reach the error as a list of segments: each names a waypoint
//! to pass, after some to avoid, and the last ends at the target. A correctness witness is a set of
//! invariants. The types admit only what the format allows: one target, at the end; constraints exactly
//! where they belong.
//!
//! All texts are written in double quotes, so that none is taken for a number or a truth value.

mod of_proof;
mod of_run;
mod places;

use std::fmt::Write;

use hardbop_base::DataModel;
use sha2::{Digest, Sha256};

pub use of_proof::{invariants_at, invariants_of};
pub use of_run::violation_of;
pub use places::Places;

/// The version of the format.
pub const FORMAT_VERSION: &str = "2.0";

/// Where a witness comes from and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// An identifier that no other witness has, in the usual form of 36 characters.
    pub uuid: String,
    /// When it was made, such as `2024-05-31T10:33:31Z` (ISO 8601).
    pub creation_time: String,
    /// The tool that made it.
    pub producer: Producer,
    /// The files of the program, in order.
    pub input_files: Vec<InputFile>,
    /// The property, as in a property file.
    pub specification: String,
    /// The data model.
    pub data_model: DataModel,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Producer {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A file of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Its name as given.
    pub name: String,
    /// The [`sha256`] of its bytes.
    pub sha256: String,
}

impl InputFile {
    /// The file of this name and these bytes.
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Self {
        InputFile { name: name.into(), sha256: sha256(bytes) }
    }
}

/// The SHA-256 hash of some bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A place in the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file, one of the input files.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1; where it is missing, the leftmost suitable place is meant.
    pub column: Option<u32>,
    /// The function.
    pub function: Option<String>,
}

/// An invariant of a correctness witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invariant {
    /// Whether it belongs to a loop: then the place is its keyword, and the invariant holds whenever the
    /// condition is about to be evaluated. Else the place is a statement, before which it holds.
    pub of_loop: bool,
    /// Where it holds.
    pub location: Location,
    /// An expression of C without side effects.
    pub value: String,
}

/// The content of a violation witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// What is passed, in order.
    pub segments: Vec<Segment>,
    /// What is not passed between the last segment and the target.
    pub avoid: Vec<Waypoint>,
    /// The statement that breaks the property.
    pub target: Location,
}

/// A waypoint to pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// What is not passed before it.
    pub avoid: Vec<Waypoint>,
    /// The waypoint.
    pub follow: Waypoint,
}

impl From<Waypoint> for Segment {
    fn from(follow: Waypoint) -> Self {
        Segment { avoid: Vec::new(), follow }
    }
}

/// A requirement at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waypoint {
    /// What is required.
    pub requirement: Requirement,
    /// Where.
    pub location: Location,
}

/// What a waypoint requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// An expression of C holds; the place is a statement or declaration, before which it does.
    Assumption(String),
    /// A branching goes this way; the place is the keyword, or the `?`.
    Branching(Branch),
    /// The called function is entered; the place is the closing parenthesis of the call.
    FunctionEnter,
    /// The called function returns this constant of C; the place is the closing parenthesis of the call.
    FunctionReturn(String),
}

/// A way that a branching goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// The condition holds, or does not.
    Condition(bool),
    /// The case of a `switch` with this number.
    Case(i128),
    /// The default of a `switch`.
    Default,
}

/// A correctness witness.
pub fn correctness(metadata: &Metadata, invariants: &[Invariant]) -> String {
    let mut out = Writer::default();
    out.entry("invariant_set", metadata, invariants.is_empty());
    for Invariant { of_loop, location, value } in invariants {
        out.line(2, "- invariant:");
        out.text(6, "type", if *of_loop { "loop_invariant" } else { "location_invariant" });
        out.location(6, location);
        out.text(6, "value", value);
        out.text(6, "format", "c_expression");
    }
    out.text
}

/// A violation witness.
pub fn violation(metadata: &Metadata, violation: &Violation) -> String {
    let mut out = Writer::default();
    out.entry("violation_sequence", metadata, false);
    for segment in &violation.segments {
        out.segment(&segment.avoid);
        out.waypoint("follow", &segment.follow);
    }
    out.segment(&violation.avoid);
    out.open_waypoint("target", "follow", &violation.target);
    out.text
}

#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn line(&mut self, indent: usize, text: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn text(&mut self, indent: usize, key: &str, value: &str) {
        self.line(indent, &format!("{key}: {}", quoted(value)));
    }

    /// Everything but the content.
    fn entry(&mut self, kind: &str, metadata: &Metadata, empty: bool) {
        self.line(0, &format!("- entry_type: {}", quoted(kind)));
        self.line(2, "metadata:");
        self.text(4, "format_version", FORMAT_VERSION);
        self.text(4, "uuid", &metadata.uuid);
        self.text(4, "creation_time", &metadata.creation_time);
        self.line(4, "producer:");
        self.text(6, "name", &metadata.producer.name);
        self.text(6, "version", &metadata.producer.version);
        self.line(4, "task:");
        self.line(6, "input_files:");
        for file in &metadata.input_files {
            self.line(6, &format!("- {}", quoted(&file.name)));
        }
        self.line(6, "input_file_hashes:");
        for (i, file) in metadata.input_files.iter().enumerate() {
            // A key may be there only once.
            if !metadata.input_files[..i].iter().any(|earlier| earlier.name == file.name) {
                self.text(8, &quoted(&file.name), &file.sha256);
            }
        }
        self.text(6, "specification", metadata.specification.trim_end());
        self.text(6, "data_model", metadata.data_model.name());
        self.text(6, "language", "C");
        self.line(2, if empty { "content: []" } else { "content:" });
    }

    fn segment(&mut self, avoid: &[Waypoint]) {
        self.line(2, "- segment:");
        for waypoint in avoid {
            self.waypoint("avoid", waypoint);
        }
    }

    fn waypoint(&mut self, action: &str, waypoint: &Waypoint) {
        let kind = match waypoint.requirement {
            Requirement::Assumption(_) => "assumption",
            Requirement::Branching(_) => "branching",
            Requirement::FunctionEnter => "function_enter",
            Requirement::FunctionReturn(_) => "function_return",
        };
        self.open_waypoint(kind, action, &waypoint.location);
        match &waypoint.requirement {
            Requirement::FunctionEnter => {}
            Requirement::Assumption(condition) => self.constraint(&quoted(condition), Some("c_expression")),
            Requirement::FunctionReturn(value) => {
                self.constraint(&quoted(&format!("\\result == {value}")), Some("acsl_expression"));
            }
            Requirement::Branching(Branch::Condition(truth)) => self.constraint(&truth.to_string(), None),
            Requirement::Branching(Branch::Case(number)) => self.constraint(&number.to_string(), None),
            Requirement::Branching(Branch::Default) => self.constraint(&quoted("default"), None),
        }
    }

    fn open_waypoint(&mut self, kind: &str, action: &str, location: &Location) {
        self.line(4, "- waypoint:");
        self.text(8, "type", kind);
        self.text(8, "action", action);
        self.location(8, location);
    }

    fn constraint(&mut self, value: &str, format: Option<&str>) {
        self.line(8, "constraint:");
        self.line(10, &format!("value: {value}"));
        if let Some(format) = format {
            self.text(10, "format", format);
        }
    }

    fn location(&mut self, indent: usize, location: &Location) {
        self.line(indent, "location:");
        self.text(indent + 2, "file_name", &location.file);
        self.line(indent + 2, &format!("line: {}", location.line));
        if let Some(column) = location.column {
            self.line(indent + 2, &format!("column: {column}"));
        }
        if let Some(function) = &location.function {
            self.text(indent + 2, "function", function);
        }
    }
}

/// A text in double quotes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // What YAML does not take as it is, or takes for the end of a line.
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use hardbop_base::Id;
    use hardbop_instrument::yaml::{self, Node, Value};

    fn metadata() -> Metadata {
        Metadata {
            uuid: "4412af70-389a-475e-849c-e57e5b92019e".into(),
            creation_time: "2024-05-31T10:33:31Z".into(),
            producer: Producer { name: "Hardbop".into(), version: "0.1.0".into() },
            input_files: vec![InputFile::new("a.c", b"int main(void) { }\n"), InputFile::new("b.c", b"")],
            specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )\n".into(),
            data_model: DataModel::Ilp32,
        }
    }

    fn place(line: u32) -> Location {
        Location { file: "a.c".into(), line, column: Some(3), function: Some("main".into()) }
    }

    fn waypoint(requirement: Requirement, line: u32) -> Waypoint {
        Waypoint { requirement, location: place(line) }
    }

    fn sample() -> Violation {
        let with_avoid = Segment {
            avoid: vec![
                waypoint(Requirement::FunctionEnter, 4),
                waypoint(Requirement::Branching(Branch::Case(-3)), 5),
            ],
            follow: waypoint(Requirement::Branching(Branch::Condition(true)), 6),
        };
        Violation {
            segments: vec![
                waypoint(Requirement::FunctionReturn("(-2147483647 - 1)".into()), 2).into(),
                waypoint(Requirement::Assumption("x > 0 && s[0] == '\\n' && \"\\\"\"[0]".into()), 3).into(),
                with_avoid,
            ],
            avoid: vec![waypoint(Requirement::Branching(Branch::Default), 7)],
            target: Location { column: None, function: None, ..place(8) },
        }
    }

    fn read(text: &str) -> Node {
        yaml::parse(Id::from_usize(0), text).unwrap()
    }

    fn items(node: &Node) -> &[Node] {
        match &node.value {
            Value::Sequence(items) => items,
            other => panic!("{other:?}"),
        }
    }

    /// Checks that a mapping has exactly these keys, of which those with a question mark may be missing.
    fn has_keys(node: &Node, keys: &[&str]) {
        let Value::Mapping(entries) = &node.value else { panic!("{node:?}") };
        for entry in entries {
            assert!(keys.iter().any(|key| key.trim_end_matches('?') == entry.key), "{}", entry.key);
        }
        for key in keys.iter().filter(|key| !key.ends_with('?')) {
            assert!(node.get(key).is_some(), "{key}");
        }
    }

    fn text<'n>(node: &'n Node, key: &str) -> &'n str {
        node.get(key).and_then(Node::text).unwrap_or_else(|| panic!("{key}"))
    }

    fn is_location(node: &Node) {
        has_keys(node, &["file_name", "line", "column?", "function?"]);
        assert!(text(node, "line").parse::<u32>().unwrap() > 0);
    }

    /// The rules of the format for an entry, except for its content.
    fn is_entry(document: &Node, kind: &str) {
        let [entry] = items(document) else { panic!() };
        has_keys(entry, &["entry_type", "metadata", "content"]);
        assert_eq!(text(entry, "entry_type"), kind);
        let metadata = entry.get("metadata").unwrap();
        has_keys(metadata, &["format_version", "uuid", "creation_time", "producer", "task"]);
        assert_eq!(text(metadata, "format_version"), "2.0");
        assert_eq!(text(metadata, "uuid").len(), 36);
        has_keys(metadata.get("producer").unwrap(), &["name", "version"]);
        let task = metadata.get("task").unwrap();
        has_keys(task, &["input_files", "input_file_hashes", "specification", "data_model", "language"]);
        let hashes = task.get("input_file_hashes").unwrap();
        for file in items(task.get("input_files").unwrap()) {
            let hash = text(hashes, file.text().unwrap());
            assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
        }
        assert!(matches!(text(task, "data_model"), "ILP32" | "LP64"));
        assert_eq!(text(task, "language"), "C");
    }

    /// The rules of the format for segments and waypoints.
    fn is_violation(document: &Node) {
        is_entry(document, "violation_sequence");
        let segments = items(items(document)[0].get("content").unwrap());
        for (i, segment) in segments.iter().enumerate() {
            has_keys(segment, &["segment"]);
            let waypoints = items(segment.get("segment").unwrap());
            for (j, waypoint) in waypoints.iter().enumerate() {
                has_keys(waypoint, &["waypoint"]);
                let waypoint = waypoint.get("waypoint").unwrap();
                let last = j + 1 == waypoints.len();
                assert_eq!(text(waypoint, "action"), if last { "follow" } else { "avoid" });
                assert_eq!(text(waypoint, "type") == "target", last && i + 1 == segments.len());
                is_location(waypoint.get("location").unwrap());
                has_constraint(waypoint);
            }
        }
    }

    fn has_constraint(waypoint: &Node) {
        let format = match text(waypoint, "type") {
            "target" | "function_enter" => return has_keys(waypoint, &["type", "action", "location"]),
            "assumption" => Some("c_expression"),
            "function_return" => Some("acsl_expression"),
            "branching" => None,
            other => panic!("{other}"),
        };
        has_keys(waypoint, &["type", "action", "location", "constraint"]);
        let constraint = waypoint.get("constraint").unwrap();
        has_keys(constraint, if format.is_some() { &["value", "format"] } else { &["value"] });
        assert_eq!(constraint.get("format").and_then(Node::text), format);
        if format.is_none() {
            let value = constraint.get("value").unwrap();
            assert!(
                value.truth().is_some()
                    || value.text() == Some("default")
                    || text(constraint, "value").parse::<i128>().is_ok()
            );
        }
    }

    #[test]
    fn violation_witnesses_follow_the_format() {
        let text = violation(&metadata(), &sample());
        is_violation(&read(&text));
        let no_way = Violation { segments: Vec::new(), avoid: Vec::new(), target: place(1) };
        is_violation(&read(&violation(&metadata(), &no_way)));
    }

    #[test]
    fn correctness_witnesses_follow_the_format() {
        let invariants = [
            Invariant { of_loop: true, location: place(3), value: "0 <= i && i <= n".into() },
            Invariant { of_loop: false, location: place(9), value: "c != '\"'".into() },
        ];
        let document = read(&correctness(&metadata(), &invariants));
        is_entry(&document, "invariant_set");
        let content = items(items(&document)[0].get("content").unwrap());
        let written: Vec<(&str, &str)> = content
            .iter()
            .map(|item| {
                has_keys(item, &["invariant"]);
                let invariant = item.get("invariant").unwrap();
                has_keys(invariant, &["type", "location", "value", "format"]);
                assert_eq!(text(invariant, "format"), "c_expression");
                is_location(invariant.get("location").unwrap());
                (text(invariant, "type"), text(invariant, "value"))
            })
            .collect();
        assert_eq!(written, [("loop_invariant", "0 <= i && i <= n"), ("location_invariant", "c != '\"'")]);
        let nothing = read(&correctness(&metadata(), &[]));
        is_entry(&nothing, "invariant_set");
        assert_eq!(items(items(&nothing)[0].get("content").unwrap()), []);
    }

    #[test]
    fn a_witness_in_full() {
        let segments = vec![waypoint(Requirement::FunctionReturn("5".into()), 2).into()];
        let short = Violation { segments, avoid: Vec::new(), target: place(8) };
        expect![[r#"
            - entry_type: "violation_sequence"
              metadata:
                format_version: "2.0"
                uuid: "4412af70-389a-475e-849c-e57e5b92019e"
                creation_time: "2024-05-31T10:33:31Z"
                producer:
                  name: "Hardbop"
                  version: "0.1.0"
                task:
                  input_files:
                  - "a.c"
                  - "b.c"
                  input_file_hashes:
                    "a.c": "f7569161b46adcabd1cb87578305aa1c37f440fd50257f6f5675bb2000c4e9b2"
                    "b.c": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
                  specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )"
                  data_model: "ILP32"
                  language: "C"
              content:
              - segment:
                - waypoint:
                    type: "function_return"
                    action: "follow"
                    location:
                      file_name: "a.c"
                      line: 2
                      column: 3
                      function: "main"
                    constraint:
                      value: "\\result == 5"
                      format: "acsl_expression"
              - segment:
                - waypoint:
                    type: "target"
                    action: "follow"
                    location:
                      file_name: "a.c"
                      line: 8
                      column: 3
                      function: "main"
        "#]]
        .assert_eq(&violation(&metadata(), &short));
    }

    #[test]
    fn any_text_survives() {
        let odd = "a\"b\\c\n\t\r\u{0}\u{7f}\u{85}\u{2028}\u{feff}é\u{1f600}: - #";
        let document = read(&format!("x: {}\n", quoted(odd)));
        assert_eq!(document.get("x").and_then(Node::text), Some(odd));
    }

    #[test]
    fn hashes_are_those_of_sha_256() {
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
