//! Watched indices: claims about all elements of arrays at once, without quantifiers.
//!
//! A watched symbol is a number about which nothing is known and that nothing changes. Who shows that "if k < i then a[k] = 0" is
//! preserved for a watched k shows it for all numbers, and may then use it for any of them. Which ones are of use is seen from
//! the elements that a question is about: if it reads a[j + 1], then j + 1 is one. Choosing badly makes a proof
//! fail, and never wrong.
//!
//! A watched *address* is one of which a claim says something if a heap object that is alive is there. It is used at the addresses
//! for which a question tells whether one is: that is where the program follows pointers.

use hardbop_logic::{Node, Scalar, Sort, Term, Terms, bits};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coder::{Encoder, Meaning, Object};
use crate::state::Cell;

/// The most numbers that a claim is used for in one question.
const MAX_INSTANCES: usize = 64;

/// An index as a sum: the number that does not depend on anything, and the other summands with their factors.
struct Summands {
    constant: i128,
    parts: Vec<(i128, Term)>,
}

/// An index in a claim, as far as it depends on watched symbols.
struct Pattern {
    /// The other summands.
    constant: i128,
    rest: Vec<(i128, Term)>,
    /// For each watched symbol: its factor, and what is added to it before it is extended to the width of addresses.
    watched: Vec<(i128, i128, Term)>,
}

impl Encoder {
    /// A watched symbol.
    pub fn watched(&mut self, number: u32, width: u32) -> Term {
        let symbol = self.terms.symbol(&format!("#watched {number} {width}"), Sort::BitVec(width));
        self.meanings.insert(symbol, Meaning::Watched { number, width });
        symbol
    }

    /// Whether a term says something of watched symbols.
    pub fn is_about_watched(&self, t: Term) -> bool {
        self.terms.symbols(t).into_iter().any(|symbol| self.is_watched(symbol))
    }

    /// Whether a term depends on nothing but where variables and procedures lie.
    pub fn is_fixed(&self, t: Term) -> bool {
        let is_lasting = |symbol| {
            matches!(
                self.meaning_of(symbol),
                Some(Meaning::Address(Object::Variable(..) | Object::Procedure(_)))
            )
        };
        self.terms.symbols(t).into_iter().all(is_lasting)
    }

    fn is_watched(&self, symbol: Term) -> bool {
        matches!(self.meaning_of(symbol), Some(Meaning::Watched { .. }))
    }

    /// A claim that holds for all values of its watched symbols: for those symbols themselves, and for the elements that terms
    /// are about.
    pub fn instantiated(&mut self, claim: Term, about: &[Term]) -> Term {
        if !self.is_about_watched(claim) {
            return claim;
        }
        let mut all = vec![claim];
        for instance in self.instances(claim, about) {
            all.push(self.terms.substitute(claim, &instance));
        }
        self.terms.and(&all)
    }

    /// What watched symbols of a claim may stand for, so that it is about the elements that terms are about.
    fn instances(&mut self, claim: Term, about: &[Term]) -> Vec<FxHashMap<Term, Term>> {
        let watched = self.watched_addresses(claim);
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        if !watched.is_empty() {
            let mut asked = self.asked_alive(about);
            asked.truncate(MAX_INSTANCES);
            for &symbol in &watched {
                let fitting = asked
                    .iter()
                    .filter(|&&at| at != symbol && self.terms.sort(at) == self.terms.sort(symbol));
                found.extend(fitting.map(|&at| FxHashMap::from_iter([(symbol, at)])));
            }
        }
        let mut patterns = self.patterns(claim);
        patterns.retain(|pattern| pattern.watched.iter().all(|(_, _, symbol)| !watched.contains(symbol)));
        for index in indices(&self.terms, about) {
            let summands = summands(&self.terms, index);
            for pattern in &patterns {
                let Some(values) = pattern.fit(&mut self.terms, &summands) else { continue };
                if values.iter().all(|(symbol, value)| symbol == value) || !seen.insert(values.clone()) {
                    continue;
                }
                found.push(values.into_iter().collect());
                if found.len() >= MAX_INSTANCES {
                    return found;
                }
            }
        }
        found
    }

    /// The watched addresses of a claim.
    fn watched_addresses(&self, claim: Term) -> Vec<Term> {
        let mut found = self.asked_alive(&[claim]);
        found.retain(|&symbol| self.is_watched(symbol));
        found
    }

    /// The addresses for which terms tell whether a heap object that is alive is there.
    pub fn asked_alive(&self, about: &[Term]) -> Vec<Term> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        for t in self.terms.subterms(about) {
            if let Node::Select(array, index) = *self.terms.node(t)
                && self.is_live(array)
                && seen.insert(index)
            {
                found.push(index);
            }
        }
        found
    }

    /// Whether an array tells which heap objects are alive, in some state.
    pub fn is_live(&self, mut array: Term) -> bool {
        loop {
            array = match *self.terms.node(array) {
                Node::Store(base, ..) | Node::Ite(_, base, _) => base,
                Node::Symbol { .. } => {
                    // Behind a procedure that may free something it is an arbitrary array.
                    let is_other = self.cell_of(array).is_some_and(|cell| !matches!(cell, Cell::Live(_)));
                    return !is_other && matches!(self.terms.sort(array), Sort::Array(_, Scalar::Bool));
                }
                Node::ConstantArray { .. } => {
                    return matches!(self.terms.sort(array), Sort::Array(_, Scalar::Bool));
                }
                _ => return false,
            };
        }
    }

    /// The indices in a claim that depend on watched symbols.
    fn patterns(&self, claim: Term) -> Vec<Pattern> {
        let mut found = Vec::new();
        for index in indices(&self.terms, &[claim]) {
            let Summands { constant, parts } = summands(&self.terms, index);
            let mut pattern = Pattern { constant, rest: Vec::new(), watched: Vec::new() };
            let mut is_plain = true;
            for (factor, part) in parts {
                match self.watched_in(part) {
                    Some((symbol, added)) => pattern.watched.push((factor, added, symbol)),
                    None if self.is_about_watched(part) => is_plain = false,
                    None => pattern.rest.push((factor, part)),
                }
            }
            // The largest factor takes all that it can.
            pattern.watched.sort_by_key(|(factor, ..)| std::cmp::Reverse(factor.abs()));
            if is_plain && !pattern.watched.is_empty() {
                found.push(pattern);
            }
        }
        found
    }

    /// The watched symbol that a summand is, extended or not, and what is added to it.
    fn watched_in(&self, part: Term) -> Option<(Term, i128)> {
        let inner = match *self.terms.node(part) {
            Node::SignExtend { of, .. } | Node::ZeroExtend { of, .. } => of,
            _ => part,
        };
        let Summands { constant, parts } = summands(&self.terms, inner);
        match parts[..] {
            [(1, symbol)] if self.is_watched(symbol) => Some((symbol, constant)),
            _ => None,
        }
    }
}

impl Pattern {
    /// What the watched symbols have to be so that the index is one that was read; nothing if that does not look so.
    fn fit(&self, terms: &mut Terms, read: &Summands) -> Option<Vec<(Term, Term)>> {
        let mut left = read.parts.clone();
        let mut is_same_base = true;
        for &(factor, part) in &self.rest {
            match left.iter_mut().find(|(_, own)| *own == part) {
                Some(own) => own.0 = own.0.checked_sub(factor)?,
                None => is_same_base = false,
            }
        }
        left.retain(|&(factor, _)| factor != 0);
        let mut constant = read.constant.checked_sub(self.constant)?;
        let mut values = Vec::new();
        for &(factor, added, symbol) in &self.watched {
            // Two bases may be equal though they look different. What is left of them is no part of the index.
            let is_own = |&(own, part): &(i128, Term)| {
                own % factor == 0 && (is_same_base || factor.abs() > 1 || is_index(terms, part))
            };
            let (own, others): (Vec<_>, Vec<_>) = left.into_iter().partition(is_own);
            left = others;
            let quotient = constant.div_euclid(factor);
            constant -= quotient * factor;
            let own = own.into_iter().map(|(own, part)| (own / factor, part)).collect();
            let value = value(terms, own, quotient, symbol);
            let width = terms.width(symbol);
            let added = terms.bv(bits::wrap(added, width), width);
            values.push((symbol, terms.bv_sub(value, added)));
        }
        (constant == 0).then_some(values)
    }
}

/// Whether a summand with the factor one is an index rather than where an object lies.
fn is_index(terms: &Terms, part: Term) -> bool {
    !matches!(terms.node(part), Node::Symbol { .. })
}

/// A sum, in the width of a watched symbol.
fn value(terms: &mut Terms, parts: Vec<(i128, Term)>, constant: i128, symbol: Term) -> Term {
    let width = terms.width(symbol);
    let mut total = terms.bv(bits::wrap(constant, width), width);
    for (factor, part) in parts {
        let narrow = match *terms.node(part) {
            Node::SignExtend { of, .. } | Node::ZeroExtend { of, .. } if terms.width(of) == width => of,
            _ if terms.width(part) > width => terms.extract(width - 1, 0, part),
            _ if terms.width(part) < width => terms.zero_extend(width, part),
            _ => part,
        };
        let factor = terms.bv(bits::wrap(factor, width), width);
        let product = terms.bv_mul(factor, narrow);
        total = terms.bv_add(total, product);
    }
    total
}

/// The indices at which arrays are read in some terms.
fn indices(terms: &Terms, about: &[Term]) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for t in terms.subterms(about) {
        if let Node::Select(_, index) = *terms.node(t)
            && matches!(terms.sort(index), Sort::BitVec(_))
            && seen.insert(index)
        {
            found.push(index);
        }
    }
    found
}

fn summands(terms: &Terms, t: Term) -> Summands {
    let width = terms.width(t);
    match terms.node(t) {
        Node::BvSum(sum) => Summands {
            constant: bits::signed(sum.constant, width),
            parts: sum.parts.iter().map(|&(factor, part)| (bits::signed(factor, width), part)).collect(),
        },
        &Node::BitVec { value, width } => {
            Summands { constant: bits::signed(value, width), parts: Vec::new() }
        }
        _ => Summands { constant: 0, parts: vec![(1, t)] },
    }
}
