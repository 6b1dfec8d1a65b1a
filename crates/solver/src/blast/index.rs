//! Indices of arrays, compared by what is different in them.
//!
//! An address is the place of an object plus an offset. `&t + i` and `&t + 4` are equal where `i` is 4, whatever
//! `&t` is, and a SAT solver that gets both sums as words has to find that out carry by carry. So an index is kept
//! as a sum: what two of them share cancels before there are gates. Where what is left has a choice of addresses in
//! it, each arm is compared by itself if something cancels then.
//!
//! Writes whose indices differ from the one that is read by the same terms and different constants are a table:
//! one decision tree over the bits of these terms, not a comparison for each write.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use hardbop_logic::{Node, Sort, Sum, Term, Terms, bits};

use super::encoder::{Encoder, Word};
use super::gates::Lit;

/// Sums of more parts than this stay whole: their differences would cost more than they save.
const MAX_PARTS: usize = 16;
/// How many choices, one below the other, a comparison is pushed into.
const MAX_CHOICES: u32 = 8;

/// The terms of a sum with their coefficients.
type Parts = Box<[(u128, Term)]>;

/// A bit-vector as a sum.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Form {
    width: u32,
    sum: Sum<u128>,
}

impl Form {
    fn of(terms: &Terms, t: Term, width: u32) -> Form {
        let sum = match terms.node(t) {
            &Node::BitVec { value, .. } => Sum { constant: value, parts: Box::default() },
            Node::BvSum(sum) if sum.parts.len() <= MAX_PARTS => sum.clone(),
            &Node::BvNot(of) => {
                let ones = bits::mask(width);
                Sum { constant: ones, parts: [(ones, of)].into() }
            }
            _ => Sum { constant: 0, parts: [(1, t)].into() },
        };
        Form { width, sum }
    }

    /// `self + factor · other`.
    fn plus_multiple(&self, factor: u128, other: &Form) -> Form {
        let mask = bits::mask(self.width);
        let add = |a: u128, b: u128| a.wrapping_add(factor.wrapping_mul(b)) & mask;
        let (left, right) = (&self.sum.parts, &other.sum.parts);
        let mut parts = Vec::with_capacity(left.len() + right.len());
        let (mut i, mut j) = (0, 0);
        while i < left.len() || j < right.len() {
            let (here, there) = (left.get(i), right.get(j));
            let term = here.into_iter().chain(there).map(|&(_, term)| term).min();
            let mut coefficient = 0;
            if let Some(&(own, _)) = here.filter(|part| Some(part.1) == term) {
                coefficient = own;
                i += 1;
            }
            if let Some(&(other, _)) = there.filter(|part| Some(part.1) == term) {
                coefficient = add(coefficient, other);
                j += 1;
            }
            parts.extend(term.filter(|_| coefficient != 0).map(|term| (coefficient, term)));
        }
        let constant = add(self.sum.constant, other.sum.constant);
        Form { width: self.width, sum: Sum { constant, parts: parts.into() } }
    }

    /// `self − other`.
    pub fn minus(&self, other: &Form) -> Form {
        self.plus_multiple(bits::mask(self.width), other)
    }

    /// The number that the sum is, if there is nothing else in it.
    pub fn number(&self) -> Option<u128> {
        self.sum.parts.is_empty().then_some(self.sum.constant)
    }

    fn negative(&self, coefficient: u128) -> bool {
        bits::signed(coefficient, self.width) < 0
    }

    /// Whether no values of the parts make the sum equal to a number: all coefficients are multiples of a power of
    /// two, and the difference is none.
    fn is_never(&self, number: u128) -> bool {
        let difference = number.wrapping_sub(self.sum.constant) & bits::mask(self.width);
        let common = self.sum.parts.iter().map(|(coefficient, _)| coefficient.trailing_zeros()).min();
        difference != 0 && common.is_none_or(|common| difference.trailing_zeros() < common)
    }

    /// The odd number by which all coefficients can be divided, with the sign of the first.
    fn divisor(&self) -> i128 {
        let signed = |coefficient: u128| bits::signed(coefficient, self.width);
        let Some(first) = self.sum.parts.first().map(|&(coefficient, _)| signed(coefficient)) else {
            return 1;
        };
        let odd = first >> first.trailing_zeros();
        match self.sum.parts.iter().all(|&(coefficient, _)| signed(coefficient).wrapping_rem(odd) == 0) {
            true => odd,
            false => first.signum(),
        }
    }
}

/// What is required of sums in all queries: the numbers that they may be, as the first of them and how many follow it, going
/// round. Known before words are made, this decides most comparisons of addresses in different objects.
#[derive(Debug, Default)]
pub struct Ranges(FxHashMap<Parts, (u128, u128)>);

impl Ranges {
    /// Learns from a fact that holds in all that is asked from now on; whether it said anything.
    pub fn learn(&mut self, terms: &Terms, fact: Term) -> bool {
        let (holds, fact) = match *terms.node(fact) {
            Node::Not(fact) => (false, fact),
            _ => (true, fact),
        };
        let Node::BvUle(a, b) = *terms.node(fact) else { return false };
        let Sort::BitVec(width) = terms.sort(a) else { return false };
        let last = bits::mask(width);
        // Comparisons that are always true or always false are no terms, so nothing here is empty or wraps.
        let (t, low, high) = match (terms.as_bits(a), terms.as_bits(b), holds) {
            (None, Some(bound), true) => (a, 0, bound),
            (None, Some(bound), false) => (a, bound.wrapping_add(1) & last, last),
            (Some(bound), None, true) => (b, bound, last),
            (Some(bound), None, false) => (b, 0, bound.wrapping_sub(1) & last),
            _ => return false,
        };
        let form = Form::of(terms, t, width);
        if form.number().is_some() || low > high {
            return false;
        }
        let (key, negated) = key(&form);
        let end =
            if negated { form.sum.constant.wrapping_sub(high) } else { low.wrapping_sub(form.sum.constant) };
        let new = (end & last, high - low);
        let known = self.0.entry(key).or_insert(new);
        if new.1 < known.1 {
            *known = new;
        }
        true
    }

    /// Whether a sum is certainly not a number.
    fn exclude(&self, form: &Form, number: u128) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let (key, negated) = key(form);
        let Some(&(first, count)) = self.0.get(&key) else { return false };
        let rest = number.wrapping_sub(form.sum.constant);
        let rest = if negated { rest.wrapping_neg() } else { rest };
        rest.wrapping_sub(first) & bits::mask(form.width) > count
    }
}

/// The parts of a sum with a positive coefficient first, and whether they are negated for that.
fn key(form: &Form) -> (Parts, bool) {
    let negated = form.sum.parts.first().is_some_and(|&(coefficient, _)| form.negative(coefficient));
    let sign = |coefficient| if negated { bits::neg(coefficient, form.width) } else { coefficient };
    (form.sum.parts.iter().map(|&(coefficient, part)| (sign(coefficient), part)).collect(), negated)
}

/// Where an array is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Index {
    /// At a term, as a sum.
    Sum(Arc<Form>),
    /// At a word that is no term.
    Word(Word),
}

/// Consecutive writes that a read can treat as one table.
pub struct Run {
    /// The terms by which the index read differs from those written; nothing if it equals none of them.
    by: Option<Form>,
    /// For which numbers of the terms which write is read, the last write first.
    entries: Vec<(u128, Term)>,
    /// What is read where none of them is.
    pub below: Below,
}

/// What lies below some writes.
#[derive(Clone, Copy)]
pub enum Below {
    /// A write that is certainly read.
    Value(Term),
    /// An array.
    Array(Term),
}

impl Encoder {
    /// A term as an index.
    pub fn index(&self, terms: &Terms, t: Term) -> Index {
        match terms.sort(t) {
            Sort::BitVec(width) => Index::Sum(Form::of(terms, t, width).into()),
            _ => Index::Word(self.known(t)),
        }
    }

    /// The bits of an index.
    pub fn index_word(&mut self, index: &Index) -> Word {
        match index {
            Index::Sum(form) => self.sum(&form.sum, form.width).into(),
            Index::Word(word) => word.clone(),
        }
    }

    /// Whether two indices are equal.
    pub fn same_index(&mut self, terms: &Terms, a: &Index, b: &Index) -> Lit {
        match (a, b) {
            (Index::Sum(a), Index::Sum(b)) => {
                let (yes, no): (Word, Word) = ([Lit::TRUE].into(), [Lit::FALSE].into());
                self.pick(terms, a.minus(b), vec![(0, yes)], &no, MAX_CHOICES)[0]
            }
            _ => {
                let (a, b) = (self.index_word(a), self.index_word(b));
                self.circuit.word_eq(&a, &b)
            }
        }
    }

    /// The writes on top of an array that are a table to a read. It ends at an array that was read there before.
    pub fn run_of_writes(&self, terms: &Terms, array: Term, index: &Arc<Form>) -> Run {
        let mut run = Run { by: None, entries: Vec::new(), below: Below::Array(array) };
        let mut current = array;
        let key = Index::Sum(index.clone());
        while let Node::Store(base, at, value) = *terms.node(current) {
            if current != array && self.arrays.known_read(current, &key).is_some() {
                break;
            }
            let mut by = index.minus(&Form::of(terms, at, index.width));
            if by.number() == Some(0) {
                run.below = Below::Value(value);
                return run;
            }
            if !by.is_never(0) && !self.ranges.exclude(&by, 0) {
                let at = bits::neg(std::mem::take(&mut by.sum.constant), index.width);
                if run.by.as_ref().is_some_and(|others| *others != by) {
                    break;
                }
                run.by = Some(by);
                run.entries.push((at, value));
            }
            current = base;
        }
        run.below = Below::Array(current);
        run
    }

    /// What is read from a run of writes.
    pub fn read_run(&mut self, terms: &Terms, run: Run, below: &Word) -> Word {
        let Some(by) = run.by else { return below.clone() };
        let mut entries: Vec<(u128, Word)> =
            run.entries.into_iter().map(|(at, value)| (at, self.known(value))).collect();
        // Of writes to one index the last one counts, which comes first.
        entries.sort_by_key(|&(at, _)| at);
        entries.dedup_by_key(|&mut (at, _)| at);
        self.pick(terms, by, entries, below, MAX_CHOICES)
    }

    /// The entry at the number that a sum is, or else another word. Entries are sorted.
    fn pick(
        &mut self,
        terms: &Terms,
        by: Form,
        entries: Vec<(u128, Word)>,
        other: &Word,
        choices: u32,
    ) -> Word {
        if let Some(number) = by.number() {
            let found = entries.binary_search_by_key(&number, |&(at, _)| at);
            return found.map_or_else(|_| other.clone(), |found| entries[found].1.clone());
        }
        if let Some((condition, yes, no)) = split(terms, &by).filter(|_| choices > 0) {
            let condition = self.known(condition)[0];
            let yes = self.pick(terms, yes, entries.clone(), other, choices - 1);
            let no = self.pick(terms, no, entries, other, choices - 1);
            return self.circuit.word_choice(condition, &yes, &no).into();
        }
        let mut entries = entries;
        entries.retain(|&(at, _)| !self.ranges.exclude(&by, at));
        let (by, entries) = normal(by, entries);
        match &entries[..] {
            [] => other.clone(),
            [(at, value)] => {
                let here = self.is_number(&by, *at);
                self.circuit.word_choice(here, value, other).into()
            }
            _ => {
                let word = self.sum(&by.sum, by.width);
                self.table(&word, &entries, other)
            }
        }
    }

    /// Whether a sum without a constant is a number. Terms of full width are compared as one difference: that of
    /// two objects is the same word whatever the offsets are, and what is known of it is known for all of them.
    fn is_number(&mut self, by: &Form, number: u128) -> Lit {
        let width = by.width;
        let (wide, narrow): (Vec<_>, Vec<_>) =
            by.sum.parts.iter().copied().partition(|&(_, part)| self.is_wide(part));
        let (left, right) = if wide.is_empty() || narrow.is_empty() && number == 0 {
            by.sum.parts.iter().copied().partition(|&(coefficient, _)| !by.negative(coefficient))
        } else {
            (wide, narrow)
        };
        let right =
            right.into_iter().map(|(coefficient, part)| (bits::neg(coefficient, width), part)).collect();
        let left = self.sum(&Sum { constant: 0, parts: left.into() }, width);
        let right = self.sum(&Sum { constant: number, parts: right }, width);
        self.circuit.word_eq(&left, &right)
    }

    /// Whether a term may be any large number, as far as its highest bits tell.
    fn is_wide(&self, t: Term) -> bool {
        let word = self.known(t);
        let upper = &word[word.len() / 2..];
        upper.iter().any(|bit| Some(bit) != upper.first())
    }

    /// The entry at the number that a word is, or else another word: a decision tree from the highest bit down.
    /// Entries are sorted and differ.
    fn table(&mut self, word: &[Lit], entries: &[(u128, Word)], other: &Word) -> Word {
        let (Some((first, value)), Some((last, _))) = (entries.first(), entries.last()) else {
            return other.clone();
        };
        // The bits from `open` on are the same in all entries.
        let open = (u128::BITS - (first ^ last).leading_zeros()) as usize;
        let mut inside = Lit::TRUE;
        for (bit, &lit) in word.iter().enumerate().skip(open) {
            inside = self.circuit.and(inside, lit.negated_if(first >> bit & 1 == 0));
        }
        if inside == Lit::FALSE {
            return other.clone();
        }
        let Some(bit) = open.checked_sub(1) else {
            return self.circuit.word_choice(inside, value, other).into();
        };
        let middle = entries.partition_point(|(at, _)| at >> bit & 1 == 0);
        let side = |encoder: &mut Encoder, entries, never: Lit| match word[bit] == never {
            true => other.clone(),
            false => encoder.table(&word[..bit], entries, other),
        };
        let low = side(self, &entries[..middle], Lit::TRUE);
        let high = side(self, &entries[middle..], Lit::FALSE);
        let found = self.circuit.word_choice(word[bit], &high, &low);
        self.circuit.word_choice(inside, &found, other).into()
    }
}

/// The sum with its constant and common odd factor taken out, and a positive first coefficient, and the numbers that
/// it then is at the entries.
fn normal(by: Form, entries: Vec<(u128, Word)>) -> (Form, Vec<(u128, Word)>) {
    let (width, divisor) = (by.width, by.divisor());
    let inverse = bits::inverse(bits::wrap(divisor, width), width);
    let divided = by.sum.parts.iter().map(|&(coefficient, part)| {
        let quotient = bits::signed(coefficient, width).wrapping_div(divisor);
        (bits::wrap(quotient, width), part)
    });
    let sum = Sum { constant: 0, parts: divided.collect() };
    let mut moved: Vec<(u128, Word)> = Vec::with_capacity(entries.len());
    for (at, value) in entries {
        if !by.is_never(at) {
            let number = at.wrapping_sub(by.sum.constant).wrapping_mul(inverse) & bits::mask(width);
            moved.push((number, value));
        }
    }
    moved.sort_unstable_by_key(|&(at, _)| at);
    (Form { width, sum }, moved)
}

/// A choice among the parts of a sum, with the sum in both cases, if some case makes it shorter.
fn split(terms: &Terms, form: &Form) -> Option<(Term, Form, Form)> {
    form.sum.parts.iter().find_map(|&(coefficient, part)| {
        let Node::Ite(condition, yes, no) = *terms.node(part) else { return None };
        if !may_cancel(terms, form, coefficient, part, MAX_CHOICES) {
            return None;
        }
        let minus = bits::neg(coefficient, form.width);
        let rest = form.plus_multiple(minus, &Form::of(terms, part, form.width));
        let [yes, no] =
            [yes, no].map(|arm| rest.plus_multiple(coefficient, &Form::of(terms, arm, form.width)));
        Some((condition, yes, no))
    })
}

/// Whether a multiple of some arm of a choice has a part whose negative is in a sum.
fn may_cancel(terms: &Terms, form: &Form, coefficient: u128, t: Term, depth: u32) -> bool {
    if let (Node::Ite(_, yes, no), 1..) = (terms.node(t), depth) {
        return [yes, no].iter().any(|&&arm| may_cancel(terms, form, coefficient, arm, depth - 1));
    }
    let arm = Form::of(terms, t, form.width);
    let mask = bits::mask(form.width);
    arm.sum.parts.iter().any(|&(factor, part)| {
        let opposite = bits::neg(factor.wrapping_mul(coefficient) & mask, form.width);
        form.sum.parts.contains(&(opposite, part))
    })
}
