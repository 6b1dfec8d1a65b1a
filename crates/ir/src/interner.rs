//! An arena that holds each value once.

use std::collections::hash_map::Entry;
use std::hash::Hash;

use hardbop_base::{Arena, Id};
use rustc_hash::FxHashMap;

/// Interned values of one kind: equal values get equal ids.
#[derive(Debug, Clone)]
pub(crate) struct Interner<T> {
    items: Arena<T>,
    ids: FxHashMap<T, Id<T>>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// The id of a value, new or known.
    pub(crate) fn intern(&mut self, item: T) -> Id<T> {
        // Hashing once matters: interning is most of the work of reading a program.
        match self.ids.entry(item) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let id = self.items.push(new.key().clone());
                *new.insert(id)
            }
        }
    }

    /// The values in the order they came.
    pub(crate) fn items(&self) -> &Arena<T> {
        &self.items
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { items: Arena::new(), ids: FxHashMap::default() }
    }
}
