//! Which steps of a path its contradiction depends on.
//!
//! A path through a driver has thousands of steps, and what contradicts itself are often two of them. Backwards from
//! the core: a step is needed if it is part of the core, or defines a cell that a later needed step uses. Whatever
//! lies between two needed steps of one activation changes nothing, so what has to be known before it is what has to be
//! known behind it: it is enough to look ahead from needed steps, and to execute nothing else.
//!
//! Calls have points of their own. A callee in which nothing is needed, but which could change a cell that is, has to know
//! what its caller relies on; its end stands for all of it.

use hardbop_semantics::path::PathStep;
use hardbop_semantics::{Cell, Subject};
use rustc_hash::FxHashSet;

use crate::Path;
use crate::reference::{Reference, references};

/// For each step of a path, whether something that a run along it must satisfy depends on it.
pub fn steps_that_matter(subject: Subject<'_>, path: &Path) -> Vec<bool> {
    let references = references(subject, path);
    let is_condition = |step: &usize| references[*step].conditional;
    let conditions: Vec<usize> = (0..path.steps.len()).filter(is_condition).collect();
    let mut matter = Needed::of(subject, path, &references, &conditions).steps;
    matter.resize(path.steps.len(), false);
    matter
}

/// What a contradiction depends on.
pub(crate) struct Needed {
    steps: Vec<bool>,
    /// Where to look ahead from, the last first.
    pub(crate) points: Vec<usize>,
}

/// A call whose end was passed, going backwards.
struct Call {
    leave: usize,
    /// Whether something in it is needed, or may change what is.
    matters: bool,
    /// Whether something in it is needed.
    has_needed: bool,
}

impl Needed {
    /// What the conditions of some steps depend on.
    pub(crate) fn by(subject: Subject<'_>, path: &Path, core: &[usize]) -> Self {
        let count = core.last().map_or(0, |last| (last + 1).min(path.steps.len()));
        let upto = Path { entry: path.entry, steps: path.steps[..count].to_vec() };
        Needed::of(subject, &upto, &references(subject, &upto), core)
    }

    fn of(subject: Subject<'_>, path: &Path, references: &[Reference], core: &[usize]) -> Self {
        let count = core.last().map_or(0, |last| (last + 1).min(path.steps.len()));
        let callees = callees(path);
        let mut found = Needed { steps: vec![false; count], points: Vec::new() };
        let mut cells: FxHashSet<Cell> = FxHashSet::default();
        let mut calls: Vec<Call> = Vec::new();
        for step in (0..count).rev() {
            let reference = &references[step];
            if let PathStep::Leave = path.steps[step] {
                let may_change = callees[step].is_some_and(|callee| {
                    let modified = subject.regions.modified(callee);
                    cells.iter().any(|cell| match *cell {
                        Cell::Global(var) => modified.registers.contains(&var),
                        Cell::Region(region) => modified.has_region(region),
                        Cell::Live(_) | Cell::Tally(..) => true,
                        Cell::Local(..) => false,
                    })
                });
                calls.push(Call { leave: step, matters: may_change, has_needed: false });
            }
            let is_needed = core.binary_search(&step).is_ok()
                || reference.defines.iter().any(|cell| cells.contains(cell));
            found.steps[step] = is_needed;
            if is_needed {
                reference.defines.iter().for_each(|cell| _ = cells.remove(cell));
                cells.extend(&reference.uses);
                found.points.push(step);
                if let Some(call) = calls.last_mut() {
                    call.has_needed = true;
                }
            }
            if let PathStep::Enter(..) = path.steps[step] {
                let call = calls.pop();
                let inside = call.as_ref().is_none_or(|call| call.has_needed);
                if inside {
                    found.points.push(step);
                    if let Some(outer) = calls.last_mut() {
                        outer.has_needed = true;
                    }
                }
                found
                    .points
                    .extend(call.filter(|call| call.matters || call.has_needed).map(|call| call.leave));
            }
        }
        found.points.sort_unstable();
        found.points.dedup();
        found.points.reverse();
        found
    }

    /// Whether a step is needed.
    pub(crate) fn has(&self, step: usize) -> bool {
        self.steps.get(step).copied().unwrap_or(false)
    }

    /// How many steps there are up to the end of the contradiction.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }
}

/// For each step that returns, the procedure that it returns from.
fn callees(path: &Path) -> Vec<Option<hardbop_ir::ProcId>> {
    let mut open = Vec::new();
    let returned = |step: &PathStep| match *step {
        PathStep::Edge(_) => None,
        PathStep::Enter(_, callee) => {
            open.push(callee);
            None
        }
        PathStep::Leave => open.pop(),
    };
    path.steps.iter().map(returned).collect()
}
