//! The verifier: resolves names, checks every rule that syntax does not, and makes the control-flow
//! form on the way.
//!
//! All errors are collected. After one, the lowering goes on with a stand-in, so that later statements
//! are checked too; the [`Flow`] is handed out only if there was none.

mod lower;

use hardbop_base::{Arena, Diagnostic, Diagnostics, FileId, Span};
use rustc_hash::FxHashMap;

use crate::ast::{Block, Form, Item, Name, Program, Stmt, StmtKind};
use crate::flow::{Edge, Flow, FlowStep, Location, ProcId, Procedure, VarId, VarKind, Variable};
use crate::lexer::{is_identifier, is_label};

/// Checks a program and brings it into control-flow form.
pub fn resolve(program: &Program) -> Result<Flow, Diagnostics> {
    let mut tables = Tables::default();
    let sources = tables.declare(program);
    for source in &sources {
        lower::procedure(&mut tables, source);
    }
    tables.finish()
}

/// All errors of a program that syntax does not exclude.
pub fn verify(program: &Program) -> Diagnostics {
    resolve(program).err().unwrap_or_default()
}

/// Parses and resolves: a text that is free of errors becomes a control-flow form.
pub fn load(text: impl AsRef<[u8]>, file: FileId) -> Result<Flow, Diagnostics> {
    let (program, diagnostics) = crate::parse(text, file);
    if diagnostics.has_errors() { Err(diagnostics) } else { resolve(&program) }
}

/// A procedure, or the blocks of a program in block form, to be lowered.
struct Source<'a> {
    id: ProcId,
    formals: &'a [Name],
    body: Body<'a>,
    end: Span,
}

enum Body<'a> {
    Statements(&'a [Stmt]),
    Blocks(Vec<&'a Block>),
}

/// The program made so far, and the names that are visible everywhere.
#[derive(Default)]
struct Tables<'a> {
    diagnostics: Diagnostics,
    variables: Arena<Variable>,
    globals: Vec<VarId>,
    procedures: Arena<Procedure>,
    locations: Arena<Location>,
    edges: Arena<Edge>,
    global_names: FxHashMap<&'a str, VarId>,
    procedure_names: FxHashMap<&'a str, ProcId>,
}

impl<'a> Tables<'a> {
    /// Enters globals and procedure headers, so that bodies may use them in any order.
    fn declare(&mut self, program: &'a Program) -> Vec<Source<'a>> {
        let mut sources = Vec::new();
        let mut blocks = Vec::new();
        for item in &program.items {
            match item {
                Item::Decl(decl) => decl.names.iter().for_each(|name| self.declare_global(name)),
                Item::Procedure(p) => {
                    self.check_spelling(&p.name, is_identifier(&p.name.text));
                    let id = self.new_procedure(&p.name.text, p.results.count(), p.span, p.end);
                    match self.procedure_names.get(p.name.text.as_str()) {
                        Some(&first) => {
                            let first = self.procedures[first].span;
                            self.duplicate("procedure", &p.name, first);
                        }
                        None => {
                            self.procedure_names.insert(&p.name.text, id);
                        }
                    }
                    sources.push(Source {
                        id,
                        formals: &p.formals,
                        body: Body::Statements(&p.body),
                        end: p.end,
                    });
                }
                Item::Block(block) => blocks.push(block),
            }
        }
        self.check_form(program.form, &sources, &blocks);
        if let Some(first) = blocks.first() {
            let span = first.label.span;
            let id = self.new_procedure("main", 0, span, span);
            self.procedure_names.insert("main", id);
            sources.push(Source { id, formals: &[], body: Body::Blocks(blocks), end: span });
        }
        // Formals decide the arity of calls in bodies that come before them.
        for source in &sources {
            self.procedures[source.id].formal_count = source.formals.len();
        }
        sources
    }

    fn check_form(&mut self, form: Form, sources: &[Source<'_>], blocks: &[&Block]) {
        let mixed = match form {
            Form::Procedures => blocks.first().map(|b| b.label.span),
            Form::Blocks => sources.first().map(|s| self.procedures[s.id].span),
        };
        if let Some(span) = mixed {
            self.diagnostics.error(span, "a program has either procedures or blocks, not both");
        } else if blocks.is_empty() && !self.procedure_names.contains_key("main") {
            self.diagnostics.error(Span::none(), "there is no procedure `main`");
        }
    }

    fn declare_global(&mut self, name: &'a Name) {
        self.check_spelling(name, is_identifier(&name.text));
        if let Some(&first) = self.global_names.get(name.text.as_str()) {
            let first = self.variables[first].span;
            self.duplicate("global variable", name, first);
            return;
        }
        let id = self.variables.push(Variable {
            name: name.text.clone(),
            kind: VarKind::Global,
            owner: None,
            slot: self.globals.len(),
            span: name.span,
        });
        self.globals.push(id);
        self.global_names.insert(&name.text, id);
    }

    fn new_procedure(&mut self, name: &str, result_count: usize, span: Span, end: Span) -> ProcId {
        let id = ProcId::from_usize(self.procedures.len());
        let entry = self.new_location(id, span);
        let exit = self.new_location(id, end);
        self.procedures.push(Procedure {
            name: name.to_owned(),
            locals: Vec::new(),
            formal_count: 0,
            result_count,
            entry,
            exit,
            error: None,
            enforce: None,
            locations: Vec::new(),
            edges: Vec::new(),
            callers: Vec::new(),
            span,
        })
    }

    fn new_location(&mut self, procedure: ProcId, span: Span) -> crate::LocId {
        self.locations.push(Location {
            procedure,
            labels: Vec::new(),
            successors: Vec::new(),
            predecessors: Vec::new(),
            span,
        })
    }

    fn duplicate(&mut self, what: &str, name: &Name, first: Span) {
        let message = format!("{what} `{name}` is declared twice");
        self.diagnostics.push(Diagnostic::error(name.span, message).with_note(first, "first declared here"));
    }

    /// Programs built by hand may contain names that cannot be read back.
    fn check_spelling(&mut self, name: &Name, fine: bool) {
        if !fine {
            self.diagnostics.error(name.span, format!("`{}` is not a name", name.text.escape_debug()));
        }
    }

    fn check_label_spelling(&mut self, name: &Name) {
        self.check_spelling(name, is_label(&name.text));
    }

    /// Adds the cross references and gives out the result.
    fn finish(mut self) -> Result<Flow, Diagnostics> {
        let main = self.procedure_names.get("main").copied();
        let Some(main) = main.filter(|_| !self.diagnostics.has_errors()) else {
            return Err(self.diagnostics.in_text_order());
        };
        for (id, location) in self.locations.iter() {
            self.procedures[location.procedure].locations.push(id);
        }
        for (id, edge) in self.edges.iter() {
            self.procedures[edge.procedure].edges.push(id);
            self.locations[edge.source].successors.push(id);
            self.locations[edge.target].predecessors.push(id);
            if let FlowStep::Call(call) = &edge.step {
                self.procedures[call.callee].callers.push(id);
            }
        }
        let Tables { variables, globals, procedures, locations, edges, .. } = self;
        Ok(Flow { variables, globals, procedures, locations, edges, main })
    }
}

/// Whether a statement makes no edge.
fn is_silent(stmt: &Stmt) -> bool {
    match stmt.kind {
        StmtKind::Empty => stmt.labels.is_empty(),
        StmtKind::Enforce(_) => true,
        _ => false,
    }
}
