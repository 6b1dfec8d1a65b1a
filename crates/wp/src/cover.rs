//! The exterior cover ec_E (`001…` §3): the strongest boolean combination of predicates that a
//! condition implies.
//!
//! The text says: the disjunction of all clauses that the condition implies. It must be their
//! conjunction; the same set, seen from inside, is the disjunction of the full cubes (one literal for
//! each predicate) that can hold together with the condition. That is how it is found: a model of the
//! condition outside of the cover has a cube, which is added. What was added stays, for the sets that
//! are covered grow from round to round, so the number of questions is that of the cubes in the end.
//! Symbols of the condition that are no part of the state (values chosen on the way) are existentially
//! quantified by that.

use std::collections::BTreeSet;

use hardbop_logic::{Term, Terms, Value};
use hardbop_verdict::Reason;

use crate::ask::Asker;
use crate::space::Space;

/// The most predicates at one point, and the most cubes.
const MAX_PREDICATES: usize = 64;
const MAX_CUBES: usize = 4096;

/// A boolean combination of predicates that only gets weaker.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cover {
    predicates: Vec<Term>,
    /// One bit for each predicate.
    cubes: BTreeSet<u64>,
}

impl Cover {
    /// The cover of nothing.
    pub(crate) fn new(predicates: &[Term]) -> Result<Self, Reason> {
        if predicates.len() > MAX_PREDICATES {
            return Err(Reason::Checker(format!("more than {MAX_PREDICATES} predicates at one loop")));
        }
        Ok(Cover { predicates: predicates.to_vec(), cubes: BTreeSet::new() })
    }

    /// Makes the cover as weak as it takes for a condition.
    pub(crate) fn include(
        &mut self,
        space: &mut Space<'_>,
        asker: &mut Asker<'_>,
        condition: Term,
    ) -> Result<(), Reason> {
        if space.encoder.terms.as_bool(condition) == Some(false) {
            return Ok(());
        }
        let covered = self.term(&mut space.encoder.terms);
        let outside = space.encoder.terms.not(covered);
        let Cover { predicates, cubes } = self;
        let mut fault = None;
        asker.models(&mut space.encoder, &[condition, outside], |encoder, model| {
            let holds = |&p: &Term| encoder.terms.evaluate(p, &model) == Value::Bool(true);
            let values: Vec<bool> = predicates.iter().map(holds).collect();
            let cube = values.iter().enumerate().fold(0, |cube, (i, &value)| cube | u64::from(value) << i);
            if !cubes.insert(cube) {
                fault = Some("a model of the states that are not covered lies in the cover".to_owned());
                return None;
            }
            if cubes.len() > MAX_CUBES {
                fault = Some(format!("a cover of more than {MAX_CUBES} cubes"));
                return None;
            }
            let literals: Vec<Term> = predicates
                .iter()
                .zip(values)
                .map(|(&p, value)| if value { p } else { encoder.terms.not(p) })
                .collect();
            let all = encoder.terms.and(&literals);
            Some(encoder.terms.not(all))
        })?;
        fault.map_or(Ok(()), |fault| Err(Reason::Checker(fault)))
    }

    /// The cover as a condition: a decision tree over the predicates.
    pub(crate) fn term(&self, terms: &mut Terms) -> Term {
        let cubes: Vec<u64> = self.cubes.iter().copied().collect();
        decide(terms, &self.predicates, &cubes)
    }
}

/// The condition that some cube holds. The predicates left are decided in turn, the last first, as that
/// is how cubes are sorted.
fn decide(terms: &mut Terms, predicates: &[Term], cubes: &[u64]) -> Term {
    let Some((&predicate, rest)) = predicates.split_last() else {
        return terms.bool(!cubes.is_empty());
    };
    if cubes.is_empty() {
        return terms.bool(false);
    }
    let bit = 1 << rest.len();
    let split = cubes.partition_point(|cube| cube & bit == 0);
    let low = decide(terms, rest, &cubes[..split]);
    let high = decide(terms, rest, &cubes[split..]);
    if low == high { low } else { terms.ite(predicate, high, low) }
}
