//! Cutting a procedure into the steps of its abstraction.
//!
//! A *segment* is a path of edges between two cut points that is abstracted as one step, so that
//! what holds only in between (most of all the temporaries of lowering) needs no predicate. Cut
//! points are entry and exit, locations with a label, and locations where several edges meet; a
//! branch is followed once within a segment, and becomes a cut point the second time. A call ends
//! a segment, and what follows it, up to the next cut points, starts with the callee's results. Procedures that are
//! opaque are no more than what they may change, as external ones are: calling them is part of a segment.
//!
//! With [`Granularity::Statement`] every location is a cut point, as in the papers, but for those
//! behind assignments to temporaries: these belong to the statement that they are a part of.

use hardbop_alias::Alias;
use hardbop_ir::{EdgeId, LocationId, PlaceBase, PlaceId, ProcId, Procedure, Program, Statement, VarKind};
use rustc_hash::FxHashSet;

use crate::Context;

/// How much is abstracted at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Granularity {
    /// Paths between cut points.
    #[default]
    Chain,
    /// Single statements.
    Statement,
}

/// Where a segment starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Start {
    /// At a cut point.
    Location(LocationId),
    /// Where a call has just returned from this callee.
    Call(EdgeId, ProcId),
}

/// Where a segment ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Finish {
    /// At a cut point.
    Location(LocationId),
    /// Before the call of one of the procedures that an edge may call.
    Call(EdgeId, ProcId),
    /// After an edge that breaks a property or has no meaning.
    Failure,
}

/// A path that is abstracted as one step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Segment {
    pub(crate) start: Start,
    pub(crate) edges: Vec<EdgeId>,
    pub(crate) finish: Finish,
}

impl Segment {
    /// The predicates that need not be known where it starts, and where it ends.
    pub(crate) fn dead(
        &self,
        context: &Context<'_>,
        procedure: ProcId,
    ) -> (FxHashSet<usize>, FxHashSet<usize>) {
        let edges = &context.program.procedures[procedure].edges;
        let start = match self.start {
            Start::Location(location) => location,
            // The caller's own predicates are still those of before the call.
            Start::Call(edge, _) => edges[edge].source,
        };
        let end = match self.finish {
            Finish::Location(location) => context.dead(procedure, location),
            Finish::Call(edge, _) => context.dead(procedure, edges[edge].source),
            Finish::Failure => FxHashSet::default(),
        };
        (context.dead(procedure, start), end)
    }
}

/// What was executed between the moment of a caller's own variables and a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Prefix {
    /// Whether it starts at the entry of the procedure.
    pub(crate) from_entry: bool,
    pub(crate) edges: Vec<EdgeId>,
}

/// The prefix of a segment that starts after a call; empty for all others, and where the segment
/// that leads to the call brought all variables up to date.
pub(crate) fn prefix(program: &Program, procedure: ProcId, all: &[Segment], segment: &Segment) -> Prefix {
    let Start::Call(edge, callee) = segment.start else { return Prefix::default() };
    let leads = |s: &&Segment| s.finish == Finish::Call(edge, callee);
    match all.iter().find(leads) {
        Some(&Segment { start: Start::Location(location), ref edges, .. }) => {
            let from_entry = location == program.procedures[procedure].entry;
            Prefix { from_entry, edges: edges.clone() }
        }
        _ => Prefix::default(),
    }
}

/// Segments longer than this are cut.
const MAX_EDGES: usize = 200;

/// The segments of a procedure, grouped by where they start, in order of first reach.
pub(crate) fn segments(
    program: &Program,
    alias: &Alias,
    (procedure, opaque): (ProcId, &FxHashSet<ProcId>),
    granularity: Granularity,
) -> Vec<Segment> {
    let mut cutter = Cutter::new(program, alias, (procedure, opaque), granularity);
    cutter.run();
    cutter.found
}

struct Cutter<'a> {
    program: &'a Program,
    alias: &'a Alias,
    id: ProcId,
    opaque: &'a FxHashSet<ProcId>,
    procedure: &'a Procedure,
    out: Vec<Vec<EdgeId>>,
    cuts: FxHashSet<LocationId>,
    todo: Vec<Start>,
    seen: FxHashSet<Start>,
    found: Vec<Segment>,
}

impl<'a> Cutter<'a> {
    fn new(
        program: &'a Program,
        alias: &'a Alias,
        (id, opaque): (ProcId, &'a FxHashSet<ProcId>),
        granularity: Granularity,
    ) -> Self {
        let procedure = &program.procedures[id];
        let mut out = vec![Vec::new(); procedure.locations.len()];
        let mut incoming = vec![0u32; procedure.locations.len()];
        for (edge, e) in procedure.edges.iter() {
            out[e.source.index()].push(edge);
            incoming[e.target.index()] += 1;
        }
        let within: FxHashSet<LocationId> = procedure
            .edges
            .values()
            .filter(|e| granularity == Granularity::Chain || sets_temporary(program, &e.statement))
            .map(|e| e.target)
            .collect();
        let is_cut = |location: LocationId| {
            !within.contains(&location)
                || location == procedure.entry
                || location == procedure.exit
                || incoming[location.index()] > 1
                || !procedure.locations[location].labels.is_empty()
        };
        let mut cuts: FxHashSet<LocationId> = procedure.locations.ids().filter(|&l| is_cut(l)).collect();
        for (edge, e) in procedure.edges.iter() {
            // What an external procedure does is part of a segment, what another one does is none: two
            // ways meet behind a call of both.
            let is_step = |&c: &ProcId| is_step(program, opaque, c);
            let callees = alias.callees(id, edge);
            if callees.iter().any(is_step) && !callees.iter().all(is_step) {
                cuts.insert(e.target);
            }
        }
        let start = Start::Location(procedure.entry);
        Cutter {
            program,
            alias,
            id,
            opaque,
            procedure,
            out,
            cuts,
            todo: vec![start],
            seen: FxHashSet::from_iter([start]),
            found: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some(start) = self.todo.pop() {
            match start {
                Start::Location(location) => self.follow(start, location, Vec::new(), false),
                Start::Call(edge, _) => {
                    let target = self.procedure.edges[edge].target;
                    self.arrive(start, target, Vec::new(), false);
                }
            }
        }
    }

    /// Goes on from a location that is not the end of the segment.
    fn follow(&mut self, start: Start, location: LocationId, edges: Vec<EdgeId>, branched: bool) {
        let out = self.out[location.index()].clone();
        for &edge in out.iter().rev() {
            self.step(start, edge, edges.clone(), branched || out.len() > 1);
        }
    }

    fn step(&mut self, start: Start, edge: EdgeId, mut edges: Vec<EdgeId>, branched: bool) {
        let e = &self.procedure.edges[edge];
        match &e.statement {
            Statement::Call { .. } => {
                let callees: Vec<ProcId> = self.alias.callees(self.id, edge).to_vec();
                let is_step = |&c: &ProcId| is_step(self.program, self.opaque, c);
                let (steps, bodies): (Vec<ProcId>, Vec<ProcId>) = callees.into_iter().partition(is_step);
                for callee in bodies {
                    self.finish(start, edges.clone(), Finish::Call(edge, callee));
                    self.visit(Start::Call(edge, callee));
                }
                if !steps.is_empty() {
                    edges.push(edge);
                    self.arrive(start, e.target, edges, branched);
                }
            }
            Statement::Error(_) | Statement::Unsupported(_) => {
                edges.push(edge);
                self.finish(start, edges, Finish::Failure);
            }
            Statement::Halt(_) => {}
            _ => {
                edges.push(edge);
                self.arrive(start, e.target, edges, branched);
            }
        }
    }

    fn arrive(&mut self, start: Start, location: LocationId, edges: Vec<EdgeId>, branched: bool) {
        let branches = self.out[location.index()].len() > 1;
        let cut = self.cuts.contains(&location)
            || branches && branched
            || edges.len() >= MAX_EDGES
            || self.seen.contains(&Start::Location(location));
        if cut {
            self.finish(start, edges, Finish::Location(location));
            self.visit(Start::Location(location));
        } else {
            self.follow(start, location, edges, branched);
        }
    }

    fn finish(&mut self, start: Start, edges: Vec<EdgeId>, finish: Finish) {
        self.found.push(Segment { start, edges, finish });
    }

    fn visit(&mut self, start: Start) {
        if self.seen.insert(start) {
            self.todo.push(start);
        }
    }
}

/// Whether a call of a procedure is a step like others: it has no body, or none that is looked at.
fn is_step(program: &Program, opaque: &FxHashSet<ProcId>, procedure: ProcId) -> bool {
    program.procedures[procedure].external.is_some() || opaque.contains(&procedure)
}

/// Whether a statement computes a part of another one.
fn sets_temporary(program: &Program, statement: &Statement) -> bool {
    let is_temporary = |place: PlaceId| match program.place(place).base {
        PlaceBase::Var(var) => program.variables[var].kind == VarKind::Temp,
        PlaceBase::Deref(_) => false,
    };
    match statement {
        Statement::Assign(place, _) | Statement::Havoc(place, _) => is_temporary(*place),
        Statement::Call { result, .. } => result.is_some(),
        _ => false,
    }
}
