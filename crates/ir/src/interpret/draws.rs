//! Drawing arbitrary values: who is asked, and what is recorded.

use super::code::{FrameVar, Scalar, VarHome};
use super::effects::HEAP_ALIGN;
use super::inputs::{Draw, DrawSource, Request, Source, Storage};
use super::machine::{Machine, Trap};
use super::memory::{Origin, UNINITIALISED};
use super::outcome::Outcome;
use super::outside::{OutsideMemory, addresses, pointee};
use crate::{Arbitrary, EdgeId, Statement, TypeId};

/// What a value is needed for.
#[derive(Clone, Copy)]
pub(super) enum Want {
    /// A value of the program; the kind is a position in the table of kinds.
    Value { kind: u32, ty: Option<TypeId>, width: u16, storage: Option<Storage> },
    /// Whether an allocation fails, which it does if that is forced.
    Failure { forced: bool },
    /// Where an object of this size goes.
    Address { size: u64 },
    /// One of so many edges.
    Choice(u32),
}

/// Drawing values.
impl Machine<'_> {
    /// Asks the inputs for a value and records the answer.
    pub(super) fn draw(&mut self, want: Want) -> Result<u128, Trap> {
        if self.draws.len() >= self.limits.draws {
            return Err(Box::new(Outcome::DrawLimit));
        }
        let site = self.site();
        let pointer_bits = self.interpreter.program.data_model.pointer_bits();
        let (source, drawn, ty, width) = match want {
            Want::Value { kind, ty, width, .. } => {
                (Source::Value(&self.kinds[kind as usize]), DrawSource::Value(kind), ty, width)
            }
            Want::Failure { .. } => (Source::AllocationFails, DrawSource::AllocationFails, None, 1),
            Want::Address { size } => {
                (Source::Address { size, align: HEAP_ALIGN }, DrawSource::Address, None, pointer_bits)
            }
            Want::Choice(number) => (Source::Choice(number), DrawSource::Choice, None, 32),
        };
        let storage = match want {
            Want::Value { storage, .. } => storage,
            _ => None,
        };
        let program = self.interpreter.program;
        let request = Request { program, index: self.draws.len() as u64, source, ty, width, storage, site };
        let mut value = self.inputs.next(&request) & (u128::MAX >> (128 - u32::from(width.clamp(1, 128))));
        if let Want::Failure { forced: true } = want {
            value = 1;
        }
        let (procedure, edge) = (site.procedure, site.edge);
        self.draws.push(Draw { value, source: drawn, ty, width, storage, procedure, edge });
        if let Want::Value { kind, ty, width, .. } = want {
            self.lead_outside(value, kind, ty, width)?;
        }
        Ok(value)
    }

    /// Makes the memory outside of the program that a drawn value leads to.
    fn lead_outside(&mut self, value: u128, kind: u32, ty: Option<TypeId>, width: u16) -> Result<(), Trap> {
        let program = self.interpreter.program;
        let outside = OutsideMemory::of(program.data_model);
        for address in addresses(program, value, &self.kinds[kind as usize], ty, width) {
            let Some(number) = outside.number(address) else {
                if outside.contains(address) {
                    return Err(self.unsupported("a pointer into memory outside of the program"));
                }
                continue;
            };
            if let Some(leads_to) = ty.and_then(|ty| pointee(program, ty))
                && *self.outside_types.entry(number).or_insert(leads_to) != leads_to
            {
                return Err(self.unsupported("memory outside of the program that has two types"));
            }
            let made = self.memory.reach_outside(address);
            made.map_err(|_| self.unsupported("more memory outside of the program than there is room for"))?;
        }
        Ok(())
    }

    /// A value of a scalar type.
    pub(super) fn draw_scalar(&mut self, kind: u32, ty: TypeId, scalar: Scalar) -> Result<i128, Trap> {
        let bits = self.draw(Want::Value { kind, ty: Some(ty), width: scalar.width(), storage: None })?;
        Ok(scalar.canonical(bits))
    }

    /// The result of a procedure that nobody knows.
    pub(super) fn draw_result(&mut self, name: String, ty: TypeId, scalar: Scalar) -> Result<i128, Trap> {
        let kind = self.kind(&Arbitrary::External(name));
        self.draw_scalar(kind, ty, scalar)
    }

    /// One of several enabled edges.
    pub(super) fn draw_choice(&mut self, number: u32) -> Result<u128, Trap> {
        self.draw(Want::Choice(number))
    }

    /// The value of a variable in a slot that has none.
    pub(super) fn draw_variable(&mut self, variable: FrameVar) -> Result<(), Trap> {
        if let VarHome::Slot { scalar, .. } = variable.home {
            let storage = Some(Storage {
                variable: Some(variable.var),
                base: 0,
                allocated: None,
                serial: self.activation,
                offset: 0,
            });
            let (ty, width) = (Some(variable.ty), scalar.width());
            let bits = self.draw(Want::Value { kind: 0, ty, width, storage })?;
            self.set_scalar(variable.slot, scalar, scalar.canonical(bits));
        }
        Ok(())
    }

    /// The number of a kind of arbitrary value.
    pub(super) fn kind(&mut self, kind: &Arbitrary) -> u32 {
        if let Some(&number) = self.kind_numbers.get(kind) {
            return number;
        }
        let number = self.kinds.len() as u32;
        self.kinds.push(kind.clone());
        self.kind_numbers.insert(kind.clone(), number);
        number
    }

    /// The mark that stands for a kind in a shadow. Beyond 254 kinds, memory no longer remembers
    /// which one it was.
    pub(super) fn mark(kind: u32) -> u8 {
        match kind {
            0 => UNINITIALISED,
            _ => u8::try_from(kind + 1).unwrap_or(UNINITIALISED),
        }
    }

    fn kind_of_mark(mark: u8) -> u32 {
        u32::from(mark).saturating_sub(1)
    }

    /// What a `havoc` on an edge says about its value.
    pub(super) fn havoc_kind(&mut self, edge: EdgeId) -> u32 {
        match &self.interpreter.program.procedures[self.procedure].edges[edge].statement {
            Statement::Havoc(_, kind) => self.kind(kind),
            _ => 0,
        }
    }

    /// Gives values to the bytes of a range that have none: one draw of the type, if there is one,
    /// or one per 16 bytes.
    pub(super) fn settle(
        &mut self,
        address: u64,
        length: usize,
        ty: Option<TypeId>,
        width: u16,
    ) -> Result<(), Trap> {
        let Ok((object, offset)) = self.memory.range(address, length as u64) else { return Ok(()) };
        let Some(mark) = object.missing(offset, length) else { return Ok(()) };
        let (variable, allocated) = match object.origin {
            Origin::Global(variable) | Origin::Local(variable) => (Some(variable), None),
            Origin::Heap(procedure, edge) | Origin::Stack(procedure, edge) => (None, Some((procedure, edge))),
            Origin::Outside(_) => (None, None),
        };
        let (base, serial) = (object.base, object.serial);
        let storage = Some(Storage { variable, base, allocated, serial, offset: offset as u64 });
        let value = self.draw(Want::Value { kind: Self::kind_of_mark(mark), ty, width, storage })?;
        if let Ok((object, offset)) = self.memory.range_mut(address, length as u64) {
            object.supply(offset, length, value);
        }
        Ok(())
    }
}
