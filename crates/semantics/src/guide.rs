//! Inputs that a model gives to a run.
//!
//! The interpreter asks for a value when it needs one. What edges draw is answered by edge, in order.
//! Storage that holds what nobody wrote is asked for when it is first read, with the number of the activation
//! (of its procedure) or allocation (by its step) that it belongs to, and answered by that number, byte by byte.
//! So a guide for a slice serves the whole program, which has more procedures and steps. The interpreter also tells
//! when a declaration is passed that may be passed again. Only where functions leave a variable arbitrary
//! more than once, the order decides: a byte that was asked for before belongs to the next time.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use hardbop_ir::interpret::{Inputs, Request, Source, Storage};
use hardbop_ir::{Arbitrary, EdgeId, ProcId, VarId};
use hardbop_logic::{Evaluator, Model, Term, Value};
use rustc_hash::FxHashMap;

use crate::path::Walk;
use crate::{Cell, Encoder, Frame, Fresh, FreshKind};

/// A location where several edges may be enabled, as a path passes it.
#[derive(Debug)]
pub struct Choice {
    /// The procedure, and the first of the edges.
    pub site: (ProcId, EdgeId),
    /// Which edges are enabled, in order.
    pub enabled: Vec<Term>,
    /// The one that is taken.
    pub taken: usize,
}

/// Bytes by their offset.
type Bytes = BTreeMap<u64, u8>;

/// Inputs that lead along a path.
#[derive(Debug, Clone, Default)]
pub struct Guide {
    /// For each edge, the values that it drew, in order.
    values: FxHashMap<(ProcId, EdgeId), VecDeque<u128>>,
    /// For each location with several enabled edges, by the first that leaves it, which was chosen.
    choices: FxHashMap<(ProcId, EdgeId), VecDeque<u128>>,
    /// What variables hold before they are written, by activation.
    variables: FxHashMap<(VarId, u64), Bytes>,
    /// What variables hold each time their declaration is passed.
    renewed: FxHashMap<VarId, Vec<Bytes>>,
    /// How often that happened.
    passed: FxHashMap<VarId, usize>,
    /// What variables hold each time a function leaves them arbitrary.
    written: FxHashMap<VarId, VecDeque<Bytes>>,
    /// What allocated memory holds, by the step that allocates it and how often it did before.
    memory: FxHashMap<(ProcId, EdgeId), Vec<Bytes>>,
    /// What memory outside of the program holds now, by address.
    outside: Option<Value>,
    /// What it holds after steps that call functions which may change it, in order.
    changed: FxHashMap<(ProcId, EdgeId), VecDeque<Value>>,
    /// How many activations of each procedure there were, and the numbers of frames among them.
    entered: FxHashMap<ProcId, u64>,
    numbers: FxHashMap<Frame, u64>,
}

impl Guide {
    /// The next value that an edge draws.
    pub fn draw(&mut self, site: (ProcId, EdgeId), value: &Value) {
        if let Some(bits) = value.as_drawn() {
            self.values.entry(site).or_default().push_back(bits);
        }
    }

    /// Which of the enabled edges is taken next where several leave a location; the site is the first.
    pub fn choose(&mut self, site: (ProcId, EdgeId), value: &Value) {
        if let Some(bits) = value.as_drawn() {
            self.choices.entry(site).or_default().push_back(bits);
        }
    }

    /// An activation of a procedure starts. What its variables hold before they are written is known as far as
    /// a question was asked about them.
    pub fn enter(
        &mut self,
        encoder: &Encoder,
        (frame, procedure): (Frame, ProcId),
        value: &mut dyn FnMut(Term) -> Option<Value>,
    ) {
        let count = self.entered.entry(procedure).or_default();
        let number = *count;
        *count += 1;
        self.numbers.insert(frame, number);
        for (cell, symbol) in encoder.read_in(frame) {
            if let (Cell::Local(_, var), Some(bits)) =
                (cell, value(symbol).as_ref().and_then(Value::as_drawn))
            {
                put(self.variables.entry((var, number)).or_default(), 0, 16, bits);
            }
        }
    }

    /// Storage that holds what nobody wrote, which came into being in an activation that was entered.
    pub fn storage(&mut self, frame: Frame, fresh: &Fresh, value: &mut dyn FnMut(Term) -> Option<Value>) {
        match (fresh.kind, &fresh.parts[..]) {
            (FreshKind::Outside(None), &[(_, _, array)]) => {
                self.outside = value(array);
                return;
            }
            (FreshKind::Outside(Some(step)), &[(_, _, array)]) => {
                return self.changed.entry(step).or_default().extend(value(array));
            }
            (FreshKind::Followed(_), _) => return,
            _ => {}
        }
        let mut bytes = Bytes::new();
        for &(offset, size, term) in &fresh.parts {
            if let Some(bits) = value(term).as_ref().and_then(Value::as_drawn) {
                put(&mut bytes, offset, size, bits);
            }
        }
        match fresh.kind {
            FreshKind::Global(var) => drop(self.variables.insert((var, 0), bytes)),
            FreshKind::Local(var) => {
                let number = self.numbers.get(&frame).copied().unwrap_or_default();
                self.variables.insert((var, number), bytes);
            }
            FreshKind::Renewed(var) => self.renewed.entry(var).or_default().push(bytes),
            FreshKind::Written(var) => self.written.entry(var).or_default().push_back(bytes),
            FreshKind::Allocated(procedure, edge) => {
                self.memory.entry((procedure, edge)).or_default().push(bytes);
            }
            FreshKind::Outside(_) | FreshKind::Followed(_) => {}
        }
    }

    /// The inputs of a model for a path.
    pub fn of_walk(encoder: &Encoder, walk: &Walk, choices: &[Choice], model: &Model) -> Self {
        let mut guide = Guide::default();
        let mut evaluator = Evaluator::new();
        let mut value = |term: Term| evaluator.value(&encoder.terms, term, model);
        for draw in &walk.draws {
            if let Some(drawn) = value(draw.value) {
                guide.draw((draw.procedure, draw.edge), &drawn);
            }
        }
        for choice in choices {
            let mut is_enabled = |&edge: &Term| value(edge).and_then(|v| v.as_bool()) == Some(true);
            let enabled: Vec<bool> = choice.enabled.iter().map(&mut is_enabled).collect();
            // The run chooses only where it can.
            if enabled.iter().filter(|&&enabled| enabled).count() > 1 {
                let before = enabled[..choice.taken].iter().filter(|&&enabled| enabled).count();
                guide.choices.entry(choice.site).or_default().push_back(before as u128);
            }
        }
        for activation in walk.activations() {
            guide.enter(encoder, activation, &mut value);
        }
        for (frame, fresh) in &walk.fresh {
            guide.storage(*frame, fresh, &mut value);
        }
        guide
    }

    /// Answers from storage; zeros where nothing is known.
    fn stored(&mut self, storage: Storage, kind: &Arbitrary, width: u16) -> u128 {
        let range = storage.offset..storage.offset + u64::from(width.div_ceil(8));
        if storage.variable.is_none() && storage.allocated.is_none() {
            return self.stored_outside(storage.base, range);
        }
        let bytes = match (storage.variable, kind) {
            (Some(var), Arbitrary::Uninitialised) => match (self.renewed.get(&var), self.passed.get(&var)) {
                (Some(times), Some(&passed)) => times.get(passed.saturating_sub(1)),
                _ => self.variables.get(&(var, storage.serial)),
            },
            (Some(var), _) => return self.left_by_functions(var, range),
            (None, _) => storage
                .allocated
                .and_then(|step| self.memory.get(&step))
                .and_then(|objects| objects.get(usize::try_from(storage.serial).ok()?)),
        };
        bytes.map_or(0, |bytes| assemble(bytes, range))
    }

    /// What memory outside of the program holds.
    fn stored_outside(&self, base: u64, range: Range<u64>) -> u128 {
        let first = base + range.start;
        let Some(Value::Array { default, entries }) = &self.outside else { return 0 };
        let width = match entries.keys().next() {
            Some(&Value::BitVec { width, .. }) => width,
            _ => u64::BITS,
        };
        let byte = |at: u64| {
            let found = entries.get(&Value::bv(at.into(), width)).unwrap_or(default);
            found.as_drawn().unwrap_or(0) as u8
        };
        let bytes = (0..range.end - range.start).take(16).map(|i| (i, byte(first + i)));
        bytes.fold(0, |value, (i, byte)| value | u128::from(byte) << (8 * i))
    }

    fn left_by_functions(&mut self, var: VarId, range: Range<u64>) -> u128 {
        let Some(times) = self.written.get_mut(&var) else { return 0 };
        while times.len() > 1 && times[0].range(range.clone()).next().is_none() {
            times.pop_front();
        }
        let Some(first) = times.front_mut() else { return 0 };
        let value = assemble(first, range.clone());
        for at in range {
            first.remove(&at);
        }
        value
    }
}

fn put(bytes: &mut Bytes, offset: u64, size: u64, bits: u128) {
    bytes.extend((0..size.min(16)).map(|i| (offset + i, (bits >> (8 * i)) as u8)));
}

fn assemble(bytes: &Bytes, range: Range<u64>) -> u128 {
    let start = range.start;
    bytes.range(range).fold(0, |value, (at, &byte)| match at - start {
        i @ 0..16 => value | u128::from(byte) << (8 * i),
        _ => value,
    })
}

/// A guide for a run in which edges draw these values.
pub fn guide(values: impl IntoIterator<Item = ((ProcId, EdgeId), u128)>) -> Guide {
    let mut guide = Guide::default();
    for (site, value) in values {
        guide.values.entry(site).or_default().push_back(value);
    }
    guide
}

impl Inputs for Guide {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        let site = (request.site.procedure, request.site.edge);
        match (request.source, request.storage) {
            (Source::Value(kind), Some(storage)) => self.stored(storage, kind, request.width),
            (Source::Value(_), None) | (Source::AllocationFails, _) => {
                self.values.get_mut(&site).and_then(VecDeque::pop_front).unwrap_or(0)
            }
            (Source::Choice(_), _) => self.choices.get_mut(&site).and_then(VecDeque::pop_front).unwrap_or(0),
            (Source::Address { .. }, _) => 0,
        }
    }

    fn renewed(&mut self, var: VarId) {
        *self.passed.entry(var).or_default() += 1;
    }

    fn changed_outside(&mut self, by: (ProcId, EdgeId)) {
        if let Some(now) = self.changed.get_mut(&by).and_then(VecDeque::pop_front) {
            self.outside = Some(now);
        }
    }
}
