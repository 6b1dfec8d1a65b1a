//! `hardbop path`: one path of the program, what is known along it, and why it cannot be run.

use std::path::PathBuf;

use clap::Args;
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_cegar::{ErrorPath, RefinementOptions, error_path};
use hardbop_certify::replay::replay;
use hardbop_ir::{Program, Statement};
use hardbop_path::{Contexts, Path, PathVerdict, Projection, analyse, explain, relations, show};
use hardbop_predicate::places;
use hardbop_predicate::{Predicate, print_predicates};
use hardbop_semantics::path::PathStep;
use hardbop_semantics::{Guide, Subject};
use hardbop_verdict::Reason;

use super::abstraction::Steps;
use crate::frontend::{FrontEnd, Loaded};
use crate::limits::Limits;
use crate::{Exit, Failure, output, predicates, worker};

/// Try the shortest error trace of the abstraction on the program
///
/// Prints the path with what is known after each statement: Ω the values of variables, Π earlier ones, Φ
/// conditions on inputs. If no run leads along it, prints the statements that are to blame and the
/// predicates that they propose. The last line is `PATH: NONE`, `PATH: INFEASIBLE` (both end with 0),
/// `PATH: FEASIBLE` (1) or `PATH: UNKNOWN` (2).
#[derive(Debug, Args)]
pub struct PathCommand {
    #[command(flatten)]
    program: FrontEnd,

    /// The predicates of the abstraction: `global: e1, e2;` and `proc f: e3;` [default: none]
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,

    /// What becomes one step of the abstraction; chains leave out paths that statements would have
    #[arg(long, value_enum, default_value_t = Steps::Statement)]
    steps: Steps,

    #[command(flatten)]
    limits: Limits,
}

impl PathCommand {
    /// Runs the command.
    pub fn run(self) -> Result<Exit, Failure> {
        let blame = |crash: worker::Crash| Err(crash.blame(self.program.first()));
        worker::isolate(&self.limits, blame, |budget| self.work(budget))
    }

    fn work(&self, budget: &Budget) -> Result<Exit, Failure> {
        let Loaded { mut sources, program, .. } = self.program.load_to_start()?;
        let program = program.overlay();
        let predicates = predicates::read(self.predicates.as_deref(), &mut sources, &program)?;
        let alias = Alias::of(&program, budget).map_err(Failure::Stopped)?;
        let regions = Regions::of(&program, &alias, &places(&program, &predicates), budget);
        let regions = regions.map_err(Failure::Stopped)?;
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let abstraction = hardbop_abstraction::AbstractionOptions {
            granularity: self.steps.granularity(),
            ..Default::default()
        };
        let options = RefinementOptions { abstraction, ..RefinementOptions::default() };
        match error_path(subject, &predicates, &options, budget) {
            Ok(Some(found)) => AnalysedProgram { program, alias, regions, budget }.report(&found),
            Ok(None) => end("the boolean program has no error\n".to_owned(), "NONE", Exit::Ok),
            Err(Reason::Stopped(stop)) => Err(Failure::Stopped(stop)),
            Err(reason) => end(format!("{reason}\n"), "UNKNOWN", Exit::Unknown),
        }
    }
}

fn end(mut text: String, answer: &str, exit: Exit) -> Result<Exit, Failure> {
    text.push_str(&format!("PATH: {answer}\n"));
    output::print(text)?;
    Ok(exit)
}

/// A program and what is needed to look at its paths.
struct AnalysedProgram<'b> {
    program: Program,
    alias: Alias,
    regions: Regions,
    budget: &'b Budget,
}

impl AnalysedProgram<'_> {
    fn subject(&self) -> Subject<'_> {
        Subject { program: &self.program, alias: &self.alias, regions: &self.regions }
    }

    fn report(self, found: &ErrorPath) -> Result<Exit, Failure> {
        let path = &found.path;
        let mut text = self.shown(path, &Projection::whole(path)).map_err(Failure::Stopped)?;
        text.push_str(&self.goal(found));
        let verdict = analyse(self.subject(), path, self.budget).map_err(Failure::Stopped)?;
        match verdict {
            PathVerdict::Feasible(guide) => self.feasible(text, found, guide),
            PathVerdict::Unknown(reason) => {
                text.push_str(&format!("\nthe solver gave up: {reason}\n"));
                end(text, "UNKNOWN", Exit::Unknown)
            }
            PathVerdict::Infeasible { proposals, .. } => {
                text.push_str(&self.explained(path, &proposals).map_err(Failure::Stopped)?);
                end(text, "INFEASIBLE", Exit::Ok)
            }
        }
    }

    /// What the path leads to, if that is not its last step.
    fn goal(&self, found: &ErrorPath) -> String {
        let (procedure, edge) = found.end;
        if found.path.steps.last() == Some(&PathStep::Edge(edge)) {
            return String::new();
        }
        let procedure = &self.program.procedures[procedure];
        let edge = &procedure.edges[edge];
        let (at, statement) = (self.program.files.origin(edge.span), &edge.statement);
        format!("{at}: {}: {}\n", procedure.name, self.program.show_statement(statement))
    }

    fn feasible(&self, mut text: String, found: &ErrorPath, mut guide: Box<Guide>) -> Result<Exit, Failure> {
        let (procedure, edge) = found.end;
        if let Statement::Unsupported(what) = &self.program.procedures[procedure].edges[edge].statement {
            text.push_str(&format!("\na run may reach something unsupported: {what}\n"));
            return end(text, "UNKNOWN", Exit::Unknown);
        }
        match replay(&self.program, &mut *guide, self.budget) {
            Ok(run) => {
                let inputs: Vec<String> = run.draws.iter().map(|draw| draw.value.to_string()).collect();
                text.push_str(&format!("\na run leads along it, with inputs: {}\n", inputs.join(" ")));
                end(text, "FEASIBLE", Exit::False)
            }
            Err(outcome) => {
                self.budget.check().map_err(Failure::Stopped)?;
                let name = outcome.name();
                text.push_str(&format!("\na possible run could not be confirmed by running it: {name}\n"));
                end(text, "UNKNOWN", Exit::Unknown)
            }
        }
    }

    /// The statements to blame, with their contexts, and the predicates from both sources.
    fn explained(&self, path: &Path, needed: &[Predicate]) -> Result<String, Stop> {
        let mut text = String::new();
        let mut known = Vec::new();
        if let Some(explanation) = explain(self.subject(), path, self.budget)? {
            if explanation.referenced != explanation.icpp {
                text.push_str("\nwhat its conditions refer to:\n");
                text.push_str(&self.shown(path, &explanation.referenced)?);
            }
            text.push_str("\nwhat contradicts itself:\n");
            text.push_str(&self.shown(path, &explanation.icpp)?);
            known = relations(self.subject(), path, &explanation.icpp, self.budget)?;
        }
        for (source, proposals) in [("weakest preconditions", needed), ("contexts", &known[..])] {
            let nameable = predicates::nameable(&self.program, proposals);
            if !nameable.is_empty() {
                text.push_str(&format!("\npredicates from {source}:\n"));
                text.push_str(&print_predicates(&self.program, &nameable));
            }
        }
        text.push('\n');
        Ok(text)
    }

    fn shown(&self, path: &Path, projection: &Projection) -> Result<String, Stop> {
        let contexts = Contexts::along(self.subject(), path, projection, self.budget)?;
        Ok(show(self.subject(), path, projection, &contexts))
    }
}
