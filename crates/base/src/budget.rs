//! Budgets: how a long computation learns that it must stop.
//!
//! A [`Budget`] is a flag shared between the engines, which poll it, and the code that watches the clock
//! and the memory (the command line), who raises it. Engines therefore never look at a clock. It also says how
//! large the stacks of their threads may be.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Why a computation was told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stop {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The user interrupted it.
    Interrupt,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Time => "time limit reached",
            Stop::Memory => "memory limit reached",
            Stop::Interrupt => "interrupted",
        })
    }
}

impl std::error::Error for Stop {}

/// A stop flag, cheap to clone and to poll. The default budget never runs out.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    state: Arc<AtomicU8>,
    /// The budget that this one is a part of.
    whole: Option<Arc<Budget>>,
    /// How large a stack may be.
    stacks: Option<usize>,
}

impl Budget {
    /// A budget that lasts until [`Budget::stop`] is called on a clone of it.
    pub fn unlimited() -> Self {
        Budget::default()
    }

    /// A part of this budget: it is spent when this one is, and can be stopped by itself.
    pub fn part(&self) -> Self {
        Budget { state: Arc::default(), whole: Some(Arc::new(self.clone())), stacks: self.stacks }
    }

    /// The same budget, with stacks of no more than so many bytes, if there is a limit.
    pub fn with_stacks(self, most: Option<usize>) -> Self {
        Budget { stacks: most, ..self }
    }

    /// How large to make the stack of a thread that wants so many bytes.
    pub fn stack(&self, wanted: usize) -> usize {
        self.stacks.map_or(wanted, |most| wanted.min(most))
    }

    /// Tells every holder to stop. The first reason given stays.
    pub fn stop(&self, reason: Stop) {
        let code = match reason {
            Stop::Time => 1,
            Stop::Memory => 2,
            Stop::Interrupt => 3,
        };
        // A lost race means that another reason came first, which is the one to report.
        let _ = self.state.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// `Err` with the reason once the budget is spent.
    pub fn check(&self) -> Result<(), Stop> {
        match self.state.load(Ordering::Relaxed) {
            0 => self.whole.as_ref().map_or(Ok(()), |whole| whole.check()),
            1 => Err(Stop::Time),
            2 => Err(Stop::Memory),
            _ => Err(Stop::Interrupt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_reason_stays() {
        let budget = Budget::unlimited();
        let watcher = budget.clone();
        assert_eq!(budget.check(), Ok(()));
        watcher.stop(Stop::Memory);
        watcher.stop(Stop::Time);
        assert_eq!(budget.check(), Err(Stop::Memory));
    }

    #[test]
    fn stacks_are_as_large_as_wanted_or_as_there_is_room_for() {
        assert_eq!(Budget::unlimited().stack(1 << 30), 1 << 30);
        let small = Budget::unlimited().with_stacks(Some(1 << 20)).part();
        assert_eq!((small.stack(1 << 30), small.stack(1 << 10)), (1 << 20, 1 << 10));
    }

    #[test]
    fn a_part_is_spent_with_the_whole_but_not_the_other_way_round() {
        let whole = Budget::unlimited();
        let (one, other) = (whole.part(), whole.part());
        one.stop(Stop::Interrupt);
        assert_eq!(one.check(), Err(Stop::Interrupt));
        assert_eq!((other.check(), whole.check()), (Ok(()), Ok(())));
        whole.stop(Stop::Time);
        assert_eq!((one.check(), other.check()), (Err(Stop::Interrupt), Err(Stop::Time)));
    }
}
