//! What steps refer to: the cells that a step uses and those that it defines (`000…` §4.2, `use(s)` and
//! `def(s)`).
//!
//! Each step is executed by itself, in any state. The cells that are written then are those it defines,
//! and those whose value from before occurs in what is written or asked for are those it uses. A write to
//! an array keeps the other elements, so it uses the array as well. A call is the parallel assignment of
//! its arguments to the formals of a new activation (§4.5), and a return that of the result.

use hardbop_logic::{Term, Terms};
use hardbop_semantics::path::Walk;
use hardbop_semantics::{Cell, Encoder, Meaning, State, Subject};
use rustc_hash::FxHashSet;

use crate::Path;

/// What a step refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The cells whose values it uses, sorted.
    pub uses: Vec<Cell>,
    /// The cells that it gives a value, sorted.
    pub defines: Vec<Cell>,
    /// Whether a run gets past it only under a condition.
    pub conditional: bool,
    /// Whether all that it defines becomes arbitrary.
    pub arbitrary: bool,
}

impl Reference {
    /// Whether it does anything, so that a path without it would be another one.
    pub fn matters(&self) -> bool {
        self.conditional || !self.defines.is_empty()
    }

    /// Whether it refers to a cell that another step defines.
    pub fn touches(&self, defined: &[Cell]) -> bool {
        let refers =
            |cell: &Cell| self.uses.binary_search(cell).is_ok() || self.defines.binary_search(cell).is_ok();
        defined.iter().any(refers)
    }
}

/// What the steps of a path refer to, one by one.
pub(crate) fn references(subject: Subject<'_>, path: &Path) -> Vec<Reference> {
    let mut encoder = Encoder::default();
    let mut walk = Walk::new(path.entry);
    let mut found = Vec::with_capacity(path.steps.len());
    for &step in &path.steps {
        walk.state = State::new(walk.frame());
        let (asked, drawn) = (walk.conditions.len(), encoder.drawn());
        walk.step(&mut encoder.on(subject), step);
        let conditions: Vec<Term> = walk.conditions[asked..].iter().map(|&(_, term)| term).collect();
        let written = walk.state.written();
        let values: Vec<Term> = written.iter().map(|&(_, term)| term).collect();
        let fresh = encoder.drawn_since(drawn);
        let terms: Vec<Term> = values.iter().chain(&conditions).copied().collect();
        found.push(Reference {
            uses: cells(&encoder, &terms),
            defines: written.iter().map(|&(cell, _)| cell).collect(),
            conditional: conditions.iter().any(|&term| encoder.terms.as_bool(term) != Some(true)),
            arbitrary: values.iter().all(|value| fresh.contains(value)),
        });
    }
    found
}

/// The cells whose initial values occur in terms, also as arguments of functions.
fn cells(encoder: &Encoder, about: &[Term]) -> Vec<Cell> {
    let mut found: Vec<Cell> = symbols_within(encoder, about)
        .into_iter()
        .filter_map(|symbol| match encoder.meaning_of(symbol) {
            Some(Meaning::Cell(cell)) => Some(cell),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The symbols in terms, and in what functions of which only the name is known are applied to.
pub(crate) fn symbols_within(encoder: &Encoder, about: &[Term]) -> Vec<Term> {
    let terms: &Terms = &encoder.terms;
    let mut seen = FxHashSet::default();
    let mut open = terms.symbols_of(about);
    let mut found = Vec::new();
    while let Some(symbol) = open.pop() {
        if !seen.insert(symbol) {
            continue;
        }
        found.push(symbol);
        if let Some(application) = encoder.application_of(symbol) {
            open.extend(terms.symbols_of(&application.arguments));
        }
    }
    found.sort_unstable();
    found
}
