//! Summaries in bounded runs, and predicates for them (the exercises of `001…` §6 and §7: bwp and
//! interp with procedures and references).
//!
//! A call that returns stands in a bounded run as a *hole*: symbols of its own for the states at the
//! entry and at the exit, of which the summary of the respective round holds. If a run fails with that,
//! the summaries may be too weak: the holes of the run are expanded, one round of the summary's own
//! computation each, with holes for what that rests on. This ends with a run without holes, which can
//! be run, or with a contradiction.
//!
//! In the latter case the holes that were expanded give pairs (A, B), the last first: A is what the
//! hole was expanded to, and B all the rest. Both speak of the states at the entry and at the exit, and
//! so does the interpolant; its atoms are predicates for the cover of the summary. The interpolant
//! takes the place of the expansion, and the contradiction remains. In the end no hole is expanded and
//! no run fails: with the new predicates, the covers are inside of the interpolants.

use hardbop_base::Budget;
use hardbop_logic::{Model, Term, Value};
use hardbop_verdict::Reason;
use rustc_hash::FxHashMap;

use crate::ask::Asker;
use crate::bounded::{Layers, is_renamed};
use crate::fixpoint::Predicates;
use crate::interp::{add, between};
use crate::pre::Sets;
use crate::space::{Space, Target};

/// The most holes; more are too much for one question.
const MAX_HOLES: usize = 2000;

/// That one state leads to another, in so many rounds.
struct Hole {
    /// The truth value that stands for it.
    symbol: Term,
    /// From where, to the exit of the unit.
    cut: usize,
    round: usize,
    /// What an interpolant says of it.
    known: Term,
    /// What it was expanded to.
    expanded: Option<Term>,
}

/// The holes of bounded runs.
pub(crate) struct Holes<'h> {
    history: &'h [Sets],
    holes: Vec<Hole>,
    /// Where the holes of the runs themselves are: a call in a segment, and the symbol that stands for
    /// it.
    facts: Vec<Term>,
    /// Those that were expanded, in that order.
    order: Vec<usize>,
}

/// What is known after holes were looked into.
pub(crate) enum Filled {
    /// A run fails, as this says.
    Fails(Model),
    /// None does, and the summaries are strong enough to say so; these facts about them are all it
    /// takes.
    Enough(Vec<Term>),
    /// None does, but the summaries do not say so. Whether there are new predicates for them.
    Refined(bool),
}

impl<'h> Holes<'h> {
    /// The holes of bounded runs.
    pub(crate) fn of(space: &mut Space<'_>, layers: &Layers, history: &'h [Sets]) -> Result<Self, Reason> {
        let mut holes = Holes { history, holes: Vec::new(), facts: Vec::new(), order: Vec::new() };
        for pending in &layers.calls {
            let (cut, call) = pending.call;
            let rename =
                |space: &mut Space<'_>, term| crate::bounded::at_node(space, term, (cut, pending.left));
            let hole = holes.at_call(space, (cut, call), pending.left.checked_sub(1), &rename)?;
            let fact = space.encoder.terms.implies(pending.symbol, hole);
            holes.facts.push(fact);
        }
        Ok(holes)
    }

    /// Decides whether one of the errors is reached, and finds predicates if only the summaries allow
    /// it.
    pub(crate) fn fill(
        mut self,
        space: &mut Space<'_>,
        asker: &mut Asker<'_>,
        errors: Term,
        predicates: &mut [Predicates],
        budget: &Budget,
    ) -> Result<Filled, Reason> {
        loop {
            let mut question = self.all_facts(space, None);
            question.push(errors);
            let Some(model) = asker.model(&mut space.encoder, &question)? else { break };
            let open = self.open(space, &model);
            if open.is_empty() {
                return Ok(Filled::Fails(model));
            }
            for hole in open {
                self.expand(space, hole)?;
            }
        }
        if self.order.is_empty() {
            return Ok(Filled::Enough(self.all_facts(space, None)));
        }
        let mut refined = false;
        while let Some(hole) = self.order.pop() {
            refined |= self.close(space, hole, errors, predicates, budget)?;
        }
        Ok(Filled::Refined(refined))
    }

    /// A hole for a call in a segment: the condition that it is passed, over the symbols of the segment
    /// as they are renamed.
    fn at_call(
        &mut self,
        space: &mut Space<'_>,
        (cut, call): (usize, usize),
        round: Option<usize>,
        rename: &dyn Fn(&mut Space<'_>, Term) -> Term,
    ) -> Result<Term, Reason> {
        let Some(round) = round else { return Ok(space.encoder.terms.bool(false)) };
        let entry = space.units[space.segments[cut].calls[call].unit].entry;
        let hole = self.add(space, entry, round)?;
        let mut conditions = vec![self.holes[hole].symbol];
        for symbol in self.mentioned(space, entry) {
            let value = space.at_call(symbol, (cut, call));
            let value = rename(space, value);
            let there = in_hole(space, symbol, hole);
            conditions.push(space.encoder.terms.eq(there, value));
        }
        Ok(space.encoder.terms.and(&conditions))
    }

    fn add(&mut self, space: &mut Space<'_>, cut: usize, round: usize) -> Result<usize, Reason> {
        if self.holes.len() >= MAX_HOLES {
            return Err(Reason::Checker("too many calls in bounded runs".to_owned()));
        }
        let number = self.holes.len();
        let symbol = space.encoder.terms.symbol(&format!("hole {number}"), hardbop_logic::Sort::Bool);
        let known = space.encoder.terms.bool(true);
        self.holes.push(Hole { symbol, cut, round, known, expanded: None });
        Ok(number)
    }

    /// The symbols for the state at a cut point that can be known there, and for the state at the exit.
    fn mentioned(&self, space: &mut Space<'_>, cut: usize) -> Vec<Term> {
        let mut symbols: Vec<Term> = crate::bounded::state_symbols(space);
        symbols.retain(|&symbol| space.is_known_at(cut, symbol));
        let unit = space.cuts[cut].unit;
        for cell in space.units[unit].changes.clone() {
            symbols.push(space.at_exit(cell));
        }
        symbols
    }

    /// What is known of all holes, and how they hang together; of one of them nothing is said.
    fn all_facts(&self, space: &mut Space<'_>, without: Option<usize>) -> Vec<Term> {
        let mut facts = self.facts.clone();
        for number in (0..self.holes.len()).filter(|&number| Some(number) != without) {
            facts.push(self.fact(space, number));
        }
        facts
    }

    fn fact(&self, space: &mut Space<'_>, number: usize) -> Term {
        let hole = &self.holes[number];
        let meaning = match hole.expanded {
            Some(expanded) => expanded,
            None => {
                let summary = self.history[hole.round].returns[hole.cut];
                let all = space.encoder.terms.and(&[summary, hole.known]);
                in_hole(space, all, number)
            }
        };
        space.encoder.terms.implies(hole.symbol, meaning)
    }

    /// The holes of a run that are not expanded.
    fn open(&self, space: &Space<'_>, model: &Model) -> Vec<usize> {
        let is_true = |hole: &Hole| space.encoder.terms.evaluate(hole.symbol, model) == Value::Bool(true);
        let open = self.holes.iter().enumerate().filter(|(_, hole)| hole.expanded.is_none() && is_true(hole));
        open.map(|(number, _)| number).collect()
    }

    /// Takes one round of the computation of a summary in its place.
    fn expand(&mut self, space: &mut Space<'_>, number: usize) -> Result<(), Reason> {
        let Hole { cut, round, .. } = self.holes[number];
        let before = round.checked_sub(1);
        let rename = |space: &mut Space<'_>, term| in_hole(space, term, number);
        let mut known = FxHashMap::default();
        for call in 0..space.segments[cut].calls.len() {
            let returns = space.segments[cut].calls[call].returns;
            let hole = self.at_call(space, (cut, call), before, &rename)?;
            let named = rename(space, returns);
            let hole = space.encoder.terms.substitute(hole, &known);
            known.insert(named, hole);
        }
        let unit = space.cuts[cut].unit;
        let mut ways = Vec::new();
        for i in 0..space.segments[cut].arrivals.len() {
            let arrival = &space.segments[cut].arrivals[i];
            let (target, guard, state) = (arrival.target, arrival.guard, arrival.values.clone());
            let after = match (target, before) {
                (Target::Exit, _) => {
                    let exits = space.exits_with(unit, &state);
                    rename(space, exits)
                }
                (Target::Cut(_), None) => space.encoder.terms.bool(false),
                (Target::Cut(target), Some(round)) => {
                    let next = self.add(space, target, round)?;
                    let mut conditions = vec![self.holes[next].symbol];
                    for symbol in self.mentioned(space, target) {
                        let value = space.before(symbol, &state);
                        let value = rename(space, value);
                        let there = in_hole(space, symbol, next);
                        conditions.push(space.encoder.terms.eq(there, value));
                    }
                    space.encoder.terms.and(&conditions)
                }
            };
            let guard = rename(space, guard);
            ways.push(space.encoder.terms.and(&[guard, after]));
        }
        let all = space.encoder.terms.or(&ways);
        self.holes[number].expanded = Some(space.encoder.terms.substitute(all, &known));
        self.order.push(number);
        Ok(())
    }

    /// Puts an interpolant in the place of what a hole was expanded to. Whether it has new predicates.
    fn close(
        &mut self,
        space: &mut Space<'_>,
        number: usize,
        errors: Term,
        predicates: &mut [Predicates],
        budget: &Budget,
    ) -> Result<bool, Reason> {
        let inside = self.inside(space, number);
        let mut a = Vec::new();
        let mut b = self.facts.clone();
        b.push(errors);
        for other in 0..self.holes.len() {
            if other == number {
                a.extend(self.holes[other].expanded);
            } else if inside.contains(&other) {
                a.push(self.fact(space, other));
            } else {
                b.push(self.fact(space, other));
            }
        }
        let cut = self.holes[number].cut;
        let symbols = self.mentioned(space, cut);
        let mut back = FxHashMap::default();
        for symbol in symbols {
            let named = in_hole(space, symbol, number);
            back.insert(named, symbol);
        }
        let found = between(space, &a, &b, &back, budget)?;
        if let Some(known) = found.between {
            self.holes[number].known = known;
            self.holes[number].expanded = None;
        }
        Ok(add(space, cut, &found.atoms, &mut predicates[cut].returns))
    }

    /// The holes that a hole was expanded to, and so on.
    fn inside(&self, space: &Space<'_>, number: usize) -> Vec<usize> {
        let mut inside = Vec::new();
        let mut open = vec![number];
        while let Some(hole) = open.pop() {
            let Some(expanded) = self.holes[hole].expanded else { continue };
            let symbols = space.encoder.terms.symbols(expanded);
            for (other, candidate) in self.holes.iter().enumerate() {
                if symbols.contains(&candidate.symbol) && other != number && !inside.contains(&other) {
                    inside.push(other);
                    open.push(other);
                }
            }
        }
        inside
    }
}

/// A term over the state at a cut point and at the exit, as it is said of a hole.
fn in_hole(space: &mut Space<'_>, term: Term, number: usize) -> Term {
    let mut names = FxHashMap::default();
    for symbol in space.encoder.terms.symbols(term) {
        if is_renamed(space, symbol) || space.exit_cell(symbol).is_some() {
            let sort = space.encoder.terms.sort(symbol);
            let name = space.encoder.terms.symbol_name(symbol).unwrap_or_default().to_owned();
            let named = space.encoder.terms.symbol(&format!("{name} in hole {number}"), sort);
            names.insert(symbol, named);
        }
    }
    space.encoder.terms.substitute(term, &names)
}
