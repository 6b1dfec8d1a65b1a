//! `hardbop run`: executes a program with inputs from a file or from a seed.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use hardbop_alias::{Alias, Checker, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_ir::interpret::{
    Draw, DrawSource, Inputs, Interpreter, Limits as RunLimits, NotANumber, Observer, Outcome,
    Run as Finished, RunOptions, SeededInputs, View, WrittenInputs,
};
use hardbop_ir::{Arbitrary, EdgeId, PlaceId, ProcId, Program, Statement, Type};

use crate::frontend::{FrontEnd, Language, Loaded};
use crate::limits::Limits;
use crate::{Exit, Failure, evidence, input, output, worker};

/// Execute a program with chosen inputs
///
/// Prints what the program prints, then how the run ended: `OUTCOME: …`. Ends with 1 if an error was
/// reached, with 2 if a limit or something unsupported stopped the run, else with 0.
#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    program: FrontEnd,

    /// Values for the nondeterministic choices of the program, in order; when they are used up, zeros.
    /// Numbers separated by blanks or commas; `#` starts a comment
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    inputs: Option<PathBuf>,

    /// Pseudo-random values from a seed [default: zeros]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Write all values that were drawn to a file for `--inputs`
    #[arg(long, value_name = "FILE")]
    save_inputs: Option<PathBuf>,

    /// If the run reaches an error, write a C file that makes the compiled program take the same inputs
    #[arg(long, value_name = "FILE")]
    harness: Option<PathBuf>,

    /// Stop after so many steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    max_steps: u64,

    /// Print each step with the values it assigns
    #[arg(long)]
    trace: bool,

    /// Compare all accesses to memory with what the alias analysis says; a difference is a defect
    #[arg(long, hide = true, conflicts_with = "trace")]
    check_alias: bool,

    #[command(flatten)]
    limits: Limits,
}

impl Run {
    /// Runs the command.
    pub fn run(self) -> Result<Exit, Failure> {
        worker::isolate(
            &self.limits,
            |crash| Err(crash.blame(self.program.first())),
            |budget| self.work(budget),
        )
    }

    fn work(&self, budget: &Budget) -> Result<Exit, Failure> {
        if self.harness.is_some() && Language::of(self.program.first()) != Language::C {
            return Err(Failure::Usage("a harness is for C programs only".into()));
        }
        let mut inputs = self.chosen_inputs()?;
        let loaded = self.program.load_to_start()?;
        let Loaded { program, .. } = &loaded;
        let mut failure = None;
        let mut sink = |bytes: &[u8]| {
            if let Err(error) = output::print(bytes) {
                failure.get_or_insert(error);
                budget.stop(Stop::Interrupt);
            }
        };
        let limits = RunLimits { steps: self.max_steps, ..RunLimits::default() };
        let options = RunOptions { limits, budget: budget.clone(), sink: Some(&mut sink) };
        let interpreter = Interpreter::new(program);
        let finished = if self.check_alias {
            check_alias(program, &interpreter, &mut *inputs, options)?
        } else if self.trace {
            let mut tracer = Tracer { program, drawn: None, failure: None };
            let finished = interpreter.observe(&mut *inputs, options, &mut tracer);
            tracer.finish(&finished)?;
            finished
        } else {
            interpreter.run(&mut *inputs, options)
        };
        failure.map_or(Ok(()), Err)?;
        if let Some(file) = &self.save_inputs {
            output::write(file, saved(program, &finished))?;
        }
        if let Some(file) = &self.harness
            && !evidence::write_harness(file, program, &loaded.sources, &loaded.about, &finished, budget)?
        {
            output::complain(&format!("{}: not written, for the run reached no error", file.display()));
        }
        output::print(format!("OUTCOME: {}\n", finished.outcome.describe(program)))?;
        Ok(exit_of(&finished.outcome))
    }

    fn chosen_inputs(&self) -> Result<Box<dyn Inputs>, Failure> {
        Ok(match (&self.inputs, self.seed) {
            (Some(file), _) => {
                let read = WrittenInputs::parse(&input::read_text(file)?);
                Box::new(read.map_err(|NotANumber { line, word }| {
                    Failure::input(file, format!("line {line}: `{word}` is not a number"))
                })?)
            }
            (None, Some(seed)) => Box::new(SeededInputs::new(seed)),
            (None, None) => Box::new(WrittenInputs::default()),
        })
    }
}

/// Runs a program under the eyes of the alias analysis.
fn check_alias(
    program: &Program,
    interpreter: &Interpreter<'_>,
    inputs: &mut dyn Inputs,
    options: RunOptions<'_>,
) -> Result<Finished, Failure> {
    let alias = Alias::of(program, &options.budget).map_err(Failure::Stopped)?;
    let regions = Regions::of(program, &alias, &[], &options.budget).map_err(Failure::Stopped)?;
    let mut checker = Checker::new(program, &alias, &regions);
    let finished = interpreter.observe(inputs, options, &mut checker);
    match checker.violations().first() {
        None => Ok(finished),
        Some(violation) => {
            Err(Failure::Defect(format!("the alias analysis is wrong: {}", violation.show(program))))
        }
    }
}

fn exit_of(outcome: &Outcome) -> Exit {
    match outcome {
        Outcome::Error { .. } => Exit::False,
        Outcome::Unsupported { .. }
        | Outcome::StackOverflow(_)
        | Outcome::StepLimit
        | Outcome::DrawLimit
        | Outcome::OutOfMemory { .. }
        | Outcome::Stopped(_) => Exit::Unknown,
        _ => Exit::Ok,
    }
}

/// The values of a run as a file for `--inputs`.
fn saved(program: &Program, run: &Finished) -> String {
    let mut text = String::from("all\n");
    for draw in &run.draws {
        let what = match draw.source {
            DrawSource::Value(kind) => match run.kinds.get(kind as usize) {
                Some(Arbitrary::Nondet(name)) => name.as_str(),
                Some(Arbitrary::External(name) | Arbitrary::Library(name)) => name.as_str(),
                Some(Arbitrary::Uninitialised) => "uninitialised storage",
                Some(Arbitrary::Assembly) => "inline assembly",
                None => "a value",
            },
            DrawSource::AllocationFails => "whether an allocation fails",
            DrawSource::Address => "an address",
            DrawSource::Choice => "a choice",
        };
        let span = program.procedures[draw.procedure].edges.get(draw.edge).map(|e| e.span);
        let at = span.map(|s| program.files.origin(s).to_string()).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:#x}  # {what} at {at}", draw.value);
    }
    text
}

/// Prints each step.
struct Tracer<'p> {
    program: &'p Program,
    /// What got an arbitrary value by the step before, and that step, whose line still lacks the value
    /// and its end.
    drawn: Option<(PlaceId, ProcId, EdgeId)>,
    failure: Option<Failure>,
}

impl Tracer<'_> {
    fn print(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = output::print(text).err();
        }
    }

    /// Ends the last line. There is no next step to look at the value from, but it was recorded.
    fn finish(mut self, run: &Finished) -> Result<(), Failure> {
        if let Some((_, procedure, edge)) = self.drawn {
            let draw = run.draws.last().filter(|draw| (draw.procedure, draw.edge) == (procedure, edge));
            let value = draw.and_then(|draw| drawn_number(self.program, draw));
            self.print(&value.map_or("\n".into(), |value| format!("   // {value}\n")));
        }
        self.failure.map_or(Ok(()), Err)
    }
}

/// A drawn value as text, if it is no float and no pointer.
fn drawn_number(program: &Program, draw: &Draw) -> Option<String> {
    let value = draw.value as i128;
    match *program.ty(draw.ty?) {
        Type::Bool => Some((value != 0).to_string()),
        Type::Integer => Some(value.to_string()),
        Type::Machine { width, signed } => Some(hardbop_ir::wrap(width, signed, value).to_string()),
        _ => None,
    }
}

impl Observer for Tracer<'_> {
    fn step(&mut self, view: &View<'_, '_>) {
        let mut text = String::new();
        if let Some((place, ..)) = self.drawn.take() {
            if let Ok(value) = view.place(place) {
                let _ = write!(text, "   // {value}");
            }
            text.push('\n');
        }
        let procedure = &self.program.procedures[view.procedure()];
        let edge = &procedure.edges[view.edge()];
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "{:indent$}{}: {}: ",
            "",
            self.program.files.origin(edge.span),
            procedure.name,
            indent = 2 * view.depth(),
        );
        for label in &procedure.locations[edge.source].labels {
            let _ = write!(text, "[{label}] ");
        }
        text.push_str(&self.program.show_statement(&edge.statement));
        match edge.statement {
            Statement::Havoc(place, _) => self.drawn = Some((place, view.procedure(), view.edge())),
            Statement::Assign(_, value) => {
                if let Ok(value) = view.value(value) {
                    let _ = write!(text, "   // {value}");
                }
                text.push('\n');
            }
            _ => text.push('\n'),
        }
        self.print(&text);
    }
}
