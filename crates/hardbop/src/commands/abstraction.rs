//! `hardbop abstract`: from a program and predicates to a boolean program.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use hardbop_abstraction::{Abstraction, AbstractionOptions, Abstractor, Backend, Granularity, Method, print};
use hardbop_alias::{Alias, Regions};
use hardbop_base::Budget;
use hardbop_predicate::places;
use hardbop_semantics::Subject;

use crate::frontend::{FrontEnd, Loaded};
use crate::limits::{Limits, peak_memory, processor_time};
use crate::listing::Listing;
use crate::{Exit, Failure, output, predicates, worker};

/// The arguments of `abstract`.
#[derive(Debug, Args)]
pub struct Abstract {
    #[command(flatten)]
    program: FrontEnd,

    /// The predicates: `global: e1, e2;` and `proc f: e3;`
    #[arg(long, value_name = "FILE", required_unless_present = "skeleton")]
    predicates: Option<PathBuf>,

    /// Use no predicates: only the control flow remains
    #[arg(long, conflicts_with = "predicates")]
    skeleton: bool,

    /// Write the boolean program here instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// How precise a step is
    #[arg(long, value_enum, default_value_t = Precision::Cartesian)]
    abstraction: Precision,

    /// The longest conjunction of predicates that is tried, or none for no limit
    #[arg(long, value_name = "N", default_value = "3", value_parser = parse_limit)]
    cube_limit: CubeLimit,

    /// What becomes one step
    #[arg(long, value_enum, default_value_t = Steps::Chain)]
    steps: Steps,

    /// Who decides what follows from predicates
    #[arg(long, value_enum, default_value_t = Solver::Auto)]
    solver: Solver,

    /// Threads that work on steps
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,

    /// Print figures about the run on standard error
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    limits: Limits,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Precision {
    /// Each predicate by itself
    Cartesian,
    /// The relation of all predicates, as a constraint
    Boolean,
}

/// What becomes one step.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Steps {
    /// A path between points where control flow meets
    Chain,
    /// A statement
    Statement,
}

impl Steps {
    pub(super) fn granularity(self) -> Granularity {
        match self {
            Steps::Chain => Granularity::Chain,
            Steps::Statement => Granularity::Statement,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Solver {
    /// Bit-blasting, or z3 for programs over mathematical integers
    Auto,
    /// z3
    Z3,
    /// Bit-blasting onto a SAT solver; not for mathematical integers
    Blast,
}

/// The limit on the length of cubes.
#[derive(Debug, Clone, Copy)]
struct CubeLimit(Option<usize>);

fn parse_limit(text: &str) -> Result<CubeLimit, String> {
    match text {
        "none" => Ok(CubeLimit(None)),
        number => match number.parse() {
            Ok(0) | Err(_) => Err("expected a whole number from 1 on, or none".to_owned()),
            Ok(n) => Ok(CubeLimit(Some(n))),
        },
    }
}

impl Abstract {
    /// Runs the command.
    pub fn run(self) -> Result<Exit, Failure> {
        let blame = |crash: worker::Crash| Err(crash.blame(self.program.first()));
        worker::isolate(&self.limits, blame, |budget| self.work(budget))
    }

    fn work(&self, budget: &Budget) -> Result<Exit, Failure> {
        let start = Instant::now();
        let Loaded { mut sources, program, .. } = self.program.load_to_start()?;
        let program = program.overlay();
        let predicates = predicates::read(self.predicates.as_deref(), &mut sources, &program)?;
        let places = places(&program, &predicates);
        let alias = Alias::of(&program, budget).map_err(Failure::Stopped)?;
        let regions = Regions::of(&program, &alias, &places, budget).map_err(Failure::Stopped)?;
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let read = start.elapsed();
        let mut abstractor = Abstractor::new(self.options(), budget.clone());
        let abstraction = abstractor.run(subject, &predicates).map_err(Failure::Stopped)?;
        let listing = Listing::new(&sources);
        let text = print(&abstraction, &program, &|span| listing.line(span));
        output::write(&self.output, text)?;
        if self.stats {
            output::report(&figures(&abstraction, read, start.elapsed()));
        }
        Ok(Exit::Ok)
    }

    fn options(&self) -> AbstractionOptions {
        AbstractionOptions {
            method: match self.abstraction {
                Precision::Cartesian => Method::Cartesian,
                Precision::Boolean => Method::Boolean,
            },
            cube_limit: self.cube_limit.0,
            granularity: self.steps.granularity(),
            backend: match self.solver {
                Solver::Auto => Backend::Auto,
                Solver::Z3 => Backend::Z3,
                Solver::Blast => Backend::Blaster,
            },
            threads: usize::from(self.threads),
            ..AbstractionOptions::default()
        }
    }
}

fn figures(abstraction: &Abstraction, read: Duration, total: Duration) -> String {
    let statistics = abstraction.statistics;
    let counts = statistics.counts;
    let millis = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let mut rows = vec![
        ("procedures", statistics.procedures.to_string()),
        ("steps", statistics.steps.to_string()),
        ("predicates", statistics.predicates.to_string()),
        ("solver queries", counts.queries.to_string()),
        ("decided by a model", counts.by_model.to_string()),
        ("remembered", counts.remembered.to_string()),
        ("solver gave up", counts.gave_up.to_string()),
        ("time to read", millis(read)),
        ("time", millis(total)),
        ("processor time", millis(processor_time())),
    ];
    if let Some(bytes) = peak_memory() {
        rows.push(("peak memory", format!("{:.1} MB", bytes as f64 / 1e6)));
    }
    rows.into_iter().map(|(name, value)| format!("{name:<20} {value}\n")).collect()
}
