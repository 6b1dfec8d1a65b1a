//! Questions that are hard as a whole, and easy for each value of an index.
//!
//! A sum of all elements of a small array after one of them was written is such a question: for a SAT solver each element is one of two
//! values, and adders have to agree about all combinations. With a number in place of the index, what is equal is the same
//! term. So what the solver gives up is asked again for each value that some indices can have, by what the question says of them. All
//! cases together are the question.

use hardbop_base::Budget;
use hardbop_logic::{BvOp, Model, Node, Sort, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Answer, Limits, Solver, Statistics};

/// The work after which a question counts as hard.
const HARD: u64 = 400_000;
/// The most values of a term that is split at.
const MAX_CASES: u128 = 64;
/// The most cases that are asked about for the first question; for the next ones it is less where that was of no use.
const MAX_QUESTIONS: usize = 256;

/// A solver that splits what is hard for another one.
pub(crate) struct Splitting<S> {
    solver: S,
    /// Makes a solver for a case.
    new: fn(&Budget) -> S,
    budget: Budget,
    limits: Limits,
    /// The work after which a question counts as hard.
    hard: u64,
    /// How many cases may be asked about. Questions are alike: what was of no use for one is of none for the next.
    allowed: usize,
    /// What is asserted, by level.
    asserted: Vec<Vec<Term>>,
    /// What came of cases, if the last question was split.
    core: Option<Vec<usize>>,
    model: Option<Model>,
}

/// A term with few values: from 0 to this one.
#[derive(Debug, Clone)]
struct Small {
    term: Term,
    last: u128,
    /// The assumptions that say so, if that has to be said.
    because: Vec<usize>,
}

impl<S: Solver> Splitting<S> {
    pub(crate) fn new(new: fn(&Budget) -> S, budget: &Budget) -> Self {
        Splitting {
            solver: new(budget),
            new,
            budget: budget.clone(),
            limits: Limits::default(),
            hard: HARD,
            allowed: MAX_QUESTIONS,
            asserted: vec![Vec::new()],
            core: None,
            model: None,
        }
    }

    /// Asks for each case; nothing if there are too many.
    fn by_cases(&mut self, terms: &Terms, assumptions: &[Term]) -> Option<Answer> {
        let asserted: Vec<Term> = self.asserted.iter().flatten().copied().collect();
        let question = Question { asserted, assumptions: assumptions.to_vec() };
        let (mut terms, mut core, mut left) = (terms.clone(), FxHashSet::default(), self.allowed);
        if self.case(&mut terms, &question, &mut core, &mut left)? {
            return Some(Answer::Sat);
        }
        let mut core: Vec<usize> = core.into_iter().collect();
        core.sort_unstable();
        self.core = Some(core);
        Some(Answer::Unsat)
    }

    /// Whether one of the cases of a hard question has a model, which is kept.
    fn case(
        &mut self,
        terms: &mut Terms,
        question: &Question,
        core: &mut FxHashSet<usize>,
        left: &mut usize,
    ) -> Option<bool> {
        let (small, values) = split(terms, question)?;
        core.extend(small.because.iter().copied());
        for value in values {
            self.budget.check().ok()?;
            *left = left.checked_sub(1)?;
            let chosen = terms.eq(small.term, value);
            let mut done: FxHashMap<Term, Term> = [(small.term, value)].into_iter().collect();
            let mut case_of = |parts: &[Term]| -> Vec<Term> {
                parts.iter().map(|&t| terms.substitute_more(t, &mut done)).collect()
            };
            let mut case = Question {
                asserted: case_of(&question.asserted),
                assumptions: case_of(&question.assumptions),
            };
            case.asserted.push(chosen);
            let mut solver = (self.new)(&self.budget);
            solver.set_limits(Limits { work: Some(self.hard / 40), ..self.limits });
            case.asserted.iter().for_each(|&t| solver.assert(terms, t));
            match solver.check(terms, &case.assumptions) {
                Answer::Unsat => core.extend(solver.core()),
                Answer::Sat => {
                    // The terms of the case have the symbols of the question.
                    self.model = Some(solver.model(terms));
                    return Some(true);
                }
                Answer::Unknown(_) => {
                    drop(solver);
                    if self.case(terms, &case, core, left)? {
                        return Some(true);
                    }
                }
            }
        }
        Some(false)
    }
}

/// What is asked.
struct Question {
    asserted: Vec<Term>,
    assumptions: Vec<Term>,
}

/// A term to split a question at, with its values: one in indices that has few values, or the condition of a choice. The one that occurs
/// most often, for the number of its values.
fn split(terms: &mut Terms, question: &Question) -> Option<(Small, Vec<Term>)> {
    let all: Vec<Term> = question.asserted.iter().chain(&question.assumptions).copied().collect();
    let bounds = bounds(terms, &question.asserted, &question.assumptions);
    let mut counts: FxHashMap<Term, usize> = FxHashMap::default();
    let mut conditions: FxHashMap<Term, usize> = FxHashMap::default();
    for t in terms.subterms(&all) {
        match *terms.node(t) {
            Node::Select(_, index) | Node::Store(_, index, _) => count_parts(terms, index, &mut counts),
            Node::Ite(condition, ..) => {
                *conditions.entry(condition).or_default() += 1;
                if let Node::Eq(a, b) = *terms.node(condition)
                    && matches!(terms.node(b), Node::BitVec { .. })
                {
                    count_parts(terms, a, &mut counts);
                }
            }
            _ => {}
        }
    }
    let mut found: Vec<(usize, Small)> = Vec::new();
    for (&term, &count) in &counts {
        let by_itself = last_of(terms, term).map(|last| Small { term, last, because: Vec::new() });
        let small = by_itself.or_else(|| bounds.get(&term).cloned());
        found.extend(small.map(|small| (1000 * count / (small.last as usize + 1), small)));
    }
    let condition =
        |(&term, &count): (&Term, &usize)| (1000 * count / 2, Small { term, last: 1, because: Vec::new() });
    found.extend(conditions.iter().map(condition));
    let (_, small) = found.into_iter().max_by_key(|(score, small)| (*score, small.term))?;
    let values = match terms.sort(small.term) {
        Sort::Bool => vec![terms.bool(true), terms.bool(false)],
        Sort::BitVec(width) => (0..=small.last).map(|value| terms.bv(value, width)).collect(),
        _ => return None,
    };
    Some((small, values))
}

/// Counts the parts of a sum that are no numbers.
fn count_parts(terms: &Terms, index: Term, counts: &mut FxHashMap<Term, usize>) {
    let mut open = vec![index];
    while let Some(t) = open.pop() {
        match terms.node(t) {
            Node::BitVec { .. } => {}
            Node::BvSum(sum) => open.extend(sum.parts.iter().map(|&(_, t)| t)),
            &Node::ZeroExtend { of, .. } | &Node::SignExtend { of, .. } => open.push(of),
            _ => *counts.entry(t).or_default() += 1,
        }
    }
}

/// The last value that a term can have, by itself.
fn last_of(terms: &Terms, t: Term) -> Option<u128> {
    let number = |t: Term| number(terms, t, false).and_then(|n| u128::try_from(n).ok());
    match *terms.node(t) {
        Node::Bv(BvOp::And, a, b) => number(a).or(number(b)),
        Node::Bv(BvOp::Urem, _, b) => number(b).and_then(|n| n.checked_sub(1)),
        _ => match terms.sort(t) {
            Sort::BitVec(width @ 1..=6) => Some((1 << width) - 1),
            _ => None,
        },
    }
    .filter(|&last| last < MAX_CASES)
}

/// What a question says of a term.
#[derive(Default)]
struct Bounds {
    /// The largest value, and the assumption that says so.
    unsigned: Option<(u128, Option<usize>)>,
    /// The same where the term is signed.
    signed: Option<(u128, Option<usize>)>,
    /// The assumption that says that it is not negative.
    natural: Option<Option<usize>>,
}

/// Terms that are said to be at most a number.
fn bounds(terms: &Terms, asserted: &[Term], assumptions: &[Term]) -> FxHashMap<Term, Small> {
    let mut said: FxHashMap<Term, Bounds> = FxHashMap::default();
    let assumed = assumptions.iter().enumerate().map(|(i, &t)| (Some(i), t));
    let mut open: Vec<(Option<usize>, Term)> = asserted.iter().map(|&t| (None, t)).chain(assumed).collect();
    while let Some((because, t)) = open.pop() {
        // `a <= b`, or `a < b`.
        let (a, b, is_signed, is_strict) = match *terms.node(t) {
            Node::And(ref parts) => {
                open.extend(parts.iter().map(|&part| (because, part)));
                continue;
            }
            Node::BvUle(a, b) => (a, b, false, false),
            Node::BvSle(a, b) => (a, b, true, false),
            Node::Not(inner) => match *terms.node(inner) {
                Node::BvUle(b, a) => (a, b, false, true),
                Node::BvSle(b, a) => (a, b, true, true),
                _ => continue,
            },
            _ => continue,
        };
        let strict = i128::from(is_strict);
        match (number(terms, a, is_signed), number(terms, b, is_signed)) {
            (None, Some(most)) => {
                let (term, is_natural) = within(terms, a);
                let bounds = said.entry(term).or_default();
                let known = if is_signed && !is_natural { &mut bounds.signed } else { &mut bounds.unsigned };
                let most = u128::try_from(most - strict).ok().filter(|&most| most < MAX_CASES);
                if let Some(most) = most.filter(|most| known.is_none_or(|(known, _)| *most < known)) {
                    *known = Some((most, because));
                }
            }
            (Some(least), None) if is_signed && least + strict >= 0 => {
                let (term, is_natural) = within(terms, b);
                if !is_natural {
                    said.entry(term).or_default().natural = Some(because);
                }
            }
            _ => {}
        }
    }
    let small = |(&term, bounds): (&Term, &Bounds)| {
        let signed = bounds.signed.zip(bounds.natural);
        let ((last, because), natural) = match (bounds.unsigned, signed) {
            (Some(unsigned), _) => (unsigned, None),
            (None, Some((signed, natural))) => (signed, natural),
            (None, None) => return None,
        };
        Some((term, Small { term, last, because: because.into_iter().chain(natural).collect() }))
    };
    said.iter().filter_map(small).collect()
}

/// The value of a number, if it is not too large.
fn number(terms: &Terms, t: Term, is_signed: bool) -> Option<i128> {
    match *terms.node(t) {
        Node::BitVec { value, width } if is_signed => Some(Value::bv(value, width).as_signed()?),
        Node::BitVec { value, .. } => i128::try_from(value).ok(),
        _ => None,
    }
}

/// A term without the bits that were added to it, and whether some of them are zeros, so that it is not negative with them.
fn within(terms: &Terms, mut t: Term) -> (Term, bool) {
    let mut is_natural = false;
    loop {
        match *terms.node(t) {
            Node::ZeroExtend { of, .. } => (t, is_natural) = (of, true),
            Node::SignExtend { of, .. } => t = of,
            _ => return (t, is_natural),
        }
    }
}

impl<S: Solver> Solver for Splitting<S> {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn assert(&mut self, terms: &Terms, t: Term) {
        if let Some(level) = self.asserted.last_mut() {
            level.push(t);
        }
        self.solver.assert(terms, t);
    }

    fn push(&mut self) {
        self.asserted.push(Vec::new());
        self.solver.push();
    }

    fn pop(&mut self) {
        if self.asserted.len() > 1 {
            self.asserted.pop();
        }
        self.solver.pop();
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        (self.core, self.model) = (None, None);
        let work = self.limits.work.map_or(self.hard, |work| work.min(self.hard));
        self.solver.set_limits(Limits { work: Some(work), ..self.limits });
        let answer = self.solver.check(terms, assumptions);
        if !matches!(answer, Answer::Unknown(_)) || self.budget.check().is_err() {
            return answer;
        }
        if self.allowed > 0 {
            if let Some(answer) = self.by_cases(terms, assumptions) {
                self.allowed = MAX_QUESTIONS;
                return answer;
            }
            self.allowed /= 8;
        }
        self.solver.set_limits(self.limits);
        self.solver.check(terms, assumptions)
    }

    fn core(&self) -> &[usize] {
        self.core.as_deref().unwrap_or_else(|| self.solver.core())
    }

    fn model(&mut self, terms: &Terms) -> Model {
        self.model.clone().unwrap_or_else(|| self.solver.model(terms))
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.solver.set_limits(limits);
    }

    fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Blaster;

    /// A sum of elements, one of which was written at an index within bounds, and that it is not what it should be.
    fn question(terms: &mut Terms, elements: u128, off: u128, is_signed: bool) -> Vec<Term> {
        let sort = Sort::Array(hardbop_logic::Scalar::BitVec(32), hardbop_logic::Scalar::BitVec(32));
        let (array, index) = (terms.symbol("a", sort), terms.symbol("i", Sort::BitVec(32)));
        let (new, last) = (terms.symbol("new", Sort::BitVec(32)), terms.bv(elements - 1, 32));
        let zero = terms.bv(0, 32);
        let bounds = match is_signed {
            false => vec![terms.bv_ule(index, last)],
            true => vec![terms.bv_sle(index, last), terms.bv_sle(zero, index)],
        };
        let written = terms.store(array, index, new);
        let sum = |terms: &mut Terms, array: Term| {
            (0..elements).fold(zero, |sum, i| {
                let at = terms.bv(i, 32);
                let element = terms.select(array, at);
                terms.bv_add(sum, element)
            })
        };
        let (before, after) = (sum(terms, array), sum(terms, written));
        let old = terms.select(array, index);
        let (expected, off) = (terms.bv_sub(before, old), terms.bv(off, 32));
        let expected = terms.bv_add(expected, new);
        let expected = terms.bv_add(expected, off);
        let same = terms.eq(after, expected);
        let mut all = bounds;
        all.push(terms.not(same));
        all
    }

    /// A solver for which everything is hard.
    fn hasty() -> Splitting<Blaster> {
        Splitting { hard: 20_000, ..Splitting::new(Blaster::new, &Budget::unlimited()) }
    }

    #[test]
    fn sums_of_elements_are_split_at_the_index() {
        for (elements, is_signed) in [(6, false), (8, false), (7, true)] {
            let mut terms = Terms::new();
            let question = question(&mut terms, elements, 0, is_signed);
            let mut solver = hasty();
            assert_eq!(solver.check(&terms, &question), Answer::Unsat);
            assert!(solver.core.is_some(), "it was not split: {elements} {is_signed}");
            // The cases are all that there are because of the bounds only.
            let core = solver.core().to_vec();
            assert_eq!(core, (0..question.len()).collect::<Vec<_>>());
            let mut solver = hasty();
            let last = question.len() - 1;
            assert_eq!(solver.check(&terms, &question[last..]), Answer::Sat);
            assert_eq!(solver.check(&terms, &question[1..]), Answer::Sat);
        }
    }

    #[test]
    fn a_model_of_a_case_is_one_of_the_question() {
        let mut terms = Terms::new();
        let question = question(&mut terms, 6, 1, false);
        let mut solver = hasty();
        assert_eq!(solver.check(&terms, &question), Answer::Sat);
        let model = solver.model(&terms);
        let mut evaluator = hardbop_logic::Evaluator::new();
        for &t in &question {
            assert_eq!(evaluator.value(&terms, t, &model).and_then(|value| value.as_bool()), Some(true));
        }
    }
}
