//! From what was found to what is said about it.

use std::path::PathBuf;
use std::time::Duration;

use hardbop_alias::Alias;
use hardbop_base::{Budget, Sources, Stop};
use hardbop_instrument::Specification;
use hardbop_ir::{Effect, End, EndKind, ProcId, Program, Statement, Type};
use hardbop_predicate::{Predicate, Scope, show};
use hardbop_report::story::Story;
use hardbop_report::summary::{self, Failure, Known, MayEnd, Member, Place, Shown, Statistics, Summary};
use hardbop_report::{invariants, story};
use hardbop_verdict::{CheckOutcome, Counterexample, Evidence, KnownInvariant, Reason, Verdict};

use crate::frontend::About;

/// Predicates that are listed when refinement does not get on.
const LISTED_PREDICATES: usize = 20;

/// Runs of more steps than this may take too long to tell.
const LONG: u64 = 10_000_000;

/// What was found.
pub(super) struct ReportInput<'a> {
    pub(super) engine: &'static str,
    pub(super) outcome: &'a CheckOutcome,
    /// The predicates of the backward engine.
    pub(super) tracked: Option<&'a [hardbop_wp::Tracked]>,
    pub(super) sources: &'a Sources,
    pub(super) about: &'a About,
    pub(super) budget: &'a Budget,
}

/// The report of a worker that ran into a limit and could not say more.
pub(super) fn stopped(stop: Stop, files: &[PathBuf]) -> Summary {
    Summary {
        verdict: "UNKNOWN",
        property: "no error is reached".to_owned(),
        files: names(files),
        reason: Some(stop.to_string()),
        advice: advice(&Reason::Stopped(stop)),
        ..Summary::default()
    }
}

fn names(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| file.display().to_string()).collect()
}

impl ReportInput<'_> {
    /// What can be said at once.
    pub(super) fn draft(&self, time: Duration) -> Summary {
        let mut summary = self.heading(time);
        match &self.outcome.verdict {
            Verdict::True(evidence) => {
                summary.proof = Some(self.shown(evidence, false));
                summary.warnings.push("there was no time to see whether the verdict is vacuous".to_owned());
            }
            Verdict::False(counterexample) => summary.failure = Some(self.failure(counterexample, None)),
            Verdict::Unknown(_) => {}
        }
        summary
    }

    /// All that there is to say; `warning` is about the proof.
    pub(super) fn summary(&self, time: Duration, with_invariants: bool, warning: Option<String>) -> Summary {
        let (outcome, mut summary) = (self.outcome, self.heading(time));
        match &outcome.verdict {
            Verdict::True(evidence) => {
                summary.proof = Some(self.shown(evidence, with_invariants));
                summary.warnings.extend(warning);
            }
            Verdict::False(counterexample) => {
                summary.failure = Some(self.failure(counterexample, self.story(counterexample).as_ref()));
            }
            Verdict::Unknown(_) => {}
        }
        summary
    }

    fn heading(&self, time: Duration) -> Summary {
        let outcome = self.outcome;
        let slice = outcome.slice.as_ref();
        let mut summary = Summary {
            property: property(&self.about.specification),
            files: names(&self.about.inputs),
            data_model: outcome.program.data_model.name(),
            engine: self.engine,
            predicates: self.predicates(),
            team: outcome.team.iter().map(member).collect(),
            statistics: Statistics {
                iterations: outcome.iterations,
                predicates: self.tracked.map_or(outcome.predicates.len(), <[_]>::len),
                triples: outcome.triples,
                statements: slice.map_or((0, 0), |slice| (slice.statements, slice.all_statements)),
                procedures: slice.map_or((0, 0), |slice| (slice.procedures, slice.all_procedures)),
                seconds: time.as_secs_f64(),
                certificate_seconds: outcome.certifying.as_secs_f64(),
            },
            ..Summary::default()
        };
        let defects = outcome.defects.iter();
        summary.warnings.extend(defects.map(|defect| {
            format!("an engine of hardbop had a defect, and the verdict is that of another: {defect}")
        }));
        // Where it is the reason why there is no verdict, it is said once.
        let is_reason = matches!(outcome.verdict, Verdict::Unknown(Reason::Certificate(_)));
        let refused = outcome.refused.iter().filter(|_| !is_reason);
        summary.warnings.extend(refused.map(|refused| {
            format!("an engine of hardbop found what its certificate refused, which is a defect: {refused}")
        }));
        summary.verdict = match &outcome.verdict {
            Verdict::True(_) => "TRUE",
            Verdict::False(_) => "FALSE",
            Verdict::Unknown(reason) => {
                summary.reason = Some(self.reason(reason));
                summary.advice = advice(reason);
                "UNKNOWN"
            }
        };
        summary
    }

    fn story(&self, counterexample: &Counterexample) -> Option<Story> {
        let (program, run) = (&self.outcome.program, &counterexample.run);
        // Without a limit: the run is known to end, and the verdict stands. Only if it is very long, the verdict
        // is given without its story when the time is up.
        let budget = if run.steps > LONG { self.budget.clone() } else { Budget::unlimited() };
        story::tell(program, self.sources, run, &budget)
    }

    fn failure(&self, counterexample: &Counterexample, story: Option<&Story>) -> Failure {
        let (program, run) = (&self.outcome.program, &counterexample.run);
        Failure {
            what: run.outcome.describe(program),
            location: run.outcome.site().map(|site| Place::of(program, site.span)),
            steps: run.steps,
            inputs: summary::inputs(program, run),
            trace: story.map(|story| summary::events(story, self.sources)).unwrap_or_default(),
            assumptions: summary::run_assumptions(program, run),
            story: story.map(|story| story.text(self.sources)).unwrap_or_default(),
        }
    }

    fn shown(&self, evidence: &Evidence, with_invariants: bool) -> Shown {
        let program = &self.outcome.program;
        let ends = hardbop_ir::ends(program);
        let mut shown = Shown { assumptions: assumptions(program, &ends, self.budget), ..Shown::default() };
        shown.ends = ends.iter().map(|end| may_end(program, end)).collect();
        let has_error = |statement: &Statement| matches!(statement, Statement::Error(_));
        let errors = program.procedures.values().flat_map(|p| p.edges.values());
        let trivial = !errors.into_iter().any(|edge| has_error(&edge.statement));
        shown.method = match evidence {
            _ if trivial => "no run reaches an error: there is none in the program".to_owned(),
            Evidence::Unrolled(..) => {
                "no run reaches an error: all runs are bounded, and all were checked".to_owned()
            }
            Evidence::Invariants(_) | Evidence::Backward(_) => "no run reaches an error".to_owned(),
        };
        match evidence {
            Evidence::Invariants(proof) if with_invariants => {
                shown.invariants = invariants::invariants(program, proof);
            }
            Evidence::Backward(found) if with_invariants => {
                shown.invariants = found.invariants.iter().map(|known| self.known(known)).collect();
            }
            _ => {}
        }
        shown
    }

    fn known(&self, known: &KnownInvariant) -> Known {
        let program = &self.outcome.program;
        Known {
            kind: if known.is_loop { "loop" } else { "summary" },
            function: program.procedures[known.procedure].name.clone(),
            location: Place::of(program, known.span),
            invariant: known.text.clone(),
        }
    }

    /// The predicates in use at the end, each with the procedure whose locals it mentions.
    fn predicates(&self) -> Vec<String> {
        let program = &self.outcome.program;
        let in_procedure = |p: ProcId, text: &str| format!("{}: {text}", program.procedures[p].name);
        match self.tracked {
            Some(tracked) => tracked.iter().map(|p| in_procedure(p.procedure, &p.text)).collect(),
            None => {
                let shown = |predicate: &Predicate| match predicate.scope {
                    Scope::Global => show(program, predicate.expr),
                    Scope::Procedure(p) => in_procedure(p, &show(program, predicate.expr)),
                };
                self.outcome.predicates.iter().map(shown).collect()
            }
        }
    }

    fn reason(&self, reason: &Reason) -> String {
        let mut text = reason.to_string();
        if let Reason::NoProgress(_) = reason {
            let program = &self.outcome.program;
            let predicates = self.outcome.predicates.iter().rev().take(LISTED_PREDICATES);
            for predicate in predicates {
                text += &format!("\n  in use: {}", show(program, predicate.expr));
            }
        }
        text
    }
}

fn member(member: &hardbop_verdict::Member) -> Member {
    Member { engine: member.engine, begins: member.begins, did: member.did.text() }
}

/// What must not happen, in words.
fn property(specification: &Specification) -> String {
    let mut parts: Vec<String> = Vec::new();
    let quoted =
        |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
    if !specification.functions.is_empty() {
        parts.push(format!("no call of {}", quoted(&specification.functions)));
    }
    if specification.assertions {
        parts.push("no failing assertion".to_owned());
    }
    if !specification.labels.is_empty() {
        parts.push(format!("label {} not reached", quoted(&specification.labels)));
    }
    format!("from `{}` on: {}", specification.entry, parts.join(", "))
}

/// What a proof takes for granted: what was written down when the program was read, and what always is.
fn assumptions(program: &Program, ends: &[End], budget: &Budget) -> Vec<String> {
    let mut all: Vec<String> = program.assumptions.iter().map(|assumption| assumption.text.clone()).collect();
    all.extend(outside(program, budget));
    let has = |is: fn(&Type) -> bool| program.types().values().any(is);
    if has(|ty| matches!(ty, Type::Machine { .. })) {
        all.push("signed arithmetic wraps, and operands are evaluated in the order of gcc -O0".to_owned());
    }
    if !ends.is_empty() {
        all.push(format!("a run ends where C leaves open what happens, if it does at {}", counted(ends)));
    }
    if has(|ty| matches!(ty, Type::Pointer(_))) {
        all.push(
            "addresses are not made up: that of an object is only computed from an address of it".to_owned(),
        );
    }
    all
}

/// What functions outside of the program do that pointers may lead to.
fn outside(program: &Program, budget: &Budget) -> Option<String> {
    let outside = program.outside()?;
    // If the time is up, it is said in vain rather than not at all.
    if Alias::of(program, budget).is_ok_and(|alias| alias.calls().callers(outside).is_empty()) {
        return None;
    }
    let what = match program.procedures[outside].external {
        Some(Effect::Pure | Effect::Computes) => "return anything and change nothing",
        _ => "return anything, change all they can reach, and call no function of the program",
    };
    Some(format!("functions outside of the program that are called through pointers {what}"))
}

/// How many places of each kind there are.
fn counted(ends: &[End]) -> String {
    let mut kinds: Vec<EndKind> = ends.iter().map(|end| end.kind).collect();
    kinds.sort_unstable();
    let groups = kinds.chunk_by(|a, b| a == b).map(|group| group[0].counted(group.len()));
    groups.collect::<Vec<_>>().join(", ")
}

fn may_end(program: &Program, end: &End) -> MayEnd {
    let function = program.procedures[end.procedure].name.clone();
    MayEnd { kind: end.kind.name(), function, location: Place::of(program, end.span) }
}

/// What to try.
fn advice(reason: &Reason) -> Vec<String> {
    let advice: &[&str] = match reason {
        Reason::Stopped(Stop::Time) => &[
            "a longer --timeout",
            "--save-predicates FILE, then --predicates FILE, to go on from where it stopped",
        ],
        Reason::Stopped(Stop::Memory) => &["a larger --memory"],
        Reason::Stopped(Stop::Interrupt) => &[],
        Reason::Unsupported(_) => &["a definition of what is unsupported, if it does not matter"],
        Reason::NoProgress(_) => {
            &["--predicates FILE with the relation that is missing, such as `proc main: i <= n;`"]
        }
        Reason::Checker(_) => &["a larger --memory, or fewer predicates"],
        Reason::Solver(_) => &["--predicates FILE with simpler relations"],
        Reason::NotReplayed(_) => &["`hardbop run` with inputs of your own"],
        Reason::Shift(_) => &["an assumption before the shift, or a mask: `x << (n & 31)`"],
        Reason::Certificate(_) => &["to report this: it is a defect of hardbop, and no verdict came of it"],
        Reason::Unfit(_) => &["--engine slam"],
        #[allow(unreachable_patterns, reason = "reasons are added with the engines")]
        _ => &[],
    };
    advice.iter().map(|&advice| advice.to_owned()).collect()
}
