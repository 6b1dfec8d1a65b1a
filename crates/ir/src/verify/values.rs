//! Rule 7: expressions and places.

use super::{Facts, Owner, State, Verifier, is_object, is_scalar};
use crate::{
    BinaryOp, Expr, ExprId, ExprKind, FloatKind, Place, PlaceBase, PlaceId, ProcId, Projection, Type, TypeId,
    UnaryOp, VarKind, visit, wrap,
};

/// A node of the graph of expressions and places.
#[derive(Debug, Clone, Copy)]
enum Node {
    Expr(ExprId),
    Place(PlaceId),
}

impl Verifier<'_> {
    /// Checks an expression, unless that was done; what is known of it.
    pub(super) fn check_expr(&mut self, id: ExprId) -> Facts {
        self.check(Node::Expr(id));
        self.facts(Node::Expr(id))
    }

    /// Checks a place, unless that was done.
    pub(super) fn check_place(&mut self, id: PlaceId) -> Facts {
        self.check(Node::Place(id));
        self.facts(Node::Place(id))
    }

    fn facts(&self, node: Node) -> Facts {
        let found = match node {
            Node::Expr(id) => self.exprs.get(id.index()),
            Node::Place(id) => self.places.get(id.index()),
        };
        found.copied().unwrap_or(Facts::NEW)
    }

    fn set_facts(&mut self, node: Node, facts: Facts) {
        let slot = match node {
            Node::Expr(id) => self.exprs.get_mut(id.index()),
            Node::Place(id) => self.places.get_mut(id.index()),
        };
        if let Some(slot) = slot {
            *slot = facts;
        }
    }

    /// Visits everything that a node is made of, parts first.
    fn check(&mut self, root: Node) {
        let mut stack = vec![root];
        let mut parts = Vec::new();
        while let Some(&node) = stack.last() {
            let facts = self.facts(node);
            match facts.state {
                State::New => {
                    if !self.exists(node) {
                        self.bad(format!("{node:?} is not there"));
                        stack.pop();
                        continue;
                    }
                    self.set_facts(node, Facts { state: State::Open, ..facts });
                    parts.clear();
                    self.parts(node, &mut parts);
                    for &part in &parts {
                        match self.facts(part).state {
                            State::New => stack.push(part),
                            State::Open => self.bad(format!("{part:?} is a part of itself")),
                            State::Done => {}
                        }
                    }
                }
                State::Open => {
                    stack.pop();
                    let facts = self.conclude(node);
                    self.set_facts(node, facts);
                }
                State::Done => {
                    stack.pop();
                }
            }
        }
    }

    fn exists(&self, node: Node) -> bool {
        match node {
            Node::Expr(id) => id.index() < self.exprs.len(),
            Node::Place(id) => id.index() < self.places.len(),
        }
    }

    fn parts(&self, node: Node, parts: &mut Vec<Node>) {
        match node {
            Node::Expr(id) => {
                let kind = &self.program.expr(id).kind;
                parts.extend(visit::place_of(kind).map(Node::Place));
                parts.extend(visit::operator_parts(kind).map(Node::Expr));
            }
            Node::Place(id) => parts.extend(visit::place_parts(self.program, id).map(Node::Expr)),
        }
    }

    /// Checks a node whose parts are checked.
    fn conclude(&mut self, node: Node) -> Facts {
        let mut parts = Vec::new();
        self.parts(node, &mut parts);
        let mut facts = Facts {
            state: State::Done,
            usable: true,
            constant: true,
            owner: Owner::Nobody,
            depth: 0,
            nodes: 1,
        };
        for part in parts {
            let part = self.facts(part);
            facts.usable &= part.usable && part.state == State::Done;
            facts.constant &= part.constant;
            facts.owner = facts.owner.and(part.owner);
            facts.depth = facts.depth.max(part.depth);
            facts.nodes = facts.nodes.saturating_add(part.nodes);
        }
        let program = self.program;
        match node {
            Node::Expr(id) => {
                let expr = program.expr(id);
                // A load is as deep as its place.
                facts.depth += u32::from(!matches!(expr.kind, ExprKind::Load(_)));
                facts.constant &= match expr.kind {
                    ExprKind::Load(_) | ExprKind::Unary(..) | ExprKind::If(..) => false,
                    ExprKind::Binary(op, ..) => {
                        matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::PointerAdd)
                    }
                    _ => true,
                };
                facts.usable = facts.usable && self.expr_is_usable(id, expr);
                if facts.usable {
                    self.expr(id, expr);
                }
            }
            Node::Place(id) => {
                facts.depth += 1;
                let place = program.place(id);
                if let PlaceBase::Var(var) = place.base {
                    facts.owner =
                        facts.owner.and(self.owners.get(var.index()).copied().unwrap_or(Owner::Nowhere));
                    facts.constant &= facts.owner == Owner::Nobody;
                }
                let found = if facts.usable { self.place(id, place) } else { None };
                facts.usable = found.is_some();
            }
        }
        facts
    }

    /// The type of a checked expression.
    pub(super) fn expr_type(&self, id: ExprId) -> Option<TypeId> {
        self.facts(Node::Expr(id)).usable.then(|| self.program.expr(id).ty)
    }

    /// The type of a checked place.
    pub(super) fn place_type(&self, id: PlaceId) -> Option<TypeId> {
        self.facts(Node::Place(id)).usable.then(|| self.program.place(id).ty)
    }
}

/// Places.
impl Verifier<'_> {
    /// Follows the path of a place; its type if all is well enough to go on.
    fn place(&mut self, id: PlaceId, place: &Place) -> Option<()> {
        let program = self.program;
        let mut ty = match place.base {
            PlaceBase::Var(var) => match program.variables.get(var) {
                Some(variable) if self.owners[var.index()] == Owner::Nowhere => {
                    self.bad(format!("variable `{}` is in no list of variables", variable.name));
                    return None;
                }
                Some(variable) => variable.ty,
                None => {
                    self.bad(format!("variable {var:?} is not there"));
                    return None;
                }
            },
            PlaceBase::Deref(pointer) => match program.pointee(program.expr(pointer).ty) {
                Some(target) => target,
                None => {
                    self.bad(format!("`{}` dereferences what is no pointer", program.show_place(id)));
                    return None;
                }
            },
        };
        for step in &place.path {
            ty = match (*step, self.ty(ty)?) {
                (Projection::Field(field), &Type::Record(record)) => {
                    let fields = &program.records[record].fields;
                    let Some(field) = fields.get(field as usize) else {
                        self.bad(format!("`{}` names a field that is not there", program.show_place(id)));
                        return None;
                    };
                    field.ty
                }
                (Projection::Index(index), &Type::Array { element, .. }) => {
                    if !matches!(self.ty(program.expr(index).ty), Some(Type::Machine { .. })) {
                        self.bad(format!(
                            "an index in `{}` is not a machine integer",
                            program.show_place(id)
                        ));
                    }
                    element
                }
                _ => {
                    self.bad(format!(
                        "`{}` takes a part of type {}",
                        program.show_place(id),
                        self.show_type(ty)
                    ));
                    return None;
                }
            };
        }
        self.ty(ty)?;
        if ty != place.ty {
            let (is, says) = (self.show_type(ty), self.show_type(place.ty));
            self.bad(format!("`{}` has type {is}, not {says}", program.show_place(id)));
        }
        self.ty(place.ty).map(|_| ())
    }

    /// Whether a place is a bit-field.
    fn is_bit_field(&self, place: &Place) -> bool {
        let program = self.program;
        let mut ty = match place.base {
            PlaceBase::Var(var) => Some(program.variables[var].ty),
            PlaceBase::Deref(pointer) => program.pointee(program.expr(pointer).ty),
        };
        let mut bits = false;
        for step in &place.path {
            (ty, bits) = match (*step, ty.and_then(|ty| self.ty(ty))) {
                (Projection::Field(field), Some(&Type::Record(record))) => {
                    let field = program.records[record].fields.get(field as usize);
                    (field.map(|f| f.ty), field.is_some_and(|f| f.bits.is_some()))
                }
                (Projection::Index(_), Some(&Type::Array { element, .. })) => (Some(element), false),
                _ => return false,
            };
        }
        bits
    }

    fn address_of(&mut self, id: ExprId, place: &Place, ty: TypeId) {
        let program = self.program;
        if let PlaceBase::Var(var) = place.base {
            let variable = &program.variables[var];
            let kind = match variable.kind {
                VarKind::Formal => Some("formal"),
                VarKind::Temp => Some("temporary"),
                VarKind::Result => Some("result"),
                VarKind::Global | VarKind::Static | VarKind::Local => None,
            };
            if let Some(kind) = kind {
                self.bad(format!("the address of {kind} `{}` is taken", variable.name));
            }
        }
        if self.is_bit_field(place) {
            self.bad(format!("`{}` is the address of a bit-field", program.show_expr(id)));
        }
        if program.pointee(ty) != Some(place.ty) {
            self.wrong_type(id, ty);
        }
    }
}

/// Expressions.
impl Verifier<'_> {
    fn expr_is_usable(&mut self, id: ExprId, expr: &Expr) -> bool {
        if self.ty(expr.ty).is_none() {
            self.bad(format!("`{}` has a bad type", self.program.show_expr(id)));
            return false;
        }
        if let ExprKind::Function(procedure) = expr.kind
            && self.program.procedures.get(procedure).is_none()
        {
            self.bad(format!("procedure {procedure:?} is not there"));
            return false;
        }
        true
    }

    fn wrong_type(&mut self, id: ExprId, ty: TypeId) {
        let (expr, ty) = (self.program.show_expr(id), self.show_type(ty));
        self.bad(format!("`{expr}` cannot have type {ty}"));
    }

    fn wrong_operand(&mut self, id: ExprId, operand: TypeId) {
        let (expr, ty) = (self.program.show_expr(id), self.show_type(operand));
        self.bad(format!("`{expr}` has an operand of type {ty}"));
    }

    fn expr(&mut self, id: ExprId, expr: &Expr) {
        let program = self.program;
        let Some(ty) = self.ty(expr.ty) else { return };
        match expr.kind {
            ExprKind::Int(value) => self.int(id, value, ty),
            ExprKind::Bool(_) => {
                if !matches!(ty, Type::Bool) {
                    self.wrong_type(id, expr.ty);
                }
            }
            ExprKind::Float(bits) => {
                let fits = match ty {
                    Type::Float(FloatKind::F32) => bits >> 32 == 0,
                    Type::Float(FloatKind::F64) => bits >> 64 == 0,
                    Type::Float(FloatKind::F80) => bits >> 80 == 0,
                    _ => false,
                };
                if !fits {
                    self.wrong_type(id, expr.ty);
                }
            }
            ExprKind::Load(place) => {
                if !is_object(ty) || program.place(place).ty != expr.ty {
                    self.wrong_type(id, expr.ty);
                }
            }
            ExprKind::AddressOf(place) => self.address_of(id, program.place(place), expr.ty),
            ExprKind::Function(procedure) => {
                if !self.is_address_type(expr.ty, procedure) {
                    self.wrong_type(id, expr.ty);
                }
            }
            ExprKind::Unary(op, operand) => self.unary(id, op, program.expr(operand).ty, expr.ty),
            ExprKind::Binary(op, a, b) => {
                self.binary(id, op, program.expr(a).ty, program.expr(b).ty, expr.ty)
            }
            ExprKind::Cast(operand) => self.cast(id, program.expr(operand).ty, ty),
            ExprKind::If(condition, then, otherwise) => {
                let condition = program.expr(condition).ty;
                if !matches!(self.ty(condition), Some(Type::Bool)) {
                    self.wrong_operand(id, condition);
                }
                for arm in [then, otherwise].map(|arm| program.expr(arm).ty) {
                    if arm != expr.ty {
                        self.wrong_operand(id, arm);
                    }
                }
                if !is_scalar(ty) {
                    self.wrong_type(id, expr.ty);
                }
            }
        }
    }

    fn int(&mut self, id: ExprId, value: i128, ty: &Type) {
        let (width, signed) = match *ty {
            Type::Integer => return,
            Type::Machine { width, signed } => (width, signed),
            Type::Pointer(_) => (self.program.data_model.pointer_bits(), false),
            _ => return self.wrong_type(id, self.program.expr(id).ty),
        };
        if wrap(width, signed, value) != value {
            let ty = self.show_type(self.program.expr(id).ty);
            self.bad(format!("the constant {value} does not fit type {ty}"));
        }
    }

    /// Whether a type is that of the address of a procedure.
    fn is_address_type(&self, ty: TypeId, procedure: ProcId) -> bool {
        let program = self.program;
        let Some(Type::Function(function)) = program.pointee(ty).and_then(|ty| self.ty(ty)) else {
            return false;
        };
        let procedure = &program.procedures[procedure];
        let type_of = |var| program.variables.get(var).map(|v| v.ty);
        let result_fits = match procedure.result {
            Some(result) => type_of(result) == Some(function.result),
            None => matches!(self.ty(function.result), Some(Type::Void)),
        };
        let formals = procedure.formals.iter().map(|&v| type_of(v));
        result_fits
            && procedure.variadic == function.variadic
            && formals.eq(function.formals.iter().map(|&ty| Some(ty)))
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, operand: TypeId, result: TypeId) {
        let Some(ty) = self.ty(operand) else { return };
        let fits = match op {
            UnaryOp::Neg => matches!(ty, Type::Integer | Type::Machine { .. } | Type::Float(_)),
            UnaryOp::BitNot => matches!(ty, Type::Machine { .. }),
            UnaryOp::Not => matches!(ty, Type::Bool),
        };
        if !fits {
            self.wrong_operand(id, operand);
        }
        if result != operand {
            self.wrong_type(id, result);
        }
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, a: TypeId, b: TypeId, result: TypeId) {
        use BinaryOp::*;
        let (Some(left), Some(right), Some(value)) = (self.ty(a), self.ty(b), self.ty(result)) else {
            return;
        };
        let left_fits = match op {
            Add | Sub | Mul | Div | Rem => {
                matches!(left, Type::Integer | Type::Machine { .. } | Type::Float(_))
            }
            Shl | Shr => matches!(left, Type::Machine { .. }),
            And | Or | Xor => matches!(left, Type::Machine { .. } | Type::Bool),
            Eq | Ne => is_scalar(left),
            Lt | Le => is_scalar(left) && !matches!(left, Type::Bool),
            PointerAdd | PointerDiff => matches!(left, Type::Pointer(_)),
        };
        if !left_fits {
            self.wrong_operand(id, a);
        }
        let right_fits = match op {
            Shl | Shr | PointerAdd => matches!(right, Type::Machine { .. }),
            _ => a == b,
        };
        if !right_fits {
            self.wrong_operand(id, b);
        }
        let pointer_bits = self.program.data_model.pointer_bits();
        let result_fits = match op {
            Eq | Ne | Lt | Le => matches!(value, Type::Bool),
            PointerDiff => matches!(*value, Type::Machine { width, signed: true } if width == pointer_bits),
            _ => result == a,
        };
        if !result_fits {
            self.wrong_type(id, result);
        }
    }

    fn cast(&mut self, id: ExprId, from: TypeId, to: &Type) {
        let Some(source) = self.ty(from) else { return };
        let fits = match source {
            Type::Bool => {
                matches!(to, Type::Integer | Type::Machine { .. } | Type::Float(_) | Type::Pointer(_))
            }
            Type::Machine { .. } => matches!(to, Type::Machine { .. } | Type::Float(_) | Type::Pointer(_)),
            Type::Pointer(_) => matches!(to, Type::Machine { .. } | Type::Pointer(_)),
            Type::Float(_) => matches!(to, Type::Machine { .. } | Type::Float(_)),
            _ => false,
        };
        if !fits {
            let (expr, from) = (self.program.show_expr(id), self.show_type(from));
            self.bad(format!("`{expr}` converts from type {from}"));
        }
    }
}
