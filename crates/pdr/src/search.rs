//! The search: frames at the heads of loops, and obligations that are pushed back.
//!
//! F(l, i) contains the states at head l that are reached in at most i steps from head to head, and is weaker for larger
//! i. It is a set of clauses, each the negation of a cube, which is a conjunction of literals. A cube that leads to an error
//! is an obligation: it is shown to be out of reach by a clause, or its predecessors are obligations of the frame before.
//! When all clauses of a frame hold one step later, too, they are invariants.

use std::rc::Rc;

use hardbop_base::{Budget, Stop};
use hardbop_logic::{Evaluator, Model, Sort, Term, Value};
use hardbop_semantics::Meaning;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::affine::linear_facts;
use crate::asker::{Asker, Found, Silent};
use crate::cube::{Constants, Literal, Parts, elements_read};
use crate::elements::element_facts;
use crate::facts::{Candidates, facts, parts_of_cuts};
use crate::nodes::{Detail, node_facts};
use crate::system::System;

/// Questions that are asked to make a cube smaller.
const MAX_TRIES: usize = 40;

/// The frame at which facts are looked for: what is proved in one step needs none.
const FACTS_AT: usize = 2;

/// The frame at which more is tried to be said of nodes.
const MORE_AT: usize = 4;

/// The last frame of a search before another one counts nodes, and of that one.
pub(crate) const LAST_BEFORE_COUNTS: usize = MORE_AT - 1;
pub(crate) const LAST_WITH_COUNTS: usize = MORE_AT + 2;

/// What came of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// There are invariants.
    Found,
    /// There are more frames than were allowed.
    Later,
    /// There is no answer.
    Nothing,
}

/// States that are shown to be out of reach.
#[derive(Clone)]
struct Lemma {
    cube: Vec<Literal>,
    clause: Term,
    /// The clause, for the elements that the segment behind the cut point reads.
    used: Term,
    /// The last frame that it holds in.
    level: usize,
}

/// States that must be out of reach.
struct Obligation {
    cube: Vec<Literal>,
    cut: usize,
    level: usize,
}

/// What comes before some states.
enum Before {
    /// States in which a segment starts: the values of one of them, for which these terms hold.
    States { segment: usize, target: Vec<Term>, model: Box<Model> },
    /// Nothing; of the cube these literals suffice for that.
    Nothing(Vec<Literal>),
}

/// The search at work.
pub(crate) struct Search<'a> {
    pub(crate) system: System<'a>,
    budget: &'a Budget,
    /// One for each segment.
    askers: Vec<Asker>,
    /// What names stand for.
    pub(crate) definitions: FxHashMap<Term, Term>,
    /// For each exit of each segment, what terms about the state there say of the state before.
    before: FxHashMap<(usize, usize), FxHashMap<Term, Term>>,
    /// The segments and exits that lead to each cut point.
    incoming: Vec<Vec<(usize, usize)>>,
    /// For each cut point.
    lemmas: Vec<Vec<Lemma>>,
    parts: FxHashMap<Term, Rc<Parts>>,
    /// The comparisons that are made at each cut point, once facts were looked for.
    compared: Vec<Rc<Parts>>,
    pub(crate) constants: Constants,
    /// The last frame.
    top: usize,
    /// Whether facts were looked for, and more facts about nodes.
    has_facts: bool,
    has_more: bool,
    /// The frame whose clauses are invariants.
    fixed: usize,
}

impl<'a> Search<'a> {
    /// A search in a system; nothing if an error is reached before the first loop.
    pub(crate) fn new(mut system: System<'a>, budget: &'a Budget) -> Result<Option<Self>, Stop> {
        let subject = system.subject;
        let mut askers = Vec::new();
        let mut definitions = FxHashMap::default();
        let mut incoming = vec![Vec::new(); system.cuts.len()];
        let mut roots = Vec::new();
        for (number, segment) in system.segments.iter().enumerate() {
            let pins = number.checked_sub(1).map(|cut| system.pins[cut].clone()).unwrap_or_default();
            askers.push(Asker::new(&mut system.encoder, subject, segment, &pins, budget));
            definitions.extend(segment.definitions.iter().copied());
            roots.extend(segment.definitions.iter().map(|&(_, definition)| definition));
            roots.extend(&segment.errors);
            for (at, exit) in segment.exits.iter().enumerate() {
                incoming[exit.to].push((number, at));
                roots.push(exit.guard);
                roots.extend(exit.state.written().into_iter().map(|(_, value)| value));
            }
        }
        let constants = Constants::of(&system.encoder.terms, &roots);
        let lemmas = vec![Vec::new(); system.cuts.len()];
        let mut search = Search {
            system,
            budget,
            askers,
            definitions,
            before: FxHashMap::default(),
            incoming,
            lemmas,
            parts: FxHashMap::default(),
            compared: Vec::new(),
            constants,
            top: 0,
            has_facts: false,
            has_more: false,
            fixed: 0,
        };
        let errors = search.errors(0);
        match search.ask(0, &[errors]) {
            Ok(Found::Core(_)) => Ok(Some(search)),
            Ok(Found::Model(_)) | Err(Silent::Undecided) => Ok(None),
            Err(Silent::Stopped(stop)) => Err(stop),
        }
    }

    /// Looks for invariants, in at most so many frames if that is said. It may be asked to go on.
    pub(crate) fn run(&mut self, most: Option<usize>) -> Result<Outcome, Stop> {
        loop {
            if most.is_some_and(|most| self.top >= most) {
                return Ok(Outcome::Later);
            }
            self.top += 1;
            if self.top == FACTS_AT {
                self.find_facts()?;
            }
            if self.top == MORE_AT {
                self.find_more()?;
            }
            // What can be said of single states may not suffice where facts about all elements do.
            let mut extended = or_nothing(self.extend())?;
            if extended != Some(true) && !self.has_facts {
                self.find_facts()?;
                extended = or_nothing(self.extend())?;
            }
            if extended != Some(true) && self.find_more()? {
                extended = or_nothing(self.extend())?;
            }
            if extended != Some(true) {
                return Ok(Outcome::Nothing);
            }
            match or_nothing(self.propagate())? {
                Some(true) => return Ok(Outcome::Found),
                Some(false) => {}
                None => return Ok(Outcome::Nothing),
            }
        }
    }

    /// The segments and exits that lead to a cut point.
    pub(crate) fn incoming(&self, cut: usize) -> Vec<(usize, usize)> {
        self.incoming[cut].clone()
    }

    /// The invariants of the cut points, without those that nothing rests on.
    pub(crate) fn needed(&mut self) -> Result<Vec<Vec<Term>>, Stop> {
        let fixed = |lemmas: &Vec<Lemma>| -> Vec<Term> {
            lemmas.iter().filter(|lemma| lemma.level >= self.fixed).map(|lemma| lemma.clause).collect()
        };
        let all: Vec<Vec<Term>> = self.lemmas.iter().map(fixed).collect();
        let Some(needed) = or_nothing(self.rest_on(&all))?.flatten() else { return Ok(all) };
        let kept = |cut: usize, clauses: &Vec<Term>| {
            let numbered = clauses.iter().enumerate();
            numbered.filter(|(at, _)| needed.contains(&(cut, *at))).map(|(_, &clause)| clause).collect()
        };
        Ok(all.iter().enumerate().map(|(cut, clauses)| kept(cut, clauses)).collect())
    }

    /// Of invariants, those that keep errors away, and those that these rest on; nothing if they do not.
    fn rest_on(&mut self, all: &[Vec<Term>]) -> Result<Option<FxHashSet<(usize, usize)>>, Silent> {
        let mut needed = FxHashSet::default();
        let mut open = Vec::new();
        let parts = |cut: usize, core: Vec<usize>| {
            core.into_iter().filter(move |&at| at < all[cut].len()).map(move |at| (cut, at))
        };
        for (cut, clauses) in all.iter().enumerate() {
            let errors = self.errors(cut + 1);
            let mut given = self.instantiated(cut + 1, errors, clauses);
            given.push(errors);
            let Found::Core(core) = self.ask(cut + 1, &given)? else { return Ok(None) };
            open.extend(parts(cut, core).filter(|&clause| needed.insert(clause)));
        }
        while let Some((cut, at)) = open.pop() {
            for (segment, exit) in self.incoming(cut) {
                let clause = self.before(segment, exit, all[cut][at]);
                let goal = self.system.encoder.terms.not(clause);
                let known = segment.checked_sub(1).map_or(&[][..], |from| &all[from]);
                let mut given = self.instantiated(segment, goal, known);
                given.extend([self.system.segments[segment].exits[exit].guard, goal]);
                let Found::Core(core) = self.ask(segment, &given)? else { return Ok(None) };
                if let Some(from) = segment.checked_sub(1) {
                    open.extend(parts(from, core).filter(|&clause| needed.insert(clause)));
                }
            }
        }
        Ok(Some(needed))
    }

    /// Looks for what holds whenever a cut point is reached, once, and takes it for granted from now on.
    fn find_facts(&mut self) -> Result<(), Stop> {
        if std::mem::replace(&mut self.has_facts, true) {
            return Ok(());
        }
        let cuts = self.system.cuts.len();
        let parts = parts_of_cuts(self);
        let compared = |parts: &Parts| {
            let comparisons = parts.comparisons.clone();
            Rc::new(Parts { comparisons, signed: parts.signed.clone(), ..Parts::default() })
        };
        self.compared = parts.iter().map(compared).collect();
        let mut found = or_nothing(facts(self, &parts))?.unwrap_or_else(|| vec![Vec::new(); cuts]);
        let linear = or_nothing(linear_facts(self, &parts, &found))?;
        for (facts, more) in found.iter_mut().zip(linear.into_iter().flatten()) {
            facts.extend(more);
        }
        let of_elements = or_nothing(element_facts(self, &found))?;
        for (facts, more) in found.iter_mut().zip(of_elements.into_iter().flatten()) {
            facts.extend(more);
        }
        for detail in [Detail::Plain, Detail::Heights] {
            let of_nodes = or_nothing(node_facts(self, detail, &found))?;
            for (facts, more) in found.iter_mut().zip(of_nodes.into_iter().flatten()) {
                facts.extend(more);
            }
        }
        self.take_for_granted(found);
        Ok(())
    }

    /// Looks for more that holds of nodes, once. Whether there is some.
    fn find_more(&mut self) -> Result<bool, Stop> {
        if std::mem::replace(&mut self.has_more, true) {
            return Ok(false);
        }
        let is_fact = |lemma: &&Lemma| lemma.level == usize::MAX;
        let mut known: Candidates = self
            .lemmas
            .iter()
            .map(|all| all.iter().filter(is_fact).map(|lemma| lemma.clause).collect())
            .collect();
        let mut is_some = false;
        let details: &[Detail] = match self.system.encoder.tallies_heap() {
            true => &[Detail::Numbers],
            false => &[Detail::Full, Detail::Segments],
        };
        for &detail in details {
            let found = or_nothing(node_facts(self, detail, &known))?.unwrap_or_default();
            for (known, facts) in known.iter_mut().zip(&found) {
                is_some |= !facts.is_empty();
                known.extend(facts);
            }
            self.take_for_granted(found);
        }
        Ok(is_some)
    }

    /// Adds facts.
    fn take_for_granted(&mut self, found: Candidates) {
        for (cut, facts) in found.into_iter().enumerate() {
            for clause in facts {
                let term = self.system.encoder.terms.not(clause);
                let cube = vec![Literal { term, rank: 0, bound: None }];
                let about = self.system.segments[cut + 1].roots();
                let used = self.system.encoder.instantiated(clause, &about);
                self.lemmas[cut].push(Lemma { cube, clause, used, level: usize::MAX });
            }
        }
    }

    /// Whether no state of the last frame leads to an error; if not, that is seen to.
    fn extend(&mut self) -> Result<bool, Silent> {
        for cut in 0..self.system.cuts.len() {
            let errors = self.errors(cut + 1);
            loop {
                let mut given = self.frame(cut, self.top);
                given.push(errors);
                let Found::Model(model) = self.ask(cut + 1, &given)? else { break };
                let cube = self.cube(cut + 1, &[errors], &model)?;
                if !self.block(Obligation { cube, cut, level: self.top })? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether states can be shown to be out of reach.
    fn block(&mut self, first: Obligation) -> Result<bool, Silent> {
        let mut open = vec![first];
        while let Some(next) = (0..open.len()).min_by_key(|&i| (open[i].level, open.len() - i)) {
            let obligation = open.swap_remove(next);
            if self.is_blocked(&obligation) {
                continue;
            }
            let Obligation { cube, cut, level } = obligation;
            match self.predecessors(&cube, cut, level)? {
                Before::States { segment: 0, .. } => return Ok(false),
                Before::States { segment, target, model } => {
                    let before = self.cube(segment, &target, &model)?;
                    open.push(Obligation { cube, cut, level });
                    open.push(Obligation { cube: before, cut: segment - 1, level: level - 1 });
                }
                Before::Nothing(core) => {
                    let liked = self.liked(&cube, cut, level)?;
                    self.learn(liked.unwrap_or(core), cut, level)?;
                    if level < self.top {
                        open.push(Obligation { cube, cut, level: level + 1 });
                    }
                }
            }
        }
        Ok(true)
    }

    fn is_blocked(&self, obligation: &Obligation) -> bool {
        self.lemmas[obligation.cut].iter().any(|lemma| {
            lemma.level >= obligation.level
                && lemma.cube.iter().all(|literal| obligation.cube.iter().any(|own| own.term == literal.term))
        })
    }

    /// What comes before the states of a cube, in the frame before.
    fn predecessors(&mut self, cube: &[Literal], cut: usize, level: usize) -> Result<Before, Silent> {
        let mut needed = vec![false; cube.len()];
        for (segment, exit) in self.incoming[cut].clone() {
            // No head is reached before the first step.
            if segment > 0 && level <= 1 {
                continue;
            }
            let mut given = if segment > 0 { self.frame(segment - 1, level - 1) } else { Vec::new() };
            if segment == cut + 1 {
                given.push(self.clause(cube));
            }
            let mut target = vec![self.system.segments[segment].exits[exit].guard];
            for literal in cube {
                target.push(self.before(segment, exit, literal.term));
            }
            let first = given.len() + 1;
            given.extend(&target);
            match self.ask(segment, &given)? {
                Found::Model(model) => {
                    return Ok(Before::States { segment, target, model: Box::new(model) });
                }
                Found::Core(core) => {
                    core.into_iter().filter_map(|at| at.checked_sub(first)).for_each(|at| needed[at] = true);
                }
            }
        }
        let kept = cube.iter().zip(needed).filter(|(_, needed)| *needed);
        Ok(Before::Nothing(kept.map(|(&literal, _)| literal).collect()))
    }

    /// Of a cube without predecessors, the part that suffices for that; nothing if it may have some.
    fn core(&mut self, cube: &[Literal], cut: usize, level: usize) -> Result<Option<Vec<Literal>>, Silent> {
        match self.predecessors(cube, cut, level) {
            Ok(Before::Nothing(core)) => Ok(Some(core)),
            Ok(Before::States { .. }) | Err(Silent::Undecided) => Ok(None),
            Err(stopped) => Err(stopped),
        }
    }

    /// Of a cube without predecessors, a part that suffices for that of literals that are liked more than others.
    fn liked(&mut self, cube: &[Literal], cut: usize, level: usize) -> Result<Option<Vec<Literal>>, Silent> {
        for part in by_rank(cube) {
            if let Some(core) = self.core(&part, cut, level)? {
                return Ok(Some(core));
            }
        }
        Ok(None)
    }

    /// Learns that a cube is out of reach, and as much more as can be seen easily.
    fn learn(&mut self, cube: Vec<Literal>, cut: usize, mut level: usize) -> Result<(), Silent> {
        let mut cube = self.shrunk(cube, cut, level)?;
        cube = self.widened(cube, cut, level)?;
        while level < self.top {
            let Some(core) = self.core(&cube, cut, level + 1)? else { break };
            cube = core;
            level += 1;
        }
        let clause = self.clause(&cube);
        let is_part = |lemma: &Lemma| {
            lemma.level <= level
                && cube.iter().all(|literal| lemma.cube.iter().any(|own| own.term == literal.term))
        };
        self.lemmas[cut].retain(|lemma| !is_part(lemma));
        self.lemmas[cut].push(Lemma { cube, clause, used: clause, level });
        Ok(())
    }

    /// A cube without the literals that it does not need, the least liked first.
    fn shrunk(&mut self, mut cube: Vec<Literal>, cut: usize, level: usize) -> Result<Vec<Literal>, Silent> {
        let mut tries = 0;
        let mut at = cube.len();
        while at > 0 && tries < MAX_TRIES {
            at -= 1;
            let mut fewer = cube.clone();
            fewer.remove(at);
            tries += 1;
            if let Some(core) = self.core(&fewer, cut, level)? {
                cube = core;
                at = at.min(cube.len());
            }
        }
        Ok(cube)
    }

    /// A cube with its bounds moved as far as they can be.
    fn widened(&mut self, mut cube: Vec<Literal>, cut: usize, level: usize) -> Result<Vec<Literal>, Silent> {
        for at in 0..cube.len() {
            let Some(bound) = cube[at].bound else { continue };
            for weaker in bound.weaker(&mut self.system.encoder.terms, &self.constants) {
                let mut wider = cube.clone();
                wider[at] = weaker;
                if self.core(&wider, cut, level)?.is_some() {
                    cube = wider;
                    break;
                }
            }
        }
        Ok(cube)
    }

    /// Moves clauses to later frames where they hold; whether all of a frame do.
    fn propagate(&mut self) -> Result<bool, Silent> {
        for level in 1..self.top {
            let mut left = false;
            for cut in 0..self.system.cuts.len() {
                for at in 0..self.lemmas[cut].len() {
                    if self.lemmas[cut][at].level != level {
                        continue;
                    }
                    let cube = self.lemmas[cut][at].cube.clone();
                    match self.core(&cube, cut, level + 1)? {
                        Some(_) => self.lemmas[cut][at].level = level + 1,
                        None => left = true,
                    }
                }
            }
            if !left {
                self.fixed = level + 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A cube of states from which terms about what follows hold, for some inputs: one of them is that of a model.
    fn cube(&mut self, segment: usize, target: &[Term], model: &Model) -> Result<Vec<Literal>, Silent> {
        let mut parts: Vec<Rc<Parts>> = target.iter().map(|&term| self.parts(term)).collect();
        // What is compared at this cut point anywhere, also as it was before the step.
        parts.extend(segment.checked_sub(1).and_then(|cut| self.compared.get(cut)).cloned());
        let parts = Parts::join(&parts);
        let terms = &mut self.system.encoder.terms;
        let all = parts.literals(terms, model);
        let reached = terms.and(target);
        let mut given = vec![terms.not(reached)];
        let mut evaluator = Evaluator::new();
        for &input in &parts.inputs {
            let value = evaluator.value(terms, input, model);
            given.extend(value.and_then(|value| is_value(terms, input, &value)));
        }
        // The literals that are liked most may suffice.
        for part in by_rank(&all).into_iter().chain([all.clone()]) {
            if let Some(core) = self.suffices(segment, &given, &part)? {
                return self.fewer(segment, &given, core);
            }
        }
        // Elements that inputs choose: those that this state is about.
        let read = elements_read(&mut self.system.encoder, target, &self.definitions, &parts, model);
        let values = read.into_iter().filter(|element| !parts.values.contains(element)).collect();
        let more = Parts { values, signed: parts.signed.clone(), ..Parts::default() };
        let mut all = all;
        all.extend(more.literals(&mut self.system.encoder.terms, model));
        all.sort_by_key(|literal| literal.rank);
        match self.suffices(segment, &given, &all)? {
            Some(core) => self.fewer(segment, &given, core),
            None => Ok(all),
        }
    }

    /// A cube of which each literal is needed so that terms contradict it, as far as that is seen easily.
    fn fewer(
        &mut self,
        segment: usize,
        given: &[Term],
        mut cube: Vec<Literal>,
    ) -> Result<Vec<Literal>, Silent> {
        let mut at = cube.len();
        for _ in 0..MAX_TRIES {
            let Some(next) = at.checked_sub(1) else { break };
            let mut fewer = cube.clone();
            fewer.remove(next);
            at = next;
            if let Some(core) = self.suffices(segment, given, &fewer)? {
                cube = core;
                at = at.min(cube.len());
            }
        }
        Ok(cube)
    }

    /// Whether a cube contradicts terms: the part of it that does.
    fn suffices(
        &mut self,
        segment: usize,
        given: &[Term],
        cube: &[Literal],
    ) -> Result<Option<Vec<Literal>>, Silent> {
        let asked: Vec<Term> = given.iter().copied().chain(cube.iter().map(|literal| literal.term)).collect();
        match self.ask(segment, &asked) {
            Ok(Found::Core(core)) => {
                let core = core.into_iter().filter_map(|at| at.checked_sub(given.len()));
                Ok(Some(core.filter_map(|at| cube.get(at).copied()).collect()))
            }
            Ok(Found::Model(_)) | Err(Silent::Undecided) => Ok(None),
            Err(stopped) => Err(stopped),
        }
    }

    fn parts(&mut self, term: Term) -> Rc<Parts> {
        if let Some(known) = self.parts.get(&term) {
            return Rc::clone(known);
        }
        let parts = Rc::new(Parts::of(&mut self.system.encoder, term, &self.definitions));
        self.parts.insert(term, Rc::clone(&parts));
        parts
    }

    /// A condition on the state at an exit, as one on the state where its segment starts.
    pub(crate) fn before(&mut self, segment: usize, exit: usize, term: Term) -> Term {
        let System { subject, encoder, segments, .. } = &mut self.system;
        let known = self.before.entry((segment, exit)).or_default();
        for symbol in encoder.terms.symbols(term) {
            if let Some(Meaning::Cell(cell)) = encoder.meaning_of(symbol)
                && !known.contains_key(&symbol)
            {
                let value = encoder.on(*subject).get(&segments[segment].exits[exit].state, cell);
                known.insert(symbol, value);
            }
        }
        encoder.terms.substitute_more(term, known)
    }

    /// The clauses of a frame.
    fn frame(&self, cut: usize, level: usize) -> Vec<Term> {
        self.lemmas[cut].iter().filter(|lemma| lemma.level >= level).map(|lemma| lemma.used).collect()
    }

    /// What a question about a segment is about.
    fn about(&self, segment: usize, goal: Term) -> Vec<Term> {
        let mut about = self.system.segments[segment].roots();
        about.push(goal);
        about
    }

    /// Clauses about the state where a segment starts, for the elements that a question is about.
    pub(crate) fn instantiated(&mut self, segment: usize, goal: Term, clauses: &[Term]) -> Vec<Term> {
        let about = self.about(segment, goal);
        clauses.iter().map(|&clause| self.system.encoder.instantiated(clause, &about)).collect()
    }

    /// That a state is not one of a cube.
    fn clause(&mut self, cube: &[Literal]) -> Term {
        let literals: Vec<Term> = cube.iter().map(|literal| literal.term).collect();
        let terms = &mut self.system.encoder.terms;
        let all = terms.and(&literals);
        terms.not(all)
    }

    /// When a segment leads to an error.
    fn errors(&mut self, segment: usize) -> Term {
        let errors = self.system.segments[segment].errors.clone();
        self.system.encoder.terms.or(&errors)
    }

    pub(crate) fn ask(&mut self, segment: usize, given: &[Term]) -> Result<Found, Silent> {
        let System { encoder, subject, .. } = &mut self.system;
        self.askers[segment].ask(encoder, *subject, given, self.budget)
    }
}

/// What was found, unless the solver gave up.
fn or_nothing<T>(found: Result<T, Silent>) -> Result<Option<T>, Stop> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Silent::Undecided) => Ok(None),
        Err(Silent::Stopped(stop)) => Err(stop),
    }
}

/// Parts of a cube, of more and more ranks; not the whole.
fn by_rank(cube: &[Literal]) -> Vec<Vec<Literal>> {
    let mut ranks: Vec<_> = cube.iter().map(|literal| literal.rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks.pop();
    let up_to = |rank| cube.iter().copied().filter(|literal| literal.rank <= rank).collect();
    ranks.into_iter().map(up_to).collect()
}

/// That a symbol has a value.
fn is_value(terms: &mut hardbop_logic::Terms, symbol: Term, value: &Value) -> Option<Term> {
    let constant = match (value, terms.sort(symbol)) {
        (Value::Bool(true), _) => return Some(symbol),
        (Value::Bool(false), _) => return Some(terms.not(symbol)),
        (&Value::BitVec { value, width }, Sort::BitVec(_)) => terms.bv(value, width),
        (&Value::Int(value), Sort::Int) => terms.int(value),
        _ => return None,
    };
    Some(terms.eq(symbol, constant))
}
