//! The encoder against the interpreter: each step of a run is one that the encoder allows, and leads to
//! the values that the encoder gives.
//!
//! `HARDBOP_RANDOM` is the number of runs of each program: 1 unless set.

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_ir::interpret::{NoValue, Value as Concrete, View};
use hardbop_ir::testing::{Size, random_program};
use hardbop_ir::{ExprId, ExprKind, PlaceBase, ProcId, Program};
use hardbop_semantics::Subject;
use hardbop_shadow::{Draws, Event, Shadow, Watch, c_files, follow, lowered_file, random_predicates};

/// The values of all parts of an expression, to the encoder and in the run.
fn parts(shadow: &mut Shadow<'_>, view: &View<'_, '_>, expr: ExprId) -> String {
    let program = shadow.subject.program;
    let state = shadow.state.clone();
    let mut text = String::new();
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        let term = shadow.coder().value(&state, expr, &mut Vec::new());
        let found = shadow.evaluate(term);
        text += &format!("{}: {found} and {:?}; ", program.show_expr(expr), view.value(expr));
        match program.expr(expr).kind {
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => pending.push(a),
            ExprKind::Binary(_, a, b) => pending.extend([a, b]),
            ExprKind::If(a, b, c) => pending.extend([a, b, c]),
            ExprKind::Load(place) => {
                if let PlaceBase::Deref(pointer) = program.place(place).base {
                    pending.push(pointer);
                }
            }
            _ => {}
        }
    }
    text
}

/// Compares random predicates with what they are in the run.
struct Predicates<'a> {
    all: &'a [(Option<ProcId>, ExprId)],
    /// Whether the encoder computes floats.
    floats: bool,
    compared: u64,
}

impl Watch for Predicates<'_> {
    fn moment(&mut self, shadow: &mut Shadow<'_>, view: &View<'_, '_>, event: Event) -> Result<(), String> {
        if self.floats {
            shadow.encoder.compute_floats();
        }
        if matches!(event, Event::Passed(..)) {
            return Ok(());
        }
        for &(scope, predicate) in self.all {
            if scope.is_some_and(|scope| scope != view.procedure()) {
                continue;
            }
            match view.value(predicate) {
                Ok(Concrete::Truth(expected)) => {
                    if shadow.is_open(predicate) {
                        continue;
                    }
                    self.compared += 1;
                    // An index beyond a variable may hit another one in the run.
                    if shadow.holds(predicate) != expected && shadow.is_defined(predicate) {
                        let shown = shadow.subject.program.show_expr(predicate);
                        let parts = parts(shadow, view, predicate);
                        return Err(format!("`{shown}` is {expected} in the run; {parts}"));
                    }
                }
                Err(NoValue::Unset | NoValue::BadAccess | NoValue::Undefined(_) | NoValue::Unsupported) => {}
                other => return Err(format!("{other:?}")),
            }
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
struct Tally {
    steps: u64,
    predicates: u64,
    /// Runs that have memory outside of the program.
    outside: u64,
}

fn runs() -> u64 {
    std::env::var("HARDBOP_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn check(
    name: &str,
    program: Program,
    limit: u64,
    seeds: Range<u64>,
    tally: &mut Tally,
) -> Result<(), String> {
    let budget = Budget::unlimited();
    let predicates = random_predicates(&program, 1, 6);
    let alias = Alias::of(&program, &budget).expect("no limit");
    let places: Vec<_> = program.places().ids().filter(|&p| program.is_scalar(program.place(p).ty)).collect();
    let regions = Regions::of(&program, &alias, &places, &budget).expect("no limit");
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let only = seeds.end - seeds.start == 1;
    for seed in seeds {
        for interval in [1, 12].into_iter().filter(|i| !only || (*i == 1) == name.ends_with("LP64")) {
            let floats = name.ends_with("LP64") == seed.is_multiple_of(2);
            let mut watch = Predicates { all: &predicates, floats, compared: 0 };
            let done = follow(subject, &mut Draws::new(seed), limit, interval, &mut watch);
            let followed = done.map_err(|e| format!("{name}, seed {seed}, interval {interval}: {e}"))?;
            tally.steps += followed.steps;
            tally.outside += u64::from(!followed.run.outside(&program).is_empty());
            tally.predicates += watch.compared;
        }
    }
    Ok(())
}

#[test]
fn runs_of_c_programs_are_allowed() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for folder in ["programs", "intrinsics"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lower/tests").join(folder);
        for file in c_files(&folder) {
            for model in [DataModel::Lp64, DataModel::Ilp32] {
                let Some(program) = lowered_file(&file, model, &[]) else { continue };
                let name = format!("{} {}", file.file_name().unwrap().to_string_lossy(), model.name());
                wrong.extend(check(&name, program, 200, 0..runs(), &mut tally).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.steps > 10_000 && tally.predicates > 50_000, "{tally:?}");
}

/// Arithmetic, comparisons and conversions of floats on special and arbitrary operands, computed by the encoder.
#[test]
fn runs_with_floats_are_allowed() {
    let mut tally = Tally::default();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/floats.c");
    let mut wrong = Vec::new();
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let program = lowered_file(&file, model, &[]).expect("a program");
        wrong.extend(check(model.name(), program, 2_000, 0..20 * runs(), &mut tally).err());
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.steps > 10_000, "{tally:?}");
}

/// Programs that follow pointers from outside.
#[test]
fn runs_with_memory_outside_are_allowed() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = c_files(&crates.join("hardbop/tests/outside"));
    files.push(crates.join("alias/tests/runs/outside_memory.c"));
    for file in files {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let Some(program) = lowered_file(&file, model, &[]) else { continue };
            let name = format!("{} {}", file.file_name().unwrap().to_string_lossy(), model.name());
            wrong.extend(check(&name, program, 300, 0..20 * runs(), &mut tally).err());
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.steps > 5_000 && tally.outside > 500, "{tally:?}");
}

/// Programs of all types, expressions and statements that make no sense.
#[test]
fn runs_of_random_programs_are_allowed() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in 0..300 * runs() {
        let size = Size { depth: 1 + (seed % 3) as usize, ..Size::default() };
        let program = random_program(seed, size);
        wrong.extend(check(&format!("random {seed} LP64"), program, 200, seed..seed + 1, &mut tally).err());
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.steps > 30, "{tally:?}");
}

/// Programs over mathematical integers, with references.
#[test]
fn runs_of_x_programs_are_allowed() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in 0..100 * runs() {
        let tree = hardbop_teach::testing::random_program(seed, Default::default());
        let program = hardbop_teach::lower(&tree, &Sources::new(), &hardbop_teach::TeachOptions::default());
        let program = program.unwrap_or_else(|_| panic!("X program {seed}"));
        wrong.extend(check(&format!("X {seed} LP64"), program, 300, 0..2, &mut tally).err());
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.steps > 1_000, "{tally:?}");
}

/// Programs that csmith writes, in long runs.
#[test]
fn runs_of_csmith_programs_are_allowed() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in 0..10 * (runs() - 1) {
        let options = ["--no-argc", "--packed-struct", "--bitfields", "--unions", "--concise"];
        let folder = std::env::temp_dir();
        let file = folder.join(format!("hardbop-{}-{seed}.c", std::process::id()));
        let seed_option =
            ["--seed".to_owned(), seed.to_string(), "-o".to_owned(), file.display().to_string()];
        let done = Command::new("csmith").current_dir(&folder).args(options).args(seed_option).output();
        if !done.is_ok_and(|done| done.status.success()) {
            continue;
        }
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            if let Some(program) = lowered_file(&file, model, &["/usr/include/csmith"]) {
                let name = format!("csmith {seed} {}", model.name());
                wrong.extend(check(&name, program, 400, seed..seed + 1, &mut tally).err());
            }
        }
        let _ = std::fs::remove_file(file);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
