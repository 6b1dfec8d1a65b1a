//! C types to types of the program representation.
//!
//! Records of different units that are compatible (C17 6.2.7: one tag or none, the same members) become one
//! record, so that what is passed between units keeps its type. Whom pointers in them point to does not
//! matter: all pointers count as one.

use hardbop_ir::{self as ir, TypeId};
use hardbop_syntax::ast::{self, ArrayLength};
use rustc_hash::FxHashMap;

use crate::Lowering;
use crate::link::Entity;

/// The types of one unit that have been translated.
#[derive(Debug, Default)]
pub(crate) struct UnitTypes {
    types: FxHashMap<ast::TypeId, TypeId>,
    records: FxHashMap<ast::RecordId, ir::RecordId>,
}

impl Lowering<'_> {
    /// The type that a type of a unit becomes.
    pub(crate) fn ty(&mut self, unit: usize, ty: ast::TypeId) -> TypeId {
        if let Some(&known) = self.types[unit].types.get(&ty) {
            return known;
        }
        let translated = match self.unit(unit).types[ty].clone() {
            ast::Type::Void => ir::Type::Void,
            ast::Type::Bool => ir::Type::Machine { width: 8, signed: false },
            ast::Type::Int { width: 65..128, signed } => ir::Type::Machine { width: 128, signed },
            ast::Type::Int { width, signed } => ir::Type::Machine { width, signed },
            ast::Type::Float(kind) => ir::Type::Float(match kind {
                ast::FloatKind::Single => ir::FloatKind::F32,
                ast::FloatKind::Double => ir::FloatKind::F64,
                ast::FloatKind::Extended => ir::FloatKind::F80,
            }),
            ast::Type::Pointer(target) => ir::Type::Pointer(self.ty(unit, target)),
            ast::Type::Array { element, length } => {
                let element = self.ty(unit, element);
                let length = match length {
                    ArrayLength::Fixed(n) => n,
                    ArrayLength::Unknown | ArrayLength::Variable(_) => 0,
                };
                ir::Type::Array { element, length }
            }
            ast::Type::Function(function) => ir::Type::Function(self.function_type(unit, &function)),
            ast::Type::Record(record) => ir::Type::Record(self.record(unit, record)),
            ast::Type::Unsupported(_, size) => {
                let byte = self.program.machine(8, false);
                ir::Type::Array { element: byte, length: size }
            }
        };
        let id = self.program.intern_type(translated);
        self.types[unit].types.insert(ty, id);
        id
    }

    fn function_type(&mut self, unit: usize, function: &ast::FunctionType) -> ir::FunctionType {
        let result = self.ty(unit, function.result);
        let mut formals: Vec<TypeId> = function.parameters.iter().map(|&p| self.ty(unit, p)).collect();
        if function.variadic {
            formals.push(self.variable_arguments_type());
        }
        ir::FunctionType { result, formals, variadic: function.variadic }
    }

    /// The type of the hidden formal that points to variable arguments.
    pub(crate) fn variable_arguments_type(&mut self) -> TypeId {
        let byte = self.program.machine(8, false);
        self.program.pointer_to(byte)
    }

    fn record(&mut self, unit: usize, id: ast::RecordId) -> ir::RecordId {
        if let Some(&known) = self.types[unit].records.get(&id) {
            return known;
        }
        let source = &self.unit(unit).records[id];
        if let Some(same) = self.same_record(unit, id) {
            self.types[unit].records.insert(id, same);
            return same;
        }
        let keyword = if source.is_union { "union" } else { "struct" };
        let name = match &source.tag {
            Some(tag) => tag.clone(),
            None => format!("${keyword}"),
        };
        let name = self.unique_record_name(&name);
        let (size, align) = source.layout.unwrap_or((0, 1));
        let kind = if source.is_union { ir::RecordKind::Union } else { ir::RecordKind::Struct };
        let record = ir::Record { name, kind, fields: Vec::new(), size, align, span: source.span };
        let new = self.program.records.push(record);
        // Known before its fields are translated, for they may point back to it.
        self.types[unit].records.insert(id, new);
        let fields = source
            .fields
            .iter()
            .map(|f| ir::Field {
                name: f.name.clone().unwrap_or_default(),
                ty: if is_separator(f) { self.nothing() } else { self.ty(unit, f.ty) },
                offset: f.offset.min(size),
                bits: f.bits.filter(|_| !is_separator(f)).map(|(first, width)| ir::BitRange { first, width }),
            })
            .collect::<Vec<_>>();
        if source.unsupported.is_some() {
            self.make_room(new, &fields);
        }
        self.program.records[new].fields = fields;
        new
    }

    /// Makes a record at least as large as its fields: one whose size is only known when the program
    /// runs has no layout.
    fn make_room(&mut self, record: ir::RecordId, fields: &[ir::Field]) {
        let end = |f: &ir::Field| f.offset.saturating_add(self.program.size_of(f.ty));
        let size = fields.iter().map(end).max().unwrap_or(0);
        let record = &mut self.program.records[record];
        record.size = record.size.max(size.next_multiple_of(record.align.max(1)));
    }

    /// A type without any bytes.
    fn nothing(&mut self) -> TypeId {
        let byte = self.program.machine(8, false);
        self.program.array_of(byte, 0)
    }

    fn unique_record_name(&mut self, wanted: &str) -> String {
        let key = format!("record {wanted}");
        let name = self.unique_name(&key);
        name["record ".len()..].to_owned()
    }

    /// A record of another unit that is the same: of equal kind, tag (or both have none), layout and fields.
    fn same_record(&self, unit: usize, id: ast::RecordId) -> Option<ir::RecordId> {
        let record = &self.unit(unit).records[id];
        let others = self.types.iter().enumerate().filter(|&(other, _)| other != unit);
        let same = others.flat_map(|(other_unit, types)| {
            let same = move |other: ast::RecordId| {
                self.unit(other_unit).records[other].tag == record.tag
                    && self.same_layout((unit, id), (other_unit, other), 0)
            };
            types.records.iter().filter(move |&(&other, _)| same(other)).map(|(_, &known)| known)
        });
        same.min()
    }

    fn same_layout(&self, a: (usize, ast::RecordId), b: (usize, ast::RecordId), depth: u32) -> bool {
        let (x, y) = (&self.unit(a.0).records[a.1], &self.unit(b.0).records[b.1]);
        x.is_union == y.is_union
            && x.layout == y.layout
            && x.layout.is_some()
            && x.fields.len() == y.fields.len()
            && depth < 32
            && x.fields.iter().zip(&y.fields).all(|(f, g)| {
                f.name == g.name
                    && f.offset == g.offset
                    && f.bits == g.bits
                    && self.same_shape((a.0, f.ty), (b.0, g.ty), depth + 1)
            })
    }

    fn same_shape(&self, a: (usize, ast::TypeId), b: (usize, ast::TypeId), depth: u32) -> bool {
        match (&self.unit(a.0).types[a.1], &self.unit(b.0).types[b.1]) {
            (ast::Type::Pointer(_), ast::Type::Pointer(_)) => true,
            (ast::Type::Array { element: e, length: l }, ast::Type::Array { element: f, length: m }) => {
                l == m && self.same_shape((a.0, *e), (b.0, *f), depth)
            }
            (ast::Type::Record(r), ast::Type::Record(s)) => self.same_layout((a.0, *r), (b.0, *s), depth),
            (x, y) => x == y,
        }
    }

    /// The type of an object, made larger where its initialiser says so.
    pub(crate) fn object_type(&mut self, entity: Entity) -> TypeId {
        let decl = self.decl(entity);
        let ty = self.ty(entity.unit, decl.ty);
        let ast::DeclKind::Object(object) = &decl.kind else { return ty };
        let size = self.program.size_of(ty);
        match (object.size, self.program.ty(ty).clone()) {
            // `extern void symbol;`: only the address counts.
            (_, ir::Type::Void) => self.nothing(),
            (Some(wanted), ir::Type::Record(id)) if wanted > size => {
                let mut record = self.program.records[id].clone();
                record.name = self.unique_record_name(&record.name);
                record.size = wanted;
                self.give_flexible_member_room(&mut record, wanted);
                let larger = self.program.records.push(record);
                self.program.intern_type(ir::Type::Record(larger))
            }
            _ => ty,
        }
    }

    fn give_flexible_member_room(&mut self, record: &mut ir::Record, size: u64) {
        if let Some(last) = record.fields.last_mut()
            && let ir::Type::Array { element, length: 0 } = *self.program.ty(last.ty)
        {
            let each = self.program.size_of(element).max(1);
            let length = size.saturating_sub(last.offset) / each;
            last.ty = self.program.array_of(element, length);
        }
    }

    /// The reason why values of a type cannot be represented.
    pub(crate) fn unsupported_type(&self, unit: usize, ty: ast::TypeId) -> Option<String> {
        match &self.unit(unit).types[ty] {
            ast::Type::Unsupported(name, _) => Some(format!("values of type `{name}`")),
            ast::Type::Int { width: 65..128, .. } => Some("values of bit-fields of more than 64 bits".into()),
            ast::Type::Record(id) => self.unit(unit).records[*id].unsupported.clone(),
            _ => None,
        }
    }

    /// A scalar as one of another type. An address counts as a signed number where a wider one is
    /// wanted.
    pub(crate) fn scalar_cast(&mut self, value: ir::ExprId, ty: TypeId) -> ir::ExprId {
        let from = self.program.expr(value).ty;
        let wide = match *self.program.ty(ty) {
            ir::Type::Machine { width, .. } => width > self.program.data_model.pointer_bits(),
            _ => false,
        };
        if wide && self.program.is_pointer(from) {
            let distance = self.program.distance_type();
            let number = self.program.cast(value, distance);
            return self.program.cast(number, ty);
        }
        self.program.cast(value, ty)
    }

    /// The type that default argument promotion gives.
    pub(crate) fn promoted(&mut self, ty: TypeId) -> TypeId {
        match *self.program.ty(ty) {
            ir::Type::Machine { width, .. } if width < 32 => self.program.machine(32, true),
            ir::Type::Float(ir::FloatKind::F32) => {
                self.program.intern_type(ir::Type::Float(ir::FloatKind::F64))
            }
            _ => ty,
        }
    }
}

/// Whether a field is a bit-field of width 0, which only moves those after it.
fn is_separator(field: &ast::Field) -> bool {
    field.bits.is_some_and(|(_, width)| width == 0)
}
