//! `hardbop leap`: a way through loops of any length.

use std::path::PathBuf;

use clap::Args;
use hardbop_abstraction::places;
use hardbop_alias::{Alias, Regions};
use hardbop_base::Budget;
use hardbop_certify::replay::replay;
use hardbop_leap::{Failure as Gave, Kind, Leaper, Options, show};
use hardbop_semantics::Subject;

use crate::frontend::{FrontEnd, Loaded};
use crate::limits::Limits;
use crate::{Exit, Failure, output, predicates, worker};

/// Look for a way through loops of any length
///
/// Prints the modal transition system of the abstract states, the path that was tried, and for each
/// loop on it the ports and which theorem holds. If the end is reached, a run is made that confirms it. The last line
/// is `LEAP: REACHED` (exit code 1 if that is an error, else 0), `LEAP: NO PATH` (0) or `LEAP: UNKNOWN` (2).
#[derive(Debug, Args)]
pub struct LeapCommand {
    #[command(flatten)]
    program: FrontEnd,

    /// The predicates of the abstract states: `global: e1, e2;` and `proc f: e3;` [default: whether each loop
    /// goes on]
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,

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
        let loaded = self.program.load()?;
        if loaded.program.entry.is_none() {
            return Err(self.program.no_entry(&loaded));
        }
        let Loaded { mut sources, mut program, .. } = loaded;
        let predicates = predicates::read(self.predicates.as_deref(), &mut sources, &mut program)?;
        let alias = Alias::of(&program, budget).map_err(Failure::Stopped)?;
        let regions = Regions::of(&program, &alias, &places(&program, &predicates), budget);
        let regions = regions.map_err(Failure::Stopped)?;
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let options = Options { predicates, thorough: true, ..Options::default() };
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
        let from = leaper.states_at(|kind| kind == Kind::Start);
        let to = leaper.states_at(|kind| matches!(kind, Kind::Error(_)));
        let leap = leaper.search(&from, &to).map_err(Failure::Stopped)?;
        let mut text = show::report(&leaper, &leap);
        if leap.chains.is_empty() {
            return end(text, "NO PATH", Exit::Ok);
        }
        let Some(chain) = leap.found() else { return end(text, "UNKNOWN", Exit::Unknown) };
        let Some(mut plan) = leaper.plan(chain).map_err(Failure::Stopped)? else {
            text.push_str("\nno inputs were found for a run\n");
            return end(text, "UNKNOWN", Exit::Unknown);
        };
        match replay(&program, &mut plan, budget) {
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
}

fn end(mut text: String, answer: &str, exit: Exit) -> Result<Exit, Failure> {
    text.push_str(&format!("LEAP: {answer}\n"));
    output::print(text)?;
    Ok(exit)
}
