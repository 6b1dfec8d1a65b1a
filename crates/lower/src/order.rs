//! Evaluation order, and what must be known about expressions to keep it.
//!
//! C leaves the order of most operands open; a program means what gcc `-O0` on x86 makes of it:
//! - arguments of a call from right to left, after the function pointer;
//! - `a = b`: the place first if `b` is a call, else the value first;
//! - `a op= b`: the value first;
//! - other operators left to right, except that a plain variable on the left of a commutative
//!   operator or comparison is read after a right operand that has effects.
//!
//! Reading a variable is delayed until the whole expression is evaluated, unless something in
//! between has effects: then the value read is kept in a temporary.

use hardbop_base::Arena;
use hardbop_syntax::ast::{self, AddressBase, Builtin, DeclId, Expr, ExprId, ExprKind, LabelId, StmtKind};
use rustc_hash::FxHashSet;

/// What is known of the expressions of a unit without looking at their order.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Whether evaluating an expression may change the state or leave the straight path.
    effects: Vec<bool>,
    /// Declarations that are only ever read as a whole.
    read_only: Vec<bool>,
    /// Declarations that some expression names.
    used: Vec<bool>,
    /// Labels whose address is taken.
    pub(crate) addressed_labels: FxHashSet<LabelId>,
}

impl Facts {
    /// Looks at every expression once. Operands come before what uses them in no particular order,
    /// so effects are found by following operands with an explicit stack.
    pub(crate) fn of(unit: &ast::Unit) -> Facts {
        let mut facts = Facts {
            effects: effects(&unit.exprs),
            read_only: vec![true; unit.decls.len()],
            used: vec![false; unit.decls.len()],
            addressed_labels: FxHashSet::default(),
        };
        for (_, expr) in unit.exprs.iter() {
            facts.note_uses(unit, expr);
            match &expr.kind {
                ExprKind::LabelAddress(label) | ExprKind::Address(AddressBase::Label(label), _) => {
                    facts.addressed_labels.insert(*label);
                }
                ExprKind::Decl(decl) => facts.used[decl.index()] = true,
                ExprKind::Address(AddressBase::Decl(decl), _) => {
                    facts.used[decl.index()] = true;
                    facts.read_only[decl.index()] = false;
                }
                _ => {}
            }
        }
        for (_, stmt) in unit.stmts.iter() {
            if let StmtKind::Asm(asm) = &stmt.kind {
                for (operand, _) in asm.outputs.iter().chain(&asm.inputs) {
                    facts.note_written(unit, *operand);
                }
            }
        }
        facts
    }

    fn note_uses(&mut self, unit: &ast::Unit, expr: &Expr) {
        if !matches!(expr.kind, ExprKind::Load(_)) {
            for_each_operand(expr, |operand| self.note_written(unit, operand));
        }
    }

    fn note_written(&mut self, unit: &ast::Unit, operand: ExprId) {
        if let ExprKind::Decl(decl) = unit.exprs[operand].kind {
            self.read_only[decl.index()] = false;
        }
    }

    /// Whether evaluating the expression may change the state or leave the straight path.
    pub(crate) fn has_effects(&self, expr: ExprId) -> bool {
        self.effects[expr.index()]
    }

    /// Whether some expression names the declaration.
    pub(crate) fn is_used(&self, decl: DeclId) -> bool {
        self.used[decl.index()]
    }

    /// Whether the variable is never written, nor its address or a part of it used.
    pub(crate) fn is_read_only(&self, decl: DeclId) -> bool {
        self.read_only[decl.index()]
    }
}

fn effects(exprs: &Arena<Expr>) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done(bool),
    }
    let mut states = vec![State::New; exprs.len()];
    let mut stack = Vec::new();
    for root in exprs.ids() {
        stack.push(root);
        while let Some(&id) = stack.last() {
            match states[id.index()] {
                State::New => {
                    states[id.index()] = State::Open;
                    for_each_operand(&exprs[id], |operand| {
                        if states[operand.index()] == State::New {
                            stack.push(operand);
                        }
                    });
                }
                State::Open => {
                    let mut any = has_own_effect(&exprs[id].kind);
                    for_each_operand(&exprs[id], |operand| {
                        any |= states[operand.index()] == State::Done(true)
                    });
                    states[id.index()] = State::Done(any);
                    stack.pop();
                }
                State::Done(_) => {
                    stack.pop();
                }
            }
        }
    }
    states.into_iter().map(|s| s == State::Done(true)).collect()
}

fn has_own_effect(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Step { .. }
        | ExprKind::Assign { .. }
        | ExprKind::AssignOp { .. }
        | ExprKind::Call { .. }
        | ExprKind::CompoundLiteral(_)
        | ExprKind::Statements(_)
        | ExprKind::VaArg(_)
        | ExprKind::VaStart(_)
        | ExprKind::VaEnd(_)
        | ExprKind::VaCopy(..)
        | ExprKind::Unsupported(_) => true,
        ExprKind::Builtin(builtin, _) => {
            !matches!(builtin, Builtin::Expect | Builtin::ConstantP | Builtin::ObjectSize)
        }
        _ => false,
    }
}

/// Visits the operands of an expression.
pub(crate) fn for_each_operand(expr: &Expr, mut visit: impl FnMut(ExprId)) {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Address(..)
        | ExprKind::Str(_)
        | ExprKind::Decl(_)
        | ExprKind::CompoundLiteral(_)
        | ExprKind::Statements(_)
        | ExprKind::LabelAddress(_)
        | ExprKind::VariableSize(_)
        | ExprKind::Unsupported(_) => {}
        ExprKind::Member { base: a, .. }
        | ExprKind::Deref(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Load(a)
        | ExprKind::Decay(a)
        | ExprKind::Cast(a)
        | ExprKind::Unary(_, a)
        | ExprKind::Step { operand: a, .. }
        | ExprKind::VaArg(a)
        | ExprKind::VaStart(a)
        | ExprKind::VaEnd(a) => visit(*a),
        ExprKind::Subscript { pointer: a, index: b }
        | ExprKind::Binary(_, a, b)
        | ExprKind::Assign { target: a, value: b }
        | ExprKind::AssignOp { target: a, value: b, .. }
        | ExprKind::Elvis { value: a, otherwise: b }
        | ExprKind::Comma(a, b)
        | ExprKind::VaCopy(a, b) => {
            visit(*a);
            visit(*b);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            visit(*condition);
            visit(*then);
            visit(*otherwise);
        }
        ExprKind::Call { callee, arguments } => {
            visit(*callee);
            arguments.iter().for_each(|&a| visit(a));
        }
        ExprKind::Builtin(_, operands) => operands.iter().for_each(|&a| visit(a)),
    }
}
