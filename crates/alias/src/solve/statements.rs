//! Constraints of statements and calls.

use hardbop_ir::{
    Arbitrary, Callee, EdgeId, Effect, ExprId, ExprKind, PlaceId, ProcId, Program, Statement, TypeId, VarId,
};

use super::values::{addresses_in, pointers_in};
use super::{CallSite, NodeId, Solver, Use};
use crate::flow::Tells;
use crate::location::{Length, Location, Step};
use crate::object::ObjectKind;
use crate::uninitialised::used_without_value;
use crate::walk;

/// How much memory a statement is about: whether a run gets past it may depend on that.
fn sizes(statement: &Statement) -> Vec<ExprId> {
    match *statement {
        Statement::Allocate { size, .. } => vec![size],
        Statement::Copy { length, .. } => vec![length],
        Statement::Fill { byte, length, .. } => vec![byte, length],
        _ => Vec::new(),
    }
}

/// Constraints of statements.
impl Solver<'_> {
    pub(super) fn reach(&mut self, procedure: ProcId) {
        if self.calls.reach(procedure) {
            self.pending.push(procedure);
        }
    }

    pub(super) fn procedure(&mut self, procedure: ProcId) {
        let program = self.program;
        let objects = &self.objects;
        let is_register = |var| objects.variable(var).is_none();
        for var in used_without_value(program, &program.procedures[procedure], is_register) {
            self.become_arbitrary(var);
        }
        for (edge, e) in program.procedures[procedure].edges.iter() {
            self.statement(procedure, edge, &e.statement);
            self.telling(&e.statement);
        }
    }

    /// What the expressions of a statement tell control flow.
    fn telling(&mut self, statement: &Statement) {
        let mut told = Vec::new();
        let flow = self.flow;
        let (mut noticed, mut compared) = (sizes(statement), Vec::new());
        noticed.retain(|&size| flow.can_tell(size));
        walk::statement_exprs(self.program, statement, &mut self.seen, &mut |expr| {
            told.extend(flow.tells(expr));
            noticed.extend(flow.scrambles(expr));
            compared.extend(flow.compares(expr));
        });
        for expr in noticed {
            if let Some(node) = self.value(expr) {
                self.connect(node, self.noticed, Step::NONE);
            }
        }
        for (a, b, how) in compared {
            match (self.value(a), self.value(b)) {
                (Some(a), Some(b)) => self.comparisons.push((a, b, how)),
                (a, b) => {
                    a.or(b).into_iter().for_each(|node| self.connect(node, self.noticed, Step::NONE));
                }
            }
        }
        if let (Some(place), _) = hardbop_ir::visit::operands(statement) {
            told.extend(flow.told_by_indices(place));
        }
        for Tells { expr, what } in told {
            if let Some(node) = self.value(expr) {
                self.attach(node, Use::Tell(what));
            }
        }
    }

    /// Notes that a scalar place is written.
    fn overwrite(&mut self, place: PlaceId) {
        if self.program.whole_variable(place).is_some_and(|var| self.objects.variable(var).is_none()) {
            return;
        }
        let address = self.address(place);
        let numbers = !self.program.is_pointer(self.program.place(place).ty);
        let length = Length::Known(self.flow.width(place));
        self.attach(address, Use::Write { length, numbers });
    }

    fn statement(&mut self, procedure: ProcId, edge: EdgeId, statement: &Statement) {
        match *statement {
            Statement::Assign(place, expr) if self.program.is_scalar(self.program.place(place).ty) => {
                self.overwrite(place);
                if let Some(value) = self.value(expr) {
                    self.assign(place, value);
                }
            }
            Statement::Assign(place, expr) => {
                if let ExprKind::Load(source) = self.program.expr(expr).kind {
                    let (source, target) = (self.address(source), self.address(place));
                    let length = Length::Known(self.program.size_of(self.program.place(place).ty));
                    self.copy(source, target, length);
                }
            }
            // Storage without a value points nowhere.
            Statement::Havoc(_, Arbitrary::Uninitialised) => {}
            Statement::Havoc(place, _) => {
                if self.program.is_scalar(self.program.place(place).ty) {
                    self.overwrite(place);
                }
                self.havoc(place);
            }
            Statement::Call { callee, .. } => {
                let site = self.sites.len() as u32;
                self.sites.push(CallSite { procedure, edge });
                match callee {
                    Callee::Direct(target) => self.call(site, target),
                    Callee::Indirect(pointer) => {
                        if let Some(pointer) = self.value(pointer) {
                            self.attach(pointer, Use::Called(site));
                        }
                    }
                }
            }
            Statement::Allocate { result, .. } => {
                if let Some(object) = self.objects.allocation(procedure, edge) {
                    let value = self.node();
                    self.add(value, Location::exact(object, 0));
                    self.assign_variable(result, value);
                }
            }
            Statement::Copy { target, source, length } => {
                self.copy_between(source, target, self.flow.length(length));
            }
            // Of what both objects have room for no part is left out.
            Statement::CopyObject { target, source } => {
                let whole = self.space.pointer_bytes();
                self.copy_between(source, target, Length::Multiple(whole));
            }
            Statement::Free(pointer) => {
                if let Some(pointer) = self.value(pointer) {
                    self.connect(pointer, self.freed, Step::NONE);
                }
            }
            Statement::Fill { target, length, .. } => {
                if let Some(target) = self.value(target) {
                    let length = self.flow.length(length);
                    self.attach(target, Use::Write { length, numbers: true });
                }
            }
            _ => {}
        }
    }

    fn copy_between(&mut self, source: ExprId, target: ExprId, length: Length) {
        if let (Some(source), Some(target)) = (self.value(source), self.value(target)) {
            self.copy(source, target, length);
        }
    }

    /// Stores the value of a node in a whole scalar variable.
    pub(super) fn assign_variable(&mut self, var: VarId, value: NodeId) {
        match self.objects.variable(var) {
            None => {
                let target = self.register(var);
                self.connect(value, target, Step::NONE);
            }
            Some(object) => {
                let width = self.flow.scalar_width(self.program.variables[var].ty);
                self.attach_store(value, Location::exact(object, 0), width);
            }
        }
    }

    pub(super) fn attach_store(&mut self, value: NodeId, at: Location, width: u64) {
        let address = self.node();
        self.add(address, at);
        self.attach(value, Use::StoredAt { width, address });
        self.attach(address, Use::Store { width, source: value });
    }
}

/// Calls.
impl<'p> Solver<'p> {
    fn parts_of(&self, site: u32) -> (Option<VarId>, &'p [ExprId]) {
        let CallSite { procedure, edge } = self.sites[site as usize];
        let program: &'p Program = self.program;
        match &program.procedures[procedure].edges[edge].statement {
            Statement::Call { result, arguments, .. } => (*result, arguments),
            _ => (None, &[]),
        }
    }

    /// A call through a pointer reaches an object.
    pub(super) fn call_object(&mut self, site: u32, at: Location) {
        let CallSite { procedure, edge } = self.sites[site as usize];
        match self.objects[at.object].kind {
            ObjectKind::Procedure(target) if at.offset == 0 => {
                let statement = &self.program.procedures[procedure].edges[edge].statement;
                if self.program.may_execute(statement, target) {
                    self.call(site, target);
                } else {
                    self.calls.add_misfit(procedure, edge, target);
                    if let Some(misfit) = self.misfit {
                        self.call(site, misfit);
                    }
                }
            }
            ObjectKind::World => {
                self.calls.add_unknown(procedure, edge);
                if let Some(stranger) = self.outsider.or(self.misfit) {
                    self.call(site, stranger);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, site: u32, target: ProcId) {
        let CallSite { procedure, edge } = self.sites[site as usize];
        if !self.calls.add(procedure, edge, target) {
            return;
        }
        let program = self.program;
        let callee = &program.procedures[target];
        let (result, arguments) = self.parts_of(site);
        if let Some(effect) = callee.external {
            return self.call_external(effect, result, arguments);
        }
        self.reach(target);
        for (&argument, &formal) in arguments.iter().zip(&callee.formals) {
            self.pass(argument, formal);
        }
        for &formal in callee.formals.iter().skip(arguments.len()) {
            self.become_arbitrary(formal);
        }
        if let (Some(from), Some(to)) = (callee.result, result) {
            let scalar = program.is_scalar(program.variables[to].ty);
            match (self.objects.variable(from), self.objects.variable(to)) {
                (None, _) if scalar => {
                    let value = self.register(from);
                    let types = (program.variables[from].ty, program.variables[to].ty);
                    let value = self.passed(value, types.0, types.1);
                    self.assign_variable(to, value);
                    if !program.returns(types.0, types.1) {
                        self.become_arbitrary(to);
                    }
                }
                (Some(from), Some(to)) => {
                    let length = self.objects[to].size;
                    self.transfer(Location::exact(from, 0), Location::exact(to, 0), length);
                }
                _ => {}
            }
        }
    }

    fn pass(&mut self, argument: ExprId, formal: VarId) {
        let expr = self.program.expr(argument);
        if self.program.is_scalar(expr.ty) {
            if let Some(value) = self.value(argument) {
                let value = self.passed(value, expr.ty, self.program.variables[formal].ty);
                self.assign_variable(formal, value);
            }
            if !self.program.passes(expr.ty, self.program.variables[formal].ty) {
                self.become_arbitrary(formal);
            }
        } else if let (ExprKind::Load(source), Some(target)) = (&expr.kind, self.objects.variable(formal)) {
            let (source, address) = (self.address(*source), self.node());
            self.add(address, Location::exact(target, 0));
            self.copy(source, address, Length::Known(self.program.size_of(expr.ty)));
        }
    }

    /// A scalar variable may hold anything.
    pub(super) fn become_arbitrary(&mut self, var: VarId) {
        if self.program.is_pointer(self.program.variables[var].ty) {
            let value = self.node();
            self.add(value, Location::anywhere(self.objects.world()));
            self.assign_variable(var, value);
        }
    }

    /// The node of a value that a call passes as one of another type.
    fn passed(&mut self, value: NodeId, from: TypeId, to: TypeId) -> NodeId {
        let whole = self.program.size_of(from) <= self.program.size_of(to);
        if whole { value } else { self.piece_of(value) }
    }

    fn call_external(&mut self, effect: Effect, result: Option<VarId>, arguments: &[ExprId]) {
        let value = self.node();
        match effect {
            Effect::Pure | Effect::Computes => self.add(value, Location::anywhere(self.objects.world())),
            Effect::Havoc | Effect::Reaches => {
                self.start_escape();
                if effect == Effect::Havoc {
                    self.start_havoc();
                }
                self.connect(self.outside, value, Step::NONE);
                arguments.iter().for_each(|&argument| self.give_away(argument));
            }
        }
        let Some(result) = result else { return };
        let ty = self.program.variables[result].ty;
        let offsets = match effect {
            Effect::Pure | Effect::Computes => {
                let mut offsets = Vec::new();
                pointers_in(self.program, ty, 0, &mut offsets);
                offsets.into_iter().map(|step| (step, self.space.pointer_bytes())).collect()
            }
            Effect::Havoc | Effect::Reaches => addresses_in(self.program, ty),
        };
        for (step, width) in offsets {
            match self.objects.variable(result) {
                None => self.assign_variable(result, value),
                Some(object) => {
                    let at = self.space.moved(Location::exact(object, 0), step);
                    self.attach_store(value, at, width);
                }
            }
        }
    }

    /// Makes an argument known outside of the program.
    fn give_away(&mut self, argument: ExprId) {
        let expr = self.program.expr(argument);
        match expr.kind {
            ExprKind::Load(source) if !self.program.is_scalar(expr.ty) => {
                let (source, world) = (self.address(source), self.node());
                self.add(world, Location::anywhere(self.objects.world()));
                self.copy(source, world, Length::Known(self.program.size_of(expr.ty)));
            }
            _ => {
                if let Some(value) = self.value(argument) {
                    self.connect(value, self.outside, Step::ANYWHERE);
                }
            }
        }
    }
}
