//! Random programs: where both engines decide, they decide alike. A disagreement is a defect.
//!
//! `HARDBOP_WP_PROGRAMS=2000` compares more programs, and `HARDBOP_WP_SEED=10000` others.

#![allow(clippy::print_stdout)]

use std::time::Duration;

use hardbop_base::{Budget, Sources, Stop};
use hardbop_ir::Program;
use hardbop_testkit::structured;
use hardbop_verdict::{Reason, Verdict};

/// What an engine may take for a program.
const TIME: Duration = Duration::from_millis(400);

fn lowered(text: &str) -> Program {
    let mut sources = Sources::new();
    let file = sources.add("random.x", text);
    match hardbop_teach::load(&sources, file, &hardbop_teach::TeachOptions::default()) {
        Ok(program) => program,
        Err(errors) => panic!("{}\n{text}", errors.render(&sources)),
    }
}

/// Runs an engine for a limited time.
fn limited<T>(run: impl FnOnce(&Budget) -> T) -> T {
    let budget = Budget::unlimited();
    let (done, wait) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watched = budget.clone();
        scope.spawn(move || {
            // The other side is dropped when the engine is done.
            if wait.recv_timeout(TIME) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                watched.stop(Stop::Time);
            }
        });
        let found = run(&budget);
        drop(done);
        found
    })
}

/// What engines say about the programs.
#[derive(Debug, Default)]
struct Counts {
    both: usize,
    safe: usize,
    only_slam: usize,
    only_wp: usize,
    neither: usize,
}

#[test]
fn the_engines_agree() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let count = number("HARDBOP_WP_PROGRAMS").unwrap_or(200);
    let first = number("HARDBOP_WP_SEED").unwrap_or(0);
    let mut counts = Counts::default();
    for seed in first..first + count {
        let text = structured(seed);
        let program = lowered(&text);
        let slam = limited(|budget| {
            let options = hardbop_portfolio::PortfolioOptions::default();
            hardbop_portfolio::check(&program.clone(), &[], &options, budget, &mut |_| {}).verdict
        });
        let wp = limited(|budget| {
            let options = hardbop_wp::WpOptions::default();
            hardbop_wp::check(&program, &[], &options, budget, &mut |_| {}).outcome.verdict
        });
        match (&slam, &wp) {
            (Verdict::True(_), Verdict::False(_)) | (Verdict::False(_), Verdict::True(_)) => {
                panic!("seed {seed}: slam says {slam:?}, wp says {wp:?}\n{text}")
            }
            (_, Verdict::Unknown(reason @ Reason::Certificate(_))) => {
                panic!("seed {seed}: {reason}\n{text}")
            }
            (Verdict::Unknown(_), Verdict::Unknown(_)) => counts.neither += 1,
            (_, Verdict::Unknown(reason)) => {
                counts.only_slam += 1;
                println!("seed {seed}: only slam decides: {reason}");
            }
            (Verdict::Unknown(_), _) => counts.only_wp += 1,
            _ => {
                counts.both += 1;
                counts.safe += usize::from(matches!(wp, Verdict::True(_)));
            }
        }
    }
    println!("{count} programs from {first}: {counts:?}");
    assert!(counts.both > count as usize / 2, "{counts:?}");
    assert!(
        counts.safe > count as usize / 10 && counts.both - counts.safe > count as usize / 10,
        "{counts:?}"
    );
}
