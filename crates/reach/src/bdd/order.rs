//! An order of the variables, computed from the text of the program.
//!
//! The idea is FORCE (Aloul, Markov, Sakallah: *FORCE: a fast and easy-to-implement variable-ordering
//! heuristic*, 2003): variables that one step mentions pull each other together. Each step is a
//! hyperedge with a centre of gravity; every variable moves to the mean of the centres of its steps;
//! repeat while the total span of the steps shrinks. Parameters are tied to their arguments and results
//! to their targets. The library does not reorder, so this order (or one of the others tried when
//! diagrams explode) has to do.
//!
//! All procedures use the same diagram variables for their locals: globals are laid out in order, and
//! the locals that fall between two globals take the places of that gap from its start. A gap is as
//! wide as the procedure that needs most of it.

use hardbop_bp::{Expr, Flow, FlowStep, ProcId, VarId};
use oxidd::VarNo;
use rustc_hash::FxHashMap;

use super::frames::{Frames, mentioned};

/// How to choose an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heuristic {
    /// FORCE, starting from the order in which steps mention the variables and from the declared one.
    Force,
    /// As declared: globals first.
    Declared,
    /// FORCE, starting from a shuffled order.
    Shuffled,
}

impl Heuristic {
    /// Its name, for figures.
    pub fn name(self) -> &'static str {
        match self {
            Heuristic::Force => "force",
            Heuristic::Declared => "declared",
            Heuristic::Shuffled => "shuffled force",
        }
    }
}

/// The rounds of FORCE without improvement after which it ends.
const PATIENCE: usize = 6;
/// The most visits of a variable in a step that FORCE may spend.
const EFFORT: usize = 1 << 20;

/// Where the copies of each variable lie: each place has one level for the value at entry, one for the
/// current value and one for the next value, in this order.
pub(super) struct Layout {
    /// By variable.
    place: Vec<usize>,
    /// The global that owns each place; nothing for places of locals.
    owner: Vec<Option<VarId>>,
    /// The sum over the steps of the distance from their first to their last variable.
    pub span: usize,
}

impl Layout {
    /// Lays out the variables of the procedures that can be called.
    pub fn new(flow: &Flow, frames: &Frames, heuristic: Heuristic) -> Self {
        let problem = Problem::new(flow, frames);
        let declared: Vec<VarId> = flow
            .globals
            .iter()
            .copied()
            .chain(frames.bottom_up.iter().rev().flat_map(|&p| flow.procedures[p].locals.iter().copied()))
            .collect();
        let order = match heuristic {
            Heuristic::Declared => declared,
            Heuristic::Force => problem.best_force([problem.mentioned_first(&declared), declared]),
            Heuristic::Shuffled => problem.best_force([shuffled(declared)]),
        };
        let span = problem.span(&problem.ranks(&order));
        Layout { span, ..place(flow, frames, &order) }
    }

    /// The number of diagram variables.
    pub fn levels(&self) -> usize {
        3 * self.owner.len()
    }

    /// The diagram variable of the value at entry.
    pub fn entry(&self, variable: VarId) -> VarNo {
        self.level(variable, 0)
    }

    /// The diagram variable of the current value.
    pub fn now(&self, variable: VarId) -> VarNo {
        self.level(variable, 1)
    }

    /// The diagram variable of the value after a step.
    pub fn next(&self, variable: VarId) -> VarNo {
        self.level(variable, 2)
    }

    fn level(&self, variable: VarId, copy: usize) -> VarNo {
        // There are fewer variables than text; numbers that do not fit were refused with the space.
        VarNo::try_from(3 * self.place[variable.index()] + copy).unwrap_or(VarNo::MAX)
    }

    /// The order as text: names of globals, and `·` for a place of locals.
    pub fn describe(&self, flow: &Flow) -> String {
        const SHOWN: usize = 100;
        let names = self.owner.iter().take(SHOWN).map(|owner| match owner {
            Some(global) => flow.variables[*global].name.as_str(),
            None => "·",
        });
        let mut text = names.collect::<Vec<_>>().join(" ");
        if self.owner.len() > SHOWN {
            text += &format!(" … ({} more)", self.owner.len() - SHOWN);
        }
        text
    }
}

fn place(flow: &Flow, frames: &Frames, order: &[VarId]) -> Layout {
    // The gap of a local is the number of globals before it.
    let mut gap_widths = vec![0usize; flow.globals.len() + 1];
    let mut in_gap = vec![(0, 0); flow.variables.len()];
    let mut used: FxHashMap<(ProcId, usize), usize> = FxHashMap::default();
    let mut gap = 0;
    for &variable in order {
        match flow.variables[variable].owner {
            None => gap += 1,
            Some(owner) => {
                let rank = used.entry((owner, gap)).or_default();
                in_gap[variable.index()] = (gap, *rank);
                *rank += 1;
                gap_widths[gap] = gap_widths[gap].max(*rank);
            }
        }
    }
    let mut owner = Vec::new();
    let mut starts = Vec::new();
    let mut place = vec![0; flow.variables.len()];
    let mut globals = order.iter().copied().filter(|&v| flow.variables[v].owner.is_none());
    for width in gap_widths {
        starts.push(owner.len());
        owner.resize(owner.len() + width, None);
        if let Some(global) = globals.next() {
            place[global.index()] = owner.len();
            owner.push(Some(global));
        }
    }
    for &procedure in &frames.bottom_up {
        for local in &flow.procedures[procedure].locals {
            let (gap, rank) = in_gap[local.index()];
            place[local.index()] = starts[gap] + rank;
        }
    }
    Layout { place, owner, span: 0 }
}

fn shuffled(mut order: Vec<VarId>) -> Vec<VarId> {
    // A fixed linear congruential sequence: runs must be repeatable.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for i in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

/// The hypergraph of steps over variables.
struct Problem {
    variables: usize,
    /// Sets of at least two variables, and how often each occurs.
    edges: Vec<(Vec<VarId>, usize)>,
}

impl Problem {
    fn new(flow: &Flow, frames: &Frames) -> Self {
        let mut sets: FxHashMap<Vec<VarId>, usize> = FxHashMap::default();
        let mut edges: Vec<(Vec<VarId>, usize)> = Vec::new();
        let mut add = |mut set: Vec<VarId>| {
            set.sort_unstable();
            set.dedup();
            if set.len() > 1 {
                let at = *sets.entry(set.clone()).or_insert(edges.len());
                if at == edges.len() {
                    edges.push((set, 0));
                }
                edges[at].1 += 1;
            }
        };
        for &procedure in frames.bottom_up.iter().rev() {
            for conjunct in flow.procedures[procedure].enforce.iter().flat_map(conjuncts) {
                add(variables(conjunct, None));
            }
            for &edge in &flow.procedures[procedure].edges {
                let edge = &flow.edges[edge];
                match &edge.step {
                    FlowStep::Skip => {}
                    FlowStep::Assume(e) => conjuncts(e).into_iter().for_each(|e| add(variables(e, None))),
                    FlowStep::Assign(assign) => {
                        assign.updates.iter().for_each(|(x, e)| add(variables(e, Some(*x))));
                        assign.constrain.iter().flat_map(conjuncts).for_each(|e| add(variables(e, None)));
                    }
                    FlowStep::Call(call) => {
                        let callee = &flow.procedures[call.callee];
                        let formals = callee.formals().iter().zip(&call.args);
                        formals.for_each(|(formal, e)| add(variables(e, Some(*formal))));
                        let results = callee.results().iter().zip(&call.targets);
                        results.for_each(|(result, target)| {
                            add(target.iter().chain([result]).copied().collect())
                        });
                    }
                }
            }
        }
        Problem { variables: flow.variables.len(), edges }
    }

    /// Variables in the order in which the sets mention them, then the others.
    fn mentioned_first(&self, all: &[VarId]) -> Vec<VarId> {
        let mut seen = vec![false; self.variables];
        let sets = self.edges.iter().flat_map(|(set, _)| set).chain(all);
        sets.copied().filter(|v| !std::mem::replace(&mut seen[v.index()], true)).collect()
    }

    fn ranks(&self, order: &[VarId]) -> Vec<usize> {
        let mut ranks = vec![0; self.variables];
        order.iter().enumerate().for_each(|(rank, v)| ranks[v.index()] = rank);
        ranks
    }

    fn span(&self, ranks: &[usize]) -> usize {
        let span = |set: &[VarId]| {
            let ranks = set.iter().map(|v| ranks[v.index()]);
            ranks.clone().max().unwrap_or(0) - ranks.min().unwrap_or(0)
        };
        self.edges.iter().map(|(set, weight)| weight * span(set)).sum()
    }

    /// The order of least span that FORCE finds from these.
    fn best_force<const N: usize>(&self, starts: [Vec<VarId>; N]) -> Vec<VarId> {
        let found = starts.into_iter().map(|start| self.force(start));
        found.min_by_key(|found| found.0).unwrap_or_default().1
    }

    /// FORCE from an order: the best order on the way and its span.
    fn force(&self, mut order: Vec<VarId>) -> (usize, Vec<VarId>) {
        let visits: usize = self.edges.iter().map(|(set, _)| set.len()).sum::<usize>() + order.len();
        let mut best = (self.span(&self.ranks(&order)), order.clone());
        let mut since_best = 0;
        for _ in 0..(EFFORT / visits.max(1)).clamp(4, 200) {
            let goals = self.pull(&self.ranks(&order));
            order.sort_by(|a, b| goals[a.index()].total_cmp(&goals[b.index()]));
            let span = self.span(&self.ranks(&order));
            if span < best.0 {
                best = (span, order.clone());
                since_best = 0;
            } else {
                since_best += 1;
                if since_best == PATIENCE {
                    break;
                }
            }
        }
        best
    }

    /// Where each variable is pulled: the mean of the centres of its steps.
    fn pull(&self, ranks: &[usize]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.variables];
        for (set, weight) in &self.edges {
            let centre = set.iter().map(|v| ranks[v.index()] as f64).sum::<f64>() / set.len() as f64;
            for v in set {
                let (sum, count) = &mut sums[v.index()];
                *sum += *weight as f64 * centre;
                *count += *weight as f64;
            }
        }
        let mean = |((sum, count), &rank): ((f64, f64), &usize)| {
            if count > 0.0 { sum / count } else { rank as f64 }
        };
        sums.into_iter().zip(ranks).map(mean).collect()
    }
}

fn conjuncts(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::And(operands) => operands.iter().flat_map(conjuncts).collect(),
        e => vec![e],
    }
}

fn variables(e: &Expr, extra: Option<VarId>) -> Vec<VarId> {
    let mut found: Vec<VarId> = extra.into_iter().collect();
    mentioned(e, &mut |v| found.push(v));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    fn layout(text: &str, heuristic: Heuristic) -> (Flow, Layout) {
        let flow = hardbop_bp::load(text, Id::from_usize(0)).expect("a program");
        let layout = Layout::new(&flow, &Frames::new(&flow), heuristic);
        (flow, layout)
    }

    #[test]
    fn variables_of_a_step_lie_together() {
        let text = "decl a, b, c, x, y, z; void main() begin a := x; b := y; c := z; assert(a => x); end";
        let (flow, force) = layout(text, Heuristic::Force);
        assert_eq!(force.span, 5, "{}", force.describe(&flow));
        let (_, declared) = layout(text, Heuristic::Declared);
        assert_eq!(declared.span, 15);
    }

    #[test]
    fn procedures_share_the_places_of_locals() {
        let mut text = "decl g; void main() begin".to_owned();
        (0..50).for_each(|i| text += &format!(" p{i}();"));
        text += " end";
        (0..50).for_each(|i| text += &format!(" void p{i}() begin decl a, b; a := g; b := a; g := b; end"));
        for heuristic in [Heuristic::Force, Heuristic::Declared, Heuristic::Shuffled] {
            let (flow, layout) = layout(&text, heuristic);
            assert!(layout.levels() <= 3 * 5, "{}", layout.describe(&flow));
            for (_, procedure) in flow.procedures.iter() {
                let mut places: Vec<_> = procedure.locals.iter().map(|&v| layout.now(v)).collect();
                places.extend(flow.globals.iter().map(|&v| layout.now(v)));
                let count = places.len();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), count, "{}", procedure.name);
            }
        }
    }
}
