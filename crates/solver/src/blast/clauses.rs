//! Clauses for CaDiCaL: of each gate that a query reaches, both directions of its definition, once.

use std::time::Duration;

use hardbop_base::Budget;

use crate::Clock;

use super::gates::{Circuit, Gate, Lit};

/// Tells CaDiCaL when to stop.
struct Stopper {
    budget: Budget,
    deadline: Option<(Clock, Duration)>,
}

impl Stopper {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|(clock, end)| clock() >= end)
    }
}

impl cadical::Callbacks for Stopper {
    fn terminate(&mut self) -> bool {
        self.budget.check().is_err() || self.is_late()
    }
}

/// The SAT solver with what was passed to it.
pub struct Clauses {
    solver: cadical::Solver<Stopper>,
    variables: i32,
    /// The variables of gates; zero for those that were not needed yet.
    of_gates: Vec<i32>,
    /// Inputs that got a variable since they were last asked for.
    new_inputs: Vec<Lit>,
}

impl Clauses {
    pub fn new(budget: &Budget) -> Self {
        let mut solver = cadical::Solver::new();
        solver.set_callbacks(Some(Stopper { budget: budget.clone(), deadline: None }));
        Clauses { solver, variables: 0, of_gates: Vec::new(), new_inputs: Vec::new() }
    }

    pub fn set_deadline(&mut self, deadline: Option<(Clock, Duration)>) {
        if let Some(stopper) = self.solver.get_callbacks() {
            stopper.deadline = deadline;
        }
    }

    pub fn is_late(&mut self) -> bool {
        self.solver.get_callbacks().is_some_and(|stopper| stopper.is_late())
    }

    pub fn variable(&mut self) -> i32 {
        // There are fewer gates and levels than variables have numbers; the encoder sees to that.
        self.variables += 1;
        self.variables
    }

    pub fn clause(&mut self, literals: &[i32]) {
        self.solver.add_clause(literals.iter().copied());
    }

    /// The literal of a gate, passing all that defines it.
    pub fn literal(&mut self, circuit: &Circuit, lit: Lit) -> i32 {
        if self.of_gates.len() < circuit.len() {
            self.of_gates.resize(circuit.len(), 0);
        }
        let mut open = vec![lit];
        while let Some(&top) = open.last() {
            if self.known(top).is_some() {
                open.pop();
                continue;
            }
            let gate = circuit.gate(top.gate());
            let before = open.len();
            for operand in operands(gate).into_iter().flatten() {
                if self.known(operand).is_none() {
                    open.push(operand);
                }
            }
            if open.len() == before {
                self.define(top.gate(), gate);
                open.pop();
            }
        }
        self.known(lit).unwrap_or_default()
    }

    fn define(&mut self, position: usize, gate: Gate) {
        let v = self.variable();
        self.of_gates[position] = v;
        let [a, b, c] =
            operands(gate).map(|operand| operand.and_then(|lit| self.known(lit)).unwrap_or_default());
        match gate {
            Gate::False => self.clause(&[-v]),
            Gate::Input => self.new_inputs.push(Lit::at(position)),
            Gate::And(..) => {
                for clause in [[-v, a], [-v, b]] {
                    self.clause(&clause);
                }
                self.clause(&[v, -a, -b]);
            }
            Gate::Xor(..) => {
                for clause in [[-v, a, b], [-v, -a, -b], [v, -a, b], [v, a, -b]] {
                    self.clause(&clause);
                }
            }
            Gate::Choice(..) => {
                // The last two follow, but let the arms alone decide.
                let clauses = [[-a, -b, v], [-a, b, -v], [a, -c, v], [a, c, -v], [-b, -c, v], [b, c, -v]];
                for clause in clauses {
                    self.clause(&clause);
                }
            }
            Gate::Majority(..) => {
                let clauses = [[-a, -b, v], [-a, -c, v], [-b, -c, v], [a, b, -v], [a, c, -v], [b, c, -v]];
                for clause in clauses {
                    self.clause(&clause);
                }
            }
        }
    }

    /// The literal of a gate, if it was passed.
    pub fn known(&self, lit: Lit) -> Option<i32> {
        let variable = self.of_gates.get(lit.gate()).copied().filter(|&variable| variable != 0)?;
        Some(if lit.is_negated() { -variable } else { variable })
    }

    /// The inputs that were passed since the last call.
    pub fn take_new_inputs(&mut self) -> Vec<Lit> {
        std::mem::take(&mut self.new_inputs)
    }

    /// Whether the clauses are satisfiable under assumptions; nothing if a limit was reached.
    pub fn solve(&mut self, assumptions: &[i32], conflicts: Option<u64>) -> Option<bool> {
        if let Some(conflicts) = conflicts {
            let limit = i32::try_from(conflicts).unwrap_or(i32::MAX);
            // The name is one that CaDiCaL knows.
            let _ = self.solver.set_limit("conflicts", limit);
        }
        self.solver.solve_with(assumptions.iter().copied())
    }

    /// After "unsatisfiable": whether an assumption was used.
    pub fn failed(&self, assumption: i32) -> bool {
        self.solver.failed(assumption)
    }

    /// After "satisfiable": the value of a gate; false if it was not passed, and nothing depends on it.
    pub fn value(&self, lit: Lit) -> bool {
        match self.known(lit) {
            Some(literal) => self.solver.value(literal.abs()).unwrap_or(false) == (literal > 0),
            None => lit.is_negated(),
        }
    }

    /// The number that a word is.
    pub fn number(&self, word: &[Lit]) -> u128 {
        word.iter().rev().fold(0, |number, &bit| number << 1 | u128::from(self.value(bit)))
    }
}

fn operands(gate: Gate) -> [Option<Lit>; 3] {
    match gate {
        Gate::False | Gate::Input => [None; 3],
        Gate::And(a, b) | Gate::Xor(a, b) => [Some(a), Some(b), None],
        Gate::Choice(a, b, c) | Gate::Majority(a, b, c) => [Some(a), Some(b), Some(c)],
    }
}
