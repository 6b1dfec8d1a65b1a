//! From a solution to a trace (§3: restrict the graph to the negated triples).
//!
//! Among the triples that the solution negates, a breadth-first search finds the fewest that lead from
//! the first one to a block that goes wrong. Their blocks are run again, this time with a record of the
//! steps. What a run chose but did not look at becomes known later or not at all, so values are cells
//! that several moments share: a first pass collects what is known of them, a second one fills in the
//! rest and evaluates what no term needed.

use std::collections::VecDeque;

use hardbop_bp::{Action, Expr, FlowStep, LocId, State as Moment, Trace, VarId};
use rustc_hash::FxHashMap;

use super::Halt;
use super::circuit::Lit;
use super::closure::{Closure, State, TripleId};
use super::instantiate::{Event, New};
use super::stamp::Hop;
use super::terms::TermId;

/// The trace of the solution that the solver holds.
pub(super) fn extract(closure: &mut Closure) -> Result<Trace, Halt> {
    let inputs = closure.maker.terms.initial().len() as u32;
    let initial: Vec<bool> = (0..inputs)
        .map(|i| closure.problem.condition_value(closure.maker.circuit.input(i)).unwrap_or(false))
        .collect();
    let mut gates = Vec::new();
    closure.maker.circuit.extend_values(&initial, &mut gates);
    let path = shortest_path(closure, &gates).ok_or_else(|| defect("no path in the solution"))?;
    let mut cells = Cells::start(closure, &initial);
    for (i, &triple) in path.iter().enumerate() {
        let next = path.get(i + 1).map(|next| closure.triples[next.index()].term);
        for event in events(closure, triple, next, &initial, &mut gates)? {
            cells.apply(closure, event, &initial)?;
        }
    }
    Ok(cells.fill(closure))
}

fn defect(what: &str) -> Halt {
    Halt::Defect(what.to_owned())
}

/// The fewest negated triples from the first one to one whose block goes wrong.
fn shortest_path(closure: &Closure, gates: &[bool]) -> Option<Vec<TripleId>> {
    let root = TripleId::from_usize(0);
    let mut parents: FxHashMap<TripleId, Option<TripleId>> = FxHashMap::from_iter([(root, None)]);
    let mut queue = VecDeque::from([root]);
    while let Some(id) = queue.pop_front() {
        let triple = &closure.triples[id.index()];
        let State::Defined(targets) = &triple.state else { continue };
        let equation = closure.maker.terms.equation(triple.term)?;
        if equation.wrong.value(gates) {
            let mut path = vec![id];
            let mut at = id;
            while let Some(&Some(parent)) = parents.get(&at) {
                path.push(parent);
                at = parent;
            }
            path.reverse();
            return Some(path);
        }
        for (link, &target) in equation.links.iter().zip(targets) {
            let negated = closure.problem.value(closure.triples[target.index()].variable);
            if negated && link.guard.value(gates) && !parents.contains_key(&target) {
                parents.insert(target, Some(id));
                queue.push_back(target);
            }
        }
    }
    None
}

/// What happens in the block of a triple on the way to the next term, or to the goal.
fn events(
    closure: &mut Closure,
    triple: TripleId,
    next: Option<TermId>,
    initial: &[bool],
    gates: &mut Vec<bool>,
) -> Result<Vec<Event>, Halt> {
    let term = closure.triples[triple.index()].term;
    let links = closure.maker.terms.equation(term).map(|equation| equation.links.as_slice());
    if links.is_some_and(|links| links.iter().any(|link| link.hop == Hop::Stay)) {
        return Ok(Vec::new());
    }
    let ways = closure.maker.ways(term, true)?;
    closure.maker.circuit.extend_values(initial, gates);
    let holds = |guard: &[Lit]| guard.iter().all(|lit| lit.value(gates));
    ways.into_iter()
        .find(|way| way.target.map(|(term, _)| term) == next && holds(&way.guard))
        .map(|way| way.events)
        .ok_or_else(|| defect("no way through a block of the solution"))
}

/// A value that may not be known yet.
type CellIndex = usize;

/// A run whose values are cells.
struct Cells {
    known: Vec<Option<bool>>,
    globals: Vec<CellIndex>,
    /// The open activations, innermost last.
    frames: Vec<Vec<CellIndex>>,
    start: (LocId, Vec<CellIndex>, Vec<CellIndex>),
    steps: Vec<CellStep>,
}

struct CellStep {
    action: Action,
    location: LocId,
    depth: usize,
    globals: Vec<CellIndex>,
    locals: Vec<CellIndex>,
    /// Cells that get the value of an expression, over the moment before.
    unneeded: Vec<(CellIndex, Expr)>,
}

impl Cells {
    fn start(closure: &Closure, initial: &[bool]) -> Self {
        let flow = closure.maker.flow;
        let main = &flow.procedures[flow.main];
        let mut known = Vec::new();
        let mut cells = |variables: &[VarId]| -> Vec<CellIndex> {
            let mut cells = Vec::new();
            for variable in variables {
                let number = closure.maker.terms.number(*variable);
                let is_result = main.results().contains(variable);
                known.push(if is_result {
                    Some(false)
                } else {
                    number.map(|number| initial[number as usize])
                });
                cells.push(known.len() - 1);
            }
            cells
        };
        let (globals, locals) = (cells(&flow.globals), cells(&main.locals));
        let start = (main.entry, globals.clone(), locals.clone());
        Cells { known, globals, frames: vec![locals], start, steps: Vec::new() }
    }

    fn apply(&mut self, closure: &Closure, event: Event, initial: &[bool]) -> Result<(), Halt> {
        let (action, news) = match event {
            Event::Fix(variable, value) => {
                let cell = self.cell(closure, variable)?;
                return match self.known[cell].replace(value) {
                    Some(other) if other != value => Err(defect("a value was chosen twice")),
                    _ => Ok(()),
                };
            }
            Event::Step(action, news) => (action, news),
        };
        let flow = closure.maker.flow;
        let edge = &flow.edges[action.edge()];
        let mut unneeded = Vec::new();
        let mut values = Vec::new();
        for (variable, new) in news {
            let cell = match new {
                New::Value(arg) => self.fresh(closure.maker.args.eval(arg, initial)),
                New::Free => self.fresh(None),
                New::Moved(source) => self.cell(closure, source)?,
                New::Unneeded => {
                    let cell = self.fresh(None);
                    let value = assigned(&edge.step, closure, variable);
                    unneeded.push((cell, value.ok_or_else(|| defect("an unknown assignment"))?));
                    cell
                }
            };
            values.push((variable, cell));
        }
        let location = match (&action, &edge.step) {
            (Action::Call(_), FlowStep::Call(call)) => {
                let callee = &flow.procedures[call.callee];
                self.frames.push(vec![0; callee.locals.len()]);
                callee.entry
            }
            (Action::Return(_), _) => {
                self.frames.pop();
                edge.target
            }
            _ => edge.target,
        };
        for (variable, cell) in values {
            *self.slot(closure, variable)? = cell;
        }
        let locals = self.frames.last().cloned().ok_or_else(|| defect("a return without a call"))?;
        let (globals, depth) = (self.globals.clone(), self.frames.len() - 1);
        self.steps.push(CellStep { action, location, depth, globals, locals, unneeded });
        Ok(())
    }

    fn fresh(&mut self, value: Option<bool>) -> CellIndex {
        self.known.push(value);
        self.known.len() - 1
    }

    fn cell(&mut self, closure: &Closure, variable: VarId) -> Result<CellIndex, Halt> {
        self.slot(closure, variable).copied()
    }

    fn slot(&mut self, closure: &Closure, variable: VarId) -> Result<&mut CellIndex, Halt> {
        let variable = &closure.maker.flow.variables[variable];
        let cells = match variable.owner {
            None => Some(&mut self.globals),
            Some(_) => self.frames.last_mut(),
        };
        cells.and_then(|cells| cells.get_mut(variable.slot)).ok_or_else(|| defect("an unknown variable"))
    }

    /// The trace, with any value for what is still unknown.
    fn fill(mut self, closure: &Closure) -> Trace {
        let moment =
            |known: &[Option<bool>], location, depth, globals: &[CellIndex], locals: &[CellIndex]| {
                let value = |cell: &CellIndex| known[*cell].unwrap_or(false);
                let (globals, locals) =
                    (globals.iter().map(value).collect(), locals.iter().map(value).collect());
                Moment { location, depth, globals, locals }
            };
        let (location, globals, locals) = &self.start;
        let mut trace = Trace::new(moment(&self.known, *location, 0, globals, locals));
        for step in &self.steps {
            for (cell, value) in &step.unneeded {
                let value = outcome(closure, value, trace.last());
                self.known[*cell] = Some(value);
            }
            let state = moment(&self.known, step.location, step.depth, &step.globals, &step.locals);
            trace.push(step.action, state);
        }
        trace
    }
}

/// What the step assigns to the variable.
fn assigned(step: &FlowStep, closure: &Closure, variable: VarId) -> Option<Expr> {
    match step {
        FlowStep::Assign(assign) => {
            assign.updates.iter().find(|(v, _)| *v == variable).map(|(_, e)| e.clone())
        }
        FlowStep::Call(call) => {
            let formals = closure.maker.flow.procedures[call.callee].formals();
            formals.iter().zip(&call.args).find(|(v, _)| **v == variable).map(|(_, e)| e.clone())
        }
        FlowStep::Skip | FlowStep::Assume(_) => None,
    }
}

/// A value that the expression can take: with every choice false.
fn outcome(closure: &Closure, expr: &Expr, state: &Moment) -> bool {
    let go = |e: &Expr| outcome(closure, e, state);
    match expr {
        Expr::Const(value) => *value,
        Expr::Var(variable) | Expr::Next(variable) => state.value(closure.maker.flow, *variable),
        Expr::Choice => false,
        Expr::Schoose(yes, _) => go(yes),
        Expr::Not(e) => !go(e),
        Expr::And(operands) => operands.iter().all(go),
        Expr::Or(operands) => operands.iter().any(go),
        Expr::Xor(operands) => operands.iter().filter(|e| go(e)).count() % 2 == 1,
        Expr::Eq(a, b) => go(a) == go(b),
        Expr::Implies(a, b) => !go(a) || go(b),
    }
}
