//! Registers of devices, and `volatile`.
//!
//! Firmware talks to devices at addresses that are written down as numbers. Such memory is no object of the program: a
//! volatile read of it is an input of the run, a write is evaluated and goes nowhere. What lies there is told by
//! - constants that a volatile lvalue goes through: `*(volatile unsigned *)0x40001000`, `UART->sr`;
//! - constants that become pointers elsewhere, each as long as the type that it points to;
//! - ranges that the user declares.
//!
//! An access through a pointer that is no constant asks where the pointer leads; the program says in which ranges no object
//! lies ([`ir::Program::devices`]). Which lvalues are meant is found here once per unit ([`Devices::lvalues`]), so
//! that the order of evaluation knows of the same reads as the lowering of them.

use hardbop_base::Span;
use hardbop_ir::{self as ir, Arbitrary, BinaryOp, Device, ExprId, ExprKind, PlaceBase, PlaceId, Statement};
use hardbop_syntax::ast::{self, ArrayLength, FloatKind, Type, Unit};
use rustc_hash::FxHashSet;

use crate::body::Body;
use crate::{LowerOptions, Lowering};

/// Constants below are null and what lies near it, those as close to the end of memory are error codes.
const PAGE: i128 = 4096;

/// Where devices are.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    /// What the user declares.
    declared: Vec<Device>,
    /// All ranges, those of constants included; disjoint and in order.
    pub(crate) ranges: Vec<Device>,
    /// Whether some of them are those of constants.
    has_constants: bool,
    /// Whether each volatile read gives anything.
    arbitrary: bool,
}

/// How an lvalue is accessed.
enum Access {
    /// It is an object of the program.
    Plain,
    /// It is a device, of this name.
    Device(String),
    /// It is a device if the pointer leads to one.
    Either(ExprId),
}

impl Devices {
    /// Looks for constants that are used as addresses.
    pub(crate) fn of(units: &[Unit], options: &LowerOptions) -> Self {
        let mut ranges = options.devices.clone();
        for unit in units {
            if unit.volatile.iter().any(|&lvalue| pointer_under(unit, lvalue).is_some()) {
                ranges.extend(unit.exprs.ids().filter_map(|expr| constant_range(unit, expr)));
            }
        }
        let (declared, arbitrary) = (options.devices.clone(), options.volatile_is_arbitrary);
        let has_constants = ranges.len() > declared.len();
        Devices { declared, ranges: joined(ranges), has_constants, arbitrary }
    }

    /// The lvalues of a unit whose reads are steps of their own: they may be inputs.
    pub(crate) fn lvalues(&self, unit: &Unit) -> FxHashSet<ast::ExprId> {
        if self.ranges.is_empty() && !self.arbitrary {
            return FxHashSet::default();
        }
        let is_meant = |&lvalue: &ast::ExprId| {
            let pointer = pointer_under(unit, lvalue);
            match unit.volatile.contains(&lvalue) {
                true => self.arbitrary || pointer.is_some() && !self.ranges.is_empty(),
                false => pointer
                    .and_then(|pointer| constant(unit, pointer))
                    .is_some_and(|address| self.is_declared(address)),
            }
        };
        let lvalues = unit.exprs.iter().filter(|(_, expr)| is_lvalue(&expr.kind)).map(|(id, _)| id);
        lvalues.filter(is_meant).collect()
    }

    fn is_declared(&self, address: i128) -> bool {
        u64::try_from(address)
            .is_ok_and(|at| self.declared.iter().any(|device| device.meets(at, at.saturating_add(1))))
    }
}

/// Ranges that overlap or touch become one.
fn joined(mut ranges: Vec<Device>) -> Vec<Device> {
    ranges.sort_unstable();
    let mut joined: Vec<Device> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.first <= last.last.saturating_add(1) => last.last = last.last.max(range.last),
            _ => joined.push(range),
        }
    }
    joined
}

fn is_lvalue(kind: &ast::ExprKind) -> bool {
    matches!(
        kind,
        ast::ExprKind::Decl(_)
            | ast::ExprKind::Member { .. }
            | ast::ExprKind::Subscript { .. }
            | ast::ExprKind::Deref(_)
    )
}

/// The pointer that an lvalue goes through first.
fn pointer_under(unit: &Unit, mut lvalue: ast::ExprId) -> Option<ast::ExprId> {
    loop {
        lvalue = match unit.exprs[lvalue].kind {
            ast::ExprKind::Member { base, .. } => base,
            ast::ExprKind::Subscript { pointer, .. } => match unit.exprs[pointer].kind {
                ast::ExprKind::Decay(array) => array,
                _ => return Some(pointer),
            },
            ast::ExprKind::Deref(pointer) => return Some(pointer),
            _ => return None,
        };
    }
}

/// The addresses of what a constant points to.
fn constant_range(unit: &Unit, expr: ast::ExprId) -> Option<Device> {
    let Type::Pointer(target) = unit.types[unit.exprs[expr].ty] else { return None };
    let size = size_of(unit, target).filter(|&size| size > 0)?;
    let first = constant(unit, expr)?;
    let end = 1 << unit.data_model.pointer_bits();
    let last = first + i128::from(size) - 1;
    let device = Device { first: u64::try_from(first).ok()?, last: u64::try_from(last).ok()? };
    (PAGE..end - PAGE).contains(&first).then_some(device)
}

/// The value of a constant expression that is an integer or a pointer made of one.
fn constant(unit: &Unit, expr: ast::ExprId) -> Option<i128> {
    let e = &unit.exprs[expr];
    let value = match e.kind {
        ast::ExprKind::Int(value) => value,
        ast::ExprKind::Cast(inner) if !matches!(unit.types[unit.exprs[inner].ty], Type::Float(_)) => {
            constant(unit, inner)?
        }
        ast::ExprKind::Binary(op, a, b) => {
            let (x, y) = (constant(unit, a)?, constant(unit, b)?);
            let scaled = |by: ast::ExprId, n: i128| match unit.types[unit.exprs[by].ty] {
                Type::Pointer(target) => n.checked_mul(size_of(unit, target)?.into()),
                _ => Some(n),
            };
            match op {
                ast::BinaryOp::Add => scaled(b, x)?.checked_add(scaled(a, y)?)?,
                ast::BinaryOp::Sub if !matches!(unit.types[unit.exprs[b].ty], Type::Pointer(_)) => {
                    x.checked_sub(scaled(a, y)?)?
                }
                ast::BinaryOp::Mul => x.checked_mul(y)?,
                ast::BinaryOp::BitOr => x | y,
                ast::BinaryOp::BitAnd => x & y,
                ast::BinaryOp::Shl if (0..64).contains(&y) => x.checked_mul(1 << y)?,
                _ => return None,
            }
        }
        _ => return None,
    };
    match unit.types[e.ty] {
        Type::Int { width, signed } => Some(ir::wrap(width, signed, value)),
        Type::Pointer(_) => Some(ir::wrap(unit.data_model.pointer_bits(), false, value)),
        _ => None,
    }
}

/// The bytes of a type, if that is known and it is the type of an object.
fn size_of(unit: &Unit, ty: ast::TypeId) -> Option<u64> {
    let pointer = u64::from(unit.data_model.pointer_bits() / 8);
    Some(match unit.types[ty] {
        Type::Bool => 1,
        Type::Int { width, .. } => u64::from(width / 8),
        Type::Float(FloatKind::Single) => 4,
        Type::Float(FloatKind::Double) => 8,
        Type::Float(FloatKind::Extended) => 8 + pointer,
        Type::Pointer(_) => pointer,
        Type::Array { element, length: ArrayLength::Fixed(count) } => {
            size_of(unit, element)?.checked_mul(count)?
        }
        Type::Record(record) => unit.records[record].layout?.0,
        _ => return None,
    })
}

impl Lowering<'_> {
    /// Says in the program where devices are.
    pub(crate) fn add_devices(&mut self) {
        self.program.devices = self.devices.ranges.clone();
        for device in self.devices.declared.clone() {
            let Device { first, last } = device;
            let text = format!(
                "devices lie at {first:#x}-{last:#x}: {READS}, and no object of the program lies there"
            );
            self.assume(Span::none(), text);
        }
    }
}

const READS: &str = "each volatile read gives anything, a write changes nothing else";

impl Body<'_, '_> {
    /// The value of an lvalue whose place was found.
    pub(crate) fn read(&mut self, lvalue: ast::ExprId, place: PlaceId, span: Span) -> ExprId {
        match self.access(lvalue, place, span) {
            Access::Plain => self.read_object(lvalue, place, span),
            Access::Device(name) => self.input(lvalue, place, name, span),
            Access::Either(pointer) => {
                let ty = self.ir().place(place).ty;
                let value = self.temp(ty, span);
                let join = self.split_by_device(pointer, span, |body| {
                    let input = body.input(lvalue, place, "device memory".to_owned(), span);
                    body.set(value, input, span);
                });
                let plain = self.read_object(lvalue, place, span);
                self.set(value, plain, span);
                self.jump(join, span);
                self.continue_at(join);
                self.ir().var(value)
            }
        }
    }

    /// Stores a value in an lvalue whose place was found.
    pub(crate) fn write(&mut self, lvalue: ast::ExprId, place: PlaceId, value: ExprId, span: Span) {
        match self.access(lvalue, place, span) {
            Access::Plain => self.emit(Statement::Assign(place, value), span),
            Access::Device(_) => {
                // The value is evaluated; the device has it.
                self.keep_in_temp(value, span);
            }
            Access::Either(pointer) => {
                let value = self.keep(value, span);
                let join = self.split_by_device(pointer, span, |_| {});
                self.emit(Statement::Assign(place, value), span);
                self.jump(join, span);
                self.continue_at(join);
            }
        }
    }

    /// Whether reads and writes of an lvalue need care: it may be a device.
    fn is_special(&self, lvalue: ast::ExprId) -> bool {
        self.cx.facts[self.unit_index].is_input(lvalue)
    }

    fn access(&mut self, lvalue: ast::ExprId, place: PlaceId, span: Span) -> Access {
        let PlaceBase::Deref(pointer) = self.ir().place(place).base else { return Access::Plain };
        if !self.is_special(lvalue) || self.cx.devices.ranges.is_empty() {
            return Access::Plain;
        }
        let Some((base, is_exact)) = self.constant_pointer(pointer) else {
            if self.cx.devices.has_constants {
                self.assume_constants(span);
            }
            return Access::Either(pointer);
        };
        if !self.cx.devices.is_declared(base) {
            if base == 0 {
                return Access::Plain;
            }
            self.assume_constants(span);
        }
        let offset = if is_exact { self.constant_offset(place) } else { None };
        Access::Device(match offset {
            Some(offset) => format!("device register {:#x}", base + offset),
            None => format!("device memory from {base:#x}"),
        })
    }

    fn assume_constants(&mut self, span: Span) {
        let what = "a constant that is used as an address, and what is indexed from it, belongs to a device";
        self.cx.assume(span, format!("{what}: {READS}, and no object of the program lies there"));
    }

    /// The constant that a pointer is, or that something is added to; and whether it is that constant.
    fn constant_pointer(&mut self, pointer: ExprId) -> Option<(i128, bool)> {
        let bits = self.ir().data_model.pointer_bits();
        if let Some(value) = self.ir().as_int(pointer) {
            return Some((ir::wrap(bits, false, value), true));
        }
        match self.ir().expr(pointer).kind {
            ExprKind::Binary(BinaryOp::PointerAdd, base, _) => {
                let (base, _) = self.constant_pointer(base)?;
                (base >= PAGE).then_some((base, false))
            }
            ExprKind::Cast(inner) => {
                let ty = self.ir().expr(inner).ty;
                if self.ir().is_pointer(ty) { self.constant_pointer(inner) } else { None }
            }
            _ => None,
        }
    }

    /// How far a place lies behind the pointer that it goes through.
    fn constant_offset(&mut self, place: PlaceId) -> Option<i128> {
        let place = self.ir().place(place).clone();
        let PlaceBase::Deref(pointer) = place.base else { return None };
        let pointer = self.ir().expr(pointer).ty;
        let (mut ty, mut offset) = (self.ir().pointee(pointer)?, 0);
        for step in &place.path {
            (ty, offset) = match (*step, self.ir().ty(ty).clone()) {
                (ir::Projection::Field(field), ir::Type::Record(record)) => {
                    let field = self.ir().records[record].fields.get(field as usize)?;
                    (field.ty, offset + i128::from(field.offset))
                }
                (ir::Projection::Index(index), ir::Type::Array { element, .. }) => {
                    let (index, size) = (self.ir().as_int(index)?, self.ir().size_of(element));
                    (element, offset + index.checked_mul(size.into())?)
                }
                _ => return None,
            };
        }
        Some(offset)
    }

    /// Does something if a pointer leads to a device, and then goes on at the location that is given back; what comes
    /// next happens if it does not.
    fn split_by_device(
        &mut self,
        pointer: ExprId,
        span: Span,
        device: impl FnOnce(&mut Self),
    ) -> ir::LocationId {
        let condition = self.leads_to_device(pointer);
        let (yes, no, join) = (self.location(), self.location(), self.location());
        self.split(condition, yes, no, span);
        self.continue_at(yes);
        device(self);
        self.jump(join, span);
        self.continue_at(no);
        join
    }

    /// Whether a pointer leads to a device. Pointers are compared as such, not as numbers, which would tell where
    /// objects lie.
    fn leads_to_device(&mut self, pointer: ExprId) -> ExprId {
        let ty = self.ir().expr(pointer).ty;
        let mut any = self.ir().truth(false);
        for Device { first, last } in self.cx.devices.ranges.clone() {
            let (first, last) = (self.ir().int(first.into(), ty), self.ir().int(last.into(), ty));
            let above = self.ir().binary(BinaryOp::Le, first, pointer);
            let below = self.ir().binary(BinaryOp::Le, pointer, last);
            let inside = self.ir().binary(BinaryOp::And, above, below);
            any = self.ir().binary(BinaryOp::Or, any, inside);
        }
        any
    }

    /// An arbitrary value of an lvalue's type.
    fn input(&mut self, lvalue: ast::ExprId, place: PlaceId, name: String, span: Span) -> ExprId {
        let ty = self.ir().place(place).ty;
        let value = self.arbitrary(ty, Arbitrary::Nondet(name), span);
        if matches!(self.unit.types[self.unit.exprs[lvalue].ty], Type::Bool) {
            let truth = self.ir().nonzero(value);
            return self.ir().cast(truth, ty);
        }
        self.stored_value(place, value)
    }

    /// What an object of the program holds: anything, if it is volatile and that means so.
    fn read_object(&mut self, lvalue: ast::ExprId, place: PlaceId, span: Span) -> ExprId {
        let value = self.ir().load(place);
        if !self.cx.devices.arbitrary || !self.unit.volatile.contains(&lvalue) || !self.is_special(lvalue) {
            return value;
        }
        if !self.ir().is_total(value) {
            self.keep_in_temp(value, span);
        }
        self.cx.assume(
            span,
            "volatile objects are changed by others at any time: each volatile read of one gives anything",
        );
        let name = self.name_of(lvalue);
        self.input(lvalue, place, format!("volatile {name}"), span)
    }

    /// What an lvalue is called, as far as it has a name.
    fn name_of(&self, lvalue: ast::ExprId) -> String {
        let unit = self.unit;
        match unit.exprs[lvalue].kind {
            ast::ExprKind::Decl(decl) => unit.decls[decl].name.clone().unwrap_or_else(|| "object".into()),
            ast::ExprKind::Member { base, field } => {
                let field = match unit.types[unit.exprs[base].ty] {
                    Type::Record(record) => unit.records[record].fields.get(field as usize),
                    _ => None,
                };
                match field.and_then(|field| field.name.as_deref()) {
                    Some(name) => format!("member {name}"),
                    None => self.name_of(base),
                }
            }
            ast::ExprKind::Subscript { .. } => "element".to_owned(),
            _ => "object".to_owned(),
        }
    }
}
