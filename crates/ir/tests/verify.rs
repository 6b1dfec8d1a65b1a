//! The verifier: a sound program, and for each rule ways to break it that must be reported.

use hardbop_base::{Id, Span};
use hardbop_ir::{
    BinaryOp, Callee, ExprKind, FunctionType, Initial, InitialValue, Place, PlaceBase, ProcId, Program,
    Statement, Type, UnaryOp, VarId, VarKind, text, verify,
};

const SOUND: &str = r#"program 1 LP64

file 0 "a.c"

struct s size 16 align 8 {  @0:1:1-1:9
  next: ptr struct s at 0
  a: i32 at 8
  low: u32 at 12 bits 0 width 3
  high: u32 at 12 bits 3 width 7
}

union u size 4 align 4 {
  word: u32 at 0
  bytes: [4 x u8] at 0
}

global g: i32 = 1  @0:2:1-2:6
global array: [2 x i32] = {
  at 0: 5
  at 4: 6
}
static record: struct s = {
  at 0: &record
  at 8: 7
  at 12 bits 0 width 3: 1:u32
}
global pointer: ptr i32 = (&array[1] + 1)

fn f(a: i32, b: ptr i32) -> r: i32 {
  local x: i32
  temp t: i32
  temp q: ptr i32
  locations 4 entry L0 exit L1
  L0 -> L2: x := (a + 1)  @0:3:1-3:9
  L2 -> L3: r := x
  L3 -> L1: return
}

extern pure fn ext(c: f64) -> e: u8;

fn main() {
  local x: i32
  local y: u8
  local p: ptr i32
  local d: f64
  local b: bool
  local rec: struct s
  local un: union u
  temp t: i32
  temp q: ptr i32
  temp v: u8
  locations 9 entry L0 exit L1
  L0 -> L2: t := call f(1, q)
  L2 -> L3: assume (x < 5)
  L3 -> L4: x := 1
  L4 -> L5: p := &x
  L5 -> L6: q := allocate heap 4
  L6 -> L7: copy(p, q, 4)
  L7 -> L8: output printf(x, p)
  L8 -> L1: return
}

entry main
"#;

fn read(text: &str) -> Program {
    text::parse(Id::from_usize(0), text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn messages(program: &Program) -> Vec<String> {
    verify(program).iter().map(|v| v.show(program)).collect()
}

#[test]
fn the_program_is_sound() {
    let program = read(SOUND);
    assert_eq!(messages(&program), Vec::<String>::new());
    assert_eq!(text::print(&program), SOUND);
}

/// Replaces a piece of the text; exactly one violation must be reported, with this message.
fn check_edit(from: &str, to: &str, message: &str) {
    assert_eq!(SOUND.matches(from).count(), 1, "`{from}` stands once in the text");
    let program = read(&SOUND.replacen(from, to, 1));
    assert_eq!(messages(&program), [message], "{from} => {to}");
}

fn check_sound(from: &str, to: &str) {
    let program = read(&SOUND.replacen(from, to, 1));
    assert_eq!(messages(&program), Vec::<String>::new(), "{from} => {to}");
}

#[test]
fn records() {
    check_edit("size 16 align 8", "size 16 align 6", "record `s` has alignment 6");
    check_edit("size 16 align 8", "size 16 align 0", "record `s` has alignment 0");
    check_edit("a: i32 at 8", "a: i32 at 6", "field 1 of struct `s` overlaps the one before it");
    check_edit("a: i32 at 8", "a: void at 8", "field 1 of record `s` has type void");
    check_edit("bits 3 width 7", "bits 2 width 7", "field 3 of struct `s` overlaps the one before it");
    check_edit("at 12 bits 3", "at 12 bits 8", "bit-field 3 of record `s` does not start in its first byte");
    check_edit("bits 3 width 7", "bits 3 width 0", "bit-field 3 of record `s` has 0 bits");
    check_edit(
        "high: u32 at 12 bits 3 width 7",
        "high: f32 at 12 bits 3 width 7",
        "bit-field 3 of record `s` has type f32",
    );
    check_edit("word: u32 at 0", "word: u8 at 1", "field 0 of union `u` does not start at 0");
    check_edit("[4 x u8] at 0", "[5 x u8] at 0", "field 1 of record `u` ends behind the record");
    check_edit("next: ptr struct s at 0", "next: [0 x struct s] at 0", "record `s` contains itself");
}

#[test]
fn initial_values() {
    check_edit("g: i32 = 1", "g: i32 = *&g", "the initial value `*&g` of `g` is not constant");
    check_edit("at 4: 6", "at 3: 6", "the initial values at 3 of `array` overlap");
    check_edit("at 4: 6", "at 5: 6", "the initial value at 5 of `array` ends behind it");
    check_edit("at 0: &record", "at 0: record.a", "the initial value `record.a` of `record` is not constant");
    check_edit(
        "bits 0 width 3: 1:u32",
        "bits 8 width 3: 1:u32",
        "the initial value at 12 of `record` has bad bits",
    );
    check_edit(
        "bits 0 width 3: 1:u32",
        "bits 0 width 9: 1:u8",
        "the initial value at 12 of `record` has bad bits",
    );
    check_edit(
        "= (&array[1] + 1)",
        "= &array[g]",
        "the initial value `&array[g]` of `pointer` is not constant",
    );
}

#[test]
fn graph() {
    let edge = |n: &str, message: &str| format!("procedure `main`, {n}: {message}");
    check_edit("L7 -> L8:", "L7 -> L0:", &edge("L7 -> L0", "an edge enters the entry"));
    check_edit("L7 -> L8:", "L1 -> L8:", &edge("L1 -> L8", "an edge leaves the exit"));
    check_edit(
        "L8 -> L1: return",
        "L8 -> L1: skip",
        &edge("L8 -> L1", "an edge that is no return enters the exit"),
    );
    check_edit(
        "L8 -> L1: return",
        "L8 -> L2: return",
        &edge("L8 -> L2", "a return does not lead to the exit"),
    );
    check_edit("entry main", "entry f", "procedure `f`: the entry of the program has formals");
    // A location may be a dead end.
    check_sound("  L8 -> L1: return\n", "");
}

#[test]
fn statements() {
    let edit = |to: &str, message: &str| {
        check_edit("x := 1\n", &format!("{to}\n"), &format!("procedure `main`, L3 -> L4: {message}"))
    };
    edit("x := 1:u8", "a value of type u8 is assigned to a place of type i32");
    edit("p := 0:ptr u8", "a value of type ptr u8 is assigned to a place of type ptr i32");
    edit("assume x", "an assumption has type i32, which is no truth value");
    edit("free x", "what is freed has type i32, which is no pointer");
    edit("copy(x, p, 4)", "the target of a copy has type i32, which is no pointer");
    edit("copy(p, x, 4)", "the source of a copy has type i32, which is no pointer");
    edit("copy(p, p, p)", "the length of a copy has type ptr i32, which is no machine integer");
    edit("fill(x, 0, 4)", "the target of a fill has type i32, which is no pointer");
    edit("fill(p, d, 4)", "the byte of a fill has type f64, which is no machine integer");
    edit("fill(p, 0, d)", "the length of a fill has type f64, which is no machine integer");
    edit("exit p", "the exit status has type ptr i32, which is no machine integer");
    edit("output puts(rec)", "an argument of an output has type struct s, which is no scalar");
    edit("p := allocate heap 4", "the address of a new object goes into `p`, which is no temporary");
    edit("t := allocate heap 4", "`t` gets the address of an object but is no pointer");
    edit("q := allocate heap d", "the size of a new object has type f64, which is no machine integer");
    edit("t := call f(1)", "a call passes 1 arguments to 2 formals");
    edit("t := call f(1:u8, q)", "argument 0 of a call has type u8, its formal has type i32");
    edit("t := call f(x, q)", "argument `x` of a call is neither constant nor a temporary");
    edit("t := call f((t + 1), q)", "argument `(t + 1)` of a call is neither constant nor a temporary");
    edit("t := call f(1, &x)", "argument `&x` of a call is neither constant nor a temporary");
    edit("x := call f(1, q)", "the result of a call goes into `x`, which is no temporary");
    edit("v := call f(1, q)", "a call gives type i32 and stores it as type u8");
    edit("t := call main()", "a call takes the result of a procedure that has none");
    edit("call *p()", "a value of type ptr i32 is called");
    edit("call *(fn f)(1)", "a call passes 1 arguments to 2 formals");
    edit("havoc *cast<ptr void>(p) from assembly", "a value of type void is stored");
    edit("p := &t", "the address of temporary `t` is taken");
    edit("assume (&rec.low == 0)", "`&rec.low` is the address of a bit-field");
}

#[test]
fn expressions() {
    let edit = |to: &str, message: &str| {
        check_edit("x := 1\n", &format!("{to}\n"), &format!("procedure `main`, L3 -> L4: {message}"))
    };
    edit("x := (x + y)", "`(x + y)` has an operand of type u8");
    edit("b := (b + b)", "`(b + b)` has an operand of type bool");
    edit("d := (d & d)", "`(d & d)` has an operand of type f64");
    edit("d := (d << 1:i32)", "`(d << 1)` has an operand of type f64");
    edit("x := (x << d)", "`(x << d)` has an operand of type f64");
    edit("b := (b < b)", "`(b < b)` has an operand of type bool");
    edit("b := (rec == rec)", "`(rec == rec)` has an operand of type struct s");
    edit("b := (p == cast<ptr u8>(q))", "`(p == cast<ptr u8>(q))` has an operand of type ptr u8");
    edit("p := (p + d)", "`(p + d)` has an operand of type f64");
    edit("x := cast<i32>((p - &y))", "`(p - &y)` has an operand of type ptr u8");
    edit("p := -p", "`-p` has an operand of type ptr i32");
    edit("d := ~d", "`~d` has an operand of type f64");
    edit("x := !x", "`!x` has an operand of type i32");
    edit("x := (if x then 1 else 2)", "`(if x then 1 else 2)` has an operand of type i32");
    edit("x := (if b then 1 else y)", "`(if b then 1 else y)` has an operand of type u8");
    edit("rec := (if b then rec else rec)", "`(if b then rec else rec)` cannot have type struct s");
    edit("p := cast<ptr i32>(d)", "`cast<ptr i32>(d)` converts from type f64");
    edit("d := cast<f64>(p)", "`cast<f64>(p)` converts from type ptr i32");
    edit("b := cast<bool>(x)", "`cast<bool>(x)` converts from type i32");
    edit("rec := cast<struct s>(x)", "`cast<struct s>(x)` converts from type i32");
    edit("x := array[d]", "an index in `array[d]` is not a machine integer");
}

#[test]
fn formals_stay_as_they_are() {
    let edit =
        |to: &str, message: &str| check_edit("r := x", to, &format!("procedure `f`, L2 -> L3: {message}"));
    edit("a := x", "formal `a` is stored to");
    edit("havoc b from uninitialised", "formal `b` is stored to");
    edit("a := call f(1, b)", "the result of a call goes into `a`, which is no temporary");
    edit("q := &a", "the address of formal `a` is taken");
    edit("q := &r", "the address of result `r` is taken");
}

/// Damages the program; exactly these violations must be reported.
fn check_damage(expected: &[&str], damage: impl FnOnce(&mut Program)) {
    let mut program = read(SOUND);
    damage(&mut program);
    assert_eq!(messages(&program), expected);
    // A broken program can still be printed and shown.
    text::print(&program);
}

fn procedure(p: &Program, name: &str) -> ProcId {
    p.procedures.iter().find(|(_, q)| q.name == name).map(|(id, _)| id).expect("a procedure of that name")
}

fn variable(p: &Program, owner: &str, name: &str) -> VarId {
    let procedure = &p.procedures[procedure(p, owner)];
    let mut all = procedure.formals.iter().chain(&procedure.locals).chain(&procedure.result);
    *all.find(|&&v| p.variables[v].name == name).expect("a variable of that name")
}

fn global(p: &Program, name: &str) -> VarId {
    *p.globals.iter().find(|&&v| p.variables[v].name == name).expect("a global of that name")
}

/// Puts a statement on the edge L3 -> L4 of `main`.
fn put(p: &mut Program, statement: Statement) {
    let main = procedure(p, "main");
    p.procedures[main].edges[Id::from_usize(2)].statement = statement;
}

const NOWHERE: usize = 1_000_000;

#[test]
fn types_that_no_text_has() {
    check_damage(&["machine integers do not have 70 bits"], |p| {
        p.machine(70, true);
    });
    check_damage(&["an array has elements of type void"], |p| {
        let void = p.void();
        p.array_of(void, 3);
    });
    check_damage(&["type [9223372036854775807 x i32] is larger than the address space allows"], |p| {
        let int = p.machine(32, true);
        p.array_of(int, i64::MAX as u64);
    });
    check_damage(&["a function takes a formal of type void", "a function gives a function"], |p| {
        let void = p.void();
        let function = p.intern_type(Type::Function(FunctionType {
            result: void,
            formals: vec![void],
            variadic: false,
        }));
        p.intern_type(Type::Function(FunctionType { result: function, formals: vec![], variadic: false }));
    });
    check_damage(&["type #12 is made of type #1000000, which is not older"], |p| {
        assert_eq!(p.types().len(), 12);
        p.pointer_to(Id::from_usize(NOWHERE));
    });
    check_damage(&["a type names record #1000000, which is not there"], |p| {
        p.intern_type(Type::Record(Id::from_usize(NOWHERE)));
    });
    check_damage(&["a type is nested too deeply or too large to be written down"], |p| {
        let mut ty = p.bool();
        for _ in 0..250 {
            ty = p.pointer_to(ty);
        }
    });
    check_damage(&["there are two records `s`"], |p| p.records[Id::from_usize(1)].name = "s".into());
    check_damage(&["field 0 of record `u` has a bad type"], |p| {
        p.records[Id::from_usize(1)].fields[0].ty = Id::from_usize(NOWHERE);
    });
    check_damage(&["record `s` is larger than the address space allows"], |p| {
        p.records[Id::from_usize(0)].size = u64::MAX;
    });
}

#[test]
fn lists_of_variables() {
    check_damage(&["variable `g` is listed twice", "there are two globals `g`"], |p| {
        let g = global(p, "g");
        p.globals.push(g);
    });
    check_damage(&["there are two globals `g`"], |p| {
        let array = global(p, "array");
        p.variables[array].name = "g".into();
    });
    check_damage(&["procedure `f`: there are two variables `a`"], |p| {
        let b = variable(p, "f", "b");
        p.variables[b].name = "a".into();
    });
    check_damage(&["variable `g` is listed as global but is a Local"], |p| {
        let g = global(p, "g");
        p.variables[g].kind = VarKind::Local;
    });
    check_damage(&["procedure `f`: variable `x` is listed as local but is a Result"], |p| {
        let x = variable(p, "f", "x");
        p.variables[x].kind = VarKind::Result;
    });
    check_damage(&["procedure `main`: variable `x` is no global but has an initial value"], |p| {
        let x = variable(p, "main", "x");
        p.variables[x].initial = Initial::Values(vec![]);
    });
    check_damage(&["procedure `main`: variable `d` has type void"], |p| {
        let d = variable(p, "main", "d");
        p.variables[d].ty = p.void();
    });
    check_damage(&["procedure `main`: variable `d` has a bad type"], |p| {
        let d = variable(p, "main", "d");
        p.variables[d].ty = Id::from_usize(NOWHERE);
    });
    check_damage(&["procedure `main`: variable #1000000, listed as local, is not there"], |p| {
        let main = procedure(p, "main");
        p.procedures[main].locals.push(Id::from_usize(NOWHERE));
    });
    let unlisted = [
        "procedure `main`, L0 -> L2: variable `q` is in no list of variables",
        "procedure `main`, L5 -> L6: variable `q` is in no list of variables",
    ];
    check_damage(&unlisted, |p| {
        let (main, q) = (procedure(p, "main"), variable(p, "main", "q"));
        p.procedures[main].locals.retain(|&v| v != q);
    });
}

#[test]
fn procedures_and_ids() {
    check_damage(&["procedure `f`: there are two procedures `f`"], |p| {
        let ext = procedure(p, "ext");
        p.procedures[ext].name = "f".into();
    });
    check_damage(&["procedure `ext`: the procedure is external but has a body"], |p| {
        let ext = procedure(p, "ext");
        p.procedures[ext].locations.push(Default::default());
    });
    check_damage(&["procedure `main`: the entry of the program is external"], |p| {
        let main = procedure(p, "main");
        let shell = p.procedures[procedure(p, "ext")].clone();
        let name = "main".into();
        p.procedures[main] = hardbop_ir::Procedure { name, formals: vec![], result: None, ..shell };
    });
    check_damage(&["the entry is procedure #1000000, which is not there"], |p| {
        p.entry = Some(Id::from_usize(NOWHERE));
    });
    check_damage(&["procedure `main`: the entry or the exit is not there"], |p| {
        let main = procedure(p, "main");
        p.procedures[main].entry = Id::from_usize(NOWHERE);
    });
    check_damage(&["procedure `main`, L3 -> L1000000: location L1000000 is not there"], |p| {
        let main = procedure(p, "main");
        p.procedures[main].edges[Id::from_usize(2)].target = Id::from_usize(NOWHERE);
    });
    check_damage(&["a span names file 7, which is not there"], |p| {
        let g = global(p, "g");
        p.variables[g].span = Span::in_line(Id::from_usize(7), 1, 1, 1);
    });
    let at = |message: &str| format!("procedure `main`, L3 -> L4: {message}");
    check_damage(&[&at("Expr(#1000000) is not there")], |p| {
        put(p, Statement::Assume(Id::from_usize(NOWHERE)))
    });
    check_damage(&[&at("Place(#1000000) is not there")], |p| {
        let ty = p.bool();
        let load = p.intern_expr(ExprKind::Load(Id::from_usize(NOWHERE)), ty);
        put(p, Statement::Assume(load));
    });
    check_damage(&[&at("variable #1000000 is not there")], |p| {
        let ty = p.bool();
        let place = p.intern_place(Place { base: PlaceBase::Var(Id::from_usize(NOWHERE)), path: vec![], ty });
        let load = p.load(place);
        put(p, Statement::Assume(load));
    });
    check_damage(&[&at("procedure #1000000 is not there")], |p| {
        let callee = Callee::Direct(Id::from_usize(NOWHERE));
        put(p, Statement::Call { result: None, callee, arguments: vec![] });
    });
    check_damage(&[&at("procedure #1000000 is not there")], |p| {
        let pointer = p.function_address(procedure(p, "f"));
        let ty = p.expr(pointer).ty;
        let callee = Callee::Indirect(p.intern_expr(ExprKind::Function(Id::from_usize(NOWHERE)), ty));
        put(p, Statement::Call { result: None, callee, arguments: vec![] });
        p.add_misfit();
    });
    check_damage(&[&at("`true` has a bad type")], |p| {
        let expr = p.intern_expr(ExprKind::Bool(true), Id::from_usize(NOWHERE));
        put(p, Statement::Assume(expr));
    });
    check_damage(&[&at("Expr(#17) is a part of itself")], |p| {
        let (ty, next) = (p.bool(), Id::from_usize(p.exprs().len()));
        let expr = p.intern_expr(ExprKind::Unary(UnaryOp::Not, next), ty);
        put(p, Statement::Assume(expr));
    });
}

#[test]
fn expressions_that_no_text_has() {
    let at = |message: &str| format!("procedure `main`, L3 -> L4: {message}");
    let (int, byte) = (|p: &mut Program| p.machine(32, true), |p: &mut Program| p.machine(8, false));
    check_damage(&[&at("a variable of another procedure is used")], |p| {
        let other = variable(p, "f", "x");
        let (place, one) = (p.var_place(other), {
            let ty = int(p);
            p.int(1, ty)
        });
        put(p, Statement::Assign(place, one));
    });
    check_damage(&[&at("a variable of another procedure is used")], |p| {
        let (a, b) = (variable(p, "f", "x"), variable(p, "main", "x"));
        let (a, b) = (p.var(a), p.var(b));
        let less = p.binary(BinaryOp::Lt, a, b);
        put(p, Statement::Assume(less));
    });
    check_damage(&[&at("a variable of another procedure is used")], |p| {
        let result = Some(variable(p, "f", "t"));
        let callee = Callee::Direct(procedure(p, "f"));
        let (ty, q) = (int(p), variable(p, "main", "q"));
        let arguments = vec![p.int(1, ty), p.var(q)];
        put(p, Statement::Call { result, callee, arguments });
    });
    check_damage(&[&at("the constant 300 does not fit type u8")], |p| {
        let (y, ty) = (variable(p, "main", "y"), byte(p));
        let (place, value) = (p.var_place(y), p.intern_expr(ExprKind::Int(300), ty));
        put(p, Statement::Assign(place, value));
    });
    check_damage(&[&at("`5` cannot have type bool")], |p| {
        let ty = p.bool();
        let value = p.intern_expr(ExprKind::Int(5), ty);
        put(p, Statement::Assume(value));
    });
    check_damage(
        &[&at("`(x == x)` cannot have type i32"), &at("an assumption has type i32, which is no truth value")],
        |p| {
            let (x, ty) = (variable(p, "main", "x"), int(p));
            let x = p.var(x);
            let value = p.intern_expr(ExprKind::Binary(BinaryOp::Eq, x, x), ty);
            put(p, Statement::Assume(value));
        },
    );
    check_damage(&[&at("`x` has type i32, not bool")], |p| {
        let (x, ty) = (variable(p, "main", "x"), p.bool());
        let place = p.intern_place(Place { base: PlaceBase::Var(x), path: vec![], ty });
        let value = p.load(place);
        put(p, Statement::Assume(value));
    });
    check_damage(&[&at("`*x` dereferences what is no pointer")], |p| {
        let (x, ty) = (variable(p, "main", "x"), p.bool());
        let base = PlaceBase::Deref(p.var(x));
        let place = p.intern_place(Place { base, path: vec![], ty });
        let value = p.load(place);
        put(p, Statement::Assume(value));
    });
    check_damage(&[&at("`rec.#9` names a field that is not there")], |p| {
        let (rec, ty) = (variable(p, "main", "rec"), p.bool());
        let path = vec![hardbop_ir::Projection::Field(9)];
        let place = p.intern_place(Place { base: PlaceBase::Var(rec), path, ty });
        let value = p.load(place);
        put(p, Statement::Assume(value));
    });
    check_damage(&[&at("`x.#0` takes a part of type i32")], |p| {
        let (x, ty) = (variable(p, "main", "x"), p.bool());
        let path = vec![hardbop_ir::Projection::Field(0)];
        let place = p.intern_place(Place { base: PlaceBase::Var(x), path, ty });
        let value = p.load(place);
        put(p, Statement::Assume(value));
    });
    check_damage(&[&at("`fn f` cannot have type ptr i32")], |p| {
        let target = variable(p, "main", "p");
        let (place, ty) = (p.var_place(target), p.variables[target].ty);
        let value = p.intern_expr(ExprKind::Function(procedure(p, "f")), ty);
        put(p, Statement::Assign(place, value));
    });
    check_damage(&["the initial value at 0 of `g` ends behind it"], |p| {
        let (g, ty) = (global(p, "g"), p.machine(64, true));
        let value = p.int(1, ty);
        p.variables[g].initial = Initial::Values(vec![InitialValue { offset: 0, bits: None, value }]);
    });
    check_damage(
        &[
            "the initial value `record` of `record` is not constant",
            "an initial value of `record` has type struct s, which is no scalar",
        ],
        |p| {
            let record = global(p, "record");
            let value = p.var(record);
            p.variables[record].initial =
                Initial::Values(vec![InitialValue { offset: 0, bits: None, value }]);
        },
    );
}

#[test]
fn expressions_out_of_all_proportion() {
    let at = |message: &str| format!("procedure `main`, L3 -> L4: {message}");
    check_damage(&[&at("an expression is nested more than 500 deep")], |p| {
        let ty = p.bool();
        let mut value = p.truth(true);
        for _ in 0..200_000 {
            value = p.intern_expr(ExprKind::Unary(UnaryOp::Not, value), ty);
        }
        put(p, Statement::Assume(value));
    });
    check_damage(&[&at("an expression has more than 1048576 nodes")], |p| {
        let ty = p.bool();
        let mut value = p.truth(true);
        for _ in 0..100 {
            value = p.intern_expr(ExprKind::Binary(BinaryOp::And, value, value), ty);
        }
        put(p, Statement::Assume(value));
    });
}

/// Faults do not hide each other: each is reported with its own procedure, edge and span.
#[test]
fn every_violation_is_reported() {
    let text = SOUND.replace("x := (a + 1)", "a := (a + 1:u8)").replace("assume (x < 5)", "assume x");
    let program = read(&text);
    let violations = verify(&program);
    assert_eq!(violations.len(), 3);
    assert_eq!(violations[0].span, Span::in_line(Id::from_usize(0), 3, 1, 8));
    assert_eq!(violations[0].procedure, Some(procedure(&program, "f")));
    assert_eq!(violations[2].procedure, Some(procedure(&program, "main")));
    assert_eq!(violations[2].edge, Some(Id::from_usize(1)));
    let shown = violations[2].diagnostic(&program);
    assert_eq!(
        shown.message,
        "procedure `main`, L2 -> L3: an assumption has type i32, which is no truth value"
    );
}
