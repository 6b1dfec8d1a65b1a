//! Reads X programs. The grammar is in `docs/x.md`.
//!
//! Recursive descent over the token list. A rule that fails has already reported why and returns
//! [`Reported`]; whoever can go on catches it, skips to a place where a statement or an item may
//! start, and continues, so that all syntax errors come out in one run. Every skip consumes a token
//! or stops the loop it is in, which is why parsing ends.
//!
//! The recursion, and the height of what is built, are bounded by [`MAX_NESTING`]: deeper input is an
//! error, not a stack overflow.

mod expr;
mod stmt;

use hardbop_base::{Diagnostics, FileId, LineIndex, Span};
use rustc_hash::FxHashSet;

use crate::ast::{Decl, Enum, Formal, Item, Mode, Name, Procedure, Program, Type, TypeKind};
use crate::lexer::{Tok, Token, Word, tokens};

/// The deepest nesting of statements and of operators that is read.
pub const MAX_NESTING: usize = 200;

/// Reads a program. The program is complete iff the messages contain no error.
///
/// Any bytes may be given. Only syntax is checked; [`crate::check`] checks the rest.
pub fn parse(text: impl AsRef<[u8]>, file: FileId) -> (Program, Diagnostics) {
    parse_bytes(text.as_ref(), file)
}

fn parse_bytes(text: &[u8], file: FileId) -> (Program, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    if text.len() >= u32::MAX as usize {
        diagnostics.error(Span::in_line(file, 1, 1, 0), "the text is larger than 4 GB");
        return (Program::default(), diagnostics);
    }
    let index = LineIndex::new(text);
    let tokens = tokens(text, file, &index, &mut diagnostics);
    let types = type_names(text, &tokens);
    let mut parser =
        Parser { text, file, index, tokens, types, pos: 0, depth: 0, gave_up: false, diagnostics };
    let program = parser.program();
    (program, in_text_order(parser.diagnostics))
}

/// The names that `enum` declares anywhere: `s: State := idle` declares a variable only if `State` is
/// a type, else `s` is a label.
fn type_names<'a>(text: &'a [u8], tokens: &[Token]) -> FxHashSet<&'a [u8]> {
    let named = |pair: &[Token]| {
        let is_named = pair[0].tok == Tok::Word(Word::Enum) && pair[1].tok == Tok::Ident;
        is_named.then(|| &text[pair[1].lo as usize..pair[1].hi as usize])
    };
    tokens.windows(2).filter_map(named).collect()
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
    /// The names of enumerations.
    types: FxHashSet<&'a [u8]>,
    pos: usize,
    depth: usize,
    /// Set when the text is nested too deeply: the rest is not read, and not complained about.
    gave_up: bool,
    diagnostics: Diagnostics,
}

/// Items.
impl Parser<'_> {
    fn program(&mut self) -> Program {
        let mut items = Vec::new();
        while self.peek() != Tok::Eof {
            let start = self.pos;
            if self.eat(Tok::Semi) {
                continue;
            }
            match self.item() {
                Ok(item) => items.push(item),
                Err(Reported) => self.recover_item(start),
            }
        }
        Program { items }
    }

    /// Skips what is left of a broken item that began at token `start`: up to a `;`, to behind a closing
    /// brace, or to a word that starts an item.
    fn recover_item(&mut self, start: usize) {
        if self.pos == start {
            self.advance();
        }
        let mut open = 0usize;
        let mut closed = self.tokens[self.pos - 1].tok == Tok::RBrace;
        while !closed && !matches!(self.peek(), Tok::Eof) {
            match self.peek() {
                tok if open == 0 && (tok == Tok::Semi || starts_item(tok)) => return,
                Tok::LBrace => open += 1,
                Tok::RBrace => {
                    open = open.saturating_sub(1);
                    closed = open == 0;
                }
                _ => {}
            }
            self.advance();
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        match (self.peek(), self.peek_at(1)) {
            (Tok::Word(Word::Enum), _) => self.enumeration().map(Item::Enum),
            (Tok::Word(Word::Procedure | Word::Void), _) | (Tok::Ident, Tok::LParen) => {
                self.procedure().map(Item::Procedure)
            }
            (Tok::Ident, Tok::Colon | Tok::Comma) => {
                let names = self.names()?;
                let decl = self.decl(names)?;
                self.expect(Tok::Semi)?;
                Ok(Item::Globals(decl))
            }
            _ => Err(self.unexpected("a declaration or a procedure")),
        }
    }

    /// `enum State { idle, busy };`
    fn enumeration(&mut self) -> Parsed<Enum> {
        self.advance();
        let name = self.name("the name of the enumeration")?;
        self.expect(Tok::LBrace)?;
        let values = self.names()?;
        self.expect(Tok::RBrace)?;
        self.eat(Tok::Semi);
        Ok(Enum { name, values })
    }

    /// What follows the names of a declaration: `: int := 0`.
    fn decl(&mut self, names: Vec<Name>) -> Parsed<Decl> {
        self.expect(Tok::Colon)?;
        let ty = self.ty()?;
        let start = if self.eat(Tok::Assign) { Some(self.source()?) } else { None };
        Ok(Decl { names, ty, start })
    }

    fn procedure(&mut self) -> Parsed<Procedure> {
        let start = self.here();
        let header = self.header();
        // A broken header still has a body whose errors are worth reporting.
        if header.is_err() {
            self.skip_balanced(|tok| matches!(tok, Tok::LBrace | Tok::Semi) || starts_item(tok));
            if self.peek() != Tok::LBrace {
                return Err(Reported);
            }
        }
        let span = start.to(self.before());
        self.expect(Tok::LBrace)?;
        let mut body = Vec::new();
        loop {
            self.statements(&mut body);
            if self.peek() == Tok::Word(Word::Else) {
                self.error_here("`else` belongs to no `if`");
            } else if self.peek() == Tok::Bar {
                self.error_here("a choice needs braces of its own: `{ … | … }`");
            } else {
                break;
            }
            self.advance();
        }
        let end = self.here();
        self.expect(Tok::RBrace)?;
        let (name, formals, result) = header?;
        Ok(Procedure { name, formals, result, body, span, end })
    }

    /// `procedure f(n: int): bool`, where the word is optional.
    fn header(&mut self) -> Parsed<(Name, Vec<Formal>, Option<Type>)> {
        if matches!(self.peek(), Tok::Word(Word::Procedure | Word::Void)) {
            self.advance();
        }
        let name = self.name("the procedure's name")?;
        self.expect(Tok::LParen)?;
        let mut formals = Vec::new();
        while self.peek() != Tok::RParen {
            self.formals(&mut formals)?;
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::RParen)?;
        let result = if self.eat(Tok::Colon) { Some(self.ty()?) } else { None };
        Ok((name, formals, result))
    }

    /// `out a, b: int`
    fn formals(&mut self, into: &mut Vec<Formal>) -> Parsed<()> {
        let mode = match self.peek() {
            Tok::Word(Word::Ref) => Mode::Ref,
            Tok::Word(Word::Out) => Mode::Out,
            _ => Mode::Value,
        };
        if mode != Mode::Value {
            self.advance();
        }
        let names = self.names()?;
        self.expect(Tok::Colon)?;
        let ty = self.ty()?;
        into.extend(names.into_iter().map(|name| Formal { mode, name, ty: ty.clone() }));
        Ok(())
    }

    fn ty(&mut self) -> Parsed<Type> {
        let kind = match self.peek() {
            Tok::Word(Word::Int) => TypeKind::Int,
            Tok::Word(Word::Bool) => TypeKind::Bool,
            Tok::Ident => TypeKind::Named(self.token_text()),
            _ => return Err(self.unexpected("a type")),
        };
        let span = self.here();
        self.advance();
        Ok(Type { kind, span })
    }
}

/// Tokens.
impl Parser<'_> {
    fn token(&self) -> Token {
        // The list ends with Eof, which is never passed.
        self.tokens[self.pos.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> Tok {
        self.token().tok
    }

    fn peek_at(&self, distance: usize) -> Tok {
        self.tokens.get(self.pos + distance).map_or(Tok::Eof, |t| t.tok)
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

    /// Skips up to a token that `stop` accepts, outside of braces that open on the way.
    fn skip_balanced(&mut self, stop: impl Fn(Tok) -> bool) {
        let mut open = 0;
        loop {
            match self.peek() {
                Tok::Eof => return,
                tok if open == 0 && stop(tok) => return,
                Tok::LBrace => open += 1,
                Tok::RBrace => open = usize::saturating_sub(open, 1),
                _ => {}
            }
            self.advance();
        }
    }

    fn text_at(&self, distance: usize) -> &[u8] {
        self.tokens.get(self.pos + distance).map_or(&[], |t| &self.text[t.lo as usize..t.hi as usize])
    }

    fn token_text(&self) -> String {
        String::from_utf8_lossy(self.text_at(0)).into_owned()
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
        self.error_here(&format!("expected {wanted}, found {found}"))
    }

    fn error_here(&mut self, message: &str) -> Reported {
        let span = self.here();
        self.error(span, message)
    }

    fn error(&mut self, span: Span, message: &str) -> Reported {
        if !self.gave_up {
            self.diagnostics.error(span, message);
        }
        Reported
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.peek() {
            Tok::Ident => {}
            Tok::Word(word) => {
                return Err(self.error_here(&format!("expected {what}; `{}` is reserved", word.text())));
            }
            _ => return Err(self.unexpected(what)),
        }
        let name = Name { text: self.token_text(), span: self.here() };
        self.advance();
        Ok(name)
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name("a name")?];
        while self.eat(Tok::Comma) {
            names.push(self.name("a name")?);
        }
        Ok(names)
    }

    /// Runs a rule one level deeper, unless that is too deep.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self) -> Reported {
        self.error_here(&format!("nested more than {MAX_NESTING} levels deep; the rest is not read"));
        self.gave_up = true;
        self.pos = self.tokens.len() - 1;
        Reported
    }
}

/// Whether an item surely starts with this token.
fn starts_item(tok: Tok) -> bool {
    matches!(tok, Tok::Word(Word::Enum | Word::Procedure | Word::Void))
}
