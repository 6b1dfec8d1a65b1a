//! The circuit: gates with negated edges, each function of the same operands once.

use rustc_hash::FxHashMap;

/// A gate of a [`Circuit`] or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    pub const FALSE: Lit = Lit(0);
    pub const TRUE: Lit = Lit(1);

    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The position of the gate in its circuit.
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn negated_if(self, condition: bool) -> Lit {
        Lit(self.0 ^ u32::from(condition))
    }

    /// The gate at a position.
    pub fn at(position: usize) -> Lit {
        Lit((position as u32) << 1)
    }

    /// The gate itself.
    fn plain(self) -> Lit {
        Lit(self.0 & !1)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a gate computes. Operands are sorted, and as few as possible are negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gate {
    False,
    Input,
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// The second where the first holds, else the third.
    Choice(Lit, Lit, Lit),
    /// What at least two of the three are.
    Majority(Lit, Lit, Lit),
}

/// A table of gates; operands come before their users.
#[derive(Debug)]
pub struct Circuit {
    gates: Vec<Gate>,
    ids: FxHashMap<Gate, Lit>,
}

impl Default for Circuit {
    fn default() -> Self {
        Circuit { gates: vec![Gate::False], ids: FxHashMap::default() }
    }
}

impl Circuit {
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    pub fn gate(&self, position: usize) -> Gate {
        self.gates[position]
    }

    pub fn input(&mut self) -> Lit {
        self.push(Gate::Input)
    }

    pub fn inputs(&mut self, count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.input()).collect()
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match (a, b) {
            (Lit::FALSE, _) => Lit::FALSE,
            (Lit::TRUE, _) => b,
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            _ => self
                .and_below(a, b)
                .or_else(|| self.and_below(b, a))
                .unwrap_or_else(|| self.hashed(Gate::And(a, b))),
        }
    }

    /// `a ∧ b` where `b` is a conjunction that `a` decides or is decided by.
    fn and_below(&self, a: Lit, b: Lit) -> Option<Lit> {
        let Gate::And(c, d) = self.gate(b.gate()) else { return None };
        let (repeats, contradicts) = (a == c || a == d, a == !c || a == !d);
        match (b.is_negated(), repeats, contradicts) {
            (false, true, _) => Some(b),
            (false, _, true) => Some(Lit::FALSE),
            (true, _, true) => Some(a),
            _ => None,
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negated = a.is_negated() != b.is_negated();
        let (a, b) = (a.plain().min(b.plain()), a.plain().max(b.plain()));
        let plain = match (a, b) {
            _ if a == b => Lit::FALSE,
            (Lit::FALSE, _) => b,
            _ => self.hashed(Gate::Xor(a, b)),
        };
        plain.negated_if(negated)
    }

    /// `yes` where the condition holds, else `no`.
    pub fn choice(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        let (condition, yes, no) =
            if condition.is_negated() { (!condition, no, yes) } else { (condition, yes, no) };
        match (yes, no) {
            _ if condition == Lit::FALSE => no,
            _ if yes == no => yes,
            _ if yes == !no => self.xor(condition, no),
            _ if yes == Lit::TRUE || yes == condition => self.or(condition, no),
            _ if yes == Lit::FALSE || yes == !condition => self.and(!condition, no),
            _ if no == Lit::TRUE || no == !condition => self.or(!condition, yes),
            _ if no == Lit::FALSE || no == condition => self.and(condition, yes),
            _ => {
                let negated = yes.is_negated();
                let gate = Gate::Choice(condition, yes.negated_if(negated), no.negated_if(negated));
                self.hashed(gate).negated_if(negated)
            }
        }
    }

    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut operands = [a, b, c];
        operands.sort_unstable();
        let [a, b, c] = operands;
        match a {
            Lit::FALSE => return self.and(b, c),
            Lit::TRUE => return self.or(b, c),
            _ => {}
        }
        // Equal or complementary operands are neighbours in the order.
        if a == b || b == !c {
            return a;
        }
        if b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        let negated = a.is_negated();
        let [a, b, c] = [a, b, c].map(|operand| operand.negated_if(negated));
        self.hashed(Gate::Majority(a, b, c)).negated_if(negated)
    }

    fn hashed(&mut self, gate: Gate) -> Lit {
        match self.ids.get(&gate) {
            Some(&lit) => lit,
            None => {
                let lit = self.push(gate);
                self.ids.insert(gate, lit);
                lit
            }
        }
    }

    fn push(&mut self, gate: Gate) -> Lit {
        self.gates.push(gate);
        // The encoder stops long before gates are out of numbers.
        Lit((self.gates.len() as u32 - 1) << 1)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The values of all gates for values of the inputs, the first input lowest.
    pub fn values(circuit: &Circuit, inputs: u32) -> Vec<bool> {
        let mut next = 0;
        let mut values: Vec<bool> = Vec::new();
        for position in 0..circuit.len() {
            let value = |lit: Lit| values[lit.gate()] != lit.is_negated();
            let result = match circuit.gate(position) {
                Gate::False => false,
                Gate::Input => {
                    next += 1;
                    inputs >> (next - 1) & 1 == 1
                }
                Gate::And(a, b) => value(a) && value(b),
                Gate::Xor(a, b) => value(a) != value(b),
                Gate::Choice(c, a, b) => {
                    if value(c) {
                        value(a)
                    } else {
                        value(b)
                    }
                }
                Gate::Majority(a, b, c) => [a, b, c].into_iter().filter(|&lit| value(lit)).count() >= 2,
            };
            values.push(result);
        }
        values
    }

    /// All functions that two layers of gates make of three inputs, against their truth tables.
    #[test]
    fn gates_compute_what_they_say() {
        let mut circuit = Circuit::default();
        let mut lits = circuit.inputs(3);
        lits.push(Lit::FALSE);
        let mut made = Vec::new();
        for round in 0..2 {
            lits.extend(lits.clone().into_iter().map(|lit| !lit));
            let mut next = Vec::new();
            for &a in &lits {
                for &b in &lits {
                    let binary = [circuit.and(a, b), circuit.or(a, b), circuit.xor(a, b)];
                    next.extend(binary);
                    for &c in &lits {
                        let ternary = [circuit.choice(a, b, c), circuit.majority(a, b, c)];
                        next.extend(ternary);
                        made.push((a, b, c, binary, ternary));
                    }
                }
            }
            if round == 0 {
                lits.extend(next.into_iter().step_by(3));
                lits.sort_unstable();
                lits.dedup();
                lits.truncate(60);
            }
        }
        for inputs in 0..8 {
            let values = values(&circuit, inputs);
            let value = |lit: Lit| values[lit.gate()] != lit.is_negated();
            for &(a, b, c, binary, ternary) in &made {
                let (x, y, z) = (value(a), value(b), value(c));
                assert_eq!(binary.map(value), [x && y, x || y, x != y]);
                let choice = if x { y } else { z };
                assert_eq!(ternary.map(value), [choice, u8::from(x) + u8::from(y) + u8::from(z) >= 2]);
            }
        }
    }
}
