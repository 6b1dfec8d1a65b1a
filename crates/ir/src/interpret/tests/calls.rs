//! Calls: arguments and results, recursion, pointers to procedures, external procedures.

use super::*;
use crate::{Arbitrary, Callee, Effect, Field, Record, RecordKind, Type};

pub(super) fn call(result: Option<VarId>, procedure: ProcId, arguments: Vec<ExprId>) -> Statement {
    Statement::Call { result, callee: Callee::Direct(procedure), arguments }
}

/// A copy of a value in a fresh temporary, as arguments must be.
pub(super) fn temp_of(b: &mut Builder, value: ExprId) -> ExprId {
    let ty = b.p.expr(value).ty;
    let temp = b.temp(ty);
    b.set(temp, value);
    b.var(temp)
}

/// `int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }`, then `main` is current.
fn with_fib() -> (Builder, ProcId) {
    let mut b = Builder::new();
    let fib = b.current();
    let n = b.formal("n", b.int);
    let (vn, one, two) = (b.var(n), b.num(1), b.num(2));
    let small = b.bin(BinaryOp::Lt, vn, two);
    let large = b.p.not(small);
    let fork = b.here();
    b.push(Statement::Assume(small));
    b.ret(vn);
    let other = b.location();
    b.edge(fork, other, Statement::Assume(large));
    b.goto(other);
    let (less, lesser) = (b.bin(BinaryOp::Sub, vn, one), b.bin(BinaryOp::Sub, vn, two));
    let (x, y) = (b.temp(b.int), b.temp(b.int));
    let argument = temp_of(&mut b, less);
    b.push(call(Some(x), fib, vec![argument]));
    let argument = temp_of(&mut b, lesser);
    b.push(call(Some(y), fib, vec![argument]));
    let (vx, vy) = (b.var(x), b.var(y));
    let sum = b.bin(BinaryOp::Add, vx, vy);
    b.ret(sum);
    b.next_procedure("main", Some(b.int));
    (b, fib)
}

#[test]
fn recursion_works() {
    let (mut b, fib) = with_fib();
    let x = b.temp(b.int);
    let twenty = b.num(20);
    b.push(call(Some(x), fib, vec![twenty]));
    let vx = b.var(x);
    b.ret(vx);
    assert_eq!(b.outcome(&[]), Outcome::Returned(6765));
}

#[test]
fn endless_recursion_overflows_the_stack() {
    let mut b = Builder::new();
    let f = b.current();
    let x = b.temp(b.int);
    b.push(call(Some(x), f, vec![]));
    let vx = b.var(x);
    b.ret(vx);
    let program = b.build();
    for depth in [1, 1000] {
        let limits = Limits { depth, ..Limits::default() };
        let run = super::super::run(&program, &mut ListInputs::default(), limits);
        assert_eq!((name(&run.outcome), run.steps), ("stack-overflow", depth as u64 + 1));
    }
    let limits = Limits { depth: usize::MAX, memory: 1 << 20, ..Limits::default() };
    let run = super::super::run(&program, &mut ListInputs::default(), limits);
    assert_eq!(name(&run.outcome), "stack-overflow");
}

/// A record of two ints, and of an int and a char.
pub(super) fn pair(b: &mut Builder) -> TypeId {
    let char = b.p.machine(8, true);
    let field = |name: &str, ty, offset| Field { name: name.into(), ty, offset, bits: None };
    let record = b.p.records.push(Record {
        name: "pair".into(),
        kind: RecordKind::Struct,
        fields: vec![field("a", char, 0), field("b", b.int, 4)],
        size: 8,
        align: 4,
        span: Span::none(),
    });
    b.p.intern_type(Type::Record(record))
}

#[test]
fn records_pass_by_value() {
    // struct pair swap(struct pair p) { struct pair q; q.a = p.b; q.b = p.a; return q; }
    let mut b = Builder::new();
    let ty = pair(&mut b);
    b.next_procedure("swap", Some(ty));
    let swap = b.current();
    let p = b.formal("p", ty);
    let q = b.local("q", ty);
    let (pp, qp) = (b.p.var_place(p), b.p.var_place(q));
    let (pa, pb) = (b.p.field(pp, 0), b.p.field(pp, 1));
    let (qa, qb) = (b.p.field(qp, 0), b.p.field(qp, 1));
    let value = b.p.load(pb);
    let char = b.p.place(pa).ty;
    let value = b.p.cast(value, char);
    b.store(qa, value);
    let value = b.p.load(pa);
    let value = b.p.cast(value, b.int);
    b.store(qb, value);
    let value = b.var(q);
    b.set(b.result(), value);
    b.finish();
    b.next_procedure("main", Some(b.int));
    let (x, y) = (b.temp(ty), b.temp(ty));
    let xp = b.p.var_place(x);
    let (xa, xb) = (b.p.field(xp, 0), b.p.field(xp, 1));
    let (three, five) = (b.p.int(3, char), b.num(5));
    b.store(xa, three);
    b.store(xb, five);
    let argument = b.var(x);
    b.push(call(Some(y), swap, vec![argument]));
    let yp = b.p.var_place(y);
    let (ya, yb) = (b.p.field(yp, 0), b.p.field(yp, 1));
    let (ya, yb) = (b.p.load(ya), b.p.load(yb));
    let ya = b.p.cast(ya, b.int);
    let ten = b.num(10);
    let ya = b.bin(BinaryOp::Mul, ya, ten);
    let sum = b.bin(BinaryOp::Add, ya, yb);
    b.ret(sum);
    let run = b.run(&[]);
    assert_eq!(run.outcome, Outcome::Returned(53));
    // Padding is not drawn.
    assert!(run.draws.is_empty(), "{:?}", run.draws);
}

#[test]
fn results_never_set_are_drawn_if_wanted() {
    let mut b = Builder::new();
    b.finish();
    let f = b.next_procedure("main", Some(b.int));
    let x = b.temp(b.int);
    b.push(call(None, f, vec![]));
    b.push(call(Some(x), f, vec![]));
    let vx = b.var(x);
    b.ret(vx);
    let run = b.run(&[42]);
    assert_eq!(run.outcome, Outcome::Returned(42));
    assert_eq!(run.draws.len(), 1);
    assert_eq!(run.kinds[0], Arbitrary::Uninitialised);
}

#[test]
fn wide_values_pass() {
    let mut b = Builder::new();
    let wide = b.p.machine(128, true);
    b.next_procedure("f", Some(wide));
    let f = b.current();
    let n = b.formal("n", wide);
    let vn = b.var(n);
    let product = b.bin(BinaryOp::Mul, vn, vn);
    b.ret(product);
    b.next_procedure("main", Some(b.int));
    let x = b.temp(wide);
    let argument = b.p.int(1 << 60, wide);
    b.push(call(Some(x), f, vec![argument]));
    let amount = b.num(119);
    let vx = b.var(x);
    let shifted = b.bin(BinaryOp::Shr, vx, amount);
    b.ret(shifted);
    assert_eq!(b.outcome(&[]), Outcome::Returned(2));
}

fn indirect(b: &mut Builder, pointer: ExprId, result: Option<VarId>, arguments: Vec<ExprId>) {
    let pointer = temp_of(b, pointer);
    b.push(Statement::Call { result, callee: Callee::Indirect(pointer), arguments });
}

/// Two procedures, `int one(int *)` and `long two(int, int)`, then `main` is current.
fn with_targets() -> (Builder, ProcId, ProcId) {
    let mut b = Builder::new();
    let pointer = b.p.pointer_to(b.int);
    let long = b.p.machine(64, true);
    b.formal("a", pointer);
    let one = b.num(1);
    b.ret(one);
    let first = b.next_procedure("two", Some(long));
    b.formal("a", b.int);
    b.formal("b", b.int);
    let two = b.num(2);
    b.ret(two);
    let second = b.next_procedure("main", Some(b.int));
    (b, first, second)
}

#[test]
fn calls_go_through_pointers() {
    let (mut b, one, _) = with_targets();
    let x = b.temp(b.int);
    let address = b.p.function_address(one);
    // A pointer of another type passes: pointers count as one.
    let void = b.p.void();
    let void_pointer = b.p.pointer_to(void);
    let function = b.p.intern_type(Type::Function(crate::FunctionType {
        result: b.int,
        formals: vec![void_pointer],
        variadic: false,
    }));
    let pointer = b.p.pointer_to(function);
    let address = b.p.cast(address, pointer);
    let null = b.p.int(0, void_pointer);
    indirect(&mut b, address, Some(x), vec![null]);
    let vx = b.var(x);
    b.ret(vx);
    assert_eq!(b.outcome(&[]), Outcome::Returned(1));
}

#[test]
fn calls_of_the_wrong_type_end_the_run() {
    for wrong in 0..4 {
        let (mut b, one, two) = with_targets();
        let x = b.temp(b.int);
        let right = b.p.function_address(one);
        let ty = b.p.expr(right).ty;
        let other = b.p.function_address(two);
        let address = match wrong {
            0 => b.p.cast(other, ty),
            1 => b.p.int(0, ty),
            2 => b.p.int(0x40_0001, ty),
            _ => b.p.int(0x40_0000 + 16 * 1000, ty),
        };
        let int_pointer = b.p.pointer_to(b.int);
        let null = b.p.int(0, int_pointer);
        indirect(&mut b, address, Some(x), vec![null]);
        let vx = b.var(x);
        b.ret(vx);
        match b.outcome(&[]) {
            Outcome::BadCall { .. } => assert_ne!(wrong, 0),
            Outcome::Unsupported { reason, .. } => {
                assert_eq!((wrong, reason.as_str()), (0, "a call of two through a pointer of another type"));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn pure_externals_draw_their_result() {
    let mut b = Builder::new();
    let g = b.global("g", b.int);
    let f = b.external("f", &[], Some(b.int), Effect::Pure);
    let x = b.temp(b.int);
    b.push(call(Some(x), f, vec![]));
    b.push(call(None, f, vec![]));
    let (vx, vg) = (b.var(x), b.var(g));
    let sum = b.bin(BinaryOp::Add, vx, vg);
    b.ret(sum);
    let run = b.run(&[7, 100]);
    assert_eq!(run.outcome, Outcome::Returned(7));
    assert_eq!(run.draws.len(), 1);
    assert_eq!(run.draws[0].source, DrawSource::Value(1));
    assert_eq!(run.kinds[1], Arbitrary::External("f".into()));
}

#[test]
fn havoc_externals_reach_arguments_and_globals() {
    let mut b = Builder::new();
    let pointer = b.p.pointer_to(b.int);
    let (global, kept, hidden) = (
        b.global("g", b.int),
        b.variable("s", b.int, VarKind::Static),
        b.variable("h", b.int, VarKind::Static),
    );
    b.p.globals.extend([kept, hidden]);
    // A global pointer leads to a static.
    let link = b.global("link", pointer);
    let f = b.external("f", &[pointer], None, Effect::Havoc);
    let x = b.local("x", b.int);
    let y = b.local("y", b.int);
    let one = b.num(1);
    for var in [global, kept, hidden, x, y] {
        let place = b.p.var_place(var);
        b.store(place, one);
    }
    let hp = b.p.var_place(hidden);
    let address = b.p.address_of(hp);
    b.set(link, address);
    let xp = b.p.var_place(x);
    let address = b.p.address_of(xp);
    let argument = temp_of(&mut b, address);
    b.push(call(None, f, vec![argument]));
    // Digits: which of them became arbitrary (5) and which stayed 1.
    let ten = b.num(10);
    let mut sum = b.num(0);
    for var in [global, kept, hidden, x, y] {
        let value = b.var(var);
        let shifted = b.bin(BinaryOp::Mul, sum, ten);
        sum = b.bin(BinaryOp::Add, shifted, value);
        let t = temp_of(&mut b, sum);
        sum = t;
    }
    b.ret(sum);
    let run = b.run(&[5, 5, 5, 5, 5]);
    assert_eq!(run.outcome, Outcome::Returned(51551));
    assert_eq!(run.draws.len(), 3);
    assert!(run.draws.iter().all(|d| d.source == DrawSource::Value(1)));
}

/// The callees of all calls.
#[derive(Default)]
struct Callees(Vec<Option<String>>);

impl Observer for Callees {
    fn step(&mut self, view: &View<'_, '_>) {
        let program = view.program();
        if let Statement::Call { .. } = program.procedures[view.procedure()].edges[view.edge()].statement {
            self.0.push(view.callee().map(|callee| program.procedures[callee].name.clone()));
        } else {
            assert_eq!(view.callee(), None);
        }
    }
}

#[test]
fn observers_see_who_is_called_and_draws_name_the_storage() {
    let text = "program 1 LP64\nglobal seen: [2 x i32] = arbitrary\nextern pure fn outside() -> r: i32;\n\
        fn main() -> result: i32 {\n  local f: ptr fn() -> i32\n  local x: i32\n  temp r: i32\n\
        \x20 locations 8 entry L0 exit L1\n\
        \x20 L0 -> L2: r := call outside()\n\
        \x20 L2 -> L3: f := fn outside\n\
        \x20 L3 -> L4: r := call *f()\n\
        \x20 L4 -> L5: r := (r + seen[1])\n\
        \x20 L5 -> L6: result := (r + x)\n\
        \x20 L6 -> L1: return\n}\nentry main\n";
    let program = crate::text::parse(hardbop_base::Id::from_usize(0), text).unwrap();
    let mut callees = Callees::default();
    let mut inputs = ListInputs::all([1, 2, 4, 8]);
    let run = Interpreter::new(&program).observe(&mut inputs, RunOptions::default(), &mut callees);
    assert_eq!(run.outcome, Outcome::Returned(14));
    assert_eq!(callees.0, [Some("outside".to_owned()), Some("outside".to_owned())]);
    let storage = |draw: &Draw| {
        draw.storage.map(|s| (s.variable.map(|v| program.variables[v].name.as_str()), s.offset))
    };
    let expected = [None, None, Some((Some("seen"), 4)), Some((Some("x"), 0))];
    assert_eq!(run.draws.iter().map(storage).collect::<Vec<_>>(), expected);
}
