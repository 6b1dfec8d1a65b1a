//! The encoder against bytes: every way to write memory that C has, at all positions and lengths.
//!
//! Programs of `hardbop_testkit::memory` are run. After each step, all memory that is alive must hold to the
//! encoder what it holds in the run, except where the encoder says that it may be anything
//! (`hardbop_shadow::follow`); each access must be one that the alias analysis foresees
//! (`hardbop_alias::Checker`); and the formula of the whole path, with what the run read at the end, must have
//! a model (`hardbop_shadow::trail`). What is wrong is reported as a program of one call.
//!
//! `HARDBOP_RANDOM` is the number of rounds: 1 unless set. `HARDBOP_FINDINGS` is a folder for what is found.

use hardbop_alias::{Alias, Checker, Regions};
use hardbop_base::{Budget, DataModel};
use hardbop_ir::Program;
use hardbop_ir::interpret::{Interpreter, Limits, Outcome, RunOptions};
use hardbop_semantics::Subject;
use hardbop_shadow::{Draws, follow, lowered, trail};
use hardbop_solver::{Answer, Solver, Z3};
use hardbop_testkit::Rng;
use hardbop_testkit::memory::{self, Call, Case};

const MODELS: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];
const STEPS: u64 = 1_000_000;

/// `HARDBOP_RANDOM` is the number of rounds: 1 unless set.
fn rounds() -> usize {
    std::env::var("HARDBOP_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    cases: u64,
    calls: u64,
    steps: u64,
    bytes: u64,
    accesses: u64,
    formulas: u64,
    undecided: u64,
    contradicted: usize,
    wrong: Vec<String>,
}

type Group = Vec<(Case, Vec<Call>)>;

impl Tally {
    /// Follows runs of a program; what is wrong if something is.
    fn follow(&mut self, group: &Group, model: DataModel, seed: u64) -> Result<(), String> {
        let program = lower(group, model, false)?;
        let budget = Budget::unlimited();
        let alias = Alias::of(&program, &budget).expect("no limit");
        let regions = Regions::of(&program, &alias, &[], &budget).expect("no limit");
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let mut checker = Checker::new(&program, &alias, &regions);
        let limits = Limits { steps: STEPS, ..Limits::default() };
        let options = RunOptions { limits, ..RunOptions::default() };
        Interpreter::new(&program).observe(&mut Draws::new(seed), options, &mut checker);
        self.accesses += checker.accesses();
        if let Some(violation) = checker.violations().first() {
            return Err(format!("alias: {}", violation.show(&program)));
        }
        let interval = if seed % 4 < 2 { 1 } else { 30 };
        let followed = follow(subject, &mut Draws::new(seed), STEPS, interval, &mut ())?;
        self.steps += followed.steps;
        self.bytes += followed.bytes;
        match followed.run.outcome {
            Outcome::Returned(_) => Ok(()),
            other => Err(format!("the run ends: {}", other.describe(&program))),
        }
    }

    /// Asks whether the formula of a run's path has a model.
    fn ask(&mut self, group: &Group, model: DataModel, seed: u64) -> Result<(), String> {
        let program = lower(group, model, true)?;
        let budget = Budget::unlimited();
        let alias = Alias::of(&program, &budget).expect("no limit");
        let regions = Regions::of(&program, &alias, &[], &budget).expect("no limit");
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let trail = trail(subject, &mut Draws::new(seed), STEPS, |name| name.starts_with("out"))?;
        self.contradicted += trail.contradicted;
        let terms = &trail.encoder.terms;
        let mut solver = Z3::new(&budget);
        solver.set_limits(hardbop_solver::Limits { work: Some(5_000_000), ..Default::default() });
        for &condition in trail.conditions.iter().chain(&trail.axioms) {
            solver.assert(terms, condition);
        }
        let results: Vec<_> = trail.results.iter().map(|&(.., result)| result).collect();
        self.formulas += 1;
        let answer = solver.check(terms, &results);
        self.undecided += u64::from(matches!(answer, Answer::Unknown(_)));
        if answer != Answer::Unsat {
            return Ok(());
        }
        let core: Vec<&str> =
            solver.core().iter().map(|&i| program.variables[trail.results[i].0].name.as_str()).collect();
        Err(format!("the path has no model in which the run's values of {} are read", core.join(", ")))
    }

    /// Checks some cases together, and if that fails, one call of one case at a time.
    fn check(&mut self, group: Group, model: DataModel, seed: u64, how: How) {
        self.programs += 1;
        self.cases += group.len() as u64;
        self.calls += group.iter().map(|(_, calls)| calls.len() as u64).sum::<u64>();
        if how(self, &group, model, seed).is_ok() {
            return;
        }
        let mut blamed = false;
        for (case, calls) in &group {
            let single = calls.iter().find_map(|&call| {
                let group = vec![(case.clone(), vec![call])];
                how(self, &group, model, seed).err().map(|e| (group, e))
            });
            let whole = || {
                let group = vec![(case.clone(), calls.clone())];
                how(&mut Tally::default(), &group, model, seed).err().map(|e| (group, e))
            };
            if let Some((group, e)) = single.or_else(whole) {
                blamed = true;
                self.report(&group, model, seed, &e);
            }
        }
        if !blamed && let Err(e) = how(self, &group, model, seed) {
            self.report(&group, model, seed, &e);
        }
    }

    fn report(&mut self, group: &Group, model: DataModel, seed: u64, what: &str) {
        let text = memory::program(group, model, true);
        let title = format!("{}, seed {seed}: {what}", model.name());
        if let Some(folder) = std::env::var_os("HARDBOP_FINDINGS") {
            let file =
                std::path::Path::new(&folder).join(format!("{}-{}.c", std::process::id(), self.wrong.len()));
            let _ = std::fs::write(file, format!("// {}\n{text}", title.replace('\n', " ")));
        }
        self.wrong.push(format!("{title}\n{text}"));
    }

    #[allow(clippy::print_stdout)]
    fn expect_none(&self, what: &str) {
        println!(
            "{what}: {} cases in {} programs, {} operations, {} steps, {} bytes compared, {} accesses, {} formulas, {} of them undecided, {} facts about addresses contradicted; {} wrong",
            self.cases,
            self.programs,
            self.calls,
            self.steps,
            self.bytes,
            self.accesses,
            self.formulas,
            self.undecided,
            self.contradicted,
            self.wrong.len()
        );
        let shown: Vec<&str> = self.wrong.iter().take(5).map(String::as_str).collect();
        assert!(self.wrong.is_empty(), "{} wrong:\n{}", self.wrong.len(), shown.join("\n"));
    }
}

type How = fn(&mut Tally, &Group, DataModel, u64) -> Result<(), String>;

fn lower(group: &Group, model: DataModel, reads: bool) -> Result<Program, String> {
    lowered(&memory::program(group, model, reads), model)
}

/// Groups of cases for one program each.
fn groups(cases: Vec<Case>, model: DataModel, size: usize, calls: usize) -> Vec<Group> {
    let mut groups: Vec<Group> = vec![Vec::new()];
    let mut count = 0;
    for case in cases {
        for part in case.calls(model).chunks(calls) {
            if count + part.len() > size {
                groups.push(Vec::new());
                count = 0;
            }
            count += part.len();
            groups.last_mut().expect("a group").push((case.clone(), part.to_vec()));
        }
    }
    groups
}

/// So many rounds try all small operations.
const ALL: usize = 97;

/// Small objects, all starts, all lengths.
#[test]
fn small_operations_are_exact_or_arbitrary() {
    let mut tally = Tally::default();
    for model in MODELS {
        let cases = memory::exhaustive(model);
        let cases: Vec<Case> = cases.into_iter().step_by(ALL.div_ceil(rounds())).collect();
        for (seed, group) in groups(cases, model, 60, 200).into_iter().enumerate() {
            tally.check(group, model, seed as u64, Tally::follow);
        }
    }
    tally.expect_none("small operations");
}

/// Every way to come by an address: the first and the last position, and one between.
#[test]
fn addresses_lead_where_they_do_in_the_run() {
    let mut tally = Tally::default();
    for model in MODELS {
        for (seed, cases) in memory::addresses(model).chunks(12).enumerate() {
            let group = cases.iter().map(|case| {
                let calls = case.calls(model);
                let mut few = vec![calls[0], calls[calls.len() / 2], calls[calls.len() - 1]];
                few.dedup();
                (case.clone(), few)
            });
            tally.check(group.collect(), model, seed as u64, Tally::follow);
        }
    }
    tally.expect_none("addresses");
}

/// Any object, address and operation.
#[test]
fn any_operations_are_exact_or_arbitrary() {
    let mut tally = Tally::default();
    for seed in 0..80 * rounds() as u64 {
        let model = MODELS[seed as usize % 2];
        let mut rng = Rng::new(seed);
        let cases: Vec<Case> = (0..4).map(|_| memory::random(&mut rng, model)).collect();
        tally.check(some_calls(&mut rng, cases, model, 6), model, seed, Tally::follow);
    }
    tally.expect_none("any operations");
}

/// As above, as one formula of the whole path.
#[test]
fn paths_with_random_operations_have_models() {
    let mut tally = Tally::default();
    for seed in 0..600 * rounds() as u64 {
        let model = MODELS[seed as usize % 2];
        let mut rng = Rng::new(seed + 1_000_000);
        let cases: Vec<Case> = (0..2).map(|_| memory::random(&mut rng, model)).collect();
        tally.check(some_calls(&mut rng, cases, model, 1), model, seed, Tally::ask);
    }
    tally.expect_none("paths");
}

/// Some calls of each case.
fn some_calls(rng: &mut Rng, cases: Vec<Case>, model: DataModel, count: usize) -> Group {
    let pick = |case: Case, rng: &mut Rng| {
        let all = case.calls(model);
        let calls = (0..count).map(|_| all[rng.below(all.len())]).collect();
        (case, calls)
    };
    cases.into_iter().map(|case| pick(case, rng)).collect()
}
