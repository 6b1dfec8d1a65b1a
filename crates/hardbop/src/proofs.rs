//! Proofs as files: what their headers say, and whether that is said of a program.

use std::path::{Path, PathBuf};

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_certify::unrolled;
use hardbop_ir::Program;
use hardbop_proof::{Header, Input, Kind, RunInputs, Shown, Unprintable, fingerprint, print, sha256};
use hardbop_semantics::Subject;
use hardbop_solver::certifiers;
use hardbop_verdict::{CheckOutcome, Evidence, Verdict};

use crate::frontend::About;
use crate::{Failure, input, output};

/// The bound of an unrolling whose steps there was no time to count.
const MAX_STEPS: u64 = 10_000_000;

/// Writes the proof of a verdict; if there is none, or it cannot be written, says so.
pub fn write(
    file: &Path,
    loaded: &Program,
    outcome: &CheckOutcome,
    about: &About,
    budget: &Budget,
) -> Result<(), Failure> {
    let run;
    let shown = match &outcome.verdict {
        Verdict::True(Evidence::Invariants(proof)) => Shown::Invariants(proof),
        Verdict::True(Evidence::Backward(evidence)) => Shown::Backward(&evidence.proof),
        Verdict::True(Evidence::Unrolled(..)) => Shown::Unrolled(steps(loaded, budget)),
        Verdict::False(counterexample) => match RunInputs::of(&counterexample.run) {
            Some(found) => {
                run = found;
                Shown::Run(&run)
            }
            None => return Ok(()),
        },
        Verdict::Unknown(_) => return Ok(()),
    };
    let header = header(shown.kind(), loaded, about)?;
    match print(&header, loaded, &outcome.program, shown, budget) {
        Ok(text) => output::write(file, text),
        Err(Unprintable::Stopped(_)) => {
            output::complain(&format_args!("{}: not written, for lack of time", file.display()));
            Ok(())
        }
        Err(Unprintable::NoWords(why)) => {
            output::complain(&format_args!("{}: this proof cannot be written: {why}", file.display()));
            Ok(())
        }
    }
}

/// How many steps of execution it takes to see that all runs end.
fn steps(program: &Program, budget: &Budget) -> u64 {
    let counted = || -> Result<Option<u64>, Stop> {
        let alias = Alias::of(program, budget)?;
        let regions = Regions::of(program, &alias, &[], budget)?;
        let subject = Subject { program, alias: &alias, regions: &regions };
        let mut solvers = certifiers(program.uses_integers(), budget);
        Ok(unrolled::examine(subject, MAX_STEPS, &mut solvers, budget).ok().map(|checked| checked.steps))
    };
    counted().ok().flatten().unwrap_or(MAX_STEPS)
}

/// What a proof about a program says of it.
fn header(kind: Kind, program: &Program, about: &About) -> Result<Header, Failure> {
    Ok(Header {
        kind,
        producer: format!("hardbop {}", env!("CARGO_PKG_VERSION")),
        inputs: about.inputs.iter().map(hashed).collect::<Result<_, _>>()?,
        options: options(program, about),
        program: fingerprint(program),
    })
}

/// That a program is made from files, which can be read once more.
pub fn need_files(files: &[PathBuf]) -> Result<(), Failure> {
    if files.iter().any(|file| file == Path::new("-")) {
        return Err(Failure::Usage("a proof is for files, not for standard input".into()));
    }
    Ok(())
}

fn hashed(file: &PathBuf) -> Result<Input, Failure> {
    need_files(std::slice::from_ref(file))?;
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(Input { name, sha256: sha256(&input::read_bytes(file)?) })
}

/// What determines the program besides its files.
fn options(program: &Program, about: &About) -> Vec<(String, Vec<String>)> {
    let specification = &about.specification;
    let assertions = if specification.assertions { "count" } else { "end the run" };
    let mut options = vec![
        ("data-model", vec![program.data_model.name().to_owned()]),
        ("entry", vec![specification.entry.clone()]),
        ("error-function", specification.functions.clone()),
        ("error-label", specification.labels.clone()),
        ("assertions", vec![assertions.to_owned()]),
    ];
    options.extend(about.meaning.iter().map(|(name, value)| (*name, vec![value.clone()])));
    options.into_iter().map(|(name, values)| (name.to_owned(), values)).collect()
}

/// That a header speaks of a program, or what it says otherwise.
pub fn matches(header: &Header, program: &Program, about: &About) -> Result<Result<(), String>, Failure> {
    let actual = self::header(header.kind, program, about)?;
    Ok(differs(header, &actual))
}

fn differs(said: &Header, actual: &Header) -> Result<(), String> {
    let counts = [said.inputs.len(), actual.inputs.len()];
    if counts[0] != counts[1] {
        return Err(format!("it is about a program of {} files, not of {}", counts[0], counts[1]));
    }
    for (said, actual) in said.inputs.iter().zip(&actual.inputs) {
        if said.sha256 != actual.sha256 {
            let name = if said.name == actual.name { "other contents" } else { "another file" };
            return Err(format!(
                "it is about {name}: `{}` is not the `{}` that it names",
                actual.name, said.name
            ));
        }
    }
    for (name, values) in &actual.options {
        let found = said.options.iter().find(|(other, _)| other == name).map(|(_, values)| values);
        if found != Some(values) {
            let found = found.map_or("nothing".to_owned(), |values| listed(values));
            return Err(format!("it is about another program: {name} is {}, not {found}", listed(values)));
        }
    }
    if let Some((name, _)) =
        said.options.iter().find(|(name, _)| actual.options.iter().all(|(a, _)| a != name))
    {
        return Err(format!("it is about another program: it has the option {name}"));
    }
    if said.program != actual.program {
        let why = "it is about another program: the same files were read otherwise, by another version of hardbop \
                   or with other options for the preprocessor";
        return Err(why.to_owned());
    }
    Ok(())
}

fn listed(values: &[String]) -> String {
    if values.is_empty() { "none".to_owned() } else { format!("`{}`", values.join("`, `")) }
}
