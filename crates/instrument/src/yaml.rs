//! Small YAML documents as trees with positions.
//!
//! Task definitions are a page of plain YAML, so this reader takes less than the language offers and is
//! safe in return: one document, nesting up to [`MAX_DEPTH`], no anchors, aliases, tags or keys that are
//! not scalars, no key twice. Each is a located error. The tree is built from a stream of events without
//! recursion.

use std::ops::Range;

use hardbop_base::{Diagnostic, FileId, LineIndex, Span};
use saphyr_parser::{Event, Parser, ScalarStyle};

/// The longest text that is read.
pub const MAX_BYTES: usize = 1 << 20;

/// How deep sequences and mappings may be nested.
pub const MAX_DEPTH: usize = 32;

/// A node of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Its text; of a sequence or mapping only the start.
    pub span: Span,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text, number, truth value or nothing.
    Scalar {
        /// Its value as text.
        text: String,
        /// Whether it was written without quotes, so that it may be a number or a truth value.
        plain: bool,
    },
    /// Nodes in order.
    Sequence(Vec<Node>),
    /// Keys with their values, in order.
    Mapping(Vec<Entry>),
}

/// An entry of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The text of the key.
    pub span: Span,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The value of a key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Mapping(entries) => entries.iter().find(|entry| entry.key == key).map(|e| &e.value),
            _ => None,
        }
    }

    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The truth value that this is in the core schema of YAML 1.2.
    pub fn truth(&self) -> Option<bool> {
        match &self.value {
            Value::Scalar { text, plain: true } => match text.as_str() {
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether this is nothing at all.
    pub fn is_null(&self) -> bool {
        match &self.value {
            Value::Scalar { text, plain: true } => {
                matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL")
            }
            _ => false,
        }
    }
}

/// Reads one document.
///
/// # Errors
/// The first thing that is not YAML, or more than this reader takes.
pub fn parse(file: FileId, text: &str) -> Result<Node, Diagnostic> {
    if text.len() > MAX_BYTES {
        let message = format!("larger than the limit of {MAX_BYTES} bytes");
        return Err(Diagnostic::error(Span::in_line(file, 1, 1, 0), message));
    }
    Reader { file, places: Places::new(text), open: Vec::new(), document: None }.read(text)
}

/// Where a character is: the parser counts characters, spans count bytes of lines.
struct Places {
    offsets: Vec<u32>,
    lines: LineIndex,
}

impl Places {
    fn new(text: &str) -> Self {
        // Texts are far below 4 GB.
        let ends = std::iter::once(text.len());
        let offsets = text.char_indices().map(|(i, _)| i).chain(ends).map(|i| i as u32).collect();
        Places { offsets, lines: LineIndex::new(text.as_bytes()) }
    }

    fn span(&self, file: FileId, characters: Range<usize>) -> Span {
        let offset = |character: usize| self.offsets[character.min(self.offsets.len() - 1)];
        self.lines.span(file, offset(characters.start), offset(characters.end))
    }
}

/// A sequence or mapping that is being read.
enum Open {
    Sequence(Span, Vec<Node>),
    Mapping(Span, Vec<Entry>, Option<(String, Span)>),
}

struct Reader {
    file: FileId,
    places: Places,
    open: Vec<Open>,
    document: Option<Node>,
}

impl Reader {
    fn read(mut self, text: &str) -> Result<Node, Diagnostic> {
        for event in Parser::new_from_str(text) {
            let (event, at) = event.map_err(|error| {
                let start = error.marker().index();
                Diagnostic::error(self.places.span(self.file, start..start), error.info())
            })?;
            let span = self.places.span(self.file, at.start.index()..at.end.index());
            self.take(event, span)?;
        }
        self.document
            .ok_or_else(|| Diagnostic::error(Span::in_line(self.file, 1, 1, 0), "nothing is written"))
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Diagnostic> {
        let refuse = |what: &str| Err(Diagnostic::error(span, format!("{what} are not supported here")));
        match event {
            Event::Alias(_) => refuse("aliases"),
            Event::Scalar(_, _, anchor, _)
            | Event::SequenceStart(anchor, _)
            | Event::MappingStart(anchor, _)
                if anchor != 0 =>
            {
                refuse("anchors")
            }
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => refuse("tags"),
            Event::DocumentStart(_) if self.document.is_some() => refuse("several documents"),
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                self.add(Node { value: Value::Scalar { text: text.into_owned(), plain }, span })
            }
            Event::SequenceStart(..) => self.enter(Open::Sequence(span, Vec::new()), span),
            Event::MappingStart(..) => self.enter(Open::Mapping(span, Vec::new(), None), span),
            Event::SequenceEnd | Event::MappingEnd => self.leave(),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn enter(&mut self, open: Open, span: Span) -> Result<(), Diagnostic> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Diagnostic::error(span, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.open.push(open);
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Diagnostic> {
        match self.open.pop() {
            Some(Open::Sequence(span, nodes)) => self.add(Node { value: Value::Sequence(nodes), span }),
            Some(Open::Mapping(span, entries, _)) => self.add(Node { value: Value::Mapping(entries), span }),
            None => Ok(()),
        }
    }

    /// Puts a finished node where it belongs: in a mapping, keys and values take turns.
    fn add(&mut self, node: Node) -> Result<(), Diagnostic> {
        match self.open.last_mut() {
            None => self.document = Some(node),
            Some(Open::Sequence(_, nodes)) => nodes.push(node),
            Some(Open::Mapping(_, entries, key @ None)) => {
                let Value::Scalar { text, .. } = node.value else {
                    return Err(Diagnostic::error(node.span, "a key must be a plain text"));
                };
                if let Some(first) = entries.iter().find(|entry| entry.key == text) {
                    let repeated = Diagnostic::error(node.span, format!("the key `{text}` is there twice"));
                    return Err(repeated.with_note(first.span, "it is first here"));
                }
                *key = Some((text, node.span));
            }
            Some(Open::Mapping(_, entries, key)) => {
                if let Some((key, span)) = key.take() {
                    entries.push(Entry { key, span, value: node });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    fn read(text: &str) -> Result<Node, String> {
        parse(Id::from_usize(0), text)
            .map_err(|error| format!("{}:{}: {}", error.span.line, error.span.column, error.message))
    }

    #[test]
    fn trees_with_positions() {
        let document = read("a: 'x'\nbä:\n  - true\n  - {c: }\n").unwrap();
        assert_eq!(document.get("a").and_then(Node::text), Some("x"));
        assert_eq!(document.get("a").and_then(Node::truth), None);
        let Some(Node { value: Value::Sequence(items), .. }) = document.get("bä") else { panic!() };
        assert_eq!(items[0].truth(), Some(true));
        assert_eq!((items[0].span.line, items[0].span.column), (3, 5));
        assert!(items[1].get("c").unwrap().is_null());
        // Columns count bytes.
        let document = read("ä: ö").unwrap();
        assert_eq!(document.get("ä").map(|node| node.span.column), Some(5));
    }

    #[test]
    fn more_than_plain_yaml_is_refused() {
        let deep = "[".repeat(MAX_DEPTH + 1);
        let bomb = "a: &a [x, x]\nb: [*a, *a]\n";
        for (text, message) in [
            (bomb, "1:4: anchors are not supported here"),
            ("a: !!str x", "1:4: tags are not supported here"),
            ("a: 1\n---\nb: 2\n", "2:1: several documents are not supported here"),
            ("{[a]: b}", "1:2: a key must be a plain text"),
            ("a: 1\nb: 2\na: 3\n", "3:1: the key `a` is there twice"),
            (deep.as_str(), "1:33: nested more than 32 levels deep"),
            ("", "1:1: nothing is written"),
            ("# nothing\n", "1:1: nothing is written"),
        ] {
            assert_eq!(read(text), Err(message.to_owned()), "{text:?}");
        }
        assert!(read(&"x".repeat(MAX_BYTES + 1)).unwrap_err().contains("larger than the limit"));
        assert!(read("a: [1, 2\nb: 3").unwrap_err().starts_with("2:"));
        let blocks: String = (0..3000).map(|i| format!("{}- \n", " ".repeat(i))).collect();
        assert!(read(&blocks).is_err());
    }
}
