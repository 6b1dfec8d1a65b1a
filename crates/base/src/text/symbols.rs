//! Tables of fixed spellings: operators, punctuation, keywords.

/// Spellings and what they mean. Several may mean the same.
#[derive(Debug)]
pub struct Symbols<K: 'static> {
    all: &'static [(&'static str, K)],
    /// For each byte, the first spelling that starts with it; none is there for 255.
    first: [u8; 256],
}

impl<K> Symbols<K> {
    /// A table of less than 255 spellings, none of which is empty; a longer one stands before those that it starts
    /// with. Made in a constant, a table that breaks this does not compile.
    pub const fn new(all: &'static [(&'static str, K)]) -> Self {
        assert!(all.len() < 255);
        let mut first = [255; 256];
        let mut i = all.len();
        while i > 0 {
            i -= 1;
            let mut later = i + 1;
            while later < all.len() {
                assert!(!starts_with(all[later].0.as_bytes(), all[i].0.as_bytes()));
                later += 1;
            }
            first[all[i].0.as_bytes()[0] as usize] = i as u8;
        }
        Symbols { all, first }
    }

    /// Those from the first on that starts with this byte.
    #[inline]
    fn from(&self, byte: u8) -> &'static [(&'static str, K)] {
        self.all.get(usize::from(self.first[usize::from(byte)])..).unwrap_or_default()
    }
}

impl<K: Copy> Symbols<K> {
    /// The longest one that these bytes start with, and its length.
    #[inline]
    pub fn at(&self, rest: &[u8]) -> Option<(K, usize)> {
        let &first = rest.first()?;
        let mut candidates = self.from(first).iter();
        let &(text, kind) = candidates.find(|(text, _)| match *text.as_bytes() {
            // Most are so short that comparing memory is slow.
            [byte] => byte == first,
            [byte, next] => byte == first && rest.get(1) == Some(&next),
            ref bytes => rest.starts_with(bytes),
        })?;
        Some((kind, text.len()))
    }

    /// The one that is written exactly so.
    #[inline]
    pub fn exact(&self, text: &[u8]) -> Option<K> {
        let mut candidates = self.from(*text.first()?).iter();
        candidates.find(|(spelling, _)| spelling.as_bytes() == text).map(|&(_, kind)| kind)
    }
}

impl<K: PartialEq> Symbols<K> {
    /// How it is written: the shortest spelling, and of those the first.
    pub fn spelling(&self, kind: K) -> Option<&'static str> {
        let spellings = self.all.iter().filter(|(_, found)| *found == kind).map(|&(text, _)| text);
        spellings.min_by_key(|text| text.len())
    }
}

const fn starts_with(text: &[u8], start: &[u8]) -> bool {
    if start.len() > text.len() {
        return false;
    }
    let mut i = 0;
    while i < start.len() {
        if text[i] != start[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// An enumeration of words or symbols that are written in one way each: `enum Word { If "if", Else "else" }`.
/// `ALL` is what a [`Symbols`](crate::text::Symbols) is made of.
#[macro_export]
macro_rules! spelled {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variant:ident $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant),+
        }

        impl $name {
            /// All of them, with how they are written.
            $vis const ALL: &'static [(&'static str, Self)] = &[$(($text, Self::$variant)),+];

            /// How it is written.
            $vis fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    };
}

/// A table of spellings for some of the variants of a type: `symbols! { SYMBOLS: Tok { Eq "==", Eq "=" } }`.
#[macro_export]
macro_rules! symbols {
    ($name:ident: $kind:ident { $($variant:ident $text:literal),+ $(,)? }) => {
        static $name: $crate::text::Symbols<$kind> = $crate::text::Symbols::new(&[$(($text, $kind::$variant)),+]);
    };
}
