//! Predicates from contexts (`000…` §4.3): conditions and values along a projection that cannot be run,
//! said in what has a name.
//!
//! The paper makes a boolean variable of each pair ⟨x, e⟩ of Ω and Π and of each condition of Φ, over
//! symbolic constants. Here, at each point, a symbolic constant is replaced by something in scope that
//! holds it, or from which it can be computed: where `x` is θ + 1, θ is `x - 1`. Conditions of Φ become
//! conditions on variables, pairs of Ω relations between them, such as `x == 1` or `x == y + 1`. What
//! mentions a constant that nothing in scope determines needs a ghost variable (`ghost`).
//!
//! These proposals say what is known so far; those from weakest preconditions say what is needed later.

use hardbop_base::{Budget, Stop};
use hardbop_ir::{ExprId, ProcId, VarId, VarKind};
use hardbop_logic::{Node, Sort, Term, Terms};
use hardbop_predicate::Predicate;
use hardbop_semantics::{Cell, Coder, Decoder, Frame, Meaning, Object, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Path;
use crate::atoms::atoms;
use crate::context::{Point, simulate};
use crate::projection::Projection;
use crate::propose::scoped;
use crate::reference::symbols_within;

/// A symbolic constant that a ghost variable of an activation remembers from a step on.
pub(crate) struct Remembered {
    pub(crate) step: usize,
    pub(crate) frame: Frame,
    /// Its name.
    pub(crate) constant: String,
    pub(crate) ghost: VarId,
}

/// Predicates from the contexts of a projection, the latest first. The program gets new expressions.
pub fn relations(
    subject: Subject<'_>,
    path: &Path,
    projection: &Projection,
    budget: &Budget,
) -> Result<Vec<Predicate>, Stop> {
    facts_along(subject, path, projection, &[], budget)
}

/// The same, where some constants are remembered.
pub(crate) fn facts_along(
    subject: Subject<'_>,
    path: &Path,
    projection: &Projection,
    remembered: &[Remembered],
    budget: &Budget,
) -> Result<Vec<Predicate>, Stop> {
    let mut facts: Vec<(ProcId, Vec<Term>)> = Vec::new();
    let contexts = simulate(subject, path, projection, budget, &mut |coder, point| {
        if projection.keeps(point.step) {
            facts.push((point.procedure, facts_at(coder, point, remembered)));
        }
    })?;
    let mut found = Vec::new();
    let mut known = FxHashSet::default();
    // At the last point everything contradicts everything.
    facts.pop();
    for (procedure, facts) in facts.into_iter().rev() {
        let atoms: Vec<Term> = facts.iter().flat_map(|&fact| atoms(&contexts.encoder.terms, fact)).collect();
        let mut decoder = Decoder::new(&contexts.encoder, subject);
        let exprs: Vec<ExprId> = atoms.into_iter().filter_map(|atom| decoder.decode(atom)).collect();
        for expr in exprs {
            if let Some(predicate) = scoped(subject.program, subject.alias, procedure, expr)
                && known.insert(predicate)
            {
                found.push(predicate);
            }
        }
    }
    Ok(found)
}

/// What is visible at a point: for each cell the symbol of its value as predicates mean it, and the value.
fn visible(coder: &mut Coder<'_>, point: &Point<'_>) -> Vec<(Term, Term)> {
    let mut visible: Vec<(Cell, Term)> = point
        .context
        .store
        .iter()
        .map(|(&cell, &value)| (cell, value))
        .filter(|&(cell, _)| !matches!(cell, Cell::Local(frame, _) if frame != point.frame))
        .collect();
    visible.sort_unstable();
    visible.into_iter().map(|(cell, value)| (current(coder, cell), value)).collect()
}

/// The names of the symbolic constants at a point that nothing in scope determines.
pub(crate) fn undetermined(coder: &mut Coder<'_>, point: &Point<'_>) -> Vec<String> {
    let now = visible(coder, point);
    let known = representatives(coder, &now);
    let all: Vec<Term> =
        point.context.conditions.iter().copied().chain(now.into_iter().map(|(_, value)| value)).collect();
    let unknown = symbols_within(coder.encoder, &all)
        .into_iter()
        .filter(|symbol| !known.contains_key(symbol) && !is_fixed(coder, *symbol));
    let names = unknown.filter_map(|symbol| coder.encoder.terms.symbol_name(symbol).map(str::to_owned));
    names.collect()
}

/// What is known at a point, over the values of what is in scope there: conditions first, then values.
fn facts_at(coder: &mut Coder<'_>, point: &Point<'_>, remembered: &[Remembered]) -> Vec<Term> {
    let now = visible(coder, point);
    let mut known = representatives(coder, &now);
    for ghost in remembered.iter().filter(|r| r.frame == point.frame && r.step <= point.step) {
        let name = coder.initial(Cell::Local(Frame::ONLY, ghost.ghost));
        let sort = coder.encoder.terms.sort(name);
        let constant = coder.encoder.terms.symbol(&ghost.constant, sort);
        known.entry(constant).or_insert(name);
    }
    let mut facts = Vec::new();
    for &condition in &point.context.conditions {
        facts.extend(restated(coder, condition, &known));
    }
    for (name, value) in now {
        if let &Node::Store(_, index, element) = coder.encoder.terms.node(value) {
            let (Some(index), Some(element)) =
                (restated(coder, index, &known), restated(coder, element, &known))
            else {
                continue;
            };
            let terms = &mut coder.encoder.terms;
            let read = terms.select(name, index);
            facts.push(terms.eq(read, element));
        } else if let Some(value) = restated(coder, value, &known)
            && !matches!(coder.encoder.terms.sort(value), Sort::Array(..))
        {
            facts.push(coder.encoder.terms.eq(name, value));
        }
    }
    facts
}

/// The symbol for the value of a cell at the current point, as predicates mean it.
fn current(coder: &mut Coder<'_>, cell: Cell) -> Term {
    match cell {
        Cell::Local(_, var) => coder.initial(Cell::Local(Frame::ONLY, var)),
        other => coder.initial(other),
    }
}

/// For symbolic constants, what they are in terms of values at the current point.
fn representatives(coder: &mut Coder<'_>, now: &[(Term, Term)]) -> FxHashMap<Term, Term> {
    let mut known: FxHashMap<Term, Term> = FxHashMap::default();
    for &(name, value) in now {
        if matches!(coder.encoder.terms.node(value), Node::Symbol { .. }) && !is_fixed(coder, value) {
            known.entry(value).or_insert(name);
        }
    }
    // What is left may be the only unknown of a sum.
    loop {
        let before = known.len();
        for &(name, value) in now {
            if let Some((constant, sign)) = unknown_part(&coder.encoder.terms, value, &known) {
                let solved = solve(coder, name, value, constant, sign, &known);
                known.extend(solved.map(|solved| (constant, solved)));
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// The symbol of a sum that nothing is known of, if its coefficient is 1 or −1 and there is one only.
fn unknown_part(terms: &Terms, value: Term, known: &FxHashMap<Term, Term>) -> Option<(Term, bool)> {
    let parts: Vec<(Option<bool>, Term)> = match terms.node(value) {
        Node::IntSum(sum) => sum.parts.iter().map(|&(c, part)| (sign(c == 1, c == -1), part)).collect(),
        Node::BvSum(sum) => {
            let width = terms.width(value);
            let minus_one = u128::MAX >> (128 - width);
            sum.parts.iter().map(|&(c, part)| (sign(c == 1, c == minus_one), part)).collect()
        }
        _ => return None,
    };
    let unknown = |part: Term| terms.symbols(part).iter().any(|symbol| !known.contains_key(symbol));
    let mut open = parts.into_iter().filter(|&(_, part)| unknown(part));
    match (open.next(), open.next()) {
        (Some((Some(sign), part)), None) if matches!(terms.node(part), Node::Symbol { .. }) => {
            Some((part, sign))
        }
        _ => None,
    }
}

fn sign(plus: bool, minus: bool) -> Option<bool> {
    if plus { Some(true) } else { minus.then_some(false) }
}

/// From `name = value`, where the value is a symbol, or a symbol and a constant: what the symbol is.
pub(crate) fn solved_for_symbol(coder: &mut Coder<'_>, name: Term, value: Term) -> Option<(Term, Term)> {
    if matches!(coder.encoder.terms.node(value), Node::Symbol { .. }) {
        return Some((value, name));
    }
    let known = FxHashMap::default();
    let (symbol, plus) = unknown_part(&coder.encoder.terms, value, &known)?;
    Some((symbol, solve(coder, name, value, symbol, plus, &known)?))
}

/// From `name = value`, where `value` is ±constant + rest, what the constant is.
fn solve(
    coder: &mut Coder<'_>,
    name: Term,
    value: Term,
    constant: Term,
    plus: bool,
    known: &FxHashMap<Term, Term>,
) -> Option<Term> {
    let integers = coder.encoder.terms.sort(value) == Sort::Int;
    let terms = &mut coder.encoder.terms;
    let minus = |terms: &mut Terms, a, b| if integers { terms.int_sub(a, b) } else { terms.bv_sub(a, b) };
    let add = |terms: &mut Terms, a, b| if integers { terms.int_add(a, b) } else { terms.bv_add(a, b) };
    let rest = if plus { minus(terms, value, constant) } else { add(terms, value, constant) };
    let rest = restated(coder, rest, known)?;
    let terms = &mut coder.encoder.terms;
    Some(if plus { minus(terms, name, rest) } else { minus(terms, rest, name) })
}

/// A term over symbolic constants as one over current values, if all its constants are known.
fn restated(coder: &mut Coder<'_>, term: Term, known: &FxHashMap<Term, Term>) -> Option<Term> {
    for symbol in symbols_within(coder.encoder, &[term]) {
        if !known.contains_key(&symbol) && !is_fixed(coder, symbol) {
            return None;
        }
    }
    Some(coder.encoder.terms.substitute(term, known))
}

/// Whether a symbol is the same at every point: the address of a global or a procedure.
pub(crate) fn is_fixed(coder: &Coder<'_>, symbol: Term) -> bool {
    match coder.encoder.meaning_of(symbol) {
        Some(Meaning::Address(Object::Procedure(_))) => true,
        Some(Meaning::Address(Object::Variable(_, var))) => {
            matches!(coder.program.variables[var].kind, VarKind::Global | VarKind::Static)
        }
        _ => false,
    }
}
