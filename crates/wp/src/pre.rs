//! Pre-images: what must hold at a cut point so that something holds at the next ones.
//!
//! The text computes weakest liberal preconditions as greatest fixpoints. For these wp(S, Q) = false
//! does say that Q cannot be reached, but a state from which S runs forever is in wp(S, Q) too, so that
//! "wp(S, false) = false" and "a least k exists" fail. What is meant are the states from which Q *is*
//! reached, and these are pre-images, joined over choices and least fixpoints over loops:
//!
//! > pre(while b do S, Q) = μX. (b ∧ pre(S, X)) ∨ (¬b ∧ Q)
//!
//! Two sets are computed for each cut point: the states from which an error is reached before the unit
//! is left ([`Sets::fails`]), and for units that are called the pairs of states, here and at the exit,
//! such that the one leads to the other ([`Sets::returns`]). At the entry the latter is the summary Δ_p
//! of §6. A formal is replaced by its argument in the summary alone, not in the postcondition, which
//! may mention a variable of that name under recursion; and the cover of a summary needs predicates
//! over values at the exit, which the text does not provide for.

use hardbop_logic::Term;
use rustc_hash::FxHashMap;

use crate::space::{Space, Target};

/// What is known of all cut points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sets {
    /// From where an error can be reached before the unit is left.
    pub(crate) fails: Vec<Term>,
    /// From where the unit can be left, and how.
    pub(crate) returns: Vec<Term>,
}

/// A pre-image in two parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    /// What can stand as it is.
    pub(crate) exact: Term,
    /// What must be covered, for it depends on itself.
    pub(crate) looped: Term,
}

impl Sets {
    /// Nothing leads anywhere.
    pub(crate) fn none(space: &mut Space<'_>) -> Self {
        let no = space.encoder.terms.bool(false);
        Sets { fails: vec![no; space.cuts.len()], returns: vec![no; space.cuts.len()] }
    }
}

/// What stands for the returns of the calls in a segment.
pub(crate) fn summaries(space: &mut Space<'_>, cut: usize, sets: &Sets) -> FxHashMap<Term, Term> {
    let mut known = FxHashMap::default();
    for call in 0..space.segments[cut].calls.len() {
        let (unit, returns) = (space.segments[cut].calls[call].unit, space.segments[cut].calls[call].returns);
        let summary = sets.returns[space.units[unit].entry];
        let summary = space.at_call(summary, (cut, call));
        // What is passed may depend on calls before, which come first.
        let summary = space.encoder.terms.substitute(summary, &known);
        known.insert(returns, summary);
    }
    known
}

/// The states at a cut point from which an error is reached, given those of the next ones.
pub(crate) fn fails(space: &mut Space<'_>, cut: usize, sets: &Sets) -> Parts {
    let known = summaries(space, cut, sets);
    let segment = &space.segments[cut];
    let mut exact: Vec<Term> = segment.errors.clone();
    exact.extend(segment.unsupported.iter().map(|(guard, _)| *guard));
    let mut looped = Vec::new();
    for i in 0..space.segments[cut].arrivals.len() {
        let arrival = &space.segments[cut].arrivals[i];
        let (target, stays, guard, state) =
            (arrival.target, arrival.stays, arrival.guard, arrival.values.clone());
        let Target::Cut(target) = target else { continue };
        let before = space.before(sets.fails[target], &state);
        let part = space.encoder.terms.and(&[guard, before]);
        if stays { looped.push(part) } else { exact.push(part) }
    }
    for call in 0..space.segments[cut].calls.len() {
        let (unit, guard) = (space.segments[cut].calls[call].unit, space.segments[cut].calls[call].guard);
        let inside = space.at_call(sets.fails[space.units[unit].entry], (cut, call));
        exact.push(space.encoder.terms.and(&[guard, inside]));
    }
    together(space, &exact, &looped, &known)
}

/// The states at a cut point from which the unit is left, with the states at the exit.
pub(crate) fn returns(space: &mut Space<'_>, cut: usize, sets: &Sets) -> Parts {
    let known = summaries(space, cut, sets);
    let unit = space.cuts[cut].unit;
    let (mut exact, mut looped) = (Vec::new(), Vec::new());
    for i in 0..space.segments[cut].arrivals.len() {
        let arrival = &space.segments[cut].arrivals[i];
        let (target, stays, guard, state) =
            (arrival.target, arrival.stays, arrival.guard, arrival.values.clone());
        let after = match target {
            Target::Cut(target) => space.before(sets.returns[target], &state),
            Target::Exit => space.exits_with(unit, &state),
        };
        let part = space.encoder.terms.and(&[guard, after]);
        if stays { looped.push(part) } else { exact.push(part) }
    }
    together(space, &exact, &looped, &known)
}

fn together(space: &mut Space<'_>, exact: &[Term], looped: &[Term], known: &FxHashMap<Term, Term>) -> Parts {
    let terms = &mut space.encoder.terms;
    let (exact, looped) = (terms.or(exact), terms.or(looped));
    Parts { exact: terms.substitute(exact, known), looped: terms.substitute(looped, known) }
}

/// A pre-image split by whether it must be covered. At the entry of a unit that is called everything
/// is; at the head of a loop what stays in the loop (the sharper form that §3 leaves to the reader),
/// and all of it where that was not asked for, or where the rest depends on values chosen on the way,
/// which only the cover eliminates.
pub(crate) fn split(space: &mut Space<'_>, cut: usize, parts: Parts, sharp: bool) -> Parts {
    let at = &space.cuts[cut];
    let start = at.is_entry && !space.units[at.unit].is_called;
    if start || sharp && !at.is_entry && space.is_known_at(cut, parts.exact) {
        return parts;
    }
    let terms = &mut space.encoder.terms;
    Parts { exact: terms.bool(false), looped: terms.or(&[parts.exact, parts.looped]) }
}
