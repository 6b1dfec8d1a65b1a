//! The types of casts and `sizeof`, read and printed: words, tags and stars.

use hardbop_base::Span;
use hardbop_base::text::Parse;
use hardbop_ir::{FloatKind, Program, RecordId, RecordKind, Type, TypeId};

use super::lex::Kind;
use super::parse::Parser;
use super::scope::{Lookup, TYPE_WORDS};
use super::types::CType;

/// Stars behind a type.
const MAX_STARS: u32 = 100;

impl Parser<'_, '_> {
    /// Whether a type stands behind the parenthesis.
    pub(super) fn type_follows(&self) -> bool {
        matches!(self.peek_at(1), Kind::Word(word) if TYPE_WORDS.contains(&word))
    }

    /// A type: specifiers and stars.
    pub(super) fn ty(&mut self) -> Parse<CType> {
        let base = self.base_type()?;
        let mut ty = base;
        for stars in 0.. {
            let span = self.here();
            if !self.eat("*") {
                break;
            }
            if stars >= MAX_STARS {
                return Err(self.error(span, "the type is nested too deeply"));
            }
            self.qualifiers();
            let target = self.pointed_to(ty, span)?;
            ty = CType::Plain(self.program.pointer_to(target));
        }
        if self.at("(") || self.at("[") {
            let span = self.here();
            return Err(self.error(
                span,
                "pointers to arrays and to functions cannot be written here; `@(…)` takes any type",
            ));
        }
        Ok(ty)
    }

    fn pointed_to(&mut self, ty: CType, span: Span) -> Parse<TypeId> {
        match ty {
            CType::Truth | CType::Boolean => Ok(self.program.machine(8, false)),
            CType::Plain(ty) => {
                if let Type::Machine { width, .. } = *self.program.ty(ty)
                    && !matches!(width, 8 | 16 | 32 | 64 | 128)
                {
                    return Err(self.error(span, format!("no object has {width} bits")));
                }
                Ok(ty)
            }
        }
    }

    fn qualifiers(&mut self) {
        while self.eat_word("const") || self.eat_word("volatile") || self.eat_word("restrict") {}
    }

    fn base_type(&mut self) -> Parse<CType> {
        let span = self.here();
        let mut words: Vec<&str> = Vec::new();
        let mut bits = None;
        while let Kind::Word(word) = self.token.kind {
            match word {
                "const" | "volatile" | "restrict" => {}
                "struct" | "union" if words.is_empty() => {
                    let record = self.record(word)?;
                    self.qualifiers();
                    return Ok(CType::Plain(self.program.intern_type(Type::Record(record))));
                }
                "enum" => {
                    return Err(self.error(span, "enumeration types are not known; they are int or unsigned"));
                }
                _ if TYPE_WORDS.contains(&word) && words.len() < 5 => words.push(word),
                _ => break,
            }
            self.advance();
            if word == "_BitInt" && bits.is_none() {
                self.expect("(")?;
                let Kind::Int(literal) = self.token.kind else {
                    return Err(self.unexpected("a number of bits"));
                };
                self.advance();
                self.expect(")")?;
                bits = Some(literal.value);
            }
        }
        words.sort_unstable();
        match self.basic(&words, bits) {
            Some(ty) => Ok(ty),
            None => Err(self.error(span, "this is not a type of C, or it has a size that nothing has")),
        }
    }

    /// The type that specifiers, in alphabetical order, mean.
    fn basic(&mut self, words: &[&str], bits: Option<u128>) -> Option<CType> {
        let long = self.program.data_model.pointer_bits();
        let signs = words.iter().filter(|w| matches!(**w, "signed" | "unsigned")).count();
        let mut rest: Vec<&str> =
            words.iter().copied().filter(|w| !matches!(*w, "signed" | "unsigned")).collect();
        if signs > 1 {
            return None;
        }
        let signed = !words.contains(&"unsigned");
        // `int` adds nothing to `long`, `short` and a sign.
        if rest.len() > 1 || signs > 0 {
            rest.retain(|w| *w != "int");
        }
        let width = match rest.as_slice() {
            ["char"] => 8,
            ["short"] => 16,
            [] | ["int"] => 32,
            ["long"] => long,
            ["long", "long"] => 64,
            ["__int128"] => 128,
            ["_BitInt"] => u16::try_from(bits?).ok().filter(|n| matches!(n, 1..=64 | 128))?,
            [word] if signs == 0 => return self.single_word(word),
            ["double", "long"] if signs == 0 => {
                return Some(CType::Plain(self.program.intern_type(Type::Float(FloatKind::F80))));
            }
            _ => return None,
        };
        Some(CType::Plain(self.program.machine(width, signed)))
    }

    /// A type of one word that takes no sign.
    fn single_word(&mut self, word: &str) -> Option<CType> {
        let address = self.program.data_model.pointer_bits();
        let (width, signed) = match word {
            "void" => return Some(CType::Plain(self.program.void())),
            "bool" => return Some(CType::Truth),
            "_Bool" => return Some(CType::Boolean),
            "float" => return Some(CType::Plain(self.program.intern_type(Type::Float(FloatKind::F32)))),
            "double" => return Some(CType::Plain(self.program.intern_type(Type::Float(FloatKind::F64)))),
            "size_t" | "uintptr_t" => (address, false),
            "ssize_t" | "ptrdiff_t" | "intptr_t" => (address, true),
            "int8_t" => (8, true),
            "int16_t" => (16, true),
            "int32_t" => (32, true),
            "int64_t" => (64, true),
            "uint8_t" => (8, false),
            "uint16_t" => (16, false),
            "uint32_t" => (32, false),
            "uint64_t" => (64, false),
            _ => return None,
        };
        Some(CType::Plain(self.program.machine(width, signed)))
    }

    /// The struct or union of a tag.
    fn record(&mut self, keyword: &str) -> Parse<RecordId> {
        self.advance();
        let span = self.here();
        let name = self.name("a tag")?;
        let name = name.spelling();
        let kind = if keyword == "union" { RecordKind::Union } else { RecordKind::Struct };
        match self.names.find_record(self.program, name, kind) {
            Lookup::One(id) => Ok(id),
            Lookup::Several(all) => {
                let candidates = all.into_iter().map(|id| {
                    let record = &self.program.records[id];
                    (record.name.as_str(), record.span)
                });
                let message = self.ambiguous(name.text(), candidates);
                Err(self.error(span, message))
            }
            Lookup::Nothing => {
                Err(self.error(span, format!("the program uses no {keyword} `{}`", name.text())))
            }
        }
    }
}

/// A type in C, if it can be written as words and stars; `record` names structs and unions.
pub(super) fn type_name(
    program: &Program,
    ty: TypeId,
    record: &dyn Fn(RecordId) -> String,
) -> Option<String> {
    let long = program.data_model.pointer_bits() == 64;
    Some(match *program.ty(ty) {
        Type::Void => "void".to_owned(),
        Type::Machine { width, signed } => {
            let name = match width {
                8 => "char",
                16 => "short",
                32 if !signed => return Some("unsigned".to_owned()),
                32 => "int",
                64 if long => "long",
                64 => "long long",
                128 => "__int128",
                _ => &format!("_BitInt({width})"),
            };
            format!("{}{name}", if signed { "" } else { "unsigned " })
        }
        Type::Float(FloatKind::F32) => "float".to_owned(),
        Type::Float(FloatKind::F64) => "double".to_owned(),
        Type::Float(FloatKind::F80) => "long double".to_owned(),
        Type::Record(id) => record(id),
        Type::Pointer(target) => {
            // `bool *` would point to a byte.
            let name = type_name(program, target, record)?;
            format!("{name}{}*", if name.ends_with('*') { "" } else { " " })
        }
        Type::Bool | Type::Integer | Type::Array { .. } | Type::Function(_) => return None,
    })
}

/// A type for people.
pub(super) fn described(program: &Program, ty: TypeId) -> String {
    let record = |id: RecordId| {
        let record = &program.records[id];
        let keyword = if record.kind == RecordKind::Union { "union" } else { "struct" };
        format!("{keyword} {}", record.name)
    };
    match program.ty(ty) {
        Type::Integer => "mathematical integer".to_owned(),
        _ => type_name(program, ty, &record).unwrap_or_else(|| program.show_type(ty)),
    }
}
