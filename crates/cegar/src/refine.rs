//! The loop itself.

use hardbop_abstraction::{Abstraction, Abstractor, finite_predicates};
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_bp::{Flow, Goal, Trace, VarId};
use hardbop_certify::proof::{self, Proof, Rejection};
use hardbop_certify::replay::replay;
use hardbop_ir::{EdgeId, ProcId, Program, Statement};
use hardbop_path::{Haunting, Path, PathVerdict, analyse, haunt, is_ghost, lay};
use hardbop_predicate::{Predicate, Scope};
use hardbop_predicate::{places, variables};
use hardbop_reach::{Answer, Invariant, Reason as Gave, bdd};
use hardbop_semantics::{Encoder, Guide, Subject};
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
    let mut predicates = finite_predicates(&mut outcome.program, alias);
    predicates.append(&mut outcome.predicates);
    let regions = Regions::of(&outcome.program, alias, &places(&outcome.program, &predicates), budget)?;
    let mut search = Search {
        alias,
        slice,
        options,
        budget,
        diverges,
        progress,
        regions,
        start: predicates.clone(),
        lessons: Lessons::new(&outcome.program, predicates),
        abstractor: Abstractor::new(options.abstraction, budget.clone()),
        hauntings: Vec::new(),
        statements: 0,
        has_guessed: false,
        outcome,
    };
    let found = search.refine();
    if !matches!(found, Ok(Verdict::True(_))) {
        search.lay_all();
    }
    found
}

/// The loop, and what it has learnt so far.
struct Search<'a> {
    outcome: &'a mut Outcome,
    alias: &'a Alias,
    slice: &'a Slice,
    options: &'a Options,
    budget: &'a Budget,
    diverges: &'a dyn Fn(),
    progress: &'a mut dyn FnMut(Progress<'_>),
    regions: Regions,
    /// The predicates at the start.
    start: Vec<Predicate>,
    lessons: Lessons,
    abstractor: Abstractor,
    hauntings: Vec<Haunting>,
    /// Statements of the last boolean program.
    statements: usize,
    has_guessed: bool,
}

/// A boolean program, twice.
struct Abstracted {
    abstraction: Abstraction,
    flow: Flow,
}

/// What the checker says.
enum Checked {
    Safe(Invariant),
    Error(Trace),
}

impl Search<'_> {
    /// The loop.
    fn refine(&mut self) -> Result<Verdict, Reason> {
        loop {
            let abstracted = self.abstracted()?;
            let trace = match self.checked(&abstracted)? {
                Checked::Safe(invariant) => return self.proved(&abstracted, &invariant),
                Checked::Error(trace) => trace,
            };
            let (path, end) = self.path(&abstracted, &trace)?;
            match analyse(&mut self.outcome.program, self.alias, &self.regions, &path, self.budget)? {
                PathVerdict::Feasible(guide) => return self.replayed(*guide, end),
                PathVerdict::Unknown(reason) => return Err(Reason::Solver(reason)),
                PathVerdict::Infeasible { proposals, core } => {
                    let lesson = self.learn(&abstracted, &trace, (&path, &core), &proposals)?;
                    if let Some(verdict) = self.answer(lesson)? {
                        return Ok(verdict);
                    }
                }
            }
        }
    }

    fn say(&mut self, doing: &str) {
        let (iteration, predicates) = (self.outcome.iterations, self.lessons.predicates.len());
        (self.progress)(Progress { iteration, predicates, statements: self.statements, doing });
    }

    /// The next boolean program.
    fn abstracted(&mut self) -> Result<Abstracted, Reason> {
        if self.outcome.iterations >= self.options.max_iterations {
            return Err(Reason::NoProgress("too many refinements".to_owned()));
        }
        self.outcome.iterations += 1;
        self.say("abstracting");
        let subject = Subject { program: &self.outcome.program, alias: self.alias, regions: &self.regions };
        let abstraction = self.abstractor.run(subject, &self.lessons.predicates)?;
        self.outcome.predicates.clone_from(&self.lessons.predicates);
        self.statements = abstraction.back.origins.len();
        let flow = hardbop_bp::resolve(&abstraction.program)
            .map_err(|_| Reason::Certificate("the boolean program is malformed".to_owned()))?;
        Ok(Abstracted { abstraction, flow })
    }

    fn checked(&mut self, abstracted: &Abstracted) -> Result<Checked, Reason> {
        self.say("checking");
        let reach = bdd::Options { trace: true, invariants: true, ..bdd::Options::default() };
        let report = bdd::check(&abstracted.flow, &Goal::Assertion, &reach, self.budget);
        match report.answer {
            Answer::Unreachable => Ok(Checked::Safe(report.invariant.unwrap_or_default())),
            Answer::Reachable(Some(trace)) => Ok(Checked::Error(trace)),
            Answer::Reachable(None) => Err(Reason::Checker("there is no trace".to_owned())),
            Answer::Unknown(reason) => Err(gave_up(reason)),
        }
    }

    /// The verdict TRUE, if its proof is accepted.
    fn proved(&mut self, abstracted: &Abstracted, invariant: &Invariant) -> Result<Verdict, Reason> {
        self.say("certifying");
        let subject = Subject { program: &self.outcome.program, alias: self.alias, regions: &self.regions };
        let predicates = &self.lessons.predicates;
        let (proof, triples) =
            certified(subject, self.slice, predicates, abstracted, invariant, self.budget)?;
        self.outcome.triples = triples;
        Ok(Verdict::True(Evidence::Invariants(Box::new(proof))))
    }

    /// The path that a trace stands for, and the edge at its end.
    fn path(&mut self, abstracted: &Abstracted, trace: &Trace) -> Result<(Path, (ProcId, EdgeId)), Reason> {
        self.say("trying the path");
        let Abstracted { abstraction: Abstraction { back, .. }, flow } = abstracted;
        path_of(back.entry, flow, back, trace, &self.hauntings)
            .ok_or_else(|| Reason::Certificate("a trace stands for no path".to_owned()))
    }

    /// The verdict FALSE, if the run is one of the whole program.
    fn replayed(&mut self, mut guide: Guide, (procedure, edge): (ProcId, EdgeId)) -> Result<Verdict, Reason> {
        let last = &self.outcome.program.procedures[procedure].edges[edge].statement;
        if let Statement::Unsupported(what) = last {
            return Err(Reason::Unsupported(what.clone()));
        }
        self.lay_all();
        let whole = self.slice.whole(&self.outcome.program);
        replay(&whole, &mut guide, self.budget)
            .map(failed)
            .map_err(|end| stopped(self.budget).unwrap_or_else(|| Reason::NotReplayed(end.describe(&whole))))
    }

    /// Learns from a path that cannot be run.
    fn learn(
        &mut self,
        abstracted: &Abstracted,
        trace: &Trace,
        (path, core): (&Path, &[usize]),
        proposals: &[Predicate],
    ) -> Result<Lesson, Reason> {
        let (alias, regions, budget) = (self.alias, &self.regions, self.budget);
        let (program, abstractor) = (&mut self.outcome.program, &mut self.abstractor);
        let impossible = Impossible { program, alias, regions, path, core, budget };
        self.lessons.learn(impossible, proposals, &mut |program, predicates| {
            let subject = Subject { program, alias, regions };
            let Abstracted { abstraction, flow } = abstracted;
            Ok(abstractor.strengthen(subject, predicates, abstraction, (flow, trace))? > 0)
        })
    }

    /// What follows from a lesson: invariants are guessed when it is hard, and ghosts become part of the program.
    fn answer(&mut self, lesson: Lesson) -> Result<Option<Verdict>, Reason> {
        let hard = matches!(lesson, Lesson::Growing) || self.outcome.iterations == PATIENCE;
        if hard {
            (self.diverges)();
        }
        if hard && self.options.guess && !std::mem::replace(&mut self.has_guessed, true) {
            let is_plain = self.hauntings.is_empty();
            match guessed(self.outcome, self.alias, &self.regions, self.slice, is_plain, self.budget)? {
                Guessed::Proof(verdict) => return Ok(Some(verdict)),
                Guessed::Nothing => {}
                Guessed::Predicates(proposals) => {
                    // What was learnt from paths is in the way of an invariant, and comes back if need be.
                    let predicates = [&self.start[..], &proposals[..]].concat();
                    self.lessons = Lessons::new(&self.outcome.program, predicates);
                }
            }
        }
        if let Lesson::Haunted(ghosts) = lesson {
            self.hauntings.extend(ghosts.iter().map(|ghost| haunt(&mut self.outcome.program, ghost)));
            self.abstractor = Abstractor::new(self.options.abstraction, self.budget.clone());
        }
        Ok(None)
    }

    /// Takes the code of all ghosts out of the program, and what is said of them.
    fn lay_all(&mut self) {
        if self.hauntings.is_empty() {
            return;
        }
        while let Some(haunting) = self.hauntings.pop() {
            lay(&mut self.outcome.program, &haunting);
        }
        let program = &self.outcome.program;
        let is_haunted = |p: &Predicate| variables(program, p.expr).iter().any(|&var| is_ghost(program, var));
        self.outcome.predicates.retain(|predicate| !is_haunted(predicate));
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
    Abstracted { abstraction: Abstraction { back, .. }, flow }: &Abstracted,
    invariant: &Invariant,
    budget: &Budget,
) -> Result<(Proof, usize), Reason> {
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
