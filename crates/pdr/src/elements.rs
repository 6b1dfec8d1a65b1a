//! Facts about all elements of arrays: "the elements before `i` are zero", "no element is above `max`".
//!
//! They are looked for like other facts ([`crate::facts`]), about watched indices ([`Encoder::watched`]). What may hold of an element is
//! seen from the comparisons that the program makes with elements, from what it writes to them, and from what leads to errors, with the index
//! replaced by the watched one. It may hold of all of them, of those before or behind a value of the state or a number of the program, of
//! those between two such, or, of more than one dimension, of those that come before others in the order of nested loops.

use hardbop_logic::{Node, Sort, Term, Terms};
use hardbop_semantics::{Cell, Encoder, Meaning, Object, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::asker::Silent;
use crate::cube::{bases, is_of_state};
use crate::facts::{Candidates, houdini};
use crate::search::Search;
use crate::system::{System, remainders, steps};

/// Conditions on elements that are looked at.
const MAX_ATOMS: usize = 64;
/// Candidates of one cut point.
const MAX_CANDIDATES: usize = 3000;
/// Choices in a comparison that are looked through.
const MAX_CHOICES: usize = 16;
/// Values of a cut point, and numbers, that elements lie before or behind.
const MAX_ENDS: usize = 16;
/// Parts of a condition for an error that are looked at together.
const MAX_TOGETHER: usize = 6;

/// A condition on elements, and the watched symbols that their indices are made of, the one with the largest factor first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Atom {
    condition: Term,
    watched: Vec<Term>,
}

/// What is compared with elements and indices.
#[derive(Default)]
struct ElementHints {
    atoms: Vec<Atom>,
    /// What stood where watched symbols are now.
    indices: Vec<Vec<Term>>,
    /// What values are compared with: the value, and a limit.
    limits: Vec<(Term, Term)>,
    /// The values that are compared as signed numbers.
    signed: FxHashSet<Term>,
    /// By how much loops step, and the width of what does.
    steps: Vec<(u32, u128)>,
}

/// The facts about elements that hold at each cut point, whenever other facts hold.
pub(crate) fn element_facts(search: &mut Search<'_>, known: &Candidates) -> Result<Candidates, Silent> {
    let hints = ElementHints::of(search);
    let cuts = search.system.cuts.len();
    if hints.atoms.is_empty() {
        return Ok(vec![Vec::new(); cuts]);
    }
    let mut candidates = Vec::new();
    for cut in 0..cuts {
        let values = values(&search.system, cut);
        let terms = &mut search.system.encoder.terms;
        let mut of_cut = Vec::new();
        for atom in &hints.atoms {
            let guards = hints.guards(terms, atom, &values);
            for holds in [atom.condition, terms.not(atom.condition)] {
                of_cut.push(holds);
                of_cut.extend(guards.iter().map(|&guard| terms.implies(guard, holds)));
            }
        }
        let mut seen = FxHashSet::default();
        of_cut.retain(|&t| terms.as_bool(t).is_none() && seen.insert(t));
        of_cut.truncate(MAX_CANDIDATES);
        candidates.push(of_cut);
    }
    houdini(search, candidates, known)
}

/// The numbers of the state that a segment reads where it starts.
pub(crate) fn values(system: &System<'_>, cut: usize) -> Vec<Term> {
    let Encoder { terms, .. } = &system.encoder;
    let mut found = terms.symbols_of(&system.segments[cut + 1].roots());
    found.retain(|&symbol| is_number(&system.encoder, symbol));
    found.truncate(MAX_ENDS);
    found
}

/// Whether a symbol is a number of the state.
pub(crate) fn is_number(encoder: &Encoder, symbol: Term) -> bool {
    matches!(encoder.meaning_of(symbol), Some(Meaning::Cell(_)))
        && matches!(encoder.terms.sort(symbol), Sort::BitVec(_))
}

impl ElementHints {
    /// What the program compares elements with, and writes to them.
    fn of(search: &mut Search<'_>) -> ElementHints {
        let Search { system: System { subject, encoder, segments, .. }, definitions, .. } = search;
        let mut found = ElementHints::default();
        let mut elements: FxHashMap<(Term, Vec<Term>), Vec<Term>> = FxHashMap::default();
        for segment in segments.iter() {
            for &error in &segment.errors {
                found.add_error(encoder, *subject, error, definitions);
            }
            for t in encoder.terms.subterms(&segment.roots()) {
                found.add_comparison(encoder, t);
                for t in about_elements(encoder, t) {
                    found.add(encoder, *subject, t);
                }
            }
        }
        for atom in &found.atoms {
            if let Node::Eq(a, b) = *encoder.terms.node(atom.condition)
                && encoder.terms.node(b).is_constant()
            {
                elements.entry((a, atom.watched.clone())).or_default().push(atom.condition);
            }
        }
        // An element may be one of several numbers.
        let mut elements: Vec<_> =
            elements.into_iter().filter(|(_, conditions)| conditions.len() > 1).collect();
        elements.sort_unstable();
        for ((_, watched), conditions) in elements {
            found.atoms.push(Atom { condition: encoder.terms.or(&conditions), watched });
        }
        let mut seen = FxHashSet::default();
        found.atoms.retain(|atom| seen.insert(atom.clone()));
        found.atoms.truncate(MAX_ATOMS);
        found.indices.sort_unstable();
        found.indices.dedup();
        found.limits.sort_unstable();
        found.limits.dedup();
        let steps = steps(encoder, *subject, segments);
        found.steps = steps.into_iter().map(|(value, step)| (encoder.terms.width(value), step)).collect();
        found.steps.sort_unstable();
        found.steps.dedup();
        found
    }

    /// Adds a condition on elements, for each way to see it as one.
    fn add(&mut self, encoder: &mut Encoder, subject: Subject<'_>, t: Term) {
        for Abstraction { map, watched, lengths } in abstractions(encoder, subject, t) {
            // Where an object ends is a limit, too.
            self.limits.extend(lengths.into_iter().map(|length| (length, length)));
            let condition = encoder.terms.substitute(t, &map);
            let is_known = |symbol: Term| watched.contains(&symbol) || is_of_state(encoder, symbol);
            if encoder.terms.as_bool(condition).is_none()
                && encoder.terms.symbols(condition).into_iter().all(is_known)
            {
                let index = |watched: &Term| map.iter().find(|(_, to)| *to == watched).map(|(&from, _)| from);
                self.indices.push(watched.iter().filter_map(index).collect());
                self.atoms.push(Atom { condition, watched });
            }
        }
    }

    /// Adds what leads to an error: its conditions on elements, all together.
    fn add_error(
        &mut self,
        encoder: &mut Encoder,
        subject: Subject<'_>,
        error: Term,
        definitions: &FxHashMap<Term, Term>,
    ) {
        let (mut parts, mut others) = (Vec::new(), Vec::new());
        let mut open = vec![error];
        let mut seen = FxHashSet::default();
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            match encoder.terms.node(t) {
                Node::And(members) => open.extend(members.iter()),
                // The name of a guard.
                Node::Symbol { .. } => {
                    if let Some(&definition) = definitions.get(&t)
                        && let &Node::Eq(a, b) = encoder.terms.node(definition)
                    {
                        open.push(if a == t { b } else { a });
                    }
                }
                _ if reads(&encoder.terms, t) => parts.push(t),
                _ if encoder.terms.symbols(t).into_iter().all(|symbol| is_of_state(encoder, symbol)) => {
                    others.push(t);
                }
                _ => {}
            }
        }
        if parts.is_empty() || parts.len() > MAX_TOGETHER {
            return;
        }
        let all = encoder.terms.and(&parts);
        self.add(encoder, subject, all);
        // What else is known of the state there.
        if others.len() <= MAX_TOGETHER {
            others.push(all);
            let all = encoder.terms.and(&others);
            self.add(encoder, subject, all);
        }
    }

    fn add_comparison(&mut self, encoder: &Encoder, t: Term) {
        let (a, b) = match *encoder.terms.node(t) {
            Node::BvSle(a, b) => {
                self.signed.extend([a, b]);
                (a, b)
            }
            Node::BvUle(a, b) => (a, b),
            Node::Eq(a, b) if matches!(encoder.terms.sort(a), Sort::BitVec(_)) => (a, b),
            _ => return,
        };
        let is_end = |t: Term| encoder.terms.node(t).is_constant() || is_number(encoder, t);
        for (value, limit) in [(a, b), (b, a)] {
            if is_number(encoder, value) && is_end(limit) {
                self.limits.push((value, limit));
            }
        }
    }

    /// Which elements a condition may hold of, other than all.
    fn guards(&self, terms: &mut Terms, atom: &Atom, values: &[Term]) -> Vec<Term> {
        let mut found = self.nested(terms, &atom.watched);
        match atom.watched[..] {
            [one] => {
                found.extend(self.spans(terms, one, values));
                self.add_steps(terms, one, &mut found);
            }
            [outer, inner] => {
                found.extend(self.spans(terms, outer, values));
                found.extend(self.spans(terms, inner, values));
            }
            _ => {}
        }
        let mut seen = FxHashSet::default();
        found.retain(|&t| terms.as_bool(t).is_none() && seen.insert(t));
        found
    }

    /// Of elements, those that a loop comes to which steps over others.
    fn add_steps(&self, terms: &mut Terms, index: Term, guards: &mut Vec<Term>) {
        let (all, own) = (guards.clone(), terms.width(index));
        for &(_, step) in self.steps.iter().filter(|(width, _)| *width == own) {
            for rest in remainders(terms, index, step) {
                guards.push(rest);
                guards.extend(all.iter().map(|&guard| terms.and(&[guard, rest])));
            }
        }
    }

    /// Elements before a value or a number, from one on, or from one to another.
    fn spans(&self, terms: &mut Terms, index: Term, values: &[Term]) -> Vec<Term> {
        let sort = terms.sort(index);
        let zero = terms.bv(0, terms.width(index));
        let mut limits: Vec<Term> = self.limits.iter().map(|&(_, limit)| limit).collect();
        limits.retain(|&limit| terms.sort(limit) == sort);
        limits.sort_unstable();
        limits.dedup();
        limits.truncate(MAX_ENDS);
        let mut found = Vec::new();
        for &limit in &limits {
            let signed = self.signed.contains(&limit);
            found.push(between(terms, zero, index, limit, signed));
        }
        for &value in values {
            if terms.sort(value) != sort {
                continue;
            }
            let signed = self.signed.contains(&value);
            found.push(between(terms, zero, index, value, signed));
            found.extend([terms.eq(index, value), terms.ne(index, value)]);
            for &limit in limits.iter().filter(|&&limit| limit != value && limit != zero) {
                found.push(between(terms, value, index, limit, signed));
            }
        }
        found
    }

    /// Elements that loops within each other have come to: with the indices `i` and `j` those in rows before `i`, and in row `i` those
    /// before `j`; where an inner loop begins, those in rows before `i`; behind the loops, all rows.
    fn nested(&self, terms: &mut Terms, watched: &[Term]) -> Vec<Term> {
        let mut found = Vec::new();
        let sorts = |terms: &Terms, index: &[Term]| index.iter().map(|&t| terms.sort(t)).collect::<Vec<_>>();
        for index in &self.indices {
            if sorts(terms, index) != sorts(terms, watched) || !index.iter().all(|t| self.is_limited(*t)) {
                continue;
            }
            // Each within its limits.
            let mut within = vec![Vec::new()];
            for (&own, &watched) in index.iter().zip(watched) {
                let zero = terms.bv(0, terms.width(own));
                let signed = self.signed.contains(&own);
                let limits: Vec<Term> =
                    self.limits.iter().filter(|(of, _)| *of == own).map(|&(_, l)| l).collect();
                let mut more = Vec::new();
                for limit in limits.into_iter().filter(|&limit| limit != zero) {
                    let inside = between(terms, zero, watched, limit, signed);
                    more.extend(within.iter().map(|known: &Vec<Term>| [&known[..], &[inside]].concat()));
                }
                within = more;
                within.truncate(MAX_ENDS);
            }
            for within in within {
                let inside = terms.and(&within);
                found.push(inside);
                let mut before = terms.bool(false);
                let mut same = terms.bool(true);
                for (&own, &watched) in index.iter().zip(watched) {
                    let earlier = match self.signed.contains(&own) {
                        true => terms.bv_slt(watched, own),
                        false => terms.bv_ult(watched, own),
                    };
                    let earlier = terms.and(&[same, earlier]);
                    before = terms.or(&[before, earlier]);
                    let equal = terms.eq(watched, own);
                    same = terms.and(&[same, equal]);
                    found.push(terms.and(&[inside, before]));
                }
            }
        }
        found
    }

    fn is_limited(&self, value: Term) -> bool {
        self.limits.iter().any(|&(of, _)| of == value)
    }
}

/// The conditions on elements that a subterm of a segment stands for, in each case of its choices.
pub(crate) fn about_elements(encoder: &mut Encoder, t: Term) -> Vec<Term> {
    match *encoder.terms.node(t) {
        Node::Eq(a, _) if !matches!(encoder.terms.sort(a), Sort::BitVec(_)) => Vec::new(),
        Node::Eq(..) | Node::BvUle(..) | Node::BvSle(..) => cases(&mut encoder.terms, t),
        Node::Store(array, index, value) => {
            let mut found = Vec::new();
            for base in bases(&encoder.terms, array) {
                if matches!(encoder.meaning_of(base), Some(Meaning::Cell(_))) {
                    let element = encoder.terms.select(base, index);
                    let same = encoder.terms.eq(element, value);
                    found.extend(cases(&mut encoder.terms, same));
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

/// A comparison of choices, in each case. What was written on the way is not looked through.
fn cases(terms: &mut Terms, t: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut open = vec![t];
    let mut tries = 0;
    while let Some(t) = open.pop() {
        let choice = terms.subterms(&[t]).into_iter().find_map(|t| match *terms.node(t) {
            Node::Ite(_, a, b) if !matches!(terms.sort(t), Sort::Bool) => Some((t, a, b)),
            Node::Store(array, ..) => Some((t, array, array)),
            _ => None,
        });
        match choice {
            Some((choice, a, b)) if tries < MAX_CHOICES => {
                tries += 1;
                for one in if a == b { vec![a] } else { vec![a, b] } {
                    open.push(terms.substitute(t, &FxHashMap::from_iter([(choice, one)])));
                }
            }
            None if reads(terms, t) => found.push(t),
            _ => {}
        }
    }
    found
}

/// Whether a term reads an array.
pub(crate) fn reads(terms: &Terms, t: Term) -> bool {
    terms.subterms(&[t]).into_iter().any(|t| matches!(terms.node(t), Node::Select(..)))
}

/// A way to replace the parts of an index in a condition by watched symbols.
struct Abstraction {
    map: FxHashMap<Term, Term>,
    watched: Vec<Term>,
    /// How many rows and columns the object has, if that is known.
    lengths: Vec<Term>,
}

/// The ways to replace indices in a condition by watched symbols.
fn abstractions(encoder: &mut Encoder, subject: Subject<'_>, t: Term) -> Vec<Abstraction> {
    let mut found = Vec::new();
    for read in encoder.terms.subterms(&[t]) {
        let Node::Select(array, index) = *encoder.terms.node(read) else { continue };
        if !matches!(encoder.meaning_of(array), Some(Meaning::Cell(_))) {
            continue;
        }
        let parts = index_parts(encoder, subject, index);
        if parts.is_empty() {
            continue;
        }
        let mut found_here =
            Abstraction { map: FxHashMap::default(), watched: Vec::new(), lengths: Vec::new() };
        let mut size = object_size(encoder, subject, index);
        for (number, (factor, part)) in parts.into_iter().enumerate() {
            let width = encoder.terms.width(part);
            let symbol = encoder.watched(number as u32, width);
            found_here.watched.push(symbol);
            found_here.map.insert(part, symbol);
            if let Some(size) = size.replace(factor)
                && factor > 0
                && size / factor < 1 << (width - 1).min(64)
            {
                found_here.lengths.push(encoder.terms.bv(size / factor, width));
            }
        }
        found.push(found_here);
    }
    found
}

/// The size of the variable that an index lies in.
fn object_size(encoder: &Encoder, subject: Subject<'_>, index: Term) -> Option<u128> {
    let Node::BvSum(sum) = encoder.terms.node(index) else { return None };
    let program = subject.program;
    sum.parts.iter().find_map(|&(_, part)| match encoder.meaning_of(part) {
        Some(Meaning::Address(Object::Variable(_, var))) => {
            Some(program.size_of(program.variables[var].ty).into())
        }
        _ => None,
    })
}

/// What an index is made of besides the place where its object lies, the one with the largest factor first.
fn index_parts(encoder: &Encoder, subject: Subject<'_>, index: Term) -> Vec<(u128, Term)> {
    let Node::BvSum(sum) = encoder.terms.node(index) else { return Vec::new() };
    let mut parts: Vec<(u128, Term)> = sum.parts.to_vec();
    parts.retain(|&(factor, part)| factor != 1 || !is_base(encoder, subject, part));
    parts.sort_by_key(|&(factor, _)| std::cmp::Reverse(factor));
    let inner = |part: Term| match *encoder.terms.node(part) {
        Node::SignExtend { of, .. } | Node::ZeroExtend { of, .. } => of,
        _ => part,
    };
    parts.into_iter().map(|(factor, part)| (factor, inner(part))).collect()
}

/// Whether a summand of an address is where an object lies.
fn is_base(encoder: &Encoder, subject: Subject<'_>, part: Term) -> bool {
    match encoder.meaning_of(part) {
        Some(Meaning::Address(_)) => true,
        Some(Meaning::Cell(Cell::Global(var) | Cell::Local(_, var))) => {
            subject.program.is_pointer(subject.program.variables[var].ty)
        }
        Some(Meaning::Cell(Cell::Region(_))) => true,
        _ => false,
    }
}

/// That an index lies between two values, the second excluded.
pub(crate) fn between(terms: &mut Terms, first: Term, index: Term, end: Term, signed: bool) -> Term {
    let (from, to) = match signed {
        true => (terms.bv_sle(first, index), terms.bv_slt(index, end)),
        false => (terms.bv_ule(first, index), terms.bv_ult(index, end)),
    };
    terms.and(&[from, to])
}
