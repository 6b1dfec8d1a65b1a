//! Bit-blasting: quantifier-free bit-vectors and arrays as clauses for CaDiCaL.
//!
//! Terms become words of gates ([`encoder`]), gates become clauses when a query reaches them
//! ([`clauses`]). Nothing is ever taken back: levels are switched off by their literal, so that all that
//! was learned stays, except where words were made with facts of a level in mind that is left. Integers
//! are not supported.

mod arrays;
mod clauses;
mod encoder;
mod gates;
mod index;
mod words;

use hardbop_base::Budget;
use hardbop_logic::{Model, Node, Term, Terms};

use crate::{Answer, Clock, Limits, Meter, Reason, Solver, Statistics};

use clauses::Clauses;
use encoder::Encoder;

/// Steps of [`Limits::work`] for one conflict.
const STEPS_OF_CONFLICT: u64 = 100;
/// How often a solution may break what arrays must satisfy before we give up.
const MAX_ROUNDS: usize = 20_000;

/// A solver for bit-vectors and arrays over a SAT solver.
pub struct Blaster {
    budget: Budget,
    meter: Meter,
    limits: Limits,
    encoder: Encoder,
    clauses: Clauses,
    levels: Vec<Level>,
    /// Literals of levels that were left, to be switched off by the next query.
    left: Vec<i32>,
    /// Whether any level was left.
    was_left: bool,
    core: Vec<usize>,
    /// Whether the SAT solver holds a solution.
    solved: bool,
}

/// What is asserted between two pushes.
#[derive(Debug, Default)]
struct Level {
    asserted: Vec<Term>,
    /// How many of them the SAT solver knows.
    passed: usize,
    /// The literal that switches the level on; level 0 is always on.
    switch: Option<i32>,
    /// Whether words were made with what is asserted here in mind.
    taught: bool,
}

impl Blaster {
    /// A solver that stops when the budget is spent.
    pub fn new(budget: &Budget) -> Self {
        Blaster {
            budget: budget.clone(),
            meter: Meter::default(),
            limits: Limits::default(),
            encoder: Encoder::default(),
            clauses: Clauses::new(budget),
            levels: vec![Level::default()],
            left: Vec::new(),
            was_left: false,
            core: Vec::new(),
            solved: false,
        }
    }

    /// The solver with a clock, for limits and statistics of time.
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.meter.clock = Some(clock);
        self
    }

    fn decide(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<bool, Reason> {
        self.budget.check()?;
        for switch in self.left.drain(..) {
            self.clauses.clause(&[-switch]);
        }
        self.learn(terms);
        for level in 0..self.levels.len() {
            self.pass_level(terms, level)?;
        }
        let mut literals = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            literals.push(self.literal(terms, assumption)?);
        }
        self.encoder.close(terms, &mut self.clauses);
        let mut assumed: Vec<i32> = self.levels.iter().filter_map(|level| level.switch).collect();
        assumed.extend(&literals);
        let satisfiable = self.search(terms, &assumed)?;
        if !satisfiable {
            self.core = (0..literals.len()).filter(|&i| self.clauses.failed(literals[i])).collect();
        }
        Ok(satisfiable)
    }

    /// Learns what words may be made with in mind: facts of level 0, which stay, and those of other levels as long as
    /// none was left. Leaving such a level then costs all words, which only the first one may be worth.
    fn learn(&mut self, terms: &Terms) {
        let teachers = if self.was_left { 1 } else { self.levels.len() };
        for level in self.levels.iter_mut().take(teachers) {
            for &fact in &level.asserted[level.passed..] {
                level.taught |= self.encoder.ranges.learn(terms, fact);
            }
        }
    }

    /// Forgets all words and clauses; what is asserted will be passed again.
    fn restart(&mut self) {
        self.encoder = Encoder::default();
        self.clauses = Clauses::new(&self.budget);
        self.left.clear();
        for level in &mut self.levels {
            *level = Level { asserted: std::mem::take(&mut level.asserted), ..Level::default() };
        }
    }

    /// Solves until the solution breaks nothing that arrays must satisfy.
    fn search(&mut self, terms: &Terms, assumed: &[i32]) -> Result<bool, Reason> {
        let conflicts = self.limits.work.map(|work| work / STEPS_OF_CONFLICT);
        for _ in 0..MAX_ROUNDS {
            match self.clauses.solve(assumed, conflicts) {
                Some(true) if self.encoder.refine(terms, &mut self.clauses) => {
                    self.encoder.close(terms, &mut self.clauses);
                }
                Some(satisfiable) => return Ok(satisfiable),
                None => {
                    self.budget.check()?;
                    // The clock or the number of conflicts has stopped it.
                    return Err(Reason::Time);
                }
            }
            self.budget.check()?;
            if self.clauses.is_late() {
                return Err(Reason::Time);
            }
        }
        Err(Reason::Incomplete("the arrays need too many case distinctions".into()))
    }

    fn pass_level(&mut self, terms: &Terms, number: usize) -> Result<(), Reason> {
        while let Some(&t) = self.levels[number].asserted.get(self.levels[number].passed) {
            if number > 0 && self.levels[number].switch.is_none() {
                self.levels[number].switch = Some(self.clauses.variable());
            }
            let literal = self.literal(terms, t)?;
            match self.levels[number].switch {
                Some(switch) => self.clauses.clause(&[-switch, literal]),
                None => self.clauses.clause(&[literal]),
            }
            self.levels[number].passed += 1;
        }
        Ok(())
    }

    fn literal(&mut self, terms: &Terms, t: Term) -> Result<i32, Reason> {
        let word = self.encoder.encode(terms, t, &self.budget)?;
        Ok(self.clauses.literal(&self.encoder.circuit, word[0]))
    }
}

impl Solver for Blaster {
    fn name(&self) -> &'static str {
        "blaster"
    }

    fn assert(&mut self, terms: &Terms, t: Term) {
        let Some(level) = self.levels.last_mut() else { return };
        // Members one by one: short clauses are worth more than a gate for all.
        let mut open = vec![t];
        while let Some(t) = open.pop() {
            match terms.node(t) {
                Node::And(members) => open.extend(members.iter().rev()),
                _ => level.asserted.push(t),
            }
        }
    }

    fn push(&mut self) {
        self.levels.push(Level::default());
    }

    fn pop(&mut self) {
        if self.levels.len() > 1
            && let Some(level) = self.levels.pop()
        {
            self.was_left = true;
            self.solved = false;
            match level.taught {
                true => self.restart(),
                false => self.left.extend(level.switch),
            }
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        let start = self.meter.now();
        let deadline = self.meter.clock.zip(self.limits.time).map(|(clock, time)| (clock, start + time));
        self.clauses.set_deadline(deadline);
        self.core.clear();
        self.solved = false;
        let answer = match self.decide(terms, assumptions) {
            Ok(true) => {
                self.solved = true;
                Answer::Sat
            }
            Ok(false) => Answer::Unsat,
            Err(reason) => Answer::Unknown(reason),
        };
        self.meter.finish(start, answer)
    }

    fn core(&self) -> &[usize] {
        &self.core
    }

    fn model(&mut self, terms: &Terms) -> Model {
        if self.solved { self.encoder.model(terms, &self.clauses) } else { Model::default() }
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn statistics(&self) -> Statistics {
        self.meter.statistics
    }
}
