//! The analysis against what happens: every access of many runs has to be one that the analysis foresees.

mod common;

use std::path::Path;
use std::process::Command;

use hardbop_alias::{Alias, Checker, Regions};
use hardbop_base::{Budget, DataModel};
use hardbop_ir::interpret::{Interpreter, Limits, RunOptions, SeededInputs};
use hardbop_ir::testing::{Size, random_program};
use hardbop_ir::{Effect, Program};

/// What a number of runs amounted to.
#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    accesses: u64,
    violations: Vec<String>,
    /// Indices that led from one object into another.
    strays: usize,
}

impl Tally {
    /// Runs a program with some seeds.
    fn check(&mut self, name: &str, program: &Program, seeds: std::ops::Range<u64>, steps: u64) {
        let alias = Alias::of(program, &Budget::unlimited()).expect("time enough");
        let regions = Regions::of(program, &alias, &[], &Budget::unlimited()).expect("time enough");
        let interpreter = Interpreter::new(program);
        self.programs += 1;
        for seed in seeds {
            let mut checker = Checker::new(program, &alias, &regions);
            let limits = Limits { steps, memory: 1 << 26, depth: 1000, ..Limits::default() };
            let options = RunOptions { limits, ..RunOptions::default() };
            interpreter.observe(&mut SeededInputs::new(seed), options, &mut checker);
            self.accesses += checker.accesses();
            let (strays, found): (Vec<_>, Vec<_>) =
                checker.violations().iter().partition(|violation| violation.may_be_stray);
            self.strays += strays.len();
            let found = found.into_iter().take(3);
            self.violations.extend(found.map(|v| format!("{name}, seed {seed}: {}", v.show(program))));
        }
    }

    fn expect_none(&self, programs: usize, accesses: u64) {
        let shown = self.violations.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
        assert!(self.violations.is_empty(), "{} violations:\n{shown}", self.violations.len());
        assert!(self.programs >= programs, "{} programs", self.programs);
        assert!(self.accesses >= accesses, "{} accesses", self.accesses);
    }
}

/// The text of a C file, preprocessed if it has to be; `None` where there is no gcc to do so.
fn text_of(file: &Path, model: DataModel) -> Option<Vec<u8>> {
    let bytes = std::fs::read(file).expect("a readable test");
    if !hardbop_syntax::needs_preprocessing(&bytes) {
        return Some(bytes);
    }
    let options = hardbop_syntax::SyntaxOptions::new(model);
    let arguments = hardbop_syntax::gcc_arguments(&options, &[], &file.display().to_string());
    let done = Command::new("gcc").args(arguments).output().ok()?;
    done.status.success().then_some(done.stdout)
}

fn check_folder(tally: &mut Tally, folder: &str, seeds: std::ops::Range<u64>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    for file in common::c_files(&folder) {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            for effect in [Effect::Havoc, Effect::Pure] {
                let Some(text) = text_of(&file, model) else { continue };
                let Ok(program) = common::lower_text(&text, model, effect) else { continue };
                let name = format!("{} {} {effect:?}", file.display(), model.name());
                tally.check(&name, &program, seeds.clone(), 200_000);
            }
        }
    }
}

#[test]
fn programs_of_lowering() {
    let mut tally = Tally::default();
    check_folder(&mut tally, "../lower/tests/programs", 0..2);
    check_folder(&mut tally, "../lower/tests/intrinsics", 0..5);
    check_folder(&mut tally, "../lower/tests/undefined", 0..2);
    tally.expect_none(400, 100_000);
    assert_eq!(tally.strays, 0);
}

/// Programs written to do all that programs do with addresses, in `runs/`.
#[test]
fn programs_with_tricks() {
    let mut tally = Tally::default();
    check_folder(&mut tally, "tests/runs", 0..3);
    tally.expect_none(48, 5000);
    assert_eq!(tally.strays, 0);
}

#[test]
fn random_programs() {
    let mut tally = Tally::default();
    for seed in 0..2000 {
        let program = random_program(seed, Size::default());
        tally.check(&format!("random {seed}"), &program, 0..10, 1000);
    }
    tally.expect_none(2000, 10_000);
    // Random indices seldom lead into another object.
    assert!(tally.strays < 100, "{} stray accesses", tally.strays);
}
