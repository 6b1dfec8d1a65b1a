//! Bebop: reachability with relations as decision diagrams.
//!
//! From `000…` §3 (and `003…` §9, whose total focus it computes): path edges relate the values at the
//! entry of a procedure to the values at a location of it, a summary is the relation at the exit, and
//! both grow until nothing is new. Recursion needs nothing special. The parts, in the order in which
//! they are used:
//!
//! - `frames`: which globals a procedure touches, so that its relations mention no others;
//! - `order`: the order of variables, and the levels that locals of different procedures share;
//! - `space`: the diagrams, with their limits;
//! - `transfer`, `model`: steps, calls and returns as relations, built once;
//! - `liveness`, `fixpoint`: everything that can be reached, as fast as possible;
//! - `rings`: if the goal can be reached and a shortest trace is wanted, the fewest steps to it;
//! - `layers`, `trace`: the trace, backwards from the goal;
//! - `export`: the invariant.
//!
//! The diagrams never reorder. When they explode, the computation starts again with another order and
//! with more room, up to the capacity; what does not fit then is unknown.

mod export;
mod fixpoint;
mod frames;
mod layers;
mod liveness;
mod model;
mod order;
mod rings;
mod space;
mod trace;
mod transfer;

use hardbop_base::Budget;
use hardbop_bp::{Flow, Goal, LocId, replay};
use oxidd::{HasWorkers, WorkerPool};

use crate::manager::new_manager;
use crate::{Answer, Invariant, Reason, Report, Stat};
use fixpoint::{Fixpoint, Ranks};
use frames::Frames;
use liveness::Liveness;
use model::Model;
pub use order::Heuristic;
use order::Layout;
use rings::Rings;
use space::{BddResult, Halt, Space};
use trace::ShortestTrace;

/// How to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BddOptions {
    /// Whether to find a trace.
    pub trace: bool,
    /// Whether the trace must have the fewest steps, which can take far longer than to find the answer.
    /// If the nodes do not suffice for that, another trace is given all the same.
    pub shortest: bool,
    /// Whether to compute all reachable states, even if the goal is among them.
    pub invariants: bool,
    /// The most nodes of decision diagrams that may exist at a time; each takes about 30 bytes.
    pub node_capacity: usize,
    /// The most results of operations that are remembered; each takes 20 bytes.
    pub cache_capacity: usize,
    /// The first order of variables to try. Others are tried when diagrams explode.
    pub order: Heuristic,
}

impl Default for BddOptions {
    fn default() -> Self {
        BddOptions {
            trace: false,
            shortest: true,
            invariants: false,
            node_capacity: 1 << 24,
            cache_capacity: 1 << 21,
            order: Heuristic::Force,
        }
    }
}

/// Whether the goal can be reached.
///
/// A trace, if asked for, has been replayed; the figure `trace` tells whether it is a shortest one.
pub fn check(flow: &Flow, goal: &Goal, options: &BddOptions, budget: &Budget) -> Report {
    let goals = flow.goal_locations(goal);
    let mut run = Run { flow, goals: &goals, options, budget, order: options.order, stats: Stats::default() };
    let (answer, invariant) = match run.reach(goal) {
        Ok(result) => result,
        Err(Halt::Stopped(stop)) => (Answer::Unknown(Reason::Stopped(stop)), None),
        Err(Halt::Nodes(nodes)) => (Answer::Unknown(Reason::Nodes(nodes)), None),
    };
    Report { answer, invariant, stats: run.stats.list() }
}

/// The room of the first attempts: enough for most programs, and quickly made.
const FIRST: usize = 1 << 16;
/// The room in which orders are compared.
const TRIAL: usize = 1 << 20;

struct Run<'a> {
    flow: &'a Flow,
    goals: &'a [LocId],
    options: &'a BddOptions,
    budget: &'a Budget,
    /// The order to try first.
    order: Heuristic,
    stats: Stats,
}

/// Figures of a run.
#[derive(Default)]
struct Stats {
    procedures: usize,
    locations: usize,
    levels: usize,
    order: String,
    moves: usize,
    rings: usize,
    trace: &'static str,
    peak: usize,
    restarts: usize,
}

impl Stats {
    fn list(self) -> Vec<Stat> {
        let trace = if self.trace.is_empty() { "none" } else { self.trace };
        vec![
            ("procedures", self.procedures.to_string()),
            ("locations", self.locations.to_string()),
            ("diagram variables", self.levels.to_string()),
            ("path edge iterations", self.moves.to_string()),
            ("rings", self.rings.to_string()),
            ("trace", trace.to_owned()),
            ("peak nodes", self.peak.to_string()),
            ("restarts", self.restarts.to_string()),
            ("order", self.order),
        ]
    }
}

/// What an attempt computes with.
struct Attempt<'a> {
    model: Model<'a>,
    ranks: &'a Ranks,
    /// Counts work, to compare attempts that failed.
    work: &'a mut usize,
}

impl Run<'_> {
    fn reach(&mut self, goal: &Goal) -> BddResult<(Answer, Option<Invariant>)> {
        let (found, invariant) = self.fixpoint()?;
        if !found {
            return Ok((Answer::Unreachable, invariant));
        }
        if !self.options.trace {
            return Ok((Answer::Reachable(None), invariant));
        }
        let defect = |what: String| Answer::Unknown(Reason::Defect(what));
        let answer = match self.trace()? {
            ShortestTrace::Nothing => defect("no trace to a goal that can be reached".to_owned()),
            ShortestTrace::TooLong => Answer::Reachable(None),
            ShortestTrace::Trace(trace) => match replay(self.flow, &trace, goal) {
                Ok(()) => Answer::Reachable(Some(trace)),
                Err(error) => defect(format!("the trace does not replay: {error}")),
            },
        };
        Ok((answer, invariant))
    }

    fn fixpoint(&mut self) -> BddResult<(bool, Option<Invariant>)> {
        let all = self.options.invariants;
        let (goals, mut moves) = (self.goals, 0);
        let others = [Heuristic::Force, Heuristic::Declared, Heuristic::Shuffled];
        let result = self.attempt(all, &others, |attempt| {
            let mut fixpoint = Fixpoint::new(&attempt.model, attempt.ranks, goals);
            let found = fixpoint.run(all);
            moves += fixpoint.moves;
            *attempt.work = fixpoint.moves;
            let found = found?;
            let invariant = if all { Some(export::export(&attempt.model, &fixpoint)?) } else { None };
            Ok((found, invariant))
        });
        self.stats.moves = moves;
        result
    }

    fn trace(&mut self) -> BddResult<ShortestTrace> {
        if self.options.shortest {
            match self.shortest_trace() {
                Err(Halt::Nodes(_)) => {}
                result => {
                    self.stats.trace = "shortest";
                    return result;
                }
            }
        }
        self.stats.trace = "any";
        self.any_trace()
    }

    fn shortest_trace(&mut self) -> BddResult<ShortestTrace> {
        let (goals, mut made) = (self.goals, 0);
        // The order has proved itself; rings just take more room.
        let result = self.attempt(false, &[], |attempt| {
            let mut fixpoint = Fixpoint::new(&attempt.model, attempt.ranks, goals);
            fixpoint.run(false)?;
            let mut rings = Rings::new(&attempt.model, goals);
            rings.seed(&fixpoint.entries)?;
            drop(fixpoint);
            let way = rings.run();
            made += rings.made;
            *attempt.work = rings.made;
            let Some(mut way) = way? else { return Ok(ShortestTrace::Nothing) };
            let layers = rings.into_layers(&mut way);
            trace::shortest(&attempt.model, &layers, &way)
        });
        self.stats.rings = made;
        result
    }

    fn any_trace(&mut self) -> BddResult<ShortestTrace> {
        let goals = self.goals;
        self.attempt(false, &[], |attempt| {
            let mut fixpoint = Fixpoint::recording(&attempt.model, attempt.ranks, goals);
            fixpoint.run(false)?;
            *attempt.work = fixpoint.moves;
            match fixpoint.into_record() {
                Some(layers) => trace::any(&attempt.model, &layers, goals),
                None => Ok(ShortestTrace::Nothing),
            }
        })
    }

    /// Computes with growing room, and different orders, until it fits.
    fn attempt<T: Send>(
        &mut self,
        all_values: bool,
        orders: &[Heuristic],
        mut compute: impl FnMut(Attempt) -> BddResult<T> + Send,
    ) -> BddResult<T> {
        let program = Program::new(self.flow, all_values);
        self.stats.procedures = program.frames.bottom_up.len();
        self.stats.locations = program.ranks.len();
        let capacity = self.options.node_capacity;
        let trial = TRIAL.min(capacity);
        let others = orders.iter().copied().filter(|&other| other != self.order);
        let mut plan = vec![(self.order, FIRST.min(capacity))];
        plan.extend((capacity > FIRST).then_some((self.order, trial)));
        plan.extend(others.map(|other| (other, trial)));
        let mut best = (0, self.order);
        let mut failure = Halt::Nodes(capacity);
        let mut attempts = 0;
        while attempts < plan.len() {
            let (order, room) = plan[attempts];
            attempts += 1;
            let mut work = 0;
            match self.once(&program, order, room, &mut work, &mut compute) {
                Err(Halt::Nodes(nodes)) => failure = Halt::Nodes(nodes),
                result => {
                    self.order = order;
                    return result;
                }
            }
            self.stats.restarts += 1;
            if room == trial && work > best.0 {
                best = (work, order);
            }
            if attempts == plan.len() && room < capacity {
                plan.push((best.1, capacity));
            }
        }
        Err(failure)
    }

    fn once<T: Send>(
        &mut self,
        program: &Program,
        order: Heuristic,
        room: usize,
        work: &mut usize,
        compute: &mut (impl FnMut(Attempt) -> BddResult<T> + Send),
    ) -> BddResult<T> {
        let (flow, budget, stats) = (self.flow, self.budget, &mut self.stats);
        let layout = Layout::new(flow, &program.frames, order);
        stats.levels = layout.levels();
        stats.order = format!("{} (span {}): {}", order.name(), layout.span, layout.describe(flow));
        let cache = (room / 4).clamp(1, self.options.cache_capacity.max(1));
        let manager = new_manager(room, cache).map_err(Halt::Stopped)?;
        let inner = manager.clone();
        // The library's own thread has a stack deep enough for any number of levels.
        manager.workers().install(move || {
            let space = Space::new(inner, layout.levels(), room, budget)?;
            let model = Model::new(flow, &program.frames, &layout, &space, program.liveness.as_ref());
            let result = compute(Attempt { model, ranks: &program.ranks, work });
            stats.peak = stats.peak.max(space.peak());
            result
        })
    }
}

/// What all attempts share.
struct Program {
    frames: Frames,
    ranks: Ranks,
    /// Nothing if all values matter.
    liveness: Option<Liveness>,
}

impl Program {
    fn new(flow: &Flow, all_values: bool) -> Self {
        let mut frames = Frames::new(flow);
        if all_values {
            frames.touch_all(flow);
        }
        let ranks = Ranks::new(flow, &frames);
        let liveness = (!all_values).then(|| Liveness::new(flow, &frames));
        Program { frames, ranks, liveness }
    }
}
