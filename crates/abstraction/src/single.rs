//! Contradictions about a single cell that is only compared with constants: by trying its values.
//!
//! Terms that are made of equalities of one symbol with constants have one truth value for each of
//! those constants, and one for all other values. So the combinations of predicates that are possible
//! can be listed, and the minimal sets of literals that none of them contains are found without a
//! solver.

use hardbop_logic::{Node, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

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
    let count = constants.len() + usize::from(has_other(terms, symbol, &constants)?);
    let mut table = Table { terms, constants, count, known: FxHashMap::default() };
    let conditions: Vec<Vec<u64>> = conditions.iter().map(|&term| table.of(term)).collect();
    let truths: Vec<Vec<u64>> = candidates.iter().map(|&term| table.of(term)).collect();
    let is_set = |bits: &[u64], i: usize| bits.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1);
    let mut possible: Vec<u32> = (0..count)
        .filter(|&value| conditions.iter().all(|bits| is_set(bits, value)))
        .map(|value| truths.iter().enumerate().map(|(i, bits)| u32::from(is_set(bits, value)) << i).sum())
        .collect();
    possible.sort_unstable();
    possible.dedup();
    Some(minimal(candidates, &possible))
}

/// For which values of the symbol terms hold: a bit for each constant, and one for all other values.
struct Table<'a> {
    terms: &'a Terms,
    constants: Vec<Term>,
    count: usize,
    known: FxHashMap<Term, Vec<u64>>,
}

impl Table<'_> {
    /// The bits of a term that the survey has passed.
    fn of(&mut self, term: Term) -> Vec<u64> {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let words = self.count.div_ceil(64);
        let each = |of: &dyn Fn(usize) -> u64| -> Vec<u64> { (0..words).map(of).collect() };
        let bits = match self.terms.node(term) {
            Node::Bool(value) => vec![if *value { u64::MAX } else { 0 }; words],
            &Node::Not(inner) => {
                let inner = self.of(inner);
                each(&|i| !inner[i])
            }
            Node::And(members) => members.iter().fold(vec![u64::MAX; words], |all, &member| {
                let member = self.of(member);
                each(&|i| all[i] & member[i])
            }),
            &Node::Ite(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|part| self.of(part));
                each(&|i| c[i] & a[i] | !c[i] & b[i])
            }
            &Node::Eq(a, b) if self.terms.sort(a) == Sort::Bool => {
                let [a, b] = [a, b].map(|part| self.of(part));
                each(&|i| !(a[i] ^ b[i]))
            }
            &Node::Eq(_, constant) => {
                let at = self.constants.iter().position(|&other| other == constant);
                each(&|i| at.filter(|at| at / 64 == i).map_or(0, |at| 1 << (at % 64)))
            }
            _ => vec![0; words],
        };
        self.known.insert(term, bits.clone());
        bits
    }
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

/// Whether the symbol can have another value than these; nothing if it is of a sort that is not looked at.
fn has_other(terms: &Terms, symbol: Term, constants: &[Term]) -> Option<bool> {
    match terms.sort(symbol) {
        Sort::Int => Some(true),
        Sort::BitVec(width) => Some(width >= 32 || (constants.len() as u64) < 1 << width),
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
