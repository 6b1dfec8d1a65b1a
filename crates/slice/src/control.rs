//! Which branches decide whether a location is passed.

use hardbop_alias::Alias;
use hardbop_ir::{EdgeId, LocationId, ProcId, Procedure, Program, Statement};
use rustc_hash::FxHashSet;

/// For each location of a procedure, the branches that decide whether it is passed.
pub(crate) struct Control {
    branches: Vec<Vec<LocationId>>,
    /// For each location, whether nothing but the end of the run lies ahead.
    pub(crate) is_doomed: Vec<bool>,
}

impl Control {
    /// The branches of all procedures. Calls that never return end a run.
    pub(crate) fn of_all(program: &Program, alias: &Alias) -> Vec<Control> {
        let mut endless: FxHashSet<ProcId> = FxHashSet::default();
        loop {
            let controls: Vec<Control> = program
                .procedures
                .iter()
                .map(|(id, procedure)| {
                    Control::of(procedure, |edge| {
                        let callees = alias.callees(id, edge);
                        !callees.is_empty() && callees.iter().all(|callee| endless.contains(callee))
                    })
                })
                .collect();
            let before = endless.len();
            for (id, procedure) in program.procedures.iter().filter(|(_, p)| p.external.is_none()) {
                if controls[id.index()].is_doomed[procedure.entry.index()] {
                    endless.insert(id);
                }
            }
            if endless.len() == before {
                return controls;
            }
        }
    }

    fn of(procedure: &Procedure, never_returns: impl Fn(EdgeId) -> bool) -> Control {
        let count = procedure.locations.len();
        let end = count;
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut stops = vec![false; count];
        for (edge, e) in procedure.edges.iter() {
            let halts = match e.statement {
                Statement::Halt(_) => true,
                Statement::Call { .. } => never_returns(edge),
                _ => false,
            };
            let ends = halts || matches!(e.statement, Statement::Error(_) | Statement::Unsupported(_));
            stops[e.source.index()] |= halts;
            successors[e.source.index()].push(if ends { end } else { e.target.index() });
        }
        for next in &mut successors {
            if next.is_empty() {
                next.push(end);
            }
        }
        for location in spins(procedure, &successors) {
            stops[location] = true;
            successors[location] = vec![end];
        }
        let is_doomed = doomed(procedure, &successors, &stops, end);
        // A way that only ends the run restricts the others, but does not decide about them.
        for (location, next) in successors.iter_mut().enumerate() {
            let ends = |&next: &usize| if next == end { stops[location] } else { is_doomed[next] };
            if !next.iter().all(ends) {
                next.retain(|next| !ends(next));
            }
        }
        for location in endless(procedure, &successors, &stops, end) {
            successors[location].push(end);
        }
        let dominators = post_dominators(&mut successors, end);
        let mut branches = vec![FxHashSet::default(); count];
        for (location, next) in successors.iter().enumerate().filter(|(_, next)| next.len() > 1) {
            for &successor in next {
                // All that lies between here and where the ways meet again.
                let mut passed = successor;
                while passed != end && Some(passed) != dominators[location] {
                    branches[passed].insert(location);
                    match dominators[passed] {
                        Some(next) => passed = next,
                        None => break,
                    }
                }
            }
        }
        let ids: Vec<LocationId> = procedure.locations.ids().collect();
        let branches = branches
            .into_iter()
            .map(|set| {
                let mut sorted: Vec<LocationId> = set.into_iter().map(|i: usize| ids[i]).collect();
                sorted.sort_unstable();
                sorted
            })
            .collect();
        Control { branches, is_doomed }
    }

    /// The branches that decide whether a location is passed.
    pub(crate) fn branches(&self, location: LocationId) -> &[LocationId] {
        &self.branches[location.index()]
    }
}

/// Locations from which a run does nothing but go round for ever. That is an end of the run: a failing assumption is often
/// `if (!c) for (;;);`. Where a procedure reports errors itself, the loop is what comes behind them.
fn spins(procedure: &Procedure, successors: &[Vec<usize>]) -> Vec<usize> {
    if procedure.edges.values().any(|e| matches!(e.statement, Statement::Error(_))) {
        return Vec::new();
    }
    let mut spins = vec![true; successors.len() + 1];
    // Procedures without a body have an exit that is nowhere.
    for leaves in [procedure.exit.index(), successors.len()] {
        if let Some(spins) = spins.get_mut(leaves) {
            *spins = false;
        }
    }
    for e in procedure.edges.values() {
        spins[e.source.index()] &= matches!(e.statement, Statement::Skip);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (location, next) in successors.iter().enumerate() {
            if spins[location] && !next.iter().all(|&next| spins[next]) {
                spins[location] = false;
                changed = true;
            }
        }
    }
    (0..successors.len()).filter(|&location| spins[location]).collect()
}

/// Where loops start that end only in an error or not at all: going on for ever is another way to
/// leave them.
fn endless(procedure: &Procedure, successors: &[Vec<usize>], stops: &[bool], end: usize) -> Vec<usize> {
    let mut leaves: Vec<bool> = stops.to_vec();
    if let Some(exit) = leaves.get_mut(procedure.exit.index()) {
        *exit = true;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for location in (0..successors.len()).rev() {
            if !leaves[location] && successors[location].iter().any(|&next| next != end && leaves[next]) {
                leaves[location] = true;
                changed = true;
            }
        }
    }
    // The targets of edges back, depth first among the others: there is one in each cycle.
    let mut state = vec![0u8; successors.len()];
    let mut found = FxHashSet::default();
    for root in (0..successors.len()).filter(|&location| !leaves[location]) {
        let mut stack = vec![(root, 0)];
        while let Some(&mut (node, ref mut child)) = stack.last_mut() {
            if *child == 0 && state[node] == 2 {
                stack.pop();
                continue;
            }
            state[node] = 1;
            if let Some(&next) = successors[node].get(*child) {
                *child += 1;
                if next != end && !leaves[next] {
                    match state[next] {
                        0 => stack.push((next, 0)),
                        1 => _ = found.insert(next),
                        _ => {}
                    }
                }
                continue;
            }
            state[node] = 2;
            stack.pop();
        }
    }
    let mut found: Vec<usize> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// Locations from which every way ends in a halt.
fn doomed(procedure: &Procedure, successors: &[Vec<usize>], stops: &[bool], end: usize) -> Vec<bool> {
    let mut doomed = vec![false; successors.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for location in (0..successors.len()).rev() {
            let is = |&next: &usize| if next == end { stops[location] } else { doomed[next] };
            if !doomed[location] && location != procedure.exit.index() && successors[location].iter().all(is)
            {
                doomed[location] = true;
                changed = true;
            }
        }
    }
    doomed
}

/// For each node, the first that all ways from it to the end have in common; nothing for the end.
/// Nodes that have no way to the end get one.
fn post_dominators(successors: &mut [Vec<usize>], end: usize) -> Vec<Option<usize>> {
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
    for (node, next) in successors.iter().enumerate() {
        for &successor in next {
            predecessors[successor].push(node);
        }
    }
    let mut order = Vec::new();
    let mut seen = vec![false; end + 1];
    // Backwards from the end, depth first; then from whatever is left.
    let mut roots = vec![end];
    let mut candidate = 0;
    while let Some(root) = roots.pop() {
        let mut stack = vec![(root, 0)];
        seen[root] = true;
        while let Some(&mut (node, ref mut child)) = stack.last_mut() {
            if let Some(&before) = predecessors[node].get(*child) {
                *child += 1;
                if !seen[before] {
                    seen[before] = true;
                    stack.push((before, 0));
                }
                continue;
            }
            order.push(node);
            stack.pop();
        }
        while candidate < end && seen[candidate] {
            candidate += 1;
        }
        if candidate < end {
            successors[candidate].push(end);
            predecessors[end].push(candidate);
            roots.push(candidate);
        }
    }
    // The end comes first whatever was added later.
    order.retain(|&node| node != end);
    order.push(end);
    order.reverse();
    let mut number = vec![usize::MAX; end + 1];
    for (i, &node) in order.iter().enumerate() {
        number[node] = i;
    }
    let mut dominators: Vec<Option<usize>> = vec![None; end + 1];
    dominators[end] = Some(end);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in &order[1..] {
            let mut common: Option<usize> = None;
            for &next in &successors[node] {
                if dominators[next].is_some() {
                    common = Some(common.map_or(next, |other| meet(&dominators, &number, other, next)));
                }
            }
            if common.is_some() && dominators[node] != common {
                dominators[node] = common;
                changed = true;
            }
        }
    }
    dominators[end] = None;
    dominators
}

fn meet(dominators: &[Option<usize>], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if number[a] > number[b] {
            a = dominators[a].expect("a dominator is known");
        } else {
            b = dominators[b].expect("a dominator is known");
        }
    }
    a
}
