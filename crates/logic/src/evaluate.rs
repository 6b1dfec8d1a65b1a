//! The value of a term in a model: the reference for what terms mean.
//!
//! Scalars are computed operands first. Arrays are not: a read walks down the writes until one is to its
//! index, so that a chain of `n` writes costs no `n` copies of the array. Only equalities between arrays
//! and a demanded array are written out.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::bits;
use crate::bitvec::fold;
use crate::value::same_array;
use crate::{Model, Node, Sort, Term, Terms, Value};

impl Terms {
    /// The value of a term. Symbols that the model lacks are false, zero, or zero everywhere.
    ///
    /// Integers beyond `i128` stop at its limits, so that the value may be wrong; a caller that relies on the
    /// value of terms with integers uses [`Terms::try_evaluate`].
    pub fn evaluate(&self, t: Term, model: &Model) -> Value {
        Evaluator::default().run(self, t, model).0
    }

    /// The value of a term, unless an integer on the way does not fit into `i128`.
    pub fn try_evaluate(&self, t: Term, model: &Model) -> Option<Value> {
        let (value, exact) = Evaluator::default().run(self, t, model);
        exact.then_some(value)
    }
}

/// Values of terms in one model, remembered from one question to the next.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    /// Scalars and the like, but no arrays.
    known: FxHashMap<Term, Computed>,
}

impl Evaluator {
    /// An evaluator that knows nothing yet.
    pub fn new() -> Self {
        Evaluator::default()
    }

    /// The value of a term, unless an integer on the way does not fit. The store and the model must be
    /// those of the earlier calls.
    pub fn value(&mut self, terms: &Terms, t: Term, model: &Model) -> Option<Value> {
        let (value, exact) = self.run(terms, t, model);
        exact.then_some(value)
    }

    /// Forgets all values if there are more than so many.
    pub fn forget_beyond(&mut self, limit: usize) {
        if self.known.len() > limit {
            self.known = FxHashMap::default();
        }
    }

    fn run(&mut self, terms: &Terms, t: Term, model: &Model) -> Computed {
        for t in terms.subterms_until(&[t], |t| self.known.contains_key(&t)) {
            if !matches!(terms.sort(t), Sort::Array(..)) {
                let value = scalar(&self.known, terms, t, model);
                self.known.insert(t, value);
            }
        }
        match terms.sort(t) {
            Sort::Array(..) => array(&self.known, terms, t, model),
            _ => self.known[&t].clone(),
        }
    }
}

/// A few terms made ready to be evaluated in many models.
#[derive(Clone, Debug)]
pub struct Tape {
    /// All scalars to compute, operands first.
    order: Vec<Term>,
    /// The first subterm of all; then for each term from it on its place in the order.
    first: usize,
    places: Vec<u32>,
    values: Vec<Computed>,
}

impl Tape {
    /// Gets ready for some terms.
    pub fn new(terms: &Terms, roots: &[Term]) -> Self {
        let mut order = terms.subterms(roots);
        order.retain(|&t| !matches!(terms.sort(t), Sort::Array(..)));
        let first = order.first().map_or(0, |t| t.index());
        let mut places = vec![0; order.last().map_or(0, |t| t.index() + 1 - first)];
        for (place, t) in (0..).zip(&order) {
            places[t.index() - first] = place;
        }
        Tape { order, first, places, values: Vec::new() }
    }

    /// Goes over to another model.
    pub fn run(&mut self, terms: &Terms, model: &Model) {
        self.values.clear();
        for &t in &self.order {
            let value = scalar(&*self, terms, t, model);
            self.values.push(value);
        }
    }

    /// The value of one of the terms, unless an integer on the way does not fit. The store and the model must be
    /// those of the last [`Tape::run`].
    pub fn value(&self, terms: &Terms, t: Term, model: &Model) -> Option<Value> {
        let (value, exact) = match terms.sort(t) {
            Sort::Array(..) => array(self, terms, t, model),
            _ => self.get(t).clone(),
        };
        exact.then_some(value)
    }
}

/// A value, and whether all integers on the way did fit.
type Computed = (Value, bool);

/// What has been computed already.
trait Known {
    fn get(&self, t: Term) -> &Computed;
}

impl Known for FxHashMap<Term, Computed> {
    fn get(&self, t: Term) -> &Computed {
        &self[&t]
    }
}

impl Known for Tape {
    fn get(&self, t: Term) -> &Computed {
        &self.values[self.places[t.index() - self.first] as usize]
    }
}

/// The value of a scalar whose scalar subterms are known.
fn scalar<K: Known>(known: &K, terms: &Terms, t: Term, model: &Model) -> Computed {
    let step = EvaluationStep { known, exact: true };
    match terms.node(t) {
        Node::Symbol { sort, .. } => (symbol_value(t, *sort, model), true),
        &Node::Eq(a, b) if matches!(terms.sort(a), Sort::Array(..)) => {
            let Sort::Array(index, _) = terms.sort(a) else { unreachable!("just seen") };
            let ((a, exact_a), (b, exact_b)) = (array(known, terms, a, model), array(known, terms, b, model));
            (Value::Bool(same_array(index, &a, &b)), exact_a && exact_b)
        }
        &Node::Select(array, index) => element(known, terms, array, index, model),
        node => step.compute(node, terms.sort(t)),
    }
}

fn element<K: Known>(known: &K, terms: &Terms, mut array: Term, index: Term, model: &Model) -> Computed {
    let &(ref index, mut exact) = known.get(index);
    loop {
        match *terms.node(array) {
            Node::Store(base, at, value) => {
                let (at, exact_at) = known.get(at);
                exact &= exact_at;
                if at == index {
                    let (value, exact_value) = known.get(value);
                    return (value.clone(), exact && *exact_value);
                }
                array = base;
            }
            Node::Ite(condition, yes, no) => {
                let (condition, exact_condition) = known.get(condition);
                exact &= exact_condition;
                array = if *condition == Value::Bool(true) { yes } else { no };
            }
            Node::ConstantArray { value, .. } => {
                let (value, exact_value) = known.get(value);
                return (value.clone(), exact && *exact_value);
            }
            _ => {
                let sort = terms.sort(array);
                let base = model.get(array).filter(|value| value.has_sort(sort));
                let element = base.and_then(|base| base.element(index)).cloned();
                return (element.unwrap_or_else(|| zero_element(sort)), exact);
            }
        }
    }
}

/// An array, written out.
fn array<K: Known>(known: &K, terms: &Terms, mut array: Term, model: &Model) -> Computed {
    let mut exact = true;
    let mut written: BTreeMap<Value, Value> = BTreeMap::new();
    let base = loop {
        match *terms.node(array) {
            Node::Store(base, at, value) => {
                let ((at, exact_at), (value, exact_value)) = (known.get(at), known.get(value));
                exact &= exact_at & exact_value;
                written.entry(at.clone()).or_insert_with(|| value.clone());
                array = base;
            }
            Node::Ite(condition, yes, no) => {
                let (condition, exact_condition) = known.get(condition);
                exact &= exact_condition;
                array = if *condition == Value::Bool(true) { yes } else { no };
            }
            Node::ConstantArray { value, .. } => {
                let (value, exact_value) = known.get(value);
                exact &= exact_value;
                break Value::Array { default: Box::new(value.clone()), entries: BTreeMap::new() };
            }
            _ => break symbol_value(array, terms.sort(array), model),
        }
    };
    let Value::Array { default, mut entries } = base else { unreachable!("arrays have arrays as values") };
    entries.extend(written);
    (Value::array(*default, entries), exact)
}

fn symbol_value(symbol: Term, sort: Sort, model: &Model) -> Value {
    let value = model.get(symbol).filter(|value| value.has_sort(sort));
    value.cloned().unwrap_or_else(|| Value::zero(sort))
}

fn zero_element(array: Sort) -> Value {
    match array {
        Sort::Array(_, element) => Value::zero(element.into()),
        other => Value::zero(other),
    }
}

/// The computation of one value from those of the operands.
struct EvaluationStep<'a, K> {
    known: &'a K,
    exact: bool,
}

impl<K: Known> EvaluationStep<'_, K> {
    fn value(&mut self, t: Term) -> &Value {
        let (value, exact) = self.known.get(t);
        self.exact &= exact;
        value
    }

    fn bool(&mut self, t: Term) -> bool {
        self.value(t).as_bool().unwrap_or(false)
    }

    fn int(&mut self, t: Term) -> i128 {
        self.value(t).as_int().unwrap_or(0)
    }

    fn bits(&mut self, t: Term) -> u128 {
        self.value(t).as_bits().unwrap_or(0)
    }

    fn signed(&mut self, t: Term) -> i128 {
        self.value(t).as_signed().unwrap_or(0)
    }

    fn width(&self, t: Term) -> u32 {
        match self.known.get(t).0 {
            Value::BitVec { width, .. } => width,
            _ => 1,
        }
    }

    /// A number that fits, or the nearest one, and then the value is no longer exact.
    fn checked(&mut self, exact: Option<i128>, nearest: i128) -> i128 {
        self.exact &= exact.is_some();
        exact.unwrap_or(nearest)
    }

    fn compute(mut self, node: &Node, sort: Sort) -> Computed {
        let value = match sort {
            Sort::Bool => Value::Bool(self.truth(node)),
            Sort::Int => Value::Int(self.integer(node)),
            Sort::BitVec(width) => Value::bv(self.vector(node, width), width),
            Sort::Array(..) => unreachable!("arrays are written out elsewhere"),
        };
        (value, self.exact)
    }

    fn truth(&mut self, node: &Node) -> bool {
        match *node {
            Node::Bool(value) => value,
            Node::Not(a) => !self.bool(a),
            // No short circuit: a member that is not exact spoils the value, whatever comes first.
            Node::And(ref members) => members.iter().fold(true, |all, &member| self.bool(member) & all),
            Node::Eq(a, b) => self.value(a).clone() == *self.value(b),
            Node::Ite(c, a, b) => self.chosen(c, a, b).as_bool().unwrap_or(false),
            Node::IntLe(a, b) => self.int(a) <= self.int(b),
            Node::BvUle(a, b) => self.bits(a) <= self.bits(b),
            Node::BvSle(a, b) => self.signed(a) <= self.signed(b),
            _ => unreachable!("no other operator gives a truth value"),
        }
    }

    fn chosen(&mut self, condition: Term, yes: Term, no: Term) -> Value {
        let arm = if self.bool(condition) { yes } else { no };
        self.value(arm).clone()
    }

    fn integer(&mut self, node: &Node) -> i128 {
        match *node {
            Node::Int(value) => value,
            Node::Ite(c, a, b) => self.chosen(c, a, b).as_int().unwrap_or(0),
            Node::IntSum(ref sum) => sum.parts.iter().fold(sum.constant, |total, &(coefficient, part)| {
                let part = self.int(part);
                let product = self.checked(coefficient.checked_mul(part), coefficient.saturating_mul(part));
                self.checked(total.checked_add(product), total.saturating_add(product))
            }),
            Node::IntMul(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                self.checked(a.checked_mul(b), a.saturating_mul(b))
            }
            Node::IntDiv(a, b) => match (self.int(a), self.int(b)) {
                (_, 0) => 0,
                (a, b) => self.checked(a.checked_div_euclid(b), i128::MAX),
            },
            Node::IntMod(a, b) => match (self.int(a), self.int(b)) {
                (a, 0) => a,
                (a, b) => a.checked_rem_euclid(b).unwrap_or(0),
            },
            _ => unreachable!("no other operator gives an integer"),
        }
    }

    fn vector(&mut self, node: &Node, width: u32) -> u128 {
        match *node {
            Node::BitVec { value, .. } => value,
            Node::Ite(c, a, b) => self.chosen(c, a, b).as_bits().unwrap_or(0),
            Node::BvSum(ref sum) => sum.parts.iter().fold(sum.constant, |total, &(coefficient, part)| {
                total.wrapping_add(coefficient.wrapping_mul(self.bits(part)))
            }),
            Node::BvNot(a) => !self.bits(a),
            Node::Bv(op, a, b) => fold(op, self.bits(a), self.bits(b), width),
            Node::Concat(high, low) => self.bits(high) << self.width(low) | self.bits(low),
            Node::Extract { low, of, .. } => self.bits(of) >> low,
            Node::ZeroExtend { of, .. } => self.bits(of),
            Node::SignExtend { of, .. } => bits::wrap(self.signed(of), width),
            _ => unreachable!("no other operator gives a bit-vector"),
        }
    }
}
