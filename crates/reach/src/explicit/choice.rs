//! Nondeterministic choice: an arbitrary value is chosen at once, so every cube is a single state.
//!
//! This is the semantics that `hardbop_bp` defines, word by word: each update takes a value that its
//! expression can have, and `constrain` and `enforce` drop the combinations in which they cannot be
//! true. `schoose[p, n]` is `p | (!n & *)`.

use hardbop_base::Budget;

use super::Halt;
use super::cube::Cube;
use super::formula::Condition;
use super::model::{Domain, Emit, Relation};
use super::split::Split;

pub(super) struct Choice<'a> {
    pub(super) budget: &'a Budget,
}

impl Domain for Choice<'_> {
    fn pairs(&self, relation: &Relation, from: &Cube, emit: &mut Emit<'_>) -> Result<(), Halt> {
        // On one state, the values of the updates are independent of each other.
        let pair = relation.pair(from, |formula| Ok(formula.outcome(from).value()))?;
        let guards: Vec<_> = relation.guards.iter().map(Condition::Can).collect();
        Split::new(pair, &guards, &relation.slots, self.budget).try_for_each(|state| emit(state?))
    }
}
