//! Storage that holds what nobody wrote: which parts of it there are, and the terms for what they hold.
//!
//! A model of a path says what such storage held. Whoever replays it wants to know that for variables in
//! memory and for allocated objects too, of which the terms are reads of whole regions. Recording is off
//! unless it is asked for ([`Encoder::record_fresh`]).

use hardbop_alias::{Leaf, ObjectId};
use hardbop_ir::{Arbitrary, EdgeId, Initial, PlaceBase, ProcId, Statement, TypeId, VarId};
use hardbop_logic::{Sort, Term};

use crate::aggregate::{first_offsets, offsets};
use crate::coder::{Coder, Encoder, Shape};
use crate::state::{Cell, State};

/// Storage that came into being, or was left arbitrary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fresh {
    /// Which.
    pub kind: FreshKind,
    /// Its parts: where, how many bytes, and what they hold.
    pub parts: Vec<(u64, u64, Term)>,
}

/// What storage it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreshKind {
    /// A global variable without an initial value.
    Global(VarId),
    /// A variable of the activation that starts.
    Local(VarId),
    /// A variable whose declaration is passed, which may happen more than once in an activation.
    Renewed(VarId),
    /// A variable that a function left arbitrary.
    Written(VarId),
    /// The object of an allocation by this step.
    Allocated(ProcId, EdgeId),
    /// Memory outside of the program, at the start or after a step that calls a function which may have changed it: one part, an array
    /// of bytes by address.
    Outside(Option<(ProcId, EdgeId)>),
    /// No storage: a pointer that is followed and may lead outside of the program, with what it points to.
    Followed(Option<TypeId>),
}

impl Encoder {
    /// Starts to record storage that holds what nobody wrote.
    pub fn record_fresh(&mut self) {
        self.fresh = Some(Vec::new());
    }

    /// What was recorded since the last time.
    pub fn take_fresh(&mut self) -> Vec<Fresh> {
        self.fresh.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn note(&mut self, kind: FreshKind, parts: Vec<(u64, u64, Term)>) {
        if let Some(fresh) = &mut self.fresh {
            fresh.push(Fresh { kind, parts });
        }
    }
}

impl Coder<'_> {
    /// Records the globals that have no initial value.
    pub(crate) fn note_globals(&mut self, state: &State) {
        if self.encoder.fresh.is_none() {
            return;
        }
        let program = self.program;
        for &var in &program.globals {
            if program.variables[var].initial == Initial::Arbitrary {
                let parts = self.contents(state, var);
                self.encoder.note(FreshKind::Global(var), parts);
            }
        }
        self.note_outside(state, None);
    }

    /// Records the variables of an activation that starts. Registers are left out: their symbols are those
    /// of [`Encoder::read_in`].
    pub(crate) fn note_locals(&mut self, state: &State, procedure: ProcId) {
        if self.encoder.fresh.is_none() {
            return;
        }
        let procedure = &self.program.procedures[procedure];
        for &var in procedure.locals.iter().chain(&procedure.result) {
            if self.alias.in_memory(var) {
                let parts = self.contents(state, var);
                self.encoder.note(FreshKind::Local(var), parts);
            }
        }
    }

    /// Records what an edge that was executed left arbitrary.
    pub(crate) fn note_edge(&mut self, state: &State, procedure: ProcId, edge: EdgeId) {
        if self.encoder.fresh.is_none() {
            return;
        }
        match &self.program.procedures[procedure].edges[edge].statement {
            Statement::Havoc(place, Arbitrary::Uninitialised) => {
                let place = self.program.place(*place);
                if let (PlaceBase::Var(var), true) = (place.base, place.path.is_empty()) {
                    let parts = self.contents(state, var);
                    self.encoder.note(FreshKind::Renewed(var), parts);
                }
            }
            Statement::Call { .. } => {
                for callee in self.alias.callees(procedure, edge).to_vec() {
                    for cell in self.modified_cells(callee) {
                        self.note_modified(state, cell);
                    }
                }
                if self.alias.calls_havoc(self.program, procedure, edge) {
                    self.note_outside(state, Some((procedure, edge)));
                }
            }
            _ => {}
        }
    }

    fn note_modified(&mut self, state: &State, cell: Cell) {
        match cell {
            Cell::Global(var) => {
                let parts = self.contents(state, var);
                self.encoder.note(FreshKind::Written(var), parts);
            }
            Cell::Region(region) => {
                if let Shape::Single { variable, offset, bytes } = self.shape(region) {
                    let value = self.get(state, cell);
                    self.encoder.note(FreshKind::Written(variable), vec![(offset, bytes, value)]);
                }
            }
            Cell::Local(..) | Cell::Live(_) | Cell::Tally(..) => {}
        }
    }

    /// Records the object of an allocation; of one of unknown size, what lies at its start.
    pub(crate) fn note_allocation(
        &mut self,
        state: &State,
        (procedure, edge): (ProcId, EdgeId),
        address: Term,
        size: Option<u64>,
    ) {
        if self.encoder.fresh.is_none() {
            return;
        }
        let object = self.alias.objects().allocation(procedure, edge);
        let parts = object.map(|object| self.parts_of(state, object, address, size)).unwrap_or_default();
        self.encoder.note(FreshKind::Allocated(procedure, edge), parts);
    }

    /// Of the values that an edge made arbitrary after so many others, those that a run is asked for when it
    /// takes the edge: of a call only the result, and nothing of storage that is left arbitrary.
    pub fn asked_for(&self, procedure: ProcId, edge: EdgeId, drawn_before: usize) -> Vec<Term> {
        let drawn = self.encoder.drawn_since(drawn_before);
        match &self.program.procedures[procedure].edges[edge].statement {
            Statement::Havoc(_, Arbitrary::Uninitialised) | Statement::Call { result: None, .. } => {
                Vec::new()
            }
            Statement::Call { result: Some(_), .. } => drawn.last().copied().into_iter().collect(),
            _ => drawn.to_vec(),
        }
    }

    /// What a variable of the current activation, or a global one, holds.
    fn contents(&mut self, state: &State, var: VarId) -> Vec<(u64, u64, Term)> {
        let size = self.program.size_of(self.program.variables[var].ty);
        match self.alias.objects().variable(var) {
            None => {
                let value = self.get(state, self.register(state.frame(), var));
                vec![(0, size, value)]
            }
            Some(object) => {
                let address = self.variable_address(state.frame(), var);
                self.parts_of(state, object, address, Some(size))
            }
        }
    }

    fn parts_of(
        &mut self,
        state: &State,
        object: ObjectId,
        address: Term,
        size: Option<u64>,
    ) -> Vec<(u64, u64, Term)> {
        let mut parts = Vec::new();
        for region in self.regions.regions_of(object) {
            for (_, cell) in self.regions.region(region).cells.iter().filter(|(o, _)| *o == object) {
                let leaves = Leaf::of_cell(region, *cell);
                let places = match size {
                    Some(_) => offsets(&leaves, size).unwrap_or_default(),
                    None => leaves.iter().flat_map(first_offsets).collect(),
                };
                for (offset, width) in places {
                    let at = self.offset(address, offset);
                    let value = self.load(state, region, at, width, &mut Vec::new());
                    if !matches!(self.encoder.terms.sort(value), Sort::Array(..)) {
                        parts.push((offset, width, value));
                    }
                }
            }
        }
        parts
    }
}
