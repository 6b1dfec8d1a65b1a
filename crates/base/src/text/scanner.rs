//! A position in a text, and the pieces that all languages are made of.

use std::borrow::Cow;

/// What can be scanned: text, or bytes that may be anything.
pub trait Text {
    /// The bytes.
    fn bytes(&self) -> &[u8];
    /// A part; an empty one if there is none between these bytes.
    fn part(&self, start: usize, end: usize) -> &Self;
    /// As text, with marks for bytes that are none.
    fn shown(&self) -> Cow<'_, str>;
}

impl Text for str {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    #[inline]
    fn part(&self, start: usize, end: usize) -> &str {
        self.get(start..end).unwrap_or_default()
    }

    fn shown(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Text for [u8] {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline]
    fn part(&self, start: usize, end: usize) -> &[u8] {
        self.get(start..end).unwrap_or_default()
    }

    fn shown(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self)
    }
}

/// A position in a text. Copying it is how to look ahead.
#[derive(Debug)]
pub struct Scanner<'t, T: ?Sized> {
    text: &'t T,
    at: usize,
}

impl<T: ?Sized> Clone for Scanner<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Scanner<'_, T> {}

impl<'t, T: Text + ?Sized> Scanner<'t, T> {
    /// Starts at a byte offset, or at the end if the text is shorter.
    pub fn new(text: &'t T, at: usize) -> Self {
        Scanner { text, at: at.min(text.bytes().len()) }
    }

    /// The byte offset.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether nothing is left.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.at >= self.text.bytes().len()
    }

    /// The byte so far ahead; NUL, which is no token of any language, behind the end.
    #[inline]
    pub fn byte(&self, ahead: usize) -> u8 {
        self.text.bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The bytes that are left.
    #[inline]
    pub fn rest(&self) -> &'t [u8] {
        self.text.bytes().get(self.at..).unwrap_or_default()
    }

    /// What was passed since an offset.
    #[inline]
    pub fn since(&self, start: usize) -> &'t T {
        self.text.part(start, self.at)
    }

    /// Goes on by so many bytes, at most to the end.
    #[inline]
    pub fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.bytes().len());
    }

    /// Takes the longest piece of such bytes, all of them ASCII.
    #[inline]
    pub fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'t T {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.iter().position(|&b| !belongs(b)).unwrap_or(rest.len());
        self.since(start)
    }

    /// Goes to the end of the line.
    #[inline]
    pub fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    /// Goes behind the `*/` of the comment that starts here; if there is none, to the end and false.
    pub fn skip_comment(&mut self) -> bool {
        let body = self.rest().get(2..).unwrap_or_default();
        let length = body.windows(2).position(|pair| pair == b"*/");
        self.skip(length.map_or(body.len() + 2, |length| length + 4));
        length.is_some()
    }

    /// Takes a text in quotes: what stands between them, escapes and all. If they are not closed in this line, takes
    /// and gives what is left of it.
    #[inline]
    pub fn quoted(&mut self) -> Result<&'t T, &'t T> {
        self.skip(1);
        let start = self.at;
        loop {
            match self.byte(0) {
                b'"' => {
                    let inside = self.since(start);
                    self.at += 1;
                    return Ok(inside);
                }
                b'\n' => return Err(self.since(start)),
                0 if self.is_done() => return Err(self.since(start)),
                b'\\' if self.byte(1) != b'\n' => self.skip(2),
                _ => self.at += 1,
            }
        }
    }
}

impl Scanner<'_, str> {
    /// Goes on by one character.
    pub fn skip_char(&mut self) {
        self.at += 1;
        while !self.text.is_char_boundary(self.at) && !self.is_done() {
            self.at += 1;
        }
    }
}
