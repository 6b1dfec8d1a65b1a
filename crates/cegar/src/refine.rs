//! The loop itself.

use hardbop_abstraction::{Abstraction, Abstractor};
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_bp::{Flow, Goal, Trace};
use hardbop_certify::proof::{self, Proof, Rejection};
use hardbop_certify::replay::replay;
use hardbop_ir::{EdgeId, ProcId, Program, Statement};
use hardbop_path::{Path, PathVerdict, analyse};
use hardbop_predicate::{Ghost, Predicate, instrument_ghosts, places, variables};
use hardbop_reach::{Answer, Invariant, Reason as ReachReason, bdd};
use hardbop_semantics::{Encoder, Guide, Subject};
use hardbop_slice::{Ground, Slice};
use hardbop_solver::certifiers;
use hardbop_verdict::{CheckOutcome, Evidence, Progress, Reason, Verdict, failed, stopped};

use crate::RefinementOptions;
use crate::dormant::{Dormant, asked_by_property};
use crate::evidence::{self, Extent};
use crate::guess::guess;
use crate::learn::{Impossible, Lesson, Lessons};
use crate::opaque::Opaque;
use crate::trace::path_of;

/// Refinements after which loops are leaped, whether they seem to be the trouble or not.
const LEAP_AFTER: usize = 4;

/// Refines until there is a verdict about the whole program, of which a slice is looked at. What is learnt about the slice is
/// expressions in an overlay of it; `diverges` is called when loops seem to be the trouble.
pub fn search(
    outcome: &mut CheckOutcome,
    Ground { whole, alias, slice }: Ground<'_>,
    options: &RefinementOptions,
    budget: &Budget,
    diverges: &dyn Fn(),
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Verdict, Reason> {
    let program = slice.program.overlay();
    let mut dormant = Dormant::of(&program, alias);
    let asked = asked_by_property(&program, alias);
    let mut predicates = dormant.wake(asked.iter().copied());
    predicates.append(&mut outcome.predicates);
    let regions = Regions::of(&program, alias, &places(&program, &predicates), budget)?;
    let mut opaque = Opaque::of((whole, &program), alias);
    opaque.open_feeding(Subject { program: &program, alias, regions: &regions }, &asked);
    opaque.open_small(&program);
    let mut search = Search {
        whole,
        alias,
        slice,
        options,
        budget,
        diverges,
        progress,
        regions,
        start: predicates.clone(),
        lessons: Lessons::new(&program, predicates, dormant),
        opaque,
        abstractor: Abstractor::new(options.abstraction, budget.clone()),
        program,
        ghosts: Vec::new(),
        statements: 0,
        has_guessed: false,
        outcome,
    };
    let found = search.refine();
    search.finish(found)
}

/// The loop, and what it has learnt so far.
struct Search<'a> {
    outcome: &'a mut CheckOutcome,
    whole: &'a Program,
    alias: &'a Alias,
    slice: &'a Slice,
    options: &'a RefinementOptions,
    budget: &'a Budget,
    diverges: &'a dyn Fn(),
    progress: &'a mut dyn FnMut(Progress<'_>),
    /// The slice with the expressions of predicates, and with ghosts.
    program: Program,
    ghosts: Vec<Ghost>,
    regions: Regions,
    /// The predicates at the start.
    start: Vec<Predicate>,
    lessons: Lessons,
    /// What is not looked into yet.
    opaque: Opaque,
    abstractor: Abstractor,
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
            match analyse(self.subject(), &path, self.budget)? {
                PathVerdict::Feasible(_) if self.opens(&path) => {}
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

    fn subject(&self) -> Subject<'_> {
        Subject { program: &self.program, alias: self.alias, regions: &self.regions }
    }

    /// Whether a path that seems to be possible is one as far as nobody looks; then somebody does from now on.
    fn opens(&mut self, path: &Path) -> bool {
        let subject = Subject { program: &self.program, alias: self.alias, regions: &self.regions };
        self.opaque.open_on(subject, path)
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
        let read = places(&self.program, &self.lessons.predicates);
        self.regions.remember(&self.program, self.alias, &read);
        let subject = Subject { program: &self.program, alias: self.alias, regions: &self.regions };
        self.opaque.open_changing(subject, &self.lessons.predicates);
        self.abstractor.set_opaque(&self.opaque.procedures);
        let abstraction = self.abstractor.run(subject, &self.lessons.predicates)?;
        self.outcome.predicates.clone_from(&self.lessons.predicates);
        self.statements = abstraction.back.statements();
        let flow = hardbop_bp::resolve(&abstraction.program)
            .map_err(|_| Reason::Certificate("the boolean program is malformed".to_owned()))?;
        Ok(Abstracted { abstraction, flow })
    }

    fn checked(&mut self, abstracted: &Abstracted) -> Result<Checked, Reason> {
        self.say("checking");
        let reach = bdd::BddOptions { trace: true, ..bdd::BddOptions::default() };
        let report = bdd::check(&abstracted.flow, &Goal::Assertion, &reach, self.budget);
        match report.answer {
            // All that can be reached takes more to find, and is wanted only once.
            Answer::Unreachable => {
                let all = bdd::BddOptions { invariants: true, ..reach };
                let report = bdd::check(&abstracted.flow, &Goal::Assertion, &all, self.budget);
                match report.answer {
                    Answer::Unreachable => Ok(Checked::Safe(report.invariant.unwrap_or_default())),
                    Answer::Unknown(reason) => Err(gave_up(reason)),
                    Answer::Reachable(_) => Err(Reason::Checker("the checker contradicts itself".to_owned())),
                }
            }
            Answer::Reachable(Some(trace)) => Ok(Checked::Error(trace)),
            Answer::Reachable(None) => Err(Reason::Checker("there is no trace".to_owned())),
            Answer::Unknown(reason) => Err(gave_up(reason)),
        }
    }

    /// The verdict TRUE, if its proof is accepted.
    fn proved(&mut self, abstracted: &Abstracted, invariant: &Invariant) -> Result<Verdict, Reason> {
        self.say("certifying");
        let subject = Subject { program: &self.program, alias: self.alias, regions: &self.regions };
        let Abstracted { abstraction: Abstraction { back, .. }, flow } = abstracted;
        let proof_of = |extent| {
            let predicates = &self.lessons.predicates;
            let ghosts = &self.ghosts;
            let (claims, flow) = ((&ghosts[..], &predicates[..]), (flow, back));
            let mut proof = evidence::proof(subject, claims, flow, invariant, extent, self.budget)?;
            self.opaque.add_to(&mut proof, subject.program);
            Ok(proof)
        };
        // A proof without what seems not to matter is small; it may be too small.
        let [small, medium, thorough] =
            [Extent::Small, Extent::Medium, Extent::Thorough].map(|extent| move || proof_of(extent));
        let (proof, triples) = self.confirmed(&[&small, &medium, &thorough])?;
        self.outcome.triples = triples;
        Ok(Verdict::True(Evidence::Invariants(Box::new(proof))))
    }

    /// The path that a trace stands for, and the edge at its end.
    fn path(&mut self, abstracted: &Abstracted, trace: &Trace) -> Result<(Path, (ProcId, EdgeId)), Reason> {
        self.say("trying the path");
        let Abstracted { abstraction: Abstraction { back, .. }, flow } = abstracted;
        path_of(back.entry, flow, back, trace, self.whole)
            .ok_or_else(|| Reason::Certificate("a trace stands for no path".to_owned()))
    }

    /// The verdict FALSE, if the run is one of the whole program.
    fn replayed(&mut self, mut guide: Guide, (procedure, edge): (ProcId, EdgeId)) -> Result<Verdict, Reason> {
        let last = &self.program.procedures[procedure].edges[edge].statement;
        if let Statement::Unsupported(what) = last {
            return Err(Reason::Unsupported(what.clone()));
        }
        replay(self.whole, &mut guide, self.budget).map(failed).map_err(|end| {
            let why = || Reason::NotReplayed(format!("{}{}", end.describe(self.whole), self.unfollowed()));
            stopped(self.budget).unwrap_or_else(why)
        })
    }

    /// The globals of whose initial contents nothing is known, which runs may differ in.
    fn unfollowed(&self) -> String {
        let subject = Subject { program: &self.program, alias: self.alias, regions: &self.regions };
        let unfollowed = Encoder::default().on(subject).unfollowed();
        let names: Vec<String> =
            unfollowed.iter().map(|&var| format!("`{}`", self.program.variables[var].name)).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("; more initial values than are followed: {}", names.join(", ")),
        }
    }

    /// Learns from a path that cannot be run.
    fn learn(
        &mut self,
        abstracted: &Abstracted,
        trace: &Trace,
        (path, core): (&Path, &[usize]),
        proposals: &[Predicate],
    ) -> Result<Lesson, Reason> {
        let subject = Subject { program: &self.program, alias: self.alias, regions: &self.regions };
        let Abstracted { abstraction, flow } = abstracted;
        let abstractor = &mut self.abstractor;
        let strengthen = &mut |predicates: &[Predicate]| {
            Ok(abstractor.strengthen(subject, predicates, abstraction, (flow, trace))? > 0)
        };
        self.lessons.learn(Impossible { subject, path, core, proposals, strengthen, budget: self.budget })
    }

    /// Whether so many paths had to be explained by more than what was known of variables from the start.
    fn is_impatient(&self) -> bool {
        !self.has_guessed
            && self.outcome.iterations >= LEAP_AFTER + self.lessons.wakings + self.opaque.openings
    }

    /// What follows from a lesson: invariants are guessed when it is hard, and ghosts become part of the program.
    fn answer(&mut self, lesson: Lesson) -> Result<Option<Verdict>, Reason> {
        let is_stuck = matches!(lesson, Lesson::Nothing);
        let hard = is_stuck || matches!(lesson, Lesson::Growing) || self.is_impatient();
        if hard {
            (self.diverges)();
        }
        let mut is_new = !is_stuck;
        if hard && self.options.guess && !std::mem::replace(&mut self.has_guessed, true) {
            match self.guessed()? {
                Guessed::Proof(verdict) => return Ok(Some(verdict)),
                Guessed::Nothing => {}
                Guessed::Predicates(proposals) => {
                    // What was learnt from paths is in the way of an invariant, and comes back if need be.
                    let predicates = [&self.start[..], &proposals[..]].concat();
                    self.lessons.restart(&self.program, predicates);
                    is_new = true;
                }
            }
        }
        if !is_new {
            let nothing = "an impossible trace gives no new predicates";
            return Err(Reason::NoProgress(nothing.to_owned()));
        }
        if let Lesson::Remembers(found) = lesson {
            self.ghosts.extend(found.ghosts);
            self.program = found.program;
            self.abstractor = Abstractor::new(self.options.abstraction, self.budget.clone());
        }
        Ok(None)
    }

    /// Guesses invariants, and tries whether they are a proof, unless the program has ghosts.
    fn guessed(&mut self) -> Result<Guessed, Stop> {
        let guess = guess(self.subject(), self.budget)?;
        if self.ghosts.is_empty()
            && let Some(proof) = guess.proof(&self.program, self.alias)
            && let Ok((proof, triples)) = self.confirmed(&[&|| Ok(proof.clone())])
        {
            self.outcome.triples = triples;
            self.outcome.predicates.clone_from(&proof.predicates);
            return Ok(Guessed::Proof(Verdict::True(Evidence::Invariants(Box::new(proof)))));
        }
        let proposals = guess.predicates(&self.program, self.alias);
        Ok(if proposals.is_empty() { Guessed::Nothing } else { Guessed::Predicates(proposals) })
    }

    /// The first of some proofs of the slice that is not wrong, checked on the whole program, by a solver that the
    /// abstraction did not use.
    fn confirmed(&self, proofs: &[&dyn Fn() -> Result<Proof, Stop>]) -> Result<(Proof, usize), Reason> {
        let _alone = self.budget.go_alone();
        let program = &self.loaded()?;
        let mut refused = Reason::Certificate("there is no proof".to_owned());
        for (i, proof) in proofs.iter().enumerate() {
            let mut proof = proof()?;
            let places = places(&self.program, &proof.predicates);
            let regions = &Regions::of(program, self.alias, &places, self.budget)?;
            let subject = Subject { program, alias: self.alias, regions };
            evidence::add_unneeded(&mut proof, subject, &self.slice.unneeded);
            // What is left out of the slice is not needed, unless the slice is wrong.
            if i == 0 || i + 1 < proofs.len() {
                proof.unused = evidence::left_out(self.whole, &self.slice.program);
            }
            let solvers = || certifiers(program.uses_integers(), self.budget);
            match proof::check_by_two(subject, &proof, &solvers, self.budget) {
                Ok(checked) => return Ok((proof, checked.triples)),
                Err(rejection @ (Rejection::Wrong(_) | Rejection::Open(_))) => refused = rejection.into(),
                Err(rejection) => return Err(rejection.into()),
            }
        }
        Err(refused)
    }

    /// The whole program, with the expressions that were added to its slice.
    fn loaded(&self) -> Result<Program, Reason> {
        let other = || Reason::Certificate("the slice is not one of the program".to_owned());
        self.whole.with_expressions_of(&self.program).ok_or_else(other)
    }

    /// Leaves the program to the report with the expressions of predicates, and with the ghosts of a proof.
    fn finish(self, found: Result<Verdict, Reason>) -> Result<Verdict, Reason> {
        let loaded = self.loaded()?;
        if !self.ghosts.is_empty() && matches!(found, Ok(Verdict::True(_))) {
            let fault = |fault| Reason::Certificate(format!("a ghost cannot be added: {fault}"));
            self.outcome.program = instrument_ghosts(&loaded, &self.ghosts).map_err(fault)?;
            return found;
        }
        let is_there = |p: &Predicate| {
            variables(&self.program, p.expr).iter().all(|&var| self.whole.variables.get(var).is_some())
        };
        self.outcome.predicates.retain(is_there);
        self.outcome.program = loaded;
        found
    }
}

/// What guessed invariants are good for.
enum Guessed {
    Proof(Verdict),
    Predicates(Vec<Predicate>),
    Nothing,
}

pub(crate) fn gave_up(reason: ReachReason) -> Reason {
    match reason {
        ReachReason::Stopped(stop) => Reason::Stopped(stop),
        ReachReason::Nodes(nodes) => {
            Reason::Checker(format!("the boolean program needs more than {nodes} nodes"))
        }
        ReachReason::States(states) => {
            Reason::Checker(format!("the boolean program has more than {states} states"))
        }
        ReachReason::Defect(text) => Reason::Certificate(text),
        ReachReason::Unsupported(text) => Reason::Checker(text),
    }
}
