//! Places: addresses, loads, stores and bit-fields.

use super::Values;
use crate::interpret::code::{BitField, FrameVar, NO_LAYOUT, Op, Scalar, Slot, VarHome};
use crate::interpret::compile::Reason;
use crate::{BitRange, PlaceBase, PlaceId, Program, Projection, Type, visit};

impl Values<'_> {
    pub(super) fn load(&mut self, place: PlaceId, hint: Option<Slot>) -> Result<Slot, Reason> {
        let scalar = Scalar::of(self.program, self.program.place(place).ty);
        let scalar = scalar.ok_or("an aggregate where a scalar is needed")?;
        if let Some(var) = self.program.whole_variable(place)
            && let Some(FrameVar { slot, home: VarHome::Slot { .. }, .. }) = self.local(var)
        {
            self.require(var);
            return Ok(slot);
        }
        let cell = scalar.cell().ok_or(NO_LAYOUT)?;
        let (base, offset) = self.address(place)?;
        let dst = self.destination(hint);
        let position = self.position();
        self.code.loads.push((position, self.program.place(place).ty));
        let op = match self.bit_field(place, scalar) {
            Some(field) => Op::LoadBits { field, dst, base, offset },
            None => Op::Load { cell, dst, base, offset },
        };
        self.push(op);
        Ok(dst)
    }

    /// Stores a scalar in a place that is not a variable in a slot.
    pub(in crate::interpret) fn store(&mut self, place: PlaceId, src: Slot) -> Result<(), Reason> {
        let scalar = Scalar::of(self.program, self.program.place(place).ty);
        let scalar = scalar.ok_or("an aggregate where a scalar is needed")?;
        let cell = scalar.cell().ok_or(NO_LAYOUT)?;
        self.evaluate_operands(place)?;
        let (base, offset) = self.address(place)?;
        let op = match self.bit_field(place, scalar) {
            Some(field) => Op::StoreBits { field, src, base, offset },
            None => Op::Store { cell, src, base, offset },
        };
        self.push(op);
        Ok(())
    }

    /// The slot with the address of a place.
    pub(in crate::interpret) fn address_value(&mut self, place: PlaceId) -> Result<Slot, Reason> {
        self.evaluate_operands(place)?;
        let (base, offset) = self.address(place)?;
        if offset == 0 {
            return Ok(base);
        }
        let (shape, dst) = (self.pointer_shape(), self.temp());
        self.push(Op::Offset { shape, dst, base, offset });
        Ok(dst)
    }

    fn evaluate_operands(&mut self, place: PlaceId) -> Result<(), Reason> {
        for operand in visit::place_parts(self.program, place) {
            self.evaluate(operand, None)?;
        }
        Ok(())
    }

    /// The bits of a place that is a bit-field.
    pub(in crate::interpret) fn bit_range(&self, place: PlaceId) -> Option<BitRange> {
        bit_range(self.program, place)
    }

    fn bit_field(&mut self, place: PlaceId, scalar: Scalar) -> Option<u32> {
        let bits = self.bit_range(place)?;
        self.code.bits.push(BitField { bits, ty: self.program.place(place).ty, scalar });
        Some(self.code.bits.len() as u32 - 1)
    }

    /// The address of a place in memory: a slot and an offset to add. The place's operands must
    /// have been evaluated.
    pub(super) fn address(&mut self, place: PlaceId) -> Result<(Slot, u32), Reason> {
        let program = self.program;
        let place = program.place(place);
        let (mut base, mut ty) = match place.base {
            PlaceBase::Var(var) => (self.variable_address(var)?, program.variables[var].ty),
            PlaceBase::Deref(pointer) => {
                let target =
                    program.pointee(program.expr(pointer).ty).ok_or("access through what is no pointer")?;
                (self.operand(pointer)?, target)
            }
        };
        let mut offset = 0i128;
        for projection in &place.path {
            match (*projection, program.ty(ty)) {
                (Projection::Field(n), &Type::Record(record)) => {
                    let field =
                        program.records[record].fields.get(n as usize).ok_or("a field that is not there")?;
                    offset = offset.wrapping_add(i128::from(field.offset));
                    ty = field.ty;
                }
                (Projection::Index(index), &Type::Array { element, .. }) => {
                    ty = element;
                    let scale = program.size_of(element);
                    if let Some(constant) = program.as_int(index) {
                        offset = offset.wrapping_add(constant.wrapping_mul(i128::from(scale)));
                    } else {
                        let index = self.operand(index)?;
                        base = self.element(base, index, scale, None);
                    }
                }
                _ => return Err("a part of what has none".into()),
            }
        }
        match u32::try_from(offset) {
            Ok(offset) => Ok((base, offset)),
            Err(_) => {
                let (shape, dst, b) = (self.pointer_shape(), self.temp(), self.number(offset as u64));
                self.push(Op::Add { shape, dst, a: base, b });
                Ok((dst, 0))
            }
        }
    }
}

/// The bits of a place that is a bit-field.
pub(in crate::interpret) fn bit_range(program: &Program, place: PlaceId) -> Option<BitRange> {
    let place = program.place(place);
    let (last, before) = place.path.split_last()?;
    let mut ty = match place.base {
        PlaceBase::Var(var) => program.variables[var].ty,
        PlaceBase::Deref(pointer) => program.pointee(program.expr(pointer).ty)?,
    };
    for projection in before {
        ty = match (*projection, program.ty(ty)) {
            (Projection::Field(n), &Type::Record(record)) => {
                program.records[record].fields.get(n as usize)?.ty
            }
            (Projection::Index(_), &Type::Array { element, .. }) => element,
            _ => return None,
        };
    }
    match (*last, program.ty(ty)) {
        (Projection::Field(n), &Type::Record(record)) => program.records[record].fields.get(n as usize)?.bits,
        _ => None,
    }
}
