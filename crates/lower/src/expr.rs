//! Expressions: values, places and conditions.
//!
//! [`Body::value`] gives an expression that is evaluated later, together with the statement it ends
//! up in; effects inside it have been emitted by then. Whoever evaluates two operands keeps the
//! first in a temporary if the second has effects (see [`crate::order`]).

use hardbop_base::Span;
use hardbop_ir::{self as ir, BinaryOp, ExprId, ExprKind, PlaceId, Type, TypeId};
use hardbop_syntax::ast::{self, AddressBase, DeclId};

use crate::body::{Body, Home, label_number};
use crate::order::{is_comparison, is_plain_operator};

impl Body<'_, '_> {
    /// The value of an expression. Expressions of type `void` have none; asking for it gives 0.
    pub(crate) fn value(&mut self, expr: ast::ExprId) -> ExprId {
        let unit = self.unit;
        let span = unit.exprs[expr].span;
        let value = self.value_of(expr);
        self.shallow(value, span)
    }

    fn value_of(&mut self, expr: ast::ExprId) -> ExprId {
        let unit = self.unit;
        let e = &unit.exprs[expr];
        let ty = self.ty(e.ty);
        if let Some(reason) = self.cx.unsupported_type(self.unit_index, e.ty) {
            return self.unsupported_value(ty, e.span, reason);
        }
        match &e.kind {
            ast::ExprKind::Int(value) => self.integer(*value, ty),
            ast::ExprKind::Float(bits) => self.ir().intern_expr(ExprKind::Float(*bits), ty),
            ast::ExprKind::Address(base, offset) => self.address_constant(base, *offset, ty),
            ast::ExprKind::Load(operand) => {
                let place = self.place(*operand);
                self.read(*operand, place, e.span)
            }
            ast::ExprKind::AddressOf(operand) | ast::ExprKind::Decay(operand) => {
                self.address_value(*operand, ty)
            }
            ast::ExprKind::Cast(operand) => self.cast_value(*operand, e.ty, ty),
            ast::ExprKind::Unary(op, operand) => self.unary_value(*op, *operand, ty),
            ast::ExprKind::Binary(..) => self.binary_value(expr, ty),
            ast::ExprKind::Conditional { .. } | ast::ExprKind::Elvis { .. } => self.choice_value(expr, ty),
            ast::ExprKind::Comma(first, second) => {
                self.effect(*first);
                self.value(*second)
            }
            ast::ExprKind::Assign { target, value } => self.assign_value(*target, *value, e.span),
            ast::ExprKind::AssignOp { op, computation, target, value } => {
                self.assign_op(*op, *computation, (*target, *value), e.span, true)
            }
            ast::ExprKind::Step { op, operand } => self.step(*op, *operand, e.span, true),
            ast::ExprKind::Call { callee, arguments } => {
                let result = self.call(*callee, arguments, e.ty, e.span);
                result.unwrap_or_else(|| self.no_value(ty, e.span))
            }
            ast::ExprKind::Statements(block) => self.statements_value(*block, ty),
            ast::ExprKind::LabelAddress(label) => self.ir().int(label_number(*label), ty),
            ast::ExprKind::VaArg(list) => self.next_argument(*list, ty, e.span),
            ast::ExprKind::VaStart(_) | ast::ExprKind::VaEnd(_) | ast::ExprKind::VaCopy(..) => {
                self.variable_arguments_effect(expr);
                self.ir().int(0, ty)
            }
            ast::ExprKind::VariableSize(of) => {
                let size = self.runtime_size(*of);
                self.ir().cast(size, ty)
            }
            ast::ExprKind::Builtin(builtin, operands) => self.builtin(*builtin, operands, ty, e.span),
            ast::ExprKind::Unsupported(reason) => self.unsupported_value(ty, e.span, reason.clone()),
            // An lvalue or a function where a value is wanted: read it.
            ast::ExprKind::Str(_)
            | ast::ExprKind::Decl(_)
            | ast::ExprKind::Member { .. }
            | ast::ExprKind::Subscript { .. }
            | ast::ExprKind::Deref(_)
            | ast::ExprKind::CompoundLiteral(_) => {
                if matches!(unit.types[e.ty], ast::Type::Function(_)) {
                    let pointer = self.ir().pointer_to(ty);
                    return self.address_value(expr, pointer);
                }
                let place = self.place(expr);
                self.ir().load(place)
            }
        }
    }

    fn integer(&mut self, value: i128, ty: TypeId) -> ExprId {
        match self.ir().ty(ty) {
            Type::Machine { .. } | Type::Pointer(_) => self.ir().int(value, ty),
            _ => {
                let int = self.ir().machine(32, true);
                self.ir().int(value, int)
            }
        }
    }

    /// Evaluates an expression for its effects only.
    pub(crate) fn effect(&mut self, expr: ast::ExprId) {
        let unit = self.unit;
        let e = &unit.exprs[expr];
        match &e.kind {
            ast::ExprKind::Assign { target, value } => self.assign_effect(*target, *value, e.span),
            ast::ExprKind::AssignOp { op, computation, target, value } => {
                self.assign_op(*op, *computation, (*target, *value), e.span, false);
            }
            ast::ExprKind::Step { op, operand } => {
                self.step(*op, *operand, e.span, false);
            }
            ast::ExprKind::Comma(first, second) => {
                self.effect(*first);
                self.effect(*second);
            }
            ast::ExprKind::Cast(operand) | ast::ExprKind::Load(operand) if self.drops_value(expr) => {
                self.effect(*operand);
            }
            ast::ExprKind::Call { callee, arguments } => {
                self.call_effect(*callee, arguments, e.ty, e.span);
            }
            ast::ExprKind::Statements(block) => self.statement(*block),
            ast::ExprKind::Conditional { .. } | ast::ExprKind::Elvis { .. } if self.has_effects(expr) => {
                self.choice_effect(expr);
            }
            ast::ExprKind::Binary(ast::BinaryOp::And | ast::BinaryOp::Or, ..) if self.has_effects(expr) => {
                self.choice_effect(expr);
            }
            _ if self.has_effects(expr) => {
                self.value(expr);
            }
            _ => self.evaluate(expr),
        }
    }

    /// Whether only the operand counts when the value of a conversion or a read is dropped.
    fn drops_value(&self, expr: ast::ExprId) -> bool {
        let e = &self.unit.exprs[expr];
        match e.kind {
            ast::ExprKind::Cast(_) => true,
            ast::ExprKind::Load(operand) => {
                matches!(
                    self.unit.exprs[operand].kind,
                    ast::ExprKind::Decl(_) | ast::ExprKind::CompoundLiteral(_)
                )
            }
            _ => false,
        }
    }

    /// Evaluates a value that nobody wants where that may end the run.
    fn evaluate(&mut self, expr: ast::ExprId) {
        let unit = self.unit;
        let span = unit.exprs[expr].span;
        if matches!(unit.types[unit.exprs[expr].ty], ast::Type::Void | ast::Type::Function(_)) {
            return;
        }
        let value = self.value(expr);
        let ty = self.ir().expr(value).ty;
        if self.ir().is_scalar(ty) && !self.ir().is_total(value) {
            self.keep_in_temp(value, span);
        }
    }

    // --- addresses and places ---

    /// The address of an lvalue or function, as a pointer of the type given.
    fn address_value(&mut self, operand: ast::ExprId, ty: TypeId) -> ExprId {
        let unit = self.unit;
        let o = &unit.exprs[operand];
        if matches!(unit.types[o.ty], ast::Type::Function(_)) {
            let address = match o.kind {
                ast::ExprKind::Decl(decl) => self.function_address(decl),
                ast::ExprKind::Deref(pointer) => self.value(pointer),
                _ => self.value(operand),
            };
            return self.ir().cast(address, ty);
        }
        let place = self.place(operand);
        let place = self.addressable(place, o.span);
        // An array decays to the address of its first element.
        let place_ty = self.ir().place(place).ty;
        if let (Type::Array { element, .. }, Some(target)) =
            (self.ir().ty(place_ty).clone(), self.ir().pointee(ty))
            && element == target
        {
            let zero = self.ir().distance_type();
            let zero = self.ir().int(0, zero);
            let first = self.ir().index(place, zero);
            return self.ir().address_of(first);
        }
        let address = self.ir().address_of(place);
        self.ir().cast(address, ty)
    }

    /// A place whose address may be taken: temporaries are copied to a local.
    pub(crate) fn addressable(&mut self, place: PlaceId, span: Span) -> PlaceId {
        let ir::PlaceBase::Var(variable) = self.ir().place(place).base else { return place };
        let v = &self.cx.program.variables[variable];
        if !matches!(v.kind, ir::VarKind::Temp | ir::VarKind::Formal | ir::VarKind::Result) {
            return place;
        }
        let ty = v.ty;
        let copy = self.local("$copy", ty, span);
        let value = self.ir().var(variable);
        self.set(copy, value, span);
        let mut moved = self.ir().place(place).clone();
        moved.base = ir::PlaceBase::Var(copy);
        self.ir().intern_place(moved)
    }

    /// The address of a declared function.
    pub(crate) fn function_address(&mut self, decl: DeclId) -> ExprId {
        let entity = self.cx.links.resolve(self.unit_index, decl);
        let target = self.cx.decl(entity);
        let undefined = matches!(&target.kind, ast::DeclKind::Function(f) if f.body.is_none());
        if self.cx.is_missing_weak(entity) {
            let ty = self.ty(self.unit.decls[decl].ty);
            let pointer = self.ir().pointer_to(ty);
            return self.ir().int(0, pointer);
        }
        if undefined {
            self.note_external(entity);
        }
        let procedure = self.cx.procedure(entity);
        self.ir().function_address(procedure)
    }

    /// The object that an lvalue names. The parts that have effects have been evaluated.
    pub(crate) fn place(&mut self, expr: ast::ExprId) -> PlaceId {
        let unit = self.unit;
        let e = &unit.exprs[expr];
        match &e.kind {
            ast::ExprKind::Decl(decl) => self.variable_place(*decl, e.ty),
            ast::ExprKind::Str(bytes) => {
                let ty = self.ty(e.ty);
                let literal = self.cx.string(self.unit_index, bytes, ty, e.span);
                self.ir().var_place(literal)
            }
            ast::ExprKind::Member { base, field } => {
                if let Some(reason) = self.cx.unsupported_type(self.unit_index, unit.exprs[*base].ty) {
                    self.unsupported(e.span, reason);
                }
                let record = self.place(*base);
                self.ir().field(record, *field)
            }
            ast::ExprKind::Subscript { pointer, index } => self.subscript_place(*pointer, *index),
            ast::ExprKind::Deref(pointer) => {
                let pointer = self.value(*pointer);
                let pointer = self.retyped(pointer, e.ty);
                self.ir().deref(pointer)
            }
            ast::ExprKind::CompoundLiteral(decl) => self.compound_literal(*decl),
            ast::ExprKind::Comma(first, second) => {
                self.effect(*first);
                self.place(*second)
            }
            ast::ExprKind::Unsupported(reason) => {
                self.unsupported(e.span, reason.clone());
                let ty = self.ty(e.ty);
                let stand_in = self.local("$unsupported", ty, e.span);
                self.ir().var_place(stand_in)
            }
            // A value of record type whose member is wanted.
            _ => {
                let value = self.value(expr);
                self.value_place(value, e.span)
            }
        }
    }

    /// A place that holds a value.
    pub(crate) fn value_place(&mut self, value: ExprId, span: Span) -> PlaceId {
        if let ExprKind::Load(place) = self.ir().expr(value).kind {
            return place;
        }
        let kept = self.keep_in_temp(value, span);
        match self.ir().expr(kept).kind {
            ExprKind::Load(place) => place,
            _ => unreachable!("a temporary is read by a load"),
        }
    }

    /// A pointer as one to the given type, which differs from its own where linking or
    /// variable-length arrays are involved.
    fn retyped(&mut self, pointer: ExprId, target: ast::TypeId) -> ExprId {
        let target = self.ty(target);
        let ty = self.ir().pointer_to(target);
        self.ir().cast(pointer, ty)
    }

    fn variable_place(&mut self, decl: DeclId, ty: ast::TypeId) -> PlaceId {
        match self.homes.get(&decl).copied() {
            Some(Home::Variable(variable)) => return self.ir().var_place(variable),
            Some(Home::Behind(pointer)) => {
                let pointer = self.ir().var(pointer);
                let pointer = self.retyped(pointer, ty);
                return self.ir().deref(pointer);
            }
            None => {}
        }
        let wanted = self.ty(ty);
        if self.is_missing_weak(decl) {
            let pointer = self.ir().pointer_to(wanted);
            let null = self.ir().int(0, pointer);
            return self.ir().deref(null);
        }
        if self.has_unknown_size(decl) {
            let name = self.unit.decls[decl].name.as_deref().unwrap_or("?");
            let reason = format!("`{name}`, an array of unknown size that is defined elsewhere");
            self.unsupported(self.unit.decls[decl].span, reason);
        }
        if self.is_automatic(decl) {
            let span = self.unit.decls[decl].span;
            self.unsupported(span, "a use of a variable outside of its scope");
            let stand_in = self.local("$unsupported", wanted, span);
            return self.ir().var_place(stand_in);
        }
        let global = self.global(decl);
        let place = self.ir().var_place(global);
        let actual = self.ir().variables[global].ty;
        if actual == wanted || self.same_elements(actual, wanted) || self.enlarged(actual, wanted) {
            return place;
        }
        // Another unit sees the object under a type of its own.
        let address = self.ir().address_of(place);
        let pointer = self.ir().pointer_to(wanted);
        let address = self.ir().cast(address, pointer);
        self.ir().deref(address)
    }

    fn is_automatic(&self, decl: DeclId) -> bool {
        let d = &self.unit.decls[decl];
        let automatic = matches!(&d.kind, ast::DeclKind::Object(o) if o.storage == ast::Storage::Automatic);
        automatic && d.linkage == ast::Linkage::None
    }

    /// Whether a declaration is weak and nobody defines it: its address is zero.
    fn is_missing_weak(&self, decl: DeclId) -> bool {
        let entity = self.cx.links.resolve(self.unit_index, decl);
        self.cx.is_missing_weak(entity)
    }

    /// Whether nobody says how large an array is: no access to it could be told right from wrong.
    fn has_unknown_size(&self, decl: DeclId) -> bool {
        let entity = self.cx.links.resolve(self.unit_index, decl);
        let target = self.cx.decl(entity);
        let undefined =
            matches!(&target.kind, ast::DeclKind::Object(o) if o.definition == ast::Definition::Declared);
        let ty = &self.cx.unit(entity.unit).types[target.ty];
        undefined && matches!(ty, ast::Type::Array { length: ast::ArrayLength::Unknown, .. })
    }

    /// The global that a declaration of this unit stands for.
    pub(crate) fn global(&mut self, decl: DeclId) -> ir::VarId {
        let d = &self.unit.decls[decl];
        let entity = self.cx.links.resolve(self.unit_index, decl);
        if d.linkage == ast::Linkage::None {
            let function = self.name.clone();
            self.cx.links.set_owner(entity, &function);
        }
        self.cx.global(self.unit_index, decl)
    }

    fn same_elements(&mut self, a: TypeId, b: TypeId) -> bool {
        match (self.ir().ty(a).clone(), self.ir().ty(b).clone()) {
            (Type::Array { element: x, .. }, Type::Array { element: y, .. }) => x == y,
            _ => false,
        }
    }

    /// Whether a record is another one with room for its flexible array member.
    fn enlarged(&mut self, actual: TypeId, wanted: TypeId) -> bool {
        match (self.ir().ty(actual).clone(), self.ir().ty(wanted).clone()) {
            (Type::Record(a), Type::Record(b)) => {
                let records = &self.cx.program.records;
                let (a, b) = (&records[a], &records[b]);
                a.size > b.size && a.fields.len() == b.fields.len() && a.span == b.span
            }
            _ => false,
        }
    }

    fn subscript_place(&mut self, pointer: ast::ExprId, index: ast::ExprId) -> PlaceId {
        let unit = self.unit;
        let p = &unit.exprs[pointer];
        let ast::Type::Pointer(element) = unit.types[p.ty] else {
            let value = self.value(pointer);
            return self.value_place(value, p.span);
        };
        let array = match p.kind {
            ast::ExprKind::Decay(array) if !self.is_variable_type(element) => Some(array),
            _ => None,
        };
        if let Some(array) = array {
            let mut place = self.place(array);
            if self.has_effects(index) {
                place = self.keep_place(place, p.span);
            }
            let index = self.value(index);
            let whole = self.ir().place(place).ty;
            if matches!(self.ir().ty(whole), Type::Array { .. }) {
                return self.ir().index(place, index);
            }
            let address = self.ir().address_of(place);
            return self.element(address, index, element);
        }
        let mut base = self.value(pointer);
        if self.has_effects(index) {
            base = self.keep(base, p.span);
        }
        let index = self.value(index);
        self.element(base, index, element)
    }

    fn element(&mut self, base: ExprId, index: ExprId, element: ast::TypeId) -> PlaceId {
        let base = self.retyped(base, element);
        let address = self.pointer_add(base, index, element);
        self.ir().deref(address)
    }

    /// A place whose parts no later effect can change.
    pub(crate) fn keep_place(&mut self, place: PlaceId, span: Span) -> PlaceId {
        let mut p = self.ir().place(place).clone();
        if let ir::PlaceBase::Deref(pointer) = p.base {
            p.base = ir::PlaceBase::Deref(self.keep(pointer, span));
        }
        for step in &mut p.path {
            if let ir::Projection::Index(index) = step {
                *index = self.keep(*index, span);
            }
        }
        self.ir().intern_place(p)
    }

    /// Pointer plus integer, scaled by the size of the element, which may be known only at run time.
    pub(crate) fn pointer_add(&mut self, pointer: ExprId, index: ExprId, element: ast::TypeId) -> ExprId {
        if !self.is_variable_type(element) {
            self.check_size(element);
            return self.ir().binary(BinaryOp::PointerAdd, pointer, index);
        }
        let ty = self.ir().expr(pointer).ty;
        let size = self.runtime_size(element);
        let distance = self.ir().distance_type();
        let (size, index) = (self.ir().cast(size, distance), self.ir().cast(index, distance));
        let bytes = self.ir().binary(BinaryOp::Mul, index, size);
        let byte = self.ir().machine(8, false);
        let byte_pointer = self.ir().pointer_to(byte);
        let base = self.ir().cast(pointer, byte_pointer);
        let moved = self.ir().binary(BinaryOp::PointerAdd, base, bytes);
        self.ir().cast(moved, ty)
    }

    fn address_constant(&mut self, base: &AddressBase, offset: i128, ty: TypeId) -> ExprId {
        let start = match base {
            AddressBase::Decl(decl) => match &self.unit.decls[*decl].kind {
                ast::DeclKind::Function(_) => self.function_address(*decl),
                _ => {
                    let place = self.variable_place(*decl, self.unit.decls[*decl].ty);
                    return self.address_at(place, offset, ty);
                }
            },
            AddressBase::Str(bytes, array) => {
                let array = self.ty(*array);
                let literal = self.cx.string(self.unit_index, bytes, array, Span::none());
                let place = self.ir().var_place(literal);
                return self.address_at(place, offset, ty);
            }
            AddressBase::Label(label) => {
                let pointer = self.ir().address_type();
                let number = self.ir().int(label_number(*label) + offset, pointer);
                return self.ir().cast(number, ty);
            }
        };
        self.cx.offset_address(start, offset, ty)
    }

    fn address_at(&mut self, place: PlaceId, offset: i128, ty: TypeId) -> ExprId {
        self.cx.address_at(place, offset, ty)
    }

    // --- conversions and operators ---

    fn cast_value(&mut self, operand: ast::ExprId, to: ast::TypeId, ty: TypeId) -> ExprId {
        match self.unit.types[to] {
            ast::Type::Void => {
                self.effect(operand);
                self.ir().int(0, ty)
            }
            ast::Type::Bool => {
                let truth = self.truth(operand);
                self.ir().cast(truth, ty)
            }
            _ => {
                let value = self.value(operand);
                self.evaluate_own_lengths(to);
                self.converted(value, ty, self.unit.exprs[operand].span)
            }
        }
    }

    /// A value as one of another type: conversion of scalars, and records seen under another name.
    pub(crate) fn converted(&mut self, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        let from = self.ir().expr(value).ty;
        if from == ty {
            return value;
        }
        let is_float = |ty| matches!(self.cx.program.ty(ty), Type::Float(_));
        let is_pointer = |ty| self.cx.program.is_pointer(ty);
        if is_float(from) && is_pointer(ty) || is_pointer(from) && is_float(ty) {
            return self.unsupported_value(ty, span, "a conversion between a pointer and a float");
        }
        if self.ir().is_scalar(from) && self.ir().is_scalar(ty) {
            return self.cx.scalar_cast(value, ty);
        }
        if self.ir().is_scalar(from) || self.ir().is_scalar(ty) {
            return self.unsupported_value(ty, span, "a conversion between a scalar and an aggregate");
        }
        if self.ir().size_of(from) < self.ir().size_of(ty) {
            return self.unsupported_value(ty, span, "a conversion to a larger aggregate");
        }
        let place = self.value_place(value, span);
        let place = self.addressable(place, span);
        let address = self.ir().address_of(place);
        let pointer = self.ir().pointer_to(ty);
        let address = self.ir().cast(address, pointer);
        let place = self.ir().deref(address);
        self.ir().load(place)
    }

    fn unary_value(&mut self, op: ast::UnaryOp, operand: ast::ExprId, ty: TypeId) -> ExprId {
        match op {
            ast::UnaryOp::Not => {
                let truth = self.truth(operand);
                let negated = self.ir().not(truth);
                self.ir().cast(negated, ty)
            }
            ast::UnaryOp::Minus => {
                let value = self.value(operand);
                let value = self.ir().cast(value, ty);
                self.ir().unary(ir::UnaryOp::Neg, value)
            }
            ast::UnaryOp::BitNot => {
                let value = self.value(operand);
                let value = self.ir().cast(value, ty);
                self.ir().unary(ir::UnaryOp::BitNot, value)
            }
        }
    }

    /// A chain of left-associative operators is walked in a loop: it may be very long.
    fn binary_value(&mut self, expr: ast::ExprId, ty: TypeId) -> ExprId {
        let unit = self.unit;
        let mut chain = Vec::new();
        let mut left = expr;
        while let ast::ExprKind::Binary(op, a, b) = unit.exprs[left].kind {
            if !chain.is_empty() && !is_plain_operator(op) {
                break;
            }
            chain.push((op, a, b, unit.exprs[left].ty, unit.exprs[left].span));
            if !is_plain_operator(op) || self.is_pointer(b) {
                break;
            }
            left = a;
        }
        let Some(&(op, a, b, ..)) = chain.last() else { return self.ir().int(0, ty) };
        if !is_plain_operator(op) {
            let truth = self.truth(expr);
            return self.ir().cast(truth, ty);
        }
        let (mut x, mut y) = self.operands(op, a, b);
        while let Some((op, a, b, result, span)) = chain.pop() {
            let value = self.arithmetic(op, (x, unit.exprs[a].ty), (y, unit.exprs[b].ty), result);
            x = self.shallow(value, span);
            if let Some(&(op, left, next, ..)) = chain.last() {
                if self.has_effects(next) && !self.is_read_late(op, left, next) {
                    x = self.keep(x, span);
                }
                y = self.value(next);
            }
        }
        x
    }

    /// Applies an operator to two values with the types they have in the source.
    pub(crate) fn arithmetic(
        &mut self,
        op: ast::BinaryOp,
        a: (ExprId, ast::TypeId),
        b: (ExprId, ast::TypeId),
        result: ast::TypeId,
    ) -> ExprId {
        let ty = self.ty(result);
        let unit = self.unit;
        match (op, &unit.types[a.1], &unit.types[b.1]) {
            (ast::BinaryOp::Add, ast::Type::Pointer(element), ast::Type::Int { .. } | ast::Type::Bool) => {
                self.pointer_add(a.0, b.0, *element)
            }
            (ast::BinaryOp::Add, ast::Type::Int { .. } | ast::Type::Bool, ast::Type::Pointer(element)) => {
                self.pointer_add(b.0, a.0, *element)
            }
            (ast::BinaryOp::Sub, ast::Type::Pointer(element), ast::Type::Int { .. } | ast::Type::Bool) => {
                let distance = self.ir().distance_type();
                let index = self.ir().cast(b.0, distance);
                let index = self.ir().unary(ir::UnaryOp::Neg, index);
                self.pointer_add(a.0, index, *element)
            }
            (ast::BinaryOp::Sub, ast::Type::Pointer(element), ast::Type::Pointer(_)) => {
                self.pointer_difference(a.0, b.0, *element, ty)
            }
            _ if is_comparison(op) => {
                let truth = self.compare(op, a.0, b.0);
                self.ir().cast(truth, ty)
            }
            _ => {
                let Some(op) = plain_operator(op) else { return self.ir().int(0, ty) };
                let x = self.ir().cast(a.0, ty);
                let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let y = if shift { b.0 } else { self.ir().cast(b.0, ty) };
                self.ir().binary(op, x, y)
            }
        }
    }

    fn pointer_difference(&mut self, a: ExprId, b: ExprId, element: ast::TypeId, ty: TypeId) -> ExprId {
        let distance = self.ir().distance_type();
        let difference = if self.is_variable_type(element) {
            let byte = self.ir().machine(8, false);
            let pointer = self.ir().pointer_to(byte);
            let (x, y) = (self.ir().cast(a, pointer), self.ir().cast(b, pointer));
            let bytes = self.ir().binary(BinaryOp::PointerDiff, x, y);
            let size = self.runtime_size(element);
            let size = self.ir().cast(size, distance);
            self.ir().binary(BinaryOp::Div, bytes, size)
        } else {
            self.check_size(element);
            let left = self.ir().expr(a).ty;
            let y = self.ir().cast(b, left);
            self.ir().binary(BinaryOp::PointerDiff, a, y)
        };
        self.ir().cast(difference, ty)
    }

    /// Compares two values; those of different pointer types as addresses.
    pub(crate) fn compare(&mut self, op: ast::BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let left = self.ir().expr(a).ty;
        let b = self.ir().cast(b, left);
        match op {
            ast::BinaryOp::Eq => self.ir().binary(BinaryOp::Eq, a, b),
            ast::BinaryOp::Ne => self.ir().binary(BinaryOp::Ne, a, b),
            ast::BinaryOp::Lt => self.ir().binary(BinaryOp::Lt, a, b),
            ast::BinaryOp::Le => self.ir().binary(BinaryOp::Le, a, b),
            ast::BinaryOp::Gt => self.ir().binary(BinaryOp::Lt, b, a),
            _ => self.ir().binary(BinaryOp::Le, b, a),
        }
    }
}

fn plain_operator(op: ast::BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        ast::BinaryOp::Rem => BinaryOp::Rem,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::Shl => BinaryOp::Shl,
        ast::BinaryOp::Shr => BinaryOp::Shr,
        ast::BinaryOp::BitAnd => BinaryOp::And,
        ast::BinaryOp::BitXor => BinaryOp::Xor,
        ast::BinaryOp::BitOr => BinaryOp::Or,
        _ => return None,
    })
}
