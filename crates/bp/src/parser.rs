//! Reads the text form of boolean programs.
//!
//! Recursive descent over the token list. A rule that fails has already reported why and returns
//! [`Failed`]; a rule that can go on catches it, skips to a place where a statement or procedure may
//! start, and continues, so that all syntax errors come out in one run. Every skip consumes a token
//! or stops the loop it is in, which is why parsing ends.
//!
//! The recursion is bounded by [`MAX_NESTING`]: deeper input is an error, not a stack overflow.

mod expr;
mod stmt;

use std::ops::{Deref, DerefMut};

use hardbop_base::text::{Cursor, Failed, Parse};
use hardbop_base::{Diagnostics, FileId, Span};

use crate::ast::{Block, Decl, Form, Item, Name, Procedure, Program, Results, Stmt};
use crate::lexer::{Tok, Word};

/// The deepest nesting of statements and operators that is read.
pub const MAX_NESTING: usize = 500;

/// The largest `n` in `bool<n>`.
pub const MAX_RESULTS: u32 = 65_536;

/// Reads a program. The program is complete iff the messages contain no error.
///
/// Any bytes may be given. Only syntax is checked; [`crate::resolve`] checks the rest.
pub fn parse(text: impl AsRef<[u8]>, file: FileId) -> (Program, Diagnostics) {
    parse_bytes(text.as_ref(), file)
}

fn parse_bytes(text: &[u8], file: FileId) -> (Program, Diagnostics) {
    let mut parser = Parser(Cursor::listed(file, text));
    let program = parser.program();
    (program, parser.0.finish())
}

/// The grammar of boolean programs over the tokens of a text.
struct Parser<'a>(Cursor<'a, Tok>);

impl<'a> Deref for Parser<'a> {
    type Target = Cursor<'a, Tok>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Parser<'_> {
    fn program(&mut self) -> Program {
        if self.at_word("var") {
            return self.block_program();
        }
        let mut items = Vec::new();
        loop {
            match self.peek() {
                Tok::Eof => break,
                Tok::Semi => _ = self.advance(),
                Tok::Word(Word::Decl) => {
                    if let Ok(decl) = self.decl() {
                        items.push(Item::Decl(decl));
                    } else {
                        self.skip_while(|tok| tok != Tok::Semi && !starts_item(tok));
                    }
                }
                Tok::Word(Word::Void | Word::Bool) => {
                    if let Ok(procedure) = self.procedure() {
                        items.push(Item::Procedure(procedure));
                    }
                }
                _ => {
                    self.unexpected("`decl` or a procedure");
                    self.skip_while(|tok| !starts_item(tok));
                }
            }
        }
        Program { form: Form::Procedures, items }
    }

    /// `decl a, b;`
    fn decl(&mut self) -> Parse<Decl> {
        let start = self.here();
        self.advance();
        let names = self.names()?;
        let span = start.to(self.here());
        self.expect(Tok::Semi)?;
        Ok(Decl { names, span })
    }

    fn procedure(&mut self) -> Parse<Procedure> {
        let header = self.header();
        // A broken header still has a body whose errors are worth reporting.
        if header.is_err() {
            self.skip_while(|tok| tok != Tok::Word(Word::Begin) && !starts_item(tok));
        }
        if header.is_err() && self.peek() != Tok::Word(Word::Begin) {
            return Err(Failed);
        }
        // Without `begin` the statements are still worth reading.
        let opened = self.expect(Tok::Word(Word::Begin));
        let mut body = Vec::new();
        loop {
            self.statements(&mut body);
            match self.peek() {
                Tok::Word(word @ (Word::Fi | Word::Od | Word::Else | Word::Elsif)) => {
                    self.error_here(format!("`{}` closes nothing", word.text()));
                    self.advance();
                }
                _ => break,
            }
        }
        let end = self.here();
        let closed = self.expect(Tok::Word(Word::End));
        let (results, name, formals, span) = header?;
        opened.and(closed)?;
        Ok(Procedure { results, name, formals, body, span, end })
    }

    /// `bool<2> f(a, b)`
    fn header(&mut self) -> Parse<(Results, Name, Vec<Name>, Span)> {
        let start = self.here();
        let results = self.results()?;
        let name = self.name("the procedure's name")?;
        self.expect(Tok::LParen)?;
        let formals = if self.peek() == Tok::RParen { Vec::new() } else { self.names()? };
        let span = start.to(self.here());
        self.expect(Tok::RParen)?;
        Ok((results, name, formals, span))
    }

    fn results(&mut self) -> Parse<Results> {
        let void = self.peek() == Tok::Word(Word::Void);
        self.advance();
        if void {
            return Ok(Results::Void);
        }
        if !self.eat(Tok::Less) {
            return Ok(Results::Bool);
        }
        let count = self.token_text().parse::<u32>().unwrap_or(0);
        if self.peek() == Tok::Number && !(1..=MAX_RESULTS).contains(&count) {
            self.error_here(format!("the number of results must be between 1 and {MAX_RESULTS}"));
            self.advance();
            return Err(Failed);
        }
        self.expect(Tok::Number)?;
        self.expect(Tok::Greater)?;
        Ok(Results::Bools(count))
    }

    /// `var x, y; A: … goto B or C; …`
    fn block_program(&mut self) -> Program {
        let start = self.here();
        self.advance();
        let mut items = Vec::new();
        let names = if self.peek() == Tok::Semi { Ok(Vec::new()) } else { self.names() };
        let span = start.to(self.here());
        if let Ok(names) = names
            && self.expect(Tok::Semi).is_ok()
        {
            items.push(Item::Decl(Decl { names, span }));
        } else {
            self.skip_while(|tok| tok != Tok::Semi);
            self.eat(Tok::Semi);
        }
        if self.peek() == Tok::Eof {
            self.unexpected("a block");
        }
        while self.peek() != Tok::Eof {
            if let Ok(block) = self.block() {
                items.push(Item::Block(block));
            }
        }
        Program { form: Form::Blocks, items }
    }

    fn block(&mut self) -> Parse<Block> {
        if !self.at_label() {
            let reported = self.unexpected("the label of a block");
            self.skip_while(|tok| tok != Tok::Semi);
            self.eat(Tok::Semi);
            return Err(reported);
        }
        let label = self.label()?;
        self.expect(Tok::Colon)?;
        let (mut body, mut goto): (Vec<Stmt>, Option<Stmt>) = (Vec::new(), None);
        while self.peek() != Tok::Eof && !self.at_label() {
            if goto.is_some() {
                self.error_here("expected the label of the next block after `goto`");
                goto = None;
            }
            match self.block_statement() {
                Ok(stmt) if stmt.is_goto() => goto = Some(stmt),
                Ok(stmt) => body.push(stmt),
                Err(Failed) => {}
            }
        }
        Ok(Block { label, body, goto })
    }

    fn name(&mut self, what: &str) -> Parse<Name> {
        if !matches!(self.peek(), Tok::Ident | Tok::Quoted) {
            return Err(self.unexpected(what));
        }
        if self.at_word("_") {
            self.error_here("`_` is not a name");
            self.advance();
            return Err(Failed);
        }
        let name = Name { text: self.token_text().into_owned(), span: self.here() };
        self.advance();
        Ok(name)
    }

    fn names(&mut self) -> Parse<Vec<Name>> {
        let mut names = vec![self.name("a variable's name")?];
        while self.eat(Tok::Comma) {
            names.push(self.name("a variable's name")?);
        }
        Ok(names)
    }

    fn label(&mut self) -> Parse<Name> {
        if self.peek() != Tok::Number {
            return self.name("a label");
        }
        let name = Name { text: self.token_text().into_owned(), span: self.here() };
        self.advance();
        Ok(name)
    }

    fn at_label(&self) -> bool {
        matches!(self.peek(), Tok::Ident | Tok::Quoted | Tok::Number) && self.peek_at(1) == Tok::Colon
    }

    /// Runs a rule one level deeper, unless that is too deep.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if !self.enter(MAX_NESTING) {
            self.error_here(format!("nested more than {MAX_NESTING} levels deep; the rest is not read"));
            self.give_up();
            return Err(Failed);
        }
        let result = rule(self);
        self.leave();
        result
    }
}

/// Whether a declaration or procedure may start with this token.
fn starts_item(tok: Tok) -> bool {
    matches!(tok, Tok::Word(Word::Decl | Word::Void | Word::Bool))
}
