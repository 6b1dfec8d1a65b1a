//! Typed C syntax trees to one [`hardbop_ir::Program`].
//!
//! All translation units of a program are lowered together, so that a call sees the definition it
//! will run. Only what can be reached from the entry (or, without one, from the functions other
//! units could call) is lowered.
//!
//! Invariants:
//! - each side effect of the source happens exactly once, in the order of gcc `-O0` (see
//!   `order.rs`);
//! - what has no representation becomes `unsupported` at its place and is never guessed;
//! - expressions stay shallow: deep ones are cut by temporaries, so later stages may recurse.
//!
//! This crate knows neither logic nor properties beyond what makes an error location.

mod assign;
mod body;
mod builtin;
mod call;
mod callback;
mod condition;
mod device;
mod expr;
mod format;
mod initial;
mod intrinsic;
mod link;
mod open;
mod order;
mod rounding;
mod standard;
mod start;
mod stmt;
mod tidy;
mod types;
mod undefined;
mod variable;

use hardbop_base::{Diagnostics, Id, Sources, Span};
use hardbop_ir::{self as ir, ProcId, VarId};
use hardbop_syntax::ast::{self, DeclId};
use rustc_hash::FxHashMap;

use crate::link::{Entity, Links};
use crate::types::UnitTypes;

pub use crate::callback::{addressed_functions, with_callbacks};
pub use crate::standard::is_standard;
pub use crate::start::{LIBRARY_NAME, library};
pub use crate::undefined::{Undefined, undefined};

/// What the source does not say.
#[derive(Debug, Clone)]
pub struct LowerOptions {
    /// What functions without a definition do.
    pub externals: ir::Effect,
    /// Whether those that do not return are called before the run ends, because they may call functions of the program.
    pub callbacks: bool,
    /// Whether `malloc` and its kin may return null.
    pub malloc_may_fail: bool,
    /// The function where execution starts.
    pub entry: String,
    /// Whether the entry is called by code that is not there, at any time: variables hold anything then, and pointers lead
    /// to any memory.
    pub open: bool,
    /// Functions whose call is an error.
    pub error_functions: Vec<String>,
    /// Labels that are an error to reach.
    pub error_labels: Vec<String>,
    /// Whether a failing `assert` is an error; if not, it only ends the run.
    pub assertions: bool,
    /// Where devices are, besides constants that are used as addresses.
    pub devices: Vec<ir::Device>,
    /// Whether each volatile read of an object gives anything; if not, volatile objects are plain memory.
    pub volatile_is_arbitrary: bool,
}

impl Default for LowerOptions {
    fn default() -> Self {
        LowerOptions {
            externals: ir::Effect::Havoc,
            callbacks: false,
            malloc_may_fail: true,
            entry: "main".into(),
            open: false,
            error_functions: vec!["reach_error".into(), "__VERIFIER_error".into()],
            error_labels: vec!["ERROR".into()],
            assertions: true,
            devices: Vec::new(),
            volatile_is_arbitrary: false,
        }
    }
}

impl LowerOptions {
    /// The conventions of SV-COMP for the `unreach-call` property of one function.
    pub fn sv_comp(error_function: &str) -> Self {
        LowerOptions {
            externals: ir::Effect::Pure,
            malloc_may_fail: false,
            error_functions: vec![error_function.into()],
            error_labels: Vec::new(),
            assertions: false,
            ..LowerOptions::default()
        }
    }
}

/// Lowers the units of one program, all read for the same data model.
///
/// The library functions that Hardbop brings along are read into `sources` as well. Without the
/// entry function the program has no entry, and every function that other units could call is
/// lowered.
///
/// # Errors
/// Conflicting definitions, and units of different data models.
pub fn lower(
    sources: &mut Sources,
    units: Vec<ast::Unit>,
    options: &LowerOptions,
) -> Result<ir::Program, Diagnostics> {
    let data_model = units.first().map_or(ir::DataModel::Lp64, |u| u.data_model);
    let library = library(sources, data_model)?;
    lower_with(sources, units, library, options)
}

/// Like [`lower`], with the [`library`] already read, for those who lower many small programs.
///
/// # Errors
/// Conflicting definitions, and units of different data models.
pub fn lower_with(
    sources: &Sources,
    mut units: Vec<ast::Unit>,
    library: ast::Unit,
    options: &LowerOptions,
) -> Result<ir::Program, Diagnostics> {
    let mut errors = Diagnostics::new();
    let data_model = library.data_model;
    for unit in units.iter().filter(|u| u.data_model != data_model) {
        errors.error(Span::in_line(unit.file, 1, 1, 0), "read for another data model than the first file");
    }
    let own_units = units.len();
    units.push(library);
    let links = Links::new(&units, own_units, &mut errors);
    if errors.has_errors() {
        return Err(errors);
    }
    let mut lowering = Lowering::new(&units, links, options, data_model);
    lowering.program.files = sources
        .files()
        .values()
        .map(|f| hardbop_base::SourceFile { name: f.name.clone(), text: None, lines: f.lines.clone() })
        .collect();
    lowering.run();
    Ok(lowering.program)
}

/// The work on one program.
struct Lowering<'a> {
    units: &'a [ast::Unit],
    links: Links,
    options: &'a LowerOptions,
    program: ir::Program,
    types: Vec<UnitTypes>,
    /// Globals and functions that something refers to, by their defining declaration.
    globals: FxHashMap<Entity, VarId>,
    procedures: FxHashMap<Entity, ProcId>,
    /// External procedures made up for inline assembly and the like, by name.
    externals: FxHashMap<String, ProcId>,
    /// String literals, by unit, bytes and type: as in what gcc makes of a file, equal ones are one object.
    strings: FxHashMap<(usize, Vec<u8>, ir::TypeId), VarId>,
    /// Records that hold variable arguments, by the types of those.
    argument_records: FxHashMap<Vec<ir::TypeId>, ir::RecordId>,
    /// How often each name of a global scope was asked for.
    names: FxHashMap<String, u32>,
    /// Definitions still to be lowered.
    jobs: Vec<Job>,
    /// Static initialisers that are not constant expressions.
    dynamic: Vec<initial::Dynamic>,
    /// Globals whose initialiser cannot be told.
    ambiguous: Vec<Span>,
    /// The depth of each expression of the program.
    depths: Vec<u16>,
    /// Where devices are.
    devices: device::Devices,
    /// Per unit: what is known of its expressions and declarations.
    facts: Vec<order::Facts>,
    /// What the program refers to and does not define.
    undefined: Undefined,
}

/// A definition still to be lowered.
enum Job {
    Function(Entity, ProcId),
    Global(Entity, VarId),
}

impl<'a> Lowering<'a> {
    fn new(
        units: &'a [ast::Unit],
        links: Links,
        options: &'a LowerOptions,
        data_model: ir::DataModel,
    ) -> Self {
        let devices = device::Devices::of(units, options);
        let facts = units.iter().map(|unit| order::Facts::of(unit, &devices)).collect();
        Lowering {
            units,
            links,
            options,
            program: ir::Program::new(data_model),
            types: units.iter().map(|_| UnitTypes::default()).collect(),
            globals: FxHashMap::default(),
            procedures: FxHashMap::default(),
            externals: FxHashMap::default(),
            strings: FxHashMap::default(),
            argument_records: FxHashMap::default(),
            names: FxHashMap::from_iter(
                [ir::MISFIT, ir::OUTSIDE, ir::KNOWN].map(|name| (name.to_owned(), 1)),
            ),
            jobs: Vec::new(),
            dynamic: Vec::new(),
            ambiguous: Vec::new(),
            depths: Vec::new(),
            devices,
            facts,
            undefined: undefined(&units[..units.len().saturating_sub(1)]),
        }
    }

    fn run(&mut self) {
        self.add_devices();
        let entry = self.links.function(self.units, &self.options.entry);
        match entry {
            Some(entity) => self.request_start(entity),
            None => {
                for entity in self.links.exported_functions(self.units) {
                    self.procedure(entity);
                }
            }
        }
        self.work();
        if let Some(entity) = entry {
            self.request_known();
            self.work();
            self.build_start(entity);
            self.work();
        }
        self.round_by_mode();
        self.program.add_outside(self.options.externals);
        self.program.add_misfit();
    }

    /// Asks for the variables that hold addresses at the start and that other files can name: functions without a
    /// definition reach objects through them, whether the program itself uses them or not.
    fn request_known(&mut self) {
        if self.options.externals != ir::Effect::Havoc {
            return;
        }
        let own = self.units.len().saturating_sub(1);
        for (index, unit) in self.units.iter().enumerate().take(own) {
            for (id, decl) in unit.decls.iter() {
                let ast::DeclKind::Object(object) = &decl.kind else { continue };
                let is_number = |entry: &ast::InitEntry| {
                    let mut value = entry.value;
                    while let ast::ExprKind::Cast(inner) = unit.exprs[value].kind {
                        value = inner;
                    }
                    matches!(unit.exprs[value].kind, ast::ExprKind::Int(_) | ast::ExprKind::Float(_))
                };
                let holds_address = object.init.iter().flatten().any(|entry| !is_number(entry));
                if decl.linkage == ast::Linkage::External && holds_address {
                    self.global(index, id);
                }
            }
        }
    }

    /// The variable that holds the number of the last error, if the program looks at it.
    fn errno(&mut self) -> Option<VarId> {
        let undefined = &self.undefined;
        let is_used = ["__errno_location", "__errno", "___errno"]
            .iter()
            .any(|name| undefined.functions.iter().any(|function| function == name))
            || undefined.objects.iter().any(|object| object == "errno");
        let entity = self.links.library_object("__hardbop_errno").filter(|_| is_used)?;
        Some(self.global(entity.unit, entity.decl))
    }

    /// The variables of the C library that a standard function without a model changes, of those that the
    /// program uses.
    fn changed_by(&mut self, function: &str) -> Vec<VarId> {
        let mut changed: Vec<VarId> = self.errno().into_iter().collect();
        for name in standard::changed_by(function) {
            if self.undefined.objects.iter().any(|object| object == name)
                && let Some(entity) = self.links.object(name)
            {
                changed.push(self.global(entity.unit, entity.decl));
            }
        }
        changed
    }

    /// Lowers what has been asked for, and what that asks for.
    fn work(&mut self) {
        while let Some(job) = self.jobs.pop() {
            match job {
                Job::Function(entity, procedure) => self.lower_function(entity, procedure),
                Job::Global(entity, variable) => self.lower_initial(entity, variable),
            }
        }
    }

    fn unit(&self, index: usize) -> &'a ast::Unit {
        &self.units[index]
    }

    fn decl(&self, entity: Entity) -> &'a ast::Decl {
        &self.units[entity.unit].decls[entity.decl]
    }

    /// A name that no other global or procedure has.
    fn unique_name(&mut self, wanted: &str) -> String {
        let count = self.names.entry(wanted.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return wanted.to_owned();
        }
        let candidate = format!("{wanted}${count}");
        self.unique_name(&candidate)
    }

    /// Records what the meaning of the program rests on.
    fn assume(&mut self, span: Span, text: impl Into<String>) {
        let text = text.into();
        if !self.program.assumptions.iter().any(|a| a.text == text) {
            self.program.assumptions.push(ir::Assumption { span, text });
        }
    }

    /// The global variable for a declaration with static storage.
    fn global(&mut self, unit: usize, decl: DeclId) -> VarId {
        let entity = self.links.resolve(unit, decl);
        if let Some(&variable) = self.globals.get(&entity) {
            return variable;
        }
        let declaration = self.decl(entity);
        let ty = self.object_type(entity);
        let name = match (&declaration.name, self.links.owner(entity)) {
            (Some(name), Some(function)) => format!("{function}${name}"),
            (Some(name), None) => name.clone(),
            (None, _) => "$literal".to_owned(),
        };
        let name = self.unique_name(&name);
        let kind = match declaration.linkage {
            ast::Linkage::External => ir::VarKind::Global,
            _ => ir::VarKind::Static,
        };
        let (align, initial) = (asked_alignment(declaration), ir::Initial::Arbitrary);
        let variable = self.program.variables.push(ir::Variable {
            name,
            ty,
            kind,
            span: declaration.span,
            align,
            initial,
        });
        self.program.globals.push(variable);
        self.globals.insert(entity, variable);
        self.jobs.push(Job::Global(entity, variable));
        variable
    }

    /// The depth of an expression as a tree.
    fn depth(&mut self, expr: ir::ExprId) -> u16 {
        while self.depths.len() <= expr.index() {
            let next = Id::from_usize(self.depths.len());
            let parts = ir::visit::parts(&self.program, next);
            let deepest = parts.map(|part| self.depths[part.index()]).max().unwrap_or(0);
            self.depths.push(deepest.saturating_add(1));
        }
        self.depths[expr.index()]
    }
}

/// The alignment that a declaration asks for, 0 if it asks for none.
fn asked_alignment(decl: &ast::Decl) -> u64 {
    match &decl.kind {
        ast::DeclKind::Object(object) => object.align.map_or(0, u64::from),
        _ => 0,
    }
}
