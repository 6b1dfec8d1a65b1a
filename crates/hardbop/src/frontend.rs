//! From the files on the command line to a program: reading, preprocessing, parsing, lowering.
//!
//! Every command that takes a program shares these options and this path.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hardbop_base::{DataModel, Diagnostics, Sources};
use hardbop_ir::{self as ir, Program};
use hardbop_syntax::ast;
use hardbop_teach::ast as x;

use crate::{Failure, input, output, preprocess};

/// The program to work on.
#[derive(Debug, Clone, Args)]
pub struct FrontEnd {
    /// C files (`.c`, `.i`), linked into one program; or one program in X (`.x`) or in text form (`.ir`)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Sizes of C's types: 32 for ILP32, 64 for LP64
    #[arg(short = 'm', value_name = "BITS", value_parser = ["32", "64"], help_heading = "C")]
    bits: Option<String>,

    /// Sizes of C's types, by name
    #[arg(long, value_name = "MODEL", conflicts_with = "bits", help_heading = "C")]
    data_model: Option<Model>,

    /// Dialect of C, as for gcc's `-std=`
    #[arg(long = "std", value_name = "NAME", help_heading = "C")]
    standard: Option<String>,

    #[command(flatten)]
    preprocessor: preprocess::Flags,

    /// Function or procedure where execution starts
    #[arg(long, value_name = "NAME", default_value = "main", help_heading = "Meaning")]
    entry: String,

    /// What functions without a definition do besides returning an arbitrary value
    #[arg(long, value_enum, default_value_t = Externals::Havoc, help_heading = "Meaning")]
    externals: Externals,

    /// Whether memory allocation can fail
    #[arg(long, value_enum, default_value_t = Malloc::MayFail, help_heading = "Meaning")]
    malloc: Malloc,

    /// Function whose call is an error [default: reach_error, __VERIFIER_error]
    #[arg(long = "error-function", value_name = "NAME", help_heading = "Meaning")]
    error_functions: Vec<String>,

    /// Label that is an error to reach [default: ERROR]
    #[arg(long = "error-label", value_name = "NAME", help_heading = "Meaning")]
    error_labels: Vec<String>,
}

/// A data model by name.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Model {
    /// `int`, `long` and pointers of 32 bits
    #[value(name = "ILP32")]
    Ilp32,
    /// `long` and pointers of 64 bits
    #[value(name = "LP64")]
    Lp64,
}

/// What functions without a definition do.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Externals {
    /// Whatever their arguments and the globals reach becomes arbitrary
    Havoc,
    /// Nothing
    Pure,
}

/// Whether memory allocation can fail.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Malloc {
    /// The result is a new object or null
    MayFail,
    /// The result is a new object
    NeverFails,
}

/// A program with the texts it was made from.
pub struct Loaded {
    /// The texts.
    pub sources: Sources,
    /// The program.
    pub program: Program,
}

impl FrontEnd {
    /// The first file, to name in messages about the whole.
    pub fn first(&self) -> &Path {
        self.files.first().map_or(Path::new("-"), PathBuf::as_path)
    }

    /// What to say of a program that has no entry.
    pub fn no_entry(&self) -> Failure {
        let reason = match Language::of(self.first()) {
            Language::TextForm => "the program does not say where it starts".to_owned(),
            Language::X => format!("there is no procedure `{}` to start with; see --entry", self.entry),
            Language::C => format!("there is no function `{}` to start with; see --entry", self.entry),
        };
        Failure::input(self.first(), reason)
    }

    /// Reads the program; all errors are printed.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let mut sources = Sources::new();
        let program = match &self.files[..] {
            [file] => match Language::of(file) {
                Language::TextForm => read_ir(&mut sources, file)?,
                Language::X => self.read_x(&mut sources, file)?,
                Language::C => self.read_c(&mut sources, &self.files)?,
            },
            files => self.read_c(&mut sources, files)?,
        };
        debug_assert_eq!(ir::verify(&program).first().map(|v| v.show(&program)), None);
        Ok(Loaded { sources, program })
    }

    fn model(&self) -> DataModel {
        match (self.bits.as_deref(), self.data_model) {
            (Some("32"), _) | (_, Some(Model::Ilp32)) => DataModel::Ilp32,
            _ => DataModel::Lp64,
        }
    }

    fn read_c(&self, sources: &mut Sources, files: &[PathBuf]) -> Result<Program, Failure> {
        let options = self.syntax_options()?;
        let mut units = Vec::new();
        let mut failed = false;
        for file in files {
            let alone = match Language::of(file) {
                Language::C => None,
                Language::X => Some("an X program stands alone"),
                Language::TextForm => Some("a program in text form stands alone"),
            };
            if let Some(message) = alone {
                return Err(Failure::Usage(format!("{}: {message}", file.display())));
            }
            match self.read_unit(sources, file, &options)? {
                Some(unit) => units.push(unit),
                None => failed = true,
            }
        }
        if failed {
            return Err(Failure::InputReported);
        }
        hardbop_lower::lower(sources, units, &self.lowering()).map_err(|errors| reported(sources, &errors))
    }

    /// The tree of an X program that is free of errors, which are printed otherwise.
    pub fn x_source(&self) -> Result<x::Program, Failure> {
        let [file] = &self.files[..] else {
            return Err(Failure::Usage("--source is for one X program".into()));
        };
        if !matches!(Language::of(file), Language::X) {
            return Err(Failure::Usage(format!("{}: --source is for X programs", file.display())));
        }
        let mut sources = Sources::new();
        let program = parse_x(&mut sources, file)?;
        let errors = hardbop_teach::check(&program);
        if errors.has_errors() { Err(reported(&sources, &errors)) } else { Ok(program) }
    }

    fn read_x(&self, sources: &mut Sources, file: &Path) -> Result<Program, Failure> {
        let program = parse_x(sources, file)?;
        let default = hardbop_teach::Options::default();
        let options = hardbop_teach::Options {
            entry: self.entry.clone(),
            error_labels: or_default(&self.error_labels, default.error_labels),
            data_model: self.model(),
        };
        hardbop_teach::lower(&program, sources, &options).map_err(|errors| reported(sources, &errors))
    }

    fn syntax_options(&self) -> Result<hardbop_syntax::Options, Failure> {
        let options = hardbop_syntax::Options::new(self.model());
        match &self.standard {
            None => Ok(options),
            Some(name) => options
                .with_standard(name)
                .ok_or_else(|| Failure::Usage(format!("`{name}` is not a dialect of C that gcc knows"))),
        }
    }

    fn read_unit(
        &self,
        sources: &mut Sources,
        file: &Path,
        options: &hardbop_syntax::Options,
    ) -> Result<Option<ast::Unit>, Failure> {
        let mut bytes = input::read_bytes(file)?;
        let asked = self.preprocessor.define_something();
        if file.extension().is_none_or(|e| e != "i") && (asked || hardbop_syntax::needs_preprocessing(&bytes))
        {
            bytes = self.preprocessor.preprocess(file, bytes, options)?;
        }
        // As gcc calls it.
        let name = if file == Path::new("-") { "<stdin>".into() } else { file.display().to_string() };
        let (_, parsed) = hardbop_syntax::parse_bytes(sources, &name, &bytes, options);
        match parsed {
            Ok((unit, _warnings)) => Ok(Some(unit)),
            Err(errors) => {
                output::report(&errors.render(sources));
                Ok(None)
            }
        }
    }

    fn lowering(&self) -> hardbop_lower::Options {
        let default = hardbop_lower::Options::default();
        hardbop_lower::Options {
            externals: match self.externals {
                Externals::Havoc => ir::Effect::Havoc,
                Externals::Pure => ir::Effect::Pure,
            },
            malloc_may_fail: matches!(self.malloc, Malloc::MayFail),
            entry: self.entry.clone(),
            error_functions: or_default(&self.error_functions, default.error_functions),
            error_labels: or_default(&self.error_labels, default.error_labels),
            assertions: true,
        }
    }
}

/// What a program is written in.
enum Language {
    C,
    X,
    TextForm,
}

impl Language {
    /// The language of a file, by its name.
    fn of(file: &Path) -> Self {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("ir") => Language::TextForm,
            Some("x") => Language::X,
            _ => Language::C,
        }
    }
}

fn or_default(given: &[String], default: Vec<String>) -> Vec<String> {
    if given.is_empty() { default } else { given.to_vec() }
}

fn reported(sources: &Sources, errors: &Diagnostics) -> Failure {
    output::report(&errors.render(sources));
    Failure::InputReported
}

fn parse_x(sources: &mut Sources, file: &Path) -> Result<x::Program, Failure> {
    let text = input::read_text(file)?;
    let id = sources.add(file.display().to_string(), text.as_str());
    let (program, errors) = hardbop_teach::parse(text, id);
    if errors.has_errors() { Err(reported(sources, &errors)) } else { Ok(program) }
}

/// Reads a program in text form and checks it.
fn read_ir(sources: &mut Sources, file: &Path) -> Result<Program, Failure> {
    let text = input::read_text(file)?;
    let id = sources.add(file.display().to_string(), text.as_str());
    let program = ir::text::parse(id, &text).map_err(|errors| reported(sources, &errors))?;
    let violations = ir::verify(&program);
    if violations.is_empty() {
        return Ok(program);
    }
    for violation in &violations {
        output::complain(&format!("{}: {}", file.display(), violation.show(&program)));
    }
    Err(Failure::InputReported)
}
