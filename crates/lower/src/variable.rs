//! What has a size or a number known only at run time: variable-length arrays and variable
//! arguments.
//!
//! A variable-length array is an object on the stack behind a pointer; the lengths in its type are
//! evaluated once, where the declaration is reached. Variable arguments travel in a record of the
//! caller, one slot of 8 bytes (or a multiple) each, whose address is the callee's last formal;
//! `va_list` objects hold the address of the next slot in their first bytes.

use hardbop_base::Span;
use hardbop_ir::{self as ir, BinaryOp, ExprId, MemoryKind, PlaceId, Statement, TypeId};
use hardbop_syntax::ast::{self, ArrayLength, DeclId};

use crate::body::{Body, Home};

const SLOT: u64 = 8;

impl Body<'_, '_> {
    // --- variable-length arrays ---

    /// Whether the size of the type is computed at run time.
    pub(crate) fn is_variable_type(&self, ty: ast::TypeId) -> bool {
        match self.unit.types[ty] {
            ast::Type::Array { length: ArrayLength::Variable(_), .. } => true,
            ast::Type::Array { element, .. } => self.is_variable_type(element),
            _ => false,
        }
    }

    /// Evaluates the lengths in a type, innermost first as gcc does, unless the declaration that
    /// they stand in (a `typedef`, or what `typeof` names) has done so.
    pub(crate) fn evaluate_lengths(&mut self, ty: ast::TypeId) {
        match self.unit.types[ty] {
            ast::Type::Array { element, length } => {
                self.evaluate_lengths(element);
                if let ArrayLength::Variable(length) = length
                    && !self.lengths.contains_key(&length)
                {
                    let span = self.unit.exprs[length].span;
                    let number = self.ir().address_type();
                    let value = self.value(length);
                    let value = self.ir().cast(value, number);
                    let kept = self.local("$length", number, span);
                    self.set(kept, value, span);
                    self.lengths.insert(length, kept);
                }
            }
            ast::Type::Pointer(target) => self.evaluate_lengths(target),
            _ => {}
        }
    }

    /// What depends on the size of a record that is only known when the program runs cannot go on.
    pub(crate) fn check_size(&mut self, ty: ast::TypeId) {
        match self.unit.types[ty] {
            ast::Type::Array { element, .. } => self.check_size(element),
            ast::Type::Record(record) => {
                let record = &self.unit.records[record];
                if let Some(reason) = &record.unsupported {
                    self.unsupported(record.span, reason.clone());
                }
            }
            _ => {}
        }
    }

    /// Evaluates the lengths in a type that a conversion names, if that must happen just once.
    pub(crate) fn evaluate_own_lengths(&mut self, ty: ast::TypeId) {
        let facts = &self.cx.facts[self.unit_index];
        let lengths = crate::order::lengths(self.unit, ty);
        let own = lengths.iter().all(|&length| !facts.is_declared_length(length));
        if own && lengths.iter().any(|&length| facts.has_effects(length)) {
            self.evaluate_lengths(ty);
        }
    }

    /// The size of a type in bytes.
    pub(crate) fn runtime_size(&mut self, ty: ast::TypeId) -> ExprId {
        self.measured_size(ty, None)
    }

    /// The size of a type in bytes. To `fits` is added that no product that is part of it is too large for an object.
    fn measured_size(&mut self, ty: ast::TypeId, mut fits: Option<&mut ExprId>) -> ExprId {
        let number = self.ir().address_type();
        if !self.is_variable_type(ty) {
            self.check_size(ty);
            let ty = self.ty(ty);
            let size = self.ir().size_of(ty);
            return self.ir().int(i128::from(size), number);
        }
        let ast::Type::Array { element, length } = self.unit.types[ty] else {
            return self.ir().int(0, number);
        };
        let each = self.measured_size(element, fits.as_deref_mut());
        let count = match length {
            ArrayLength::Fixed(n) => self.ir().int(i128::from(n), number),
            ArrayLength::Unknown => self.ir().int(0, number),
            ArrayLength::Variable(length) => match self.lengths.get(&length).copied() {
                Some(kept) => self.ir().var(kept),
                None => {
                    // A type written in an expression, such as `sizeof(int[n])`.
                    let value = self.value(length);
                    self.ir().cast(value, number)
                }
            },
        };
        if let Some(fits) = fits {
            let fit = self.product_fits(count, each);
            *fits = self.ir().binary(BinaryOp::And, *fits, fit);
        }
        self.ir().binary(BinaryOp::Mul, count, each)
    }

    /// Whether a product of two sizes does not overflow the size of the largest object.
    fn product_fits(&mut self, count: ExprId, each: ExprId) -> ExprId {
        let number = self.ir().address_type();
        let bits = self.ir().data_model.pointer_bits();
        let most = i128::from(self.ir().data_model.largest_object());
        let (known, unknown) = match (self.ir().as_int(count), self.ir().as_int(each)) {
            (_, Some(each)) => (each, count),
            (Some(count), None) => (count, each),
            (None, None) => {
                let wide = self.ir().machine(2 * bits, false);
                let (count, each) = (self.ir().cast(count, wide), self.ir().cast(each, wide));
                let product = self.ir().binary(BinaryOp::Mul, count, each);
                let most = self.ir().int(most, wide);
                return self.ir().binary(BinaryOp::Le, product, most);
            }
        };
        if known <= 1 {
            return self.ir().truth(true);
        }
        let most = self.ir().int(most / known, number);
        self.ir().binary(BinaryOp::Le, unknown, most)
    }

    /// Declares a variable-length array: a new object each time.
    pub(crate) fn variable_array(&mut self, decl: DeclId, name: &str) {
        let d = &self.unit.decls[decl];
        // Where a product overflows or a length is negative, all ones: no run goes on behind such an allocation.
        let mut fits = self.ir().truth(true);
        let size = self.measured_size(d.ty, Some(&mut fits));
        let number = self.ir().address_type();
        let too_large = self.ir().int(-1, number);
        let size = self.ir().if_then_else(fits, size, too_large);
        let address = self.allocate(size, MemoryKind::Stack, false, d.span);
        let ty = self.ir().expr(address).ty;
        let home = match self.homes.get(&decl) {
            Some(&Home::Behind(home)) => home,
            _ => self.local(&format!("{name}$address"), ty, d.span),
        };
        self.set(home, address, d.span);
        self.homes.insert(decl, Home::Behind(home));
        if matches!(&d.kind, ast::DeclKind::Object(object) if object.init.is_some()) {
            self.unsupported(d.span, "an initialiser of a variable-length array");
        }
    }

    /// A new object; its address as a `void *`.
    pub(crate) fn allocate(&mut self, size: ExprId, kind: MemoryKind, may_fail: bool, span: Span) -> ExprId {
        let void = self.ir().void();
        let pointer = self.ir().pointer_to(void);
        let result = self.temp(pointer, span);
        self.emit(Statement::Allocate { result, size, kind, may_fail }, span);
        self.ir().var(result)
    }

    // --- variable arguments ---

    /// Puts variable arguments into a record and gives its address.
    pub(crate) fn pack_arguments(&mut self, arguments: &[ExprId], span: Span) -> ExprId {
        let pointer = self.cx.variable_arguments_type();
        if arguments.is_empty() {
            return self.ir().int(0, pointer);
        }
        let types: Vec<TypeId> = arguments.iter().map(|&a| self.ir().expr(a).ty).collect();
        let record = self.argument_record(types);
        let ty = self.ir().intern_type(ir::Type::Record(record));
        let packed = self.local("$arguments", ty, span);
        let whole = self.ir().var_place(packed);
        for (i, &argument) in (0u32..).zip(arguments) {
            let slot = self.ir().field(whole, i);
            self.emit(Statement::Assign(slot, argument), span);
        }
        let address = self.ir().address_of(whole);
        let address = self.ir().cast(address, pointer);
        self.keep_in_temp(address, span)
    }

    fn argument_record(&mut self, types: Vec<TypeId>) -> ir::RecordId {
        if let Some(&known) = self.cx.argument_records.get(&types) {
            return known;
        }
        let mut fields = Vec::new();
        let mut offset = 0;
        for (i, &ty) in types.iter().enumerate() {
            fields.push(ir::Field { name: format!("a{i}"), ty, offset, bits: None });
            offset += self.slot_size(ty);
        }
        let name = self.cx.unique_name("record $arguments")["record ".len()..].to_owned();
        let (kind, span) = (ir::RecordKind::Struct, Span::none());
        let record = self.ir().records.push(ir::Record { name, kind, fields, size: offset, align: 16, span });
        self.cx.argument_records.insert(types, record);
        record
    }

    fn slot_size(&mut self, ty: TypeId) -> u64 {
        self.ir().size_of(ty).max(1).next_multiple_of(SLOT)
    }

    /// The pointer to the next argument inside the list at an address.
    fn list_cursor(&mut self, list: ExprId) -> PlaceId {
        let cursor = self.cx.variable_arguments_type();
        let pointer = self.ir().pointer_to(cursor);
        let list = self.ir().cast(list, pointer);
        self.ir().deref(list)
    }

    /// `va_arg`: reads the next argument and moves on.
    pub(crate) fn next_argument(&mut self, list: ast::ExprId, ty: TypeId, span: Span) -> ExprId {
        let list = self.value(list);
        let list = self.keep(list, span);
        let cursor = self.list_cursor(list);
        let next = self.ir().load(cursor);
        let pointer = self.ir().pointer_to(ty);
        let address = self.ir().cast(next, pointer);
        let slot = self.ir().deref(address);
        let value = self.ir().load(slot);
        let value = self.keep_in_temp(value, span);
        let number = self.ir().distance_type();
        let size = self.slot_size(ty);
        let size = self.ir().int(i128::from(size), number);
        let moved = self.ir().binary(BinaryOp::PointerAdd, next, size);
        self.emit(Statement::Assign(cursor, moved), span);
        value
    }

    /// `va_start`, `va_end`, `va_copy`.
    pub(crate) fn variable_arguments_effect(&mut self, expr: ast::ExprId) {
        let unit = self.unit;
        let span = unit.exprs[expr].span;
        match unit.exprs[expr].kind {
            ast::ExprKind::VaStart(list) => {
                let list = self.value(list);
                let cursor = self.list_cursor(list);
                match self.variable_arguments {
                    Some(formal) => {
                        let first = self.ir().var(formal);
                        self.emit(Statement::Assign(cursor, first), span);
                    }
                    None => self.unsupported(span, "`va_start` in a function without variable arguments"),
                }
            }
            ast::ExprKind::VaCopy(target, source) => {
                let (target, source) = (self.value(target), self.value(source));
                let (to, from) = (self.list_cursor(target), self.list_cursor(source));
                let value = self.ir().load(from);
                self.emit(Statement::Assign(to, value), span);
            }
            ast::ExprKind::VaEnd(list) => self.effect(list),
            _ => {}
        }
    }
}
