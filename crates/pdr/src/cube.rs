//! Literals: what may be said of a state, and which of it holds in a model.
//!
//! What the terms of a segment say of the state at its start is in three kinds of subterms: *values*, which are cells and
//! what is read from arrays at known places; *comparisons* of such values; and *inputs*, which are not of the state. In a
//! model each comparison is true or false, values are equal or in order, and each has bounds.

use std::collections::BTreeSet;
use std::rc::Rc;

use hardbop_logic::{Evaluator, Model, Node, Sort, Term, Terms, Value};
use hardbop_semantics::{Encoder, Meaning, Object};
use rustc_hash::{FxHashMap, FxHashSet};

/// Values of which all pairs are compared.
const MAX_PAIRED: usize = 12;
/// Comparisons that are looked at.
const MAX_COMPARISONS: usize = 160;
/// Values that are looked at.
const MAX_VALUES: usize = 80;
/// Places that an index is looked for in.
const MAX_PLACES: usize = 16;
/// Constants that a bound is moved to.
const MAX_MOVES: usize = 8;

/// How much a literal is liked: the less, the better.
pub(crate) type Rank = u8;

/// The program makes this comparison.
const COMPARISON: Rank = 0;
/// Two values are equal, or one is zero.
const EQUALITY: Rank = 1;
/// Two values are in order.
const ORDER: Rank = 2;
/// A value is bounded by a number.
const BOUND: Rank = 3;

/// Something that holds in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) term: Term,
    pub(crate) rank: Rank,
    /// The value that is bounded by a number.
    pub(crate) bound: Option<Bound>,
}

/// A number that bounds a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    of: Term,
    at: u128,
    signed: bool,
    /// Whether the value is at most the number; if not, it is at least that.
    above: bool,
}

/// What a term says of the state.
#[derive(Debug, Default, Clone)]
pub(crate) struct Parts {
    pub(crate) values: Vec<Term>,
    pub(crate) comparisons: Vec<Term>,
    pub(crate) inputs: Vec<Term>,
    /// The values that are compared as signed numbers.
    pub(crate) signed: FxHashSet<Term>,
}

impl Parts {
    /// The parts of several terms.
    pub(crate) fn join(all: &[Rc<Parts>]) -> Parts {
        let mut joined = Parts::default();
        for parts in all {
            joined.values.extend(&parts.values);
            joined.comparisons.extend(&parts.comparisons);
            joined.inputs.extend(&parts.inputs);
            joined.signed.extend(&parts.signed);
        }
        joined.sort();
        joined
    }

    /// Makes each list one without duplicates.
    pub(crate) fn sort(&mut self) {
        for list in [&mut self.values, &mut self.comparisons, &mut self.inputs] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// The parts of a term, in which names stand for definitions.
    pub(crate) fn of(encoder: &mut Encoder, term: Term, definitions: &FxHashMap<Term, Term>) -> Parts {
        let subterms = with_definitions(&encoder.terms, term, definitions);
        let mut known: FxHashMap<Term, bool> = FxHashMap::default();
        let mut parts = Parts::default();
        let mut reads = Vec::new();
        for &t in &subterms {
            let is_array = matches!(encoder.terms.sort(t), Sort::Array(..));
            let node = encoder.terms.node(t);
            let mut is_state = true;
            node.for_each_operand(|operand| is_state &= known.get(&operand).copied().unwrap_or(false));
            match node {
                Node::Symbol { .. } => {
                    is_state = is_of_state(encoder, t);
                    let is_cell = matches!(encoder.meaning_of(t), Some(Meaning::Cell(_)));
                    match is_state {
                        true if is_cell && !is_array => parts.values.push(t),
                        false if !is_array && !definitions.contains_key(&t) => parts.inputs.push(t),
                        _ => {}
                    }
                }
                &Node::Select(array, index) => reads.push((array, index)),
                &Node::Eq(a, _) if is_state && !matches!(encoder.terms.sort(a), Sort::Array(..)) => {
                    parts.comparisons.push(t);
                }
                Node::BvUle(..) | Node::IntLe(..) if is_state => parts.comparisons.push(t),
                &Node::BvSle(a, b) => {
                    parts.signed.extend([a, b]);
                    if is_state {
                        parts.comparisons.push(t);
                    }
                }
                _ => {}
            }
            known.insert(t, is_state);
        }
        for (array, index) in reads {
            let places = places(encoder, index);
            for base in bases(&encoder.terms, array) {
                if !matches!(encoder.meaning_of(base), Some(Meaning::Cell(_))) {
                    continue;
                }
                for &place in &places {
                    let read = encoder.terms.select(base, place);
                    if matches!(encoder.terms.node(read), Node::Select(..)) {
                        parts.values.push(read);
                    }
                }
            }
        }
        parts.values.sort_unstable();
        parts.values.dedup();
        // What a comparison is about, is signed with its extensions and sums.
        let signed: Vec<Term> = parts.signed.iter().copied().collect();
        for t in encoder.terms.subterms(&signed) {
            if parts.values.contains(&t) {
                parts.signed.insert(t);
            }
        }
        parts
    }

    /// What holds in a model, the most liked first.
    pub(crate) fn literals(&self, terms: &mut Terms, model: &Model) -> Vec<Literal> {
        let mut evaluator = Evaluator::new();
        let mut found = Vec::new();
        for &comparison in self.comparisons.iter().take(MAX_COMPARISONS) {
            if let Some(truth) = evaluator.value(terms, comparison, model).and_then(|value| value.as_bool()) {
                let term = if truth { comparison } else { terms.not(comparison) };
                found.push(Literal { term, rank: COMPARISON, bound: None });
            }
        }
        let mut numbers: Vec<(Term, u128, u32)> = Vec::new();
        for &value in self.values.iter().take(MAX_VALUES) {
            match evaluator.value(terms, value, model) {
                Some(Value::Bool(truth)) => {
                    let term = if truth { value } else { terms.not(value) };
                    found.push(Literal { term, rank: COMPARISON, bound: None });
                }
                Some(Value::BitVec { value: number, width }) => numbers.push((value, number, width)),
                _ => {}
            }
        }
        self.equalities(terms, &numbers, &mut found);
        for &(of, at, width) in &numbers {
            let signed = self.signed.contains(&of);
            for above in [true, false] {
                let bound = Bound { of, at, signed, above };
                if let Some(term) = bound.term(terms, width) {
                    found.push(Literal { term, rank: BOUND, bound: Some(bound) });
                }
            }
        }
        found.sort_by_key(|literal| literal.rank);
        let mut seen = FxHashSet::default();
        found.retain(|literal| terms.as_bool(literal.term).is_none() && seen.insert(literal.term));
        found
    }

    /// How values compare with zero and with each other.
    fn equalities(&self, terms: &mut Terms, numbers: &[(Term, u128, u32)], found: &mut Vec<Literal>) {
        for &(value, number, width) in numbers {
            let zero = terms.bv(0, width);
            let same = terms.eq(value, zero);
            let term = if number == 0 { same } else { terms.not(same) };
            found.push(Literal { term, rank: EQUALITY, bound: None });
        }
        if numbers.len() > MAX_PAIRED {
            return;
        }
        for (i, &(a, x, width)) in numbers.iter().enumerate() {
            for &(b, y, other) in &numbers[i + 1..] {
                if width != other {
                    continue;
                }
                if x == y {
                    let term = terms.eq(a, b);
                    found.push(Literal { term, rank: EQUALITY, bound: None });
                    continue;
                }
                let signed = self.signed.contains(&a) || self.signed.contains(&b);
                let below = match signed {
                    true => terms.bv_slt(a, b),
                    false => terms.bv_ult(a, b),
                };
                let is_below = match signed {
                    true => Value::bv(x, width).as_signed() < Value::bv(y, width).as_signed(),
                    false => x < y,
                };
                let term = if is_below { below } else { terms.not(below) };
                found.push(Literal { term, rank: ORDER, bound: None });
                let same = terms.eq(a, b);
                let term = terms.not(same);
                found.push(Literal { term, rank: EQUALITY, bound: None });
            }
        }
    }
}

impl Bound {
    /// As a condition; nothing if it is always true.
    fn term(self, terms: &mut Terms, width: u32) -> Option<Term> {
        let number = terms.bv(self.at, width);
        let term = match (self.signed, self.above) {
            (true, true) => terms.bv_sle(self.of, number),
            (true, false) => terms.bv_sle(number, self.of),
            (false, true) => terms.bv_ule(self.of, number),
            (false, false) => terms.bv_ule(number, self.of),
        };
        terms.as_bool(term).is_none().then_some(term)
    }

    /// The same with other numbers of which more values satisfy it, the weakest first.
    pub(crate) fn weaker(self, terms: &mut Terms, constants: &Constants) -> Vec<Literal> {
        let Sort::BitVec(width) = terms.sort(self.of) else { return Vec::new() };
        let key = |number: u128| match self.signed {
            true => Value::bv(number, width).as_signed().unwrap_or_default(),
            false => number.cast_signed(),
        };
        let mut numbers: Vec<u128> = constants.of_width(width);
        numbers.retain(|&number| match self.above {
            true => key(number) > key(self.at),
            false => key(number) < key(self.at),
        });
        numbers.sort_unstable_by_key(|&number| key(number));
        if self.above {
            numbers.reverse();
        }
        // The weakest, and those that are close.
        if numbers.len() > MAX_MOVES {
            let close = numbers.split_off(numbers.len() - MAX_MOVES / 2);
            numbers.truncate(MAX_MOVES / 2);
            numbers.extend(close);
        }
        let mut found = Vec::new();
        for at in numbers {
            let bound = Bound { at, ..self };
            let term = bound.term(terms, width);
            found.extend(term.map(|term| Literal { term, rank: BOUND, bound: Some(bound) }));
        }
        found
    }
}

/// The numbers of a program, by width.
#[derive(Debug, Default)]
pub(crate) struct Constants(FxHashMap<u32, BTreeSet<u128>>);

impl Constants {
    /// The numbers in some terms, and those next to them.
    pub(crate) fn of(terms: &Terms, roots: &[Term]) -> Self {
        let mut constants = Constants::default();
        for t in terms.subterms(roots) {
            if let &Node::BitVec { value, width } = terms.node(t) {
                let near = [value.wrapping_sub(1), value, value.wrapping_add(1)];
                let numbers = near.map(|number| Value::bv(number, width).as_bits().unwrap_or(value));
                constants.0.entry(width).or_default().extend(numbers);
            }
        }
        constants
    }

    pub(crate) fn of_width(&self, width: u32) -> Vec<u128> {
        self.0.get(&width).map(|numbers| numbers.iter().copied().collect()).unwrap_or_default()
    }
}

/// Whether a symbol stands for a part of the state at a cut point, or for a constant.
pub(crate) fn is_of_state(encoder: &Encoder, symbol: Term) -> bool {
    matches!(
        encoder.meaning_of(symbol),
        Some(Meaning::Cell(_) | Meaning::Address(Object::Variable(..) | Object::Procedure(_)))
    )
}

/// All subterms, also of what names stand for; operands before their users.
pub(crate) fn with_definitions(terms: &Terms, term: Term, definitions: &FxHashMap<Term, Term>) -> Vec<Term> {
    let mut roots = vec![term];
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut next = 0;
    while let Some(&root) = roots.get(next) {
        next += 1;
        for symbol in terms.symbols(root) {
            if let Some(&definition) = definitions.get(&symbol)
                && seen.insert(symbol)
            {
                roots.push(definition);
            }
        }
    }
    terms.subterms(&roots)
}

/// The places that an index may be, as far as the state tells them: which of several it is may be an input.
fn places(encoder: &mut Encoder, index: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut open = vec![index];
    let mut tries = 0;
    while let Some(index) = open.pop() {
        tries += 1;
        if tries > MAX_PLACES {
            break;
        }
        if encoder.terms.symbols(index).into_iter().all(|symbol| is_of_state(encoder, symbol)) {
            found.push(index);
            continue;
        }
        let subterms = encoder.terms.subterms(&[index]);
        let choice = subterms.into_iter().find_map(|t| match *encoder.terms.node(t) {
            Node::Ite(_, a, b) if !matches!(encoder.terms.sort(t), Sort::Bool) => Some((t, a, b)),
            _ => None,
        });
        if let Some((choice, a, b)) = choice {
            for one in [a, b] {
                open.push(encoder.terms.substitute(index, &FxHashMap::from_iter([(choice, one)])));
            }
        }
    }
    found
}

/// The elements that terms read in a model, at places that do not depend on inputs: in variables, and in what values of the state point to.
pub(crate) fn elements_read(
    encoder: &mut Encoder,
    target: &[Term],
    definitions: &FxHashMap<Term, Term>,
    parts: &Parts,
    model: &Model,
) -> Vec<Term> {
    let mut evaluator = Evaluator::new();
    let mut starts: Vec<(u128, Term)> = Vec::new();
    let mut reads: Vec<(Term, u128, u32)> = Vec::new();
    let mut seen = FxHashSet::default();
    for &term in target {
        for t in with_definitions(&encoder.terms, term, definitions) {
            if !seen.insert(t) {
                continue;
            }
            let is_start = match encoder.meaning_of(t) {
                Some(Meaning::Address(Object::Variable(..))) => true,
                Some(Meaning::Cell(_)) => parts.values.contains(&t),
                _ => false,
            };
            if is_start && let Some(number) = number(&mut evaluator, &encoder.terms, t, model) {
                starts.push((number, t));
            }
            if let Node::Select(array, index) = *encoder.terms.node(t)
                && let Sort::BitVec(width) = encoder.terms.sort(index)
                && let Some(at) = number(&mut evaluator, &encoder.terms, index, model)
            {
                reads.push((array, at, width));
            }
        }
    }
    starts.sort_unstable();
    let mut found = Vec::new();
    for (array, at, width) in reads {
        // The object, or the pointer, that begins last before the element.
        let start = starts
            .iter()
            .rev()
            .find(|&&(start, t)| start <= at && encoder.terms.sort(t) == Sort::BitVec(width));
        let Some(&(start, object)) = start else { continue };
        let offset = encoder.terms.bv(at - start, width);
        let place = encoder.terms.bv_add(object, offset);
        for base in bases(&encoder.terms, array) {
            if matches!(encoder.meaning_of(base), Some(Meaning::Cell(_))) {
                found.push(encoder.terms.select(base, place));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn number(evaluator: &mut Evaluator, terms: &Terms, t: Term, model: &Model) -> Option<u128> {
    evaluator.value(terms, t, model).and_then(|value| value.as_bits())
}

/// The arrays that an array is made from by writes and choices.
pub(crate) fn bases(terms: &Terms, array: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut open = vec![array];
    let mut seen = FxHashSet::default();
    while let Some(t) = open.pop() {
        if !seen.insert(t) {
            continue;
        }
        match *terms.node(t) {
            Node::Store(array, ..) => open.push(array),
            Node::Ite(_, a, b) => open.extend([a, b]),
            Node::Symbol { .. } => found.push(t),
            _ => {}
        }
    }
    found
}
