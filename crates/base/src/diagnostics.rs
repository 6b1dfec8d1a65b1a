//! Messages about source text, collected rather than thrown, and rendered with the line and a caret.

use std::fmt::Write;

use crate::{Sources, Span};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Belongs to the message before it.
    Note,
    /// Worth saying; the result stands.
    Warning,
    /// The input cannot be used.
    Error,
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One message with its place, and further places that explain it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where; [`Span::none`] for the input as a whole.
    pub span: Span,
    /// What, in one sentence without a full stop.
    pub message: String,
    /// Related places, such as the first of two conflicting definitions.
    pub notes: Vec<(Span, String)>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Error, span, message: message.into(), notes: Vec::new() }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// Adds a related place.
    pub fn with_note(mut self, span: Span, message: impl Into<String>) -> Self {
        self.notes.push((span, message.into()));
        self
    }
}

/// The messages of a stage, in the order they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No messages.
    pub fn new() -> Self {
        Diagnostics::default()
    }

    /// Adds a message.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.items.push(diagnostic);
    }

    /// Adds an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::error(span, message));
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.items.iter().any(|d| d.severity == Severity::Error)
    }

    /// Whether there is no message at all.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The messages.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// Adds the messages of another stage.
    pub fn append(&mut self, other: Diagnostics) {
        self.items.extend(other.items);
    }

    /// The messages in the order of their places, those without a place first; what is said of the gap before a byte
    /// comes before what is said of the byte.
    pub fn in_text_order(mut self) -> Diagnostics {
        let is_gap = |s: Span| (s.line, s.column) == (s.end_line, s.end_column);
        self.items.sort_by_key(|m| (m.span.line, m.span.column, !is_gap(m.span)));
        self
    }

    /// All messages as text, each with its source line and a caret where the text is at hand.
    pub fn render(&self, sources: &Sources) -> String {
        let mut out = String::new();
        for d in &self.items {
            render_one(&mut out, sources, d.severity, d.span, &d.message);
            for (span, message) in &d.notes {
                render_one(&mut out, sources, Severity::Note, *span, message);
            }
        }
        out
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(iter: I) -> Self {
        Diagnostics { items: iter.into_iter().collect() }
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// The widest piece of a source line that is shown; lines of megabytes do occur.
const WINDOW: usize = 100;

fn render_one(out: &mut String, sources: &Sources, severity: Severity, span: Span, message: &str) {
    // Writing to a String cannot fail.
    if span.is_none() {
        let _ = writeln!(out, "{}: {message}", severity.word());
        return;
    }
    let _ = writeln!(out, "{}: {}: {message}", sources.origin(span), severity.word());
    // A blank line, as at the end of a text, shows nothing.
    if let Some(line) = sources.line_text(span).filter(|line| !line.trim().is_empty()) {
        let (text, caret) = excerpt(line, span.column as usize - 1);
        let wanted = if span.end_line == span.line {
            (span.end_column as usize).saturating_sub(span.column as usize)
        } else {
            text.len()
        };
        let room = text[caret.min(text.len())..].chars().count();
        let lead: String =
            text[..caret.min(text.len())].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        // What controls a terminal stays away from it.
        let shown = text.replace(|c: char| c.is_control() && c != '\t', "?");
        let _ = writeln!(out, "    {shown}");
        let _ = writeln!(out, "    {lead}^{}", "~".repeat(wanted.min(room).saturating_sub(1)));
    }
}

/// The part of a line around a byte offset, and the offset in that part.
fn excerpt(line: &str, offset: usize) -> (&str, usize) {
    let line = line.trim_end_matches('\r');
    let floor = |mut i: usize| {
        i = i.min(line.len());
        while !line.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    let offset = floor(offset);
    let start = if offset > WINDOW { floor(offset - WINDOW / 2) } else { 0 };
    let end = floor(start + WINDOW.max(offset - start + WINDOW / 2));
    (&line[start..end], offset - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str, line: u32, column: u32, width: u32) -> String {
        let mut sources = Sources::new();
        let id = sources.add("t.c", text);
        let mut all = Diagnostics::new();
        all.error(Span::in_line(id, line, column, width), "no");
        all.render(&sources)
    }

    #[test]
    fn shows_line_and_caret() {
        assert_eq!(
            rendered("a\n\tint x = y;\n", 2, 10, 1),
            "t.c:2:10: error: no\n    \tint x = y;\n    \t        ^\n"
        );
        assert_eq!(rendered("abc\n", 1, 1, 3), "t.c:1:1: error: no\n    abc\n    ^~~\n");
    }

    #[test]
    fn long_lines_are_cut_and_odd_columns_survive() {
        let long = "x".repeat(1 << 20);
        assert!(rendered(&long, 1, 500_000, 9).len() < 400);
        assert!(rendered("é", 1, 2, 1).contains("error: no"));
        assert!(rendered("", 1, 7, 1).contains("error: no"));
        assert!(rendered("x", 9, 1, 1).contains("error: no"));
    }

    #[test]
    fn only_what_can_be_seen_is_shown() {
        assert_eq!(rendered("x;\n", 2, 1, 1), "t.c:2:1: error: no\n");
        assert_eq!(rendered("\u{1b}[31mx\u{9b}", 1, 6, 1), "t.c:1:6: error: no\n    ?[31mx?\n         ^\n");
    }
}
