//! Statements. They are separated by `;`, which is optional before a closing word and after `fi` and
//! `od`; stray ones are ignored.

use super::{Failed, Parse, Parser};
use crate::ast::{Branch, Expr, Name, Stmt, StmtKind};
use crate::lexer::{Tok, Word};

/// Statements of the original language that are recognised only to be refused.
const THREAD_WORDS: [&str; 6] =
    ["start_thread", "end_thread", "thread_local", "sync", "atomic_begin", "atomic_end"];

impl Stmt {
    pub(super) fn is_goto(&self) -> bool {
        matches!(self.kind, StmtKind::Goto(_))
    }

    fn is_structured(&self) -> bool {
        matches!(self.kind, StmtKind::If { .. } | StmtKind::While(_))
    }
}

impl Parser<'_> {
    /// Statements up to a closing word, the next procedure, or the end of the text.
    pub(super) fn statements(&mut self, into: &mut Vec<Stmt>) {
        while !closes_statements(self.peek()) {
            if self.eat(Tok::Semi) {
                continue;
            }
            let start = self.token.start;
            match self.statement() {
                Ok(stmt) => {
                    let optional = stmt.is_structured() || closes_statements(self.peek());
                    into.push(stmt);
                    if !self.eat(Tok::Semi) && !optional {
                        self.unexpected("`;`");
                        self.recover(start);
                    }
                }
                Err(Failed) => self.recover(start),
            }
        }
    }

    /// A statement of a block program with its `;`.
    pub(super) fn block_statement(&mut self) -> Parse<Stmt> {
        let start = self.token.start;
        let stmt = match self.peek() {
            Tok::Word(Word::If | Word::While | Word::Decl | Word::Enforce | Word::Return) => {
                let word = self.token_text();
                Err(self.error_here(format!("`{word}` has no place in a program of blocks")))
            }
            _ => self.simple_statement(),
        };
        let stmt = stmt.and_then(|stmt| {
            // The last statement of a text may lack its `;`.
            if self.peek() == Tok::Eof { Ok(stmt) } else { self.expect(Tok::Semi).map(|()| stmt) }
        });
        if stmt.is_err() {
            if self.token.start == start {
                self.advance();
            }
            while self.peek() != Tok::Eof && !self.eat(Tok::Semi) && !self.at_label() {
                self.advance();
            }
        }
        stmt
    }

    /// Skips what is left of a broken statement that began at byte `start`.
    fn recover(&mut self, start: u32) {
        if self.token.start == start {
            self.advance();
        }
        self.skip_while(|tok| tok != Tok::Semi && !closes_statements(tok) && !starts_statement(tok));
    }

    fn statement(&mut self) -> Parse<Stmt> {
        let mut labels = Vec::new();
        while self.at_label() {
            labels.push(self.label()?);
            self.expect(Tok::Colon)?;
        }
        if !labels.is_empty() && (self.peek() == Tok::Semi || closes_statements(self.peek())) {
            return Ok(Stmt { labels, ..Stmt::new(StmtKind::Empty).at(self.span_before()) });
        }
        let stmt = match self.peek() {
            Tok::Word(Word::If) => self.nested(Self::if_statement),
            Tok::Word(Word::While) => self.nested(Self::while_statement),
            _ => self.simple_statement(),
        }?;
        Ok(Stmt { labels, ..stmt })
    }

    fn simple_statement(&mut self) -> Parse<Stmt> {
        let start = self.here();
        let Tok::Word(word) = self.peek() else {
            let kind = self.assignment_or_call()?;
            return Ok(Stmt::new(kind).at(start.to(self.span_before())));
        };
        if !starts_statement(self.peek()) {
            return Err(self.unexpected("a statement"));
        }
        self.advance();
        let kind = match word {
            Word::Decl => StmtKind::Decl(self.names()?),
            Word::Enforce => StmtKind::Enforce(self.expr()?),
            Word::Assume => StmtKind::Assume(self.expr()?),
            Word::Assert => StmtKind::Assert(self.expr()?),
            Word::AbortIf => StmtKind::AbortIf(self.expr()?),
            Word::Dead => StmtKind::Dead(self.names()?),
            Word::Return => StmtKind::Return(self.return_values()?),
            Word::Goto => StmtKind::Goto(self.goto_targets()?),
            _ => StmtKind::Skip,
        };
        Ok(Stmt::new(kind).at(start.to(self.span_before())))
    }

    fn return_values(&mut self) -> Parse<Vec<Expr>> {
        if self.peek() == Tok::Semi || closes_statements(self.peek()) { Ok(Vec::new()) } else { self.exprs() }
    }

    fn goto_targets(&mut self) -> Parse<Vec<Name>> {
        let mut targets = vec![self.label()?];
        loop {
            // `or` is a word only here, so that it can still be a name.
            if self.at_word("or") {
                self.advance();
            } else if !self.eat(Tok::Comma) {
                return Ok(targets);
            }
            targets.push(self.label()?);
        }
    }

    fn assignment_or_call(&mut self) -> Parse<StmtKind> {
        if THREAD_WORDS.iter().any(|word| self.at_word(word))
            && !matches!(self.peek_at(1), Tok::LParen | Tok::Assign | Tok::Comma)
        {
            let word = self.token_text();
            return Err(self.error_here(format!("`{word}`: threads are not supported")));
        }
        if !matches!(self.peek(), Tok::Ident | Tok::Quoted) {
            return Err(self.unexpected("a statement"));
        }
        if self.peek_at(1) == Tok::LParen {
            return self.call(Vec::new());
        }
        let mut targets = vec![self.target()?];
        while self.eat(Tok::Comma) {
            targets.push(self.target()?);
        }
        self.expect(Tok::Assign)?;
        if matches!(self.peek(), Tok::Ident | Tok::Quoted) && self.peek_at(1) == Tok::LParen {
            return self.call(targets);
        }
        let values = self.exprs()?;
        let constrain = if self.eat(Tok::Word(Word::Constrain)) { Some(self.expr()?) } else { None };
        Ok(StmtKind::Assign { targets, values, constrain })
    }

    fn target(&mut self) -> Parse<Option<Name>> {
        if self.at_word("_") {
            self.advance();
            return Ok(None);
        }
        self.name("a variable's name").map(Some)
    }

    fn call(&mut self, targets: Vec<Option<Name>>) -> Parse<StmtKind> {
        let callee = self.name("a procedure's name")?;
        self.expect(Tok::LParen)?;
        let args = if self.peek() == Tok::RParen { Vec::new() } else { self.exprs()? };
        self.expect(Tok::RParen)?;
        if self.peek() == Tok::Word(Word::Constrain) {
            return Err(self.error_here("`constrain` belongs to assignments, not to calls"));
        }
        Ok(StmtKind::Call { targets, callee, args })
    }

    fn if_statement(&mut self) -> Parse<Stmt> {
        let start = self.here();
        let mut branches = vec![self.branch(Word::Then)?];
        while self.peek() == Tok::Word(Word::Elsif) {
            branches.push(self.branch(Word::Then)?);
        }
        let mut otherwise = None;
        if self.eat(Tok::Word(Word::Else)) {
            let mut body = Vec::new();
            self.statements(&mut body);
            otherwise = Some(body);
        }
        self.close(Word::Fi)?;
        Ok(Stmt::new(StmtKind::If { branches, otherwise }).at(start.to(self.span_before())))
    }

    fn while_statement(&mut self) -> Parse<Stmt> {
        let start = self.here();
        let branch = self.branch(Word::Do)?;
        self.close(Word::Od)?;
        Ok(Stmt::new(StmtKind::While(branch)).at(start.to(self.span_before())))
    }

    /// A keyword, a condition, `then` or `do`, and the statements behind it.
    fn branch(&mut self, opener: Word) -> Parse<Branch> {
        let start = self.here();
        self.advance();
        let condition = self.expr().or_else(|reported| {
            // The statements can be read without the condition.
            self.skip_while(|tok| {
                !matches!(tok, Tok::Semi | Tok::Word(Word::Then | Word::Do)) && !closes_statements(tok)
            });
            if self.peek() == Tok::Word(opener) { Ok(Expr::choice()) } else { Err(reported) }
        })?;
        let span = start.to(self.span_before());
        self.expect(Tok::Word(opener))?;
        let mut body = Vec::new();
        self.statements(&mut body);
        Ok(Branch { condition, body, span })
    }

    /// The word that closes a statement; a wrong one is reported and taken for the right one.
    fn close(&mut self, word: Word) -> Parse<()> {
        let closed = self.expect(Tok::Word(word));
        if closed.is_err() && matches!(self.peek(), Tok::Word(Word::Fi | Word::Od)) {
            self.advance();
            return Ok(());
        }
        closed
    }
}

/// Whether a list of statements ends before this token.
fn closes_statements(tok: Tok) -> bool {
    use Word::{Bool, Else, Elsif, End, Fi, Od, Void};
    matches!(tok, Tok::Eof | Tok::Word(End | Fi | Od | Else | Elsif | Void | Bool))
}

/// Whether a statement starts with this word.
fn starts_statement(tok: Tok) -> bool {
    use Word::{AbortIf, Assert, Assume, Dead, Decl, Enforce, Goto, If, Return, Skip, While};
    let Tok::Word(word) = tok else { return false };
    matches!(word, AbortIf | Assert | Assume | Dead | Decl | Enforce | Goto | If | Return | Skip | While)
}
