//! Single expressions of a program that is there already, for languages that embed them.
//!
//! They stand in one pair of parentheses, so that the reader of the text around them knows where they
//! end. Names are those of the program.

use std::borrow::Cow;

use hardbop_base::{Diagnostics, FileId};
use rustc_hash::FxHashMap;

use super::Expect;
use super::parse::{Names, Parser};
use super::print::{field_names, global_names};
use super::print_expr::Printer;
use crate::{ExprId, ExprKind, ProcId, Program, VarId, Variable};

/// An expression in parentheses, exactly; [`parse_group`] reads it back to the same one. The procedure
/// is the one whose variables may occur.
pub fn print_group(program: &Program, procedure: Option<ProcId>, expr: ExprId) -> String {
    let mut printer = Printer::new(program, true);
    printer.field_names = field_names(program);
    if let Some(procedure) = procedure.and_then(|id| program.procedures.get(id)) {
        printer.hide_globals(procedure, &global_names(program));
    }
    let own =
        program.exprs().get(expr).is_some_and(|e| matches!(e.kind, ExprKind::Binary(..) | ExprKind::If(..)));
    printer.push(if own { "" } else { "(" });
    printer.expr(expr, Expect::DEFAULT);
    printer.push(if own { "" } else { ")" });
    printer.out
}

/// Reads an expression in parentheses that starts at byte `at` of a text, with the names of the
/// program and of one of its procedures; also gives where the next token starts. The types of
/// operands are not checked: see [`verify_exprs`](crate::verify_exprs).
pub fn parse_group(
    program: &Program,
    procedure: Option<ProcId>,
    file: FileId,
    text: &str,
    at: u32,
) -> Result<(ExprId, u32), Diagnostics> {
    let mut parser = Parser::new(file, text);
    parser.go_to(at);
    parser.program = Cow::Borrowed(program);
    parser.know_names(procedure);
    let group = parser.group();
    let end = parser.token.start;
    group.map(|expr| (expr, end)).map_err(|_| parser.cursor.finish())
}

impl Parser<'_> {
    /// Fills the tables of names from the program.
    fn know_names(&mut self, procedure: Option<ProcId>) {
        let p = &self.program;
        self.records = p.records.iter().map(|(id, r)| (Cow::Owned(r.name.clone()), id)).collect();
        self.procedures = p.procedures.iter().map(|(id, f)| (Cow::Owned(f.name.clone()), id)).collect();
        self.globals = variable_names(p, &p.globals);
        if let Some(f) = procedure.and_then(|id| p.procedures.get(id)) {
            let own: Vec<VarId> = f.formals.iter().chain(&f.locals).chain(&f.result).copied().collect();
            self.locals = variable_names(p, &own);
        }
        self.fields = p
            .records
            .values()
            .map(|record| {
                let mut fields = FxHashMap::default();
                for (index, field) in (0u32..).zip(&record.fields) {
                    fields.entry(Cow::Owned(field.name.clone())).or_insert(index);
                }
                fields
            })
            .collect();
    }
}

fn variable_names<'t>(program: &Program, variables: &[VarId]) -> Names<'t, Variable> {
    let known = |&id: &VarId| program.variables.get(id).map(|v| (Cow::Owned(v.name.clone()), id));
    variables.iter().filter_map(known).collect()
}
