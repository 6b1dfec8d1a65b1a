//! An arena that holds each value once.

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
        if let Some(&id) = self.ids.get(&item) {
            return id;
        }
        let id = self.items.push(item.clone());
        self.ids.insert(item, id);
        id
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
