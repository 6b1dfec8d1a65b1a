//! The text form of boolean programs as a tree: what the parser builds and the printer writes.
//!
//! Names are not resolved here. Spans are for messages only, and tags for the code that makes a program; neither
//! takes part in comparisons, so `parse(print(p)) == p` for every program the parser can produce.
//!
//! Chains of `&`, `|` and `^` are one node with many operands, so that a disjunction of thousands of
//! cubes is not a deep tree; the parser bounds all other nesting by [`crate::MAX_NESTING`]. Code
//! that builds trees by hand should keep to that bound, for trees are walked and dropped recursively.

use hardbop_base::{Id, Span};

/// A boolean program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Which of the two notations it is written in.
    pub form: Form,
    /// Declarations with procedures or, in block form, with blocks; in source order.
    pub items: Vec<Item>,
}

/// The notation of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Bebop syntax: `decl …;` and procedures.
    Procedures,
    /// `var …;` and labelled blocks, all of them the body of `main`.
    Blocks,
}

/// A part of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Global variables.
    Decl(Decl),
    /// A procedure; not in block form.
    Procedure(Procedure),
    /// A block; only in block form.
    Block(Block),
}

/// `decl a, b;`
#[derive(Debug, Clone)]
pub struct Decl {
    /// The variables.
    pub names: Vec<Name>,
    /// The whole declaration.
    pub span: Span,
}

/// `bool<2> f(a, b) begin … end`
#[derive(Debug, Clone)]
pub struct Procedure {
    /// How many values it returns.
    pub results: Results,
    /// Its name.
    pub name: Name,
    /// Its formal parameters.
    pub formals: Vec<Name>,
    /// Declarations, `enforce` and statements.
    pub body: Vec<Stmt>,
    /// From the result type to the closing parenthesis.
    pub span: Span,
    /// The word `end`.
    pub end: Span,
}

/// The result type of a procedure, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Results {
    /// `void`
    Void,
    /// `bool`
    Bool,
    /// `bool<n>`
    Bools(u32),
}

impl Results {
    /// The number of values returned.
    pub fn count(self) -> usize {
        match self {
            Results::Void => 0,
            Results::Bool => 1,
            Results::Bools(n) => n as usize,
        }
    }
}

/// `A: x := y; goto B or C;` A block without successors ends the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its name.
    pub label: Name,
    /// Simple statements without labels.
    pub body: Vec<Stmt>,
    /// Where to go, if anywhere; a statement of kind [`StmtKind::Goto`].
    pub goto: Option<Stmt>,
}

/// An identifier; a quoted one keeps its braces, so `{x}` and `x` are different names.
#[derive(Debug, Clone)]
pub struct Name {
    /// The text as written.
    pub text: String,
    /// Where.
    pub span: Span,
}

impl Name {
    /// A name of a generated program, without a place in a text.
    pub fn new(text: impl Into<String>) -> Self {
        Name { text: text.into(), span: Span::none() }
    }

    /// Whether a printed program with this name can be read back.
    pub fn is_identifier(&self) -> bool {
        crate::lexer::is_identifier(&self.text)
    }

    /// The identifier `{text}`. The text must be one line with balanced braces.
    pub fn quoted(text: &str) -> Self {
        Name::new(format!("{{{text}}}"))
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name::new(text)
    }
}

/// The number of a statement, given by the code that made it. It means nothing to this crate and is not part of
/// the text; the edges that a statement becomes have its tag.
pub type Tag = Id<Tagged>;

/// What tags are ids of: something of the code that gave them.
#[derive(Debug)]
pub enum Tagged {}

/// A statement with the labels in front of it.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// `L1: L2:`
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StmtKind,
    /// The statement without its labels.
    pub span: Span,
    /// What its maker knows it by; nothing if it was read.
    pub tag: Option<Tag>,
}

/// The kinds of statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StmtKind {
    /// Nothing, as in `L: fi`; parsed only where there is a label.
    Empty,
    /// `skip;`
    Skip,
    /// `decl a, b;` of locals.
    Decl(Vec<Name>),
    /// `enforce e;`
    Enforce(Expr),
    /// `a, _ := e1, e2 constrain e;` where nothing stands for `_`.
    Assign {
        /// The variables assigned.
        targets: Vec<Option<Name>>,
        /// Their values.
        values: Vec<Expr>,
        /// The condition on old and new values.
        constrain: Option<Expr>,
    },
    /// `a, _ := f(e1, e2);` or `f(e1, e2);`
    Call {
        /// Where the results go; none for a call that drops them.
        targets: Vec<Option<Name>>,
        /// The procedure.
        callee: Name,
        /// The values of its formals.
        args: Vec<Expr>,
    },
    /// `return e1, e2;`
    Return(Vec<Expr>),
    /// `assume(e);`
    Assume(Expr),
    /// `assert(e);`
    Assert(Expr),
    /// `abortif e;`
    AbortIf(Expr),
    /// `dead a, b;`
    Dead(Vec<Name>),
    /// `if (e) then … elsif (e) then … else … fi`
    If {
        /// The `if` and the `elsif`s; at least one.
        branches: Vec<Branch>,
        /// The `else`.
        otherwise: Option<Vec<Stmt>>,
    },
    /// `while (e) do … od`
    While(Branch),
    /// `goto L1, L2;`
    Goto(Vec<Name>),
}

/// A condition and what it guards.
#[derive(Debug, Clone)]
pub struct Branch {
    /// The condition.
    pub condition: Expr,
    /// The statements.
    pub body: Vec<Stmt>,
    /// From the keyword to the end of the condition.
    pub span: Span,
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
    /// `T` or `F`, also written `1`, `0`, `true`, `false`.
    Const(bool),
    /// A variable.
    Var(Name),
    /// `'a`: its value after the assignment.
    Next(Name),
    /// `*`
    Choice,
    /// `schoose[e1, e2]`
    Schoose(Box<Expr>, Box<Expr>),
    /// `!e`
    Not(Box<Expr>),
    /// `e1 & e2 & …`; two operands at least.
    Chain(ChainOp, Vec<Expr>),
    /// `e1 = e2`, `e1 != e2`, `e1 => e2`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// Operators that are written in chains; from the tightest to the loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChainOp {
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

/// Operators that group to the right and bind loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `=>`
    Implies,
}

impl Program {
    /// A program of declarations and procedures.
    pub fn of_procedures(items: Vec<Item>) -> Self {
        Program { form: Form::Procedures, items }
    }

    /// The procedures, in order.
    pub fn procedures(&self) -> impl Iterator<Item = &Procedure> {
        self.items.iter().filter_map(|item| match item {
            Item::Procedure(p) => Some(p),
            _ => None,
        })
    }
}

impl Item {
    /// Global variables of a generated program.
    pub fn decl(names: impl IntoIterator<Item = Name>) -> Self {
        Item::Decl(Decl { names: names.into_iter().collect(), span: Span::none() })
    }

    /// A procedure of a generated program.
    pub fn procedure(results: Results, name: impl Into<Name>, formals: Vec<Name>, body: Vec<Stmt>) -> Self {
        let span = Span::none();
        Item::Procedure(Procedure { results, name: name.into(), formals, body, span, end: span })
    }
}

impl Stmt {
    /// A statement without labels, place and tag.
    pub fn new(kind: StmtKind) -> Self {
        Stmt { labels: Vec::new(), kind, span: Span::none(), tag: None }
    }

    /// Gives it a place.
    pub fn at(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    /// Gives it a tag.
    pub fn tagged(mut self, tag: Tag) -> Self {
        self.tag = Some(tag);
        self
    }

    /// Puts a label in front of it.
    pub fn labelled(mut self, label: impl Into<Name>) -> Self {
        self.labels.insert(0, label.into());
        self
    }

    /// `targets := values;`
    pub fn assign(targets: Vec<Name>, values: Vec<Expr>) -> Self {
        Stmt::assign_constrained(targets, values, None)
    }

    /// `targets := values constrain e;`
    pub fn assign_constrained(targets: Vec<Name>, values: Vec<Expr>, constrain: Option<Expr>) -> Self {
        let targets = targets.into_iter().map(Some).collect();
        Stmt::new(StmtKind::Assign { targets, values, constrain })
    }
}

impl Branch {
    /// A branch of a generated program.
    pub fn new(condition: Expr, body: Vec<Stmt>) -> Self {
        Branch { condition, body, span: Span::none() }
    }
}

impl Expr {
    /// An expression without a place.
    pub fn new(kind: ExprKind) -> Self {
        Expr { kind, span: Span::none() }
    }

    /// `T` or `F`.
    pub fn constant(value: bool) -> Self {
        Expr::new(ExprKind::Const(value))
    }

    /// A variable.
    pub fn var(name: impl Into<Name>) -> Self {
        Expr::new(ExprKind::Var(name.into()))
    }

    /// `'name`
    pub fn next(name: impl Into<Name>) -> Self {
        Expr::new(ExprKind::Next(name.into()))
    }

    /// `*`
    pub fn choice() -> Self {
        Expr::new(ExprKind::Choice)
    }

    /// `schoose[yes, no]`
    pub fn schoose(yes: Expr, no: Expr) -> Self {
        Expr::new(ExprKind::Schoose(Box::new(yes), Box::new(no)))
    }

    /// `!e`
    #[allow(clippy::should_implement_trait)]
    pub fn not(e: Expr) -> Self {
        Expr::new(ExprKind::Not(Box::new(e)))
    }

    /// The conjunction; `T` of nothing.
    pub fn and(operands: Vec<Expr>) -> Self {
        Expr::chain(ChainOp::And, operands)
    }

    /// The disjunction; `F` of nothing.
    pub fn or(operands: Vec<Expr>) -> Self {
        Expr::chain(ChainOp::Or, operands)
    }

    /// A chain; its neutral value if it is empty.
    pub fn chain(op: ChainOp, mut operands: Vec<Expr>) -> Self {
        match operands.len() {
            0 => Expr::constant(op == ChainOp::And),
            1 => operands.remove(0),
            _ => Expr::new(ExprKind::Chain(op, operands)),
        }
    }

    /// `left op right`
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Self {
        Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)))
    }
}

/// Equality that ignores the listed type's spans and tags.
macro_rules! equal_as_text {
    ($type:ty: $($field:ident),+) => {
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field == other.$field)&&+
            }
        }
        impl Eq for $type {}
    };
}

equal_as_text!(Decl: names);
equal_as_text!(Procedure: results, name, formals, body);
equal_as_text!(Name: text);
equal_as_text!(Stmt: labels, kind);
equal_as_text!(Branch: condition, body);
equal_as_text!(Expr: kind);
