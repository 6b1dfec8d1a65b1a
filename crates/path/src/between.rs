//! Predicates from interpolants: what the steps before a point say that those after it contradict.
//!
//! Weakest preconditions and strongest postconditions of a loop that was gone through n times speak of n;
//! the sum of the equations and inequalities before the point, with the multipliers under which all of
//! them contradict each other (Farkas), often does not: two counters that are counted up together are
//! equal each time. So they are asked for at the points that a path passes more than once, and only when
//! the other sources give nothing new or the same again with other constants.

use hardbop_base::{Budget, Stop};
use hardbop_interpolant::{Failure, interpolate};
use hardbop_ir::{ExprId, LocationId, ProcId, Program};
use hardbop_logic::{Sort, Term};
use hardbop_predicate::Predicate;
use hardbop_semantics::path::{PathStep, Walk};
use hardbop_semantics::{Cell, Coder, Decoder, Encoder, Frame, State, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Path;
use crate::atoms::atoms;
use crate::needed::Needed;
use crate::propose::{activations, look_ahead, scoped};
use crate::relations::is_fixed;

/// The most points of a path that are looked at.
const MAX_POINTS: usize = 12;

/// Predicates from interpolants at points that a path which cannot be run passes several times, the latest
/// first. `core` are the steps that contradict each other. The program gets new expressions.
pub fn interpolants(
    subject: Subject<'_>,
    path: &Path,
    core: &[usize],
    budget: &Budget,
) -> Result<Vec<Predicate>, Stop> {
    let positions = activations(path);
    let Subject { program, alias, .. } = subject;
    let points = points(program, path, core);
    let needed = Needed::by(subject, path, core);
    let mut encoder = Encoder::default();
    let mut facts: Vec<(ProcId, Vec<Term>)> = Vec::new();
    {
        let mut coder = encoder.on(subject);
        let reached = reached(&mut coder, path, &points);
        for (point, frame, state, conditions) in reached.into_iter().rev() {
            budget.check()?;
            let procedure = positions[point];
            let after = look_ahead(&mut encoder, subject, path, point, (core, &needed));
            let conditions = conditions.into_iter().filter(|(step, _)| core.binary_search(step).is_ok());
            let conditions: Vec<Term> = conditions.map(|(_, condition)| condition).collect();
            let mut coder = encoder.on(subject);
            let before = before(&mut coder, frame, &state, &conditions, after);
            match interpolate(&mut encoder.terms, before, after, budget) {
                Ok(found) => facts.push((procedure, atoms(&encoder.terms, found))),
                Err(Failure::Stopped(stop)) => return Err(stop),
                Err(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    let mut known = FxHashSet::default();
    for (procedure, atoms) in facts {
        let mut decoder = Decoder::new(&encoder, subject);
        let exprs: Vec<ExprId> = atoms.into_iter().filter_map(|atom| decoder.decode(atom)).collect();
        for expr in exprs {
            found
                .extend(scoped(program, alias, procedure, expr).filter(|&predicate| known.insert(predicate)));
        }
    }
    Ok(found)
}

/// The last points at locations that a path passes more than once, up to its contradiction.
fn points(program: &Program, path: &Path, core: &[usize]) -> Vec<usize> {
    let Some(&last) = core.last() else { return Vec::new() };
    let positions = activations(path);
    let location = |point: usize| -> Option<(ProcId, LocationId)> {
        let procedure = positions[point];
        match path.steps[point] {
            PathStep::Edge(edge) | PathStep::Enter(edge, _) => {
                Some((procedure, program.procedures[procedure].edges[edge].source))
            }
            PathStep::Leave => None,
        }
    };
    let mut visits: FxHashMap<(ProcId, LocationId), usize> = FxHashMap::default();
    for location in (0..=last).filter_map(location) {
        *visits.entry(location).or_default() += 1;
    }
    let is_repeated = |&point: &usize| location(point).is_some_and(|location| visits[&location] > 1);
    let mut points: Vec<usize> = (0..=last).rev().filter(is_repeated).take(MAX_POINTS).collect();
    points.reverse();
    points
}

/// A point with its activation, the state there, and what was asked for on the way.
type Reached = (usize, Frame, State, Vec<(usize, Term)>);

/// What is known at some points, from the start of the program.
fn reached(coder: &mut Coder<'_>, path: &Path, points: &[usize]) -> Vec<Reached> {
    let mut walk = Walk::from_start(coder, path.entry);
    let mut found = Vec::new();
    for (step, &action) in path.steps.iter().enumerate() {
        if points.binary_search(&step).is_ok() {
            found.push((step, walk.frame(), walk.state.clone(), walk.conditions.clone()));
        }
        walk.step(coder, action);
    }
    found
}

/// What holds at a point: the conditions so far, and what the cells hold that matter later. Their names
/// are those of the state at the point, so whatever else the values mention gets another name.
fn before(coder: &mut Coder<'_>, frame: Frame, state: &State, conditions: &[Term], after: Term) -> Term {
    let mut values = Vec::new();
    for symbol in coder.encoder.terms.symbols(after).to_vec() {
        let Some(cell) = coder.encoder.cell_of(symbol) else { continue };
        let there = match cell {
            Cell::Local(Frame::ONLY, var) => Cell::Local(frame, var),
            Cell::Local(..) => continue,
            shared => shared,
        };
        if !matches!(coder.encoder.terms.sort(symbol), Sort::Array(..)) {
            values.push((symbol, coder.get(state, there)));
        }
    }
    let mut renamed: FxHashMap<Term, Term> = FxHashMap::default();
    let used: Vec<Term> = values.iter().map(|&(_, value)| value).chain(conditions.iter().copied()).collect();
    for symbol in coder.encoder.terms.symbols_of(&used) {
        if !is_fixed(coder, symbol) {
            let sort = coder.encoder.terms.sort(symbol);
            renamed.insert(symbol, coder.encoder.terms.fresh("before", sort));
        }
    }
    let terms = &mut coder.encoder.terms;
    let mut all: Vec<Term> =
        conditions.iter().map(|&condition| terms.substitute(condition, &renamed)).collect();
    for (symbol, value) in values {
        let value = terms.substitute(value, &renamed);
        all.push(terms.eq(symbol, value));
    }
    terms.and(&all)
}
