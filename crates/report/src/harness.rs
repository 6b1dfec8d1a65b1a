//! Harnesses: a C file that, compiled together with a program, makes it take the inputs of a run.
//!
//! ```text
//! gcc -O0 -fwrapv -fno-strict-aliasing program.c harness.c && ./a.out
//! ```
//!
//! The harness defines what the program does not: functions such as `__VERIFIER_nondet_int` and all
//! others without a definition return what they returned in the run, call by call; variables without a
//! definition start with what was read from them; the error function, or a failing assertion, prints
//! [`REACHED`] and ends with [`REACHED_STATUS`]. A call that the run did not make prints so and ends with
//! [`DIVERGED_STATUS`].
//!
//! Not everything that a run may choose is in the hands of another file: uninitialised storage, what a
//! function changes besides returning, inline assembly, failing allocations, addresses. Whether the error
//! depends on those is tried: the program is run in the interpreter with the inputs of the harness and
//! other values for the rest. If some of these runs miss the error, the harness contains a copy of the
//! program in which variables are set when they come into being, and memory when it is allocated; then it is
//! compiled alone. What even that cannot reproduce is reported.
//!
//! Memory outside of the program, which a run may have, is mapped where the run had it before the program starts.
//!
//! Layers, each knowing only those before it: `copy` (the program's text with what is set), `answers` (the
//! draws of a run, sorted by who can give them), `attempt` (runs with those answers and others), `text` (C).

mod answers;
mod attempt;
mod copy;
mod text;

use hardbop_base::{Budget, Sources};
use hardbop_ir::interpret::{Interpreter, Outcome, Run};
use hardbop_ir::{Program, Property};

use answers::Answers;
use copy::Copy;

/// What a harness prints on standard error when the error is reached.
pub const REACHED: &str = "hardbop: the error is reached";
/// The status that it ends with then.
pub const REACHED_STATUS: u8 = 107;
/// The status that it ends with when the program asks for more than the run did.
pub const DIVERGED_STATUS: u8 = 108;
/// The status that it ends with when an assumption fails.
pub const ASSUMPTION_STATUS: u8 = 109;

/// What a harness is for.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// The texts that it was made from.
    pub sources: &'a Sources,
    /// The name of the function where it starts.
    pub entry: &'a str,
    /// The C files that it was made from, to name them.
    pub files: &'a [String],
    /// The functions that the files refer to and do not define.
    pub undefined_functions: &'a [String],
    /// The variables that the files refer to and do not define.
    pub undefined_objects: &'a [String],
}

/// A harness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harness {
    /// The C file.
    pub text: String,
    /// What has to be done besides compiling it, in sentences.
    pub notes: Vec<String>,
    /// What the error needs (as far as tried) and the harness cannot reproduce.
    pub not_reproduced: Vec<String>,
    /// Whether it contains the program, so that it is compiled without it.
    pub stands_alone: bool,
}

/// Writes the harness for a run that reached an error; nothing for other runs.
///
/// The run is repeated a few times, which the budget may stop; then there is no harness either.
pub fn harness(subject: &Subject<'_>, run: &Run, budget: &Budget) -> Option<Harness> {
    let Outcome::Error { property, site } = &run.outcome else { return None };
    let interpreter = Interpreter::new(subject.program);
    let plain = Answers::of(subject, &interpreter, run, None, budget)?;
    let suffices = attempt::always_fails(subject, &interpreter, run, &plain, None, budget);
    let is_label = matches!(property, Property::ErrorLabel(_));
    let copy = match suffices && !is_label {
        true => None,
        false => Copy::of(subject, &interpreter, run, budget),
    };
    let answers = match &copy {
        Some(copy) => Answers::of(subject, &interpreter, run, Some(copy), budget)?,
        None => plain,
    };
    let mut not_reproduced = answers.not_reproduced();
    if suffices || attempt::always_fails(subject, &interpreter, run, &answers, copy.as_ref(), budget) {
        not_reproduced.clear();
    }
    if budget.check().is_err() {
        return None;
    }
    let mut notes = Vec::new();
    if let (Property::ErrorLabel(label), None) = (property, &copy) {
        let at = subject.program.files.origin(site.span);
        notes.push(format!("insert `hardbop_reached();` behind the label `{label}:` at {at}"));
    }
    if let Some(arguments) = answers.arguments() {
        notes.push(format!("give the program these arguments: {arguments}"));
    }
    if subject.entry != "main" {
        notes.push("if the program has a `main`, compile it with -Dmain=other_main".to_owned());
    }
    let outcome = run.outcome.describe(subject.program);
    let what = text::HarnessParts { property, answers: &answers, copy: copy.as_ref(), outcome: &outcome };
    let text = text::write(subject, &what, &notes, &not_reproduced);
    Some(Harness { text, notes, not_reproduced, stands_alone: copy.is_some() })
}
