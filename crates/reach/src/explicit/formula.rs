//! Expressions over slots, and what they can evaluate to in a cube.
//!
//! An expression with choices *can be true* in a state if some outcome of its choices makes it so, and
//! likewise *can be false*; each choice occurs once, so both follow from the operands. Over a cube, each
//! of the two questions is answered with yes (in all its states), no (in none) or maybe. On a state the
//! answer is never maybe. Forgetting the difference between choices and open slots leaves exactly
//! Kleene's tables (`000…` Fig. 3): the value is `?` where it can be true and can be false.

use hardbop_bp::{Expr, VarId};

use super::cube::{Cube, Value};

/// An answer about all states of a cube. Conjunction is the minimum, disjunction the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Answered {
    No,
    Maybe,
    Yes,
}

use Answered::{Maybe, No, Yes};

/// What an expression can be in the states of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PossibleTruth {
    /// Can it be true?
    pub(super) yes: Answered,
    /// Can it be false?
    pub(super) no: Answered,
}

impl PossibleTruth {
    fn of(value: Value) -> Self {
        match value.definite() {
            Some(true) => PossibleTruth { yes: Yes, no: No },
            Some(false) => PossibleTruth { yes: No, no: Yes },
            None => PossibleTruth { yes: Maybe, no: Maybe },
        }
    }

    /// The values it has in some state of the cube, or more.
    pub(super) fn value(self) -> Value {
        Value::of(self.no != No, self.yes != No)
    }

    fn negated(self) -> Self {
        PossibleTruth { yes: self.no, no: self.yes }
    }

    fn and(self, other: Self) -> Self {
        PossibleTruth { yes: self.yes.min(other.yes), no: self.no.max(other.no) }
    }

    fn xor(self, other: Self) -> Self {
        PossibleTruth {
            yes: self.yes.min(other.no).max(self.no.min(other.yes)),
            no: self.yes.min(other.yes).max(self.no.min(other.no)),
        }
    }
}

/// An expression with its variables replaced by slots, and with fewer operators:
/// `schoose[p, n]` is `p | (!n & *)`, `a = b` is `!(a ^ b)`, and `a => b` is `!a | b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Formula {
    Const(bool),
    Slot(usize),
    Choice,
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Xor(Vec<Formula>),
}

impl Formula {
    /// Replaces variables by the slots of their current (`now`) and new (`next`) values.
    pub(super) fn new(e: &Expr, now: &impl Fn(VarId) -> usize, next: &impl Fn(VarId) -> usize) -> Self {
        let go = |e: &Expr| Formula::new(e, now, next);
        let all = |operands: &[Expr]| operands.iter().map(go).collect();
        match e {
            Expr::Const(value) => Formula::Const(*value),
            Expr::Var(variable) => Formula::Slot(now(*variable)),
            Expr::Next(variable) => Formula::Slot(next(*variable)),
            Expr::Choice => Formula::Choice,
            Expr::Schoose(yes, no) => {
                Formula::Or(vec![go(yes), Formula::And(vec![go(no).negated(), Formula::Choice])])
            }
            Expr::Not(e) => go(e).negated(),
            Expr::And(operands) => Formula::And(all(operands)),
            Expr::Or(operands) => Formula::Or(all(operands)),
            Expr::Xor(operands) => Formula::Xor(all(operands)),
            Expr::Eq(a, b) => Formula::Xor(vec![go(a), go(b)]).negated(),
            Expr::Implies(a, b) => Formula::Or(vec![go(a).negated(), go(b)]),
        }
    }

    fn negated(self) -> Self {
        Formula::Not(Box::new(self))
    }

    /// What it can be in the states of a cube.
    pub(super) fn outcome(&self, cube: &Cube) -> PossibleTruth {
        let all = |operands: &[Formula],
                   unit: bool,
                   join: fn(PossibleTruth, PossibleTruth) -> PossibleTruth| {
            operands.iter().fold(PossibleTruth::of(Value::only(unit)), |sum, e| join(sum, e.outcome(cube)))
        };
        match self {
            Formula::Const(value) => PossibleTruth::of(Value::only(*value)),
            Formula::Slot(slot) => PossibleTruth::of(cube.get(*slot)),
            Formula::Choice => PossibleTruth { yes: Yes, no: Yes },
            Formula::Not(e) => e.outcome(cube).negated(),
            Formula::And(operands) => all(operands, true, PossibleTruth::and),
            Formula::Or(operands) => all(operands, false, |a, b| a.negated().and(b.negated()).negated()),
            Formula::Xor(operands) => all(operands, false, PossibleTruth::xor),
        }
    }

    /// The first slot it mentions that may have both values in the cube.
    pub(super) fn open_slot(&self, cube: &Cube) -> Option<usize> {
        match self {
            Formula::Const(_) | Formula::Choice => None,
            Formula::Slot(slot) => cube.first_open([*slot].into_iter()),
            Formula::Not(e) => e.open_slot(cube),
            Formula::And(operands) | Formula::Or(operands) | Formula::Xor(operands) => {
                operands.iter().find_map(|e| e.open_slot(cube))
            }
        }
    }
}

/// What must hold of the slots of a cube.
#[derive(Debug, Clone, Copy)]
pub(super) enum Condition<'a> {
    /// The formula can be true.
    Can(&'a Formula),
    /// The formula can be false.
    CanFail(&'a Formula),
    /// The slot has a value that the formula can have.
    Is(usize, &'a Formula),
}

impl Condition<'_> {
    /// Whether it holds in the states of a cube.
    pub(super) fn holds(self, cube: &Cube) -> Answered {
        match self {
            Condition::Can(formula) => formula.outcome(cube).yes,
            Condition::CanFail(formula) => formula.outcome(cube).no,
            Condition::Is(slot, formula) => {
                let PossibleTruth { yes, no } = formula.outcome(cube);
                match cube.get(slot).definite() {
                    Some(true) => yes,
                    Some(false) => no,
                    None if yes == no => yes,
                    None => Maybe,
                }
            }
        }
    }

    /// A slot to split on where the answer is maybe.
    pub(super) fn open_slot(self, cube: &Cube) -> Option<usize> {
        match self {
            Condition::Can(formula) | Condition::CanFail(formula) => formula.open_slot(cube),
            Condition::Is(slot, formula) => {
                formula.open_slot(cube).or_else(|| cube.first_open([slot].into_iter()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Value; 3] = [Value::TRUE, Value::FALSE, Value::BOTH];

    fn kleene(formula: &Formula, values: &[Value]) -> Value {
        let mut cube = Cube::new(values.len(), Value::BOTH);
        values.iter().enumerate().for_each(|(slot, &value)| cube.set(slot, value));
        formula.outcome(&cube).value()
    }

    /// `000…` Fig. 3, all of it.
    #[test]
    fn the_tables_of_kleene() {
        let (t, f, u) = (Value::TRUE, Value::FALSE, Value::BOTH);
        let operands = || vec![Formula::Slot(0), Formula::Slot(1)];
        let and = [[t, f, u], [f, f, f], [u, f, u]];
        let or = [[t, t, t], [t, f, u], [t, u, u]];
        let xor = [[f, t, u], [t, f, u], [u, u, u]];
        for (i, &a) in ALL.iter().enumerate() {
            for (j, &b) in ALL.iter().enumerate() {
                assert_eq!(kleene(&Formula::And(operands()), &[a, b]), and[i][j], "{a:?} & {b:?}");
                assert_eq!(kleene(&Formula::Or(operands()), &[a, b]), or[i][j], "{a:?} | {b:?}");
                assert_eq!(kleene(&Formula::Xor(operands()), &[a, b]), xor[i][j], "{a:?} ^ {b:?}");
            }
            assert_eq!(kleene(&Formula::Slot(0).negated(), &[a]), [f, t, u][i], "!{a:?}");
        }
    }

    /// `schoose[p, n]` for all three-valued operands: true if p, else false if n, else unknown.
    #[test]
    fn the_table_of_schoose() {
        let [p, n] = [0, 1].map(hardbop_base::Id::from_usize);
        let e = Expr::Schoose(Box::new(Expr::Var(p)), Box::new(Expr::Var(n)));
        let formula = Formula::new(&e, &|v| v.index(), &|v| v.index());
        for p in ALL {
            for n in ALL {
                let expected = match (p.definite(), n.definite()) {
                    (Some(true), _) => Value::TRUE,
                    (Some(false), Some(true)) => Value::FALSE,
                    _ => Value::BOTH,
                };
                assert_eq!(kleene(&formula, &[p, n]), expected, "schoose[{p:?}, {n:?}]");
            }
        }
    }

    #[test]
    fn choices_are_not_open_slots() {
        let cube = Cube::new(1, Value::BOTH);
        assert_eq!(Formula::Choice.outcome(&cube), PossibleTruth { yes: Yes, no: Yes });
        assert_eq!(Formula::Slot(0).outcome(&cube), PossibleTruth { yes: Maybe, no: Maybe });
        let either = Formula::Or(vec![Formula::Slot(0), Formula::Choice]);
        assert_eq!(either.outcome(&cube), PossibleTruth { yes: Yes, no: Maybe });
    }
}
