//! Contradictions about a single cell that is only compared with constants: by trying its values.
//!
//! Terms that are made of equalities of one symbol with constants have one truth value for each of
//! those constants, and one for all other values. So the combinations of predicates that are possible
//! can be listed, and the minimal sets of literals that none of them contains are found without a
//! solver.

use hardbop_logic::{Model, Node, Sort, Term, Terms, Value};
use rustc_hash::FxHashSet;

use crate::contradiction::Cube;

/// The minimal sets of literals over the candidates that contradict the conditions; nothing if the
/// terms are not of this form.
pub(crate) fn contradictions(terms: &Terms, conditions: &[Term], candidates: &[Term]) -> Option<Vec<Cube>> {
    let mut survey =
        Survey { terms, symbol: None, constants: FxHashSet::default(), seen: FxHashSet::default() };
    for &term in conditions.iter().chain(candidates) {
        survey.visit(term)?;
    }
    let symbol = survey.symbol?;
    let constants: Vec<Term> = survey.constants.into_iter().collect();
    let values = values(terms, symbol, &constants)?;
    let holds = |term: Term, value: &Value| {
        let mut model = Model::default();
        model.values.insert(symbol, value.clone());
        terms.evaluate(term, &model) == Value::Bool(true)
    };
    let mut possible: Vec<u32> = values
        .iter()
        .filter(|value| conditions.iter().all(|&condition| holds(condition, value)))
        .map(|value| {
            let bits = candidates.iter().enumerate().map(|(i, &term)| u32::from(holds(term, value)) << i);
            bits.sum()
        })
        .collect();
    possible.sort_unstable();
    possible.dedup();
    Some(minimal(candidates, &possible))
}

struct Survey<'a> {
    terms: &'a Terms,
    symbol: Option<Term>,
    constants: FxHashSet<Term>,
    seen: FxHashSet<Term>,
}

impl Survey<'_> {
    fn visit(&mut self, term: Term) -> Option<()> {
        if !self.seen.insert(term) {
            return Some(());
        }
        match self.terms.node(term) {
            Node::Bool(_) => Some(()),
            &Node::Not(inner) => self.visit(inner),
            Node::And(members) => members.iter().try_for_each(|&member| self.visit(member)),
            &Node::Ite(c, a, b) if self.terms.sort(term) == Sort::Bool => {
                [c, a, b].into_iter().try_for_each(|t| self.visit(t))
            }
            &Node::Eq(a, b) if self.terms.sort(a) == Sort::Bool => {
                [a, b].into_iter().try_for_each(|t| self.visit(t))
            }
            &Node::Eq(a, b) => {
                let plain =
                    matches!(self.terms.node(a), Node::Symbol { .. }) && self.terms.node(b).is_constant();
                if !plain || self.symbol.is_some_and(|symbol| symbol != a) {
                    return None;
                }
                self.symbol = Some(a);
                self.constants.insert(b);
                Some(())
            }
            _ => None,
        }
    }
}

/// The constants, and one other value if there is any.
fn values(terms: &Terms, symbol: Term, constants: &[Term]) -> Option<Vec<Value>> {
    match terms.sort(symbol) {
        Sort::Int => {
            let known: Vec<i128> = constants.iter().filter_map(|&c| terms.as_int(c)).collect();
            let other = known.iter().max()?.checked_add(1)?;
            Some(known.into_iter().chain([other]).map(Value::Int).collect())
        }
        Sort::BitVec(width) => {
            let known: FxHashSet<u128> = constants.iter().filter_map(|&c| terms.as_bits(c)).collect();
            let last = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
            let other = (0..=last).find(|value| !known.contains(value));
            Some(known.into_iter().chain(other).map(|value| Value::bv(value, width)).collect())
        }
        Sort::Bool | Sort::Array(..) => None,
    }
}

/// The minimal sets of literals that agree with none of the possible combinations.
fn minimal(candidates: &[Term], possible: &[u32]) -> Vec<Cube> {
    let count = candidates.len();
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut masks: Vec<u32> = (0..1u32 << count).collect();
    masks.sort_by_key(|mask| mask.count_ones());
    for mask in masks {
        // All assignments of the variables in the mask.
        let mut value = mask;
        loop {
            let contradicts = !possible.iter().any(|&p| p & mask == value);
            let known = || found.iter().any(|&(m, v)| m & mask == m && value & m == v);
            if contradicts && !known() {
                found.push((mask, value));
            }
            if value == 0 {
                break;
            }
            value = (value - 1) & mask;
        }
    }
    let cube = |(mask, value): (u32, u32)| {
        let mut cube: Cube =
            (0..count).filter(|i| mask >> i & 1 == 1).map(|i| (candidates[i], value >> i & 1 == 1)).collect();
        cube.sort_unstable();
        cube
    };
    found.into_iter().map(cube).collect()
}
