//! The steps of a run, with what they read and wrote.

use std::collections::VecDeque;

use hardbop_ir::interpret::{DrawSource, LiveObject, Observer, Origin, Run, Touch, Value, View};
use hardbop_ir::{
    Arbitrary, Callee, EdgeId, ExprId, ExprKind, PlaceBase, PlaceId, ProcId, Program, Statement, Type, VarId,
    VarKind, visit,
};

use crate::names::{outside_name, readable};

/// The most steps that are remembered, the last ones.
const MAX_STEPS: usize = 100_000;
/// The most bytes of one access that are told apart.
const MAX_BYTES: u64 = 256;

/// Longer texts of places are not shown.
const MAX_NAME: usize = 60;

/// An activation, by its number in the run.
pub(super) type FrameId = u32;

/// Storage of a scalar, or a byte of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A variable that is not in memory.
    Variable(FrameId, VarId),
    /// A byte of an object.
    Byte(Origin, u64),
}

/// What happened in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A guard holds.
    Guard,
    /// Something may have been written.
    Write,
    /// A procedure with a body is called; its activation has this number.
    Call(ProcId, FrameId),
    /// The activation of this number returned.
    Back(FrameId),
    /// Nothing of the above: the end of an activation, or of the run.
    Other,
}

/// A step.
#[derive(Debug, Clone)]
pub(super) struct StoryStep {
    pub(super) procedure: ProcId,
    pub(super) edge: EdgeId,
    pub(super) frame: FrameId,
    pub(super) kind: Kind,
    pub(super) reads: Vec<Key>,
    pub(super) writes: Vec<Key>,
    /// What is worth knowing about it.
    pub(super) notes: Vec<String>,
}

/// An activation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) procedure: ProcId,
    pub(super) caller: Option<FrameId>,
}

/// A run.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// How many steps at the start are not remembered.
    pub(super) skipped: u64,
    pub(super) steps: VecDeque<StoryStep>,
    pub(super) frames: Vec<Frame>,
    /// The activations at the end, the outermost first.
    pub(super) stack: Vec<FrameId>,
}

pub(super) struct Watcher<'a> {
    program: &'a Program,
    run: &'a Run,
    watched: Watched,
    /// Accesses of guards at the location that control stands at.
    guard_reads: Vec<Key>,
    /// What the last step gives a value to, which can be seen only behind it.
    awaited: Option<Awaited>,
    draws: usize,
}

struct Awaited {
    place: PlaceOrVar,
    /// What to say, before the value.
    name: String,
}

enum PlaceOrVar {
    Place(PlaceId),
    Var(VarId),
}

impl<'a> Watcher<'a> {
    pub(super) fn new(program: &'a Program, run: &'a Run) -> Self {
        let skipped = run.steps.saturating_sub(MAX_STEPS as u64);
        let watched = Watched { skipped, ..Watched::default() };
        Watcher { program, run, watched, guard_reads: Vec::new(), awaited: None, draws: 0 }
    }

    pub(super) fn finish(self) -> Watched {
        self.watched
    }

    fn push(&mut self, step: StoryStep) {
        if self.watched.steps.len() == MAX_STEPS {
            self.watched.steps.pop_front();
            self.watched.skipped += 1;
        }
        self.watched.steps.push_back(step);
    }

    /// Follows calls and returns since the last step.
    fn follow_stack(&mut self, view: &View<'_, '_>) {
        while self.watched.stack.len() > view.depth() + 1 {
            let Some(ended) = self.watched.stack.pop() else { break };
            let Some(&caller) = self.watched.stack.last() else { break };
            self.returned(view, ended, caller);
        }
        let missing = (view.depth() + 1).saturating_sub(self.watched.stack.len());
        let mut procedures: Vec<ProcId> = view.stack().take(missing).map(|site| site.procedure).collect();
        while let Some(procedure) = procedures.pop() {
            let caller = self.watched.stack.last().copied();
            self.watched.stack.push(self.watched.frames.len() as FrameId);
            self.watched.frames.push(Frame { procedure, caller });
        }
    }

    fn returned(&mut self, view: &View<'_, '_>, ended: FrameId, caller: FrameId) {
        let Frame { procedure, .. } = self.watched.frames[ended as usize];
        let call = self.watched.steps.iter().rev().find(|step| match step.kind {
            Kind::Call(_, frame) => frame == ended,
            _ => false,
        });
        let Some((site, edge)) = call.map(|call| (call.procedure, call.edge)) else { return };
        let Statement::Call { result, .. } = &self.program.procedures[site].edges[edge].statement else {
            return;
        };
        let mut step = StoryStep {
            procedure: site,
            edge,
            frame: caller,
            kind: Kind::Back(ended),
            reads: Vec::new(),
            writes: Vec::new(),
            notes: Vec::new(),
        };
        if let (Some(to), Some(from)) = (*result, self.program.procedures[procedure].result) {
            step.reads.push(Key::Variable(ended, from));
            step.writes.push(Key::Variable(caller, to));
            // Deeper returns have happened in between only if the caller ended, too.
            if view.depth() + 1 == self.watched.stack.len()
                && let Ok(value) = view.variable(to)
            {
                step.notes.push(show(view, value));
            }
        }
        self.push(step);
    }

    /// Tells the value that the last step gave to something.
    fn settle(&mut self, view: &View<'_, '_>) {
        let Some(Awaited { place, name }) = self.awaited.take() else { return };
        let value = match place {
            PlaceOrVar::Place(place) => view.place(place),
            PlaceOrVar::Var(var) => view.variable(var),
        };
        if let (Ok(value), Some(last)) = (value, self.watched.steps.back_mut()) {
            last.notes.push(format!("{name} = {}", show(view, value)));
        }
    }

    /// What storage without a value turned out to hold.
    fn uninitialised(&mut self, view: &View<'_, '_>, step: &mut StoryStep) {
        let draws = self.run.draws.get(self.draws..view.draws()).unwrap_or_default();
        for draw in draws {
            let variable = draw.storage.and_then(|storage| storage.variable);
            let (Some(variable), Some(Arbitrary::Uninitialised)) = (variable, self.run.kind(draw)) else {
                continue;
            };
            let Some(name) = readable(&self.program.variables[variable].name) else { continue };
            let value = match draw.ty.map(|ty| self.program.ty(ty)) {
                Some(&Type::Machine { width, signed }) => {
                    hardbop_ir::wrap(width, signed, draw.value as i128).to_string()
                }
                _ => format!("{:#x}", draw.value),
            };
            let note = match self.program.variables[variable].kind {
                VarKind::Global | VarKind::Static => format!("{name} is {value} at the start"),
                _ => format!("{name} is uninitialised, say {value}"),
            };
            let is_here = (draw.procedure, draw.edge) == (step.procedure, step.edge)
                || draw.source != DrawSource::Choice && draw.procedure == step.procedure;
            match self.watched.steps.back_mut() {
                Some(last) if !is_here => last.notes.push(note),
                _ => step.notes.push(note),
            }
        }
        self.draws = view.draws();
    }

    fn describe(&mut self, view: &View<'_, '_>, step: &mut StoryStep) {
        let program = self.program;
        let procedure = &program.procedures[step.procedure];
        let mut reads = Vec::new();
        match &procedure.edges[step.edge].statement {
            Statement::Assume(condition) => {
                step.kind = Kind::Guard;
                variables(program, *condition, &mut reads);
                let values = values(view, *condition);
                step.notes.push(values.join(", "));
            }
            Statement::Assign(place, value) => {
                step.kind = Kind::Write;
                variables(program, *value, &mut reads);
                self.write_place(step, *place, &mut reads);
                let is_result = procedure.result.is_some_and(|result| is_variable(program, *place, result));
                match (named(program, *place), view.value(*value)) {
                    (Some(name), Ok(value)) => step.notes.push(format!("{name} = {}", show(view, value))),
                    (None, Ok(value)) if is_result => {
                        step.notes.push(format!("returns {}", show(view, value)));
                    }
                    _ => {}
                }
            }
            Statement::Havoc(place, from) => {
                step.kind = Kind::Write;
                self.write_place(step, *place, &mut reads);
                let name = match from {
                    // What has no name of a function is no call.
                    Arbitrary::Nondet(what) if what.contains(' ') => Some(what.clone()),
                    Arbitrary::Nondet(function) => Some(format!("{function}()")),
                    Arbitrary::Uninitialised => None,
                    Arbitrary::External(function) | Arbitrary::Library(function) => {
                        Some(format!("{function}()"))
                    }
                    Arbitrary::Assembly => named(program, *place),
                };
                self.awaited = name.map(|name| Awaited { place: PlaceOrVar::Place(*place), name });
            }
            Statement::Call { result, callee, arguments } => {
                self.describe_call(view, step, *result, callee, arguments, &mut reads);
            }
            Statement::Allocate { result, size, .. } => {
                step.kind = Kind::Write;
                variables(program, *size, &mut reads);
                step.writes.push(Key::Variable(step.frame, *result));
            }
            Statement::Copy { target, source, length } => {
                step.kind = Kind::Write;
                [target, source, length].into_iter().for_each(|&e| variables(program, e, &mut reads));
            }
            Statement::CopyObject { target, source } => {
                step.kind = Kind::Write;
                [target, source].into_iter().for_each(|&e| variables(program, e, &mut reads));
            }
            Statement::Fill { target, byte, length } => {
                step.kind = Kind::Write;
                [target, byte, length].into_iter().for_each(|&e| variables(program, e, &mut reads));
            }
            _ => {}
        }
        step.reads.extend(reads.into_iter().map(|var| Key::Variable(step.frame, var)));
    }

    fn write_place(&self, step: &mut StoryStep, place: PlaceId, reads: &mut Vec<VarId>) {
        let p = self.program.place(place);
        if let PlaceBase::Var(var) = p.base {
            step.writes.push(Key::Variable(step.frame, var));
        }
        visit::place_parts(self.program, place).for_each(|part| variables(self.program, part, reads));
    }

    fn describe_call(
        &mut self,
        view: &View<'_, '_>,
        step: &mut StoryStep,
        result: Option<VarId>,
        callee: &Callee,
        arguments: &[ExprId],
        reads: &mut Vec<VarId>,
    ) {
        if let Callee::Indirect(pointer) = callee {
            variables(self.program, *pointer, reads);
        }
        let Some(target) = view.callee() else { return };
        let procedure = &self.program.procedures[target];
        if procedure.external.is_some() {
            step.kind = Kind::Write;
            if let Some(result) = result {
                step.writes.push(Key::Variable(step.frame, result));
                let name = format!("{}()", procedure.name);
                self.awaited = Some(Awaited { place: PlaceOrVar::Var(result), name });
            }
            return;
        }
        let frame = self.watched.frames.len() as FrameId;
        step.kind = Kind::Call(target, frame);
        for (&formal, &argument) in procedure.formals.iter().zip(arguments) {
            // Arguments and formals go together, one by one.
            let mut from = Vec::new();
            variables(self.program, argument, &mut from);
            step.writes.push(Key::Variable(frame, formal));
            step.reads.extend(from.into_iter().map(|var| Key::Variable(step.frame, var)));
            if let Ok(value) = view.value(argument) {
                let name = name_of(self.program, formal);
                step.notes.push(format!("{name} = {}", show(view, value)));
            }
        }
    }
}

impl Observer for Watcher<'_> {
    const TOUCHES: bool = true;

    fn unheard(&self) -> u64 {
        self.watched.skipped
    }

    fn touched(&mut self, touches: &[Touch]) {
        for touch in touches {
            let bytes = touch.offset..touch.offset.saturating_add(touch.size.min(MAX_BYTES));
            let keys = bytes.map(|byte| Key::Byte(touch.origin, byte));
            match self.watched.steps.back_mut() {
                Some(last) if (last.procedure, last.edge) == (touch.procedure, touch.edge) => {
                    if touch.write {
                        last.writes.extend(keys)
                    } else {
                        last.reads.extend(keys)
                    }
                }
                _ if !touch.write => self.guard_reads.extend(keys),
                _ => {}
            }
        }
    }

    fn step(&mut self, view: &View<'_, '_>) {
        if self.watched.stack.is_empty() {
            // What was drawn before is not told.
            self.draws = if self.watched.skipped > 0 { view.draws() } else { 0 };
        }
        self.settle(view);
        self.follow_stack(view);
        let frame = self.watched.stack.last().copied().unwrap_or_default();
        let mut step = StoryStep {
            procedure: view.procedure(),
            edge: view.edge(),
            frame,
            kind: Kind::Other,
            reads: std::mem::take(&mut self.guard_reads),
            writes: Vec::new(),
            notes: Vec::new(),
        };
        self.describe(view, &mut step);
        self.uninitialised(view, &mut step);
        self.push(step);
    }
}

/// Whether a place is this whole variable.
fn is_variable(program: &Program, place: PlaceId, variable: VarId) -> bool {
    let place = program.place(place);
    place.base == PlaceBase::Var(variable) && place.path.is_empty()
}

/// The variables that an expression reads, without what pointers lead to.
fn variables(program: &Program, expr: ExprId, into: &mut Vec<VarId>) {
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        let kind = &program.expr(expr).kind;
        if let Some(place) = visit::place_of(kind) {
            if let PlaceBase::Var(var) = program.place(place).base
                && !into.contains(&var)
            {
                into.push(var);
            }
            stack.extend(visit::place_parts(program, place));
        }
        stack.extend(visit::operator_parts(kind).rev());
    }
}

/// What the places that a condition reads hold, where they have names.
fn values(view: &View<'_, '_>, condition: ExprId) -> Vec<String> {
    let program = view.program();
    let mut values: Vec<String> = Vec::new();
    let mut stack = vec![condition];
    while let Some(expr) = stack.pop() {
        match program.expr(expr).kind {
            ExprKind::Load(place) => {
                if let (Some(name), Ok(value)) = (named(program, place), view.place(place)) {
                    let text = format!("{name} = {}", show(view, value));
                    if !values.contains(&text) {
                        values.push(text);
                    }
                }
            }
            ref kind => stack.extend(visit::operator_parts(kind).rev()),
        }
    }
    values
}

/// The text of a place, unless it is made up or long.
fn named(program: &Program, place: PlaceId) -> Option<String> {
    readable(&program.show_place(place)).filter(|text| text.len() <= MAX_NAME)
}

/// The name of a variable.
fn name_of(program: &Program, variable: VarId) -> String {
    let name = &program.variables[variable].name;
    readable(name).unwrap_or_else(|| name.clone())
}

/// A value; an address by the name of the variable that it points to.
fn show(view: &View<'_, '_>, value: Value) -> String {
    let Value::Address(address) = value else { return value.to_string() };
    if address == 0 {
        return value.to_string();
    }
    let object =
        view.objects().find(|object| object.address <= address && address - object.address < object.size);
    match object {
        Some(LiveObject { origin: Origin::Global(var) | Origin::Local(var), address: base, .. }) => {
            match address - base {
                0 => format!("&{}", name_of(view.program(), var)),
                offset => format!("&{} + {offset} bytes", name_of(view.program(), var)),
            }
        }
        Some(LiveObject { origin: Origin::Outside(number), address: base, .. }) => {
            outside_name(number, address - base)
        }
        _ => value.to_string(),
    }
}
