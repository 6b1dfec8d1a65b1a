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
//! - `rings`, `trace`: if the goal can be reached and a trace is wanted, the fewest steps to it;
//! - `export`: the invariant.
//!
//! The diagrams never reorder. When they explode, the computation starts again with another order and
//! with more room, up to the capacity; what does not fit then is unknown.

mod export;
mod fixpoint;
mod frames;
mod liveness;
mod model;
mod order;
mod rings;
mod space;
mod trace;
mod transfer;

use hardbop_base::Budget;
use hardbop_bp::{Flow, Goal, LocId, Trace, replay};
use oxidd::bdd::new_manager;
use oxidd::{HasWorkers, WorkerPool};

use crate::{Answer, Invariant, Reason, Report, Stat};
use fixpoint::{Fixpoint, Ranks};
use frames::Frames;
use model::Model;
pub use order::Heuristic;
use order::Layout;
use rings::Rings;
use space::{Halt, Outcome, Space};

/// How to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether to find a shortest trace.
    pub trace: bool,
    /// Whether to compute all reachable states, even if the goal is among them.
    pub invariants: bool,
    /// The most nodes of decision diagrams that may exist at a time; each takes about 30 bytes.
    pub node_capacity: usize,
    /// The most results of operations that are remembered; each takes 20 bytes.
    pub cache_capacity: usize,
    /// The first order of variables to try. Others are tried when diagrams explode.
    pub order: Heuristic,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            trace: false,
            invariants: false,
            node_capacity: 1 << 24,
            cache_capacity: 1 << 21,
            order: Heuristic::Force,
        }
    }
}

/// Whether the goal can be reached.
///
/// A trace, if asked for, has the fewest possible steps and has been replayed.
pub fn check(flow: &Flow, goal: &Goal, options: &Options, budget: &Budget) -> Report {
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
    options: &'a Options,
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
    peak: usize,
    restarts: usize,
}

impl Stats {
    fn list(self) -> Vec<Stat> {
        vec![
            ("procedures", self.procedures.to_string()),
            ("locations", self.locations.to_string()),
            ("diagram variables", self.levels.to_string()),
            ("path edge iterations", self.moves.to_string()),
            ("rings", self.rings.to_string()),
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
    fn reach(&mut self, goal: &Goal) -> Outcome<(Answer, Option<Invariant>)> {
        let (found, invariant) = self.fixpoint()?;
        if !found {
            return Ok((Answer::Unreachable, invariant));
        }
        if !self.options.trace {
            return Ok((Answer::Reachable(None), invariant));
        }
        let defect = |what: String| Answer::Unknown(Reason::Defect(what));
        let answer = match self.trace()? {
            None => defect("no trace to a goal that can be reached".to_owned()),
            Some(trace) => match replay(self.flow, &trace, goal) {
                Ok(()) => Answer::Reachable(Some(trace)),
                Err(error) => defect(format!("the trace does not replay: {error}")),
            },
        };
        Ok((answer, invariant))
    }

    fn fixpoint(&mut self) -> Outcome<(bool, Option<Invariant>)> {
        let all = self.options.invariants;
        let (goals, mut moves) = (self.goals, 0);
        let result = self.attempt(all, |attempt| {
            let mut fixpoint = Fixpoint::new(&attempt.model, attempt.ranks, goals, all);
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

    fn trace(&mut self) -> Outcome<Option<Trace>> {
        let (goals, mut made) = (self.goals, 0);
        let result = self.attempt(false, |attempt| {
            let mut rings = Rings::new(&attempt.model, goals);
            let way = rings.run();
            made += rings.made;
            *attempt.work = rings.made;
            match way? {
                Some(way) => trace::extract(&rings, &way),
                None => Ok(None),
            }
        });
        self.stats.rings = made;
        result
    }

    /// Computes with growing room and different orders until it fits.
    fn attempt<T: Send>(
        &mut self,
        all_globals: bool,
        mut compute: impl FnMut(Attempt) -> Outcome<T> + Send,
    ) -> Outcome<T> {
        let mut frames = Frames::new(self.flow);
        if all_globals {
            frames.touch_all(self.flow);
        }
        let ranks = Ranks::new(self.flow, &frames);
        self.stats.procedures = frames.bottom_up.len();
        self.stats.locations = ranks.len();
        let capacity = self.options.node_capacity;
        let others = [Heuristic::Force, Heuristic::Declared, Heuristic::Shuffled];
        let others = others.into_iter().filter(|&other| other != self.order);
        let mut plan = vec![(self.order, FIRST.min(capacity))];
        if capacity > FIRST {
            plan.push((self.order, TRIAL.min(capacity)));
        }
        plan.extend(others.map(|other| (other, TRIAL.min(capacity))));
        let mut best = (0, self.order);
        let mut failure = Halt::Nodes(capacity);
        let mut attempts = 0;
        while attempts < plan.len() {
            let (order, room) = plan[attempts];
            attempts += 1;
            let mut work = 0;
            match self.once(&frames, &ranks, order, room, keep_entries(all_globals), &mut work, &mut compute)
            {
                Err(Halt::Nodes(nodes)) => failure = Halt::Nodes(nodes),
                result => {
                    self.order = order;
                    return result;
                }
            }
            self.stats.restarts += 1;
            if room == TRIAL.min(capacity) && work > best.0 {
                best = (work, order);
            }
            if attempts == plan.len() && room < capacity {
                plan.push((best.1, capacity));
            }
        }
        Err(failure)
    }

    #[allow(clippy::too_many_arguments)]
    fn once<T: Send>(
        &mut self,
        frames: &Frames,
        ranks: &Ranks,
        order: Heuristic,
        room: usize,
        keep_entries: bool,
        work: &mut usize,
        compute: &mut (impl FnMut(Attempt) -> Outcome<T> + Send),
    ) -> Outcome<T> {
        let (flow, budget, stats) = (self.flow, self.budget, &mut self.stats);
        let layout = Layout::new(flow, frames, order);
        stats.levels = layout.levels();
        stats.order = format!("{} (span {}): {}", order.name(), layout.span, layout.describe(flow));
        let manager = new_manager(room, (room / 4).clamp(1, self.options.cache_capacity.max(1)), 1);
        let inner = manager.clone();
        // The library's own thread has a stack deep enough for any number of levels.
        manager.workers().install(move || {
            let space = Space::new(inner, layout.levels(), room, budget)?;
            let model = Model::new(flow, frames, &layout, &space, keep_entries);
            let result = compute(Attempt { model, ranks, work });
            stats.peak = stats.peak.max(space.peak());
            result
        })
    }
}

/// Whether entry values matter where nothing uses them.
fn keep_entries(all_globals: bool) -> bool {
    all_globals
}
