//! Trivectors: the Cartesian abstraction of sets of states (`003…` §5–6), with focus (§9.3).
//!
//! A trivector stands for the product of its components. The abstract post operator is the best one,
//! α ∘ post ∘ γ: the smallest trivector around all successors of all states that the trivector stands
//! for. That is more precise than evaluating with Kleene's tables: `x := y | !y` makes x true even
//! where y is `*`, since "a trivector satisfies e" means that all its bit-vectors do (§7).
//!
//! The constructs that the paper does not have:
//! - `*` is the set {0, 1}; `schoose[p, n]` is the paper's H(p, n), and 1 where p and n both hold;
//! - `constrain` is part of post: pairs of old and new values that break it are dropped before the
//!   pairs are abstracted;
//! - `enforce` restricts γ: a bit-vector that breaks it is not meant by any trivector, neither before
//!   nor after the step. (Of the paper's Example 1, "semantically inconsistent and will be eliminated
//!   by standard methods".)
//!
//! Focus splits components before the step, as in the paper, and then, where `constrain` or `enforce`
//! leave something to decide, the new values as well. The paper's statements have no such clause and
//! its focus only looks at old values, which cannot regain what its Examples 1 and 2 lose; with the
//! new values split too, total focus loses nothing: it computes what Bebop computes.

use hardbop_base::Budget;

use super::Halt;
use super::cube::{Cube, Value};
use super::formula::{Answered, Condition, Formula};
use super::model::{Domain, Emit, Relation};
use super::split::Split;

pub(super) struct Trivectors<'a> {
    pub(super) budget: &'a Budget,
}

impl Domain for Trivectors<'_> {
    fn pairs(&self, relation: &Relation, from: &Cube, emit: &mut Emit<'_>) -> Result<(), Halt> {
        let guards: Vec<_> = relation.guards.iter().map(Condition::Can).collect();
        for part in Split::new(from.clone(), &[], &relation.focus, self.budget) {
            let part = part?;
            let pair = relation.pair(&part, |formula| self.value(formula, &part))?;
            match guards.iter().map(|guard| guard.holds(&pair)).min() {
                Some(Answered::No) => {}
                // Components are abstracted one by one, so no dependence between them matters.
                None | Some(Answered::Yes) => emit(pair)?,
                Some(Answered::Maybe) => {
                    for part in Split::new(pair, &[], &relation.pair_focus, self.budget) {
                        if let Some(best) = self.abstracted(relation, &part?)? {
                            emit(best)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Trivectors<'_> {
    /// The values that a formula has in the states of a cube, exactly.
    fn value(&self, formula: &Formula, cube: &Cube) -> Result<Value, Halt> {
        let can_fail = self.exists(Condition::CanFail(formula), cube)?;
        Ok(Value::of(can_fail, self.exists(Condition::Can(formula), cube)?))
    }

    fn exists(&self, condition: Condition<'_>, cube: &Cube) -> Result<bool, Halt> {
        let part = Split::new(cube.clone(), &[condition], &[], self.budget).next().transpose()?;
        Ok(part.is_some())
    }

    /// α of the pairs in a cube that belong to the relation; nothing if there are none.
    fn abstracted(&self, relation: &Relation, pair: &Cube) -> Result<Option<Cube>, Halt> {
        let first_new = relation.slots.len() - relation.updates.len();
        let mut conditions: Vec<_> = relation.guards.iter().map(Condition::Can).collect();
        for (i, (_, formula)) in relation.updates.iter().enumerate() {
            conditions.push(Condition::Is(first_new + i, formula));
        }
        let mut best: Option<Cube> = None;
        for part in Split::new(pair.clone(), &conditions, &[], self.budget) {
            let part = part?;
            match &mut best {
                Some(best) => best.join(&part),
                None => best = Some(part),
            }
            if best.as_ref() == Some(pair) {
                break;
            }
        }
        Ok(best)
    }
}
