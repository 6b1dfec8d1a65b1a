//! What to say of a proof that may say nothing.

use hardbop_base::Budget;
use hardbop_ir::{LocationId, ProcId, Program};
use hardbop_portfolio::vacuity::{Doubt, doubt};
use hardbop_verdict::{CheckOutcome, Verdict};

/// Places that are named.
const NAMED: usize = 5;

/// A warning about the proof of a verdict.
pub(super) fn warning(outcome: &CheckOutcome, budget: &Budget) -> Option<String> {
    let program = &outcome.program;
    let Verdict::True(evidence) = &outcome.verdict else { return None };
    // Procedures of the C library are not reported.
    let is_own = |procedure: ProcId| {
        let origin = program.files.origin(program.procedures[procedure].span);
        origin.line > 0 && origin.file != hardbop_lower::LIBRARY_NAME
    };
    Some(match doubt(program, evidence, &is_own, budget)? {
        Doubt::Vacuous(spans) => {
            let mut at: Vec<String> =
                spans.iter().map(|&span| program.files.origin(span).to_string()).collect();
            at.dedup();
            format!("the verdict is vacuous: no run gets past the assumption at {}", at.join(", "))
        }
        Doubt::NotPassed(places) => {
            let names: Vec<String> = places.iter().take(NAMED).map(|&at| name(program, at)).collect();
            let more = places.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("no run is known to pass {}{more}", names.join(", "))
        }
    })
}

fn name(program: &Program, (procedure, location): (ProcId, LocationId)) -> String {
    let p = &program.procedures[procedure];
    if location == p.entry {
        return format!("`{}`", p.name);
    }
    let span = p.edges.values().find(|e| e.source == location).map_or(p.span, |e| e.span);
    format!("the loop at {}", program.files.origin(span))
}
