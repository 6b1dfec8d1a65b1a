//! Programs in X whose `main` is a single path.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Sources};
use hardbop_ir::{ProcId, Program, Statement};
use hardbop_path::Path;
use hardbop_semantics::Subject;
use hardbop_semantics::path::PathStep;

/// A program with what is known about its memory, and its only path.
pub struct Straight {
    pub program: Program,
    pub alias: Alias,
    pub regions: Regions,
    pub path: Path,
    /// The statements of the steps, as text.
    pub statements: Vec<String>,
}

impl Straight {
    pub fn new(text: &str) -> Self {
        let mut sources = Sources::new();
        let file = sources.add("test.x", text);
        let program = hardbop_teach::load(&sources, file, &hardbop_teach::TeachOptions::default());
        let program = program.unwrap_or_else(|errors| panic!("{}", errors.render(&sources)));
        let budget = Budget::unlimited();
        let alias = Alias::of(&program, &budget).unwrap();
        let regions = Regions::of(&program, &alias, &[], &budget).unwrap();
        let mut straight = Straight {
            path: Path { entry: program.entry.unwrap(), steps: Vec::new() },
            program,
            alias,
            regions,
            statements: Vec::new(),
        };
        straight.follow(straight.path.entry);
        straight
    }

    /// Follows the first edge of each location, into calls, until an error; says whether there was none.
    fn follow(&mut self, procedure: ProcId) -> bool {
        let mut location = self.program.procedures[procedure].entry;
        loop {
            let body = &self.program.procedures[procedure];
            let Some((id, edge)) = body.edges.iter().find(|(_, edge)| edge.source == location) else {
                return true;
            };
            location = edge.target;
            self.statements.push(self.program.show_statement(&edge.statement));
            match edge.statement {
                Statement::Error(_) => {
                    self.statements.pop();
                    return false;
                }
                Statement::Call { .. } => {
                    let callee = self.alias.callees(procedure, id)[0];
                    self.path.steps.push(PathStep::Enter(id, callee));
                    if !self.follow(callee) {
                        return false;
                    }
                    self.path.steps.push(PathStep::Leave);
                    self.statements.push("leave".to_owned());
                }
                _ => self.path.steps.push(PathStep::Edge(id)),
            }
        }
    }

    pub fn subject(&self) -> Subject<'_> {
        Subject { program: &self.program, alias: &self.alias, regions: &self.regions }
    }
}
