//! Expressions and places: typed, free of side effects, interned in their [`Program`].
//!
//! Evaluation is strict (every operand is evaluated, except the arm of [`ExprKind::If`] that is
//! not chosen) and partial: an undefined operation or an invalid access ends the run.

use hardbop_base::Id;

use crate::{ProcId, TypeId, VarId};

/// An interned [`Expr`].
pub type ExprId = Id<Expr>;

/// An interned [`Place`].
pub type PlaceId = Id<Place>;

/// An expression with its type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: TypeId,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// A constant of a machine or mathematical integer type, or an address given as a number (the
    /// null pointer is 0). Sign-extended where the type is signed, zero-extended where not.
    Int(i128),
    /// A constant truth value.
    Bool(bool),
    /// A floating-point constant, as the bits of its format.
    Float(u128),
    /// The value stored in a place. Only here may the type be a record or an array.
    Load(PlaceId),
    /// The address of a place. Nothing is accessed but the pointers on the way to it.
    AddressOf(PlaceId),
    /// The address of a procedure.
    Function(ProcId),
    /// An operator on one operand of the same type.
    Unary(UnaryOp, ExprId),
    /// An operator on two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// A conversion to the expression's type: between machine integers (keeping the low bits),
    /// floats, pointers and machine integers, and from truth values (1 or 0). Float to integer drops
    /// the fraction.
    Cast(ExprId),
    /// The second operand if the first (a truth value) holds, else the third. Only the chosen one
    /// is evaluated.
    If(ExprId, ExprId, ExprId),
}

/// An operator on one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`, of integers and floats.
    Neg,
    /// `~x`, of machine integers.
    BitNot,
    /// `!x`, of truth values.
    Not,
}

/// An operator on two operands. Unless said otherwise both have the type of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, rounded towards zero for machine integers, towards −∞ for mathematical ones.
    Div,
    /// Remainder of [`BinaryOp::Div`]; of floats what `fmod` of C computes.
    Rem,
    /// Shift left by a machine integer of any type.
    Shl,
    /// Shift right by a machine integer of any type; arithmetic if the left operand is signed.
    Shr,
    /// Bitwise and; conjunction of truth values.
    And,
    /// Bitwise or; disjunction of truth values.
    Or,
    /// Bitwise exclusive or; inequality of truth values.
    Xor,
    /// Equality of two scalars of one type; a truth value.
    Eq,
    /// Inequality; a truth value.
    Ne,
    /// Less than; a truth value. Pointers compare as unsigned addresses.
    Lt,
    /// Less or equal; a truth value.
    Le,
    /// Pointer plus machine integer, in units of what the pointer points to (bytes for `void`).
    PointerAdd,
    /// Distance of two pointers of one type in units of what they point to, as a signed integer of
    /// pointer width; the byte distance is divided and rounded towards zero.
    PointerDiff,
}

/// An object or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where it starts.
    pub base: PlaceBase,
    /// Which part of it.
    pub path: Vec<Projection>,
    /// The type of what is stored there.
    pub ty: TypeId,
}

/// The object that a place starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlaceBase {
    /// A variable.
    Var(VarId),
    /// What a pointer points to.
    Deref(ExprId),
}

/// A step from an object to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Projection {
    /// A field of a record, by its position.
    Field(u32),
    /// An element of an array; the index is a machine integer of any type.
    Index(ExprId),
}
