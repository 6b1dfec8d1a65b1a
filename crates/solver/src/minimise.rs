//! Small cores, by deletion: an assumption that the others do not need goes.

use hardbop_logic::{Term, Terms};

use crate::{Answer, Solver};

/// Makes a core of an unsatisfiable query smaller.
///
/// `core` are terms that contradict what is asserted. The result is a part of them that still does; it
/// is minimal (none can be left out) unless a query remains without an answer or more than `queries` of
/// them would be needed. Each answer "unsat" brings a new core, which may drop several terms at once.
pub fn minimise_core(solver: &mut dyn Solver, terms: &Terms, core: &[Term], queries: usize) -> Vec<Term> {
    let mut needed: Vec<Term> = Vec::new();
    let mut open: Vec<Term> = core.to_vec();
    open.sort_unstable();
    open.dedup();
    let mut left = queries;
    while let Some(candidate) = open.pop() {
        let trial: Vec<Term> = needed.iter().chain(&open).copied().collect();
        if left == 0 {
            needed.push(candidate);
            continue;
        }
        left -= 1;
        match solver.check(terms, &trial) {
            Answer::Unsat => {
                let kept: Vec<Term> = solver.core().iter().map(|&i| trial[i]).collect();
                open.retain(|t| kept.contains(t));
            }
            Answer::Sat | Answer::Unknown(_) => needed.push(candidate),
        }
    }
    needed.sort_unstable();
    needed
}
