//! A run as a programmer would tell it: the lines it passes, calls indented, which way branches go, and
//! the values that matter for that.
//!
//! A run is watched in the interpreter. Then what matters is found backwards from its end, as in dynamic
//! slicing (Korel and Laski, "Dynamic program slicing", 1988): a value matters if something that matters
//! reads it; a branch matters if its activation has not ended, or something that matters happened behind
//! it in the activation. What does not matter is left out, calls of functions where nothing matters among
//! it. What repeats is folded.
//!
//! Layers, each knowing only those before it: `watch` (the steps of a run, with what they read and
//! wrote), `matter` (which of them matter), `tree` (lines, calls and repetitions), `text`.

mod matter;
mod text;
mod tree;
mod watch;

use hardbop_base::{Budget, Sources, Span};
use hardbop_ir::Program;
use hardbop_ir::interpret::{Interpreter, ListInputs, Run, RunOptions};

/// A run, told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Story {
    /// How many steps at the start are not told, because there are too many.
    pub skipped: u64,
    /// What happens.
    pub items: Vec<Item>,
}

/// Something that happens in an activation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A line is passed.
    Line(Line),
    /// A function is called.
    Call(Call),
    /// Something that was told happens again so many times.
    More(u64, Repeated),
}

/// What happens again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// Iterations of a loop.
    Iterations,
    /// Calls of a function by itself.
    Calls,
}

/// A line that is passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Where.
    pub span: Span,
    /// What is worth knowing, such as `x = 3`.
    pub notes: Vec<String>,
    /// Whether the property breaks here.
    pub breaks: bool,
    /// What tells this line of an activation from others.
    key: usize,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The line of the call; the notes say what is passed.
    pub line: Line,
    /// The function.
    pub callee: String,
    /// What happens in it, if it matters.
    pub body: Vec<Item>,
    /// What it returned, if that matters.
    pub result: Option<String>,
}

/// Tells a run, by repeating it; nothing if the budget does not suffice.
pub fn tell(program: &Program, sources: &Sources, run: &Run, budget: &Budget) -> Option<Story> {
    let interpreter = Interpreter::new(program);
    let mut watcher = watch::Watcher::new(program, run);
    let mut discard = |_: &[u8]| {};
    let options = RunOptions { budget: budget.clone(), sink: Some(&mut discard), ..RunOptions::default() };
    let again = interpreter.observe(&mut ListInputs::replay(&run.draws), options, &mut watcher);
    if again.outcome != run.outcome {
        return None;
    }
    let watched = watcher.finish();
    let matters = matter::what_matters(program, &watched);
    Some(Story { skipped: watched.skipped, items: tree::tree(program, sources, &watched, &matters) })
}
