//! Where several edges are enabled, a guide says which one the path takes.

mod common;

use common::Straight;
use hardbop_base::Budget;
use hardbop_ir::interpret::{Interpreter, Outcome, RunOptions};
use hardbop_ir::{LocationId, ProcId, Program, Statement};
use hardbop_path::{Path, PathVerdict, analyse};
use hardbop_semantics::path::PathStep;

/// The only path to the error of a procedure without loops and calls.
fn to_error(program: &Program, procedure: ProcId) -> Vec<PathStep> {
    let p = &program.procedures[procedure];
    let into = |location: LocationId| p.edges.iter().find(|(_, edge)| edge.target == location);
    let mut next = p.edges.iter().find(|(_, edge)| matches!(edge.statement, Statement::Error(_)));
    let mut steps = Vec::new();
    while let Some((id, edge)) = next {
        steps.insert(0, PathStep::Edge(id));
        next = if edge.source == p.entry { None } else { into(edge.source) };
    }
    steps
}

#[test]
fn the_run_takes_the_edges_of_the_path() {
    // Both guards hold where the path goes the second way, and the third is never enabled.
    let text = "main() {
      x: int := ?;
      case { (x >= 0): { skip; } (x > 7): { case { (x < 0): { skip; } (?): { skip; } (x < 9): { assert(F); } } } }
    }";
    let first = Straight::new(text);
    let [enter @ PathStep::Enter(_, main), ..] = first.path.steps[..] else {
        panic!("the program starts with a call")
    };
    let mut steps = vec![enter];
    steps.extend(to_error(first.subject().program, main));
    let path = Path { entry: first.path.entry, steps };
    let budget = Budget::unlimited();
    let verdict = analyse(first.subject(), &path, &budget).unwrap();
    let PathVerdict::Feasible(mut guide) = verdict else { panic!("{verdict:?}") };
    let run = Interpreter::new(first.subject().program).run(&mut *guide, RunOptions::default());
    assert!(matches!(run.outcome, Outcome::Error { .. }), "{:?}", run.outcome);
}
