//! What the documentation of the tree promises, checked node by node.

use hardbop_syntax::ast::{
    BinaryOp, Builtin, DeclKind, Expr, ExprId, ExprKind, StmtKind, Type, TypeId, UnaryOp, Unit,
};

/// Promises that a unit breaks, at most a few.
pub fn violations(unit: &Unit) -> Vec<String> {
    let mut checker = Checker { unit, found: Vec::new() };
    for (id, expr) in unit.exprs.iter() {
        checker.expr(id, expr);
    }
    for stmt in unit.stmts.values() {
        let conditions = match &stmt.kind {
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => Some(*condition),
            StmtKind::DoWhile { condition, .. } => Some(*condition),
            StmtKind::For { condition, .. } => *condition,
            _ => None,
        };
        for condition in conditions {
            checker.must(checker.is_scalar(checker.ty(condition)), "scalar condition", condition);
        }
        if let StmtKind::Switch { value, .. } = stmt.kind {
            checker.must(
                matches!(checker.kind(checker.ty(value)), Type::Int { .. }),
                "integer switch",
                value,
            );
        }
    }
    for decl in unit.decls.values() {
        match &decl.kind {
            DeclKind::Object(object) => {
                for entry in object.init.iter().flatten() {
                    let value = &unit.exprs[entry.value];
                    let place = matches!(value.kind, ExprKind::Str(_)) || !checker.is_place(entry.value);
                    checker.must(place, "initialised with a value", entry.value);
                }
            }
            DeclKind::Function(function) => {
                let is_function = matches!(checker.kind(decl.ty), Type::Function(_));
                if !is_function || (function.body.is_none() && !function.parameters.is_empty()) {
                    checker.found.push(format!("function {:?}", decl.name));
                }
            }
            DeclKind::VariableType => {}
        }
    }
    checker.found.truncate(20);
    checker.found
}

struct Checker<'a> {
    unit: &'a Unit,
    found: Vec<String>,
}

impl<'a> Checker<'a> {
    fn must(&mut self, holds: bool, what: &str, at: ExprId) {
        if !holds {
            let Expr { kind, ty, span } = &self.unit.exprs[at];
            let ty = &self.unit.types[*ty];
            self.found.push(format!("{what}: {at:?} {kind:?} of {ty:?} at {}:{}", span.line, span.column));
        }
    }

    fn ty(&self, id: ExprId) -> TypeId {
        self.unit.exprs[id].ty
    }

    fn kind(&self, ty: TypeId) -> &'a Type {
        &self.unit.types[ty]
    }

    fn is_scalar(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Pointer(_))
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), Type::Pointer(_))
    }

    fn is_unsupported(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), Type::Unsupported(..))
    }

    /// Whether an expression names an object.
    fn is_place(&self, id: ExprId) -> bool {
        match &self.unit.exprs[id].kind {
            ExprKind::Decl(decl) => matches!(self.unit.decls[*decl].kind, DeclKind::Object(_)),
            ExprKind::Member { .. }
            | ExprKind::Subscript { .. }
            | ExprKind::Str(_)
            | ExprKind::CompoundLiteral(_) => true,
            ExprKind::Deref(pointer) => match self.kind(self.ty(*pointer)) {
                Type::Pointer(to) => !matches!(self.kind(*to), Type::Function(_)),
                _ => false,
            },
            _ => false,
        }
    }

    fn is_function(&self, id: ExprId) -> bool {
        matches!(self.kind(self.ty(id)), Type::Function(_))
    }

    fn expr(&mut self, id: ExprId, expr: &Expr) {
        if let ExprKind::Unsupported(reason) = &expr.kind {
            return self.must(!reason.is_empty(), "a reason", id);
        }
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Member { base, field } => {
                let fields = match self.kind(self.ty(*base)) {
                    Type::Record(record) => self.unit.records[*record].fields.len(),
                    _ => 0,
                };
                self.must((*field as usize) < fields, "member", id);
            }
            ExprKind::Subscript { pointer, index } => {
                let element = matches!(self.kind(self.ty(*pointer)), Type::Pointer(to) if *to == ty);
                self.must(element, "subscript of a pointer to that", id);
                self.must(matches!(self.kind(self.ty(*index)), Type::Int { .. } | Type::Bool), "index", id);
            }
            ExprKind::Deref(pointer) => {
                self.must(
                    matches!(self.kind(self.ty(*pointer)), Type::Pointer(to) if *to == ty),
                    "dereference",
                    id,
                );
            }
            ExprKind::AddressOf(place) => {
                let to = self.ty(*place);
                self.must(self.is_place(*place) || self.is_function(*place), "address of a place", id);
                self.must(
                    matches!(self.kind(ty), Type::Pointer(of) if *of == to),
                    "address of that type",
                    id,
                );
            }
            ExprKind::Load(place) => {
                self.must(self.is_place(*place) && self.ty(*place) == ty, "load of a place", id);
            }
            ExprKind::Decay(place) => {
                let decays = match (self.kind(self.ty(*place)), self.kind(ty)) {
                    (Type::Array { element, .. }, Type::Pointer(to)) => element == to,
                    (Type::Function(_), Type::Pointer(to)) => *to == self.ty(*place),
                    _ => false,
                };
                self.must(decays, "decay", id);
            }
            ExprKind::Str(bytes) => {
                let fits = match self.kind(ty) {
                    Type::Array { element, length: hardbop_syntax::ast::ArrayLength::Fixed(count) } => {
                        let width = match self.kind(*element) {
                            Type::Int { width, .. } => u64::from(*width / 8),
                            _ => 0,
                        };
                        bytes.len() as u64 == count * width
                    }
                    _ => false,
                };
                self.must(fits, "string of its array's size", id);
            }
            other => self.operation(id, other, ty),
        }
    }

    fn operation(&mut self, id: ExprId, kind: &ExprKind, ty: TypeId) {
        let value = |checker: &mut Self, operand: ExprId| {
            checker.must(
                !checker.is_place(operand) && !checker.is_function(operand),
                "a value as operand",
                operand,
            );
        };
        match kind {
            ExprKind::Cast(operand) => {
                if !matches!(self.kind(ty), Type::Void) {
                    value(self, *operand);
                }
            }
            ExprKind::Unary(op, operand) => {
                value(self, *operand);
                let fits = if *op == UnaryOp::Not {
                    self.is_scalar(self.ty(*operand))
                } else {
                    self.ty(*operand) == ty
                };
                self.must(fits || self.is_unsupported(self.ty(*operand)), "unary operand", id);
            }
            ExprKind::Binary(op, left, right) => {
                value(self, *left);
                value(self, *right);
                self.binary(id, *op, self.ty(*left), self.ty(*right), ty);
            }
            ExprKind::Assign { target, value: source } => {
                value(self, *source);
                self.must(
                    self.is_place(*target) || self.is_unsupported_expr(*target),
                    "assignment to a place",
                    id,
                );
                let same = self.ty(*target) == self.ty(*source) && self.ty(*target) == ty;
                self.must(same, "assignment of one type", id);
            }
            ExprKind::AssignOp { target, value: source, .. } => {
                value(self, *source);
                self.must(self.is_place(*target) && self.ty(*target) == ty, "assignment to a place", id);
            }
            ExprKind::Step { operand, .. } => {
                self.must(self.is_place(*operand) && self.ty(*operand) == ty, "step of a place", id);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.must(self.is_scalar(self.ty(*condition)), "scalar condition", id);
                let void = matches!(self.kind(ty), Type::Void);
                self.must(
                    void || (self.ty(*then) == ty && self.ty(*otherwise) == ty),
                    "arms of one type",
                    id,
                );
            }
            ExprKind::Elvis { value: first, otherwise } => {
                value(self, *first);
                self.must(self.is_scalar(self.ty(*first)), "scalar first operand", id);
                self.must(self.ty(*otherwise) == ty, "second operand of the type", id);
            }
            ExprKind::Call { callee, arguments } => self.call(id, *callee, arguments, ty),
            ExprKind::Builtin(builtin, operands) => {
                let none = matches!(builtin, Builtin::Unreachable | Builtin::Trap | Builtin::FrameAddress);
                self.must(!none || operands.is_empty(), "no operands", id);
            }
            _ => {}
        }
    }

    fn is_unsupported_expr(&self, id: ExprId) -> bool {
        matches!(self.unit.exprs[id].kind, ExprKind::Unsupported(_))
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, left: TypeId, right: TypeId, ty: TypeId) {
        let fits = match op {
            BinaryOp::And | BinaryOp::Or => self.is_scalar(left) && self.is_scalar(right),
            BinaryOp::Shl | BinaryOp::Shr => left == ty,
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
                left == right || (self.is_pointer(left) && self.is_pointer(right))
            }
            BinaryOp::Add if self.is_pointer(ty) => {
                (self.is_pointer(left) && left == ty) || (self.is_pointer(right) && right == ty)
            }
            BinaryOp::Sub if self.is_pointer(left) => left == ty || self.is_pointer(right),
            _ => left == ty && right == ty,
        };
        self.must(fits || self.is_unsupported(left), "binary operands", id);
    }

    fn call(&mut self, id: ExprId, callee: ExprId, arguments: &[ExprId], ty: TypeId) {
        let function = match self.kind(self.ty(callee)) {
            Type::Pointer(to) => self.kind(*to),
            other => other,
        };
        let Type::Function(function) = function else { return self.must(false, "call of a function", id) };
        self.must(function.result == ty, "result of the call", id);
        for (index, &argument) in arguments.iter().enumerate() {
            self.must(
                !self.is_place(argument) && !self.is_function(argument),
                "a value as argument",
                argument,
            );
            if function.prototyped {
                let expected = function.parameters.get(index).copied();
                let fits = expected.map_or(function.variadic, |expected| expected == self.ty(argument));
                self.must(fits, "argument of the parameter's type", argument);
            }
        }
        let enough = !function.prototyped || arguments.len() >= function.parameters.len();
        self.must(enough, "as many arguments as parameters", id);
    }
}
