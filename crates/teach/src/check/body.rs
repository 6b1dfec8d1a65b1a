//! Statements.

use hardbop_base::{Diagnostic, Span};
use rustc_hash::FxHashSet;

use super::{Checker, Entity, count};
use crate::ast::{self, Mode};
use crate::lexer::is_label;
use crate::typed::{Argument, Call, Expr, ProcId, Stmt, StmtKind, Target, Ty, VarKind};

impl<'a> Checker<'a> {
    /// The statements of a block; what they declare ends with it.
    pub(super) fn block(&mut self, statements: &'a [ast::Stmt]) -> Vec<Stmt> {
        let outer = self.scope.len();
        let checked = statements.iter().filter_map(|stmt| self.statement(stmt)).collect();
        for name in self.scope.drain(outer..) {
            self.visible.remove(name);
        }
        checked
    }

    fn statement(&mut self, source: &'a ast::Stmt) -> Option<Stmt> {
        for label in &source.labels {
            if !is_label(&label.text) {
                self.error(label.span, format!("`{}` is not a label", label.text.escape_debug()));
            }
            if let Some(first) = self.labels.insert(&label.text, label.span) {
                let message = format!("label `{label}` stands twice in this procedure");
                let error = Diagnostic::error(label.span, message);
                self.diagnostics.push(error.with_note(first, "the other one is here"));
            }
        }
        let kind = self.statement_kind(source)?;
        let labels = source.labels.iter().map(|label| label.text.clone()).collect();
        Some(Stmt { labels, kind, span: source.span })
    }

    fn statement_kind(&mut self, source: &'a ast::Stmt) -> Option<StmtKind> {
        Some(match &source.kind {
            ast::StmtKind::Skip => StmtKind::Skip,
            ast::StmtKind::Decl(decl) => self.local(decl, source.span)?,
            ast::StmtKind::Assign(targets, from) => self.assignment(targets, from, source.span)?,
            ast::StmtKind::Call(call) => StmtKind::Call(None, self.call(call)?.1),
            ast::StmtKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition, Ty::Bool);
                let then = self.block(then);
                let otherwise = self.block(otherwise.as_deref().unwrap_or_default());
                StmtKind::If(condition?, then, otherwise)
            }
            ast::StmtKind::While(condition, body) => {
                let condition = self.expr(condition, Ty::Bool);
                let body = self.block(body);
                StmtKind::While(condition?, body)
            }
            ast::StmtKind::DoWhile(body, condition) => {
                let body = self.block(body);
                StmtKind::DoWhile(body, self.expr(condition, Ty::Bool)?)
            }
            ast::StmtKind::Case(arms, otherwise) => self.case(arms, otherwise.as_deref()),
            ast::StmtKind::Choice(parts) => {
                StmtKind::Choice(parts.iter().map(|part| self.block(part)).collect())
            }
            ast::StmtKind::Assert(condition) => {
                StmtKind::Assert(self.expr(condition, Ty::Bool)?, condition.to_string())
            }
            ast::StmtKind::Assume(condition) => StmtKind::Assume(self.expr(condition, Ty::Bool)?),
            ast::StmtKind::Return(value) => self.return_(value.as_ref(), source.span)?,
        })
    }

    /// Guards are not evaluated one after the other, so each is checked even if one is wrong.
    fn case(&mut self, arms: &'a [ast::Arm], otherwise: Option<&'a [ast::Stmt]>) -> StmtKind {
        let mut checked = Vec::new();
        for arm in arms {
            let guard = self.expr(&arm.guard, Ty::Bool);
            let body = self.block(&arm.body);
            checked.extend(guard.map(|guard| (guard, body)));
        }
        StmtKind::Case(checked, otherwise.map(|body| self.block(body)))
    }

    /// A declaration of locals, which can be seen behind it.
    fn local(&mut self, decl: &'a ast::Decl, span: Span) -> Option<StmtKind> {
        let ty = self.ty(&decl.ty);
        let start = match (&decl.start, ty) {
            (None, _) => None,
            (Some(from), Some(ty)) => Some(self.source(from, &vec![Some(ty); decl.names.len()], span)),
            // The values cannot be checked, but they are not what is wrong.
            (Some(_), None) => Some(None),
        };
        let variables: Vec<_> = decl
            .names
            .iter()
            .map(|name| {
                let var = self.declare_own(name, ty.unwrap_or(Ty::Int), VarKind::Local);
                self.visible.insert(&name.text, var);
                self.scope.push(&name.text);
                self.locals.push(var);
                var
            })
            .collect();
        let Some(start) = start else { return Some(StmtKind::Declare(variables)) };
        Some(assign(variables.into_iter().map(Target::Variable).collect(), start?))
    }

    fn assignment(
        &mut self,
        targets: &'a [ast::Target],
        from: &'a ast::Source,
        span: Span,
    ) -> Option<StmtKind> {
        let checked: Vec<Option<(Target, Ty)>> = targets.iter().map(|target| self.target(target)).collect();
        let mut seen = FxHashSet::default();
        for target in targets {
            if !seen.insert((target.deref, target.name.text.as_str())) {
                self.error(target.name.span, format!("`{target}` is assigned twice"));
            }
        }
        let types: Vec<Option<Ty>> = checked.iter().map(|target| target.map(|(_, ty)| ty)).collect();
        let from = self.source(from, &types, span)?;
        let targets: Option<Vec<Target>> = checked.iter().map(|target| target.map(|(t, _)| t)).collect();
        Some(assign(targets?, from))
    }

    fn target(&mut self, target: &ast::Target) -> Option<(Target, Ty)> {
        let ast::Name { text, span } = &target.name;
        if target.deref {
            let var = self.reference(text, *span)?;
            return Some((Target::Behind(var), self.program.variables[var].ty));
        }
        let var = self.variable(text, *span)?;
        self.program.variables[var].changes = true;
        Some((Target::Variable(var), self.program.variables[var].ty))
    }

    /// What is assigned to targets of the given types.
    fn source(&mut self, from: &'a ast::Source, types: &[Option<Ty>], span: Span) -> Option<From> {
        match from {
            ast::Source::Values(values) => {
                if values.len() != types.len() {
                    let message =
                        format!("{} for {}", count(values.len(), "value"), count(types.len(), "variable"));
                    self.error(span, message);
                }
                let values: Vec<Option<Expr>> =
                    values.iter().zip(types).map(|(value, &ty)| self.expr(value, ty?)).collect();
                values.into_iter().collect::<Option<_>>().map(From::Values)
            }
            ast::Source::Call(source) => {
                let (result, call) = self.call(source)?;
                let [wanted] = types else {
                    self.error(source.span, "a call gives one value");
                    return None;
                };
                match (result, *wanted) {
                    (None, _) => {
                        self.error(source.span, format!("procedure `{}` has no result", source.callee));
                        None
                    }
                    (Some(result), Some(wanted)) if result != wanted => {
                        let (wanted, found) = (self.show(wanted), self.show(result));
                        let message =
                            format!("expected a value of type `{wanted}`, found one of type `{found}`");
                        self.error(source.span, message);
                        None
                    }
                    _ => Some(From::Call(call)),
                }
            }
        }
    }

    /// A call, and the type of its result.
    fn call(&mut self, source: &ast::Call) -> Option<(Option<Ty>, Call)> {
        let callee = self.callee(&source.callee)?;
        // A wrong header has been reported.
        let signature = self.signatures[callee.index()].as_ref()?;
        let (formals, result, declared) = (signature.formals.clone(), signature.result, signature.span);
        if formals.len() != source.arguments.len() {
            let message = format!(
                "procedure `{}` takes {}, not {}",
                source.callee,
                count(formals.len(), "argument"),
                source.arguments.len()
            );
            let error = Diagnostic::error(source.span, message);
            self.diagnostics.push(error.with_note(declared, "declared here"));
        }
        let arguments: Vec<Option<Argument>> = source
            .arguments
            .iter()
            .zip(&formals)
            .map(|(argument, &(mode, ty))| self.argument(argument, mode, ty))
            .collect();
        let arguments = arguments.into_iter().collect::<Option<_>>()?;
        Some((result, Call { callee, arguments }))
    }

    fn callee(&mut self, name: &ast::Name) -> Option<ProcId> {
        match self.names.get(name.text.as_str()) {
            Some(&(Entity::Procedure(id), _)) => Some(id),
            _ => {
                self.error(name.span, format!("there is no procedure `{name}`"));
                None
            }
        }
    }

    fn argument(&mut self, source: &ast::Expr, mode: Mode, ty: Ty) -> Option<Argument> {
        if mode == Mode::Value {
            return self.expr(source, ty).map(Argument::Value);
        }
        let (is_reference, var) = self.passed(source)?;
        let found = self.program.variables[var].ty;
        if found != ty {
            let (wanted, found) = (self.show(ty), self.show(found));
            self.error(
                source.span,
                format!("expected a variable of type `{wanted}`, found one of type `{found}`"),
            );
            return None;
        }
        if is_reference {
            return Some(Argument::Reference(var));
        }
        self.program.variables[var].changes = true;
        Some(Argument::Address(var))
    }

    fn return_(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        match (value, self.result) {
            (None, None) => Some(StmtKind::Return(None)),
            (Some(value), Some(ty)) => self.expr(value, ty).map(|value| StmtKind::Return(Some(value))),
            (Some(value), None) => {
                self.error(value.span, "this procedure has no result");
                None
            }
            (None, Some(ty)) => {
                let message = format!("this procedure returns a value of type `{}`", self.show(ty));
                self.error(span, message);
                None
            }
        }
    }
}

/// What is assigned.
enum From {
    Values(Vec<Expr>),
    Call(Call),
}

fn assign(targets: Vec<Target>, from: From) -> StmtKind {
    match from {
        From::Values(values) => StmtKind::Assign(targets.into_iter().zip(values).collect()),
        From::Call(call) => StmtKind::Call(targets.first().copied(), call),
    }
}
