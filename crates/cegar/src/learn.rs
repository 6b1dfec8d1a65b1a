//! What a path that cannot be run teaches: predicates, from one source after the other, or stronger steps.

use hardbop_base::{Budget, Stop};
use hardbop_ir::{Program, VarId};
use hardbop_path::{Auxiliary, Path};
use hardbop_predicate::{Predicate, places, variables};
use hardbop_semantics::Subject;
use rustc_hash::FxHashSet;

use crate::divergence::Watch;
use crate::dormant::Dormant;
use crate::flags::contradicted;
use crate::machine::Machines;
use crate::sources::{Interpolants, MOST, ORDER, Proposal, Turn};
use hardbop_verdict::Reason;

/// A path that cannot be run, and what is known of it.
pub(crate) struct Impossible<'a> {
    /// The program that it belongs to, with what is needed to look at it.
    pub(crate) subject: Subject<'a>,
    pub(crate) path: &'a Path,
    /// The steps that contradict each other.
    pub(crate) core: &'a [usize],
    /// What its weakest preconditions propose.
    pub(crate) proposals: &'a [Predicate],
    /// Strengthens the steps of its trace, for some predicates; says whether it could.
    pub(crate) strengthen: &'a mut dyn FnMut(&[Predicate]) -> Result<bool, Stop>,
    pub(crate) budget: &'a Budget,
}

/// What was learnt.
pub(crate) enum Lesson {
    /// New predicates, or stronger steps.
    Learnt,
    /// The same, and predicates grow without an end in sight.
    Growing,
    /// Nothing new.
    Nothing,
    /// Predicates about ghosts, which the program has from now on.
    Remembers(Box<Auxiliary>),
}

/// The predicates that are tracked, and all that ever were.
pub(crate) struct Lessons {
    pub(crate) predicates: Vec<Predicate>,
    known: FxHashSet<Predicate>,
    watch: Watch,
    machines: Machines,
    /// What paths may ask for.
    dormant: Dormant,
    /// What they have asked for, and how often they asked for nothing else: that is no sign of trouble.
    woken: Vec<Predicate>,
    pub(crate) wakings: usize,
}

impl Lessons {
    /// Starts with some predicates, and others that paths may ask for.
    pub(crate) fn new(program: &Program, mut predicates: Vec<Predicate>, dormant: Dormant) -> Self {
        let mut known = FxHashSet::default();
        predicates.retain(|&predicate| known.insert(predicate));
        Lessons {
            predicates,
            known,
            watch: Watch::new(program),
            machines: Machines::default(),
            dormant,
            woken: Vec::new(),
            wakings: 0,
        }
    }

    /// Forgets all that paths taught, except for the variables that they asked for, and goes on with other predicates.
    pub(crate) fn restart(&mut self, program: &Program, predicates: Vec<Predicate>) {
        let dormant = std::mem::take(&mut self.dormant);
        let (woken, wakings) = (std::mem::take(&mut self.woken), self.wakings);
        let again = Lessons::new(program, [&woken[..], &predicates[..]].concat(), dormant);
        *self = Lessons { woken, wakings, ..again };
    }

    /// Learns from a path: from the first source that has something new.
    pub(crate) fn learn(&mut self, mut path: Impossible<'_>) -> Result<Lesson, Reason> {
        if self.follow(&path) || self.wake(&path) {
            return Ok(Lesson::Learnt);
        }
        for Turn { source, most } in &ORDER {
            let new = match source.propose(&mut path, &self.predicates)? {
                Proposal::Predicates(proposals) => self.select(path.subject, &proposals, *most),
                Proposal::Again(proposals) => proposals.into_iter().take(*most).collect(),
                Proposal::Stronger(true) => return Ok(Lesson::Learnt),
                Proposal::Stronger(false) | Proposal::Remember(None) => Vec::new(),
                Proposal::Remember(Some(found)) => {
                    let subject = Subject { program: &found.program, ..path.subject };
                    let new = self.select(subject, &found.predicates, *most);
                    if !new.is_empty() {
                        self.predicates.extend(new);
                        return Ok(Lesson::Remembers(found));
                    }
                    new
                }
            };
            if !new.is_empty() {
                return self.track(&path, new);
            }
        }
        Ok(Lesson::Nothing)
    }

    /// Tracks variables with few values that alone say that a path cannot be run. Whether there are such.
    fn follow(&mut self, path: &Impossible<'_>) -> bool {
        let program = path.subject.program;
        let asked = contradicted(program, path.path, self.dormant.finite());
        let follows = self.awake(program, asked);
        self.wakings += usize::from(follows);
        follows
    }

    /// Tracks all that can be seen of some variables. They stand in the order of the program, before what else is
    /// tracked: variables that are declared near each other are used near each other, and relations between
    /// them stay small.
    fn awake(&mut self, program: &Program, asked: impl IntoIterator<Item = VarId>) -> bool {
        let woken = self.dormant.wake(asked);
        let new: Vec<Predicate> = woken.into_iter().filter(|&new| self.known.insert(new)).collect();
        self.predicates.retain(|predicate| !self.woken.contains(predicate));
        self.woken.extend(&new);
        self.woken.sort_by_key(|predicate| variables(program, predicate.expr).into_iter().min());
        self.predicates.splice(0..0, self.woken.iter().copied());
        !new.is_empty()
    }

    /// Tracks all that can be seen of the variables with few values that a path asks for, and what it says of nothing
    /// else. Whether it asks for some.
    fn wake(&mut self, path: &Impossible<'_>) -> bool {
        let program = path.subject.program;
        let asked = path.proposals.iter().flat_map(|predicate| variables(program, predicate.expr));
        if !self.awake(program, asked) {
            return false;
        }
        let others = path.proposals.iter().copied().filter(|&p| !self.dormant.is_about(program, p));
        let others = self.select(path.subject, &others.collect::<Vec<_>>(), MOST);
        self.wakings += usize::from(others.is_empty());
        self.predicates.extend(others);
        true
    }

    /// Tracks new predicates, or others in their place where there would be more and more of them.
    fn track(&mut self, path: &Impossible<'_>, new: Vec<Predicate>) -> Result<Lesson, Reason> {
        let Subject { program, alias, .. } = path.subject;
        let grows = self.watch.note(program, alias, &new).map_err(Reason::Divergence)?;
        let change = self.machines.note(program, &new);
        self.predicates.extend(new);
        self.predicates.retain(|predicate| !change.removed.contains(predicate));
        let encoded = self.select(path.subject, &change.added, MOST);
        self.predicates.extend(encoded);
        let Some(relations) = grows else { return Ok(Lesson::Learnt) };
        let mut further = Interpolants::of(path)?;
        further.extend(relations);
        let further = self.select(path.subject, &further, MOST);
        if !further.is_empty() {
            let replaced = self.watch.replaced();
            self.predicates.retain(|predicate| !replaced.contains(predicate));
        }
        self.predicates.extend(further);
        Ok(Lesson::Growing)
    }

    /// Of some proposals, those to track from now on.
    fn select(&mut self, subject: Subject<'_>, proposals: &[Predicate], most: usize) -> Vec<Predicate> {
        let useful = proposals.iter().copied().filter(|&predicate| is_useful(subject, predicate));
        useful.filter(|&predicate| self.known.insert(predicate)).take(most).collect()
    }
}

/// Whether regions cover what a predicate reads; if not it would always be arbitrary.
fn is_useful(subject: Subject<'_>, predicate: Predicate) -> bool {
    places(subject.program, &[predicate])
        .into_iter()
        .all(|place| subject.regions.target(subject.program, subject.alias, place).is_ok())
}
