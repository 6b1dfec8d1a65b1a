//! Counters: "`used` is the number of slots that are taken".
//!
//! Where a program keeps a count of the elements that have some value, the relation between the two is one condition for arrays of a few
//! elements: a sum over all of them. The values are those that the program writes to elements or compares them with, the counters all
//! numbers of the state.

use hardbop_alias::{ObjectKind, RegionKind};
use hardbop_logic::{Node, Sort, Term};
use hardbop_semantics::{Cell, Encoder, Frame, Meaning, Subject};
use rustc_hash::FxHashSet;

use crate::cube::bases;
use crate::system::Segment;

/// The most elements that are counted.
const MAX_ELEMENTS: usize = 64;
/// The most counts that are looked at.
const MAX_COUNTS: usize = 32;

/// Elements that have a value: that each of them does.
pub(crate) struct Counted(Vec<Term>);

impl Counted {
    /// That a number is the count, or the count of the other elements.
    pub(crate) fn conditions(&self, encoder: &mut Encoder, number: Term) -> [Term; 2] {
        let terms = &mut encoder.terms;
        let width = terms.width(number);
        let (zero, one) = (terms.bv(0, width), terms.bv(1, width));
        let mut count = zero;
        for &holds in &self.0 {
            let counts = terms.ite(holds, one, zero);
            count = terms.bv_add(count, counts);
        }
        let all = terms.bv(self.0.len() as u128, width);
        let others = terms.bv_sub(all, count);
        [terms.eq(number, count), terms.eq(number, others)]
    }
}

/// What may be counted in a program.
pub(crate) fn counted(encoder: &mut Encoder, subject: Subject<'_>, segments: &[Segment]) -> Vec<Counted> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for segment in segments {
        for t in encoder.terms.subterms(&segment.roots()) {
            let (array, value) = match *encoder.terms.node(t) {
                Node::Store(array, _, value) => (array, value),
                Node::Eq(element, value) => match *encoder.terms.node(element) {
                    Node::Select(array, _) => (array, value),
                    _ => continue,
                },
                _ => continue,
            };
            if !encoder.terms.node(value).is_constant() {
                continue;
            }
            for base in bases(&encoder.terms, array) {
                if seen.insert((base, value)) && found.len() < MAX_COUNTS {
                    found.extend(elements(encoder, subject, base).map(|elements| {
                        let same = |&element: &Term| encoder.terms.eq(element, value);
                        Counted(elements.iter().map(same).collect())
                    }));
                }
            }
        }
    }
    found
}

/// The elements of an array that is one variable, or a member of it, if there are few.
pub(crate) fn elements(encoder: &mut Encoder, subject: Subject<'_>, array: Term) -> Option<Vec<Term>> {
    let Some(Meaning::Cell(Cell::Region(region))) = encoder.meaning_of(array) else { return None };
    let region = subject.regions.region(region);
    let (RegionKind::Typed(_), &[(object, cell)]) = (region.kind, &region.cells[..]) else { return None };
    let ObjectKind::Variable(var) = subject.alias.objects()[object].kind else { return None };
    let size = subject.program.size_of(subject.program.variables[var].ty);
    let mut positions: Vec<u64> = cell.positions(size).take(MAX_ELEMENTS + 1).collect();
    if !subject.alias.is_single(object) || !(2..=MAX_ELEMENTS).contains(&positions.len()) {
        return None;
    }
    positions.sort_unstable();
    let start = encoder.on(subject).variable_address(Frame::ONLY, var);
    let Sort::BitVec(width) = encoder.terms.sort(start) else { return None };
    let at = |position: u64| {
        let offset = encoder.terms.bv(position.into(), width);
        let index = encoder.terms.bv_add(start, offset);
        encoder.terms.select(array, index)
    };
    Some(positions.into_iter().map(at).collect())
}
