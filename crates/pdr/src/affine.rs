//! Linear equations as facts: "`k` is the sum of `i` and `j`", "`x` is three times `y`", "`n` is even".
//!
//! They are not guessed but computed. For each cut point there is a set of states that equations describe ([`crate::hull`]); at the start it
//! is empty. As long as a step leads from these sets to a state outside, which a solver says, that state makes its set larger
//! (Reps, Sagiv and Yorsh, *Symbolic implementation of the best transformer*, 2004). There are few such steps: each takes an equation
//! away, or a power of two.
//!
//! Departures: equations with large factors are left out, which are accidents of few states and expensive to ask about.

use std::collections::BTreeMap;

use hardbop_logic::{Evaluator, Model, Sort, Term, Terms, bits};
use hardbop_semantics::{Encoder, Subject};
use rustc_hash::FxHashSet;

use crate::asker::{Found, Silent};
use crate::counts::elements;
use crate::cube::Parts;
use crate::facts::Candidates;
use crate::hull::{Hull, Row};
use crate::search::Search;
use crate::system::{Segment, System};

/// The width of the widest values.
const WIDEST: u32 = 64;
/// The most values of a cut point that equations are looked for between.
const MAX_VALUES: usize = 40;
/// The most elements of an array that are among them.
const MAX_ELEMENTS: usize = 16;
/// The most states that make a set larger, before nothing is said of it.
const MAX_POINTS: usize = 120;
/// Factors of equations, apart from powers of two, are smaller.
const MAX_FACTOR: u128 = 1 << 12;

/// The values of one width at a cut point, and the states that were seen there.
struct Group {
    width: u32,
    values: Vec<Term>,
    hull: Hull,
    /// The equations, as terms.
    equations: Vec<Term>,
}

impl Group {
    /// Whether states with such values were seen.
    fn is_reached(&self) -> bool {
        self.hull.points() > 0
    }

    /// Adds what a model says of these values behind a step; whether it says enough.
    fn add(&mut self, terms: &mut Terms, after: &[Term], model: &Model) -> bool {
        let mut evaluator = Evaluator::new();
        let mut point = Vec::new();
        for &value in after {
            let Some(number) = evaluator.value(terms, value, model).and_then(|value| value.as_bits()) else {
                return false;
            };
            point.push(number);
        }
        self.hull.add(point);
        self.equations.clear();
        if self.hull.points() < MAX_POINTS {
            for row in self.hull.equations() {
                self.equations.extend(equation(terms, &row, &self.values, self.width));
            }
        }
        true
    }
}

/// An equation as a term, unless its factors are large.
fn equation(terms: &mut Terms, row: &Row, values: &[Term], width: u32) -> Option<Term> {
    let zero = terms.bv(0, width);
    let (mut left, mut right) = (zero, zero);
    for (&factor, &value) in row.iter().zip(values) {
        let signed = bits::signed(factor, width);
        let size = signed.unsigned_abs();
        if size == 0 {
            continue;
        }
        if size >> size.trailing_zeros() >= MAX_FACTOR {
            return None;
        }
        let factor = terms.bv(size, width);
        let summand = terms.bv_mul(value, factor);
        let side = if signed > 0 { &mut left } else { &mut right };
        *side = terms.bv_add(*side, summand);
    }
    let rest = terms.bv(row[values.len()], width);
    left = terms.bv_add(left, rest);
    Some(terms.eq(left, right))
}

/// The linear equations between values of each cut point that hold whenever it is reached, if what is known does.
pub(crate) fn linear_facts(
    search: &mut Search<'_>,
    parts: &[Parts],
    known: &Candidates,
) -> Result<Candidates, Silent> {
    let mut groups: Vec<Vec<Group>> =
        parts.iter().enumerate().map(|(cut, parts)| groups(search, cut, parts)).collect();
    // What a smaller set lets out may be in the way again, as equations are left out; so all are asked again in the end.
    let mut open = vec![true; groups.len() + 1];
    let mut has_changed = false;
    loop {
        let Some(segment) = open.iter().position(|&open| open) else {
            match std::mem::take(&mut has_changed) {
                true => open.fill(true),
                false => break,
            }
            continue;
        };
        open[segment] = false;
        for exit in 0..search.system.segments[segment].exits.len() {
            let cut = search.system.segments[segment].exits[exit].to;
            for at in 0..groups[cut].len() {
                while extended(search, (segment, exit), (cut, at), &mut groups, known)? {
                    has_changed = true;
                    open[cut + 1] = true;
                }
            }
        }
    }
    let of_cut = |groups: Vec<Group>| groups.into_iter().flat_map(|group| group.equations).collect();
    Ok(groups.into_iter().map(of_cut).collect())
}

/// The values of a cut point, by width. Where there are wide ones, the others are among them, too. One alone is of interest: it may be even.
fn groups(search: &mut Search<'_>, cut: usize, parts: &Parts) -> Vec<Group> {
    let System { encoder, subject, segments, pins, .. } = &mut search.system;
    let pinned: FxHashSet<Term> =
        pins[cut].iter().map(|&(cell, _)| encoder.on(*subject).initial(cell)).collect();
    let mut by_width: BTreeMap<u32, Vec<Term>> = BTreeMap::new();
    let mut values = parts.values.clone();
    values.extend(elements_of(encoder, *subject, &segments[cut + 1]));
    let mut seen = FxHashSet::default();
    for value in values.into_iter().filter(|&value| !pinned.contains(&value) && seen.insert(value)) {
        if let Sort::BitVec(width @ 8..=WIDEST) = encoder.terms.sort(value) {
            by_width.entry(width).or_default().push(value);
        }
    }
    if by_width.contains_key(&WIDEST) {
        let narrow: Vec<Term> = by_width.range(..WIDEST).flat_map(|(_, values)| values).copied().collect();
        let widened = narrow.into_iter().map(|value| match parts.signed.contains(&value) {
            true => encoder.terms.sign_extend(WIDEST, value),
            false => encoder.terms.zero_extend(WIDEST, value),
        });
        let widened: Vec<Term> = widened.collect();
        by_width.entry(WIDEST).or_default().extend(widened);
    }
    let group = |(width, mut values): (u32, Vec<Term>)| {
        values.truncate(MAX_VALUES);
        Group { width, values, hull: Hull::new(width), equations: Vec::new() }
    };
    by_width.into_iter().map(group).collect()
}

/// The elements of small arrays that a segment is about: their sum may be known.
fn elements_of(encoder: &mut Encoder, subject: Subject<'_>, segment: &Segment) -> Vec<Term> {
    let symbols = encoder.terms.symbols_of(&segment.roots());
    let arrays = symbols.into_iter().filter(|&symbol| matches!(encoder.terms.sort(symbol), Sort::Array(..)));
    let arrays: Vec<Term> = arrays.collect();
    let few = |elements: &Vec<Term>| elements.len() <= MAX_ELEMENTS;
    arrays.into_iter().filter_map(|array| elements(encoder, subject, array).filter(few)).flatten().collect()
}

/// Whether a step leads to a state that is not in the set of its cut point, which then is.
fn extended(
    search: &mut Search<'_>,
    (segment, exit): (usize, usize),
    (cut, at): (usize, usize),
    groups: &mut [Vec<Group>],
    known: &Candidates,
) -> Result<bool, Silent> {
    let group = &groups[cut][at];
    let (is_reached, equations, values) = (group.is_reached(), group.equations.clone(), group.values.clone());
    if is_reached && equations.is_empty() {
        return Ok(false);
    }
    let mut given = Vec::new();
    let goal = match is_reached {
        true => {
            let after: Vec<Term> =
                equations.iter().map(|&equation| search.before(segment, exit, equation)).collect();
            let terms = &mut search.system.encoder.terms;
            let all = terms.and(&after);
            terms.not(all)
        }
        false => search.system.encoder.terms.bool(true),
    };
    if let Some(from) = segment.checked_sub(1) {
        if !groups[from].iter().all(Group::is_reached) {
            return Ok(false);
        }
        given = search.instantiated(segment, goal, &known[from]);
        given.extend(groups[from].iter().flat_map(|group| &group.equations));
    }
    given.extend([search.system.segments[segment].exits[exit].guard, goal]);
    let Found::Model(model) = search.ask(segment, &given)? else { return Ok(false) };
    let after: Vec<Term> = values.iter().map(|&value| search.before(segment, exit, value)).collect();
    let group = &mut groups[cut][at];
    match group.add(&mut search.system.encoder.terms, &after, &model) && group.equations != equations {
        true => Ok(true),
        // The state was none that the solver meant.
        false if is_reached => Err(Silent::Undecided),
        false => Ok(group.is_reached()),
    }
}
