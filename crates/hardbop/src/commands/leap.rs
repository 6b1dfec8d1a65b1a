//! `hardbop leap`: a way through loops of any length.

use std::path::PathBuf;

use clap::Args;
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Diagnostics, Sources, Stop};
use hardbop_certify::replay::replay_within;
use hardbop_ir::interpret::Outcome;
use hardbop_ir::{Edge, ExprId, Program};
use hardbop_leap::{
    Failure as LeapFailure, Joined, Leap, LeapOptions, Leaper, Query, Schedule, Where, procedure_of_choice,
    show,
};
use hardbop_predicate::places;
use hardbop_predicate::{Lined, Predicate, parse_lines};
use hardbop_semantics::Subject;

use crate::frontend::{FrontEnd, Loaded};
use crate::limits::Limits;
use crate::{Exit, Failure, input, output, predicates, worker};

/// Steps after which a run that should confirm a leap is given up.
const MAX_STEPS: u64 = 40_000_000_000;

/// Look for a way through loops of any length
///
/// Prints the modal transition system of the abstract states, the path that was tried, and for each
/// loop on it the ports and which theorem holds. If the end is reached, a run is made that confirms it. The last line
/// is `LEAP: REACHED` (exit code 1 if that is an error, else 0), `LEAP: NO PATH` or `LEAP: UNKNOWN` (both 2).
#[derive(Debug, Args)]
pub struct LeapCommand {
    #[command(flatten)]
    program: FrontEnd,

    /// The predicates of the abstract states: `global: e1, e2;` and `proc f: e3;` [default: whether each loop
    /// goes on]
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,

    /// Where to start: `start`, or the line of a loop, and a condition if wanted: `12: x > 0`
    #[arg(long, value_name = "PLACE", default_value = "start")]
    from: String,

    /// Where to get: `error`, `end`, or the line of a loop or an error, and a condition if wanted: `12: x > 0`
    #[arg(long, value_name = "PLACE", default_value = "error")]
    to: String,

    /// The abstract states to go through, by number: `0,1,4`, or `0,1+2,4` to take some as one [default: several
    /// are tried]
    #[arg(long, value_name = "STATES", conflicts_with_all = ["from", "to"])]
    path: Option<String>,

    /// For choices by line, the predicates under which the alternatives are taken: `12: x < y, x >= y;`
    #[arg(long, value_name = "FILE")]
    schedule: Option<PathBuf>,

    /// See loops in parts, too: by what their branches compare
    #[arg(long)]
    fine: bool,

    /// Print the modal transition system for Graphviz instead
    #[arg(long, conflicts_with = "path")]
    dot: bool,

    #[command(flatten)]
    limits: Limits,
}

impl LeapCommand {
    /// Runs the command.
    pub fn run(self) -> Result<Exit, Failure> {
        let blame = |crash: worker::Crash| match crash {
            worker::Crash::TimedOut if !self.dot => {
                end(format!("{}\n", Stop::Time), "UNKNOWN", Exit::Unknown)
            }
            crash => Err(crash.blame(self.program.first())),
        };
        worker::isolate(&self.limits, blame, |budget| match self.work(budget) {
            Err(Failure::Stopped(stop)) if !self.dot => end(format!("{stop}\n"), "UNKNOWN", Exit::Unknown),
            done => done,
        })
    }

    fn work(&self, budget: &Budget) -> Result<Exit, Failure> {
        let Loaded { mut sources, program, about } = self.program.load_to_start()?;
        let program = program.overlay();
        let predicates = predicates::read(self.predicates.as_deref(), &mut sources, &program)?;
        let entry = about.specification.entry.clone();
        let from = place(("--from", &self.from), &entry, &mut sources, &program)?;
        let to = place(("--to", &self.to), &entry, &mut sources, &program)?;
        let lined = self.lined(&mut sources, &program)?;
        let alias = Alias::of(&program, budget).map_err(Failure::Stopped)?;
        let conditions: Vec<Predicate> = from.1.into_iter().chain(to.1).collect();
        let mut all = predicates.clone();
        all.extend(&conditions);
        all.extend(lined.iter().flat_map(|lined| &lined.predicates));
        let regions = Regions::of(&program, &alias, &places(&program, &all), budget);
        let regions = regions.map_err(Failure::Stopped)?;
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let schedule = schedule(&lined, &sources, subject, budget)?;
        let fine = self.fine;
        let range = self.program.integers().range();
        let options =
            LeapOptions { predicates, conditions, fine, from: Some(from), range, schedule, thorough: true };
        let mut leaper = match Leaper::new(subject, &options, budget) {
            Ok(leaper) => leaper,
            Err(LeapFailure::Stopped(stop)) => return Err(Failure::Stopped(stop)),
            Err(LeapFailure::TooLarge) => {
                return end("there are too many paths or states\n".to_owned(), "UNKNOWN", Exit::Unknown);
            }
        };
        if self.dot {
            output::print(show::dot(&leaper))?;
            return Ok(Exit::Ok);
        }
        let leap = self.search(&mut leaper, from, to)?;
        let mut text = show::report(&leaper, &leap);
        if let Some(stop) = leap.stopped {
            text.push_str(&format!("\n{stop}\n"));
            return end(text, "UNKNOWN", Exit::Unknown);
        }
        if leap.chains.is_empty() {
            return end(text, "NO PATH", Exit::Unknown);
        }
        let Some(chain) = leap.found() else { return end(text, "UNKNOWN", Exit::Unknown) };
        if !leaper.is_failure(chain) {
            // Runs are from the start to an error.
            return end(text, "REACHED", Exit::Ok);
        }
        let mut plan = match leaper.plan(chain) {
            Ok(Some(plan)) => plan,
            none => {
                let why = none.err().map_or(String::new(), |stop| format!(": {stop}"));
                text.push_str(&format!("\nno inputs were found for a run{why}\n"));
                return end(text, "UNKNOWN", Exit::Unknown);
            }
        };
        match replay_within(&program, &mut plan, MAX_STEPS, budget) {
            Ok(run) => {
                text.push_str(&format!("\na run of {} steps confirms it\n", run.steps));
                end(text, "REACHED", Exit::False)
            }
            Err(outcome) => {
                let why = match outcome {
                    Outcome::Stopped(stop) => stop.to_string(),
                    _ => outcome.name().to_owned(),
                };
                text.push_str(&format!("\na run could not confirm it: {why}\n"));
                end(text, "UNKNOWN", Exit::Unknown)
            }
        }
    }

    fn search(&self, leaper: &mut Leaper<'_>, from: Place, to: Place) -> Result<Leap, Failure> {
        for (option, text, place) in [("--from", &self.from, from.0), ("--to", &self.to, to.0)] {
            if !leaper.has_place(place) {
                let why = "there is no loop, no error and no procedure that calls itself in that line";
                return Err(Failure::Usage(format!("{option} {text}: {why}")));
            }
        }
        let starts = leaper.select(from.0, from.1).map_err(Failure::Stopped)?;
        let goals = leaper.select(to.0, to.1).map_err(Failure::Stopped)?;
        let Some(path) = &self.path else { return Ok(leaper.search(&starts, &goals)) };
        let count = leaper.mts.states.len();
        let state = |text: &str| {
            let number: Option<usize> = text.trim().trim_start_matches('s').parse().ok();
            number.filter(|&number| number < count).ok_or_else(|| {
                Failure::Usage(format!("--path: `{text}` is no abstract state; there are 0 to {}", count - 1))
            })
        };
        let joined = |text: &str| text.split('+').map(state).collect::<Result<Vec<usize>, Failure>>();
        let path = path.split(',').map(joined).collect::<Result<Joined, Failure>>()?;
        if path.len() < 2 {
            return Err(Failure::Usage("--path: a path has a first and a last state".into()));
        }
        Ok(leaper.along(vec![path]))
    }

    /// Reads the file of schedules.
    fn lined(&self, sources: &mut Sources, program: &Program) -> Result<Vec<Lined>, Failure> {
        let Some(file) = &self.schedule else { return Ok(Vec::new()) };
        let text = input::read_text(file)?;
        let id = sources.add(file.display().to_string(), text.as_str());
        let mut diagnostics = Diagnostics::new();
        let lined = parse_lines(program, (id, &text), &procedure_of_choice, &mut diagnostics);
        predicates::complain(&diagnostics, sources)?;
        Ok(lined)
    }
}

/// Finds the choices that a file of schedules is about.
fn schedule(
    lined: &[Lined],
    sources: &Sources,
    subject: Subject<'_>,
    budget: &Budget,
) -> Result<Schedule, Failure> {
    let mut query = Query::new(subject, budget);
    let mut schedule = Schedule::default();
    let mut diagnostics = Diagnostics::new();
    for Lined { line, span, predicates } in lined {
        let predicates: Vec<ExprId> = predicates.iter().map(|predicate| predicate.expr).collect();
        if let Err(why) = schedule.add(&mut query, *line, &predicates).map_err(Failure::Stopped)? {
            diagnostics.error(*span, why);
        }
    }
    predicates::complain(&diagnostics, sources)?;
    Ok(schedule)
}

/// A place and a condition there.
type Place = (Where, Option<Predicate>);

/// Reads a place of the command line.
fn place(
    (option, text): (&str, &str),
    entry: &str,
    sources: &mut Sources,
    program: &Program,
) -> Result<Place, Failure> {
    let (at, condition) = match text.split_once(':') {
        Some((at, condition)) => (at.trim(), Some(condition)),
        None => (text.trim(), None),
    };
    let (place, name) = match at {
        "start" => (Where::Start, None),
        "end" => (Where::End, None),
        "error" => (Where::Error, Some(entry.to_owned())),
        line => {
            let number: u32 = line.parse().map_err(|_| {
                Failure::Usage(format!("{option} {text}: a place is start, end, error or a line"))
            })?;
            (Where::Line(number), procedure_at(program, number))
        }
    };
    let Some(condition) = condition else { return Ok((place, None)) };
    let Some(name) = name else {
        return Err(Failure::Usage(format!("{option} {text}: there are no conditions at {at}")));
    };
    let found = predicates::parse(option, &format!("proc {name}: {condition};"), sources, program)?;
    match found[..] {
        [predicate] => Ok((place, Some(predicate))),
        _ => Err(Failure::Usage(format!("{option} {text}: one condition is wanted"))),
    }
}

/// The procedure with statements in a line.
fn procedure_at(program: &Program, line: u32) -> Option<String> {
    let has = |edge: &Edge| program.files.origin(edge.span).line == line;
    let found = program.procedures.values().find(|p| p.edges.values().any(has));
    found.map(|procedure| procedure.name.clone())
}

fn end(mut text: String, answer: &str, exit: Exit) -> Result<Exit, Failure> {
    text.push_str(&format!("LEAP: {answer}\n"));
    output::print(text)?;
    Ok(exit)
}
