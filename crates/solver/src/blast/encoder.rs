//! Terms as words of gates.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use hardbop_base::Budget;
use hardbop_logic::{BvOp, Node, Scalar, Sort, Sum, Term, Terms};

use crate::Reason;

use super::arrays::Arrays;
use super::gates::{Circuit, Lit};
use super::index::{Below, Index, Ranges};
use super::words::sign;

/// A bit-vector, lowest bit first, or a truth value of one bit.
pub type Word = Arc<[Lit]>;

/// More gates than this do not fit into any memory we expect.
const MAX_GATES: usize = 1 << 28;

/// The circuit and what it computes.
#[derive(Debug, Default)]
pub struct Encoder {
    pub circuit: Circuit,
    pub arrays: Arrays,
    pub ranges: Ranges,
    words: FxHashMap<Term, Word>,
    /// Quotients and remainders that were made, by dividend and divisor.
    divisions: FxHashMap<(Word, Word), (Word, Word)>,
}

impl Encoder {
    /// The word of a scalar.
    pub fn encode(&mut self, terms: &Terms, t: Term, budget: &Budget) -> Result<Word, Reason> {
        let open = terms.subterms_until(&[t], |t| self.words.contains_key(&t));
        if open.iter().any(|&t| has_integers(terms.sort(t))) {
            return Err(Reason::Unsupported("integers".into()));
        }
        for t in open {
            budget.check()?;
            if self.circuit.len() > MAX_GATES {
                return Err(Reason::Memory);
            }
            if !matches!(terms.sort(t), Sort::Array(..)) {
                let word = self.word(terms, t);
                self.words.insert(t, word);
            }
        }
        Ok(self.known(t))
    }

    /// The word of a scalar that was encoded before.
    pub fn known(&self, t: Term) -> Word {
        self.words[&t].clone()
    }

    /// The scalar symbols that were encoded, with their words.
    pub fn symbols<'a>(&'a self, terms: &'a Terms) -> impl Iterator<Item = (Term, &'a Word)> {
        let is_symbol = |t: Term| matches!(terms.node(t), Node::Symbol { .. });
        self.words.iter().map(|(&t, word)| (t, word)).filter(move |(t, _)| is_symbol(*t))
    }

    fn bit(&self, t: Term) -> Lit {
        self.words[&t][0]
    }

    fn word(&mut self, terms: &Terms, t: Term) -> Word {
        match terms.sort(t) {
            Sort::Bool => [self.truth(terms, t)].into(),
            Sort::BitVec(width) => self.vector(terms, t, width),
            sort => unreachable!("terms of sort {sort} have no word"),
        }
    }

    fn truth(&mut self, terms: &Terms, t: Term) -> Lit {
        match *terms.node(t) {
            Node::Symbol { .. } => self.circuit.input(),
            Node::Bool(value) => Lit::constant(value),
            Node::Not(a) => !self.bit(a),
            Node::And(ref members) => {
                let mut all = Lit::TRUE;
                for &member in members {
                    all = self.circuit.and(all, self.words[&member][0]);
                }
                all
            }
            Node::Eq(a, b) => match terms.sort(a) {
                Sort::Array(..) => self.arrays.equality(&mut self.circuit, a, b),
                _ => self.circuit.word_eq(&self.words[&a], &self.words[&b]),
            },
            Node::Ite(c, a, b) => {
                self.circuit.choice(self.words[&c][0], self.words[&a][0], self.words[&b][0])
            }
            Node::BvUle(a, b) => self.circuit.word_ule(&self.words[&a], &self.words[&b]),
            Node::BvSle(a, b) => self.circuit.word_sle(&self.words[&a], &self.words[&b]),
            Node::Select(array, index) => self.read(terms, array, &self.index(terms, index))[0],
            ref other => unreachable!("{other:?} is no truth value without integers"),
        }
    }

    fn vector(&mut self, terms: &Terms, t: Term, width: u32) -> Word {
        match *terms.node(t) {
            Node::Symbol { .. } => self.circuit.inputs(width as usize).into(),
            Node::BitVec { value, .. } => Circuit::number(value, width).into(),
            Node::Ite(c, a, b) => {
                self.circuit.word_choice(self.words[&c][0], &self.words[&a], &self.words[&b]).into()
            }
            Node::BvSum(ref sum) => self.sum(sum, width).into(),
            Node::BvNot(a) => Circuit::word_not(&self.words[&a]).into(),
            Node::Bv(op, a, b) => self.operator(op, &self.known(a), &self.known(b)),
            Node::Concat(high, low) => {
                self.words[&low].iter().chain(self.words[&high].iter()).copied().collect()
            }
            Node::Extract { high, low, of } => self.words[&of][low as usize..=high as usize].into(),
            Node::ZeroExtend { of, .. } => extend(&self.words[&of], width, Lit::FALSE),
            Node::SignExtend { of, .. } => extend(&self.words[&of], width, sign(&self.words[&of])),
            Node::Select(array, index) => self.read(terms, array, &self.index(terms, index)),
            ref other => unreachable!("{other:?} is no bit-vector"),
        }
    }

    /// Positive coefficients first: most sums then start from a plain term.
    pub fn sum(&mut self, sum: &Sum<u128>, width: u32) -> Vec<Lit> {
        let is_negative = |coefficient: u128| coefficient >> (width - 1) & 1 == 1;
        let mut parts: Vec<(u128, Term)> = sum.parts.to_vec();
        parts.sort_by_key(|&(coefficient, _)| is_negative(coefficient));
        let mut total = Circuit::number(0, width);
        for (coefficient, part) in parts {
            total = self.circuit.word_add_multiple(total, coefficient, &self.words[&part]);
        }
        self.circuit.word_add(&total, &Circuit::number(sum.constant, width))
    }

    /// An operator on two words.
    pub fn operator(&mut self, op: BvOp, a: &Word, b: &Word) -> Word {
        let circuit = &mut self.circuit;
        let bitwise = |combine: &mut dyn FnMut(Lit, Lit) -> Lit| -> Word {
            a.iter().zip(b.iter()).map(|(&a, &b)| combine(a, b)).collect()
        };
        match op {
            BvOp::Mul => circuit.word_mul(a, b).into(),
            BvOp::And => bitwise(&mut |a, b| circuit.and(a, b)),
            BvOp::Or => bitwise(&mut |a, b| circuit.or(a, b)),
            BvOp::Xor => bitwise(&mut |a, b| circuit.xor(a, b)),
            BvOp::Udiv => self.division(a, b).0,
            BvOp::Urem => self.division(a, b).1,
            BvOp::Sdiv | BvOp::Srem => {
                let (x, y) = (circuit.word_abs(a).into(), circuit.word_abs(b).into());
                let (quotient, remainder) = self.division(&x, &y);
                if op == BvOp::Srem {
                    return self.circuit.word_negate_if(sign(a), &remainder).into();
                }
                let differ = self.circuit.xor(sign(a), sign(b));
                self.circuit.word_negate_if(differ, &quotient).into()
            }
            BvOp::Shl => circuit.word_shl(a, b).into(),
            BvOp::Lshr => circuit.word_shr(a, b, Lit::FALSE).into(),
            BvOp::Ashr => circuit.word_shr(a, b, sign(a)).into(),
        }
    }

    fn division(&mut self, a: &Word, b: &Word) -> (Word, Word) {
        let key = (a.clone(), b.clone());
        if let Some(known) = self.divisions.get(&key) {
            return known.clone();
        }
        let (quotient, remainder) = self.circuit.word_udivrem(a, b);
        let made: (Word, Word) = (quotient.into(), remainder.into());
        self.divisions.insert(key, made.clone());
        made
    }

    /// The element of an array at an index: of the last write to it, or of the symbol below all writes.
    pub fn read(&mut self, terms: &Terms, array: Term, index: &Index) -> Word {
        let mut open = vec![array];
        while let Some(&top) = open.last() {
            if self.arrays.known_read(top, index).is_some() {
                open.pop();
                continue;
            }
            let value = match *terms.node(top) {
                Node::Store(base, at, value) => self.read_write(terms, top, (base, at, value), index),
                Node::Ite(condition, yes, no) => {
                    self.read_choice(self.bit(condition), Err(yes), Err(no), index)
                }
                Node::ConstantArray { value, .. } => Ok(self.known(value)),
                _ => {
                    let value = self.circuit.inputs(element_width(terms, top)).into();
                    let word = self.index_word(index);
                    Ok(self.arrays.read_symbol(top, (index.clone(), word), value))
                }
            };
            match value {
                Ok(value) => self.arrays.remember_read(top, index, value),
                Err(needed) => open.push(needed),
            }
        }
        self.arrays.known_read(array, index).expect("just made")
    }

    /// What an array holds that was written to; the array to read first, if one is needed that was not read yet.
    fn read_write(
        &mut self,
        terms: &Terms,
        array: Term,
        (base, at, value): (Term, Term, Term),
        index: &Index,
    ) -> Result<Word, Term> {
        match index {
            Index::Sum(form) => {
                let run = self.run_of_writes(terms, array, form);
                let below = match run.below {
                    Below::Value(value) => self.known(value),
                    Below::Array(below) => self.arrays.known_read(below, index).ok_or(below)?,
                };
                Ok(self.read_run(terms, run, &below))
            }
            Index::Word(word) => {
                let here = self.circuit.word_eq(&self.words[&at], word);
                self.read_choice(here, Ok(self.known(value)), Err(base), index)
            }
        }
    }

    /// A choice between a value and what other arrays hold at the index; the array to read first, if one
    /// is needed that was not read yet.
    fn read_choice(
        &mut self,
        condition: Lit,
        yes: Result<Word, Term>,
        no: Result<Word, Term>,
        index: &Index,
    ) -> Result<Word, Term> {
        let arrays = &self.arrays;
        let get = |arm: Result<Word, Term>| arm.or_else(|array| arrays.known_read(array, index).ok_or(array));
        match condition {
            Lit::TRUE => get(yes),
            Lit::FALSE => get(no),
            _ => {
                let (yes, no) = (get(yes)?, get(no)?);
                Ok(self.circuit.word_choice(condition, &yes, &no).into())
            }
        }
    }

    /// The element that an array has at all indices that no term of the query names.
    pub fn default_element(&mut self, terms: &Terms, array: Term) -> Word {
        let mut open = vec![array];
        while let Some(&top) = open.last() {
            if self.arrays.defaults.contains_key(&top) {
                open.pop();
                continue;
            }
            let below = |base: Term| self.arrays.defaults.get(&base).cloned().ok_or(base);
            let value = match *terms.node(top) {
                Node::Store(base, ..) => below(base),
                Node::Ite(condition, yes, no) => match (below(yes), below(no)) {
                    (Ok(yes), Ok(no)) => {
                        Ok(self.circuit.word_choice(self.words[&condition][0], &yes, &no).into())
                    }
                    (Err(needed), _) | (_, Err(needed)) => Err(needed),
                },
                Node::ConstantArray { value, .. } => Ok(self.known(value)),
                _ => Ok(self.circuit.inputs(element_width(terms, top)).into()),
            };
            match value {
                Ok(value) => {
                    self.arrays.defaults.insert(top, value);
                }
                Err(needed) => open.push(needed),
            }
        }
        self.arrays.defaults[&array].clone()
    }
}

fn extend(word: &[Lit], width: u32, fill: Lit) -> Word {
    word.iter().copied().chain(std::iter::repeat(fill)).take(width as usize).collect()
}

fn has_integers(sort: Sort) -> bool {
    match sort {
        Sort::Int => true,
        Sort::Array(index, element) => index == Scalar::Int || element == Scalar::Int,
        Sort::Bool | Sort::BitVec(_) => false,
    }
}

/// How many bits a word of a scalar sort has.
pub fn scalar_width(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool => 1,
        Scalar::BitVec(width) => width,
        Scalar::Int => unreachable!("integers were rejected"),
    }
}

fn element_width(terms: &Terms, array: Term) -> usize {
    match terms.sort(array) {
        Sort::Array(_, element) => scalar_width(element) as usize,
        sort => unreachable!("{sort} is no array"),
    }
}
