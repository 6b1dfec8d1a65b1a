//! Text to tokens, on demand: C's tokens as far as predicates need them, and quoted names.
//!
//! A [`Lexer`] is a position in the text. Copying it is how the parser looks ahead, and setting it is
//! how the parser steps over a piece that another language owns.

use hardbop_ir::DataModel;

/// A token with its place.
#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    /// Byte offset of its first byte.
    pub(super) start: u32,
    /// Byte offset just behind it.
    pub(super) end: u32,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind<'t> {
    /// A name or a keyword.
    Word(&'t str),
    /// A name in quotes.
    Quoted(String),
    /// An integer or character constant.
    Int(Literal),
    /// A floating-point constant without its suffix, and whether that is `f`.
    Float(&'t str, bool),
    /// Punctuation.
    Punct(&'static str),
    /// The end of the text.
    End,
    /// No token, and why.
    Bad(&'static str),
}

/// An integer constant with what its type depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) value: u128,
    decimal: bool,
    unsigned: bool,
    /// How often `l` stands in the suffix.
    long: u8,
}

impl Literal {
    /// The first type of C's list that holds the value: bits and sign. 128 bits are C's no longer, but
    /// machine-written predicates may need them.
    pub(super) fn shape(self, model: DataModel) -> (u16, bool) {
        let widths = [(32, 0), (model.pointer_bits(), 1), (64, 2), (128, 2)];
        for (width, rank) in widths {
            if rank < self.long {
                continue;
            }
            let most = u128::MAX >> (128 - width);
            if !self.unsigned && self.value <= most >> 1 {
                return (width, true);
            }
            if (self.unsigned || !self.decimal) && self.value <= most {
                return (width, false);
            }
        }
        (128, false)
    }
}

/// Longer ones first.
const PUNCTUATION: &[&str] = &[
    "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "++", "--", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "::", "(", ")", "[", "]", "{", "}", ".", ",", ";", ":", "?", "+", "-", "*",
    "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "@", "#",
];

/// Whether a byte may start a name.
pub(super) fn starts_word(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$'
}

/// Whether a byte may go on a name.
pub(super) fn continues_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$'
}

/// A position in a text of less than 4 GB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// Starts at a byte offset.
    pub(super) fn new(text: &'t str, at: u32) -> Self {
        Lexer { text, at: at as usize }
    }

    fn byte(&self, ahead: usize) -> u8 {
        // NUL is no token, so it can stand for the end.
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token<'t> {
        let open_comment = self.skip_space();
        let start = open_comment.unwrap_or(self.at);
        let kind = if open_comment.is_some() { Kind::Bad("this comment is not closed") } else { self.scan() };
        Token { kind, start: start as u32, end: self.at as u32 }
    }

    /// Skips white space and comments; gives the start of a comment that is not closed.
    fn skip_space(&mut self) -> Option<usize> {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t' | b'\r' | b'\n', _) => self.at += 1,
                (b'/', b'/') => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                (b'/', b'*') => {
                    let start = self.at;
                    match self.text[start + 2..].find("*/") {
                        Some(length) => self.at = start + 2 + length + 2,
                        None => {
                            self.at = self.text.len();
                            return Some(start);
                        }
                    }
                }
                _ => return None,
            }
        }
    }

    fn scan(&mut self) -> Kind<'t> {
        match self.byte(0) {
            b if starts_word(b) => Kind::Word(self.run(continues_word)),
            b if b.is_ascii_digit() || (b == b'.' && self.byte(1).is_ascii_digit()) => self.number(),
            b'"' => self.quoted(),
            b'\'' => self.character(),
            0 if self.at >= self.text.len() => Kind::End,
            _ => self.punctuation(),
        }
    }

    fn punctuation(&mut self) -> Kind<'t> {
        let (rest, first) = (&self.text[self.at..], self.byte(0));
        match PUNCTUATION.iter().find(|p| p.as_bytes().first() == Some(&first) && rest.starts_with(**p)) {
            Some(punct) => {
                self.at += punct.len();
                Kind::Punct(punct)
            }
            None => {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
                Kind::Bad("unexpected character")
            }
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

    /// What C calls a preprocessing number, then taken apart.
    fn number(&mut self) -> Kind<'t> {
        let start = self.at;
        let hexadecimal = self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X');
        while continues_word(self.byte(0)) || self.byte(0) == b'.' {
            let exponent = !hexadecimal && matches!(self.byte(0), b'e' | b'E');
            self.at += 1;
            if exponent && matches!(self.byte(0), b'+' | b'-') {
                self.at += 1;
            }
        }
        let text = &self.text[start..self.at];
        if !hexadecimal && text.contains(['.', 'e', 'E']) { float(text) } else { integer(text) }
    }

    fn quoted(&mut self) -> Kind<'t> {
        let start = self.at;
        self.at += 1;
        let mut name = Vec::new();
        loop {
            match self.byte(0) {
                b'"' => break,
                b'\n' | 0 if self.byte(0) == b'\n' || self.at >= self.text.len() => {
                    return Kind::Bad("the quotes are not closed in this line");
                }
                b'\\' => match self.name_escape() {
                    Some(byte) => name.push(byte),
                    None => {
                        self.at = start + 1;
                        self.skip_to_quote();
                        return Kind::Bad("the escapes in a name are \\n \\t \\\\ \\\" and \\xHH");
                    }
                },
                byte => {
                    name.push(byte);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        String::from_utf8(name).map_or(Kind::Bad("the bytes of the name are not valid UTF-8"), Kind::Quoted)
    }

    fn name_escape(&mut self) -> Option<u8> {
        let byte = match self.byte(1) {
            b'n' => b'\n',
            b't' => b'\t',
            b'\\' => b'\\',
            b'"' => b'"',
            b'x' => {
                let digits = self.text.get(self.at + 2..self.at + 4)?;
                let byte = u8::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
                self.at += 2;
                byte
            }
            _ => return None,
        };
        self.at += 2;
        Some(byte)
    }

    /// Goes behind the quote that closes a bad name, or to the end of the line.
    fn skip_to_quote(&mut self) {
        while self.at < self.text.len() {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => return,
                (b'"', _) => {
                    self.at += 1;
                    return;
                }
                (b'\\', b'"' | b'\\') => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    fn character(&mut self) -> Kind<'t> {
        let rest = &self.text[self.at + 1..];
        let end = rest.find('\n').unwrap_or(rest.len());
        let Some((value, length)) = character_value(&rest[..end]) else {
            self.at += 1;
            return Kind::Bad("no character constant: one byte, or an escape, between two `'`");
        };
        self.at += 1 + length;
        // The type is `int`, the value that of a (signed) `char`.
        Kind::Int(Literal { value: u128::from(value), decimal: true, unsigned: false, long: 0 })
    }
}

/// The value of a character constant behind its opening quote, and its length with the closing one.
/// Only characters up to 127: what others are worth depends on the encoding.
fn character_value(text: &str) -> Option<(u8, usize)> {
    let bytes = text.as_bytes();
    let (value, length) = match *bytes.first()? {
        b'\\' => {
            let simple = |value| Some((value, 2));
            match *bytes.get(1)? {
                b'n' => simple(b'\n'),
                b't' => simple(b'\t'),
                b'r' => simple(b'\r'),
                b'a' => simple(7),
                b'b' => simple(8),
                b'f' => simple(12),
                b'v' => simple(11),
                b @ (b'\\' | b'\'' | b'"' | b'?') => simple(b),
                b'x' => {
                    let digits = text[2..].split('\'').next()?;
                    let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
                    Some((u8::from_str_radix(digits, 16).ok().filter(|_| plain)?, 2 + digits.len()))
                }
                b'0'..=b'7' => {
                    let digits = text[1..].split('\'').next()?;
                    let plain = digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit());
                    Some((u8::from_str_radix(digits, 8).ok().filter(|_| plain)?, 1 + digits.len()))
                }
                _ => None,
            }?
        }
        b'\'' => return None,
        b => (b, 1),
    };
    (value < 128 && bytes.get(length) == Some(&b'\'')).then_some((value, length + 1))
}

fn integer(text: &str) -> Kind<'_> {
    let lower = text.to_ascii_lowercase();
    let (radix, rest) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', _, ..] => (8, lower.as_str()),
        _ => (10, lower.as_str()),
    };
    let digits = rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len());
    let (digits, suffix) = rest.split_at(digits);
    let (unsigned, long) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return Kind::Bad("not a number: the suffixes are u, l, ul, ll and ull"),
    };
    match u128::from_str_radix(digits, radix) {
        Ok(value) => Kind::Int(Literal { value, decimal: radix == 10, unsigned, long }),
        Err(_) => Kind::Bad("not an integer of at most 128 bits"),
    }
}

fn float(text: &str) -> Kind<'_> {
    let (digits, single) = match text.strip_suffix(['f', 'F']) {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if text.ends_with(['l', 'L']) {
        return Kind::Bad("constants of type long double are written as their bits, `@(0x…:f80)`");
    }
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if plain && digits.parse::<f64>().is_ok() {
        Kind::Float(digits, single)
    } else {
        Kind::Bad("not a floating-point number")
    }
}
