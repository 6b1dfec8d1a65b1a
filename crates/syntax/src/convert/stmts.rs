//! Statements.

use rucc_sema::Stmt;

use super::Converter;
use crate::ast::{self, StmtKind};

impl Converter<'_> {
    pub(super) fn stmt(&mut self, id: rucc_sema::StmtId) -> ast::Stmt {
        let span = self.span(self.tast.stmt_span(id));
        let kind = self.stmt_kind(self.tast[id]);
        // An operand without a number was not reached, which the walk rules out.
        let kind =
            kind.unwrap_or_else(|| StmtKind::Unsupported("a statement the front end gave up on".into()));
        ast::Stmt { kind, span }
    }

    fn stmt_kind(&mut self, stmt: Stmt) -> Option<StmtKind> {
        Some(match stmt {
            Stmt::Error => return None,
            Stmt::Empty => StmtKind::Empty,
            Stmt::Expr(value) => StmtKind::Expr(self.operand(value)?),
            Stmt::Block(body) => {
                StmtKind::Block(self.tast[body].iter().map(|&s| self.stmts.get(s)).collect::<Option<_>>()?)
            }
            Stmt::Decls(decls) => self.decls_stmt(decls)?,
            Stmt::If { cond, then, otherwise } => StmtKind::If {
                condition: self.operand(cond)?,
                then: self.stmts.get(then)?,
                otherwise: self.optional_stmt(otherwise)?,
            },
            Stmt::While { cond, body } => {
                StmtKind::While { condition: self.operand(cond)?, body: self.stmts.get(body)? }
            }
            Stmt::DoWhile { body, cond } => {
                StmtKind::DoWhile { body: self.stmts.get(body)?, condition: self.operand(cond)? }
            }
            Stmt::For { init, cond, step, body } => StmtKind::For {
                init: self.optional_stmt(init)?,
                condition: self.optional_expr(cond)?,
                step: self.optional_expr(step)?,
                body: self.stmts.get(body)?,
            },
            Stmt::Switch { cond, body, .. } => {
                StmtKind::Switch { value: self.switch_value(cond)?, body: self.stmts.get(body)? }
            }
            Stmt::Case { case, body } => {
                let case = self.tast[case];
                StmtKind::Case { low: case.low, high: case.high, body: self.stmts.get(body)? }
            }
            Stmt::Default { body } => StmtKind::Default(self.stmts.get(body)?),
            Stmt::Label { label, body } => StmtKind::Label(self.label(label), self.stmts.get(body)?),
            Stmt::Goto(label) => StmtKind::Goto(self.label(label)),
            Stmt::IndirectGoto(target) => StmtKind::ComputedGoto(self.operand(target)?),
            Stmt::Asm(asm) => StmtKind::Asm(self.asm(asm)?),
            Stmt::Break => StmtKind::Break,
            Stmt::Continue => StmtKind::Continue,
            Stmt::Return(value) => StmtKind::Return(self.optional_expr(value)?),
        })
    }

    /// The value of a switch, in the type that its case labels were converted to.
    fn switch_value(&mut self, cond: rucc_sema::ExprId) -> Option<ast::ExprId> {
        let (value, ty) = (self.operand(cond)?, self.value_ty(self.tast[cond].ty));
        let expr = &self.unit.exprs[value];
        if expr.ty == ty {
            return Some(value);
        }
        let span = expr.span;
        Some(self.unit.exprs.push(ast::Expr { kind: ast::ExprKind::Cast(value), ty, span }))
    }

    fn decls_stmt(&mut self, decls: rucc_sema::DeclList) -> Option<StmtKind> {
        // A function declared in a block and defined at file scope has linkage.
        let nested = |d: &rucc_sema::Decl| d.body.is_some() && d.linkage == rucc_sema::Linkage::None;
        if self.tast[decls].iter().any(|&d| nested(&self.tast[d])) {
            return Some(StmtKind::Unsupported("a function nested in a function".into()));
        }
        Some(StmtKind::Decls(self.tast[decls].iter().map(|&d| self.decls.get(d)).collect::<Option<_>>()?))
    }

    /// `Some(None)` if there is none, `None` if it was not reached.
    fn optional_stmt(&self, stmt: Option<rucc_sema::StmtId>) -> Option<Option<ast::StmtId>> {
        match stmt {
            Some(stmt) => self.stmts.get(stmt).map(Some),
            None => Some(None),
        }
    }

    fn optional_expr(&mut self, expr: Option<rucc_sema::ExprId>) -> Option<Option<ast::ExprId>> {
        match expr {
            Some(expr) => self.operand(expr).map(Some),
            None => Some(None),
        }
    }

    fn asm(&mut self, id: rucc_sema::AsmId) -> Option<ast::Asm> {
        let asm = self.tast[id];
        let mut outputs = Vec::new();
        for operand in &self.tast[asm.outputs] {
            let reads = self.string(operand.constraint).contains('+');
            outputs.push((self.operand(operand.value)?, reads));
        }
        let mut inputs = Vec::new();
        for operand in &self.tast[asm.inputs] {
            // What is no object was accepted as gcc does, which puts it into one.
            let object = self.tast[operand.value].category == rucc_sema::Category::Lvalue;
            inputs.push((self.operand(operand.value)?, operand.memory && object));
        }
        Some(ast::Asm {
            template: self.string(asm.template),
            outputs,
            inputs,
            clobbers_memory: self.tast[asm.clobbers].iter().any(|&c| self.string(c) == "memory"),
            labels: self.tast[asm.labels].iter().map(|&l| self.label(l)).collect(),
        })
    }

    /// The characters of a string literal that is not a value of the program.
    pub(super) fn string(&self, id: rucc_sema::StrId) -> String {
        let elements = &self.tast[id].elements;
        let bytes: Vec<u8> = elements.iter().map(|&e| u8::try_from(e).unwrap_or(b'?')).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
