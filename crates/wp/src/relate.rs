//! Divergence: interpolants of longer and longer runs that say `i ≤ 0`, `i ≤ 1`, `i ≤ 2` and so on.
//!
//! The paper leaves open which interpolant is taken, and none of those along a proof of a bounded run
//! need be what holds in all rounds. Atoms that differ in their constant only are a family. When one
//! grows at a cut point, relations are tried in its place: between the values that the predicates of
//! the point mention, and between families that grow together, with the distance at which they do. If a
//! family goes on to grow, refinement is given up.

use hardbop_logic::{Node, Sort, Term, Terms};
use rustc_hash::FxHashSet;

/// A family of this size is answered by relations.
const RELATED_FROM: usize = 3;

/// A family of this size will not end.
const ENDLESS_FROM: usize = 24;

/// Values that are related to each other.
const MAX_VALUES: usize = 4;

/// What grew before, at one cut point.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch {
    answered: FxHashSet<Form>,
}

/// A sum without its constant; the first coefficient is positive.
type Form = Vec<(i128, Term)>;

/// Atoms that differ in their constant only, in the order in which they were found.
struct Family {
    form: Form,
    members: Vec<(Term, i128)>,
}

impl Watch {
    /// Puts relations in the place of families that grow. The form of one that cannot be stopped is an
    /// error.
    pub(crate) fn relate(&mut self, terms: &mut Terms, predicates: &mut Vec<Term>) -> Result<(), Term> {
        let families = families(terms, predicates);
        if let Some(endless) = families.iter().find(|family| family.members.len() >= ENDLESS_FROM) {
            return Err(endless.members[0].0);
        }
        let is_new =
            |family: &&Family| family.members.len() >= RELATED_FROM && !self.answered.contains(&family.form);
        let growing: Vec<&Family> = families.iter().filter(is_new).collect();
        if growing.is_empty() {
            return Ok(());
        }
        let mut relations = Vec::new();
        for (i, a) in growing.iter().enumerate() {
            for b in &growing[..i] {
                relations.extend(together(terms, a, b));
            }
        }
        relations.extend(between_values(terms, &growing, predicates));
        let dropped: FxHashSet<Term> =
            growing.iter().flat_map(|family| &family.members[2..]).map(|&(term, _)| term).collect();
        predicates.retain(|predicate| !dropped.contains(predicate));
        self.answered.extend(growing.iter().map(|family| family.form.clone()));
        for relation in relations {
            // A relation is no family that grows, whatever it is compared with.
            self.answered.extend(form(terms, relation).map(|(form, _)| form));
            if terms.as_bool(relation).is_none() && !predicates.contains(&relation) {
                predicates.push(relation);
            }
        }
        Ok(())
    }
}

fn families(terms: &mut Terms, predicates: &[Term]) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for &predicate in predicates {
        let Some((form, constant)) = form(terms, predicate) else { continue };
        match families.iter_mut().find(|family| family.form == form) {
            Some(family) if family.members.iter().any(|&(_, known)| known == constant) => {}
            Some(family) => family.members.push((predicate, constant)),
            None => families.push(Family { form, members: vec![(predicate, constant)] }),
        }
    }
    families
}

/// The sum that an atom compares with a constant, and the constant.
fn form(terms: &mut Terms, atom: Term) -> Option<(Form, i128)> {
    let (a, b) = match *terms.node(atom) {
        Node::IntLe(a, b) => (a, b),
        Node::Eq(a, b) if terms.sort(a) == Sort::Int => (a, b),
        Node::Not(inner) => match *terms.node(inner) {
            Node::IntLe(a, b) => (a, b),
            _ => return None,
        },
        _ => return None,
    };
    let difference = terms.int_sub(a, b);
    let (mut form, constant) = match terms.node(difference) {
        Node::IntSum(sum) => (sum.parts.to_vec(), sum.constant),
        Node::Int(_) => return None,
        _ => (vec![(1, difference)], 0),
    };
    let negative = form.first().is_some_and(|&(coefficient, _)| coefficient < 0);
    if negative {
        form.iter_mut().for_each(|(coefficient, _)| *coefficient = -*coefficient);
    }
    Some((form, if negative { constant } else { -constant }))
}

/// Two families that grow together keep their distance, or their sum.
fn together(terms: &mut Terms, a: &Family, b: &Family) -> Vec<Term> {
    let direction = |family: &Family| {
        let (first, last) = (family.members[0].1, family.members[family.members.len() - 1].1);
        last > first
    };
    let (x, y) = (value(terms, &a.form), value(terms, &b.form));
    let (p, q) = (a.members[0].1, b.members[0].1);
    let (sum, start) = if direction(a) == direction(b) {
        (terms.int_sub(x, y), p.saturating_sub(q))
    } else {
        (terms.int_add(x, y), p.saturating_add(q))
    };
    (-1..=1).map(|step| at_most(terms, sum, start.saturating_add(step))).collect()
}

/// Comparisons of the values that predicates mention, those that grow first.
fn between_values(terms: &mut Terms, growing: &[&Family], predicates: &[Term]) -> Vec<Term> {
    let mut values: Vec<Term> = Vec::new();
    let in_families = growing.iter().flat_map(|family| family.form.iter().map(|&(_, value)| value));
    let elsewhere = terms.symbols_of(predicates);
    for value in in_families.chain(elsewhere) {
        if terms.sort(value) == Sort::Int && !values.contains(&value) && values.len() < MAX_VALUES {
            values.push(value);
        }
    }
    let mut found = Vec::new();
    for (i, &a) in values.iter().enumerate() {
        for &b in &values[..i] {
            found.push(positive_atom(terms, a, b));
            found.push(positive_atom(terms, b, a));
        }
    }
    found
}

fn value(terms: &mut Terms, form: &Form) -> Term {
    let mut sum = terms.int(0);
    for &(coefficient, part) in form {
        let coefficient = terms.int(coefficient);
        let scaled = terms.int_mul(coefficient, part);
        sum = terms.int_add(sum, scaled);
    }
    sum
}

fn at_most(terms: &mut Terms, sum: Term, bound: i128) -> Term {
    let bound = terms.int(bound);
    positive_atom(terms, sum, bound)
}

/// A comparison without a negation in front: a predicate says the same as its negation.
fn positive_atom(terms: &mut Terms, a: Term, b: Term) -> Term {
    let atom = terms.int_le(a, b);
    match *terms.node(atom) {
        Node::Not(inner) => inner,
        _ => atom,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_that_grow_are_answered_by_relations_and_given_up_in_the_end() {
        let mut terms = Terms::default();
        let (i, j) = (terms.symbol("i", Sort::Int), terms.symbol("j", Sort::Int));
        let mut watch = Watch::default();
        let mut predicates = Vec::new();
        for constant in 0..100 {
            let (low, high) = (terms.int(constant), terms.int(constant + 5));
            let (a, b) = (terms.int_le(i, low), terms.int_le(j, high));
            predicates.extend([a, b]);
            let done = watch.relate(&mut terms, &mut predicates);
            if constant + 1 == RELATED_FROM as i128 {
                let five = terms.int(5);
                let shifted = terms.int_add(i, five);
                let relation = positive_atom(&mut terms, j, shifted);
                assert!(predicates.contains(&relation));
                assert!(!predicates.contains(&a) && !predicates.contains(&b));
            }
            if done.is_err() {
                assert!(constant as usize > ENDLESS_FROM - 2);
                return;
            }
        }
        panic!("refinement goes on for ever");
    }
}
