//! What was found, as C expressions.

use hardbop_alias::ObjectKind;
use hardbop_base::Span;
use hardbop_cegar::Reason;
use hardbop_ir::{ProcId, Type, TypeId, VarId};
use hardbop_logic::{Node, Sort, Term, Value, c};
use hardbop_path::atoms;
use hardbop_semantics::{Cell, Meaning, Object};

use crate::ask::Asker;
use crate::fixpoint::Predicates;
use crate::pre::Sets;
use crate::space::Space;

/// A predicate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tracked {
    /// The procedure that it belongs to.
    pub procedure: ProcId,
    /// What it says. A prime marks values when the procedure is left.
    pub text: String,
}

/// Something that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invariant {
    /// Whether it is about the head of a loop; else it is the summary of the procedure.
    pub is_loop: bool,
    /// The procedure.
    pub procedure: ProcId,
    /// Where.
    pub span: Span,
    /// What holds; in summaries `old(…)` marks values when the procedure is entered, and `\result` is
    /// what it returns.
    pub text: String,
}

/// Conditions of more prime implicants are shown as they are.
const MAX_IMPLICANTS: usize = 16;

/// How values at the entry and at the exit of a procedure are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Primes,
    Old,
}

/// The predicates of all cut points.
pub(crate) fn predicates(space: &Space<'_>, predicates: &[Predicates]) -> Vec<Tracked> {
    let mut found = Vec::new();
    for (cut, own) in space.cuts.iter().zip(predicates) {
        for &term in own.fails.iter().chain(&own.returns) {
            let text = text(space, term, Style::Primes);
            found.extend(text.map(|text| Tracked { procedure: cut.procedure, text }));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What the sets of all cut points say.
pub(crate) fn invariants(
    space: &mut Space<'_>,
    asker: &mut Asker<'_>,
    sets: &Sets,
) -> Result<Vec<Invariant>, Reason> {
    let mut found = Vec::new();
    for number in 0..space.cuts.len() {
        let cut = space.cuts[number].clone();
        let p = &space.subject.program.procedures[cut.procedure];
        if cut.is_entry && !space.units[cut.unit].is_called {
            continue;
        }
        let (term, style, span) = if cut.is_entry {
            (sets.returns[number], Style::Old, p.span)
        } else {
            let holds = space.encoder.terms.not(sets.fails[number]);
            let leaving = p.edges.values().find(|edge| edge.source == cut.location);
            (holds, Style::Primes, leaving.map_or(p.span, |edge| edge.span))
        };
        let term = simplest(space, asker, term)?;
        if space.encoder.terms.as_bool(term) == Some(true) {
            continue;
        }
        if let Some(text) = text(space, term, style) {
            found.push(Invariant { is_loop: !cut.is_entry, procedure: cut.procedure, span, text });
        }
    }
    Ok(found)
}

/// The same condition in as few words as a cover of it by prime implicants needs, if these are few.
fn simplest(space: &mut Space<'_>, asker: &mut Asker<'_>, condition: Term) -> Result<Term, Reason> {
    let mut atoms = atoms(&space.encoder.terms, condition);
    // Equations say most, so they are the last to go.
    atoms.sort_by_key(|&atom| matches!(space.encoder.terms.node(atom), Node::Eq(..)));
    let otherwise = space.encoder.terms.not(condition);
    let mut found = space.encoder.terms.bool(false);
    for _ in 0..MAX_IMPLICANTS {
        let outside = space.encoder.terms.not(found);
        let Some(model) = asker.model(&mut space.encoder, &[condition, outside])? else { return Ok(found) };
        let mut literals = Vec::new();
        for &atom in &atoms {
            let holds = space.encoder.terms.evaluate(atom, &model) == Value::Bool(true);
            literals.push(if holds { atom } else { space.encoder.terms.not(atom) });
        }
        let mut kept = 0;
        while kept < literals.len() {
            let removed = literals.remove(kept);
            let mut question = literals.clone();
            question.push(otherwise);
            if asker.is_possible(&mut space.encoder, &question)? {
                literals.insert(kept, removed);
                kept += 1;
            }
        }
        let implicant = space.encoder.terms.and(&literals);
        found = space.encoder.terms.or(&[found, implicant]);
    }
    Ok(condition)
}

/// An atom, for a message about all that differ from it in a constant.
pub(crate) fn form(space: &Space<'_>, atom: Term) -> String {
    text(space, atom, Style::Primes).unwrap_or_default()
}

fn text(space: &Space<'_>, term: Term, style: Style) -> Option<String> {
    c::expression(&space.encoder.terms, term, |symbol| name(space, symbol, style))
}

fn name(space: &Space<'_>, symbol: Term, style: Style) -> c::Name {
    if let Some((_, address)) = space.place(symbol) {
        let c::Name { text, .. } = name(space, address, style);
        return c::Name { text: text.trim_start_matches('&').to_owned(), signed: true };
    }
    let exit = space.exit_cell(symbol);
    let (text, ty) = match (exit, space.encoder.meaning_of(symbol)) {
        (Some(cell), _) => cell_name(space, cell),
        (None, Some(Meaning::Cell(cell))) => cell_name(space, cell),
        (None, Some(Meaning::Address(Object::Variable(_, var)))) => {
            (format!("&{}", space.subject.program.variables[var].name), None)
        }
        _ => ("?".to_owned(), None),
    };
    let is_result = matches!(exit, Some(Cell::Local(..)));
    let is_shared = matches!(space.encoder.cell_of(symbol), Some(Cell::Global(_) | Cell::Region(_)));
    let text = match style {
        Style::Primes if is_result => "result'".to_owned(),
        Style::Primes if exit.is_some() => format!("{text}'"),
        Style::Old if is_result => "\\result".to_owned(),
        Style::Old if is_shared => format!("old({text})"),
        _ => text,
    };
    let signed =
        ty.is_some_and(|ty| matches!(space.subject.program.ty(ty), Type::Machine { signed: true, .. }));
    c::Name { text, signed: signed && matches!(space.encoder.terms.sort(symbol), Sort::BitVec(_)) }
}

fn cell_name(space: &Space<'_>, cell: Cell) -> (String, Option<TypeId>) {
    let program = space.subject.program;
    let of_variable = |var: VarId| {
        let variable = &program.variables[var];
        // A formal that is assigned to has a copy of its name.
        let name = variable.name.split_once('$').map_or(&variable.name[..], |(name, _)| name);
        (if name.is_empty() { variable.name.clone() } else { name.to_owned() }, Some(variable.ty))
    };
    match cell {
        Cell::Global(var) | Cell::Local(_, var) => of_variable(var),
        Cell::Region(region) => match space.subject.regions.region(region).cells[..] {
            [(object, _)] if space.subject.alias.is_single(object) => {
                match space.subject.alias.objects()[object].kind {
                    ObjectKind::Variable(var) => of_variable(var),
                    _ => ("memory".to_owned(), None),
                }
            }
            _ => ("memory".to_owned(), None),
        },
    }
}
