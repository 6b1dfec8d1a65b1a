//! Crossing one abstract state: ports, the theorems, and what is tried where they fail.
//!
//! The exit port is the largest one that Lemma 1 gives, a ∧ Pre(s, a'); for Theorem 1 smaller ones
//! are tried where condition (3) fails because of it (§4.1). Where a condition fails, the abstract state
//! is refined (§4.3), by states that the failure shows to be of no use:
//!
//! - those that can neither go on nor exit (`jump_beyond_n`, where x = 1 cannot be reached);
//! - those that have no predecessor and are not in the entry port (`nested`, where y = n whenever the
//!   outer loop comes round);
//! - those outside of bounds that hold at the entry and that the loop keeps.
//!
//! The paper leaves open how to refine; all three are greatest subsets that a few rounds approach.

use hardbop_base::Stop;
use hardbop_logic::Term;

use crate::choice::{LeapStep, Resolution, competitors, resolutions, resolve, steps};
use crate::invariant::bounds;
use crate::inverse::post;
use crate::query::Query;
use crate::set::Set;
use crate::simplify::simplified;
use crate::system::{System, zero};
use crate::theorem::{Holds, Instance};

/// Rounds of refinement for one way to resolve choices.
const MAX_ROUNDS: usize = 4;

/// An abstract state with ports, and what holds of it.
#[derive(Debug, Clone)]
pub struct Crossing {
    /// The states, after refinement.
    pub a: Set,
    /// The entry port.
    pub e: Set,
    /// The exit port.
    pub x: Set,
    /// Condition 1.
    pub finite: Holds,
    /// Theorem 1: condition 2 and condition 3.
    pub first: Holds,
    /// Theorem 2: condition 2 and condition 3.
    pub second: (Holds, Holds),
    /// How choices are resolved.
    pub resolution: Resolution,
    /// The groups of steps that compete.
    pub groups: Vec<Vec<usize>>,
    /// What stays inside.
    pub steps: Vec<LeapStep>,
    /// What leaves the state for the next.
    pub exits: Vec<LeapStep>,
    /// Whose turn it is at the entry: each of these is zero.
    pub turns: Vec<Term>,
    /// How often the state was refined.
    pub rounds: usize,
}

impl Crossing {
    /// How much of what is wanted holds.
    fn score(&self) -> usize {
        let holds = [&self.finite, &self.first, &self.second.0, &self.second.1];
        holds.into_iter().filter(|holds| holds.is_ok()).count()
    }

    /// Whether must⁻*(e, x).
    pub fn first_holds(&self) -> bool {
        self.finite.is_ok() && self.first.is_ok()
    }

    /// Whether must⁺*(e, x).
    pub fn second_holds(&self) -> bool {
        self.finite.is_ok() && self.second.0.is_ok() && self.second.1.is_ok()
    }
}

/// Which theorem is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Theorem 1.
    Backward,
    /// Theorem 2.
    Forward,
}

/// What is crossed.
pub struct Crossed<'c> {
    /// The states.
    pub a: &'c Set,
    /// Where they are entered.
    pub e: &'c Set,
    /// Where to go from there.
    pub target: &'c Set,
    /// The symbols that matter.
    pub relevant: &'c [Term],
    /// Whether to find out about the other theorem, too.
    pub thorough: bool,
}

/// Tries to cross a state; nothing if it has no way out. If no theorem holds, the best try.
pub fn cross(
    query: &mut Query<'_>,
    system: &System,
    crossed: &Crossed<'_>,
    direction: Direction,
) -> Result<Option<Crossing>, Stop> {
    let relevant = crossed.relevant;
    let inner = steps(query, system, relevant, (crossed.a, crossed.a), false)?;
    let exits = steps(query, system, relevant, (crossed.a, crossed.target), true)?;
    let x = exit_port(query, crossed.a, &exits, crossed.target);
    let x = simplified(query, &x)?;
    if exits.is_empty() || x.is_inhabited(query)? != Some(true) {
        return Ok(None);
    }
    // Backwards, smaller exit ports may be tried later.
    let inside = match direction {
        Direction::Forward => crossed.a.minus(&mut query.encoder.terms, &x),
        Direction::Backward => crossed.a.clone(),
    };
    let groups = competitors(query, &inner, &inside)?;
    let mut best: Option<Crossing> = None;
    for resolution in resolutions(&groups) {
        for with_bounds in [false, true] {
            let mut attempt = Attempt {
                query,
                system,
                crossed,
                direction,
                inner: &inner,
                exits: &exits,
                groups: &groups,
                resolution: &resolution,
            };
            let Some(found) = attempt.run(with_bounds)? else { continue };
            let done = match direction {
                Direction::Backward => found.first_holds(),
                Direction::Forward => found.second_holds(),
            };
            if done {
                return Ok(Some(match crossed.thorough {
                    true => with_first(query, system, crossed, found)?,
                    false => found,
                }));
            }
            if best.as_ref().is_none_or(|best| found.score() > best.score()) {
                best = Some(found);
            }
        }
    }
    Ok(best)
}

/// Theorem 1 as well, where Theorem 2 was wanted.
fn with_first(
    query: &mut Query<'_>,
    system: &System,
    crossed: &Crossed<'_>,
    mut found: Crossing,
) -> Result<Crossing, Stop> {
    let mut relevant = crossed.relevant.to_vec();
    relevant.extend(&found.turns);
    if found.first.as_ref().is_err_and(|why| why == NOT_ASKED) {
        let Crossing { a, e, x, steps, .. } = &found;
        let instance = Instance { a, e, x, steps, relevant: &relevant };
        found.first = instance.first(query, system)?;
    }
    Ok(found)
}

/// Why nothing is known of a theorem.
pub(crate) const NOT_ASKED: &str = "not asked";

/// Lemma 1: the largest exit port.
fn exit_port(query: &mut Query<'_>, a: &Set, exits: &[LeapStep], target: &Set) -> Set {
    let mut x = Set::new();
    for exit in exits {
        let pre = exit.pre(query, target);
        x.add(&mut query.encoder.terms, exit.source, pre);
    }
    x.and(&mut query.encoder.terms, a)
}

struct Attempt<'t, 'a> {
    query: &'t mut Query<'a>,
    system: &'t System,
    crossed: &'t Crossed<'t>,
    direction: Direction,
    inner: &'t [LeapStep],
    exits: &'t [LeapStep],
    groups: &'t [Vec<usize>],
    resolution: &'t Resolution,
}

impl Attempt<'_, '_> {
    fn run(&mut self, with_bounds: bool) -> Result<Option<Crossing>, Stop> {
        let mut a = self.crossed.a.clone();
        let mut e = self.crossed.e.and(&mut self.query.encoder.terms, &a);
        e = simplified(self.query, &e)?;
        let mut known = None;
        let last = if with_bounds { MAX_ROUNDS } else { 0 };
        for rounds in 0..=last {
            let (mut steps, turns) =
                resolve(self.query, self.inner, self.groups, self.resolution, self.crossed.a);
            if rounds == 0 {
                (a, e) = self.with_turns(&turns, &a, &e);
                if with_bounds {
                    let x = exit_port(self.query, &a, self.exits, self.crossed.target);
                    self.stop_at(&mut steps, &x);
                    let bounds = bounds(self.query, self.system, &steps, &e, &a, self.crossed.relevant)?;
                    a = a.and(&mut self.query.encoder.terms, &bounds);
                    a = simplified(self.query, &a)?;
                }
            }
            let (mut steps, _) = resolve(self.query, self.inner, self.groups, self.resolution, &a);
            e = e.and(&mut self.query.encoder.terms, &a);
            e = simplified(self.query, &e)?;
            if e.is_inhabited(self.query)? == Some(false) {
                return Ok(known);
            }
            let x = exit_port(self.query, &a, self.exits, self.crossed.target);
            let mut x = simplified(self.query, &x)?;
            if x.is_inhabited(self.query)? != Some(true) {
                return Ok(known);
            }
            self.stop_at(&mut steps, &x);
            let mut relevant = self.crossed.relevant.to_vec();
            relevant.extend(turns.iter().map(|&(turn, _)| turn));
            let instance = Instance { a: &a, e: &e, x: &x, steps: &steps, relevant: &relevant };
            let finite = instance.is_finite(self.query, self.system)?;
            let mut injective = instance.is_injective(self.query, self.system)?;
            let mut goes_on = instance.goes_on(self.query)?;
            let mut first = match self.direction {
                Direction::Forward => Err(NOT_ASKED.to_owned()),
                Direction::Backward => instance.first(self.query, self.system)?,
            };
            let refined = match self.direction {
                Direction::Forward if goes_on.is_err() => {
                    let going_on = instance.going_on(self.query);
                    Some(x.or(&mut self.query.encoder.terms, &going_on))
                }
                Direction::Forward if injective.is_err() => {
                    e = self.smaller_entry(&e, &instance.changed())?;
                    Some(self.reached(&a, &e, &steps))
                }
                Direction::Forward => None,
                Direction::Backward => {
                    if first.is_err()
                        && let Some(smaller) = self.smaller_exit(&instance)?
                    {
                        let tried = Instance { x: &smaller, ..instance };
                        injective = tried.is_injective(self.query, self.system)?;
                        goes_on = tried.goes_on(self.query)?;
                        x = smaller;
                        first = Ok(());
                    }
                    match first {
                        Ok(()) => None,
                        Err(_) => {
                            let instance =
                                Instance { a: &a, e: &e, x: &x, steps: &steps, relevant: &relevant };
                            let preceded = instance.preceded(self.query, self.system);
                            Some(preceded.or(&mut self.query.encoder.terms, &e))
                        }
                    }
                }
            };
            known = Some(Crossing {
                a: a.clone(),
                e: e.clone(),
                x,
                finite,
                first,
                second: (injective, goes_on),
                resolution: self.resolution.clone(),
                groups: self.groups.to_vec(),
                steps,
                exits: self.exits.to_vec(),
                turns: turns.iter().map(|&(turn, _)| turn).collect(),
                rounds,
            });
            match refined {
                None => return Ok(known),
                Some(refined) => {
                    a = a.and(&mut self.query.encoder.terms, &refined);
                    a = simplified(self.query, &a)?;
                }
            }
        }
        Ok(known)
    }

    /// A path that is followed forwards ends in the exit port.
    fn stop_at(&mut self, steps: &mut [LeapStep], x: &Set) {
        if self.direction == Direction::Backward {
            return;
        }
        for step in steps {
            let terms = &mut self.query.encoder.terms;
            let outside = x.get(terms, step.source);
            let outside = terms.not(outside);
            step.condition = terms.and(&[step.condition, outside]);
        }
    }

    /// Turns are in range inside, and zero at the entry.
    fn with_turns(&mut self, turns: &[(Term, u32)], a: &Set, e: &Set) -> (Set, Set) {
        let (mut inside, mut entry) = (a.clone(), e.clone());
        for &(turn, count) in turns {
            let zero = self.query.small(0);
            let mut values = Vec::new();
            for value in 0..count {
                let value = self.query.small(value as u8);
                values.push(self.query.encoder.terms.eq(turn, value));
            }
            let terms = &mut self.query.encoder.terms;
            let (first, any) = (terms.eq(turn, zero), terms.or(&values));
            let restrict = |set: &Set, condition: Term, terms: &mut hardbop_logic::Terms| {
                let mut result = Set::new();
                for (node, part) in set.iter() {
                    let part = terms.and(&[part, condition]);
                    result.add(terms, node, part);
                }
                result
            };
            inside = restrict(&inside, any, terms);
            entry = restrict(&entry, first, terms);
        }
        (inside, entry)
    }

    /// States in the entry port, or after a step from inside, and perhaps more.
    fn reached(&mut self, a: &Set, e: &Set, steps: &[LeapStep]) -> Set {
        let mut reached = e.clone();
        for step in steps {
            let depth = self.system.nodes[step.target].stack.len();
            let (after, _) = post(self.query, step, a, depth);
            reached.add(&mut self.query.encoder.terms, step.target, after);
        }
        reached
    }

    /// §4.1, the other way round: a smaller entry port for Theorem 2, where all that the loop changes has a value.
    fn smaller_entry(&mut self, e: &Set, changed: &[Term]) -> Result<Set, Stop> {
        let mut smaller = e.clone();
        for &symbol in changed {
            let sort = self.query.encoder.terms.sort(symbol);
            let zero = zero(&mut self.query.encoder, sort);
            let mut next = Set::new();
            for (node, condition) in smaller.iter() {
                let only = |other: Term| other != symbol;
                let another = self.query.renamed(condition, "2", &only);
                let other = self.query.other(symbol, "2");
                let terms = &mut self.query.encoder.terms;
                let (differs, is_zero) = (terms.ne(symbol, other), terms.eq(symbol, zero));
                let open = self.query.possible(&[condition, another, differs])? == Some(true);
                let zeroed = self.query.encoder.terms.and(&[condition, is_zero]);
                let smaller = open && self.query.possible(&[zeroed])? == Some(true);
                next.add(&mut self.query.encoder.terms, node, if smaller { zeroed } else { condition });
            }
            smaller = next;
        }
        Ok(smaller)
    }

    /// §4.1: a smaller exit port for Theorem 1, without states that go on as well.
    fn smaller_exit(&mut self, instance: &Instance<'_>) -> Result<Option<Set>, Stop> {
        let none = Set::new();
        let all = Instance { x: &none, ..*instance };
        if all.comes_from(self.query, self.system)?.is_err() {
            return Ok(None);
        }
        let going_on = instance.going_on(self.query);
        let smaller = instance.x.minus(&mut self.query.encoder.terms, &going_on);
        let tried = Instance { x: &smaller, ..*instance };
        let holds =
            smaller.is_inhabited(self.query)? == Some(true) && tried.first(self.query, self.system)?.is_ok();
        Ok(holds.then_some(smaller))
    }
}
