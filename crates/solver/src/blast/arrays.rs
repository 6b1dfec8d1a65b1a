//! Arrays as far as they are read.
//!
//! Reads look through writes and choices (read over write), so that only reads of symbols remain, each a
//! word of fresh inputs. That equal indices hold equal elements (congruence) is required when a solution
//! breaks it, pair by pair: most pairs never matter.
//!
//! An equality of arrays is a fresh input, too. Where it is false, the arrays differ at a fresh index;
//! where it is true, they agree at every index at which a solution lets them differ (extensionality by
//! need). So that this ends, each array also has a *default*: its element at the indices that no term
//! names. Of equal arrays the defaults are equal, which is true as long as there are indices that no term
//! names; the rule is therefore left out for index sorts of less than 32 bits.

use rustc_hash::FxHashMap;

use hardbop_logic::{Model, Node, Sort, Term, Terms, Value};

use super::clauses::Clauses;
use super::encoder::{Encoder, Word, scalar_width};
use super::gates::{Circuit, Lit};
use super::index::Index;

/// Index sorts of this many bits have indices that no term names.
const LARGE_INDEX: u32 = 32;

/// A read of a symbol.
#[derive(Debug)]
struct Read {
    array: Term,
    index: Index,
    /// The bits of the index.
    at: Word,
    value: Word,
    /// Whether the solver knows of it.
    passed: bool,
}

/// An equality of two arrays.
#[derive(Debug)]
struct Equality {
    left: Term,
    right: Term,
    holds: Lit,
    passed: bool,
}

/// What an input stands for.
#[derive(Debug, Clone, Copy)]
enum Origin {
    Read(usize),
    Equality(usize),
}

/// Reads and equalities.
#[derive(Debug, Default)]
pub struct Arrays {
    reads: Vec<Read>,
    equalities: Vec<Equality>,
    origins: FxHashMap<Lit, Origin>,
    /// Elements of arrays at indices.
    known: FxHashMap<(Term, Index), Word>,
    /// Elements of arrays at indices that no term of the query names.
    pub defaults: FxHashMap<Term, Word>,
}

impl Arrays {
    pub fn known_read(&self, array: Term, index: &Index) -> Option<Word> {
        self.known.get(&(array, index.clone())).cloned()
    }

    pub fn remember_read(&mut self, array: Term, index: &Index, value: Word) {
        self.known.insert((array, index.clone()), value);
    }

    /// A new read of a symbol at an index, given with its bits; the value is made of new inputs.
    pub fn read_symbol(&mut self, array: Term, (index, at): (Index, Word), value: Word) -> Word {
        for &bit in value.iter() {
            self.origins.insert(bit, Origin::Read(self.reads.len()));
        }
        self.reads.push(Read { array, index, at, value: value.clone(), passed: false });
        value
    }

    /// A new equality.
    pub fn equality(&mut self, circuit: &mut Circuit, left: Term, right: Term) -> Lit {
        let holds = circuit.input();
        self.origins.insert(holds, Origin::Equality(self.equalities.len()));
        self.equalities.push(Equality { left, right, holds, passed: false });
        holds
    }

    /// Adds the array symbols that were read to a model.
    pub fn complete(&self, terms: &Terms, clauses: &Clauses, model: &mut Model) {
        let mut arrays: FxHashMap<Term, Vec<&Read>> = FxHashMap::default();
        for read in &self.reads {
            arrays.entry(read.array).or_default().extend(read.passed.then_some(read));
        }
        for &array in self.defaults.keys() {
            if matches!(terms.node(array), Node::Symbol { .. }) {
                arrays.entry(array).or_default();
            }
        }
        for (array, reads) in arrays {
            let Sort::Array(index, element) = terms.sort(array) else { continue };
            let default = match self.defaults.get(&array) {
                Some(word) => value_of(element.into(), clauses, word),
                None => Value::zero(element.into()),
            };
            let entry = |read: &&Read| {
                (value_of(index.into(), clauses, &read.at), value_of(element.into(), clauses, &read.value))
            };
            model.values.insert(array, Value::array(default, reads.iter().map(entry).collect()));
        }
    }
}

/// The value that a solution gives a word.
pub fn value_of(sort: Sort, clauses: &Clauses, word: &Word) -> Value {
    match sort {
        Sort::Bool => Value::Bool(clauses.value(word[0])),
        _ => Value::bv(clauses.number(word), word.len() as u32),
    }
}

impl Encoder {
    /// Passes what new inputs need: indices of reads, and what an equality says.
    pub fn close(&mut self, terms: &Terms, clauses: &mut Clauses) {
        loop {
            let inputs = clauses.take_new_inputs();
            if inputs.is_empty() {
                return;
            }
            for input in inputs {
                match self.arrays.origins.get(&input) {
                    Some(&Origin::Read(read)) => self.pass_read(read, clauses),
                    Some(&Origin::Equality(equality)) => self.pass_equality(terms, equality, clauses),
                    None => {}
                }
            }
        }
    }

    fn pass_read(&mut self, read: usize, clauses: &mut Clauses) {
        let read = &mut self.arrays.reads[read];
        if !std::mem::replace(&mut read.passed, true) {
            for &bit in read.at.iter() {
                clauses.literal(&self.circuit, bit);
            }
        }
    }

    fn pass_equality(&mut self, terms: &Terms, equality: usize, clauses: &mut Clauses) {
        let equality = &mut self.arrays.equalities[equality];
        equality.passed = true;
        let (left, right, holds) = (equality.left, equality.right, equality.holds);
        let Sort::Array(index, _) = terms.sort(left) else { return };
        let width = scalar_width(index);
        let witness = Index::Word(self.circuit.inputs(width as usize).into());
        let (a, b) = (self.read(terms, left, &witness), self.read(terms, right, &witness));
        let same = self.circuit.word_eq(&a, &b);
        let literals = [holds, !same].map(|lit| clauses.literal(&self.circuit, lit));
        clauses.clause(&literals);
        if width >= LARGE_INDEX {
            let (a, b) = (self.default_element(terms, left), self.default_element(terms, right));
            self.require_equal(holds, &a, &b, clauses);
        }
    }

    /// Adds what a solution breaks; whether there was anything.
    pub fn refine(&mut self, terms: &Terms, clauses: &mut Clauses) -> bool {
        self.refine_reads(terms, clauses) || self.refine_equalities(terms, clauses)
    }

    fn refine_reads(&mut self, terms: &Terms, clauses: &mut Clauses) -> bool {
        let mut first: FxHashMap<(Term, u128), usize> = FxHashMap::default();
        let mut broken = Vec::new();
        for (number, read) in self.arrays.reads.iter().enumerate().filter(|(_, read)| read.passed) {
            let index = clauses.number(&read.at);
            let other = *first.entry((read.array, index)).or_insert(number);
            if clauses.number(&self.arrays.reads[other].value) != clauses.number(&read.value) {
                broken.push((other, number));
            }
        }
        for &(a, b) in &broken {
            let (a, b) = (&self.arrays.reads[a], &self.arrays.reads[b]);
            let (at, other) = (a.index.clone(), b.index.clone());
            let (a, b) = (a.value.clone(), b.value.clone());
            let same = self.same_index(terms, &at, &other);
            self.require_equal(same, &a, &b, clauses);
        }
        !broken.is_empty()
    }

    fn refine_equalities(&mut self, terms: &Terms, clauses: &mut Clauses) -> bool {
        if !self.arrays.equalities.iter().any(|equality| equality.passed) {
            return false;
        }
        let model = self.model(terms, clauses);
        let mut broken = Vec::new();
        for equality in self.arrays.equalities.iter().filter(|equality| equality.passed) {
            if !clauses.value(equality.holds) {
                continue;
            }
            let (left, right) = (equality.left, equality.right);
            if let Some(index) = self.difference(terms, left, right, &model, clauses) {
                broken.push((equality.holds, left, right, index));
            }
        }
        for (holds, left, right, index) in &broken {
            let (a, b) = (self.read(terms, *left, index), self.read(terms, *right, index));
            self.require_equal(*holds, &a, &b, clauses);
        }
        !broken.is_empty()
    }

    /// An index at which two arrays differ in a model: as one that they are written or read at,
    /// if there is one, else as a number.
    fn difference(
        &self,
        terms: &Terms,
        left: Term,
        right: Term,
        model: &Model,
        clauses: &Clauses,
    ) -> Option<Index> {
        let Sort::Array(index, _) = terms.sort(left) else { return None };
        let (a, b) = (terms.evaluate(left, model), terms.evaluate(right, model));
        let differing = differing_index(index.into(), &a, &b)?;
        for t in terms.subterms(&[left, right]) {
            if let Node::Store(_, at, _) = *terms.node(t)
                && terms.sort(at) == Sort::from(index)
                && terms.evaluate(at, model) == differing
            {
                return Some(self.index(terms, at));
            }
        }
        let matching = |read: &&Read| {
            read.passed && value_of(index.into(), clauses, &read.at) == differing && {
                let Sort::Array(at, _) = terms.sort(read.array) else { return false };
                at == index
            }
        };
        if let Some(read) = self.arrays.reads.iter().find(matching) {
            return Some(read.index.clone());
        }
        let number = match differing {
            Value::Bool(value) => u128::from(value),
            other => other.as_bits()?,
        };
        Some(Index::Word(Circuit::number(number, scalar_width(index)).into()))
    }

    /// Under a condition two words are equal.
    fn require_equal(&mut self, condition: Lit, a: &Word, b: &Word, clauses: &mut Clauses) {
        let condition = clauses.literal(&self.circuit, condition);
        for (&a, &b) in a.iter().zip(b.iter()) {
            let (a, b) = (clauses.literal(&self.circuit, a), clauses.literal(&self.circuit, b));
            clauses.clause(&[-condition, -a, b]);
            clauses.clause(&[-condition, a, -b]);
        }
    }

    /// The values that a solution gives all symbols.
    pub fn model(&self, terms: &Terms, clauses: &Clauses) -> Model {
        let mut model = Model::default();
        for (symbol, word) in self.symbols(terms) {
            model.values.insert(symbol, value_of(terms.sort(symbol), clauses, word));
        }
        self.arrays.complete(terms, clauses, &mut model);
        model
    }
}

/// An index at which two arrays differ.
fn differing_index(index: Sort, a: &Value, b: &Value) -> Option<Value> {
    let (Value::Array { default: da, entries: ea }, Value::Array { default: db, entries: eb }) = (a, b)
    else {
        return None;
    };
    if let Some(at) = ea.keys().chain(eb.keys()).find(|at| a.element(at) != b.element(at)) {
        return Some(at.clone());
    }
    if da == db {
        return None;
    }
    // An index without an entry in either, if there is one.
    let is_free = |at: &Value| !ea.contains_key(at) && !eb.contains_key(at);
    match index {
        Sort::Bool => [false, true].map(Value::Bool).into_iter().find(is_free),
        Sort::BitVec(width) => {
            let last = u128::MAX >> (128 - width);
            (0..=last).map(|at| Value::bv(at, width)).find(is_free)
        }
        Sort::Int | Sort::Array(..) => None,
    }
}
