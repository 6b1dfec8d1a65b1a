//! The loop.

use hardbop_alias::{Alias, Regions};
use hardbop_base::Budget;
use hardbop_certify::backward::{self, Backward, Claim, Point};
use hardbop_certify::replay::replay;
use hardbop_certify::unrolled;
use hardbop_ir::Program;
use hardbop_logic::Term;
use hardbop_path::{Path, PathVerdict, analyse, scoped};
use hardbop_predicate::{Predicate, Scope};
use hardbop_semantics::{Decoder, Frame, Guide, State, Subject};
use hardbop_solver::{certifiers, new_solver};
use hardbop_unroll::{Bounded, decide};
use hardbop_verdict::{BackwardEvidence, CheckOutcome, Evidence, Progress, Reason, Verdict, failed};

use crate::ask::Asker;
use crate::bounded::{Layers, path};
use crate::fit::why_not;
use crate::fixpoint::{Predicates, Rounds, rounds};
use crate::holes::{Filled, Holes};
use crate::interp::{add, refine};
use crate::pre::Sets;
use crate::relate::Watch;
use crate::show::{self, Tracked};
use crate::space::{Refusal, Space};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct WpOptions {
    /// Whether only what stays in a loop is covered, and not what leaves it (`001…` §3).
    pub sharp: bool,
    /// The most refinements.
    pub max_iterations: usize,
}

impl Default for WpOptions {
    fn default() -> Self {
        WpOptions { sharp: true, max_iterations: 200 }
    }
}

/// A verdict, and how it was found.
#[derive(Debug)]
pub struct WpOutcome {
    /// The verdict.
    pub outcome: CheckOutcome,
    /// All predicates in use at the end. Those of [`CheckOutcome::predicates`] are among them.
    pub predicates: Vec<Tracked>,
}

impl WpOutcome {
    /// Nothing is known yet of a program, and nothing of it but predicates is given.
    pub fn nothing(program: &Program, given: &[Predicate]) -> Self {
        let outcome = CheckOutcome::new(program, given);
        WpOutcome { outcome, predicates: Vec::new() }
    }
}

/// Decides whether an error of the program can be reached. `given` are predicates to start with.
pub fn check(
    program: &Program,
    given: &[Predicate],
    options: &WpOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress<'_>),
) -> WpOutcome {
    let mut found = WpOutcome::nothing(program, given);
    let decided = prepare(program, &mut found, options, budget, progress);
    found.outcome.verdict = decided.unwrap_or_else(Verdict::Unknown);
    found
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Stopped(stop) => Reason::Stopped(stop),
            Refusal::Unfit(why) => Reason::Unfit(why),
        }
    }
}

/// Looks whether the program is one for this engine, and lays it out.
fn prepare(
    program: &Program,
    found: &mut WpOutcome,
    options: &WpOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Verdict, Reason> {
    let alias = Alias::of(program, budget)?;
    let regions = Regions::of(program, &alias, &[], budget)?;
    let subject = Subject { program, alias: &alias, regions: &regions };
    if let Some(why) = why_not(subject) {
        return Err(Reason::Unfit(why));
    }
    let mut space = Space::of(subject, budget)?;
    let mut predicates = vec![Predicates::default(); space.cuts.len()];
    start_with(&mut space, &found.outcome.predicates, &mut predicates);
    let reached = decided(&mut space, found, &mut predicates, options, budget, progress);
    found.outcome.predicates = expressed(&found.outcome.program, &mut space, &predicates);
    found.predicates = show::predicates(&space, &predicates);
    match reached? {
        Decided::Verdict(verdict) => Ok(verdict),
        Decided::Safe(sets) => {
            let (invariants, loops) = show::invariants(&mut space, &mut Asker::new(subject, budget), &sets)?;
            let (proof, triples) = certified(space, &sets, budget)?;
            found.outcome.triples = triples;
            let evidence = BackwardEvidence { proof, invariants, loops };
            Ok(Verdict::True(Evidence::Backward(Box::new(evidence))))
        }
    }
}

/// What the loop ends with.
enum Decided {
    Verdict(Verdict),
    /// With these sets, which do not have the start of the program.
    Safe(Sets),
}

fn decided(
    space: &mut Space<'_>,
    found: &mut WpOutcome,
    predicates: &mut [Predicates],
    options: &WpOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Decided, Reason> {
    let subject = space.subject;
    let mut asker = Asker::new(subject, budget);
    let mut watches = vec![[Watch::default(), Watch::default()]; predicates.len()];
    let is_recursive = space.units.iter().any(|unit| unit.is_called);
    loop {
        found.outcome.iterations += 1;
        let iteration = found.outcome.iterations;
        let count = predicates.iter().map(|own| own.fails.len() + own.returns.len()).sum();
        let mut say = |doing| progress(Progress { iteration, predicates: count, statements: 0, doing });
        say("going backwards");
        let Rounds { mut history, reaches } = rounds(space, &mut asker, predicates, options.sharp)?;
        if !reaches {
            say("certifying");
            return Ok(Decided::Safe(history.pop().unwrap_or_else(|| Sets::none(space))));
        }
        say("looking at bounded runs");
        let k = history.len() - 1;
        let mut layers = Layers::of(space, k);
        let bad = layers.errors(space);
        let longer = layers.longer(space);
        let holes = Holes::of(space, &layers, &history)?;
        let refined = match holes.fill(space, &mut asker, bad, predicates, budget)? {
            Filled::Fails(model) => {
                let path = path(space, &model, k);
                return failing_run(subject, path, k, budget).map(Decided::Verdict);
            }
            Filled::Refined(refined) => refined,
            Filled::Enough(facts) => {
                if !is_recursive && !asker.is_possible(&mut space.encoder, &[longer])? {
                    say("certifying");
                    let _alone = budget.go_alone();
                    let passed = unrolled::confirm(subject.program, subject.alias, budget)?;
                    let evidence = Evidence::Unrolled(bounds(k, STEPS[2]), passed);
                    return Ok(Decided::Verdict(Verdict::True(evidence)));
                }
                say("looking for predicates");
                let runs = (&layers, &facts[..]);
                refine(space, &mut asker, runs, &history, predicates, options.sharp, budget)?
            }
        };
        if !refined {
            return Err(Reason::NoProgress("impossible runs give no new predicates".to_owned()));
        }
        for (own, watches) in predicates.iter_mut().zip(&mut watches) {
            for (watch, own) in watches.iter_mut().zip([&mut own.fails, &mut own.returns]) {
                let related = watch.relate(&mut space.encoder.terms, own);
                related.map_err(|endless| Reason::Divergence(show::form(space, endless)))?;
            }
        }
        if iteration >= options.max_iterations {
            return Err(Reason::NoProgress("too many refinements".to_owned()));
        }
    }
}

/// Gives each cut point the predicates in whose scope it is.
fn start_with(space: &mut Space<'_>, given: &[Predicate], predicates: &mut [Predicates]) {
    let state = State::new(Frame::ONLY);
    for (cut, own) in predicates.iter_mut().enumerate() {
        for predicate in given {
            if matches!(predicate.scope, Scope::Procedure(p) if p != space.cuts[cut].procedure) {
                continue;
            }
            let term = space.encoder.on(space.subject).holds(&state, predicate.expr);
            let term = space.plain(term);
            add(space, cut, &[term], &mut own.fails);
        }
    }
}

/// Steps of an unrolling, fewer first: a loop that does not end is unrolled for all of them.
const STEPS: [u64; 3] = [5_000, 50_000, 1_000_000];

/// A run that fails: along a path if there is one, and else found among those of so many rounds.
fn failing_run(
    subject: Subject<'_>,
    path: Option<Path>,
    k: usize,
    budget: &Budget,
) -> Result<Verdict, Reason> {
    if let Some(path) = path {
        // Newton's proposals for a path that cannot be run would be new expressions.
        let subject = Subject { program: &subject.program.overlay(), ..subject };
        let verdict = analyse(subject, &path, budget)?;
        if let PathVerdict::Feasible(guide) = verdict
            && let Ok(verdict) = replayed(subject, *guide, budget)
        {
            return Ok(verdict);
        }
    }
    for steps in STEPS {
        let mut solver = new_solver(subject.program.uses_integers(), budget);
        match decide(subject, &mut *solver, bounds(k, steps), budget)? {
            Bounded::Reaches(guide) => return replayed(subject, *guide, budget),
            Bounded::Unsupported(what) => return Err(Reason::Unsupported(what)),
            Bounded::Unknown(why) => return Err(Reason::Solver(why)),
            Bounded::Safe { .. } => {}
        }
    }
    Err(Reason::NotReplayed("it is not found among bounded runs".to_owned()))
}

/// What the interpreter says to inputs.
fn replayed(subject: Subject<'_>, mut guide: Guide, budget: &Budget) -> Result<Verdict, Reason> {
    let run = replay(subject.program, &mut guide, budget);
    budget.check()?;
    run.map(failed).map_err(|end| Reason::NotReplayed(end.describe(subject.program)))
}

/// Bounds of an unrolling that has all runs of so many rounds.
fn bounds(k: usize, steps: u64) -> hardbop_unroll::UnrollOptions {
    let bound = u32::try_from(k).unwrap_or(u32::MAX).saturating_add(1);
    hardbop_unroll::UnrollOptions { bound, steps, depth: 300 }
}

/// The proof that the sets of the last round are, checked by a solver that did not find it.
fn certified(mut space: Space<'_>, sets: &Sets, budget: &Budget) -> Result<(Backward, usize), Reason> {
    let subject = space.subject;
    let units = space.units.iter().filter(|unit| unit.is_called).map(|unit| unit.procedure).collect();
    let in_memory = |set: &Term| space.in_memory(*set);
    let fails: Vec<Term> = sets.fails.iter().map(in_memory).collect();
    let mut proof = Backward { units, encoder: space.encoder, ..Backward::default() };
    for (number, cut) in space.cuts.into_iter().enumerate() {
        let unit = &space.units[cut.unit];
        if cut.is_entry && !unit.is_called {
            continue;
        }
        let head = (!cut.is_entry).then_some(cut.location);
        let point = Point { unit: unit.procedure, calls: cut.calls, procedure: cut.procedure, head };
        proof.claims.insert(point, Claim { fails: fails[number], returns: sets.returns[number] });
    }
    let _alone = budget.go_alone();
    let mut solvers = certifiers(subject.program.uses_integers(), budget);
    let checked = backward::check(subject, &mut proof, &mut solvers, budget)?;
    Ok((proof, checked.triples))
}

/// The predicates as they are said in the program, those that can be.
fn expressed(program: &Program, space: &mut Space<'_>, predicates: &[Predicates]) -> Vec<Predicate> {
    let Subject { alias, regions, .. } = space.subject;
    let mut found = Vec::new();
    for (cut, own) in predicates.iter().enumerate() {
        let procedure = space.cuts[cut].procedure;
        for &term in own.fails.iter().chain(&own.returns) {
            let term = space.in_memory(term);
            let decoded = Decoder::new(&space.encoder, Subject { program, alias, regions }).decode(term);
            let predicate = decoded.and_then(|expr| scoped(program, alias, procedure, expr));
            found.extend(predicate.filter(|predicate| !found.contains(predicate)));
        }
    }
    found
}
