//! `hardbop reach`: decides boolean programs.
//!
//! Reads the program, runs one engine on it in a worker process, replays the trace with the
//! interpreter of `hardbop_bp`, which shares no code with the engines, and prints one [`Document`].

mod document;
mod invariants;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use hardbop_base::{Budget, Sources};
use hardbop_bp::{Flow, Goal, VarId, load, replay};
use hardbop_reach::explicit::{self, Focus};
use hardbop_reach::{Answer, Reason, Report, Stat, bdd, sat};

use self::document::{Document, Property, Verdict};
use crate::limits::{Limits, peak_memory, processor_time};
use crate::worker::{Crash, Drafts, isolate_report};
use crate::{Exit, Failure, input, output};

/// The arguments of `reach`.
#[derive(Debug, Args)]
pub struct Reach {
    /// The boolean program, or - for standard input
    #[arg(value_name = "FILE.bp")]
    file: PathBuf,

    /// Ask whether this label can be reached, instead of whether an assertion can fail
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,

    /// The engine that decides
    #[arg(long, value_enum, default_value_t = DEFAULT_ENGINE)]
    engine: Engine,

    /// What the values of variables are; only for the explicit engine
    #[arg(long, value_enum, value_name = "VALUES")]
    values: Option<Values>,

    /// The components of trivectors to split before each step: none, total, or variables such as
    /// g,f.x; only for trivector-set
    #[arg(long, value_name = "FOCUS")]
    focus: Option<String>,

    /// Which arguments of function terms are replaced by their values (only for the sat engine): none
    /// (symbolic), those that depend on more than N initial values (N), all but the initial value of
    /// the same variable (initial), or all (explicit)
    #[arg(long, value_name = "WHICH", value_parser = parse_arguments)]
    arguments: Option<sat::Arguments>,

    /// Print a trace to the error, with values
    #[arg(long)]
    trace: bool,

    /// Print the reachable states of each location and the summary of each procedure
    #[arg(long)]
    invariants: bool,

    /// Print figures about the run
    #[arg(long)]
    stats: bool,

    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,

    /// Stop at this many nodes: of decision diagrams, or of the exploded graph (explicit)
    #[arg(long, value_name = "N", value_parser = parse_count)]
    nodes: Option<usize>,

    #[command(flatten)]
    limits: Limits,
}

const DEFAULT_ENGINE: Engine = Engine::Bdd;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Path edges and summaries as decision diagrams
    Bdd,
    /// A satisfiability problem made of weakest preconditions
    Sat,
    /// One state at a time, or other values by --values
    Explicit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Values {
    /// An arbitrary value is chosen at once: exact (default)
    Choice,
    /// One trivector per location: over-approximates
    Trivector,
    /// A set of trivectors per location: over-approximates, exact with --focus total
    TrivectorSet,
    /// True, false and unknown: over-approximates
    Kleene,
}

impl Reach {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        self.check_usage()?;
        isolate_report(&self.limits, |crash| self.crashed(crash), |budget, drafts| self.work(budget, drafts))
    }

    fn check_usage(&self) -> Result<(), Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
        match (self.engine, self.values, &self.focus) {
            (Engine::Bdd | Engine::Explicit, ..) if self.arguments.is_some() => {
                usage("--arguments is for --engine sat")
            }
            (Engine::Bdd | Engine::Sat, Some(_), _) => usage("--values is for --engine explicit"),
            (_, None | Some(Values::Choice | Values::Trivector | Values::Kleene), Some(_)) => {
                usage("--focus is for --values trivector-set")
            }
            _ => Ok(()),
        }
    }

    fn work(&self, budget: &Budget, drafts: &Drafts) -> Result<Exit, Failure> {
        let start = Instant::now();
        let flow = self.read()?;
        let goal = self.goal();
        if let Some(label) = &self.label
            && flow.goal_locations(&goal).is_empty()
        {
            return Err(Failure::Usage(format!("--label: the program has no label `{label}`")));
        }
        let mut report = self.dispatch(&flow, &goal, budget)?;
        report.stats.extend(costs(start));
        let mut document = self.document();
        let exit = document.judge(&flow, &goal, &report, self.is_exact());
        drafts.draft(&self.shown(&document), exit)?;
        self.add_details(&mut document, &flow, &report, budget);
        drafts.finish(&self.shown(&document), exit)?;
        Ok(exit)
    }

    fn read(&self) -> Result<Flow, Failure> {
        let text = input::read_text(&self.file)?;
        let mut sources = Sources::new();
        let file = sources.add(self.file.display().to_string(), text.as_str());
        load(&text, file).map_err(|diagnostics| {
            output::report(&diagnostics.render(&sources));
            Failure::InputReported
        })
    }

    fn goal(&self) -> Goal {
        self.label.clone().map_or(Goal::Assertion, Goal::Label)
    }

    /// The one place that knows the engines.
    fn dispatch(&self, flow: &Flow, goal: &Goal, budget: &Budget) -> Result<Report, Failure> {
        Ok(match self.engine {
            Engine::Bdd => {
                let defaults = bdd::BddOptions::default();
                let options = bdd::BddOptions {
                    trace: self.trace,
                    invariants: self.invariants,
                    node_capacity: self.nodes.unwrap_or(defaults.node_capacity),
                    ..defaults
                };
                bdd::check(flow, goal, &options, budget)
            }
            Engine::Sat => {
                let defaults = sat::SatOptions::default();
                let options = sat::SatOptions {
                    arguments: self.arguments.unwrap_or(defaults.arguments),
                    nodes: self.nodes.unwrap_or(defaults.nodes),
                    ..defaults
                };
                sat::check(flow, goal, &options, budget)
            }
            Engine::Explicit => {
                let defaults = explicit::ExplicitOptions::default();
                let options = explicit::ExplicitOptions {
                    values: self.explicit_values(flow)?,
                    trace: self.trace,
                    invariants: self.invariants,
                    limit: self.nodes.unwrap_or(defaults.limit),
                };
                explicit::check(flow, goal, &options, budget)
            }
        })
    }

    fn explicit_values(&self, flow: &Flow) -> Result<explicit::Values, Failure> {
        Ok(match self.values {
            None | Some(Values::Choice) => explicit::Values::Choice,
            Some(Values::Trivector) => explicit::Values::Trivector,
            Some(Values::Kleene) => explicit::Values::Kleene,
            Some(Values::TrivectorSet) => explicit::Values::TrivectorSet(match self.focus.as_deref() {
                None | Some("none") => Focus::None,
                Some("total") => Focus::Total,
                Some(names) => Focus::Variables(focus_variables(flow, names)?),
            }),
        })
    }

    /// Whether reachable means reachable in a run.
    fn is_exact(&self) -> bool {
        match self.values {
            None | Some(Values::Choice) => true,
            Some(Values::Trivector | Values::Kleene) => false,
            Some(Values::TrivectorSet) => self.focus.as_deref() == Some("total"),
        }
    }

    fn document(&self) -> Document {
        let name =
            |values: Values| values.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned());
        let values = match self.engine {
            Engine::Explicit => Some(name(self.values.unwrap_or(Values::Choice))),
            Engine::Bdd | Engine::Sat => None,
        };
        let engine = self.engine.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned());
        let property = self.label.clone().map_or(Property::Assertion, |label| Property::Label { label });
        Document::new(self.file.display().to_string(), property, engine, values, self.focus.clone())
    }

    fn add_details(&self, document: &mut Document, flow: &Flow, report: &Report, budget: &Budget) {
        if self.trace && document.verdict == Verdict::False {
            document.add_trace(flow, report);
        }
        if self.invariants {
            let described = report.invariant.as_ref().map(|i| invariants::describe(flow, i, budget));
            document.add_invariants(described.and_then(Result::ok));
        }
        if self.stats || self.json {
            document.add_stats(&report.stats);
        }
    }

    fn shown(&self, document: &Document) -> String {
        if self.json { document.to_json() } else { document.to_string() }
    }

    /// A worker that ran into a limit has no verdict; whatever else ends it is the fault of the input.
    fn crashed(&self, crash: Crash) -> Result<Exit, Failure> {
        let Some(stop) = crash.stop() else { return Err(crash.blame(&self.file)) };
        let mut document = self.document();
        document.reason = stop.to_string();
        output::print(self.shown(&document))?;
        Ok(Exit::Unknown)
    }
}

impl Document {
    /// Turns the answer into a verdict with its reason. A trace that is no run is a defect.
    fn judge(&mut self, flow: &Flow, goal: &Goal, report: &Report, exact: bool) -> Exit {
        let exit = match &report.answer {
            Answer::Unreachable => {
                self.verdict = Verdict::True;
                self.reason = self.property.cannot_happen(flow.goal_locations(goal).is_empty());
                Exit::Ok
            }
            Answer::Reachable(Some(trace)) => match replay(flow, trace, goal) {
                Ok(()) => {
                    self.verdict = Verdict::False;
                    self.reason = self.property.happens(flow, trace);
                    Exit::False
                }
                Err(error) => self.defective(&format!("the trace does not replay: {error}")),
            },
            Answer::Reachable(None) if exact => {
                self.verdict = Verdict::False;
                self.reason = self.property.can_happen();
                Exit::False
            }
            Answer::Reachable(None) => {
                let values = self.values.as_deref().unwrap_or_default();
                let happens = self.property.can_happen();
                self.reason = format!("{happens} with {values} values, which over-approximate the program");
                Exit::Unknown
            }
            Answer::Unknown(Reason::Defect(text)) => self.defective(text),
            Answer::Unknown(reason) => {
                self.reason = say(reason);
                Exit::Unknown
            }
        };
        if exit == Exit::Defect {
            output::complain(&format_args!("internal defect: {}", self.reason));
            output::complain(&"this is a bug in hardbop: please report it together with the input");
        }
        exit
    }

    fn defective(&mut self, text: &str) -> Exit {
        self.reason = text.to_owned();
        Exit::Defect
    }
}

/// What the run has cost: reading the program and deciding it.
fn costs(start: Instant) -> Vec<Stat> {
    let millis = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let mut costs = vec![("time", millis(start.elapsed())), ("processor time", millis(processor_time()))];
    if let Some(bytes) = peak_memory() {
        costs.push(("peak memory", format!("{:.1} MB", bytes as f64 / 1e6)));
    }
    costs
}

fn say(reason: &Reason) -> String {
    match reason {
        Reason::Stopped(stop) => stop.to_string(),
        Reason::Nodes(nodes) => format!("node limit reached: {nodes} nodes of decision diagrams"),
        Reason::States(nodes) => format!("node limit reached: {nodes} nodes of the exploded graph"),
        Reason::Unsupported(text) | Reason::Defect(text) => text.clone(),
    }
}

fn parse_arguments(text: &str) -> Result<sat::Arguments, String> {
    match text {
        "symbolic" => Ok(sat::Arguments::Symbolic),
        "initial" => Ok(sat::Arguments::Initial),
        "explicit" => Ok(sat::Arguments::Explicit),
        number => number
            .parse()
            .map(sat::Arguments::AtMost)
            .map_err(|_| "expected symbolic, initial, explicit or a number".to_owned()),
    }
}

/// The variables of a list such as `g,f.x`: all that have the name, or those of one procedure.
fn focus_variables(flow: &Flow, names: &str) -> Result<Vec<VarId>, Failure> {
    let mut found = Vec::new();
    for name in split_names(names) {
        let (owner, own_name) = match name.split_once('.') {
            Some((procedure, local)) if flow.procedure(procedure).is_some() => {
                (flow.procedure(procedure), local)
            }
            _ => (None, name),
        };
        let before = found.len();
        found.extend(flow.variables.iter().filter_map(|(id, variable)| {
            let right_owner = owner.is_none() || owner == variable.owner;
            (variable.name == own_name && right_owner).then_some(id)
        }));
        if found.len() == before {
            return Err(Failure::Usage(format!("--focus: the program has no variable `{name}`")));
        }
    }
    Ok(found)
}

/// Splits at commas that are not within the braces of a quoted name.
fn split_names(names: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let parts = names.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0
    });
    parts.map(str::trim)
}

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be more than zero".to_owned()),
        Ok(count) => Ok(count),
        Err(_) => Err("expected a whole number".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    #[test]
    fn names_may_contain_commas_in_braces() {
        let parts: Vec<_> = split_names("a, {f(x, y) == {0}},f.b").collect();
        assert_eq!(parts, ["a", "{f(x, y) == {0}}", "f.b"]);
    }

    /// No engine makes such a trace, so the check is tried on one made by hand.
    #[test]
    fn a_trace_that_is_no_run_is_a_defect() {
        let flow = load("decl g; void main() begin assert(g); end", Id::from_usize(0)).unwrap();
        let (location, goal) = (flow.procedures[flow.main].entry, Goal::Assertion);
        let start = hardbop_bp::State { location, depth: 0, globals: vec![true], locals: Vec::new() };
        let answer = Answer::Reachable(Some(hardbop_bp::Trace::new(start)));
        let report = Report { answer, invariant: None, stats: Vec::new() };
        let text = |text: &str| text.to_owned();
        let mut document = Document::new(text("p.bp"), Property::Assertion, text("bdd"), None, None);
        assert_eq!(document.judge(&flow, &goal, &report, true), Exit::Defect);
        assert_eq!(document.verdict, Verdict::Unknown);
        assert_eq!(document.reason, "the trace does not replay: step 0: the run does not end at the goal");
    }

    #[test]
    fn focus_finds_variables_by_name_and_procedure() {
        let text = "decl x, {a.b}; void f(x) begin skip; end void main() begin decl y; f(y); end";
        let flow = load(text, Id::from_usize(0)).unwrap();
        let count = |names| focus_variables(&flow, names).map(|found| found.len());
        assert_eq!(count("x"), Ok(2));
        assert_eq!(count("f.x,{a.b}"), Ok(2));
        let missing = Failure::Usage("--focus: the program has no variable `f.y`".to_owned());
        assert_eq!(count("f.y"), Err(missing));
    }
}
