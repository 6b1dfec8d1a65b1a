//! Predicates from a set of counterexamples that cannot be run (`001…` §5), the whole set at once.
//!
//! Wherever the cover was applied in the bounded computation, there is a pair (A, B): A is what was
//! covered, the states from which an error is reached in the rounds that are left, and B says which
//! states a run from the start gets to with that many rounds left. A ∧ B is false if no run of k rounds
//! fails, and an interpolant is a set in between, in terms of the state there: its atoms are the new
//! predicates.
//!
//! The text takes A from the bounded pre-image of the program itself. Interpolants that are found one
//! by one need not fit together then: the pre-image of the one need not be inside of the next, and the
//! exercise at the end of §5 (no counterexample of k steps is left) fails. So here A is the pre-image
//! of the interpolants of the round before, which excludes what B allows by the same argument; and what
//! a cover says already is kept. By induction the covers of the next computation are inside of the
//! interpolants, so that none of the counterexamples comes back.
//!
//! The text's `interp` (Fig. 4) handles only tuples in mode InA at `if` and `while`; those in mode InB
//! must be combined by branch as well. Laid out from the front ([`crate::bounded`]) that is a
//! disjunction.
//!
//! Where no interpolant is found, the atoms of A serve, as the text allows.

use hardbop_base::Budget;
use hardbop_interpolant::{Failure, interpolate};
use hardbop_logic::{Node, Term, Terms};
use hardbop_path::atoms;
use hardbop_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arrays::Contents;
use crate::ask::Asker;
use crate::bounded::{Layers, at_node, node_symbols};
use crate::fixpoint::Predicates;
use crate::pre::{self, Sets, split};
use crate::space::Space;

/// Finds predicates that exclude all counterexamples of as many rounds as the history has. `given` are
/// the facts about calls that return. Whether there are new ones.
pub(crate) fn refine(
    space: &mut Space<'_>,
    asker: &mut Asker<'_>,
    (layers, given): (&Layers, &[Term]),
    history: &[Sets],
    predicates: &mut [Predicates],
    sharp: bool,
    budget: &Budget,
) -> Result<bool, Reason> {
    let mut refined = false;
    let mut before = Sets::none(space);
    for (left, sets) in history[..history.len() - 1].iter().enumerate() {
        let mut now = sets.clone();
        let summaries = std::mem::take(&mut before.returns);
        before.returns = if left == 0 { summaries } else { history[left - 1].returns.clone() };
        for (cut, own) in predicates.iter_mut().enumerate() {
            let reached = layers.reached((cut, left));
            let failing = at_node(space, sets.fails[cut], (cut, left));
            let mut question = given.to_vec();
            question.extend([reached, failing]);
            if !asker.is_possible(&mut space.encoder, &question)? {
                continue;
            }
            let parts = pre::fails(space, cut, &before);
            let parts = split(space, cut, parts, sharp);
            let mut b = given.to_vec();
            b.push(reached);
            let names = node_symbols(space, parts.looped, (cut, left));
            let a = space.encoder.terms.substitute(parts.looped, &names);
            let back = names.into_iter().map(|(symbol, named)| (named, symbol)).collect();
            let found = between(space, &[a], &b, &back, budget)?;
            refined |= add(space, cut, &found.atoms, &mut own.fails);
            let kept = found.between.unwrap_or(parts.looped);
            let kept = space.encoder.terms.and(&[kept, sets.fails[cut]]);
            now.fails[cut] = space.encoder.terms.or(&[parts.exact, kept]);
        }
        before = now;
    }
    Ok(refined)
}

/// A set in between, if one was found, and atoms for predicates.
pub(crate) struct Interpolated {
    pub(crate) between: Option<Term>,
    pub(crate) atoms: Vec<Term>,
}

/// An interpolant, and its atoms; those of A where none is found. `back` leads from the symbols of the
/// state in the formulas to those that predicates use.
pub(crate) fn between(
    space: &mut Space<'_>,
    a: &[Term],
    b: &[Term],
    back: &FxHashMap<Term, Term>,
    budget: &Budget,
) -> Result<Interpolated, Reason> {
    let subject = space.subject;
    let mut with_axioms = |conditions: &[Term]| {
        let mut all = space.encoder.on(subject).axioms(conditions);
        all.extend(conditions);
        space.encoder.terms.and(&all)
    };
    let (mut of_a, mut of_b) = (with_axioms(a), with_axioms(b));
    let mut shared: Vec<Term> = back.keys().copied().collect();
    shared.sort_unstable();
    let mut meanings = FxHashMap::default();
    let mut a = space.encoder.terms.and(a);
    if let Some(apart) = Contents::of(&mut space.encoder, of_a, of_b, &shared) {
        (of_a, of_b, meanings) = (apart.a, apart.b, apart.meanings);
        a = of_a;
    }
    let terms = &mut space.encoder.terms;
    match interpolate(terms, of_a, of_b, budget) {
        Ok(found) => {
            let found = terms.substitute(found, &meanings);
            let between = terms.substitute(found, back);
            Ok(Interpolated { between: Some(between), atoms: atoms(terms, between) })
        }
        Err(Failure::Stopped(stop)) => Err(Reason::Stopped(stop)),
        Err(Failure::Consistent | Failure::NotFound(_)) => {
            let a = terms.substitute(a, &meanings);
            let a = terms.substitute(a, back);
            Ok(Interpolated { between: None, atoms: atoms_by_case(terms, a) })
        }
    }
}

/// The most atoms by case.
const MAX_ATOMS: usize = 400;

/// The atoms of a condition, with those of each case where an atom depends on which way was taken: where ways
/// meet, their values are choices within atoms, and these are often made by what cannot be known.
fn atoms_by_case(terms: &mut Terms, condition: Term) -> Vec<Term> {
    let mut pending = atoms(terms, condition);
    let mut seen: FxHashSet<Term> = pending.iter().copied().collect();
    let mut found = Vec::new();
    pending.reverse();
    while let Some(atom) = pending.pop() {
        let parts = terms.subterms(&[atom]);
        let choice = parts.into_iter().find_map(|part| match *terms.node(part) {
            Node::Ite(_, yes, no) => Some((part, yes, no)),
            _ => None,
        });
        let Some((choice, yes, no)) = choice else {
            found.push(atom);
            continue;
        };
        for value in [no, yes] {
            let case = terms.substitute(atom, &FxHashMap::from_iter([(choice, value)]));
            for atom in atoms(terms, case) {
                if seen.len() < MAX_ATOMS && seen.insert(atom) {
                    pending.push(atom);
                }
            }
        }
    }
    found
}

/// Adds predicates that can be known at a cut point; whether there are new ones.
pub(crate) fn add(space: &Space<'_>, cut: usize, new: &[Term], predicates: &mut Vec<Term>) -> bool {
    let before = predicates.len();
    for &atom in new {
        // Addresses are constants.
        let about_state = |&symbol: &Term| space.is_value(symbol) || space.exit_cell(symbol).is_some();
        let about_state = space.encoder.terms.symbols(atom).iter().any(about_state);
        if about_state && space.is_known_at(cut, atom) && !predicates.contains(&atom) {
            predicates.push(atom);
        }
    }
    predicates.len() > before
}
