//! What a run under test gets for arbitrary values.

use hardbop_ir::interpret::{Inputs, Request, SeededInputs, Source};
use hardbop_ir::{Arbitrary, PlaceBase, Projection, Statement};

/// Random values where the program asks for one, and one byte, repeated, for all storage that was never
/// written or that became arbitrary as a whole.
pub struct Draws {
    random: SeededInputs,
    fill: u8,
}

impl Draws {
    /// The values of a seed. The byte is 0 or 1, so that it is also a truth value.
    pub fn new(seed: u64) -> Self {
        Draws { random: SeededInputs::new(seed), fill: (seed & 1) as u8 }
    }

    /// The byte that storage without a value holds.
    pub fn fill(&self) -> u8 {
        self.fill
    }

    /// Whether a value is for a scalar variable that the current step makes arbitrary, or the result of a function without a
    /// definition, so that it cannot be for storage that is read.
    fn is_immediate(request: &Request<'_>, kind: &Arbitrary) -> bool {
        let program = request.program;
        let procedure = &program.procedures[request.site.procedure];
        let Some(edge) = procedure.edges.get(request.site.edge) else { return false };
        match &edge.statement {
            Statement::Havoc(place, drawn) => {
                let place = program.place(*place);
                drawn == kind
                    && matches!(kind, Arbitrary::Nondet(_))
                    && program.is_scalar(place.ty)
                    && matches!(place.base, PlaceBase::Var(_))
                    && place.path.iter().all(|step| matches!(step, Projection::Field(_)))
            }
            Statement::Call { .. } => request.storage.is_none() && matches!(kind, Arbitrary::External(_)),
            _ => false,
        }
    }
}

impl Inputs for Draws {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        match request.source {
            Source::Value(kind) if !Draws::is_immediate(request, kind) => {
                u128::from_le_bytes([self.fill; 16])
            }
            _ => self.random.next(request),
        }
    }
}
