//! Questions to the solver.

use hardbop_base::Budget;
use hardbop_logic::{Model, Term};
use hardbop_semantics::{Encoder, Subject};
use hardbop_solver::{Answer, Solver, new_solver};
use hardbop_verdict::Reason;

/// A solver with what it is asked about.
pub(crate) struct Asker<'a> {
    subject: Subject<'a>,
    budget: &'a Budget,
    solver: Box<dyn Solver>,
    /// Questions since the solver was new.
    asked: usize,
}

/// Questions after which a solver is replaced: it gets slower with what it was asked before.
const MAX_QUESTIONS: usize = 400;

impl<'a> Asker<'a> {
    pub(crate) fn new(subject: Subject<'a>, budget: &'a Budget) -> Self {
        Asker { subject, budget, solver: new_solver(subject.program.uses_integers(), budget), asked: 0 }
    }

    /// A model of some conditions, if there is one.
    pub(crate) fn model(
        &mut self,
        encoder: &mut Encoder,
        conditions: &[Term],
    ) -> Result<Option<Model>, Reason> {
        let mut found = None;
        self.models(encoder, conditions, |_, model| {
            found = Some(model);
            None
        })?;
        Ok(found)
    }

    /// Whether some conditions can hold together.
    pub(crate) fn is_possible(&mut self, encoder: &mut Encoder, conditions: &[Term]) -> Result<bool, Reason> {
        if conditions.iter().any(|&term| encoder.terms.as_bool(term) == Some(false)) {
            return Ok(false);
        }
        Ok(self.model(encoder, conditions)?.is_some())
    }

    /// One model after the other, as long as the caller gives a further condition.
    pub(crate) fn models(
        &mut self,
        encoder: &mut Encoder,
        conditions: &[Term],
        mut next: impl FnMut(&mut Encoder, Model) -> Option<Term>,
    ) -> Result<(), Reason> {
        if self.asked > MAX_QUESTIONS {
            *self = Asker::new(self.subject, self.budget);
        }
        let axioms = encoder.on(self.subject).axioms(conditions);
        self.solver.push();
        for &term in axioms.iter().chain(conditions) {
            self.solver.assert(&encoder.terms, term);
        }
        let result = loop {
            if let Err(stop) = self.budget.check() {
                break Err(Reason::Stopped(stop));
            }
            self.asked += 1;
            match self.solver.check(&encoder.terms, &[]) {
                Answer::Unsat => break Ok(()),
                Answer::Unknown(why) => {
                    let stopped = self.budget.check().err().map(Reason::Stopped);
                    break Err(stopped.unwrap_or_else(|| Reason::Solver(why.to_string())));
                }
                Answer::Sat => {
                    let model = self.solver.model(&encoder.terms);
                    match next(encoder, model) {
                        Some(further) => self.solver.assert(&encoder.terms, further),
                        None => break Ok(()),
                    }
                }
            }
        };
        self.solver.pop();
        result
    }
}
