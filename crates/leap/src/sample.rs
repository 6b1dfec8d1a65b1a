//! States that concrete runs pass at the nodes of a system.
//!
//! What a few runs have in common is often true of all of them, and what one of them contradicts need not be asked of
//! a solver. Runs start where the program does; what branches draw is mostly small.

use hardbop_base::Stop;
use hardbop_logic::{Model, Sort, Tape, Term, Value};

use crate::choice::LeapStep;
use crate::query::Query;
use crate::system::{Kind, System};

/// Runs, steps of one run, and how often what a step draws is drawn again.
const RUNS: u64 = 24;
const STEPS: usize = 3000;
const TRIES: usize = 12;

/// The most states of one node that are kept.
const KEPT: usize = 160;

/// For each node, states that were passed.
pub fn samples(query: &mut Query<'_>, system: &System, steps: &[LeapStep]) -> Result<Vec<Vec<Model>>, Stop> {
    let mut found: Vec<Vec<Model>> = vec![Vec::new(); system.nodes.len()];
    let mut ways: Vec<NodeSteps<'_>> =
        (0..system.nodes.len()).map(|node| NodeSteps::of(query, steps, node)).collect();
    for run in 0..RUNS {
        let mut random = Random(run);
        let mut node = 0;
        let mut state = Model::default();
        for step in 0..STEPS {
            query.budget.check()?;
            if system.nodes[node].kind == Kind::Head {
                let seen = &mut found[node];
                // The first states of each run, and a few later ones.
                if seen.len() < KEPT && (step < 12 || step % 97 == 0) {
                    seen.push(state.clone());
                }
            }
            let Some(next) = ways[node].go(query, &mut state, &mut random) else { break };
            node = next;
        }
    }
    Ok(found)
}

/// The steps from a node, ready to be taken.
struct NodeSteps<'s> {
    steps: Vec<&'s LeapStep>,
    tape: Tape,
    /// What the steps draw, and what the start leaves open.
    drawn: Vec<Term>,
    constants: Vec<u128>,
}

impl<'s> NodeSteps<'s> {
    fn of(query: &Query<'_>, steps: &'s [LeapStep], node: usize) -> Self {
        let steps: Vec<&LeapStep> = steps.iter().filter(|step| step.source == node).collect();
        let mut roots: Vec<Term> = steps.iter().map(|step| step.condition).collect();
        roots.extend(steps.iter().flat_map(|step| step.updates.values().copied()));
        let terms = &query.encoder.terms;
        let mut drawn = terms.symbols_of(&roots);
        drawn.retain(|&symbol| node == 0 || !query.is_state(symbol));
        let constant = |&t: &Term| match terms.node(t).is_constant() {
            true => terms.evaluate(t, &Model::default()).as_drawn(),
            false => None,
        };
        let constants = terms.subterms(&roots).iter().filter_map(constant).collect();
        NodeSteps { steps, tape: Tape::new(terms, &roots), drawn, constants }
    }

    /// Takes a step that is enabled; where it leads.
    fn go(&mut self, query: &Query<'_>, state: &mut Model, random: &mut Random) -> Option<usize> {
        let terms = &query.encoder.terms;
        let tries = if self.drawn.is_empty() { 1 } else { TRIES };
        for _ in 0..tries {
            for &symbol in &self.drawn {
                let value = random.value(terms.sort(symbol), &self.constants);
                state.values.insert(symbol, value);
            }
            self.tape.run(terms, state);
            let holds =
                |step: &&&LeapStep| self.tape.value(terms, step.condition, state) == Some(Value::Bool(true));
            let enabled: Vec<&&LeapStep> = self.steps.iter().filter(holds).collect();
            if enabled.is_empty() {
                continue;
            }
            let step = enabled[random.below(enabled.len() as u64) as usize];
            let mut after = Vec::with_capacity(step.updates.len());
            for (&symbol, &value) in &step.updates {
                after.push((symbol, self.tape.value(terms, value, state)?));
            }
            state.values.extend(after);
            return Some(step.target);
        }
        None
    }
}

/// Numbers without a pattern, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        // Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % bound
    }

    fn value(&mut self, sort: Sort, constants: &[u128]) -> Value {
        let number: i128 = match self.below(8) {
            0 => 0,
            1 => 1,
            2 | 3 => self.below(12).into(),
            4 => self.below(60).into(),
            5 => i128::from(self.below(12)) - 6,
            6 if !constants.is_empty() => {
                let constant = constants[self.below(constants.len() as u64) as usize];
                constant.cast_signed().wrapping_add(i128::from(self.below(3)) - 1)
            }
            _ => self.below(2000).into(),
        };
        match sort {
            Sort::Bool => Value::Bool(number % 2 != 0),
            Sort::Int => Value::Int(number),
            Sort::BitVec(width) => Value::bv(number.cast_unsigned(), width),
            Sort::Array(..) => Value::zero(sort),
        }
    }
}
