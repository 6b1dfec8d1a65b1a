//! Evaluation order, and what must be known about expressions to keep it.
//!
//! C leaves the order of most operands open; a program means what gcc `-O0` on x86 makes of it:
//! - arguments of a call from right to left, after the function pointer;
//! - `a = b`: the value first; if `b` is a call, its arguments, then the place, then the call;
//! - `a op= b`: the value first if it has effects, else the place first;
//! - pointer plus integer: the pointer first, on whichever side it stands;
//! - other operators left to right, except that a plain variable on the left of a commutative
//!   operator or comparison is read after a right operand that has effects. So is one that folding
//!   brings there: through conversions that keep all bits, and as the variable part of `v + 1`,
//!   `1 - v`, `-v` or `~v` in a sum;
//! - a local scalar whose address nobody takes lives in a register: an operand or an argument that
//!   is just such a variable is read when the operator or the call is executed.
//!
//! Reading a variable is delayed until the whole expression is evaluated, unless something in
//! between has effects: then the value read is kept in a temporary.

use hardbop_ir as ir;
use hardbop_syntax::ast::{
    self, AddressBase, ArrayLength, BinaryOp, Builtin, DeclId, Expr, ExprId, ExprKind, LabelId, StmtKind,
    Type, TypeId, UnaryOp,
};
use rustc_hash::FxHashSet;

use crate::body::Body;
use crate::device::Devices;

/// What is known of the expressions of a unit without looking at their order.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Whether evaluating an expression may change the state or leave the straight path.
    effects: Vec<bool>,
    /// Declarations that are only ever read as a whole.
    read_only: Vec<bool>,
    /// Local scalars that are only ever read and written as a whole.
    registers: Vec<bool>,
    /// Declarations that some expression names.
    used: Vec<bool>,
    /// Lengths of variable-length arrays that are evaluated where something is declared.
    declared_lengths: FxHashSet<ExprId>,
    /// Lvalues whose reads may be inputs of the run.
    inputs: FxHashSet<ExprId>,
    /// Labels whose address is taken.
    pub(crate) addressed_labels: FxHashSet<LabelId>,
}

impl Facts {
    /// Looks at every expression once. Operands come before what uses them in no particular order,
    /// so effects are found by following operands with an explicit stack.
    pub(crate) fn of(unit: &ast::Unit, devices: &Devices) -> Facts {
        let declared_lengths = declared_lengths(unit);
        let inputs = devices.lvalues(unit);
        let mut facts = Facts {
            effects: effects(unit, &declared_lengths, &inputs),
            read_only: vec![true; unit.decls.len()],
            registers: unit.decls.values().map(|decl| is_local_scalar(unit, decl)).collect(),
            used: vec![false; unit.decls.len()],
            declared_lengths,
            inputs,
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
                    facts.registers[decl.index()] = false;
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
        let whole = match expr.kind {
            ExprKind::Load(_) => return,
            ExprKind::Assign { target, .. } | ExprKind::AssignOp { target, .. } => Some(target),
            ExprKind::Step { operand, .. } => Some(operand),
            _ => None,
        };
        for_each_operand(expr, |operand| {
            self.note_written(unit, operand);
            if let (ExprKind::Decl(decl), true) = (&unit.exprs[operand].kind, whole != Some(operand)) {
                self.registers[decl.index()] = false;
            }
        });
    }

    fn note_written(&mut self, unit: &ast::Unit, operand: ExprId) {
        if let ExprKind::Decl(decl) = unit.exprs[operand].kind {
            self.read_only[decl.index()] = false;
        }
    }

    /// Whether the variable is a local scalar whose address nobody takes.
    fn is_register(&self, decl: DeclId) -> bool {
        self.registers[decl.index()]
    }

    /// Whether evaluating the expression may change the state or leave the straight path.
    pub(crate) fn has_effects(&self, expr: ExprId) -> bool {
        self.effects[expr.index()]
    }

    /// Whether a read of an lvalue may be an input of the run, which is a step of its own.
    pub(crate) fn is_input(&self, lvalue: ExprId) -> bool {
        self.inputs.contains(&lvalue)
    }

    /// Whether a declaration evaluates the length of a variable-length array.
    pub(crate) fn is_declared_length(&self, length: ExprId) -> bool {
        self.declared_lengths.contains(&length)
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

fn is_local_scalar(unit: &ast::Unit, decl: &ast::Decl) -> bool {
    let ast::DeclKind::Object(object) = &decl.kind else { return false };
    object.storage == ast::Storage::Automatic
        && decl.linkage == ast::Linkage::None
        && object.cleanup.is_none()
        && matches!(unit.types[decl.ty], Type::Int { .. } | Type::Bool | Type::Float(_) | Type::Pointer(_))
}

/// The lengths in the types of declarations and of parameters.
fn declared_lengths(unit: &ast::Unit) -> FxHashSet<ExprId> {
    let declared = unit.decls.values().map(|decl| decl.ty);
    let parameters = unit.types.values().flat_map(|ty| match ty {
        Type::Function(function) => function.parameters.clone(),
        _ => Vec::new(),
    });
    declared.chain(parameters).flat_map(|ty| lengths(unit, ty)).collect()
}

/// The lengths of variable-length arrays in a type, outermost first.
pub(crate) fn lengths(unit: &ast::Unit, mut ty: TypeId) -> Vec<ExprId> {
    let mut found = Vec::new();
    loop {
        ty = match unit.types[ty] {
            Type::Array { element, length } => {
                if let ArrayLength::Variable(length) = length {
                    found.push(length);
                }
                element
            }
            Type::Pointer(target) => target,
            _ => return found,
        };
    }
}

fn effects(unit: &ast::Unit, declared: &FxHashSet<ExprId>, inputs: &FxHashSet<ExprId>) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done(bool),
    }
    let exprs = &unit.exprs;
    let mut states = vec![State::New; exprs.len()];
    let mut stack = Vec::new();
    for root in exprs.ids() {
        stack.push(root);
        while let Some(&id) = stack.last() {
            match states[id.index()] {
                State::New => {
                    states[id.index()] = State::Open;
                    for_each_evaluated(unit, declared, &exprs[id], |operand| {
                        if states[operand.index()] == State::New {
                            stack.push(operand);
                        }
                    });
                }
                State::Open => {
                    let mut any = has_own_effect(&exprs[id].kind, inputs);
                    for_each_evaluated(unit, declared, &exprs[id], |operand| {
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

fn has_own_effect(kind: &ExprKind, inputs: &FxHashSet<ExprId>) -> bool {
    match kind {
        ExprKind::Load(lvalue) => inputs.contains(lvalue),
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

/// Visits the operands of an expression and the array lengths that evaluating it evaluates.
fn for_each_evaluated(
    unit: &ast::Unit,
    declared: &FxHashSet<ExprId>,
    expr: &Expr,
    mut visit: impl FnMut(ExprId),
) {
    for_each_operand(expr, &mut visit);
    let ty = match expr.kind {
        ExprKind::VariableSize(of) => of,
        ExprKind::Cast(_) => expr.ty,
        _ => return,
    };
    lengths(unit, ty).into_iter().filter(|length| !declared.contains(length)).for_each(visit);
}

/// Visits the operands of an expression.
fn for_each_operand(expr: &Expr, mut visit: impl FnMut(ExprId)) {
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

impl Body<'_, '_> {
    /// Two operands in the order of gcc.
    pub(crate) fn operands(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> (ir::ExprId, ir::ExprId) {
        if op == BinaryOp::Add && self.is_pointer(b) {
            let mut y = self.value(b);
            if self.has_effects(a) && !self.is_register_read(b) {
                y = self.keep(y, self.unit.exprs[b].span);
            }
            return (self.value(a), y);
        }
        if !self.has_effects(b) {
            return (self.value(a), self.value(b));
        }
        if self.is_read_late(op, a, b) {
            let y = self.value(b);
            return (self.value(a), y);
        }
        let x = self.value(a);
        let x = self.keep(x, self.unit.exprs[a].span);
        (x, self.value(b))
    }

    /// Whether gcc reads the variable that `a` consists of after evaluating `b`.
    pub(crate) fn is_read_late(&self, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
        if self.is_register_read(a) {
            return true;
        }
        let negated = op == BinaryOp::Add && self.is_minus(b);
        is_symmetric(op) && !self.is_pointer_sum(op, a) && !negated && self.is_variable_part(op, a)
    }

    /// Whether an expression just reads a local that lives in a register.
    pub(crate) fn is_register_read(&self, expr: ExprId) -> bool {
        self.variable_read(expr).is_some_and(|decl| self.cx.facts[self.unit_index].is_register(decl))
    }

    fn variable_read(&self, expr: ExprId) -> Option<DeclId> {
        let ExprKind::Load(operand) = self.unit.exprs[expr].kind else { return None };
        match self.unit.exprs[operand].kind {
            ExprKind::Decl(decl) => Some(decl),
            _ => None,
        }
    }

    /// Whether an expression has pointer type.
    pub(crate) fn is_pointer(&self, expr: ExprId) -> bool {
        matches!(self.type_of(expr), Type::Pointer(_))
    }

    fn is_pointer_sum(&self, op: BinaryOp, a: ExprId) -> bool {
        op == BinaryOp::Add && self.is_pointer(a)
    }

    fn type_of(&self, expr: ExprId) -> &Type {
        &self.unit.types[self.unit.exprs[expr].ty]
    }

    /// Whether `a op b` is a variable, a constant and `b` for folding, or a variable and `b`.
    fn is_variable_part(&self, op: BinaryOp, a: ExprId) -> bool {
        let a = self.without_conversions(a);
        if self.variable_read(a).is_some() {
            return true;
        }
        if !matches!(self.type_of(a), Type::Int { .. }) {
            return op == BinaryOp::Add && self.is_minus_variable(a);
        }
        match self.unit.exprs[a].kind {
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::BitNot, inner) if op == BinaryOp::Add => {
                self.variable_read(self.without_conversions(inner)).is_some()
            }
            ExprKind::Binary(inner, x, y) if is_plain_operator(op) => {
                let associates = inner == op || (op == BinaryOp::Add && inner == BinaryOp::Sub);
                let variable = match (self.is_constant(x), self.is_constant(y)) {
                    (false, true) => x,
                    (true, false) => y,
                    _ => return false,
                };
                associates && self.is_variable_part(op, variable)
            }
            _ => false,
        }
    }

    fn is_minus(&self, expr: ExprId) -> bool {
        matches!(self.unit.exprs[expr].kind, ExprKind::Unary(UnaryOp::Minus, _))
    }

    fn is_minus_variable(&self, expr: ExprId) -> bool {
        match self.unit.exprs[expr].kind {
            ExprKind::Unary(UnaryOp::Minus, inner) => self.variable_read(inner).is_some(),
            _ => false,
        }
    }

    fn is_constant(&self, expr: ExprId) -> bool {
        matches!(self.unit.exprs[expr].kind, ExprKind::Int(_))
    }

    /// An expression without conversions that keep all bits.
    fn without_conversions(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Cast(inner) = self.unit.exprs[expr].kind
            && self.width(self.unit.exprs[inner].ty).is_some()
            && self.width(self.unit.exprs[inner].ty) == self.width(self.unit.exprs[expr].ty)
        {
            expr = inner;
        }
        expr
    }

    fn width(&self, ty: TypeId) -> Option<u16> {
        match self.unit.types[ty] {
            Type::Int { width, .. } => Some(width),
            Type::Pointer(_) => Some(self.unit.data_model.pointer_bits()),
            _ => None,
        }
    }
}

/// Whether an operator compares.
pub(crate) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Gt | Le | Ge)
}

/// Operators whose operands are both evaluated, and that are not conditions.
pub(crate) fn is_plain_operator(op: BinaryOp) -> bool {
    !is_comparison(op) && !matches!(op, BinaryOp::And | BinaryOp::Or)
}

/// Operators whose operands gcc may swap.
fn is_symmetric(op: BinaryOp) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Mul};
    is_comparison(op) || matches!(op, Add | Mul | BitAnd | BitOr | BitXor)
}
