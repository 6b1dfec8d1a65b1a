//! Reading off the run what the encoder leaves open: symbols that stand for nothing yet get the values
//! that make the terms around them equal to what the run holds.

use std::collections::BTreeMap;

use hardbop_alias::{ObjectId, RegionId};
use hardbop_ir::interpret::{LiveObject, Origin, View};
use hardbop_logic::{Node, Scalar, Sort, Term, Value};
use hardbop_semantics::{Cell, Meaning, Object, Tally};
use rustc_hash::FxHashSet;

use crate::actual::filled;
use crate::shadow::Shadow;

impl Shadow<'_> {
    pub(crate) fn match_cell(&mut self, view: &View<'_, '_>, cell: Cell, term: Term) {
        match (cell, self.encoder.terms.sort(term)) {
            (Cell::Region(region), Sort::Array(_, element)) => self.match_array(view, region, term, element),
            (Cell::Live(kind), _) => self.match_live(view, kind, term),
            (Cell::Tally(tally, kind), _) => self.match_tally(view, tally, kind, term),
            (_, sort) => {
                if let Some(expected) = self.actual_scalar(view, cell, sort) {
                    self.match_scalar(term, &expected);
                }
            }
        }
    }

    /// Whether a symbol stands for something that the run decides and that it was not asked about yet.
    pub(crate) fn is_open_symbol(&self, symbol: Term) -> bool {
        let open = match self.encoder.meaning_of(symbol) {
            None => true,
            Some(Meaning::Address(Object::Allocated(..))) => true,
            Some(_) => false,
        };
        open && self.model.get(symbol).is_none()
    }

    fn match_scalar(&mut self, term: Term, expected: &Value) {
        match *self.encoder.terms.node(term) {
            Node::Symbol { .. } if self.is_open_symbol(term) => {
                self.set(term, expected.clone());
            }
            Node::Not(inner) => {
                if let Some(value) = expected.as_bool() {
                    self.match_scalar(inner, &Value::Bool(!value));
                }
            }
            Node::Ite(condition, yes, no) => self.match_choice(condition, yes, no, expected),
            Node::Concat(high, low) => {
                let (width, low_width) = (self.encoder.terms.width(high), self.encoder.terms.width(low));
                if let Some(bits) = expected.as_bits() {
                    self.match_scalar(low, &Value::bv(bits, low_width));
                    self.match_scalar(high, &Value::bv(bits >> low_width, width));
                }
            }
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } => {
                let width = self.encoder.terms.width(of);
                if let Some(bits) = expected.as_bits() {
                    self.match_scalar(of, &Value::bv(bits, width));
                }
            }
            Node::Extract { high, low, of } => self.match_slice(of, high, low, expected),
            _ => {}
        }
    }

    fn match_choice(&mut self, condition: Term, yes: Term, no: Term, expected: &Value) {
        let is_symbol = matches!(self.encoder.terms.node(condition), Node::Symbol { .. });
        if is_symbol && self.is_open_symbol(condition) {
            let first = self.evaluate_closed(yes).is_some_and(|value| value == *expected);
            self.set(condition, Value::Bool(first));
            if first && self.is_open_symbol(no) {
                // An allocation that failed: the object that it would have made lies somewhere.
                let address = self.new_address();
                let width = self.pointer_bits();
                self.set(no, Value::bv(address.into(), width));
            }
        }
        let chosen = if self.evaluate(condition) == Value::Bool(true) { yes } else { no };
        self.match_scalar(chosen, expected);
    }

    /// The value of a term in which nothing is open.
    fn evaluate_closed(&mut self, term: Term) -> Option<Value> {
        let symbols = self.encoder.terms.symbols(term);
        let open = symbols.into_iter().any(|symbol| self.is_open_symbol(symbol));
        (!open).then(|| self.evaluate(term))
    }

    /// Some bits of a symbol. What was decided stays: a later value would hide that a write was lost.
    fn match_slice(&mut self, of: Term, high: u32, low: u32, expected: &Value) {
        let (Node::Symbol { .. }, Some(bits)) = (self.encoder.terms.node(of), expected.as_bits()) else {
            return;
        };
        if self.encoder.meaning_of(of).is_some() {
            return;
        }
        let decided = match (self.decided.get(&of), self.model.get(of)) {
            (Some(&bits), _) => bits,
            (None, Some(_)) => return,
            (None, None) => 0,
        };
        let old = self.model.get(of).and_then(Value::as_bits).unwrap_or(0);
        let size = high - low + 1;
        let mask = if size >= 128 { u128::MAX } else { (1 << size) - 1 } << low;
        self.decided.insert(of, decided | mask);
        let mask = mask & !decided;
        let new = old & !mask | (bits << low) & mask;
        let width = self.encoder.terms.width(of);
        self.set(of, Value::bv(new, width));
    }

    /// Which heap objects are alive where the encoder no longer knows.
    fn match_live(&mut self, view: &View<'_, '_>, kind: ObjectId, mut term: Term) {
        while let Node::Store(base, ..) = *self.encoder.terms.node(term) {
            term = base;
        }
        if matches!(self.encoder.terms.node(term), Node::Symbol { .. }) && self.is_open_symbol(term) {
            let live = self.heap_of(view, kind);
            self.set(term, live);
        }
    }

    /// How many there are where the encoder no longer knows. The run does not know in which order they came.
    fn match_tally(&mut self, view: &View<'_, '_>, tally: Tally, kind: ObjectId, term: Term) {
        if !matches!(self.encoder.terms.node(term), Node::Symbol { .. }) || !self.is_open_symbol(term) {
            return;
        }
        let value = match tally {
            Tally::Alive => self.count_of(view, kind),
            _ => filled(self.encoder.terms.sort(term), self.fill),
        };
        self.set(term, value);
    }

    /// Which addresses are those of heap objects of a kind that are alive in the run.
    pub(crate) fn heap_of(&self, view: &View<'_, '_>, kind: ObjectId) -> Value {
        let width = self.pointer_bits();
        let entries = self.alive(view, kind).into_iter();
        let entries = entries.map(|address| (Value::bv(address.into(), width), Value::Bool(true)));
        Value::array(Value::Bool(false), entries.collect())
    }

    /// How many heap objects of a kind are alive in the run.
    pub(crate) fn count_of(&self, view: &View<'_, '_>, kind: ObjectId) -> Value {
        Value::bv(self.alive(view, kind).len() as u128, self.pointer_bits())
    }

    /// Where heap objects of a kind are alive in the run.
    fn alive(&self, view: &View<'_, '_>, kind: ObjectId) -> Vec<u64> {
        let is_own = |object: &LiveObject| match object.origin {
            Origin::Heap(procedure, edge) => {
                let object = self.subject.alias.objects().allocation(procedure, edge);
                object.and_then(|object| self.encoder.heap_kind(object)) == Some(kind)
            }
            _ => false,
        };
        view.objects().filter(is_own).map(|object| object.address).collect()
    }

    fn match_array(&mut self, view: &View<'_, '_>, region: RegionId, term: Term, element: Scalar) {
        let mut written: FxHashSet<u64> = FxHashSet::default();
        let mut rest = term;
        while let Node::Store(base, at, value) = *self.encoder.terms.node(rest) {
            let address = self.evaluate(at).as_bits().unwrap_or(0) as u64;
            if written.insert(address)
                && let Some(expected) = self.actual(view).element(address, element.into())
            {
                self.match_scalar(value, &expected);
            }
            rest = base;
        }
        if matches!(self.encoder.terms.node(rest), Node::Symbol { .. }) && self.is_open_symbol(rest) {
            // Nothing is known of the region: it holds what it held, and where it is alive, what the run
            // has there.
            let initial = self.coder().initial(Cell::Region(region));
            let Some(Value::Array { default, mut entries }) = self.model.get(initial).cloned() else {
                return;
            };
            let width = self.pointer_bits();
            let alive = self.actual(view).contents(Some(region));
            let alive: BTreeMap<Value, Value> =
                alive.into_iter().map(|(_, at, value)| (Value::bv(at.into(), width), value)).collect();
            entries.extend(alive);
            self.set(rest, Value::array(*default, entries));
        }
    }
}
