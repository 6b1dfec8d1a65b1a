//! Which combinations of predicates are impossible.
//!
//! Everything that abstraction asks of the solver has one form: given a *background* (a guard, the
//! negation of what should follow, or nothing) and candidate predicates, find the minimal sets of
//! literals over the candidates that contradict the background. With an empty background these are
//! the impossible combinations that `enforce` excludes; with a guard, the combinations under which
//! a step is not taken; with ¬φ, the cubes of the cover F(φ) of `003…` §7.
//!
//! With a limit on the length, sets are tried by size, smallest first, so that what is found is
//! minimal. Each model that refutes a set refutes all others that it satisfies, which leaves few
//! questions for the solver. Without a limit, the minimal sets are enumerated as in MARCO
//! (Liffiton, Previti, Malik, Marques-Silva 2016): a map of what is undecided proposes a set; if it
//! contradicts, its minimised core is a result, else a model of it rules out all its subsets.
//!
//! Answers are kept. A candidate that comes later extends what is known: only sets that contain it
//! are tried.

use hardbop_base::{Budget, Stop};
use hardbop_logic::{Model, Sort, Term, Terms, Value};
use hardbop_solver::{Answer, Blaster, Solver};
use rustc_hash::{FxHashMap, FxHashSet};

/// A predicate as a term, and whether it holds.
pub(crate) type Literal = (Term, bool);

/// Literals that hold together, sorted.
pub(crate) type Cube = Vec<Literal>;

/// Models kept for one background; more refute little that those do not.
const MAX_MODELS: usize = 256;

/// Sets that the solver may give up on before a search without a limit on length ends.
const MAX_UNDECIDED: usize = 32;

/// Counts of what was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Questions to the solver.
    pub queries: u64,
    /// Sets of literals that an earlier model showed to be possible.
    pub by_model: u64,
    /// Backgrounds about which everything was known already.
    pub remembered: u64,
    /// Questions that the solver gave up on; each loses precision only.
    pub gave_up: u64,
}

/// All that is known about contradictions.
#[derive(Default)]
pub(crate) struct Contradictions {
    known: FxHashMap<Key, Knowledge>,
    pub(crate) counts: Counts,
}

/// The scope, the anchor and the background of a question.
type Key = (u32, Option<Term>, Vec<Term>);

/// What is known about one background.
#[derive(Default)]
struct Knowledge {
    /// Candidates all of whose combinations with each other were tried.
    tested: Vec<Term>,
    /// Minimal contradicting sets over them.
    cubes: Vec<Cube>,
    /// Models of the background.
    models: Vec<Model>,
    /// Per literal, the models in which it holds, one bit each.
    holds: FxHashMap<Literal, Vec<u64>>,
    started: bool,
}

/// A question.
pub(crate) struct Question<'a> {
    /// Whose predicates these are; answers are shared within a scope.
    pub(crate) scope: u32,
    /// Tells apart independent groups of candidates where there is no background.
    pub(crate) anchor: Option<Term>,
    /// What is given, sorted.
    pub(crate) background: &'a [Term],
    /// Facts that hold anyway, such as those about addresses.
    pub(crate) facts: &'a [Term],
    /// The predicates.
    pub(crate) candidates: &'a [Term],
    /// Sets known to be impossible anyway; they and what contains them are not wanted.
    pub(crate) impossible: &'a [Cube],
    /// How many literals a set may have.
    pub(crate) limit: Option<usize>,
}

impl Contradictions {
    /// The minimal sets of literals over the candidates that contradict the background.
    pub(crate) fn find(
        &mut self,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        budget: &Budget,
        question: &Question<'_>,
    ) -> Result<Vec<Cube>, Stop> {
        let key = (question.scope, question.anchor, question.background.to_vec());
        let mut knowledge = self.known.remove(&key).unwrap_or_default();
        let mut search = Search { terms, solver, budget, question, counts: &mut self.counts };
        let result = search.extend(&mut knowledge);
        let wanted: FxHashSet<Term> = question.candidates.iter().copied().collect();
        let cubes = knowledge.cubes.iter().filter(|cube| cube.iter().all(|(term, _)| wanted.contains(term)));
        let cubes = cubes.cloned().collect();
        if result.is_ok() {
            self.known.insert(key, knowledge);
        }
        result.map(|()| cubes)
    }
}

struct Search<'a> {
    terms: &'a mut Terms,
    solver: &'a mut dyn Solver,
    budget: &'a Budget,
    question: &'a Question<'a>,
    counts: &'a mut Counts,
}

impl Search<'_> {
    fn extend(&mut self, knowledge: &mut Knowledge) -> Result<(), Stop> {
        if !knowledge.started {
            knowledge.started = true;
            if self.contradicts(knowledge, &[])? {
                knowledge.cubes.push(Vec::new());
            }
        }
        if knowledge.cubes.first().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        let tested: FxHashSet<Term> = knowledge.tested.iter().copied().collect();
        let new: Vec<Term> =
            self.question.candidates.iter().copied().filter(|t| !tested.contains(t)).collect();
        if new.is_empty() {
            self.counts.remembered += 1;
            return Ok(());
        }
        match self.question.limit {
            Some(limit) => {
                for candidate in new {
                    self.try_with(knowledge, candidate, limit)?;
                }
                Ok(())
            }
            None => self.enumerate_all(knowledge, &new),
        }
    }

    /// Tries all sets that contain a literal of the new candidate and otherwise tested ones.
    fn try_with(&mut self, knowledge: &mut Knowledge, candidate: Term, limit: usize) -> Result<(), Stop> {
        self.observe(knowledge, candidate);
        let partners = self.connected(&knowledge.tested, candidate);
        for size in 1..=limit.min(partners.len() + 1) {
            for positive in [true, false] {
                let mut cube = vec![(candidate, positive)];
                self.try_extensions(knowledge, &partners, 0, size - 1, &mut cube)?;
            }
        }
        knowledge.tested.push(candidate);
        Ok(())
    }

    fn try_extensions(
        &mut self,
        knowledge: &mut Knowledge,
        partners: &[Term],
        from: usize,
        missing: usize,
        cube: &mut Cube,
    ) -> Result<(), Stop> {
        let mut sorted = cube.clone();
        sorted.sort_unstable();
        if self.is_known(knowledge, &sorted) {
            return Ok(());
        }
        if missing == 0 {
            return self.try_cube(knowledge, sorted);
        }
        for i in from..partners.len() {
            for positive in [true, false] {
                cube.push((partners[i], positive));
                self.try_extensions(knowledge, partners, i + 1, missing - 1, cube)?;
                cube.pop();
            }
        }
        Ok(())
    }

    fn try_cube(&mut self, knowledge: &mut Knowledge, cube: Cube) -> Result<(), Stop> {
        if knowledge.some_model_has(&cube) {
            self.counts.by_model += 1;
        } else if self.contradicts(knowledge, &cube)? {
            knowledge.cubes.push(cube);
        }
        Ok(())
    }

    /// Whether a set contains one that is known to contradict.
    fn is_known(&self, knowledge: &Knowledge, cube: &Cube) -> bool {
        let known = knowledge.cubes.iter().chain(self.question.impossible);
        known.into_iter().any(|smaller| contains(cube, smaller))
    }

    /// The candidates that share a symbol with one, directly or through others or the background.
    /// Sets across unconnected parts contradict only if one part does.
    fn connected(&self, candidates: &[Term], with: Term) -> Vec<Term> {
        let mut reached: FxHashSet<Term> = self.terms.symbols(with).iter().copied().collect();
        let mut rest: Vec<Term> =
            candidates.iter().chain(self.question.background).copied().filter(|&t| t != with).collect();
        loop {
            let before = rest.len();
            rest.retain(|&term| {
                let symbols = self.terms.symbols(term);
                let touches = symbols.iter().any(|symbol| reached.contains(symbol));
                if touches {
                    reached.extend(symbols.iter().copied());
                }
                !touches
            });
            if rest.len() == before {
                break;
            }
        }
        let unreached: FxHashSet<Term> = rest.into_iter().collect();
        candidates.iter().copied().filter(|t| !unreached.contains(t)).collect()
    }

    /// Asks whether a set contradicts the background. "Unknown" counts as no.
    fn contradicts(&mut self, knowledge: &mut Knowledge, cube: &[Literal]) -> Result<bool, Stop> {
        self.budget.check()?;
        let assumptions = self.assumptions(cube);
        self.counts.queries += 1;
        match self.solver.check(self.terms, &assumptions) {
            Answer::Unsat => Ok(true),
            Answer::Sat => {
                let model = self.solver.model(self.terms);
                self.learn(knowledge, model);
                Ok(false)
            }
            Answer::Unknown(_) => {
                self.budget.check()?;
                self.counts.gave_up += 1;
                Ok(false)
            }
        }
    }

    fn assumptions(&mut self, cube: &[Literal]) -> Vec<Term> {
        let given = self.question.facts.iter().chain(self.question.background).copied();
        let mut assumptions: Vec<Term> = given.collect();
        for &(term, positive) in cube {
            assumptions.push(if positive { term } else { self.terms.not(term) });
        }
        assumptions
    }

    fn learn(&mut self, knowledge: &mut Knowledge, model: Model) {
        if knowledge.models.len() >= MAX_MODELS {
            return;
        }
        let number = knowledge.models.len();
        let mut terms: Vec<Term> = knowledge.holds.keys().map(|&(term, _)| term).collect();
        terms.dedup();
        for term in terms {
            let value = is_true(self.terms, term, &model);
            knowledge.mark(term, value, number);
        }
        knowledge.models.push(model);
    }

    /// Evaluates a new candidate in the models there are.
    fn observe(&mut self, knowledge: &mut Knowledge, candidate: Term) {
        for positive in [true, false] {
            knowledge.holds.insert((candidate, positive), vec![0; MAX_MODELS / 64]);
        }
        for number in 0..knowledge.models.len() {
            let value = is_true(self.terms, candidate, &knowledge.models[number]);
            knowledge.mark(candidate, value, number);
        }
    }

    /// All minimal sets, of any length.
    fn enumerate_all(&mut self, knowledge: &mut Knowledge, new: &[Term]) -> Result<(), Stop> {
        for &candidate in new {
            self.observe(knowledge, candidate);
            knowledge.tested.push(candidate);
        }
        let mut map = Map::new(&knowledge.tested);
        for cube in knowledge.cubes.iter().chain(self.question.impossible) {
            map.exclude_supersets(cube);
        }
        for model in &knowledge.models {
            map.exclude_subsets(self.terms, model);
        }
        let mut undecided = 0;
        while undecided < MAX_UNDECIDED
            && let Some(seed) = map.propose()
        {
            self.budget.check()?;
            let assumptions = self.assumptions(&seed);
            let given = assumptions.len() - seed.len();
            self.counts.queries += 1;
            match self.solver.check(self.terms, &assumptions) {
                Answer::Sat => {
                    let model = self.solver.model(self.terms);
                    map.exclude_subsets(self.terms, &model);
                    self.learn(knowledge, model);
                }
                Answer::Unsat => {
                    let core: Vec<usize> = self.solver.core().to_vec();
                    let kept: Vec<Term> = assumptions[..given].to_vec();
                    let literals: Vec<Literal> =
                        core.iter().filter(|&&i| i >= given).map(|&i| seed[i - given]).collect();
                    let mut cube = self.shrink(&kept, literals)?;
                    cube.sort_unstable();
                    map.exclude_supersets(&cube);
                    knowledge.cubes.push(cube);
                }
                Answer::Unknown(_) => {
                    self.budget.check()?;
                    self.counts.gave_up += 1;
                    undecided += 1;
                    map.exclude_supersets(&seed);
                }
            }
        }
        Ok(())
    }

    /// A minimal contradicting subset.
    fn shrink(&mut self, given: &[Term], literals: Vec<Literal>) -> Result<Cube, Stop> {
        let mut kept = literals;
        let mut i = 0;
        while i < kept.len() {
            self.budget.check()?;
            let mut without = kept.clone();
            without.remove(i);
            let mut assumptions = given.to_vec();
            for &(term, positive) in &without {
                assumptions.push(if positive { term } else { self.terms.not(term) });
            }
            self.counts.queries += 1;
            match self.solver.check(self.terms, &assumptions) {
                Answer::Unsat => kept = without,
                _ => i += 1,
            }
        }
        Ok(kept)
    }
}

impl Knowledge {
    fn mark(&mut self, term: Term, value: bool, model: usize) {
        if let Some(bits) = self.holds.get_mut(&(term, value)) {
            bits[model / 64] |= 1 << (model % 64);
        }
    }

    fn some_model_has(&self, cube: &Cube) -> bool {
        let rows: Vec<&Vec<u64>> = cube.iter().filter_map(|literal| self.holds.get(literal)).collect();
        debug_assert_eq!(rows.len(), cube.len());
        (0..self.models.len().div_ceil(64))
            .any(|word| rows.iter().fold(u64::MAX, |all, row| all & row[word]) != 0 && !rows.is_empty())
    }
}

fn is_true(terms: &Terms, term: Term, model: &Model) -> bool {
    terms.evaluate(term, model) == Value::Bool(true)
}

/// Whether a sorted set contains another.
pub(crate) fn contains(larger: &Cube, smaller: &Cube) -> bool {
    smaller.len() <= larger.len() && smaller.iter().all(|literal| larger.binary_search(literal).is_ok())
}

/// Which sets of literals are still undecided.
struct Map {
    terms: Terms,
    solver: Blaster,
    /// The selectors of the positive and of the negative literal of each candidate.
    selectors: Vec<(Term, [Term; 2])>,
}

impl Map {
    fn new(candidates: &[Term]) -> Self {
        let mut map = Map {
            terms: Terms::default(),
            solver: Blaster::new(&Budget::unlimited()),
            selectors: Vec::new(),
        };
        for (i, &candidate) in candidates.iter().enumerate() {
            let yes = map.terms.symbol(&format!("yes{i}"), Sort::Bool);
            let no = map.terms.symbol(&format!("no{i}"), Sort::Bool);
            let (not_yes, not_no) = (map.terms.not(yes), map.terms.not(no));
            map.require(&[not_yes, not_no]);
            map.selectors.push((candidate, [yes, no]));
        }
        map
    }

    fn require(&mut self, clause: &[Term]) {
        let clause = self.terms.or(clause);
        self.solver.assert(&self.terms, clause);
    }

    fn selector(&self, (term, positive): Literal) -> Option<Term> {
        let (_, pair) = self.selectors.iter().find(|(candidate, _)| *candidate == term)?;
        Some(pair[usize::from(!positive)])
    }

    fn exclude_supersets(&mut self, cube: &Cube) {
        let selectors: Option<Vec<Term>> = cube.iter().map(|&literal| self.selector(literal)).collect();
        let Some(selectors) = selectors else { return };
        let clause: Vec<Term> = selectors.into_iter().map(|s| self.terms.not(s)).collect();
        self.require(&clause);
    }

    /// Sets that a model satisfies are possible: another literal must be chosen.
    fn exclude_subsets(&mut self, terms: &Terms, model: &Model) {
        let clause: Vec<Term> = self
            .selectors
            .iter()
            .map(|&(candidate, pair)| pair[usize::from(is_true(terms, candidate, model))])
            .collect();
        self.require(&clause);
    }

    fn propose(&mut self) -> Option<Cube> {
        match self.solver.check(&self.terms, &[]) {
            Answer::Sat => {}
            _ => return None,
        }
        let model = self.solver.model(&self.terms);
        let mut cube = Vec::new();
        for &(candidate, [yes, no]) in &self.selectors {
            if is_true(&self.terms, yes, &model) {
                cube.push((candidate, true));
            } else if is_true(&self.terms, no, &model) {
                cube.push((candidate, false));
            }
        }
        cube.sort_unstable();
        Some(cube)
    }
}

#[cfg(test)]
mod tests;
