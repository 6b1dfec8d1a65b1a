//! Which boolean variables a procedure has, and what passes between it and its callers.
//!
//! A predicate of a procedure that mentions no local variable has a value at entry that the caller
//! knows, so it becomes a formal parameter. One that mentions at most formals, the result, globals
//! and memory has a meaning for the caller at exit, so it is returned. Formals are never assigned,
//! so a formal still means what the caller passed. (`000…` §4.5; the signatures of "Automatic
//! predicate abstraction of C programs", PLDI 2001.)

use hardbop_alias::Alias;
use hardbop_ir::{ExprId, PlaceBase, ProcId, Program, VarKind, visit};
use hardbop_predicate::{Predicate, Printer, Scope, variables};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::abstractor::effective_entry;

/// The predicates of a program by their roles. Numbers are positions in the list of predicates.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    /// Predicates of the whole program.
    pub(crate) globals: Vec<usize>,
    procedures: FxHashMap<ProcId, Signature>,
    /// The name of each predicate's boolean variable, without braces.
    pub(crate) names: Vec<String>,
    empty: Signature,
}

/// The predicates of a procedure by their roles.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    /// All of them.
    pub(crate) own: Vec<usize>,
    /// Those that the caller passes.
    pub(crate) entry: Vec<usize>,
    /// Those that are returned.
    pub(crate) results: Vec<usize>,
}

impl Signatures {
    pub(crate) fn new(program: &Program, alias: &Alias, predicates: &[Predicate]) -> Self {
        let mut signatures = Signatures { names: names(program, predicates), ..Signatures::default() };
        let entry = effective_entry(program, alias);
        for (i, predicate) in predicates.iter().enumerate() {
            match predicate.scope {
                Scope::Global => signatures.globals.push(i),
                Scope::Procedure(procedure) => {
                    let roles = roles(program, alias, predicate.expr);
                    let signature = signatures.procedures.entry(procedure).or_default();
                    signature.own.push(i);
                    // The first procedure has no caller, so it has no parameters.
                    if !roles.local && !roles.result && entry != Some(procedure) {
                        signature.entry.push(i);
                    }
                    let settled =
                        !roles.result && !roles.global && !mentions_memory(program, alias, predicate.expr);
                    if !roles.local && !settled {
                        signature.results.push(i);
                    }
                }
            }
        }
        signatures
    }

    pub(crate) fn of(&self, procedure: ProcId) -> &Signature {
        self.procedures.get(&procedure).unwrap_or(&self.empty)
    }
}

/// A name for each predicate: its text, and a number if another predicate that is seen at the same places
/// has that text too. Global ones come first, since all procedures see them.
fn names(program: &Program, predicates: &[Predicate]) -> Vec<String> {
    let mut taken: FxHashSet<(Option<ProcId>, String)> = FxHashSet::default();
    let mut names = vec![String::new(); predicates.len()];
    let mut order: Vec<usize> = (0..predicates.len()).collect();
    order.sort_by_key(|&i| predicates[i].scope);
    let mut printer = Printer::new(program);
    for i in order {
        let owner = predicates[i].scope.procedure();
        // Programs in text form may name things in any way.
        let plain = |c: char| if c.is_control() || matches!(c, '{' | '}') { '_' } else { c };
        let text: String = printer.show_in_its_scope(predicates[i].expr).chars().map(plain).collect();
        let (mut name, mut number) = (text.clone(), 2);
        while taken.contains(&(owner, name.clone())) || taken.contains(&(None, name.clone())) {
            name = format!("{text} #{number}");
            number += 1;
        }
        taken.insert((owner, name.clone()));
        names[i] = name;
    }
    names
}

/// Which kinds of variables an expression mentions.
#[derive(Debug, Default, Clone, Copy)]
struct Roles {
    local: bool,
    result: bool,
    global: bool,
}

fn roles(program: &Program, alias: &Alias, expr: ExprId) -> Roles {
    let mut roles = Roles::default();
    for var in variables(program, expr) {
        if alias.is_shared(program, var) {
            roles.global = true;
            continue;
        }
        match program.variables[var].kind {
            VarKind::Global | VarKind::Static | VarKind::Formal => {}
            VarKind::Local | VarKind::Temp => roles.local = true,
            VarKind::Result => roles.result = true,
        }
    }
    roles
}

fn mentions_memory(program: &Program, alias: &Alias, expr: ExprId) -> bool {
    let mut found = false;
    visit::places(program, expr, &mut |place| {
        found |= match program.place(place).base {
            PlaceBase::Var(var) => alias.in_memory(var),
            PlaceBase::Deref(_) => true,
        };
    });
    found
}
