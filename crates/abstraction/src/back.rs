//! From a boolean program back to the program.
//!
//! Statements are known by their tags; procedures and variables by the ids that `bp::resolve` gives them,
//! which follow from the order of the text. Names are for people only.

use hardbop_bp::{Flow, LocId, Tag};
use hardbop_ir::{EdgeId, LocationId, ProcId};
use rustc_hash::FxHashMap;

use crate::segment::Segment;
use crate::step::Variable;

/// What the parts of a boolean program stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackMap {
    /// Where the boolean program starts.
    pub entry: ProcId,
    /// For each tag, the procedure and what the statement stands for.
    pub(crate) origins: Vec<(ProcId, Origin)>,
    /// For each boolean procedure, by its id, the procedure.
    pub(crate) procedures: Vec<ProcId>,
    /// For each boolean variable, by its id, what it is; nothing for those that are of use to the boolean
    /// program only.
    pub(crate) variables: Vec<Option<Variable>>,
    /// The cut points of each procedure, and the statement that stands there.
    pub(crate) points: Vec<(ProcId, LocationId, Tag)>,
    /// For each statement that takes a step, the segment that it stands for.
    pub(crate) segments: FxHashMap<Tag, (ProcId, Segment)>,
}

/// What a statement of a boolean program stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A part of the control skeleton.
    Nothing,
    /// The guard of some edges, whose effect the next statement has.
    Guard(Vec<EdgeId>),
    /// Some edges, executed one after the other.
    Edges(Vec<EdgeId>),
    /// The call on this edge.
    Call(EdgeId),
    /// The edge that breaks a property or has no meaning.
    Failure(EdgeId),
    /// The return from the procedure.
    Return,
}

impl BackMap {
    /// Of a boolean program without procedures.
    pub(crate) fn new(entry: ProcId) -> Self {
        BackMap {
            entry,
            origins: Vec::new(),
            procedures: Vec::new(),
            variables: Vec::new(),
            points: Vec::new(),
            segments: FxHashMap::default(),
        }
    }

    /// The number of statements.
    pub fn statements(&self) -> usize {
        self.origins.len()
    }

    /// The procedure that a statement belongs to, and what it stands for.
    pub fn origin(&self, tag: Tag) -> Option<&(ProcId, Origin)> {
        self.origins.get(tag.index())
    }

    /// The procedure that a boolean procedure stands for.
    pub fn procedure(&self, id: hardbop_bp::ProcId) -> Option<ProcId> {
        self.procedures.get(id.index()).copied()
    }

    /// The position of the predicate whose current value a boolean variable is.
    pub fn predicate(&self, id: hardbop_bp::VarId) -> Option<usize> {
        match self.variable(id)? {
            Variable::Predicate(i) => Some(i),
            _ => None,
        }
    }

    /// What a boolean variable is to the procedure that it belongs to.
    pub(crate) fn variable(&self, id: hardbop_bp::VarId) -> Option<Variable> {
        self.variables.get(id.index()).copied().flatten()
    }

    /// The cut points of all procedures, and where they are in the boolean program.
    pub fn points(&self, flow: &Flow) -> impl Iterator<Item = (ProcId, LocationId, LocId)> {
        let mut stands_at: FxHashMap<Tag, LocId> = FxHashMap::default();
        for edge in flow.edges.values() {
            if let Some(tag) = edge.tag {
                stands_at.entry(tag).or_insert(edge.source);
            }
        }
        let located = move |&(procedure, location, tag): &(ProcId, LocationId, Tag)| {
            Some((procedure, location, *stands_at.get(&tag)?))
        };
        self.points.iter().filter_map(located)
    }

    /// Adds a statement.
    pub(crate) fn add(&mut self, procedure: ProcId, origin: Origin) -> Tag {
        let tag = Tag::from_usize(self.origins.len());
        self.origins.push((procedure, origin));
        tag
    }
}
