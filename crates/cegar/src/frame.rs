//! What the relations of a procedure need to speak of, in a proof.
//!
//! The checker of boolean programs relates all predicates at the entry of a procedure with all of them now, whatever the
//! procedure does: one that tests a single flag has a summary as large as that of the scheduler which calls it. Most
//! of that is known without it, and can be told in one of two ways.
//!
//! - As a *change*: predicates about what a procedure and all that it calls neither read nor write are left out. They hold
//!   behind a call if they held before, and have no influence on what it does. Those about what is only read
//!   are the same at entry and now, so the latter is enough.
//! - As *states*: what holds now, of all predicates, and nothing of what held at entry. That is enough where there is only
//!   one call, and nothing is known across it that the procedure does not see: all runs that come back are
//!   runs of that call.
//!
//! Neither loses anything, as long as predicates are about different things; certificates decide whether that was so.

use hardbop_abstraction::Liveness;
use hardbop_alias::{Effects, Target};
use hardbop_certify::proof::Slot;
use hardbop_ir::{ProcId, visit};
use hardbop_predicate::{Predicate, Scope, places, variables};
use hardbop_semantics::Subject;
use rustc_hash::FxHashSet;

/// How what a procedure does is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// All predicates, at entry and now.
    Everything,
    /// What may change, and what that depends on.
    Change,
    /// What holds now.
    States,
}

/// What predicates are about.
pub(crate) struct Frames<'a> {
    subject: Subject<'a>,
    predicates: &'a [Predicate],
    /// For each predicate, what it reads; nothing if that cannot be told.
    read: Vec<Option<Vec<Target>>>,
}

/// The predicates that a way of telling mentions.
#[derive(Debug, Default)]
pub(crate) struct Told {
    now: FxHashSet<usize>,
    entry: FxHashSet<usize>,
}

impl Told {
    pub(crate) fn has(&self, slot: Slot) -> bool {
        match slot {
            Slot::Now(i) => self.now.contains(&i),
            Slot::Entry(i) => self.entry.contains(&i),
        }
    }
}

impl<'a> Frames<'a> {
    pub(crate) fn of(
        subject @ Subject { program, alias, regions }: Subject<'a>,
        predicates: &'a [Predicate],
    ) -> Self {
        let read = predicates.iter().map(|&predicate| {
            let read = places(program, &[predicate]).into_iter();
            read.map(|place| regions.target(program, alias, place).ok()).collect()
        });
        Frames { subject, predicates, read: read.collect() }
    }

    /// The predicates that relations of a procedure mention.
    pub(crate) fn told(&self, procedure: ProcId, telling: Telling) -> Told {
        let seen = |i: &usize| match self.predicates[*i].scope {
            Scope::Global => true,
            Scope::Procedure(owner) => owner == procedure,
        };
        let all: FxHashSet<usize> = (0..self.predicates.len()).filter(seen).collect();
        match telling {
            Telling::Everything => Told { entry: all.clone(), now: all },
            Telling::States => Told { entry: FxHashSet::default(), now: all },
            Telling::Change => {
                let now = self.touched(procedure, &all);
                let modified = self.subject.regions.modified(procedure);
                // The caller's arguments are seen at entry only.
                let changes = |i: &usize| {
                    self.predicates[*i].scope != Scope::Global
                        || self.is_about(*i, |target| has(modified, target))
                };
                Told { entry: now.iter().copied().filter(changes).collect(), now }
            }
        }
    }

    /// The predicates about what a procedure reads or writes, and those that share something with such a one.
    fn touched(&self, procedure: ProcId, all: &FxHashSet<usize>) -> FxHashSet<usize> {
        let regions = self.subject.regions;
        let (modified, read) = (regions.modified(procedure), regions.read(procedure));
        let is_touched = |i: usize| {
            self.predicates[i].scope != Scope::Global
                || self.is_about(i, |target| has(modified, target) || has(read, target))
        };
        let mut touched: FxHashSet<usize> = all.iter().copied().filter(|&i| is_touched(i)).collect();
        loop {
            let about: Vec<Target> =
                touched.iter().flat_map(|&i| self.read[i].iter().flatten()).copied().collect();
            let more = all.iter().copied().filter(|&i| self.is_about(i, |target| about.contains(&target)));
            let known = touched.len();
            touched.extend(more.collect::<Vec<_>>());
            if touched.len() == known {
                return touched;
            }
        }
    }

    fn is_about(&self, i: usize, wanted: impl Fn(Target) -> bool) -> bool {
        self.read[i].as_ref().is_none_or(|read| read.iter().any(|&target| wanted(target)))
    }

    /// The caller of a procedure that has only one call, if nothing is known across it that the procedure does not
    /// see: predicates of the caller's own that are set before and needed later.
    pub(crate) fn only_call(&self, liveness: &Liveness, procedure: ProcId) -> Option<ProcId> {
        let Subject { program, alias, .. } = self.subject;
        let [(caller, edge)] = *alias.calls().callers(procedure) else { return None };
        let call = &program.procedures[caller].edges[edge];
        let dead = liveness.dead(program, alias, caller, call.target);
        let written = visit::result(&call.statement);
        let survives = |(i, predicate): (usize, &Predicate)| {
            predicate.scope == Scope::Procedure(caller)
                && !dead.contains(&i)
                && !written.is_some_and(|var| variables(program, predicate.expr).contains(&var))
        };
        (!self.predicates.iter().enumerate().any(survives)).then_some(caller)
    }
}

fn has(effects: &Effects, target: Target) -> bool {
    match target {
        Target::Register(var) => effects.registers.contains(&var),
        Target::Region(region) => effects.has_region(region),
        Target::Nowhere => false,
    }
}
