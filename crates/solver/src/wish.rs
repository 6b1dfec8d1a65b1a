//! Models that are better than others.

use hardbop_logic::{Model, Term, Terms};

use crate::{Answer, Solver};

/// How often wishes are given up before all of them are.
const ATTEMPTS: usize = 8;

/// A model of what is asserted and assumed in which as many wishes as are easily found come true; nothing if there are no wishes
/// or the solver gives up. Wishes that contradict the rest, or each other, are left out.
pub fn model_with(
    terms: &Terms,
    solver: &mut dyn Solver,
    assumptions: &[Term],
    mut wishes: Vec<Term>,
) -> Option<Model> {
    for _ in 0..ATTEMPTS {
        if wishes.is_empty() {
            return None;
        }
        let all: Vec<Term> = assumptions.iter().chain(&wishes).copied().collect();
        match solver.check(terms, &all) {
            Answer::Sat => return Some(solver.model(terms)),
            Answer::Unknown(_) => return None,
            Answer::Unsat => {
                let given = assumptions.len();
                // Of those that contradict each other one may be true.
                let last = solver.core().iter().copied().filter(|&i| i >= given).max()?;
                wishes.remove(last - given);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use hardbop_base::Budget;
    use hardbop_logic::{Sort, Value};

    use super::*;
    use crate::{Blaster, Z3};

    #[test]
    fn wishes_come_true_as_far_as_they_can() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::BitVec(8)));
        let [one, two, three] = [1, 2, 3].map(|n| terms.bv(n, 8));
        let small = terms.bv_ult(x, three);
        let wishes = vec![terms.eq(x, two), terms.eq(x, one), terms.eq(x, three), terms.eq(y, three)];
        let solvers: [Box<dyn Solver>; 2] =
            [Box::new(Z3::new(&Budget::unlimited())), Box::new(Blaster::new(&Budget::unlimited()))];
        for mut solver in solvers {
            let model = model_with(&terms, &mut *solver, &[small], wishes.clone()).unwrap_or_default();
            assert!(matches!(model.get(x), Some(Value::BitVec { value: 1 | 2, .. })), "{model:?}");
            assert_eq!(model.get(y), Some(&Value::bv(3, 8)));
            assert_eq!(model_with(&terms, &mut *solver, &[small], Vec::new()), None);
        }
    }
}
