//! From a path edge back to the start: the trace that its parents tell.

use hardbop_bp::{Action, Flow, State, Trace};

use super::model::{slot, width};
use super::tabulate::{Parent, PathEdgeId, Tabulation};

/// Longer traces are not worth their memory; distances can be exponential in the program.
const MAX_STEPS: u64 = 1 << 20;

/// The shortest trace to a path edge; nothing if it is too long to be written down.
pub(super) fn trace(flow: &Flow, table: &Tabulation<'_>, goal: PathEdgeId) -> Option<Trace> {
    if table.path_edges[goal as usize].distance > MAX_STEPS {
        return None;
    }
    let mut backwards: Vec<(Action, PathEdgeId)> = Vec::new();
    // The calls whose callee is being passed from its exit to its entry.
    let mut open = Vec::new();
    let mut at = goal;
    loop {
        let path_edge = &table.path_edges[at as usize];
        let (action, before) = match path_edge.parent {
            Parent::Step { from, edge } => (Action::Edge(edge), from),
            Parent::Return { caller, edge, exit } => {
                open.push((caller, edge));
                (Action::Return(edge), exit)
            }
            Parent::Entry => {
                let first = table.contexts[path_edge.context as usize].entered;
                match open.pop().or(first) {
                    Some((caller, edge)) => (Action::Call(edge), caller),
                    None => break,
                }
            }
        };
        backwards.push((action, at));
        at = before;
    }
    let mut depth = 0;
    let mut trace = Trace::new(state(flow, table, at, depth));
    for &(action, id) in backwards.iter().rev() {
        match action {
            Action::Call(_) => depth += 1,
            Action::Return(_) => depth -= 1,
            Action::Edge(_) => {}
        }
        trace.push(action, state(flow, table, id, depth));
    }
    Some(trace)
}

fn state(flow: &Flow, table: &Tabulation<'_>, id: PathEdgeId, depth: usize) -> State {
    let path_edge = &table.path_edges[id as usize];
    let cube = table.cube(path_edge.state);
    let value = |slot| cube.get(slot).allows(true);
    let procedure = flow.locations[path_edge.location].procedure;
    let globals = flow.globals.iter().map(|&global| value(slot(flow, global))).collect();
    let locals = (flow.globals.len()..width(flow, procedure)).map(value).collect();
    State { location: path_edge.location, depth, globals, locals }
}
