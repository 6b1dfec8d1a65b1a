//! Calls: of defined functions, through pointers, and of functions nobody defines.
//!
//! Arguments are evaluated from right to left into temporaries. What the declaration and the
//! definition disagree on (units without prototypes, K&R definitions) is converted here: missing
//! arguments are arbitrary, surplus ones are dropped.

use hardbop_base::Span;
use hardbop_ir::{
    self as ir, Arbitrary, Callee, ExprId, ExprKind, FunctionType, Halt, ProcId, Property, Statement, Type,
    TypeId, VarKind,
};
use hardbop_syntax::ast::{self, AddressBase, DeclId, DeclKind};

use crate::Lowering;
use crate::body::Body;
use crate::link::{Entity, symbol_name};
use crate::standard::{self, Standard};

/// The shape of a call as its function type tells.
struct Shape {
    formals: Vec<TypeId>,
    variadic: bool,
}

/// A call whose arguments have been evaluated.
pub(crate) enum Prepared {
    /// Still to be made.
    Call { callee: Callee, arguments: Vec<ExprId>, result: Option<TypeId>, noreturn: bool },
    /// Made already, with its value if it has one: what lowering knows by name.
    Done(Option<ExprId>),
}

impl Body<'_, '_> {
    /// A call whose value is wanted; nothing if it has none.
    pub(crate) fn call(
        &mut self,
        callee: ast::ExprId,
        arguments: &[ast::ExprId],
        ty: ast::TypeId,
        span: Span,
    ) -> Option<ExprId> {
        let prepared = self.prepare_call(callee, arguments, ty, span, true);
        self.finish_call(prepared, ty, span)
    }

    /// Makes a prepared call whose value is wanted; nothing if it has none.
    pub(crate) fn finish_call(&mut self, prepared: Prepared, ty: ast::TypeId, span: Span) -> Option<ExprId> {
        let ty = self.ty(ty);
        let value = self.make_call(prepared, span, true)?;
        Some(self.converted(value, ty, span))
    }

    /// A call for its effects.
    pub(crate) fn call_effect(
        &mut self,
        callee: ast::ExprId,
        arguments: &[ast::ExprId],
        ty: ast::TypeId,
        span: Span,
    ) {
        let prepared = self.prepare_call(callee, arguments, ty, span, false);
        self.make_call(prepared, span, false);
    }

    /// Evaluates what a call passes.
    pub(crate) fn prepare_call(
        &mut self,
        callee: ast::ExprId,
        arguments: &[ast::ExprId],
        ty: ast::TypeId,
        span: Span,
        wanted: bool,
    ) -> Prepared {
        let ty = self.ty(ty);
        match self.direct_callee(callee) {
            Some(decl) => self.direct_call(decl, arguments, ty, span, wanted),
            None => self.indirect_call(callee, arguments, ty, span),
        }
    }

    fn make_call(&mut self, prepared: Prepared, span: Span, wanted: bool) -> Option<ExprId> {
        let (callee, arguments, result, noreturn) = match prepared {
            Prepared::Call { callee, arguments, result, noreturn } => (callee, arguments, result, noreturn),
            Prepared::Done(value) => return value,
        };
        let value = self.emit_call(callee, arguments, result, span, wanted);
        if noreturn {
            self.emit_last(Statement::Halt(Halt::Unreachable), span);
        }
        value
    }

    /// The function that a callee expression names.
    fn direct_callee(&self, callee: ast::ExprId) -> Option<DeclId> {
        let unit = self.unit;
        let mut expr = callee;
        loop {
            match &unit.exprs[expr].kind {
                ast::ExprKind::Decl(decl) | ast::ExprKind::Address(AddressBase::Decl(decl), 0) => {
                    return matches!(unit.decls[*decl].kind, DeclKind::Function(_)).then_some(*decl);
                }
                ast::ExprKind::Decay(inner)
                | ast::ExprKind::AddressOf(inner)
                | ast::ExprKind::Deref(inner) => {
                    expr = *inner;
                }
                _ => return None,
            }
        }
    }

    fn direct_call(
        &mut self,
        decl: DeclId,
        arguments: &[ast::ExprId],
        ty: TypeId,
        span: Span,
        wanted: bool,
    ) -> Prepared {
        let entity = self.cx.links.resolve(self.unit_index, decl);
        let target = self.cx.decl(entity);
        let name = symbol_name(target).unwrap_or_default();
        if self.cx.options.error_functions.iter().any(|f| f == name) {
            self.evaluate_arguments(arguments);
            self.emit_last(Statement::Error(Property::ErrorFunction(name.to_owned())), span);
            return Prepared::Done(None);
        }
        let DeclKind::Function(function) = &target.kind else { return Prepared::Done(None) };
        let defined = function.body.is_some();
        if !defined || self.cx.links.is_library(entity) {
            if let Some(result) = self.intrinsic(name, arguments, ty, span, wanted) {
                return Prepared::Done(result);
            }
            if let Some((model, variadic)) = self.formatting(name, arguments)
                && let Some(found) = self.cx.links.library_function(model)
            {
                let procedure = self.cx.procedure(found);
                return self.procedure_call(procedure, arguments, variadic, false, span);
            }
            // A builtin of gcc is the library function of that name.
            if let Some(plain) = name.strip_prefix("__builtin_")
                && let Some(found) = self
                    .cx
                    .links
                    .function(self.cx.units, plain)
                    .or_else(|| self.cx.links.library_function(plain))
            {
                let procedure = self.cx.procedure(found);
                return self.procedure_call(procedure, arguments, None, false, span);
            }
        }
        if !defined {
            return self.external_call(entity, function.noreturn, arguments, span);
        }
        let procedure = self.cx.procedure(entity);
        let variadic = self.declared_variadic(entity);
        self.procedure_call(procedure, arguments, variadic, function.noreturn, span)
    }

    /// The number of named formals, if more arguments may follow.
    fn declared_variadic(&self, entity: Entity) -> Option<usize> {
        let decl = self.cx.decl(entity);
        let defined = matches!(&decl.kind, DeclKind::Function(f) if f.body.is_some());
        match &self.cx.unit(entity.unit).types[decl.ty] {
            ast::Type::Function(f) if f.variadic || (!f.prototyped && !defined) => Some(f.parameters.len()),
            _ => None,
        }
    }

    fn external_call(
        &mut self,
        entity: Entity,
        noreturn: bool,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Prepared {
        let name = symbol_name(self.cx.decl(entity)).unwrap_or_default();
        let standard = standard::of(name);
        if let Some(reason) = standard.and_then(|standard| without_representation(name, standard)) {
            self.unsupported(span, reason);
            return Prepared::Done(None);
        }
        if standard.is_none() && name.starts_with("__builtin_") {
            let reason = format!("the builtin `{name}`");
            self.unsupported(span, reason);
            return Prepared::Done(None);
        }
        self.note_external(entity);
        if noreturn || standard == Some(Standard::Ends) {
            let may_call = self.cx.options.callbacks && self.cx.external_effect(name) == ir::Effect::Havoc;
            if may_call && standard.is_none() {
                let procedure = self.cx.procedure(entity);
                let variadic = self.declared_variadic(entity);
                let prepared = self.procedure_call(procedure, arguments, variadic, false, span);
                self.make_call(prepared, span, false);
            } else {
                self.evaluate_arguments(arguments);
            }
            self.emit_last(Statement::Halt(Halt::Abort), span);
            return Prepared::Done(None);
        }
        let procedure = self.cx.procedure(entity);
        let variadic = self.declared_variadic(entity);
        self.procedure_call(procedure, arguments, variadic, false, span)
    }

    /// Says what a proof takes for granted about a function nobody defines.
    pub(crate) fn note_external(&mut self, entity: Entity) {
        let span = self.cx.decl(entity).span;
        self.cx.assume_external(entity, span);
    }

    fn evaluate_arguments(&mut self, arguments: &[ast::ExprId]) {
        for &argument in arguments.iter().rev() {
            self.effect(argument);
        }
    }

    /// A call of a procedure; `variadic` is the number of named formals if more arguments may follow.
    fn procedure_call(
        &mut self,
        procedure: ProcId,
        arguments: &[ast::ExprId],
        variadic: Option<usize>,
        noreturn: bool,
        span: Span,
    ) -> Prepared {
        let shape = self.shape(procedure, variadic);
        let values = self.arguments(arguments, &shape, span);
        let result = self.ir().procedures[procedure].result;
        let result = result.map(|r| self.ir().variables[r].ty);
        Prepared::Call { callee: Callee::Direct(procedure), arguments: values, result, noreturn }
    }

    fn shape(&mut self, procedure: ProcId, variadic: Option<usize>) -> Shape {
        let formals = self.ir().procedures[procedure].formals.clone();
        let mut formals: Vec<TypeId> = formals.iter().map(|&f| self.ir().variables[f].ty).collect();
        if let Some(named) = variadic {
            formals.truncate(named);
        }
        Shape { formals, variadic: variadic.is_some() }
    }

    fn emit_call(
        &mut self,
        callee: Callee,
        arguments: Vec<ExprId>,
        result: Option<TypeId>,
        span: Span,
        wanted: bool,
    ) -> Option<ExprId> {
        let result = result.filter(|_| wanted).map(|ty| self.temp(ty, span));
        self.emit(Statement::Call { result, callee, arguments }, span);
        result.map(|r| self.ir().var(r))
    }

    /// Evaluates arguments, from right to left, to what the callee takes.
    fn arguments(&mut self, arguments: &[ast::ExprId], shape: &Shape, span: Span) -> Vec<ExprId> {
        let mut values: Vec<ExprId> = Vec::with_capacity(arguments.len());
        // Variables in registers, which are read when all else has been evaluated.
        let mut late = Vec::new();
        for (i, &argument) in arguments.iter().enumerate().rev() {
            let at = self.unit.exprs[argument].span;
            let formal = shape.formals.get(i).copied();
            if formal.is_none() && !shape.variadic {
                self.effect(argument);
                continue;
            }
            let value = self.value(argument);
            let value = match formal {
                Some(formal) => self.converted(value, formal, at),
                None => value,
            };
            if self.is_register_read(argument) && arguments[..i].iter().any(|&a| self.has_effects(a)) {
                late.push(values.len());
                values.push(value);
            } else {
                values.push(self.argument(value, at));
            }
        }
        for i in late {
            values[i] = self.argument(values[i], span);
        }
        values.reverse();
        self.completed(values, shape, span)
    }

    /// Evaluated arguments with those that are missing, which are arbitrary, and the variable ones packed.
    fn completed(&mut self, mut values: Vec<ExprId>, shape: &Shape, span: Span) -> Vec<ExprId> {
        for missing in values.len()..shape.formals.len() {
            let ty = shape.formals[missing];
            let value = self.arbitrary(ty, Arbitrary::Uninitialised, span);
            values.push(value);
        }
        if shape.variadic {
            let rest = values.split_off(shape.formals.len());
            let packed = self.pack_arguments(&rest, span);
            values.push(packed);
        }
        values
    }

    /// A value as the argument of a call: a constant or a temporary.
    fn argument(&mut self, value: ExprId, span: Span) -> ExprId {
        match self.ir().expr(value).kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) | ExprKind::Function(_) => value,
            ExprKind::Load(place) => {
                let p = self.ir().place(place).clone();
                match p.base {
                    ir::PlaceBase::Var(v)
                        if p.path.is_empty()
                            && matches!(self.ir().variables[v].kind, VarKind::Temp | VarKind::Formal) =>
                    {
                        value
                    }
                    _ => self.keep_in_temp(value, span),
                }
            }
            _ => self.keep_in_temp(value, span),
        }
    }

    fn indirect_call(
        &mut self,
        callee: ast::ExprId,
        arguments: &[ast::ExprId],
        ty: TypeId,
        span: Span,
    ) -> Prepared {
        let unit = self.unit;
        let mut pointer = self.value(callee);
        if !self.is_register_read(callee) || !arguments.iter().any(|&a| self.has_effects(a)) {
            pointer = self.keep(pointer, span);
        }
        let function = match &unit.types[unit.exprs[callee].ty] {
            ast::Type::Pointer(target) => &unit.types[*target],
            other => other,
        };
        let ast::Type::Function(function) = function else {
            self.unsupported(span, "a call of something that is not a function");
            return Prepared::Done(None);
        };
        let result = (!matches!(self.ir().ty(ty), Type::Void)).then_some(ty);
        if function.prototyped {
            let formals = function.parameters.iter().map(|&p| self.ty(p)).collect();
            let shape = Shape { formals, variadic: function.variadic };
            let values = self.arguments(arguments, &shape, span);
            let pointer = self.keep(pointer, span);
            let callee = Callee::Indirect(pointer);
            return Prepared::Call { callee, arguments: values, result, noreturn: false };
        }
        // Without a prototype the promoted arguments are passed.
        let mut formals: Vec<TypeId> = arguments.iter().map(|&a| self.ty(unit.exprs[a].ty)).collect();
        for formal in &mut formals {
            *formal = self.cx.promoted(*formal);
        }
        let shape = Shape { formals: formals.clone(), variadic: false };
        let values = self.arguments(arguments, &shape, span);
        let function =
            self.ir().intern_type(Type::Function(FunctionType { result: ty, formals, variadic: false }));
        let exact = self.ir().pointer_to(function);
        let pointer = self.keep(pointer, span);
        let pointer = self.ir().cast(pointer, exact);
        Prepared::Call { callee: Callee::Indirect(pointer), arguments: values, result, noreturn: false }
    }

    /// Calls a declared function with one value, for `cleanup`, whatever formals it has.
    pub(crate) fn call_function_with(&mut self, function: DeclId, argument: ExprId, span: Span) {
        let entity = self.cx.links.resolve(self.unit_index, function);
        let target = self.cx.decl(entity);
        if !matches!(&target.kind, DeclKind::Function(f) if f.body.is_some()) {
            self.note_external(entity);
        }
        let procedure = self.cx.procedure(entity);
        let variadic = self.declared_variadic(entity);
        let shape = self.shape(procedure, variadic);
        let mut values = Vec::new();
        if let Some(&formal) = shape.formals.first() {
            let value = self.converted(argument, formal, span);
            values.push(self.argument(value, span));
        } else if shape.variadic {
            values.push(self.argument(argument, span));
        }
        let values = self.completed(values, &shape, span);
        self.emit_call(Callee::Direct(procedure), values, None, span, false);
    }

    /// Calls a procedure without arguments, for the start of the program.
    pub(crate) fn call_plain(
        &mut self,
        procedure: ProcId,
        arguments: Vec<ExprId>,
        span: Span,
    ) -> Option<ExprId> {
        let arguments = arguments.into_iter().map(|a| self.argument(a, span)).collect();
        let result = self.ir().procedures[procedure].result;
        let result = result.map(|r| self.ir().variables[r].ty);
        self.emit_call(Callee::Direct(procedure), arguments, result, span, true)
    }

    /// Calls something that has no name in the source, such as an assembly statement.
    pub(crate) fn call_unknown(&mut self, name: &str, arguments: Vec<ExprId>, span: Span) {
        let procedure = match self.cx.externals.get(name) {
            Some(&known) => known,
            None => {
                let formal = ("$arguments".to_owned(), self.cx.variable_arguments_type(), span);
                let void = self.ir().void();
                let effect = Some(self.cx.options.externals);
                let unique = self.cx.unique_name(name);
                let new = self.cx.new_procedure(unique, span, vec![formal], void, effect);
                self.ir().procedures[new].variadic = true;
                self.cx.externals.insert(name.to_owned(), new);
                new
            }
        };
        let packed = self.pack_arguments(&arguments, span);
        self.emit_call(Callee::Direct(procedure), vec![packed], None, span, false);
    }
}

/// Why a standard function that has no model cannot be called, if that is so.
pub(crate) fn without_representation(name: &str, standard: Standard) -> Option<String> {
    match standard {
        Standard::Unsupported => Some(format!("a call of `{name}`")),
        Standard::Calls => {
            Some(format!("a call of `{name}`, which calls functions or has them called later"))
        }
        Standard::Value | Standard::Memory | Standard::Ends => None,
    }
}

impl Lowering<'_> {
    /// What a function of this name does if nobody defines it.
    pub(crate) fn external_effect(&self, name: &str) -> ir::Effect {
        match standard::of(name) {
            Some(Standard::Value) => ir::Effect::Computes,
            Some(_) => ir::Effect::Reaches,
            None => self.options.externals,
        }
    }

    /// Says what a proof takes for granted about a function nobody defines.
    pub(crate) fn assume_external(&mut self, entity: Entity, span: Span) {
        let decl = self.decl(entity);
        let name = symbol_name(decl).unwrap_or("?");
        if self.options.error_functions.iter().any(|f| f == name) {
            return;
        }
        let noreturn = matches!(&decl.kind, DeclKind::Function(f) if f.noreturn);
        let standard = standard::of(name);
        let text = match (noreturn || standard == Some(Standard::Ends), self.external_effect(name)) {
            _ if standard.is_some_and(|standard| without_representation(name, standard).is_some()) => return,
            (true, _) if self.options.callbacks && standard.is_none() => {
                format!("`{name}` is not defined and ends the run, {}", crate::callback::CALLS_NOTHING)
            }
            (true, _) => format!("`{name}` is not defined and ends the run"),
            (false, ir::Effect::Pure) => {
                format!("`{name}` is not defined: its result is arbitrary and it changes nothing")
            }
            (false, ir::Effect::Computes) => {
                format!("`{name}` is a standard function without a model: its result is arbitrary")
            }
            (false, ir::Effect::Reaches) => format!(
                "`{name}` is a standard function without a model: its result and what its arguments reach become arbitrary"
            ),
            (false, ir::Effect::Havoc) => format!(
                "`{name}` is not defined: its result and all it can reach become arbitrary, {}",
                crate::callback::CALLS_NOTHING
            ),
        };
        self.assume(span, text);
    }
}
