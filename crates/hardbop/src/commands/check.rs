//! `hardbop check`: decides whether a program can break a property.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use hardbop_abstraction::predicate::{Predicate, Scope, parse_predicates, print_predicates, show};
use hardbop_abstraction::variables;
use hardbop_base::{Budget, Diagnostics, Sources, Stop};
use hardbop_cegar::{Counterexample, Evidence, Options, Outcome, Progress, Reason, Verdict, check};
use hardbop_ir::interpret::DrawSource;
use hardbop_ir::{Program, VarId, VarKind};
use hardbop_report::story;

use crate::frontend::{FrontEnd, Language, Loaded};
use crate::limits::Limits;
use crate::worker::{Crash, isolate};
use crate::{Exit, Failure, evidence, input, output};

/// The arguments of `check`.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    program: FrontEnd,

    /// Predicates to start with: `global: e1, e2;` and `proc f: e3;`
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,

    /// Write the predicates in use at the end here
    #[arg(long, value_name = "FILE")]
    save_predicates: Option<PathBuf>,

    /// If the verdict is FALSE, write a C file that takes the compiled program to the error
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    harness: Option<PathBuf>,

    /// Say on standard error what is being done
    #[arg(long)]
    progress: bool,

    /// Print figures about the run
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    limits: Limits,
}

impl Check {
    /// Runs the command.
    pub fn run(self) -> Result<Exit, Failure> {
        isolate(&self.limits, |crash| self.crashed(crash), |budget| self.work(budget))
    }

    fn work(&self, budget: &Budget) -> Result<Exit, Failure> {
        let start = Instant::now();
        if self.harness.is_some() && Language::of(self.program.first()) != Language::C {
            return Err(Failure::Usage("a harness is for C programs only".into()));
        }
        let loaded = self.program.load()?;
        if loaded.program.entry.is_none() {
            return Err(self.program.no_entry(&loaded));
        }
        let Loaded { mut sources, mut program, about } = loaded;
        let predicates = self.read_predicates(&mut sources, &mut program)?;
        let mut progress = |p: Progress<'_>| {
            if self.progress {
                let Progress { iteration, predicates, doing } = p;
                output::report(&format!("{iteration}: {doing}, {predicates} predicates\n"));
            }
        };
        let outcome = check(program, &predicates, &Options::default(), budget, &mut progress);
        if let Some(file) = &self.save_predicates {
            let nameable: Vec<Predicate> =
                outcome.predicates.iter().copied().filter(|&p| is_nameable(&outcome.program, p)).collect();
            output::write(file, print_predicates(&outcome.program, &nameable))?;
        }
        if let (Some(file), Verdict::False(counterexample)) = (&self.harness, &outcome.verdict)
            && !evidence::write_harness(file, &outcome.program, &about, &counterexample.run, budget)?
        {
            output::complain(&format!("{}: not written, for lack of time", file.display()));
        }
        let mut text = describe(&outcome, &sources, budget);
        if self.stats {
            text.push_str(&format!("iterations: {}\n", outcome.iterations));
            text.push_str(&format!("predicates: {}\n", outcome.predicates.len()));
            text.push_str(&format!("certificate: {} triples\n", outcome.triples));
            text.push_str(&format!("time: {:.3} s\n", start.elapsed().as_secs_f64()));
        }
        let (verdict, exit) = match outcome.verdict {
            Verdict::True(_) => ("TRUE", Exit::Ok),
            Verdict::False(_) => ("FALSE", Exit::False),
            Verdict::Unknown(_) => ("UNKNOWN", Exit::Unknown),
        };
        text.push_str(&format!("VERDICT: {verdict}\n"));
        output::print(text)?;
        Ok(exit)
    }

    fn read_predicates(
        &self,
        sources: &mut Sources,
        program: &mut Program,
    ) -> Result<Vec<Predicate>, Failure> {
        let Some(file) = &self.predicates else { return Ok(Vec::new()) };
        let text = input::read_text(file)?;
        let id = sources.add(file.display().to_string(), text.as_str());
        let mut diagnostics = Diagnostics::new();
        let predicates = parse_predicates(program, id, &text, &mut diagnostics);
        if !diagnostics.is_empty() {
            output::report(&diagnostics.render(sources));
        }
        if diagnostics.has_errors() { Err(Failure::InputReported) } else { Ok(predicates) }
    }

    /// A worker that ran into a limit has no verdict; whatever else ends it is the fault of the input.
    fn crashed(&self, crash: Crash) -> Result<Exit, Failure> {
        let stop = match crash {
            Crash::TimedOut => Stop::Time,
            Crash::OutOfMemory => Stop::Memory,
            Crash::Interrupted => Stop::Interrupt,
            Crash::StackOverflow | Crash::Signal(_) | Crash::Code(_) => {
                return Err(crash.blame(self.program.first()));
            }
        };
        output::print(format!("reason: {stop}\nVERDICT: UNKNOWN\n"))?;
        Ok(Exit::Unknown)
    }
}

/// Whether a predicate can be written down: a local of one procedure has no name elsewhere.
fn is_nameable(program: &Program, predicate: Predicate) -> bool {
    let global = |var: VarId| matches!(program.variables[var].kind, VarKind::Global | VarKind::Static);
    predicate.scope != Scope::Global || variables(program, predicate.expr).into_iter().all(global)
}

fn describe(outcome: &Outcome, sources: &Sources, budget: &Budget) -> String {
    match &outcome.verdict {
        Verdict::True(evidence) => {
            let mut text = String::from("no run reaches an error\n");
            if let Evidence::Unrolled(_) = evidence {
                text.push_str("all runs are bounded; they were checked one and all\n");
            }
            for assumption in &outcome.program.assumptions {
                text.push_str(&format!("assuming: {}\n", assumption.text));
            }
            text
        }
        Verdict::False(counterexample) => failure(&outcome.program, counterexample, sources, budget),
        Verdict::Unknown(reason) => {
            let mut text = format!("reason: {reason}\n");
            if let Reason::NoProgress(_) = reason {
                text.push_str("predicates in use:\n");
                for predicate in outcome.predicates.iter().rev().take(20) {
                    text.push_str(&format!("  {}\n", show(&outcome.program, predicate.expr)));
                }
            }
            text
        }
    }
}

fn failure(program: &Program, counterexample: &Counterexample, sources: &Sources, budget: &Budget) -> String {
    let run = &counterexample.run;
    let mut text = format!("{}\n", run.outcome.describe(program));
    if let Some(story) = story::tell(program, run, budget) {
        text.push_str(&story.text(sources));
    }
    let inputs: Vec<String> = run
        .draws
        .iter()
        .filter(|draw| matches!(draw.source, DrawSource::Value(_)))
        .take(50)
        .map(|draw| draw.value.to_string())
        .collect();
    text.push_str(&format!("steps: {}, inputs: {}\n", run.steps, inputs.join(" ")));
    text
}
