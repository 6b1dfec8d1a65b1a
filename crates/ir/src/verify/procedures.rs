//! Rules 5 and 6: procedures and their graphs.

use rustc_hash::FxHashSet;

use super::{Context, Verifier};
use crate::{Edge, LocationId, MISFIT, ProcId, Procedure, Statement};

impl Verifier<'_> {
    /// Checks the names of procedures and the entry of the program.
    pub(super) fn program_entry(&mut self) {
        let program = self.program;
        let mut names = FxHashSet::default();
        for (id, procedure) in program.procedures.iter() {
            self.at = Context { procedure: Some(id), edge: None, span: procedure.span };
            if !names.insert(procedure.name.as_str()) {
                self.bad(format!("there are two procedures `{}`", procedure.name));
            }
        }
        if program.has_calls_through_pointers() && program.misfit().is_none() {
            self.at = Context { procedure: None, edge: None, span: hardbop_base::Span::none() };
            self.bad(format!("there are calls through pointers, but no procedure `{MISFIT}`"));
        }
        let Some(entry) = program.entry else { return };
        let Some(procedure) = program.procedures.get(entry) else {
            self.at = Context { procedure: None, edge: None, span: hardbop_base::Span::none() };
            return self.bad(format!("the entry is procedure {entry:?}, which is not there"));
        };
        self.at = Context { procedure: Some(entry), edge: None, span: procedure.span };
        if !procedure.formals.is_empty() {
            self.bad("the entry of the program has formals");
        }
        if procedure.external.is_some() {
            self.bad("the entry of the program is external");
        }
    }

    /// Checks a procedure.
    pub(super) fn procedure(&mut self, id: ProcId) {
        let procedure = &self.program.procedures[id];
        self.at = Context { procedure: Some(id), edge: None, span: procedure.span };
        self.span(procedure.span);
        self.local_names(procedure);
        if procedure.external.is_some() {
            let body = procedure.locations.len() + procedure.edges.len() + procedure.locals.len();
            if body > 0 {
                self.bad("the procedure is external but has a body");
            }
            return;
        }
        let known = |location: LocationId| procedure.locations.get(location).is_some();
        if !known(procedure.entry) || !known(procedure.exit) {
            self.bad("the entry or the exit is not there");
        }
        for (edge_id, edge) in procedure.edges.iter() {
            self.at = Context { procedure: Some(id), edge: Some(edge_id), span: edge.span };
            self.span(edge.span);
            self.ends(procedure, edge);
            self.statement(&edge.statement);
        }
    }

    fn local_names(&mut self, procedure: &Procedure) {
        let program = self.program;
        let mut names = FxHashSet::default();
        for &id in procedure.formals.iter().chain(&procedure.locals).chain(&procedure.result) {
            let Some(variable) = program.variables.get(id) else { continue };
            if !names.insert(variable.name.as_str()) {
                self.bad(format!("there are two variables `{}`", variable.name));
            }
        }
    }

    fn ends(&mut self, procedure: &Procedure, edge: &Edge) {
        for end in [edge.source, edge.target] {
            if procedure.locations.get(end).is_none() {
                self.bad(format!("location L{} is not there", end.index()));
            }
        }
        if edge.target == procedure.entry {
            self.bad("an edge enters the entry");
        }
        if edge.source == procedure.exit {
            self.bad("an edge leaves the exit");
        }
        let returns = edge.statement == Statement::Return;
        if returns && edge.target != procedure.exit {
            self.bad("a return does not lead to the exit");
        }
        if !returns && edge.target == procedure.exit {
            self.bad("an edge that is no return enters the exit");
        }
    }
}
