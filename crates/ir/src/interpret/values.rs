//! Compilation of expressions and places into operations on slots.
//!
//! Each expression is evaluated at most once per statement: an interned expression that occurs
//! twice finds its slot in `memo`. What is computed inside an arm of a conditional expression is
//! forgotten at the arm's end. The traversal keeps its own stack of tasks, because expressions can
//! be deeper than the host's stack.

mod places;

use rustc_hash::FxHashMap;

use super::assigned::{UnsetReads, Uses};
use super::code::{Cmp, Code, Effect, FrameVar, NO_LAYOUT, Op, Pc, Scalar, Shape, Slot, VarHome};
use super::compile::{Globals, Reason};
use super::memory;
use crate::{BinaryOp, EdgeId, ExprId, ExprKind, Procedure, Program, Type, TypeId, UnaryOp, VarId, visit};

pub(super) use places::bit_range;

/// More operations than this for one edge are refused: a shared conditional expression can unfold
/// without bound.
const MAX_EDGE_OPS: usize = 1 << 22;

/// A step of the traversal of an expression.
enum Task {
    /// Evaluate, if need be; into the given slot if that is as easy.
    Visit(ExprId, Option<Slot>),
    /// The operands are evaluated.
    Emit(ExprId, Option<Slot>),
    /// The condition is evaluated.
    Then(ExprId, Slot),
    /// The first arm is evaluated; the branch to patch and the length of the log at its start.
    Else(ExprId, Slot, usize, usize),
    /// The second arm is evaluated; the jump to patch.
    Join(ExprId, Slot, usize, usize),
}

/// The code of a procedure under construction, with what is known about its variables and about
/// the values in its slots.
pub(super) struct Values<'p> {
    program: &'p Program,
    globals: &'p Globals,
    pub(super) code: Code,
    /// Position of a variable in [`Code::unset`].
    unset_numbers: FxHashMap<VarId, u32>,
    unset: UnsetReads,
    constants: FxHashMap<u128, Slot>,
    wide_constants: FxHashMap<u128, Slot>,
    temps: Vec<Slot>,
    temps_used: usize,
    memo: FxHashMap<ExprId, Slot>,
    /// The expressions in `memo` in the order they came.
    log: Vec<ExprId>,
    edge: EdgeId,
    edge_start: usize,
}

impl<'p> Values<'p> {
    /// Nothing but the layout of a frame. If `observed`, every variable tells whether it has a value.
    pub(super) fn new(
        program: &'p Program,
        globals: &'p Globals,
        procedure: &'p Procedure,
        observed: bool,
    ) -> Self {
        let uses = Uses::of(program, procedure);
        let in_slot = |var: VarId| {
            let ty = program.variables[var].ty;
            Scalar::of(program, ty).filter(|_| !uses.address_taken.contains(&var))
        };
        let own = procedure.result.iter().chain(&procedure.locals).copied();
        let candidates: Vec<VarId> = own.filter(|&var| in_slot(var).is_some()).collect();
        let unset = uses.unset_reads(program, procedure, &candidates);
        let mut values = Values {
            program,
            globals,
            code: Code::default(),
            unset_numbers: FxHashMap::default(),
            unset,
            constants: FxHashMap::default(),
            wide_constants: FxHashMap::default(),
            temps: Vec::new(),
            temps_used: 0,
            memo: FxHashMap::default(),
            log: Vec::new(),
            edge: EdgeId::from_usize(0),
            edge_start: 0,
        };
        let flagged = values.unset.variables();
        for &var in &procedure.formals {
            let formal = values.declare(var, in_slot(var), false);
            values.code.formals.push(formal);
        }
        for &var in procedure.result.iter().chain(&procedure.locals) {
            let variable = values.declare(var, in_slot(var), observed || flagged.contains(&var));
            if let VarHome::Object { size, align } = variable.home {
                values.code.objects.push((variable.slot, size, align, var));
            }
            if Some(var) == procedure.result {
                values.code.result = Some(variable);
            }
        }
        values
    }

    fn declare(&mut self, var: VarId, scalar: Option<Scalar>, flagged: bool) -> FrameVar {
        let ty = self.program.variables[var].ty;
        let variable = match scalar {
            Some(scalar) => {
                let slot = self.fresh(scalar.is_wide());
                let flag = flagged.then(|| self.fresh(false));
                FrameVar { var, ty, slot, home: VarHome::Slot { scalar, flag } }
            }
            None => {
                let home = VarHome::Object {
                    size: self.program.size_of(ty),
                    align: align_of_variable(self.program, var),
                };
                FrameVar { var, ty, slot: self.fresh(false), home }
            }
        };
        if flagged && scalar.is_some() {
            self.unset_numbers.insert(var, self.code.unset.len() as u32);
            self.code.unset.push(variable);
        }
        self.code.variables.insert(var, variable);
        variable
    }

    pub(super) fn finish(self) -> Code {
        self.code
    }

    /// Where the next operation will be.
    pub(super) fn position(&self) -> Pc {
        self.code.ops.len() as Pc
    }

    pub(super) fn push(&mut self, op: Op) {
        self.code.ops.push(op);
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        let number = self.code.effects.len() as u32;
        self.code.effects.push(effect);
        self.push(Op::Effect { number });
    }

    /// Tells a jump or branch where to go.
    pub(super) fn retarget(&mut self, at: usize, target: Pc) {
        match &mut self.code.ops[at] {
            Op::Jump { to } | Op::Branch { otherwise: to, .. } | Op::BranchCmp { otherwise: to, .. } => {
                *to = target
            }
            other => unreachable!("{other:?} goes nowhere"),
        }
    }

    /// What follows belongs to an edge.
    pub(super) fn begin(&mut self, edge: EdgeId) {
        self.edge = edge;
        self.edge_start = self.code.ops.len();
        let position = self.position();
        self.code.sites.push((position, edge));
        self.clear();
    }

    /// Forgets all intermediate values.
    pub(super) fn clear(&mut self) {
        // Clearing a table that once was large takes long.
        if self.memo.capacity() > 1024 {
            self.memo = FxHashMap::default();
        }
        self.memo.clear();
        self.log.clear();
        self.temps_used = 0;
    }

    /// Replaces the code of the current edge by the end of the run.
    pub(super) fn unsupported(&mut self, edge: EdgeId, reason: Reason) {
        self.code.ops.truncate(self.edge_start);
        let end = self.edge_start;
        self.code.loads.truncate(self.code.loads.partition_point(|&(at, _)| (at as usize) < end));
        let number = self.code.reasons.len() as u32;
        self.code.reasons.push(reason);
        self.push(Op::Step { edge: edge.index() as u32, count: 1 });
        self.push(Op::End { edge: edge.index() as u32, reason: number });
        self.clear();
    }

    /// A slot (two if wide) that nothing else uses.
    fn fresh(&mut self, wide: bool) -> Slot {
        let slot = self.code.frame.len() as Slot;
        self.code.frame.extend_from_slice(if wide { &[0, 0] } else { &[0] });
        slot
    }

    /// A slot for an intermediate value of the current statement. All such slots are wide.
    fn temp(&mut self) -> Slot {
        if self.temps_used == self.temps.len() {
            let slot = self.fresh(true);
            self.temps.push(slot);
        }
        self.temps_used += 1;
        self.temps[self.temps_used - 1]
    }

    fn constant(&mut self, bits: u128, wide: bool) -> Slot {
        let known = if wide { &self.wide_constants } else { &self.constants };
        if let Some(&slot) = known.get(&bits) {
            return slot;
        }
        let slot = self.fresh(wide);
        self.code.frame[slot as usize] = bits as u64;
        if wide {
            self.code.frame[slot as usize + 1] = (bits >> 64) as u64;
            self.wide_constants.insert(bits, slot);
        } else {
            self.constants.insert(bits, slot);
        }
        slot
    }

    fn number(&mut self, value: u64) -> Slot {
        self.constant(u128::from(value), false)
    }

    fn pointer_shape(&self) -> Shape {
        Shape { unused: 64 - self.program.data_model.pointer_bits() as u8, signed: false }
    }

    /// A variable of the procedure.
    pub(super) fn local(&self, var: VarId) -> Option<FrameVar> {
        self.code.variables.get(&var).copied()
    }

    /// Notes whether a variable has a value, if anybody asks.
    pub(super) fn mark(&mut self, var: VarId, set: bool) {
        if let Some(VarHome::Slot { flag: Some(flag), .. }) = self.local(var).map(|v| v.home) {
            self.push(Op::Set { dst: flag, value: u32::from(set) });
        }
    }

    /// Makes sure that a variable has a value if it may have none.
    pub(super) fn require(&mut self, var: VarId) {
        if self.unset.contains(self.edge, var)
            && let Some(VarHome::Slot { flag: Some(flag), .. }) = self.local(var).map(|v| v.home)
        {
            let var = self.unset_numbers[&var];
            self.push(Op::Require { flag, var });
        }
    }

    /// How the value of an expression is held.
    pub(super) fn scalar(&self, expr: ExprId) -> Result<Scalar, Reason> {
        let ty = self.program.expr(expr).ty;
        Scalar::of(self.program, ty).ok_or_else(|| "an aggregate where a scalar is needed".into())
    }

    /// The slot that a result goes to: that of its variable, or one to be stored from.
    pub(super) fn result_slot(&mut self, var: VarId) -> Slot {
        match self.local(var) {
            Some(FrameVar { slot, home: VarHome::Slot { .. }, .. }) => slot,
            _ => self.temp(),
        }
    }

    /// Moves a result from its slot to its variable.
    pub(super) fn store_result(&mut self, var: VarId, slot: Slot) -> Result<(), Reason> {
        if let Some(FrameVar { home: VarHome::Slot { .. }, .. }) = self.local(var) {
            self.mark(var, true);
            return Ok(());
        }
        let scalar = Scalar::of(self.program, self.program.variables[var].ty);
        let cell = scalar.and_then(Scalar::cell).ok_or(NO_LAYOUT)?;
        let base = self.variable_address(var)?;
        self.push(Op::Store { cell, src: slot, base, offset: 0 });
        Ok(())
    }

    /// The slot with the address of a variable in memory.
    pub(super) fn variable_address(&mut self, var: VarId) -> Result<Slot, Reason> {
        match (self.local(var), self.globals.addresses.get(&var)) {
            (Some(FrameVar { slot, home: VarHome::Object { .. }, .. }), _) => Ok(slot),
            (None, Some(&address)) => Ok(self.number(address)),
            _ => Err("a variable of another procedure".into()),
        }
    }

    /// The slots of several values.
    pub(super) fn values<const N: usize>(&mut self, exprs: [ExprId; N]) -> Result<[Slot; N], Reason> {
        let mut slots = [0; N];
        for (slot, expr) in slots.iter_mut().zip(exprs) {
            *slot = self.value(expr)?;
        }
        Ok(slots)
    }

    /// Evaluates an expression; the slot with its value.
    pub(super) fn value(&mut self, expr: ExprId) -> Result<Slot, Reason> {
        self.evaluate(expr, None)?;
        self.operand(expr)
    }

    /// Evaluates an expression into a slot.
    pub(super) fn value_into(&mut self, expr: ExprId, dst: Slot) -> Result<(), Reason> {
        self.evaluate(expr, Some(dst))?;
        let src = self.operand(expr)?;
        self.copy_value(expr, dst, src)
    }

    fn copy_value(&mut self, expr: ExprId, dst: Slot, src: Slot) -> Result<(), Reason> {
        if dst != src {
            let wide = self.scalar(expr)?.is_wide();
            self.push(if wide { Op::MoveWide { dst, src } } else { Op::Move { dst, src } });
        }
        Ok(())
    }

    /// Evaluates a condition; the operation to be told where to go if it does not hold.
    pub(super) fn branch(&mut self, condition: ExprId) -> Result<usize, Reason> {
        if let ExprKind::Binary(op, x, y) = self.program.expr(condition).kind
            && let Some(cmp) = self.narrow_comparison(op, x)?
        {
            let [a, b] = self.values([x, y])?;
            self.push(Op::BranchCmp { cmp, a, b, otherwise: Pc::MAX });
        } else {
            let cond = self.value(condition)?;
            self.push(Op::Branch { cond, otherwise: Pc::MAX });
        }
        self.clear();
        Ok(self.code.ops.len() - 1)
    }

    fn narrow_comparison(&self, op: BinaryOp, operand: ExprId) -> Result<Option<Cmp>, Reason> {
        Ok(match self.scalar(operand)? {
            Scalar::Truth => Cmp::new(op, false),
            Scalar::Narrow(shape) => Cmp::new(op, shape.signed),
            _ => None,
        })
    }

    fn evaluate(&mut self, root: ExprId, dst: Option<Slot>) -> Result<(), Reason> {
        let mut tasks = vec![Task::Visit(root, dst)];
        while let Some(task) = tasks.pop() {
            if self.code.ops.len() - self.edge_start > MAX_EDGE_OPS {
                return Err("an expression that is too large".into());
            }
            match task {
                Task::Visit(expr, hint) => self.visit(expr, hint, &mut tasks),
                Task::Emit(expr, hint) => self.emit(expr, hint)?,
                Task::Then(expr, dst) => {
                    let ExprKind::If(condition, then, _) = self.program.expr(expr).kind else { continue };
                    let cond = self.operand(condition)?;
                    let branch = self.code.ops.len();
                    self.push(Op::Branch { cond, otherwise: Pc::MAX });
                    tasks.push(Task::Else(expr, dst, branch, self.log.len()));
                    tasks.push(Task::Visit(then, Some(dst)));
                }
                Task::Else(expr, dst, branch, mark) => {
                    let ExprKind::If(_, then, otherwise) = self.program.expr(expr).kind else { continue };
                    let src = self.operand(then)?;
                    self.copy_value(then, dst, src)?;
                    let jump = self.code.ops.len();
                    self.push(Op::Jump { to: Pc::MAX });
                    self.retarget(branch, self.position());
                    self.forget_from(mark);
                    tasks.push(Task::Join(expr, dst, jump, mark));
                    tasks.push(Task::Visit(otherwise, Some(dst)));
                }
                Task::Join(expr, dst, jump, mark) => {
                    let ExprKind::If(_, _, otherwise) = self.program.expr(expr).kind else { continue };
                    let src = self.operand(otherwise)?;
                    self.copy_value(otherwise, dst, src)?;
                    self.retarget(jump, self.position());
                    self.forget_from(mark);
                    self.remember(expr, dst);
                }
            }
        }
        Ok(())
    }

    fn remember(&mut self, expr: ExprId, slot: Slot) {
        self.memo.insert(expr, slot);
        self.log.push(expr);
    }

    fn forget_from(&mut self, mark: usize) {
        for expr in self.log.drain(mark..) {
            self.memo.remove(&expr);
        }
    }

    fn visit(&mut self, expr: ExprId, hint: Option<Slot>, tasks: &mut Vec<Task>) {
        if self.memo.contains_key(&expr) {
            return;
        }
        let first = tasks.len();
        match self.program.expr(expr).kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) | ExprKind::Function(_) => return,
            ExprKind::If(condition, _, _) => {
                let dst = hint.unwrap_or_else(|| self.temp());
                tasks.push(Task::Then(expr, dst));
                tasks.push(Task::Visit(condition, None));
                return;
            }
            _ => {
                tasks.push(Task::Emit(expr, hint));
                tasks.extend(visit::parts(self.program, expr).map(|part| Task::Visit(part, None)));
            }
        }
        // The task taken next is the last one: operands are evaluated from left to right.
        tasks[first + 1..].reverse();
    }

    /// The slot of an expression that was evaluated, or needs no evaluation.
    fn operand(&mut self, expr: ExprId) -> Result<Slot, Reason> {
        if let Some(&slot) = self.memo.get(&expr) {
            return Ok(slot);
        }
        let scalar = self.scalar(expr)?;
        match self.program.expr(expr).kind {
            ExprKind::Int(value) if scalar.is_wide() => Ok(self.constant(value as u128, true)),
            ExprKind::Int(value) => Ok(self.number(scalar.canonical(value as u128) as u64)),
            ExprKind::Bool(value) => Ok(self.number(u64::from(value))),
            ExprKind::Float(bits) => Ok(self.constant(scalar.canonical(bits) as u128, scalar.is_wide())),
            ExprKind::Function(procedure) => Ok(self.number(memory::function_address(procedure))),
            _ => Err("an expression that was not evaluated".into()),
        }
    }

    fn emit(&mut self, expr: ExprId, hint: Option<Slot>) -> Result<(), Reason> {
        let program = self.program;
        let slot = match program.expr(expr).kind {
            ExprKind::Load(place) => self.load(place, hint)?,
            ExprKind::AddressOf(place) => {
                let (base, offset) = self.address(place)?;
                if offset == 0 {
                    base
                } else {
                    let (shape, dst) = (self.pointer_shape(), self.destination(hint));
                    self.push(Op::Offset { shape, dst, base, offset });
                    dst
                }
            }
            ExprKind::Unary(op, operand) => self.unary(op, operand, hint)?,
            ExprKind::Binary(op, a, b) => self.binary(op, a, b, hint)?,
            ExprKind::Cast(operand) => self.cast(operand, program.expr(expr).ty, hint)?,
            _ => return Ok(()),
        };
        self.remember(expr, slot);
        Ok(())
    }

    fn destination(&mut self, hint: Option<Slot>) -> Slot {
        hint.unwrap_or_else(|| self.temp())
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, hint: Option<Slot>) -> Result<Slot, Reason> {
        let scalar = self.scalar(operand)?;
        let (a, dst) = (self.operand(operand)?, self.destination(hint));
        let op = match (op, scalar) {
            (UnaryOp::Not, Scalar::Truth) => Op::Not { dst, a },
            (UnaryOp::Neg, Scalar::Narrow(shape)) => Op::Neg { shape, dst, a },
            (UnaryOp::BitNot, Scalar::Narrow(shape)) => Op::BitNot { shape, dst, a },
            (UnaryOp::Neg, Scalar::Float(kind)) => Op::FloatNeg { kind, dst, a },
            (UnaryOp::Neg, Scalar::Wide { .. } | Scalar::Integer) => Op::WideNeg { scalar, dst, a },
            (UnaryOp::BitNot, Scalar::Wide { .. }) => Op::WideBitNot { dst, a },
            _ => return Err(format!("{op:?} of this type")),
        };
        self.push(op);
        Ok(dst)
    }

    fn binary(&mut self, op: BinaryOp, x: ExprId, y: ExprId, hint: Option<Slot>) -> Result<Slot, Reason> {
        match op {
            BinaryOp::PointerAdd => return self.pointer_add(x, y, hint),
            BinaryOp::PointerDiff => return self.pointer_distance(x, y, hint),
            _ => {}
        }
        let scalar = self.scalar(x)?;
        let (a, mut b) = (self.operand(x)?, self.operand(y)?);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            if let Scalar::Wide { .. } = self.scalar(y)? {
                let dst = self.temp();
                self.push(Op::Amount { dst, a: b });
                b = dst;
            }
        } else if self.scalar(y)? != scalar {
            return Err(format!("{op:?} of different types"));
        }
        let dst = self.destination(hint);
        let comparison = matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le);
        let op = match (scalar, op) {
            (Scalar::Narrow(shape), _) => match Cmp::new(op, shape.signed) {
                Some(cmp) => Op::Compare { cmp, dst, a, b },
                None => narrow_operation(op, shape, dst, a, b),
            },
            (Scalar::Truth, BinaryOp::And) => Op::And { dst, a, b },
            (Scalar::Truth, BinaryOp::Or) => Op::Or { dst, a, b },
            (Scalar::Truth, BinaryOp::Xor) => Op::Xor { dst, a, b },
            (Scalar::Truth, _) => match Cmp::new(op, false) {
                Some(cmp) => Op::Compare { cmp, dst, a, b },
                None => return Err(format!("{op:?} of truth values")),
            },
            (Scalar::Float(kind), _) if comparison => Op::FloatCompare { kind, op, dst, a, b },
            (
                Scalar::Float(kind),
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
            ) => Op::Float { kind, op, dst, a, b },
            (Scalar::Float(_), _) => return Err(format!("{op:?} of floating-point numbers")),
            (Scalar::Wide { signed }, _) if comparison => Op::WideCompare { signed, op, dst, a, b },
            (Scalar::Integer, _) if comparison => Op::WideCompare { signed: true, op, dst, a, b },
            (
                Scalar::Integer,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
            )
            | (Scalar::Wide { .. }, _) => Op::Wide { scalar, op, dst, a, b },
            (Scalar::Integer, _) => return Err(format!("{op:?} of mathematical integers")),
        };
        self.push(op);
        Ok(dst)
    }

    fn pointer_add(&mut self, x: ExprId, y: ExprId, hint: Option<Slot>) -> Result<Slot, Reason> {
        let target = self.program.pointee(self.program.expr(x).ty).ok_or("addition to what is no pointer")?;
        let scale = self.program.size_of(target);
        let base = self.operand(x)?;
        let shape = self.pointer_shape();
        if let Some(index) = self.program.as_int(y) {
            let offset = index.wrapping_mul(i128::from(scale));
            let dst = self.destination(hint);
            let op = match u32::try_from(offset) {
                Ok(offset) => Op::Offset { shape, dst, base, offset },
                Err(_) => Op::Add { shape, dst, a: base, b: self.number(offset as u64) },
            };
            self.push(op);
            return Ok(dst);
        }
        // The low half is enough of a wide index.
        let index = self.operand(y)?;
        if !matches!(self.scalar(y)?, Scalar::Narrow(_) | Scalar::Wide { .. }) {
            return Err("addition of what is no machine integer to a pointer".into());
        }
        Ok(self.element(base, index, scale, hint))
    }

    /// `base + index * scale`.
    fn element(&mut self, base: Slot, index: Slot, scale: u64, hint: Option<Slot>) -> Slot {
        let shape = self.pointer_shape();
        if let Ok(scale) = u32::try_from(scale) {
            let dst = self.destination(hint);
            self.push(Op::Index { shape, dst, base, index, scale });
            return dst;
        }
        let (scale, product) = (self.number(scale), self.temp());
        self.push(Op::Mul { shape, dst: product, a: index, b: scale });
        let dst = self.destination(hint);
        self.push(Op::Add { shape, dst, a: base, b: product });
        dst
    }

    fn pointer_distance(&mut self, x: ExprId, y: ExprId, hint: Option<Slot>) -> Result<Slot, Reason> {
        let target =
            self.program.pointee(self.program.expr(x).ty).ok_or("distance of what are no pointers")?;
        let size = self.program.size_of(target);
        let size = self.number(size);
        let (a, b) = (self.operand(x)?, self.operand(y)?);
        let dst = self.destination(hint);
        let shape = Shape { signed: true, ..self.pointer_shape() };
        self.push(Op::Distance { shape, dst, a, b, size });
        Ok(dst)
    }

    fn cast(&mut self, operand: ExprId, ty: TypeId, hint: Option<Slot>) -> Result<Slot, Reason> {
        let from = self.scalar(operand)?;
        let to = Scalar::of(self.program, ty).ok_or("a conversion to an aggregate")?;
        let a = self.operand(operand)?;
        match (from, to) {
            _ if from == to => return Ok(a),
            (Scalar::Truth, Scalar::Narrow(_)) => return Ok(a),
            (Scalar::Narrow(from), Scalar::Narrow(to)) => {
                let keeps = from.unused > to.unused && (!from.signed || to.signed);
                if to.unused == 0 || keeps || from == to {
                    return Ok(a);
                }
                let dst = self.destination(hint);
                self.push(Op::Wrap { shape: to, dst, a });
                return Ok(dst);
            }
            _ => {}
        }
        let dst = self.destination(hint);
        self.push(Op::Cast { from, to, dst, a });
        Ok(dst)
    }
}

fn narrow_operation(op: BinaryOp, shape: Shape, dst: Slot, a: Slot, b: Slot) -> Op {
    match op {
        BinaryOp::Add => Op::Add { shape, dst, a, b },
        BinaryOp::Sub => Op::Sub { shape, dst, a, b },
        BinaryOp::Mul => Op::Mul { shape, dst, a, b },
        BinaryOp::And => Op::And { dst, a, b },
        BinaryOp::Or => Op::Or { dst, a, b },
        BinaryOp::Xor => Op::Xor { dst, a, b },
        _ => Op::Partial { op, shape, dst, a, b },
    }
}

/// The alignment of a variable in bytes: that of its type, or more if more was asked for.
pub(super) fn align_of_variable(program: &Program, var: VarId) -> u64 {
    let variable = &program.variables[var];
    variable.align.max(align_of(program, variable.ty))
}

/// The alignment of a type in bytes.
fn align_of(program: &Program, mut ty: TypeId) -> u64 {
    while let Type::Array { element, .. } = *program.ty(ty) {
        ty = element;
    }
    match *program.ty(ty) {
        Type::Record(record) => program.records[record].align.max(1),
        _ => program.size_of(ty).max(1),
    }
}
