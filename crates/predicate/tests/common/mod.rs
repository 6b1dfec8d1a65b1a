//! Programs for the tests of predicates.

use hardbop_base::{DataModel, Diagnostics, Sources};
use hardbop_ir::Program;
use hardbop_predicate::{Predicate, parse_predicates};

/// Lowers a C program.
pub fn lowered(text: &str, model: DataModel) -> Result<(Program, Sources), String> {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(model);
    let unit = match hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1 {
        Ok((unit, _)) => unit,
        Err(errors) => return Err(errors.render(&sources)),
    };
    match hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default()) {
        Ok(program) => Ok((program, sources)),
        Err(errors) => Err(errors.render(&sources)),
    }
}

/// Reads predicates; the messages as they are shown.
pub fn read(program: &Program, text: &str) -> (Vec<Predicate>, String) {
    let mut sources = Sources::new();
    let file = sources.add("t.preds", text);
    let mut diagnostics = Diagnostics::new();
    let predicates = parse_predicates(program, file, text, &mut diagnostics);
    (predicates, diagnostics.render(&sources))
}
