//! A verdict with what stands behind it, as plain data: as text for people, and for `--json`.

use std::fmt::Write;

use hardbop_base::{Sources, Span};
use hardbop_ir::interpret::{Draw, DrawSource, OutsideMemory, Run};
use hardbop_ir::{Arbitrary, FloatKind, Program, Type, VarKind};
use serde::Serialize;

use crate::names::{outside_name, readable};
use crate::story::{Item, Line, Repeated, Story};

/// Inputs that the text lists at most.
const MAX_INPUTS: usize = 24;

/// Predicates that the text lists at most.
const MAX_PREDICATES: usize = 20;

/// A verdict.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Summary {
    /// `TRUE`, `FALSE` or `UNKNOWN`.
    pub verdict: &'static str,
    /// The engine that was asked.
    pub engine: &'static str,
    /// What was asked, in words.
    pub property: String,
    /// The files of the program.
    pub files: Vec<String>,
    /// The data model.
    pub data_model: &'static str,
    /// Of FALSE: what is broken, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Of TRUE: what shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Shown>,
    /// Of UNKNOWN: what stood in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of UNKNOWN: what to try.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<String>,
    /// What is worth knowing besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The predicates in use at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predicates: Vec<String>,
    /// Who worked on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub team: Vec<Member>,
    /// Figures, in order.
    pub statistics: Statistics,
}

/// Figures about the search.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Statistics {
    /// Refinements.
    pub iterations: usize,
    /// Predicates in use at the end.
    pub predicates: usize,
    /// Hoare triples of the certificate.
    pub triples: usize,
    /// Statements that remained after slicing, and all that can be reached.
    pub statements: (usize, usize),
    /// Procedures that remained after slicing, and all that can be reached.
    pub procedures: (usize, usize),
    /// Wall-clock time, in seconds.
    pub seconds: f64,
    /// How much of that the certificate of the verdict took.
    pub certificate_seconds: f64,
}

/// An engine that worked on the program.
#[derive(Debug, Clone, Serialize)]
pub struct Member {
    /// Its name.
    pub engine: &'static str,
    /// When it begins.
    pub begins: &'static str,
    /// What it did.
    pub did: &'static str,
}

/// How a property is broken.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Failure {
    /// What happens, and where.
    pub what: String,
    /// Where.
    pub location: Option<Place>,
    /// Steps of the run.
    pub steps: u64,
    /// The values that the run needs, in order.
    pub inputs: Vec<Input>,
    /// What happens, without what does not matter; repetitions are folded.
    pub trace: Vec<Event>,
    /// What it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// The same as text.
    #[serde(skip)]
    pub story: String,
}

/// What shows that no run breaks the property.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Shown {
    /// How it was shown, in a sentence.
    pub method: String,
    /// What it rests on.
    pub assumptions: Vec<String>,
    /// Where runs may end because C leaves open what happens; see [`hardbop_ir::ends`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<MayEnd>,
    /// What holds where.
    pub invariants: Vec<Known>,
}

/// A place where a run may end because C leaves open what happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MayEnd {
    /// In which way: `access`, `index`, `block`, `free`, `division`, `conversion`, `call`, `unreachable`.
    pub kind: &'static str,
    /// The function.
    pub function: String,
    /// Where.
    pub location: Place,
}

/// Something that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Known {
    /// `loop`, or `summary` of a function: how the state at its end is related to that at its start.
    pub kind: &'static str,
    /// The function.
    pub function: String,
    /// Where.
    pub location: Place,
    /// What, as an expression of C, with `old(…)` for what held at the start and `\\result` for what is
    /// returned.
    pub invariant: String,
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

impl Place {
    /// Where the programmer wrote the start of a span.
    pub fn of(program: &Program, span: Span) -> Place {
        let origin = program.files.origin(span);
        Place { file: origin.file.to_owned(), line: origin.line, column: origin.column }
    }
}

/// A value that a run needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Input {
    /// What it is the value of, such as `__VERIFIER_nondet_int()` or `uninitialised x`.
    pub of: String,
    /// The value.
    pub value: String,
    /// Where it is needed.
    pub location: Place,
}

/// Something that happens in a run.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Event {
    /// A line is passed.
    Line {
        /// Where.
        location: Place,
        /// The text of the line.
        code: String,
        /// Values, and ways that branches go.
        notes: Vec<String>,
        /// The function that is called, with what happens in it.
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<Called>,
        /// Whether the property breaks here.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        breaks: bool,
    },
    /// The same again.
    More {
        /// How many times.
        more: u64,
        /// `iterations` or `calls`.
        of: &'static str,
    },
}

/// A call.
#[derive(Debug, Clone, Serialize)]
pub struct Called {
    /// The function.
    pub function: String,
    /// What it returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// What happens in it.
    pub trace: Vec<Event>,
}

/// The events of a story.
pub fn events(story: &Story, sources: &Sources) -> Vec<Event> {
    events_of(&story.items, sources)
}

fn events_of(items: &[Item], sources: &Sources) -> Vec<Event> {
    let line = |line: &Line, call| {
        let origin = sources.origin(line.span);
        let location = Place { file: origin.file.to_owned(), line: origin.line, column: origin.column };
        let code = line.code(sources).to_owned();
        Event::Line { location, code, notes: line.notes.clone(), call, breaks: line.breaks }
    };
    items
        .iter()
        .map(|item| match item {
            Item::Line(passed) => line(passed, None),
            Item::Call(call) => {
                let trace = events_of(&call.body, sources);
                let called = Called { function: call.callee.clone(), result: call.result.clone(), trace };
                line(&call.line, Some(called))
            }
            Item::More(more, Repeated::Iterations) => Event::More { more: *more, of: "iterations" },
            Item::More(more, Repeated::Calls) => Event::More { more: *more, of: "calls" },
        })
        .collect()
}

/// What a run that breaks a property rests on.
pub fn run_assumptions(program: &Program, run: &Run) -> Vec<String> {
    if run.outside(program).is_empty() {
        return Vec::new();
    }
    vec![
        "pointers that nobody set, that a function without a definition gave, or that lie in such memory, lead to memory outside of the \
         program, with any contents"
            .to_owned(),
    ]
}

/// The values that a run needs, without those that are left to the machine.
pub fn inputs(program: &Program, run: &Run) -> Vec<Input> {
    run.draws.iter().filter_map(|draw| input(program, run, draw)).collect()
}

fn input(program: &Program, run: &Run, draw: &Draw) -> Option<Input> {
    let of = match (draw.source, run.kind(draw)) {
        (DrawSource::AllocationFails | DrawSource::Address, _) if draw.value == 0 => return None,
        (DrawSource::AllocationFails, _) => "whether the allocation fails".to_owned(),
        (DrawSource::Address, _) => "the address of an object".to_owned(),
        (DrawSource::Choice, _) => "a choice".to_owned(),
        (_, Some(Arbitrary::Nondet(name) | Arbitrary::External(name) | Arbitrary::Library(name))) => {
            match storage(program, draw) {
                Some(what) if name.contains(' ') => format!("{name}, in {what}"),
                Some(what) => format!("what {name}() wrote to {what}"),
                None if name.contains(' ') => name.clone(),
                None => format!("{name}()"),
            }
        }
        (_, Some(Arbitrary::Uninitialised)) if starts_arbitrary(program, draw) => {
            format!("{} at the start", storage(program, draw).unwrap_or_else(|| "a variable".to_owned()))
        }
        (_, Some(Arbitrary::Uninitialised)) => {
            format!("uninitialised {}", storage(program, draw).unwrap_or_else(|| "storage".to_owned()))
        }
        (_, Some(Arbitrary::Assembly)) => "inline assembly".to_owned(),
        (_, None) => "a value".to_owned(),
    };
    let edge = program.procedures[draw.procedure].edges.get(draw.edge);
    let location = edge.map(|edge| Place::of(program, edge.span)).unwrap_or_default();
    Some(Input { of, value: value(program, draw), location })
}

/// Whether a value is one that a global variable holds when the program starts.
fn starts_arbitrary(program: &Program, draw: &Draw) -> bool {
    let variable = draw.storage.and_then(|storage| storage.variable);
    variable
        .is_some_and(|variable| matches!(program.variables[variable].kind, VarKind::Global | VarKind::Static))
}

fn storage(program: &Program, draw: &Draw) -> Option<String> {
    let storage = draw.storage?;
    let Some(variable) = storage.variable else {
        let outside =
            OutsideMemory::of(program.data_model).number(storage.base.wrapping_add(OutsideMemory::REACH));
        return Some(match (storage.allocated, outside) {
            (None, Some(number)) => outside_name(number as u32, storage.offset),
            _ => "memory".to_owned(),
        });
    };
    let variable = &program.variables[variable];
    let is_whole = program.size_of(variable.ty) == u64::from(draw.width.div_ceil(8));
    let name = readable(&variable.name)?;
    Some(if is_whole { name } else { format!("byte {} of {name}", storage.offset) })
}

/// A drawn value as its type shows it.
fn value(program: &Program, draw: &Draw) -> String {
    let outside = |value: u128| OutsideMemory::of(program.data_model).number(value as u64);
    match draw.ty.map(|ty| program.ty(ty)) {
        Some(Type::Bool) => (draw.value != 0).to_string(),
        Some(Type::Integer) => (draw.value as i128).to_string(),
        Some(&Type::Machine { width, signed }) => {
            hardbop_ir::wrap(width, signed, draw.value as i128).to_string()
        }
        Some(Type::Float(FloatKind::F32)) => f32::from_bits(draw.value as u32).to_string(),
        Some(Type::Float(FloatKind::F64)) => f64::from_bits(draw.value as u64).to_string(),
        _ if draw.value < 10 => draw.value.to_string(),
        Some(Type::Pointer(_)) if outside(draw.value).is_some() => {
            outside_name(outside(draw.value).unwrap_or_default() as u32, OutsideMemory::REACH)
        }
        _ => format!("{:#x}", draw.value),
    }
}

impl Summary {
    /// The report, down to the verdict in the last line.
    pub fn text(&self, with_statistics: bool) -> String {
        let mut out = String::new();
        if let Some(failure) = &self.failure {
            out += &failure.text();
        }
        if let Some(shown) = &self.proof {
            out += &shown.text();
        }
        // Writing to a String cannot fail.
        if let Some(reason) = &self.reason {
            let _ = writeln!(out, "reason: {reason}");
        }
        for advice in &self.advice {
            let _ = writeln!(out, "try: {advice}");
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        if with_statistics {
            let Statistics { iterations, predicates, triples, statements, procedures, .. } = self.statistics;
            let Statistics { seconds, certificate_seconds, .. } = self.statistics;
            if statements.1 > 0 {
                let _ = writeln!(
                    out,
                    "slice: {} of {} statements, {} of {} procedures",
                    statements.0, statements.1, procedures.0, procedures.1
                );
            }
            for Member { engine, begins, did } in &self.team {
                let _ = writeln!(out, "team: {engine}, begins {begins}: {did}");
            }
            let _ =
                writeln!(out, "engine: {}\niterations: {iterations}\npredicates: {predicates}", self.engine);
            for predicate in self.predicates.iter().take(MAX_PREDICATES) {
                let _ = writeln!(out, "  {predicate}");
            }
            if let Some(more) = self.predicates.len().checked_sub(MAX_PREDICATES).filter(|&more| more > 0) {
                let _ = writeln!(out, "  … {more} more");
            }
            let _ = writeln!(out, "certificate: {triples} triples");
            let _ = writeln!(
                out,
                "time: {seconds:.3} s, of which the certificate took {certificate_seconds:.3} s"
            );
        }
        let _ = writeln!(out, "VERDICT: {}", self.verdict);
        out
    }
}

impl Failure {
    fn text(&self) -> String {
        let mut out = format!("{}\n", self.what);
        out += &self.story;
        if !self.inputs.is_empty() {
            out += "inputs:\n";
        }
        let mut rest = &self.inputs[..];
        let mut lines = 0;
        while let Some((first, _)) = rest.split_first() {
            if lines == MAX_INPUTS {
                // Writing to a String cannot fail.
                let _ = writeln!(out, "  … {} more", rest.len());
                break;
            }
            let same = rest.iter().take_while(|input| *input == first).count();
            let times = if same > 1 { format!(" ({same} times)") } else { String::new() };
            let Place { file, line, .. } = &first.location;
            let _ = writeln!(out, "  {} = {}{times} at {file}:{line}", first.of, first.value);
            rest = &rest[same..];
            lines += 1;
        }
        for assumption in &self.assumptions {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "assuming: {assumption}");
        }
        out
    }
}

impl Shown {
    fn text(&self) -> String {
        let mut out = format!("{}\n", self.method);
        for known in &self.invariants {
            let Place { file, line, .. } = &known.location;
            let what = match known.kind {
                "loop" => format!("loop at {file}:{line} in {}", known.function),
                kind => format!("{kind} of {}", known.function),
            };
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{what}: {}", known.invariant);
        }
        for assumption in &self.assumptions {
            let _ = writeln!(out, "assuming: {assumption}");
        }
        out
    }
}
