//! The tokens of predicates: C's as far as predicates need them, and quoted names.

use hardbop_base::text::{self, BadEscape, Quotes, Scanner, continues_name, starts_name};
use hardbop_ir::DataModel;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind<'t> {
    /// A name or a keyword.
    Word(&'t str),
    /// A name in quotes, with its escapes, which are good.
    Quoted(&'t str),
    /// An integer or character constant.
    Int(IntLiteral),
    /// A floating-point constant without its suffix, and whether that is `f`.
    Float(&'t str, bool),
    /// Punctuation.
    Punct(&'static str),
    /// The end of the text.
    End,
    /// No token, and why.
    Bad(&'static str),
}

impl From<&'static str> for Kind<'_> {
    fn from(punct: &'static str) -> Self {
        Kind::Punct(punct)
    }
}

/// An integer constant with what its type depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IntLiteral {
    pub(super) value: u128,
    decimal: bool,
    unsigned: bool,
    /// How often `l` stands in the suffix.
    long: u8,
}

impl IntLiteral {
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

/// Names in quotes. Braces are escaped so that a predicate can be a name of a boolean program.
pub(super) const QUOTES: Quotes = Quotes {
    letters: &[(b'n', b'\n'), (b't', b'\t')],
    hexadecimal: Some(|byte| byte.is_ascii_control() || matches!(byte, b'{' | b'}')),
};

impl<'t> text::Kind<'t> for Kind<'t> {
    type Text = str;
    const END: Self = Kind::End;
    const OPEN_COMMENT: Option<Self> = Some(Kind::Bad("this comment is not closed"));

    fn scan(scanner: &mut Scanner<'t, str>) -> Self {
        match scanner.byte(0) {
            b if starts_name(b) => Kind::Word(scanner.run(continues_name)),
            b if b.is_ascii_digit() || (b == b'.' && scanner.byte(1).is_ascii_digit()) => number(scanner),
            b'"' => quoted(scanner),
            b'\'' => character(scanner),
            _ => punctuation(scanner),
        }
    }

    fn fault(self) -> Option<&'static str> {
        match self {
            Kind::Bad(why) => Some(why),
            Kind::Punct("=") => Some("a predicate assigns nothing; `==` compares"),
            Kind::Punct(
                "++" | "--" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=",
            ) => Some("a predicate has no side effects"),
            _ => None,
        }
    }

    fn is_word(self) -> bool {
        matches!(self, Kind::Word(_))
    }

    fn describe(self) -> String {
        if let Kind::Punct(punct) = self { format!("`{punct}`") } else { "a name".to_owned() }
    }
}

fn punctuation<'t>(scanner: &mut Scanner<'t, str>) -> Kind<'t> {
    let (rest, first) = (scanner.rest(), scanner.byte(0));
    let starts = |p: &str| p.as_bytes().first() == Some(&first) && rest.starts_with(p.as_bytes());
    match PUNCTUATION.iter().find(|p| starts(p)) {
        Some(punct) => {
            scanner.skip(punct.len());
            Kind::Punct(punct)
        }
        None => {
            scanner.skip_char();
            Kind::Bad("unexpected character")
        }
    }
}

/// What C calls a preprocessing number, then taken apart.
fn number<'t>(scanner: &mut Scanner<'t, str>) -> Kind<'t> {
    let start = scanner.at();
    let hexadecimal = scanner.byte(0) == b'0' && matches!(scanner.byte(1), b'x' | b'X');
    while continues_name(scanner.byte(0)) || scanner.byte(0) == b'.' {
        let exponent = !hexadecimal && matches!(scanner.byte(0), b'e' | b'E');
        scanner.skip(1);
        if exponent && matches!(scanner.byte(0), b'+' | b'-') {
            scanner.skip(1);
        }
    }
    let text = scanner.since(start);
    if !hexadecimal && text.contains(['.', 'e', 'E']) { float(text) } else { integer(text) }
}

/// What a text is that is one number.
pub(super) fn alone(text: &str) -> Option<Kind<'_>> {
    let mut scanner = Scanner::new(text, 0);
    let kind = number(&mut scanner);
    scanner.is_done().then_some(kind)
}

fn quoted<'t>(scanner: &mut Scanner<'t, str>) -> Kind<'t> {
    let quoted = scanner.quoted();
    let (Ok(raw) | Err(raw)) = quoted;
    match QUOTES.unescape(raw) {
        Err(BadEscape::Unknown | BadEscape::Digits) => {
            Kind::Bad("the escapes in a name are \\n \\t \\\\ \\\" and \\xHH")
        }
        _ if quoted.is_err() => Kind::Bad("the quotes are not closed in this line"),
        Err(BadEscape::Utf8) => Kind::Bad("the bytes of the name are not valid UTF-8"),
        Ok(_) => Kind::Quoted(raw),
    }
}

fn character<'t>(scanner: &mut Scanner<'t, str>) -> Kind<'t> {
    scanner.skip(1);
    let mut line = *scanner;
    line.skip_line();
    let Some((value, length)) = character_value(line.since(scanner.at())) else {
        return Kind::Bad("no character constant: one byte, or an escape, between two `'`");
    };
    scanner.skip(length);
    // The type is `int`, the value that of a (signed) `char`.
    Kind::Int(IntLiteral { value: u128::from(value), decimal: true, unsigned: false, long: 0 })
}

/// The value of a character constant behind its opening quote, and its length with the closing one.
/// Only characters up to 127: what others are worth depends on the encoding. The escapes are C's, not those of names.
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
        Ok(value) => Kind::Int(IntLiteral { value, decimal: radix == 10, unsigned, long }),
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
