//! Typed X programs to [`ir::Program`].
//!
//! - An `int` or a value of an enumeration is a mathematical integer; a variable of an enumeration
//!   holds one of its positions at all times, which `assume` edges say wherever it becomes arbitrary.
//!   The same holds of an `int` that has a range: what operations give beyond it is brought back into it,
//!   or an `assume` edge ends the run.
//! - A reference is a pointer. A formal that the program assigns, or whose address it passes, is
//!   copied to a local first, since formals never change in the representation. As in C, the local carries the name
//!   `n`, and the formal is `n$in`.
//! - `?` is a `havoc` from `nondet "?"`; a variable without a value is one from its own name, at its
//!   declaration, or at the start for globals. The values are drawn in the order of the text.
//! - The start is a procedure `$start`, which calls the entry with any arguments.
//!
//! The graph has no steps that the program does not have, apart from those that evaluate a part of an
//! expression into a temporary, and one `skip` where a procedure begins with a loop.

mod body;
mod expr;
mod prune;

use std::ops::Range;

use hardbop_base::{Diagnostics, SourceFile, Sources, Span};
use hardbop_ir::{self as ir, DataModel, Initial};

use crate::lower::body::Body;
use crate::typed::{Constant, ProcId, Program, Ty, VarKind};

/// What the text does not say.
#[derive(Debug, Clone)]
pub struct TeachOptions {
    /// The procedure where execution starts. A program without it has no entry.
    pub entry: String,
    /// Labels that are an error to reach.
    pub error_labels: Vec<String>,
    /// The size of references.
    pub data_model: DataModel,
    /// What an `int` is.
    pub integers: Integers,
}

/// What an `int` is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Integers {
    /// A mathematical integer.
    #[default]
    Unbounded,
    /// A signed integer of so many bits; what an operation gives beyond its range goes on at the other end.
    Wrap(u32),
    /// A signed integer of so many bits; an operation that leaves its range ends the run.
    Stop(u32),
}

impl Integers {
    /// All of them, if they are finitely many.
    pub fn range(self) -> Option<Range<i128>> {
        match self {
            Integers::Unbounded => None,
            Integers::Wrap(width) | Integers::Stop(width) => {
                let half = 1i128 << (width.clamp(1, 64) - 1);
                Some(-half..half)
            }
        }
    }
}

impl Default for TeachOptions {
    fn default() -> Self {
        TeachOptions {
            entry: "main".into(),
            error_labels: vec!["ERROR".into()],
            data_model: DataModel::Lp64,
            integers: Integers::default(),
        }
    }
}

/// The work on one program.
struct Lowering<'a> {
    source: &'a Program,
    options: &'a TeachOptions,
    program: ir::Program,
    /// By position in the source program.
    variables: Vec<ir::VarId>,
    /// The depth of each expression.
    depths: Vec<u16>,
    errors: Diagnostics,
}

/// Lowers a program. The only errors are an entry that cannot be one, and numbers beyond the range of integers.
pub(crate) fn lower(
    source: &Program,
    sources: &Sources,
    options: &TeachOptions,
) -> Result<ir::Program, Diagnostics> {
    let entry = source.procedures.iter().find(|(_, p)| p.name == options.entry).map(|(id, _)| id);
    let mut errors = Diagnostics::new();
    for &formal in entry.iter().flat_map(|&id| &source.procedures[id].formals) {
        let formal = &source.variables[formal];
        if formal.kind == VarKind::Reference {
            let name = &options.entry;
            errors.error(formal.span, format!("execution cannot start in `{name}`, which takes a reference"));
        }
    }
    if errors.has_errors() {
        return Err(errors);
    }
    let mut program = ir::Program::new(options.data_model);
    program.files = sources
        .files()
        .values()
        .map(|f| SourceFile { name: f.name.clone(), text: None, lines: f.lines.clone() })
        .collect();
    let (variables, depths) = (Vec::new(), Vec::new());
    let mut lowering = Lowering { source, options, program, variables, depths, errors };
    lowering.declare();
    for (id, _) in source.procedures.iter() {
        lowering.procedure(id);
    }
    if let Some(entry) = entry {
        lowering.start(entry);
    }
    if lowering.errors.has_errors() { Err(lowering.errors) } else { Ok(lowering.program) }
}

impl<'a> Lowering<'a> {
    /// Makes all variables, and all procedures without their bodies.
    fn declare(&mut self) {
        for variable in self.source.variables.values() {
            let value = self.ty(variable.ty);
            let (kind, ty) = match variable.kind {
                VarKind::Global(_) => (ir::VarKind::Global, value),
                VarKind::Value => (ir::VarKind::Formal, value),
                VarKind::Reference => (ir::VarKind::Formal, self.program.pointer_to(value)),
                VarKind::Local => (ir::VarKind::Local, value),
            };
            let initial = match variable.kind {
                VarKind::Global(Some(constant)) => {
                    self.require_in_range(constant, variable.ty, variable.span);
                    let value = self.constant(constant);
                    Initial::Values(vec![ir::InitialValue { offset: 0, bits: None, value }])
                }
                _ => Initial::Arbitrary,
            };
            let var = self.new_variable(&variable.name, ty, kind, variable.span);
            self.program.variables[var].initial = initial;
            self.variables.push(var);
        }
        self.program.globals = self.source.globals.iter().map(|&var| self.variables[var.index()]).collect();
        for procedure in self.source.procedures.values() {
            let formals = procedure.formals.iter().map(|&var| self.variables[var.index()]).collect();
            self.new_procedure(&procedure.name, formals, procedure.result, procedure.span);
        }
    }

    fn new_variable(&mut self, name: &str, ty: ir::TypeId, kind: ir::VarKind, span: Span) -> ir::VarId {
        let initial = Initial::Arbitrary;
        self.program.variables.push(ir::Variable { name: name.into(), ty, kind, span, align: 0, initial })
    }

    fn new_procedure(
        &mut self,
        name: &str,
        formals: Vec<ir::VarId>,
        result: Option<Ty>,
        span: Span,
    ) -> ir::ProcId {
        let result = result.map(|ty| {
            let ty = self.ty(ty);
            self.new_variable("$result", ty, ir::VarKind::Result, span)
        });
        let first = ir::LocationId::from_usize(0);
        self.program.procedures.push(ir::Procedure {
            name: name.into(),
            span,
            formals,
            variadic: false,
            locals: Vec::new(),
            result,
            external: None,
            locations: Default::default(),
            edges: Default::default(),
            entry: first,
            exit: first,
        })
    }

    fn procedure(&mut self, id: ProcId) {
        let source = &self.source.procedures[id];
        let mut body = Body::new(self, ir::ProcId::from_usize(id.index()), source.result);
        body.declare(&source.locals);
        for &formal in &source.formals {
            body.receive(formal);
        }
        body.whole(&source.body, source.end);
    }

    /// Makes the procedure that the program starts with: any values for the globals that have none,
    /// and a call of the entry with any arguments.
    fn start(&mut self, entry: ProcId) {
        let source = self.source;
        let (span, result) = (source.procedures[entry].span, source.procedures[entry].result);
        let start = self.new_procedure("$start", Vec::new(), result, span);
        let mut body = Body::new(self, start, result);
        for &global in &source.globals {
            if source.variables[global].kind == VarKind::Global(None) {
                body.make_arbitrary(global);
            }
        }
        body.call_entry(entry, span);
        self.program.entry = Some(start);
    }

    fn ty(&mut self, ty: Ty) -> ir::TypeId {
        match ty {
            Ty::Bool => self.program.bool(),
            Ty::Int | Ty::Enum(_) => self.program.intern_type(ir::Type::Integer),
        }
    }

    fn constant(&mut self, constant: Constant) -> ir::ExprId {
        match constant {
            Constant::Bool(value) => self.program.truth(value),
            Constant::Int(value) => {
                let ty = self.ty(Ty::Int);
                self.program.int(value, ty)
            }
        }
    }

    fn require_in_range(&mut self, constant: Constant, ty: Ty, span: Span) {
        if let (Constant::Int(value), Some(range)) = (constant, self.range(ty))
            && !range.contains(&value)
        {
            let (low, high) = (range.start, range.end - 1);
            self.errors
                .error(span, format!("{value} is not in the range of integers, which is {low} to {high}"));
        }
    }

    /// The numbers that are values of a type, if not all are.
    fn range(&self, ty: Ty) -> Option<Range<i128>> {
        match ty {
            Ty::Enum(id) => Some(0..self.source.enums[id].size),
            Ty::Int => self.options.integers.range(),
            Ty::Bool => None,
        }
    }
}
