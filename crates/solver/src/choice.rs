//! Which solver is asked.

use std::time::Duration;

use hardbop_base::Budget;

use crate::{Blaster, Limits, Solver, Z3};

/// What z3 may take for a question of a certificate before the bit-blaster is asked.
const FIRST_TRY: Duration = Duration::from_millis(300);

/// The solver of searches: the bit-blaster, or z3 where there are mathematical integers.
pub fn new_solver(integers: bool, budget: &Budget) -> Box<dyn Solver> {
    if integers { Box::new(Z3::new(budget)) } else { Box::new(Blaster::new(budget)) }
}

/// The solvers of certificates, in the order in which they are asked: z3, which searches use only where nothing else
/// can; then a fresh instance of what they used.
pub fn certifiers(integers: bool, budget: &Budget) -> Vec<Box<dyn Solver>> {
    let mut first: Box<dyn Solver> = Box::new(Z3::new(budget));
    if integers {
        return vec![first];
    }
    first.set_limits(Limits { time: Some(FIRST_TRY), ..Limits::default() });
    vec![first, new_solver(integers, budget)]
}
