//! What is to be shown of the paths from one cut point, and what may be used for that.
//!
//! Nearly everything in the question whether a goal holds is the same for all goals of a cut point. So they are
//! collected while paths are followed, and asked about together. Where the answer is not that all of them hold, each
//! half is asked about by itself: what fails, or is hard, is found in a few steps.
//!
//! Most facts say what a name stands for. Such a fact is used only where the name is: without it, the name stands for
//! anything, and leaving out facts never makes more goals hold.

use hardbop_ir::ProcId;
use hardbop_logic::{Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::broken::To;
use crate::walk::Way;

/// What holds on all ways from a cut point.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    required: Vec<Term>,
    /// What names stand for.
    meanings: FxHashMap<Term, Vec<Term>>,
}

impl Facts {
    pub(crate) fn clear(&mut self) {
        self.required.clear();
        self.meanings.clear();
    }

    /// Facts that are used everywhere.
    pub(crate) fn require(&mut self, facts: impl IntoIterator<Item = Term>) {
        self.required.extend(facts);
    }

    /// What a name stands for, as a fact.
    pub(crate) fn define(&mut self, name: Term, fact: Term) {
        self.meanings.entry(name).or_default().push(fact);
    }

    /// A condition, with all facts that it can have something to do with.
    pub(crate) fn with(&self, terms: &Terms, condition: Term) -> Vec<Term> {
        let mut given = self.required.clone();
        given.push(condition);
        let mut seen = FxHashSet::default();
        let mut open = given.clone();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            let node = terms.node(term);
            node.for_each_operand(|operand| open.push(operand));
            if let Node::Symbol { .. } = node
                && let Some(meanings) = self.meanings.get(&term)
            {
                given.extend(meanings);
                open.extend(meanings);
            }
        }
        given
    }
}

/// Something that is to hold on all ways to a place.
pub(crate) struct Goal {
    /// The place.
    pub(crate) at: (ProcId, To),
    /// The ways there.
    pub(crate) way: Way,
    /// The condition of being on one of them while it does not hold.
    pub(crate) fails: Term,
    /// What is said if it does not.
    pub(crate) complaint: String,
}

#[cfg(test)]
mod tests {
    use hardbop_logic::Sort;

    use super::*;

    #[test]
    fn names_bring_what_they_stand_for_and_nothing_else() {
        let mut terms = Terms::new();
        let [a, b, c, x] = ["a", "b", "c", "x"].map(|name| terms.symbol(name, Sort::Bool));
        let mut facts = Facts::default();
        let [a_is, b_is, c_is] = [(a, b), (b, x), (c, a)].map(|(name, value)| {
            let fact = terms.iff(name, value);
            facts.define(name, fact);
            fact
        });
        let given = |condition: Term, facts: &Facts| -> FxHashSet<Term> {
            facts.with(&terms, condition).into_iter().collect()
        };
        assert_eq!(given(x, &facts), FxHashSet::from_iter([x]));
        assert_eq!(given(a, &facts), FxHashSet::from_iter([a, a_is, b_is]));
        assert_eq!(given(c, &facts), FxHashSet::from_iter([c, a_is, b_is, c_is]));
        // What is required brings the meanings of its names everywhere.
        facts.require([b]);
        assert_eq!(given(x, &facts), FxHashSet::from_iter([x, b, b_is]));
    }
}
