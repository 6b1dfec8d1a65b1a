//! Memory: objects and their ends, uninitialised storage, bit-fields, both data models.

use super::calls::{call, pair, temp_of};
use super::*;
use crate::{Arbitrary, Effect, Field, MemoryKind, PlaceId, Record, RecordKind, Type};

fn malloc(b: &mut Builder, size: i128, kind: MemoryKind, may_fail: bool) -> ExprId {
    let pointer = b.p.pointer_to(b.int);
    let result = b.temp(pointer);
    let size = b.num(size);
    b.push(Statement::Allocate { result, size, kind, may_fail });
    b.var(result)
}

/// The place `pointer[index]`.
fn element(b: &mut Builder, pointer: ExprId, index: i128) -> PlaceId {
    let index = b.num(index);
    let address = b.bin(BinaryOp::PointerAdd, pointer, index);
    b.p.deref(address)
}

fn both(test: impl Fn(DataModel)) {
    test(DataModel::Lp64);
    test(DataModel::Ilp32);
}

#[test]
fn heap_holds_values() {
    both(|model| {
        let mut b = Builder::for_model(model);
        let p = malloc(&mut b, 40, MemoryKind::Heap, false);
        for i in 0..10 {
            let (place, value) = (element(&mut b, p, i), b.num(i * i));
            b.store(place, value);
        }
        let place = element(&mut b, p, 7);
        let value = b.p.load(place);
        b.push(Statement::Free(p));
        let null = b.p.int(0, b.p.expr(p).ty);
        b.push(Statement::Free(null));
        let _ = value;
        let zero = b.num(0);
        b.ret(zero);
        assert_eq!(b.outcome(&[]), Outcome::Returned(0));
    });
}

#[test]
fn invalid_accesses_are_told_apart() {
    let access = |model, index: i128, freed: bool, read: bool| {
        let mut b = Builder::for_model(model);
        let p = malloc(&mut b, 40, MemoryKind::Heap, false);
        if freed {
            b.push(Statement::Free(p));
        }
        let place = element(&mut b, p, index);
        if read {
            let x = b.local("x", b.int);
            let value = b.p.load(place);
            b.set(x, value);
        } else {
            let value = b.num(1);
            b.store(place, value);
        }
        let zero = b.num(0);
        b.ret(zero);
        b.outcome(&[])
    };
    both(|model| {
        for read in [false, true] {
            assert_eq!(name(&access(model, 0, false, read)), "returned");
            assert_eq!(name(&access(model, 9, false, read)), "returned");
            assert_eq!(name(&access(model, 10, false, read)), "out-of-bounds");
            assert_eq!(name(&access(model, -1, false, read)), "out-of-bounds");
            assert_eq!(name(&access(model, 5, true, read)), "use-after-free");
            assert_eq!(name(&access(model, 20_000_000, false, read)), "invalid-access");
        }
        let outcome = access(model, 10, false, false);
        let near = outcome.access().and_then(|a| a.near.clone()).expect("an object near by");
        assert_eq!((near.size, near.live), (40, true));
        assert!(near.name.contains("main"), "{}", near.name);
    });
}

#[test]
fn null_and_wild_pointers() {
    both(|model| {
        for (address, expected) in [
            (0, "null-dereference"),
            (8, "null-dereference"),
            (4095, "null-dereference"),
            (5000, "invalid-access"),
            (0x40_0000, "invalid-access"),
        ] {
            let mut b = Builder::for_model(model);
            let ty = b.p.pointer_to(b.int);
            let pointer = b.p.int(address, ty);
            let place = b.p.deref(pointer);
            let value = b.p.load(place);
            b.ret(value);
            assert_eq!(name(&b.outcome(&[])), expected, "{address}");
        }
    });
}

#[test]
fn only_heap_objects_can_be_freed() {
    let free = |make: &dyn Fn(&mut Builder) -> ExprId| {
        let mut b = Builder::new();
        let pointer = make(&mut b);
        b.push(Statement::Free(pointer));
        let zero = b.num(0);
        b.ret(zero);
        b.outcome(&[])
    };
    assert_eq!(name(&free(&|b| malloc(b, 0, MemoryKind::Heap, false))), "returned");
    assert_eq!(name(&free(&|b| malloc(b, 8, MemoryKind::Stack, false))), "invalid-free");
    let inside = free(&|b| {
        let p = malloc(b, 8, MemoryKind::Heap, false);
        let place = element(b, p, 1);
        b.p.address_of(place)
    });
    assert_eq!(name(&inside), "invalid-free");
    let twice = free(&|b| {
        let p = malloc(b, 8, MemoryKind::ZeroedHeap, false);
        b.push(Statement::Free(p));
        p
    });
    assert_eq!(name(&twice), "invalid-free");
    assert!(twice.to_string().contains("dead memory from main"), "{twice}");
    let variable = free(&|b| {
        let x = b.local("x", b.int);
        let place = b.p.var_place(x);
        b.p.address_of(place)
    });
    assert!(variable.to_string().contains("the start of x (4 bytes)"), "{variable}");
}

#[test]
fn allocations_fail_when_told_to() {
    let mut b = Builder::new();
    let p = malloc(&mut b, 8, MemoryKind::Heap, true);
    let is_null = b.p.nonzero(p);
    let value = b.p.cast(is_null, b.int);
    b.ret(value);
    let program = b.build();
    let go = |fails| super::super::run(&program, &mut ListInputs::all([fails]), Limits::default());
    assert_eq!(go(1).outcome, Outcome::Returned(0));
    assert_eq!(go(0).outcome, Outcome::Returned(1));
    assert_eq!(
        go(0).draws.iter().map(|d| d.source).collect::<Vec<_>>(),
        [DrawSource::AllocationFails, DrawSource::Address]
    );
}

#[test]
fn absurd_allocations_fail_or_end_the_run() {
    for (may_fail, size) in [(true, -1), (false, -1), (true, i32::MAX.into()), (false, i32::MAX.into())] {
        let mut b = Builder::new();
        let p = malloc(&mut b, size, MemoryKind::Heap, may_fail);
        let is_null = b.p.nonzero(p);
        let value = b.p.cast(is_null, b.int);
        b.ret(value);
        let run = b.run(&[]);
        if may_fail {
            assert_eq!((run.outcome, run.draws[0].value), (Outcome::Returned(0), 1));
        } else {
            assert_eq!(name(&run.outcome), "out-of-memory");
        }
    }
}

#[test]
fn leaks_run_out_of_memory() {
    let mut b = Builder::new();
    let head = b.here();
    let pointer = b.p.pointer_to(b.int);
    let result = b.temp(pointer);
    let size = b.num(1000);
    b.edge(head, head, Statement::Allocate { result, size, kind: MemoryKind::Heap, may_fail: false });
    let program = b.build();
    let limits = Limits { memory: 100_000, ..Limits::default() };
    let run = super::super::run(&program, &mut ListInputs::default(), limits);
    assert_eq!((name(&run.outcome), run.steps), ("out-of-memory", 94));
    // In 32-bit mode the address space is the limit.
    let limits = Limits { draws: 1000, ..Limits::default() };
    let run = super::super::run(&program, &mut ListInputs::default(), limits);
    assert_eq!(name(&run.outcome), "draw-limit");
}

#[test]
fn inputs_can_place_objects() {
    let mut b = Builder::new();
    let p = malloc(&mut b, 40, MemoryKind::Heap, false);
    let place = element(&mut b, p, 9);
    let value = b.num(7);
    b.store(place, value);
    let back = b.p.load(place);
    let long = b.p.machine(64, true);
    let number = b.p.cast(p, long);
    let back = b.p.cast(back, long);
    let sum = b.bin(BinaryOp::Add, number, back);
    let x = b.local("x", long);
    b.set(x, sum);
    let vx = b.var(x);
    let shift = b.num(4);
    let shifted = b.bin(BinaryOp::Shr, vx, shift);
    b.ret(shifted);
    let program = b.build();
    let go = |wish| super::super::run(&program, &mut ListInputs::all([wish]), Limits::default());
    assert_eq!(go(0x7000_0000).outcome, Outcome::Returned(0x700_0000));
    // Misaligned, low and function addresses are refused.
    for wish in [0x7000_0001, 0x10, 0x40_0000] {
        assert!(matches!(go(wish).outcome, Outcome::Returned(at) if at as u64 != wish as u64 >> 4), "{wish}");
    }
}

#[test]
fn variables_end_with_their_activation() {
    // int *f() { int x; return &x; }
    let mut b = Builder::new();
    let pointer = b.p.pointer_to(b.int);
    b.next_procedure("f", Some(pointer));
    let f = b.current();
    let x = b.local("x", b.int);
    let place = b.p.var_place(x);
    let address = b.p.address_of(place);
    b.ret(address);
    b.next_procedure("main", Some(b.int));
    let p = b.temp(pointer);
    b.push(call(Some(p), f, vec![]));
    let vp = b.var(p);
    let place = b.p.deref(vp);
    let value = b.p.load(place);
    b.ret(value);
    let outcome = b.outcome(&[]);
    assert_eq!(name(&outcome), "use-after-scope");
    assert!(outcome.to_string().contains("dead x"), "{outcome}");
}

#[test]
fn each_activation_has_its_own_variables() {
    // int f(int *outer, int n) { int x = n; if (n) return f(&x, n - 1); return *outer; }
    let mut b = Builder::new();
    let f = b.current();
    let pointer = b.p.pointer_to(b.int);
    let (outer, n) = (b.formal("outer", pointer), b.formal("n", b.int));
    let x = b.local("x", b.int);
    let (vo, vn, zero, one) = (b.var(outer), b.var(n), b.num(0), b.num(1));
    b.set(x, vn);
    let is_zero = b.bin(BinaryOp::Eq, vn, zero);
    let not_zero = b.p.not(is_zero);
    let fork = b.here();
    b.push(Statement::Assume(is_zero));
    let place = b.p.deref(vo);
    let value = b.p.load(place);
    b.ret(value);
    let other = b.location();
    b.edge(fork, other, Statement::Assume(not_zero));
    b.goto(other);
    let place = b.p.var_place(x);
    let address = b.p.address_of(place);
    let less = b.bin(BinaryOp::Sub, vn, one);
    let (address, less) = (temp_of(&mut b, address), temp_of(&mut b, less));
    let r = b.temp(b.int);
    b.push(call(Some(r), f, vec![address, less]));
    let vr = b.var(r);
    b.ret(vr);
    b.next_procedure("main", Some(b.int));
    let r = b.temp(b.int);
    let (null, depth) = (b.p.int(0, pointer), b.num(10_000));
    b.push(call(Some(r), f, vec![null, depth]));
    let vr = b.var(r);
    b.ret(vr);
    assert_eq!(b.outcome(&[]), Outcome::Returned(1));
}

#[test]
fn uninitialised_values_are_fixed_when_first_read() {
    both(|model| {
        for in_memory in [false, true] {
            let mut b = Builder::for_model(model);
            let x = b.local("x", b.int);
            if in_memory {
                let place = b.p.var_place(x);
                let address = b.p.address_of(place);
                temp_of(&mut b, address);
            }
            let vx = b.var(x);
            let (y, z) = (b.local("y", b.int), b.local("z", b.int));
            b.set(y, vx);
            b.set(z, vx);
            let (vy, vz) = (b.var(y), b.var(z));
            let same = b.bin(BinaryOp::Eq, vy, vz);
            b.push(Statement::Assume(same));
            // Made arbitrary again, it holds another value.
            let place = b.p.var_place(x);
            b.havoc(place, Arbitrary::Uninitialised);
            let difference = b.bin(BinaryOp::Sub, vx, vy);
            b.ret(difference);
            let run = b.run(&[5, 9]);
            assert_eq!((run.outcome, run.draws.len()), (Outcome::Returned(4), 2));
            assert!(run.draws.iter().all(|d| d.width == 32 && d.source == DrawSource::Value(0)));
        }
    });
}

#[test]
fn nothing_is_drawn_for_what_is_not_read() {
    let mut b = Builder::new();
    let (x, y) = (b.local("x", b.int), b.local("y", b.int));
    let place = b.p.var_place(x);
    b.havoc(place, Arbitrary::Uninitialised);
    malloc(&mut b, 100, MemoryKind::Heap, false);
    let (zero, vx, vy) = (b.num(0), b.var(x), b.var(y));
    // The arm that is not chosen is not evaluated.
    let t = b.temp(b.int);
    b.set(t, zero);
    let vt = b.var(t);
    let condition = b.bin(BinaryOp::Eq, vt, zero);
    let value = b.p.if_then_else(condition, vx, vy);
    b.ret(value);
    let run = b.run(&[0, 3, 4]);
    assert_eq!(run.outcome, Outcome::Returned(3));
    assert_eq!(run.draws.len(), 2);
}

#[test]
fn only_missing_bytes_are_drawn() {
    let mut b = Builder::new();
    let p = malloc(&mut b, 4, MemoryKind::Heap, false);
    let byte = b.p.machine(8, false);
    let byte_pointer = b.p.pointer_to(byte);
    let q = b.p.cast(p, byte_pointer);
    let place = element(&mut b, q, 1);
    let value = b.p.int(0xab, byte);
    b.store(place, value);
    let whole = b.p.deref(p);
    let value = b.p.load(whole);
    b.ret(value);
    let run = b.run(&[0, 0x1122_3344]);
    assert_eq!(run.outcome, Outcome::Returned(0x1122_ab44));
    assert_eq!(run.draws.len(), 2);
}

#[test]
fn copies_agree_on_arbitrary_values() {
    let mut b = Builder::new();
    let ty = pair(&mut b);
    let (x, y) = (b.local("x", ty), b.local("y", ty));
    let vx = b.var(x);
    b.set(y, vx);
    let (xp, yp) = (b.p.var_place(x), b.p.var_place(y));
    let (xb, yb) = (b.p.field(xp, 1), b.p.field(yp, 1));
    let (xb, yb) = (b.p.load(xb), b.p.load(yb));
    let difference = b.bin(BinaryOp::Sub, xb, yb);
    b.ret(difference);
    let run = b.run(&[1, 2, 3, 4, 5, 6]);
    assert_eq!(run.outcome, Outcome::Returned(0));
    // One value for each field, none for the padding.
    assert_eq!(run.draws.iter().map(|d| (d.value, d.width)).collect::<Vec<_>>(), [(1, 8), (2, 32)]);
}

#[test]
fn aggregates_are_arbitrary_lazily_and_remember_why() {
    let mut b = Builder::new();
    let ty = pair(&mut b);
    let x = b.local("x", ty);
    let place = b.p.var_place(x);
    b.havoc(place, Arbitrary::Nondet("nondet_pair".into()));
    let field = b.p.field(place, 1);
    let value = b.p.load(field);
    b.ret(value);
    let run = b.run(&[77]);
    assert_eq!((run.outcome, run.draws.len()), (Outcome::Returned(77), 1));
    assert_eq!(run.draws[0].source, DrawSource::Value(1));
    assert_eq!(run.kinds[1], Arbitrary::Nondet("nondet_pair".into()));
}

#[test]
fn globals_start_as_they_say() {
    both(|model| {
        let mut b = Builder::for_model(model);
        let pointer = b.p.pointer_to(b.int);
        let array = b.p.array_of(b.int, 4);
        let (a, p, e) = (b.global("a", array), b.global("p", pointer), b.global("e", b.int));
        let (three, two) = (b.num(3), b.num(2));
        b.p.variables[a].initial =
            Initial::Values(vec![crate::InitialValue { offset: 8, bits: None, value: three }]);
        let place = b.p.var_place(a);
        let third = b.p.index(place, two);
        let address = b.p.address_of(third);
        b.p.variables[p].initial =
            Initial::Values(vec![crate::InitialValue { offset: 0, bits: None, value: address }]);
        b.p.variables[e].initial = Initial::Arbitrary;
        let (vp, ve) = (b.var(p), b.var(e));
        let (here, before) = (b.p.deref(vp), element(&mut b, vp, -1));
        let (here, before) = (b.p.load(here), b.p.load(before));
        let sum = b.bin(BinaryOp::Add, here, before);
        let sum = b.bin(BinaryOp::Add, sum, ve);
        b.ret(sum);
        assert_eq!(b.outcome(&[40]), Outcome::Returned(43));
    });
}

#[test]
fn globals_may_not_fit() {
    let mut b = Builder::new();
    let huge = b.p.array_of(b.int, u64::MAX / 4);
    b.global("a", huge);
    let zero = b.num(0);
    b.ret(zero);
    assert_eq!(name(&b.outcome(&[])), "out-of-memory");
}

#[test]
fn large_objects_work() {
    both(|model| {
        let mut b = Builder::for_model(model);
        let array = b.p.array_of(b.int, 10_000_000);
        let a = b.global("a", array);
        let place = b.p.var_place(a);
        let mut sum = b.num(0);
        for index in [0, 262_143, 262_144, 9_999_999] {
            let (i, value) = (b.num(index), b.num(index % 1000));
            let element = b.p.index(place, i);
            b.store(element, value);
            let value = b.p.load(element);
            sum = b.bin(BinaryOp::Add, sum, value);
        }
        let end = b.num(10_000_000);
        let x = b.local("x", b.int);
        b.set(x, sum);
        let behind = b.p.index(place, end);
        let behind = b.p.load(behind);
        b.ret(behind);
        assert_eq!(name(&b.outcome(&[])), "out-of-bounds");
    });
}

#[test]
fn many_objects_come_and_go() {
    // for (i = 0; i < 20000; i++) { p = malloc(16); *p = i; free(p); }
    both(|model| {
        let mut b = Builder::for_model(model);
        let i = b.local("i", b.int);
        let (zero, one, limit) = (b.num(0), b.num(1), b.num(20_000));
        b.set(i, zero);
        let head = b.here();
        let vi = b.var(i);
        let inside = b.bin(BinaryOp::Lt, vi, limit);
        let outside = b.p.not(inside);
        b.push(Statement::Assume(inside));
        let p = malloc(&mut b, 16, MemoryKind::Heap, false);
        let place = b.p.deref(p);
        b.store(place, vi);
        b.push(Statement::Free(p));
        let next = b.bin(BinaryOp::Add, vi, one);
        let place = b.p.var_place(i);
        let back = b.here();
        b.edge(back, head, Statement::Assign(place, next));
        let after = b.location();
        b.edge(head, after, Statement::Assume(outside));
        b.goto(after);
        b.ret(vi);
        assert_eq!(b.outcome(&[]), Outcome::Returned(20_000));
    });
}

#[test]
fn pointers_subtract_and_compare() {
    both(|model| {
        let mut b = Builder::for_model(model);
        let p = malloc(&mut b, 40, MemoryKind::Heap, false);
        let (three, eight) = (b.num(3), b.num(8));
        let q = b.bin(BinaryOp::PointerAdd, p, three);
        let r = b.bin(BinaryOp::PointerAdd, p, eight);
        let distance = b.bin(BinaryOp::PointerDiff, q, r);
        let distance = b.p.cast(distance, b.int);
        let less = b.bin(BinaryOp::Lt, q, r);
        let less = b.p.cast(less, b.int);
        let hundred = b.num(100);
        let less = b.bin(BinaryOp::Mul, less, hundred);
        let sum = b.bin(BinaryOp::Add, distance, less);
        b.check(sum, 95);
    });
}

#[test]
fn havoc_of_everything_unsettles_records() {
    // The external function gets a record by value that holds a pointer.
    let mut b = Builder::new();
    let pointer = b.p.pointer_to(b.int);
    let record = b.p.records.push(Record {
        name: "holder".into(),
        kind: RecordKind::Struct,
        fields: vec![Field { name: "p".into(), ty: pointer, offset: 0, bits: None }],
        size: 8,
        align: 8,
        span: Span::none(),
    });
    let ty = b.p.intern_type(Type::Record(record));
    let f = b.external("f", &[ty], None, Effect::Havoc);
    let (x, t) = (b.local("x", b.int), b.temp(ty));
    let (one, xp, tp) = (b.num(1), b.p.var_place(x), b.p.var_place(t));
    b.set(x, one);
    let address = b.p.address_of(xp);
    let field = b.p.field(tp, 0);
    b.store(field, address);
    let argument = b.var(t);
    b.push(call(None, f, vec![argument]));
    let vx = b.var(x);
    b.ret(vx);
    assert_eq!(b.outcome(&[9]), Outcome::Returned(9));
}

#[test]
fn addresses_wrap_in_32_bits() {
    let mut b = Builder::for_model(DataModel::Ilp32);
    let ty = b.p.pointer_to(b.int);
    let p = b.local("p", ty);
    let top = b.p.int(0xffff_fffc, ty);
    b.set(p, top);
    let vp = b.var(p);
    let place = element(&mut b, vp, 3);
    let value = b.p.load(place);
    b.ret(value);
    match b.outcome(&[]) {
        Outcome::NullDereference(access) => assert_eq!(access.address, 8),
        other => panic!("{other:?}"),
    }
}

/// Writes down what is touched, as `procedure: statement: r|w object+offset:size`.
struct Touched<'p> {
    program: &'p Program,
    lines: Vec<String>,
}

impl Observer for Touched<'_> {
    const TOUCHES: bool = true;

    fn step(&mut self, _: &View<'_, '_>) {}

    fn touched(&mut self, touches: &[Touch]) {
        for touch in touches {
            let name = match touch.origin {
                Origin::Global(var) | Origin::Local(var) => self.program.variables[var].name.as_str(),
                Origin::Heap(..) => "heap",
                Origin::Stack(..) => "stack",
                Origin::Outside(_) => "outside",
            };
            let procedure = &self.program.procedures[touch.procedure];
            let statement = self.program.show_statement(&procedure.edges[touch.edge].statement);
            let access = if touch.write { 'w' } else { 'r' };
            let (offset, size) = (touch.offset, touch.size);
            self.lines.push(format!("{}: {statement}: {access} {name}+{offset}:{size}", procedure.name));
        }
    }
}

const TOUCHING: &str = "program 1 LP64
struct s size 16 align 8 {
  a: i32 at 0
  b: i32 at 4 bits 3 width 7
  c: i64 at 8
}
global g: i32 = zero
global p: ptr i32 = zero
global x: struct s = zero
global y: struct s = zero
fn main() -> $result: i32 {
  temp $1: struct s
  temp $2: struct s
  temp $3: ptr void
  locations 11 entry L0 exit L10
  L0 -> L1: p := &g
  L1 -> L2: *p := 3
  L2 -> L3: x.b := 2
  L3 -> L4: $1 := x
  L4 -> L5: $2 := call get($1)
  L5 -> L6: $3 := allocate heap 8:u64
  L6 -> L7: fill($3, 0, 4)
  L7 -> L8: call out($3)
  L8 -> L9: assume (2 < x.b)
  L8 -> L9: assume (x.b <= 2)
  L9 -> L10: return
}
fn get(v: struct s) -> $result: struct s {
  locations 3 entry L0 exit L2
  L0 -> L1: $result := v
  L1 -> L2: return
}
extern havoc fn out(q: ptr void);
entry main
";

#[test]
fn touches_are_told() {
    let program = crate::text::parse(hardbop_base::Id::from_usize(0), TOUCHING).expect("a program");
    assert_eq!(crate::verify(&program).len(), 0);
    let mut touched = Touched { program: &program, lines: Vec::new() };
    Interpreter::new(&program).observe(&mut ListInputs::default(), RunOptions::default(), &mut touched);
    expect_test::expect![[r#"
        main: p := &g: w p+0:8
        main: *p := 3: r p+0:8
        main: *p := 3: w g+0:4
        main: x.b := 2: w x+4:2
        main: $1 := x: r x+0:16
        main: $1 := x: w $1+0:16
        main: $2 := call get($1): r $1+0:16
        main: $2 := call get($1): w v+0:16
        get: $result := v: r v+0:16
        get: $result := v: w $result+0:16
        main: $2 := call get($1): r $result+0:16
        main: $2 := call get($1): w $2+0:16
        main: fill($3, 0, 4): w heap+0:4
        main: call out($3): w y+0:16
        main: call out($3): w x+0:16
        main: call out($3): w p+0:8
        main: call out($3): w g+0:4
        main: call out($3): w heap+0:8
        main: assume (2 < x.b): r x+4:2"#]]
    .assert_eq(&touched.lines.join("\n"));
}
