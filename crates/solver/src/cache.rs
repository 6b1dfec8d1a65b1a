//! Remembering answers: the query cache and the model cache.
//!
//! The same query, on the same stack of asserted terms, has the same answer. And most satisfiable
//! queries of an abstraction are satisfied by a model that an earlier query brought: evaluating a few
//! recent models is far cheaper than a solver.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use hardbop_logic::{Evaluator, Model, Term, Terms, Value};

use crate::{Answer, Clock, Limits, Meter, Reason, Solver, Statistics};

/// How many models are tried.
const MODELS: usize = 16;
/// When this many terms have values in a remembered model, the values are forgotten, not the model.
const MAX_VALUES: usize = 1 << 20;
/// When this many queries are remembered, all are forgotten.
const MAX_QUERIES: usize = 1 << 18;

/// A solver with a memory.
pub struct Cached<S> {
    solver: S,
    meter: Meter,
    /// The asserted terms.
    asserted: Vec<Term>,
    /// How many terms were asserted, and which stack there was, when each level was entered.
    levels: Vec<(usize, Stack)>,
    stack: Stack,
    /// The stacks that grow out of another by a term.
    stacks: FxHashMap<(Stack, Term), Stack>,
    answers: FxHashMap<(Stack, Box<[Term]>), Remembered>,
    /// The last models, the latest first.
    models: VecDeque<Known>,
    core: Vec<usize>,
    /// The model of the last query, if a remembered answer or model brought it.
    model: Option<Arc<Model>>,
}

/// A number for a sequence of asserted terms.
type Stack = u32;

enum Remembered {
    Sat(Arc<Model>),
    /// The assumptions that suffice.
    Unsat(Box<[Term]>),
    Unknown(Reason),
}

struct Known {
    model: Arc<Model>,
    values: Evaluator,
}

impl<S: Solver> Cached<S> {
    /// The solver, with an empty memory. Nothing may be asserted in it yet.
    pub fn new(solver: S) -> Self {
        Cached {
            solver,
            meter: Meter::default(),
            asserted: Vec::new(),
            levels: Vec::new(),
            stack: 0,
            stacks: FxHashMap::default(),
            answers: FxHashMap::default(),
            models: VecDeque::new(),
            core: Vec::new(),
            model: None,
        }
    }

    /// The solver with a clock, for statistics of time.
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.meter.clock = Some(clock);
        self
    }

    /// The solver below.
    pub fn inner(&self) -> &S {
        &self.solver
    }

    fn decide(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        let mut sorted = assumptions.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let key = (self.stack, sorted.into_boxed_slice());
        if let Some(remembered) = self.answers.get(&key) {
            self.meter.statistics.by_query += 1;
            return match remembered {
                Remembered::Sat(model) => {
                    self.model = Some(model.clone());
                    Answer::Sat
                }
                Remembered::Unsat(core) => {
                    self.core = positions(assumptions, core);
                    Answer::Unsat
                }
                Remembered::Unknown(reason) => Answer::Unknown(reason.clone()),
            };
        }
        if let Some(model) = self.try_models(terms, assumptions) {
            self.meter.statistics.by_model += 1;
            self.model = Some(model);
            return Answer::Sat;
        }
        let answer = self.solver.check(terms, assumptions);
        self.remember(terms, key, assumptions, &answer);
        answer
    }

    /// A remembered model that satisfies all terms. Those that do move to the front.
    fn try_models(&mut self, terms: &Terms, assumptions: &[Term]) -> Option<Arc<Model>> {
        let asserted = &self.asserted;
        let found = self.models.iter_mut().position(|known| {
            let mut holds = |&t: &Term| known.values.value(terms, t, &known.model) == Some(Value::Bool(true));
            assumptions.iter().all(&mut holds) && asserted.iter().all(holds)
        })?;
        let known = self.models.remove(found)?;
        let model = known.model.clone();
        self.models.push_front(known);
        Some(model)
    }

    fn remember(&mut self, terms: &Terms, key: (Stack, Box<[Term]>), assumptions: &[Term], answer: &Answer) {
        let remembered = match answer {
            Answer::Sat => {
                let model = Arc::new(self.solver.model(terms));
                self.models.truncate(MODELS - 1);
                self.models.push_front(Known { model: model.clone(), values: Evaluator::new() });
                self.model = Some(model.clone());
                Remembered::Sat(model)
            }
            Answer::Unsat => {
                self.core = self.solver.core().to_vec();
                Remembered::Unsat(self.core.iter().map(|&i| assumptions[i]).collect())
            }
            // The budget's end is no property of the query.
            Answer::Unknown(Reason::Interrupted | Reason::Memory) => return,
            Answer::Unknown(reason) => Remembered::Unknown(reason.clone()),
        };
        if self.answers.len() >= MAX_QUERIES {
            self.answers.clear();
        }
        self.answers.insert(key, remembered);
        for known in &mut self.models {
            known.values.forget_beyond(MAX_VALUES);
        }
    }
}

/// Where the terms of a core stand among the assumptions.
fn positions(assumptions: &[Term], core: &[Term]) -> Vec<usize> {
    (0..assumptions.len()).filter(|&i| core.contains(&assumptions[i])).collect()
}

impl<S: Solver> Solver for Cached<S> {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn assert(&mut self, terms: &Terms, t: Term) {
        self.solver.assert(terms, t);
        self.asserted.push(t);
        let next = self.stacks.len() as Stack + 1;
        self.stack = *self.stacks.entry((self.stack, t)).or_insert(next);
    }

    fn push(&mut self) {
        self.solver.push();
        self.levels.push((self.asserted.len(), self.stack));
    }

    fn pop(&mut self) {
        self.solver.pop();
        if let Some((count, stack)) = self.levels.pop() {
            self.asserted.truncate(count);
            self.stack = stack;
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        let start = self.meter.now();
        self.core.clear();
        self.model = None;
        let answer = self.decide(terms, assumptions);
        self.meter.finish(start, answer)
    }

    fn core(&self) -> &[usize] {
        &self.core
    }

    fn model(&mut self, _: &Terms) -> Model {
        self.model.as_deref().cloned().unwrap_or_default()
    }

    fn set_limits(&mut self, limits: Limits) {
        // What was too much may no longer be.
        self.answers.retain(|_, answer| !matches!(answer, Remembered::Unknown(_)));
        self.solver.set_limits(limits);
    }

    fn statistics(&self) -> Statistics {
        self.meter.statistics
    }
}
