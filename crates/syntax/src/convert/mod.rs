//! The front end's typed tree to [`ast`].
//!
//! Both trees are arenas, so nothing here recurses along the program: [`reach`] marks what the
//! unit uses, every marked node gets an id of its own in the new arenas, and then each node is
//! translated by itself, naming its operands by those ids. A chain of a hundred thousand operators
//! costs no stack, and types are built from their parts upwards.
//!
//! Differences between the trees, besides names:
//! - unary plus disappears;
//! - `a ?: b`, which the front end shows as a conditional with a shared operand, becomes
//!   [`ExprKind::Elvis`];
//! - the length of a variable-length array, which the front end mentions again in every `sizeof`,
//!   is mentioned by the type alone; elsewhere it is read back with [`ExprKind::VariableSize`];
//! - expressions in which bit-fields occur have the types that C says;
//! - what has no counterpart becomes [`ExprKind::Unsupported`] with a reason.

mod bit_fields;
mod builtins;
mod decls;
mod exprs;
mod reach;
mod stmts;
mod types;

use hardbop_base::{Arena, DataModel, FileId, Id, Span};
use rucc_base::{Idx, Interner, Symbol};
use rucc_sema::{Category, Tast};
use rucc_target::TargetInfo;
use rucc_types::{Qualifiers, Types};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{self, ExprKind, Unit};
use crate::frontend::{self, Tags, Typed};
use crate::spans::Lines;
use crate::stub::Stubs;

use bit_fields::Integer;
use reach::Reached;

/// Translates a unit that was checked without errors.
pub(crate) fn unit(typed: &Typed, lines: &Lines, file: FileId, data_model: DataModel) -> Unit {
    let tast = &typed.checked.tast;
    let reached = reach::from_top_level(tast, &typed.checked.types);
    let mut converter = Converter {
        tast,
        types: &typed.checked.types,
        names: &typed.names,
        target: &typed.target,
        tags: &typed.tags,
        stubs: &typed.stubs,
        lines,
        unit: Unit {
            file,
            data_model,
            types: Arena::new(),
            records: Arena::new(),
            decls: Arena::new(),
            exprs: Arena::new(),
            stmts: Arena::new(),
            labels: Arena::new(),
            top_level: Vec::new(),
            file_asm: Vec::new(),
            volatile: FxHashSet::default(),
        },
        exprs: Numbering::new(&reached.exprs),
        stmts: Numbering::new(&reached.stmts),
        decls: Numbering::new(&reached.decls),
        labels: FxHashMap::default(),
        known_types: FxHashMap::default(),
        interned: FxHashMap::default(),
        records: FxHashMap::default(),
        unfinished: Vec::new(),
        enum_bit_fields: bit_fields::has_enum_bit_fields(&typed.checked.types),
        retyped: FxHashMap::default(),
    };
    converter.translate(&reached);
    converter.unit
}

/// From the front end's ids to ours: the n-th reached node gets id n.
struct Numbering<Ours> {
    ids: Vec<Option<Id<Ours>>>,
}

impl<Ours> Numbering<Ours> {
    fn new(reached: &[bool]) -> Self {
        let mut next = 0;
        let ids = reached
            .iter()
            .map(|&reached| {
                reached.then(|| {
                    next += 1;
                    Id::from_usize(next - 1)
                })
            })
            .collect();
        Numbering { ids }
    }

    fn get<Theirs>(&self, id: Idx<Theirs>) -> Option<Id<Ours>> {
        self.ids.get(id.index()).copied().flatten()
    }
}

struct Converter<'a> {
    tast: &'a Tast,
    types: &'a Types,
    names: &'a Interner,
    target: &'a TargetInfo,
    tags: &'a Tags,
    stubs: &'a Stubs,
    lines: &'a Lines,
    unit: Unit,
    exprs: Numbering<ast::Expr>,
    stmts: Numbering<ast::Stmt>,
    decls: Numbering<ast::Decl>,
    labels: FxHashMap<rucc_sema::LabelId, ast::LabelId>,
    known_types: FxHashMap<rucc_types::TypeId, ast::TypeId>,
    interned: FxHashMap<ast::Type, ast::TypeId>,
    records: FxHashMap<rucc_types::RecordId, ast::RecordId>,
    unfinished: Vec<(rucc_types::RecordId, ast::RecordId)>,
    /// Whether bit-fields of enumeration types occur, and the expressions whose types that changes.
    enum_bit_fields: bool,
    retyped: FxHashMap<rucc_sema::ExprId, Integer>,
}

impl Converter<'_> {
    fn translate(&mut self, reached: &Reached) {
        let void = self.intern(ast::Type::Void);
        let blank = || ast::Expr { kind: ExprKind::Unsupported(String::new()), ty: void, span: Span::none() };
        self.unit.exprs = marked(&reached.exprs).map(|_| blank()).collect();
        self.unit.stmts = marked(&reached.stmts)
            .map(|_| ast::Stmt { kind: ast::StmtKind::Empty, span: Span::none() })
            .collect();
        // Expressions made on the way are added behind those that are numbered.
        for index in marked(&reached.decls) {
            let decl = self.decl(Idx::from_usize(index));
            self.unit.decls.push(decl);
        }
        for index in marked(&reached.exprs) {
            let id = Idx::from_usize(index);
            let expr = self.expr(id, &reached.lengths);
            if let Some(ours) = self.exprs.get(id) {
                self.unit.exprs[ours] = expr;
                let node = self.tast[id];
                if node.category != Category::Rvalue && self.is_qualified(node.ty, Qualifiers::VOLATILE) {
                    self.unit.volatile.insert(ours);
                }
            }
        }
        for index in marked(&reached.stmts) {
            let id = Idx::from_usize(index);
            let stmt = self.stmt(id);
            if let Some(ours) = self.stmts.get(id) {
                self.unit.stmts[ours] = stmt;
            }
        }
        self.finish_records();
        self.unit.top_level = self.tast.top_level().iter().filter_map(|&id| self.decls.get(id)).collect();
        self.unit.file_asm = self.tast.file_asms().iter().map(|asm| self.span(asm.span)).collect();
    }

    fn span(&self, span: rucc_diag::Span) -> Span {
        frontend::span(self.lines, span)
    }

    fn name(&self, symbol: Symbol) -> String {
        self.names.resolve(symbol).to_owned()
    }

    fn label(&mut self, id: rucc_sema::LabelId) -> ast::LabelId {
        if let Some(&known) = self.labels.get(&id) {
            return known;
        }
        let name = self.name(self.tast[id].name);
        let ours = self.unit.labels.push(ast::Label { name });
        self.labels.insert(id, ours);
        ours
    }
}

fn marked(reached: &[bool]) -> impl Iterator<Item = usize> {
    reached.iter().enumerate().filter(|&(_, &reached)| reached).map(|(index, _)| index)
}
