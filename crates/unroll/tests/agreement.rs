//! Random programs with few inputs: unrolling finds an error exactly if some run reaches one, and so
//! does the check of complete unrollings.
//!
//! `HARDBOP_UNROLL_PROGRAMS=5000` compares more programs.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_certify::{replay, unrolled};
use hardbop_ir::Program;
use hardbop_ir::interpret::{Interpreter, ListInputs, Outcome, RunOptions};
use hardbop_semantics::Subject;
use hardbop_solver::{Blaster, Solver};
use hardbop_unroll::{Bounded, UnrollOptions, decide};

/// Draws of a run, each one of four values.
const DRAWS: u32 = 3;

struct Writer {
    random: u64,
    text: String,
    loops: u32,
    labels: u32,
}

impl Writer {
    fn below(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) % n
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len() as u64) as usize]
    }

    fn value(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(3) == 0 {
            return self
                .pick(&["a", "b", "c", "g", "0", "1", "2", "3", "x[a & 3]", "x[g & 3]", "*p"])
                .to_owned();
        }
        let (l, r) = (self.value(depth - 1), self.value(depth - 1));
        match self.below(6) {
            0 => format!("({l} + {r})"),
            1 => format!("({l} - {r})"),
            2 => format!("({l} * 3)"),
            3 => format!("({l} & {r})"),
            4 => format!("({l} < {r})"),
            _ => format!("({l} == {r})"),
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn statement(&mut self, depth: u32, in_loop: bool) {
        let place = self.pick(&["a", "b", "c", "g", "x[b & 3]", "x[g & 3]", "*p"]);
        let value = self.value(2);
        match self.below(if depth == 0 { 7 } else { 13 }) {
            0..=2 => self.line(&format!("{place} = {value};")),
            3 => self.line(&format!("{place} = draw();")),
            4 => {
                let address = self.pick(&["&a", "&b", "&x[1]", "x + 2"]);
                self.line(&format!("p = {address};"));
            }
            5 => {
                let leave =
                    self.pick(if in_loop { &["break", "continue"] } else { &["return a", "return g"] });
                self.line(&format!("if ({value}) {leave};"));
            }
            6 => {
                let number = self.below(7);
                self.line(&format!("if ({value} == {number}) reach_error();"));
            }
            7..=8 => {
                self.line(&format!("if ({value}) {{"));
                self.block(depth - 1, in_loop);
                self.text.push_str("} else {\n");
                self.block(depth - 1, in_loop);
                self.text.push_str("}\n");
            }
            9 => {
                let i = self.loops;
                self.loops += 1;
                let bound = self.below(3) + 1;
                self.line(&format!("for (int i{i} = 0; i{i} < {bound}; i{i}++) {{"));
                self.block(depth - 1, true);
                self.text.push_str("}\n");
            }
            10 => {
                let i = self.loops;
                self.loops += 1;
                self.line(&format!("int i{i} = 0; while (({value}) && i{i}++ < 2) {{"));
                self.block(depth - 1, true);
                self.text.push_str("}\n");
            }
            11 => {
                let label = self.labels;
                self.labels += 1;
                self.line(&format!("if ({value}) goto L{label};"));
                self.block(depth - 1, in_loop);
                self.line(&format!("L{label}: ;"));
            }
            _ => self.line(&format!("{place} = f({value}, n - 1);")),
        }
    }

    fn block(&mut self, depth: u32, in_loop: bool) {
        for _ in 0..=self.below(3) {
            self.statement(depth, in_loop);
        }
    }

    fn body(&mut self, depth: u32) {
        self.text.push_str("{ if (n < 0) return a; int b = 1, c = 2; int x[4] = {0}; int *p = &b;\n");
        for _ in 0..3 {
            self.statement(depth, false);
        }
        let number = self.below(8);
        self.line(&format!("if (((b + 3 * c + 5 * g + x[2]) & 7) == {number}) reach_error();"));
        self.text.push_str("return b + c; }\n");
    }
}

fn random_program(seed: u64) -> String {
    let mut writer = Writer {
        random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        text: String::new(),
        loops: 0,
        labels: 0,
    };
    for _ in 0..8 {
        writer.below(2);
    }
    writer.text = format!(
        "extern int nondet(void); extern void reach_error(void); int g, drawn;
int draw(void) {{ if (drawn >= {DRAWS}) return 0; drawn++; return nondet() & 3; }}
int f(int a0, int n);
int f(int a0, int n) {{ int a = a0;\n"
    );
    writer.body(2);
    writer.text.push_str("}\nint main(void) { int a = draw(), n = 1;\n");
    writer.body(2);
    writer.text.push_str("}\n");
    writer.text
}

fn lowered(text: &str) -> Program {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1;
    let options = hardbop_lower::LowerOptions { externals: hardbop_ir::Effect::Pure, ..Default::default() };
    hardbop_lower::lower(&mut sources, vec![unit.expect(text).0], &options).expect(text)
}

/// Whether some run reaches an error.
fn some_run_fails(program: &Program) -> bool {
    let interpreter = Interpreter::new(program);
    (0..4u128.pow(DRAWS)).any(|number| {
        let inputs = (0..DRAWS).map(|i| number >> (2 * i) & 3);
        let run = interpreter.run(&mut ListInputs::all(inputs), RunOptions::default());
        match run.outcome {
            Outcome::Error { .. } => true,
            Outcome::StepLimit => panic!("a run is endless"),
            _ => false,
        }
    })
}

#[test]
fn unrolling_agrees_with_all_runs() {
    let count = std::env::var("HARDBOP_UNROLL_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let budget = Budget::unlimited();
    let (mut safe, mut failing) = (0, 0);
    for seed in 1..=count {
        let text = random_program(seed);
        let program = lowered(&text);
        let alias = Alias::of(&program, &budget).unwrap();
        let regions = Regions::of(&program, &alias, &[], &budget).unwrap();
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let options = UnrollOptions { bound: 20, steps: 1_000_000, depth: 100 };
        let expected = some_run_fails(&program);
        match decide(subject, &mut Blaster::new(&budget), options, &budget).unwrap() {
            Bounded::Reaches(mut guide) => {
                assert!(expected, "seed {seed} fails only when unrolled\n{text}");
                let shown = format!("{guide:?}");
                let replayed = replay::replay(&program, &mut *guide, &budget);
                assert!(replayed.is_ok(), "seed {seed}: {replayed:?} with {shown}\n{text}");
                failing += 1;
            }
            Bounded::Safe { complete, .. } => {
                assert!(complete && !expected, "seed {seed} is safe when unrolled\n{text}");
                safe += 1;
            }
            other => panic!("seed {seed}: {other:?}\n{text}"),
        }
        let mut solvers: Vec<Box<dyn Solver>> = vec![Box::new(Blaster::new(&budget))];
        let checked = unrolled::check(subject, 1_000_000, &mut solvers, &budget);
        assert_eq!(checked.is_err(), expected, "seed {seed}: {checked:?}\n{text}");
    }
    // Both kinds are there to be told apart.
    assert!(safe > count / 10 && failing > count / 10, "{safe} safe, {failing} failing");
}
