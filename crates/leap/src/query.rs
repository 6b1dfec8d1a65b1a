//! Questions to the solver, and terms over two states.
//!
//! Every question is about terms over the symbols of one state or of two. Each is answered
//! within a limit that does not depend on a clock; a question without an answer counts as the answer that claims less: a
//! must-transition that is not proved is not there, a may-transition that is not refuted is.

use hardbop_base::{Budget, Stop};
use hardbop_logic::{Model, Sort, Term};
use hardbop_semantics::{Cell, Encoder, Subject};
use hardbop_solver::{Answer, Limits, Solver, minimise_core};
use rustc_hash::FxHashMap;

/// Work for one question; see [`Limits::work`].
const WORK: u64 = 2_000_000;

/// Questions to make one core smaller.
const MAX_TRIALS: usize = 40;

/// A solver is renewed after so many questions: it gets slower the more it was asked.
const RENEWED: u32 = 64;

/// Asks questions about a program.
pub struct Query<'a> {
    /// The program.
    pub subject: Subject<'a>,
    /// Whose terms it asks about.
    pub encoder: Encoder,
    /// When to stop.
    pub budget: &'a Budget,
    /// How many questions a solver was asked.
    pub asked: u64,
    integers: bool,
    known: FxHashMap<Term, Option<bool>>,
    /// A solver and how many questions it has answered.
    solver: Option<(Box<dyn Solver>, u32)>,
}

impl<'a> Query<'a> {
    /// Nothing was asked yet.
    pub fn new(subject: Subject<'a>, budget: &'a Budget) -> Self {
        let integers = subject.program.uses_integers();
        let known = FxHashMap::default();
        Query { subject, encoder: Encoder::default(), budget, asked: 0, integers, known, solver: None }
    }

    fn new_solver(&self) -> Box<dyn Solver> {
        let mut solver = hardbop_solver::new_solver(self.integers, self.budget);
        solver.set_limits(Limits { work: Some(WORK), ..Limits::default() });
        solver
    }

    /// Values that make all parts true; `Ok(None)` if there are none, `Err(None)` if that is not known.
    pub fn model(&mut self, parts: &[Term]) -> Result<Option<Model>, Option<Stop>> {
        self.budget.check().map_err(Some)?;
        let all = self.encoder.terms.and(parts);
        if self.encoder.terms.as_bool(all) == Some(false) || self.known.get(&all) == Some(&Some(false)) {
            return Ok(None);
        }
        self.asked += 1;
        let (mut solver, answered) = match self.solver.take() {
            Some((solver, answered)) if answered < RENEWED => (solver, answered),
            _ => (self.new_solver(), 0),
        };
        solver.push();
        for axiom in self.encoder.on(self.subject).axioms(&[all]) {
            solver.assert(&self.encoder.terms, axiom);
        }
        solver.assert(&self.encoder.terms, all);
        let answer = solver.check(&self.encoder.terms, &[]);
        let known = match answer {
            Answer::Sat => Some(true),
            Answer::Unsat => Some(false),
            Answer::Unknown(_) => None,
        };
        let model = known == Some(true);
        let model = model.then(|| solver.model(&self.encoder.terms));
        solver.pop();
        self.solver = Some((solver, answered + 1));
        self.budget.check().map_err(Some)?;
        self.known.insert(all, known);
        if known.is_none() { Err(None) } else { Ok(model) }
    }

    /// Of some conditions, a few that contradict the parts; nothing if all of them do not, or if that is not known.
    pub fn core(&mut self, parts: &[Term], conditions: &[Term]) -> Result<Option<Vec<Term>>, Stop> {
        self.budget.check()?;
        self.asked += 1;
        let mut solver = self.new_solver();
        let about: Vec<Term> = parts.iter().chain(conditions).copied().collect();
        for axiom in self.encoder.on(self.subject).axioms(&about) {
            solver.assert(&self.encoder.terms, axiom);
        }
        for &part in parts {
            solver.assert(&self.encoder.terms, part);
        }
        let answer = solver.check(&self.encoder.terms, conditions);
        self.budget.check()?;
        if answer != Answer::Unsat {
            return Ok(None);
        }
        let core: Vec<Term> = solver.core().iter().map(|&i| conditions[i]).collect();
        Ok(Some(minimise_core(&mut *solver, &self.encoder.terms, &core, MAX_TRIALS)))
    }

    /// Whether all parts can be true; nothing if that is not known.
    pub fn possible(&mut self, parts: &[Term]) -> Result<Option<bool>, Stop> {
        let all = self.encoder.terms.and(parts);
        if let Some(value) = self.encoder.terms.as_bool(all) {
            return Ok(Some(value));
        }
        if let Some(&known) = self.known.get(&all) {
            return Ok(known);
        }
        match self.model(&[all]) {
            Ok(model) => Ok(Some(model.is_some())),
            Err(Some(stop)) => Err(stop),
            Err(None) => Ok(None),
        }
    }

    /// Whether it is proved that the parts cannot all be true.
    pub fn impossible(&mut self, parts: &[Term]) -> Result<bool, Stop> {
        Ok(self.possible(parts)? == Some(false))
    }

    /// Whether it is proved that the premises imply the conclusion.
    pub fn implies(&mut self, premises: &[Term], conclusion: Term) -> Result<bool, Stop> {
        let mut parts = premises.to_vec();
        let not = self.encoder.terms.not(conclusion);
        parts.push(not);
        self.impossible(&parts)
    }

    /// The symbols of a term that stand for values of the state.
    pub fn state_symbols(&self, terms: &[Term]) -> Vec<Term> {
        let symbols = self.encoder.terms.symbols_of(terms);
        symbols.into_iter().filter(|&symbol| self.is_state(symbol)).collect()
    }

    /// Whether a symbol stands for a value of the state: that of a cell, or whose turn it is.
    pub fn is_state(&self, symbol: Term) -> bool {
        self.encoder.cell_of(symbol).is_some() || self.is_turn(symbol)
    }

    /// Whether a symbol says whose turn it is in a schedule.
    pub fn is_turn(&self, symbol: Term) -> bool {
        self.encoder.terms.symbol_name(symbol).is_some_and(|name| name.starts_with(TURN))
    }

    /// A symbol that says whose turn it is, of the sort of [`Query::small`].
    pub fn turn(&mut self, name: &str) -> Term {
        let sort = if self.integers { Sort::Int } else { Sort::BitVec(8) };
        self.encoder.terms.symbol(name, sort)
    }

    /// A small number, as a turn.
    pub fn small(&mut self, number: u8) -> Term {
        match self.integers {
            true => self.encoder.terms.int(number.into()),
            false => self.encoder.terms.bv(number.into(), 8),
        }
    }

    /// Whether a symbol has a meaning where so many activations are on the stack.
    pub fn in_scope(&self, symbol: Term, depth: usize) -> bool {
        match self.encoder.cell_of(symbol) {
            Some(Cell::Local(frame, _)) => (frame.0 as usize) < depth,
            _ => true,
        }
    }

    /// A term about another state.
    pub fn renamed(&mut self, term: Term, suffix: &str, keep: &dyn Fn(Term) -> bool) -> Term {
        let mut map = FxHashMap::default();
        for symbol in self.state_symbols(&[term]) {
            if !keep(symbol) {
                map.insert(symbol, self.other(symbol, suffix));
            }
        }
        self.encoder.terms.substitute(term, &map)
    }

    /// The symbol for the same value in another state.
    pub fn other(&mut self, symbol: Term, suffix: &str) -> Term {
        let name = self.encoder.terms.symbol_name(symbol).unwrap_or_default().to_owned();
        let sort = self.encoder.terms.sort(symbol);
        self.encoder.terms.symbol(&format!("{name} {suffix}"), sort)
    }

    /// |term|, of a mathematical integer.
    pub fn absolute(&mut self, term: Term) -> Term {
        let terms = &mut self.encoder.terms;
        let (zero, negative) = (terms.int(0), terms.int_neg(term));
        let below = terms.int_lt(term, zero);
        terms.ite(below, negative, term)
    }

    /// Whether a symbol is a mathematical integer.
    pub fn is_integer(&self, symbol: Term) -> bool {
        self.encoder.terms.sort(symbol) == Sort::Int
    }
}

/// How the names of turns start.
pub const TURN: &str = "turn.";
