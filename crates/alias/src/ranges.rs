//! What indices can be, so that an element of an array does not count as reaching the members beside it.
//!
//! An interval analysis of the whole program, sensitive to control flow, that uses points-to sets, which are smaller where indices are
//! bounded: where a table may be written at any index, so may the counter behind it, and the counter is the index. So the first points-to
//! sets are those if all indices of arrays with a length stay in their arrays. What this analysis then finds confirms that, or it is
//! supposed no longer, and all is done again. That is sound: a run in which an index is not what was supposed has a first evaluation of
//! such an index; up to there everything was as supposed, so the points-to sets hold, and what was found with them holds at that
//! evaluation, too. Confirmed bounds may bound more, as long as that goes on. What the analysis follows are *slots*: registers, and scalars at
//! one position of an object of which there is only one, as far as they can influence an index (`slots.rs`). Memory
//! is written strongly where a place is one slot, weakly where it may be several. The index of a write is
//! bounded by the very state in which it is executed, so a buffer in a record and the position that indexes it
//! keep each other in bounds.
//!
//! A procedure is analysed once for all its callers: its entry joins their states, and what it cannot write keeps
//! the caller's value. Loops, entries, and exits of recursive procedures are widened, first to constants that the program compares with, then to the
//! bounds of the type.
//!
//! The result is a claim about the places and sums of the program, at the points where it evaluates them: predicates that mention
//! the same places elsewhere speak of what the encoder has there, which is arbitrary outside of the bounds.

mod slots;
mod transfer;

use std::collections::BTreeSet;
use std::rc::Rc;

use hardbop_base::{Budget, Stop};
use hardbop_domains::Interval;
use hardbop_ir::{
    BinaryOp, EdgeId, ExprId, ExprKind, LocationId, Order, PlaceBase, PlaceId, ProcId, Program, Projection,
    Type, visit,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::query::{Alias, Queries};
use slots::{Growth, Slots};

/// Slots times locations beyond which nothing is bounded: a state is kept for each location.
const MAX_STATES: usize = 1 << 21;
/// How often a slot grows before it is widened to constants of the program.
const PATIENCE: u8 = 3;
/// How often it grows before it is widened to the bounds of its type.
const MAX_TIMES: u8 = 8;

/// What is known of the slots at a location; nothing of a slot that can be anything of its type.
type State = Vec<Option<Interval>>;

/// Bounds of indices, at all points of the program that evaluate them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounds {
    /// By place and index.
    places: FxHashMap<(PlaceId, ExprId), Option<Interval>>,
    /// By sum of a pointer and an index.
    sums: FxHashMap<ExprId, Option<Interval>>,
}

impl Bounds {
    /// What an index of a place can be.
    pub(crate) fn of_index(&self, place: PlaceId, index: ExprId) -> Option<Interval> {
        self.places.get(&(place, index)).copied().flatten()
    }

    /// What is added to a pointer.
    pub(crate) fn of_sum(&self, sum: ExprId) -> Option<Interval> {
        self.sums.get(&sum).copied().flatten()
    }

    /// What indices are if they stay in their arrays.
    pub(crate) fn supposed(program: &Program) -> Bounds {
        let mut bounds = Bounds::default();
        for (id, place) in program.places().iter() {
            let mut ty = match place.base {
                PlaceBase::Var(var) => program.variables.get(var).map(|variable| variable.ty),
                PlaceBase::Deref(pointer) => program.pointee(program.expr(pointer).ty),
            };
            for projection in &place.path {
                ty = match (*projection, ty.map(|ty| program.ty(ty))) {
                    (Projection::Field(n), Some(&Type::Record(record))) => {
                        program.records[record].fields.get(n as usize).map(|field| field.ty)
                    }
                    (Projection::Index(index), Some(&Type::Array { element, length })) => {
                        if length > 0 && program.as_int(index).is_none() {
                            let inside = Interval { low: 0, high: i128::from(length) - 1 };
                            bounds.places.insert((id, index), Some(inside));
                        }
                        Some(element)
                    }
                    _ => None,
                };
            }
        }
        bounds
    }

    /// What may be supposed after all, if what was found does not confirm all of it. What was wrong twice is supposed no longer.
    pub(crate) fn revised(
        &self,
        (program, alias): (&Program, &Alias),
        found: &Bounds,
        wrong: &mut FxHashSet<(PlaceId, ExprId)>,
    ) -> Option<Bounds> {
        let mut revised = self.clone();
        let mut is_confirmed = true;
        let mut places: FxHashSet<PlaceId> = FxHashSet::default();
        for procedure in program.procedures.ids().filter(|&p| alias.calls().is_reached(p)) {
            for edge in program.procedures[procedure].edges.ids() {
                places.extend(evaluated(program, procedure, edge).0);
            }
        }
        for (key, bound) in revised.places.iter_mut().filter(|(key, _)| places.contains(&key.0)) {
            let Some(supposed) = *bound else { continue };
            // Where no run seems to come, nothing is supposed: then that need not be right.
            let found = found.places.get(key).copied().flatten();
            if found.is_some_and(|found| supposed.low <= found.low && found.high <= supposed.high) {
                continue;
            }
            is_confirmed = false;
            *bound = found.filter(|_| wrong.insert(*key)).map(|found| supposed.join(found));
        }
        (!is_confirmed).then_some(revised)
    }

    /// Forgets what was supposed of places that the program does not evaluate, such as those of predicates.
    pub(crate) fn keep(&mut self, found: &Bounds) {
        self.places.retain(|key, _| found.places.contains_key(key));
    }

    /// What these and others say together; nothing if the others say nearly as much.
    pub(crate) fn narrowed(mut self, others: &Bounds) -> Option<Bounds> {
        let places = narrow(&mut self.places, &others.places);
        let sums = narrow(&mut self.sums, &others.sums);
        (places || sums).then_some(self)
    }

    /// Finds the bounds, with what pointers can point to; nothing if the program is too large for that.
    ///
    /// # Errors
    /// The reason why the budget told to stop.
    pub(crate) fn of(program: &Program, alias: &Alias, budget: &Budget) -> Result<Option<Self>, Stop> {
        let Some(entry) = program.entry else { return Ok(None) };
        let slots = Slots::of(program, alias, budget)?;
        let reached = || program.procedures.ids().filter(|&p| alias.calls().is_reached(p));
        let locations: usize = reached().map(|p| program.procedures[p].locations.len()).sum();
        if slots.is_empty() || slots.len().saturating_mul(locations) > MAX_STATES {
            return Ok(None);
        }
        let mut analysis = Analysis::new(program, alias, slots);
        analysis.run(entry, budget)?;
        Ok(Some(analysis.bounds()))
    }
}

/// What is known of a procedure so far.
#[derive(Default)]
struct Analysed {
    entry: Option<State>,
    /// How the entry grew.
    entries: Growth,
    /// For each location.
    states: Vec<Option<State>>,
    /// How they grew.
    growth: Vec<Growth>,
    order: Option<Rc<Order>>,
    /// Locations that are to be executed, by position.
    pending: BTreeSet<(u32, LocationId)>,
    /// The locations that wait for a callee to return.
    callers: BTreeSet<(ProcId, LocationId)>,
}

struct Analysis<'a> {
    program: &'a Program,
    alias: &'a Alias,
    queries: Queries<'a>,
    slots: Slots,
    procedures: Vec<Analysed>,
    /// Procedures with something to execute.
    pending: BTreeSet<ProcId>,
}

impl<'a> Analysis<'a> {
    fn new(program: &'a Program, alias: &'a Alias, slots: Slots) -> Self {
        Analysis {
            program,
            alias,
            queries: Queries::new(program, alias),
            slots,
            procedures: program.procedures.ids().map(|_| Analysed::default()).collect(),
            pending: BTreeSet::new(),
        }
    }

    fn run(&mut self, entry: ProcId, budget: &Budget) -> Result<(), Stop> {
        let start = self.initial();
        self.enter(entry, start);
        while let Some(procedure) = self.pending.pop_last() {
            while let Some((_, location)) = self.procedures[procedure.index()].pending.pop_first() {
                budget.check()?;
                self.location(procedure, location);
            }
        }
        Ok(())
    }

    /// Executes the edges that leave a location.
    fn location(&mut self, procedure: ProcId, location: LocationId) {
        let this = &self.procedures[procedure.index()];
        let (Some(order), Some(state)) = (this.order.clone(), this.states[location.index()].clone()) else {
            return;
        };
        if location == self.program.procedures[procedure].exit {
            self.returned(procedure);
        }
        for &edge in order.leaving(location) {
            let mut state = state.clone();
            if self.execute(procedure, edge, &mut state) {
                self.arrive(procedure, self.program.procedures[procedure].edges[edge].target, state);
            }
        }
    }

    /// Those that wait for a procedure go on.
    fn returned(&mut self, procedure: ProcId) {
        for (caller, location) in self.procedures[procedure.index()].callers.clone() {
            self.schedule(caller, location);
        }
    }

    fn schedule(&mut self, procedure: ProcId, location: LocationId) {
        let this = &mut self.procedures[procedure.index()];
        if let Some(order) = &this.order {
            this.pending.insert((order.position(location), location));
            self.pending.insert(procedure);
        }
    }

    /// A call of a procedure.
    fn enter(&mut self, procedure: ProcId, state: State) {
        let this = &mut self.procedures[procedure.index()];
        if this.order.is_none() {
            let body = &self.program.procedures[procedure];
            this.order = Some(Rc::new(Order::of(body)));
            this.states = vec![None; body.locations.len()];
            this.growth = vec![Growth::default(); body.locations.len()];
        }
        let grown = match &this.entry {
            None => Some(state),
            Some(known) => self.slots.joined(known, &state, Some(&mut this.entries)),
        };
        if let Some(grown) = grown {
            this.entry = Some(grown.clone());
            self.arrive(procedure, self.program.procedures[procedure].entry, grown);
        }
    }

    /// A state arrives at a location.
    fn arrive(&mut self, procedure: ProcId, location: LocationId, state: State) {
        let this = &mut self.procedures[procedure.index()];
        let at = location.index();
        // What recursion returns comes back to its exit.
        let is_exit = location == self.program.procedures[procedure].exit;
        let widens = this.order.as_ref().is_some_and(|order| order.is_head(location))
            || is_exit && self.alias.calls().is_recursive(procedure);
        let growth = widens.then_some(&mut this.growth[at]);
        let grown = match &this.states[at] {
            None => Some(state),
            Some(known) => self.slots.joined(known, &state, growth),
        };
        if let Some(grown) = grown {
            this.states[at] = Some(grown);
            self.schedule(procedure, location);
        }
    }

    /// What the indices of all reached places can be.
    fn bounds(mut self) -> Bounds {
        let mut bounds = Bounds::default();
        for procedure in self.program.procedures.ids() {
            let Some(order) = self.procedures[procedure.index()].order.clone() else { continue };
            for location in self.program.procedures[procedure].locations.ids() {
                if let Some(state) = self.procedures[procedure.index()].states[location.index()].take() {
                    order
                        .leaving(location)
                        .iter()
                        .for_each(|&e| self.note(procedure, e, &state, &mut bounds));
                }
            }
        }
        bounds
    }

    /// Notes the indices that a statement evaluates.
    fn note(&mut self, procedure: ProcId, edge: EdgeId, state: &State, bounds: &mut Bounds) {
        let program = self.program;
        let (places, sums) = evaluated(program, procedure, edge);
        for place in places {
            for step in &program.place(place).path {
                if let Projection::Index(index) = *step {
                    let found = self.value(state, index);
                    note_one(&mut bounds.places, (place, index), found);
                }
            }
        }
        for (sum, index) in sums {
            let found = self.value(state, index);
            note_one(&mut bounds.sums, sum, found);
        }
    }
}

/// The places that a statement evaluates, and the sums of a pointer and an index.
fn evaluated(program: &Program, procedure: ProcId, edge: EdgeId) -> (Vec<PlaceId>, Vec<(ExprId, ExprId)>) {
    let statement = &program.procedures[procedure].edges[edge].statement;
    let (mut places, mut sums) = (Vec::new(), Vec::new());
    places.extend(visit::operands(statement).0);
    visit::exprs(program, visit::roots(program, statement), &mut |expr| match program.expr(expr).kind {
        ExprKind::Load(place) | ExprKind::AddressOf(place) => places.push(place),
        ExprKind::Binary(BinaryOp::PointerAdd, _, index) => sums.push((expr, index)),
        _ => {}
    });
    (places, sums)
}

/// Takes over what others say. Whether some index has a bound that it had not there, or one of at most half the width: so this does not go
/// on for long.
fn narrow<K: Copy + Eq + std::hash::Hash>(
    own: &mut FxHashMap<K, Option<Interval>>,
    others: &FxHashMap<K, Option<Interval>>,
) -> bool {
    let width = |bound: &Interval| bound.high - bound.low;
    let mut is_narrower = own.iter().any(|(key, bound)| bound.is_some() && !others.contains_key(key));
    for (&key, other) in others {
        let bound = own.entry(key).or_insert(*other);
        match (&mut *bound, other) {
            (Some(own), Some(other)) => {
                is_narrower |= width(own) <= width(other) / 2 && width(own) < width(other);
                let both = Interval { low: own.low.max(other.low), high: own.high.min(other.high) };
                *own = if both.low <= both.high { both } else { *own };
            }
            (Some(_), None) => is_narrower = true,
            (None, other) => *bound = *other,
        }
    }
    is_narrower
}

/// Joins what an index can be at one point to what it can be at others.
fn note_one<K: Eq + std::hash::Hash>(
    bounds: &mut FxHashMap<K, Option<Interval>>,
    key: K,
    found: Option<Interval>,
) {
    let join = |known: &mut Option<Interval>| {
        *known = known.zip(found).map(|(known, found)| known.join(found));
    };
    bounds.entry(key).and_modify(join).or_insert(found);
}
