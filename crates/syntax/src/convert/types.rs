//! Types and record layouts.

use hardbop_base::Span;
use rucc_base::float::Format;
use rucc_types::{
    ArrayLen, Qualifiers, RecordInfo, RecordKind, TypeKind, float_format, int_width, layout, spell,
};

use super::Converter;
use crate::ast::{self, ArrayLength, FloatKind, FunctionType, Type, TypeId};

impl Converter<'_> {
    /// The id of a type, one for all types that are equal.
    pub(super) fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&known) = self.interned.get(&ty) {
            return known;
        }
        let id = self.unit.types.push(ty.clone());
        self.interned.insert(ty, id);
        id
    }

    /// A type of the front end, without qualifiers and typedef names. Types that it is made of
    /// come first, from a stack of our own: chains of typedefs may be long.
    pub(super) fn ty(&mut self, id: rucc_types::TypeId) -> TypeId {
        let wanted = self.types.canonical(id);
        if let Some(&known) = self.known_types.get(&wanted) {
            return known;
        }
        let mut stack = vec![wanted];
        let mut ours = None;
        while let Some(&id) = stack.last() {
            ours = self.known_types.get(&id).copied();
            if ours.is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.parts(id, |part| stack.push(part));
            if stack.len() == before {
                ours = Some(self.build(id));
                stack.pop();
            }
        }
        ours.unwrap_or_else(|| self.intern(Type::Void))
    }

    /// Whether a type, or that of the elements of an array, has a qualifier.
    pub(super) fn is_qualified(&self, id: rucc_types::TypeId, qualifier: Qualifiers) -> bool {
        let mut id = self.types.canonical(id);
        loop {
            if self.types.quals(id).has(qualifier) {
                return true;
            }
            match self.types.kind(id) {
                TypeKind::Array { elem, .. } => id = self.types.canonical(elem),
                _ => return false,
            }
        }
    }

    /// The type of a value. The front end gives the value of a bit-field that is wider than `int` a
    /// bit-precise type of that width, which is gcc's rule; as a value that is an integer like any
    /// other.
    pub(super) fn value_ty(&mut self, id: rucc_types::TypeId) -> TypeId {
        match self.types.kind(self.types.canonical(id)) {
            TypeKind::BitInt { signed, width } if width <= 128 => {
                self.intern(Type::Int { width: width as u16, signed })
            }
            _ => self.ty(id),
        }
    }

    /// The types that a type is made of and that are not known yet.
    fn parts(&self, id: rucc_types::TypeId, mut push: impl FnMut(rucc_types::TypeId)) {
        let mut part = |id| {
            let id = self.types.canonical(id);
            if !self.known_types.contains_key(&id) {
                push(id);
            }
        };
        match self.types.kind(id) {
            TypeKind::Pointer(inner) | TypeKind::Atomic(inner) | TypeKind::Array { elem: inner, .. } => {
                part(inner)
            }
            TypeKind::Function(function) => {
                let function = self.types.signature(function);
                part(function.ret);
                function.params.iter().copied().for_each(part);
            }
            TypeKind::Enum(which) => {
                self.types.enum_info(which).underlying.into_iter().for_each(part);
            }
            _ => {}
        }
    }

    /// A type whose parts are known.
    fn build(&mut self, id: rucc_types::TypeId) -> TypeId {
        let ours = match self.types.kind(id) {
            TypeKind::Void => self.intern(Type::Void),
            TypeKind::Bool => self.intern(Type::Bool),
            TypeKind::Int(kind) => {
                let width = u16::try_from(int_width(kind, self.target)).unwrap_or(u16::MAX);
                let signed = kind.is_signed(self.target.char_is_signed);
                self.intern(Type::Int { width, signed })
            }
            TypeKind::Float(kind) => match float_format(kind, self.target) {
                Format::Single => self.intern(Type::Float(FloatKind::Single)),
                Format::Double => self.intern(Type::Float(FloatKind::Double)),
                Format::X87Extended => self.intern(Type::Float(FloatKind::Extended)),
                _ => self.unsupported_type(id),
            },
            TypeKind::Pointer(to) => {
                let to = self.ty(to);
                self.intern(Type::Pointer(to))
            }
            TypeKind::Array { elem, len } => {
                let element = self.ty(elem);
                let length = self.length(len);
                self.intern(Type::Array { element, length })
            }
            TypeKind::Function(function) => {
                let function = self.types.signature(function);
                let result = self.ty(function.ret);
                let parameters = function.params.iter().map(|&p| self.ty(p)).collect();
                let (variadic, prototyped) = (function.variadic, function.prototyped);
                self.intern(Type::Function(FunctionType { result, parameters, variadic, prototyped }))
            }
            TypeKind::Record(record) => {
                let record = self.record(record);
                self.intern(Type::Record(record))
            }
            TypeKind::Enum(which) => {
                let info = self.types.enum_info(which);
                match (info.underlying, info.hardbool) {
                    (Some(underlying), None) => self.ty(underlying),
                    // Declared and never defined: gcc takes it as unsigned int where it needs one.
                    (None, None) => self.intern(Type::Int { width: 32, signed: false }),
                    (_, Some(_)) => self.unsupported_type(id),
                }
            }
            TypeKind::Atomic(inner) => self.ty(inner),
            TypeKind::Typedef { underlying, .. } => self.ty(underlying),
            TypeKind::Complex(_) | TypeKind::BitInt { .. } | TypeKind::Vector { .. } => {
                self.unsupported_type(id)
            }
        };
        self.known_types.insert(id, ours);
        ours
    }

    fn length(&mut self, len: ArrayLen) -> ArrayLength {
        match len {
            ArrayLen::Fixed(count) => ArrayLength::Fixed(count),
            ArrayLen::Unknown | ArrayLen::Star => ArrayLength::Unknown,
            ArrayLen::Variable(vla) => match self.operand(self.tast.vla_size(vla)) {
                Some(length) => ArrayLength::Variable(length),
                None => ArrayLength::Unknown,
            },
        }
    }

    fn unsupported_type(&mut self, id: rucc_types::TypeId) -> TypeId {
        let size = layout(self.types, id, self.target).map_or(0, |layout| layout.size);
        let spelling = spell(self.types, self.names, id);
        self.intern(Type::Unsupported(spelling, size))
    }

    /// The record without its members, which [`Converter::finish_records`] adds: they may point
    /// back to it, or along a chain of a thousand others.
    fn record(&mut self, id: rucc_types::RecordId) -> ast::RecordId {
        if let Some(&known) = self.records.get(&id) {
            return known;
        }
        let info = self.types.record_info(id);
        let ours = self.unit.records.push(ast::Record {
            tag: info.tag.map(|tag| self.name(tag)),
            is_union: info.kind == RecordKind::Union,
            fields: Vec::new(),
            layout: info.layout.map(|layout| (layout.size, layout.align)),
            unsupported: unsupported(info),
            span: info.tag.and_then(|tag| self.tags.get(&tag)).map_or(Span::none(), |&span| self.span(span)),
        });
        self.records.insert(id, ours);
        self.unfinished.push((id, ours));
        ours
    }

    /// Adds the members of all records that have been mentioned.
    pub(super) fn finish_records(&mut self) {
        while let Some((id, ours)) = self.unfinished.pop() {
            let fields = &self.types.record_info(id).fields;
            let fields = fields.iter().map(|field| self.field(field)).collect();
            self.unit.records[ours].fields = fields;
        }
    }

    fn field(&mut self, field: &rucc_types::Field) -> ast::Field {
        let bits = field.bits.map(|width| bits(field.bit, width));
        let (skip, bits) = bits.map_or((0, None), |(skip, bits)| (skip, Some(bits)));
        ast::Field {
            name: field.name.map(|name| self.name(name)),
            ty: self.ty(field.ty),
            offset: field.offset.saturating_add(skip),
            bits,
        }
    }
}

/// A first bit and a width as whole bytes to skip, the bit in the byte after them, and the width.
pub(super) fn bits(first: u32, width: u32) -> (u64, (u8, u8)) {
    let width = u8::try_from(width).unwrap_or(u8::MAX);
    (u64::from(first / 8), ((first % 8) as u8, width))
}

fn unsupported(info: &RecordInfo) -> Option<String> {
    if info.variable.is_some() {
        Some("a record whose size is computed when the program runs".to_owned())
    } else if info.reverse {
        Some("a record with reversed byte order".to_owned())
    } else {
        None
    }
}
