//! From a trace of the boolean program to a path of the program.

use hardbop_abstraction::{BackMap, Origin};
use hardbop_bp::{Action, Flow, Trace};
use hardbop_ir::{EdgeId, ProcId, Program};
use hardbop_path::Path;
use hardbop_predicate::is_of_ghost;
use hardbop_semantics::path::PathStep;

/// The path that a trace stands for, without what only ghosts do; and the edge at its end with its procedure.
pub(crate) fn path_of(
    entry: ProcId,
    flow: &Flow,
    back: &BackMap,
    trace: &Trace,
    without_ghosts: &Program,
) -> Option<(Path, (ProcId, EdgeId))> {
    let mut steps = Vec::new();
    let mut last = None;
    for step in &trace.steps {
        let edge = &flow.edges[step.action.edge()];
        let (procedure, origin) = back.origin(edge.tag?)?;
        match (step.action, origin) {
            (Action::Call(_), Origin::Call(call)) => {
                let callee = back.procedure(called(flow, step.action)?)?;
                steps.push(PathStep::Enter(*call, callee));
            }
            (Action::Return(_), _) => steps.push(PathStep::Leave),
            (Action::Edge(_), Origin::Edges(edges)) => {
                let is_real = |edge: &EdgeId| !is_of_ghost(without_ghosts, *procedure, *edge);
                steps.extend(edges.iter().copied().filter(is_real).map(PathStep::Edge));
                last = edges.last().map(|&edge| (*procedure, edge)).or(last);
            }
            (Action::Edge(_), Origin::Failure(edge)) => last = Some((*procedure, *edge)),
            _ => {}
        }
    }
    Some((Path { entry, steps }, last?))
}

fn called(flow: &Flow, action: Action) -> Option<hardbop_bp::ProcId> {
    match &flow.edges[action.edge()].step {
        hardbop_bp::FlowStep::Call(call) => Some(call.callee),
        _ => None,
    }
}
