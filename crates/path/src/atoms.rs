//! The atoms of conditions: what is left when the propositional structure is taken away.

use hardbop_logic::{Node, Sort, Term, Terms};
use rustc_hash::FxHashSet;

/// The atoms of a condition, in the order of their first occurrence.
pub fn atoms(terms: &Terms, condition: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut pending = vec![condition];
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::Bool(_) => {}
            &Node::Not(inner) => pending.push(inner),
            Node::And(members) => pending.extend(members.iter().rev()),
            &Node::Eq(a, b) if terms.sort(a) == Sort::Bool => pending.extend([b, a]),
            &Node::Ite(c, a, b) => pending.extend([b, a, c]),
            _ => {
                choices(terms, term, &mut pending);
                found.push(term);
            }
        }
    }
    found
}

/// Conditions of choices within an atom: which address was meant, which arm of `?:` was taken.
fn choices(terms: &Terms, atom: Term, pending: &mut Vec<Term>) {
    let mut seen = FxHashSet::default();
    let mut inside = vec![atom];
    while let Some(term) = inside.pop() {
        if !seen.insert(term) || seen.len() > 1000 {
            continue;
        }
        if let &Node::Ite(condition, ..) = terms.node(term) {
            pending.push(condition);
        }
        terms.node(term).for_each_operand(|operand| inside.push(operand));
    }
}
