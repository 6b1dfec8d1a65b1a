//! Types of expressions. They are known from the outside in: `?` has the type that is needed.

use hardbop_base::Span;

use super::{Checker, Entity};
use crate::ast::{self, BinaryOp, UnaryOp};
use crate::typed::{Arithmetic, Compare, Constant, Expr, ExprKind, Logical, Ty, VarId, VarKind};

/// What a name stands for in an expression.
enum Meaning {
    Variable(VarId),
    Reference(VarId),
    Value(Ty, i128),
}

impl Checker<'_> {
    /// An expression of a type; nothing if something is wrong with it, which is then reported.
    pub(super) fn expr(&mut self, source: &ast::Expr, wanted: Ty) -> Option<Expr> {
        let span = source.span;
        let (kind, ty) = match &source.kind {
            ast::ExprKind::Int(value) => (ExprKind::Constant(Constant::Int(*value)), Ty::Int),
            ast::ExprKind::Bool(value) => (ExprKind::Constant(Constant::Bool(*value)), Ty::Bool),
            ast::ExprKind::Any => (ExprKind::Any, wanted),
            ast::ExprKind::Name(name) => match self.meaning(name, span)? {
                Meaning::Variable(var) => (ExprKind::Variable(var), self.program.variables[var].ty),
                Meaning::Value(ty, value) => (ExprKind::Constant(Constant::Int(value)), ty),
                Meaning::Reference(_) => {
                    self.error(span, format!("`{name}` is a reference; `*{name}` is what it refers to"));
                    return None;
                }
            },
            ast::ExprKind::Deref(name) => {
                let var = self.reference(name, span)?;
                (ExprKind::Behind(var), self.program.variables[var].ty)
            }
            ast::ExprKind::Unary(UnaryOp::Neg, operand) => {
                (ExprKind::Negate(Box::new(self.expr(operand, Ty::Int)?)), Ty::Int)
            }
            ast::ExprKind::Unary(UnaryOp::Not, operand) => {
                (ExprKind::Not(Box::new(self.expr(operand, Ty::Bool)?)), Ty::Bool)
            }
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span)?,
        };
        if ty != wanted {
            let (wanted, found) = (self.show(wanted), self.show(ty));
            self.error(span, format!("expected a value of type `{wanted}`, found one of type `{found}`"));
            return None;
        }
        Some(Expr { kind, ty, span })
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Option<(ExprKind, Ty)> {
        let arithmetic = match op {
            BinaryOp::Add => Some(Arithmetic::Add),
            BinaryOp::Sub => Some(Arithmetic::Sub),
            BinaryOp::Mul => Some(Arithmetic::Mul),
            BinaryOp::Div => Some(Arithmetic::Div),
            BinaryOp::Mod => Some(Arithmetic::Mod),
            _ => None,
        };
        if let Some(op) = arithmetic {
            let (left, right) = self.operands(left, right, Ty::Int)?;
            return Some((ExprKind::Arithmetic(op, left, right), Ty::Int));
        }
        let logical = match op {
            BinaryOp::And => Some(Logical::And),
            BinaryOp::Or => Some(Logical::Or),
            BinaryOp::Implies => Some(Logical::Implies),
            _ => None,
        };
        if let Some(op) = logical {
            let (left, right) = self.operands(left, right, Ty::Bool)?;
            return Some((ExprKind::Logical(op, left, right), Ty::Bool));
        }
        let compare = match op {
            BinaryOp::Eq => Compare::Eq,
            BinaryOp::Ne => Compare::Ne,
            BinaryOp::Lt => Compare::Lt,
            BinaryOp::Le => Compare::Le,
            BinaryOp::Gt => Compare::Gt,
            _ => Compare::Ge,
        };
        self.comparison(compare, left, right, span).map(|kind| (kind, Ty::Bool))
    }

    /// Both operands, so that errors in the second are found even if the first has one.
    fn operands(&mut self, left: &ast::Expr, right: &ast::Expr, ty: Ty) -> Option<(Box<Expr>, Box<Expr>)> {
        let (left, right) = (self.expr(left, ty), self.expr(right, ty));
        Some((Box::new(left?), Box::new(right?)))
    }

    fn comparison(
        &mut self,
        op: Compare,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Option<ExprKind> {
        let equality = matches!(op, Compare::Eq | Compare::Ne);
        if let (true, Some(a), Some(b)) = (equality, self.as_reference(left), self.as_reference(right)) {
            return self.same(op, a, b, span);
        }
        let known =
            if equality { self.evident_type(left).or_else(|| self.evident_type(right)) } else { None };
        let ty = match known {
            Some(ty) => ty,
            None if equality
                && matches!((&left.kind, &right.kind), (ast::ExprKind::Any, ast::ExprKind::Any)) =>
            {
                self.error(span, "nothing says of which type these `?` are");
                return None;
            }
            None => Ty::Int,
        };
        let (left, right) = self.operands(left, right, ty)?;
        Some(ExprKind::Compare(op, left, right))
    }

    fn same(&mut self, op: Compare, a: VarId, b: VarId, span: Span) -> Option<ExprKind> {
        let (first, second) = (self.program.variables[a].ty, self.program.variables[b].ty);
        if first != second {
            self.error(span, "references to different types are never equal");
            return None;
        }
        let same = ExprKind::Same(a, b);
        if op == Compare::Eq {
            return Some(same);
        }
        Some(ExprKind::Not(Box::new(Expr { kind: same, ty: Ty::Bool, span })))
    }

    /// The type of an expression, if one can tell without looking at its surroundings.
    fn evident_type(&self, source: &ast::Expr) -> Option<Ty> {
        match &source.kind {
            ast::ExprKind::Any => None,
            ast::ExprKind::Int(_) | ast::ExprKind::Unary(UnaryOp::Neg, _) => Some(Ty::Int),
            ast::ExprKind::Bool(_) | ast::ExprKind::Unary(UnaryOp::Not, _) => Some(Ty::Bool),
            ast::ExprKind::Binary(op, ..) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                    Some(Ty::Int)
                }
                _ => Some(Ty::Bool),
            },
            ast::ExprKind::Name(name) | ast::ExprKind::Deref(name) => match self.known(name)? {
                Meaning::Variable(var) | Meaning::Reference(var) => Some(self.program.variables[var].ty),
                Meaning::Value(ty, _) => Some(ty),
            },
        }
    }

    fn as_reference(&self, source: &ast::Expr) -> Option<VarId> {
        match &source.kind {
            ast::ExprKind::Name(name) => match self.known(name)? {
                Meaning::Reference(var) => Some(var),
                _ => None,
            },
            _ => None,
        }
    }

    fn known(&self, name: &str) -> Option<Meaning> {
        if let Some(&var) = self.visible.get(name) {
            return Some(match self.program.variables[var].kind {
                VarKind::Reference => Meaning::Reference(var),
                _ => Meaning::Variable(var),
            });
        }
        match self.names.get(name)?.0 {
            Entity::Global(var) => Some(Meaning::Variable(var)),
            Entity::Value(id, value) => Some(Meaning::Value(Ty::Enum(id), value)),
            Entity::Enum(_) | Entity::Procedure(_) => None,
        }
    }

    fn meaning(&mut self, name: &str, span: Span) -> Option<Meaning> {
        let known = self.known(name);
        if known.is_none() {
            self.not_a_variable(name, span);
        }
        known
    }

    fn not_a_variable(&mut self, name: &str, span: Span) {
        match (self.declared.get(name), self.names.get(name)) {
            (Some(_), _) => self.error(
                span,
                format!("`{name}` cannot be seen here, only in the block behind its declaration"),
            ),
            (_, Some(_)) => self.error(span, format!("`{name}` is not a variable")),
            _ => self.error(span, format!("`{name}` is not declared")),
        }
    }

    /// A variable that is no reference.
    pub(super) fn variable(&mut self, name: &str, span: Span) -> Option<VarId> {
        match self.meaning(name, span)? {
            Meaning::Variable(var) => Some(var),
            Meaning::Reference(_) => {
                self.error(span, format!("`{name}` is a reference; `*{name}` is what it refers to"));
                None
            }
            Meaning::Value(..) => {
                self.error(span, format!("`{name}` is a constant"));
                None
            }
        }
    }

    /// A formal that is a reference.
    pub(super) fn reference(&mut self, name: &str, span: Span) -> Option<VarId> {
        match self.meaning(name, span)? {
            Meaning::Reference(var) => Some(var),
            _ => {
                self.error(
                    span,
                    format!("`{name}` is not a reference: `*` is for `ref` and `out` parameters"),
                );
                None
            }
        }
    }

    /// A variable or a reference that is passed on: whether it is a reference, and which.
    pub(super) fn passed(&mut self, source: &ast::Expr) -> Option<(bool, VarId)> {
        if let ast::ExprKind::Name(name) = &source.kind {
            match self.meaning(name, source.span)? {
                Meaning::Variable(var) => return Some((false, var)),
                Meaning::Reference(var) => return Some((true, var)),
                Meaning::Value(..) => {}
            }
        }
        self.error(source.span, "only a variable or a reference can be passed by reference");
        None
    }
}
