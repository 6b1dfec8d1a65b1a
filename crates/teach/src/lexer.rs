//! Cuts the text of an X program into tokens.
//!
//! Works on bytes, so that any input is accepted; what is no token is reported, once per run of such
//! bytes, and left out. The token list always ends with [`Tok::Eof`].

use hardbop_base::{Diagnostics, FileId, LineIndex, Span};

/// The kinds of tokens. Where the text matters it is taken from the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tok {
    Ident,
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
    LBrace,
    RBrace,
    Bar,
    Question,
    Not,
    Implies,
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
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
    Enum "enum", Int "int", Bool "bool", Procedure "procedure", Void "void", Ref "ref", Out "out",
    If "if", Then "then", Else "else", While "while", Do "do", Case "case", Skip "skip",
    Assert "assert", Assume "assume", Return "return", True "true", False "false", T "T", F "F",
    Mod "mod",
}

/// A token and the bytes it covers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) lo: u32,
    pub(crate) hi: u32,
}

/// Whether the text is a name, so that a printed program can be read back.
pub(crate) fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|&b| starts_name(b))
        && bytes.iter().all(|&b| continues_name(b))
        && Word::of(bytes).is_none()
}

/// Whether the text is a name or a number.
pub(crate) fn is_label(text: &str) -> bool {
    is_name(text) || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
}

fn starts_name(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

fn continues_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
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
        } else if starts_name(b) {
            let len = rest.iter().position(|&b| !continues_name(b)).unwrap_or(rest.len());
            self.emit(Word::of(&rest[..len]).map_or(Tok::Ident, Tok::Word), len);
        } else if b.is_ascii_digit() {
            self.number();
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

    /// Digits. A letter behind them is a mistake rather than the next token: `2n` is no product.
    fn number(&mut self) {
        let rest = &self.text[self.pos..];
        let digits = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
        let all = rest.iter().position(|&b| !continues_name(b)).unwrap_or(rest.len());
        self.flush_bad();
        if all > digits {
            self.error(self.pos, self.pos + all, "a name cannot follow a number directly; products need `*`");
        }
        self.emit(Tok::Number, digits);
        self.pos += all - digits;
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

    fn flush_bad(&mut self) {
        let Some(start) = self.bad.take() else { return };
        let text = String::from_utf8_lossy(&self.text[start..self.pos.min(start + 20)]).into_owned();
        let hint = match text.as_str() {
            "&" => "; `&&` is conjunction",
            _ => "",
        };
        self.error(start, self.pos, &format!("unexpected character `{}`{hint}", text.escape_debug()));
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
    /// Those of the papers that are not ASCII.
    const TYPESET: [(&str, Tok); 6] =
        [("¬", Tok::Not), ("∧", Tok::And), ("∨", Tok::Or), ("≠", Tok::Ne), ("≤", Tok::Le), ("≥", Tok::Ge)];
    let found = match rest {
        [b':', b'=', ..] => (Tok::Assign, 2),
        [b'=', b'>', ..] => (Tok::Implies, 2),
        [b'=', b'=', ..] => (Tok::Eq, 2),
        [b'!', b'=', ..] => (Tok::Ne, 2),
        [b'<', b'=', ..] => (Tok::Le, 2),
        [b'>', b'=', ..] => (Tok::Ge, 2),
        [b'&', b'&', ..] => (Tok::And, 2),
        [b'|', b'|', ..] => (Tok::Or, 2),
        [b',', ..] => (Tok::Comma, 1),
        [b';', ..] => (Tok::Semi, 1),
        [b':', ..] => (Tok::Colon, 1),
        [b'(', ..] => (Tok::LParen, 1),
        [b')', ..] => (Tok::RParen, 1),
        [b'[', ..] => (Tok::LBracket, 1),
        [b']', ..] => (Tok::RBracket, 1),
        [b'{', ..] => (Tok::LBrace, 1),
        [b'}', ..] => (Tok::RBrace, 1),
        [b'|', ..] => (Tok::Bar, 1),
        [b'?', ..] => (Tok::Question, 1),
        [b'!', ..] => (Tok::Not, 1),
        [b'=', ..] => (Tok::Eq, 1),
        [b'<', ..] => (Tok::Lt, 1),
        [b'>', ..] => (Tok::Gt, 1),
        [b'+', ..] => (Tok::Plus, 1),
        [b'-', ..] => (Tok::Minus, 1),
        [b'*', ..] => (Tok::Star, 1),
        [b'/', ..] => (Tok::Slash, 1),
        [b'%', ..] => (Tok::Percent, 1),
        _ => {
            let (text, tok) = TYPESET.iter().find(|(text, _)| rest.starts_with(text.as_bytes()))?;
            (*tok, text.len())
        }
    };
    Some(found)
}

impl Tok {
    /// The token as it is named in messages.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Tok::Ident => "a name",
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
            Tok::LBrace => "{",
            Tok::RBrace => "}",
            Tok::Bar => "|",
            Tok::Question => "?",
            Tok::Not => "!",
            Tok::Implies => "=>",
            Tok::Or => "||",
            Tok::And => "&&",
            Tok::Eq => "=",
            Tok::Ne => "!=",
            Tok::Lt => "<",
            Tok::Le => "<=",
            Tok::Gt => ">",
            Tok::Ge => ">=",
            Tok::Plus => "+",
            Tok::Minus => "-",
            Tok::Star => "*",
            Tok::Slash => "/",
            Tok::Percent => "%",
            Tok::Eof => "the end of the text",
        }
    }
}
