//! The body of one procedure under construction: its graph, its variables and its scopes.
//!
//! Statements are appended at the current location. After a jump there is none; code that follows
//! gets a location that nothing leads to, and tidying removes it unless a label makes it live.

use hardbop_base::{Arena, Span};
use hardbop_ir::{
    self as ir, Arbitrary, Edge, ExprId, Location, LocationId, PlaceId, ProcId, Program, Statement, TypeId,
    VarId, VarKind,
};
use hardbop_syntax::ast::{self, DeclId, LabelId};
use rustc_hash::FxHashMap;

use crate::call::without_representation;
use crate::link::Entity;
use crate::{Lowering, tidy};

/// Expressions deeper than this are cut by a temporary.
const MAX_DEPTH: u16 = 64;

/// Where the value of a declaration of a function is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Home {
    /// In a variable.
    Variable(VarId),
    /// In an object on the stack whose address is in this variable: a variable-length array.
    Behind(VarId),
}

/// A `switch` under construction.
#[derive(Debug, Default)]
pub(crate) struct Switch {
    pub cases: Vec<(i128, i128, LocationId)>,
    pub default: Option<LocationId>,
}

/// A place that `break` or `continue` leads to, and how many scopes are open there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub location: LocationId,
    pub scopes: usize,
}

/// A block under construction.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub id: u32,
    /// The variables with a cleanup function, in order.
    pub cleanups: Vec<(Home, DeclId)>,
}

/// A `goto` that may leave variables with a cleanup function.
#[derive(Debug)]
pub(crate) struct PendingGoto {
    pub from: LocationId,
    pub label: LabelId,
    pub scopes: Vec<Scope>,
    pub span: Span,
}

/// The body of one procedure under construction.
pub(crate) struct Body<'l, 'a> {
    pub cx: &'l mut Lowering<'a>,
    pub unit_index: usize,
    pub unit: &'a ast::Unit,
    pub name: String,
    locations: Arena<Location>,
    edges: Arena<Edge>,
    here: Option<LocationId>,
    entry: LocationId,
    exit: LocationId,
    locals: Vec<VarId>,
    pub result: Option<VarId>,
    /// The hidden formal that points to the variable arguments.
    pub variable_arguments: Option<VarId>,
    names: FxHashMap<String, u32>,
    temps: u32,
    pub homes: FxHashMap<DeclId, Home>,
    pub labels: FxHashMap<LabelId, LocationId>,
    pub breaks: Vec<Target>,
    pub continues: Vec<Target>,
    pub switches: Vec<Switch>,
    /// The open scopes, innermost last.
    pub scopes: Vec<Scope>,
    pub scope_count: u32,
    /// The scopes open at each label seen so far, and how many cleanup functions each had.
    pub label_scopes: FxHashMap<LabelId, Vec<(u32, usize)>>,
    /// Jumps out of scopes with cleanup functions, to be completed when all labels are known.
    pub pending_gotos: Vec<PendingGoto>,
    /// Lengths of variable-length arrays that have been evaluated.
    pub lengths: FxHashMap<ast::ExprId, VarId>,
    pub computed_gotos: Vec<(LocationId, ExprId, Span)>,
    /// Whether a declaration may be passed more than once in an activation.
    pub repeats: bool,
}

impl<'l, 'a> Body<'l, 'a> {
    /// An empty body for code of a unit.
    pub(crate) fn new(cx: &'l mut Lowering<'a>, unit_index: usize, name: &str) -> Self {
        let mut locations = Arena::new();
        let entry = locations.push(Location::default());
        let exit = locations.push(Location::default());
        let start = locations.push(Location::default());
        let mut edges = Arena::new();
        edges.push(Edge { source: entry, target: start, statement: Statement::Skip, span: Span::none() });
        let unit = cx.unit(unit_index);
        Body {
            cx,
            unit_index,
            unit,
            name: name.to_owned(),
            locations,
            edges,
            here: Some(start),
            entry,
            exit,
            locals: Vec::new(),
            result: None,
            variable_arguments: None,
            names: FxHashMap::default(),
            temps: 0,
            homes: FxHashMap::default(),
            labels: FxHashMap::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            scopes: Vec::new(),
            scope_count: 0,
            label_scopes: FxHashMap::default(),
            pending_gotos: Vec::new(),
            lengths: FxHashMap::default(),
            computed_gotos: Vec::new(),
            repeats: false,
        }
    }

    /// The program being built.
    pub(crate) fn ir(&mut self) -> &mut Program {
        &mut self.cx.program
    }

    /// Puts the finished body into its procedure.
    pub(crate) fn finish(mut self, procedure: ProcId) {
        self.connect_gotos();
        self.connect_computed_gotos();
        let graph = tidy::tidy(tidy::Graph {
            locations: self.locations,
            edges: self.edges,
            entry: self.entry,
            exit: self.exit,
        });
        let p = &mut self.cx.program.procedures[procedure];
        p.locals = self.locals;
        p.locations = graph.locations;
        p.edges = graph.edges;
        p.entry = graph.entry;
        p.exit = graph.exit;
    }

    fn connect_computed_gotos(&mut self) {
        for (from, address, span) in std::mem::take(&mut self.computed_gotos) {
            let ty = self.ir().expr(address).ty;
            let mut targets: Vec<(LabelId, LocationId)> = self
                .labels
                .iter()
                .filter(|(label, _)| self.cx.facts[self.unit_index].addressed_labels.contains(label))
                .map(|(&label, &location)| (label, location))
                .collect();
            targets.sort_unstable();
            for (label, location) in targets {
                let number = self.ir().int(label_number(label), ty);
                let chosen = self.ir().binary(ir::BinaryOp::Eq, address, number);
                self.edge(from, location, Statement::Assume(chosen), span);
            }
        }
    }

    // --- the graph ---

    /// A new location.
    pub(crate) fn location(&mut self) -> LocationId {
        self.locations.push(Location::default())
    }

    /// Writes a label of the source to a location.
    pub(crate) fn label_location(&mut self, location: LocationId, label: &str) {
        self.locations[location].labels.push(label.to_owned());
    }

    /// The current location; after a jump, one that nothing leads to.
    pub(crate) fn here(&mut self) -> LocationId {
        match self.here {
            Some(here) => here,
            None => {
                let fresh = self.location();
                self.here = Some(fresh);
                fresh
            }
        }
    }

    /// Whether control can get here, as far as straight-line code tells.
    pub(crate) fn is_live(&self) -> bool {
        self.here.is_some()
    }

    /// Adds an edge.
    pub(crate) fn edge(&mut self, source: LocationId, target: LocationId, statement: Statement, span: Span) {
        self.edges.push(Edge { source, target, statement, span });
    }

    /// Appends a statement.
    pub(crate) fn emit(&mut self, statement: Statement, span: Span) {
        let source = self.here();
        let target = self.location();
        self.edge(source, target, statement, span);
        self.here = Some(target);
    }

    /// Appends a statement after which control does not go on.
    pub(crate) fn emit_last(&mut self, statement: Statement, span: Span) {
        self.emit(statement, span);
        self.here = None;
    }

    /// Control does not go on from here by itself.
    pub(crate) fn stop_here(&mut self) {
        self.here = None;
    }

    /// Goes on at a location.
    pub(crate) fn continue_at(&mut self, location: LocationId) {
        self.here = Some(location);
    }

    /// Jumps to a location, if control gets here.
    pub(crate) fn jump(&mut self, target: LocationId, span: Span) {
        if let Some(source) = self.here.take() {
            self.edge(source, target, Statement::Skip, span);
        }
    }

    /// Leaves the procedure.
    pub(crate) fn emit_return(&mut self, span: Span) {
        let source = self.here();
        let exit = self.exit;
        self.edge(source, exit, Statement::Return, span);
        self.here = None;
    }

    /// Splits control by a condition.
    pub(crate) fn split(&mut self, condition: ExprId, yes: LocationId, no: LocationId, span: Span) {
        let source = self.here();
        self.here = None;
        match self.ir().as_truth(condition) {
            Some(value) => self.edge(source, if value { yes } else { no }, Statement::Skip, span),
            None => {
                let negated = self.ir().not(condition);
                self.edge(source, yes, Statement::Assume(condition), span);
                self.edge(source, no, Statement::Assume(negated), span);
            }
        }
    }

    /// Says that something has no representation.
    pub(crate) fn unsupported(&mut self, span: Span, reason: impl Into<String>) {
        self.emit_last(Statement::Unsupported(reason.into()), span);
    }

    // --- variables ---

    /// A new variable of the procedure.
    pub(crate) fn variable(&mut self, name: &str, ty: TypeId, kind: VarKind, span: Span) -> VarId {
        let name = self.unique_name(name);
        let initial = ir::Initial::Arbitrary;
        self.ir().variables.push(ir::Variable { name, ty, kind, span, align: 0, initial })
    }

    fn unique_name(&mut self, wanted: &str) -> String {
        let count = self.names.entry(wanted.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return wanted.to_owned();
        }
        let candidate = format!("{wanted}${count}");
        self.unique_name(&candidate)
    }

    /// A new local of the source, one object per activation.
    pub(crate) fn local(&mut self, name: &str, ty: TypeId, span: Span) -> VarId {
        let variable = self.variable(name, ty, VarKind::Local, span);
        self.locals.push(variable);
        variable
    }

    /// A new temporary.
    pub(crate) fn temp(&mut self, ty: TypeId, span: Span) -> VarId {
        self.temps += 1;
        let name = format!("${}", self.temps);
        let variable = self.variable(&name, ty, VarKind::Temp, span);
        self.locals.push(variable);
        variable
    }

    /// Assigns a variable.
    pub(crate) fn set(&mut self, variable: VarId, value: ExprId, span: Span) {
        let place = self.ir().var_place(variable);
        self.emit(Statement::Assign(place, value), span);
    }

    /// Keeps a value in a temporary; constants stay as they are.
    pub(crate) fn keep(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.is_fixed(value) {
            return value;
        }
        self.keep_in_temp(value, span)
    }

    /// Keeps a value in a new temporary.
    pub(crate) fn keep_in_temp(&mut self, value: ExprId, span: Span) -> ExprId {
        let ty = self.ir().expr(value).ty;
        let temp = self.temp(ty, span);
        self.set(temp, value, span);
        self.ir().var(temp)
    }

    /// Whether nothing that happens later can change the value.
    pub(crate) fn is_fixed(&mut self, value: ExprId) -> bool {
        match self.ir().expr(value).kind.clone() {
            ir::ExprKind::Int(_)
            | ir::ExprKind::Bool(_)
            | ir::ExprKind::Float(_)
            | ir::ExprKind::Function(_) => true,
            ir::ExprKind::Load(place) => self.is_fixed_variable(place),
            ir::ExprKind::AddressOf(place) => {
                let place = self.ir().place(place).clone();
                matches!(place.base, ir::PlaceBase::Var(_))
                    && place.path.iter().all(|step| match *step {
                        ir::Projection::Field(_) => true,
                        ir::Projection::Index(index) => self.is_fixed(index),
                    })
            }
            ir::ExprKind::Cast(operand) => self.is_fixed(operand),
            _ => false,
        }
    }

    fn is_fixed_variable(&mut self, place: PlaceId) -> bool {
        let ir::PlaceBase::Var(variable) = self.ir().place(place).base else { return false };
        let kind = self.ir().variables[variable].kind;
        // Temporaries are assigned once on every path to their use.
        self.ir().place(place).path.is_empty() && matches!(kind, VarKind::Temp | VarKind::Formal)
    }

    /// Cuts a value that has become deep.
    pub(crate) fn shallow(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.cx.depth(value) > MAX_DEPTH { self.keep_in_temp(value, span) } else { value }
    }

    /// An arbitrary value of a type.
    pub(crate) fn arbitrary(&mut self, ty: TypeId, source: Arbitrary, span: Span) -> ExprId {
        let temp = self.temp(ty, span);
        let place = self.ir().var_place(temp);
        self.emit(Statement::Havoc(place, source), span);
        self.ir().var(temp)
    }

    /// A value that stands for the result of something unsupported, which control never reaches.
    pub(crate) fn unsupported_value(&mut self, ty: TypeId, span: Span, reason: impl Into<String>) -> ExprId {
        self.unsupported(span, reason);
        self.no_value(ty, span)
    }

    /// What stands for the result of something that has none, though a type is declared for it.
    pub(crate) fn no_value(&mut self, ty: TypeId, span: Span) -> ExprId {
        match self.ir().ty(ty) {
            ir::Type::Void => self.ir().int(0, ty),
            _ => self.arbitrary(ty, Arbitrary::Uninitialised, span),
        }
    }

    /// The type that a type of the unit becomes.
    pub(crate) fn ty(&mut self, ty: ast::TypeId) -> TypeId {
        self.cx.ty(self.unit_index, ty)
    }

    /// Whether evaluating the expression may change the state.
    pub(crate) fn has_effects(&self, expr: ast::ExprId) -> bool {
        self.cx.facts[self.unit_index].has_effects(expr)
    }
}

/// The number that stands for the address of a label.
pub(crate) fn label_number(label: LabelId) -> i128 {
    label.index() as i128 + 1
}

impl Lowering<'_> {
    /// The procedure for a declared function, lowered later if it is defined.
    pub(crate) fn procedure(&mut self, entity: Entity) -> ProcId {
        if let Some(&known) = self.procedures.get(&entity) {
            return known;
        }
        let decl = self.decl(entity);
        let ast::DeclKind::Function(function) = &decl.kind else {
            unreachable!("linking keeps functions and objects apart")
        };
        let symbol = crate::link::symbol_name(decl).unwrap_or("$function");
        let name = self.unique_name(symbol);
        let ast::Type::Function(ty) = &self.unit(entity.unit).types[decl.ty] else {
            unreachable!("functions have function types")
        };
        // An error function is an error however it is called.
        let is_error = self.options.error_functions.iter().any(|function| function == symbol);
        let (unit, defined) = (entity.unit, function.body.is_some());
        let variadic = !is_error && (ty.variadic || (!ty.prototyped && !defined));
        let mut formals = Vec::new();
        if is_error {
            // Whatever it is passed does not matter.
        } else if defined {
            for &parameter in &function.parameters {
                let p = &self.unit(unit).decls[parameter];
                let mut formal = self.ty(unit, p.ty);
                if !ty.prototyped {
                    formal = self.promoted(formal);
                }
                formals.push((p.name.clone().unwrap_or_else(|| "$unnamed".into()), formal, p.span));
            }
        } else {
            for (i, &parameter) in ty.parameters.iter().enumerate() {
                formals.push((format!("${i}"), self.ty(unit, parameter), decl.span));
            }
        }
        if variadic {
            formals.push(("$arguments".into(), self.variable_arguments_type(), decl.span));
        }
        let result = self.ty(unit, ty.result);
        let unsupported = if defined || is_error {
            None
        } else {
            crate::standard::of(symbol).and_then(|standard| without_representation(symbol, standard))
        };
        let has_body = defined || is_error || unsupported.is_some();
        let external = (!has_body).then(|| self.external_effect(symbol));
        let standard = external.filter(|effect| effect.is_standard());
        let changed = standard.map(|_| self.changed_by(symbol)).unwrap_or_default();
        let inner = standard.filter(|_| !changed.is_empty()).map(|effect| {
            let name = self.unique_name(symbol);
            self.new_procedure(name, decl.span, formals.clone(), result, Some(effect))
        });
        let external = external.filter(|_| inner.is_none());
        let id = self.new_procedure(name, decl.span, formals, result, external);
        self.program.procedures[id].variadic = variadic;
        self.procedures.insert(entity, id);
        if let Some(inner) = inner {
            self.wrap(id, inner, &changed, (unit, symbol));
        }
        if is_error {
            let mut body = Body::new(self, unit, "$error");
            body.emit_last(Statement::Error(ir::Property::ErrorFunction(symbol.to_owned())), decl.span);
            body.finish(id);
        } else if let Some(reason) = unsupported {
            let mut body = Body::new(self, unit, symbol);
            body.unsupported(decl.span, reason);
            body.finish(id);
        } else if defined {
            self.jobs.push(crate::Job::Function(entity, id));
        }
        id
    }

    /// A procedure that calls another one with its formals, after which these variables have changed.
    fn wrap(&mut self, outer: ProcId, inner: ProcId, changed: &[VarId], (unit, name): (usize, &str)) {
        let p = &self.program.procedures[outer];
        let (span, formals, result) = (p.span, p.formals.clone(), p.result);
        let mut body = Body::new(self, unit, name);
        // Formals without a name have numbers, too.
        body.temps = u32::try_from(formals.len()).unwrap_or_default();
        let arguments = formals.into_iter().map(|formal| body.ir().var(formal)).collect();
        let value = body.call_plain(inner, arguments, span);
        for &variable in changed {
            let place = body.ir().var_place(variable);
            body.emit(Statement::Havoc(place, Arbitrary::Library(name.to_owned())), span);
        }
        if let (Some(result), Some(value)) = (result, value) {
            body.set(result, value, span);
        }
        body.emit_return(span);
        body.finish(outer);
    }

    /// A procedure without a body.
    pub(crate) fn new_procedure(
        &mut self,
        name: String,
        span: Span,
        formals: Vec<(String, TypeId, Span)>,
        result: TypeId,
        external: Option<ir::Effect>,
    ) -> ProcId {
        let mut names = FxHashMap::<String, u32>::default();
        let formals = formals
            .into_iter()
            .map(|(name, ty, span)| {
                let count = names.entry(name.clone()).and_modify(|n| *n += 1).or_insert(1);
                let name = if *count == 1 { name } else { format!("{name}${count}") };
                let (kind, initial) = (VarKind::Formal, ir::Initial::Arbitrary);
                self.program.variables.push(ir::Variable { name, ty, kind, span, align: 0, initial })
            })
            .collect();
        let has_result = !matches!(self.program.ty(result), ir::Type::Void);
        let result = has_result.then(|| {
            let (name, kind, initial) = ("$result".into(), VarKind::Result, ir::Initial::Arbitrary);
            self.program.variables.push(ir::Variable { name, ty: result, kind, span, align: 0, initial })
        });
        let first = LocationId::from_usize(0);
        self.program.procedures.push(ir::Procedure {
            name,
            span,
            formals,
            variadic: false,
            locals: Vec::new(),
            result,
            external,
            locations: Arena::new(),
            edges: Arena::new(),
            entry: first,
            exit: first,
        })
    }

    /// Lowers the body of a function.
    pub(crate) fn lower_function(&mut self, entity: Entity, procedure: ProcId) {
        let decl = self.decl(entity);
        let ast::DeclKind::Function(function) = &decl.kind else { return };
        let Some(statement) = function.body else { return };
        let name = self.program.procedures[procedure].name.clone();
        let formals = self.program.procedures[procedure].formals.clone();
        let result = self.program.procedures[procedure].result;
        let mut body = Body::new(self, entity.unit, &name);
        body.result = result;
        body.names.insert("$result".into(), 1);
        for &formal in &formals {
            let name = body.ir().variables[formal].name.clone();
            body.names.insert(name, 1);
        }
        for (&parameter, &formal) in function.parameters.iter().zip(&formals) {
            body.receive(parameter, formal);
        }
        for &parameter in &function.parameters {
            let ty = body.unit.decls[parameter].ty;
            body.evaluate_lengths(ty);
        }
        if formals.len() > function.parameters.len() {
            body.variable_arguments = formals.last().copied();
        }
        body.repeats = body.has_labels(statement);
        body.function_body(statement);
        body.finish(procedure);
    }
}

impl Body<'_, '_> {
    /// Gives a parameter its home: the formal itself if it is only read, else a copy.
    fn receive(&mut self, parameter: DeclId, formal: VarId) {
        let decl = &self.unit.decls[parameter];
        let ty = self.ty(decl.ty);
        let formal_ty = self.ir().variables[formal].ty;
        if ty == formal_ty && self.cx.facts[self.unit_index].is_read_only(parameter) {
            self.homes.insert(parameter, Home::Variable(formal));
            return;
        }
        let name = decl.name.clone().unwrap_or_else(|| "$unnamed".into());
        // The copy carries the name of the source, the formal steps back.
        let hidden = format!("{name}$in");
        let hidden = self.unique_name(&hidden);
        self.names.remove(&name);
        self.ir().variables[formal].name = hidden;
        let local = self.local(&name, ty, decl.span);
        let value = self.ir().var(formal);
        let value = self.ir().cast(value, ty);
        self.set(local, value, decl.span);
        self.homes.insert(parameter, Home::Variable(local));
    }
}
