//! Shorter conditions: refinement makes them long, and people read them.
//!
//! A conjunct that the others imply goes, and so does an alternative that the rest excludes or that another one
//! covers. The solver decides; what it cannot decide stays.

use hardbop_base::Stop;
use hardbop_logic::{Node, Term};

use crate::query::Query;
use crate::set::Set;

/// Conditions with more parts than this are left as they are.
const MAX_PARTS: usize = 120;

/// The set with shorter conditions.
pub fn simplified(query: &mut Query<'_>, set: &Set) -> Result<Set, Stop> {
    let mut result = Set::new();
    for (node, condition) in set.iter() {
        let condition = simplify(query, &[], condition)?;
        result.add(&mut query.encoder.terms, node, condition);
    }
    Ok(result)
}

/// A condition that is the same wherever the context holds.
fn simplify(query: &mut Query<'_>, context: &[Term], term: Term) -> Result<Term, Stop> {
    if query.encoder.terms.subterms(&[term]).len() > MAX_PARTS {
        return Ok(term);
    }
    match query.encoder.terms.node(term).clone() {
        Node::And(parts) => conjunction(query, context, &parts),
        Node::Not(inner) => match query.encoder.terms.node(inner).clone() {
            Node::And(parts) => {
                let alternatives: Vec<Term> =
                    parts.iter().map(|&part| query.encoder.terms.not(part)).collect();
                disjunction(query, context, &alternatives)
            }
            _ => Ok(term),
        },
        _ => Ok(term),
    }
}

fn conjunction(query: &mut Query<'_>, context: &[Term], parts: &[Term]) -> Result<Term, Stop> {
    let mut kept: Vec<Term> = parts.to_vec();
    // Long ones first: what is short stays. Of equal ones those with odd constants.
    kept.sort_by_key(|&part| std::cmp::Reverse(weight(query, part)));
    let mut i = 0;
    while i < kept.len() {
        let part = kept.remove(i);
        let premises: Vec<Term> = context.iter().chain(&kept).copied().collect();
        if query.implies(&premises, part)? {
            continue;
        }
        let shorter = simplify(query, &premises, part)?;
        kept.insert(i, shorter);
        i += 1;
    }
    Ok(query.encoder.terms.and(&kept))
}

/// How hard a condition is to read.
fn weight(query: &Query<'_>, term: Term) -> (usize, u128) {
    let subterms = query.encoder.terms.subterms(&[term]);
    let numbers = subterms.iter().filter_map(|&t| match query.encoder.terms.node(t) {
        Node::Int(value) => Some(value.unsigned_abs()),
        Node::BitVec { value, .. } => Some(*value),
        Node::IntSum(sum) => Some(sum.constant.unsigned_abs()),
        _ => None,
    });
    (subterms.len(), numbers.max().unwrap_or(0))
}

fn disjunction(query: &mut Query<'_>, context: &[Term], alternatives: &[Term]) -> Result<Term, Stop> {
    let mut kept = Vec::new();
    for &alternative in alternatives {
        let mut parts = context.to_vec();
        parts.push(alternative);
        if !query.impossible(&parts)? {
            kept.push(simplify(query, context, alternative)?);
        }
    }
    let mut i = 0;
    while i < kept.len() && kept.len() > 1 {
        let alternative = kept.remove(i);
        let others = query.encoder.terms.or(&kept);
        let mut premises = context.to_vec();
        premises.push(alternative);
        if !query.implies(&premises, others)? {
            kept.insert(i, alternative);
            i += 1;
        }
    }
    Ok(query.encoder.terms.or(&kept))
}
