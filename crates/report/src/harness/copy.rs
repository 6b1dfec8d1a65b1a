//! A copy of the program's text in which uninitialised storage is set.
//!
//! A variable is set where it is declared: `int x;` becomes `int x, *hardbop_x = hardbop_fill(…, &x, …);`, which
//! works for every type and wherever a declaration may stand. What it is set to depends on the activation of
//! its function, counted from the start of the run; or, if it is declared in a loop, on how many times
//! its declaration was passed. Memory is set by the allocating function, by the number of its call.

use std::collections::BTreeMap;
use std::fmt::Write;

use hardbop_base::{Budget, FileId, Span};
use hardbop_ir::interpret::{
    Draw, DrawSource, Interpreter, ListInputs, Observer, Outcome, Run, RunOptions, Value, View,
};
use hardbop_ir::{Arbitrary, MemoryKind, PlaceBase, ProcId, Program, Property, Statement, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Subject;

/// The part that stands for allocated memory where variables have their numbers.
const MEMORY: &str = "-1";

/// A copy of the program.
pub(super) struct Copy<'a> {
    subject: &'a Subject<'a>,
    text: &'a str,
    file: FileId,
    /// The variables that are set, with what they are set to by key.
    variables: BTreeMap<VarId, Vec<(u32, Draw)>>,
    /// The memory that is set, by the number of the allocation.
    memory: Vec<(u32, Draw)>,
    /// The allocations that fail.
    failing: Vec<u32>,
    owners: FxHashMap<VarId, ProcId>,
    repeated: FxHashSet<VarId>,
    /// Text to insert, by offset.
    edits: BTreeMap<usize, String>,
}

impl<'a> Copy<'a> {
    /// The copy for a run; nothing if the program consists of several files or the text is not at hand.
    pub(super) fn of(
        subject: &'a Subject<'a>,
        interpreter: &Interpreter<'_>,
        run: &Run,
        budget: &Budget,
    ) -> Option<Self> {
        let program = subject.program;
        let [_] = subject.files else { return None };
        let entry = program.procedures.values().find(|procedure| procedure.name == subject.entry)?;
        let file = entry.span.file;
        let text = subject.sources.files().get(file)?.text.as_deref()?;
        let mut copy = Copy {
            subject,
            text,
            file,
            variables: BTreeMap::new(),
            memory: Vec::new(),
            failing: Vec::new(),
            owners: owners(program),
            repeated: repeated(program),
            edits: BTreeMap::new(),
        };
        let mut watch = Watch::new(&copy, run);
        let mut discard = |_: &[u8]| {};
        let options =
            RunOptions { budget: budget.clone(), sink: Some(&mut discard), ..RunOptions::default() };
        let again = interpreter.observe(&mut ListInputs::replay(&run.draws), options, &mut watch);
        if again.outcome != run.outcome {
            return None;
        }
        let Watch { variables, memory, failing, .. } = watch;
        copy.variables = variables;
        copy.memory = memory;
        copy.failing = failing;
        (copy.edit(run) && (!copy.edits.is_empty() || copy.allocates())).then_some(copy)
    }

    /// Whether the copy can set a variable.
    pub(super) fn can_set(&self, variable: VarId) -> bool {
        self.declarator_end(variable).is_some()
    }

    /// Whether the copy sets the memory at an address.
    pub(super) fn sets_memory(&self, base: u64) -> bool {
        self.memory.iter().any(|(_, draw)| draw.storage.is_some_and(|storage| storage.base == base))
    }

    /// Decides what to insert; whether everything has its place.
    fn edit(&mut self, run: &Run) -> bool {
        let program = self.subject.program;
        let mut entered: Vec<ProcId> = Vec::new();
        let variables: Vec<VarId> = self.variables.keys().copied().collect();
        for (number, variable) in variables.into_iter().enumerate() {
            let (Some(end), Some(name)) = (self.declarator_end(variable), self.name(variable)) else {
                continue;
            };
            let key = match (self.repeated.contains(&variable), self.owners.get(&variable)) {
                (false, Some(&owner)) => {
                    if !entered.contains(&owner) {
                        entered.push(owner);
                    }
                    "hardbop_frame".to_owned()
                }
                _ => format!("hardbop_passed[{number}]++"),
            };
            let set = format!(
                ", *hardbop_set_{number} = hardbop_fill({number}, {key}, (void *)&{name}, sizeof {name})"
            );
            *self.edits.entry(end).or_default() += &set;
        }
        for (number, &procedure) in entered.iter().enumerate() {
            let Some(body) = self.body(program.procedures[procedure].span) else { return false };
            let count = format!(" unsigned hardbop_frame = hardbop_entered[{number}]++;");
            self.edits.entry(body).or_default().push_str(&count);
        }
        if let Outcome::Error { property: Property::ErrorLabel(label), site } = &run.outcome {
            let label = self.offset(site.span.line, site.span.column).and_then(|at| {
                let rest = self.text.get(at..)?.strip_prefix(label.as_str())?;
                let colon = rest.trim_start().starts_with(':').then(|| rest.find(':'))??;
                Some(self.text.len() - rest.len() + colon + 1)
            });
            let Some(behind) = label.filter(|_| site.span.file == self.file) else { return false };
            self.edits.entry(behind).or_default().push_str(" hardbop_reached();");
        }
        true
    }

    fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let start = match line.checked_sub(1)? as usize {
            0 => 0,
            lines => self.text.match_indices('\n').nth(lines - 1)?.0 + 1,
        };
        Some(start + column.checked_sub(1)? as usize).filter(|&at| self.text.is_char_boundary(at))
    }

    /// The name of a variable as it is declared.
    fn name(&self, variable: VarId) -> Option<&'a str> {
        let span = self.subject.program.variables[variable].span;
        let start = self.offset(span.line, span.column)?;
        let rest = &self.text[start..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(&rest[..end]).filter(|name| !name.is_empty())
    }

    /// Where the declarator of a local variable without an initial value ends.
    fn declarator_end(&self, variable: VarId) -> Option<usize> {
        let v = &self.subject.program.variables[variable];
        if v.kind != VarKind::Local || v.span.file != self.file || v.span.is_none() {
            return None;
        }
        let name = self.name(variable)?;
        let start = self.offset(v.span.line, v.span.column)?;
        let statement = self.text[..start].rfind([';', '{', '}']).map_or(0, |at| at + 1);
        if self.text[statement..start].split_ascii_whitespace().any(|word| word == "register") {
            return None;
        }
        let from = start + name.len();
        let (mut depth, mut lowest) = (0, 0);
        for (at, c) in self.text[from..].char_indices() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' | ';' if depth == lowest => return Some(from + at),
                '=' if depth == lowest => return None,
                _ => {}
            }
            lowest = lowest.min(depth);
        }
        None
    }

    /// The place behind the opening brace of a function.
    fn body(&self, span: Span) -> Option<usize> {
        if span.file != self.file {
            return None;
        }
        let from = self.offset(span.end_line, span.end_column)?;
        let brace = self.text[from..].find('{')?;
        Some(from + brace + 1)
    }

    /// The text of the copy, with what it needs in front.
    pub(super) fn text(&self) -> String {
        let mut out = String::from(
            "extern void *hardbop_fill(int, unsigned, void *, unsigned long);\n\
             extern void hardbop_reached(void);\n",
        );
        // Writing to a String cannot fail.
        let _ = writeln!(out, "static unsigned hardbop_entered[{}];", self.variables.len() + 1);
        let _ = writeln!(out, "static unsigned hardbop_passed[{}];", self.variables.len() + 1);
        if self.allocates() {
            out += "#define malloc hardbop_malloc\n";
        }
        let mut done = 0;
        for (&at, edit) in &self.edits {
            out += &self.text[done..at];
            out += edit;
            done = at;
        }
        out += &self.text[done..];
        if self.allocates() {
            out += "\n#undef malloc\n";
        }
        out + "\n"
    }

    fn allocates(&self) -> bool {
        !self.memory.is_empty() || !self.failing.is_empty()
    }

    /// What stands behind the copy.
    pub(super) fn definitions(&self) -> String {
        let mut rows = Vec::new();
        for (number, fills) in self.variables.values().enumerate() {
            rows.extend(fills.iter().map(|(key, draw)| row(&number.to_string(), *key, draw)));
        }
        rows.extend(self.memory.iter().map(|(key, draw)| row(MEMORY, *key, draw)));
        let mut out = format!(
            "
static const struct hardbop_bytes {{
  int which;
  unsigned key;
  unsigned long offset;
  unsigned length;
  unsigned char bytes[16];
}} hardbop_bytes[] = {{
{}  {{-2, 0, 0, 0, {{0}}}}
}};

void *hardbop_fill(int which, unsigned key, void *at, unsigned long size) {{
  const struct hardbop_bytes *set;
  unsigned i;
  for (set = hardbop_bytes; set->which != -2; set++)
    if (set->which == which && set->key == key && set->offset + set->length <= size)
      for (i = 0; i < set->length; i++)
        ((unsigned char *)at)[set->offset + i] = set->bytes[i];
  return at;
}}
",
            rows.concat()
        );
        if self.allocates() {
            let failing: Vec<String> = self.failing.iter().map(|number| format!("{number}, ")).collect();
            // Writing to a String cannot fail.
            let _ = write!(
                out,
                "
extern void *hardbop_real_malloc(__SIZE_TYPE__) __asm__(\"malloc\");

void *hardbop_malloc(__SIZE_TYPE__ size) {{
  static const unsigned failing[] = {{{}-1u}};
  static unsigned calls;
  unsigned i, call = calls++;
  void *memory;
  for (i = 0; failing[i] != -1u; i++)
    if (failing[i] == call)
      return 0;
  memory = hardbop_real_malloc(size);
  return memory ? hardbop_fill({MEMORY}, call, memory, size) : 0;
}}
",
                failing.concat()
            );
        }
        out
    }
}

/// A value to set, as an element of the table.
fn row(which: &str, key: u32, draw: &Draw) -> String {
    let length = draw.width.div_ceil(8).min(16);
    let bytes: Vec<String> = (0..length).map(|i| format!("{:#x}", draw.value >> (8 * i) & 0xff)).collect();
    let offset = draw.storage.map_or(0, |storage| storage.offset);
    format!("  {{{which}, {key}, {offset}, {length}, {{{}}}}},\n", bytes.join(", "))
}

/// The procedures that variables belong to.
fn owners(program: &Program) -> FxHashMap<VarId, ProcId> {
    let locals = program.procedures.iter().flat_map(|(id, p)| p.locals.iter().map(move |&var| (var, id)));
    locals.collect()
}

/// The variables whose declarations may be passed more than once in an activation.
fn repeated(program: &Program) -> FxHashSet<VarId> {
    let edges = program.procedures.values().flat_map(|procedure| procedure.edges.values());
    edges.filter_map(|edge| renewed(program, &edge.statement)).collect()
}

/// The variable whose declaration a statement is.
fn renewed(program: &Program, statement: &Statement) -> Option<VarId> {
    let Statement::Havoc(place, Arbitrary::Uninitialised) = statement else { return None };
    let place = program.place(*place);
    match place.base {
        PlaceBase::Var(var) if place.path.is_empty() => Some(var),
        _ => None,
    }
}

/// Sees which activation and which allocation values belong to.
struct Watch<'a> {
    copy: &'a Copy<'a>,
    run: &'a Run,
    stack: Vec<Frame>,
    activations: FxHashMap<ProcId, u32>,
    passed: FxHashMap<VarId, u32>,
    allocations: u32,
    /// The numbers of allocations by address, the last for each.
    allocated: FxHashMap<u64, u32>,
    awaited: Option<(VarId, u32)>,
    draws: usize,
    last: Option<(ProcId, hardbop_ir::EdgeId)>,
    variables: BTreeMap<VarId, Vec<(u32, Draw)>>,
    memory: Vec<(u32, Draw)>,
    failing: Vec<u32>,
}

struct Frame {
    procedure: ProcId,
    number: u32,
    passed: FxHashMap<VarId, u32>,
}

impl<'a> Watch<'a> {
    fn new(copy: &'a Copy<'a>, run: &'a Run) -> Self {
        Watch {
            copy,
            run,
            stack: Vec::new(),
            activations: FxHashMap::default(),
            passed: FxHashMap::default(),
            allocations: 0,
            allocated: FxHashMap::default(),
            awaited: None,
            draws: 0,
            last: None,
            variables: BTreeMap::new(),
            memory: Vec::new(),
            failing: Vec::new(),
        }
    }

    /// Attributes draws up to a number, those of the last step only or all.
    fn attribute(&mut self, until: usize, only_last: bool) {
        while let Some(draw) = self.run.draws.get(self.draws).filter(|_| self.draws < until) {
            if only_last && self.last != Some((draw.procedure, draw.edge)) {
                return;
            }
            self.draws += 1;
            let is_uninitialised = matches!(draw.source, DrawSource::Value(_))
                && self.run.kind(draw) == Some(&Arbitrary::Uninitialised);
            let Some(storage) = draw.storage.filter(|_| is_uninitialised) else { continue };
            match storage.variable {
                Some(variable) => {
                    let Some(owner) = self.copy.owners.get(&variable) else { continue };
                    let frame = self.stack.iter().rev().find(|frame| frame.procedure == *owner);
                    let key = match self.copy.repeated.contains(&variable) {
                        true => frame.and_then(|frame| frame.passed.get(&variable).copied()),
                        false => frame.map(|frame| frame.number),
                    };
                    if let Some(key) = key {
                        self.variables.entry(variable).or_default().push((key, *draw));
                    }
                }
                None => {
                    if let Some(&number) = self.allocated.get(&storage.base) {
                        self.memory.push((number, *draw));
                    }
                }
            }
        }
    }

    fn settle(&mut self, view: &View<'_, '_>) {
        let Some((result, number)) = self.awaited.take() else { return };
        match view.variable(result) {
            Ok(Value::Address(0)) => self.failing.push(number),
            Ok(Value::Address(address)) => {
                self.allocated.insert(address, number);
            }
            _ => {}
        }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, view: &View<'_, '_>) {
        self.attribute(view.draws(), true);
        self.settle(view);
        self.stack.truncate(view.depth() + 1);
        while self.stack.len() <= view.depth() {
            let count = self.activations.entry(view.procedure()).or_default();
            let frame = Frame { procedure: view.procedure(), number: *count, passed: FxHashMap::default() };
            *count += 1;
            self.stack.push(frame);
        }
        self.attribute(view.draws(), false);
        let program = view.program();
        let procedure = &program.procedures[view.procedure()];
        let statement = &procedure.edges[view.edge()].statement;
        if let Some(variable) = renewed(program, statement) {
            let count = self.passed.entry(variable).or_default();
            if let Some(frame) = self.stack.last_mut() {
                frame.passed.insert(variable, *count);
            }
            *count += 1;
        }
        if let Statement::Allocate { result, kind: MemoryKind::Heap, .. } = statement
            && procedure.span.file == self.copy.file
        {
            self.awaited = Some((*result, self.allocations));
            self.allocations += 1;
        }
        self.last = Some((view.procedure(), view.edge()));
    }
}
