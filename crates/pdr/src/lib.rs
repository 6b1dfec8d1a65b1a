//! Property-directed reachability (Bradley, *SAT-based model checking without unrolling*, 2011; Eén, Mishchenko and
//! Brayton, *Efficient implementation of property directed reachability*, 2011), on programs.
//!
//! The program is looked at with its calls written out, from one head of a loop to the next (`system`): what happens
//! between two of them is one formula. So a helper that is given a pointer costs no more than a macro, and no predicates
//! are needed for what happens within an iteration. States from which an error is reached are pushed back, from loop
//! to loop; what keeps them out of reach is learnt as a clause (`search`).
//!
//! Departures from the papers:
//! - frames belong to heads of loops, so nothing speaks of the program counter;
//! - a literal is no bit. It is a comparison that the program makes, one between two values of the state, or a bound of a
//!   value (`cube`). Comparisons of the program are preferred, and bounds are moved to constants of the program;
//! - simple facts that hold at all frames are found before, all at once (`facts`), and a proof has only those that it rests on;
//! - a cube need not determine what the next states are: arrays as a whole are in none. A cube that leads back to the
//!   start is therefore no counterexample. The search ends there without an answer.
//!
//! What is found is a proof for [`certify::backward`](hardbop_certify::backward): sets of states from which errors are
//! reached, the complements of invariants.
//!
//! Not for: recursion; programs that are too large with their calls written out.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod affine;
mod asker;
mod counts;
mod cube;
mod elements;
mod facts;
mod hull;
mod nodes;
mod search;
mod system;
mod tallies;
mod words;

use hardbop_base::{Budget, Stop};
use hardbop_certify::backward::{Backward, Claim, Point};
use hardbop_semantics::{Encoder, Subject};
use hardbop_verdict::BackwardEvidence;

use crate::search::{LAST_BEFORE_COUNTS, LAST_WITH_COUNTS, Outcome, Search};
use crate::system::{Refusal, System, pinned};
use crate::words::Words;

/// Looks for a proof that no error can be reached; nothing if there is none, or if the program is not for this engine.
/// The proof is not checked.
///
/// # Errors
/// The reason why the budget told to stop.
pub fn prove(subject: Subject<'_>, budget: &Budget) -> Result<Option<BackwardEvidence>, Stop> {
    let Some(mut search) = begun(subject, false, budget)? else { return Ok(None) };
    let mut is_over = false;
    // Counting heap objects makes questions larger, so it comes when a search has begun to go from frame to frame.
    if search.system.has_counters() {
        match search.run(Some(LAST_BEFORE_COUNTS))? {
            Outcome::Found => return evidence(subject, search),
            Outcome::Nothing => is_over = true,
            Outcome::Later => {}
        }
        if let Some(mut counting) = begun(subject, true, budget)?
            && counting.run(Some(LAST_WITH_COUNTS))? == Outcome::Found
        {
            return evidence(subject, counting);
        }
    }
    if is_over {
        return Ok(None);
    }
    match search.run(None)? {
        Outcome::Found => evidence(subject, search),
        Outcome::Later | Outcome::Nothing => Ok(None),
    }
}

/// A search that has not looked for anything yet, in which heap objects may be counted; nothing if the program is not for this engine.
fn begun<'a>(
    subject: Subject<'a>,
    counts_heap: bool,
    budget: &'a Budget,
) -> Result<Option<Search<'a>>, Stop> {
    match System::of(subject, counts_heap, budget) {
        Ok(system) => Search::new(system, budget),
        Err(Refusal::Unfit) => Ok(None),
        Err(Refusal::Stopped(stop)) => Err(stop),
    }
}

/// What was found, as a proof.
fn evidence(subject: Subject<'_>, mut search: Search<'_>) -> Result<Option<BackwardEvidence>, Stop> {
    let mut proof = Backward::default();
    let Some(unit) = subject.program.entry else { return Ok(None) };
    let mut words = Words::new(subject);
    let needed = search.needed()?;
    let System { cuts, pins, .. } = &search.system;
    let claims: Vec<_> = cuts.iter().cloned().zip(pins.clone()).zip(needed).collect();
    for ((cut, pins), mut clauses) in claims {
        clauses.extend(pinned(&mut search.system.encoder, subject, &pins));
        let Encoder { terms, .. } = &mut search.system.encoder;
        let holds = terms.and(&clauses);
        let (fails, returns) = (terms.not(holds), terms.bool(false));
        words.add(&search.system.encoder, &cut, &clauses);
        let point = Point { unit, calls: cut.calls, procedure: cut.procedure, head: Some(cut.location) };
        proof.claims.insert(point, Claim { fails, returns });
    }
    proof.encoder = search.system.encoder;
    let (invariants, loops) = words.all();
    Ok(Some(BackwardEvidence { proof, invariants, loops }))
}
