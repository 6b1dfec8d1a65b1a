//! From C text and predicates to a boolean program and what can be reached in it, without the executable.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeSet;

use hardbop_abstraction::{Abstraction, AbstractionOptions, Abstractor, print};
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Diagnostics, Id, Sources};
use hardbop_bp::{Flow, Goal};
use hardbop_ir::Program;
use hardbop_predicate::places;
use hardbop_predicate::{Predicate, parse_predicates};
use hardbop_reach::{Answer, Invariant, bdd};
use hardbop_semantics::Subject;

/// A program with all that may be said about it.
pub struct Subjects {
    pub program: Program,
    pub predicates: Vec<Predicate>,
    alias: Alias,
    regions: Regions,
}

impl Subjects {
    /// Reads a C program and predicates, which must be right.
    pub fn new(text: &str, predicates: &str) -> Self {
        let mut sources = Sources::new();
        let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
        let parsed = hardbop_syntax::parse_bytes(&mut sources, "a.c", text.as_bytes(), &options).1;
        let (unit, _) = parsed.unwrap_or_else(|errors| panic!("{}\n{text}", errors.render(&sources)));
        let lowered = hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default());
        let program = lowered.unwrap_or_else(|errors| panic!("{}\n{text}", errors.render(&sources)));
        Subjects::of(sources, program, predicates)
    }

    /// Reads predicates about a program.
    pub fn of(mut sources: Sources, program: Program, text: &str) -> Self {
        let file = sources.add("a.preds", text);
        let mut diagnostics = Diagnostics::new();
        let predicates = parse_predicates(&program, file, text, &mut diagnostics);
        assert!(!diagnostics.has_errors(), "{}\n{text}", diagnostics.render(&sources));
        let budget = Budget::unlimited();
        let alias = Alias::of(&program, &budget).expect("no limits");
        let regions =
            Regions::of(&program, &alias, &places(&program, &predicates), &budget).expect("no limits");
        Subjects { program, predicates, alias, regions }
    }

    pub fn subject(&self) -> Subject<'_> {
        Subject { program: &self.program, alias: &self.alias, regions: &self.regions }
    }

    /// The abstraction by some of the predicates.
    pub fn abstracted(&self, options: AbstractionOptions, predicates: &[Predicate]) -> Abstraction {
        let mut abstractor = Abstractor::new(options, Budget::unlimited());
        abstractor.run(self.subject(), predicates).expect("no limits")
    }

    /// Its text.
    pub fn text(&self, options: AbstractionOptions, predicates: &[Predicate]) -> String {
        print(&self.abstracted(options, predicates), &self.program, &|_| None)
    }
}

/// A boolean program in flow form.
pub fn flow(text: &str) -> Flow {
    let file = Id::from_usize(0);
    hardbop_bp::load(text, file).unwrap_or_else(|errors| {
        let mut sources = Sources::new();
        sources.add("a.bp", text);
        panic!("{}\n{text}", errors.render(&sources))
    })
}

/// All reachable states of a boolean program.
pub fn reachable(flow: &Flow) -> Invariant {
    let options = bdd::BddOptions { invariants: true, ..bdd::BddOptions::default() };
    let report = bdd::check(flow, &Goal::Assertion, &options, &Budget::unlimited());
    assert!(!matches!(report.answer, Answer::Unknown(_)), "{:?}", report.answer);
    report.invariant.expect("asked for")
}

/// The labels that can be reached, and `failure` if an assertion can fail.
pub fn reachable_labels(text: &str) -> BTreeSet<String> {
    let flow = flow(text);
    let invariant = reachable(&flow);
    let mut labels = BTreeSet::new();
    for (location, node) in &invariant.locations {
        if *node == hardbop_reach::NodeId::FALSE {
            continue;
        }
        let procedure = flow.procedure_of(*location);
        if procedure.error == Some(*location) {
            labels.insert("failure".to_owned());
        }
        labels.extend(flow.locations[*location].labels.iter().cloned());
    }
    labels
}
