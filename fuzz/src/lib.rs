//! The bodies of the fuzz targets: what must hold for any bytes.
//!
//! Each takes one input and panics if something does not hold. The files in `fuzz_targets` only hand
//! them to libFuzzer.

pub mod mutate;
pub mod watch;

use std::fmt::Write;
use std::sync::LazyLock;

use hardbop_base::{DataModel, Diagnostics, Id, Sources};
use hardbop_bp as bp;
use hardbop_ir::interpret::{
    Inputs, Interpreter, Limits, ListInputs, Observer, Run, RunOptions, SeededInputs, View, WrittenInputs,
};
use hardbop_ir::{self as ir, Program, Statement};
use hardbop_syntax::ast;

/// Runs are short and small.
const LIMITS: Limits =
    Limits { steps: 20_000, memory: 4 << 20, depth: 1000, draws: 1 << 14, output: 1 << 12 };

/// C is rejected with messages, or lowered to a program that satisfies the verifier, comes back from its
/// text form and runs. Texts that start with `//32` are read for ILP32.
pub fn lower(data: &[u8]) {
    let data_model = if data.starts_with(b"//32") { DataModel::Ilp32 } else { DataModel::Lp64 };
    if let Some(program) = lowered(data, data_model) {
        let violations: Vec<String> = ir::verify(&program).iter().map(|v| v.show(&program)).collect();
        assert!(violations.is_empty(), "violations: {violations:#?}");
        check_program(&program, data);
    }
}

/// The library for a data model with the text it was read from. Reading it anew would take most of
/// the time.
struct Library {
    sources: Sources,
    unit: ast::Unit,
}

impl Library {
    fn read(data_model: DataModel) -> Self {
        let mut sources = Sources::new();
        let unit = hardbop_lower::library(&mut sources, data_model).expect("a library without errors");
        Library { sources, unit }
    }
}

static LIBRARY_32: LazyLock<Library> = LazyLock::new(|| Library::read(DataModel::Ilp32));
static LIBRARY_64: LazyLock<Library> = LazyLock::new(|| Library::read(DataModel::Lp64));

fn lowered(data: &[u8], data_model: DataModel) -> Option<Program> {
    let library = if data_model == DataModel::Ilp32 { &LIBRARY_32 } else { &LIBRARY_64 };
    let mut sources = library.sources.clone();
    let options = hardbop_syntax::SyntaxOptions::new(data_model);
    let unit = match hardbop_syntax::parse_bytes(&mut sources, "input.c", data, &options).1 {
        Ok((unit, warnings)) => {
            assert!(!warnings.has_errors(), "a tree in spite of errors");
            warnings.render(&sources);
            unit
        }
        Err(errors) => return rejected(&errors, &sources),
    };
    let _ = hardbop_syntax::dump(&unit);
    let options = hardbop_lower::LowerOptions::default();
    match hardbop_lower::lower_with(&sources, vec![unit], library.unit.clone(), &options) {
        Ok(program) => Some(program),
        Err(errors) => rejected(&errors, &sources),
    }
}

/// Messages can be shown, and say why.
fn rejected<T>(errors: &Diagnostics, sources: &Sources) -> Option<T> {
    assert!(errors.has_errors(), "rejected without an error");
    assert!(!errors.render(sources).is_empty());
    None
}

/// The text form of a program is rejected with messages, or read; what the verifier accepts comes back
/// from its text form and runs.
pub fn ir_text(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut sources = Sources::new();
    let file = sources.add("input.ir", text);
    let program = match ir::text::parse(file, text) {
        Ok(program) => program,
        Err(errors) => return rejected(&errors, &sources).unwrap_or_default(),
    };
    let violations = ir::verify(&program);
    for violation in &violations {
        violation.show(&program);
        violation.diagnostic(&program);
    }
    if violations.is_empty() {
        check_program(&program, data);
    } else {
        ir::text::print(&program);
    }
}

/// A verified program comes back from its text form, and both can be run, with the same result.
fn check_program(program: &Program, data: &[u8]) {
    let printed = ir::text::print(program);
    let again = match ir::text::parse(Id::from_usize(0), &printed) {
        Ok(again) => again,
        Err(errors) => {
            let mut sources = Sources::new();
            sources.add("printed.ir", printed.as_str());
            panic!("the text form is not read back:\n{}\n{printed}", errors.render(&sources));
        }
    };
    assert_eq!(ir::text::print(&again), printed, "the text form changes");
    let violations: Vec<String> = ir::verify(&again).iter().map(|v| v.show(&again)).collect();
    assert!(violations.is_empty(), "violations after reading back: {violations:#?}");
    if program.entry.is_none() {
        return;
    }
    let seed = data.iter().fold(0u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let run = execute(program, &mut SeededInputs::new(seed));
    run.outcome.describe(program);
    let mut watcher = Watcher { shown: String::new() };
    let options = RunOptions { limits: LIMITS, ..RunOptions::default() };
    let mut inputs = ListInputs::replay(&run.draws);
    let replayed = Interpreter::new(&again).observe(&mut inputs, options, &mut watcher);
    assert_eq!(replayed.steps, run.steps, "{:?} and then {:?}", run.outcome, replayed.outcome);
    assert_eq!(replayed.outcome.name(), run.outcome.name(), "a replay ends differently");
    assert_eq!(replayed.output, run.output, "a replay prints something else");
}

fn execute(program: &Program, inputs: &mut dyn Inputs) -> Run {
    Interpreter::new(program).run(inputs, RunOptions { limits: LIMITS, ..RunOptions::default() })
}

/// Looks at the values of the first steps.
struct Watcher {
    shown: String,
}

impl Observer for Watcher {
    fn step(&mut self, view: &View<'_, '_>) {
        if view.steps() > 500 {
            return;
        }
        self.shown.clear();
        let statement = &view.program().procedures[view.procedure()].edges[view.edge()].statement;
        self.shown.push_str(&view.program().show_statement(statement));
        if let Statement::Assign(place, value) = *statement {
            for value in [view.value(value), view.place(place)].into_iter().flatten() {
                let _ = write!(self.shown, "{value}");
            }
        }
    }
}

/// Boolean programs are rejected with messages, or come back from their text form and can be resolved
/// or not, both alike.
pub fn bp(data: &[u8]) {
    let mut sources = Sources::new();
    let file = sources.add("input.bp", String::from_utf8_lossy(data));
    let (program, messages) = bp::parse(data, file);
    messages.render(&sources);
    let flow = bp::resolve(&program);
    if messages.has_errors() {
        return;
    }
    let printed = program.to_string();
    let (again, messages) = bp::parse(&printed, file);
    assert!(!messages.has_errors(), "the text form is not read back: {messages:?}\n{printed}");
    assert_eq!(again, program, "the text form changes the program");
    assert_eq!(again.to_string(), printed, "the text form changes");
    let again = bp::resolve(&again);
    assert_eq!(flow.is_ok(), again.is_ok(), "one is resolved, the other is not");
    match flow {
        Ok(flow) => drop(flow.to_string()),
        Err(errors) => rejected(&errors, &sources).unwrap_or_default(),
    }
}

/// X programs are rejected with messages, or come back from their text form, and lower to programs that
/// satisfy the verifier, come back from their text form and run.
pub fn x(data: &[u8]) {
    let mut sources = Sources::new();
    let file = sources.add("input.x", String::from_utf8_lossy(data));
    let (program, messages) = hardbop_teach::parse(data, file);
    messages.render(&sources);
    let errors = hardbop_teach::check(&program);
    if messages.has_errors() {
        return;
    }
    let printed = program.to_string();
    let (again, messages) = hardbop_teach::parse(&printed, file);
    assert!(!messages.has_errors(), "the text form is not read back: {messages:?}\n{printed}");
    assert_eq!(again, program, "the text form changes the program");
    assert_eq!(again.to_string(), printed, "the text form changes");
    assert_eq!(
        hardbop_teach::check(&again).has_errors(),
        errors.has_errors(),
        "one is right, the other is not"
    );
    if errors.has_errors() {
        return rejected(&errors, &sources).unwrap_or_default();
    }
    match hardbop_teach::lower(&program, &sources, &hardbop_teach::TeachOptions::default()) {
        Err(errors) => rejected(&errors, &sources).unwrap_or_default(),
        Ok(lowered) => {
            let violations: Vec<String> = ir::verify(&lowered).iter().map(|v| v.show(&lowered)).collect();
            assert!(violations.is_empty(), "violations: {violations:#?}");
            check_program(&lowered, data);
        }
    }
}

/// A program that asks for values of every type.
const ASKS: &str = "
    int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);
    float __VERIFIER_nondet_float(void); double __VERIFIER_nondet_double(void);
    long __VERIFIER_nondet_long(void); _Bool __VERIFIER_nondet_bool(void);
    void *__VERIFIER_nondet_pointer(void); unsigned __int128 __VERIFIER_nondet_uint128(void);
    int main(void) {
        for (int i = 0; i < 100; i++) {
            int u; double sum = u;
            sum += __VERIFIER_nondet_int() + __VERIFIER_nondet_uchar() + __VERIFIER_nondet_long();
            sum += __VERIFIER_nondet_float() + __VERIFIER_nondet_double() + __VERIFIER_nondet_bool();
            sum += (long)__VERIFIER_nondet_pointer() + __VERIFIER_nondet_uint128();
            if (sum == 0) break;
        }
        return __VERIFIER_nondet_int();
    }";

static ASKING: LazyLock<Program> =
    LazyLock::new(|| lowered(ASKS.as_bytes(), DataModel::Lp64).expect("a good program"));

/// Inputs that a user wrote are rejected or used, and what a run drew can be written down and replayed.
pub fn inputs(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(mut inputs) = WrittenInputs::parse(text) else { return };
    let run = execute(&ASKING, &mut inputs);
    let mut saved = String::from("all\n");
    for draw in &run.draws {
        let _ = writeln!(saved, "{:#x} # {:?}", draw.value, draw.source);
    }
    let mut inputs = WrittenInputs::parse(&saved).expect("numbers");
    assert!(execute(&ASKING, &mut inputs) == run, "a replay differs:\n{saved}");
}
