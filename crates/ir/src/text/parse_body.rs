//! Parsing, the inner part: initial values, edges and statements.

use std::borrow::Cow;

use hardbop_base::text::{Failed, Parse};

use super::Expect;
use super::lex::{Kind, Punct, QUOTES, why};
use super::parse::{Parser, Pending, PendingKind};
use crate::{
    Arbitrary, Callee, Edge, ExprId, ExprKind, Halt, Initial, InitialValue, MemoryKind, PlaceBase, ProcId,
    Program, Property, Statement, Type, TypeId, VarId, wrap,
};

impl<'t> Parser<'t> {
    /// The third pass, for one item.
    pub(super) fn body(&mut self, pending: Pending<'t>) {
        self.go_to(pending.at);
        match pending.what {
            PendingKind::Procedure(id, locals) => {
                self.locals = locals;
                self.lines(|p| p.procedure_line(id));
                // The first pass saw the closing brace.
                if self.eat(Punct::RightBrace) {
                    let _ = self.end_of_line();
                }
            }
            PendingKind::Initial(id) => {
                self.locals.clear();
                let _ = self.initial(id).and_then(|()| self.end_of_line());
            }
            PendingKind::Entry => {
                let _ = self.entry().and_then(|()| self.end_of_line());
            }
        }
    }

    fn entry(&mut self) -> Parse<()> {
        let token = self.token;
        if self.program.entry.is_some() {
            return Err(self.error_at(token, "there is already an entry"));
        }
        self.program.to_mut().entry = Some(self.procedure()?);
        Ok(())
    }

    fn initial(&mut self, id: VarId) -> Parse<()> {
        let ty = self.program.variables[id].ty;
        let initial = if self.eat_word("arbitrary") {
            Initial::Arbitrary
        } else if self.eat_word("zero") {
            Initial::Values(Vec::new())
        } else if self.eat(Punct::LeftBrace) {
            self.program.to_mut().variables[id].span = self.span()?;
            self.end_of_line()?;
            let expect = Expect::initial(&self.program, ty);
            let mut values = Vec::new();
            self.lines(|p| p.initial_line(expect, &mut values));
            self.program.to_mut().variables[id].initial = Initial::Values(values);
            return self.expect(Punct::RightBrace);
        } else {
            let value = self.expr(Expect::Type(ty))?;
            Initial::Values(vec![InitialValue { offset: 0, bits: None, value }])
        };
        let span = self.span()?;
        let variable = &mut self.program.to_mut().variables[id];
        variable.initial = initial;
        variable.span = span;
        Ok(())
    }

    /// `at 4 bits 0 width 3: value` or `at 0: "bytes":u8`
    fn initial_line(&mut self, expect: Expect, values: &mut Vec<InitialValue>) -> Parse<()> {
        self.expect_word("at")?;
        let at = self.token;
        let offset: u64 = self.number("an offset")?;
        let bits = self.bits()?;
        self.expect(Punct::Colon)?;
        // A variable alone is no constant, so quotes are bytes here.
        let Kind::Quoted(raw) = self.token.kind else {
            let value = self.expr(expect)?;
            values.push(InitialValue { offset, bits, value });
            return Ok(());
        };
        let token = self.advance();
        let bytes = QUOTES.unescape_bytes(raw).map_err(|bad| self.error_at(token, why(bad)))?;
        self.expect(Punct::Colon)?;
        let signed = match self.token.kind {
            Kind::Word("i8") => true,
            Kind::Word("u8") => false,
            _ => return Err(self.unexpected("`i8` or `u8`")),
        };
        self.advance();
        if bits.is_some() || offset.checked_add(bytes.len() as u64).is_none() {
            return Err(self.error_at(at, "bytes do not fit here"));
        }
        let ty = self.program.machine(8, signed);
        for (offset, &byte) in (offset..).zip(bytes.iter()) {
            let value = self.program.intern_expr(ExprKind::Int(wrap(8, signed, byte.into())), ty);
            values.push(InitialValue { offset, bits: None, value });
        }
        Ok(())
    }

    /// A label or an edge.
    fn procedure_line(&mut self, id: ProcId) -> Parse<()> {
        let locations = std::mem::take(&mut self.program.to_mut().procedures[id].locations);
        let label = self.eat_word("label");
        let read = if label { self.label(&locations) } else { self.ends(&locations) };
        self.program.to_mut().procedures[id].locations = locations;
        match read? {
            Line::Label(location, name) => {
                self.program.to_mut().procedures[id].locations[location].labels.push(name.into_owned());
            }
            Line::Edge(source, target) => {
                let statement = self.statement()?;
                let span = self.span()?;
                self.end_of_line()?;
                self.program.to_mut().procedures[id].edges.push(Edge { source, target, statement, span });
            }
        }
        Ok(())
    }

    fn label(&mut self, locations: &Locations) -> Parse<Line<'t>> {
        let name = self.name()?;
        self.expect_word("at")?;
        Ok(Line::Label(self.location(locations)?, name))
    }

    /// `L3 -> L4:`
    fn ends(&mut self, locations: &Locations) -> Parse<Line<'t>> {
        let source = self.location(locations)?;
        self.expect(Punct::Arrow)?;
        let target = self.location(locations)?;
        self.expect(Punct::Colon)?;
        Ok(Line::Edge(source, target))
    }
}

type Locations = hardbop_base::Arena<crate::Location>;

enum Line<'t> {
    Label(crate::LocationId, Cow<'t, str>),
    Edge(crate::LocationId, crate::LocationId),
}

/// Statements.
impl<'t> Parser<'t> {
    fn statement(&mut self) -> Parse<Statement> {
        let Kind::Word(word) = self.token.kind else {
            return self.assignment();
        };
        // Keywords are words like any other where a place goes on.
        if let Kind::Punct(Punct::Becomes | Punct::Dot | Punct::Arrow | Punct::LeftBracket) = self.peek_at(1)
        {
            return self.assignment();
        }
        match word {
            "skip" => self.simple(Statement::Skip),
            "return" => self.simple(Statement::Return),
            "abort" => self.simple(Statement::Halt(Halt::Abort)),
            "unreachable" => self.simple(Statement::Halt(Halt::Unreachable)),
            "assume" => self.with_expr(Statement::Assume),
            "free" => self.with_expr(Statement::Free),
            "exit" => self.with_expr(|status| Statement::Halt(Halt::Exit(status))),
            "havoc" => self.havoc(),
            "call" => self.call(None),
            "copy" => self.three().map(|[target, source, length]| Statement::Copy { target, source, length }),
            "fill" => self.three().map(|[target, byte, length]| Statement::Fill { target, byte, length }),
            "copy_object" => {
                self.advance();
                self.expect(Punct::LeftParen)?;
                let target = self.expr(Expect::DEFAULT)?;
                self.expect(Punct::Comma)?;
                let source = self.expr(Expect::DEFAULT)?;
                self.expect(Punct::RightParen)?;
                Ok(Statement::CopyObject { target, source })
            }
            "output" => {
                self.advance();
                let function = self.name()?.into_owned();
                let arguments = self.arguments(|_, _| None)?;
                Ok(Statement::Output { function, arguments })
            }
            "error" => self.property(),
            "unsupported" => {
                self.advance();
                Ok(Statement::Unsupported(self.quoted("a reason in quotes")?.into_owned()))
            }
            _ => self.assignment(),
        }
    }

    fn simple(&mut self, statement: Statement) -> Parse<Statement> {
        self.advance();
        Ok(statement)
    }

    fn with_expr(&mut self, make: impl FnOnce(ExprId) -> Statement) -> Parse<Statement> {
        self.advance();
        Ok(make(self.expr(Expect::DEFAULT)?))
    }

    fn three(&mut self) -> Parse<[ExprId; 3]> {
        self.advance();
        self.expect(Punct::LeftParen)?;
        let a = self.expr(Expect::DEFAULT)?;
        self.expect(Punct::Comma)?;
        let b = self.expr(Expect::DEFAULT)?;
        self.expect(Punct::Comma)?;
        let length = self.expr(Expect::size(&self.program))?;
        self.expect(Punct::RightParen)?;
        Ok([a, b, length])
    }

    /// `place := value`, `t := call …` or `t := allocate …`
    fn assignment(&mut self) -> Parse<Statement> {
        let start = self.token;
        let place = self.place()?;
        if !self.eat(Punct::Becomes) {
            return Err(self.unexpected("`:=`"));
        }
        let result = match place.base {
            PlaceBase::Var(var) if place.path.is_empty() => Some(var),
            _ => None,
        };
        match self.token.kind {
            Kind::Word(word @ ("call" | "allocate")) => {
                let Some(result) = result else {
                    return Err(self.error_at(start, format!("what `{word}` gives goes into a variable")));
                };
                if word == "call" { self.call(Some(result)) } else { self.allocate(result) }
            }
            _ => {
                let ty = place.ty;
                let value = self.expr(Expect::Type(ty))?;
                Ok(Statement::Assign(self.program.intern_place(place), value))
            }
        }
    }

    fn allocate(&mut self, result: VarId) -> Parse<Statement> {
        self.advance();
        let kind = match self.token.kind {
            Kind::Word("heap") => MemoryKind::Heap,
            Kind::Word("zeroed") => MemoryKind::ZeroedHeap,
            Kind::Word("stack") => MemoryKind::Stack,
            _ => return Err(self.unexpected("`heap`, `zeroed` or `stack`")),
        };
        self.advance();
        let size = self.expr(Expect::size(&self.program))?;
        let may_fail = self.eat_word("or");
        if may_fail {
            self.expect_word("null")?;
        }
        Ok(Statement::Allocate { result, size, kind, may_fail })
    }

    fn havoc(&mut self) -> Parse<Statement> {
        self.advance();
        let place = self.place()?;
        let place = self.program.intern_place(place);
        self.expect_word("from")?;
        let Kind::Word(word @ ("nondet" | "uninitialised" | "external" | "assembly" | "library")) =
            self.token.kind
        else {
            return Err(self.unexpected("`nondet`, `uninitialised`, `external`, `assembly` or `library`"));
        };
        self.advance();
        let origin = match word {
            "nondet" => Arbitrary::Nondet(self.name()?.into_owned()),
            "external" => Arbitrary::External(self.name()?.into_owned()),
            "library" => Arbitrary::Library(self.name()?.into_owned()),
            "uninitialised" => Arbitrary::Uninitialised,
            _ => Arbitrary::Assembly,
        };
        Ok(Statement::Havoc(place, origin))
    }

    fn property(&mut self) -> Parse<Statement> {
        self.advance();
        let Kind::Word(word @ ("function" | "assertion" | "label")) = self.token.kind else {
            return Err(self.unexpected("`function`, `assertion` or `label`"));
        };
        self.advance();
        let name = self.name()?.into_owned();
        Ok(Statement::Error(match word {
            "function" => Property::ErrorFunction(name),
            "assertion" => Property::Assertion(name),
            _ => Property::ErrorLabel(name),
        }))
    }

    fn call(&mut self, result: Option<VarId>) -> Parse<Statement> {
        self.advance();
        let (callee, arguments);
        if self.eat(Punct::Star) {
            let pointer = self.callee()?;
            callee = Callee::Indirect(pointer);
            let function = self.program.pointee(self.program.expr(pointer).ty);
            arguments = self.arguments(|program, i| match program.ty(function?) {
                Type::Function(f) => f.formals.get(i).copied(),
                _ => None,
            })?;
        } else {
            let id = self.procedure()?;
            callee = Callee::Direct(id);
            arguments = self.arguments(|program, i| {
                let formal = *program.procedures[id].formals.get(i)?;
                Some(program.variables[formal].ty)
            })?;
        }
        Ok(Statement::Call { result, callee, arguments })
    }

    /// A procedure by its name.
    pub(super) fn procedure(&mut self) -> Parse<ProcId> {
        let token = self.token;
        let name = self.name()?;
        if let Some(&id) = self.procedures.get(&name) {
            return Ok(id);
        }
        if self.broken.contains(&name) {
            return Err(Failed);
        }
        Err(self.error_at(token, format!("there is no procedure `{name}`")))
    }

    fn arguments(&mut self, formal: impl Fn(&Program, usize) -> Option<TypeId>) -> Parse<Vec<ExprId>> {
        self.expect(Punct::LeftParen)?;
        let mut arguments = Vec::new();
        if self.eat(Punct::RightParen) {
            return Ok(arguments);
        }
        loop {
            let expect = formal(&self.program, arguments.len()).map_or(Expect::DEFAULT, Expect::Type);
            arguments.push(self.expr(expect)?);
            if self.eat(Punct::RightParen) {
                return Ok(arguments);
            }
            self.expect(Punct::Comma)?;
        }
    }
}
