//! The types of expressions against gcc: size, signedness and whether it is a floating type.

mod common;

use std::fmt::Write;

use common::{MODELS, gcc, has_gcc, unit};
use hardbop_syntax::ast::{DeclKind, ExprKind, FloatKind, StmtKind, Type, Unit};

const PRELUDE: &str = "
_Bool b; char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l;
unsigned long ul; long long ll; unsigned long long ull; float f; double d; long double ld;
enum small { A, B } es; enum negative { N = -1 } en; enum large { L = 0x100000000 } el;
struct { unsigned u3 : 3; int i7 : 7; unsigned u32 : 32; unsigned long long w40 : 40; long long w20 : 20; _Bool b1 : 1;
enum small e2 : 2; unsigned char uc5 : 5; } r; int *p, a[3];
";

const NAMES: [&str; 28] = [
    "b", "c", "sc", "uc", "s", "us", "i", "u", "l", "ul", "ll", "ull", "es", "en", "el", "r.u3", "r.i7",
    "r.u32", "r.w40", "r.w20", "r.b1", "r.e2", "r.uc5", "a[1]", "*p", "f", "d", "ld",
];

/// The first of [`NAMES`] that is of a floating type.
const FLOATS: usize = 25;

struct Generator {
    state: u64,
}

impl Generator {
    fn choose(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state % n as u64) as usize
    }

    fn name(&mut self, integer: bool) -> String {
        let names = if integer { FLOATS } else { NAMES.len() };
        NAMES[self.choose(names)].to_owned()
    }

    fn expression(&mut self, depth: usize, integer: bool) -> String {
        if depth == 0 {
            let constants =
                ["1", "1u", "1l", "1ull", "'a'", "A", "sizeof(int)", "(p - a)", "0x80000000", "2147483648"];
            return if self.choose(4) == 0 {
                constants[self.choose(10)].to_owned()
            } else {
                self.name(integer)
            };
        }
        let a = self.expression(depth - 1, integer);
        match self.choose(15) {
            0..=3 => {
                let operators = ["+", "-", "*", "/"];
                format!("({a} {} {})", operators[self.choose(4)], self.expression(depth - 1, integer))
            }
            4 => {
                let (x, y) = (self.expression(depth - 1, true), self.expression(depth - 1, true));
                format!("({x} {} {y})", ["%", "&", "|", "^"][self.choose(4)])
            }
            5 => {
                let (x, y) = (self.expression(depth - 1, true), self.expression(depth - 1, true));
                format!("({x} {} {y})", ["<<", ">>"][self.choose(2)])
            }
            6 => format!("({a} {} {})", ["<", "==", "&&"][self.choose(3)], self.expression(depth - 1, false)),
            7 => format!("(i ? {a} : {})", self.expression(depth - 1, integer)),
            8 => format!("({a} ?: {})", self.expression(depth - 1, integer)),
            9 => format!("({}{a})", ["-", "+", "!"][self.choose(3)]),
            10 => format!("(~{})", self.expression(depth - 1, true)),
            11 => {
                let types = [
                    "char",
                    "unsigned short",
                    "unsigned",
                    "long",
                    "unsigned long long",
                    "_Bool",
                    "enum small",
                ];
                format!("(({}) {a})", types[self.choose(types.len())])
            }
            12 => format!("({a}, {})", self.expression(depth - 1, integer)),
            13 => format!("({} {} {a})", self.name(integer), ["=", "+=", "*="][self.choose(3)]),
            _ => format!("({}{})", self.name(integer), ["++", "--"][self.choose(2)]),
        }
    }
}

/// Size, signedness and whether it is a floating type, of the value that each function returns.
fn returned(unit: &Unit, pointer: u64) -> Vec<String> {
    let mut all = Vec::new();
    for &id in &unit.top_level {
        let DeclKind::Function(function) = &unit.decls[id].kind else { continue };
        let Some(StmtKind::Block(body)) = function.body.map(|body| &unit.stmts[body].kind) else { continue };
        let StmtKind::Expr(dropped) = unit.stmts[body[0]].kind else { panic!("an expression statement") };
        let ExprKind::Cast(value) = unit.exprs[dropped].kind else { panic!("a cast to void") };
        all.push(match unit.types[unit.exprs[value].ty] {
            Type::Int { width, signed } => {
                format!("{} {} 0", width.next_power_of_two() / 8, u8::from(signed))
            }
            Type::Float(FloatKind::Single) => "4 1 1".to_owned(),
            Type::Float(FloatKind::Double) => "8 1 1".to_owned(),
            Type::Float(FloatKind::Extended) => format!("{} 1 1", if pointer == 8 { 16 } else { 12 }),
            ref other => panic!("{other:?}"),
        });
    }
    all
}

#[test]
fn types_of_generated_expressions() {
    let mut generator = Generator { state: 0xdead_beef_cafe_f00d };
    let expressions: Vec<String> = (0..2000).map(|index| generator.expression(index % 4, false)).collect();
    for (model, flag) in MODELS {
        if !has_gcc(flag) {
            continue;
        }
        let mut ours = PRELUDE.to_owned();
        for (index, expression) in expressions.iter().enumerate() {
            _ = writeln!(ours, "void f{index}(void) {{ (void) -({expression}); }}");
        }
        let ours = returned(&unit(ours.as_bytes(), model), model.pointer_bytes());
        assert_eq!(ours.len(), expressions.len());
        // gcc is asked to confirm; what it does not confirm it names.
        let mut claims = PRELUDE.to_owned();
        for (index, claim) in ours.iter().enumerate() {
            let [size, signed, float] = claim.split(' ').collect::<Vec<_>>()[..] else {
                panic!("three numbers")
            };
            let ty = format!("__typeof__(-({}))", expressions[index]);
            _ = writeln!(
                claims,
                "void g{index}(void) {{ _Static_assert(sizeof({ty}) == {size} && (({ty}) -1 < 0) == {signed} \
                 && ((int) (({ty}) 0.5 * 2) == 1) == {float}, \"{index} {claim}\"); }}"
            );
        }
        if let Err(messages) = gcc(&[flag, "-w", "-std=gnu17", "-fsyntax-only"], claims.as_bytes()) {
            let wrong: Vec<&str> = messages.lines().filter(|line| line.contains("error")).take(10).collect();
            let wrong: Vec<(&str, Option<&String>)> = wrong
                .into_iter()
                .map(|line| {
                    let index =
                        line.split('"').nth(1).and_then(|claim| claim.split(' ').next()?.parse().ok());
                    (line, index.and_then(|index: usize| expressions.get(index)))
                })
                .collect();
            panic!("{flag}: {wrong:#?}");
        }
    }
}
