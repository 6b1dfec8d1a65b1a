//! What checkers of proofs have in common: which of several edges is taken, and whether conditions contradict each
//! other.

use hardbop_base::Budget;
use hardbop_ir::{EdgeId, ProcId, are_exclusive};
use hardbop_logic::{Sort, Term};
use hardbop_semantics::{Encoder, Subject};
use hardbop_solver::{Answer, Solver};

use crate::proof::Rejection;

/// Which of several edges is taken, if their guards leave that open.
pub(crate) fn choices(
    encoder: &mut Encoder,
    subject: Subject<'_>,
    procedure: ProcId,
    edges: &[EdgeId],
) -> Vec<Term> {
    let mut rest = encoder.terms.bool(true);
    if are_exclusive(subject.program, &subject.program.procedures[procedure], edges) {
        return vec![rest; edges.len()];
    }
    let mut choices = Vec::new();
    for _ in 1..edges.len() {
        let this = encoder.on(subject).arbitrary(Sort::Bool);
        choices.push(encoder.terms.and(&[rest, this]));
        let other = encoder.terms.not(this);
        rest = encoder.terms.and(&[rest, other]);
    }
    choices.push(rest);
    choices
}

/// That conditions contradict each other. The solvers are asked in turn until one decides.
pub(crate) fn refute(
    encoder: &mut Encoder,
    subject: Subject<'_>,
    solvers: &mut [Box<dyn Solver>],
    mut given: Vec<Term>,
    complaint: impl Fn() -> String,
    budget: &Budget,
) -> Result<(), Rejection> {
    if given.iter().any(|&term| encoder.terms.as_bool(term) == Some(false)) {
        return Ok(());
    }
    let axioms = encoder.on(subject).axioms(&given);
    given.extend(axioms);
    let mut reason = "no solver".to_owned();
    for solver in solvers {
        solver.push();
        given.iter().for_each(|&term| solver.assert(&encoder.terms, term));
        let answer = solver.check(&encoder.terms, &[]);
        solver.pop();
        match answer {
            Answer::Unsat => return Ok(()),
            Answer::Sat => return Err(Rejection::Wrong(complaint())),
            Answer::Unknown(why) => {
                budget.check()?;
                reason = why.to_string();
            }
        }
    }
    Err(Rejection::Undecided(reason))
}
