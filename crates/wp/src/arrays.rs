//! Memory as values, for interpolants (`001…` §7 under recursion).
//!
//! References that are kept across a recursive call leave memory as arrays in the formulas, and interpolants are of
//! linear arithmetic. But all that a predicate can say of memory is what lies at the addresses that are known
//! where it is evaluated. So each formula is replaced by what it says of the contents at these addresses, and at
//! those that it mentions itself: an equation of two memories becomes one of their contents at each, and
//! contents become variables, equal where the addresses are. Both formulas get weaker by that, so an interpolant
//! of what they become is one of theirs.

use std::collections::BTreeSet;

use hardbop_logic::{Node, Sort, Term, Terms};
use hardbop_semantics::Encoder;
use rustc_hash::FxHashMap;

use crate::memory::Memory;

/// The most equations of contents in one formula.
const MAX_CONTENTS: usize = 1000;

/// Formulas without arrays.
pub(crate) struct Contents {
    pub(crate) a: Term,
    pub(crate) b: Term,
    /// What the variables in them stand for.
    pub(crate) meanings: FxHashMap<Term, Term>,
}

impl Contents {
    /// Takes memory apart in two formulas, at the addresses among the symbols that both may mention. Nothing if
    /// there is no memory in them, or too much of it.
    pub(crate) fn of(encoder: &mut Encoder, a: Term, b: Term, shared: &[Term]) -> Option<Self> {
        let is_array = |terms: &Terms, t: Term| matches!(terms.sort(t), Sort::Array(..));
        if !encoder.terms.subterms(&[a, b]).into_iter().any(|t| is_array(&encoder.terms, t)) {
            return None;
        }
        let arrays: Vec<Term> = shared.iter().copied().filter(|&t| is_array(&encoder.terms, t)).collect();
        let mut apart =
            Apart { encoder, arrays, shared, memory: Memory::default(), names: FxHashMap::default() };
        let (a, b) = (apart.formula(a)?, apart.formula(b)?);
        let names = std::mem::take(&mut apart.names);
        let mut meanings = FxHashMap::default();
        for ((array, address), name) in names {
            let contents = encoder.terms.select(array, address);
            meanings.insert(name, contents);
        }
        Some(Contents { a, b, meanings })
    }
}

struct Apart<'e> {
    encoder: &'e mut Encoder,
    /// The memories that both formulas may mention.
    arrays: Vec<Term>,
    shared: &'e [Term],
    memory: Memory,
    /// The variables, by memory and address.
    names: FxHashMap<(Term, Term), Term>,
}

impl Apart<'_> {
    fn formula(&mut self, formula: Term) -> Option<Term> {
        let parts = self.encoder.terms.subterms(&[formula]);
        let mentioned: Vec<Term> =
            self.arrays.iter().copied().filter(|array| parts.contains(array)).collect();
        let asked = self.asked(&parts, &mentioned);
        let mut equations = FxHashMap::default();
        for (equation, x, y) in self.equations(&parts) {
            let mut addresses: Vec<Term> = Vec::new();
            for memory in self.memories(&[x, y]) {
                let new = asked.get(&memory).into_iter().flatten();
                addresses.extend(new.copied());
            }
            addresses.sort_unstable();
            addresses.dedup();
            let same: Vec<Term> = addresses.into_iter().map(|address| self.same(x, y, address)).collect();
            equations.insert(equation, self.encoder.terms.and(&same));
        }
        let formula = self.encoder.terms.substitute(formula, &equations);
        let formula = self.memory.plain(self.encoder, formula);
        self.named(formula, &mentioned)
    }

    /// The equations of memories in a formula.
    fn equations(&self, parts: &[Term]) -> Vec<(Term, Term, Term)> {
        let terms = &self.encoder.terms;
        let equation = |&part: &Term| match *terms.node(part) {
            Node::Eq(x, y) if matches!(terms.sort(x), Sort::Array(..)) => Some((part, x, y)),
            _ => None,
        };
        parts.iter().filter_map(equation).collect()
    }

    /// The memories that some were made of.
    fn memories(&self, made: &[Term]) -> Vec<Term> {
        let terms = &self.encoder.terms;
        let mut found: Vec<Term> = Vec::new();
        let mut pending = made.to_vec();
        while let Some(memory) = pending.pop() {
            match *terms.node(memory) {
                Node::Store(before, ..) => pending.push(before),
                Node::Ite(_, yes, no) => pending.extend([yes, no]),
                _ if !found.contains(&memory) => found.push(memory),
                _ => {}
            }
        }
        found
    }

    /// At which addresses the contents of a memory matter: where it is read, or one that is made of it is, and where
    /// both formulas can.
    fn asked(&self, parts: &[Term], mentioned: &[Term]) -> FxHashMap<Term, BTreeSet<Term>> {
        let mut asked: FxHashMap<Term, BTreeSet<Term>> = FxHashMap::default();
        for &array in mentioned {
            asked.entry(array).or_default().extend(self.known_addresses(array));
        }
        for &part in parts {
            if let Node::Select(array, address) = *self.encoder.terms.node(part) {
                for memory in self.memories(&[array]) {
                    asked.entry(memory).or_default().insert(address);
                }
            }
        }
        let groups: Vec<Vec<Term>> =
            self.equations(parts).into_iter().map(|(_, x, y)| self.memories(&[x, y])).collect();
        loop {
            let mut changed = false;
            for group in &groups {
                let all: BTreeSet<Term> =
                    group.iter().filter_map(|m| asked.get(m)).flatten().copied().collect();
                for &memory in group {
                    let known = asked.entry(memory).or_default();
                    changed |= known.len() < all.len();
                    known.extend(&all);
                }
            }
            if !changed {
                return asked;
            }
        }
    }

    /// The addresses among the symbols that both formulas may mention.
    fn known_addresses(&self, array: Term) -> Vec<Term> {
        let terms = &self.encoder.terms;
        let Sort::Array(index, _) = terms.sort(array) else { return Vec::new() };
        self.shared.iter().copied().filter(|&t| terms.sort(t) == index.into()).collect()
    }

    /// That two memories have the same contents at an address.
    fn same(&mut self, x: Term, y: Term, address: Term) -> Term {
        let (x, y) = (self.memory.read(self.encoder, x, address), self.memory.read(self.encoder, y, address));
        self.encoder.terms.eq(x, y)
    }

    /// Puts variables in the place of contents, and says that they are equal where the addresses are.
    fn named(&mut self, formula: Term, mentioned: &[Term]) -> Option<Term> {
        let mut contents: Vec<(Term, Term)> = Vec::new();
        for &array in mentioned {
            contents.extend(self.known_addresses(array).into_iter().map(|address| (array, address)));
        }
        let mut reads = FxHashMap::default();
        for part in self.encoder.terms.subterms(&[formula]) {
            if let Node::Select(array, address) = *self.encoder.terms.node(part) {
                if !contents.contains(&(array, address)) {
                    contents.push((array, address));
                }
                reads.insert(part, self.name(array, address));
            }
        }
        let mut all = vec![self.encoder.terms.substitute(formula, &reads)];
        for (i, &(array, address)) in contents.iter().enumerate() {
            for &(other, elsewhere) in contents[..i].iter().filter(|&&(other, _)| other == array) {
                let (here, there) = (self.name(array, address), self.name(other, elsewhere));
                let terms = &mut self.encoder.terms;
                let (together, same) = (terms.eq(address, elsewhere), terms.eq(here, there));
                all.push(terms.implies(together, same));
                if all.len() > MAX_CONTENTS {
                    return None;
                }
            }
        }
        let all = self.encoder.terms.and(&all);
        // Congruence speaks of addresses, and these may be read from memory themselves.
        Some(self.encoder.terms.substitute(all, &reads))
    }

    fn name(&mut self, array: Term, address: Term) -> Term {
        let number = self.names.len();
        let terms = &mut self.encoder.terms;
        *self.names.entry((array, address)).or_insert_with(|| {
            let sort = match terms.sort(array) {
                Sort::Array(_, element) => element.into(),
                other => other,
            };
            terms.symbol(&format!("contents {number} of sort {sort:?}"), sort)
        })
    }
}
