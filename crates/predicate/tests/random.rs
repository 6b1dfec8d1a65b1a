//! Random expressions survive printing and reading, and random text never does any harm.

mod common;

use common::{lowered, read};
use hardbop_base::DataModel;
use hardbop_ir::testing::{Random, Size, random_program};
use hardbop_ir::{Edge, Expr, ExprId, Program, Statement, Type, verify, visit};
use hardbop_predicate::{Predicate, Scope, print_predicates, show};

/// The conditions of a random program, and the truth values inside of them.
fn conditions(program: &Program) -> Vec<Predicate> {
    let mut found = Vec::new();
    for (id, procedure) in program.procedures.iter() {
        let scope = Scope::Procedure(id);
        for (_, edge) in procedure.edges.iter() {
            let Statement::Assume(expr) = edge.statement else { continue };
            let mut open = vec![expr];
            while let Some(expr) = open.pop() {
                let Expr { kind, ty } = program.expr(expr);
                if matches!(program.ty(*ty), Type::Bool) {
                    found.push(Predicate { scope, expr });
                }
                open.extend(visit::operator_parts(kind));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Reads a file that must be right, and holds something that is read back.
fn come_back(program: &Program, predicates: &[Predicate], what: &str) -> String {
    let printed = print_predicates(program, predicates);
    let (mut found, messages) = read(program, &printed);
    let errors: Vec<_> = messages.lines().filter(|line| line.contains(": error: ")).collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}\n{printed}");
    found.sort();
    assert_eq!(found, predicates, "{what}:\n{printed}");
    printed
}

#[test]
fn expressions_of_random_programs_come_back() {
    let mut count = 0;
    for seed in 0..200 {
        let program = random_program(seed, Size { edges: 40, ..Size::default() });
        let predicates = conditions(&program);
        come_back(&program, &predicates, &format!("seed {seed}"));
        count += predicates.len();
    }
    assert!(count > 5000, "{count} predicates");
}

/// A program with a bit of everything that predicates can speak of.
const PROGRAM: &str = "
struct inner { int a; unsigned char b; };
struct node {
    struct node *next;
    union { int i; float f; };
    struct inner in[3];
    unsigned flag : 3;
    unsigned long long wide : 40;
    signed char text[8];
};
struct node *head, table[4];
int x, y, *p, a[10], m[3][4];
unsigned char c;
unsigned u;
long l;
unsigned long ul;
float f;
double d;
_Bool flag;
void *v;
static int hidden;
int twice(int n) { static int count; count++; { int count = n; return count * 2; } }
int change(int n, struct node *q) {
    for (int i = 0; i < n; i++) n--;
    for (int i = 0; i < n; i++) q->in[i].a = twice(i);
    n = q->i;
    return n + hidden;
}
int (*fp)(int);
int main(void) {
    x = y + *p + a[1] + m[1][2] + c + u + l + ul + f + d + flag + (v != 0) + table[1].i;
    fp = twice;
    return change(x, head);
}
";

/// Makes random C expressions, most of them with a meaning.
struct Writer {
    random: Random,
}

impl Writer {
    fn pick(&mut self, items: &[&str]) -> String {
        self.random.pick(items).to_owned()
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        match self.random.below(12) {
            0 => self.leaf(),
            1 => {
                format!("{}({})", self.pick(&["!", "-", "~", "+", "*", "&", "sizeof "]), self.expr(depth - 1))
            }
            2 => format!("{} ? {} : {}", self.tight(depth - 1), self.expr(depth - 1), self.tight(depth - 1)),
            3 => {
                let ty = self.pick(&[
                    "int",
                    "unsigned char",
                    "long",
                    "struct node *",
                    "float",
                    "_Bool",
                    "bool",
                    "size_t",
                    "unsigned _BitInt(40)",
                    "void *",
                    "long double",
                    "short",
                    "__int128",
                    "char **",
                ]);
                format!("({ty}){}", self.tight(depth - 1))
            }
            4 => format!(
                "{}[{}]",
                self.pick(&["a", "p", "m[1]", "table", "head->in", "head->text"]),
                self.expr(depth - 1)
            ),
            5 | 6 => {
                let op = self.pick(&["&&", "||", "==", "!=", "<", "<=", ">", ">="]);
                format!("{} {op} {}", self.tight(depth - 1), self.tight(depth - 1))
            }
            _ => {
                let op = self.pick(&[
                    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", ">", "<=", ">=",
                    "&&", "||",
                ]);
                format!("{} {op} {}", self.tight(depth - 1), self.tight(depth - 1))
            }
        }
    }

    fn tight(&mut self, depth: usize) -> String {
        format!("({})", self.expr(depth))
    }

    fn leaf(&mut self) -> String {
        self.pick(&[
            "x",
            "y",
            "p",
            "*p",
            "a",
            "a[2]",
            "m",
            "m[1]",
            "c",
            "u",
            "l",
            "ul",
            "f",
            "d",
            "flag",
            "v",
            "hidden",
            "head",
            "head->next",
            "head->i",
            "head->f",
            "head->in[1].b",
            "head->flag",
            "head->wide",
            "table[2].i",
            "head->in",
            "n",
            "n$in",
            "q",
            "q->flag",
            "return",
            "i$2",
            "\"i\"",
            "twice",
            "&twice",
            "fp",
            "NULL",
            "0",
            "1",
            "-1",
            "5u",
            "7L",
            "0xffffffff",
            "4294967296",
            "'a'",
            "0.5",
            "1.0f",
            "true",
            "&x",
            "&head->in[0]",
            "(int *)8",
            "-9223372036854775807L - 1",
            "340282366920938463463374607431768211455",
        ])
    }
}

/// What is read from C text is printed as C text, and comes back.
#[test]
fn random_c_expressions_come_back() {
    let (mut good, mut escapes) = (0, 0);
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let (program, _) = lowered(PROGRAM, model).expect("a program");
        let mut writer = Writer { random: Random::new(7) };
        for depth in [1, 2, 2, 3, 3, 4] {
            let mut found = Vec::new();
            // After many errors a file is not read to its end.
            for _ in 0..30 {
                let text: Vec<String> = (0..50).map(|_| writer.expr(depth)).collect();
                found.extend(read(&program, &format!("proc change: {};", text.join(",\n"))).0);
            }
            found.sort();
            found.dedup();
            let printed = come_back(&program, &found, "C");
            escapes += printed.lines().filter(|line| line.contains('@')).count();
            good += found.len();
            accepted(&program, &found);
        }
    }
    assert!(good > 4000, "{good} predicates");
    assert!(escapes * 300 < good, "{escapes} of {good} need the escape");
}

/// The verifier accepts a program that assumes the predicates.
fn accepted(program: &Program, predicates: &[Predicate]) {
    let mut program = program.clone();
    for predicate in predicates {
        let id = predicate.scope.procedure().expect("a procedure");
        let procedure = &mut program.procedures[id];
        let (_, edge) = procedure.edges.iter().find(|(_, e)| e.target != procedure.exit).expect("an edge");
        let edge = Edge { statement: Statement::Assume(predicate.expr), ..edge.clone() };
        procedure.edges.push(edge);
    }
    let violations: Vec<_> = verify(&program).iter().map(|v| v.show(&program)).collect();
    assert!(violations.is_empty(), "{violations:#?}");
}

/// Showing a predicate without saying where finds the scope by itself.
#[test]
fn a_shown_predicate_is_read_back() {
    let (program, _) = lowered(PROGRAM, DataModel::Lp64).expect("a program");
    for text in ["proc change: n > 0 && q->in[n].a == hidden;", "global: head->next == NULL;"] {
        let (found, messages) = read(&program, text);
        assert_eq!((found.len(), messages.as_str()), (1, ""));
        let shown = show(&program, found[0].expr);
        assert_eq!(format!("{}: {shown};", text.split(':').next().expect("a section")), text);
    }
}

fn harmless(program: &Program, text: &str) {
    let (found, _) = read(program, text);
    let printed = print_predicates(program, &found);
    let exprs: Vec<(_, ExprId)> = found.iter().map(|p| (p.scope.procedure(), p.expr)).collect();
    assert_eq!(hardbop_ir::verify_exprs(program, &exprs), [], "{text}");
    let (mut again, _) = read(program, &printed);
    let mut found = found;
    found.sort();
    again.sort();
    assert_eq!(again, found, "{text}\n{printed}");
}

#[test]
fn random_bytes_are_harmless() {
    let (program, _) = lowered(PROGRAM, DataModel::Lp64).expect("a program");
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.bits() as u8).collect();
        harmless(&program, &String::from_utf8_lossy(&bytes));
        let alphabet = b"xpac()[]{}*&-+!~<>=?:;,.@#\"'\\$09.eEuLf /*\nglobal:proc ";
        let text: String = (0..random.below(80)).map(|_| char::from(random.pick(alphabet))).collect();
        harmless(&program, &format!("global: {text}"));
    }
}

#[test]
fn damaged_files_are_harmless() {
    let (program, _) = lowered(PROGRAM, DataModel::Lp64).expect("a program");
    let mut random = Random::new(2);
    let mut writer = Writer { random: Random::new(3) };
    for _ in 0..2000 {
        let mut text = format!(
            "global: x == y, p != NULL && *p > @(cast<i64>(x) + l); // end\nproc change: {}, {}; /* all */",
            writer.expr(2),
            writer.expr(3)
        );
        for _ in 0..1 + random.below(3) {
            let at = random.below(text.len());
            let end = (at + random.below(6)).min(text.len());
            let piece = random
                .pick(&["", "(", ")", "@", "@(", "\"", "'", ";", ",", "*", "0x", "é", "\\", ":", "/*", "$"]);
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, piece);
            }
        }
        harmless(&program, &text);
    }
}
