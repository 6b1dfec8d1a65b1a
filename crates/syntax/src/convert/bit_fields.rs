//! The types of expressions in which bit-fields take part.
//!
//! The value of a bit-field is promoted by its width and not by its declared type: with `unsigned b
//! : 3`, `b` is an `int` in `x / b`. The front end knows that, with two exceptions: compound
//! assignments (`x /= b` and `b /= x` come out unsigned) and bit-fields of an enumeration type
//! (`b - 1 < 0` comes out unsigned). This file corrects both. An operand that was converted to the
//! wrong type is converted to the right one instead, and an operator whose type changes is
//! remembered, since its parents may change too; parents come after their operands.

use rucc_ast::UnaryOp as TheirUnary;
use rucc_sema::{Conversion, ExprId, ExprKind as Theirs, Stmt};
use rucc_types::{TypeKind, Types, integer_info};

use super::Converter;
use super::exprs::{binary, elvis, without_plus};
use crate::ast::{self, BinaryOp, Expr, ExprKind, Type, TypeId, UnaryOp};

/// Bits of an `int`.
const INT: u32 = 32;

/// A promoted integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Integer {
    width: u32,
    signed: bool,
}

impl Integer {
    /// The type that two operands are converted to.
    fn common(self, other: Integer) -> Integer {
        let (wider, narrower) = if self.width >= other.width { (self, other) } else { (other, self) };
        let equal = wider.width == narrower.width;
        Integer { width: wider.width, signed: wider.signed && (narrower.signed || !equal) }
    }
}

impl From<Integer> for Type {
    fn from(integer: Integer) -> Type {
        Type::Int { width: u16::try_from(integer.width).unwrap_or(u16::MAX), signed: integer.signed }
    }
}

/// Whether there is a bit-field of an enumeration type at all, which is rare.
pub(super) fn has_enum_bit_fields(types: &Types) -> bool {
    let is_enum = |ty| matches!(types.kind(types.canonical(ty)), TypeKind::Enum(_));
    types.records().any(|(_, record)| record.fields.iter().any(|f| f.is_bit_field() && is_enum(f.ty)))
}

impl Converter<'_> {
    /// The type in which `target op= value` is computed and the value for it, if the front end may
    /// have got them wrong and both are integers.
    pub(super) fn compound_assignment(
        &mut self,
        op: BinaryOp,
        target: ExprId,
        value: ExprId,
    ) -> Option<(TypeId, ast::ExprId)> {
        let written = self.written(value);
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let affected = |id| self.bit_field_width(id).is_some() || self.corrected_type(id).is_some();
        if !affected(target) && (shift || !affected(written)) {
            return None;
        }
        let (left, right) = (self.promoted(target)?, self.promoted(written)?);
        if shift {
            return Some((self.intern(left.into()), self.operand(value)?));
        }
        let common = left.common(right);
        Some((self.intern(common.into()), self.convert_instead(value, common)?))
    }

    /// An expression with the type it should have, if an operand of it is of an enumeration type
    /// that the front end did not promote as it should.
    pub(super) fn corrected(&mut self, id: ExprId, ty: TypeId) -> Option<(ExprKind, TypeId)> {
        match self.tast[id].kind {
            Theirs::Unary { op, operand } => self.corrected_unary(id, op, operand),
            Theirs::Binary { op, lhs, rhs } => self.corrected_binary(id, binary(op), lhs, rhs, ty),
            Theirs::Cond { cond, then, otherwise } => self.corrected_conditional(id, cond, then, otherwise),
            Theirs::Comma { lhs, rhs } => {
                let corrected = *self.retyped.get(&without_plus(self.tast, rhs))?;
                self.retyped.insert(id, corrected);
                let kind = ExprKind::Comma(self.operand(lhs)?, self.operand(rhs)?);
                Some((kind, self.intern(corrected.into())))
            }
            Theirs::StmtExpr(body) => {
                let corrected = *self.retyped.get(&self.last_value(body)?)?;
                self.retyped.insert(id, corrected);
                Some((ExprKind::Statements(self.stmts.get(body)?), self.intern(corrected.into())))
            }
            Theirs::Subscript { base, index } => {
                let corrected = self.corrected_type(self.written(index))?;
                let (pointer, index) = (self.operand(base)?, self.convert_instead(index, corrected)?);
                Some((ExprKind::Subscript { pointer, index }, ty))
            }
            _ => None,
        }
    }

    fn corrected_unary(&mut self, id: ExprId, op: TheirUnary, operand: ExprId) -> Option<(ExprKind, TypeId)> {
        let op = match op {
            TheirUnary::Minus => UnaryOp::Minus,
            TheirUnary::BitNot => UnaryOp::BitNot,
            _ => return None,
        };
        let corrected = self.corrected_type(self.written(operand))?;
        self.retyped.insert(id, corrected);
        let operand = self.convert_instead(operand, corrected)?;
        Some((ExprKind::Unary(op, operand), self.intern(corrected.into())))
    }

    fn corrected_binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        ty: TypeId,
    ) -> Option<(ExprKind, TypeId)> {
        let (left, right) = (self.written(lhs), self.written(rhs));
        let (left_corrected, right_corrected) = (self.corrected_type(left), self.corrected_type(right));
        let corrected = left_corrected.or(right_corrected)?;
        let pointer = |id: ExprId| rucc_types::is_pointer(self.types, self.tast[id].ty);
        match op {
            BinaryOp::And | BinaryOp::Or => None,
            BinaryOp::Shl | BinaryOp::Shr => {
                let corrected = left_corrected?;
                self.retyped.insert(id, corrected);
                let left = self.convert_instead(lhs, corrected)?;
                Some((ExprKind::Binary(op, left, self.operand(rhs)?), self.intern(corrected.into())))
            }
            BinaryOp::Add | BinaryOp::Sub if pointer(lhs) => {
                let right = self.convert_instead(rhs, corrected)?;
                Some((ExprKind::Binary(op, self.operand(lhs)?, right), ty))
            }
            BinaryOp::Add if pointer(rhs) => {
                let left = self.convert_instead(lhs, corrected)?;
                Some((ExprKind::Binary(op, left, self.operand(rhs)?), ty))
            }
            _ => {
                let common = self.promoted(left)?.common(self.promoted(right)?);
                let operands = (self.convert_instead(lhs, common)?, self.convert_instead(rhs, common)?);
                let kind = ExprKind::Binary(op, operands.0, operands.1);
                let comparison = matches!(
                    op,
                    BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
                );
                if comparison {
                    return Some((kind, ty));
                }
                self.retyped.insert(id, common);
                Some((kind, self.intern(common.into())))
            }
        }
    }

    fn corrected_conditional(
        &mut self,
        id: ExprId,
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    ) -> Option<(ExprKind, TypeId)> {
        let value = elvis(self.tast, cond, then);
        let (left, right) = (value.unwrap_or_else(|| self.written(then)), self.written(otherwise));
        self.corrected_type(left).or(self.corrected_type(right))?;
        let common = self.promoted(left)?.common(self.promoted(right)?);
        self.retyped.insert(id, common);
        let otherwise = self.convert_instead(otherwise, common)?;
        let kind = match value {
            Some(value) => ExprKind::Elvis { value: self.operand(value)?, otherwise },
            None => {
                let then = self.convert_instead(then, common)?;
                ExprKind::Conditional { condition: self.operand(cond)?, then, otherwise }
            }
        };
        Some((kind, self.intern(common.into())))
    }

    /// What an operand was before it was promoted and converted to the type of its operator.
    fn written(&self, id: ExprId) -> ExprId {
        let mut at = without_plus(self.tast, id);
        let mut first = None;
        while let Theirs::Convert { kind: Conversion::Arithmetic, operand } = self.tast[at].kind {
            at = without_plus(self.tast, operand);
            if self.corrected_type(at).is_some() {
                return at;
            }
            first.get_or_insert(at);
        }
        first.unwrap_or(at)
    }

    /// The operand converted to another type than the one it was converted to.
    fn convert_instead(&mut self, id: ExprId, to: Integer) -> Option<ast::ExprId> {
        let (written, to) = (self.written(id), self.intern(to.into()));
        let outermost = self.operand(id)?;
        let mut at = without_plus(self.tast, id);
        // The conversions that are there are of no use for anything else.
        while at != written {
            let Theirs::Convert { operand, .. } = self.tast[at].kind else { return None };
            let ours = self.operand(at)?;
            self.unit.exprs[ours].ty = to;
            at = without_plus(self.tast, operand);
        }
        if self.unit.exprs[outermost].ty == to {
            return Some(outermost);
        }
        let span = self.unit.exprs[outermost].span;
        Some(self.unit.exprs.push(Expr { kind: ExprKind::Cast(outermost), ty: to, span }))
    }

    /// The promoted type of an integer expression, if the front end has another one for it.
    fn corrected_type(&self, id: ExprId) -> Option<Integer> {
        if !self.enum_bit_fields {
            return None;
        }
        if let Some(&corrected) = self.retyped.get(&id) {
            return Some(corrected);
        }
        let is_enum = matches!(self.types.kind(self.types.canonical(self.tast[id].ty)), TypeKind::Enum(_));
        let width = self.bit_field_width(id).filter(|_| is_enum)?;
        let declared = integer_info(self.types, self.tast[id].ty, self.target)?;
        let corrected = promote(width, declared.signed);
        (corrected != promote(declared.width, declared.signed)).then_some(corrected)
    }

    /// The type of an integer value after its promotion.
    fn promoted(&self, id: ExprId) -> Option<Integer> {
        if let Some(corrected) = self.corrected_type(id) {
            return Some(corrected);
        }
        let declared = integer_info(self.types, self.tast[id].ty, self.target)?;
        Some(promote(self.bit_field_width(id).unwrap_or(declared.width), declared.signed))
    }

    /// The width of the bit-field whose value, still of its declared type, an expression has.
    fn bit_field_width(&self, mut id: ExprId) -> Option<u32> {
        loop {
            id = match self.tast[id].kind {
                Theirs::Convert { kind: Conversion::Lvalue, operand } => operand,
                Theirs::Comma { rhs, .. } => rhs,
                Theirs::Assign { lhs, .. } => lhs,
                Theirs::Unary {
                    op: TheirUnary::PreInc | TheirUnary::PreDec | TheirUnary::PostInc | TheirUnary::PostDec,
                    operand,
                } => operand,
                Theirs::StmtExpr(body) => self.last_value(body)?,
                Theirs::Member { base, field } => {
                    let base = self.types.canonical(self.tast[base].ty);
                    let TypeKind::Record(record) = self.types.kind(base) else { return None };
                    return self.types.record_info(record).fields.get(field as usize)?.bits;
                }
                _ => return None,
            };
        }
    }

    /// The expression whose value a statement expression has.
    fn last_value(&self, mut body: rucc_sema::StmtId) -> Option<ExprId> {
        loop {
            body = match self.tast[body] {
                Stmt::Block(list) => *self.tast[list].last()?,
                Stmt::Label { body, .. } => body,
                Stmt::Expr(value) => return Some(without_plus(self.tast, value)),
                _ => return None,
            };
        }
    }
}

fn promote(width: u32, signed: bool) -> Integer {
    Integer { width: width.max(INT), signed: signed || width < INT }
}
