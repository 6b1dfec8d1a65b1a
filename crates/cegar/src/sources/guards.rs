//! Conditions that the program itself tests along the path, the last one first: what its author thought of.

use hardbop_base::Stop;
use hardbop_ir::Statement;
use hardbop_path::{activations, scoped};
use hardbop_predicate::Predicate;
use hardbop_semantics::path::PathStep;

use super::{Proposal, Source};
use crate::learn::Impossible;

pub(crate) struct Guards;

impl Source for Guards {
    fn propose(&self, path: &mut Impossible<'_>, _: &[Predicate]) -> Result<Proposal, Stop> {
        let (program, alias) = (path.subject.program, path.subject.alias);
        let mut found = Vec::new();
        for (step, procedure) in path.path.steps.iter().zip(activations(path.path)).rev() {
            if let PathStep::Edge(edge) = *step
                && let Statement::Assume(condition) = program.procedures[procedure].edges[edge].statement
            {
                found.extend(scoped(program, alias, procedure, condition));
            }
        }
        Ok(Proposal::Predicates(found))
    }
}
