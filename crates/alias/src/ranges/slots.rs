//! Which scalars are followed: those that can influence an index.

use hardbop_base::{Budget, Stop};
use hardbop_domains::Interval;
use hardbop_ir::{BinaryOp, ExprId, ExprKind, PlaceId, ProcId, Program, Statement, VarId, visit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{MAX_TIMES, PATIENCE, State};
use crate::access::footprint;
use crate::location::AccessBytes;
use crate::object::{ObjectId, ObjectKind};
use crate::query::{Alias, Queries};
use crate::region::register;

/// How often each slot has grown at a location.
#[derive(Debug, Clone, Default)]
pub(super) struct Growth(Vec<u8>);

impl Growth {
    /// How often a slot, of so many, had grown before now.
    fn count(&mut self, slot: usize, slots: usize) -> u8 {
        self.0.resize(slots, 0);
        let times = self.0[slot];
        self.0[slot] = times.saturating_add(1);
        times
    }
}

/// The scalars that are followed, by number.
pub(super) struct Slots {
    registers: FxHashMap<VarId, usize>,
    /// For each object, the positions and widths of scalars.
    cells: FxHashMap<ObjectId, Vec<(AccessBytes, usize)>>,
    /// For each slot: the values of its type, and the procedure whose activations have one of their own.
    slots: Vec<(Option<Interval>, Option<ProcId>)>,
    /// For each slot, whether it is a register.
    in_register: Vec<bool>,
    /// For each procedure, the slots that it and its callees may write, without registers of activations.
    written: Vec<Vec<usize>>,
    /// Constants that states are widened to, in order.
    thresholds: Vec<i128>,
}

impl Slots {
    pub(super) fn of(program: &Program, alias: &Alias, budget: &Budget) -> Result<Self, Stop> {
        let mut finder = Finder::new(program, alias);
        finder.seeds();
        while let Some(expr) = finder.pending.pop() {
            finder.follow(expr);
            if finder.pending.is_empty() && finder.grown {
                budget.check()?;
                finder.grown = false;
                finder.influences();
            }
        }
        Ok(finder.finish())
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The slot of a register.
    pub(super) fn register(&self, var: VarId) -> Option<usize> {
        self.registers.get(&var).copied()
    }

    /// The slots in an object, with the bytes that they have.
    pub(super) fn in_object(&self, object: ObjectId) -> &[(AccessBytes, usize)] {
        self.cells.get(&object).map_or(&[], Vec::as_slice)
    }

    /// The objects with slots.
    pub(super) fn objects(&self) -> impl Iterator<Item = (ObjectId, &[(AccessBytes, usize)])> {
        self.cells.iter().map(|(&object, cells)| (object, cells.as_slice()))
    }

    /// The registers that are slots.
    pub(super) fn registers(&self) -> impl Iterator<Item = (VarId, usize)> {
        self.registers.iter().map(|(&var, &slot)| (var, slot))
    }

    /// The procedure whose activations have a slot of their own.
    pub(super) fn owner(&self, slot: usize) -> Option<ProcId> {
        self.slots[slot].1
    }

    /// Whether a slot is a register of an activation.
    pub(super) fn is_local_register(&self, slot: usize) -> bool {
        self.slots[slot].1.is_some() && self.in_register[slot]
    }

    /// The slots that outlive a call which may be written in it.
    pub(super) fn written(&self, procedure: ProcId) -> &[usize] {
        &self.written[procedure.index()]
    }

    /// Two states as one, if the one does not include the other. Slots that have grown some times are widened, if `growth` counts
    /// that: each for itself, since what begins to grow late, as what an inner loop or a callee changes, has as many tries.
    pub(super) fn joined(
        &self,
        known: &State,
        new: &State,
        mut growth: Option<&mut Growth>,
    ) -> Option<State> {
        let mut result: Option<State> = None;
        for (slot, (&old, &new)) in known.iter().zip(new).enumerate() {
            let Some(old) = old else { continue };
            let all = self.slots[slot].0;
            let joined = new.map(|new| old.join(new));
            if joined == Some(old) {
                continue;
            }
            let times = growth.as_deref_mut().map_or(0, |growth| growth.count(slot, known.len()));
            let grown = joined.and_then(|joined| self.widened(old, joined, all, times));
            if grown != Some(old) {
                let grown = grown.filter(|&grown| Some(grown) != all);
                result.get_or_insert_with(|| known.clone())[slot] = grown;
            }
        }
        result
    }

    /// What a slot becomes that grows; nothing if it can be anything.
    fn widened(&self, old: Interval, new: Interval, all: Option<Interval>, times: u8) -> Option<Interval> {
        if times < PATIENCE {
            return Some(new);
        }
        // A slot that is accessed as signed and as unsigned may leave the type that it is known by.
        let all = all.filter(|all| all.includes(new))?;
        let known = if times < MAX_TIMES { &self.thresholds[..] } else { &[] };
        let below = || known[..known.partition_point(|&n| n <= new.low)].last().copied();
        let above = || known.get(known.partition_point(|&n| n < new.high)).copied();
        let low = if new.low < old.low { below().unwrap_or(all.low).max(all.low) } else { new.low };
        let high = if new.high > old.high { above().unwrap_or(all.high).min(all.high) } else { new.high };
        Some(Interval { low, high })
    }
}

struct Finder<'a> {
    program: &'a Program,
    alias: &'a Alias,
    queries: Queries<'a>,
    found: Slots,
    pending: Vec<ExprId>,
    seen: FxHashSet<ExprId>,
    /// The slots that a place may be, as far as they are known when it is asked for.
    touched: FxHashMap<PlaceId, Vec<(ObjectId, AccessBytes)>>,
    grown: bool,
}

impl<'a> Finder<'a> {
    fn new(program: &'a Program, alias: &'a Alias) -> Self {
        let found = Slots {
            registers: FxHashMap::default(),
            cells: FxHashMap::default(),
            slots: Vec::new(),
            in_register: Vec::new(),
            written: vec![Vec::new(); program.procedures.len()],
            thresholds: Vec::new(),
        };
        Finder {
            program,
            alias,
            queries: Queries::new(program, alias),
            found,
            pending: Vec::new(),
            seen: FxHashSet::default(),
            touched: FxHashMap::default(),
            grown: false,
        }
    }

    fn reached(&self) -> impl Iterator<Item = ProcId> + use<'a> {
        let alias = self.alias;
        self.program.procedures.ids().filter(move |&p| alias.calls().is_reached(p))
    }

    /// All indices that are no constants.
    fn seeds(&mut self) {
        let program = self.program;
        let mut indices = Vec::new();
        for procedure in self.reached() {
            for (_, edge) in program.procedures[procedure].edges.iter() {
                let place = visit::operands(&edge.statement).0;
                indices.extend(place.into_iter().flat_map(|place| indices_of(program, place)));
                visit::exprs(program, visit::roots(program, &edge.statement), &mut |expr| match program
                    .expr(expr)
                    .kind
                {
                    ExprKind::Load(place) | ExprKind::AddressOf(place) => {
                        indices.extend(indices_of(program, place));
                    }
                    ExprKind::Binary(BinaryOp::PointerAdd, _, index) => indices.push(index),
                    _ => {}
                });
            }
        }
        self.pending.extend(indices.into_iter().filter(|&index| program.as_int(index).is_none()));
    }

    /// Takes up all that an expression reads.
    fn follow(&mut self, expr: ExprId) {
        if !self.seen.insert(expr) {
            return;
        }
        let program = self.program;
        self.pending.extend(visit::parts(program, expr));
        match program.expr(expr).kind {
            ExprKind::Load(place) => self.place(place),
            ExprKind::Int(value) => self.found.thresholds.push(value),
            _ => {}
        }
    }

    fn place(&mut self, place: PlaceId) {
        let program = self.program;
        let Some((width, signed)) = program.machine_shape(program.place(place).ty) else { return };
        if let Some(var) = register(program, self.alias, place) {
            return self.register(var);
        }
        if footprint(program, place).bits.is_some() {
            return;
        }
        for (object, cell) in self.touched(place) {
            let is_known = self.found.in_object(object).iter().any(|(known, _)| *known == cell);
            if cell.is_exact() && self.alias.is_single(object) && !is_known {
                let owner = match self.alias.objects()[object].kind {
                    ObjectKind::Variable(var) => self.alias.objects().owner(var),
                    _ => None,
                };
                let slot = self.slot(Interval::of_type(width, signed), owner, false);
                self.found.cells.entry(object).or_default().push((cell, slot));
            }
        }
    }

    fn register(&mut self, var: VarId) {
        let program = self.program;
        let Some((width, signed)) = program.machine_shape(program.variables[var].ty) else { return };
        if program.is_pointer(program.variables[var].ty) || self.found.registers.contains_key(&var) {
            return;
        }
        let slot = self.slot(Interval::of_type(width, signed), self.alias.objects().owner(var), true);
        self.found.registers.insert(var, slot);
    }

    fn slot(&mut self, all: Option<Interval>, owner: Option<ProcId>, in_register: bool) -> usize {
        self.grown = true;
        self.found.in_register.push(in_register);
        self.found.slots.push((all, owner));
        self.found.slots.len() - 1
    }

    fn touched(&mut self, place: PlaceId) -> Vec<(ObjectId, AccessBytes)> {
        if let Some(known) = self.touched.get(&place) {
            return known.clone();
        }
        let found = self.queries.touched(place);
        self.touched.insert(place, found.clone());
        found
    }

    /// Whether a place may be a slot.
    fn is_followed(&mut self, place: PlaceId) -> bool {
        if let Some(var) = register(self.program, self.alias, place) {
            return self.found.registers.contains_key(&var);
        }
        self.touched(place).into_iter().any(|(object, cell)| {
            self.found.in_object(object).iter().any(|(slot, _)| slot.meets(cell).is_possible())
        })
    }

    /// Takes up what is stored in slots, passed to them, and compared with them.
    fn influences(&mut self) {
        let program = self.program;
        for procedure in self.reached() {
            for (edge, e) in program.procedures[procedure].edges.iter() {
                match e.statement {
                    Statement::Assign(place, expr)
                        if program.is_scalar(program.place(place).ty)
                            && !self.seen.contains(&expr)
                            && self.is_followed(place) =>
                    {
                        self.pending.push(expr);
                    }
                    Statement::Assume(condition) if !self.seen.contains(&condition) => {
                        let mut mentioned = Vec::new();
                        visit::places(program, condition, &mut |place| mentioned.push(place));
                        if mentioned.into_iter().any(|place| self.is_followed(place)) {
                            self.pending.push(condition);
                        }
                    }
                    Statement::Call { result, ref arguments, .. } => {
                        for &callee in self.alias.callees(procedure, edge) {
                            self.passed(callee, result, arguments);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn passed(&mut self, callee: ProcId, result: Option<VarId>, arguments: &[ExprId]) {
        let callee = &self.program.procedures[callee];
        for (&formal, &argument) in callee.formals.iter().zip(arguments) {
            if self.found.registers.contains_key(&formal) {
                self.pending.push(argument);
            }
        }
        if let (Some(result), Some(from)) = (result, callee.result)
            && self.found.registers.contains_key(&result)
            && !self.alias.in_memory(from)
        {
            self.register(from);
        }
    }

    fn finish(mut self) -> Slots {
        self.found.thresholds.sort_unstable();
        // A loop ends one before or behind what it is compared with.
        let near: Vec<i128> = self.found.thresholds.iter().flat_map(|&n| [n - 1, n, n + 1]).collect();
        self.found.thresholds = near;
        self.found.thresholds.sort_unstable();
        self.found.thresholds.dedup();
        self.find_written();
        self.found
    }

    /// The slots that procedures may write, by themselves and then by those that they call.
    fn find_written(&mut self) {
        let program = self.program;
        let mut written: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); program.procedures.len()];
        let outlives = |found: &Slots, slot: usize| !found.is_local_register(slot);
        let shared: Vec<usize> = (0..self.found.len()).filter(|&slot| outlives(&self.found, slot)).collect();
        for procedure in self.reached() {
            let effect = program.procedures[procedure].external;
            let is_outside = effect.is_some_and(hardbop_ir::Effect::reaches_memory);
            let body = program.procedures[procedure].edges.iter();
            let all = is_outside || body.into_iter().any(|(_, e)| is_bulk(program, &e.statement));
            if all {
                written[procedure.index()].extend(&shared);
                continue;
            }
            for (_, e) in program.procedures[procedure].edges.iter() {
                let (place, result) = (visit::operands(&e.statement).0, visit::result(&e.statement));
                let places = place.map(|place| self.slots_of(place)).unwrap_or_default();
                let result = result.and_then(|var| self.found.register(var));
                written[procedure.index()].extend(places.into_iter().chain(result));
            }
            written[procedure.index()].retain(|&slot| outlives(&self.found, slot));
        }
        loop {
            let mut grew = false;
            for procedure in self.reached() {
                let edges = program.procedures[procedure].edges.ids();
                for &callee in edges.flat_map(|edge| self.alias.callees(procedure, edge)) {
                    let new: Vec<usize> =
                        written[callee.index()].difference(&written[procedure.index()]).copied().collect();
                    grew |= !new.is_empty();
                    written[procedure.index()].extend(new);
                }
            }
            if !grew {
                break;
            }
        }
        self.found.written = written.into_iter().map(|set| set.into_iter().collect()).collect();
    }

    fn slots_of(&mut self, place: PlaceId) -> Vec<usize> {
        if let Some(var) = register(self.program, self.alias, place) {
            return self.found.register(var).into_iter().collect();
        }
        let touched = self.touched(place);
        let meets = |(object, cell): (ObjectId, AccessBytes)| {
            let slots = self.found.in_object(object).iter();
            slots.filter(move |(slot, _)| slot.meets(cell).is_possible()).map(|&(_, slot)| slot)
        };
        touched.into_iter().flat_map(meets).collect()
    }
}

/// The indices of a place.
fn indices_of(program: &Program, place: PlaceId) -> impl Iterator<Item = ExprId> {
    let pointers = matches!(program.place(place).base, hardbop_ir::PlaceBase::Deref(_));
    visit::place_parts(program, place).skip(usize::from(pointers))
}

/// Whether a statement writes more than a scalar.
fn is_bulk(program: &Program, statement: &Statement) -> bool {
    match *statement {
        Statement::Assign(place, _) | Statement::Havoc(place, _) => {
            !program.is_scalar(program.place(place).ty)
        }
        Statement::Copy { .. } | Statement::CopyObject { .. } | Statement::Fill { .. } => true,
        Statement::Call { result: Some(result), .. } => !program.is_scalar(program.variables[result].ty),
        _ => false,
    }
}
