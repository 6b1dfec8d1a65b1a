//! Expressions, by precedence climbing: `=>` binds loosest and groups to the right; then `||`, `&&`,
//! comparisons (which do not group), `+ -`, `* / mod`, and `- ! *` in front of an operand.

use super::{MAX_NESTING, Parse, Parser};
use crate::ast::{BinaryOp, Binding, Expr, ExprKind, UnaryOp};
use crate::lexer::{Tok, Word};

/// An expression and the height of its tree.
type ExprWithHeight = (Expr, usize);

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.operation(Binding::Implies).map(|(expr, _)| expr)
    }

    pub(super) fn exprs(&mut self) -> Parse<Vec<Expr>> {
        let mut exprs = vec![self.expr()?];
        while self.eat(Tok::Comma) {
            exprs.push(self.expr()?);
        }
        Ok(exprs)
    }

    /// Operands and operators that bind at least as tightly as `least`.
    fn operation(&mut self, least: Binding) -> Parse<ExprWithHeight> {
        let (mut left, mut height) = self.unary()?;
        while let Some(op) = self.operator() {
            let binding = op.binding();
            if binding < least {
                break;
            }
            if binding == Binding::Compare && is_comparison(&left) && self.directly_behind(&left) {
                return Err(self.error_here("comparisons do not chain; use `&&` or parentheses"));
            }
            self.advance();
            let right = match binding {
                Binding::Implies => binding,
                _ => binding.tighter(),
            };
            let (right, right_height) = self.nested(|p| p.operation(right))?;
            height = 1 + height.max(right_height);
            if height > MAX_NESTING {
                return Err(self.too_deep());
            }
            let span = left.span.to(right.span);
            left = Expr { span, ..Expr::binary(op, left, right) };
        }
        Ok((left, height))
    }

    /// Whether an expression ends just before the current token, so that it has no parentheses.
    fn directly_behind(&self, expr: &Expr) -> bool {
        let before = self.span_before();
        (expr.span.end_line, expr.span.end_column) == (before.end_line, before.end_column)
    }

    fn operator(&self) -> Option<BinaryOp> {
        Some(match self.peek() {
            Tok::Implies => BinaryOp::Implies,
            Tok::Or => BinaryOp::Or,
            Tok::And => BinaryOp::And,
            Tok::Eq => BinaryOp::Eq,
            Tok::Ne => BinaryOp::Ne,
            Tok::Lt => BinaryOp::Lt,
            Tok::Le => BinaryOp::Le,
            Tok::Gt => BinaryOp::Gt,
            Tok::Ge => BinaryOp::Ge,
            Tok::Plus => BinaryOp::Add,
            Tok::Minus => BinaryOp::Sub,
            Tok::Star if !self.at_assignment() => BinaryOp::Mul,
            Tok::Slash => BinaryOp::Div,
            Tok::Percent | Tok::Word(Word::Mod) => BinaryOp::Mod,
            _ => return None,
        })
    }

    /// Whether the targets of an assignment start here. A `*` behind a condition would otherwise be
    /// a product: `if (b) *f := 1`.
    fn at_assignment(&self) -> bool {
        let mut at = 0;
        loop {
            at += usize::from(self.peek_at(at) == Tok::Star);
            if self.peek_at(at) != Tok::Ident {
                return false;
            }
            match self.peek_at(at + 1) {
                Tok::Assign => return true,
                Tok::Comma => at += 2,
                _ => return false,
            }
        }
    }

    fn unary(&mut self) -> Parse<ExprWithHeight> {
        let start = self.here();
        let op = match self.peek() {
            Tok::Minus => UnaryOp::Neg,
            Tok::Not => UnaryOp::Not,
            Tok::LParen => {
                self.advance();
                let inner = self.nested(|p| p.operation(Binding::Implies))?;
                self.expect(Tok::RParen)?;
                return Ok(inner);
            }
            _ => {
                let kind = self.primary()?;
                return Ok((Expr { kind, span: start.to(self.span_before()) }, 1));
            }
        };
        self.advance();
        let (operand, height) = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        Ok((Expr { span, ..Expr::unary(op, operand) }, height + 1))
    }

    fn primary(&mut self) -> Parse<ExprKind> {
        let kind = match self.peek() {
            Tok::Question => ExprKind::Any,
            Tok::Word(Word::True | Word::T) => ExprKind::Bool(true),
            Tok::Word(Word::False | Word::F) => ExprKind::Bool(false),
            Tok::Number => return self.number(),
            Tok::Star => {
                self.advance();
                return Ok(ExprKind::Deref(self.name("the name of a reference")?.text));
            }
            Tok::Ident if self.peek_at(1) == Tok::LParen => {
                return Err(self.error_here("a call is a statement of its own: `x := f(…)`"));
            }
            Tok::Ident => ExprKind::Name(self.token_text().into_owned()),
            _ => return Err(self.unexpected("an expression")),
        };
        self.advance();
        Ok(kind)
    }

    fn number(&mut self) -> Parse<ExprKind> {
        let Ok(value) = self.token_text().parse::<i128>() else {
            return Err(self.error_here("numbers are written up to 2^127 - 1"));
        };
        self.advance();
        Ok(ExprKind::Int(value))
    }
}

fn is_comparison(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Binary(op, ..) if op.binding() == Binding::Compare)
}
