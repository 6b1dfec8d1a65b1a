//! Prints predicates in C syntax such that reading them back gives the same expressions.
//!
//! The rules that the text is read by add conversions, fold constants and look through names, so whether
//! a text means an expression is not obvious from the expression. The printer does not try to know: for
//! each expression, parts first, it makes a few *forms* (see [`super::forms`]), the shortest first, asks
//! [`super::types`] what each would be read as, and keeps those that fit. The answers live in an overlay, so
//! the program itself stays as it is. What no form says is written in the text form of the program representation, `@( … )`.

use std::fmt::Write;

use hardbop_ir::{ExprId, ExprKind, PlaceBase, Procedure, Program, VarKind, verify_exprs, visit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::forms::Forms;
use super::scope::Names;
use super::{Predicate, Scope};

/// A predicate in C syntax, in the scope of the variables it mentions. The expression must be one that
/// the verifier accepts. For many of them, a [`Printer`] is faster.
pub fn show(program: &Program, expr: ExprId) -> String {
    Printer::new(program).show_in_its_scope(expr)
}

/// A file that [`parse_predicates`](super::parse_predicates) reads back to the same predicates: first
/// those of the whole program, then procedure by procedure, one predicate per line.
pub fn print_predicates(program: &Program, predicates: &[Predicate]) -> String {
    let mut printer = Printer::new(program);
    let mut sorted = predicates.to_vec();
    sorted.sort_by_key(|predicate| predicate.scope);
    let mut out = String::new();
    for section in sorted.chunk_by(|a, b| a.scope == b.scope) {
        let scope = section[0].scope;
        // Writing to a String cannot fail.
        let _ = match scope {
            Scope::Global => write!(out, "global:"),
            Scope::Procedure(id) => write!(out, "proc {}:", printer.names.spell_procedure(program, id)),
        };
        for (i, predicate) in section.iter().enumerate() {
            let _ =
                write!(out, "{}\n  {}", if i > 0 { "," } else { "" }, printer.show(scope, predicate.expr));
        }
        out.push_str(";\n");
    }
    out
}

/// Predicates that are written together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// `global`, `global f` or `proc f`.
    pub heading: String,
    /// Which predicates these are, by position, and their texts.
    pub predicates: Vec<(usize, String)>,
}

/// Predicates as [`parse_block`](super::parse_block) reads them back, all of them, section by section. If one cannot be
/// written, since it speaks of variables of several procedures, its position.
pub fn sections(program: &Program, predicates: &[Predicate]) -> Result<Vec<Section>, usize> {
    let mut printer = Printer::new(program);
    let mut sorted = Vec::new();
    for (i, predicate) in predicates.iter().enumerate() {
        let names = match predicate.scope {
            Scope::Procedure(_) => predicate.scope,
            Scope::Global => printer.scope_of(predicate.expr),
        };
        sorted.push((predicate.scope, names, i));
    }
    let written = |&(_, names, i): &(Scope, Scope, usize)| (names.procedure(), predicates[i].expr);
    if !verify_exprs(program, &sorted.iter().map(written).collect::<Vec<_>>()).is_empty() {
        let is_odd = |one: &&(Scope, Scope, usize)| !verify_exprs(program, &[written(one)]).is_empty();
        return Err(sorted.iter().find(is_odd).map_or(0, |&(.., i)| i));
    }
    sorted.sort_unstable();
    let mut sections = Vec::new();
    for section in sorted.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (scope, names, _) = section[0];
        let of = names.procedure().map(|id| format!(" {}", printer.names.spell_procedure(program, id)));
        let word = if scope == Scope::Global { "global" } else { "proc" };
        let shown = section.iter().map(|&(.., i)| (i, printer.show(names, predicates[i].expr)));
        sections.push(Section {
            heading: format!("{word}{}", of.unwrap_or_default()),
            predicates: shown.collect(),
        });
    }
    Ok(sections)
}

/// Prints predicates of one program.
pub struct Printer<'p> {
    pub(super) program: &'p Program,
    pub(super) names: Names,
    /// The program, with what forms are read as.
    pub(super) scratch: Program,
    /// What was made in the current scope.
    forms: FxHashMap<ExprId, Forms>,
}

impl<'p> Printer<'p> {
    /// Prepares to print predicates of a program.
    pub fn new(program: &'p Program) -> Self {
        Printer {
            program,
            names: Names::new(program),
            scratch: program.overlay(),
            forms: FxHashMap::default(),
        }
    }

    /// A predicate in the scope of the variables that it mentions.
    pub fn show_in_its_scope(&mut self, expr: ExprId) -> String {
        let scope = self.scope_of(expr);
        self.show(scope, expr)
    }

    /// A predicate as it is written in a scope. The expression must be one that the verifier accepts
    /// there.
    pub fn show(&mut self, scope: Scope, expr: ExprId) -> String {
        if self.names.scope() != scope {
            self.names.enter(self.program, scope);
            self.forms.clear();
        }
        for id in parts_first(self.program, expr) {
            if !self.forms.contains_key(&id) {
                let forms = self.make_forms(id);
                self.forms.insert(id, forms);
            }
        }
        self.known_forms(expr).shown()
    }

    /// The forms of an expression whose turn is over.
    pub(super) fn known_forms(&self, expr: ExprId) -> Forms {
        self.forms.get(&expr).cloned().unwrap_or_default()
    }

    /// The scope of the variables that an expression mentions.
    fn scope_of(&self, expr: ExprId) -> Scope {
        let local = parts_first(self.program, expr).into_iter().find_map(|id| {
            let (ExprKind::Load(place) | ExprKind::AddressOf(place)) = self.program.expr(id).kind else {
                return None;
            };
            let PlaceBase::Var(var) = self.program.place(place).base else { return None };
            let global = matches!(self.program.variables[var].kind, VarKind::Global | VarKind::Static);
            (!global).then_some(var)
        });
        let Some(local) = local else { return Scope::Global };
        let owns = |p: &Procedure| {
            p.result == Some(local) || p.locals.contains(&local) || p.formals.contains(&local)
        };
        let owner = self.program.procedures.iter().find(|(_, p)| owns(p));
        owner.map_or(Scope::Global, |(id, _)| Scope::Procedure(id))
    }
}

/// The expressions inside of one, parts before what they are part of, and the expression itself.
fn parts_first(program: &Program, expr: ExprId) -> Vec<ExprId> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![(expr, false)];
    while let Some((next, parts_done)) = stack.pop() {
        if parts_done {
            order.push(next);
        } else if seen.insert(next) {
            stack.push((next, true));
            stack.extend(visit::parts(program, next).map(|part| (part, false)));
        }
    }
    order
}
