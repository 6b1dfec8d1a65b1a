//! What names mean in a scope, and how a variable is written there.
//!
//! Lowering keeps the names of the source and numbers what would clash: the second `i` of a function
//! is `i$2`, a static `count` of `f` is `f$count`, and where a parameter `n` is assigned, `n` is the
//! copy that changes and `n$in` the value passed in. So a name without `$` is one of the *source*: it
//! means whatever variable carries it, and it is ambiguous if several do. A name with `$`, and a name
//! in quotes, is one of the *program*, where names are unique.
//!
//! Printing asks the same tables whether a spelling leads back to the variable, so the two agree.

use std::borrow::Cow;

use hardbop_base::text;
use hardbop_ir::{ProcId, Program, RecordId, RecordKind, VarId, VarKind};
use rustc_hash::FxHashMap;

use super::Scope;
use super::lex::QUOTES;

/// How a name was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling<'t> {
    /// As a word.
    Word(&'t str),
    /// In quotes: a name of the program.
    Quoted(&'t str),
}

impl<'t> Spelling<'t> {
    /// The name itself.
    pub(super) fn text(self) -> &'t str {
        match self {
            Spelling::Word(text) | Spelling::Quoted(text) => text,
        }
    }

    /// Whether it is a name of the source rather than one of the program.
    fn is_source(self) -> bool {
        matches!(self, Spelling::Word(text) if !text.contains('$'))
    }
}

/// A name that was read.
#[derive(Debug)]
pub(super) struct Name<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) is_quoted: bool,
}

impl Name<'_> {
    /// How it was written.
    pub(super) fn spelling(&self) -> Spelling<'_> {
        if self.is_quoted { Spelling::Quoted(&self.text) } else { Spelling::Word(&self.text) }
    }
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entity {
    Variable(VarId),
    Procedure(ProcId),
}

/// What looking up a name gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lookup<T> {
    One(T),
    /// Several, in the order of the program.
    Several(Vec<T>),
    Nothing,
}

impl<T: Copy> Lookup<T> {
    fn of(candidates: &[T]) -> Lookup<T> {
        match candidates {
            [] => Lookup::Nothing,
            [one] => Lookup::One(*one),
            several => Lookup::Several(several.to_vec()),
        }
    }

    fn map<U>(self, wrap: impl Fn(T) -> U) -> Lookup<U> {
        match self {
            Lookup::One(one) => Lookup::One(wrap(one)),
            Lookup::Several(all) => Lookup::Several(all.into_iter().map(wrap).collect()),
            Lookup::Nothing => Lookup::Nothing,
        }
    }

    fn or_else(self, other: impl FnOnce() -> Lookup<T>) -> Lookup<T> {
        match self {
            Lookup::Nothing => other(),
            found => found,
        }
    }
}

/// Things by their names in the program, which are unique, and by their names in the source.
#[derive(Debug)]
struct Table<T> {
    exact: FxHashMap<String, T>,
    source: FxHashMap<String, Vec<T>>,
}

impl<T: Copy> Table<T> {
    fn new() -> Self {
        Table { exact: FxHashMap::default(), source: FxHashMap::default() }
    }

    fn add(&mut self, name: &str, item: T) {
        self.exact.entry(name.to_owned()).or_insert(item);
        self.add_source(source_name(name), item);
    }

    fn add_source(&mut self, name: &str, item: T) {
        if !name.contains('$') {
            self.source.entry(name.to_owned()).or_default().push(item);
        }
    }

    fn find(&self, name: Spelling<'_>) -> Lookup<T> {
        if name.is_source() {
            return Lookup::of(self.source.get(name.text()).map_or(&[], Vec::as_slice));
        }
        self.exact.get(name.text()).map_or(Lookup::Nothing, |&item| Lookup::One(item))
    }
}

/// The names of a program, and of the scope that is looked at.
#[derive(Debug)]
pub(super) struct Names {
    globals: Table<VarId>,
    procedures: Table<ProcId>,
    records: Table<RecordId>,
    scope: Scope,
    /// The variables of the procedure that is the scope.
    own: Table<VarId>,
}

impl Names {
    /// The names of a program; the scope is [`Scope::Global`].
    pub(super) fn new(program: &Program) -> Self {
        let mut names = Names {
            globals: Table::new(),
            procedures: Table::new(),
            records: Table::new(),
            scope: Scope::Global,
            own: Table::new(),
        };
        for &id in &program.globals {
            if let Some(variable) = program.variables.get(id) {
                names.globals.add(&variable.name, id);
            }
        }
        for (id, procedure) in program.procedures.iter() {
            names.procedures.add(&procedure.name, id);
        }
        for (id, record) in program.records.iter() {
            // Copies of a record with room for its last member are no records of the source.
            let copy = |&other: &RecordId| {
                let other = &program.records[other];
                !record.span.is_none() && other.span == record.span
            };
            names.records.exact.entry(record.name.clone()).or_insert(id);
            let source = source_name(&record.name);
            if !names.records.source.get(source).is_some_and(|all| all.iter().any(copy)) {
                names.records.add_source(source, id);
            }
        }
        names
    }

    /// The scope that names are looked up in.
    pub(super) fn scope(&self) -> Scope {
        self.scope
    }

    /// Looks at another scope.
    pub(super) fn enter(&mut self, program: &Program, scope: Scope) {
        if self.scope == scope {
            return;
        }
        self.scope = scope;
        self.own = Table::new();
        let Scope::Procedure(id) = scope else { return };
        let Some(procedure) = program.procedures.get(id) else { return };
        for &id in procedure.formals.iter().chain(&procedure.locals).chain(&procedure.result) {
            if let Some(variable) = program.variables.get(id) {
                self.own.add(&variable.name, id);
            }
        }
        self.add_statics(program, &procedure.name);
        self.add_values_passed_in(program, &procedure.formals);
    }

    /// The static variables of a function, by their names in the source.
    fn add_statics(&mut self, program: &Program, procedure: &str) {
        for &id in &program.globals {
            let Some(variable) = program.variables.get(id) else { continue };
            let own = source_name(&variable.name).strip_prefix(procedure).and_then(|n| n.strip_prefix('$'));
            if let (VarKind::Static, Some(name)) = (variable.kind, own) {
                self.own.add_source(name, id);
            }
        }
    }

    /// `n$in` for parameters that are never assigned.
    fn add_values_passed_in(&mut self, program: &Program, formals: &[VarId]) {
        for &id in formals {
            if let Some(variable) = program.variables.get(id) {
                self.own.exact.entry(format!("{}$in", variable.name)).or_insert(id);
            }
        }
    }

    /// What a name means in the scope: its own variable, a global, or a procedure.
    pub(super) fn find(&self, name: Spelling<'_>) -> Lookup<Entity> {
        let own = || self.own.find(name).map(Entity::Variable);
        own().or_else(|| self.find_global(name))
    }

    /// What a name means outside of all procedures.
    pub(super) fn find_global(&self, name: Spelling<'_>) -> Lookup<Entity> {
        let global = self.globals.find(name).map(Entity::Variable);
        global.or_else(|| self.find_procedure(name).map(Entity::Procedure))
    }

    /// The procedure of a name.
    pub(super) fn find_procedure(&self, name: Spelling<'_>) -> Lookup<ProcId> {
        self.procedures.find(name)
    }

    /// The struct or union of a tag.
    pub(super) fn find_record(
        &self,
        program: &Program,
        name: Spelling<'_>,
        kind: RecordKind,
    ) -> Lookup<RecordId> {
        let candidates: Vec<RecordId> = match self.records.find(name) {
            Lookup::One(id) => vec![id],
            Lookup::Several(all) => all,
            Lookup::Nothing => Vec::new(),
        };
        let fits = |id: &RecordId| program.records[*id].kind == kind;
        Lookup::of(&candidates.into_iter().filter(fits).collect::<Vec<_>>())
    }
}

/// How things are written.
impl Names {
    /// A variable or procedure as it is written in the scope.
    pub(super) fn spell(&self, program: &Program, entity: Entity) -> String {
        let name = match entity {
            Entity::Variable(id) => program.variables.get(id).map(|v| (v.name.as_str(), v.kind)),
            Entity::Procedure(id) => program.procedures.get(id).map(|p| (p.name.as_str(), VarKind::Static)),
        };
        let Some((name, kind)) = name else { return "\"\"".to_owned() };
        if kind == VarKind::Result {
            return "return".to_owned();
        }
        let leads_back = |spelling| self.find(spelling) == Lookup::One(entity);
        let source = self.source_in_scope(program, name);
        if is_word(source) && leads_back(Spelling::Word(source)) {
            source.to_owned()
        } else if is_word(name) && leads_back(Spelling::Word(name)) {
            name.to_owned()
        } else if leads_back(Spelling::Quoted(name)) {
            quoted(name)
        } else if is_word(name) && self.find_global(Spelling::Word(name)) == Lookup::One(entity) {
            format!("::{name}")
        } else {
            format!("::{}", quoted(name))
        }
    }

    /// The name in the source of a variable of the program.
    fn source_in_scope<'n>(&self, program: &Program, name: &'n str) -> &'n str {
        let source = source_name(name);
        let Scope::Procedure(id) = self.scope else { return source };
        let procedure = program.procedures.get(id).map_or("", |p| p.name.as_str());
        source.strip_prefix(procedure).and_then(|n| n.strip_prefix('$')).unwrap_or(source)
    }

    /// A procedure as a section names it.
    pub(super) fn spell_procedure(&self, program: &Program, id: ProcId) -> String {
        let name = program.procedures[id].name.as_str();
        let word = is_identifier(name) && self.find_procedure(Spelling::Word(name)) == Lookup::One(id);
        if word { name.to_owned() } else { quoted(name) }
    }

    /// A struct or union with its keyword.
    pub(super) fn spell_record(&self, program: &Program, id: RecordId) -> String {
        let record = &program.records[id];
        let keyword = match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        };
        let name = record.name.as_str();
        let word = Spelling::Word(name);
        if is_word(name) && self.find_record(program, word, record.kind) == Lookup::One(id) {
            format!("{keyword} {name}")
        } else {
            format!("{keyword} {}", quoted(name))
        }
    }
}

/// The name that lowering made another one from by adding numbers.
fn source_name(name: &str) -> &str {
    let mut source = name;
    while let Some((rest, number)) = source.rsplit_once('$') {
        let counted = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        if rest.is_empty() || !counted {
            break;
        }
        source = rest;
    }
    source
}

/// Whether a name can be written as a word: an identifier that means nothing else.
pub(super) fn is_word(name: &str) -> bool {
    is_identifier(name) && !RESERVED.contains(&name) && !TYPE_WORDS.contains(&name)
}

/// Whether a name is an identifier.
pub(super) fn is_identifier(name: &str) -> bool {
    text::is_name(name, text::starts_name, text::continues_name)
}

/// A name in quotes.
pub(super) fn quoted(name: &str) -> String {
    QUOTES.quoted(name)
}

/// Words that start a type: those of C, and the basic typedefs.
pub(super) const TYPE_WORDS: &[&str] = &[
    "void",
    "char",
    "short",
    "int",
    "long",
    "signed",
    "unsigned",
    "float",
    "double",
    "bool",
    "_Bool",
    "__int128",
    "_BitInt",
    "struct",
    "union",
    "enum",
    "const",
    "volatile",
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
];

/// Other words that do not name variables.
const RESERVED: &[&str] = &[
    "NULL", "true", "false", "sizeof", "return", "restrict", "auto", "break", "case", "continue", "default",
    "do", "else", "extern", "for", "goto", "if", "inline", "register", "static", "switch", "typedef",
    "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lowering_are_taken_off() {
        let names = ["x", "x$2", "x$2$2", "x$in", "$1", "$result", "f$x$3", "x$", "$2$3"];
        let sources = ["x", "x", "x", "x$in", "$1", "$result", "f$x", "x$", "$2"];
        assert_eq!(names.map(source_name), sources);
    }
}
