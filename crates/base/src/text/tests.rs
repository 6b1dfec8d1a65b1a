//! A small language over the scaffolding: words, numbers, quotes, and `<`, `<=` and `;`.

use super::*;
use crate::{FileId, Sources};

crate::spelled! {
    /// Symbols.
    enum Sign { LessEqual "<=", Less "<", Semi ";" }
}

static SIGNS: Symbols<Sign> = Symbols::new(Sign::ALL);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Tok<'t> {
    Word,
    Number,
    Quoted(&'t str),
    Sign(Sign),
    OpenQuote,
    OpenComment,
    Unknown,
    End,
}

impl From<Sign> for Tok<'_> {
    fn from(sign: Sign) -> Self {
        Tok::Sign(sign)
    }
}

impl<'t> Kind<'t> for Tok<'t> {
    type Text = str;
    const END: Self = Tok::End;
    const OPEN_COMMENT: Option<Self> = Some(Tok::OpenComment);

    fn scan(scanner: &mut Scanner<'t, str>) -> Self {
        match scanner.byte(0) {
            b if starts_name(b) => {
                scanner.run(continues_name);
                Tok::Word
            }
            b'0'..=b'9' => {
                scanner.run(|b| b.is_ascii_digit());
                Tok::Number
            }
            b'"' => scanner.quoted().map_or(Tok::OpenQuote, Tok::Quoted),
            _ => match SIGNS.at(scanner.rest()) {
                Some((sign, length)) => {
                    scanner.skip(length);
                    Tok::Sign(sign)
                }
                None => {
                    scanner.skip_char();
                    Tok::Unknown
                }
            },
        }
    }

    fn fault(self) -> Option<&'static str> {
        match self {
            Tok::OpenQuote => Some("open quote"),
            Tok::OpenComment => Some("open comment"),
            Tok::Unknown => Some("unknown"),
            _ => None,
        }
    }

    fn complaint(self, written: &str) -> String {
        if self == Tok::Unknown { unexpected_bytes(written.as_bytes()) } else { self.fault().unwrap().into() }
    }

    fn is_word(self) -> bool {
        self == Tok::Word
    }

    fn describe(self) -> String {
        if let Tok::Sign(sign) = self { format!("`{}`", sign.text()) } else { "a name".into() }
    }
}

fn file() -> FileId {
    FileId::from_usize(0)
}

fn on_demand(text: &str) -> Cursor<'_, Tok<'_>> {
    Cursor::new(file(), text)
}

fn said<'t>(cursor: Cursor<'t, Tok<'t>>) -> Vec<String> {
    let mut sources = Sources::new();
    sources.add("t", cursor.text);
    cursor.finish().iter().map(|d| format!("{} {}", sources.origin(d.span), d.message)).collect()
}

/// All texts of up to so many of the pieces.
fn texts(pieces: &[&str], most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..most {
        let to = all.len();
        for i in from..to {
            all.extend(pieces.iter().map(|piece| format!("{}{piece}", all[i])).collect::<Vec<_>>());
        }
        from = to;
    }
    all
}

/// Tokens cover the text in order, whatever it is, and both ways of reading find the same ones.
#[test]
fn all_short_texts_are_cut_into_tokens() {
    for text in texts(&["a", "1", "\"", "\\", "\n", " ", "/", "*", "<", "=", "é", "\0"], 5) {
        let mut found = Vec::new();
        let mut cursor = on_demand(&text);
        let mut end = 0;
        while cursor.peek() != Tok::End {
            let token = cursor.advance();
            assert!(end <= token.start && token.start < token.end, "{text:?}");
            assert!(!cursor.text_of(token).is_empty(), "{text:?}");
            let line = &text[..token.start as usize];
            // A comment may stand before the first token of its line.
            assert!(!line.trim_end_matches([' ']).ends_with('\n') || token.first, "{text:?}");
            end = token.end;
            found.push(token);
        }
        assert_eq!(cursor.advance().kind, Tok::End);
        assert_eq!((cursor.token.start, cursor.token.end), (text.len() as u32, text.len() as u32));
        let listed = Cursor::<Tok<'_>>::listed(file(), &text);
        let good: Vec<_> = found.iter().filter(|token| token.kind.fault().is_none()).copied().collect();
        assert_eq!(listed.list().split_last().map(|(_, good)| good), Some(&good[..]), "{text:?}");
        assert_eq!(listed.errors() == 0, good.len() == found.len(), "{text:?}");
        for (ahead, token) in found.iter().enumerate() {
            assert_eq!(on_demand(&text).token_at(ahead), *token, "{text:?}");
        }
        for (ahead, token) in good.iter().enumerate() {
            assert_eq!(listed.token_at(ahead), *token, "{text:?}");
        }
        assert_eq!(listed.peek_at(found.len() + 1), Tok::End);
    }
}

#[test]
fn what_is_no_token_is_reported_once_per_run() {
    let mut cursor = Cursor::<Tok<'_>>::listed(file(), "a ?é? b \"x\n? /* y");
    assert_eq!(cursor.errors(), 4);
    cursor.expect_word("a").and_then(|()| cursor.expect_word("b")).unwrap();
    assert_eq!(cursor.peek(), Tok::End);
    let span = cursor.diagnostics.iter().last().unwrap().span;
    assert_eq!((span.column, span.end_column), (3, 5));
    let errors = [
        "t:1:3 unexpected character `?é?`",
        "t:1:10 open quote",
        "t:2:1 unexpected character `?`",
        "t:2:3 open comment",
    ];
    assert_eq!(said(cursor), errors);
}

#[test]
fn tokens_can_be_left_out() {
    let mut cursor = Cursor::<Tok<'_>>::listed(file(), "2n 3 m");
    cursor.leave_out(|a, b| (a.kind == Tok::Number && a.end == b.start).then_some("glued"));
    let kinds: Vec<_> = cursor.list().iter().map(|token| token.kind).collect();
    assert_eq!(kinds, [Tok::Number, Tok::Number, Tok::Word, Tok::End]);
    assert_eq!(said(cursor), ["t:1:1 glued"]);
}

#[test]
fn what_is_expected_and_found_is_said() {
    let mut cursor = on_demand("a <= L7\n?");
    assert_eq!(cursor.expect(Sign::Less), Err(Failed));
    assert_eq!(cursor.expect_word("b"), Err(Failed));
    assert!(cursor.eat_word("a") && !cursor.eat(Sign::Less) && cursor.eat(Sign::LessEqual));
    assert_eq!((cursor.before().kind, cursor.span_before().column), (Tok::Sign(Sign::LessEqual), 3));
    assert_eq!(cursor.numbered::<u8>('E', "an edge"), Err(Failed));
    assert_eq!(cursor.numbered::<u8>('L', "a location"), Ok(7));
    assert!(cursor.token.first);
    cursor.unexpected("nothing");
    cursor.advance();
    cursor.unexpected("more");
    let errors = [
        "t:1:1 expected `<`, found `a`",
        "t:1:1 expected `b`, found `a`",
        "t:1:6 expected an edge, found `L7`",
        "t:2:1 unexpected character `?`",
        "t:2:2 expected more, found the end of the text",
    ];
    assert_eq!(said(cursor), errors);
    let long = "x".repeat(41);
    let mut cursor = on_demand(&long);
    cursor.unexpected("less");
    assert_eq!(said(cursor), [format!("t:1:1 expected less, found `{}…`", &long[1..])]);
}

#[test]
fn errors_end_and_what_is_said_last_is_last() {
    let mut cursor = on_demand("a b").with_most_errors(2);
    for _ in 0..4 {
        cursor.error_here("no");
    }
    assert_eq!(cursor.errors(), 4);
    assert_eq!(
        said(cursor),
        ["t:1:1 no", "t:1:1 no", "<built-in>:0:0 too many errors; the rest is not shown"]
    );
    let mut cursor = Cursor::<Tok<'_>>::listed(file(), "a b");
    cursor.error_here("deep");
    cursor.give_up();
    cursor.error_here("quiet");
    assert_eq!(cursor.peek(), Tok::End);
    assert_eq!(said(cursor), ["t:1:1 deep"]);
}

#[test]
fn a_cursor_goes_where_it_is_told() {
    let mut cursor = on_demand("a { b } c d");
    cursor.go_to(4);
    assert!(cursor.eat_word("b"));
    cursor.go_to(0);
    let rest = cursor.step_over(1, |scanner| {
        scanner.run(|b| b != b'}');
        scanner.skip(1);
        scanner.rest()
    });
    assert_eq!(rest, b" c d");
    assert!(cursor.eat_word("c"));
    cursor.go_to(99);
    assert_eq!(cursor.peek(), Tok::End);
}

#[test]
fn nesting_is_bounded() {
    let mut cursor = on_demand("");
    assert!(cursor.enter(2) && cursor.enter(2) && !cursor.enter(2) && !cursor.enter(2));
    cursor.leave();
    assert!(cursor.enter(2) && !cursor.enter(2));
    cursor.surface();
    assert!(cursor.enter(1));
}

const QUOTES: Quotes =
    Quotes { letters: &[(b'n', b'\n')], hexadecimal: Some(|byte| byte.is_ascii_control() || byte == b'{') };

/// Each text comes back, and what is written stands in one line and is one token.
#[test]
fn quoted_texts_come_back() {
    for text in texts(&["a", "\"", "\\", "\n", "\t", "{", "é", "x", "4", "\u{7f}"], 4) {
        for quotes in [QUOTES, Quotes { hexadecimal: None, ..QUOTES }] {
            let written = quotes.quoted(&text);
            let mut scanner = Scanner::new(&written[..], 0);
            let raw = scanner.quoted().unwrap();
            assert!(scanner.is_done() && !written.contains('\n'), "{written}");
            assert_eq!(quotes.unescape(raw).unwrap(), text, "{written}");
        }
    }
    for byte in 0..=255 {
        let mut written = String::new();
        QUOTES.push_byte(&mut written, byte);
        assert_eq!(*QUOTES.unescape_bytes(&written).unwrap(), [byte]);
    }
}

#[test]
fn bad_escapes_are_told_apart() {
    let faults =
        ["\\q", "\\", "\\x", "\\x4", "\\x4g", "\\xff", "\\é"].map(|raw| QUOTES.unescape(raw).unwrap_err());
    use BadEscape::{Digits, Unknown, Utf8};
    assert_eq!(faults, [Unknown, Unknown, Digits, Digits, Digits, Utf8, Unknown]);
    assert_eq!(Quotes { hexadecimal: None, ..QUOTES }.unescape("\\x41"), Err(Unknown));
}

#[test]
fn symbols_are_found_at_their_longest() {
    static SAME: Symbols<u8> = Symbols::new(&[("==", 0), ("=", 0), ("∧", 1), ("&&", 1), ("do", 2)]);
    assert_eq!(SAME.at("==".as_bytes()), Some((0, 2)));
    assert_eq!(SAME.at("=<".as_bytes()), Some((0, 1)));
    assert_eq!(SAME.at("∧".as_bytes()), Some((1, 3)));
    assert_eq!([&b"&"[..], b"", b"\xe2"].map(|text| SAME.at(text)), [None; 3]);
    assert_eq!([&b"do"[..], b"d", b"done", b""].map(|text| SAME.exact(text)), [Some(2), None, None, None]);
    assert_eq!([0, 1, 2, 3].map(|kind| SAME.spelling(kind)), [Some("="), Some("&&"), Some("do"), None]);
    assert_eq!(Sign::ALL.iter().map(|(text, _)| *text).collect::<Vec<_>>(), ["<=", "<", ";"]);
}

#[test]
fn names_are_whole() {
    let names = ["a", "_1", "$", "", "1a", "a-b", "é"].map(|text| is_name(text, starts_name, continues_name));
    assert_eq!(names, [true, true, true, false, false, false, false]);
}
