//! What a program refers to and does not define: what a linker would look for elsewhere.
//!
//! Lowering follows only what a run can reach. A linker wants everything that is written down, so this
//! looks at all expressions of all units.

use hardbop_syntax::ast::{self, AddressBase, Decl, DeclKind, Definition, ExprKind, Linkage, Symbol};
use rustc_hash::FxHashSet;

use crate::link::symbol_name;

/// The names that a program refers to and does not define, each in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undefined {
    /// Functions; builtins of the compiler are not among them.
    pub functions: Vec<String>,
    /// Variables.
    pub objects: Vec<String>,
}

/// Looks for what the units of a program refer to and none of them defines.
pub fn undefined(units: &[ast::Unit]) -> Undefined {
    let mut defined: FxHashSet<&str> = FxHashSet::default();
    for decl in units.iter().flat_map(|unit| unit.decls.values()) {
        if decl.linkage == Linkage::External && is_defined(decl) {
            defined.extend(decl.name.as_deref());
            defined.extend(symbol_name(decl));
        }
    }
    let mut found = Undefined::default();
    for unit in units {
        let mut look_at = |decl: &Decl| {
            let Some(name) = symbol_name(decl).filter(|name| !defined.contains(name)) else { return };
            if decl.linkage == Linkage::External && !decl.weak && !name.starts_with("__builtin_") {
                match decl.kind {
                    DeclKind::Function(_) => found.functions.push(name.to_owned()),
                    DeclKind::Object(_) => found.objects.push(name.to_owned()),
                    DeclKind::VariableType => {}
                }
            }
        };
        for expr in unit.exprs.values() {
            if let ExprKind::Decl(decl) | ExprKind::Address(AddressBase::Decl(decl), _) = &expr.kind {
                look_at(&unit.decls[*decl]);
            }
        }
        for decl in unit.decls.values() {
            if let DeclKind::Object(ast::Object { cleanup: Some(cleanup), .. }) = decl.kind {
                look_at(&unit.decls[cleanup]);
            }
        }
    }
    for names in [&mut found.functions, &mut found.objects] {
        names.sort_unstable();
        names.dedup();
    }
    found
}

fn is_defined(decl: &Decl) -> bool {
    let aliased = matches!(decl.symbol, Some(Symbol::Alias(_)));
    match &decl.kind {
        DeclKind::Function(function) => function.body.is_some() || aliased,
        DeclKind::Object(object) => object.definition != Definition::Declared || aliased,
        DeclKind::VariableType => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::{DataModel, Sources};

    fn unit(sources: &mut Sources, text: &str) -> ast::Unit {
        let file = sources.add("a.c", text);
        hardbop_syntax::parse(sources, file, &hardbop_syntax::SyntaxOptions::new(DataModel::Lp64)).unwrap().0
    }

    #[test]
    fn what_nobody_defines_is_found_wherever_it_is_used() {
        let mut sources = Sources::new();
        let one = unit(
            &mut sources,
            "extern int defined_there, missing, unused; int unused_too(void); void called(int); int there(void);
             extern int weak __attribute__((weak)); void clean(int *);
             static void dead(void) { called(missing); implicit(); }
             int (*table[])(void) = { there }; int *address = &defined_there;
             int main(void) { int x __attribute__((cleanup(clean))) = 0; extern int inner(void);
               return inner() + __builtin_popcount(3) + weak + (int)sizeof(unused); }",
        );
        // A static function is no definition for other units.
        let text = "int defined_there; int there(void) { return more(); } static void called(int x) { }";
        let two = unit(&mut sources, text);
        let found = undefined(&[one, two]);
        assert_eq!(found.functions, ["called", "clean", "implicit", "inner", "more"]);
        assert!(found.objects.contains(&"missing".to_owned()), "{found:?}");
        assert!(!found.objects.contains(&"weak".to_owned()), "{found:?}");
        assert!(!found.objects.contains(&"defined_there".to_owned()), "{found:?}");
    }
}
