//! What an unrolling says about a program.

use hardbop_base::{Budget, Stop};
use hardbop_ir::Statement;
use hardbop_logic::{Evaluator, Model, Term};
use hardbop_semantics::{Encoder, Frame, Fresh, Guide, Subject};
use hardbop_solver::{Answer, Solver, model_with};

use crate::unroll::{Drawn, Entered, UnrollOptions, Unrolling, unroll};

/// What is known of the runs up to a bound.
#[derive(Debug)]
pub enum Bounded {
    /// These inputs may lead to an error.
    Reaches(Box<Guide>),
    /// None reaches an error. If that is all runs there are, the program is safe.
    Safe {
        /// Whether nothing was cut off.
        complete: bool,
        /// Whether the number of steps was the limit.
        out_of_steps: bool,
    },
    /// A run may reach something that has no meaning; no error is reached before that.
    Unsupported(String),
    /// The solver gave up.
    Unknown(String),
}

/// Questions about errors at most. Few of them are cheap, and a question has a price even where its answer is plain.
const QUESTIONS: usize = 32;

/// Unrolls a program and asks the solver, which must be a fresh one, whether an error is reached.
pub fn decide(
    subject: Subject<'_>,
    solver: &mut dyn Solver,
    options: UnrollOptions,
    budget: &Budget,
) -> Result<Bounded, Stop> {
    let mut encoder = Encoder::default();
    encoder.record_fresh();
    encoder.fix_addresses();
    encoder.compute_floats();
    // Before anything is read: what the solver makes of reads it keeps.
    for axiom in encoder.on(subject).shared_axioms() {
        solver.assert(&encoder.terms, axiom);
    }
    let unrolling = unroll(subject, &mut encoder, solver, options, budget)?;
    if let Some(reason) = unrolling.gave_up {
        return Ok(Bounded::Unknown(reason));
    }
    let (mut errors, mut others) = (Vec::new(), Vec::new());
    for failure in &unrolling.failures {
        match subject.program.procedures[failure.procedure].edges[failure.edge].statement {
            Statement::Error(_) => errors.push(failure.guard),
            _ => others.push(failure.guard),
        }
    }
    let all: Vec<Term> = unrolling.definitions.iter().chain(&errors).chain(&others).copied().collect();
    for axiom in encoder.on(subject).axioms(&all) {
        solver.assert(&encoder.terms, axiom);
    }
    // In the order of a run: what comes first is simpler, and that it cannot happen helps with the rest.
    for some in errors.chunks(errors.len().div_ceil(QUESTIONS).max(1)) {
        let error = encoder.terms.or(some);
        match solver.check(&encoder.terms, &[error]) {
            Answer::Sat => {
                let model = solver.model(&encoder.terms);
                let followed = passed(&encoder, &unrolling, &model);
                let wishes = encoder.outside_wishes(subject.program.data_model, followed, &model);
                let model = model_with(&encoder.terms, solver, &[error], wishes).unwrap_or(model);
                return Ok(Bounded::Reaches(Box::new(guide(&encoder, &unrolling, &model))));
            }
            Answer::Unknown(reason) => return given_up(budget, &reason.to_string()),
            Answer::Unsat => {
                let never = encoder.terms.not(error);
                solver.assert(&encoder.terms, never);
            }
        }
    }
    let other = encoder.terms.or(&others);
    Ok(match solver.check(&encoder.terms, &[other]) {
        Answer::Sat => Bounded::Unsupported(unsupported(subject, &unrolling)),
        Answer::Unknown(reason) => return given_up(budget, &reason.to_string()),
        Answer::Unsat => {
            Bounded::Safe { complete: unrolling.cut.is_empty(), out_of_steps: unrolling.out_of_steps }
        }
    })
}

fn given_up(budget: &Budget, reason: &str) -> Result<Bounded, Stop> {
    budget.check()?;
    Ok(Bounded::Unknown(reason.to_owned()))
}

fn unsupported(subject: Subject<'_>, unrolling: &Unrolling) -> String {
    let statements = unrolling
        .failures
        .iter()
        .map(|failure| &subject.program.procedures[failure.procedure].edges[failure.edge].statement);
    let reasons = statements.filter_map(|statement| match statement {
        Statement::Unsupported(reason) => Some(reason.clone()),
        _ => None,
    });
    reasons.into_iter().next().unwrap_or_default()
}

/// What the run of a model passes of the storage that was noted.
fn passed<'u>(encoder: &Encoder, unrolling: &'u Unrolling, model: &Model) -> Vec<&'u Fresh> {
    let mut evaluator = Evaluator::new();
    let mut holds = |term: Term| {
        evaluator.value(&encoder.terms, term, model).and_then(|guard| guard.as_bool()) == Some(true)
    };
    let passed = unrolling.fresh.iter().filter(|(guard, ..)| holds(*guard));
    passed.map(|(_, _, fresh)| fresh).collect()
}

/// The inputs of a model.
fn guide(encoder: &Encoder, unrolling: &Unrolling, model: &Model) -> Guide {
    let mut guide = Guide::default();
    let mut evaluator = Evaluator::new();
    let mut value = |term: Term| evaluator.value(&encoder.terms, term, model);
    for &Drawn { guard, procedure, edge, value: drawn } in &unrolling.drawn {
        if value(guard).and_then(|guard| guard.as_bool()) == Some(true)
            && let Some(drawn) = value(drawn)
        {
            guide.draw((procedure, edge), &drawn);
        }
    }
    for &Drawn { guard, procedure, edge, value: chosen } in &unrolling.chosen {
        if value(guard).and_then(|guard| guard.as_bool()) == Some(true)
            && let Some(chosen) = value(chosen)
        {
            guide.choose((procedure, edge), &chosen);
        }
    }
    let mut holds = |term: Term| value(term).and_then(|guard| guard.as_bool()) == Some(true);
    let entered: Vec<&Entered> = unrolling.entered.iter().filter(|entered| holds(entered.guard)).collect();
    let fresh: Vec<&(Term, Frame, Fresh)> =
        unrolling.fresh.iter().filter(|(guard, ..)| holds(*guard)).collect();
    for entered in entered {
        guide.enter(encoder, (entered.frame, entered.procedure), &mut value);
    }
    for (_, frame, fresh) in fresh {
        guide.storage(*frame, fresh, &mut value);
    }
    guide
}
