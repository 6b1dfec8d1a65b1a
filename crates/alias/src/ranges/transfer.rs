//! What statements do to a state.

use hardbop_domains::{Environment, Interval, assume, value};
use hardbop_ir::{BinaryOp, EdgeId, ExprId, ExprKind, Initial, PlaceBase, PlaceId, ProcId, Statement, VarId};

use super::{Analysis, State};
use crate::flow::bit_field_values;
use crate::location::{AccessBytes, Length, Location, Range, Step};
use crate::object::{ObjectId, ObjectKind};
use crate::region::register;

/// Expressions and places.
impl Analysis<'_> {
    /// What an expression can be.
    pub(super) fn value(&mut self, state: &State, expr: ExprId) -> Option<Interval> {
        value(self.program, expr, &mut |place| self.load(state, place))
    }

    fn load(&mut self, state: &State, place: PlaceId) -> Option<Interval> {
        if let Some(var) = register(self.program, self.alias, place) {
            return self.slots.register(var).and_then(|slot| state[slot]);
        }
        if let Some(values) = bit_field_values(self.program, place) {
            return Some(values);
        }
        let mut found: Option<Interval> = None;
        for (object, cell) in self.cells(state, place) {
            let slot = self.slots.in_object(object).iter().find(|(bytes, _)| *bytes == cell);
            let values = slot.and_then(|&(_, slot)| state[slot])?;
            found = Some(found.map_or(values, |found| found.join(values)));
        }
        found
    }

    /// The slot that a place is.
    fn slot(&mut self, state: &State, place: PlaceId) -> Option<usize> {
        if let Some(var) = register(self.program, self.alias, place) {
            return self.slots.register(var);
        }
        if bit_field_values(self.program, place).is_some() {
            return None;
        }
        match self.cells(state, place)[..] {
            [(object, cell)] if cell.is_exact() => {
                self.slots.in_object(object).iter().find(|(bytes, _)| *bytes == cell).map(|&(_, slot)| slot)
            }
            _ => None,
        }
    }

    /// The bytes that an access to a scalar place touches.
    fn cells(&mut self, state: &State, place: PlaceId) -> Vec<(ObjectId, AccessBytes)> {
        let width = self.queries.flow().width(place);
        let (objects, space) = (self.alias.objects(), self.queries.space());
        let at = self.locations(state, place).into_iter();
        at.filter_map(|at| Some((at.object, space.cell(objects, at, width)?))).collect()
    }

    /// The positions that a place can be at.
    fn locations(&mut self, state: &State, place: PlaceId) -> Vec<Location> {
        let flow = self.queries.flow();
        let path = flow.path_within(place, &mut |index| self.value(state, index));
        let mut found = match path.base {
            PlaceBase::Var(var) => {
                let object = self.alias.objects().variable(var);
                object.map(|object| Location::exact(object, 0)).into_iter().collect()
            }
            PlaceBase::Deref(pointer) => self.pointer(state, pointer),
        };
        self.move_all(&mut found, path.step);
        for index in path.indices {
            let mut from = self.queries.value(index);
            self.move_all(&mut from, Step::ANYWHERE);
            found.extend(from);
        }
        found
    }

    fn move_all(&self, locations: &mut [Location], step: Step) {
        for at in locations {
            *at = self.queries.moved(*at, step);
        }
    }

    /// Where a pointer can point, with sums bounded by the state.
    fn pointer(&mut self, state: &State, pointer: ExprId) -> Vec<Location> {
        let program = self.program;
        match program.expr(pointer).kind {
            ExprKind::AddressOf(place) => self.locations(state, place),
            ExprKind::Cast(inner) if program.is_pointer(program.expr(inner).ty) => self.pointer(state, inner),
            ExprKind::Binary(BinaryOp::PointerAdd, base, index) => {
                let values = self.value(state, index);
                match self.queries.flow().sum_within(pointer, index, values) {
                    Some(step) => {
                        let mut found = self.pointer(state, base);
                        self.move_all(&mut found, step);
                        found
                    }
                    None => self.queries.value(pointer),
                }
            }
            _ => self.queries.value(pointer),
        }
    }
}

/// Statements.
impl Analysis<'_> {
    /// What holds when the program starts.
    pub(super) fn initial(&mut self) -> State {
        let program = self.program;
        let mut state = vec![None; self.slots.len()];
        let registers: Vec<(VarId, usize)> = self.slots.registers().collect();
        for (var, slot) in registers {
            if self.slots.owner(slot).is_none() {
                state[slot] = self
                    .initial_value(var, AccessBytes::exact(0, program.size_of(program.variables[var].ty)));
            }
        }
        let cells: Vec<(ObjectId, Vec<(AccessBytes, usize)>)> =
            self.slots.objects().map(|(object, cells)| (object, cells.to_vec())).collect();
        for (object, cells) in cells {
            if let ObjectKind::Variable(var) = self.alias.objects()[object].kind
                && self.alias.objects().owner(var).is_none()
            {
                for (cell, slot) in cells {
                    state[slot] = self.initial_value(var, cell);
                }
            }
        }
        state
    }

    /// What some bytes of a global start with.
    fn initial_value(&self, var: VarId, cell: AccessBytes) -> Option<Interval> {
        let program = self.program;
        let Initial::Values(values) = &program.variables[var].initial else { return None };
        let size = |value: ExprId| program.size_of(program.expr(value).ty);
        let mut overlapping = values.iter().filter(|value| {
            let width = value.bits.map_or(size(value.value), |_| 16);
            value.offset < cell.offset + cell.width && cell.offset < value.offset + width
        });
        match (overlapping.next(), overlapping.next()) {
            (None, _) => Some(Interval::exact(0)),
            (Some(value), None)
                if value.bits.is_none()
                    && value.offset == cell.offset
                    && size(value.value) == cell.width
                    && program.machine_shape(program.expr(value.value).ty).is_some() =>
            {
                program.as_int(value.value).map(Interval::exact)
            }
            _ => None,
        }
    }

    /// Executes a statement; whether it can be passed.
    pub(super) fn execute(&mut self, procedure: ProcId, edge: EdgeId, state: &mut State) -> bool {
        let program = self.program;
        match program.procedures[procedure].edges[edge].statement {
            Statement::Skip | Statement::Return | Statement::Free(_) | Statement::Output { .. } => {}
            Statement::Halt(_) | Statement::Error(_) | Statement::Unsupported(_) => return false,
            Statement::Assume(condition) => {
                return assume(program, condition, true, &mut Known { analysis: self, state });
            }
            Statement::Assign(place, expr) if program.is_scalar(program.place(place).ty) => {
                let values = self.value(state, expr);
                self.store(state, place, values);
            }
            Statement::Havoc(place, _) if program.is_scalar(program.place(place).ty) => {
                self.store(state, place, None);
            }
            Statement::Assign(place, _) | Statement::Havoc(place, _) => {
                let length = Length::Known(program.size_of(program.place(place).ty));
                let targets = self.locations(state, place);
                self.overwrite(state, &targets, length, None);
            }
            Statement::Allocate { result, .. } => self.set_register(state, result, None),
            Statement::Copy { target, length, .. } => {
                let (targets, length) = (self.pointer(state, target), self.queries.flow().length(length));
                self.overwrite(state, &targets, length, None);
            }
            Statement::CopyObject { target, .. } => {
                let targets = self.pointer(state, target);
                self.overwrite(state, &targets, Length::Multiple(1), None);
            }
            Statement::Fill { target, byte, length } => {
                let (targets, length) = (self.pointer(state, target), self.queries.flow().length(length));
                self.overwrite(state, &targets, length, program.as_int(byte));
            }
            Statement::Call { result, ref arguments, .. } => {
                return self.call((procedure, edge), result, arguments, state);
            }
        }
        true
    }

    fn set_register(&self, state: &mut State, var: VarId, values: Option<Interval>) {
        if let Some(slot) = self.slots.register(var) {
            state[slot] = values;
        }
    }

    fn store(&mut self, state: &mut State, place: PlaceId, values: Option<Interval>) {
        if let Some(var) = register(self.program, self.alias, place) {
            return self.set_register(state, var, values);
        }
        let is_bits = bit_field_values(self.program, place).is_some();
        let touched = self.cells(state, place);
        let only = touched.len() == 1;
        for (object, cell) in touched {
            for &(bytes, slot) in self.slots.in_object(object) {
                let meeting = cell.meets(bytes);
                if meeting.partial || meeting.equal && is_bits {
                    state[slot] = None;
                } else if meeting.equal {
                    let is_strong = only && cell.is_exact();
                    let both = state[slot].zip(values).map(|(old, new)| old.join(new));
                    state[slot] = if is_strong { values } else { both };
                }
            }
        }
    }

    /// Writes more than a scalar: bytes that are all the same, or anything.
    fn overwrite(&mut self, state: &mut State, targets: &[Location], length: Length, byte: Option<i128>) {
        let space = self.queries.space();
        for &start in targets {
            for &(bytes, slot) in self.slots.in_object(start.object) {
                let meeting = Range { start, length }.meets(space, bytes);
                // Zeros are the same number at any width.
                let is_strong = targets.len() == 1 && start.is_exact();
                let zero = byte.filter(|&byte| byte & 0xff == 0).map(|_| Interval::exact(0));
                match (meeting.whole, meeting.cut) {
                    (false, false) => {}
                    (true, false) if is_strong && length.known().is_some() => state[slot] = zero,
                    (true, false) => state[slot] = state[slot].zip(zero).map(|(old, new)| old.join(new)),
                    (_, true) => state[slot] = None,
                }
            }
        }
    }

    fn call(
        &mut self,
        (procedure, edge): (ProcId, EdgeId),
        result: Option<VarId>,
        arguments: &[ExprId],
        state: &mut State,
    ) -> bool {
        let alias = self.alias;
        let values: Vec<Option<Interval>> = arguments.iter().map(|&a| self.value(state, a)).collect();
        let mut after: Option<State> = None;
        for &callee in alias.callees(procedure, edge) {
            let returned = if self.program.procedures[callee].external.is_some() {
                Some(self.call_outside(callee, result, state))
            } else {
                self.call_inside((procedure, edge), callee, (arguments, &values), (result, state))
            };
            after = match (after, returned) {
                (Some(a), Some(b)) => Some(either(&a, &b)),
                (a, b) => a.or(b),
            };
        }
        let passes = after.is_some();
        *state = after.unwrap_or_default();
        passes
    }

    fn call_outside(&mut self, callee: ProcId, result: Option<VarId>, state: &State) -> State {
        let mut after = state.clone();
        let effect = self.program.procedures[callee].external;
        if effect.is_some_and(hardbop_ir::Effect::reaches_memory) {
            for (object, cells) in self.slots.objects() {
                if self.alias.is_escaped(object) {
                    cells.iter().for_each(|&(_, slot)| after[slot] = None);
                }
            }
            for (var, slot) in self.slots.registers() {
                if self.slots.owner(slot).is_none() && self.alias.is_visible_outside(self.program, var) {
                    after[slot] = None;
                }
            }
        }
        self.take_result(result, None, &mut after);
        after
    }

    fn call_inside(
        &mut self,
        (procedure, edge): (ProcId, EdgeId),
        callee: ProcId,
        (arguments, values): (&[ExprId], &[Option<Interval>]),
        (result, state): (Option<VarId>, &State),
    ) -> Option<State> {
        let program = self.program;
        let mut entry = state.clone();
        for (slot, values) in entry.iter_mut().enumerate() {
            let is_own = self.slots.owner(slot).is_some_and(|owner| owner == callee);
            // Registers of other activations are not seen, and would only make states differ.
            if is_own || self.slots.is_local_register(slot) {
                *values = None;
            }
        }
        for ((&formal, &argument), &values) in
            program.procedures[callee].formals.iter().zip(arguments).zip(values)
        {
            let (from, to) = (program.expr(argument).ty, program.variables[formal].ty);
            self.set_register(&mut entry, formal, values.filter(|_| from == to));
        }
        self.enter(callee, entry);
        let source = program.procedures[procedure].edges[edge].source;
        self.procedures[callee.index()].callers.insert((procedure, source));
        let exit =
            self.procedures[callee.index()].states[program.procedures[callee].exit.index()].as_ref()?;
        let mut after = state.clone();
        for &slot in self.slots.written(callee) {
            after[slot] = exit[slot];
        }
        let returned = program.procedures[callee]
            .result
            .filter(|&var| result.is_some_and(|to| program.variables[var].ty == program.variables[to].ty));
        let returned = returned.and_then(|var| self.slots.register(var)).and_then(|slot| exit[slot]);
        self.take_result(result, returned, &mut after);
        Some(after)
    }

    /// Stores the result of a call.
    fn take_result(&mut self, result: Option<VarId>, values: Option<Interval>, state: &mut State) {
        let Some(var) = result else { return };
        match self.alias.objects().variable(var) {
            None => self.set_register(state, var, values),
            Some(object) => {
                self.slots.in_object(object).iter().for_each(|&(_, slot)| state[slot] = None);
            }
        }
    }
}

/// What holds in one of two states.
fn either(a: &State, b: &State) -> State {
    a.iter().zip(b).map(|(a, b)| a.zip(*b).map(|(a, b)| a.join(b))).collect()
}

/// The state as what conditions are about.
struct Known<'s, 'p, 'a> {
    analysis: &'s mut Analysis<'a>,
    state: &'p mut State,
}

impl Environment for Known<'_, '_, '_> {
    fn load(&mut self, place: PlaceId) -> Option<Interval> {
        self.analysis.load(self.state, place)
    }

    fn narrow(&mut self, place: PlaceId, values: Interval) -> bool {
        if let Some(slot) = self.analysis.slot(self.state, place) {
            // Numbers that were stored as ones of another type are others here.
            if self.state[slot].is_some() && self.load(place) != self.state[slot] {
                return true;
            }
            let known = self.state[slot].map_or(Some(values), |known| known.meet(values));
            self.state[slot] = known;
            return known.is_some();
        }
        true
    }
}
