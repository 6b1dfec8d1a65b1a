//! Sets of states: a condition for each node.
//!
//! Abstract states, ports and what is between them are all of this form. The paper's abstract states are
//! sets of predicates, and footnote 2 allows disjunctions; one that spans several nodes is what §3 calls
//! a single abstract state for nested loops.

use std::collections::BTreeMap;

use hardbop_base::Stop;
use hardbop_logic::{Term, Terms};

use crate::query::Query;
use crate::system::NodeId;

/// A set of states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Set {
    parts: BTreeMap<NodeId, Term>,
}

impl Set {
    /// No states.
    pub fn new() -> Self {
        Set::default()
    }

    /// The states of one node that satisfy a condition.
    pub fn at(node: NodeId, condition: Term) -> Self {
        Set { parts: BTreeMap::from([(node, condition)]) }
    }

    /// The nodes with states in the set, as far as that is plain.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.parts.keys().copied()
    }

    /// The conditions by node.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, Term)> + '_ {
        self.parts.iter().map(|(&node, &term)| (node, term))
    }

    /// The condition at a node.
    pub fn get(&self, terms: &mut Terms, node: NodeId) -> Term {
        match self.parts.get(&node) {
            Some(&term) => term,
            None => terms.bool(false),
        }
    }

    /// Adds states.
    pub fn add(&mut self, terms: &mut Terms, node: NodeId, condition: Term) {
        let before = self.get(terms, node);
        let either = terms.or(&[before, condition]);
        match terms.as_bool(either) {
            Some(false) => drop(self.parts.remove(&node)),
            _ => drop(self.parts.insert(node, either)),
        }
    }

    /// The states of either set.
    pub fn or(&self, terms: &mut Terms, other: &Set) -> Set {
        let mut all = self.clone();
        for (node, condition) in other.iter() {
            all.add(terms, node, condition);
        }
        all
    }

    /// The states of both sets.
    pub fn and(&self, terms: &mut Terms, other: &Set) -> Set {
        let mut both = Set::new();
        for (node, condition) in self.iter() {
            let other = other.get(terms, node);
            let condition = terms.and(&[condition, other]);
            both.add(terms, node, condition);
        }
        both
    }

    /// The states of this set that are not in another.
    pub fn minus(&self, terms: &mut Terms, other: &Set) -> Set {
        let mut rest = Set::new();
        for (node, condition) in self.iter() {
            let other = other.get(terms, node);
            let other = terms.not(other);
            let condition = terms.and(&[condition, other]);
            rest.add(terms, node, condition);
        }
        rest
    }

    /// Whether there is a state in the set; nothing if that is not known.
    pub fn is_inhabited(&self, query: &mut Query<'_>) -> Result<Option<bool>, Stop> {
        let mut known = true;
        for (_, condition) in self.iter() {
            match query.possible(&[condition])? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => known = false,
            }
        }
        Ok(known.then_some(false))
    }

    /// Whether it is proved that all states of this set are in another.
    pub fn is_within(&self, query: &mut Query<'_>, other: &Set) -> Result<bool, Stop> {
        let rest = self.minus(&mut query.encoder.terms, other);
        Ok(rest.is_inhabited(query)? == Some(false))
    }
}
