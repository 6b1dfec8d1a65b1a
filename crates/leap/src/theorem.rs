//! The conditions of Theorems 1 and 2 (§3, §4.2).
//!
//! Both speak of an abstract state `a` with an entry port `e` and an exit port `x`. With
//!
//! 1. γ(a) finite, for each value of the variables that the loop leaves unchanged (the paper asks for
//!    finiteness as such, but its own examples have n unbounded; nothing in the proofs needs more), and
//!    leaving aside variables that no condition depends on,
//!
//! Theorem 1 concludes must⁻*(e, x): every state of `x` is reached from some state of `e`, if
//!
//! 2. every state of a∧¬x has at most one successor in `a`,
//! 3. every state of a∧¬e has a predecessor in a∧¬x;
//!
//! and Theorem 2 concludes must⁺*(e, x): from every state of `e` some state of `x` is reached, if
//!
//! 2. every state of a∧¬e has at most one predecessor in `a`,
//! 3. every state of a∧¬x has a successor in a∧¬e.
//!
//! Departures. The transitions are those of steps made deterministic (`choice`), a part of the program's; what
//! Lemma 2 asks decides what has to be resolved. Steps that were resolved for Theorem 2 may still lead to several states of
//! the exit port, so condition 2 of Theorem 1 is asked in any case. Condition 2 of Theorem 2 is asked as it is meant: no two different states with a common
//! successor; the formula of §4.2 finds only pairs of different statements, not one that is not
//! injective. Predecessors in x do not count there: the path that the proof follows ends when it is in x.
//! Must⁺ of a choice is a ⇒ Pre (some alternative), where §4.2 writes WP.

use hardbop_base::Stop;
use hardbop_logic::{Node, Sort, Term};

use crate::choice::{LeapStep, differ};
use crate::inverse::preceded;
use crate::query::Query;
use crate::set::Set;
use crate::system::System;

/// A condition, and why it does not hold.
pub type Holds = Result<(), String>;

/// A bound is at most this factor times one more than the sum of what the loop leaves unchanged.
const FACTOR: i128 = 1 << 40;

/// An abstract state with its ports and the transitions inside of it.
pub struct Instance<'i> {
    /// The states.
    pub a: &'i Set,
    /// The entry port.
    pub e: &'i Set,
    /// The exit port.
    pub x: &'i Set,
    /// What stays inside.
    pub steps: &'i [LeapStep],
    /// The symbols that matter.
    pub relevant: &'i [Term],
}

impl Instance<'_> {
    /// The symbols that some step changes, among those that matter.
    pub fn changed(&self) -> Vec<Term> {
        let changes = |symbol: &&Term| self.steps.iter().any(|step| step.updates.contains_key(symbol));
        self.relevant.iter().filter(changes).copied().collect()
    }

    /// Condition 1.
    pub fn is_finite(&self, query: &mut Query<'_>, system: &System) -> Result<Holds, Stop> {
        let changed = self.changed();
        for &symbol in &changed {
            match query.encoder.terms.sort(symbol) {
                Sort::Bool | Sort::BitVec(_) => {}
                Sort::Array(index, element) => {
                    if [Sort::from(index), Sort::from(element)].contains(&Sort::Int) {
                        return Ok(Err("memory holds unbounded numbers".to_owned()));
                    }
                }
                Sort::Int => {
                    if !self.is_bounded(query, system, symbol, &changed)? {
                        return Ok(Err(format!("{} is not bounded", crate::show::name(query, symbol))));
                    }
                }
            }
        }
        Ok(Ok(()))
    }

    /// Whether an integer is bounded by what the loop leaves unchanged.
    fn is_bounded(
        &self,
        query: &mut Query<'_>,
        system: &System,
        symbol: Term,
        changed: &[Term],
    ) -> Result<bool, Stop> {
        for (node, condition) in self.a.iter() {
            if !query.in_scope(symbol, system.nodes[node].stack.len()) {
                continue;
            }
            let mut sum = query.encoder.terms.int(1);
            for t in query.encoder.terms.subterms(&[condition]) {
                let counts = matches!(
                    query.encoder.terms.node(t),
                    Node::Symbol { .. } | Node::IntMul(..) | Node::IntDiv(..)
                );
                let symbols = query.encoder.terms.symbols(t);
                if counts
                    && query.encoder.terms.sort(t) == Sort::Int
                    && symbols.iter().all(|symbol| !changed.contains(symbol))
                {
                    let size = query.absolute(t);
                    sum = query.encoder.terms.int_add(sum, size);
                }
            }
            let factor = query.encoder.terms.int(FACTOR);
            let bound = query.encoder.terms.int_mul(factor, sum);
            let size = query.absolute(symbol);
            let within = query.encoder.terms.int_le(size, bound);
            if !query.implies(&[condition], within)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Condition 2 of Theorem 2: no state of a∧¬e has two predecessors in a∧¬x.
    pub fn is_injective(&self, query: &mut Query<'_>, system: &System) -> Result<Holds, Stop> {
        let changed = self.changed();
        let inside = self.a.minus(&mut query.encoder.terms, self.x);
        let wanted = self.a.minus(&mut query.encoder.terms, self.e);
        for (i, s) in self.steps.iter().enumerate() {
            let here = inside.get(&mut query.encoder.terms, s.source);
            let lands = s.after(query, &wanted);
            let depth = system.nodes[s.target].stack.len();
            for t in &self.steps[..=i] {
                if t.target != s.target {
                    continue;
                }
                let keep = |symbol: Term| !changed.contains(&symbol);
                let there = inside.get(&mut query.encoder.terms, t.source);
                let there = query.encoder.terms.and(&[there, t.condition]);
                let mut parts = vec![here, s.condition, lands, query.renamed(there, "2", &keep)];
                let mut different = Vec::new();
                for &symbol in &changed {
                    if !query.in_scope(symbol, depth) {
                        continue;
                    }
                    let one = s.updates.get(&symbol).copied().unwrap_or(symbol);
                    let other = t.updates.get(&symbol).copied().unwrap_or(symbol);
                    let other = query.renamed(other, "2", &keep);
                    parts.push(query.encoder.terms.eq(one, other));
                }
                if s.source == t.source {
                    let depth = system.nodes[s.source].stack.len();
                    for &symbol in &changed {
                        if query.in_scope(symbol, depth) {
                            let other = query.other(symbol, "2");
                            different.push(query.encoder.terms.ne(symbol, other));
                        }
                    }
                    parts.push(query.encoder.terms.or(&different));
                }
                if !query.impossible(&parts)? {
                    return Ok(Err("a state has two predecessors inside".to_owned()));
                }
            }
        }
        Ok(Ok(()))
    }

    /// Condition 2 of Theorem 1: no state of a∧¬x has two successors in a.
    pub fn is_deterministic(&self, query: &mut Query<'_>) -> Result<Holds, Stop> {
        let inside = self.a.minus(&mut query.encoder.terms, self.x);
        let pairs =
            self.steps.iter().enumerate().flat_map(|(i, s)| self.steps[..i].iter().map(move |t| (s, t)));
        for (s, t) in pairs.filter(|(s, t)| s.source == t.source) {
            let here = inside.get(&mut query.encoder.terms, s.source);
            let (one, other) = (s.pre(query, self.a), t.pre(query, self.a));
            let differ = differ(query, s, t);
            if !query.impossible(&[here, one, other, differ])? {
                return Ok(Err("a state that is not in the exit port has two successors inside".to_owned()));
            }
        }
        Ok(Ok(()))
    }

    /// Theorem 1, but for finiteness: conditions 2 and 3.
    pub fn first(&self, query: &mut Query<'_>, system: &System) -> Result<Holds, Stop> {
        match self.is_deterministic(query)? {
            Ok(()) => self.comes_from(query, system),
            not => Ok(not),
        }
    }

    /// The states that have a successor in a∧¬e.
    pub fn going_on(&self, query: &mut Query<'_>) -> Set {
        let wanted = self.a.minus(&mut query.encoder.terms, self.e);
        let mut set = Set::new();
        for step in self.steps {
            let pre = step.pre(query, &wanted);
            set.add(&mut query.encoder.terms, step.source, pre);
        }
        set
    }

    /// Condition 3 of Theorem 2: must⁺(a∧¬x, a∧¬e).
    pub fn goes_on(&self, query: &mut Query<'_>) -> Result<Holds, Stop> {
        let rest = self.a.minus(&mut query.encoder.terms, self.x);
        let going_on = self.going_on(query);
        Ok(match rest.is_within(query, &going_on)? {
            true => Ok(()),
            false => Err("a state that is not in the exit port has no successor inside".to_owned()),
        })
    }

    /// States that certainly have a predecessor in a∧¬x.
    pub fn preceded(&self, query: &mut Query<'_>, system: &System) -> Set {
        let inside = self.a.minus(&mut query.encoder.terms, self.x);
        let mut set = Set::new();
        for step in self.steps {
            let depth = system.nodes[step.target].stack.len();
            for alternative in preceded(query, step, &inside, depth) {
                set.add(&mut query.encoder.terms, step.target, alternative);
            }
        }
        set
    }

    /// Condition 3 of Theorem 1: must⁻(a∧¬x, a∧¬e).
    pub fn comes_from(&self, query: &mut Query<'_>, system: &System) -> Result<Holds, Stop> {
        let rest = self.a.minus(&mut query.encoder.terms, self.e);
        let preceded = self.preceded(query, system);
        Ok(match rest.is_within(query, &preceded)? {
            true => Ok(()),
            false => Err("a state that is not in the entry port has no predecessor inside".to_owned()),
        })
    }
}
