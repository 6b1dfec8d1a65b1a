//! Rules 1 and 2: types and records.

use rustc_hash::FxHashSet;

use super::{Context, TypeFacts, Verifier, is_object};
use crate::text::{MAX_TYPE_DEPTH, MAX_TYPE_NODES};
use crate::{Field, Record, RecordId, RecordKind, Type, TypeId};

impl Verifier<'_> {
    /// Checks all types. The parts of a type are older than the type.
    pub(super) fn types(&mut self) {
        for (id, ty) in self.program.types().iter() {
            let facts = self.type_facts(id, ty);
            let array = facts.usable && matches!(ty, Type::Array { .. });
            if array && facts.bytes > self.program.data_model.max_object_size() {
                self.bad(format!("type {} is larger than the address space allows", self.show_type(id)));
            }
            if facts.depth > MAX_TYPE_DEPTH || facts.nodes > MAX_TYPE_NODES {
                self.bad("a type is nested too deeply or too large to be written down");
            }
            self.types[id.index()] = facts;
        }
    }

    fn type_facts(&mut self, id: TypeId, ty: &Type) -> TypeFacts {
        let model = self.program.data_model;
        let mut facts = TypeFacts { usable: true, bytes: 1, depth: 1, nodes: 1 };
        match ty {
            Type::Void | Type::Bool => {}
            Type::Machine { width, .. } => {
                facts.bytes = u64::from(width.div_ceil(8));
                if !matches!(width, 1..=64 | 128) {
                    self.bad(format!("machine integers do not have {width} bits"));
                    facts.usable = false;
                }
            }
            Type::Integer | Type::Float(_) => facts.bytes = self.program.size_of(id),
            Type::Pointer(target) => {
                self.part(&mut facts, id, *target);
                facts.bytes = model.pointer_bytes();
            }
            Type::Array { element, length } => {
                let bytes = self.part(&mut facts, id, *element);
                facts.bytes = bytes.saturating_mul(*length);
                if facts.usable && !self.program.types().get(*element).is_some_and(is_object) {
                    self.bad(format!("an array has elements of type {}", self.show_type(*element)));
                }
            }
            Type::Record(record) => match self.program.records.get(*record) {
                Some(record) => facts.bytes = record.size,
                None => {
                    self.bad(format!("a type names record {record:?}, which is not there"));
                    facts.usable = false;
                }
            },
            Type::Function(function) => {
                for &formal in &function.formals {
                    self.part(&mut facts, id, formal);
                    if facts.usable && !self.program.types().get(formal).is_some_and(is_object) {
                        self.bad(format!("a function takes a formal of type {}", self.show_type(formal)));
                    }
                }
                self.part(&mut facts, id, function.result);
                if facts.usable && matches!(self.ty(function.result), Some(Type::Function(_))) {
                    self.bad("a function gives a function");
                }
                facts.bytes = 1;
            }
        }
        facts
    }

    /// Checks that values of a type can lie in memory: integers of odd widths are for temporaries.
    pub(super) fn in_memory(&mut self, ty: TypeId, what: &str) {
        if let Some(&Type::Machine { width, .. }) = self.program.types().get(ty)
            && !matches!(width, 8 | 16 | 32 | 64 | 128)
            && matches!(width, 1..=64)
        {
            self.bad(format!("{what} has {width} bits, which only temporaries may have"));
        }
    }

    /// Adds what is known of a part; gives its bytes.
    fn part(&mut self, facts: &mut TypeFacts, whole: TypeId, part: TypeId) -> u64 {
        if part >= whole {
            self.bad(format!("type {whole:?} is made of type {part:?}, which is not older"));
            facts.usable = false;
            return 0;
        }
        self.in_memory(part, "a part of a type");
        let inner = self.types[part.index()];
        facts.usable &= inner.usable;
        facts.depth = facts.depth.max(inner.depth.saturating_add(1));
        facts.nodes = facts.nodes.saturating_add(inner.nodes);
        inner.bytes
    }

    /// Checks all records.
    pub(super) fn records(&mut self) {
        let mut names = FxHashSet::default();
        for record in self.program.records.values() {
            self.at = Context { procedure: None, edge: None, span: record.span };
            self.span(record.span);
            if !names.insert(record.name.as_str()) {
                self.bad(format!("there are two records `{}`", record.name));
            }
            self.record(record);
        }
        self.containment();
        self.at = Context { procedure: None, edge: None, span: hardbop_base::Span::none() };
    }

    fn record(&mut self, record: &Record) {
        let name = &record.name;
        if !record.align.is_power_of_two() {
            self.bad(format!("record `{name}` has alignment {}", record.align));
        }
        if record.size > self.program.data_model.max_object_size() {
            self.bad(format!("record `{name}` is larger than the address space allows"));
        }
        let size = u128::from(record.size) * 8;
        let mut last = 0;
        for (i, field) in record.fields.iter().enumerate() {
            let Some(ty) = self.ty(field.ty) else {
                self.bad(format!("field {i} of record `{name}` has a bad type"));
                continue;
            };
            if !is_object(ty) {
                self.bad(format!("field {i} of record `{name}` has type {}", self.show_type(field.ty)));
            }
            self.in_memory(field.ty, &format!("field {i} of record `{name}`"));
            let (start, end) = match field.bits {
                None => {
                    let start = u128::from(field.offset) * 8;
                    (start, start + u128::from(self.types[field.ty.index()].bytes) * 8)
                }
                Some(_) => self.bit_field(name, i, field, ty),
            };
            if end > size {
                self.bad(format!("field {i} of record `{name}` ends behind the record"));
            }
            match record.kind {
                RecordKind::Struct if start < last => {
                    self.bad(format!("field {i} of struct `{name}` overlaps the one before it"));
                }
                RecordKind::Union if start > 0 => {
                    self.bad(format!("field {i} of union `{name}` does not start at 0"));
                }
                _ => {}
            }
            last = end;
        }
    }

    /// Checks a bit-field; gives the bits it takes.
    fn bit_field(&mut self, record: &str, i: usize, field: &Field, ty: &Type) -> (u128, u128) {
        let Some(bits) = field.bits else { return (0, 0) };
        match *ty {
            Type::Machine { width, .. } if bits.width == 0 || u16::from(bits.width) > width => {
                self.bad(format!("bit-field {i} of record `{record}` has {} bits", bits.width));
            }
            Type::Machine { .. } => {}
            _ => {
                let shown = self.show_type(field.ty);
                self.bad(format!("bit-field {i} of record `{record}` has type {shown}"));
            }
        }
        if bits.first > 7 {
            self.bad(format!("bit-field {i} of record `{record}` does not start in its first byte"));
        }
        let start = u128::from(field.offset) * 8 + u128::from(bits.first);
        (start, start + u128::from(bits.width))
    }

    /// The record that a type holds by value.
    fn held_record(&self, mut ty: TypeId) -> Option<RecordId> {
        loop {
            match *self.ty(ty)? {
                Type::Record(id) => return Some(id),
                Type::Array { element, .. } => ty = element,
                _ => return None,
            }
        }
    }

    /// Finds records that contain themselves, by depth-first search.
    fn containment(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let program = self.program;
        let mut marks = vec![Mark::New; program.records.len()];
        for root in program.records.ids() {
            let mut stack = vec![(root, 0)];
            while let Some((id, next)) = stack.pop() {
                if next == 0 {
                    if marks[id.index()] != Mark::New {
                        continue;
                    }
                    marks[id.index()] = Mark::Open;
                }
                let record = &program.records[id];
                let Some(field) = record.fields.get(next) else {
                    marks[id.index()] = Mark::Done;
                    continue;
                };
                stack.push((id, next + 1));
                let Some(inner) = self.held_record(field.ty) else { continue };
                match marks[inner.index()] {
                    Mark::New => stack.push((inner, 0)),
                    Mark::Open => {
                        self.at = Context { procedure: None, edge: None, span: record.span };
                        self.bad(format!("record `{}` contains itself", program.records[inner].name));
                    }
                    Mark::Done => {}
                }
            }
        }
    }
}
