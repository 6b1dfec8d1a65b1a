//! Expressions: `&` binds tightest, then `|`, then `^`, then `=`, `!=` and `=>`, which group to the
//! right. These are the precedences of the tools whose programs we read, not those of C.

use super::{Parse, Parser};
use crate::ast::{BinaryOp, ChainOp, Expr, ExprKind};
use crate::lexer::{Tok, Word};

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        let left = self.chain(ChainOp::Xor)?;
        let op = match self.peek() {
            Tok::Eq => BinaryOp::Eq,
            Tok::Ne => BinaryOp::Ne,
            Tok::Implies => BinaryOp::Implies,
            _ => return Ok(left),
        };
        self.advance();
        let right = self.nested(Self::expr)?;
        let span = left.span.to(right.span);
        Ok(Expr { span, ..Expr::binary(op, left, right) })
    }

    pub(super) fn exprs(&mut self) -> Parse<Vec<Expr>> {
        let mut exprs = vec![self.expr()?];
        while self.eat(Tok::Comma) {
            exprs.push(self.expr()?);
        }
        Ok(exprs)
    }

    fn chain(&mut self, op: ChainOp) -> Parse<Expr> {
        let tok = match op {
            ChainOp::And => Tok::And,
            ChainOp::Or => Tok::Or,
            ChainOp::Xor => Tok::Xor,
        };
        let first = self.chain_operand(op)?;
        if self.peek() != tok {
            return Ok(first);
        }
        let mut span = first.span;
        let mut operands = vec![first];
        while self.eat(tok) {
            let operand = self.chain_operand(op)?;
            span = span.to(operand.span);
            operands.push(operand);
        }
        Ok(Expr { span, ..Expr::chain(op, operands) })
    }

    /// What binds tighter than the operator.
    fn chain_operand(&mut self, op: ChainOp) -> Parse<Expr> {
        match op {
            ChainOp::And => self.unary(),
            ChainOp::Or => self.chain(ChainOp::And),
            ChainOp::Xor => self.chain(ChainOp::Or),
        }
    }

    fn unary(&mut self) -> Parse<Expr> {
        let start = self.here();
        let tok = self.peek();
        let kind = match tok {
            Tok::Not => {
                self.advance();
                ExprKind::Not(Box::new(self.nested(Self::unary)?))
            }
            Tok::LParen => {
                self.advance();
                let inner = self.nested(Self::expr)?;
                self.expect(Tok::RParen)?;
                return Ok(inner);
            }
            Tok::Word(Word::Schoose) => {
                self.advance();
                self.nested(Self::schoose_operands)?
            }
            Tok::Tick => {
                self.advance();
                ExprKind::Next(self.name("a variable's name after `'`")?)
            }
            Tok::Ident | Tok::Quoted => ExprKind::Var(self.name("a variable's name")?),
            Tok::Star | Tok::Number | Tok::Word(Word::T | Word::F | Word::True | Word::False) => {
                self.constant()?
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span: start.to(self.span_before()) })
    }

    fn constant(&mut self) -> Parse<ExprKind> {
        let kind = match self.peek() {
            Tok::Star => ExprKind::Choice,
            Tok::Word(Word::T | Word::True) => ExprKind::Const(true),
            Tok::Word(Word::F | Word::False) => ExprKind::Const(false),
            _ => match self.written() {
                b"1" => ExprKind::Const(true),
                b"0" => ExprKind::Const(false),
                _ => return Err(self.unexpected("`0` or `1`")),
            },
        };
        self.advance();
        Ok(kind)
    }

    /// `[yes, no]`
    fn schoose_operands(&mut self) -> Parse<ExprKind> {
        self.expect(Tok::LBracket)?;
        let yes = self.expr()?;
        self.expect(Tok::Comma)?;
        let no = self.expr()?;
        self.expect(Tok::RBracket)?;
        Ok(ExprKind::Schoose(Box::new(yes), Box::new(no)))
    }
}
