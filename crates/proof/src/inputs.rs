//! Runs that reach an error, as lists of inputs.
//!
//! A list says for each value how wide it is and which step asks for it. A run in which a step asks for something
//! else is not the one that is meant, even if it reaches an error.

use hardbop_ir::interpret::{Inputs, Outcome, Request, Run};
use hardbop_ir::{EdgeId, ProcId, Property};

/// A value that a step of the run draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputAt {
    /// The value.
    pub value: u128,
    /// How many bits count.
    pub width: u16,
    /// The procedure of the step.
    pub procedure: ProcId,
    /// The step.
    pub edge: EdgeId,
}

/// The error that a run ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorAt {
    /// What is broken.
    pub property: Property,
    /// The procedure.
    pub procedure: ProcId,
    /// The step.
    pub edge: EdgeId,
}

/// What a run needs, and where it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunInputs {
    /// The most steps that it takes.
    pub steps: u64,
    /// Where it ends.
    pub error: ErrorAt,
    /// All values that it draws, in their order.
    pub inputs: Vec<InputAt>,
}

impl RunInputs {
    /// What a run that reached an error drew; nothing if it reached none.
    pub fn of(run: &Run) -> Option<RunInputs> {
        let Outcome::Error { property, site } = &run.outcome else { return None };
        let error = ErrorAt { property: property.clone(), procedure: site.procedure, edge: site.edge };
        let inputs = run.draws.iter().map(|draw| InputAt {
            value: draw.value,
            width: draw.width,
            procedure: draw.procedure,
            edge: draw.edge,
        });
        Some(RunInputs { steps: run.steps, error, inputs: inputs.collect() })
    }
}

/// Answers requests from a list, and remembers the first that is not the one of the list.
pub(crate) struct Listed<'a> {
    pub(crate) list: &'a [InputAt],
    pub(crate) asked: usize,
    /// The number of the input that does not fit.
    pub(crate) differs: Option<usize>,
}

impl Inputs for Listed<'_> {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        let number = self.asked;
        self.asked += 1;
        let site = (request.site.procedure, request.site.edge);
        match self.list.get(number) {
            Some(input) if input.width == request.width && (input.procedure, input.edge) == site => {
                input.value
            }
            other => {
                self.differs.get_or_insert(number);
                other.map_or(0, |input| input.value)
            }
        }
    }
}
