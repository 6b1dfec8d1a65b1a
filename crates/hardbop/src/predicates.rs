//! Predicates of a file, and what can be written to one.

use std::path::Path;

use hardbop_base::{Diagnostics, Sources};
use hardbop_ir::{Program, VarId, VarKind};
use hardbop_predicate::variables;
use hardbop_predicate::{Predicate, Scope, parse_predicates};

use crate::{Failure, input, output};

/// Reads a file of predicates, if there is one. Its errors are printed.
pub fn read(
    file: Option<&Path>,
    sources: &mut Sources,
    program: &Program,
) -> Result<Vec<Predicate>, Failure> {
    let Some(file) = file else { return Ok(Vec::new()) };
    parse(&file.display().to_string(), &input::read_text(file)?, sources, program)
}

/// Reads the predicates of a text. Its errors are printed, with the name.
pub fn parse(
    name: &str,
    text: &str,
    sources: &mut Sources,
    program: &Program,
) -> Result<Vec<Predicate>, Failure> {
    let id = sources.add(name.to_owned(), text);
    let mut diagnostics = Diagnostics::new();
    let predicates = parse_predicates(program, id, text, &mut diagnostics);
    complain(&diagnostics, sources)?;
    Ok(predicates)
}

/// Prints messages; errors among them are a failure.
pub fn complain(diagnostics: &Diagnostics, sources: &Sources) -> Result<(), Failure> {
    if !diagnostics.is_empty() {
        output::report(&diagnostics.render(sources));
    }
    if diagnostics.has_errors() { Err(Failure::InputReported) } else { Ok(()) }
}

/// Those predicates that can be written down: a local of one procedure has no name elsewhere.
pub fn nameable(program: &Program, predicates: &[Predicate]) -> Vec<Predicate> {
    let global = |var: VarId| matches!(program.variables[var].kind, VarKind::Global | VarKind::Static);
    let has_name = |predicate: &Predicate| {
        predicate.scope != Scope::Global || variables(program, predicate.expr).into_iter().all(global)
    };
    predicates.iter().copied().filter(has_name).collect()
}
