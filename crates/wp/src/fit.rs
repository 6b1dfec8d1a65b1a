//! Which programs the engine takes on: structured ones, without memory beyond what references need.
//!
//! The paper's language has loops with one entry and variables that are passed by reference (`001…` §2,
//! §7). After lowering that means: every loop is entered at its head, calls name whom they call, and
//! memory is read and written by values of one type at a place. Everything else is refused with the
//! reason, and left to the other engine.

use hardbop_alias::RegionKind;
use hardbop_ir::Order;
use hardbop_ir::{Callee, Edge, Procedure, Program, Statement, Type};
use hardbop_semantics::Subject;

/// Why the engine does not take a program on, if it does not.
pub(crate) fn why_not(subject: Subject<'_>) -> Option<String> {
    let program = subject.program;
    if program.types().values().any(|ty| matches!(ty, Type::Float(_))) && uses_floats(subject) {
        return Some("the program computes with floating-point numbers".to_owned());
    }
    let mixed = subject.regions.regions().values().any(|region| region.kind == RegionKind::Bytes);
    if mixed {
        return Some("memory is accessed as values of different types".to_owned());
    }
    if let Some(var) = subject.alias.shifting_variable() {
        let name = &program.variables[var].name;
        return Some(format!("the address of `{name}` is compared with that in another activation"));
    }
    let reached = program
        .procedures
        .iter()
        .filter(|(id, p)| p.external.is_none() && subject.alias.calls().is_reached(*id));
    reached.map(|(_, p)| p).find_map(|p| {
        let why = p.edges.values().find_map(|edge| unfit(program, edge)).or_else(|| unstructured(p));
        why.map(|why| format!("{why} in `{}`", p.name))
    })
}

/// Whether a procedure that can run has a float.
fn uses_floats(subject: Subject<'_>) -> bool {
    let program = subject.program;
    let floats = |p: &Procedure| {
        let vars = p.formals.iter().chain(&p.locals).chain(&p.result);
        vars.into_iter().any(|&var| matches!(program.ty(program.variables[var].ty), Type::Float(_)))
    };
    program.procedures.iter().any(|(id, p)| subject.alias.calls().is_reached(id) && floats(p))
}

fn unfit(program: &Program, edge: &Edge) -> Option<String> {
    let what = match &edge.statement {
        Statement::Allocate { .. } | Statement::Free(_) => "memory is allocated",
        Statement::Copy { .. } | Statement::CopyObject { .. } | Statement::Fill { .. } => {
            "memory is copied or filled"
        }
        Statement::Assign(place, _) | Statement::Havoc(place, _)
            if !program.is_scalar(program.place(*place).ty) =>
        {
            "a record or an array is assigned as a whole"
        }
        Statement::Call { callee: Callee::Indirect(_), .. } => "a procedure is called through a pointer",
        Statement::Call { arguments, .. }
            if arguments.iter().any(|&argument| !program.is_scalar(program.expr(argument).ty)) =>
        {
            "a record is passed"
        }
        _ => return None,
    };
    Some(what.to_owned())
}

fn unstructured(procedure: &Procedure) -> Option<String> {
    let order = Order::of(procedure);
    let reached = |edge: &&Edge| order.position(edge.source) != u32::MAX;
    procedure
        .edges
        .values()
        .filter(reached)
        .any(|edge| order.enters_beside_head(edge.source, edge.target))
        .then(|| "a loop is entered elsewhere than at its head".to_owned())
}
