//! A program built by hand with every construct, and its text.

use expect_test::expect;
use hardbop_base::{Id, LineMap, SourceFile, Span};
use hardbop_ir::{
    Arbitrary, Assumption, BinaryOp, BitRange, Callee, DataModel, Edge, Effect, ExprId, ExprKind, Field,
    FloatKind, Halt, Initial, InitialValue, Location, MemoryKind, ProcId, Procedure, Program, Property,
    Record, RecordKind, Statement, Type, TypeId, UnaryOp, VarId, VarKind, Variable, text, verify,
};

fn span(line: u32, column: u32, width: u32) -> Span {
    Span::in_line(Id::from_usize(0), line, column, width)
}

/// A program under construction.
struct Builder {
    p: Program,
    line: u32,
}

impl Builder {
    fn variable(&mut self, name: &str, ty: TypeId, kind: VarKind) -> VarId {
        self.line += 1;
        let span = span(self.line, 5, name.len() as u32);
        let variable = Variable { name: name.into(), ty, kind, span, align: 0, initial: Initial::Arbitrary };
        self.p.variables.push(variable)
    }

    fn global(&mut self, name: &str, ty: TypeId, values: Vec<InitialValue>) -> VarId {
        let id = self.variable(name, ty, VarKind::Global);
        self.p.variables[id].initial = Initial::Values(values);
        self.p.globals.push(id);
        id
    }

    fn local(&mut self, procedure: ProcId, name: &str, ty: TypeId, kind: VarKind) -> VarId {
        let id = self.variable(name, ty, kind);
        self.p.procedures[procedure].locals.push(id);
        id
    }

    fn procedure(&mut self, name: &str, formals: Vec<VarId>, result: Option<VarId>) -> ProcId {
        self.line += 1;
        let locations = [Location::default(), Location::default()].into_iter().collect();
        self.p.procedures.push(Procedure {
            name: name.into(),
            span: span(self.line, 1, 20),
            formals,
            variadic: false,
            locals: Vec::new(),
            result,
            external: None,
            locations,
            edges: Default::default(),
            entry: Id::from_usize(0),
            exit: Id::from_usize(1),
        })
    }

    fn external(&mut self, name: &str, formals: Vec<VarId>, result: Option<VarId>, effect: Effect) -> ProcId {
        let id = self.procedure(name, formals, result);
        self.p.procedures[id].external = Some(effect);
        self.p.procedures[id].locations = Default::default();
        id
    }

    /// Adds an edge to a new location, or to the exit for `return`.
    fn step(&mut self, procedure: ProcId, statement: Statement) {
        self.line += 1;
        let span = span(self.line, 3, 10);
        let procedure = &mut self.p.procedures[procedure];
        let last = procedure.locations.len() - 1;
        let source = if last == 1 { procedure.entry } else { Id::from_usize(last) };
        let target = match statement {
            Statement::Return => procedure.exit,
            _ => procedure.locations.push(Location::default()),
        };
        procedure.edges.push(Edge { source, target, statement, span });
    }

    fn assign(&mut self, procedure: ProcId, var: VarId, value: ExprId) {
        let place = self.p.var_place(var);
        self.step(procedure, Statement::Assign(place, value));
    }
}

/// `struct node`, `union both` and `struct "odd one"`.
fn records(b: &mut Builder) -> [TypeId; 3] {
    let (int, byte, word) = (b.p.machine(32, true), b.p.machine(8, false), b.p.machine(32, false));
    let record = |b: &mut Builder, name: &str, kind, size, align| {
        b.line += 1;
        let span = span(b.line, 1, 8);
        b.p.records.push(Record { name: name.into(), kind, fields: vec![], size, align, span })
    };
    let field = |name: &str, ty, offset, bits: Option<(u8, u8)>| Field {
        name: name.into(),
        ty,
        offset,
        bits: bits.map(|(first, width)| BitRange { first, width }),
    };
    let node = record(b, "node", RecordKind::Struct, 24, 8);
    let both = record(b, "both", RecordKind::Union, 4, 4);
    let odd = record(b, "odd one", RecordKind::Struct, 4, 1);
    let [node_ty, both_ty, odd_ty] = [node, both, odd].map(|id| b.p.intern_type(Type::Record(id)));
    let next = b.p.pointer_to(node_ty);
    let bytes = b.p.array_of(byte, 4);
    b.p.records[node].fields = vec![
        field("next", next, 0, None),
        field("value", int, 8, None),
        field("u", both_ty, 12, None),
        field("low", word, 16, Some((0, 3))),
        field("high", int, 16, Some((3, 17))),
    ];
    b.p.records[both].fields = vec![field("word", word, 0, None), field("", bytes, 0, None)];
    b.p.records[odd].fields =
        vec![field("fn", byte, 0, None), field("", byte, 1, None), field("", byte, 2, None)];
    [node_ty, both_ty, odd_ty]
}

fn globals(b: &mut Builder, node: TypeId, handler: ProcId) -> (VarId, VarId) {
    let (int, byte, char) = (b.p.machine(32, true), b.p.machine(8, false), b.p.machine(8, true));
    let five = b.p.int(5, int);
    let at = |offset, value| InitialValue { offset, bits: None, value };
    let g = b.global("g", int, vec![at(0, five)]);
    let message = b.p.array_of(char, 4);
    let values = (0..).zip(*b"h\n\"\0").map(|(i, c)| at(i, b.p.int(c.into(), char))).collect();
    let message = b.global("message", message, values);
    b.p.variables[message].kind = VarKind::Static;
    let table = b.p.array_of(node, 2);
    let table = b.global("table", table, vec![]);
    let place = b.p.var_place(table);
    let (one, word) = (b.p.int(1, int), b.p.machine(32, false));
    let second = b.p.index(place, one);
    let address = b.p.address_of(second);
    let (three, minus) = (b.p.int(3, word), b.p.int(-7, int));
    let bits =
        |first, width, value| InitialValue { offset: 16, bits: Some(BitRange { first, width }), value };
    b.p.variables[table].initial =
        Initial::Values(vec![at(0, address), at(8, five), bits(0, 3, three), bits(3, 17, minus)]);
    let pointer = b.p.function_address(handler);
    let pointer_ty = b.p.expr(pointer).ty;
    b.global("handler", pointer_ty, vec![at(0, pointer)]);
    b.global("zeros", byte, vec![]);
    let elsewhere = b.global("elsewhere", int, vec![]);
    b.p.variables[elsewhere].initial = Initial::Arbitrary;
    (g, table)
}

fn every_construct() -> Program {
    let mut b = Builder { p: Program::new(DataModel::Lp64), line: 0 };
    let mut lines = LineMap::default();
    lines.add(2, "a.c".into(), 1);
    lines.add(90, "include/\"b\".h".into(), 7);
    b.p.files.push(SourceFile { name: "a.i".into(), text: None, lines });
    b.p.files.push(SourceFile { name: "plain.c".into(), text: None, lines: LineMap::default() });
    let [node, _, odd] = records(&mut b);
    let (int, void) = (b.p.machine(32, true), b.p.void());
    let void_ptr = b.p.pointer_to(void);
    let (x, y) = (b.variable("x", int, VarKind::Formal), b.variable("if", int, VarKind::Formal));
    let result = b.variable("result", int, VarKind::Result);
    let add = b.procedure("add", vec![x, y], Some(result));
    let (sum, left) = (b.p.var(x), b.p.var(y));
    let sum = b.p.binary(BinaryOp::Add, sum, left);
    b.assign(add, result, sum);
    b.step(add, Statement::Return);
    let format = b.variable("format", void_ptr, VarKind::Formal);
    b.external("log", vec![format], None, Effect::Havoc);
    let clock = b.variable("result", int, VarKind::Result);
    b.external("clock", vec![], Some(clock), Effect::Pure);
    let (g, table) = globals(&mut b, node, add);
    let main = b.procedure("main", vec![], None);
    b.p.entry = Some(main);
    statements(&mut b, main, add, g);
    expressions(&mut b, main, table, odd);
    b.step(main, Statement::Return);
    let text = "`clock` reads the time and does nothing else".to_string();
    b.p.assumptions.push(Assumption { span: span(3, 1, 5), text });
    b.p
}

fn statements(b: &mut Builder, main: ProcId, add: ProcId, g: VarId) {
    let (int, byte, size) = (b.p.machine(32, true), b.p.machine(8, false), b.p.address_type());
    let byte_ptr = b.p.pointer_to(byte);
    let t = b.local(main, "t", int, VarKind::Temp);
    let p = b.local(main, "p", byte_ptr, VarKind::Temp);
    // Hides the global.
    let hiding = b.local(main, "g", int, VarKind::Local);
    b.step(main, Statement::Skip);
    let place = b.p.var_place(hiding);
    b.step(main, Statement::Havoc(place, Arbitrary::Nondet("__VERIFIER_nondet_int".into())));
    b.step(main, Statement::Havoc(place, Arbitrary::Uninitialised));
    b.step(main, Statement::Havoc(place, Arbitrary::External("rand".into())));
    b.step(main, Statement::Havoc(place, Arbitrary::Assembly));
    let value = b.p.var(g);
    b.assign(main, hiding, value);
    let (one, temp) = (b.p.int(1, int), b.p.var(t));
    let condition = b.p.binary(BinaryOp::Lt, value, one);
    b.step(main, Statement::Assume(condition));
    let direct = Callee::Direct(add);
    b.step(main, Statement::Call { result: Some(t), callee: direct, arguments: vec![one, temp] });
    let pointer = b.p.function_address(add);
    let callee = Callee::Indirect(pointer);
    b.step(main, Statement::Call { result: None, callee, arguments: vec![temp, temp] });
    let (forty, long) = (b.p.int(40, size), b.p.cast(temp, size));
    for (size, kind, may_fail) in [
        (forty, MemoryKind::Heap, true),
        (long, MemoryKind::ZeroedHeap, false),
        (one, MemoryKind::Stack, false),
    ] {
        b.step(main, Statement::Allocate { result: p, size, kind, may_fail });
    }
    let pointer = b.p.var(p);
    b.step(main, Statement::Copy { target: pointer, source: pointer, length: forty });
    b.step(main, Statement::Fill { target: pointer, byte: one, length: one });
    b.step(main, Statement::Free(pointer));
    b.step(main, Statement::Output { function: "printf".into(), arguments: vec![pointer, temp, forty] });
    for halt in [Halt::Exit(one), Halt::Abort, Halt::Unreachable] {
        b.step(main, Statement::Halt(halt));
    }
    b.step(main, Statement::Error(Property::ErrorFunction("reach_error".into())));
    b.step(main, Statement::Error(Property::Assertion("g > \"0\"".into())));
    b.step(main, Statement::Error(Property::ErrorLabel("ERROR".into())));
    b.step(main, Statement::Unsupported("longjmp".into()));
    let labels = &mut b.p.procedures[main].locations[Id::from_usize(3)].labels;
    *labels = vec!["again".into(), "ERROR".into()];
}

fn expressions(b: &mut Builder, main: ProcId, table: VarId, odd: TypeId) {
    let (int, byte, bool) = (b.p.machine(32, true), b.p.machine(8, false), b.p.bool());
    let (wide, float) = (b.p.machine(128, false), b.p.intern_type(Type::Float(FloatKind::F64)));
    let (extended, math) = (b.p.intern_type(Type::Float(FloatKind::F80)), b.p.intern_type(Type::Integer));
    let table_place = b.p.var_place(table);
    let two = b.p.int(2, wide);
    let element = b.p.index(table_place, two);
    let next = b.p.field(element, 0);
    let next = b.p.load(next);
    let target = b.p.deref(next);
    let bytes = b.p.field(target, 2);
    let bytes = b.p.field(bytes, 1);
    let minus = b.p.int(-1, int);
    let last = b.p.index(bytes, minus);
    let small = b.p.load(last);
    let i = b.local(main, "i", int, VarKind::Local);
    let cast = b.p.cast(small, int);
    b.assign(main, i, cast);
    let index = b.p.var(i);
    let shift = b.p.binary(BinaryOp::Shl, index, two);
    let five = b.p.int(5, int);
    let neg = b.p.intern_expr(ExprKind::Unary(UnaryOp::Neg, five), int);
    let not = b.p.unary(UnaryOp::BitNot, neg);
    let or = b.p.binary(BinaryOp::Or, shift, not);
    b.assign(main, i, or);
    let flag = b.local(main, "flag", bool, VarKind::Local);
    let stored = b.p.var(flag);
    let same = b.p.binary(BinaryOp::Eq, next, next);
    let and = b.p.binary(BinaryOp::And, stored, same);
    let not = b.p.intern_expr(ExprKind::Unary(UnaryOp::Not, and), bool);
    let yes = b.p.truth(true);
    let either = b.p.if_then_else(stored, yes, not);
    b.assign(main, flag, either);
    let moved = b.p.binary(BinaryOp::PointerAdd, next, minus);
    let distance = b.p.binary(BinaryOp::PointerDiff, moved, next);
    let distance = b.p.cast(distance, int);
    b.assign(main, i, distance);
    for (name, kind, ty) in [
        ("d", ExprKind::Float((-0.1f64).to_bits().into()), float),
        ("inf", ExprKind::Float(f64::INFINITY.to_bits().into()), float),
        ("e", ExprKind::Float(0x4000_c90f_daa2_2168_c235), extended),
        ("m", ExprKind::Int(i128::MIN), math),
        ("w", ExprKind::Int(-1), wide),
        ("null pointer", ExprKind::Int(0), b.p.expr(next).ty),
    ] {
        let var = b.local(main, name, ty, VarKind::Local);
        let value = b.p.intern_expr(kind, ty);
        b.assign(main, var, value);
    }
    let odd = b.local(main, "odd", odd, VarKind::Local);
    let place = b.p.var_place(odd);
    let one = b.p.int(1, byte);
    for field in 0..3 {
        let field = b.p.field(place, field);
        b.step(main, Statement::Assign(field, one));
    }
    let whole = b.p.load(place);
    b.assign(main, odd, whole);
}

/// Length: the text of one program with every construct.
#[test]
fn every_construct_has_a_text() {
    let mut program = every_construct();
    let missing = "there are calls through pointers, but no procedure `$misfit`";
    assert_eq!(verify(&program).iter().map(|v| v.show(&program)).collect::<Vec<_>>(), [missing]);
    program.add_misfit();
    let violations: Vec<_> = verify(&program).iter().map(|v| v.show(&program)).collect();
    assert_eq!(violations, Vec::<String>::new());
    let printed = text::print(&program);
    expect![[r#"
        program 1 LP64

        file 0 "a.i" {
          line 2 is "a.c" line 1
          line 90 is "include/\"b\".h" line 7
        }

        file 1 "plain.c"

        struct node size 24 align 8 {  @0:1:1-1:9
          next: ptr struct node at 0
          value: i32 at 8
          u: union both at 12
          low: u32 at 16 bits 0 width 3
          high: i32 at 16 bits 3 width 17
        }

        union both size 4 align 4 {  @0:2:1-2:9
          word: u32 at 0
          "": [4 x u8] at 0
        }

        struct "odd one" size 4 align 1 {  @0:3:1-3:9
          "fn": u8 at 0
          "": u8 at 1
          "": u8 at 2
        }

        global g: i32 = 5  @0:14:5-14:6
        static message: [4 x i8] = {  @0:15:5-15:12
          at 0: "h\n\"\x00":i8
        }
        global table: [2 x struct node] = {  @0:16:5-16:10
          at 0: &table[1]
          at 8: 5
          at 16 bits 0 width 3: 3:u32
          at 16 bits 3 width 17: -7
        }
        global handler: ptr fn(i32, i32) -> i32 = fn add  @0:17:5-17:12
        global zeros: u8 = zero  @0:18:5-18:10
        global elsewhere: i32 = arbitrary  @0:19:5-19:14

        fn add(x: i32 @0:4:5-4:6, "if": i32 @0:5:5-5:7) -> result: i32 @0:6:5-6:11 {  @0:7:1-7:21
          locations 3 entry L0 exit L1
          L0 -> L2: result := (x + "if")  @0:8:3-8:13
          L2 -> L1: return  @0:9:3-9:13
        }

        extern havoc fn log(format: ptr void @0:10:5-10:11);  @0:11:1-11:21

        extern pure fn clock() -> result: i32 @0:12:5-12:11;  @0:13:1-13:21

        fn main() {  @0:20:1-20:21
          temp t: i32 @0:21:5-21:6
          temp p: ptr u8 @0:22:5-22:6
          local g: i32 @0:23:5-23:6
          local i: i32 @0:47:5-47:6
          local flag: bool @0:50:5-50:9
          local d: f64 @0:53:5-53:6
          local inf: f64 @0:55:5-55:8
          local e: f80 @0:57:5-57:6
          local m: int @0:59:5-59:6
          local w: u128 @0:61:5-61:6
          local "null pointer": ptr struct node @0:63:5-63:17
          local odd: struct "odd one" @0:65:5-65:8
          locations 39 entry L0 exit L1
          label again at L3
          label ERROR at L3
          L0 -> L2: skip  @0:24:3-24:13
          L2 -> L3: havoc g from nondet __VERIFIER_nondet_int  @0:25:3-25:13
          L3 -> L4: havoc g from uninitialised  @0:26:3-26:13
          L4 -> L5: havoc g from external rand  @0:27:3-27:13
          L5 -> L6: havoc g from assembly  @0:28:3-28:13
          L6 -> L7: g := ::g  @0:29:3-29:13
          L7 -> L8: assume (::g < 1)  @0:30:3-30:13
          L8 -> L9: t := call add(1, t)  @0:31:3-31:13
          L9 -> L10: call *(fn add)(t, t)  @0:32:3-32:13
          L10 -> L11: p := allocate heap 40 or null  @0:33:3-33:13
          L11 -> L12: p := allocate zeroed cast<u64>(t)  @0:34:3-34:13
          L12 -> L13: p := allocate stack 1:i32  @0:35:3-35:13
          L13 -> L14: copy(p, p, 40)  @0:36:3-36:13
          L14 -> L15: fill(p, 1, 1:i32)  @0:37:3-37:13
          L15 -> L16: free p  @0:38:3-38:13
          L16 -> L17: output printf(p, t, 40:u64)  @0:39:3-39:13
          L17 -> L18: exit 1  @0:40:3-40:13
          L18 -> L19: abort  @0:41:3-41:13
          L19 -> L20: unreachable  @0:42:3-42:13
          L20 -> L21: error function reach_error  @0:43:3-43:13
          L21 -> L22: error assertion "g > \"0\""  @0:44:3-44:13
          L22 -> L23: error label ERROR  @0:45:3-45:13
          L23 -> L24: unsupported "longjmp"  @0:46:3-46:13
          L24 -> L25: i := cast<i32>(table[2:u128].next->u.#1[-1])  @0:48:3-48:13
          L25 -> L26: i := ((i << 2:u128) | ~-(5))  @0:49:3-49:13
          L26 -> L27: flag := (if flag then true else !(flag & (table[2:u128].next == table[2:u128].next)))  @0:51:3-51:13
          L27 -> L28: i := cast<i32>(((table[2:u128].next + -1) - table[2:u128].next))  @0:52:3-52:13
          L28 -> L29: d := -0.1  @0:54:3-54:13
          L29 -> L30: inf := 0x7ff0000000000000  @0:56:3-56:13
          L30 -> L31: e := 0x4000c90fdaa22168c235  @0:58:3-58:13
          L31 -> L32: m := -170141183460469231731687303715884105728  @0:60:3-60:13
          L32 -> L33: w := 340282366920938463463374607431768211455  @0:62:3-62:13
          L33 -> L34: "null pointer" := 0  @0:64:3-64:13
          L34 -> L35: odd."fn" := 1  @0:66:3-66:13
          L35 -> L36: odd.#1 := 1  @0:67:3-67:13
          L36 -> L37: odd.#2 := 1  @0:68:3-68:13
          L37 -> L38: odd := odd  @0:69:3-69:13
          L38 -> L1: return  @0:70:3-70:13
        }

        entry main

        assumption "`clock` reads the time and does nothing else"  @0:3:1-3:6
    "#]].assert_eq(&printed);
    let again = text::parse(Id::from_usize(0), &printed).expect("what was printed can be parsed");
    assert_eq!(text::print(&again), printed);
}

#[test]
fn people_see_constants_without_types() {
    let program = every_construct();
    let byte = program.machine(8, false);
    let value = program.int(7, byte);
    let word = program.machine(32, false);
    let cast = program.intern_expr(ExprKind::Cast(value), word);
    assert_eq!(program.show_expr(cast), "cast<u32>(7)");
    assert_eq!(program.show_type(word), "u32");
    let main = program.entry.expect("there is an entry");
    let shown: Vec<_> =
        program.procedures[main].edges.values().map(|e| program.show_statement(&e.statement)).collect();
    assert_eq!(shown[5], "g := g");
    assert_eq!(shown[7], "t := call add(1, t)");
}

#[test]
fn huge_expressions_are_cut_short() {
    let p = Program::new(DataModel::Lp64);
    let int = p.machine(32, true);
    let one = p.int(1, int);
    let mut deep = one;
    for _ in 0..1_000_000 {
        deep = p.intern_expr(ExprKind::Unary(UnaryOp::BitNot, deep), int);
    }
    assert!(p.show_expr(deep).ends_with("~..."));
    let mut wide = one;
    for _ in 0..80 {
        wide = p.intern_expr(ExprKind::Binary(BinaryOp::Add, wide, wide), int);
    }
    assert!(p.show_expr(wide).len() < 2000);
}

/// The example in the documentation is a sound program, as printed.
#[test]
fn the_documented_example_is_true_to_form() {
    let page = include_str!("../../../docs/ir.md");
    let example = page.split("```ir\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let program = text::parse(Id::from_usize(0), example).expect("the example can be parsed");
    assert_eq!(verify(&program), []);
    assert_eq!(text::print(&program), example);
}
