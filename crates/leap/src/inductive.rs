//! Conditions at the heads of loops that all runs satisfy, found without a path: those that keep errors away.
//!
//! Refinement learns from one path after the other, and a loop has endlessly many. Here many conditions
//! are guessed at once: what the program compares, differences, and what a few runs have in common (linear equations
//! and remainders). Of these, the ones that every step keeps are an invariant; and of these again, the ones
//! that it takes to keep errors away, and what these in turn rest on, are few.
//!
//! They are proposals: the system leaves out some runs (see [`System`]).

use std::collections::BTreeSet;

use hardbop_base::{Budget, Stop};
use hardbop_ir::{LocationId, ProcId};
use hardbop_logic::{Model, Node, Sort, Term, Value};
use hardbop_semantics::{Cell, Encoder, Frame, Subject};
use rustc_hash::FxHashMap;

use crate::affine::equations;
use crate::choice::{LeapStep, Schedule, open_step};
use crate::invariant::{candidates, constants, keep_inductive};
use crate::leap::relevant;
use crate::query::Query;
use crate::sample::samples;
use crate::set::Set;
use crate::system::{Failure, Kind, NodeId, System};

/// Larger systems are not tried.
const MAX_NODES: usize = 24;
const MAX_BRANCHES: usize = 160;

/// The most variables in equations, and in differences.
const MAX_SYMBOLS: usize = 10;
const MAX_DIFFERENCES: usize = 5;

/// The most constants that are compared with.
const MAX_CONSTANTS: usize = 12;

/// Divisors of remainders.
const DIVISORS: [u128; 5] = [2, 3, 4, 5, 8];

/// Conditions, each with the head of its loop, as terms over the only frame of the encoder.
pub type Proposals = (Encoder, Vec<(ProcId, LocationId, Term)>);

/// Conditions that keep errors away from a program, or from some of its branches.
pub fn inductive(subject: Subject<'_>, budget: &Budget) -> Result<Proposals, Failure> {
    let mut query = Query::new(subject, budget);
    let system = System::of(subject, &mut query.encoder, &Schedule::default(), budget)?;
    if system.nodes.len() > MAX_NODES || system.branches.len() > MAX_BRANCHES {
        return Err(Failure::TooLarge);
    }
    let relevant = relevant(&query, &system, &[]);
    let steps: Vec<LeapStep> = system
        .branches
        .iter()
        .enumerate()
        .map(|(number, branch)| open_step(&mut query, number, branch, &relevant))
        .collect();
    let samples = samples(&mut query, &system, &steps)?;
    let mut guessed: Vec<(NodeId, Vec<Term>)> = Vec::new();
    for (node, samples) in samples.iter().enumerate() {
        let found = match system.nodes[node].kind {
            Kind::Head => guesses(&mut query, &system, &steps, node, &relevant, samples),
            _ => Vec::new(),
        };
        guessed.push((node, found));
    }
    let mut everywhere = Set::new();
    let truth = query.encoder.terms.bool(true);
    for node in 0..system.nodes.len() {
        everywhere.add(&mut query.encoder.terms, node, truth);
    }
    let start = Set::at(0, truth);
    let kept = keep_inductive(&mut query, &steps, (&start, &everywhere), guessed)?;
    let needed = needed(&mut query, &system, &steps, &kept)?;
    let mut found = Vec::new();
    for (node, term) in needed {
        if let (Some(procedure), Some(term)) =
            (system.procedure(node), innermost(&mut query, &system, node, term))
        {
            found.push((procedure, system.nodes[node].location, term));
        }
    }
    Ok((query.encoder, found))
}

/// What may hold at a node.
fn guesses(
    query: &mut Query<'_>,
    system: &System,
    steps: &[LeapStep],
    node: NodeId,
    relevant: &[Term],
    samples: &[Model],
) -> Vec<Term> {
    let depth = system.nodes[node].stack.len();
    let nothing = Set::new();
    let mut found = candidates(query, steps, (&nothing, &nothing), depth, relevant);
    let own = |query: &Query<'_>, t: Term| {
        let symbols = query.encoder.terms.symbols(t);
        symbols.iter().all(|symbol| relevant.contains(symbol) && query.in_scope(*symbol, depth))
    };
    let conditions: Vec<Term> = steps.iter().map(|step| step.condition).collect();
    for t in query.encoder.terms.subterms(&conditions) {
        let sides = match *query.encoder.terms.node(t) {
            Node::BvSle(a, b) | Node::BvUle(a, b) | Node::IntLe(a, b) => (a, b),
            _ => continue,
        };
        if own(query, t) {
            found.extend(compared(query, t, sides));
        }
    }
    let symbols: Vec<Term> = relevant
        .iter()
        .copied()
        .filter(|&symbol| query.in_scope(symbol, depth))
        .filter(|&symbol| matches!(query.encoder.terms.sort(symbol), Sort::Int | Sort::BitVec(2..=64)))
        .collect();
    differences(query, &conditions, &symbols, &mut found);
    if samples.len() > 2 {
        common(query, &symbols, samples, &mut found);
    }
    found.retain(|&t| query.encoder.terms.as_bool(t).is_none() && own(query, t));
    found.sort_unstable();
    found.dedup();
    let terms = &query.encoder.terms;
    found.retain(|&t| samples.iter().all(|model| terms.try_evaluate(t, model) == Some(Value::Bool(true))));
    found
}

/// A comparison of the program and its neighbours: when a loop ends, its variable has often just reached a limit.
fn compared(query: &mut Query<'_>, t: Term, (a, b): (Term, Term)) -> Vec<Term> {
    let signed = matches!(query.encoder.terms.node(t), Node::BvSle(..));
    let terms = &mut query.encoder.terms;
    let mut found = vec![terms.eq(a, b), t];
    let (x, y) = match terms.sort(a) {
        Sort::BitVec(width) => {
            let one = terms.bv(1, width);
            (terms.bv_add(b, one), terms.bv_add(a, one))
        }
        _ => {
            let one = terms.int(1);
            (terms.int_add(b, one), terms.int_add(a, one))
        }
    };
    for (a, b) in [(b, a), (a, x), (b, y)] {
        found.push(match (terms.sort(a), signed) {
            (Sort::BitVec(_), true) => terms.bv_sle(a, b),
            (Sort::BitVec(_), false) => terms.bv_ule(a, b),
            _ => terms.int_le(a, b),
        });
    }
    found
}

/// Variables, and differences of two, compared with constants of the program.
fn differences(query: &mut Query<'_>, about: &[Term], symbols: &[Term], found: &mut Vec<Term>) {
    let few = &symbols[..symbols.len().min(MAX_SYMBOLS)];
    for (i, &x) in few.iter().enumerate() {
        let sort = query.encoder.terms.sort(x);
        let limits = constants(query, about, sort, MAX_CONSTANTS);
        for &limit in &limits {
            let terms = &mut query.encoder.terms;
            match sort {
                Sort::BitVec(_) => found.extend([terms.bv_sle(x, limit), terms.bv_sle(limit, x)]),
                _ => found.extend([terms.int_le(x, limit), terms.int_le(limit, x)]),
            }
        }
        if i >= MAX_DIFFERENCES {
            continue;
        }
        for &y in &few[..i] {
            if query.encoder.terms.sort(y) != sort {
                continue;
            }
            for (a, b) in [(x, y), (y, x)] {
                for &limit in &limits {
                    let terms = &mut query.encoder.terms;
                    match sort {
                        Sort::BitVec(width) => {
                            let one = terms.bv(1, width);
                            let (difference, below) = (terms.bv_sub(a, b), terms.bv_sub(limit, one));
                            found.extend([terms.bv_sle(difference, limit), terms.bv_sle(difference, below)]);
                        }
                        _ => {
                            let one = terms.int(1);
                            let (difference, below) = (terms.int_sub(a, b), terms.int_sub(limit, one));
                            found.extend([terms.int_le(difference, limit), terms.int_le(difference, below)]);
                        }
                    }
                }
            }
        }
    }
}

/// What samples have in common: linear equations between variables of one sort, and remainders.
fn common(query: &mut Query<'_>, symbols: &[Term], samples: &[Model], found: &mut Vec<Term>) {
    let sorts: BTreeSet<Sort> = symbols.iter().map(|&symbol| query.encoder.terms.sort(symbol)).collect();
    for sort in sorts {
        let own: Vec<Term> =
            symbols.iter().copied().filter(|&symbol| query.encoder.terms.sort(symbol) == sort).collect();
        let own = &own[..own.len().min(MAX_SYMBOLS)];
        let terms = &mut query.encoder.terms;
        let number = |value: Value| match value {
            Value::Int(value) => Some(value),
            value => value.as_signed(),
        };
        let points = samples.iter().filter_map(|model| {
            own.iter().map(|&symbol| terms.try_evaluate(symbol, model).and_then(number)).collect()
        });
        let points: Vec<Vec<i128>> = points.collect();
        for equation in equations(&points) {
            let (&constant, coefficients) = match equation.split_last() {
                Some(parts) => parts,
                None => continue,
            };
            let literal = |terms: &mut hardbop_logic::Terms, value: i128| match sort {
                Sort::BitVec(width) => terms.bv(value.cast_unsigned(), width),
                _ => terms.int(value),
            };
            let mut sum = literal(terms, constant);
            for (&symbol, &coefficient) in own.iter().zip(coefficients) {
                let coefficient = literal(terms, coefficient);
                sum = match sort {
                    Sort::BitVec(_) => {
                        let product = terms.bv_mul(coefficient, symbol);
                        terms.bv_add(sum, product)
                    }
                    _ => {
                        let product = terms.int_mul(coefficient, symbol);
                        terms.int_add(sum, product)
                    }
                };
            }
            let zero = literal(terms, 0);
            found.push(terms.eq(sum, zero));
        }
        for &symbol in own {
            for divisor in DIVISORS {
                let (remainder, sort) = match sort {
                    Sort::BitVec(width) => {
                        let divisor = terms.bv(divisor, width);
                        (terms.bv_urem(symbol, divisor), sort)
                    }
                    _ => {
                        let divisor = terms.int(divisor.cast_signed());
                        (terms.int_mod(symbol, divisor), sort)
                    }
                };
                let Some(value) = samples.first().and_then(|model| terms.try_evaluate(remainder, model))
                else {
                    continue;
                };
                let value = match (value.as_drawn(), sort) {
                    (Some(bits), Sort::BitVec(width)) => terms.bv(bits, width),
                    (Some(bits), _) => terms.int(bits.cast_signed()),
                    (None, _) => continue,
                };
                found.push(terms.eq(remainder, value));
            }
        }
    }
}

/// What it takes to keep errors away, and what that rests on.
fn needed(
    query: &mut Query<'_>,
    system: &System,
    steps: &[LeapStep],
    kept: &[(NodeId, Vec<Term>)],
) -> Result<BTreeSet<(NodeId, Term)>, Stop> {
    let conditions = |node: NodeId| {
        let own = kept.iter().find(|(of, _)| *of == node);
        own.map(|(_, conditions)| &conditions[..]).unwrap_or_default()
    };
    let mut needed: BTreeSet<(NodeId, Term)> = BTreeSet::new();
    let mut open: Vec<(NodeId, Term)> = Vec::new();
    for step in steps.iter().filter(|step| matches!(system.nodes[step.target].kind, Kind::Error(_))) {
        let core = query.core(&[step.condition], conditions(step.source))?;
        open.extend(core.into_iter().flatten().map(|term| (step.source, term)));
    }
    while let Some((node, term)) = open.pop() {
        if !needed.insert((node, term)) {
            continue;
        }
        for step in steps.iter().filter(|step| step.target == node) {
            let after = query.encoder.terms.substitute(term, &step.updates);
            let broken = query.encoder.terms.not(after);
            let core = query.core(&[step.condition, broken], conditions(step.source))?;
            open.extend(core.into_iter().flatten().map(|term| (step.source, term)));
        }
    }
    Ok(needed)
}

/// A condition over the innermost activation of a node, as one over the only frame.
fn innermost(query: &mut Query<'_>, system: &System, node: NodeId, term: Term) -> Option<Term> {
    let last = Frame(system.nodes[node].stack.len() as u32 - 1);
    let mut map = FxHashMap::default();
    for symbol in query.encoder.terms.symbols(term) {
        match query.encoder.cell_of(symbol)? {
            Cell::Local(frame, var) if frame == last => {
                let subject = query.subject;
                let only = query.encoder.on(subject).initial(Cell::Local(Frame::ONLY, var));
                map.insert(symbol, only);
            }
            Cell::Local(..) => return None,
            Cell::Global(_) | Cell::Region(_) | Cell::Live(_) | Cell::Tally(..) => {}
        }
    }
    Some(query.encoder.terms.substitute(term, &map))
}
