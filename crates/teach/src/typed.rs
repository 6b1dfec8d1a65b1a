//! Programs with all names resolved and all types known: what the checker makes and lowering reads.

use hardbop_base::{Arena, Id, Span};

/// A [`Variable`] of a program.
pub(crate) type VarId = Id<Variable>;
/// A [`Procedure`] of a program.
pub(crate) type ProcId = Id<Procedure>;
/// An [`Enum`] of a program.
pub(crate) type EnumId = Id<Enum>;

/// A program.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) enums: Arena<Enum>,
    pub(crate) variables: Arena<Variable>,
    pub(crate) globals: Vec<VarId>,
    pub(crate) procedures: Arena<Procedure>,
}

/// An enumeration.
#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) name: String,
    pub(crate) size: i128,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    Int,
    Bool,
    Enum(EnumId),
}

/// A variable.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Its type; of a reference, the type of what it refers to.
    pub(crate) ty: Ty,
    pub(crate) kind: VarKind,
    /// Whether something stores to it or takes its address, other than its declaration.
    pub(crate) changes: bool,
    pub(crate) span: Span,
}

/// The role of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VarKind {
    /// Starts with a constant, or with anything.
    Global(Option<Constant>),
    /// A formal that is passed by value.
    Value,
    /// A formal that is a reference.
    Reference,
    Local,
}

/// A constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Constant {
    /// A number, or the position of a value in its enumeration.
    Int(i128),
    Bool(bool),
}

/// A procedure.
#[derive(Debug)]
pub(crate) struct Procedure {
    pub(crate) name: String,
    pub(crate) formals: Vec<VarId>,
    pub(crate) locals: Vec<VarId>,
    pub(crate) result: Option<Ty>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) span: Span,
    pub(crate) end: Span,
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) labels: Vec<String>,
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

/// What a statement does.
#[derive(Debug)]
pub(crate) enum StmtKind {
    Skip,
    /// The variables take any values of their types.
    Declare(Vec<VarId>),
    Assign(Vec<(Target, Expr)>),
    Call(Option<Target>, Call),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    DoWhile(Vec<Stmt>, Expr),
    Case(Vec<(Expr, Vec<Stmt>)>, Option<Vec<Stmt>>),
    Choice(Vec<Vec<Stmt>>),
    /// With the condition as text.
    Assert(Expr, String),
    Assume(Expr),
    Return(Option<Expr>),
}

/// What is assigned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Variable(VarId),
    /// What a reference refers to.
    Behind(VarId),
}

/// A call.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) callee: ProcId,
    pub(crate) arguments: Vec<Argument>,
}

/// What is passed.
#[derive(Debug)]
pub(crate) enum Argument {
    Value(Expr),
    /// The address of a variable.
    Address(VarId),
    /// A reference of the caller.
    Reference(VarId),
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) ty: Ty,
    pub(crate) span: Span,
}

/// What an expression is.
#[derive(Debug)]
pub(crate) enum ExprKind {
    Constant(Constant),
    /// Any value of the type.
    Any,
    Variable(VarId),
    Behind(VarId),
    Negate(Box<Expr>),
    Not(Box<Expr>),
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// Of two values of one type.
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// Whether two references refer to the same variable.
    Same(VarId, VarId),
    /// The second operand counts only if the first does not decide.
    Logical(Logical, Box<Expr>, Box<Expr>),
}

/// Arithmetic on integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

/// Comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Operators on truth values that may do without their second operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logical {
    And,
    Or,
    Implies,
}
