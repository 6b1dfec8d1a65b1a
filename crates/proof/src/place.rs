//! Names of procedures, locations, edges and variables that survive another lowering.
//!
//! Lowering is deterministic, so numbers suffice; the source position beside them is checked, so that a proof for
//! another text is not taken for one of this.

use hardbop_base::text::Parse;
use hardbop_base::{Id, Span};
use hardbop_ir::{EdgeId, LocationId, ProcId, Program, VarId};
use hardbop_predicate::own_variables;

use crate::cursor::{Cursor, Pieces, quoted, spelled};

/// `file:line:column` of what the programmer wrote, the file without folders; empty where there is none.
pub fn span_position(program: &Program, span: Span) -> String {
    if span.is_none() {
        return String::new();
    }
    let origin = program.files.origin(span);
    let file = origin.file.rsplit('/').next().unwrap_or_default();
    format!("{file}:{}:{}", origin.line, origin.column)
}

/// The position of the first edge that leaves a location, or else that enters it.
pub fn location_position(program: &Program, procedure: ProcId, location: LocationId) -> String {
    let edges = || program.procedures[procedure].edges.values();
    let leaving = edges().find(|edge| edge.source == location);
    let edge = leaving.or_else(|| edges().find(|edge| edge.target == location));
    edge.map_or_else(String::new, |edge| span_position(program, edge.span))
}

/// The position of an edge.
pub fn edge_position(program: &Program, procedure: ProcId, edge: EdgeId) -> String {
    span_position(program, program.procedures[procedure].edges[edge].span)
}

/// A procedure as it is written.
pub(crate) fn procedure_name(program: &Program, procedure: ProcId) -> String {
    spelled(&program.procedures[procedure].name)
}

/// `L12 "a.c:3:5"`
pub(crate) fn location(program: &Program, procedure: ProcId, location: LocationId) -> String {
    format!("L{} {}", location.index(), quoted(&location_position(program, procedure, location)))
}

/// `E12 "a.c:3:5"`
pub(crate) fn edge(program: &Program, procedure: ProcId, edge: EdgeId) -> String {
    format!("E{} {}", edge.index(), quoted(&edge_position(program, procedure, edge)))
}

/// Reads the name of a procedure that has a body.
pub(crate) fn parse_procedure(cursor: &mut Cursor<'_>, program: &Program) -> Parse<ProcId> {
    let span = cursor.here();
    let name = cursor.name("the name of a procedure")?;
    let found = program.procedures.iter().find(|(_, p)| p.name == name);
    match found {
        Some((id, p)) if p.external.is_none() => Ok(id),
        Some(_) => Err(cursor.error(span, format!("`{name}` has no body"))),
        None => Err(cursor.error(span, format!("the program has no procedure `{name}`"))),
    }
}

/// Reads a location of a procedure with its position.
pub(crate) fn parse_location(
    cursor: &mut Cursor<'_>,
    program: &Program,
    procedure: ProcId,
) -> Parse<LocationId> {
    let span = cursor.here();
    let number = cursor.numbered('L', "a location like `L12`")?;
    let p = &program.procedures[procedure];
    if number >= p.locations.len() {
        return Err(cursor.error(span, format!("`{}` has no location {number}", p.name)));
    }
    let location = Id::from_usize(number);
    check_position(cursor, &location_position(program, procedure, location))?;
    Ok(location)
}

/// Reads an edge of a procedure with its position.
pub(crate) fn parse_edge(cursor: &mut Cursor<'_>, program: &Program, procedure: ProcId) -> Parse<EdgeId> {
    let span = cursor.here();
    let number = cursor.numbered('E', "an edge like `E12`")?;
    let p = &program.procedures[procedure];
    if number >= p.edges.len() {
        return Err(cursor.error(span, format!("`{}` has no edge {number}", p.name)));
    }
    let edge = Id::from_usize(number);
    check_position(cursor, &edge_position(program, procedure, edge))?;
    Ok(edge)
}

/// Reads a position and compares it with where the thing is.
fn check_position(cursor: &mut Cursor<'_>, actual: &str) -> Parse<()> {
    let span = cursor.here();
    let said = cursor.text("a position in quotes")?;
    if said == actual {
        return Ok(());
    }
    let place = if actual.is_empty() { "nowhere in the source".to_owned() } else { format!("at {actual}") };
    Err(cursor.error(span, format!("this is {place} in the program")))
}

/// Reads the name of a global variable.
pub(crate) fn parse_global(cursor: &mut Cursor<'_>, program: &Program) -> Parse<VarId> {
    let span = cursor.here();
    let name = cursor.name("the name of a variable")?;
    let found = program.globals.iter().copied().find(|&var| program.variables[var].name == name);
    found.ok_or_else(|| cursor.error(span, format!("the program has no global variable `{name}`")))
}

/// Reads the name of a variable of a procedure.
pub(crate) fn parse_own(cursor: &mut Cursor<'_>, program: &Program, procedure: ProcId) -> Parse<VarId> {
    let span = cursor.here();
    let name = cursor.name("the name of a variable")?;
    let p = &program.procedures[procedure];
    let found = own_variables(p).find(|&var| program.variables[var].name == name);
    found.ok_or_else(|| cursor.error(span, format!("`{}` has no variable `{name}`", p.name)))
}
