//! Statements into edges.
//!
//! A statement is lowered from the current location to one that is given, so that no edge is needed
//! to join branches or to close loops.

use std::ops::Range;

use hardbop_base::{Arena, Span};
use hardbop_ir::{
    self as ir, Arbitrary, BinaryOp, Callee, Edge, ExprId, ExprKind, Location, LocationId, PlaceId, Property,
    Statement, VarId,
};

use super::{Integers, Lowering, prune};
use crate::typed::{self, Argument, Call, Expr, ProcId, Stmt, StmtKind, Target, Ty, VarKind};

/// The body of one procedure under construction.
pub(super) struct Body<'l, 'a> {
    pub(super) cx: &'l mut Lowering<'a>,
    id: ir::ProcId,
    /// The type of the result.
    result: Option<Ty>,
    locations: Arena<Location>,
    /// How many edges enter each location, those still to come included where that is known.
    entered: Vec<u32>,
    edges: Arena<Edge>,
    locals: Vec<VarId>,
    temps: u32,
    /// Where the next edge starts.
    here: LocationId,
    entry: LocationId,
    exit: LocationId,
}

/// Construction of the graph.
impl<'l, 'a> Body<'l, 'a> {
    pub(super) fn new(cx: &'l mut Lowering<'a>, id: ir::ProcId, result: Option<Ty>) -> Self {
        let mut locations = Arena::new();
        let entry = locations.push(Location::default());
        let exit = locations.push(Location::default());
        let (entered, edges, locals) = (vec![0, 0], Arena::new(), Vec::new());
        Body { cx, id, result, locations, entered, edges, locals, temps: 0, here: entry, entry, exit }
    }

    fn finish(self) {
        let graph = prune::prune(prune::Graph { locations: self.locations, edges: self.edges });
        let procedure = &mut self.cx.program.procedures[self.id];
        procedure.locals = self.locals;
        procedure.locations = graph.locations;
        procedure.edges = graph.edges;
        procedure.entry = self.entry;
        procedure.exit = self.exit;
    }

    fn ir(&mut self) -> &mut ir::Program {
        &mut self.cx.program
    }

    pub(super) fn location(&mut self) -> LocationId {
        self.entered.push(0);
        self.locations.push(Location::default())
    }

    pub(super) fn here(&self) -> LocationId {
        self.here
    }

    /// Goes on at a location.
    pub(super) fn resume(&mut self, location: LocationId) {
        self.here = location;
    }

    fn edge(&mut self, statement: Statement, target: LocationId, span: Span) {
        self.entered[target.index()] += 1;
        self.edges.push(Edge { source: self.here, target, statement, span });
    }

    /// Adds a step to a new location and goes on there.
    pub(super) fn emit(&mut self, statement: Statement, span: Span) {
        let next = self.location();
        self.edge(statement, next, span);
        self.here = next;
    }

    /// Ends at a location: the step before is redirected there, if nothing else needs its target.
    pub(super) fn join(&mut self, next: LocationId, span: Span) {
        let here = self.here;
        let last = self.edges.ids().next_back();
        if let Some(last) = last.filter(|&last| self.edges[last].target == here)
            && self.entered[here.index()] == 1
            && self.locations[here].labels.is_empty()
        {
            self.edges[last].target = next;
            self.entered[next.index()] += 1;
        } else {
            self.edge(Statement::Skip, next, span);
        }
    }

    /// The current location as one that a loop leads back to, which it must not be if it is the entry.
    fn loop_head(&mut self) -> LocationId {
        self.entered[self.here.index()] += 1;
        self.here
    }

    fn temp(&mut self, ty: ir::TypeId, span: Span) -> VarId {
        self.temps += 1;
        let var = self.cx.new_variable(&format!("${}", self.temps), ty, ir::VarKind::Temp, span);
        self.locals.push(var);
        var
    }

    /// A new temporary of a type of the language.
    pub(super) fn temp_of(&mut self, ty: Ty, span: Span) -> VarId {
        let ty = self.cx.ty(ty);
        self.temp(ty, span)
    }

    /// The value of an expression in a new temporary.
    pub(super) fn keep(&mut self, value: ExprId, span: Span) -> ExprId {
        let ty = self.ir().expr(value).ty;
        let temp = self.temp(ty, span);
        self.set(temp, value, span);
        self.ir().var(temp)
    }

    pub(super) fn set(&mut self, var: VarId, value: ExprId, span: Span) {
        let place = self.ir().var_place(var);
        self.emit(Statement::Assign(place, value), span);
    }
}

/// Arbitrary values.
impl Body<'_, '_> {
    /// Any value of a type, from a source that is shown by this name.
    pub(super) fn havoc(&mut self, place: PlaceId, ty: Ty, name: &str, span: Span) {
        self.emit(Statement::Havoc(place, Arbitrary::Nondet(name.into())), span);
        if let Some(range) = self.cx.range(ty) {
            let value = self.ir().load(place);
            self.assume_within(value, range, span);
        }
    }

    fn assume_within(&mut self, value: ExprId, range: Range<i128>, span: Span) {
        let (low, end) = (self.number(range.start), self.number(range.end));
        let least = self.ir().binary(BinaryOp::Le, low, value);
        let most = self.ir().binary(BinaryOp::Lt, value, end);
        let inside = self.ir().binary(BinaryOp::And, least, most);
        self.emit(Statement::Assume(inside), span);
    }

    /// The value of an operation on integers as the range of integers leaves it.
    pub(super) fn in_range(&mut self, value: ExprId, span: Span) -> ExprId {
        let integers = self.cx.options.integers;
        match (integers, integers.range()) {
            (Integers::Wrap(_), Some(range)) => {
                let (low, size) = (self.number(range.start), self.number(range.end - range.start));
                let moved = self.ir().binary(BinaryOp::Sub, value, low);
                let rest = self.ir().binary(BinaryOp::Rem, moved, size);
                self.ir().binary(BinaryOp::Add, rest, low)
            }
            (Integers::Stop(_), Some(range)) => {
                self.assume_within(value, range, span);
                value
            }
            _ => value,
        }
    }

    fn number(&mut self, value: i128) -> ExprId {
        self.cx.constant(typed::Constant::Int(value))
    }

    /// Gives a variable any value of its type.
    pub(super) fn make_arbitrary(&mut self, var: typed::VarId) {
        let source = &self.cx.source.variables[var];
        let place = self.variable(var);
        self.havoc(place, source.ty, &source.name, source.span);
    }

    pub(super) fn variable(&mut self, var: typed::VarId) -> PlaceId {
        let var = self.cx.variables[var.index()];
        self.ir().var_place(var)
    }

    /// What a reference refers to.
    pub(super) fn behind(&mut self, reference: typed::VarId) -> PlaceId {
        let pointer = self.cx.variables[reference.index()];
        let pointer = self.ir().var(pointer);
        self.ir().deref(pointer)
    }

    fn target(&mut self, target: Target) -> PlaceId {
        match target {
            Target::Variable(var) => self.variable(var),
            Target::Behind(reference) => self.behind(reference),
        }
    }
}

/// Whole bodies.
impl Body<'_, '_> {
    pub(super) fn declare(&mut self, locals: &[typed::VarId]) {
        self.locals.extend(locals.iter().map(|var| self.cx.variables[var.index()]));
    }

    /// Copies a formal that changes to a local, which then stands for it and carries its name.
    pub(super) fn receive(&mut self, formal: typed::VarId) {
        let source = &self.cx.source.variables[formal];
        if source.kind == VarKind::Reference || !source.changes {
            return;
        }
        let var = self.cx.variables[formal.index()];
        let (ty, span) = (self.ir().variables[var].ty, source.span);
        self.ir().variables[var].name = format!("{}$in", source.name);
        let copy = self.cx.new_variable(&source.name, ty, ir::VarKind::Local, span);
        self.locals.push(copy);
        self.cx.variables[formal.index()] = copy;
        let value = self.ir().var(var);
        self.set(copy, value, span);
    }

    /// Lowers all statements; falling off their end returns any value.
    pub(super) fn whole(mut self, statements: &[Stmt], end: Span) {
        let last = self.location();
        self.block(statements, last, end);
        self.here = last;
        if let (Some(ty), Some(result)) = (self.result, self.result_place()) {
            self.havoc(result, ty, "$result", end);
        }
        self.edge(Statement::Return, self.exit, end);
        self.finish();
    }

    fn result_place(&mut self) -> Option<PlaceId> {
        let result = self.cx.program.procedures[self.id].result?;
        Some(self.ir().var_place(result))
    }

    /// Calls the entry with any arguments and returns what it returns.
    pub(super) fn call_entry(mut self, entry: ProcId, span: Span) {
        let source = &self.cx.source.procedures[entry];
        let mut arguments = Vec::new();
        for &formal in &source.formals {
            let formal = &self.cx.source.variables[formal];
            let temp = self.temp_of(formal.ty, formal.span);
            let place = self.ir().var_place(temp);
            self.havoc(place, formal.ty, &formal.name, formal.span);
            arguments.push(self.ir().var(temp));
        }
        let result = source.result.map(|ty| self.temp_of(ty, span));
        let callee = Callee::Direct(ir::ProcId::from_usize(entry.index()));
        self.emit(Statement::Call { result, callee, arguments }, span);
        if let (Some(value), Some(place)) = (result, self.result_place()) {
            let value = self.ir().var(value);
            self.emit(Statement::Assign(place, value), span);
        }
        self.edge(Statement::Return, self.exit, span);
        self.finish();
    }
}

/// Statements.
impl Body<'_, '_> {
    fn block(&mut self, statements: &[Stmt], next: LocationId, span: Span) {
        let Some((last, others)) = statements.split_last() else {
            return self.join(next, span);
        };
        for stmt in others {
            let between = self.location();
            self.statement(stmt, between);
            self.here = between;
        }
        self.statement(last, next);
    }

    fn statement(&mut self, stmt: &Stmt, next: LocationId) {
        let span = stmt.span;
        let loops = matches!(stmt.kind, StmtKind::While(..) | StmtKind::DoWhile(..));
        if loops && self.here == self.entry {
            self.emit(Statement::Skip, span);
        }
        self.locations[self.here].labels.extend(stmt.labels.iter().cloned());
        for label in stmt.labels.iter().filter(|label| self.cx.options.error_labels.contains(label)) {
            self.emit(Statement::Error(Property::ErrorLabel(label.clone())), span);
        }
        match &stmt.kind {
            StmtKind::If(condition, then, otherwise) => {
                let condition_value = self.expr(condition);
                let fork = self.here;
                self.emit(Statement::Assume(condition_value), condition.span);
                self.block(then, next, span);
                self.here = fork;
                self.assume_not(condition_value, condition.span);
                self.block(otherwise, next, span);
            }
            StmtKind::While(condition, body) => {
                let head = self.loop_head();
                let condition_value = self.expr(condition);
                let fork = self.here;
                self.emit(Statement::Assume(condition_value), condition.span);
                self.block(body, head, span);
                self.here = fork;
                self.assume_not(condition_value, condition.span);
                self.join(next, span);
            }
            StmtKind::DoWhile(body, condition) => {
                let head = self.loop_head();
                let test = self.location();
                self.block(body, test, span);
                self.here = test;
                let condition_value = self.expr(condition);
                let fork = self.here;
                self.emit(Statement::Assume(condition_value), condition.span);
                self.join(head, span);
                self.here = fork;
                self.assume_not(condition_value, condition.span);
                self.join(next, span);
            }
            StmtKind::Case(arms, otherwise) => self.case(arms, otherwise.as_deref(), next, span),
            StmtKind::Choice(parts) => self.choice(parts, next, span),
            StmtKind::Return(value) => self.return_(value.as_ref(), span),
            _ => {
                self.simple(stmt);
                self.join(next, span);
            }
        }
    }

    /// A statement that is done when its last step is.
    fn simple(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Declare(variables) => variables.iter().for_each(|&var| self.make_arbitrary(var)),
            StmtKind::Assign(pairs) => self.assign(pairs, span),
            StmtKind::Call(target, call) => self.call(*target, call, span),
            StmtKind::Assert(condition, text) => {
                let condition = self.expr(condition);
                let failure = Statement::Error(Property::Assertion(text.clone()));
                if self.ir().as_truth(condition) == Some(false) {
                    return self.emit(failure, span);
                }
                let fork = self.here;
                self.assume_not(condition, span);
                self.emit(failure, span);
                self.here = fork;
                self.emit(Statement::Assume(condition), span);
            }
            StmtKind::Assume(condition) => {
                let condition = self.expr(condition);
                self.emit(Statement::Assume(condition), span);
            }
            _ => self.emit(Statement::Skip, span),
        }
    }

    fn assume_not(&mut self, condition: ExprId, span: Span) {
        let negation = self.ir().not(condition);
        self.emit(Statement::Assume(negation), span);
    }

    /// All guards are evaluated; then any whose guard holds. Without `else` there may be none.
    fn case(&mut self, arms: &[(Expr, Vec<Stmt>)], otherwise: Option<&[Stmt]>, next: LocationId, span: Span) {
        let guards: Vec<ExprId> = arms.iter().map(|(guard, _)| self.expr(guard)).collect();
        let mut none = self.ir().truth(true);
        if otherwise.is_some() {
            for &guard in &guards {
                let not = self.ir().not(guard);
                none = self.ir().binary(BinaryOp::And, none, not);
                none = self.shallow(none, span);
            }
        }
        let fork = self.here;
        for (&value, (guard, body)) in guards.iter().zip(arms) {
            self.here = fork;
            self.emit(Statement::Assume(value), guard.span);
            self.block(body, next, span);
        }
        if let Some(body) = otherwise {
            self.here = fork;
            self.emit(Statement::Assume(none), span);
            self.block(body, next, span);
        }
    }

    /// A plain block is not worth a step.
    fn choice(&mut self, parts: &[Vec<Stmt>], next: LocationId, span: Span) {
        if let [only] = parts {
            return self.block(only, next, span);
        }
        let fork = self.here;
        for part in parts {
            self.here = fork;
            let at = part.first().map_or(span, |stmt| stmt.span);
            self.emit(Statement::Skip, at);
            self.block(part, next, at);
        }
    }

    fn return_(&mut self, value: Option<&Expr>, span: Span) {
        if let (Some(value), Some(place)) = (value, self.result_place()) {
            self.store(place, value, span);
        }
        self.edge(Statement::Return, self.exit, span);
    }

    /// Stores a value; `?` needs no temporary.
    fn store(&mut self, place: PlaceId, value: &Expr, span: Span) {
        if let typed::ExprKind::Any = value.kind {
            return self.havoc(place, value.ty, "?", span);
        }
        let value = self.expr(value);
        self.emit(Statement::Assign(place, value), span);
    }

    /// All values are those before the assignment; then they are stored from left to right.
    fn assign(&mut self, pairs: &[(Target, Expr)], span: Span) {
        if let [(target, value)] = pairs {
            let place = self.target(*target);
            return self.store(place, value, span);
        }
        let conflict = pairs
            .iter()
            .enumerate()
            .any(|(i, (_, value))| pairs[..i].iter().any(|(target, _)| value.may_read(*target)));
        let mut values: Vec<ExprId> = pairs.iter().map(|(_, value)| self.expr(value)).collect();
        if conflict {
            for (value, (_, source)) in values.iter_mut().zip(pairs) {
                *value = self.operand(*value, source.span);
            }
        }
        for (&(target, _), value) in pairs.iter().zip(values) {
            let place = self.target(target);
            self.emit(Statement::Assign(place, value), span);
        }
    }

    /// The value as a constant, a temporary or a formal, none of which changes any more.
    fn operand(&mut self, value: ExprId, span: Span) -> ExprId {
        let fixed = match self.ir().expr(value).kind {
            ExprKind::Int(_) | ExprKind::Bool(_) => true,
            ExprKind::Load(place) => self.is_fixed(place),
            _ => false,
        };
        if fixed { value } else { self.keep(value, span) }
    }

    fn is_fixed(&mut self, place: PlaceId) -> bool {
        match self.ir().place(place).base {
            ir::PlaceBase::Var(var) => {
                matches!(self.ir().variables[var].kind, ir::VarKind::Temp | ir::VarKind::Formal)
            }
            ir::PlaceBase::Deref(_) => false,
        }
    }

    fn call(&mut self, target: Option<Target>, call: &Call, span: Span) {
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            let (value, at) = match argument {
                Argument::Value(value) => (self.expr(value), value.span),
                Argument::Address(var) => {
                    let place = self.variable(*var);
                    (self.ir().address_of(place), span)
                }
                Argument::Reference(var) => {
                    let var = self.cx.variables[var.index()];
                    (self.ir().var(var), span)
                }
            };
            arguments.push(self.operand(value, at));
        }
        let callee = ir::ProcId::from_usize(call.callee.index());
        let result_type = self.cx.source.procedures[call.callee].result;
        let result = target.and(result_type).map(|ty| self.temp_of(ty, span));
        self.emit(Statement::Call { result, callee: Callee::Direct(callee), arguments }, span);
        if let (Some(target), Some(result)) = (target, result) {
            let (place, value) = (self.target(target), self.ir().var(result));
            self.emit(Statement::Assign(place, value), span);
        }
    }
}
