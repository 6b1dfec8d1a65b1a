//! Splitting a cube into parts: where conditions hold, and where chosen slots have one value each.
//!
//! Conditions are evaluated on whole cubes first; only a slot on which an undecided condition depends
//! is split. With all slots chosen, the parts are the states that satisfy the conditions; with some,
//! it is the focus operation of `003…` §9.3; with none, it is an exact decomposition into cubes.

use hardbop_base::Budget;

use super::Halt;
use super::cube::Cube;
use super::formula::{Answered, Condition};

/// The parts of a cube in which all conditions hold and all chosen slots have one value; disjoint, and
/// in ascending order of the slots split.
pub(super) struct Split<'a> {
    stack: Vec<Cube>,
    conditions: &'a [Condition<'a>],
    chosen: &'a [usize],
    budget: &'a Budget,
}

impl<'a> Split<'a> {
    pub(super) fn new(
        cube: Cube,
        conditions: &'a [Condition<'a>],
        chosen: &'a [usize],
        budget: &'a Budget,
    ) -> Self {
        Split { stack: vec![cube], conditions, chosen, budget }
    }

    /// A slot to split on; `Ok(None)` if the cube is a part, `Err` if no part of it is.
    fn next_slot(&self, cube: &Cube) -> Result<Option<usize>, NoPart> {
        let mut undecided = None;
        for condition in self.conditions {
            match condition.holds(cube) {
                Answered::No => return Err(NoPart),
                Answered::Maybe if undecided.is_none() => undecided = condition.open_slot(cube),
                _ => {}
            }
        }
        Ok(undecided.or_else(|| cube.first_open(self.chosen.iter().copied())))
    }
}

struct NoPart;

impl Iterator for Split<'_> {
    type Item = Result<Cube, Halt>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(cube) = self.stack.pop() {
            if let Err(stop) = self.budget.check() {
                return Some(Err(Halt::Stopped(stop)));
            }
            match self.next_slot(&cube) {
                Ok(None) => return Some(Ok(cube)),
                Ok(Some(slot)) => self.stack.extend([cube.with(slot, true), cube.with(slot, false)]),
                Err(NoPart) => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::cube::Value;
    use super::super::formula::Formula;
    use super::*;

    fn parts(conditions: &[Condition<'_>], chosen: &[usize]) -> Vec<String> {
        let budget = Budget::unlimited();
        let split = Split::new(Cube::new(3, Value::BOTH), conditions, chosen, &budget);
        split.map(|part| part.map(|part| part.text(3)).unwrap_or_default()).collect()
    }

    /// `003…` §9.3: the focus on two of three components.
    #[test]
    fn focus() {
        assert_eq!(parts(&[], &[0, 1]), ["00*", "01*", "10*", "11*"]);
    }

    #[test]
    fn conditions_split_only_what_they_need() {
        let or = Formula::Or(vec![Formula::Slot(0), Formula::Slot(2)]);
        assert_eq!(parts(&[Condition::Can(&or)], &[]), ["0*1", "1**"]);
        let slot = Formula::Slot(0);
        assert_eq!(parts(&[Condition::Is(1, &slot)], &[]), ["00*", "11*"]);
        let never = Formula::Const(false);
        assert!(parts(&[Condition::Can(&never)], &[0, 1, 2]).is_empty());
    }

    #[test]
    fn a_spent_budget_ends_it() {
        let budget = Budget::unlimited();
        budget.stop(hardbop_base::Stop::Time);
        let mut split = Split::new(Cube::new(3, Value::BOTH), &[], &[0], &budget);
        assert!(matches!(split.next(), Some(Err(Halt::Stopped(_)))));
    }
}
