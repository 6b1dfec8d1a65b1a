//! The encoder against the interpreter: each step of a run is one that the encoder allows, and leads to
//! the values that the encoder gives.
//!
//! `HARDBOP_RANDOM` is the number of runs of each program: 1 unless set.

use std::path::Path;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel};
use hardbop_ir::interpret::{NoValue, Value as Concrete, View};
use hardbop_ir::{ExprId, ProcId, Program};
use hardbop_semantics::Subject;
use hardbop_shadow::{Draws, Event, Shadow, Watch, c_files, follow, lowered_file, random_predicates};

/// Compares random predicates with what they are in the run.
struct Predicates<'a> {
    all: &'a [(Option<ProcId>, ExprId)],
    compared: u64,
}

impl Watch for Predicates<'_> {
    fn moment(&mut self, shadow: &mut Shadow<'_>, view: &View<'_, '_>, event: Event) -> Result<(), String> {
        if matches!(event, Event::Passed(..)) {
            return Ok(());
        }
        for &(scope, predicate) in self.all {
            if scope.is_some_and(|scope| scope != view.procedure()) {
                continue;
            }
            match view.value(predicate) {
                Ok(Concrete::Truth(expected)) => {
                    self.compared += 1;
                    // An index beyond a variable may hit another one in the run.
                    if shadow.holds(predicate) != expected && shadow.is_defined(predicate) {
                        let shown = shadow.subject.program.show_expr(predicate);
                        return Err(format!("`{shown}` is {expected} in the run"));
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
}

fn runs() -> u64 {
    std::env::var("HARDBOP_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn check(name: &str, mut program: Program, limit: u64, tally: &mut Tally) -> Result<(), String> {
    let budget = Budget::unlimited();
    let predicates = random_predicates(&mut program, 1, 6);
    let alias = Alias::of(&program, &budget).expect("no limit");
    let places: Vec<_> = program.places().ids().filter(|&p| program.is_scalar(program.place(p).ty)).collect();
    let regions = Regions::of(&program, &alias, &places, &budget).expect("no limit");
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    for seed in 0..runs() {
        for interval in [1, 12].into_iter().filter(|i| runs() > 1 || (*i == 1) == name.ends_with("LP64")) {
            let mut watch = Predicates { all: &predicates, compared: 0 };
            let done = follow(subject, &mut Draws::new(seed), limit, interval, &mut watch);
            let (_, steps) = done.map_err(|e| format!("{name}, seed {seed}, interval {interval}: {e}"))?;
            tally.steps += steps;
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
                wrong.extend(check(&name, program, 200, &mut tally).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.steps > 10_000 && tally.predicates > 50_000, "{tally:?}");
}
