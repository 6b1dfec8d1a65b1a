//! From steps to lines, calls and repetitions.

use std::collections::VecDeque;

use hardbop_base::{Sources, Span};
use hardbop_ir::{Edge, EdgeId, PlaceBase, ProcId, Procedure, Program, Statement};
use rustc_hash::FxHashMap;

use super::matter::RelevantSteps;
use super::watch::{FrameId, Kind, StoryStep, Watched};
use super::{Call, Item, Line, Repeated};

/// Repetitions that are shown: so many at the start, and the last two.
const SHOWN_REPETITIONS: usize = 1;
/// How deep a function may call itself before the rest is folded.
const SHOWN_CALLS: usize = 3;

/// What happened, as far as it matters.
pub(super) fn tree(
    program: &Program,
    sources: &Sources,
    watched: &Watched,
    matters: &RelevantSteps,
) -> Vec<Item> {
    let mut builder = Builder { program, sources, open: vec![Open::default()] };
    for (step, &matters_itself) in watched.steps.iter().zip(&matters.steps) {
        if matters_itself {
            builder.add(step, matters);
        }
    }
    while builder.open.len() > 1 {
        builder.close(None);
    }
    let items = builder.open.pop().map(|open| open.items).unwrap_or_default();
    fold_calls(fold(items), None, 0)
}

/// An activation that is being told.
#[derive(Default)]
struct Open {
    frame: Option<FrameId>,
    items: Vec<Item>,
    /// The edges of the last line, so that a loop in one line is not taken for one passage.
    edges: Vec<(ProcId, EdgeId)>,
    /// Whether the last line has a branch.
    guarded: bool,
    /// Whether it is one of our own library, of which only the call is shown.
    hidden: bool,
}

struct Builder<'a> {
    program: &'a Program,
    sources: &'a Sources,
    open: Vec<Open>,
}

impl Builder<'_> {
    fn add(&mut self, step: &StoryStep, matters: &RelevantSteps) {
        let procedure = &self.program.procedures[step.procedure];
        let edge = &procedure.edges[step.edge];
        match step.kind {
            Kind::Back(frame) => {
                if self.open.last().is_some_and(|open| open.frame == Some(frame)) {
                    self.close(step.notes.first().cloned());
                }
                return;
            }
            Kind::Call(callee, frame) => {
                self.leave_ended(step.frame);
                let hidden = self.is_hidden();
                let callee = &self.program.procedures[callee];
                if !is_made_up(procedure) && !hidden {
                    let line = self.line(edge.span, step, step.notes.clone());
                    let call = Call { line, callee: callee.name.clone(), body: Vec::new(), result: None };
                    self.push(Item::Call(call));
                }
                let transparent = is_made_up(procedure) && !hidden;
                let hidden = hidden || is_ours(self.program, callee) || !matters.frames.contains(&frame);
                let frame = Some(frame);
                if transparent {
                    // What comes before `main` is not told; what `main` does is the story.
                    if let Some(open) = self.open.last_mut() {
                        open.frame = frame;
                    }
                } else {
                    self.open.push(Open { frame, hidden, ..Open::default() });
                }
                return;
            }
            _ => {}
        }
        self.leave_ended(step.frame);
        if self.is_hidden() || is_made_up(procedure) {
            return;
        }
        let mut notes = step.notes.clone();
        if let Kind::Guard = step.kind {
            notes.retain(|note| !note.is_empty());
            notes = vec![guard_note(self.sources, procedure, step, &notes.join(", "))];
            notes.retain(|note| !note.is_empty());
        }
        let breaks = matches!(edge.statement, Statement::Error(_));
        if breaks || !notes.is_empty() || !writes_only_made_up(self.program, &edge.statement) {
            self.pass(edge.span, step, notes, breaks);
        }
    }

    /// Closes activations that ended without a result that matters.
    fn leave_ended(&mut self, frame: FrameId) {
        let is_open = |open: &Open| open.frame == Some(frame);
        while self.open.len() > 1 && !self.open.last().is_some_and(is_open) && self.open.iter().any(is_open) {
            self.close(None);
        }
    }

    fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|open| open.hidden)
    }

    fn close(&mut self, result: Option<String>) {
        let Some(ended) = self.open.pop() else { return };
        let caller = self.open.last_mut().filter(|caller| !caller.hidden);
        if let Some(Item::Call(call)) = caller.and_then(|caller| caller.items.last_mut()) {
            call.body = ended.items;
            call.result = result;
        }
    }

    fn line(&self, span: Span, step: &StoryStep, notes: Vec<String>) -> Line {
        let key = self.program.procedures[step.procedure].edges[step.edge].source.index();
        Line { span, notes, breaks: false, key }
    }

    fn push(&mut self, item: Item) {
        if let Some(open) = self.open.last_mut() {
            open.items.push(item);
            open.edges.clear();
        }
    }

    /// Adds to the last line if it is the same one and not passed again.
    fn pass(&mut self, span: Span, step: &StoryStep, notes: Vec<String>, breaks: bool) {
        let line = self.line(span, step, notes);
        let edge = (step.procedure, step.edge);
        let Some(open) = self.open.last_mut() else { return };
        match open.items.last_mut() {
            Some(Item::Line(last))
                if (last.span.file, last.span.line) == (span.file, span.line)
                    && !open.edges.contains(&edge) =>
            {
                line.notes.into_iter().for_each(|note| add_note(&mut last.notes, note));
                last.breaks |= breaks;
                // Loops are entered in several ways, and go on in one: by their condition.
                if step.kind == Kind::Guard && !open.guarded {
                    last.key = line.key;
                }
            }
            _ => {
                open.edges.clear();
                open.guarded = false;
                open.items.push(Item::Line(Line { breaks, ..line }));
            }
        }
        open.guarded |= step.kind == Kind::Guard;
        open.edges.push(edge);
    }
}

/// Adds a note; what a function returned goes without saying where it was stored.
fn add_note(notes: &mut Vec<String>, note: String) {
    if let (Some(last), Some((_, value))) = (notes.last_mut(), note.split_once(" = "))
        && last.split_once("() = ").is_some_and(|(_, same)| same == value)
    {
        *last = note;
    } else if !notes.contains(&note) {
        notes.push(note);
    }
}

/// Whether a statement changes nothing that the programmer knows by name.
fn writes_only_made_up(program: &Program, statement: &Statement) -> bool {
    match statement {
        Statement::Assign(place, _) | Statement::Havoc(place, _) => match program.place(*place).base {
            PlaceBase::Var(var) => program.variables[var].name.starts_with('$'),
            PlaceBase::Deref(_) => false,
        },
        Statement::Copy { .. } | Statement::CopyObject { .. } | Statement::Fill { .. } => false,
        _ => true,
    }
}

/// Whether a procedure is no function of the program, such as the one that calls `main`.
fn is_made_up(procedure: &Procedure) -> bool {
    procedure.name.starts_with('$')
}

/// Whether a procedure is one that Hardbop brings along.
fn is_ours(program: &Program, procedure: &Procedure) -> bool {
    program.files.origin(procedure.span).file.starts_with('<')
}

/// Which way a branch goes, and why.
fn guard_note(sources: &Sources, procedure: &Procedure, step: &StoryStep, values: &str) -> String {
    let Edge { source, span, .. } = procedure.edges[step.edge];
    let mut ways = procedure.edges.iter().filter(|(_, edge)| edge.source == source).map(|(id, _)| id);
    let way = match (ways.next(), ways.next(), ways.next()) {
        // Of two, the first is the one where what the span covers holds.
        (Some(first), Some(_), None) => truth(sources, span, first == step.edge),
        (Some(_), None, _) => "passed".to_owned(),
        _ => String::new(),
    };
    match (way, values) {
        (way, "") => way,
        (way, values) if way.is_empty() => values.to_owned(),
        (way, values) => format!("{way}: {values}"),
    }
}

/// Whether the condition of a branch holds, of which the span is the part without negations; if it is
/// only a part of the condition, which part.
fn truth(sources: &Sources, span: Span, holds: bool) -> String {
    let line = sources.line_text(span).filter(|_| span.line == span.end_line);
    let (start, end) = (span.column.saturating_sub(1) as usize, span.end_column.saturating_sub(1) as usize);
    let parts = line.and_then(|line| Some((line.get(..start)?, line.get(start..end)?, line.get(end..)?)));
    let Some((before, condition, behind)) = parts else { return holds.to_string() };
    let before = before.trim_end_matches([' ', '(', '!']);
    let is_part = |text: &str| text.starts_with("&&") || text.starts_with("||");
    if before.ends_with("&&") || before.ends_with("||") || is_part(behind.trim_start_matches([' ', ')'])) {
        return format!("{condition} is {holds}");
    }
    let negations = line.map_or(0, |line| line[before.len()..start].matches('!').count());
    (holds == negations.is_multiple_of(2)).to_string()
}

fn key(item: &Item) -> Option<(usize, usize)> {
    match item {
        Item::Line(line) => Some((0, line.key)),
        Item::Call(call) => Some((1, call.line.key)),
        Item::More(..) => None,
    }
}

/// Folds what repeats in an activation: of the passages from one visit of a line to the next, the first
/// and the last are shown.
fn fold(items: Vec<Item>) -> Vec<Item> {
    let mut out = Vec::new();
    let mut rest: VecDeque<Item> = items.into();
    let mut visits: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for item in &rest {
        if let Some(key) = key(item) {
            *visits.entry(key).or_default() += 1;
        }
    }
    while let Some(item) = rest.pop_front() {
        let head = key(&item);
        let times = head.and_then(|head| visits.get(&head).copied()).unwrap_or(1);
        if times < SHOWN_REPETITIONS + 3 {
            out.push(fold_in(item));
            continue;
        }
        let mut passages = vec![vec![item]];
        while let Some(item) = rest.pop_front() {
            if key(&item) == head {
                passages.push(Vec::new());
            }
            if let Some(passage) = passages.last_mut() {
                passage.push(item);
            }
        }
        // The last visit leaves the loop, or is where the run ends; the one before is the last passage.
        let count = passages.len();
        let left_out = count - SHOWN_REPETITIONS - 2;
        for (i, passage) in passages.into_iter().enumerate() {
            if i == SHOWN_REPETITIONS {
                out.push(Item::More(left_out as u64, Repeated::Iterations));
            }
            if i < SHOWN_REPETITIONS || i + 2 >= count {
                let mut passage: VecDeque<Item> = passage.into();
                if let Some(first) = passage.pop_front() {
                    out.push(fold_in(first));
                }
                out.extend(fold(passage.into()));
            }
        }
        break;
    }
    out
}

fn fold_in(item: Item) -> Item {
    match item {
        Item::Call(mut call) => {
            call.body = fold(call.body);
            Item::Call(call)
        }
        other => other,
    }
}

/// Folds what a function does in calls of itself, but for the first ones and the last.
fn fold_calls(items: Vec<Item>, within: Option<&str>, depth: usize) -> Vec<Item> {
    items
        .into_iter()
        .map(|item| match item {
            Item::Call(mut call) => {
                let depth = if within == Some(call.callee.as_str()) { depth + 1 } else { 0 };
                if depth >= SHOWN_CALLS {
                    let skipped = skip_calls(&mut call.body, &call.callee);
                    if skipped > 0 {
                        call.body.insert(0, Item::More(skipped, Repeated::Calls));
                        return Item::Call(call);
                    }
                }
                let callee = call.callee.clone();
                call.body = fold_calls(std::mem::take(&mut call.body), Some(&callee), depth);
                Item::Call(call)
            }
            other => other,
        })
        .collect()
}

/// Replaces a body by that of the innermost call of the same function in it; how many lie between.
fn skip_calls(body: &mut Vec<Item>, name: &str) -> u64 {
    let mut skipped = 0;
    loop {
        let inner = body.iter_mut().rev().find_map(|item| match item {
            Item::Call(call) if call.callee == name && !call.body.is_empty() => Some(call),
            _ => None,
        });
        let Some(inner) = inner else { return skipped };
        *body = std::mem::take(&mut inner.body);
        skipped += 1;
    }
}
