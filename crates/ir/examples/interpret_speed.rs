//! Measures how many steps the interpreter takes per second on a few typical loops:
//! `cargo run --release -p hardbop-ir --example interpret_speed [MILLIONS OF STEPS]`.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use hardbop_base::{Arena, Span};
use hardbop_ir::interpret::{Interpreter, Limits, ListInputs, Outcome, RunOptions};
use hardbop_ir::{
    BinaryOp, Callee, DataModel, Edge, ExprId, Initial, Location, LocationId, MemoryKind, ProcId, Procedure,
    Program, Statement, TypeId, VarId, VarKind, Variable,
};

fn main() {
    let millions: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(50);
    for (name, program) in [
        ("variables", variables()),
        ("globals", globals()),
        ("array", array()),
        ("heap", heap()),
        ("calls", calls(false)),
        ("objects", calls(true)),
    ] {
        let limits = Limits { steps: millions * 1_000_000, ..Limits::default() };
        let interpreter = Interpreter::new(&program);
        let start = clock();
        let run = interpreter.run(&mut ListInputs::default(), RunOptions { limits, ..RunOptions::default() });
        let seconds = clock() - start;
        assert_eq!(run.outcome, Outcome::StepLimit, "{name}");
        println!("{name:10} {:7.1} million steps/s", run.steps as f64 / seconds / 1e6);
    }
}

/// Seconds on a processor where the system tells (so that a busy machine does not matter), else
/// seconds.
fn clock() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let on_cpu = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = on_cpu.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |n| n / 1e9)
}

/// A procedure under construction.
struct Builder {
    p: Program,
    body: Procedure,
    at: LocationId,
    int: TypeId,
}

impl Builder {
    fn new() -> Builder {
        let p = Program::new(DataModel::Lp64);
        let int = p.machine(32, true);
        let body = procedure("main");
        Builder { p, at: body.entry, body, int }
    }

    fn variable(&mut self, name: &str, ty: TypeId, kind: VarKind) -> VarId {
        let initial = Initial::Values(Vec::new());
        let var = Variable { name: name.into(), ty, kind, span: Span::none(), align: 0, initial };
        let var = self.p.variables.push(var);
        match kind {
            VarKind::Global => self.p.globals.push(var),
            VarKind::Formal => self.body.formals.push(var),
            VarKind::Result => self.body.result = Some(var),
            _ => self.body.locals.push(var),
        }
        var
    }

    fn local(&mut self, name: &str) -> VarId {
        self.variable(name, self.int, VarKind::Local)
    }

    fn push(&mut self, statement: Statement) {
        let next = self.body.locations.push(Location::default());
        self.edge(self.at, next, statement);
        self.at = next;
    }

    fn edge(&mut self, source: LocationId, target: LocationId, statement: Statement) {
        self.body.edges.push(Edge { source, target, statement, span: Span::none() });
    }

    fn set(&mut self, var: VarId, value: ExprId) {
        let place = self.p.var_place(var);
        self.push(Statement::Assign(place, value));
    }

    /// `var = var OP value`
    fn update(&mut self, var: VarId, op: BinaryOp, value: ExprId) {
        let old = self.p.var(var);
        let new = self.p.binary(op, old, value);
        self.set(var, new);
    }

    fn int(&mut self, value: i128) -> ExprId {
        self.p.int(value, self.int)
    }

    /// `for (i = 0; i < n; i++) body`, over and over again.
    fn forever(&mut self, i: VarId, n: i128, body: impl FnOnce(&mut Builder)) {
        let start = self.at;
        let (zero, one, n) = (self.int(0), self.int(1), self.int(n));
        self.set(i, zero);
        let head = self.at;
        let vi = self.p.var(i);
        let inside = self.p.binary(BinaryOp::Lt, vi, n);
        let outside = self.p.not(inside);
        self.push(Statement::Assume(inside));
        body(self);
        let (place, next) = (self.p.var_place(i), self.p.binary(BinaryOp::Add, vi, one));
        self.edge(self.at, head, Statement::Assign(place, next));
        let after = self.body.locations.push(Location::default());
        self.edge(head, after, Statement::Assume(outside));
        self.edge(after, start, Statement::Skip);
    }

    fn build(mut self) -> Program {
        self.p.entry = Some(self.p.procedures.push(self.body));
        self.p
    }
}

fn procedure(name: &str) -> Procedure {
    let mut locations = Arena::new();
    let (entry, exit) = (locations.push(Location::default()), locations.push(Location::default()));
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

/// `sum = sum * 3 ^ i`
fn variables() -> Program {
    let mut b = Builder::new();
    let (i, sum) = (b.local("i"), b.local("sum"));
    let zero = b.int(0);
    b.set(sum, zero);
    b.push(Statement::Skip);
    b.forever(i, 1000, |b| {
        let (three, vi) = (b.int(3), b.p.var(i));
        b.update(sum, BinaryOp::Mul, three);
        b.update(sum, BinaryOp::Xor, vi);
    });
    b.build()
}

/// The same with globals.
fn globals() -> Program {
    let mut b = Builder::new();
    let int = b.int;
    let (i, sum) = (b.variable("i", int, VarKind::Global), b.variable("sum", int, VarKind::Global));
    b.push(Statement::Skip);
    b.forever(i, 1000, |b| {
        let (three, vi) = (b.int(3), b.p.var(i));
        b.update(sum, BinaryOp::Mul, three);
        b.update(sum, BinaryOp::Xor, vi);
    });
    b.build()
}

/// `a[i] += a[i / 2]`
fn array() -> Program {
    let mut b = Builder::new();
    let array = b.p.array_of(b.int, 10_000);
    let a = b.variable("a", array, VarKind::Global);
    let i = b.local("i");
    b.push(Statement::Skip);
    b.forever(i, 10_000, |b| {
        let (vi, two, place) = (b.p.var(i), b.int(2), b.p.var_place(a));
        let half = b.p.binary(BinaryOp::Div, vi, two);
        let (here, there) = (b.p.index(place, vi), b.p.index(place, half));
        let (x, y) = (b.p.load(here), b.p.load(there));
        let sum = b.p.binary(BinaryOp::Add, x, y);
        b.push(Statement::Assign(here, sum));
    });
    b.build()
}

/// `*p = i; sum += *p` with `p` on the heap.
fn heap() -> Program {
    let mut b = Builder::new();
    let pointer = b.p.pointer_to(b.int);
    let p = b.variable("p", pointer, VarKind::Temp);
    let (i, sum) = (b.local("i"), b.local("sum"));
    let (size, zero) = (b.int(4), b.int(0));
    b.push(Statement::Allocate { result: p, size, kind: MemoryKind::Heap, may_fail: false });
    b.set(sum, zero);
    b.forever(i, 1000, |b| {
        let (vi, vp) = (b.p.var(i), b.p.var(p));
        let place = b.p.deref(vp);
        b.push(Statement::Assign(place, vi));
        let value = b.p.load(place);
        b.update(sum, BinaryOp::Add, value);
    });
    b.build()
}

/// `sum = add(sum, i)`, where `add` may have a variable in memory.
fn calls(in_memory: bool) -> Program {
    let mut b = Builder::new();
    b.body = procedure("add");
    b.at = b.body.entry;
    let int = b.int;
    let (x, y) = (b.variable("x", int, VarKind::Formal), b.variable("y", int, VarKind::Formal));
    let result = b.variable("result", int, VarKind::Result);
    let (vx, vy) = (b.p.var(x), b.p.var(y));
    let sum = b.p.binary(BinaryOp::Add, vx, vy);
    if in_memory {
        let local = b.local("local");
        let place = b.p.var_place(local);
        let address = b.p.address_of(place);
        let ty = b.p.pointer_to(int);
        let pointer = b.variable("pointer", ty, VarKind::Local);
        b.set(pointer, address);
        b.set(local, sum);
        let value = b.p.var(local);
        b.set(result, value);
    } else {
        b.set(result, sum);
    }
    let exit = b.body.exit;
    b.edge(b.at, exit, Statement::Return);
    let add: ProcId = b.p.procedures.push(std::mem::replace(&mut b.body, procedure("main")));
    b.at = b.body.entry;
    let (i, sum) = (b.local("i"), b.variable("sum", int, VarKind::Temp));
    let zero = b.int(0);
    b.set(sum, zero);
    b.push(Statement::Skip);
    b.forever(i, 1000, |b| {
        let arguments = vec![b.p.var(sum), b.p.var(i)];
        b.push(Statement::Call { result: Some(sum), callee: Callee::Direct(add), arguments });
    });
    b.build()
}
