//! Where memory outside of the program lies in a run.
//!
//! A pointer that comes from outside (nobody set it, a function without a definition gave it, or it lies in memory that
//! such a pointer leads to) may lead to an object that is not part of the program. Such objects have a part of the address
//! space for themselves, cut into pieces of equal size. The inputs of a run ask for one by drawing the address in the
//! middle of a piece: from then on there is an object around it, with arbitrary contents, and drawing the address again leads to
//! the same one. So two pointers from outside lead to one object or to two that lie apart, never to parts of one another.
//!
//! How large such an object is, nobody knows: it goes [`OutsideMemory::REACH`] bytes in both directions, because a pointer may be one to a
//! member of a record, or to an element of an array.

use super::inputs::Draw;
use super::memory::FUNCTION_BASE;
use super::outcome::Run;
use crate::{Arbitrary, DataModel, ExprKind, ProcId, Program, Type, TypeId};

/// The distance between two objects.
const STRIDE: u64 = 1 << 20;

/// The part of the address space in which objects outside of the program lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutsideMemory {
    first: u64,
    end: u64,
}

impl OutsideMemory {
    /// How many bytes an object goes before and behind the address that leads to it.
    pub const REACH: u64 = 1 << 14;

    /// That of a data model. A process can have memory there, so that a run can be repeated by a compiled program.
    pub fn of(model: DataModel) -> Self {
        match model {
            DataModel::Ilp32 => OutsideMemory { first: 0xe000_0000, end: 0xf000_0000 },
            DataModel::Lp64 => OutsideMemory { first: 0x2000_0000_0000, end: 0x2100_0000_0000 },
        }
    }

    /// How many objects there can be.
    pub fn capacity(self) -> u64 {
        (self.end - self.first) / STRIDE
    }

    /// The address that leads to an object, by its number.
    pub fn address(self, number: u64) -> Option<u64> {
        (number < self.capacity()).then(|| self.first + number * STRIDE + STRIDE / 2)
    }

    /// From where to where it goes.
    pub fn range(self) -> std::ops::Range<u64> {
        self.first..self.end
    }

    /// Whether an address lies there at all.
    pub fn contains(self, address: u64) -> bool {
        (self.first..self.end).contains(&address)
    }

    /// The number of the object that an address leads to.
    pub fn number(self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.first)?;
        (self.contains(address) && offset % STRIDE == STRIDE / 2).then_some(offset / STRIDE)
    }

    /// Whether some of the bytes from one address up to another lie there.
    pub(super) fn meets(self, start: u64, end: u64) -> bool {
        start < self.end && end > self.first
    }

    /// The first byte and the size of the object that an address leads to.
    pub fn object(self, address: u64) -> Option<(u64, u64)> {
        self.number(address).map(|_| (address - Self::REACH, 2 * Self::REACH))
    }
}

/// The addresses that a drawn value has where an address may be. Numbers that the program asks for are none.
pub(super) fn addresses(
    program: &Program,
    value: u128,
    kind: &Arbitrary,
    ty: Option<TypeId>,
    width: u16,
) -> impl Iterator<Item = u64> {
    words(program, value, if is_number(program, kind, ty) { 0 } else { width })
}

/// Whether a drawn value is a number that the program asks for.
fn is_number(program: &Program, kind: &Arbitrary, ty: Option<TypeId>) -> bool {
    !ty.is_some_and(|ty| program.is_pointer(ty)) && matches!(kind, Arbitrary::Nondet(_))
}

/// A value as numbers of the size of pointers.
fn words(program: &Program, value: u128, width: u16) -> impl Iterator<Item = u64> {
    let word = program.data_model.pointer_bits();
    (0..width / word).map(move |i| (value >> (i * word)) as u64 & (u64::MAX >> (64 - word)))
}

/// The procedure that stands for functions outside of the program, if an address leads to one of them.
pub(super) fn function_outside(program: &Program, address: u64) -> Option<ProcId> {
    OutsideMemory::of(program.data_model).number(address).and_then(|_| program.outside())
}

impl Run {
    /// The addresses of the memory outside of the program that the run has, in order.
    pub fn outside(&self, program: &Program) -> Vec<u64> {
        let outside = OutsideMemory::of(program.data_model);
        let led = self.draws.iter().flat_map(|draw| {
            let kind = self.kind(draw);
            kind.into_iter().flat_map(|kind| addresses(program, draw.value, kind, draw.ty, draw.width))
        });
        let mut found: Vec<u64> = led.filter(|&address| outside.number(address).is_some()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a pointer of the run may be the address of an object or a procedure of the program although nothing explains that: if
    /// an arbitrary pointer looks like one, or the program makes pointers of numbers.
    pub fn may_make_up_addresses(&self, program: &Program) -> bool {
        let outside = OutsideMemory::of(program.data_model);
        let is_made_up = |draw: &Draw| {
            let pointers = self.kind(draw).filter(|kind| !is_number(program, kind, draw.ty));
            let mut words = pointers.into_iter().flat_map(|_| words(program, draw.value, draw.width));
            words.any(|address| address >= FUNCTION_BASE && outside.number(address).is_none())
        };
        self.draws.iter().any(is_made_up) || makes_pointers_of_numbers(program)
    }
}

/// Whether a number that is no constant becomes a pointer.
fn makes_pointers_of_numbers(program: &Program) -> bool {
    program.exprs().iter().any(|(_, expr)| match expr.kind {
        ExprKind::Cast(of) => {
            let is_number = matches!(program.ty(program.expr(of).ty), Type::Machine { .. } | Type::Bool);
            is_number && program.is_pointer(expr.ty) && program.as_int(of).is_none()
        }
        _ => false,
    })
}

/// What a pointer of a type leads to, as far as that tells objects outside of the program apart. Bytes and `void` may be part of
/// anything.
pub(super) fn pointee(program: &Program, pointer: TypeId) -> Option<TypeId> {
    let ty = program.pointee(pointer)?;
    let plain = match program.ty(ty) {
        Type::Void | Type::Function(_) => true,
        Type::Machine { width, .. } => *width <= 8,
        _ => false,
    };
    (!plain).then_some(ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_lie_apart_and_inside() {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let outside = OutsideMemory::of(model);
            assert!(outside.capacity() >= 256);
            assert_eq!(outside.address(outside.capacity()), None);
            let mut end = 0;
            for number in (0..4).chain(outside.capacity() - 2..outside.capacity()) {
                let address = outside.address(number).unwrap_or_default();
                assert_eq!(outside.number(address), Some(number));
                assert_eq!(outside.number(address + 1), None);
                let (base, size) = outside.object(address).unwrap_or_default();
                assert!(base > end && outside.contains(base) && outside.contains(base + size));
                end = base + size;
            }
            assert_eq!(outside.number(0), None);
            assert_eq!(outside.number(outside.first), None);
        }
    }
}
