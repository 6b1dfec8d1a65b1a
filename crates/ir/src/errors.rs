//! Where a program breaks properties. Verdicts are about sets of such places.

use crate::{EdgeId, Halt, ProcId, Program, Property, Statement};

/// An edge that breaks a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorSite {
    /// The procedure of the edge.
    pub procedure: ProcId,
    /// The edge.
    pub edge: EdgeId,
}

impl Property {
    /// The statement in place of an error that is not checked: a label does nothing, and what fails ends the run.
    pub fn when_ignored(&self) -> Statement {
        match self {
            Property::ErrorLabel(_) => Statement::Skip,
            Property::ErrorFunction(_) | Property::Assertion(_) => Statement::Halt(Halt::Abort),
        }
    }
}

impl Program {
    /// All places where properties are broken, in order.
    pub fn errors(&self) -> Vec<ErrorSite> {
        let mut sites = Vec::new();
        for (procedure, p) in self.procedures.iter() {
            let errors = p.edges.iter().filter(|(_, e)| matches!(e.statement, Statement::Error(_)));
            sites.extend(errors.map(|(edge, _)| ErrorSite { procedure, edge }));
        }
        sites
    }

    /// The program in which only these errors are left. Locations and edges keep their numbers.
    pub fn with_errors(&self, wanted: &[ErrorSite]) -> Program {
        let mut program = self.clone();
        for site in self.errors().into_iter().filter(|site| !wanted.contains(site)) {
            let statement = &mut program.procedures[site.procedure].edges[site.edge].statement;
            if let Statement::Error(property) = statement {
                *statement = property.when_ignored();
            }
        }
        program
    }
}
