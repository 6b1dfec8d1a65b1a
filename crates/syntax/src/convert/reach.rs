//! Which nodes of the front end's tree the unit uses.
//!
//! The tree also holds operands of folded `sizeof`s, arms that `__builtin_choose_expr` did not
//! choose, and the like. The walk keeps its own stack, so no program is too deep for it.

use rucc_sema::{DeclId, ExprId, ExprKind, Stmt, StmtId, Tast};
use rucc_types::{ArrayLen, TypeId, TypeKind, Types};
use rustc_hash::FxHashSet;

use super::exprs::{elvis, without_plus};

/// The nodes that are used, as flags by index.
pub(super) struct Reached {
    pub exprs: Vec<bool>,
    pub stmts: Vec<bool>,
    pub decls: Vec<bool>,
    /// The lengths of variable-length arrays, which belong to their types.
    pub lengths: FxHashSet<ExprId>,
}

/// Everything that the declarations at file scope use.
pub(super) fn from_top_level(tast: &Tast, types: &Types) -> Reached {
    let counts = tast.counts();
    let reached = Reached {
        exprs: vec![false; counts.exprs],
        stmts: vec![false; counts.stmts],
        decls: vec![false; counts.decls],
        lengths: FxHashSet::default(),
    };
    let mut walk = Walk { tast, types, reached, seen_types: FxHashSet::default(), work: Vec::new() };
    walk.work.extend(tast.top_level().iter().map(|&id| Node::Decl(id)));
    while let Some(node) = walk.work.pop() {
        match node {
            Node::Expr(id) => walk.expr(id),
            Node::Stmt(id) => walk.stmt(id),
            Node::Decl(id) => walk.decl(id),
            Node::Type(id) => walk.ty(id),
        }
    }
    walk.reached
}

enum Node {
    Expr(ExprId),
    Stmt(StmtId),
    Decl(DeclId),
    Type(TypeId),
}

struct Walk<'a> {
    tast: &'a Tast,
    types: &'a Types,
    reached: Reached,
    seen_types: FxHashSet<TypeId>,
    work: Vec<Node>,
}

impl Walk<'_> {
    fn push_expr(&mut self, id: ExprId) {
        self.work.push(Node::Expr(id));
    }

    fn push_stmt(&mut self, id: StmtId) {
        self.work.push(Node::Stmt(id));
    }

    fn expr(&mut self, id: ExprId) {
        let id = without_plus(self.tast, id);
        if std::mem::replace(&mut self.reached.exprs[id.index()], true) {
            return;
        }
        let node = self.tast[id];
        self.push_type(node.ty);
        let work = &mut self.work;
        operands(self.tast, node.kind, &mut |operand| work.push(Node::Expr(operand)));
        match node.kind {
            ExprKind::Decl(decl) | ExprKind::CompoundLiteral(decl) => self.work.push(Node::Decl(decl)),
            ExprKind::Const(value) => {
                if let rucc_sema::Const::Address(address) = self.tast[value]
                    && let rucc_sema::Base::Decl(decl) = address.base
                {
                    self.work.push(Node::Decl(decl));
                }
            }
            ExprKind::StmtExpr(body) => self.push_stmt(body),
            ExprKind::Assign { computation, .. } => self.push_type(computation),
            ExprKind::Overflow { at, .. } => self.push_type(at),
            _ => {}
        }
    }

    fn stmt(&mut self, id: StmtId) {
        if std::mem::replace(&mut self.reached.stmts[id.index()], true) {
            return;
        }
        match self.tast[id] {
            Stmt::Error | Stmt::Empty | Stmt::Goto(_) | Stmt::Break | Stmt::Continue => {}
            Stmt::Expr(value) | Stmt::IndirectGoto(value) => self.push_expr(value),
            Stmt::Block(body) => self.work.extend(self.tast[body].iter().map(|&s| Node::Stmt(s))),
            Stmt::Decls(decls) => self.work.extend(self.tast[decls].iter().map(|&d| Node::Decl(d))),
            Stmt::If { cond, then, otherwise } => {
                self.push_expr(cond);
                self.push_stmt(then);
                self.work.extend(otherwise.map(Node::Stmt));
            }
            Stmt::While { cond, body } | Stmt::DoWhile { body, cond } | Stmt::Switch { cond, body, .. } => {
                self.push_expr(cond);
                self.push_stmt(body);
            }
            Stmt::For { init, cond, step, body } => {
                self.work.extend(init.map(Node::Stmt));
                self.work.extend(cond.map(Node::Expr));
                self.work.extend(step.map(Node::Expr));
                self.push_stmt(body);
            }
            Stmt::Case { body, .. } | Stmt::Default { body } | Stmt::Label { body, .. } => {
                self.push_stmt(body)
            }
            Stmt::Asm(asm) => {
                let asm = self.tast[asm];
                for list in [asm.outputs, asm.inputs] {
                    self.work.extend(self.tast[list].iter().map(|o| Node::Expr(o.value)));
                }
            }
            Stmt::Return(value) => self.work.extend(value.map(Node::Expr)),
        }
    }

    fn decl(&mut self, id: DeclId) {
        if std::mem::replace(&mut self.reached.decls[id.index()], true) {
            return;
        }
        let node = &self.tast[id];
        self.push_type(node.ty);
        if let Some(init) = node.init {
            self.work.extend(self.tast[init].iter().map(|entry| Node::Expr(entry.value)));
        }
        self.work.extend(self.tast[node.params].iter().map(|&p| Node::Decl(p)));
        self.work.extend(node.body.map(Node::Stmt));
        self.work.extend(node.cleanup.map(Node::Decl));
    }

    fn push_type(&mut self, id: TypeId) {
        let id = self.types.canonical(id);
        if !self.seen_types.contains(&id) {
            self.work.push(Node::Type(id));
        }
    }

    fn ty(&mut self, id: TypeId) {
        let id = self.types.canonical(id);
        if !self.seen_types.insert(id) {
            return;
        }
        match self.types.kind(id) {
            TypeKind::Pointer(inner) | TypeKind::Atomic(inner) => self.push_type(inner),
            TypeKind::Array { elem, len } => {
                if let ArrayLen::Variable(vla) = len {
                    let length = without_plus(self.tast, self.tast.vla_size(vla));
                    self.reached.lengths.insert(length);
                    self.push_expr(length);
                }
                self.push_type(elem);
            }
            TypeKind::Function(function) => {
                let function = self.types.signature(function);
                self.work.push(Node::Type(function.ret));
                self.work.extend(function.params.iter().map(|&p| Node::Type(p)));
            }
            TypeKind::Record(record) => {
                self.work.extend(self.types.record_info(record).fields.iter().map(|f| Node::Type(f.ty)));
            }
            _ => {}
        }
    }
}

/// The operands of an expression that the translation evaluates.
fn operands(tast: &Tast, kind: ExprKind, push: &mut dyn FnMut(ExprId)) {
    match kind {
        ExprKind::Member { base: operand, .. }
        | ExprKind::Unary { operand, .. }
        | ExprKind::Cast(operand)
        | ExprKind::Convert { operand, .. }
        | ExprKind::VaArg { list: operand }
        | ExprKind::VaStart { list: operand }
        | ExprKind::VaEnd { list: operand }
        | ExprKind::Abs { operand }
        | ExprKind::ByteSwap { operand }
        | ExprKind::BitCount { operand, .. }
        | ExprKind::Prefetch { address: operand, .. }
        | ExprKind::Alloca { size: operand } => push(operand),
        ExprKind::Subscript { base: lhs, index: rhs }
        | ExprKind::Binary { lhs, rhs, .. }
        | ExprKind::Assign { lhs, rhs, .. }
        | ExprKind::Comma { lhs, rhs }
        | ExprKind::VaCopy { dst: lhs, src: rhs }
        | ExprKind::Expect { value: lhs, hint: rhs, .. } => {
            push(lhs);
            push(rhs);
        }
        ExprKind::Call { callee, args } => {
            push(callee);
            tast[args].iter().for_each(|&arg| push(arg));
        }
        ExprKind::Cond { cond, then, otherwise } => {
            match elvis(tast, cond, then) {
                Some(value) => push(value),
                None => {
                    push(cond);
                    push(then);
                }
            }
            push(otherwise);
        }
        ExprKind::Classify { lhs, rhs, .. } | ExprKind::Sign { lhs, rhs, .. } => {
            push(lhs);
            rhs.into_iter().for_each(push);
        }
        ExprKind::FpClassify { value, answers } => {
            push(value);
            tast[answers].iter().for_each(|&answer| push(answer));
        }
        ExprKind::Overflow { args, .. } | ExprKind::Atomic { args, .. } => {
            tast[args].iter().for_each(|&arg| push(arg));
        }
        // Leaves, what is folded, and what is not supported.
        _ => {}
    }
}
