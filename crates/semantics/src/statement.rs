//! What statements do to a state, and weakest preconditions and strongest postconditions from that.

use hardbop_ir::{Callee, EdgeId, Effect, ExprId, MemoryKind, ProcId, Property, Statement, TypeId, VarId};
use hardbop_logic::Term;
use rustc_hash::FxHashMap;

use crate::coder::{Allocation, Coder, Object};
use crate::state::{Cell, Frame, State};

/// How a statement ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The run goes on at the target of the edge.
    Continues,
    /// The run is over, and no property is broken.
    Stops,
    /// A property is broken.
    Error(Property),
    /// Something that has no meaning here is reached.
    Unsupported(String),
}

impl Coder<'_> {
    /// Executes the statement of an edge. What must hold for a run to get past it is appended to
    /// `conditions`. A call of a procedure with a body is not executed: its result and all that it
    /// may change become arbitrary. Who follows calls uses
    /// [`Coder::pass_arguments`], [`Coder::enter`] and [`Coder::take_result`].
    pub fn execute(
        &mut self,
        state: &mut State,
        procedure: ProcId,
        edge: EdgeId,
        conditions: &mut Vec<Term>,
    ) -> End {
        let program = self.program;
        self.note_pointers(state, procedure, edge);
        match &program.procedures[procedure].edges[edge].statement {
            Statement::Skip | Statement::Return => {}
            &Statement::Assign(place, expr) if program.is_scalar(program.place(place).ty) => {
                let value = self.value(state, expr, conditions);
                self.write(state, place, value, conditions);
            }
            &Statement::Assume(condition) => {
                let condition = self.value(state, condition, conditions);
                conditions.push(condition);
            }
            &Statement::Havoc(place, _) if program.is_scalar(program.place(place).ty) => {
                let sort = self.scalar_sort(program.place(place).ty);
                let value = self.arbitrary(sort);
                self.write(state, place, value, conditions);
            }
            Statement::Assign(..) | Statement::Havoc(..) => self.bulk(state, procedure, edge, conditions),
            Statement::Call { result, callee, .. } => {
                self.called(state, procedure, edge, *result, *callee, conditions);
            }
            &Statement::Allocate { result, size, kind, may_fail } => {
                self.allocate(state, procedure, edge, result, size, kind, may_fail, conditions);
            }
            &Statement::Free(pointer) => {
                let address = self.value(state, pointer, conditions);
                self.make_dead(state, pointer, address, conditions);
                self.encoder.epoch += 1;
            }
            Statement::Copy { .. } | Statement::CopyObject { .. } | Statement::Fill { .. } => {
                self.bulk(state, procedure, edge, conditions);
            }
            Statement::Output { arguments, .. } => {
                for &argument in arguments {
                    self.value(state, argument, conditions);
                }
            }
            Statement::Halt(_) => return End::Stops,
            Statement::Error(property) => return End::Error(property.clone()),
            Statement::Unsupported(reason) => return End::Unsupported(reason.clone()),
        }
        self.note_edge(state, procedure, edge);
        End::Continues
    }

    /// The effect of a call of which nothing is known but what it may change.
    fn called(
        &mut self,
        state: &mut State,
        procedure: ProcId,
        edge: EdgeId,
        result: Option<VarId>,
        callee: Callee,
        conditions: &mut Vec<Term>,
    ) {
        if let Callee::Indirect(pointer) = callee {
            self.value(state, pointer, conditions);
        }
        for callee in self.alias.callees(procedure, edge).to_vec() {
            self.forget_modified(state, callee);
        }
        if let Some(result) = result {
            self.forget_variable(state, result);
        }
    }

    /// Makes the result of the current activation arbitrary.
    pub fn forget_result(&mut self, state: &mut State, procedure: ProcId) {
        if let Some(result) = self.program.procedures[procedure].result {
            self.forget_variable(state, result);
        }
    }

    /// Makes the locals and the result of the current activation arbitrary.
    pub fn forget_locals(&mut self, state: &mut State, procedure: ProcId) {
        let program = self.program;
        for &var in &program.procedures[procedure].locals {
            self.forget_variable(state, var);
        }
        self.forget_result(state, procedure);
    }

    /// Makes arbitrary what a procedure, or what it calls, may change outside of its own frame.
    pub fn forget_modified(&mut self, state: &mut State, procedure: ProcId) {
        // It may free something too.
        self.encoder.epoch += 1;
        for cell in self.modified_cells(procedure) {
            self.forget(state, cell);
        }
    }

    /// The cells that a procedure, or what it calls, may change outside of its own frame.
    pub fn modified_cells(&self, procedure: ProcId) -> Vec<Cell> {
        let modified = self.regions.modified(procedure);
        let globals = modified.registers.iter().map(|&var| Cell::Global(var));
        let regions = modified.regions.iter().map(|&region| Cell::Region(region));
        globals.chain(regions).chain(self.heap_cells_of(procedure)).collect()
    }

    #[allow(clippy::too_many_arguments)]
    fn allocate(
        &mut self,
        state: &mut State,
        procedure: ProcId,
        edge: EdgeId,
        result: VarId,
        size: ExprId,
        kind: MemoryKind,
        may_fail: bool,
        conditions: &mut Vec<Term>,
    ) {
        let bytes = self.value(state, size, conditions);
        let fails = may_fail.then(|| self.arbitrary(hardbop_logic::Sort::Bool));
        let known = self.allocated_size(bytes, self.program.expr(size).ty, fails, conditions);
        let (number, epoch) = (self.encoder.allocations, self.encoder.epoch);
        self.encoder.allocations += 1;
        let object = self.alias.objects().allocation(procedure, edge);
        let new = Object::Allocated(Allocation { number, size: known, object, epoch, fails });
        let start = self.address_of_object(new);
        let address = match fails {
            Some(fails) => {
                let null = self.constant(0, self.pointer_bits());
                self.terms().ite(fails, null, start)
            }
            None => start,
        };
        self.set(state, self.register(state.frame(), result), address);
        self.make_alive(state, (object, kind), start, fails, conditions);
        self.renew_object(state, object, start, known);
        if kind == MemoryKind::ZeroedHeap {
            self.zero_new_object(state, (procedure, edge), start, known);
        }
        self.note_allocation(state, (procedure, edge), start, known);
    }

    /// How many bytes are allocated, if that is known. An allocation of more than the largest object fails, or ends the
    /// run.
    fn allocated_size(
        &mut self,
        size: Term,
        ty: TypeId,
        fails: Option<Term>,
        conditions: &mut Vec<Term>,
    ) -> Option<u64> {
        let program = self.program;
        let (width, signed) = program.machine_shape(ty)?;
        let bits = (width - u16::from(signed)).min(64);
        let most =
            program.data_model.largest_object().min(u64::MAX.checked_shr(64 - u32::from(bits)).unwrap_or(0));
        let limit = self.constant(most.into(), width.into());
        let fits = self.terms().bv_ule(size, limit);
        conditions.push(match fails {
            Some(fails) => self.terms().or(&[fails, fits]),
            None => fits,
        });
        let known = self.encoder.terms.as_bits(size).and_then(|size| u64::try_from(size).ok());
        known.filter(|&size| size <= most)
    }

    /// A call through a pointer reaches a callee only if the pointer is its address.
    pub fn require_callee(
        &mut self,
        state: &State,
        procedure: ProcId,
        edge: EdgeId,
        callee: ProcId,
        conditions: &mut Vec<Term>,
    ) {
        let statement = &self.program.procedures[procedure].edges[edge].statement;
        if let Statement::Call { callee: Callee::Indirect(pointer), .. } = *statement {
            let address = self.value(state, pointer, conditions);
            let calls = self.alias.calls();
            let (misfit, outside) = (self.program.misfit(), self.program.outside());
            let mut ways = match Some(callee) {
                named if named == misfit => self.leads_to(address, calls.misfits(procedure, edge)),
                named if named == outside => Vec::new(),
                _ => self.leads_to(address, &[callee]),
            };
            if calls.may_call_unknown(procedure, edge) && outside.or(misfit) == Some(callee) {
                ways.push(self.leads_outside(address, procedure, edge));
            }
            let condition = self.terms().or(&ways);
            conditions.push(condition);
        }
    }

    /// For each of some procedures, that an address is its address.
    fn leads_to(&mut self, address: Term, procedures: &[ProcId]) -> Vec<Term> {
        let same = procedures.iter().map(|&procedure| {
            let function = self.procedure_address(procedure);
            self.terms().eq(address, function)
        });
        same.collect()
    }

    /// That a call through a pointer leads to no procedure of the program.
    fn leads_outside(&mut self, address: Term, procedure: ProcId, edge: EdgeId) -> Term {
        let calls = self.alias.calls();
        let hidden = [self.program.misfit(), self.program.outside()];
        let named = calls.callees(procedure, edge).iter().filter(|&&callee| !hidden.contains(&Some(callee)));
        let own: Vec<ProcId> = named.chain(calls.misfits(procedure, edge)).copied().collect();
        let mut inside = self.leads_to(address, &own);
        let null = self.constant(0, self.pointer_bits());
        inside.push(self.terms().eq(address, null));
        let inside = self.terms().or(&inside);
        self.terms().not(inside)
    }

    /// Of several edges that leave a location, those that are enabled, each as a condition.
    pub fn enabled(&mut self, state: &State, procedure: ProcId, edges: &[EdgeId]) -> Vec<Term> {
        let program = self.program;
        let guard = |&edge: &EdgeId| match program.procedures[procedure].edges[edge].statement {
            Statement::Assume(condition) => self.holds(state, condition),
            _ => self.terms().bool(true),
        };
        edges.iter().map(guard).collect()
    }

    /// Starts an activation of a procedure: its locals in memory are new objects. Formals get their
    /// values from the caller.
    pub fn enter(&mut self, state: &mut State, id: ProcId) {
        let program = self.program;
        let procedure = &program.procedures[id];
        for &var in procedure.locals.iter().chain(&procedure.result) {
            if self.alias.in_memory(var) {
                self.forget_variable(state, var);
            }
        }
        self.note_locals(state, id);
    }

    /// The condition under which a predicate holds after an edge, wherever the run gets past it.
    pub fn wp(&mut self, frame: Frame, procedure: ProcId, edges: &[EdgeId], predicate: ExprId) -> Term {
        let mut state = State::new(frame);
        let mut conditions = Vec::new();
        for &edge in edges {
            if self.execute(&mut state, procedure, edge, &mut conditions) != End::Continues {
                return self.terms().bool(true);
            }
        }
        let after = self.holds(&state, predicate);
        let passed = self.terms().and(&conditions);
        self.terms().implies(passed, after)
    }

    /// The states after some edges, if it was one with `before` (over initial values of cells)
    /// that came to them: a condition on the initial symbols as values *after* the edges. Other
    /// symbols in it are existentially quantified. Nothing if the run does not get past them.
    pub fn sp(&mut self, frame: Frame, procedure: ProcId, edges: &[EdgeId], before: Term) -> Option<Term> {
        let mut state = State::new(frame);
        let mut conditions = vec![before];
        for &edge in edges {
            if self.execute(&mut state, procedure, edge, &mut conditions) != End::Continues {
                return None;
            }
        }
        // What was written: the old value becomes a name of its own, the symbol means the new one.
        // So do results of functions that may have been applied to old values.
        let mut old = FxHashMap::default();
        for (cell, _) in state.written() {
            let (symbol, sort) = (self.initial(cell), self.cell_sort(cell));
            let name = self.cell_name(cell);
            let term = self.terms().fresh(&format!("old {name}"), sort);
            old.insert(symbol, term);
        }
        for symbol in self.encoder.function_symbols() {
            let sort = self.encoder.terms.sort(symbol);
            let term = self.terms().fresh("old result", sort);
            old.insert(symbol, term);
        }
        for (cell, value) in state.written() {
            let symbol = self.initial(cell);
            let value = self.terms().substitute(value, &old);
            let definition = self.terms().eq(symbol, value);
            conditions.push(definition);
        }
        let first = conditions.len() - state.written().len();
        for condition in &mut conditions[..first] {
            *condition = self.encoder.terms.substitute(*condition, &old);
        }
        Some(self.terms().and(&conditions))
    }

    /// Whether a call can be followed: a procedure with a body.
    pub fn has_body(&self, procedure: ProcId) -> bool {
        self.program.procedures[procedure].external.is_none()
    }

    /// The effect of a procedure without a body.
    pub fn external_effect(&self, procedure: ProcId) -> Option<Effect> {
        self.program.procedures[procedure].external
    }
}
