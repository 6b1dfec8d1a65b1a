//! Planting an error where a run passes.
//!
//! At the location of a step stands, from now on, `if (the state is this one) error`: a chain of conditions
//! that the run satisfies there, the cheap ones first, so that what needs them (a pointer that is not null)
//! comes behind them. A counter of visits makes the plant that of one visit, and a gate, an input that
//! must be one number, keeps random runs out. Original edges keep their numbers, so that the run's values
//! can be told from those that the plant asks for.

use hardbop_base::{Id, Span};
use hardbop_ir::{
    Arbitrary, BinaryOp, Edge, EdgeId, ExprId, Halt, Initial, Location, LocationId, ProcId, Program,
    Property, Statement, VarId, VarKind, Variable,
};

/// The input that opens a gate.
pub const KEY: i128 = 7_654_321;

/// Where the gate asks for its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// There is none.
    Open,
    /// At the start of the program.
    AtStart,
    /// At the plant.
    AtPlant,
}

/// What is planted.
#[derive(Debug, Clone)]
pub struct Plant {
    /// The procedure.
    pub procedure: ProcId,
    /// The edge before which the error stands.
    pub edge: EdgeId,
    /// Which visit of its location it is, counted from 1; any if that does not count.
    pub visit: Option<u64>,
    /// The gate.
    pub gate: Gate,
    /// What the state satisfies, to be evaluated in this order.
    pub conditions: Vec<ExprId>,
}

/// The program without its errors: what follows them is not run, except behind labels.
pub fn without_errors(mut program: Program) -> Program {
    for (_, procedure) in program.procedures.iter_mut() {
        for (_, edge) in procedure.edges.iter_mut() {
            edge.statement = match &edge.statement {
                Statement::Error(Property::ErrorLabel(_)) => Statement::Skip,
                Statement::Error(_) => Statement::Halt(Halt::Abort),
                _ => continue,
            };
        }
    }
    program
}

/// Plants an error.
pub fn planted(base: &Program, plant: &Plant) -> Program {
    let mut program = base.clone();
    let int = program.machine(32, true);
    let here = base.procedures[plant.procedure].edges[plant.edge].source;
    let mut builder = Builder::new(&mut program, plant.procedure, here);
    if let Some(visit) = plant.visit {
        let visits = builder.global("$plant$visits");
        let wide = builder.program.machine(64, false);
        builder.program.variables[visits].ty = wide;
        let one = builder.program.int(1, wide);
        let place = builder.program.var_place(visits);
        let count = builder.program.var(visits);
        let more = builder.program.binary(BinaryOp::Add, count, one);
        builder.step(Statement::Assign(place, more));
        let wanted = builder.program.int(visit.into(), wide);
        let reached = builder.program.binary(BinaryOp::Eq, count, wanted);
        builder.require(reached);
    }
    let gate = match plant.gate {
        Gate::Open => None,
        Gate::AtPlant => {
            let gate = builder.local("$plant$gate", int);
            builder.ask(gate);
            Some(gate)
        }
        Gate::AtStart => Some(builder.global("$plant$gate")),
    };
    if let Some(gate) = gate {
        let key = builder.program.int(KEY, int);
        let value = builder.program.var(gate);
        let open = builder.program.binary(BinaryOp::Eq, value, key);
        builder.require(open);
    }
    for &condition in &plant.conditions {
        builder.require(condition);
    }
    builder.error();
    if let (Gate::AtStart, Some(gate), Some(entry)) = (plant.gate, gate, program.entry) {
        let start = program.procedures[entry].entry;
        Builder::new(&mut program, entry, start).ask_and_go_on(gate);
    }
    program
}

/// The program with an error behind an edge; nothing for one that leaves its procedure.
pub fn error_behind(base: &Program, procedure: ProcId, edge: EdgeId) -> Option<Program> {
    let mut program = base.clone();
    let p = &mut program.procedures[procedure];
    let Edge { target, span, ref statement, .. } = p.edges[edge];
    if matches!(statement, Statement::Return | Statement::Halt(_)) {
        return None;
    }
    let between = p.locations.push(Location::default());
    p.edges[edge].target = between;
    let statement = Statement::Error(Property::ErrorFunction("reach_error".to_owned()));
    p.edges.push(Edge { source: between, target, statement, span });
    Some(program)
}

/// Inserts steps at a location, before all edges that leave it.
struct Builder<'p> {
    program: &'p mut Program,
    procedure: ProcId,
    /// Where the next step starts.
    at: LocationId,
    /// Where the edges start that left the location.
    rest: LocationId,
    span: Span,
}

impl<'p> Builder<'p> {
    fn new(program: &'p mut Program, procedure: ProcId, at: LocationId) -> Self {
        let p = &mut program.procedures[procedure];
        let rest = p.locations.push(Location::default());
        let mut span = p.span;
        for (_, edge) in p.edges.iter_mut() {
            if edge.source == at {
                edge.source = rest;
                span = edge.span;
            }
        }
        Builder { program, procedure, at, rest, span }
    }

    fn edge(&mut self, source: LocationId, target: LocationId, statement: Statement) {
        let edge = Edge { source, target, statement, span: self.span };
        self.program.procedures[self.procedure].edges.push(edge);
    }

    fn step(&mut self, statement: Statement) {
        let next = self.program.procedures[self.procedure].locations.push(Location::default());
        self.edge(self.at, next, statement);
        self.at = next;
    }

    /// Goes on only if a condition holds, else to what was there before.
    fn require(&mut self, condition: ExprId) {
        let not = self.program.not(condition);
        self.edge(self.at, self.rest, Statement::Assume(not));
        self.step(Statement::Assume(condition));
    }

    fn error(mut self) {
        let error = Statement::Error(Property::ErrorFunction("reach_error".to_owned()));
        self.edge(self.at, self.rest, error);
        // What follows is dead; the rest goes on where it went on before.
        self.at = self.rest;
    }

    fn ask(&mut self, var: VarId) {
        let place = self.program.var_place(var);
        self.step(Statement::Havoc(place, Arbitrary::Nondet("__VERIFIER_nondet_int".to_owned())));
    }

    fn ask_and_go_on(mut self, var: VarId) {
        self.ask(var);
        self.edge(self.at, self.rest, Statement::Skip);
    }

    fn variable(&mut self, name: &str, kind: VarKind) -> VarId {
        let ty = self.program.machine(32, true);
        let initial = if kind == VarKind::Static { Initial::Values(Vec::new()) } else { Initial::Arbitrary };
        let variable = Variable { name: name.to_owned(), ty, kind, span: self.span, align: 0, initial };
        self.program.variables.push(variable)
    }

    fn global(&mut self, name: &str) -> VarId {
        let var = self.variable(name, VarKind::Static);
        self.program.globals.push(var);
        var
    }

    fn local(&mut self, name: &str, ty: Id<hardbop_ir::Type>) -> VarId {
        let var = self.variable(name, VarKind::Temp);
        self.program.variables[var].ty = ty;
        self.program.procedures[self.procedure].locals.push(var);
        var
    }
}
