//! `hardbop check`: decides whether a program can break a property.

mod doubts;
mod progress;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use hardbop_base::{Budget, Sources, Stop};
use hardbop_portfolio::alone::{self, Alone};
use hardbop_portfolio::{PortfolioOptions, RefinementOptions, backward, check};
use hardbop_predicate::print_predicates;
use hardbop_report::summary::Summary;
use hardbop_verdict::{CheckOutcome, Evidence, Progress, Verdict};
use progress::Display;

use crate::evidence::InvariantSource;
use crate::frontend::{About, FrontEnd, Language, Loaded};
use crate::limits::Limits;
use crate::worker::{Crash, Drafts, isolate_report};
use crate::{Exit, Failure, evidence, output, predicates, proofs};

/// The arguments of `check`.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    program: FrontEnd,

    /// How the program is decided
    #[arg(long, value_enum, default_value_t = Engine::Slam)]
    engine: Engine,

    /// Predicates to start with: `global: e1, e2;` and `proc f: e3;`
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,

    /// Write the predicates in use at the end here
    #[arg(long, value_name = "FILE")]
    save_predicates: Option<PathBuf>,

    /// If the verdict is FALSE, write a C file that takes the compiled program to the error
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    harness: Option<PathBuf>,

    /// Write a witness of the verdict TRUE or FALSE, in the format 2.0 of SV-COMP
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    witness: Option<PathBuf>,

    /// Write what the verdict TRUE or FALSE rests on, for `hardbop certify`
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    proof: Option<PathBuf>,

    /// Print what holds at loops, and what functions do, as the proof of TRUE knows it
    #[arg(long, help_heading = "Evidence")]
    invariants: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,

    /// Say on standard error what is being done, line by line; on a terminal it is shown in any case
    #[arg(long)]
    progress: bool,

    /// Print figures about the run
    #[arg(long)]
    stats: bool,

    /// Make no concrete runs before refinement; only for the slam engine
    #[arg(long, help_heading = "Beside refinement")]
    no_run: bool,

    /// Look at no bounded runs; only for the slam engine
    #[arg(long, help_heading = "Beside refinement")]
    no_unroll: bool,

    /// Leap over no loops
    #[arg(long, help_heading = "Beside refinement")]
    no_leap: bool,

    /// Guess no invariants of loops
    #[arg(long, help_heading = "Beside refinement")]
    no_guess: bool,

    /// Push no states that lead to errors back from loop to loop; only for the slam engine
    #[arg(long, help_heading = "Beside refinement")]
    no_pdr: bool,

    #[command(flatten)]
    limits: Limits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Predicate abstraction, refined along error traces; bounded runs beside it
    Slam,
    /// Backwards from the errors, by weakest preconditions that are covered at loops
    Wp,
    /// Property-directed reachability between loops; it finds proofs only
    Pdr,
    /// All runs up to a bound that grows; it proves programs whose runs are all bounded
    Unroll,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Engine::Slam => "slam",
            Engine::Wp => "wp",
            Engine::Pdr => "pdr",
            Engine::Unroll => "unroll",
        }
    }
}

impl Check {
    /// Runs the command.
    pub fn run(self) -> Result<Exit, Failure> {
        let work = |budget: &Budget, drafts: &Drafts| match self.work(budget, drafts) {
            Err(Failure::Stopped(stop)) => {
                drafts.finish(&self.stopped(stop)?, Exit::Unknown)?;
                Ok(Exit::Unknown)
            }
            result => result,
        };
        isolate_report(&self.limits, |crash| self.crashed(crash), work)
    }

    fn work(&self, budget: &Budget, drafts: &Drafts) -> Result<Exit, Failure> {
        let start = Instant::now();
        if (self.harness.is_some() || self.witness.is_some())
            && Language::of(self.program.first()) != Language::C
        {
            return Err(Failure::Usage("harnesses and witnesses are for C programs only".into()));
        }
        if self.proof.is_some() {
            proofs::need_files(&self.program.files)?;
        }
        if self.engine != Engine::Slam && (self.no_run || self.no_unroll || self.no_guess || self.no_pdr) {
            let why = "--no-run, --no-unroll, --no-guess and --no-pdr are for --engine slam";
            return Err(Failure::Usage(why.into()));
        }
        if matches!(self.engine, Engine::Pdr | Engine::Unroll) && (self.predicates.is_some() || self.no_leap)
        {
            let name = self.engine.name();
            let why = format!("--engine {name} takes no predicates, and leaps over no loops");
            return Err(Failure::Usage(why));
        }
        let Loaded { mut sources, program: loaded, about } = self.program.load_to_start()?;
        let program = &loaded.overlay();
        let predicates = predicates::read(self.predicates.as_deref(), &mut sources, program)?;
        let mut display = Display::new(self.progress);
        let (outcome, tracked) = match self.engine {
            Engine::Slam => {
                let options = self.options();
                let show = &mut |progress: Progress<'_>| display.show(progress);
                (check(program, &predicates, &options, budget, show), None)
            }
            Engine::Wp => {
                let options = hardbop_wp::WpOptions::default();
                let show = &mut |progress: Progress<'_>| display.show(progress);
                let found = backward::check(program, &predicates, &options, !self.no_leap, budget, show);
                (found.outcome, Some(found.predicates))
            }
            Engine::Pdr => (alone::check(program, Alone::Pdr, budget), None),
            Engine::Unroll => (alone::check(program, Alone::Unroll, budget), None),
        };
        drop(display);
        let exit = match outcome.verdict {
            Verdict::True(_) => Exit::Ok,
            Verdict::False(_) => Exit::False,
            Verdict::Unknown(_) => Exit::Unknown,
        };
        let found = report::ReportInput {
            engine: self.engine.name(),
            outcome: &outcome,
            tracked: tracked.as_deref(),
            sources: &sources,
            about: &about,
            budget,
        };
        // What follows may take longer than there is time.
        drafts.draft(&self.shown(&found.draft(start.elapsed()))?, exit)?;
        if let Some(file) = &self.save_predicates {
            let nameable = predicates::nameable(&outcome.program, &outcome.predicates);
            let text = print_predicates(&outcome.program, &nameable);
            let none = "/* no predicates were needed */\n".to_owned();
            output::write(file, if text.is_empty() { none } else { text })?;
        }
        self.write_evidence(&outcome, &sources, &about, budget)?;
        if let Some(file) = &self.proof {
            proofs::write(file, &loaded, &outcome, &about, budget)?;
        }
        let warning = doubts::warning(&outcome, budget);
        let summary = found.summary(start.elapsed(), self.invariants || self.json, warning);
        drafts.finish(&self.shown(&summary)?, exit)?;
        Ok(exit)
    }

    fn shown(&self, summary: &Summary) -> Result<String, Failure> {
        if self.json { json(summary) } else { Ok(summary.text(self.stats)) }
    }

    fn options(&self) -> PortfolioOptions {
        let all = PortfolioOptions::default();
        let probes = if self.no_run { 0 } else { all.probes };
        let refinement = RefinementOptions { guess: !self.no_guess, ..all.refinement };
        let (leap, pdr) = (!self.no_leap, !self.no_pdr);
        PortfolioOptions { refinement, probes, unroll: !self.no_unroll, leap, pdr, ..all }
    }

    fn write_evidence(
        &self,
        outcome: &CheckOutcome,
        sources: &Sources,
        about: &About,
        budget: &Budget,
    ) -> Result<(), Failure> {
        let program = &outcome.program;
        if let (Some(file), Verdict::False(counterexample)) = (&self.harness, &outcome.verdict)
            && !evidence::write_harness(file, program, sources, about, &counterexample.run, budget)?
        {
            output::complain(&format!("{}: not written, for lack of time", file.display()));
        }
        let Some(file) = &self.witness else { return Ok(()) };
        let written = match &outcome.verdict {
            Verdict::False(counterexample) => {
                evidence::write_violation(file, program, sources, about, &counterexample.run, budget)?
            }
            Verdict::True(evidence) => {
                let said = match evidence {
                    Evidence::Invariants(proof) => InvariantSource::Proof(proof),
                    Evidence::Backward(found) => InvariantSource::Loops(&found.loops),
                    Evidence::Unrolled(..) => InvariantSource::Loops(&[]),
                };
                evidence::write_correctness(file, program, sources, about, said)?
            }
            Verdict::Unknown(_) => true,
        };
        if !written {
            output::complain(&format!("{}: not written, for lack of time", file.display()));
        }
        Ok(())
    }

    /// A worker that ran into a limit has no verdict; whatever else ends it is the fault of the input.
    fn crashed(&self, crash: Crash) -> Result<Exit, Failure> {
        let Some(stop) = crash.stop() else { return Err(crash.blame(self.program.first())) };
        progress::clear_line();
        output::print(self.stopped(stop)?)?;
        Ok(Exit::Unknown)
    }

    /// The report of a worker that ran into a limit and could not say more.
    fn stopped(&self, stop: Stop) -> Result<String, Failure> {
        let summary = report::stopped(stop, &self.program.files);
        if self.json { json(&summary) } else { Ok(summary.text(false)) }
    }
}

fn json(summary: &Summary) -> Result<String, Failure> {
    match serde_json::to_string_pretty(summary) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(Failure::Defect(format!("the report is no JSON: {error}"))),
    }
}
