//! Are there initial states that satisfy a condition? Asked for each triple, so mostly answered without
//! the solver: every gate is evaluated on 64 initial states at once, which are all there are if six or
//! fewer initial values are symbolic, and random ones otherwise.

use hardbop_base::Budget;

use super::Halt;
use super::circuit::{Circuit, Gate, Lit};
use super::solver::Problem;

/// The sampled states, and a solver for the rest.
pub(super) struct Coverage {
    inputs: usize,
    /// The values of each gate on the sampled states.
    samples: Vec<u64>,
    pub problem: Problem,
}

/// The inputs whose values over 64 states enumerate all combinations.
const ENUMERATED: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl Coverage {
    pub fn new(budget: &Budget, inputs: usize) -> Self {
        Coverage { inputs, samples: Vec::new(), problem: Problem::new(budget) }
    }

    /// Whether the condition holds in some initial state.
    pub fn satisfiable(&mut self, circuit: &Circuit, condition: Lit) -> Result<bool, Halt> {
        if condition == Lit::TRUE || condition == Lit::FALSE {
            return Ok(condition == Lit::TRUE);
        }
        if self.sample(circuit, condition) != 0 {
            return Ok(true);
        }
        if self.inputs <= ENUMERATED.len() {
            return Ok(false);
        }
        let literal = self.problem.condition(circuit, condition)?;
        self.problem.solve(Some(literal))
    }

    fn sample(&mut self, circuit: &Circuit, condition: Lit) -> u64 {
        for gate in circuit.gates_from(self.samples.len()) {
            let value = match *gate {
                Gate::False => 0,
                Gate::Input(number) => {
                    let number = number as usize;
                    ENUMERATED.get(number).copied().unwrap_or_else(|| scramble(number as u64))
                }
                Gate::And(a, b) => self.value(a) & self.value(b),
            };
            self.samples.push(value);
        }
        self.value(condition)
    }

    fn value(&self, lit: Lit) -> u64 {
        let value = self.samples[lit.gate()];
        if lit.is_negated() { !value } else { value }
    }
}

/// Bits that look random, the same for each run (the finaliser of SplitMix64).
fn scramble(number: u64) -> u64 {
    let mut z = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
