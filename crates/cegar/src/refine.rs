//! The loop itself.

use hardbop_abstraction::{Abstraction, Abstractor, finite_predicates};
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_bp::{Flow, Goal, VarId};
use hardbop_certify::proof::{self, Proof, Rejection};
use hardbop_certify::replay::replay;
use hardbop_ir::{Program, Statement};
use hardbop_path::{Haunting, PathVerdict, analyse, haunt, is_ghost, lay};
use hardbop_predicate::{Predicate, Scope};
use hardbop_predicate::{places, variables};
use hardbop_reach::{Answer, Invariant, Reason as Gave, bdd};
use hardbop_semantics::{Encoder, Subject};
use hardbop_slice::Slice;
use hardbop_solver::certifiers;
use hardbop_verdict::{Evidence, Outcome, Progress, Reason, Verdict, failed, stopped};

use crate::Options;
use crate::evidence;
use crate::guess::guess;
use crate::learn::{Impossible, Lesson, Lessons};
use crate::trace::path_of;

/// Refinements after which loops are leaped, whether they seem to be the trouble or not.
const PATIENCE: usize = 4;

/// Refines until there is a verdict. A proof may be about ghosts; nothing else is. `diverges` is called when loops seem to be
/// the trouble.
pub fn search(
    outcome: &mut Outcome,
    alias: &Alias,
    slice: &Slice,
    options: &Options,
    budget: &Budget,
    diverges: &dyn Fn(),
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Verdict, Reason> {
    let mut hauntings = Vec::new();
    let found = refine(outcome, alias, slice, options, budget, (diverges, &mut hauntings), progress);
    if !matches!(found, Ok(Verdict::True(_))) && !hauntings.is_empty() {
        lay_all(&mut outcome.program, &mut hauntings);
        let program = &outcome.program;
        outcome.predicates.retain(|p| !variables(program, p.expr).iter().any(|&var| is_ghost(program, var)));
    }
    found
}

/// Takes the code of all ghosts out of a program.
fn lay_all(program: &mut Program, hauntings: &mut Vec<Haunting>) {
    while let Some(haunting) = hauntings.pop() {
        lay(program, &haunting);
    }
}

fn refine(
    outcome: &mut Outcome,
    alias: &Alias,
    slice: &Slice,
    options: &Options,
    budget: &Budget,
    (diverges, hauntings): (&dyn Fn(), &mut Vec<Haunting>),
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Verdict, Reason> {
    let mut predicates = finite_predicates(&mut outcome.program, alias);
    predicates.append(&mut outcome.predicates);
    let regions = Regions::of(&outcome.program, alias, &places(&outcome.program, &predicates), budget)?;
    let start = predicates.clone();
    let mut lessons = Lessons::new(&outcome.program, predicates);
    let mut abstractor = Abstractor::new(options.abstraction, budget.clone());
    let mut statements = 0;
    let mut has_guessed = false;
    loop {
        if outcome.iterations >= options.max_iterations {
            return Err(Reason::NoProgress("too many refinements".to_owned()));
        }
        outcome.iterations += 1;
        let predicates = &lessons.predicates;
        let mut say = |statements, doing| {
            let (iteration, predicates) = (outcome.iterations, predicates.len());
            progress(Progress { iteration, predicates, statements, doing });
        };
        say(statements, "abstracting");
        let subject = Subject { program: &outcome.program, alias, regions: &regions };
        let abstraction = abstractor.run(subject, predicates)?;
        outcome.predicates.clone_from(predicates);
        statements = abstraction.back.origins.len();
        say(statements, "checking");
        let flow = hardbop_bp::resolve(&abstraction.program)
            .map_err(|_| Reason::Certificate("the boolean program is malformed".to_owned()))?;
        let reach = bdd::Options { trace: true, invariants: true, ..bdd::Options::default() };
        let report = bdd::check(&flow, &Goal::Assertion, &reach, budget);
        let trace = match report.answer {
            Answer::Unreachable => {
                say(statements, "certifying");
                let invariant = report.invariant.unwrap_or_default();
                let (proof, triples) =
                    certified(subject, slice, predicates, &abstraction, &flow, &invariant, budget)?;
                outcome.triples = triples;
                return Ok(Verdict::True(Evidence::Invariants(Box::new(proof))));
            }
            Answer::Reachable(Some(trace)) => trace,
            Answer::Reachable(None) => return Err(Reason::Checker("there is no trace".to_owned())),
            Answer::Unknown(reason) => return Err(gave_up(reason)),
        };
        say(statements, "trying the path");
        let back = &abstraction.back;
        let (path, (procedure, edge)) = path_of(back.entry, &flow, back, &trace, hauntings)
            .ok_or_else(|| Reason::Certificate("a trace stands for no path".to_owned()))?;
        match analyse(&mut outcome.program, alias, &regions, &path, budget)? {
            PathVerdict::Feasible(mut guide) => {
                let last = &outcome.program.procedures[procedure].edges[edge].statement;
                if let Statement::Unsupported(what) = last {
                    return Err(Reason::Unsupported(what.clone()));
                }
                lay_all(&mut outcome.program, hauntings);
                let whole = slice.whole(&outcome.program);
                return match replay(&whole, &mut *guide, budget) {
                    Ok(run) => Ok(failed(run)),
                    Err(end) => {
                        Err(stopped(budget).unwrap_or_else(|| Reason::NotReplayed(end.describe(&whole))))
                    }
                };
            }
            PathVerdict::Unknown(reason) => return Err(Reason::Solver(reason)),
            PathVerdict::Infeasible { proposals, core } => {
                let (program, regions) = (&mut outcome.program, &regions);
                let (path, core) = (&path, &core[..]);
                let impossible = Impossible { program, alias, regions, path, core, budget };
                let lesson = lessons.learn(impossible, &proposals, &mut |program, predicates| {
                    let subject = Subject { program, alias, regions };
                    Ok(abstractor.strengthen(subject, predicates, &abstraction, (&flow, &trace))? > 0)
                })?;
                let hard = matches!(lesson, Lesson::Growing) || outcome.iterations == PATIENCE;
                if hard {
                    diverges();
                }
                if hard && options.guess && !std::mem::replace(&mut has_guessed, true) {
                    match guessed(outcome, alias, regions, slice, hauntings.is_empty(), budget)? {
                        Guessed::Proof(verdict) => return Ok(verdict),
                        Guessed::Nothing => {}
                        Guessed::Predicates(proposals) => {
                            // What was learnt from paths is in the way of an invariant, and comes back if need be.
                            lessons = Lessons::new(&outcome.program, [&start[..], &proposals[..]].concat());
                        }
                    }
                }
                if let Lesson::Haunted(ghosts) = lesson {
                    hauntings.extend(ghosts.iter().map(|ghost| haunt(&mut outcome.program, ghost)));
                    abstractor = Abstractor::new(options.abstraction, budget.clone());
                }
            }
        }
    }
}

/// What guessed invariants are good for.
enum Guessed {
    Proof(Verdict),
    Predicates(Vec<Predicate>),
    Nothing,
}

/// Guesses invariants, and tries whether they are a proof, unless the program has ghosts.
fn guessed(
    outcome: &mut Outcome,
    alias: &Alias,
    regions: &Regions,
    slice: &Slice,
    is_plain: bool,
    budget: &Budget,
) -> Result<Guessed, Stop> {
    let program = &mut outcome.program;
    let guess = guess(program, alias, regions, budget)?;
    if is_plain
        && let Some(proof) = guess.proof(program, alias)
        && let Ok((proof, triples)) = confirmed(program, alias, slice, &[&|| Ok(proof.clone())], budget)
    {
        outcome.triples = triples;
        outcome.predicates.clone_from(&proof.predicates);
        return Ok(Guessed::Proof(Verdict::True(Evidence::Invariants(Box::new(proof)))));
    }
    let proposals = guess.predicates(program, alias);
    Ok(if proposals.is_empty() { Guessed::Nothing } else { Guessed::Predicates(proposals) })
}

pub(crate) fn gave_up(reason: Gave) -> Reason {
    match reason {
        Gave::Stopped(stop) => Reason::Stopped(stop),
        Gave::Nodes(nodes) => Reason::Checker(format!("the boolean program needs more than {nodes} nodes")),
        Gave::States(states) => Reason::Checker(format!("the boolean program has more than {states} states")),
        Gave::Defect(text) => Reason::Certificate(text),
        Gave::Unsupported(text) => Reason::Checker(text),
    }
}

/// The proof that an invariant gives, checked on the whole program by a solver that the abstraction did not use.
fn certified(
    subject: Subject<'_>,
    slice: &Slice,
    predicates: &[Predicate],
    abstraction: &Abstraction,
    flow: &Flow,
    invariant: &Invariant,
    budget: &Budget,
) -> Result<(Proof, usize), Reason> {
    let back = &abstraction.back;
    let meaning = |flow: &Flow, var: VarId| {
        let variable = &flow.variables[var];
        let owner = variable.owner.and_then(|p| back.procedures.get(&flow.procedures[p].name).copied());
        let scope = owner.map_or(Scope::Global, Scope::Procedure);
        back.variables.get(&(scope.procedure(), variable.name.clone())).copied()
    };
    let proof_of =
        |thorough| evidence::proof(subject, predicates, &meaning, (flow, back), invariant, thorough, budget);
    // A proof without what seems not to matter is small; it may be too small.
    confirmed(subject.program, subject.alias, slice, &[&|| proof_of(false), &|| proof_of(true)], budget)
}

/// The first of some proofs of a slice that is not wrong, checked on the whole program.
fn confirmed(
    program: &Program,
    alias: &Alias,
    slice: &Slice,
    proofs: &[&dyn Fn() -> Result<Proof, Stop>],
    budget: &Budget,
) -> Result<(Proof, usize), Reason> {
    let whole = &slice.whole(program);
    let mut refused = Reason::Certificate("there is no proof".to_owned());
    for proof in proofs {
        let mut proof = proof()?;
        evidence::add_unneeded(&mut proof, whole, &slice.unneeded);
        let regions = &Regions::of(whole, alias, &places(whole, &proof.predicates), budget)?;
        let subject = Subject { program: whole, alias, regions };
        let mut solvers = certifiers(subject.program.uses_integers(), budget);
        match proof::check(subject, &proof, &mut solvers, &mut Encoder::default(), budget) {
            Ok(checked) => return Ok((proof, checked.triples)),
            Err(rejection @ Rejection::Wrong(_)) => refused = rejection.into(),
            Err(rejection) => return Err(rejection.into()),
        }
    }
    Err(refused)
}
