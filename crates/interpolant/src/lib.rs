//! Craig interpolants for linear arithmetic with booleans: what a formula says that another contradicts,
//! in words that both know.
//!
//! For formulas A and B that contradict each other, an interpolant I follows from A, contradicts B, and
//! mentions only what both mention. `001…` §5 finds predicates this way, and Newton proposes some of its
//! predicates so.
//!
//! - `refute` interpolates between conjunctions of literals: Farkas' multipliers, congruences, splits;
//! - here, the propositional structure is taken apart: models of A give conjunctions that imply it
//!   (`cube`), and so do models of B; the interpolant is a disjunction over the former of conjunctions
//!   over the latter, and each model is one that the interpolant so far does not handle;
//! - whatever comes out is checked: a solver has to confirm all three properties, or there is none. So
//!   `refute` may guess, and it does: it reads bit-vectors as integers that never wrap around.

mod cube;
mod lattice;
mod linear;
mod rational;
mod refute;
mod simplex;

use std::fmt;

use hardbop_base::{Budget, Stop};
use hardbop_logic::{Sort, Term, Terms};
use hardbop_solver::{Answer, Limits, Solver, minimise_core};
use rustc_hash::FxHashSet;

use crate::cube::implicant;
use crate::refute::refute;

/// The most conjunctions that a formula is taken apart into.
const MAX_CUBES: usize = 64;

/// The most queries to make a contradiction smaller.
const MAX_QUERIES: usize = 64;

/// The most work for one query: a contradiction that takes longer is no simple one.
const MAX_WORK: u64 = 2_000_000;

/// Why there is no interpolant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The budget is spent.
    Stopped(Stop),
    /// The formulas do not contradict each other.
    Consistent,
    /// The contradiction is not one of linear arithmetic, or too large.
    NotFound(&'static str),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Stopped(stop)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stopped(stop) => write!(f, "{stop}"),
            Failure::Consistent => f.write_str("the formulas do not contradict each other"),
            Failure::NotFound(why) => f.write_str(why),
        }
    }
}

/// An interpolant of two formulas that contradict each other, confirmed by a solver.
pub fn interpolate(terms: &mut Terms, a: Term, b: Term, budget: &Budget) -> Result<Term, Failure> {
    let mut search = Search { solver: solver_for(terms, &[a, b], budget), budget };
    let found = search.interpolate(terms, a, b)?;
    search.confirm(terms, a, b, found)?;
    Ok(found)
}

/// Assertions along formulas that contradict each other all together: one between each two of them.
/// Each follows from the one before and the formula between them, the first from the first formula, and
/// the last contradicts the last. All of that is confirmed by a solver.
pub fn sequence(terms: &mut Terms, formulas: &[Term], budget: &Budget) -> Result<Vec<Term>, Failure> {
    let mut search = Search { solver: solver_for(terms, formulas, budget), budget };
    if let Some(found) = search.of_one_proof(terms, formulas)?
        && search.is_inductive(terms, formulas, &found)?
    {
        return Ok(found);
    }
    let mut found: Vec<Term> = Vec::new();
    for i in 1..formulas.len() {
        let before = found.last().copied().unwrap_or_else(|| terms.bool(true));
        let before = terms.and(&[before, formulas[i - 1]]);
        let after = terms.and(&formulas[i..]);
        let next = search.interpolate(terms, before, after)?;
        search.confirm(terms, before, after, next)?;
        found.push(next);
    }
    Ok(found)
}

fn solver_for(terms: &Terms, formulas: &[Term], budget: &Budget) -> Box<dyn Solver> {
    let unbounded = terms.subterms(formulas).into_iter().any(|t| terms.sort(t) == Sort::Int);
    let mut solver = hardbop_solver::new_solver(unbounded, budget);
    solver.set_limits(Limits { work: Some(MAX_WORK), ..Limits::default() });
    solver
}

struct Search<'a> {
    solver: Box<dyn Solver>,
    budget: &'a Budget,
}

impl Search<'_> {
    /// A disjunction, over conjunctions that A is made of, of what contradicts B.
    fn interpolate(&mut self, terms: &mut Terms, a: Term, b: Term) -> Result<Term, Failure> {
        let mut found = terms.bool(false);
        for _ in 0..MAX_CUBES {
            let missing = terms.not(found);
            let Some(literals) = self.cube(terms, a, missing)? else { return Ok(found) };
            let literals = self.needed(terms, &literals, b)?;
            let more = self.against(terms, &literals, b)?;
            found = terms.or(&[found, more]);
        }
        Err(Failure::NotFound("the first formula is a disjunction of too many cases"))
    }

    /// A conjunction, over conjunctions that B is made of, of what some literals imply.
    fn against(&mut self, terms: &mut Terms, literals: &[Term], b: Term) -> Result<Term, Failure> {
        let mut found = terms.bool(true);
        for _ in 0..MAX_CUBES {
            let Some(other) = self.cube(terms, b, found)? else { return Ok(found) };
            let all = terms.and(literals);
            let other = self.needed(terms, &other, all)?;
            let mine = terms.and(&other);
            let own = self.needed(terms, literals, mine)?;
            let labelled: Vec<(usize, Term)> =
                own.iter().map(|&l| (0, l)).chain(other.iter().map(|&l| (1, l))).collect();
            let more = refute(terms, &labelled, 2, self.budget)?
                .and_then(|found| found.first().copied())
                .ok_or(Failure::NotFound("the contradiction is not one of linear arithmetic"))?;
            // Without this, a wrong guess about bit-vectors would bring the same model again.
            if !self.is_unsat(terms, &[more, mine])? {
                return Err(Failure::NotFound("the contradiction needs that numbers wrap around"));
            }
            found = terms.and(&[found, more]);
        }
        Err(Failure::NotFound("the second formula is a disjunction of too many cases"))
    }

    /// Literals that imply a formula and agree with a condition; nothing if both contradict each other.
    fn cube(
        &mut self,
        terms: &mut Terms,
        formula: Term,
        condition: Term,
    ) -> Result<Option<Vec<Term>>, Failure> {
        if self.is_unsat(terms, &[formula, condition])? {
            return Ok(None);
        }
        let model = self.solver.model(terms);
        match implicant(terms, formula, &model) {
            Some(literals) => Ok(Some(literals)),
            None => Err(Failure::NotFound("a model leaves something open")),
        }
    }

    /// Those of some literals that contradict a formula already.
    fn needed(&mut self, terms: &Terms, literals: &[Term], formula: Term) -> Result<Vec<Term>, Failure> {
        self.solver.push();
        self.solver.assert(terms, formula);
        let answer = self.solver.check(terms, literals);
        let core: Vec<Term> = match answer {
            Answer::Unsat => self.solver.core().iter().map(|&i| literals[i]).collect(),
            _ => Vec::new(),
        };
        let found = match answer {
            Answer::Unsat => Ok(minimise_core(&mut *self.solver, terms, &core, MAX_QUERIES)),
            Answer::Sat => Err(Failure::Consistent),
            Answer::Unknown(_) => Err(self.gave_up()),
        };
        self.solver.pop();
        found
    }

    fn is_unsat(&mut self, terms: &Terms, formulas: &[Term]) -> Result<bool, Failure> {
        self.budget.check()?;
        match self.solver.check(terms, formulas) {
            Answer::Unsat => Ok(true),
            Answer::Sat => Ok(false),
            Answer::Unknown(_) => Err(self.gave_up()),
        }
    }

    fn gave_up(&self) -> Failure {
        match self.budget.check() {
            Err(stop) => Failure::Stopped(stop),
            Ok(()) => Failure::NotFound("the solver gave up"),
        }
    }

    /// The three properties of an interpolant.
    fn confirm(&mut self, terms: &mut Terms, a: Term, b: Term, found: Term) -> Result<(), Failure> {
        let (of_a, of_b) = (symbols(terms, a), symbols(terms, b));
        if !terms.symbols(found).iter().all(|symbol| of_a.contains(symbol) && of_b.contains(symbol)) {
            return Err(Failure::NotFound("it would mention what only one of the formulas does"));
        }
        let opposite = terms.not(found);
        if self.is_unsat(terms, &[a, opposite])? && self.is_unsat(terms, &[found, b])? {
            return Ok(());
        }
        Err(Failure::NotFound("what was found is no interpolant"))
    }

    /// Assertions from one proof, if the formulas are conjunctions of literals.
    fn of_one_proof(&mut self, terms: &mut Terms, formulas: &[Term]) -> Result<Option<Vec<Term>>, Failure> {
        let mut literals = Vec::new();
        for (part, &formula) in formulas.iter().enumerate() {
            let conjuncts = conjuncts(terms, formula);
            literals.extend(conjuncts.into_iter().map(|literal| (part, literal)));
        }
        let plain: Vec<Term> = literals.iter().map(|&(_, literal)| literal).collect();
        let truth = terms.bool(true);
        let needed: FxHashSet<Term> = self.needed(terms, &plain, truth)?.into_iter().collect();
        literals.retain(|(_, literal)| needed.contains(literal));
        Ok(refute(terms, &literals, formulas.len(), self.budget)?)
    }

    fn is_inductive(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        found: &[Term],
    ) -> Result<bool, Failure> {
        let mut before = terms.bool(true);
        for (i, &formula) in formulas.iter().enumerate() {
            let after = found.get(i).copied().unwrap_or_else(|| terms.bool(false));
            let opposite = terms.not(after);
            if !self.is_unsat(terms, &[before, formula, opposite])? {
                return Ok(false);
            }
            before = after;
        }
        Ok(true)
    }
}

fn symbols(terms: &Terms, t: Term) -> FxHashSet<Term> {
    terms.symbols(t).iter().copied().collect()
}

/// The members of a conjunction.
fn conjuncts(terms: &Terms, formula: Term) -> Vec<Term> {
    match terms.node(formula) {
        hardbop_logic::Node::And(members) => members.to_vec(),
        _ => vec![formula],
    }
}
