//! Text to tokens, on demand, with the errors found so far.
//!
//! The first error ends the reading: what follows it would rarely be another one.

use hardbop_base::{Diagnostics, FileId, LineIndex, Span};

/// The text could not be understood; a diagnostic says why.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failed;

pub(crate) type Parse<T> = Result<T, Failed>;

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind<'t> {
    /// A name or a keyword, perhaps with dashes and dots inside.
    Word(&'t str),
    /// Text in quotes, without escapes.
    Text(String),
    /// Decimal digits, with `-` before them if negative.
    Number(&'t str),
    /// A bit-vector, `#x…` or `#b…`.
    Bits(&'t str),
    /// Punctuation.
    Punct(&'t str),
    /// The end of the text.
    End,
    /// No token, and why.
    Bad(&'static str),
}

/// A token with its place.
#[derive(Debug, Clone)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind<'t>,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A position in a text.
pub(crate) struct Cursor<'t> {
    pub(crate) file: FileId,
    pub(crate) text: &'t str,
    lines: LineIndex,
    next: usize,
    pub(crate) token: Token<'t>,
    pub(crate) diagnostics: Diagnostics,
}

const END: Token<'static> = Token { kind: Kind::End, start: 0, end: 0 };

impl<'t> Cursor<'t> {
    /// Starts at a byte of a text.
    pub(crate) fn new(file: FileId, text: &'t str, at: u32) -> Self {
        let lines = LineIndex::new(text.as_bytes());
        let mut cursor = Cursor { file, text, lines, next: 0, token: END, diagnostics: Diagnostics::new() };
        cursor.go_to(at);
        cursor
    }

    /// Where the token at hand starts.
    pub(crate) fn at(&self) -> u32 {
        self.token.start
    }

    /// Goes on at a byte of the text.
    pub(crate) fn go_to(&mut self, at: u32) {
        // The format's own offsets fit; a longer text is refused before.
        self.next = (at as usize).min(self.text.len());
        self.advance();
    }

    /// Goes to the next token and gives the one at hand.
    pub(crate) fn advance(&mut self) -> Token<'t> {
        let open_comment = self.skip_space();
        let start = open_comment.unwrap_or(self.next);
        let kind = if open_comment.is_some() { Kind::Bad("this comment is not closed") } else { self.scan() };
        let token = Token { kind, start: start as u32, end: self.next as u32 };
        std::mem::replace(&mut self.token, token)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.next..).unwrap_or_default()
    }

    /// Skips white space and comments; gives the start of a comment that is not closed.
    fn skip_space(&mut self) -> Option<usize> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            self.next += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.next += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let Some(length) = comment.find("*/") else {
                    let start = self.next;
                    self.next = self.text.len();
                    return Some(start);
                };
                self.next += length + 4;
            } else {
                return None;
            }
        }
    }

    fn scan(&mut self) -> Kind<'t> {
        let rest = self.rest();
        let mut bytes = rest.bytes();
        match (bytes.next(), bytes.next()) {
            (None, _) => Kind::End,
            (Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$'), _) => {
                Kind::Word(self.run(|b| b.is_ascii_alphanumeric() || b"_$-.".contains(&b)))
            }
            (Some(b'0'..=b'9'), _) | (Some(b'-'), Some(b'0'..=b'9')) => {
                Kind::Number(self.run(|b| b.is_ascii_digit() || b == b'-'))
            }
            (Some(b'#'), Some(b'x' | b'b')) => {
                Kind::Bits(self.run(|b| b.is_ascii_alphanumeric() || b == b'#'))
            }
            (Some(b'"'), _) => self.quoted(),
            (Some(b'<'), Some(b'=')) => self.punct(2),
            (Some(b), _) if b.is_ascii_punctuation() => self.punct(1),
            _ => {
                self.next += rest.chars().next().map_or(1, char::len_utf8);
                Kind::Bad("this character means nothing here")
            }
        }
    }

    fn punct(&mut self, length: usize) -> Kind<'t> {
        let text = &self.rest()[..length];
        self.next += length;
        Kind::Punct(text)
    }

    fn run(&mut self, goes_on: impl Fn(u8) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.bytes().position(|b| !goes_on(b)).unwrap_or(rest.len());
        self.next += end;
        &rest[..end]
    }

    fn quoted(&mut self) -> Kind<'t> {
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.next += at + 1;
                    return Kind::Text(text);
                }
                '\n' => break,
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    _ => break,
                },
                c => text.push(c),
            }
        }
        let line = self.rest().find('\n').unwrap_or(self.rest().len());
        self.next += line;
        Kind::Bad("this text is not closed, or has an escape that means nothing")
    }
}

/// The basic moves.
impl<'t> Cursor<'t> {
    /// The source text of the token at hand.
    pub(crate) fn here(&self) -> Span {
        self.span(self.token.start, self.token.end)
    }

    /// The source text between two bytes.
    pub(crate) fn span(&self, start: u32, end: u32) -> Span {
        self.lines.span(self.file, start, end)
    }

    /// Reports an error.
    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.diagnostics.error(span, message);
        Failed
    }

    /// Reports that something else was expected here.
    pub(crate) fn unexpected(&mut self, wanted: &str) -> Failed {
        let span = self.here();
        let found = match &self.token.kind {
            &Kind::Bad(why) => return self.error(span, why),
            Kind::End => "the end of the text".to_owned(),
            _ => {
                let text = &self.text[self.token.start as usize..self.token.end as usize];
                let short: String = text.chars().take(40).collect();
                let dots = if short.len() < text.len() { "…" } else { "" };
                format!("`{short}{dots}`")
            }
        };
        self.error(span, format!("expected {wanted}, found {found}"))
    }

    pub(crate) fn is(&self, punct: &str) -> bool {
        matches!(self.token.kind, Kind::Punct(found) if found == punct)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.token.kind, Kind::Word(found) if found == word)
    }

    pub(crate) fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expect(&mut self, punct: &str) -> Parse<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.unexpected(&format!("`{punct}`"))) }
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// A word, whatever it is.
    pub(crate) fn word(&mut self, wanted: &str) -> Parse<&'t str> {
        let Kind::Word(word) = self.token.kind else { return Err(self.unexpected(wanted)) };
        self.advance();
        Ok(word)
    }

    /// Text in quotes.
    pub(crate) fn text(&mut self, wanted: &str) -> Parse<String> {
        let Kind::Text(text) = &self.token.kind else { return Err(self.unexpected(wanted)) };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    /// A name: a word, or text in quotes.
    pub(crate) fn name(&mut self, wanted: &str) -> Parse<String> {
        let name = match &self.token.kind {
            Kind::Word(word) => (*word).to_owned(),
            Kind::Text(text) => text.clone(),
            _ => return Err(self.unexpected(wanted)),
        };
        self.advance();
        Ok(name)
    }

    /// A number of some type.
    pub(crate) fn number<N: std::str::FromStr>(&mut self, wanted: &str) -> Parse<N> {
        let Kind::Number(digits) = self.token.kind else { return Err(self.unexpected(wanted)) };
        let Ok(number) = digits.parse() else {
            let span = self.here();
            return Err(self.error(span, format!("`{digits}` is out of range for {wanted}")));
        };
        self.advance();
        Ok(number)
    }

    /// A word that is a letter and a number: `L12`.
    pub(crate) fn numbered(&mut self, letter: char, wanted: &str) -> Parse<usize> {
        let number = match self.token.kind {
            Kind::Word(word) => word.strip_prefix(letter).and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        let Some(number) = number else { return Err(self.unexpected(wanted)) };
        self.advance();
        Ok(number)
    }
}

/// Whether a name is written without quotes.
fn is_plain(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'$')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$')
}

/// A name as it is written.
pub(crate) fn spelled(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quoted(name) }
}

/// Text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '"' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
