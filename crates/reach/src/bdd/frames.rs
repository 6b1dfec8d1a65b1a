//! What each procedure can see of the globals: the ones that it or anything it calls reads or writes.
//!
//! A relation of a procedure speaks only of those and of its own frame (Bebop's locality of scopes,
//! `000…` §3, carried further): a global that a procedure never touches keeps its value, whatever it
//! is, and a global that it never writes needs no second copy. The sets follow the call graph from the
//! callees up, one strongly connected component after the other (Tarjan), so one pass is enough.

use hardbop_base::graph;
use hardbop_bp::{Edge, Expr, Flow, FlowStep, ProcId, VarId};

/// The globals that a procedure touches and the order in which procedures are best finished.
pub(super) struct Frames {
    /// The procedures that `main` may call, and `main`; callees before callers but for recursion.
    pub bottom_up: Vec<ProcId>,
    touched: Vec<Bits>,
    written: Vec<Bits>,
    /// By variable: whether an edge of its scope assigns it.
    assigned: Vec<bool>,
}

impl Frames {
    /// Analyses the procedures that `main` can call.
    pub fn new(flow: &Flow) -> Self {
        let empty = Bits::new(flow.globals.len());
        let count = flow.procedures.len();
        let mut frames = Frames {
            bottom_up: Vec::new(),
            touched: vec![empty.clone(); count],
            written: vec![empty.clone(); count],
            assigned: vec![false; flow.variables.len()],
        };
        for target in flow.edges.values().flat_map(targets) {
            frames.assigned[target.index()] = true;
        }
        for component in components(flow) {
            let (mut touched, mut written) = (empty.clone(), empty.clone());
            for &procedure in &component {
                mark_own(flow, procedure, &mut touched, &mut written);
                for callee in flow.callees(procedure) {
                    touched.add_all(&frames.touched[callee.index()]);
                    written.add_all(&frames.written[callee.index()]);
                }
            }
            for &procedure in &component {
                frames.touched[procedure.index()] = touched.clone();
                frames.written[procedure.index()] = written.clone();
            }
            frames.bottom_up.extend(component);
        }
        frames
    }

    /// Makes every procedure touch every global, so that relations show all that can be reached.
    pub fn touch_all(&mut self, flow: &Flow) {
        let mut all = Bits::new(flow.globals.len());
        flow.globals.iter().for_each(|&global| all.add(flow.variables[global].slot));
        self.touched = vec![all; flow.procedures.len()];
    }

    /// The globals that the procedure or anything it calls reads or writes.
    pub fn touched<'a>(&'a self, flow: &'a Flow, procedure: ProcId) -> impl Iterator<Item = VarId> + 'a {
        flow.globals.iter().copied().filter(move |&global| self.touches(flow, procedure, global))
    }

    /// Whether the procedure or anything it calls reads or writes the global.
    pub fn touches(&self, flow: &Flow, procedure: ProcId, global: VarId) -> bool {
        self.touched[procedure.index()].has(flow.variables[global].slot)
    }

    /// Whether some edge assigns the variable.
    pub fn assigns(&self, variable: VarId) -> bool {
        self.assigned[variable.index()]
    }

    /// Whether the procedure or anything it calls writes the global.
    pub fn writes(&self, flow: &Flow, procedure: ProcId, global: VarId) -> bool {
        self.written[procedure.index()].has(flow.variables[global].slot)
    }
}

/// The variables that an edge assigns by itself: targets of an assignment or of a call.
pub(super) fn targets(edge: &Edge) -> Vec<VarId> {
    match &edge.step {
        FlowStep::Skip | FlowStep::Assume(_) => Vec::new(),
        FlowStep::Assign(assign) => assign.updates.iter().map(|update| update.0).collect(),
        FlowStep::Call(call) => call.targets.iter().flatten().copied().collect(),
    }
}

/// The expressions of an edge.
pub(super) fn expressions(edge: &Edge) -> Vec<&Expr> {
    match &edge.step {
        FlowStep::Skip => Vec::new(),
        FlowStep::Assume(e) => vec![e],
        FlowStep::Assign(assign) => {
            assign.updates.iter().map(|update| &update.1).chain(&assign.constrain).collect()
        }
        FlowStep::Call(call) => call.args.iter().collect(),
    }
}

/// Calls the function on each variable that the expression mentions, old or new.
pub(super) fn mentioned(e: &Expr, f: &mut impl FnMut(VarId)) {
    e.visit(&mut |part| {
        if let Expr::Var(variable) | Expr::Next(variable) = part {
            f(*variable);
        }
    });
}

fn mark_own(flow: &Flow, procedure: ProcId, touched: &mut Bits, written: &mut Bits) {
    let global = |variable: VarId| {
        let variable = &flow.variables[variable];
        variable.owner.is_none().then_some(variable.slot)
    };
    let procedure = &flow.procedures[procedure];
    let edges = procedure.edges.iter().map(|&edge| &flow.edges[edge]);
    for edge in edges.clone() {
        for slot in targets(edge).into_iter().filter_map(global) {
            touched.add(slot);
            written.add(slot);
        }
    }
    for e in edges.flat_map(expressions).chain(&procedure.enforce) {
        mentioned(e, &mut |variable| {
            if let Some(slot) = global(variable) {
                touched.add(slot);
            }
        });
    }
}

/// The strongly connected components of the calls from `main`, callees first.
fn components(flow: &Flow) -> Vec<Vec<ProcId>> {
    let callees = |p: ProcId| flow.callees(p).into_iter().map(|callee| callee.index()).collect();
    let successors: Vec<Vec<usize>> = flow.procedures.ids().map(callees).collect();
    let found = graph::components(&successors, [flow.main.index()], |_| true);
    found.into_iter().map(|component| component.into_iter().map(ProcId::from_usize).collect()).collect()
}

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub fn new(size: usize) -> Self {
        Bits(vec![0; size.div_ceil(64)])
    }

    pub fn add(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    pub fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    pub fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    pub fn add_all(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    #[test]
    fn globals_count_only_where_they_are_used() {
        let text = "decl a, b, c, d;
            void main() begin a := T; even(); end
            void even() begin if (b) then odd(); fi end
            void odd() begin c := *; even(); end
            void unused() begin d := T; end";
        let flow = hardbop_bp::load(text, Id::from_usize(0)).expect("a program");
        let frames = Frames::new(&flow);
        let names = |id: ProcId, of: &dyn Fn(VarId) -> bool| -> String {
            frames.touched(&flow, id).filter(|&v| of(v)).map(|v| flow.variables[v].name.as_str()).collect()
        };
        for (name, touched, written) in [("main", "abc", "ac"), ("even", "bc", "c"), ("odd", "bc", "c")] {
            let id = flow.procedure(name).expect(name);
            assert_eq!(names(id, &|_| true), touched, "{name}");
            assert_eq!(names(id, &|v| frames.writes(&flow, id, v)), written, "{name}");
        }
        assert_eq!(frames.bottom_up.len(), 3);
        assert_eq!(frames.bottom_up.last(), Some(&flow.main));
    }
}
