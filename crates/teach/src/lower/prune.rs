//! Removes locations that cannot be reached, and the edges from there: what construction left over, and
//! code behind `return` or a failing assertion. Code behind a label stays, so that asking about the label
//! finds it.

use hardbop_base::{Arena, Id};
use hardbop_ir::{Edge, Location, LocationId, Statement};

/// The graph of a procedure.
pub(super) struct Graph {
    pub(super) locations: Arena<Location>,
    pub(super) edges: Arena<Edge>,
}

/// Keeps what can be reached from the entry or from a label, and numbers it in the order of the edges.
/// The entry and the exit are the first two locations, and stay so.
pub(super) fn prune(graph: Graph) -> Graph {
    let mut successors = vec![Vec::new(); graph.locations.len()];
    for edge in graph.edges.values() {
        if !matches!(edge.statement, Statement::Error(_)) {
            successors[edge.source.index()].push(edge.target);
        }
    }
    let mut kept = vec![false; graph.locations.len()];
    let labelled = graph.locations.iter().filter(|(_, l)| !l.labels.is_empty()).map(|(id, _)| id);
    let mut pending: Vec<LocationId> = labelled.chain([Id::from_usize(0), Id::from_usize(1)]).collect();
    while let Some(location) = pending.pop() {
        if !std::mem::replace(&mut kept[location.index()], true) {
            pending.extend(&successors[location.index()]);
        }
    }
    let edges: Vec<&Edge> = graph.edges.values().filter(|edge| kept[edge.source.index()]).collect();
    let mut numbers = Numbers { old: &graph.locations, new: vec![None; kept.len()], locations: Arena::new() };
    numbers.of(Id::from_usize(0));
    numbers.of(Id::from_usize(1));
    let renumbered = edges.iter().map(|edge| {
        let (source, target) = (numbers.of(edge.source), numbers.of(edge.target));
        Edge { source, target, ..(*edge).clone() }
    });
    let edges = renumbered.collect();
    for location in graph.locations.ids().filter(|location| kept[location.index()]) {
        numbers.of(location);
    }
    Graph { locations: numbers.locations, edges }
}

/// New numbers for locations, in the order they are asked for.
struct Numbers<'a> {
    old: &'a Arena<Location>,
    new: Vec<Option<LocationId>>,
    locations: Arena<Location>,
}

impl Numbers<'_> {
    fn of(&mut self, location: LocationId) -> LocationId {
        *self.new[location.index()].get_or_insert_with(|| self.locations.push(self.old[location].clone()))
    }
}
