//! What was found, as C expressions.

use std::collections::BTreeMap;

use hardbop_alias::ObjectKind;
use hardbop_ir::{LocationId, ProcId, Type, TypeId, VarId};
use hardbop_logic::{BvOp, Node, Sort, Term, Value, c};
use hardbop_path::atoms;
use hardbop_semantics::{Cell, Meaning, Object};
use hardbop_verdict::{AtLoop, KnownInvariant, Literal, Reason};

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
) -> Result<(Vec<KnownInvariant>, Vec<AtLoop>), Reason> {
    let mut found = Vec::new();
    let mut loops: BTreeMap<(ProcId, LocationId), Option<Vec<Vec<Literal>>>> = BTreeMap::new();
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
        let cubes = implicants(space, asker, term)?;
        if !cut.is_entry {
            let said = cubes.as_ref().map(|cubes| cubes.iter().map(|cube| literals(space, cube)).collect());
            let all = loops.entry((cut.procedure, cut.location)).or_insert(Some(Vec::new()));
            *all = all.take().zip(said).map(|(all, said): (_, Vec<_>)| [all, said].concat());
        }
        let term = match cubes {
            Some(cubes) => {
                let cubes: Vec<Term> = cubes.iter().map(|cube| space.encoder.terms.and(cube)).collect();
                space.encoder.terms.or(&cubes)
            }
            None => term,
        };
        if space.encoder.terms.as_bool(term) == Some(true) {
            continue;
        }
        if let Some(text) = text(space, term, style) {
            found.push(KnownInvariant { is_loop: !cut.is_entry, procedure: cut.procedure, span, text });
        }
    }
    let said = |((procedure, head), cubes): (_, Option<_>)| Some(AtLoop { procedure, head, cubes: cubes? });
    Ok((found, loops.into_iter().filter_map(said).collect()))
}

/// The literals of a conjunction that can be said with variables alone.
fn literals(space: &Space<'_>, cube: &[Term]) -> Vec<Literal> {
    let literal = |&term: &Term| {
        let symbols = space.encoder.terms.symbols(term);
        let variables = symbols.into_iter().map(|symbol| variable(space, symbol)).collect::<Option<_>>()?;
        let text = text(space, term, Style::Primes).filter(|_| is_total(space, term))?;
        Some(Literal { text, variables })
    };
    cube.iter().filter_map(literal).collect()
}

/// The variable whose value a symbol is, if that is a machine integer with the name that the programmer gave it.
fn variable(space: &Space<'_>, symbol: Term) -> Option<VarId> {
    let program = space.subject.program;
    let var = match (space.place(symbol), space.encoder.meaning_of(symbol)) {
        (Some((_, address)), _) => match space.encoder.meaning_of(address) {
            Some(Meaning::Address(Object::Variable(_, var))) => Some(var),
            _ => None,
        },
        (None, Some(Meaning::Cell(cell))) => cell_variable(space, cell),
        _ => None,
    }?;
    let variable = &program.variables[var];
    let is_plain =
        matches!(space.encoder.terms.sort(symbol), Sort::BitVec(_)) && !variable.name.contains('$');
    (is_plain && matches!(program.ty(variable.ty), Type::Machine { .. })).then_some(var)
}

/// Whether C gives every operation of a term a meaning, whatever the values are.
fn is_total(space: &Space<'_>, term: Term) -> bool {
    let terms = &space.encoder.terms;
    terms.subterms(&[term]).into_iter().all(|part| match *terms.node(part) {
        Node::Bv(BvOp::Mul | BvOp::And | BvOp::Or | BvOp::Xor, ..) => true,
        // Small constants are neither zero nor −1, nor do they shift everything out.
        Node::Bv(_, _, operand) => terms.as_bits(operand).is_some_and(|bits| (1..8).contains(&bits)),
        _ => true,
    })
}

/// A cover of a condition by prime implicants, if these are few.
fn implicants(
    space: &mut Space<'_>,
    asker: &mut Asker<'_>,
    condition: Term,
) -> Result<Option<Vec<Vec<Term>>>, Reason> {
    let mut atoms = atoms(&space.encoder.terms, condition);
    // Equations say most, so they are the last to go.
    atoms.sort_by_key(|&atom| matches!(space.encoder.terms.node(atom), Node::Eq(..)));
    let otherwise = space.encoder.terms.not(condition);
    let mut found = Vec::new();
    let mut outside = vec![condition];
    for _ in 0..MAX_IMPLICANTS {
        let Some(model) = asker.model(&mut space.encoder, &outside)? else { return Ok(Some(found)) };
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
        outside.push(space.encoder.terms.not(implicant));
        found.push(literals);
    }
    Ok(None)
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
    let is_shared = matches!(
        space.encoder.cell_of(symbol),
        Some(Cell::Global(_) | Cell::Region(_) | Cell::Live(_) | Cell::Tally(..))
    );
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
    cell_variable(space, cell).map_or_else(|| ("memory".to_owned(), None), of_variable)
}

/// The variable that a cell is.
fn cell_variable(space: &Space<'_>, cell: Cell) -> Option<VarId> {
    match cell {
        Cell::Global(var) | Cell::Local(_, var) => Some(var),
        Cell::Region(region) => match space.subject.regions.region(region).cells[..] {
            [(object, _)] if space.subject.alias.is_single(object) => {
                match space.subject.alias.objects()[object].kind {
                    ObjectKind::Variable(var) => Some(var),
                    _ => None,
                }
            }
            _ => None,
        },
        Cell::Live(_) | Cell::Tally(..) => None,
    }
}
