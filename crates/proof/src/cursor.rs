//! The tokens of proofs.
//!
//! The first error ends the reading: what follows it would rarely be another one.

use hardbop_base::text::{self, Parse, Quotes, Scanner, continues_name, is_name, starts_name};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind<'t> {
    /// A name or a keyword, perhaps with dashes and dots inside.
    Word(&'t str),
    /// Text in quotes, with its escapes, which are good.
    Text(&'t str),
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

impl<'t> From<&'t str> for Kind<'t> {
    fn from(punct: &'t str) -> Self {
        Kind::Punct(punct)
    }
}

/// A position in a text.
pub(crate) type Cursor<'t> = text::Cursor<'t, Kind<'t>>;

/// Only what would end a line or the quotes is escaped.
const QUOTES: Quotes = Quotes { letters: &[(b'n', b'\n'), (b't', b'\t'), (b'r', b'\r')], hexadecimal: None };

impl<'t> text::Kind<'t> for Kind<'t> {
    type Text = str;
    const END: Self = Kind::End;
    const OPEN_COMMENT: Option<Self> = Some(Kind::Bad("this comment is not closed"));

    fn scan(scanner: &mut Scanner<'t, str>) -> Self {
        match (scanner.byte(0), scanner.byte(1)) {
            (b, _) if starts_name(b) => {
                Kind::Word(scanner.run(|b| continues_name(b) || matches!(b, b'-' | b'.')))
            }
            (b'0'..=b'9', _) | (b'-', b'0'..=b'9') => {
                Kind::Number(scanner.run(|b| b.is_ascii_digit() || b == b'-'))
            }
            (b'#', b'x' | b'b') => Kind::Bits(scanner.run(|b| b.is_ascii_alphanumeric() || b == b'#')),
            (b'"', _) => quoted_text(scanner),
            (b'<', b'=') => punct(scanner, 2),
            (b, _) if b.is_ascii_punctuation() => punct(scanner, 1),
            _ => {
                scanner.skip_char();
                Kind::Bad("this character means nothing here")
            }
        }
    }

    fn fault(self) -> Option<&'static str> {
        if let Kind::Bad(why) = self { Some(why) } else { None }
    }

    fn is_word(self) -> bool {
        matches!(self, Kind::Word(_))
    }

    fn describe(self) -> String {
        if let Kind::Punct(punct) = self { format!("`{punct}`") } else { "a name".to_owned() }
    }
}

fn punct<'t>(scanner: &mut Scanner<'t, str>, length: usize) -> Kind<'t> {
    let start = scanner.at();
    scanner.skip(length);
    Kind::Punct(scanner.since(start))
}

fn quoted_text<'t>(scanner: &mut Scanner<'t, str>) -> Kind<'t> {
    match scanner.quoted() {
        Ok(raw) if QUOTES.unescape(raw).is_ok() => Kind::Text(raw),
        _ => {
            // Where the text should have ended is not known.
            scanner.skip_line();
            Kind::Bad("this text is not closed, or has an escape that means nothing")
        }
    }
}

/// The pieces of the format.
pub(crate) trait Pieces<'t> {
    /// A word, whatever it is.
    fn word(&mut self, wanted: &str) -> Parse<&'t str>;
    /// Text in quotes.
    fn text(&mut self, wanted: &str) -> Parse<String>;
    /// A name: a word, or text in quotes.
    fn name(&mut self, wanted: &str) -> Parse<String>;
    /// A number of some type.
    fn number<N: std::str::FromStr>(&mut self, wanted: &str) -> Parse<N>;
}

impl<'t> Pieces<'t> for Cursor<'t> {
    fn word(&mut self, wanted: &str) -> Parse<&'t str> {
        let Kind::Word(word) = self.token.kind else { return Err(self.unexpected(wanted)) };
        self.advance();
        Ok(word)
    }

    fn text(&mut self, wanted: &str) -> Parse<String> {
        let Kind::Text(raw) = self.token.kind else { return Err(self.unexpected(wanted)) };
        self.advance();
        // The escapes are known to be good.
        Ok(QUOTES.unescape(raw).unwrap_or_default().into_owned())
    }

    fn name(&mut self, wanted: &str) -> Parse<String> {
        match self.token.kind {
            Kind::Word(_) => self.word(wanted).map(str::to_owned),
            _ => self.text(wanted),
        }
    }

    fn number<N: std::str::FromStr>(&mut self, wanted: &str) -> Parse<N> {
        let Kind::Number(digits) = self.token.kind else { return Err(self.unexpected(wanted)) };
        let Ok(number) = digits.parse() else {
            return Err(self.error_here(format!("`{digits}` is out of range for {wanted}")));
        };
        self.advance();
        Ok(number)
    }
}

/// A name as it is written.
pub(crate) fn spelled(name: &str) -> String {
    if is_name(name, starts_name, continues_name) { name.to_owned() } else { quoted(name) }
}

/// Text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    QUOTES.quoted(text)
}
