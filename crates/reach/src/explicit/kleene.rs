//! Three-valued states: `?` is a value (`000…` §2).
//!
//! Expressions are evaluated with Kleene's tables (Fig. 3). Where a condition is `?`, control goes both
//! ways, and the function S (Fig. 4) makes the state fit the way taken.
//!
//! Fig. 4 as printed keeps only states with Ω(x) = ? in S(O, x, b), so that `x & y` with x true and y
//! unknown would have no true successor. Here S(O, x, b) keeps states with Ω(x) ∈ {?, b}. The cases
//! that Fig. 4 lacks follow its pattern: a constant keeps or drops all of O; S(O, ?, b) = O, for the
//! unknown value can turn out either way; and `e1 ^ e2` is b if e1 is true and e2 is !b, or e1 is
//! false and e2 is b.
//!
//! The constructs that the paper does not have:
//! - `schoose[p, n]` is `p | (!n & ?)`, which is the paper's H(p, n);
//! - `constrain e` is a condition on the pair of old and new values, so S makes the pair fit;
//! - `enforce e` is a condition passed after every step.
//!
//! All variables start as `?`. Since S drops no state that a choice of values allows, what is not
//! reachable here is not reachable with choices either.

use hardbop_base::Budget;
use rustc_hash::FxHashSet;

use super::Halt;
use super::cube::{Cube, Value};
use super::formula::Formula;
use super::model::{Domain, Emit, Relation};

pub(super) struct Kleene<'a> {
    pub(super) budget: &'a Budget,
    /// How many states one step may lead to.
    pub(super) limit: usize,
}

impl Domain for Kleene<'_> {
    fn pairs(&self, relation: &Relation, from: &Cube, emit: &mut Emit<'_>) -> Result<(), Halt> {
        let pair = relation.pair(from, |formula| Ok(formula.outcome(from).value()))?;
        let mut states = vec![pair];
        for guard in &relation.guards {
            let mut passed = Vec::new();
            for state in states {
                match guard.outcome(&state).value() {
                    Value::FALSE => {}
                    Value::TRUE => passed.push(state),
                    _ => passed.extend(self.fitting(vec![state], guard, true)?),
                }
            }
            states = passed;
        }
        states.into_iter().try_for_each(emit)
    }
}

impl Kleene<'_> {
    /// The function S of Fig. 4: the states made such that the formula is `wanted`.
    fn fitting(&self, states: Vec<Cube>, formula: &Formula, wanted: bool) -> Result<Vec<Cube>, Halt> {
        self.budget.check().map_err(Halt::Stopped)?;
        let fitting = match formula {
            Formula::Const(value) if *value == wanted => states,
            Formula::Const(_) => Vec::new(),
            Formula::Choice => states,
            Formula::Slot(slot) => {
                let allowed = states.into_iter().filter(|state| state.get(*slot).allows(wanted));
                allowed.map(|state| state.with(*slot, wanted)).collect()
            }
            Formula::Not(e) => self.fitting(states, e, !wanted)?,
            // All operands of a true conjunction are true, one of a false one is false; and dually.
            Formula::And(operands) if wanted => self.fitting_all(states, operands, wanted)?,
            Formula::Or(operands) if !wanted => self.fitting_all(states, operands, wanted)?,
            Formula::And(operands) | Formula::Or(operands) => {
                let mut union = Vec::new();
                for operand in operands {
                    union.extend(self.fitting(states.clone(), operand, wanted)?);
                }
                union
            }
            Formula::Xor(operands) => self.fitting_parity(states, operands, wanted)?,
        };
        let mut seen = FxHashSet::default();
        let fitting: Vec<Cube> = fitting.into_iter().filter(|state| seen.insert(state.clone())).collect();
        if fitting.len() > self.limit { Err(Halt::Limit) } else { Ok(fitting) }
    }

    fn fitting_all(&self, states: Vec<Cube>, operands: &[Formula], wanted: bool) -> Result<Vec<Cube>, Halt> {
        operands.iter().try_fold(states, |states, operand| self.fitting(states, operand, wanted))
    }

    fn fitting_parity(
        &self,
        states: Vec<Cube>,
        operands: &[Formula],
        wanted: bool,
    ) -> Result<Vec<Cube>, Halt> {
        let mut by_parity = [states, Vec::new()];
        for operand in operands {
            let [even, odd] = by_parity;
            let mut next_even = self.fitting(even.clone(), operand, false)?;
            let mut next_odd = self.fitting(even, operand, true)?;
            next_even.extend(self.fitting(odd.clone(), operand, true)?);
            next_odd.extend(self.fitting(odd, operand, false)?);
            by_parity = [next_even, next_odd];
        }
        let [even, odd] = by_parity;
        Ok(if wanted { odd } else { even })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitting(states: &[&str], formula: &Formula, wanted: bool) -> Vec<String> {
        let states = states.iter().map(|text| {
            let mut state = Cube::new(text.len(), Value::BOTH);
            for (slot, c) in text.chars().enumerate() {
                state.set(slot, Value::of(c != '1', c != '0'));
            }
            state
        });
        let kleene = Kleene { budget: &Budget::unlimited(), limit: 1000 };
        let found = kleene.fitting(states.collect(), formula, wanted);
        found.unwrap_or_default().iter().map(|state| state.text(2)).collect()
    }

    fn operands() -> Vec<Formula> {
        vec![Formula::Slot(0), Formula::Slot(1)]
    }

    /// The example below Fig. 4.
    #[test]
    fn two_ways_for_a_conjunction_to_be_false() {
        assert_eq!(fitting(&["**"], &Formula::And(operands()), false), ["0*", "*0"]);
        assert_eq!(fitting(&["**"], &Formula::And(operands()), true), ["11"]);
        assert_eq!(fitting(&["**"], &Formula::Or(operands()), true), ["1*", "*1"]);
        assert_eq!(fitting(&["**"], &Formula::Or(operands()), false), ["00"]);
    }

    /// What Fig. 4 as printed would lose.
    #[test]
    fn definite_operands_stay() {
        assert_eq!(fitting(&["1*"], &Formula::And(operands()), true), ["11"]);
        assert_eq!(fitting(&["0*"], &Formula::And(operands()), true), [""; 0]);
    }

    #[test]
    fn parity_constants_and_choices() {
        assert_eq!(fitting(&["**"], &Formula::Xor(operands()), true), ["01", "10"]);
        assert_eq!(fitting(&["*1"], &Formula::Xor(operands()), false), ["11"]);
        assert_eq!(fitting(&["**"], &Formula::Const(true), true), ["**"]);
        assert_eq!(fitting(&["**"], &Formula::Const(true), false), [""; 0]);
        assert_eq!(fitting(&["**"], &Formula::Choice, false), ["**"]);
    }

    /// Every state of a cube in which a formula has a value is in some state that S makes.
    #[test]
    fn no_state_is_lost() {
        let e = Formula::Or(vec![
            Formula::And(vec![Formula::Slot(0), Formula::Not(Box::new(Formula::Slot(1)))]),
            Formula::Xor(vec![Formula::Slot(1), Formula::Choice, Formula::Slot(0)]),
        ]);
        for wanted in [true, false] {
            let made = fitting(&["**"], &e, wanted);
            for state in ["00", "01", "10", "11"] {
                let can = !fitting(&[state], &e, wanted).is_empty();
                let covers = |made: &String| made.chars().zip(state.chars()).all(|(m, s)| m == '*' || m == s);
                assert!(!can || made.iter().any(covers), "{state} for {wanted}: {made:?}");
            }
        }
    }
}
