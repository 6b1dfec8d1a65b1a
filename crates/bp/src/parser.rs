//! Reads the text form of boolean programs.
//!
//! Recursive descent over the token list. A rule that fails has already reported why and returns
//! [`Reported`]; whoever can go on catches it, skips to a place where a statement or procedure may
//! start, and continues, so that all syntax errors come out in one run. Every skip consumes a token
//! or stops the loop it is in, which is why parsing ends.
//!
//! The recursion is bounded by [`MAX_NESTING`]: deeper input is an error, not a stack overflow.

mod expr;
mod stmt;

use hardbop_base::{Diagnostics, FileId, LineIndex, Span};

use crate::ast::{Block, Decl, Form, Item, Name, Procedure, Program, Results, Stmt};
use crate::lexer::{Tok, Token, Word, tokens};

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
    let mut diagnostics = Diagnostics::new();
    if text.len() >= u32::MAX as usize {
        diagnostics.error(Span::in_line(file, 1, 1, 0), "the text is larger than 4 GB");
        return (Program::of_procedures(Vec::new()), diagnostics);
    }
    let index = LineIndex::new(text);
    let tokens = tokens(text, file, &index, &mut diagnostics);
    let mut parser = Parser { text, file, index, tokens, pos: 0, depth: 0, gave_up: false, diagnostics };
    let program = parser.program();
    (program, in_text_order(parser.diagnostics))
}

/// Messages in the order of their places in the text; those without a place first.
pub(crate) fn in_text_order(diagnostics: Diagnostics) -> Diagnostics {
    let mut items: Vec<_> = diagnostics.into_iter().collect();
    items.sort_by_key(|d| (d.span.line, d.span.column));
    items.into_iter().collect()
}

/// Proof that an error was added to the diagnostics.
#[derive(Debug, Clone, Copy)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'a> {
    text: &'a [u8],
    file: FileId,
    index: LineIndex,
    /// Ends with [`Tok::Eof`].
    tokens: Vec<Token>,
    pos: usize,
    depth: usize,
    /// Set when the text is nested too deeply: the rest is not read, and not complained about.
    gave_up: bool,
    diagnostics: Diagnostics,
}

impl Parser<'_> {
    fn program(&mut self) -> Program {
        if self.at_text("var") {
            return self.block_program();
        }
        let mut items = Vec::new();
        loop {
            match self.peek() {
                Tok::Eof => break,
                Tok::Semi => self.advance(),
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
    fn decl(&mut self) -> Parsed<Decl> {
        let start = self.here();
        self.advance();
        let names = self.names()?;
        let span = start.to(self.here());
        self.expect(Tok::Semi)?;
        Ok(Decl { names, span })
    }

    fn procedure(&mut self) -> Parsed<Procedure> {
        let header = self.header();
        // A broken header still has a body whose errors are worth reporting.
        if header.is_err() {
            self.skip_while(|tok| tok != Tok::Word(Word::Begin) && !starts_item(tok));
        }
        if header.is_err() && self.peek() != Tok::Word(Word::Begin) {
            return Err(Reported);
        }
        // Without `begin` the statements are still worth reading.
        let opened = self.expect(Tok::Word(Word::Begin));
        let mut body = Vec::new();
        loop {
            self.statements(&mut body);
            match self.peek() {
                Tok::Word(word @ (Word::Fi | Word::Od | Word::Else | Word::Elsif)) => {
                    self.error_here(&format!("`{}` closes nothing", word.text()));
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
    fn header(&mut self) -> Parsed<(Results, Name, Vec<Name>, Span)> {
        let start = self.here();
        let results = self.results()?;
        let name = self.name("the procedure's name")?;
        self.expect(Tok::LParen)?;
        let formals = if self.peek() == Tok::RParen { Vec::new() } else { self.names()? };
        let span = start.to(self.here());
        self.expect(Tok::RParen)?;
        Ok((results, name, formals, span))
    }

    fn results(&mut self) -> Parsed<Results> {
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
            self.error_here(&format!("the number of results must be between 1 and {MAX_RESULTS}"));
            self.advance();
            return Err(Reported);
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

    fn block(&mut self) -> Parsed<Block> {
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
                Err(Reported) => {}
            }
        }
        Ok(Block { label, body, goto })
    }

    // Tokens.

    fn token(&self) -> Token {
        // The list ends with Eof, which is never passed.
        self.tokens[self.pos.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> Tok {
        self.token().tok
    }

    fn peek_second(&self) -> Tok {
        self.tokens.get(self.pos + 1).map_or(Tok::Eof, |t| t.tok)
    }

    fn advance(&mut self) {
        if self.peek() != Tok::Eof {
            self.pos += 1;
        }
    }

    fn eat(&mut self, tok: Tok) -> bool {
        let found = self.peek() == tok;
        if found {
            self.advance();
        }
        found
    }

    fn skip_while(&mut self, keep_skipping: impl Fn(Tok) -> bool) {
        while self.peek() != Tok::Eof && keep_skipping(self.peek()) {
            self.advance();
        }
    }

    fn token_text(&self) -> String {
        let Token { lo, hi, .. } = self.token();
        String::from_utf8_lossy(&self.text[lo as usize..hi as usize]).into_owned()
    }

    fn at_text(&self, text: &str) -> bool {
        let Token { tok, lo, hi } = self.token();
        tok == Tok::Ident && &self.text[lo as usize..hi as usize] == text.as_bytes()
    }

    /// The place of the current token.
    fn here(&self) -> Span {
        let Token { lo, hi, .. } = self.token();
        self.index.span(self.file, lo, hi)
    }

    /// The place of the token before.
    fn before(&self) -> Span {
        let Token { lo, hi, .. } = self.tokens[self.pos.saturating_sub(1)];
        self.index.span(self.file, lo, hi)
    }

    fn expect(&mut self, tok: Tok) -> Parsed<()> {
        if self.eat(tok) {
            return Ok(());
        }
        let wanted = match tok {
            Tok::Number | Tok::Ident | Tok::Eof => tok.describe().to_owned(),
            _ => format!("`{}`", tok.describe()),
        };
        Err(self.unexpected(&wanted))
    }

    /// Reports that something else was expected here.
    fn unexpected(&mut self, wanted: &str) -> Reported {
        let found = match self.peek() {
            Tok::Eof => Tok::Eof.describe().to_owned(),
            _ => format!("`{}`", self.token_text()),
        };
        self.error_here(&format!("expected {wanted}, found {found}"));
        Reported
    }

    fn error_here(&mut self, message: &str) {
        if !self.gave_up {
            let span = self.here();
            self.diagnostics.error(span, message);
        }
    }

    // Names.

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if !matches!(self.peek(), Tok::Ident | Tok::Quoted) {
            return Err(self.unexpected(what));
        }
        if self.at_text("_") {
            self.error_here("`_` is not a name");
            self.advance();
            return Err(Reported);
        }
        let name = Name { text: self.token_text(), span: self.here() };
        self.advance();
        Ok(name)
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name("a variable's name")?];
        while self.eat(Tok::Comma) {
            names.push(self.name("a variable's name")?);
        }
        Ok(names)
    }

    fn label(&mut self) -> Parsed<Name> {
        if self.peek() != Tok::Number {
            return self.name("a label");
        }
        let name = Name { text: self.token_text(), span: self.here() };
        self.advance();
        Ok(name)
    }

    fn at_label(&self) -> bool {
        matches!(self.peek(), Tok::Ident | Tok::Quoted | Tok::Number) && self.peek_second() == Tok::Colon
    }

    /// Runs a rule one level deeper, unless that is too deep.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            self.error_here(&format!("nested more than {MAX_NESTING} levels deep; the rest is not read"));
            self.gave_up = true;
            self.pos = self.tokens.len() - 1;
            return Err(Reported);
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }
}

/// Whether a declaration or procedure may start with this token.
fn starts_item(tok: Tok) -> bool {
    matches!(tok, Tok::Word(Word::Decl | Word::Void | Word::Bool))
}
