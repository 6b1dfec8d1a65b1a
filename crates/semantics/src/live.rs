//! Which heap objects are alive: ghost cells that the encoder keeps itself, if it is told to ([`Encoder::track_heap`]).
//!
//! There is one for each *kind* of heap object: objects of two allocations are of one kind if they have values in one region, so that nodes
//! of a list are of one kind wherever they are allocated, and those of a tree are of another.
//!
//! It is an array from addresses to truth values: true at the address of each heap object of its kind that is alive, false
//! everywhere else. Nothing is alive where the program starts. An allocation that succeeds gives an address at which nothing is alive, and
//! makes it alive; what is freed was alive, and is not any more. Procedures of which only the effect is known may free what is known to them, so
//! it is arbitrary behind them.
//!
//! What it is for: an access through a pointer that can only lead to heap objects at known offsets, or to variables, passes only if one of
//! them is there, since a run ends where it accesses an object that is gone (`docs/soundness.md`). So "each node that is alive is
//! pending" is of use wherever a node is accessed, and a new node is none of the others, without a word about lists.
//!
//! How many there are, and in which order they came, is in other cells ([`crate::tally`]).
//!
//! The real contents of the cells are determined by the run, and nothing of the program depends on them. Conditions that mention them hold in
//! every run that gets past the statement, so that who tracks them excludes no run. Who does not, knows less.

use hardbop_alias::{AccessBytes, ObjectId, ObjectKind, RegionId, footprint};
use hardbop_ir::{Effect, ExprId, MemoryKind, PlaceBase, PlaceId, ProcId, Statement, VarId};
use hardbop_logic::{Scalar, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coder::{Coder, Encoder, Subject};
use crate::state::{Cell, State};
use crate::tally::Tally;

/// The most places that an access may lead to for anything to be said of it.
const MAX_WAYS: usize = 4;

/// The most kinds of heap objects that are told apart. If there are more, all are of one.
const MAX_KINDS: usize = 8;

/// What a pointer that is followed leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// This offset of a heap object of a kind.
    Heap(ObjectId, u64),
    /// This offset of a variable that lies at one place.
    Variable(VarId, u64),
}

impl Encoder {
    /// Keeps track of the heap objects that are alive from now on, if the program allocates any; or stops doing so.
    pub fn track_heap(&mut self, subject: Subject<'_>, track: bool) {
        self.kinds.clear();
        self.ways.clear();
        self.tallies_heap = false;
        if track && !may_stay_in_place(subject) {
            self.kinds = kinds(subject);
        }
    }

    /// Whether heap objects that are alive are kept track of.
    pub fn tracks_heap(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// The kinds of heap objects that are kept track of, each by its first object.
    pub fn heap_kinds(&self) -> Vec<ObjectId> {
        let mut kinds: Vec<ObjectId> = self.kinds.values().copied().collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// The kind of a heap object that is kept track of.
    pub fn heap_kind(&self, object: ObjectId) -> Option<ObjectId> {
        self.kinds.get(&object).copied()
    }
}

/// For each heap object, the first one that is of its kind.
fn kinds(subject: Subject<'_>) -> FxHashMap<ObjectId, ObjectId> {
    let objects = subject.alias.objects();
    let heap = || objects.iter().filter(|(_, object)| is_heap(&object.kind)).map(|(id, _)| id);
    let mut kinds: FxHashMap<ObjectId, ObjectId> = heap().map(|id| (id, id)).collect();
    for (_, region) in subject.regions.regions().iter() {
        let mut own = region.cells.iter().filter_map(|(object, _)| kinds.get(object).copied());
        let Some(first) = own.next() else { continue };
        let others: Vec<ObjectId> = own.collect();
        let least = others.iter().copied().fold(first, ObjectId::min);
        for kind in kinds.values_mut().filter(|kind| **kind == first || others.contains(kind)) {
            *kind = least;
        }
    }
    let different: FxHashSet<ObjectId> = kinds.values().copied().collect();
    if different.len() > MAX_KINDS
        && let Some(first) = heap().next()
    {
        kinds.values_mut().for_each(|kind| *kind = first);
    }
    kinds
}

/// Whether an object may be moved to where it lies already, as by `realloc`, and the program can tell. The new object is made while the
/// old one is still alive.
fn may_stay_in_place(subject: Subject<'_>) -> bool {
    let Subject { program, alias, .. } = subject;
    let is_told = |pointer: ExprId| {
        alias.points_to(program, pointer).iter().any(|target| alias.is_compared(target.object))
    };
    let reached = program.procedures.iter().filter(|(id, _)| alias.calls().is_reached(*id));
    let mut statements =
        reached.flat_map(|(_, procedure)| procedure.edges.values()).map(|edge| &edge.statement);
    statements.any(|statement| match *statement {
        Statement::CopyObject { target, source } => is_told(target) && is_told(source),
        _ => false,
    })
}

fn is_heap(kind: &ObjectKind) -> bool {
    matches!(kind, ObjectKind::Allocation { kind: MemoryKind::Heap | MemoryKind::ZeroedHeap, .. })
}

impl Coder<'_> {
    /// The sort of the cell.
    pub(crate) fn live_sort(&self) -> Sort {
        Sort::Array(Scalar::BitVec(self.pointer_bits()), Scalar::Bool)
    }

    /// Nothing is alive yet.
    pub(crate) fn start_heap(&mut self, state: &mut State) {
        for kind in self.encoder.heap_kinds() {
            let index = Scalar::BitVec(self.pointer_bits());
            let none = self.terms().bool(false);
            let nothing = self.terms().constant_array(index, none);
            self.set(state, Cell::Live(kind), nothing);
            self.start_tally(state, kind);
        }
    }

    /// An object is allocated at an address, unless that fails.
    pub(crate) fn make_alive(
        &mut self,
        state: &mut State,
        (object, kind): (Option<ObjectId>, MemoryKind),
        address: Term,
        fails: Option<Term>,
        conditions: &mut Vec<Term>,
    ) {
        if !self.encoder.tracks_heap() || kind == MemoryKind::Stack {
            return;
        }
        let own = object.and_then(|object| self.encoder.heap_kind(object));
        for kind in self.encoder.heap_kinds() {
            let live = self.get(state, Cell::Live(kind));
            let terms = self.terms();
            let known = terms.select(live, address);
            let mut is_new = terms.not(known);
            if let Some(fails) = fails {
                is_new = terms.or(&[fails, is_new]);
            }
            conditions.push(is_new);
        }
        let Some(kind) = own else { return };
        let live = self.get(state, Cell::Live(kind));
        let terms = self.terms();
        let yes = terms.bool(true);
        let mut after = terms.store(live, address, yes);
        if let Some(fails) = fails {
            after = terms.ite(fails, live, after);
        }
        self.set(state, Cell::Live(kind), after);
        self.tally_new(state, kind, address, fails, conditions);
    }

    /// What lies at an address is freed, if it is not null. Memory outside of the program may be freed too, and was never alive here.
    pub(crate) fn make_dead(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        address: Term,
        conditions: &mut Vec<Term>,
    ) {
        if !self.encoder.tracks_heap() {
            return;
        }
        let world = self.alias.objects().world();
        let targets = self.alias.points_to(self.program, pointer);
        let is_own = targets.iter().all(|target| target.object != world);
        let mut kinds: Vec<ObjectId> =
            targets.iter().filter_map(|target| self.encoder.heap_kind(target.object)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let null = self.constant(0, self.pointer_bits());
        let mut ways = vec![self.terms().eq(address, null)];
        for kind in kinds {
            let live = self.get(state, Cell::Live(kind));
            let terms = self.terms();
            let known = terms.select(live, address);
            ways.push(known);
            let no = terms.bool(false);
            let after = terms.store(live, address, no);
            self.set(state, Cell::Live(kind), after);
            self.tally_freed(state, kind, known);
        }
        if is_own {
            let one = self.terms().or(&ways);
            conditions.push(one);
        }
    }

    /// An access to a place that is at an address passes only if something is there.
    pub(crate) fn require_alive(
        &mut self,
        state: &State,
        place: PlaceId,
        address: Term,
        conditions: &mut Vec<Term>,
    ) {
        if !self.encoder.tracks_heap() {
            return;
        }
        let ways = match self.encoder.ways.get(&place) {
            Some(ways) => ways.clone(),
            None => {
                let ways = self.ways(place);
                self.encoder.ways.insert(place, ways.clone());
                ways
            }
        };
        if ways.is_empty() {
            return;
        }
        let mut all = Vec::new();
        for way in ways {
            all.push(match way {
                Way::Heap(kind, offset) => {
                    let live = self.get(state, Cell::Live(kind));
                    let offset = self.constant(offset.into(), self.pointer_bits());
                    let start = self.terms().bv_sub(address, offset);
                    self.terms().select(live, start)
                }
                Way::Variable(var, offset) => {
                    let start = self.variable_address(state.frame(), var);
                    let at = self.offset(start, offset);
                    self.terms().eq(address, at)
                }
            });
        }
        let one = self.terms().or(&all);
        conditions.push(one);
    }

    /// Where a place that is accessed can be, if that is one of few positions of heap objects and variables; empty otherwise, and for
    /// places that are only in variables.
    fn ways(&self, place: PlaceId) -> Vec<Way> {
        let is_followed = matches!(self.program.place(place).base, PlaceBase::Deref(_));
        if !is_followed || footprint(self.program, place).bits.is_some() {
            return Vec::new();
        }
        let touched = self.alias.touched(self.program, place);
        let ways: Option<Vec<Way>> = touched.into_iter().map(|touched| self.way(touched)).collect();
        let mut ways = ways.unwrap_or_default();
        ways.sort_unstable();
        ways.dedup();
        if ways.len() > MAX_WAYS || !ways.iter().any(|way| matches!(way, Way::Heap(..))) {
            ways.clear();
        }
        ways
    }

    fn way(&self, (object, bytes): (ObjectId, AccessBytes)) -> Option<Way> {
        let kind = &self.alias.objects()[object].kind;
        match *kind {
            _ if !bytes.is_exact() => None,
            ObjectKind::Variable(var) if self.alias.is_single(object) => {
                Some(Way::Variable(var, bytes.offset))
            }
            _ => Some(Way::Heap(self.encoder.heap_kind(object)?, bytes.offset)),
        }
    }

    /// Where the values of a region lie in heap objects of a kind, if that is the same place in all that have some.
    pub fn place_in_nodes(&self, region: RegionId, kind: ObjectId) -> Option<u64> {
        let cells = self.regions.region(region).cells.iter();
        let mut own = cells
            .filter(|(object, _)| self.encoder.heap_kind(*object) == Some(kind))
            .map(|(_, bytes)| *bytes);
        let first = own.next()?;
        let is_same = |bytes: AccessBytes| bytes.is_exact() && bytes.offset == first.offset;
        (is_same(first) && own.all(is_same)).then_some(first.offset)
    }

    /// The cells that say what is on the heap and that a procedure may change, as far as is seen easily.
    pub(crate) fn heap_cells_of(&self, procedure: ProcId) -> Vec<Cell> {
        let frees = |effect: Effect| {
            let objects = self.alias.objects();
            effect.reaches_memory()
                && objects.iter().any(|(id, object)| is_heap(&object.kind) && self.alias.is_escaped(id))
        };
        let mut cells = Vec::new();
        if self.program.procedures[procedure].external.is_none_or(frees) {
            for kind in self.encoder.heap_kinds() {
                cells.push(Cell::Live(kind));
                if self.encoder.tallies_heap {
                    cells.extend(Tally::ALL.map(|tally| Cell::Tally(tally, kind)));
                }
            }
        }
        cells
    }
}
