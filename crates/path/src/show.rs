//! Paths and contexts as text.
//!
//! A step is a line with its position, procedure and statement, as in the trace of a run. Below it stands
//! what it adds to the context: `Ω` the store, `Π` the history, `Φ` the conditions. The symbolic constant
//! of a variable `x` is `θx`, further ones of the same variable are `θx#2`, `θx#3`, …. Locals of a
//! procedure that is entered more than once have the number of the activation, as in `x.2`, and their
//! procedure where the name alone would be ambiguous, as in `f::x`.

use std::fmt::Write;

use hardbop_alias::{Alias, ObjectKind, RegionId, Regions};
use hardbop_ir::{EdgeId, Field, ProcId, Program, Statement, Type, TypeId, VarId};
use hardbop_logic::{Term, c};
use hardbop_semantics::path::PathStep;
use hardbop_semantics::{Application, Cell, Frame, Meaning, Object, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Path;
use crate::context::{Change, Contexts};
use crate::projection::Projection;

/// Applications of unknown functions within each other that are written out.
const MAX_NESTING: u32 = 8;

/// Calls within each other that move the text to the right.
const MAX_INDENTATION: usize = 40;

/// The steps of a projection of a path, each with what it adds to the context. Steps that say nothing
/// are left out.
pub fn show(subject: Subject<'_>, path: &Path, projection: &Projection, contexts: &Contexts) -> String {
    let names = Names::new(subject, contexts);
    let mut text = String::new();
    let mut stack: Vec<(ProcId, Option<EdgeId>)> = vec![(path.entry, None)];
    for (i, &step) in path.steps.iter().enumerate() {
        let change = &contexts.changes[i];
        let shown = projection.keeps(i);
        match step {
            PathStep::Edge(edge) => {
                let procedure = stack.last().map_or(path.entry, |top| top.0);
                if shown && !says_nothing(subject.program, procedure, edge) {
                    write_edge(&mut text, subject.program, (procedure, edge), stack.len() - 1, "");
                    names.write_change(&mut text, change, stack.len());
                }
            }
            PathStep::Enter(edge, callee) => {
                let procedure = stack.last().map_or(path.entry, |top| top.0);
                if shown {
                    write_edge(&mut text, subject.program, (procedure, edge), stack.len() - 1, "");
                    names.write_change(&mut text, change, stack.len());
                }
                if let Some(top) = stack.last_mut() {
                    top.1 = Some(edge);
                }
                stack.push((callee, None));
            }
            PathStep::Leave => {
                if stack.len() > 1 {
                    stack.pop();
                }
                if let Some(&(procedure, Some(edge))) = stack.last()
                    && shown
                    && !change.is_empty()
                {
                    write_edge(&mut text, subject.program, (procedure, edge), stack.len() - 1, " returns");
                    names.write_change(&mut text, change, stack.len());
                }
            }
        }
    }
    text
}

/// Whether a statement does nothing, or only ends the activation.
fn says_nothing(program: &Program, procedure: ProcId, edge: EdgeId) -> bool {
    matches!(program.procedures[procedure].edges[edge].statement, Statement::Skip | Statement::Return)
}

fn write_edge(
    text: &mut String,
    program: &Program,
    (procedure, edge): (ProcId, EdgeId),
    depth: usize,
    suffix: &str,
) {
    let procedure = &program.procedures[procedure];
    let edge = &procedure.edges[edge];
    let (indent, origin) = (indentation(depth), program.files.origin(edge.span));
    // Writing to a String cannot fail.
    let _ = write!(text, "{:indent$}{origin}: {}: ", "", procedure.name);
    for label in &procedure.locations[edge.source].labels {
        let _ = write!(text, "[{label}] ");
    }
    let _ = writeln!(text, "{}{suffix}", program.show_statement(&edge.statement));
}

fn indentation(depth: usize) -> usize {
    2 * depth.min(MAX_INDENTATION)
}

/// What cells and constants are called.
struct Names<'a> {
    subject: Subject<'a>,
    contexts: &'a Contexts,
    /// Procedures that have more than one activation.
    repeated: FxHashSet<ProcId>,
    /// Names that more than one variable has.
    ambiguous: FxHashSet<&'a str>,
    constants: FxHashMap<Term, String>,
}

impl<'a> Names<'a> {
    fn new(subject: Subject<'a>, contexts: &'a Contexts) -> Self {
        let mut seen = FxHashSet::default();
        let repeated = contexts.activations.iter().copied().filter(|&p| !seen.insert(p)).collect();
        let constants = FxHashMap::default();
        let ambiguous = ambiguous(subject.program, contexts);
        let mut names = Names { subject, contexts, repeated, ambiguous, constants };
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        for &(constant, cell) in &contexts.constants {
            let name = names.cell(cell);
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count == 1 { format!("θ{name}") } else { format!("θ{name}#{count}") };
            names.constants.insert(constant, name);
        }
        names
    }

    /// What a step adds. A condition that always holds is worth showing only if the step is no more.
    fn write_change(&self, text: &mut String, change: &Change, depth: usize) {
        let terms = &self.contexts.encoder.terms;
        let more = !change.store.is_empty() || change.conditions.len() > 1;
        let pairs = |pairs: &[(Cell, Term)]| -> Vec<String> {
            pairs
                .iter()
                .map(|&(cell, term)| format!("{} = {}", self.cell(cell), self.term(term, 0)))
                .collect()
        };
        let worth = change.conditions.iter().filter(|&&term| !(more && terms.as_bool(term) == Some(true)));
        let conditions: Vec<String> = worth.map(|&term| self.term(term, 0)).collect();
        let parts = [("Ω", pairs(&change.store)), ("Π", pairs(&change.history)), ("Φ", conditions)];
        for (sign, lines) in parts.iter().filter(|(_, lines)| !lines.is_empty()) {
            let indent = indentation(depth) + 2;
            let _ = writeln!(text, "{:indent$}{sign}  {}", "", lines.join(", "));
        }
    }

    fn cell(&self, cell: Cell) -> String {
        match cell {
            Cell::Global(var) => self.subject.program.variables[var].name.clone(),
            Cell::Local(frame, var) => self.local(frame, var),
            Cell::Region(region) => {
                region_name(self.subject.program, self.subject.alias, self.subject.regions, region)
            }
            Cell::Live(_) => "live heap objects".to_owned(),
            Cell::Tally(tally, _) => format!("{} heap objects", tally.name()),
        }
    }

    fn local(&self, frame: Frame, var: VarId) -> String {
        let program = self.subject.program;
        let mut name = program.variables[var].name.clone();
        let Some(&procedure) = self.contexts.activations.get(frame.0 as usize) else { return name };
        if self.ambiguous.contains(name.as_str()) {
            name = format!("{}::{name}", program.procedures[procedure].name);
        }
        if self.repeated.contains(&procedure) {
            let earlier = &self.contexts.activations[..frame.0 as usize];
            let number = earlier.iter().filter(|&&p| p == procedure).count() + 1;
            let _ = write!(name, ".{number}");
        }
        name
    }

    /// A term, as C writes it where it can.
    fn term(&self, term: Term, nesting: u32) -> String {
        if let Some(value) = self.contexts.encoder.terms.as_bool(term) {
            return value.to_string();
        }
        let name =
            |symbol: Term| c::Name { text: self.symbol(symbol, nesting), signed: self.is_signed(symbol) };
        c::expression(&self.contexts.encoder.terms, term, name).unwrap_or_else(|| "…".to_owned())
    }

    fn symbol(&self, symbol: Term, nesting: u32) -> String {
        if let Some(name) = self.constants.get(&symbol) {
            return name.clone();
        }
        match self.contexts.encoder.meaning_of(symbol) {
            Some(Meaning::Cell(cell)) => format!("θ{}", self.cell(cell)),
            Some(Meaning::Address(object)) => self.address(object),
            Some(Meaning::Function) => match self.contexts.encoder.application_of(symbol) {
                Some(application) if nesting < MAX_NESTING => self.application(application, nesting),
                _ => "…".to_owned(),
            },
            Some(Meaning::Watched { .. }) | None => format!("θ{}", symbol.index()),
        }
    }

    fn address(&self, object: Object) -> String {
        let program = self.subject.program;
        match object {
            Object::Variable(frame, var) if self.subject.alias.objects().owner(var).is_some() => {
                format!("&{}", self.local(frame, var))
            }
            Object::Variable(_, var) => format!("&{}", program.variables[var].name),
            Object::Procedure(procedure) => format!("&{}", program.procedures[procedure].name),
            Object::Allocated(new) => format!("new.{}", new.number + 1),
        }
    }

    fn application(&self, application: &Application, nesting: u32) -> String {
        let arguments: Vec<String> =
            application.arguments.iter().map(|&argument| self.term(argument, nesting + 1)).collect();
        format!("{:?}({})", application.function, arguments.join(", "))
    }

    fn is_signed(&self, symbol: Term) -> bool {
        let constant = self.contexts.constants.iter().find(|(constant, _)| *constant == symbol);
        let cell = constant.map(|&(_, cell)| cell).or_else(|| self.contexts.encoder.cell_of(symbol));
        let ty: Option<TypeId> = match cell {
            Some(Cell::Global(var) | Cell::Local(_, var)) => Some(self.subject.program.variables[var].ty),
            Some(Cell::Region(region)) => self.subject.regions.region(region).scalar,
            Some(Cell::Live(_) | Cell::Tally(..)) | None => None,
        };
        ty.is_some_and(|ty| matches!(self.subject.program.ty(ty), Type::Machine { signed: true, .. }))
    }
}

/// The part of a variable that a region is, if it is one; else its number.
fn region_name(program: &Program, alias: &Alias, regions: &Regions, region: RegionId) -> String {
    if let &[(object, cell)] = &regions.region(region).cells[..]
        && cell.is_exact()
        && let ObjectKind::Variable(var) = alias.objects()[object].kind
    {
        let variable = &program.variables[var];
        return part_name(program, variable.name.clone(), variable.ty, (cell.offset, cell.width));
    }
    format!("memory.{}", region.index())
}

/// The part of something of a type that lies at an offset and has so many bytes.
fn part_name(program: &Program, name: String, ty: TypeId, (offset, width): (u64, u64)) -> String {
    match *program.ty(ty) {
        Type::Record(record) => {
            let holds = |field: &&Field| {
                let end = field.offset + program.size_of(field.ty);
                field.bits.is_none() && field.offset <= offset && offset + width <= end
            };
            match program.records[record].fields.iter().find(holds) {
                Some(field) => {
                    let name = format!("{name}.{}", field.name);
                    part_name(program, name, field.ty, (offset - field.offset, width))
                }
                None => format!("{name}@{offset}"),
            }
        }
        Type::Array { element, .. } if program.size_of(element) > 0 => {
            let size = program.size_of(element);
            part_name(program, format!("{name}[{}]", offset / size), element, (offset % size, width))
        }
        _ if offset == 0 && width == program.size_of(ty) => name,
        _ => format!("{name}@{offset}"),
    }
}

/// The names that more than one variable has among those that contexts speak of.
fn ambiguous<'a>(program: &'a Program, contexts: &Contexts) -> FxHashSet<&'a str> {
    let mut owners: FxHashMap<&str, VarId> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for change in &contexts.changes {
        for &(cell, _) in change.store.iter().chain(&change.history) {
            let (Cell::Global(var) | Cell::Local(_, var)) = cell else { continue };
            let name = program.variables[var].name.as_str();
            if *owners.entry(name).or_insert(var) != var {
                found.insert(name);
            }
        }
    }
    found
}
