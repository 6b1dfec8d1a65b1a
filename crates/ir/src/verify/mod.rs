//! The verifier: says where a program breaks the rules that later stages rely on.
//!
//! It reports every violation rather than the first, trusts nothing (ids may be out of range, even
//! cyclic) and takes linear time: interned types, places and expressions are checked once, at their
//! first use, with an explicit stack.
//!
//! The rules, in the order they are checked:
//!
//! 1. *Types.* Machine integers have 8, 16, 32, 64 or 128 bits. Array elements, formals, fields and
//!    variables are objects (no `void`, no functions); no object is larger than half the address
//!    space. Types are nested and sized within the limits of the [text form](crate::text).
//! 2. *Records.* Names are unique. Alignments are powers of two. Fields lie inside their record;
//!    those of a struct do not overlap and ascend, those of a union start at 0. Bit-fields have
//!    machine integer types, 1 to as many bits as their type, and start in their first byte. No
//!    record contains itself.
//! 3. *Variables.* Each is a global, or a formal, local or the result of one procedure, with the
//!    kind that goes with it; one that is in no list may not be used. Names are unique among the
//!    globals, and in each procedure. Only globals have initial values.
//! 4. *Initial values* are scalar constants: numbers, addresses of constant parts of globals, of
//!    procedures, and sums and casts of those. They lie inside their variable and do not overlap.
//! 5. *Procedures.* Names are unique. An external one has no body. The entry of the program has a
//!    body and no formals.
//! 6. *Locations and edges.* No edge enters the entry or leaves the exit; `return` edges enter the
//!    exit and nothing else does. Any other location may be without an edge out: control cannot get
//!    past `halt`, `error` and `unsupported`, whose targets need not lead anywhere.
//! 7. *Expressions and places* have the types that [`ExprKind`](crate::ExprKind) and
//!    [`BinaryOp`](crate::BinaryOp) document; operand types are equal, pointers included. Constants
//!    fit their types. The address of a bit-field, a formal, a temporary or a result is never taken.
//!    A procedure uses its own variables and globals only.
//! 8. *Statements.* Formals are never stored to. Both sides of an assignment have one type. A
//!    call passes as many arguments as the callee has formals, each a number, truth value,
//!    procedure address, or the whole of a temporary or formal; its result, if taken, is a
//!    temporary. There, types are equal up to what pointers point to.
//! 9. *Spans* name files of the program.
//!
//! Not checked: that temporaries passed to a call are assigned once, that a copied record does not
//! overlap its source, and that every location can be reached.

mod globals;
mod procedures;
mod statements;
mod types;
mod values;

use hardbop_base::{Diagnostic, Span};

use crate::{EdgeId, ExprId, ProcId, Program, Type, TypeId};

/// A rule that a program breaks, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The procedure, if it is in one.
    pub procedure: Option<ProcId>,
    /// The edge, if it is at one.
    pub edge: Option<EdgeId>,
    /// The source of the edge, or of the definition.
    pub span: Span,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
}

impl Violation {
    /// The message with the names of the procedure and the edge.
    pub fn show(&self, program: &Program) -> String {
        let Some(procedure) = self.procedure.and_then(|id| program.procedures.get(id)) else {
            return self.message.clone();
        };
        match self.edge.and_then(|id| procedure.edges.get(id)) {
            Some(edge) => format!(
                "procedure `{}`, L{} -> L{}: {}",
                procedure.name,
                edge.source.index(),
                edge.target.index(),
                self.message
            ),
            None => format!("procedure `{}`: {}", procedure.name, self.message),
        }
    }

    /// As an error at its place in the source.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        Diagnostic::error(self.span, self.show(program))
    }
}

/// All violations of a program, in the order of the rules; none if it is sound.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut verifier = Verifier::new(program);
    verifier.types();
    verifier.records();
    verifier.membership();
    verifier.globals();
    verifier.program_entry();
    for id in program.procedures.ids() {
        verifier.procedure(id);
    }
    for assumption in &program.assumptions {
        verifier.at = Context { procedure: None, edge: None, span: assumption.span };
        verifier.span(assumption.span);
    }
    verifier.violations
}

/// The violations of expressions that no statement holds (rule 7), each with the procedure whose
/// variables it may use. The rest of the program is taken to be sound.
pub fn verify_exprs(program: &Program, exprs: &[(Option<ProcId>, ExprId)]) -> Vec<Violation> {
    let mut verifier = Verifier::new(program);
    verifier.types();
    verifier.membership();
    verifier.violations.clear();
    for &(procedure, expr) in exprs {
        verifier.at = Context { procedure, edge: None, span: Span::none() };
        verifier.use_expr(expr);
    }
    verifier.violations
}

/// What is being checked.
#[derive(Debug, Clone, Copy)]
struct Context {
    procedure: Option<ProcId>,
    edge: Option<EdgeId>,
    span: Span,
}

/// Whose variables something mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// Globals only.
    Nobody,
    /// Those of a procedure.
    Procedure(ProcId),
    /// Those of several, or of none.
    Nowhere,
}

impl Owner {
    fn and(self, other: Owner) -> Owner {
        match (self, other) {
            (Owner::Nobody, other) => other,
            (owner, Owner::Nobody) => owner,
            (a, b) if a == b => a,
            _ => Owner::Nowhere,
        }
    }
}

/// What is known of a type.
#[derive(Debug, Clone, Copy, Default)]
struct TypeFacts {
    /// Whether all ids in it are good.
    usable: bool,
    bytes: u64,
    depth: u32,
    nodes: u32,
}

/// How far the check of a place or an expression has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// What is known of a place or an expression.
#[derive(Debug, Clone, Copy)]
struct Facts {
    state: State,
    /// Whether all ids in it are good and its type means something.
    usable: bool,
    /// Whether it may stand in an initial value.
    constant: bool,
    owner: Owner,
    depth: u32,
    nodes: u32,
}

impl Facts {
    const NEW: Facts =
        Facts { state: State::New, usable: false, constant: false, owner: Owner::Nobody, depth: 0, nodes: 0 };
}

struct Verifier<'p> {
    program: &'p Program,
    violations: Vec<Violation>,
    at: Context,
    types: Vec<TypeFacts>,
    /// Per variable: who may use it.
    owners: Vec<Owner>,
    exprs: Vec<Facts>,
    places: Vec<Facts>,
}

impl<'p> Verifier<'p> {
    fn new(program: &'p Program) -> Self {
        Verifier {
            program,
            violations: Vec::new(),
            at: Context { procedure: None, edge: None, span: Span::none() },
            types: vec![TypeFacts::default(); program.types().len()],
            owners: vec![Owner::Nowhere; program.variables.len()],
            exprs: vec![Facts::NEW; program.exprs().len()],
            places: vec![Facts::NEW; program.places().len()],
        }
    }

    /// Reports a violation at the current place.
    fn bad(&mut self, message: impl Into<String>) {
        let Context { procedure, edge, span } = self.at;
        self.violations.push(Violation { procedure, edge, span, message: message.into() });
    }

    /// The type, if its id and all in it are good.
    fn ty(&self, id: TypeId) -> Option<&'p Type> {
        self.types.get(id.index()).filter(|facts| facts.usable)?;
        self.program.types().get(id)
    }

    fn show_type(&self, id: TypeId) -> String {
        self.program.show_type(id)
    }

    fn span(&mut self, span: Span) {
        if !span.is_none() && self.program.files.get(span.file).is_none() {
            self.bad(format!("a span names file {}, which is not there", span.file.index()));
        }
    }
}

/// Whether values of the type can be stored.
fn is_object(ty: &Type) -> bool {
    !matches!(ty, Type::Void | Type::Function(_))
}

/// Whether values of the type are scalars.
fn is_scalar(ty: &Type) -> bool {
    is_object(ty) && !matches!(ty, Type::Array { .. } | Type::Record(_))
}
