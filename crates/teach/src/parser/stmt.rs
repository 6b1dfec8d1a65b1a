//! Statements. They end with `;`, which is optional before `}`, `|` and `else` and after a closing
//! brace; stray ones are ignored.

use hardbop_base::Span;

use super::{Failed, Parse, Parser};
use crate::ast::{Arm, BinaryOp, Call, Expr, ExprKind, Name, Source, Stmt, StmtKind, Target};
use crate::lexer::{Tok, Word};

impl Parser<'_> {
    /// Statements up to a closing brace, `|`, `else`, or the end of the text.
    pub(super) fn statements(&mut self, into: &mut Vec<Stmt>) {
        while !closes_statements(self.peek()) {
            if self.eat(Tok::Semi) {
                continue;
            }
            let start = self.token.start;
            match self.statement() {
                Ok(stmt) => into.push(stmt),
                Err(Failed) => self.recover(start),
            }
        }
    }

    /// Skips what is left of a broken statement that began at byte `start`.
    fn recover(&mut self, start: u32) {
        if self.token.start == start {
            self.advance();
        }
        self.skip_balanced(|tok| tok == Tok::Semi || closes_statements(tok) || starts_statement(tok));
    }

    /// A statement with its `;`. Labels that nothing follows stand before a `skip`.
    fn statement(&mut self) -> Parse<Stmt> {
        let mut labels = Vec::new();
        while let Some(label) = self.label()? {
            labels.push(label);
        }
        if !labels.is_empty() && closes_statements(self.peek()) {
            return Ok(Stmt { labels, kind: StmtKind::Skip, span: self.span_before() });
        }
        let start = self.here();
        let kind = self.nested(Self::statement_kind)?;
        let span = start.to(self.span_before());
        let closed = self.before().kind == Tok::RBrace;
        if !self.eat(Tok::Semi) && !closed && !closes_statements(self.peek()) && !self.closed_inside(&kind) {
            return Err(self.unexpected("`;`"));
        }
        Ok(Stmt { labels, kind, span })
    }

    /// Whether the last part of a statement is a statement that had its own `;`.
    fn closed_inside(&self, kind: &StmtKind) -> bool {
        matches!(kind, StmtKind::If(..) | StmtKind::While(..))
    }

    /// `[1]` or `L:`
    fn label(&mut self) -> Parse<Option<Name>> {
        match (self.peek(), self.peek_at(1)) {
            (Tok::LBracket, _) => {
                self.advance();
                if !matches!(self.peek(), Tok::Number | Tok::Ident) {
                    return Err(self.unexpected("a label"));
                }
                let label = Name { text: self.token_text().into_owned(), span: self.here() };
                self.advance();
                self.expect(Tok::RBracket)?;
                Ok(Some(label))
            }
            (Tok::Ident, Tok::Colon) if !self.is_type_at(2) => {
                let label = self.name("a label")?;
                self.advance();
                Ok(Some(label))
            }
            _ => Ok(None),
        }
    }

    fn is_type_at(&self, distance: usize) -> bool {
        match self.peek_at(distance) {
            Tok::Word(Word::Int | Word::Bool) => true,
            Tok::Ident => {
                // Whatever it is, `L: x;` is no statement.
                self.types.contains(self.text_of(self.token_at(distance)))
                    || self.peek_at(distance + 1) == Tok::Semi
            }
            _ => false,
        }
    }

    fn statement_kind(&mut self) -> Parse<StmtKind> {
        let Tok::Word(word) = self.peek() else {
            return match self.peek() {
                Tok::LBrace => self.choice(),
                Tok::Ident | Tok::Star => self.named_statement(),
                _ => Err(self.unexpected("a statement")),
            };
        };
        if !starts_statement(self.peek()) {
            return Err(self.unexpected("a statement"));
        }
        self.advance();
        match word {
            Word::If => self.if_statement(),
            Word::While => {
                let condition = self.condition(Word::Do)?;
                Ok(StmtKind::While(condition, self.body()?))
            }
            Word::Do => {
                let body = self.body()?;
                self.expect(Tok::Word(Word::While))?;
                Ok(StmtKind::DoWhile(body, self.expr()?))
            }
            Word::Case => self.case(),
            Word::Assert => Ok(StmtKind::Assert(self.expr()?)),
            Word::Assume => Ok(StmtKind::Assume(self.expr()?)),
            Word::Return if self.peek() == Tok::Semi || closes_statements(self.peek()) => {
                Ok(StmtKind::Return(None))
            }
            Word::Return => Ok(StmtKind::Return(Some(self.expr()?))),
            _ => Ok(StmtKind::Skip),
        }
    }

    /// What a keyword is followed by, and the optional `then` or `do` behind it.
    fn condition(&mut self, opener: Word) -> Parse<Expr> {
        let condition = self.expr().or_else(|reported| {
            // The statements can be read without the condition.
            let bodies = |tok| matches!(tok, Tok::LBrace | Tok::Semi) || tok == Tok::Word(opener);
            self.skip_balanced(|tok| bodies(tok) || closes_statements(tok) || starts_statement(tok));
            let goes_on = self.peek() == Tok::LBrace || self.peek() == Tok::Word(opener);
            if goes_on { Ok(Expr::new(ExprKind::Any)) } else { Err(reported) }
        })?;
        self.eat(Tok::Word(opener));
        Ok(condition)
    }

    fn if_statement(&mut self) -> Parse<StmtKind> {
        let condition = self.condition(Word::Then)?;
        let then = self.body()?;
        let otherwise = if self.eat(Tok::Word(Word::Else)) { Some(self.body()?) } else { None };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    /// A statement that another one governs; a block stands for the statements in it. Its braces are
    /// no level of nesting, so that a program with all braces, as the printer writes it, is not deeper.
    fn body(&mut self) -> Parse<Vec<Stmt>> {
        if self.peek() != Tok::LBrace {
            return Ok(vec![self.statement()?]);
        }
        let start = self.here();
        match self.choice()? {
            StmtKind::Choice(mut parts) if parts.len() == 1 => Ok(parts.pop().unwrap_or_default()),
            kind => Ok(vec![Stmt { labels: Vec::new(), kind, span: start.to(self.span_before()) }]),
        }
    }

    /// `{ … | … }`
    fn choice(&mut self) -> Parse<StmtKind> {
        self.advance();
        let mut parts = Vec::new();
        loop {
            let mut part = Vec::new();
            self.statements(&mut part);
            parts.push(part);
            if self.peek() == Tok::Word(Word::Else) {
                self.error_here("`else` belongs to no `if`");
                self.advance();
            } else if !self.eat(Tok::Bar) {
                break;
            }
        }
        self.expect(Tok::RBrace)?;
        Ok(StmtKind::Choice(parts))
    }

    /// `case { e1: … e2: … else: … }`
    fn case(&mut self) -> Parse<StmtKind> {
        self.expect(Tok::LBrace)?;
        let (mut arms, mut otherwise) = (Vec::new(), None);
        while !matches!(self.peek(), Tok::RBrace | Tok::Eof) {
            if self.eat(Tok::Semi) {
                continue;
            }
            let start = self.token.start;
            let arm = self.arm(&mut arms, &mut otherwise);
            if arm.is_err() {
                if self.token.start == start {
                    self.advance();
                }
                self.skip_balanced(|tok| matches!(tok, Tok::Semi | Tok::RBrace));
            }
        }
        self.expect(Tok::RBrace)?;
        Ok(StmtKind::Case(arms, otherwise))
    }

    fn arm(&mut self, arms: &mut Vec<Arm>, otherwise: &mut Option<Vec<Stmt>>) -> Parse<()> {
        if self.peek() == Tok::Word(Word::Else) {
            if otherwise.is_some() {
                self.error_here("a `case` has one `else`");
            }
            self.advance();
            self.expect(Tok::Colon)?;
            *otherwise = Some(self.alternatives()?);
            return Ok(());
        }
        if otherwise.is_some() {
            self.error_here("`else` comes last");
        }
        let guard = self.expr()?;
        self.expect(Tok::Colon)?;
        let body = self.alternatives()?;
        arms.push(Arm { guard, body });
        Ok(())
    }

    /// What follows a guard: one statement, or several with `|` between them.
    fn alternatives(&mut self) -> Parse<Vec<Stmt>> {
        let start = self.here();
        let first = self.body()?;
        if self.peek() != Tok::Bar {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(Tok::Bar) {
            parts.push(self.body()?);
        }
        let span = start.to(self.span_before());
        Ok(vec![Stmt { labels: Vec::new(), kind: StmtKind::Choice(parts), span }])
    }

    /// A declaration, an assignment or a call.
    fn named_statement(&mut self) -> Parse<StmtKind> {
        if self.peek_at(1) == Tok::LParen {
            return self.call().map(StmtKind::Call);
        }
        let start = self.here();
        let mut targets = vec![self.target()?];
        while self.eat(Tok::Comma) {
            targets.push(self.target()?);
        }
        match (self.peek(), self.peek_at(1)) {
            (Tok::Colon, _) => {
                if let Some(target) = targets.iter().find(|target| target.deref) {
                    let span = target.name.span;
                    return Err(self.error(span, "`*` has no place in a declaration"));
                }
                let names = targets.into_iter().map(|target| target.name).collect();
                self.decl(names).map(StmtKind::Decl)
            }
            (Tok::Plus, Tok::Plus) => self.step(targets, start, BinaryOp::Add),
            (Tok::Minus, Tok::Minus) => self.step(targets, start, BinaryOp::Sub),
            (Tok::Eq, _) => Err(self.error_here("an assignment is written with `:=`")),
            _ => {
                self.expect(Tok::Assign)?;
                Ok(StmtKind::Assign(targets, self.source()?))
            }
        }
    }

    /// `x++` is `x := x + 1`.
    fn step(&mut self, mut targets: Vec<Target>, start: Span, op: BinaryOp) -> Parse<StmtKind> {
        self.advance();
        self.advance();
        let span = start.to(self.span_before());
        let Some(Target { deref, name }) = targets.pop().filter(|_| targets.is_empty()) else {
            return Err(self.error(span, "only one variable is counted up or down"));
        };
        let text = name.text.clone();
        let old = if deref { ExprKind::Deref(text) } else { ExprKind::Name(text) };
        let at = |kind| Expr { kind, span };
        let new = Expr { span, ..Expr::binary(op, at(old), at(ExprKind::Int(1))) };
        Ok(StmtKind::Assign(vec![Target { deref, name }], Source::Values(vec![new])))
    }

    fn target(&mut self) -> Parse<Target> {
        let deref = self.eat(Tok::Star);
        Ok(Target { deref, name: self.name("a variable's name")? })
    }

    /// What is assigned: a call or values.
    pub(super) fn source(&mut self) -> Parse<Source> {
        if self.peek() != Tok::Ident || self.peek_at(1) != Tok::LParen {
            return self.exprs().map(Source::Values);
        }
        let start = self.here();
        let call = self.call()?;
        if !matches!(self.peek(), Tok::Semi) && !closes_statements(self.peek()) {
            return Err(self.error(start, "a call is a statement of its own: `x := f(…)`"));
        }
        Ok(Source::Call(call))
    }

    fn call(&mut self) -> Parse<Call> {
        let start = self.here();
        let callee = self.name("a procedure's name")?;
        self.expect(Tok::LParen)?;
        let arguments = if self.peek() == Tok::RParen { Vec::new() } else { self.exprs()? };
        self.expect(Tok::RParen)?;
        Ok(Call { callee, arguments, span: start.to(self.span_before()) })
    }
}

/// Whether a list of statements ends before this token.
fn closes_statements(tok: Tok) -> bool {
    matches!(tok, Tok::Eof | Tok::RBrace | Tok::Bar | Tok::Word(Word::Else))
}

/// Whether a statement starts with this word.
fn starts_statement(tok: Tok) -> bool {
    use Word::{Assert, Assume, Case, Do, If, Return, Skip, While};
    matches!(tok, Tok::Word(Assert | Assume | Case | Do | If | Return | Skip | While))
}
