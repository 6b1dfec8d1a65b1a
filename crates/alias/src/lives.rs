//! How long objects live, and whether a program can tell.
//!
//! An address is used again when the object that had it is gone, and two activations of a procedure seldom have
//! their variables at the same place. Who models addresses may ignore both as long as nobody can tell: an object
//! whose address is never compared may as well lie anywhere, and one whose address is forgotten when it dies is
//! never compared with what comes later.

use hardbop_ir::{EdgeId, MemoryKind, ProcId, Program};

use crate::location::Location;
use crate::object::{ObjectId, ObjectKind};
use crate::solve::Solution;

/// What is known of the lives of objects.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lives {
    /// For each object, whether its address may be kept longer than it lives.
    outlived: Vec<bool>,
    /// For each procedure, those that (directly or not) call it.
    above: Vec<Vec<bool>>,
    /// The procedures that run once, from the start of the program to its end: the entry, and what it calls if nothing
    /// else that it calls can run the same procedures.
    lasting: Vec<bool>,
}

impl Lives {
    pub(crate) fn of(program: &Program, solution: &Solution) -> Self {
        let above = above(program, solution);
        let lasting = lasting(program, solution, &above);
        let mut lives = Lives { outlived: vec![false; solution.objects.len()], above, lasting };
        let objects = &solution.objects;
        for (var, facts) in program.variables.ids().zip(&solution.registers) {
            lives.hold(solution, objects.owner(var), facts);
        }
        for ((_, object), cells) in objects.iter().zip(&solution.contents) {
            let holder = match object.kind {
                ObjectKind::Variable(var) => objects.owner(var),
                ObjectKind::Allocation { procedure, kind: MemoryKind::Stack, .. } => Some(procedure),
                _ => None,
            };
            cells.iter().for_each(|(_, facts)| lives.hold(solution, holder, facts));
        }
        // What is known outside may be kept there.
        let escaped = objects.iter().filter(|(object, _)| solution.escaped[object.index()]);
        escaped.for_each(|(object, _)| lives.hold(solution, None, &[Location::anywhere(object)]));
        lives
    }

    /// Storage of a procedure, or storage that is always there, holds some addresses.
    fn hold(&mut self, solution: &Solution, holder: Option<ProcId>, facts: &[Location]) {
        for fact in facts {
            let dies_with = match solution.objects[fact.object].kind {
                ObjectKind::Variable(var) => solution.objects.owner(var),
                ObjectKind::Allocation { procedure, kind: MemoryKind::Stack, .. } => Some(procedure),
                // Heap objects can be freed at any time.
                ObjectKind::Allocation { .. } => {
                    self.outlived[fact.object.index()] |= solution.freed[fact.object.index()];
                    continue;
                }
                ObjectKind::World | ObjectKind::Procedure(_) => None,
            };
            // What a procedure calls is over before it is.
            let Some(owner) = dies_with else { continue };
            let longer = holder.is_none_or(|holder| self.above[owner.index()][holder.index()]);
            self.outlived[fact.object.index()] |= longer && !self.lasting[owner.index()];
        }
    }

    pub(crate) fn is_outlived(&self, object: ObjectId) -> bool {
        self.outlived[object.index()]
    }

    /// Whether activations of the one procedure are over only after those of the other.
    pub(crate) fn encloses(&self, outer: ProcId, inner: ProcId) -> bool {
        self.lasting[outer.index()] && self.above[inner.index()][outer.index()]
    }
}

/// For each procedure, which others call it, directly or not.
fn above(program: &Program, solution: &Solution) -> Vec<Vec<bool>> {
    let count = program.procedures.len();
    let search = |procedure: ProcId| {
        let mut found = vec![false; count];
        let mut pending = vec![procedure];
        while let Some(next) = pending.pop() {
            for &(caller, _) in solution.calls.callers(next) {
                if !std::mem::replace(&mut found[caller.index()], true) {
                    pending.push(caller);
                }
            }
        }
        found
    };
    program.procedures.ids().map(search).collect()
}

fn lasting(program: &Program, solution: &Solution, above: &[Vec<bool>]) -> Vec<bool> {
    let mut lasting = vec![false; program.procedures.len()];
    let Some(entry) = program.entry.filter(|&entry| solution.calls.callers(entry).is_empty()) else {
        return lasting;
    };
    lasting[entry.index()] = true;
    let called: Vec<ProcId> = program
        .procedures
        .ids()
        .filter(|&p| {
            solution.calls.is_reached(p) && solution.calls.callers(p).iter().any(|&(c, _)| c == entry)
        })
        .collect();
    for &procedure in &called {
        let &[(_, edge)] = solution.calls.callers(procedure) else { continue };
        let alone = program.procedures.ids().all(|other| {
            let runs = |by: ProcId| other == by || above[other.index()][by.index()];
            !runs(procedure) || called.iter().all(|&by| by == procedure || !runs(by))
        });
        lasting[procedure.index()] = alone && !repeats(program, entry, edge);
    }
    lasting
}

/// Whether a run of a procedure can take an edge twice.
fn repeats(program: &Program, procedure: ProcId, edge: EdgeId) -> bool {
    let p = &program.procedures[procedure];
    let mut seen = vec![false; p.locations.len()];
    let mut pending = vec![p.edges[edge].target];
    while let Some(at) = pending.pop() {
        if std::mem::replace(&mut seen[at.index()], true) {
            continue;
        }
        pending.extend(p.edges.values().filter(|e| e.source == at).map(|e| e.target));
    }
    seen[p.edges[edge].source.index()]
}
