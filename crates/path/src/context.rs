//! Strongest postconditions along a path, as contexts ⟨Ω, Π, Φ⟩ (`000…` §4.2).
//!
//! Ω is the store: what the variables referred to so far hold. Π is the history: what they held before.
//! Φ are the conditions that runs along the path satisfy. Values and conditions are terms over constants
//! and *symbolic constants*: the value that a variable has where it is used before anything defines it.
//! That use is an *annotation* (§4.3): there a ghost variable would have to remember the value. A path
//! cannot be run if and only if its Φ is a contradiction.
//!
//! From X to programs of any kind:
//! - a variable is a cell of `semantics`, a scalar or a region of memory, and what statements do to it is
//!   said by `semantics` alone;
//! - each activation has its own locals (§4.5). When it is over, they have no names any more; what the
//!   rest of the path knows of them are terms over symbolic constants;
//! - an arbitrary value (nondeterministic, uninitialised, the effect of an unknown function) leaves the
//!   variable undefined, so that it gets a new symbolic constant where it is next used. A variable may
//!   thus have several, which the paper avoids by asking for paths without repeated labels;
//! - globals are defined by their initial values, which appear in Ω when they are first referred to.
//!
//! Terms are in the normal form of `logic`: `2θ = θ − 1` is `θ = −1`, and a condition that always holds
//! is `true`.

use hardbop_base::{Budget, Stop};
use hardbop_ir::ProcId;
use hardbop_logic::{Node, Term};
use hardbop_semantics::path::{PathStep, Walk};
use hardbop_semantics::{Cell, Coder, Encoder, Frame, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Path;
use crate::projection::{Projection, step_projected};
use crate::reference::references;

/// What a step adds to a context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The annotations before the step: variables that it uses get their symbolic constants.
    pub annotations: Vec<(Cell, Term)>,
    /// New pairs of Ω: what the step needed, then what it defines.
    pub store: Vec<(Cell, Term)>,
    /// Pairs that moved to Π.
    pub history: Vec<(Cell, Term)>,
    /// New conditions of Φ.
    pub conditions: Vec<Term>,
}

impl Change {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.store.is_empty() && self.history.is_empty() && self.conditions.is_empty()
    }
}

/// A context ⟨Ω, Π, Φ⟩.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// Ω: what the variables referred to so far hold.
    pub store: FxHashMap<Cell, Term>,
    /// Π: what they held before; no pair twice.
    pub history: Vec<(Cell, Term)>,
    /// Φ: what runs along the path satisfy.
    pub conditions: Vec<Term>,
}

/// The contexts of a path, or of a projection of it.
pub struct Contexts {
    /// The terms.
    pub encoder: Encoder,
    /// What each step of the path adds; nothing where it is left out.
    pub changes: Vec<Change>,
    /// The context at the end.
    pub last: Context,
    /// The symbolic constants with the cells that they are the values of, in the order of annotations.
    pub constants: Vec<(Term, Cell)>,
    /// The procedures of all activations, by frame.
    pub activations: Vec<ProcId>,
}

impl Contexts {
    /// The contexts along a projection of a path, from the start of the program.
    pub fn along(
        subject: Subject<'_>,
        path: &Path,
        projection: &Projection,
        budget: &Budget,
    ) -> Result<Contexts, Stop> {
        simulate(subject, path, projection, budget, &mut |_, _| {})
    }
}

/// Where a simulation is.
pub(crate) struct Point<'a> {
    /// The step that was executed.
    pub step: usize,
    /// The context after it.
    pub context: &'a Context,
    /// The procedure that the path is in.
    pub procedure: ProcId,
    /// Its activation.
    pub frame: Frame,
}

/// Builds contexts, and shows each.
pub(crate) fn simulate(
    subject: Subject<'_>,
    path: &Path,
    projection: &Projection,
    budget: &Budget,
    visit: &mut dyn FnMut(&mut Coder<'_>, &Point<'_>),
) -> Result<Contexts, Stop> {
    let mut encoder = Encoder::default();
    let mut simulator = Simulator::default();
    let mut changes = Vec::with_capacity(path.steps.len());
    let mut coder = encoder.on(subject);
    let mut walk = Walk::from_start(&mut coder, path.entry);
    simulator.last.conditions.extend(walk.conditions.iter().map(|&(_, term)| term));
    for (step, reference) in references(subject, path).iter().enumerate() {
        budget.check()?;
        let mut change = Change::default();
        if projection.keeps(step) {
            simulator.annotate(&mut coder, &walk, &reference.uses, &mut change);
        }
        let (asked, drawn) = (walk.conditions.len(), coder.encoder.drawn());
        step_projected(&mut coder, &mut walk, path, step, projection, &reference.defines);
        simulator.define(&mut coder, &walk, &reference.defines, drawn, &mut change);
        change.conditions.extend(walk.conditions[asked..].iter().map(|&(_, term)| term));
        simulator.last.conditions.extend(&change.conditions);
        changes.push(change);
        let (procedure, frame) = (walk.procedure(), walk.frame());
        visit(&mut coder, &Point { step, context: &simulator.last, procedure, frame });
    }
    let Simulator { last, constants, .. } = simulator;
    Ok(Contexts { encoder, changes, last, constants, activations: activations(path) })
}

#[derive(Default)]
struct Simulator {
    last: Context,
    past: FxHashSet<(Cell, Term)>,
    constants: Vec<(Term, Cell)>,
    named: FxHashSet<Term>,
}

impl Simulator {
    /// Cells that are used and not in Ω get the value they have: a symbolic constant, unless it is the
    /// value that a global starts with.
    fn annotate(&mut self, coder: &mut Coder<'_>, walk: &Walk, uses: &[Cell], change: &mut Change) {
        for &cell in uses {
            if self.last.store.contains_key(&cell) {
                continue;
            }
            let value = coder.get(&walk.state, cell);
            let is_symbol = matches!(coder.encoder.terms.node(value), Node::Symbol { .. });
            if is_symbol && self.named.insert(value) {
                self.constants.push((value, cell));
                change.annotations.push((cell, value));
            }
            self.last.store.insert(cell, value);
            change.store.push((cell, value));
        }
    }

    /// Cells that are defined get their new values; arbitrary ones leave Ω.
    fn define(
        &mut self,
        coder: &mut Coder<'_>,
        walk: &Walk,
        defined: &[Cell],
        drawn: usize,
        change: &mut Change,
    ) {
        change.store.retain(|(cell, _)| defined.binary_search(cell).is_err());
        for &cell in defined {
            if let Some(old) = self.last.store.remove(&cell)
                && self.past.insert((cell, old))
            {
                self.last.history.push((cell, old));
                change.history.push((cell, old));
            }
            let value = coder.get(&walk.state, cell);
            if !coder.encoder.drawn_since(drawn).contains(&value) {
                self.last.store.insert(cell, value);
                change.store.push((cell, value));
            }
        }
    }
}

/// The procedures of all activations of a path, in the order in which they start.
fn activations(path: &Path) -> Vec<ProcId> {
    let entered = path.steps.iter().filter_map(|step| match *step {
        PathStep::Enter(_, callee) => Some(callee),
        _ => None,
    });
    std::iter::once(path.entry).chain(entered).collect()
}
