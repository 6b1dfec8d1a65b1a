//! Numbers for addresses.
//!
//! Where an object lies that nobody can tell the place of (see [`Alias::is_observed`](hardbop_alias::Alias::is_observed)) makes no
//! difference to what a run does, so it may as well lie at a number that is chosen in advance. Pointers are choices
//! among numbers then, whose comparisons are decided while terms are built, and a solver sees the few bits in which they differ instead
//! of symbols and what is said of each pair of them. All such objects lie in one part of memory, which others keep out of.
//!
//! A term that is a number no longer says which object it points to. So this is for those who follow runs from their
//! start and ask only whether something can happen; engines that read predicates off terms leave addresses as symbols.

use hardbop_ir::Device;
use hardbop_logic::Term;

use crate::coder::{Allocation, Coder, Encoder, Object};

/// Each object begins at a multiple of this, at least one such step behind the last one.
const ALIGNMENT: u64 = 64;

/// The part of memory for objects with numbers for addresses, and how much of it is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    next: Option<u64>,
}

impl Layout {
    /// From where to where it goes, for pointers of so many bits. With 64 bits no index of 32 gets to an end of memory from there.
    fn range(bits: u32) -> (u64, u64) {
        match bits {
            64 => (1 << 46, (1 << 46) + (1 << 40)),
            _ => (1 << 20, 1 << 28),
        }
    }

    /// Room for an object that touches no device.
    fn place(&mut self, size: u64, bits: u32, devices: &[Device]) -> Option<u64> {
        let (first, end) = Layout::range(bits);
        let mut start = self.next.unwrap_or(first);
        while let Some(device) = devices.iter().find(|it| it.meets(start, start.saturating_add(size))) {
            start = device.last.checked_add(1)?.checked_next_multiple_of(ALIGNMENT)?;
        }
        let behind = start.checked_add(size)?.checked_next_multiple_of(ALIGNMENT)?.checked_add(ALIGNMENT)?;
        if behind > end {
            return None;
        }
        self.next = Some(behind);
        Some(start)
    }
}

impl Encoder {
    /// Gives objects that nobody can tell the place of numbers for addresses, from now on. To be called before there are any.
    pub fn fix_addresses(&mut self) {
        self.layout = Some(Layout { next: None });
    }

    /// Whether all objects that were spoken of could be too large for memory together. Then what is assumed of them may
    /// contradict itself: no run has them all at once.
    pub fn is_crowded(&self) -> bool {
        self.crowded
    }
}

impl Coder<'_> {
    /// The number that is the address of a new object, if it gets one.
    pub(crate) fn fixed_address(&mut self, object: Object) -> Option<Term> {
        let mut layout = self.encoder.layout?;
        let size = self.fixed_size(object)?;
        let bits = self.pointer_bits();
        let start = layout.place(size, bits, &self.program.devices)?;
        self.encoder.layout = Some(layout);
        Some(self.constant(start.into(), bits))
    }

    /// The size of an object, if that is known, and nobody can tell where the object lies.
    fn fixed_size(&self, object: Object) -> Option<u64> {
        let objects = self.alias.objects();
        let (known, size) = match object {
            Object::Variable(_, var) => {
                let known = objects.variable(var)?;
                (known, objects[known].size)
            }
            Object::Allocated(Allocation { size, object, .. }) => (object?, size),
            Object::Procedure(procedure) => (objects.procedure(procedure), Some(1)),
        };
        size.filter(|&size| size > 0 && !self.alias.is_observed(known))
    }

    /// Whether the address of an object is a number. An object that has no address yet gets one.
    pub(crate) fn is_fixed(&mut self, object: Object) -> bool {
        let address = self.address_of_object(object);
        self.encoder.terms.as_bits(address).is_some()
    }

    /// That an object whose address is a symbol lies outside of the part of memory that is taken; nothing if none is.
    pub(crate) fn keeps_out(&mut self, address: Term, size: u64) -> Option<Term> {
        self.encoder.layout?;
        let (first, end) = Layout::range(self.pointer_bits());
        Some(self.lies_outside(Device { first, last: end - 1 }, address, size))
    }
}
