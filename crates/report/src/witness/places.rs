//! Places of the program as witnesses name them: by lines and columns of the files that were given.

use hardbop_base::{Sources, Span};

use super::Location;

/// Where the files of a program are.
#[derive(Debug)]
pub struct Places<'a> {
    /// The texts that were read.
    pub sources: &'a Sources,
    /// The files as given.
    pub files: Vec<String>,
    /// Whether a text was read that the preprocessor made of a file; then lines are those that its markers
    /// name, and columns mean nothing.
    pub preprocessed: bool,
}

impl Places<'_> {
    /// The place where a span starts, if it is in one of the files.
    pub(super) fn start(&self, span: Span, function: Option<&str>) -> Option<Location> {
        self.at(span, span.line, span.column, function)
    }

    /// The closing parenthesis at the end of a span, if there is one.
    pub(super) fn parenthesis(&self, span: Span, function: Option<&str>) -> Option<Location> {
        let text = self.text(span)?.lines().nth(span.end_line.checked_sub(1)? as usize)?;
        let last = span.end_column.checked_sub(1)?;
        if text.as_bytes().get(last.checked_sub(1)? as usize) != Some(&b')') {
            return None;
        }
        self.at(span, span.end_line, last, function)
    }

    /// A line and column of the text of a span.
    pub(super) fn at(&self, span: Span, line: u32, column: u32, function: Option<&str>) -> Option<Location> {
        if span.is_none() {
            return None;
        }
        let file = self.sources.files().get(span.file)?;
        let (name, line) = match (self.preprocessed, file.lines.lookup(line)) {
            (true, Some((name, line))) => (name, line),
            _ => (file.name.as_str(), line),
        };
        self.files.iter().any(|given| given == name).then(|| Location {
            file: name.to_owned(),
            line,
            column: (!self.preprocessed).then_some(column),
            function: function.map(str::to_owned),
        })
    }

    /// The text that a span is of.
    pub(super) fn text(&self, span: Span) -> Option<&str> {
        self.sources.files().get(span.file)?.text.as_deref()
    }
}
