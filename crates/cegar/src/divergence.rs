//! Divergence: refinement that finds `x == 0`, `x == 1`, `x == 2` and would never end.
//!
//! Predicates that differ only in constants are a family. When one grows, its variables are given
//! relations instead: to the other variables around them, and the bounds that guards compare them with.
//! If that does not stop it from growing, refinement gives up.

use std::collections::BTreeSet;

use hardbop_alias::Alias;
use hardbop_ir::{BinaryOp, ExprId, ExprKind, ProcId, Program, Statement, Type, VarId, VarKind, visit};
use hardbop_path::scoped;
use hardbop_predicate::variables;
use hardbop_predicate::{Predicate, Scope, show};
use rustc_hash::{FxHashMap, FxHashSet};

/// A family of this size is reason to look at what its members have in common.
const COMPARED_FROM: usize = 3;

/// A family of this size is answered by relations.
const RELATED_FROM: usize = 5;

/// A family of this size will not end.
const ENDLESS_FROM: usize = 60;

/// Variables that are related to each other at once.
const MAX_VARIABLES: usize = 5;

/// What grows.
#[derive(Default)]
pub(crate) struct Watch {
    /// Constants of the program itself: what is compared with these ends by itself.
    constants: FxHashSet<i128>,
    families: FxHashMap<(Scope, String), Vec<Predicate>>,
    noticed: FxHashSet<(Scope, String)>,
    answered: FxHashSet<(Scope, String)>,
}

impl Watch {
    /// Nothing has grown yet.
    pub(crate) fn new(program: &Program) -> Self {
        let mut constants = FxHashSet::default();
        for edge in program.procedures.values().flat_map(|p| p.edges.values()) {
            match edge.statement {
                Statement::Assume(expr) | Statement::Assign(_, expr) => {
                    collect(program, expr, &mut constants)
                }
                _ => {}
            }
        }
        Watch { constants, ..Watch::default() }
    }

    /// Notes new predicates. Something if a family grows, with relations to track as well if it goes on
    /// doing so; `Err` with its form if it does not stop.
    pub(crate) fn note(
        &mut self,
        program: &Program,
        alias: &Alias,
        new: &[Predicate],
    ) -> Result<Option<Vec<Predicate>>, String> {
        let mut relations: Option<Vec<Predicate>> = None;
        for &predicate in new {
            let mut constants = FxHashSet::default();
            collect(program, predicate.expr, &mut constants);
            if constants.is_subset(&self.constants) {
                continue;
            }
            let family = (predicate.scope, without_constants(&show(program, predicate.expr)));
            let members = self.families.entry(family.clone()).or_default();
            members.push(predicate);
            if members.len() >= ENDLESS_FROM {
                return Err(family.1);
            }
            if members.len() >= COMPARED_FROM && self.noticed.insert(family.clone()) {
                relations.get_or_insert_default();
            }
            if members.len() >= RELATED_FROM && self.answered.insert(family) {
                relations.get_or_insert_default().extend(related(program, alias, predicate));
            }
        }
        Ok(relations)
    }
}

impl Watch {
    /// The members of growing families but for the first: what relations are to replace.
    pub(crate) fn replaced(&self) -> FxHashSet<Predicate> {
        let growing = self.families.values().filter(|members| members.len() > 2);
        growing.flat_map(|members| &members[1..]).copied().collect()
    }
}

/// The integer constants of an expression.
fn collect(program: &Program, expr: ExprId, constants: &mut FxHashSet<i128>) {
    match &program.expr(expr).kind {
        ExprKind::Int(value) => _ = constants.insert(*value),
        kind => visit::operator_parts(kind).for_each(|e| collect(program, e, constants)),
    }
}

/// The text of a predicate with all numbers alike.
fn without_constants(text: &str) -> String {
    let mut family = String::new();
    let mut in_number = false;
    let mut in_name = false;
    for c in text.chars() {
        let digit = c.is_ascii_digit() && !in_name;
        in_name = c.is_alphanumeric() && (in_name || !c.is_ascii_digit()) || c == '_' || c == '$';
        match digit {
            true if in_number => {}
            true => family.push('#'),
            false => family.push(c),
        }
        in_number = digit;
    }
    family
}

/// Relations between the variables of a predicate and those around them.
fn related(program: &Program, alias: &Alias, predicate: Predicate) -> Vec<Predicate> {
    let own: BTreeSet<VarId> = variables(program, predicate.expr).into_iter().collect();
    let mut found = Vec::new();
    for procedure in users(program, &own) {
        let (around, guards) = surroundings(program, alias, procedure, &own);
        let mut exprs = Vec::new();
        for (a, b) in guards {
            exprs.push(program.binary(BinaryOp::Le, a, b));
            exprs.push(program.binary(BinaryOp::Le, b, a));
        }
        let values: Vec<ExprId> = around.iter().map(|&var| program.var(var)).collect();
        for (i, &a) in values.iter().enumerate() {
            for &b in &values[..i] {
                if program.expr(a).ty != program.expr(b).ty {
                    continue;
                }
                exprs.push(program.binary(BinaryOp::Eq, a, b));
                exprs.push(program.binary(BinaryOp::Le, a, b));
                exprs.push(program.binary(BinaryOp::Le, b, a));
                let sum = program.binary(BinaryOp::Add, a, b);
                let others = values.iter().filter(|&&c| c != a && c != b);
                let same: Vec<ExprId> =
                    others.copied().filter(|&c| program.expr(c).ty == program.expr(a).ty).collect();
                exprs.extend(same.into_iter().map(|c| program.binary(BinaryOp::Eq, sum, c)));
            }
        }
        found.extend(exprs.into_iter().filter_map(|expr| scoped(program, alias, procedure, expr)));
    }
    found
}

/// The procedures whose statements mention some variable.
fn users(program: &Program, wanted: &BTreeSet<VarId>) -> Vec<ProcId> {
    let mentions = |statement: &Statement| match *statement {
        Statement::Assume(expr) | Statement::Assign(_, expr) => {
            variables(program, expr).iter().any(|var| wanted.contains(var))
        }
        _ => false,
    };
    let procedures = program.procedures.iter();
    procedures
        .filter(|(_, p)| p.edges.values().any(|e| mentions(&e.statement)))
        .map(|(id, _)| id)
        .take(3)
        .collect()
}

/// The integer variables that a procedure computes with, those wanted first, and what its guards compare.
fn surroundings(
    program: &Program,
    alias: &Alias,
    procedure: ProcId,
    wanted: &BTreeSet<VarId>,
) -> (Vec<VarId>, Vec<(ExprId, ExprId)>) {
    let mut around: Vec<VarId> = wanted.iter().copied().collect();
    let mut guards = Vec::new();
    for edge in program.procedures[procedure].edges.values() {
        let (Statement::Assume(expr) | Statement::Assign(_, expr)) = edge.statement else { continue };
        let mentioned = variables(program, expr);
        if let Statement::Assume(_) = edge.statement
            && mentioned.iter().any(|var| wanted.contains(var))
            && mentioned.iter().all(|&var| program.variables[var].kind != VarKind::Temp)
            && let ExprKind::Binary(op, a, b) = program.expr(expr).kind
            && matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le)
            && !guards.contains(&(a, b))
            && !guards.contains(&(b, a))
        {
            guards.push((a, b));
        }
        around.extend(mentioned);
    }
    let mut seen = FxHashSet::default();
    around.retain(|&var| {
        let v = &program.variables[var];
        let number = matches!(program.ty(v.ty), Type::Machine { .. } | Type::Integer);
        number && v.kind != VarKind::Temp && !alias.in_memory(var) && seen.insert(var)
    });
    around.truncate(MAX_VARIABLES);
    guards.retain(|&(a, _)| matches!(program.ty(program.expr(a).ty), Type::Machine { .. } | Type::Integer));
    guards.truncate(2 * MAX_VARIABLES);
    (around, guards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::{Budget, DataModel, Sources};

    #[test]
    fn predicates_that_differ_in_constants_are_a_family() {
        assert_eq!(without_constants("x1 == 10"), "x1 == #");
        assert_eq!(without_constants("i + 2 >= n"), without_constants("i + 17 >= n"));
        assert_ne!(without_constants("x1 == 1"), without_constants("x2 == 1"));
    }

    #[test]
    fn a_growing_family_gets_relations_and_is_given_up_in_the_end() {
        let text = "extern int nondet(void); int main(void) { int n = nondet(), x = 0, y = n;
            while (x < n) { x = x + 1; y = y - 1; } return x + y; }";
        let mut sources = Sources::new();
        let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
        let unit = hardbop_syntax::parse_bytes(&mut sources, "t.c", text.as_bytes(), &options).1.unwrap().0;
        let program =
            hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default()).unwrap();
        let alias = Alias::of(&program, &Budget::unlimited()).unwrap();
        let named =
            |program: &Program, name: &str| program.variables.iter().find(|(_, v)| v.name == name).unwrap().0;
        let x = named(&program, "x");
        let (main, _) = program.procedures.iter().find(|(_, p)| p.name == "main").unwrap();
        let mut watch = Watch::new(&program);
        let mut relations = Vec::new();
        for constant in 0..i128::from(u8::MAX) {
            let value = program.var(x);
            let constant = program.int(constant, program.variables[x].ty);
            let expr = program.binary(BinaryOp::Eq, value, constant);
            let new = [Predicate { scope: Scope::Procedure(main), expr }];
            match watch.note(&program, &alias, &new) {
                Ok(found) => relations.extend(found.into_iter().flatten()),
                Err(form) => {
                    let texts: Vec<String> = relations.iter().map(|p| show(&program, p.expr)).collect();
                    assert_eq!(form, "x == #");
                    for wanted in ["n < x", "n == y + x"] {
                        assert!(texts.iter().any(|text| text == wanted), "{wanted} is not in {texts:?}");
                    }
                    assert!(watch.replaced().len() >= ENDLESS_FROM - 1);
                    return;
                }
            }
        }
        panic!("refinement goes on for ever");
    }
}
