//! Reachable states and summaries in a form for readers: cubes of named values.

use std::collections::HashMap;

use hardbop_base::{Budget, Stop};
use hardbop_bp::{Flow, LocId, ProcId};
use hardbop_reach::{Diagram, Invariant, NodeId, Slot};
use serde::Serialize;

/// More cubes than this say nothing to a reader, and there can be exponentially many.
const MAX_CUBES: usize = 256;

/// The reachable states of a program.
#[derive(Debug, Serialize)]
pub(super) struct Invariants {
    pub(super) procedures: Vec<ProcedureStates>,
}

/// The reachable states of a procedure.
#[derive(Debug, Serialize)]
pub(super) struct ProcedureStates {
    pub(super) name: String,
    pub(super) formals: Vec<String>,
    pub(super) locations: Vec<LocationStates>,
    /// From entry to exit, where `x` is a value at entry and `'x` one at exit; nothing if the exit is
    /// never reached.
    pub(super) summary: Option<Cubes>,
}

/// The reachable states of a location; none if it cannot be reached.
#[derive(Debug, Serialize)]
pub(super) struct LocationStates {
    /// None for exit and error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    pub(super) text: String,
    pub(super) labels: Vec<String>,
    pub(super) states: Option<Cubes>,
}

/// A set of valuations as a disjunction of conjunctions of literals.
#[derive(Debug, Serialize)]
pub(super) struct Cubes {
    pub(super) cubes: Vec<Vec<Literal>>,
    /// Whether these are all of them.
    pub(super) complete: bool,
}

/// A name and its value.
#[derive(Debug, Serialize)]
pub(super) struct Literal {
    pub(super) name: String,
    pub(super) value: bool,
}

impl Cubes {
    /// Each cube as a conjunction; `T` for the one without literals.
    pub(super) fn lines(&self) -> Vec<String> {
        let literal = |l: &Literal| format!("{}{}", if l.value { "" } else { "!" }, l.name);
        let cube = |cube: &Vec<Literal>| match cube.len() {
            0 => "T".to_owned(),
            _ => cube.iter().map(literal).collect::<Vec<_>>().join(" & "),
        };
        let mut lines: Vec<String> = self.cubes.iter().map(cube).collect();
        if !self.complete {
            lines.push("…".to_owned());
        }
        lines
    }
}

/// Brings an invariant into that form. What a location's relation says about values at entry is
/// left out; the summaries have it.
pub(super) fn describe(flow: &Flow, invariant: &Invariant, budget: &Budget) -> Result<Invariants, Stop> {
    let (locations, roots): (Vec<LocId>, Vec<NodeId>) = invariant.locations.iter().unzip();
    let now = |slot| matches!(slot, Slot::Now(_));
    let (diagram, roots) = invariant.diagram.project(&roots, now, budget)?;
    let roots: HashMap<LocId, NodeId> = locations.into_iter().zip(roots).collect();
    let states = |location: LocId| roots.get(&location).map(|&root| cubes(flow, &diagram, root, ""));
    let procedure = |id: ProcId| {
        let procedure = &flow.procedures[id];
        let name = |&variable| flow.variables[variable].name.clone();
        let located = |&location| describe_location(flow, location, states(location));
        ProcedureStates {
            name: procedure.name.clone(),
            formals: procedure.formals().iter().map(name).collect(),
            locations: in_text_order(flow, id).iter().map(located).collect(),
            summary: invariant.summaries.get(&id).map(|&node| cubes(flow, &invariant.diagram, node, "'")),
        }
    };
    Ok(Invariants { procedures: flow.procedures.ids().map(procedure).collect() })
}

/// The locations of a procedure as they stand in the text, with exit and error at the end. The end
/// of a body that always returns before is no place to speak of.
fn in_text_order(flow: &Flow, procedure: ProcId) -> Vec<LocId> {
    let procedure = &flow.procedures[procedure];
    let mut locations = procedure.locations.clone();
    locations.retain(|&id| {
        let location = &flow.locations[id];
        let connected = !location.successors.is_empty() || !location.predecessors.is_empty();
        connected || !location.labels.is_empty() || id == procedure.exit
    });
    locations.sort_by_key(|&location| {
        let last = (Some(location) == procedure.error, location == procedure.exit);
        (last, flow.locations[location].span)
    });
    locations
}

fn describe_location(flow: &Flow, id: LocId, states: Option<Cubes>) -> LocationStates {
    let location = &flow.locations[id];
    let procedure = flow.procedure_of(id);
    let statement = location.successors.first().map(|&edge| &flow.edges[edge]);
    let text = match statement {
        Some(edge) => edge.text.to_string(),
        None if procedure.error == Some(id) => "failed assertion".to_owned(),
        None if procedure.exit == id => "exit".to_owned(),
        None => "end".to_owned(),
    };
    let line = statement.map(|edge| edge.span.line);
    LocationStates { line, text, labels: location.labels.clone(), states }
}

fn cubes(flow: &Flow, diagram: &Diagram, node: NodeId, now_mark: &str) -> Cubes {
    let (cubes, complete) = diagram.some_cubes(node, MAX_CUBES);
    let literal = |(slot, value): (Slot, bool)| match slot {
        Slot::Entry(variable) => Literal { name: flow.variables[variable].name.clone(), value },
        Slot::Now(variable) => {
            Literal { name: format!("{now_mark}{}", flow.variables[variable].name), value }
        }
    };
    let cubes = cubes.into_iter().map(|cube| cube.into_iter().map(literal).collect()).collect();
    Cubes { cubes, complete }
}
