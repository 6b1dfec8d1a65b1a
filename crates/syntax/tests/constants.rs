//! Constant expressions against gcc: the values of case labels, which are folded, against what a
//! program compiled by gcc prints; and the bits of floating constants.

mod common;

use std::fmt::Write;
use std::process::Command;

use common::{MODELS, gcc, has_gcc, unit};
use hardbop_base::DataModel;
use hardbop_syntax::ast::{DeclKind, ExprKind, StmtKind, Unit};

/// Compiles and runs a program; its output.
fn run(flag: &str, text: &str) -> String {
    let unique = format!("hardbop-constants-{}-{flag}-{}", std::process::id(), text.len());
    let program = std::env::temp_dir().join(unique);
    let path = program.to_str().expect("a readable path");
    let compiled = gcc(&[flag, "-w", "-O0", "-fwrapv", "-std=gnu17", "-o", path], text.as_bytes());
    let output = compiled.map(|_| Command::new(&program).output().expect("the program runs"));
    let _ = std::fs::remove_file(&program);
    String::from_utf8(output.expect("gcc accepts it").stdout).expect("numbers")
}

/// The labels of the cases of a unit, in order.
fn cases(unit: &Unit) -> Vec<i128> {
    let label = |kind: &StmtKind| match kind {
        StmtKind::Case { low, high, .. } if low == high => Some(*low),
        _ => None,
    };
    unit.stmts.values().filter_map(|stmt| label(&stmt.kind)).collect()
}

#[track_caller]
fn same_values(prelude: &str, expressions: &[String]) {
    for (model, flag) in MODELS {
        if !has_gcc(flag) {
            continue;
        }
        let mut ours = prelude.to_owned();
        let mut theirs = format!("int printf(const char *, ...);\n{prelude}\nint main(void) {{\n");
        for (index, expression) in expressions.iter().enumerate() {
            _ = writeln!(
                ours,
                "void f{index}(long long x) {{ switch (x) {{ case (long long)({expression}): ; }} }}"
            );
            _ = writeln!(theirs, "printf(\"%lld\\n\", (long long)({expression}));");
        }
        theirs.push_str("return 0; }\n");
        let ours = cases(&unit(ours.as_bytes(), model));
        let theirs: Vec<i128> =
            run(flag, &theirs).lines().map(|line| line.parse().expect("a number")).collect();
        assert_eq!(ours.len(), expressions.len());
        assert_eq!(theirs.len(), expressions.len());
        for ((expression, ours), theirs) in expressions.iter().zip(ours).zip(theirs) {
            assert_eq!(ours, theirs, "{flag}: {expression}");
        }
    }
}

/// Expressions that a fixed pseudo-random sequence chooses, without division by zero and shifts
/// out of range.
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

    fn expression(&mut self, depth: usize) -> String {
        const TYPES: [&str; 12] = [
            "char",
            "signed char",
            "unsigned char",
            "short",
            "unsigned short",
            "int",
            "unsigned",
            "long",
            "unsigned long",
            "long long",
            "unsigned long long",
            "_Bool",
        ];
        const ATOMS: [&str; 20] = [
            "0",
            "1",
            "2",
            "7",
            "100",
            "255",
            "65535",
            "2147483647",
            "2147483648",
            "4294967295u",
            "0x80000000",
            "0xffffffffffffffff",
            "123456789012",
            "1l",
            "3ul",
            "5ll",
            "18446744073709551615ull",
            "'a'",
            "'\\377'",
            "sizeof(long)",
        ];
        if depth == 0 || self.choose(8) == 0 {
            return ATOMS[self.choose(ATOMS.len())].to_owned();
        }
        let a = self.expression(depth - 1);
        match self.choose(14) {
            0..=5 => {
                let operators = ["+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];
                let operator = operators[self.choose(operators.len())];
                format!("(({a}) {operator} ({}))", self.expression(depth - 1))
            }
            6 => format!("(({a}) / (({}) | 1u))", self.expression(depth - 1)),
            7 => format!("(({a}) % (({}) | 1u))", self.expression(depth - 1)),
            8 => format!("((unsigned long long)({a}) << (({}) & 31))", self.expression(depth - 1)),
            9 => format!("(({a}) >> (({}) & 7))", self.expression(depth - 1)),
            10 => format!("(({}){a})", TYPES[self.choose(TYPES.len())]),
            11 => format!("({}({a}))", ["-", "~", "!", "+"][self.choose(4)]),
            12 => format!("(({a}) ? ({}) : ({}))", self.expression(depth - 1), self.expression(depth - 1)),
            _ => format!("sizeof(({a}) + ({}))", self.expression(depth - 1)),
        }
    }
}

#[test]
fn generated_expressions() {
    let mut generator = Generator { state: 0x9e37_79b9_7f4a_7c15 };
    let expressions: Vec<String> = (0..1500).map(|index| generator.expression(1 + index % 4)).collect();
    same_values("", &expressions);
}

#[test]
fn hand_written_expressions() {
    let prelude = "struct s { char c; int i : 3; long l; struct { short a[3]; } in[2]; char f[]; };\n\
        enum e { A, B = 5, C, D = -3, E };\nenum big { HUGE = 0x123456789 };\n\
        typedef int aligned __attribute__((aligned(32)));\nextern int array[7][3];\nunion u { double d; char c[9]; };\n";
    let expressions = [
        "sizeof(struct s)",
        "_Alignof(struct s)",
        "__builtin_offsetof(struct s, in[1].a[2])",
        "sizeof(union u)",
        "(unsigned long) &((struct s *) 0)->in[1].a",
        "A + B * C - D",
        "E",
        "HUGE",
        "sizeof(enum big)",
        "sizeof(enum e)",
        "-1 < 0u",
        "-1 < 0ul",
        "(char) 200",
        "(unsigned char) -1",
        "(signed char) 0x1ff",
        "(short) 40000",
        "(_Bool) 0.3",
        "1 ? -1 : 0u",
        "sizeof(1 ? 1 : 2ll)",
        "sizeof('a')",
        "sizeof(L'a')",
        "sizeof(array)",
        "sizeof array[1]",
        "sizeof(array) / sizeof(array[0][0])",
        "_Alignof(aligned)",
        "sizeof(long double)",
        "_Alignof(double)",
        "_Alignof(long long)",
        "__alignof__(int)",
        "sizeof(void *)",
        "sizeof(void)",
        "sizeof(int (*)[3])",
        "(int) 3.99",
        "(int) -3.99",
        "(unsigned char) 255.5",
        "(long long) 1e15",
        "(int) (1.5 * 3)",
        "(int) 'ab'",
        "0x7fffffff + 0u",
        "~0u >> 4",
        "~0 >> 4",
        "(-7) / 2",
        "(-7) % 2",
        "7 % -2",
        "1 << 31 >> 31",
        "(1ull << 63) >> 63",
        "__builtin_constant_p(1)",
        "__builtin_types_compatible_p(int, signed)",
        "__builtin_types_compatible_p(long, int)",
        "_Generic(1u, unsigned: 4, default: 5)",
        "_Generic('a', char: 1, int: 2)",
        "__builtin_choose_expr(0, 1, 2)",
        "sizeof(\"abc\" \"de\")",
        "sizeof(L\"abc\")",
        "sizeof(char[B][C])",
        "0 && 1 / 0",
        "1 || 1 / 0",
        "1 ? 2 : 1 / 0",
        "sizeof(struct { int a : 3; long long b : 40; })",
        "__builtin_clz(1)",
        "__builtin_popcount(255)",
        "__builtin_bswap32(1)",
        "__builtin_ffs(8)",
        "__builtin_strlen(\"hello\")",
        "'\\x80'",
        "'\\0'",
        "sizeof(int[3]) * 2",
        "-2147483648",
        "-2147483647 - 1",
        "4294967296 == 0",
        "0xffffffff == -1",
        "2147483648 < 0",
    ];
    same_values(prelude, &expressions.map(str::to_owned));
}

/// Where the front end is known to differ from gcc: what gcc *prefers* to align a type to.
#[test]
fn known_differences() {
    let text = b"void f(int x) { switch (x) { case __alignof__(long long): ; } }";
    assert_eq!(cases(&unit(text, DataModel::Ilp32)), [4], "gcc says 8");
    assert_eq!(cases(&unit(text, DataModel::Lp64)), [8]);
}

/// The bytes of the first initialiser of each object of a unit.
fn float_bytes(unit: &Unit, width: usize) -> Vec<String> {
    let bits = |id| match &unit.decls[id].kind {
        DeclKind::Object(object) => match unit.exprs[object.init.as_ref()?.first()?.value].kind {
            ExprKind::Float(bits) => Some(bits),
            _ => None,
        },
        _ => None,
    };
    let hex = |bits: u128| bits.to_le_bytes()[..width].iter().map(|b| format!("{b:02x}")).collect::<String>();
    unit.top_level.iter().filter_map(|&id| bits(id)).map(hex).collect()
}

#[test]
fn floating_constants() {
    if !has_gcc("-m64") {
        return;
    }
    let literals = [
        "0.1",
        "1e308",
        "1e309",
        "5e-324",
        "2e-324",
        "1e-400",
        "0.0",
        "123456789.123456789",
        "9007199254740993.0",
        "0x1.8p3",
        "0x1.fffffffffffff8p0",
        "3.4028235e38",
        "3.4028236e38",
        "1e-45",
        "7e-46",
        "1.17549435e-38",
        "16777217.0",
        "0.3",
        "1e23",
        "8.5e22",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "1e4932",
        "3e-4951",
        "0x1p-1074",
        ".5",
        "1.",
    ];
    for (ty, suffix, width) in [("float", "f", 4), ("double", "", 8), ("long double", "L", 10)] {
        let mut ours = String::new();
        let mut theirs = "int printf(const char *, ...);\nint main(void) {\n".to_owned();
        for (index, literal) in literals.iter().enumerate() {
            _ = writeln!(ours, "{ty} x{index} = {literal}{suffix};");
            _ = writeln!(
                theirs,
                "{{ {ty} x = {literal}{suffix}; for (int i = 0; i < {width}; i++) \
                 printf(\"%02x\", ((unsigned char *) &x)[i]); printf(\"\\n\"); }}"
            );
        }
        theirs.push_str("return 0; }\n");
        let ours = float_bytes(&unit(ours.as_bytes(), DataModel::Lp64), width);
        let expected = run("-m64", &theirs);
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(ours.len(), literals.len());
        for ((literal, ours), theirs) in literals.iter().zip(&ours).zip(expected) {
            assert_eq!(ours, theirs, "{literal}{suffix}");
        }
    }
}
