//! What can be said of the state at a step: random expressions over everything in scope, and conditions that
//! their values satisfy.

use hardbop_ir::interpret::Value;
use hardbop_ir::testing::Random;
use hardbop_ir::{
    BinaryOp, ExprId, ExprKind, FloatKind, PlaceId, ProcId, Program, Projection, Type, VarId, VarKind,
};

/// Elements of arrays beyond this are looked at only at the end.
const NEAR: u64 = 8;

/// How often pointers are followed.
const MAX_DEPTH: usize = 3;

/// Random scalars that a procedure can read: variables, parts of them, what pointers lead to, single bytes.
pub fn scalars(program: &Program, procedure: ProcId, count: usize, random: &mut Random) -> Vec<ExprId> {
    let p = &program.procedures[procedure];
    let own: Vec<VarId> = p.formals.iter().chain(&p.locals).chain(&p.result).copied().collect();
    let globals = program.globals.clone();
    let mut found = Vec::new();
    for _ in 0..count {
        let from = if globals.is_empty() || (!own.is_empty() && !random.one_in(3)) { &own } else { &globals };
        if from.is_empty() {
            break;
        }
        let var = random.pick(from);
        let place = program.var_place(var);
        if let Some(scalar) = scalar(program, place, 0, random)
            && !found.contains(&scalar)
        {
            found.push(scalar);
        }
    }
    found
}

/// A scalar in a place or behind it.
fn scalar(program: &Program, place: PlaceId, depth: usize, random: &mut Random) -> Option<ExprId> {
    if random.one_in(6)
        && let Some(byte) = byte(program, place, random)
    {
        return Some(byte);
    }
    match *program.ty(program.place(place).ty) {
        Type::Record(record) => {
            let fields = program.records[record].fields.len();
            if fields == 0 {
                return None;
            }
            let part = program.field(place, random.below(fields) as u32);
            scalar(program, part, depth, random)
        }
        Type::Array { length, .. } => {
            if length == 0 {
                return None;
            }
            let near = random.below(length.min(NEAR) as usize) as u64;
            let at = if random.one_in(8) { length - 1 } else { near };
            let index = program.distance_type();
            let index = program.int(at.into(), index);
            let part = program.index(place, index);
            scalar(program, part, depth, random)
        }
        Type::Pointer(target) => {
            let pointer = program.load(place);
            let followed = depth < MAX_DEPTH
                && !random.one_in(3)
                && !matches!(program.ty(target), Type::Void | Type::Function(_))
                && program.size_of(target) > 0;
            if !followed {
                return Some(pointer);
            }
            let target = program.deref(pointer);
            scalar(program, target, depth + 1, random)
        }
        Type::Void | Type::Function(_) => None,
        _ => Some(program.load(place)),
    }
}

/// A byte of a place, read as one.
fn byte(program: &Program, place: PlaceId, random: &mut Random) -> Option<ExprId> {
    let p = program.place(place).clone();
    if matches!(program.ty(p.ty), Type::Integer | Type::Bool) || is_bit_field(program, place) {
        return None;
    }
    if let hardbop_ir::PlaceBase::Var(var) = p.base
        && matches!(program.variables[var].kind, VarKind::Formal | VarKind::Temp | VarKind::Result)
    {
        return None;
    }
    let size = program.size_of(p.ty);
    if size == 0 {
        return None;
    }
    let byte = program.machine(8, false);
    let bytes = program.pointer_to(byte);
    let distance = program.distance_type();
    let start = program.address_of(place);
    let start = program.cast(start, bytes);
    let at = program.int(random.below(size.min(64) as usize) as i128, distance);
    let at = program.binary(BinaryOp::PointerAdd, start, at);
    let at = program.deref(at);
    Some(program.load(at))
}

/// Whether the last step to a place is a bit-field, which has no address.
fn is_bit_field(program: &Program, place: PlaceId) -> bool {
    let mut place = program.place(place).clone();
    let Some(Projection::Field(field)) = place.path.pop() else { return false };
    let field = field as usize;
    // The record that it is a field of is the one among all that has this field of this type.
    program
        .records
        .values()
        .any(|record| record.fields.get(field).is_some_and(|f| f.ty == place.ty && f.bits.is_some()))
}

/// A condition on the state that holds if these expressions have these values there; which of the values it
/// speaks of is random.
pub fn condition(program: &Program, known: &[(ExprId, Value)], random: &mut Random) -> Option<ExprId> {
    if known.is_empty() {
        return None;
    }
    let (expr, value) = random.pick(known);
    let ty = program.expr(expr).ty;
    Some(match value {
        Value::Truth(true) => expr,
        Value::Truth(false) => program.not(expr),
        Value::Integer(number) => {
            let same = |&(other, value): &(ExprId, Value)| match value {
                Value::Integer(number) if other != expr && program.expr(other).ty == ty => {
                    Some((other, number))
                }
                _ => None,
            };
            let others: Vec<(ExprId, i128)> = known.iter().filter_map(same).collect();
            if !others.is_empty() && random.one_in(4) {
                let (other, its) = random.pick(&others);
                related(program, (expr, number), (other, its), random)
            } else {
                let constant = program.int(number, ty);
                program.binary(BinaryOp::Eq, expr, constant)
            }
        }
        Value::Float(kind, bits) if is_nan(kind, bits) => program.binary(BinaryOp::Ne, expr, expr),
        Value::Float(_, bits) => {
            let constant = program.intern_expr(ExprKind::Float(bits), ty);
            program.binary(BinaryOp::Eq, expr, constant)
        }
        Value::Address(address) => {
            let same = |&(other, value): &(ExprId, Value)| match value {
                Value::Address(at) if other != expr && program.expr(other).ty == ty => Some((other, at)),
                _ => None,
            };
            let others: Vec<(ExprId, u64)> = known.iter().filter_map(same).collect();
            match random.below(others.len() + 1) {
                0 => {
                    let null = program.int(0, ty);
                    let op = if address == 0 { BinaryOp::Eq } else { BinaryOp::Ne };
                    program.binary(op, expr, null)
                }
                n => {
                    let (other, at) = others[n - 1];
                    let op = if address == at { BinaryOp::Eq } else { BinaryOp::Ne };
                    program.binary(op, expr, other)
                }
            }
        }
    })
}

/// How two integers of one type relate.
fn related(program: &Program, (a, x): (ExprId, i128), (b, y): (ExprId, i128), random: &mut Random) -> ExprId {
    let ty = program.expr(a).ty;
    match *program.ty(ty) {
        Type::Machine { width, signed } if random.one_in(2) => {
            let difference = program.binary(BinaryOp::Sub, a, b);
            let value = hardbop_ir::wrap(width, signed, x.wrapping_sub(y));
            let value = program.int(value, ty);
            program.binary(BinaryOp::Eq, difference, value)
        }
        _ if x == y => program.binary(BinaryOp::Eq, a, b),
        Type::Machine { width: 128, signed: false } => program.binary(BinaryOp::Ne, a, b),
        _ if x < y => program.binary(BinaryOp::Lt, a, b),
        _ => program.binary(BinaryOp::Lt, b, a),
    }
}

fn is_nan(kind: FloatKind, bits: u128) -> bool {
    match kind {
        FloatKind::F32 => f32::from_bits(bits as u32).is_nan(),
        FloatKind::F64 => f64::from_bits(bits as u64).is_nan(),
        // All exponent bits, and something beside the leading bit.
        FloatKind::F80 => bits >> 64 & 0x7fff == 0x7fff && bits << 65 != 0,
    }
}
