//! Cuts the text of a boolean program into tokens.
//!
//! Works on bytes, so that any input is accepted; what is no token is reported, once per run of such
//! bytes, and left out. The token list always ends with [`Tok::Eof`].

use hardbop_base::{Diagnostics, FileId, LineIndex, Span};

/// The kinds of tokens. Where the text matters it is taken from the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tok {
    Ident,
    Quoted,
    Number,
    Word(Word),
    Comma,
    Semi,
    Colon,
    Assign,
    LParen,
    RParen,
    LBracket,
    RBracket,
    Less,
    Greater,
    Star,
    Tick,
    Not,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Implies,
    Eof,
}

macro_rules! words {
    ($($variant:ident $text:literal),+ $(,)?) => {
        /// The reserved words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Word { $($variant),+ }

        impl Word {
            fn of(text: &[u8]) -> Option<Word> {
                $(if text == $text.as_bytes() { return Some(Word::$variant); })+
                None
            }

            /// How it is written.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Word::$variant => $text),+ }
            }
        }
    };
}

words! {
    Begin "begin", End "end", Decl "decl", Void "void", Bool "bool", Goto "goto", Enforce "enforce",
    If "if", Then "then", Else "else", Elsif "elsif", Fi "fi", Skip "skip", While "while", Do "do",
    Od "od", AbortIf "abortif", Dead "dead", Return "return", Schoose "schoose",
    Constrain "constrain", Assume "assume", Assert "assert", T "T", F "F", True "true", False "false",
}

/// A token and the bytes it covers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) lo: u32,
    pub(crate) hi: u32,
}

/// Whether the text is one identifier, plain or quoted, so that a printed program can be read back.
pub(crate) fn is_identifier(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b'{') => quoted_end(bytes, 0) == Ok(bytes.len()),
        Some(&b) if is_ident_start(b) => {
            text != "_" && bytes.iter().all(|&b| is_ident(b)) && Word::of(bytes).is_none()
        }
        _ => false,
    }
}

/// Whether the text is an identifier or a number.
pub(crate) fn is_label(text: &str) -> bool {
    is_identifier(text) || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
}

fn is_ident_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$'
}

fn is_ident(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#' | b'-')
}

/// The end of the quoted identifier that starts at `start`, or where the line or its text breaks off.
fn quoted_end(text: &[u8], start: usize) -> Result<usize, usize> {
    let mut depth = 0usize;
    for (i, &b) in text.iter().enumerate().skip(start) {
        match b {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'\n' | b'\r' => return Err(i),
            _ => {}
        }
        if depth == 0 {
            return if std::str::from_utf8(&text[start..=i]).is_ok() { Ok(i + 1) } else { Err(i + 1) };
        }
    }
    Err(text.len())
}

/// All tokens of a text of at most 4 GB.
pub(crate) fn tokens(
    text: &[u8],
    file: FileId,
    index: &LineIndex,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let mut lexer = Lexer { text, pos: 0, file, index, diagnostics, tokens: Vec::new(), bad: None };
    while lexer.pos < text.len() {
        lexer.step();
    }
    lexer.flush_bad();
    lexer.emit(Tok::Eof, 0);
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a [u8],
    pos: usize,
    file: FileId,
    index: &'a LineIndex,
    diagnostics: &'a mut Diagnostics,
    tokens: Vec<Token>,
    /// Start of the current run of bytes that are no token.
    bad: Option<usize>,
}

impl Lexer<'_> {
    /// Takes one token, comment, space or bad byte; always moves on.
    fn step(&mut self) {
        let rest = &self.text[self.pos..];
        let b = rest[0];
        if b.is_ascii_whitespace() || b == 0x0b {
            self.flush_bad();
            self.pos += 1;
        } else if rest.starts_with(b"//") {
            self.flush_bad();
            self.pos += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            self.block_comment();
        } else if b == b'{' {
            self.quoted();
        } else if is_ident_start(b) {
            let len = rest.iter().position(|&b| !is_ident(b)).unwrap_or(rest.len());
            self.emit(Word::of(&rest[..len]).map_or(Tok::Ident, Tok::Word), len);
        } else if b.is_ascii_digit() {
            let len = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
            self.emit(Tok::Number, len);
        } else if let Some((tok, len)) = symbol(rest) {
            self.emit(tok, len);
        } else {
            self.bad.get_or_insert(self.pos);
            self.pos += 1;
        }
    }

    fn emit(&mut self, tok: Tok, len: usize) {
        self.flush_bad();
        let (lo, hi) = (offset(self.pos), offset(self.pos + len));
        self.tokens.push(Token { tok, lo, hi });
        self.pos += len;
    }

    fn block_comment(&mut self) {
        self.flush_bad();
        let body = &self.text[self.pos + 2..];
        match body.windows(2).position(|w| w == b"*/") {
            Some(len) => self.pos += len + 4,
            None => {
                self.error(self.pos, self.pos + 2, "comment without end");
                self.pos = self.text.len();
            }
        }
    }

    fn quoted(&mut self) {
        match quoted_end(self.text, self.pos) {
            Ok(end) => self.emit(Tok::Quoted, end - self.pos),
            Err(end) => {
                self.flush_bad();
                self.error(self.pos, end, "`{` without `}` on the same line, or text that is not UTF-8");
                self.pos = end;
            }
        }
    }

    fn flush_bad(&mut self) {
        let Some(start) = self.bad.take() else { return };
        let text = String::from_utf8_lossy(&self.text[start..self.pos.min(start + 20)]).into_owned();
        self.error(start, self.pos, &format!("unexpected character `{}`", text.escape_debug()));
    }

    fn error(&mut self, lo: usize, hi: usize, message: &str) {
        let span: Span = self.index.span(self.file, offset(lo), offset(hi));
        self.diagnostics.error(span, message);
    }
}

/// The parser refuses texts whose offsets do not fit.
fn offset(pos: usize) -> u32 {
    u32::try_from(pos).unwrap_or(u32::MAX)
}

/// The symbol at the start of the text and its length.
fn symbol(rest: &[u8]) -> Option<(Tok, usize)> {
    let found = match rest {
        [b':', b'=', ..] => (Tok::Assign, 2),
        [b'=', b'>', ..] => (Tok::Implies, 2),
        [b'=', b'=', ..] => (Tok::Eq, 2),
        [b'!', b'=', ..] => (Tok::Ne, 2),
        [b'&', b'&', ..] => (Tok::And, 2),
        [b'|', b'|', ..] => (Tok::Or, 2),
        [b',', ..] => (Tok::Comma, 1),
        [b';', ..] => (Tok::Semi, 1),
        [b':', ..] => (Tok::Colon, 1),
        [b'(', ..] => (Tok::LParen, 1),
        [b')', ..] => (Tok::RParen, 1),
        [b'[', ..] => (Tok::LBracket, 1),
        [b']', ..] => (Tok::RBracket, 1),
        [b'<', ..] => (Tok::Less, 1),
        [b'>', ..] => (Tok::Greater, 1),
        [b'*', ..] => (Tok::Star, 1),
        [b'\'', ..] => (Tok::Tick, 1),
        [b'!' | b'~', ..] => (Tok::Not, 1),
        [b'&', ..] => (Tok::And, 1),
        [b'|', ..] => (Tok::Or, 1),
        [b'^', ..] => (Tok::Xor, 1),
        [b'=', ..] => (Tok::Eq, 1),
        _ if rest.starts_with("¬".as_bytes()) => (Tok::Not, "¬".len()),
        _ if rest.starts_with("∧".as_bytes()) => (Tok::And, "∧".len()),
        _ if rest.starts_with("∨".as_bytes()) => (Tok::Or, "∨".len()),
        _ => return None,
    };
    Some(found)
}

impl Tok {
    /// The token as it is named in messages.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Tok::Ident | Tok::Quoted => "a name",
            Tok::Number => "a number",
            Tok::Word(word) => word.text(),
            Tok::Comma => ",",
            Tok::Semi => ";",
            Tok::Colon => ":",
            Tok::Assign => ":=",
            Tok::LParen => "(",
            Tok::RParen => ")",
            Tok::LBracket => "[",
            Tok::RBracket => "]",
            Tok::Less => "<",
            Tok::Greater => ">",
            Tok::Star => "*",
            Tok::Tick => "'",
            Tok::Not => "!",
            Tok::And => "&",
            Tok::Or => "|",
            Tok::Xor => "^",
            Tok::Eq => "=",
            Tok::Ne => "!=",
            Tok::Implies => "=>",
            Tok::Eof => "the end of the text",
        }
    }
}
