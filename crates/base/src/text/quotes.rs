//! Texts in quotes, with escapes for what cannot stand there as it is.

use std::borrow::Cow;

/// The escapes of a language. `\\` and `\"` are in all of them.
#[derive(Debug, Clone, Copy)]
pub struct Quotes {
    /// Letters that stand behind `\` for a byte.
    pub letters: &'static [(u8, u8)],
    /// Whether `\xHH` stands for a byte, and for which bytes below 128 it is written.
    pub hexadecimal: Option<fn(u8) -> bool>,
}

/// What is wrong with the escapes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadEscape {
    /// There is no such escape.
    Unknown,
    /// `\x` without two hexadecimal digits.
    Digits,
    /// What comes out is not UTF-8.
    Utf8,
}

impl Quotes {
    /// The bytes that stand there as `raw` between quotes.
    pub fn unescape_bytes<'t>(&self, raw: &'t str) -> Result<Cow<'t, [u8]>, BadEscape> {
        if !raw.contains('\\') {
            return Ok(Cow::Borrowed(raw.as_bytes()));
        }
        let mut out = Vec::with_capacity(raw.len());
        let mut rest = raw.as_bytes();
        while let Some(escape) = rest.iter().position(|&b| b == b'\\') {
            out.extend_from_slice(&rest[..escape]);
            let (byte, length) = self.escape(&rest[escape + 1..])?;
            out.push(byte);
            rest = &rest[escape + 1 + length..];
        }
        out.extend_from_slice(rest);
        Ok(Cow::Owned(out))
    }

    /// The byte that an escape stands for, and the length of what follows its `\`.
    fn escape(&self, text: &[u8]) -> Result<(u8, usize), BadEscape> {
        match *text {
            [byte @ (b'\\' | b'"'), ..] => Ok((byte, 1)),
            [b'x', ref digits @ ..] if self.hexadecimal.is_some() => {
                let digit = |i: usize| char::from(*digits.get(i)?).to_digit(16);
                let (Some(high), Some(low)) = (digit(0), digit(1)) else { return Err(BadEscape::Digits) };
                Ok(((high * 16 + low) as u8, 3))
            }
            [letter, ..] => {
                let found = self.letters.iter().find(|(known, _)| *known == letter);
                found.map(|&(_, byte)| (byte, 1)).ok_or(BadEscape::Unknown)
            }
            [] => Err(BadEscape::Unknown),
        }
    }

    /// The text that stands there as `raw` between quotes.
    pub fn unescape<'t>(&self, raw: &'t str) -> Result<Cow<'t, str>, BadEscape> {
        match self.unescape_bytes(raw)? {
            Cow::Borrowed(_) => Ok(Cow::Borrowed(raw)),
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|_| BadEscape::Utf8),
        }
    }

    /// Writes a text with its quotes.
    pub fn push(&self, out: &mut String, text: &str) {
        out.push('"');
        for c in text.chars() {
            if c.is_ascii() { self.push_byte(out, c as u8) } else { out.push(c) }
        }
        out.push('"');
    }

    /// Writes a byte as it stands between quotes.
    pub fn push_byte(&self, out: &mut String, byte: u8) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        if matches!(byte, b'\\' | b'"') {
            out.extend(['\\', char::from(byte)]);
        } else if let Some((letter, _)) = self.letters.iter().find(|(_, known)| *known == byte) {
            out.extend(['\\', char::from(*letter)]);
        } else if !byte.is_ascii() || self.hexadecimal.is_some_and(|written| written(byte)) {
            let [high, low] = [byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)]));
            out.extend(['\\', 'x', high, low]);
        } else {
            out.push(char::from(byte));
        }
    }

    /// A text with its quotes.
    pub fn quoted(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 2);
        self.push(&mut out, text);
        out
    }
}
