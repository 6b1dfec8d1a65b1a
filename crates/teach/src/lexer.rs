//! The tokens of X programs.
//!
//! Any bytes may come; what is no token is reported, once per run of such bytes, and left out.

use hardbop_base::FileId;
use hardbop_base::text::{self, Cursor, Kind, Scanner, Symbols, unexpected_bytes};

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
    OpenComment,
    Unknown,
}

hardbop_base::spelled! {
    /// The reserved words.
    pub(crate) enum Word {
        Enum "enum", Int "int", Bool "bool", Procedure "procedure", Void "void", Ref "ref", Out "out",
        If "if", Then "then", Else "else", While "while", Do "do", Case "case", Skip "skip",
        Assert "assert", Assume "assume", Return "return", True "true", False "false", T "T", F "F",
        Mod "mod",
    }
}

static WORDS: Symbols<Word> = Symbols::new(Word::ALL);

// Some of those in the papers are not ASCII.
hardbop_base::symbols! {
    SYMBOLS: Tok {
        Assign ":=", Colon ":", Implies "=>", Eq "==", Eq "=", Ne "!=", Not "!", Le "<=", Lt "<", Ge ">=",
        Gt ">", And "&&", Or "||", Bar "|", Comma ",", Semi ";", LParen "(", RParen ")", LBracket "[",
        RBracket "]", LBrace "{", RBrace "}", Question "?", Plus "+", Minus "-", Star "*", Slash "/",
        Percent "%", Not "¬", And "∧", Or "∨", Ne "≠", Le "≤", Ge "≥",
    }
}

/// Whether the text is a name, so that a printed program can be read back.
pub(crate) fn is_name(text: &str) -> bool {
    text::is_name(text, starts_name, continues_name) && WORDS.exact(text.as_bytes()).is_none()
}

/// Whether the text is a name or a number.
pub(crate) fn is_label(text: &str) -> bool {
    is_name(text) || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
}

/// `$` belongs to the names that lowering makes.
fn starts_name(b: u8) -> bool {
    b != b'$' && text::starts_name(b)
}

fn continues_name(b: u8) -> bool {
    b != b'$' && text::continues_name(b)
}

/// A cursor over all tokens of a text. A letter behind digits is a mistake rather than the next token: `2n` is no
/// product.
pub(crate) fn tokens(text: &[u8], file: FileId) -> Cursor<'_, Tok> {
    let mut cursor = Cursor::listed(file, text);
    cursor.leave_out(|number, name| {
        let is_glued = number.kind == Tok::Number
            && matches!(name.kind, Tok::Ident | Tok::Word(_))
            && number.end == name.start;
        is_glued.then_some("a name cannot follow a number directly; products need `*`")
    });
    cursor
}

impl<'t> Kind<'t> for Tok {
    type Text = [u8];
    const END: Tok = Tok::Eof;
    const OPEN_COMMENT: Option<Tok> = Some(Tok::OpenComment);

    fn scan(scanner: &mut Scanner<'t, [u8]>) -> Tok {
        let b = scanner.byte(0);
        if starts_name(b) {
            return WORDS.exact(scanner.run(continues_name)).map_or(Tok::Ident, Tok::Word);
        }
        if b.is_ascii_digit() {
            scanner.run(|b| b.is_ascii_digit());
            return Tok::Number;
        }
        let (tok, length) = SYMBOLS.at(scanner.rest()).unwrap_or((Tok::Unknown, 1));
        scanner.skip(length);
        tok
    }

    fn fault(self) -> Option<&'static str> {
        match self {
            Tok::OpenComment => Some("comment without end"),
            Tok::Unknown => Some("unexpected character"),
            _ => None,
        }
    }

    fn complaint(self, written: &[u8]) -> String {
        match (self, written) {
            (Tok::Unknown, b"&") => unexpected_bytes(written) + "; `&&` is conjunction",
            (Tok::Unknown, _) => unexpected_bytes(written),
            _ => self.fault().unwrap_or_default().to_owned(),
        }
    }

    fn is_word(self) -> bool {
        self == Tok::Ident
    }

    fn describe(self) -> String {
        match self {
            Tok::Word(word) => format!("`{}`", word.text()),
            _ => SYMBOLS.spelling(self).map_or("a name".to_owned(), |text| format!("`{text}`")),
        }
    }

    fn is_blank(b: u8) -> bool {
        b.is_ascii_whitespace() || b == 0x0b
    }
}
