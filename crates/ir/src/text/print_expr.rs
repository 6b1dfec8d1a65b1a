//! Printing of types, places, expressions and statements.
//!
//! Nothing here trusts the program: ids out of range print as `<bad id>`, and what is nested too
//! deeply or too large prints as `...`, so that a broken program can be shown in an error message.

use hardbop_base::Span;
use rustc_hash::FxHashSet;

use super::lex::QUOTES;
use super::{
    Expect, MAX_DEPTH, MAX_NODES, MAX_TYPE_DEPTH, MAX_TYPE_NODES, SHOWN_NODES, is_literal, is_plain,
};
use crate::{
    Arbitrary, BinaryOp, Callee, ExprId, ExprKind, FloatKind, Halt, MemoryKind, PlaceBase, PlaceId, ProcId,
    Program, Projection, Property, RecordId, RecordKind, Statement, Type, TypeId, UnaryOp, VarId, VarKind,
};

/// What an expression stands next to, and so whether it needs parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// Nothing that binds.
    Nothing,
    /// Behind a prefix operator.
    Prefix,
    /// Before `->`, `.`, `[` or the arguments of a call.
    Postfix,
}

/// Appends pieces of a program to a text.
pub(super) struct Printer<'p> {
    pub(super) program: &'p Program,
    pub(super) out: String,
    /// Whether constants get their types, so that the text can be parsed.
    exact: bool,
    /// Globals that a variable of the current procedure hides.
    pub(super) hidden: FxHashSet<VarId>,
    /// Per record and field: whether its name denotes it. Empty when only showing.
    pub(super) field_names: Vec<Vec<bool>>,
    depth: u32,
    nodes: u32,
}

/// What `print` appends, for people.
pub(super) fn shown<'p>(program: &'p Program, print: impl FnOnce(&mut Printer<'p>)) -> String {
    let mut printer = Printer::new(program, false);
    printer.nodes = SHOWN_NODES;
    print(&mut printer);
    printer.out
}

impl<'p> Printer<'p> {
    pub(super) fn new(program: &'p Program, exact: bool) -> Self {
        Printer {
            program,
            out: String::new(),
            exact,
            hidden: FxHashSet::default(),
            field_names: Vec::new(),
            depth: 0,
            nodes: MAX_NODES,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn number(&mut self, value: impl Into<u128>) {
        let mut value = value.into();
        let mut digits = [0u8; 39];
        let mut at = digits.len();
        // Division of 64 bits is much faster than that of 128.
        while value > u128::from(u64::MAX) {
            at -= 1;
            digits[at] = b'0' + (value % 10) as u8;
            value /= 10;
        }
        let mut small = value as u64;
        loop {
            at -= 1;
            digits[at] = b'0' + (small % 10) as u8;
            small /= 10;
            if small == 0 {
                break;
            }
        }
        self.push(std::str::from_utf8(&digits[at..]).unwrap_or_default());
    }

    /// A name, in quotes if it is not an identifier or means something else.
    pub(super) fn name(&mut self, name: &str) {
        if is_plain(name) { self.push(name) } else { self.quoted(name) }
    }

    /// A text in quotes.
    pub(super) fn quoted(&mut self, text: &str) {
        QUOTES.push(&mut self.out, text);
    }

    /// A byte as it stands in quotes.
    pub(super) fn escaped(&mut self, byte: u8) {
        QUOTES.push_byte(&mut self.out, byte);
    }

    /// ` @file:line:column-line:column`, nothing for what has no place.
    pub(super) fn span(&mut self, span: Span) {
        if span.is_none() {
            return;
        }
        self.push(" @");
        self.number(span.file.index() as u64);
        self.push(":");
        self.number(span.line);
        self.push(":");
        self.number(span.column);
        self.push("-");
        self.number(span.end_line);
        self.push(":");
        self.number(span.end_column);
    }

    /// A span at the end of a line.
    pub(super) fn line_span(&mut self, span: Span) {
        self.push(if span.is_none() { "" } else { " " });
        self.span(span);
    }

    /// Gives back the nodes that the last statement used up.
    pub(super) fn refill(&mut self) {
        self.nodes = MAX_NODES;
    }

    /// Whether there is room for one more node; else marks the cut. Pair with a decrement of
    /// `depth`.
    fn enter(&mut self, max_depth: u32) -> bool {
        if self.depth >= max_depth || self.nodes == 0 {
            self.push("...");
            return false;
        }
        self.depth += 1;
        self.nodes -= 1;
        true
    }
}

/// Types.
impl Printer<'_> {
    pub(super) fn ty(&mut self, ty: TypeId) {
        // A type inside of an expression has its own limits.
        let (depth, nodes) = (self.depth, self.nodes);
        self.depth = 0;
        if self.exact {
            self.nodes = MAX_TYPE_NODES;
        }
        self.nested_type(ty);
        self.depth = depth;
        if self.exact {
            self.nodes = nodes;
        }
    }

    fn nested_type(&mut self, ty: TypeId) {
        let program = self.program;
        let Some(ty) = program.types().get(ty) else {
            return self.push("<bad id>");
        };
        if !self.enter(MAX_TYPE_DEPTH) {
            return;
        }
        match ty {
            Type::Void => self.push("void"),
            Type::Bool => self.push("bool"),
            Type::Integer => self.push("int"),
            Type::Machine { width, signed } => {
                self.push(if *signed { "i" } else { "u" });
                self.number(*width);
            }
            Type::Float(FloatKind::F32) => self.push("f32"),
            Type::Float(FloatKind::F64) => self.push("f64"),
            Type::Float(FloatKind::F80) => self.push("f80"),
            Type::Pointer(target) => {
                self.push("ptr ");
                self.nested_type(*target);
            }
            Type::Array { element, length } => {
                self.push("[");
                self.number(*length);
                self.push(" x ");
                self.nested_type(*element);
                self.push("]");
            }
            Type::Record(id) => self.record(*id),
            Type::Function(function) => {
                self.push("fn(");
                for (i, &formal) in function.formals.iter().enumerate() {
                    self.push(if i > 0 { ", " } else { "" });
                    self.nested_type(formal);
                }
                self.push(if function.variadic { ") variadic -> " } else { ") -> " });
                self.nested_type(function.result);
            }
        }
        self.depth -= 1;
    }

    /// `struct name`
    pub(super) fn record(&mut self, id: RecordId) {
        let program = self.program;
        match program.records.get(id) {
            Some(record) => {
                self.push(match record.kind {
                    RecordKind::Struct => "struct ",
                    RecordKind::Union => "union ",
                });
                self.name(&record.name);
            }
            None => self.push("<bad id>"),
        }
    }
}

/// Places.
impl Printer<'_> {
    pub(super) fn place(&mut self, place: PlaceId) {
        self.place_beside(place, Beside::Nothing);
    }

    fn place_beside(&mut self, place: PlaceId, beside: Beside) {
        let program = self.program;
        let Some(place) = program.places().get(place) else {
            return self.push("<bad id>");
        };
        if !self.enter(MAX_DEPTH) {
            return;
        }
        let mut path = place.path.as_slice();
        let mut ty = match place.base {
            PlaceBase::Var(var) => {
                self.variable(var);
                program.variables.get(var).map(|v| v.ty)
            }
            PlaceBase::Deref(pointer) => {
                let target = program.exprs().get(pointer).and_then(|e| pointee(program, e.ty));
                if let Some((&Projection::Field(field), rest)) = path.split_first() {
                    path = rest;
                    self.expr_beside(pointer, Expect::DEFAULT, Beside::Postfix);
                    self.push("->");
                    self.field(target, field)
                } else {
                    let wrapped = !path.is_empty() || beside == Beside::Postfix;
                    self.push(if wrapped { "(*" } else { "*" });
                    self.expr_beside(pointer, Expect::DEFAULT, Beside::Prefix);
                    self.push(if wrapped { ")" } else { "" });
                    target
                }
            }
        };
        for &step in path {
            match step {
                Projection::Field(field) => {
                    self.push(".");
                    ty = self.field(ty, field);
                }
                Projection::Index(index) => {
                    self.push("[");
                    self.expr(index, Expect::DEFAULT);
                    self.push("]");
                    ty = match ty.and_then(|ty| program.types().get(ty)) {
                        Some(&Type::Array { element, .. }) => Some(element),
                        _ => None,
                    };
                }
            }
        }
        self.depth -= 1;
    }

    /// The name or number of a field of a type; gives the field's type.
    fn field(&mut self, record: Option<TypeId>, field: u32) -> Option<TypeId> {
        let program = self.program;
        let id = match record.and_then(|ty| program.types().get(ty)) {
            Some(&Type::Record(id)) => Some(id),
            _ => None,
        };
        let index = field as usize;
        let found = id.and_then(|id| program.records.get(id)).and_then(|r| r.fields.get(index));
        let denotes = |id: RecordId| self.field_names.get(id.index()).is_none_or(|names| names[index]);
        match (found, id) {
            (Some(f), Some(id)) if !f.name.is_empty() && denotes(id) => self.name(&f.name),
            _ => {
                self.push("#");
                self.number(field);
            }
        }
        found.map(|f| f.ty)
    }

    pub(super) fn variable(&mut self, var: VarId) {
        let program = self.program;
        let Some(variable) = program.variables.get(var) else {
            return self.push("<bad id>");
        };
        let global = matches!(variable.kind, VarKind::Global | VarKind::Static);
        if global && self.hidden.contains(&var) {
            self.push("::");
        }
        self.name(&variable.name);
    }

    fn procedure(&mut self, id: ProcId) {
        let program = self.program;
        match program.procedures.get(id) {
            Some(procedure) => self.name(&procedure.name),
            None => self.push("<bad id>"),
        }
    }
}

fn pointee(program: &Program, ty: TypeId) -> Option<TypeId> {
    match program.types().get(ty) {
        Some(&Type::Pointer(target)) => Some(target),
        _ => None,
    }
}

/// The operator of the text form; pointer and integer operators share theirs.
pub(super) fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add | BinaryOp::PointerAdd => "+",
        BinaryOp::Sub | BinaryOp::PointerDiff => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
    }
}

/// Expressions.
impl Printer<'_> {
    pub(super) fn expr(&mut self, expr: ExprId, expect: Expect) {
        self.expr_beside(expr, expect, Beside::Nothing);
    }

    fn expr_beside(&mut self, expr: ExprId, expect: Expect, beside: Beside) {
        let program = self.program;
        let Some(expr) = program.exprs().get(expr) else {
            return self.push("<bad id>");
        };
        // A load is written as its place.
        if let ExprKind::Load(place) = expr.kind {
            return self.place_beside(place, beside);
        }
        if !self.enter(MAX_DEPTH) {
            return;
        }
        let wrapped = beside == Beside::Postfix
            && !matches!(expr.kind, ExprKind::Binary(..) | ExprKind::If(..) | ExprKind::Cast(_));
        self.push(if wrapped { "(" } else { "" });
        self.operation(&expr.kind, expr.ty, expect);
        self.push(if wrapped { ")" } else { "" });
        self.depth -= 1;
    }

    fn operation(&mut self, kind: &ExprKind, ty: TypeId, expect: Expect) {
        match *kind {
            ExprKind::Int(value) => {
                self.int(value, ty);
                self.annotation(ty, expect);
            }
            ExprKind::Bool(value) => self.push(if value { "true" } else { "false" }),
            ExprKind::Float(bits) => {
                self.float(bits, ty);
                self.annotation(ty, expect);
            }
            ExprKind::Load(place) => self.place(place),
            ExprKind::AddressOf(place) => {
                self.push("&");
                self.place_beside(place, Beside::Prefix);
            }
            ExprKind::Function(procedure) => {
                self.push("fn ");
                self.procedure(procedure);
            }
            ExprKind::Unary(op, operand) => self.unary(op, operand, expect),
            ExprKind::Binary(op, a, b) => {
                self.push("(");
                self.expr(a, expect);
                self.push(" ");
                self.push(symbol(op));
                self.push(" ");
                let right = match self.program.exprs().get(a) {
                    Some(a) if op != BinaryOp::PointerAdd => Expect::Type(a.ty),
                    _ => Expect::DEFAULT,
                };
                self.expr(b, right);
                self.push(")");
            }
            ExprKind::Cast(operand) => {
                self.push("cast<");
                self.ty(ty);
                self.push(">(");
                self.expr(operand, Expect::DEFAULT);
                self.push(")");
            }
            ExprKind::If(condition, then, otherwise) => {
                self.push("(if ");
                self.expr(condition, Expect::DEFAULT);
                self.push(" then ");
                self.expr(then, expect);
                self.push(" else ");
                self.expr(otherwise, Expect::Type(ty));
                self.push(")");
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, expect: Expect) {
        self.push(match op {
            UnaryOp::Neg => "-",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => "!",
        });
        // `-5` is a constant, `-(5)` an operator.
        let literal = self.program.exprs().get(operand).is_some_and(|e| is_literal(&e.kind));
        if literal && op == UnaryOp::Neg {
            self.push("(");
            self.expr(operand, expect);
            self.push(")");
        } else {
            self.expr_beside(operand, expect, Beside::Prefix);
        }
    }

    fn int(&mut self, value: i128, ty: TypeId) {
        let unsigned = matches!(self.program.types().get(ty), Some(Type::Machine { signed: false, .. }));
        if value < 0 && !unsigned {
            self.push("-");
            self.number(value.unsigned_abs());
        } else {
            self.number(value as u128);
        }
    }

    fn float(&mut self, bits: u128, ty: TypeId) {
        let text = match self.program.types().get(ty) {
            Some(Type::Float(FloatKind::F32)) => u32::try_from(bits)
                .ok()
                .map(f32::from_bits)
                .filter(|value| value.is_finite())
                .map(|value| format!("{value:?}")),
            Some(Type::Float(FloatKind::F64)) => u64::try_from(bits)
                .ok()
                .map(f64::from_bits)
                .filter(|value| value.is_finite())
                .map(|value| format!("{value:?}")),
            _ => None,
        };
        self.push(&text.unwrap_or_else(|| format!("{bits:#x}")));
    }

    /// `:type`, unless it is the expected one.
    fn annotation(&mut self, ty: TypeId, expect: Expect) {
        let known = match expect {
            Expect::Type(expected) => ty == expected,
            Expect::Machine(width, signed) => {
                matches!(self.program.types().get(ty),
                    Some(&Type::Machine { width: w, signed: s }) if w == width && s == signed)
            }
        };
        if self.exact && !known {
            self.push(":");
            self.ty(ty);
        }
    }
}

/// Statements.
impl Printer<'_> {
    pub(super) fn statement(&mut self, statement: &Statement) {
        let program = self.program;
        match statement {
            Statement::Skip => self.push("skip"),
            Statement::Assign(place, value) => {
                self.place(*place);
                self.push(" := ");
                let expect = program.places().get(*place).map_or(Expect::DEFAULT, |p| Expect::Type(p.ty));
                self.expr(*value, expect);
            }
            Statement::Assume(condition) => {
                self.push("assume ");
                self.expr(*condition, Expect::DEFAULT);
            }
            Statement::Havoc(place, origin) => self.havoc(*place, origin),
            Statement::Call { result, callee, arguments } => self.call(*result, *callee, arguments),
            Statement::Return => self.push("return"),
            Statement::Allocate { result, size, kind, may_fail } => {
                self.variable(*result);
                self.push(match kind {
                    MemoryKind::Heap => " := allocate heap ",
                    MemoryKind::ZeroedHeap => " := allocate zeroed ",
                    MemoryKind::Stack => " := allocate stack ",
                });
                self.expr(*size, Expect::size(program));
                self.push(if *may_fail { " or null" } else { "" });
            }
            Statement::Free(pointer) => {
                self.push("free ");
                self.expr(*pointer, Expect::DEFAULT);
            }
            Statement::Copy { target, source, length } => self.three("copy", [*target, *source, *length]),
            Statement::CopyObject { target, source } => {
                self.push("copy_object(");
                self.expr(*target, Expect::DEFAULT);
                self.push(", ");
                self.expr(*source, Expect::DEFAULT);
                self.push(")");
            }
            Statement::Fill { target, byte, length } => self.three("fill", [*target, *byte, *length]),
            Statement::Output { function, arguments } => {
                self.push("output ");
                self.name(function);
                self.arguments(arguments, None);
            }
            Statement::Halt(Halt::Exit(status)) => {
                self.push("exit ");
                self.expr(*status, Expect::DEFAULT);
            }
            Statement::Halt(Halt::Abort) => self.push("abort"),
            Statement::Halt(Halt::Unreachable) => self.push("unreachable"),
            Statement::Error(property) => self.error(property),
            Statement::Unsupported(reason) => {
                self.push("unsupported ");
                self.quoted(reason);
            }
        }
    }

    fn havoc(&mut self, place: PlaceId, origin: &Arbitrary) {
        self.push("havoc ");
        self.place(place);
        match origin {
            Arbitrary::Nondet(function) => {
                self.push(" from nondet ");
                self.name(function);
            }
            Arbitrary::Uninitialised => self.push(" from uninitialised"),
            Arbitrary::External(function) => {
                self.push(" from external ");
                self.name(function);
            }
            Arbitrary::Assembly => self.push(" from assembly"),
            Arbitrary::Library(function) => {
                self.push(" from library ");
                self.name(function);
            }
        }
    }

    fn error(&mut self, property: &Property) {
        match property {
            Property::ErrorFunction(function) => {
                self.push("error function ");
                self.name(function);
            }
            Property::Assertion(text) => {
                self.push("error assertion ");
                self.quoted(text);
            }
            Property::ErrorLabel(label) => {
                self.push("error label ");
                self.name(label);
            }
        }
    }

    fn call(&mut self, result: Option<VarId>, callee: Callee, arguments: &[ExprId]) {
        let program = self.program;
        if let Some(result) = result {
            self.variable(result);
            self.push(" := ");
        }
        match callee {
            Callee::Direct(id) => {
                self.push("call ");
                self.procedure(id);
                let formals = program.procedures.get(id).map(|p| p.formals.as_slice()).unwrap_or_default();
                let types: Vec<_> = formals.iter().map(|&v| program.variables.get(v).map(|v| v.ty)).collect();
                self.arguments(arguments, Some(&types));
            }
            Callee::Indirect(pointer) => {
                self.push("call *");
                self.expr_beside(pointer, Expect::DEFAULT, Beside::Postfix);
                let function = program.exprs().get(pointer).and_then(|e| pointee(program, e.ty));
                let types: Vec<_> = match function.and_then(|ty| program.types().get(ty)) {
                    Some(Type::Function(f)) => f.formals.iter().map(|&ty| Some(ty)).collect(),
                    _ => Vec::new(),
                };
                self.arguments(arguments, Some(&types));
            }
        }
    }

    fn arguments(&mut self, arguments: &[ExprId], formals: Option<&[Option<TypeId>]>) {
        self.push("(");
        for (i, &argument) in arguments.iter().enumerate() {
            self.push(if i > 0 { ", " } else { "" });
            let formal = formals.and_then(|formals| formals.get(i).copied().flatten());
            self.expr(argument, formal.map_or(Expect::DEFAULT, Expect::Type));
        }
        self.push(")");
    }

    fn three(&mut self, name: &str, [a, b, length]: [ExprId; 3]) {
        self.push(name);
        self.push("(");
        self.expr(a, Expect::DEFAULT);
        self.push(", ");
        self.expr(b, Expect::DEFAULT);
        self.push(", ");
        self.expr(length, Expect::size(self.program));
        self.push(")");
    }
}
