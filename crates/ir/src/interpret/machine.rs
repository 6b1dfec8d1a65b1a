//! The machine: runs compiled code.
//!
//! [`Machine::execute`] is the hot loop. It keeps the position, the frame and the number of steps in
//! local variables and writes them back before anything that may look at them. What is rare or
//! slow lives in `effects.rs`, values in `eval.rs`.
//!
//! Invariant: `registers[base..]` is the frame of the current activation, which is the last one.

mod calls;

use std::convert::Infallible;

use hardbop_base::Budget;
use rustc_hash::FxHashMap;

use super::code::{ALWAYS, Cell, Code, NO_REASON, Op, Scalar, Slot};
use super::effects::Known;
use super::eval::{self, Stuck};
use super::float;
use super::inputs::{Draw, Inputs};
use super::memory::Memory;
use super::observe::{Observer, Touch, View};
use super::outcome::{Outcome, Site};
use super::{Interpreter, Limits, Sink};
use crate::{Arbitrary, EdgeId, FloatKind, Halt, LocationId, ProcId, Statement, TypeId};

/// The end of a run, on its way out.
pub(super) type Trap = Box<Outcome>;

/// How many steps pass between two looks at the budget.
const POLL: u64 = 1 << 12;

/// An activation that waits for a call to return.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suspended<'r> {
    pub(super) code: &'r Code,
    pub(super) procedure: ProcId,
    pub(super) pc: usize,
    pub(super) base: usize,
    /// How many stack objects there were when it called.
    objects: usize,
    site: u32,
    activation: u64,
}

/// A run in progress.
pub(super) struct Machine<'r> {
    pub(super) interpreter: &'r Interpreter<'r>,
    pub(super) limits: Limits,
    budget: Budget,
    pub(super) memory: Memory,
    pub(super) registers: Vec<u64>,
    pub(super) base: usize,
    pub(super) code: &'r Code,
    pub(super) procedure: ProcId,
    /// Just behind the current operation.
    pub(super) pc: usize,
    pub(super) suspended: Vec<Suspended<'r>>,
    /// The number of the current activation among those of its procedure.
    pub(super) activation: u64,
    /// How many activations of each procedure there were.
    entered: Vec<u64>,
    /// How many allocations of each step there were.
    pub(super) allocations: FxHashMap<(ProcId, EdgeId), u64>,
    /// What pointers to the objects outside of the program are pointers to, by the number of the object.
    pub(super) outside_types: FxHashMap<u64, TypeId>,
    /// What is known outside of the program, if that matters.
    pub(super) known: Known,
    /// Addresses of the stack objects of all activations.
    pub(super) stack_objects: Vec<u64>,
    enabled: Vec<u32>,
    pub(super) inputs: &'r mut dyn Inputs,
    pub(super) draws: Vec<Draw>,
    pub(super) kinds: Vec<Arbitrary>,
    pub(super) kind_numbers: FxHashMap<Arbitrary, u32>,
    pub(super) sink: Option<Sink<'r>>,
    pub(super) output: Vec<u8>,
    /// For copying.
    pub(super) scratch: Vec<u8>,
    observed: bool,
    /// Memory touched since the last step, if anybody wants to know.
    pub(super) touches: Option<Vec<Touch>>,
    pub(super) steps: u64,
    /// The number of steps at which to look at limit and budget.
    pub(super) next_poll: u64,
    /// The number of steps after which to pause; 0 if it has paused there, ready to go on.
    pause: u64,
}

impl<'r> Machine<'r> {
    pub(super) fn new(
        interpreter: &'r Interpreter<'r>,
        limits: Limits,
        budget: Budget,
        inputs: &'r mut dyn Inputs,
        sink: Option<Sink<'r>>,
    ) -> Self {
        Machine {
            interpreter,
            limits,
            budget,
            memory: Memory::new(interpreter.program.data_model, limits.memory)
                .without(&interpreter.program.devices),
            registers: Vec::new(),
            base: 0,
            code: &interpreter.idle,
            procedure: ProcId::from_usize(0),
            pc: 0,
            suspended: Vec::new(),
            activation: 0,
            entered: vec![0; interpreter.program.procedures.len()],
            allocations: FxHashMap::default(),
            outside_types: FxHashMap::default(),
            known: Known::default(),
            stack_objects: Vec::new(),
            enabled: Vec::new(),
            inputs,
            draws: Vec::new(),
            kinds: vec![Arbitrary::Uninitialised],
            kind_numbers: FxHashMap::from_iter([(Arbitrary::Uninitialised, 0)]),
            sink,
            output: Vec::new(),
            scratch: Vec::new(),
            observed: false,
            touches: None,
            steps: 0,
            next_poll: 0,
            pause: u64::MAX,
        }
    }

    /// Runs the program from its start to its end.
    pub(super) fn run<O: Observer>(&mut self, observer: &mut O) -> Outcome {
        self.observed = O::ACTIVE;
        let mut end = self.start();
        if let (Ok(()), true) = (&end, O::ACTIVE && observer.unheard() > 0) {
            self.pause = observer.unheard();
            end = match self.execute(&mut ()) {
                Ok(never) => match never {},
                Err(_) if self.pause == 0 => Ok(()),
                Err(trap) => Err(trap),
            };
        }
        self.pause = u64::MAX;
        self.touches = O::TOUCHES.then(Vec::new);
        let end = match end {
            Ok(()) => self.execute(observer),
            Err(trap) => Err(trap),
        };
        self.tell_touches(observer);
        match end {
            Ok(never) => match never {},
            Err(trap) => *trap,
        }
    }

    /// Sets up the globals and enters the entry procedure.
    fn start(&mut self) -> Result<(), Trap> {
        let program = self.interpreter.program;
        let unsupported = |reason: &str| Box::new(Outcome::Unsupported { reason: reason.into(), site: None });
        let entry = program.entry.ok_or_else(|| unsupported("a program without an entry"))?;
        self.interpreter.initialise(&mut self.memory)?;
        let procedure = &program.procedures[entry];
        if procedure.external.is_some() {
            return Err(unsupported("an entry procedure without a body"));
        }
        if !procedure.formals.is_empty() {
            return Err(unsupported("an entry procedure with formals"));
        }
        self.procedure = entry;
        self.entered[entry.index()] = 1;
        self.code = self.interpreter.code(entry, self.observed);
        self.registers.extend_from_slice(&self.code.frame);
        self.make_locals(self.code)
    }

    fn tell_touches<O: Observer>(&mut self, observer: &mut O) {
        if let Some(touches) = &mut self.touches
            && !touches.is_empty()
        {
            observer.touched(touches);
            touches.clear();
        }
    }

    /// Notes that memory was touched, if anybody wants to know.
    pub(super) fn touch(&mut self, address: u64, size: u64, write: bool) {
        let Some(touches) = &mut self.touches else { return };
        if let Ok((object, offset)) = self.memory.range(address, size) {
            let edge = self.code.edge_at(self.pc.saturating_sub(1));
            let (procedure, origin, offset) = (self.procedure, object.origin, offset as u64);
            touches.push(Touch { procedure, edge, origin, offset, size, write });
        }
    }

    /// The step that the current operation belongs to.
    pub(super) fn site(&self) -> Site {
        self.site_in(self.procedure, self.code.edge_at(self.pc.saturating_sub(1)))
    }

    pub(super) fn site_in(&self, procedure: ProcId, edge: EdgeId) -> Site {
        let edges = &self.interpreter.program.procedures[procedure].edges;
        let span = edges.get(edge).map_or_else(hardbop_base::Span::none, |e| e.span);
        Site { procedure, edge, span }
    }

    #[inline(always)]
    pub(super) fn get(&self, slot: Slot) -> u64 {
        self.registers[self.base + slot as usize]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, slot: Slot, value: u64) {
        self.registers[self.base + slot as usize] = value;
    }

    pub(super) fn get_wide(&self, slot: Slot) -> i128 {
        let (low, high) = (self.get(slot), self.get(slot + 1));
        (u128::from(high) << 64 | u128::from(low)) as i128
    }

    pub(super) fn set_wide(&mut self, slot: Slot, value: i128) {
        self.set(slot, value as u64);
        self.set(slot + 1, (value as u128 >> 64) as u64);
    }

    /// The value in a slot as the program's integers are written; floats as bits.
    pub(super) fn get_scalar(&self, slot: Slot, scalar: Scalar) -> i128 {
        if scalar.is_wide() { self.get_wide(slot) } else { scalar.canonical(u128::from(self.get(slot))) }
    }

    pub(super) fn set_scalar(&mut self, slot: Slot, scalar: Scalar, value: i128) {
        if scalar.is_wide() { self.set_wide(slot, value) } else { self.set(slot, value as u64) }
    }

    /// Sets a register of any activation.
    fn set_absolute(&mut self, register: usize, scalar: Scalar, value: i128) {
        self.registers[register] = value as u64;
        if scalar.is_wide() {
            self.registers[register + 1] = (value as u128 >> 64) as u64;
        }
    }

    /// Looks at limit and budget before step number `steps` is taken.
    #[cold]
    fn poll(&mut self, steps: u64) -> Result<(), Trap> {
        if steps > self.limits.steps {
            self.steps = self.limits.steps;
            return Err(Box::new(Outcome::StepLimit));
        }
        self.budget.check().map_err(|stop| Box::new(Outcome::Stopped(stop)))?;
        if steps > self.pause {
            // The step will be taken when the run goes on.
            (self.pause, self.steps, self.next_poll) = (0, steps - 1, 0);
            self.pc -= 1;
            return Err(Box::new(Outcome::StepLimit));
        }
        let next = (steps + POLL).min(self.limits.steps.saturating_add(1));
        self.next_poll = next.min(self.pause.saturating_add(1));
        Ok(())
    }

    /// The hot loop.
    fn execute<O: Observer>(&mut self, observer: &mut O) -> Result<Infallible, Trap> {
        let mut code = self.code;
        let mut pc = self.pc;
        loop {
            if !O::ACTIVE {
                let frame = &mut self.registers[self.base..];
                (pc, self.steps) = spin(code, frame, &mut self.memory, pc, (self.steps, self.next_poll));
            }
            let op = &code.ops[pc];
            pc += 1;
            match *op {
                Op::Step { edge, count } => {
                    self.steps += u64::from(count);
                    pc += count as usize - 1;
                    if self.steps >= self.next_poll {
                        self.pc = pc;
                        self.poll(self.steps)?;
                    }
                    if O::ACTIVE {
                        self.pc = pc;
                        self.tell_touches(observer);
                        observer.step(&View::new(self, EdgeId::from_usize(edge as usize)));
                    }
                }
                Op::Load { cell, dst, base, offset } => {
                    let address = self.get(base).wrapping_add(offset.into());
                    match load_cell(&self.memory, cell, address) {
                        Some(value) => self.set(dst, value),
                        None => {
                            self.pc = pc;
                            self.load_slowly(cell, dst, address)?;
                        }
                    }
                    if O::TOUCHES {
                        self.pc = pc;
                        self.touch(address, cell.size() as u64, false);
                    }
                }
                Op::Store { cell, src, base, offset } => {
                    let address = self.get(base).wrapping_add(offset.into());
                    let value = self.get(src);
                    if store_cell(&mut self.memory, cell, address, value).is_none() {
                        self.pc = pc;
                        self.store_slowly(cell, src, address)?;
                    }
                    if O::TOUCHES {
                        self.pc = pc;
                        self.touch(address, cell.size() as u64, true);
                    }
                }
                Op::Call { .. } | Op::Return | Op::Choose { .. } | Op::Switch { .. } => {
                    self.pc = pc;
                    self.transfer(*op)?;
                    code = self.code;
                    pc = self.pc;
                }
                _ if O::ACTIVE && simple(op, &mut self.registers[self.base..], &mut pc) => {}
                _ => {
                    self.pc = pc;
                    self.operate(*op)?;
                }
            }
        }
    }

    /// Operations that change where control is.
    fn transfer(&mut self, op: Op) -> Result<(), Trap> {
        match op {
            Op::Call { site } => self.call(site),
            Op::Return => self.return_(),
            Op::Choose { table } => self.choose(table),
            Op::Switch { value, table } => {
                let (cases, otherwise) = &self.code.switches[table as usize];
                self.pc = *cases.get(&self.get(value)).unwrap_or(otherwise) as usize;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The less frequent operations.
    fn operate(&mut self, op: Op) -> Result<(), Trap> {
        match op {
            Op::MoveWide { dst, src } => self.set_wide(dst, self.get_wide(src)),
            Op::Require { flag, var } => {
                if self.get(flag) == 0 {
                    self.set(flag, 1);
                    let variable = self.code.unset[var as usize];
                    self.draw_variable(variable)?;
                }
            }
            Op::Guard { cond, choice } => {
                if cond == ALWAYS || self.get(cond) != 0 {
                    self.enabled.push(choice);
                }
            }
            Op::Partial { op, shape, dst, a, b } => {
                let value = eval::partial(op, shape, self.get(a), self.get(b));
                let value = self.defined(value)?;
                self.set(dst, value);
            }
            Op::Neg { shape, dst, a } => self.set(dst, shape.wrap(self.get(a).wrapping_neg())),
            Op::BitNot { shape, dst, a } => self.set(dst, shape.wrap(!self.get(a))),
            Op::Distance { shape, dst, a, b, size } => {
                let value = eval::distance(shape, self.get(a), self.get(b), self.get(size));
                let value = self.defined(value)?;
                self.set(dst, value);
            }
            Op::LoadBits { field, dst, base, offset } => {
                self.load_bits(field, dst, self.get(base).wrapping_add(offset.into()))?;
            }
            Op::StoreBits { field, src, base, offset } => {
                let field = self.code.bits[field as usize];
                let value = self.get_scalar(src, field.scalar) as u128;
                self.store_bits(field.bits, field.ty, value, self.get(base).wrapping_add(offset.into()))?;
            }
            Op::Effect { number } => self.effect(&self.code.effects[number as usize])?,
            Op::Blocked { location } => return Err(self.blocked(location)),
            Op::Exit { status, scalar } => {
                return Err(Box::new(Outcome::Exited(self.get_scalar(status, scalar))));
            }
            Op::End { edge, reason } => return Err(self.end(EdgeId::from_usize(edge as usize), reason)),
            _ => return self.calculate(op),
        }
        Ok(())
    }

    /// Floats, wide integers and conversions.
    fn calculate(&mut self, op: Op) -> Result<(), Trap> {
        match op {
            Op::Float { kind: FloatKind::F80, op, dst, a, b } => {
                let (a, b) = (self.get_wide(a) as u128, self.get_wide(b) as u128);
                self.set_wide(dst, float::arithmetic(FloatKind::F80, op, a, b) as i128);
            }
            Op::Float { kind, op, dst, a, b } => {
                self.set(dst, eval::narrow_float(kind, op, self.get(a), self.get(b)));
            }
            Op::FloatCompare { kind, op, dst, a, b } => {
                let scalar = Scalar::Float(kind);
                let (a, b) = (self.get_scalar(a, scalar) as u128, self.get_scalar(b, scalar) as u128);
                self.set(dst, float::compare(kind, op, a, b).into());
            }
            Op::FloatNeg { kind, dst, a } => {
                let scalar = Scalar::Float(kind);
                let value = float::negate(kind, self.get_scalar(a, scalar) as u128);
                self.set_scalar(dst, scalar, value as i128);
            }
            Op::Wide { scalar, op, dst, a, b } => {
                let shift = matches!(op, crate::BinaryOp::Shl | crate::BinaryOp::Shr);
                let right = if shift { i128::from(self.get(b)) } else { self.get_wide(b) };
                let value = self.unstuck(eval::wide(scalar, op, self.get_wide(a), right))?;
                self.set_wide(dst, value);
            }
            Op::WideCompare { signed, op, dst, a, b } => {
                let holds = crate::number::compare(op, signed, self.get_wide(a), self.get_wide(b));
                self.set(dst, holds.into());
            }
            Op::WideNeg { scalar, dst, a } => {
                let value = self.unstuck(eval::wide_negation(scalar, self.get_wide(a)))?;
                self.set_wide(dst, value);
            }
            Op::WideBitNot { dst, a } => self.set_wide(dst, !self.get_wide(a)),
            Op::Amount { dst, a } => {
                let amount = u64::try_from(self.get_wide(a)).unwrap_or(u64::MAX);
                self.set(dst, amount);
            }
            Op::Cast { from, to, dst, a } => {
                let value = self.unstuck(eval::cast(from, to, self.get_scalar(a, from)))?;
                self.set_scalar(dst, to, value);
            }
            _ => {}
        }
        Ok(())
    }

    fn defined<T>(&self, value: Result<T, crate::Undefined>) -> Result<T, Trap> {
        value.map_err(|what| Box::new(Outcome::Undefined { what, site: self.site() }))
    }

    fn unstuck<T>(&self, value: Result<T, Stuck>) -> Result<T, Trap> {
        value.map_err(|stuck| match stuck {
            Stuck::Undefined(what) => Box::new(Outcome::Undefined { what, site: self.site() }),
            Stuck::TooLarge => self.unsupported("a mathematical integer of more than 128 bits"),
        })
    }

    pub(super) fn unsupported(&self, reason: impl Into<String>) -> Trap {
        Box::new(Outcome::Unsupported { reason: reason.into(), site: Some(self.site()) })
    }

    #[cold]
    fn blocked(&self, location: u32) -> Trap {
        let procedure = &self.interpreter.program.procedures[self.procedure];
        let location = LocationId::from_usize(location as usize);
        let edge = procedure.edges.values().find(|edge| edge.source == location);
        let span = edge.map_or_else(hardbop_base::Span::none, |edge| edge.span);
        Box::new(Outcome::Blocked { procedure: self.procedure, location, span })
    }

    /// A statement that ends the run.
    fn end(&self, edge: EdgeId, reason: u32) -> Trap {
        let site = self.site_in(self.procedure, edge);
        if reason != NO_REASON {
            let reason = self.code.reasons[reason as usize].clone();
            return Box::new(Outcome::Unsupported { reason, site: Some(site) });
        }
        Box::new(match &self.interpreter.program.procedures[self.procedure].edges[edge].statement {
            Statement::Error(property) => Outcome::Error { property: property.clone(), site },
            Statement::Halt(Halt::Abort) => Outcome::Aborted(site),
            Statement::Halt(Halt::Unreachable) => Outcome::Unreachable(site),
            Statement::Unsupported(reason) => {
                Outcome::Unsupported { reason: reason.clone(), site: Some(site) }
            }
            _ => Outcome::Unsupported { reason: "a statement without a meaning".into(), site: Some(site) },
        })
    }

    /// Takes one of the edges that are enabled.
    fn choose(&mut self, table: u32) -> Result<(), Trap> {
        let (location, ref targets) = self.code.choices[table as usize];
        let pick = match self.enabled.len() {
            0 => return Err(self.blocked(location)),
            1 => 0,
            n => self.draw_choice(n as u32)? as usize % n,
        };
        self.pc = targets[self.enabled[pick] as usize] as usize;
        self.enabled.clear();
        Ok(())
    }
}

/// Runs operations as long as they need nothing but the frame and memory, which is most of the time. Stops in front of the
/// first that needs more, and of the step with number `poll`; the position, and the number of steps taken.
fn spin(
    code: &Code,
    frame: &mut [u64],
    memory: &mut Memory,
    mut pc: usize,
    (mut steps, poll): (u64, u64),
) -> (usize, u64) {
    loop {
        let op = &code.ops[pc];
        let mut next = pc + 1;
        match *op {
            Op::Step { count, .. } => {
                let after = steps + u64::from(count);
                if after >= poll {
                    return (pc, steps);
                }
                steps = after;
                next = pc + count as usize;
            }
            Op::Load { cell, dst, base, offset } => {
                let address = frame[base as usize].wrapping_add(offset.into());
                let Some(value) = load_cell(memory, cell, address) else { return (pc, steps) };
                frame[dst as usize] = value;
            }
            Op::Store { cell, src, base, offset } => {
                let address = frame[base as usize].wrapping_add(offset.into());
                if store_cell(memory, cell, address, frame[src as usize]).is_none() {
                    return (pc, steps);
                }
            }
            _ => {
                if !simple(op, frame, &mut next) {
                    return (pc, steps);
                }
            }
        }
        pc = next;
    }
}

/// Carries out an operation that cannot fail and works on the frame only; `pc` is just behind it. Whether it is one.
#[inline(always)]
fn simple(op: &Op, frame: &mut [u64], pc: &mut usize) -> bool {
    macro_rules! at {
        ($slot:expr) => {
            frame[$slot as usize]
        };
    }
    match *op {
        Op::Jump { to } => *pc = to as usize,
        Op::Branch { cond, otherwise } => {
            if at!(cond) == 0 {
                *pc = otherwise as usize;
            }
        }
        Op::BranchCmp { cmp, a, b, otherwise } => {
            if !cmp.holds(at!(a), at!(b)) {
                *pc = otherwise as usize;
            }
        }
        Op::Move { dst, src } => at!(dst) = at!(src),
        Op::Set { dst, value } => at!(dst) = value.into(),
        Op::Add { shape, dst, a, b } => at!(dst) = shape.wrap(at!(a).wrapping_add(at!(b))),
        Op::Sub { shape, dst, a, b } => at!(dst) = shape.wrap(at!(a).wrapping_sub(at!(b))),
        Op::Mul { shape, dst, a, b } => at!(dst) = shape.wrap(at!(a).wrapping_mul(at!(b))),
        Op::And { dst, a, b } => at!(dst) = at!(a) & at!(b),
        Op::Or { dst, a, b } => at!(dst) = at!(a) | at!(b),
        Op::Xor { dst, a, b } => at!(dst) = at!(a) ^ at!(b),
        Op::Compare { cmp, dst, a, b } => at!(dst) = cmp.holds(at!(a), at!(b)).into(),
        Op::Wrap { shape, dst, a } => at!(dst) = shape.wrap(at!(a)),
        Op::Not { dst, a } => at!(dst) = at!(a) ^ 1,
        Op::Index { shape, dst, base, index, scale } => {
            let offset = at!(index).wrapping_mul(scale.into());
            at!(dst) = shape.wrap(at!(base).wrapping_add(offset));
        }
        Op::Offset { shape, dst, base, offset } => {
            at!(dst) = shape.wrap(at!(base).wrapping_add(offset.into()));
        }
        _ => return false,
    }
    true
}

/// Reads a scalar of one slot, if that is easy.
#[inline(always)]
fn load_cell(memory: &Memory, cell: Cell, address: u64) -> Option<u64> {
    Some(match cell {
        Cell::U8 => memory.load::<1>(address)?[0].into(),
        Cell::I8 => i64::from(i8::from_le_bytes(memory.load(address)?)).cast_unsigned(),
        Cell::U16 => u16::from_le_bytes(memory.load(address)?).into(),
        Cell::I16 => i64::from(i16::from_le_bytes(memory.load(address)?)).cast_unsigned(),
        Cell::U32 => u32::from_le_bytes(memory.load(address)?).into(),
        Cell::I32 => i64::from(i32::from_le_bytes(memory.load(address)?)).cast_unsigned(),
        Cell::W64 => u64::from_le_bytes(memory.load(address)?),
        Cell::Truth => u64::from(memory.load::<1>(address)?[0] != 0),
        Cell::W128 | Cell::F80 => return None,
    })
}

/// Writes a scalar of one slot, if that is easy.
#[inline(always)]
fn store_cell(memory: &mut Memory, cell: Cell, address: u64, value: u64) -> Option<()> {
    match cell {
        Cell::U8 | Cell::I8 | Cell::Truth => memory.store(address, (value as u8).to_le_bytes()),
        Cell::U16 | Cell::I16 => memory.store(address, (value as u16).to_le_bytes()),
        Cell::U32 | Cell::I32 => memory.store(address, (value as u32).to_le_bytes()),
        Cell::W64 => memory.store(address, value.to_le_bytes()),
        Cell::W128 | Cell::F80 => None,
    }
}
