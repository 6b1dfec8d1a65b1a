//! Building programs: constructors that intern, compute types and fold constants.
//!
//! Folding never changes meaning: an undefined operation is left in place, so that the run still
//! ends there.

use crate::number::{binary, compare, wrap};
use crate::{
    BinaryOp, ExprId, ExprKind, FloatKind, FunctionType, Place, PlaceBase, PlaceId, ProcId, Program,
    Projection, Type, TypeId, UnaryOp, VarId,
};

/// Types.
impl Program {
    /// `void`.
    pub fn void(&self) -> TypeId {
        self.intern_type(Type::Void)
    }

    /// The type of truth values.
    pub fn bool(&self) -> TypeId {
        self.intern_type(Type::Bool)
    }

    /// A machine integer type.
    pub fn machine(&self, width: u16, signed: bool) -> TypeId {
        self.intern_type(Type::Machine { width, signed })
    }

    /// A pointer type.
    pub fn pointer_to(&self, target: TypeId) -> TypeId {
        self.intern_type(Type::Pointer(target))
    }

    /// An array type.
    pub fn array_of(&self, element: TypeId, length: u64) -> TypeId {
        self.intern_type(Type::Array { element, length })
    }

    /// The unsigned integer of pointer width.
    pub fn address_type(&self) -> TypeId {
        let width = self.data_model.pointer_bits();
        self.machine(width, false)
    }

    /// The signed integer of pointer width.
    pub fn distance_type(&self) -> TypeId {
        let width = self.data_model.pointer_bits();
        self.machine(width, true)
    }

    /// The type of a procedure.
    pub fn procedure_type(&self, procedure: ProcId) -> TypeId {
        let p = &self.procedures[procedure];
        let formals = p.formals.iter().map(|&v| self.variables[v].ty).collect();
        let variadic = p.variadic;
        let result = p.result.map(|v| self.variables[v].ty);
        let result = result.unwrap_or_else(|| self.void());
        self.intern_type(Type::Function(FunctionType { result, formals, variadic }))
    }

    /// Bytes that a value of the type takes in memory; 0 where C has no size. `void` and functions
    /// count 1, as in GNU C's pointer arithmetic.
    pub fn size_of(&self, ty: TypeId) -> u64 {
        match *self.ty(ty) {
            Type::Void | Type::Function(_) | Type::Bool => 1,
            Type::Integer => 16,
            Type::Machine { width, .. } => u64::from(width.div_ceil(8)),
            Type::Float(kind) => self.float_size(kind),
            Type::Pointer(_) => self.data_model.pointer_bytes(),
            Type::Array { element, length } => self.size_of(element).saturating_mul(length),
            Type::Record(id) => self.records[id].size,
        }
    }

    fn float_size(&self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::F32 => 4,
            FloatKind::F64 => 8,
            FloatKind::F80 => 8 + self.data_model.pointer_bytes().max(4),
        }
    }

    /// Whether there are mathematical integers in the program.
    pub fn uses_integers(&self) -> bool {
        self.types().values().any(|ty| matches!(ty, Type::Integer))
    }

    /// Whether values of the type fit one variable of logic: everything but records, arrays,
    /// functions and `void`.
    pub fn is_scalar(&self, ty: TypeId) -> bool {
        !matches!(self.ty(ty), Type::Void | Type::Array { .. } | Type::Record(_) | Type::Function(_))
    }

    /// The variable that a place is the whole of.
    pub fn whole_variable(&self, place: PlaceId) -> Option<VarId> {
        let place = self.place(place);
        match place.base {
            PlaceBase::Var(var) if place.path.is_empty() => Some(var),
            _ => None,
        }
    }

    /// Whether it is a pointer type.
    pub fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.ty(ty), Type::Pointer(_))
    }

    /// What a pointer type points to.
    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match *self.ty(ty) {
            Type::Pointer(target) => Some(target),
            _ => None,
        }
    }

    /// Width and sign of what is held as a machine integer: machine types, and pointers as
    /// unsigned addresses.
    pub fn machine_shape(&self, ty: TypeId) -> Option<(u16, bool)> {
        match *self.ty(ty) {
            Type::Machine { width, signed } => Some((width, signed)),
            Type::Pointer(_) => Some((self.data_model.pointer_bits(), false)),
            _ => None,
        }
    }
}

/// Places.
impl Program {
    /// A whole variable.
    pub fn var_place(&self, var: VarId) -> PlaceId {
        let ty = self.variables[var].ty;
        self.intern_place(Place { base: PlaceBase::Var(var), path: Vec::new(), ty })
    }

    /// What a pointer points to. Dereferencing an address gives the place back.
    pub fn deref(&self, pointer: ExprId) -> PlaceId {
        let expr = self.expr(pointer);
        let target = self.pointee(expr.ty);
        if let ExprKind::AddressOf(place) = expr.kind
            && Some(self.place(place).ty) == target
        {
            return place;
        }
        let ty = target.unwrap_or_else(|| self.void());
        self.intern_place(Place { base: PlaceBase::Deref(pointer), path: Vec::new(), ty })
    }

    /// A field of a record. A place that is no record, or a field it has not, stays as it is (the
    /// verifier reports such a program).
    pub fn field(&self, record: PlaceId, field: u32) -> PlaceId {
        let mut place = self.place(record).clone();
        if let Type::Record(id) = *self.ty(place.ty)
            && let Some(f) = self.records[id].fields.get(field as usize)
        {
            place.ty = f.ty;
            place.path.push(Projection::Field(field));
        }
        self.intern_place(place)
    }

    /// An element of an array. A place that is no array stays as it is.
    pub fn index(&self, array: PlaceId, index: ExprId) -> PlaceId {
        let mut place = self.place(array).clone();
        if let Type::Array { element, .. } = *self.ty(place.ty) {
            place.ty = element;
            place.path.push(Projection::Index(index));
        }
        self.intern_place(place)
    }
}

/// Expressions.
impl Program {
    /// A constant of a machine or pointer type, wrapped to its width, or a mathematical integer.
    pub fn int(&self, value: i128, ty: TypeId) -> ExprId {
        let value = self.machine_shape(ty).map_or(value, |(width, signed)| wrap(width, signed, value));
        self.intern_expr(ExprKind::Int(value), ty)
    }

    /// A truth value.
    pub fn truth(&self, value: bool) -> ExprId {
        let ty = self.bool();
        self.intern_expr(ExprKind::Bool(value), ty)
    }

    /// The value stored in a place.
    pub fn load(&self, place: PlaceId) -> ExprId {
        let ty = self.place(place).ty;
        self.intern_expr(ExprKind::Load(place), ty)
    }

    /// The value of a variable.
    pub fn var(&self, var: VarId) -> ExprId {
        let place = self.var_place(var);
        self.load(place)
    }

    /// The address of a place.
    pub fn address_of(&self, place: PlaceId) -> ExprId {
        let p = self.place(place);
        if let (PlaceBase::Deref(pointer), true) = (p.base, p.path.is_empty()) {
            return pointer;
        }
        let target = p.ty;
        let ty = self.pointer_to(target);
        self.intern_expr(ExprKind::AddressOf(place), ty)
    }

    /// The address of a procedure.
    pub fn function_address(&self, procedure: ProcId) -> ExprId {
        let function = self.procedure_type(procedure);
        let ty = self.pointer_to(function);
        self.intern_expr(ExprKind::Function(procedure), ty)
    }

    /// The integer constant that an expression is.
    pub fn as_int(&self, expr: ExprId) -> Option<i128> {
        match self.expr(expr).kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value that an expression is.
    pub fn as_truth(&self, expr: ExprId) -> Option<bool> {
        match self.expr(expr).kind {
            ExprKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// An operator on one operand, folded.
    pub fn unary(&self, op: UnaryOp, operand: ExprId) -> ExprId {
        let expr = self.expr(operand);
        let ty = expr.ty;
        match (op, expr.kind.clone()) {
            (UnaryOp::Not, _) => return self.not(operand),
            // The negation of the least mathematical integer that can be written cannot be.
            (UnaryOp::Neg, ExprKind::Int(i128::MIN)) if matches!(self.ty(ty), Type::Integer) => {}
            (UnaryOp::Neg, ExprKind::Int(v)) => return self.int(v.wrapping_neg(), ty),
            (UnaryOp::BitNot, ExprKind::Int(v)) => return self.int(!v, ty),
            _ => {}
        }
        self.intern_expr(ExprKind::Unary(op, operand), ty)
    }

    /// The negation of a condition, moved into comparisons where that is exact (not for floats).
    pub fn not(&self, condition: ExprId) -> ExprId {
        let ty = self.expr(condition).ty;
        match self.expr(condition).kind {
            ExprKind::Bool(value) => self.truth(!value),
            ExprKind::Unary(UnaryOp::Not, inner) => inner,
            ExprKind::Binary(BinaryOp::Eq, a, b) => {
                self.intern_expr(ExprKind::Binary(BinaryOp::Ne, a, b), ty)
            }
            ExprKind::Binary(BinaryOp::Ne, a, b) => {
                self.intern_expr(ExprKind::Binary(BinaryOp::Eq, a, b), ty)
            }
            ExprKind::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), a, b)
                if !matches!(self.ty(self.expr(a).ty), Type::Float(_)) =>
            {
                let op = if op == BinaryOp::Lt { BinaryOp::Le } else { BinaryOp::Lt };
                self.intern_expr(ExprKind::Binary(op, b, a), ty)
            }
            _ => self.intern_expr(ExprKind::Unary(UnaryOp::Not, condition), ty),
        }
    }

    /// An operator on two operands, folded. The types must fit as [`BinaryOp`] says.
    pub fn binary(&self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let operand = self.expr(a).ty;
        let ty = match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => self.bool(),
            BinaryOp::PointerDiff => self.distance_type(),
            _ => operand,
        };
        if let Some(folded) = self.fold_binary(op, operand, a, b) {
            return folded;
        }
        self.intern_expr(ExprKind::Binary(op, a, b), ty)
    }

    fn fold_binary(&self, op: BinaryOp, operand: TypeId, a: ExprId, b: ExprId) -> Option<ExprId> {
        if let (Some(x), Some(y)) = (self.as_truth(a), self.as_truth(b)) {
            return match op {
                BinaryOp::And => Some(self.truth(x && y)),
                BinaryOp::Or => Some(self.truth(x || y)),
                BinaryOp::Xor | BinaryOp::Ne => Some(self.truth(x != y)),
                BinaryOp::Eq => Some(self.truth(x == y)),
                _ => None,
            };
        }
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let absorbing = op == BinaryOp::Or;
                // A constant on the right may not hide an undefined operation on the left.
                if self.as_truth(a) == Some(!absorbing) {
                    return Some(b);
                }
                if self.as_truth(b) == Some(!absorbing) {
                    return Some(a);
                }
            }
            BinaryOp::PointerAdd if self.as_int(b) == Some(0) => return Some(a),
            _ => {}
        }
        let (x, y) = (self.as_int(a)?, self.as_int(b)?);
        let (width, signed) = self.machine_shape(operand)?;
        match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => {
                Some(self.truth(compare(op, signed, x, y)))
            }
            BinaryOp::PointerAdd => {
                let scale = i128::from(self.size_of(self.pointee(operand)?));
                Some(self.int(x.wrapping_add(y.wrapping_mul(scale)), operand))
            }
            BinaryOp::PointerDiff => None,
            _ => {
                let value = binary(op, width, signed, x, y).ok()?;
                Some(self.int(value, operand))
            }
        }
    }

    /// Whether the value is not zero (not null): a condition made from a scalar.
    pub fn nonzero(&self, scalar: ExprId) -> ExprId {
        let expr = self.expr(scalar).clone();
        match (self.ty(expr.ty), &expr.kind) {
            (Type::Bool, _) => return scalar,
            // (int)(a < b) != 0 is a < b.
            (_, &ExprKind::Cast(inner)) if matches!(self.ty(self.expr(inner).ty), Type::Bool) => {
                return inner;
            }
            (_, ExprKind::AddressOf(place)) if self.is_named_object(*place) => return self.truth(true),
            (_, ExprKind::Function(_)) => return self.truth(true),
            // All bits but the sign.
            (Type::Float(FloatKind::F32), ExprKind::Float(bits)) => return self.truth(bits << 97 != 0),
            (Type::Float(FloatKind::F64), ExprKind::Float(bits)) => return self.truth(bits << 65 != 0),
            (Type::Float(FloatKind::F80), ExprKind::Float(bits)) => return self.truth(bits << 49 != 0),
            _ => {}
        }
        let zero = match self.ty(expr.ty) {
            Type::Float(_) => self.intern_expr(ExprKind::Float(0), expr.ty),
            _ => self.int(0, expr.ty),
        };
        self.binary(BinaryOp::Ne, scalar, zero)
    }

    /// A variable or a part of it at constant fields: its address is not null.
    fn is_named_object(&self, place: PlaceId) -> bool {
        let place = self.place(place);
        matches!(place.base, PlaceBase::Var(_))
            && place.path.iter().all(|p| matches!(p, Projection::Field(_)))
    }

    /// A conversion to a type, folded. Converting to [`Type::Bool`] asks whether the value is not
    /// zero.
    pub fn cast(&self, operand: ExprId, to: TypeId) -> ExprId {
        let expr = self.expr(operand).clone();
        if expr.ty == to {
            return operand;
        }
        if matches!(self.ty(to), Type::Bool) {
            return self.nonzero(operand);
        }
        match expr.kind {
            ExprKind::Int(value) if self.machine_shape(to).is_some() => return self.int(value, to),
            ExprKind::Bool(value) if self.machine_shape(to).is_some() => {
                return self.int(i128::from(value), to);
            }
            ExprKind::Cast(inner) => {
                if let Some(short) = self.cast_through(inner, expr.ty, to) {
                    return short;
                }
            }
            _ => {}
        }
        self.intern_expr(ExprKind::Cast(operand), to)
    }

    /// `(to)(middle)inner` as `(to)inner` where the step in the middle loses nothing that counts.
    fn cast_through(&self, inner: ExprId, middle: TypeId, to: TypeId) -> Option<ExprId> {
        let from = self.expr(inner).ty;
        if matches!(self.ty(from), Type::Bool) {
            self.machine_shape(middle)?;
            self.machine_shape(to)?;
            return Some(self.cast(inner, to));
        }
        let (from_width, from_signed) = self.machine_shape(from)?;
        let (middle_width, middle_signed) = self.machine_shape(middle)?;
        let (to_width, _) = self.machine_shape(to)?;
        let narrowing = to_width <= middle_width && to_width <= from_width;
        let widening = middle_width >= from_width
            && (from_signed == middle_signed || (!from_signed && middle_width > from_width));
        (narrowing || widening).then(|| self.cast(inner, to))
    }

    /// A conditional expression, folded.
    pub fn if_then_else(&self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        match self.as_truth(condition) {
            Some(true) => return then,
            Some(false) => return otherwise,
            None if then == otherwise && self.is_total(condition) => return then,
            None => {}
        }
        let ty = self.expr(then).ty;
        self.intern_expr(ExprKind::If(condition, then, otherwise), ty)
    }

    /// Whether evaluating the expression can neither end the run nor read memory through a pointer:
    /// such an expression may be evaluated where the source would have skipped it.
    pub fn is_total(&self, expr: ExprId) -> bool {
        let e = self.expr(expr);
        match e.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) | ExprKind::Function(_) => true,
            ExprKind::Load(place) => self.is_total_access(place),
            ExprKind::AddressOf(place) => self.is_total_access(place),
            ExprKind::Unary(_, a) => self.is_total(a),
            ExprKind::Cast(a) => {
                let truncates = matches!(self.ty(self.expr(a).ty), Type::Float(_))
                    && matches!(self.ty(e.ty), Type::Machine { .. });
                !truncates && self.is_total(a)
            }
            ExprKind::Binary(op, a, b) => {
                self.is_total_operator(op, e.ty, b) && self.is_total(a) && self.is_total(b)
            }
            ExprKind::If(c, a, b) => self.is_total(c) && self.is_total(a) && self.is_total(b),
        }
    }

    fn is_total_access(&self, place: PlaceId) -> bool {
        let place = self.place(place);
        matches!(place.base, PlaceBase::Var(_))
            && place.path.iter().all(|p| matches!(p, Projection::Field(_)))
    }

    fn is_total_operator(&self, op: BinaryOp, ty: TypeId, right: ExprId) -> bool {
        match op {
            BinaryOp::Div | BinaryOp::Rem => {
                matches!(self.ty(ty), Type::Float(_)) || self.as_int(right).is_some_and(|v| v != 0 && v != -1)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let width = self.machine_shape(ty).map_or(0, |(width, _)| i128::from(width));
                self.as_int(right).is_some_and(|n| (0..width).contains(&n))
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataModel;

    #[test]
    fn folding_keeps_undefined_operations() {
        let p = Program::new(DataModel::Lp64);
        let int = p.machine(32, true);
        let (one, zero) = (p.int(1, int), p.int(0, int));
        let bad = p.binary(BinaryOp::Div, one, zero);
        assert!(matches!(p.expr(bad).kind, ExprKind::Binary(BinaryOp::Div, _, _)));
        assert!(!p.is_total(bad));
        let two = p.binary(BinaryOp::Add, one, one);
        assert_eq!(p.as_int(two), Some(2));
    }

    #[test]
    fn casts_collapse_only_where_exact() {
        let mut p = Program::new(DataModel::Lp64);
        let widths = [8, 16, 32, 64];
        for from in widths {
            for middle in widths {
                for to in widths {
                    for signs in 0..8 {
                        check_double_cast(
                            &mut p,
                            [(from, signs & 1 > 0), (middle, signs & 2 > 0), (to, signs & 4 > 0)],
                        );
                    }
                }
            }
        }
    }

    fn check_double_cast(p: &mut Program, [from, middle, to]: [(u16, bool); 3]) {
        let kind = crate::VarKind::Temp;
        let ty = p.machine(from.0, from.1);
        let x = p.variables.push(crate::Variable {
            name: "x".into(),
            ty,
            kind,
            span: hardbop_base::Span::none(),
            align: 0,
            initial: crate::Initial::Arbitrary,
        });
        let x = p.var(x);
        let (middle_ty, to_ty) = (p.machine(middle.0, middle.1), p.machine(to.0, to.1));
        let inner = p.cast(x, middle_ty);
        let outer = p.cast(inner, to_ty);
        let collapsed = match p.expr(outer).kind {
            ExprKind::Cast(operand) => operand == x && inner != x,
            _ => outer == x && inner != x,
        };
        if collapsed {
            for v in
                [0, 1, -1, 127, 128, 255, 32767, 65535, 1 << 31, (1 << 32) - 1, 1 << 63, i128::from(u64::MAX)]
            {
                let v = wrap(from.0, from.1, v);
                let long = wrap(to.0, to.1, wrap(middle.0, middle.1, v));
                assert_eq!(long, wrap(to.0, to.1, v), "{from:?} {middle:?} {to:?} {v}");
            }
        }
    }

    #[test]
    fn address_and_dereference_cancel() {
        let mut p = Program::new(DataModel::Ilp32);
        let int = p.machine(32, true);
        let x = p.variables.push(crate::Variable {
            name: "x".into(),
            ty: int,
            kind: crate::VarKind::Local,
            span: hardbop_base::Span::none(),
            align: 0,
            initial: crate::Initial::Arbitrary,
        });
        let place = p.var_place(x);
        let address = p.address_of(place);
        assert_eq!(p.deref(address), place);
        let nonnull = p.nonzero(address);
        assert_eq!(p.as_truth(nonnull), Some(true));
    }
}
