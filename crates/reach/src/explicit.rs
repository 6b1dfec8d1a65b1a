//! The explicit engine: reachability over single states or cubes, without symbolic representations.
//!
//! It is the reference that the other engines are compared with. It follows `000…` §3: a boolean
//! program is a graph whose nodes are locations with values, and the question is reachability along
//! paths in which calls and returns match, decided with procedure summaries. What a node holds is
//! chosen by [`Values`]:
//!
//! | values | a node is | `*`, `schoose` | `constrain` | `enforce` |
//! |---|---|---|---|---|
//! | [`Values::Choice`] | a state | every value it can have | drops pairs of states | drops states |
//! | [`Values::Kleene`] | a three-valued state | the value `?` | S on the pair | S after each step |
//! | [`Values::TrivectorSet`] | a trivector, many per location | {0, 1} | drops pairs before α | restricts γ |
//! | [`Values::Trivector`] | a trivector, one per location | {0, 1} | drops pairs before α | restricts γ |
//!
//! The last three over-approximate the first: what they do not reach cannot be reached. With
//! [`Focus::Total`] trivector sets are exact. Each is defined in the file that implements it.
//!
//! `000…` is Ball and Rajamani, *Boolean programs: a model and process for software analysis* (2000);
//! `003…` is Ball, Podelski and Rajamani, *Boolean and Cartesian abstraction for model checking C
//! programs* (2001).
//!
//! Memory is bounded by [`ExplicitOptions::limit`]; time by the budget, which every loop polls.

mod choice;
mod cube;
mod formula;
mod invariant;
mod join;
mod kleene;
mod model;
mod split;
mod tabulate;
mod trivector;
mod witness;

use hardbop_base::{Budget, Stop};
use hardbop_bp::{Flow, Goal, LocId, VarId, replay};

use self::choice::Choice;
use self::invariant::Reached;
use self::join::Join;
use self::kleene::Kleene;
use self::model::{Domain, Model};
use self::tabulate::Tabulation;
use self::trivector::Trivectors;
use crate::{Answer, Invariant, Reason, Report, Stat};

/// What the values of variables are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Values {
    /// Truth values; an arbitrary value is chosen at once.
    #[default]
    Choice,
    /// One trivector per location (`003…` §5–6).
    Trivector,
    /// A set of trivectors per location (`003…` §9.2).
    TrivectorSet(Focus),
    /// True, false and unknown, by Kleene's tables (`000…` §2).
    Kleene,
}

impl Values {
    /// Whether reachable means reachable in a run; otherwise it may be an artefact.
    pub fn is_exact(&self) -> bool {
        matches!(self, Values::Choice | Values::TrivectorSet(Focus::Total))
    }
}

/// Which components of a trivector are split before a step (`003…` §9.3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Focus {
    /// None.
    #[default]
    None,
    /// All.
    Total,
    /// Those of these variables.
    Variables(Vec<VarId>),
}

/// What to compute, and how.
#[derive(Debug, Clone)]
pub struct ExplicitOptions {
    /// The value semantics.
    pub values: Values,
    /// Whether to give a trace; only [`Values::Choice`] has one, and it is shortest.
    pub trace: bool,
    /// Whether to give the reachable states.
    pub invariants: bool,
    /// How many nodes of the exploded graph may be visited.
    pub limit: usize,
}

/// About a gigabyte.
const DEFAULT_LIMIT: usize = 10_000_000;

impl Default for ExplicitOptions {
    fn default() -> Self {
        ExplicitOptions { values: Values::Choice, trace: false, invariants: false, limit: DEFAULT_LIMIT }
    }
}

/// Why a search ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Halt {
    /// The budget is spent.
    Stopped(Stop),
    /// There are too many nodes.
    Limit,
}

/// Decides whether the goal can be reached.
pub fn check(flow: &Flow, goal: &Goal, options: &ExplicitOptions, budget: &Budget) -> Report {
    let kleene = Kleene { budget, limit: options.limit };
    let trivectors = Trivectors { budget };
    let choice = Choice { budget };
    let domain: &dyn Domain = match options.values {
        Values::Choice => &choice,
        Values::Kleene => &kleene,
        Values::Trivector | Values::TrivectorSet(_) => &trivectors,
    };
    let focus = |variable: VarId| match &options.values {
        Values::TrivectorSet(Focus::Total) => true,
        Values::TrivectorSet(Focus::Variables(variables)) => variables.contains(&variable),
        _ => false,
    };
    let model = Model::new(flow, domain, focus);
    let search = Search { flow, goal, options, budget, model: &model };
    if flow.goal_locations(goal).is_empty() && !options.invariants {
        return Report { answer: Answer::Unreachable, invariant: None, stats: Vec::new() };
    }
    match options.values {
        Values::Trivector => search.by_joining(),
        _ => search.by_tabulation(),
    }
}

struct Search<'a> {
    flow: &'a Flow,
    goal: &'a Goal,
    options: &'a ExplicitOptions,
    budget: &'a Budget,
    model: &'a Model<'a>,
}

impl Search<'_> {
    fn by_tabulation(&self) -> Report {
        let choice = self.options.values == Values::Choice;
        let goals = self.flow.goal_locations(self.goal);
        let mut table = Tabulation::new(self.model, self.options.limit, self.budget);
        let everything = self.options.invariants;
        let found = table.start(choice && everything).and_then(|()| table.run(&goals, !everything));
        let mut stats: Vec<Stat> = vec![
            ("path edges", table.path_edges.len().to_string()),
            ("states", table.state_count().to_string()),
            ("contexts", table.contexts.len().to_string()),
            ("summaries", table.summary_count().to_string()),
        ];
        let answer = match found {
            Err(halt) => self.unknown(halt),
            Ok(None) => Answer::Unreachable,
            Ok(Some(id)) if choice => {
                stats.push(("steps", table.path_edges[id as usize].distance.to_string()));
                self.with_trace(&table, id)
            }
            Ok(Some(_)) => Answer::Reachable(None),
        };
        let rows = |reached: &mut Reached| {
            table.path_edges.iter().try_for_each(|path_edge| {
                let entry = table.cube(table.contexts[path_edge.context as usize].entry);
                let now = table.cube(path_edge.state);
                reached.add(self.model, path_edge.location, entry, now, self.budget)
            })
        };
        let invariant = if found.is_ok() { self.invariant(rows) } else { None };
        Report { answer, invariant, stats }
    }

    fn by_joining(&self) -> Report {
        let mut values = Join::new(self.model, self.budget);
        let found = values.run();
        let reached: Vec<LocId> =
            self.flow.locations.ids().filter(|&location| values.value(location).is_some()).collect();
        let stats = vec![("locations", reached.len().to_string()), ("joins", values.joins.to_string())];
        let goals = self.flow.goal_locations(self.goal);
        let answer = match found {
            Err(halt) => self.unknown(halt),
            Ok(()) if goals.iter().any(|&goal| values.value(goal).is_some()) => Answer::Reachable(None),
            Ok(()) => Answer::Unreachable,
        };
        let rows = |rows: &mut Reached| {
            reached.iter().try_for_each(|&location| {
                let Some(now) = values.value(location) else { return Ok(()) };
                let entry = self.model.fresh(self.flow.locations[location].procedure);
                rows.add(self.model, location, &entry, now, self.budget)
            })
        };
        let invariant = if found.is_ok() { self.invariant(rows) } else { None };
        Report { answer, invariant, stats }
    }

    fn with_trace(&self, table: &Tabulation<'_>, goal: u32) -> Answer {
        if !self.options.trace {
            return Answer::Reachable(None);
        }
        let Some(trace) = witness::trace(self.flow, table, goal) else { return Answer::Reachable(None) };
        match replay(self.flow, &trace, self.goal) {
            Ok(()) => Answer::Reachable(Some(trace)),
            Err(error) => Answer::Unknown(Reason::Defect(format!("the trace does not replay: {error}"))),
        }
    }

    /// The relations, if they are asked for and there is time to make them.
    fn invariant(&self, rows: impl FnOnce(&mut Reached) -> Result<(), Halt>) -> Option<Invariant> {
        if !self.options.invariants {
            return None;
        }
        let mut reached = Reached::default();
        rows(&mut reached).and_then(|()| reached.relations(self.flow, self.budget)).ok()
    }

    fn unknown(&self, halt: Halt) -> Answer {
        Answer::Unknown(match halt {
            Halt::Stopped(stop) => Reason::Stopped(stop),
            Halt::Limit => Reason::States(self.options.limit),
        })
    }
}

#[cfg(test)]
mod tests;
