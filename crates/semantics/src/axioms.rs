//! What is true of addresses: objects lie apart from each other, and not at zero.
//!
//! That nothing lies in the first page is not among it, though it is so on real machines: programs of
//! SV-COMP assume that `malloc` gives numbers below 2012.
//!
//! The axioms are about the symbols that a question mentions; there are too many objects in a
//! program to state them all. An object that a symbol stands for is alive or was, so the axioms
//! say that no address is used twice in a run: a dangling pointer is never equal to a new one.

use hardbop_logic::Term;
use rustc_hash::FxHashSet;

use crate::coder::{Coder, Meaning, Object};

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

    fn axioms_of(&mut self, objects: &[Object]) -> Vec<Term> {
        let mut axioms = Vec::new();
        for (i, &object) in objects.iter().enumerate() {
            self.lies_in_memory(object, &mut axioms);
            for &other in &objects[..i] {
                if self.is_literal(object) && self.is_literal(other) {
                    continue;
                }
                let apart = self.lie_apart(object, other);
                axioms.push(apart);
            }
        }
        axioms
    }

    fn objects_in(&self, about: &[Term]) -> Vec<Object> {
        let mut symbols = FxHashSet::default();
        for &term in about {
            symbols.extend(self.encoder.terms.symbols(term));
        }
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

    /// Whether an object is a string literal: C leaves open which of those share their storage.
    fn is_literal(&self, object: Object) -> bool {
        matches!(object, Object::Variable(_, var) if self.program.is_literal(var))
    }

    /// Not at zero, and not beyond the end.
    fn lies_in_memory(&mut self, object: Object, axioms: &mut Vec<Term>) {
        let (address, size) = (self.address_of_object(object), self.object_size(object));
        let width = self.pointer_bits();
        let first = self.constant(1, width);
        let last = self.constant(-1 - i128::from(size), width);
        let terms = self.terms();
        let (above, below) = (terms.bv_ule(first, address), terms.bv_ule(address, last));
        axioms.extend([above, below]);
    }

    /// One ends before the other starts. Objects of unknown size differ in their first byte at least.
    fn lie_apart(&mut self, a: Object, b: Object) -> Term {
        let (x, y) = (self.address_of_object(a), self.address_of_object(b));
        let (x_end, y_end) = (self.object_size(a).max(1), self.object_size(b).max(1));
        let (x_end, y_end) = (self.offset(x, x_end), self.offset(y, y_end));
        let terms = self.terms();
        let (before, after) = (terms.bv_ule(x_end, y), terms.bv_ule(y_end, x));
        terms.or(&[before, after])
    }

    fn object_size(&self, object: Object) -> u64 {
        match object {
            Object::Variable(_, var) => self.program.size_of(self.program.variables[var].ty),
            Object::Procedure(_) => 1,
            Object::Allocated(_, size) => size.unwrap_or(1),
        }
    }
}
