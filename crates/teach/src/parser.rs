//! Reads X programs. The grammar is in `docs/x.md`.
//!
//! Recursive descent over the token list. A rule that fails has already reported why and returns
//! [`Failed`]; a rule that can go on catches it, skips to a place where a statement or an item may
//! start, and continues, so that all syntax errors come out in one run. Every skip consumes a token
//! or stops the loop it is in, which is why parsing ends.
//!
//! The recursion, and the height of what is built, are bounded by [`MAX_NESTING`]: deeper input is an
//! error, not a stack overflow.

mod expr;
mod stmt;

use std::ops::{Deref, DerefMut};

use hardbop_base::text::{Cursor, Failed, Parse, Token};
use hardbop_base::{Diagnostics, FileId};
use rustc_hash::FxHashSet;

use crate::ast::{Decl, Enum, Formal, Item, Mode, Name, Procedure, Program, Type, TypeKind};
use crate::lexer::{Tok, Word, tokens};

/// The deepest nesting of statements and of operators that is read.
pub const MAX_NESTING: usize = 200;

/// Reads a program. The program is complete iff the messages contain no error.
///
/// Any bytes may be given. Only syntax is checked; [`crate::check`] checks the rest.
pub fn parse(text: impl AsRef<[u8]>, file: FileId) -> (Program, Diagnostics) {
    parse_bytes(text.as_ref(), file)
}

fn parse_bytes(text: &[u8], file: FileId) -> (Program, Diagnostics) {
    let cursor = tokens(text, file);
    let types = type_names(&cursor);
    let mut parser = Parser { cursor, types };
    let program = parser.program();
    (program, parser.cursor.finish())
}

/// The names that `enum` declares anywhere: `s: State := idle` declares a variable only if `State` is
/// a type, else `s` is a label.
fn type_names<'a>(cursor: &Cursor<'a, Tok>) -> FxHashSet<&'a [u8]> {
    let named = |pair: &[Token<Tok>]| {
        let is_named = pair[0].kind == Tok::Word(Word::Enum) && pair[1].kind == Tok::Ident;
        is_named.then(|| cursor.text_of(pair[1]))
    };
    cursor.list().windows(2).filter_map(named).collect()
}

/// The grammar of X over the tokens of a text.
struct Parser<'a> {
    cursor: Cursor<'a, Tok>,
    /// The names of enumerations.
    types: FxHashSet<&'a [u8]>,
}

impl<'a> Deref for Parser<'a> {
    type Target = Cursor<'a, Tok>;
    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

/// Items.
impl Parser<'_> {
    fn program(&mut self) -> Program {
        let mut items = Vec::new();
        while self.peek() != Tok::Eof {
            let start = self.token.start;
            if self.eat(Tok::Semi) {
                continue;
            }
            match self.item() {
                Ok(item) => items.push(item),
                Err(Failed) => self.recover_item(start),
            }
        }
        Program { items }
    }

    /// Skips what is left of a broken item that began at byte `start`: up to a `;`, to behind a closing
    /// brace, or to a word that starts an item.
    fn recover_item(&mut self, start: u32) {
        if self.token.start == start {
            self.advance();
        }
        let mut open = 0usize;
        let mut closed = self.before().kind == Tok::RBrace;
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

    fn item(&mut self) -> Parse<Item> {
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
    fn enumeration(&mut self) -> Parse<Enum> {
        self.advance();
        let name = self.name("the name of the enumeration")?;
        self.expect(Tok::LBrace)?;
        let values = self.names()?;
        self.expect(Tok::RBrace)?;
        self.eat(Tok::Semi);
        Ok(Enum { name, values })
    }

    /// What follows the names of a declaration: `: int := 0`.
    fn decl(&mut self, names: Vec<Name>) -> Parse<Decl> {
        self.expect(Tok::Colon)?;
        let ty = self.ty()?;
        let start = if self.eat(Tok::Assign) { Some(self.source()?) } else { None };
        Ok(Decl { names, ty, start })
    }

    fn procedure(&mut self) -> Parse<Procedure> {
        let start = self.here();
        let header = self.header();
        // A broken header still has a body whose errors are worth reporting.
        if header.is_err() {
            self.skip_balanced(|tok| matches!(tok, Tok::LBrace | Tok::Semi) || starts_item(tok));
            if self.peek() != Tok::LBrace {
                return Err(Failed);
            }
        }
        let span = start.to(self.span_before());
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
    fn header(&mut self) -> Parse<(Name, Vec<Formal>, Option<Type>)> {
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
    fn formals(&mut self, into: &mut Vec<Formal>) -> Parse<()> {
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

    fn ty(&mut self) -> Parse<Type> {
        let kind = match self.peek() {
            Tok::Word(Word::Int) => TypeKind::Int,
            Tok::Word(Word::Bool) => TypeKind::Bool,
            Tok::Ident => TypeKind::Named(self.token_text().into_owned()),
            _ => return Err(self.unexpected("a type")),
        };
        let span = self.here();
        self.advance();
        Ok(Type { kind, span })
    }
}

/// Names and nesting.
impl Parser<'_> {
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

    fn name(&mut self, what: &str) -> Parse<Name> {
        match self.peek() {
            Tok::Ident => {}
            Tok::Word(word) => {
                return Err(self.error_here(format!("expected {what}; `{}` is reserved", word.text())));
            }
            _ => return Err(self.unexpected(what)),
        }
        let name = Name { text: self.token_text().into_owned(), span: self.here() };
        self.advance();
        Ok(name)
    }

    fn names(&mut self) -> Parse<Vec<Name>> {
        let mut names = vec![self.name("a name")?];
        while self.eat(Tok::Comma) {
            names.push(self.name("a name")?);
        }
        Ok(names)
    }

    /// Runs a rule one level deeper, unless that is too deep.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if !self.enter(MAX_NESTING) {
            return Err(self.too_deep());
        }
        let result = rule(self);
        self.leave();
        result
    }

    fn too_deep(&mut self) -> Failed {
        self.error_here(format!("nested more than {MAX_NESTING} levels deep; the rest is not read"));
        self.give_up();
        Failed
    }
}

/// Whether an item surely starts with this token.
fn starts_item(tok: Tok) -> bool {
    matches!(tok, Tok::Word(Word::Enum | Word::Procedure | Word::Void))
}
