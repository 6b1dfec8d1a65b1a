//! Writes X programs in the form that [`crate::parse`] reads.
//!
//! Parentheses are written where the tree needs them and nowhere else, bodies always have braces, and
//! labels brackets. Printing is the inverse of parsing up to comments, layout and spelling.

use std::fmt::{self, Display, Formatter};

use crate::ast::{
    Binding, Call, Decl, Enum, Expr, ExprKind, Formal, Item, Mode, Name, Procedure, Program, Source, Stmt,
    StmtKind, Target, Type, TypeKind, UnaryOp,
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.items.iter().enumerate() {
            match item {
                Item::Enum(Enum { name, values }) => writeln!(f, "enum {name} {{ {} }};", Listed(values))?,
                Item::Globals(decl) => writeln!(f, "{decl};")?,
                Item::Procedure(procedure) => {
                    if i > 0 {
                        writeln!(f)?;
                    }
                    procedure.fmt(f)?;
                }
            }
        }
        Ok(())
    }
}

impl Display for Procedure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "procedure {}({})", self.name, Listed(&self.formals))?;
        if let Some(result) = &self.result {
            write!(f, ": {result}")?;
        }
        writeln!(f, " {{")?;
        write_statements(f, &self.body, 1)?;
        writeln!(f, "}}")
    }
}

impl Display for Formal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mode = match self.mode {
            Mode::Value => "",
            Mode::Ref => "ref ",
            Mode::Out => "out ",
        };
        write!(f, "{mode}{}: {}", self.name, self.ty)
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.kind {
            TypeKind::Int => "int",
            TypeKind::Bool => "bool",
            TypeKind::Named(name) => name,
        })
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Display for Decl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Listed(&self.names), self.ty)?;
        match &self.start {
            Some(start) => write!(f, " := {start}"),
            None => Ok(()),
        }
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Source::Values(values) => Listed(values).fmt(f),
            Source::Call(call) => call.fmt(f),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.callee, Listed(&self.arguments))
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.deref { "*" } else { "" }, self.name)
    }
}

fn write_statements(f: &mut Formatter<'_>, statements: &[Stmt], indent: usize) -> fmt::Result {
    for stmt in statements {
        write_indent(f, indent)?;
        write_statement(f, stmt, indent)?;
        writeln!(f)?;
    }
    Ok(())
}

/// `{ … }` up to the closing brace.
fn write_body(f: &mut Formatter<'_>, body: &[Stmt], indent: usize) -> fmt::Result {
    if let [Stmt { labels, kind: StmtKind::Choice(parts), .. }] = body
        && labels.is_empty()
        && parts.len() > 1
    {
        return write_choice(f, parts, indent);
    }
    writeln!(f, "{{")?;
    write_statements(f, body, indent + 1)?;
    write_indent(f, indent)?;
    f.write_str("}")
}

fn write_statement(f: &mut Formatter<'_>, stmt: &Stmt, indent: usize) -> fmt::Result {
    for label in &stmt.labels {
        write!(f, "[{label}] ")?;
    }
    match &stmt.kind {
        StmtKind::Skip => f.write_str("skip;"),
        StmtKind::Decl(decl) => write!(f, "{decl};"),
        StmtKind::Assign(targets, source) => write!(f, "{} := {source};", Listed(targets)),
        StmtKind::Call(call) => write!(f, "{call};"),
        StmtKind::If(condition, then, otherwise) => {
            write!(f, "if ({condition}) ")?;
            write_body(f, then, indent)?;
            match otherwise.as_deref() {
                None => Ok(()),
                Some([next]) if next.labels.is_empty() && matches!(next.kind, StmtKind::If(..)) => {
                    f.write_str(" else ")?;
                    write_statement(f, next, indent)
                }
                Some(body) => {
                    f.write_str(" else ")?;
                    write_body(f, body, indent)
                }
            }
        }
        StmtKind::While(condition, body) => {
            write!(f, "while ({condition}) ")?;
            write_body(f, body, indent)
        }
        StmtKind::DoWhile(body, condition) => {
            f.write_str("do ")?;
            write_body(f, body, indent)?;
            write!(f, " while ({condition});")
        }
        StmtKind::Case(arms, otherwise) => {
            writeln!(f, "case {{")?;
            for arm in arms {
                write_indent(f, indent + 1)?;
                write!(f, "{}: ", arm.guard)?;
                write_body(f, &arm.body, indent + 1)?;
                writeln!(f)?;
            }
            if let Some(body) = otherwise {
                write_indent(f, indent + 1)?;
                f.write_str("else: ")?;
                write_body(f, body, indent + 1)?;
                writeln!(f)?;
            }
            write_indent(f, indent)?;
            f.write_str("}")
        }
        StmtKind::Choice(parts) => write_choice(f, parts, indent),
        StmtKind::Assert(condition) => write!(f, "assert({condition});"),
        StmtKind::Assume(condition) => write!(f, "assume({condition});"),
        StmtKind::Return(None) => f.write_str("return;"),
        StmtKind::Return(Some(value)) => write!(f, "return {value};"),
    }
}

fn write_choice(f: &mut Formatter<'_>, parts: &[Vec<Stmt>], indent: usize) -> fmt::Result {
    writeln!(f, "{{")?;
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            write_indent(f, indent)?;
            writeln!(f, "|")?;
        }
        write_statements(f, part, indent + 1)?;
    }
    write_indent(f, indent)?;
    f.write_str("}")
}

fn write_indent(f: &mut Formatter<'_>, indent: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * indent)
}

/// Things separated by commas.
struct Listed<'a, T>(&'a [T]);

impl<T: Display> Display for Listed<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

fn binding(expr: &Expr) -> Binding {
    match &expr.kind {
        ExprKind::Binary(op, ..) => op.binding(),
        _ => Binding::Unary,
    }
}

/// Writes an operand of something that wants it to bind at least as tightly as `least`.
fn write_operand(f: &mut Formatter<'_>, expr: &Expr, least: Binding) -> fmt::Result {
    if binding(expr) < least { write!(f, "({expr})") } else { expr.fmt(f) }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Bool(value) => write!(f, "{value}"),
            ExprKind::Any => f.write_str("?"),
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Deref(name) => write!(f, "*{name}"),
            ExprKind::Unary(op, operand) => {
                f.write_str(match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "!",
                })?;
                write_operand(f, operand, Binding::Unary)
            }
            ExprKind::Binary(op, left, right) => {
                let own = op.binding();
                let (on_left, on_right) = match own {
                    Binding::Implies => (own.tighter(), own),
                    Binding::Compare => (own.tighter(), own.tighter()),
                    _ => (own, own.tighter()),
                };
                write_operand(f, left, on_left)?;
                write!(f, " {} ", op.text())?;
                write_operand(f, right, on_right)
            }
        }
    }
}
