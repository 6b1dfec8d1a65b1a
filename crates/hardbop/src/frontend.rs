//! From the files on the command line to a program: reading, preprocessing, parsing, lowering, and the
//! choice of what counts as an error.
//!
//! Every command that takes a program shares these options and this path. What the options, a task
//! definition and a property file say together is found in `assignment.rs` first.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hardbop_alias::Alias;
use hardbop_base::{Budget, DataModel, Diagnostics, Sources};
use hardbop_instrument::{Specification, select};
use hardbop_ir::{self as ir, Program};
use hardbop_lower::Undefined;
use hardbop_syntax::ast;
use hardbop_teach::{Integers, ast as x};

use crate::assignment::Assignment;
use crate::{Failure, devices, input, output, preprocess};

/// The program to work on.
#[derive(Debug, Clone, Args)]
pub struct FrontEnd {
    /// C files (`.c`, `.i`), linked into one program; or one task definition (`.yml`), one program in X
    /// (`.x`) or one in text form (`.ir`)
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

    /// Function or procedure where execution starts [default: main, or what the property says]
    #[arg(long, value_name = "NAME", help_heading = "Meaning")]
    pub(crate) entry: Option<String>,

    /// Start with what variables are initialised to, and with arguments that point to nothing known, where another
    /// function than `main` is the entry; otherwise variables hold anything, and pointers lead to any memory
    #[arg(long, help_heading = "Meaning")]
    closed: bool,

    /// What functions without a definition do besides returning an arbitrary value [default: havoc; pure
    /// with a task definition or a property file]
    #[arg(long, value_enum, help_heading = "Meaning")]
    externals: Option<Externals>,

    /// Whether functions without a definition call functions of the program whose addresses they were given, or can
    /// reach; with `--externals pure` they call nothing
    #[arg(long, value_enum, default_value = "known", help_heading = "Meaning")]
    callbacks: Callbacks,

    /// Whether memory allocation can fail [default: may-fail; never-fails with a task definition or a
    /// property file]
    #[arg(long, value_enum, help_heading = "Meaning")]
    malloc: Option<Malloc>,

    /// Addresses of devices, FIRST-LAST or FIRST+LENGTH: volatile accesses there are no accesses of objects, and
    /// reads give anything. Constants that are used as addresses need not be declared
    #[arg(long, value_name = "RANGE", value_parser = devices::range, help_heading = "Meaning")]
    mmio: Vec<ir::Device>,

    /// What a volatile read of an object gives
    #[arg(long, value_enum, default_value = "memory", help_heading = "Meaning")]
    volatile: Volatile,

    /// What happens to the integers of an X program beyond the range of `--width` [default: there is no range]
    #[arg(long, value_enum, help_heading = "Meaning")]
    overflow: Option<Overflow>,

    /// The bits of that range
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = 32,
        requires = "overflow",
        value_parser = clap::value_parser!(u32).range(2..=64),
        help_heading = "Meaning"
    )]
    width: u32,

    /// Property file (`.prp`): nothing else is an error
    #[arg(long, value_name = "FILE", help_heading = "Meaning")]
    pub(crate) property: Option<PathBuf>,

    /// Function whose call is an error; only what is named so is one [default: reach_error,
    /// __VERIFIER_error, failing assertions and the label ERROR]
    #[arg(
        long = "error-function",
        value_name = "NAME",
        conflicts_with = "property",
        help_heading = "Meaning"
    )]
    pub(crate) error_functions: Vec<String>,

    /// Label that is an error to reach; only what is named so is one
    #[arg(long = "error-label", value_name = "NAME", conflicts_with = "property", help_heading = "Meaning")]
    pub(crate) error_labels: Vec<String>,
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

/// Which functions of the program those without a definition call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Callbacks {
    /// Those whose addresses they know, any number of times, with anything
    Known,
    /// None
    Never,
}

/// Whether memory allocation can fail.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Malloc {
    /// The result is a new object or null
    MayFail,
    /// The result is a new object
    NeverFails,
}

/// What a volatile read of an object gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Volatile {
    /// What was written last: nobody else changes it
    Memory,
    /// Anything: others change it at any time
    Arbitrary,
}

/// What happens to integers beyond a range.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Overflow {
    /// They go on at the other end
    Wrap,
    /// The run ends
    Stop,
}

/// A program with the texts it was made from.
pub struct Loaded {
    /// The texts.
    pub sources: Sources,
    /// The program, in which only what counts is an error.
    pub program: Program,
    /// What it was made from and for.
    pub about: About,
}

/// What a program was made from, and the question about it.
pub struct About {
    /// Which errors count, and where runs start.
    pub specification: Specification,
    /// Whether the conventions of SV-COMP apply: a task definition or a property file was given.
    pub sv_comp: bool,
    /// The verdict that a task definition states.
    pub expected: Option<bool>,
    /// The files of the program, as given or as the task definition names them.
    pub inputs: Vec<PathBuf>,
    /// What the C files refer to and do not define.
    pub undefined: Undefined,
    /// Whether a text was read that the preprocessor made of a file.
    pub preprocessed: bool,
    /// What was decided where the source leaves its meaning open: names with values.
    pub meaning: Vec<(&'static str, String)>,
}

/// What reading gives.
struct Read {
    program: Program,
    undefined: Undefined,
    preprocessed: bool,
    meaning: Vec<(&'static str, String)>,
}

impl Read {
    /// A program that is not made from C.
    fn plain(program: Program) -> Self {
        Read { program, undefined: Undefined::default(), preprocessed: false, meaning: Vec::new() }
    }
}

impl FrontEnd {
    /// The first file, to name in messages about the whole.
    pub fn first(&self) -> &Path {
        self.files.first().map_or(Path::new("-"), PathBuf::as_path)
    }

    /// What an integer of an X program is.
    pub fn integers(&self) -> Integers {
        match self.overflow {
            None => Integers::Unbounded,
            Some(Overflow::Wrap) => Integers::Wrap(self.width),
            Some(Overflow::Stop) => Integers::Stop(self.width),
        }
    }

    /// Reads a program that is to be followed from its entry, which it must have.
    pub fn load_to_start(&self) -> Result<Loaded, Failure> {
        let loaded = self.load()?;
        if loaded.program.entry.is_none() { Err(self.no_entry(&loaded)) } else { Ok(loaded) }
    }

    /// What to say of a program that has no entry.
    fn no_entry(&self, loaded: &Loaded) -> Failure {
        let entry = &loaded.about.specification.entry;
        let reason = match Language::of(self.first()) {
            Language::TextForm => "the program does not say where it starts".to_owned(),
            Language::X => format!("there is no procedure `{entry}` to start with; see --entry"),
            Language::C => format!("there is no function `{entry}` to start with; see --entry"),
        };
        Failure::input(self.first(), reason)
    }

    /// Reads the program; all errors are printed.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let assignment = Assignment::of(self)?;
        let is_x = matches!(&assignment.files[..], [file] if Language::of(file) == Language::X);
        if self.overflow.is_some() && !is_x {
            return Err(Failure::Usage("--overflow is for X programs; C's integers wrap".into()));
        }
        let is_c = assignment.files.iter().all(|file| Language::of(file) == Language::C);
        if !is_c && (!self.mmio.is_empty() || self.volatile != Volatile::Memory) {
            return Err(Failure::Usage("--mmio and --volatile are for C programs".into()));
        }
        let mut sources = Sources::new();
        let Read { program, undefined, preprocessed, meaning } = match &assignment.files[..] {
            [file] => match Language::of(file) {
                Language::TextForm => Read::plain(read_ir(&mut sources, file)?),
                Language::X => {
                    let program = self.read_x(&mut sources, file, &assignment)?;
                    Read { meaning: self.meaning_of_integers(), ..Read::plain(program) }
                }
                Language::C => self.read_c(&mut sources, &assignment)?,
            },
            _ => self.read_c(&mut sources, &assignment)?,
        };
        let specification = match assignment.specification {
            Some(specification) => specification,
            None if Language::of(self.first()) == Language::TextForm => Specification::of(&program),
            None => Specification::default(),
        };
        if let Some(label) = specification.unmarked_labels(&program).first() {
            let reason =
                format!("the label `{label}` is no error in it; lower the program with --error-label");
            return Err(Failure::input(self.first(), reason));
        }
        let program = select(program, &specification).freeze();
        debug_assert_eq!(ir::verify(&program).first().map(|v| v.show(&program)), None);
        let Assignment { sv_comp, expected, files: inputs, .. } = assignment;
        let about = About { specification, sv_comp, expected, inputs, undefined, preprocessed, meaning };
        Ok(Loaded { sources, program, about })
    }

    /// The data model that the command line asks for.
    pub(crate) fn asked_model(&self) -> Option<DataModel> {
        match (self.bits.as_deref(), self.data_model) {
            (Some("32"), _) | (_, Some(Model::Ilp32)) => Some(DataModel::Ilp32),
            (Some(_), _) | (_, Some(Model::Lp64)) => Some(DataModel::Lp64),
            (None, None) => None,
        }
    }

    fn read_c(&self, sources: &mut Sources, assignment: &Assignment) -> Result<Read, Failure> {
        let options = self.syntax_options(assignment.data_model)?;
        let mut units = Vec::new();
        let (mut failed, mut preprocessed) = (false, false);
        for file in &assignment.files {
            let alone = match Language::of(file) {
                Language::C => None,
                Language::X => Some("an X program stands alone"),
                Language::TextForm => Some("a program in text form stands alone"),
            };
            if let Some(message) = alone {
                return Err(Failure::Usage(format!("{}: {message}", file.display())));
            }
            match self.read_unit(sources, file, &options)? {
                Some((unit, was_preprocessed)) => {
                    units.push(unit);
                    preprocessed |= was_preprocessed;
                }
                None => failed = true,
            }
        }
        if failed {
            return Err(Failure::InputReported);
        }
        let options = self.lowering(assignment);
        devices::check(&options.devices, assignment.data_model)?;
        let undefined = hardbop_lower::undefined(&units);
        let externals = if options.externals == ir::Effect::Pure { "pure" } else { "havoc" };
        let malloc = if options.malloc_may_fail { "may-fail" } else { "never-fails" };
        let mut meaning = vec![("externals", externals.to_owned()), ("malloc", malloc.to_owned())];
        if options.externals != ir::Effect::Pure && self.callbacks == Callbacks::Never {
            meaning.push(("callbacks", "never".to_owned()));
        }
        meaning.extend(options.open.then(|| ("globals", "arbitrary".to_owned())));
        meaning.extend(devices::shown(&options.devices).map(|ranges| ("mmio", ranges)));
        meaning.extend(options.volatile_is_arbitrary.then(|| ("volatile", "arbitrary".to_owned())));
        meaning.extend(self.standard.clone().map(|name| ("std", name)));
        let lowered = hardbop_lower::lower(sources, units, &options);
        let mut program = lowered.map_err(|errors| reported(sources, &errors))?;
        if options.callbacks {
            program = with_callbacks(program, options.open);
        }
        Ok(Read { program, undefined, preprocessed, meaning })
    }

    /// What happens to the integers of an X program.
    fn meaning_of_integers(&self) -> Vec<(&'static str, String)> {
        let what = match self.overflow {
            None => "never".to_owned(),
            Some(Overflow::Wrap) => format!("wrap {}", self.width),
            Some(Overflow::Stop) => format!("stop {}", self.width),
        };
        vec![("overflow", what)]
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

    fn read_x(
        &self,
        sources: &mut Sources,
        file: &Path,
        assignment: &Assignment,
    ) -> Result<Program, Failure> {
        let program = parse_x(sources, file)?;
        let specification = assignment.specification.clone().unwrap_or_default();
        let options = hardbop_teach::TeachOptions {
            entry: specification.entry,
            error_labels: specification.labels,
            data_model: assignment.data_model,
            integers: self.integers(),
        };
        hardbop_teach::lower(&program, sources, &options).map_err(|errors| reported(sources, &errors))
    }

    fn syntax_options(&self, model: DataModel) -> Result<hardbop_syntax::SyntaxOptions, Failure> {
        let options = hardbop_syntax::SyntaxOptions::new(model);
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
        options: &hardbop_syntax::SyntaxOptions,
    ) -> Result<Option<(ast::Unit, bool)>, Failure> {
        let mut bytes = input::read_bytes(file)?;
        let asked = self.preprocessor.define_something();
        let preprocess = file.extension().is_none_or(|e| e != "i")
            && (asked || hardbop_syntax::needs_preprocessing(&bytes));
        if preprocess {
            bytes = self.preprocessor.preprocess(file, bytes, options)?;
        }
        // As gcc calls it.
        let name = if file == Path::new("-") { "<stdin>".into() } else { file.display().to_string() };
        let (_, parsed) = hardbop_syntax::parse_bytes(sources, &name, &bytes, options);
        match parsed {
            Ok((unit, _warnings)) => Ok(Some((unit, preprocess))),
            Err(errors) => {
                output::report(&errors.render(sources));
                Ok(None)
            }
        }
    }

    /// What the command line says explicitly, else what goes with a task or a plain program.
    fn lowering(&self, assignment: &Assignment) -> hardbop_lower::LowerOptions {
        let specification = assignment.specification.clone().unwrap_or_default();
        let externals = match (self.externals, assignment.sv_comp) {
            (Some(Externals::Pure), _) | (None, true) => ir::Effect::Pure,
            (Some(Externals::Havoc), _) | (None, false) => ir::Effect::Havoc,
        };
        let malloc_may_fail = match (self.malloc, assignment.sv_comp) {
            (Some(Malloc::NeverFails), _) | (None, true) => false,
            (Some(Malloc::MayFail), _) | (None, false) => true,
        };
        hardbop_lower::LowerOptions {
            externals,
            callbacks: externals == ir::Effect::Havoc && self.callbacks == Callbacks::Known,
            malloc_may_fail,
            open: !self.closed && !assignment.sv_comp && specification.entry != "main",
            entry: specification.entry,
            error_functions: specification.functions,
            error_labels: specification.labels,
            assertions: specification.assertions,
            devices: self.mmio.clone(),
            volatile_is_arbitrary: self.volatile == Volatile::Arbitrary,
        }
    }
}

/// Functions without a definition call those functions of the program whose addresses they can know. If all could be
/// called, more could be known than really is; so that is asked first.
fn with_callbacks(program: Program, at_any_time: bool) -> Program {
    let mut functions = hardbop_lower::addressed_functions(&program);
    if functions.is_empty() || program.entry.is_none() {
        return program;
    }
    let all = hardbop_lower::with_callbacks(program.clone(), &functions, at_any_time);
    if let Ok(alias) = Alias::of(&all, &Budget::unlimited()) {
        functions.retain(|&function| alias.is_known_outside(function));
    }
    hardbop_lower::with_callbacks(program, &functions, at_any_time)
}

/// What a program is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// C, whatever the file is called.
    C,
    /// X, the language of the papers.
    X,
    /// The text form of programs.
    TextForm,
}

impl Language {
    /// The language of a file, by its name.
    pub(crate) fn of(file: &Path) -> Self {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("ir") => Language::TextForm,
            Some("x") => Language::X,
            _ => Language::C,
        }
    }
}

/// Prints errors, and says that this was done.
pub(crate) fn reported(sources: &Sources, errors: &Diagnostics) -> Failure {
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
