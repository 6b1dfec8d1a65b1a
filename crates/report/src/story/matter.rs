//! Which steps matter for the end of a run.

use hardbop_ir::Program;
use rustc_hash::FxHashSet;

use super::watch::{FrameId, Key, Kind, Watched};

/// Which steps matter, by position, and which activations something matters in.
pub(super) struct RelevantSteps {
    pub(super) steps: Vec<bool>,
    pub(super) frames: FxHashSet<FrameId>,
}

/// Goes back from the end.
pub(super) fn what_matters(program: &Program, watched: &Watched) -> RelevantSteps {
    let mut live: FxHashSet<Key> = FxHashSet::default();
    let mut matters = RelevantSteps {
        steps: vec![false; watched.steps.len()],
        frames: watched.stack.iter().copied().collect(),
    };
    let last = watched.steps.len().saturating_sub(1);
    for (i, step) in watched.steps.iter().enumerate().rev() {
        matters.steps[i] = i == last
            || match step.kind {
                Kind::Guard => matters.frames.contains(&step.frame),
                Kind::Write | Kind::Back(_) => step.writes.iter().any(|key| live.contains(key)),
                Kind::Call(_, frame) => matters.frames.contains(&frame),
                Kind::Other => false,
            };
        if !matters.steps[i] {
            continue;
        }
        if matches!(step.kind, Kind::Write | Kind::Back(_)) {
            mark(watched, &mut matters.frames, step.frame);
        }
        if let Kind::Back(ended) = step.kind {
            mark(watched, &mut matters.frames, ended);
        }
        if overwrites(program, watched, i) {
            for key in &step.writes {
                live.remove(key);
            }
        }
        live.extend(step.reads.iter().copied());
    }
    matters
}

/// An activation matters, and so do those that wait for it.
fn mark(watched: &Watched, frames: &mut FxHashSet<FrameId>, frame: FrameId) {
    let mut next = Some(frame);
    while let Some(frame) = next {
        if !frames.insert(frame) {
            return;
        }
        next = watched.frames.get(frame as usize).and_then(|frame| frame.caller);
    }
}

/// Whether nothing is left of what was there before: not so of a part of a variable.
fn overwrites(program: &Program, watched: &Watched, i: usize) -> bool {
    use hardbop_ir::{PlaceBase, Statement};
    let step = &watched.steps[i];
    match &program.procedures[step.procedure].edges[step.edge].statement {
        Statement::Assign(place, _) | Statement::Havoc(place, _) => {
            let place = program.place(*place);
            matches!(place.base, PlaceBase::Var(_)) && place.path.is_empty()
        }
        Statement::Call { .. } | Statement::Allocate { .. } => true,
        _ => false,
    }
}
