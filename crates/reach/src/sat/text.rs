//! The equations as text, in the notation of (7), with the number of each triple behind its term.

use std::fmt::Write;

use super::circuit::{Circuit, Gate, Lit};
use super::closure::{Closure, State, TripleId};
use super::inline::ContextId;

/// One line per triple, in the order in which they were made.
pub(super) fn equations(closure: &Closure) -> String {
    let mut text = String::new();
    for (i, triple) in closure.triples.iter().enumerate() {
        let _ = write!(text, "{} = ", name(closure, TripleId::from_usize(i)));
        match &triple.state {
            State::Open => text.push('?'),
            State::Fixpoint => text.push_str("true  (fixpoint)"),
            State::Defined(targets) => text.push_str(&right_hand_side(closure, i, targets)),
        }
        text.push('\n');
    }
    text
}

fn right_hand_side(closure: &Closure, triple: usize, targets: &[TripleId]) -> String {
    let Some(equation) = closure.maker.terms.equation(closure.triples[triple].term) else {
        return "?".to_owned();
    };
    let circuit = &closure.maker.circuit;
    let names = |number: u32| variable(closure, number);
    let mut conjuncts = Vec::new();
    if equation.wrong != Lit::FALSE {
        conjuncts.push(condition(circuit, equation.wrong.negated(), &names));
    }
    for (link, &target) in equation.links.iter().zip(targets) {
        let target = name(closure, target);
        conjuncts.push(match link.guard {
            Lit::TRUE => target,
            guard => format!("({} ⇒ {target})", condition(circuit, guard, &names)),
        });
    }
    if conjuncts.is_empty() { "true".to_owned() } else { conjuncts.join(" ∧ ") }
}

/// The triple as its block, its arguments and its number.
fn name(closure: &Closure, id: TripleId) -> String {
    let maker = &closure.maker;
    let term = closure.triples[id.index()].term;
    let block = maker.terms.block_of(term);
    let location = &maker.flow.locations[block.location];
    let mut name = String::new();
    if block.context != ContextId::MAIN {
        let _ = write!(name, "{}.", maker.flow.procedures[location.procedure].name);
    }
    match location.labels.first() {
        Some(label) => name.push_str(label),
        None => {
            let _ = write!(name, "@{}", block.location.index());
        }
    }
    let names = |number: u32| variable(closure, number);
    let args: Vec<String> = maker.terms.args(term).iter().map(|arg| maker.args.text(*arg, &names)).collect();
    format!("{name}({})#{}", args.join(", "), id.index())
}

fn variable(closure: &Closure, number: u32) -> String {
    let variable = closure.maker.terms.initial()[number as usize];
    closure.maker.flow.variables[variable].name.clone()
}

fn condition(circuit: &Circuit, lit: Lit, names: &dyn Fn(u32) -> String) -> String {
    match (circuit.gate(lit), lit.is_negated()) {
        (Gate::False, negated) => negated.to_string(),
        (Gate::Input(number), false) => names(number),
        (Gate::Input(number), true) => format!("¬{}", names(number)),
        (Gate::And(a, b), false) => {
            format!("({} ∧ {})", condition(circuit, a, names), condition(circuit, b, names))
        }
        (Gate::And(a, b), true) => {
            let (a, b) = (a.negated(), b.negated());
            format!("({} ∨ {})", condition(circuit, a, names), condition(circuit, b, names))
        }
    }
}
