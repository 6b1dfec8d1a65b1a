//! Projections of a path, and the smallest that cannot be run (`000…` §5).
//!
//! A projection leaves statements out. What a statement that is left out would have defined is an
//! arbitrary value, a symbolic constant of the projection. So that one constant can stand for the
//! variable until it is defined again, whatever refers to it earlier is left out as well (§5.2, `del`):
//! the projection is *syntactically consistent*, and if it cannot be run, neither can the path (Lemma 3).
//!
//! The paper's greedy algorithm starts over after each deletion. A statement that was needed stays
//! needed when others are gone (what remains without it then is a projection of what remained without it
//! before, which can be run), so that one pass does the same.
//!
//! Departures: the values that globals start with belong to the start of the path, not to statements, and
//! are not left out unless a statement that assigns the global is. Before the greedy pass, whatever no
//! condition refers to is left out without asking the solver; the figures of the paper show that step on
//! its own (p2 of Fig. 7). Of long paths, conditions that are not in the solver's core go first, and the
//! greedy pass is not made if too much remains.

use hardbop_base::{Budget, Stop};
use hardbop_logic::Term;
use hardbop_semantics::path::Walk;
use hardbop_semantics::{Cell, Coder, Encoder, Subject};
use hardbop_solver::{Answer, Solver, new_solver};
use rustc_hash::FxHashSet;

use crate::Path;
use crate::needed::Needed;
use crate::reference::{Reference, references};

/// More statements than this are not tried one by one.
const MAX_TRIED: usize = 200;

/// Which steps of a path are kept. Calls and returns are always made; what may be left out of them are
/// the values that are passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection {
    kept: Vec<bool>,
}

impl Projection {
    /// The whole path.
    pub fn whole(path: &Path) -> Self {
        Projection { kept: vec![true; path.steps.len()] }
    }

    /// Whether a step is kept.
    pub fn keeps(&self, step: usize) -> bool {
        self.kept[step]
    }

    /// The steps that are kept, in order.
    pub fn steps(&self) -> impl Iterator<Item = usize> + '_ {
        self.kept.iter().enumerate().filter(|(_, kept)| **kept).map(|(step, _)| step)
    }
}

/// Why a path cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The path up to where no run gets, without what no condition refers to.
    pub referenced: Projection,
    /// A projection that cannot be run, of which nothing more can be left out: an ICPP.
    pub icpp: Projection,
}

/// Finds out why a path cannot be run; nothing if it can be, or if the solver cannot tell.
pub fn explain(subject: Subject<'_>, path: &Path, budget: &Budget) -> Result<Option<Explanation>, Stop> {
    let mut search = Search::new(subject, path, budget);
    let mut projection = Projection::whole(path);
    if !search.prefix(&mut projection)? {
        return Ok(None);
    }
    search.drop_unreferenced(&mut projection);
    let referenced = projection.clone();
    if projection.steps().count() > MAX_TRIED {
        search.drop_outside_core(&mut projection)?;
        search.drop_unreferenced(&mut projection);
    }
    if projection.steps().count() <= MAX_TRIED {
        search.delete_greedily(&mut projection)?;
    }
    Ok(Some(Explanation { referenced, icpp: projection }))
}

/// Finds out why a path cannot be run, of which the steps are known whose conditions contradict each other: what these
/// do not depend on is left out of long paths without asking. Nothing if the solver cannot tell.
pub fn explain_core(
    subject: Subject<'_>,
    path: &Path,
    core: &[usize],
    budget: &Budget,
) -> Result<Option<Explanation>, Stop> {
    if path.steps.len() <= MAX_TRIED {
        return explain(subject, path, budget);
    }
    let needed = Needed::by(subject, path, core);
    let mut search = Search::new(subject, path, budget);
    let keeps = |(step, reference): (usize, &Reference)| needed.has(step) && reference.matters();
    let mut projection = Projection { kept: search.references.iter().enumerate().map(keeps).collect() };
    if search.is_infeasible(&projection)? != Some(true) {
        return explain(subject, path, budget);
    }
    let referenced = projection.clone();
    if projection.steps().count() <= MAX_TRIED {
        search.delete_greedily(&mut projection)?;
    }
    Ok(Some(Explanation { referenced, icpp: projection }))
}

/// The projection without some of its steps, and without what must go with them (`del` of §5.2).
pub fn without(subject: Subject<'_>, path: &Path, projection: &Projection, steps: &[usize]) -> Projection {
    let references = references(subject, path);
    let mut fewer = projection.clone();
    for &step in steps {
        for deleted in deletion(&references, &fewer, step) {
            fewer.kept[deleted] = false;
        }
    }
    fewer
}

/// Whether a projection cannot be run; nothing if the solver cannot tell.
pub fn is_infeasible(
    subject: Subject<'_>,
    path: &Path,
    projection: &Projection,
    budget: &Budget,
) -> Result<Option<bool>, Stop> {
    Search::new(subject, path, budget).is_infeasible(projection)
}

/// A statement with all that cannot stay without it: what refers, before it, to something that it
/// defines, and so on.
fn deletion(references: &[Reference], projection: &Projection, step: usize) -> Vec<usize> {
    let mut deleted = vec![step];
    let mut open = vec![step];
    while let Some(later) = open.pop() {
        let defined = &references[later].defines;
        if defined.is_empty() {
            continue;
        }
        for (earlier, reference) in references[..later].iter().enumerate() {
            if projection.keeps(earlier) && reference.touches(defined) && !deleted.contains(&earlier) {
                deleted.push(earlier);
                open.push(earlier);
            }
        }
    }
    deleted
}

/// Executes a path without what a projection leaves out, a step at a time.
pub(crate) fn step_projected(
    coder: &mut Coder<'_>,
    walk: &mut Walk,
    path: &Path,
    step: usize,
    projection: &Projection,
    defined: &[Cell],
) {
    if projection.keeps(step) {
        walk.step(coder, path.steps[step]);
        return;
    }
    walk.pass(path.steps[step]);
    for &cell in defined {
        coder.forget(&mut walk.state, cell);
    }
}

struct Search<'a> {
    subject: Subject<'a>,
    path: &'a Path,
    references: Vec<Reference>,
    encoder: Encoder,
    solver: Box<dyn Solver>,
    budget: &'a Budget,
}

impl<'a> Search<'a> {
    fn new(subject: Subject<'a>, path: &'a Path, budget: &'a Budget) -> Self {
        Search {
            subject,
            path,
            references: references(subject, path),
            encoder: Encoder::default(),
            solver: new_solver(subject.program.uses_integers(), budget),
            budget,
        }
    }

    /// The conditions of a projection, with their steps, and what is true anyway.
    fn conditions(&mut self, projection: &Projection) -> (Vec<(usize, Term)>, Vec<Term>) {
        self.encoder.restart_names();
        let mut coder = self.encoder.on(self.subject);
        let mut walk = Walk::from_start(&mut coder, self.path.entry);
        let last = projection.steps().last().map_or(0, |last| last + 1);
        for step in 0..last {
            let defined = &self.references[step].defines;
            step_projected(&mut coder, &mut walk, self.path, step, projection, defined);
        }
        let terms: Vec<Term> = walk.conditions.iter().map(|&(_, term)| term).collect();
        let axioms = coder.axioms(&terms);
        (walk.conditions, axioms)
    }

    fn check(&mut self, assumptions: &[Term]) -> Result<Option<bool>, Stop> {
        self.budget.check()?;
        match self.solver.check(&self.encoder.terms, assumptions) {
            Answer::Unsat => Ok(Some(true)),
            Answer::Sat => Ok(Some(false)),
            Answer::Unknown(_) => {
                self.budget.check()?;
                Ok(None)
            }
        }
    }

    fn is_infeasible(&mut self, projection: &Projection) -> Result<Option<bool>, Stop> {
        let (conditions, mut assumptions) = self.conditions(projection);
        assumptions.extend(conditions.iter().map(|&(_, term)| term));
        self.check(&assumptions)
    }

    /// Keeps the path only up to where no run gets; says whether there is such a step.
    fn prefix(&mut self, projection: &mut Projection) -> Result<bool, Stop> {
        let (conditions, axioms) = self.conditions(projection);
        let contradict = |search: &mut Self, count: usize| {
            let conditions = conditions[..count].iter().map(|&(_, term)| term);
            let assumptions: Vec<Term> = axioms.iter().copied().chain(conditions).collect();
            Ok(search.check(&assumptions)? == Some(true))
        };
        if !contradict(self, conditions.len())? {
            return Ok(false);
        }
        // The least number of conditions that contradict each other lies in low..=high.
        let (mut low, mut high) = (0, conditions.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if contradict(self, middle)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let last = high.checked_sub(1).map_or(0, |index| conditions[index].0 + 1);
        projection.kept[last..].fill(false);
        for (kept, reference) in projection.kept.iter_mut().zip(&self.references) {
            *kept &= reference.matters();
        }
        Ok(true)
    }

    /// Leaves out what no condition refers to, however indirectly.
    fn drop_unreferenced(&self, projection: &mut Projection) {
        let mut needed: FxHashSet<Cell> = FxHashSet::default();
        let mut relevant = vec![false; self.path.steps.len()];
        let kept: Vec<usize> = projection.steps().collect();
        for &step in kept.iter().rev() {
            let reference = &self.references[step];
            // An arbitrary value is what a variable has that nothing defined.
            let defines = !reference.arbitrary && reference.defines.iter().any(|cell| needed.contains(cell));
            relevant[step] = reference.conditional || defines;
            for cell in &reference.defines {
                needed.remove(cell);
            }
            if relevant[step] {
                needed.extend(&reference.uses);
            }
        }
        for step in kept {
            let deleted = deletion(&self.references, projection, step);
            if deleted.iter().all(|&step| !relevant[step]) {
                for step in deleted {
                    projection.kept[step] = false;
                }
            }
        }
    }

    /// Leaves out conditions that the solver did not need. What defines something stays.
    fn drop_outside_core(&mut self, projection: &mut Projection) -> Result<(), Stop> {
        let (conditions, axioms) = self.conditions(projection);
        let terms = conditions.iter().map(|&(_, term)| term);
        let assumptions: Vec<Term> = axioms.iter().copied().chain(terms).collect();
        if self.check(&assumptions)? != Some(true) {
            return Ok(());
        }
        let core = self.solver.core();
        let mut needed: FxHashSet<usize> = FxHashSet::default();
        needed.extend(core.iter().filter_map(|&i| Some(conditions.get(i.checked_sub(axioms.len())?)?.0)));
        for (step, reference) in self.references.iter().enumerate() {
            if reference.conditional && reference.defines.is_empty() && !needed.contains(&step) {
                projection.kept[step] = false;
            }
        }
        Ok(())
    }

    fn delete_greedily(&mut self, projection: &mut Projection) -> Result<(), Stop> {
        for step in 0..self.path.steps.len() {
            if !projection.keeps(step) {
                continue;
            }
            let mut fewer = projection.clone();
            for deleted in deletion(&self.references, projection, step) {
                fewer.kept[deleted] = false;
            }
            if self.is_infeasible(&fewer)? == Some(true) {
                *projection = fewer;
            }
        }
        Ok(())
    }
}
