//! What a path that cannot be run teaches: predicates, from one source after the other, or stronger steps.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_ir::Program;
use hardbop_path::{Ghost, Path, explain, ghosts, interpolants, relations};
use hardbop_predicate::Predicate;
use hardbop_predicate::places;
use hardbop_semantics::Subject;
use rustc_hash::FxHashSet;

use crate::divergence::Watch;
use crate::machine::Machines;
use hardbop_verdict::Reason;

/// New predicates of one refinement.
const MAX_NEW: usize = 24;

/// Strengthens the steps of the trace at hand, for some predicates; says whether it could.
type Strengthen<'a> = &'a mut dyn FnMut(&Program, &[Predicate]) -> Result<bool, Stop>;

/// A path that cannot be run, and the program that it belongs to.
pub(crate) struct Impossible<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) alias: &'a Alias,
    pub(crate) regions: &'a Regions,
    pub(crate) path: &'a Path,
    /// The steps that contradict each other.
    pub(crate) core: &'a [usize],
    pub(crate) budget: &'a Budget,
}

/// What was learnt.
pub(crate) enum Lesson {
    /// New predicates, or stronger steps.
    Learnt,
    /// The same, and predicates grow without an end in sight.
    Growing,
    /// Predicates about these ghosts, which the program is to set from now on.
    Haunted(Vec<Ghost>),
}

/// The predicates that are tracked, and all that ever were.
pub(crate) struct Lessons {
    pub(crate) predicates: Vec<Predicate>,
    known: FxHashSet<Predicate>,
    watch: Watch,
    machines: Machines,
}

impl Lessons {
    /// Starts with some predicates.
    pub(crate) fn new(program: &Program, mut predicates: Vec<Predicate>) -> Self {
        let mut known = FxHashSet::default();
        predicates.retain(|&predicate| known.insert(predicate));
        Lessons { predicates, known, watch: Watch::new(program), machines: Machines::default() }
    }

    /// Learns from a path. `proposals` come from its weakest preconditions; what strengthens the steps of its
    /// trace says whether it did.
    pub(crate) fn learn(
        &mut self,
        mut path: Impossible<'_>,
        proposals: &[Predicate],
        strengthen: Strengthen<'_>,
    ) -> Result<Lesson, Reason> {
        let mut new = self.select(&path, proposals);
        if new.is_empty() {
            let further = path.contexts()?;
            new = self.select(&path, &further);
        }
        // The predicates say why, but the steps may have lost it.
        if new.is_empty() && strengthen(path.program, &self.predicates)? {
            return Ok(Lesson::Learnt);
        }
        if new.is_empty() {
            let further = path.interpolants()?;
            new = self.select(&path, &further);
        }
        if new.is_empty() {
            // What relations took the place of is needed after all.
            new.extend(proposals.iter().filter(|p| !self.predicates.contains(p)).take(MAX_NEW));
        }
        if new.is_empty() {
            let (ghosts, further) = path.ghosts()?;
            let further = self.select(&path, &further);
            if !further.is_empty() {
                self.predicates.extend(further);
                return Ok(Lesson::Haunted(ghosts));
            }
        }
        if new.is_empty() {
            return Err(Reason::NoProgress("an impossible trace gives no new predicates".to_owned()));
        }
        let grows = self.watch.note(path.program, path.alias, &new).map_err(Reason::Divergence)?;
        let change = self.machines.note(path.program, &new);
        self.predicates.extend(new);
        self.predicates.retain(|predicate| !change.removed.contains(predicate));
        let encoded = self.select(&path, &change.added);
        self.predicates.extend(encoded);
        let Some(relations) = grows else { return Ok(Lesson::Learnt) };
        let mut further = path.interpolants()?;
        further.extend(relations);
        let further = self.select(&path, &further);
        if !further.is_empty() {
            let replaced = self.watch.replaced();
            self.predicates.retain(|predicate| !replaced.contains(predicate));
        }
        self.predicates.extend(further);
        Ok(Lesson::Growing)
    }

    /// Of some proposals, those to track from now on.
    fn select(&mut self, path: &Impossible<'_>, proposals: &[Predicate]) -> Vec<Predicate> {
        let subject = Subject { program: path.program, alias: path.alias, regions: path.regions };
        let useful = proposals.iter().copied().filter(|&predicate| is_useful(subject, predicate));
        useful.filter(|&predicate| self.known.insert(predicate)).take(MAX_NEW).collect()
    }
}

impl Impossible<'_> {
    /// What strongest postconditions propose.
    fn contexts(&mut self) -> Result<Vec<Predicate>, Stop> {
        let &mut Impossible { ref mut program, alias, regions, path, budget, .. } = self;
        match explain(Subject { program, alias, regions }, path, budget)? {
            Some(explanation) => relations(program, alias, regions, path, &explanation.icpp, budget),
            None => Ok(Vec::new()),
        }
    }

    /// What they propose of values that only ghosts remember.
    fn ghosts(&mut self) -> Result<(Vec<Ghost>, Vec<Predicate>), Stop> {
        let &mut Impossible { ref mut program, alias, regions, path, budget, .. } = self;
        match explain(Subject { program, alias, regions }, path, budget)? {
            Some(explanation) => ghosts(program, alias, regions, path, &explanation.icpp, budget),
            None => Ok((Vec::new(), Vec::new())),
        }
    }

    fn interpolants(&mut self) -> Result<Vec<Predicate>, Stop> {
        interpolants(self.program, self.alias, self.regions, self.path, self.core, self.budget)
    }
}

/// Whether regions cover what a predicate reads; if not it would always be arbitrary.
fn is_useful(subject: Subject<'_>, predicate: Predicate) -> bool {
    places(subject.program, &[predicate])
        .into_iter()
        .all(|place| subject.regions.target(subject.program, subject.alias, place).is_ok())
}
