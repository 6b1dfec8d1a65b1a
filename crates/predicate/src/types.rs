//! C's rules for expressions on the types of the program representation: promotions, usual arithmetic
//! conversions, pointers, truth values. One function per operator, from values to a value; the parser
//! calls them for what it reads, and the printer to see what its text would be read as.
//!
//! They give the same expressions as lowering a C program does, so that a predicate copied from the
//! source is the expression of the program. Where C's types are gone, widths stand for ranks; that
//! gives the same conversions.
//!
//! Truth values are where the representation differs from C. A comparison gives one, and C calls it an
//! `int`: two of them are compared as numbers, as in C. A variable of type bool (of the X language, or a
//! temporary), a constant `true` or `false`, and what was converted by `(bool)` are truth values in
//! their own right: an operator with one of them on either side works on truth values.

use hardbop_ir::{
    BinaryOp, ExprId, ExprKind, FloatKind, PlaceBase, PlaceId, Program, Projection, Type, TypeId, UnaryOp,
    VarKind,
};

use super::type_names::described;

/// Bits of C's `int`.
const INT: u16 = 32;

/// What an expression stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// An object or a part of one, of any type.
    Place(PlaceId),
    /// A scalar.
    Scalar(Scalar),
}

/// A scalar value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scalar {
    pub(super) expr: ExprId,
    nature: Nature,
}

/// What C's rules must know of a scalar besides its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    /// Nothing.
    Plain,
    /// A truth value that C calls an `int`.
    Comparison,
    /// A bit-field of so many bits, which decide its promotion.
    Bits(u16),
}

/// Why an expression has no meaning.
pub(super) type Typed<T> = Result<T, String>;

/// A binary operator of C on scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// One that the representation has too.
    Plain(BinaryOp),
    /// `>` and `>=`: `<` and `<=` with the operands exchanged.
    Greater,
    GreaterEqual,
    /// `&&` and `||`.
    Both,
    Either,
}

/// A binary operator and how strongly it binds: 1 to 10.
pub(super) fn binary_operator(punct: &str) -> Option<(Operator, u8)> {
    use BinaryOp::*;
    Some(match punct {
        "*" => (Operator::Plain(Mul), 10),
        "/" => (Operator::Plain(Div), 10),
        "%" => (Operator::Plain(Rem), 10),
        "+" => (Operator::Plain(Add), 9),
        "-" => (Operator::Plain(Sub), 9),
        "<<" => (Operator::Plain(Shl), 8),
        ">>" => (Operator::Plain(Shr), 8),
        "<" => (Operator::Plain(Lt), 7),
        "<=" => (Operator::Plain(Le), 7),
        ">" => (Operator::Greater, 7),
        ">=" => (Operator::GreaterEqual, 7),
        "==" => (Operator::Plain(Eq), 6),
        "!=" => (Operator::Plain(Ne), 6),
        "&" => (Operator::Plain(And), 5),
        "^" => (Operator::Plain(Xor), 4),
        "|" => (Operator::Plain(Or), 3),
        "&&" => (Operator::Both, 2),
        "||" => (Operator::Either, 1),
        _ => return None,
    })
}

/// Types of C that are not types of the representation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CType {
    /// A truth value; in memory one byte, as [`CType::Boolean`].
    Truth,
    /// `_Bool`: 0 or 1 in a byte.
    Boolean,
    /// All others.
    Plain(TypeId),
}

/// The rules, applied to a program.
pub(super) struct Typing<'p> {
    pub(super) program: &'p Program,
}

/// Values.
impl Typing<'_> {
    /// An expression of the program as it stands.
    pub(super) fn exact(&self, expr: ExprId) -> Value {
        let e = self.program.expr(expr);
        match e.kind {
            ExprKind::Load(place) if !self.program.is_scalar(e.ty) => Value::Place(place),
            _ => plain(expr),
        }
    }

    /// The value of an operand: what a place holds, the address of the first element of an array.
    pub(super) fn scalar(&mut self, value: Value) -> Typed<Scalar> {
        let place = match value {
            Value::Scalar(scalar) => return Ok(scalar),
            Value::Place(place) => place,
        };
        let ty = self.program.place(place).ty;
        match *self.program.ty(ty) {
            Type::Array { .. } => {
                let first = self.first_element(place);
                self.address(first)
            }
            Type::Function(_) => Ok(scalar(self.program.address_of(place))),
            Type::Record(_) => {
                Err(format!("a value of type {} is no number, pointer or truth value", self.shown_type(ty)))
            }
            Type::Void => Err("a value of type void is no number, pointer or truth value".to_owned()),
            _ => {
                let nature = self.bit_field(place).map_or(Nature::Plain, Nature::Bits);
                Ok(Scalar { expr: self.program.load(place), nature })
            }
        }
    }

    fn first_element(&mut self, array: PlaceId) -> PlaceId {
        let zero = self.program.distance_type();
        let zero = self.program.int(0, zero);
        self.program.index(array, zero)
    }

    /// A value as a condition.
    pub(super) fn truth(&mut self, value: Value) -> Typed<ExprId> {
        let scalar = self.scalar(value)?;
        Ok(self.program.nonzero(scalar.expr))
    }

    fn ty(&self, scalar: Scalar) -> TypeId {
        self.program.expr(scalar.expr).ty
    }

    fn is_truth(&self, scalar: Scalar) -> bool {
        matches!(self.program.ty(self.ty(scalar)), Type::Bool)
    }

    fn is_pointer(&self, scalar: Scalar) -> bool {
        self.program.is_pointer(self.ty(scalar))
    }

    /// The bits of the bit-field that a place is.
    fn bit_field(&self, place: PlaceId) -> Option<u16> {
        let place = self.program.place(place);
        let (&Projection::Field(last), before) = place.path.split_last()? else { return None };
        let mut ty = match place.base {
            PlaceBase::Var(var) => self.program.variables.get(var)?.ty,
            PlaceBase::Deref(pointer) => self.program.pointee(self.program.expr(pointer).ty)?,
        };
        for step in before {
            ty = match (*step, self.program.ty(ty)) {
                (Projection::Field(field), &Type::Record(id)) => {
                    self.program.records[id].fields.get(field as usize)?.ty
                }
                (Projection::Index(_), &Type::Array { element, .. }) => element,
                _ => return None,
            };
        }
        let Type::Record(id) = *self.program.ty(ty) else { return None };
        self.program.records[id].fields.get(last as usize)?.bits.map(|bits| u16::from(bits.width))
    }

    fn shown_type(&self, ty: TypeId) -> String {
        described(self.program, ty)
    }

    fn describe(&self, scalar: Scalar) -> String {
        match scalar.nature {
            Nature::Comparison => "truth value".to_owned(),
            _ => format!("value of type {}", self.shown_type(self.ty(scalar))),
        }
    }
}

fn scalar(expr: ExprId) -> Scalar {
    Scalar { expr, nature: Nature::Plain }
}

fn plain(expr: ExprId) -> Value {
    Value::Scalar(scalar(expr))
}

fn comparison(expr: ExprId) -> Value {
    Value::Scalar(Scalar { expr, nature: Nature::Comparison })
}

/// Constants.
impl Typing<'_> {
    /// An integer of so many bits.
    pub(super) fn integer(&mut self, value: u128, (width, signed): (u16, bool)) -> Value {
        let ty = self.program.machine(width, signed);
        plain(self.program.int(value as i128, ty))
    }

    /// `NULL`.
    pub(super) fn null(&mut self) -> Value {
        let void = self.program.void();
        let pointer = self.program.pointer_to(void);
        plain(self.program.int(0, pointer))
    }

    /// `true` and `false`.
    pub(super) fn boolean(&mut self, value: bool) -> Value {
        plain(self.program.truth(value))
    }

    /// A number with a point or an exponent.
    pub(super) fn float(&mut self, digits: &str, single: bool) -> Typed<Value> {
        let bad = |_| "not a floating-point number".to_owned();
        let (kind, bits) = if single {
            (FloatKind::F32, u128::from(digits.parse::<f32>().map_err(bad)?.to_bits()))
        } else {
            (FloatKind::F64, u128::from(digits.parse::<f64>().map_err(bad)?.to_bits()))
        };
        let ty = self.program.intern_type(Type::Float(kind));
        Ok(plain(self.program.intern_expr(ExprKind::Float(bits), ty)))
    }

    /// `sizeof` a type.
    pub(super) fn size_of_type(&mut self, ty: CType) -> Typed<Value> {
        let size = match ty {
            CType::Truth | CType::Boolean => 1,
            CType::Plain(ty) => {
                if let Type::Record(id) = *self.program.ty(ty)
                    && self.program.records[id].size == 0
                    && self.program.records[id].fields.is_empty()
                {
                    return Err(format!("the size of {} is not known", self.shown_type(ty)));
                }
                self.program.size_of(ty)
            }
        };
        let ty = self.program.address_type();
        Ok(plain(self.program.int(i128::from(size), ty)))
    }

    /// `sizeof` an expression, which is not evaluated.
    pub(super) fn size_of_value(&mut self, value: Value) -> Typed<Value> {
        let ty = match value {
            Value::Place(place) if self.bit_field(place).is_some() => {
                return Err("a bit-field has no size".to_owned());
            }
            Value::Place(place) => CType::Plain(self.program.place(place).ty),
            Value::Scalar(Scalar { nature: Nature::Comparison, .. }) => {
                CType::Plain(self.program.machine(INT, true))
            }
            Value::Scalar(scalar) => CType::Plain(self.ty(scalar)),
        };
        self.size_of_type(ty)
    }
}

/// Parts and addresses.
impl Typing<'_> {
    /// `*value`
    pub(super) fn deref(&mut self, value: Value) -> Typed<Value> {
        let pointer = self.scalar(value)?;
        if !self.is_pointer(pointer) {
            return Err(format!("a {} does not point to anything", self.describe(pointer)));
        }
        Ok(Value::Place(self.program.deref(pointer.expr)))
    }

    /// `&value`
    pub(super) fn address_of(&mut self, value: Value) -> Typed<Value> {
        match value {
            Value::Place(place) => self.address(place).map(Value::Scalar),
            // `&f` is `f`.
            Value::Scalar(s) if matches!(self.program.expr(s.expr).kind, ExprKind::Function(_)) => Ok(value),
            Value::Scalar(_) => Err("only an object has an address".to_owned()),
        }
    }

    fn address(&mut self, place: PlaceId) -> Typed<Scalar> {
        if let PlaceBase::Var(var) = self.program.place(place).base {
            let variable = &self.program.variables[var];
            if matches!(variable.kind, VarKind::Formal | VarKind::Temp | VarKind::Result) {
                return Err(format!("`{}` has no address, since the program never takes it", variable.name));
            }
        }
        if self.bit_field(place).is_some() {
            return Err("a bit-field has no address".to_owned());
        }
        Ok(scalar(self.program.address_of(place)))
    }

    /// `value.name`; unnamed members are looked through.
    pub(super) fn member(&mut self, value: Value, name: &str) -> Typed<Value> {
        let (place, ty) = self.record(value)?;
        match self.find_member(ty, name, 0) {
            Some(path) => Ok(Value::Place(
                path.into_iter().fold(place, |place, field| self.program.field(place, field)),
            )),
            None => Err(format!("{} has no member `{name}`", self.shown_type(ty))),
        }
    }

    /// `value.#2`
    pub(super) fn numbered_member(&mut self, value: Value, field: u32) -> Typed<Value> {
        let (place, ty) = self.record(value)?;
        let Type::Record(id) = *self.program.ty(ty) else { return Err(String::new()) };
        let count = self.program.records[id].fields.len();
        if field as usize >= count {
            return Err(format!("{} has only {count} members", self.shown_type(ty)));
        }
        Ok(Value::Place(self.program.field(place, field)))
    }

    fn record(&mut self, value: Value) -> Typed<(PlaceId, TypeId)> {
        let ty = match value {
            Value::Place(place) => self.program.place(place).ty,
            Value::Scalar(scalar) => self.ty(scalar),
        };
        match (value, self.program.ty(ty)) {
            (Value::Place(place), Type::Record(_)) => Ok((place, ty)),
            (_, Type::Pointer(_)) => {
                Err(format!("a pointer has no members; write `->` ({})", self.shown_type(ty)))
            }
            _ => Err(format!("a value of type {} has no members", self.shown_type(ty))),
        }
    }

    /// The way to a member of a record.
    fn find_member(&self, ty: TypeId, name: &str, depth: u32) -> Option<Vec<u32>> {
        let Type::Record(id) = *self.program.ty(ty) else { return None };
        let fields = (0u32..).zip(&self.program.records[id].fields);
        if let Some((i, _)) = fields.clone().find(|(_, f)| f.name == name) {
            return Some(vec![i]);
        }
        fields.filter(|(_, f)| f.name.is_empty() && depth < 100).find_map(|(i, f)| {
            let mut path = self.find_member(f.ty, name, depth + 1)?;
            path.insert(0, i);
            Some(path)
        })
    }

    /// `a[b]`
    pub(super) fn subscript(&mut self, a: Value, b: Value) -> Typed<Value> {
        if let Value::Place(place) = a
            && matches!(self.program.ty(self.program.place(place).ty), Type::Array { .. })
        {
            let index = self.scalar(b)?;
            let index = self.offset(index)?;
            return Ok(Value::Place(self.program.index(place, index)));
        }
        let sum = self.binary(Operator::Plain(BinaryOp::Add), a, b)?;
        match self.scalar(sum)? {
            sum if self.is_pointer(sum) => self.deref(Value::Scalar(sum)),
            _ => Err("neither an array nor a pointer is subscripted here".to_owned()),
        }
    }

    /// A number to be added to a pointer, or an index.
    fn offset(&mut self, value: Scalar) -> Typed<ExprId> {
        let index = self.promoted(value);
        match self.program.ty(self.program.expr(index).ty) {
            Type::Machine { .. } => Ok(index),
            _ => Err(format!("a {} is no index", self.describe(value))),
        }
    }
}

/// Conversions.
impl Typing<'_> {
    /// A scalar after the integer promotions.
    fn promoted(&mut self, value: Scalar) -> ExprId {
        let ty = self.ty(value);
        let to = match (self.program.ty(ty), value.nature) {
            (Type::Bool, _) => self.program.machine(INT, true),
            (&Type::Machine { signed, .. }, Nature::Bits(width)) => self.promoted_type(width, signed),
            (&Type::Machine { width, signed }, _) => self.promoted_type(width, signed),
            _ => ty,
        };
        self.program.cast(value.expr, to)
    }

    fn promoted_type(&mut self, width: u16, signed: bool) -> TypeId {
        self.program.machine(width.max(INT), signed || width < INT)
    }

    /// Two numbers as numbers of one type: the usual arithmetic conversions.
    fn balanced(&mut self, a: Scalar, b: Scalar) -> Typed<(ExprId, ExprId)> {
        for value in [a, b] {
            if self.is_pointer(value) {
                return Err(format!("a {} is no number", self.describe(value)));
            }
        }
        if [a, b].into_iter().any(|v| matches!(self.program.ty(self.ty(v)), Type::Integer)) {
            return Ok((self.mathematical(a)?, self.mathematical(b)?));
        }
        let (x, y) = (self.promoted(a), self.promoted(b));
        let (left, right) = (self.program.expr(x).ty, self.program.expr(y).ty);
        let common = match (self.program.ty(left).clone(), self.program.ty(right).clone()) {
            (Type::Float(f), Type::Float(g)) => self.program.intern_type(Type::Float(f.max(g))),
            (Type::Float(_), _) => left,
            (_, Type::Float(_)) => right,
            (Type::Machine { width: w, signed: s }, Type::Machine { width: v, signed: t }) => {
                let signed = match w.cmp(&v) {
                    std::cmp::Ordering::Less => t,
                    std::cmp::Ordering::Equal => s && t,
                    std::cmp::Ordering::Greater => s,
                };
                self.program.machine(w.max(v), signed)
            }
            _ => return Err("the operands are no numbers".to_owned()),
        };
        Ok((self.program.cast(x, common), self.program.cast(y, common)))
    }

    /// A value as a mathematical integer: those, truth values, and constants.
    fn mathematical(&mut self, value: Scalar) -> Typed<ExprId> {
        let ty = self.ty(value);
        let integer = self.program.intern_type(Type::Integer);
        match (self.program.ty(ty), self.program.as_int(value.expr)) {
            (Type::Integer, _) => Ok(value.expr),
            (Type::Bool, _) => Ok(self.program.cast(value.expr, integer)),
            (Type::Machine { width: 128, signed: false }, Some(number)) if number < 0 => {
                Err("the constant is too large".to_owned())
            }
            (Type::Machine { .. }, Some(number)) => Ok(self.program.int(number, integer)),
            _ => Err(format!("a {} does not mix with mathematical integers", self.describe(value))),
        }
    }

    /// Two values, at least one of them a pointer, as pointers of one type.
    fn pointers(&mut self, a: Scalar, b: Scalar) -> Typed<(ExprId, ExprId)> {
        for (value, other) in [(a, b), (b, a)] {
            if !self.is_pointer(value) && self.program.as_int(value.expr) != Some(0) {
                return Err(format!(
                    "a {} and a {} do not go together; convert one of them",
                    self.describe(value),
                    self.describe(other)
                ));
            }
        }
        // A null pointer takes the type of the other side, else the left side decides.
        let null = |typing: &Self, v: Scalar| typing.program.as_int(v.expr) == Some(0);
        let ty = match (self.is_pointer(a), self.is_pointer(b)) {
            (true, true) if null(self, a) && !null(self, b) => self.ty(b),
            (true, _) => self.ty(a),
            _ => self.ty(b),
        };
        Ok((self.program.cast(a.expr, ty), self.program.cast(b.expr, ty)))
    }

    /// `(ty)value`
    pub(super) fn cast(&mut self, value: Value, ty: CType) -> Typed<Value> {
        let from = self.scalar(value)?;
        let to = match ty {
            CType::Truth => return Ok(plain(self.program.nonzero(from.expr))),
            CType::Boolean => {
                let truth = self.program.nonzero(from.expr);
                let byte = self.program.machine(8, false);
                return Ok(plain(self.program.cast(truth, byte)));
            }
            CType::Plain(to) => to,
        };
        let constant = self.program.as_int(from.expr).is_some();
        let fits = match (self.program.ty(self.ty(from)), self.program.ty(to)) {
            (Type::Integer, Type::Machine { .. }) => constant,
            (Type::Bool | Type::Machine { .. }, Type::Machine { .. } | Type::Float(_) | Type::Pointer(_))
            | (Type::Pointer(_), Type::Machine { .. } | Type::Pointer(_))
            | (Type::Float(_), Type::Machine { .. } | Type::Float(_)) => true,
            _ => false,
        };
        if !fits {
            let (from, to) = (self.describe(from), self.shown_type(to));
            return Err(format!("a {from} cannot be converted to type {to}"));
        }
        Ok(plain(self.converted(from.expr, to)))
    }

    /// An address counts as a signed number where a wider one is wanted, as in gcc.
    fn converted(&mut self, expr: ExprId, to: TypeId) -> ExprId {
        let wider = matches!(*self.program.ty(to),
            Type::Machine { width, .. } if width > self.program.data_model.pointer_bits());
        let mut expr = expr;
        if wider && self.program.is_pointer(self.program.expr(expr).ty) {
            let distance = self.program.distance_type();
            expr = self.program.cast(expr, distance);
        }
        self.program.cast(expr, to)
    }
}

/// Operators.
impl Typing<'_> {
    /// `-value`, `~value`
    pub(super) fn unary(&mut self, op: UnaryOp, value: Value) -> Typed<Value> {
        let operand = self.scalar(value)?;
        let number = self.promoted(operand);
        let fits = match self.program.ty(self.program.expr(number).ty) {
            Type::Machine { .. } => true,
            Type::Float(_) | Type::Integer => op == UnaryOp::Neg,
            _ => false,
        };
        if !fits {
            let sign = if op == UnaryOp::Neg { "-" } else { "~" };
            return Err(format!("`{sign}` does not apply to a {}", self.describe(operand)));
        }
        Ok(plain(self.program.unary(op, number)))
    }

    /// `+value`
    pub(super) fn plus(&mut self, value: Value) -> Typed<Value> {
        let operand = self.scalar(value)?;
        if self.is_pointer(operand) {
            return Err(format!("`+` does not apply to a {}", self.describe(operand)));
        }
        Ok(plain(self.promoted(operand)))
    }

    /// `!value`
    pub(super) fn not(&mut self, value: Value) -> Typed<Value> {
        let truth = self.truth(value)?;
        Ok(comparison(self.program.not(truth)))
    }

    /// An operator between two values.
    pub(super) fn binary(&mut self, op: Operator, a: Value, b: Value) -> Typed<Value> {
        use BinaryOp::{Eq, Le, Lt, Ne};
        match op {
            Operator::Both | Operator::Either => self.connective(op, a, b),
            Operator::Greater => self.binary(Operator::Plain(Lt), b, a),
            Operator::GreaterEqual => self.binary(Operator::Plain(Le), b, a),
            Operator::Plain(op) => {
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                match op {
                    Eq | Ne | Lt | Le => self.compare(op, a, b),
                    BinaryOp::Shl | BinaryOp::Shr => self.shift(op, a, b),
                    _ => self.arithmetic(op, a, b),
                }
            }
        }
    }

    /// `a && b`, `a || b`: strict where `b` may be evaluated in any case, as lowering does it.
    fn connective(&mut self, op: Operator, a: Value, b: Value) -> Typed<Value> {
        let (a, b) = (self.truth(a)?, self.truth(b)?);
        let is_and = op == Operator::Both;
        if self.program.is_total(b) {
            let op = if is_and { BinaryOp::And } else { BinaryOp::Or };
            return Ok(comparison(self.program.binary(op, a, b)));
        }
        let known = self.program.truth(!is_and);
        let (then, otherwise) = if is_and { (b, known) } else { (known, b) };
        Ok(comparison(self.program.if_then_else(a, then, otherwise)))
    }

    /// Whether an operator works on these as truth values.
    fn are_truths(&self, a: Scalar, b: Scalar) -> bool {
        let comparisons = a.nature == Nature::Comparison && b.nature == Nature::Comparison;
        self.is_truth(a) && self.is_truth(b) && !comparisons
    }

    fn compare(&mut self, op: BinaryOp, a: Scalar, b: Scalar) -> Typed<Value> {
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let (x, y) = if equality && self.are_truths(a, b) {
            (a.expr, b.expr)
        } else if self.is_pointer(a) || self.is_pointer(b) {
            self.pointers(a, b)?
        } else {
            self.balanced(a, b)?
        };
        Ok(comparison(self.program.binary(op, x, y)))
    }

    fn shift(&mut self, op: BinaryOp, a: Scalar, b: Scalar) -> Typed<Value> {
        let (x, y) = (self.promoted(a), self.promoted(b));
        for (expr, value) in [(x, a), (y, b)] {
            if !matches!(self.program.ty(self.program.expr(expr).ty), Type::Machine { .. }) {
                return Err(format!("a {} cannot take part in a shift", self.describe(value)));
            }
        }
        Ok(plain(self.program.binary(op, x, y)))
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Scalar, b: Scalar) -> Typed<Value> {
        match (op, self.is_pointer(a), self.is_pointer(b)) {
            (BinaryOp::Add, true, true) => return Err("two pointers are added".to_owned()),
            (BinaryOp::Add, true, false) => return self.pointer_add(a, b),
            (BinaryOp::Add, false, true) => return self.pointer_add(b, a),
            (BinaryOp::Sub, true, true) => return Ok(self.pointer_difference(a, b)),
            (BinaryOp::Sub, true, false) => return self.pointer_subtract(a, b),
            _ => {}
        }
        let bitwise = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        if bitwise && self.are_truths(a, b) {
            return Ok(plain(self.program.binary(op, a.expr, b.expr)));
        }
        let (x, y) = self.balanced(a, b)?;
        let fits = match self.program.ty(self.program.expr(x).ty) {
            Type::Machine { .. } => true,
            Type::Integer => !bitwise,
            Type::Float(_) => !bitwise && op != BinaryOp::Rem,
            _ => false,
        };
        if !fits {
            let ty = self.shown_type(self.program.expr(x).ty);
            return Err(format!("this operator does not apply to values of type {ty}"));
        }
        Ok(plain(self.program.binary(op, x, y)))
    }

    fn pointer_add(&mut self, pointer: Scalar, number: Scalar) -> Typed<Value> {
        let index = self.offset(number)?;
        Ok(plain(self.program.binary(BinaryOp::PointerAdd, pointer.expr, index)))
    }

    fn pointer_subtract(&mut self, pointer: Scalar, number: Scalar) -> Typed<Value> {
        let index = self.offset(number)?;
        let distance = self.program.distance_type();
        let index = self.program.cast(index, distance);
        let index = self.program.unary(UnaryOp::Neg, index);
        Ok(plain(self.program.binary(BinaryOp::PointerAdd, pointer.expr, index)))
    }

    fn pointer_difference(&mut self, a: Scalar, b: Scalar) -> Value {
        let y = self.program.cast(b.expr, self.ty(a));
        plain(self.program.binary(BinaryOp::PointerDiff, a.expr, y))
    }

    /// `condition ? a : b`
    pub(super) fn choice(&mut self, condition: Value, a: Value, b: Value) -> Typed<Value> {
        let condition = self.truth(condition)?;
        let (a, b) = (self.scalar(a)?, self.scalar(b)?);
        let (x, y) = if self.are_truths(a, b) {
            (a.expr, b.expr)
        } else if self.is_pointer(a) || self.is_pointer(b) {
            self.chosen_pointers(a, b)?
        } else {
            self.balanced(a, b)?
        };
        Ok(plain(self.program.if_then_else(condition, x, y)))
    }

    fn chosen_pointers(&mut self, a: Scalar, b: Scalar) -> Typed<(ExprId, ExprId)> {
        let (x, y) = self.pointers(a, b)?;
        let to_void = |typing: &Self, v: Scalar| {
            let target = typing.program.pointee(typing.ty(v));
            let known = typing.program.as_int(v.expr) != Some(0);
            known && target.is_some_and(|ty| matches!(typing.program.ty(ty), Type::Void))
        };
        if !to_void(self, a) && to_void(self, b) {
            let ty = self.ty(b);
            return Ok((self.program.cast(a.expr, ty), b.expr));
        }
        Ok((x, y))
    }
}
