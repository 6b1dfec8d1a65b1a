//! Whether a run can depend on where an object lies.
//!
//! Copies of addresses, and steps in an object, do not: with the object in another place the run is the same. What does is
//! computing with an address as with a number (bits of it, remainders, narrow integers, bytes of which some are replaced),
//! comparing it with a number or taking it for a size, and comparing it with an address in another object. Two pointers into
//! one object that is there only once compare as their positions do, wherever it is. Of objects that
//! are never freed, two addresses inside are equal if object and position are.

use hardbop_ir::DataModel;

use crate::flow::Comparison;
use crate::location::Location;
use crate::object::{ObjectId, ObjectKind};
use crate::query::Alias;

/// For each object, whether a run can depend on its place.
pub(crate) fn observed(alias: &Alias, model: DataModel) -> Vec<bool> {
    let solution = &alias.solution;
    let mut observed = solution.noticed.clone();
    solution.told.iter().for_each(|fact| observed[fact.object.index()] = true);
    for ((object, _), cells) in solution.objects.iter().zip(&solution.contents) {
        for (_, facts) in cells.iter().filter(|(cell, _)| solution.is_mixed(object, *cell)) {
            facts.iter().for_each(|fact| observed[fact.object.index()] = true);
        }
    }
    for (a, b, how) in &solution.comparisons {
        let facts = || a.iter().chain(b.iter());
        if a.is_empty() || b.is_empty() || !tells_nothing(alias, model, facts().copied(), *how) {
            facts().for_each(|fact| observed[fact.object.index()] = true);
        }
    }
    observed
}

/// Whether the result of a comparison is the same wherever the objects lie.
fn tells_nothing(
    alias: &Alias,
    model: DataModel,
    mut facts: impl Iterator<Item = Location> + Clone,
    how: Comparison,
) -> bool {
    let Some(first) = facts.clone().next() else { return true };
    let one = facts.clone().all(|fact| fact.object == first.object) && alias.is_there_once(first.object);
    match how {
        // Where pointers go round at the end of memory depends on the place, with 32 bits within reach of an index.
        Comparison::Order => one && model == DataModel::Lp64,
        Comparison::Equality => one || facts.all(|fact| alias.is_inside(fact)),
    }
}

impl Alias {
    /// Whether a run can depend on where an object lies. If it cannot, any place is as good as any other.
    pub fn is_observed(&self, object: ObjectId) -> bool {
        self.observed[object.index()]
    }

    /// Whether all addresses of an object that there can be are those of one object that is alive, or was the last.
    fn is_there_once(&self, object: ObjectId) -> bool {
        matches!(self.objects()[object].kind, ObjectKind::Variable(_))
            && self.is_single(object)
            && (self.objects().is_lasting(object) || !self.is_outlived(object))
    }

    /// Whether a fact is a position inside of an object whose address is not used again.
    fn is_inside(&self, fact: Location) -> bool {
        let known = &self.objects()[fact.object];
        let reused = match known.kind {
            ObjectKind::Variable(_) => {
                !self.objects().is_lasting(fact.object) && self.is_outlived(fact.object)
            }
            ObjectKind::Allocation { .. } => self.is_freed(fact.object) || self.is_outlived(fact.object),
            ObjectKind::World => true,
            ObjectKind::Procedure(_) => false,
        };
        !reused && fact.is_exact() && known.size.is_some_and(|size| fact.offset < size)
    }
}
