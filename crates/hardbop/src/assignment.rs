//! What to work on: the options of the command line, a task definition and a property file together.
//!
//! A task definition (`.yml`) names the C files, the properties and, in version 2.0, the data model. A
//! property file (`.prp`) says what counts as an error. Where the command line says the same, it must not
//! say something else: a verdict about another program than the task means would be a wrong verdict.

use std::path::{Path, PathBuf};

use hardbop_base::{DataModel, Diagnostics, Sources};
use hardbop_instrument::{Specification, prp, task};

use crate::frontend::{FrontEnd, Language, reported};
use crate::{Failure, input};

/// What to work on.
pub struct Assignment {
    /// The files of the program.
    pub files: Vec<PathBuf>,
    /// The data model for C files.
    pub data_model: DataModel,
    /// Which errors count; `None` if it is not given.
    pub specification: Option<Specification>,
    /// Whether the conventions of SV-COMP apply.
    pub sv_comp: bool,
    /// The verdict that a task definition states.
    pub expected: Option<bool>,
}

impl Assignment {
    /// Reads the task definition and the property file, if there are any.
    pub fn of(given: &FrontEnd) -> Result<Assignment, Failure> {
        match &given.files[..] {
            [file] if is_task(file) => of_task(given, file),
            files => of_files(given, files),
        }
    }
}

fn is_task(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}

fn of_files(given: &FrontEnd, files: &[PathBuf]) -> Result<Assignment, Failure> {
    if let Some(file) = files.iter().find(|file| is_task(file)) {
        return Err(Failure::Usage(format!("{}: a task definition stands alone", file.display())));
    }
    let specification = match &given.property {
        Some(file) => {
            let named = read_property(file)?;
            Some(match Language::of(given.first()) {
                // The entry of a program in text form is its own.
                Language::TextForm => named,
                Language::X => {
                    let reason = "a property file is about C functions; see --error-label for X programs";
                    return Err(Failure::Usage(format!("{}: {reason}", given.first().display())));
                }
                Language::C => with_entry(given, named, file)?,
            })
        }
        None => named_on_the_command_line(given),
    };
    Ok(Assignment {
        files: files.to_vec(),
        data_model: given.asked_model().unwrap_or(DataModel::Lp64),
        specification,
        sv_comp: given.property.is_some(),
        expected: None,
    })
}

/// What `--error-function`, `--error-label` and `--entry` say; nothing for what goes without saying.
fn named_on_the_command_line(given: &FrontEnd) -> Option<Specification> {
    let language = Language::of(given.first());
    // There are no functions in X that could be named.
    let functions = if language == Language::X { Vec::new() } else { given.error_functions.clone() };
    let names_errors = !functions.is_empty() || !given.error_labels.is_empty();
    let entry = given.entry.clone();
    if names_errors {
        let entry = entry.unwrap_or_else(|| Specification::default().entry);
        Some(Specification::only(entry, functions, given.error_labels.clone()))
    } else if language == Language::TextForm {
        None
    } else {
        entry.map(|entry| Specification { entry, ..Specification::default() })
    }
}

/// Makes sure that property and command line agree where a run starts.
fn with_entry(given: &FrontEnd, named: Specification, file: &Path) -> Result<Specification, Failure> {
    match &given.entry {
        Some(entry) if *entry != named.entry => Err(Failure::Usage(format!(
            "{} is about runs of `{}`, and --entry says `{entry}`",
            file.display(),
            named.entry
        ))),
        _ => Ok(named),
    }
}

fn of_task(given: &FrontEnd, file: &Path) -> Result<Assignment, Failure> {
    if !given.error_functions.is_empty() || !given.error_labels.is_empty() {
        let reason = "says what is an error; --error-function and --error-label cannot add to it";
        return Err(Failure::Usage(format!("{} {reason}", file.display())));
    }
    let task = read_task(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let questions: Vec<Question> = task
        .properties
        .iter()
        .map(|question| {
            let file = folder.join(&question.file.path);
            Question { specification: read_property_quietly(&file), file, expected: question.expected }
        })
        .collect();
    let (specification, expected) = match &given.property {
        Some(property) => {
            let named = read_property(property)?;
            let same = questions.iter().find(|question| question.specification.as_ref() == Ok(&named));
            let expected = same.and_then(|question| question.expected);
            (with_entry(given, named, property)?, expected)
        }
        None => {
            let chosen = choose(file, &questions)?;
            let named = chosen.specification.clone()?;
            (with_entry(given, named, &chosen.file)?, chosen.expected)
        }
    };
    Ok(Assignment {
        files: task.input_files.iter().map(|input| folder.join(&input.path)).collect(),
        data_model: agreed_model(given, &task, file)?,
        specification: Some(specification),
        sv_comp: true,
        expected,
    })
}

/// A property of a task, read as far as possible.
struct Question {
    file: PathBuf,
    specification: Result<Specification, Failure>,
    expected: Option<bool>,
}

/// The only property of a task that can be checked.
fn choose<'q>(task: &Path, questions: &'q [Question]) -> Result<&'q Question, Failure> {
    let possible: Vec<&Question> = questions.iter().filter(|q| q.specification.is_ok()).collect();
    let Some((first, rest)) = possible.split_first() else {
        return Err(match questions {
            [] => Failure::Usage(format!("{} names no property; see --property", task.display())),
            [only] => only.specification.clone().err().unwrap_or(Failure::InputReported),
            several => {
                let reasons = several.iter().filter_map(|q| q.specification.as_ref().err());
                let reasons = reasons.map(|failure| failure.to_string()).collect::<Vec<_>>().join("; ");
                Failure::input(task, format!("none of its properties can be checked: {reasons}"))
            }
        });
    };
    if rest.iter().any(|other| other.specification != first.specification) {
        let names: Vec<String> = possible.iter().map(|q| q.file.display().to_string()).collect();
        let reason = "several properties can be checked; choose one with --property";
        return Err(Failure::Usage(format!("{}: {reason}: {}", task.display(), names.join(", "))));
    }
    Ok(first)
}

/// The data model that the task and the command line agree on.
fn agreed_model(given: &FrontEnd, task: &task::Task, file: &Path) -> Result<DataModel, Failure> {
    match (given.asked_model(), task.data_model) {
        (Some(asked), Some(stated)) if asked != stated => Err(Failure::Usage(format!(
            "{} is a task for {}, and the command line says {}",
            file.display(),
            stated.name(),
            asked.name()
        ))),
        (Some(model), _) | (None, Some(model)) => Ok(model),
        (None, None) => {
            Err(Failure::Usage(format!("{} names no data model; say -m32 or -m64", file.display())))
        }
    }
}

fn read_task(file: &Path) -> Result<task::Task, Failure> {
    let text = input::read_text(file)?;
    let mut sources = Sources::new();
    let id = sources.add(file.display().to_string(), text.as_str());
    task::parse(id, &text).map_err(|errors| reported(&sources, &errors))
}

fn read_property(file: &Path) -> Result<Specification, Failure> {
    read_property_or(file, reported)
}

/// Reads a property that may turn out not to matter, so that its errors are not printed yet.
fn read_property_quietly(file: &Path) -> Result<Specification, Failure> {
    read_property_or(file, |sources, errors| {
        let first = errors.iter().next();
        let reason = first.map(|e| format!("{} ({})", e.message, sources.origin(e.span)));
        Failure::input(file, reason.unwrap_or_default())
    })
}

fn read_property_or(
    file: &Path,
    failed: impl Fn(&Sources, &Diagnostics) -> Failure,
) -> Result<Specification, Failure> {
    let text = input::read_text(file)?;
    let mut sources = Sources::new();
    let id = sources.add(file.display().to_string(), text.as_str());
    let property = prp::parse(id, &text).map_err(|errors| failed(&sources, &errors))?;
    property.specification().map_err(|unsupported| Failure::input(file, unsupported.to_string()))
}
