//! Conditions as a shared circuit of and-gates with negated edges.
//!
//! §5 of the paper leaves the conditions of `assume` and `assert` to the solver: they never become
//! diagrams. They are built here, over the symbolic initial values, and translated gate by gate. What
//! the paper calls constant folding (footnote 8) happens as gates are made: constants, repeated and
//! contradicting operands, one level deep.

use rustc_hash::FxHashMap;

/// A gate of a [`Circuit`] or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Lit(u32);

impl Lit {
    pub const FALSE: Lit = Lit(0);
    pub const TRUE: Lit = Lit(1);

    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    pub fn negated(self) -> Lit {
        Lit(self.0 ^ 1)
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The position of the gate in its circuit.
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// The value, given those of all gates.
    pub fn value(self, gates: &[bool]) -> bool {
        gates[self.gate()] != self.is_negated()
    }
}

/// What a gate computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    False,
    /// The initial value with this number.
    Input(u32),
    And(Lit, Lit),
}

/// A table of gates; operands come before their users.
#[derive(Debug)]
pub(super) struct Circuit {
    gates: Vec<Gate>,
    ids: FxHashMap<(Lit, Lit), Lit>,
    inputs: Vec<Lit>,
}

impl Circuit {
    pub fn new(inputs: usize) -> Self {
        let mut circuit = Circuit { gates: vec![Gate::False], ids: FxHashMap::default(), inputs: Vec::new() };
        for input in 0..inputs {
            let lit = circuit.push(Gate::Input(input as u32));
            circuit.inputs.push(lit);
        }
        circuit
    }

    pub fn input(&self, number: u32) -> Lit {
        self.inputs[number as usize]
    }

    pub fn gate(&self, lit: Lit) -> Gate {
        self.gates[lit.gate()]
    }

    /// The gates from a position on.
    pub fn gates_from(&self, position: usize) -> &[Gate] {
        self.gates.get(position..).unwrap_or_default()
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == b.negated() {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if let Some(folded) = self.fold(a, b).or_else(|| self.fold(b, a)).or_else(|| self.resolve(a, b)) {
            return folded;
        }
        match self.ids.get(&(a, b)) {
            Some(&lit) => lit,
            None => {
                let lit = self.push(Gate::And(a, b));
                self.ids.insert((a, b), lit);
                lit
            }
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        self.and(a.negated(), b.negated()).negated()
    }

    /// `high` where the condition holds, else `low`.
    pub fn mux(&mut self, condition: Lit, high: Lit, low: Lit) -> Lit {
        let high = self.and(condition, high);
        let low = self.and(condition.negated(), low);
        self.or(high, low)
    }

    /// Gives every gate behind the known ones its value.
    pub fn extend_values(&self, initial: &[bool], values: &mut Vec<bool>) {
        for gate in &self.gates[values.len()..] {
            let value = match *gate {
                Gate::False => false,
                Gate::Input(number) => initial[number as usize],
                Gate::And(a, b) => a.value(values) && b.value(values),
            };
            values.push(value);
        }
    }

    fn push(&mut self, gate: Gate) -> Lit {
        // Memory ends long before gates can no longer be numbered.
        self.gates.push(gate);
        Lit((self.gates.len() as u32 - 1) << 1)
    }

    /// `a ∧ b` where `b` is a gate that `a` decides or is decided by.
    fn fold(&self, a: Lit, b: Lit) -> Option<Lit> {
        let Gate::And(c, d) = self.gate(b) else { return None };
        let (repeats, contradicts) = (a == c || a == d, a == c.negated() || a == d.negated());
        match (b.is_negated(), repeats, contradicts) {
            (false, true, _) => Some(b),
            (false, _, true) => Some(Lit::FALSE),
            (true, _, true) => Some(a),
            _ => None,
        }
    }

    /// `¬(x ∧ y) ∧ ¬(x ∧ ¬y)` is `¬x`.
    fn resolve(&self, a: Lit, b: Lit) -> Option<Lit> {
        let (Gate::And(c, d), Gate::And(e, f)) = (self.gate(a), self.gate(b)) else { return None };
        if !a.is_negated() || !b.is_negated() {
            return None;
        }
        for ((x, y), (u, v)) in [((c, d), (e, f)), ((c, d), (f, e)), ((d, c), (e, f)), ((d, c), (f, e))] {
            if x == u && y == v.negated() {
                return Some(x.negated());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of functions of three inputs that one operation makes, against their values.
    #[test]
    fn gates_compute_what_they_say() {
        let mut circuit = Circuit::new(3);
        let mut lits: Vec<Lit> = (0..3).map(|i| circuit.input(i)).collect();
        for round in 0..2 {
            lits.extend(lits.clone().into_iter().map(Lit::negated));
            let mut made = Vec::new();
            for &a in &lits {
                for &b in &lits {
                    made.push((a, b, circuit.and(a, b), circuit.or(a, b), circuit.mux(a, b.negated(), b)));
                }
            }
            for bits in 0..8u32 {
                let initial: Vec<bool> = (0..3).map(|i| bits >> i & 1 == 1).collect();
                let mut values = Vec::new();
                circuit.extend_values(&initial, &mut values);
                for &(a, b, and, or, xor) in &made {
                    let (x, y) = (a.value(&values), b.value(&values));
                    let found = [and, or, xor].map(|lit| lit.value(&values));
                    assert_eq!(found, [x && y, x || y, x != y], "{a:?} {b:?}");
                }
            }
            if round == 0 {
                lits.extend(made.into_iter().flat_map(|(_, _, and, or, xor)| [and, or, xor]));
                lits.sort_unstable();
                lits.dedup();
            }
        }
    }

    #[test]
    fn branches_on_a_condition_meet_again() {
        let mut circuit = Circuit::new(2);
        let (x, c) = (circuit.input(0), circuit.input(1));
        let (yes, no) = (circuit.and(x, c), circuit.and(x, c.negated()));
        assert_eq!(circuit.or(yes, no), x);
        assert_eq!(circuit.or(c, c.negated()), Lit::TRUE);
    }
}
