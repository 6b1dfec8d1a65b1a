//! Whether evidence holds: `certify` is asked, with solvers that start afresh.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_certify::broken::{Broken, Refusal};
use hardbop_certify::proof::Rejection;
use hardbop_certify::replay::replay_within;
use hardbop_certify::{backward, proof, unrolled};
use hardbop_ir::Program;
use hardbop_ir::interpret::Outcome;
use hardbop_predicate::places;
use hardbop_semantics::{Encoder, Subject};
use hardbop_solver::{Solver, splitting_certifiers};

use crate::inputs::Listed;
use crate::place::edge_position;
use crate::{Evidence, RunInputs};

/// What is said of evidence.
#[derive(Debug)]
pub enum Judgement {
    /// It holds; the work that it took to see that.
    Accepted(String),
    /// It does not.
    Refused(Refused),
    /// Nobody knows: no solver decides it, or a limit was reached.
    Undecided(String),
    /// A limit was reached.
    Stopped(Stop),
}

/// Why evidence does not hold.
#[derive(Debug)]
pub struct Refused {
    /// What is wrong with it.
    pub why: String,
    /// The triple that fails.
    pub broken: Option<Box<Broken>>,
}

impl From<Refusal> for Judgement {
    fn from(Refusal { rejection, broken }: Refusal) -> Self {
        match rejection {
            Rejection::Wrong(why) | Rejection::Open(why) => Judgement::Refused(Refused { why, broken }),
            Rejection::Undecided(why) => Judgement::Undecided(why),
            Rejection::Stopped(stop) => Judgement::Stopped(stop),
        }
    }
}

/// Judges evidence about a loaded program; its expressions are those of `found`, an overlay. The solvers are those that
/// `choose` makes, asked in turn; nothing for the usual ones.
pub fn judge(
    loaded: &Program,
    found: &Program,
    evidence: &mut Evidence,
    choose: Option<&dyn Fn() -> Vec<Box<dyn Solver>>>,
    budget: &Budget,
) -> Judgement {
    let Some(program) = &loaded.with_expressions_of(found) else {
        let why = "its expressions are those of another program".to_owned();
        return Judgement::Refused(Refused { why, broken: None });
    };
    let solvers =
        || choose.map_or_else(|| splitting_certifiers(program.uses_integers(), budget), |choose| choose());
    if let Evidence::Run(run) = evidence {
        return replayed(program, run, budget);
    }
    let places = match evidence {
        Evidence::Invariants(proof) => places(program, &proof.predicates),
        _ => Vec::new(),
    };
    let analysed = Alias::of(program, budget).and_then(|alias| {
        let regions = Regions::of(program, &alias, &places, budget)?;
        Ok((alias, regions))
    });
    let (alias, regions) = match analysed {
        Ok(analysed) => analysed,
        Err(stop) => return Judgement::Stopped(stop),
    };
    let subject = Subject { program, alias: &alias, regions: &regions };
    let judged = match evidence {
        Evidence::Invariants(proof) => {
            proof::examine(subject, proof, &mut solvers(), &mut Encoder::default(), budget)
                .map(|checked| format!("{} triples", checked.triples))
        }
        Evidence::Backward(proof) => backward::examine(subject, proof, &mut solvers(), budget)
            .map(|checked| format!("{} triples", checked.triples)),
        Evidence::Unrolled(steps) => {
            return unrolled(subject, *steps, &mut solvers(), budget);
        }
        Evidence::Run(run) => return replayed(program, run, budget),
    };
    judged.map_or_else(Judgement::from, Judgement::Accepted)
}

/// A bound that is too low is wrong: then there is another one, or none.
fn unrolled(subject: Subject<'_>, steps: u64, solvers: &mut [Box<dyn Solver>], budget: &Budget) -> Judgement {
    match unrolled::examine(subject, steps, solvers, budget) {
        Ok(checked) => Judgement::Accepted(format!("{} steps of execution", checked.steps)),
        Err(Refusal { rejection: Rejection::Undecided(why), .. }) if why == unrolled::LONGER => {
            let why = format!("{why} than {steps} steps of execution");
            Judgement::Refused(Refused { why, broken: None })
        }
        Err(refusal) => refusal.into(),
    }
}

fn replayed(program: &Program, run: &RunInputs, budget: &Budget) -> Judgement {
    let mut listed = Listed { list: &run.inputs, asked: 0, differs: None };
    let found = replay_within(program, &mut listed, run.steps, budget);
    let refused = |why: String| Judgement::Refused(Refused { why, broken: None });
    if let Err(stop) = budget.check() {
        return Judgement::Stopped(stop);
    }
    if let Some(number) = listed.differs {
        return refused(match run.inputs.get(number) {
            Some(input) => {
                let at = edge_position(program, input.procedure, input.edge);
                format!("input {number} of the list, at {at}, is not what the run asks for")
            }
            None => format!("the run asks for more than the {} inputs of the list", run.inputs.len()),
        });
    }
    match found {
        Err(outcome) => refused(format!("the run does not reach an error: {}", outcome.describe(program))),
        Ok(found) => match &found.outcome {
            Outcome::Error { property, site }
                if *property == run.error.property
                    && (site.procedure, site.edge) == (run.error.procedure, run.error.edge) =>
            {
                let unused = run.inputs.len() - listed.asked.min(run.inputs.len());
                if unused > 0 {
                    return refused(format!("the run does not ask for the last {unused} inputs of the list"));
                }
                Judgement::Accepted(format!("a run of {} steps", found.steps))
            }
            other => refused(format!("the run ends otherwise: {}", other.describe(program))),
        },
    }
}
