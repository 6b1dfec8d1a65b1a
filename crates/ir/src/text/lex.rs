//! Text to tokens, on demand: a token is a slice of the text, so lexing allocates nothing.

use std::borrow::Cow;

use hardbop_base::{Id, Span};

/// A token with its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    /// Byte offset of its first byte.
    pub(super) start: u32,
    /// Byte offset just behind it.
    pub(super) end: u32,
    /// Whether it is the first in its line.
    pub(super) first: bool,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind<'t> {
    /// A name or a keyword.
    Word(&'t str),
    /// What stands between quotes, escapes and all.
    Quoted(&'t str),
    /// A decimal number.
    Int(u128),
    /// A hexadecimal number.
    Hex(u128),
    /// A number with a point or an exponent.
    Float(&'t str),
    /// A span in the source of the program.
    Span(Span),
    /// Punctuation.
    Punct(Punct),
    /// The end of the text.
    End,
    /// No token, and why.
    Bad(&'static str),
}

macro_rules! punctuation {
    ($($name:ident $text:literal,)*) => {
        /// Punctuation and operators.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Punct { $($name,)* }

        impl Punct {
            /// As it is written.
            pub(super) fn text(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }
        }
    };
}

punctuation! {
    LeftParen "(", RightParen ")", LeftBrace "{", RightBrace "}", LeftBracket "[", RightBracket "]",
    Comma ",", Semicolon ";", Dot ".", Hash "#", Colon ":", ColonColon "::", Becomes ":=", Arrow "->",
    Assign "=", Plus "+", Minus "-", Star "*", Slash "/", Percent "%", And "&", Or "|", Caret "^", Tilde "~",
    Bang "!", Eq "==", Ne "!=", Lt "<", Le "<=", Gt ">", Ge ">=", Shl "<<", Shr ">>",
}

pub(super) fn starts_word(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$'
}

pub(super) fn continues_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b == b'#'
}

/// A position in a text. Copying it is how the parser looks ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// Starts at a byte offset. Texts are shorter than 4 GB.
    pub(super) fn new(text: &'t str, at: u32) -> Self {
        Lexer { text, at: at as usize }
    }

    fn byte(&self, ahead: usize) -> u8 {
        // NUL is no token, so it can stand for the end.
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token<'t> {
        let first = self.skip_space();
        let start = self.at;
        let kind = self.scan();
        Token { kind, start: start as u32, end: self.at as u32, first }
    }

    /// Skips white space and comments; whether the next token is the first in its line.
    fn skip_space(&mut self) -> bool {
        let mut first = self.at == 0;
        loop {
            match self.byte(0) {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    first = true;
                    self.at += 1;
                }
                b'/' if self.byte(1) == b'/' => self.skip_line(),
                _ => return first,
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    fn scan(&mut self) -> Kind<'t> {
        match self.byte(0) {
            b if starts_word(b) => {
                let word = self.run(continues_word);
                Kind::Word(word)
            }
            b'0'..=b'9' => self.number(),
            b'"' => self.quoted(),
            b'@' => self.span(),
            0 if self.at >= self.text.len() => Kind::End,
            b => self.punctuation(b),
        }
    }

    /// The longest piece of such bytes (all ASCII).
    fn run(&mut self, belongs: fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while belongs(self.byte(0)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn number(&mut self) -> Kind<'t> {
        let start = self.at;
        if self.byte(0) == b'0' && self.byte(1) == b'x' {
            self.at += 2;
            let digits = self.run(|b| b.is_ascii_alphanumeric());
            return match u128::from_str_radix(digits, 16) {
                Ok(value) => Kind::Hex(value),
                Err(_) => Kind::Bad("not a hexadecimal number of at most 128 bits"),
            };
        }
        let digits = self.run(|b| b.is_ascii_digit());
        let mut float = false;
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            float = true;
            self.at += 1;
            self.run(|b| b.is_ascii_digit());
        }
        let signed = usize::from(matches!(self.byte(1), b'-' | b'+'));
        if self.byte(0) == b'e' && self.byte(1 + signed).is_ascii_digit() {
            float = true;
            self.at += 1 + signed;
            self.run(|b| b.is_ascii_digit());
        }
        if starts_word(self.byte(0)) {
            self.run(continues_word);
            return Kind::Bad("letters right behind a number");
        }
        if float {
            return Kind::Float(&self.text[start..self.at]);
        }
        digits.parse().map_or(Kind::Bad("the number has more than 128 bits"), Kind::Int)
    }

    fn quoted(&mut self) -> Kind<'t> {
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut i = start;
        while let Some(&b) = bytes.get(i) {
            match b {
                b'"' => {
                    self.at = i + 1;
                    return Kind::Quoted(&self.text[start..i]);
                }
                b'\n' => break,
                b'\\' => i += 2,
                _ => i += 1,
            }
        }
        // An escape at the very end may have stepped over the end or into a character.
        self.at = i.min(bytes.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        Kind::Bad("the quotes are not closed in this line")
    }

    /// `@file:line:column-line:column`
    fn span(&mut self) -> Kind<'t> {
        self.at += 1;
        let mut numbers = [0u32; 5];
        for (i, number) in numbers.iter_mut().enumerate() {
            if i > 0 {
                let separator = if i == 3 { b'-' } else { b':' };
                if self.byte(0) != separator {
                    return Kind::Bad("a span is written @file:line:column-line:column");
                }
                self.at += 1;
            }
            match self.run(|b| b.is_ascii_digit()).parse() {
                Ok(n) => *number = n,
                Err(_) => return Kind::Bad("a span is written @file:line:column-line:column"),
            }
        }
        let [file, line, column, end_line, end_column] = numbers;
        if line == 0 {
            return Kind::Bad("lines count from 1");
        }
        Kind::Span(Span { file: Id::from_usize(file as usize), line, column, end_line, end_column })
    }

    fn punctuation(&mut self, b: u8) -> Kind<'t> {
        use Punct::*;
        let next = self.byte(1);
        let (punct, length) = match (b, next) {
            (b':', b'=') => (Becomes, 2),
            (b':', b':') => (ColonColon, 2),
            (b'-', b'>') => (Arrow, 2),
            (b'=', b'=') => (Eq, 2),
            (b'!', b'=') => (Ne, 2),
            (b'<', b'=') => (Le, 2),
            (b'<', b'<') => (Shl, 2),
            (b'>', b'=') => (Ge, 2),
            (b'>', b'>') => (Shr, 2),
            (b'(', _) => (LeftParen, 1),
            (b')', _) => (RightParen, 1),
            (b'{', _) => (LeftBrace, 1),
            (b'}', _) => (RightBrace, 1),
            (b'[', _) => (LeftBracket, 1),
            (b']', _) => (RightBracket, 1),
            (b',', _) => (Comma, 1),
            (b';', _) => (Semicolon, 1),
            (b'.', _) => (Dot, 1),
            (b'#', _) => (Hash, 1),
            (b':', _) => (Colon, 1),
            (b'=', _) => (Assign, 1),
            (b'+', _) => (Plus, 1),
            (b'-', _) => (Minus, 1),
            (b'*', _) => (Star, 1),
            (b'/', _) => (Slash, 1),
            (b'%', _) => (Percent, 1),
            (b'&', _) => (And, 1),
            (b'|', _) => (Or, 1),
            (b'^', _) => (Caret, 1),
            (b'~', _) => (Tilde, 1),
            (b'!', _) => (Bang, 1),
            (b'<', _) => (Lt, 1),
            (b'>', _) => (Gt, 1),
            _ => {
                self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
                return Kind::Bad("unexpected character");
            }
        };
        self.at += length;
        Kind::Punct(punct)
    }

    /// Skips to the end of a line outside all braces that were opened on the way: behind a whole
    /// item. `Err` if a brace is never closed.
    pub(super) fn skip_item(&mut self) -> Result<(), ()> {
        let bytes = self.text.as_bytes();
        let mut open = 0u32;
        while let Some(&b) = bytes.get(self.at) {
            match b {
                b'\n' if open == 0 => return Ok(()),
                b'{' => open += 1,
                b'}' => open = open.saturating_sub(1),
                b'"' => {
                    self.quoted();
                    continue;
                }
                b'/' if self.byte(1) == b'/' => {
                    self.skip_line();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        if open == 0 { Ok(()) } else { Err(()) }
    }
}

/// The bytes that a quoted text stands for; an escape that does not exist is an error.
pub(super) fn unescape_bytes(quoted: &str) -> Result<Cow<'_, [u8]>, &'static str> {
    if !quoted.contains('\\') {
        return Ok(Cow::Borrowed(quoted.as_bytes()));
    }
    let mut out = Vec::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some(escape) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..escape]);
        let mut chars = rest[escape + 1..].chars();
        match chars.next() {
            Some('n') => out.push(b'\n'),
            Some('t') => out.push(b'\t'),
            Some('\\') => out.push(b'\\'),
            Some('"') => out.push(b'"'),
            Some('x') => {
                let mut digit = || chars.next().and_then(|c| c.to_digit(16));
                let (Some(high), Some(low)) = (digit(), digit()) else {
                    return Err("\\x wants two hexadecimal digits");
                };
                out.push((high * 16 + low) as u8);
            }
            _ => return Err("the escapes are \\n \\t \\\\ \\\" and \\xHH"),
        }
        rest = chars.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(Cow::Owned(out))
}

/// The text that a quoted text stands for.
pub(super) fn unescape(quoted: &str) -> Result<Cow<'_, str>, &'static str> {
    match unescape_bytes(quoted)? {
        Cow::Borrowed(_) => Ok(Cow::Borrowed(quoted)),
        Cow::Owned(bytes) => {
            String::from_utf8(bytes).map(Cow::Owned).map_err(|_| "the bytes are not valid UTF-8")
        }
    }
}
