//! Property-directed slicing: statements that cannot influence whether an error is reached become
//! `skip`, and branches that decide nothing of interest become choices. Locations and edges keep their
//! numbers, so that what is found out about the slice can be checked on the program.
//!
//! # What is kept
//!
//! A cell (a register, or a region of memory) is *relevant* if its value may decide whether an error is
//! reached. Starting from errors and from what is unsupported:
//!
//! - a branch is relevant if a relevant statement runs on one of its ways but not on all; then the
//!   cells that its guards read are relevant;
//! - a branch of which a way only ends the run (`abort`, a failing assumption, a loop that does nothing and is never left) is relevant if what it
//!   reads depends on a relevant cell;
//! - a statement is relevant if it may write a relevant cell; then the cells that it reads are relevant;
//! - a call is relevant if a procedure that it may call has something relevant in it.
//!
//! # What that means
//!
//! Every run of the program to an error is, as far as relevant cells go, a run of the slice. The
//! slice may have more: an endless loop, an undefined operation or an assumption about other cells may
//! have been left out. So a proof for the slice holds for the program (`certify` checks it there), and a
//! run of the slice has to be confirmed by running the program.

mod control;
mod relevance;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_ir::{ProcId, Program, Statement, verify};
use rustc_hash::FxHashSet;

/// What is left of a program.
#[derive(Debug, Clone)]
pub struct Slice {
    /// The program without what does not matter. It shares everything else with the whole one, and locations and edges
    /// have the same numbers.
    pub program: Program,
    /// How many statements were left out.
    removed: usize,
    /// Procedures that the program may call, but its slice does not: nothing in them matters.
    pub unneeded: Vec<ProcId>,
    /// Statements that remain in procedures that may still be called.
    pub statements: usize,
    /// Statements of the program that can be reached from its entry.
    pub all_statements: usize,
    /// Procedures that may still be called.
    pub procedures: usize,
    /// Procedures of the program that can be reached from its entry.
    pub all_procedures: usize,
}

impl Slice {
    /// The slice that leaves out nothing.
    pub fn whole(program: &Program, alias: &Alias) -> Self {
        let (all, statements) = size(program, alias);
        Slice {
            program: program.clone(),
            removed: 0,
            unneeded: Vec::new(),
            statements,
            all_statements: statements,
            procedures: all.len(),
            all_procedures: all.len(),
        }
    }

    /// Whether anything was left out.
    pub fn is_proper(&self) -> bool {
        self.removed > 0
    }
}

/// What engines work on.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The program as it was loaded: runs and proofs are about this.
    pub whole: &'a Program,
    /// What its pointers point to.
    pub alias: &'a Alias,
    /// What is left of it.
    pub slice: &'a Slice,
}

/// What is left of a program without what does not matter.
pub fn slice(program: &Program, alias: &Alias, regions: &Regions, budget: &Budget) -> Result<Slice, Stop> {
    let kept = relevance::relevant(program, alias, regions, budget)?;
    let mut slice = Slice::whole(program, alias);
    for (id, procedure) in program.procedures.iter() {
        for (edge, e) in procedure.edges.iter() {
            let structural = matches!(
                e.statement,
                Statement::Skip
                    | Statement::Return
                    | Statement::Halt(_)
                    | Statement::Error(_)
                    | Statement::Unsupported(_)
            );
            if !structural && !kept.contains(&(id, edge)) {
                slice.program.procedures[id].edges[edge].statement = Statement::Skip;
                slice.removed += 1;
            }
        }
    }
    debug_assert_eq!(verify(&slice.program), [], "a slice is a program");
    let (all, _) = size(program, alias);
    let (needed, statements) = size(&slice.program, alias);
    (slice.procedures, slice.statements) = (needed.len(), statements);
    slice.unneeded = all.into_iter().filter(|procedure| !needed.contains(procedure)).collect();
    Ok(slice)
}

/// The procedures with a body that a program may call, and how many statements they have that do
/// something.
fn size(program: &Program, alias: &Alias) -> (Vec<ProcId>, usize) {
    let mut called: Vec<ProcId> = program.entry.into_iter().collect();
    let mut seen: FxHashSet<ProcId> = called.iter().copied().collect();
    let mut statements = 0;
    let mut next = 0;
    while let Some(&procedure) = called.get(next) {
        next += 1;
        for (edge, e) in program.procedures[procedure].edges.iter() {
            statements += usize::from(!matches!(e.statement, Statement::Skip | Statement::Return));
            if let Statement::Call { .. } = e.statement {
                for &callee in alias.callees(procedure, edge) {
                    if program.procedures[callee].external.is_none() && seen.insert(callee) {
                        called.push(callee);
                    }
                }
            }
        }
    }
    (called, statements)
}
