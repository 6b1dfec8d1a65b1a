//! Literals that make a formula true in a model.
//!
//! The literals are the formula's atoms, without choices inside: `ite` is decided by the model, and its
//! condition becomes a literal too, as does the comparison of indices where an array was written. Of
//! numbers that differ, the literal says which is the smaller one.

use hardbop_logic::{Model, Node, Sort, Term, Terms};
use rustc_hash::FxHashMap;

/// Literals that hold in the model and imply the formula, which holds in it. Nothing if the model
/// leaves something open.
pub(crate) fn implicant(terms: &mut Terms, formula: Term, model: &Model) -> Option<Vec<Term>> {
    let signed = !terms.subterms(&[formula]).iter().any(|&t| matches!(terms.node(t), Node::BvUle(..)));
    let mut finder = Finder { terms, model, signed, literals: Vec::new(), resolved: FxHashMap::default() };
    finder.require(formula, true)?;
    finder.literals.sort_unstable();
    finder.literals.dedup();
    Some(finder.literals)
}

struct Finder<'a> {
    terms: &'a mut Terms,
    model: &'a Model,
    /// Whether bit-vectors that differ are compared as signed numbers.
    signed: bool,
    literals: Vec<Term>,
    resolved: FxHashMap<Term, Term>,
}

impl Finder<'_> {
    fn holds(&self, term: Term) -> Option<bool> {
        self.terms.try_evaluate(term, self.model)?.as_bool()
    }

    /// Makes sure that formulas have the values that they have in the model.
    fn require(&mut self, formula: Term, value: bool) -> Option<()> {
        let mut pending = vec![(formula, value)];
        while let Some((term, value)) = pending.pop() {
            match self.terms.node(term).clone() {
                Node::Bool(constant) if constant == value => {}
                Node::Bool(_) => return None,
                Node::Not(inner) => pending.push((inner, !value)),
                Node::And(members) if value => pending.extend(members.iter().map(|&m| (m, true))),
                Node::And(members) => {
                    // One is enough; a plain one is the best.
                    let mut wrong = members.iter().copied().filter(|&m| self.holds(m) == Some(false));
                    let plain = wrong.clone().find(|&m| self.is_literal(m));
                    pending.push((plain.or_else(|| wrong.next())?, false));
                }
                Node::Eq(a, b) if self.terms.sort(a) == Sort::Bool => {
                    let (va, vb) = (self.holds(a)?, self.holds(b)?);
                    pending.extend([(a, va), (b, vb)]);
                }
                Node::Ite(condition, yes, no) => {
                    let chosen = self.holds(condition)?;
                    pending.extend([(condition, chosen), (if chosen { yes } else { no }, value)]);
                }
                _ => {
                    let mut conditions = Vec::new();
                    let atom = self.resolve(term, &mut conditions)?;
                    pending.extend(conditions);
                    self.push(atom, value)?;
                }
            }
        }
        Some(())
    }

    fn is_literal(&self, term: Term) -> bool {
        let atom = match *self.terms.node(term) {
            Node::Not(inner) => inner,
            _ => term,
        };
        matches!(
            self.terms.node(atom),
            Node::Symbol { .. } | Node::IntLe(..) | Node::BvSle(..) | Node::BvUle(..) | Node::Eq(..)
        )
    }

    fn push(&mut self, atom: Term, value: bool) -> Option<()> {
        let literal = match *self.terms.node(atom) {
            Node::Bool(constant) => return (constant == value).then_some(()),
            Node::Eq(a, b) if !value && self.terms.sort(a) == Sort::Int => {
                let (x, y) =
                    (self.terms.try_evaluate(a, self.model)?, self.terms.try_evaluate(b, self.model)?);
                if x.as_int()? < y.as_int()? { self.terms.int_lt(a, b) } else { self.terms.int_lt(b, a) }
            }
            Node::Eq(a, b) if !value && matches!(self.terms.sort(a), Sort::BitVec(_)) => {
                let less = match self.signed {
                    true => [self.terms.bv_slt(a, b), self.terms.bv_slt(b, a)],
                    false => [self.terms.bv_ult(a, b), self.terms.bv_ult(b, a)],
                };
                less.into_iter().find(|&literal| self.holds(literal) == Some(true))?
            }
            _ if value => atom,
            _ => self.terms.not(atom),
        };
        self.literals.push(literal);
        Some(())
    }

    /// A term without choices, which equals it where the conditions hold.
    fn resolve(&mut self, term: Term, conditions: &mut Vec<(Term, bool)>) -> Option<Term> {
        let inside = self.terms.subterms(&[term]);
        let mut asked = Vec::new();
        for &part in &inside {
            if self.resolved.contains_key(&part) {
                continue;
            }
            let new = match *self.terms.node(part) {
                Node::Ite(condition, yes, no) if self.terms.sort(part) != Sort::Bool => {
                    let chosen = self.holds(condition)?;
                    asked.push((part, condition, chosen));
                    self.known(if chosen { yes } else { no })
                }
                Node::Select(array, index) => {
                    self.element(self.known(array), self.known(index), conditions)?
                }
                _ => {
                    let resolved = &self.resolved;
                    self.terms.rebuild(part, |t| resolved.get(&t).copied().unwrap_or(t))
                }
            };
            self.resolved.insert(part, new);
        }
        conditions.extend(asked.into_iter().map(|(_, condition, chosen)| (condition, chosen)));
        Some(self.known(term))
    }

    fn known(&self, term: Term) -> Term {
        self.resolved.get(&term).copied().unwrap_or(term)
    }

    /// The element of an array at an index: past writes at other indices.
    fn element(&mut self, array: Term, index: Term, conditions: &mut Vec<(Term, bool)>) -> Option<Term> {
        let mut array = array;
        while let Node::Store(before, place, value) = *self.terms.node(array) {
            let same = self.terms.eq(place, index);
            let chosen = self.holds(same)?;
            conditions.push((same, chosen));
            if chosen {
                return Some(value);
            }
            array = before;
        }
        Some(self.terms.select(array, index))
    }
}
