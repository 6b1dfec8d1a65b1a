//! X programs as trees: what the parser builds and the printer writes.
//!
//! Names are not resolved here. Spans are for messages only and do not take part in comparisons, so
//! `parse(print(p)) == p` for every program the parser can produce. The parser bounds the height of
//! trees by [`crate::MAX_NESTING`]; code that builds trees by hand should keep to that, for trees are
//! walked and dropped recursively.

use hardbop_base::Span;

/// A program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// Its parts, in source order.
    pub items: Vec<Item>,
}

/// A part of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An enumeration.
    Enum(Enum),
    /// Global variables.
    Globals(Decl),
    /// A procedure.
    Procedure(Procedure),
}

/// `enum State { idle, busy };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enum {
    /// The name of the type.
    pub name: Name,
    /// Its values.
    pub values: Vec<Name>,
}

/// `x, y: int := 0, 1`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decl {
    /// The variables.
    pub names: Vec<Name>,
    /// Their type.
    pub ty: Type,
    /// What they start with; anything if there is nothing.
    pub start: Option<Source>,
}

/// `procedure f(n: int, out r: int): bool { … }`
#[derive(Debug, Clone)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Its formal parameters.
    pub formals: Vec<Formal>,
    /// The type of its result.
    pub result: Option<Type>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// The header.
    pub span: Span,
    /// The closing brace.
    pub end: Span,
}

/// A formal parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formal {
    /// How it is passed.
    pub mode: Mode,
    /// Its name.
    pub name: Name,
    /// Its type; of a reference, the type of what it refers to.
    pub ty: Type,
}

/// How an argument is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// By value.
    Value,
    /// `ref`: as a reference.
    Ref,
    /// `out`: as a reference.
    Out,
}

/// A type as written.
#[derive(Debug, Clone)]
pub struct Type {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The types.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `int`: mathematical integers.
    Int,
    /// `bool`
    Bool,
    /// An enumeration, by name.
    Named(String),
}

/// A name.
#[derive(Debug, Clone)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A statement with the labels in front of it.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// `[1]`; names or numbers.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StmtKind,
    /// The statement without its labels.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StmtKind {
    /// `skip`
    Skip,
    /// Local variables.
    Decl(Decl),
    /// `x, *f := e1, e2` or `x := p(e)`
    Assign(Vec<Target>, Source),
    /// `p(e)`
    Call(Call),
    /// `if (e) { … } else { … }`
    If(Expr, Vec<Stmt>, Option<Vec<Stmt>>),
    /// `while (e) { … }`
    While(Expr, Vec<Stmt>),
    /// `do { … } while (e)`
    DoWhile(Vec<Stmt>, Expr),
    /// `case { e1: … e2: … else: … }`
    Case(Vec<Arm>, Option<Vec<Stmt>>),
    /// `{ … | … }`; a plain block if there is nothing to choose from.
    Choice(Vec<Vec<Stmt>>),
    /// `assert(e)`
    Assert(Expr),
    /// `assume(e)`
    Assume(Expr),
    /// `return`, `return e`
    Return(Option<Expr>),
}

/// `e: …` of a `case`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    /// The condition.
    pub guard: Expr,
    /// What it guards.
    pub body: Vec<Stmt>,
}

/// What is assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// One value for each variable.
    Values(Vec<Expr>),
    /// The result of a call.
    Call(Call),
}

/// `p(e1, e2)`
#[derive(Debug, Clone)]
pub struct Call {
    /// The procedure.
    pub callee: Name,
    /// The values of its formals.
    pub arguments: Vec<Expr>,
    /// The call without what is assigned.
    pub span: Span,
}

/// What is assigned to: `x`, or `*f`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Whether it is what the name refers to.
    pub deref: bool,
    /// The variable.
    pub name: Name,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprKind {
    /// A number; not negative.
    Int(i128),
    /// `true`, `false`
    Bool(bool),
    /// `?`: any value of the type that is needed.
    Any,
    /// A variable, a reference, or a value of an enumeration.
    Name(String),
    /// `*f`
    Deref(String),
    /// `-e`, `!e`
    Unary(UnaryOp, Box<Expr>),
    /// `e1 + e2` and so on.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// Operators on one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Operators on two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `=>`
    Implies,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`: the quotient, rounded down.
    Div,
    /// `mod`: what that leaves.
    Mod,
}

impl BinaryOp {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Implies => "=>",
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Eq => "=",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "mod",
        }
    }

    /// How tightly it binds; more is tighter.
    pub(crate) fn binding(self) -> Binding {
        match self {
            BinaryOp::Implies => Binding::Implies,
            BinaryOp::Or => Binding::Or,
            BinaryOp::And => Binding::And,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                Binding::Compare
            }
            BinaryOp::Add | BinaryOp::Sub => Binding::Add,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => Binding::Mul,
        }
    }
}

/// How tightly an expression holds together, from the loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    /// Groups to the right.
    Implies,
    Or,
    And,
    /// Does not group.
    Compare,
    Add,
    Mul,
    Unary,
}

impl Binding {
    /// The next tighter one.
    pub(crate) fn tighter(self) -> Binding {
        match self {
            Binding::Implies => Binding::Or,
            Binding::Or => Binding::And,
            Binding::And => Binding::Compare,
            Binding::Compare => Binding::Add,
            Binding::Add => Binding::Mul,
            Binding::Mul | Binding::Unary => Binding::Unary,
        }
    }
}

impl Name {
    /// A name in a generated program.
    pub fn new(text: impl Into<String>) -> Self {
        Name { text: text.into(), span: Span::none() }
    }
}

impl Type {
    /// A type in a generated program.
    pub fn new(kind: TypeKind) -> Self {
        Type { kind, span: Span::none() }
    }
}

impl Stmt {
    /// A statement without labels and place.
    pub fn new(kind: StmtKind) -> Self {
        Stmt { labels: Vec::new(), kind, span: Span::none() }
    }
}

impl Call {
    /// A call in a generated program.
    pub fn new(callee: impl Into<String>, arguments: Vec<Expr>) -> Self {
        Call { callee: Name::new(callee), arguments, span: Span::none() }
    }
}

impl Target {
    /// A variable in a generated program.
    pub fn new(deref: bool, name: impl Into<String>) -> Self {
        Target { deref, name: Name::new(name) }
    }
}

impl Expr {
    /// An expression without a place.
    pub fn new(kind: ExprKind) -> Self {
        Expr { kind, span: Span::none() }
    }

    /// A name.
    pub fn name(text: impl Into<String>) -> Self {
        Expr::new(ExprKind::Name(text.into()))
    }

    /// `op e`
    pub fn unary(op: UnaryOp, operand: Expr) -> Self {
        Expr::new(ExprKind::Unary(op, Box::new(operand)))
    }

    /// `left op right`
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Self {
        Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)))
    }
}

/// Equality that ignores the listed type's spans.
macro_rules! equal_but_for_spans {
    ($type:ty: $($field:ident),+) => {
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field == other.$field)&&+
            }
        }
        impl Eq for $type {}
    };
}

equal_but_for_spans!(Procedure: name, formals, result, body);
equal_but_for_spans!(Type: kind);
equal_but_for_spans!(Name: text);
equal_but_for_spans!(Stmt: labels, kind);
equal_but_for_spans!(Call: callee, arguments);
equal_but_for_spans!(Expr: kind);
