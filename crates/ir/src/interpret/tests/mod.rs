//! Whole programs, built by hand and run.

mod bits;
mod calls;
mod control;
mod floats;
mod memory;
mod outside;
mod random;
mod statements;

use hardbop_base::{Arena, Span};

use super::*;
use crate::{
    BinaryOp, DataModel, Edge, ExprId, Halt, Initial, Location, LocationId, PlaceId, Procedure, Property,
    Statement, TypeId, VarId, VarKind, Variable,
};

/// A program under construction, and the procedure under construction in it.
pub(super) struct Builder {
    pub(super) p: Program,
    body: Procedure,
    at: LocationId,
    pub(super) int: TypeId,
}

impl Builder {
    /// A program of 64-bit pointers, about to get its `main`, which returns an `int`.
    pub(super) fn new() -> Builder {
        Builder::for_model(DataModel::Lp64)
    }

    pub(super) fn for_model(model: DataModel) -> Builder {
        let p = Program::new(model);
        let int = p.machine(32, true);
        let body = empty_procedure("main");
        let at = body.entry;
        let mut builder = Builder { p, body, at, int };
        builder.declare_result(Some(int));
        builder
    }

    fn declare_result(&mut self, ty: Option<TypeId>) {
        self.body.result = ty.map(|ty| self.variable("result", ty, VarKind::Result));
    }

    pub(super) fn variable(&mut self, name: &str, ty: TypeId, kind: VarKind) -> VarId {
        let initial = match kind {
            VarKind::Global | VarKind::Static => Initial::Values(Vec::new()),
            _ => Initial::Arbitrary,
        };
        self.p.variables.push(Variable { name: name.into(), ty, kind, span: Span::none(), align: 0, initial })
    }

    pub(super) fn global(&mut self, name: &str, ty: TypeId) -> VarId {
        let var = self.variable(name, ty, VarKind::Global);
        self.p.globals.push(var);
        var
    }

    pub(super) fn local(&mut self, name: &str, ty: TypeId) -> VarId {
        let var = self.variable(name, ty, VarKind::Local);
        self.body.locals.push(var);
        var
    }

    pub(super) fn temp(&mut self, ty: TypeId) -> VarId {
        let var = self.variable("t", ty, VarKind::Temp);
        self.body.locals.push(var);
        var
    }

    pub(super) fn formal(&mut self, name: &str, ty: TypeId) -> VarId {
        let var = self.variable(name, ty, VarKind::Formal);
        self.body.formals.push(var);
        var
    }

    pub(super) fn result(&self) -> VarId {
        self.body.result.expect("a procedure with a result")
    }

    /// The current location.
    pub(super) fn here(&self) -> LocationId {
        self.at
    }

    pub(super) fn location(&mut self) -> LocationId {
        self.body.locations.push(Location::default())
    }

    /// Goes on at a location.
    pub(super) fn goto(&mut self, location: LocationId) {
        self.at = location;
    }

    pub(super) fn edge(&mut self, source: LocationId, target: LocationId, statement: Statement) {
        let line = self.body.edges.len() as u32 + 1;
        let span = Span::in_line(hardbop_base::Id::from_usize(0), line, 1, 1);
        self.body.edges.push(Edge { source, target, statement, span });
    }

    /// An edge from the current location to a new one, which becomes current.
    pub(super) fn push(&mut self, statement: Statement) {
        let next = self.location();
        self.edge(self.at, next, statement);
        self.at = next;
    }

    pub(super) fn set(&mut self, var: VarId, value: ExprId) {
        let place = self.p.var_place(var);
        self.push(Statement::Assign(place, value));
    }

    pub(super) fn store(&mut self, place: PlaceId, value: ExprId) {
        self.push(Statement::Assign(place, value));
    }

    pub(super) fn havoc(&mut self, place: PlaceId, kind: crate::Arbitrary) {
        self.push(Statement::Havoc(place, kind));
    }

    pub(super) fn nondet(&mut self, var: VarId) {
        let place = self.p.var_place(var);
        self.havoc(place, crate::Arbitrary::Nondet("nondet".into()));
    }

    /// Returns a value, cast to the type of the result.
    pub(super) fn ret(&mut self, value: ExprId) {
        let result = self.result();
        let ty = self.p.variables[result].ty;
        let value = self.p.cast(value, ty);
        self.set(result, value);
        self.finish();
    }

    /// Returns.
    pub(super) fn finish(&mut self) {
        let exit = self.body.exit;
        self.edge(self.at, exit, Statement::Return);
    }

    pub(super) fn num(&mut self, value: i128) -> ExprId {
        self.p.int(value, self.int)
    }

    pub(super) fn var(&mut self, var: VarId) -> ExprId {
        self.p.var(var)
    }

    pub(super) fn bin(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.p.binary(op, a, b)
    }

    /// Ends the procedure under construction and starts one with the given result.
    pub(super) fn next_procedure(&mut self, name: &str, result: Option<TypeId>) -> ProcId {
        let done = std::mem::replace(&mut self.body, empty_procedure(name));
        self.at = self.body.entry;
        self.declare_result(result);
        self.p.procedures.push(done)
    }

    /// The procedure that the next call of [`Builder::next_procedure`] or [`Builder::build`] adds.
    pub(super) fn current(&self) -> ProcId {
        ProcId::from_usize(self.p.procedures.len())
    }

    pub(super) fn external(
        &mut self,
        name: &str,
        formals: &[TypeId],
        result: Option<TypeId>,
        effect: crate::Effect,
    ) -> ProcId {
        let mut procedure = empty_procedure(name);
        procedure.external = Some(effect);
        procedure.locations = Arena::new();
        procedure.formals = formals.iter().map(|&ty| self.variable("a", ty, VarKind::Formal)).collect();
        procedure.result = result.map(|ty| self.variable("result", ty, VarKind::Result));
        self.p.procedures.push(procedure)
    }

    /// The program, whose entry is the procedure under construction.
    pub(super) fn build(mut self) -> Program {
        self.p.entry = Some(self.p.procedures.push(self.body));
        self.p
    }

    /// Runs the program with a list of inputs.
    pub(super) fn run(self, inputs: &[u128]) -> Run {
        let program = self.build();
        run(&program, &mut ListInputs::all(inputs.iter().copied()), Limits::default())
    }

    pub(super) fn outcome(self, inputs: &[u128]) -> Outcome {
        self.run(inputs).outcome
    }

    /// Returns the value of an expression and expects it.
    pub(super) fn check(mut self, value: ExprId, expected: i128) {
        self.ret(value);
        assert_eq!(self.outcome(&[]), Outcome::Returned(expected));
    }
}

fn empty_procedure(name: &str) -> Procedure {
    let mut locations = Arena::new();
    let entry = locations.push(Location::default());
    let exit = locations.push(Location::default());
    Procedure {
        name: name.into(),
        span: Span::none(),
        formals: Vec::new(),
        variadic: false,
        locals: Vec::new(),
        result: None,
        external: None,
        locations,
        edges: Arena::new(),
        entry,
        exit,
    }
}

/// The outcome's name; one for all undefined operations.
pub(super) fn name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Undefined { .. } => "undefined",
        other => other.name(),
    }
}

/// A run must be the same when its draws are fed to it again.
pub(super) fn check_replay(program: &Program, run: &Run, limits: Limits) {
    let mut inputs = ListInputs::replay(&run.draws);
    let again = super::run(program, &mut inputs, limits);
    assert_eq!(*run, again);
    assert_eq!(inputs.remaining(), 0);
}
