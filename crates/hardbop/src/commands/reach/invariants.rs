//! Reachable states and summaries in a form for readers: cubes of named values.

use std::collections::HashMap;

use hardbop_base::{Budget, Stop};
use hardbop_bp::flow::Procedure;
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
/// left out; the summaries have it. Results are only spoken of at the exit.
pub(super) fn describe(flow: &Flow, invariant: &Invariant, budget: &Budget) -> Result<Invariants, Stop> {
    let (locations, roots): (Vec<LocId>, Vec<NodeId>) = invariant.locations.iter().unzip();
    let now = |slot| matches!(slot, Slot::Now(_));
    let (diagram, roots) = invariant.diagram.project(&roots, now, budget)?;
    let roots: HashMap<LocId, NodeId> = locations.into_iter().zip(roots).collect();
    let mut states = Describer { flow, diagram, now_mark: "", budget };
    let mut summaries = Describer { flow, diagram: invariant.diagram.clone(), now_mark: "'", budget };
    let mut procedures = Vec::new();
    for (id, procedure) in flow.procedures.iter() {
        let mut located = Vec::new();
        for location in in_text_order(flow, id) {
            let cubes = match roots.get(&location) {
                Some(&root) if location == procedure.exit => Some(states.cubes(id, root)?),
                Some(&root) => {
                    let root = states.without_results(procedure, root);
                    Some(states.cubes(id, root)?)
                }
                None => None,
            };
            located.push(describe_location(flow, location, cubes));
        }
        let summary = invariant.summaries.get(&id).map(|&root| summaries.cubes(id, root));
        procedures.push(ProcedureStates {
            name: procedure.name.clone(),
            formals: procedure.formals().iter().map(|&v| flow.variables[v].name.clone()).collect(),
            locations: located,
            summary: summary.transpose()?,
        });
    }
    Ok(Invariants { procedures })
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

/// Turns functions into cubes, with the variables in the order of the program.
struct Describer<'a> {
    flow: &'a Flow,
    diagram: Diagram,
    /// What marks current values.
    now_mark: &'static str,
    budget: &'a Budget,
}

impl Describer<'_> {
    fn cubes(&mut self, procedure: ProcId, root: NodeId) -> Result<Cubes, Stop> {
        let scope = self.flow.scope(procedure);
        let order: Vec<Slot> = scope.flat_map(|v| [Slot::Entry(v), Slot::Now(v)]).collect();
        let (cubes, complete) = self.diagram.some_cubes(root, &order, MAX_CUBES, self.budget)?;
        let name = |slot| match slot {
            Slot::Entry(variable) => self.flow.variables[variable].name.clone(),
            Slot::Now(variable) => format!("{}{}", self.now_mark, self.flow.variables[variable].name),
        };
        let literal = |(slot, value)| Literal { name: name(slot), value };
        let cubes = cubes.into_iter().map(|cube| cube.into_iter().map(literal).collect()).collect();
        Ok(Cubes { cubes, complete })
    }

    /// Results are false before the exit, which goes without saying.
    fn without_results(&mut self, procedure: &Procedure, root: NodeId) -> NodeId {
        let results = procedure.results().iter();
        results.fold(root, |root, &result| self.diagram.restrict(root, Slot::Now(result), false))
    }
}
