//! z3, on the system's library.
//!
//! A query is first tried for a short while by an incremental solver, where assumptions are literals and
//! cores come for free. Most queries end there. What does not is asked plainly, all terms asserted in a
//! fresh solver, so that z3 may use its tactics, which are faster by an order of magnitude on hard
//! queries; only if that says "unsat" the incremental solver is asked for a core, within the limits, and
//! if it has none all assumptions are the core.
//!
//! Limits of time and work are z3's own. A spent budget interrupts z3 from a second thread, which only
//! hard queries need. All solvers of a thread share z3's context of that thread, but no terms.

mod translate;
mod values;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustc_hash::FxHashMap;
use z3::ast::Bool;
use z3::{Context, Params, SatResult};

use hardbop_base::Budget;
use hardbop_logic::{Evaluator, Model, Node, Term, Terms, Value};

use crate::{Answer, Clock, Limits, Meter, Reason, Solver, Statistics};

use translate::Translation;

/// What the first try may cost, in z3's resource units; about a microsecond each.
const SHORT: u64 = 50_000;
/// With more terms than this, even the first try is watched: z3 does not count all it does.
const LARGE: usize = 5_000;
/// How often a running query looks at the budget.
const WATCH: Duration = Duration::from_millis(20);

/// A solver for all sorts.
pub struct Z3 {
    budget: Budget,
    meter: Meter,
    limits: Limits,
    translation: Translation,
    incremental: z3::Solver,
    /// The limits that the incremental solver was given last: to give them costs more than many an answer.
    given: Option<Limits>,
    /// Whether the incremental solver is one for bit-vectors and arrays only.
    for_bits: bool,
    levels: Vec<Level>,
    /// Literals that imply assumptions, and the level that they were introduced at.
    literals: FxHashMap<Term, (Bool, usize)>,
    core: Vec<usize>,
    model: Model,
}

/// What is asserted between two pushes, in our terms and in z3's.
#[derive(Debug, Default)]
struct Level {
    terms: Vec<Term>,
    parts: Vec<Bool>,
}

/// What z3 says.
type Verdict = Result<bool, Reason>;

impl Z3 {
    /// A solver that stops when the budget is spent.
    pub fn new(budget: &Budget) -> Self {
        Z3 {
            budget: budget.clone(),
            meter: Meter::default(),
            limits: Limits::default(),
            translation: Translation::default(),
            incremental: solver_for_bits(),
            given: None,
            for_bits: true,
            levels: vec![Level::default()],
            literals: FxHashMap::default(),
            core: Vec::new(),
            model: Model::default(),
        }
    }

    /// The solver with a clock, for statistics of time.
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.meter.clock = Some(clock);
        self
    }

    /// The term and all that must hold besides it.
    fn translate(&mut self, terms: &Terms, t: Term) -> Vec<Bool> {
        let mut all = vec![self.translation.bool(terms, t)];
        all.extend(self.translation.side_conditions(terms, t));
        if self.for_bits && self.translation.has_integers {
            self.generalise();
        }
        all
    }

    /// Replaces the solver for bit-vectors by a general one.
    fn generalise(&mut self) {
        self.for_bits = false;
        self.incremental = z3::Solver::new();
        self.given = None;
        self.literals.clear();
        for (number, level) in self.levels.iter().enumerate() {
            if number > 0 {
                self.incremental.push();
            }
            for asserted in &level.parts {
                self.incremental.assert(asserted);
            }
        }
    }

    fn limit_incremental(&mut self, limits: Limits) {
        if self.given != Some(limits) {
            set_limits(&self.incremental, limits);
            self.given = Some(limits);
        }
    }

    fn decide(&mut self, terms: &Terms, assumptions: &[Term]) -> Verdict {
        self.budget.check()?;
        let mut plain = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            plain.push(self.translate(terms, assumption));
        }
        let literals: Vec<Bool> =
            assumptions.iter().zip(&plain).map(|(&t, parts)| self.literal(terms, t, parts)).collect();
        let work = self.limits.work.map_or(SHORT, |work| work.min(SHORT));
        self.limit_incremental(Limits { work: Some(work), ..self.limits });
        let ask = || self.incremental.check_assumptions(&literals);
        let result = if self.translation.len() > LARGE { self.watched(ask) } else { ask() };
        match self.verdict(&self.incremental, result) {
            Ok(true) => self.read_model(terms, self.incremental.get_model(), assumptions),
            Ok(false) => {
                self.read_core(&literals);
                Ok(false)
            }
            Err(Reason::Time | Reason::Incomplete(_)) => {
                self.decide_plainly(terms, assumptions, &plain, &literals)
            }
            Err(reason) => Err(reason),
        }
    }

    fn decide_plainly(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        plain: &[Vec<Bool>],
        literals: &[Bool],
    ) -> Verdict {
        self.budget.check()?;
        let solver = z3::Solver::new();
        for asserted in self.levels.iter().map(|level| &level.parts).chain(plain).flatten() {
            solver.assert(asserted);
        }
        set_limits(&solver, self.limits);
        let result = self.watched(|| solver.check());
        if self.verdict(&solver, result)? {
            return self.read_model(terms, solver.get_model(), assumptions);
        }
        if !literals.is_empty() {
            self.limit_incremental(self.limits);
            match self.watched(|| self.incremental.check_assumptions(literals)) {
                SatResult::Unsat => self.read_core(literals),
                SatResult::Sat | SatResult::Unknown => self.core = (0..literals.len()).collect(),
            }
        }
        Ok(false)
    }

    /// Keeps the values of a satisfiable query, at once, so that there is no "sat" without values.
    ///
    /// z3 4.8.12 takes some equalities of arrays with few indices for satisfiable that are not, and its
    /// models are wrong then. Where there are such equalities, the values are therefore tried.
    fn read_model(&mut self, terms: &Terms, model: Option<z3::Model>, assumptions: &[Term]) -> Verdict {
        let model = model.ok_or_else(|| Reason::Incomplete("z3 has no model".into()))?;
        self.model = values::read_model(terms, &self.translation, &model).map_err(Reason::Incomplete)?;
        if self.translation.has_array_equalities() {
            let asserted = self.levels.iter().flat_map(|level| &level.terms);
            let mut values = Evaluator::new();
            let mut holds = |&t: &Term| values.value(terms, t, &self.model) == Some(Value::Bool(true));
            if !asserted.chain(assumptions).all(&mut holds) {
                return Err(Reason::Incomplete("z3's model is wrong".into()));
            }
        }
        Ok(true)
    }

    fn read_core(&mut self, literals: &[Bool]) {
        let core = self.incremental.get_unsat_core();
        self.core = (0..literals.len()).filter(|&i| core.contains(&literals[i])).collect();
    }

    /// A literal that implies an assumption.
    fn literal(&mut self, terms: &Terms, t: Term, parts: &[Bool]) -> Bool {
        if let Some((literal, _)) = self.literals.get(&t) {
            return literal.clone();
        }
        let is_symbol = |t: Term| matches!(terms.node(t), Node::Symbol { .. });
        let literal = match *terms.node(t) {
            Node::Symbol { .. } => parts[0].clone(),
            Node::Not(of) if is_symbol(of) => parts[0].clone(),
            _ => {
                let literal = Bool::new_const(format!("a{}", t.index()));
                for part in parts {
                    self.incremental.assert(literal.implies(part));
                }
                literal
            }
        };
        self.literals.insert(t, (literal.clone(), self.levels.len() - 1));
        literal
    }

    /// Runs z3 with a watcher that interrupts it when the budget is spent.
    fn watched(&self, query: impl FnOnce() -> SatResult) -> SatResult {
        let context = Context::thread_local();
        let handle = context.handle();
        let done = AtomicBool::new(false);
        let budget = &self.budget;
        std::thread::scope(|scope| {
            // If no thread can be started, the query is not interrupted.
            let watcher = std::thread::Builder::new().spawn_scoped(scope, || {
                while !done.load(Ordering::Acquire) {
                    if budget.check().is_err() {
                        // More than once, in case that z3 has not started yet.
                        handle.interrupt();
                    }
                    std::thread::park_timeout(WATCH);
                }
            });
            let result = query();
            done.store(true, Ordering::Release);
            if let Ok(watcher) = watcher {
                watcher.thread().unpark();
            }
            result
        })
    }

    fn verdict(&self, solver: &z3::Solver, result: SatResult) -> Verdict {
        match result {
            SatResult::Sat => Ok(true),
            SatResult::Unsat => Ok(false),
            SatResult::Unknown => {
                self.budget.check()?;
                let why = solver.get_reason_unknown().unwrap_or_default();
                Err(match why.as_str() {
                    "timeout" | "canceled" | "interrupted" => Reason::Time,
                    why if why.contains("resource") => Reason::Time,
                    why if why.contains("memory") || why.contains("memout") => Reason::Memory,
                    why => Reason::Incomplete(format!("z3 says: {why}")),
                })
            }
        }
    }
}

/// A solver for bit-vectors and arrays; the general one if z3 should not know the logic.
fn solver_for_bits() -> z3::Solver {
    z3::Solver::new_for_logic("QF_ABV").unwrap_or_default()
}

fn set_limits(solver: &z3::Solver, limits: Limits) {
    let mut params = Params::new();
    let milliseconds = limits.time.map(|time| u32::try_from(time.as_millis().max(1)).unwrap_or(u32::MAX));
    params.set_u32("timeout", milliseconds.unwrap_or(u32::MAX));
    // Zero is no limit.
    let work = limits.work.map(|work| u32::try_from(work.max(1)).unwrap_or(u32::MAX));
    params.set_u32("rlimit", work.unwrap_or(0));
    solver.set_params(&params);
}

impl Solver for Z3 {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn assert(&mut self, terms: &Terms, t: Term) {
        let parts = self.translate(terms, t);
        for part in &parts {
            self.incremental.assert(part);
        }
        if let Some(level) = self.levels.last_mut() {
            level.terms.push(t);
            level.parts.extend(parts);
        }
    }

    fn push(&mut self) {
        self.levels.push(Level::default());
        self.incremental.push();
    }

    fn pop(&mut self) {
        if self.levels.len() > 1 {
            self.levels.pop();
            self.incremental.pop(1);
            let depth = self.levels.len();
            self.literals.retain(|_, (_, level)| *level < depth);
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        let start = self.meter.now();
        self.core.clear();
        self.model = Model::default();
        let answer = match self.decide(terms, assumptions) {
            Ok(true) => Answer::Sat,
            Ok(false) => Answer::Unsat,
            Err(reason) => Answer::Unknown(reason),
        };
        self.meter.finish(start, answer)
    }

    fn core(&self) -> &[usize] {
        &self.core
    }

    fn model(&mut self, _: &Terms) -> Model {
        self.model.clone()
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn statistics(&self) -> Statistics {
        self.meter.statistics
    }
}
