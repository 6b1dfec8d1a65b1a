//! Initialisers: of globals as data, of locals as assignments.

use hardbop_base::Span;
use hardbop_ir::{
    self as ir, BinaryOp, BitRange, ExprId, Initial, InitialValue, PlaceId, Statement, Type, TypeId, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use hardbop_syntax::ast::{self, AddressBase, DeclKind, Definition, InitEntry};

use crate::Lowering;
use crate::body::{Body, label_number};
use crate::link::Entity;

/// Aggregates of more scalars than this are cleared with one statement.
const MAX_SCALARS: usize = 64;

/// Why some initialisers are not lowered.
pub(crate) const AMBIGUOUS: &str = "an initialiser that overrides a part of an earlier one";

/// What the C library defines and what points to nothing but its own.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// A static initialiser that is not a constant expression: it runs before the entry.
pub(crate) struct Dynamic {
    pub unit: usize,
    pub variable: VarId,
    pub entry: InitEntry,
}

impl Lowering<'_> {
    /// Gives a global its initial contents.
    pub(crate) fn lower_initial(&mut self, entity: Entity, variable: VarId) {
        let decl = self.decl(entity);
        let DeclKind::Object(object) = &decl.kind else { return };
        if object.storage == ast::Storage::Thread {
            self.assume(decl.span, "thread-local variables belong to the only thread");
        }
        self.program.variables[variable].initial = match (&object.init, object.definition) {
            (None, Definition::Declared) => {
                let name = decl.name.as_deref().unwrap_or("?");
                let mut text = format!("`{name}` is defined elsewhere and may hold anything at the start");
                if self.options.externals == ir::Effect::Pure || STREAMS.contains(&name) {
                    // Nobody outside knows the objects of the program.
                    self.program.variables[variable].kind = ir::VarKind::Static;
                    text += " but addresses of the program's objects";
                }
                self.assume(decl.span, text);
                Initial::Arbitrary
            }
            (None, _) => Initial::Values(Vec::new()),
            (Some(entries), _) => {
                let ty = self.program.variables[variable].ty;
                let Some(entries) = self.live_entries(entity.unit, ty, entries) else {
                    self.ambiguous.push(decl.span);
                    return;
                };
                let mut values = Vec::new();
                for entry in entries {
                    if !self.static_entry(entity.unit, &entry, &mut values) {
                        self.dynamic.push(Dynamic { unit: entity.unit, variable, entry });
                    }
                }
                Initial::Values(values)
            }
        };
    }

    /// Adds the values of one entry; false if it is not constant.
    fn static_entry(&mut self, unit: usize, entry: &InitEntry, values: &mut Vec<InitialValue>) -> bool {
        let e = &self.unit(unit).exprs[entry.value];
        let bits = entry.bits.map(|(first, width)| BitRange { first, width });
        if let ast::ExprKind::Str(bytes) = &e.kind {
            self.static_string(unit, e.ty, bytes, entry.offset, values);
            return true;
        }
        match self.static_value(unit, entry.value) {
            Some(value) => {
                if self.program.as_int(value) != Some(0) {
                    values.push(InitialValue { offset: entry.offset, bits, value });
                }
                true
            }
            None => false,
        }
    }

    fn static_string(
        &mut self,
        unit: usize,
        array: ast::TypeId,
        bytes: &[u8],
        offset: u64,
        values: &mut Vec<InitialValue>,
    ) {
        let ast::Type::Array { element, .. } = self.unit(unit).types[array] else { return };
        let ty = self.ty(unit, element);
        let size = self.program.size_of(ty).max(1) as usize;
        for (i, chunk) in bytes.chunks(size).enumerate() {
            let number = chunk.iter().rev().fold(0i128, |n, &byte| n << 8 | i128::from(byte));
            if number != 0 {
                let value = self.program.int(number, ty);
                values.push(InitialValue { offset: offset + (i * size) as u64, bits: None, value });
            }
        }
    }

    /// The value of a constant expression.
    fn static_value(&mut self, unit: usize, expr: ast::ExprId) -> Option<ExprId> {
        let e = &self.unit(unit).exprs[expr];
        let ty = self.ty(unit, e.ty);
        Some(match &e.kind {
            ast::ExprKind::Int(value) => self.program.int(*value, ty),
            ast::ExprKind::Float(bits) => self.program.intern_expr(ir::ExprKind::Float(*bits), ty),
            ast::ExprKind::Address(base, offset) => self.static_address(unit, base, *offset, ty, e.span)?,
            ast::ExprKind::LabelAddress(label) => self.program.int(label_number(*label), ty),
            ast::ExprKind::Cast(inner) => {
                let value = self.static_value(unit, *inner)?;
                let from = self.program.expr(value).ty;
                if !self.program.is_scalar(from) || !self.program.is_scalar(ty) {
                    return None;
                }
                if matches!(self.unit(unit).types[e.ty], ast::Type::Bool) {
                    let truth = self.program.nonzero(value);
                    self.program.cast(truth, ty)
                } else {
                    self.scalar_cast(value, ty)
                }
            }
            ast::ExprKind::Decay(inner) | ast::ExprKind::AddressOf(inner) => {
                let inner = &self.unit(unit).exprs[*inner];
                match &inner.kind {
                    ast::ExprKind::Str(bytes) => {
                        let base = AddressBase::Str(bytes.clone(), inner.ty);
                        self.static_address(unit, &base, 0, ty, e.span)?
                    }
                    ast::ExprKind::Decl(decl) | ast::ExprKind::CompoundLiteral(decl) => {
                        self.static_address(unit, &AddressBase::Decl(*decl), 0, ty, e.span)?
                    }
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn static_address(
        &mut self,
        unit: usize,
        base: &AddressBase,
        offset: i128,
        ty: TypeId,
        span: Span,
    ) -> Option<ExprId> {
        let variable = match base {
            AddressBase::Label(label) => {
                let number = label_number(*label) + offset;
                return Some(self.program.int(number, ty));
            }
            AddressBase::Str(bytes, array) => {
                let array = self.ty(unit, *array);
                self.string(unit, bytes, array, span)
            }
            AddressBase::Decl(decl) => match &self.unit(unit).decls[*decl].kind {
                DeclKind::Function(_) => {
                    let start = self.static_function(unit, *decl, ty, span);
                    return Some(self.offset_address(start, offset, ty));
                }
                DeclKind::Object(_) if self.is_missing_weak(self.links.resolve(unit, *decl)) => {
                    return Some(self.program.int(offset, ty));
                }
                DeclKind::Object(object) if object.storage != ast::Storage::Automatic => {
                    self.global(unit, *decl)
                }
                _ => return None,
            },
        };
        let place = self.program.var_place(variable);
        Some(self.address_at(place, offset, ty))
    }

    fn static_function(&mut self, unit: usize, decl: ast::DeclId, ty: TypeId, span: Span) -> ExprId {
        let entity = self.links.resolve(unit, decl);
        let target = self.decl(entity);
        if let DeclKind::Function(function) = &target.kind
            && function.body.is_none()
        {
            if self.is_missing_weak(entity) {
                return self.program.int(0, ty);
            }
            self.assume_external(entity, span);
        }
        let procedure = self.procedure(entity);
        self.program.function_address(procedure)
    }

    /// The object of a string literal.
    pub(crate) fn string(&mut self, unit: usize, bytes: &[u8], ty: TypeId, span: Span) -> VarId {
        let key = (unit, bytes.to_vec(), ty);
        if let Some(&known) = self.strings.get(&key) {
            return known;
        }
        let mut values = Vec::new();
        if let Type::Array { element, .. } = *self.program.ty(ty) {
            let size = self.program.size_of(element).max(1) as usize;
            for (i, chunk) in bytes.chunks(size).enumerate() {
                let number = chunk.iter().rev().fold(0i128, |n, &byte| n << 8 | i128::from(byte));
                if number != 0 {
                    let value = self.program.int(number, element);
                    values.push(InitialValue { offset: (i * size) as u64, bits: None, value });
                }
            }
        }
        let name = self.unique_name(ir::LITERAL);
        let (kind, initial) = (ir::VarKind::Static, Initial::Values(values));
        let variable = self.program.variables.push(ir::Variable { name, ty, kind, span, align: 0, initial });
        self.program.globals.push(variable);
        self.strings.insert(key, variable);
        variable
    }

    /// An address some bytes behind another one, as a pointer or integer of the type given.
    pub(crate) fn offset_address(&mut self, start: ExprId, offset: i128, ty: TypeId) -> ExprId {
        if offset == 0 {
            return self.program.cast(start, ty);
        }
        let byte = self.program.machine(8, false);
        let pointer = self.program.pointer_to(byte);
        let start = self.program.cast(start, pointer);
        let number = self.program.distance_type();
        let offset = self.program.int(offset, number);
        let moved = self.program.binary(BinaryOp::PointerAdd, start, offset);
        self.program.cast(moved, ty)
    }

    /// The address of what lies some bytes into a place: a part of it where the types tell which.
    pub(crate) fn address_at(&mut self, place: PlaceId, offset: i128, ty: TypeId) -> ExprId {
        let wanted = self.program.pointee(ty);
        if let (Some(wanted), Ok(bytes)) = (wanted, u64::try_from(offset))
            && let Some(part) = self.part_at(place, bytes, wanted, None)
        {
            let address = self.program.address_of(part);
            return self.program.cast(address, ty);
        }
        let address = self.program.address_of(place);
        self.offset_address(address, offset, ty)
    }

    /// The part of a place that lies at an offset and has the type wanted.
    pub(crate) fn part_at(
        &mut self,
        place: PlaceId,
        offset: u64,
        wanted: TypeId,
        bits: Option<BitRange>,
    ) -> Option<PlaceId> {
        let ty = self.program.place(place).ty;
        if ty == wanted && offset == 0 && bits.is_none() {
            return Some(place);
        }
        match *self.program.ty(ty) {
            Type::Array { element, .. } => {
                let size = self.program.size_of(element);
                let number = self.program.distance_type();
                let index = self.program.int(i128::from(offset.checked_div(size)?), number);
                let part = self.program.index(place, index);
                self.part_at(part, offset % size, wanted, bits)
            }
            Type::Record(id) => {
                let fields = self.program.records[id].fields.clone();
                for (i, field) in (0u32..).zip(&fields) {
                    if field.bits.is_some() || bits.is_some() {
                        if field.bits == bits && field.offset == offset && field.ty == wanted {
                            return Some(self.program.field(place, i));
                        }
                        if field.bits.is_some() {
                            continue;
                        }
                    }
                    let size = self.program.size_of(field.ty);
                    if field.offset <= offset
                        && (offset < field.offset + size || (size == 0 && offset == field.offset))
                    {
                        let part = self.program.field(place, i);
                        if let Some(found) = self.part_at(part, offset - field.offset, wanted, bits) {
                            return Some(found);
                        }
                    }
                }
                None
            }
            _ => None,
        }
    }
}

/// The entries that stay when later ones override earlier ones; `None` if that cannot be told: the
/// front end lists values by offset, so `{.p = {1, 2}, .p = {.x = 3}}`, which clears what it does not
/// mention, looks like `{.p = {1, 2}, .p.x = 3}`, which does not.
fn live_entries(entries: &[InitEntry], part: impl Fn(u64) -> Option<u64>) -> Option<Vec<InitEntry>> {
    let mut last = FxHashMap::default();
    for (i, entry) in entries.iter().enumerate() {
        last.insert(key(entry), i);
    }
    // Parts of the object that are aggregates themselves and in which something was overridden.
    let overridden: FxHashSet<u64> = entries
        .iter()
        .enumerate()
        .filter(|(i, e)| last.get(&key(e)) != Some(i))
        .filter_map(|(_, e)| part(e.offset))
        .collect();
    let stays = |i: usize, e: &InitEntry| last.get(&key(e)) == Some(&i);
    let in_doubt = |e: &InitEntry| part(e.offset).is_some_and(|p| overridden.contains(&p));
    for (i, entry) in entries.iter().enumerate().filter(|&(i, e)| stays(i, e) && in_doubt(e)) {
        let later =
            entries[i + 1..].iter().any(|e| part(e.offset) == part(entry.offset) && key(e) <= key(entry));
        if later {
            return None;
        }
    }
    Some(entries.iter().enumerate().filter(|&(i, e)| stays(i, e)).map(|(_, e)| *e).collect())
}

/// Where an entry stores: entries are evaluated in this order, wherever the source has them.
fn key(entry: &InitEntry) -> (u64, Option<(u8, u8)>) {
    (entry.offset, entry.bits)
}

impl Lowering<'_> {
    /// The entries that stay, in the order in which they are evaluated; `None` if that cannot be told.
    pub(crate) fn live_entries(
        &mut self,
        unit: usize,
        ty: TypeId,
        entries: &[InitEntry],
    ) -> Option<Vec<InitEntry>> {
        if entries.windows(2).all(|w| key(&w[0]) < key(&w[1])) && !self.overlap(unit, ty, entries) {
            return Some(entries.to_vec());
        }
        let mut live = live_entries(entries, |offset| self.aggregate_part(ty, offset))?;
        live.sort_by_key(key);
        (!self.overlap(unit, ty, entries)).then_some(live)
    }

    /// Whether an entry overrides a part of another one, or another one and more.
    fn overlap(&mut self, unit: usize, ty: TypeId, entries: &[InitEntry]) -> bool {
        let mut extents: Vec<(u64, u64)> = entries.iter().map(|e| self.extent(unit, ty, e)).collect();
        extents.sort_unstable();
        extents.dedup();
        extents.windows(2).any(|w| w[1].0 < w[0].1)
    }

    /// The bits that an entry stores, from and to.
    fn extent(&mut self, unit: usize, whole: TypeId, entry: &InitEntry) -> (u64, u64) {
        let start = entry.offset * 8;
        if let Some((first, width)) = entry.bits {
            return (start + u64::from(first), start + u64::from(first) + u64::from(width));
        }
        let e = &self.unit(unit).exprs[entry.value];
        let ty = self.ty(unit, e.ty);
        let bytes = match (&e.kind, self.program.ty(ty).clone()) {
            (ast::ExprKind::Str(_), Type::Array { element, .. }) => {
                self.room_for_string(whole, entry.offset, element)
            }
            _ => self.program.size_of(ty),
        };
        (start, start + bytes * 8)
    }

    /// The size of the array of characters at an offset.
    fn room_for_string(&self, ty: TypeId, offset: u64, element: TypeId) -> u64 {
        match *self.program.ty(ty) {
            Type::Array { element: e, .. } if e == element => self.program.size_of(ty) - offset,
            Type::Array { element: e, .. } => {
                let inside = offset.checked_rem(self.program.size_of(e)).unwrap_or(0);
                self.room_for_string(e, inside, element)
            }
            Type::Record(id) => {
                let inside =
                    |f: &&ir::Field| f.offset <= offset && offset < f.offset + self.program.size_of(f.ty);
                let rooms = self.program.records[id].fields.iter().filter(inside);
                rooms.map(|f| self.room_for_string(f.ty, offset - f.offset, element)).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Which part of an object an offset lies in, if that part is an aggregate.
    fn aggregate_part(&self, ty: TypeId, offset: u64) -> Option<u64> {
        match *self.program.ty(ty) {
            Type::Array { element, .. } if !self.program.is_scalar(element) => {
                offset.checked_div(self.program.size_of(element))
            }
            Type::Record(id) => {
                let fields = &self.program.records[id].fields;
                let inside =
                    |f: &&ir::Field| f.offset <= offset && offset < f.offset + self.program.size_of(f.ty);
                let field = fields.iter().find(inside)?;
                (!self.program.is_scalar(field.ty)).then_some(field.offset)
            }
            _ => None,
        }
    }
}

impl Body<'_, '_> {
    /// Initialises a local: what the entries do not mention becomes zero.
    pub(crate) fn initialise(&mut self, variable: VarId, entries: &[InitEntry], span: Span) {
        let whole = self.ir().var_place(variable);
        let ty = self.ir().variables[variable].ty;
        if self.ir().is_scalar(ty) {
            match entries.last() {
                Some(entry) => self.initialise_part(whole, entry, span),
                None => self.clear(whole, span),
            }
            return;
        }
        // `struct s a = b;` stores everything.
        if let [entry] = entries
            && entry.offset == 0
            && entry.bits.is_none()
            && self.ty(self.unit.exprs[entry.value].ty) == ty
            && !matches!(self.unit.exprs[entry.value].kind, ast::ExprKind::Str(_))
        {
            self.initialise_part(whole, entry, span);
            return;
        }
        let Some(entries) = self.cx.live_entries(self.unit_index, ty, entries) else {
            self.unsupported(span, AMBIGUOUS);
            return;
        };
        self.clear(whole, span);
        // `[0 ... 2] = f()` is three entries with one value.
        let mut evaluated = FxHashMap::<ast::ExprId, ExprId>::default();
        for entry in &entries {
            if !self.has_effects(entry.value) {
                self.initialise_part(whole, entry, span);
                continue;
            }
            let value = match evaluated.get(&entry.value) {
                Some(&value) => value,
                None => self.value(entry.value),
            };
            let value = self.keep_shared(value, entry, &entries, span);
            evaluated.insert(entry.value, value);
            self.store_part(whole, entry, value, span);
        }
    }

    /// The value of an entry, in a temporary if others have the same.
    fn keep_shared(&mut self, value: ExprId, entry: &InitEntry, all: &[InitEntry], span: Span) -> ExprId {
        let shared = all.iter().any(|e| e.value == entry.value && key(e) != key(entry));
        if shared { self.keep(value, span) } else { value }
    }

    pub(crate) fn initialise_part(&mut self, whole: PlaceId, entry: &InitEntry, span: Span) {
        let unit = self.unit;
        let e = &unit.exprs[entry.value];
        if let (ast::ExprKind::Str(bytes), ast::Type::Array { element, .. }) = (&e.kind, &unit.types[e.ty]) {
            let element = self.ty(*element);
            self.initialise_string(whole, bytes, element, entry.offset, span);
            return;
        }
        let value = self.value(entry.value);
        self.store_part(whole, entry, value, span);
    }

    /// Initialises a part of a variable that lives as long as the program with an expression that may compute something: where that comes to
    /// a number, as `READ | WRITE` does, it is one of the values that the variable starts with, so that a table is constant.
    pub(crate) fn initialise_statically(&mut self, variable: VarId, entry: &InitEntry, span: Span) {
        let whole = self.ir().var_place(variable);
        let unit = self.unit;
        let ty = unit.exprs[entry.value].ty;
        if !matches!(unit.types[ty], ast::Type::Int { .. } | ast::Type::Bool) {
            return self.initialise_part(whole, entry, span);
        }
        let value = self.value(entry.value);
        let ty = self.ty(ty);
        let number = self.converted(value, ty, span);
        let bits = entry.bits.map(|(first, width)| BitRange { first, width });
        let is_zero = match self.ir().as_int(number) {
            Some(number) => number == 0,
            None => return self.store_part(whole, entry, value, span),
        };
        if let Initial::Values(values) = &mut self.ir().variables[variable].initial
            && !is_zero
        {
            let at = values.partition_point(|known| known.offset <= entry.offset);
            values.insert(at, InitialValue { offset: entry.offset, bits, value: number });
        }
    }

    fn store_part(&mut self, whole: PlaceId, entry: &InitEntry, value: ExprId, span: Span) {
        let bits = entry.bits.map(|(first, width)| BitRange { first, width });
        let target = self.part(whole, entry.offset, value, bits, span);
        let ty = self.ir().place(target).ty;
        let value = self.converted(value, ty, span);
        self.emit(Statement::Assign(target, value), span);
    }

    fn part(
        &mut self,
        whole: PlaceId,
        offset: u64,
        value: ExprId,
        bits: Option<BitRange>,
        span: Span,
    ) -> PlaceId {
        let ty = self.ir().expr(value).ty;
        if let Some(part) = self.cx.part_at(whole, offset, ty, bits) {
            return part;
        }
        if let Some(part) = bits.and_then(|_| self.bit_field_at(whole, offset, bits)) {
            return part;
        }
        if bits.is_some() {
            self.unsupported(span, "an initialiser of a bit-field that the type does not show");
        }
        let pointer = self.ir().pointer_to(ty);
        let address = self.cx.address_at(whole, i128::from(offset), pointer);
        self.ir().deref(address)
    }

    /// A bit-field whose declared type is not that of the value.
    fn bit_field_at(&mut self, whole: PlaceId, offset: u64, bits: Option<BitRange>) -> Option<PlaceId> {
        let candidates: Vec<TypeId> = [8, 16, 32, 64, 128]
            .into_iter()
            .flat_map(|width| [(width, true), (width, false)])
            .map(|(width, signed)| self.ir().machine(width, signed))
            .collect();
        candidates.into_iter().find_map(|ty| self.cx.part_at(whole, offset, ty, bits))
    }

    fn initialise_string(&mut self, whole: PlaceId, bytes: &[u8], element: TypeId, offset: u64, span: Span) {
        let size = self.ir().size_of(element).max(1);
        for (i, chunk) in (0u64..).zip(bytes.chunks(size as usize)) {
            let number = chunk.iter().rev().fold(0i128, |n, &byte| n << 8 | i128::from(byte));
            if number != 0 {
                let value = self.ir().int(number, element);
                let target = self.part(whole, offset + i * size, value, None, span);
                self.emit(Statement::Assign(target, value), span);
            }
        }
    }

    /// Sets everything in a place to zero: each scalar by itself if there are few.
    fn clear(&mut self, place: PlaceId, span: Span) {
        let mut scalars = Vec::new();
        if self.scalars(place, &mut scalars) {
            for scalar in scalars {
                let ty = self.ir().place(scalar).ty;
                let zero = match self.ir().ty(ty) {
                    Type::Float(_) => self.ir().intern_expr(ir::ExprKind::Float(0), ty),
                    _ => self.ir().int(0, ty),
                };
                self.emit(Statement::Assign(scalar, zero), span);
            }
            return;
        }
        let ty = self.ir().place(place).ty;
        let size = self.ir().size_of(ty);
        if size == 0 {
            return;
        }
        let number = self.ir().address_type();
        let length = self.ir().int(i128::from(size), number);
        let byte = self.ir().machine(8, false);
        let zero = self.ir().int(0, byte);
        let target = self.ir().address_of(place);
        self.emit(Statement::Fill { target, byte: zero, length }, span);
    }

    /// Collects the scalars of a place; false if there are too many or they overlap.
    fn scalars(&mut self, place: PlaceId, found: &mut Vec<PlaceId>) -> bool {
        let ty = self.ir().place(place).ty;
        match self.ir().ty(ty).clone() {
            Type::Array { length, .. } if length > MAX_SCALARS as u64 => return false,
            Type::Array { length, .. } => {
                let number = self.ir().distance_type();
                for i in 0..length {
                    let index = self.ir().int(i128::from(i), number);
                    let element = self.ir().index(place, index);
                    if !self.scalars(element, found) {
                        return false;
                    }
                }
            }
            Type::Record(id) => {
                let record = &self.ir().records[id];
                if record.kind == ir::RecordKind::Union {
                    return false;
                }
                for i in 0..record.fields.len() as u32 {
                    let field = self.ir().field(place, i);
                    if !self.scalars(field, found) {
                        return false;
                    }
                }
            }
            _ => found.push(place),
        }
        found.len() <= MAX_SCALARS
    }
}
