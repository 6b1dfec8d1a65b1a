//! What references point to (`001…` §7).
//!
//! `semantics` writes to memory by storing into an array and reads by selecting from it. A read behind
//! writes is taken apart here by Morris' axiom: what was written last at that address, where the
//! addresses are equal, and else what was there before. Addresses of different variables are different
//! (ADDREQ), so for these nothing remains to be decided. If after that all reads are at addresses of
//! variables, the contents of these are values of their own (ADDR/DEREF: *addr(ind(l)) = l), and no
//! array is left. That is so unless references are kept across a loop or a recursive procedure.

use hardbop_logic::{Node, Sort, Term};
use hardbop_semantics::{Encoder, Meaning};
use rustc_hash::{FxHashMap, FxHashSet};

/// Takes reads apart.
#[derive(Default)]
pub(crate) struct Memory {
    /// The contents of variables, by array and address, if these are values of their own.
    slots: Option<FxHashMap<(Term, Term), Term>>,
    /// The array and the address of such a value.
    places: FxHashMap<Term, (Term, Term)>,
    /// The addresses that are read.
    addresses: FxHashSet<Term>,
    /// Whether some address that is read is not that of a variable.
    symbolic: bool,
    done: FxHashMap<Term, Term>,
    reads: FxHashMap<(Term, Term), Term>,
}

impl Memory {
    /// From now on, the contents of variables are values of their own, if all reads so far were of
    /// variables.
    pub(crate) fn separate(&mut self) {
        self.done.clear();
        self.reads.clear();
        if !self.symbolic {
            self.slots = Some(FxHashMap::default());
        }
    }

    /// Whether the contents of variables are values of their own.
    pub(crate) fn is_separate(&self) -> bool {
        self.slots.is_some()
    }

    /// The array and the address whose contents a symbol is.
    pub(crate) fn place(&self, symbol: Term) -> Option<(Term, Term)> {
        self.places.get(&symbol).copied()
    }

    /// The addresses that are read.
    pub(crate) fn addresses(&self) -> Vec<Term> {
        let mut addresses: Vec<Term> = self.addresses.iter().copied().collect();
        addresses.sort_unstable();
        addresses
    }

    /// A term without reads behind writes.
    pub(crate) fn plain(&mut self, encoder: &mut Encoder, term: Term) -> Term {
        let pending = encoder.terms.subterms_until(&[term], |t| self.done.contains_key(&t));
        for t in pending {
            let new = match *encoder.terms.node(t) {
                Node::Select(array, index) => {
                    let (array, index) = (self.done[&array], self.done[&index]);
                    self.read(encoder, array, index)
                }
                Node::Eq(a, b) if are_apart(encoder, self.done[&a], self.done[&b]) => {
                    encoder.terms.bool(false)
                }
                _ => encoder.terms.rebuild(t, |operand| self.done[&operand]),
            };
            self.done.insert(t, new);
        }
        self.done[&term]
    }

    /// What is at an address.
    pub(crate) fn read(&mut self, encoder: &mut Encoder, array: Term, index: Term) -> Term {
        if let Some(&known) = self.reads.get(&(array, index)) {
            return known;
        }
        let value = match (encoder.terms.node(array).clone(), encoder.terms.node(index).clone()) {
            (_, Node::Ite(condition, a, b)) => {
                let (a, b) = (self.read(encoder, array, a), self.read(encoder, array, b));
                encoder.terms.ite(condition, a, b)
            }
            (Node::Ite(condition, a, b), _) => {
                let (a, b) = (self.read(encoder, a, index), self.read(encoder, b, index));
                encoder.terms.ite(condition, a, b)
            }
            (Node::Store(_, at, value), _) if at == index => value,
            (Node::Store(before, at, _), _) if are_apart(encoder, at, index) => {
                self.read(encoder, before, index)
            }
            (Node::Store(before, at, value), _) => {
                let other = self.read(encoder, before, index);
                let same = encoder.terms.eq(at, index);
                encoder.terms.ite(same, value, other)
            }
            (Node::Symbol { .. }, _) => self.contents(encoder, array, index),
            _ => encoder.terms.select(array, index),
        };
        self.reads.insert((array, index), value);
        value
    }

    fn contents(&mut self, encoder: &mut Encoder, array: Term, index: Term) -> Term {
        if !is_address(encoder, index) {
            self.symbolic = true;
            return encoder.terms.select(array, index);
        }
        self.addresses.insert(index);
        let Some(slots) = &mut self.slots else { return encoder.terms.select(array, index) };
        let slot = slots.entry((array, index)).or_insert_with(|| {
            let name = |t| encoder.terms.symbol_name(t).unwrap_or_default().to_owned();
            let name = format!("{} at {}", name(array), name(index));
            let sort = match encoder.terms.sort(array) {
                Sort::Array(_, element) => element.into(),
                other => other,
            };
            encoder.terms.symbol(&name, sort)
        });
        self.places.insert(*slot, (array, index));
        *slot
    }
}

fn is_address(encoder: &Encoder, term: Term) -> bool {
    matches!(encoder.meaning_of(term), Some(Meaning::Address(_)))
}

/// Whether two addresses are those of different objects, or one is null and the other is not.
fn are_apart(encoder: &Encoder, a: Term, b: Term) -> bool {
    let is_null = |t| encoder.terms.as_bits(t) == Some(0);
    let (of_a, of_b) = (is_address(encoder, a), is_address(encoder, b));
    a != b && of_a && of_b || of_a && is_null(b) || of_b && is_null(a)
}
