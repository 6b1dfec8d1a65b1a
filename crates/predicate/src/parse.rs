//! Reads files of predicates: sections, and C expressions in them.
//!
//! Text becomes expressions of the program at once, without a tree in between. A syntax error ends its
//! predicate; a name or an operand that makes no sense is reported, and what it is part of is read on
//! without a value, so that all errors come out in one run.
//!
//! Nesting is limited, both of the text and of what it stands for: deeper input is an error, not a
//! stack overflow here or in a later stage.

use hardbop_base::{Diagnostic, Diagnostics, FileId, LineIndex, Span};
use hardbop_ir::{self as ir, Program, UnaryOp};
use rustc_hash::FxHashSet;

use super::lex::{Kind, Lexer, Token};
use super::scope::{Entity, Found, Names, Spelling, quoted};
use super::types::{CType, Operator, Typed, Typing, Value, binary_operator};
use super::{MAX_NESTING, Predicate, Scope};

/// Parentheses that the printer adds count for the recursion but not for the depth.
const MAX_RECURSION: u32 = MAX_NESTING + 8;

/// After this many errors the rest is not read.
const MAX_ERRORS: usize = 200;

/// Reads a file of predicates; see `docs/predicates.md`. What is wrong is said in the diagnostics and
/// left out of the result.
pub fn parse_predicates(
    program: &mut Program,
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
    program: &mut Program,
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
    program: &mut Program,
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
    program: &mut Program,
    (file, text): (FileId, &str),
    diagnostics: &mut Diagnostics,
    sections: impl FnOnce(&mut Parser<'_, '_>),
) -> (Vec<Predicate>, bool) {
    if u32::try_from(text.len()).is_err() {
        diagnostics.error(Span::none(), "the text has more than 4 GB");
        return (Vec::new(), false);
    }
    let names = Names::new(program);
    let mut lexer = Lexer::new(text, 0);
    let token = lexer.next();
    let lines = LineIndex::new(text.as_bytes());
    let mut parser = Parser {
        program,
        names,
        file,
        text,
        lines,
        lexer,
        token,
        depth: 0,
        found: Vec::new(),
        scope: Scope::Global,
        seen: FxHashSet::default(),
        keeps_all: false,
        errors: 0,
        diagnostics: Diagnostics::new(),
    };
    sections(&mut parser);
    parser.verify();
    let Parser { found, diagnostics: messages, errors, .. } = parser;
    let mut messages: Vec<_> = messages.into_iter().collect();
    messages.sort_by_key(|message| (message.span.is_none(), message.span.line, message.span.column));
    diagnostics.append(messages.into_iter().collect());
    (found.into_iter().map(|(predicate, ..)| predicate).collect(), errors == 0)
}

/// A syntax error was reported.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failed;

pub(super) type Parse<T> = Result<T, Failed>;

/// A part of an expression that was read.
#[derive(Debug, Clone, Copy)]
struct Operand {
    /// What it stands for; nothing if that is in error, which was reported.
    value: Option<Value>,
    /// Operators above each other.
    depth: u32,
}

pub(super) struct Parser<'p, 't> {
    pub(super) program: &'p mut Program,
    pub(super) names: Names,
    file: FileId,
    text: &'t str,
    lines: LineIndex,
    pub(super) lexer: Lexer<'t>,
    /// The token that is looked at.
    pub(super) token: Token<'t>,
    /// Recursion.
    depth: u32,
    /// With the procedure whose names they are written with.
    found: Vec<(Predicate, Option<ir::ProcId>, Span)>,
    /// Where the predicates of the section have a meaning.
    scope: Scope,
    seen: FxHashSet<Predicate>,
    /// Whether each predicate has its own meaning, also if it is there already or is always true.
    keeps_all: bool,
    errors: usize,
    diagnostics: Diagnostics,
}

/// The basic moves.
impl<'t> Parser<'_, 't> {
    pub(super) fn advance(&mut self) -> Token<'t> {
        let next = self.lexer.next();
        std::mem::replace(&mut self.token, next)
    }

    pub(super) fn go_to(&mut self, at: u32) {
        self.lexer = Lexer::new(self.text, at);
        self.token = self.lexer.next();
    }

    pub(super) fn at(&self, punct: &str) -> bool {
        matches!(self.token.kind, Kind::Punct(found) if found == punct)
    }

    pub(super) fn eat(&mut self, punct: &str) -> bool {
        let found = self.at(punct);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.token.kind == Kind::Word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, punct: &str) -> Parse<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.unexpected(&format!("`{punct}`"))) }
    }

    fn span(&self, start: u32, end: u32) -> Span {
        self.lines.span(self.file, start, end)
    }

    pub(super) fn here(&self) -> Span {
        self.span(self.token.start, self.token.end)
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.errors += 1;
        self.diagnostics.error(span, message);
        Failed
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(span, message));
    }

    /// Reports that something else was expected here.
    pub(super) fn unexpected(&mut self, wanted: &str) -> Failed {
        let span = self.here();
        let found = match self.token.kind {
            Kind::Bad(why) => return self.error(span, why),
            Kind::End => "the end of the text".to_owned(),
            Kind::Punct("=") => return self.error(span, "a predicate assigns nothing; `==` compares"),
            Kind::Punct(
                "++" | "--" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=",
            ) => {
                return self.error(span, "a predicate has no side effects");
            }
            _ => {
                let text = &self.text[self.token.start as usize..self.token.end as usize];
                let short: String = text.chars().take(40).collect();
                let dots = if short.len() < text.len() { "…" } else { "" };
                format!("`{short}{dots}`")
            }
        };
        self.error(span, format!("expected {wanted}, found {found}"))
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
        let many = self.errors >= MAX_ERRORS;
        if many {
            self.error(Span::none(), "too many errors; the rest is not read");
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
        let written = &self.text[self.token.start as usize..self.token.end as usize];
        let Ok(line) = written.parse() else { return Err(self.unexpected("`LINE:`")) };
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
            self.depth = 0;
            if self.predicate().is_err() {
                self.skip_predicate(start);
            }
            if self.errors >= MAX_ERRORS {
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
        let token = self.advance();
        let name = match &token.kind {
            Kind::Word(word) => Spelling::Word(word),
            Kind::Quoted(name) => Spelling::Quoted(name),
            _ => {
                self.go_to(token.start);
                return Err(self.unexpected("the name of a procedure"));
            }
        };
        match self.names.find_procedure(name) {
            Found::One(id) => {
                if self.program.procedures[id].external.is_some() {
                    self.warn(
                        span,
                        format!("`{}` has no body, so its predicates are never used", name.text()),
                    );
                }
                Ok(id)
            }
            Found::Several(all) => {
                let candidates = all.into_iter().map(|id| {
                    let procedure = &self.program.procedures[id];
                    (procedure.name.as_str(), procedure.span)
                });
                let message = self.ambiguous(name.text(), candidates);
                Err(self.error(span, message))
            }
            Found::Nothing => {
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

/// Expressions.
impl Parser<'_, '_> {
    /// `a ? b : c`, or what binds tighter.
    fn choice(&mut self) -> Parse<Operand> {
        if self.depth >= MAX_RECURSION {
            let span = self.here();
            return Err(self.error(span, format!("the predicate is nested more than {MAX_NESTING} deep")));
        }
        self.depth += 1;
        let condition = self.operators()?;
        let span = self.here();
        let result = if self.eat("?") {
            let then = self.choice()?;
            self.expect(":")?;
            let otherwise = self.choice()?;
            self.apply(span, [condition, then, otherwise], |t, [c, a, b]| t.choice(c, a, b))
        } else {
            Ok(condition)
        };
        self.depth -= 1;
        result
    }

    /// Binary operators, by precedence, with a stack of those that wait for their right operand.
    fn operators(&mut self) -> Parse<Operand> {
        let mut waiting: Vec<(Operand, Operator, u8, Span)> = Vec::new();
        let mut operand = self.prefix()?;
        loop {
            let next = match self.token.kind {
                Kind::Punct(punct) => binary_operator(punct),
                _ => None,
            };
            let strength = next.map_or(0, |(_, strength)| strength);
            while let Some((left, op, _, span)) = waiting.pop_if(|(_, _, waits, _)| *waits >= strength) {
                operand = self.apply(span, [left, operand], |t, [a, b]| t.binary(op, a, b))?;
            }
            let Some((op, strength)) = next else { return Ok(operand) };
            waiting.push((operand, op, strength, self.here()));
            self.advance();
            operand = self.prefix()?;
        }
    }

    /// Prefix operators and conversions, and what they apply to.
    fn prefix(&mut self) -> Parse<Operand> {
        let mut prefixes = Vec::new();
        let mut operand = loop {
            let span = self.here();
            let prefix = match self.token.kind {
                Kind::Punct("-") => Prefix::Operator(UnaryOp::Neg),
                Kind::Punct("~") => Prefix::Operator(UnaryOp::BitNot),
                Kind::Punct("!") => Prefix::Operator(UnaryOp::Not),
                Kind::Punct("+") => Prefix::Plus,
                Kind::Punct("*") => Prefix::Deref,
                Kind::Punct("&") => Prefix::Address,
                Kind::Punct("(") if self.type_follows() => {
                    self.advance();
                    let ty = self.ty()?;
                    self.expect(")")?;
                    prefixes.push((Prefix::Cast(ty), span));
                    continue;
                }
                Kind::Word("sizeof") => {
                    self.advance();
                    if self.at("(") && self.type_follows() {
                        break self.size_of_type(span)?;
                    }
                    prefixes.push((Prefix::SizeOf, span));
                    continue;
                }
                _ => break self.postfix()?,
            };
            self.advance();
            prefixes.push((prefix, span));
        };
        while let Some((prefix, span)) = prefixes.pop() {
            operand = self.apply(span, [operand], |t, [value]| match prefix {
                Prefix::Operator(UnaryOp::Not) => t.not(value),
                Prefix::Operator(op) => t.unary(op, value),
                Prefix::Plus => t.plus(value),
                Prefix::Deref => t.deref(value),
                Prefix::Address => t.address_of(value),
                Prefix::Cast(ty) => t.cast(value, ty),
                Prefix::SizeOf => t.size_of_value(value),
            })?;
        }
        Ok(operand)
    }

    fn size_of_type(&mut self, span: Span) -> Parse<Operand> {
        self.advance();
        let ty = self.ty()?;
        self.expect(")")?;
        self.apply(span, [], |t, []| t.size_of_type(ty))
    }

    /// Something with members and indices behind it.
    fn postfix(&mut self) -> Parse<Operand> {
        let mut operand = self.primary()?;
        loop {
            let span = self.here();
            if self.eat("->") {
                operand = self.apply(span, [operand], |t, [value]| t.deref(value))?;
                operand = self.member(operand)?;
            } else if self.eat(".") {
                operand = self.member(operand)?;
            } else if self.eat("[") {
                let index = self.choice()?;
                self.expect("]")?;
                operand = self.apply(span, [operand, index], |t, [a, b]| t.subscript(a, b))?;
            } else if self.at("(") {
                return Err(self.error(span, "a predicate calls no functions"));
            } else {
                return Ok(operand);
            }
        }
    }

    /// The name or number of a member. It adds no depth: the parts of a place are a list.
    fn member(&mut self, of: Operand) -> Parse<Operand> {
        let span = self.here();
        let token = self.advance();
        let made = match token.kind {
            Kind::Word(name) => self.apply(span, [of], |t, [value]| t.member(value, name))?,
            Kind::Quoted(name) => self.apply(span, [of], |t, [value]| t.member(value, &name))?,
            Kind::Punct("#") => {
                // Digits only: `1.` in `.#1.#2` is no number of C.
                let rest = &self.text[token.end as usize..];
                let digits = &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()];
                let Ok(number) = digits.parse() else {
                    return Err(self.unexpected("the number of a member"));
                };
                self.go_to(token.end + digits.len() as u32);
                self.apply(span, [of], |t, [value]| t.numbered_member(value, number))?
            }
            _ => {
                self.go_to(token.start);
                return Err(self.unexpected("the name of a member"));
            }
        };
        Ok(Operand { depth: of.depth, ..made })
    }

    fn primary(&mut self) -> Parse<Operand> {
        let span = self.here();
        match self.token.kind.clone() {
            Kind::Punct("(") => {
                self.advance();
                let inner = self.choice()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Kind::Punct("@") => return self.exact(),
            Kind::Punct("::") => {
                self.advance();
                return self.variable(true);
            }
            Kind::Quoted(_) => return self.variable(false),
            Kind::Word("NULL") => {
                self.advance();
                return self.apply(span, [], |t, []| Ok(t.null()));
            }
            Kind::Word(word @ ("true" | "false")) => {
                self.advance();
                return self.apply(span, [], |t, []| Ok(t.boolean(word == "true")));
            }
            Kind::Word("return") => return self.result(),
            Kind::Word(word) if super::scope::is_word(word) => return self.variable(false),
            Kind::Int(literal) => {
                self.advance();
                let shape = literal.shape(self.program.data_model);
                return self.apply(span, [], |t, []| Ok(t.integer(literal.value, shape)));
            }
            Kind::Float(digits, single) => {
                self.advance();
                return self.apply(span, [], |t, []| t.float(digits, single));
            }
            _ => {}
        }
        Err(self.unexpected("an expression"))
    }

    /// `@( … )`: an expression in the text form of the program representation.
    fn exact(&mut self) -> Parse<Operand> {
        self.advance();
        let start = self.token.start;
        let procedure = self.names.scope().procedure();
        match ir::text::parse_group(self.program, procedure, self.file, self.text, start) {
            Ok((expr, end)) => {
                self.go_to(end);
                Ok(Operand { value: Some(self.typing().exact(expr)), depth: 1 })
            }
            Err(errors) => {
                self.errors += 1;
                self.diagnostics.append(errors);
                Err(Failed)
            }
        }
    }

    /// `return`: the result of the procedure.
    fn result(&mut self) -> Parse<Operand> {
        let span = self.here();
        self.advance();
        let result = match self.names.scope().procedure() {
            Some(id) => self.program.procedures[id].result.ok_or("the procedure has no result"),
            None => Err("`return` is the result of a procedure; write `proc NAME:` before its predicates"),
        };
        let value = match result {
            Ok(var) => Some(Value::Place(self.program.var_place(var))),
            Err(why) => {
                self.error(span, why);
                None
            }
        };
        Ok(Operand { value, depth: 1 })
    }
}

/// A prefix operator.
#[derive(Debug, Clone, Copy)]
enum Prefix {
    Operator(UnaryOp),
    Plus,
    Deref,
    Address,
    Cast(CType),
    SizeOf,
}

/// Names.
impl Parser<'_, '_> {
    /// A variable, or a procedure as its address.
    fn variable(&mut self, global: bool) -> Parse<Operand> {
        let span = self.here();
        let token = self.advance();
        let name = match &token.kind {
            Kind::Word(word) => Spelling::Word(word),
            Kind::Quoted(name) => Spelling::Quoted(name),
            _ => {
                self.go_to(token.start);
                return Err(self.unexpected("a name"));
            }
        };
        let found = if global { self.names.find_global(name) } else { self.names.find(name) };
        let value = match found {
            Found::One(Entity::Variable(var)) => Some(Value::Place(self.program.var_place(var))),
            Found::One(Entity::Procedure(id)) => {
                let address = self.program.function_address(id);
                Some(self.typing().exact(address))
            }
            Found::Several(all) => {
                let candidates = all.into_iter().map(|entity| match entity {
                    Entity::Variable(id) => {
                        (self.program.variables[id].name.as_str(), self.program.variables[id].span)
                    }
                    Entity::Procedure(id) => {
                        (self.program.procedures[id].name.as_str(), self.program.procedures[id].span)
                    }
                });
                let message = self.ambiguous(name.text(), candidates);
                self.error(span, message);
                None
            }
            Found::Nothing => {
                let message = self.unknown(name.text());
                self.error(span, message);
                None
            }
        };
        Ok(Operand { value, depth: 1 })
    }

    /// Lists what a name could mean, and how to say it.
    pub(super) fn ambiguous<'n>(
        &self,
        name: &str,
        candidates: impl Iterator<Item = (&'n str, Span)>,
    ) -> String {
        let mut message = format!("`{name}` is ambiguous; write");
        for (i, (candidate, span)) in candidates.enumerate() {
            let plain = candidate.contains('$') && super::scope::is_word(candidate);
            let spelling = if plain { candidate.to_owned() } else { quoted(candidate) };
            message.push_str(if i > 0 { ", or" } else { "" });
            message.push_str(&format!(" `{spelling}`"));
            if !span.is_none() {
                message.push_str(&format!(" for the one of {}", self.program.files.origin(span)));
            }
        }
        message
    }

    /// Says why a name means nothing here.
    fn unknown(&self, name: &str) -> String {
        let within = |id: ir::ProcId| {
            let p = &self.program.procedures[id];
            p.formals.iter().chain(&p.locals).any(|&var| self.program.variables[var].name == name)
        };
        if let Some(procedure) = self.names.scope().procedure() {
            let array = format!("{name}$address");
            let p = &self.program.procedures[procedure];
            if p.locals.iter().any(|&var| self.program.variables[var].name == array) {
                return format!(
                    "`{name}` is a variable-length array; `{array}` is the address of its first element"
                );
            }
        } else if let Some(id) = self.program.procedures.ids().find(|&id| within(id)) {
            let owner = &self.program.procedures[id].name;
            return format!("`{name}` is not a global; for the one of `{owner}` write `proc {owner}:`");
        }
        let statics = format!("${name}");
        let global = |id: &&ir::VarId| self.program.variables[**id].name.ends_with(&statics);
        if let Some(&id) = self.program.globals.iter().find(global) {
            let hint = &self.program.variables[id].name;
            return format!("`{name}` is not known here; did you mean the static variable `{hint}`?");
        }
        format!(
            "`{name}` is not known here: it is no variable of this scope that the program uses, and macros, \
             enumerators and typedef names are not known in predicates"
        )
    }
}
