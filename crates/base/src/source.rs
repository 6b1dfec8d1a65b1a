//! Source files and positions in them.
//!
//! A [`Span`] speaks of the text that was read (lines and byte columns). Preprocessed text carries
//! line markers; a file's [`LineMap`] turns a line that was read into an [`Origin`], the file and
//! line that the programmer wrote.

use std::sync::Arc;

use crate::{Arena, Id};

/// A source file in [`Sources`] (or in any other table of files).
pub type FileId = Id<SourceFile>;

/// A range of source text: from the first byte to just behind the last one. Lines and columns
/// count from 1; [`Span::none`] marks what has no place in any text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Line of the first byte; 0 in [`Span::none`].
    pub line: u32,
    /// Byte column of the first byte.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Byte column just behind the last byte.
    pub end_column: u32,
}

impl Span {
    /// A span of `width` bytes in one line.
    pub fn in_line(file: FileId, line: u32, column: u32, width: u32) -> Span {
        Span { file, line, column, end_line: line, end_column: column.saturating_add(width) }
    }

    /// The place of what stands in no file.
    pub fn none() -> Span {
        Span { file: Id::from_usize(0), line: 0, column: 0, end_line: 0, end_column: 0 }
    }

    /// Whether this is [`Span::none`].
    pub fn is_none(self) -> bool {
        self.line == 0
    }

    /// The smallest span that covers both; they must be of one file, else the first one stands.
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            return other;
        }
        if other.is_none() || self.file != other.file {
            return self;
        }
        let (line, column) = (self.line, self.column).min((other.line, other.column));
        let (end_line, end_column) = (self.end_line, self.end_column).max((other.end_line, other.end_column));
        Span { file: self.file, line, column, end_line, end_column }
    }
}

/// The file and line that the programmer wrote, as opposed to those of preprocessed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Name of the file as given or as the line marker spells it.
    pub file: &'a str,
    /// Line in that file.
    pub line: u32,
    /// Byte column, which markers do not change.
    pub column: u32,
}

impl std::fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The line markers of one text: from each line that follows a marker, the file and line meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineMap {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    first_line: u32,
    file: Arc<str>,
    line: u32,
}

impl LineMap {
    /// Says that the text line `first_line` and those after it are line `line`, … of `file`.
    /// Markers must be added in ascending order.
    pub fn add(&mut self, first_line: u32, file: Arc<str>, line: u32) {
        debug_assert!(self.segments.last().is_none_or(|s| s.first_line <= first_line));
        self.segments.push(Segment { first_line, file, line });
    }

    /// The markers as `(first line, file, line)`.
    pub fn segments(&self) -> impl Iterator<Item = (u32, &str, u32)> {
        self.segments.iter().map(|s| (s.first_line, &*s.file, s.line))
    }

    /// What the markers say about a text line; nothing before the first marker.
    pub fn lookup(&self, line: u32) -> Option<(&str, u32)> {
        let after = self.segments.partition_point(|s| s.first_line <= line);
        let segment = &self.segments[after.checked_sub(1)?];
        Some((&segment.file, segment.line.saturating_add(line - segment.first_line)))
    }
}

/// One text that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The name to show.
    pub name: String,
    /// The text, where it is at hand; programs read back from a text form have none.
    pub text: Option<Arc<str>>,
    /// The line markers in the text.
    pub lines: LineMap,
}

/// The texts that a run has read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Arena<SourceFile>,
}

impl Sources {
    /// No files.
    pub fn new() -> Self {
        Sources::default()
    }

    /// Adds a text without line markers.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.files.push(SourceFile { name: name.into(), text: Some(text.into()), lines: LineMap::default() })
    }

    /// Sets the line markers of a file.
    pub fn set_lines(&mut self, file: FileId, lines: LineMap) {
        self.files[file].lines = lines;
    }

    /// The file.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// All files.
    pub fn files(&self) -> &Arena<SourceFile> {
        &self.files
    }

    /// Where the programmer wrote the start of a span.
    pub fn origin(&self, span: Span) -> Origin<'_> {
        origin_in(&self.files, span)
    }

    /// The line of text at the start of a span, if the text is at hand.
    pub fn line_text(&self, span: Span) -> Option<&str> {
        let text = self.files.get(span.file)?.text.as_deref()?;
        text.split('\n').nth((span.line as usize).checked_sub(1)?)
    }
}

/// Where the programmer wrote the start of a span of one of these files.
pub(crate) fn origin_in(files: &Arena<SourceFile>, span: Span) -> Origin<'_> {
    let Some(file) = files.get(span.file).filter(|_| !span.is_none()) else {
        return Origin { file: "<built-in>", line: 0, column: 0 };
    };
    match file.lines.lookup(span.line) {
        Some((name, line)) => Origin { file: name, line, column: span.column },
        None => Origin { file: &file.name, line: span.line, column: span.column },
    }
}

impl Arena<SourceFile> {
    /// Where the programmer wrote the start of a span of one of these files.
    pub fn origin(&self, span: Span) -> Origin<'_> {
        origin_in(self, span)
    }
}

/// Turns byte offsets of a text into lines and columns.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Indexes a text of at most 4 GB.
    pub fn new(text: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(
            text.iter()
                .enumerate()
                .filter(|&(_, &b)| b == b'\n')
                .map(|(i, _)| u32::try_from(i + 1).unwrap_or(u32::MAX)),
        );
        LineIndex { starts }
    }

    /// Line and column, both from 1, of a byte offset.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|&s| s <= offset).max(1);
        (u32::try_from(line).unwrap_or(u32::MAX), offset - self.starts[line - 1] + 1)
    }

    /// The span of the bytes `lo..hi`.
    pub fn span(&self, file: FileId, lo: u32, hi: u32) -> Span {
        let (line, column) = self.line_column(lo);
        let (end_line, end_column) = self.line_column(hi.max(lo));
        Span { file, line, column, end_line, end_column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_map_lines_back() {
        let mut sources = Sources::new();
        let id = sources.add("a.i", "# 1 \"a.c\"\nint x;\n# 7 \"b.h\"\nint y;\n");
        let mut lines = LineMap::default();
        lines.add(2, "a.c".into(), 1);
        lines.add(4, "b.h".into(), 7);
        sources.set_lines(id, lines);
        let at = |line| sources.origin(Span::in_line(id, line, 5, 1)).to_string();
        assert_eq!((at(2), at(4), at(5)), ("a.c:1:5".into(), "b.h:7:5".into(), "b.h:8:5".into()));
        assert_eq!(sources.line_text(Span::in_line(id, 4, 1, 1)), Some("int y;"));
    }

    #[test]
    fn offsets_become_lines_and_columns() {
        let index = LineIndex::new(b"ab\n\ncd");
        assert_eq!(index.line_column(0), (1, 1));
        assert_eq!(index.line_column(2), (1, 3));
        assert_eq!(index.line_column(3), (2, 1));
        assert_eq!(index.line_column(5), (3, 2));
    }

    #[test]
    fn spans_join() {
        let file = Id::from_usize(0);
        let a = Span::in_line(file, 2, 3, 4);
        let b = Span::in_line(file, 1, 9, 1);
        assert_eq!(a.to(b), Span { file, line: 1, column: 9, end_line: 2, end_column: 7 });
        assert_eq!(Span::none().to(a), a);
    }
}
