//! Constraints that the front end does not check: the parameters of a definition are objects.

use hardbop_base::Diagnostic;

use crate::ast::{DeclKind, Type, Unit};

/// An error for each parameter of a definition that has type `void`.
pub(crate) fn void_parameters(unit: &Unit) -> Vec<Diagnostic> {
    let functions = unit.decls.values().filter_map(|decl| match &decl.kind {
        DeclKind::Function(function) if function.body.is_some() => Some(function),
        _ => None,
    });
    let parameters = functions.flat_map(|function| &function.parameters).map(|&id| &unit.decls[id]);
    let void = parameters.filter(|decl| unit.types[decl.ty] == Type::Void);
    void.map(|decl| {
        let name = decl.name.as_deref().unwrap_or_default();
        Diagnostic::error(decl.span, format!("parameter `{name}` has incomplete type"))
    })
    .collect()
}
