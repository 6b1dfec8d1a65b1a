//! Writes boolean programs in the text form that [`crate::parse`] reads.
//!
//! Parentheses are written where the tree needs them and nowhere else, so printing is the inverse of
//! parsing up to comments, layout and the spelling of constants.

use std::fmt::{self, Display, Formatter};

use crate::ast::{
    BinaryOp, Block, Branch, ChainOp, Expr, ExprKind, Form, Item, Name, Procedure, Program, Results, Stmt,
    StmtKind,
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.items.iter().enumerate() {
            match item {
                Item::Decl(decl) => {
                    let word = if self.form == Form::Blocks { "var" } else { "decl" };
                    writeln!(f, "{word} {};", Listed(&decl.names))?;
                }
                Item::Procedure(procedure) => {
                    if i > 0 {
                        writeln!(f)?;
                    }
                    procedure.fmt(f)?;
                }
                Item::Block(block) => block.fmt(f)?,
            }
        }
        Ok(())
    }
}

impl Display for Procedure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}({}) begin", self.results, self.name, Listed(&self.formals))?;
        write_statements(f, &self.body, 1)?;
        writeln!(f, "end")
    }
}

impl Display for Results {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Results::Void => f.write_str("void"),
            Results::Bool => f.write_str("bool"),
            Results::Bools(n) => write!(f, "bool<{n}>"),
        }
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:", self.label)?;
        write_statements(f, &self.body, 1)?;
        if let Some(Stmt { kind: StmtKind::Goto(targets), .. }) = &self.goto {
            write!(f, "  goto ")?;
            for (i, target) in targets.iter().enumerate() {
                write!(f, "{}{target}", if i > 0 { " or " } else { "" })?;
            }
            writeln!(f, ";")?;
        }
        Ok(())
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Display for Stmt {
    /// The whole statement with its labels, over several lines if it is structured.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_statement(f, self, 0)
    }
}

impl Stmt {
    /// The statement in one line without labels and without what it contains: `if (e)`, `x := y;`.
    pub fn headline(&self) -> String {
        match &self.kind {
            StmtKind::If { branches, .. } => {
                branches.first().map_or_else(String::new, |b| format!("if ({})", b.condition))
            }
            StmtKind::While(branch) => format!("while ({})", branch.condition),
            kind => Simple(kind).to_string(),
        }
    }
}

fn write_statements(f: &mut Formatter<'_>, statements: &[Stmt], indent: usize) -> fmt::Result {
    for stmt in statements {
        write_statement(f, stmt, indent)?;
        writeln!(f)?;
    }
    Ok(())
}

fn write_statement(f: &mut Formatter<'_>, stmt: &Stmt, indent: usize) -> fmt::Result {
    write_indent(f, indent)?;
    for label in &stmt.labels {
        write!(f, "{label}: ")?;
    }
    match &stmt.kind {
        StmtKind::If { branches, otherwise } => {
            for (i, branch) in branches.iter().enumerate() {
                if i > 0 {
                    write_indent(f, indent)?;
                }
                write_branch(f, if i == 0 { "if" } else { "elsif" }, branch, "then", indent)?;
            }
            if let Some(body) = otherwise {
                write_indent(f, indent)?;
                writeln!(f, "else")?;
                write_statements(f, body, indent + 1)?;
            }
            write_indent(f, indent)?;
            write!(f, "fi;")
        }
        StmtKind::While(branch) => {
            write_branch(f, "while", branch, "do", indent)?;
            write_indent(f, indent)?;
            write!(f, "od;")
        }
        kind => write!(f, "{}", Simple(kind)),
    }
}

fn write_branch(
    f: &mut Formatter<'_>,
    word: &str,
    branch: &Branch,
    opener: &str,
    indent: usize,
) -> fmt::Result {
    writeln!(f, "{word} ({}) {opener}", branch.condition)?;
    write_statements(f, &branch.body, indent + 1)
}

fn write_indent(f: &mut Formatter<'_>, indent: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * indent)
}

/// A statement that contains no other.
struct Simple<'a>(&'a StmtKind);

impl Display for Simple<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            StmtKind::Empty | StmtKind::If { .. } | StmtKind::While(_) => f.write_str(";"),
            StmtKind::Skip => f.write_str("skip;"),
            StmtKind::Decl(names) => write!(f, "decl {};", Listed(names)),
            StmtKind::Enforce(e) => write!(f, "enforce {e};"),
            StmtKind::Assign { targets, values, constrain } => {
                write!(f, "{} := {}", Targets(targets), Listed(values))?;
                if let Some(e) = constrain {
                    write!(f, " constrain {e}")?;
                }
                f.write_str(";")
            }
            StmtKind::Call { targets, callee, args } => {
                if !targets.is_empty() {
                    write!(f, "{} := ", Targets(targets))?;
                }
                write!(f, "{callee}({});", Listed(args))
            }
            StmtKind::Return(values) if values.is_empty() => f.write_str("return;"),
            StmtKind::Return(values) => write!(f, "return {};", Listed(values)),
            StmtKind::Assume(e) => write!(f, "assume({e});"),
            StmtKind::Assert(e) => write!(f, "assert({e});"),
            StmtKind::AbortIf(e) => write!(f, "abortif {e};"),
            StmtKind::Dead(names) => write!(f, "dead {};", Listed(names)),
            StmtKind::Goto(targets) => write!(f, "goto {};", Listed(targets)),
        }
    }
}

struct Listed<'a, T>(&'a [T]);

impl<T: Display> Display for Listed<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

struct Targets<'a>(&'a [Option<Name>]);

impl Display for Targets<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, target) in self.0.iter().enumerate() {
            let text = target.as_ref().map_or("_", |name| &name.text);
            write!(f, "{}{text}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// How tightly an expression holds together; a smaller number needs parentheses first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Binary,
    Xor,
    Or,
    And,
    Unary,
}

fn binding(e: &Expr) -> Binding {
    match &e.kind {
        ExprKind::Binary(..) => Binding::Binary,
        ExprKind::Chain(ChainOp::Xor, _) => Binding::Xor,
        ExprKind::Chain(ChainOp::Or, _) => Binding::Or,
        ExprKind::Chain(ChainOp::And, _) => Binding::And,
        _ => Binding::Unary,
    }
}

/// Writes an operand of something that wants it to bind at least as tightly as `least`.
fn write_operand(f: &mut Formatter<'_>, e: &Expr, least: Binding) -> fmt::Result {
    if binding(e) < least { write!(f, "({e})") } else { e.fmt(f) }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Const(value) => f.write_str(if *value { "T" } else { "F" }),
            ExprKind::Var(name) => name.fmt(f),
            ExprKind::Next(name) => write!(f, "'{name}"),
            ExprKind::Choice => f.write_str("*"),
            ExprKind::Schoose(yes, no) => write!(f, "schoose[{yes}, {no}]"),
            ExprKind::Not(e) => {
                f.write_str("!")?;
                write_operand(f, e, Binding::Unary)
            }
            ExprKind::Chain(op, operands) => {
                let (symbol, tighter) = match op {
                    ChainOp::And => (" & ", Binding::Unary),
                    ChainOp::Or => (" | ", Binding::And),
                    ChainOp::Xor => (" ^ ", Binding::Or),
                };
                for (i, e) in operands.iter().enumerate() {
                    f.write_str(if i > 0 { symbol } else { "" })?;
                    write_operand(f, e, tighter)?;
                }
                Ok(())
            }
            ExprKind::Binary(op, left, right) => {
                write_operand(f, left, Binding::Xor)?;
                f.write_str(match op {
                    BinaryOp::Eq => " = ",
                    BinaryOp::Ne => " != ",
                    BinaryOp::Implies => " => ",
                })?;
                write_operand(f, right, Binding::Binary)
            }
        }
    }
}
