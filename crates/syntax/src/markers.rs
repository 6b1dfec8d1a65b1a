//! Directives in text that has been preprocessed: line markers, `#pragma`, `#ident`.
//!
//! They are taken out of the token stream before the parser sees it. A marker says which line of
//! which file the *next* line of the text is; that becomes the file's [`LineMap`]. `#pragma` lines
//! stay in the stream, where the parser looks for them (`#pragma pack` changes layouts). Any other
//! directive means that the text has not been preprocessed, which is an error here.

use std::sync::Arc;

use hardbop_base::{Diagnostic, LineMap};
use rucc_base::Interner;
use rucc_lex::{PpToken, PpTokenKind, TokenFlags};
use rustc_hash::FxHashMap;

use crate::spans::Lines;

/// The tokens without their directives, what the markers said, and complaints.
pub(crate) struct Stripped {
    pub tokens: Vec<PpToken>,
    pub lines: LineMap,
    pub headers: SystemHeaders,
    pub diagnostics: Vec<Diagnostic>,
}

/// The lines that come from system headers, for which no warnings are given.
#[derive(Debug, Default)]
pub(crate) struct SystemHeaders {
    /// From each of these lines on, whether it is one; ascending.
    changes: Vec<(u32, bool)>,
}

impl SystemHeaders {
    /// Whether a line of the text comes from a system header.
    pub fn contains(&self, line: u32) -> bool {
        let after = self.changes.partition_point(|&(first, _)| first <= line);
        after > 0 && self.changes[after - 1].1
    }

    fn add(&mut self, first_line: u32, system: bool) {
        if self.changes.last().map_or(system, |&(_, before)| before != system) {
            self.changes.push((first_line, system));
        }
    }
}

/// Takes the directives out of a token stream. Always ends in the stream's end-of-file token.
pub(crate) fn strip(tokens: Vec<PpToken>, interner: &Interner, lines: &Lines) -> Stripped {
    let mut reader = Reader {
        interner,
        lines,
        names: FxHashMap::default(),
        map: LineMap::default(),
        headers: SystemHeaders::default(),
        current: None,
    };
    let mut out = Vec::with_capacity(tokens.len());
    let mut diagnostics = Vec::new();
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        at += 1;
        if !is_directive(token) {
            out.push(token);
            continue;
        }
        let end = at + tokens[at..].iter().take_while(|t| !t.is_eof() && !starts_line(t)).count();
        let line = &tokens[at..end];
        at = end;
        match line.first() {
            None => {}
            Some(first) if first.kind == PpTokenKind::Number => reader.marker(token, line),
            Some(first) => match reader.spelling(first) {
                "pragma" => {
                    out.push(token);
                    out.extend_from_slice(line);
                }
                "line" => reader.marker(token, &line[1..]),
                "ident" | "sccs" => {}
                name => {
                    let message = format!("directive #{name} in text that is not to be preprocessed");
                    diagnostics.push(Diagnostic::error(lines.span(token.span.lo, first.span.hi), message));
                }
            },
        }
    }
    Stripped { tokens: out, lines: reader.map, headers: reader.headers, diagnostics }
}

fn starts_line(token: &PpToken) -> bool {
    token.flags.has(TokenFlags::START_OF_LINE)
}

fn is_directive(token: PpToken) -> bool {
    starts_line(&token) && matches!(token.kind, PpTokenKind::Punct(rucc_lex::Punct::Hash))
}

struct Reader<'a> {
    interner: &'a Interner,
    lines: &'a Lines,
    names: FxHashMap<String, Arc<str>>,
    map: LineMap,
    headers: SystemHeaders,
    current: Option<Arc<str>>,
}

impl Reader<'_> {
    fn spelling(&self, token: &PpToken) -> &str {
        token.value.map_or("", |symbol| self.interner.resolve(symbol))
    }

    /// `# 12 "file.c" 1 3` or `#line 12 "file.c"`, given from the number on. A marker that makes
    /// no sense is ignored: it only affects what positions are shown as.
    fn marker(&mut self, hash: PpToken, line: &[PpToken]) {
        let Some(number) = line.first().and_then(|t| self.spelling(t).parse::<u32>().ok()) else { return };
        if let Some(name) = line.get(1).filter(|t| t.kind == PpTokenKind::StringLit) {
            let name = unquote(self.spelling(name));
            let shared = self.names.entry(name).or_insert_with_key(|name| Arc::from(name.as_str()));
            self.current = Some(shared.clone());
        }
        let next_line = self.lines.line(hash.span.lo) + 1;
        let system = line.iter().skip(2).any(|t| self.spelling(t) == "3");
        self.headers.add(next_line, system);
        // A number alone keeps the file; without any file so far there is nothing to keep.
        if let Some(file) = &self.current {
            self.map.add(next_line, file.clone(), number);
        }
    }
}

/// The name in a marker's string literal, in which only quotes and backslashes are escaped.
fn unquote(literal: &str) -> String {
    let body = literal.strip_prefix('"').unwrap_or(literal);
    let body = body.strip_suffix('"').unwrap_or(body);
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    out
}
