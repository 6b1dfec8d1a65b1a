//! The token at hand, and the errors found so far.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::str::FromStr;

use super::{Failed, Kind, Parse, Scanner, Text};
use crate::{Diagnostics, FileId, LineIndex, Span};

/// A token with its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Token<K> {
    /// What it is.
    pub kind: K,
    /// Byte offset of its first byte.
    pub start: u32,
    /// Byte offset just behind it.
    pub end: u32,
    /// Whether it is the first in its line.
    pub first: bool,
}

/// How much of a token messages show.
const SHOWN: usize = 40;

/// Reads a text token by token.
///
/// Tokens are made on demand, so that a grammar can step over parts that another one owns. A grammar that looks far
/// ahead, or whose errors must not hide what is no token at all, has them [listed](Cursor::listed) first.
#[derive(Debug)]
pub struct Cursor<'t, K: Kind<'t>> {
    /// The file that the text is of, for spans.
    pub file: FileId,
    /// The text.
    pub text: &'t K::Text,
    /// The token that is looked at.
    pub token: Token<K>,
    /// What was said so far.
    pub diagnostics: Diagnostics,
    before: Token<K>,
    scanner: Scanner<'t, K::Text>,
    /// Tokens that were made in advance, up to where the scanner is.
    list: Vec<Token<K>>,
    /// The next one of them.
    next: usize,
    /// Only made for the first span: texts without errors may need none.
    lines: OnceCell<LineIndex>,
    depth: usize,
    errors: usize,
    most_errors: usize,
    closing: Option<&'static str>,
}

impl<'t, K: Kind<'t>> Cursor<'t, K> {
    /// At the first token of a text, with all others made on demand. A text of more than 4 GB counts as empty, and
    /// an error says why.
    pub fn new(file: FileId, text: &'t K::Text) -> Self {
        let mut cursor = Self::at_start(file, text);
        cursor.go_to(0);
        cursor
    }

    /// At the first token of a text, with all tokens made at once. What is no token is reported, once for pieces of
    /// one kind side by side, and left out.
    pub fn listed(file: FileId, text: &'t K::Text) -> Self {
        let mut cursor = Self::at_start(file, text);
        cursor.make_list();
        cursor.token = cursor.following();
        cursor.before = cursor.token;
        cursor
    }

    fn at_start(file: FileId, text: &'t K::Text) -> Self {
        let is_long = u32::try_from(text.bytes().len()).is_err();
        let text = if is_long { text.part(0, 0) } else { text };
        let token = Token { kind: K::END, start: 0, end: 0, first: true };
        let mut cursor = Cursor {
            file,
            text,
            token,
            diagnostics: Diagnostics::new(),
            before: token,
            scanner: Scanner::new(text, 0),
            list: Vec::new(),
            next: 0,
            lines: OnceCell::new(),
            depth: 0,
            errors: 0,
            most_errors: usize::MAX,
            closing: None,
        };
        if is_long {
            cursor.error(Span::none(), "the text has more than 4 GB");
            cursor.most_errors = 0;
        }
        cursor
    }

    /// Reports no more than so many errors; at the end it is said that there were more.
    pub fn with_most_errors(self, most: usize) -> Self {
        // None are reported of a text that is too long.
        Cursor { most_errors: self.most_errors.min(most), ..self }
    }

    fn make_list(&mut self) {
        let mut bad: Option<Token<K>> = None;
        loop {
            let token = scan::<K>(&mut self.scanner);
            let is_bad = token.kind.fault().is_some();
            match &mut bad {
                Some(bad) if bad.kind == token.kind && bad.end == token.start => bad.end = token.end,
                _ => {
                    if let Some(bad) = bad.take() {
                        self.report_bad(bad);
                    }
                    bad = is_bad.then_some(token);
                }
            }
            if !is_bad {
                self.list.push(token);
                if token.kind == K::END {
                    return;
                }
            }
        }
    }

    fn report_bad(&mut self, bad: Token<K>) {
        let complaint = bad.kind.complaint(self.text.part(bad.start as usize, bad.end as usize));
        // The comment goes on to the end of the text, which is not worth showing.
        let end = if Some(bad.kind) == K::OPEN_COMMENT { bad.start + 2 } else { bad.end };
        self.error(self.span(bad.start, end), complaint);
    }

    /// The messages, in the order of their places.
    pub fn finish(self) -> Diagnostics {
        let mut diagnostics = self.diagnostics.in_text_order();
        if let Some(closing) = self.closing {
            diagnostics.error(Span::none(), closing);
        }
        diagnostics
    }
}

/// The token that follows, behind white space and comments.
#[inline]
fn scan<'t, K: Kind<'t>>(scanner: &mut Scanner<'t, K::Text>) -> Token<K> {
    let mut first = scanner.at() == 0;
    let (start, kind) = loop {
        let start = scanner.at();
        match scanner.byte(0) {
            b'\n' => {
                first = true;
                scanner.skip(1);
            }
            b if K::is_blank(b) => scanner.skip(1),
            b'/' if scanner.byte(1) == b'/' => scanner.skip_line(),
            b'/' if scanner.byte(1) == b'*' && K::OPEN_COMMENT.is_some() => {
                if !scanner.skip_comment() {
                    break (start, K::OPEN_COMMENT.unwrap_or(K::END));
                }
            }
            0 if scanner.is_done() => break (start, K::END),
            _ => break (start, K::scan(scanner)),
        }
    };
    // The text is not longer than that.
    Token { kind, start: start as u32, end: scanner.at() as u32, first }
}

/// Moves.
impl<'t, K: Kind<'t>> Cursor<'t, K> {
    #[inline]
    fn following(&mut self) -> Token<K> {
        let Some(&token) = self.list.get(self.next) else { return scan(&mut self.scanner) };
        self.next += 1;
        token
    }

    /// Steps over the token and gives it; nothing is behind the end.
    #[inline]
    pub fn advance(&mut self) -> Token<K> {
        let token = self.token;
        // Only the end is empty.
        if token.start < token.end {
            self.before = token;
            self.token = self.following();
        }
        token
    }

    /// Goes to a byte offset between tokens, which are made on demand from there on.
    pub fn go_to(&mut self, at: u32) {
        self.list.clear();
        self.scanner = Scanner::new(self.text, at as usize);
        self.token = scan(&mut self.scanner);
        self.before = self.token;
    }

    /// Goes to where a scanner stops that starts at a byte offset, and gives what it says.
    pub fn step_over<R>(&mut self, at: u32, step: impl FnOnce(&mut Scanner<'t, K::Text>) -> R) -> R {
        let mut scanner = Scanner::new(self.text, at as usize);
        let said = step(&mut scanner);
        self.go_to(scanner.at() as u32);
        said
    }

    /// What the token is.
    #[inline]
    pub fn peek(&self) -> K {
        self.token.kind
    }

    /// What the token so far ahead is; 0 is the one at hand.
    #[inline]
    pub fn peek_at(&self, ahead: usize) -> K {
        self.token_at(ahead).kind
    }

    /// The token so far ahead; 0 is the one at hand.
    #[inline]
    pub fn token_at(&self, ahead: usize) -> Token<K> {
        if ahead == 0 {
            return self.token;
        }
        if let Some(&token) = self.list.get(self.next + ahead - 1) {
            return token;
        }
        let mut scanner = self.scanner;
        let missing = ahead - self.list.len().saturating_sub(self.next).min(ahead - 1);
        let mut token = scan(&mut scanner);
        for _ in 1..missing {
            token = scan(&mut scanner);
        }
        token
    }

    /// All tokens, where they were listed.
    pub fn list(&self) -> &[Token<K>] {
        &self.list
    }

    /// Leaves tokens out of the list that is not begun yet: those for which `joins` says so, given the one before.
    /// It may report why.
    pub fn leave_out(&mut self, mut joins: impl FnMut(Token<K>, Token<K>) -> Option<&'static str>) {
        let mut list = std::mem::take(&mut self.list);
        list.dedup_by(|token, before| {
            let why = joins(*before, *token);
            if let Some(why) = why {
                self.error(self.span(before.start, token.end), why);
            }
            why.is_some()
        });
        self.list = list;
    }

    /// Whether the token is this one.
    #[inline]
    pub fn at(&self, kind: impl Into<K>) -> bool {
        self.token.kind.is(kind.into())
    }

    /// Steps over the token if it is this one.
    #[inline]
    pub fn eat(&mut self, kind: impl Into<K>) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Steps over the token, which must be this one.
    #[inline]
    pub fn expect(&mut self, kind: impl Into<K>) -> Parse<()> {
        let kind = kind.into();
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected(&kind.describe())) }
    }

    /// Whether the token is this word.
    #[inline]
    pub fn at_word(&self, word: &str) -> bool {
        self.token.kind.is_word() && self.written().bytes() == word.as_bytes()
    }

    /// Steps over the token if it is this word.
    #[inline]
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Steps over the token, which must be this word.
    pub fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// Steps over the token, which must be a word of a letter and a number: `L12`.
    #[inline]
    pub fn numbered<N: FromStr>(&mut self, letter: char, wanted: &str) -> Parse<N> {
        let word = self.token_text();
        let digits = word.strip_prefix(letter).filter(|_| self.token.kind.is_word());
        let Some(number) = digits.and_then(|digits| digits.parse().ok()) else {
            return Err(self.unexpected(wanted));
        };
        self.advance();
        Ok(number)
    }

    /// Skips tokens, at most up to the end.
    pub fn skip_while(&mut self, skips: impl Fn(K) -> bool) {
        while self.token.kind != K::END && skips(self.token.kind) {
            self.advance();
        }
    }

    /// Goes one level deeper, unless there are so many already. [`Cursor::leave`] comes back; after an error it need
    /// not, if the depth is [set](Cursor::surface) before the next part is read.
    #[inline]
    pub fn enter(&mut self, most: usize) -> bool {
        let goes = self.depth < most;
        self.depth += usize::from(goes);
        goes
    }

    /// Comes back from a level.
    #[inline]
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Comes back from all levels.
    pub fn surface(&mut self) {
        self.depth = 0;
    }
}

/// Texts and places.
impl<'t, K: Kind<'t>> Cursor<'t, K> {
    /// The token as it is written.
    #[inline]
    pub fn written(&self) -> &'t K::Text {
        self.text_of(self.token)
    }

    /// A token as it is written.
    #[inline]
    pub fn text_of(&self, token: Token<K>) -> &'t K::Text {
        self.text.part(token.start as usize, token.end as usize)
    }

    /// The token as text.
    pub fn token_text(&self) -> Cow<'t, str> {
        self.written().shown()
    }

    /// The token before.
    pub fn before(&self) -> Token<K> {
        self.before
    }

    /// The place of the token before; at the start, of the first token.
    pub fn span_before(&self) -> Span {
        self.span(self.before.start, self.before.end)
    }

    /// The place of the token.
    pub fn here(&self) -> Span {
        self.span(self.token.start, self.token.end)
    }

    /// The place between two byte offsets.
    pub fn span(&self, start: u32, end: u32) -> Span {
        self.lines.get_or_init(|| LineIndex::new(self.text.bytes())).span(self.file, start, end)
    }
}

/// Errors.
impl<'t, K: Kind<'t>> Cursor<'t, K> {
    /// Reports an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.errors += 1;
        if self.errors <= self.most_errors {
            self.diagnostics.error(span, message);
        } else if self.most_errors > 0 {
            self.close_with("too many errors; the rest is not shown");
        }
        Failed
    }

    /// Reports an error at a token.
    pub fn error_at<T>(&mut self, token: Token<T>, message: impl Into<String>) -> Failed {
        self.error(self.span(token.start, token.end), message)
    }

    /// Reports an error at the token at hand.
    pub fn error_here(&mut self, message: impl Into<String>) -> Failed {
        self.error(self.here(), message)
    }

    /// Reports that something else was expected here; of what is no token, why.
    pub fn unexpected(&mut self, wanted: &str) -> Failed {
        let kind = self.token.kind;
        if kind.fault().is_some() {
            return self.error_here(kind.complaint(self.written()));
        }
        if kind == K::END {
            return self.error_here(format!("expected {wanted}, found the end of the text"));
        }
        let text = self.token_text();
        let short: String = text.chars().take(SHOWN).collect();
        let dots = if short.len() < text.len() { "…" } else { "" };
        self.error_here(format!("expected {wanted}, found `{short}{dots}`"))
    }

    /// Takes over the errors of another reader of the text, as one.
    pub fn absorb(&mut self, errors: Diagnostics) -> Failed {
        self.errors += 1;
        self.diagnostics.append(errors);
        Failed
    }

    /// How many errors there were.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Goes to the end of the text, and reports nothing any more.
    pub fn give_up(&mut self) {
        self.go_to(u32::MAX);
        self.most_errors = 0;
    }

    /// Says this behind all other messages.
    pub fn close_with(&mut self, message: &'static str) {
        self.closing = Some(message);
    }
}
