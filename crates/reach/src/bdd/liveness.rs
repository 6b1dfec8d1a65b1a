//! Which values can no longer matter at a location.
//!
//! A value that every continuation overwrites before reading it can be forgotten, which keeps path edges
//! small and few; Bebop does so too. This is the textbook backward analysis, per procedure, with calls
//! reading the globals that the callee touches. Traces show all values all the same: those forgotten are
//! chosen again from the start on ([`super::trace`]). Invariants must not forget.
//!
//! What may be forgotten is the *current* value of a variable. A variable with a single copy in a
//! procedure that others call stands for its entry value as well and stays.

use hardbop_bp::{EdgeId, Flow, FlowStep, LocId, ProcId, VarId};
use rustc_hash::FxHashSet;

use super::frames::{Bits, Frames, expressions, mentioned, targets};

/// For every location, what is dead there.
pub(super) struct Liveness {
    /// Everything but the dead variables, by number.
    kept: Vec<Option<Bits>>,
    /// What dies on the way to the location.
    dying: Vec<Vec<VarId>>,
}

impl Liveness {
    /// Analyses the procedures that can be called.
    pub fn new(flow: &Flow, frames: &Frames) -> Self {
        let mut liveness = Liveness {
            kept: vec![None; flow.locations.len()],
            dying: vec![Vec::new(); flow.locations.len()],
        };
        for &id in &frames.bottom_up {
            Analysis { flow, frames, id, kept: &mut liveness.kept }.run();
            for &location in &flow.procedures[id].locations {
                liveness.dying[location.index()] = liveness.dying(flow, frames, id, location);
            }
        }
        liveness
    }

    /// The variables to forget on arrival at a location.
    pub fn forgotten(&self, location: LocId) -> &[VarId] {
        &self.dying[location.index()]
    }

    /// Whether path edges at a location say nothing of the variable's current value.
    pub fn is_dead(&self, flow: &Flow, location: LocId, variable: VarId) -> bool {
        self.kept[location.index()].as_ref().is_some_and(|kept| !kept.has(number(flow, variable)))
    }

    fn dying(&self, flow: &Flow, frames: &Frames, id: ProcId, location: LocId) -> Vec<VarId> {
        let procedure = &flow.procedures[id];
        let scope = frames.touched(flow, id).chain(procedure.locals.iter().copied());
        let dead = scope.filter(|&v| self.is_dead(flow, location, v));
        if location == procedure.entry {
            return dead.collect();
        }
        let edges = flow.locations[location].predecessors.iter().map(|&edge| &flow.edges[edge]);
        let arriving: Vec<_> = edges.map(|edge| (edge.source, targets(edge))).collect();
        dead.filter(|&v| {
            arriving.iter().any(|(source, targets)| !self.is_dead(flow, *source, v) || targets.contains(&v))
        })
        .collect()
    }
}

/// The number of a variable within the scope of a procedure.
fn number(flow: &Flow, variable: VarId) -> usize {
    let data = &flow.variables[variable];
    if data.owner.is_none() { data.slot } else { flow.globals.len() + data.slot }
}

/// The analysis of one procedure.
struct Analysis<'a> {
    flow: &'a Flow,
    frames: &'a Frames,
    id: ProcId,
    kept: &'a mut [Option<Bits>],
}

impl Analysis<'_> {
    fn run(&mut self) {
        let procedure = &self.flow.procedures[self.id];
        let always = self.always();
        for &location in &procedure.locations {
            self.kept[location.index()] = Some(always.clone());
        }
        let mut at_exit = always.clone();
        if !procedure.callers.is_empty() {
            self.frames.touched(self.flow, self.id).for_each(|v| at_exit.add(number(self.flow, v)));
        }
        procedure.results().iter().for_each(|&v| at_exit.add(number(self.flow, v)));
        self.kept[procedure.exit.index()] = Some(at_exit);
        // Later locations mostly have later numbers, so few rounds are needed.
        let mut waiting: Vec<LocId> = procedure.locations.clone();
        let mut is_waiting: FxHashSet<LocId> = waiting.iter().copied().collect();
        while let Some(location) = waiting.pop() {
            is_waiting.remove(&location);
            let Some(mut live) = self.kept[location.index()].clone() else { continue };
            for &edge in &self.flow.locations[location].successors {
                live.add_all(&self.before(edge, &always));
            }
            if self.kept[location.index()].as_ref() != Some(&live) {
                self.kept[location.index()] = Some(live);
                for &edge in &self.flow.locations[location].predecessors {
                    let source = self.flow.edges[edge].source;
                    if is_waiting.insert(source) {
                        waiting.push(source);
                    }
                }
            }
        }
    }

    /// What is kept everywhere: what `enforce` reads, and what stands for its entry value.
    fn always(&self) -> Bits {
        let (flow, frames) = (self.flow, self.frames);
        let procedure = &flow.procedures[self.id];
        let mut always = Bits::new(flow.globals.len() + procedure.locals.len());
        if let Some(enforce) = &procedure.enforce {
            mentioned(enforce, &mut |v| always.add(number(flow, v)));
        }
        if !procedure.callers.is_empty() {
            let globals = frames.touched(flow, self.id).filter(|&v| !frames.writes(flow, self.id, v));
            let formals = procedure.formals().iter().copied().filter(|&v| !frames.assigns(v));
            globals.chain(formals).for_each(|v| always.add(number(flow, v)));
        }
        always
    }

    /// What is live before an edge.
    fn before(&self, edge: EdgeId, always: &Bits) -> Bits {
        let (flow, edge) = (self.flow, &self.flow.edges[edge]);
        let mut live = self.kept[edge.target.index()].clone().unwrap_or_else(|| always.clone());
        // Results have no value before the edge that sets them.
        let results = flow.procedures[self.id].results().iter().copied();
        targets(edge).into_iter().chain(results).for_each(|v| live.remove(number(flow, v)));
        live.add_all(always);
        for e in expressions(edge) {
            // The next value of an assigned variable is not its current one, but may count as such.
            mentioned(e, &mut |v| live.add(number(flow, v)));
        }
        if let FlowStep::Call(call) = &edge.step {
            self.frames.touched(flow, call.callee).for_each(|v| live.add(number(flow, v)));
        }
        live
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    fn dead_at(text: &str, label: &str) -> String {
        let flow = hardbop_bp::load(text, Id::from_usize(0)).expect("a program");
        let frames = Frames::new(&flow);
        let liveness = Liveness::new(&flow, &frames);
        let (location, data) =
            flow.locations.iter().find(|(_, l)| l.labels.iter().any(|name| name == label)).expect(label);
        let dead = flow.scope(data.procedure).filter(|&v| liveness.is_dead(&flow, location, v));
        dead.map(|v| flow.variables[v].name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn values_die_after_their_last_use() {
        let main = |body: &str| format!("decl g, h; void main() begin decl a, b; {body} end");
        assert_eq!(dead_at(&main("a := g; L: b := a; assert(b);"), "L"), "g h b");
        assert_eq!(dead_at(&main("while (*) do L: a := b; b := g; od"), "L"), "h a");
        assert_eq!(dead_at(&main("enforce a | h; a := T; L: skip;"), "L"), "g b");
    }

    #[test]
    fn callers_see_globals_and_kept_formals() {
        let text = "decl g, h; void main() begin g := *; h := *; p(T, T); assert(g); end
            void p(x, y) begin y := x; g := y; L: skip; end";
        assert_eq!(dead_at(text, "L"), "h y");
    }
}
