//! Builtins that the front end shows as nodes rather than calls.

use rucc_sema::{AtomicOp as TheirAtomic, BitCount, Classify, ExprKind as Theirs, OverflowOp, Rmw, Sign};

use super::Converter;
use crate::ast::{self, AtomicOp, AtomicUpdate, BinaryOp, Builtin, ExprKind};

impl Converter<'_> {
    pub(super) fn builtin(&mut self, kind: Theirs, ty: rucc_types::TypeId) -> Option<ExprKind> {
        let (builtin, operands) = match kind {
            Theirs::Abs { operand } => (Builtin::Abs, vec![self.operand(operand)?]),
            Theirs::ByteSwap { operand } => (Builtin::ByteSwap, vec![self.operand(operand)?]),
            Theirs::BitCount { operand, count } => (bit_count(count), vec![self.operand(operand)?]),
            Theirs::Overflow { op, at, args, stores } => {
                let op = match op {
                    OverflowOp::Add => BinaryOp::Add,
                    OverflowOp::Sub => BinaryOp::Sub,
                    OverflowOp::Mul => BinaryOp::Mul,
                };
                (Builtin::Overflow { op, at: self.ty(at), stores }, self.operand_list(args)?)
            }
            Theirs::Atomic { op, args, .. } => {
                let (op, mut operands) = (atomic(op), self.operand_list(args)?);
                if op == AtomicOp::TestAndSet {
                    // The front end adds the one that is stored.
                    operands.truncate(1);
                }
                (Builtin::Atomic(op), operands)
            }
            Theirs::Expect { value, hint, .. } => {
                (Builtin::Expect, vec![self.operand(value)?, self.operand(hint)?])
            }
            Theirs::Prefetch { address, .. } => (Builtin::Prefetch, vec![self.operand(address)?]),
            Theirs::Unreachable => (Builtin::Unreachable, Vec::new()),
            Theirs::Trap => (Builtin::Trap, Vec::new()),
            Theirs::FrameAddress { .. } => (Builtin::FrameAddress, Vec::new()),
            Theirs::Alloca { size } => (Builtin::Alloca, vec![self.operand(size)?]),
            Theirs::Classify { op, lhs, rhs } => (classify(op), self.one_or_two(lhs, rhs)?),
            Theirs::FpClassify { value, answers } => {
                let mut operands = vec![self.operand(value)?];
                operands.extend(self.operand_list(answers)?);
                (Builtin::FloatClass, operands)
            }
            Theirs::Sign { op, lhs, rhs } => {
                let builtin = match op {
                    Sign::Clear => Builtin::FloatAbs,
                    Sign::Of => Builtin::CopySign,
                };
                (builtin, self.one_or_two(lhs, rhs)?)
            }
            // What gcc answers without optimisation: it does not know.
            Theirs::ConstantP { .. } => return Some(ExprKind::Int(0)),
            Theirs::ObjectSize { kind, .. } => {
                let unknown = if kind & 2 == 0 { -1 } else { 0 };
                let info = rucc_types::integer_info(self.types, ty, self.target)?;
                return Some(ExprKind::Int(info.wrap(unknown)));
            }
            _ => return None,
        };
        Some(ExprKind::Builtin(builtin, operands))
    }

    fn one_or_two(
        &mut self,
        first: rucc_sema::ExprId,
        second: Option<rucc_sema::ExprId>,
    ) -> Option<Vec<ast::ExprId>> {
        let mut operands = vec![self.operand(first)?];
        if let Some(second) = second {
            operands.push(self.operand(second)?);
        }
        Some(operands)
    }
}

fn bit_count(count: BitCount) -> Builtin {
    match count {
        BitCount::Leading => Builtin::LeadingZeros,
        BitCount::Trailing => Builtin::TrailingZeros,
        BitCount::Ones => Builtin::PopCount,
        BitCount::Parity => Builtin::Parity,
        BitCount::FirstSet => Builtin::FirstSet,
        BitCount::RedundantSign => Builtin::RedundantSignBits,
    }
}

fn classify(op: Classify) -> Builtin {
    match op {
        Classify::Unordered => Builtin::Unordered,
        Classify::LessGreater => Builtin::LessGreater,
        Classify::Nan => Builtin::IsNan,
        Classify::Infinite => Builtin::IsInfinite,
        Classify::Finite => Builtin::IsFinite,
        Classify::Normal => Builtin::IsNormal,
        Classify::SignBit => Builtin::SignBit,
        Classify::InfiniteSign => Builtin::InfiniteSign,
    }
}

fn atomic(op: TheirAtomic) -> AtomicOp {
    match op {
        TheirAtomic::Load => AtomicOp::Load,
        TheirAtomic::LoadInto => AtomicOp::LoadInto,
        TheirAtomic::Store => AtomicOp::Store,
        TheirAtomic::Fence | TheirAtomic::SignalFence => AtomicOp::Fence,
        TheirAtomic::CompareExchange => AtomicOp::CompareExchange,
        TheirAtomic::SwapBool => AtomicOp::SwapBool,
        TheirAtomic::SwapValue => AtomicOp::SwapValue,
        TheirAtomic::Exchange => AtomicOp::Exchange,
        TheirAtomic::ExchangeInto => AtomicOp::ExchangeInto,
        TheirAtomic::TestAndSet => AtomicOp::TestAndSet,
        TheirAtomic::Fetch(update) => AtomicOp::Fetch(atomic_update(update)),
        TheirAtomic::Update(update) => AtomicOp::Update(atomic_update(update)),
    }
}

fn atomic_update(update: Rmw) -> AtomicUpdate {
    match update {
        Rmw::Add => AtomicUpdate::Add,
        Rmw::Sub => AtomicUpdate::Sub,
        Rmw::And => AtomicUpdate::And,
        Rmw::Nand => AtomicUpdate::Nand,
        Rmw::Or => AtomicUpdate::Or,
        Rmw::Xor => AtomicUpdate::Xor,
    }
}
