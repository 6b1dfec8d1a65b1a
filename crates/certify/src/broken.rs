//! What is known of a triple that does not hold: where its paths start and end, and a state that breaks it.
//!
//! The state is a model of the solver, read through the expressions that predicates mention. It is there for people:
//! nothing is decided by it.

use hardbop_ir::{EdgeId, ExprId, ExprKind, LocationId, PlaceBase, ProcId, Program, Projection, Type};
use hardbop_logic::{Model, Value};
use hardbop_predicate::show;
use hardbop_semantics::{Encoder, State, Subject};

use crate::proof::Rejection;

/// The most values that are shown of a state.
pub(crate) const MAX_VALUES: usize = 40;

/// Why a proof is not accepted, and what is known of the triple that fails.
#[derive(Debug)]
pub struct Refusal {
    /// Why.
    pub rejection: Rejection,
    /// The triple, if it is one that does not hold.
    pub broken: Option<Box<Broken>>,
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Refusal { rejection, broken: None }
    }
}

/// Where paths end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// At a location.
    Location(LocationId),
    /// With an edge that must not be taken.
    Edge(EdgeId),
    /// In a procedure that an edge calls.
    Call(EdgeId, ProcId),
}

/// A triple that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Where the paths start; nothing for the start of the program.
    pub from: Option<(ProcId, LocationId)>,
    /// The procedure in which they end, and where.
    pub to: (ProcId, To),
    /// What expressions hold where the paths start.
    pub before: Vec<(String, String)>,
    /// What they hold where the paths end.
    pub after: Vec<(String, String)>,
}

impl Broken {
    /// A triple of which only its end is known.
    pub(crate) fn at(procedure: ProcId, to: To) -> Self {
        Broken { from: None, to: (procedure, to), before: Vec::new(), after: Vec::new() }
    }
}

/// Reads expressions in states that a model gives values.
pub(crate) struct Reading<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) encoder: &'a mut Encoder,
    pub(crate) model: &'a Model,
}

impl Reading<'_> {
    /// What the places that predicates read hold in a state, and whether the predicates hold.
    pub(crate) fn values(&mut self, state: &State, predicates: &[ExprId]) -> Vec<(String, String)> {
        let program = self.subject.program;
        let mut wanted = Vec::new();
        predicates.iter().for_each(|&predicate| loads(program, predicate, &mut wanted));
        wanted.extend(predicates);
        let mut found = Vec::new();
        for (i, &expr) in wanted.iter().enumerate() {
            if found.len() < MAX_VALUES
                && !wanted[..i].contains(&expr)
                && let Some(value) = self.value(state, expr)
            {
                found.push((show(program, expr), value));
            }
        }
        found
    }

    fn value(&mut self, state: &State, expr: ExprId) -> Option<String> {
        let program = self.subject.program;
        let term = self.encoder.on(self.subject).value(state, expr, &mut Vec::new());
        let value = self.encoder.terms.try_evaluate(term, self.model)?;
        match (program.ty(program.expr(expr).ty), value.as_bits()) {
            (Type::Machine { signed: true, .. }, Some(_)) => value.as_signed().map(|n| n.to_string()),
            (Type::Machine { signed: false, .. }, Some(bits)) => Some(bits.to_string()),
            _ => Some(shown(&value)),
        }
    }
}

/// A value without a type.
pub(crate) fn shown(value: &Value) -> String {
    if let Some(truth) = value.as_bool() {
        return truth.to_string();
    }
    match (value.as_int(), value.as_bits()) {
        (Some(number), _) => number.to_string(),
        (None, Some(bits)) => format!("{bits:#x}"),
        (None, None) => "…".to_owned(),
    }
}

/// The reads in an expression, each once.
fn loads(program: &Program, expr: ExprId, found: &mut Vec<ExprId>) {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match program.expr(expr).kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
            ExprKind::Load(place) | ExprKind::AddressOf(place) => {
                if matches!(program.expr(expr).kind, ExprKind::Load(_)) && !found.contains(&expr) {
                    found.push(expr);
                }
                let place = program.place(place);
                if let PlaceBase::Deref(pointer) = place.base {
                    open.push(pointer);
                }
                open.extend(place.path.iter().filter_map(|step| match *step {
                    Projection::Index(index) => Some(index),
                    _ => None,
                }));
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => open.push(a),
            ExprKind::Binary(_, a, b) => open.extend([b, a]),
            ExprKind::If(a, b, c) => open.extend([c, b, a]),
        }
    }
}
