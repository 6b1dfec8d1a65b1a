//! Proofs of random programs are accepted when they are read back from their text, and changed ones are refused unless
//! they hold all the same: the other solver must not refuse what was accepted, no run may break an invariant that was
//! accepted, and a list of inputs that was accepted leads the interpreter to the error.
//!
//! `HARDBOP_RANDOM=20` makes more than 1,000 proofs, in about ten minutes.

mod mutate;
mod programs;

use std::collections::BTreeMap;

use hardbop_base::{Budget, DataModel, FileId, Sources};
use hardbop_hunt::clock::within;
use hardbop_hunt::invariants::compare;
use hardbop_ir::interpret::{Interpreter, ListInputs, Outcome};
use hardbop_ir::testing::Random;
use hardbop_ir::{Effect, Program};
use hardbop_portfolio::PortfolioOptions;
use hardbop_proof::{Evidence, Header, Judgement, Kind, RunInputs, Shown, fingerprint, judge, open, print};
use hardbop_solver::{Blaster, Solver};
use hardbop_verdict::{Evidence as FoundEvidence, Verdict};

/// Proofs of one round.
const PROOFS: u64 = 55;

/// Mutations of each.
const MUTATIONS: usize = 2;

/// Seconds for a verdict.
const SEARCH_SECONDS: f64 = 0.5;

/// Seconds for a judgement.
const SECONDS: f64 = 3.0;

fn rounds() -> u64 {
    std::env::var("HARDBOP_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn lowered(text: &str) -> Program {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    let options = hardbop_lower::LowerOptions { externals: Effect::Pure, ..Default::default() };
    hardbop_lower::lower(&mut sources, vec![unit], &options).unwrap()
}

fn header(kind: Kind, program: &Program) -> Header {
    let program = fingerprint(program);
    Header { kind, producer: "test".to_owned(), inputs: Vec::new(), options: Vec::new(), program }
}

/// The proof of a program as text, by one of the engines; nothing without a verdict.
fn proof_of(text: &str, engine: u64) -> Option<String> {
    let loaded = lowered(text);
    let outcome = within(SEARCH_SECONDS, |budget| match engine {
        0 => hardbop_wp::check(&loaded, &[], &Default::default(), budget, &mut |_| {}).outcome,
        _ => {
            let options = PortfolioOptions { probes: 4, unroll: engine != 1, ..PortfolioOptions::default() };
            hardbop_portfolio::check(&loaded, &[], &options, budget, &mut |_| {})
        }
    });
    let run;
    let shown = match &outcome.verdict {
        Verdict::True(FoundEvidence::Invariants(proof)) => Shown::Invariants(proof),
        Verdict::True(FoundEvidence::Backward(evidence)) => Shown::Backward(&evidence.proof),
        Verdict::True(FoundEvidence::Unrolled(..)) => Shown::Unrolled(steps(&loaded)?),
        Verdict::False(counterexample) => {
            run = RunInputs::of(&counterexample.run)?;
            Shown::Run(&run)
        }
        Verdict::Unknown(_) => return None,
    };
    let header = header(shown.kind(), &loaded);
    Some(print(&header, &loaded, &outcome.program, shown, &Budget::unlimited()).unwrap())
}

/// The steps of execution that show that all runs end: the least bound that is accepted.
fn steps(program: &Program) -> Option<u64> {
    let Judgement::Accepted(work) = judged([program; 2], &mut Evidence::Unrolled(1_000_000)) else {
        return None;
    };
    work.split(' ').next()?.parse().ok()
}

/// What is said of evidence about a program, and that program with the expressions of the evidence.
fn judged([loaded, found]: [&Program; 2], evidence: &mut Evidence) -> Judgement {
    within(SECONDS, |budget| judge(loaded, found, evidence, None, budget))
}

/// What the other solver says.
fn judged_otherwise([loaded, found]: [&Program; 2], evidence: &mut Evidence) -> Judgement {
    within(SECONDS, |budget| {
        let blaster = || vec![Box::new(Blaster::new(budget)) as Box<dyn Solver>];
        judge(loaded, found, evidence, Some(&blaster), budget)
    })
}

/// Reads a proof for a program that is lowered once more.
fn read(text: &str, proof: &str) -> ([Program; 2], Evidence) {
    let program = lowered(text);
    let opened = open(FileId::from_usize(0), proof).unwrap_or_else(|e| panic!("{e:?}\n{text}\n{proof}"));
    assert_eq!(opened.header.program, fingerprint(&program));
    let evidence = opened.evidence(&program, &Budget::unlimited());
    let (found, evidence) = evidence.unwrap_or_else(|e| panic!("{e:?}\n{text}\n{proof}"));
    ([program, found], evidence)
}

#[derive(Default)]
struct Counts(BTreeMap<String, u64>);

impl Counts {
    fn add(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    fn get(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "the counts are what the test is run for")]
fn changed_proofs_are_refused_unless_they_hold() {
    let mut counts = Counts::default();
    let mut random = Random::new(14);
    let mut seed = 0;
    while counts.get("proofs") < PROOFS * rounds() {
        seed += 1;
        assert!(seed < 10 * PROOFS * rounds(), "too few programs are decided");
        let text = programs::program(&mut random);
        let Some(proof) = proof_of(&text, seed % 4) else {
            counts.add("programs without a verdict");
            continue;
        };
        accepted(&text, &proof, &mut counts);
        for _ in 0..MUTATIONS {
            mutated(&text, &proof, &mut random, &mut counts);
        }
    }
    for (what, count) in &counts.0 {
        eprintln!("{count:6} {what}");
    }
    for kind in ["invariants", "backward", "unrolled", "run"] {
        assert!(counts.get(&format!("proofs: {kind}")) > 1, "too few proofs are of the kind {kind}");
    }
    let (held, refused) = (counts.get("mutations that hold"), counts.get("mutations refused"));
    assert!(refused > held, "{refused} refused, {held} accepted");
}

/// A proof is accepted, and printing it again gives the same text.
fn accepted(text: &str, proof: &str, counts: &mut Counts) {
    let (programs, mut evidence) = read(text, proof);
    let kind = evidence.kind();
    match judged(programs.each_ref(), &mut evidence) {
        Judgement::Accepted(_) => {}
        Judgement::Stopped(_) => return counts.add("proofs without a judgement"),
        other => panic!("{other:?}\n{text}\n{proof}"),
    }
    let mut again = printed(&programs, &evidence);
    let mut before = proof.to_owned();
    if kind == Kind::Backward {
        // Operands are in the order in which terms were made.
        let (programs, evidence) = read(text, &again);
        before = std::mem::replace(&mut again, printed(&programs, &evidence));
    }
    assert_eq!(again, before, "{text}");
    counts.add("proofs");
    counts.add(format!("proofs: {}", kind.name()));
    if kind == Kind::Run {
        // Nobody may be talked into TRUE here.
        let judgement = judged(programs.each_ref(), &mut Evidence::Unrolled(10_000));
        assert!(!matches!(judgement, Judgement::Accepted(_)), "{text}");
    }
}

fn printed([loaded, found]: &[Program; 2], evidence: &Evidence) -> String {
    let header = header(evidence.kind(), loaded);
    print(&header, loaded, found, evidence.shown(), &Budget::unlimited()).unwrap()
}

fn mutated(text: &str, proof: &str, random: &mut Random, counts: &mut Counts) {
    let (programs, mut evidence) = read(text, proof);
    let Some(name) = mutate::mutate(&programs[1], &mut evidence, random) else {
        return counts.add("mutations: nothing to change");
    };
    let changed = printed(&programs, &evidence);
    if changed == proof {
        return counts.add("mutations: nothing changes");
    }
    // A relation that holds nowhere says what no relation says.
    let (programs, mut evidence) = read(text, &changed);
    let judgement = judged(programs.each_ref(), &mut evidence);
    let context = || format!("{name}\n{text}\n{changed}");
    match judgement {
        Judgement::Refused(_) => {
            counts.add("mutations refused");
            counts.add(format!("refused: {name}"));
        }
        Judgement::Undecided(_) | Judgement::Stopped(_) => counts.add("mutations without a judgement"),
        Judgement::Accepted(_) => {
            counts.add("mutations that hold");
            counts.add(format!("accepted: {name}"));
            assert_ne!(evidence.kind(), Kind::Unrolled, "{}", context());
            assert!(!breaks(&programs[1], &mut evidence, random), "{}", context());
            if evidence.kind().is_true() {
                let other = judged_otherwise(programs.each_ref(), &mut evidence);
                assert!(!matches!(other, Judgement::Refused(_)), "{other:?}\n{}", context());
                if matches!(other, Judgement::Accepted(_)) {
                    counts.add("accepted by both solvers");
                }
            }
        }
    }
}

/// Whether runs show that evidence does not hold.
fn breaks(program: &Program, evidence: &mut Evidence, random: &mut Random) -> bool {
    match evidence {
        Evidence::Invariants(proof) => {
            let compared = compare(program, proof, 20, SECONDS, random);
            compared.wrong.is_some() || compared.fails
        }
        Evidence::Backward(_) | Evidence::Unrolled(_) => false,
        Evidence::Run(run) => {
            let mut inputs = ListInputs::all(run.inputs.iter().map(|input| input.value));
            let done = Interpreter::new(program).run(&mut inputs, Default::default());
            !matches!(done.outcome, Outcome::Error { property, .. } if property == run.error.property)
        }
    }
}
