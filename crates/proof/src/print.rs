//! Printing of whole proofs.

use std::fmt::Write;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_certify::backward::{Backward, Point, at_exit, changes};
use hardbop_certify::proof::{Proof, Relation};
use hardbop_ir::{LocationId, Order, ProcId, Program, Property};
use hardbop_predicate::{Ghost, instrument_ghosts, sections};
use hardbop_semantics::{Encoder, Subject};
use rustc_hash::FxHashMap;

use crate::cursor::{quoted, spelled};
use crate::place::{edge, location, procedure_name};
use crate::{Header, Kind, RunInputs, header, relation, terms};

/// Why a proof cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unprintable {
    /// It has something that the format has no words for.
    NoWords(String),
    /// A limit was reached.
    Stopped(Stop),
}

impl From<Stop> for Unprintable {
    fn from(stop: Stop) -> Self {
        Unprintable::Stopped(stop)
    }
}

impl std::fmt::Display for Unprintable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unprintable::NoWords(why) => f.write_str(why),
            Unprintable::Stopped(stop) => stop.fmt(f),
        }
    }
}

/// Evidence that is to be written.
#[derive(Debug, Clone, Copy)]
pub enum Shown<'a> {
    /// Relations for each cut point.
    Invariants(&'a Proof),
    /// Sets of failing states, and summaries.
    Backward(&'a Backward),
    /// A bound within which all runs end.
    Unrolled(u64),
    /// A run that reaches an error.
    Run(&'a RunInputs),
}

impl Shown<'_> {
    /// Its kind.
    pub fn kind(self) -> Kind {
        match self {
            Shown::Invariants(_) => Kind::Invariants,
            Shown::Backward(_) => Kind::Backward,
            Shown::Unrolled(_) => Kind::Unrolled,
            Shown::Run(_) => Kind::Run,
        }
    }
}

/// The text of a proof. `loaded` is the program that the proof is for; the evidence is about `found`, which is that
/// program with further expressions and perhaps with ghosts.
pub fn print(
    header: &Header,
    loaded: &Program,
    found: &Program,
    evidence: Shown<'_>,
    budget: &Budget,
) -> Result<String, Unprintable> {
    let mut out = String::new();
    header::print(header, &mut out);
    match evidence {
        Shown::Invariants(proof) => invariants(&mut out, loaded, found, proof)?,
        Shown::Backward(proof) => {
            let alias = Alias::of(found, budget)?;
            let regions = Regions::of(found, &alias, &[], budget)?;
            backward(&mut out, Subject { program: found, alias: &alias, regions: &regions }, proof)?;
        }
        // Writing to a String cannot fail.
        Shown::Unrolled(steps) => _ = writeln!(out, "steps {steps};"),
        Shown::Run(run) => inputs(&mut out, loaded, run),
    }
    Ok(out)
}

fn invariants(out: &mut String, loaded: &Program, found: &Program, proof: &Proof) -> Result<(), Unprintable> {
    let mut program = loaded.overlay();
    for ghost in &proof.ghosts {
        out.push_str(&ghost_text(&program, ghost));
        program = instrument_ghosts(&program, std::slice::from_ref(ghost))
            .map_err(|fault| Unprintable::NoWords(fault.to_string()))?;
    }
    let gap = if proof.ghosts.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "{gap}start {};\n", procedure_name(&program, proof.entry));
    let numbers = predicates(out, found, proof)?;
    let mut by_procedure: Vec<(ProcId, Vec<(LocationId, &Relation)>)> = Vec::new();
    for (id, p) in program.procedures.iter().filter(|(_, p)| p.external.is_none()) {
        let order = Order::of(p);
        let mut own = Vec::new();
        for (&(_, at), relation) in proof.relations.iter().filter(|((of, _), _)| *of == id) {
            if p.locations.get(at).is_some() && (order.is_cut(at) || at == p.entry || at == p.exit) {
                own.push((at, relation));
            }
        }
        own.sort_unstable_by_key(|&(at, _)| at.index());
        by_procedure.push((id, own));
    }
    for (id, own) in by_procedure.into_iter().filter(|(_, own)| !own.is_empty()) {
        let _ = writeln!(out, "\nrelations {} {{", procedure_name(&program, id));
        for (at, relation) in own {
            let role = role(&program, id, at);
            let text = relation::print(relation, &numbers, "    ");
            let _ = writeln!(out, "  {role} {}:{text}", location(&program, id, at));
        }
        out.push_str("}\n");
    }
    Ok(())
}

/// `ghost f "$ghost_x_12" of x at L12 "a.c:3:5";`
fn ghost_text(program: &Program, ghost: &Ghost) -> String {
    format!(
        "ghost {} {} of {} at {};\n",
        procedure_name(program, ghost.procedure),
        spelled(&ghost.name),
        spelled(&program.variables[ghost.of].name),
        location(program, ghost.procedure, ghost.location)
    )
}

/// What a cut point is.
pub(crate) fn role(program: &Program, procedure: ProcId, location: LocationId) -> &'static str {
    let p = &program.procedures[procedure];
    match location {
        at if at == p.entry => "entry",
        at if at == p.exit => "exit",
        _ => "loop",
    }
}

/// Writes the predicates; their numbers in the text.
fn predicates(out: &mut String, found: &Program, proof: &Proof) -> Result<Vec<usize>, Unprintable> {
    let sections = sections(found, &proof.predicates).map_err(|i| {
        let shown = found.show_expr(proof.predicates[i].expr);
        Unprintable::NoWords(format!("the predicate `{shown}` speaks of variables of several procedures"))
    })?;
    let mut numbers = vec![0; proof.predicates.len()];
    let mut next = 0;
    out.push_str("predicates {\n");
    for section in sections {
        let _ = write!(out, "  {}:", section.heading);
        let last = section.predicates.len().saturating_sub(1);
        for (at, (i, text)) in section.predicates.into_iter().enumerate() {
            let end = if at == last { ";" } else { "," };
            let _ = write!(out, "\n    /* p{next} */ {text}{end}");
            numbers[i] = next;
            next += 1;
        }
        out.push('\n');
    }
    out.push_str("}\n");
    Ok(numbers)
}

fn backward(out: &mut String, subject: Subject<'_>, proof: &Backward) -> Result<(), Unprintable> {
    let program = subject.program;
    // Symbols of another encoder have the same names.
    let mut encoder = Encoder::default();
    let mut exits = FxHashMap::default();
    for &unit in &proof.units {
        for cell in changes(&mut encoder, subject, unit) {
            let symbol = at_exit(&mut encoder, subject, cell);
            exits.extend(encoder.terms.symbol_name(symbol).map(|name| (name.to_owned(), cell)));
        }
    }
    let units: Vec<String> = proof.units.iter().map(|&unit| procedure_name(program, unit)).collect();
    let _ = writeln!(out, "units {{ {} }}", units.join(" "));
    let mut points: Vec<&Point> = proof.claims.keys().collect();
    points.sort_unstable();
    for point in points {
        let claim = proof.claims[point];
        let symbols = terms::Symbols { program, encoder: &proof.encoder, exits: &exits };
        let roots = [("fails", claim.fails), ("returns", claim.returns)];
        let text = terms::print(&symbols, &roots, "  ")
            .ok_or_else(|| Unprintable::NoWords("a claim speaks of a value that has no name".to_owned()))?;
        let _ = writeln!(out, "\npoint {} {{{text}\n}}", point_text(program, point));
    }
    Ok(())
}

/// `f entry`, or `f through f E3 "a.c:3:5" in g loop L4 "a.c:9:1"`
fn point_text(program: &Program, point: &Point) -> String {
    let mut text = procedure_name(program, point.unit);
    for &(caller, call) in &point.calls {
        let _ = write!(text, " through {} {}", procedure_name(program, caller), edge(program, caller, call));
    }
    let _ = write!(text, " in {}", procedure_name(program, point.procedure));
    match point.head {
        None => text.push_str(" entry"),
        Some(head) => _ = write!(text, " loop {}", location(program, point.procedure, head)),
    }
    text
}

fn inputs(out: &mut String, program: &Program, run: &RunInputs) {
    let error = &run.error;
    let (word, name) = match &error.property {
        Property::ErrorFunction(name) => ("function", name),
        Property::Assertion(text) => ("assertion", text),
        Property::ErrorLabel(name) => ("label", name),
    };
    let place =
        |procedure, at| format!("{} {}", procedure_name(program, procedure), edge(program, procedure, at));
    let _ = writeln!(out, "steps {};", run.steps);
    let _ = writeln!(out, "error {word} {} in {};", quoted(name), place(error.procedure, error.edge));
    out.push_str("inputs {\n");
    for input in &run.inputs {
        let at = place(input.procedure, input.edge);
        let _ = writeln!(out, "  {} bits {} in {at};", input.value, input.width);
    }
    out.push_str("}\n");
}
