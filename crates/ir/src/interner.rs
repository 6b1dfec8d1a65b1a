//! Tables that hold each value once, and that can be added to while others read them.
//!
//! A table has two parts. The first is frozen and shared by all programs that were made from one: the loaded
//! program, its slices, and what engines work on. The second is its own: what was added since. Adding takes a
//! shared reference, because it changes nothing that is visible through other references: ids that were given out keep their
//! meaning, and equal values have equal ids.

use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::ops::Index;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hardbop_base::{Arena, Id};
use rustc_hash::FxHashMap;

/// Interned values of one kind: equal values get equal ids.
#[derive(Debug)]
pub struct Interner<T> {
    frozen: Arc<Frozen<T>>,
    /// What was added since, numbered behind what is frozen.
    own: boxcar::Vec<T>,
    ids: Mutex<FxHashMap<T, Id<T>>>,
}

#[derive(Debug)]
struct Frozen<T> {
    items: Arena<T>,
    ids: FxHashMap<T, Id<T>>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// The id of a value, new or known.
    pub(crate) fn intern(&self, item: T) -> Id<T> {
        if let Some(&known) = self.frozen.ids.get(&item) {
            return known;
        }
        match self.own_ids().entry(item) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let position = self.own.push(new.key().clone());
                *new.insert(Id::from_usize(self.frozen.items.len() + position))
            }
        }
    }

    /// The same values with the same ids, all of them frozen.
    pub(crate) fn freeze(self) -> Self {
        if self.own.is_empty() {
            return self;
        }
        // An arena that is not shared is not copied.
        let mut frozen = Arc::try_unwrap(self.frozen)
            .unwrap_or_else(|shared| Frozen { items: shared.items.clone(), ids: shared.ids.clone() });
        frozen.ids.extend(self.ids.into_inner().unwrap_or_else(PoisonError::into_inner));
        self.own.into_iter().for_each(|item| _ = frozen.items.push(item));
        Interner { frozen: Arc::new(frozen), ..Interner::default() }
    }

    /// Whether each value of another table has the same id here, because that table is where this one began.
    pub(crate) fn extends(&self, other: &Interner<T>) -> bool {
        Arc::ptr_eq(&self.frozen, &other.frozen)
            && other.own.iter().all(|(position, item)| self.own.get(position) == Some(item))
    }

    fn own_ids(&self) -> MutexGuard<'_, FxHashMap<T, Id<T>>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Interner<T> {
    /// How many values there are.
    pub fn len(&self) -> usize {
        self.frozen.items.len() + self.own.count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value with an id, if there is one.
    pub fn get(&self, id: Id<T>) -> Option<&T> {
        match id.index().checked_sub(self.frozen.items.len()) {
            None => self.frozen.items.get(id),
            Some(position) => self.own.get(position),
        }
    }

    /// The ids given so far, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Id<T>> + ExactSizeIterator + use<T> {
        (0..self.len()).map(Id::from_usize)
    }

    /// The values with their ids, in the order they came.
    pub fn iter(&self) -> impl Iterator<Item = (Id<T>, &T)> {
        self.ids().map(|id| (id, &self[id]))
    }

    /// The values in the order they came.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.iter().map(|(_, item)| item)
    }
}

impl<T> Index<Id<T>> for Interner<T> {
    type Output = T;

    fn index(&self, id: Id<T>) -> &T {
        match id.index().checked_sub(self.frozen.items.len()) {
            None => &self.frozen.items[id],
            Some(position) => &self.own[position],
        }
    }
}

/// What is frozen stays shared.
impl<T: Clone> Clone for Interner<T> {
    fn clone(&self) -> Self {
        // The table of ids first: what it knows is in the list already.
        let ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Interner { frozen: Arc::clone(&self.frozen), own: self.own.clone(), ids: Mutex::new(ids) }
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        let frozen = Arc::new(Frozen { items: Arena::new(), ids: FxHashMap::default() });
        Interner { frozen, own: boxcar::Vec::new(), ids: Mutex::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_when_values_are_frozen() {
        let table = Interner::default();
        let (a, b) = (table.intern("a"), table.intern("b"));
        let table = table.freeze();
        let c = table.intern("c");
        let table = table.freeze();
        for (text, id) in [("a", a), ("b", b), ("c", c)] {
            assert_eq!((table.intern(text), table[id], table.get(id)), (id, text, Some(&text)));
        }
        assert_eq!(table.values().copied().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!((table.len(), table.get(Id::from_usize(3))), (3, None));
    }

    #[test]
    fn copies_share_what_is_frozen_and_nothing_else() {
        let table = Interner::default();
        let a = table.intern("a");
        let table = table.freeze();
        let (left, right) = (table.clone(), table.clone());
        let (b, c) = (left.intern("b"), right.intern("c"));
        assert_eq!((b, left[b], right[c], table.len()), (c, "b", "c", 1));
        assert_eq!((left.intern("a"), right.intern("a")), (a, a));
        assert!(left.extends(&table) && right.extends(&table));
        assert!(!left.extends(&right) && !table.extends(&left));
        assert!(left.clone().extends(&left));
        assert!(!left.clone().freeze().extends(&left), "what was frozen apart is another table");
    }
}
