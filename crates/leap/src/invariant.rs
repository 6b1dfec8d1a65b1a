//! Bounds that hold at the entry of a loop and that its steps keep.
//!
//! The theorems need them: "x ≥ 0" is why a loop that counts from 0 does not come back to its entry port,
//! and why its states are finitely many. Candidates are comparisons of the variables that matter with each
//! other and with constants of the loop; those that a step can break are dropped until none can
//! (Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java").

use hardbop_base::Stop;
use hardbop_logic::{Evaluator, Node, Sort, Term};

use crate::choice::LeapStep;
use crate::query::Query;
use crate::set::Set;
use crate::system::{NodeId, System};

/// The most variables and constants that are compared.
const MAX_SYMBOLS: usize = 8;
const MAX_CONSTANTS: usize = 6;

/// The bounds, as a set of all states within them, for the nodes of `a`.
pub fn bounds(
    query: &mut Query<'_>,
    system: &System,
    steps: &[LeapStep],
    e: &Set,
    a: &Set,
    relevant: &[Term],
) -> Result<Set, Stop> {
    let mut kept: Vec<(NodeId, Vec<Term>)> = Vec::new();
    for node in a.nodes() {
        let depth = system.nodes[node].stack.len();
        kept.push((node, candidates(query, steps, (e, a), depth, relevant)));
    }
    let kept = keep_inductive(query, steps, (e, a), kept)?;
    let mut set = Set::new();
    for (node, conditions) in kept {
        let all = query.encoder.terms.and(&conditions);
        set.add(&mut query.encoder.terms, node, all);
    }
    Ok(set)
}

/// Of candidates by node, those that hold in `e` and that no step inside of `a` breaks.
pub fn keep_inductive(
    query: &mut Query<'_>,
    steps: &[LeapStep],
    (e, a): (&Set, &Set),
    mut kept: Vec<(NodeId, Vec<Term>)>,
) -> Result<Vec<(NodeId, Vec<Term>)>, Stop> {
    for (node, candidates) in &mut kept {
        let entry = e.get(&mut query.encoder.terms, *node);
        drop_broken(query, &[entry], &[], candidates)?;
    }
    // A step is looked at again when less is known where it starts; with less to keep where it ends it keeps that too.
    let mut open = vec![true; steps.len()];
    while open.contains(&true) {
        for (number, step) in steps.iter().enumerate() {
            if !std::mem::replace(&mut open[number], false) {
                continue;
            }
            let Some(source) = kept.iter().position(|(node, _)| *node == step.source) else { continue };
            let Some(target) = kept.iter().position(|(node, _)| *node == step.target) else { continue };
            let mut premises = kept[source].1.clone();
            premises.push(a.get(&mut query.encoder.terms, step.source));
            premises.push(step.condition);
            let mut candidates = std::mem::take(&mut kept[target].1);
            let before = candidates.len();
            let after: Vec<Term> = candidates
                .iter()
                .map(|&candidate| query.encoder.terms.substitute(candidate, &step.updates))
                .collect();
            drop_broken(query, &premises, &after, &mut candidates)?;
            if candidates.len() < before {
                for (open, other) in open.iter_mut().zip(steps) {
                    *open |= other.source == step.target;
                }
            }
            kept[target].1 = candidates;
        }
    }
    Ok(kept)
}

/// Drops candidates that premises do not imply; `read` are the candidates as read after a step, if there is one.
fn drop_broken(
    query: &mut Query<'_>,
    premises: &[Term],
    read: &[Term],
    candidates: &mut Vec<Term>,
) -> Result<(), Stop> {
    let pairs: Vec<(Term, Term)> = match read.is_empty() {
        true => candidates.iter().map(|&candidate| (candidate, candidate)).collect(),
        false => candidates.iter().copied().zip(read.iter().copied()).collect(),
    };
    candidates.clear();
    let mut open = vec![pairs];
    while let Some(mut pairs) = open.pop() {
        let all: Vec<Term> = pairs.iter().map(|&(_, read)| read).collect();
        let all = query.encoder.terms.and(&all);
        let broken = query.encoder.terms.not(all);
        let mut parts = premises.to_vec();
        parts.push(broken);
        match query.model(&parts) {
            Ok(None) => candidates.extend(pairs.into_iter().map(|(candidate, _)| candidate)),
            Ok(Some(model)) => {
                let mut evaluator = Evaluator::new();
                let before = pairs.len();
                pairs.retain(|&(_, read)| {
                    let value = evaluator.value(&query.encoder.terms, read, &model);
                    value.and_then(|value| value.as_bool()) == Some(true)
                });
                if pairs.len() < before {
                    open.push(pairs);
                }
            }
            Err(Some(stop)) => return Err(stop),
            // What is too hard together may be easy one by one.
            Err(None) if pairs.len() > 1 => {
                let rest = pairs.split_off(pairs.len() / 2);
                open.extend([pairs, rest]);
            }
            Err(None) => {}
        }
    }
    candidates.sort_unstable();
    Ok(())
}

/// Comparisons that may hold somewhere: of variables with each other and with constants, and what steps compare.
pub fn candidates(
    query: &mut Query<'_>,
    steps: &[LeapStep],
    (e, a): (&Set, &Set),
    depth: usize,
    relevant: &[Term],
) -> Vec<Term> {
    let mut about: Vec<Term> = steps.iter().map(|step| step.condition).collect();
    about.extend(steps.iter().flat_map(|step| step.updates.values().copied()));
    about.extend(e.iter().chain(a.iter()).map(|(_, condition)| condition));
    let mentioned = query.encoder.terms.symbols_of(&about);
    let mut symbols: Vec<Term> = relevant
        .iter()
        .copied()
        .filter(|symbol| mentioned.binary_search(symbol).is_ok() && query.in_scope(*symbol, depth))
        .filter(|&symbol| matches!(query.encoder.terms.sort(symbol), Sort::Int | Sort::BitVec(_)))
        .collect();
    symbols.truncate(MAX_SYMBOLS);
    let mut found = Vec::new();
    for (i, &symbol) in symbols.iter().enumerate() {
        let sort = query.encoder.terms.sort(symbol);
        let mut others = constants(query, &about, sort, MAX_CONSTANTS);
        others.extend(symbols[..i].iter().copied().filter(|&other| query.encoder.terms.sort(other) == sort));
        for other in others {
            let terms = &mut query.encoder.terms;
            match sort {
                Sort::Int => found.extend([terms.int_le(symbol, other), terms.int_le(other, symbol)]),
                _ => found.extend([
                    terms.bv_ule(symbol, other),
                    terms.bv_ule(other, symbol),
                    terms.bv_sle(symbol, other),
                    terms.bv_sle(other, symbol),
                ]),
            }
        }
    }
    for t in query.encoder.terms.subterms(&about) {
        let atom = matches!(
            query.encoder.terms.node(t),
            Node::Eq(..) | Node::IntLe(..) | Node::BvUle(..) | Node::BvSle(..)
        );
        let plain = |symbol: &Term| relevant.contains(symbol) && query.in_scope(*symbol, depth);
        if atom && query.encoder.terms.symbols(t).iter().all(plain) {
            found.extend([t, query.encoder.terms.not(t)]);
        }
    }
    relations(query, &symbols, e, &mut found);
    found.retain(|&t| query.encoder.terms.as_bool(t).is_none());
    found.sort_unstable();
    found.dedup();
    found
}

/// Sums, differences and remainders that have a value in some state of the entry: perhaps they keep it.
fn relations(query: &mut Query<'_>, symbols: &[Term], e: &Set, found: &mut Vec<Term>) {
    for (_, entry) in e.iter() {
        let Ok(Some(model)) = query.model(&[entry]) else { continue };
        let mut terms = Vec::new();
        for (i, &a) in symbols.iter().enumerate() {
            let store = &mut query.encoder.terms;
            for divisor in [2, 3, 4] {
                match store.sort(a) {
                    Sort::Int => {
                        let divisor = store.int(divisor);
                        terms.push(store.int_mod(a, divisor));
                    }
                    Sort::BitVec(width) if divisor != 3 && width > 2 => {
                        let mask = store.bv(divisor as u128 - 1, width);
                        terms.push(store.bv_and(a, mask));
                    }
                    _ => {}
                }
            }
            for &b in &symbols[..i] {
                match (store.sort(a), store.sort(b)) {
                    (Sort::Int, Sort::Int) => {
                        let two = store.int(2);
                        let (twice_a, twice_b) = (store.int_mul(two, a), store.int_mul(two, b));
                        terms.extend([store.int_add(a, b), store.int_sub(a, b)]);
                        terms.extend([store.int_sub(twice_a, b), store.int_sub(twice_b, a)]);
                    }
                    (Sort::BitVec(m), Sort::BitVec(n)) if m == n => {
                        let two = store.bv(2, m);
                        let (twice_a, twice_b) = (store.bv_mul(two, a), store.bv_mul(two, b));
                        terms.extend([store.bv_add(a, b), store.bv_sub(a, b)]);
                        terms.extend([store.bv_sub(twice_a, b), store.bv_sub(twice_b, a)]);
                    }
                    _ => {}
                }
            }
        }
        for term in terms {
            let value = query.encoder.terms.evaluate(term, &model);
            let value = crate::choice::literal(query, &value, term);
            found.push(query.encoder.terms.eq(term, value));
        }
    }
}

/// At most so many constants of a sort, zero and one first.
pub fn constants(query: &mut Query<'_>, about: &[Term], sort: Sort, most: usize) -> Vec<Term> {
    let terms = &mut query.encoder.terms;
    let mut found = match sort {
        Sort::Int => vec![terms.int(0), terms.int(1)],
        Sort::BitVec(width) => vec![terms.bv(0, width), terms.bv(1, width)],
        _ => Vec::new(),
    };
    for t in terms.subterms(about) {
        if terms.sort(t) == sort && terms.node(t).is_constant() && !found.contains(&t) {
            found.push(t);
        }
    }
    found.truncate(most);
    found
}
