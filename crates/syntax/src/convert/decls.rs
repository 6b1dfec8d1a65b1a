//! Declarations.

use rucc_ast::UnaryOp;
use rucc_sema::{DeclFlags, ExprKind, Priority};
use rucc_types::{ArrayLen, Qualifiers, TypeKind};

use super::types::bits;
use super::{Converter, reach};
use crate::ast::{self, DeclKind, Definition, InitEntry, Linkage, Stmt, StmtKind, Storage, Symbol};

impl Converter<'_> {
    pub(super) fn decl(&mut self, id: rucc_sema::DeclId) -> ast::Decl {
        let node = &self.tast[id];
        let name = node.name.map(|name| self.name(name));
        let kind = match node.kind {
            rucc_sema::DeclKind::Object => DeclKind::Object(self.object(id)),
            rucc_sema::DeclKind::Function => DeclKind::Function(self.function(node)),
            rucc_sema::DeclKind::Type => DeclKind::VariableType,
        };
        let symbol = match (node.alias, node.asm_label) {
            (Some(target), _) => Some(Symbol::Alias(self.string(target))),
            (None, Some(label)) => Some(Symbol::Named(self.string(label))),
            (None, None) => {
                let library = name.as_deref().and_then(rucc_sema::library_name);
                library.map(|library| Symbol::Named(library.to_owned()))
            }
        };
        ast::Decl {
            name,
            ty: self.ty(node.ty),
            span: self.span(self.tast.definition_span(id)),
            kind,
            linkage: match node.linkage {
                rucc_sema::Linkage::None => Linkage::None,
                rucc_sema::Linkage::Internal => Linkage::Internal,
                rucc_sema::Linkage::External => Linkage::External,
            },
            weak: node.flags.contains(DeclFlags::WEAK) || node.flags.contains(DeclFlags::WEAKREF),
            symbol,
        }
    }

    fn object(&mut self, id: rucc_sema::DeclId) -> ast::Object {
        let node = &self.tast[id];
        let extent = self.tast.extent(id);
        ast::Object {
            storage: match node.duration {
                rucc_sema::StorageDuration::Static => Storage::Static,
                rucc_sema::StorageDuration::Thread => Storage::Thread,
                rucc_sema::StorageDuration::Automatic => Storage::Automatic,
            },
            definition: match node.state {
                // A register that the whole program shares: it is there, with any value in it.
                rucc_sema::Definition::Tentative if node.register.is_some() => Definition::Declared,
                rucc_sema::Definition::Declared => Definition::Declared,
                rucc_sema::Definition::Tentative => Definition::Tentative,
                rucc_sema::Definition::Defined => Definition::Defined,
            },
            init: node.init.map(|list| {
                let entries = self.tast[list].iter();
                entries.filter_map(|entry| self.init_entry(*entry)).collect()
            }),
            size: (extent > 0).then_some(extent),
            align: node.alignment.or_else(|| self.types.align_override(node.ty).map(u32::from)),
            constant: self.is_qualified(node.ty, Qualifiers::CONST),
            cleanup: node.cleanup.and_then(|handler| self.decls.get(handler)),
        }
    }

    fn init_entry(&mut self, entry: rucc_sema::InitEntry) -> Option<InitEntry> {
        let value = self.operand(entry.value)?;
        if entry.is_bit_field() {
            let (skip, bits) = bits(entry.bit_offset, entry.bit_width);
            return Some(InitEntry { offset: entry.offset.saturating_add(skip), bits: Some(bits), value });
        }
        Some(InitEntry { offset: entry.offset, bits: None, value })
    }

    fn function(&mut self, node: &rucc_sema::Decl) -> ast::Function {
        let lost = self.tast[node.params].iter().copied().find(|&p| self.loses_effects(p));
        let stub = node.body.and_then(|body| self.stub(body));
        let body = stub.or_else(|| node.body.and_then(|body| self.stmts.get(body)));
        ast::Function {
            parameters: self.tast[node.params].iter().filter_map(|&p| self.decls.get(p)).collect(),
            body: match (body, lost) {
                (Some(body), Some(parameter)) => Some(self.behind_unsupported(parameter, body)),
                _ => body,
            },
            inline_only: !node.inline.emits(),
            noreturn: node.flags.contains(DeclFlags::NORETURN),
            constructor: node.startup.before.map(priority),
            destructor: node.startup.after.map(priority),
        }
    }

    /// What stands for a body that was emptied.
    fn stub(&mut self, body: rucc_sema::StmtId) -> Option<ast::StmtId> {
        let span = self.tast.stmt_span(body);
        let reason = (*self.stubs.get(&span.lo)?).to_owned();
        let span = self.span(span);
        Some(self.unit.stmts.push(Stmt { kind: StmtKind::Unsupported(reason), span }))
    }

    /// Whether a parameter was written as an array whose length has an effect: it became a pointer,
    /// and the length is gone, though it is to be evaluated.
    fn loses_effects(&self, parameter: rucc_sema::DeclId) -> bool {
        let Some(written) = self.tast.adjusted_from(parameter) else { return false };
        let TypeKind::Array { len: ArrayLen::Variable(length), .. } =
            self.types.kind(self.types.canonical(written))
        else {
            return false;
        };
        reach::any_operand(self.tast, self.tast.vla_size(length), |kind| {
            matches!(
                kind,
                ExprKind::Assign { .. }
                    | ExprKind::Call { .. }
                    | ExprKind::StmtExpr(_)
                    | ExprKind::Atomic { .. }
                    | ExprKind::Unary {
                        op: UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                        ..
                    }
            )
        })
    }

    fn behind_unsupported(&mut self, parameter: rucc_sema::DeclId, body: ast::StmtId) -> ast::StmtId {
        let span = self.span(self.tast.decl_span(parameter));
        let reason = "an array parameter whose length has an effect".to_owned();
        let unsupported = self.unit.stmts.push(Stmt { kind: StmtKind::Unsupported(reason), span });
        self.unit.stmts.push(Stmt { kind: StmtKind::Block(vec![unsupported, body]), span })
    }
}

fn priority(priority: Priority) -> u16 {
    match priority {
        Priority::Unnumbered => u16::MAX,
        Priority::Numbered(number) => number,
    }
}
