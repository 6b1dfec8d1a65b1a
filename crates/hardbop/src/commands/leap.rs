//! `hardbop leap`: a way through loops of any length.

use std::path::PathBuf;

use clap::Args;
use hardbop_abstraction::places;
use hardbop_abstraction::predicate::Predicate;
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Sources};
use hardbop_certify::replay::replay_within;
use hardbop_ir::{Edge, Program};
use hardbop_leap::{Failure as Gave, Joined, Leap, Leaper, Options, Schedule, Where, show};
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
    #[arg(long, value_name = "STATES")]
    path: Option<String>,

    /// For choices, the predicate under which each alternative is taken: `12: x < y, x >= y;`
    #[arg(long, value_name = "FILE")]
    schedule: Option<PathBuf>,

    /// See loops in parts, too: by what their branches compare
    #[arg(long)]
    fine: bool,

    /// Print the modal transition system for Graphviz instead
    #[arg(long)]
    dot: bool,

    #[command(flatten)]
    limits: Limits,
}

impl LeapCommand {
    /// Runs the command.
    pub fn run(self) -> Result<Exit, Failure> {
        let blame = |crash: worker::Crash| Err(crash.blame(self.program.first()));
        worker::isolate(&self.limits, blame, |budget| self.work(budget))
    }

    fn work(&self, budget: &Budget) -> Result<Exit, Failure> {
        let Loaded { mut sources, mut program, about } = self.program.load_to_start()?;
        let predicates = predicates::read(self.predicates.as_deref(), &mut sources, &mut program)?;
        let entry = about.specification.entry.clone();
        let from = place(("--from", &self.from), &entry, &mut sources, &mut program)?;
        let to = place(("--to", &self.to), &entry, &mut sources, &mut program)?;
        let schedule = self.schedule(&mut sources, &mut program)?;
        let alias = Alias::of(&program, budget).map_err(Failure::Stopped)?;
        let conditions: Vec<Predicate> = from.1.into_iter().chain(to.1).collect();
        let mut all = predicates.clone();
        all.extend(&conditions);
        let regions = Regions::of(&program, &alias, &places(&program, &all), budget);
        let regions = regions.map_err(Failure::Stopped)?;
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let fine = self.fine;
        let range = self.program.integers().range();
        let options = Options { predicates, conditions, fine, range, schedule, thorough: true };
        let mut leaper = match Leaper::new(subject, &options, budget) {
            Ok(leaper) => leaper,
            Err(Gave::Stopped(stop)) => return Err(Failure::Stopped(stop)),
            Err(Gave::TooLarge) => {
                return end("there are too many paths or states\n".to_owned(), "UNKNOWN", Exit::Unknown);
            }
        };
        if self.dot {
            output::print(show::dot(&leaper))?;
            return Ok(Exit::Ok);
        }
        let leap = self.search(&mut leaper, from, to)?;
        let mut text = show::report(&leaper, &leap);
        if leap.chains.is_empty() {
            return end(text, "NO PATH", Exit::Unknown);
        }
        let Some(chain) = leap.found() else { return end(text, "UNKNOWN", Exit::Unknown) };
        if !leaper.is_failure(chain) {
            // Runs are from the start to an error.
            return end(text, "REACHED", Exit::Ok);
        }
        let Some(mut plan) = leaper.plan(chain).map_err(Failure::Stopped)? else {
            text.push_str("\nno inputs were found for a run\n");
            return end(text, "UNKNOWN", Exit::Unknown);
        };
        match replay_within(&program, &mut plan, MAX_STEPS, budget) {
            Ok(run) => {
                text.push_str(&format!("\na run of {} steps confirms it\n", run.steps));
                end(text, "REACHED", Exit::False)
            }
            Err(outcome) => {
                budget.check().map_err(Failure::Stopped)?;
                text.push_str(&format!("\na run could not confirm it: {}\n", outcome.name()));
                end(text, "UNKNOWN", Exit::Unknown)
            }
        }
    }

    fn search(&self, leaper: &mut Leaper<'_>, from: Place, to: Place) -> Result<Leap, Failure> {
        let starts = leaper.select(from.0, from.1).map_err(Failure::Stopped)?;
        let goals = leaper.select(to.0, to.1).map_err(Failure::Stopped)?;
        for (option, text, found) in [("--from", &self.from, &starts), ("--to", &self.to, &goals)] {
            if found.is_empty() && text.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(Failure::Usage(format!("{option} {text}: there is no such abstract state")));
            }
        }
        let Some(path) = &self.path else { return leaper.search(&starts, &goals).map_err(Failure::Stopped) };
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
        leaper.along(vec![path]).map_err(Failure::Stopped)
    }

    /// Reads the file of schedules.
    fn schedule(&self, sources: &mut Sources, program: &mut Program) -> Result<Schedule, Failure> {
        let Some(file) = &self.schedule else { return Ok(Schedule::default()) };
        let text = input::read_text(file)?;
        let mut schedule = Schedule::default();
        // One entry after the other, each where it stands in the file.
        let mut before = String::new();
        for entry in text.split_inclusive(';').filter(|entry| !entry.trim().is_empty()) {
            let wrong = || Failure::input(file, format!("`{}` is not `LINE: e1, e2;`", entry.trim()));
            let (line, rest) = entry.split_once(':').ok_or_else(wrong)?;
            let number: u32 = line.trim().parse().map_err(|_| wrong())?;
            let name = procedure_at(program, number).ok_or_else(|| {
                Failure::input(file, format!("there is no statement in line {number} of the program"))
            })?;
            let start: String = line.chars().take_while(|c| c.is_whitespace()).collect();
            let whole = format!("{before}{start}proc {name}:{rest}");
            let found = predicates::parse(&file.display().to_string(), &whole, sources, program)?;
            schedule.lines.push((number, found.into_iter().map(|predicate| predicate.expr).collect()));
            before.extend(entry.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        }
        Ok(schedule)
    }
}

/// A place and a condition there.
type Place = (Where, Option<Predicate>);

/// Reads a place of the command line.
fn place(
    (option, text): (&str, &str),
    entry: &str,
    sources: &mut Sources,
    program: &mut Program,
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
