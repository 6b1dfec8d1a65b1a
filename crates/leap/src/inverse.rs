//! Strongest postconditions of steps: what was there before, in terms of what is there now.
//!
//! SP(x := v, a) is ∃x'. a[x/x'] ∧ x = v[x/x'] (§4.2). The old values are found by solving the equations
//! of the updates for them; most loops count. An old value that no equation determines was overwritten. Then there
//! are two approximations: from above, by forgetting all conditions that mention it, and from below, by
//! trying some values for it. A must⁻-transition needs the latter, an entry port to start from the former.

use hardbop_logic::{Node, Sort, Term};
use rustc_hash::FxHashMap;

use crate::choice::LeapStep;
use crate::query::Query;
use crate::set::Set;

/// The old values of a step.
struct Inverse {
    /// For symbols that the step changes: the old value over new ones.
    old: FxHashMap<Term, Term>,
    /// Symbols whose old value nothing determines, renamed.
    free: Vec<Term>,
    /// What must hold of the new values.
    equations: Vec<Term>,
}

const OLD: &str = "before";

fn invert(query: &mut Query<'_>, step: &LeapStep, depth: usize) -> Inverse {
    let mut changed: Vec<Term> =
        step.updates.keys().copied().filter(|&symbol| query.in_scope(symbol, depth)).collect();
    changed.sort_unstable();
    let mut pairs: Vec<(Term, Term)> = Vec::new();
    let mut unknowns: FxHashMap<Term, Term> =
        changed.iter().map(|&symbol| (symbol, query.other(symbol, OLD))).collect();
    let all: Vec<Term> = step.updates.values().copied().chain([step.condition]).collect();
    for symbol in query.encoder.terms.symbols_of(&all) {
        if query.encoder.meaning_of(symbol).is_none() && !query.is_turn(symbol) {
            unknowns.insert(symbol, symbol);
        }
    }
    for &symbol in &changed {
        let value = query.encoder.terms.substitute(step.updates[&symbol], &unknowns);
        pairs.push((symbol, value));
    }
    let mut solved: FxHashMap<Term, Term> = FxHashMap::default();
    loop {
        let mut progress = false;
        for (symbol, value) in &mut pairs {
            *value = query.encoder.terms.substitute(*value, &solved);
            let open = |unknown: &Term| unknowns.values().any(|u| u == unknown);
            let inside: Vec<Term> =
                query.encoder.terms.symbols(*value).into_iter().filter(|s| open(s)).collect();
            if let [unknown] = inside[..]
                && let Some(solution) = solve(query, *symbol, *value, unknown)
            {
                solved.insert(unknown, solution);
                progress = true;
            }
        }
        if !progress {
            break;
        }
    }
    let mut equations = Vec::new();
    for (symbol, value) in pairs {
        let terms = &mut query.encoder.terms;
        let value = terms.substitute(value, &solved);
        equations.push(terms.eq(symbol, value));
    }
    let old: FxHashMap<Term, Term> = unknowns
        .iter()
        .map(|(&symbol, &unknown)| (symbol, solved.get(&unknown).copied().unwrap_or(unknown)))
        .collect();
    let mut free: Vec<Term> =
        unknowns.values().copied().filter(|unknown| !solved.contains_key(unknown)).collect();
    free.sort_unstable();
    Inverse { old, free, equations }
}

/// Solves `new = value` for an unknown in it that occurs once, in a sum with factor 1 or −1.
fn solve(query: &mut Query<'_>, new: Term, value: Term, unknown: Term) -> Option<Term> {
    if value == unknown {
        return Some(new);
    }
    let terms = &mut query.encoder.terms;
    match terms.node(value).clone() {
        Node::IntSum(sum) => {
            let (factor, _) = *sum.parts.iter().find(|&&(_, part)| part == unknown)?;
            let nested =
                sum.parts.iter().any(|&(_, part)| part != unknown && terms.symbols(part).contains(&unknown));
            if nested || factor.abs() != 1 {
                return None;
            }
            let scaled = if factor == 1 { unknown } else { terms.int_neg(unknown) };
            let rest = terms.int_sub(value, scaled);
            let solution = terms.int_sub(new, rest);
            Some(if factor == 1 { solution } else { terms.int_neg(solution) })
        }
        Node::BvSum(sum) => {
            let width = terms.width(value);
            let (factor, _) = *sum.parts.iter().find(|&&(_, part)| part == unknown)?;
            let nested =
                sum.parts.iter().any(|&(_, part)| part != unknown && terms.symbols(part).contains(&unknown));
            let minus_one = ones(width);
            if nested || (factor != 1 && factor != minus_one) {
                return None;
            }
            let scaled = if factor == 1 { unknown } else { terms.bv_neg(unknown) };
            let rest = terms.bv_sub(value, scaled);
            let solution = terms.bv_sub(new, rest);
            Some(if factor == 1 { solution } else { terms.bv_neg(solution) })
        }
        Node::Not(inner) if inner == unknown => Some(terms.not(new)),
        _ => None,
    }
}

fn ones(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// States after the step from states of a set, and perhaps more: what is not known of them is left out. Also
/// whether there are no more.
pub fn post(query: &mut Query<'_>, step: &LeapStep, from: &Set, depth: usize) -> (Term, bool) {
    let inverse = invert(query, step, depth);
    let here = from.get(&mut query.encoder.terms, step.source);
    let mut parts = inverse.equations.clone();
    for condition in [here, step.condition] {
        let condition = query.encoder.terms.substitute(condition, &inverse.old);
        conjuncts(query, condition, &mut parts);
    }
    let mut exact = true;
    parts.retain(|&part| {
        let symbols = query.encoder.terms.symbols(part);
        let bound = symbols.iter().any(|symbol| inverse.free.contains(symbol));
        let gone = symbols.iter().any(|&symbol| !query.in_scope(symbol, depth));
        exact &= !bound && !gone;
        !bound && !gone
    });
    (query.encoder.terms.and(&parts), exact)
}

/// States that certainly have a predecessor by the step in a set, as alternatives.
pub fn preceded(query: &mut Query<'_>, step: &LeapStep, from: &Set, depth: usize) -> Vec<Term> {
    const MAX_TRIES: usize = 8;
    let inverse = invert(query, step, depth);
    let here = from.get(&mut query.encoder.terms, step.source);
    let mut parts = inverse.equations.clone();
    for condition in [here, step.condition] {
        parts.push(query.encoder.terms.substitute(condition, &inverse.old));
    }
    let whole = query.encoder.terms.and(&parts);
    if query.encoder.terms.symbols(whole).iter().any(|&symbol| !query.in_scope(symbol, depth)) {
        return Vec::new();
    }
    let mut tries = vec![whole];
    for &free in &inverse.free {
        let sort = query.encoder.terms.sort(free);
        let mut values = candidates(query, whole, sort);
        values.retain(|&value| value != free);
        let mut next = Vec::new();
        for &before in &tries {
            for &value in values.iter().take(MAX_TRIES) {
                let map = FxHashMap::from_iter([(free, value)]);
                next.push(query.encoder.terms.substitute(before, &map));
            }
        }
        next.truncate(MAX_TRIES * MAX_TRIES);
        tries = next;
    }
    tries
}

/// Values of a sort that occur in a term, but for old ones; and zero.
fn candidates(query: &mut Query<'_>, term: Term, sort: Sort) -> Vec<Term> {
    let suffix = format!(" {OLD}");
    let mut found = vec![crate::system::zero(&mut query.encoder, sort)];
    for t in query.encoder.terms.subterms(&[term]) {
        let terms = &query.encoder.terms;
        let old = |symbol: &Term| terms.symbol_name(*symbol).is_some_and(|name| name.ends_with(&suffix));
        if terms.sort(t) == sort && !terms.symbols(t).iter().any(old) && !found.contains(&t) {
            found.push(t);
        }
    }
    found
}

/// The members of a conjunction.
pub fn conjuncts(query: &Query<'_>, term: Term, parts: &mut Vec<Term>) {
    match query.encoder.terms.node(term) {
        Node::And(members) => parts.extend(members.iter().copied()),
        _ => parts.push(term),
    }
}
