//! What `reach` has to say, as text for people and as JSON for programs.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use hardbop_bp::{Action, Flow, State, Trace, VarKind};
use hardbop_reach::{Answer, Report, Stat};
use serde::Serialize;

use super::invariants::{Cubes, Invariants, LocationStates, ProcedureStates};

/// The result of one run of the command.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    program: String,
    pub(super) property: Property,
    engine: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) values: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    focus: Option<String>,
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invariants: Option<Invariants>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<BTreeMap<&'static str, String>>,
    /// What the text report has in the places of trace, invariants and stats.
    #[serde(skip)]
    sections: Vec<String>,
}

/// What is asked.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Property {
    /// No assertion can fail.
    Assertion,
    /// A label cannot be reached.
    Label { label: String },
}

/// Whether the property holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Verdict {
    True,
    False,
    Unknown,
}

#[derive(Debug, Serialize)]
struct TraceDocument {
    start: StateDocument,
    steps: Vec<StepDocument>,
}

#[derive(Debug, Serialize)]
struct StepDocument {
    /// `step`, `call` or `return`.
    action: &'static str,
    line: u32,
    column: u32,
    text: String,
    /// Of a condition: whether it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<bool>,
    /// The state afterwards.
    state: StateDocument,
}

#[derive(Debug, Serialize)]
struct StateDocument {
    procedure: String,
    depth: usize,
    globals: BTreeMap<String, bool>,
    /// Without results, except at the exit.
    locals: BTreeMap<String, bool>,
}

impl Property {
    /// The property as a sentence.
    fn text(&self) -> String {
        self.cannot_happen(false)
    }

    pub(super) fn cannot_happen(&self, nothing_to_fail: bool) -> String {
        match self {
            Property::Assertion if nothing_to_fail => "there is no assertion".to_owned(),
            Property::Assertion => "no assertion can fail".to_owned(),
            Property::Label { label } => format!("label {label} cannot be reached"),
        }
    }

    pub(super) fn can_happen(&self) -> String {
        match self {
            Property::Assertion => "an assertion can fail".to_owned(),
            Property::Label { label } => format!("label {label} can be reached"),
        }
    }

    pub(super) fn happens(&self, flow: &Flow, trace: &Trace) -> String {
        let steps = count(trace.len(), "step");
        match self {
            Property::Assertion => {
                let line = trace.steps.last().map_or(0, |step| flow.edges[step.action.edge()].span.line);
                format!("the assertion of line {line} fails after {steps}")
            }
            Property::Label { label } => format!("label {label} is reached after {steps}"),
        }
    }
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

impl Document {
    /// A document without a verdict.
    pub(super) fn new(
        program: String,
        property: Property,
        engine: String,
        values: Option<String>,
        focus: Option<String>,
    ) -> Self {
        Document {
            program,
            property,
            engine,
            values,
            focus,
            verdict: Verdict::Unknown,
            reason: String::new(),
            trace: None,
            invariants: None,
            stats: None,
            sections: Vec::new(),
        }
    }

    /// Adds the trace of an answer, or says that there is none.
    pub(super) fn add_trace(&mut self, flow: &Flow, report: &Report) {
        let Answer::Reachable(Some(trace)) = &report.answer else {
            self.sections
                .push("no trace: these values have none, or it is too long to be printed\n".to_owned());
            return;
        };
        let title = format!("trace of {}:\n", count(trace.len(), "step"));
        self.sections.push(title + &indented(&trace.display(flow).to_string()));
        self.trace = Some(trace_document(flow, trace));
    }

    /// Adds the reachable states, or says that there are none.
    pub(super) fn add_invariants(&mut self, invariants: Option<Invariants>) {
        self.sections.push(match &invariants {
            Some(invariants) => invariants_text(invariants),
            None => "no invariants: the engine did not get that far, or computes none\n".to_owned(),
        });
        self.invariants = invariants;
    }

    /// Adds figures.
    pub(super) fn add_stats(&mut self, stats: &[Stat]) {
        let width = stats.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let lines: Vec<String> =
            stats.iter().map(|(name, value)| format!("  {name:width$}  {value}\n")).collect();
        self.sections.push(format!("statistics:\n{}", lines.concat()));
        self.stats = Some(stats.iter().cloned().collect());
    }

    /// The document as JSON, with a line break at the end.
    pub(super) fn to_json(&self) -> String {
        // Maps have strings as keys and nothing else can fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl Display for Document {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "program:  {}", self.program)?;
        writeln!(f, "property: {}", self.property.text())?;
        write!(f, "engine:   {}", self.engine)?;
        if let Some(values) = &self.values {
            write!(f, ", {values} values")?;
        }
        if let Some(focus) = &self.focus {
            write!(f, ", focus {focus}")?;
        }
        writeln!(f)?;
        for section in &self.sections {
            write!(f, "\n{section}")?;
        }
        if !self.sections.is_empty() {
            writeln!(f)?;
        }
        writeln!(f, "reason:   {}", self.reason)?;
        writeln!(f, "VERDICT: {}", self.verdict)
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::True => "TRUE",
            Verdict::False => "FALSE",
            Verdict::Unknown => "UNKNOWN",
        })
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn trace_document(flow: &Flow, trace: &Trace) -> TraceDocument {
    let steps = trace.steps.iter().map(|step| {
        let edge = &flow.edges[step.action.edge()];
        StepDocument {
            action: match step.action {
                Action::Edge(_) => "step",
                Action::Call(_) => "call",
                Action::Return(_) => "return",
            },
            line: edge.span.line,
            column: edge.span.column,
            text: edge.text.to_string(),
            holds: edge.branch,
            state: state_document(flow, &step.state),
        }
    });
    TraceDocument { start: state_document(flow, &trace.start), steps: steps.collect() }
}

fn state_document(flow: &Flow, state: &State) -> StateDocument {
    let procedure = flow.procedure_of(state.location);
    let at_exit = procedure.exit == state.location;
    let named = |&variable| {
        let found = &flow.variables[variable];
        let shown = at_exit || found.kind != VarKind::Result;
        shown.then(|| (found.name.clone(), state.value(flow, variable)))
    };
    StateDocument {
        procedure: procedure.name.clone(),
        depth: state.depth,
        globals: flow.globals.iter().filter_map(named).collect(),
        locals: procedure.locals.iter().filter_map(named).collect(),
    }
}

fn invariants_text(invariants: &Invariants) -> String {
    let mut text = "reachable states:\n".to_owned();
    for procedure in &invariants.procedures {
        text += &procedure_text(procedure);
    }
    text += "\nsummaries, from values at entry (x) to values at exit ('x):\n";
    let head = |p: &ProcedureStates| format!("  {}({})", p.name, p.formals.join(", "));
    let summary = |p: &ProcedureStates| described(p.summary.as_ref(), "never returns");
    text + &table(invariants.procedures.iter().map(|p| (head(p), summary(p))).collect())
}

fn procedure_text(procedure: &ProcedureStates) -> String {
    if procedure.locations.iter().all(|location| location.states.is_none()) {
        return format!("  {}: never entered\n", procedure.name);
    }
    let head = |location: &LocationStates| {
        let line = location.line.map_or("     ".to_owned(), |line| format!("{line:>4}:"));
        let labels: String = location.labels.iter().map(|label| format!("{label}: ")).collect();
        format!("  {line} {labels}{}", location.text)
    };
    let states = |location: &LocationStates| described(location.states.as_ref(), "unreachable");
    let rows = procedure.locations.iter().map(|location| (head(location), states(location)));
    format!("  {}:\n{}", procedure.name, table(rows.collect()))
}

/// Longer heads get a line of their own.
const MAX_HEAD: usize = 40;

/// Longer disjunctions are written one cube per line.
const MAX_LINE: usize = 60;

/// The disjunction as one line or several.
fn described(cubes: Option<&Cubes>, nothing: &str) -> Vec<String> {
    let Some(cubes) = cubes else { return vec![nothing.to_owned()] };
    let mut lines = cubes.lines();
    let line = lines.join(" | ");
    if line.chars().count() <= MAX_LINE {
        return vec![line];
    }
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "| "));
    lines
}

/// Two columns: a head, and lines that belong to it.
fn table(rows: Vec<(String, Vec<String>)>) -> String {
    let length = |head: &String| head.chars().count();
    let width = rows.iter().map(|(head, _)| length(head)).max().unwrap_or(0).min(MAX_HEAD);
    let mut text = String::new();
    for (head, lines) in rows {
        let mut head = if length(&head) > width {
            text += &format!("{head}\n");
            String::new()
        } else {
            head
        };
        for line in lines {
            let gap = if line.starts_with('|') { "" } else { "  " };
            text += &format!("{head:width$}{gap}{line}\n");
            head.clear();
        }
    }
    text
}
