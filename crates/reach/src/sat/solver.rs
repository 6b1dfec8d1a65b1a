//! The satisfiability problem, passed to CaDiCaL piece by piece.
//!
//! A triple `t` becomes the variable *¬t*, "goes wrong", so the problem asserts that of the first
//! triple. Of each equation only the half is passed that says why a triple goes wrong: it occurs
//! nowhere under another sign, so the other half would change nothing about satisfiability.

use hardbop_base::Budget;

use super::Halt;
use super::circuit::{Circuit, Gate, Lit};

struct Stopper(Budget);

impl cadical::Callbacks for Stopper {
    fn terminate(&mut self) -> bool {
        self.0.check().is_err()
    }
}

/// The solver with what was passed to it.
pub(super) struct Problem {
    solver: cadical::Solver<Stopper>,
    budget: Budget,
    variables: i32,
    /// The variables of gates.
    gates: Vec<Option<i32>>,
    pub clauses: u64,
    pub calls: u64,
}

impl Problem {
    pub fn new(budget: &Budget) -> Self {
        let mut solver = cadical::Solver::new();
        solver.set_callbacks(Some(Stopper(budget.clone())));
        Problem { solver, budget: budget.clone(), variables: 0, gates: Vec::new(), clauses: 0, calls: 0 }
    }

    pub fn variable(&mut self) -> Result<i32, Halt> {
        let next = self.variables.checked_add(1).filter(|next| *next < i32::MAX);
        self.variables = next.ok_or_else(|| Halt::Limit("more variables than the solver can name".into()))?;
        Ok(self.variables)
    }

    pub fn clause(&mut self, literals: &[i32]) {
        self.solver.add_clause(literals.iter().copied());
        self.clauses += 1;
    }

    /// The literal of a condition that is not constant.
    pub fn condition(&mut self, circuit: &Circuit, lit: Lit) -> Result<i32, Halt> {
        let mut stack = vec![lit];
        while let Some(&top) = stack.last() {
            let gate = top.gate();
            if self.gates.len() <= gate {
                self.gates.resize(gate + 1, None);
            }
            if self.gates[gate].is_some() {
                stack.pop();
                continue;
            }
            match circuit.gate(top) {
                Gate::And(a, b) => match (self.known(a), self.known(b)) {
                    (Some(a), Some(b)) => {
                        let variable = self.variable()?;
                        self.clause(&[-variable, a]);
                        self.clause(&[-variable, b]);
                        self.clause(&[variable, -a, -b]);
                        self.gates[gate] = Some(variable);
                    }
                    (None, _) => stack.push(a),
                    (_, None) => stack.push(b),
                },
                Gate::Input(_) => self.gates[gate] = Some(self.variable()?),
                Gate::False => {
                    let variable = self.variable()?;
                    self.clause(&[-variable]);
                    self.gates[gate] = Some(variable);
                }
            }
        }
        self.known(lit).map_or_else(|| self.variable(), Ok)
    }

    /// Whether the problem is satisfiable, given an assumption or none.
    pub fn solve(&mut self, assumption: Option<i32>) -> Result<bool, Halt> {
        self.budget.check().map_err(Halt::Stopped)?;
        self.calls += 1;
        self.solver.solve_with(assumption).ok_or_else(|| match self.budget.check() {
            Err(stop) => Halt::Stopped(stop),
            Ok(()) => Halt::Limit("the solver gave up".into()),
        })
    }

    /// Whether the last problem was unsatisfiable because of the assumption.
    pub fn failed(&self, assumption: i32) -> bool {
        self.solver.failed(assumption)
    }

    /// The value of a variable in the last solution.
    pub fn value(&self, variable: i32) -> bool {
        self.solver.value(variable).unwrap_or(false)
    }

    /// The value of a condition in the last solution, if it was passed.
    pub fn condition_value(&self, lit: Lit) -> Option<bool> {
        self.known(lit).map(|literal| self.value(literal.abs()) == (literal > 0))
    }

    fn known(&self, lit: Lit) -> Option<i32> {
        let variable = self.gates.get(lit.gate()).copied().flatten()?;
        Some(if lit.is_negated() { -variable } else { variable })
    }
}
