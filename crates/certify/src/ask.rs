//! What checkers of proofs ask solvers: whether conditions contradict each other, and whether what is taken for
//! granted does not.

use hardbop_base::Budget;
use hardbop_logic::{Model, Term, Terms};
use hardbop_semantics::{Encoder, Subject};
use hardbop_solver::{Answer, Solver};
use rustc_hash::FxHashSet;

use crate::proof::Rejection;

/// What a proof takes for granted between two cut points. From facts that contradict each other everything
/// follows, so they are shown to have a model.
#[derive(Debug, Default)]
pub(crate) struct Background {
    facts: Vec<Term>,
    /// Sets of facts that were shown to have one.
    confirmed: Vec<FxHashSet<Term>>,
}

impl Background {
    fn add(&mut self, facts: &[Term]) {
        self.facts.extend(facts);
    }

    /// That the facts since the last time have a model.
    pub(crate) fn confirm(
        &mut self,
        encoder: &Encoder,
        solvers: &mut [Box<dyn Solver>],
        budget: &Budget,
    ) -> Result<(), Rejection> {
        let mut facts = std::mem::take(&mut self.facts);
        facts.sort_unstable();
        facts.dedup();
        // A model of some facts is one of a part of them.
        let is_part = |known: &FxHashSet<Term>| facts.iter().all(|fact| known.contains(fact));
        if facts.is_empty() || self.confirmed.iter().any(is_part) {
            return Ok(());
        }
        if !has_model(encoder, solvers, &facts, budget)? {
            return Err(contradiction(encoder));
        }
        self.confirmed.push(facts.into_iter().collect());
        Ok(())
    }
}

/// That facts about addresses have no model: a defect, unless objects have no room in memory together.
pub(crate) fn contradiction(encoder: &Encoder) -> Rejection {
    if encoder.is_crowded() {
        return Rejection::Undecided("the objects of a run may not fit into memory together".to_owned());
    }
    Rejection::Wrong("what is assumed of addresses contradicts itself".to_owned())
}

/// Whether conditions contradict each other; if not, values that make them true. The solvers are asked in turn until
/// one decides. What is taken for granted besides goes to the background.
pub(crate) fn refute(
    encoder: &mut Encoder,
    subject: Subject<'_>,
    solvers: &mut [Box<dyn Solver>],
    background: &mut Background,
    mut given: Vec<Term>,
    budget: &Budget,
) -> Result<Option<Model>, Rejection> {
    if given.iter().any(|&term| encoder.terms.as_bool(term) == Some(false)) {
        return Ok(None);
    }
    let axioms = encoder.on(subject).axioms(&given);
    background.add(&axioms);
    given.extend(axioms);
    decide(encoder, solvers, &given, budget, |solver, terms| solver.model(terms))
}

/// Whether conditions can hold at the same time. The solvers are asked in turn until one decides.
pub(crate) fn has_model(
    encoder: &Encoder,
    solvers: &mut [Box<dyn Solver>],
    given: &[Term],
    budget: &Budget,
) -> Result<bool, Rejection> {
    decide(encoder, solvers, given, budget, |_, _| ()).map(|found| found.is_some())
}

/// What is wanted of the first solver that finds that conditions can hold at the same time; nothing if they cannot.
fn decide<T>(
    encoder: &Encoder,
    solvers: &mut [Box<dyn Solver>],
    given: &[Term],
    budget: &Budget,
    wanted: impl Fn(&mut dyn Solver, &Terms) -> T,
) -> Result<Option<T>, Rejection> {
    let mut reason = "no solver".to_owned();
    for solver in solvers {
        solver.push();
        given.iter().for_each(|&term| solver.assert(&encoder.terms, term));
        let answer = solver.check(&encoder.terms, &[]);
        let found = (answer == Answer::Sat).then(|| wanted(&mut **solver, &encoder.terms));
        solver.pop();
        match answer {
            Answer::Unsat | Answer::Sat => return Ok(found),
            Answer::Unknown(why) => {
                budget.check()?;
                reason = why.to_string();
            }
        }
    }
    Err(Rejection::Undecided(reason))
}

#[cfg(test)]
mod tests {
    use hardbop_logic::Sort;
    use hardbop_solver::Z3;

    use super::*;

    #[test]
    fn facts_that_contradict_each_other_are_not_accepted() {
        let (mut encoder, budget) = (Encoder::default(), Budget::unlimited());
        let mut solvers: Vec<Box<dyn Solver>> = vec![Box::new(Z3::new(&budget))];
        let x = encoder.terms.symbol("x", Sort::BitVec(8));
        let (three, five) = (encoder.terms.bv(3, 8), encoder.terms.bv(5, 8));
        let (below, above) = (encoder.terms.bv_ult(x, three), encoder.terms.bv_ult(five, x));
        let mut background = Background::default();
        background.add(&[below]);
        assert_eq!(background.confirm(&encoder, &mut solvers, &budget), Ok(()));
        background.add(&[above]);
        assert_eq!(background.confirm(&encoder, &mut solvers, &budget), Ok(()));
        background.add(&[below, above]);
        assert!(matches!(background.confirm(&encoder, &mut solvers, &budget), Err(Rejection::Wrong(_))));
    }
}
