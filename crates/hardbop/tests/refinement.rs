//! What more effort does to the abstraction of random programs: more predicates and Boolean instead of
//! Cartesian abstraction never make more reachable; backends and threads change nothing.

#[path = "common/pipeline.rs"]
mod pipeline;

use std::collections::BTreeSet;

use hardbop_abstraction::{AbstractionOptions, Backend, Granularity, Method, print};
use hardbop_solver::Limits;
use hardbop_testkit::program;
use pipeline::{Subjects, reachable_labels};

const PREDICATES: usize = 4;

/// `HARDBOP_RANDOM` is the number of rounds: 1 unless set.
fn rounds() -> u64 {
    std::env::var("HARDBOP_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn subjects(seed: u64) -> (Subjects, String) {
    let subject = program::random(seed, 5, PREDICATES);
    let file = subject.predicate_file(PREDICATES);
    let context = format!("seed {seed}\n{}\n{file}", subject.text);
    (Subjects::new(&subject.text, &file), context)
}

/// Labels that the first can reach are a part of those that the second can reach.
#[track_caller]
fn assert_within(less: &BTreeSet<String>, more: &BTreeSet<String>, context: &str) {
    let added: Vec<&String> = less.difference(more).collect();
    assert!(added.is_empty(), "{added:?} can be reached in the finer program only: {context}");
}

/// `000…` Theorem 3.
#[test]
fn adding_predicates_never_adds_reachable_labels() {
    let mut gained = 0;
    for seed in 0..16 * rounds() {
        let (subjects, context) = subjects(seed);
        let options = AbstractionOptions { cube_limit: Some(2), ..AbstractionOptions::default() };
        let mut before: Option<BTreeSet<String>> = None;
        for count in [0, 1, 3, subjects.predicates.len()] {
            let text = subjects.text(options, &subjects.predicates[..count.min(subjects.predicates.len())]);
            let now = reachable_labels(&text);
            if let Some(before) = &before {
                assert_within(&now, before, &format!("{count} predicates, {context}\n{text}"));
                gained += usize::from(now.len() < before.len());
            }
            before = Some(now);
        }
    }
    assert!(gained > 3, "{gained} programs refined");
}

/// That it is more precise at times is tested in `covers.rs`.
#[test]
fn boolean_abstraction_is_at_least_as_precise() {
    for seed in 100..100 + 12 * rounds() {
        let (subjects, context) = subjects(seed);
        for cube_limit in [Some(1), Some(2)] {
            // Between statements, only predicates and their relations are left.
            let granularity = Granularity::Statement;
            let cartesian = AbstractionOptions { cube_limit, granularity, ..AbstractionOptions::default() };
            let boolean = AbstractionOptions { method: Method::Boolean, ..cartesian };
            let [coarse, fine] = [cartesian, boolean].map(|options| {
                let text = subjects.text(options, &subjects.predicates);
                reachable_labels(&text)
            });
            assert_within(&fine, &coarse, &context);
        }
    }
}

#[test]
fn backends_give_the_same_program() {
    let mut compared = 0;
    for seed in 200..200 + 4 * rounds() {
        let (subjects, context) = subjects(seed);
        let method = if seed % 2 == 0 { Method::Cartesian } else { Method::Boolean };
        let limits = Limits { work: Some(20_000), ..Limits::default() };
        let options =
            AbstractionOptions { method, cube_limit: Some(2), limits, ..AbstractionOptions::default() };
        let [first, second] = [Backend::Blaster, Backend::Z3].map(|backend| {
            let abstraction =
                subjects.abstracted(AbstractionOptions { backend, ..options }, &subjects.predicates);
            let text = print(&abstraction, &subjects.program, &|_| None);
            (abstraction.statistics.counts.gave_up == 0).then_some(text)
        });
        if let (Some(first), Some(second)) = (first, second) {
            assert_eq!(first, second, "{options:?}, {context}");
            compared += 1;
        }
    }
    assert!(compared >= 2, "{compared} compared");
}

#[test]
fn threads_give_the_same_program() {
    for seed in 200..200 + 6 * rounds() {
        let (subjects, context) = subjects(seed);
        let method = if seed % 2 == 0 { Method::Cartesian } else { Method::Boolean };
        let options = AbstractionOptions { method, cube_limit: Some(2), ..AbstractionOptions::default() };
        let expected = subjects.text(options, &subjects.predicates);
        for threads in [2, 3] {
            let found = subjects.text(AbstractionOptions { threads, ..options }, &subjects.predicates);
            assert_eq!(found, expected, "{threads} threads, {options:?}, {context}");
        }
    }
}
