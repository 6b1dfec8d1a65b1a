//! Invariants of loops that no path has shown to matter: they are guessed, and found to hold.
//!
//! Often they are a proof already: with them at the heads of loops, and with what functions that report errors
//! ask of their callers. If not they are predicates to go on with.

use hardbop_alias::Alias;
use hardbop_base::{Budget, Stop};
use hardbop_certify::proof::{Proof, Relation, Slot};
use hardbop_ir::Order;
use hardbop_ir::{BinaryOp, ExprId, LocationId, ProcId, Procedure, Program, Statement};
use hardbop_leap::{Failure, inductive};
use hardbop_path::scoped;
use hardbop_predicate::{Predicate, Scope};
use hardbop_semantics::{Decoder, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

/// Paths to errors in a function that are looked at.
const MAX_PATHS: usize = 16;

/// Conditions that hold at the heads of loops and keep errors away.
#[derive(Debug, Default)]
pub(crate) struct Guess {
    conditions: Vec<(ProcId, LocationId, ExprId)>,
}

/// Guesses; there are no conditions if the program is too large, or if none were found.
pub(crate) fn guess(subject: Subject<'_>, budget: &Budget) -> Result<Guess, Stop> {
    let (encoder, found) = match inductive(subject, budget) {
        Ok(found) => found,
        Err(Failure::TooLarge) => return Ok(Guess::default()),
        Err(Failure::Stopped(stop)) => return Err(stop),
    };
    let mut guess = Guess::default();
    for (procedure, head, term) in found {
        if let Some(expr) = Decoder::new(&encoder, subject).decode(term) {
            guess.conditions.push((procedure, head, expr));
        }
    }
    Ok(guess)
}

impl Guess {
    /// The conditions as predicates.
    pub(crate) fn predicates(&self, program: &Program, alias: &Alias) -> Vec<Predicate> {
        let mut predicates = Vec::new();
        for &(procedure, _, expr) in &self.conditions {
            let predicate = scoped(program, alias, procedure, expr);
            predicates.extend(predicate.filter(|predicate| !predicates.contains(predicate)));
        }
        predicates
    }

    /// What may be a proof.
    pub(crate) fn proof(&self, program: &Program, alias: &Alias) -> Option<Proof> {
        let entry = program.entry.filter(|_| !self.conditions.is_empty())?;
        let mut proof = Proof {
            entry,
            ghosts: Vec::new(),
            predicates: Vec::new(),
            relations: FxHashMap::default(),
            unused: FxHashSet::default(),
        };
        for id in program.procedures.ids() {
            if program.procedures[id].external.is_some() || !alias.calls().is_reached(id) {
                continue;
            }
            let (first, exit) = (program.procedures[id].entry, program.procedures[id].exit);
            let order = Order::of(&program.procedures[id]);
            for location in order.cuts().into_iter().chain([first, exit]) {
                let own = self.conditions.iter().filter(|(of, head, _)| (*of, *head) == (id, location));
                let own: Vec<(ExprId, bool)> = own.map(|&(.., expr)| (expr, true)).collect();
                let relation = conjunction(&mut proof, id, &own);
                proof.relations.insert((id, location), relation);
            }
            if id != entry {
                let asked: Vec<(ExprId, bool)> =
                    failures(program, id).into_iter().map(|expr| (expr, false)).collect();
                let relation = conjunction(&mut proof, id, &asked);
                proof.relations.insert((id, first), relation);
            }
        }
        Some(proof)
    }
}

/// That expressions are true, or false, as a relation.
fn conjunction(proof: &mut Proof, procedure: ProcId, parts: &[(ExprId, bool)]) -> Relation {
    let mut relation = Relation { nodes: Vec::new(), root: 1 };
    for &(expr, truth) in parts {
        let slot = Slot::Now(proof.predicates.len());
        proof.predicates.push(Predicate { scope: Scope::Procedure(procedure), expr });
        let rest = relation.root;
        relation.nodes.push(if truth { (slot, 0, rest) } else { (slot, rest, 0) });
        relation.root = relation.nodes.len() + 1;
    }
    relation
}

/// When a procedure fails that does nothing but look before it does.
fn failures(program: &Program, id: ProcId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut open: Vec<(LocationId, Vec<ExprId>)> = vec![(program.procedures[id].entry, Vec::new())];
    let mut tries = 0;
    while let Some((location, conditions)) = open.pop() {
        tries += 1;
        if tries > MAX_PATHS {
            break;
        }
        let procedure: &Procedure = &program.procedures[id];
        for edge in procedure.edges.values().filter(|edge| edge.source == location) {
            match edge.statement {
                Statement::Skip => open.push((edge.target, conditions.clone())),
                Statement::Assume(condition) => {
                    let mut more = conditions.clone();
                    more.push(condition);
                    open.push((edge.target, more));
                }
                Statement::Error(_) => found.push(conditions.clone()),
                _ => {}
            }
        }
    }
    let mut all = Vec::new();
    for conditions in found {
        let whole = conditions.into_iter().reduce(|a, b| program.binary(BinaryOp::And, a, b));
        all.extend(whole);
    }
    all
}
