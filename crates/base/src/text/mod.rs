//! What the readers of all text formats share: a scanner of bytes, tokens with places, a cursor over them that
//! collects errors, quoted texts, and tables of fixed spellings.
//!
//! A language says what its tokens are (a type that is [`Kind`]) and brings its grammar: functions over a [`Cursor`]
//! that give a [`Parse`]. A rule that fails has already reported why, so that a rule that can go on just does.
//!
//! Invariants: whatever the text says, nothing here panics, and every scan moves on or is at the end; a text that is
//! longer than offsets of 32 bits can say is refused.

mod cursor;
mod quotes;
mod scanner;
mod symbols;

pub use cursor::{Cursor, Token};
pub use quotes::{BadEscape, Quotes};
pub use scanner::{Scanner, Text};
pub use symbols::Symbols;

/// The text could not be understood; a diagnostic says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

/// What a rule of a grammar gives.
pub type Parse<T> = Result<T, Failed>;

/// The tokens of a language, without their places.
pub trait Kind<'t>: Copy + PartialEq {
    /// What it is written in: `str`, or `[u8]` where any bytes may come.
    type Text: Text + ?Sized + 't;

    /// The end of the text.
    const END: Self;

    /// What a `/*` without its `*/` is; nothing in a language that has no such comments. All have those with `//`.
    const OPEN_COMMENT: Option<Self>;

    /// Takes the token that starts here, before the end of the text. What is no token is one with a fault.
    fn scan(scanner: &mut Scanner<'t, Self::Text>) -> Self;

    /// Whether it is the same as one that a grammar asks for.
    #[inline]
    fn is(self, wanted: Self) -> bool {
        self == wanted
    }

    /// Why this is no token, or one that has no place in any text of the language.
    fn fault(self) -> Option<&'static str>;

    /// The message about a fault that is written so.
    fn complaint(self, written: &Self::Text) -> String {
        let _ = written;
        self.fault().unwrap_or_default().to_owned()
    }

    /// Whether it is a name or, where the grammar tells them apart, a keyword.
    fn is_word(self) -> bool;

    /// What messages call it where it is expected: its spelling in back quotes if it has only one.
    fn describe(self) -> String;

    /// Whether a byte is white space.
    fn is_blank(byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
    }
}

/// Whether a name may start with this byte in most of the languages.
#[inline]
pub fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$'
}

/// Whether a name may go on with this byte in most of the languages.
#[inline]
pub fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Whether the whole text is a name that starts and goes on with such bytes.
pub fn is_name(text: &str, starts: fn(u8) -> bool, continues: fn(u8) -> bool) -> bool {
    text.bytes().next().is_some_and(starts) && text.bytes().all(continues)
}

/// The message about bytes that are no token.
pub fn unexpected_bytes(bytes: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(20)]);
    format!("unexpected character `{}`", shown.escape_debug())
}

#[cfg(test)]
mod tests;
