//! The compact form that procedures are compiled into before they run.
//!
//! An activation is a *frame* of 64-bit slots: constants, formals, variables, intermediate values
//! and the addresses of the variables that live in memory. Operations read and write slots. A value
//! of at most 64 bits takes one slot, sign-extended where its type is signed and zero-extended where
//! not; 128-bit and mathematical integers and x87 floats take two, the low half first.
//!
//! Expressions become straight-line code (branches only for conditional expressions), so that
//! nothing recurses on the host's stack however deep an expression is.

use crate::{BinaryOp, BitRange, EdgeId, FloatKind, ProcId, Program, Type, TypeId, VarId, number};

/// A position in a frame.
pub(super) type Slot = u32;
/// A position in the code of a procedure.
pub(super) type Pc = u32;

/// Width and sign of an integer in one slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// 64 minus the width.
    pub(super) unused: u8,
    pub(super) signed: bool,
}

impl Shape {
    pub(super) fn width(self) -> u16 {
        64 - u16::from(self.unused)
    }

    /// The value of this shape that has the same low bits.
    #[inline(always)]
    pub(super) fn wrap(self, value: u64) -> u64 {
        let unused = self.unused & 63;
        if self.signed {
            ((value << unused).cast_signed() >> unused).cast_unsigned()
        } else {
            value << unused >> unused
        }
    }
}

/// How a scalar type is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    Truth,
    /// A machine integer of up to 64 bits, or a pointer.
    Narrow(Shape),
    /// A machine integer of 128 bits.
    Wide {
        signed: bool,
    },
    /// A mathematical integer, as far as 128 bits hold it.
    Integer,
    Float(FloatKind),
}

impl Scalar {
    /// How the type is held, if it is a scalar.
    pub(super) fn of(program: &Program, ty: TypeId) -> Option<Scalar> {
        match *program.ty(ty) {
            Type::Bool => Some(Scalar::Truth),
            Type::Integer => Some(Scalar::Integer),
            Type::Float(kind) => Some(Scalar::Float(kind)),
            Type::Machine { .. } | Type::Pointer(_) => match program.machine_shape(ty)? {
                (width @ 1..=64, signed) => Some(Scalar::Narrow(Shape { unused: 64 - width as u8, signed })),
                (128, signed) => Some(Scalar::Wide { signed }),
                _ => None,
            },
            Type::Void | Type::Array { .. } | Type::Record(_) | Type::Function(_) => None,
        }
    }

    /// Whether a value takes two slots.
    pub(super) fn is_wide(self) -> bool {
        matches!(self, Scalar::Wide { .. } | Scalar::Integer | Scalar::Float(FloatKind::F80))
    }

    /// The bits that count.
    pub(super) fn width(self) -> u16 {
        match self {
            Scalar::Truth => 1,
            Scalar::Narrow(shape) => shape.width(),
            Scalar::Wide { .. } | Scalar::Integer => 128,
            Scalar::Float(kind) => super::float::width(kind),
        }
    }

    /// The value with these low bits, as the program's integers are written: sign- or zero-extended.
    pub(super) fn canonical(self, bits: u128) -> i128 {
        match self {
            Scalar::Narrow(shape) => number::wrap(shape.width(), shape.signed, bits as i128),
            Scalar::Wide { .. } | Scalar::Integer => bits as i128,
            Scalar::Truth | Scalar::Float(_) => number::wrap(self.width(), false, bits as i128),
        }
    }

    /// How the value is laid out in memory, if it can be there at all.
    pub(super) fn cell(self) -> Option<Cell> {
        match self {
            Scalar::Truth => Some(Cell::Truth),
            Scalar::Narrow(Shape { unused, signed }) => match (unused, signed) {
                (56, false) => Some(Cell::U8),
                (56, true) => Some(Cell::I8),
                (48, false) => Some(Cell::U16),
                (48, true) => Some(Cell::I16),
                (32, false) => Some(Cell::U32),
                (32, true) => Some(Cell::I32),
                (0, _) => Some(Cell::W64),
                _ => None,
            },
            Scalar::Wide { .. } | Scalar::Integer => Some(Cell::W128),
            Scalar::Float(FloatKind::F32) => Some(Cell::U32),
            Scalar::Float(FloatKind::F64) => Some(Cell::W64),
            Scalar::Float(FloatKind::F80) => Some(Cell::F80),
        }
    }
}

/// Why a scalar cannot be accessed in memory.
pub(super) const NO_LAYOUT: &str = "an integer of an odd width in memory";

/// A scalar in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    W64,
    Truth,
    W128,
    F80,
}

impl Cell {
    /// The bytes that hold the value (an x87 float has padding behind them).
    pub(super) fn size(self) -> usize {
        match self {
            Cell::U8 | Cell::I8 | Cell::Truth => 1,
            Cell::U16 | Cell::I16 => 2,
            Cell::U32 | Cell::I32 => 4,
            Cell::W64 => 8,
            Cell::F80 => 10,
            Cell::W128 => 16,
        }
    }

    pub(super) fn is_wide(self) -> bool {
        matches!(self, Cell::W128 | Cell::F80)
    }

    /// What a slot holds after loading these bytes.
    pub(super) fn extend(self, bits: u64) -> u64 {
        match self {
            Cell::I8 => (bits as i8 as i64).cast_unsigned(),
            Cell::I16 => (bits as i16 as i64).cast_unsigned(),
            Cell::I32 => (bits as i32 as i64).cast_unsigned(),
            Cell::Truth => u64::from(bits != 0),
            _ => bits,
        }
    }
}

/// A comparison of two values in one slot each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    LtUnsigned,
    LeUnsigned,
}

impl Cmp {
    pub(super) fn new(op: BinaryOp, signed: bool) -> Option<Cmp> {
        Some(match (op, signed) {
            (BinaryOp::Eq, _) => Cmp::Eq,
            (BinaryOp::Ne, _) => Cmp::Ne,
            (BinaryOp::Lt, true) => Cmp::Lt,
            (BinaryOp::Le, true) => Cmp::Le,
            (BinaryOp::Lt, false) => Cmp::LtUnsigned,
            (BinaryOp::Le, false) => Cmp::LeUnsigned,
            _ => return None,
        })
    }

    /// The comparison that holds when this one does not, and whether its sides are exchanged.
    fn negated(self) -> (Cmp, bool) {
        match self {
            Cmp::Eq => (Cmp::Ne, false),
            Cmp::Ne => (Cmp::Eq, false),
            Cmp::Lt => (Cmp::Le, true),
            Cmp::Le => (Cmp::Lt, true),
            Cmp::LtUnsigned => (Cmp::LeUnsigned, true),
            Cmp::LeUnsigned => (Cmp::LtUnsigned, true),
        }
    }

    #[inline(always)]
    pub(super) fn holds(self, a: u64, b: u64) -> bool {
        match self {
            Cmp::Eq => a == b,
            Cmp::Ne => a != b,
            Cmp::Lt => a.cast_signed() < b.cast_signed(),
            Cmp::Le => a.cast_signed() <= b.cast_signed(),
            Cmp::LtUnsigned => a < b,
            Cmp::LeUnsigned => a <= b,
        }
    }
}

/// One operation. Slots are `dst`, `a`, `b`, `base` and so on; what is not a slot says so.
#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    /// An edge is taken: what follows is its statement. If nobody observes, `count` steps in a row are taken
    /// by the first of them.
    Step {
        edge: u32,
        count: u32,
    },
    /// Goes on elsewhere.
    Jump {
        to: Pc,
    },
    /// Goes on elsewhere if the condition does not hold.
    Branch {
        cond: Slot,
        otherwise: Pc,
    },
    /// The same for a comparison.
    BranchCmp {
        cmp: Cmp,
        a: Slot,
        b: Slot,
        otherwise: Pc,
    },
    /// Notes that an outgoing edge is enabled if its guard (none if `cond` is [`ALWAYS`]) holds.
    Guard {
        cond: Slot,
        choice: u32,
    },
    /// Takes one of the enabled edges; `table` numbers [`Code::choices`].
    Choose {
        table: u32,
    },
    /// Goes where the value leads; `table` numbers [`Code::switches`].
    Switch {
        value: Slot,
        table: u32,
    },
    /// No edge is left to try.
    Blocked {
        location: u32,
    },
    /// A statement that ends the run, or has no meaning here; `reason` numbers [`Code::reasons`] or is
    /// [`NO_REASON`].
    End {
        edge: u32,
        reason: u32,
    },
    /// The program exits.
    Exit {
        status: Slot,
        scalar: Scalar,
    },
    /// A call; `site` numbers [`Code::calls`].
    Call {
        site: u32,
    },
    /// Leaves the procedure.
    Return,

    Move {
        dst: Slot,
        src: Slot,
    },
    MoveWide {
        dst: Slot,
        src: Slot,
    },
    Set {
        dst: Slot,
        value: u32,
    },
    /// Draws a value for a variable that has none; `var` numbers [`Code::unset`].
    Require {
        flag: Slot,
        var: u32,
    },

    Add {
        shape: Shape,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Sub {
        shape: Shape,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Mul {
        shape: Shape,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    And {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// Shift, quotient or remainder.
    Partial {
        op: BinaryOp,
        shape: Shape,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Neg {
        shape: Shape,
        dst: Slot,
        a: Slot,
    },
    BitNot {
        shape: Shape,
        dst: Slot,
        a: Slot,
    },
    Not {
        dst: Slot,
        a: Slot,
    },
    Compare {
        cmp: Cmp,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Wrap {
        shape: Shape,
        dst: Slot,
        a: Slot,
    },
    /// `dst = base + index * scale`.
    Index {
        shape: Shape,
        dst: Slot,
        base: Slot,
        index: Slot,
        scale: u32,
    },
    /// `dst = base + offset`.
    Offset {
        shape: Shape,
        dst: Slot,
        base: Slot,
        offset: u32,
    },
    /// `dst = (a - b) / size`, rounded towards zero.
    Distance {
        shape: Shape,
        dst: Slot,
        a: Slot,
        b: Slot,
        size: Slot,
    },

    Load {
        cell: Cell,
        dst: Slot,
        base: Slot,
        offset: u32,
    },
    Store {
        cell: Cell,
        src: Slot,
        base: Slot,
        offset: u32,
    },
    /// `field` numbers [`Code::bits`].
    LoadBits {
        field: u32,
        dst: Slot,
        base: Slot,
        offset: u32,
    },
    StoreBits {
        field: u32,
        src: Slot,
        base: Slot,
        offset: u32,
    },

    Float {
        kind: FloatKind,
        op: BinaryOp,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    FloatCompare {
        kind: FloatKind,
        op: BinaryOp,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    FloatNeg {
        kind: FloatKind,
        dst: Slot,
        a: Slot,
    },
    Wide {
        scalar: Scalar,
        op: BinaryOp,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    WideCompare {
        signed: bool,
        op: BinaryOp,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    WideNeg {
        scalar: Scalar,
        dst: Slot,
        a: Slot,
    },
    WideBitNot {
        dst: Slot,
        a: Slot,
    },
    /// A value of 128 bits as a shift amount: beyond 64 bits it is too much anyway.
    Amount {
        dst: Slot,
        a: Slot,
    },
    Cast {
        from: Scalar,
        to: Scalar,
        dst: Slot,
        a: Slot,
    },

    /// Everything that is rare or slow by itself; `number` numbers [`Code::effects`].
    Effect {
        number: u32,
    },
}

/// Marks the guard of an edge without one.
pub(super) const ALWAYS: Slot = u32::MAX;
/// Marks an [`Op::End`] whose statement says why.
pub(super) const NO_REASON: u32 = u32::MAX;

/// A statement that works on memory as a whole, or asks or tells the outside.
#[derive(Debug)]
pub(super) enum Effect {
    /// Draws the value of a variable.
    Draw {
        dst: Slot,
        scalar: Scalar,
        ty: TypeId,
        edge: EdgeId,
    },
    /// Draws the value of a scalar in memory.
    DrawCell {
        base: Slot,
        scalar: Scalar,
        ty: TypeId,
        bits: Option<BitRange>,
        edge: EdgeId,
    },
    /// Tells that a variable becomes arbitrary.
    Renewed {
        var: VarId,
    },
    /// Makes memory arbitrary.
    Forget {
        base: Slot,
        size: u64,
        edge: EdgeId,
    },
    /// Makes a bit-field arbitrary as uninitialised storage is.
    ForgetBits {
        base: Slot,
        ty: TypeId,
        bits: BitRange,
    },
    /// Copies a record or an array.
    CopyAggregate {
        dst: Slot,
        src: Slot,
        ty: TypeId,
    },
    Allocate {
        dst: Slot,
        size: Slot,
        size_scalar: Scalar,
        edge: EdgeId,
    },
    Free {
        pointer: Slot,
    },
    Copy {
        target: Slot,
        source: Slot,
        length: Slot,
        length_scalar: Scalar,
    },
    CopyObject {
        target: Slot,
        source: Slot,
    },
    Fill {
        target: Slot,
        byte: Slot,
        length: Slot,
        length_scalar: Scalar,
    },
    Output {
        edge: EdgeId,
        arguments: Box<[(Slot, Scalar)]>,
    },
}

/// A call.
#[derive(Debug)]
pub(super) struct CallSite {
    pub(super) callee: Target,
    pub(super) arguments: Box<[Passed]>,
    pub(super) result: Option<Passed>,
    /// The step that calls.
    pub(super) edge: EdgeId,
}

/// Who is called: a procedure, or the address in a slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    Direct(ProcId),
    Indirect(Slot),
}

/// An argument or a result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passed {
    /// The slot of a scalar; the slot with the address of an aggregate.
    pub(super) slot: Slot,
    pub(super) ty: TypeId,
    /// How it is held; nothing for aggregates.
    pub(super) scalar: Option<Scalar>,
}

/// A bit-field and how its value is held.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitField {
    pub(super) bits: BitRange,
    pub(super) ty: TypeId,
    pub(super) scalar: Scalar,
}

/// A variable of an activation.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameVar {
    pub(super) var: VarId,
    pub(super) ty: TypeId,
    /// The slot with its value, or with its address.
    pub(super) slot: Slot,
    pub(super) home: VarHome,
}

/// Where a variable of an activation lives.
#[derive(Debug, Clone, Copy)]
pub(super) enum VarHome {
    /// In its slot. If it may be read before it is written, a second slot says whether it was.
    Slot { scalar: Scalar, flag: Option<Slot> },
    /// In an object of its own.
    Object { size: u64, align: u64 },
}

/// The compiled form of a procedure.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    /// Which edge the operations from a position on belong to, ascending.
    pub(super) sites: Vec<(Pc, EdgeId)>,
    /// The types of what loads load, by position, ascending.
    pub(super) loads: Vec<(Pc, TypeId)>,
    /// What a frame looks like at the start: zeros and constants.
    pub(super) frame: Vec<u64>,
    pub(super) formals: Vec<FrameVar>,
    pub(super) result: Option<FrameVar>,
    /// All variables of an activation.
    pub(super) variables: rustc_hash::FxHashMap<VarId, FrameVar>,
    /// The locals and the result that live in memory: slot of the address, size, alignment.
    pub(super) objects: Vec<(Slot, u64, u64, VarId)>,
    /// The variables that may be read before they are written.
    pub(super) unset: Vec<FrameVar>,
    /// Locations with several outgoing edges: the location, and where the code of each edge starts.
    pub(super) choices: Vec<(u32, Box<[Pc]>)>,
    /// Where the code for each value starts, and for all others.
    pub(super) switches: Vec<(rustc_hash::FxHashMap<u64, Pc>, Pc)>,
    pub(super) reasons: Vec<String>,
    pub(super) calls: Vec<CallSite>,
    pub(super) bits: Vec<BitField>,
    pub(super) effects: Vec<Effect>,
}

impl Code {
    /// Makes the code of a run that nobody observes shorter to run. Positions stay what they are.
    ///
    /// - Steps in a row are counted by the first.
    /// - Where a loop goes back to its condition by two equal jumps, the first becomes the condition, negated, and leads
    ///   into the loop; the second leaves it.
    pub(super) fn tighten(&mut self) {
        for at in (1..self.ops.len()).rev() {
            let (before, after) = self.ops.split_at_mut(at);
            if let ([.., Op::Step { count, .. }], [Op::Step { count: more, .. }, ..]) = (before, after) {
                *count += *more;
            }
        }
        for at in 1..self.ops.len() {
            if let (Op::Jump { to }, Op::Jump { to: again }) = (self.ops[at - 1], self.ops[at])
                && to == again
                && let Op::BranchCmp { cmp, a, b, otherwise } = self.ops[to as usize]
            {
                let (cmp, exchanged) = cmp.negated();
                let (a, b) = if exchanged { (b, a) } else { (a, b) };
                self.ops[at - 1] = Op::BranchCmp { cmp, a, b, otherwise: to + 1 };
                self.ops[at] = Op::Jump { to: otherwise };
            }
        }
    }

    /// Whether an operation is a comparison that decides where to go.
    pub(super) fn compares(&self, at: Pc) -> bool {
        matches!(self.ops.get(at as usize), Some(Op::BranchCmp { .. }))
    }

    /// The edge that the operation at a position belongs to.
    pub(super) fn edge_at(&self, pc: usize) -> EdgeId {
        let after = self.sites.partition_point(|&(start, _)| start as usize <= pc);
        self.sites.get(after.wrapping_sub(1)).map_or_else(|| EdgeId::from_usize(0), |&(_, edge)| edge)
    }

    /// The type of what the operation at a position loads.
    pub(super) fn load_type(&self, pc: usize) -> Option<TypeId> {
        let at = self.loads.binary_search_by_key(&pc, |&(start, _)| start as usize).ok()?;
        Some(self.loads[at].1)
    }

    /// The variable of an activation with this id.
    pub(super) fn variable(&self, var: VarId) -> Option<&FrameVar> {
        self.variables.get(&var)
    }
}

#[cfg(test)]
mod tests;
