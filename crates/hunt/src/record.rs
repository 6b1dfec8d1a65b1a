//! Runs, remembered step by step.

use hardbop_base::Budget;
use hardbop_ir::Order;
use hardbop_ir::interpret::{Inputs, Interpreter, Limits, Observer, Outcome, Run, RunOptions, Value, View};
use hardbop_ir::testing::Random;
use hardbop_ir::{EdgeId, ExprId, LocationId, ProcId, Procedure, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// What runs of a hunt may use.
pub const LIMITS: Limits = Limits { steps: 20_000, memory: 1 << 26, depth: 2000, draws: 1 << 14, output: 0 };

/// A step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedStep {
    /// The procedure.
    pub procedure: ProcId,
    /// The edge that is taken.
    pub edge: EdgeId,
    /// How many activations wait.
    pub depth: usize,
}

/// A run with all its steps.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The steps, in order.
    pub steps: Vec<RecordedStep>,
    /// The values that it drew.
    pub draws: Vec<u128>,
    /// How it ended.
    pub outcome: Outcome,
}

struct Recorder {
    steps: Vec<RecordedStep>,
}

impl Observer for Recorder {
    fn step(&mut self, view: &View<'_, '_>) {
        self.steps.push(RecordedStep { procedure: view.procedure(), edge: view.edge(), depth: view.depth() });
    }
}

/// Runs a program and remembers what it did.
pub fn record(program: &Program, inputs: &mut dyn Inputs, budget: &Budget) -> Recorded {
    let mut recorder = Recorder { steps: Vec::new() };
    let Run { outcome, draws, .. } =
        Interpreter::new(program).observe(inputs, options(budget), &mut recorder);
    let draws = draws.iter().map(|draw| draw.value).collect();
    Recorded { steps: recorder.steps, draws, outcome }
}

/// Runs a program within the limits of a hunt.
pub fn run(program: &Program, inputs: &mut dyn Inputs, budget: &Budget) -> Run {
    Interpreter::new(program).run(inputs, options(budget))
}

fn options(budget: &Budget) -> RunOptions<'static> {
    RunOptions { limits: LIMITS, budget: budget.clone(), sink: None }
}

/// The values that expressions have at steps of a run, by the number of the step, counted from 0.
pub fn values_at(
    program: &Program,
    inputs: &mut dyn Inputs,
    wanted: &FxHashMap<usize, Vec<ExprId>>,
    budget: &Budget,
) -> FxHashMap<usize, Vec<(ExprId, Value)>> {
    struct ValueObserver<'a> {
        wanted: &'a FxHashMap<usize, Vec<ExprId>>,
        found: FxHashMap<usize, Vec<(ExprId, Value)>>,
        step: usize,
    }
    impl Observer for ValueObserver<'_> {
        fn step(&mut self, view: &View<'_, '_>) {
            if let Some(exprs) = self.wanted.get(&self.step) {
                let known = exprs.iter().filter_map(|&expr| Some((expr, view.value(expr).ok()?)));
                self.found.insert(self.step, known.collect());
            }
            self.step += 1;
        }
    }
    let mut observer = ValueObserver { wanted, found: FxHashMap::default(), step: 0 };
    Interpreter::new(program).observe(inputs, options(budget), &mut observer);
    observer.found
}

/// Which steps of a run lie inside a loop, or inside a callee of the procedure that the program is about.
pub fn is_deep(program: &Program, steps: &[RecordedStep]) -> Vec<bool> {
    let mut loops: FxHashMap<ProcId, FxHashSet<LocationId>> = FxHashMap::default();
    let deep = |step: &RecordedStep| {
        let procedure = &program.procedures[step.procedure];
        let inside = loops.entry(step.procedure).or_insert_with(|| in_loops(procedure));
        step.depth > 1 || inside.contains(&procedure.edges[step.edge].source)
    };
    steps.iter().map(deep).collect()
}

/// The locations of a procedure that lie in a loop.
fn in_loops(procedure: &Procedure) -> FxHashSet<LocationId> {
    let order = Order::of(procedure);
    let heads: Vec<LocationId> = procedure.locations.ids().filter(|&l| order.is_head(l)).collect();
    let inside = |&location: &LocationId| heads.iter().any(|&head| order.is_in_loop(location, head));
    procedure.locations.ids().filter(inside).collect()
}

/// Picks a step: of all (procedure, edge) pairs that are wanted one, and of its visits one.
pub fn pick(steps: &[RecordedStep], wanted: &[bool], random: &mut Random) -> Option<usize> {
    let chosen = |i: &usize| wanted[*i];
    let places: FxHashSet<(ProcId, EdgeId)> =
        (0..steps.len()).filter(chosen).map(|i| (steps[i].procedure, steps[i].edge)).collect();
    let mut places: Vec<_> = places.into_iter().collect();
    places.sort_unstable();
    let place = *places.get(random.below(places.len()))?;
    let visits: Vec<usize> =
        (0..steps.len()).filter(chosen).filter(|&i| (steps[i].procedure, steps[i].edge) == place).collect();
    // Late visits of a loop take solvers long: prefer the early ones.
    let few = if random.one_in(4) { visits.len() } else { visits.len().min(4) };
    visits.get(random.below(few)).copied()
}
