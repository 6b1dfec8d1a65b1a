//! The modal transition system (§2): abstract states from predicates, and may, must⁺ and must⁻ between them.
//!
//! An abstract state is a node with a truth value for each predicate that has a meaning there. Without predicates
//! from the user, a node has one: whether its loop goes on. must⁺(a, a') is a ⇒ Pre(s, a') and must⁻(a, a') is
//! a' ⇒ SP(s, a), over the branches s from the node of `a` to the node of `a'`.

use hardbop_base::{Stop, graph};
use hardbop_logic::{Node, Term};
use hardbop_predicate::{Predicate, Scope};
use hardbop_semantics::{Frame, State};

use crate::choice::steps;
use crate::inverse::preceded;
use crate::query::Query;
use crate::set::Set;
use crate::system::{Kind, NodeId, System};

/// The most abstract states of one node, and of all.
const MAX_STATES: usize = 32;
const MAX_ALL: usize = 128;

/// The predicates of a node.
pub type Predicates<'p> = &'p dyn Fn(&mut Query<'_>, NodeId) -> Result<Vec<Term>, Stop>;

/// A transition between abstract states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// From this state.
    pub from: usize,
    /// To this state.
    pub to: usize,
    /// Whether every state of the first has a successor in the second.
    pub plus: bool,
    /// Whether every state of the second has a predecessor in the first.
    pub minus: bool,
}

/// The modal transition system.
#[derive(Debug, Clone, Default)]
pub struct Mts {
    /// Its states.
    pub states: Vec<Set>,
    /// The may-transitions, with what else they are.
    pub moves: Vec<Move>,
}

impl Mts {
    /// The system over the predicates of each node, for values in a range; `None` if there are too many states.
    pub fn of(
        query: &mut Query<'_>,
        system: &System,
        relevant: &[Term],
        (predicates, range): (Predicates<'_>, &[Term]),
        with_must: bool,
    ) -> Result<Option<Mts>, Stop> {
        let mut mts = Mts::default();
        for node in 0..system.nodes.len() {
            let of_node = predicates(query, node)?;
            let Some(cubes) = split(query, &of_node)? else { return Ok(None) };
            let is_loop = matches!(system.nodes[node].kind, Kind::Head | Kind::Recursion);
            let depth = system.nodes[node].stack.len();
            let known = |part: &Term| {
                query.encoder.terms.symbols(*part).iter().all(|&symbol| query.in_scope(symbol, depth))
            };
            let range: Vec<Term> = range.iter().copied().filter(|part| is_loop && known(part)).collect();
            for cube in cubes {
                let cube = query.encoder.terms.and(&[&range[..], &[cube]].concat());
                mts.states.push(Set::at(node, cube));
            }
            if mts.states.len() > MAX_ALL {
                return Ok(None);
            }
        }
        for from in 0..mts.states.len() {
            for to in 0..mts.states.len() {
                if let Some(found) = mts.transition(query, system, relevant, from, to, with_must)? {
                    mts.moves.push(found);
                }
            }
        }
        Ok(Some(mts))
    }

    fn transition(
        &self,
        query: &mut Query<'_>,
        system: &System,
        relevant: &[Term],
        from: usize,
        to: usize,
        with_must: bool,
    ) -> Result<Option<Move>, Stop> {
        let (a, b) = (&self.states[from], &self.states[to]);
        let (Some((source, here)), Some((target, there))) = (a.iter().next(), b.iter().next()) else {
            return Ok(None);
        };
        let mut may = false;
        for branch in system.leaving(source).filter(|branch| branch.target == target) {
            let after = query.encoder.terms.substitute(there, &branch.updates);
            let mut parts = branch.conditions.clone();
            parts.extend([here, after]);
            may |= query.possible(&parts)? != Some(false);
        }
        if !may {
            return Ok(None);
        }
        let mut found = Move { from, to, plus: false, minus: false };
        if with_must {
            let steps = steps(query, system, relevant, (a, b), true)?;
            let mut before = Set::new();
            let mut after = Set::new();
            let depth = system.nodes[target].stack.len();
            for step in &steps {
                let pre = step.pre(query, b);
                before.add(&mut query.encoder.terms, source, pre);
                for alternative in preceded(query, step, a, depth) {
                    after.add(&mut query.encoder.terms, target, alternative);
                }
            }
            found.plus = a.is_within(query, &before)?;
            found.minus = b.is_within(query, &after)?;
        }
        Ok(Some(found))
    }

    /// Leaves out states that no may-transitions lead to from some.
    pub fn keep_reachable(&mut self, from: Vec<usize>) {
        let mut reached = vec![false; self.states.len()];
        let mut open = from;
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                open.extend(self.moves.iter().filter(|m| m.from == state).map(|m| m.to));
            }
        }
        let mut number = 0;
        let new: Vec<Option<usize>> = reached
            .iter()
            .map(|&reached| {
                number += usize::from(reached);
                reached.then(|| number - 1)
            })
            .collect();
        let mut at = 0;
        self.states.retain(|_| {
            at += 1;
            reached[at - 1]
        });
        self.moves.retain_mut(|m| match (new[m.from], new[m.to]) {
            (Some(from), Some(to)) => {
                (m.from, m.to) = (from, to);
                true
            }
            _ => false,
        });
    }

    /// The may-transitions as pairs of states.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        self.moves.iter().map(|m| (m.from, m.to)).collect()
    }

    /// Whether there is a may-transition.
    pub fn may(&self, from: usize, to: usize) -> bool {
        self.moves.iter().any(|m| (m.from, m.to) == (from, to))
    }

    /// The states that a state leads to.
    pub fn successors(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        self.moves.iter().filter(move |m| m.from == from).map(|m| m.to)
    }

    /// For each state, the first of its strongly connected component.
    pub fn components(&self) -> Vec<usize> {
        let count = self.states.len();
        let successors: Vec<Vec<usize>> = (0..count).map(|from| self.successors(from).collect()).collect();
        let mut first = vec![0; count];
        for component in graph::components(&successors, 0..count, |_| true) {
            let least = component.iter().min().copied().unwrap_or_default();
            component.iter().for_each(|&state| first[state] = least);
        }
        first
    }
}

/// All combinations of predicates that some state satisfies.
fn split(query: &mut Query<'_>, predicates: &[Term]) -> Result<Option<Vec<Term>>, Stop> {
    let mut cubes = vec![query.encoder.terms.bool(true)];
    for &predicate in predicates {
        let not = query.encoder.terms.not(predicate);
        let mut next = Vec::new();
        for cube in cubes {
            for part in [predicate, not] {
                let both = query.encoder.terms.and(&[cube, part]);
                if query.possible(&[both])? != Some(false) {
                    next.push(both);
                }
            }
        }
        if next.len() > MAX_STATES {
            return Ok(None);
        }
        cubes = next;
    }
    Ok(Some(cubes))
}

/// What predicates of the program say at a node.
pub fn read(query: &mut Query<'_>, system: &System, node: NodeId, predicates: &[Predicate]) -> Vec<Term> {
    let stack = system.nodes[node].stack.clone();
    let mut found = Vec::new();
    for predicate in predicates {
        let depth = match predicate.scope {
            Scope::Global => Some(stack.len() - 1),
            Scope::Procedure(procedure) => stack.iter().rposition(|&(p, _)| p == procedure),
        };
        if let Some(depth) = depth {
            let state = State::new(Frame(depth as u32));
            let subject = query.subject;
            found.push(query.encoder.on(subject).holds(&state, predicate.expr));
        }
    }
    found
}

/// Whether the loop of a node goes on: what branches to nodes in the same loop ask for, but for values from outside.
pub fn goes_round(query: &mut Query<'_>, system: &System, node: NodeId) -> Result<Vec<Term>, Stop> {
    let mut ways = Vec::new();
    for branch in system.leaving(node).filter(|branch| leads_to(system, branch.target, node)) {
        let drawn: Vec<Term> = branch.draws.iter().map(|draw| draw.value).collect();
        let conditions: Vec<Term> = branch
            .conditions
            .iter()
            .copied()
            .filter(|&condition| {
                let symbols = query.encoder.terms.symbols(condition);
                !symbols.iter().any(|symbol| drawn.contains(symbol))
            })
            .collect();
        ways.push(conditions);
    }
    let all: Vec<Term> = ways.iter().map(|way| query.encoder.terms.and(way)).collect();
    let any = query.encoder.terms.or(&all);
    if query.encoder.terms.as_bool(any).is_some() {
        return Ok(Vec::new());
    }
    // What all ways ask for is shorter, and often the same.
    let common: Vec<Term> =
        ways[0].iter().copied().filter(|part| ways.iter().all(|way| way.contains(part))).collect();
    Ok(match query.implies(&common, any)? {
        true => vec![query.encoder.terms.and(&common)],
        false => vec![any],
    })
}

/// Adds what the branches of a loop compare, but for values from outside.
pub fn compared(query: &mut Query<'_>, system: &System, node: NodeId, found: &mut Vec<Term>) {
    const MAX_COMPARED: usize = 4;
    for branch in system.leaving(node).filter(|branch| leads_to(system, branch.target, node)) {
        for t in query.encoder.terms.subterms(&branch.conditions) {
            let atom = matches!(
                query.encoder.terms.node(t),
                Node::Eq(..) | Node::IntLe(..) | Node::BvUle(..) | Node::BvSle(..)
            );
            if !atom {
                continue;
            }
            let symbols = query.encoder.terms.symbols(t);
            let not = query.encoder.terms.not(t);
            if symbols.iter().all(|&symbol| query.is_state(symbol))
                && !found.contains(&t)
                && !found.contains(&not)
                && found.len() < MAX_COMPARED
            {
                found.push(t);
            }
        }
    }
}

fn leads_to(system: &System, from: NodeId, to: NodeId) -> bool {
    let mut seen = vec![false; system.nodes.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(system.leaving(node).map(|branch| branch.target));
        }
    }
    false
}
