//! Compilation of a procedure's control flow and statements into [`Code`].
//!
//! Locations are laid out depth first, so that the usual next step needs no jump. At a location
//! with several outgoing edges the guards are evaluated and one enabled edge is taken; two guards of
//! which one negates the other need one test only, and many guards that compare one expression with
//! constants become a table lookup.
//!
//! A statement without a meaning here (an aggregate where a scalar is needed) compiles into an operation
//! that ends the run as unsupported.

use rustc_hash::FxHashMap;

use super::code::{
    ALWAYS, CallSite, Code, Effect, FrameVar, NO_REASON, Op, Passed, Pc, Scalar, Target, VarHome,
};
use super::values::Values;
use crate::guards::{are_complements, find_switch};
use crate::{
    Arbitrary, Callee, EdgeId, ExprId, ExprKind, Halt, LocationId, PlaceId, ProcId, Procedure, Program,
    Statement, TypeId, VarId,
};

/// Where the globals are.
#[derive(Debug, Default)]
pub(super) struct Globals {
    /// The address of each global that has one.
    pub(super) addresses: FxHashMap<VarId, u64>,
}

/// Why an expression or a statement has no code.
pub(super) type Reason = String;

/// An edge to be laid out, with the operation that leads there.
struct Pending {
    from: From,
    next: Next,
}

/// What leads to a piece of code.
enum From {
    /// The failing test of this operation.
    Branch(usize),
    /// An entry of a table of choices.
    Choice(usize, usize),
    /// A case of a switch.
    Case(usize, u64),
    /// The default of a switch.
    Default(usize),
}

/// A piece of code.
enum Next {
    /// An edge whose guard is known to hold.
    Take(EdgeId),
    /// No edge can be taken; the last one tried did not pass.
    Blocked(LocationId, EdgeId),
}

/// Compiles a procedure that has a body, for a run that is observed or not.
pub(super) fn compile(program: &Program, globals: &Globals, id: ProcId, observed: bool) -> Code {
    let procedure = &program.procedures[id];
    if procedure.locations.get(procedure.entry).is_none() {
        let ops = vec![Op::End { edge: 0, reason: 0 }];
        return Code { ops, reasons: vec!["a procedure without a body".into()], ..Code::default() };
    }
    let mut compiler = Compiler {
        program,
        procedure,
        values: Values::new(program, globals, procedure, observed),
        starts: vec![Pc::MAX; procedure.locations.len()],
        outgoing: vec![Vec::new(); procedure.locations.len()],
        pending: Vec::new(),
    };
    for (edge, e) in procedure.edges.iter() {
        compiler.outgoing[e.source.index()].push(edge);
    }
    compiler.run();
    let mut code = compiler.values.finish();
    if !observed {
        code.tighten();
    }
    code
}

struct Compiler<'p> {
    program: &'p Program,
    procedure: &'p Procedure,
    values: Values<'p>,
    /// Where the code of each location starts.
    starts: Vec<Pc>,
    outgoing: Vec<Vec<EdgeId>>,
    pending: Vec<Pending>,
}

impl Compiler<'_> {
    fn run(&mut self) {
        let mut next = Some(self.procedure.entry);
        loop {
            // As far as possible, locations follow each other without jumps.
            while let Some(location) = next {
                next = match self.starts[location.index()] {
                    Pc::MAX => self.location(location),
                    to => {
                        self.values.push(Op::Jump { to });
                        if self.values.code.compares(to) {
                            // Room for [`Code::tighten`].
                            self.values.push(Op::Jump { to });
                        }
                        None
                    }
                };
            }
            let Some(pending) = self.pending.pop() else { return };
            self.land(pending.from);
            next = match pending.next {
                Next::Take(edge) => self.take(edge),
                Next::Blocked(location, edge) => {
                    self.values.begin(edge);
                    self.blocked(location);
                    None
                }
            };
        }
    }

    /// Lets an operation lead to the code that comes next.
    fn land(&mut self, from: From) {
        let here = self.values.position();
        match from {
            From::Branch(at) => self.values.retarget(at, here),
            From::Choice(table, choice) => self.values.code.choices[table].1[choice] = here,
            From::Case(table, constant) => {
                self.values.code.switches[table].0.insert(constant, here);
            }
            From::Default(table) => self.values.code.switches[table].1 = here,
        }
    }

    fn later(&mut self, from: From, next: Next) {
        self.pending.push(Pending { from, next });
    }

    /// Lays out what happens at a location; where to go on.
    fn location(&mut self, location: LocationId) -> Option<LocationId> {
        self.starts[location.index()] = self.values.position();
        let outgoing = std::mem::take(&mut self.outgoing[location.index()]);
        match *outgoing {
            [] => {
                self.blocked(location);
                None
            }
            [edge] => match self.procedure.edges[edge].statement {
                Statement::Assume(condition) => {
                    let branch = self.guard(edge, condition)?;
                    self.later(From::Branch(branch), Next::Blocked(location, edge));
                    self.take(edge)
                }
                _ => self.take(edge),
            },
            [first, second] if are_complements(self.program, self.procedure, first, second) => {
                let Statement::Assume(condition) = self.procedure.edges[first].statement else { return None };
                let branch = self.guard(first, condition)?;
                self.later(From::Branch(branch), Next::Take(second));
                self.take(first)
            }
            _ => {
                if !self.switch(&outgoing) {
                    self.choice(location, &outgoing);
                }
                None
            }
        }
    }

    fn blocked(&mut self, location: LocationId) {
        self.values.push(Op::Blocked { location: location.index() as u32 });
    }

    /// Evaluates the guard of an edge; the operation to be told where to go if it does not hold.
    fn guard(&mut self, edge: EdgeId, condition: ExprId) -> Option<usize> {
        self.values.begin(edge);
        let branch = self.values.branch(condition);
        branch.map_err(|reason| self.values.unsupported(edge, reason)).ok()
    }

    /// Lays out an edge; where to go on.
    fn take(&mut self, edge: EdgeId) -> Option<LocationId> {
        let e = &self.procedure.edges[edge];
        self.values.begin(edge);
        self.values.push(Op::Step { edge: edge.index() as u32, count: 1 });
        match self.statement(edge, &e.statement) {
            Ok(ends) => (!ends).then_some(e.target),
            Err(reason) => {
                self.values.unsupported(edge, reason);
                None
            }
        }
    }

    /// Code for several outgoing edges: evaluate the guards, then take one that is enabled.
    fn choice(&mut self, location: LocationId, edges: &[EdgeId]) {
        for (choice, &edge) in edges.iter().enumerate() {
            self.values.begin(edge);
            let cond = match self.procedure.edges[edge].statement {
                Statement::Assume(condition) => match self.values.value(condition) {
                    Ok(slot) => slot,
                    Err(reason) => return self.values.unsupported(edge, reason),
                },
                _ => ALWAYS,
            };
            self.values.push(Op::Guard { cond, choice: choice as u32 });
        }
        // Where the choice is made, if anybody asks, is where its first way starts.
        self.values.begin(edges[0]);
        let table = self.values.code.choices.len();
        self.values.push(Op::Choose { table: table as u32 });
        self.values.code.choices.push((location.index() as u32, vec![Pc::MAX; edges.len()].into()));
        for (choice, &edge) in edges.iter().enumerate() {
            self.later(From::Choice(table, choice), Next::Take(edge));
        }
    }

    /// Code for guards that compare one expression with different constants, and one more guard
    /// that says that it is none of them.
    fn switch(&mut self, edges: &[EdgeId]) -> bool {
        let Some((subject, cases, default)) = find_switch(self.program, self.procedure, edges) else {
            return false;
        };
        self.values.begin(edges[0]);
        let value = match self.values.value(subject) {
            Ok(value) => value,
            Err(reason) => {
                self.values.unsupported(edges[0], reason);
                return true;
            }
        };
        let table = self.values.code.switches.len();
        self.values.push(Op::Switch { value, table: table as u32 });
        self.values.code.switches.push((FxHashMap::default(), 0));
        for (constant, edge) in cases {
            self.later(From::Case(table, constant), Next::Take(edge));
        }
        self.later(From::Default(table), Next::Take(default));
        true
    }

    /// Code for a statement; whether control ends there.
    fn statement(&mut self, edge: EdgeId, statement: &Statement) -> Result<bool, Reason> {
        match statement {
            Statement::Skip | Statement::Assume(_) => {}
            Statement::Assign(place, expr) => self.assign(*place, *expr)?,
            Statement::Havoc(place, kind) => self.havoc(edge, *place, kind)?,
            Statement::Call { result, callee, arguments } => self.call(edge, *result, *callee, arguments)?,
            Statement::Return => {
                self.values.push(Op::Return);
                return Ok(true);
            }
            Statement::Allocate { result, size, .. } => {
                let size_scalar = self.values.scalar(*size)?;
                let size = self.values.value(*size)?;
                let dst = self.values.result_slot(*result);
                self.values.effect(Effect::Allocate { dst, size, size_scalar, edge });
                self.values.store_result(*result, dst)?;
            }
            Statement::Free(pointer) => {
                let pointer = self.values.value(*pointer)?;
                self.values.effect(Effect::Free { pointer });
            }
            Statement::Copy { target, source, length } => {
                let length_scalar = self.values.scalar(*length)?;
                let [target, source, length] = self.values.values([*target, *source, *length])?;
                self.values.effect(Effect::Copy { target, source, length, length_scalar });
            }
            Statement::CopyObject { target, source } => {
                let [target, source] = self.values.values([*target, *source])?;
                self.values.effect(Effect::CopyObject { target, source });
            }
            Statement::Fill { target, byte, length } => {
                let length_scalar = self.values.scalar(*length)?;
                let [target, byte, length] = self.values.values([*target, *byte, *length])?;
                self.values.effect(Effect::Fill { target, byte, length, length_scalar });
            }
            Statement::Output { arguments, .. } => {
                let mut slots = Vec::with_capacity(arguments.len());
                for &argument in arguments {
                    let scalar = self.values.scalar(argument)?;
                    slots.push((self.values.value(argument)?, scalar));
                }
                self.values.effect(Effect::Output { edge, arguments: slots.into() });
            }
            Statement::Halt(Halt::Exit(status)) => {
                let scalar = self.values.scalar(*status)?;
                let status = self.values.value(*status)?;
                self.values.push(Op::Exit { status, scalar });
                return Ok(true);
            }
            Statement::Halt(_) | Statement::Error(_) | Statement::Unsupported(_) => {
                self.values.push(Op::End { edge: edge.index() as u32, reason: NO_REASON });
                return Ok(true);
            }
        }
        self.values.clear();
        Ok(false)
    }

    fn assign(&mut self, place: PlaceId, expr: ExprId) -> Result<(), Reason> {
        if !self.program.is_scalar(self.program.place(place).ty) {
            return self.assign_aggregate(place, expr);
        }
        if let Some(var) = self.program.whole_variable(place)
            && let Some(FrameVar { slot, home: VarHome::Slot { .. }, .. }) = self.values.local(var)
        {
            self.values.value_into(expr, slot)?;
            self.values.mark(var, true);
            return Ok(());
        }
        let value = self.values.value(expr)?;
        self.values.store(place, value)
    }

    fn assign_aggregate(&mut self, place: PlaceId, expr: ExprId) -> Result<(), Reason> {
        let ExprKind::Load(source) = self.program.expr(expr).kind else {
            return Err("an aggregate that is not stored anywhere".into());
        };
        let ty = self.program.place(place).ty;
        let src = self.values.address_value(source)?;
        let dst = self.values.address_value(place)?;
        self.values.effect(Effect::CopyAggregate { dst, src, ty });
        Ok(())
    }

    fn havoc(&mut self, edge: EdgeId, place: PlaceId, kind: &Arbitrary) -> Result<(), Reason> {
        let ty = self.program.place(place).ty;
        let lazy = *kind == Arbitrary::Uninitialised;
        let scalar = Scalar::of(self.program, ty);
        if lazy && let Some(var) = self.program.whole_variable(place) {
            self.values.effect(Effect::Renewed { var });
        }
        if let Some(var) = self.program.whole_variable(place)
            && let Some(FrameVar { slot: dst, home: VarHome::Slot { scalar, .. }, .. }) =
                self.values.local(var)
        {
            if !lazy {
                self.values.effect(Effect::Draw { dst, scalar, ty, edge });
            }
            self.values.mark(var, !lazy);
            return Ok(());
        }
        let bits = self.values.bit_range(place);
        let base = self.values.address_value(place)?;
        let effect = match (scalar, bits) {
            (Some(_), Some(bits)) if lazy => Effect::ForgetBits { base, ty, bits },
            (Some(scalar), _) if !lazy => Effect::DrawCell { base, scalar, ty, bits, edge },
            _ => Effect::Forget { base, size: self.program.size_of(ty), edge },
        };
        self.values.effect(effect);
        Ok(())
    }

    fn call(
        &mut self,
        edge: EdgeId,
        result: Option<VarId>,
        callee: Callee,
        arguments: &[ExprId],
    ) -> Result<(), Reason> {
        let mut passed = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            let expr = self.program.expr(argument);
            let scalar = Scalar::of(self.program, expr.ty);
            let slot = match (scalar, &expr.kind) {
                (Some(_), _) => self.values.value(argument)?,
                (None, &ExprKind::Load(place)) => self.values.address_value(place)?,
                _ => return Err("an aggregate that is not stored anywhere".into()),
            };
            passed.push(Passed { slot, ty: expr.ty, scalar });
        }
        let callee = match callee {
            Callee::Direct(procedure) => {
                if !self.fits_exactly(procedure, result, &passed) {
                    return Err("a call that does not fit its procedure".into());
                }
                Target::Direct(procedure)
            }
            Callee::Indirect(pointer) => Target::Indirect(self.values.value(pointer)?),
        };
        let destination = match result {
            None => None,
            Some(var) => {
                let ty = self.program.variables[var].ty;
                let scalar = Scalar::of(self.program, ty);
                let slot = match scalar {
                    Some(_) => self.values.result_slot(var),
                    None => self.values.variable_address(var)?,
                };
                Some(Passed { slot, ty, scalar })
            }
        };
        let site = self.values.code.calls.len() as u32;
        let arguments = passed.into();
        self.values.code.calls.push(CallSite { callee, arguments, result: destination, edge });
        self.values.push(Op::Call { site });
        if let (Some(var), Some(Passed { slot, scalar: Some(_), .. })) = (result, destination) {
            self.values.store_result(var, slot)?;
        }
        Ok(())
    }

    /// Whether arguments and result have the types of a procedure's; pointers all look the same.
    fn fits_exactly(&self, procedure: ProcId, result: Option<VarId>, passed: &[Passed]) -> bool {
        let program = self.program;
        let p = &program.procedures[procedure];
        let type_of = |var: VarId| program.variables[var].ty;
        let fits = |a: TypeId, b: TypeId| a == b || program.is_pointer(a) && program.is_pointer(b);
        let result_fits = match (result, p.result) {
            (None, _) => true,
            (Some(to), Some(from)) => fits(type_of(from), type_of(to)),
            (Some(_), None) => false,
        };
        result_fits
            && passed.len() == p.formals.len()
            && passed.iter().zip(&p.formals).all(|(p, &formal)| fits(p.ty, type_of(formal)))
    }
}
