//! Arrays: reads look through writes as far as indices are known to be equal or different.

use crate::{Node, Scalar, Sort, Term, Terms};

/// How many writes to other indices are passed to find an earlier write to the same one.
const MAX_PASSED: usize = 8;
/// How many choices between arrays a read is pushed into.
const MAX_CHOICES: u32 = 4;

impl Terms {
    /// The element of an array at an index.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        self.expect_array(array, index);
        match self.read(array, index, MAX_CHOICES) {
            Read::Value(value) => value,
            Read::Stuck(array) => self.select_as_is(array, index),
        }
    }

    fn read(&mut self, mut array: Term, index: Term, choices: u32) -> Read {
        loop {
            match *self.node(array) {
                Node::Store(_, at, value) if at == index => return Read::Value(value),
                Node::Store(base, at, _) if self.is_different(at, index) => array = base,
                Node::ConstantArray { value, .. } => return Read::Value(value),
                Node::Ite(condition, yes, no) if choices > 0 => {
                    let (yes, no) = (self.read(yes, index, choices - 1), self.read(no, index, choices - 1));
                    let (Some(yes), Some(no)) = (self.cheap(yes, index), self.cheap(no, index)) else {
                        return Read::Stuck(array);
                    };
                    return Read::Value(self.ite(condition, yes, no));
                }
                _ => return Read::Stuck(array),
            }
        }
    }

    /// The value read, unless it hides behind another write or choice.
    fn cheap(&mut self, read: Read, index: Term) -> Option<Term> {
        match read {
            Read::Value(value) => Some(value),
            Read::Stuck(array) => match self.node(array) {
                Node::Symbol { .. } => Some(self.select_as_is(array, index)),
                _ => None,
            },
        }
    }

    fn select_as_is(&mut self, array: Term, index: Term) -> Term {
        let Sort::Array(_, element) = self.sort(array) else { unreachable!("sorts were checked") };
        self.intern(Node::Select(array, index), element.into())
    }

    /// The array with another element at an index.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        let element = self.expect_array(array, index);
        self.expect_sort(value, element.into());
        match (self.node(value), self.node(array)) {
            (&Node::Select(from, at), _) if from == array && at == index => return array,
            (_, &Node::ConstantArray { value: everywhere, .. }) if everywhere == value => return array,
            _ => {}
        }
        let mut base = self.without_write(array, index).unwrap_or(array);
        base = self.intern(Node::Store(base, index, value), self.sort(array));
        base
    }

    /// The array without its last write to this index, if one is found behind writes to different ones.
    fn without_write(&mut self, array: Term, index: Term) -> Option<Term> {
        let mut passed = Vec::new();
        let mut base = array;
        loop {
            let Node::Store(below, at, value) = *self.node(base) else { return None };
            base = below;
            if at == index {
                break;
            }
            if passed.len() == MAX_PASSED || !self.is_different(at, index) {
                return None;
            }
            passed.push((at, value));
        }
        for (at, value) in passed.into_iter().rev() {
            base = self.store(base, at, value);
        }
        Some(base)
    }

    /// The array with one element everywhere.
    pub fn constant_array(&mut self, index: Scalar, value: Term) -> Term {
        let element = self.sort(value).scalar().expect("elements of arrays are no arrays");
        self.intern(Node::ConstantArray { index, value }, Sort::Array(index, element))
    }

    /// The sort of elements, if the index fits.
    fn expect_array(&self, array: Term, index: Term) -> Scalar {
        let Sort::Array(at, element) = self.sort(array) else {
            panic!("an array is needed, this is of sort {}", self.sort(array))
        };
        self.expect_sort(index, at.into());
        element
    }
}

/// What a read found.
enum Read {
    Value(Term),
    /// The array that remains behind all writes to other indices.
    Stuck(Term),
}
