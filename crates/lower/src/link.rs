//! Linking: which declaration of which unit a name stands for.
//!
//! Names with external linkage are shared by all units; a definition beats a declaration, a strong
//! definition a weak one, and any of them the library that Hardbop brings along. Two strong
//! definitions, or an object and a function of one name, are errors that show both places. What the
//! program declares with the name of a library function and another type is not that function, and the
//! library does not see it.

use hardbop_base::{Diagnostic, Diagnostics};
use hardbop_syntax::ast::{self, Decl, DeclId, DeclKind, Definition, Linkage, Symbol};
use rustc_hash::FxHashMap;

/// A declaration that stands for what it declares: the definition if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Entity {
    /// Index of the unit.
    pub unit: usize,
    /// The declaration in that unit.
    pub decl: DeclId,
}

/// How good a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Declared,
    Library,
    Inline,
    Weak,
    Tentative,
    Strong,
}

/// The symbol table of a program.
#[derive(Debug)]
pub(crate) struct Links {
    symbols: FxHashMap<String, (Entity, Strength)>,
    /// Per unit and declaration that is an alias in the unit: what for.
    aliases: FxHashMap<Entity, Entity>,
    /// Per block-scope declaration with static storage: the function around it.
    owners: FxHashMap<Entity, String>,
    shared: FxHashMap<Entity, String>,
    /// Functions of the library whose name the program uses for something else; the library and the
    /// builtins of gcc keep to them.
    shadowed: FxHashMap<String, Entity>,
    own_units: usize,
}

impl Links {
    /// Links the units; those from `own_units` on are library.
    pub(crate) fn new(units: &[ast::Unit], own_units: usize, errors: &mut Diagnostics) -> Self {
        let mut links = Links {
            symbols: FxHashMap::default(),
            aliases: FxHashMap::default(),
            owners: FxHashMap::default(),
            shared: FxHashMap::default(),
            shadowed: FxHashMap::default(),
            own_units,
        };
        for (index, unit) in units.iter().enumerate() {
            for (decl, declaration) in unit.decls.iter() {
                if declaration.linkage == Linkage::External {
                    links.add(units, Entity { unit: index, decl }, errors);
                }
            }
        }
        links.resolve_aliases(units, errors);
        links
    }

    fn add(&mut self, units: &[ast::Unit], entity: Entity, errors: &mut Diagnostics) {
        let decl = &units[entity.unit].decls[entity.decl];
        let Some(name) = symbol_name(decl) else { return };
        let strength = self.strength(decl, entity.unit);
        self.shared.insert(entity, name.to_owned());
        let Some(&(other, other_strength)) = self.symbols.get(name) else {
            self.symbols.insert(name.to_owned(), (entity, strength));
            return;
        };
        let rival = &units[other.unit].decls[other.decl];
        // The library comes last.
        let both_objects = !is_function(decl) && !is_function(rival);
        if self.is_library(entity)
            && !self.is_library(other)
            && !both_objects
            && !compatible(units, entity, other)
        {
            // The program means something else, which happens to have the name of a library function.
            self.shared.remove(&entity);
            self.shadowed.insert(name.to_owned(), entity);
            return;
        }
        if is_function(decl) != is_function(rival) {
            errors.push(
                Diagnostic::error(
                    decl.span,
                    format!("`{name}` is a function in one place and an object in another"),
                )
                .with_note(rival.span, "the other declaration is here"),
            );
        } else if strength == Strength::Strong && other_strength == Strength::Strong && other != entity {
            errors.push(
                Diagnostic::error(decl.span, format!("`{name}` is defined twice"))
                    .with_note(rival.span, "the other definition is here"),
            );
        }
        if strength > other_strength {
            self.symbols.insert(name.to_owned(), (entity, strength));
        }
    }

    fn strength(&self, decl: &Decl, unit: usize) -> Strength {
        let defined = match &decl.kind {
            DeclKind::Object(object) => match object.definition {
                Definition::Declared => return Strength::Declared,
                Definition::Tentative => Strength::Tentative,
                Definition::Defined => Strength::Strong,
            },
            DeclKind::Function(function) if function.body.is_none() => return Strength::Declared,
            DeclKind::Function(function) if function.inline_only => Strength::Inline,
            DeclKind::Function(_) => Strength::Strong,
            DeclKind::VariableType => return Strength::Declared,
        };
        match defined {
            _ if unit >= self.own_units => Strength::Library,
            _ if decl.weak => Strength::Weak,
            other => other,
        }
    }

    /// Follows `alias` attributes, which name a symbol of the same unit.
    fn resolve_aliases(&mut self, units: &[ast::Unit], errors: &mut Diagnostics) {
        for (index, unit) in units.iter().enumerate() {
            for (decl, declaration) in unit.decls.iter() {
                let Some(Symbol::Alias(target)) = &declaration.symbol else { continue };
                let found = unit
                    .decls
                    .iter()
                    .find(|(id, d)| {
                        *id != decl && d.linkage != Linkage::None && d.name.as_ref() == Some(target)
                    })
                    .map(|(id, _)| self.resolve(index, id));
                match found {
                    Some(entity) if is_function(decl_of(units, entity)) != is_function(declaration) => errors
                        .error(
                            declaration.span,
                            format!("alias of `{target}`: one is a function, the other an object"),
                        ),
                    Some(entity) => {
                        self.aliases.insert(Entity { unit: index, decl }, entity);
                        if let (Linkage::External, Some(name)) = (declaration.linkage, &declaration.name) {
                            let strength = if declaration.weak { Strength::Weak } else { Strength::Strong };
                            let known = self.symbols.get(name).map_or(Strength::Declared, |&(_, s)| s);
                            if strength > known {
                                self.symbols.insert(name.clone(), (entity, strength));
                            }
                        }
                    }
                    None => errors.error(
                        declaration.span,
                        format!("alias of `{target}`, which this file does not declare"),
                    ),
                }
            }
        }
    }

    /// What a declaration stands for.
    pub(crate) fn resolve(&self, unit: usize, decl: DeclId) -> Entity {
        let entity = Entity { unit, decl };
        if let Some(&target) = self.aliases.get(&entity) {
            return target;
        }
        match self.shared.get(&entity) {
            Some(name) => self.symbols.get(name).map_or(entity, |&(found, _)| found),
            None => entity,
        }
    }

    /// Whether the entity is part of the library rather than of the program.
    pub(crate) fn is_library(&self, entity: Entity) -> bool {
        entity.unit >= self.own_units
    }

    /// The function of that name, if the program defines it.
    pub(crate) fn function(&self, units: &[ast::Unit], name: &str) -> Option<Entity> {
        let &(entity, strength) = self.symbols.get(name)?;
        let is_own = strength > Strength::Library && !self.is_library(entity);
        (is_own && is_function(decl_of(units, entity))).then_some(entity)
    }

    /// The library function of that name.
    pub(crate) fn library_function(&self, name: &str) -> Option<Entity> {
        let found = self.symbols.get(name).map(|&(entity, _)| entity);
        found.filter(|entity| self.is_library(*entity)).or_else(|| self.shadowed.get(name).copied())
    }

    /// The variable of that name that all units share.
    pub(crate) fn object(&self, name: &str) -> Option<Entity> {
        self.symbols.get(name).map(|&(entity, _)| entity)
    }

    /// The library's variable of that name.
    pub(crate) fn library_object(&self, name: &str) -> Option<Entity> {
        self.object(name).filter(|entity| self.is_library(*entity))
    }

    /// All functions with a body that other units could call, in order.
    pub(crate) fn exported_functions(&self, units: &[ast::Unit]) -> Vec<Entity> {
        let mut found: Vec<Entity> = self
            .symbols
            .values()
            .filter(|(_, strength)| *strength > Strength::Inline)
            .map(|&(entity, _)| entity)
            .filter(|e| is_function(&units[e.unit].decls[e.decl]))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Says that a static variable belongs to a function.
    pub(crate) fn set_owner(&mut self, entity: Entity, function: &str) {
        self.owners.insert(entity, function.to_owned());
    }

    /// The function that a static variable belongs to.
    pub(crate) fn owner(&self, entity: Entity) -> Option<&str> {
        self.owners.get(&entity).map(String::as_str)
    }
}

impl crate::Lowering<'_> {
    /// Whether an entity is weak and nobody defines it: its address is zero.
    pub(crate) fn is_missing_weak(&self, entity: Entity) -> bool {
        let decl = self.decl(entity);
        let defined = match &decl.kind {
            DeclKind::Object(object) => object.definition != Definition::Declared,
            DeclKind::Function(function) => function.body.is_some(),
            DeclKind::VariableType => true,
        };
        decl.weak && !defined
    }
}

/// The name that a declaration is linked by.
pub(crate) fn symbol_name(decl: &Decl) -> Option<&str> {
    match &decl.symbol {
        Some(Symbol::Named(name)) => Some(name),
        _ => decl.name.as_deref(),
    }
}

/// Whether two declarations of functions may be of one function: their formals and results are passed
/// alike. Without a prototype only the results count.
fn compatible(units: &[ast::Unit], a: Entity, b: Entity) -> bool {
    let function = |e: Entity| match &units[e.unit].types[units[e.unit].decls[e.decl].ty] {
        ast::Type::Function(f) => Some(f),
        _ => None,
    };
    let (Some(f), Some(g)) = (function(a), function(b)) else { return false };
    let alike = |x: ast::TypeId, y: ast::TypeId| match (&units[a.unit].types[x], &units[b.unit].types[y]) {
        (ast::Type::Pointer(_), ast::Type::Pointer(_)) => true,
        (&ast::Type::Record(x), &ast::Type::Record(y)) => same_shape(&units[a.unit], x, &units[b.unit], y),
        (x, y) => x == y,
    };
    let same_formals = f.parameters.len() == g.parameters.len()
        && f.variadic == g.variadic
        && f.parameters.iter().zip(&g.parameters).all(|(&x, &y)| alike(x, y));
    alike(f.result, g.result) && (same_formals || !f.prototyped || !g.prototyped)
}

/// Whether two records, of two units, have the same members, which are numbers and pointers.
fn same_shape(one: &ast::Unit, x: ast::RecordId, other: &ast::Unit, y: ast::RecordId) -> bool {
    let (x, y) = (&one.records[x], &other.records[y]);
    let same = |f: &ast::Field, g: &ast::Field| {
        let alike = match (&one.types[f.ty], &other.types[g.ty]) {
            (ast::Type::Pointer(_), ast::Type::Pointer(_)) => true,
            (ast::Type::Int { .. }, _) | (ast::Type::Float(_), _) => one.types[f.ty] == other.types[g.ty],
            _ => false,
        };
        alike && (&f.name, f.offset, f.bits) == (&g.name, g.offset, g.bits)
    };
    x.layout == y.layout
        && x.is_union == y.is_union
        && x.unsupported.is_none()
        && y.unsupported.is_none()
        && x.fields.len() == y.fields.len()
        && x.fields.iter().zip(&y.fields).all(|(f, g)| same(f, g))
}

fn decl_of(units: &[ast::Unit], entity: Entity) -> &Decl {
    &units[entity.unit].decls[entity.decl]
}

fn is_function(decl: &Decl) -> bool {
    matches!(decl.kind, DeclKind::Function(_))
}
