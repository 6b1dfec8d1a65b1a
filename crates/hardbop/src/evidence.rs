//! Evidence as files: harnesses and witnesses, written whole or not at all.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hardbop_base::{Budget, Sources};
use hardbop_certify::proof::Proof;
use hardbop_ir::Program;
use hardbop_ir::interpret::Run;
use hardbop_report::{harness, witness};
use hardbop_verdict::AtLoop;

use crate::frontend::About;
use crate::{Failure, input, output};

/// Writes the harness for a run that reached an error, and says what is left to do; whether there is one.
pub fn write_harness(
    file: &Path,
    program: &Program,
    sources: &Sources,
    about: &About,
    run: &Run,
    budget: &Budget,
) -> Result<bool, Failure> {
    let files: Vec<String> = about.inputs.iter().map(|input| input.display().to_string()).collect();
    let subject = harness::Subject {
        program,
        sources,
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

/// Writes a witness for a run that reached an error; nothing if the budget does not suffice.
pub fn write_violation(
    file: &Path,
    program: &Program,
    sources: &Sources,
    about: &About,
    run: &Run,
    budget: &Budget,
) -> Result<bool, Failure> {
    let places = places(sources, about);
    let Some(violation) = witness::violation_of(program, &places, run, budget) else { return Ok(false) };
    let metadata = metadata(program, about)?;
    output::write(file, witness::violation(&metadata, &violation))?;
    Ok(true)
}

/// Where the invariants of loops come from.
#[derive(Debug, Clone, Copy)]
pub enum InvariantSource<'a> {
    /// A proof.
    Proof(&'a Proof),
    /// What is known at loops.
    Loops(&'a [AtLoop]),
}

/// Writes a witness for a proof; without invariants if there are none.
pub fn write_correctness(
    file: &Path,
    program: &Program,
    sources: &Sources,
    about: &About,
    source: InvariantSource<'_>,
) -> Result<bool, Failure> {
    let places = places(sources, about);
    let invariants = match source {
        InvariantSource::Proof(proof) => witness::invariants_of(program, &places, proof),
        InvariantSource::Loops(loops) => witness::invariants_at(program, &places, loops),
    };
    let metadata = metadata(program, about)?;
    output::write(file, witness::correctness(&metadata, &invariants))?;
    Ok(true)
}

fn places<'a>(sources: &'a Sources, about: &About) -> witness::Places<'a> {
    let files = about.inputs.iter().map(|input| input.display().to_string()).collect();
    witness::Places { sources, files, preprocessed: about.preprocessed }
}

fn metadata(program: &Program, about: &About) -> Result<witness::Metadata, Failure> {
    let mut input_files = Vec::new();
    for input in &about.inputs {
        input_files.push(witness::InputFile::new(input.display().to_string(), &input::read_bytes(input)?));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = format!("{} {} {input_files:?}", now.as_nanos(), std::process::id());
    Ok(witness::Metadata {
        uuid: uuid(&witness::sha256(seed.as_bytes())),
        creation_time: iso_8601(now.as_secs()),
        producer: witness::Producer {
            name: "Hardbop".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        input_files,
        specification: about.specification.property_file(),
        data_model: program.data_model,
    })
}

/// Random digits in the form of a UUID of version 4.
fn uuid(digits: &str) -> String {
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-a{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}

/// Seconds since 1970 as date and time in UTC.
fn iso_8601(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Howard Hinnant, "chrono-compatible low-level date algorithms": years start in March.
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * m + 2) / 5 + 1;
    let month = if m < 10 { m + 3 } else { m - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(iso_8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_8601(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso_8601(1_717_151_611), "2024-05-31T10:33:31Z");
        assert_eq!(iso_8601(4_102_444_799), "2099-12-31T23:59:59Z");
    }

    #[test]
    fn identifiers_have_the_usual_form() {
        let id = uuid(&witness::sha256(b"x"));
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!((id.as_bytes()[14], id.as_bytes()[19]), (b'4', b'a'));
    }
}
