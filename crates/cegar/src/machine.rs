//! State machines that show only while refining: a value that is compared with one constant after the other.
//!
//! Variables that are never computed with get their values encoded before the first iteration. What lies in
//! memory, or is computed with somewhere, does not; but if several of its equalities with constants turn out to
//! matter, the others probably do too. Then all constants that the program compares it with or assigns to it
//! are encoded at once, in the place of the single equalities.

use std::collections::BTreeSet;

use hardbop_abstraction::one_of_few;
use hardbop_ir::{BinaryOp, ExprId, ExprKind, Program, Statement, visit};
use hardbop_predicate::{Predicate, Scope};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many equalities of one value are a sign of more to come.
const MANY_EQUALITIES: usize = 4;

/// Values with fewer constants are not worth it, those with more are too large.
const SIZES: std::ops::RangeInclusive<usize> = 7..=100;

/// The equalities with constants so far, by value.
#[derive(Default)]
pub(crate) struct Machines {
    equalities: FxHashMap<(Scope, ExprId), Vec<Predicate>>,
    encoded: FxHashSet<(Scope, ExprId)>,
}

/// Predicates that take the place of others.
#[derive(Default)]
pub(crate) struct Change {
    pub(crate) added: Vec<Predicate>,
    pub(crate) removed: FxHashSet<Predicate>,
}

impl Machines {
    /// Notes new predicates. What to track instead of equalities, where there are enough of them.
    pub(crate) fn note(&mut self, program: &Program, new: &[Predicate]) -> Change {
        let mut change = Change::default();
        for &predicate in new {
            let Some((value, _)) = equality(program, predicate.expr) else { continue };
            let key = (predicate.scope, value);
            let known = self.equalities.entry(key).or_default();
            known.push(predicate);
            if known.len() < MANY_EQUALITIES || self.encoded.contains(&key) {
                continue;
            }
            let mut constants = constants(program, value);
            constants.extend(known.iter().filter_map(|p| equality(program, p.expr)).map(|(_, c)| c));
            self.encoded.insert(key);
            if SIZES.contains(&constants.len()) {
                let constants: Vec<i128> = constants.into_iter().collect();
                change.added.extend(one_of_few(program, predicate.scope, value, &constants));
                change.removed.extend(known.iter());
            }
        }
        change
    }
}

/// A value and the constant that an expression says it equals, or differs from.
fn equality(program: &Program, expr: ExprId) -> Option<(ExprId, i128)> {
    let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) = program.expr(expr).kind else { return None };
    let loaded = |e: ExprId| matches!(program.expr(e).kind, ExprKind::Load(_)).then_some(e);
    match (program.as_int(a), program.as_int(b)) {
        (None, Some(constant)) => Some((loaded(a)?, constant)),
        (Some(constant), None) => Some((loaded(b)?, constant)),
        _ => None,
    }
}

/// The constants that a program compares a value with or assigns to it.
fn constants(program: &Program, value: ExprId) -> BTreeSet<i128> {
    let mut found = BTreeSet::new();
    for edge in program.procedures.values().flat_map(|procedure| procedure.edges.values()) {
        match edge.statement {
            Statement::Assume(condition) => compared(program, condition, value, &mut found),
            Statement::Assign(place, new) => {
                if program.expr(value).kind == ExprKind::Load(place) {
                    found.extend(program.as_int(new));
                }
                compared(program, new, value, &mut found);
            }
            _ => {}
        }
    }
    found
}

fn compared(program: &Program, expr: ExprId, value: ExprId, found: &mut BTreeSet<i128>) {
    if let Some((other, constant)) = equality(program, expr) {
        found.extend((other == value).then_some(constant));
        return;
    }
    visit::operator_parts(&program.expr(expr).kind).for_each(|e| compared(program, e, value, found));
}
