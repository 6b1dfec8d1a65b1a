//! Symbolic backward reachability wp_E (`001…` §3), and the least k (§4).
//!
//! Round by round, the sets of all cut points are computed from those of the round before: the
//! pre-image, covered by the predicates of the point. There are finitely many covers, so this ends. If
//! the start of the program comes to be among the states from which an error is reached, the number of
//! that round is the least k with bwp_E ≠ false (the exercise of §4): a bounded computation of k rounds
//! is the first k rounds of the unbounded one. A round is a step from cut point to cut point; the text
//! counts assignments.

use hardbop_logic::Term;
use hardbop_verdict::Reason;

use crate::ask::Asker;
use crate::cover::Cover;
use crate::pre::{self, Sets, split};
use crate::space::Space;

/// The predicates of a cut point.
#[derive(Debug, Clone, Default)]
pub(crate) struct Predicates {
    /// About the state there.
    pub(crate) fails: Vec<Term>,
    /// About the state there and the state at the exit.
    pub(crate) returns: Vec<Term>,
}

/// Where the rounds led.
pub(crate) struct Rounds {
    /// The sets after each round.
    pub(crate) history: Vec<Sets>,
    /// Whether the last round reached the start of the program; else it changed nothing.
    pub(crate) reaches: bool,
}

/// Computes rounds until nothing changes or the start is reached.
pub(crate) fn rounds(
    space: &mut Space<'_>,
    asker: &mut Asker<'_>,
    predicates: &[Predicates],
    sharp: bool,
) -> Result<Rounds, Reason> {
    let mut fails: Vec<Cover> = Vec::new();
    let mut returns: Vec<Cover> = Vec::new();
    for own in predicates {
        fails.push(Cover::new(&own.fails)?);
        returns.push(Cover::new(&own.returns)?);
    }
    let mut history = Vec::new();
    let mut sets = Sets::none(space);
    loop {
        let before = sets.clone();
        for cut in 0..space.cuts.len() {
            let parts = pre::fails(space, cut, &before);
            let parts = split(space, cut, parts, sharp);
            fails[cut].include(space, asker, parts.looped)?;
            let covered = fails[cut].term(&mut space.encoder.terms);
            sets.fails[cut] = space.encoder.terms.or(&[parts.exact, covered]);
            if space.units[space.cuts[cut].unit].is_called {
                let parts = pre::returns(space, cut, &before);
                let parts = split(space, cut, parts, sharp);
                returns[cut].include(space, asker, parts.looped)?;
                let covered = returns[cut].term(&mut space.encoder.terms);
                sets.returns[cut] = space.encoder.terms.or(&[parts.exact, covered]);
            }
        }
        history.push(sets.clone());
        let failing = at_start(space, sets.fails[space.units[0].entry]);
        if asker.is_possible(&mut space.encoder, &failing)? {
            return Ok(Rounds { history, reaches: true });
        }
        if sets == before {
            return Ok(Rounds { history, reaches: false });
        }
    }
}

/// That a condition holds when the program starts.
pub(crate) fn at_start(space: &mut Space<'_>, condition: Term) -> Vec<Term> {
    let (mut conditions, values) = space.start.clone();
    let before = space.before(condition, &values);
    conditions.push(before);
    conditions
}
