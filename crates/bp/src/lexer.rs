//! The tokens of boolean programs.
//!
//! Any bytes may come; what is no token is reported, once per run of such bytes, and left out.

use hardbop_base::text::{self, Kind, Scanner, Symbols, starts_name, unexpected_bytes};

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
    OpenComment,
    OpenQuote,
    Unknown,
}

hardbop_base::spelled! {
    /// The reserved words.
    pub(crate) enum Word {
        Begin "begin", End "end", Decl "decl", Void "void", Bool "bool", Goto "goto", Enforce "enforce",
        If "if", Then "then", Else "else", Elsif "elsif", Fi "fi", Skip "skip", While "while", Do "do",
        Od "od", AbortIf "abortif", Dead "dead", Return "return", Schoose "schoose",
        Constrain "constrain", Assume "assume", Assert "assert", T "T", F "F", True "true", False "false",
    }
}

static WORDS: Symbols<Word> = Symbols::new(Word::ALL);

hardbop_base::symbols! {
    SYMBOLS: Tok {
        Assign ":=", Colon ":", Implies "=>", Eq "==", Eq "=", Ne "!=", Not "!", Not "~", Not "¬", And "&&",
        And "&", And "∧", Or "||", Or "|", Or "∨", Xor "^", Comma ",", Semi ";", LParen "(", RParen ")",
        LBracket "[", RBracket "]", Less "<", Greater ">", Star "*", Tick "'",
    }
}

/// Whether the text is one identifier, plain or quoted, so that a printed program can be read back.
pub(crate) fn is_identifier(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'{') {
        return quoted_length(bytes) == Ok(bytes.len());
    }
    text != "_" && text::is_name(text, starts_name, continues_name) && WORDS.exact(bytes).is_none()
}

/// Whether the text is an identifier or a number.
pub(crate) fn is_label(text: &str) -> bool {
    is_identifier(text) || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
}

fn continues_name(b: u8) -> bool {
    text::continues_name(b) || matches!(b, b'#' | b'-')
}

/// The length of the quoted identifier that the text starts with, or where the line or its text breaks off. Names
/// have braces for quotes, and neither escapes nor lines in them.
fn quoted_length(text: &[u8]) -> Result<usize, usize> {
    let mut depth = 0usize;
    for (i, &b) in text.iter().enumerate() {
        match b {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'\n' | b'\r' => return Err(i),
            _ => {}
        }
        if depth == 0 {
            return if std::str::from_utf8(&text[..=i]).is_ok() { Ok(i + 1) } else { Err(i + 1) };
        }
    }
    Err(text.len())
}

impl<'t> Kind<'t> for Tok {
    type Text = [u8];
    const END: Tok = Tok::Eof;
    const OPEN_COMMENT: Option<Tok> = Some(Tok::OpenComment);

    fn scan(scanner: &mut Scanner<'t, [u8]>) -> Tok {
        let rest = scanner.rest();
        let b = scanner.byte(0);
        let (tok, length) = if b == b'{' {
            let quoted = quoted_length(rest);
            (
                if quoted.is_ok() { Tok::Quoted } else { Tok::OpenQuote },
                quoted.unwrap_or_else(|length| length),
            )
        } else if starts_name(b) {
            return WORDS.exact(scanner.run(continues_name)).map_or(Tok::Ident, Tok::Word);
        } else if b.is_ascii_digit() {
            scanner.run(|b| b.is_ascii_digit());
            return Tok::Number;
        } else {
            SYMBOLS.at(rest).unwrap_or((Tok::Unknown, 1))
        };
        scanner.skip(length);
        tok
    }

    fn fault(self) -> Option<&'static str> {
        match self {
            Tok::OpenComment => Some("comment without end"),
            Tok::OpenQuote => Some("`{` without `}` on the same line, or text that is not UTF-8"),
            Tok::Unknown => Some("unexpected character"),
            _ => None,
        }
    }

    fn complaint(self, written: &[u8]) -> String {
        match self {
            Tok::Unknown => unexpected_bytes(written),
            _ => self.fault().unwrap_or_default().to_owned(),
        }
    }

    fn is_word(self) -> bool {
        self == Tok::Ident
    }

    fn describe(self) -> String {
        match self {
            Tok::Number => "a number".to_owned(),
            Tok::Word(word) => format!("`{}`", word.text()),
            _ => SYMBOLS.spelling(self).map_or("a name".to_owned(), |text| format!("`{text}`")),
        }
    }

    fn is_blank(b: u8) -> bool {
        b.is_ascii_whitespace() || b == 0x0b
    }
}
