//! From a chain to a run: the inputs that take the program to the last state of a path.
//!
//! A model of the first state gives what is drawn at the start. Inside of loops nothing may be drawn; or each
//! place draws one and the same value, since a preferred branch is always the same; or what is drawn depends on
//! the state, and then the loop is executed here, on the terms of its steps, to see what is drawn when.

use std::collections::VecDeque;

use hardbop_base::Stop;
use hardbop_ir::interpret::{Inputs, Request, Source};
use hardbop_ir::{EdgeId, ProcId, VarId};
use hardbop_logic::{Evaluator, Model, Sort, Tape, Term, Value};
use hardbop_semantics::{Encoder, Frame, Fresh, FreshKind, Guide};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::chain::Chain;
use crate::choice::{LeapStep, literal, steps};
use crate::query::Query;
use crate::set::Set;
use crate::system::{NodeId, System, Use};

/// A place where a run draws: whether it is a choice, and the edge.
type Site = (bool, ProcId, EdgeId);

/// Inputs for a run along a chain.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    values: FxHashMap<Site, VecDeque<u128>>,
    /// What places draw whose values are used up.
    constants: FxHashMap<Site, u128>,
    storage: Guide,
}

impl Inputs for Plan {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        let (procedure, edge) = (request.site.procedure, request.site.edge);
        let site = match (request.source, request.storage) {
            (Source::Value(_) | Source::AllocationFails, None) => (false, procedure, edge),
            (Source::Choice(_), _) => (true, procedure, edge),
            _ => return self.storage.next(request),
        };
        let next = self.values.get_mut(&site).and_then(VecDeque::pop_front);
        next.or_else(|| self.constants.get(&site).copied()).unwrap_or(0)
    }

    fn renewed(&mut self, var: VarId) {
        self.storage.renewed(var);
    }

    fn changed_outside(&mut self, by: (ProcId, EdgeId)) {
        self.storage.changed_outside(by);
    }
}

/// Rounds of loops that are executed here.
const MAX_ROUNDS: u64 = 20_000_000;

/// Inputs for a chain that reaches its last state.
///
/// From all states of the first abstract state that lead on by must⁺, a run gets to the end. Must⁻ only says that there are
/// such states, so a chain that begins with it is executed to see whether a state that was picked is one; best
/// is one that agrees with a state where the chain flips, in what the loops do not change.
pub fn plan(
    query: &mut Query<'_>,
    system: &System,
    relevant: &[Term],
    chain: &Chain,
) -> Result<Option<Plan>, Stop> {
    let [first, next, ..] = &chain.links[..] else { return Ok(None) };
    let target = next.leads.as_ref().or(next.reached.as_ref()).unwrap_or(&next.state).clone();
    let here = first.leads.as_ref().unwrap_or(&first.state).clone();
    let (exits, wishes) = match chain.flip {
        Some(flip) if flip > 0 => {
            let exits = steps(query, system, relevant, (&here, &next.state), true)?;
            (exits, vec![kept_until(query, relevant, chain, flip)?, Vec::new()])
        }
        _ => (first.exits.clone(), vec![Vec::new()]),
    };
    for (exit, wish) in exits.iter().flat_map(|exit| wishes.iter().map(move |wish| (exit, wish))) {
        let mut parts = vec![here.get(&mut query.encoder.terms, exit.source)];
        parts.push(match chain.flip {
            Some(0) => exit.pre(query, &target),
            _ => exit.pre(query, &next.state),
        });
        for &(symbol, value) in wish {
            let after = exit.updates.get(&symbol).copied().unwrap_or(symbol);
            parts.push(query.encoder.terms.eq(after, value));
        }
        let model = match query.model(&parts) {
            Ok(Some(model)) => model,
            Ok(None) | Err(None) => continue,
            Err(Some(stop)) => return Err(stop),
        };
        let mut plan = Plan::default();
        plan.add(exit, values(&query.encoder, &model));
        plan.start(&query.encoder, exit, &model);
        if chain.flip == Some(0) && plan.stationary(&query.encoder, chain) {
            return Ok(Some(plan));
        }
        if plan.execute(query, system, relevant, chain, (exit, &model))? {
            return Ok(Some(plan));
        }
    }
    Ok(None)
}

/// What the loops up to the flip of a chain leave unchanged, with the values in a state from which the last is reached.
fn kept_until(
    query: &mut Query<'_>,
    relevant: &[Term],
    chain: &Chain,
    flip: usize,
) -> Result<Vec<(Term, Term)>, Stop> {
    let link = &chain.links[flip];
    let reached = link.reached.as_ref().unwrap_or(&link.state).clone();
    let mut at = reached.clone();
    if let Some(target) = chain.links.get(flip + 1).and_then(|next| next.leads.clone()) {
        let mut before = Set::new();
        for exit in &link.exits {
            let pre = exit.pre(query, &target);
            before.add(&mut query.encoder.terms, exit.source, pre);
        }
        at = reached.and(&mut query.encoder.terms, &before);
    }
    let crossings = chain.links[1..=flip].iter().flat_map(|link| link.crossing());
    let changed: FxHashSet<Term> = crossings
        .flat_map(|crossing| &crossing.steps)
        .flat_map(|step| step.updates.keys().copied())
        .collect();
    for (_, condition) in at.iter() {
        let model = match query.model(&[condition]) {
            Ok(Some(model)) => model,
            Ok(None) | Err(None) => continue,
            Err(Some(stop)) => return Err(stop),
        };
        let symbols = query.encoder.terms.symbols(condition);
        let kept = relevant.iter().filter(|symbol| symbols.contains(symbol) && !changed.contains(symbol));
        let scalar = |symbol: &&Term| !matches!(query.encoder.terms.sort(**symbol), Sort::Array(..));
        let kept: Vec<Term> = kept.filter(scalar).copied().collect();
        let mut found = Vec::new();
        for symbol in kept {
            let value = query.encoder.terms.evaluate(symbol, &model);
            found.push((symbol, literal(query, &value, symbol)));
        }
        return Ok(found);
    }
    Ok(Vec::new())
}

/// Inputs for a chain that is not shown to reach its end: those that take the program to the second state, and then what its
/// loops would draw if each place drew always the same.
pub fn guess(
    query: &mut Query<'_>,
    system: &System,
    relevant: &[Term],
    chain: &Chain,
) -> Result<Option<Plan>, Stop> {
    let [first, second, ..] = &chain.links[..] else { return Ok(None) };
    let target = second.leads.as_ref().unwrap_or(&second.state).clone();
    let exits = steps(query, system, relevant, (&first.state, &target), true)?;
    for exit in &exits {
        let here = first.state.get(&mut query.encoder.terms, exit.source);
        let pre = exit.pre(query, &target);
        match query.model(&[here, pre]) {
            Ok(Some(model)) => {
                let mut plan = Plan::default();
                plan.add(exit, values(&query.encoder, &model));
                plan.start(&query.encoder, exit, &model);
                plan.stationary(&query.encoder, chain);
                return Ok(Some(plan));
            }
            Ok(None) | Err(None) => {}
            Err(Some(stop)) => return Err(stop),
        }
    }
    Ok(None)
}

impl Plan {
    /// What a step draws in a state, in which terms have these values.
    fn add(&mut self, step: &LeapStep, mut value: impl FnMut(Term) -> Option<Value>) {
        for &(purpose, guard, drawn) in &step.draws {
            let site = match purpose {
                Use::Value(procedure, edge) => (false, procedure, edge),
                Use::Choice(procedure, edge) => (true, procedure, edge),
                Use::Storage(..) => continue,
            };
            if value(guard) == Some(Value::Bool(true))
                && let Some(bits) = value(drawn).as_ref().and_then(Value::as_drawn)
            {
                self.values.entry(site).or_default().push_back(bits);
            }
        }
    }

    /// What storage holds that the first step reads before it is written.
    fn start(&mut self, encoder: &Encoder, step: &LeapStep, model: &Model) {
        // Frames that no term speaks of.
        let mut frame = u32::MAX / 2;
        let mut frames: FxHashMap<(ProcId, u64), Frame> = FxHashMap::default();
        for &(purpose, _, value) in &step.draws {
            let Use::Storage(procedure, var, number) = purpose else { continue };
            let mut evaluate = |term: Term| Some(encoder.terms.evaluate(term, model));
            let known = frames.contains_key(&(procedure, number));
            let own = *frames.entry((procedure, number)).or_insert_with(|| {
                frame += 1;
                Frame(frame)
            });
            if !known {
                self.storage.enter(encoder, (own, procedure), &mut evaluate);
            }
            let size = 16;
            let fresh = Fresh { kind: FreshKind::Renewed(var), parts: vec![(0, size, value)] };
            let local = Fresh { kind: FreshKind::Local(var), ..fresh };
            self.storage.storage(own, &local, &mut evaluate);
        }
    }

    /// Whether each place draws always the same in all loops; then those are the constants.
    fn stationary(&mut self, encoder: &Encoder, chain: &Chain) -> bool {
        let mut constants: FxHashMap<Site, u128> = FxHashMap::default();
        for link in &chain.links[1..] {
            let inner = link.crossing();
            let steps = inner.map(|crossing| &crossing.steps[..]).unwrap_or_default();
            for step in steps.iter().chain(&link.exits) {
                for &(purpose, guard, value) in &step.draws {
                    let site = match purpose {
                        Use::Value(procedure, edge) => (false, procedure, edge),
                        Use::Choice(procedure, edge) => (true, procedure, edge),
                        Use::Storage(..) => return false,
                    };
                    if encoder.terms.as_bool(guard) == Some(false)
                        || encoder.terms.as_bool(step.condition) == Some(false)
                    {
                        continue;
                    }
                    let Some(bits) = constant(encoder, value) else { return false };
                    if *constants.entry(site).or_insert(bits) != bits {
                        return false;
                    }
                }
            }
        }
        self.constants = constants;
        true
    }

    /// Executes the chain from its first state, and notes what is drawn; whether it gets to the end.
    fn execute(
        &mut self,
        query: &mut Query<'_>,
        system: &System,
        relevant: &[Term],
        chain: &Chain,
        (exit, start): (&LeapStep, &Model),
    ) -> Result<bool, Stop> {
        let mut model = start.clone();
        apply(exit, values(&query.encoder, start), &mut model);
        let mut node: NodeId = exit.target;
        let mut rounds = 0;
        let last = chain.links.len() - 1;
        for i in 1..last {
            let link = &chain.links[i];
            let crossing = link.crossing();
            let target = chain.links[i + 1].leads.as_ref().unwrap_or(&chain.links[i + 1].state).clone();
            let leaving = match (crossing, link.exits.is_empty()) {
                (Some(crossing), _) => crossing.exits.clone(),
                (None, false) => link.exits.clone(),
                (None, true) => steps(query, system, relevant, (&link.state, &target), true)?,
            };
            let mut exits = Vec::new();
            for exit in &leaving {
                // A loop is left in its exit port, not before.
                let port = crossing.map(|crossing| crossing.x.get(&mut query.encoder.terms, exit.source));
                let pre = exit.pre(query, &target);
                let port = port.unwrap_or(pre);
                exits.push((exit, query.encoder.terms.and(&[port, pre])));
            }
            let inner: Vec<(&LeapStep, Term)> = crossing
                .iter()
                .flat_map(|crossing| &crossing.steps)
                .map(|step| (step, step.condition))
                .collect();
            let zero = query.small(0);
            for &turn in crossing.iter().flat_map(|crossing| &crossing.turns) {
                let value = query.encoder.terms.evaluate(zero, &model);
                model.values.insert(turn, value);
            }
            let roots: Vec<Term> =
                exits.iter().chain(&inner).flat_map(|&(step, at)| used(step, at)).collect();
            let mut tape = Tape::new(&query.encoder.terms, &roots);
            loop {
                rounds += 1;
                if rounds > MAX_ROUNDS {
                    return Ok(false);
                }
                if rounds % 1024 == 0 {
                    query.budget.check()?;
                }
                tape.run(&query.encoder.terms, &model);
                let value = |term: Term| tape.value(&query.encoder.terms, term, &model);
                let enabled = |&&(step, condition): &&(&LeapStep, Term)| {
                    step.source == node && value(condition) == Some(Value::Bool(true))
                };
                let (step, leaves) = match (exits.iter().find(enabled), inner.iter().find(enabled)) {
                    (Some(&(exit, _)), _) => (exit, true),
                    (None, Some(&(step, _))) => (step, false),
                    (None, None) => return Ok(false),
                };
                self.add(step, value);
                let before = model.clone();
                apply(step, |term| tape.value(&query.encoder.terms, term, &before), &mut model);
                node = step.target;
                if leaves {
                    break;
                }
            }
        }
        Ok(true)
    }
}

/// The terms that taking a step under a condition asks for.
fn used(step: &LeapStep, condition: Term) -> impl Iterator<Item = Term> {
    let drawn = step.draws.iter().flat_map(|&(_, guard, value)| [guard, value]);
    drawn.chain(step.updates.values().copied()).chain([condition])
}

/// The values of terms in a model.
fn values(encoder: &Encoder, model: &Model) -> impl FnMut(Term) -> Option<Value> {
    let mut evaluator = Evaluator::new();
    move |term| evaluator.value(&encoder.terms, term, model)
}

/// The state after a step, from the values of terms before it.
fn apply(step: &LeapStep, mut before: impl FnMut(Term) -> Option<Value>, after: &mut Model) {
    for (&symbol, &value) in &step.updates {
        if let Some(value) = before(value) {
            after.values.insert(symbol, value);
        }
    }
}

fn constant(encoder: &Encoder, term: Term) -> Option<u128> {
    if !encoder.terms.symbols(term).is_empty() {
        return None;
    }
    encoder.terms.evaluate(term, &Model::default()).as_drawn()
}
