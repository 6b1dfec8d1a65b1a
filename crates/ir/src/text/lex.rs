//! The tokens of the text form. They are slices of the text, so lexing allocates nothing.

use hardbop_base::text::{self, BadEscape, Quotes, Scanner, Symbols, starts_name};
use hardbop_base::{Id, Span};

/// A token with its place.
pub(super) type Token<'t> = text::Token<Kind<'t>>;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind<'t> {
    /// A name or a keyword.
    Word(&'t str),
    /// What stands between quotes, escapes and all.
    Quoted(&'t str),
    /// A decimal number.
    Int(u128),
    /// A hexadecimal number.
    Hex(u128),
    /// A number with a point or an exponent.
    Float(&'t str),
    /// A span in the source of the program.
    Span(Span),
    /// Punctuation.
    Punct(Punct),
    /// The end of the text.
    End,
    /// No token, and why.
    Bad(&'static str),
}

hardbop_base::spelled! {
    /// Punctuation and operators.
    pub(super) enum Punct {
        LeftParen "(", RightParen ")", LeftBrace "{", RightBrace "}", LeftBracket "[", RightBracket "]",
        Comma ",", Semicolon ";", Dot ".", Hash "#", ColonColon "::", Becomes ":=", Colon ":", Arrow "->",
        Minus "-", Eq "==", Assign "=", Plus "+", Star "*", Slash "/", Percent "%", And "&", Or "|", Caret "^",
        Tilde "~", Ne "!=", Bang "!", Shl "<<", Le "<=", Lt "<", Shr ">>", Ge ">=", Gt ">",
    }
}

static PUNCTUATION: Symbols<Punct> = Symbols::new(Punct::ALL);

impl From<Punct> for Kind<'_> {
    fn from(punct: Punct) -> Self {
        Kind::Punct(punct)
    }
}

/// Names and other texts in quotes.
pub(super) const QUOTES: Quotes =
    Quotes { letters: &[(b'n', b'\n'), (b't', b'\t')], hexadecimal: Some(|byte| byte.is_ascii_control()) };

/// What is wrong with the escapes of a text.
pub(super) fn why(bad: BadEscape) -> &'static str {
    match bad {
        BadEscape::Unknown => "the escapes are \\n \\t \\\\ \\\" and \\xHH",
        BadEscape::Digits => "\\x wants two hexadecimal digits",
        BadEscape::Utf8 => "the bytes are not valid UTF-8",
    }
}

pub(super) fn continues_word(b: u8) -> bool {
    text::continues_name(b) || b == b'#'
}

impl<'t> text::Kind<'t> for Kind<'t> {
    type Text = str;
    const END: Self = Kind::End;
    const OPEN_COMMENT: Option<Self> = None;

    fn scan(scanner: &mut Scanner<'t, str>) -> Self {
        match scanner.byte(0) {
            b if starts_name(b) => Kind::Word(scanner.run(continues_word)),
            b'0'..=b'9' => number(scanner),
            b'"' => {
                scanner.quoted().map_or(Kind::Bad("the quotes are not closed in this line"), Kind::Quoted)
            }
            b'@' => span(scanner),
            _ => match PUNCTUATION.at(scanner.rest()) {
                Some((punct, length)) => {
                    scanner.skip(length);
                    Kind::Punct(punct)
                }
                None => {
                    scanner.skip_char();
                    Kind::Bad("unexpected character")
                }
            },
        }
    }

    fn is(self, wanted: Self) -> bool {
        // The parser asks for nothing else, and for this very often.
        matches!((self, wanted), (Kind::Punct(a), Kind::Punct(b)) if a == b)
    }

    fn fault(self) -> Option<&'static str> {
        if let Kind::Bad(why) = self { Some(why) } else { None }
    }

    fn is_word(self) -> bool {
        matches!(self, Kind::Word(_))
    }

    fn describe(self) -> String {
        if let Kind::Punct(punct) = self { format!("`{}`", punct.text()) } else { "a name".to_owned() }
    }
}

fn number<'t>(scanner: &mut Scanner<'t, str>) -> Kind<'t> {
    let start = scanner.at();
    if scanner.byte(0) == b'0' && scanner.byte(1) == b'x' {
        scanner.skip(2);
        let digits = scanner.run(|b| b.is_ascii_alphanumeric());
        return match u128::from_str_radix(digits, 16) {
            Ok(value) => Kind::Hex(value),
            Err(_) => Kind::Bad("not a hexadecimal number of at most 128 bits"),
        };
    }
    let digits = scanner.run(|b| b.is_ascii_digit());
    let mut float = false;
    if scanner.byte(0) == b'.' && scanner.byte(1).is_ascii_digit() {
        float = true;
        scanner.skip(1);
        scanner.run(|b| b.is_ascii_digit());
    }
    let signed = usize::from(matches!(scanner.byte(1), b'-' | b'+'));
    if scanner.byte(0) == b'e' && scanner.byte(1 + signed).is_ascii_digit() {
        float = true;
        scanner.skip(1 + signed);
        scanner.run(|b| b.is_ascii_digit());
    }
    if starts_name(scanner.byte(0)) {
        scanner.run(continues_word);
        return Kind::Bad("letters right behind a number");
    }
    if float {
        return Kind::Float(scanner.since(start));
    }
    digits.parse().map_or(Kind::Bad("the number has more than 128 bits"), Kind::Int)
}

/// `@file:line:column-line:column`
fn span<'t>(scanner: &mut Scanner<'t, str>) -> Kind<'t> {
    scanner.skip(1);
    let mut numbers = [0u32; 5];
    for (i, number) in numbers.iter_mut().enumerate() {
        if i > 0 {
            let separator = if i == 3 { b'-' } else { b':' };
            if scanner.byte(0) != separator {
                return Kind::Bad("a span is written @file:line:column-line:column");
            }
            scanner.skip(1);
        }
        match scanner.run(|b| b.is_ascii_digit()).parse() {
            Ok(n) => *number = n,
            Err(_) => return Kind::Bad("a span is written @file:line:column-line:column"),
        }
    }
    let [file, line, column, end_line, end_column] = numbers;
    if line == 0 {
        return Kind::Bad("lines count from 1");
    }
    Kind::Span(Span { file: Id::from_usize(file as usize), line, column, end_line, end_column })
}

/// Skips to the end of a line outside all braces that were opened on the way: behind a whole item. Whether all
/// braces are closed.
pub(super) fn skip_item(scanner: &mut Scanner<'_, str>) -> bool {
    let mut open = 0u32;
    while !scanner.is_done() {
        match scanner.byte(0) {
            b'\n' if open == 0 => return true,
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            b'"' => {
                _ = scanner.quoted();
                continue;
            }
            b'/' if scanner.byte(1) == b'/' => {
                scanner.skip_line();
                continue;
            }
            _ => {}
        }
        scanner.skip(1);
    }
    open == 0
}
