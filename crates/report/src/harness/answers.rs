//! The draws of a run, sorted by who can give them to a compiled program.

use std::collections::BTreeMap;

use hardbop_base::Budget;
use hardbop_ir::interpret::{
    Draw, DrawSource, Interpreter, ListInputs, Observer, OutsideMemory, Run, RunOptions, Source, Storage,
    View,
};
use hardbop_ir::{
    Arbitrary, EdgeId, GIVEN, Initial, ProcId, Program, Statement, Type, TypeId, VarId, VarKind, WHICH,
    calls_nothing,
};
use hardbop_lower::is_standard;

use super::Subject;
use super::copy::Copy;

/// Where a harness gets a value from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueSource {
    /// A function of this name, by returning it.
    Function(String),
    /// The initial value of a variable, at an offset.
    Object(VarId, u64),
    /// The caller of an entry that is not `main`, before the call: a variable that it can name, at an offset.
    Start(VarId, u64),
    /// The caller of an entry that is not `main`.
    EntryArgument,
    /// Whoever runs the program: how many arguments there are besides its name.
    ArgumentCount,
    /// Whoever runs the program: the length of the next argument, the name of the program first.
    ArgumentLength,
    /// A copy of the program that sets the variable when it comes into being, at an offset.
    Local(VarId, u64),
    /// A copy of the program in which allocation sets memory.
    Memory,
    /// A copy of the program in which allocation may fail.
    Allocation,
    /// The C library and the system, which choose what zero stands for.
    System,
    /// The harness, before the program starts: memory outside of the program, at an address.
    Outside(u64),
    /// No source that a harness can provide.
    Unknown,
}

/// A value that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) bits: u128,
    pub(super) width: u16,
    pub(super) ty: Option<TypeId>,
}

impl Answer {
    /// Whether this is an address other than null, which means something only in the interpreter. Memory outside of the program lies
    /// where the harness can have memory, too.
    pub(super) fn is_address(&self, program: &Program) -> bool {
        let is_outside = OutsideMemory::of(program.data_model).contains(self.bits as u64);
        self.bits != 0 && !is_outside && self.ty.is_some_and(|ty| matches!(program.ty(ty), Type::Pointer(_)))
    }
}

/// What a run was given.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// What the calls of each function returned, in order; nothing where the result was not used.
    pub(super) functions: BTreeMap<String, Vec<Option<Answer>>>,
    /// All values by who gives them, in the order of drawing.
    pub(super) given: BTreeMap<ValueSource, Vec<Answer>>,
    /// The memory outside of the program, by the addresses that lead there.
    pub(super) outside: Vec<u64>,
    /// Values that a harness cannot provide, in words; each once.
    lost: Vec<String>,
}

/// What a value is needed for, as a request or a draw tells it.
pub(super) struct Need<'a> {
    pub(super) kind: Option<&'a Arbitrary>,
    pub(super) storage: Option<Storage>,
    pub(super) procedure: ProcId,
    pub(super) edge: EdgeId,
    pub(super) is_choice: bool,
    /// Whether it decides if an allocation fails.
    pub(super) is_allocation: bool,
}

impl<'a> Need<'a> {
    pub(super) fn of_source(source: Source<'a>) -> (Option<&'a Arbitrary>, bool) {
        match source {
            Source::Value(kind) => (Some(kind), false),
            Source::Choice(_) => (None, true),
            Source::AllocationFails | Source::Address { .. } => (None, false),
        }
    }

    fn of_draw(run: &'a Run, draw: &Draw) -> Self {
        Need {
            kind: run.kind(draw),
            storage: draw.storage,
            procedure: draw.procedure,
            edge: draw.edge,
            is_choice: draw.source == DrawSource::Choice,
            is_allocation: draw.source == DrawSource::AllocationFails,
        }
    }

    /// Who can give the value; with a copy of the program, that can, too.
    pub(super) fn giver(&self, subject: &Subject<'_>, copy: Option<&Copy<'_>>) -> ValueSource {
        if let Some(giver) = copy.and_then(|copy| self.giver_in(copy)) {
            return giver;
        }
        match (self.kind, self.storage) {
            (
                Some(Arbitrary::Uninitialised),
                Some(Storage { variable: None, allocated: None, base, offset, .. }),
            ) => ValueSource::Outside(base + offset),
            (None, _) if self.is_choice => ValueSource::Unknown,
            (None, _) => ValueSource::System,
            (Some(Arbitrary::Nondet(name)), None) => match name.as_str() {
                "entry argument" => ValueSource::EntryArgument,
                "argc - 1" => ValueSource::ArgumentCount,
                _ if subject.program.procedures[self.procedure].name == "__hardbop_arguments" => {
                    ValueSource::ArgumentLength
                }
                // The caller passes null, of which the rest does not matter.
                what if is_about_memory(what) || what.starts_with(WHICH) => ValueSource::System,
                // No function is called so: the size of the environment, registers of devices.
                what if what.contains(' ') => ValueSource::Unknown,
                _ => ValueSource::Function(name.clone()),
            },
            (Some(Arbitrary::External(name)), None) if name.ends_with(GIVEN) => ValueSource::Unknown,
            (Some(Arbitrary::External(name)), None)
                if self.is_call(subject.program) && !is_standard(name) =>
            {
                ValueSource::Function(name.clone())
            }
            (Some(Arbitrary::Uninitialised), Some(Storage { variable: Some(variable), offset, .. }))
                if is_defined_elsewhere(subject, variable) =>
            {
                ValueSource::Object(variable, offset)
            }
            (Some(Arbitrary::Uninitialised), Some(Storage { variable: Some(variable), offset, .. }))
                if starts_arbitrary(subject, variable) =>
            {
                ValueSource::Start(variable, offset)
            }
            _ => ValueSource::Unknown,
        }
    }

    fn giver_in(&self, copy: &Copy<'_>) -> Option<ValueSource> {
        match (self.kind, self.storage) {
            (Some(Arbitrary::Uninitialised), Some(Storage { variable: Some(variable), offset, .. })) => {
                copy.can_set(variable).then_some(ValueSource::Local(variable, offset))
            }
            (Some(Arbitrary::Uninitialised), Some(Storage { variable: None, base, .. })) => {
                copy.sets_memory(base).then_some(ValueSource::Memory)
            }
            (None, _) if self.is_allocation => Some(ValueSource::Allocation),
            _ => None,
        }
    }

    fn is_call(&self, program: &Program) -> bool {
        let edge = program.procedures[self.procedure].edges.get(self.edge);
        edge.is_some_and(|edge| matches!(edge.statement, Statement::Call { .. }))
    }

    /// Describes the value, for the list of those that cannot be provided.
    fn describe(&self, subject: &Subject<'_>, draw: &Draw) -> String {
        let program = subject.program;
        let variable = self.storage.and_then(|storage| storage.variable);
        let storage = match variable.map(|variable| program.variables[variable].name.as_str()) {
            Some(name) if name.starts_with('$') => "a temporary".to_owned(),
            Some(name) => format!("`{name}`"),
            None => "memory".to_owned(),
        };
        let what = match self.kind {
            Some(Arbitrary::Uninitialised) if variable.is_some_and(|v| is_global(program, v)) => {
                format!("what {storage} holds at the start")
            }
            Some(Arbitrary::Uninitialised) => format!("the uninitialised value of {storage}"),
            Some(Arbitrary::Assembly) => "what inline assembly wrote".to_owned(),
            Some(Arbitrary::External(name) | Arbitrary::Library(name)) if self.storage.is_some() => {
                format!("what `{name}` wrote to {storage}")
            }
            Some(Arbitrary::External(name) | Arbitrary::Library(name)) => format!("the result of `{name}`"),
            Some(Arbitrary::Nondet(name)) if self.storage.is_some() => {
                format!("a part of the record that `{name}` returned")
            }
            Some(Arbitrary::Nondet(name)) if is_about_memory(name) || name.starts_with(WHICH) => name.clone(),
            Some(Arbitrary::Nondet(name)) => format!("the {name}"),
            None if self.is_choice => "a choice between statements to go on with".to_owned(),
            None if draw.source == DrawSource::AllocationFails => "a failing allocation".to_owned(),
            None => "the address of an object".to_owned(),
        };
        let procedure = &program.procedures[self.procedure];
        let origin = procedure.edges.get(self.edge).map(|edge| program.files.origin(edge.span));
        match origin.filter(|origin| !is_ours(origin.file)) {
            Some(origin) => format!("{what}, {:#x}, needed at {origin}", draw.value),
            None => format!("{what}, {:#x}, needed in {}", draw.value, procedure.name),
        }
    }
}

/// Whether an input says what pointers that are given to an entry lead to.
fn is_about_memory(name: &str) -> bool {
    let starts =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with("the variable "));
    name.contains(" points to (") && (starts("what ") || starts("how many elements "))
}

/// Whether a file is one that Hardbop brings along, such as its library.
fn is_ours(file: &str) -> bool {
    file.starts_with('<')
}

fn is_global(program: &Program, variable: VarId) -> bool {
    matches!(program.variables[variable].kind, VarKind::Global | VarKind::Static)
}

/// Whether a variable is one that the files refer to and do not define.
pub(super) fn is_defined_elsewhere(subject: &Subject<'_>, variable: VarId) -> bool {
    let variable = &subject.program.variables[variable];
    matches!(variable.kind, VarKind::Global | VarKind::Static)
        && variable.initial == Initial::Arbitrary
        && subject.undefined_objects.contains(&variable.name)
        && !is_standard(&variable.name)
}

/// Whether a variable that the program defines and others can name holds anything when the entry is called.
fn starts_arbitrary(subject: &Subject<'_>, variable: VarId) -> bool {
    let variable = &subject.program.variables[variable];
    variable.kind == VarKind::Global
        && variable.initial == Initial::Arbitrary
        && subject.entry != "main"
        && !subject.undefined_objects.contains(&variable.name)
}

/// The calls of external procedures, with the draws that were made meanwhile.
#[derive(Default)]
struct Calls {
    calls: Vec<Call>,
    open: bool,
}

struct Call {
    callee: ProcId,
    first: usize,
    end: usize,
}

impl Observer for Calls {
    fn step(&mut self, view: &View<'_, '_>) {
        if let Some(last) = self.calls.last_mut().filter(|_| self.open) {
            last.end = view.draws();
        }
        self.open = false;
        if let Some(callee) = view.callee()
            && view.program().procedures[callee].external.is_some()
        {
            self.calls.push(Call { callee, first: view.draws(), end: usize::MAX });
            self.open = true;
        }
    }
}

impl Answers {
    /// Repeats a run to see its calls, and sorts its draws; nothing if the budget stops that.
    pub(super) fn of(
        subject: &Subject<'_>,
        interpreter: &Interpreter<'_>,
        run: &Run,
        copy: Option<&Copy<'_>>,
        budget: &Budget,
    ) -> Option<Self> {
        let mut calls = Calls::default();
        let mut discard = |_: &[u8]| {};
        let options =
            RunOptions { budget: budget.clone(), sink: Some(&mut discard), ..RunOptions::default() };
        let again = interpreter.observe(&mut ListInputs::replay(&run.draws), options, &mut calls);
        if again.outcome != run.outcome {
            return None;
        }
        let mut answers = Answers { outside: run.outside(subject.program), ..Answers::default() };
        for draw in &run.draws {
            answers.sort(subject, run, copy, draw);
        }
        for Call { callee, first, end } in calls.calls {
            let name = subject.program.procedures[callee].source_name();
            let draws = run.draws.get(first..end.min(run.draws.len())).unwrap_or_default();
            let is_result = |draw: &&Draw| {
                draw.storage.is_none()
                    && matches!(run.kind(draw), Some(Arbitrary::External(called) | Arbitrary::Library(called)) if called == name)
            };
            let result = draws.iter().find(is_result).map(answer);
            answers.functions.entry(name.to_owned()).or_default().push(result);
        }
        Some(answers)
    }

    fn sort(&mut self, subject: &Subject<'_>, run: &Run, copy: Option<&Copy<'_>>, draw: &Draw) {
        let need = Need::of_draw(run, draw);
        let giver = need.giver(subject, copy);
        match &giver {
            // Calls of others than `__VERIFIER_nondet_…` are counted one by one.
            ValueSource::Function(name) if !need.is_call(subject.program) => {
                self.functions.entry(name.clone()).or_default().push(Some(answer(draw)));
            }
            ValueSource::System if draw.value == 0 => {}
            ValueSource::System if matches!(run.kind(draw), Some(Arbitrary::Nondet(what)) if what.starts_with(WHICH) && calls_nothing(what, draw.value)) =>
                {}
            ValueSource::System | ValueSource::Unknown => {
                let lost = need.describe(subject, draw);
                if !self.lost.contains(&lost) {
                    self.lost.push(lost);
                }
            }
            _ => {}
        }
        if answer(draw).is_address(subject.program) && giver != ValueSource::Unknown {
            self.lost.push(format!(
                "an address that means nothing in a C program: {}",
                need.describe(subject, draw)
            ));
        }
        self.given.entry(giver).or_default().push(answer(draw));
    }

    /// Values that a harness cannot provide.
    pub(super) fn not_reproduced(&self) -> Vec<String> {
        self.lost.clone()
    }

    /// The arguments to run the program with, if it needs any besides its name.
    pub(super) fn arguments(&self) -> Option<String> {
        let count = self.given.get(&ValueSource::ArgumentCount)?.first()?.bits;
        let lengths = self.given.get(&ValueSource::ArgumentLength);
        let length = |i: usize| lengths.and_then(|lengths| lengths.get(i)).map_or(0, |answer| answer.bits);
        match count {
            0 => None,
            1..=16 => {
                let texts =
                    (1..=count as usize).map(|i| format!("'{}'", "a".repeat(length(i).min(1000) as usize)));
                Some(texts.collect::<Vec<_>>().join(" "))
            }
            _ => Some(format!("{count} of them")),
        }
    }
}

fn answer(draw: &Draw) -> Answer {
    Answer { bits: draw.value, width: draw.width, ty: draw.ty }
}
