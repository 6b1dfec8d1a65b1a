//! The checker: resolves names, finds types, and reports everything that syntax does not exclude.
//!
//! All errors are collected: a part that is wrong is left out, and its surroundings are checked. The
//! typed program is handed out only if there was no error.
//!
//! Names: enumerations, their values, globals and procedures share one space, and no formal or local
//! has such a name. Within a procedure, all formals and locals have different names. So a name in a
//! trace or a predicate never needs an explanation.

mod body;
mod expr;

use hardbop_base::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

use crate::ast::{self, Item, Mode, Name, TypeKind};
use crate::lexer::is_name;
use crate::typed::{
    Constant, Enum, EnumId, ExprKind, ProcId, Procedure, Program, Ty, VarId, VarKind, Variable,
};

/// All errors of a program that syntax does not exclude.
pub fn check(program: &ast::Program) -> Diagnostics {
    resolve(program).err().unwrap_or_default()
}

/// Checks a program and resolves its names.
pub(crate) fn resolve(program: &ast::Program) -> Result<Program, Diagnostics> {
    let mut checker = Checker::default();
    checker.declare(program);
    for (item, id) in program.items.iter().filter_map(as_procedure).zip(0..) {
        checker.procedure(item, ProcId::from_usize(id));
    }
    if checker.diagnostics.has_errors() {
        return Err(checker.diagnostics.in_text_order());
    }
    Ok(checker.program)
}

fn as_procedure(item: &Item) -> Option<&ast::Procedure> {
    match item {
        Item::Procedure(procedure) => Some(procedure),
        _ => None,
    }
}

/// What a name stands for everywhere.
#[derive(Debug, Clone, Copy)]
enum Entity {
    Enum(EnumId),
    /// A value of an enumeration and its position.
    Value(EnumId, i128),
    Global(VarId),
    Procedure(ProcId),
}

/// What a call must know of a procedure.
struct Signature {
    formals: Vec<(Mode, Ty)>,
    result: Option<Ty>,
    span: Span,
}

#[derive(Default)]
struct Checker<'a> {
    diagnostics: Diagnostics,
    program: Program,
    names: FxHashMap<&'a str, (Entity, Span)>,
    /// One for each procedure; nothing where the header is wrong.
    signatures: Vec<Option<Signature>>,
    /// The variables of the current procedure that can be seen.
    visible: FxHashMap<&'a str, VarId>,
    /// Those of them that open blocks declared, in order.
    scope: Vec<&'a str>,
    /// Where each name of the current procedure was declared.
    declared: FxHashMap<&'a str, Span>,
    labels: FxHashMap<&'a str, Span>,
    /// The locals of the current procedure.
    locals: Vec<VarId>,
    /// The type of its result.
    result: Option<Ty>,
}

impl<'a> Checker<'a> {
    /// Enters what is visible everywhere, so that it may be used in any order.
    fn declare(&mut self, program: &'a ast::Program) {
        for item in &program.items {
            if let Item::Enum(item) = item {
                self.declare_enum(item);
            }
        }
        for item in &program.items {
            match item {
                Item::Globals(decl) => self.declare_globals(decl),
                Item::Procedure(procedure) => {
                    let id = ProcId::from_usize(self.signatures.len());
                    self.declare_global_name(&procedure.name, Entity::Procedure(id));
                    let signature = self.signature(procedure);
                    self.signatures.push(signature);
                }
                Item::Enum(_) => {}
            }
        }
    }

    fn declare_enum(&mut self, item: &'a ast::Enum) {
        let size = item.values.len() as i128;
        let id = self.program.enums.push(Enum { name: item.name.text.clone(), size });
        self.declare_global_name(&item.name, Entity::Enum(id));
        for (value, position) in item.values.iter().zip(0..) {
            self.declare_global_name(value, Entity::Value(id, position));
        }
        if item.values.is_empty() {
            self.error(item.name.span, format!("enumeration `{}` has no values", item.name));
        }
    }

    fn declare_global_name(&mut self, name: &'a Name, entity: Entity) -> bool {
        self.check_spelling(name);
        if let Some(&(_, first)) = self.names.get(name.text.as_str()) {
            self.declared_twice(name, first);
            return false;
        }
        self.names.insert(&name.text, (entity, name.span));
        true
    }

    fn declare_globals(&mut self, decl: &'a ast::Decl) {
        let Some(ty) = self.ty(&decl.ty) else { return };
        let starts = self.global_starts(decl, ty);
        for (i, name) in decl.names.iter().enumerate() {
            let start = starts.get(i).copied().flatten();
            let id = self.new_variable(name, ty, VarKind::Global(start));
            if self.declare_global_name(name, Entity::Global(id)) {
                self.program.globals.push(id);
            }
        }
    }

    /// What each global of a declaration starts with, as far as that is not arbitrary.
    fn global_starts(&mut self, decl: &'a ast::Decl, ty: Ty) -> Vec<Option<Constant>> {
        let values = match &decl.start {
            None => return Vec::new(),
            Some(ast::Source::Values(values)) => values,
            Some(ast::Source::Call(call)) => {
                self.error(call.span, "a global starts with a constant or with `?`");
                return Vec::new();
            }
        };
        let span = values.first().map_or(decl.ty.span, |value| value.span);
        self.check_count(values.len(), &decl.names, span);
        let starts = values.iter().map(|value| {
            let typed = self.expr(value, ty)?;
            match constant(&typed.kind) {
                Some(constant) => Some(constant),
                None => {
                    if !matches!(typed.kind, ExprKind::Any) {
                        self.error(value.span, "a global starts with a constant or with `?`");
                    }
                    None
                }
            }
        });
        starts.collect()
    }

    fn signature(&mut self, procedure: &ast::Procedure) -> Option<Signature> {
        let formals: Vec<Option<(Mode, Ty)>> =
            procedure.formals.iter().map(|formal| Some((formal.mode, self.ty(&formal.ty)?))).collect();
        let result = match &procedure.result {
            Some(ty) => Some(self.ty(ty)?),
            None => None,
        };
        Some(Signature { formals: formals.into_iter().collect::<Option<_>>()?, result, span: procedure.span })
    }

    fn ty(&mut self, ty: &ast::Type) -> Option<Ty> {
        match &ty.kind {
            TypeKind::Int => Some(Ty::Int),
            TypeKind::Bool => Some(Ty::Bool),
            TypeKind::Named(name) => match self.names.get(name.as_str()) {
                Some(&(Entity::Enum(id), _)) => Some(Ty::Enum(id)),
                _ => {
                    self.error(ty.span, format!("there is no type `{name}`"));
                    None
                }
            },
        }
    }

    fn new_variable(&mut self, name: &Name, ty: Ty, kind: VarKind) -> VarId {
        let (text, span) = (name.text.clone(), name.span);
        self.program.variables.push(Variable { name: text, ty, kind, changes: false, span })
    }

    /// Declares a formal or a local, which becomes visible when the caller says so.
    fn declare_own(&mut self, name: &'a Name, ty: Ty, kind: VarKind) -> VarId {
        self.check_spelling(name);
        let known = self.declared.get(name.text.as_str()).copied();
        let known = known.or_else(|| self.names.get(name.text.as_str()).map(|&(_, span)| span));
        match known {
            Some(first) => self.declared_twice(name, first),
            None => {
                self.declared.insert(&name.text, name.span);
            }
        }
        self.new_variable(name, ty, kind)
    }

    fn procedure(&mut self, source: &'a ast::Procedure, id: ProcId) {
        self.visible.clear();
        self.declared.clear();
        self.labels.clear();
        let signature = self.signatures[id.index()].as_ref();
        let types: Vec<Ty> = signature.map_or_else(Vec::new, |s| s.formals.iter().map(|f| f.1).collect());
        self.result = signature.and_then(|s| s.result);
        let mut formals = Vec::new();
        for (i, formal) in source.formals.iter().enumerate() {
            let kind = if formal.mode == Mode::Value { VarKind::Value } else { VarKind::Reference };
            let var = self.declare_own(&formal.name, types.get(i).copied().unwrap_or(Ty::Int), kind);
            self.visible.insert(&formal.name.text, var);
            formals.push(var);
        }
        let body = self.block(&source.body);
        self.program.procedures.push(Procedure {
            name: source.name.text.clone(),
            formals,
            locals: std::mem::take(&mut self.locals),
            result: self.result,
            body,
            span: source.span,
            end: source.end,
        });
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.error(span, message);
    }

    fn declared_twice(&mut self, name: &Name, first: Span) {
        let message = format!("`{name}` is declared twice");
        self.diagnostics.push(Diagnostic::error(name.span, message).with_note(first, "first declared here"));
    }

    fn check_count(&mut self, values: usize, names: &[Name], span: Span) {
        if values != names.len() {
            self.error(span, format!("{} for {}", count(values, "value"), count(names.len(), "variable")));
        }
    }

    /// Programs built by hand may contain names that cannot be read back.
    fn check_spelling(&mut self, name: &Name) {
        if !is_name(&name.text) {
            self.error(name.span, format!("`{}` is not a name", name.text.escape_debug()));
        }
    }

    fn show(&self, ty: Ty) -> String {
        match ty {
            Ty::Int => "int".into(),
            Ty::Bool => "bool".into(),
            Ty::Enum(id) => self.program.enums[id].name.clone(),
        }
    }
}

/// The constant that an expression is.
fn constant(kind: &ExprKind) -> Option<Constant> {
    match kind {
        ExprKind::Constant(constant) => Some(*constant),
        ExprKind::Negate(operand) => match operand.kind {
            ExprKind::Constant(Constant::Int(value)) => Some(Constant::Int(-value)),
            _ => None,
        },
        _ => None,
    }
}

/// `2 values`
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
