//! Changes to evidence, most of which make it wrong.

use hardbop_certify::backward::{Backward, Point};
use hardbop_certify::proof::{Proof, Relation, Slot};
use hardbop_ir::testing::Random;
use hardbop_ir::{LocationId, ProcId, Program};
use hardbop_logic::Node;
use hardbop_proof::{Evidence, RunInputs};

fn below(random: &mut Random, bound: usize) -> usize {
    (random.bits() % bound.max(1) as u64) as usize
}

/// Changes something; the name of the change, or nothing if there is nothing to change.
pub fn mutate(program: &Program, evidence: &mut Evidence, random: &mut Random) -> Option<&'static str> {
    match evidence {
        Evidence::Invariants(proof) => invariants(program, proof, random),
        Evidence::Backward(proof) => backward(proof, random),
        Evidence::Unrolled(steps) => {
            *steps = if random.bits() & 1 == 0 { *steps - 1 } else { *steps / 2 };
            Some("a bound lowered")
        }
        Evidence::Run(run) => run_inputs(run, random),
    }
}

fn invariants(program: &Program, proof: &mut Proof, random: &mut Random) -> Option<&'static str> {
    let mut keys: Vec<(ProcId, LocationId)> = proof.relations.keys().copied().collect();
    keys.sort_unstable();
    let full: Vec<_> = keys.iter().copied().filter(|key| !proof.relations[key].nodes.is_empty()).collect();
    let kind = below(random, 8);
    let pick =
        |from: &[(ProcId, LocationId)], random: &mut Random| from.get(below(random, from.len())).copied();
    match kind {
        0 | 1 => {
            let relation = proof.relations.get_mut(&pick(&full, random)?)?;
            let at = below(random, relation.nodes.len());
            let (_, low, high) = relation.nodes[at];
            let rest = if low == 0 || (high != 0 && random.bits() & 1 == 0) { high } else { low };
            relation.nodes[at] = (relation.nodes[at].0, rest, rest);
            Some("a literal dropped")
        }
        2 | 3 => {
            let relation = proof.relations.get_mut(&pick(&full, random)?)?;
            let at = below(random, relation.nodes.len());
            let (slot, low, high) = relation.nodes[at];
            relation.nodes[at] = (slot, high, low);
            Some("a literal negated")
        }
        4 => {
            let from = pick(&full, random)?;
            let others: Vec<_> = keys.iter().copied().filter(|key| key.0 == from.0 && *key != from).collect();
            let to = pick(&others, random)?;
            let relation = proof.relations.insert(from, Relation { nodes: Vec::new(), root: 1 })?;
            proof.relations.insert(to, relation);
            Some("a relation moved")
        }
        5 => {
            let is_exit = |&(id, at): &(ProcId, LocationId)| program.procedures[id].exit == at;
            let exits: Vec<_> = full.iter().copied().filter(is_exit).collect();
            proof.relations.insert(pick(&exits, random)?, Relation { nodes: Vec::new(), root: 1 });
            Some("a summary weakened")
        }
        6 => {
            let key = pick(&keys, random)?;
            let known: Vec<usize> = (0..proof.predicates.len())
                .filter(|&i| proof.predicates[i].scope.procedure().is_none_or(|id| id == key.0))
                .collect();
            let &i = known.get(below(random, known.len()))?;
            let relation = proof.relations.get_mut(&key)?;
            let ends = if random.bits() & 1 == 0 { (0, relation.root) } else { (relation.root, 0) };
            relation.nodes.push((Slot::Now(i), ends.0, ends.1));
            relation.root = relation.nodes.len() + 1;
            Some("a relation strengthened")
        }
        _ => {
            proof.relations.remove(&pick(&keys, random)?);
            Some("a relation left out")
        }
    }
}

fn backward(proof: &mut Backward, random: &mut Random) -> Option<&'static str> {
    let mut points: Vec<Point> = proof.claims.keys().cloned().collect();
    points.sort_unstable();
    let point = points.get(below(random, points.len()))?.clone();
    let mut claim = proof.claims[&point];
    let terms = &mut proof.encoder.terms;
    let part = if random.bits() & 1 == 0 { &mut claim.fails } else { &mut claim.returns };
    let name = match below(random, 5) {
        0 => {
            *part = terms.not(*part);
            "a claim negated"
        }
        1 => {
            *part = terms.bool(false);
            "a claim that nothing happens"
        }
        2 => {
            *part = terms.bool(true);
            "a claim weakened"
        }
        3 => {
            let inner = if let &Node::Not(inner) = terms.node(*part) { inner } else { *part };
            let Node::And(members) = terms.node(inner).clone() else { return None };
            let dropped = below(random, members.len());
            let rest: Vec<_> =
                members.iter().enumerate().filter(|&(i, _)| i != dropped).map(|(_, &m)| m).collect();
            let rest = terms.and(&rest);
            *part = if inner == *part { rest } else { terms.not(rest) };
            "a literal of a claim dropped"
        }
        _ => {
            proof.claims.remove(&point);
            return Some("a claim left out");
        }
    };
    proof.claims.insert(point, claim);
    Some(name)
}

fn run_inputs(run: &mut RunInputs, random: &mut Random) -> Option<&'static str> {
    let at = below(random, run.inputs.len());
    match below(random, 5) {
        0 => {
            run.steps -= 1;
            Some("a step less")
        }
        1 => {
            run.inputs.get(at)?;
            run.inputs.remove(at);
            Some("an input left out")
        }
        2 if run.inputs.len() > 1 => {
            let other = below(random, run.inputs.len());
            let values = (run.inputs[at].value, run.inputs[other].value);
            (run.inputs[other].value, run.inputs[at].value) = values;
            (values.0 != values.1).then_some("inputs exchanged")
        }
        _ => {
            let input = run.inputs.get_mut(at)?;
            let old = input.value;
            let change = [1, u128::MAX, 1 << 31, old][below(random, 4)];
            input.value =
                old.wrapping_add(change) & (u128::MAX >> (128 - u32::from(input.width.clamp(1, 128))));
            (input.value != old).then_some("an input changed")
        }
    }
}
