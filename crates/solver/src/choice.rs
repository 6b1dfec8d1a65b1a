//! Which solver is asked.

use std::time::Duration;

use hardbop_base::Budget;
use hardbop_logic::{Model, Term, Terms};

use crate::split::Splitting;
use crate::{Answer, Blaster, Limits, Solver, Statistics, Z3};

/// What z3 may take for a question of a certificate before the bit-blaster is asked.
const FIRST_TRY: Duration = Duration::from_millis(300);
/// What it may take at least, however often it gave up.
const LAST_TRY: Duration = Duration::from_millis(10);

/// The solver of searches: the bit-blaster, or z3 where there are mathematical integers.
pub fn new_solver(integers: bool, budget: &Budget) -> Box<dyn Solver> {
    if integers { Box::new(Z3::new(budget)) } else { Box::new(Blaster::new(budget)) }
}

/// The solver where each question counts: what is hard for the bit-blaster is split into cases.
pub fn new_splitting_solver(integers: bool, budget: &Budget) -> Box<dyn Solver> {
    if integers { Box::new(Z3::new(budget)) } else { Box::new(Splitting::new(Blaster::new, budget)) }
}

/// The solvers of certificates, in the order in which they are asked: z3, which searches use only where nothing else
/// can; then a fresh instance of what they used.
pub fn certifiers(integers: bool, budget: &Budget) -> Vec<Box<dyn Solver>> {
    certifiers_with(new_solver, integers, budget)
}

/// The same for proofs of a search that splits what is hard.
pub fn splitting_certifiers(integers: bool, budget: &Budget) -> Vec<Box<dyn Solver>> {
    certifiers_with(new_splitting_solver, integers, budget)
}

fn certifiers_with(
    second: fn(bool, &Budget) -> Box<dyn Solver>,
    integers: bool,
    budget: &Budget,
) -> Vec<Box<dyn Solver>> {
    let first = Z3::new(budget);
    if integers {
        return vec![Box::new(first)];
    }
    vec![Box::new(Hasty { solver: first, time: FIRST_TRY }), second(integers, budget)]
}

/// A solver that is asked first. Questions of one certificate are alike: where it gives up again and again, it gets half of the
/// time for the next one, and twice as much when it has answered.
struct Hasty<S> {
    solver: S,
    time: Duration,
}

impl<S: Solver> Solver for Hasty<S> {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn assert(&mut self, terms: &Terms, t: Term) {
        self.solver.assert(terms, t);
    }

    fn push(&mut self) {
        self.solver.push();
    }

    fn pop(&mut self) {
        self.solver.pop();
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        self.solver.set_limits(Limits { time: Some(self.time), ..Limits::default() });
        let answer = self.solver.check(terms, assumptions);
        self.time = match answer {
            Answer::Unknown(_) => (self.time / 2).max(LAST_TRY),
            Answer::Sat | Answer::Unsat => (self.time * 2).min(FIRST_TRY),
        };
        answer
    }

    fn core(&self) -> &[usize] {
        self.solver.core()
    }

    fn model(&mut self, terms: &Terms) -> Model {
        self.solver.model(terms)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.solver.set_limits(limits);
    }

    fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }
}
