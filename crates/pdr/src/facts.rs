//! Facts: conditions that hold whenever a cut point is reached, found before anything is pushed back.
//!
//! What errors lead to is all that a search learns from, and it learns slowly that `0 <= i` and `i <= n`. So simple conditions are
//! tried first, all at once (Flanagan and Leino, *Houdini, an annotation assistant for ESC/Java*, 2001): those that a model breaks
//! are dropped, until none does. The rest is true at every frame. Candidates are comparisons that the program makes, also as they were
//! where nothing had been written yet; values that are equal, in order, or bits of each other; bounds that are numbers of the
//! program; counts of elements ([`crate::counts`]); and remainders of what loops step over.

use hardbop_ir::ProcId;
use hardbop_logic::{Evaluator, Model, Node, Sort, Term, Terms, Value};
use hardbop_semantics::{Cell, Encoder, Meaning};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::asker::{Found, Silent};
use crate::counts::counted;
use crate::cube::{Constants, Parts, bases, is_of_state, with_definitions};
use crate::search::Search;
use crate::system::{Segment, System, remainders, steps};

/// Candidates of one cut point.
const MAX_CANDIDATES: usize = 600;
/// Values of which all pairs are compared.
const MAX_PAIRED: usize = 16;
/// Questions that are asked; there are no facts if that does not suffice.
const MAX_QUESTIONS: usize = 400;

/// Conditions for each cut point.
pub(crate) type Candidates = Vec<Vec<Term>>;

/// The facts of each cut point.
pub(crate) fn facts(search: &mut Search<'_>, parts: &[Parts]) -> Result<Candidates, Silent> {
    let candidates = candidates(search, parts);
    let nothing = vec![Vec::new(); candidates.len()];
    let kept = houdini(search, candidates, &nothing)?;
    let terms = &mut search.system.encoder.terms;
    Ok(kept.into_iter().map(|facts| strongest(terms, facts)).collect())
}

/// Of candidates, those that hold whenever their cut point is reached, if what is known does.
pub(crate) fn houdini(
    search: &mut Search<'_>,
    mut kept: Candidates,
    known: &Candidates,
) -> Result<Candidates, Silent> {
    let mut questions = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for cut in 0..kept.len() {
            for way in search.incoming(cut) {
                while let Some(model) = broken(search, way, (cut, &kept), known)? {
                    let before = kept[cut].len();
                    retain(search, way, &mut kept[cut], &model);
                    questions += 1;
                    changed = true;
                    if questions > MAX_QUESTIONS || kept[cut].len() == before {
                        return Err(Silent::Undecided);
                    }
                }
            }
        }
    }
    Ok(kept)
}

/// Facts without those that another one plainly implies: of bounds of a value the narrowest, and no order of what is equal.
fn strongest(terms: &mut Terms, facts: Vec<Term>) -> Vec<Term> {
    let all: FxHashSet<Term> = facts.iter().copied().collect();
    let mut bounds: FxHashMap<(Term, bool, bool), (i128, Term)> = FxHashMap::default();
    let mut found = Vec::new();
    for fact in facts {
        let (a, b, signed) = match *terms.node(fact) {
            Node::BvSle(a, b) => (a, b, true),
            Node::BvUle(a, b) => (a, b, false),
            _ => {
                found.push(fact);
                continue;
            }
        };
        let number = |t: Term| match *terms.node(t) {
            Node::BitVec { value, width } if signed => Value::bv(value, width).as_signed(),
            Node::BitVec { value, .. } => i128::try_from(value).ok(),
            _ => None,
        };
        let (key, strength) = match (number(a), number(b)) {
            (Some(least), None) => ((b, signed, false), least),
            (None, Some(most)) => ((a, signed, true), -most),
            _ => {
                if !all.contains(&terms.eq(a, b)) {
                    found.push(fact);
                }
                continue;
            }
        };
        let known = bounds.entry(key).or_insert((strength, fact));
        if strength > known.0 {
            *known = (strength, fact);
        }
    }
    let mut bounds: Vec<Term> = bounds.into_values().map(|(_, fact)| fact).collect();
    bounds.sort_unstable();
    found.extend(bounds);
    found
}

/// Values for which some candidates hold where a segment starts, and not all of another cut point where it leads to that.
fn broken(
    search: &mut Search<'_>,
    (segment, exit): (usize, usize),
    (cut, kept): (usize, &Candidates),
    known: &Candidates,
) -> Result<Option<Model>, Silent> {
    if kept[cut].is_empty() {
        return Ok(None);
    }
    let after: Vec<Term> = kept[cut].iter().map(|&fact| search.before(segment, exit, fact)).collect();
    let terms = &mut search.system.encoder.terms;
    let all = terms.and(&after);
    let goal = terms.not(all);
    let mut given = Vec::new();
    if let Some(from) = segment.checked_sub(1) {
        let facts: Vec<Term> = kept[from].iter().chain(&known[from]).copied().collect();
        given = search.instantiated(segment, goal, &facts);
    }
    given.extend([search.system.segments[segment].exits[exit].guard, goal]);
    match search.ask(segment, &given)? {
        Found::Model(model) => Ok(Some(model)),
        Found::Core(_) => Ok(None),
    }
}

/// Drops the candidates that a model breaks.
fn retain(search: &mut Search<'_>, (segment, exit): (usize, usize), kept: &mut Vec<Term>, model: &Model) {
    let mut evaluator = Evaluator::new();
    kept.retain(|&fact| {
        let after = search.before(segment, exit, fact);
        let value = evaluator.value(&search.system.encoder.terms, after, model);
        value.and_then(|value| value.as_bool()) == Some(true)
    });
}

/// What each cut point speaks of, and what is behind it.
pub(crate) fn parts_of_cuts(search: &mut Search<'_>) -> Vec<Parts> {
    let Search { system, definitions, .. } = search;
    let segments = &system.segments[1..];
    let mut all: Vec<Parts> = Vec::new();
    for segment in segments {
        all.push(parts(&mut system.encoder, segment, definitions));
    }
    pass_back(&mut system.encoder, system.subject, segments, &mut all);
    pass_on(system, &mut all);
    all
}

/// What may hold at each cut point.
fn candidates(search: &mut Search<'_>, all: &[Parts]) -> Vec<Vec<Term>> {
    let Search { system, constants, .. } = search;
    let counted = counted(&mut system.encoder, system.subject, &system.segments);
    let steps = steps(&mut system.encoder, system.subject, &system.segments);
    let of_cut = |parts: &Parts| {
        let mut found = conditions(&mut system.encoder.terms, parts, constants);
        for &(value, step) in steps.iter().filter(|(value, _)| parts.values.contains(value)) {
            found.extend(remainders(&mut system.encoder.terms, value, step));
        }
        for &value in &parts.values {
            let is_counter = matches!(system.encoder.meaning_of(value), Some(Meaning::Cell(_)))
                && matches!(system.encoder.terms.sort(value), Sort::BitVec(8..=64));
            for counted in counted.iter().filter(|_| is_counter) {
                found.extend(counted.conditions(&mut system.encoder, value));
            }
        }
        found
    };
    all.iter().map(of_cut).collect()
}

/// What a segment says of the state where it starts.
fn parts(encoder: &mut Encoder, segment: &Segment, definitions: &FxHashMap<Term, Term>) -> Parts {
    let guards = segment.exits.iter().map(|exit| exit.guard);
    let roots: Vec<Term> = segment.errors.iter().copied().chain(guards).collect();
    let whole = encoder.terms.or(&roots);
    let mut parts = Parts::of(encoder, whole, definitions);
    let written: Vec<Term> =
        segment.exits.iter().flat_map(|exit| exit.state.written()).map(|(_, value)| value).collect();
    let mut subterms = with_definitions(&encoder.terms, whole, definitions);
    subterms.extend(encoder.terms.subterms(&written));
    for t in subterms {
        match *encoder.terms.node(t) {
            Node::Eq(a, _) if matches!(encoder.terms.sort(a), Sort::Array(..)) => {}
            Node::Eq(..) | Node::BvUle(..) | Node::BvSle(..) | Node::IntLe(..) => {
                let unwritten = unwritten(encoder, t);
                if is_condition(encoder, unwritten) {
                    parts.comparisons.push(unwritten);
                }
            }
            Node::Symbol { .. }
                if matches!(encoder.cell_of(t), Some(cell) if !matches!(cell, Cell::Tally(..)))
                    && !matches!(encoder.terms.sort(t), Sort::Array(..)) =>
            {
                parts.values.push(t);
            }
            // An element at a place that does not depend on the state.
            Node::Store(array, index, _) if encoder.is_fixed(index) => {
                for base in bases(&encoder.terms, array) {
                    if matches!(encoder.meaning_of(base), Some(Meaning::Cell(_))) {
                        parts.values.push(encoder.terms.select(base, index));
                    }
                }
            }
            _ => {}
        }
    }
    parts.sort();
    parts
}

/// Whether a term is a condition on the state alone.
fn is_condition(encoder: &Encoder, t: Term) -> bool {
    encoder.terms.as_bool(t).is_none()
        && encoder.terms.symbols(t).into_iter().all(|symbol| is_of_state(encoder, symbol))
}

/// A term as it is if cells that may have been written to were not.
fn unwritten(encoder: &mut Encoder, t: Term) -> Term {
    let mut old: FxHashMap<Term, Term> = FxHashMap::default();
    for t in encoder.terms.subterms(&[t]) {
        if matches!(encoder.terms.node(t), Node::Ite(..))
            && let Some(cell) = old_value(encoder, t)
        {
            old.insert(t, cell);
        }
    }
    if old.is_empty() { t } else { encoder.terms.substitute(t, &old) }
}

/// The cell that is one of the values of a choice.
fn old_value(encoder: &Encoder, choice: Term) -> Option<Term> {
    let mut open = vec![choice];
    let mut seen = FxHashSet::default();
    while let Some(t) = open.pop() {
        match *encoder.terms.node(t) {
            Node::Ite(_, a, b) if seen.insert(t) => open.extend([a, b]),
            Node::Symbol { .. } if matches!(encoder.meaning_of(t), Some(Meaning::Cell(_))) => return Some(t),
            _ => {}
        }
    }
    None
}

/// What a later segment speaks of matters before, where nothing writes to it on the way.
fn pass_back(
    encoder: &mut Encoder,
    subject: hardbop_semantics::Subject<'_>,
    segments: &[Segment],
    all: &mut [Parts],
) {
    let mut changed = true;
    while changed {
        changed = false;
        for (cut, segment) in segments.iter().enumerate() {
            for exit in &segment.exits {
                let later = all[exit.to].clone();
                let mut is_kept = |t: &Term| {
                    encoder.terms.symbols(*t).into_iter().all(|symbol| match encoder.meaning_of(symbol) {
                        Some(Meaning::Cell(cell)) => encoder.on(subject).get(&exit.state, cell) == symbol,
                        _ => true,
                    })
                };
                let values: Vec<Term> = later.values.iter().copied().filter(&mut is_kept).collect();
                let comparisons: Vec<Term> = later.comparisons.iter().copied().filter(&mut is_kept).collect();
                let own = &mut all[cut];
                let before = own.values.len() + own.comparisons.len();
                own.signed.extend(later.signed.iter().filter(|t| values.contains(t)));
                own.values.extend(values);
                own.comparisons.extend(comparisons);
                own.sort();
                changed |= own.values.len() + own.comparisons.len() > before;
            }
        }
    }
}

/// What an earlier segment speaks of may say something of what it left behind, where nothing has written to it since: `k` counted as far
/// as `i`, which nobody reads any more. As long as not too many values are compared with each other.
fn pass_on(system: &mut System<'_>, all: &mut [Parts]) {
    let System { encoder, subject, segments, cuts, .. } = system;
    let mut changed = true;
    while changed {
        changed = false;
        for from in 0..all.len() {
            for exit in &segments[from + 1].exits {
                let target = &cuts[exit.to];
                let is_open = |procedure: ProcId| {
                    procedure == target.procedure
                        || target.calls.iter().any(|&(caller, _)| caller == procedure)
                };
                for value in all[from].values.clone() {
                    let is_number = matches!(encoder.terms.sort(value), Sort::BitVec(_));
                    let own = &all[exit.to];
                    if !is_number || own.values.len() >= MAX_PAIRED || own.values.contains(&value) {
                        continue;
                    }
                    let Some(cell) = encoder.cell_of(value) else { continue };
                    let is_there = match cell {
                        Cell::Global(_) => true,
                        Cell::Local(_, var) => subject.alias.objects().owner(var).is_some_and(is_open),
                        _ => false,
                    };
                    if is_there && encoder.on(*subject).get(&exit.state, cell) == value {
                        if all[from].signed.contains(&value) {
                            all[exit.to].signed.insert(value);
                        }
                        all[exit.to].values.push(value);
                        changed = true;
                    }
                }
            }
        }
    }
    all.iter_mut().for_each(Parts::sort);
}

/// The candidates.
fn conditions(terms: &mut Terms, parts: &Parts, constants: &Constants) -> Vec<Term> {
    let mut found = Vec::new();
    for &comparison in &parts.comparisons {
        found.extend([comparison, terms.not(comparison)]);
    }
    let numbers: Vec<(Term, u32)> = parts
        .values
        .iter()
        .filter_map(|&value| match terms.sort(value) {
            Sort::BitVec(width) => Some((value, width)),
            _ => None,
        })
        .collect();
    if numbers.len() <= MAX_PAIRED {
        for (i, &(a, width)) in numbers.iter().enumerate() {
            for &(b, _) in numbers[i + 1..].iter().filter(|(_, other)| *other == width) {
                let signed = parts.signed.contains(&a) || parts.signed.contains(&b);
                found.push(terms.eq(a, b));
                for (a, b) in [(a, b), (b, a)] {
                    found.push(if signed { terms.bv_sle(a, b) } else { terms.bv_ule(a, b) });
                    let (rest, zero) = (terms.bv_not(b), terms.bv(0, width));
                    let outside = terms.bv_and(a, rest);
                    found.push(terms.eq(outside, zero));
                }
            }
        }
    }
    for &(value, width) in &numbers {
        let signed = parts.signed.contains(&value);
        for number in constants.of_width(width) {
            let number = terms.bv(number, width);
            let bounds = match signed {
                true => [terms.bv_sle(value, number), terms.bv_sle(number, value)],
                false => [terms.bv_ule(value, number), terms.bv_ule(number, value)],
            };
            found.extend(bounds);
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|&t| terms.as_bool(t).is_none() && seen.insert(t));
    found.truncate(MAX_CANDIDATES);
    found
}
