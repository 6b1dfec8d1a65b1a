//! The hunt in one program.

use std::path::PathBuf;
use std::time::Duration;

use hardbop_base::Id;
use hardbop_ir::interpret::{Outcome, Run};
use hardbop_ir::testing::Random;
use hardbop_ir::{ExprId, Program, verify};
use rustc_hash::FxHashMap;

use crate::candidates::{condition, scalars};
use crate::checker::{Answer, Checker, ways};
use crate::chosen::{inputs_to, some, untaken};
use crate::clock::within;
use crate::inputs::{AddressFreeInputs, Continued, Planted};
use crate::plant::{Gate, KEY, Plant, planted, without_errors};
use crate::record::{Recorded, is_deep, pick, record, run, values_at};
use crate::report::Report;
use crate::shrink::shrink;
use crate::{invariants, opinion};

/// What to do.
#[derive(Debug, Clone)]
pub struct HuntOptions {
    /// Where random choices start.
    pub seed: u64,
    /// How many errors to plant.
    pub plants: usize,
    /// Seconds for a question to a solver of our own.
    pub seconds: f64,
    /// Where findings are saved.
    pub out: PathBuf,
    /// How long a finding is made smaller.
    pub patience: Duration,
}

/// Random runs that are tried.
const RUNS: u64 = 8;

/// Places that a solver is asked to lead to.
const TARGETS: usize = 4;

/// Expressions that are looked at for each plant.
const CANDIDATES: usize = 40;

/// The steps of a run that is followed by the encoder.
const FOLLOWED: u64 = 400;

/// Hunts in a program; what is found is reported after each step, so that nothing is lost if a later one crashes.
pub fn hunt(
    name: &str,
    text: &str,
    checker: &dyn Checker,
    options: &HuntOptions,
    tell: &mut dyn FnMut(&Report),
) {
    let mut report = Report::default();
    let original = match hardbop_ir::text::parse(Id::from_usize(0), text) {
        Ok(program) if program.entry.is_some() => program,
        _ => {
            report.count("programs skipped: no entry");
            return tell(&report);
        }
    };
    let mut random = Random::new(options.seed);
    report.count("programs");
    report.count(&format!("programs of {} bits", original.data_model.pointer_bits()));
    tell(&std::mem::take(&mut report));
    if random.one_in(2) {
        invariants::check(name, &original, options.seconds, &mut random, &mut report);
        tell(&std::mem::take(&mut report));
    }
    let program = without_errors(original);
    opinion::follow(name, &program, FOLLOWED, options.seconds, &mut random, &mut report);
    let runs = runs(&program, options, &mut random, &mut report);
    if runs.is_empty() {
        report.add("plants skipped: no run gets anywhere", options.plants as u64);
        return tell(&report);
    }
    for number in 0..options.plants {
        tell(&std::mem::take(&mut report));
        // Not every program has a loop or a callee.
        let wish = Wish { deep: number % 3 != 1, gated: number % 4 < 2 };
        match plant(&program, &runs, wish, options, &mut random) {
            Ok(found) => try_plant(name, &found, checker, options, &mut random, &mut report),
            Err(reason) => report.count(&format!("plants skipped: {reason}")),
        }
    }
    tell(&report);
}

/// Random runs, and runs to places that these do not reach.
fn runs(program: &Program, options: &HuntOptions, random: &mut Random, report: &mut Report) -> Vec<Recorded> {
    let mut runs: Vec<Recorded> = Vec::new();
    for _ in 0..RUNS {
        let mut inputs = AddressFreeInputs::new(random.bits());
        let found = within(options.seconds, |budget| record(program, &mut inputs, budget));
        report.count("random runs");
        let idle = found.draws.is_empty();
        if !runs.iter().any(|run| run.steps == found.steps) {
            runs.push(found);
        }
        if idle {
            break;
        }
    }
    for target in some(untaken(program, &runs), TARGETS, random) {
        let found = within(options.seconds, |budget| inputs_to(program, target, budget));
        match found {
            Ok(Some(draws)) => {
                report.count("runs by solver");
                let mut inputs = Continued::new(&draws, random.bits());
                runs.push(within(options.seconds, |budget| record(program, &mut inputs, budget)));
            }
            _ => report.count("places without a run"),
        }
    }
    runs.retain(|run| !run.steps.is_empty());
    runs
}

/// What a plant should be like.
#[derive(Debug, Clone, Copy)]
struct Wish {
    deep: bool,
    gated: bool,
}

/// An error that was planted, with the run that reaches it.
pub struct PlantedError {
    /// The plant.
    pub plant: Plant,
    /// The program with it.
    pub program: Program,
    /// The run.
    pub run: Run,
    deep: bool,
}

/// A step of some run, in a loop or a callee if that is wished for and possible.
fn place<'r>(
    program: &Program,
    runs: &'r [Recorded],
    wish: Wish,
    random: &mut Random,
) -> Option<(&'r Recorded, bool, usize)> {
    let first = random.below(runs.len());
    let turned = || runs[first..].iter().chain(&runs[..first]);
    for run in turned() {
        let deep = is_deep(program, &run.steps);
        let wanted: Vec<bool> = deep.iter().map(|&deep| deep == wish.deep).collect();
        if let Some(at) = pick(&run.steps, &wanted, random) {
            return Some((run, wish.deep, at));
        }
    }
    let run = turned().next()?;
    let at = pick(&run.steps, &vec![true; run.steps.len()], random)?;
    Some((run, !wish.deep, at))
}

/// Plants an error in a run.
fn plant(
    program: &Program,
    runs: &[Recorded],
    wish: Wish,
    options: &HuntOptions,
    random: &mut Random,
) -> Result<PlantedError, String> {
    let (base, deep, at) = place(program, runs, wish, random).ok_or("no run has steps")?;
    let step = base.steps[at];
    let program = program.clone();
    let candidates = scalars(&program, step.procedure, CANDIDATES, random);
    let wanted: FxHashMap<usize, Vec<ExprId>> = FxHashMap::from_iter([(at, candidates)]);
    let known = within(options.seconds, |budget| {
        values_at(&program, &mut Continued::new(&base.draws, 0), &wanted, budget)
    });
    let known = known.get(&at).map_or(&[][..], Vec::as_slice);
    let count = 1 + random.below(4);
    let mut conditions: Vec<ExprId> = (0..count).filter_map(|_| condition(&program, known, random)).collect();
    conditions.sort_by_key(|&expr| !program.is_total(expr));
    conditions.dedup();
    let source = program.procedures[step.procedure].edges[step.edge].source;
    let visits = base.steps[..=at].iter().filter(|s| {
        s.procedure == step.procedure && program.procedures[s.procedure].edges[s.edge].source == source
    });
    let visit = (conditions.is_empty() || random.one_in(2)).then_some(visits.count() as u64);
    let gate = match (wish.gated, random.one_in(2)) {
        (false, _) => Gate::Open,
        (true, true) => Gate::AtStart,
        (true, false) => Gate::AtPlant,
    };
    let plant = Plant { procedure: step.procedure, edge: step.edge, visit, gate, conditions };
    let grown = planted(&program, &plant);
    if let Some(violation) = verify(&grown).first() {
        return Err(format!("not well-formed: {}", violation.show(&grown)));
    }
    let mut inputs = Planted::new(&program, &base.draws, KEY as u128);
    let run = within(options.seconds, |budget| run(&grown, &mut inputs, budget));
    if !matches!(run.outcome, Outcome::Error { .. }) {
        return Err(format!("the run is another one with it ({})", run.outcome.name()));
    }
    Ok(PlantedError { plant, program: grown, run, deep })
}

/// Asks the checker about a plant.
fn try_plant(
    name: &str,
    found: &PlantedError,
    checker: &dyn Checker,
    options: &HuntOptions,
    random: &mut Random,
    report: &mut Report,
) {
    report.count("plants");
    if found.deep {
        report.count("plants in a loop or callee");
    }
    if found.plant.gate != Gate::Open {
        report.count("plants behind a gate");
    }
    opinion::path(name, &found.program, &found.run, options.seconds, report);
    for way in ways(random) {
        let shown = if way.is_empty() { "default".to_owned() } else { way.join(" ") };
        let answer = checker.check(&found.program, way);
        let word = match &answer {
            Answer::True => "TRUE",
            Answer::False => "FALSE",
            Answer::Unknown => "UNKNOWN",
            Answer::Failed(_) => "failed",
        };
        report.count(&format!("verdicts: {word}"));
        report.count(&format!("way {shown}: {word}"));
        match answer {
            Answer::True => {
                let saved = shrink(name, found, way, checker, options);
                report.findings.push(format!("wrong TRUE ({shown}) in {name}: {saved}"));
                // The other ways would be wrong for the same reason.
                break;
            }
            Answer::Failed(reason) => report.notes.push(format!("{name} ({shown}): {reason}")),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop that calls a function with an input, and a record behind a pointer.
    const PROGRAM: &str = "program 1 LP64\n\
        static total: i32 = 0\n\
        fn add(n: i32) -> $result: i32 {\n  local twice: i32\n  locations 4 entry L0 exit L1\n\
          L0 -> L2: twice := (n + n)\n\
          L2 -> L3: $result := (twice + 1)\n\
          L3 -> L1: return\n}\n\
        fn main() {\n  local i: i32\n  local x: i32\n  temp $1: i32\n  temp $2: i32\n\
          local p: ptr i32\n  locations 10 entry L0 exit L1\n\
          L0 -> L2: i := 0\n\
          L2 -> L3: assume (i < 3)\n\
          L2 -> L8: assume (3 <= i)\n\
          L3 -> L4: havoc x from nondet __VERIFIER_nondet_int\n\
          L4 -> L9: $2 := x\n\
          L9 -> L5: $1 := call add($2)\n\
          L5 -> L6: p := &total\n\
          L6 -> L7: *p := (total + $1)\n\
          L7 -> L2: i := (i + 1)\n\
          L8 -> L1: return\n}\nentry main\n";

    struct Always(Answer);

    impl Checker for Always {
        fn check(&self, _: &Program, _: &[&str]) -> Answer {
            self.0.clone()
        }
    }

    fn options(name: &str, seed: u64) -> HuntOptions {
        let out = std::env::temp_dir().join(format!("hardbop-hunt-{name}-{}", std::process::id()));
        HuntOptions { seed, plants: 8, seconds: 10.0, out, patience: Duration::from_secs(1) }
    }

    fn hunted(answer: Answer, options: &HuntOptions) -> Report {
        let mut all = Report::default();
        hunt("test", PROGRAM, &Always(answer), options, &mut |report| all.merge(report.clone()));
        all
    }

    fn program() -> Program {
        match hardbop_ir::text::parse(Id::from_usize(0), PROGRAM) {
            Ok(program) => program,
            Err(errors) => panic!("{errors:?}"),
        }
    }

    #[test]
    fn a_checker_that_proves_everything_is_caught() {
        let options = options("true", 7);
        let report = hunted(Answer::True, &options);
        assert_eq!(report.number("plants"), 8, "{report:?}");
        assert_eq!(report.findings.len(), 8, "{report:?}");
        let saved = std::fs::read_dir(&options.out).map(|files| files.count()).unwrap_or_default();
        assert!(saved >= 3, "{saved} files saved");
        let _ = std::fs::remove_dir_all(&options.out);
    }

    #[test]
    fn a_checker_that_is_right_or_silent_is_left_alone() {
        for answer in [Answer::False, Answer::Unknown] {
            let report = hunted(answer, &options("false", 8));
            assert_eq!((report.number("plants"), report.findings.len()), (8, 0), "{report:?}");
            // The second opinion has nothing to say either.
            assert_eq!(report.notes, Vec::<String>::new());
            assert_eq!(report.number("paths: the run satisfies the formula"), 8, "{report:?}");
            assert!(report.number("models: cells compared") > 20, "{report:?}");
            assert!(report.number("steps followed") > 20, "{report:?}");
        }
    }

    #[test]
    fn plants_are_reached_by_their_runs_and_by_no_random_one_through_a_gate() {
        let (program, options) = (program(), options("reached", 9));
        let mut random = Random::new(9);
        let runs = runs(&program, &options, &mut random, &mut Report::default());
        let (mut deep, mut gated) = (0, 0);
        for number in 0..40 {
            let wish = Wish { deep: number % 2 == 0, gated: number / 2 % 2 == 0 };
            let found = plant(&program, &runs, wish, &options, &mut random).unwrap();
            assert!(verify(&found.program).is_empty());
            let mut inputs = hardbop_ir::interpret::ListInputs::replay(&found.run.draws);
            let budget = hardbop_base::Budget::unlimited();
            assert!(matches!(run(&found.program, &mut inputs, &budget).outcome, Outcome::Error { .. }));
            let by_chance = run(&found.program, &mut AddressFreeInputs::new(number), &budget);
            if found.plant.gate != Gate::Open {
                gated += 1;
                assert!(!matches!(by_chance.outcome, Outcome::Error { .. }));
            }
            deep += usize::from(found.deep);
        }
        assert_eq!((deep, gated), (20, 20));
    }

    #[test]
    fn solvers_find_ways_that_random_runs_do_not() {
        let text = PROGRAM.replace("L4 -> L9: $2 := x", "L4 -> L9: assume (x == 123456789)");
        let text = text.replace("L5 -> L6", "L4 -> L5: assume (x != 123456789)\n  L5 -> L6");
        let text = text.replace("call add($2)", "call add(5)");
        let Ok(program) = hardbop_ir::text::parse(Id::from_usize(0), &text) else { panic!("{text}") };
        assert!(verify(&program).is_empty());
        let mut report = Report::default();
        let runs = runs(&program, &options("chosen", 1), &mut Random::new(1), &mut report);
        assert!(report.number("runs by solver") > 0, "{report:?}");
        let add = Id::from_usize(0);
        assert!(runs.iter().any(|run| run.steps.iter().any(|step| step.procedure == add)));
    }
}
