//! `hardbop run`: executes a program with inputs from a file or from a seed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use hardbop_base::Budget;
use hardbop_ir::interpret::{
    DrawSource, Inputs, Interpreter, Limits as RunLimits, NotANumber, Observer, Options, Outcome,
    Run as Finished, SeededInputs, View, WrittenInputs,
};
use hardbop_ir::{Arbitrary, Program, Statement};
use hardbop_report::harness;

use crate::frontend::{FrontEnd, Loaded, is_text_form};
use crate::limits::Limits;
use crate::{Exit, Failure, input, output, worker};

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
        if self.harness.is_some() && is_text_form(self.program.first()) {
            return Err(Failure::Usage("a harness is for C files, not for a program in text form".into()));
        }
        let mut inputs = self.chosen_inputs()?;
        let loaded = self.program.load()?;
        let Loaded { program, .. } = &loaded;
        if program.entry.is_none() {
            return Err(self.program.no_entry(&loaded));
        }
        let mut failure = None;
        let mut sink = |bytes: &[u8]| {
            if let Err(error) = output::print(bytes) {
                failure.get_or_insert(error);
                budget.stop(hardbop_base::Stop::Interrupt);
            }
        };
        let limits = RunLimits { steps: self.max_steps, ..RunLimits::default() };
        let options = Options { limits, budget: budget.clone(), sink: Some(&mut sink) };
        let interpreter = Interpreter::new(program);
        let finished = if self.trace {
            let mut tracer = Tracer { program, failure: None };
            let finished = interpreter.observe(&mut *inputs, options, &mut tracer);
            tracer.failure.map_or(Ok(()), Err)?;
            finished
        } else {
            interpreter.run(&mut *inputs, options)
        };
        failure.map_or(Ok(()), Err)?;
        if let Some(file) = &self.save_inputs {
            output::write(file, saved(program, &finished))?;
        }
        if let Some(file) = &self.harness {
            self.write_harness(file, &loaded, &finished, budget)?;
        }
        output::print(format!("OUTCOME: {}\n", finished.outcome.describe(program)))?;
        Ok(exit_of(&finished.outcome))
    }

    fn write_harness(
        &self,
        file: &Path,
        loaded: &Loaded,
        finished: &Finished,
        budget: &Budget,
    ) -> Result<(), Failure> {
        let files: Vec<String> = loaded.inputs.iter().map(|input| input.display().to_string()).collect();
        let subject = harness::Subject {
            program: &loaded.program,
            entry: &loaded.specification.entry,
            files: &files,
            undefined_functions: &loaded.undefined.functions,
            undefined_objects: &loaded.undefined.objects,
        };
        let Some(harness) = harness::harness(&subject, finished, budget) else {
            output::complain(&format!("{}: not written, for the run reached no error", file.display()));
            return Ok(());
        };
        for note in &harness.notes {
            output::complain(&format!("{}: {note}", file.display()));
        }
        for lost in &harness.not_reproduced {
            output::complain(&format!("{}: not reproduced: {lost}", file.display()));
        }
        output::write(file, harness.text)
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
                Some(Arbitrary::External(name)) => name.as_str(),
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
    failure: Option<Failure>,
}

impl Observer for Tracer<'_> {
    fn step(&mut self, view: &View<'_, '_>) {
        if self.failure.is_some() {
            return;
        }
        let procedure = &self.program.procedures[view.procedure()];
        let edge = &procedure.edges[view.edge()];
        let value = match edge.statement {
            Statement::Assign(_, value) => {
                view.value(value).map(|v| format!("   // {v}")).unwrap_or_default()
            }
            _ => String::new(),
        };
        let line = format!(
            "{:indent$}{}: {}: {}{value}\n",
            "",
            self.program.files.origin(edge.span),
            procedure.name,
            self.program.show_statement(&edge.statement),
            indent = 2 * view.depth(),
        );
        self.failure = output::print(line).err();
    }
}
