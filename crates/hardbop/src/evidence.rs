//! Evidence as files: harnesses and witnesses, written whole or not at all.

use std::path::Path;

use hardbop_base::Budget;
use hardbop_ir::Program;
use hardbop_ir::interpret::Run;
use hardbop_report::harness;

use crate::frontend::About;
use crate::{Failure, output};

/// Writes the harness for a run that reached an error, and says what is left to do; whether there is one.
pub fn write_harness(
    file: &Path,
    program: &Program,
    about: &About,
    run: &Run,
    budget: &Budget,
) -> Result<bool, Failure> {
    let files: Vec<String> = about.inputs.iter().map(|input| input.display().to_string()).collect();
    let subject = harness::Subject {
        program,
        entry: &about.specification.entry,
        files: &files,
        undefined_functions: &about.undefined.functions,
        undefined_objects: &about.undefined.objects,
    };
    let Some(harness) = harness::harness(&subject, run, budget) else { return Ok(false) };
    for note in &harness.notes {
        output::complain(&format!("{}: {note}", file.display()));
    }
    for lost in &harness.not_reproduced {
        output::complain(&format!("{}: not reproduced: {lost}", file.display()));
    }
    output::write(file, harness.text)?;
    Ok(true)
}
