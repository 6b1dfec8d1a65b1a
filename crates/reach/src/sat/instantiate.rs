//! The weakest-precondition equation of a block for given arguments: the paper's `Instantiate(b, u)`.
//!
//! The block is run forward from its arguments, along every edge up to where other blocks start. Each
//! way through it gives one conjunct: *guard ⇒ term*, or *¬guard* if it ends at the goal; that is
//! wp(S, ⋀ G) of (1) and (2) with the substitutions carried out. A value that may be one of two splits
//! the way; so does a value chosen before but read only now ([`Arg::ANY`]).
//!
//! A term's equation depends on nothing but its block and its arguments. It is made once, however many
//! triples stand for the term.

use hardbop_base::Budget;
use hardbop_bp::{Action, Assign, Call, EdgeId, Expr, Flow, FlowStep, LocId, VarId, VarKind};
use rustc_hash::FxHashMap;

use super::Halt;
use super::args::{Arg, Args};
use super::circuit::{Circuit, Gate, Lit};
use super::eval::{Diagrams, Gates, Stuck, evaluate};
use super::inline::{ContextId, Contexts};
use super::order::Order;
use super::relevance::{Relevance, constrains};
use super::stamp::Hop;
use super::terms::{Equation, Link, TermId, Terms};

/// Everything that equations are made from and with.
pub(super) struct Maker<'a> {
    pub flow: &'a Flow,
    pub budget: &'a Budget,
    pub order: Order,
    pub relevance: Relevance,
    pub contexts: Contexts,
    pub terms: Terms,
    pub args: Args,
    pub circuit: Circuit,
}

/// One way through a block.
#[derive(Debug)]
pub(super) struct BlockPath {
    /// Conditions that all hold on it.
    pub guard: Vec<Lit>,
    /// The term it leads to; nothing if it goes wrong.
    pub target: Option<(TermId, Hop)>,
    /// What is done on it.
    pub events: Vec<Event>,
}

/// What happens on a way.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// A variable, chosen before, turns out to have this value.
    Fix(VarId, bool),
    /// A step, with the variables that it assigns (in the activation it leads to).
    Step(Action, Vec<(VarId, New)>),
}

/// What a step assigns to a variable.
#[derive(Debug, Clone, Copy)]
pub(super) enum New {
    /// This value.
    Value(Arg),
    /// Any value, to be chosen when it is read.
    Free,
    /// The old value of another variable, which was not chosen and is not needed otherwise.
    Moved(VarId),
    /// Some value of its expression; it is not needed.
    Unneeded,
}

impl New {
    fn arg(self) -> Arg {
        match self {
            New::Value(arg) => arg,
            New::Free | New::Moved(_) | New::Unneeded => Arg::ANY,
        }
    }
}

/// One way in which a step can turn out: the guard of the run from then on, and the new values.
type StepResult = (Vec<Lit>, Vec<(VarId, New)>);

/// A run within a block.
#[derive(Debug, Clone)]
struct Run {
    context: ContextId,
    location: LocId,
    globals: Vec<Arg>,
    locals: Vec<Arg>,
    /// What the callers need back, outermost first.
    inherited: Vec<Arg>,
    guard: Vec<Lit>,
    /// The fewest open calls so far.
    low: u32,
    events: Option<Vec<Event>>,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    /// At a location, in the middle of the block.
    Inside,
    /// At a location after a step, which came back if the flag is set.
    Arrived { retreats: bool },
    /// About to take an edge.
    Take(EdgeId),
    /// About to return to the caller.
    Return,
}

impl Maker<'_> {
    /// The equation of a term.
    pub fn equation(&mut self, term: TermId) -> Result<Equation, Halt> {
        let ways = self.ways(term, false)?;
        Ok(self.collect(ways))
    }

    /// All ways through the block of a term.
    pub fn ways(&mut self, term: TermId, with_events: bool) -> Result<Vec<BlockPath>, Halt> {
        let mut ways = Vec::new();
        let mut stack = vec![(self.unpack(term, with_events), Stage::Inside)];
        while let Some((run, stage)) = stack.pop() {
            self.budget.check().map_err(Halt::Stopped)?;
            match self.advance(&run, stage, &mut stack, &mut ways) {
                Ok(()) => {}
                Err(Stuck::Unchosen(variable, _)) => {
                    for value in [true, false] {
                        let mut run = run.clone();
                        self.set(&mut run, variable, Arg::constant(value));
                        if let Some(events) = &mut run.events {
                            events.push(Event::Fix(variable, value));
                        }
                        stack.push((run, stage));
                    }
                }
                Err(Stuck::Halt(halt)) => return Err(halt),
            }
        }
        Ok(ways)
    }

    fn advance(
        &mut self,
        run: &Run,
        stage: Stage,
        stack: &mut Vec<(Run, Stage)>,
        ways: &mut Vec<BlockPath>,
    ) -> Result<(), Stuck> {
        match stage {
            Stage::Arrived { retreats } => {
                let starts = self.order.starts_block(run.location);
                if self.relevance.goal_ahead(run.location) {
                    if starts && !self.relevance.is_goal(run.location) {
                        let term = self.pack(run);
                        let hop = Hop::Go { low: run.low, retreats };
                        ways.push(way(run, Some((term, hop))));
                    } else {
                        stack.push((run.clone(), Stage::Inside));
                    }
                }
            }
            Stage::Inside => {
                let procedure = &self.flow.procedures[self.contexts.procedure(run.context)];
                let mut run = run.clone();
                if let Some(enforce) = &procedure.enforce
                    && !self.assume(&mut run, enforce)?
                {
                    return Ok(());
                }
                if self.relevance.is_goal(run.location) {
                    ways.push(way(&run, None));
                    return Ok(());
                }
                if run.location == procedure.exit && run.context != ContextId::MAIN {
                    stack.push((run.clone(), Stage::Return));
                }
                let edges = self.flow.locations[run.location].successors.iter().rev();
                stack.extend(edges.map(|edge| (run.clone(), Stage::Take(*edge))));
            }
            Stage::Take(edge) => self.take(run, edge, stack)?,
            Stage::Return => self.leave(run, stack),
        }
        Ok(())
    }

    fn take(&mut self, run: &Run, id: EdgeId, stack: &mut Vec<(Run, Stage)>) -> Result<(), Stuck> {
        let flow = self.flow;
        let edge = &flow.edges[id];
        match &edge.step {
            FlowStep::Skip => stack.push(self.moved(run.clone(), id, Vec::new())),
            FlowStep::Assume(e) => {
                let mut run = run.clone();
                if self.assume(&mut run, e)? {
                    stack.push(self.moved(run, id, Vec::new()));
                }
            }
            FlowStep::Assign(assign) => {
                if !self.relevance.goal_ahead(edge.target) {
                    return Ok(());
                }
                for (guard, news) in self.outcomes_of_assign(run, assign, edge.target)?.into_iter().rev() {
                    let mut run = run.clone();
                    run.guard = guard;
                    for (variable, new) in &news {
                        self.set(&mut run, *variable, new.arg());
                    }
                    stack.push(self.moved(run, id, news));
                }
            }
            FlowStep::Call(call) => self.enter(run, id, call, stack)?,
        }
        Ok(())
    }

    /// The run behind an edge that is not a call.
    fn moved(&self, mut run: Run, edge: EdgeId, news: Vec<(VarId, New)>) -> (Run, Stage) {
        run.location = self.flow.edges[edge].target;
        if let Some(events) = &mut run.events {
            events.push(Event::Step(Action::Edge(edge), news));
        }
        (run, self.arrived(edge))
    }

    fn arrived(&self, edge: EdgeId) -> Stage {
        let edge = &self.flow.edges[edge];
        let retreats = self.order.place(edge.source).retreats_to(self.order.place(edge.target));
        Stage::Arrived { retreats }
    }

    fn enter(
        &mut self,
        run: &Run,
        id: EdgeId,
        call: &Call,
        stack: &mut Vec<(Run, Stage)>,
    ) -> Result<(), Stuck> {
        let flow = self.flow;
        let callee = &flow.procedures[call.callee];
        if !self.relevance.goal_ahead(callee.entry) {
            return Ok(());
        }
        let updates: Vec<(VarId, &Expr)> = callee.formals().iter().copied().zip(&call.args).collect();
        let needed = |v: VarId, maker: &Self| maker.relevance.is_needed(callee.entry, v);
        let movable = |v: VarId, maker: &Self| {
            let survives = match flow.variables[v].owner {
                None => maker.relevance.is_needed(callee.entry, v),
                Some(_) => maker.relevance.kept(flow, id).any(|kept| kept == v),
            };
            !survives && occurrences(call.args.iter(), v) == 1
        };
        let outcomes = self.outcomes(run, &updates, &needed, &movable)?;
        let context = self.contexts.enter(flow, run.context, id, call.callee)?;
        for (guard, mut news) in outcomes.into_iter().rev() {
            let mut run = run.clone();
            let kept: Vec<Arg> = self.relevance.kept(flow, id).map(|v| self.get(&run, v)).collect();
            run.inherited.extend(kept);
            run.guard = guard;
            run.context = context;
            run.location = callee.entry;
            for &local in &callee.locals[callee.formal_count..] {
                let result = flow.variables[local].kind == VarKind::Result;
                news.push((local, if result { New::Value(Arg::FALSE) } else { New::Free }));
            }
            run.locals = news.iter().map(|(_, new)| new.arg()).collect();
            if let Some(events) = &mut run.events {
                events.push(Event::Step(Action::Call(id), news));
            }
            stack.push((run, Stage::Arrived { retreats: false }));
        }
        Ok(())
    }

    fn leave(&mut self, run: &Run, stack: &mut Vec<(Run, Stage)>) {
        let flow = self.flow;
        let call_edge = self.contexts.call(run.context);
        let (Some((caller, _)), Some(id)) = (self.contexts.caller(run.context), call_edge) else { return };
        let FlowStep::Call(call) = &flow.edges[id].step else { return };
        let mut next = run.clone();
        next.context = caller;
        next.location = flow.edges[id].target;
        next.low = next.low.min(self.contexts.depth(caller));
        next.locals = vec![Arg::ANY; flow.procedures[self.contexts.procedure(caller)].locals.len()];
        let kept = self.relevance.kept(flow, id);
        let saved = next.inherited.split_off(next.inherited.len() - kept.clone().count());
        for (local, arg) in kept.zip(saved) {
            next.locals[flow.variables[local].slot] = arg;
        }
        let mut news = Vec::new();
        for (target, result) in call.targets.iter().zip(flow.procedures[call.callee].results()) {
            if let Some(target) = target {
                let arg = self.get(run, *result);
                self.set(&mut next, *target, arg);
                news.push((*target, New::Moved(*result)));
            }
        }
        if let Some(events) = &mut next.events {
            events.push(Event::Step(Action::Return(id), news));
        }
        stack.push((next, self.arrived(id)));
    }
}

/// Values and conditions.
impl Maker<'_> {
    /// Adds a condition to the guard; false if the run cannot go on.
    fn assume(&mut self, run: &mut Run, expr: &Expr) -> Result<bool, Stuck> {
        let flow = self.flow;
        let mut gates = Gates { circuit: &mut self.circuit, args: &mut self.args };
        let possible = evaluate(&mut gates, expr, &|variable, _| get(flow, run, variable))?;
        Ok(self.restrict(&mut run.guard, possible.yes))
    }

    /// Adds a condition, and its conjuncts one by one; false if that is a contradiction.
    fn restrict(&self, guard: &mut Vec<Lit>, condition: Lit) -> bool {
        let mut stack = vec![condition];
        while let Some(lit) = stack.pop() {
            if lit == Lit::FALSE || guard.contains(&lit.negated()) {
                return false;
            }
            match self.circuit.gate(lit) {
                Gate::And(a, b) if !lit.is_negated() => stack.extend([b, a]),
                _ if lit == Lit::TRUE || guard.contains(&lit) => {}
                _ => guard.push(lit),
            }
        }
        true
    }

    /// The ways in which an assignment can turn out.
    fn outcomes_of_assign(
        &mut self,
        run: &Run,
        assign: &Assign,
        target: LocId,
    ) -> Result<Vec<StepResult>, Stuck> {
        let updates: Vec<(VarId, &Expr)> = assign.updates.iter().map(|(v, e)| (*v, e)).collect();
        let needed = |v: VarId, maker: &Self| maker.relevance.is_needed(target, v) || constrains(assign, v);
        let movable = |v: VarId, maker: &Self| {
            let overwritten = assign.updates.iter().any(|(t, _)| *t == v);
            let values = assign.updates.iter().map(|(_, e)| e).chain(&assign.constrain);
            (overwritten || !maker.relevance.is_needed(target, v)) && occurrences(values, v) == 1
        };
        let outcomes = self.outcomes(run, &updates, &needed, &movable)?;
        let Some(constrain) = &assign.constrain else { return Ok(outcomes) };
        let mut kept = Vec::new();
        let mut stack: Vec<_> = outcomes.into_iter().rev().collect();
        while let Some((mut guard, news)) = stack.pop() {
            let flow = self.flow;
            let new_of = |variable: VarId| news.iter().find(|(v, _)| *v == variable).map(|(_, new)| *new);
            let mut gates = Gates { circuit: &mut self.circuit, args: &mut self.args };
            let possible = evaluate(&mut gates, constrain, &|variable, next| match new_of(variable) {
                Some(new) if next => new.arg(),
                _ => get(flow, run, variable),
            });
            match possible {
                Ok(possible) => {
                    if self.restrict(&mut guard, possible.yes) {
                        kept.push((guard, news));
                    }
                }
                Err(Stuck::Unchosen(variable, true)) => match new_of(variable) {
                    None => return Err(Stuck::Unchosen(variable, false)),
                    Some(New::Moved(source)) => return Err(Stuck::Unchosen(source, false)),
                    Some(_) => {
                        for value in [true, false] {
                            let mut news = news.clone();
                            let chosen = New::Value(Arg::constant(value));
                            news.iter_mut()
                                .filter(|(v, _)| *v == variable)
                                .for_each(|(_, new)| *new = chosen);
                            stack.push((guard.clone(), news));
                        }
                    }
                },
                Err(stuck) => return Err(stuck),
            }
        }
        Ok(kept)
    }

    /// The ways in which values can turn out, all taken from the same state.
    fn outcomes(
        &mut self,
        run: &Run,
        updates: &[(VarId, &Expr)],
        needed: &dyn Fn(VarId, &Self) -> bool,
        movable: &dyn Fn(VarId, &Self) -> bool,
    ) -> Result<Vec<StepResult>, Stuck> {
        let mut outcomes = vec![(run.guard.clone(), Vec::new())];
        for &(variable, expr) in updates {
            let variants = match expr {
                _ if !needed(variable, self) => vec![(Lit::TRUE, New::Unneeded)],
                Expr::Var(source) if self.get(run, *source) == Arg::ANY && movable(*source, self) => {
                    vec![(Lit::TRUE, New::Moved(*source))]
                }
                _ => self.variants(run, expr)?,
            };
            let mut longer = Vec::new();
            for (guard, news) in outcomes {
                for &(condition, new) in &variants {
                    let (mut guard, mut news): StepResult = (guard.clone(), news.clone());
                    if self.restrict(&mut guard, condition) {
                        news.push((variable, new));
                        longer.push((guard, news));
                    }
                }
            }
            outcomes = longer;
        }
        Ok(outcomes)
    }

    /// The values of an expression, each with the condition under which it is possible.
    fn variants(&mut self, run: &Run, expr: &Expr) -> Result<Vec<(Lit, New)>, Stuck> {
        let flow = self.flow;
        let lookup = |variable: VarId, _: bool| get(flow, run, variable);
        let mut gates = Gates { circuit: &mut self.circuit, args: &mut self.args };
        let possible = evaluate(&mut gates, expr, &lookup)?;
        if possible.yes == Lit::TRUE && possible.no == Lit::TRUE {
            return Ok(vec![(Lit::TRUE, New::Free)]);
        }
        if possible.exact || possible.yes == possible.no.negated() {
            let function = evaluate(&mut Diagrams { args: &self.args }, expr, &lookup)?.yes;
            return Ok(vec![(Lit::TRUE, New::Value(self.args.intern(function)))]);
        }
        Ok(vec![(possible.no, New::Value(Arg::FALSE)), (possible.yes, New::Value(Arg::TRUE))])
    }

    fn get(&self, run: &Run, variable: VarId) -> Arg {
        get(self.flow, run, variable)
    }

    fn set(&self, run: &mut Run, variable: VarId, arg: Arg) {
        let variable = &self.flow.variables[variable];
        let values = if variable.owner.is_none() { &mut run.globals } else { &mut run.locals };
        values[variable.slot] = arg;
    }
}

/// From terms to runs and back.
impl Maker<'_> {
    fn unpack(&self, term: TermId, with_events: bool) -> Run {
        let block = self.terms.block_of(term);
        let procedure = &self.flow.procedures[self.contexts.procedure(block.context)];
        let mut run = Run {
            context: block.context,
            location: block.location,
            globals: vec![Arg::ANY; self.flow.globals.len()],
            locals: vec![Arg::ANY; procedure.locals.len()],
            inherited: Vec::new(),
            guard: Vec::new(),
            low: self.contexts.depth(block.context),
            events: with_events.then(Vec::new),
        };
        let (globals, locals) =
            (self.relevance.globals(block.location), self.relevance.locals(block.location));
        let (own, inherited) = self.terms.args(term).split_at(globals.len() + locals.len());
        for (variable, arg) in globals.iter().chain(locals).zip(own) {
            self.set(&mut run, *variable, *arg);
        }
        run.inherited = inherited.to_vec();
        run
    }

    fn pack(&mut self, run: &Run) -> TermId {
        let (globals, locals) = (self.relevance.globals(run.location), self.relevance.locals(run.location));
        let own = globals.iter().chain(locals).map(|v| self.get(run, *v));
        let args = own.chain(run.inherited.iter().copied()).collect();
        let block = self.terms.block(self.flow, &self.relevance, &self.contexts, run.context, run.location);
        self.terms.intern(block, args)
    }

    /// The ways as an equation: those that lead to the same term are joined, and conditions are left
    /// out that hold wherever the block does not go wrong anyway.
    fn collect(&mut self, mut ways: Vec<BlockPath>) -> Equation {
        let wrong_at_once: Vec<Lit> = ways
            .iter()
            .filter(|way| way.target.is_none() && way.guard.len() <= 1)
            .map(|way| way.guard.first().copied().unwrap_or(Lit::TRUE))
            .collect();
        if wrong_at_once.contains(&Lit::TRUE) {
            return Equation { wrong: Lit::TRUE, links: Vec::new() };
        }
        ways.retain(|way| {
            let implied = way.guard.iter().any(|lit| wrong_at_once.contains(lit));
            !implied || (way.target.is_none() && way.guard.len() == 1)
        });
        let mut equation = Equation { wrong: Lit::FALSE, links: Vec::new() };
        let mut positions = FxHashMap::default();
        for way in ways {
            let mut guard = Lit::TRUE;
            for lit in way.guard {
                if !wrong_at_once.contains(&lit.negated()) {
                    guard = self.circuit.and(guard, lit);
                }
            }
            match way.target {
                None => equation.wrong = self.circuit.or(equation.wrong, guard),
                Some((term, hop)) => {
                    let next = equation.links.len();
                    let position = *positions.entry((term, hop)).or_insert(next);
                    match equation.links.get_mut(position) {
                        Some(link) => link.guard = self.circuit.or(link.guard, guard),
                        None => equation.links.push(Link { guard, term, hop }),
                    }
                }
            }
        }
        equation.links.retain(|link| link.guard != Lit::FALSE);
        equation
    }
}

fn get(flow: &Flow, run: &Run, variable: VarId) -> Arg {
    let variable = &flow.variables[variable];
    if variable.owner.is_none() { run.globals[variable.slot] } else { run.locals[variable.slot] }
}

fn way(run: &Run, target: Option<(TermId, Hop)>) -> BlockPath {
    BlockPath { guard: run.guard.clone(), target, events: run.events.clone().unwrap_or_default() }
}

/// How often the variable is read in the expressions.
fn occurrences<'e>(exprs: impl Iterator<Item = &'e Expr>, variable: VarId) -> usize {
    let mut count = 0;
    for expr in exprs {
        expr.visit(&mut |e| count += usize::from(*e == Expr::Var(variable) || *e == Expr::Next(variable)));
    }
    count
}
