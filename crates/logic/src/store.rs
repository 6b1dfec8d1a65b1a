//! The store of terms: interning, symbols, constants.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::bits;
use crate::{Node, Sort, Term};

/// All terms of one computation. Not shared between threads, but it may move from one to another.
///
/// Constructors panic if the sorts of their operands do not fit, which is a defect of the caller.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    /// Nodes by hash. A node whose hash is taken by another one is under the next free number.
    ids: FxHashMap<u64, Term>,
    symbols: FxHashMap<Box<str>, Term>,
    /// The next number to try for a fresh symbol.
    fresh: u64,
}

impl Terms {
    /// An empty store.
    pub fn new() -> Self {
        Terms::default()
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The symbol of a name. A name belongs to one sort: asking for another is a defect of the caller
    /// and panics.
    pub fn symbol(&mut self, name: &str, sort: Sort) -> Term {
        if let Some(&known) = self.symbols.get(name) {
            assert!(self.sort(known) == sort, "symbol `{name}` is of sort {}, not {sort}", self.sort(known));
            return known;
        }
        check_width(sort);
        let symbol = self.intern(Node::Symbol { name: name.into(), sort }, sort);
        self.symbols.insert(name.into(), symbol);
        symbol
    }

    /// A symbol that was never used before, named `prefix!k`.
    pub fn fresh(&mut self, prefix: &str, sort: Sort) -> Term {
        loop {
            let name = format!("{prefix}!{}", self.fresh);
            self.fresh += 1;
            if !self.symbols.contains_key(name.as_str()) {
                return self.symbol(&name, sort);
            }
        }
    }

    /// The name of a symbol; nothing for other terms.
    pub fn symbol_name(&self, t: Term) -> Option<&str> {
        match self.node(t) {
            Node::Symbol { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The sort of a term.
    pub fn sort(&self, t: Term) -> Sort {
        self.sorts[t.index()]
    }

    /// The width of a bit-vector.
    pub fn width(&self, t: Term) -> u32 {
        match self.sort(t) {
            Sort::BitVec(width) => width,
            other => panic!("a bit-vector is needed, this is of sort {other}"),
        }
    }

    /// Operator and operands of a term.
    pub fn node(&self, t: Term) -> &Node {
        &self.nodes[t.index()]
    }

    /// A truth value.
    pub fn bool(&mut self, b: bool) -> Term {
        self.intern(Node::Bool(b), Sort::Bool)
    }

    /// An integer.
    pub fn int(&mut self, value: i128) -> Term {
        self.intern(Node::Int(value), Sort::Int)
    }

    /// A bit-vector of the low bits of a number.
    pub fn bv(&mut self, value: u128, width: u32) -> Term {
        check_width(Sort::BitVec(width));
        self.intern(Node::BitVec { value: value & bits::mask(width), width }, Sort::BitVec(width))
    }

    /// The truth value that a term is, if it is one written out.
    pub fn as_bool(&self, t: Term) -> Option<bool> {
        match *self.node(t) {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The integer that a term is, if it is one written out.
    pub fn as_int(&self, t: Term) -> Option<i128> {
        match *self.node(t) {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The bits that a term is, if they are written out.
    pub fn as_bits(&self, t: Term) -> Option<u128> {
        match *self.node(t) {
            Node::BitVec { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The one term of this node.
    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> Term {
        let mut hash = FxBuildHasher.hash_one(&node);
        loop {
            match self.ids.get(&hash) {
                Some(&known) if self.nodes[known.index()] == node => return known,
                Some(_) => hash = hash.wrapping_add(1),
                None => break,
            }
        }
        let number = u32::try_from(self.nodes.len()).expect("memory ends before terms are out of numbers");
        self.nodes.push(node);
        self.sorts.push(sort);
        self.ids.insert(hash, Term(number));
        Term(number)
    }

    pub(crate) fn expect_sort(&self, t: Term, sort: Sort) {
        assert!(self.sort(t) == sort, "a term of sort {sort} is needed, this is of sort {}", self.sort(t));
    }

    pub(crate) fn expect_same_sort(&self, a: Term, b: Term) {
        assert!(self.sort(a) == self.sort(b), "sorts {} and {} differ", self.sort(a), self.sort(b));
    }

    /// The common width of two bit-vectors.
    pub(crate) fn common_width(&self, a: Term, b: Term) -> u32 {
        self.expect_same_sort(a, b);
        self.width(a)
    }

    pub(crate) fn is_constant(&self, t: Term) -> bool {
        self.node(t).is_constant()
    }

    /// Two terms in the order in which symmetric operators hold them: constants last.
    pub(crate) fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        if (self.is_constant(a), a) <= (self.is_constant(b), b) { (a, b) } else { (b, a) }
    }
}

fn check_width(sort: Sort) {
    let fits = |width: u32| (1..=128).contains(&width);
    let fits_scalar = |scalar| !matches!(scalar, crate::Scalar::BitVec(width) if !fits(width));
    let valid = match sort {
        Sort::BitVec(width) => fits(width),
        Sort::Array(index, element) => fits_scalar(index) && fits_scalar(element),
        Sort::Bool | Sort::Int => true,
    };
    assert!(valid, "bit-vectors are 1 to 128 bits wide, not {sort}");
}
