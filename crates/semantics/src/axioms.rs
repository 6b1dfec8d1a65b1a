//! What is true of addresses: objects that are alive lie apart from each other, and not at zero.
//!
//! That nothing lies in the first page is not among it, though it is so on real machines: programs of
//! SV-COMP assume that `malloc` gives numbers below 2012.
//!
//! The axioms are about the symbols that a question mentions; there are too many objects in a
//! program to state them all. Of two objects that do not live at the same time nothing is said, unless nobody can
//! tell where one of them lies (see [`Alias::is_compared`](hardbop_alias::Alias::is_compared)): then it may as
//! well lie apart. The heap, the stack and what the program starts with are different parts of memory.
//!
//! Of an object that an allocation did not make, because it failed, nothing is said either. So the axioms
//! have a model whatever sizes a program asks for, if its allocations can fail.

use hardbop_alias::{ObjectId, ObjectKind};
use hardbop_ir::{Device, MemoryKind, VarKind};
use hardbop_logic::Term;

use crate::coder::{Allocation, Coder, Meaning, Object};
use crate::state::Frame;

/// The smallest variable that may share its place with another one of the same activation, in another block.
const SHARED_SLOT: u64 = 32;

/// In how large groups of globals all are said to lie apart before anybody asks: there are as many pairs as the
/// square.
const MAX_SHARED: usize = 24;

/// A part of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment {
    Lasting,
    Heap,
    Stack,
}

impl Coder<'_> {
    /// Facts about the addresses that occur in some terms.
    pub fn axioms(&mut self, about: &[Term]) -> Vec<Term> {
        let objects = self.objects_in(about);
        self.axioms_of(&objects)
    }

    /// How many objects have an address so far.
    pub fn object_count(&self) -> usize {
        self.encoder.addresses.len()
    }

    /// Facts about all addresses so far.
    pub fn all_axioms(&mut self) -> Vec<Term> {
        let mut objects: Vec<Object> = self.encoder.addresses.keys().copied().collect();
        objects.sort_unstable();
        self.axioms_of(&objects)
    }

    /// Facts about globals that an access may mistake for each other: reads of memory compare their addresses, and
    /// are simpler for a solver that knows these facts first. Where there are too many of them, none is stated.
    pub fn shared_axioms(&mut self) -> Vec<Term> {
        let mut axioms = Vec::new();
        for region in self.regions.regions().ids() {
            let mut globals: Vec<Object> = Vec::new();
            for &(object, _) in &self.regions.region(region).cells {
                if let ObjectKind::Variable(var) = self.alias.objects()[object].kind
                    && self.segment(object) == Segment::Lasting
                {
                    globals.push(Object::Variable(Frame::ONLY, var));
                }
            }
            globals.sort_unstable();
            globals.dedup();
            if (2..=MAX_SHARED).contains(&globals.len()) {
                axioms.extend(self.axioms_of(&globals));
            }
        }
        axioms
    }

    fn axioms_of(&mut self, objects: &[Object]) -> Vec<Term> {
        let mut axioms = Vec::new();
        // Those with numbers for addresses lie apart by these, and where the others keep out.
        let objects: Vec<Object> = objects.iter().copied().filter(|&object| !self.is_fixed(object)).collect();
        for (i, &object) in objects.iter().enumerate() {
            let lies = self.lies_in_memory(object);
            axioms.push(self.if_made(object, lies));
            for &other in &objects[..i] {
                if self.are_apart(object, other) && !(self.is_literal(object) && self.is_literal(other)) {
                    let apart = self.lie_apart(object, other);
                    let apart = self.if_made(object, apart);
                    axioms.push(self.if_made(other, apart));
                }
            }
        }
        axioms
    }

    fn objects_in(&self, about: &[Term]) -> Vec<Object> {
        let symbols = self.encoder.terms.symbols_of(about);
        let mut objects: Vec<Object> = symbols
            .iter()
            .filter_map(|symbol| match self.encoder.meanings.get(symbol) {
                Some(&Meaning::Address(object)) => Some(object),
                _ => None,
            })
            .collect();
        objects.sort_unstable();
        objects
    }

    /// A fact about an object, if there is one.
    fn if_made(&mut self, object: Object, fact: Term) -> Term {
        match object {
            Object::Allocated(Allocation { fails: Some(fails), .. }) => self.terms().or(&[fails, fact]),
            _ => fact,
        }
    }

    /// Whether an object is a string literal: C leaves open which of those share their storage.
    fn is_literal(&self, object: Object) -> bool {
        matches!(object, Object::Variable(_, var) if self.program.is_literal(var))
    }

    /// Not at zero, not beyond the end, and not where devices are.
    fn lies_in_memory(&mut self, object: Object) -> Term {
        let (address, size) = (self.address_of_object(object), self.object_size(object));
        let width = self.pointer_bits();
        // No object has more than half of the address space.
        if size >> (width - 1) != 0 {
            return self.terms().bool(false);
        }
        let first = self.constant(1, width);
        let last = self.constant(-1 - i128::from(size), width);
        let terms = self.terms();
        let (above, below) = (terms.bv_ule(first, address), terms.bv_ule(address, last));
        let mut facts = vec![above, below];
        for device in &self.program.devices {
            facts.push(self.lies_outside(*device, address, size));
        }
        facts.extend(self.keeps_out(address, size));
        self.terms().and(&facts)
    }

    /// An object that does not reach beyond the end of memory lies before or behind a device.
    pub(crate) fn lies_outside(&mut self, device: Device, address: Term, size: u64) -> Term {
        let width = self.pointer_bits();
        let end = self.constant(device.last.into(), width);
        let behind = self.terms().bv_ult(end, address);
        let Some(latest) = device.first.checked_sub(size.max(1)) else { return behind };
        let latest = self.constant(latest.into(), width);
        let terms = self.terms();
        let before = terms.bv_ule(address, latest);
        terms.or(&[before, behind])
    }

    /// One ends before the other starts. Objects of unknown size differ in their first byte at least.
    ///
    /// Of objects that do not reach beyond the end of memory this is said of their distance alone, which lies
    /// between the size of the one and, going round, that of the other: whoever compares addresses in them compares
    /// distances. That the distance is not zero follows, and is said for those who compare the objects themselves.
    fn lie_apart(&mut self, a: Object, b: Object) -> Term {
        let (mut x, mut y) = (self.address_of_object(a), self.address_of_object(b));
        let (mut x_size, mut y_size) = (self.object_size(a).max(1), self.object_size(b).max(1));
        if x > y {
            (x, y, x_size, y_size) = (y, x, y_size, x_size);
        }
        let width = self.pointer_bits();
        let room = i128::from(x_size) + i128::from(y_size);
        // No more than half of memory each: where there is no room for both, one of them does not lie in memory.
        let (least, most) = (self.constant(i128::from(y_size), width), self.constant(-room, width));
        let terms = self.terms();
        let distance = terms.bv_sub(x, y);
        let beyond = terms.bv_sub(distance, least);
        let (apart, other) = (terms.bv_ule(beyond, most), terms.ne(x, y));
        terms.and(&[apart, other])
    }

    pub(crate) fn object_size(&self, object: Object) -> u64 {
        match object {
            Object::Variable(_, var) => self.program.size_of(self.program.variables[var].ty),
            Object::Procedure(_) => 1,
            Object::Allocated(Allocation { size, .. }) => size.unwrap_or(1),
        }
    }

    /// Whether two objects are alive at the same time, or nobody can tell that they are not.
    fn are_apart(&self, a: Object, b: Object) -> bool {
        let ((Some(x), in_x), (Some(y), in_y)) = (self.origin(a), self.origin(b)) else { return true };
        if in_x != in_y
            || in_x == Segment::Lasting
            || !self.alias.is_compared(x)
            || !self.alias.is_compared(y)
        {
            return true;
        }
        match (a, b) {
            (Object::Allocated(a), Object::Allocated(b)) if in_x == Segment::Heap => {
                let (first, freed) = if a.number < b.number { (a, x) } else { (b, y) };
                let later = a.epoch.max(b.epoch);
                first.epoch == later || !self.alias.is_freed(freed)
            }
            (Object::Variable(f, v), Object::Variable(g, w)) => {
                let owners = (self.alias.objects().owner(v), self.alias.objects().owner(w));
                let (Some(p), Some(q)) = owners else { return true };
                if f == g && p == q {
                    return self.object_size(a) < SHARED_SLOT || self.object_size(b) < SHARED_SLOT;
                }
                self.alias.encloses(p, q)
                    || self.alias.encloses(q, p)
                    || !self.alias.is_outlived(x) && !self.alias.is_outlived(y)
            }
            _ => false,
        }
    }

    /// Whether a new object may lie where another lay before, as far as anybody can tell.
    pub(crate) fn may_reuse(&self, new: ObjectId, old: ObjectId) -> bool {
        let segment = self.segment(old);
        segment != Segment::Lasting
            && segment == self.segment(new)
            && self.alias.is_compared(new)
            && self.alias.is_compared(old)
            && (segment == Segment::Stack || self.alias.is_freed(old))
    }

    /// What `alias` makes of an object, and where it lies. Registers and procedures have nothing to compare.
    fn origin(&self, object: Object) -> (Option<ObjectId>, Segment) {
        let known = match object {
            Object::Variable(_, var) => self.alias.objects().variable(var),
            Object::Procedure(_) => None,
            Object::Allocated(Allocation { object, .. }) => object,
        };
        (known, known.map_or(Segment::Lasting, |object| self.segment(object)))
    }

    fn segment(&self, object: ObjectId) -> Segment {
        match self.alias.objects()[object].kind {
            ObjectKind::Variable(var) => match self.program.variables[var].kind {
                VarKind::Global | VarKind::Static => Segment::Lasting,
                _ => Segment::Stack,
            },
            ObjectKind::Allocation { kind: MemoryKind::Stack, .. } => Segment::Stack,
            ObjectKind::Allocation { .. } => Segment::Heap,
            ObjectKind::World | ObjectKind::Procedure(_) => Segment::Lasting,
        }
    }
}
