//! Watching a run: a callback before each step, and a way to look at values there.
//!
//! The evaluator here walks the program's own expressions, knows nothing of compiled code but where
//! variables are, and never draws a value: it is for tools that show a run, it evaluates the
//! initialisers of globals, and it is the reference that tests compare compiled code with.

use std::fmt;

use rustc_hash::FxHashMap;

use super::code::{Code, Scalar, VarHome};
use super::compile::Globals;
use super::eval::{self, Stuck};
use super::float;
use super::machine::Machine;
use super::memory::{Memory, Origin, WRITTEN, function_address, function_at};
use super::outcome::Site;
use super::outside::function_outside;
use super::values::bit_range;
use crate::{
    BinaryOp, Callee, EdgeId, ExprId, ExprKind, FloatKind, PlaceBase, PlaceId, ProcId, Program, Projection,
    Statement, Type, TypeId, UnaryOp, Undefined, VarId, number,
};

/// Expressions deeper than this are not evaluated for observers.
const MAX_DEPTH: usize = 400;

/// Watches a run.
pub trait Observer {
    /// Whether there is anything to tell; if not, watching costs nothing.
    const ACTIVE: bool = true;

    /// Whether to tell about memory that is touched.
    const TOUCHES: bool = false;

    /// How many steps at the start of the run nobody wants to hear of. They are fast.
    fn unheard(&self) -> u64 {
        0
    }

    /// An edge is about to be taken; its guard, if any, holds.
    fn step(&mut self, view: &View<'_, '_>);

    /// The memory touched since the last step, told before the next one and at the end of the run. What
    /// guards read is told of the edges that they stand at, also of those that are not taken.
    fn touched(&mut self, _: &[Touch]) {}
}

/// Bytes of memory that were read or written. Variables of activations that are scalars whose address is
/// never taken are not in memory; globals are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Touch {
    /// The procedure that did it.
    pub procedure: ProcId,
    /// The step of that procedure. What a call passes to its callee, gets from it or leaves to an external
    /// procedure is told of the call.
    pub edge: EdgeId,
    /// The object.
    pub origin: Origin,
    /// The first byte, counted from the start of the object.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
    /// Whether they were written.
    pub write: bool,
}

/// Nobody watches.
impl Observer for () {
    const ACTIVE: bool = false;

    fn step(&mut self, _: &View<'_, '_>) {}
}

/// The state of a run just before a step.
pub struct View<'v, 'r> {
    machine: &'v Machine<'r>,
    edge: EdgeId,
}

/// The value of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A truth value.
    Truth(bool),
    /// A machine or mathematical integer; an unsigned one of 128 bits as the same bits.
    Integer(i128),
    /// The bits of a floating-point number.
    Float(FloatKind, u128),
    /// An address.
    Address(u64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Truth(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Float(kind, bits) => {
                let sign = if float::is_negative(kind, bits) { "-" } else { "" };
                let text = super::decimal::format(kind, bits, super::decimal::Style::Shortest, 17, false);
                write!(f, "{sign}{text}")
            }
            Value::Address(0) => f.write_str("null"),
            Value::Address(address) => write!(f, "{address:#x}"),
        }
    }
}

/// An object in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveObject {
    /// Its first byte.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// What it is.
    pub origin: Origin,
}

/// Why an expression has no value at a point of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoValue {
    /// It reads storage that has no value yet: the first read by the program will draw one.
    Unset,
    /// An operation in it is undefined.
    Undefined(Undefined),
    /// It reads what may not be accessed.
    BadAccess,
    /// It speaks of a variable that no current activation has.
    OutOfScope,
    /// It is no scalar, or has no meaning in the interpreter.
    Unsupported,
}

impl<'v, 'r> View<'v, 'r> {
    pub(super) fn new(machine: &'v Machine<'r>, edge: EdgeId) -> Self {
        View { machine, edge }
    }

    /// The program.
    pub fn program(&self) -> &'r Program {
        self.machine.interpreter.program
    }

    /// The current procedure.
    pub fn procedure(&self) -> ProcId {
        self.machine.procedure
    }

    /// The edge about to be taken.
    pub fn edge(&self) -> EdgeId {
        self.edge
    }

    /// How many activations wait for the current one.
    pub fn depth(&self) -> usize {
        self.machine.suspended.len()
    }

    /// The number of this step, counted from 1.
    pub fn steps(&self) -> u64 {
        self.machine.steps
    }

    /// How many values were drawn so far.
    pub fn draws(&self) -> usize {
        self.machine.draws.len()
    }

    /// The procedure that is about to be called, if the step is a call of one.
    pub fn callee(&self) -> Option<ProcId> {
        let program = self.program();
        let Statement::Call { callee, .. } = program.procedures[self.procedure()].edges[self.edge].statement
        else {
            return None;
        };
        match callee {
            Callee::Direct(procedure) => Some(procedure),
            Callee::Indirect(pointer) => match self.value(pointer) {
                Ok(Value::Address(address)) => function_outside(program, address)
                    .or_else(|| function_at(address, program.procedures.len())),
                _ => None,
            },
        }
    }

    /// The current step and the calls that led to it, the innermost first.
    pub fn stack(&self) -> impl Iterator<Item = Site> {
        let machine = self.machine;
        let calls = machine.suspended.iter().rev();
        let calls = calls.map(|s| machine.site_in(s.procedure, s.code.edge_at(s.pc.saturating_sub(1))));
        std::iter::once(machine.site_in(machine.procedure, self.edge)).chain(calls)
    }

    /// The value of an expression in the current activation. Nothing is drawn.
    pub fn value(&self, expr: ExprId) -> Result<Value, NoValue> {
        self.evaluator().value(expr)
    }

    /// The scalar stored in a place, as the current activation sees it. Nothing is drawn.
    pub fn place(&self, place: PlaceId) -> Result<Value, NoValue> {
        let evaluator = self.evaluator();
        let value = evaluator.load(place, &mut Known::default(), 0)?;
        evaluator.typed(value, self.program().place(place).ty)
    }

    /// Where a place of the current activation lies in memory: in which object, how far from its start.
    pub fn location(&self, place: PlaceId) -> Result<(Origin, u64), NoValue> {
        let address = self.evaluator().address(place, &mut Known::default(), 0)? as u64;
        let (object, offset) = self.machine.memory.range(address, 1).map_err(|_| NoValue::BadAccess)?;
        Ok((object.origin, offset as u64))
    }

    /// The value of a scalar variable of the current activation, or of a global.
    pub fn variable(&self, var: VarId) -> Result<Value, NoValue> {
        let evaluator = self.evaluator();
        let ty = self.program().variables[var].ty;
        let value = evaluator.variable(var)?;
        evaluator.typed(value, ty)
    }

    /// The bytes from an address on; nothing for a byte that has no value yet.
    pub fn bytes(&self, address: u64, length: u64) -> Result<Vec<Option<u8>>, NoValue> {
        let (object, offset) = self.machine.memory.range(address, length).map_err(|_| NoValue::BadAccess)?;
        let known = |at: usize| object.shadow.get(at).is_none_or(|&mark| mark == WRITTEN);
        let range = offset..offset + length as usize;
        Ok(range.map(|at| known(at).then(|| object.bytes[at])).collect())
    }

    /// The address of a variable of the current activation, or of a global. A variable whose address
    /// nobody takes may have none.
    pub fn address(&self, var: VarId) -> Result<u64, NoValue> {
        self.evaluator().variable_address(var)
    }

    /// The address of a procedure.
    pub fn procedure_address(&self, procedure: ProcId) -> u64 {
        function_address(procedure)
    }

    /// All objects that are alive, of all activations, in no particular order.
    pub fn objects(&self) -> impl Iterator<Item = LiveObject> {
        let live = self.machine.memory.live();
        live.map(|object| LiveObject { address: object.base, size: object.size, origin: object.origin })
    }

    fn evaluator(&self) -> Evaluator<'_> {
        let machine = self.machine;
        Evaluator {
            program: machine.interpreter.program,
            globals: &machine.interpreter.globals,
            memory: &machine.memory,
            frame: Some((machine.code, &machine.registers[machine.base..])),
        }
    }
}

/// Evaluates expressions without changing anything.
pub(super) struct Evaluator<'a> {
    pub(super) program: &'a Program,
    pub(super) globals: &'a Globals,
    pub(super) memory: &'a Memory,
    pub(super) frame: Option<(&'a Code, &'a [u64])>,
}

/// The expressions evaluated so far, which may be shared many times.
type Known = FxHashMap<ExprId, i128>;

impl Evaluator<'_> {
    /// The value of a scalar expression.
    pub(super) fn value(&self, expr: ExprId) -> Result<Value, NoValue> {
        let bits = self.bits(expr)?;
        self.typed(bits, self.program.expr(expr).ty)
    }

    /// The value of a scalar expression: integers sign- or zero-extended, floats as bits.
    pub(super) fn bits(&self, expr: ExprId) -> Result<i128, NoValue> {
        self.scalar(expr, &mut Known::default(), 0)
    }

    fn typed(&self, value: i128, ty: TypeId) -> Result<Value, NoValue> {
        match *self.program.ty(ty) {
            Type::Bool => Ok(Value::Truth(value != 0)),
            Type::Float(kind) => Ok(Value::Float(kind, value as u128)),
            Type::Pointer(_) => Ok(Value::Address(value as u64)),
            Type::Machine { .. } | Type::Integer => Ok(Value::Integer(value)),
            _ => Err(NoValue::Unsupported),
        }
    }

    fn scalar_type(&self, ty: TypeId) -> Result<Scalar, NoValue> {
        Scalar::of(self.program, ty).ok_or(NoValue::Unsupported)
    }

    fn scalar(&self, expr: ExprId, known: &mut Known, depth: usize) -> Result<i128, NoValue> {
        if let Some(&value) = known.get(&expr) {
            return Ok(value);
        }
        if depth > MAX_DEPTH {
            return Err(NoValue::Unsupported);
        }
        let depth = depth + 1;
        let e = self.program.expr(expr);
        let scalar = self.scalar_type(e.ty)?;
        let value = match e.kind {
            ExprKind::Int(value) => scalar.canonical(value as u128),
            ExprKind::Bool(value) => value.into(),
            ExprKind::Float(bits) => scalar.canonical(bits),
            ExprKind::Function(procedure) => function_address(procedure).into(),
            ExprKind::Load(place) => self.load(place, known, depth)?,
            ExprKind::AddressOf(place) => scalar.canonical(self.address(place, known, depth)? as u128),
            ExprKind::Unary(op, a) => {
                let a = self.scalar(a, known, depth)?;
                unary(op, scalar, a)?
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.scalar(a, known, depth)?, self.scalar(b, known, depth)?);
                self.binary(op, self.program.expr(a).ty, x, y)?
            }
            ExprKind::Cast(a) => {
                let from = self.scalar_type(self.program.expr(a).ty)?;
                eval::cast(from, scalar, self.scalar(a, known, depth)?).map_err(stuck)?
            }
            ExprKind::If(c, a, b) => {
                let chosen = if self.scalar(c, known, depth)? != 0 { a } else { b };
                self.scalar(chosen, known, depth)?
            }
        };
        known.insert(expr, value);
        Ok(value)
    }

    fn binary(&self, op: BinaryOp, ty: TypeId, a: i128, b: i128) -> Result<i128, NoValue> {
        let scalar = self.scalar_type(ty)?;
        let target_size = || self.program.pointee(ty).map(|target| i128::from(self.program.size_of(target)));
        match (op, scalar) {
            (BinaryOp::PointerAdd, _) => {
                let size = target_size().ok_or(NoValue::Unsupported)?;
                Ok(scalar.canonical(a.wrapping_add(b.wrapping_mul(size)) as u128))
            }
            (BinaryOp::PointerDiff, Scalar::Narrow(shape)) => {
                let size = target_size().ok_or(NoValue::Unsupported)?;
                let bytes = number::wrap(shape.width(), true, a.wrapping_sub(b));
                bytes.checked_div(size).ok_or(NoValue::Undefined(Undefined::DivisionByZero))
            }
            (BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le, Scalar::Float(kind)) => {
                Ok(float::compare(kind, op, a as u128, b as u128).into())
            }
            (BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le, _) => {
                let unsigned = matches!(scalar, Scalar::Wide { signed: false });
                Ok(number::compare(op, !unsigned, a, b).into())
            }
            (_, Scalar::Float(kind)) => Ok(float::arithmetic(kind, op, a as u128, b as u128) as i128),
            (_, Scalar::Integer) => eval::wide(scalar, op, a, b).map_err(stuck),
            (_, Scalar::Wide { signed }) => number::binary(op, 128, signed, a, b).map_err(NoValue::Undefined),
            (_, Scalar::Narrow(shape)) => {
                number::binary(op, shape.width(), shape.signed, a, b).map_err(NoValue::Undefined)
            }
            (BinaryOp::And, Scalar::Truth) => Ok(a & b),
            (BinaryOp::Or, Scalar::Truth) => Ok(a | b),
            (BinaryOp::Xor, Scalar::Truth) => Ok(a ^ b),
            (_, Scalar::Truth) => Err(NoValue::Unsupported),
        }
    }

    /// The value of a whole variable.
    fn variable(&self, var: VarId) -> Result<i128, NoValue> {
        let ty = self.program.variables[var].ty;
        if let Some((code, slots)) = self.frame
            && let Some(variable) = code.variable(var)
            && let VarHome::Slot { scalar, flag } = variable.home
        {
            if flag.is_some_and(|flag| slots[flag as usize] == 0) {
                return Err(NoValue::Unset);
            }
            let low = u128::from(slots[variable.slot as usize]);
            if !scalar.is_wide() {
                return Ok(scalar.canonical(low));
            }
            return Ok((u128::from(slots[variable.slot as usize + 1]) << 64 | low) as i128);
        }
        self.read(self.variable_address(var)?, ty)
    }

    fn variable_address(&self, var: VarId) -> Result<u64, NoValue> {
        if let Some(&address) = self.globals.addresses.get(&var) {
            return Ok(address);
        }
        let (code, slots) = self.frame.ok_or(NoValue::OutOfScope)?;
        let variable = code.variable(var).ok_or(NoValue::OutOfScope)?;
        match variable.home {
            VarHome::Object { .. } => Ok(slots[variable.slot as usize]),
            VarHome::Slot { .. } => Err(NoValue::Unsupported),
        }
    }

    fn load(&self, place: PlaceId, known: &mut Known, depth: usize) -> Result<i128, NoValue> {
        let p = self.program.place(place);
        if let Some(var) = self.program.whole_variable(place) {
            return self.variable(var);
        }
        let address = self.address(place, known, depth)? as u64;
        match bit_range(self.program, place) {
            None => self.read(address, p.ty),
            Some(bits) => {
                let scalar = self.scalar_type(p.ty)?;
                let length = eval::bit_field_bytes(bits.first, bits.width);
                let bytes = self.bytes(address, length)?;
                Ok(eval::extract_bits(bytes, bits.first, bits.width, scalar))
            }
        }
    }

    fn read(&self, address: u64, ty: TypeId) -> Result<i128, NoValue> {
        let scalar = self.scalar_type(ty)?;
        let cell = scalar.cell().ok_or(NoValue::Unsupported)?;
        let mut value = [0; 16];
        value[..cell.size()].copy_from_slice(self.bytes(address, cell.size())?);
        let value = u128::from_le_bytes(value);
        Ok(if scalar == Scalar::Truth { i128::from(value != 0) } else { scalar.canonical(value) })
    }

    fn bytes(&self, address: u64, length: usize) -> Result<&[u8], NoValue> {
        let (object, offset) = self.memory.range(address, length as u64).map_err(|_| NoValue::BadAccess)?;
        match object.missing(offset, length) {
            Some(_) => Err(NoValue::Unset),
            None => Ok(&object.bytes[offset..offset + length]),
        }
    }

    fn address(&self, place: PlaceId, known: &mut Known, depth: usize) -> Result<i128, NoValue> {
        let place = self.program.place(place);
        let (mut address, mut ty) = match place.base {
            PlaceBase::Var(var) => (i128::from(self.variable_address(var)?), self.program.variables[var].ty),
            PlaceBase::Deref(pointer) => {
                let target =
                    self.program.pointee(self.program.expr(pointer).ty).ok_or(NoValue::Unsupported)?;
                (self.scalar(pointer, known, depth)?, target)
            }
        };
        for projection in &place.path {
            match (*projection, self.program.ty(ty)) {
                (Projection::Field(n), &Type::Record(record)) => {
                    let field =
                        self.program.records[record].fields.get(n as usize).ok_or(NoValue::Unsupported)?;
                    address = address.wrapping_add(i128::from(field.offset));
                    ty = field.ty;
                }
                (Projection::Index(index), &Type::Array { element, .. }) => {
                    let size = i128::from(self.program.size_of(element));
                    address = address.wrapping_add(self.scalar(index, known, depth)?.wrapping_mul(size));
                    ty = element;
                }
                _ => return Err(NoValue::Unsupported),
            }
        }
        Ok(number::wrap(self.program.data_model.pointer_bits(), false, address))
    }
}

/// The result of an operator on two floats of one kind, given as bits; a comparison gives 0 or 1.
pub fn float_operation(kind: FloatKind, op: BinaryOp, a: u128, b: u128) -> u128 {
    match op {
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => float::compare(kind, op, a, b).into(),
        _ => float::arithmetic(kind, op, a, b),
    }
}

/// The bits of a scalar after a conversion to another type; nothing if that has no value.
pub fn converted(program: &Program, from: TypeId, to: TypeId, bits: u128) -> Option<u128> {
    let (from, to) = (Scalar::of(program, from)?, Scalar::of(program, to)?);
    eval::cast(from, to, from.canonical(bits)).ok().map(i128::cast_unsigned)
}

fn unary(op: UnaryOp, scalar: Scalar, a: i128) -> Result<i128, NoValue> {
    match (op, scalar) {
        (UnaryOp::Not, Scalar::Truth) => Ok(a ^ 1),
        (UnaryOp::Neg, Scalar::Float(kind)) => Ok(float::negate(kind, a as u128) as i128),
        (UnaryOp::Neg, Scalar::Integer) => eval::wide_negation(scalar, a).map_err(stuck),
        (UnaryOp::Neg, _) => Ok(scalar.canonical(a.wrapping_neg() as u128)),
        (UnaryOp::BitNot, Scalar::Narrow(_) | Scalar::Wide { .. }) => Ok(scalar.canonical(!a as u128)),
        _ => Err(NoValue::Unsupported),
    }
}

fn stuck(stuck: Stuck) -> NoValue {
    match stuck {
        Stuck::Undefined(what) => NoValue::Undefined(what),
        Stuck::TooLarge => NoValue::Unsupported,
    }
}
