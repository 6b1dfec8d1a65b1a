//! Reads files of predicates: sections, and C expressions in them.
//!
//! Text becomes expressions of the program at once, without a tree in between. A syntax error ends its
//! predicate; a name or an operand that makes no sense is reported, and what it is part of is read on
//! without a value, so that all errors come out in one run.
//!
//! Nesting is limited, both of the text and of what it stands for: deeper input is an error, not a
//! stack overflow here or in a later stage.

mod expr;

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use hardbop_base::text::{Cursor, Failed, Parse};
use hardbop_base::{Diagnostic, Diagnostics, FileId, Span};
use hardbop_ir::{self as ir, Program, UnaryOp};
use rustc_hash::FxHashSet;

use super::lex::{Kind, QUOTES};
use super::scope::{Entity, Lookup, Name, Names, quoted};
use super::types::{CType, Operator, Typed, Typing, Value, binary_operator};
use super::{MAX_NESTING, Predicate, Scope};

/// Parentheses that the printer adds count for the recursion but not for the depth.
const MAX_RECURSION: usize = MAX_NESTING as usize + 8;

/// After this many errors the rest is not read.
const MAX_ERRORS: usize = 200;

/// Reads a file of predicates; see `docs/predicates.md`. What is wrong is said in the diagnostics and
/// left out of the result.
pub fn parse_predicates(
    program: &Program,
    file: FileId,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Vec<Predicate> {
    read(program, (file, text), diagnostics, |parser| parser.file()).0
}

/// Reads predicates that stand in a text of another language: sections from byte `at` up to a closing brace, in
/// their order, also those that are there twice or are always true. Also gives where the text goes on behind the
/// brace. What is wrong is said in the diagnostics; then there is no result.
///
/// A section may be `global f: …;`: predicates of the whole program, with the names of one procedure.
pub fn parse_block(
    program: &Program,
    (file, text): (FileId, &str),
    at: u32,
    diagnostics: &mut Diagnostics,
) -> Option<(Vec<Predicate>, u32)> {
    let mut end = at;
    let (found, is_good) = read(program, (file, text), diagnostics, |parser| {
        parser.keeps_all = true;
        parser.go_to(at);
        while !parser.at("}") {
            if parser.section().is_err() {
                if parser.gives_up() || parser.token.kind == Kind::End {
                    return;
                }
                parser.skip_section();
            }
        }
        end = parser.token.end;
    });
    is_good.then_some((found, end))
}

/// Predicates for a line of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lined {
    /// The line.
    pub line: u32,
    /// Where its number is written.
    pub span: Span,
    /// The predicates in their order, also those that are there twice.
    pub predicates: Vec<Predicate>,
}

/// Reads a file of predicates for lines of the program, `12: e, e;`; their scopes are found by line. What is wrong is
/// said in the diagnostics; then there is no result.
pub fn parse_lines(
    program: &Program,
    (file, text): (FileId, &str),
    scope: &dyn Fn(&Program, u32) -> Result<ir::ProcId, String>,
    diagnostics: &mut Diagnostics,
) -> Vec<Lined> {
    let mut lines: Vec<(u32, Span, usize)> = Vec::new();
    let (found, is_good) = read(program, (file, text), diagnostics, |parser| {
        parser.keeps_all = true;
        while parser.token.kind != Kind::End {
            match parser.line(scope) {
                Ok((line, span)) => lines.push((line, span, parser.found.len())),
                Err(Failed) if parser.gives_up() => return,
                Err(Failed) => parser.skip_section(),
            }
        }
    });
    if !is_good {
        return Vec::new();
    }
    let mut start = 0;
    let lined = lines.into_iter().map(|(line, span, end)| {
        let predicates = found[start..end].to_vec();
        start = end;
        Lined { line, span, predicates }
    });
    lined.collect()
}

/// Reads a text: the predicates, and whether nothing is wrong with it.
fn read(
    program: &Program,
    (file, text): (FileId, &str),
    diagnostics: &mut Diagnostics,
    sections: impl FnOnce(&mut Parser<'_, '_>),
) -> (Vec<Predicate>, bool) {
    let names = Names::new(program);
    let mut parser = Parser {
        program,
        names,
        cursor: Cursor::new(file, text),
        found: Vec::new(),
        scope: Scope::Global,
        seen: FxHashSet::default(),
        keeps_all: false,
    };
    sections(&mut parser);
    parser.verify();
    let Parser { found, cursor, .. } = parser;
    let is_good = cursor.errors() == 0;
    diagnostics.append(cursor.finish());
    (found.into_iter().map(|(predicate, ..)| predicate).collect(), is_good)
}

/// A part of an expression that was read.
#[derive(Debug, Clone, Copy)]
struct Operand {
    /// What it stands for; nothing if that is in error, which was reported.
    value: Option<Value>,
    /// Operators above each other.
    depth: u32,
}

pub(super) struct Parser<'p, 't> {
    pub(super) program: &'p Program,
    pub(super) names: Names,
    cursor: Cursor<'t, Kind<'t>>,
    /// With the procedure whose names they are written with.
    found: Vec<(Predicate, Option<ir::ProcId>, Span)>,
    /// Where the predicates of the section have a meaning.
    scope: Scope,
    seen: FxHashSet<Predicate>,
    /// Whether each predicate has its own meaning, also if it is there already or is always true.
    keeps_all: bool,
}

impl<'t> Deref for Parser<'_, 't> {
    type Target = Cursor<'t, Kind<'t>>;
    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl DerefMut for Parser<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

/// The basic moves.
impl<'t> Parser<'_, 't> {
    /// A name, as a word or in quotes.
    pub(super) fn name(&mut self, wanted: &str) -> Parse<Name<'t>> {
        let name = match self.token.kind {
            Kind::Word(word) => Name { text: Cow::Borrowed(word), is_quoted: false },
            // The escapes are known to be good.
            Kind::Quoted(raw) => Name { text: QUOTES.unescape(raw).unwrap_or_default(), is_quoted: true },
            _ => return Err(self.unexpected(wanted)),
        };
        self.advance();
        Ok(name)
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(span, message));
    }

    fn typing(&mut self) -> Typing<'_> {
        Typing { program: self.program }
    }

    /// Whether an operand may be nested one level deeper.
    fn deeper(&mut self, depth: u32, span: Span) -> Parse<u32> {
        if depth >= MAX_NESTING {
            return Err(self.error(span, format!("the predicate is nested more than {MAX_NESTING} deep")));
        }
        Ok(depth + 1)
    }

    /// What an operator makes of its operands; a type error is reported.
    fn apply<const N: usize>(
        &mut self,
        span: Span,
        operands: [Operand; N],
        rule: impl FnOnce(&mut Typing<'_>, [Value; N]) -> Typed<Value>,
    ) -> Parse<Operand> {
        let deepest = operands.iter().map(|o| o.depth).max().unwrap_or(0);
        let depth = self.deeper(deepest, span)?;
        let mut values = [Value::Place(ir::PlaceId::from_usize(0)); N];
        for (slot, operand) in values.iter_mut().zip(operands) {
            match operand.value {
                Some(value) => *slot = value,
                None => return Ok(Operand { value: None, depth }),
            }
        }
        let value = rule(&mut self.typing(), values).map_err(|why| self.error(span, why)).ok();
        Ok(Operand { value, depth })
    }
}

/// Sections.
impl Parser<'_, '_> {
    fn file(&mut self) {
        while self.token.kind != Kind::End {
            if self.section().is_err() {
                if self.gives_up() {
                    return;
                }
                self.skip_section();
            }
        }
    }

    /// Whether there were too many errors, which is reported.
    fn gives_up(&mut self) -> bool {
        let many = self.errors() >= MAX_ERRORS;
        if many {
            self.close_with("too many errors; the rest is not read");
        }
        many
    }

    /// After an error: goes behind the end of the section.
    fn skip_section(&mut self) {
        while !matches!(self.token.kind, Kind::End | Kind::Punct(";")) {
            self.advance();
        }
        self.eat(";");
    }

    /// `global: …;` or `proc f: …;`
    fn section(&mut self) -> Parse<()> {
        let scope = if self.eat_word("global") {
            if self.keeps_all && !self.at(":") {
                let names = self.procedure()?;
                return self.predicates(Scope::Global, Scope::Procedure(names));
            }
            Scope::Global
        } else if self.eat_word("proc") {
            Scope::Procedure(self.procedure()?)
        } else {
            return Err(self.unexpected("`global:` or `proc NAME:`"));
        };
        self.predicates(scope, scope)
    }

    /// `12: …;`, with the line and where it is written.
    fn line(&mut self, scope: &dyn Fn(&Program, u32) -> Result<ir::ProcId, String>) -> Parse<(u32, Span)> {
        let span = self.here();
        let Ok(line) = self.written().parse() else { return Err(self.unexpected("`LINE:`")) };
        self.advance();
        let procedure = scope(self.program, line).map_err(|why| self.error(span, why))?;
        self.predicates(Scope::Procedure(procedure), Scope::Procedure(procedure))?;
        Ok((line, span))
    }

    /// `: e, e;` of a scope, written with the names of one.
    fn predicates(&mut self, scope: Scope, names: Scope) -> Parse<()> {
        self.scope = scope;
        self.names.enter(self.program, names);
        self.expect(":")?;
        loop {
            if self.eat(";") {
                return Ok(());
            }
            let start = self.token.start;
            self.surface();
            if self.predicate().is_err() {
                self.skip_predicate(start);
            }
            if self.errors() >= MAX_ERRORS {
                return Err(Failed);
            }
            if !self.eat(",") && !self.at(";") {
                return Err(self.unexpected("`,` or `;`"));
            }
        }
    }

    /// The procedure of a section.
    fn procedure(&mut self) -> Parse<ir::ProcId> {
        let span = self.here();
        let name = self.name("the name of a procedure")?;
        let name = name.spelling();
        match self.names.find_procedure(name) {
            Lookup::One(id) => {
                if self.program.procedures[id].external.is_some() {
                    self.warn(
                        span,
                        format!("`{}` has no body, so its predicates are never used", name.text()),
                    );
                }
                Ok(id)
            }
            Lookup::Several(all) => {
                let candidates = all.into_iter().map(|id| {
                    let procedure = &self.program.procedures[id];
                    (procedure.name.as_str(), procedure.span)
                });
                let message = self.ambiguous(name.text(), candidates);
                Err(self.error(span, message))
            }
            Lookup::Nothing => {
                Err(self.error(span, format!("the program has no procedure `{}`", name.text())))
            }
        }
    }

    /// After an error: goes to the end of the predicate that starts there. That is a comma outside of
    /// all parentheses; if one of them is not closed, the first comma.
    fn skip_predicate(&mut self, start: u32) {
        if !self.skip_to_comma(start, true) {
            self.skip_to_comma(start, false);
        }
    }

    /// Goes to the next comma or semicolon; whether no parenthesis was open there.
    fn skip_to_comma(&mut self, start: u32, outside: bool) -> bool {
        self.go_to(start);
        let mut open = 0u32;
        loop {
            match self.token.kind {
                Kind::End | Kind::Punct(";") => return open == 0,
                Kind::Punct(",") if open == 0 || !outside => return true,
                Kind::Punct("(" | "[") => open += 1,
                Kind::Punct(")" | "]") => open = open.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    fn predicate(&mut self) -> Parse<()> {
        let start = self.token.start;
        let condition = self.choice()?;
        let end = self.end_of_last(start);
        if !self.at(",") && !self.at(";") {
            return Err(self.unexpected("an operator, `,` or `;`"));
        }
        let span = self.span(start, end);
        let Some(value) = condition.value else { return Ok(()) };
        let expr = self.typing().truth(value).map_err(|why| self.error(span, why))?;
        let predicate = Predicate { scope: self.scope, expr };
        if let Some(truth) = self.program.as_truth(expr).filter(|_| !self.keeps_all) {
            self.warn(span, format!("this predicate is always {truth}"));
        }
        if self.seen.insert(predicate) || self.keeps_all {
            self.found.push((predicate, self.names.scope().procedure(), span));
        } else {
            self.warn(span, "this predicate is there already");
        }
        Ok(())
    }

    /// Where the text before the current token ends.
    fn end_of_last(&self, start: u32) -> u32 {
        let text = &self.text[start as usize..self.token.start as usize];
        start + text.trim_end().len() as u32
    }

    /// Checks what was read with the rules of the program representation: expressions of its own text
    /// form were not checked before, nor was the depth.
    fn verify(&mut self) {
        let all: Vec<_> = self.found.iter().map(|&(predicate, names, _)| (names, predicate.expr)).collect();
        if ir::verify_exprs(self.program, &all).is_empty() {
            return;
        }
        for (predicate, names, span) in std::mem::take(&mut self.found) {
            match ir::verify_exprs(self.program, &[(names, predicate.expr)]).into_iter().next() {
                Some(violation) => {
                    self.error(span, violation.message);
                }
                None => self.found.push((predicate, names, span)),
            }
        }
    }
}
