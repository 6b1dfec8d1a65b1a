//! Tidying a graph after construction: locations that cannot be reached and steps that do nothing
//! disappear.

use hardbop_base::{Arena, Id};
use hardbop_ir::{Edge, Location, LocationId, Statement};

/// The graph of a procedure.
pub(crate) struct Graph {
    pub locations: Arena<Location>,
    pub edges: Arena<Edge>,
    pub entry: LocationId,
    pub exit: LocationId,
}

/// Removes what cannot be reached, and `skip` edges that are the only way on from their source.
pub(crate) fn tidy(graph: Graph) -> Graph {
    let mut forward = forwarding(&graph);
    let mut edges: Vec<Edge> = graph.edges.values().filter(|e| !forward.is_shortcut(e)).cloned().collect();
    for edge in &mut edges {
        edge.target = forward.end(edge.target);
    }
    let mut labels: Vec<Vec<String>> = graph.locations.values().map(|l| l.labels.clone()).collect();
    for location in graph.locations.ids() {
        let end = forward.end(location);
        if end != location {
            let moved = std::mem::take(&mut labels[location.index()]);
            labels[end.index()].extend(moved);
        }
    }
    let mut graph = graph;
    let edges = drop_first_skip(&mut graph, edges);
    rebuild(&graph, &edges, labels)
}

/// Starts behind the `skip` that construction begins with, unless a loop leads back to there.
fn drop_first_skip(graph: &mut Graph, mut edges: Vec<Edge>) -> Vec<Edge> {
    let first: Vec<usize> = (0..edges.len()).filter(|&i| edges[i].source == graph.entry).collect();
    if let [i] = first[..]
        && edges[i].statement == Statement::Skip
        && edges[i].target != graph.exit
        && edges.iter().filter(|e| e.target == edges[i].target).count() == 1
    {
        graph.entry = edges[i].target;
        edges.remove(i);
    }
    edges
}

/// For each location, where the `skip` that is its only way on leads.
struct Forwarding {
    next: Vec<Option<LocationId>>,
}

impl Forwarding {
    /// Where all skips from here on lead. Chains get shorter each time they are walked: the ends of
    /// nested statements form chains as long as the statements are deep.
    fn end(&mut self, mut location: LocationId) -> LocationId {
        // A cycle of skips keeps one of its locations, see `forwarding`.
        while let Some(next) = self.next[location.index()] {
            if let Some(after) = self.next[next.index()] {
                self.next[location.index()] = Some(after);
            }
            location = next;
        }
        location
    }

    fn is_shortcut(&self, edge: &Edge) -> bool {
        self.next[edge.source.index()].is_some()
    }
}

fn forwarding(graph: &Graph) -> Forwarding {
    let count = graph.locations.len();
    let mut ways_on = vec![0u32; count];
    for edge in graph.edges.values() {
        ways_on[edge.source.index()] += 1;
    }
    let mut forwarding = Forwarding { next: vec![None; count] };
    for edge in graph.edges.values() {
        let only_skip = ways_on[edge.source.index()] == 1 && matches!(edge.statement, Statement::Skip);
        // The entry stays, for no edge may lead back to it.
        if only_skip && edge.source != graph.entry {
            let end = forwarding.end(edge.target);
            if end != edge.source {
                forwarding.next[edge.source.index()] = Some(end);
            }
        }
    }
    forwarding
}

/// Numbers the locations that can be reached in depth-first order.
fn rebuild(graph: &Graph, edges: &[Edge], mut labels: Vec<Vec<String>>) -> Graph {
    let mut outgoing = vec![Vec::new(); graph.locations.len()];
    for (i, edge) in edges.iter().enumerate() {
        outgoing[edge.source.index()].push(i);
    }
    let mut new_ids: Vec<Option<LocationId>> = vec![None; graph.locations.len()];
    let mut order = Vec::new();
    let mut stack = vec![graph.entry];
    while let Some(location) = stack.pop() {
        if new_ids[location.index()].is_some() || location == graph.exit {
            continue;
        }
        new_ids[location.index()] = Some(Id::from_usize(order.len()));
        order.push(location);
        stack.extend(outgoing[location.index()].iter().rev().map(|&i| edges[i].target));
    }
    let exit = Id::from_usize(order.len());
    new_ids[graph.exit.index()] = Some(exit);
    order.push(graph.exit);
    let mut new_edges = Arena::new();
    for &location in &order {
        for &i in &outgoing[location.index()] {
            if let (Some(source), Some(target)) =
                (new_ids[edges[i].source.index()], new_ids[edges[i].target.index()])
            {
                new_edges.push(Edge { source, target, ..edges[i].clone() });
            }
        }
    }
    let locations =
        order.iter().map(|l| Location { labels: std::mem::take(&mut labels[l.index()]) }).collect();
    Graph { locations, edges: new_edges, entry: Id::from_usize(0), exit }
}
