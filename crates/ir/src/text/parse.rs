//! Parsing, the outer part: items and their headers.
//!
//! Names may be used before they are defined, so the text is read in three passes: the first
//! splits it into items and learns the names of records, the second reads all headers, the third
//! reads procedure bodies and initial values. Bodies are skipped, not tokenised, by the first two.
//!
//! An error ends its line, not the parse: the next line is read as if nothing had happened.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use hardbop_base::text::{Cursor, Failed, Parse};
use hardbop_base::{Arena, Diagnostics, FileId, Id, LineMap, SourceFile, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::VERSION;
use super::lex::{Kind, Punct, QUOTES, Token, skip_item, why};
use crate::{
    Assumption, BitRange, DataModel, Device, Effect, Field, Initial, Location, LocationId, ProcId, Procedure,
    Program, Record, RecordId, RecordKind, TypeId, VarId, VarKind, Variable,
};

/// Reads a program from its text form. `file` is the text itself, for the spans of errors; the
/// spans of the program come from the text. Run the [verifier](crate::verify()) on the result: the
/// parser checks only what it needs to understand the text.
pub fn parse(file: FileId, text: &str) -> Result<Program, Diagnostics> {
    let mut parser = Parser::new(file, text);
    let items = parser.split();
    let pending = parser.headers(&items);
    for body in pending {
        parser.body(body);
    }
    if parser.errors() == 0 {
        parser.program.to_mut().add_misfit();
        return Ok(parser.program.into_owned());
    }
    // The passes find errors out of order, which is put right here.
    Err(parser.cursor.finish())
}

/// After this many errors the rest is not reported.
const MAX_ERRORS: usize = 200;

/// Names and what they stand for.
pub(super) type Names<'t, T> = FxHashMap<Cow<'t, str>, Id<T>>;

pub(super) struct Parser<'t> {
    pub(super) cursor: Cursor<'t, Kind<'t>>,
    pub(super) program: Cow<'t, Program>,
    pub(super) records: Names<'t, Record>,
    pub(super) globals: Names<'t, Variable>,
    pub(super) procedures: Names<'t, Procedure>,
    /// The variables of the procedure whose body is read.
    pub(super) locals: Names<'t, Variable>,
    /// Per record, its fields by name.
    pub(super) fields: Vec<FxHashMap<Cow<'t, str>, u32>>,
    /// Names whose definition was in error: their uses are not reported again.
    pub(super) broken: FxHashSet<Cow<'t, str>>,
    /// How many locations the text may still ask for.
    locations_left: u64,
}

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t, Kind<'t>>;
    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

/// A top-level item: where it starts.
struct Item<'t> {
    keyword: &'t str,
    token: Token<'t>,
}

/// What the third pass has to read.
pub(super) struct Pending<'t> {
    /// Where to go on.
    pub(super) at: u32,
    pub(super) what: PendingKind<'t>,
}

pub(super) enum PendingKind<'t> {
    /// Labels and edges.
    Procedure(ProcId, Names<'t, Variable>),
    /// What follows `=`.
    Initial(VarId),
    /// The name of the entry.
    Entry,
}

/// The basic moves.
impl<'t> Parser<'t> {
    pub(super) fn new(file: FileId, text: &'t str) -> Self {
        Parser {
            cursor: Cursor::new(file, text).with_most_errors(MAX_ERRORS),
            program: Cow::Owned(Program::new(DataModel::Lp64)),
            records: FxHashMap::default(),
            globals: FxHashMap::default(),
            procedures: FxHashMap::default(),
            locals: FxHashMap::default(),
            fields: Vec::new(),
            broken: FxHashSet::default(),
            locations_left: text.len() as u64,
        }
    }

    /// A name, plain or in quotes.
    pub(super) fn name(&mut self) -> Parse<Cow<'t, str>> {
        match self.token.kind {
            Kind::Word(word) => {
                self.advance();
                Ok(Cow::Borrowed(word))
            }
            _ => self.quoted("a name"),
        }
    }

    /// A text in quotes.
    pub(super) fn quoted(&mut self, wanted: &str) -> Parse<Cow<'t, str>> {
        let Kind::Quoted(raw) = self.token.kind else {
            return Err(self.unexpected(wanted));
        };
        let token = self.advance();
        QUOTES.unescape(raw).map_err(|bad| self.error_at(token, why(bad)))
    }

    /// A decimal number that fits its purpose.
    pub(super) fn number<T: TryFrom<u128>>(&mut self, wanted: &str) -> Parse<T> {
        let Kind::Int(value) = self.token.kind else {
            return Err(self.unexpected(wanted));
        };
        let token = self.advance();
        T::try_from(value).map_err(|_| self.error_at(token, format!("{value} is too large for {wanted}")))
    }

    /// A span, if there is one.
    pub(super) fn span(&mut self) -> Parse<Span> {
        let Kind::Span(span) = self.token.kind else {
            return Ok(Span::none());
        };
        let token = self.advance();
        if self.program.files.get(span.file).is_none() {
            return Err(self.error_at(token, format!("there is no file {}", span.file.index())));
        }
        Ok(span)
    }

    /// Nothing more may stand in this line.
    pub(super) fn end_of_line(&mut self) -> Parse<()> {
        if self.token.first || matches!(self.token.kind, Kind::End) {
            Ok(())
        } else {
            Err(self.unexpected("the end of the line"))
        }
    }

    /// After an error: goes to the next line, at least one token behind `start`.
    pub(super) fn skip_line(&mut self, start: u32) {
        if self.token.start == start {
            self.advance();
        }
        while !self.token.first && !matches!(self.token.kind, Kind::End) {
            self.advance();
        }
    }

    /// Reads lines up to `}`, each by itself.
    pub(super) fn lines(&mut self, mut line: impl FnMut(&mut Self) -> Parse<()>) {
        while !self.at(Punct::RightBrace) && !matches!(self.token.kind, Kind::End) {
            let start = self.token.start;
            if line(self).and_then(|()| self.end_of_line()).is_err() {
                self.skip_line(start);
            }
        }
    }
}

/// The first pass.
impl<'t> Parser<'t> {
    fn split(&mut self) -> Vec<Item<'t>> {
        let mut items = Vec::new();
        while !matches!(self.token.kind, Kind::End) {
            let token = self.token;
            let keyword = match token.kind {
                Kind::Word(
                    word @ ("program" | "file" | "struct" | "union" | "global" | "static" | "fn" | "extern"
                    | "entry" | "assumption" | "device"),
                ) if token.first => word,
                _ => {
                    self.unexpected("a definition (file, struct, union, global, static, fn, extern, entry)");
                    self.skip_line(token.start);
                    continue;
                }
            };
            self.advance();
            let known = match keyword {
                "struct" => self.announce_record(RecordKind::Struct).is_ok(),
                "union" => self.announce_record(RecordKind::Union).is_ok(),
                _ => true,
            };
            if known {
                items.push(Item { keyword, token });
            }
            if !self.step_over(token.end, skip_item) {
                self.error_at(token, "a `{` of this definition is never closed");
            }
        }
        items
    }

    fn announce_record(&mut self, kind: RecordKind) -> Parse<()> {
        let token = self.token;
        let name = self.name()?;
        if self.records.contains_key(&name) {
            return Err(self.error_at(token, format!("record `{name}` is already defined")));
        }
        let id = self.program.to_mut().records.push(Record {
            name: name.to_string(),
            kind,
            fields: Vec::new(),
            size: 0,
            align: 1,
            span: Span::none(),
        });
        self.records.insert(name, id);
        Ok(())
    }
}

/// The second pass.
impl<'t> Parser<'t> {
    fn headers(&mut self, items: &[Item<'t>]) -> Vec<Pending<'t>> {
        let mut pending = Vec::new();
        if items.first().is_none_or(|item| item.keyword != "program") {
            let start = Token { start: 0, end: 0, kind: Kind::End, first: true };
            self.error_at(start, "a program starts with `program 1 LP64` or `program 1 ILP32`");
        }
        // Spans are checked against the files, so these come first.
        let is_file = |item: &&Item<'t>| matches!(item.keyword, "program" | "file");
        for item in items.iter().filter(is_file) {
            self.go_to(item.token.start);
            let _ = match item.keyword {
                "program" => self.program_header(item, items),
                _ => self.file_item(),
            };
        }
        for item in items.iter().filter(|item| !is_file(item)) {
            self.go_to(item.token.end);
            let _ = self.header(item, &mut pending);
        }
        pending
    }

    fn program_header(&mut self, item: &Item<'t>, items: &[Item<'t>]) -> Parse<()> {
        let token = self.advance();
        if items.first().is_some_and(|first| first.token.start != item.token.start) {
            return Err(self.error_at(token, "`program` belongs into the first line"));
        }
        let version = self.token;
        let number: u128 = self.number("a version")?;
        if number != VERSION {
            return Err(self.error_at(version, format!("this is version {VERSION} of the text form")));
        }
        self.program.to_mut().data_model = match self.token.kind {
            Kind::Word("LP64") => DataModel::Lp64,
            Kind::Word("ILP32") => DataModel::Ilp32,
            _ => return Err(self.unexpected("`LP64` or `ILP32`")),
        };
        self.advance();
        self.end_of_line()
    }

    fn file_item(&mut self) -> Parse<()> {
        self.advance();
        let token = self.token;
        let number: u128 = self.number("a file number")?;
        if number != self.program.files.len() as u128 {
            let next = self.program.files.len();
            return Err(self.error_at(token, format!("files are numbered in order; this is file {next}")));
        }
        let name = self.quoted("the name of the file in quotes")?.into_owned();
        let mut map = LineMap::default();
        let mut last = 0;
        let mut names: FxHashMap<Cow<'t, str>, Arc<str>> = FxHashMap::default();
        if self.eat(Punct::LeftBrace) {
            self.lines(|p| {
                p.expect_word("line")?;
                let token = p.token;
                let first_line = p.number("a line number")?;
                p.expect_word("is")?;
                let name = p.quoted("the name of a file in quotes")?;
                p.expect_word("line")?;
                let line = p.number("a line number")?;
                if first_line < last {
                    return Err(p.error_at(token, "the lines must ascend"));
                }
                last = first_line;
                let name = names.entry(name).or_insert_with_key(|name| Arc::from(&**name));
                map.add(first_line, Arc::clone(name), line);
                Ok(())
            });
            self.expect(Punct::RightBrace)?;
        }
        self.program.to_mut().files.push(SourceFile { name, text: None, lines: map });
        self.end_of_line()
    }

    fn header(&mut self, item: &Item<'t>, pending: &mut Vec<Pending<'t>>) -> Parse<()> {
        match item.keyword {
            "struct" | "union" => self.record_item(),
            "global" => self.global_item(VarKind::Global, pending),
            "static" => self.global_item(VarKind::Static, pending),
            "fn" => self.procedure_item(None, pending),
            "extern" => {
                let effect = match self.token.kind {
                    Kind::Word("pure") => Effect::Pure,
                    Kind::Word("havoc") => Effect::Havoc,
                    Kind::Word("computes") => Effect::Computes,
                    Kind::Word("reaches") => Effect::Reaches,
                    _ => return Err(self.unexpected("`pure`, `havoc`, `computes` or `reaches`")),
                };
                self.advance();
                self.expect_word("fn")?;
                self.procedure_item(Some(effect), pending)
            }
            "entry" => {
                pending.push(Pending { at: item.token.end, what: PendingKind::Entry });
                Ok(())
            }
            "device" => self.device_item(),
            _ => {
                let text = self.quoted("a sentence in quotes")?.into_owned();
                let span = self.span()?;
                self.program.to_mut().assumptions.push(Assumption { span, text });
                self.end_of_line()
            }
        }
    }

    fn device_item(&mut self) -> Parse<()> {
        let (first, last) = (self.number("an address")?, self.number("an address")?);
        if last < first {
            return Err(self.unexpected("an address that is not before the first"));
        }
        self.program.to_mut().devices.push(Device { first, last });
        self.end_of_line()
    }

    fn record_item(&mut self) -> Parse<()> {
        let name = self.name()?;
        let Some(&id) = self.records.get(&name) else {
            return Err(Failed);
        };
        self.expect_word("size")?;
        self.program.to_mut().records[id].size = self.number("a size")?;
        self.expect_word("align")?;
        self.program.to_mut().records[id].align = self.number("an alignment")?;
        self.expect(Punct::LeftBrace)?;
        self.program.to_mut().records[id].span = self.span()?;
        self.end_of_line()?;
        self.lines(|p| p.field_line(id));
        self.expect(Punct::RightBrace)?;
        self.end_of_line()
    }

    fn field_line(&mut self, record: RecordId) -> Parse<()> {
        let name = self.name()?;
        self.expect(Punct::Colon)?;
        let ty = self.ty()?;
        self.expect_word("at")?;
        let offset = self.number("an offset")?;
        let bits = self.bits()?;
        let fields = &mut self.program.to_mut().records[record].fields;
        let index = fields.len() as u32;
        fields.push(Field { name: name.to_string(), ty, offset, bits });
        if self.fields.len() <= record.index() {
            self.fields.resize_with(record.index() + 1, FxHashMap::default);
        }
        self.fields[record.index()].entry(name).or_insert(index);
        Ok(())
    }

    pub(super) fn bits(&mut self) -> Parse<Option<BitRange>> {
        if !self.eat_word("bits") {
            return Ok(None);
        }
        let first = self.number("the first bit")?;
        self.expect_word("width")?;
        let width = self.number("a number of bits")?;
        Ok(Some(BitRange { first, width }))
    }

    fn global_item(&mut self, kind: VarKind, pending: &mut Vec<Pending<'t>>) -> Parse<()> {
        let token = self.token;
        let name = self.name()?;
        if self.globals.contains_key(&name) {
            return Err(self.error_at(token, format!("global `{name}` is already defined")));
        }
        let header = self.expect(Punct::Colon).and_then(|()| self.ty()).and_then(|ty| {
            let align = self.asked_alignment()?;
            self.expect(Punct::Assign)?;
            Ok((ty, align))
        });
        let Ok((ty, align)) = header else {
            self.broken.insert(name);
            return Err(Failed);
        };
        let id = self.new_variable(&name, ty, kind, Span::none());
        self.program.to_mut().variables[id].align = align;
        self.globals.insert(name, id);
        self.program.to_mut().globals.push(id);
        pending.push(Pending { at: self.token.start, what: PendingKind::Initial(id) });
        Ok(())
    }

    /// `align 64`, or nothing for 0.
    fn asked_alignment(&mut self) -> Parse<u64> {
        if self.eat_word("align") { self.number("an alignment") } else { Ok(0) }
    }

    fn new_variable(&mut self, name: &str, ty: TypeId, kind: VarKind, span: Span) -> VarId {
        let name = name.to_string();
        self.program.to_mut().variables.push(Variable {
            name,
            ty,
            kind,
            span,
            align: 0,
            initial: Initial::Arbitrary,
        })
    }

    fn procedure_item(&mut self, external: Option<Effect>, pending: &mut Vec<Pending<'t>>) -> Parse<()> {
        let token = self.token;
        let name = self.name()?;
        if self.procedures.contains_key(&name) {
            return Err(self.error_at(token, format!("procedure `{name}` is already defined")));
        }
        let mut locals = FxHashMap::default();
        let header = self.procedure_header(&name, external, &mut locals);
        let Ok(mut procedure) = header else {
            self.broken.insert(name);
            return Err(Failed);
        };
        // An error here leaves a procedure that others can still call.
        let declared = external.is_none() && self.declarations(&mut procedure, &mut locals).is_ok();
        let id = self.program.to_mut().procedures.push(procedure);
        self.procedures.insert(name, id);
        if declared {
            pending.push(Pending { at: self.token.start, what: PendingKind::Procedure(id, locals) });
        }
        Ok(())
    }

    /// Up to the end of the first line.
    fn procedure_header(
        &mut self,
        name: &str,
        external: Option<Effect>,
        locals: &mut Names<'t, Variable>,
    ) -> Parse<Procedure> {
        let mut formals = Vec::new();
        self.expect(Punct::LeftParen)?;
        if !self.eat(Punct::RightParen) {
            loop {
                formals.push(self.declaration(VarKind::Formal, locals)?);
                if self.eat(Punct::RightParen) {
                    break;
                }
                self.expect(Punct::Comma)?;
            }
        }
        let variadic = self.eat_word("variadic");
        let result =
            if self.eat(Punct::Arrow) { Some(self.declaration(VarKind::Result, locals)?) } else { None };
        self.expect(if external.is_some() { Punct::Semicolon } else { Punct::LeftBrace })?;
        let span = self.span()?;
        self.end_of_line()?;
        Ok(Procedure {
            name: name.to_string(),
            span,
            formals,
            variadic,
            locals: Vec::new(),
            result,
            external,
            locations: Arena::new(),
            edges: Arena::new(),
            entry: Id::from_usize(0),
            exit: Id::from_usize(0),
        })
    }

    /// `name: type @span`
    fn declaration(&mut self, kind: VarKind, locals: &mut Names<'t, Variable>) -> Parse<VarId> {
        let token = self.token;
        let name = self.name()?;
        if locals.contains_key(&name) {
            return Err(self.error_at(token, format!("`{name}` is already declared in this procedure")));
        }
        let typed = self.expect(Punct::Colon).and_then(|()| Ok((self.ty()?, self.asked_alignment()?)));
        let (Ok((ty, align)), Ok(span)) = (typed, self.span()) else {
            self.broken.insert(name);
            return Err(Failed);
        };
        let id = self.new_variable(&name, ty, kind, span);
        self.program.to_mut().variables[id].align = align;
        locals.insert(name, id);
        Ok(id)
    }

    /// Variables and the line about locations.
    fn declarations(&mut self, procedure: &mut Procedure, locals: &mut Names<'t, Variable>) -> Parse<()> {
        loop {
            let kind = match self.token.kind {
                Kind::Word("local") => VarKind::Local,
                Kind::Word("temp") => VarKind::Temp,
                _ => break,
            };
            let start = self.advance().start;
            let declared = self.declaration(kind, locals);
            if let Ok(id) = declared {
                procedure.locals.push(id);
            }
            if declared.is_err() || self.end_of_line().is_err() {
                self.skip_line(start);
            }
        }
        let start = self.token.start;
        let read = self.locations(procedure).and_then(|()| self.end_of_line());
        if read.is_err() {
            self.skip_line(start);
        }
        read
    }

    fn locations(&mut self, procedure: &mut Procedure) -> Parse<()> {
        self.expect_word("locations")?;
        let token = self.token;
        let count: u64 = self.number("a number of locations")?;
        if count > self.locations_left {
            return Err(self.error_at(token, "more locations than the text has bytes"));
        }
        self.locations_left -= count;
        procedure.locations = (0..count).map(|_| Location::default()).collect();
        self.expect_word("entry")?;
        procedure.entry = self.location(&procedure.locations)?;
        self.expect_word("exit")?;
        procedure.exit = self.location(&procedure.locations)?;
        Ok(())
    }

    /// `L7`
    pub(super) fn location(&mut self, locations: &Arena<Location>) -> Parse<LocationId> {
        let token = self.token;
        let number: u32 = self.numbered('L', "a location such as `L7`")?;
        let id = Id::from_usize(number as usize);
        if locations.get(id).is_none() {
            let count = locations.len();
            return Err(self.error_at(token, format!("there is no such location; the procedure has {count}")));
        }
        Ok(id)
    }
}
